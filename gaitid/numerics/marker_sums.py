"""Weighted markers of one rigid body -> the few sums through which they enter a least-squares fit of its pose.

Σ w |p − (o + R x)|² depends on the markers through their weight, their two centres and one 3 × 3 matrix: once these are
made, a fit costs the same for four markers and for forty.

Its stacks of small matrices and vectors are (frames, …) to index, and each component's frames lie together in memory:
numpy walks through memory as it lies, and over such a stack a sum or a product is some loops over all frames, where
over (frames, 3, 3) as they are made by default it is a loop of three for every row of every frame. Sums, products and
`numpy.einsum` hand the order on; what would not (`@`, `numpy.stack`, an index of frames) is here.
"""

from __future__ import annotations

import numpy as np

from gaitid.numerics.rotation import apply
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

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
    """Rotations about vectors by their lengths, rad: cos|v| 1 + sin|v|/|v| [v]× + (1 − cos|v|)/|v|² v vᵀ."""
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


class MarkerSums(NamedTuple):
    """Sums over the markers of a body in each frame, in memory as `frames_last`; p are measured places, x on the body.

    Attributes
    ----------
    weight : (frames,) array
        Σ w; 0 where no marker was seen.
    centre_s, centre_g : (frames, 3) arrays, m
        Σ w x / Σ w and Σ w p / Σ w; 0 where no marker was seen.
    cross : (frames, 3, 3) array, m²
        Σ w (p − p̄)(x − x̄)ᵀ.
    spread_s : (frames, 3, 3) array, m²
        Σ w (x − x̄)(x − x̄)ᵀ.
    size : (frames,) array, m²
        Σ w (|p − p̄|² + |x − x̄|²).
    """

    weight: Array
    centre_s: Array
    centre_g: Array
    cross: Array
    spread_s: Array
    size: Array

    def only(self, frames: IntArray) -> MarkerSums:
        """Those of some frames."""
        return MarkerSums(*(rows(values, frames) for values in self))

    def misfit(self, R: Array, origin: Array) -> Array:
        """(frames,) Σ w |p − (o + R x)|², m², of a pose.

        Written by differences from the centres, so that rounding is that of the body's size and not of the room's.
        """
        off = self.centre_g - origin - apply(R, self.centre_s)
        return np.asarray(
            self.weight * np.einsum("fi,fi->f", off, off) + self.size - 2 * np.einsum("fij,fij->f", self.cross, R)
        )


def marker_sums(places: Array, points: Array, weights: Array) -> MarkerSums:
    """The sums of one body.

    Parameters
    ----------
    places : (n, 3) or (frames, n, 3) array, m
        On the body.
    points : (frames, n, 3) array, m
        NaN where one was not seen: it has no weight there.
    weights : (n,) array
    """
    points = frames_last(points)
    places = places if places.ndim == 2 else frames_last(places)
    seen: Mask = np.asarray(np.isfinite(points).all(axis=2))
    w = np.where(seen, weights, 0.0)
    weight = w.sum(axis=1)
    share = w / np.where(weight > 0, weight, 1.0)[:, None]
    known = np.where(seen[..., None], points, 0.0)
    over = "fn,ni->fi" if places.ndim == 2 else "fn,fni->fi"
    centre_s, centre_g = np.einsum(over, share, places), np.einsum("fn,fni->fi", share, known)
    x, p = places - centre_s[:, None], known - centre_g[:, None]
    wx = w[..., None] * x
    size = np.einsum("fni,fni->f", w[..., None] * p, p) + np.einsum("fni,fni->f", wx, x)
    return MarkerSums(
        weight, centre_s, centre_g, transposed_product(p, wx), transposed_product(x, wx), np.asarray(size)
    )
