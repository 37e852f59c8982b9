"""How fast a movement is, and up to which frequency its recording still holds it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gaitid.numerics.blocks import by_blocks
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import columns_by_mask, median, spans
from gaitid.numerics.spline import spline_derivatives
from gaitid.trial import Array, IntArray

#: Hz. Up to here a movement is looked at: a body's movement lies below (Winter, Sidwall & Hobson 1974, J Biomech
#: 7:157-159: of the toe in walking 99.7 % of the power below 6 Hz), most of the noise above.
LOOK_HZ = 12.0
#: Share of the power of the accelerations that lies below the highest frequency that is held.
HELD = 0.999
#: A low-pass at f leaves that share below 1.2 to 1.6 f (measured on simulated walks with impacts, 6 to 20 Hz).
HELD_OVER_CUTOFF = 1.4
#: Hz. No low-pass of a movement lies lower: slower ones are slow by themselves.
LEAST_HELD_HZ = 5.0
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


def held_bandwidth(points: Array, rate_hz: float) -> float:
    """The low-pass that markers without noise seem to have gone through, Hz: the median of their bandwidths.

    A marker's is that below which `HELD` of the power of its acceleration lies, by `HELD_OVER_CUTOFF`. A movement that
    is slow by itself, without impacts, looks the same as one that was smoothed, down to `LEAST_HELD_HZ`.

    Parameters
    ----------
    points : (frames, markers, 3) array
    rate_hz : float

    Returns
    -------
    float
        NaN where no marker has a span that is long enough.
    """
    found: list[float] = []
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
        lines = _lines_below(HELD, (bent - bent.mean(axis=0)) * taper, points.shape[2])
        found += (lines * rate_hz / n).tolist()
    return max(float(median(np.array(found))) / HELD_OVER_CUTOFF, LEAST_HELD_HZ) if found else float("nan")


def fast_share(points: Array, rate_hz: float) -> float:
    """How much of a movement's acceleration is fast (`FAST_HZ`), as the power of a line over that of a slow one
    (`SLOW_HZ`): its decimal logarithm, the median over the markers; NaN where the spans are too short to tell.

    Parameters
    ----------
    points : (frames, markers, 3) array
    rate_hz : float
    """
    found: list[float] = []
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
        found += np.log10(fast[slow > 0] / slow[slow > 0]).tolist()
    return float(median(np.array(found))) if found else float("nan")


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
