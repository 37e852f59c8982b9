"""One limb: bodies and their motion -> joint wrenches, and these in the axes and words that people use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from gaitid.analysis.distal_foot import DISTAL_FOOT, distal_foot_power
from gaitid.analysis.result import BodyParameters, LimbMotion, SideResult
from gaitid.body.frames import Geometry
from gaitid.body.kinematics import JointFrames, SegmentMotion, clinical_angles, clinical_moments, dual_basis, joint_axes
from gaitid.body.mass_properties import inertia_of
from gaitid.body.poses import Body, Key, Motion
from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.errors import TrialError
from gaitid.ground.contacts import AIR, UNKNOWN, FootLoad
from gaitid.model import specs
from gaitid.model.shapes import PointName
from gaitid.notes import Notes, note
from gaitid.numerics.masks import known_rows, mean_of_known, rows
from gaitid.numerics.rotation import apply_transposed, dot
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask, frozen, read_only

#: Why frames are empty that `gaitid.analysis.impossible` or `gaitid.body.discontinuities` emptied.
IMPOSSIBLE = "no body does what was there"


@frozen_dataclass(eq=False)
class Mechanics:
    """What the equations of motion need besides motions and loads.

    Attributes
    ----------
    mass_kg : float
        Of the body; NaN where nobody knows it. Or (frames,) array: of each of several draws.
    gravity_g : (3,) array, m/s²
    solver : str
        One of `SOLVERS`.
    applied : mapping of (side, segment) to Wrench
        Measured loads but the ground's, laboratory axes; the side of the base is empty.
    times : mapping of segment to (Array, Array)
        Factors, () or (frames,), of a segment's mass and of its inertia, where these are others.
    floor_g : (3,) array, m/s
        Velocity of the ground.
    """

    mass_kg: float
    gravity_g: Array
    solver: str
    applied: Mapping[Key, Wrench] = field(default_factory=dict)
    times: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    floor_g: Array = field(default_factory=lambda: np.zeros(3))


def solve_limbs(
    body: Body,
    loads: Mapping[str, FootLoad],
    mechanics: Mechanics,
    emptied: Mapping[str, Mask] = MappingProxyType({}),
    motion: Motion | None = None,
) -> dict[str, SideResult]:
    """Wrenches, angles, moments and powers of limbs, by side.

    Parameters
    ----------
    body : Body
    loads : mapping of side to FootLoad
        Of the ground on the segment that touches it; of the sides that are to be solved.
    mechanics : Mechanics
    emptied : mapping of side to (frames,) bool array
        Frames that were emptied as no body does what was there.
    motion : Motion, optional
        Of the body in all frames, where it is another than its poses have; that is made some frames at a time.
    """
    sides = [side for side in body.model.sides if side.name in loads]
    limbs = [_Limb(side, body, loads[side.name], mechanics) for side in sides]
    solved = _solved(limbs, body.motions() if motion is None else [(slice(0, body.geometry.n_frames), motion)])
    return {
        limb.side.name: _side_result(limb, of, partial(_moving, limb, motion), emptied.get(limb.side.name))
        for limb, of in zip(limbs, solved, strict=True)
    }


class Part(NamedTuple):
    """A segment with what acts on it but its joints; its motion comes later.

    Attributes
    ----------
    mass : float, kg
    inertia_s : (3, 3) or (frames, 3, 3) array, kg·m²
    joint_g : (frames, 3) array, m
    external, applied : Wrench or None
    length_m : float
        Mean over the trial.
    source : str
    """

    mass: float
    inertia_s: Array
    joint_g: Array
    external: Wrench | None
    applied: Wrench | None
    length_m: float
    source: str

    def link(self, motion: SegmentMotion, frames: slice | IntArray) -> Link:
        """The segment in some frames, with its motion in them."""
        inertia = self.inertia_s if self.inertia_s.ndim == 2 else rows(self.inertia_s, frames)
        joint_g, loads = rows(self.joint_g, frames), (self.external, self.applied)
        if joint_g is not self.joint_g:
            loads = tuple(load and load.during(frames) for load in loads)  # type: ignore[assignment]
        pose = motion.R_gs, motion.com_g, motion.acc_g, motion.omega_g, motion.alpha_g
        return Link(self.mass, inertia, *pose, joint_g, *loads)

    def parameters(self, body: Body, key: Key) -> BodyParameters:
        """What is said of it."""
        inertia = self.inertia_s
        if inertia.ndim == 3:
            seen = known_rows(inertia)
            inertia = inertia[seen].mean(axis=0) if seen.any() else np.full((3, 3), np.nan)
        centre = mean_of_known(apply_transposed(body.axes(key), body.segments[key].com_g - self.joint_g))
        return BodyParameters(self.mass, centre, inertia, self.length_m, self.source)


def make_part(spec: specs.Segment, side: str, body: Body, mechanics: Mechanics, load: FootLoad | None = None) -> Part:
    """A segment with what acts on it but its joints; `side` is empty for the base."""
    length = body.segments[side, spec.segment].length_m
    row = body.model.table.row(spec.row, side)
    mass = row.mass_kg if row.mass_fraction is None else row.mass_fraction * mechanics.mass_kg
    assert mass is not None  # one of both, see `gaitid.model.load`
    mean_length = np.asarray(body.geometry.mean(length))
    lengths = length if body.settings.segment_length == "current" else mean_length
    inertia = inertia_of(body.model.table, spec, side, mass, lengths)
    if (times := mechanics.times.get(spec.segment)) is not None:
        mass, inertia = mass * times[0], times[1][..., None, None] * inertia  # type: ignore[assignment]
    joint_g = read_only(body.geometry.point(spec.centre, side))
    wrench = load.wrench if load is not None and spec.ground else None
    applied, mean_m = mechanics.applied.get((side, spec.segment)), float(mean_length.mean())
    return Part(mass, read_only(inertia), joint_g, wrench, applied, mean_m, row.source)


class _Limb:
    """The segments of one side, with everything that acts on them but their joints."""

    def __init__(self, side: specs.Side, body: Body, load: FootLoad, mechanics: Mechanics) -> None:
        self.side, self.body, self.load, self.mechanics = side, body, load, mechanics
        self.parts = [make_part(spec, side.name, body, mechanics, load) for spec in body.model.chain]
        self.joints_g = {spec.joint: part.joint_g for spec, part in zip(body.model.chain, self.parts, strict=True)}

    def moving(self, motion: Motion, frames: slice | IntArray | None) -> LimbMotion:
        """How it moves in some frames or in all, with the body's motion in them."""
        segments = motion.by_side[self.side.name]
        frames = slice(0, self.body.geometry.n_frames) if frames is None else frames
        links = [part.link(of, frames) for part, of in zip(self.parts, segments.values(), strict=True)]
        return LimbMotion(motion.base, segments, Chain(links, self.body.model.proximal))


