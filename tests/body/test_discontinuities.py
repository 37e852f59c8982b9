"""Poses that jump are empty beside the jump, and it is said what jumps; smooth ones stay, through any singularity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rotations import from_vector
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.discontinuities import _too_fast, _turns, _wrong_stretches, find_jumps
from gaitid.body.extremes import EXTREMES
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.numerics.rotation import about_axis, cardan, norm, rotation_vectors
from gaitid.trial import Array, Trial

FIRST, STOP = 160, 190  # frames, in the left stance on plate 1


def run(trial: Trial, **settings: Any) -> Result:
    return analyse(trial, load_model("pig", settings), SubjectFile())


def of(result: Result, code: str = "pose_jumps") -> list[Note]:
    return [note for note in result.notes if note.code == code]


def exchanged(trial: Trial, a: str, b: str, noise_m: float = 0.0) -> Trial:
    """Two labels that change places for some frames."""
    points, (i, j) = trial.points_g.copy(), (trial.labels.index(a), trial.labels.index(b))
    points[FIRST:STOP, [i, j]] = points[FIRST:STOP, [j, i]]
    return replace(trial, points_g=points + noise_m * np.random.default_rng(1).normal(size=points.shape))


def test_a_rotation_vector_is_that_of_its_rotation() -> None:
    draw = np.random.default_rng(0).normal(size=(200, 3))
    angles = np.concatenate([np.full(20, 1e-9), np.linspace(0.01, 3.14, 180)])
    vectors = draw / norm(draw)[:, None] * angles[:, None]
    np.testing.assert_allclose(rotation_vectors(from_vector(vectors)), vectors, atol=1e-9)
    assert norm(rotation_vectors(about_axis("z", np.pi)[None]))[0] == pytest.approx(np.pi)
    assert np.isnan(rotation_vectors(np.full((1, 3, 3), np.nan))).all()


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


@pytest.mark.parametrize("noise_m", [0.0, 4e-4])
@pytest.mark.parametrize(
    ("a", "b", "segments"),
    [
        ("LANK", "LHEE", ("left foot",)),
        ("LTHI", "LKNE", ("left thigh",)),
        ("LHEE", "LTOE", ("left foot",)),
        ("LASI", "RASI", ("pelvis",)),
    ],
)
def test_labels_that_are_kept_leave_no_wrong_number(a: str, b: str, segments: tuple[str, ...], noise_m: float) -> None:
    """With the exchange kept, every number that is left is that of the same walk without it."""
    walk = simulated_walk("walk").trial
    sound = run(exchanged(walk, a, a, noise_m), doubtful_labels="keep")
    kept = exchanged(walk, a, b, noise_m)
    result = run(kept, doubtful_labels="keep")
    (note,) = of(result)
    assert a in note.text and b in note.text and all(segment in note.text for segment in segments)
    assert f"{FIRST} and {FIRST + 1}" in note.text and f"{STOP} and {STOP + 1}" in note.text  # frames from 1
    assert result.verdict.sides["left"] == "do not use"
    assert "stance_emptied" in {reason.code for reason in result.verdict.reasons}
    off_deg = off_moment = 0.0
    for side, leg in result.sides.items():
        emptied = leg.emptied if leg.emptied is not None else np.zeros(walk.n_frames, dtype=bool)
        for joint, columns in leg.moments.items():
            for name, moment in columns.items():
                true = sound.sides[side].moments[joint][name]
                # the filter's cut-off follows the movement, and so do the ends that it leaves unknown
                assert not np.isfinite(moment[emptied]).any()
                off_moment = max(off_moment, float(np.nanmax(np.abs(moment - true))))
            for name, angle in leg.angles[joint].items():
                off_deg = max(off_deg, float(np.nanmax(np.abs(angle - sound.sides[side].angles[joint][name]))))
    assert off_deg < 2.0 and off_moment < 0.2  # without: 30° to 180°, 0.4 to 40 N·m/kg
    # the cure: nothing jumps any more
    assert "doubtful_labels=unknown" in note.cure
    assert not of(run(kept, doubtful_labels="unknown"))


def test_coverage_says_why_and_the_other_leg_stays() -> None:
    walk = simulated_walk("walk").trial
    result = run(exchanged(walk, "LHEE", "LTOE"), doubtful_labels="keep")
    left, right = result.sides["left"], result.sides["right"]
    assert left.emptied is not None and right.emptied is None
    assert left.coverage["ankle"]["no body does what was there"] == left.emptied.sum() == 44  # 30, and 7 at both ends
    assert result.verdict.sides["right"] == "good"
    # the knee lies above the foot: its angles stay
    assert np.isfinite(left.angles["knee"]["flexion"]).all()
    assert np.isnan(left.angles["ankle"]["dorsiflexion"][left.emptied]).all()


@pytest.mark.parametrize("noise_m", [0.0, 1e-3, 3e-3])
@pytest.mark.parametrize("scenario", ["walk", "run"])
def test_noise_is_no_jump(scenario: str, noise_m: float) -> None:
    trial = simulated_walk(scenario).trial
    noisy = exchanged(trial, "LANK", "LANK", noise_m)
    for settings in ({}, {"doubtful_labels": "keep"}):
        result = run(noisy, **settings)
        assert not of(result) and not of(result, "moment_impossible")


def test_large_and_smooth_angles_stay() -> None:
    """A leg that is lifted sideways to 100° and back, as gymnasts do: 180°/s at the most. A doubt at most."""
    walk = simulated_walk("walk").trial
    result = run(walk, doubtful_labels="keep")
    lifted = np.radians(100 * np.sin(np.pi * np.arange(walk.n_frames) / walk.n_frames) ** 2)
    hip = result.sides["left"].joints_g["hip"]
    left = [i for i, label in enumerate(walk.labels) if label[0] == "L" and label[1:] not in ("ASI", "PSI")]
    points = walk.points_g.copy()
    points[:, left] = hip[:, None] + _turned(about_axis("x", lifted), points[:, left] - hip[:, None])
    up = run(replace(walk, points_g=points, plates=()), doubtful_labels="keep")
    adduction = up.sides["left"].angles["hip"]["adduction"]
    assert np.nanmin(adduction) < -80
    assert not of(up) and {note.severity for note in up.notes if "hip" in note.text} <= {"doubt", "info"}
    assert all(np.isfinite(angle).all() for angle in up.sides["left"].angles["hip"].values())


def _turned(R: Array, points: Array) -> Array:
    return np.asarray(np.einsum("tij,tmj->tmi", R, points))
