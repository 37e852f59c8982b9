"""``walk.joint_space.csv``: M, V, G, F and J of each frame, with the torque that they sum to."""

from __future__ import annotations

import numpy as np

from gaitid.analysis.joint_space import joint_space
from gaitid.analysis.result import Result
from gaitid.write.table import Columns

#: Rows of a Jacobian, and the unit of its columns for an angle and for a slide.
_ROWS = {
    "vx": ("m", "1"),
    "vy": ("m", "1"),
    "vz": ("m", "1"),
    "wx": ("1", "per_m"),
    "wy": ("1", "per_m"),
    "wz": ("1", "per_m"),
}


def joint_space_table(result: Result) -> Columns:
    """The table; friction is not measured, and its columns are empty.

    M is symmetric: what stands below its diagonal is not written. Nor are columns of a Jacobian that nothing moves.
    """
    found, table = joint_space(result), Columns(result.trial)
    coordinates = list(zip(found.coordinates, found.turns, strict=True))  # each an angle (rad), or a slide (m)
    motion = {"q": (found.q, ""), "qd": (found.qd, "_per_s"), "qdd": (found.qdd, "_per_s2")}
    for term, (values, per) in motion.items():
        table.add([f"{term}_{name}_{'rad' if turn else 'm'}{per}" for name, turn in coordinates], values)
    unknown = np.full_like(found.G, np.nan)
    torques = {"V": found.V, "G": found.G, "F": unknown, "loads": found.loads, "tau": found.tau}
    for term, values in torques.items():
        table.add([f"{term}_{name}_{'Nm' if turn else 'N'}" for name, turn in coordinates], values)
    for i, (a, turns_a) in enumerate(coordinates):
        for k, (b, turns_b) in enumerate(coordinates[i:], start=i):
            table.add([f"M_{a}__{b}_{('kg', 'kg_m', 'kg_m2')[turns_a + turns_b]}"], found.M[:, i, k])
    for segment, J in found.ends.items():
        for row, (word, units) in enumerate(_ROWS.items()):
            for k, (name, turn) in enumerate(coordinates):
                if np.nan_to_num(J[:, :, k]).any():
                    table.add([f"J_{segment}_{word}__{name}_{units[0] if turn else units[1]}"], J[:, row, k])
    return table
