"""Each constraint by itself: Φq q̇, ν and γ against derivatives of Φ along motions, loads against virtual power.

Derivatives are those of a Chebyshev series through Φ at 25 instants of a smooth motion: exact to rounding, which the
second derivative magnifies by some 1e5 (Trefethen 2000, Spectral Methods in MATLAB, ch. 6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.chebyshev import Chebyshev

from gaitid.mechanism.body import Formula, Pose, Sine, cross, dot, poses_of
from gaitid.mechanism.constraints import (
    Constraint,
    DoubleRevolute,
    GearMesh,
    GearPair,
    GearPairOnLink,
    Ground,
    Parallel,
    PinInSlot,
    RelativeAngleDriver,
    RelativePositionDriver,
    Revolute,
)

# Sizes are of 1 m and 1 rad, rates of 1/s.
FIRST, SECOND = 1e-9, 1e-6
ROUNDING = 1e-12
seeds = st.integers(0, 2**32 - 1)
HISTORY = Formula((0.3, -0.7, 0.2), (Sine(0.4, 0.3, 0.5),))


def make(kind: type[Constraint], rng: np.random.Generator) -> Constraint:
    points = {"s_i": rng.normal(size=2), "s_j": rng.normal(size=2)}
    vector = rng.normal(size=2)
    count = {GearPairOnLink: 3, Ground: 1}.get(kind, 2)
    # bodies in any order, the ground (0) among them where there are two
    bodies = tuple(rng.permutation([1, 2, 3] if count != 2 else [0, 1, 2])[:count].tolist())
    own = {
        Revolute: points,
        DoubleRevolute: points | {"length": 0.7},
        Parallel: {"a_i": vector, "a_j": rng.normal(size=2)},
        PinInSlot: points | {"a_i": vector},
        GearPair: {"ratio": rng.normal(), "constant": rng.normal()},
        GearPairOnLink: {"ratio": rng.normal(), "constant": rng.normal()},
        # of unlike sizes: whole turns of the line of centres, of which Φ knows nothing, are far apart
        GearMesh: points
        | {"radii": rng.uniform([0.2, 3.0], [0.5, 4.0]), "sense": rng.choice([-1.0, 1.0]), "constant": 0.0},
        Ground: {"pose": rng.normal(size=3)},
        RelativeAngleDriver: {"history": HISTORY, "constant": rng.normal()},
        RelativePositionDriver: points | {"a_i": vector / np.hypot(*vector), "history": HISTORY},
    }
    return kind(name="it", bodies=bodies, **own[kind])


KINDS = (
    Revolute,
    DoubleRevolute,
    Parallel,
    PinInSlot,
    GearPair,
    GearPairOnLink,
    GearMesh,
    Ground,
    RelativeAngleDriver,
    RelativePositionDriver,
)
all_kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


class Moving:
    """Three bodies along a parabola in time, and one constraint on them."""

    def __init__(self, kind: type[Constraint], seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.rng, self.constraint = rng, make(kind, rng)
        self.q0, self.qd0, self.qdd0 = rng.normal(size=(3, 9))
        if kind is GearMesh:  # apart, so that the line of centres has a direction, and nearly in mesh
            self.q0 += [9, 0, 0, 0, 9, 0, 0, 0, 0]
            off = float(self.constraint.residual(self.poses(np.array(0.0)), np.array(0.0))[0])
            self.constraint = replace(self.constraint, constant=off + rng.uniform(-0.1, 0.1))

    def q(self, t: np.ndarray) -> np.ndarray:
        s = t[..., None]
        return self.q0 + s * self.qd0 + s**2 / 2 * self.qdd0

    def poses(self, t: np.ndarray) -> list[Pose]:
        everything = poses_of(self.q(t))
        return [everything[b] for b in self.constraint.bodies]

    def times_velocity(self, velocity: np.ndarray) -> np.ndarray:
        """Φq times a velocity of all bodies, at t = 0."""
        result = np.zeros(len(self.constraint.units))
        for body, J in zip(self.constraint.bodies, self.constraint.jacobian(self.poses(np.array(0.0))), strict=True):
            if body:
                result += J @ velocity[3 * body - 3 : 3 * body]
        return result

    def derivatives(self, function: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """First and second at t = 0 of a function of time."""
        t = 0.4 * np.cos(np.pi * (np.arange(25) + 0.5) / 25)
        series = [Chebyshev.fit(t, y, 24, domain=[-0.4, 0.4]) for y in function(t).T]
        return np.array([s.deriv()(0.0) for s in series]), np.array([s.deriv(2)(0.0) for s in series])


@all_kinds
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_velocity_and_acceleration_rows_are_the_derivatives_of_phi(kind: type[Constraint], seed: int) -> None:
    moving = Moving(kind, seed)
    c, zero = moving.constraint, np.array(0.0)
    first, second = moving.derivatives(lambda t: c.residual(moving.poses(t), t))
    everything = poses_of(moving.q0, moving.qd0, np.zeros(9))
    gamma = c.gamma([everything[b] for b in c.bodies], zero)
    # dΦ/dt = Φq q̇ − ν and d²Φ/dt² = Φq q̈ − γ
    scale = 1 + np.abs(second).max()
    assert np.allclose(moving.times_velocity(moving.qd0) - c.course(zero, 1), first, rtol=0, atol=FIRST * scale)
    assert np.allclose(moving.times_velocity(moving.qdd0) - gamma, second, rtol=0, atol=SECOND * scale)


@all_kinds
@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_power_of_the_loads_is_that_of_the_multipliers(kind: type[Constraint], seed: int) -> None:
    """Σ F · v_P + T φ̇ over the bodies = −λᵀ Φq q̇: zero for every velocity that keeps Φ = 0, and −λ ḟ for a driver's."""
    moving = Moving(kind, seed)
    c, everything = moving.constraint, poses_of(moving.q0, moving.qd0)
    poses = [everything[b] for b in c.bodies]
    multipliers = moving.rng.normal(size=len(c.units))
    power = 0.0
    for pose, s, (force, torque, point) in zip(poses, c.points(), c.loads(poses, multipliers), strict=True):
        place, velocity = pose.point(s).d
        assert np.allclose(point, place, rtol=0, atol=ROUNDING)
        power += float(force @ velocity + torque * pose.phi.d[1])
    assert power == pytest.approx(float(-multipliers @ moving.times_velocity(moving.qd0)), abs=1e-11)


