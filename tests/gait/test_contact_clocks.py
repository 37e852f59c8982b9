"""Clocks and rates of runs, turns and single contacts; plates that are late are told by both ends of a contact too."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_plates import rate_wrong
from attack_trials import RECORDED, SHARED, Case, SimulatedCase, recorded_case, simulated_case

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.gait.events import EARLY, LATE, GaitEvents, contact_clock_notes
from gaitid.gait.marker_events import GaitEvent, Heading
from gaitid.ground.belt import Floor
from gaitid.ground.contacts import Contact
from gaitid.notes import Note

RATE, N = 100.0, 300
UP = np.array([0.0, 0.0, 1.0])
NOT_YET = pytest.mark.xfail(strict=True, reason="rules of single witnesses noticed it, the judge does not yet")


def notes(sinks_s: float, rises_s: float, sense: float = 1.0, known: tuple[Note, ...] = ()) -> tuple[Note, ...]:
    """Of one contact from 1.0 to 1.6 s whose foot sinks and rises so much later."""
    heading = Heading(
        Floor(UP, RATE, np.zeros(3)), np.tile([1.0, 0.0, 0.0], (N, 1)), np.full(N, sense), np.zeros(N, dtype=bool)
    )
    by_markers = (
        GaitEvent("left", "strike", 1.0 + sinks_s, "oconnor"),
        GaitEvent("left", "off", 1.6 + rises_s, "oconnor"),
    )
    events = GaitEvents((), {"oconnor": by_markers}, (), {}, heading)
    # force above the threshold from half a frame before the first to half a frame after the last frame
    contact = Contact("left", (2,), 100, 160, 800.0, "", 1.0, "")
    return contact_clock_notes(events, [contact], known)


@pytest.mark.parametrize(
    ("sinks_s", "rises_s"), [(0.0, 0.0), (0.03, 0.02), (-0.02, -0.02), (-0.07, 0.01), (0.02, -0.1)]
)
def test_what_clean_walks_show_or_one_end_alone_is_no_fault(sinks_s: float, rises_s: float) -> None:
    assert notes(sinks_s, rises_s) == ()


@pytest.mark.parametrize(("shift_s", "words"), [(LATE - 0.015, "after"), (EARLY + 0.015, "before")])
def test_both_ends_late_or_early_are_told_with_the_size(shift_s: float, words: str) -> None:
    (note,) = notes(shift_s, shift_s)
    assert note.code == "clocks_apart" and note.severity == "doubt"
    assert f"{abs(shift_s) * 1e3:.0f} ms {words} the feet land" in note.text
    assert notes(shift_s, shift_s, sense=-1.0) == ()  # backward the toes land
    assert notes(shift_s, shift_s, known=(note,)) == ()  # it was said


@cache
def recorded(name: str) -> Case:
    found = [one for one in RECORDED if one.name == name]
    if not found or not (SHARED / found[0].file).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    return recorded_case(found[0])


def spoilt(case: Case, trial: object) -> Result:
    return analyse(trial, case.model, case.subject, case.static)  # type: ignore[arg-type]


def codes(result: Result) -> set[str]:
    return {note.code for note in result.notes}


@NOT_YET
def test_a_runner_who_falls_too_slowly_tells_a_rate_that_is_twice_too_low() -> None:
    case = simulated_case(SimulatedCase("run"))
    (half,) = rate_wrong(0.5, True, case, np.random.default_rng(1))
    assert "rate_doubtful" in codes(spoilt(case, half.trial))


def test_one_contact_tells_a_rate_that_is_twice_too_high() -> None:
    case = simulated_case(SimulatedCase("over_edge"))  # one whole contact: no two landings on plates
    (twice,) = rate_wrong(2.0, False, case, np.random.default_rng(1))
    (note,) = [n for n in spoilt(case, twice.trial).notes if n.code == "rate_doubtful"]
    assert "declared about 1." in note.text and "times too high" in note.text
    assert "rate_doubtful" not in codes(case.result)


@NOT_YET
@pytest.mark.parametrize("name", ["wild/padua_clusters/walk.c3d", "wild/rajagopal/run.trc"])
def test_a_rate_that_is_a_fifth_too_low(name: str) -> None:
    recorded = next(one for one in RECORDED if one.file == name)
    if not (SHARED / name).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    case = recorded_case(recorded)
    (one,) = rate_wrong(0.8, False, case, np.random.default_rng(1))
    (note,) = [n for n in spoilt(case, one.trial).notes if n.code == "rate_doubtful"]
    assert "declared about 1.2" in note.text and "times too low" in note.text
    assert "rate_doubtful" not in codes(case.result)
