"""The simulated stride of configs/mechanisms/gait_leg.csv, from sines alone.

    python tests/mechanism/gait_leg_table.py     writes it

Angles are those of the segments' x axes, from the proximal to the distal joint, counter-clockwise; x is forward.
"""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np

PATH = Path(__file__).resolve().parents[2] / "configs" / "mechanisms" / "gait_leg.csv"
STRIDE_S, STANCE_S, RATE_HZ = 1.1, 0.66, 100.0
WEIGHT_N = 70 * 9.81
COLUMNS = [
    "time_s",
    "hip_x_m",
    "hip_y_m",
    "thigh_deg",
    "knee_deg",
    "ankle_deg",
    "ground_force_x_N",
    "ground_force_y_N",
    "cop_x_m",
    "cop_y_m",
]


def table() -> np.ndarray:
    """(rows, columns) of the table: one stride that begins with the heel's strike."""
    t = np.arange(round(STRIDE_S * RATE_HZ) + 1) / RATE_HZ
    turn = 2 * pi * t / STRIDE_S
    hip_x = 1.38 * t + 0.012 * np.sin(2 * turn)
    hip_y = 0.89 - 0.02 * np.cos(2 * turn)
    hip_flexion = 9 + 20 * np.cos(turn - 0.1) - 3 * np.cos(2 * turn)
    knee_flexion = 25 - 6 * np.cos(turn) - 20 * np.sin(turn) - 13 * np.cos(2 * turn) + 6 * np.sin(2 * turn)
    dorsiflexion = 1 - 3 * np.cos(turn) + 7 * np.sin(turn) + 5 * np.cos(2 * turn) - 6 * np.sin(2 * turn)
    # where in stance, from 0 to 1; in swing the force is none, and 0 gives that
    share = np.where(t < STANCE_S, t / STANCE_S, 0.0)
    up = WEIGHT_N * (1.15 * np.sin(pi * share) + 0.25 * np.sin(3 * pi * share))
    forward = -0.18 * WEIGHT_N * np.sin(2 * pi * share)
    cop_x = 0.40 + 0.22 * (t / STANCE_S).clip(0, 1)
    columns = [t, hip_x, hip_y, hip_flexion - 90, -knee_flexion, 72 + dorsiflexion, forward, up, cop_x, 0 * t]
    return np.stack(columns, axis=1)


def text() -> str:
    """The table as it is bundled."""
    rows = [",".join(f"{value + 0.0:.10g}" for value in row) for row in table().tolist()]
    return "\n".join([",".join(COLUMNS), *rows]) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8", newline="\n")
