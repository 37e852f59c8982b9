"""Controllers: what their errors do is a linear differential equation that can be solved by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from slow import slow_but

from gaitid.dynamics.control import computed_torque, feedforward_pd
from gaitid.dynamics.integration import Environment, Simulation, Torque, integrate
from gaitid.dynamics.joint_space import Friction
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
