"""Tables as CSV text: ten significant digits as C's ``%.10g`` writes them, an empty cell where a value is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.numerics.rotation import apply_transposed
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Trial

if TYPE_CHECKING:
    from numpy.typing import NDArray

if TYPE_CHECKING:
    Words = NDArray[np.uint64]

# Cells at once: what they need stays within a processor's cache, and is not so much that its memory goes back to the
# system and has to be asked for again for each block, which takes longer than larger blocks gain.
BLOCK = 16384
# Decimal exponents of the numbers that are put together here; below `PLAIN` C writes them behind the digits.
LOWEST, PLAIN, HIGHEST = -99, -4, 3
# Decades are counted from the lowest. Behind them come that of too large numbers, zero, and that of too small ones;
# then all of these for negative numbers.
_POWERS = range(LOWEST, HIGHEST + 1)
_LARGE, _ZERO, _SMALL, _NEGATIVE = range(len(_POWERS), len(_POWERS) + 4)
# The product that is rounded to ten digits is off by 2.1e-6 at most: by half a unit of its last place (below 1e10), and
# by as much again where the power of ten is no double. So near to a tie it does not tell.
_TELLS = 0.5 - 3e-6
_CELL = 16  # bytes
_COMMAS = np.uint64(int.from_bytes(8 * b",", "little"))


class _Cells(NamedTuple):
    """Numbers as text.

    Attributes
    ----------
    words : (numbers, 2) array
        Characters, with commas behind them.
    length : (numbers,) int array
        How many they are, with those of the exponent.
    small, exponent : (few,) arrays
        Which numbers have an exponent behind the digits, and its four characters.
    left : (few,) int array
        Which are left to C.
    """

    words: Words
    length: IntArray
    small: IntArray
    exponent: NDArray[np.uint32]
    left: IntArray


def rows_text(values: Array) -> str:
    """All of `rows_blocks` as one text."""
    return "".join(rows_blocks(values))


def row_lines(values: Array) -> list[str]:
    """The lines of `rows_text`, without their ends."""
    return rows_text(values).split("\n")[:-1]  # sooner than `splitlines`, which knows other ends of lines


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
    known = np.flatnonzero(np.isfinite(x))
    cells = _cells(x.take(known))
    texts = [b"%.10g" % v for v in x[known[cells.left]].tolist()]
    cells.length[cells.left] = [len(text) for text in texts]
    before = np.zeros(len(known) + 1, np.intp)  # characters of all numbers before one
    np.cumsum(cells.length, out=before[1:])
    start = known + before[:-1]  # a separator stands behind each cell, also behind an empty one
    size = len(x) + int(before[-1])
    line = bytearray(b",") * (size + _CELL)
    _from_each_byte(line, _CELL)[start] = cells.words.view(f"V{_CELL}")[:, 0]
    ends = start[cells.small] + cells.length[cells.small]
    _from_each_byte(line, 4)[ends - 4] = cells.exponent.view("V4")
    for at, text in zip(start[cells.left].tolist(), texts, strict=True):
        line[at : at + len(text)] = text
    stop = np.arange(values.shape[1], len(x) + 1, values.shape[1])  # of rows
    np.frombuffer(line, np.uint8)[stop + before[np.searchsorted(known, stop)] - 1] = ord("\n")
    return str(memoryview(line)[:size], "ascii")


def _from_each_byte(line: bytearray, width: int) -> NDArray[np.void]:
    """What stands in a line from each of its bytes on, so many bytes: they overlap."""
    return np.ndarray(len(line) - width + 1, f"V{width}", line, strides=(1,))


def _cells(x: Array) -> _Cells:
    """Numbers that are finite."""
    size = np.abs(x)
    binary = (x.view(np.uint64) >> 52).view(np.int64)  # sign and binary exponent
    decade = _DECADE.take(binary) + (size >= _NEXT.take(binary))
    scale = _SCALE.take(decade)
    scaled = np.multiply(size, scale, out=size)
    rounded = np.rint(scaled)
    scaled -= rounded
    left = np.flatnonzero(~(np.abs(scaled, out=scaled) < _TELLS))
    rounded[left] = 1
    # what stands before the point, and the ten digits behind it: two, four and four
    behind = rounded.astype(np.int64)
    behind *= _UNIT.take(decade)
    begin = behind // 10**10
    behind -= 10**10 * begin
    begin += _BEGIN.take(decade)
    two = behind // 10**8
    behind -= 10**8 * two
    four = behind // 10**4
    last = behind - 10**4 * four
    length = _SIX_AND_KEPT.take(last)
    # the last digits that are not zero end without zeros, and where all are zero there is no point
    zero = np.flatnonzero(last == 0)
    length[zero] = 2 + _KEPT.take(four[zero])
    four[zero] += 10_000
    zero = zero[four[zero] == 10_000]
    length[zero] = _TWO_KEPT.take(two[zero])
    two[zero] += 100
    begin[zero[two[zero] == 100]] += 10_000
    bits = _BITS.take(begin)
    length += (bits >> 3).view(np.int64)
    end = _LAST.take(last)
    eight = _TWO.take(two)
    eight |= _FOUR.take(four) << 16
    eight |= end << 48
    words = np.empty((len(x), 2), "<u8")
    np.bitwise_or(_BEGINNING.take(begin), eight << bits, out=words[:, 0])
    np.bitwise_or(eight >> (64 - bits), ((end >> 16) | _SIX_COMMAS) << bits, out=words[:, 1])
    words[left] = _COMMAS
    small = np.flatnonzero(scale > _SCALE[PLAIN - LOWEST])
    length[small] += 4
    return _Cells(words, length, small, _EXPONENT.take(decade[small] % _NEGATIVE), left)


def _decades() -> tuple[IntArray, Array]:
    """By sign and binary exponent: the decade of the least number that has them, and what is of the next one already.

    What is 10 when it is rounded to ten digits is of the decade of 10.
    """
    power = np.floor((np.arange(2048) - 1023) * np.log10(2)).astype(np.intp)
    decade = np.where(power > HIGHEST, _LARGE, np.where(power < LOWEST, _SMALL, power - LOWEST))
    decade[0] = _ZERO
    # a tie is no double: the one nearest to it is left to C
    ends = np.nextafter([float(f"9.9999999995e{power}") for power in _POWERS], np.inf)
    following = np.array([*ends, np.inf, np.nextafter(0, 1), np.inf])[decade]
    return np.concatenate([decade, decade + _NEGATIVE]), np.tile(following, 2)


def _digits(n: int) -> tuple[Words, IntArray]:
    """The `n` digits of each whole number of so many, then the same with commas in the place of zeros at the end; and
    how many digits these keep."""
    digits = np.indices((10,) * n, np.uint8).reshape(n, -1) + np.uint8(ord("0"))
    zeros = np.logical_and.accumulate(digits[::-1] == ord("0"))[::-1]
    texts = np.concatenate([digits.T, np.where(zeros, np.uint8(ord(",")), digits).T])
    return np.ascontiguousarray(texts).view(f"<u{n}").ravel().astype(np.uint64), n - zeros.sum(axis=0)


def _beginnings() -> tuple[Words, Words]:
    """What stands before the digits behind the point, and how many bits that takes.

    Each whole number below 10,000 with a point; the same without a point; what stands before the first digit of
    numbers below 0.1. Then all of these with a minus.
    """
    number = np.arange(10_000)
    zeros = 3 - sum((number >= least).astype(np.uint64) for least in (10, 100, 1000))
    digits, bits = _FOUR[:10_000] >> (8 * zeros), 8 * (4 - zeros)
    below = [b"0." + n * b"0" for n in range(1, -PLAIN)]
    few, few_bits = np.array([(int.from_bytes(text, "little"), 8 * len(text)) for text in below], np.uint64).T
    texts = np.concatenate([digits | (np.uint64(ord(".")) << bits), digits, few])
    bits = np.concatenate([bits + 8, bits, few_bits])
    return np.concatenate([texts, (texts << 8) | ord("-")]), np.concatenate([bits, bits + 8])


def _by_decade(of_power: Callable[[int], float], large: float, zero: float, small: float) -> NDArray[Any]:
    return np.tile([*map(of_power, _POWERS), large, zero, small], 2)


_DECADE, _NEXT = _decades()
_TWO, _TWO_KEPT = _digits(2)
_FOUR, _KEPT = _digits(4)
_SIX_AND_KEPT = 6 + _KEPT
_LAST = _FOUR[10_000:] | (_COMMAS << np.uint64(32))
_SIX_COMMAS = _COMMAS << np.uint64(16)
_BEGINNING, _BITS = _beginnings()
# What makes a number one of ten digits; what makes that one of units of 1e-10 (of the first digit, before an exponent);
# which beginning is that of what is below 1.
_SCALE = _by_decade(lambda power: float(f"1e{9 - power}"), np.nan, 1, np.nan)
_UNIT = _by_decade(lambda power: 10 if power < PLAIN else 10 ** max(power + 1, 0), 1, 1, 1)
_BEGIN = _by_decade(lambda power: 20_000 - 2 - power if PLAIN <= power < -1 else 0, 0, 0, 0)
_BEGIN[_NEGATIVE:] += len(_BITS) // 2
_BEGIN[_NEGATIVE + _ZERO] = 0
_EXPONENT = np.frombuffer(b"".join(b"e-%02d" % -power for power in range(LOWEST, PLAIN)), np.uint32)


_TOGETHER = 4096  # frames put together at once
_QUOTED = frozenset(',"\n\r')  # a cell that holds one of these


class Columns:
    """A table of numbers with a row for every frame, put together some frames at a time: NaN where unknown.

    Parameters
    ----------
    trial : Trial
        Numbers the frames.

    Attributes
    ----------
    names : list of str
        ``frame``, ``time_s``, then the others, each with its unit.
    """

    def __init__(self, trial: Trial) -> None:
        self.names = ["frame", "time_s"]
        self._n_frames = trial.n_frames
        counted = np.column_stack([trial.first_frame + np.arange(trial.n_frames), trial.time_s])
        self._columns: list[tuple[Array, Array | None]] = [(counted, None)]

    def add(self, names: Sequence[str], values: Array, axes: Array | None = None) -> None:
        """Columns behind the others.

        Parameters
        ----------
        names : sequence of str
        values : (frames, columns) or (frames,) array
        axes : (frames, 3, 3) array, optional
            The table has components along these, its columns, where vectors are given.
        """
        self.names += names
        self._columns.append((values if values.ndim == 2 else values[:, None], axes))

    def rows(self, some: slice) -> Array:
        """(frames, columns) values of some frames."""
        parts = [v[some] if axes is None else apply_transposed(axes[some], v[some]) for v, axes in self._columns]
        return np.concatenate(parts, axis=1)

    @property
    def values(self) -> Array:
        """(frames, columns) all of them."""
        return self.rows(slice(None))

    def __iter__(self) -> Iterator[Any]:
        """The names, then the values."""
        return iter((self.names, self.values))

    def blocks(self) -> Iterator[str]:
        """The table as CSV, some lines at a time: a long trial's is never held as a whole, neither numbers nor text."""
        yield ",".join(self.names) + "\n"
        for start in range(0, self._n_frames, _TOGETHER):
            yield from rows_blocks(self.rows(slice(start, start + _TOGETHER)))


def csv_text(names: Sequence[str], values: Array) -> str:
    """A CSV with one header line.

    Parameters
    ----------
    names : sequence of str
        One a column.
    values : (rows, columns) array
        What is not finite becomes an empty cell.
    """
    if values.shape[1] != len(names):
        raise ValueError(f"{values.shape[1]} columns of values for {len(names)} names")
    return ",".join(names) + "\n" + rows_text(values)


def quoted(text: str) -> str:
    """A text cell of a CSV, quoted where it must be."""
    if not _QUOTED.isdisjoint(text):
        return '"' + text.replace('"', '""').replace("\n", " ").replace("\r", " ") + '"'
    return text


def cell(value: object) -> str:
    """A cell of a CSV: numbers as in `csv_text`, unknown ones empty; text quoted where it must be."""
    if isinstance(value, float):
        return f"{value + 0.0:.10g}" if isfinite(value) else ""
    return quoted(str(value))
