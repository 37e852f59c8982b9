"""Poses that jump are empty beside the jump, and it is said what jumps; smooth ones stay, through any singularity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.discontinuities import EXTREMES, _too_fast, _turns, _wrong_stretches, find_jumps
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.numerics.rotation import about_axis, cardan, norm
from gaitid.trial import Trial


def run(trial: Trial, **settings: Any) -> Result:
    return analyse(trial, load_model("pig", settings), SubjectFile())


def of(result: Result, code: str = "pose_jumps") -> list[Note]:
    return [note for note in result.notes if note.code == code]


# --- what is found -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 250.0])
def test_a_step_is_found_where_it_lies_and_fast_smooth_movement_is_none(rate_hz: float) -> None:
    """A knee that kicks with 1900°/s at the most, and the same that steps by 45° once: half a radian in no time."""
    lag, time = int(np.ceil(0.01 * rate_hz)), np.arange(0, 2, 1 / rate_hz)
    swing = 90 * np.sin(1900 / 90 * time)  # deg, whose rate is 1900°/s at the most
    most = EXTREMES["knee"].speed_deg_per_s * lag / rate_hz
    assert not _too_fast(_turns(about_axis("y", np.radians(swing)), lag), lag, most).any()
    at = len(time) // 2
    stepped = _too_fast(_turns(about_axis("y", np.radians(20 * time + 90 * (time >= time[at]))), lag), lag, most)
    assert np.flatnonzero(stepped).tolist() == [*range(at - lag, at)]  # every turn over `lag` frames that holds it


@pytest.mark.parametrize("sequence", ["xyz", "yxz", "zxy"])
def test_a_singularity_of_cardan_angles_is_no_jump(sequence: str) -> None:
    """A joint that turns with 200°/s through the singularity, to 0.1°: its Cardan angles change by 20,000°/s there."""
    time = np.arange(0, 1, 0.01)
    second = np.radians(200 * (time - 0.495))
    R = about_axis(sequence[0], np.radians(30.0)) @ about_axis(sequence[1], np.pi / 2 + second)
    R = R @ about_axis(sequence[2], 0.05 * np.ones_like(time))
    first, _, last = (np.degrees(angle) for angle in cardan(R, sequence))
    assert max(np.abs(np.diff(first)).max(), np.abs(np.diff(last)).max()) / 0.01 > 10_000
    assert norm(_turns(R, 1)).max() == pytest.approx(2.0)
    for joint in EXTREMES:
        assert not _too_fast(_turns(R, 1), 1, EXTREMES[joint].speed_deg_per_s * 0.01).any()


def test_what_lies_between_a_jump_and_the_way_back_goes_with_them_where_it_is_the_shorter_part() -> None:
    walk = simulated_walk("walk").trial
    result = run(walk, doubtful_labels="keep")
    body, markers = result.body, result.markers

    def stretches(first: int, stop: int) -> list[tuple[int, int]]:
        points, (i, j) = walk.points_g.copy(), (walk.labels.index("LHEE"), walk.labels.index("LTOE"))
        points[first:stop, [i, j]] = points[first:stop, [j, i]]
        filtered = dict(zip(walk.labels, np.swapaxes(points, 0, 1), strict=True))
        jumped = replace(body, geometry=body.geometry.with_markers(filtered))
        found = find_jumps(jumped, markers, walk.rate_hz)
        assert {(jump.side, jump.joint) for jump in found} == {("left", "ankle")}
        passes = slice(0, first), slice(first, stop), slice(stop, len(points))
        assert not find_jumps(jumped, replace(markers, passes=passes), walk.rate_hz)  # from one walk to the next
        return [(before, after) for before, after, _ in _wrong_stretches(found, len(points))]

    assert stretches(100, 150) == [(99, 150)]
    assert stretches(20, 380) == [(19, 20), (379, 380)]


# --- what becomes of it --------------------------------------------------------------------------------------
