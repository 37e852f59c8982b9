"""Residual analysis: its curve against the low-pass itself, its answer on known noise, its silence without any."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.numerics.bandwidth import residual_cutoff
from gaitid.numerics.lowpass import lowpass

RATE = 100.0


@pytest.fixture(scope="module")
def walk_mm() -> np.ndarray:
    """(frames, markers, 3) markers of the simulated walk without noise, mm."""
    return 1e3 * simulated_walk().trial.points_g


def noisy(points: np.ndarray, noise: float, seed: int = 0) -> np.ndarray:
    return points + noise * np.random.default_rng(seed).normal(size=points.shape)


def test_the_curve_is_what_the_low_pass_removes(walk_mm: np.ndarray) -> None:
    points = noisy(walk_mm[:, :5], 1.0)
    found = residual_cutoff(points, RATE)
    for cutoff in (4.0, 8.0, 15.0):
        removed = points - lowpass(points, cutoff, RATE)
        direct = np.sqrt((removed**2).mean(axis=(0, 2)))
        at = round((cutoff - 1.0) / 0.25)
        # The low-pass extends a span by one period, the curve for ever: they differ at the ends alone.
        np.testing.assert_allclose(found.residual[at], direct, rtol=0.02)


@pytest.mark.parametrize("noise", [0.3, 1.0, 3.0])
def test_known_noise_is_found_and_asks_for_less_the_more_there_is(walk_mm: np.ndarray, noise: float) -> None:
    found = residual_cutoff(noisy(walk_mm, noise), RATE)
    assert found.reason == ("",) * walk_mm.shape[1]
    # Winter's straight line stands for a curve, and 3 × 400 samples know a deviation to 2 %
    np.testing.assert_allclose(found.noise, noise, rtol=0.15)
    more = residual_cutoff(noisy(walk_mm, 2 * noise), RATE)
    assert (more.cutoff_hz < found.cutoff_hz).all()
    assert (found.cutoff_hz > 2.5).all()
    assert (found.cutoff_hz < 10).all()  # a walk at 0.9 strides a second: harmonics above the tenth are below 0.3 mm


@pytest.mark.parametrize("smoothed_hz", [6.0, 10.0, None])
def test_without_a_noise_floor_it_says_nothing(walk_mm: np.ndarray, smoothed_hz: float | None) -> None:
    points = walk_mm if smoothed_hz is None else lowpass(noisy(walk_mm, 1.0), smoothed_hz, RATE)
    found = residual_cutoff(points, RATE)
    assert np.isnan(found.cutoff_hz).all()
    assert np.isnan(found.noise).all()
    assert all("no noise floor" in reason for reason in found.reason)


def test_the_longest_span_speaks_for_a_marker(walk_mm: np.ndarray) -> None:
    points = noisy(walk_mm, 1.0)
    gappy = points.copy()
    gappy[40:60, 0] = np.nan
    gappy[90:, 1] = np.nan
    gappy[:, 2] = np.nan
    found = residual_cutoff(gappy, RATE)
    # markers are worked on together: sums over frames may differ in the last bits
    np.testing.assert_allclose(found.cutoff_hz[0], residual_cutoff(points[60:], RATE).cutoff_hz[0], rtol=1e-12)
    assert np.isnan(found.cutoff_hz[1:3]).all()
    assert found.reason[1] == found.reason[2] == "no 1 s without a gap"
    np.testing.assert_allclose(found.cutoff_hz[3:], residual_cutoff(points, RATE).cutoff_hz[3:], rtol=1e-12)
