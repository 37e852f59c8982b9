"""Inverse dynamics of chains against statics, pendulums, tops, energy and the laboratory's freedom to turn.

Motions are closed forms in time that also take complex times, so that every derivative here is exact: the
imaginary part of f(t + ih)/h at h = 1e-30 has no difference to cancel (Squire & Trapp 1998, SIAM Rev 40:110-112).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

from gaitid.dynamics import newton_euler
from gaitid.dynamics.newton_euler import SOLVERS, Link, solve_block, solve_dense, solve_recursive
from gaitid.dynamics.wrench import Wrench

G = np.array([0.0, 0.0, -9.81])
H = 1e-30
Solver = Callable[[list[Link], np.ndarray], list[Wrench]]
seeds = st.integers(0, 2**32 - 1)
all_solvers = pytest.mark.parametrize("solve", SOLVERS.values(), ids=SOLVERS)


def derivative(function: Callable[[np.ndarray], np.ndarray], t: np.ndarray) -> np.ndarray:
    return np.imag(function(t + 1j * H)) / H


def mv(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", R, v)


def turn(i: int, angle: np.ndarray) -> np.ndarray:
    R = np.zeros((*np.shape(angle), 3, 3), dtype=np.asarray(angle).dtype)
    j, k = (i + 1) % 3, (i + 2) % 3
    R[..., i, i] = 1.0
    R[..., j, j] = R[..., k, k] = np.cos(angle)
    R[..., k, j] = np.sin(angle)
    R[..., j, k] = -np.sin(angle)
    return R


# --- a chain that moves anyhow -----------------------------------------------------------------------------


@dataclass
class Segment:
    """A rigid body that turns by three smooth angles about its proximal joint."""

    mass: float
    inertia: np.ndarray
    com: np.ndarray  # from the proximal joint, segment axes, m
    distal: np.ndarray  # the next joint, the same
    amplitude: np.ndarray
    frequency: np.ndarray
    phase: np.ndarray

    def rotation(self, t: np.ndarray) -> np.ndarray:
        angles = [a * np.sin(f * t + p) for a, f, p in zip(self.amplitude, self.frequency, self.phase, strict=True)]
        return turn(2, angles[0]) @ turn(1, angles[1]) @ turn(0, angles[2])

    def omega(self, t: np.ndarray) -> np.ndarray:
        """ω = ȧ e_z + ḃ Rz e_y + ċ Rz Ry e_x, laboratory axes; also at complex times."""
        a, _, _ = (x * np.sin(f * t + p) for x, f, p in zip(self.amplitude, self.frequency, self.phase, strict=True))
        b = self.amplitude[1] * np.sin(self.frequency[1] * t + self.phase[1])
        rates = [x * f * np.cos(f * t + p) for x, f, p in zip(self.amplitude, self.frequency, self.phase, strict=True)]
        Rz, Ry = turn(2, a), turn(1, b)
        z = np.broadcast_to(np.eye(3)[2], (len(t), 3))
        return rates[0][:, None] * z + rates[1][:, None] * Rz[:, :, 1] + rates[2][:, None] * (Rz @ Ry)[:, :, 0]


@dataclass
class Chain:
    """Segments from the base to the free end, hung on a joint that moves smoothly."""

    segments: list[Segment]
    base: np.ndarray  # (3, 3): amplitude, frequency, phase by axis

    def base_at(self, t: np.ndarray) -> np.ndarray:
        amplitude, frequency, phase = self.base
        return amplitude * np.sin(np.multiply.outer(t, frequency) + phase)

    def points(self, t: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Proximal joint and centre of mass of each segment."""
        joints, coms, joint = [], [], self.base_at(t)
        for s in self.segments:
            R = s.rotation(t)
            joints.append(joint)
            coms.append(joint + mv(R, s.com))
            joint = joint + mv(R, s.distal)
        return joints, coms

    def velocities(self, t: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Of the same points, by v + ω × r; also at complex times."""
        amplitude, frequency, phase = self.base
        v = amplitude * frequency * np.cos(np.multiply.outer(t, frequency) + phase)
        joints, coms = [], []
        for s in self.segments:
            R, omega = s.rotation(t), s.omega(t)
            joints.append(v)
            coms.append(v + np.cross(omega, mv(R, s.com)))
            v = v + np.cross(omega, mv(R, s.distal))
        return joints, coms

    def kinetic_energy(self, t: np.ndarray) -> np.ndarray:
        total = 0.0
        for s, v in zip(self.segments, self.velocities(t)[1], strict=True):
            omega_s = np.einsum("tji,tj->ti", s.rotation(t), s.omega(t))
            total = (
                total + 0.5 * s.mass * np.sum(v * v, axis=1) + 0.5 * np.sum(omega_s * mv(s.inertia, omega_s), axis=1)
            )
        return total

    def links(self, t: np.ndarray, external: dict[int, Wrench] | None = None) -> list[Link]:
        """As the solvers take them: from the free end to the base."""
        joints, coms = self.points(t)
        links = []
        for i, s in enumerate(self.segments):
            links.append(
                Link(
                    s.mass,
                    s.inertia,
                    s.rotation(t),
                    coms[i],
                    derivative(lambda u, i=i: self.velocities(u)[1][i], t),
                    s.omega(t),
                    derivative(s.omega, t),
                    joints[i],
                    (external or {}).get(i),
                )
            )
        return links[::-1]


def random_chain(rng: np.random.Generator, n: int) -> Chain:
    segments = []
    for _ in range(n):
        radii = np.sort(rng.uniform(0.02, 0.2, 3))
        radii[2] = min(radii[2], np.hypot(radii[0], radii[1]))  # of a body that can exist
        mass = rng.uniform(0.5, 10)
        axes = Rotation.random(rng=rng).as_matrix()
        segments.append(
            Segment(
                mass,
                axes @ np.diag(mass * radii**2) @ axes.T,
                rng.uniform(-0.3, 0.3, 3),
                rng.uniform(-0.5, 0.5, 3),
                rng.uniform(0.3, 1.2, 3),
                rng.uniform(1.0, 8.0, 3),
                rng.uniform(0, 6, 3),
            )
        )
    return Chain(segments, np.stack([rng.uniform(0, 0.3, 3), rng.uniform(1, 8, 3), rng.uniform(0, 6, 3)]))


def random_external(rng: np.random.Generator, n: int, frames: int) -> dict[int, Wrench]:
    chosen = np.flatnonzero(rng.uniform(size=n) < 0.6)
    return {
        int(i): Wrench(rng.normal(0, 400, (frames, 3)), rng.normal(0, 20, (frames, 3)), rng.normal(0, 1, (frames, 3)))
        for i in chosen
    }


TIMES = np.linspace(0.0, 2.0, 41)


def test_the_derivatives_of_this_file_agree_with_its_positions() -> None:
    chain = random_chain(np.random.default_rng(7), 3)
    for i in range(3):
        np.testing.assert_allclose(
            derivative(lambda u, i=i: chain.points(u)[1][i], TIMES), chain.velocities(TIMES)[1][i], atol=1e-13
        )
        s = chain.segments[i]
        W = derivative(s.rotation, TIMES) @ np.swapaxes(s.rotation(TIMES), 1, 2)  # Ṙ Rᵀ = ω×
        np.testing.assert_allclose(np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1), s.omega(TIMES), atol=1e-13)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 6), seed=seeds)
def test_the_three_solvers_agree(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = random_chain(rng, n).links(TIMES, random_external(rng, n, len(TIMES)))
    block, dense, recursive = (SOLVERS[name](links, G) for name in ("block", "dense", "recursive"))
    for a, b, c in zip(block, dense, recursive, strict=True):
        for other in (b, c):
            # N and N·m, of up to some thousands
            np.testing.assert_allclose(other.f_g, a.f_g, atol=1e-9)
            np.testing.assert_allclose(other.m_g, a.m_g, atol=1e-9)
            np.testing.assert_array_equal(other.p_g, a.p_g)


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 5), seed=seeds)
def test_power_of_all_wrenches_is_the_rate_of_kinetic_energy(solve: Solver, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, n)
    external = random_external(rng, n, len(TIMES))
    links = chain.links(TIMES, external)
    wrenches = solve(links, G)[::-1]  # from the base now, as the chain's segments
    joint_velocity, com_velocity = chain.velocities(TIMES)
    omega = [s.omega(TIMES) for s in chain.segments]
    # The base moves but does not turn: the first joint's moment works on the first segment's whole turning.
    power = np.sum(wrenches[0].f_g * joint_velocity[0] + wrenches[0].m_g * omega[0], axis=1)
    parts = np.abs(power)
    for i in range(n):
        terms = [chain.segments[i].mass * com_velocity[i] @ G]
        if i > 0:
            terms.append(np.sum(wrenches[i].m_g * (omega[i] - omega[i - 1]), axis=1))
        if i in external:
            e = external[i]
            arm = e.p_g - chain.points(TIMES)[1][i]
            terms.append(np.sum(e.f_g * (com_velocity[i] + np.cross(omega[i], arm)) + e.m_g * omega[i], axis=1))
        power = power + sum(terms)
        parts = parts + sum(np.abs(x) for x in terms)
    # relative to the sum of the powers' sizes: W per W
    assert np.max(np.abs(power - derivative(chain.kinetic_energy, TIMES)) / parts.max()) < 1e-9


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 4), seed=seeds)
def test_the_base_joint_carries_the_rate_of_momentum_of_the_whole_chain(solve: Solver, n: int, seed: int) -> None:
    """Euler's two laws for the system: no recursion, no single segment, exact rates."""
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, n)
    external = random_external(rng, n, len(TIMES))
    base = solve(chain.links(TIMES, external), G)[-1]
    P = chain.base_at(TIMES)

    def momentum(t: np.ndarray) -> np.ndarray:
        return sum(s.mass * v for s, v in zip(chain.segments, chain.velocities(t)[1], strict=True))

    def angular(t: np.ndarray) -> np.ndarray:
        # about points of the laboratory (P at each instant, not moving with it)
        total = 0.0
        for s, c, v in zip(chain.segments, chain.points(t)[1], chain.velocities(t)[1], strict=True):
            R = s.rotation(t)
            spin = mv(R, mv(s.inertia, np.einsum("tji,tj->ti", R, s.omega(t))))
            total = total + np.cross(c - P, s.mass * v) + spin
        return total

    f = derivative(momentum, TIMES) - sum(s.mass for s in chain.segments) * G
    m = derivative(angular, TIMES)
    for s, c in zip(chain.segments, chain.points(TIMES)[1], strict=True):
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
    (w,) = solve([lone(R, zero, zero, np.diag([0.1, 0.2, 0.25]), t)], G)
    np.testing.assert_allclose(w.f_g, 0.0, atol=1e-12)  # N
    np.testing.assert_allclose(w.m_g, 0.0, atol=1e-12)  # N·m


