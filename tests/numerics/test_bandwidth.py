"""How fast a movement is, with noise or without, and which low-pass it has gone through."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.numerics.bandwidth import movement_frequency, signal_bandwidth
from gaitid.numerics.lowpass import lowpass
from gaitid.trial import Array


def noisy(points_g: Array, sigma_mm: float, seed: int = 1) -> Array:
    return np.asarray(points_g + np.random.default_rng(seed).normal(0, sigma_mm * 1e-3, points_g.shape))


@pytest.mark.parametrize("hertz", [0.8, 2.0, 5.0])
def test_the_frequency_of_a_sine_is_its_own(hertz: float) -> None:
    t = np.arange(500) / 100
    points = np.stack([np.sin(2 * np.pi * hertz * t), 3 * np.cos(2 * np.pi * hertz * t), 0.7 * t], axis=1)[:, None]
    assert movement_frequency(points, 100.0, 0.0) == pytest.approx(hertz, rel=0.03)  # not whole periods


@pytest.mark.parametrize(("scenario", "hertz"), [("walk", 1.36), ("run", 2.39)])
@pytest.mark.parametrize("sigma_mm", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 200.0])
def test_neither_noise_nor_rate_makes_a_movement_faster(
    scenario: str, hertz: float, sigma_mm: float, rate_hz: float
) -> None:
    points = noisy(simulated_walk(scenario, rate_hz=rate_hz).trial.points_g, sigma_mm)
    assert movement_frequency(points, rate_hz, sigma_mm * 1e-3) == pytest.approx(hertz, rel=0.02)


def test_what_is_too_short_or_too_slow_tells_no_frequency() -> None:
    points = simulated_walk().trial.points_g
    assert np.isnan(movement_frequency(points[:40], 100.0, 0.0))
    assert np.isnan(movement_frequency(points, 20.0, 0.0))
    assert np.isnan(movement_frequency(noisy(np.zeros_like(points), 0.3), 100.0, 0.3e-3))
    assert np.isnan(signal_bandwidth(points[:20], 100.0))
    assert np.isnan(signal_bandwidth(np.full((100, 2, 3), np.nan), 100.0))


@pytest.mark.parametrize("cutoff_hz", [6.0, 8.0, 10.0, 15.0])
def test_the_low_pass_that_markers_went_through_is_known_by_their_impacts(cutoff_hz: float) -> None:
    hard = simulated_walk(impact_bw=0.4, impact_absorbed=1.0).trial.points_g
    assert signal_bandwidth(lowpass(hard, cutoff_hz, 100.0), 100.0) == pytest.approx(cutoff_hz, rel=0.3)
    assert signal_bandwidth(hard, 100.0) > 20
