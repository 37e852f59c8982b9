"""Single stances read back: ``stances.csv`` has no events, and its plates are words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gaitid.report.gathering import load_result
from gaitid.report.page import PERCENT, STANCE, pool


def test_stances_are_those_of_the_file(result: Path) -> None:
    loaded = load_result(result)
    right = loaded.stances["right"]
    assert (right.numbers.tolist(), right.first_frame.tolist(), right.last_frame.tolist()) == ([1], [150], [213])
    assert np.isnan(right.off_percent).all()
    assert np.isnan(right.columns["ground_reaction_upward_N_per_kg"][0, 0])
    basis = pool([loaded])
    assert basis.kind == STANCE
    knee = np.interp(97 + 0.63 * PERCENT, loaded.frame, loaded.columns["left_knee_flexion_deg"])
    assert np.allclose(basis.sides["left"].mean("knee_flexion_deg").mean, knee)
