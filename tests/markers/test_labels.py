"""Seeded faults of labels are found in their exact frames; walks, runs and recorded trials raise no alarm."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.markers.clean import model_markers
from gaitid.markers.elsewhere import find_elsewhere
from gaitid.markers.exchanged import find_exchanged, mirrored
from gaitid.markers.faults import LabelFault
from gaitid.markers.labels import check_labels, find_swaps
from gaitid.markers.unmeasured import find_frozen
from gaitid.model.load import load_model
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
RECORDED = [
    *("children/HC002D/walk.c3d", "children/HC030A/walk.c3d", "children/HC030A/turn.c3d", "children/HC031A/walk.c3d"),
    *("children/HC036A/walk.c3d", "children/HC036A/static.c3d", "nexus_flatfoot/walk.c3d", "qualisys/walk.c3d"),
    *("stairs/Movement_trial.c3d", "stairs/Static_trial.c3d", "sydney/static.c3d", "sydney/walk03.c3d"),
    *("sydney/walk04.c3d", "sydney/walk05.c3d"),
]
FLICKERS = {"stairs/Static_trial.c3d": [("spike", ("RPSI",), ((3, 6),))]}
RATE = 100.0

needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")


@cache
def walk(noise_mm: float = 0.0, rate_hz: float = RATE, hurry: float = 1.0) -> dict[str, Array]:
    """The simulated walk; `hurry` plays it faster: at 2.2 its feet move and stop as in a run."""
    times = np.arange(int(4.0 * rate_hz / hurry)) / rate_hz * hurry
    markers = simulated_walk().walk.at(times).marker_g
    rng = np.random.default_rng(11)
    return {label: x + rng.normal(0.0, noise_mm / 1e3, x.shape) for label, x in markers.items()}


def exchanged(markers: dict[str, Array], a: str, b: str, first: int = 0, stop: int | None = None) -> dict[str, Array]:
    result = {**markers, a: markers[a].copy(), b: markers[b].copy()}
    result[a][first:stop], result[b][first:stop] = markers[b][first:stop], markers[a][first:stop]
    return result


def only(faults: list[LabelFault] | tuple[LabelFault, ...]) -> LabelFault:
    assert len(faults) == 1, faults
    return faults[0]


# --- no false alarm -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise_mm", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("rate_hz", "hurry"), [(50.0, 1.0), (100.0, 1.0), (250.0, 1.0), (100.0, 2.2), (250.0, 2.2)])
def test_a_walk_or_a_run_raises_no_alarm(noise_mm: float, rate_hz: float, hurry: float) -> None:
    markers = walk(noise_mm, rate_hz, hurry)
    checked = check_labels(markers, rate_hz)
    assert checked.faults == () and find_exchanged(markers) == []
    assert all(checked.markers[label] is markers[label] for label in markers)


@needs_trials
@pytest.mark.parametrize("file", RECORDED)
def test_recorded_trials_raise_no_alarm(file: str) -> None:
    trial = read_c3d(SHARED / file)
    markers = model_markers(trial, load_model("pig", {}))
    faults = check_labels(markers, trial.rate_hz).faults
    # in the third frame of this static RPSI flickers by 5 mm between two sets of cameras
    assert [(f.kind, f.labels, f.frames) for f in faults] == FLICKERS.get(file, [])
    assert find_exchanged(markers) == []


def test_a_foot_that_strikes_the_ground_does_not_jump() -> None:
    x = np.minimum(np.arange(60) * 0.04, 1.2)  # 4 m/s, then at rest from one frame to the next
    assert find_elsewhere({"LHEE": np.stack([x, 0 * x, 0 * x], axis=1)}, RATE) == []


def test_a_foot_at_rest_in_an_integer_file_is_not_frozen() -> None:
    feet = {label: np.round(walk()[label], 3) for label in ("LHEE", "LTOE", "RHEE", "RTOE")}  # whole millimetres
    assert any((np.diff(x, axis=0) == 0).all(axis=1).sum() > 10 for x in feet.values())
    assert find_frozen(feet, RATE) == []


# --- for part of the trial ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [("LANK", "RANK"), ("LANK", "LHEE"), ("LTHI", "LKNE"), ("LASI", "RASI")])
@pytest.mark.parametrize(("first", "stop"), [(150, 151), (150, 180), (90, 210), (280, 400), (0, 40)])
@pytest.mark.parametrize("noise_mm", [0.0, 0.5])
def test_a_swap_is_found_in_its_frames(a: str, b: str, first: int, stop: int, noise_mm: float) -> None:
    checked = check_labels(exchanged(walk(noise_mm), a, b, first, stop), RATE)
    fault = only(checked.faults)
    assert (fault.kind, fault.labels, fault.frames) == ("swap", (a, b), ((first, stop - 1),))
    # m: the markers are exchanged with one another, so the jump is about the distance between them
    apart = np.linalg.norm(walk()[a] - walk()[b], axis=1)
    assert 0.7 * apart.min() < fault.size_m < 1.3 * apart.max()
    for label in (a, b):
        assert np.isnan(checked.markers[label][first:stop]).all()
        np.testing.assert_array_equal(checked.markers[label][:first], walk(noise_mm)[label][:first])
        np.testing.assert_array_equal(checked.markers[label][stop:], walk(noise_mm)[label][stop:])


def test_labels_exchanged_after_both_were_hidden_are_found() -> None:
    markers = exchanged(walk(0.5), "LANK", "LHEE", 310, None)
    for label in ("LANK", "LHEE"):
        markers[label] = markers[label].copy()
        markers[label][302:310] = np.nan
    fault = only(find_swaps(markers, RATE))
    assert fault.labels == ("LANK", "LHEE") and fault.frames == ((310, 399),)


def test_three_labels_that_change_places_in_a_ring_are_each_named() -> None:
    markers = {label: x.copy() for label, x in walk(0.5).items()}
    for to, of in (("LANK", "LHEE"), ("LHEE", "LTOE"), ("LTOE", "LANK")):
        markers[to][200:230] = walk(0.5)[of][200:230]
    checked = check_labels(markers, RATE)
    # Two of them may be taken for a pair; what matters is that none of the three is used.
    assert {label for fault in checked.faults for label in fault.labels} == {"LANK", "LHEE", "LTOE"}
    for label in ("LANK", "LHEE", "LTOE"):
        assert np.flatnonzero(np.isnan(checked.markers[label][:, 0])).tolist() == list(range(200, 230))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_trial_of_a_few_frames_is_no_fault(n: int) -> None:
    assert check_labels({label: x[:n] for label, x in walk().items()}, RATE).faults == ()


def test_labels_that_are_noise_lose_no_frame_and_are_not_followed() -> None:
    """A cost that grows with the square of the jumps, for a trial that holds nothing but jumps."""
    rng = np.random.default_rng(6)
    n = 3000
    sways = 0.1 * np.sin(np.arange(n) / 50)
    steady = np.stack([np.arange(n) * 0.01, sways, 1 + sways], axis=1)
    markers = {"LANK": rng.normal(0, 0.5, (n, 3)), "LHEE": rng.normal(0, 0.5, (n, 3)), "LTOE": steady}
    markers |= {label: steady + [0.0, 0.1 * k, 0.0] for k, label in enumerate(("RTOE", "RHEE", "RANK"), start=1)}
    assert not check_labels(markers, RATE).faults


@pytest.mark.parametrize("n", [3, 8])
def test_a_frozen_marker_is_found(n: int) -> None:
    markers = {**walk(0.1), "LTOE": walk(0.1)["LTOE"].copy()}
    moving = int(np.argmax(np.linalg.norm(np.diff(markers["LTOE"], axis=0), axis=1)))  # mid-swing
    markers["LTOE"][moving : moving + n] = markers["LTOE"][moving]
    checked = check_labels(markers, RATE)
    fault = only(checked.faults)
    assert (fault.kind, fault.frames) == ("frozen", ((moving, moving + n - 1),))
    assert np.isnan(checked.markers["LTOE"][moving : moving + n]).all()


@needs_trials
def test_a_jump_in_a_recorded_trial_is_found() -> None:
    """C3D.org's Eb015: LFT3 lies still, leaves for a place 70 mm away between two frames, and stays there."""
    trial = read_c3d(SHARED / "zoo/Eb015pi.c3d")
    faults = {f.labels: f for f in check_labels({x: trial.marker(x) for x in trial.labels}, trial.rate_hz).faults}
    assert faults["LFT3",].frames == ((0, 42),)
    assert faults["LFT3",].size_m == pytest.approx(0.070, abs=0.002)  # m: read off the file's own numbers


