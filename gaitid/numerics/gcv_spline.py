"""The smoothing spline (Woltring 1986): cubic or quintic, its smoothing given or found from the data.

One banded matrix serves all columns: they share what a trial of λ costs, and each still gets a λ of its own. As in
`gaitid.numerics.signals`, all works along axis 0, nothing is filled, and a frame that cannot be known is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from gaitid.numerics.lowpass import refuse_cutoff
from gaitid.numerics.masks import columns_by_mask, spans
from gaitid.trial import Array

# |H| = 1/√2 where 1/(1 + x) is: x there.
_THREE_DB = sqrt(2) - 1

# Of one half-order m, on samples one apart: the diagonals (main, first above, …) of the Gram matrix R of the B-splines
# of degree m − 1, which are the values of the B-spline of degree 2m − 1 at whole numbers, and of QᵀQ, Q the m-th
# differences (Reinsch 1967, Numer Math 10:177-183, for m = 2; de Boor 2001, ch. XIV). Both are Toeplitz.
_GRAM = {2: (4 / 6, 1 / 6), 3: (66 / 120, 26 / 120, 1 / 120)}
_DIFFERENCES = {2: (6.0, -4.0, 1.0), 3: (20.0, -15.0, 6.0, -1.0)}

# λ is searched where the filter 1/(1 + λω²ᵐ) has its half-way point between these, rad/sample: at the first it
# interpolates (takes off 0.1 % at half the rate), and below the second it smooths more than any movement asks for.
_LEAST, _MOST = 10.0, 0.01
_GRID_RATIO = 1.3
# λ on samples one apart beyond which the matrix R + λ QᵀQ has lost R's digits.
_LARGEST = 1e13
# Numbers held at once while λ is searched (64 MB).
_AT_ONCE = 8_000_000


# --- the smoothing spline ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Signals through a smoothing spline, and what the spline is. Figures are NaN where there is no spline.

    Attributes
    ----------
    values : (frames, …) array
        The spline at the frames, in the unit of what was given.
    smoothing : (…) array, s^(2m − 1)
        λ of each column, m the half-order.
    cutoff_hz : (…) array
        −3 dB of each column; NaN also where the filter takes off less than that at half the rate.
    mean_square : (…) array, unit²
        Mean squared residual.
    dof : (…) array
        Degrees of freedom of the fit: the trace of the matrix from samples to smoothed samples.
    gcv : (…) array, unit²
        Generalised cross-validation, ``mean_square / (1 − dof/frames)²`` (Craven & Wahba 1979).
    """

    values: Array
    smoothing: Array
    cutoff_hz: Array
    mean_square: Array
    dof: Array
    gcv: Array


