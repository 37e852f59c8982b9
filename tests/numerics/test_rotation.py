"""Rotations against scipy's, and against their own definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.numerics.rotation import (
    about_axis,
    apply,
    apply_transposed,
    cardan,
    cross,
    dot,
    frame_from_axes,
    quaternions,
    unit,
)

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
# Products and inverse functions of numbers near 1: some tens of rounding steps of 2.2e-16.
ROUNDING = 1e-13

seeds = st.integers(0, 2**32 - 1)


def random_rotations(seed: int, n: int = 40) -> np.ndarray:
    return Rotation.random(n, np.random.default_rng(seed)).as_matrix()


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_cardan_angles_are_those_of_scipy_and_make_the_rotation_again(sequence: str, seed: int) -> None:
    R = random_rotations(seed)
    a, b, c = cardan(R, sequence)
    # upper case: scipy's intrinsic (moving) axes
    expected = Rotation.from_matrix(R).as_euler(sequence.upper())
    away = np.abs(np.abs(expected[:, 1]) - np.pi / 2) > 1e-3  # rad: at ±90° a and c are not separate
    # asin and atan2 lose up to 1/cos b = 1e3 roundings there
    np.testing.assert_allclose(np.stack([a, b, c], axis=1)[away], expected[away], atol=1e-10)
    i, j, k = sequence
    again = about_axis(i, a) @ about_axis(j, b) @ about_axis(k, c)
    np.testing.assert_allclose(again[away], R[away], atol=1e-10)
    assert (np.abs(b) <= np.pi / 2).all()


@pytest.mark.parametrize("axis", "xyz")
def test_about_axis_is_right_handed(axis: str) -> None:
    i = "xyz".index(axis)
    e = np.eye(3)
    np.testing.assert_allclose(about_axis(axis, np.pi / 2) @ e[(i + 1) % 3], e[(i + 2) % 3], atol=ROUNDING)
    angles = np.linspace(-4, 4, 9)
    expected = Rotation.from_rotvec(angles[:, None] * e[i]).as_matrix()
    np.testing.assert_allclose(about_axis(axis, angles), expected, atol=ROUNDING)


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_quaternions_are_those_of_scipy(seed: int) -> None:
    R = random_rotations(seed)
    q = quaternions(R)
    expected = Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]]
    np.testing.assert_allclose(np.abs(np.sum(q * expected, axis=1)), 1.0, atol=ROUNDING)  # the same up to sign
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=ROUNDING)
    assert q[0, 0] >= 0
    assert (np.sum(q[1:] * q[:-1], axis=1) >= 0).all()


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0, 0.8], [-0.48, 0.6, 0.64]])
def test_quaternions_stay_continuous_through_whole_turns(axis: list[float]) -> None:
    angle = np.linspace(0.0, 6 * np.pi, 400)
    q = quaternions(Rotation.from_rotvec(angle[:, None] * np.array(axis)).as_matrix())
    # the half angle runs on: w = cos(angle/2) through every sign, where w, x, y and z are largest in turn
    np.testing.assert_allclose(q[:, 0], np.cos(angle / 2), atol=ROUNDING)
    np.testing.assert_allclose(q[:, 1:], np.sin(angle / 2)[:, None] * np.array(axis), atol=ROUNDING)


@pytest.mark.parametrize(("keep", "toward"), [(i, j) for i in "xyz" for j in "xyz" if i != j])
@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_frame_from_axes(keep: str, toward: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    v, w = rng.normal(size=(12, 3)), rng.normal(size=(12, 3))
    R = frame_from_axes(keep, v, toward, w)
    sine = np.linalg.norm(np.cross(unit(v), unit(w)), axis=1)
    tolerance = 1e-14 / sine.min() + ROUNDING
    np.testing.assert_allclose(np.swapaxes(R, -1, -2) @ R, np.broadcast_to(np.eye(3), R.shape), atol=tolerance)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=tolerance)  # right-handed
    np.testing.assert_allclose(R[..., "xyz".index(keep)], unit(v), atol=ROUNDING)
    near = R[..., "xyz".index(toward)]
    # as near as it can be: in the plane of both, on the side of the second
    np.testing.assert_allclose(dot(near, np.cross(unit(v), unit(w))), 0.0, atol=tolerance)
    assert (dot(near, w) > 0).all()


def test_a_frame_from_parallel_or_missing_vectors_is_unknown() -> None:
    v = np.array([[1.0, 0, 0], [1.0, 0, 0], [0.0, 0, 0], [np.nan, 0, 0], [1.0, 0, 0]])
    w = np.array([[0.0, 1, 0], [2.0, 0, 0], [0.0, 1, 0], [0.0, 1, 0], [0.0, np.nan, 0]])
    R = frame_from_axes("z", v, "y", w)
    assert np.isfinite(R[0]).all()
    for row in range(1, 5):
        assert np.isnan(R[row]).any(axis=1).all(), row


@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_products_of_stacks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    R, v, w = random_rotations(seed, 8), rng.normal(size=(8, 3)), rng.normal(size=(8, 3))
    np.testing.assert_allclose(cross(v, w), np.cross(v, w), atol=1e-15)
    np.testing.assert_allclose(dot(v, w), np.sum(v * w, axis=1), atol=ROUNDING)
    np.testing.assert_allclose(apply_transposed(R, apply(R, v)), v, atol=ROUNDING)
    np.testing.assert_allclose(apply(R[0], v), v @ R[0].T, atol=ROUNDING)
    np.testing.assert_allclose(np.linalg.norm(unit(v), axis=1), 1.0, atol=ROUNDING)
