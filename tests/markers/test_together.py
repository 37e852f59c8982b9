"""Markers that jump together by one length are named: all, as when a camera is bumped, and those of a segment."""

from __future__ import annotations

import numpy as np
import pytest
from rotations import from_vector
from simulated_trials import simulated_walk
from test_labels import RATE, RECORDED, SHARED, needs_trials, walk

from gaitid.errors import TrialError
from gaitid.markers.clean import Markers, clean, model_markers
from gaitid.markers.group_shifts import find_group_shifts
from gaitid.markers.labels import check_labels
from gaitid.markers.together import find_together
from gaitid.model.load import load_model
from gaitid.model.specs import Settings
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array

WAY = np.array([0.6, -0.8, 0.0])
AXIS = np.array([2.0, -1.0, 2.0]) / 3


def moved(markers: dict[str, Array], first: int, frames: int | None, size_m: float) -> dict[str, Array]:
    changed = {label: points.copy() for label, points in markers.items()}
    for points in changed.values():
        points[first : None if frames is None else first + frames] += size_m * WAY
    return changed


def some_moved(
    markers: dict[str, Array], labels: tuple[str, ...], first: int, frames: int | None, size_m: float
) -> dict[str, Array]:
    return {**markers, **moved({label: markers[label] for label in labels}, first, frames, size_m)}


def cleaned(markers: dict[str, Array]) -> Markers:
    return clean(markers, Settings(), RATE, 501, ("L", "R"))


def unseen(markers: Markers) -> list[int]:
    return np.flatnonzero(np.isnan(markers.filtered["LKNE"]).all(axis=1)).tolist()


@pytest.mark.parametrize("noise_mm", [0.0, 0.3])
@pytest.mark.parametrize("frames", [1, 2, 3, 5, 10, 40])
@pytest.mark.parametrize("frame", [20, 137, 201])
def test_frames_in_which_all_are_elsewhere_are_found(frame: int, frames: int, noise_mm: float) -> None:
    (place,) = find_together(moved(walk(noise_mm), frame, frames, 0.01), RATE)
    assert (place.first, place.last, place.stays) == (frame, frame + frames - 1, False)
    np.testing.assert_allclose(place.step_m, 0.01 * WAY, atol=0.003 if noise_mm else 1e-4)


@pytest.mark.parametrize(("size_m", "noise_mm"), [(0.001, 0.0), (0.01, 0.0), (0.01, 0.3)])
def test_a_step_that_stays_is_found(size_m: float, noise_mm: float) -> None:
    (place,) = find_together(moved(walk(noise_mm), 150, None, size_m), RATE)
    assert (place.first, place.last, place.stays) == (149, 150, True)


def test_a_brief_excursion_costs_its_frames_which_are_filled() -> None:
    whole, result = walk(0.0), cleaned(moved(walk(0.0), 150, 2, 0.01))
    (note,) = (note for note in result.notes if note.code == "markers_jump")
    assert note.severity == "doubt" and "by 10 mm (+6, -8, +0 mm along x, y, z)" in note.text
    assert "not used in frames 651-652" in note.text
    for label, points in whole.items():
        np.testing.assert_allclose(result.filtered[label], points, atol=1e-4)  # m


def test_a_long_one_and_a_step_are_left_empty_as_far_as_they_reach() -> None:
    assert unseen(cleaned(moved(walk(0.0), 150, 10, 0.01))) == [*range(143, 167)]
    result = cleaned(moved(walk(0.0), 150, None, 0.01))
    assert unseen(result) == [*range(143, 157)]
    (note,) = (note for note in result.notes if note.code == "markers_jump")
    assert "between frames 650-651, and stay there" in note.text
    assert "do not fit the plates" in note.text
    assert not {note.code for note in result.notes} & {"label_fault", "marker_moved", "marker_spike"}


