"""Trees of joints: kinematics by differences, M, V, G by energy and Lagrange, wrenches by the other solvers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_trees import TILTED, assert_close, random_state, random_tree, slope

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.joint_space import (
    Load,
    TreeMotion,
    energy,
    gravity_terms,
    inverse,
    jacobian,
    mass_matrix,
    motion,
    velocity_terms,
)
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.errors import ModelError

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25, deadline=None)

ROUNDING = 1e-12  # sums of a few dozen products, of trees a metre or two across: hundreds of rounding errors
DIFFERENCES = 1e-8  # of `slope` at rates up to 4 rad/s for joints in series: 1e-13 · (6 · 4)⁵ at the most


def along(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray | float, h: float) -> tuple[np.ndarray, np.ndarray]:
    return q + qd * h + qdd * h * h / 2, qd + qdd * h


# --- motion ------------------------------------------------------------------------------------------------


@few
@given(seeds)
def test_velocities_and_accelerations_are_slopes_of_poses(seed: int) -> None:
    tree = random_tree(seed)
    q, qd, qdd, _ = random_state(tree, seed)
    now = motion(tree, q, qd, qdd)

    def at(h: float) -> TreeMotion:
        return motion(tree, *along(q, qd, qdd, h), qdd)

    assert_close(now.vel_g, slope(lambda h: at(h).com_g), DIFFERENCES)
    assert_close(now.acc_g, slope(lambda h: at(h).vel_g), DIFFERENCES)
    assert_close(now.alpha_g, slope(lambda h: at(h).omega_g), DIFFERENCES)
    # Ṙ = ω × R, column by column
    turning = np.cross(now.omega_g[..., None, :], np.swapaxes(now.R_gb, -1, -2))
    assert_close(np.swapaxes(turning, -1, -2), slope(lambda h: at(h).R_gb), DIFFERENCES)


@few
@given(seeds)
def test_jacobian_and_its_rate_are_slopes(seed: int) -> None:
    tree = random_tree(seed)
    q, qd, _, _ = random_state(tree, seed)
    body = seed % len(tree)
    point = np.array([0.2, -0.3, 0.1])

    def place(x: np.ndarray) -> np.ndarray:
        moved = motion(tree, x)
        return moved.origin_g[:, body] + moved.R_gb[:, body] @ point

    J = jacobian(tree, q, body, point)
    assert J.shape == (3, 6, len(tree))
    velocity = np.einsum("tij,tj->ti", J, qd)
    assert_close(velocity[:, :3], slope(lambda h: place(q + qd * h)), DIFFERENCES)
    assert_close(velocity[:, 3:], motion(tree, q, qd).omega_g[:, body], ROUNDING)


# --- M, V, G -----------------------------------------------------------------------------------------------


@few
@given(seeds)
def test_mass_matrix_is_symmetric_positive_definite_and_twice_the_kinetic_energy(seed: int) -> None:
    tree = random_tree(seed)
    q, qd, _, _ = random_state(tree, seed)
    M = mass_matrix(tree, q)
    np.testing.assert_array_equal(M, np.swapaxes(M, -1, -2))
    assert np.linalg.eigvalsh(M).min() > 0
    assert_close(np.einsum("ti,tij,tj->t", qd, M, qd) / 2, energy(tree, q, qd, TILTED)[0], ROUNDING)


@few
@given(seeds)
def test_velocity_terms_are_the_christoffel_terms_of_the_mass_matrix(seed: int) -> None:
    """V_i = Σ (∂M_ij/∂q_k − ½ ∂M_jk/∂q_i) q̇_j q̇_k (Lagrange); hence q̇ᵀ (Ṁ − 2 C) q̇ = 0."""
    tree = random_tree(seed)
    q, qd, _, _ = random_state(tree, seed)
    n = len(tree)
    dM = np.stack([slope(lambda h, k=k: mass_matrix(tree, q + h * np.eye(n)[k])) for k in range(n)], axis=-1)
    lagrange = np.einsum("tijk,tj,tk->ti", dM, qd, qd) - np.einsum("tjki,tj,tk->ti", dM, qd, qd) / 2
    V = velocity_terms(tree, q, qd)
    Mdot = slope(lambda h: mass_matrix(tree, q + h * qd))
    # of M at rates of 1: sliding joints have a V of 0
    least = np.abs(mass_matrix(tree, q)).max()
    assert_close(V, lagrange, DIFFERENCES, least)
    assert_close(np.einsum("ti,tij,tj->t", qd, Mdot, qd), 2 * np.einsum("ti,ti->t", qd, V), DIFFERENCES, least)


def load_on(tree: JointTree, body: int, q: np.ndarray, point_b: np.ndarray) -> tuple[Load, np.ndarray]:
    """A load at a point of a body, and the same as JᵀE."""
    force, moment = np.array([[30.0, -20.0, 50.0]] * 3), np.array([[1.0, 4.0, -2.0]] * 3)
    moved = motion(tree, q)
    load = Load(body, force, moment, moved.origin_g[:, body] + moved.R_gb[:, body] @ point_b)
    E = np.concatenate([force, moment], axis=-1)
    return load, np.einsum("tij,ti->tj", jacobian(tree, q, body, point_b), E)


@few
@given(seeds)
def test_inverse_dynamics_is_the_sum_of_its_terms(seed: int) -> None:
    tree = random_tree(seed)
    q, qd, qdd, _ = random_state(tree, seed)
    load, from_outside = load_on(tree, seed % len(tree), q, np.array([0.1, 0.2, -0.4]))
    tau, _ = inverse(tree, q, qd, qdd, TILTED, [load])
    terms = np.einsum("tij,tj->ti", mass_matrix(tree, q), qdd) + velocity_terms(tree, q, qd)
    assert_close(tau, terms + gravity_terms(tree, q, TILTED) - from_outside, ROUNDING)


@few
@given(seeds)
def test_power_of_torques_and_loads_is_the_rate_of_energy(seed: int) -> None:
    tree = random_tree(seed)
    q, qd, qdd, _ = random_state(tree, seed)
    load, from_outside = load_on(tree, seed % len(tree), q, np.array([0.1, 0.2, -0.4]))
    tau, _ = inverse(tree, q, qd, qdd, TILTED, [load])
    rate = slope(lambda h: np.sum(energy(tree, *along(q, qd, qdd, h), TILTED), axis=0))
    assert_close(np.einsum("ti,ti->t", tau + from_outside, qd), rate, DIFFERENCES)


# --- against the solvers of segments -----------------------------------------------------------------------


@few
@given(seeds, st.sampled_from(sorted(SOLVERS)))
def test_wrenches_are_those_of_the_other_solvers(seed: int, solver: str) -> None:
    tree = random_tree(seed)
    q, qd, qdd, _ = random_state(tree, seed)
    n, loaded = len(tree), seed % len(tree)
    load, _ = load_on(tree, loaded, q, np.array([0.1, 0.2, -0.4]))
    moved = motion(tree, q, qd, qdd)
    links = [
        Link(
            mass=body.mass,
            inertia_s=body.inertia_b,
            R_gs=moved.R_gb[:, i],
            com_g=moved.com_g[:, i],
            acc_g=moved.acc_g[:, i],
            omega_g=moved.omega_g[:, i],
            alpha_g=moved.alpha_g[:, i],
            joint_g=moved.origin_g[:, i],
            external=Wrench(load.force_g, load.moment_g, load.point_g) if i == loaded else None,
        )
        for i, body in enumerate(tree.bodies)
    ]
    proximal = [None if body.parent < 0 else n - 1 - body.parent for body in reversed(tree.bodies)]
    solved = SOLVERS[solver](Chain(links[::-1], proximal), TILTED)
    for ours, theirs in zip(inverse(tree, q, qd, qdd, TILTED, [load])[1], solved[::-1], strict=True):
        # 1e-10: the dense solver is an LU of 36 × 36
        assert_close(ours.f_g, theirs.f_g, 1e-10)
        assert_close(ours.m_g, theirs.at(ours.p_g).m_g, 1e-10)


# --- shapes, the unknown, refusals -------------------------------------------------------------------------


BODY = Body("shank", -1, "revolute", [0, 0, 1], np.eye(3), np.zeros(3), 3.0, [0, -0.2, 0], np.diag([0.05, 0.01, 0.05]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"axis_b": [0, 0, 2.0]}, "axis_b"),
        ({"com_b": [0, np.nan, 0]}, "com_b"),
        ({"kind": "hinge"}, "kind"),
        ({"inertia_b": np.diag([0.05, -0.01, 0.05])}, "inertia_b"),
        ({"inertia_b": [[0.05, 0.01, 0], [0, 0.05, 0], [0, 0, 0.05]]}, "inertia_b"),
        ({"mass": 0.0, "inertia_b": np.zeros((3, 3))}, "free end without inertia"),
    ],
)
def test_refusals_name_the_body_and_the_field(change: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError) as refused:
        JointTree((replace(BODY, **change),))
    line = str(refused.value)
    assert "shank" in line and said in line and "\n" not in line
