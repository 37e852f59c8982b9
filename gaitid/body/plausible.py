"""What is wrong with measurements, lengths and angles of a body (`gaitid.body.anthropometry`), in words.

Three answers: nothing to say; a doubt, where hardly anybody has it; a fault, where nobody has. docs/static.md, "What a
body can have".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.anthropometry import OF_TRIAL, LikelyMistake, find_mistakes, people
from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.lengths import median_distance, neighbours, points_of_segments
from gaitid.body.quality import DOUBTED, ERROR, MEASUREMENT, NAMED, TURNED, corrected_rotation, knee_axis
from gaitid.body.static_angles import static_angle
from gaitid.body.subject import Subject, display, key_of
from gaitid.errors import first_few
from gaitid.model import specs
from gaitid.model.shapes import Between, FirstOf, FromTo, PointName, PointRef
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.masks import median_of_known
from gaitid.numerics.rotation import norm, wrapped
from gaitid.records import NamedTuple
from gaitid.trial import Array

Columns = Mapping[str, Mapping[str, Array]]
# So many markers are named.
_SHOWN = 6
#: The joint whose place is wrong where a length or a measurement is.
JOINTS = {
    **dict.fromkeys(("asis", "hips", "leg_length", "inter_asis_distance", "asis_trocanter_distance"), "hip"),
    **dict.fromkeys(("thigh", "shank"), "knee"),
}
# deg. A foot whose own markers say more than this was not calibrated by angles that are exactly 0.
NOT_ZERO_DEG = 4.0


class JointFault(NamedTuple):
    """A joint of one leg that is that of no body, the note that says so, and whether only the foot's axes are wrong."""

    side: str
    joint: str
    note: Note
    only_foot: bool = False


def measurement_faults(model: specs.Model, subject: Subject) -> tuple[list[str], Notes]:
    """Measurements that contradict each other beyond any body, in words with their keys; notes of doubtful ones."""
    faults, notes = list[str](), list[Note]()
    for one in find_mistakes(_measured(subject)):
        shown = [_value(model, subject, name) for name in _names(one)]
        # angles are right whatever the mass is
        needed = not any(
            name == "mass" or model.subject[name.rpartition(".")[2]].optional for name in one.mistake.names
        )
        if one.impossible and needed:
            faults.append(phrase("measured/fault", measured=shown, why=_why(model, one)))
        else:
            notes.append(note("calibration_doubtful/measured", _side(one), measured=shown, why=_why(model, one)))
    return faults, tuple(notes)


def body_faults(
    geometry: Geometry, sides: Sequence[str], subject: Subject, angles: Mapping[str, Columns], some: Geometry
) -> tuple[list[JointFault], Notes]:
    """Joints whose lengths or calibration are those of no body, and notes of those that hardly any has.

    Parameters
    ----------
    geometry : Geometry
        Of the trial.
    sides : sequence of str
        Those that were recorded.
    subject : Subject
    angles : mapping of side to mapping of joint to mapping of column to (frames,) array, deg
    some : Geometry
        Of some frames of the trial, in which feet are looked at.
    """
    model, measured = geometry.model, _measured(subject)
    known = {name for one in find_mistakes(measured) for name in _names(one)}  # is said already
    of_feet, uncalibrated = _feet(some, sides, subject)
    numbers = measured | _lengths(geometry, sides) | _medians(angles)
    numbers |= {name: by for name, (by, _) in of_feet.items()}
    faults, notes = uncalibrated, list[Note]()
    for one in find_mistakes(numbers):
        names, fault = _names(one), one.impossible
        bare = names[0].rpartition(".")[2]
        if names[0] in of_feet:
            for name in one.mistake.names:
                side = name.partition(".")[0]
                values = {"labels": _labels(geometry, [(side, model.chain[0].segment)]), **of_feet[name][1]}
                wrong = note(f"calibration_{'impossible' if fault else 'doubtful'}/foot", side, **values)
                if fault:
                    faults.append(JointFault(side, "ankle", wrong, only_foot=True))
                else:
                    notes.append(wrong)
        elif people().dimensions[bare].angle and names[0] not in measured:
            for name in one.mistake.names:
                side, _, column = name.partition(".")
                joint, _, column = column.partition("_")
                row, deg = people().dimensions[bare], float(np.degrees(numbers[name]))
                limits = [round(np.degrees(row.expected + k * np.hypot(row.person, row.side))) for k in (-4, 4)]
                words = phrase("body/angle", angle=column.replace("_", " "), deg=deg, limits=limits)
                labels = _labels_of_joint(geometry, side, joint)
                notes.append(note("calibration_doubtful/angles", side, joint=joint, angles=[words], labels=labels))
        elif fault or not known & set(names):
            joints = [JOINTS[b] for name in one.mistake.names if (b := name.rpartition(".")[2]) in JOINTS]
            joint = joints[0] if fault and joints else ""
            shown = [_shown(geometry, subject, name, numbers[name]) for name in names]
            keys = [key(model, name) for name in names if name in measured]
            places = [_place(model, name) for name in names if name not in measured] or [("", model.base.segment)]
            values = {"measured": shown, "why": _why(model, one), "keys": keys, "labels": _labels(geometry, places)}
            code = "calibration_impossible/length" if joint else "calibration_doubtful/length"
            wrong = note(code, _side(one), joint=joint, **values)
            if joint:
                faults += [JointFault(side, joint, wrong) for side in ([_side(one)] if _side(one) else sides)]
            else:
                notes.append(wrong)
    return faults, tuple(notes)


