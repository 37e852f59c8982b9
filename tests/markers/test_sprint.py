"""A sprint in which markers flicker gives the angles of another program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Array

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
SPRINT = SHARED / "models/ja1_gait/JA1Gait35.trc"
needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


@cache
def sprint() -> Result:
    """A run at 9.5 m/s, 250 Hz: soft tissue carries markers of the pelvis by up to 50 mm."""
    static = read_trial(SHARED / "wild/latrobe/static.trc")
    model = load_model("cast", {"cutoff_hz": 15.0})
    return analyse(read_trial(SPRINT), model, SubjectFile({"mass": 70.0}), static)


@needs_trials
@pytest.mark.parametrize(
    ("joint", "angle", "side", "coordinate", "sign", "most_deg"),
    [
        ("pelvis", "anterior_tilt", "left", "pelvis_tilt", -1, 3.0),  # 4.8 with the flickers lost throughout
        ("hip", "flexion", "left", "hip_flexion_l", 1, 4.0),  # 5.6
        ("hip", "flexion", "right", "hip_flexion_r", 1, 3.0),  # 4.8
        ("hip", "adduction", "left", "hip_adduction_l", 1, 4.0),  # 6.1
    ],
)
def test_angles_of_a_sprint_follow_those_of_another_program(
    joint: str, angle: str, side: str, coordinate: str, sign: int, most_deg: float
) -> None:
    """OpenSim's inverse kinematics of the same markers; each program has its own zero."""
    names, rows = _storage(SPRINT.with_name("JA1Gait35_ik.mot"))
    theirs = np.degrees(rows[:, names.index(coordinate)])
    ours = sprint().sides[side].angles[joint][angle]
    assert np.std(ours - sign * theirs[: len(ours)]) < most_deg


def _storage(path: Path) -> tuple[list[str], Array]:
    lines = path.read_text().split("endheader")[1].split("\n")[1:]
    return lines[0].split(), np.array([[float(x) for x in line.split()] for line in lines[1:] if line.strip()])
