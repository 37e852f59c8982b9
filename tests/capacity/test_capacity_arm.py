"""Roger's eye and arm against closed forms: point masses at the ends of massless rods, angles from the upward vertical.

The lecture's numbers: m = 0.2 kg, l = 0.25 m, τᵀτ ≤ 0.005 N²m². With the second joint at 90° everything is a number
that can be written down: A = J M⁻¹ = [[−1, 1], [0, −2]] / (2 m l), whose singular values hold the golden ratio.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaitid.capacity.ellipsoids import (
    acceleration_map,
    acceleration_polytope,
    gravity_bias,
    inertia_ellipsoid,
    manipulability_ellipsoid,
)
from gaitid.dynamics.joint_space import forward, gravity_terms, jacobian, mass_matrix, motion, velocity_terms
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.trial import Array

M_KG, L_M, G_M_PER_S2 = 0.2, 0.25, 9.81
TORQUE = np.sqrt(0.005)  # N·m
GOLDEN = (1 + np.sqrt(5)) / 2
ROUNDING = 1e-12  # relative to numbers of about 1 to 200
angles = st.floats(-np.pi, np.pi)


def inertia(t2: float) -> Array:
    c2 = np.cos(t2)
    return M_KG * L_M**2 * np.array([[3 + 2 * c2, 1 + c2], [1 + c2, 1]])


def velocity(t2: float, w1: float, w2: float) -> Array:
    return M_KG * L_M**2 * np.sin(t2) * np.array([-(w2**2) - 2 * w1 * w2, w1**2])


def gravity(t1: float, t2: float) -> Array:
    s1, s12 = np.sin(t1), np.sin(t1 + t2)
    return -M_KG * L_M * G_M_PER_S2 * np.array([2 * s1 + s12, s12])


def endpoint_rates(t1: float, t2: float) -> Array:
    """J of the tip at (−l s₁ − l s₁₂, l c₁ + l c₁₂)."""
    c1, s1, c12, s12 = np.cos(t1), np.sin(t1), np.cos(t1 + t2), np.sin(t1 + t2)
    return -L_M * np.array([[c1 + c12, c12], [s1 + s12, s12]])


@pytest.fixture(scope="module")
def arm() -> tuple[Array, Array, Array]:
    """M, J and G with the first link upright and the second level."""
    return inertia(np.pi / 2), endpoint_rates(0.0, np.pi / 2), gravity(0.0, np.pi / 2)


def test_the_inertia_ellipsoid_of_the_arm(arm: tuple[Array, Array, Array]) -> None:
    """M = m l² [[3, 1], [1, 1]] has the eigenvalues m l² (2 ± √2), along tan = ±√2 − 1."""
    found = inertia_ellipsoid(arm[0])
    np.testing.assert_allclose(found.semi_axes, M_KG * L_M**2 * (2 + np.array([1, -1]) * np.sqrt(2)), rtol=ROUNDING)
    np.testing.assert_allclose(found.directions[1, 0] / found.directions[0, 0], np.sqrt(2) - 1, rtol=ROUNDING)


def test_the_manipulability_ellipsoid_of_the_arm(arm: tuple[Array, Array, Array]) -> None:
    """A Aᵀ = [[2, −2], [−2, 4]] / (2 m l)²: semi-axes √0.005 √(3 ± √5) / (2 m l) = φ and 1/φ m/s², area π."""
    M, J, G = arm
    found = manipulability_ellipsoid(J, M, np.full(2, TORQUE), gravity_bias(J, M, G))
    np.testing.assert_allclose(found.semi_axes, [GOLDEN, 1 / GOLDEN], rtol=ROUNDING)
    np.testing.assert_allclose(found.directions[1, 0] / found.directions[0, 0], -GOLDEN, rtol=ROUNDING)
    np.testing.assert_allclose(found.volume, np.pi, rtol=ROUNDING)


def test_the_polytope_of_the_arm(arm: tuple[Array, Array, Array]) -> None:
    """A parallelogram with the corners ±(0, 2), ±(2, −2) times √0.005 / (2 m l) = √½ from its middle, area 4."""
    M, J, G = arm
    bias = gravity_bias(J, M, G)
    found = acceleration_polytope(acceleration_map(J, M), np.full(2, -TORQUE), np.full(2, TORQUE), bias)
    expected = np.array([[-2, 2], [0, -2], [0, 2], [2, -2]]) * np.sqrt(0.5)
    corners = found.vertices - bias
    np.testing.assert_allclose(corners[np.lexsort(corners.round(6).T[::-1])], expected, atol=1e-12)  # m/s²
    assert found.rank == 2
    assert found.volume == pytest.approx(4.0, rel=ROUNDING)  # m²/s⁴


@given(t1=angles, t2=angles, w1=st.floats(-5, 5), w2=st.floats(-5, 5))
def test_the_closed_forms_are_those_of_the_joint_tree(t1: float, t2: float, w1: float, w2: float) -> None:
    z, none = np.array([0.0, 0.0, 1.0]), np.zeros((3, 3))
    link = np.array([0.0, L_M, 0.0])
    tree = JointTree(
        (
            Body("upper", -1, "revolute", z, np.eye(3), np.zeros(3), M_KG, link, none),
            Body("lower", 0, "revolute", z, np.eye(3), link, M_KG, link, none),
        )
    )
    q, w, g = np.array([t1, t2]), np.array([w1, w2]), np.array([0.0, -G_M_PER_S2, 0.0])
    np.testing.assert_allclose(mass_matrix(tree, q), inertia(t2), atol=1e-14)  # kg·m²
    np.testing.assert_allclose(velocity_terms(tree, q, w), velocity(t2, w1, w2), atol=1e-12)  # N·m
    np.testing.assert_allclose(gravity_terms(tree, q, g), gravity(t1, t2), atol=1e-12)
    J = jacobian(tree, q, 1, link)[:2]
    np.testing.assert_allclose(J, endpoint_rates(t1, t2), atol=1e-14)  # m
    coasting = motion(tree, q, w, forward(tree, q, w, np.zeros(2), np.zeros(3))).acc_g[1, :2]
    by_motion = motion(tree, q, w).acc_g[1, :2] - acceleration_map(J, inertia(t2)) @ velocity(t2, w1, w2)
    np.testing.assert_allclose(by_motion, coasting, atol=1e-9)  # m/s², of up to 100
