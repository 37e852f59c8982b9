"""``walk.joint_space.csv``: M, V, G, F and J of each frame, with the torque that they sum to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.analysis.joint_space import joint_space
from gaitid.analysis.result import Result
from gaitid.trial import Array
from gaitid.write.table import Columns

#: Rows of a Jacobian, and the unit of its columns for an angle and for a slide.
ROWS = {
    "vx": ("m", "1"),
    "vy": ("m", "1"),
    "vz": ("m", "1"),
    "wx": ("1", "per_m"),
    "wy": ("1", "per_m"),
    "wz": ("1", "per_m"),
}


def joint_space_table(result: Result) -> Columns:
    """The table; friction is not measured, and its columns are empty."""
    found, table = joint_space(result), Columns(result.trial)
    columns = joint_space_columns(
        found.coordinates,
        found.turns,
        {
            "q": found.q,
            "qd": found.qd,
            "qdd": found.qdd,
            "V": found.V,
            "G": found.G,
            "F": np.full_like(found.G, np.nan),
            "loads": found.loads,
            "tau": found.tau,
        },
        found.M,
        found.ends,
    )
    for name, values in columns.items():
        table.add([name], values)
    return table


def joint_space_columns(
    coordinates: Sequence[str], turns: Sequence[bool], vectors: Mapping[str, Array], M: Array, ends: Mapping[str, Array]
) -> dict[str, Array]:
    """The columns by name, (frames,) each.

    Parameters
    ----------
    coordinates : sequence of str
    turns : sequence of bool
        Whether each is an angle (rad), or a slide (m).
    vectors : mapping of term to (frames, n) array
        ``q``, ``qd``, ``qdd``, and terms in N·m or N.
    M : (frames, n, n) array
        Symmetric: what stands below the diagonal is not written.
    ends : mapping of segment to (frames, 6, n) array
        Jacobians; columns that nothing moves are left out.
    """
    table: dict[str, Array] = {}
    powers = {"q": "", "qd": "_per_s", "qdd": "_per_s2"}
    for term, values in vectors.items():
        for i, (name, turn) in enumerate(zip(coordinates, turns, strict=True)):
            unit = f"{'rad' if turn else 'm'}{powers[term]}" if term in powers else "Nm" if turn else "N"
            table[f"{term}_{name}_{unit}"] = values[:, i]
    for i, (a, turns_a) in enumerate(zip(coordinates, turns, strict=True)):
        for k in range(i, len(coordinates)):
            unit = ("kg", "kg_m", "kg_m2")[turns_a + turns[k]]
            table[f"M_{a}__{coordinates[k]}_{unit}"] = M[:, i, k]
    for segment, J in ends.items():
        for row, (word, units) in enumerate(ROWS.items()):
            for k, (name, turn) in enumerate(zip(coordinates, turns, strict=True)):
                if np.nan_to_num(J[:, :, k]).any():
                    table[f"J_{segment}_{word}__{name}_{units[0] if turn else units[1]}"] = J[:, row, k]
    return table
