"""The rigid fit: SciPy's `align_vectors` frame by frame, never a reflection, unknown with fewer than three points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gaitid.numerics.rigid_fit import FEWEST, rigid_fit, second_extent, steady_fit
from gaitid.trial import Array

#: Entries of a rotation: rounding of a fit to markers some centimetres apart, at metres from the origin.
SAME = 1e-10
FLAT = np.array([[0.0, 0.0, 0.0], [0.08, 0.0, 0.0], [0.0, 0.11, 0.0], [0.07, 0.1, 0.0]])


def cluster(seed: int, n: int, flat: bool = False) -> Array:
    """Places of n markers some centimetres apart that are far from one line, m."""
    draw = np.random.default_rng(seed)
    places = draw.uniform(-0.1, 0.1, (n, 3))
    places[:3] = [[0.0, 0.0, 0.0], [0.09, 0.0, 0.01], [0.0, 0.11, -0.02]]
    if flat:
        places[:, 2] = 0.0
    return np.asarray(places + draw.uniform(-0.01, 0.01, (n, 3)) * [1, 1, not flat])


def moved(template: Array, seed: int, frames: int, noise: float = 0.0) -> tuple[Array, Array, Array]:
    """Rotations, shifts of metres and the points that they give, with noise in m."""
    draw = np.random.default_rng(seed + 1)
    R = Rotation.random(frames, random_state=seed).as_matrix()
    t = draw.uniform(-3, 3, (frames, 3))
    points = np.einsum("fij,kj->fki", R, template) + t[:, None]
    return R, t, points + noise * draw.standard_normal(points.shape)


def by_scipy(template: Array, points: Array) -> tuple[Array, Array]:
    """Rotation and shift of one frame; NaN where fewer than three points were seen."""
    seen = np.isfinite(points).all(axis=1)
    if seen.sum() < FEWEST:
        return np.full((3, 3), np.nan), np.full(3, np.nan)
    body, found = template[seen], points[seen]
    rotation, _ = Rotation.align_vectors(found - found.mean(axis=0), body - body.mean(axis=0))
    R = rotation.as_matrix()
    return R, found.mean(axis=0) - R @ body.mean(axis=0)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(3, 8),
    noise=st.sampled_from([0.0, 1e-4, 0.003]),
    flat=st.booleans(),
    hidden=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 7)), max_size=30),
)
def test_it_is_that_of_scipy(seed: int, n: int, noise: float, flat: bool, hidden: list[tuple[int, int]]) -> None:
    template = cluster(seed, n, flat)
    *_, points = moved(template, seed, 12, noise)
    for frame, marker in hidden:
        points[frame, marker % n] = np.nan
    fit = rigid_fit(template, points)
    for i, of_frame in enumerate(points):
        known = np.isfinite(of_frame).all(axis=1)
        # three points that are left may lie near one line, where a rotation about it is anybody's guess
        if 0 < known.sum() < n and second_extent(template[known]) < 0.01:
            continue
        R, t = by_scipy(template, of_frame)
        np.testing.assert_allclose(fit.R[i], R, atol=SAME)
        np.testing.assert_allclose(fit.t[i], t, atol=SAME)  # m
        assert fit.points[i] == known.sum()


@given(seed=st.integers(0, 10_000), n=st.integers(3, 8), flat=st.booleans())
def test_what_is_rigid_is_found_exactly(seed: int, n: int, flat: bool) -> None:
    template = cluster(seed, n, flat)
    R, t, points = moved(template, seed, 5)
    fit = rigid_fit(template, points)
    np.testing.assert_allclose(fit.R, R, atol=SAME)
    np.testing.assert_allclose(fit.t, t, atol=SAME)  # m
    assert fit.residual.max() < 1e-12  # m: rounding at 3 m


@given(seed=st.integers(0, 10_000), noise=st.sampled_from([0.0, 0.001, 0.02]), mirrored=st.booleans())
def test_a_reflection_is_never_a_pose(seed: int, noise: float, mirrored: bool) -> None:
    """Neither where noise pushes a flat cluster through its plane, nor where the points are its mirror image."""
    *_, points = moved(FLAT * [1, 1, -1 if mirrored else 1], seed, 20, noise)
    if mirrored:
        points = points * [1.0, 1.0, -1.0]
    R = rigid_fit(FLAT, points).R
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-12)
    np.testing.assert_allclose(R @ np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape), atol=1e-12)


@pytest.mark.parametrize("seen", [0, 1, 2])
def test_fewer_than_three_points_are_no_pose(seen: int) -> None:
    template = cluster(2, 4)
    R, _, points = moved(template, 2, 6)
    points[3, seen:] = np.nan
    fit = rigid_fit(template, points)
    assert np.isnan(fit.R[3]).all()
    assert np.isnan(fit.t[3]).all()
    assert np.isnan(fit.residual[3])
    assert fit.points.tolist() == [4, 4, 4, seen, 4, 4]
    others = [0, 1, 2, 4, 5]
    np.testing.assert_allclose(fit.R[others], R[others], atol=SAME)


def test_points_that_are_left_in_one_line_are_no_pose() -> None:
    template = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.002], [0.1, 0.1, 0.0]])
    R, _, points = moved(template, 6, 3)
    points[1, 3] = np.nan
    fit = rigid_fit(template, points, 0.005)
    np.testing.assert_allclose(fit.R[[0, 2]], R[[0, 2]], atol=SAME)
    assert np.isnan(fit.R[1]).all()


def soft(frames: int = 120) -> tuple[Array, Array]:
    """Four points of a body at rest of which the last swings by 10 mm at 5 Hz at 100 Hz; and the template."""
    template = cluster(3, 4)
    points = np.tile(template, (frames, 1, 1))
    points[:, 3, 0] += 0.01 * np.sin(2 * np.pi * 5 * np.arange(frames) / 100)
    return template, points


@pytest.mark.parametrize("lost", [slice(40, 60), slice(43, 49), slice(100, 120), slice(0, 15)])
def test_a_soft_point_that_is_lost_makes_no_jolt(lost: slice) -> None:
    """Its swing alone turns the body by up to 10 mm / 0.1 m: a gap must not shake it harder than that does."""
    template, points = soft()
    whole = steady_fit(template, points).t
    points[lost, 3] = np.nan
    holed = steady_fit(template, points).t
    shaken, usual = (float(np.abs(np.diff(t, 2, axis=0)).max()) for t in (holed, whole))
    assert shaken < 1.7 * usual
    assert (
        float(np.abs(np.diff(rigid_fit(template, points).t, 2, axis=0)).max()) > 3 * usual
    )  # a fit to what is seen alone
    assert np.isfinite(holed).all()
    assert float(np.abs(holed - whole).max()) < 0.01
