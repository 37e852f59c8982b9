"""The pose of a rigid body from points on it, by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np

from gaitid.numerics.masks import all_columns, by_blocks, joined, spans
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# A pose needs three points.
FEWEST = 3
# Frames beside a gap of a point that tell how it moves there.
BESIDE = 6
# Frames after which nothing is left of how it moved there.
FADES = 20.0
# Newton's steps towards a root, at most, and the share of it below which a step is rounding.
_MOST_STEPS, _TOLERANCE = 30, 2e-15
# Share of the size from which on the closed form errs by no more than 1 part in 10¹¹ (measured: 6 in 10¹³).
_IN_LINE = 1e-3
# So many rotations are no sooner found in closed form.
_FEW = 64


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

    Minimises Σ |R a_i + t − p_i|² over rotations R and shifts t (Söderkvist & Wedin 1993, J Biomech 26:1473; Arun,
    Huang & Blostein 1987). Frames with the same points seen are solved together (`closest_rotations`).

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
    seen = all_columns(np.isfinite(points))
    count = seen.sum(axis=1)
    starts = [0, *(np.flatnonzero((seen[1:] != seen[:-1]).any(axis=1)) + 1).tolist(), n_frames]
    by_pattern: dict[bytes, list[IntArray]] = {}
    for start, stop in pairwise(starts):  # which points are seen changes seldom
        if start < stop:
            by_pattern.setdefault(seen[start].tobytes(), []).append(np.arange(start, stop))
    for some in by_pattern.values():
        frames = np.concatenate(some)
        pattern = seen[frames[0]]
        body = template[pattern]
        if len(body) < FEWEST or (extent and second_extent(body) < extent):
            continue
        R[frames], t[frames], residual[frames] = _fit(body, points[frames][:, pattern])
    return RigidFit(R, t, residual, count)


def _fit(body: Array, measured: Array) -> tuple[Array, Array, Array]:
    centre, centres = body.mean(axis=0), measured.mean(axis=1)
    a, p = body - centre, measured - centres[:, None]
    R = closest_rotations(a, p)
    t = centres - R @ centre
    off = p - np.einsum("fij,kj->fki", R, a)
    return R, t, np.sqrt((off**2).sum(axis=2).mean(axis=1))


def closest_rotations(a: Array, p: Array) -> Array:
    """(frames, …, 3, 3) rotations that make Σ |R a_i − p_i|² least, never reflections.

    Parameters
    ----------
    a : (n, 3) or (bodies, n, 3) array
        Places on the body, from their mean; of several bodies with as many points each.
    p : (frames, n, 3) or (frames, bodies, n, 3) array
        Points, from their mean in each frame; all known.
    """
    if p.size // a.shape[-2] // 3 < _FEW:
        return _by_singular_values(a, p)
    return np.asarray(by_blocks(lambda some: _in_closed_form(a, some), p, times=2))


def _in_closed_form(a: Array, p: Array) -> Array:
    """`closest_rotations` without a singular value decomposition.

    With B = Σ p_i a_iᵀ, its cofactors C and λ, the largest root of (λ² − |B|²)² − 8 λ det B − 4 |C|² = 0:
    R = ((κ + |B|²) B + λ C − B Bᵀ B) / ζ, where κ = (λ² − |B|²)/2 and ζ = κ λ − det B (Markley 1993, J Astronaut Sci
    41:261-280). That is a tenth of the work of the singular value decomposition, which is left the frames in which the
    points lie nearly in one line: there ζ, in singular values (σ₁ + σ₂)(σ₂ + σ₃)(σ₃ + σ₁), is next to nothing.
    """
    frames, *bodies, n, _ = p.shape
    of_bodies = np.moveaxis(p, (0, -1), (-3, -2)).reshape(*bodies, 3 * frames, n) @ a
    B = of_bodies.reshape(-1, 9).T.copy().reshape(3, 3, -1)  # frames last: long rows are quick
    C = np.empty_like(B)
    for i, j in product(range(3), range(3)):
        C[i, j] = B[i - 2, j - 2] * B[i - 1, j - 1] - B[i - 2, j - 1] * B[i - 1, j - 2]
    square, det = np.einsum("ijf,ijf->f", B, B), np.einsum("jf,jf->f", B[0], C[0])
    of_cofactors = np.einsum("ijf,ijf->f", C, C)
    # no root is larger, so that Newton's steps only fall
    root = (((a**2).sum(axis=(-1, -2)) + np.einsum("...ki,...ki->...", p, p)) / 2).T.reshape(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_MOST_STEPS):
            beyond = root**2 - square
            step = (beyond**2 - 8 * root * det - 4 * of_cofactors) / (4 * (root * beyond - 2 * det))
            root = root - step
            converged = np.abs(step) <= _TOLERANCE * root
            if converged.all():
                break
        kappa = (root**2 - square) / 2
        zeta = kappa * root - det
        R = (kappa + square) * B
        R += root * C
        R -= np.einsum("ijf,jlf->ilf", np.einsum("ikf,jkf->ijf", B, B), B)
        R /= zeta
        plain = converged & (zeta > _IN_LINE * root**3)
    result: Array = np.moveaxis(R.reshape(3, 3, *bodies, frames), (-1, 0, 1), (0, -2, -1)).copy()
    if not plain.all():
        in_line = ~plain.reshape(*bodies, frames).T
        result[in_line] = _by_singular_values(np.broadcast_to(a, p.shape)[in_line], p[in_line])
    return result


def _by_singular_values(a: Array, p: Array) -> Array:
    """`closest_rotations` of few frames, or of such in which the points may lie nearly in one line."""
    u, _, vt = np.linalg.svd(np.einsum("...ki,...kj->...ij", a, p))
    v, ut = np.swapaxes(vt, -1, -2), np.swapaxes(u, -1, -2)
    # a reflection fits flat clusters as well: turn the axis of the smallest singular value
    v[..., 2] *= np.sign(np.linalg.det(v @ ut))[..., None]
    return np.asarray(v @ ut)


def steady_fit(template: Array, points: Array, extent: float = 0.0) -> RigidFit:
    """`rigid_fit` without the steps that it makes where a point of a soft body is lost or comes back.

    A point that is missing for some frames is placed by those that are seen throughout them, and leaves where it stood
    beside them just before, and comes to where it stands just after, without a step of position, velocity or
    acceleration (`_between`): so it says nothing new and takes nothing away at once. A point
    that is seen in less than half as many frames as the others is left out where they suffice. Frames in which fewer
    than three points not in line are really seen stay unknown.

    Parameters
    ----------
    template, points, extent
        As of `rigid_fit`.
    """
    seen = all_columns(np.isfinite(points))
    if seen.all():
        return rigid_fit(template, points, extent)
    counts = seen.sum(axis=0)
    often: Mask = np.asarray(counts >= counts.max() / 2)
    if often.sum() < FEWEST or second_extent(template[often]) < extent:
        often = np.ones(len(often), dtype=bool)
    chosen = np.where(often[None, :, None], points, np.nan)
    fit = rigid_fit(template, chosen, extent)
    placed = chosen.copy()
    for i in np.flatnonzero(often):
        for start, stop in spans(~seen[:, i]):
            _place(template, chosen, placed, int(i), (start, stop), extent)
    again = np.flatnonzero(np.isfinite(fit.residual) & ~seen[:, often].all(axis=1))
    steady = rigid_fit(template, placed[again], extent)
    fit.R[again], fit.t[again] = steady.R, steady.t
    return fit


def fit_walks(
    templates: Sequence[Array], points: Array, extent: float, same: tuple[Array, Array, RigidFit] | None = None
) -> RigidFit:
    """`steady_fit` of walks that stand one behind the other: what fills a gap looks at the frames beside it.

    Parameters
    ----------
    templates : sequence of (n, 3) arrays
        One for each walk.
    points : (walks × frames, n, 3) array
    extent : float
    same : (template, points, fit), optional
        Of a walk, which those that are equal to it take over.
    """
    fits = []
    for template, of_walk in zip(templates, points.reshape(len(templates), -1, *points.shape[1:]), strict=True):
        if same and np.array_equal(template, same[0]) and np.array_equal(of_walk, same[1], equal_nan=True):
            fits.append(same[2])
        else:
            fits.append(steady_fit(template, of_walk, extent))
    return RigidFit(*map(joined, zip(*fits, strict=True)))


def _place(template: Array, points: Array, placed: Array, i: int, missing: tuple[int, int], extent: float) -> None:
    """Put point `i` where the others say it is in a run of frames in which it was not seen."""
    start, stop = missing
    frames = np.arange(max(start - BESIDE, 0), min(stop + BESIDE, len(points)))
    others: Mask = np.asarray(np.isfinite(points[start:stop]).all(axis=(0, 2)))
    others[i] = False
    if others.sum() < FEWEST or second_extent(template[others]) < extent:
        return
    complete: Mask = np.asarray(np.isfinite(points[frames][:, others]).all(axis=(1, 2)))
    frames = frames[complete]
    R, t, _ = _fit(template[others], points[frames][:, others])
    before, after = frames < start, frames >= stop
    ends = [
        _unbroken(points[frames[side], i] - t[side], R[side], frames[side], edge)
        for side, edge in ((before, start - 1), (after, stop))
    ]
    known = [end for end in ends if len(end[0])]
    if not known:
        return
    inside = ~(before | after)
    local = _between(known, np.arange(start, stop, dtype=float))
    placed[start:stop, i] = t[inside] + np.einsum("fij,fj->fi", R[inside], local)


def _unbroken(from_origin: Array, R: Array, frames: IntArray, edge: int) -> tuple[IntArray, Array]:
    """Frames without a break from the edge of a gap on, the edge first, and (frames, 3) where a point is in a body."""
    order = np.argsort(np.abs(frames - edge), kind="stable")
    frames, local = frames[order], np.einsum("fji,fj->fi", R[order], from_origin[order])
    unbroken = np.cumprod(np.isfinite(local).all(axis=1) & (np.abs(frames - edge) == np.arange(len(frames)))) > 0
    return frames[unbroken], local[unbroken]


def _between(ends: list[tuple[IntArray, Array]], at: Array) -> Array:
    """(frames, 3) places in a gap between two ends, or beyond one, whose first two derivatives have no step there.

    On the line between both ends; beside each in addition the way of least jerk, which is of fifth order (Flash & Hogan
    1985, J Neurosci 5:1688-1703), from the velocity and acceleration that the parabola through its frames has against
    that line, to the line at rest `FADES` frames farther, or at the other end: beyond that a parabola tells nothing.
    """
    at_ends = np.array([frames[0] for frames, _ in ends], dtype=float)
    slope = (ends[-1][1][0] - ends[0][1][0]) / (at_ends[-1] - at_ends[0]) if len(ends) == 2 else np.zeros(3)
    line = ends[0][1][0] + (at - at_ends[0])[:, None] * slope
    reach = min(FADES, float(np.ptp(at_ends))) if len(ends) == 2 else FADES
    for frames, local in ends:
        if len(frames) < FEWEST:
            continue
        past = (frames - frames[0])[1:, None].astype(float)
        terms = np.concatenate([past, past**2], axis=1)
        bend = np.linalg.lstsq(terms, local[1:] - local[0] - past * slope, rcond=None)[0]
        away = (at - frames[0])[:, None]
        s = np.clip(np.abs(away) / reach, 0.0, 1.0)
        of_velocity = s - s**3 * (6 - 8 * s + 3 * s**2)
        of_acceleration = s**2 * (1 - s) ** 3 / 2
        line = line + reach * np.sign(away) * of_velocity * bend[0] + reach**2 * of_acceleration * 2 * bend[1]
    return np.asarray(line)


def second_extent(template: Array) -> float:
    """How far points lie from one line: root mean square of their second principal coordinate, in their unit.

    The error of the rotation about the line is that of a point divided by this.
    """
    known = template[np.isfinite(template).all(axis=1)]
    if len(known) < FEWEST:
        return 0.0
    return float(np.linalg.svd(known - known.mean(axis=0), compute_uv=False)[1] / np.sqrt(len(known)))