# --- as printed by Sommer ----------------------------------------------------------------------------------


def at_rest(c: Constraint, q: np.ndarray, multipliers: list[float]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    everything = poses_of(q)
    return c.loads([everything[b] for b in c.bodies], np.array(multipliers))


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_printed_loads_of_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, points = rng.normal(size=9), {"bodies": (1, 2), "s_i": rng.normal(size=2), "s_j": rng.normal(size=2)}
    _, i, j, _ = poses_of(q)
    d = (j.point(points["s_j"]) - i.point(points["s_i"])).value
    (F_i, T_i, _), (F_j, T_j, _) = at_rest(Revolute(name="it", **points), q, [3.0, -5.0])
    assert np.allclose(F_i, [3, -5]) and np.allclose(F_j, [-3, 5])
    assert np.allclose([T_i, T_j], 0, atol=ROUNDING)
    (F_i, T_i, _), (F_j, T_j, _) = at_rest(DoubleRevolute(name="it", length=1.0, **points), q, [3.0])
    assert np.allclose(F_i, 6 * d) and np.allclose(F_j, -6 * d)
    assert np.allclose([T_i, T_j], 0, atol=1e-11)
    a = rng.normal(size=2)
    slot = PinInSlot(name="it", a_i=a, **points)
    (F_i, T_i, P_i), (F_j, T_j, P_j) = at_rest(slot, q, [3.0])
    x, y = along = i.turned(a).value
    assert np.allclose(F_i, [-3 * y, 3 * x]) and np.allclose(F_j, -F_i)
    # on i it acts at the pin: moved there from i's own point its torque is none
    assert float(T_i + cross(P_i - P_j, F_i)) == pytest.approx(0, abs=1e-11)
    assert T_i == pytest.approx(3 * float(dot(along, d)), abs=1e-11)
    assert T_j == pytest.approx(0, abs=1e-11)


def test_printed_torques_of_angles() -> None:
    q = np.arange(9.0)
    drive = RelativeAngleDriver(name="it", bodies=(1, 2), history=HISTORY)
    assert [float(T) for _, T, _ in at_rest(drive, q, [2.0])] == [2.0, -2.0]
    gears = GearPair(name="it", bodies=(1, 2), ratio=-1.5, constant=0.0)
    assert [float(T) for _, T, _ in at_rest(gears, q, [2.0])] == [-3.0, -2.0]
    on_link = GearPairOnLink(name="it", bodies=(1, 2, 3), ratio=-1.5, constant=0.0)
    assert [float(T) for _, T, _ in at_rest(on_link, q, [2.0])] == [-3.0, -2.0, 5.0]
