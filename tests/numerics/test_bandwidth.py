"""How fast a movement is, with noise or without, and which low-pass it has gone through."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.numerics.bandwidth import _lines_below, held_bandwidth, movement_frequency
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


def test_gaps_do_not_make_a_movement_faster() -> None:
    points = noisy(simulated_walk("run").trial.points_g, 0.3)
    points[120:150, ::3] = np.nan
    assert movement_frequency(points, 100.0, 0.3e-3) == pytest.approx(2.39, rel=0.03)


def test_what_is_too_short_or_too_slow_tells_no_frequency() -> None:
    points = simulated_walk().trial.points_g
    assert np.isnan(movement_frequency(points[:40], 100.0, 0.0))
    assert np.isnan(movement_frequency(points, 20.0, 0.0))
    assert np.isnan(movement_frequency(noisy(np.zeros_like(points), 0.3), 100.0, 0.3e-3))
    assert np.isnan(held_bandwidth(points[:20], 100.0))
    assert np.isnan(held_bandwidth(np.full((100, 2, 3), np.nan), 100.0))


@pytest.mark.parametrize("cutoff_hz", [6.0, 8.0, 10.0, 15.0])
def test_the_low_pass_that_markers_went_through_is_known_by_their_impacts(cutoff_hz: float) -> None:
    hard = simulated_walk(impact_bw=0.4, impact_absorbed=1.0).trial.points_g
    assert held_bandwidth(lowpass(hard, cutoff_hz, 100.0), 100.0) == pytest.approx(cutoff_hz, rel=0.3)
    assert held_bandwidth(hard, 100.0) > 20


def test_markers_of_a_long_trial_are_looked_at_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    points = 0.3 * np.sin(np.arange(900)[:, None, None] / 12 + rng.uniform(0, 6, (5, 3))) + rng.normal(
        0, 3e-4, (900, 5, 3)
    )
    points[300:340, 2] = np.nan
    at_once = movement_frequency(points, 100.0, 3e-4)
    monkeypatch.setattr("gaitid.numerics.bandwidth._NUMBERS", 6000)  # two markers
    assert movement_frequency(points, 100.0, 3e-4) == pytest.approx(at_once, rel=1e-13)


@pytest.mark.parametrize("n", [64, 65, 401, 402])
def test_lines_are_counted_as_by_the_transform_of_the_whole(n: int) -> None:
    rng = np.random.default_rng(n)
    signals = np.cumsum(rng.normal(0, 1, (n, 12)), axis=0)
    power = (np.abs(np.fft.rfft(signals, axis=0)) ** 2).reshape(n // 2 + 1, 4, 3).sum(axis=2)
    for share in (0.5, 0.9, 0.999):
        assert (
            _lines_below(share, signals, 3).tolist()
            == (np.cumsum(power, axis=0) < share * power.sum(axis=0)).sum(axis=0).tolist()
        )
