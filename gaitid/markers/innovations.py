"""Innovations of markers: what each frame adds to what those before it let one expect, and what steps explain of it.

A marker's second differences are taken for an autoregression, the same in all directions, which the trial itself
gives: its likelihood is that of a Kalman filter in its steady state, so that noise, movement and a low-pass before the
file was written all need no number of their own. A marker that steps leaves the response of the filter to a step in
its innovations (Tsay 1988, J Forecasting 7:1-20: level shifts; Chen & Liu 1993, J Am Stat Assoc 88:284-297). The
scale of innovations is that of the trial and of the frames around: Student's t with one scale for all of these, so that
an impact, or skin that shakes, raises the scale and is no step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gaitid.numerics.masks import median_of_known
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# Second differences that one is expected from; and frames that make one innovation. Twelve find the same.
LAGS = 8
SPAN = LAGS + 3
# m. Noise that is taken for granted on each axis: a tenth of what makes a trial a smoothed one (docs/method.md).
FLOOR_M = 2e-7
# Degrees of freedom of Student's t by which innovations that are far off are weighed down (Lange et al. 1989, J Am Stat
# Assoc 84:881-896), and those that the trial's own scale has in that of a window.
TAIL, OF_TRIAL = 4.0, 10.0
# Rows that tell the autoregression, spread over a longer trial: of nine numbers.
ENOUGH = 500
# The median of χ² with 3 degrees of freedom.
MEDIAN_3 = 2.366


class Innovations(NamedTuple):
    """What markers do that nobody expected.

    Attributes
    ----------
    rows : (frames + SPAN - 1, markers, 3) array, m
        Row r is made of the `SPAN` frames up to frame r; 0 where one of them is unknown.
    known : (frames + SPAN - 1, markers) bool array
    filter : (markers, SPAN) array
        Weights of the frames, the last of them 1.
    variance : (markers,) array, m²
        Of an innovation along an axis.
    """

    rows: Array
    known: Mask
    filter: Array
    variance: Array

    @property
    def noise_m(self) -> Array:
        """(markers,) standard deviation of what a frame says of itself beside all others, m."""
        return np.asarray(np.sqrt(self.variance / (self.filter**2).sum(axis=1)))


def innovations_of(points: Array, like: Innovations | None = None) -> Innovations:
    """Innovations of (frames, markers, 3) points, m, NaN where unknown, by their own autoregression or by another's."""
    weights, variance = _autoregressions(points) if like is None else (like.filter, like.variance)
    n = len(points)
    rows = np.full((n + SPAN - 1, *points.shape[1:]), np.nan)
    if n >= SPAN:
        inner = rows[SPAN - 1 : n]
        inner[:] = 0.0
        for k in range(SPAN):
            inner += weights[:, k, None] * points[k : n - SPAN + 1 + k]
    known: Mask = np.asarray(np.isfinite(rows).all(axis=2))
    rows[~known] = 0.0
    return Innovations(rows, known, weights, variance)


