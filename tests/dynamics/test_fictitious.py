"""An observer who moves and turns: relative motion differentiated exactly, textbook cases, and rest.

Motions are jets: values with their exact derivatives. What the observer sees is differentiated in the observer's own
axes, R_goᵀ (c − p), so that the transport formula under test has no part in it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import G, random_inertia, summed

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.fictitious import (
    FICTITIOUS,
    Observer,
    RelativeMotion,
    contributions,
    observed_wrenches,
    relative_motion,
)
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.numerics.jet import (
    Jet,
    angular_velocity,
    apply,
    constant,
    matmul,
    sin_cos,
    stack,
    time_jet,
    transpose,
    turn,
)

TIMES_S = np.linspace(0.0, 2.0, 31)
# Of the largest term: some ten roundings of 1e-16 each.
ROUNDING = 1e-12
# Of the largest term, for solvers that factorise a matrix a frame: what the four must agree to.
AGREEMENT = 1e-9
ORDER = 3
seeds = st.integers(0, 2**32 - 1)


def wave(rng: np.random.Generator, size: float) -> Jet:
    angle = time_jet(TIMES_S, ORDER) * rng.uniform(1, 6) + rng.uniform(0, 6)
    return sin_cos(angle)[0] * (size * rng.uniform(0.3, 1))


def point(rng: np.random.Generator, size: float = 0.5) -> Jet:
    return stack([wave(rng, size) for _ in range(3)]) + rng.normal(0, 1, 3)


def rotation(rng: np.random.Generator) -> Jet:
    return matmul(matmul(turn(2, wave(rng, 2.0)), turn(1, wave(rng, 1.5))), turn(0, wave(rng, 2.0)))


def make_link(R: Jet, com: Jet, joint_g: np.ndarray, mass: float, inertia_s: np.ndarray) -> Link:
    omega = angular_velocity(R)
    return Link(mass, inertia_s, R.value, com.value, com.d[2], omega.value, omega.d[1], joint_g)


def observe(R: Jet, p: Jet) -> Observer:
    omega = angular_velocity(R)
    return Observer(R.value, *p.d[:3], omega.value, omega.d[1])


def differentiated(R: Jet, p: Jet, com: Jet) -> RelativeMotion:
    return RelativeMotion(*apply(transpose(R), com - p).d[:3])


def still() -> Observer:
    zero = np.zeros((len(TIMES_S), 3))
    return Observer(np.broadcast_to(np.eye(3), (len(TIMES_S), 3, 3)), zero, zero, zero, zero, zero)


def largest(*arrays: np.ndarray) -> float:
    return max(float(np.abs(a).max()) for a in arrays)


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_derived_relative_motion_is_the_differentiated_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    R, p, com = rotation(rng), point(rng), point(rng)
    observer = observe(R, p)
    link = make_link(rotation(rng), com, com.value, 1.0, np.eye(3))
    derived, true = relative_motion(link, com.d[1], observer), differentiated(R, p, com)
    omega = largest(observer.omega_g)
    reach = largest(true.r_o)
    np.testing.assert_allclose(derived.r_o, true.r_o, rtol=0, atol=ROUNDING * (1 + reach))  # m
    speed = largest(com.d[1], p.d[1]) + omega * reach
    np.testing.assert_allclose(derived.v_o, true.v_o, rtol=0, atol=ROUNDING * speed)  # m/s
    # the terms of which the acceleration is what is left
    terms = largest(com.d[2], p.d[2]) + (largest(observer.alpha_g) + omega**2) * reach + 2 * omega * speed
    np.testing.assert_allclose(derived.a_o, true.a_o, rtol=0, atol=ROUNDING * terms)  # m/s²


@given(seeds, st.integers(1, 5))
@settings(max_examples=20, deadline=None)
def test_wrench_computed_in_any_observer_is_every_solvers(seed: int, n: int) -> None:
    """From relative motion that was differentiated in the observer's axes, on trees with loads."""
    rng = np.random.default_rng(seed)
    R, p = rotation(rng), point(rng)
    links, seen = [], []
    for _ in range(n):
        mass, com = float(rng.uniform(0.1, 20)), point(rng)
        link = make_link(rotation(rng), com, point(rng).value, mass, random_inertia(rng, mass))
        load = Wrench(*rng.normal(0, 100, (3, len(TIMES_S), 3)))
        links.append(replace(link, external=load) if rng.uniform() < 0.5 else link)
        seen.append(differentiated(R, p, com))
    chain = Chain(links, [*(int(rng.integers(i + 1, n)) for i in range(n - 1)), None])
    observer = observe(R, p)
    terms = contributions(chain, G, observer, seen)
    for solver, solve in SOLVERS.items():
        tolerance = ROUNDING if solver in ("block", "recursive") else AGREEMENT
        for parts, wrench in zip(terms, solve(chain, G), strict=True):
            f, m = (largest(*(getattr(part, name) for part in parts.values())) for name in ("f_g", "m_g"))
            force, moment = summed(parts)
            np.testing.assert_allclose(force, wrench.f_g, rtol=0, atol=tolerance * f)  # N
            # a force that cancels leaves its rounding times the arm, metres
            np.testing.assert_allclose(moment, wrench.m_g, rtol=0, atol=tolerance * (m + 5 * f))  # N·m


