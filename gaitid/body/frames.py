"""Markers -> points and frames, as a model defines them; NaN wherever a marker that is needed was not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from gaitid.body import joint_centres
from gaitid.body.joint_centres import chord, corner
from gaitid.body.joints import Calibration, Place, Pose
from gaitid.model import shapes, specs
from gaitid.model.expression import Expression, mean_of_known
from gaitid.numerics.rigid_fit import FEWEST, RigidFit, fit_walks, second_extent
from gaitid.numerics.rotation import (
    about_axis,
    apply,
    cross,
    dot,
    frame_from_axes,
    nearest_rotation,
    norm,
    turned,
    unit,
)
from gaitid.trial import Array, frozen

if TYPE_CHECKING:
    from gaitid.body.chain_again import Before
    from gaitid.body.multibody import FittedChain

# m. Points that lie nearer to one line than this (root mean square) do not tell how a body turns about it: a
# millimetre of noise would turn it by more than ten degrees.
COLLINEAR = 0.005
# Functions of a formula that look at more than one frame.
_OVER_THE_TRIAL = ("mean(", "steady(")


class Geometry:
    """Every point, frame and number of a model on one trial, each computed once, when first asked for.

    Parameters
    ----------
    model : Model
    markers : mapping of label to (frames, 3) array, m
        Laboratory axes; a label that is absent counts as never seen.
    numbers : mapping of str to float
        The subject, SI; sided ones as ``left.knee_width``.
    n_frames : int
    up_g : (3,) array
        The vertical, laboratory axes.
    foot_flat : bool
        Whether the static is taken foot-flat (used by `level` points only).
    calibration : Calibration or None
        What a static showed of what is carried over from it; None for a static itself, which carries nothing: there a
        carried point or frame is the point or frame itself.

    Attributes
    ----------
    fits : dict of (side, frame) to (tuple of str, RigidFit)
        Of the rigid frames that were asked for: the points that were taken, and how they fit.
    in_line : dict of (side, frame) to (tuple of str, float)
        Of those that cannot be told because their points lie in one line: the points, and how far from it they are, m.
    fitted : FittedChain or None
        The chain that the segments' poses are from (`with_poses`).
    medians : dict of (side, point, point) to float
        Of distances between two points that were asked for (`lengths.median_distance`), m.
    draws : int
        How many walks of `n_frames` / `draws` frames its rows hold, one behind the other: each has its means.
    near : Geometry or None
        The same with its markers in almost the same places: a rigid fit to markers that did not move is the one there.
    held : Geometry or None
        The same from which numbers that are means over the trial are taken.
    before : Before or None
        A chain that was fitted to the same markers in almost the same places: where the fit starts.
    """

    def __init__(
        self,
        model: specs.Model,
        markers: Mapping[str, Array],
        numbers: Mapping[str, float],
        n_frames: int,
        up_g: Array,
        foot_flat: bool = False,
        calibration: Calibration | None = None,
    ) -> None:
        self.model = model
        self.n_frames = n_frames
        self.up_g = up_g
        self.foot_flat = foot_flat
        self.calibration = calibration
        self.fits: dict[tuple[str, str], tuple[tuple[str, ...], RigidFit]] = {}
        self.in_line: dict[tuple[str, str], tuple[tuple[str, ...], float]] = {}
        self.fitted: FittedChain | None = None
        self.medians: dict[tuple[str, ...], float] = {}
        self.draws = 1
        self.near: Geometry | None = None
        self.held: Geometry | None = None
        self.before: Before | None = None
        self._markers = markers
        self._numbers = numbers
        self._sides = {side.name: side for side in model.sides}
        self._points: dict[tuple[str, str], Array] = {}
        self._frames: dict[tuple[str, str], Pose] = {}
        self._values: dict[tuple[str, str], object] = {}
        self._nowhere = np.broadcast_to(np.nan, (n_frames, 3))  # of what was never seen; known again by `is`
        self._given: tuple[Mapping[Place, Array], Mapping[Place, Pose], Mapping[Place, object]] = ({}, {}, {})

    @property
    def tracks(self) -> Mapping[str, Array]:
        """The markers that it was made from, by label."""
        return self._markers

    # --- values -----------------------------------------------------------------------------------------

    def number(self, name: str, side: str = "") -> object:
        """A number of the subject or the model: a float, or an array over the frames."""
        if (known := self._values.get((side, name))) is not None:
            return known
        prefix, dot_, bare = name.partition(".")
        if dot_:
            return self.number(bare, prefix)
        if name == "sign" and side:
            return float(self._sides[side].sign)
        for place, scope in ((side, self.model.each_side), ("", self.model.middle)):
            if (place or scope is self.model.middle) and name in scope.numbers:
                value = self.value(scope.numbers[name], place)
                self._values[side, name] = value
                return value
        full = f"{side}.{name}" if side and f"{side}.{name}" in self._numbers else name
        return self._numbers[full] if full in self._numbers else np.nan  # noqa: SIM401 - `get` asks a resolver for any name

    def with_markers(self, markers: Mapping[str, Array]) -> Geometry:
        """The same model, subject and trial with other positions of its markers, of as many frames as these have."""
        n_frames = len(next(iter(markers.values()))) if markers else self.n_frames
        return self._with(markers=markers, n_frames=n_frames)

    def _with(self, **changes: Any) -> Geometry:
        """The same of which nothing is computed yet, with other things that it is made from."""
        names = ("model", "n_frames", "up_g", "foot_flat", "calibration")
        given = {"markers": self._markers, "numbers": self._numbers, **{name: getattr(self, name) for name in names}}
        return Geometry(**(given | changes))

    def with_poses(
        self,
        frames: Mapping[Place, Pose],
        points: Mapping[Place, Array],
        fits: Mapping[Place, tuple[tuple[str, ...], RigidFit]],
        calibration: Calibration,
        fitted: FittedChain,
    ) -> Geometry:
        """The same with some frames and points as a chain puts them; everything else follows from these."""
        put = self._with(calibration=calibration)
        put.draws, put.held = self.draws, self.held
        put._given = points, frames, {}
        put._frames, put._points, put.fits, put.fitted = dict(frames), dict(points), dict(fits), fitted
        return put

    def joined(self, model: specs.Model, markers: Mapping[str, Array]) -> Geometry:
        """The same with a model that defines more, and its markers; what was computed before is not computed again."""
        more = self._with(model=model, markers={**self._markers, **markers})
        more.fitted = self.fitted
        more._points |= self._points
        more._frames |= self._frames
        more._values |= self._values
        return more

    def thinned(self, most: int) -> Geometry:
        """The same with every so many-th frame, so that about that many are left: enough for a mean over the trial."""
        step = max(1, self.n_frames // most)
        markers = {label: points[::step] for label, points in self._markers.items()}
        thin = self._with(markers=markers, n_frames=len(range(0, self.n_frames, step)))
        # what was computed before is not computed again
        thin.fitted = self.fitted
        thin._points |= {key: points[::step] for key, points in self._points.items()}
        thin._frames |= {key: Pose(pose.R_gs[::step], pose.origin_g[::step]) for key, pose in self._frames.items()}
        return thin

    def taken_as(self, foot_flat: bool) -> Geometry:
        """The same static, taken as foot-flat or not."""
        return self._with(foot_flat=foot_flat)

    def value(self, formula: Expression, side: str = "", **local: object) -> object:
        """A formula's value; `local` names win over the model's."""
        if self.held is not None and not local and any(word in formula.text for word in _OVER_THE_TRIAL):
            held = self.held.value(formula, side)
            if np.ndim(held) == 0:  # type: ignore[arg-type]
                return held

        def number(name: str) -> object:
            return local[name] if name in local else self.number(name, side)

        def distance(a: str, b: str) -> Array:
            return norm(self.point(a, side) - self.point(b, side))

        return formula.evaluate(number, distance, self.mean)

    def mean(self, values: object) -> object:
        """What is known of values over the trial, as one number; over each of several draws, (frames,)."""
        if self.draws == 1 or np.ndim(values) == 0:  # type: ignore[arg-type]
            return mean_of_known(values)
        walks = np.reshape(values, (self.draws, -1))  # type: ignore[call-overload]
        return np.repeat([mean_of_known(walk) for walk in walks], walks.shape[1])

    def of_each(self, values: Array) -> Array:
        """(frames, …) of (draws, …) values."""
        return np.repeat(values, self.n_frames // self.draws, axis=0)

    # --- points -----------------------------------------------------------------------------------------

    def point(self, ref: str | shapes.Point, side: str = "", **local: object) -> Array:
        """(frames, 3) positions, m, laboratory axes."""
        if not isinstance(ref, str):
            return self._make_point(ref, side, local)
        if (known := self._points.get((side, ref))) is not None:
            return known
        key = self.model.place("point", ref, side)
        if key not in self._points:
            place, name = key
            definition = self.model.scope(bool(place)).points.get(name)
            if isinstance(definition, shapes.CarriedPoint):
                made = self._carried_point(definition, key)
            else:
                made = self._marker(name, place) if definition is None else self._make_point(definition, place, {})
            # who keeps it needs no copy then; a marker's is another's
            self._points[key] = frozen(made) if made.flags.owndata else made
        return self._points[key]

    def _marker(self, role: str, side: str) -> Array:
        labels = self.model.labels(role, side)
        return next((self._markers[label] for label in labels if label in self._markers), self._nowhere)

    def _make_point(self, spec: shapes.Point, side: str, local: Mapping[str, object]) -> Array:
        if isinstance(spec, shapes.StoredPoint | shapes.Blend | shapes.FootOf):
            return joint_centres.point(self, spec, side)
        lacks = any(self.point(name, side) is self._nowhere for name in shapes.needed_points(spec))
        return self._nowhere if lacks else self._computed(spec, side, local)

    def _computed(self, spec: shapes.Point, side: str, local: Mapping[str, object]) -> Array:
        def number(formula: Expression, **names: object) -> Array:
            return np.asarray(self.value(formula, side, **names), dtype=float)

        def point(ref: shapes.PointRef) -> Array:
            return self.point(ref, side)

        match spec:
            case shapes.Mean():
                return np.asarray(sum(point(p) for p in spec.of) / len(spec.of))
            case shapes.FirstOf():
                return self._first_known(spec, side)
            case shapes.InFrame():
                pose = self.frame(spec.frame, side)
                parts = [np.broadcast_to(number(f, **local), (self.n_frames,)) for f in spec.offset]
                origin = pose.origin_g if spec.start is None else point(spec.start)
                return origin + apply(pose.R_gs, np.stack(parts, axis=-1))
            case shapes.Chord():
                proximal, wand, lateral = (point(p) for p in (spec.proximal, spec.wand, spec.lateral))
                return chord(proximal, wand, lateral, number(spec.radius), number(spec.dihedral))
            case shapes.TurnPoint():
                about, angle, start = point(spec.about), number(spec.angle), point(spec.point)
                if angle.ndim == 0 and angle == 0:
                    return start  # also where the axis is undefined
                return about + turned(start - about, unit(self.vector(spec.axis, side)), angle)
            case shapes.Between():
                start, end = point(spec.start), point(spec.end)
                return start + number(spec.fraction, **local)[..., None] * (end - start)
            case shapes.Along():
                length = number(spec.distance, **local)
                return point(spec.start) + length[..., None] * unit(self.vector(spec.axis, side))
            case shapes.Level():
                start, other = point(spec.point), point(spec.height_of)
                if spec.when == "foot_flat" and not self.foot_flat:
                    return start
                rise = dot(other - start, self.up_g) + number(spec.plus)
                return np.asarray(start + rise[..., None] * self.up_g)
            case shapes.CarriedPoint() | shapes.StoredPoint() | shapes.Blend() | shapes.FootOf():
                raise ValueError("a carried point needs a name of its own")  # see `gaitid.model.validate`
            case shapes.Corner():
                first, second, third = (point(p) for p in spec.tips)
                return corner(first, second, third, 1.0 if spec.times is None else number(spec.times))
            case _:
                assert_never(spec)

    def _carried_point(self, spec: shapes.CarriedPoint, place: tuple[str, str]) -> Array:
        if self.calibration is None:
            return self.point(spec.point, place[0])
        if place not in self.calibration.points:
            return self._nowhere
        pose, at = self.frame(spec.by, place[0]), self.calibration.points[place]
        return np.asarray(pose.origin_g + (pose.R_gs @ at if at.ndim == 1 else apply(pose.R_gs, self.of_each(at))))

    def _first_known(self, spec: shapes.FirstOf, side: str) -> Array:
        """The first of the points that is known in any frame."""
        points = (self.point(option, side) for option in spec.options)
        seen = (point for point in points if point is not self._nowhere)
        return next((point for point in seen if np.isfinite(point).any()), self._nowhere)

    def vector(self, spec: shapes.Vector, side: str = "") -> Array:
        """(frames, 3) vectors in laboratory axes; lengths as the points give them."""
        match spec:
            case shapes.FromTo():
                result = self.point(spec.end, side) - self.point(spec.start, side)
            case shapes.FrameAxis():
                result = np.asarray(self.frame(spec.frame, side).R_gs[..., "xyz".index(spec.axis)])
            case shapes.LaboratoryAxis():
                result = np.broadcast_to(np.eye(3)["xyz".index(spec.axis)], (self.n_frames, 3))
            case shapes.CrossOf():
                return cross(self.vector(spec.first, side), self.vector(spec.second, side))
            case _:
                assert_never(spec)
        if spec.times is not None:
            result = np.asarray(result * np.asarray(self.value(spec.times, side), dtype=float)[..., None])
        return np.asarray(result)

    # --- frames -----------------------------------------------------------------------------------------

    def frame(self, name: str, side: str = "") -> Pose:
        """A frame of the model over the trial."""
        if (known := self._frames.get((side, name))) is not None:
            return known
        key = self.model.place("frame", name, side)
        if key not in self._frames:
            place, bare = key
            definition = self.model.scope(bool(place)).frames[bare]
            if isinstance(definition, shapes.RigidFrame):
                self._frames[key] = self._rigid(definition, key)
            elif isinstance(definition, shapes.CarriedFrame):
                self._frames[key] = self._carried_frame(definition, key)
            else:
                self._frames[key] = self._make_frame(definition, place)
        return self._frames[key]

    def axes(self, segment: Place) -> Array:
        """(frames, 3, 3) axes of a segment, by its side (empty for the base) and its name."""
        side, name = segment
        chain, base = self.model.chain, self.model.base
        return self.frame(next(s.frame for s in chain if s.segment == name) if side else base.frame, side).R_gs

    def _unknown_pose(self) -> Pose:
        return Pose(np.full((self.n_frames, 3, 3), np.nan), np.full((self.n_frames, 3), np.nan))

    def _carried_frame(self, spec: shapes.CarriedFrame, place: tuple[str, str]) -> Pose:
        if self.calibration is None:
            return self.frame(spec.frame, place[0])
        if place not in self.calibration.frames:
            return self._unknown_pose()
        carrier, local = self.frame(spec.by, place[0]), self.calibration.frames[place]
        if len(local.R_gs) > 1:
            at = apply(carrier.R_gs, self.of_each(local.origin_g))
            return Pose(carrier.R_gs @ self.of_each(local.R_gs), carrier.origin_g + at)
        return Pose(carrier.R_gs @ local.R_gs[0], carrier.origin_g + carrier.R_gs @ local.origin_g[0])

    def _rigid(self, spec: shapes.RigidFrame, place: tuple[str, str]) -> Pose:
        if self.calibration is None:
            return self.frame(spec.reference, place[0])
        template = self.calibration.templates.get(place, {})
        tracks: dict[str, Array] = {}
        for point in (*spec.points, *spec.reserve):
            if point in spec.reserve and second_extent(_stacked(template, tracks)) >= COLLINEAR:
                break
            if point in template and np.isfinite(track := self.point(point, place[0])).any():
                tracks[point] = track
        if (extent := second_extent(_stacked(template, tracks))) < COLLINEAR:
            if len(tracks) >= FEWEST:
                self.in_line[place] = tuple(tracks), extent
            return self._unknown_pose()
        bodies = [_stacked(template, tracks, draw) for draw in range(self.draws)]
        points = np.stack(list(tracks.values()), axis=1)
        fit = fit_walks(bodies, points, COLLINEAR, self._unmoved(place, tuple(tracks)))
        self.fits[place] = tuple(tracks), fit
        return Pose(fit.R, fit.t)

    def _unmoved(self, place: Place, names: tuple[str, ...]) -> tuple[Array, Array, RigidFit] | None:
        """A rigid frame's template, points and fit in one walk that nothing moved, by these points."""
        if (near := self.near) is None or near.calibration is None:
            return None
        near.frame(place[1], place[0])
        if near.fits.get(place, ((),))[0] != names:
            return None
        one = slice(0, self.n_frames // self.draws)
        points = np.stack([near.point(name, place[0])[one] for name in names], axis=1)
        fit = RigidFit(*(of[one] for of in near.fits[place][1]))
        return _stacked(near.calibration.templates[place], dict.fromkeys(names, points)), points, fit

    def _make_frame(self, spec: shapes.Frame, side: str) -> Pose:
        match spec:
            case shapes.TurnedFrame():
                place = self.model.place("frame", spec.frame, side)
                intermediate = place not in self._frames and self.model.is_intermediate(*place)
                base = self.frame(spec.frame, side)
                R = base.R_gs
                for axis, formula in spec.by:
                    R = R @ about_axis(axis, np.asarray(self.value(formula, side), dtype=float))
                if intermediate:  # made again if anybody asks for it
                    del self._frames[place]
                return Pose(frozen(R), base.origin_g)
            case shapes.AxesFrame():
                keep, toward = self.vector(spec.keep_vector, side), self.vector(spec.toward_vector, side)
                R = frame_from_axes(spec.keep, keep, spec.toward, toward)
                return Pose(frozen(R), self.point(spec.origin, side))
            case shapes.StoredFrame():
                origin = self.point(spec.origin, side)
                tips = np.stack([self.point(tip, side) for tip in (spec.x, spec.y, spec.z)], axis=-1)
                return Pose(nearest_rotation(tips - origin[..., None]), origin)
            case shapes.CarriedFrame() | shapes.RigidFrame():
                raise ValueError("a carried frame is made by its name")  # see `frame`
            case _:
                assert_never(spec)


def _stacked(template: Mapping[str, Array], points: Mapping[str, Array], draw: int = 0) -> Array:
    """(n, 3) places of some points of a template, that of a draw where it has one for each."""
    return np.array([at if at.ndim == 1 else at[draw] for at in map(template.__getitem__, points)]).reshape(-1, 3)


def with_given(
    geometry: Geometry,
    model: specs.Model,
    points: Mapping[Place, Array],
    frames: Mapping[Place, Pose],
    numbers: Mapping[Place, object],
) -> Geometry:
    """The same trial and subject by a model's definitions, but for what is given, here or before.

    Parameters
    ----------
    geometry : Geometry
    model : Model
        Whose definitions hold for all that is not given.
    points : mapping of Place to (frames, 3) array, m
        Laboratory axes.
    frames : mapping of Place to Pose
    numbers : mapping of Place to float or (frames,) array
    """
    other = geometry._with(model=model)
    before = geometry._given
    other._given = {**before[0], **points}, {**before[1], **frames}, {**before[2], **numbers}
    other._points |= other._given[0]
    other._frames |= other._given[1]
    other._values |= other._given[2]
    other.fits, other.fitted, other.draws = geometry.fits, geometry.fitted, geometry.draws
    other.near, other.before = geometry.near, geometry.before
    return other
