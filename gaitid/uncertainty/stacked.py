"""Several shifted computations at once: their frames stand one behind the other, so that arrays are long and few.

A computation of a walk of some hundred frames spends most of its time between numpy's calls. Points and frames of a
model follow frame by frame from markers and numbers, so that many shifted walks may stand in one array; what looks at
more than one frame (derivatives, means over the trial, the direction of walking) is done for each by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gaitid.analysis.limb import Mechanics, absent_limb, solve_limbs
from gaitid.body.direction import progression
from gaitid.body.frames import Calibration, Geometry, Place, Pose
from gaitid.body.kinematics import SegmentMotion, spin_from_quaternion
from gaitid.body.poses import Body, Motion, SegmentPose, pose_segments
from gaitid.dynamics.wrench import Wrench
from gaitid.ground.contacts import FootLoad
from gaitid.markers.clean import Markers
from gaitid.model import specs
from gaitid.numerics.masks import known_rows, mark_ends
from gaitid.numerics.rigid_fit import RigidFit
from gaitid.numerics.rotation import apply, quaternions_of_each
from gaitid.numerics.spline import spline_derivatives
from gaitid.records import NamedTuple
from gaitid.trial import Array
from gaitid.uncertainty.chains import repeated
from gaitid.uncertainty.computation import Computation, ShiftedGeometry
from gaitid.uncertainty.shift import Shift

if TYPE_CHECKING:
    from gaitid.body.chain_again import Before
    from gaitid.body.multibody import FittedChain

#: Frames of all computations that are done at once: arrays of so many vectors fit a cache.
FRAMES_AT_ONCE = 4000
_KINDS = ("R_gs", "com_g", "vel_g", "acc_g", "omega_g", "alpha_g")

Key = tuple[str, str]


class _Stack(ShiftedGeometry):
    """Points and frames of several walks, `each` frames of one behind those of the other."""

    each: int = 1

    def mean(self, values: object) -> object:
        """(frames,) of every walk the mean of its own known values."""
        array = np.asarray(values, dtype=float)
        if array.ndim == 0:
            return super().mean(values)
        return _means(array, self.each)

    def with_poses(
        self,
        frames: Mapping[Place, Pose],
        points: Mapping[Place, Array],
        fits: Mapping[Place, tuple[tuple[str, ...], RigidFit]],
        calibration: Calibration,
        fitted: FittedChain,
    ) -> Geometry:
        """The same with some frames and points as a chain puts them, which it does frame by frame."""
        of_chain = super().with_poses(frames, points, fits, calibration, fitted)
        put = _Stack(self.model, self.tracks, self._numbers, self.n_frames, self.up_g, calibration=calibration)
        put._given, put._frames, put._points = of_chain._given, of_chain._frames, of_chain._points
        put.fits, put.fitted, put.each = of_chain.fits, of_chain.fitted, self.each
        put.means_of = self.means_of
        return put

    def part(self, rows: slice, model: specs.Model, numbers: Mapping[str, float]) -> ShiftedGeometry:
        """One of the walks, with what was computed of it."""
        tracks = {label: track[rows] for label, track in self.tracks.items()}
        one = ShiftedGeometry(model, tracks, numbers, self.each, self.up_g, calibration=self.calibration)
        one.fitted = self.fitted
        one.moved = {place: offset[rows] for place, offset in self.moved.items()}
        one._points |= {key: points[rows] for key, points in self._points.items()}
        one._frames |= {key: Pose(pose.R_gs[rows], pose.origin_g[rows]) for key, pose in self._frames.items()}
        return one


class Displaced(NamedTuple):
    """A walk with displaced markers.

    Attributes
    ----------
    columns : (frames, columns) array
    motions : mapping of (side, segment) to SegmentMotion
    """

    columns: Array
    motions: Mapping[Key, SegmentMotion]


class Stacked:
    """`Computation.columns` of several shifts at once.

    Parameters
    ----------
    computation : Computation
    """

    def __init__(self, computation: Computation) -> None:
        self._computation = computation
        self._frames = computation.result.trial.n_frames
        self._of_nothing: dict[int, _Stack] = {}
        self._befores: dict[tuple[int, bool], Before | None] = {}

    @cached_property
    def together(self) -> int:
        """How many shifts are done at once: 1 where a stage looks at more than one frame that is not known here."""
        result = self._computation.result
        several = max(1, FRAMES_AT_ONCE // self._frames)
        single_entries = result.settings.angular_velocity == "single_entries"
        if single_entries or several == 1:
            return 1
        nothing = self._columns([Shift(), Shift()])
        # a chain fitted once more lies 1e-10 m from the first fit, of which a moment makes 1e-8 N·m/kg
        same = all(np.allclose(of, self._computation.unshifted, rtol=1e-6, atol=1e-6, equal_nan=True) for of in nothing)
        return several if same else 1

    def columns(self, shifts: Sequence[Shift], drawn: bool = False) -> Iterator[Array]:
        """(frames, columns) of each shift, in their order; as many at once as `together` says.

        Of shifts that are `drawn`, of millimetres, a chain is fitted to 1e-5 m and not to 1e-10 m.
        """
        for i in range(0, len(shifts), self.together):
            some = shifts[i : i + self.together]
            still = sum(shift.leaves_the_motion and not (shift.mass or shift.inertia) for shift in some)
            if len(some) == 1 or still > len(some) / 2 or not all(self._may(shift) for shift in some):
                yield from (self._computation.columns(shift, drawn) for shift in some)
            else:
                self._computation.counted(len(some))
                yield from self._columns(some, drawn)

    def displaced(self, labels: Sequence[str], size_m: float) -> Iterator[Displaced]:
        """With markers displaced alike all the time, along x, then y and z of the laboratory.

        What is a mean over the trial, as lengths and the direction of walking are, stays as it is.
        """
        always = np.full((self._frames, 1), size_m)
        shifts = [Shift(markers=dict.fromkeys(labels, always * along)) for along in np.eye(3)]
        still = self._computation.still[0]
        for i in range(0, len(shifts), self.together):
            some = shifts[i : i + self.together]
            self._computation.counted(len(some))
            stack, _ = self._stack(some)
            stack.means_of = still.geometry
            body = _with_lengths_of(still, pose_segments(stack, self._markers(stack), self._computation.sides))
            R_gp = np.broadcast_to(still.R_gp, (self._frames, 3, 3))
            body = replace(body, R_gp=np.tile(R_gp, (len(some), 1, 1)))
            motion = self._motion(body)
            for k, columns in enumerate(self._of_all(body, motion, len(some))):
                motions = {key: in_frames(of, self._rows(k)) for key, of in by_segment(body, motion).items()}
                yield Displaced(columns, motions)

    def _may(self, shift: Shift) -> bool:
        """Whether the calibration in a static stays what it is."""
        return self._computation.static is None or not (shift.static or shift.numbers or shift.centres)

    def _columns(self, shifts: Sequence[Shift], drawn: bool = False) -> list[Array]:
        stack, numbers = self._stack(shifts, drawn)
        body = self._body(stack, shifts, numbers)
        assert isinstance(body.geometry, _Stack)
        stack, motion = body.geometry, self._motion(body)
        if any(s.numbers or s.mass or s.inertia or s.load for s in shifts):
            each = enumerate(zip(shifts, numbers, strict=True))
            return [self._of_one(stack, body, motion, k, *of) for k, of in each]
        return self._of_all(body, motion, len(shifts))

    def _again(self, count: int, drawn: bool) -> Before | None:
        """What the fits of chains of so many walks go on with."""
        if (count, drawn) not in self._befores:
            one = self._computation.again(drawn)
            self._befores[count, drawn] = None if one is None else one.repeated(count)
        return self._befores[count, drawn]

    def _stack(self, shifts: Sequence[Shift], drawn: bool = False) -> tuple[_Stack, list[dict[str, float]]]:
        """Markers of all walks, one behind the other, and the numbers of each."""
        computation, n = self._computation, self._frames
        result, count = computation.result, len(shifts)
        of_markers = [computation.markers_of(shift) for shift in shifts]
        still, support = self._still(count), result.markers.support
        tracks = {
            label: still.tracks[label]
            if all(of[label] is support[label] for of in of_markers)
            else np.concatenate([of[label] for of in of_markers])
            for label in support
        }
        each = [_numbers(computation, shift) for shift in shifts]
        numbers: dict[str, Array | float] = {
            name: value if all(of[name] == value for of in each) else np.repeat([of[name] for of in each], n)
            for name, value in each[0].items()
        }
        geometry = result.body.geometry
        model, up_g, calibration = result.model._replace(progression=None), geometry.up_g, geometry.calibration
        # a number of the subject may be an array over the frames
        stack = _Stack(model, tracks, numbers, n * count, up_g, calibration=calibration)  # type: ignore[arg-type]
        stack.each = n
        if model.pose is None:
            stack.still = still
        if (fit := computation.fitted) is not None:
            stack.before = repeated(fit, count)
            stack.again = self._again(count, drawn)
        places = {place for shift in shifts for place in shift.centres if not computation.in_static(place)}
        stack.moved = {
            place: np.repeat([shift.centres.get(place, np.zeros(3)) for shift in shifts], n, axis=0) for place in places
        }
        return stack, each

    def _still(self, count: int) -> _Stack:
        """So many walks that nothing shifts."""
        if count not in self._of_nothing:
            result = self._computation.result
            tracks = {label: np.concatenate([track] * count) for label, track in result.markers.support.items()}
            geometry, numbers = result.body.geometry, result.subject.numbers
            of = _Stack(
                result.model, tracks, numbers, self._frames * count, geometry.up_g, calibration=geometry.calibration
            )
            of.each = self._frames
            self._of_nothing[count] = of
        return self._of_nothing[count]

    def _body(self, stack: _Stack, shifts: Sequence[Shift], numbers: Sequence[Mapping[str, float]]) -> Body:
        """Poses of all walks; the direction of walking is that of each by itself."""
        computation, n = self._computation, self._frames
        body = pose_segments(stack, self._markers(stack), computation.sides)
        assert isinstance(body.geometry, _Stack)
        stack = body.geometry
        segments = dict(body.segments)
        for (side, name), segment in body.segments.items():
            offsets = [shift.com.get(name) for shift in shifts]
            if side and any(offset is not None for offset in offsets):
                lengths = np.nanmean(segment.length_m.reshape(-1, n), axis=1)
                along = [np.zeros(3) if of is None else length * of for of, length in zip(offsets, lengths)]
                com_g = segment.com_g + apply(segment.pose.R_gs, np.repeat(along, n, axis=0))
                segments[side, name] = replace(segment, com_g=com_g)
        spec = computation.result.model.progression
        directions = [np.full((3, 3), np.nan)] * len(shifts)
        if spec is not None:
            walks = (self._geometry(stack, k, shift, of) for k, (shift, of) in enumerate(zip(shifts, numbers)))
            directions = [progression(walk, spec, body.passes)[0] for walk in walks]
        R_gp = np.concatenate([np.broadcast_to(R, (n, 3, 3)) for R in directions])
        return replace(body, segments=segments, R_gp=R_gp)

    def _markers(self, stack: _Stack) -> Markers:
        return replace(self._computation.result.markers, filtered=stack.tracks, support=stack.tracks)

    def _geometry(self, stack: _Stack, k: int, shift: Shift, numbers: Mapping[str, float]) -> ShiftedGeometry:
        return stack.part(self._rows(k), self._computation.model_of(shift), numbers)

    def _rows(self, k: int) -> slice:
        return slice(k * self._frames, (k + 1) * self._frames)

    def _motion(self, body: Body) -> Motion:
        """Derivatives, of each walk by itself: as `gaitid.body.poses.differentiate`, whose splines run over a trial."""
        n, rate_hz, ends = self._frames, self._computation.result.trial.rate_hz, body.settings.end_frames
        keys = list(body.segments)
        poses = [body.segments[key].pose for key in keys]
        coms = np.stack([body.segments[key].com_g for key in keys], axis=1)
        q = np.ascontiguousarray(quaternions_of_each([pose.R_gs for pose in poses]).T)

        def derivatives(values: Array) -> tuple[Array, Array]:
            apart = np.moveaxis(values.reshape(-1, n, *values.shape[1:]), 0, 1)
            found = spline_derivatives(apart, rate_hz)
            first, second = (np.moveaxis(of, 1, 0).reshape(values.shape) for of in found)
            return first, second

        def inside(values: Array) -> Array:
            """Without the ends of gap-free spans, which are those of every walk."""
            seen = known_rows(mark_ends(values[:n], ends))
            return np.where(np.tile(seen, len(values) // n)[:, None], values, np.nan)

        (vel, acc), (dq, ddq) = derivatives(coms), derivatives(q)
        motions: dict[Key, SegmentMotion] = {}
        for i, (key, pose) in enumerate(zip(keys, poses, strict=True)):
            spins = (inside(spin_from_quaternion(q[:, i], of[:, i])) for of in (dq, ddq))
            velocity, acceleration = inside(vel[:, i]), inside(acc[:, i])
            motion = SegmentMotion(pose.R_gs, coms[:, i], velocity, acceleration, *spins)
            motions[key] = motion.only(body.segments[key].known)
        by_side = {side: {b.segment: motions[side, b.segment] for b in body.model.chain} for side in body.sides}
        return Motion(motions[body.base], by_side)

    def _of_one(
        self, stack: _Stack, body: Body, motion: Motion, k: int, shift: Shift, numbers: Mapping[str, float]
    ) -> Array:
        """(frames, columns) of one walk with loads and masses of its own."""
        rows = self._rows(k)
        segments = {}
        for key, segment in body.segments.items():
            pose = Pose(segment.pose.R_gs[rows], segment.pose.origin_g[rows])
            length = segment.length_m[rows] if len(segment.length_m) else segment.length_m
            segments[key] = SegmentPose(pose, segment.com_g[rows], segment.known[rows], length)
        geometry = self._geometry(stack, k, shift, numbers)
        own = replace(body, geometry=geometry, segments=segments, R_gp=body.R_gp[rows])
        by_side = {
            side: {name: in_frames(of, rows) for name, of in of_side.items()}
            for side, of_side in motion.by_side.items()
        }
        moving = Motion(in_frames(motion.base, rows), by_side)
        mass_kg = self._computation.result.subject.mass_kg + shift.numbers.get("mass", 0.0)
        result = self._computation.under_load(shift, own, moving, numbers.get("mass", np.nan))
        return self._computation.columns_of(result, mass_kg)

    def _with_own_lengths(self, body: Body) -> Body:
        """Segments of which every walk has its own mean length, where that is what moments of inertia go by."""
        if body.settings.segment_length == "current":
            return body
        n, segments = self._frames, dict(body.segments)
        for key, segment in body.segments.items():
            if len(segment.length_m):
                segments[key] = replace(segment, length_m=_means(segment.length_m, n))
        return replace(body, segments=segments, settings=body.settings._replace(segment_length="current"))

    def _of_all(self, body: Body, motion: Motion, count: int) -> list[Array]:
        """(frames, columns) of walks with the loads and masses of the result: also their dynamics at once."""
        computation, result = self._computation, self._computation.result
        body = self._with_own_lengths(body)
        applied = {place: _repeated_wrench(load, count) for place, load in computation.applied.items()}
        mechanics = Mechanics(result.subject.numbers.get("mass", np.nan), result.gravity_g, "block", applied)
        frames = self._frames * count
        absent = absent_limb(result.model, frames)
        sides = {name: replace(absent, trunk_angles=computation.unknown_angles(name, frames)) for name in result.sides}
        for side in result.model.sides:
            if side.name in computation.sides:
                load = result.sides[side.name].load
                acting = load if result.carried_by_file(side.name) else computation.acting(load)
                limb = solve_limbs(body, {side.name: _repeated(acting, count)}, mechanics, motion=motion)[side.name]
                trunk = sides[side.name].trunk_angles
                sides[side.name] = replace(limb, load=_repeated(load, count), trunk_angles=trunk)
        trial = replace(result.trial, points_g=np.zeros((self._frames * count, 0, 3)), labels=())
        whole = computation.columns_of(replace(result, trial=trial, body=body, sides=sides), result.subject.mass_kg)
        apart = whole.reshape(count, self._frames, -1)
        angles = [i for i, name in enumerate(computation.names) if name.endswith("_deg")]
        # an angle that goes on from one walk into the next may have gone about once more
        turns = np.rint((apart[:, :, angles] - computation.unshifted[:, angles]) / 360.0)
        apart[:, :, angles] -= 360.0 * turns
        return list(apart)


def by_segment(body: Body, motion: Motion) -> dict[Key, SegmentMotion]:
    """The motions of all segments, the base's under an empty side."""
    found = {body.base: motion.base}
    return found | {(side, name): of for side, of_side in motion.by_side.items() for name, of in of_side.items()}


