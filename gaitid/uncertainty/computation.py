"""The computation of one result, done again with shifted ingredients: poses, derivatives, dynamics, columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.limb import Mechanics, solve_limbs
from gaitid.analysis.result import Result
from gaitid.body.calibration import calibrate
from gaitid.body.frames import Calibration, Geometry, Place, Pose
from gaitid.body.poses import Body, Motion, pose_segments
from gaitid.dynamics.wrench import Wrench
from gaitid.gait.curves import CycleCurves
from gaitid.gait.impact import matched_load
from gaitid.ground.contacts import FootLoad
from gaitid.model import shapes, specs
from gaitid.model.expression import Expression
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.rotation import about_axis, apply, cross
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask
from gaitid.uncertainty.chains import before_of
from gaitid.uncertainty.shift import Shift
from gaitid.write import DEFAULT_FRAMES
from gaitid.write.tables import joints_columns, wrenches_columns

if TYPE_CHECKING:
    from gaitid.body.chain_again import Before
    from gaitid.body.multibody import ChainFit

_OVER_THE_TRIAL = ("mean(", "steady(")
_COUNTERS = 2  # ``frame`` and ``time_s`` stand before the others


class ShiftedGeometry(Geometry):
    """Points and frames with some joint centres moved, in the axes of the base."""

    moved: Mapping[Place, Array] = {}
    """By joint centre, (3,) or (frames, 3)."""
    still: Geometry | None = None
    """The same of markers that nothing shifts: a segment none of whose markers is shifted lies where it lies there."""
    means_of: Geometry | None = None
    """Of markers that nothing shifts: numbers that are means over the trial stay what they are there."""

    def value(self, formula: Expression, side: str = "", **local: object) -> object:
        if self.means_of is not None and not local and any(word in formula.text for word in _OVER_THE_TRIAL):
            held = self.means_of.value(formula, side)
            if np.ndim(np.asarray(held)) == 0:
                return held
        return super().value(formula, side, **local)

    def _rigid(self, spec: shapes.RigidFrame, place: Place) -> Pose:
        still = self.still
        if still is None or not _same_template(self.calibration, still.calibration, place):
            return super()._rigid(spec, place)
        pose = still.frame(place[1], place[0])
        points, _ = still.fits.get(place, ((), None))
        if not points or not all(self.point(name, place[0]) is still.point(name, place[0]) for name in points):
            return super()._rigid(spec, place)
        self.fits[place] = still.fits[place]
        return pose

    def point(self, ref: str | shapes.Point, side: str = "", **local: object) -> Array:
        found = super().point(ref, side, **local)
        if isinstance(ref, str) and self.moved:
            offset = self.moved.get(self.model.place("point", ref, side))
            if offset is not None:
                return found + apply(self.frame(self.model.base.frame).R_gs, offset)
        return found


@frozen_dataclass(eq=False)
class Computation:
    """How the numbers of a result come from its ingredients, with every decision that was taken.

    Attributes
    ----------
    result : Result
    static : Geometry or None
        Of the static that the model was calibrated in; None where it carries nothing over, or where that came from a
        subject file.
    express_in : sequence of str
        Frames of expression of the wrenches.
    first : int
        Of the frames of `result`, in those from which the events of its cycles are timed (`gaitid.uncertainty.parts`).
    """

    result: Result
    static: Geometry | None = None
    express_in: Sequence[str] = DEFAULT_FRAMES
    first: int = 0

    @property
    def sides(self) -> tuple[str, ...]:
        """Those that were recorded."""
        return self.result.body.sides

    @property
    def count(self) -> int:
        """How often it was done again."""
        return int(self.__dict__.get("_count", 0))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the columns: those of ``wrenches.csv`` and ``joints.csv`` without ``frame`` and ``time_s``, and behind
        them for each side ``ground_reaction_{x,y,z}_N_per_kg``, laboratory axes, which features need.
        """
        tables = wrenches_columns(self.result, self.express_in), joints_columns(self.result)
        names = [name for table in tables for name in table.names[_COUNTERS:]]
        names += [f"{side}_ground_reaction_{axis}_N_per_kg" for side in self.result.sides for axis in "xyz"]
        return tuple(names)

    @property
    def written(self) -> int:
        """How many of the columns stand in files: the first."""
        return len(self.names) - 3 * len(self.result.sides)

    @cached_property
    def curves(self) -> CycleCurves:
        """Of the cycles whose features are asked for."""
        return curves_of(self.result)

    @cached_property
    def values(self) -> Array:
        """(frames, columns) of the result itself."""
        return self.columns_of(self.result, self.result.subject.mass_kg)

    @cached_property
    def unshifted(self) -> Array:
        """(frames, columns) as `columns` gives them for no shift: `values`, and more where these are unknown."""
        return self.columns(Shift())

    def columns(self, shift: Shift, drawn: bool = False) -> Array:
        """(frames, columns) with ingredients shifted, `drawn` ones by millimetres; also through bridged gaps."""
        self.counted(1)
        mass_kg = self.result.subject.mass_kg + shift.numbers.get("mass", 0.0)
        return self.columns_of(self.shifted(shift, drawn), mass_kg)

    def counted(self, more: int) -> None:
        """So many computations were done."""
        self.__dict__["_count"] = self.count + more

    def columns_of(self, result: Result, mass_kg: float) -> Array:
        """(frames, columns) of a result of a body of that mass."""
        tables = wrenches_columns(result, self.express_in), joints_columns(result)
        per_kg = [side.load.wrench.f_g / mass_kg for side in result.sides.values()]
        return np.concatenate([*(table.values[:, _COUNTERS:] for table in tables), *per_kg], axis=1)

    def shifted(self, shift: Shift, drawn: bool = False) -> Result:
        """The result with shifted ingredients: poses, motions, loads and limbs; all else is that of the result."""
        result = self.result
        if shift.leaves_the_motion and not (shift.mass or shift.inertia):
            return self.under_load(shift, *self.still)
        model = self.model_of(shift)
        numbers = result.subject.numbers
        numbers |= {name: numbers[name] + value for name, value in shift.numbers.items()}
        tracks = self.markers_of(shift)
        geometry = ShiftedGeometry(
            model,
            tracks,
            numbers,
            result.trial.n_frames,
            result.body.geometry.up_g,
            calibration=self._calibration(shift, numbers),
        )
        geometry.moved = {place: offset for place, offset in shift.centres.items() if not self.in_static(place)}
        geometry.before, geometry.again = self.fitted, self.again(drawn)
        if model.pose is None:
            geometry.still = self.still[0].geometry
        markers = replace(result.markers, filtered=tracks, support=tracks)
        body = with_centres_of_mass(pose_segments(geometry, markers, self.sides), shift)
        return self.under_load(shift, body, body.motion(), numbers.get("mass", np.nan))

    @cached_property
    def still(self) -> tuple[Body, Motion, float]:
        """Poses and motions that nothing shifts, also through gaps, and the body's mass."""
        result = self.result
        tracks = self.markers_of(Shift())
        of_result = result.body.geometry
        geometry = ShiftedGeometry(
            result.model,
            tracks,
            result.subject.numbers,
            result.trial.n_frames,
            of_result.up_g,
            calibration=of_result.calibration,
        )
        body = pose_segments(geometry, replace(result.markers, filtered=tracks, support=tracks), self.sides)
        return body, body.motion(), result.subject.numbers.get("mass", np.nan)

    def under_load(self, shift: Shift, body: Body, motion: Motion, mass_kg: float) -> Result:
        """The result with its limbs solved under shifted loads."""
        result = self.result
        mechanics = Mechanics(mass_kg, result.gravity_g, "block", self.applied)
        sides = {
            name: replace(leg, trunk_angles=self.unknown_angles(name, len(leg.load.state)))
            for name, leg in result.sides.items()
        }
        for side in result.model.sides:
            if side.name in self.sides:
                load = shifted_load(result.sides[side.name].load, shift.load, body.geometry.up_g, result.trial.rate_hz)
                acting = load if result.carried_by_file(side.name) else self.acting(load)
                limb = solve_limbs(body, {side.name: acting}, mechanics, motion=motion)[side.name]
                sides[side.name] = replace(limb, load=load, trunk_angles=sides[side.name].trunk_angles)
        return replace(result, body=body, sides=sides)

    @property
    def fitted(self) -> ChainFit | None:
        """A chain of joints as markers that nothing shifts have it, also through gaps; None of a model without one."""
        chain = None if self.result.model.pose is None else self.still[0].geometry.fitted
        return None if chain is None else chain.fit

    def again(self, drawn: bool) -> Before | None:
        """What the fits of the chain to shifted markers go on with, by millimetres where they are `drawn`."""
        before = self._before
        return before if before is None or drawn else before._replace(small=True)

    @cached_property
    def _before(self) -> Before | None:
        return None if self.result.model.pose is None else before_of(self.still[0].geometry)

    def unknown_angles(self, side: str, n_frames: int) -> Mapping[str, Mapping[str, Array]]:
        """Angles of the trunk, whose markers are none of the model of the legs: nothing is known of their errors."""
        nothing = np.full(n_frames, np.nan)
        return {name: dict.fromkeys(of, nothing) for name, of in self.result.sides[side].trunk_angles.items()}

    @cached_property
    def applied(self) -> Mapping[Place, Wrench]:
        """Measured loads but the ground's."""
        if not self.result.applied_loads:
            return {}
        from gaitid.analysis.applied_loads import summed  # of few trials

        return summed(self.result.applied_loads)

    def acting(self, load: FootLoad) -> FootLoad:
        """What joints are computed with: the load itself, or one that is as slow as the markers."""
        if self.result.settings.joint_loads != "matched":
            return load
        return matched_load(load, self.result.markers.quality["marker_bandwidth_hz"], self.result.trial.rate_hz)

    def markers_of(self, shift: Shift) -> dict[str, Array]:
        """Shifted markers, also through gaps, by label."""
        markers = self.result.markers
        tracks = dict(markers.support)
        cutoff = self.result.settings.cutoff_hz
        if shift.cutoff and isinstance(cutoff, float):
            rate_hz = self.result.trial.rate_hz
            other = min(cutoff * float(np.exp(shift.cutoff["log"])), 0.49 * rate_hz)
            seen, filtered = self._seen_and_filtered
            change = lowpass(seen, other, rate_hz) - filtered
            for i, label in enumerate(markers.seen):
                tracks[label] = tracks[label] + np.where(np.isfinite(change[:, i]), change[:, i], 0.0)
        for label, displacement in shift.markers.items():
            tracks[label] = tracks[label] + displacement
        return tracks

    @cached_property
    def _seen_and_filtered(self) -> tuple[Array, Array]:
        """(frames, markers, 3) before and behind the run's own filter."""
        seen = np.stack(list(self.result.markers.seen.values()), axis=1)
        cutoff_hz = self.result.settings.cutoff_hz
        assert isinstance(cutoff_hz, float)  # else no such error
        return seen, lowpass(seen, cutoff_hz, self.result.trial.rate_hz)

    def _calibration(self, shift: Shift, numbers: Mapping[str, float]) -> Calibration | None:
        calibration = self.result.body.geometry.calibration
        if self.static is None or not (shift.static or shift.numbers or shift.centres):
            return calibration
        static = self.static
        markers = dict(static.tracks)
        for label, displacement in shift.static.items():
            markers[label] = markers[label] + displacement
        geometry = ShiftedGeometry(
            static.model, markers, numbers, static.n_frames, static.up_g, static.foot_flat, calibration=None
        )
        moved = {self.in_static(place): offset for place, offset in shift.centres.items()}
        geometry.moved = {place: offset for place, offset in moved.items() if place is not None}
        return calibrate(geometry, self.sides, "static trial")

    def in_static(self, centre: Place) -> Place | None:
        """The point of the static that a joint centre is carried over from; None for one that the walk itself gives."""
        side, name = centre
        definition = self.result.model.scope(bool(side)).points.get(name)
        if self.static is not None and self.result.model.pose is not None:
            return self.static.model.place("point", name, side)
        if self.static is None or not isinstance(definition, shapes.CarriedPoint):
            return None
        return self.static.model.place("point", definition.point, side)

    def model_of(self, shift: Shift) -> specs.Model:
        """The model with shifted masses and moments of inertia."""
        model = self.result.model
        if not (shift.mass or shift.inertia):
            return model
        rows = dict(model.table.rows)
        for spec in model.chain:
            mass, inertia = (1 + of.get(spec.segment, 0.0) for of in (shift.mass, shift.inertia))
            for name in (spec.row, *(f"{side.name}.{spec.row}" for side in model.sides)):
                if name in rows:
                    rows[name] = _scaled(rows[name], mass, inertia)
        return model._replace(table=model.table._replace(rows=rows))


