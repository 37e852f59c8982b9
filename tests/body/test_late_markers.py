"""A marker that is later than its neighbours is named with its delay; skin that moves markers is not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_trials import RECORDED, SHARED, SIMULATED, Case, SimulatedCase, recorded_case, simulated_case

from gaitid.body.late_markers import Late, late_markers, late_notes, slipped_notes
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
