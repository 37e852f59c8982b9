"""Mistakes of labels and units are refused before a number is written, and what is missing is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body import lengths
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
def test_left_and_right_exchanged_is_refused(trial: Trial, change: Callable[[str], str]) -> None:
    with pytest.raises(TrialError, match="left and right are exchanged"):
        analyse(relabelled(trial, change), load_model("pig"), SubjectFile())


def test_so_it_is_without_heel_markers(trial: Trial) -> None:
    """Feet still point from the ankle to the toe."""
    hidden = relabelled(trial, lambda label: f"x{label}" if label.endswith("HEE") else label)
    analyse(hidden, load_model("pig"), SubjectFile())
    exchanged = relabelled(hidden, lambda label: label if label.startswith("x") else other_side(label))
    with pytest.raises(TrialError, match="left and right are exchanged: both feet point backward"):
        analyse(exchanged, load_model("pig"), SubjectFile())


@pytest.mark.parametrize("factor", [1e-3, 1e3, 1 / 25.4])
def test_lengths_in_another_unit_are_refused(trial: Trial, factor: float) -> None:
    """Refused as a body that cannot be, or as one whose feet are not on its plates' side of the ground."""
    wrong = replace(trial, points_g=trial.points_g * factor, plates=())
    with pytest.raises(TrialError, match="m long|no joint centres|vertical"):
        analyse(wrong, load_model("pig"), SubjectFile())


def test_the_median_of_a_length_is_taken_once(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ball of the foot, the check of the body and that of its proportions ask for thigh and shank of each leg."""
    taken: list[float] = []
    typical = lengths.typical
    monkeypatch.setattr(lengths, "typical", lambda values: taken.append(typical(values)) or taken[-1])
    result = analyse(trial, load_model("pig"), SubjectFile())
    assert len(taken) == 4
    of_segments = lengths.segment_lengths(result.body.geometry, result.body.sides).values()
    assert sorted(taken) == sorted(float(np.median(length)) for length in of_segments)


def test_a_gap_in_a_needed_marker_is_said(trial: Trial) -> None:
    points = trial.points_g.copy()
    points[160:169, trial.labels.index("LKNE")] = np.nan
    points[300:390, trial.labels.index("LHEE")] = np.nan
    result = analyse(replace(trial, points_g=points), load_model("pig"), SubjectFile())
    (line,) = [w for w in texts(result.notes) if "was filled" in w]
    assert "LKNE in frames 161-169" in line and "95 % within" in line
    (line,) = [w for w in texts(result.notes) if "not filled" in w]
    assert "LHEE in frames 301-390" in line
    kinds = {g["marker"]: g["filled_by"] for g in result.quality["gaps"]}
    assert kinds["LHEE"] == "" and kinds["LKNE"]
    assert result.quality["marker_frames_missing"] == {"LHEE": 90, "LKNE": 9}


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


@pytest.mark.parametrize(
    ("a", "b", "others"),
    [("LANK", "LHEE", ", or RANK and RHEE,"), ("LTHI", "LKNE", ", or RTHI and RKNE,"), ("LANK", "RANK", "")],
)
def test_labels_exchanged_throughout_withhold_what_they_spoil(trial: Trial, a: str, b: str, others: str) -> None:
    """Which side is wrong the distances do not tell: both are named."""
    changed = relabelled(trial, lambda label: {a: b, b: a}.get(label, label))
    with pytest.raises(TrialError, match="has no joint centres") as refused:
        analyse(changed, load_model("pig"), SubjectFile())
    assert f"{a} and {b}{others} seem to be exchanged throughout" in refused.value.found


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


@pytest.mark.parametrize("label", ["LANK", "LKNE", "LHEE"])
@pytest.mark.parametrize("late", [2, 5])
def test_a_marker_that_is_late_throughout_makes_lengths_vary(trial: Trial, label: str, late: int) -> None:
    assert "length_varies" not in {note.code for note in analyse(trial, load_model("pig"), SubjectFile()).notes}
    points = trial.points_g.copy()
    i = trial.labels.index(label)
    points[late:, i] = trial.points_g[:-late, i]
    notes = analyse(replace(trial, points_g=points), load_model("pig"), SubjectFile()).notes
    note, *by_delay = [note for note in notes if note.code == "length_varies"]
    assert note.text.startswith("length of the left") and note.side == "left" and note.cure
    # some are told with their delay too, roughly: a length that turns knows it to first order
    assert len(by_delay) <= 1 and all(note.text.startswith(f"{label} is ") for note in by_delay)


def test_another_persons_static_is_said_first(simulated: Callable[..., object]) -> None:
    sim = simulated()
    static = replace(sim.static, parameters={**sim.static.parameters, "Bodymass": 45.0})  # type: ignore[attr-defined]
    result = analyse(sim.trial, load_model("pig"), SubjectFile(), static)  # type: ignore[attr-defined]
    assert "another person" in texts(result.notes)[0]


def left_out(result: Result) -> str:
    """What is said of a leg that lacks a marker."""
    (note,) = (note for note in result.notes if note.code == "leg_absent")
    return note.text


def test_a_hint_never_names_the_other_side(trial: Trial) -> None:
    changed = relabelled(trial, lambda label: {"LTOE": "LTOEX"}.get(label, label))
    assert "LTOE (did you mean 'LTOEX'?)" in left_out(analyse(changed, load_model("pig"), SubjectFile()))
    gone = replace(
        trial,
        labels=tuple(label for label in trial.labels if label != "LTOE"),
        points_g=np.delete(trial.points_g, trial.labels.index("LTOE"), axis=1),
    )
    found = left_out(analyse(gone, load_model("pig"), SubjectFile()))
    assert "LTOE" in found and "did you mean" not in found
