"""Rotations by their vectors, as the analysis never makes them one by one."""

from __future__ import annotations

import numpy as np

from gaitid.numerics.rotation import dot
from gaitid.trial import Array


def from_vector(v: Array) -> Array:
    """Rotation matrices (…, 3, 3) about vectors by their lengths, rad (Rodrigues 1840)."""
    angle = np.sqrt(dot(v, v))
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    # sin(x)/x and (1 − cos x)/x²; the series is exact to 1e-18 where the quotients would lose digits
    first = np.where(small, 1 - angle**2 / 6, np.sin(safe) / safe)[..., None, None]
    second = np.where(small, 0.5 - angle**2 / 24, (1 - np.cos(safe)) / safe**2)[..., None, None]
    K = np.zeros((*v.shape, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    K[..., 1, 0], K[..., 2, 0], K[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return np.asarray(np.eye(3) + first * K + second * (K @ K))