def smoothing_spline(
    values: Array,
    rate_hz: float,
    *,
    half_order: int = 3,
    smoothing: ArrayLike | None = None,
    mse: ArrayLike | None = None,
) -> Smoothed:
    """Natural smoothing spline of each column: cubic (half-order 2) or quintic (3).

    Of all functions f, the one with the least ``Σ (y − f)² + λ ∫ (f⁽ᵐ⁾)² dt`` (Woltring 1986, Adv Eng Softw
    8:104-113, whose GCVSPL calls λ p). λ is given, or found by column: the least generalised cross-validation (Craven &
    Wahba 1979, Numer Math 31:377-403; GCVSPL's mode 2), or, where the noise is known, the least estimate of the
    true mean squared error (its mode 3). Plug-in Gait names GCVSPL as its filter; its "MSE" is taken to be that mode.
    Each gap-free span is a spline by itself, all spans of a column share one λ, and a span of fewer than 2m frames is
    NaN.

    Cross-validation takes the noise for white. Where neighbouring frames share their error (soft tissue, a filter
    before this one) it smooths too little; a column smoothed before comes back as it was.

    Parameters
    ----------
    values : (frames, …) array
        NaN where unknown.
    rate_hz : float
    half_order : 2 or 3
    smoothing : float or (…) array, s^(2m − 1), optional
        λ, one or by column; `smoothing_for_cutoff` gives it for a frequency.
    mse : float or (…) array, unit², optional
        Variance of the noise, one or by column.

    Returns
    -------
    Smoothed
        A column that is a polynomial of degree m − 1 to rounding comes back as it is: nothing there tells λ.

    Raises
    ------
    ValueError
        A half-order other than 2 and 3, both `smoothing` and `mse`, or one that is not positive; λ beyond what can be
        computed: a cut-off below about a thousandth of the sampling rate.
    """
    m = _known_order(half_order)
    if smoothing is not None and mse is not None:
        raise ValueError("a smoothing spline takes `smoothing` or `mse`, not both")
    flat = values.reshape(len(values), -1)
    given = _by_column("smoothing", smoothing, values) * rate_hz ** (2 * m - 1)
    if (given > _LARGEST).any():
        raise ValueError(f"λ of a smoothing spline is at most {_LARGEST / rate_hz ** (2 * m - 1):.3g} s^{2 * m - 1}")
    variance = _by_column("mse", mse, values)
    result = np.full_like(flat, np.nan)
    figures = np.full((4, flat.shape[1]), np.nan)
    for columns, mask in columns_by_mask(flat):
        long = [(start, stop) for start, stop in spans(mask) if stop - start >= 2 * m]
        if not long:
            continue
        pieces = [flat[start:stop, columns] for start, stop in long]
        fitted, figures[:, columns] = _fit(pieces, m, given[columns], variance[columns], gcv=mse is None)
        for (start, stop), piece in zip(long, fitted, strict=True):
            result[start:stop, columns] = piece
    on_samples, mean_square, dof, gcv = figures.reshape(4, *values.shape[1:])
    per_second = on_samples / rate_hz ** (2 * m - 1)
    cutoff = spline_cutoff(per_second, rate_hz, half_order=m)
    return Smoothed(result.reshape(values.shape), per_second, cutoff, mean_square, dof, gcv)


def spline_cutoff(smoothing: ArrayLike, rate_hz: float, *, half_order: int = 3) -> Array:
    """−3 dB frequency of a smoothing spline on evenly spaced samples, away from the ends, Hz.

    Exact for these samples: a sine of angular frequency ω per sample is multiplied by 1/(1 + λ q/r), where
    q = sᵐ and r are the symbols of QᵀQ and R, s = 4 sin²(ω/2). For low frequencies that is 1/(1 + λω²ᵐ), the double
    Butterworth that Woltring (1986) likens the spline to.

    Returns
    -------
    array shaped as `smoothing`
        NaN where the filter takes off less than 3 dB at half the rate, and for λ = NaN.
    """
    m = _known_order(half_order)
    on_samples = np.asarray(smoothing, dtype=np.float64) * rate_hz ** (2 * m - 1)
    low, high = np.zeros(on_samples.shape), np.full(on_samples.shape, 4.0)
    for _ in range(100):  # λ q − (√2 − 1) r grows with s: halve 0 … 4 down to rounding
        middle = (low + high) / 2
        above = on_samples * middle**m > _THREE_DB * _gram_symbol(middle, m)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    reached = on_samples * 4.0**m >= _THREE_DB * _gram_symbol(np.array(4.0), m)
    return np.where(reached, rate_hz / pi * np.arcsin(np.sqrt(high) / 2), np.nan)


def smoothing_for_cutoff(cutoff_hz: float, rate_hz: float, *, half_order: int = 3) -> float:
    """λ of the smoothing spline whose −3 dB lies at `cutoff_hz`, s^(2m − 1): `spline_cutoff` the other way.

    Raises
    ------
    ValueError
        The cut-off is not between 0 and half the sampling rate.
    """
    m = _known_order(half_order)
    refuse_cutoff(cutoff_hz, rate_hz)
    s = 4 * np.sin(pi * cutoff_hz / rate_hz) ** 2
    return float(_THREE_DB * _gram_symbol(s, m) / s**m / rate_hz ** (2 * m - 1))