@given(seeds, st.booleans())
@settings(max_examples=20, deadline=None)
def test_at_rest_or_drifting_nothing_is_fictitious(seed: int, drifts: bool) -> None:
    """Galileo: an observer who neither turns nor accelerates finds the laboratory's wrenches, exactly."""
    rng = np.random.default_rng(seed)
    com = point(rng)
    link = make_link(rotation(rng), com, point(rng).value, 3.0, random_inertia(rng, 3.0))
    drift = rng.normal(0, 2, 3) * drifts
    observer = replace(still(), p_g=TIMES_S[:, None] * drift, v_g=np.broadcast_to(drift, (len(TIMES_S), 3)))
    (plain,) = contributions(Chain([link]), G)
    (terms,) = contributions(Chain([link]), G, observer, [relative_motion(link, com.d[1], observer)])
    for name in FICTITIOUS:
        assert not terms[name].f_g.any() and not terms[name].m_g.any()
    np.testing.assert_allclose(terms["inertia"].f_g, plain["inertia"].f_g, rtol=1e-14, atol=1e-14)  # N
    scale = largest(plain["inertia"].m_g, plain["inertia"].f_g)
    np.testing.assert_allclose(terms["inertia"].m_g, plain["inertia"].m_g, rtol=0, atol=ROUNDING * scale)  # N·m


# --- the elementary examples: one fictitious wrench each --------------------------------------------------------
# Mielke F (2020) Inverse Dynamics, elementary examples 1-4, mielke-bio.info: a point mass m in each.

MASS, RADIUS, HEIGHT, OMEGA = 0.4, 0.3, 0.2, 5.0
ZERO = np.zeros((3, 3))


def turntable(angle: Jet) -> tuple[Jet, Observer]:
    """Axes that turn about the vertical through the origin, and who sits on them."""
    R = turn(2, angle)
    return R, observe(R, constant(np.zeros((len(TIMES_S), 3)), ORDER))


def on_table(R: Jet, place: Jet | np.ndarray, joint_o: np.ndarray) -> tuple[Link, np.ndarray]:
    """A point mass at a place of the table, held at a joint that is fixed to the table."""
    com = apply(R, place)
    return make_link(R, com, np.einsum("tij,j->ti", R.value, joint_o), MASS, ZERO), com.d[1]


def seen_terms(link: Link, velocity_g: np.ndarray, observer: Observer) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Force and moment of each term, in the observer's axes."""
    terms = observed_wrenches(link, observer, relative_motion(link, velocity_g, observer))
    return {name: (observer.seen(wrench.f_g), observer.seen(wrench.m_g)) for name, wrench in terms.items()}


def assert_only(terms: dict[str, tuple[np.ndarray, np.ndarray]], **forces: np.ndarray) -> None:
    """The forces named are these, N; all others vanish."""
    for name, (force, _) in terms.items():
        np.testing.assert_allclose(force, np.broadcast_to(forces.get(name, 0.0), force.shape), atol=1e-12, err_msg=name)


def test_needle_on_a_vinyl_is_the_centrifugal_wrench() -> None:
    """Steady turning: the record must pull the needle's foot inward with m ω² l and tilt it with m ω² l h."""
    R, observer = turntable(time_jet(TIMES_S, ORDER) * OMEGA)
    link, velocity = on_table(R, np.array([RADIUS, 0, HEIGHT]), np.array([RADIUS, 0, 0]))
    terms = seen_terms(link, velocity, observer)
    pull = MASS * OMEGA**2 * RADIUS
    assert_only(terms, centrifugal=np.array([-pull, 0, 0]))
    expected = np.broadcast_to([0, -pull * HEIGHT, 0], (len(TIMES_S), 3))  # h z × (−pull x)
    np.testing.assert_allclose(terms["centrifugal"][1], expected, atol=1e-12)  # N·m


def test_dalemberts_arm_at_the_elbow() -> None:
    """An observer at the elbow, turning with the upper arm: the elbow's own acceleration is the D'Alembert share."""
    angle = sin_cos(time_jet(TIMES_S, ORDER) * 2.0)[0]
    upper, fore = turn(2, angle), turn(2, angle * 2.5)
    elbow = apply(upper, np.array([0.3, 0, 0]))
    com = elbow + apply(fore, np.array([0.2, 0, 0]))
    link = make_link(fore, com, elbow.value, MASS, ZERO)
    observer = observe(upper, elbow)
    terms = seen_terms(link, com.d[1], observer)
    a, b = angle.d[1], angle.d[2]
    elbow_o = np.stack([-0.3 * a**2, 0.3 * b, 0 * a], axis=-1)  # in the upper arm's axes
    np.testing.assert_allclose(terms["dalembert"][0], MASS * elbow_o, atol=1e-12)  # N
    # the forearm turns at 1.5 a against the upper arm: r = 0.2 (cos 1.5 φ, sin 1.5 φ), v_rel = 1.5 a z × r
    relative = 0.2 * np.stack([np.cos(1.5 * angle.value), np.sin(1.5 * angle.value), 0 * a], axis=-1)
    np.testing.assert_allclose(terms["centrifugal"][0], -MASS * a[:, None] ** 2 * relative, atol=1e-12)
    np.testing.assert_allclose(terms["coriolis"][0], -3 * MASS * a[:, None] ** 2 * relative, atol=1e-12)
