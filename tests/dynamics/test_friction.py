"""Joint friction: the three laws, and what they do to a sliding mass in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaitid.dynamics.integration import Environment, integrate
from gaitid.dynamics.joint_space import Friction
from gaitid.dynamics.joint_tree import Body, JointTree

MASS = 2.0  # kg
SLIDER = JointTree((Body("block", -1, "prismatic", [1, 0, 0], np.eye(3), np.zeros(3), MASS, np.zeros(3), np.eye(3)),))
LEVEL = np.array([0.0, 0.0, -9.81])
rates = st.floats(-10, 10)


def free(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.zeros(1)


def test_the_laws_joint_by_joint() -> None:
    qd = np.array([2.0, -3.0, 0.0])
    np.testing.assert_allclose(Friction(viscous=[0.1, 0.2, 0.3]).torque(qd), [0.2, -0.6, 0.0])
    np.testing.assert_allclose(Friction(coulomb=0.5).torque(qd), [0.5, -0.5, 0.0])
    np.testing.assert_allclose(Friction(viscous=0.1, coulomb=0.5).torque(qd), [0.7, -0.8, 0.0])
    assert Friction(viscous=0.1).torque(np.zeros((4, 5, 3))).shape == (4, 5, 3)


@given(rates, st.floats(0, 3), st.floats(0, 3), st.sampled_from([0.0, 0.01, 1.0]))
def test_friction_never_drives(rate: float, viscous: float, coulomb: float, smoothing: float) -> None:
    """It takes power, and turns round with the motion."""
    law = Friction(viscous, coulomb, smoothing)
    assert law.torque(np.array([rate]))[0] * rate >= 0
    assert law.torque(np.array([-rate]))[0] == -law.torque(np.array([rate]))[0]


def test_coulomb_friction_slows_at_a_constant_rate() -> None:
    """v = v₀ − c t/m until it stops at v₀ m/c = 0.75 s; looked at before."""
    c, v0, times = 4.0, 1.5, np.linspace(0, 0.7, 8)
    run = integrate(SLIDER, [0.0], [v0], free, times, Environment(LEVEL, Friction(coulomb=c)))
    np.testing.assert_allclose(run.qd[:, 0], v0 - c * times / MASS, rtol=0, atol=1e-12)


def spring(stiffness: float, rest: float = 0.0) -> object:
    return lambda t, q, qd: stiffness * (rest - q)


def test_a_block_on_a_spring_loses_the_same_length_at_every_turn_and_sticks() -> None:
    """Each half swing ends 2 c/k nearer (Den Hartog 1931), and the turn that the spring cannot leave is the end."""
    c, k, x0 = 1.0, 50.0, 0.2
    law, half = Friction(coulomb=c, static=1.5), np.pi * np.sqrt(MASS / k)
    times, fine = np.arange(0, 9) * half, np.arange(0, 65) * half / 8
    run = integrate(SLIDER, [x0], [0.0], spring(k), fine, Environment(LEVEL, law))
    # m: 0.2, −0.16, 0.12, −0.08, 0.04, then −0 .. where k x = 2 > 1.5 still slides, and k 0.0 sticks
    expected = [x0]
    while k * abs(expected[-1]) > 1.5 and len(expected) < times.size:
        expected.append(-np.sign(expected[-1]) * (abs(expected[-1]) - 2 * c / k))
    expected += [expected[-1]] * (times.size - len(expected))
    np.testing.assert_allclose(run.q[::8, 0], expected, rtol=0, atol=1e-10)
    assert expected[-1] == pytest.approx(0.0)
    assert run.qd[-1, 0] == 0.0
    assert run.energy_drift < 1e-11


def test_of_two_joints_one_sticks_while_the_other_slides() -> None:
    """A block on a cart: the cart is pushed, the block sticks to it until its inertia is more than friction bears."""
    cart = Body("cart", -1, "prismatic", [1, 0, 0], np.eye(3), np.zeros(3), 3.0, np.zeros(3), np.eye(3))
    block = Body("block", 0, "prismatic", [1, 0, 0], np.eye(3), np.zeros(3), 1.0, np.zeros(3), np.eye(3))
    law = Friction(coulomb=[0, 2.0], static=[0, 2.5])
    for push, a_cart, a_block in ((8.0, 2.0, 2.0), (14.0, (14 - 2) / 3, 2.0)):
        times = np.linspace(0, 0.5, 11)
        tree = JointTree((cart, block))
        run = integrate(tree, [0, 0], [0, 0], lambda t, q, qd, f=push: np.array([f, 0]), times, Environment(LEVEL, law))
        np.testing.assert_allclose(run.q[:, 0], a_cart * times**2 / 2, rtol=0, atol=1e-11)
        np.testing.assert_allclose(run.q.sum(axis=1), a_block * times**2 / 2, rtol=0, atol=1e-11)
