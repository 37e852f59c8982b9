"""Frames that were cut out of a recording are named in one line; nothing else that moves many markers is one."""

from __future__ import annotations

import pytest
from test_labels import RATE, RECORDED, SHARED, needs_trials, walk

from gaitid.errors import TrialError
from gaitid.markers.clean import clean, model_markers
from gaitid.markers.cuts import find_cuts, refuse_cuts
from gaitid.model.load import load_model
from gaitid.model.specs import Settings
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array


def without_frames(markers: dict[str, Array], *cuts: tuple[int, int]) -> dict[str, Array]:
    n = len(next(iter(markers.values())))
    keep = [k for k in range(n) if not any(first <= k < first + many for first, many in cuts)]
    return {label: points[keep] for label, points in markers.items()}


@pytest.mark.parametrize("many", [3, 10, 60])
@pytest.mark.parametrize("first", [90, 137, 201])
def test_missing_frames_are_found_where_they_are(first: int, many: int) -> None:
    (cut,) = find_cuts(without_frames(walk(0.3), (first, many)), RATE)
    assert (cut.before, cut.after) == (first - 1, first)
    assert cut.jump >= cut.seen / 2 and cut.size_m > 0.016


def test_one_line_that_names_the_place_and_what_overrules_it() -> None:
    cut = without_frames(walk(0.1), (100, 20), (200, 15))
    with pytest.raises(TrialError) as refused:
        clean(cut, Settings(), RATE, 501, ("L", "R"))
    line = refused.value.line()
    assert line.startswith("frames are missing between frames 600 and 601, 680 and 681: ")
    assert "--set doubtful_labels=keep" in line and len(line) < 400
    kept = clean(cut, Settings(doubtful_labels="keep"), RATE, 501, ("L", "R"))
    assert not kept.quality["label_faults"]


@pytest.mark.parametrize("n", [1, 3])
def test_a_camera_system_that_shakes_is_no_cut(n: int) -> None:
    markers = {label: points.copy() for label, points in walk(0.1).items()}
    for points in markers.values():
        points[200 : 200 + n] += [0.1, 0.0, 0.0]
    assert find_cuts(markers, RATE) == []


def test_some_markers_that_jump_are_no_cut() -> None:
    markers = {label: points.copy() for label, points in walk(0.1).items()}
    for label in list(markers)[:6]:
        markers[label][200:] += [0.5, 0.0, 0.0]
    assert find_cuts(markers, RATE) == []
    few = {label: markers[label] for label in list(markers)[:3]}
    refuse_cuts(few, RATE, 1)  # of three markers nobody knows
    refuse_cuts({}, RATE, 1)


@needs_trials
@pytest.mark.parametrize("name", RECORDED)
def test_recordings(name: str) -> None:
    trial = read_c3d(SHARED / name)
    markers = model_markers(trial, load_model("pig"))
    assert find_cuts(markers, trial.rate_hz) == []
    if "walk" in name:
        at = trial.n_frames // 2
        (cut,) = find_cuts(without_frames(markers, (at, 8)), trial.rate_hz)
        assert cut.after == at


@pytest.mark.parametrize("factor", [39.4, 1000.0])
def test_lengths_in_another_unit_are_no_cuts(factor: float) -> None:
    assert find_cuts({label: factor * points for label, points in walk(0.1).items()}, RATE) == []
