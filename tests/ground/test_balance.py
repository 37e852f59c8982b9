"""What the body's motion asks of the ground: Newton for the whole body, on motions whose force is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gaitid.analysis.pipeline import analyse
from gaitid.body.subject import SubjectFile
from gaitid.body.upper_body import acceleration_of_body
from gaitid.ground.balance import Balance, means_over_window
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
