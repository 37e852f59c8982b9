"""Forward dynamics: it undoes inverse dynamics, and its motions are those of closed forms and kept quantities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_trees import TILTED, assert_close, random_state, random_tree
from scipy.special import ellipk

from gaitid.dynamics.integration import Environment, Torque, integrate
from gaitid.dynamics.joint_space import Friction, Load, forward, inverse, motion
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.errors import GaitidError, ModelError

seeds = st.integers(0, 2**32 - 1)
Z, ONE, NOWHERE, NOTHING = np.array([0.0, 0.0, 1.0]), np.eye(3), np.zeros(3), np.zeros((3, 3))
INTEGRATED = 1e-10  # rad or m; the integrator keeps 1e-12 a step, over some tens of steps


def free(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.zeros_like(q)


def ball(turn: np.ndarray = ONE) -> JointTree:
    """One asymmetric body on a spherical joint: revolutes about z, y, x with massless bodies between."""
    axes = np.eye(3)[::-1]
    inertia = turn @ np.diag([0.05, 0.03, 0.07]) @ turn.T
    return JointTree(
        tuple(
            Body(name, i - 1, "revolute", axis, ONE, NOWHERE, mass, com, I)
            for i, (name, axis, mass, com, I) in enumerate(
                [
                    ("first", axes[0], 0.0, NOWHERE, NOTHING),
                    ("second", axes[1], 0.0, NOWHERE, NOTHING),
                    ("limb", axes[2], 1.2, np.array([0.1, -0.2, 0.05]), inertia),
                ]
            )
        )
    )


# --- it undoes inverse dynamics ----------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_forward_undoes_inverse(seed: int) -> None:
    """To 1e-11 of the largest: rounding (1e-15) times the condition of M, up to 1e3 for these trees."""
    tree = random_tree(seed)
    q, qd, qdd, _ = random_state(tree, seed)
    law = Friction(viscous=0.3, coulomb=0.7)
    load = Load(seed % len(tree), np.array([30.0, -20.0, 50.0]), np.array([1.0, 4.0, -2.0]), np.array([0.2, 0.1, 0.0]))
    tau = inverse(tree, q, qd, qdd, TILTED, [load])[0] + law.torque(qd)
    assert_close(forward(tree, q, qd, tau, TILTED, law, [load]), qdd, 1e-11)


@settings(max_examples=5, deadline=None)
@given(seeds)
def test_a_simulated_motion_gives_its_torques_back(seed: int) -> None:
    """Simulate, then inverse dynamics on the exact kinematics; and the work of torques and loads is the energy's."""
    tree, rng = random_tree(seed, most=4), np.random.default_rng(seed)
    n, body = len(tree), seed % 2 % len(tree)
    amplitude, law = rng.uniform(-2, 2, n), Friction(viscous=0.5)

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return amplitude * np.cos(3 * t + np.arange(n)) - 5 * q

    def loads(t: float, moved: object = None) -> list[Load]:
        return [Load(body, 3 * np.array([np.cos(t), np.sin(2 * t), 1.0]), np.array([0.2, t, -0.1]), np.ones(3))]

    times = np.linspace(0, 0.5, 6)
    run = integrate(tree, rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), torque, times, Environment(TILTED, law, loads))
    assert run.energy_drift < 1e-10
    for i, t in enumerate(times):
        tau = inverse(tree, run.q[i], run.qd[i], run.qdd[i], TILTED, loads(t))[0] + law.torque(run.qd[i])
        assert_close(tau, run.tau[i], 1e-9)
        np.testing.assert_array_equal(run.tau[i], torque(t, run.q[i], run.qd[i]))


# --- closed forms ------------------------------------------------------------------------------------------


def test_a_mass_thrown_on_a_spring_and_under_a_load() -> None:
    """x = A cos(ω t) about where the load and the spring balance."""
    mass, stiffness, pull = 2.0, 50.0, 7.0
    block = JointTree((Body("block", -1, "prismatic", [1, 0, 0], ONE, NOWHERE, mass, NOWHERE, NOTHING),))
    times = np.linspace(0, 3, 61)
    push = Load(0, np.array([pull, 4.0, -1.0]), np.array([1.0, 2.0, 3.0]), NOWHERE)
    environment = Environment(np.zeros(3), loads=lambda t, moved: [push])
    run = integrate(block, [0.3], [0.0], lambda t, q, qd: -stiffness * q, times, environment)
    rest, omega = pull / stiffness, np.sqrt(stiffness / mass)
    np.testing.assert_allclose(run.q[:, 0], rest + (0.3 - rest) * np.cos(omega * times), rtol=0, atol=INTEGRATED)


