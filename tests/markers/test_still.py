"""A marker that stands still while the body goes on costs the frames in which it stood, with noise or without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_labels import RATE, RECORDED, SHARED, needs_trials, walk

from gaitid.markers.clean import model_markers
from gaitid.markers.labels import check_labels
from gaitid.markers.still import find_standstills
from gaitid.markers.unmeasured import find_held
from gaitid.model.load import load_model
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array, Mask


def stands(points: Array, first: int, n: int, noise_m: float) -> Array:
    """The track with a marker that stays for `n` frames where it was before them."""
    changed = points.copy()
    noise = np.random.default_rng(3).normal(0.0, noise_m, (n, 3))
    changed[first : first + n] = points[first - 1] + noise
    return changed


def lost(before: Array, after: Array) -> Mask:
    return np.asarray(np.isnan(after).any(axis=1) & ~np.isnan(before).any(axis=1))


@pytest.mark.parametrize("noise_mm", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("n", [12, 20, 40])
@pytest.mark.parametrize("label", ["LASI", "RKNE", "LTIB"])
def test_only_the_frames_in_which_it_stood(label: str, n: int, noise_mm: float) -> None:
    markers, first = walk(0.1), 150
    changed = {**markers, label: stands(markers[label], first, n, noise_mm * 1e-3)}
    checked = check_labels(changed, RATE)
    assert {fault.labels for fault in checked.faults} == {(label,)}
    gone = np.flatnonzero(lost(changed[label], checked.markers[label]))
    off = np.flatnonzero(np.linalg.norm(changed[label] - markers[label], axis=1) > 0.02)
    assert len(off) > 5 and set(off) <= set(gone)
    assert gone[-1] == first + n - 1 and first - 4 <= gone[0]
    assert [fault.kind for fault in checked.faults] == ["still"]
    text = checked.faults[0].note().text
    assert text.startswith(f"{label} stands still while its neighbours move") and "not used" in text


def test_seen_backward_in_time() -> None:
    markers = walk(0.1)
    mirrored = {label: points[::-1] for label, points in markers.items()}
    mirrored["LASI"] = stands(mirrored["LASI"], 150, 30, 0.0005)
    changed = {label: points[::-1] for label, points in mirrored.items()}
    (stood,) = find_standstills(changed, RATE)["LASI"]
    assert stood.first == 400 - 180 and 400 - 151 <= stood.last <= 400 - 147


@needs_trials
@pytest.mark.parametrize("name", RECORDED)
def test_no_alarm_in_recordings(name: str) -> None:
    trial = read_c3d(SHARED / name)
    assert find_standstills(model_markers(trial, load_model("pig")), trial.rate_hz) == {}


@needs_trials
@pytest.mark.parametrize("name", ["sydney/walk03.c3d", "children/HC030A/walk.c3d", "nexus_flatfoot/walk.c3d"])
def test_in_recorded_trials(name: str) -> None:
    trial = read_c3d(Path(SHARED / name))
    markers, n = model_markers(trial, load_model("pig")), round(0.3 * trial.rate_hz)
    first, told = trial.n_frames // 2, 0
    for label, points in markers.items():
        changed = {**markers, label: stands(points, first, n, 0.0005)}
        off = np.linalg.norm(changed[label] - points, axis=1) > 0.05
        if not off.any():  # a foot that stands anyway
            continue
        gone = lost(changed[label], check_labels(changed, trial.rate_hz).markers[label])
        told += 1
        assert gone[off].all() and gone.sum() <= n + 40, label
    assert told > 8


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("first", "n"), [(0, 300), (120, 12)])
def test_a_coordinate_that_stands_still_while_the_marker_moves(axis: int, first: int, n: int) -> None:
    """As an export that lost a column, or a decimal comma in one: angles were off by up to 61° without a word."""
    markers = walk(0.1)
    points = markers["LTIB"].copy()
    points[first : first + n, axis] = points[first, axis]
    (fault,) = check_labels({**markers, "LTIB": points}, RATE).faults
    last = min(first + n, len(points)) - 1
    assert (fault.kind, fault.labels, fault.frames) == (f"held_{'xyz'[axis]}", ("LTIB",), ((first, last),))
    assert fault.note().text.startswith(f"LTIB keeps its {'xyz'[axis]} while it moves by ")


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_coordinate_in_metres_among_millimetres(axis: int) -> None:
    """One column of one marker: in a walk along y its x near 0 gave 17° without a word."""
    markers = walk(0.1)
    points = markers["LKNE"] * np.where(np.arange(3) == axis, 1e-3, 1.0)
    faults = check_labels({**markers, "LKNE": points}, RATE).faults
    assert [fault.frames for fault in faults if fault.kind == f"held_{'xyz'[axis]}"] == [((0, len(points) - 1),)]


def test_a_coordinate_along_which_nobody_moves_is_no_fault() -> None:
    """A planar simulation, and an integer file: four equal coordinates on end were the most in recordings."""
    flat = {label: points * [1, 0, 1] for label, points in walk(0.1).items()}
    assert not find_held(flat, RATE)
    markers = walk(0.1)
    markers["LTIB"][120:125, 1] = markers["LTIB"][120, 1]
    assert not find_held(markers, RATE) and not find_held({}, RATE)


@needs_trials
@pytest.mark.parametrize("trial", ["zoo/TYPE-3.c3d", "zoo/dec_int.c3d", "wild/codamotion/walk.c3d"])
def test_recordings_with_the_coarsest_digits_hold_none(trial: str) -> None:
    read = read_c3d(SHARED / trial)
    assert not find_held({label: read.marker(label) for label in read.labels}, read.rate_hz)
