"""Whether a static fits the assumption that it was taken with the feet flat on the ground."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.requested import request
from gaitid.body.static_angles import mean, static_angle
from gaitid.body.subject import Sources
from gaitid.model import specs
from gaitid.model.shapes import Level
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.rotation import dot, norm

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
