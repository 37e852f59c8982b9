"""A trial's markers of trunk, head and arms -> where these segments are, and the whole body's centre of mass.

Nothing of the legs depends on it. Which points, frames and tables there are stands in the file that the model names
(`gaitid.model.upper_body`); docs/whole_body.md says what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.joints import Pose
from gaitid.body.kinematics import clinical_angles
from gaitid.body.mass_properties import tensor_along
from gaitid.body.poses import Body, Key, Motion
from gaitid.errors import TrialError
from gaitid.markers.clean import Markers, clean, model_markers
from gaitid.model import specs
from gaitid.model.expression import mean_of_known
from gaitid.model.find import bundled_folder
from gaitid.model.marker_sets import Spellings
from gaitid.model.upper_body import UpperBody, UpperSegment, faults_with, is_there, load_upper_body
from gaitid.notes import phrase
from gaitid.numerics.masks import joined, known_rows, mark_ends
from gaitid.numerics.rotation import unit
from gaitid.numerics.spline import spline_derivatives
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Trial


def acceleration_of_body(body: Body) -> Array:
    """Acceleration of the whole body's centre of mass, (frames, 3), m/s², laboratory axes.

    Each segment of the model counts with its own mass; what the model leaves out (trunk, head and arms, two thirds of
    the mass) is taken to move as the pelvis does:  a = Σ (m_i / m) a_i + (1 − Σ m_i / m) a_pelvis.

    A marker on the sacrum alone moves farther up and down than the centre of mass at higher speeds, segments do not
    (Gard, Miff & Kuo 2004, Hum Mov Sci 22:597-610; Pavei et al. 2017, Front Physiol 8:129): legs are what makes the
    difference, and they are here. On the shared walks the vertical force that follows is right to 0.02 of body weight
    (standard deviation of means over 0.2 s), forward and sideways the pelvis swings more than the trunk and the
    acceleration is up to twice as large as the body's (docs/whole_body.md).

    Returns
    -------
    (frames, 3) array
        NaN where the motion of a segment is not known; throughout where a leg was not recorded or a segment's mass is
        given in kilograms.
    """
    shares = shares_of_legs(body)
    if shares is None:
        return np.full_like(body.segments[body.base].com_g, np.nan)
    return joined([_acceleration(shares, motion) for _, motion in body.motions()])


def _acceleration(shares: Mapping[Key, float], motion: Motion) -> Array:
    total = motion.base.acc_g * (1.0 - sum(shares.values()))
    for (side, segment), share in shares.items():
        total = total + share * motion.by_side[side][segment].acc_g
    return np.asarray(total)


def centre_of_body(body: Body) -> Array:
    """The whole body's centre of mass, (frames, 3), m, by the same segments; the trunk and the rest lie at the pelvis.

    It is too low and, by what the pelvis lies before or behind the trunk, off by a steady part.
    """
    base_g, shares = body.segments[body.base].com_g, shares_of_legs(body)
    if shares is None:
        return np.full_like(base_g, np.nan)
    total = base_g * (1.0 - sum(shares.values()))
    for key, share in shares.items():
        total = total + share * body.segments[key].com_g
    return np.asarray(total)


def shares_of_legs(body: Body) -> dict[tuple[str, str], float] | None:
    """Of the body's mass, by side and segment; None where a leg is absent or a segment's mass is given in kilograms."""
    model = body.model
    shares = {
        (side, spec.segment): model.table.row(spec.row, side).mass_fraction
        for side in body.sides
        for spec in model.chain
    }
    if len(body.sides) != len(model.sides) or None in shares.values():
        return None
    return {key: share or 0.0 for key, share in shares.items()}


def legs_stand_for_the_body(body: Body, complete: bool) -> bool:
    """Whether legs and pelvis are all that tells the centre of mass of a body on the ground, which is not complete."""
    return body.model.touches_ground and not complete and shares_of_legs(body) is not None


# Of the body's mass: a trunk that the legs', the head's and the arms' tables leave less for is no trunk. The least of
# those that tables give is 0.426 (de Leva 1996, female).
LEAST_TRUNK = 0.3


@frozen_dataclass(eq=False)
class PlacedSegment:
    """A segment above the legs, or what stands in for it.

    Attributes
    ----------
    on : str
        The segment that it hangs from.
    share : float
        Of the body's mass.
    com_g : (frames, 3) array, m
        Laboratory axes, also through gaps of markers; NaN throughout where nothing stands in for it either.
    stands_at : str
        The point at which its mass was put for want of its markers; empty where it was measured.
    length_m : float
        That its radii of gyration are fractions of, mean over the trial; NaN where it was not measured.
    row : SegmentParameters
        Of the table.
    row_name : str
    pose : Pose or None
        Of a measured segment whose markers tell how it is turned: the trunk.
    along_g : (frames, 3) array or None
        Unit vector from its proximal to its distal end, of a measured one between two points.
    """

    on: str
    share: float
    com_g: Array
    stands_at: str
    length_m: float
    row: specs.SegmentParameters
    row_name: str
    axes: tuple[specs.Direction, ...]
    mirrored: bool
    pose: Pose | None = None
    along_g: Array | None = None

    @property
    def measured(self) -> bool:
        return not self.stands_at and bool(np.isfinite(self.com_g).any())

    def inertia(self, body_mass_kg: float) -> Array:
        """(3, 3), kg·m², about its centre of mass, axes of the segment: as those of the legs, z along it."""
        return tensor_along(self.row, self.axes, self.mirrored, body_mass_kg * self.share, self.length_m)


@frozen_dataclass(eq=False)
class WholeBody:
    """Trunk, head and arms of a trial, and the centre of mass of the whole body.

    Attributes
    ----------
    upper : UpperBody
    model : Model
        That of the legs with what `upper` defines, bound to the trial's labels.
    table : Table
    segments : mapping of (side, segment) to PlacedSegment
        The side is empty for trunk and head.
    com_g : (frames, 3) array, m
        Of the whole body, laboratory axes; NaN where a part of it is not known.
    vel_g, acc_g : (frames, 3) arrays, m/s and m/s²
    angles : mapping of side to mapping of name to mapping of column to (frames,) array, deg
        Empty where the trunk's frame is not known.
    unknown_because : str
        Why the centre of mass is not known; empty where it is.
    figures : mapping
        Gaps and faults of labels, for the record.
    """

    upper: UpperBody
    model: specs.Model
    table: specs.Table
    segments: Mapping[Key, PlacedSegment]
    com_g: Array
    vel_g: Array
    acc_g: Array
    angles: Mapping[str, Mapping[str, Mapping[str, Array]]]
    unknown_because: str
    figures: Mapping[str, Any]

    @property
    def table_files(self) -> tuple[Path, ...]:
        """The files of the table, where it is another than the legs'."""
        return tuple(file for file in (self.table.path, *self.table.files) if file not in self.model.files)

    @property
    def known(self) -> bool:
        """Whether the centre of mass is known in any frame."""
        return bool(np.isfinite(self.com_g).any())

    @property
    def complete(self) -> bool:
        """Whether trunk and both upper arms were measured, so that what moves most against the pelvis was."""
        return self.known and all(
            segment.measured for (_, name), segment in self.segments.items() if name in ("trunk", "upper_arm")
        )


