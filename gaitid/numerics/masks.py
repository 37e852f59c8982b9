"""Which frames are known: runs of them and what lies beside them; median, quantiles and the noise of a signal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from gaitid.trial import Array, IntArray, Mask

_NUMBERS = 1 << 16  # at once: half a MB, of which a processor's cache holds some
#: A trial of more frames is long: what follows from its poses is made so many at a time, when it is asked for.
LONG = 1 << 13
_Given = TypeVar("_Given", Array, IntArray)
_Made = TypeVar("_Made", Array, Mask, IntArray)


def by_blocks(of_rows: Callable[[_Given], _Made], values: _Given, behind: int = 0, times: int = 1) -> _Made:
    """``of_rows(values)``, block by block.

    Parameters
    ----------
    of_rows : callable
        Of (rows, …) values to (rows − behind, …) results, each from its own row and the `behind` rows after it;
        or to what such rows have together.
    values : (frames, …) array
    behind : int
    times : int
        So many times as many numbers as a row has are needed for it.

    Returns
    -------
    (frames − behind, …) array
    """
    rows = max(_NUMBERS * len(values) // max(values.size * times, 1), 1)
    starts = range(0, max(len(values) - behind, 1), rows)
    return joined([of_rows(values[start : start + rows + behind]) for start in starts])


def joined(parts: Sequence[_Made]) -> _Made:
    """What was made of successive frames, together."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def is_long(n_frames: int) -> bool:
    """Whether what follows from the poses of a trial is made some frames at a time."""
    return n_frames > LONG


def rows(values: _Given, frames: slice | IntArray) -> _Given:
    """The values in some frames; themselves where these are all, one after the other."""
    every = isinstance(frames, slice) and frames.stop - frames.start == len(values)
    return values if every else values[frames]


def blocks(n_frames: int) -> Iterator[slice]:
    """The frames of a trial, `LONG` at a time."""
    for start in range(0, n_frames, LONG):
        yield slice(start, min(start + LONG, n_frames))


def spans(known: Mask) -> Iterator[tuple[int, int]]:
    """(start, stop) of each run of true values."""
    if len(known):
        inner = ((known[1:] != known[:-1]).nonzero()[0] + 1).tolist()
        edges = [0] * bool(known[0]) + inner + [len(known)] * bool(known[-1])
        yield from zip(edges[::2], edges[1::2], strict=True)


def widened(mask: Mask, n: int) -> Mask:
    """True within `n` samples of a true value."""
    padded = np.concatenate([np.zeros(n, dtype=bool), mask, np.zeros(n, dtype=bool)])
    count = np.cumsum(np.concatenate([[0], padded]))
    return np.asarray(count[2 * n + 1 :] - count[: -2 * n - 1] > 0)


def known_rows(values: Array) -> Mask:
    """(frames,) whether everything in a frame is finite."""
    finite = np.isfinite(values)
    if finite.ndim != 2:
        if finite.all():  # as mostly: told in a quarter of the time that nine columns take
            return np.ones(len(finite), dtype=bool)
        finite = finite.reshape(len(finite), math.prod(finite.shape[1:]))
    return all_columns(finite) if 0 < finite.shape[1] <= 9 else np.asarray(finite.all(axis=1))


def known_part(values: Array) -> Array:
    """Of a (frames, columns) array the rows in which everything is finite: itself where all are; not to be changed."""
    if np.isfinite(values).all():
        return values
    # five times as fast as by the mask
    return values.take(known_rows(values).nonzero()[0], axis=0)


def all_columns(mask: Mask) -> Mask:
    """``mask.all(axis=-1)`` column by column: several times as fast for few columns, as points and axes have."""
    result: Mask = mask[..., 0] & mask[..., -1]
    for column in range(1, mask.shape[-1] - 1):
        result &= mask[..., column]
    return result


def largest_column(values: Array) -> Array:
    """``values.max(axis=-1)`` in the same way."""
    result: Array = values[..., 0].copy()
    for column in range(1, values.shape[-1]):
        np.maximum(result, values[..., column], out=result)
    return result


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


def bridged(points: Array) -> Array:
    """Points with each gap bridged by a straight line, and its ends held: to look for a foot, never to compute with.

    As they are where nothing is missing, or everything.
    """
    if np.isfinite(points).all():
        return points
    known = np.flatnonzero(known_rows(points))
    if not known.size:
        return points
    result = np.empty_like(points)
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