def _with_lengths_of(still: Body, body: Body) -> Body:
    """Segments whose mean lengths are those of the same walk unshifted; as they are where each frame has its own."""
    if body.settings.segment_length == "current":
        return body
    segments = dict(body.segments)
    for key, segment in body.segments.items():
        count = len(segment.length_m) // max(1, len(still.segments[key].length_m))
        segments[key] = replace(segment, length_m=np.tile(still.segments[key].length_m, count))
    return replace(body, segments=segments)


def _means(values: Array, each: int) -> Array:
    """(frames,) of every walk the mean of its own known values."""
    blocks = values.reshape(-1, each)
    known = np.isfinite(blocks)
    total = np.where(known, blocks, 0.0).sum(axis=1)
    return np.repeat(total / np.where(known.any(axis=1), known.sum(axis=1), np.nan), each)


def _numbers(computation: Computation, shift: Shift) -> dict[str, float]:
    numbers = dict(computation.result.subject.numbers)
    return numbers | {name: numbers[name] + value for name, value in shift.numbers.items()}


def in_frames(motion: SegmentMotion, rows: slice) -> SegmentMotion:
    """How a segment moves in some frames."""
    return SegmentMotion(*(getattr(motion, name)[rows] for name in _KINDS))


def _repeated_wrench(wrench: Wrench, count: int) -> Wrench:
    at = np.broadcast_to(wrench.p_g, wrench.f_g.shape)
    f_g, m_g, p_g = (np.tile(values, (count, 1)) for values in (wrench.f_g, wrench.m_g, at))
    return Wrench(f_g, m_g, p_g)


def _repeated(load: FootLoad, count: int) -> FootLoad:
    wrench, cop_g = _repeated_wrench(load.wrench, count), np.tile(load.cop_g, (count, 1))
    return FootLoad(np.tile(load.state, count), wrench, cop_g, np.tile(load.free_moment, count))