def _measured(subject: Subject) -> dict[str, float]:
    """What somebody measured, or a static's markers; the trial's own lengths breathe with its joints."""
    of = {name: m for name, m in subject.measured.items() if m.source != specs.TRIAL_SOURCE}
    return {name: m.value for name, m in of.items() if not m.source.startswith("assumed")}


def _lengths(geometry: Geometry, sides: Sequence[str]) -> dict[str, float]:
    """Medians over the trial, m: thigh, shank, and the distances of the hips and of the ASIS markers."""
    model, result = geometry.model, dict[str, float]()
    for below, above in neighbours(model):
        for side in sides if above.segment in OF_TRIAL else ():
            result.setdefault(f"{side}.{above.segment}", median_distance(geometry, side, below.centre, above.centre))
    if len(sides) == 2 and model.chain[-1].segment == "thigh":
        scope = model.scope(True)
        for name, point in (("hips", model.chain[-1].centre), ("asis", "asis")):
            if point in scope.points or point in scope.markers:
                first, second = (geometry.point(point, side) for side in sides)
                result[name] = float(median_of_known(norm(first - second)))
    return result


def _medians(angles: Mapping[str, Columns]) -> dict[str, float]:
    """Medians over the trial of joint angles, rad."""
    return {
        name: float(np.radians(median_of_known(values)))
        for side, joints in angles.items()
        for joint, columns in joints.items()
        for column, values in columns.items()
        if (name := f"{side}.{joint}_{column}") and f"{joint}_{column}" in people().dimensions
    }


def _feet(
    geometry: Geometry, sides: Sequence[str], subject: Subject
) -> tuple[dict[str, tuple[float, dict[str, Any]]], list[JointFault]]:
    """By how much the trial's own markers deny a foot's calibration, rad, in words; feet that were never calibrated.

    The line from heel to toe marker, as the trial shows it, lies in the foot as in the static, but for how much higher
    one of both is put above the sole.
    """
    off, faults = dict[str, tuple[float, dict[str, Any]]](), list[JointFault]()
    stored = [m for m in geometry.model.subject.values() if f"{m.name}_off" in people().dimensions and m.c3d]
    for side in sides:
        zeros, of_side = list[bool](), dict[str, tuple[float, dict[str, Any]]]()
        for measurement in stored:
            measured = subject.measured.get(f"{side}.{measurement.name}")
            if measured is None or (own := static_angle(geometry, measurement, side)) is None:
                continue
            by = wrapped(own - measured.value)
            zeros.append(measured.value == 0 and "stored" in measured.source)
            words = {"key": key_of(measurement, side), "value": display(measured.value, "rad")}
            words |= {"source": measured.source, "shown": display(own, "rad")}
            of_side[f"{side}.{measurement.name}_off"] = by, words
            if len(zeros) == 1 and abs(np.degrees(by)) < NOT_ZERO_DEG:
                zeros[0] = False
        if zeros and all(zeros):
            faults.append(JointFault(side, "ankle", note("uncalibrated", side), only_foot=True))
        else:
            off |= of_side
    return off, faults


def knee_axis_notes(geometry: Geometry, side: str, knee: Mapping[str, Array]) -> Notes:
    """That varus and valgus of the knee follow its flexion, as where the thigh's axes are turned about its length.

    Parameters
    ----------
    geometry : Geometry
        Of some frames of the trial.
    side : str
    knee : mapping of column to (frames,) array, deg
        Of all of them.
    """
    axis = knee_axis(knee)
    if axis is None or abs(axis[TURNED]) < NAMED * axis[ERROR]:
        return ()
    corrected = corrected_rotation(geometry, side, axis[TURNED])
    return (
        note(
            "knee_axis_turned" if abs(axis[TURNED]) < DOUBTED * axis[ERROR] else "calibration_doubtful/knee_axis",
            side,
            deg=abs(axis[TURNED]),
            error=axis[ERROR],
            inward=axis[TURNED] > 0,
            key="" if corrected is None else key(geometry.model, f"{side}.{MEASUREMENT}"),
            value=corrected or 0.0,
            labels=_labels(geometry, [(side, "thigh")]),
        ),
    )


