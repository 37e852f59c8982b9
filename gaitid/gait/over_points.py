"""Arrays of (columns, cycles, points): peaks, sums, what lies between two points, and rows that are picked."""

from __future__ import annotations

import numpy as np

from gaitid.numerics.rotation import wrapped
from gaitid.trial import Array, IntArray, Mask

#: % of the cycle on either side of a peak within which nothing is higher. Markers at 6 Hz hold nothing shorter than
#: 15 % of a cycle of 1.1 s: a bump of less than 6 % is noise.
PEAK_REACH = 3
_DOUBLING = (1, 2)  # steps by which maxima of 1, 2 and 1 + PEAK_REACH rows follow from each other


def by_rows(by_ends: Array, share: Array | Mask) -> Array:
    """(columns, cycles, points) of (2, columns, cycles, intervals) by the ends of intervals, a share of each."""
    found = np.zeros((*by_ends.shape[1:3], by_ends.shape[3] + 1))
    found[..., :-1] += share * by_ends[0]
    found[..., 1:] += share * by_ends[1]
    return found


def between(values: Array, percent: Array) -> Array:
    """(columns, cycles) angles between two rows, on the straight line and the shorter way round."""
    at = np.where(np.isfinite(percent), percent, 0) * (values.shape[2] - 1) / 100
    low = np.minimum(at.astype(int), values.shape[2] - 2)
    cycle = np.arange(len(percent))
    a, b = values[:, cycle, low], values[:, cycle, low + 1]
    rise = wrapped(b - a, 360.0)
    share = at - low
    return np.where(np.isfinite(percent), np.where(share > 0, a + share * rise, a), np.nan)


def peaks_of(values: Array) -> Mask:
    """Where nothing within `PEAK_REACH` rows is higher, and the ends of that are lower; never at the ends."""
    n, ends = values.shape[-1], PEAK_REACH
    padded = np.concatenate([values[..., :1]] * ends + [values] + [values[..., -1:]] * ends, axis=-1)
    # the highest of the reach behind each row: of two rows, and of twos that overlap
    high = padded
    for step in _DOUBLING:
        high = np.maximum(high[..., :-step], high[..., step:])
    peak = values >= high[..., ends:]
    peak &= values >= high[..., :n]
    peak &= values > padded[..., :n]
    peak &= values > padded[..., 2 * ends :]
    return np.asarray(peak)


def summed(parts: Array | Mask, kind: type) -> Array:
    """Sums up to each point, from 0."""
    sums = np.zeros((*parts.shape[:2], parts.shape[2] + 1), dtype=kind)
    np.cumsum(parts, axis=2, out=sums[..., 1:])
    return sums


def at_ends(sums: Array, end: Array) -> Array:
    """(columns, cycles) of sums at points that may lie between two."""
    low = np.minimum(end.astype(int), sums.shape[2] - 2)
    cycle = np.arange(len(end))
    before, after = sums[:, cycle, low], sums[:, cycle, low + 1]
    return np.asarray(before + (end - low) * (after - before))


def picked(values: Array, rows: IntArray) -> Array:
    """(features, cycles) of (features or 1, cycles, points) at rows of (features, cycles)."""
    feature = np.arange(len(values))[:, None]
    return np.asarray(values[feature, np.arange(rows.shape[1]), rows])
