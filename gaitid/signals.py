"""Low-pass, derivatives and sampling of signals over time; nothing here filters unless its name says so.

All functions work along axis 0 and treat each gap-free span by itself: nothing is filled, and a frame that
cannot be known is NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gaitid.trial import Array, IntArray, Mask

# Fewer frames than this carry no fourth derivative.
SPLINE_MIN = 6
_BLOCK = 64  # rows that are solved or filtered at once


def spans(known: Mask) -> Iterator[tuple[int, int]]:
    """(start, stop) of each run of true values."""
    if len(known):
        inner = (np.flatnonzero(known[1:] != known[:-1]) + 1).tolist()
        edges = [0] * bool(known[0]) + inner + [len(known)] * bool(known[-1])
        yield from zip(edges[::2], edges[1::2], strict=True)


def widened(mask: Mask, n: int) -> Mask:
    """True within `n` samples of a true value."""
    padded = np.concatenate([np.zeros(n, dtype=bool), mask, np.zeros(n, dtype=bool)])
    count = np.cumsum(np.concatenate([[0], padded]))
    return np.asarray(count[2 * n + 1 :] - count[: -2 * n - 1] > 0)


def quantile(values: Array, share: float) -> Array:
    """Quantile along axis 0, linear between samples (numpy's imports masked arrays: 15 ms of every run)."""
    ordered = np.sort(values, axis=0)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return np.asarray(ordered[low] + (at - low) * (ordered[high] - ordered[low]))


def median(values: Array) -> Array:
    """Median along axis 0."""
    return quantile(values, 0.5)


def known_rows(values: Array) -> Mask:
    """(frames,) whether everything in a frame is finite."""
    finite = np.isfinite(values)
    if finite.ndim != 2:
        finite = finite.reshape(len(finite), int(np.prod(finite.shape[1:])))
    if not 0 < finite.shape[1] <= 4:
        return np.asarray(finite.all(axis=1))
    known = finite[:, 0].copy()  # column by column: five times as fast for points, asked for hundreds of times a run
    for column in finite.T[1:]:
        known &= column
    return known


# --- derivatives of the interpolating quintic spline ---------------------------------------------------------


@lru_cache(maxsize=32)
def _spline_factors(n: int) -> tuple[tuple[float, ...], ...]:
    """LU factors (two bands below, the diagonal, two above) of the matrix from coefficients to `n` samples.

    The natural interpolating quintic spline (3rd and 4th derivative zero at both ends; Greville 1969) in
    B-splines: samples are (1, 26, 66, 26, 1)/120 of the coefficients. The end conditions say that the
    coefficients go on as a quadratic, c₋₁ = 3c₀ − 3c₁ + c₂ and c₋₂ = 6c₀ − 8c₁ + 3c₂, which keeps five bands.
    """
    rows = [[1.0, 26.0, 66.0, 26.0, 1.0] for _ in range(n)]
    # (1, 26) · (c₋₂, c₋₁) in the first row, 1 · c₋₁ in the second; the last two are their mirror images
    rows[0] = [0.0, 0.0, 66.0 + 6 + 78, 26.0 - 8 - 78, 1.0 + 3 + 26]
    rows[1] = [0.0, 26.0 + 3, 66.0 - 3, 26.0 + 1, 1.0]
    rows[-1], rows[-2] = rows[0][::-1], rows[1][::-1]
    low2, low1, diagonal, up1, up2 = ([row[k] / 120 for row in rows] for k in range(5))
    for i in range(n - 1):
        low1[i + 1] /= diagonal[i]
        diagonal[i + 1] -= low1[i + 1] * up1[i]
        up1[i + 1] -= low1[i + 1] * up2[i]
        if i + 2 < n:
            low2[i + 2] /= diagonal[i]
            low1[i + 2] -= low2[i + 2] * up1[i]
            diagonal[i + 2] -= low2[i + 2] * up2[i]
    return tuple(low2), tuple(low1), tuple(diagonal), tuple(up1), tuple(up2)


@lru_cache(maxsize=8)
def _spline_blocks(n: int) -> tuple[tuple[slice, Array, Array, Array, Array], ...]:
    """The same factors in blocks of rows, so that a block is solved at once.

    Returns
    -------
    tuple of (rows, inverse of the lower block, what it takes from the two rows before it, inverse of the upper block,
    what it takes from the two rows behind it)
    """
    low2, low1, diagonal, up1, up2 = (np.array(band) for band in _spline_factors(n))
    starts = [*range(0, max(n - _BLOCK, 1), _BLOCK), n]  # the last holds the rest: at least two rows
    blocks: list[tuple[slice, Array, Array, Array, Array]] = []
    inverses: dict[bytes, Array] = {}  # the factors settle within fifty rows, to the last bit

    def inverse(*bands: tuple[Array, int]) -> Array:
        key = b"".join(band.tobytes() for band, _ in bands)
        if key not in inverses:
            inverses[key] = np.asarray(np.linalg.inv(sum(np.diag(band, k) for band, k in bands)))
        return inverses[key]

    for start, stop in zip(starts[:-1], starts[1:], strict=True):
        rows = slice(start, stop)
        ones = np.ones(stop - start)
        lower = inverse((ones, 0), (low1[start + 1 : stop], -1), (low2[start + 2 : stop], -2))
        upper = inverse((diagonal[rows], 0), (up1[start : stop - 1], 1), (up2[start : stop - 2], 2))
        before = np.array([[low2[start], low1[start]], [0.0, low2[start + 1]]])
        behind = np.array([[up2[stop - 2], 0.0], [up1[stop - 1], up2[stop - 1]]])
        blocks.append((rows, lower, before, upper, behind))
    return tuple(blocks)


def _spline_coefficients(samples: Array) -> Array:
    """(n + 4, columns) B-spline coefficients −2 … n + 1 of the spline through (n, columns) samples."""
    n = len(samples)
    blocks = _spline_blocks(n)
    c = np.empty((n + 4, samples.shape[1]))
    x = c[2:-2]
    x[:] = samples
    for rows, lower, before, _, _ in blocks:
        if rows.start:
            x[rows.start : rows.start + 2] -= before @ x[rows.start - 2 : rows.start]
        x[rows] = lower @ x[rows]
    for rows, _, _, upper, behind in reversed(blocks):
        if rows.stop < n:
            x[rows.stop - 2 : rows.stop] -= behind @ x[rows.stop : rows.stop + 2]
        x[rows] = upper @ x[rows]
    c[1], c[0] = 3 * x[0] - 3 * x[1] + x[2], 6 * x[0] - 8 * x[1] + 3 * x[2]
    c[-2], c[-1] = 3 * x[-1] - 3 * x[-2] + x[-3], 6 * x[-1] - 8 * x[-2] + 3 * x[-3]
    return c


def spline_derivatives(values: Array, rate_hz: float) -> tuple[Array, Array]:
    """First and second derivative of the natural interpolating quintic spline, per gap-free span of each column.

    From the coefficients c: first derivatives (−1, −10, 0, 10, 1)/24, second derivatives (1, 2, −6, 2, 1)/6.

    Parameters
    ----------
    values : (frames, …) array
        NaN where unknown.
    rate_hz : float

    Returns
    -------
    first, second : arrays shaped as `values`, per s and per s²
        NaN in gaps and in spans of fewer than six frames. The ends of a span are less sure (the end conditions
        are an assumption); the caller marks them.
    """
    flat = values.reshape(len(values), -1)
    first, second = np.full(flat.shape, np.nan), np.full(flat.shape, np.nan)
    for columns, mask in columns_by_mask(flat):
        for start, stop in spans(mask):
            if stop - start < SPLINE_MIN:
                continue
            c = _spline_coefficients(flat[start:stop, columns])
            outer, inner = c[4:] - c[:-4], c[3:-1] - c[1:-3]
            first[start:stop, columns] = (outer + 10 * inner) * (rate_hz / 24)
            second[start:stop, columns] = (c[4:] + c[:-4] + 2 * (c[3:-1] + c[1:-3]) - 6 * c[2:-2]) * (rate_hz**2 / 6)
    return first.reshape(values.shape), second.reshape(values.shape)


# --- zero-phase low-pass -------------------------------------------------------------------------------------


def butterworth_coefficients(cutoff_hz: float, rate_hz: float) -> tuple[Array, Array]:
    """Second-order Butterworth low-pass whose two passes together have −3 dB at `cutoff_hz`.

    The single pass is designed for a cut-off higher by (√2 − 1)^(−1/4) (Winter 2009, eq. 3.9: order 2, two
    passes), on the bilinear transform's warped axis.

    Returns
    -------
    b, a : (3,) arrays

    Raises
    ------
    ValueError
        The cut-off is not between 0 and half the sampling rate.
    """
    if not 0 < cutoff_hz < rate_hz / 2:
        raise ValueError(f"cut-off {cutoff_hz:g} Hz is not between 0 and {rate_hz / 2:g} Hz")
    w = np.tan(np.pi * cutoff_hz / rate_hz) / (np.sqrt(2) - 1) ** 0.25
    k = 1 + np.sqrt(2) * w + w**2
    b = np.array([1.0, 2.0, 1.0]) * w**2 / k
    a = np.array([1.0, 2 * (w**2 - 1) / k, (1 - np.sqrt(2) * w + w**2) / k])
    return b, a


def pad_length(cutoff_hz: float, rate_hz: float) -> int:
    """Samples by which a span is extended at each end before filtering: one period of the cut-off."""
    return int(np.ceil(rate_hz / cutoff_hz))


def lowpass(values: Array, cutoff_hz: float, rate_hz: float) -> Array:
    """Zero-phase Butterworth low-pass, forward and backward, −3 dB at `cutoff_hz` for both passes together.

    Each gap-free span of each column is extended at its ends by point reflection and filtered from a steady
    state; a span shorter than the extension is left as it is not filterable: NaN.

    Parameters
    ----------
    values : (frames, …) array
    cutoff_hz, rate_hz : float

    Returns
    -------
    array shaped as `values`
    """
    b, a = butterworth_coefficients(cutoff_hz, rate_hz)
    pad = pad_length(cutoff_hz, rate_hz)
    flat = values.reshape(len(values), -1)
    result = np.full_like(flat, np.nan)
    for columns, mask in columns_by_mask(flat):
        for start, stop in spans(mask):
            if stop - start <= pad:
                continue
            part = flat[start:stop, columns]
            before = 2 * part[0] - part[pad:0:-1]
            after = 2 * part[-1] - part[-2 : -pad - 2 : -1]
            extended = np.concatenate([before, part, after])
            forward = _recursive(extended, b, a)
            backward = _recursive(forward[::-1], b, a)[::-1]
            result[start:stop, columns] = backward[pad:-pad]
    return result.reshape(values.shape)


def columns_by_mask(flat: Array) -> Iterator[tuple[IntArray, Mask]]:
    """Columns that are known in the same frames, together: most trials have one such group."""
    finite = np.isfinite(flat)
    if finite.all():
        yield np.arange(flat.shape[1]), np.ones(len(flat), dtype=bool)
        return
    groups: dict[bytes, list[int]] = {}
    for column in range(flat.shape[1]):
        groups.setdefault(np.packbits(finite[:, column]).tobytes(), []).append(column)
    for columns in groups.values():
        yield np.array(columns), finite[:, columns[0]]


class _Blocks(NamedTuple):
    """A biquad over `_BLOCK` samples at once: how output and state follow from the samples and the state before."""

    respond: Array
    observe: Array
    reach: Array
    powers: tuple[Array, ...]
    steady: Array


@lru_cache(maxsize=8)
def _in_blocks(b0: float, b1: float, b2: float, a1: float, a2: float) -> _Blocks:
    transition = np.array([[-a1, 1.0], [-a2, 0.0]])
    gain = np.array([b1 - a1 * b0, b2 - a2 * b0])
    powers = [np.eye(2)]
    for _ in range(_BLOCK):
        powers.append(powers[-1] @ transition)
    observe = np.array([p[0] for p in powers[:_BLOCK]])  # output from the state at the block's start
    impulse = np.concatenate([[b0], observe[:-1] @ gain])
    lags = np.subtract.outer(np.arange(_BLOCK), np.arange(_BLOCK))
    respond = np.where(lags >= 0, impulse[np.maximum(lags, 0)], 0.0)
    reach = np.stack([power @ gain for power in powers[_BLOCK - 1 :: -1]], axis=1)
    # for a constant input of one
    steady = np.linalg.solve(np.eye(2) - transition, gain)
    return _Blocks(respond, observe, reach, tuple(powers), steady)


def _recursive(x: Array, b: Array, a: Array) -> Array:
    """A biquad from a steady state at the first sample, in blocks of samples (as ``scipy.signal.lfilter``)."""
    blocks = _in_blocks(*b.tolist(), *a[1:].tolist())
    y = np.empty_like(x)
    state = blocks.steady[:, None] * x[0]
    for start in range(0, len(x), _BLOCK):
        part = x[start : start + _BLOCK]
        m = len(part)
        y[start : start + m] = blocks.respond[:m, :m] @ part + blocks.observe[:m] @ state
        state = blocks.powers[m] @ state + blocks.reach[:, _BLOCK - m :] @ part
    return y


def noise_level(values: Array) -> float:
    """Standard deviation of the white noise on a smooth signal, in its own unit; NaN where too short.

    The eighth difference of a smooth signal is next to nothing, that of white noise has C(16, 8) = 12870 times its
    variance (difference-based estimate, Rice 1984, Ann Statist 12:1215-1230); the median keeps jumps out.

    Parameters
    ----------
    values : (frames, columns) array
        NaN where unknown.
    """
    if len(values) < 24:
        return float("nan")
    differences = np.diff(values, 8, axis=0)
    differences = differences[np.isfinite(differences)]
    # 0.6745: the median of the size of a standard normal variate
    return float(median(np.abs(differences)) / 0.6745 / np.sqrt(12870)) if differences.size >= 16 else float("nan")


# --- sampling a fast signal at the camera's instants ---------------------------------------------------------


def sample_centred_mean(values: Array, rate_hz: float, camera_hz: float, n_frames: int, start_s: float = 0.0) -> Array:
    """Mean of the samples within half a camera interval of each instant: Plug-in Gait's reading of a plate.

    ± ⌊k/2⌋ samples, k the ratio of the rates (11 samples at 1000/100 Hz); fewer at the ends of the trial. Sample 0
    was taken `start_s` after the first frame.

    Returns
    -------
    (n_frames, columns) array
    """
    k = rate_hz / camera_hz
    half = int(np.floor(k / 2 + 1e-9))
    total = np.zeros((n_frames, values.shape[1]))
    count = np.zeros((n_frames, 1))
    nearest = np.rint(np.arange(n_frames) * k - start_s * rate_hz).astype(int)
    for tap in range(-half, half + 1):
        index = nearest + tap
        inside = (index >= 0) & (index < len(values))
        total[inside] += values[index[inside]]
        count[inside] += 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(total / np.where(count > 0, count, np.nan))


def sample_local_quadratic(
    values: Array, rate_hz: float, camera_hz: float, n_frames: int, start_s: float = 0.0
) -> Array:
    """Value at each camera instant of the quadratic that fits the samples within one camera interval of it best.

    A least-squares fit around each instant (Savitzky & Golay 1964, here at true instants, so that the rates
    need no common factor): its passband is flat to the fourth order, where a plain mean rounds off a peak to
    the second. Samples within one interval on either side; −3 dB at about half the camera rate. Sample 0 was taken
    `start_s` after the first frame.

    Returns
    -------
    (n_frames, columns) array
        NaN at an instant with fewer than three samples about it.
    """
    k = rate_hz / camera_hz
    if k >= 2 and k == int(k) and start_s == 0:
        return _local_quadratic_whole(values, int(k), n_frames)
    return _local_quadratic(values, k, np.arange(n_frames, dtype=np.float64) * k - start_s * rate_hz)


def _local_quadratic_whole(values: Array, k: int, n_frames: int) -> Array:
    """The same where k samples make a frame: one set of weights for all frames but those at the ends."""
    result = np.empty((n_frames, values.shape[1]))
    inner_end = min(n_frames, (len(values) - 1 - k) // k + 1)  # frames before this have a whole window
    ends = np.concatenate([np.arange(min(1, n_frames)), np.arange(max(1, inner_end), n_frames)])
    result[ends] = _local_quadratic(values, k, ends * k)
    if inner_end > 1:
        u = np.arange(-k, k + 1) / k
        design = np.stack([np.ones_like(u), u, u**2], axis=1)
        weights = np.linalg.solve(design.T @ design, design.T)[0]
        windows = np.lib.stride_tricks.sliding_window_view(values, 2 * k + 1, axis=0)[::k][: inner_end - 1]
        result[1:inner_end] = windows @ weights
    return result


def _local_quadratic(values: Array, k: float, instants: Array | IntArray) -> Array:
    """The value at each instant (in samples) of the quadratic that fits the samples around it; any ratio k."""
    n_frames = len(instants)
    nearest = np.rint(instants).astype(int)
    reach = int(np.floor(k + 1e-9)) + 1
    taps = []
    moments = np.zeros((5, n_frames))
    for tap in range(-reach, reach + 1):
        index = nearest + tap
        u = (index - instants) / k
        use = (index >= 0) & (index < len(values)) & (np.abs(u) <= 1 + 1e-9)
        taps.append((index, u, use))
        for power in range(5):
            moments[power] += np.where(use, u**power, 0.0)
    normal = np.empty((n_frames, 3, 3))
    for i in range(3):
        for j in range(3):
            normal[:, i, j] = moments[i + j]
    enough = moments[0] >= 3
    weights = np.full((n_frames, 3), np.nan)
    if enough.any():
        weights[enough] = np.linalg.solve(normal[enough], np.broadcast_to(np.eye(3)[0][:, None], (enough.sum(), 3, 1)))[
            ..., 0
        ]
    result = np.zeros((n_frames, values.shape[1]))
    for index, u, use in taps:
        w = weights[:, 0] + weights[:, 1] * u + weights[:, 2] * u**2
        result[use] += w[use, None] * values[index[use]]
    result[~enough] = _between_samples(values, instants[~enough])
    return result


def _between_samples(values: Array, at: Array) -> Array:
    """On the line between the two samples around each (fractional) index; NaN beyond the first and the last."""
    low = np.clip(np.floor(at).astype(int), 0, max(len(values) - 2, 0))
    high = np.minimum(low + 1, len(values) - 1)
    share = (at - low)[:, None]
    inside = (at >= 0) & (at <= len(values) - 1)
    return np.where(inside[:, None], (1 - share) * values[low] + share * values[high], np.nan)


def bridged(points: Array) -> Array:
    """Points with each gap bridged by a straight line, and its ends held: to look for a foot, never to compute with."""
    result = points.copy()
    known = np.flatnonzero(known_rows(points))
    if known.size and known.size < len(points):
        for column in range(points.shape[1]):
            result[:, column] = np.interp(np.arange(len(points)), known, points[known, column])
    return result


def mark_ends(values: Array, n: int) -> Array:
    """A copy with the first and last `n` frames of each gap-free span unknown."""
    result = values.copy()
    for start, stop in spans(known_rows(values)):
        result[start : start + n] = np.nan
        result[max(stop - n, start) : stop] = np.nan
    return result
