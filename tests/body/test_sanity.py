"""Mistakes of labels and units are refused before a number is written, and what is missing is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.model.load import load_model
from gaitid.notes import texts
from gaitid.trial import Trial


@pytest.fixture
def trial(simulated: Callable[..., object]) -> Trial:
    return simulated().trial  # type: ignore[attr-defined, no-any-return]


def relabelled(trial: Trial, change: Callable[[str], str]) -> Trial:
    return replace(trial, labels=tuple(change(label) for label in trial.labels))


def other_side(label: str) -> str:
    return {"L": "R", "R": "L"}[label[0]] + label[1:]


@pytest.mark.parametrize(
    "change",
    [other_side, lambda label: label if label[1:] in ("ASI", "PSI") else other_side(label)],
    ids=["whole body", "both legs"],
)
def test_left_and_right_exchanged_is_refused(
    simulated: Callable[..., object], trial: Trial, change: Callable[[str], str]
) -> None:
    """By that, also beside a static, whose segments have other sizes than those of the exchanged labels."""
    for static in (None, simulated().static):  # type: ignore[attr-defined]
        with pytest.raises(TrialError, match="left and right are exchanged:"):
            analyse(relabelled(trial, change), load_model("pig"), SubjectFile(), static)


@pytest.mark.parametrize("factor", [1e-3, 1e3, 1 / 25.4])
def test_lengths_in_another_unit_are_refused(trial: Trial, factor: float) -> None:
    """Refused as a body that cannot be, or as one whose feet are not on its plates' side of the ground."""
    wrong = replace(trial, points_g=trial.points_g * factor, plates=())
    with pytest.raises(TrialError, match="m long|no joint centres|vertical"):
        analyse(wrong, load_model("pig"), SubjectFile())


def test_a_jump_of_a_label_is_said(trial: Trial) -> None:
    points = trial.points_g.copy()
    points[200, trial.labels.index("LANK")] += 0.2
    jumped = replace(trial, points_g=points)
    result = analyse(jumped, load_model("pig"), SubjectFile())
    # named, taken as not seen, and filled from its neighbours: no number rests on it
    assert any("LANK leaves its path by up to 34" in w and "frame 201" in w for w in texts(result.notes))
    true = analyse(trial, load_model("pig"), SubjectFile()).sides["left"].moments["hip"]["extension"]
    found = result.sides["left"].moments["hip"]["extension"]
    # N·m/kg; a gap of one frame, filled
    np.testing.assert_allclose(found[180:220], true[180:220], atol=0.01)
    kept = analyse(jumped, load_model("pig", {"doubtful_labels": "keep"}), SubjectFile())
    assert any("left shank jumps" in w or "left thigh jumps" in w for w in texts(kept.notes))


@pytest.mark.parametrize("label", ["LKNE", "LASI"])
def test_a_marker_that_is_noise_is_named_first_and_nothing_else_is_accused_of_it(trial: Trial, label: str) -> None:
    """Its accelerations are none of the body's: no rate is held against them."""
    points = trial.points_g.copy()
    points[:, trial.labels.index(label)] += np.random.default_rng(0).uniform(-0.2, 0.2, (len(points), 3))
    result = analyse(replace(trial, points_g=points), load_model("pig"), SubjectFile())
    first = result.verdict.reasons[0]
    assert (result.verdict.trial, first.code) == ("do not use", "markers_lost") and first.text.startswith(label)
    assert "rate_doubtful" not in {note.code for note in result.notes}
    assert np.isfinite(result.sides["right"].moments["hip"]["extension"]).sum() > 100


@pytest.mark.parametrize(("label", "size_m", "frames"), [("LKNE", 0.01, 1), ("RANK", 0.015, 5), ("LASI", 0.04, 2)])
def test_no_moment_rests_on_a_marker_that_is_off(trial: Trial, label: str, size_m: float, frames: int) -> None:
    """10 mm in one frame: 10 N·m/kg at the hip where it is kept."""
    true = analyse(trial, load_model("pig"), SubjectFile())
    points = trial.points_g.copy()
    points[200 : 200 + frames, trial.labels.index(label), 2] += size_m
    spoilt = replace(trial, points_g=points)
    result = analyse(spoilt, load_model("pig"), SubjectFile())
    (note,) = [note for note in result.notes if note.code == "marker_spike"]
    assert label in note.text and "201" in note.text
    kept = analyse(spoilt, load_model("pig", {"doubtful_labels": "keep"}), SubjectFile())
    worst = {False: 0.0, True: 0.0}
    for side, leg in true.sides.items():
        for joint, columns in leg.moments.items():
            for name, moment in columns.items():
                for keep, other in ((False, result), (True, kept)):
                    off = np.abs(other.sides[side].moments[joint][name] - moment)
                    assert keep or np.isfinite(off).sum() == np.isfinite(moment).sum()
                    worst[keep] = max(worst[keep], float(np.nanmax(off)))
    assert worst[False] < 0.02  # N·m/kg
    # kept it is far off, or beyond what any body does, and empty
    assert worst[True] > 0.5 or any(leg.emptied is not None for leg in kept.sides.values())
