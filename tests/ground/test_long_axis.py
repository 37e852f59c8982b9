"""The vertical by places alone: in any of the 24 axes of a laboratory, and of recordings with a right answer known."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.errors import TrialError
from gaitid.ground.vertical import BY_SHAPE, long_axis, vertical
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
TURNS = [
    turn
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    if np.linalg.det(turn := np.eye(3)[list(order)] * np.array(signs)[:, None]) > 0
]


def markers_alone(trial: Trial, turn: np.ndarray) -> Trial:
    """Markers in turned axes, without a plate, a hint or a label that is known."""
    labels = tuple(f"m{i}" for i in range(len(trial.labels)))
    return replace(trial, points_g=trial.points_g @ turn.T, labels=labels, plates=(), up_hint=None, stored={})


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: "".join(f"{v:+.0f}" for v in turn @ [0, 0, 1]))
def test_what_points_up_is_found_in_all_24_axes(turn: np.ndarray) -> None:
    trial = simulated_walk().trial
    up_g, words = vertical(markers_alone(trial, turn), None)
    np.testing.assert_array_equal(up_g, turn @ [0, 0, 1])
    assert words == BY_SHAPE
    labelled = replace(markers_alone(trial, turn), labels=trial.labels)
    up_g, words = vertical(labelled, load_model("pig"))
    np.testing.assert_array_equal(up_g, turn @ [0, 0, 1])
    assert words == "posture: the pelvis above the feet"


def test_who_does_not_move_at_all_shows_no_end() -> None:
    trial = markers_alone(simulated_walk().trial, np.eye(3))
    with pytest.raises(TrialError, match="the vertical cannot be found"):
        vertical(replace(trial, points_g=trial.points_g[:1].repeat(50, axis=0)), None)
    assert long_axis(replace(trial, points_g=trial.points_g * np.nan)) is None
    swaying = trial.points_g[:1].repeat(50, axis=0)
    swaying[..., 0] += 0.01 * swaying[..., 2] * np.sin(np.arange(50))[:, None]  # about the floor, by 10 mm a metre
    np.testing.assert_array_equal(vertical(replace(trial, points_g=swaying), None)[0], [0, 0, 1])


@needs_trials
def test_recordings() -> None:
    """Whoever recorded with an axis other than +z up, as their plates or labels show; at most 13° beside it."""
    others = {"leuven": "y", "osim_calibration": "y", "unipd": "y", "motion_analysis": "y", "biobuddy_functional": "-z"}
    others |= dict.fromkeys(("davis_bars", "gait2392", "grand_challenge", "keypoints", "latrobe", "opencap"), "y")
    others |= dict.fromkeys(("rajagopal", "rajagopal_wrong_static", "rbds_running"), "y")
    files = [f for room in ("labs", "wild") for f in (SHARED / room).rglob("*") if f.suffix in (".c3d", ".trc")]
    found = 0
    for file in sorted(files):
        axis = long_axis(read_trial(file))
        if axis is None:
            continue
        found += 1
        up = others.get(file.parent.name, "z")
        along = (-1.0 if up[0] == "-" else 1.0) * axis["xyz".index(up[-1])]
        assert np.degrees(np.arccos(along)) < 13, file
    assert found > 0.8 * len(files)
