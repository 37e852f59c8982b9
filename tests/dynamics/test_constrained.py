"""The multiplier form by itself: its Jacobian, its accelerations, and its loads on both bodies of a joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import TIMES, G, Tree, mv, random_external, random_tree

from gaitid.dynamics.chain import Chain
from gaitid.dynamics.constrained import _jacobian, accelerations_and_multipliers, solve_constrained
from gaitid.numerics.rotation import apply_transposed

seeds = st.integers(0, 2**32 - 1)


def velocities(tree: Tree, chain: Chain) -> np.ndarray:
    """q̇ as the coordinates have it: centres of mass in laboratory axes, turning in body axes; (frames, 6n)."""
    coms = tree.velocities(TIMES)[1][::-1]
    return np.concatenate(
        [x for link, v in zip(chain.links, coms) for x in (v, apply_transposed(link.R_gs, link.omega_g))], axis=1
    )


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 6), seed=seeds)
def test_the_jacobian_times_the_velocities_is_the_velocity_across_the_joints(n: int, seed: int) -> None:
    tree = random_tree(np.random.default_rng(seed), n)
    chain = tree.chain(TIMES)
    across = mv(_jacobian(chain), velocities(tree, chain)).reshape(len(TIMES), n, 2, 3)
    joints = tree.velocities(TIMES)[0][::-1]
    for i, above in enumerate(chain.proximal):
        # both bodies have the joint's point in common; the first hangs from a point of the laboratory that moves
        point = joints[i] if above is None else np.zeros_like(joints[i])
        turning = chain.links[i].omega_g - (0.0 if above is None else chain.links[above].omega_g)
        np.testing.assert_allclose(across[:, i, 0], point, atol=1e-12)  # m/s
        np.testing.assert_allclose(across[:, i, 1], turning, atol=1e-12)  # rad/s


@settings(max_examples=20, deadline=None)
@given(n=st.integers(2, 6), seed=seeds)
def test_gamma_of_a_joint_that_holds_is_the_textbook_s(n: int, seed: int) -> None:
    """Φq q̈ = −ω_i × (ω_i × d) + ω_j × (ω_j × e) for a spherical joint (Nikravesh 1988, ch. 7; Haug 1989, ch. 9)."""
    chain = random_tree(np.random.default_rng(seed), n).chain(TIMES)
    accelerations, _ = accelerations_and_multipliers(chain, G)
    gamma = mv(_jacobian(chain), accelerations.reshape(len(TIMES), -1)).reshape(len(TIMES), n, 2, 3)
    for i, above in enumerate(chain.proximal):
        if above is None:
            continue
        expected = 0.0
        for sign, body in ((-1.0, chain.links[i]), (1.0, chain.links[above])):
            arm = chain.links[i].joint_g - body.com_g
            expected = expected + sign * np.cross(body.omega_g, np.cross(body.omega_g, arm))
        np.testing.assert_allclose(gamma[:, i, 0], expected, atol=1e-9)  # m/s², of some hundred


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 5), seed=seeds, skin=st.booleans())
def test_the_solved_accelerations_are_the_measured_ones(n: int, seed: int, skin: bool) -> None:
    """Also where skin moves, so that the joints of the measured motion come apart."""
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES, random_external(rng, n, len(TIMES)))
    if skin:
        links = [replace(x, acc_g=x.acc_g + rng.normal(0, 3, x.acc_g.shape)) for x in chain.links]
        chain = Chain(links, chain.proximal)
    accelerations, _ = accelerations_and_multipliers(chain, G)
    for i, link in enumerate(chain.links):
        np.testing.assert_allclose(accelerations[:, i, 0], link.acc_g, atol=1e-9)  # m/s², of some hundred
        alpha = apply_transposed(link.R_gs, link.alpha_g)
        np.testing.assert_allclose(accelerations[:, i, 1], alpha, atol=1e-9)  # rad/s²


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 5), seed=seeds)
def test_the_multipliers_power_is_that_of_the_wrenches_on_both_bodies(n: int, seed: int) -> None:
    """Virtual power: −q̇ᵀ Φqᵀ λ = Σ f · (v_i − v_j at the joint) + m · (ω_i − ω_j), whatever velocities are tried."""
    rng = np.random.default_rng(seed)
    chain = random_tree(rng, n).chain(TIMES, random_external(rng, n, len(TIMES)))
    _, multipliers = accelerations_and_multipliers(chain, G)
    tried = rng.normal(size=(len(TIMES), n, 2, 3))
    load = -np.einsum("tij,ti->tj", _jacobian(chain), multipliers.reshape(len(TIMES), -1))
    total = np.zeros(len(TIMES))
    for i, (w, above) in enumerate(zip(solve_constrained(chain, G), chain.proximal)):
        for sign, b in ((1.0, i), (-1.0, above)):
            if b is None:
                continue
            body = chain.links[b]
            omega = mv(body.R_gs, tried[:, b, 1])
            v = tried[:, b, 0] + np.cross(omega, w.p_g - body.com_g)
            total += sign * np.sum(w.f_g * v + w.m_g * omega, axis=1)
    # W, of some thousands
    np.testing.assert_allclose(np.sum(load * tried.reshape(len(TIMES), -1), axis=1), total, atol=1e-8)


def test_it_solves_the_whole_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """12n × 12n in every frame: nothing of the block matrix or of the recursion in it."""
    solve, shapes = np.linalg.solve, []

    def spy(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        shapes.append(a.shape)
        return solve(a, b)

    chain = random_tree(np.random.default_rng(0), 4).chain(TIMES)
    monkeypatch.setattr(np.linalg, "solve", spy)
    solve_constrained(chain, G)
    assert shapes == [(len(TIMES), 48, 48)]
