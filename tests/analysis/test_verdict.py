"""The verdict on a trial: what lowers it, what does not, and what is said of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from simulated_trials import Simulated

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from shared_trials import SHARED

from gaitid.analysis.judge import judge
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result, Verdict
from gaitid.body.subject import SubjectFile
from gaitid.ground.by_hand import ByHand
from gaitid.model.load import load_model
from gaitid.notes import Note
from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE
from gaitid.run import RunOptions, analyse_file, prepare
from gaitid.trial import Trial

Simulate = Callable[..., Simulated]


def analysed(trial: Trial, model: str = "pig", **how: object) -> Result:
    return analyse(trial, load_model(model), SubjectFile(), **how)


@pytest.fixture(scope="module")
def walk(simulated: Simulate) -> Result:
    return analysed(simulated().trial)


def with_notes(result: Result, *notes: Note) -> Verdict:
    return judge(replace(result, notes=notes))


def codes(verdict: Verdict) -> list[tuple[str, str]]:
    return [(reason.code, reason.side) for reason in verdict.reasons]


# --- what lowers it -----------------------------------------------------------------------------------------


def test_a_whole_stance_of_each_leg_and_nothing_in_doubt_is_good(walk: Result) -> None:
    """Though the feet also stand on the floor beside the plates."""
    assert [contact.side for contact in walk.contacts if not contact.plates]
    verdict = walk.verdict
    assert (verdict.trial, dict(verdict.sides), verdict.reasons) == (GOOD, {"left": GOOD, "right": GOOD}, ())
    assert (verdict.words, verdict.worst_reason) == ("good", "")
    said = verdict.as_dict()
    could_not_show = said.pop("detectable")
    assert said == {"trial": "good", "left": "good", "right": "good", "reasons": []}
    assert {one["cause"] for one in could_not_show} >= {"late", "gain", "moved along x", "tilt about the second"}


def test_a_leg_without_a_whole_stance_is_usable_and_the_other_stays_good(simulated: Simulate) -> None:
    verdict = analysed(simulated().trial, by_hand=(ByHand("right", ()),)).verdict
    assert (verdict.trial, dict(verdict.sides)) == (USABLE, {"left": GOOD, "right": USABLE})
    assert codes(verdict) == [("no_whole_stance", "right"), ("load_unclaimed", "right")]
    assert verdict.words == "usable (left good, right usable)"
    assert verdict.worst_reason.startswith("right: no whole stance on the plates: ")
    assert verdict.worst_reason.endswith(
        "; cure: --assign right=2, if the load that no foot claims is this foot's; else use this leg's angles, "
        "not its moments"
    )


@pytest.mark.parametrize("end", ["first", "last"])
def test_a_stance_that_an_end_of_the_trial_cuts_is_not_whole(simulated: Simulate, walk: Result, end: str) -> None:
    trial = simulated().trial
    known = [contact for contact in walk.contacts if contact.plates]
    middles = [(contact.first + contact.last) // 2 for contact in known]
    at = middles[0] if end == "first" else middles[-1]
    side = known[0 if end == "first" else -1].side
    frames = slice(at, None) if end == "first" else slice(0, at)
    ratio = round(trial.plates[0].rate_hz / trial.rate_hz)
    samples = slice(at * ratio, None) if end == "first" else slice(0, at * ratio)
    plates = tuple(replace(p, force_p=p.force_p[samples], moment_p=p.moment_p[samples]) for p in trial.plates)
    cut = replace(trial, points_g=trial.points_g[frames], plates=plates, events=())
    verdict = analysed(cut).verdict
    assert ("no_whole_stance", side) in codes(verdict)
    assert "its start or end was not recorded" in verdict.worst_reason


@pytest.mark.parametrize(
    ("factor", "level", "code"),
    [(2.2046, DO_NOT_USE, "weight_wrong"), (1.2, USABLE, "weight_doubtful"), (1.0, GOOD, "")],
)
def test_what_check_knows_of_the_weight_every_verdict_knows(
    simulated: Simulate, factor: float, level: str, code: str
) -> None:
    trial = simulated().trial
    heavier = {**trial.parameters, "Bodymass": factor * trial.parameters["Bodymass"]}
    found = analysed(replace(trial, parameters=heavier))
    assert found.verdict.trial == level
    assert code in {*dict(codes(found.verdict)), *([""] if not code else [])}
    assert (code in {note.code for note in found.notes}) == bool(code)


@pytest.mark.parametrize(("factor", "said"), [(2.2046, ["calibration_doubtful"]), (1.2, [])])
def test_the_weight_says_nothing_where_something_else_carries_the_body(
    simulated: Simulate, factor: float, said: list[str]
) -> None:
    """But 154 kg are hardly anybody's of this height."""
    trial = simulated().trial
    heavier = replace(trial, parameters={**trial.parameters, "Bodymass": factor * trial.parameters["Bodymass"]})
    found = analyse(heavier, load_model("pig", {"external_support": True}), SubjectFile())
    assert any(contact.plates for contact in found.contacts)
    assert found.verdict.trial == (USABLE if said else GOOD)
    assert [code for code, _ in codes(found.verdict)] == said


