"""What horizontal forces and single channels cannot be: late beside the others, or turned about while a body passes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_plates import exchanged, in_a_stance, one_channel_late, scaled, with_plates
from attack_signals import gain_from_the_middle, held_at, in_steps
from attack_trials import RECORDED, Case, SimulatedCase, recorded_case, simulated_case
from shared_trials import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result


def spoilt(case: Case, change, number: int) -> Result:  # type: ignore[no-untyped-def]
    return analyse(with_plates(case.trial, change, [number]), case.model, case.subject, case.static)


def recorded(name: str) -> Case:
    one = next(recorded for recorded in RECORDED if recorded.name == name)
    if not (SHARED / one.file).is_file():
        pytest.skip("the shared trials are not beside this checkout")
    return recorded_case(one)


def said_of(result: Result, number: int) -> list[str]:
    return [n.text for n in result.notes if n.code == "plate_channel" and n.text.startswith(f"plate {number}:")]


@pytest.mark.parametrize("scenario", ["walk", "run", "turn", "over_edge"])
@pytest.mark.parametrize("seconds", [0.02, -0.02])
def test_a_vertical_force_that_alone_is_late_is_withheld(scenario: str, seconds: float) -> None:
    case = simulated_case(SimulatedCase(scenario))
    number = max(case.plates_used)
    assert said_of(case.result, number) == []
    result = spoilt(case, one_channel_late(seconds, 2), number)
    assert "a channel is late or early beside the others" in said_of(result, number)[0]
    assert number not in {n for contact in result.contacts for n in contact.plates}


@pytest.mark.parametrize("name", ["simulated walk", "simulated run", "qualisys/walk", "HC030A/turn"])
def test_a_plate_that_is_pulled_up_is_named_by_its_sign(name: str) -> None:
    case = recorded(name) if "/" in name else simulated_case(SimulatedCase(name.removeprefix("simulated ")))
    for number in case.plates_used:
        assert said_of(case.result, number) == []
        (text,) = said_of(spoilt(case, scaled(-1.0, 2), number), number)
        assert re.search(r"it is pulled up with \d+ N, as no foot can: the sign of Fz is turned", text)


@pytest.mark.parametrize("name", ["simulated run", "rajagopal/run"])
def test_moments_that_are_exchanged_in_a_run_are_told_by_where_the_pressure_goes(name: str) -> None:
    """A foot that runs presses under its ball all the time: its pressure never lies far from where it should."""
    case = recorded(name) if "/" in name else simulated_case(SimulatedCase("run"))
    for number in case.plates_used:
        result = spoilt(case, exchanged(3, 4), number)
        reasons = [contact.reason for contact in result.contacts if f"plate {number}:" in contact.reason]
        assert any("check whether Mx and My are exchanged" in reason for reason in reasons)
        assert number not in {n for contact in result.contacts for n in contact.plates}


@pytest.mark.parametrize("plate", [0, 1])
@pytest.mark.parametrize("channel", [0, 1])
def test_a_sign_along_the_way_is_found_where_a_foot_stands_on_two_plates(plate: int, channel: int) -> None:
    """Across it the line of the force decides, along it the turn from braking to pushing."""
    case = recorded("sydney/walk03")
    contact = next(c for c in case.result.contacts if len(c.plates) == 2)
    number = contact.plates[plate]
    result = spoilt(case, scaled(-1.0, channel), number)
    told = {
        f"plate {number}:" in note.text for note in result.notes if note.code in ("plate_channel", "plate_doubtful")
    }
    assert told == {True}


def doubts(result: Result) -> list[str]:
    return [note.text for note in result.notes if note.code == "plate_doubtful"]


def jumps_of(result: Result) -> list[str]:
    return [text for text in doubts(result) if "jumps by" in text or "changes in steps" in text]


@pytest.mark.parametrize("name", ["sydney/walk04", "isb_bone_names/walk"])
@pytest.mark.parametrize("gain", [0.8, 1.25])
def test_a_gain_that_changes_in_a_stance_is_doubted_by_its_jump(name: str, gain: float) -> None:
    case = recorded(name)
    assert jumps_of(case.result) == []
    for one in in_a_stance(gain_from_the_middle(gain, 2), case, np.random.default_rng(0)):
        assert "jumps by" in jumps_of(analyse(one.trial, case.model, case.subject, case.static))[0]


@pytest.mark.parametrize("change", [in_steps(20.0), held_at(50.0)])
def test_forces_in_steps_are_doubted(change) -> None:  # type: ignore[no-untyped-def]
    case = simulated_case(SimulatedCase("walk"))
    assert "changes in steps of up to" in jumps_of(spoilt(case, change, case.plates_used[0]))[0]


@pytest.mark.parametrize("seconds", [0.02, 0.03])
def test_a_horizontal_force_that_is_later_than_the_other_is_doubted(seconds: float) -> None:
    case = recorded("HC036A/walk")
    assert not [n for n in case.result.notes if n.code == "plate_doubtful"]
    result = spoilt(case, one_channel_late(seconds, 0), 1)
    (text,) = [n.text for n in result.notes if n.code == "plate_doubtful"]
    assert re.match(r"plate 1: Fx begins \d\d ms after Fy where a foot lands", text)
    assert any(1 in contact.plates for contact in result.contacts)
