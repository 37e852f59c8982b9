"""What the body's motion asks of the ground: Newton for the whole body, on motions whose force is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.centre_of_mass import acceleration_of_body
from gaitid.body.subject import SubjectFile
from gaitid.ground.balance import WINDOW, Balance, means_over_window, support_of
from gaitid.ground.by_hand import ByHand
from gaitid.model.load import load_model

RATE, G = 100.0, 9.81
UP = np.array([0.0, 0.0, 1.0])
WEIGHT = 700.0


def moving(acceleration_g: np.ndarray) -> Balance:
    """Of a body with that acceleration, (frames, 3)."""
    return Balance(acceleration_g + G * UP, UP, G, RATE)


def lacking(balance: Balance, force_g: np.ndarray, frames: np.ndarray, axis_g: np.ndarray = UP) -> np.ndarray:
    """How much less was given than asked, means over the window."""
    return means_over_window(balance.lacks(force_g, axis_g, WEIGHT), frames, balance.rate_hz)


def test_who_stands_still_asks_for_the_weight_and_who_flies_for_nothing() -> None:
    everywhere = np.ones(50, dtype=bool)
    still, falling = moving(np.zeros((50, 3))), moving(np.tile(-G * UP, (50, 1)))
    force = np.tile(WEIGHT * UP, (50, 1))
    assert lacking(still, force, everywhere) == pytest.approx(np.zeros(50), abs=1e-12)
    for axis in np.eye(3):
        assert lacking(falling, 0 * force, everywhere, axis) == pytest.approx(np.zeros(50), abs=1e-12)
    assert lacking(still, 0.75 * force, everywhere) == pytest.approx(np.full(50, 0.25), abs=1e-12)


def test_means_are_impulse_over_momentum() -> None:
    """Of a body that bounces: the mean force over the window is the change of velocity over it, and the weight."""
    time = np.arange(200) / RATE
    omega = 2 * np.pi * 2.0
    velocity = 0.3 * np.sin(omega * time)
    balance = moving(np.outer(0.3 * omega * np.cos(omega * time), UP))
    asked = lacking(balance, np.zeros((200, 3)), np.ones(200, dtype=bool))
    half = round(WINDOW * RATE / 2)
    change = (velocity[2 * half :] - velocity[: -2 * half]) / WINDOW / G + 1.0
    # the trapezoids of a sine of 2 Hz at 100 Hz: (ω h)² / 12 = 0.0013 of 0.38 body weights
    assert asked[half:-half] == pytest.approx(change, abs=1e-3)


def test_a_run_of_frames_is_not_mixed_with_what_lies_beside() -> None:
    """A load that is not to be compared beside the run leaves its means alone; a run shorter than 0.1 s has none."""
    force = np.tile(WEIGHT * UP, (100, 1))
    force[40:] *= 3
    frames = np.zeros(100, dtype=bool)
    frames[10:40] = True
    frames[60:65] = True
    lacks = lacking(moving(np.zeros((100, 3))), force, frames)
    assert lacks[10:40] == pytest.approx(np.zeros(30), abs=1e-12)
    assert np.isnan(lacks[~frames]).all()
    assert np.isnan(lacks[60:65]).all()


def test_what_a_foot_lost_is_its_mean_over_single_support() -> None:
    alone = np.zeros(60, dtype=bool)
    alone[10:50] = True
    given = np.tile(WEIGHT * UP, (60, 1))
    given[10:30] *= 0.8
    still = moving(np.zeros((100, 3)))
    support = support_of(still, slice(20, 80), alone, (given, given), WEIGHT)
    assert support.tells
    assert support.lost == pytest.approx(0.1, abs=1e-12)
    assert len(support.lacking) == 60
    assert np.nanmax(support.lacking) == pytest.approx(0.2, abs=1e-12)
    short = np.zeros(60, dtype=bool)
    short[10:20] = True
    assert not support_of(still, slice(20, 80), short, (given, given), WEIGHT).tells


@pytest.mark.parametrize("turn_deg", [0.0, 130.0])
def test_a_simulated_walk_asks_for_the_force_that_it_has(simulated: Callable[..., object], turn_deg: float) -> None:
    """Upward; forward and sideways its loads are a pattern of their own, not the momentum of the simulated body.

    Tolerance: 0.06 of body weight, what clean stances of recorded walks show.
    """
    sim = simulated(turn_deg=turn_deg)
    result = analyse(sim.trial, load_model("pig"), SubjectFile())  # type: ignore[attr-defined]
    balance = Balance(acceleration_of_body(result.body) - result.gravity_g, UP, G, RATE)
    truth = sum(load.force_g for load in sim.truth.load.values())  # type: ignore[attr-defined]
    lacks = balance.lacks(truth, UP, result.subject.mass_kg * G)
    means = means_over_window(lacks, np.ones(len(lacks), dtype=bool), RATE)
    assert np.isfinite(means).sum() > 300
    assert np.nanmax(np.abs(means)) < 0.06


def test_a_body_without_a_leg_says_nothing(simulated: Callable[..., object]) -> None:
    sim = simulated()
    trial = sim.trial  # type: ignore[attr-defined]
    points = trial.points_g.copy()
    for i, label in enumerate(trial.labels):
        if label in ("LTHI", "LKNE", "LTIB", "LANK", "LHEE", "LTOE"):
            points[:, i] = np.nan
    result = analyse(replace(trial, points_g=points), load_model("pig"), SubjectFile())
    assert np.isnan(acceleration_of_body(result.body)).all()


def test_what_is_given_by_hand_wins_over_every_frame(simulated: Callable[..., object]) -> None:
    """A plate whose corners lie 4 cm to the side has frames in which the pressure is doubted; by hand none is."""
    sim = simulated()
    trial = sim.trial  # type: ignore[attr-defined]
    plates = tuple(replace(p, corners_g=p.corners_g + [0.0, 0.3, 0.0]) for p in trial.plates)
    trial = replace(trial, plates=plates)
    model = load_model("pig")
    refused = analyse(trial, model, SubjectFile())
    assert not any(c.plates for c in refused.contacts)
    by_hand = (ByHand("left", (1,)), ByHand("right", (2,)))
    taken = analyse(trial, model, SubjectFile(), by_hand=by_hand)
    for side in ("left", "right"):
        contact = next(c for c in taken.contacts if c.side == side and c.plates)
        states = taken.loads.by_side[side].state[contact.loaded]
        assert (states == 1).all()
        assert contact.confidence == 0.3
        assert "the evidence says otherwise" in contact.reason
    assert {n.side for n in taken.notes if n.code == "assignment_far"} == {"left", "right"}


@pytest.mark.parametrize("named", ["whole trial", "frames above the threshold"])
def test_what_is_rightly_given_by_hand_changes_nothing(simulated: Callable[..., object], named: str) -> None:
    """Also where the user names the frames that contacts.csv shows: the load's last newtons go with them."""
    sim = simulated()
    trial = sim.trial  # type: ignore[attr-defined]
    model = load_model("pig")
    by_evidence = analyse(trial, model, SubjectFile())
    contacts = [c for c in by_evidence.contacts if c.plates]
    frames = [(None, None) if named == "whole trial" else (c.first + 1, c.last + 1) for c in contacts]
    by_hand = tuple(ByHand(c.side, c.plates, *span) for c, span in zip(contacts, frames, strict=True))
    result = analyse(trial, model, SubjectFile(), by_hand=by_hand)
    assert result.verdict.trial == by_evidence.verdict.trial
    assert [(c.side, c.plates, c.first, c.last, c.confidence) for c in result.contacts if c.plates] == [
        (c.side, c.plates, c.first, c.last, c.confidence) for c in contacts
    ]
    assert not any(n.code == "assignment_against" for n in result.notes)
    for side, load in by_evidence.loads.by_side.items():
        assert np.array_equal(result.loads.by_side[side].wrench.f_g, load.wrench.f_g, equal_nan=True)
