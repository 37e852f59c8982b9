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


def _kept() -> NDArray[np.uint8]:
    """By how many digits a number keeps: what keeps the bytes up to the last of them, and the separator."""
    last = _DIGIT.start + 2 * (np.arange(DIGITS + 1)[:, None] - 1)
    place = np.arange(_WIDTH)
    return np.where((place <= last) | (place == _WIDTH - 1), 255, 0).astype(np.uint8)


_TEMPLATES, _QUADS, _KEPT = _templates(), _quads(), _kept()
# How many zeros stand at the end of a number below 10,000.
_ZEROS = sum((np.arange(10_000) % unit == 0).astype(np.intp) for unit in (10, 100, 1000)) + (np.arange(10_000) == 0)
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
    cells[:, _DIGIT], zeros = _digits(whole)
    some = np.flatnonzero(zeros)
    # no digit before the point is dropped; where none is left behind it, the point goes too
    kept = np.maximum(DIGITS - zeros[some], exponent[some] + 1)
    cells[some] &= _KEPT.take(kept, axis=0)
    odd = np.flatnonzero(~plain)
    if len(odd):
        texts = np.array([b"%.10g" % v for v in x[odd].tolist()], f"S{_WIDTH - 1}")
        cells[odd, :-1] = texts.view(np.uint8).reshape(len(odd), -1)
    return cells


def _digits(whole: Array) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """(numbers, 10) characters of whole numbers below 1e10, with leading zeros; how many zeros stand at the end."""
    number = whole.astype(np.int64)
    upper = number // 10_000
    two = upper // 10_000
    last, middle = number - 10_000 * upper, upper - 10_000 * two
    quads = np.empty((len(whole), 3), np.uint32)
    for i, part in enumerate((two, middle, last)):
        quads[:, i] = _QUADS.take(part)
    zeros = _ZEROS.take(last)
    all_four = np.flatnonzero(zeros == 4)
    if len(all_four):
        before = _ZEROS.take(middle[all_four])
        zeros[all_four] += before + np.where(before == 4, _ZEROS.take(two[all_four]), 0)
    return quads.view(np.uint8)[:, 2:], zeros
