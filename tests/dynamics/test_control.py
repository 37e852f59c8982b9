"""Controllers: what their errors do is a linear differential equation that can be solved by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from joint_trees import assert_close, slope
from scipy.linalg import expm
from slow import slow_but

from gaitid.dynamics.control import computed_torque, feedforward_pd
from gaitid.dynamics.integration import Environment, Simulation, Torque, integrate
from gaitid.dynamics.joint_space import Friction, gravity_terms, mass_matrix
from gaitid.dynamics.joint_tree import Body, JointTree

GRAVITY = np.array([0.0, -9.81, 0.0])
REST = np.array([0.4, -0.7])


def arm(heavier: float = 1.0) -> JointTree:
    """Two uniform bars, the second of another length."""
    bodies = []
    for i, (mass, length) in enumerate([(1.0 * heavier, 0.4), (0.6 * heavier, 0.3)]):
        inertia = np.diag([1.0, 0.0, 1.0]) * mass * length**2 / 12
        start = np.array([0.0, -0.4 * i, 0.0])
        com = np.array([0.0, -length / 2, 0.0])
        bodies.append(Body(f"bar {i}", i - 1, "revolute", np.array([0, 0, 1.0]), np.eye(3), start, mass, com, inertia))
    return JointTree(tuple(bodies))


def wave(t: float) -> tuple[np.ndarray, ...]:
    """A motion with its exact rates."""
    a, w, p = np.array([0.8, 0.5]), np.array([3.0, 5.0]), np.array([0.2, 1.0])
    return REST + a * np.sin(w * t + p), a * w * np.cos(w * t + p), -a * w * w * np.sin(w * t + p)


def hold(t: float) -> tuple[np.ndarray, ...]:
    return REST, np.zeros(2), np.zeros(2)


def tracked(
    torque: Torque, times: np.ndarray, q0: np.ndarray, qd0: np.ndarray, law: Friction | None = None
) -> Simulation:
    return integrate(arm(), q0, qd0, torque, times, Environment(GRAVITY, law))


@pytest.mark.parametrize("controller", [feedforward_pd, computed_torque])
@pytest.mark.parametrize("seconds", slow_but([0.2], [0.2, 0.5]))
def test_a_true_model_stays_on_the_desired_motion(seconds: float, controller: Callable[..., Torque]) -> None:
    times, law = np.linspace(0, seconds, 11), Friction(viscous=0.2)
    torque = controller(arm(), wave, 20.0, 0.5, GRAVITY, law)
    run = tracked(torque, times, *wave(0.0)[:2], law)
    desired = np.array([wave(t)[0] for t in times])
    np.testing.assert_allclose(run.q, desired, rtol=0, atol=1e-10)  # rad; the integrator at 1e-12 a step


def test_computed_torque_errors_decay_joint_by_joint_however_large() -> None:
    """ë + 2 λ ė + λ² e = 0 from rest: e = e₀ (1 + λ t) exp(−λ t), its own λ for each joint."""
    rates, e0, times = np.array([4.0, 9.0]), np.array([1.2, -0.8]), np.linspace(0, 2, 41)
    torque = computed_torque(arm(), wave, rates**2, 2 * rates, GRAVITY)
    q_d, qd_d, _ = wave(0.0)
    run = tracked(torque, times, q_d - e0, qd_d)
    e = np.array([wave(t)[0] for t in times]) - run.q
    decay = np.multiply.outer(times, rates)
    np.testing.assert_allclose(e, e0 * (1 + decay) * np.exp(-decay), rtol=0, atol=1e-10)  # rad


def test_feedforward_errors_decay_as_the_linearised_arm_does() -> None:
    """M ë + (kd + v) ė + (kp + ∂G/∂q) e = 0 about a posture that is held; e of 1e-5 rad, so 1e-10 is left out."""
    kp, kd, v = np.array([15.0, 6.0]), np.array([1.0, 0.3]), 0.1
    e0, times = np.array([1e-5, -2e-5]), np.linspace(0, 1.5, 16)
    torque = feedforward_pd(arm(), hold, kp, kd, GRAVITY, Friction(viscous=v))
    run = tracked(torque, times, REST - e0, np.zeros(2), Friction(viscous=v))
    M = mass_matrix(arm(), REST)
    dG = np.stack([slope(lambda h, x=x: gravity_terms(arm(), REST + h * x, GRAVITY)) for x in np.eye(2)], axis=1)
    system = np.block(
        [[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, np.diag(kp) + dG), -np.linalg.solve(M, np.diag(kd + v))]]
    )
    expected = np.array([(expm(system * t) @ np.append(e0, [0, 0]))[:2] for t in times])
    assert np.abs(expected[-1]).max() < 0.1 * np.abs(e0).max()  # it has decayed
    np.testing.assert_allclose(REST - run.q, expected, rtol=0, atol=1e-9)  # rad


@pytest.mark.slow
def test_without_feedback_a_wrong_start_is_not_put_right() -> None:
    """The control: with kp = kd = 0 the same small error lives on (the arm swings about a hanging posture)."""
    torque = feedforward_pd(arm(), lambda t: (np.zeros(2),) * 3, 0.0, 0.0, GRAVITY)
    run = tracked(torque, np.linspace(0, 5, 101), np.array([1e-3, 0.0]), np.zeros(2))
    assert np.abs(run.q[-40:]).max() > 5e-4  # rad; nothing takes its energy
    assert run.energy_drift < 1e-8


def test_a_wrong_model_leaves_the_error_that_its_gravity_is_wrong_by() -> None:
    """At rest M̂ kp e = G(q) − Ĝ(q): what the model (here 20 % too heavy) does not know, the springs hold."""
    model, kp = arm(heavier=1.2), 100.0
    torque = computed_torque(model, hold, kp, 20.0, GRAVITY)
    run = tracked(torque, np.array([0.0, 6.0]), REST, np.zeros(2))
    q = run.q[-1]
    missing = gravity_terms(arm(), q, GRAVITY) - gravity_terms(model, q, GRAVITY)
    assert np.abs(run.q[-1] - REST).max() > 0.01  # rad: the error is there
    assert_close(mass_matrix(model, q) @ (kp * (REST - q)), missing, 1e-9)
