"""Whether lengths between joint centres and joint angles can be those of a body (`gaitid.body.plausible`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.calibration import marker_label
from gaitid.body.frames import Geometry
from gaitid.body.knee_axis import DOUBTED, ERROR, MEASUREMENT, NAMED, TURNED, corrected_rotation, knee_axis
from gaitid.body.lengths import median_distance, neighbours, points_of_segments, typical
from gaitid.body.places import Place
from gaitid.body.plausible import Limits, key, wrapped
from gaitid.body.requested import display
from gaitid.body.static_angles import static_angle
from gaitid.body.subject import Subject, key_of
from gaitid.errors import first_few
from gaitid.model import specs
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import median
from gaitid.records import NamedTuple
from gaitid.trial import Array

Columns = Mapping[str, Mapping[str, Array]]
# So many markers are named.
_SHOWN = 6


class JointFault(NamedTuple):
    """A joint of one leg that is that of no body, the note that says so, and whether only the foot's axes are wrong."""

    side: str
    joint: str
    note: Note
    only_foot: bool = False


# --- lengths -------------------------------------------------------------------------------------------------

# Thigh and shank are 0.245 and 0.246 of the height (Drillis & Contini 1966): a ratio of 1; 0.86 to 1.29 in 40 trials.
THIGH_TO_SHANK = Limits((0.70, 1.45), (0.45, 2.2))
# What both are of the leg length, from the ASIS to the malleolus, which is longer by what the ASIS lies above the hip:
# 0.87 to 0.98 in 39 trials of 40.
THIGH_AND_SHANK = Limits((0.80, 1.0), (0.65, 1.25))
# The distance of the hips to the sum of thigh and shank: 0.13 to 0.31.
HIPS = Limits((0.08, 0.45))
# The distance of the markers to that of the bones below them: 0.99 to 1.20 in nine persons; less than the bones' only
# where one of both is wrong.
ASIS = Limits((0.94, 1.30), (0.6, 2.0))
# Left and right: as a share; a real leg may be 15 % shorter.
LENGTHS_APART = 0.15


def length_faults(geometry: Geometry, sides: Sequence[str], subject: Subject) -> tuple[list[JointFault], Notes]:
    """Joints between segments of lengths that no body has, and notes of those that hardly any has."""
    lengths = {
        (side, above.segment): median_distance(geometry, side, below.centre, above.centre)
        for side in sides
        for below, above in neighbours(geometry.model)
    }
    model, faults, notes = geometry.model, list[JointFault](), list[Note]()

    def doubt(name: str, kind: str, joint: str, places: Sequence[Place], given: str = "", **values: object) -> None:
        if not kind:
            return
        side, *others = dict.fromkeys(side for side, _ in places)
        of_leg = "" if others else side
        named, value = (key(model, given), display(subject.numbers[given], "m")) if given else ("", "")
        what = phrase(name, side=side, given=named, value=value, **values)
        code = "calibration_impossible/length" if kind == "fault" else "calibration_doubtful/length"
        wrong = note(code, of_leg, what=what, joint=joint, given=named, labels=_labels(geometry, places))
        if kind == "fault":
            faults.extend(JointFault(of_side, joint, wrong) for of_side in ([of_leg] if of_leg else sides))
        else:
            notes.append(wrong)

    for side in sides:
        places = [(side, "thigh"), (side, "shank")]
        if not all(place in lengths for place in places):
            continue
        thigh, shank = (lengths[place] for place in places)
        mm: dict[str, Any] = {"thigh": thigh * 1e3, "shank": shank * 1e3}
        doubt("body/leg", THIGH_TO_SHANK.judge(thigh / shank), "knee", places, **mm)
        if (leg := subject.numbers.get(given := f"{side}.leg_length", np.nan)) > 0:
            doubt("body/leg", THIGH_AND_SHANK.judge((thigh + shank) / leg), "hip", places, given, **mm)
    for segment in ("thigh", "shank"):
        places = [(side, segment) for side in sides]
        both = [lengths.get(place, np.nan) * 1e3 for place in places]
        if len(both) == 2 and abs(np.log(both[0] / both[1])) > LENGTHS_APART:
            doubt("body/sides", "doubt", "", places, segment=segment, mm=both[0], other=sides[1], other_mm=both[1])
    base = [("", model.base.segment)]
    if bones := _given(subject, given := "inter_asis_distance"):
        asis = typical(norm(geometry.point("asis", "left") - geometry.point("asis", "right")))
        doubt("body/asis", ASIS.judge(asis / bones), "hip", base, given, mm=asis * 1e3)
    top = model.chain[-1]
    if len(sides) == 2 and top.segment == "thigh" and (sides[0], "shank") in lengths:
        apart = typical(norm(geometry.point(top.centre, sides[0]) - geometry.point(top.centre, sides[1])))
        leg = lengths[sides[0], "thigh"] + lengths[sides[0], "shank"]
        doubt("body/hips", HIPS.judge(apart / leg), "hip", base, mm=apart * 1e3)
    return faults, tuple(notes)