def _autoregressions(points: Array) -> tuple[Array, Array]:
    """(markers, SPAN) weights of the frames in an innovation, and (markers,) its variance on an axis, m²."""
    bends = np.moveaxis(np.diff(points, 2, axis=0), 0, 2)  # (markers, 3, frames − 2)
    n_markers, n_rows = len(bends), bends.shape[2] - LAGS
    # the first guess is the highest difference, of which steps stand out however smooth a marker is
    own = np.tile([math.comb(LAGS, k) * (-1.0) ** (LAGS - k) for k in range(LAGS + 1)], (n_markers, 1))
    # noise of the floor has second differences with covariances of 6, −4 and 1 times its variance
    apart = np.abs(np.subtract.outer(np.arange(LAGS + 1), np.arange(LAGS + 1)))
    floor = FLOOR_M**2 * np.array([6.0, -4.0, 1.0, *[0.0] * (LAGS - 2)])[apart]
    variance = np.full(n_markers, FLOOR_M**2)
    if n_rows > LAGS and n_markers:
        some = np.lib.stride_tricks.sliding_window_view(bends, LAGS + 1, axis=2)[:, :, :: max(1, n_rows // ENOUGH)]
        some = np.ascontiguousarray(np.swapaxes(some, 1, 2))  # (markers, rows, 3, LAGS + 1)
        seen: Mask = np.asarray(np.isfinite(some).all(axis=(2, 3)))
        some[~seen] = 0.0
        flat = some.reshape(n_markers, -1, LAGS + 1)
        for turn in range(3):
            squares = ((flat @ own[:, :, None]).reshape(some.shape[:3]) ** 2).sum(axis=2)
            typical = np.nan_to_num(median_of_known(np.where(seen, squares, np.nan).T))
            variance = typical / MEDIAN_3 + np.einsum("mi,ij,mj->m", own, floor, own)
            if turn == 2:
                break
            weights = seen * (TAIL + 3) / (TAIL + squares / variance[:, None])
            total = np.maximum(weights.sum(axis=1), 1.0)
            weighed = flat * np.repeat(weights, 3, axis=1)[..., None]
            moments = np.swapaxes(weighed, 1, 2) @ flat / (3 * total)[:, None, None] + floor
            own[:, :-1] = -np.linalg.solve(moments[:, :-1, :-1], moments[:, :-1, -1:])[..., 0]
    of_frames = np.zeros((n_markers, SPAN))
    for k, by in enumerate((1.0, -2.0, 1.0)):
        of_frames[:, k : k + LAGS + 1] += by * own
    return of_frames, variance


# --- responses ------------------------------------------------------------------------------------------------


def step_response(weights: Array) -> Array:
    """(markers, SPAN − 1) what a step of 1 from a frame on leaves in that frame's innovation and those after it."""
    return np.asarray(np.cumsum(weights[:, ::-1], axis=1)[:, :-1])


def columns(response: Array, first: int, stop: int, frames: IntArray) -> Array:
    """(stop − first, frames) what a change at each of some frames leaves in the rows from `first` to `stop`."""
    at = np.arange(first, stop)[:, None] - frames
    inside = (at >= 0) & (at < len(response))
    return np.where(inside, response[np.clip(at, 0, len(response) - 1)], 0.0)


def gains(found: Innovations, response: Array) -> tuple[Array, Array]:
    """What a change at each frame would be, (frames, markers, 3) m, and its log-likelihood over that of none.

    Parameters
    ----------
    found : Innovations
    response : (markers, rows) array
        What a change of 1 leaves in the innovations from its frame on.

    Returns
    -------
    changes : (frames, markers, 3) array, m
    gain : (frames, markers) array
    """
    n = len(found.rows) - SPAN + 1
    changes, information = np.zeros((n, *found.rows.shape[1:])), np.zeros((n, found.rows.shape[1]))
    for k in range(response.shape[1]):
        changes += response[:, k, None] * found.rows[k : n + k]
        information += response[:, k] ** 2 * found.known[k : n + k]
    explained = (changes**2).sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        explained = np.where(information > 0, explained / information, 0.0)
        changes = np.where(information[..., None] > 0, changes / information[..., None], 0.0)
    energy, count = (_around(np.asarray(of), n) for of in ((found.rows**2).sum(axis=2), 3.0 * found.known))
    return changes, log_gain(explained, energy, count, found.variance)


def _around(values: Array, n: int) -> Array:
    """(n, markers) sums of rows over a window from `SPAN` before each frame to twice that after it."""
    total = np.cumsum(np.concatenate([np.zeros((1, values.shape[1])), values]), axis=0)
    at = np.arange(n)
    return np.asarray(total[np.minimum(at + 2 * SPAN, len(values))] - total[np.maximum(at - SPAN, 0)])


def log_gain(explained: Array, energy: Array, count: Array, variance: Array) -> Array:
    """Log-likelihood that explaining some of the energy of innovations adds, m², under Student's t with one scale.

    Lange et al. (1989), equation 1, as one vector of `count` numbers: −(ν + n)/2 ln(ν s² + Σ e²).
    """
    prior = OF_TRIAL * variance
    left = np.maximum(energy - explained, 0.0) + prior
    return np.asarray((OF_TRIAL + count) / 2 * np.log((energy + prior) / left))


# --- steps in a window ----------------------------------------------------------------------------------------


class Explained(NamedTuple):
    """Which of some changes explain a window best: their numbers, (changes, 3) m, what they gain, less its price."""

    which: IntArray
    sizes: Array
    gain: float


def explain(rows: Array, changes: Array, variance: float, most: int, frames: IntArray, apart: int) -> Explained:
    """The changes, at most so many, that explain rows best; each costs what it tells of itself (Schwarz 1978).

    Parameters
    ----------
    rows : (rows, 3) array, m
        Innovations.
    changes : (rows, n) array
        What each of them leaves there.
    variance : float, m²
    most : int
    frames : (n,) int array
    apart : int
        Frames, so many at least, from one to the next.
    """
    energy, count = float((rows**2).sum()), rows.size
    price = 1.5 * np.log(count) + np.log(max(changes.shape[1], 1))
    square, along = changes.T @ changes, changes.T @ rows
    square[np.diag_indices(len(square))] += 1e-9 * max(float(np.trace(square)), 1e-300) / max(len(square), 1)
    best = Explained(np.zeros(0, dtype=int), np.zeros((0, 3)), 0.0)
    for which in _choices(square, along, most, np.abs(np.subtract.outer(frames, frames)) >= apart):
        sizes = np.linalg.solve(square[np.ix_(which, which)], along[which])
        explained = float((sizes * along[which]).sum())
        gain = float(log_gain(np.array(explained), np.array(energy), np.array(float(count)), np.array(variance)))
        if gain - price * len(which) > best.gain:
            best = Explained(which, np.asarray(sizes), gain - price * len(which))
    return best


def _choices(square: Array, along: Array, most: int, allowed: Mask) -> Iterator[IntArray]:
    """The best change, the best two, and what each further one adds to these most."""
    n = len(square)
    if not n:
        return
    yield np.array([int(np.argmax((along**2).sum(axis=1) / np.diag(square)))])
    if n < 2:
        return
    i, j = np.nonzero(np.triu(allowed, 1))
    if not len(i):
        return
    a, b, c = square[i, i], square[i, j], square[j, j]
    of_i, of_j, both = (along[i] ** 2).sum(axis=1), (along[j] ** 2).sum(axis=1), (along[i] * along[j]).sum(axis=1)
    two = (c * of_i - 2 * b * both + a * of_j) / np.fmax(a * c - b * b, 1e-12 * a * c + 1e-300)
    best = int(np.argmax(two))
    which = np.array([i[best], j[best]])
    yield which
    while len(which) < min(most, n):
        sizes = np.linalg.solve(square[np.ix_(which, which)], along[which])
        left = along - square[:, which] @ sizes
        by_these = np.linalg.solve(square[np.ix_(which, which)], square[which])
        adds = np.diag(square) - (square[:, which] * by_these.T).sum(axis=1)
        gain = np.where(adds > 1e-6 * np.diag(square), (left**2).sum(axis=1) / np.maximum(adds, 1e-300), 0.0)
        gain[~allowed[which].all(axis=0)] = 0.0
        if not gain.any():
            return
        which = np.append(which, int(np.argmax(gain)))
        yield which
