"""Single stances read back: ``stances.csv`` has no events, and its plates are words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gaitid.report.page import STANCE, pool
from gaitid.report.result import load_result

HEADER = "side,contact,percent,first_frame,last_frame,plates,knee_flexion_deg,ground_reaction_upward_N_per_kg"


def write_stances(result: Path) -> None:
    lines = [HEADER]
    for side, contact, first, last, plates in (("left", 1, 97, 160, "2"), ("right", 3, 150, 213, "1+3")):
        lines += [f"{side},{contact},{p},{first},{last},{plates},{p / 10},{9.81 if p else ''}" for p in range(101)]
    result.with_name("walk.stances.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_stances_are_those_of_the_file(result: Path) -> None:
    write_stances(result)
    loaded = load_result(result)
    right = loaded.stances["right"]
    assert (right.numbers.tolist(), right.first_frame.tolist(), right.last_frame.tolist()) == ([3], [150], [213])
    assert np.isnan(right.off_percent).all()
    assert np.isnan(right.columns["ground_reaction_upward_N_per_kg"][0, 0])
    basis = pool([loaded])
    assert basis.kind == STANCE
    assert np.allclose(basis.sides["left"].mean("knee_flexion_deg").mean, np.arange(101) / 10)
