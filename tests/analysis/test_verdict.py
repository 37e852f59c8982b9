"""The verdict on a trial: what lowers it, what does not, and what is said of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated_trials import Simulated

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from shared_trials import SHARED

from gaitid.analysis.judge import judge
from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Reason, Result, Verdict
from gaitid.analysis.wording import by_code, in_one
from gaitid.body.subject import SubjectFile
from gaitid.ground.by_hand import ByHand
from gaitid.model.load import load_model
from gaitid.notes import MESSAGES, Note
from gaitid.notes.message import DO_NOT_USE, GOOD, LEVELS, USABLE
from gaitid.notes.result import REASONS
from gaitid.run import RunOptions, analyse_file, prepare
from gaitid.trial import Trial

ROOT = Path(__file__).resolve().parents[2]
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


def test_without_plates_one_reason_says_so(simulated: Simulate) -> None:
    verdict = analysed(replace(simulated().trial, plates=())).verdict
    assert codes(verdict) == [("no_plates", "")]
    assert verdict.words == "usable: angles only"


def test_who_stands_still_is_asked_for_no_stance(simulated: Simulate) -> None:
    standing = simulated().static
    long = replace(standing, points_g=np.repeat(standing.points_g, 5, axis=0))
    parameters = simulated().trial.parameters
    verdict = analysed(replace(long, parameters=parameters)).verdict
    assert codes(verdict) == [("standing", "")]
    assert verdict.trial == USABLE


def test_what_is_not_known_of_the_body_is_said_before_what_is_not_known_of_a_leg(simulated: Simulate) -> None:
    trial = simulated().trial
    unweighed = {name: value for name, value in trial.parameters.items() if name != "Bodymass"}
    found = analysed(replace(trial, parameters=unweighed), by_hand=(ByHand("right", ()),))
    assert codes(found.verdict)[:2] == [("mass_unknown", ""), ("no_whole_stance", "right")]
    assert "no_known_wrench" not in dict(codes(found.verdict))


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


@pytest.mark.parametrize(
    ("gravity", "unusual"), [(0.0, True), (1.62, True), (9.79, False), (9.832, False), (98.1, True)]
)
def test_a_gravity_that_no_laboratory_has_is_said(simulated: Simulate, gravity: float, unusual: bool) -> None:
    found = analyse(simulated().trial, load_model("pig", {"gravity_m_per_s2": gravity}), SubjectFile())
    assert ("gravity_unusual" in {note.code for note in found.notes}) == unusual
    assert (found.verdict.trial == DO_NOT_USE) == unusual


@pytest.mark.parametrize(("frames", "short"), [(1, True), (12, True), (19, True), (20, False)])
def test_a_trial_in_which_no_step_fits_is_said(simulated: Simulate, frames: int, short: bool) -> None:
    trial = replace(simulated().trial, points_g=simulated().trial.points_g[:frames], plates=())  # at 100 Hz
    found = analysed(trial)
    assert ("trial_short" in {note.code for note in found.notes}) == short


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


def test_a_plate_that_is_not_used_is_a_reason_only_where_a_stance_is_lacking(simulated: Simulate, walk: Result) -> None:
    refused = Note("plate_refused", "plate 9 is not used: no corners", plates=(9,))
    assert with_notes(walk, refused).trial == GOOD
    lacking = analysed(simulated().trial, by_hand=(ByHand("right", ()),))
    assert ("plate_refused", "right") in codes(with_notes(lacking, refused))


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


def test_the_cure_of_a_note_comes_before_that_of_its_code(walk: Result) -> None:
    (reason,) = with_notes(walk, Note("markers_rough", "rough", "", "record at 200 Hz")).reasons
    assert reason.words == "rough; cure: record at 200 Hz"
    (reason,) = with_notes(walk, Note("markers_rough", "rough")).reasons
    assert reason.cure == MESSAGES["markers_rough"].cure


def test_a_leg_that_was_not_recorded_does_not_lower_the_trial(simulated: Simulate) -> None:
    trial = simulated().trial
    kept = [i for i, label in enumerate(trial.labels) if not label.startswith("R") or label in ("RASI", "RPSI")]
    one = replace(trial, labels=tuple(trial.labels[i] for i in kept), points_g=trial.points_g[:, kept], events=())
    verdict = analysed(one).verdict
    assert verdict.sides["right"] == DO_NOT_USE
    assert ("leg_absent", "right") in codes(verdict)
    assert verdict.trial == verdict.sides["left"] != DO_NOT_USE


# --- the table of messages ----------------------------------------------------------------------------------


def test_what_lowers_has_a_cure_and_is_an_error_or_a_doubt() -> None:
    for code, message in (MESSAGES | REASONS).items():
        assert message.lowers_to in LEVELS
        if message.lowers_to != GOOD:
            assert message.cure, code
            assert message.severity in ("error", "doubt"), code


def test_the_page_lists_every_code_with_its_consequence_and_cure() -> None:
    page = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([a-z –]+) \| (.*) \|$", page, re.MULTILINE)
    expected = [
        (code, "–" if m.lowers_to == GOOD else m.lowers_to + " where a stance is lacking" * m.explains, m.cure or "–")
        for code, m in (REASONS | MESSAGES).items()
    ]
    assert rows == expected


# --- words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["plate 1: no corners"], "plate 1: no corners"),
        (
            [f"plate {i} reads {i}.5 N while it is empty" for i in (1, 2)],
            "plate 1 reads 1.5 N while it is empty; plate 2 reads 2.5 N while it is empty",
        ),
        (["plate 1: it is not used at all", "plate 2: it is not used at all"], "plate 1, 2: it is not used at all"),
        ([f"plate {i} is not used: no corners" for i in (1, 3, 4)], "plates 1, 3 and 4 are not used: no corners"),
        (["one thing", "another one"], "one thing; another one"),
        (
            [
                f"the {side} shank varies by {n} mm (skin: 15 mm): a marker slips"
                for side, n in (("left", 23), ("right", 26))
            ],
            "the left shank varies by 23 mm; the right shank varies by 26 mm (skin: 15 mm): a marker slips",
        ),
        (
            [f"{side} knee turns by {n} deg: look at it" for side, n in (("left", 23), ("right", 26))],
            "left knee turns by 23 deg; right knee turns by 26 deg: look at it",
        ),
        (["the same"] * 3, "the same"),
        ([f"marker {i} is lost for good" for i in range(8)], "marker 0, 1, 2, 3, 4, 5 and 2 more is lost for good"),
    ],
)
def test_what_is_said_of_several_is_said_once(texts: list[str], said: str) -> None:
    assert in_one(texts) == said


def test_notes_of_one_code_that_say_different_things_keep_their_lines() -> None:
    notes = [
        Note("file_incomplete", "12 bytes behind the last frame are not read"),
        Note("file_incomplete", "events without a possible time are gone: Foot Off"),
        Note("file_incomplete", "512 bytes behind the last frame are not read"),
    ]
    assert [text for _, text in by_code(notes)] == [
        "12, 512 bytes behind the last frame are not read",
        "events without a possible time are gone: Foot Off",
    ]


def test_two_faults_of_one_plate_keep_their_lines() -> None:
    """Nor are two kinds of fault spliced that share their first words."""
    notes = [
        Note("plate_channel", "plate 1: Fx is 0.5 times Fz; no floor holds a foot like that, it seems"),
        Note("plate_channel", "plate 1: Fx and Fy are exchanged, Fy with the wrong sign, it seems"),
        Note("plate_channel", "plate 2: Fx is 0.7 times Fz; no floor holds a foot like that, it seems"),
        Note("plate_channel", "plate 1: Fy is 0.6 times Fz; no floor holds a foot like that, it seems"),
    ]
    assert [text for _, text in by_code(notes)] == [
        "plate 1: Fx is 0.5 times Fz; plate 2: Fx is 0.7 times Fz; no floor holds a foot like that, it seems",
        notes[1].text,
        notes[3].text,
    ]


def test_a_reason_as_the_record_holds_it() -> None:
    reason = Reason(USABLE, "label_fault", "left", "LANK jumps", "correct the labels", 2)
    assert Verdict(USABLE, {"left": USABLE, "right": GOOD}, (reason,)).as_dict() == {
        "trial": "usable",
        "left": "usable",
        "right": "good",
        "reasons": [
            {
                "lowers_to": "usable",
                "code": "label_fault",
                "side": "left",
                "text": "LANK jumps",
                "cure": "correct the labels",
                "count": 2,
            }
        ],
    }


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