def _gram_symbol(s: Array, m: int) -> Array:
    """Σ R_k exp(ikω) with s = 4 sin²(ω/2): 1 − s/6 (cubic), 1 − s/4 + s²/120 (quintic)."""
    return 1 - s / 6 if m == 2 else 1 - s / 4 + s**2 / 120


def _known_order(half_order: int) -> int:
    if half_order not in _GRAM:
        raise ValueError(f"half-order {half_order} is neither 2 (cubic) nor 3 (quintic)")
    return half_order


def _by_column(name: str, given: ArrayLike | None, values: Array) -> Array:
    """One number for each column; NaN where nothing is given."""
    wanted = np.asarray(np.nan if given is None else given, dtype=np.float64)
    if given is not None and not (wanted > 0).all():
        raise ValueError(f"`{name}` of a smoothing spline is not positive")
    return np.broadcast_to(wanted, values.shape[1:]).ravel()


def _fit(
    pieces: list[Array], m: int, smoothing: Array, variance: Array, *, gcv: bool
) -> tuple[list[Array], tuple[Array, Array, Array, Array]]:
    """Splines of all spans of columns known in the same frames; λ is searched where `smoothing` is NaN.

    Returns the smoothed spans and, by column, λ on samples one apart, mean square, degrees of freedom and GCV.
    """
    frames = sum(len(piece) for piece in pieces)
    size = _largest(pieces, lambda piece: piece - piece[0])
    size = np.where(size > 0, size, 1.0)
    unit = [(piece - piece[0]) / size for piece in pieces]  # of order one: squares neither over- nor underflow
    # The m-th differences of a polynomial of degree m − 1 are rounding: 2ᵐ terms, each to half a last place.
    rounding = 2**m * np.finfo(float).eps * _largest(pieces, lambda piece: piece)
    plain = np.isnan(smoothing) & (_largest(pieces, lambda piece: np.diff(piece, m, axis=0)) <= rounding)
    noise = np.minimum(np.sqrt(variance) / size, 1e15) ** 2

    def score(trial: Array) -> Array:
        square, left = _residuals(unit, trial, m)
        # Craven & Wahba (1979): GCV; the unbiased estimate of the true mean squared error, less the constant σ²
        return np.asarray(frames * square / left**2 if gcv else square / frames - 2 * noise * left / frames)

    if np.isnan(smoothing).any():
        smoothing = _least(score, frames, m)
    fits = [_spline(piece, smoothing, m) for piece in unit]
    square = np.sum([((piece - f) ** 2).sum(axis=0) for piece, (f, _) in zip(unit, fits, strict=True)], axis=0)
    left = np.sum([degrees for _, degrees in fits], axis=0)
    fitted = [np.where(plain, piece, piece[0] + size * f) for piece, (f, _) in zip(pieces, fits, strict=True)]
    known = np.where(plain, np.nan, 1.0)
    mean_square = known * square / frames * size**2
    return fitted, (known * smoothing, mean_square, known * (frames - left), mean_square / (left / frames) ** 2)


def _largest(pieces: list[Array], of: Callable[[Array], Array]) -> Array:
    """(columns,) largest size of something in all spans."""
    return np.asarray(np.max([np.abs(of(piece)).max(axis=0) for piece in pieces], axis=0))


