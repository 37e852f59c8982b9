"""Median, quantiles and the noise of a signal."""

from __future__ import annotations

import numpy as np

from gaitid.numerics.blocks import by_blocks
from gaitid.numerics.masks import known_part
from gaitid.trial import Array

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
