"""Contributions to joint wrenches: they sum to the whole, each is what its cause alone asks, unknown stays empty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import TIMES, G, Tree, random_external, random_tree, summed
from scipy.spatial.transform import Rotation
from simulated_trials import simulated_walk

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.fictitious import (
    CONTRIBUTIONS,
    FICTITIOUS,
    Observer,
    RelativeMotion,
    Terms,
    contributions,
    relative_motion,
    segment_observer,
)
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.numerics.jet import apply, transpose

# Of the largest term: sums of some ten numbers, each rounded at 1e-16.
ROUNDING = 1e-12
# Of the largest term, for solvers that factorise a matrix a frame: what the four must agree to.
AGREEMENT = 1e-9
REACH_M = 5.0  # no lever arm in a random tree is longer: a force's rounding times it is the moment's
seeds = st.integers(0, 2**32 - 1)
all_solvers = pytest.mark.parametrize("solver", SOLVERS)


def loaded_tree(seed: int, n: int) -> tuple[Tree, Chain, list[np.ndarray]]:
    """A random tree with loads, and its centres' velocities in the chain's order."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n)
    return tree, tree.chain(TIMES, random_external(rng, n, len(TIMES))), tree.velocities(TIMES)[1][::-1]


def any_observer(seed: int) -> Observer:
    """Any instantaneous state will do: the algebra does not ask whether the frames follow from each other."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(len(TIMES), rng).as_matrix()
    return Observer(R, *rng.normal(0, 3, (5, len(TIMES), 3)))


def motions(chain: Chain, velocities: list[np.ndarray], observer: Observer) -> list[RelativeMotion]:
    return [relative_motion(link, v, observer) for link, v in zip(chain.links, velocities, strict=True)]


def assert_sums(found: list[Terms], wrenches: list[Wrench], tolerance: float) -> None:
    for terms, wrench in zip(found, wrenches, strict=True):
        f, m = summed(terms)
        force = max(np.abs(w.f_g).max() for w in terms.values())
        moment = max(np.abs(w.m_g).max() for w in terms.values())
        np.testing.assert_allclose(f, wrench.f_g, rtol=0, atol=tolerance * force)  # N
        np.testing.assert_allclose(m, wrench.m_g, rtol=0, atol=tolerance * (moment + REACH_M * force))  # N·m


@all_solvers
@given(seeds, st.integers(1, 6))
@settings(max_examples=15, deadline=None)
def test_contributions_sum_to_the_solvers_wrench(solver: str, seed: int, n: int) -> None:
    """Without an observer, for one on each segment, and for any other."""
    tolerance = ROUNDING if solver in ("block", "recursive") else AGREEMENT
    _, chain, velocities = loaded_tree(seed, n)
    wrenches = SOLVERS[solver](chain, G)
    assert_sums(contributions(chain, G), wrenches, tolerance)
    riders = [segment_observer(link, v, link.joint_g) for link, v in zip(chain.links, velocities, strict=True)]
    for observer in (*riders, any_observer(seed)):
        found = contributions(chain, G, observer, motions(chain, velocities, observer))
        assert all(set(terms) == {*CONTRIBUTIONS, *FICTITIOUS} for terms in found)
        assert_sums(found, wrenches, tolerance)


def alone(chain: Chain, *, moving: bool, loaded: bool) -> Chain:
    """The same chain at rest, or without its loads."""

    def link(one: Link) -> Link:
        zero = np.zeros_like(one.acc_g)
        still = one if moving else replace(one, acc_g=zero, omega_g=zero, alpha_g=zero)
        return still if loaded else replace(still, external=None)

    return Chain([link(one) for one in chain.links], chain.proximal)


@all_solvers
@given(seeds)
@settings(max_examples=15, deadline=None)
def test_each_is_what_its_cause_alone_asks(solver: str, seed: int) -> None:
    """Wrenches are linear in their causes: a solver that is given one of them finds that contribution."""
    _, chain, _ = loaded_tree(seed, 4)
    causes = {
        "gravity": (alone(chain, moving=False, loaded=False), G),
        "inertia": (alone(chain, moving=True, loaded=False), 0 * G),
        "ground_reaction": (alone(chain, moving=False, loaded=True), 0 * G),
    }
    found = contributions(chain, G)
    for name, (only, gravity) in causes.items():
        for terms, wrench in zip(found, SOLVERS[solver](only, gravity), strict=True):
            scale = 1.0 + np.abs(terms[name].f_g).max()
            np.testing.assert_allclose(terms[name].f_g, wrench.f_g, rtol=0, atol=AGREEMENT * scale)  # N
            moment = scale * REACH_M + np.abs(terms[name].m_g).max()
            np.testing.assert_allclose(terms[name].m_g, wrench.m_g, rtol=0, atol=AGREEMENT * moment)  # N·m


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_turning_and_shifting_the_laboratory_turns_every_contribution(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, chain, velocities = loaded_tree(seed, 3)
    Q, shift = Rotation.random(None, rng).as_matrix(), rng.normal(0, 1, 3)

    def vector(v: np.ndarray) -> np.ndarray:
        return v @ Q.T

    def place(p: np.ndarray) -> np.ndarray:
        return vector(p) + shift

    def link(one: Link) -> Link:
        load = one.external
        turned = load and Wrench(vector(load.f_g), vector(load.m_g), place(load.p_g))
        vectors = (vector(v) for v in (one.acc_g, one.omega_g, one.alpha_g))
        return Link(one.mass, one.inertia_s, Q @ one.R_gs, place(one.com_g), *vectors, place(one.joint_g), turned)

    other = Chain([link(one) for one in chain.links], chain.proximal)
    riders = [
        segment_observer(c.links[-1], v, c.links[-1].joint_g)
        for c, v in ((chain, velocities[-1]), (other, vector(velocities[-1])))
    ]
    here = contributions(chain, G, riders[0], motions(chain, velocities, riders[0]))
    there = contributions(other, vector(G), riders[1], motions(other, [vector(v) for v in velocities], riders[1]))
    for a, b in zip(here, there, strict=True):
        force = max(np.abs(w.f_g).max() for w in a.values())
        moment = max(np.abs(w.m_g).max() for w in a.values())
        for name in a:
            np.testing.assert_allclose(vector(a[name].f_g), b[name].f_g, rtol=0, atol=1e-11 * force)  # N
            # the shift of some metres costs digits in every lever arm
            np.testing.assert_allclose(vector(a[name].m_g), b[name].m_g, rtol=0, atol=1e-11 * (moment + 5 * force))


# --- unknown stays empty ----------------------------------------------------------------------------------------


# --- a whole walk against a truth that knows no Newton-Euler ------------------------------------------------------

SEGMENTS = ("foot", "shank", "thigh")
JOINTS = ("ankle", "knee", "hip")


def walking_leg() -> tuple[Chain, list[np.ndarray], np.ndarray]:
    """The left leg of the simulated walk, exact; velocities; times."""
    walk = simulated_walk().walk
    state = walk.at(simulated_walk().truth.time_s)
    load = state.load["left"]
    ground = Wrench(load.force_g, load.free_moment_g, np.where(np.isfinite(load.cop_g), load.cop_g, 0.0))
    links = [
        Link(
            walk.subject.segment_mass_kg(segment),
            walk.subject.inertia_s("left", segment),
            state.rotation[f"left_{segment}"],
            state.com_g[f"left_{segment}"],
            state.acceleration_g[f"left_{segment}"],
            state.omega_g[f"left_{segment}"],
            state.alpha_g[f"left_{segment}"],
            state.joint_g[f"left_{joint}"],
            ground if segment == "foot" else None,
        )
        for segment, joint in zip(SEGMENTS, JOINTS, strict=True)
    ]
    return Chain(links), [state.velocity_g[f"left_{segment}"] for segment in SEGMENTS], state.time_s


def test_walk_seen_from_the_shank_equals_the_momentum_principle() -> None:
    """Relative motion differentiated in the shank's axes; the truth is the rate of momentum beyond the joint."""
    chain, velocities, times = walking_leg()
    walk = simulated_walk().walk
    skeleton = walk.gait.walking(times)
    shank = chain.links[1]
    observer = segment_observer(shank, velocities[1], shank.joint_g)
    R_sg, knee = transpose(skeleton.rotation["left_shank"]), skeleton.point["left_knee"]
    seen = [RelativeMotion(*apply(R_sg, skeleton.com[f"left_{segment}"] - knee).d[:3]) for segment in SEGMENTS]
    truth = walk.at(times).wrench
    for joint, terms in zip(JOINTS, contributions(chain, G, observer, seen), strict=True):
        (f, m), (f_true, m_true) = summed(terms), truth["left", joint]
        np.testing.assert_allclose(f, f_true, rtol=0, atol=1e-9 * np.abs(f_true).max())  # N
        np.testing.assert_allclose(m, m_true, rtol=0, atol=1e-9 * np.abs(f_true).max())  # N·m, arms below 1 m


# --- recorded trials: noisy motion, whose positions and accelerations do not follow from each other -----------------