def find_upper_body(trial: Trial, markers: Markers, body: Body) -> WholeBody | None:
    """Trunk, head and arms; None where the model names none, or the trial has no marker of them.

    Parameters
    ----------
    trial : Trial
    markers : Markers
        Of the legs: the others are filtered as they were.
    body : Body
    """
    model = body.model
    if model.upper_body is None or not is_there(model.upper_body, model.sides, trial.marker_labels):
        return None
    upper = load_upper_body(model.upper_body)
    joined = bound_to(upper, model, trial)
    if not _bundled(model) and (faults := faults_with(upper, model)):
        why = phrase("whole/model", file=upper.path.name, model=model.name, fault=faults[0])
        return _unknown(upper, joined, body, why)
    own = joined._replace(middle=upper.middle, each_side=upper.each_side)
    raw = model_markers(trial, own)
    if not raw:
        return None
    try:
        cleaned = clean(raw, markers.settings, trial.rate_hz, trial.first_frame, (), loaded=False)
    except TrialError as error:
        return _unknown(upper, joined, body, error.line())
    seen = body.geometry.joined(joined, cleaned.filtered)
    through = seen if cleaned.support is cleaned.filtered else body.geometry.joined(joined, cleaned.support)
    table = upper.table_of(model)
    figures = {key: cleaned.quality[key] for key in ("gaps", "label_faults", "marker_noise_mm")}
    segments, why = _segments(upper, table, seen, through, body)
    angles = _angles(upper, seen, body)
    nothing = np.full_like(body.segments[body.base].com_g, np.nan)
    com = vel = acc = nothing
    if not why:
        com, vel, acc = _whole(segments, seen, through, body, trial.rate_hz)
        if not np.isfinite(com).any():
            why = phrase("whole/no_frame")
    return WholeBody(upper, joined, table, segments, com, vel, acc, angles, why, figures)


