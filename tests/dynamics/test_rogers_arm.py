"""Roger's eye and arm: M, V and G against the closed forms of the lecture.

Point masses at the ends of massless links, angles from the upright, the second one from the first link. The printed V
follows from the printed M: V_i = Σ (∂M_ij/∂θ_k − ½ ∂M_jk/∂θ_i) θ̇_j θ̇_k, with ∂M₁₁/∂θ₂ = −2 m₂ l₁ l₂ s₂ and
∂M₁₂/∂θ₂ = −m₂ l₁ l₂ s₂, is −m₂ l₁ l₂ s₂ (θ̇₂² + 2 θ̇₁ θ̇₂) and, for the second joint, +m₂ l₁ l₂ s₂ θ̇₁² (the same in
Craig 2005, section 6.7, whose angles are from the horizontal).
"""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_trees import assert_close

from gaitid.dynamics.joint_space import gravity_terms, jacobian, mass_matrix, velocity_terms
from gaitid.dynamics.joint_tree import Body, JointTree

M1 = M2 = 0.2  # kg, as printed
L1 = L2 = 0.25  # m, as printed
G = 9.81
GRAVITY = np.array([0.0, -G, 0.0])
ROUNDING = 1e-13  # relative; a dozen products
WEIGHT = 1.0  # N·m: g (m₁ l₁ + m₂ l₁ + m₂ l₂) is 1.5, and what is left of it when the arm stands has its rounding
angles = st.floats(-np.pi, np.pi)
rates = st.floats(-10, 10)


def link(name: str, parent: int, start: float, mass: float, length: float) -> Body:
    """Upright (+y) at q = 0, turning about +z."""
    p, com = np.array([0.0, start, 0.0]), np.array([0.0, length, 0.0])
    return Body(name, parent, "revolute", np.array([0.0, 0.0, 1.0]), np.eye(3), p, mass, com, np.zeros((3, 3)))


EYE = JointTree((link("eye", -1, 0.0, M1, L1),))
ARM = JointTree((link("upper arm", -1, 0.0, M1, L1), link("forearm", 0, L1, M2, L2)))


@settings(max_examples=50, deadline=None)
@given(angles, rates)
def test_the_eye(theta: float, rate: float) -> None:
    q = np.array([theta])
    assert_close(mass_matrix(EYE, q), np.array([[M1 * L1**2]]), ROUNDING)
    assert_close(gravity_terms(EYE, q, GRAVITY), -M1 * G * L1 * np.sin(q), ROUNDING, WEIGHT)
    # no Coriolis or centrifugal term: what is left is rounding of m l² θ̇² (1.25 N·m at the most)
    assert abs(velocity_terms(EYE, q, np.array([rate]))[0]) < ROUNDING


@settings(max_examples=50, deadline=None)
@given(angles, angles, rates, rates)
def test_the_arm(theta1: float, theta2: float, rate1: float, rate2: float) -> None:
    q, qd = np.array([theta1, theta2]), np.array([rate1, rate2])
    s1, s12 = np.sin(theta1), np.sin(theta1 + theta2)
    c2, s2 = np.cos(theta2), np.sin(theta2)
    both = M2 * L2**2 + M2 * L1 * L2 * c2
    M = np.array([[both + M2 * L1 * L2 * c2 + (M1 + M2) * L1**2, both], [both, M2 * L2**2]])
    V = M2 * L1 * L2 * s2 * np.array([-(rate2**2 + 2 * rate1 * rate2), rate1**2])
    gravity = np.array([-(M1 + M2) * L1 * s1 * G - M2 * L2 * s12 * G, -M2 * L2 * s12 * G])
    assert_close(mass_matrix(ARM, q), M, ROUNDING)
    assert_close(gravity_terms(ARM, q, GRAVITY), gravity, ROUNDING, WEIGHT)
    # V is what is left of terms of m l² θ̇² each: rounding of 1.25 N·m · 4, absolute
    np.testing.assert_allclose(velocity_terms(ARM, q, qd), V, rtol=0, atol=10 * ROUNDING)


@settings(max_examples=50, deadline=None)
@given(angles, angles)
def test_the_jacobian_of_the_hand(theta1: float, theta2: float) -> None:
    """r = (−l₁ s₁ − l₂ s₁₂, l₁ c₁ + l₂ c₁₂), differentiated."""
    s1, s12, c1, c12 = np.sin(theta1), np.sin(theta1 + theta2), np.cos(theta1), np.cos(theta1 + theta2)
    hand = np.array([[-L1 * c1 - L2 * c12, -L2 * c12], [-L1 * s1 - L2 * s12, -L2 * s12]])
    J = jacobian(ARM, np.array([theta1, theta2]), 1, np.array([0.0, L2, 0.0]))
    assert_close(J, np.vstack([hand, np.zeros((3, 2)), [[1.0, 1.0]]]), ROUNDING)
