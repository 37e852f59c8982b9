"""A first draft of a marker set: what is guessed from where a marker is worn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from gaitid import read_trial
from gaitid.inspect.draft import draft_marker_set

STATIC = Path(__file__).resolve().parents[2] / "sample_data" / "walk" / "static.c3d"


def test_neither_axes_nor_hands_are_guessed_to_be_of_a_thigh() -> None:
    static = read_trial(STATIC)
    thigh = static.marker("LTHI")
    axes = np.stack([thigh, *(thigh + 0.1 * along for along in np.eye(3))], axis=1)
    others = np.stack([thigh + [0.0, 0.0, 1.0], thigh + 0.02, thigh + 0.01], axis=1)
    more = np.concatenate([axes, others], axis=1)
    labels = ("LFEO", "LFEA", "LFEL", "LFEP", "LFHD", "LFIN", "LXY1")
    worn = replace(static, labels=static.labels + labels, points_g=np.concatenate([static.points_g, more], axis=1))
    (line,) = (line for line in draft_marker_set(worn).splitlines() if "a guess:" in line)
    assert "thigh_cluster" in line and "LXY1" in line
    assert not any(label in line for label in labels[:-1])
