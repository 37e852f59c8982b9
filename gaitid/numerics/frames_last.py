"""Stacks of small matrices and vectors, (frames, …) to index, of which each component's frames lie together in memory.

Numpy walks through memory as it lies: over such a stack a sum or a product is some loops over all frames, where over
(frames, 3, 3) as they are made by default it is a loop of three for every row of every frame. Sums, products and
`numpy.einsum` hand the order on; what would not (`@`, `numpy.stack`, an index of frames) is here.
"""

from __future__ import annotations

import numpy as np

from gaitid.trial import Array, IntArray

# By number of axes: the frames to the end, and back.
_TO_END = ((), (0,), (1, 0), (1, 2, 0))
_BACK = ((), (0,), (1, 0), (2, 0, 1))


def zeros(n_frames: int, *shape: int) -> Array:
    return np.zeros((*shape, n_frames)).transpose(_BACK[len(shape) + 1])


def frames_last(values: Array) -> Array:
    """The same values in this order."""
    return np.ascontiguousarray(values.transpose(_TO_END[values.ndim])).transpose(_BACK[values.ndim])


def rows(values: Array, frames: IntArray) -> Array:
    """``values[frames]``"""
    return values.transpose(_TO_END[values.ndim]).take(frames, axis=-1).transpose(_BACK[values.ndim])


def put(values: Array, frames: IntArray, others: Array) -> None:
    """``values[frames] = others``"""
    values.transpose(_TO_END[values.ndim])[..., frames] = others.transpose(_TO_END[values.ndim])


def diagonal(M: Array) -> Array:
    """A view of the diagonals, (frames, n), to write into."""
    return np.asarray(np.einsum("fii->fi", M))


def product(A: Array, B: Array) -> Array:
    """``A @ B``"""
    return np.asarray(np.einsum("fij,fjk->fik", A, B))


def product_transposed(A: Array, B: Array) -> Array:
    """``A @ Bᵀ``"""
    return np.asarray(np.einsum("fij,fkj->fik", A, B))


def transposed_product(A: Array, B: Array) -> Array:
    """``Aᵀ @ B``"""
    return np.asarray(np.einsum("fji,fjk->fik", A, B))


def rotations(v: Array) -> Array:
    """`gaitid.numerics.rotation.from_vector`: cos|v| 1 + sin|v|/|v| [v]× + (1 − cos|v|)/|v|² v vᵀ."""
    squared = np.einsum("fi,fi->f", v, v)
    angle = np.sqrt(squared)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    # of small ones the series: exact to 1e-18 where the quotients would lose digits
    first = np.where(small, 1 - squared / 6, np.sin(safe) / safe)
    second = np.where(small, 0.5 - squared / 24, (1 - np.cos(safe)) / safe**2)
    R: Array = np.asarray(np.einsum("fi,fj->fij", second[:, None] * v, v))
    sines, cosine = first[:, None] * v, 1 - second * squared
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        R[:, i, i] += cosine
        R[:, i, j] -= sines[:, k]
        R[:, j, i] += sines[:, k]
    return R


def inverse_3(M: Array) -> Array:
    """Inverses of symmetric 3 × 3 matrices, by cross products."""
    inverse = np.empty_like(M)
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        for c, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
            if c < i:
                inverse[:, i, c] = inverse[:, c, i]
            else:
                np.subtract(M[:, j, a] * M[:, k, b], M[:, j, b] * M[:, k, a], out=inverse[:, i, c])
    determinant = np.einsum("fi,fi->f", M[:, 0], inverse[:, 0])
    inverse /= determinant[:, None, None]
    return inverse


def inverse_6(M: Array) -> Array:
    """Inverses of symmetric 6 × 6 matrices, by their quarters: of the last one first (Schur)."""
    A, B, C = M[:, :3, :3], M[:, :3, 3:], M[:, 3:, 3:]
    of_last = inverse_3(C)
    BC = product(B, of_last)
    first = inverse_3(A - product_transposed(BC, B))
    other = -product(first, BC)
    inverse = np.empty_like(M)
    inverse[:, :3, :3], inverse[:, :3, 3:] = first, other
    inverse[:, 3:, :3] = np.swapaxes(other, 1, 2)
    inverse[:, 3:, 3:] = of_last - transposed_product(BC, other)
    return inverse
