"""The multiplier form by itself: its Jacobian, its accelerations, and its loads on both bodies of a joint."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import TIMES, G, Tree, mv, random_external, random_tree

from gaitid.dynamics.chain import Chain
from gaitid.dynamics.newton_euler import _jacobian, accelerations_and_multipliers, solve_constrained
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
