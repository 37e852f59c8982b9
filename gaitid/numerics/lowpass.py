"""Filters of a span: the zero-phase Butterworth low-pass, and the Savitzky–Golay filter with its derivatives."""

from __future__ import annotations

from functools import lru_cache
from math import factorial, pi, sqrt

import numpy as np

from gaitid.numerics.masks import columns_by_mask, spans
from gaitid.records import NamedTuple
from gaitid.trial import Array

_BLOCK = 64  # rows that are filtered at once
_TOGETHER = 64  # such blocks whose responses are held at once
# What is left at the end of a span of what the filter makes at its beginning: that of one period of a low cut-off.
_LEFT = 0.004


def refuse_cutoff(cutoff_hz: float, rate_hz: float) -> None:
    """Raise ValueError where a cut-off is not between 0 and half the sampling rate."""
    if not 0 < cutoff_hz < rate_hz / 2:
        raise ValueError(f"cut-off {cutoff_hz:g} Hz is not between 0 and {rate_hz / 2:g} Hz")


def butterworth_coefficients(cutoff_hz: float, rate_hz: float, high: bool = False) -> tuple[Array, Array]:
    """Second-order Butterworth low-pass, or high-pass, whose two passes together have −3 dB at `cutoff_hz`.

    The single pass is designed for a cut-off higher by (√2 − 1)^(−1/4), of a high-pass lower (Winter 2009, eq. 3.9:
    order 2, two passes), on the bilinear transform's warped axis.

    Returns
    -------
    b, a : (3,) arrays

    Raises
    ------
    ValueError
        The cut-off is not between 0 and half the sampling rate.
    """
    refuse_cutoff(cutoff_hz, rate_hz)
    w = np.tan(np.pi * cutoff_hz / rate_hz) * (np.sqrt(2) - 1) ** (0.25 if high else -0.25)
    k = 1 + np.sqrt(2) * w + w**2
    b = np.array([1.0, -2.0, 1.0]) / k if high else np.array([1.0, 2.0, 1.0]) * w**2 / k
    a = np.array([1.0, 2 * (w**2 - 1) / k, (1 - np.sqrt(2) * w + w**2) / k])
    return b, a


def pad_length(cutoff_hz: float, rate_hz: float) -> int:
    """Samples by which a span is extended at each end before filtering: one period of the cut-off.

    Above an eighth of the rate more: near half the rate the filter swings from sample to sample, the longer the nearer.
    """
    _, a = butterworth_coefficients(cutoff_hz, rate_hz)
    size = np.sqrt(a[2])  # of the two poles, a conjugate pair: by how much what swings shrinks from sample to sample
    return int(np.ceil(max(rate_hz / cutoff_hz, np.log(_LEFT) / np.log(size))))


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
    return _both_ways(values, *_designed(cutoff_hz, rate_hz))


def bandpass(values: Array, band_hz: tuple[float, float], rate_hz: float) -> Array:
    """Zero-phase Butterworth high-pass and low-pass, each as `lowpass`, −3 dB at either end of the band.

    Parameters
    ----------
    values : (samples, …) array
    band_hz : (float, float)
    rate_hz : float

    Returns
    -------
    array shaped as `values`
    """
    return _both_ways(lowpass(values, band_hz[1], rate_hz), *_designed(band_hz[0], rate_hz, high=True))


def _both_ways(values: Array, blocks: _Blocks, pad: int) -> Array:
    """A filter forward and backward over each gap-free span of each column, extended by `pad` at its ends."""
    flat = values.reshape(len(values), -1)
    result: Array | None = None  # not before it is written to: of a long trial it is large
    for some, mask in columns_by_mask(flat):
        columns = slice(None) if len(some) == flat.shape[1] else some
        for start, stop in spans(mask):
            if stop - start <= pad:
                continue
            part = flat[start:stop, columns]
            extended = np.empty((len(part) + 2 * pad, len(some)), order="F")  # each column by itself
            extended[:pad] = 2 * part[0] - part[pad:0:-1]
            extended[pad:-pad] = part
            extended[-pad:] = 2 * part[-1] - part[-2 : -pad - 2 : -1]
            extended = _recursive(extended, blocks)  # of a long trial no more is held than what the next step needs
            extended = _recursive(extended[::-1], blocks)[::-1]
            if result is None:
                result = np.full_like(flat, np.nan)
            result[start:stop, columns] = extended[pad:-pad]
    return np.full_like(values, np.nan) if result is None else result.reshape(values.shape)


class _Blocks(NamedTuple):
    """A biquad over `_BLOCK` samples at once: how output and state follow from the samples and the state before."""

    respond: Array
    observe: Array
    reach: Array
    power: Array
    steady: Array


@lru_cache(maxsize=16)
def _designed(cutoff_hz: float, rate_hz: float, high: bool = False) -> tuple[_Blocks, int]:
    """The filter, and by how many samples a span is extended."""
    b, a = butterworth_coefficients(cutoff_hz, rate_hz, high)
    return _in_blocks(*b.tolist(), *a[1:].tolist()), pad_length(cutoff_hz, rate_hz)


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
    return _Blocks(respond, observe, reach, powers[_BLOCK], steady)


