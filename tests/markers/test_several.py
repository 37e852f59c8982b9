"""Markers that step together lose just their frames, lost frames are found; movement, impacts and noise are neither."""

from __future__ import annotations

import numpy as np
import pytest
from rotations import from_vector
from simulated_trials import simulated_walk
from test_labels import RATE, RECORDED, needs_trials, only, walk
from test_steps import recorded

from gaitid.errors import TrialError
from gaitid.markers.clean import Markers, clean
from gaitid.markers.elsewhere import lost_frame_notes
from gaitid.markers.faults import LabelFault
from gaitid.markers.labels import check_labels
from gaitid.model.specs import Settings
from gaitid.trial import Array

WAY = np.array([0.6, -0.8, 0.0])
AXIS = np.array([2.0, -1.0, 2.0]) / 3
FOOT, SHANK, PELVIS = ("LANK", "LHEE", "LTOE"), ("LTIB", "LANK"), ("LASI", "LPSI", "RASI", "RPSI")
LEG = ("LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE")
SMOOTHED = [file for file in RECORDED if "walk" in file and "qualisys" not in file]


def faults_of(markers: dict[str, Array], rate_hz: float = RATE) -> list[LabelFault]:
    return list(check_labels(markers, rate_hz).faults)


def off(
    markers: dict[str, Array], labels: tuple[str, ...], first: int, frames: int | None, by_m: Array
) -> dict[str, Array]:
    changed = {label: markers[label].copy() for label in labels}
    for points in changed.values():
        points[first : None if frames is None else first + frames] += by_m
    return {**markers, **changed}


def cleaned(markers: dict[str, Array]) -> Markers:
    return clean(markers, Settings(), RATE, 501, ("L", "R"))


def unseen(markers: Markers, label: str = "LKNE") -> list[int]:
    return np.flatnonzero(np.isnan(markers.filtered[label]).all(axis=1)).tolist()


# --- movement -----------------------------------------------------------------------------------------------


def test_a_leg_that_is_shaken_as_a_whole_has_no_step_but_a_marker_of_it_may() -> None:
    """An impact throws all markers of a leg aside: seen by its neighbours none of them goes anywhere."""
    kick = np.array([0.0, 0.003, 0.012, 0.008, 0.002, 0.0])
    markers = dict(walk(0.5))
    for label in LEG:
        markers[label] = markers[label].copy()
        markers[label][200:206, 2] -= kick
    assert faults_of(markers) == []
    fault = only(faults_of(off(markers, ("LTIB",), 201, 3, np.array([0.03, 0.0, 0.0]))))
    assert (fault.labels, fault.frames) == (("LTIB",), ((201, 203),))


def test_skin_that_wobbles_beside_its_segment_has_no_step() -> None:
    """25 Hz and 6 mm, dying out over 0.1 s after a foot strike."""
    t = np.arange(20) / RATE
    points = walk(0.3)["LTHI"].copy()
    points[200:220, 1] += 0.006 * np.exp(-t / 0.03) * np.sin(2 * np.pi * 25 * t)
    assert faults_of({**walk(0.3), "LTHI": points}) == []


def test_a_foot_that_strikes_the_ground_does_not_jump() -> None:
    x = np.minimum(np.arange(60) * 0.04, 1.2)  # 4 m/s, then at rest from one frame to the next
    moving = np.stack([x, 0 * x, 0 * x], axis=1)
    assert faults_of({"LHEE": moving + np.random.default_rng(1).normal(0, 3e-4, (60, 3))}) == []


@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 200.0])
@pytest.mark.parametrize("impact_bw", [0.2, 0.8])
def test_feet_that_strike_the_ground_again_and_again_do_not_jump(rate_hz: float, impact_bw: float) -> None:
    """The impact checks all markers of a foot within one to three frames, the same way at each strike."""
    trial = simulated_walk(
        duration=3.0, rate_hz=rate_hz, analog_rate_hz=10 * rate_hz, impact_bw=impact_bw, impact_absorbed=1.0
    ).trial
    assert faults_of({label: trial.marker(label) for label in trial.labels}, rate_hz) == []


@pytest.mark.parametrize("noise_mm", [3.0, 20.0])
def test_where_every_frame_steps_it_is_noise(noise_mm: float) -> None:
    assert faults_of(walk(noise_mm)) == []
    assert faults_of({**walk(0.3), "LANK": walk(noise_mm)["LANK"]}) == []


def test_jerk_that_steps_is_no_fault() -> None:
    """Cubic pieces with steps of the jerk every 0.1 s, as programs lay them through a few frames."""
    at = np.arange(0, 400, 10)
    pieces = {}
    for label, points in walk().items():
        inner = np.clip(np.arange(400) / 10.0, 1, len(at) - 3)
        k, t = inner.astype(int), (inner % 1)[:, None]
        p = [points[at[np.clip(k + j, 0, len(at) - 1)]] for j in (-1, 0, 1, 2)]
        # the spline of Catmull & Rom (1974): its velocity is continuous, its acceleration is not
        pieces[label] = p[1] + t / 2 * (
            p[2] - p[0] + t * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + t * (3 * (p[1] - p[2]) + p[3] - p[0]))
        )
    assert [f for f in faults_of(pieces) if f.kind not in ("splined", "straight")] == []


# --- several ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frames", [1, 5, 40, None])
@pytest.mark.parametrize("labels", [FOOT, SHANK, PELVIS])
@pytest.mark.parametrize(("size_m", "noise_mm"), [(0.001, 0.0), (0.015, 0.0), (0.02, 0.3)])
def test_markers_of_a_segment_that_are_elsewhere_together_are_found(
    size_m: float, noise_mm: float, labels: tuple[str, ...], frames: int | None
) -> None:
    fault = only(faults_of(off(walk(noise_mm), labels, 137, frames, size_m * WAY)))
    assert set(fault.labels) == set(labels) and fault.kind.startswith("several_")
    assert (fault.frames, fault.at) == (((), ((136, 137),)) if frames is None else (((137, 136 + frames),), ()))
    assert np.linalg.norm(fault.step_mm) == pytest.approx(1e3 * size_m, rel=0.25)


