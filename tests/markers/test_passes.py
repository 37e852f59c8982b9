"""Passes: told apart where nobody is seen and where files were joined, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from test_labels import RATE, RECORDED, SHARED, needs_trials, walk

from gaitid.markers.clean import clean, model_markers
from gaitid.markers.passes import find_passes
from gaitid.model.load import load_model
from gaitid.model.specs import Settings
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array

LONGEST_S = 0.2


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


def test_a_frame_that_a_join_leaves_over_is_no_pass() -> None:
    first = walk(0.3)
    assert passes_of({label: np.concatenate([points, points[:1]]) for label, points in first.items()}) == [(0, 400)]
