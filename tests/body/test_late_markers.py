"""A marker that is later than its neighbours is named with its delay; skin that moves markers is not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_trials import RECORDED, SHARED, SIMULATED, Case, SimulatedCase, recorded_case, simulated_case

from gaitid.body import late_markers as late_module
from gaitid.body.late_markers import LATE_S, Late, late_markers, late_notes, slipped_notes
from gaitid.trial import Array

RATE = 200.0


def cluster(seconds: float = 3.0) -> dict[str, Array]:
    """Four markers on a rigid body that swings and turns as a shank does."""
    t = np.arange(round(seconds * RATE)) / RATE
    turn = 0.6 * np.sin(2 * np.pi * t) + 0.2 * np.sin(4 * np.pi * t + 1.0)
    R = np.zeros((len(t), 3, 3))
    R[:, 0, 0] = R[:, 2, 2] = np.cos(turn)
    R[:, 0, 2], R[:, 2, 0], R[:, 1, 1] = np.sin(turn), -np.sin(turn), 1.0
    middle = np.stack([1.2 * t + 0.1 * np.sin(2 * np.pi * t), 0.02 * np.sin(np.pi * t), 0.5 + 0 * t], axis=1)
    places = {"A": (0.05, 0.04, 0.2), "B": (-0.05, 0.05, -0.18), "C": (0.06, -0.05, -0.1), "D": (-0.04, -0.04, 0.12)}
    return {label: middle + R @ np.array(place) for label, place in places.items()}


def delayed(points: Array, seconds: float) -> Array:
    t = np.arange(len(points)) / RATE
    return np.stack([np.interp(t - seconds, t, axis) for axis in points.T], axis=1)


@pytest.mark.parametrize("seconds", [0.02, 0.03, -0.03])
@pytest.mark.parametrize("label", "ABCD")
def test_the_delay_is_found(label: str, seconds: float) -> None:
    markers = cluster()
    markers[label] = delayed(markers[label], seconds)
    found = max(late_markers(markers, RATE), key=lambda late: late.share)
    assert found.label == label
    assert found.late_s == pytest.approx(seconds, rel=0.15)  # to first order in the delay
    (note,) = late_notes(markers, RATE)
    way = "late" if seconds > 0 else "early"
    assert note.text.startswith(f"{label} is ") and f" ms {way} relative to its neighbours" in note.text
    assert note.code == "length_varies" and note.severity == "doubt"


def test_a_rigid_body_and_one_that_wobbles_have_none() -> None:
    markers, draw = cluster(), np.random.default_rng(1)
    assert late_markers(markers, RATE) == []
    markers["B"] = delayed(markers["B"], 0.6 * LATE_S)
    assert late_markers(markers, RATE) == []
    markers = cluster()
    wobble = np.cumsum(draw.standard_normal(markers["A"].shape), axis=0)
    markers["A"] = markers["A"] + 0.01 * wobble / wobble.std()
    assert late_markers(markers, RATE) == []


def test_a_marker_that_was_named_is_not_named_again() -> None:
    markers = cluster()
    markers["A"] = delayed(markers["A"], 0.03)
    (note,) = late_notes(markers, RATE)
    # its neighbours, which seem to be early beside it, are not named in its place
    assert not [again for again in late_notes(markers, RATE, [note]) if again.text.startswith("A ")]


def test_few_frames_or_markers_tell_nothing() -> None:
    markers = cluster()
    markers["A"] = delayed(markers["A"], 0.03)
    assert late_markers({label: markers[label] for label in "ABC"}, RATE) == []
    assert late_markers({label: points[:25] for label, points in markers.items()}, RATE) == []
    markers["A"][20:] = np.nan
    assert late_markers(markers, RATE) == []


def test_neighbours_are_those_whose_distances_vary_least() -> None:
    """As numpy's standard deviations of the distances of each pair have them, also where markers are seen in part."""
    draw = np.random.default_rng(2)
    places = draw.standard_normal((3, 7, 1)) + draw.uniform(0.001, 0.1, (7, 1)) * draw.standard_normal((3, 7, 700))
    places[:, 3, :650] = places[:, 5, 680:] = np.nan  # 3 and 5 are seen together in 30 frames
    places[:, 6, 20:] = np.nan
    rows, told = late_module._steadiest(places)
    apart = np.linalg.norm(places[:, :, None] - places[:, None], axis=0)
    varies = np.full((7, 7), np.inf)
    for i, j in np.argwhere(np.isfinite(apart).sum(axis=2) >= late_module.LEAST):
        varies[i, j] = np.nanstd(apart[i, j]) if i != j else np.inf
    assert told.tolist() == [True] * 6 + [False]
    assert rows[told].tolist() == np.argsort(varies, axis=1)[told, : late_module.NEIGHBOURS].tolist()


