"""The attack table counts what it says it counts, and coverage is that of the stances that are known to be whole."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from attack_list import ATTACKS, Attack
from attack_reasons import REASONS, reason_of
from attack_spread import bump, curves_of, within_spread
from attack_tables import NO_REASON, Outcome, markdown, row, silent_lines
from attack_trials import SIMULATED, Case, simulated_case
from attacks import compared, judge, new_notes
from contact_figures import FIGURES, Clean, chosen, measure
from load_coverage import share_known, stances_of

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.notes import Note


@pytest.fixture(scope="module")
def walk() -> Case:
    return simulated_case(SIMULATED[0])


def attack(name: str) -> Attack:
    return next(a for a in ATTACKS if a.name == name)


def with_hip(result: Result, change: float, frame: int) -> Result:
    """The result with another left hip extension moment in one frame, a loaded one."""
    left = result.sides["left"]
    values = left.moments["hip"]["extension"].copy()
    assert np.isfinite(values[frame])
    values[frame] += change
    moments = {**left.moments, "hip": {**left.moments["hip"], "extension": values}}
    return replace(result, sides={**result.sides, "left": replace(left, moments=moments)})


def loaded_frame(result: Result) -> int:
    return next((c.first + c.last) // 2 for c in result.contacts if c.side == "left" and c.plates)


def test_the_unspoilt_trial_is_harmless(walk: Case) -> None:
    outcome = compared("", "", walk.result, walk.result)
    assert (outcome.kind, outcome.worst, outcome.withheld, outcome.angle) == ("harmless", 0.0, 0.0, 0.0)


def test_a_wrong_value_is_silent_until_a_note_or_its_contact_tells(walk: Case) -> None:
    frame = loaded_frame(walk.result)
    wrong = with_hip(walk.result, 0.3, frame)
    silent = compared("", "", walk.result, wrong)
    assert silent.kind == "silent"
    assert silent.silent == pytest.approx(0.3)
    assert silent.where == f"left hip extension, frame {frame + 1}"
    note = Note("plate_doubtful", "plate 1 has another gain")
    flagged = compared("", "", walk.result, replace(wrong, notes=(*wrong.notes, note)))
    assert (flagged.kind, flagged.silent, flagged.noted) == ("flagged", 0.0, note.text)
    assert compared("", "", walk.result, replace(wrong, notes=(Note("gap_filled", "a gap"),))).kind == "silent"
    contacts = tuple(replace(c, confidence=0.5) if c.side == "left" else c for c in wrong.contacts)
    told = compared("", "", walk.result, replace(wrong, loads=replace(wrong.loads, contacts=contacts)))
    assert (told.kind, told.silent) == ("contact", 0.0)
    other = tuple(replace(c, confidence=0.5) if c.side == "right" else c for c in wrong.contacts)
    assert compared("", "", walk.result, replace(wrong, loads=replace(wrong.loads, contacts=other))).kind == "silent"


def test_values_that_became_empty_are_withheld(walk: Case) -> None:
    left = walk.result.sides["left"]
    empty = {name: {c: np.full_like(v, np.nan) for c, v in m.items()} for name, m in left.moments.items()}
    half = replace(walk.result, sides={**walk.result.sides, "left": replace(left, moments=empty)})
    outcome = compared("", "", walk.result, half)
    known = {side: sum(np.isfinite(v).sum() for k, v in curves_of(walk.result, "moments").items() if k[0] == side)
             for side in ("left", "right")}  # fmt: skip
    assert outcome.kind == "withheld"
    assert outcome.withheld == pytest.approx(known["left"] / (known["left"] + known["right"]))


def test_a_note_with_other_figures_is_new_where_they_moved_by_more_than_a_fifth() -> None:
    before = [Note("plate_bias", "plate 1 reads 5.0 N while it is empty")]
    assert not new_notes(before, [Note("plate_bias", "plate 1 reads 5.5 N while it is empty")])
    assert new_notes(before, [Note("plate_bias", "plate 1 reads 50.0 N while it is empty")])
    assert new_notes(before, [Note("plate_bias", "plate 2 reads 5.0 N while it is empty")])
    assert not new_notes([], [Note("plate_bias_removed", "plate 1 reads 5.0 N while it is empty; taken off")])


def test_attacks_are_done_and_counted(walk: Case) -> None:
    dead, gap = attack("Fz dead, one plate"), attack("one marker not seen in 5 frames")
    outcomes = [judge(walk, spoilt) for spoilt in dead.on(walk)]
    assert [outcome.kind for outcome in outcomes] == ["withheld", "withheld"]
    assert row(dead, outcomes).startswith("| Fz dead, one plate | 2 | 2 (")
    spoilt = list(gap.on(walk))
    assert [s.words for s in spoilt] == [s.words for s in gap.on(walk)]  # drawn the same each time
    assert all(np.isnan(s.trial.points_g).any() for s in spoilt)
    assert {judge(walk, s).kind for s in spoilt} == {"harmless"}


def test_each_attack_has_its_own_name_and_spoils_a_trial(walk: Case) -> None:
    assert len({a.name for a in ATTACKS}) == len(ATTACKS)
    other = ("another person's static", "another person's measurements")  # there is only one simulated person
    assert [a.name for a in ATTACKS if a.name not in other and not list(a.on(walk))] == []


def test_whole_stances_of_a_simulated_walk_are_known(walk: Case) -> None:
    stances = list(stances_of(walk))
    assert [(s.clean.side, s.plates) for s in stances] == [("left", (1,)), ("right", (2,))]
    assert min(map(share_known, stances)) >= 0.97


def test_a_limit_lies_between_clean_and_spoilt(walk: Case) -> None:
    figure = next(f for f in FIGURES if f.limit == "most")
    measured = measure(figure, [s.clean for s in stances_of(walk)])
    clean, spoilt = measured.clean["simulated"], measured.spoilt["simulated"]
    assert max(clean) < 1.3 < 8 < min(spoilt)
    assert max(clean) < chosen(figure, clean, spoilt) < np.median(spoilt)
    assert chosen(figure, [1.0, 1.2], [8.0, 9.0, 10.0, 11.0, 12.0]) == pytest.approx((1.2 + 9.0) / 2)
    assert np.isnan(chosen(figure, spoilt, clean))  # it would tell nothing
    assert measured.without("simulated") == ([], [])
    assert isinstance(next(stances_of(walk)).clean, Clean)


def test_a_load_that_clean_recordings_show_as_well_is_within_their_spread(walk: Case) -> None:
    """A plate that lies 2 cm elsewhere, not one with another gain."""
    shifted = list(attack("plates shifted by 2 cm").on(walk))
    outcomes = [judge(walk, one) for one in shifted]
    assert {o.kind for o in outcomes} <= {"within", "contact", "harmless"}
    assert "within" in {o.kind for o in outcomes}
    scaled = analyse(next(iter(attack("gain 1.15, all plates").on(walk))).trial, walk.model, walk.subject, walk.static)
    assert not within_spread(walk.result, scaled)
    assert not within_spread(walk.result, walk.result)


def outcome(kind: str, silent: float, case: str = "somewhere/walk") -> Outcome:
    return Outcome(case, "plate 1", kind, 0.0, "", silent, silent, "left hip extension, frame 9")


def test_what_is_silent_is_listed_with_its_reason_or_frankly_without_one() -> None:
    one = attack("sign of Fx, one plate")
    known = next(reason for reason in REASONS if reason.attack == "^sign of F[xy]")
    lines = silent_lines(one, [outcome("silent", 0.2), outcome("flagged", 0.9), outcome("silent", 0.5, known.trial)])
    assert len(lines) == 2
    assert lines[0].endswith(known.why) and "0.50 N·m/kg" in lines[0]
    assert lines[1].endswith(NO_REASON) and "somewhere/walk, plate 1, 0.20" in lines[1]
    assert silent_lines(attack("gain 0.9, one plate"), [outcome("silent", 0.2)]) == []  # its row has a †


def test_every_reason_is_of_an_attack_and_has_one() -> None:
    for reason in REASONS:
        assert any(reason_of(a.name, reason.trial.split("|")[0], reason.words) for a in ATTACKS), reason
        assert len(reason.why) > 30


def test_rows_of_attacks_that_were_not_done_are_kept_and_counted() -> None:
    first, second = attack("sign of Fx, one plate"), attack("sign of Fy, one plate")
    outcomes = {first.name: [outcome("silent", 0.2), outcome("withheld", 0.0)], second.name: [outcome("silent", 0.3)]}
    whole = markdown([first, second], outcomes)
    assert whole.startswith("3 spoilt trials: 1 withheld, 0 refused") and "2 silent in rows without a †, 2 of" in whole
    again = markdown([second], {second.name: [outcome("flagged", 0.3)]}, whole)
    assert again.startswith("3 spoilt trials: 1 withheld, 0 refused, 1 flagged")
    assert "1 silent in rows without a †, 1 of" in again and "largest silent error 0.20 N·m/kg" in again
    assert f"- {first.name}: " in again and f"- {second.name}: " not in again


def test_a_marker_that_is_off_is_measured_against_its_own_track(walk: Case) -> None:
    spoilt = list(attack("one marker off by 40 mm in 5 frames").on(walk))
    assert all(2 < bump(walk.trial, one.trial) < np.inf for one in spoilt)
    assert bump(walk.trial, next(attack("gain 0.5, one plate").on(walk)).trial) == np.inf
