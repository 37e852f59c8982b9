"""Passes: told apart where nobody is seen and where files were joined, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from test_cuts import without_frames
from test_labels import RATE, RECORDED, SHARED, needs_trials, walk

from gaitid.errors import TrialError
from gaitid.markers.clean import clean, model_markers
from gaitid.markers.passes import find_passes
from gaitid.model.load import load_model
from gaitid.model.specs import Settings
from gaitid.numerics.rotation import about_axis
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array

LONGEST_S = 0.2
PELVIS = ("LASI", "RASI", "LPSI", "RPSI")


def turned(markers: dict[str, Array]) -> dict[str, Array]:
    """The same walk the other way: everything turned by 180° about the vertical."""
    return {label: points * [-1.0, -1.0, 1.0] for label, points in markers.items()}


def joined(first: dict[str, Array], second: dict[str, Array], gap: int) -> dict[str, Array]:
    nobody = np.full((gap, 3), np.nan)
    return {label: np.concatenate([points, nobody, second[label]]) for label, points in first.items()}


def passes_of(markers: dict[str, Array]) -> list[tuple[int, int]]:
    return [(found.start, found.stop) for found in find_passes(markers, RATE, LONGEST_S)]


@pytest.mark.parametrize("gap", [0, 1, 5, 30, 60])
@pytest.mark.parametrize("second", ["again", "back"])
def test_two_walks_are_two_passes_with_and_without_frames_between(gap: int, second: str) -> None:
    first = walk(0.3)
    both = joined(first, turned(first) if second == "back" else first, gap)
    assert passes_of(both) == [(0, 400), (400 + gap, 800 + gap)]


def test_a_body_that_is_hidden_for_as_long_as_may_be_filled_is_one_pass() -> None:
    markers = {label: points.copy() for label, points in walk(0.3).items()}
    for points in markers.values():
        points[150:170] = np.nan
    assert passes_of(markers) == [(0, 400)]
    for points in markers.values():
        points[170] = np.nan
    assert passes_of(markers) == [(0, 150), (171, 400)]


def test_a_pelvis_that_arms_hide_ends_no_walk_of_legs_that_are_seen() -> None:
    markers = {label: points.copy() for label, points in walk(0.3).items()}
    for label in PELVIS:
        markers[label][100:220] = np.nan
    assert passes_of(markers) == [(0, 400)]


def test_missing_frames_and_an_origin_set_anew_are_no_second_walk() -> None:
    assert len(passes_of(without_frames(walk(0.1), (120, 20)))) == 1
    moved = {label: points + [0.0, 0.0, 0.0] for label, points in walk(0.1).items()}
    for points in moved.values():
        points[200:] += [0.5, 0.2, 0.0]
    assert len(passes_of(moved)) == 1
    for one in (without_frames(walk(0.1), (120, 20)), moved):
        with pytest.raises(TrialError):
            clean(one, Settings(), RATE, 1, ("L", "R"))


def test_nothing_is_filled_or_filtered_from_one_pass_to_the_next() -> None:
    first = walk(0.3)
    both = clean(joined(first, turned(first), 3), Settings(cutoff_hz=7.0), RATE, 1, ("L", "R"))
    alone = clean(first, Settings(cutoff_hz=7.0), RATE, 1, ("L", "R"))
    assert not both.quality["gaps"]
    assert [note.code for note in both.notes if note.code in ("passes", "gap_filled", "gap_open")] == ["passes"]
    for label, points in alone.filtered.items():
        np.testing.assert_array_equal(both.support[label][400:403], np.nan)
        np.testing.assert_allclose(both.filtered[label][:400], points, atol=1e-12)  # m: rounding
        np.testing.assert_allclose(both.filtered[label][403:] * [-1.0, -1.0, 1.0], points, atol=1e-12)


@needs_trials
@pytest.mark.parametrize("name", RECORDED)
def test_no_recording_of_one_walk_is_split(name: str) -> None:
    trial = read_c3d(SHARED / name)
    markers = model_markers(trial, load_model("pig"))
    assert len(find_passes(markers, trial.rate_hz, LONGEST_S)) == 1


@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0])
@pytest.mark.parametrize("phase", [20, 40, 90])
def test_a_walk_that_begins_where_the_one_before_ended_is_a_pass(degrees: float, phase: int) -> None:
    """As after turning round between two recordings, or in two recordings on a treadmill."""
    first, R = walk(0.3), about_axis("z", np.radians(degrees))
    second = {label: points[phase:] @ R.T for label, points in first.items()}
    away = np.mean([first[label][-1] - second[label][0] for label in first], axis=0) * [1.0, 1.0, 0.0]
    both = {label: np.concatenate([points, second[label] + away]) for label, points in first.items()}
    assert passes_of(both) == [(0, 400), (400, 800 - phase)]


@pytest.mark.parametrize("missing", [10, 15])
def test_frames_that_are_missing_beside_a_blank_one_are_found_on_a_treadmill(missing: int) -> None:
    """Where the body as a whole stays in place, its legs tell."""
    there = walk(0.1)
    travel = np.outer(np.arange(400) / RATE, [1.25, 0.0, 0.0])
    belt = {label: np.delete(points - travel, range(200, 200 + missing), axis=0) for label, points in there.items()}
    for points in belt.values():
        points[200] = np.nan
    assert passes_of(belt) == [(0, 200), (201, 400 - missing)]


def test_a_frame_that_a_join_leaves_over_is_no_pass() -> None:
    first = walk(0.3)
    assert passes_of({label: np.concatenate([points, points[:1]]) for label, points in first.items()}) == [(0, 400)]