def _moving(limb: _Limb, motion: Motion | None, frames: IntArray | None) -> LimbMotion:
    """How a limb moves in some frames or in all, by the body's motion or by another."""
    if frames is None:
        return limb.moving(motion or limb.body.motion(), frames)
    return limb.moving(motion.at(frames) if motion else limb.body.motion_at(frames), frames)


class _Solved(NamedTuple):
    """By joint."""

    wrenches: Mapping[str, Wrench]
    powers: Mapping[str, Array]


def _solved(limbs: Sequence[_Limb], motions: Iterable[tuple[slice, Motion]]) -> list[_Solved]:
    """Wrenches and powers of each limb, some frames of all of them at a time."""
    columns: list[dict[str, tuple[Array, Array, Array]]] = [{} for _ in limbs]  # by joint force, moment and power
    for frames, motion in motions:
        for limb, of_limb in zip(limbs, columns, strict=True):
            for joint, some in _during(limb, motion, frames).items():
                n_frames = limb.body.geometry.n_frames
                if len(some[0]) == n_frames:
                    of_limb[joint] = some
                    continue
                if joint not in of_limb:
                    of_limb[joint] = tuple(np.empty((n_frames, *of.shape[1:])) for of in some)  # type: ignore[assignment]
                for values, of in zip(of_limb[joint], some, strict=True):
                    values[frames] = of
    return [
        _Solved(
            {
                joint: Wrench(frozen(f), frozen(m), limb.joints_g[joint])
                for joint, (f, m, _) in of_limb.items()
                if joint in limb.joints_g
            },
            {joint: frozen(power) for joint, (_, _, power) in of_limb.items()},
        )
        for limb, of_limb in zip(limbs, columns, strict=True)
    ]


def _during(limb: _Limb, motion: Motion, frames: slice) -> dict[str, tuple[Array, Array, Array]]:
    """By joint its force, moment and power in some frames, with the motion in them."""
    model, mechanics, moving = limb.body.model, limb.mechanics, limb.moving(motion, frames)
    found: dict[str, tuple[Array, Array, Array]] = {}
    assert moving.chain is not None
    wrenches = _wrenches(moving.chain, model, mechanics)
    for spec, k in zip(model.chain, model.proximal, strict=True):
        above = moving.base if k is None else moving.segments[model.chain[k].segment]
        below = moving.segments[spec.segment]
        wrench = wrenches[spec.joint]
        power = dot(wrench.m_g, below.omega_g - above.omega_g) / mechanics.mass_kg
        if model.assumes_axes(spec.joint):
            power = np.full_like(power, np.nan)
        found[spec.joint] = wrench.f_g, wrench.m_g, power
    segments = [moving.segments[spec.segment] for spec in model.chain]
    distal = distal_foot_power(model, moving.chain.links, segments, mechanics.floor_g)
    for name, power in distal.items():
        found[name] = np.zeros((len(power), 3)), np.zeros((len(power), 3)), power / mechanics.mass_kg
    return found


