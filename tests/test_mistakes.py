"""The tables of mistakes count what they say they count, and coverage is that of stances that are known to be whole."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from accusations import CAUSES, Accusation, accusations, cause_of, reasons
from attack_list import ATTACKS
from attack_trials import RECORDED, SIMULATED, Case, recorded_case, simulated_case
from clean_trials import clean_trials, drawn_case, varied_case
from contact_figures import FIGURES, Clean, chosen, measure
from load_coverage import share_known, stances_of
from mistake_list import MISTAKES, Mistake
from mistakes import (
    FAULTS,
    accused_of,
    band_needed,
    changed,
    clean_summary,
    compared,
    figures,
    judge,
    new_notes,
    page,
    right_plates,
    share_with_interval,
    write_rows,
)
from shared_trials import SHARED

from gaitid.analysis.result import Result
from gaitid.notes import MESSAGES, Note

TURN = next(one for one in RECORDED if one.name == "HC030A/turn")


@pytest.fixture(scope="module")
def walk() -> Case:
    return simulated_case(SIMULATED[0])


def with_hip(result: Result, change: float, frame: int | slice) -> Result:
    """The result with another left hip extension moment in one frame, a loaded one, or in several."""
    left = result.sides["left"]
    values = left.moments["hip"]["extension"].copy()
    assert np.isfinite(values[frame]).any()
    values[frame] += change
    moments = {**left.moments, "hip": {**left.moments["hip"], "extension": values}}
    return replace(result, sides={**result.sides, "left": replace(left, moments=moments)})


def loaded_frame(result: Result) -> int:
    return next((c.first + c.last) // 2 for c in result.contacts if c.side == "left" and c.plates)


def first(name: str, case: Case) -> dict[str, object]:
    mistake = FAULTS[name]
    return judge(case, mistake, next(iter(mistake.on(case))), bands=False)


def test_the_unspoilt_trial_differs_in_nothing(walk: Case) -> None:
    same = {"worst": 0.0, "times": 0.0, "untold": 0.0, "where": "", "left": 1.0, "angle": 0.0}
    assert compared(walk.result, walk.result) == same


def test_a_moment_is_wrong_from_a_tenth_of_its_peak_on_and_told_by_its_contact_alone(walk: Case) -> None:
    frame = loaded_frame(walk.result)
    peak = np.nanmax(np.abs(walk.result.sides["left"].moments["hip"]["extension"]))
    wrong = with_hip(walk.result, 0.3, frame)
    row = compared(walk.result, wrong)
    assert row["worst"] == pytest.approx(0.3)
    assert row["times"] == row["untold"] == pytest.approx(0.3 / min(0.1, 0.1 * max(peak, 0.5)))
    assert row["where"] == f"left hip extension frame {frame}"
    for side, untold in (("left", 0.0), ("right", row["times"])):
        contacts = tuple(replace(c, confidence=0.5) if c.side == side else c for c in wrong.contacts)
        told = compared(walk.result, replace(wrong, loads=replace(wrong.loads, contacts=contacts)))
        assert (told["times"], told["untold"]) == (row["times"], untold)


def test_values_that_became_empty_are_counted_where_feet_are_loaded(walk: Case) -> None:
    left = walk.result.sides["left"]
    empty = {name: {c: np.full_like(v, np.nan) for c, v in m.items()} for name, m in left.moments.items()}
    half = replace(walk.result, sides={**walk.result.sides, "left": replace(left, moments=empty)})
    assert compared(walk.result, half)["left"] == pytest.approx(0.5, abs=0.02)


def test_a_note_with_other_figures_is_new_where_they_moved_by_more_than_a_fifth() -> None:
    before = [Note("plate_bias", "plate 1 reads 5.0 N while it is empty")]
    assert not new_notes(before, [Note("plate_bias", "plate 1 reads 5.5 N while it is empty")])
    assert new_notes(before, [Note("plate_bias", "plate 1 reads 50.0 N while it is empty")])
    assert new_notes(before, [Note("plate_bias", "plate 2 reads 5.0 N while it is empty")])
    assert not new_notes([], [Note("plate_bias_removed", "plate 1 reads 5.0 N while it is empty; taken off")])


def test_a_mistake_is_noticed_and_named_with_its_plate(walk: Case) -> None:
    row = first("sign of Fz, one plate", walk)
    assert row["matters"] and row["noticed"] and row["named"] and row["gross"]
    assert row["accused"][0][:2] == ["sign", [1]]  # type: ignore[index]
    assert 0 < row["left"] < 0.6 and row["times"] <= 1  # type: ignore[operator]


def test_a_small_mistake_is_counted_as_silent(walk: Case) -> None:
    row = first("plate turned by 5°, one plate", walk)
    counted = figures([row])
    assert row["matters"] and row["times"] > 1 and not row["noticed"]  # type: ignore[operator]
    assert (counted["wrong"], counted["silent"], counted["named"]) == (1, 1, 0)


def test_a_small_change_lies_inside_the_band_and_a_large_one_does_not(walk: Case) -> None:
    changed = {change: with_hip(walk.result, change, slice(None)) for change in (0.11, 3.0)}
    assert all(compared(walk.result, other)["times"] > 1 for other in changed.values())
    assert [band_needed(walk.result, other) <= 1 for other in changed.values()] == [True, False]


def test_the_page_counts_each_group_once_and_names_what_is_silent_outside_its_band() -> None:
    row = {
        "matters": True,
        "noticed": False,
        "named": False,
        "wanted": ["gain"],
        "accused": [],
        "left": 1.0,
        "times": 2.0,
    }
    row |= {"untold": 2.0, "angle": 0.0, "group": "gains", "gross": False, "trial": "walk", "laboratory": "here"}
    inside = [("gain 0.9, one plate", False), ("gain 0.9, all plates", False), ("gain 1.1, one plate", True)]
    rows = [row | {"mistake": name, "inside": of} for name, of in inside]
    rows.append(row | {"mistake": "gain 2, one plate", "noticed": True, "named": True, "accused": [["gain", [1], ""]]})
    assert page(rows)[-2:] == ["| gains | 4 | 1 | 4 | 1 | 2 | gain 0.9 (2) |", "| **all** | 4 | 1 | 4 | 1 | 2 |  |"]


def test_plates_are_right_where_those_that_are_wrong_are_accused_and_no_others(walk: Case) -> None:
    one, both = FAULTS["gain 2, one plate"], FAULTS["gain 2, all plates"]
    spoilt = next(iter(one.on(walk)))

    def right(mistake: Mistake, *plates: tuple[int, ...]) -> bool:
        return right_plates([Accusation("gain", of, "") for of in plates], mistake, spoilt, walk)

    assert spoilt.words == "plate 1"
    assert [right(one, of) for of in ((1,), (2,), (1, 2), ())] == [True, False, False, False]
    assert right(both, ()) and right(both, (1,), (2,)) and not right(both, (1,))


def test_each_fault_has_its_own_name_spoils_a_trial_and_is_drawn_the_same_each_time(walk: Case) -> None:
    assert len(FAULTS) == len(MISTAKES) + len(ATTACKS)
    other = ("another person's static", "another person's measurements")  # there is only one simulated person
    assert [name for name, fault in FAULTS.items() if name not in other and not list(fault.on(walk))] == []
    gap = FAULTS["one marker not seen in 5 frames"]
    assert [s.words for s in gap.on(walk)] == [s.words for s in gap.on(walk)]
    assert all(np.isnan(s.trial.points_g).any() for s in gap.on(walk))


def test_every_cause_that_is_wanted_or_said_is_one_of_those_that_there_are() -> None:
    assert {cause for mistake in MISTAKES for cause in mistake.causes} <= {*CAUSES}
    assert all(mistake.causes for mistake in MISTAKES) and not any(attack.causes for attack in ATTACKS)
    notes = [Note(code, "plate 1: Fx and Fy are exchanged") for code in (*MESSAGES, "fault", "fault_late")]
    said = {note.code: cause_of(note) for note in notes}
    assert {cause for of in said.values() for cause in of.split("/") if of} <= {*CAUSES}
    assert (said["plate_channel"], said["fault"], said["fault_late"], said["gap_filled"]) == (
        *("exchange", "exchange", "late"),
        "",
    )


def test_contacts_say_what_no_note_says(walk: Case) -> None:
    (spoilt,) = FAULTS["plates 10 cm too high"].on(walk)
    result = walk.result.pipeline.with_(trial=spoilt.trial).make_all().result  # type: ignore[attr-defined]
    assert {one.cause for one in reasons(result)} == {"raised"}
    assert reasons(walk.result) == accusations(walk.result) == []


def test_drawn_trials_are_other_people_and_the_same_each_time() -> None:
    some = [drawn_case("walk", seed) for seed in range(2)]
    masses = [case.walk.subject.mass_kg for case in some if case.walk is not None]
    assert abs(masses[0] - masses[1]) > 1
    assert np.array_equal(drawn_case("walk", 1).trial.points_g, some[1].trial.points_g)
    assert [name for name, _ in clean_trials(6, "^drawn")] == ["drawn walk 0", "drawn walk 1", "drawn over_edge 2"]


@pytest.mark.skipif(not (SHARED / TURN.file).exists(), reason="needs ../shared/trials")
def test_a_recorded_trial_of_another_size_obeys_the_same_mechanics() -> None:
    case, other = recorded_case(TURN), varied_case(TURN, 0)
    ratio = other.result.subject.mass_kg / case.result.subject.mass_kg
    size = (
        np.sqrt(case.trial.rate_hz / other.trial.rate_hz) ** 2 * np.sqrt(case.trial.rate_hz / other.trial.rate_hz) ** 2
    )
    assert abs(ratio - 1) > 0.02 and abs(size - 1) > 0.02
    assert other.plates_used == case.plates_used
    for side, leg in case.result.sides.items():
        before, after = leg.moments["hip"]["extension"], other.result.sides[side].moments["hip"]["extension"]
        off = np.nanquantile(np.abs(after / size - before), 0.95)
        assert off < 0.1 * np.nanmax(np.abs(before))  # noise, and low-passes that are as fast as before


def test_sound_trials_that_are_accused_are_counted(walk: Case) -> None:
    rows = [accused_of(("simulated walk", lambda: walk)), accused_of(("drawn walk 0", lambda: drawn_case("walk", 0)))]
    assert clean_summary(rows)[-5:-4] == ["- **all: accused 0 of 2 (0.0%, 95 % interval 0.0% to 84.2%)**"]
    rows[1]["accused"] = [["sign", [1], "plate 1 ..."]]
    assert clean_summary(rows)[0] == "- drawn walk, 1 times, sign: plate 1 ..."
    assert share_with_interval(1, 2) == "1 of 2 (50.0%, 95 % interval 1.3% to 98.7%)"


def test_what_changed_since_an_earlier_file_is_told_by_mistake(walk: Case, tmp_path: Path) -> None:
    rows = [first(name, walk) for name in ("sign of Fz, one plate", "plate turned by 5°, one plate")]
    write_rows(tmp_path / "before.jsonl", [{**rows[0], "named": False}, rows[1]])
    lines = changed(rows, tmp_path / "before.jsonl")
    assert lines[0].startswith("2 of 2 runs")
    assert lines[-2:] == [
        "| sign of Fz, one plate | 1 | 0 → 1 | 1 | 0 | 0 | 0 |",
        "| **all** | 1 | 0 → 1 | 2 | 1 | 1 | 0 |",
    ]


def test_whole_stances_of_a_simulated_walk_are_known(walk: Case) -> None:
    stances = list(stances_of(walk))
    assert [(s.clean.side, s.plates) for s in stances] == [("left", (1,)), ("right", (2,))]
    assert min(map(share_known, stances)) >= 0.97


def test_a_limit_lies_between_clean_and_spoilt(walk: Case) -> None:
    figure = next(f for f in FIGURES if f.limit == "MOST")
    measured = measure(figure, [s.clean for s in stances_of(walk)])
    clean, spoilt = measured.clean["simulated"], measured.spoilt["simulated"]
    assert max(clean) < 1.3 < 8 < min(spoilt)
    assert max(clean) < chosen(figure, clean, spoilt) < np.median(spoilt)
    assert chosen(figure, [1.0, 1.2], [8.0, 9.0, 10.0, 11.0, 12.0]) == pytest.approx((1.2 + 9.0) / 2)
    assert np.isnan(chosen(figure, spoilt, clean))  # it would tell nothing
    assert measured.without("simulated") == ([], [])
    assert isinstance(next(stances_of(walk)).clean, Clean)
