"""How fast a movement is, and up to which frequency its recording still holds it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import all_columns, by_blocks, columns_by_mask, median, noise_levels, spans
from gaitid.numerics.spline import spline_derivatives
from gaitid.trial import Array, IntArray, Mask

#: Hz. Up to here a movement is looked at: a body's movement lies below (Winter, Sidwall & Hobson 1974, J Biomech
#: 7:157-159: of the toe in walking 99.7 % of the power below 6 Hz), most of the noise above.
LOOK_HZ = 12.0
#: Share of the power of the accelerations that lies below the highest frequency that is held.
BANDWIDTH_SHARE = 0.999
#: A low-pass at f leaves that share below 1.2 to 1.6 f (measured on simulated walks with impacts, 6 to 20 Hz).
BANDWIDTH_OVER_CUTOFF = 1.4
#: Hz. No low-pass of a movement lies lower: slower ones are slow by themselves.
LEAST_BANDWIDTH_HZ = 5.0
#: m/s. RMS of the velocities below which nobody moves: statics of 17 recordings reach 0.016, movements begin at 0.28.
STILL = 0.1
#: s. Of a longer recording the part that moves most tells enough: lines 0.25 Hz apart.
LONGEST_S = 4.0
#: Hz. Two bands of a movement, and the lines that they are looked at by: strides and steps with what carries them, and
#: what a low-pass at 3 to 4 Hz takes away.
SLOW_HZ, FAST_HZ, _LINES_HZ = (1.0, 3.5), (4.5, 6.5), 0.25
#: s. In less the two bands run into each other.
_BANDS_FROM_S = 0.8
# Frames. Shorter spans tell no frequency.
_SHORTEST = 32
# Of markers at once.
_NUMBERS = 1_000_000
# Multiplications at once: for more, the library of matrix products starts threads, which cost more than they save here.
_PRODUCTS = 1 << 17


def movement_frequency(points: Array, rate_hz: float, noise: float) -> float:
    """Mean frequency of a movement, Hz: the RMS of its accelerations over that of its velocities, by 2π.

    Velocities count about their mean, so that walking on does not; what white noise adds to the accelerations is taken
    off, so that up to 2 mm of it change the result of a simulated walk or run by 1 %.

    Parameters
    ----------
    points : (frames, markers, 3) array, m
    rate_hz : float
    noise : float
        Standard deviation of the noise of each coordinate, m.

    Returns
    -------
    float
        NaN where nothing moves, and where the rate or the spans are too low to tell.
    """
    if not rate_hz > 2 * LOOK_HZ:
        return float("nan")
    of_noise = noise**2 * _acceleration_of_white_noise(rate_hz)
    ends = round(rate_hz / LOOK_HZ)
    fast, slow, count = 0.0, 0.0, 0
    some = max(_NUMBERS // max(3 * len(points), 1), 1)  # of a long trial so many markers at once
    for first in range(0, points.shape[1], some):
        smooth = lowpass(points[:, first : first + some], LOOK_HZ, rate_hz)
        of_velocity, of_acceleration = (of.reshape(len(of), -1) for of in spline_derivatives(smooth, rate_hz))
        for columns, known in columns_by_mask(of_acceleration):
            for start, stop in spans(known):
                if stop - start - 2 * ends >= _SHORTEST:
                    inner = slice(start + ends, stop - ends)
                    a, v = _columns(of_acceleration, inner, columns), _columns(of_velocity, inner, columns)
                    v = v - v.mean(axis=0)
                    fast += float(np.einsum("ij,ij->", a, a)) - a.size * of_noise
                    slow += float(np.einsum("ij,ij->", v, v))
                    count += a.size
    return float(np.sqrt(fast / slow) / (2 * np.pi)) if fast > 0 and slow > count / 3 * STILL**2 else float("nan")


@lru_cache(maxsize=8)
def _acceleration_of_white_noise(rate_hz: float) -> float:
    """Variance of the second derivative of white noise of variance 1 after the low-pass at `LOOK_HZ`, 1/s⁴."""
    # both passes together have −3 dB there, so each is designed for a higher one (`numerics.lowpass`)
    w = np.tan(np.pi * LOOK_HZ / rate_hz) / (np.sqrt(2) - 1) ** 0.25
    omega = (np.arange(512) + 0.5) / 512 * np.pi
    gain = 1 / (1 + (np.tan(omega / 2) / w) ** 4)
    return float(np.mean((gain * (omega * rate_hz) ** 2) ** 2))


def signal_bandwidth(points: Array, rate_hz: float) -> float:
    """The low-pass that markers without noise seem to have gone through, Hz: the median of their bandwidths.

    A marker's is that below which `BANDWIDTH_SHARE` of the power of its acceleration lies, by `BANDWIDTH_OVER_CUTOFF`.
    A movement that is slow by itself, without impacts, looks as one that was smoothed, down to `LEAST_BANDWIDTH_HZ`.

    Parameters
    ----------
    points : (frames, markers, 3) array
    rate_hz : float

    Returns
    -------
    float
        NaN where no marker has a span that is long enough.
    """
    result: list[float] = []
    flat = points.reshape(len(points), -1)
    for columns, known in columns_by_mask(flat):
        start, stop = max(spans(known), key=lambda span: span[1] - span[0], default=(0, 0))
        if stop - start < _SHORTEST:
            continue
        # the second difference passes (2 sin ω/2)² for ω²: 3 % less at a tenth of the rate, where smoothed markers end
        span = _columns(flat, slice(start, stop), columns)
        bent = np.diff(span[_liveliest(span, round(LONGEST_S * rate_hz))], 2, axis=0)
        n = len(bent)
        taper = np.sin(np.pi * (np.arange(n) + 0.5) / n)[:, None] ** 2
        lines = _lines_below(BANDWIDTH_SHARE, (bent - bent.mean(axis=0)) * taper, points.shape[2])
        result += (lines * rate_hz / n).tolist()
    return max(float(median(np.array(result))) / BANDWIDTH_OVER_CUTOFF, LEAST_BANDWIDTH_HZ) if result else float("nan")


def fast_share(points: Array, rate_hz: float) -> float:
    """How much of a movement's acceleration is fast (`FAST_HZ`), as the power of a line over that of a slow one
    (`SLOW_HZ`): its decimal logarithm, the median over the markers; NaN where the spans are too short to tell.

    Parameters
    ----------
    points : (frames, markers, 3) array
    rate_hz : float
    """
    result: list[float] = []
    flat = points.reshape(len(points), -1)
    for columns, known in columns_by_mask(flat):
        start, stop = max(spans(known), key=lambda span: span[1] - span[0], default=(0, 0))
        if stop - start < max(_BANDS_FROM_S * rate_hz, _SHORTEST):
            continue
        span = _columns(flat, slice(start, stop), columns)
        bent = np.diff(span[_liveliest(span, round(LONGEST_S * rate_hz))], 2, axis=0)
        n = len(bent)
        taper = np.sin(np.pi * (np.arange(n) + 0.5) / n)[:, None] ** 2
        slow, fast = band_powers((bent - bent.mean(axis=0)) * taper, rate_hz)
        slow, fast = (of.reshape(-1, points.shape[2]).sum(axis=1) for of in (slow, fast))
        result += np.log10(fast[slow > 0] / slow[slow > 0]).tolist()
    return float(median(np.array(result))) if result else float("nan")


def band_powers(signals: Array, rate_hz: float) -> tuple[Array, Array]:
    """(signals,) the mean power of a line in `SLOW_HZ`, and in `FAST_HZ`, of (samples, signals) that are 0 outside."""
    times, powers = np.arange(len(signals)) / rate_hz, list[Array]()
    for first, last in (SLOW_HZ, FAST_HZ):
        lines = np.arange(first, last + _LINES_HZ / 2, _LINES_HZ)
        at = 2 * np.pi * np.multiply.outer(lines, times)
        powers.append(np.mean((np.cos(at) @ signals) ** 2 + (np.sin(at) @ signals) ** 2, axis=0))
    return powers[0], powers[1]


def _columns(flat: Array, rows: slice, columns: IntArray) -> Array:
    """Rows of some columns; without a copy where these are all."""
    return flat[rows] if len(columns) == flat.shape[1] else flat[rows, columns]


def _liveliest(signals: Array, most: int) -> slice:
    """The samples of at most so many second differences on end with the greatest sum of squares."""
    if len(signals) - 2 <= most:
        return slice(None)

    def bends(some: Array) -> Array:
        bent = np.diff(some, 2, axis=0)
        return np.asarray(np.einsum("ij,ij->i", bent, bent))

    squares = by_blocks(bends, signals, 2)
    summed = np.concatenate([[0.0], np.cumsum(squares)])
    first = int(np.argmax(summed[most:] - summed[:-most]))
    return slice(first, first + most + 2)


def _lines_below(share: float, signals: Array, axes: int) -> Array:
    """How many lines of the spectrum hold less than a share of a marker's power, (markers with any,).

    The lowest lines are summed one after the other, against the power of all of them, which is that of the samples
    (Parseval); numpy's transform would cost every run the loading of its library, 10 ms and more. A cosine is the same
    from the end backward, a sine has the other sign: both ends of the signals are multiplied together.
    """
    n, half = len(signals), len(signals) // 2 + 1
    alternating = np.where(np.arange(n) % 2, -1.0, 1.0)
    edges = signals.sum(axis=0) ** 2 + ((alternating @ signals) ** 2 if n % 2 == 0 else 0.0)
    whole = ((n * np.einsum("nc,nc->c", signals, signals) + edges) / 2).reshape(-1, axes).sum(axis=1)
    moving = whole > 0
    held, count = np.zeros(len(whole)), np.zeros(len(whole))
    turn = np.arange(n) * (2 * np.pi / n)
    cosine, sine, backward = np.cos(turn), np.sin(turn), signals[: half - 1 : -1]
    even, odd = signals[:half].copy(), signals[1 : n - half + 1] - backward
    even[1 : n - half + 1] += backward
    some = max(_PRODUCTS // even.size, 1)
    for first in range(0, half, some):
        lines = np.arange(first, min(first + some, half))
        at = np.multiply.outer(lines, np.arange(half))
        at -= at // n * n
        power = (cosine[at] @ even) ** 2 + (sine[at[:, 1 : n - half + 1]] @ odd) ** 2
        summed = held + np.cumsum(power.reshape(len(lines), -1, axes).sum(axis=2), axis=0)
        count += (summed < share * whole).sum(axis=0)
        held = summed[-1]
        if (held >= share * whole).all():
            break
    return np.asarray(count[moving])


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