def bound_to(upper: UpperBody, model: specs.Model, trial: Trial) -> specs.Model:
    """The model with what an upper body defines, and the label of each of its markers as the trial spells it."""
    joined = upper.joined_to(model)
    spellings = Spellings(label for label in trial.marker_labels if trial.has(label))
    spelled = dict(model.spelled)
    own = joined._replace(middle=upper.middle, each_side=upper.each_side, spelled={})
    for side, role in own.roles:
        alternatives = own.labels(role, side)
        label, _ = spellings.find(alternatives)
        spelled[side, role] = (label,) if label else alternatives
    return joined._replace(spelled=spelled)


def found_segments(trial: Trial, model: specs.Model) -> list[str]:
    """The segments above the legs whose markers a trial holds, each side's by its side, from the trunk outward."""
    if model.upper_body is None or not is_there(model.upper_body, model.sides, trial.marker_labels):
        return []
    from gaitid.model.needs import has_points  # `inspect` only

    upper = load_upper_body(model.upper_body)
    joined, table = bound_to(upper, model, trial), upper.table_of(model)
    legs = [("point", "hip", side.name) for side in joined.sides]
    result = []
    for segment in upper.segments:
        _, span = upper.row_of(segment, table)
        ends = segment.spans.get(span)
        if ends is None:
            continue
        wanted = (ends.start, ends.end) if segment.centre is None else (segment.centre,)
        for side in [side.name for side in joined.sides] if segment.sided else [""]:
            if has_points(joined, [str(point) for point in wanted], side, trial.has, legs):
                result.append(f"{side} {segment.segment}".strip().replace("_", " "))
    return result


def _bundled(model: specs.Model) -> bool:
    """Whether all of its files came with gaitid: these were tried together (`tests/model/test_upper_body.py`)."""
    configs = bundled_folder("configs")
    return all(path.is_relative_to(configs) for path in (*model.paths, model.upper_body) if path is not None)


def _unknown(upper: UpperBody, joined: specs.Model, body: Body, why: str) -> WholeBody:
    nothing = np.full_like(body.segments[body.base].com_g, np.nan)
    return WholeBody(upper, joined, upper.table_of(body.model), {}, nothing, nothing, nothing, {}, why, {})


def _segments(
    upper: UpperBody, table: specs.Table, seen: Geometry, through: Geometry, body: Body
) -> tuple[dict[Key, PlacedSegment], str]:
    """Each segment with its share of the mass; and why the centre of mass cannot be told, if so."""
    legs, model = shares_of_legs(body), body.model
    segments: dict[Key, PlacedSegment] = {}
    shared = 0.0 if legs is None else sum(legs.values())
    for segment in reversed(upper.segments):  # the trunk last: it takes what the others leave
        name, span = upper.row_of(segment, table)
        if not name:
            return {}, phrase("whole/no_row", table=table.name, segment=segment.segment.replace("_", " "))
        for side in [side.name for side in model.sides] if segment.sided else [""]:
            share = table.rows[name].mass_fraction
            if share is None:
                return {}, phrase("whole/mass", table=table.name, segment=segment.segment)
            if segment.on == "pelvis":
                share = 1.0 - shared
            else:
                shared += share
            segments[side, segment.segment] = _placed(segment, side, share, (name, span), table, through)
    ordered = {key: segments[key] for key in sorted(segments, key=lambda key: _order(upper, key))}
    trunk = next(iter(ordered.values()))
    if legs is None:
        return ordered, phrase("whole/legs")
    if body.model.base.body is not None:
        return ordered, phrase("whole/pelvis")
    if trunk.share < LEAST_TRUNK:
        return ordered, phrase("whole/trunk", share=trunk.share)
    if not trunk.measured:
        return ordered, phrase("whole/no_trunk")
    return ordered, ""


