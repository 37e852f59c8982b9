"""A fast signal at the instants of the cameras."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# Instants at once, of any ratio of the rates and of a whole one: what they need stays small.
_BLOCK, _OF_WHOLE = 512, 2048


class SideBySide:
    """Tables with one row a sample, their columns beside each other: put together of the rows that are asked for."""

    def __init__(self, *parts: Array) -> None:
        self._parts = parts
        self.shape = len(parts[0]), sum(part.shape[1] for part in parts)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | Array | IntArray) -> Array:
        picked = [part[rows] for part in self._parts]
        joined = np.empty((*picked[0].shape[:-1], self.shape[1]))
        columns = [part[..., i] for part in picked for i in range(part.shape[-1])]
        for i, column in enumerate(columns):  # numpy joins them at half the speed
            joined[..., i] = column
        return joined


def sample_centred_mean(
    values: Array | SideBySide, rate_hz: float, camera_hz: float, n_frames: int, start_s: float = 0.0
) -> Array:
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
    values: Array | SideBySide, rate_hz: float, camera_hz: float, n_frames: int, start_s: float = 0.0
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


def _local_quadratic_whole(values: Array | SideBySide, k: int, n_frames: int) -> Array:
    """The same where k samples make a frame: one set of weights for all frames but those at the ends."""
    result = np.empty((n_frames, values.shape[1]))
    inner_end = min(n_frames, (len(values) - 1 - k) // k + 1)  # frames before this have a whole window
    ends = (*range(min(1, n_frames)), *range(max(1, inner_end), n_frames))
    for start in range(0, len(ends), _BLOCK):
        some = ends[start : start + _BLOCK]
        result[list(some)] = _weighted(values, _end_weights(k, some, len(values)))
    for start in range(1, inner_end, _OF_WHOLE):
        stop = min(start + _OF_WHOLE, inner_end)
        samples = values[(start - 1) * k : stop * k + 1]
        step, across = samples.strides
        shape, strides = (stop - start, samples.shape[1], 2 * k + 1), (k * step, across, step)
        windows = np.lib.stride_tricks.as_strided(samples, shape, strides, writeable=False)
        np.matmul(windows, _inner_weights(k), out=result[start:stop])
    return result


@lru_cache(maxsize=8)
def _inner_weights(k: int) -> Array:
    """(2k + 1,) weights of the samples within one frame of an instant that has k of them on either side."""
    u = np.arange(-k, k + 1) / k
    design = np.stack([np.ones_like(u), u, u**2], axis=1)
    return np.asarray(np.linalg.solve(design.T @ design, design.T)[0])


def _local_quadratic(values: Array | SideBySide, k: float, instants: Array) -> Array:
    """The value at each instant (in samples) of the quadratic that fits the samples around it; any ratio k."""
    blocks = [instants[start : start + _BLOCK] for start in range(0, len(instants), _BLOCK)]
    fitted = [_weighted(values, _weights(k, block, len(values))) for block in blocks]
    return np.concatenate([np.empty((0, values.shape[1])), *fitted])


class _Weights(NamedTuple):
    """How the values at some instants follow from the samples around each: of (samples around it, instants).

    Attributes
    ----------
    instants : (instants,) array
        In samples.
    samples : (samples around it, instants) int array
        Of the sample; the nearest there is where that is none.
    use : (samples around it, instants) bool array
        Whether it counts.
    weights : (samples around it, instants) array
    enough : (instants,) bool array
        Whether three samples or more count.
    """

    instants: Array
    samples: IntArray
    use: Mask
    weights: Array
    enough: Mask


@lru_cache(maxsize=8)
def _end_weights(k: int, frames: tuple[int, ...], n_samples: int) -> _Weights:
    """Those of frames at the ends of a trial: the same for all plates."""
    return _weights(k, np.array(frames, dtype=np.float64) * k, n_samples)


def _weights(k: float, instants: Array, n_samples: int) -> _Weights:
    """Of the samples around each of a few instants, for the value there of the quadratic that fits them."""
    reach = int(np.floor(k + 1e-9)) + 1
    index = np.rint(instants).astype(int) + np.arange(-reach, reach + 1)[:, None]
    u = (index - instants) / k
    use = (index >= 0) & (index < n_samples) & (np.abs(u) <= 1 + 1e-9)
    moments = np.array([_in_order(np.where(use, u**power, 0.0)) for power in range(5)])
    normal = moments[np.add.outer(range(3), range(3))].transpose(2, 0, 1)
    enough = moments[0] >= 3
    factors = np.full((len(instants), 3), np.nan)
    if enough.any():
        first = np.broadcast_to(np.eye(3)[0][:, None], (enough.sum(), 3, 1))
        factors[enough] = np.linalg.solve(normal[enough], first)[..., 0]
    weights = np.where(use, factors[:, 0] + factors[:, 1] * u + factors[:, 2] * u**2, 0.0)
    return _Weights(instants, np.clip(index, 0, n_samples - 1), use, weights, enough)


def _weighted(values: Array | SideBySide, at: _Weights) -> Array:
    """(instants, columns) the values there."""
    samples = np.where(at.use[..., None], values[at.samples], 0.0)
    result = _in_order(at.weights[..., None] * samples)
    if not at.enough.all():
        result[~at.enough] = _between_samples(values, at.instants[~at.enough])
    return result


def _in_order(terms: Array) -> Array:
    """The sum along axis 0, one after the other, so that a value does not depend on how many instants are asked for."""
    return np.asarray(np.add.accumulate(terms)[-1])


def _between_samples(values: Array | SideBySide, at: Array) -> Array:
    """On the line between the two samples around each (fractional) index; NaN beyond the first and the last."""
    low = np.clip(np.floor(at).astype(int), 0, max(len(values) - 2, 0))
    high = np.minimum(low + 1, len(values) - 1)
    share = (at - low)[:, None]
    inside = (at >= 0) & (at <= len(values) - 1)
    return np.where(inside[:, None], (1 - share) * values[low] + share * values[high], np.nan)