# --- words ---------------------------------------------------------------------------------------------------


def _names(found: LikelyMistake) -> list[str]:
    """All numbers of which one or some are wrong, the likeliest first."""
    return list(dict.fromkeys(name for mistake in found.rivals for name in mistake.names))


def _side(found: LikelyMistake) -> str:
    """The side of the mistake; empty of both, and of the body."""
    sides = {name.rpartition(".")[0] for name in found.mistake.names}
    return sides.pop() if len(sides) == 1 else ""


def _why(model: specs.Model, found: LikelyMistake) -> str:
    mistake = found.mistake
    side, _, bare = mistake.names[0].rpartition(".")
    if mistake.kind in ("exchanged", "person"):
        return phrase(f"measured/{mistake.kind}", percent=abs(100 * np.expm1(found.size)), larger=found.size > 0)
    if people().dimensions[bare].angle:
        return _angle_reason(model, side, bare)
    how = "" if mistake.kind in ("wrong", "deformed") else phrase(f"measured/{mistake.kind}")
    more, each = len(_names(found)) > len(mistake.names), len(mistake.names) > 1
    times = float(np.exp(found.size))
    return phrase("measured/times", times=times, how=how, more=more, each=each and not more)


def _value(model: specs.Model, subject: Subject, name: str) -> str:
    of = subject.measured[name]
    return phrase("measured/value", key=key(model, name), value=display(of.value, of.unit), source=of.source)


def _shown(geometry: Geometry, subject: Subject, name: str, value: float) -> str:
    """A measurement, or a length of the trial."""
    side, _, bare = name.rpartition(".")
    if bare in OF_TRIAL:
        what = "ASIS markers" if bare == "asis" else bare
        return phrase("body/length", side=side, what=what, mm=value * 1e3)
    return _value(geometry.model, subject, name) if name in subject.measured else name


def _place(model: specs.Model, name: str) -> tuple[str, str]:
    """The segment that a length of the trial belongs to."""
    side, _, bare = name.rpartition(".")
    return (side, bare) if side else ("", model.base.segment)


def _angle_reason(model: specs.Model, side: str, bare: str) -> str:
    """What an angle that cannot be says of its markers."""
    spec = model.subject[bare].static
    vectors = (spec.start, spec.end) if isinstance(spec, specs.StaticTurn) else ()
    points = [v.end for v in vectors if isinstance(v, FromTo) and isinstance(v.end, str)] or [
        PointName(model.heel),
        PointName(model.toe),
    ]
    labels = [label for point in points if (label := marker_label(model, point, side))]
    labels = labels or [label for point in points[-1:] if (label := _label(model, point, side))]
    return phrase("measured/angle", labels=labels)


def _label(model: specs.Model, point: PointRef, side: str) -> str:
    """The label of a marker, or of that from which a point is measured; empty where it is made of several."""
    if isinstance(point, FirstOf):
        return next(filter(None, (_label(model, option, side) for option in point.options)), "")
    if isinstance(point, Between):
        return _label(model, point.start, side)
    if not isinstance(point, str):
        return ""
    place, name = model.place("point", point, side)
    defined = model.scope(bool(place)).points.get(name)
    return marker_label(model, point, side) if defined is None else _label(model, defined, side)


def key(model: specs.Model, name: str) -> str:
    """The key of a subject file for a measurement by its name."""
    side, _, bare = name.rpartition(".")
    return key_of(model.subject[bare], side)


def _labels_of_joint(geometry: Geometry, side: str, joint: str) -> str:
    model = geometry.model
    for body, above in zip(model.chain, model.proximal, strict=True):
        if body.joint == joint:
            upper = ("", model.base.segment) if above is None else (side, model.chain[above].segment)
            return _labels(geometry, [(side, body.segment), upper])
    return ""


def _labels(geometry: Geometry, places: Sequence[tuple[str, str]]) -> str:
    """The markers of segments."""
    return first_few(list(dict.fromkeys(_markers(geometry, places))), _SHOWN)


def _markers(geometry: Geometry, places: Sequence[tuple[str, str]]) -> Iterator[str]:
    model = geometry.model
    of_segments = points_of_segments(model, [side.name for side in model.sides])
    for place in places:
        for side, name in of_segments.get(place, ()):
            if label := marker_label(model, name, side):
                yield label