@pytest.mark.parametrize("simulated", SIMULATED, ids=lambda one: one.name)
def test_simulated_trials_have_none(simulated: SimulatedCase) -> None:
    case = simulated_case(simulated)
    assert late_markers(case.result.markers.seen, case.trial.rate_hz) == []


@pytest.mark.parametrize("name", ["stairs/", "sydney/walk03", "children/HC030A/walk", "wild/latrobe", "wild/padua"])
def test_recorded_trials_have_none(name: str) -> None:
    assert _late_in(_case(name), "", 0) == []


@pytest.mark.parametrize(("name", "label"), [("stairs/", "LASI"), ("wild/padua", "RMALM"), ("wild/padua", "RFCM")])
def test_a_recorded_marker_that_is_five_frames_late_is_found(name: str, label: str) -> None:
    """None of these varies a length by more than skin does, and each is worth 0.2 N·m/kg."""
    case = _case(name)
    found = max(_late_in(case, label, 5), key=lambda late: late.share)
    assert found.label == label
    assert found.late_s == pytest.approx(5 / case.trial.rate_hz, rel=0.25)


def _case(name: str) -> Case:
    one = next(one for one in RECORDED if one.file.startswith(name))
    if not (SHARED / one.file).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    return recorded_case(one)


def _late_in(case: Case, label: str, frames: int) -> list[Late]:
    markers = {name: points.copy() for name, points in case.result.markers.seen.items()}
    if label:
        points = markers[label]
        markers[label] = np.concatenate([points[:1].repeat(frames, axis=0), points[:-frames]])
    return late_markers(markers, case.trial.rate_hz)


# --- from stride to stride ----------------------------------------------------------------------------------

STRIDES = [(10, 210), (210, 410), (410, 590)]


@pytest.mark.parametrize("label", "ABCD")
def test_a_marker_that_slides_between_two_strides_is_named(label: str) -> None:
    markers = cluster()
    assert not slipped_notes(markers, STRIDES)
    away = np.mean([markers[label] - markers[other] for other in "ABCD"], axis=0)
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    slow = np.clip((np.arange(600) - 200) / 60, 0, 1)[:, None]  # 0.3 s: no step shows
    markers[label] = markers[label] + 0.03 * slow * away
    (note,) = slipped_notes(markers, STRIDES)
    assert note.code == "length_varies" and note.text.startswith(f"{label} lies ")
    assert not slipped_notes(markers, STRIDES[:1])  # one stride is held against none
    assert not slipped_notes(markers, STRIDES, (note,))


def test_strides_in_parts_tell_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(1).normal(size=(50, 6, 3))
    points[3, 2] = points[40:, 4] = np.nan
    neighbours, told = late_module._steadiest(points)
    monkeypatch.setattr(late_module, "_AT_ONCE", 7)
    in_parts, told_in_parts = late_module._steadiest(points)
    np.testing.assert_array_equal(in_parts, neighbours)
    np.testing.assert_array_equal(told_in_parts, told)


def test_movement_that_every_stride_repeats_is_no_slip() -> None:
    markers, t = cluster(), np.arange(600) / RATE
    markers["A"] = markers["A"] + 0.03 * np.sin(2 * np.pi * t)[:, None] * [1.0, 0.0, 0.0]
    assert not slipped_notes(markers, [(0, 200), (200, 400), (400, 599)])


def test_a_joint_that_is_bent_otherwise_in_one_stride_moves_no_marker() -> None:
    """A heel sees two markers of the shank, across an ankle that one stride on a stair bends more than the other."""
    markers, t = cluster(), np.arange(600) / RATE
    bent = 0.9 * np.sin(2 * np.pi * t) + 0.4 * ((t >= 1) & (t < 2))
    ankle = markers["B"] + 0.4 * (markers["B"] - markers["A"])
    for label, along_m in (("heel", -0.09), ("toe", 0.16)):
        markers[label] = ankle + along_m * np.stack([np.cos(bent), 0 * bent, np.sin(bent)], axis=1)
    assert not slipped_notes(markers, [(0, 200), (200, 400), (400, 599)])
