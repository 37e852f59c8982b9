"""The pose of a rigid body from points on it, by least squares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gaitid.trial import Array, Mask

# A pose needs three points.
FEWEST = 3


class RigidFit(NamedTuple):
    """A body's pose over a trial.

    Attributes
    ----------
    R : (frames, 3, 3) array
        Maps the template's axes to those of the points.
    t : (frames, 3) array
        Where the template's origin lies.
    residual : (frames,) array
        Root mean square distance of the points from their places on the body.
    points : (frames,) int array
        How many were seen.
    """

    R: Array
    t: Array
    residual: Array
    points: Array


def rigid_fit(template: Array, points: Array, extent: float = 0.0) -> RigidFit:
    """Fit a rigid template to points in each frame.

    Minimises Σ |R a_i + t − p_i|² over rotations R and shifts t by singular value decomposition of
    Σ (a_i − ā)(p_i − p̄)ᵀ (Söderkvist & Wedin 1993, J Biomech 26:1473; Arun, Huang & Blostein 1987). Frames with the
    same points seen are solved together.

    Parameters
    ----------
    template : (n, 3) array
        Places of the points on the body.
    points : (frames, n, 3) array
        NaN where one was not seen.
    extent : float, optional
        Points that lie nearer to one line than this (`second_extent`) are no pose.

    Returns
    -------
    RigidFit
        NaN in frames with fewer than three points, or with points in one line.
    """
    n_frames = len(points)
    R = np.full((n_frames, 3, 3), np.nan)
    t = np.full((n_frames, 3), np.nan)
    residual = np.full(n_frames, np.nan)
    seen: Mask = np.asarray(np.isfinite(points).all(axis=2))
    count = seen.sum(axis=1)
    patterns, which = np.unique(seen, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        body = template[pattern]
        if len(body) < FEWEST or (extent and second_extent(body) < extent):
            continue
        frames = np.flatnonzero(which.reshape(-1) == i)
        measured = points[frames][:, pattern]
        R[frames], t[frames], residual[frames] = _fit(body, measured)
    return RigidFit(R, t, residual, count)


def _fit(body: Array, measured: Array) -> tuple[Array, Array, Array]:
    centre, centres = body.mean(axis=0), measured.mean(axis=1)
    a, p = body - centre, measured - centres[:, None]
    u, _, vt = np.linalg.svd(np.einsum("ki,fkj->fij", a, p))
    v, ut = np.swapaxes(vt, 1, 2), np.swapaxes(u, 1, 2)
    # a reflection fits flat clusters as well: turn the axis of the smallest singular value
    v[:, :, 2] *= np.sign(np.linalg.det(v @ ut))[:, None]
    R = v @ ut
    t = centres - R @ centre
    off = p - np.einsum("fij,kj->fki", R, a)
    return R, t, np.sqrt((off**2).sum(axis=2).mean(axis=1))


def second_extent(template: Array) -> float:
    """How far points lie from one line: root mean square of their second principal coordinate, in their unit.

    The error of the rotation about the line is that of a point divided by this.
    """
    known = template[np.isfinite(template).all(axis=1)]
    if len(known) < FEWEST:
        return 0.0
    return float(np.linalg.svd(known - known.mean(axis=0), compute_uv=False)[1] / np.sqrt(len(known)))
