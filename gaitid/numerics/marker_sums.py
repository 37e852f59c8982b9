"""Weighted markers of one rigid body -> the few sums through which they enter a least-squares fit of its pose.

Σ w |p − (o + R x)|² depends on the markers through their weight, their two centres and one 3 × 3 matrix: once these are
made, a fit costs the same for four markers and for forty.
"""

from __future__ import annotations

import numpy as np

from gaitid.numerics.frames_last import frames_last, rows, transposed_product
from gaitid.numerics.rotation import apply
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask


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
    places : (n, 3) array, m
        On the body.
    points : (frames, n, 3) array, m
        NaN where one was not seen: it has no weight there.
    weights : (n,) array
    """
    points = frames_last(points)
    seen: Mask = np.asarray(np.isfinite(points).all(axis=2))
    w = np.where(seen, weights, 0.0)
    weight = w.sum(axis=1)
    share = w / np.where(weight > 0, weight, 1.0)[:, None]
    known = np.where(seen[..., None], points, 0.0)
    centre_s, centre_g = np.einsum("fn,ni->fi", share, places), np.einsum("fn,fni->fi", share, known)
    x, p = places - centre_s[:, None], known - centre_g[:, None]
    wx = w[..., None] * x
    size = np.einsum("fni,fni->f", w[..., None] * p, p) + np.einsum("fni,fni->f", wx, x)
    return MarkerSums(
        weight, centre_s, centre_g, transposed_product(p, wx), transposed_product(x, wx), np.asarray(size)
    )
