"""Inverse dynamics of chains against statics, pendulums, tops, energy and the laboratory's freedom to turn.

Motions are closed forms with exact derivatives: see `moving_trees`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import TIMES, G, Solver, Tree, derivative, mv, random_external, random_tree, turn
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

from gaitid.dynamics.chain import Chain, Link, Twist, Wrench
from gaitid.dynamics.newton_euler import SOLVERS, solve_constrained

seeds = st.integers(0, 2**32 - 1)
all_solvers = pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)


def power_residual(solve: Solver, tree: Tree, external: dict[int, Wrench]) -> float:
    """Power of all wrenches less the rate of kinetic energy, by the sum of the powers' sizes: W per W."""
    wrenches = solve(tree.chain(TIMES, external), G)[::-1]  # from the base now, as the tree's segments
    coms = tree.velocities(TIMES)[1]
    places = tree.points(TIMES)[1]
    bodies = [Twist(s.omega(TIMES), v, c) for s, v, c in zip(tree.segments, coms, places, strict=True)]
    terms = []
    for i, s in enumerate(tree.segments):
        terms.append(s.mass * coms[i] @ G)
        terms.append(wrenches[i].power(bodies[i]))
        if s.parent >= 0:  # the proximal neighbour is pushed back
            terms.append(-wrenches[i].power(bodies[s.parent]))
        if i in external:
            terms.append(external[i].power(bodies[i]))
    residual = sum(terms) - derivative(tree.kinetic_energy, TIMES)
    return float(np.max(np.abs(residual)) / np.max(sum(np.abs(x) for x in terms)))


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 6), seed=seeds)
def test_power_of_all_wrenches_is_the_rate_of_kinetic_energy(solve: Solver, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert power_residual(solve, random_tree(rng, n), random_external(rng, n, len(TIMES))) < 1e-12


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 6), seed=seeds)
def test_the_base_joint_carries_the_rate_of_momentum_of_the_whole_chain(solve: Solver, n: int, seed: int) -> None:
    """Euler's two laws for the system: no recursion, no single segment, exact rates."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n)
    external = random_external(rng, n, len(TIMES))
    base = solve(tree.chain(TIMES, external), G)[-1]
    P = tree.base_at(TIMES)

    def momentum(t: np.ndarray) -> np.ndarray:
        return sum(s.mass * v for s, v in zip(tree.segments, tree.velocities(t)[1], strict=True))

    def angular(t: np.ndarray) -> np.ndarray:
        # about points of the laboratory (P at each instant, not moving with it)
        total = 0.0
        for s, c, v in zip(tree.segments, tree.points(t)[1], tree.velocities(t)[1], strict=True):
            R = s.rotation(t)
            spin = mv(R, mv(s.inertia, np.einsum("tji,tj->ti", R, s.omega(t))))
            total = total + np.cross(c - P, s.mass * v) + spin
        return total

    f = derivative(momentum, TIMES) - sum(s.mass for s in tree.segments) * G
    m = derivative(angular, TIMES)
    for s, c in zip(tree.segments, tree.points(TIMES)[1], strict=True):
        m = m - np.cross(c - P, s.mass * G)
    for e in external.values():
        f, m = f - e.f_g, m - e.at(P).m_g
    np.testing.assert_allclose(base.f_g, f, atol=1e-9)  # N
    np.testing.assert_allclose(base.m_g, m, atol=1e-9)  # N·m
    np.testing.assert_array_equal(base.p_g, P)


# --- bodies on which nothing acts --------------------------------------------------------------------------


def lone(
    R: np.ndarray, omega: np.ndarray, alpha: np.ndarray, inertia: np.ndarray, t: np.ndarray, mass: float = 3.0
) -> Link:
    """A body thrown in gravity whose "joint" is a point off its centre of mass."""
    com = np.array([0.1, 0.2, 1.0]) + np.multiply.outer(t, [1.0, -0.5, 3.0]) + 0.5 * np.multiply.outer(t**2, G)
    return Link(
        mass, inertia, R, com, np.broadcast_to(G, com.shape), omega, alpha, com + mv(R, np.array([0.05, 0.1, -0.2]))
    )


def asymmetric_top(
    t: np.ndarray,
    I: tuple[float, ...] = (0.05, 0.09, 0.12),
    energy: float = 1.0,
    between: float = 1 / 3,
    axes: tuple[float, ...] = (0.3, -0.4, 0.9),
) -> Link:
    """Torque-free, three different moments: Jacobi's elliptic functions (Landau & Lifshitz, Mechanics, § 37).

    I₁ < I₂ < I₃ and L² between 2 E I₂ and 2 E I₃. The body frame is taken where it is: R follows from ω by no closed
    form that the law needs, since components in segment axes alone enter it; a fixed R serves.
    """
    I1, I2, I3 = I
    L2 = 2 * energy * (I2 + between * (I3 - I2))  # (kg·m²/s)²
    a = np.sqrt((2 * energy * I3 - L2) / (I1 * (I3 - I1)))
    b = np.sqrt((2 * energy * I3 - L2) / (I2 * (I3 - I2)))
    c = np.sqrt((L2 - 2 * energy * I1) / (I3 * (I3 - I1)))
    k2 = (I2 - I1) * (2 * energy * I3 - L2) / ((I3 - I2) * (L2 - 2 * energy * I1))
    n = np.sqrt((I3 - I2) * (L2 - 2 * energy * I1) / (I1 * I2 * I3))
    sn, cn, dn, _ = ellipj(n * t, k2)
    omega = np.stack([a * cn, b * sn, c * dn], axis=1)
    rate = n * np.stack([-a * sn * dn, b * cn * dn, -c * k2 * sn * cn], axis=1)
    R = np.broadcast_to(Rotation.from_rotvec(axes).as_matrix(), (len(t), 3, 3))
    return lone(R, omega @ R[0].T, rate @ R[0].T, np.diag(I), t)


def assert_free(solve: Solver, top: Link) -> None:
    (w,) = solve(Chain([top]), G)
    np.testing.assert_allclose(w.f_g, 0.0, atol=1e-12)  # N
    # N·m; single terms of I α are of order 1
    np.testing.assert_allclose(w.m_g, 0.0, atol=1e-12)


FLAT_TO_LONG = st.floats(0.01, 0.1)  # Σ m x² along a principal axis, kg·m²


@all_solvers
@settings(max_examples=30, deadline=None)
@given(
    shape=st.tuples(FLAT_TO_LONG, FLAT_TO_LONG, FLAT_TO_LONG),
    energy=st.floats(0.1, 2.0),
    between=st.floats(0.05, 0.95),
    axes=st.tuples(*[st.floats(-3.0, 3.0)] * 3),
)
def test_a_free_asymmetric_top_needs_no_moment(
    solve: Solver, shape: tuple[float, ...], energy: float, between: float, axes: tuple[float, ...]
) -> None:
    # longest axis first, and at least 0.01 kg·m² between the moments: the closed form divides by their differences
    x, y, z = (extent + 0.01 * i for i, extent in enumerate(sorted(shape)))
    assert_free(solve, asymmetric_top(np.linspace(0, 3, 31), (x + y, x + z, y + z), energy, between, axes))


# --- statics -----------------------------------------------------------------------------------------------


# --- branches ----------------------------------------------------------------------------------------------


# --- pendulums ---------------------------------------------------------------------------------------------


def rods(theta: list[Callable[[np.ndarray], np.ndarray]], m: list[float], length: list[float], t: np.ndarray) -> Chain:
    """Rods in the plane x-y with gravity along −y, θ from the hanging position about z, from the end to the base.

    A bar's end lies at (l sin θ, −l cos θ) from its joint, as in Watanabe's double pendulum.
    """
    links, joint_v, joint = [], lambda u: np.zeros((len(u), 3)), np.zeros((len(t), 3))
    z = np.array([0.0, 0.0, 1.0])
    for angle, mass, l in zip(theta, m, length, strict=True):
        R = turn(2, angle(t) - np.pi / 2)  # x of the rod along it

        def rate(u: np.ndarray, angle: Callable[[np.ndarray], np.ndarray] = angle) -> np.ndarray:
            return RATES[angle](u)

        def along_v(u: np.ndarray, angle=angle, rate=rate) -> np.ndarray:
            return np.stack([np.cos(angle(u)), np.sin(angle(u)), 0 * u], axis=1) * rate(u)[:, None]

        def com_v(u: np.ndarray, joint_v=joint_v, along_v=along_v, l=l) -> np.ndarray:
            return joint_v(u) + l / 2 * along_v(u)

        along = np.stack([np.sin(angle(t)), -np.cos(angle(t)), 0 * t], axis=1)
        links.append(
            Link(
                mass,
                np.diag([0.0, mass * l**2 / 12, mass * l**2 / 12]),
                R,
                joint + l / 2 * along,
                derivative(com_v, t),
                rate(t)[:, None] * z,
                derivative(rate, t)[:, None] * z,
                joint,
            )
        )
        joint = joint + l * along
        joint_v = lambda u, joint_v=joint_v, along_v=along_v, l=l: joint_v(u) + l * along_v(u)  # noqa: E731
    return Chain(links[::-1])


def theta_1(t: np.ndarray) -> np.ndarray:
    return 0.7 * np.sin(3 * t) + 0.2


def theta_2(t: np.ndarray) -> np.ndarray:
    return 1.1 * np.cos(2 * t) - 0.4


def theta_3(t: np.ndarray) -> np.ndarray:
    return 2.0 * t + 0.5 * np.sin(5 * t)


RATES = {
    theta_1: lambda t: 2.1 * np.cos(3 * t),
    theta_2: lambda t: -2.2 * np.sin(2 * t),
    theta_3: lambda t: 2.0 + 2.5 * np.cos(5 * t),
}
DOWN_Y = np.array([0.0, -9.81, 0.0])


@all_solvers
def test_three_rods_obey_lagrange(solve: Solver) -> None:
    """Σ_j A_ij (cos(θ_i − θ_j) θ¨_j + sin(θ_i − θ_j) θ˙_j²) + g B_i sin θ_i = M_i − M_{i+1}."""
    m, l = np.array([1.5, 0.8, 0.4]), np.array([0.6, 0.9, 0.3])
    thetas = [theta_1, theta_2, theta_3]
    found = [w.m_g[:, 2] for w in solve(rods(thetas, list(m), list(l), TIMES), DOWN_Y)[::-1]]
    below = np.array([m[i + 1 :].sum() for i in range(3)])
    A = np.array(
        [
            [l[i] * l[j] * (m[i] / 3 + below[i] if i == j else m[max(i, j)] / 2 + below[max(i, j)]) for j in range(3)]
            for i in range(3)
        ]
    )
    th = np.array([f(TIMES) for f in thetas])
    rate = np.array([RATES[f](TIMES) for f in thetas])
    acc = np.array([derivative(RATES[f], TIMES) for f in thetas])
    expected = np.zeros(len(TIMES))
    for i in (2, 1, 0):
        d = th[i] - th
        expected = expected + 9.81 * l[i] * (m[i] / 2 + below[i]) * np.sin(th[i])
        expected = expected + A[i] @ (np.cos(d) * acc + np.sin(d) * rate**2)
        np.testing.assert_allclose(found[i], expected, atol=1e-11)  # N·m


# --- the laboratory ----------------------------------------------------------------------------------------


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 6), seed=seeds)
def test_a_laboratory_turned_and_in_steady_motion_turns_the_wrenches(solve: Solver, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES[:9], random_external(rng, n, 9))
    Q = Rotation.random(None, rng).as_matrix()
    shift = rng.normal(0, 5, 3) + np.multiply.outer(TIMES[:9], rng.normal(0, 2, 3))  # m, and m/s

    def moved(link: Link) -> Link:
        e = link.external
        return replace(
            link,
            R_gs=Q @ link.R_gs,
            com_g=link.com_g @ Q.T + shift,
            joint_g=link.joint_g @ Q.T + shift,
            **{name: getattr(link, name) @ Q.T for name in ("acc_g", "omega_g", "alpha_g")},
            external=None if e is None else Wrench(e.f_g @ Q.T, e.m_g @ Q.T, e.p_g @ Q.T + shift),
        )

    for one, other in zip(
        solve(chain, G), solve(Chain([moved(link) for link in chain.links], chain.proximal), Q @ G), strict=True
    ):
        np.testing.assert_allclose(other.f_g, one.f_g @ Q.T, atol=1e-9)  # N
        np.testing.assert_allclose(other.m_g, one.m_g @ Q.T, atol=1e-9)  # N·m


# --- unknown frames ----------------------------------------------------------------------------------------

BLANK = ("R_gs", "com_g", "acc_g", "omega_g", "alpha_g", "joint_g")


def with_gap(link: Link, rows: list[int]) -> Link:
    arrays = {name: getattr(link, name).copy() for name in BLANK}
    for values in arrays.values():
        values[rows] = np.nan
    return replace(link, **arrays)


@all_solvers
@pytest.mark.parametrize("segment", range(3))
def test_an_unknown_segment_blanks_its_joint_and_those_above_it_only(solve: Solver, segment: int) -> None:
    rng = np.random.default_rng(4)
    chain = random_tree(rng, 3, branched=False).chain(TIMES, random_external(rng, 3, len(TIMES)))
    whole = solve(chain, G)
    links = list(chain.links)
    links[segment] = with_gap(links[segment], [3, 4, 17])
    known = np.setdiff1d(np.arange(len(TIMES)), [3, 4, 17])
    for i, (w, full) in enumerate(zip(solve(Chain(links), G), whole, strict=True)):
        if i >= segment:
            assert np.isnan(w.f_g[[3, 4, 17]]).all()
            assert np.isnan(w.m_g[[3, 4, 17]]).all()
        else:
            # N·m; the multipliers' one system couples all joints by the order of its elimination, hence rounding
            tolerance = 1e-11 if solve is solve_constrained else 0.0
            np.testing.assert_allclose(w.m_g[[3, 4, 17]], full.m_g[[3, 4, 17]], rtol=0, atol=tolerance)
        np.testing.assert_allclose(w.f_g[known], full.f_g[known], atol=1e-12)
        np.testing.assert_allclose(w.m_g[known], full.m_g[known], atol=1e-12)


@all_solvers
def test_an_unknown_load_blanks_every_joint_in_its_frames_only(solve: Solver) -> None:
    rng = np.random.default_rng(5)
    links = list(random_tree(rng, 3, branched=False).chain(TIMES).links)
    f, m = rng.normal(size=(2, len(TIMES), 3))
    f[10:14] = m[10:14] = np.nan
    links[0] = replace(links[0], external=Wrench(f, m, np.zeros(3)))
    for w in solve(Chain(links), G):
        for values in (w.f_g, w.m_g):
            np.testing.assert_array_equal(np.flatnonzero(np.isnan(values).any(axis=1)), [10, 11, 12, 13])
