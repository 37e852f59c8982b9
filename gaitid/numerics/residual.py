"""Winter's residual analysis: which cut-off does each marker ask for, and does it have the noise to ask?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.numerics.blocks import by_blocks
from gaitid.numerics.masks import all_columns, noise_levels, spans
from gaitid.trial import Array, Mask

# The line is laid through the upper half of the cut-offs tried, which reach up to this, Hz, or a quarter of the rate:
# walking markers of usual noise hold little else above half of that.
_HIGHEST_HZ = 24.0
_LOWEST_HZ, _STEP_HZ = 1.0, 0.25
# Beyond this ratio the line's noise is not the white noise that the eighth differences see.
_SAME_NOISE = 1.5
_LEAST_S = 1.0
_BINS = 4096  # of a spectrum at once


@dataclass(frozen=True, eq=False)
class ResidualAnalysis:
    """Cut-offs that markers ask for, and the curves that they were read from.

    Attributes
    ----------
    cutoff_hz : (markers,) array
        NaN where the analysis says nothing; `reason` says why.
    noise : (markers,) array
        What the line gives at 0 Hz: the noise of one axis, in the unit of the markers. NaN as `cutoff_hz`.
    reason : tuple of str
        For each marker, empty where it has a cut-off.
    residual : (cut-offs, markers) array
        RMS over frames and axes of what the low-pass removes, in the unit of the markers: at cut-offs of 1 Hz and each
        0.25 Hz more.
    """

    cutoff_hz: Array
    noise: Array
    reason: tuple[str, ...]
    residual: Array


def residual_cutoff(values: Array, rate_hz: float) -> ResidualAnalysis:
    """Cut-off of the zero-phase Butterworth low-pass that each marker asks for.

    Winter (2009, Biomechanics and Motor Control of Human Movement, 4th ed., sect. 3.4.4.3): the RMS of what a low-pass
    removes is drawn over its cut-off. Noise alone gives a straight line at high cut-offs; its value at 0 Hz is the
    noise, and the cut-off asked for is where the residual equals it, so that as much signal is lost as noise let
    through. Where the residual is still signal there is no such line, only a tail that falls as f⁻⁴ once the data were
    smoothed before; so the line's noise must be what the eighth differences see (`noise_levels`).

    Parameters
    ----------
    values : (frames, markers) or (frames, markers, axes) array
        NaN where unknown; of each marker the longest gap-free span is taken.
    rate_hz : float

    Returns
    -------
    ResidualAnalysis
    """
    markers = values.reshape(*values.shape[:2], -1)
    tried = np.arange(_LOWEST_HZ, min(_HIGHEST_HZ, rate_hz / 4) + _STEP_HZ / 2, _STEP_HZ)
    count = markers.shape[1]
    residual = np.full((len(tried), count), np.nan)
    cutoff, noise = np.full(count, np.nan), np.full(count, np.nan)
    reason = [""] * count
    together: dict[tuple[int, int], list[int]] = {}  # most markers share their span
    for marker, known in enumerate(all_columns(np.isfinite(markers)).T):
        together.setdefault(_longest_span(known), []).append(marker)
    for (start, stop), some in together.items():
        if stop - start < _LEAST_S * rate_hz or len(tried) < 8:
            for marker in some:
                reason[marker] = f"no {_LEAST_S:g} s without a gap" if len(tried) >= 8 else "sampled too slowly"
            continue
        points = np.swapaxes(markers[start:stop] if len(some) == count else markers[start:stop, some], 0, 1)
        removed, of_white = _removed(by_blocks(_power, points), tried, rate_hz)
        # white noise of size 1 through the same filters and the same line
        _, (white_level,) = _asked(tried, np.sqrt(of_white)[:, None])
        residual[:, some] = np.sqrt(removed)
        asked, level = _asked(tried, residual[:, some])
        seen = noise_levels(points)
        proposed = np.isfinite(asked) & (level <= _SAME_NOISE * seen * white_level)
        cutoff[some], noise[some] = np.where(proposed, asked, np.nan), np.where(proposed, level, np.nan)
        for i in np.flatnonzero(~proposed):
            reason[some[i]] = (
                f"no noise floor up to {tried[-1]:g} Hz: a line says {level[i]:.2g}, eighth differences {seen[i]:.2g}"
            )
    return ResidualAnalysis(cutoff, noise, tuple(reason), residual)


def _longest_span(known: Mask) -> tuple[int, int]:
    return max(spans(known), key=lambda span: span[1] - span[0], default=(0, 0))


def _power(markers: Array) -> Array:
    """(markers, bins) mean square by frequency, of an axis, as the low-pass extends a span: by point reflection."""
    points = np.swapaxes(markers, 0, 1)
    n = len(points)
    line = points[0] + np.multiply.outer(np.linspace(0, 1, n), points[-1] - points[0])
    rest = points - line
    spectrum = np.fft.rfft(np.concatenate([rest, -rest[-2:0:-1]]), axis=0) / (2 * n - 2)
    power = 2 * np.abs(spectrum) ** 2
    return np.asarray(sum(power[..., axis] for axis in range(points.shape[-1])) / points.shape[-1]).T


def _removed(power: Array, tried: Array, rate_hz: float) -> tuple[Array, Array]:
    """(cut-offs, markers) mean square that each low-pass removes of (markers, bins) `power`, and (cut-offs,) of white
    noise of size 1.
    """
    n = power.shape[1]
    of_markers, of_white = np.zeros((len(tried), len(power))), np.zeros(len(tried))
    for start in range(0, n, _BINS):  # of a long trial all would be more than its markers
        bins = np.arange(start, min(start + _BINS, n))
        share = _removed_share(np.pi * bins / (2 * n - 2), tried, rate_hz)
        of_markers += share @ np.ascontiguousarray(power[:, bins].T)
        of_white += share.sum(axis=1)
    return of_markers, of_white / n


def _removed_share(angle: Array, tried: Array, rate_hz: float) -> Array:
    """(cut-offs, bins) share of the mean square that the double Butterworth of `signals.lowpass` removes.

    Of an amplitude it passes 1/(1 + (Ω/w)⁴): order 2, forward and backward, Ω = tan `angle` and w on the bilinear
    transform's axis.
    """
    omega = np.tan(angle)
    w = np.tan(np.pi * tried / rate_hz) / (np.sqrt(2) - 1) ** 0.25
    x = np.divide.outer(1 / w, 1 / np.maximum(omega, 1e-30)) ** 2
    x *= x  # a fourth power takes numpy ten times as long as two squares
    return np.asarray((x / (1 + x)) ** 2)


def _asked(tried: Array, residual: Array) -> tuple[Array, Array]:
    """Where each column falls to its line's value at 0 Hz, Hz (NaN if never), and that value."""
    upper = len(tried) // 2
    slope, level = np.polyfit(tried[upper:], residual[upper:], 1)
    at = np.argmax(residual <= level, axis=0)  # 0 too where it never does
    crosses = (at > 0) & (slope < 0)
    before, after = (np.take_along_axis(residual, i[None], axis=0)[0] for i in (np.maximum(at - 1, 0), at))
    with np.errstate(invalid="ignore", divide="ignore"):  # where nothing is asked
        share = (before - level) / (before - after)
    return np.where(crosses, tried[at - 1] + share * (tried[at] - tried[at - 1]), np.nan), level