def test_a_step_as_large_as_a_jump_of_labels_is_refused_by_its_name() -> None:
    with pytest.raises(TrialError, match=r"all markers jump together by 40 mm between frames 650-651"):
        cleaned(moved(walk(0.0), 150, None, 0.04))
    clean(moved(walk(0.0), 150, None, 0.04), Settings(doubtful_labels="keep"), RATE, 501, ("L", "R"))


@pytest.mark.parametrize("noise_mm", [0.0, 0.3, 1.0])
def test_a_walk_and_a_lost_frame_are_none(noise_mm: float) -> None:
    assert find_together(walk(noise_mm), RATE) == []
    for frame in (90, 137, 201):
        assert find_together({x: np.delete(points, frame, 0) for x, points in walk(noise_mm).items()}, RATE) == []


@needs_trials
@pytest.mark.parametrize("file", RECORDED)
def test_recorded_trials_have_none_and_steps_of_10_mm_are_found_in_them(file: str) -> None:
    trial = read_c3d(SHARED / file)
    markers = model_markers(trial, load_model("pig", {}))
    assert find_together(markers, trial.rate_hz) == []
    for frame in range(20, trial.n_frames - 20, 37):
        (place,) = find_together(moved(markers, frame, None, 0.01), trial.rate_hz)
        assert (place.first, place.last, place.stays) == (frame - 1, frame, True)


# --- several ------------------------------------------------------------------------------------------------

FOOT, SHANK, PELVIS = ("LANK", "LHEE", "LTOE"), ("LTIB", "LANK"), ("LASI", "LPSI", "RASI", "RPSI")


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 10, 15, 40, None])
@pytest.mark.parametrize("labels", [FOOT, SHANK, PELVIS])
@pytest.mark.parametrize(("size_m", "noise_mm"), [(0.001, 0.0), (0.015, 0.0), (0.02, 0.3)])
@pytest.mark.parametrize("frame", [120, 137, 201])
def test_markers_of_a_segment_that_are_elsewhere_together_are_found(
    frame: int, size_m: float, noise_mm: float, labels: tuple[str, ...], frames: int | None
) -> None:
    (found,) = find_group_shifts(some_moved(walk(noise_mm), labels, frame, frames, size_m), RATE)
    assert set(found.labels) == set(labels)
    away = [] if frames is None else [*range(frame, frame + frames)]
    assert np.flatnonzero(found.shifted.away).tolist() == away
    assert found.shifted.stays == (((frame - 1, frame),) if frames is None else ())
    assert np.linalg.norm(found.step_m) == pytest.approx(size_m, rel=0.25)


def some_turned(
    markers: dict[str, Array], labels: tuple[str, ...], first: int, frames: int | None, degrees: float
) -> dict[str, Array]:
    changed = {label: points.copy() for label, points in markers.items()}
    middle, R = np.mean([markers[label] for label in labels], axis=0), from_vector(np.radians(degrees) * AXIS)
    at = slice(first, None if frames is None else first + frames)
    for label in labels:
        changed[label][at] = (middle + (markers[label] - middle) @ R.T)[at]
    return changed


@pytest.mark.parametrize("frames", [1, 5, 20, None])
@pytest.mark.parametrize("labels", [FOOT, PELVIS])
@pytest.mark.parametrize(("degrees", "noise_mm"), [(1.0, 0.0), (8.0, 0.0), (20.0, 0.0), (15.0, 0.3)])
@pytest.mark.parametrize("frame", [120, 201])
def test_markers_of_a_segment_that_are_turned_together_are_found(
    frame: int, degrees: float, noise_mm: float, labels: tuple[str, ...], frames: int | None
) -> None:
    (found,) = find_group_shifts(some_turned(walk(noise_mm), labels, frame, frames, degrees), RATE)
    assert set(found.labels) == set(labels)
    away = [] if frames is None else [*range(frame, frame + frames)]
    assert np.flatnonzero(found.shifted.away).tolist() == away
    assert found.shifted.stays == (((frame - 1, frame),) if frames is None else ())
    assert found.turn_deg == pytest.approx(degrees, rel=0.25 if noise_mm else 0.1)
    assert np.linalg.norm(found.step_m) < 0.25 * found.size_m


