"""Figures of calibration: residuals, lengths and knee axes tell what was done to a trial, in mm and degrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cluster_walk
import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
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


@pytest.mark.parametrize("with_static", [False, True])
def test_the_conventional_model_has_lengths_and_knee_axes(simulated: Callable[..., Any], with_static: bool) -> None:
    sim = simulated()
    result = analyse(sim.trial, load_model("pig"), SubjectFile(), sim.static if with_static else None)
    left = result.quality["calibration"]["left"]
    assert left["thigh"]["fit"] is None and left["thigh"]["length"]["sd_mm"] < 1
    assert (left["shank"]["length"]["static_mean_mm"] is not None) == with_static
    assert 0 <= left["knee_axis"]["adduction_explained_by_flexion"] <= 1
