"""A model whose segments are fitted as a chain (`pose: {by: multibody}`): exact, better with soft tissue, and frank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import soft_tissue
from any_markers import Marked, exact, marked, run

from gaitid.analysis.pipeline import Pipeline, analyse
from gaitid.analysis.result import Result
from gaitid.body.subject_file import read_subject, subject_text
from gaitid.errors import ModelError, TrialError
from gaitid.model.load import load_model
from gaitid.simulate.body import SIDES
from gaitid.trial import Trial

#: m and rotations, deg: as for the model that is not fitted (test_any_markers.py).
EXACT, EXACT_DEG = 1e-9, 1e-6
LANDMARKS = """gaitid_model: 1
name: chain_of_landmarks
extends: landmarks
pose:
  by: multibody
  tracking:
    pelvis: [left.asis, right.asis, left.psis, right.psis]
    thigh: [knee_lateral, knee_medial]
    shank: [ankle_lateral, ankle_medial]
    foot: [heel, mt1, mt5]
"""


def written(folder: Path, text: str) -> str:
    path = folder / "model.yaml"
    path.write_text(text)
    return str(path)


def codes(result: Result) -> set[str]:
    return {note.code for note in result.notes}


@pytest.fixture(scope="module")
def exact_walk() -> Marked:
    return marked("visual3d")


def test_exact_on_exact_markers(exact_walk: Marked, tmp_path: Path) -> None:
    """Joint centres, angles and wrenches of the bones; moments as from the rigid segments one by one."""
    result = run(exact_walk, model=written(tmp_path, soft_tissue.CHAIN))
    one_by_one = run(exact_walk)
    for side in SIDES:
        leg, true = result.sides[side], exact(exact_walk, side)
        for joint, p in leg.joints_g.items():
            assert np.abs(p - exact_walk.bones.point[f"{side}_{joint}"]).max() < EXACT
        for segment in ("thigh", "shank", "foot"):
            assert np.abs(leg.motions[segment].R_gs - true.frames[segment]).max() < 10 * EXACT
        for joint, columns in leg.angles.items():
            for name, values in columns.items():
                assert np.nanmax(np.abs(values - true.columns[f"{side}_{joint}_{name}_deg"])) < EXACT_DEG
        for joint, wrench in leg.wrenches.items():
            other = one_by_one.sides[side].wrenches[joint].m_g
            assert (np.isfinite(wrench.m_g) == np.isfinite(other)).all()
            assert np.nanmax(np.abs(wrench.m_g - other)) < 1e-3  # N·m: two derivatives of 1e-12 m at 100 Hz
    assert not codes(result) & {"chain_from_trial", "chain_undetermined", "chain_unsettled", "chain_far"}


@cache
@cache
def skin_errors(model: str, pose: str = "separate", seeds: int = 3) -> Mapping[str, float]:
    walk = soft_tissue.recorded()
    found = [soft_tissue.errors(walk, soft_tissue.analysed(walk, s, model, pose=pose)) for s in range(seeds)]
    return {name: float(np.mean([errors[name] for errors in found])) for name in found[0]}


@pytest.mark.parametrize("model", ["landmarks", "cast"])
def test_better_than_segments_one_by_one_under_soft_tissue(model: str) -> None:
    """Markers that slide by centimetres, weighted as their skin moves; docs/multibody.md has the whole table."""
    chain, direct = skin_errors(model, "multibody"), skin_errors(model)
    for name in ("knee centre, mm", "ankle centre, mm", "knee_flexion, deg", "ankle_dorsiflexion, deg"):
        assert chain[name] < 0.9 * direct[name], name
    # with all markers alike thighs drag the pelvis along: 5.2 mm, where its own markers alone make 3.9 and 3.5
    assert chain["hip centre, mm"] < 1.05 * direct["hip centre, mm"]
    for name in ("hip_flexion, deg", "hip_adduction, deg", "knee_adduction, deg"):
        assert chain[name] < direct[name], name


# --- where markers lie on their segments ------------------------------------------------------------------------------


def test_a_subject_file_brings_the_chain(exact_walk: Marked, tmp_path: Path) -> None:
    """As the static itself, but for the sixth digit of a millimetre in which the file has the places."""
    model = load_model(written(tmp_path, soft_tissue.CHAIN), {"cutoff_hz": "none"})
    pipeline = Pipeline(trial=exact_walk.trial, model=model, static=exact_walk.static)
    text = subject_text(pipeline.found.model, pipeline.found.subject, pipeline.calibration, {})
    path = tmp_path / "subject.yaml"
    path.write_text(text)
    result = analyse(exact_walk.trial, model, read_subject(path, model))
    for side in SIDES:
        for joint, p in result.sides[side].joints_g.items():
            assert np.abs(p - exact_walk.bones.point[f"{side}_{joint}"]).max() < 2e-8


# --- what the markers do not tell -------------------------------------------------------------------------------------


def without(trial: Trial, walk: Marked, roles: set[str], side: str, frames: slice = slice(None)) -> Trial:
    points = np.array(trial.points_g)
    for i, label in enumerate(trial.labels):
        if walk.roles[label][0] == side and walk.roles[label][1] in roles:
            points[frames, i] = np.nan
    return replace(trial, points_g=points)


def test_coordinates_that_are_not_determined_are_named_and_empty(tmp_path: Path) -> None:
    """The thigh's two markers lie on the knee's axis: with the hip they tell it, without one of them they do not."""
    walk = marked("rtosim")
    trial = without(walk.trial, walk, {"knee_medial"}, "left", slice(100, 200))
    trial = without(trial, walk, {"ankle_lateral", "ankle_medial"}, "left", slice(100, 200))
    result = run(walk, trial, model=written(tmp_path, LANDMARKS), gap_rigid_s=0, gap_spline_s=0, gap_sure_s=0)
    (note,) = (note for note in result.notes if note.code == "chain_undetermined")
    assert "left_knee_" in note.text and "(100)" in note.text and "right" not in note.text
    knee = result.sides["left"].angles["knee"]["flexion"]
    assert np.isnan(knee[100:200]).all() and np.isfinite(knee[:100]).all()
    assert np.isfinite(result.sides["right"].angles["knee"]["flexion"]).all()


def test_too_few_markers_are_refused_by_the_names_of_what_they_do_not_tell(tmp_path: Path) -> None:
    walk = marked("rtosim")
    fewer = LANDMARKS.replace("shank: [ankle_lateral, ankle_medial]", "shank: [ankle_lateral]")
    fewer = fewer.replace("foot: [heel, mt1, mt5]", "foot: []")
    with pytest.raises(TrialError, match=r"do not determine left_knee_b.*in any frame") as refused:
        run(walk, model=written(tmp_path, fewer))
    assert "left shank: " in refused.value.line() and "type with fewer free angles" in refused.value.line()


def test_hinges_and_limits_of_a_model_hold(tmp_path: Path) -> None:
    """A knee that only flexes, between limits by the names of its columns; the same sign on both sides."""
    walk = marked("rtosim")
    hinge = (
        LANDMARKS + "  joints:\n    knee: {type: hinge, limits_deg: {flexion: [10, 40]}, held_at_deg: {adduction: 2}}\n"
    )
    result = run(walk, model=written(tmp_path, hinge))
    for side in SIDES:
        knee = result.sides[side].angles["knee"]
        assert knee["flexion"].min() == pytest.approx(10, abs=1e-9) and knee["flexion"].max() == pytest.approx(
            40, abs=1e-9
        )
        assert np.ptp(knee["internal_rotation"]) < 1e-9 and np.abs(knee["adduction"] - 2).max() < 1e-9
    assert "chain_at_limit" in codes(result)


# --- the language -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("by: multibody", "by: guess", "pose.by: expected frames or multibody or opensim, found 'guess'"),
        ("thigh: [knee_lateral, knee_medial]", "thigh: [knee_lateral, knee_medal]", "no point 'knee_medal'"),
        ("foot: [heel, mt1, mt5]", "foot: [heel, ankle_medial]", "'ankle_medial' moves with two segments"),
        ("    thigh: [knee_lateral, knee_medial]\n", "", "pose.tracking.thigh: missing"),
        ("foot: [heel, mt1, mt5]", "feet: [heel]", "pose.tracking.feet: no such segment"),
        ("tracking:", "segment_weights: {feet: 2}\n  tracking:", "pose.segment_weights.feet: no such segment"),
        ("tracking:", "segment_weights: {foot: 0}\n  tracking:", "pose.segment_weights.foot: expected a number"),
        ("tracking:", "joints: {knee: {type: screw}}\n  tracking:", "pose.joints.knee.type: expected ball or hinge"),
        ("tracking:", "joints: {knees: {type: hinge}}\n  tracking:", "no joint 'knees' in the chain"),
        ("tracking:", "joints: {knee: {limits_deg: {bend: [0, 1]}}}\n  tracking:", "'bend' is no angle of this joint"),
        ("tracking:", "joints: {knee: {limits_deg: {a: [9, 1]}}}\n  tracking:", "expected [low, high], degrees"),
        ("tracking:", "joints: {knee: {type: hinge, free: [a, b]}}\n  tracking:", "a hinge joint has 1 free angles"),
    ],
)
def test_what_is_wrong_with_a_chain_is_said(tmp_path: Path, old: str, new: str, fault: str) -> None:
    with pytest.raises(ModelError) as refused:
        load_model(written(tmp_path, LANDMARKS.replace(old, new)))
    assert fault in refused.value.line()