def _side_result(
    limb: _Limb, solved: _Solved, moving: Callable[[IntArray | None], LimbMotion], emptied: Mask | None = None
) -> SideResult:
    body, side, joints = limb.body, limb.side, limb.joints_g
    model, geometry, wrenches = body.model, body.geometry, solved.wrenches
    axes: dict[str, Mapping[str, Array]] = {}
    for spec, k in zip(model.chain, model.proximal, strict=True):
        above = body.axes(body.base if k is None else (side.name, model.chain[k].segment))
        angle = model.angles[spec.joint]
        told_in = geometry.frame(angle.proximal, side.name).R_gs, geometry.frame(angle.distal, side.name).R_gs
        axes[spec.joint] = JointFrames(above, body.axes((side.name, spec.segment)), told_in, angle.sequence)
        if model.assumes_axes(spec.joint):
            axes[spec.joint] = dict.fromkeys(axes[spec.joint], np.full_like(above, np.nan))
    angles, moments = _angles(side, body), _moments(side, body, wrenches, limb.mechanics.mass_kg)
    weighed = all(np.isfinite(part.mass).all() for part in limb.parts)
    coverage = {
        joint: _coverage(wrench, unknown, joints[joint], weighed, emptied)
        for (joint, wrench), unknown in zip(wrenches.items(), _unknown_loads(limb.parts, model.proximal), strict=True)
    }
    if model.no_wrenches_because:
        coverage = {joint: {"filled": 0, model.no_wrenches_because: len(joints[joint])} for joint in wrenches}
    bodies = {
        spec.segment: part.parameters(body, (side.name, spec.segment))
        for spec, part in zip(model.chain, limb.parts, strict=True)
    }
    return SideResult(
        load=limb.load,
        acting=limb.load,
        moving=moving,
        joints_g=joints,
        wrenches=wrenches,
        axes=axes,
        angles=angles,
        moments=moments,
        powers=solved.powers,
        bodies=bodies,
        coverage=coverage,
        emptied=emptied,
    )


def _wrenches(chain: Chain, model: specs.Model, mechanics: Mechanics) -> dict[str, Wrench]:
    """By joint."""
    solved = SOLVERS[mechanics.solver](chain, mechanics.gravity_g)
    if model.no_wrenches_because:  # its points are no joint centres
        solved = [Wrench(np.full_like(w.f_g, np.nan), np.full_like(w.m_g, np.nan), w.p_g) for w in solved]
    return dict(zip((spec.joint for spec in model.chain), solved, strict=True))


def _angles(side: specs.Side, body: Body) -> dict[str, Mapping[str, Array]]:
    """Columns by joint."""
    found = {}
    for name, angle in body.model.angles.items():
        proximal, distal = (_angle_frame(body, frame, side.name) for frame in (angle.proximal, angle.distal))
        columns = clinical_angles(proximal, distal, angle, side.sign, body.passes)
        found[name] = _determined(columns, angle.needs, body.geometry, side.name)
    for name, length in body.model.lengths.items():
        found[name] = {
            unit: np.broadcast_to(np.asarray(body.geometry.value(formula, side.name), float), body.geometry.n_frames)
            for unit, formula in length.items()
        }
    return found


def _moments(
    side: specs.Side, body: Body, wrenches: Mapping[str, Wrench], mass_kg: float
) -> dict[str, Mapping[str, Array]]:
    """Columns by joint."""
    found = {}
    for name, moment in body.model.moments.items():
        axes = moment_axes(body, name, side.name)
        columns = clinical_moments(wrenches[name].m_g / np.asarray(mass_kg)[..., None], axes, moment, side.sign)
        found[name] = _determined(columns, moment.needs, body.geometry, side.name)
    return found


def with_wrenches(
    of: SideResult,
    body: Body,
    side: str,
    wrenches: Mapping[str, Wrench],
    powers: Mapping[str, Array],
    mechanics: Mechanics,
) -> SideResult:
    """A side with other wrenches and powers of its joints, and with the moments that are columns of these."""
    spec = next(one for one in body.model.sides if one.name == side)
    moments = _moments(spec, body, wrenches, mechanics.mass_kg)
    return replace(of, wrenches=wrenches, powers=powers, moments=moments)


