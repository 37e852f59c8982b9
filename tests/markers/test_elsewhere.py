"""A marker that is elsewhere for one frame, for a while or for good loses these frames only."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cluster_walk
import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.markers.clean import model_markers
from gaitid.markers.elsewhere import find_elsewhere
from gaitid.markers.labels import check_labels
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array, Mask, Trial

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


def spikes(markers: dict[str, Array]) -> dict[str, tuple[tuple[tuple[int, int], ...], float]]:
    """Frames and size of the spikes of each marker that has some; nothing else may be found."""
    faults = find_elsewhere(markers, RATE)
    assert {fault.kind for fault in faults} <= {"spike"}
    return {fault.labels[0]: (fault.frames, fault.size_m) for fault in faults}


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
        ((of, (found, found_m)),) = spikes(markers).items()
        assert (of, found) == (label, ((at, at + frames - 1),))
        assert found_m == pytest.approx(size_m, abs=0.002)


@pytest.mark.parametrize(
    ("size_m", "frames", "least"), [(0.01, 1, 0.9), (0.015, 1, 1.0), (0.015, 5, 0.9), (0.04, 5, 1.0)]
)
def test_a_marker_that_is_off_in_a_noisy_walk_is_found(size_m: float, frames: int, least: float) -> None:
    """0.5 mm of noise on every axis."""
    cases = [case for seed in (1, 2) for case in spoilt(walk(0.5), size_m, frames, seed)]
    found = [
        any(first <= at and last >= at + frames - 1 for first, last in spikes(markers).get(label, ((), 0))[0])
        for label, at, markers in cases
    ]
    assert np.mean(found) >= least


@pytest.mark.parametrize("noise_mm", [0.1, 0.3])
@pytest.mark.parametrize("label", ["LKNE", "LTIB", "LANK"])
def test_a_marker_that_is_off_while_an_impact_shakes_its_segment_is_found(label: str, noise_mm: float) -> None:
    """In the laboratory its neighbours are off as well, among each other they are not."""
    kick = np.array([0.0, 0.003, 0.012, 0.008, 0.002, 0.0])
    markers = dict(walk(noise_mm))
    for shaken in ("LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE"):
        markers[shaken] = markers[shaken].copy()
        markers[shaken][200:206, 2] -= kick
    assert spikes(markers) == {}
    for offset_m, frames in ((np.array([0.015, 0.0, 0.0]), 3), (np.array([0.0, 0.01, 0.0]), 5)):
        ((found, (runs, _)),) = spikes(off(markers, label, 201, frames, offset_m)).items()
        assert (found, runs) == (label, ((201, 200 + frames),))


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
def test_in_a_walk_no_marker_is_elsewhere(noise_mm: float) -> None:
    assert find_elsewhere(walk(noise_mm), RATE) == []


# --- held --------------------------------------------------------------------------------------------------


def stands(points: Array, first: int, n: int, noise_m: float) -> Array:
    """The track with a marker that stays for `n` frames where it was before them."""
    changed = points.copy()
    noise = np.random.default_rng(3).normal(0.0, noise_m, (n, 3))
    changed[first : first + n] = points[first - 1] + noise
    return changed


def emptied(before: Array, after: Array) -> Mask:
    return np.asarray(np.isnan(after).any(axis=1) & ~np.isnan(before).any(axis=1))


@pytest.mark.parametrize("noise_mm", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("n", [12, 20, 40])
@pytest.mark.parametrize("label", ["LASI", "RKNE", "LTIB"])
def test_a_marker_that_is_held_costs_these_frames(label: str, n: int, noise_mm: float) -> None:
    markers, first = dict(walk(0.1)), 150
    changed = {**markers, label: stands(markers[label], first, n, noise_mm * 1e-3)}
    checked = check_labels(changed, RATE)
    assert {fault.labels for fault in checked.faults} == {(label,)}
    gone = np.flatnonzero(emptied(changed[label], checked.markers[label]))
    off = np.flatnonzero(np.linalg.norm(changed[label] - markers[label], axis=1) > 0.02)
    assert len(off) > 5 and set(off) <= set(gone)
    assert gone[-1] == first + n - 1 and first - 4 <= gone[0]
    assert [fault.kind for fault in checked.faults] == ["jump"]


@needs_trials
@pytest.mark.parametrize("name", ["sydney/walk03.c3d", "children/HC030A/walk.c3d", "nexus_flatfoot/walk.c3d"])
def test_a_marker_that_is_held_in_recorded_trials(name: str) -> None:
    markers, rate_hz = recorded(name)
    n, first, told = round(0.3 * rate_hz), len(next(iter(markers.values()))) // 2, 0
    for label, points in markers.items():
        changed = {**markers, label: stands(points, first, n, 0.0005)}
        off = np.linalg.norm(changed[label] - points, axis=1) > 0.05
        if not off.any():  # a foot that stands anyway
            continue
        gone = emptied(changed[label], check_labels(changed, rate_hz).markers[label])
        told += 1
        assert gone[off].all() and gone.sum() <= n + 40, label
    assert told > 8


# --- flickers -----------------------------------------------------------------------------------------------


def tracks(trial: Trial) -> dict[str, Array]:
    return {label: trial.marker(label) for label in trial.labels if np.isfinite(trial.marker(label)).any()}


def strayed(points: dict[str, Array], label: str, first: int, offsets_m: list[float]) -> dict[str, Array]:
    away = np.zeros((len(points[label]), 3))
    away[first : first + len(offsets_m), 0] = offsets_m
    return {**points, label: points[label] + away}


def lost(points: dict[str, Array], label: str, rate_hz: float = RATE) -> list[int]:
    runs = [run for fault in find_elsewhere(points, rate_hz) if fault.labels == (label,) for run in fault.frames]
    return sorted({frame for first, last in runs for frame in range(first, last + 1)})


@pytest.mark.parametrize(
    "offsets_m",
    [
        [0.04],
        [0.0, 0.013, -0.012, 0.013],  # some of its steps are no jump by themselves
        [0.03, 0.018, 0.008],  # it comes back by steps that are none
        [0.03, -0.02, 0.03, -0.02],  # several jumps are one flicker
    ],
)
def test_a_marker_that_flickers_loses_the_frames_of_the_flicker_and_few_beside(offsets_m: list[float]) -> None:
    gone = lost(strayed(tracks(cluster_walk.walk()), "L_ASIS", 148, offsets_m), "L_ASIS")
    strays = [148 + k for k, offset in enumerate(offsets_m) if abs(offset) > 0.02]
    assert set(strays) <= set(gone) <= set(range(145, 156)), gone


# --- recorded trials ----------------------------------------------------------------------------------------


@needs_trials
@pytest.mark.parametrize(
    ("file", "label", "most"),
    [
        ("wild/wisconsin/walk.trc", "L.ASIS", 6),
        ("wild/wisconsin/walk.trc", "R.ASIS", 16),
        ("wild/cgm24/walk.c3d", "RTOE", 8),
        ("wild/cmu/punch.c3d", "LANK", 8),
        ("wild/cmu/punch.c3d", "LHEE", 8),
        ("wild/padua_clusters/walk.c3d", "LASI", 6),
        ("wild/visual3d_hybrid/static.c3d", "L_ANKLE_LAT", 6),
        *(("models/ja1_gait/JA1Gait35.trc", label, 8) for label in ("LASI", "RASI", "LMFS", "RMFS", "RTOE")),
        # at 9.5 m/s no cubic follows a shank in the laboratory, but among its neighbours
        *(("models/ja1_gait/JA1Gait35.trc", label, 8) for label in ("LTIAD", "RTIAD")),
    ],
)
def test_flickers_of_recorded_markers_are_short(file: str, label: str, most: int) -> None:
    trial = read_trial(SHARED / file)
    assert 1 <= len(lost(tracks(trial), label, trial.rate_hz)) <= most


@needs_trials
def test_a_recorded_marker_that_stays_24_mm_away_is_lost_there() -> None:
    trial = read_trial(SHARED / "wild/visual3d_hybrid/walk.c3d")
    assert lost(tracks(trial), "R_THIGH_2", trial.rate_hz) == list(range(519, 541))


@needs_trials
@pytest.mark.parametrize("file", ["children/HC036A/walk.c3d", "nexus_flatfoot/walk.c3d", "qualisys/walk.c3d"])
def test_recorded_markers_moved_for_good_are_on_two_tracks(file: str) -> None:
    trial = read_c3d(SHARED / file)
    rng, seen, n = np.random.default_rng(7), tracks(trial), trial.n_frames
    for label in [x for x in seen if x in ("LASI", "RASI", "LKNE", "RTIB", "RANK", "LHEE")] * 5:
        jump = int(rng.integers(n // 3, 2 * n // 3))
        way = rng.normal(size=3)
        moved_m = np.where(np.arange(n) >= jump, 0.03, 0.0)[:, None] * way / np.linalg.norm(way)
        assert len(lost({**seen, label: seen[label] + moved_m}, label, trial.rate_hz)) >= n // 4
