"""A result -> joint moments of each side, and angles, under the names and with the signs of OpenSim's gait2392.

Each side has a file of its own: the loads of both feet are seldom known in the same frames, and a file may hold none
that is not (`known_stretch`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.analysis.result import Result
from gaitid.errors import GaitidError
from gaitid.export.opensim_axes import Axes, axes_of, known_stretch, storage
from gaitid.export.source import Made, Source
from gaitid.numerics.rotation import cardan
from gaitid.trial import Array

#: Coordinate of each joint's column, with the sign that makes it OpenSim's. Its knee extends positively in gait2392 and
#: gait2354 (in Rajagopal2016 the knee's sign is the other one); hip and ankle are alike in all.
ANGLES = {
    ("hip", "flexion"): ("hip_flexion", 1),
    ("hip", "adduction"): ("hip_adduction", 1),
    ("hip", "internal_rotation"): ("hip_rotation", 1),
    ("knee", "flexion"): ("knee_angle", -1),
    ("ankle", "dorsiflexion"): ("ankle_angle", 1),
}
MOMENTS = {
    ("hip", "extension"): ("hip_flexion", -1),
    ("hip", "abduction"): ("hip_adduction", -1),
    ("hip", "external_rotation"): ("hip_rotation", -1),
    ("knee", "extension"): ("knee_angle", 1),
    ("ankle", "plantarflexion"): ("ankle_angle", -1),
}
_KNEE = "knee_angle: positive in extension, as in gait2392 and gait2354; in Rajagopal2016 it has the other sign"
# Axes of the pelvis in OpenSim (x forward, y up, z right) in those of gaitid (x forward, y left, z up).
_R_PELVIS = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def make(source: Source) -> Made:
    """``walk.left.sto`` and ``walk.right.sto``, the moments, and ``walk.angles.sto``.

    Raises
    ------
    GaitidError
        The model has no joint of a name that OpenSim's has, or nothing of it is known.
    """
    result = source.analysed()
    axes = axes_of(result)
    angles = _pelvis(result, axes)
    tables: dict[str, dict[str, Array]] = {}
    for side, leg in result.sides.items():
        angles |= _columns(leg.angles, ANGLES, f"_{side[:1]}", 1.0)
        tables[side] = _columns(leg.moments, MOMENTS, f"_{side[:1]}_moment", result.subject.mass_kg)
    tables["angles"] = angles
    contents: dict[str, str | bytes] = {}
    remarks = [axes.words, _KNEE]
    for name, columns in tables.items():
        known = {column: values for column, values in columns.items() if np.isfinite(values).any()}
        table = np.column_stack([result.trial.time_s, *known.values()])
        stretch = known_stretch(table, result.trial.first_frame)
        if not known or not stretch.words:
            remarks.append(f"no file of {name}: nothing of it is known")
            continue
        is_angles = name == "angles"
        unit = "deg; pelvis_tx, pelvis_ty, pelvis_tz in m" if is_angles else "N.m, internal, not divided by mass"
        about = [axes.words, f"Values in {unit}.", f"{_KNEE}.", f"Axes and centres: model {result.model.name}."]
        title = "Coordinates" if is_angles else "Inverse Dynamics Generalized Forces"
        file = f"{source.stem}.{name}.sto"
        words = [*about, f"Rows: {stretch.words}."]
        contents[file] = storage(title, words, ["time", *known], table[stretch.rows], in_degrees=is_angles)
        remarks.append(f"{file}: {stretch.words}")
    if not contents:
        raise GaitidError(
            "nothing that OpenSim has a coordinate for",
            expected="angles or moments of a hip, knee or ankle",
            found=f"model {result.model.name}",
        )
    return Made(contents, tuple(remarks))


def _columns(
    joints: Mapping[str, Mapping[str, Array]], known: Mapping[tuple[str, str], tuple[str, int]], end: str, factor: float
) -> dict[str, Array]:
    """The columns that OpenSim has a coordinate for, in its order."""
    return {
        f"{name}{end}": sign * factor * joints[joint][column]
        for (joint, column), (name, sign) in known.items()
        if joint in joints and column in joints[joint]
    }


def _pelvis(result: Result, axes: Axes) -> dict[str, Array]:
    """How the pelvis stands in OpenSim's ground: tilt about Z, then list about X, then rotation about Y (gait2392)."""
    if result.model.base.segment != "pelvis":
        return {}
    R_op = axes.R_og @ result.base.R_gs @ _R_PELVIS
    tilt, sideways, turn = (np.degrees(angle) for angle in cardan(R_op, "zxy"))
    origin = axes.turned(result.body.geometry.point(result.model.base.origin, ""))
    turned = {"pelvis_tilt": tilt, "pelvis_list": sideways, "pelvis_rotation": turn}
    return turned | {f"pelvis_t{k}": origin[:, i] for i, k in enumerate("xyz")}
