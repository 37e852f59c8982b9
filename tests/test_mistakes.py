"""Benchmarks of mistakes: each spoils a trial, a spoilt plate is accused by its name, and a sound trial is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from attack_trials import SIMULATED, Case, simulated_case
from clean_trials import drawn_case
from mistakes import FAULTS, accused_of, clean_summary, figures, judge, page


@pytest.fixture(scope="module")
def walk() -> Case:
    return simulated_case(SIMULATED[0])


def test_each_fault_spoils_a_trial(walk: Case) -> None:
    other = ("another person's static", "another person's measurements")  # there is only one simulated person
    assert [name for name, fault in FAULTS.items() if name not in other and not list(fault.on(walk))] == []


def test_a_mistake_is_named_with_its_plate_and_a_small_one_is_silent(walk: Case) -> None:
    names = ("sign of Fz, one plate", "plate turned by 5°, one plate")
    rows = [judge(walk, FAULTS[name], next(iter(FAULTS[name].on(walk))), bands=False) for name in names]
    assert rows[0]["matters"] and rows[0]["named"] and rows[0]["accused"][0][:2] == ["sign", [1]]
    counted = figures(rows)
    assert (counted["runs"], counted["wrong"], counted["silent"], counted["named"]) == (2, 1, 1, 1)
    assert page(rows)[-1] == "| **all** | 2 | 1 | 1 |  | 1 |  |"


def test_sound_trials_are_not_accused(walk: Case) -> None:
    rows = [accused_of(("simulated walk", lambda: walk)), accused_of(("drawn walk 0", lambda: drawn_case("walk", 0)))]
    assert clean_summary(rows)[-5] == "- **all: accused 0 of 2 (0.0%, 95 % interval 0.0% to 84.2%)**"