@pytest.mark.parametrize("frames", [5, None])
def test_markers_of_a_segment_that_are_turned_together_are_found(frames: int | None) -> None:
    markers, at = dict(walk()), slice(150, None if frames is None else 150 + frames)
    middle, R = np.mean([markers[label] for label in FOOT], axis=0), from_vector(np.radians(8.0) * AXIS)
    for label in FOOT:
        turned = middle + (markers[label] - middle) @ R.T
        markers[label] = markers[label].copy()
        markers[label][at] = turned[at]
    fault = only(faults_of(markers))
    assert set(fault.labels) == set(FOOT) and fault.at == (((149, 150),) if frames is None else ())


def test_frames_beside_the_step_of_a_foot_are_left_empty_and_those_of_a_brief_excursion_are_filled() -> None:
    result = cleaned(off(walk(), FOOT, 150, None, 0.015 * WAY))
    for label in walk():
        assert unseen(result, label) == ([*range(143, 157)] if label in FOOT else [])
    (note,) = (note for note in result.notes if note.severity == "doubt")
    assert note.code == "markers_jump" and note.text == (
        "LANK, LHEE, LTOE jump together by 15 mm (+9, -12, +0 mm along x, y, z) between frames 650-651, and stay "
        "there; not used in frames 644-657. Before or after it they lie elsewhere on the body"
    )
    result = cleaned(off(walk(), FOOT, 150, 2, 0.015 * WAY))
    assert "not used in frames 651-652" in next(n.text for n in result.notes if n.code == "markers_jump")
    for label, points in walk().items():
        np.testing.assert_allclose(result.filtered[label], points, atol=3e-4)  # m


# --- all ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise_mm", [0.0, 0.3])
@pytest.mark.parametrize("frames", [1, 2, 10, 40])
def test_frames_in_which_all_are_elsewhere_are_found(frames: int, noise_mm: float) -> None:
    fault = only(faults_of(off(walk(noise_mm), tuple(walk()), 137, frames, 0.015 * WAY)))
    assert (fault.kind, fault.frames) == ("together" if frames < 6 else "away", ((137, 136 + frames),))
    np.testing.assert_allclose(fault.step_mm, 15 * WAY, atol=3 if noise_mm else 0.1)


@needs_trials
@pytest.mark.parametrize("file", SMOOTHED)
def test_steps_of_all_markers_are_found_in_recorded_trials(file: str) -> None:
    markers, rate_hz = recorded(file)
    for frame in range(30, len(next(iter(markers.values()))) - 30, 61):
        fault = only(faults_of(off(markers, tuple(markers), frame, None, 0.01 * WAY), rate_hz))
        assert (fault.kind, fault.at) == ("reset", ((frame - 1, frame),))


def test_a_long_one_and_a_step_of_all_are_left_empty_as_far_as_they_reach() -> None:
    assert unseen(cleaned(off(walk(), tuple(walk()), 150, 10, 0.01 * WAY))) == [*range(143, 167)]
    result = cleaned(off(walk(), tuple(walk()), 150, None, 0.01 * WAY))
    assert unseen(result) == [*range(143, 157)]
    (note,) = (note for note in result.notes if note.code == "markers_jump")
    assert "between frames 650-651, and stay there" in note.text and "do not fit the plates" in note.text
    assert not {note.code for note in result.notes} & {"label_fault", "marker_moved", "marker_spike"}


def test_a_step_of_all_as_large_as_a_jump_of_labels_is_refused_by_its_name() -> None:
    far = off(walk(), tuple(walk()), 150, None, 0.04 * WAY)
    with pytest.raises(TrialError, match=r"all markers jump together by 40 mm between frames 650-651"):
        cleaned(far)
    clean(far, Settings(doubtful_labels="keep"), RATE, 501, ("L", "R"))


# --- frames that are lost -----------------------------------------------------------------------------------


@pytest.mark.parametrize("noise_mm", [0.0, 0.3])
@pytest.mark.parametrize("frame", [90, 137, 201])
def test_a_missing_frame_is_found_where_it_is(frame: int, noise_mm: float) -> None:
    checked = check_labels({x: np.delete(points, frame, 0) for x, points in walk(noise_mm).items()}, RATE)
    ((behind, times),) = checked.lost
    assert behind == frame and times == pytest.approx(2.0, abs=0.2) and checked.faults == ()
    (note,) = lost_frame_notes(checked.lost, 501)
    assert note.code == "frames_lost" and f"{frame + 500} and {frame + 501}" in note.text


@needs_trials
@pytest.mark.parametrize("file", SMOOTHED)
def test_recordings_lack_no_frame_and_one_that_is_taken_out_is_found(file: str) -> None:
    markers, rate_hz = recorded(file)
    assert check_labels(markers, rate_hz).lost == ()
    for frame in range(30, len(next(iter(markers.values()))) - 30, 61):
        ((behind, _),) = check_labels({x: np.delete(p, frame, 0) for x, p in markers.items()}, rate_hz).lost
        assert behind == frame


def test_markers_that_change_places_or_jump_together_are_no_missing_frame() -> None:
    assert check_labels(off(walk(), tuple(walk()), 150, None, 0.013 * WAY), RATE).lost == ()
    assert check_labels(off(walk(), FOOT, 150, None, 0.013 * WAY), RATE).lost == ()
