"""Inverse dynamics of chains against statics, pendulums, tops, energy and the laboratory's freedom to turn.

Motions are closed forms with exact derivatives: see `moving_trees`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import TIMES, G, Solver, Tree, derivative, mv, random_external, random_tree, turn
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

from gaitid.dynamics import constrained, newton_euler
from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.constrained import solve_constrained
from gaitid.dynamics.newton_euler import SOLVERS, LinkRows, solve_block
from gaitid.dynamics.wrench import Twist, Wrench

seeds = st.integers(0, 2**32 - 1)
all_solvers = pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)


def test_the_derivatives_of_the_motions_agree_with_their_positions() -> None:
    tree = random_tree(np.random.default_rng(7), 4)
    for i, s in enumerate(tree.segments):
        for which in (0, 1):  # joints, centres of mass; m/s of order 1
            found = derivative(lambda u, i=i, which=which: tree.points(u)[which][i], TIMES)
            np.testing.assert_allclose(found, tree.velocities(TIMES)[which][i], atol=1e-13)
        W = derivative(s.rotation, TIMES) @ np.swapaxes(s.rotation(TIMES), 1, 2)  # Ṙ Rᵀ = ω×
        np.testing.assert_allclose(np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1), s.omega(TIMES), atol=1e-13)


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


@pytest.mark.parametrize(
    ("name", "module", "function"),
    [
        ("block", newton_euler, "_lever"),
        ("dense", newton_euler, "_lever"),  # of its loads
        ("recursive", newton_euler, "cross"),
        ("constrained", constrained, "cross"),
    ],
)
def test_the_balance_of_power_sees_a_lever_turned_round(
    name: str, module: ModuleType, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(module, function)
    monkeypatch.setattr(module, function, lambda a, b: -right(a, b))
    rng = np.random.default_rng(0)
    assert power_residual(SOLVERS[name], random_tree(rng, 3), random_external(rng, 3, len(TIMES))) > 1e-3


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


@all_solvers
def test_a_thrown_body_that_does_not_turn_needs_no_joint(solve: Solver) -> None:
    t = np.linspace(0, 1, 11)
    zero = np.zeros((11, 3))
    R = np.broadcast_to(Rotation.from_rotvec([0.4, 1.0, -0.2]).as_matrix(), (11, 3, 3))
    (w,) = solve(Chain([lone(R, zero, zero, np.diag([0.1, 0.2, 0.25]), t)]), G)
    np.testing.assert_allclose(w.f_g, 0.0, atol=1e-12)  # N
    np.testing.assert_allclose(w.m_g, 0.0, atol=1e-12)  # N·m


def symmetric_top(t: np.ndarray, I1: float = 0.12, I3: float = 0.03, theta: float = 0.7, Omega: float = 5.0) -> Link:
    """Torque-free precession (Goldstein, Classical Mechanics, 3rd ed., section 5.6).

    R = Rz(Ω t) Rx(θ) Rz(σ t); the spin about the symmetry axis obeys I₃ (σ + Ω cos θ) = I₁ Ω cos θ.
    """
    sigma = (I1 / I3 - 1) * Omega * np.cos(theta)
    R = turn(2, Omega * t) @ turn(0, np.full_like(t, theta)) @ turn(2, sigma * t)
    axis = (turn(2, Omega * t) @ turn(0, np.full_like(t, theta)))[:, :, 2]
    z = np.array([0.0, 0.0, 1.0])
    return lone(R, Omega * z + sigma * axis, sigma * np.cross(Omega * z, axis), np.diag([I1, I1, I3]), t)


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
@given(across=FLAT_TO_LONG, along=FLAT_TO_LONG, theta=st.floats(0.0, np.pi), Omega=st.floats(-6.0, 6.0))
def test_a_free_symmetric_top_needs_no_moment(
    solve: Solver, across: float, along: float, theta: float, Omega: float
) -> None:
    assert_free(solve, symmetric_top(np.linspace(0, 3, 31), across + along, 2 * across, theta, Omega))


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


@all_solvers
@pytest.mark.parametrize("top", [symmetric_top, asymmetric_top])
def test_the_tops_see_a_missing_gyroscopic_term(
    solve: Solver, top: Callable[[np.ndarray], Link], monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(body: LinkRows) -> np.ndarray:
        alpha = np.einsum("jit,jt->it", body.R_gs, body.alpha_g)
        return np.einsum("ijt,jt->it", body.inertia_s, alpha)

    monkeypatch.setattr(newton_euler, "inertia_moment_s", without)
    monkeypatch.setattr(constrained, "_gyroscopic_s", lambda link: np.zeros_like(link.omega_g))
    (w,) = solve(Chain([top(np.linspace(0, 3, 61))]), G)
    assert np.linalg.norm(w.m_g, axis=1).max() > 0.1  # N·m


def test_gravity_alone_is_not_seen_by_the_tops_but_by_statics() -> None:
    # Tops fall freely: with gravity's sign turned a force of 2 m g appears.
    (w,) = solve_block(Chain([symmetric_top(np.linspace(0, 1, 5))]), -G)
    np.testing.assert_allclose(w.f_g, np.broadcast_to(2 * 3.0 * G, (5, 3)), atol=1e-12)  # N


# --- statics -----------------------------------------------------------------------------------------------


@all_solvers
def test_standing_still(solve: Solver) -> None:
    """Foot, shank and thigh of a leg at rest under 400 N, 60 mm before the ankle: weights and levers by hand."""
    one, still, R = np.ones((1, 1)), np.zeros((1, 3)), np.eye(3)[None]
    ankle, knee, hip = (one * p for p in ([0.0, 0.0, 0.08], [0.02, 0.0, 0.48], [0.0, 0.01, 0.90]))
    coms = [one * c for c in ([0.05, 0.0, 0.04], [0.01, 0.0, 0.30], [0.01, 0.0, 0.72])]
    masses = (1.0, 3.25, 7.0)
    ground = Wrench(one * [20.0, -10.0, 400.0], one * [0.0, 0.0, 1.5], np.array([0.06, 0.01, 0.0]))
    links = [
        Link(m, np.diag([0.1, 0.1, 0.02]), R, c, still, still, still, p, ground if i == 0 else None)
        for i, (m, c, p) in enumerate(zip(masses, coms, (ankle, knee, hip), strict=True))
    ]
    wrenches = solve(Chain(links), G)
    for n, (w, P) in enumerate(zip(wrenches, (ankle, knee, hip), strict=True), start=1):
        weight = sum(masses[:n]) * 9.81
        np.testing.assert_allclose(w.f_g, [[-20.0, 10.0, weight - 400.0]], atol=1e-12)
        m = -np.cross(ground.p_g - P, ground.f_g) - ground.m_g
        for mass, c in zip(masses[:n], coms, strict=False):
            m = m - np.cross(c - P, mass * G)
        np.testing.assert_allclose(w.m_g, m, atol=1e-12)
    # x forward, z up: the ground lifts the forefoot (−y); the shank holds it with a plantarflexing moment (+y).
    assert wrenches[0].m_g[0, 1] > 20  # N·m: about 0.06 m · 400 N


@all_solvers
def test_hanging_from_the_base_each_joint_carries_what_is_below(solve: Solver) -> None:
    n = 4
    still = np.zeros((2, 3))
    R = np.broadcast_to(np.eye(3), (2, 3, 3))
    links = [
        Link(
            1.0 + i,
            np.eye(3),
            R,
            np.full((2, 3), [0, 0, i + 0.4]),
            still,
            still,
            still,
            np.full((2, 3), [0, 0, i + 1.0]),
        )
        for i in range(n)
    ]
    for i, w in enumerate(solve(Chain(links), G)):
        weight = 9.81 * sum(1.0 + k for k in range(i + 1))
        np.testing.assert_allclose(w.f_g, np.full((2, 3), [0, 0, weight]), atol=1e-12)  # N, upward
        np.testing.assert_allclose(w.m_g, 0.0, atol=1e-12)


# --- branches ----------------------------------------------------------------------------------------------


@all_solvers
def test_standing_on_two_legs_the_pelvis_needs_no_support(solve: Solver) -> None:
    """Feet, shanks and thighs of 1, 3 and 7 kg and a trunk of 40: plates that carry 62 kg leave nothing over."""
    still, R = np.zeros((1, 3)), np.eye(3)[None]

    def body(mass: float, com: list[float], joint: list[float], load: Wrench | None = None) -> Link:
        return Link(mass, 0.1 * np.eye(3), R, np.array([com]), still, still, still, np.array([joint]), load)

    half, weight = 31.0 * 9.81, 62.0 * 9.81
    links, hips = [], []
    for y in (0.1, -0.1):
        ground = Wrench(np.array([[0.0, 200.0 * y, half]]), np.zeros((1, 3)), np.array([0.02, y, 0.0]))
        hips.append(np.array([0.0, y, 0.9]))
        links += [
            body(1.0, [0.05, y, 0.04], [0.0, y, 0.08], ground),
            body(3.0, [0.0, y, 0.3], [0.0, y, 0.5]),
            body(7.0, [0.0, y, 0.7], [0.0, y, 0.9]),
        ]
    # the body's centre of mass lies above the pressures: Σ m x = 62 kg · 0.02 m
    trunk_x = (62.0 * 0.02 - 2 * 1.0 * 0.05) / 40.0
    links.append(body(40.0, [trunk_x, 0.0, 1.2], [0.0, 0.0, 1.0]))
    wrenches = solve(Chain(links, [1, 2, 6, 4, 5, 6, None]), G)
    np.testing.assert_allclose(wrenches[6].f_g, 0.0, atol=1e-10)  # N, of 608
    np.testing.assert_allclose(wrenches[6].m_g, 0.0, atol=1e-10)  # N·m
    for hip, w in zip(hips, (wrenches[2], wrenches[5]), strict=True):
        # what the pelvis does to each leg: presses it down by half of the trunk's weight
        np.testing.assert_allclose(w.f_g[:, 2], -(weight / 2 - 11.0 * 9.81), atol=1e-10)
        np.testing.assert_array_equal(w.p_g, [hip])


@all_solvers
@settings(max_examples=20, deadline=None)
@given(seed=seeds, n=st.integers(2, 7))
def test_the_wrenches_of_the_branches_act_on_what_they_hang_from(solve: Solver, seed: int, n: int) -> None:
    """Cut everything off but the base and let the cut joints' reactions load it: its own joint feels no difference."""
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES, random_external(rng, n, len(TIMES)))
    wrenches = solve(chain, G)
    base = chain.links[-1]
    load = Wrench(np.zeros_like(base.com_g), np.zeros_like(base.com_g), base.com_g)
    if base.external is not None:
        load = load.plus(base.external.at(base.com_g))
    for k in chain.distal(n - 1):
        reaction = Wrench(-wrenches[k].f_g, -wrenches[k].m_g, wrenches[k].p_g)
        load = load.plus(reaction.at(base.com_g))
    (alone,) = solve(Chain([replace(base, external=load)]), G)
    np.testing.assert_allclose(alone.f_g, wrenches[-1].f_g, atol=1e-9)  # N
    np.testing.assert_allclose(alone.m_g, wrenches[-1].m_g, atol=1e-9)  # N·m


