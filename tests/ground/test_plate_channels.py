"""What horizontal forces and single channels cannot be: late beside the others, or turned about while a body passes."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from attack_plates import exchanged, in_a_stance, one_channel_late, scaled, spike, with_plates
from attack_signals import gain_from_the_middle, held_at, in_steps, samples_lost
from attack_trials import RECORDED, Case, SimulatedCase, recorded_case, simulated_case
from shared_trials import SHARED

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.ground.plate_channels import _jumps
from gaitid.trial import Trial


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


def test_two_channels_that_fit_the_body_again_are_not_called_late() -> None:
    """All channels late together is a matter of clocks."""
    case = simulated_case(SimulatedCase("walk"))
    result = spoilt(case, one_channel_late(0.02, *range(6)), case.plates_used[0])
    assert said_of(result, case.plates_used[0]) == []


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


@pytest.mark.parametrize("seconds", [0.02, 0.03])
def test_a_horizontal_force_that_is_later_than_the_other_is_doubted(seconds: float) -> None:
    case = recorded("HC036A/walk")
    assert not [n for n in case.result.notes if n.code == "plate_doubtful"]
    result = spoilt(case, one_channel_late(seconds, 0), 1)
    (text,) = [n.text for n in result.notes if n.code == "plate_doubtful"]
    assert re.match(r"plate 1: Fx begins \d\d ms after Fy where a foot lands", text)
    assert any(1 in contact.plates for contact in result.contacts)


def test_a_lost_sample_does_not_cost_the_mass_that_whole_steps_tell() -> None:
    case = recorded("opencap/walk")
    whole = case.result.subject.mass_kg
    (sample,) = [s for s in in_a_stance(spike(1000.0, 2, 1), case, np.random.default_rng(1)) if s.words == "plate 1"]
    result = analyse(sample.trial, case.model, case.subject, case.static)
    assert any(note.code == "values_lost" for note in result.notes)
    assert result.subject.mass_kg == pytest.approx(whole, rel=0.002)


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


def part(trial: Trial, first: int, stop: int) -> Trial:
    """Some frames of a trial."""
    first_s, plates = first / trial.rate_hz, []
    for plate in trial.plates:
        samples = slice(*(round(frame / trial.rate_hz * plate.rate_hz) for frame in (first, stop)))
        plates.append(replace(plate, force_p=plate.force_p[samples], moment_p=plate.moment_p[samples]))
    events = tuple(replace(event, time_s=event.time_s - first_s) for event in trial.events)
    return replace(trial, points_g=trial.points_g[first:stop], plates=tuple(plates), events=events, stored={})


@pytest.mark.parametrize(("name", "first", "stop"), [("HC002D/walk", 0.0, 0.5), ("HC002D/walk", 0.5, 1.0)])
def test_a_part_of_single_support_tells_no_gain(name: str, first: float, stop: float) -> None:
    """The ends of a stance have other slopes than the whole of it."""
    case = recorded(name)
    n = case.trial.n_frames
    some = part(case.trial, int(first * n), int(stop * n))
    assert not doubts(analyse(some, case.model, case.subject, case.static))


@pytest.mark.parametrize("scenario", ["stop", "stumble"])
def test_who_does_not_walk_on_is_not_held_to_how_walking_pushes(scenario: str) -> None:
    assert not doubts(simulated_case(SimulatedCase(scenario)).result)


def test_noise_of_the_channels_is_no_free_moment() -> None:
    """5 N on each make 20 mm of it where the forces come at the rate of the cameras."""
    case, rng = recorded("opencap/walk"), np.random.default_rng(5)
    plates = []
    for plate in case.trial.plates:
        force = plate.force_p + rng.normal(0, 5.0, plate.force_p.shape)
        plates.append(replace(plate, force_p=force, moment_p=plate.moment_p + rng.normal(0, 0.25, force.shape)))
    result = analyse(replace(case.trial, plates=tuple(plates)), case.model, case.subject, case.static)
    assert not [text for text in doubts(result) if "free moment" in text]


@pytest.mark.parametrize("name", ["rbds_running/run", "latrobe/sprint"])
def test_no_run_is_held_to_what_walking_shows(name: str) -> None:
    """Neither the thirds of a stance nor the greatest force."""
    result = recorded(name).result
    assert not any(note.code == "weight_doubtful" for note in result.notes)
    assert not any("in single support" in contact.reason for contact in result.contacts)


def jumps_of(result: Result) -> list[str]:
    return [text for text in doubts(result) if "jumps by" in text or "changes in steps" in text]


@pytest.mark.parametrize("name", ["sydney/walk04", "isb_bone_names/walk"])
@pytest.mark.parametrize("gain", [0.8, 1.25])
def test_a_gain_that_changes_in_a_stance_is_doubted_by_its_jump(name: str, gain: float) -> None:
    case = recorded(name)
    assert jumps_of(case.result) == []
    for one in in_a_stance(gain_from_the_middle(gain, 2), case, np.random.default_rng(0)):
        assert "jumps by" in jumps_of(analyse(one.trial, case.model, case.subject, case.static))[0]


def test_samples_lost_as_a_foot_lands_are_doubted() -> None:
    case = recorded("rajagopal/run")
    assert jumps_of(case.result) == []
    (one,) = samples_lost(0.05, case, np.random.default_rng(0))
    said = jumps_of(analyse(one.trial, case.model, case.subject, case.static))
    assert len(said) == 1
    assert "as a foot lands or leaves: samples are missing there" in said[0]


@pytest.mark.parametrize("change", [in_steps(20.0), held_at(50.0)])
def test_forces_in_steps_are_doubted(change) -> None:  # type: ignore[no-untyped-def]
    case = simulated_case(SimulatedCase("walk"))
    assert "changes in steps of up to" in jumps_of(spoilt(case, change, case.plates_used[0]))[0]


@pytest.mark.parametrize("every", [2, 4, 8])
def test_no_clean_plate_jumps_at_any_rate(every: int) -> None:
    for name in ("walk", "run"):
        for plate in simulated_case(SimulatedCase(name)).trial.plates:
            slow = replace(
                plate, rate_hz=plate.rate_hz / every, force_p=plate.force_p[::every], moment_p=plate.moment_p[::every]
            )
            assert list(_jumps(slow)) == []
