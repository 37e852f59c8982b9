"""Flickers cost the frames of the flicker, told in the laboratory or among other markers; a shift stays a shift."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cluster_walk
import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.markers.jumps import follow
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Array, Trial

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trials"
SPRINT = SHARED / "models/ja1_gait/JA1Gait35.trc"
needs_trials = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
RATE = 100.0


@cache
def walk() -> Trial:
    return cluster_walk.walk()


def tracks(trial: Trial) -> dict[str, Array]:
    return {label: trial.marker(label) for label in trial.labels if np.isfinite(trial.marker(label)).any()}


def strayed(points: dict[str, Array], label: str, first: int, offsets_m: list[float]) -> dict[str, Array]:
    away = np.zeros((len(points[label]), 3))
    away[first : first + len(offsets_m), 0] = offsets_m
    return {**points, label: points[label] + away}


def lost(points: dict[str, Array], label: str, rate_hz: float = RATE) -> list[int]:
    found = follow(points, label, rate_hz)
    return [] if found is None else np.flatnonzero(found.away).tolist()


# --- flickers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "offsets_m",
    [
        [0.04],
        [0.0, 0.013, -0.012, 0.013],  # some of its steps are no jump by themselves
        [0.03, 0.018, 0.008],  # it comes back by steps that are none
        [0.03, -0.02, 0.03, -0.02],  # several jumps are one flicker
    ],
)
def test_a_marker_that_flickers_loses_the_frames_of_the_flicker_and_few_beside(offsets_m: list[float]) -> None:
    gone = lost(strayed(tracks(walk()), "L_ASIS", 148, offsets_m), "L_ASIS")
    strays = [148 + k for k, offset in enumerate(offsets_m) if abs(offset) > 0.02]
    assert set(strays) <= set(gone) <= set(range(145, 156)), gone


# --- recorded trials ----------------------------------------------------------------------------------------


@needs_trials
@pytest.mark.parametrize(
    ("file", "label", "most"),
    [
        ("wild/wisconsin/walk.trc", "L.ASIS", 6),
        ("wild/wisconsin/walk.trc", "R.ASIS", 16),
        ("wild/cgm24/walk.c3d", "RTOE", 8),
        ("wild/cmu/punch.c3d", "LANK", 8),
        ("wild/cmu/punch.c3d", "LHEE", 8),
        ("wild/padua_clusters/walk.c3d", "LASI", 6),
        ("wild/visual3d_hybrid/static.c3d", "L_ANKLE_LAT", 6),
        *(("models/ja1_gait/JA1Gait35.trc", label, 8) for label in ("LASI", "RASI", "LMFS", "RMFS", "RTOE")),
        *(("models/ja1_gait/JA1Gait35.trc", label, 8) for label in ("LTIAD", "RTIAD")),
    ],
)
def test_flickers_of_recorded_markers_are_short(file: str, label: str, most: int) -> None:
    trial = read_trial(SHARED / file)
    assert 1 <= len(lost(tracks(trial), label, trial.rate_hz)) <= most


@needs_trials
@pytest.mark.parametrize("label", ["RTOE", "LTIAD", "RTIAD"])
def test_markers_beside_it_tell_a_flicker_of_a_leg_that_swings(label: str) -> None:
    """At 9.5 m/s no cubic follows a shank in the laboratory: alone the label is lost throughout."""
    trial = read_trial(SPRINT)
    assert len(lost({label: trial.marker(label)}, label, trial.rate_hz)) == trial.n_frames
    assert len(lost(tracks(trial), label, trial.rate_hz)) <= 8


@needs_trials
def test_a_recorded_marker_that_stays_24_mm_away_is_lost_there() -> None:
    trial = read_trial(SHARED / "wild/visual3d_hybrid/walk.c3d")
    assert lost(tracks(trial), "R_THIGH_2", trial.rate_hz) == list(range(519, 541))


@needs_trials
@pytest.mark.parametrize("file", ["children/HC036A/walk.c3d", "nexus_flatfoot/walk.c3d", "qualisys/walk.c3d"])
def test_recorded_markers_moved_for_good_are_on_two_tracks(file: str) -> None:
    trial = read_c3d(SHARED / file)
    rng, seen, n = np.random.default_rng(7), tracks(trial), trial.n_frames
    for label in [x for x in seen if x in ("LASI", "RASI", "LKNE", "RTIB", "RANK", "LHEE")] * 5:
        jump = int(rng.integers(n // 3, 2 * n // 3))
        way = rng.normal(size=3)
        moved_m = np.where(np.arange(n) >= jump, 0.03, 0.0)[:, None] * way / np.linalg.norm(way)
        assert len(lost({**seen, label: seen[label] + moved_m}, label, trial.rate_hz)) >= n // 4


@cache
def sprint() -> Result:
    """A run at 9.5 m/s, 250 Hz: soft tissue carries markers of the pelvis by up to 50 mm."""
    static = read_trial(SHARED / "wild/latrobe/static.trc")
    model = load_model("cast", {"cutoff_hz": 15.0})
    return analyse(read_trial(SPRINT), model, SubjectFile({"mass": 70.0}), static)


@needs_trials
@pytest.mark.parametrize(
    ("joint", "angle", "side", "coordinate", "sign", "most_deg"),
    [
        ("pelvis", "anterior_tilt", "left", "pelvis_tilt", -1, 3.0),  # 4.8 with the flickers lost throughout
        ("hip", "flexion", "left", "hip_flexion_l", 1, 4.0),  # 5.6
        ("hip", "flexion", "right", "hip_flexion_r", 1, 3.0),  # 4.8
        ("hip", "adduction", "left", "hip_adduction_l", 1, 4.0),  # 6.1
    ],
)
def test_angles_of_a_sprint_follow_those_of_another_program(
    joint: str, angle: str, side: str, coordinate: str, sign: int, most_deg: float
) -> None:
    """OpenSim's inverse kinematics of the same markers; each program has its own zero."""
    names, rows = _storage(SPRINT.with_name("JA1Gait35_ik.mot"))
    theirs = np.degrees(rows[:, names.index(coordinate)])
    ours = sprint().sides[side].angles[joint][angle]
    assert np.std(ours - sign * theirs[: len(ours)]) < most_deg


def _storage(path: Path) -> tuple[list[str], Array]:
    lines = path.read_text().split("endheader")[1].split("\n")[1:]
    return lines[0].split(), np.array([[float(x) for x in line.split()] for line in lines[1:] if line.strip()])
