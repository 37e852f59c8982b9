"""Numbers that no camera measured: repeated frames, and coordinates that stand still while their marker moves."""

from __future__ import annotations

import numpy as np
import pytest
from test_labels import RATE, SHARED, needs_trials, walk

from gaitid.markers.labels import check_labels
from gaitid.markers.unmeasured import find_held, find_repeated
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array


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