def moment_axes(body: Body, joint: str, side: str) -> Array:
    """(frames, 3, 3) axes in which the model tells a joint's moments: a frame's, or those of the joint's angles."""
    axes = body.model.moments[joint].axes
    if axes != "jcs":
        return body.geometry.frame(axes, side).R_gs
    angle = body.model.angles[joint]
    own = joint_axes(_angle_frame(body, angle.proximal, side), _angle_frame(body, angle.distal, side), angle.sequence)
    return dual_basis(own) if body.settings.jcs_components == "dual_basis" else own


def _angle_frame(body: Body, name: str, side: str) -> Array:
    return body.R_gp if name == "progression" else body.geometry.frame(name, side).R_gs


def _determined(
    columns: Mapping[str, Array], needs: Mapping[str, tuple[PointName, ...]], geometry: Geometry, side: str
) -> Mapping[str, Array]:
    """The columns; empty those that need a point that was never seen."""
    return {
        name: values
        if all(np.isfinite(geometry.point(point, side)).any() for point in needs.get(name, ()))
        else np.full_like(values, np.nan)
        for name, values in columns.items()
    }


def _unknown_loads(parts: Sequence[Part | Link], proximal: Sequence[int | None]) -> list[Mask]:
    """For each joint the frames, (frames,), in which a load beyond it is not known."""
    unknown: list[Mask] = []
    for i, part in enumerate(parts):
        beyond = np.zeros(len(part.joint_g), dtype=bool)
        for load in (part.external, part.applied):
            if load is not None:
                beyond |= ~known_rows(load.f_g)
        for k, above in enumerate(proximal[:i]):
            if above == i:
                beyond |= unknown[k]
        unknown.append(beyond)
    return unknown


def _coverage(
    wrench: Wrench, unknown_load: Mask, joint_g: Array, weighed: bool, emptied: Mask | None
) -> dict[str, int]:
    """How many frames of a joint are filled, and why the others are empty; `weighed` where the masses are known."""
    filled = known_rows(wrench.m_g)
    unseen = ~known_rows(joint_g)
    rest = ~filled
    counts = {"filled": int(np.count_nonzero(filled))}
    first = () if emptied is None else ((IMPOSSIBLE, emptied),)
    for words, mask in (*first, ("marker missing", unseen), ("load unknown", unknown_load)):
        counts[words] = int(np.count_nonzero(rest & mask))
        rest &= ~mask
    why = "end of a gap-free span, or marker missing farther up or down the leg" if weighed else "body mass unknown"
    counts[why] = int(np.count_nonzero(rest))
    return counts


def ground_loads(
    model: specs.Model, legs: Sequence[str], acting: Mapping[str, FootLoad], n_frames: int
) -> Mapping[str, FootLoad]:
    """By recorded side what the ground exerts on its limb: none, for certain, where it does not act on it."""
    zero = np.zeros((n_frames, 3))
    none = FootLoad(np.full(n_frames, AIR), Wrench(zero, zero, np.zeros(3)), np.full((n_frames, 3), np.nan), zero[:, 0])
    touching = acting if model.touches_ground else {}
    return {side.name: touching.get(side.name, none) for side in model.sides if side.name in legs}


def absent_limb(model: specs.Model, n_frames: int) -> SideResult:
    """A side without markers: every column is there, every cell empty."""
    v, R = np.full((n_frames, 3), np.nan), np.full((n_frames, 3, 3), np.nan)
    motion = SegmentMotion(R, v, v, v, v, v)
    joints = {body.joint: v for body in model.chain}
    load = FootLoad(np.full(n_frames, UNKNOWN), Wrench(v, v, np.zeros(3)), v, v[:, 0])
    return SideResult(
        load=load,
        acting=load,
        moving=lambda _: LimbMotion(motion, {body.segment: motion for body in model.chain}, None),
        joints_g=joints,
        wrenches={joint: Wrench(v, v, v) for joint in joints},
        axes={joint: {"proximal": R, "distal": R, "jcs": R} for joint in joints},
        angles={
            name: dict.fromkeys(columns, v[:, 0])
            for name, columns in {**{n: a.columns for n, a in model.angles.items()}, **model.lengths}.items()
        },
        moments={n: dict.fromkeys(m.columns, v[:, 0]) for n, m in model.moments.items()},
        powers=dict.fromkeys([*joints, *[DISTAL_FOOT] * model.distal_foot_power], v[:, 0]),
        bodies={},
        coverage={joint: {"filled": 0, "no markers of this side": n_frames} for joint in joints},
    )


def wrench_notes(model: specs.Model, sides: Mapping[str, SideResult], require_forces: bool) -> Notes:
    """That no wrench is known in any frame."""
    if any(counts["filled"] for side in sides.values() for counts in side.coverage.values()):
        return ()
    none = note("no_known_wrench", why=model.no_wrenches_because)
    if require_forces:
        raise TrialError(none.text, todo="leave out --require-forces")
    return (none,)
