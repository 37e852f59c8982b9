"""Faults that are done to recorded walks and runs, and to simulated ones, are named with their plate and size."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_markers import markers_tilted
from attack_plates import crosstalk, rate_wrong, scaled, with_plates
from attack_trials import RECORDED, Case, SimulatedCase, recorded_case, simulated_case
from clean_trials import MORE
from shared_trials import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.notes import Note
from gaitid.trial import Trial

CODES = ("plate_doubtful", "plate_gain", "plate_channel", "plate_misplaced", "body_not_carried", "clocks_apart")
CODES += ("rate_doubtful", "laboratory_askew")


@cache
def case_of(name: str) -> Case:
    """A recorded trial; a simulated one by the name of its scenario."""
    if "/" not in name:
        return simulated_case(SimulatedCase(name))
    one = next(recorded for recorded in (*RECORDED, *MORE) if recorded.name.endswith(name))
    if not (SHARED / one.file).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    return recorded_case(one)


def judged(case: Case, trial: Trial) -> list[Note]:
    result = analyse(trial, case.model, case.subject, case.static)
    return [note for note in result.notes if note.code in CODES]


@pytest.mark.parametrize("plates", [(1,), (2,), (1, 2)])
@pytest.mark.parametrize(
    ("name", "factor"),
    [("walk", 0.6), ("HC030A/walk", 0.6), ("HC030A/walk", 1.6), ("opencap/walk", 0.7), ("opencap/walk", 1.4)],
)
def test_a_gain_of_the_horizontal_forces(name: str, factor: float, plates: tuple[int, ...]) -> None:
    case = case_of(name)
    (note,) = judged(case, with_plates(case.trial, scaled(factor, 0, 1), plates))
    assert note.code == "plate_gain" and note.plates == plates
    gives = re.findall(r"[xyz](?: and \S+)? gives? ([0-9.]+) ± ([0-9.]+) times", note.text)
    assert any(abs(float(times) - factor) < 3 * float(error) for times, error in gives)


@pytest.mark.parametrize(("share", "into"), [(0.05, 0), (0.05, 1), (-0.05, 1)])
def test_a_share_of_the_vertical_force_in_a_horizontal_one(share: float, into: int) -> None:
    case = case_of("walk")
    (note,) = judged(case, with_plates(case.trial, crosstalk(share, 2, into), case.plates_used))
    assert note.code == "plate_doubtful" and note.plates == (1, 2)
    told = re.search(r"([+-][0-9.]+) of Fz is read in Fx and ([+-][0-9.]+) in Fy \(± ([0-9.]+)\)", note.text)
    assert told is not None
    *shares, error = map(float, told.groups())
    assert shares == pytest.approx([share, 0.0] if into == 0 else [0.0, share], abs=3 * error)
    assert "or its zero is wrong" in note.text


def test_cameras_whose_vertical_leans() -> None:
    case = case_of("walk")
    one = next(one for one in markers_tilted(3.0, case, np.random.default_rng(0)) if "one side" in one.words)
    (note,) = judged(case, one.trial)
    assert note.code == "laboratory_askew"
    deg, error = map(float, re.search(r"leans by ([0-9.]+) ± ([0-9.]+)°", note.text).groups())  # type: ignore[union-attr]
    assert deg == pytest.approx(3.0, abs=3 * error)


def test_a_plate_that_tells_nothing_is_not_believed_beside_one_that_is_wired_wrongly() -> None:
    case = case_of("qualisys/walk")  # a heel over the edge of plate 2, whose load is known in part
    one, other = judged(case, with_plates(case.trial, scaled(-1.0, 1), (1, 2)))
    assert one.code == other.code == "plate_channel" and one.plates == (1,) and other.plates == (2,)
    assert "may have the fault of plate 1" in other.text


NOT_YET = pytest.mark.xfail(strict=True, reason="rules of single plates noticed it, the judge does not yet")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param("latrobe/sprint", scaled(-1.0, 0), marks=(pytest.mark.slow, NOT_YET)),
        pytest.param("latrobe/sprint", scaled(0.5, *range(6)), marks=(pytest.mark.slow, NOT_YET)),
        pytest.param("rajagopal/run", scaled(2.0, 0), marks=NOT_YET),
        pytest.param("run", scaled(2.0, 0), marks=NOT_YET),
        # by odds of 1.03 to 1 with a toe marker that jumps by 19 and 13 mm while the markers beside it do not; without
        # those frames too few are left for this one, and enough for others
        pytest.param("cgm24/walk", scaled(2.0, 0, 1), marks=NOT_YET),
        ("cgm24/walk", scaled(2.5, 0, 1)),
        ("cgm24/walk", scaled(0.5, 0, 1)),
        pytest.param("over_edge", scaled(-1.0, 1), marks=NOT_YET),
    ],
)
def test_a_fault_of_channels_that_is_noticed(name: str, change) -> None:  # type: ignore[no-untyped-def]
    case = case_of(name)
    assert judged(case, with_plates(case.trial, change, case.plates_used[:1]))


@NOT_YET
@pytest.mark.parametrize("name", ["isb_bone_names/walk", "rajagopal/run"])
def test_a_rate_that_is_declared_twice_too_high(name: str) -> None:
    case = case_of(name)
    (twice,) = rate_wrong(2.0, False, case, np.random.default_rng(1))
    assert "rate_doubtful" in {note.code for note in judged(case, twice.trial)}
