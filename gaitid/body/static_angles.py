"""Calibration angles as a model has them follow from a static's points and frames."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.kinematics import clinical_angles
from gaitid.body.subject import Sources, request
from gaitid.model import specs
from gaitid.model.expression import mean_of_known
from gaitid.model.shapes import Level
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.rotation import angle_between, dihedral, dot, norm, wrapped


def static_angle(geometry: Geometry, measurement: specs.Measurement, side: str) -> float | None:
    """The mean of a clinical angle over a static, rad; None where the measurement is no angle, or it is not known."""
    spec = measurement.static
    if isinstance(spec, specs.StaticTurn):
        return _mean_turn(geometry, spec, side)
    if not isinstance(spec, specs.StaticAngle):
        return None
    angle = specs.Angle(spec.proximal, spec.distal, spec.sequence, {"value": spec.value})
    proximal, distal = (geometry.frame(frame, side).R_gs for frame in (spec.proximal, spec.distal))
    sign = next((float(s.sign) for s in geometry.model.sides if s.name == side), 1.0)
    return mean(clinical_angles(proximal, distal, angle, sign)["value"])


def _mean_turn(geometry: Geometry, spec: specs.StaticTurn, side: str) -> float | None:
    """The mean over the static of a formula in the angle between two vectors, from −π to π; None where it is not known.

    Angles on both sides of ±π are of one turn: each is taken within half a turn of the first that is known.
    """
    start, end = geometry.vector(spec.start, side), geometry.vector(spec.end, side)
    if spec.about is None:
        return mean(geometry.value(spec.value, side, angle=angle_between(start, end)))
    angle = dihedral(start, end, geometry.vector(spec.about, side))
    known = angle[np.isfinite(angle)]
    if not known.size:
        return None
    angle = angle - 2 * np.pi * np.round((angle - known[0]) / (2 * np.pi))
    value = mean(geometry.value(spec.value, side, angle=angle))
    return None if value is None else wrapped(value)


def mean(values: object) -> float | None:
    """The mean of what is known; None where nothing is."""
    value = float(mean_of_known(values))
    return value if np.isfinite(value) else None


# rad. What a program stored from its own markers is met to rounding (tests/body/test_shared_statics.py: 1e-6).
SAME = 0.002
# rad. So much both assumptions must differ for the stored angle to tell them apart.
APART = 0.01
# rad. The line from heel to toe marker of a foot that stands flat rises or falls by less: in 18 statics of 14
# laboratories by at most 9° (docs/static.md). Key points of a video, 17°, are no markers.
STEEPEST = float(np.radians(20.0))


def foot_flat_notes(static: Geometry | None, sources: Sources, wanted: Collection[str]) -> Notes:
    """What the assumption does, and whether the static itself denies it.

    Parameters
    ----------
    static : Geometry or None
        Of the static, with the subject's numbers.
    sources : Sources
    wanted : collection of str
        Names of measurements, sided as ``left.knee_width``.
    """
    if static is None or sources.file.foot_flat is not None or (static.model.pose and static.model.pose.by_static):
        return ()
    slopes = _slopes(static, sorted({name.partition(".")[0] for name in wanted if "." in name}))
    turned = [phrase("body/foot", side=side, deg=np.degrees(angle)) for side, angle in slopes.items()]
    notes: Notes = (note("measurement_assumed/foot_flat", turned=turned),)
    if denied := not_levelled(static, sources, wanted):
        off = [phrase("body/off", side=side, deg=abs(np.degrees(angle))) for side, angle in denied.items()]
        notes += (note("foot_flat_doubtful/denied", off=off),)
    elif steep := [
        phrase("body/slope", side=side, deg=np.degrees(a)) for side, a in slopes.items() if abs(a) > STEEPEST
    ]:
        notes += (note("foot_flat_doubtful/steep", slopes=steep),)
    return notes


def not_levelled(static: Geometry, sources: Sources, wanted: Collection[str]) -> Mapping[str, float]:
    """By how much, rad, the assumption turns the feet of a static whose stored angles deny it, by side.

    They deny it where each of them is the one of a foot that was not levelled.
    """
    recorded = sources.static
    if recorded is None:
        return {}
    as_it_stands: Geometry | None = None
    off: dict[str, float] = {}
    for name in sorted(wanted):
        requested = request(recorded.model, name)
        if not isinstance(requested.measurement.static, specs.StaticAngle):
            continue
        stored = requested.stored(recorded.model, recorded.parameters, recorded.angle_unit)
        if stored is None:  # most statics store none
            continue
        flat = static_angle(static, requested.measurement, requested.side)
        if flat is None or abs(stored - flat) < SAME:
            continue
        as_it_stands = as_it_stands or static.taken_as(foot_flat=False)
        other = static_angle(as_it_stands, requested.measurement, requested.side)
        if other is None or abs(stored - other) > SAME:
            return {}  # of other markers or widths
        off[requested.side] = max(off.get(requested.side, 0.0), abs(flat - other))
    return {side: angle for side, angle in off.items() if angle > APART}


def _slopes(static: Geometry, sides: Collection[str]) -> Mapping[str, float]:
    """By how much levelling turns each foot, rad: how far the line from heel to toe marker rises."""
    slopes: dict[str, float] = {}
    levels = [p for p in static.model.each_side.points.values() if isinstance(p, Level) and p.when == "foot_flat"]
    for side in sides if levels else ():
        line = static.point(levels[0].height_of, side) - static.point(levels[0].point, side)
        rise = dot(line, static.up_g)
        across = norm(line - rise[:, None] * static.up_g)
        if (slope := mean(np.arctan2(rise, across))) is not None:
            slopes[side] = slope
    return slopes
