"""A result made again with ingredients that are off, many times at once: its pipeline with values replaced.

What the analysis decided stays: contacts, events, filters, who was seen. A computation of a walk of some hundred frames
spends most of its time between numpy's calls; so the draws stand in one array, one walk behind the other, and go
through the stages together (`Geometry.draws`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.analysis.cycle_curves import curves_of
from gaitid.analysis.limb import absent_limb
from gaitid.analysis.pipeline import Pipeline, pipeline_of
from gaitid.analysis.result import Result
from gaitid.body.frames import Geometry
from gaitid.body.joints import Calibration, Place, of_draws
from gaitid.body.poses import Body, Checked
from gaitid.dynamics.chain import Wrench
from gaitid.gait.features import CycleCurves
from gaitid.ground.contacts import FootLoad
from gaitid.markers.clean import Markers
from gaitid.model import shapes
from gaitid.model.columns import LENGTH_UNITS
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.rotation import apply
from gaitid.trial import Array, IntArray, Mask
from gaitid.uncertainty.session import Session, session_of, with_points_moved
from gaitid.uncertainty.shift import Shift, shifted_loads
from gaitid.write import DEFAULT_FRAMES
from gaitid.write.tables import joints_columns, wrenches_columns

if TYPE_CHECKING:
    from gaitid.body.chain_again import Before

#: Frames of all draws that are computed at once: arrays of so many vectors fit a cache.
FRAMES_AT_ONCE = 4000
#: Walks that nothing moves, at most, which are computed once and kept: those of all errors of loads.
UNMOVED = 10
_COUNTERS = 2  # ``frame`` and ``time_s`` stand before the others


class Perturbed:
    """The numbers of a result by other ingredients.

    Parameters
    ----------
    result : Result
    express_in : sequence of str
        Frames of expression of the wrenches.
    whole : Perturbed, optional
        Of the trial of which some frames are meant.
    frames : slice
        Which they are.

    Attributes
    ----------
    n_frames : int
        Of one draw.
    first : int
        Of these frames among the trial's.
    count : int
        How many draws were computed.
    """

    def __init__(
        self,
        result: Result,
        express_in: Sequence[str] = DEFAULT_FRAMES,
        whole: Perturbed | None = None,
        frames: slice = slice(None),
    ) -> None:
        self.result, self.express_in, self._whole = replace(result, estimate=None), tuple(express_in), whole
        self.estimate = None if result.estimate is None or result.estimate.loads is None else result.estimate
        self._by_frame = replace(self.result, sides=result.by_frame)
        self.first, stop, _ = frames.indices(result.trial.n_frames)
        self.n_frames, self.frames, self.count = stop - self.first, frames, 0
        self.sides = result.body.sides
        self._repeated: dict[int, Geometry] = {}
        self._unmoved, self._befores = dict[int, Pipeline](), dict[int, "Before"]()

    # --- the columns ------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the columns: those of ``wrenches.csv`` and ``joints.csv`` without ``frame`` and ``time_s``, and behind
        them for each side ``ground_reaction_{x,y,z}_N_per_kg``, laboratory axes, which features need.
        """
        if self._whole is not None:
            return self._whole.names
        tables = wrenches_columns(self.result, self.express_in), joints_columns(self.result)
        names = [name for table in tables for name in table.names[_COUNTERS:]]
        names += [f"{side}_ground_reaction_{axis}_N_per_kg" for side in self.result.sides for axis in "xyz"]
        return tuple(names)

    @cached_property
    def of_side(self) -> dict[str, IntArray]:
        """For each recorded side the columns that are its: of `names`."""
        return {side: np.flatnonzero([name.startswith(f"{side}_") for name in self.names]) for side in self.sides}

    @property
    def written(self) -> int:
        """How many of the columns stand in files: the first."""
        return len(self.names) - 3 * len(self.result.sides)

    @property
    def budgeted(self) -> IntArray:
        """Of which columns it is told what makes them unsure: angles, lengths, and moments and powers a kg."""
        ends = "_deg", *LENGTH_UNITS, "_moment_Nm_per_kg", "_power_W_per_kg"
        return np.flatnonzero([name.endswith(ends) for name in self.names[: self.written]])

    @cached_property
    def curves(self) -> CycleCurves:
        """Of the cycles whose features are asked for."""
        return curves_of(self.result)

    @cached_property
    def values(self) -> Array:
        """(frames, columns) of the result itself, with estimated loads."""
        return self._columns(self._by_frame, self.result.subject.mass_kg, self.frames)

    @cached_property
    def by_motion(self) -> Mask:
        """(frames, columns) what nothing but an estimated load tells: it is in no cycle and no feature."""
        found = np.zeros(self.values.shape, dtype=bool)
        if self.estimate is not None and self._by_frame.sides is not self.result.sides:
            unknown = np.isnan(self._columns(self.result, self.result.subject.mass_kg, self.frames))
            for side, columns in self.of_side.items():
                found[:, columns] = unknown[:, columns] & self.estimate.frames(side)[self.frames, None]
        return found

    @cached_property
    def unshifted(self) -> Array:
        """(frames, columns) as `columns` gives them for no shift: `values`, and more where these are unknown."""
        return self.columns_of(self.still)

    @cached_property
    def still(self) -> Pipeline:
        """The stages that nothing shifts, also through gaps of markers."""
        return self._again([Shift()])

    def unmoved(self, count: int) -> Pipeline:
        """The stages of so many walks that nothing shifts."""
        if count == 1:
            return self.still
        if count not in self._unmoved:
            nothing = [Shift()] * count
            self._unmoved[count] = self._posed(nothing, self._dynamics(nothing))
        return self._unmoved[count]

    def columns(self, shifts: Sequence[Shift], drawn: bool = False) -> Iterator[Array]:
        """(frames, columns) of each shift, in their order, also through bridged gaps.

        Of shifts that are `drawn`, of millimetres, a chain is fitted to 1e-5 m and not to 1e-10 m.
        """
        for again in self.again(shifts, drawn):
            yield from self.columns_of(again).reshape(-1, self.n_frames, len(self.names))

    def columns_of(self, again: Pipeline) -> Array:
        """(frames, columns) of stages that were made again, those of all draws one behind the other."""
        result, body = self.result, again.body
        n_frames = body.geometry.n_frames
        self.count += n_frames // self.n_frames
        absent, solved = absent_limb(result.model, n_frames), again.solved
        nothing = np.full(n_frames, np.nan)
        sides = {
            name: replace(
                solved.get(name, absent),
                load=again.loads.by_side.get(name, absent.load),
                # of the trunk's markers, which are none of the model of the legs, no errors are known
                trunk_angles={angle: dict.fromkeys(of, nothing) for angle, of in side.trunk_angles.items()},
            )
            for name, side in result.sides.items()
        }
        trial = replace(result.trial, points_g=np.zeros((n_frames, 0, 3)), labels=())
        made = replace(result, trial=trial, body=body, sides=sides)
        columns = self._columns(made, again.mechanics.mass_kg)
        if "unshifted" in self.__dict__:  # an angle may have gone about once more
            angles = [i for i, name in enumerate(self.names) if name.endswith("_deg")]
            of_each = columns.reshape(-1, *self.unshifted.shape)
            turns = np.rint((of_each[:, :, angles] - self.unshifted[:, angles]) / 360.0)
            of_each[:, :, angles] -= 360.0 * turns
        return columns

    def _columns(self, result: Result, mass_kg: float, frames: slice = slice(None)) -> Array:
        """(frames, columns) of a result of a body of that mass."""
        tables = wrenches_columns(result, self.express_in), joints_columns(result)
        per_kg = [side.load.wrench.f_g[frames] / np.asarray(mass_kg)[..., None] for side in result.sides.values()]
        return np.concatenate([*(table.rows(frames)[:, _COUNTERS:] for table in tables), *per_kg], axis=1)

    # --- the stages made again --------------------------------------------------------------------------------

    def again(self, shifts: Sequence[Shift], drawn: bool = False, held: bool = False) -> Iterator[Pipeline]:
        """The stages with shifted ingredients, in the order of the shifts, as many at once as `together` says.

        Where means are `held`, what is a mean over the trial, as lengths and the direction of walking are, stays.
        """
        for still, of_kind in groupby(shifts, lambda shift: shift.moves_nothing):
            some, most = [*of_kind], min(self.together, UNMOVED) if still else self.together
            for start in range(0, len(some), most):
                yield self._again(some[start : start + most], drawn, held)

    @cached_property
    def together(self) -> int:
        """How many draws are computed at once: 1 where a stage looks beyond the end of a walk."""
        several = max(1, FRAMES_AT_ONCE // self.n_frames)
        if several == 1:
            return 1
        still, before = self.unshifted, self.count
        if self.result.model.pose is None:
            many = self.unmoved(min(several, UNMOVED))
        else:  # markers that move by nothing go through all stages again
            many = self._again([Shift(markers={label: np.zeros(3) for label in self._support})] * 2)
        each = self.columns_of(many).reshape(-1, *still.shape)
        self.count = before  # it tells nothing of an error
        # a chain fitted once more lies 1e-10 m from the first fit, of which a moment makes 1e-8 N·m/kg
        return several if np.allclose(each, still, rtol=1e-6, atol=1e-6, equal_nan=True) else 1

    def _again(self, shifts: Sequence[Shift], drawn: bool = False, held: bool = False) -> Pipeline:
        dynamics = self._dynamics(shifts)
        if "still" in self.__dict__ and all(shift.moves_nothing for shift in shifts):
            many = self.unmoved(len(shifts))
            return many.with_(**dynamics, body=self._body(many.body, shifts, held))
        return self._posed(shifts, dynamics, drawn, held)

    def _dynamics(self, shifts: Sequence[Shift]) -> dict[str, Any]:
        """Stages behind the poses: loads and masses."""
        before = pipeline_of(self.result)
        loads = [shifted_loads(self.result, self.estimate, shift) for shift in shifts]
        of_feet, on_feet = (
            {side: self._joined([of[side] for of in each]) for side in self.sides} for each in zip(*loads, strict=True)
        )
        mass_kg, times = self._masses(shifts)
        applied = {key: self._wrench([of] * len(shifts)) for key, of in before.applied.items()}
        mechanics = replace(before.mechanics, mass_kg=mass_kg, solver="block", applied=applied, times=times)
        return {"loads": replace(before.loads, by_side=of_feet), "on_feet": on_feet, "mechanics": mechanics}

    def _posed(
        self, shifts: Sequence[Shift], dynamics: Mapping[str, Any], drawn: bool = False, held: bool = False
    ) -> Pipeline:
        before, count = pipeline_of(self.result), len(shifts)
        geometry = self._geometry(shifts, drawn)
        if self.result.model.pose is not None and "still" in self.__dict__:
            moved = not all(shift.moves_nothing for shift in shifts)
            if count not in self._befores:
                self._befores[count] = self._before.repeated(count)
            geometry.before = self._befores[count]._replace(small=not drawn, moved=moved)
        geometry.held = self.still.body.geometry if held else None
        markers = self._markers(geometry.tracks, count)
        again = before.with_(cleaned=markers, checked=Checked(geometry, ()), emptied={}, **dynamics)
        return again.with_(body=self._body(again.posed, shifts, held))

    def _geometry(self, shifts: Sequence[Shift], drawn: bool) -> Geometry:
        """Points and frames of shifted markers and numbers of all draws."""
        result, count, n = self.result, len(shifts), self.n_frames
        near = self._near(count)
        of_shifts = [self._tracks(shift) for shift in shifts]
        tracks = {
            label: np.concatenate([of.get(label, self._support[label]) for of in of_shifts])
            if any(label in of for of in of_shifts)
            else track
            for label, track in near.tracks.items()
        }
        numbers = {
            name: self._each([value + shift.numbers.get(name, 0.0) for shift in shifts])
            for name, value in result.subject.numbers.items()
        }
        calibration = self._calibrations(shifts, drawn)
        geometry = Geometry(result.model, tracks, numbers, n * count, near.up_g, calibration=calibration)
        geometry.draws, geometry.near = count, near
        centres = {place for shift in shifts for place in shift.centres if not self._in_static(place)}
        offsets = {place: [shift.centres.get(place, np.zeros(3)) for shift in shifts] for place in centres}
        return with_points_moved(geometry, {place: np.repeat(of, n, axis=0) for place, of in offsets.items()})

    @cached_property
    def _support(self) -> dict[str, Array]:
        return {label: track[self.frames] for label, track in self.result.markers.support.items()}

    def _near(self, count: int) -> Geometry:
        """So many walks that nothing shifts."""
        if count not in self._repeated:
            tracks = {label: np.concatenate([track] * count) for label, track in self._support.items()}
            of, numbers = self.result.body.geometry, self.result.subject.numbers
            near = Geometry(of.model, tracks, numbers, self.n_frames * count, of.up_g, calibration=of.calibration)
            near.draws = count
            self._repeated[count] = near
        return self._repeated[count]

    def _markers(self, tracks: Mapping[str, Array], count: int) -> Markers:
        """Tracks of all draws, each with the passes of the trial."""
        n, of_result = self.n_frames, self.result.markers
        starts = [one.start - self.first for one in of_result.passes if self.first < one.start < self.first + n]
        edges = [k * n + start for k in range(count) for start in (0, *starts)]
        passes = tuple(slice(start, stop) for start, stop in zip(edges, [*edges[1:], n * count], strict=True))
        return replace(of_result, filtered=tracks, support=tracks, passes=passes)

    def _tracks(self, shift: Shift) -> dict[str, Array]:
        """Those of the markers that are shifted, also through gaps, by label."""
        tracks: dict[str, Array] = {}
        cutoff, rate_hz = self.result.settings.cutoff_hz, self.result.trial.rate_hz
        if shift.cutoff and isinstance(cutoff, float):
            labels = tuple(self.result.markers.seen)
            change = np.zeros(self._seen.shape)
            if (by := shift.cutoff.get("log", 0.0)) != 0:
                other = min(cutoff * float(np.exp(by)), 0.49 * rate_hz)
                change += lowpass(self._seen, other, rate_hz) - lowpass(self._seen, cutoff, rate_hz)
            if (times := shift.cutoff.get("again", 0.0)) != 0:
                through = np.stack([self._support[label] for label in labels], axis=1)
                change += times * (lowpass(through, cutoff, rate_hz) - through)
            change = np.where(np.isfinite(change), change, 0.0)
            tracks |= {label: self._support[label] + change[:, i] for i, label in enumerate(labels)}
        for label, displacement in shift.markers.items():
            tracks[label] = tracks.get(label, self._support[label]) + displacement
        return tracks

    @cached_property
    def _seen(self) -> Array:
        """(frames, markers, 3) before the run's filter."""
        return np.stack([track[self.frames] for track in self.result.markers.seen.values()], axis=1)

    def _body(self, body: Body, shifts: Sequence[Shift], held: bool) -> Body:
        """With centres of mass shifted, or with lengths and the direction of walking of the unshifted walk."""
        if not held and not any(shift.com for shift in shifts):
            return body
        n, segments = self.n_frames, dict(body.segments)
        for (side, name), segment in body.segments.items():
            offsets = [shift.com.get(name, np.zeros(3)) for shift in shifts]
            if side and np.any(offsets):
                along = np.asarray(body.geometry.mean(segment.length_m))[..., None] * np.repeat(offsets, n, axis=0)
                segment = replace(segment, com_g=segment.com_g + apply(segment.pose.R_gs, along))
            if held and body.settings.segment_length != "current":
                length = self.still.body.segments[side, name].length_m
                segment = replace(segment, length_m=np.tile(length, len(shifts)))
            segments[side, name] = segment
        if not held:
            return replace(body, segments=segments)
        R_gp = np.broadcast_to(self.still.body.R_gp, (n, 3, 3))
        return replace(body, segments=segments, R_gp=np.tile(R_gp, (len(shifts), 1, 1)))

    @cached_property
    def _before(self) -> Before:
        from gaitid.body.chain import tracks_of
        from gaitid.body.chain_again import before_of  # of few models

        geometry = self.still.body.geometry
        assert geometry.fitted is not None
        return before_of(geometry.fitted, tracks_of(geometry, geometry.fitted.places, geometry.fitted.markers))

    def _each(self, values: Sequence[float]) -> Any:
        """A number of all draws, or one in each of their frames."""
        return values[0] if len(np.unique(values)) == 1 else np.repeat(values, self.n_frames)

    def _masses(self, shifts: Sequence[Shift]) -> tuple[float, dict[str, tuple[Array, Array]]]:
        """The body's mass, and factors of those of segments and of their inertia."""
        mass_kg = self.result.subject.numbers.get("mass", np.nan)
        times = {
            name: (
                np.asarray(self._each([1 + shift.mass.get(name, 0.0) for shift in shifts])),
                np.asarray(self._each([1 + shift.inertia.get(name, 0.0) for shift in shifts])),
            )
            for name in {name for shift in shifts for name in (*shift.mass, *shift.inertia)}
        }
        return self._each([mass_kg + shift.numbers.get("mass", 0.0) for shift in shifts]), times

    def filtered(self, track: Array) -> Array:
        """(frames,) what the run's filter makes of a displacement of a marker as it was seen."""
        cutoff_hz = cutoff_of(self)
        return track if cutoff_hz is None else lowpass(track[:, None], cutoff_hz, self.result.trial.rate_hz)[:, 0]

    def _joined(self, loads: Sequence[FootLoad]) -> FootLoad:
        """Of all draws, in the frames that are meant."""
        state, cop_g, free_moment = (
            np.concatenate([getattr(load, name)[self.frames] for load in loads])
            for name in ("state", "cop_g", "free_moment")
        )
        return FootLoad(state, self._wrench([load.wrench for load in loads]), cop_g, free_moment)

    def _wrench(self, wrenches: Sequence[Wrench]) -> Wrench:
        each = [wrench.during(self.frames) for wrench in wrenches]
        f_g, m_g, p_g = (np.concatenate([getattr(of, name) for of in each]) for name in ("f_g", "m_g", "p_g"))
        return Wrench(f_g, m_g, p_g)

    # --- the static -------------------------------------------------------------------------------------------

    @cached_property
    def static(self) -> Geometry | None:
        """The static that the model was calibrated in; None without one, or where a subject file stands for it."""
        before, calibration = pipeline_of(self.result), self.result.body.geometry.calibration
        carries = calibration is not None and (calibration.places or calibration.joints)
        return before.static_geometry if carries and not before.subject_file.calibration.places else None

    @cached_property
    def session(self) -> Session | None:
        """What the static gives, places, angles or none; None without one, and where a subject file stands for it."""
        return session_of(self.result, self.sides)

    def follow(self, static: Mapping[str, Array], numbers: Mapping[str, float]) -> dict[str, float]:
        """By how much measurements change with markers of the static and with others, those included; SI."""
        return dict(numbers) if self.session is None else self.session.changes(static, numbers)

    def _calibrations(self, shifts: Sequence[Shift], drawn: bool) -> Calibration | None:
        """What is carried over from the static, which is calibrated again for each shift of it."""
        before, session = self.result.body.geometry.calibration, self.session
        if self.static is None or session is None or before is None:
            return before
        calibrations = []
        for shift in shifts:
            moved = {self._in_static(centre): offset for centre, offset in shift.centres.items()}
            points = {place: offset for place, offset in moved.items() if place}
            same = not (shift.static or shift.numbers or points)
            calibrations.append(before if same else session.calibration(shift, points, not drawn))
        return replace(of_draws(calibrations), stored=before.stored)

    def _in_static(self, centre: Place) -> Place | None:
        """The point of the static that a joint centre is carried over from; None for one that the walk itself gives."""
        side, name = centre
        if self.static is None:
            return None
        definition = self.result.model.scope(bool(side)).points.get(name)
        if isinstance(definition, shapes.CarriedPoint):
            return self.static.model.place("point", definition.point, side)
        return self.static.model.place("point", name, side) if self.result.model.pose is not None else None


def cutoff_of(perturbed: Perturbed) -> float | None:
    """Of the run's filter, Hz: for a spline or a Savitzky-Golay filter that of the Butterworth filter nearest to it."""
    result = perturbed.result
    if isinstance(result.settings.cutoff_hz, float) and result.settings.marker_filter == "butterworth":
        return result.settings.cutoff_hz
    effective = result.markers.quality.get("marker_bandwidth_hz", np.nan)
    filtered = result.settings.cutoff_hz is not None
    return float(effective) if filtered and 0 < effective < result.trial.rate_hz / 2 else None
