"""A single camera frame that is missing is found where it is; nothing else is taken for one."""

from __future__ import annotations

import numpy as np
import pytest
from test_labels import RATE, RECORDED, SHARED, needs_trials, walk

from gaitid.markers.clean import clean, model_markers
from gaitid.markers.cuts import find_lost_frames, lost_frame_notes
from gaitid.model.load import load_model
from gaitid.model.specs import Settings
from gaitid.read.c3d.trial import read_c3d


@pytest.mark.parametrize("noise_mm", [0.0, 0.3])
@pytest.mark.parametrize("frame", [20, 90, 137, 201])
def test_a_missing_frame_is_found_where_it_is(frame: int, noise_mm: float) -> None:
    whole = walk(noise_mm)
    (lost,) = find_lost_frames({label: np.delete(points, frame, 0) for label, points in whole.items()}, RATE)
    assert lost.before == frame - 1
    assert lost.times == pytest.approx(2.0, abs=0.12)  # the steps that are doubled carry the noise of two frames
    assert not find_lost_frames(whole, RATE)


def test_a_note_names_the_place_and_keeping_doubtful_labels_leaves_it_out() -> None:
    cut = {label: np.delete(points, 100, 0) for label, points in walk(0.1).items()}
    kept = clean(cut, Settings(doubtful_labels="keep"), RATE, 501, ("L", "R"))
    assert not [note for note in kept.notes if note.code == "frames_lost"]
    (note,) = [n for n in clean(cut, Settings(), RATE, 501, ("L", "R")).notes if n.code == "frames_lost"]
    assert note.severity == "doubt" and "between frames 600 and 601" in note.text
    assert lost_frame_notes([], 1) == ()


def test_who_stands_still_or_shows_few_markers_tells_nothing() -> None:
    standing = {label: np.repeat(points[:1], 60, axis=0) for label, points in walk(0.0).items()}
    assert not find_lost_frames(standing, RATE)
    few = dict(list(walk(0.0).items())[:4])
    assert not find_lost_frames({label: np.delete(points, 100, 0) for label, points in few.items()}, RATE)


def test_a_recording_whose_last_frame_stands_twice_lacks_none() -> None:
    stopped = {label: np.concatenate([points[:150], points[149:150]]) for label, points in walk(0.0).items()}
    assert not find_lost_frames(stopped, RATE)


@needs_trials
@pytest.mark.parametrize("name", RECORDED)
def test_recordings_lack_no_frame_and_one_that_is_taken_out_is_found(name: str) -> None:
    trial = read_c3d(SHARED / name)
    markers = dict(model_markers(trial, load_model("pig")))
    if not markers:
        markers = {label: trial.marker(label) for label in trial.labels}
    assert not find_lost_frames(markers, trial.rate_hz)
    if "static" in name.lower():
        return
    for frame in range(20, trial.n_frames - 20, 40):
        if all(np.isfinite(track[frame - 4 : frame + 5]).all() for track in markers.values()):
            cut = {label: np.delete(track, frame, 0) for label, track in markers.items()}
            assert [one.before for one in find_lost_frames(cut, trial.rate_hz)] == [frame - 1]


def test_a_missing_frame_of_a_long_trial_is_found_wherever_it_lies() -> None:
    """It is looked at some frames at a time."""
    n, moving = 6000, 1.3 * np.arange(6001) / RATE
    for frame in (1, 1363, 1364, 1365, 1366, 3000, 5997):
        along = np.delete(moving, frame + 1)
        markers = {f"m{i}": np.stack([i / 4 * along, np.full(n, 0.1 * i), np.full(n, 1.0)], axis=1) for i in range(8)}
        assert [one.before for one in find_lost_frames(markers, RATE)] == [frame]
