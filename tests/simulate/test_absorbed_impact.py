"""A heel strike that the body's inertia takes: the segments are decelerated by it, and the joints give no moment."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from simulated_trials import walk_of
from slow import slow_but

from gaitid.simulate.loads import IMPACT_S
from gaitid.simulate.motion import Yield
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk import Walk
from gaitid.simulate.walk_setup import simulate_walk
from gaitid.trial import Array

BW = 0.4
SAGITTAL = ("hip_extension", "knee_extension", "ankle_plantarflexion", "hip_abduction")


@cache
def walk_with(absorbed: float, name: str = "walk") -> Walk:
    return simulate_walk(WalkSettings(impact_bw=BW, impact_absorbed=absorbed), name)


@cache
def walk_without(name: str = "walk") -> Walk:
    """Without the impact."""
    return walk_of(name)


def strikes(walk: Walk) -> list[tuple[str, float]]:
    return [(s.side, s.on_s) for s in walk.stances if s.on_s > 0.3 and s.off_s < walk.settings.duration - 0.3]


def moments(walk: Walk, side: str, at_s: Array) -> Array:
    """(columns, times), N·m/kg."""
    state = walk.at(at_s)
    return np.stack([state.clinical[f"{side}_{name}_moment_Nm_per_kg"] for name in SAGITTAL])


@pytest.mark.parametrize("name", slow_but(["walk", "turn"], ["walk", "run", "turn", "ramp"]))
def test_the_free_joints_give_no_moment_for_what_the_inertia_takes(name: str) -> None:
    soft = walk_without(name)
    found = strikes(soft)[:2]  # one of each side
    for side, on_s in found:
        at = np.array([on_s + 0.5 * IMPACT_S])
        before = moments(soft, side, at)
        stiff, giving = (np.abs(moments(walk_with(part, name), side, at) - before).max() for part in (0.0, 1.0))
        assert stiff > 0.4  # N·m/kg: all of 0.4 body weights on the lever of the hip
        # what is left is the slow part of the stop, a fifth of the sudden one
        assert giving < 0.35 * stiff
    assert {side for side, _ in found} == {"left", "right"}


def test_the_momentum_that_leg_and_body_lose_is_the_transients_impulse() -> None:
    soft, giving = walk_without(), walk_with(1.0)
    side, on_s = strikes(soft)[0]
    at = on_s + np.array([0.0, IMPACT_S])
    kg = {f"{side}_{segment}": soft.subject.segment_mass_kg(segment) for segment in ("foot", "shank", "thigh")}
    kg["pelvis"] = soft.subject.mass_kg - sum(kg.values())  # the rest of the body, a point
    before, after = ({name: walk.at(at).velocity_g[name] for name in kg} for walk in (soft, giving))
    gained = sum((m * np.diff(after[name] - before[name], axis=0)[0] for name, m in kg.items()), np.zeros(3))
    # what is left of a change of 1 when its slow part is taken off
    share = float(np.diff(Yield(side, on_s + 0.5 * IMPACT_S).course(at, 1).d[1])[0])
    impulse = BW * soft.subject.mass_kg * 9.81 * 1.5 * IMPACT_S / 4  # N·s, of a cubic B-spline
    # N·s; within the transient the leg turns by a few degrees, and the linear answer is that of its middle
    np.testing.assert_allclose(gained, [0.0, 0.0, share * impulse], atol=0.03 * impulse)


def test_the_course_of_giving_way_has_exact_derivatives() -> None:
    given = Yield("left", 0.3)
    times, step = np.linspace(0.15, 0.45, 61), 1e-5
    low, here, high = (given.course(times + shift, 3).d for shift in (-step, 0.0, step))
    for k in range(3):
        # the third derivative of a B-spline is straight between knots: central differences are exact to rounding
        np.testing.assert_allclose((high[k] - low[k]) / (2 * step), here[k + 1], atol=3e-3 * np.abs(here[k + 1]).max())
    np.testing.assert_allclose(here[:, [0, -1]], 0.0, atol=1e-12)