def _same_template(one: Calibration | None, other: Calibration | None, place: Place) -> bool:
    """Whether both know the same places of the points of a cluster."""
    if one is other or one is None or other is None:
        return one is not None and one is other
    a, b = (of.templates.get(place, {}) for of in (one, other))
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def _scaled(row: specs.SegmentParameters, mass: float, inertia: float) -> specs.SegmentParameters:
    """A row of a table with its mass, and its moments of inertia whatever the mass, times a factor."""
    changed: dict[str, object] = {}
    if row.mass_fraction is not None:
        changed["mass_fraction"] = row.mass_fraction * mass
    if row.mass_kg is not None:
        changed["mass_kg"] = row.mass_kg * mass
    if row.inertia_kg_m2 is not None:
        changed["inertia_kg_m2"] = tuple(tuple(value * inertia for value in line) for line in row.inertia_kg_m2)
    elif row.gyration_fractions is not None:  # m (ρ L)²
        root = float(np.sqrt(inertia / mass))
        changed["gyration_fractions"] = tuple(value * root for value in row.gyration_fractions)
        if row.product_fractions is not None:
            changed["product_fractions"] = tuple(value * root for value in row.product_fractions)
    return row._replace(**changed)  # type: ignore[arg-type]


def with_centres_of_mass(body: Body, shift: Shift) -> Body:
    if not shift.com:
        return body
    segments = dict(body.segments)
    for place, segment in body.segments.items():
        offset = shift.com.get(place[1])
        if offset is not None and place[0]:
            along = np.nanmean(segment.length_m) * (segment.pose.R_gs @ offset)
            segments[place] = replace(segment, com_g=segment.com_g + along)
    return replace(body, segments=segments)


