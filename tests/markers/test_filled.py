"""Gaps that somebody filled before the file was written: polynomials, and stretches with a between two kinks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gaitid.markers.filled import find_kinked
from gaitid.markers.labels import check_labels
from gaitid.markers.unmeasured import find_drawn
from gaitid.read import read_trial
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk_setup import simulate_walk

RATE = 100.0
SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


def walk(noise_mm: float = 0.0) -> dict[str, np.ndarray]:
    """Markers of a walk of 3 s, as a file of 32 bits holds them, m."""
    t, rng = np.arange(300) / RATE, np.random.default_rng(1)
    markers = {}
    for i, name in enumerate(("LKNE", "LANK", "LTOE", "RKNE", "RANK", "RTOE")):
        swing = sum(np.sin(2 * np.pi * k * t + i + k)[:, None] * [0.2, 0.02, 0.1] / k**3 for k in range(1, 7))
        points = t[:, None] * [1.2, 0.0, 0.0] + swing + [0.0, 0.1 * i, 0.2 * i]
        markers[name] = (points + rng.normal(0, noise_mm * 1e-3, points.shape)).astype(np.float32).astype(float)
    return markers


def polynomial(points: np.ndarray, first: int, n: int, degree: int) -> np.ndarray:
    """The same with n frames filled by the polynomial through half of (degree + 1) frames on each side."""
    filled, k = points.copy(), (degree + 1) // 2
    at = np.r_[first - k : first, first + n : first + n + k]
    middle, half = first + n / 2, n / 2 + k
    terms = np.vander((at - middle) / half, degree + 1)
    inner = np.vander((np.arange(first, first + n) - middle) / half, degree + 1)
    filled[first : first + n] = inner @ np.linalg.solve(terms, points[at])
    return filled.astype(np.float32).astype(float)


def with_pattern(points: np.ndarray, of: np.ndarray, first: int, n: int) -> np.ndarray:
    """The same with n frames filled by half of another's movement, bent to fit at both ends."""
    filled, share = points.copy(), np.linspace(0, 1, n + 2)[:, None]
    near = slice(first - 1, first + n + 1)
    ends = points[near][[0, -1]] - 0.5 * of[near][[0, -1]]
    filled[near] = 0.5 * of[near] + (1 - share) * ends[0] + share * ends[1]
    return filled


@pytest.mark.parametrize("frames", [12, 25, 50])
@pytest.mark.parametrize("way", ["cubic", "quintic", "pattern"])
def test_a_stretch_with_two_kinks_in_a_smoothed_trial_is_found(way: str, frames: int) -> None:
    markers = walk()
    assert not find_kinked(markers, RATE) and not check_labels(markers, RATE).faults
    true = markers["LKNE"]
    if way == "pattern":
        markers["LKNE"] = with_pattern(true, markers["RKNE"], 120, frames)
    else:
        markers["LKNE"] = polynomial(true, 120, frames, 3 if way == "cubic" else 5)
    off = np.linalg.norm(markers["LKNE"] - true, axis=1).max()
    faults = [fault for fault in check_labels(markers, RATE).faults if fault.kind == "kinked"]
    if off < 0.002:  # it is filled as well as the filter fills
        return
    (fault,) = faults
    assert fault.labels == ("LKNE",)
    ((first, last),) = fault.frames
    assert abs(first - 120) <= 5 and abs(last - 119 - frames) <= 5
    assert "between two kinks" in fault.note(1).text


@needs_trials
@pytest.mark.parametrize("name", ["children/HC002D/walk.c3d", "nexus_flatfoot/walk.c3d", "stairs/Movement_trial.c3d"])
def test_recorded_walks_have_no_stretch_that_was_filled(name: str) -> None:
    trial = read_trial(SHARED / name)
    legs = ("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")
    markers = {side + leg: trial.marker(side + leg) for side in "LR" for leg in legs if trial.has(side + leg)}
    assert not find_kinked(markers, trial.rate_hz) and not find_drawn(markers, trial.rate_hz)
    knee = markers["LKNE"]
    middle = int(np.median(np.flatnonzero(np.isfinite(knee).all(axis=1))))
    markers["LKNE"] = with_pattern(knee, markers["RKNE"], middle, 20)
    assert [fault.labels for fault in find_kinked(markers, trial.rate_hz)] == [("LKNE",)]


@pytest.mark.parametrize("scenario", ["stop", "stumble", "walk"])
def test_a_foot_that_stands_in_a_smooth_trial_is_no_polynomial(scenario: str) -> None:
    """At 50 Hz sixth differences of a standing foot are next to nothing against those of its swing."""
    walk = simulate_walk(WalkSettings(rate_hz=50.0, analog_rate_hz=1000.0), scenario)
    assert not find_drawn(walk.at(walk.settings.times_s).marker_g, 50.0)
