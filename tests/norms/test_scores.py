"""Gait Profile Scores as numbers: by hand from curves and the mean of norms, as on the page, and by data set."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import gaitid
from gaitid.compare.feature_table import feature_row, table_content
from gaitid.norms import norms_for
from gaitid.norms.fit import PELVIS, VARIABLES

WALK = Path(__file__).resolve().parents[2] / "sample_data" / "walk_noisy" / "walk.c3d"
NORMS = "schwartz2008:free"


@pytest.fixture(scope="module")
def walked() -> gaitid.Analysis:
    return gaitid.analyse(WALK, model="pig")


def test_a_score_is_the_distance_from_the_mean_of_the_norm(walked: gaitid.Analysis) -> None:
    norms, _ = norms_for(NORMS, walked.record, 1.2)
    assert norms is not None
    scores = walked.scores(NORMS).set_index(["side", "variable"])["score_deg"]
    at = np.arange(0, 101, 2)
    by_hand = {}
    for side in ("left", "right"):
        cycles = walked.cycles[walked.cycles["side"] == side]
        for name in VARIABLES:
            curves = cycles.pivot(index="cycle", columns="percent", values=name).to_numpy()[:, ::2]
            band = norms.bands[name]
            by_hand[side, name] = np.sqrt(np.mean((curves - np.interp(at, band.percent, band.mean)) ** 2))
            assert scores[side, name] == pytest.approx(by_hand[side, name])
    of_left = [by_hand["left", name] for name in VARIABLES]
    of_right = [by_hand["right", name] for name in VARIABLES if name not in PELVIS]
    assert scores["left", "gait_profile_score"] == pytest.approx(np.sqrt(np.mean(np.square(of_left))))
    assert scores["both", "gait_profile_score"] == pytest.approx(np.sqrt(np.mean(np.square(of_left + of_right))))


def test_without_norms_that_fit_there_is_none_and_a_reason(walked: gaitid.Analysis) -> None:
    none = walked.scores("none")
    assert none.empty and list(none) == ["side", "variable", "score_deg", "norm_deg"]
    assert "No normative bands" in none.attrs["no_scores_because"]
    assert walked.scores(NORMS).attrs == {"norms": "schwartz2008", "no_scores_because": ""}


def test_the_table_of_features_has_them(walked: gaitid.Analysis, tmp_path: Path) -> None:
    walked.write(tmp_path)
    row = feature_row(tmp_path / "walk.run.json", {}, NORMS)
    scores = walked.scores(NORMS).set_index(["side", "variable"])["score_deg"]
    assert row.values["right_gait_variable_score_knee_flexion_deg"] == pytest.approx(
        scores["right", "knee_flexion_deg"]
    )
    assert row.values["both_gait_profile_score_deg"] == pytest.approx(scores["both", "gait_profile_score"])
    lacking = feature_row(tmp_path / "walk.run.json", {}, "none")
    assert np.isnan(lacking.values["left_gait_profile_score_deg"])
    (read, empty) = csv.DictReader("".join(table_content([row, lacking], ".csv")).splitlines())
    assert read["norms"] == "schwartz2008" and read["no_scores_because"] == ""
    assert empty["left_gait_profile_score_deg"] == "" and "No normative bands" in empty["no_scores_because"]
    assert "norms" not in feature_row(tmp_path / "walk.run.json", {}).about
