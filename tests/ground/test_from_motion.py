"""Loads that no plate tells, from the body's motion: the law on a simulated body, whose loads obey it exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from simulated_trials import simulated

from gaitid.analysis.demand import demand_of
from gaitid.analysis.pipeline import Pipeline, analyse
from gaitid.analysis.result import Result
from gaitid.body.subject import SubjectFile
from gaitid.dynamics.chain import Wrench
from gaitid.ground.claims import find_claims
from gaitid.ground.contacts import AIR, UNKNOWN, FootLoad, Loads
from gaitid.ground.from_motion import Accuracy, Asked, FromMotion, fill_loads
from gaitid.ground.unmeasured import Unmeasured, shared_plates, unmeasured_stances
from gaitid.model.load import load_model
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.rotation import cross
from gaitid.simulate.loads import GRAVITY
from gaitid.simulate.loads import FootLoad as TrueLoad
from gaitid.trial import Array

SIDES = ("left", "right")
#: Of what is asked for exactly: the expectation of stances then tells nothing.
EXACT = Accuracy(1e-3, 1e-3, 0.05, 0.2)
#: Of markers, Hz.
BANDWIDTH = 8.0


@cache
def walked(scenario: str = "walk", turn_deg: float = 0.0) -> Result:
    """A walk with trunk and arms, whose loads are what its motion asks for."""
    one = simulated(scenario, full_body=True, turn_deg=turn_deg)
    return analyse(one.trial, load_model("pig"), SubjectFile())


def weight_of(result: Result) -> float:
    return result.subject.mass_kg * GRAVITY


def hidden(result: Result, *sides: str, turn_deg: float = 0.0) -> tuple[Loads, tuple[Unmeasured, ...]]:
    """The loads without those of some sides, and all unknown stances, pressing where they do."""
    loads = {side: result.loads.by_side[side] for side in SIDES}
    for side in sides:
        unknown = np.where(loads[side].state == AIR, AIR, UNKNOWN)
        nothing = np.where((unknown == AIR)[:, None], np.zeros(3), np.nan)
        loads[side] = FootLoad(unknown, Wrench(nothing, nothing, np.zeros(3)), nothing * np.nan, nothing[:, 0])
    without, pressed = replace(result.loads, by_side=loads), []
    for stance in unmeasured_stances(result.ground, without, events_of(result), find_claims(result.ground)):
        cop = truth("walk", turn_deg)[stance.side].cop_g[stance.frames]
        pressed.append(stance._replace(pressure_g=np.where(np.isfinite(cop), cop, stance.pressure_g)))
    return without, tuple(pressed)


def truth(scenario: str, turn_deg: float = 0.0) -> Mapping[str, TrueLoad]:
    return simulated(scenario, full_body=True, turn_deg=turn_deg).truth.load


def events_of(result: Result) -> dict[tuple[str, str], Array]:
    rate, used = result.trial.rate_hz, result.gait.events.used
    return {
        (side, kind): np.array([e.time_s * rate for e in used if (e.side, e.kind) == (side, kind)])
        for side in SIDES
        for kind in ("strike", "off")
    }


def given(result: Result) -> Wrench:
    """What all plates together gave."""
    wrenches = [result.loads.by_side[side].wrench for side in SIDES]
    force, moment = (np.sum([getattr(of, name) for of in wrenches], axis=0) for name in ("f_g", "m_g"))
    return Wrench(force, moment, np.zeros(3))


def asked_by(result: Result, accuracy: Accuracy = EXACT, scenario: str = "walk", turn_deg: float = 0.0) -> Asked:
    """The true loads of both feet, as markers of some bandwidth show them."""
    loads = truth(scenario, turn_deg)
    force = np.sum([of.force_g for of in loads.values()], axis=0)
    moment = np.sum([np.cross(of.cop_g, of.force_g) for of in loads.values()], axis=0)
    seen = (lowpass(np.nan_to_num(of), BANDWIDTH, result.trial.rate_hz) for of in (force, moment))
    assert result.whole_body is not None
    return Asked(Wrench(*seen, np.zeros(3)), result.whole_body.com_g, accuracy, BANDWIDTH, weight_of(result))


def off(result: Result, filled: FromMotion, side: str) -> Array:
    """(frames, 3) body weights, of the hidden stance on a plate."""
    at = next(contact.loaded for contact in result.contacts if contact.side == side and contact.plates)
    return (filled.by_side[side].wrench.f_g[at] - truth("walk")[side].force_g[at]) / weight_of(result)


def test_the_motion_of_all_segments_asks_for_what_the_feet_take() -> None:
    result = walked()
    found = demand_of(result.body, result.sides, result.whole_body, result.subject.mass_kg, result.gravity_g)
    assert found is not None
    force = found[0].f_g
    known = np.isfinite(force).all(axis=1) & np.isfinite(given(result).f_g).all(axis=1)
    assert np.count_nonzero(known) > 50
    assert np.abs(force - given(result).f_g)[known].max() < 0.005 * weight_of(result)


def test_the_moment_that_is_asked_for_is_that_of_gravity_and_the_change_of_angular_momentum() -> None:
    result = walked()
    found = demand_of(result.body, result.sides, None, result.subject.mass_kg, result.gravity_g)
    assert found is not None
    momentum, weight = np.zeros((2, result.trial.n_frames, 3))
    hips = np.mean([leg.joints_g["hip"] for leg in result.sides.values()], axis=0)
    rest = result.subject.mass_kg - sum(of.mass_kg for leg in result.sides.values() for of in leg.bodies.values())
    parts = [(rest, hips, np.gradient(hips, axis=0) * result.trial.rate_hz, 0.0)]
    for leg in result.sides.values():
        for name, motion in leg.motions.items():
            spin = np.einsum("nij,jk,nlk,nl->ni", motion.R_gs, leg.bodies[name].inertia_s, motion.R_gs, motion.omega_g)
            parts.append((leg.bodies[name].mass_kg, motion.com_g, motion.vel_g, spin))
    for mass, at_g, moves_g, spin_g in parts:
        momentum += mass * np.cross(at_g, moves_g) + spin_g
        weight += np.cross(at_g, mass * result.gravity_g)
    asked = np.gradient(momentum, axis=0) * result.trial.rate_hz - weight
    known = np.isfinite(asked).all(axis=1) & np.isfinite(found[0].m_g).all(axis=1)
    assert known.sum() > 300
    # means over two frames of a curve at 100 Hz
    assert np.abs(found[0].m_g - asked)[known][5:-5].max() < 0.01 * np.abs(asked[known]).max()


@pytest.mark.parametrize("side", SIDES)
def test_a_hidden_load_is_found_again(side: str) -> None:
    result = walked()
    loads, stances = hidden(result, side)
    filled = fill_loads(result.ground, loads, asked_by(result), stances)
    known = off(result, filled, side)
    assert len(known) > 50
    # what strikes faster than the markers hold is not told
    assert np.sqrt(np.mean(known**2)) < 0.03
    assert np.quantile(np.abs(known), 0.8) < 0.01


def test_both_feet_together_give_what_the_motion_asks_for() -> None:
    result = walked()
    loads, stances = hidden(result, *SIDES)
    asked = asked_by(result)
    filled = fill_loads(result.ground, loads, asked, stances)
    total = sum(np.nan_to_num(filled.by_side[side].wrench.f_g) for side in SIDES)
    apart = (lowpass(total, BANDWIDTH, result.trial.rate_hz) - asked.wrench.f_g) / weight_of(result)
    stands = [contact.loaded for contact in result.contacts if contact.plates]
    both = slice(max(of.start for of in stands), min(of.stop for of in stands))
    assert both.stop - both.start >= 5
    # events by the markers are off by a frame
    assert np.abs(apart[both]).max() < 0.08
    assert np.abs(apart[both.stop + 10 : both.stop + 40]).max() < 0.005


def test_two_feet_on_one_plate_share_what_it_measured() -> None:
    result = walked("shared_plate")
    claims = find_claims(result.ground)
    plates = shared_plates(result.ground, claims)
    assert [plate.number for plate in plates] == [1]
    stances = [
        of
        for of in unmeasured_stances(result.ground, result.loads, events_of(result), claims)
        if plates[0].frames[of.frames].any()
    ]
    asked = asked_by(result, Accuracy(0.06, 0.06, 0.05, 0.2), "shared_plate")
    filled = fill_loads(result.ground, result.loads, asked, stances, plates)
    at = np.flatnonzero(plates[0].frames & filled.estimated["left"] & filled.estimated["right"])
    assert len(at) > 5
    both = sum(filled.by_side[side].wrench.f_g[at] for side in SIDES)
    turned = sum(filled.by_side[side].wrench.m_g[at] for side in SIDES)
    assert np.abs(both - plates[0].f_g[at]).max() < 0.02 * weight_of(result)
    # up × m: where both press together
    up_g = np.broadcast_to(result.ground.floor.up_g, both.shape)  # type: ignore[union-attr]
    apart = cross(up_g, turned - plates[0].m_g[at]) / weight_of(result)
    assert np.abs(apart).max() < 0.02
    for side in SIDES:
        true = truth("shared_plate")[side].force_g[at]
        assert np.sqrt(np.mean((filled.by_side[side].wrench.f_g[at] - true) ** 2)) < 0.1 * weight_of(result)


def test_turning_the_laboratory_turns_the_loads() -> None:
    there, turned = walked(), walked(turn_deg=70.0)
    loads = {}
    for result, turn_deg in ((there, 0.0), (turned, 70.0)):
        without, stances = hidden(result, *SIDES, turn_deg=turn_deg)
        loads[result] = fill_loads(result.ground, without, asked_by(result, turn_deg=turn_deg), stances).by_side
    angle = np.radians(70.0)
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    for side in SIDES:
        one, other = (loads[result][side].wrench.f_g for result in (there, turned))
        known = np.isfinite(one).all(axis=1)
        assert known.sum() > 100
        assert np.abs(one[known] @ R.T - other[known]).max() < 0.01 * weight_of(there)


def test_no_foot_pulls_at_the_ground_or_holds_more_than_a_floor() -> None:
    result = walked()
    loads, stances = hidden(result, *SIDES)
    asked = asked_by(result)
    wild = replace(asked, wrench=Wrench(asked.wrench.f_g * [6.0, 6.0, 1.0], asked.wrench.m_g, np.zeros(3)))
    for one in fill_loads(result.ground, loads, wild, stances).stances:
        upward = one.force_g[:, 2]
        assert upward.min() >= 0.0
        assert (np.linalg.norm(one.force_g[:, :2], axis=1) <= 0.8 * upward + 1e-9).all()


def test_what_a_plate_measured_of_half_a_foot_is_the_least() -> None:
    pipeline = Pipeline(trial=simulated("over_edge").trial, model=load_model("pig"), estimate_loads=True)
    result = pipeline.make_all().result
    assert result.estimate is not None
    assert result.estimate.loads is not None
    stances = [one for one in result.estimate.loads.stances if (one.stance.least_N > 100).any()]
    assert stances
    for one in stances:
        assert (one.force_g @ result.ground.floor.up_g >= one.stance.least_N - 1e-9).all()