def shifted_load(load: FootLoad, shift: Mapping[str, Array], up_g: Array, rate_hz: float) -> FootLoad:
    """A foot's load with the errors of plates and clocks; in the air none, where unknown unknown.

    Parameters
    ----------
    load : FootLoad
    shift : mapping
        `Shift.load`.
    up_g : (3,) array
    rate_hz : float
        Of the cameras.
    """
    if not shift:
        return load
    f, m = load.wrench.f_g, load.wrench.m_g  # about the laboratory's origin
    loaded: Mask = np.asarray((np.abs(f) > 0).any(axis=1))
    if "delay" in shift:
        both = np.concatenate([f, m], axis=1)
        inside = np.where(loaded[:, None], np.gradient(both, axis=0) * rate_hz, 0.0)
        inside[~np.isfinite(inside)] = 0.0  # beside what is not known
        f, m = f - shift["delay"] * inside[:, :3], m - shift["delay"] * inside[:, 3:]
    pressed = np.where(np.isfinite(load.cop_g), load.cop_g, 0.0)
    if "turn" in shift:
        R = _about(up_g, float(shift["turn"]))
        m = m - cross(pressed, f)
        f, m = f @ R.T, m @ R.T
        m = m + cross(pressed, f)
    if "gain" in shift:
        f, m = f * (1 + shift["gain"]), m * (1 + shift["gain"])
    felt: Mask = (np.isfinite(load.cop_g).all(axis=1) & loaded)[:, None]
    cop_g, free_moment = load.cop_g, load.free_moment
    if "force" in shift:
        extra = np.where(felt, shift["force"], 0.0)
        f, m = f + extra, m + cross(pressed, extra)
    if "cop" in shift:
        m = m + cross(np.broadcast_to(shift["cop"], f.shape), f)
        cop_g = cop_g + shift["cop"]
    if "free_moment" in shift:
        extra = np.where(felt, shift["free_moment"] * up_g, 0.0)
        m, free_moment = m + extra, free_moment + np.where(felt[:, 0], shift["free_moment"], 0.0)
    return replace(load, wrench=Wrench(f, m, load.wrench.p_g), cop_g=cop_g, free_moment=free_moment)


def _about(up_g: Array, angle: float) -> Array:
    """(3, 3) rotation about the vertical, rad."""
    z = up_g / np.linalg.norm(up_g)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = cross(helper, z) / np.linalg.norm(cross(helper, z))
    axes = np.stack([x, cross(z, x), z], axis=1)
    return np.asarray(axes @ about_axis("z", angle) @ axes.T)