@all_solvers
def test_a_thrown_top_cut_in_three_needs_no_support(solve: Solver) -> None:
    """Two weights on the axis of a symmetric top, as branches: inner loads, but nothing from outside."""
    t = np.linspace(0, 3, 31)
    weight, arm = 0.5, 0.2  # kg and m on either side: I₁ grows by 2 m r², I₃ does not
    whole = symmetric_top(t)
    middle = replace(whole, inertia_s=whole.inertia_s - 2 * weight * arm**2 * np.diag([1.0, 1.0, 0.0]))
    weights = []
    for side in (1.0, -1.0):
        r = side * arm * whole.R_gs[:, :, 2]
        acc = G + np.cross(whole.alpha_g, r) + np.cross(whole.omega_g, np.cross(whole.omega_g, r))
        at = whole.com_g + r
        weights.append(replace(whole, mass=weight, inertia_s=np.zeros((3, 3)), com_g=at, acc_g=acc, joint_g=at - r / 2))
    up, down, outside = solve(Chain([*weights, middle], [2, 2, None]), G)
    np.testing.assert_allclose(outside.f_g, 0.0, atol=1e-12)  # N
    np.testing.assert_allclose(outside.m_g, 0.0, atol=1e-12)  # N·m
    np.testing.assert_allclose(up.f_g, -down.f_g, atol=1e-12)
    # perpendicular to the precession's axis each weight circles: m Ω² r sin θ
    np.testing.assert_allclose(np.linalg.norm(up.f_g, axis=1), weight * 5.0**2 * arm * np.sin(0.7), atol=1e-12)


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
def test_one_rod_is_the_physical_pendulum(solve: Solver) -> None:
    m, l = 2.0, 0.7
    (w,) = solve(rods([theta_1], [m], [l], TIMES), DOWN_Y)
    th, acc = theta_1(TIMES), derivative(RATES[theta_1], TIMES)
    np.testing.assert_allclose(w.m_g[:, 2], m * l**2 / 3 * acc + m * 9.81 * l / 2 * np.sin(th), atol=1e-12)  # N·m
    np.testing.assert_allclose(w.m_g[:, :2], 0.0, atol=1e-13)
    # force: m g and m l/2 (θ¨ along, θ˙² toward the joint)
    pull = m * l / 2 * RATES[theta_1](TIMES) ** 2
    expected_x = m * l / 2 * acc * np.cos(th) - pull * np.sin(th)
    expected_y = m * 9.81 + m * l / 2 * acc * np.sin(th) + pull * np.cos(th)
    np.testing.assert_allclose(w.f_g[:, 0], expected_x, atol=1e-12)  # N
    np.testing.assert_allclose(w.f_g[:, 1], expected_y, atol=1e-12)