def test_a_foot_that_turns_is_told_once_and_empty_beside_its_step() -> None:
    result = cleaned(some_turned(walk(0.0), FOOT, 150, None, 8.0))
    (note,) = (note for note in result.notes if note.severity == "doubt")
    assert note.code == "markers_jump" and note.text == (
        "LANK, LHEE, LTOE turn together by 8°, by up to 12 mm (about the axis +0.7, -0.3, +0.7 along x, y, z) between "
        "frames 650-651, and stay there; not used in frames 644-657. Before or after it they "
        "lie elsewhere on the body"
    )
    for label in walk(0.0):
        gone = np.flatnonzero(np.isnan(result.filtered[label]).all(axis=1)).tolist()
        assert gone == ([*range(143, 157)] if label in FOOT else [])
    (record,) = (fault for fault in result.quality["label_faults"] if fault["kind"] == "several_reset")
    np.testing.assert_allclose(record["turn_axis"], AXIS, atol=0.05)
    both = some_moved(some_turned(walk(0.0), FOOT, 150, None, 8.0), FOOT, 150, None, 0.004)
    (note,) = (note for note in cleaned(both).notes if note.severity == "doubt")
    assert "(about the axis +0.7, -0.3, +0.7; their middle +2, -3, +0 mm along x, y, z)" in note.text


def test_neither_a_heel_that_is_shaken_nor_coordinates_in_steps_are_several() -> None:
    since = np.maximum(np.arange(len(walk(0.3)["LHEE"])) - 150.4, 0.0) / RATE
    shake = 0.01 * np.sin(2 * np.pi * 25 * since) * np.exp(-since / 0.03)  # a shoe strikes the ground
    shaken = {
        label: points + (label in FOOT) * np.outer(shake, [0.3, 0.2, 0.93]) for label, points in walk(0.3).items()
    }
    assert find_group_shifts(shaken, RATE) == []
    standing = {label: np.round(points[:1] + 1e-4 * walk(0.3)[label], 3) for label, points in walk(0.0).items()}
    for label in ("LASI", "RTIB"):
        standing[label][60:] += [0.0, 0.001, 0.0]
    assert find_group_shifts(standing, RATE) == []


@needs_trials
@pytest.mark.parametrize("file", RECORDED)
def test_recorded_trials_have_none_and_a_foot_s_steps_are_found_in_them(file: str) -> None:
    trial = read_c3d(SHARED / file)
    markers = check_labels(model_markers(trial, load_model("pig", {})), trial.rate_hz).markers
    assert find_group_shifts(markers, trial.rate_hz) == []
    foot = tuple(label for label in FOOT if label in markers)
    for frame in range(20, trial.n_frames - 20, 37):
        changed = some_moved(dict(markers), foot, frame, None, 0.015)
        if not np.isfinite([changed[x][frame - 6 : frame + 6] for x in foot]).all() or len(foot) < 3:
            continue
        (found,) = find_group_shifts(changed, trial.rate_hz)
        assert set(found.labels) == set(foot)
        assert found.shifted.stays == ((frame - 1, frame),)


@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 200.0])
@pytest.mark.parametrize("impact_bw", [0.2, 0.8])
def test_feet_that_strike_the_ground_again_and_again_do_not_jump(rate_hz: float, impact_bw: float) -> None:
    """The impact checks all markers of a foot within one to three frames, the same way at each strike."""
    trial = simulated_walk(
        duration=3.0, rate_hz=rate_hz, analog_rate_hz=10 * rate_hz, impact_bw=impact_bw, impact_absorbed=1.0
    ).trial
    assert find_group_shifts({label: trial.marker(label) for label in trial.labels}, rate_hz) == []