# --- throughout ---------------------------------------------------------------------------------------------


def pairs(markers: dict[str, Array]) -> list[tuple[str, str]]:
    other = mirrored(markers)
    sided = [label for label in markers if other.get(label, label) != label]
    return [(a, b) for a, b in combinations(sided, 2) if a[0] == b[0] or other[a] == b]


@pytest.mark.parametrize(("a", "b"), pairs(walk()))
def test_any_two_exchanged_labels_are_named(a: str, b: str) -> None:
    faults = find_exchanged(exchanged(walk(0.5), a, b))
    other = mirrored(walk())
    # Which of the two sides is wrong cannot be told.
    assert any(set(f.labels) in ({a, b}, {other[a], other[b]}) for f in faults)


@needs_trials
@pytest.mark.parametrize("file", ["children/HC002D/walk.c3d", "nexus_flatfoot/walk.c3d", "sydney/walk04.c3d"])
@pytest.mark.parametrize(("a", "b"), [("LTHI", "LKNE"), ("RANK", "RHEE"), ("LHEE", "LTOE"), ("LASI", "RASI")])
def test_exchanged_labels_in_recorded_trials_are_named(file: str, a: str, b: str) -> None:
    markers = model_markers(read_c3d(SHARED / file), load_model("pig", {}))
    assert {x[1:] for x in only(find_exchanged(exchanged(markers, a, b))).labels} == {a[1:], b[1:]}


# --- what is said -------------------------------------------------------------------------------------------