def nearest_known(values: Array) -> Array:
    """(frames, ...) with unknown rows as the nearest known one; as it is where none is known."""
    known = np.flatnonzero(known_rows(values))
    if known.size in (0, len(values)):
        return values
    frames = np.arange(len(values))
    after = np.clip(np.searchsorted(known, frames), 0, known.size - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(known[before] - frames) <= np.abs(known[after] - frames), known[before], known[after])
    return np.asarray(values[nearest])


# Of more values than this a partition takes less time than numpy's sort, which is made with vector instructions.
_MANY = 1024


def quantile(values: Array, share: float) -> Array:
    """Quantile along axis 0, linear between samples (numpy's imports masked arrays: 15 ms of every run)."""
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    ordered = _ordered(values, low, high)
    return np.asarray(ordered[low] + (at - low) * (ordered[high] - ordered[low]))


def _ordered(values: Array, *places: int) -> Array:
    """A copy in which what belongs into these places, were it sorted along axis 0, lies there."""
    ordered = np.array(values)
    if len(ordered) > _MANY:
        ordered.partition(places, axis=0)
    else:
        ordered.sort(axis=0)
    return ordered


def median(values: Array) -> Array:
    """Median along axis 0."""
    return quantile(values, 0.5)


def mean(values: Array) -> Array:
    """Mean along axis 0, to the last bit as numpy's method, which takes twice as long for few values."""
    return np.asarray(np.add.reduce(values) / len(values))


def deviation(values: Array) -> Array:
    """Standard deviation along axis 0, likewise to the last bit as numpy's method."""
    off = values - mean(values)
    return np.asarray(np.sqrt(mean(off * off)))


def mean_of_known(rows: Array) -> Array:
    """Mean of the rows of a (frames, columns) array in which everything is known; NaN where there are none."""
    known = known_part(rows)
    return mean(known) if len(known) else np.full(rows.shape[1], np.nan)


def quantile_of_known(values: Array, share: float) -> Array:
    """Quantile along axis 0 of what is known, without interpolation; NaN where nothing is."""
    return quantiles_of_known(values, share)[0]


def quantiles_of_known(values: Array, *shares: float) -> list[Array]:
    """Several at once."""
    if len(values) and np.isfinite(values).all():
        places = [round(share * (len(values) - 1)) for share in shares]
        ordered = _ordered(values, *places)
        return [np.asarray(ordered[place]) for place in places]
    ordered = np.sort(values, axis=0)  # NaN last
    last = np.maximum(np.isfinite(ordered).sum(axis=0) - 1, 0)
    at = [np.rint(share * last).astype(int) for share in shares]
    return [np.asarray(np.take_along_axis(ordered, index[None], axis=0)[0]) for index in at]


def median_of_known(values: Array) -> Array:
    """Median along axis 0 of what is known, as `numpy.nanmedian`, which imports masked arrays; NaN where nothing is."""
    if len(values) and np.isfinite(values).all():
        low, high = (len(values) - 1) // 2, len(values) // 2
        ordered = _ordered(values, low, high)
        return np.asarray((ordered[low] + ordered[high]) / 2)
    ordered = np.sort(values, axis=0)  # NaN last
    last = np.maximum(np.isfinite(ordered).sum(axis=0) - 1, 0)
    middle = [np.take_along_axis(ordered, index[None], axis=0)[0] for index in (last // 2, (last + 1) // 2)]
    return np.asarray((middle[0] + middle[1]) / 2)


def noise_levels(values: Array) -> Array:
    """Standard deviation of the white noise on smooth signals, in their own unit, (signals,); NaN where too short.

    The eighth difference of a smooth signal is next to nothing, that of white noise has C(16, 8) = 12870 times its
    variance (difference-based estimate, Rice 1984, Ann Statist 12:1215-1230); the median keeps jumps out.

    Parameters
    ----------
    values : (signals, frames, columns) array
        NaN where unknown.
    """
    if values.shape[1] < 24:
        return np.full(len(values), np.nan)
    return by_blocks(_noise_levels, values)


def _noise_levels(values: Array) -> Array:
    sizes = np.abs(np.diff(np.ascontiguousarray(values), 8, axis=1)).reshape(len(values), -1)
    if np.isfinite(sizes).all():
        typical = median(sizes.T)
    else:
        known = [of[np.isfinite(of)] for of in sizes]
        typical = np.array([median(of) if of.size >= 16 else np.nan for of in known])
    # 0.6745: the median of the size of a standard normal variate
    return np.asarray(typical / 0.6745 / np.sqrt(12870))
