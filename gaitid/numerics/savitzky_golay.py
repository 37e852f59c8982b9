"""The Savitzky–Golay filter: the polynomial that fits a moving window best, and its derivatives."""

from __future__ import annotations

from math import factorial, pi, sqrt

import numpy as np

from gaitid.numerics.lowpass import refuse_cutoff
from gaitid.numerics.masks import columns_by_mask, spans
from gaitid.trial import Array


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
