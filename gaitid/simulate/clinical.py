"""Exact angles, moments and powers in the words of the clinic, from rotations and wrenches of the simulation.

Signs and components are those of the conventional gait model: Cardan angles Y-X-Z of the distal segment in
the proximal one, moments in the axes of the distal segment. A moment is internal, what the proximal segment
exerts on the distal one, and is positive where its name says (an extension moment extends).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.simulate.body import SIDES, SIGN
from gaitid.simulate.jet import Array, turn_matrix
from gaitid.simulate.scenarios import gait_data

#: Distal and proximal segment of each joint, without the side.
JOINT_SEGMENTS: Mapping[str, tuple[str, str]] = {
    "hip": ("thigh", "pelvis"),
    "knee": ("shank", "thigh"),
    "ankle": ("foot", "shank"),
}


def cardan_deg(proximal: Array, distal: Array, letters: str) -> tuple[Array, Array, Array]:
    """Angles a, b, c in degrees, (times,), with proximalᵀ · distal = R_i(a) R_j(b) R_k(c), for three different axes."""
    R = np.swapaxes(proximal, -1, -2) @ distal
    i, j, k = ("xyz".index(letter) for letter in letters)
    # i, j, k in turn or against the turn: the sign of every sine
    s = 1.0 if (j - i) % 3 == 1 else -1.0
    a = np.arctan2(-s * R[:, j, k], R[:, k, k])
    b = np.arcsin(np.clip(s * R[:, i, k], -1.0, 1.0))
    c = np.arctan2(-s * R[:, i, j], R[:, i, i])
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
    words = gait_data("clinical")
    axes = {**rotation, **{f"{side}_progress": turn_matrix(2, direction_rad) for side in SIDES}}
    for side in SIDES:
        columns |= _angles(axes, side, words["angles"])
        columns[f"{side}_ankle_dorsiflexion_deg"] -= 90.0
        for joint, names in words["moments"].items():
            distal = rotation[f"{side}_{JOINT_SEGMENTS[joint][0]}"]
            local = np.einsum("tij,ti->jt", distal, wrenches[side, joint][1]) / mass_kg
            for name, term in names.items():
                columns[f"{side}_{joint}_{name}_moment_Nm_per_kg"] = _signed(term, "yxz", local[[1, 0, 2]], side)
        for joint, segments in JOINT_SEGMENTS.items():
            distal, proximal = (omega_g[_named(side, segment)] for segment in segments)
            power = np.einsum("ti,ti->t", wrenches[side, joint][1], distal - proximal)
            columns[f"{side}_{joint}_power_W_per_kg"] = power / mass_kg
    if "thorax" in rotation:
        for side in SIDES:
            columns |= _angles(axes, side, words["trunk"])
    return columns


def _angles(axes: Mapping[str, Array], side: str, joints: Mapping[str, Any]) -> dict[str, Array]:
    columns = {}
    for joint, angle in joints.items():
        proximal, distal = (axes[_named(side, angle[end])] for end in ("proximal", "distal"))
        abc = cardan_deg(proximal, distal, "yxz")
        for name, term in angle["names"].items():
            columns[f"{side}_{joint}_{name}_deg"] = _signed(term, "abc", abc, side)
    return columns


def _signed(term: str, letters: str, values: Sequence[Array], side: str) -> Array:
    """The value that a letter stands for, with the term's sign; all but the first letter's change it on the right."""
    i = letters.index(term[-1])
    return (-1.0 if term[0] == "-" else 1.0) * (SIGN[side] if i else 1.0) * values[i]


def _named(side: str, segment: str) -> str:
    """Name of a side's segment; pelvis and thorax belong to both."""
    return segment if segment in ("pelvis", "thorax") else f"{side}_{segment}"
