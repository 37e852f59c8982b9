"""Joint friction: the three laws, and what they do to a sliding mass in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaitid.dynamics.integration import Environment, integrate
from gaitid.dynamics.joint_space import Friction, forward
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.errors import ModelError

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


def test_smoothing_is_near_the_sign_from_four_times_its_rate_on() -> None:
    exact, smooth = Friction(coulomb=1.0), Friction(coulomb=1.0, smoothing=0.01)
    qd = np.array([0.04, -0.05, 1.0, 0.0])
    np.testing.assert_allclose(smooth.torque(qd), exact.torque(qd), atol=1e-3)  # N·m; as documented, 0.1 %


def test_viscous_friction_alone_decays_exponentially() -> None:
    """m v̇ = −b v: v = v₀ exp(−b t/m), and the mass comes v₀ m/b far."""
    b, v0, times = 3.0, 1.5, np.linspace(0, 4, 41)
    run = integrate(SLIDER, [0.0], [v0], free, times, Environment(LEVEL, Friction(viscous=b)))
    expected = v0 * np.exp(-b * times / MASS)
    # 1e-10 m/s: an integrator at 1e-12 over some forty steps
    np.testing.assert_allclose(run.qd[:, 0], expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.q[:, 0], (v0 - expected) * MASS / b, rtol=0, atol=1e-10)
    assert run.energy_drift < 1e-10  # its work is counted


def test_coulomb_friction_slows_at_a_constant_rate() -> None:
    """v = v₀ − c t/m until it stops at v₀ m/c = 0.75 s; looked at before."""
    c, v0, times = 4.0, 1.5, np.linspace(0, 0.7, 8)
    run = integrate(SLIDER, [0.0], [v0], free, times, Environment(LEVEL, Friction(coulomb=c)))
    np.testing.assert_allclose(run.qd[:, 0], v0 - c * times / MASS, rtol=0, atol=1e-12)


def test_smoothed_coulomb_friction_lets_it_stop_and_stay() -> None:
    environment = Environment(LEVEL, Friction(coulomb=4.0, smoothing=1e-3))
    run = integrate(SLIDER, [0.0], [1.5], free, np.array([0.0, 0.76, 1.5]), environment, 1e-9)
    # v₀² m/(2 c) to within a few times smoothing · stopping time (1e-3 m/s · 0.75 s)
    assert run.q[-1, 0] == pytest.approx(1.5**2 * MASS / 8, abs=3e-3)
    assert abs(run.qd[-1, 0]) < 1e-6  # m/s


def test_hybrid_friction_decays_towards_a_rate_that_it_never_reaches() -> None:
    """m v̇ = −b v − c: v = (v₀ + c/b) exp(−b t/m) − c/b until it stops at m/b ln(1 + b v₀/c) = 0.503 s."""
    b, c, v0, times = 3.0, 4.0, 1.5, np.linspace(0, 0.5, 26)
    run = integrate(SLIDER, [0.0], [v0], free, times, Environment(LEVEL, Friction(viscous=b, coulomb=c)))
    assert MASS / b * np.log(1 + b * v0 / c) > times[-1]  # looked at before
    decay = np.exp(-b * times / MASS)
    np.testing.assert_allclose(run.qd[:, 0], (v0 + c / b) * decay - c / b, rtol=0, atol=1e-11)  # m/s
    way = (v0 + c / b) * (1 - decay) * MASS / b - c / b * times
    np.testing.assert_allclose(run.q[:, 0], way, rtol=0, atol=1e-11)  # m
    assert run.energy_drift < 1e-11  # its work is counted


def test_hybrid_friction_in_the_equation_of_motion() -> None:
    law = Friction(viscous=3.0, coulomb=4.0)
    qdd = forward(SLIDER, np.zeros(1), np.array([-2.0]), np.array([1.0]), LEVEL, law)
    assert qdd[0] == pytest.approx((1.0 + 3.0 * 2.0 + 4.0) / MASS, rel=1e-14)


@pytest.mark.parametrize("wrong", [{"viscous": -0.1}, {"coulomb": [0.1, -0.2]}, {"smoothing": np.nan}])
def test_friction_that_drives_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ModelError, match=next(iter(wrong))):
        Friction(**wrong)


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


def test_stick_and_slip_on_a_belt_that_is_pulled() -> None:
    """A block on a spring whose end moves at v: it sticks until k v t = static, slips, and sticks again.

    While it slips x̃ = x − v t obeys m ẍ̃ + k x̃ = −c about −c/k, from −s/k at rate −v: the harmonic motion below.
    """
    c, s, k, v = 2.0, 3.0, 80.0, 0.1
    law = Friction(coulomb=c, static=s)
    times = np.linspace(0, 1.2, 481)
    run = integrate(SLIDER, [0.0], [0.0], lambda t, q, qd: k * (v * t - q), times, Environment(LEVEL, law))
    breaks = s / (k * v)
    sticking = times < breaks - 1e-9
    assert not run.qd[sticking].any()
    np.testing.assert_allclose(run.friction[sticking, 0], -k * v * times[sticking], rtol=0, atol=1e-12)
    w = np.sqrt(k / MASS)
    t_slip = 2 / w * (np.pi - np.arctan2((s - c) * w, k * v))  # until it has the speed 0 again
    slides = (times > breaks) & (times < breaks + t_slip)
    u = times[slides] - breaks
    # x̃ + c/k = a cos wu + b sin wu
    a, b = -(s - c) / k, -v / w
    x = v * times[slides] - c / k + a * np.cos(w * u) + b * np.sin(w * u)
    np.testing.assert_allclose(run.q[slides, 0], x, rtol=0, atol=1e-10)
    again = (times > breaks + t_slip) & (times < breaks + t_slip + 0.01)
    assert again.any()
    assert not run.qd[again].any()


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


def test_static_friction_below_coulomb_is_refused() -> None:
    with pytest.raises(ModelError, match="friction: static"):
        Friction(coulomb=2.0, static=1.0)
