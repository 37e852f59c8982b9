"""A marker that is off for a few frames loses these frames only; repeated frames and small shifts are found too."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.markers.clean import model_markers
from gaitid.markers.labels import check_labels
from gaitid.markers.shifts import find_shifted
from gaitid.markers.spikes import find_spikes
from gaitid.markers.unmeasured import find_repeated
from gaitid.model.load import load_model
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
SMOOTHED = [
    *("children/HC002D/walk.c3d", "children/HC030A/walk.c3d", "children/HC031A/walk.c3d", "children/HC036A/walk.c3d"),
    *("nexus_flatfoot/walk.c3d", "stairs/Movement_trial.c3d", "sydney/walk03.c3d", "sydney/walk04.c3d"),
]
RATE = 100.0
needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


@cache
def walk(noise_mm: float = 0.0) -> dict[str, Array]:
    markers = simulated_walk().truth.marker_g
    rng = np.random.default_rng(11)
    return {label: x + rng.normal(0.0, noise_mm / 1e3, x.shape) for label, x in markers.items()}


@cache
def recorded(file: str) -> tuple[dict[str, Array], float]:
    trial = read_c3d(SHARED / file)
    return model_markers(trial, load_model("pig", {})), trial.rate_hz


def off(markers: dict[str, Array], label: str, first: int, frames: int, offset_m: Array) -> dict[str, Array]:
    points = markers[label].copy()
    points[first : first + frames] += offset_m
    return {**markers, label: points}


def direction(rng: np.random.Generator) -> Array:
    way = rng.normal(size=3)
    return way / np.linalg.norm(way)


def spoilt(markers: dict[str, Array], size_m: float, frames: int, seed: int) -> list[tuple[str, int, dict[str, Array]]]:
    """Each marker in turn off at a random place in a random direction."""
    rng, n = np.random.default_rng(seed), len(next(iter(markers.values())))
    places = {label: int(rng.integers(4, n - frames - 4)) for label in markers}
    return [(x, at, off(markers, x, at, frames, size_m * direction(rng))) for x, at in places.items()]


# --- spikes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frames", [1, 2, 5])
@pytest.mark.parametrize("size_m", [0.005, 0.01, 0.04])
def test_a_marker_that_is_off_in_a_smooth_walk_loses_just_these_frames(size_m: float, frames: int) -> None:
    for label, at, markers in spoilt(walk(), size_m, frames, 1):
        (spike,) = find_spikes(markers, RATE).pop(label)
        assert (spike.first, spike.last) == (at, at + frames - 1), label
        assert spike.size_m == pytest.approx(size_m, abs=0.002)  # m: what the spline through its neighbours errs
        assert list(find_spikes(markers, RATE)) == [label]


@pytest.mark.parametrize(
    ("size_m", "frames", "least"), [(0.01, 1, 0.9), (0.015, 1, 1.0), (0.015, 5, 0.9), (0.04, 5, 1.0)]
)
def test_a_marker_that_is_off_in_a_noisy_walk_is_found(size_m: float, frames: int, least: float) -> None:
    """0.5 mm of noise on every axis."""
    cases = [case for seed in (1, 2) for case in spoilt(walk(0.5), size_m, frames, seed)]
    found = [
        any(s.first <= at and s.last >= at + frames - 1 for s in find_spikes(markers, RATE).get(label, []))
        for label, at, markers in cases
    ]
    assert np.mean(found) >= least


@pytest.mark.parametrize("noise_mm", [0.1, 0.5])
@pytest.mark.parametrize("label", ["LKNE", "LTIB", "LANK"])
def test_a_marker_that_is_off_while_an_impact_shakes_its_segment_is_found(label: str, noise_mm: float) -> None:
    """In the laboratory its neighbours are off as well, among each other they are not."""
    kick = np.array([0.0, 0.003, 0.012, 0.008, 0.002, 0.0])
    markers = dict(walk(noise_mm))
    for shaken in ("LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE"):
        markers[shaken] = markers[shaken].copy()
        markers[shaken][200:206, 2] -= kick
    assert find_spikes(markers, RATE) == {}
    for offset_m, frames in ((np.array([0.015, 0.0, 0.0]), 3), (np.array([0.0, 0.01, 0.0]), 5)):
        ((found, (spike,)),) = find_spikes(off(markers, label, 201, frames, offset_m), RATE).items()
        assert (found, spike.first, spike.last) == (label, 201, 200 + frames)


@needs_trials
@pytest.mark.parametrize("file", SMOOTHED)
@pytest.mark.parametrize(("size_m", "frames"), [(0.005, 1), (0.01, 1), (0.01, 5), (0.04, 5)])
def test_every_marker_that_is_off_in_a_recorded_walk_is_found(file: str, size_m: float, frames: int) -> None:
    markers, rate_hz = recorded(file)
    for label, at, changed in spoilt(markers, size_m, frames, 7):
        checked = check_labels(changed, rate_hz)
        (fault,) = checked.faults
        assert (fault.kind, fault.labels, fault.frames) == ("spike", (label,), ((at, at + frames - 1),))
        note = fault.note(1)
        assert note.code == "marker_spike" and label in note.text and "doubtful_labels=keep" in note.cure


@needs_trials
@pytest.mark.parametrize("file", ["qualisys/walk.c3d", "children/HC036A/walk.c3d", "sydney/walk03.c3d"])
def test_a_spike_of_40_mm_never_costs_the_marker(file: str) -> None:
    markers, rate_hz = recorded(file) if "qualisys" not in file else (qualisys(), 120.0)
    for frames in (1, 3, 5):
        for label, at, changed in spoilt(markers, 0.04, frames, frames):
            gone = np.flatnonzero(np.isnan(check_labels(changed, rate_hz).markers[label][:, 0]))
            known = np.isfinite(markers[label][:, 0])
            assert set(range(at, at + frames)) <= set(gone) and known[gone].sum() <= frames + 6, (label, at, frames)


def qualisys() -> dict[str, Array]:
    trial = read_c3d(SHARED / "qualisys/walk.c3d")
    return {x: trial.marker(x) for x in trial.labels if np.isfinite(trial.marker(x)).all()}


# --- shifts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frames", [12, 40])
@pytest.mark.parametrize("size_m", [0.01, 0.015])
def test_a_marker_that_goes_elsewhere_for_a_while_is_lost_meanwhile(size_m: float, frames: int) -> None:
    for label, at, markers in spoilt(walk(), size_m, frames, 3):
        (fault,) = check_labels(markers, RATE).faults
        assert (fault.kind, fault.labels, fault.frames) == ("jump", (label,), ((at, at + frames - 1),))


def test_a_marker_that_goes_elsewhere_for_good_is_named() -> None:
    markers = off(walk(), "LKNE", 250, 150, np.array([0.0, 0.0, 0.012]))
    (fault,) = check_labels(markers, RATE).faults
    assert (fault.kind, fault.frames, fault.at) == ("moved", (), ((249, 250),))
    note = fault.note(1)
    assert note.code == "marker_moved" and "LKNE shifts 12 mm" in note.text and "250-251" in note.text


@pytest.mark.parametrize("noise_mm", [0.0, 0.5, 1.0])
def test_a_walk_has_no_shift(noise_mm: float) -> None:
    assert find_shifted(walk(noise_mm), RATE) == {}


# --- repeated frames ----------------------------------------------------------------------------------------


def repeating(markers: dict[str, Array], first: int, frames: int) -> dict[str, Array]:
    changed = {label: x.copy() for label, x in markers.items()}
    for points in changed.values():
        points[first : first + frames] = points[first - 1]
    return changed


@pytest.mark.parametrize("noise_mm", [0.0, 0.5])
@pytest.mark.parametrize(("first", "frames"), [(1, 1), (200, 1), (200, 3), (120, 10), (399, 1)])
def test_frames_that_repeat_the_one_before_are_found(first: int, frames: int, noise_mm: float) -> None:
    markers = repeating(walk(noise_mm), first, frames)
    (fault,) = find_repeated(markers, RATE)
    assert fault.frames == ((first, first + frames - 1),)
    (fault,) = check_labels(markers, RATE).faults
    assert (fault.kind, fault.frames) == ("repeated", ((first, first + frames - 1),))
    assert fault.note(1).code == "frames_repeated"


def test_every_second_frame_of_a_trial_that_was_stored_twice_as_fast_is_found() -> None:
    twice = {label: np.repeat(x[:100], 2, axis=0) for label, x in walk().items()}
    (fault,) = find_repeated(twice, 2 * RATE)
    assert fault.frames == tuple((k, k) for k in range(1, 200, 2))