def _least(score: Callable[[Array], Array], frames: int, m: int) -> Array:
    """(columns,) λ of the least score: the best on a grid, then the vertex of ever narrower parabolas around it.

    `score` takes (trials, columns) or (trials, 1) λ and gives (trials, columns).
    """
    most = max(_MOST, 0.3 / frames)
    x = np.log(most) + np.arange(int(np.log(_LEAST / most) / np.log(_GRID_RATIO)) + 1) * np.log(_GRID_RATIO)
    scores = score(np.exp(-2 * m * x)[:, None])
    at = np.clip(np.argmin(scores, axis=0), 1, len(x) - 2)
    best, step = x[at], np.full(at.shape, x[1] - x[0])
    around = np.stack([np.take_along_axis(scores, (at + k)[None], axis=0)[0] for k in (-1, 0, 1)])
    for _ in range(4):
        move = _vertex(around)
        best = np.clip(best + step * move, x[0], x[-1])
        step = np.where(np.abs(move) < 1, step / 4, step)
        around = score(np.exp(-2 * m * (best + step * np.array([-1.0, 0.0, 1.0])[:, None])))
    return np.asarray(np.exp(-2 * m * np.clip(best + step * _vertex(around), x[0], x[-1])))


def _vertex(scores: Array) -> Array:
    """Where the parabola through scores at −1, 0, 1 is least, from −1 to 1."""
    before, here, after = scores
    bend, fall = before - 2 * here + after, before - after
    inner = fall / (2 * np.where(bend > 0, bend, 1.0))
    return np.asarray(np.clip(np.where(bend > 0, inner, np.sign(fall)), -1, 1))


