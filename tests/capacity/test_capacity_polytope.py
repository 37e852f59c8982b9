"""Polytopes and ellipsoids of any map: against linear programming, closed-form volumes and each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

from gaitid.capacity.ellipsoids import (
    Ellipsoid,
    acceleration_polytope,
    image_of_ball,
    inertia_ellipsoid,
    largest_acceleration,
    manipulability_ellipsoid,
    manipulability_measure,
)
from gaitid.trial import Array

seeds = st.integers(0, 2**32 - 1)
RELATIVE = 1e-9  # of the largest acceleration: two algorithms in double precision


def random_case(seed: int, m: int, n: int) -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(seed)
    low, high = -rng.uniform(0, 200, n), rng.uniform(0, 200, n)
    return rng.normal(0, 3, (m, n)), low, high, rng.normal(0, 10, m)


def unit_vector(seed: int, m: int) -> Array:
    v = np.random.default_rng(seed + 1).normal(size=m)
    return np.asarray(v / np.linalg.norm(v))


@settings(max_examples=60, deadline=None)
@given(seed=seeds, m=st.integers(1, 3), n=st.integers(1, 7))
def test_the_farthest_corner_is_what_linear_programming_finds(seed: int, m: int, n: int) -> None:
    A, low, high, bias = random_case(seed, m, n)
    way = unit_vector(seed, m)
    optimum = linprog(-(way @ A), bounds=list(zip(low, high, strict=True)))
    expected = -optimum.fun + way @ bias
    size = np.abs(A).sum() * 200
    polytope = acceleration_polytope(A, low, high, bias)
    assert (polytope.vertices @ way).max() == pytest.approx(expected, abs=RELATIVE * size)
    assert largest_acceleration(A, low, high, bias, way) == pytest.approx(expected, abs=RELATIVE * size)


@settings(max_examples=60, deadline=None)
@given(seed=seeds, m=st.integers(2, 3), n=st.integers(1, 9))
def test_the_volume_is_that_of_a_zonotope(seed: int, m: int, n: int) -> None:
    """Σ |det| of every m generators (Shephard 1974, Can J Math 26:302-321, eq. 57); 0 with fewer than m."""
    A, low, high, bias = random_case(seed, m, n)
    generators = (A * (high - low)).T
    expected = sum(abs(np.linalg.det(np.array(some))) for some in combinations(generators, m))
    found = acceleration_polytope(A, low, high, bias)
    assert found.volume == pytest.approx(expected, rel=1e-9)
    assert found.rank == min(m, n)


@settings(max_examples=60, deadline=None)
@given(seed=seeds, m=st.integers(2, 3), n=st.integers(1, 7))
def test_the_ellipsoid_lies_between_the_polytope_and_its_nth_root(seed: int, m: int, n: int) -> None:
    """The unit ball is inside the unit box, and the box inside the ball of radius √n."""
    A, low, high, bias = random_case(seed, m, n)
    half, middle = (high - low) / 2, A @ ((low + high) / 2) + bias
    way = unit_vector(seed, m)
    ellipsoid = image_of_ball(A * half, middle)
    of_ellipsoid = farthest(ellipsoid, way)
    of_polytope = largest_acceleration(A, low, high, bias, way) - middle @ way
    slack = RELATIVE * np.abs(A * half).sum()
    assert of_ellipsoid <= of_polytope + slack
    assert of_polytope <= np.sqrt(n) * of_ellipsoid + slack
    np.testing.assert_allclose(of_ellipsoid, np.linalg.norm((A * half).T @ way), rtol=1e-9, atol=slack)


@settings(max_examples=60, deadline=None)
@given(seed=seeds, m=st.integers(1, 3), n=st.integers(1, 8))
def test_ellipsoids_and_kappa_are_those_of_the_lecture_s_quadratic_forms(seed: int, m: int, n: int) -> None:
    """κ² = det(J (MᵀM)⁻¹ Jᵀ); the tips of the semi-axes stand on r̈ᵀ (J M⁻¹ L² M⁻ᵀ Jᵀ)⁻¹ r̈ = 1 and τᵀ (M Mᵀ)⁻¹ τ = 1."""
    rng = np.random.default_rng(seed)
    J, spread, limits = rng.normal(size=(m, n)), rng.normal(size=(n, n)), rng.uniform(1, 3, n)
    M = spread @ spread.T + np.eye(n)
    inverse = np.linalg.inv(M)
    kappa_squared = np.linalg.det(J @ inverse @ inverse.T @ J.T) if n >= m else 0.0
    # the determinant has the squares of the condition of J M⁻¹: 1e-16 times 1e3 and more, of κ² some 1e-3
    assert manipulability_measure(J, M) ** 2 == pytest.approx(kappa_squared, rel=1e-6, abs=1e-15)
    tips = inertia_ellipsoid(M)
    forms = [(tips.semi_axes * tips.directions, inverse.T @ inverse)]
    if n >= m:
        of_r = manipulability_ellipsoid(J, M, limits, np.zeros(m))
        A = J @ inverse * limits
        forms.append((of_r.semi_axes * of_r.directions, np.linalg.inv(A @ A.T)))
    for tip, form in forms:
        np.testing.assert_allclose(tip.T @ form @ tip, np.eye(len(form)), rtol=0, atol=1e-6)  # conjugate diameters


def farthest(ellipsoid: Ellipsoid, way: Array) -> float:
    """How far it reaches from its centre along a unit vector."""
    return float(np.linalg.norm(ellipsoid.semi_axes * (ellipsoid.directions.T @ way)))


@given(seed=seeds)
def test_turning_the_laboratory_turns_the_polytope(seed: int) -> None:
    A, low, high, bias = random_case(seed, 3, 5)
    Q = Rotation.random(None, np.random.default_rng(seed)).as_matrix()
    here = acceleration_polytope(A, low, high, bias)
    there = acceleration_polytope(Q @ A, low, high, Q @ bias)
    assert there.volume == pytest.approx(here.volume, rel=1e-9)
    ways = [unit_vector(seed + i, 3) for i in range(5)]
    for way in ways:
        assert (there.vertices @ (Q @ way)).max() == pytest.approx((here.vertices @ way).max(), abs=1e-7)  # m/s²


@pytest.mark.parametrize(("rank", "corners"), [(2, 6), (1, 2)])
def test_a_flat_polytope_says_so(rank: int, corners: int) -> None:
    """Three generators in a plane make a hexagon, on a line a segment: the volume is 0, the extent is not."""
    rng = np.random.default_rng(4)
    basis, weights = rng.normal(size=(3, rank)), rng.normal(size=(rank, 3))
    low, high = np.full(3, -1.0), np.full(3, 1.0)
    found = acceleration_polytope(basis @ weights, low, high, np.ones(3))
    assert (found.rank, found.volume, len(found.vertices)) == (rank, 0.0, corners)
    g = 2 * basis @ weights
    if rank == 2:
        expected = sum(np.linalg.norm(np.cross(g[:, i], g[:, j])) for i, j in combinations(range(3), 2))
    else:
        expected = np.linalg.norm(g, axis=0).sum()
    assert found.extent == pytest.approx(expected, rel=1e-9)
