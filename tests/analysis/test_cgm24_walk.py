"""CGM 2.4 on a recorded walk that stores its outputs, without a static: what a walk alone allows (docs/cgm2.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from cgm24_walk import TRIAL, analysed, differences, stored

from gaitid.analysis.choice import Recording, choose_model
from gaitid.read import read_trial

pytestmark = pytest.mark.skipif(not TRIAL.is_file(), reason="the shared trials are not beside this checkout")


@pytest.fixture(scope="module")
def off() -> dict[str, tuple[float, float]]:
    return differences(analysed(read_trial(TRIAL), "cgm24"), stored())


def test_the_same_motion_is_read(off: dict[str, tuple[float, float]]) -> None:
    """Standard deviation of the difference, deg: without a static all but a constant is the model's own.

    Measured 0.66 at most at pelvis, hips and knees; `pig` reads the same walk up to 5.4 otherwise.
    """
    for name, (_, sd) in off.items():
        if name.split()[1] in ("pelvis", "hip", "knee") and "centre" not in name:
            assert sd < 0.75, name
        if "dorsiflexion" in name:
            assert sd < 1.4, name


def test_means_are_as_near_as_angles_of_another_calibration_allow(off: dict[str, tuple[float, float]]) -> None:
    for name, (mean, _) in off.items():
        if name.split()[1] in ("pelvis", "hip") and "centre" not in name:
            assert abs(mean) < 2.0, name
        if name.split()[1:] == ["knee", "flexion"]:
            assert abs(mean) < 1.3, name


def test_joint_centres_are_near_the_stored_ones(off: dict[str, tuple[float, float]]) -> None:
    """mm; the right ankle apart, for which the file stores an angle that CGM 2.4 did not use."""
    for name, limit in {"hip": 4.0, "knee": 6.0}.items():
        for side in ("left", "right"):
            assert off[f"{side} {name} centre"][0] < limit
    assert off["left ankle centre"][0] < 5.0


def test_without_a_static_the_walk_says_what_it_stands_for_and_auto_takes_pig() -> None:
    trial = read_trial(TRIAL)
    assert "chain_from_trial" in {note.code for note in analysed(trial, "cgm24").notes}
    assert choose_model([Recording(trial, None)]).model.name == "pig"