def _recursive(x: Array, blocks: _Blocks) -> Array:
    """A biquad from a steady state at the first sample, in blocks of samples (as ``scipy.signal.lfilter``)."""
    count, rest = divmod(len(x), _BLOCK)
    whole = x[: count * _BLOCK].reshape(count, _BLOCK, x.shape[1])
    driven = blocks.reach @ whole
    state = blocks.steady[:, None] * x[0]
    states = np.empty_like(driven)  # at the start of each block
    for k in range(count):
        states[k] = state
        state = blocks.power @ state + driven[k]
    y = np.empty(x.shape, order="F")
    for start in range(0, count, _TOGETHER):
        stop = min(start + _TOGETHER, count)
        made = blocks.respond @ whole[start:stop]
        made += blocks.observe @ states[start:stop]
        y[start * _BLOCK : stop * _BLOCK] = made.reshape(-1, x.shape[1])
    if rest:
        y[-rest:] = blocks.respond[:rest, :rest] @ x[-rest:] + blocks.observe[:rest] @ state
    return y


def savitzky_golay(values: Array, window: int, degree: int, *, derivative: int = 0, rate_hz: float = 1.0) -> Array:
    """The polynomial that fits the `window` frames around each frame best, or its derivative, at that frame.

    Savitzky & Golay (1964, Anal Chem 36:1627-1639). The first and last half window of a span have the polynomial of
    the first and last whole window; a span shorter than the window is NaN.

    Parameters
    ----------
    values : (frames, …) array
        NaN where unknown.
    window : int
        Odd number of frames, more than `degree`.
    degree : int
    derivative : int
        0 smooths; 1 and 2 give the polynomial's own derivatives, per s and per s².
    rate_hz : float
        For derivatives only.

    Returns
    -------
    array shaped as `values`

    Raises
    ------
    ValueError
        The window is even or not larger than the degree, or the derivative exceeds the degree.
    """
    weights = _window_weights(window, degree, derivative) * rate_hz**derivative
    half = window // 2
    flat = values.reshape(len(values), -1)
    result = np.full_like(flat, np.nan)
    for columns, mask in columns_by_mask(flat):
        for start, stop in spans(mask):
            if stop - start < window:
                continue
            part = flat[start:stop, columns]
            smooth = np.empty_like(part)
            smooth[half : len(part) - half] = (
                np.lib.stride_tricks.sliding_window_view(part, window, axis=0) @ weights[half]
            )
            smooth[:half] = weights[:half] @ part[:window]
            smooth[len(part) - half :] = weights[half + 1 :] @ part[-window:]
            result[start:stop, columns] = smooth
    return result.reshape(values.shape)


def savitzky_golay_cutoff(window: int, degree: int, rate_hz: float) -> float:
    """Lowest frequency at which the filter takes off 3 dB, away from the ends, Hz; NaN where it takes off less."""
    weights = _window_weights(window, degree, 0)[window // 2]
    lags = np.arange(window) - window // 2

    def response(omega: Array) -> Array:
        return np.asarray(np.cos(np.multiply.outer(omega, lags)) @ weights)

    # The response falls from 1 in lobes no narrower than 2π/window: 16 steps in each
    grid = np.linspace(0, pi, 8 * window + 1)
    fallen = np.flatnonzero(response(grid) < 1 / sqrt(2))
    if not fallen.size:
        return float("nan")
    low, high = grid[fallen[0] - 1], grid[fallen[0]]
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if response(middle) < 1 / sqrt(2) else (middle, high)
    return float(high * rate_hz / (2 * pi))


def savitzky_golay_window(cutoff_hz: float, rate_hz: float, degree: int) -> tuple[int, float]:
    """The odd window whose −3 dB lies nearest to a wanted cut-off, and its own −3 dB, Hz.

    Raises
    ------
    ValueError
        The cut-off is not between 0 and half the sampling rate.
    """
    refuse_cutoff(cutoff_hz, rate_hz)
    low = degree // 2 + 1  # half a window; the narrowest smooths least
    high = 2 * low
    while savitzky_golay_cutoff(2 * high + 1, degree, rate_hz) > cutoff_hz:
        low, high = high, 2 * high
    while high - low > 1:  # a wider window has a lower cut-off
        middle = (low + high) // 2
        if savitzky_golay_cutoff(2 * middle + 1, degree, rate_hz) > cutoff_hz:
            low = middle
        else:
            high = middle
    windows = [(2 * half + 1, savitzky_golay_cutoff(2 * half + 1, degree, rate_hz)) for half in (low, high)]
    return min(windows, key=lambda window: abs(window[1] - cutoff_hz))


def _window_weights(window: int, degree: int, derivative: int) -> Array:
    """(window, window): row i gives, from the samples of a window, the derivative of its polynomial at sample i."""
    if window % 2 == 0 or window <= degree:
        raise ValueError(f"a Savitzky–Golay window of {window} frames is not odd and more than the degree {degree}")
    if not 0 <= derivative <= degree:
        raise ValueError(f"a polynomial of degree {degree} has no derivative {derivative}")
    half = max(window // 2, 1)
    u = (np.arange(window) - window // 2) / half  # within ±1, where powers are well conditioned
    powers = np.arange(degree + 1)
    slopes = np.zeros((window, degree + 1))
    for power in range(derivative, degree + 1):
        slopes[:, power] = factorial(power) / factorial(power - derivative) * u ** (power - derivative)
    return np.asarray(slopes @ np.linalg.pinv(u[:, None] ** powers) / half**derivative)