# --- angles --------------------------------------------------------------------------------------------------


#: deg. Doubted where the median of a trial lies beyond: ranges of motion (Norkin & White 2016) with 30° to 40° more.
#: Never more than a doubt: contracture, hypermobility and gymnastics go as far.
JOINT_ANGLES = {
    "hip": {"flexion": (-40, 120), "adduction": (-35, 35), "internal_rotation": (-60, 60)},
    "knee": {"flexion": (-25, 130), "adduction": (-35, 35), "internal_rotation": (-60, 60)},
    "ankle": {"dorsiflexion": (-60, 45), "eversion": (-35, 35), "internal_rotation": (-50, 50)},
}
# Likewise where a share of its frames lies beyond by so many degrees more.
BEYOND, FARTHER_DEG = 0.1, 40.0
# deg. What the trial's own markers, heel and toe as they are, say of the foot's calibration: within 8° and 5° of it.
FOOT_OFF = {"static_plantar_flexion": Limits((0, 14), (0, 30)), "static_rotation_offset": Limits((0, 10), (0, 30))}
# deg. A foot whose own markers say more than this was not calibrated by angles that are exactly 0.
NOT_ZERO_DEG = 4.0


def angle_doubts(geometry: Geometry, angles: Mapping[str, Columns]) -> Notes:
    """Notes of joints whose angles hardly any body has.

    Parameters
    ----------
    geometry : Geometry
        Of the trial.
    angles : mapping of side to mapping of joint to mapping of column to (frames,) array, deg
    """
    notes = list[Note]()
    for side, joints in angles.items():
        for joint, of_columns in JOINT_ANGLES.items():
            doubts = list[str]()
            for column, limits in of_columns.items():
                values = joints.get(joint, {}).get(column)
                known = np.zeros(0) if values is None else values[np.isfinite(values)]
                if known.size and _doubtful(known, limits):
                    angle, deg = column.replace("_", " "), float(median(known))
                    doubts.append(phrase("body/angle", angle=angle, deg=deg, limits=limits))
            if doubts:
                labels = _labels_of_joint(geometry, side, joint)
                notes.append(note("calibration_doubtful/angles", side, joint=joint, angles=doubts, labels=labels))
    return tuple(notes)


def _doubtful(known: Array, limits: tuple[float, float]) -> bool:
    low, high = limits
    if known.min() >= low and known.max() <= high:
        return False  # nor can the median be doubtful, then, and it takes longer
    far = (known < low - FARTHER_DEG) | (known > high + FARTHER_DEG)
    return bool(far.mean() > BEYOND or not low <= median(known) <= high)


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


def foot_faults(geometry: Geometry, sides: Sequence[str], subject: Subject) -> tuple[list[JointFault], Notes]:
    """Ankles whose foot was never calibrated, or otherwise than the trial's own markers show.

    The line from heel to toe marker, as the trial shows it, lies in the foot as in the static, but for how much higher
    one of both is put above the sole.
    """
    faults, notes = list[JointFault](), list[Note]()
    stored = [geometry.model.subject[name] for name in geometry.model.subject if name in FOOT_OFF]
    angles = [m for m in stored if isinstance(m.static, specs.StaticAngle) and m.c3d]
    for side in sides:
        zeros, off = list[bool](), list[tuple[str, dict[str, Any]]]()
        for measurement in angles:
            measured = subject.measured.get(f"{side}.{measurement.name}")
            if measured is None or (own := static_angle(geometry, measurement, side)) is None:
                continue
            zeros.append(measured.value == 0 and "stored" in measured.source)
            difference = abs(np.degrees(wrapped(own - measured.value)))
            kind = FOOT_OFF[measurement.name].judge(difference)
            if kind:
                stored_as = {"key": key_of(measurement, side), "value": display(measured.value, "rad")}
                off.append((kind, {**stored_as, "source": measured.source, "shown": display(own, "rad")}))
            if len(zeros) == 1 and difference < NOT_ZERO_DEG:
                zeros[0] = False
        if zeros and all(zeros):
            faults.append(JointFault(side, "ankle", note("uncalibrated", side), only_foot=True))
            continue
        for kind, values in off:
            labels = _labels(geometry, [(side, geometry.model.chain[0].segment)])
            if kind == "fault":
                wrong = note("calibration_impossible/foot", side, labels=labels, **values)
                faults.append(JointFault(side, "ankle", wrong, only_foot=True))
            else:
                notes.append(note("calibration_doubtful/foot", side, labels=labels, **values))
    return faults, tuple(notes)


# --- words ---------------------------------------------------------------------------------------------------


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


def _given(subject: Subject, name: str) -> float:
    """A measurement that somebody made; 0 where it follows from markers, or is not known."""
    measured = subject.measured.get(name)
    return 0.0 if measured is None or "estimated" in measured.source else measured.value