def test_the_period_of_a_rod_that_swings_far() -> None:
    """T = 4 √(2 l/3 g) K(sin² θ₀/2): the complete elliptic integral, no small angle."""
    length, start, g = 0.9, 2.5, 9.81
    inertia = np.diag([1.0, 0.0, 1.0]) * 1.5 * length**2 / 12
    rod = JointTree((Body("rod", -1, "revolute", Z, ONE, NOWHERE, 1.5, [0, -length / 2, 0], inertia),))
    period = 4 * np.sqrt(2 * length / (3 * g)) * ellipk(np.sin(start / 2) ** 2)
    run = integrate(rod, [start], [0.0], free, np.array([0, period / 2, period]), Environment(np.array([0, -g, 0])))
    np.testing.assert_allclose(run.q[:, 0], [start, -start, start], rtol=0, atol=INTEGRATED)
    np.testing.assert_allclose(run.qd[:, 0], 0, rtol=0, atol=10 * INTEGRATED)  # rad/s; q̈ is 10 rad/s²


def test_a_limb_on_a_spherical_joint_keeps_its_angular_momentum() -> None:
    """Torque-free about a fixed point: all three components in the laboratory, and the energy, stay."""
    tree = ball()
    run = integrate(tree, [0.3, 0.2, -0.4], [2.0, -0.5, 1.5], free, np.linspace(0, 1.0, 21), Environment(np.zeros(3)))
    moved = motion(tree, run.q, run.qd)
    R, w = moved.R_gb[:, 2], moved.omega_g[:, 2]
    spin = np.einsum("tij,jk,tlk,tl->ti", R, tree.bodies[2].inertia_b, R, w)
    L = spin + tree.bodies[2].mass * np.cross(moved.com_g[:, 2], moved.vel_g[:, 2])
    assert np.abs(run.qd - run.qd[0]).max() > 0.5  # it does not merely spin about one axis
    # 1e-9 of the first: INTEGRATED, times the 1/cos of the middle angle
    assert_close(L, L[0], 1e-9)
    assert run.energy_drift < 1e-10


# --- the unknown, refusals ---------------------------------------------------------------------------------


def test_a_joint_that_moves_nothing_of_its_own_is_named() -> None:
    with pytest.raises(ModelError) as locked:  # the middle angle puts the first axis onto the third
        forward(ball(), np.array([0.0, np.pi / 2, 0.0]), np.zeros(3), np.zeros(3), TILTED)
    line = str(locked.value)
    assert "body first" in line or "body limb" in line
    assert "positive definite" in line and "\n" not in line
    spinning = Body("idle", -1, "revolute", Z, ONE, NOWHERE, 0.0, NOWHERE, NOTHING)
    arm = Body("arm", 0, "revolute", Z, ONE, NOWHERE, 1.0, [0.3, 0, 0], NOTHING)
    with pytest.raises(ModelError, match="body (idle|arm)"):
        forward(JointTree((spinning, arm)), np.zeros(2), np.zeros(2), np.zeros(2), TILTED)


def test_a_motion_that_cannot_be_followed_is_an_error() -> None:
    """ẍ = x³ from 2 m and 2 m/s runs off to infinity before 2 s; and torques that are not numbers, from when on."""
    block = JointTree((Body("block", -1, "prismatic", [1, 0, 0], ONE, NOWHERE, 1.0, NOWHERE, NOTHING),))
    times = np.array([0.0, 0.1, 2.0])

    def unknown_from(start: float) -> Torque:
        return lambda t, q, qd: q * (np.nan if t >= start else 0.0)

    for torque, said in (
        (lambda t, q, qd: q**3, r"no further than 0\.7\d+ s in .* evaluations"),
        (unknown_from(0.5), "no further than the sample at 0.1 s"),
        (unknown_from(0.0), "cannot start"),
    ):
        with np.errstate(all="ignore"), pytest.raises(GaitidError, match=said):
            integrate(block, [2.0], [2.0], torque, times, Environment(TILTED), 1e-6)


# --- what would have no end ----------------------------------------------------------------------------------------


def rod(stiffness: float) -> tuple[JointTree, Torque]:
    inertia = np.diag([0.1, 0.1, 0.001])
    body = Body("rod", -1, "revolute", [0, 1, 0], np.eye(3), np.zeros(3), 1.0, [0, 0, -0.5], inertia)
    return JointTree((body,)), lambda t, q, qd: -stiffness * q - 1e-4 * stiffness * qd
