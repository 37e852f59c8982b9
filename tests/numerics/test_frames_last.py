"""Stacks of which each component's frames lie together: the same numbers as numpy's own products, in that order."""

from __future__ import annotations

import numpy as np
from rotations import from_vector

from gaitid.numerics import joint_path as last
from gaitid.trial import Array

#: Some tens of rounding steps of numbers about 1.
ROUNDING = 1e-14


def stack(*shape: int) -> Array:
    return np.random.default_rng(3).normal(size=(50, *shape))


def of_normal_matrix(n: int) -> Array:
    """Symmetric matrices that are well conditioned."""
    A = stack(n, n)
    return A @ np.swapaxes(A, 1, 2) + n * np.eye(n)


def lies_together(values: Array) -> bool:
    return values.strides[0] == values.itemsize


def test_products_are_those_of_numpy_and_keep_the_order() -> None:
    A, B = stack(6, 6), stack(6, 3)
    mine_a, mine_b = last.frames_last(A), last.frames_last(B)
    for mine, expected in (
        (last.product(mine_a, mine_b), A @ B),
        (last.product_transposed(mine_b, mine_b), B @ np.swapaxes(B, 1, 2)),
        (last.transposed_product(mine_b, mine_a), np.swapaxes(B, 1, 2) @ A),
    ):
        assert lies_together(mine)
        np.testing.assert_allclose(mine, expected, rtol=0, atol=20 * ROUNDING)


def test_rotations_are_those_of_vectors() -> None:
    for size in (1e-9, 1e-5, 1.0, 3.0):
        v = size * stack(3)
        np.testing.assert_allclose(last.rotations(last.frames_last(v)), from_vector(v), rtol=0, atol=ROUNDING)


def test_inverses_of_symmetric_matrices() -> None:
    for n, inverse in ((3, last.inverse_3), (6, last.inverse_6)):
        M = of_normal_matrix(n)
        mine = inverse(last.frames_last(M))
        assert lies_together(mine)
        np.testing.assert_allclose(mine, np.linalg.inv(M), rtol=0, atol=ROUNDING)