def symmetric_top(t: np.ndarray) -> Link:
    """Torque-free precession (Goldstein, Classical Mechanics, 3rd ed., section 5.6).

    R = Rz(Ω t) Rx(θ) Rz(σ t); the spin about the symmetry axis obeys I₃ (σ + Ω cos θ) = I₁ Ω cos θ.
    """
    I1, I3, theta, Omega = 0.12, 0.03, 0.7, 5.0
    sigma = (I1 / I3 - 1) * Omega * np.cos(theta)
    R = turn(2, Omega * t) @ turn(0, np.full_like(t, theta)) @ turn(2, sigma * t)
    axis = (turn(2, Omega * t) @ turn(0, np.full_like(t, theta)))[:, :, 2]
    z = np.array([0.0, 0.0, 1.0])
    return lone(R, Omega * z + sigma * axis, sigma * np.cross(Omega * z, axis), np.diag([I1, I1, I3]), t)


def asymmetric_top(t: np.ndarray) -> Link:
    """Torque-free, three different moments: Jacobi's elliptic functions (Landau & Lifshitz, Mechanics, § 37).

    I₁ < I₂ < I₃ and L² > 2 E I₂. The body frame is taken where it is: R follows from ω by no closed form that
    the law needs, since components in segment axes alone enter it; a fixed R serves.
    """
    I1, I2, I3 = I = np.array([0.05, 0.09, 0.12])
    energy, L2 = 1.0, 2 * 1.0 * 0.10  # J and (kg·m²/s)²
    a = np.sqrt((2 * energy * I3 - L2) / (I1 * (I3 - I1)))
    b = np.sqrt((2 * energy * I3 - L2) / (I2 * (I3 - I2)))
    c = np.sqrt((L2 - 2 * energy * I1) / (I3 * (I3 - I1)))
    k2 = (I2 - I1) * (2 * energy * I3 - L2) / ((I3 - I2) * (L2 - 2 * energy * I1))
    n = np.sqrt((I3 - I2) * (L2 - 2 * energy * I1) / (I1 * I2 * I3))
    sn, cn, dn, _ = ellipj(n * t, k2)
    omega = np.stack([a * cn, b * sn, c * dn], axis=1)
    rate = n * np.stack([-a * sn * dn, b * cn * dn, -c * k2 * sn * cn], axis=1)
    R = np.broadcast_to(Rotation.from_rotvec([0.3, -0.4, 0.9]).as_matrix(), (len(t), 3, 3))
    return lone(R, omega @ R[0].T, rate @ R[0].T, np.diag(I), t)


