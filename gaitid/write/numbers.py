"""Numbers as text, as C's ``%.10g`` writes them, a whole table at once: formatting is a good part of a run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gaitid.trial import Array

DIGITS = 10
BLOCK = 8192  # cells at once: what they need stays within a processor's cache
# Decimal exponents that are written without one: C does so from -4 to 9. At 9 no digit stands behind the point.
LOWEST, HIGHEST = -4, 8
# Exact in binary: a product with one is rounded once only.
_SCALE = np.array([10.0 ** (DIGITS - 1 - e) for e in range(LOWEST, HIGHEST + 1)])
# Such a product, below 1e10, is off by half a unit of its last place, 9.5e-7: nearer to a tie it does not tell.
_NEAR_A_TIE = 1e-6

# A cell has a place for everything that a number may hold; what it does not hold is NUL and taken out at the end: the
# sign, "0.000" before the first digit, ten digits with a place for the point after each but the last, the separator.
_WIDTH = 26
_DIGIT = slice(6, 25, 2)


def _templates() -> NDArray[np.uint8]:
    """Cells without their digits: for each exponent, then the same with a minus, then zero, then an empty cell."""
    texts = [b"\0" + (b"0." + b"0" * (-e - 1)).ljust(24, b"\0") for e in range(LOWEST, 0)]
    texts += [(b"\0" * (7 + 2 * e) + b".").ljust(25, b"\0") for e in range(HIGHEST + 1)]
    texts += [b"-" + text[1:] for text in texts] + [b"0".ljust(25, b"\0"), b"\0" * 25]
    return np.array([list(text + b",") for text in texts], np.uint8)


def _quads() -> NDArray[np.uint32]:
    """The four characters of each whole number below 10,000, as they stand in memory."""
    digits = np.indices((10, 10, 10, 10), np.uint8).reshape(4, -1).T + np.uint8(ord("0"))
    return np.ascontiguousarray(digits).view(np.uint32).ravel()


_TEMPLATES, _QUADS = _templates(), _quads()
_MINUS, _ZERO, _EMPTY = len(_SCALE), len(_TEMPLATES) - 2, len(_TEMPLATES) - 1


def rows_text(values: Array) -> str:
    """All of `rows_blocks` as one text."""
    return "".join(rows_blocks(values))


def rows_blocks(values: Array) -> Iterator[str]:
    """Lines of numbers with a comma between: ten significant digits, no negative zero.

    Parameters
    ----------
    values : (rows, columns) array
        What is not finite becomes an empty cell.

    Yields
    ------
    str
        Some lines each: what ``%.10g`` gives, to the byte.
    """
    rows, columns = values.shape
    step = max(1, BLOCK // max(columns, 1))
    return (_lines(values[start : start + step]) for start in range(0, rows, step))


def _lines(values: Array) -> str:
    x = values.ravel()
    known = np.flatnonzero(np.isfinite(x) & (x != 0))
    if len(known) == len(x):
        cells = _cells(x)
    else:  # half of a table may be empty: a foot beside the plates
        cells = _TEMPLATES.take(np.where(x == 0, _ZERO, _EMPTY), axis=0)
        cells[known] = _cells(x[known])
    cells.reshape(*values.shape, _WIDTH)[:, -1, -1] = ord("\n")
    return cells.tobytes().translate(None, b"\0").decode("ascii")


def _cells(x: Array) -> NDArray[np.uint8]:
    """(numbers, width) cells of numbers that are finite and not zero."""
    size = np.abs(x)
    power = np.floor(np.log10(size))
    plain = (power >= LOWEST) & (power <= HIGHEST)
    exponent = np.where(plain, power, 0).astype(np.intp)
    scaled = np.where(plain, size, 0) * _SCALE.take(exponent - LOWEST)
    whole = np.rint(scaled)
    carried = np.flatnonzero(whole == 10.0**DIGITS)  # 9.99999999999 is 10
    whole[carried] /= 10
    exponent[carried] += 1
    plain &= (whole >= 10.0 ** (DIGITS - 1)) & (np.abs(scaled - np.floor(scaled) - 0.5) > _NEAR_A_TIE)
    plain &= exponent <= HIGHEST
    cells = _TEMPLATES.take(exponent + np.where(x < 0, _MINUS - LOWEST, -LOWEST), axis=0)
    cells[:, _DIGIT] = _digits(whole)
    _drop_trailing_zeros(cells, exponent)
    odd = np.flatnonzero(~plain)
    if len(odd):
        texts = np.array([b"%.10g" % v for v in x[odd].tolist()], f"S{_WIDTH - 1}")
        cells[odd, :-1] = texts.view(np.uint8).reshape(len(odd), -1)
    return cells


def _digits(whole: Array) -> NDArray[np.uint8]:
    """(numbers, 10) characters of whole numbers below 1e10, with leading zeros."""
    quads = np.empty((len(whole), 3), np.uint32)
    # exact: a quotient lies 1e-8 and more from a whole number, or is one
    for i, unit in enumerate((1e8, 1e4, 1.0)):
        part = np.floor(whole / unit)
        quads[:, i] = _QUADS.take(part.astype(np.intp))
        whole = whole - part * unit
    return quads.view(np.uint8)[:, 2:]


def _drop_trailing_zeros(cells: NDArray[np.uint8], exponent: NDArray[np.intp]) -> None:
    """Take out in place the zeros at the end behind the point, and the point where none is left behind it."""
    rows: slice | NDArray[np.intp] = slice(None)
    for place in range(DIGITS - 1, 0, -1):
        at = _DIGIT.start + 2 * place
        zero = np.flatnonzero((cells[rows, at] == ord("0")) & (exponent[rows] < place))
        rows = zero if isinstance(rows, slice) else rows[zero]
        cells[rows, at - 1 : at + 1] = 0
