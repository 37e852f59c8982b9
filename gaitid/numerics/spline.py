"""Derivatives of the interpolating quintic spline, span by span."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gaitid.numerics.masks import by_blocks, columns_by_mask, spans
from gaitid.trial import Array

# Fewer frames than this carry no fourth derivative.
SPLINE_MIN = 6
_BLOCK = 64  # rows that are solved or filtered at once
# Rows within which the factors settle, to the last bit: from there on each row has those of the one before.
_SETTLED = 64
_ROOM = 4  # arrays at once for differences of the coefficients


def _spline_factors(n: int) -> tuple[tuple[float, ...], ...]:
    """LU factors (two bands below, the diagonal, two above) of the matrix from coefficients to `n` samples.

    The natural interpolating quintic spline (3rd and 4th derivative zero at both ends; Greville 1969) in
    B-splines: samples are (1, 26, 66, 26, 1)/120 of the coefficients. The end conditions say that the
    coefficients go on as a quadratic, c₋₁ = 3c₀ − 3c₁ + c₂ and c₋₂ = 6c₀ − 8c₁ + 3c₂, which keeps five bands.
    """
    if n <= 2 * _SETTLED:
        return _eliminated(n)
    settled, more = _eliminated(2 * _SETTLED), n - 2 * _SETTLED
    return tuple(band[:_SETTLED] + more * band[_SETTLED : _SETTLED + 1] + band[_SETTLED:] for band in settled)


@lru_cache(maxsize=32)
def _eliminated(n: int) -> tuple[tuple[float, ...], ...]:
    """`_spline_factors` row by row."""
    rows = [[1.0, 26.0, 66.0, 26.0, 1.0] for _ in range(n)]
    # (1, 26) · (c₋₂, c₋₁) in the first row, 1 · c₋₁ in the second; the last two are their mirror images
    rows[0] = [0.0, 0.0, 66.0 + 6 + 78, 26.0 - 8 - 78, 1.0 + 3 + 26]
    rows[1] = [0.0, 26.0 + 3, 66.0 - 3, 26.0 + 1, 1.0]
    rows[-1], rows[-2] = rows[0][::-1], rows[1][::-1]
    low2, low1, diagonal, up1, up2 = ([row[k] / 120 for row in rows] for k in range(5))
    for i in range(n - 1):
        low1[i + 1] /= diagonal[i]
        diagonal[i + 1] -= low1[i + 1] * up1[i]
        up1[i + 1] -= low1[i + 1] * up2[i]
        if i + 2 < n:
            low2[i + 2] /= diagonal[i]
            low1[i + 2] -= low2[i + 2] * up1[i]
            diagonal[i + 2] -= low2[i + 2] * up2[i]
    return tuple(low2), tuple(low1), tuple(diagonal), tuple(up1), tuple(up2)


@lru_cache(maxsize=8)
def _spline_blocks(n: int) -> tuple[tuple[slice, Array, Array, Array, Array], ...]:
    """The same factors in blocks of rows, so that a block is solved at once.

    Returns
    -------
    tuple of (rows, inverse of the lower block, what it takes from the two rows before it, inverse of the upper block,
    what it takes from the two rows behind it)
    """
    low2, low1, diagonal, up1, up2 = (np.array(band) for band in _spline_factors(n))
    starts = [*range(0, max(n - _BLOCK, 1), _BLOCK), n]  # the last holds the rest: at least two rows
    blocks: list[tuple[slice, Array, Array, Array, Array]] = []
    inverses: dict[bytes, Array] = {}  # the factors settle within fifty rows, to the last bit

    def inverse(*bands: tuple[Array, int]) -> Array:
        key = b"".join(band.tobytes() for band, _ in bands)
        if key not in inverses:
            inverses[key] = np.asarray(np.linalg.inv(sum(np.diag(band, k) for band, k in bands)))
        return inverses[key]

    for start, stop in zip(starts[:-1], starts[1:], strict=True):
        rows = slice(start, stop)
        ones = np.ones(stop - start)
        lower = inverse((ones, 0), (low1[start + 1 : stop], -1), (low2[start + 2 : stop], -2))
        upper = inverse((diagonal[rows], 0), (up1[start : stop - 1], 1), (up2[start : stop - 2], 2))
        before = np.array([[low2[start], low1[start]], [0.0, low2[start + 1]]])
        behind = np.array([[up2[stop - 2], 0.0], [up1[stop - 1], up2[stop - 1]]])
        blocks.append((rows, lower, before, upper, behind))
    return tuple(blocks)


def _spline_coefficients(samples: Array) -> Array:
    """(n + 4, columns) B-spline coefficients −2 … n + 1 of the spline through (n, columns) samples."""
    n = len(samples)
    blocks = _spline_blocks(n)
    c = np.empty((n + 4, samples.shape[1]))
    x = c[2:-2]
    x[:] = samples
    for rows, lower, before, _, _ in blocks:
        if rows.start:
            x[rows.start : rows.start + 2] -= before @ x[rows.start - 2 : rows.start]
        x[rows] = lower @ x[rows]
    for rows, _, _, upper, behind in reversed(blocks):
        if rows.stop < n:
            x[rows.stop - 2 : rows.stop] -= behind @ x[rows.stop : rows.stop + 2]
        x[rows] = upper @ x[rows]
    c[1], c[0] = 3 * x[0] - 3 * x[1] + x[2], 6 * x[0] - 8 * x[1] + 3 * x[2]
    c[-2], c[-1] = 3 * x[-1] - 3 * x[-2] + x[-3], 6 * x[-1] - 8 * x[-2] + 3 * x[-3]
    return c


def spline_derivatives(values: Array, rate_hz: float) -> tuple[Array, Array]:
    """First and second derivative of the natural interpolating quintic spline, per gap-free span of each column.

    From the coefficients c: first derivatives (−1, −10, 0, 10, 1)/24, second derivatives (1, 2, −6, 2, 1)/6.

    Parameters
    ----------
    values : (frames, …) array
        NaN where unknown.
    rate_hz : float

    Returns
    -------
    first, second : arrays shaped as `values`, per s and per s²
        NaN in gaps and in spans of fewer than six frames. The ends of a span are less sure (the end conditions
        are an assumption); the caller marks them.
    """
    flat = values.reshape(len(values), -1)
    first, second = np.full(flat.shape, np.nan), np.full(flat.shape, np.nan)
    for columns, mask in columns_by_mask(flat):
        at = slice(None) if len(columns) == flat.shape[1] else columns  # by a slice nothing is gathered one by one
        for start, stop in spans(mask):
            if stop - start < SPLINE_MIN:
                continue
            c = _spline_coefficients(flat[start:stop, at])
            first[start:stop, at] = by_blocks(_first_differences, c, behind=4, times=_ROOM)
            first[start:stop, at] *= rate_hz / 24
            second[start:stop, at] = by_blocks(_second_differences, c, behind=4, times=_ROOM)
            second[start:stop, at] *= rate_hz**2 / 6
    return first.reshape(values.shape), second.reshape(values.shape)


def _first_differences(c: Array) -> Array:
    """(−1, −10, 0, 10, 1) c."""
    sums = 10 * (c[3:-1] - c[1:-3])
    sums += c[4:] - c[:-4]
    return np.asarray(sums)


def _second_differences(c: Array) -> Array:
    """(1, 2, −6, 2, 1) c."""
    sums = 2 * (c[3:-1] + c[1:-3])
    sums += c[4:] + c[:-4]
    sums -= 6 * c[2:-2]
    return np.asarray(sums)