def _order(upper: UpperBody, key: Key) -> tuple[int, str]:
    return [segment.segment for segment in upper.segments].index(key[1]), key[0]


def _placed(
    segment: UpperSegment, side: str, share: float, row_and_span: tuple[str, str], table: specs.Table, through: Geometry
) -> PlacedSegment:
    """A segment where its markers put it, or where the first point that is known stands in for them."""
    name, span = row_and_span
    row, ends = table.rows[name], segment.spans[span]
    com, stands_at, length, pose, along = _centre(segment, row, span, side, through), "", np.nan, None, None
    if np.isfinite(com).any():
        length = float(mean_of_known(through.value(ends.length, side)))
        pose = through.frame(segment.frame, side) if segment.frame else None
        if segment.centre is None:
            along = unit(through.point(ends.end, side) - through.point(ends.start, side))
    else:
        for point in segment.instead:
            com = through.point(point, side)
            if np.isfinite(com).any():
                stands_at = str(point)
                break
    mirrored = table.mirrored(name, side)
    return PlacedSegment(segment.on, share, com, stands_at, length, row, name, segment.axes, mirrored, pose, along)


def _centre(segment: UpperSegment, row: specs.SegmentParameters, span: str, side: str, geometry: Geometry) -> Array:
    """(frames, 3) centre of mass, m. Of rows off the axis the part along it: markers do not tell how an arm turns."""
    if segment.centre is not None:
        return geometry.point(segment.centre, side)
    ends = segment.spans[span]
    start, end = geometry.point(ends.start, side), geometry.point(ends.end, side)
    fraction = row.com_fraction if row.com_fractions is None else -row.com_fractions[1]
    return np.asarray(start + fraction * (end - start))


def _whole(
    segments: Mapping[Key, PlacedSegment], seen: Geometry, through: Geometry, body: Body, rate_hz: float
) -> tuple[Array, Array, Array]:
    """Centre of mass, velocity and acceleration of the whole body:  c = Σ (m_i / m) c_i."""
    legs = shares_of_legs(body) or {}
    total = np.zeros_like(body.segments[body.base].com_g)
    known = np.ones(len(total), dtype=bool)
    for key, share in legs.items():
        total = total + share * body.segments[key].com_g
        known &= body.segments[key].known
    for placed in segments.values():
        total = total + placed.share * placed.com_g
    if through is not seen:  # frames of gaps that stay open count for nothing
        for side, role in seen.model.roles:
            if any(label in through.tracks for label in through.model.labels(role, side)):  # most are not there
                bridged = known_rows(through.point(role, side)) & ~known_rows(seen.point(role, side))
                known &= ~bridged
    vel, acc = spline_derivatives(total[:, None], rate_hz)
    ends = body.settings.end_frames
    moved = (mark_ends(derivative[:, 0], ends) for derivative in (vel, acc))
    return tuple(np.where(known[:, None], values, np.nan) for values in (total, *moved))  # type: ignore[return-value]


def _angles(upper: UpperBody, seen: Geometry, body: Body) -> dict[str, dict[str, Mapping[str, Array]]]:
    """Those of the trunk, for each side; none where its frame is never known."""

    def axes(frame: str) -> Array:
        if frame == "progression":
            return np.broadcast_to(body.R_gp, (seen.n_frames, 3, 3))
        return seen.frame(frame).R_gs

    needed = {frame for angle in upper.angles.values() for frame in (angle.proximal, angle.distal)}
    if not all(known_rows(axes(frame)).any() for frame in needed - {"progression"}):
        return {}
    return {
        side.name: {
            name: clinical_angles(axes(angle.proximal), axes(angle.distal), angle, side.sign, body.passes)
            for name, angle in upper.angles.items()
        }
        for side in body.model.sides
    }
