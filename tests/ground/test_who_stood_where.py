"""Every awkward trial that the simulator knows: no load that is called known may be wrong, and few stay empty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.errors import TrialError
from gaitid.ground.by_hand import ByHand
from gaitid.ground.contacts import AIR, LOADED, UNKNOWN
from gaitid.model.load import load_model
from gaitid.read import read_trial
from gaitid.simulate.files import simulate
from gaitid.simulate.scenarios import SCENARIOS
from gaitid.trial import Assignment, Trial

# N. The edges of a contact are known to a plate's noise; a wrong foot, a lost part or a shared load is hundreds.
WRONG_N = 20.0
# Least share of the frames in which the truth is measured, that must be known. Where both feet are on one plate, the
# frames beside each double support are not sure; exchanged cables leave nothing to be known.
LEAST = {"swapped_plates": 0.0, "treadmill": 0.75, "shared_plate": 0.93}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """`made(name)`: the trial as read from its C3D, the true loads and the true wrenches."""
    cache: dict[str, tuple[Trial, pd.DataFrame, pd.DataFrame]] = {}

    def one(name: str) -> tuple[Trial, pd.DataFrame, pd.DataFrame]:
        if name not in cache:
            folder = tmp_path_factory.mktemp(name)
            simulate(name, folder)
            tables = (pd.read_csv(folder / f"{name}.truth.{what}.csv") for what in ("loads", "wrenches"))
            cache[name] = (read_trial(folder / f"{name}.c3d"), *tables)
        return cache[name]

    return one


def run(trial: Trial, by_hand: tuple[ByHand, ...] = ()) -> Result:
    return analyse(trial, load_model("pig"), SubjectFile(), by_hand=tuple(by_hand))


def force(wrenches: pd.DataFrame, side: str) -> np.ndarray:
    return wrenches[[f"{side}_ground_force_{axis}_N" for axis in "xyz"]].to_numpy()


@pytest.mark.parametrize("name", [n for n in SCENARIOS if n != "walk"])
def test_no_known_load_is_wrong_and_measured_ones_are_known(name: str, made) -> None:  # type: ignore[no-untyped-def]
    trial, loads, wrenches = made(name)
    result = run(trial)
    measured = found = 0
    for side, leg in result.sides.items():
        true = force(wrenches, side)
        off = np.linalg.norm(leg.load.wrench.f_g - true, axis=1)
        assert np.nanmax(off) < WRONG_N, (side, int(np.nanargmax(off)) + 1)
        assert (true[leg.load.state == AIR, 2] < WRONG_N).all(), side
        can = (np.linalg.norm(true, axis=1) > WRONG_N) & (loads[f"{side}_known"] == 1)
        measured += int(can.sum())
        found += int((can & (leg.load.state == LOADED)).sum())
    assert found >= LEAST.get(name, 0.97) * measured, (found, measured)


def test_single_support_on_a_shared_plate_is_known_and_double_support_is_not(made) -> None:  # type: ignore[no-untyped-def]
    trial, loads, wrenches = made("shared_plate")
    result = run(trial)
    rows = [c for c in result.contacts if c.plates == (1,)]
    assert [c.side for c in rows] == ["left", "right"]
    least = np.minimum(*(np.linalg.norm(force(wrenches, side), axis=1) for side in ("left", "right")))
    for side in ("left", "right"):
        together = (loads[f"{side}_plates"] == 1) & (loads[f"{side}_alone"] == 0)
        assert together.sum() > 5
        found = result.sides[side].load.wrench.f_g
        # N: a foot that has just landed, or is about to leave, moves the pressure no faster than it rolls
        assert np.isnan(found[together & (least > 5.0)]).all()
        off = np.linalg.norm(found - force(wrenches, side), axis=1)[together]
        assert np.nanmax(off, initial=0.0) < 5.0
    assert sum("both feet stand on it" in c.reason for c in result.contacts) == 2


# --- by hand -------------------------------------------------------------------------------------------------


def test_what_is_given_by_hand_wins_and_the_evidence_is_told(made) -> None:  # type: ignore[no-untyped-def]
    trial, *_ = made("over_edge")
    by_evidence = run(trial).sides["left"].load.state
    result = run(trial, (ByHand("left", (1,), 100, 200),))
    contact = next(c for c in result.contacts if c.plates == (1,))
    assert (contact.side, contact.method) == ("left", "given by hand")
    assert "the evidence says otherwise" in contact.reason and contact.confidence < 0.5
    held = result.sides["left"].load
    assert (held.state[contact.first : contact.last + 1] == LOADED).all()
    # while the heel presses beside the plate, nothing is known by the evidence
    assert (by_evidence[contact.first : contact.first + 20] == UNKNOWN).all()
    plate = np.stack([p.force_p for p in trial.plates if p.number == 1])[0]
    # N: the plate's own reading, whatever it means
    assert np.nanmax(held.wrench.f_g[contact.first : contact.last, 2]) == pytest.approx(-plate[:, 2].min(), abs=2.0)


def test_a_foot_far_from_the_pressure_is_not_to_be_used(made) -> None:  # type: ignore[no-untyped-def]
    """--assign wins, so the numbers stay; what is written is no moment of that leg, and the verdict says so."""
    trial, *_ = made("walk")
    clean = run(trial)
    right = next(c for c in clean.contacts if c.side == "right" and c.plates)
    result = run(trial, (ByHand("left", right.plates, right.first, right.last),))
    contact = next(c for c in result.contacts if c.plates == right.plates)
    assert (contact.side, contact.method) == ("left", "given by hand")
    held = slice(contact.first + 3, contact.last - 3)
    assert (result.sides["left"].load.wrench.f_g[held, 2] > 20).all()
    (far,) = [note for note in result.notes if note.code == "assignment_far"]
    assert far.side == "left" and " cm from that foot" in far.text and "assignment_against" not in far.text
    assert (result.verdict.sides["left"], result.verdict.trial) == ("do not use", "do not use")
    assert result.verdict.sides["right"] != "do not use"
    (reason,) = [r for r in result.verdict.reasons if r.code == "assignment_far"]
    assert reason.side == "left" and "leave out --assign" in reason.cure


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (ByHand("left", (9,)), "plate 9 is not there"),
        (ByHand("left", (1,), 1, 20), "carries nothing in the frames"),
        (ByHand("left", (1,), 1, 9999), "frame 9999 is not in the trial"),
    ],
)
def test_an_assignment_that_cannot_be_is_refused(made, given: ByHand, reason: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TrialError, match=reason):
        run(made("crossing")[0], (given,))


# --- assigned in Nexus ---------------------------------------------------------------------------------------


def assigned(trial: Trial, *feet: str) -> Trial:
    """What an operator says of plates 1, 2, …"""
    words = [Assignment(i, foot, f"FP{i} in x.enf", declared=True) for i, foot in enumerate(feet, 1) if foot]
    return replace(trial, assignments=tuple(words))


@pytest.mark.parametrize("name", ["walk", "shared_plate", "over_edge", "across_plates", "stop", "split_belt"])
@pytest.mark.parametrize("foot", ["left", "right"])
def test_no_known_load_is_wrong_whatever_an_operator_says(name: str, foot: str, made) -> None:  # type: ignore[no-untyped-def]
    trial, _, wrenches = made(name)
    result = run(assigned(trial, *[foot] * len(trial.plates)))
    for side, leg in result.sides.items():
        off = np.linalg.norm(leg.load.wrench.f_g - force(wrenches, side), axis=1)
        assert np.nanmax(off) < WRONG_N, side


def test_what_is_said_twice_or_of_a_plate_that_is_not_there_is_not_followed(made) -> None:  # type: ignore[no-untyped-def]
    trial, *_ = made("crossing")
    words = assigned(trial, "left", "right", "left")
    twice = replace(words, assignments=(*words.assignments, Assignment(1, "right", "y.enf", declared=True)))
    assert set(twice.declared) == {2, 3}
    result = run(twice)
    assert [c.method[:8] for c in result.contacts if c.plates] == ["plate fo", "assigned"]
    assert [note.text for note in result.notes if note.code == "assignment_unused"] == [
        "FP3 in x.enf: the trial has no plate 3"
    ]


def test_a_plate_that_an_operator_sets_aside_tells_nothing(made) -> None:  # type: ignore[no-untyped-def]
    trial, *_ = made("crossing")
    clean, result = run(trial), run(assigned(trial, "", "none"))
    assert {c.plates for c in result.contacts if c.plates} == {(1,)}
    (aside,) = [c for c in result.contacts if "FP2 in x.enf: not to be used" in c.reason]
    assert aside.side == "right" and not aside.plates
    assert result.verdict.sides["left"] == clean.verdict.sides["left"] == "good"
    assert [note.plates for note in result.notes if note.code == "plate_set_aside"] == [(2,)]
    by_hand = run(assigned(trial, "", "none"), (ByHand("right", (2,)),))
    assert {c.plates for c in by_hand.contacts if c.plates} == {(1,), (2,)}