@all_solvers
@pytest.mark.parametrize("top", [symmetric_top, asymmetric_top])
def test_a_free_top_needs_no_moment(solve: Solver, top: Callable[[np.ndarray], Link]) -> None:
    (w,) = solve([top(np.linspace(0, 3, 61))], G)
    np.testing.assert_allclose(w.f_g, 0.0, atol=1e-12)  # N
    # N·m; single terms of I α are of order 1
    np.testing.assert_allclose(w.m_g, 0.0, atol=1e-12)


@all_solvers
@pytest.mark.parametrize("top", [symmetric_top, asymmetric_top])
def test_the_tops_see_a_missing_gyroscopic_term(
    solve: Solver, top: Callable[[np.ndarray], Link], monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(link: Link) -> np.ndarray:
        return mv(link.inertia_s, np.einsum("tji,tj->ti", link.R_gs, link.alpha_g))

    monkeypatch.setattr(newton_euler, "inertia_moment_s", without)
    (w,) = solve([top(np.linspace(0, 3, 61))], G)
    assert np.linalg.norm(w.m_g, axis=1).max() > 0.1  # N·m


def test_gravity_alone_is_not_seen_by_the_tops_but_by_statics() -> None:
    # Tops fall freely: with gravity's sign turned a force of 2 m g appears.
    (w,) = solve_block([symmetric_top(np.linspace(0, 1, 5))], -G)
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
    wrenches = solve(links, G)
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
    for i, w in enumerate(solve(links, G)):
        weight = 9.81 * sum(1.0 + k for k in range(i + 1))
        np.testing.assert_allclose(w.f_g, np.full((2, 3), [0, 0, weight]), atol=1e-12)  # N, upward
        np.testing.assert_allclose(w.m_g, 0.0, atol=1e-12)


# --- pendulums ---------------------------------------------------------------------------------------------


def rods(
    theta: list[Callable[[np.ndarray], np.ndarray]], m: list[float], length: list[float], t: np.ndarray
) -> list[Link]:
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
    return links[::-1]


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
@given(n=st.integers(1, 4), seed=seeds)
def test_turning_and_shifting_the_laboratory_turns_the_wrenches(solve: Solver, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = random_chain(rng, n).links(TIMES[:9], random_external(rng, n, 9))
    Q, shift = Rotation.random(rng=rng).as_matrix(), rng.normal(0, 5, 3)

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

    for one, other in zip(solve(links, G), solve([moved(link) for link in links], Q @ G), strict=True):
        np.testing.assert_allclose(other.f_g, one.f_g @ Q.T, atol=1e-9)  # N
        np.testing.assert_allclose(other.m_g, one.m_g @ Q.T, atol=1e-9)  # N·m


@all_solvers
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 4), seed=seeds)
def test_a_mirrored_chain_has_mirrored_wrenches(solve: Solver, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    links = random_chain(rng, n).links(TIMES[:9], random_external(rng, n, 9))
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

    for one, other in zip(solve(links, G), solve([mirrored(link) for link in links], G), strict=True):
        np.testing.assert_allclose(other.f_g, one.f_g @ S, atol=1e-9)  # N
        np.testing.assert_allclose(other.m_g, -one.m_g @ S, atol=1e-9)  # N·m


@all_solvers
def test_inertia_may_change_from_frame_to_frame(solve: Solver) -> None:
    (link,) = random_chain(np.random.default_rng(2), 1).links(TIMES)
    scale = 1 + 0.1 * np.sin(TIMES)
    (whole,) = solve([replace(link, inertia_s=link.inertia_s * scale[:, None, None])], G)
    (plain,) = solve([link], G)
    (none,) = solve([replace(link, inertia_s=np.zeros((3, 3)))], G)
    expected = none.m_g + scale[:, None] * (plain.m_g - none.m_g)  # linear in the inertia
    np.testing.assert_allclose(whole.m_g, expected, atol=1e-12)  # N·m


# --- unknown frames ----------------------------------------------------------------------------------------

BLANK = ("R_gs", "com_g", "acc_g", "omega_g", "alpha_g", "joint_g")


def with_gap(link: Link, rows: list[int]) -> Link:
    arrays = {name: getattr(link, name).copy() for name in BLANK}
    for values in arrays.values():
        values[rows] = np.nan
    return replace(link, **arrays)


@pytest.mark.parametrize(
    ("solve", "segment"),
    [(solve, segment) for solve in (solve_block, solve_recursive, solve_dense) for segment in range(3)],
)
def test_an_unknown_segment_blanks_its_joint_and_those_above_it_only(solve: Solver, segment: int) -> None:
    rng = np.random.default_rng(4)
    links = random_chain(rng, 3).links(TIMES, random_external(rng, 3, len(TIMES)))
    whole = solve(links, G)
    links[segment] = with_gap(links[segment], [3, 4, 17])
    known = np.setdiff1d(np.arange(len(TIMES)), [3, 4, 17])
    for i, (w, full) in enumerate(zip(solve(links, G), whole, strict=True)):
        if i >= segment:
            assert np.isnan(w.f_g[[3, 4, 17]]).all()
            assert np.isnan(w.m_g[[3, 4, 17]]).all()
        else:
            np.testing.assert_array_equal(w.m_g[[3, 4, 17]], full.m_g[[3, 4, 17]])
        np.testing.assert_allclose(w.f_g[known], full.f_g[known], atol=1e-12)
        np.testing.assert_allclose(w.m_g[known], full.m_g[known], atol=1e-12)


@all_solvers
def test_an_unknown_load_blanks_every_joint_in_its_frames_only(solve: Solver) -> None:
    rng = np.random.default_rng(5)
    links = random_chain(rng, 3).links(TIMES)
    f, m = rng.normal(size=(2, len(TIMES), 3))
    f[10:14] = m[10:14] = np.nan
    links[0] = replace(links[0], external=Wrench(f, m, np.zeros(3)))
    for w in solve(links, G):
        for values in (w.f_g, w.m_g):
            np.testing.assert_array_equal(np.flatnonzero(np.isnan(values).any(axis=1)), [10, 11, 12, 13])
