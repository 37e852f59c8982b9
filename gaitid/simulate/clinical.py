"""Exact angles, moments and powers in the words of the clinic, from rotations and wrenches of the simulation.

Signs and components are those of the conventional gait model: Cardan angles Y-X-Z of the distal segment in
the proximal one, moments in the axes of the distal segment. A moment is internal, what the proximal segment
exerts on the distal one, and is positive where its name says (an extension moment extends).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.simulate.body import SIDES, SIGN
from gaitid.simulate.jet import Array, turn_matrix

#: Distal and proximal segment of each joint, without the side.
JOINT_SEGMENTS: Mapping[str, tuple[str, str]] = {
    "hip": ("thigh", "pelvis"),
    "knee": ("shank", "thigh"),
    "ankle": ("foot", "shank"),
}


def named(side: str, segment: str) -> str:
    """Name of a side's segment; the pelvis belongs to both."""
    return segment if segment == "pelvis" else f"{side}_{segment}"


def progress_frame(direction_rad: float) -> Array:
    """(3, 3) frame of progression: x along the horizontal displacement, z up."""
    return turn_matrix(2, direction_rad)


def cardan_yxz_deg(proximal: Array, distal: Array) -> tuple[Array, Array, Array]:
    """Angles a, b, c in degrees, (times,), with proximalᵀ · distal = Ry(a) Rx(b) Rz(c)."""
    d = np.swapaxes(proximal, -1, -2) @ distal
    # Ry(a) Rx(b) Rz(c): third column (sin a cos b, −sin b, cos a cos b), second row (cos b sin c, cos b cos
    # c, …)
    a = np.arctan2(d[..., 0, 2], d[..., 2, 2])
    b = np.arcsin(np.clip(-d[..., 1, 2], -1.0, 1.0))
    c = np.arctan2(d[..., 1, 0], d[..., 1, 1])
    return np.degrees(a), np.degrees(b), np.degrees(c)


def clinical(
    rotation: Mapping[str, Array],
    omega_g: Mapping[str, Array],
    wrenches: Mapping[tuple[str, str], tuple[Array, Array]],
    mass_kg: float,
    direction_rad: float,
) -> dict[str, Array]:
    """Columns of a joints file after ``frame`` and ``time_s``, in order.

    Parameters
    ----------
    rotation : mapping of segment to (times, 3, 3) array
        As in `Skeleton.rotation`.
    omega_g : mapping of segment to (times, 3) array, rad/s
    wrenches : mapping of (side, joint) to (force, moment)
        As from `joint_wrenches`.
    mass_kg : float
        Of the body.
    direction_rad : float
        Of the displacement of the middle of the ASIS over the trial, from laboratory x.

    Returns
    -------
    mapping of column to (times,) array
    """
    columns: dict[str, Array] = {}
    progress = progress_frame(direction_rad)
    for side in SIDES:
        columns |= _angles(rotation, progress, side)
        columns |= _moments(rotation, wrenches, mass_kg, side)
        for joint, (distal, proximal) in JOINT_SEGMENTS.items():
            turning = omega_g[named(side, distal)] - omega_g[named(side, proximal)]
            power = np.einsum("ti,ti->t", wrenches[side, joint][1], turning)
            columns[f"{side}_{joint}_power_W_per_kg"] = power / mass_kg
    if "thorax" in rotation:
        for side in SIDES:
            columns |= _trunk_angles(rotation, progress, side)
    return columns


def _trunk_angles(rotation: Mapping[str, Array], progress: Array, side: str) -> dict[str, Array]:
    """Of the thorax to the laboratory, and of the pelvis seen from it, as Plug-in Gait signs its spine."""
    sg, thorax = SIGN[side], rotation["thorax"]
    a, b, c = cardan_yxz_deg(progress, thorax)
    tilt = {"anterior_tilt": a, "upward_obliquity": sg * b, "internal_rotation": -sg * c}
    a, b, c = cardan_yxz_deg(thorax, rotation["pelvis"])
    bend = {"flexion": -a, "lateral_flexion": sg * b, "external_rotation": -sg * c}
    return {f"{side}_thorax_{name}_deg": values for name, values in tilt.items()} | {
        f"{side}_spine_{name}_deg": values for name, values in bend.items()
    }


def _angles(rotation: Mapping[str, Array], progress: Array, side: str) -> dict[str, Array]:
    sg = SIGN[side]
    r = {segment: rotation[f"{side}_{segment}"] for segment in ("thigh", "shank", "foot", "torsioned_shank")}
    pelvis = rotation["pelvis"]
    out: dict[str, Array] = {}
    _, b, _ = cardan_yxz_deg(progress, r["foot"])
    out[f"{side}_foot_progression_internal_rotation_deg"] = -sg * b
    a, b, c = cardan_yxz_deg(progress, pelvis)
    out[f"{side}_pelvis_anterior_tilt_deg"] = a
    out[f"{side}_pelvis_upward_obliquity_deg"] = sg * b
    out[f"{side}_pelvis_internal_rotation_deg"] = -sg * c
    a, b, c = cardan_yxz_deg(pelvis, r["thigh"])
    out[f"{side}_hip_flexion_deg"] = -a
    out[f"{side}_hip_adduction_deg"] = -sg * b
    out[f"{side}_hip_internal_rotation_deg"] = -sg * c
    a, b, c = cardan_yxz_deg(r["thigh"], r["shank"])
    out[f"{side}_knee_flexion_deg"] = a
    out[f"{side}_knee_adduction_deg"] = -sg * b
    out[f"{side}_knee_internal_rotation_deg"] = -sg * c
    a, b, c = cardan_yxz_deg(r["torsioned_shank"], r["foot"])
    out[f"{side}_ankle_dorsiflexion_deg"] = -90.0 - a
    out[f"{side}_ankle_eversion_deg"] = -sg * c
    out[f"{side}_ankle_internal_rotation_deg"] = -sg * b
    return out


def _moments(
    rotation: Mapping[str, Array], wrenches: Mapping[tuple[str, str], tuple[Array, Array]], mass_kg: float, side: str
) -> dict[str, Array]:
    sg = SIGN[side]
    local = {
        joint: np.einsum("tij,ti->tj", rotation[f"{side}_{distal}"], wrenches[side, joint][1]) / mass_kg
        for joint, (distal, _) in JOINT_SEGMENTS.items()
    }
    hip, knee, ankle = local["hip"], local["knee"], local["ankle"]
    named_moments = {
        "hip_extension": hip[:, 1],
        "hip_abduction": sg * hip[:, 0],
        "hip_external_rotation": sg * hip[:, 2],
        "knee_extension": -knee[:, 1],
        "knee_abduction": sg * knee[:, 0],
        "knee_external_rotation": sg * knee[:, 2],
        "ankle_plantarflexion": ankle[:, 1],
        "ankle_eversion": -sg * ankle[:, 2],
        "ankle_external_rotation": sg * ankle[:, 0],
    }
    return {f"{side}_{name}_moment_Nm_per_kg": value for name, value in named_moments.items()}
