"""OpenSim's coordinates and generalised forces (``.mot``, ``.sto``) -> curves in gaitid's names, signs and units.

The table of signs stands in docs/compare.md. Of hip and ankle they are alike in OpenSim's gait models; the knee bends
negatively in gait2392 and gait2354 (Delp et al. 1990) and positively in Rajagopal2016 (Rajagopal et al. 2016).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.errors import GaitidError
from gaitid.export.to_sto import ANGLES, MOMENTS
from gaitid.read.tables.mot import MotionTable, motion_table
from gaitid.records import NamedTuple
from gaitid.trial import Array

_SIDES = {"l": "left", "r": "right"}
# Of the pelvis in the ground: about z to the right, then x forward, then y up; with the sign of left and right.
_PELVIS = (
    ("pelvis_anterior_tilt", "pelvis_tilt", {"left": -1, "right": -1}),
    ("pelvis_upward_obliquity", "pelvis_list", {"left": 1, "right": -1}),
    ("pelvis_internal_rotation", "pelvis_rotation", {"left": -1, "right": 1}),
)
# Coordinates that Rajagopal2016 has and gait2392 and gait2354 have not.
_RAJAGOPAL = ("arm_flex_r", "knee_angle_r_beta", "elbow_flex_r")
# deg. A knee bends more than this in any movement worth comparing, and extends beyond straight by less.
_BENT = 25.0


class FromOpenSim(NamedTuple):
    """Curves of a file by its own clock, and what was assumed."""

    time_s: Array
    columns: dict[str, Array]
    notes: tuple[str, ...]
    words: str


def read_opensim(path: Path, mass_kg: float, knee: str | None = None) -> FromOpenSim:
    """Read joint angles or moments.

    Parameters
    ----------
    path : Path
        ``.mot`` or ``.sto``.
    mass_kg : float
        That moments are divided by.
    knee : {"gait2392", "rajagopal"}, optional
        Whose sign the knee has; by default what the file's columns and knee angles tell.

    Raises
    ------
    GaitidError
        Not such a file, or without a coordinate that gaitid knows.
    """
    table = motion_table(path)
    names = {name.lower(): i for i, name in enumerate(table.columns)}
    if "time" not in names:
        raise GaitidError("no column 'time'", found=", ".join(table.columns[:8]))
    time_s = table.values[:, names["time"]]
    if not (np.isfinite(time_s).all() and (np.diff(time_s) > 0).all()):
        raise GaitidError("its times do not increase")
    angles, moments = _present(names, ""), _present(names, "_moment")
    columns: dict[str, Array] = {}
    notes = tuple(note.text for note in table.notes)
    degrees, degree_notes = _degrees(table, bool(angles))
    sign, knee_note = _knee_sign(table, names, degrees, knee)
    notes += degree_notes + ((knee_note,) if "knee_angle" in {*angles, *moments} else ())
    factor = 1.0 if degrees else float(np.degrees(1.0))
    for letter, side in _SIDES.items():
        for (joint, motion), (theirs, same) in ANGLES.items():
            if (i := names.get(f"{theirs}_{letter}")) is not None:
                turned = sign if joint == "knee" else 1
                columns[f"{side}_{joint}_{motion}_deg"] = same * turned * factor * table.values[:, i]
        for (joint, motion), (theirs, same) in MOMENTS.items():
            if (i := names.get(f"{theirs}_{letter}_moment")) is not None:
                turned = sign if joint == "knee" else 1
                columns[f"{side}_{joint}_{motion}_moment_Nm_per_kg"] = same * turned * table.values[:, i] / mass_kg
        for ours, theirs, signs in _PELVIS:
            if (i := names.get(theirs)) is not None:
                columns[f"{side}_{ours}_deg"] = signs[side] * factor * table.values[:, i]
    if not columns:
        raise GaitidError(
            "no joint that gaitid knows",
            expected="columns such as hip_flexion_r, or hip_flexion_r_moment",
            found=", ".join(table.columns[:8]),
        )
    if any(theirs in names for _, theirs, _ in _PELVIS):
        notes += ("the pelvis stands in OpenSim's ground: its rotation is comparable for a walk along +x alone",)
    if moments and not np.isfinite(mass_kg):
        raise GaitidError("moments in N·m cannot be compared without the body's mass", todo="give mass_kg to the run")
    words = "inverse kinematics" if angles else "inverse dynamics"
    return FromOpenSim(time_s, columns, notes, f"OpenSim, {words}")


def _present(names: Mapping[str, int], end: str) -> Sequence[str]:
    """The coordinates of a leg that the file holds."""
    known = (theirs for theirs, _ in ANGLES.values())
    return [theirs for theirs in known if any(f"{theirs}_{letter}{end}" in names for letter in _SIDES)]


def _degrees(table: MotionTable, has_angles: bool) -> tuple[bool, tuple[str, ...]]:
    if table.in_degrees is not None or not has_angles:
        return bool(table.in_degrees), ()
    return False, ("the header does not say inDegrees: angles are taken as radians, as OpenSim does",)


def _knee_sign(table: MotionTable, names: Mapping[str, int], degrees: bool, knee: str | None) -> tuple[int, str]:
    """1 where the knee extends positively, as `gaitid.export.to_sto` has it, else −1; and how that was found."""
    if knee is not None:
        return (-1 if knee == "rajagopal" else 1), f"the knee's sign is that of {knee}, as --knee says"
    seen = [table.values[:, i] for letter in _SIDES if (i := names.get(f"knee_angle_{letter}")) is not None]
    if seen:
        values = np.concatenate(seen) * (1.0 if degrees else np.degrees(1.0))
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if max(-low, high) > _BENT:
            sign = -1 if high > -low else 1
            way = "positively (as in Rajagopal2016)" if sign < 0 else "negatively (as in gait2392)"
            return sign, f"the knee bends {way}: its angle runs from {low:.0f} to {high:.0f} deg"
    ends = ("", "_moment", "_force")
    if any(f"{name}{end}" in names for name in _RAJAGOPAL for end in ends):
        return -1, "the knee's sign is taken as in Rajagopal2016, whose coordinates the file has"
    return 1, "the knee's sign is taken as in gait2392 and gait2354: --knee rajagopal turns it"