# --- what a note does ---------------------------------------------------------------------------------------


def test_a_doubt_about_a_plate_lowers_the_legs_that_stood_on_it(walk: Result) -> None:
    of = {contact.plates[0]: contact.side for contact in walk.contacts if contact.plates}
    plate, side = next(iter(of.items()))
    verdict = with_notes(walk, Note("plate_doubtful", "its lengths may be in another unit", plates=(plate,)))
    assert codes(verdict) == [("plate_doubtful", side)]
    assert codes(with_notes(walk, Note("plate_doubtful", "two plates lie apart", plates=(plate, 9)))) == codes(verdict)
    together = with_notes(walk, Note("plate_doubtful", f"plate {plate} and others lie apart"))
    assert codes(together) == [("plate_doubtful", "")]  # what a text begins with decides nothing
    nobody = with_notes(walk, Note("plate_doubtful", "its lengths may be in another unit", plates=(9,)))
    assert nobody.trial == GOOD
    assert [note.code for note in nobody.others] == ["plate_doubtful"]  # said all the same


@pytest.mark.parametrize(
    ("note", "side"),
    [
        (Note("length_jump", "length of the left thigh jumps by 40 mm at frame 3"), "left"),
        (Note("static_differs", "right foot: RHEE to RTOE 200 mm in the static"), "right"),
        (Note("measurements_differ", "left and right knee_width differ"), ""),
        (Note("file_repaired", "header and parameters disagree"), ""),
        (Note("length_jump", "a length jumps", "right"), "right"),
    ],
)
def test_a_note_about_one_leg_lowers_that_leg_alone(walk: Result, note: Note, side: str) -> None:
    verdict = with_notes(walk, note)
    assert [reason.side for reason in verdict.reasons] == [side]
    lowered = {name for name, level in verdict.sides.items() if level != GOOD}
    assert lowered == ({side} if side else {"left", "right"})


def test_reasons_stand_by_what_they_do_then_by_severity_and_repeated_ones_in_one_line(walk: Result) -> None:
    verdict = with_notes(
        walk,
        Note("marker_filter", "the markers carry noise"),
        Note("measurements_differ", "mass: 70 kg from the trial, 71 kg from the static"),
        Note("label_fault", "LANK jumps by 22 mm; not used in frames 7-8"),
        Note("other_person", "the static may be another person's"),
        Note("label_fault", "LHEE jumps by 26 mm; not used in frames 1-4"),
    )
    assert codes(verdict) == [("other_person", ""), ("measurements_differ", ""), ("label_fault", "")]
    assert verdict.trial == DO_NOT_USE
    fault = verdict.reasons[2]
    assert fault.count == 2
    assert fault.words == (
        "LANK jumps by 22 mm; not used in frames 7-8; LHEE jumps by 26 mm; not used in frames 1-4; "
        "cure: correct the labels there"
    )
    assert [note.code for note in verdict.others] == ["marker_filter"]


def test_a_leg_that_was_not_recorded_does_not_lower_the_trial(simulated: Simulate) -> None:
    trial = simulated().trial
    kept = [i for i, label in enumerate(trial.labels) if not label.startswith("R") or label in ("RASI", "RPSI")]
    one = replace(trial, labels=tuple(trial.labels[i] for i in kept), points_g=trial.points_g[:, kept], events=())
    verdict = analysed(one).verdict
    assert verdict.sides["right"] == DO_NOT_USE
    assert ("leg_absent", "right") in codes(verdict)
    assert verdict.trial == verdict.sides["left"] != DO_NOT_USE


# --- the table of messages ----------------------------------------------------------------------------------


# --- words --------------------------------------------------------------------------------------------------


# --- recorded trials ----------------------------------------------------------------------------------------

#: Trial: verdict on the trial, left and right, judged by hand (docs/quality.md).
BY_HAND = {
    **{f"children/HC{i}/walk.c3d": "good good good" for i in ("002D", "030A", "031A", "036A")},
    # the static beside gives other angles, by up to 5.5°
    **{f"sydney/walk0{i}.c3d": "usable usable usable" for i in (3, 4, 5)},
    **{f"children/HC{i}/static.c3d": "usable usable usable" for i in ("002D", "030A", "031A", "036A")},
    "nexus_flatfoot/walk.c3d": "good good good",
    "nexus_flatfoot/static.c3d": "usable usable usable",
    # both knees' axes are turned, by 25° and 37°
    "stairs/Movement_trial.c3d": "usable usable usable",
    "wild/cgm24/walk.c3d": "usable usable usable",
}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared trials are not beside this checkout")
@pytest.mark.parametrize("name", BY_HAND)
def test_recorded_trials_are_judged_as_by_hand(name: str) -> None:
    verdict = analyse_file(SHARED / name, prepare(RunOptions("pig"))).verdict
    found: list[Any] = [verdict.trial, verdict.sides["left"], verdict.sides["right"]]
    assert " ".join(found) == BY_HAND[name], verdict.worst_reason
