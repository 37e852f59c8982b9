"""Inertia tensors of bodies made of points: moved, turned and refused as geometry says."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.dynamics.joint_tree import about_centre, about_point, inertia_fault, turned

seeds = st.integers(0, 2**32 - 1)


def cloud(rng: np.random.Generator, n: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """Masses, kg, and places about their centre of mass, m."""
    masses, places = rng.uniform(0.1, 3, n), rng.normal(0, 0.3, (n, 3))
    return masses, places - masses @ places / masses.sum()


def by_points(masses: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The definition: I_xx = Σ m (y² + z²), I_xy = −Σ m x y, and so on."""
    x, y, z = places.T
    return np.array(
        [
            [masses @ (y * y + z * z), -masses @ (x * y), -masses @ (x * z)],
            [-masses @ (x * y), masses @ (x * x + z * z), -masses @ (y * z)],
            [-masses @ (x * z), -masses @ (y * z), masses @ (x * x + y * y)],
        ]
    )


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_steiner_s_theorem_is_the_definition_about_another_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    masses, places = cloud(rng)
    r = rng.normal(size=3)
    about = about_point(by_points(masses, places), masses.sum(), r)
    np.testing.assert_allclose(about, by_points(masses, places - r), atol=1e-12)  # kg·m², of some tens
    np.testing.assert_allclose(about_centre(about, masses.sum(), r), by_points(masses, places), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_turning_the_axes_is_the_definition_in_the_other_axes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    masses, places = cloud(rng)
    R = Rotation.random(None, rng).as_matrix()
    in_g = turned(by_points(masses, places), R)
    np.testing.assert_allclose(in_g, by_points(masses, places @ R.T), atol=1e-12)  # kg·m²
    omega = rng.normal(size=3)  # energy does not depend on the axes, J
    assert omega @ in_g @ omega == pytest.approx((R.T @ omega) @ by_points(masses, places) @ (R.T @ omega), rel=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, scale=st.sampled_from([1e-9, 1.0, 1e6]))
def test_what_a_body_has_passes_in_any_axes(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    R = Rotation.random(None, rng).as_matrix()
    masses, places = cloud(rng)
    flat = places * [1.0, 1.0, 0.0]  # a lamina: the largest moment is the sum of the others
    line = places * [1.0, 0.0, 0.0]
    for shape in (places, flat, line, 0 * places):
        assert inertia_fault(turned(scale * by_points(masses, shape), R), "inertia") is None


X = [[0.1, 0.02, 0.0], [0.01, 0.1, 0.0], [0.0, 0.0, 0.1]]


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (X, "not symmetric.*I_xy = I_yx; found 0.02 and 0.01"),
        (np.diag([0.1, 0.1, -0.05]), "indefinite.*found -0.05, 0.1, 0.1 kg·m²"),
        ([[0.1, 0.2, 0], [0.2, 0.1, 0], [0, 0, 0.1]], "indefinite.*found -0.1, 0.1, 0.3"),
        (np.diag([0.1, 0.1, 0.21]), "triangle inequality.*found 0.1, 0.1, 0.21"),
        (np.diag([0.1, 0.1, 0.2001]), "triangle inequality"),
        (np.diag([0.0, 0.0, 0.1]), "triangle inequality"),
        (np.diag([0.1, np.nan, 0.1]), "not finite"),
        (np.diag([0.1, np.inf, 0.1]), "not finite"),
        ([0.1, 0.1, 0.1], r"an array of shape \(3,\)"),
    ],
)
def test_what_no_body_has_is_named_in_one_line(tensor: object, words: str) -> None:
    fault = inertia_fault(np.asarray(tensor), "segments.shank.inertia_kg_m2")
    assert fault is not None
    assert fault.startswith("segments.shank.inertia_kg_m2: ")
    assert "\n" not in fault
    assert re.search(words, fault), fault