def _residuals(pieces: Sequence[Array], smoothing: Array, m: int) -> tuple[Array, Array]:
    """Sum of squared residuals, (trials, columns), and their degrees of freedom, shaped as `smoothing`, at each λ."""
    square = np.zeros((len(smoothing), pieces[0].shape[1]))
    left = np.zeros(smoothing.shape)
    for piece in pieces:
        rows = max(1, _AT_ONCE // piece.size)
        differences = np.diff(piece, m, axis=0)[:, None, :]
        for first in range(0, len(smoothing), rows):
            part = slice(first, first + rows)
            factors = _factors(smoothing[part], len(differences), m)
            coefficients = _solved(factors, differences)
            for trial, smooth in enumerate(smoothing[part]):  # one by one: each fits the processor's cache
                rest = _spread(coefficients[:, trial], smooth, m)
                square[first + trial] += np.einsum("ij,ij->j", rest, rest)
            left[part] += _degrees_of_residual(factors, smoothing[part], m)
    return square, left


def _spline(samples: Array, smoothing: Array, m: int) -> tuple[Array, Array]:
    """(frames, columns) the spline through samples one apart, and (columns,) the degrees of freedom of its residual.

    (R + λ QᵀQ) u = Qᵀy and f = y − λ Q u (Reinsch 1967). With a large λ that loses digits, about λ·10⁻¹⁸ of the signal;
    what the result fails by, Qᵀf − R u, has them still, and solving for it once more brings them back.
    """
    factors = _factors(smoothing, len(samples) - m, m)
    u = _solved(factors, np.diff(samples, m, axis=0))
    f = samples - _spread(u, smoothing, m)
    f -= _spread(_solved(factors, np.diff(f, m, axis=0) - _gram_times(u, m)), smoothing, m)
    return f, _degrees_of_residual(factors, smoothing, m)


def _gram_times(u: Array, m: int) -> Array:
    """R u."""
    product = _GRAM[m][0] * u
    for k, weight in enumerate(_GRAM[m][1:], 1):
        product[k:] += weight * u[:-k]
        product[:-k] += weight * u[k:]
    return np.asarray(product)


def _spread(coefficients: Array, smoothing: Array, m: int) -> Array:
    """y − f = λ Q u, Q the transpose of the m-th differences."""
    padded = np.zeros((len(coefficients) + 2 * m, *coefficients.shape[1:]))
    padded[m:-m] = coefficients
    return np.asarray(np.diff(padded, m, axis=0) * (smoothing * (-1) ** m))


# --- its matrix: R + λ QᵀQ, banded, and the same for all columns with one λ -----------------------------------


@dataclass(frozen=True, eq=False)
class _Factors:
    """L D Lᵀ of the matrix for every λ: `below[k − 1][i]` is L's entry (i, i − k), `pivot[i]` is D's.

    After `settled` rows the ends are forgotten: the rows are all the same, and a unit at one end is not felt any more.
    """

    below: list[Array]
    pivot: Array
    settled: int


def _factors(smoothing: Array, n: int, m: int) -> _Factors:
    gram = (*_GRAM[m], 0.0)
    band = [r + smoothing * q for r, q in zip(gram, _DIFFERENCES[m], strict=True)]
    below = [np.zeros((n, *smoothing.shape)) for _ in range(m)]
    pivot = np.empty((n, *smoothing.shape))
    scaled = [band[0]] * (m + 1)
    # Solutions of the difference equation decay by exp(−sin(π/2m) λ^(−1/2m)) a row, sin ≥ 1/2: by 10⁻¹⁷ in 80 λ^(1/2m)
    settled = min(n, int(80 * smoothing.max(initial=1.0) ** (0.5 / m)))
    for i in range(settled):
        pivot_i = band[0].copy()
        for k in range(min(m, i), 0, -1):
            # L_ik d_k, from the band less what the columns to the left of k have
            entry = band[k]
            for j in range(k + 1, min(m, i) + 1):
                entry = entry - scaled[j] * below[j - k - 1][i - k]
            scaled[k] = entry
            below[k - 1][i] = entry / pivot[i - k]
            pivot_i -= entry * below[k - 1][i]
        pivot[i] = pivot_i
    for rows in (pivot, *below):
        rows[settled:] = rows[settled - 1]
    return _Factors(below, pivot, settled)


def _solved(factors: _Factors, right: Array) -> Array:
    """Solution u of (R + λ QᵀQ) u = `right`, (n, …), for every λ that `right` broadcasts against."""
    n = len(right)
    u = np.empty((n, *np.broadcast_shapes(right.shape[1:], factors.pivot.shape[1:])))
    u[:] = right
    for i in range(1, n):
        row = u[i]
        for k, below in enumerate(factors.below[:i], 1):
            row -= below[i] * u[i - k]
    u /= factors.pivot
    for i in range(n - 2, -1, -1):
        row = u[i]
        for k, below in enumerate(factors.below[: n - 1 - i], 1):
            row -= below[i + k] * u[i + k]
    return u


def _degrees_of_residual(factors: _Factors, smoothing: Array, m: int) -> Array:
    """Trace of the matrix from samples to residuals, λ tr((R + λ QᵀQ)⁻¹ QᵀQ), for every λ.

    The matrix is Toeplitz, so the first column x of its inverse tells all of it (Gohberg & Semencul 1972; see Trench
    1964): the sum of the inverse's k-th diagonal is Σ (n − k − 2j) x_j x_(j+k) / x₀.
    """
    n = len(factors.pivot)
    felt = factors.settled
    unit = np.zeros((felt, *smoothing.shape))
    unit[0] = 1.0
    x = _solved(_Factors([rows[:felt] for rows in factors.below], factors.pivot[:felt], felt), unit)

    def trace_with(diagonals: Sequence[float]) -> Array:
        total = np.zeros(smoothing.shape)
        for k, weight in enumerate(diagonals[:felt]):
            sizes = (n - k - 2.0 * np.arange(felt - k)).reshape(-1, *[1] * smoothing.ndim)
            total += (1 if k == 0 else 2) * weight * (sizes * x[: felt - k] * x[k:]).sum(axis=0) / x[0]
        return total

    # tr(B⁻¹(R + λ QᵀQ)) = n: of the two parts the smaller is summed, and no digits cancel
    return np.where(smoothing < 1, smoothing * trace_with(_DIFFERENCES[m]), n - trace_with(_GRAM[m]))
