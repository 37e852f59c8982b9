"""Gait Profile Score and Movement Analysis Profile on curves whose scores are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from norm_results import profile_curves

from gaitid.norms import Band, Norms, gait_profile
from gaitid.norms.fit import PELVIS, VARIABLES

PERCENT = np.arange(0.0, 101.0, 2.0)
MEAN = 5 * np.sin(2 * np.pi * PERCENT / 100)
NORMS = Norms(
    name="analytic",
    title="",
    source="",
    licence="",
    population="",
    n=10,
    speed="",
    dimensionless=False,
    force_filter="",
    bands={v: Band(PERCENT, MEAN, np.full(51, 2.0), 10) for v in VARIABLES},
)
ON_MEAN = 5 * np.sin(2 * np.pi * np.arange(101) / 100)


def test_an_offset_is_its_own_score() -> None:
    left, right = profile_curves(ON_MEAN), profile_curves(ON_MEAN + 3)
    left["hip_flexion_deg"] = ON_MEAN - 6
    profile = gait_profile(left, right, NORMS)
    assert profile is not None
    assert profile.scores["left"]["hip_flexion_deg"] == pytest.approx(6)
    assert profile.scores["right"]["pelvis_anterior_tilt_deg"] == pytest.approx(3)
    assert profile.left == pytest.approx(math.sqrt(36 / 9))
    assert profile.right == pytest.approx(3)
    # the nine of the left and, of the right, all but the pelvis
    assert profile.overall == pytest.approx(math.sqrt((36 + 6 * 9) / 15))


def test_squares_of_several_cycles_are_averaged_and_one_with_a_gap_left_out() -> None:
    gap = np.full(101, np.nan)
    cycles = {v: np.stack([ON_MEAN + 1, ON_MEAN + 7, ON_MEAN]) for v in VARIABLES}
    cycles["ankle_dorsiflexion_deg"][2] = gap
    profile = gait_profile(cycles, cycles, NORMS)
    assert profile is not None
    assert profile.scores["right"]["hip_adduction_deg"] == pytest.approx(5)
    assert profile.overall == pytest.approx(5)


def test_no_profile_without_all_nine() -> None:
    curves = profile_curves(ON_MEAN)
    del curves["foot_progression_internal_rotation_deg"]
    assert gait_profile(curves, curves, NORMS) is None
    few = replace(NORMS, bands={v: NORMS.bands[v] for v in VARIABLES if v not in PELVIS})
    assert gait_profile(profile_curves(), profile_curves(), few) is None
    assert gait_profile({v: np.empty((0, 101)) for v in VARIABLES}, {}, NORMS) is None


def test_the_scores_of_the_band_are_its_standard_deviation() -> None:
    """Root mean square over many people whose curves scatter by the band."""
    profile = gait_profile(profile_curves(), profile_curves(), NORMS)
    assert profile is not None
    assert profile.band_scores["hip_flexion_deg"] == pytest.approx(2)
    assert (profile.band_side, profile.band_overall) == pytest.approx((2, 2))
    people = np.random.default_rng(1).normal(0, 2, (4000, 1))
    cycles = dict.fromkeys(VARIABLES, ON_MEAN + people)
    many = gait_profile(cycles, cycles, NORMS)
    assert many is not None
    assert many.overall == pytest.approx(profile.band_overall, rel=0.03)