@all_solvers
def test_two_rods_are_the_double_pendulum_of_watanabe(solve: Solver) -> None:
    """The equations at the head of his notebook on the matrix formalism, solved for M₁ and M₁₂."""
    m1, m2, l1, l2, g = 1.5, 0.8, 0.6, 0.9, 9.81
    on_second, on_first = solve(rods([theta_1, theta_2], [m1, m2], [l1, l2], TIMES), DOWN_Y)
    t1, t2 = theta_1(TIMES), theta_2(TIMES)
    w1, w2 = RATES[theta_1](TIMES), RATES[theta_2](TIMES)
    a1, a2 = derivative(RATES[theta_1], TIMES), derivative(RATES[theta_2], TIMES)
    M12 = (
        m2 * l1 * l2 / 2 * np.cos(t1 - t2) * a1
        + m2 * l2**2 / 3 * a2
        + m2 * g * l2 / 2 * np.sin(t2)
        - m2 * l1 * l2 / 2 * w1**2 * np.sin(t1 - t2)
    )
    M1 = (
        (m1 * l1**2 / 3 + m2 * l1**2) * a1
        + m2 * l1 * l2 / 2 * np.cos(t1 - t2) * a2
        + m1 * g * l1 / 2 * np.sin(t1)
        + m2 * l1 * g * np.sin(t1)
        + m2 * l1 * l2 / 2 * w2**2 * np.sin(t1 - t2)
        + M12
    )
    np.testing.assert_allclose(on_second.m_g[:, 2], M12, atol=1e-12)  # N·m, of about 20
    np.testing.assert_allclose(on_first.m_g[:, 2], M1, atol=1e-12)


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


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 6), seed=seeds)
def test_in_a_lift_that_accelerates_gravity_is_other_and_nothing_else(solve: Solver, n: int, seed: int) -> None:
    """Einstein's lift: seen from a room with acceleration −a, all bodies have a more, and gravity is g + a."""
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES[:9], random_external(rng, n, 9))
    more = rng.normal(0, 5, 3)
    lift = Chain([replace(link, acc_g=link.acc_g + more) for link in chain.links], chain.proximal)
    for one, other in zip(solve(chain, G), solve(lift, G + more), strict=True):
        np.testing.assert_allclose(other.f_g, one.f_g, atol=1e-9)  # N
        np.testing.assert_allclose(other.m_g, one.m_g, atol=1e-9)  # N·m


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 6), seed=seeds)
def test_a_mirrored_chain_has_mirrored_wrenches(solve: Solver, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES[:9], random_external(rng, n, 9))
    S = np.diag([1.0, -1.0, 1.0])  # positions and forces; turning and moments are mirrored with the other sign

    def mirrored(link: Link) -> Link:
        e = link.external
        return replace(
            link,
            inertia_s=S @ link.inertia_s @ S,
            R_gs=S @ link.R_gs @ S,
            **{name: getattr(link, name) @ S for name in ("com_g", "joint_g", "acc_g")},
            **{name: -getattr(link, name) @ S for name in ("omega_g", "alpha_g")},
            external=None if e is None else Wrench(e.f_g @ S, -e.m_g @ S, e.p_g @ S),
        )

    for one, other in zip(
        solve(chain, G), solve(Chain([mirrored(link) for link in chain.links], chain.proximal), G), strict=True
    ):
        np.testing.assert_allclose(other.f_g, one.f_g @ S, atol=1e-9)  # N
        np.testing.assert_allclose(other.m_g, -one.m_g @ S, atol=1e-9)  # N·m


@all_solvers
def test_inertia_may_change_from_frame_to_frame(solve: Solver) -> None:
    (link,) = random_tree(np.random.default_rng(2), 1).chain(TIMES).links
    scale = 1 + 0.1 * np.sin(TIMES)
    (whole,) = solve(Chain([replace(link, inertia_s=link.inertia_s * scale[:, None, None])]), G)
    (plain,) = solve(Chain([link]), G)
    (none,) = solve(Chain([replace(link, inertia_s=np.zeros((3, 3)))]), G)
    expected = none.m_g + scale[:, None] * (plain.m_g - none.m_g)  # linear in the inertia
    np.testing.assert_allclose(whole.m_g, expected, atol=1e-12)  # N·m


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
