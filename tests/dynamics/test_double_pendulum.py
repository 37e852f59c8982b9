"""The double pendulum of the matrix document: M q̈ = C + G + Q + E term by term, its energy, and the chain's recursion.

Its angles θ are both from the downward vertical, its bars uniform; a joint's coordinate is the angle to the parent, so
θ = T q with T = [1 0; 1 1], and its equations become ours with Tᵀ in front: M(q) = Tᵀ M T, V = −Tᵀ C, G(q) = −Tᵀ G.
Q = (M₁ − M₁₂, M₁₂) becomes (M₁, M₁₂), the moments at the two joints.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_trees import assert_close
from slow import slow_but

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.integration import Environment, Simulation, integrate
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.dynamics.newton_euler import solve_recursive

g = 9.81
GRAVITY = np.array([0.0, -g, 0.0])
T = np.array([[1.0, 0.0], [1.0, 1.0]])
AGREES = 1e-12  # relative: the same few dozen products in another order
seeds = st.integers(0, 2**32 - 1)
many = settings(max_examples=50, deadline=None)

Bars = tuple[float, float, float, float]  # m1, m2, l1, l2
UNIT: Bars = (1.0, 1.0, 1.0, 1.0)


def rod(mass: float, length: float) -> np.ndarray:
    return np.diag([1.0, 0.0, 1.0]) * mass * length**2 / 12


def pendulum(bars: Bars) -> JointTree:
    m1, m2, l1, l2 = bars
    z, one = np.array([0.0, 0.0, 1.0]), np.eye(3)
    half1, half2 = np.array([0, -l1 / 2, 0]), np.array([0, -l2 / 2, 0])
    return JointTree(
        (
            Body("upper bar", -1, "revolute", z, one, np.zeros(3), m1, half1, rod(m1, l1)),
            Body("lower bar", 0, "revolute", z, one, 2 * half1, m2, half2, rod(m2, l2)),
        )
    )


def document(bars: Bars, theta: np.ndarray, omega: np.ndarray, pull: np.ndarray) -> tuple[np.ndarray, ...]:
    """M, C, G as printed, and E of a force on the free end: its virtual work, term by angle."""
    m1, m2, l1, l2 = bars
    (t1, t2), (w1, w2) = theta, omega
    half = m2 * l1 * l2 / 2
    M = np.array([[m1 * l1**2 / 3 + m2 * l1**2, half * np.cos(t1 - t2)], [half * np.cos(t1 - t2), m2 * l2**2 / 3]])
    C = half * np.sin(t1 - t2) * np.array([-(w2**2), w1**2])
    G = -g * np.array([(m1 / 2 + m2) * l1 * np.sin(t1), m2 * l2 / 2 * np.sin(t2)])
    E = np.array([l * (pull[0] * np.cos(t) + pull[1] * np.sin(t)) for l, t in ((l1, t1), (l2, t2))])
    return M, C, G, E


def random_case(seed: int) -> tuple[Bars, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    m1, m2, l1, l2 = rng.uniform(0.3, 2.0, 4)
    bars = (m1, m2, l1, l2)
    return bars, rng.uniform(-3, 3, 2), rng.uniform(-7, 7, 2), rng.uniform(-20, 20, 2), rng.uniform(-30, 30, 2)


def points(bars: Bars, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each bar: from its upper to its lower end."""
    _, _, l1, l2 = bars
    down = np.stack([np.sin(theta), -np.cos(theta), 0 * theta], axis=-1)
    return l1 * down[0], l2 * down[1]


@many
@given(seeds)
def test_the_chains_recursion_gives_the_documents_moments(seed: int) -> None:
    """Bars as segments with accelerations by a = α × r − ω² r, no joint space in between."""
    bars, theta, omega, alpha, pull = random_case(seed)
    m1, m2, l1, l2 = bars
    r1, r2 = points(bars, theta)
    z = np.array([0.0, 0.0, 1.0])
    ends = [alpha[i] * np.cross(z, r) - omega[i] ** 2 * r for i, r in enumerate((r1, r2))]
    R = np.array([[[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]] for t in theta])
    tip = Wrench(np.append(pull, 0.0)[None], np.zeros((1, 3)), r1 + r2)

    def bar(i: int, mass: float, length: float, start: np.ndarray, r: np.ndarray, base: np.ndarray) -> Link:
        external = tip if i else None
        com, acc = start + r / 2, base + ends[i] / 2
        return Link(
            mass,
            rod(mass, length),
            R[[i]],
            com[None],
            acc[None],
            omega[i] * z[None],
            alpha[i] * z[None],
            start[None],
            external,
        )

    links = [bar(1, m2, l2, r1, r2, ends[0]), bar(0, m1, l1, np.zeros(3), r1, np.zeros(3))]
    M12, M1 = (w.m_g[0, 2] for w in solve_recursive(Chain(links), GRAVITY))
    M, C, G, E = document(bars, theta, omega, pull)
    assert_close(M @ alpha, C + G + np.array([M1 - M12, M12]) + E, AGREES)


@cache
def released(seconds: float, tolerance: float = 1e-12) -> Simulation:
    """As the document starts it: θ = π/6, π/3 and ω = π, −2π, bars of 1 m and 1 kg, no moments; at 50 Hz."""
    times = np.linspace(0, seconds, round(50 * seconds) + 1)
    q0, qd0 = np.linalg.solve(T, [np.pi / 6, np.pi / 3]), np.linalg.solve(T, [np.pi, -2 * np.pi])
    return integrate(pendulum(UNIT), q0, qd0, lambda t, q, qd: np.zeros(2), times, Environment(GRAVITY), tolerance)


@pytest.mark.parametrize("seconds", slow_but([2.0], [2.0, 10.0]))
def test_energy_is_kept(seconds: float) -> None:
    run = released(seconds)
    assert run.energy_drift < 1e-8  # relative; the requirement, 9e-12 when this was written
    np.testing.assert_array_equal(run.tau, 0.0)
    # at the start: ½ ωᵀ M ω with the document's M
    M, *_ = document(UNIT, np.array([np.pi / 6, np.pi / 3]), np.zeros(2), np.zeros(2))
    omega = np.array([np.pi, -2 * np.pi])
    assert run.kinetic_J[0] == pytest.approx(omega @ M @ omega / 2, rel=AGREES)
    total = run.kinetic_J + run.potential_J
    assert np.ptp(run.kinetic_J) > 10 * np.ptp(total)  # energy is exchanged, so that keeping it says something
