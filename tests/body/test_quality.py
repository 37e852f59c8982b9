"""Figures of calibration: residuals, lengths and knee axes tell what was done to a trial, in mm and degrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cluster_walk
import numpy as np
import pytest
from cluster_walk import moved

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.inspect.words import calibration_lines
from gaitid.model.load import load_model
from gaitid.trial import Trial

PERSON = SubjectFile({"mass": 70.0, "height": 1.7})


def figures(trial: Trial, static: Trial | None = None) -> dict[str, Any]:
    result = analyse(trial, load_model("cast"), PERSON, cluster_walk.static() if static is None else static)
    return dict(result.quality["calibration"])


def test_rigid_segments_fit_and_keep_their_lengths() -> None:
    found = figures(cluster_walk.walk())
    assert list(found) == ["pelvis", "left", "right"]
    for side in ("left", "right"):
        for segment in ("thigh", "shank", "foot"):
            fit = found[side][segment]["fit"]
            assert fit["residual_rms_worst_mm"] < 1e-6 and fit["fewest_points_in_a_frame"] == 4
        shank = found[side]["shank"]["length"]
        # mm: the person's shank, in the walk and in the static
        assert shank["mean_mm"] == pytest.approx(420, abs=1e-6) == shank["static_mean_mm"]
        assert shank["sd_mm"] < 1e-6 and shank["trial_minus_static_mm"] == pytest.approx(0, abs=1e-6)
        assert found[side]["foot"]["length"] is None
    assert found["left"]["thigh"]["fit"]["points"] == [f"L_THIGH_{i}" for i in range(1, 5)]
    assert found["pelvis"]["length"] is None


def test_a_marker_that_strays_is_seen_in_its_segment_and_frame() -> None:
    trial = cluster_walk.walk()
    bump = np.exp(-(((np.arange(300) - 120) / 10.0) ** 2))[:, None] * np.array([0.0, 0.012, 0.0])
    points = trial.points_g.copy()
    points[:, trial.labels.index("R_SHANK_2")] += bump
    fit = figures(Trial(trial.path, trial.rate_hz, 51, trial.labels, points, up_hint=trial.up_hint))["right"]["shank"][
        "fit"
    ]
    assert abs(fit["residual_rms_worst_frame"] - (120 + 51)) <= 1
    assert 2 < fit["residual_rms_worst_mm"] < 12 and fit["residual_rms_mean_mm"] < fit["residual_rms_worst_mm"] / 4


def test_what_moves_in_the_static_is_stated() -> None:
    static = cluster_walk.static()
    shaking = moved(static, "L_THIGH_2", (0.004, 0.0, 0.0), slice(0, 25))
    fit = figures(cluster_walk.walk(), shaking)["left"]["thigh"]["fit"]
    assert fit["moved_in_static_rms_mm"] == pytest.approx(2.0, abs=0.01)  # 4 mm in half of the frames


def test_a_knee_axis_that_is_turned_shows_as_adduction() -> None:
    """10° in the horizontal plane: the lateral landmark 18 mm forward, the medial one 18 mm back."""
    true = figures(cluster_walk.walk())["left"]["knee_axis"]
    by = 0.05 * np.tan(np.radians(10))
    static = moved(moved(cluster_walk.static(), "L_KNEE_LAT", (by, 0, 0)), "L_KNEE_MED", (-by, 0, 0))
    turned = figures(cluster_walk.walk(), static)["left"]["knee_axis"]
    assert turned["adduction_explained_by_flexion"] > 0.9
    assert turned["axis_turned_deg"] - true["axis_turned_deg"] == pytest.approx(10, abs=0.1)


@pytest.mark.parametrize("with_static", [False, True])
def test_the_conventional_model_has_lengths_and_knee_axes(simulated: Callable[..., Any], with_static: bool) -> None:
    sim = simulated()
    result = analyse(sim.trial, load_model("pig"), SubjectFile(), sim.static if with_static else None)
    left = result.quality["calibration"]["left"]
    assert left["thigh"]["fit"] is None and left["thigh"]["length"]["sd_mm"] < 1
    assert (left["shank"]["length"]["static_mean_mm"] is not None) == with_static
    assert 0 <= left["knee_axis"]["adduction_explained_by_flexion"] <= 1


def test_words_for_a_person() -> None:
    lines = calibration_lines(figures(cluster_walk.walk()))
    assert any(line.startswith("left shank: fits to 0.0 mm") and "420 mm long" in line for line in lines)
    assert any(line.startswith("right knee: the thigh's axes seem turned") for line in lines)
    assert any(line.startswith("pelvis: fits to 0.0 mm") for line in lines)
