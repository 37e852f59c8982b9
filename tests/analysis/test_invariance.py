"""Turning the laboratory turns the answer; a mirror swaps the sides; other ways to the same numbers agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.model.load import load_model
from gaitid.notes import texts
from gaitid.numerics.rotation import about_axis
from gaitid.read.c3d.trial import read_c3d
from gaitid.trial import Trial

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "trials"
WALK = SHARED / "children" / "HC030A" / "walk.c3d"


def turned(trial: Trial, R: np.ndarray, shift: np.ndarray) -> Trial:
    """The same trial in a laboratory with other axes; its own numbers are computed from scratch again."""
    return replace(
        trial,
        points_g=trial.points_g @ R.T + shift,
        plates=tuple(replace(p, corners_g=p.corners_g @ R.T + shift) for p in trial.plates),
    )


def run(trial: Trial, model: str = "pig", **settings: object) -> Result:
    return analyse(trial, load_model(model, settings), SubjectFile())


@pytest.fixture(scope="module")
def trial(simulated: Callable[..., object]) -> Trial:
    if WALK.is_file():
        return read_c3d(WALK)
    return simulated().trial  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("degrees", [37.0, 90.0, 180.0, -111.3])
def test_turning_the_laboratory_turns_the_wrenches_and_nothing_clinical(trial: Trial, degrees: float) -> None:
    R = about_axis("z", np.radians(degrees))
    before, after = run(trial), run(turned(trial, R, np.array([1.7, -0.4, 0.0])))
    for side, leg in before.sides.items():
        other = after.sides[side]
        np.testing.assert_array_equal(leg.load.state, other.load.state)
        for joint, wrench in leg.wrenches.items():
            # 1e-9 N and N·m: rounding of positions of metres under forces of 1e3 N is 1e-12
            np.testing.assert_allclose(wrench.f_g @ R.T, other.wrenches[joint].f_g, atol=1e-9, rtol=1e-9)
            np.testing.assert_allclose(wrench.m_g @ R.T, other.wrenches[joint].m_g, atol=1e-9, rtol=1e-9)
            np.testing.assert_allclose(leg.powers[joint], other.powers[joint], atol=1e-9)
        for name, columns in [*leg.angles.items(), *leg.moments.items()]:
            theirs = {**other.angles, **other.moments}[name] if name not in leg.moments else None
            source = other.moments[name] if theirs is None and columns is leg.moments[name] else other.angles[name]
            for column, values in columns.items():
                # degrees and N·m/kg
                np.testing.assert_allclose(values, source[column], atol=1e-9, err_msg=f"{side} {name} {column}")


def test_pig_vicon_follows_the_laboratory_by_right_angles_only(trial: Trial) -> None:
    """Its progression is a laboratory axis: turned by 90° nothing changes, turned by 37° the pelvis does."""
    before = run(trial, "pig_vicon").sides["left"].angles["pelvis"]["internal_rotation"]
    quarter = run(turned(trial, about_axis("z", np.pi / 2), np.zeros(3)), "pig_vicon")
    np.testing.assert_allclose(quarter.sides["left"].angles["pelvis"]["internal_rotation"], before, atol=1e-9)
    oblique = run(turned(trial, about_axis("z", np.radians(37.0)), np.zeros(3)), "pig_vicon")
    change = oblique.sides["left"].angles["pelvis"]["internal_rotation"] - before
    assert np.nanmin(np.abs(change)) > 30


def test_a_mirrored_trial_swaps_left_and_right(simulated: Callable[..., object]) -> None:
    """The simulator's own mirror image: subject, motion and plates; every clinical column changes side."""
    here, there = simulated(), simulated(mirror=True)
    plain, mirrored = run(here.trial), run(there.trial)  # type: ignore[attr-defined]
    flip = np.array([1.0, -1.0, 1.0])
    for side, other in (("left", "right"), ("right", "left")):
        leg, image = plain.sides[side], mirrored.sides[other]
        for joint, wrench in leg.wrenches.items():
            # a force is mirrored as a vector, a moment as an axial one; 1e-8 N and N·m
            np.testing.assert_allclose(wrench.f_g * flip, image.wrenches[joint].f_g, atol=1e-8)
            np.testing.assert_allclose(-wrench.m_g * flip, image.wrenches[joint].m_g, atol=1e-8)
        for name, columns in leg.angles.items():
            for column, values in columns.items():
                np.testing.assert_allclose(values, image.angles[name][column], atol=1e-8, err_msg=f"{name} {column}")
        for name, columns in leg.moments.items():
            for column, values in columns.items():
                np.testing.assert_allclose(values, image.moments[name][column], atol=1e-9, err_msg=f"{name} {column}")


def test_one_leg_only(simulated: Callable[..., object]) -> None:
    """Without the right leg's markers the left is what it was, the right is empty, and a warning says so."""
    trial: Trial = simulated().trial  # type: ignore[attr-defined]
    keep = [i for i, label in enumerate(trial.labels) if label[0] != "R" or label in ("RASI", "RPSI")]
    part = replace(trial, labels=tuple(trial.labels[i] for i in keep), points_g=trial.points_g[:, keep])
    whole, left = run(trial), run(part)
    np.testing.assert_allclose(
        left.sides["left"].angles["knee"]["flexion"], whole.sides["left"].angles["knee"]["flexion"], atol=1e-12
    )
    assert np.isnan(left.sides["right"].angles["knee"]["flexion"]).all()
    assert np.isnan(left.sides["right"].load.wrench.f_g).all()
    assert any("right leg: none of its markers" in w and "RKNE" in w for w in texts(left.notes))


def test_a_gap_empties_its_frames_and_no_others(simulated: Callable[..., object]) -> None:
    trial: Trial = simulated().trial  # type: ignore[attr-defined]
    points = trial.points_g.copy()
    start, stop = 150, 190
    points[start:stop, trial.labels.index("LKNE")] = np.nan
    gap = run(replace(trial, points_g=points), cutoff_hz="none", gap_rigid_s=0.2)
    whole = run(trial, cutoff_hz="none")
    left = gap.sides["left"]
    assert np.isnan(left.angles["knee"]["flexion"][start:stop]).all()
    known = np.isfinite(left.angles["knee"]["flexion"])
    assert known.sum() == len(known) - (stop - start)
    # the right leg does not hang on the left knee
    np.testing.assert_array_equal(
        gap.sides["right"].moments["knee"]["extension"], whole.sides["right"].moments["knee"]["extension"]
    )
    lost = np.isfinite(whole.sides["left"].wrenches["knee"].m_g[:, 0]) & np.isnan(left.wrenches["knee"].m_g[:, 0])
    # no frame but those of the gap: derivatives beside it go through its bridge
    assert set(np.flatnonzero(lost)) == set(range(start, stop))
    off = gap.sides["left"].moments["knee"]["extension"] - whole.sides["left"].moments["knee"]["extension"]
    # N·m/kg; the first frame beside a gap of 0.4 s may be off by 7 N·m of 70 kg (docs/gaps.md)
    assert np.nanmax(np.abs(off)) < 0.1
