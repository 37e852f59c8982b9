"""Text of CSV files -> rows and numbers, with errors that name the row and the column."""

from __future__ import annotations

import codecs
import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path
from reprlib import repr as short

import numpy as np
from numpy.typing import NDArray

from gaitid.disk.regular import CUT_TRIAL, MAX_TEXT_BYTES, file_size, unreadable
from gaitid.errors import ReadError
from gaitid.numerics.statistics import median
from gaitid.read.labels import SHOWN_CHARACTERS, printable
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

Integers = NDArray[np.int64]

# Cells that other tools write where nothing was seen. An empty cell means the same.
_MISSING = frozenset({"nan", "+nan", "-nan"})
# A row's time may differ from an even grid by this much of the sampling interval: printed times are rounded.
UNEVEN = 0.1
# Cameras and plates run between these; a time in milliseconds or in frames would not.
_RATES_HZ = (1.0, 1e6)
# Rows turned into numbers at a time: bounds the memory that their text takes.
_CHUNK = 2000
# Rows of a table, which take some 60 bytes each beside their text, and its numbers, which take 8.
_ROWS, _CELLS = 5_000_000, 100_000_000
# Characters of a line: a table of 10,000 columns has some hundred thousand.
_LINE = 1_000_000
_ENDS = re.compile(rb"[\r\n]")
# Excel reads, and some programs write, the separator in a line of its own.
_SEP = re.compile(r'"?sep=[,;\t]"?', re.IGNORECASE)
# No measurement is larger, in any unit; moments of larger ones would not fit into a number.
_LARGEST = 1e15


@frozen_dataclass()
class Dialect:
    """How cells are separated.

    Attributes
    ----------
    delimiter : str
        ``,``, ``;`` or a tab.
    decimal_comma : bool
        Whether ``1,5`` is one and a half. Only possible where the delimiter is not the comma.
    """

    delimiter: str = ","
    decimal_comma: bool = False


def read_lines(path: Path, where: str = "", kind: str = "CSV") -> list[str]:
    """Lines of a text file (`decoded`), without line ends (LF, CRLF or CR); Excel's ``sep=;`` becomes a blank one.

    Parameters
    ----------
    path : Path
    where : str
        Put before the message of an error: the name of the file where it is not the trial itself.
    kind : str
        What the file should be, for errors.

    Raises
    ------
    ReadError
        Absent, unreadable, too large, empty, not text of a known encoding, or with a line that no table has.
    """
    size = file_size(path, MAX_TEXT_BYTES, kind, where)
    try:
        with path.open("rb") as file:
            data = file.read(min(size, _LINE))
            if size > _LINE and not _ENDS.search(data):
                raise _long_line(where, 1)
            data += file.read(max(size - len(data), 0))
    except OSError as error:
        raise unreadable(error, where) from None
    text = decoded(data, where, kind)
    del data
    if "\0" in text:
        raise ReadError(f"{where}not text (zero bytes)", expected=f"{kind} in UTF-8", todo="save it as UTF-8")
    if not text or text.isspace():
        raise ReadError(f"{where}the file is empty", expected="a header and rows of numbers")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (rows := text.count("\n")) > _ROWS:
        raise ReadError(f"{where}too large", expected=f"at most {_ROWS} rows", found=str(rows),
                        todo=CUT_TRIAL)  # fmt: skip
    # Not splitlines(): that would also split at form feeds and other characters inside a cell.
    lines = text.split("\n")
    if len(text) > _LINE and max(map(len, lines)) > _LINE:
        raise _long_line(where, 1 + next(i for i, line in enumerate(lines) if len(line) > _LINE))
    if _SEP.fullmatch(lines[0]):
        lines[0] = ""
    return lines


def _long_line(where: str, row: int) -> ReadError:
    return ReadError(f"{where}row {row} is no row of a table", expected=f"at most {_LINE} characters")


def _is_utf16(data: bytes) -> bool:
    return data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def decoded(data: bytes, where: str = "", kind: str = "CSV") -> str:
    """Text of UTF-8, with or without a byte order mark, or of UTF-16 with one (Excel's “Unicode text”)."""
    name, encoding = ("UTF-16", "utf-16") if _is_utf16(data) else ("UTF-8", "utf-8-sig")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ReadError(
            f"{where}not {name} text (byte {error.start})",
            expected=f"{kind} in UTF-8",
            todo="save it as UTF-8",
        ) from None


def first_characters(path: Path) -> str:
    """The beginning of a text file, enough to tell what it is; what cannot be read is left to `read_lines`."""
    file_size(path, MAX_TEXT_BYTES, "CSV")
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise unreadable(error) from None
    text = head.decode("utf-16" if _is_utf16(head) else "utf-8-sig", errors="replace")
    first, end, rest = text.replace("\r\n", "\n").replace("\r", "\n").partition("\n")
    return rest if _SEP.fullmatch(first) else first + end + rest


def check_names(names: Sequence[str], where: str = "") -> None:
    """ReadError at the first name that cannot be shown: control characters in it, or longer than any name is."""
    for i, name in enumerate(names):
        if printable(name) != name:
            raise ReadError(f"{where}column {i + 1}: not a name", expected=f"up to {SHOWN_CHARACTERS} plain characters",
                            found=short(name))  # fmt: skip


def is_blank(line: str) -> bool:
    """Whether a line holds nothing, or only separators (spreadsheets pad blank lines with them)."""
    return not line.strip(" \t,;")


def cells_of(line: str, dialect: Dialect) -> list[str]:
    """The cells of a line without surrounding blanks and quotes."""
    if '"' in line:
        try:
            quoted = next(csv.reader([line], delimiter=dialect.delimiter, skipinitialspace=True))
        except csv.Error:  # a quote that never closes
            quoted = line.split(dialect.delimiter)
        return [cell.strip() for cell in quoted]
    return [cell.strip() for cell in line.split(dialect.delimiter)]


def numbers_of(
    lines: Sequence[str], first_row: int, columns: Sequence[str], dialect: Dialect, where: str = ""
) -> Array:
    """Rows of numbers; an empty cell (or ``nan``) becomes NaN.

    Parameters
    ----------
    lines : sequence of str
        Data rows, none of them blank.
    first_row : int
        Number of the first of them in the file, from 1, for errors.
    columns : sequence of str
        A name for every column, for errors.
    dialect : Dialect
    where : str
        Put before the message of an error.

    Returns
    -------
    (rows, columns) array

    Raises
    ------
    ReadError
        A row with too few or too many cells, or a cell that is no number that was measured.
    """
    if len(lines) * len(columns) > _CELLS:
        raise ReadError(f"{where}too large", expected=f"at most {_CELLS:.0e} cells",
                        found=f"{len(lines)} rows of {len(columns)}", todo=CUT_TRIAL)  # fmt: skip
    if dialect.decimal_comma:
        _check_decimals(lines, first_row, where)
    chunks = [
        _numbers(lines[i : i + _CHUNK], first_row + i, columns, dialect, where) for i in range(0, len(lines), _CHUNK)
    ]
    return np.concatenate(chunks) if chunks else np.empty((0, len(columns)))


def _check_decimals(lines: Sequence[str], first_row: int, where: str) -> None:
    """ReadError where commas and points both stand in numbers: one of them separates thousands, and which is unsaid."""
    with_point = next((i for i, line in enumerate(lines) if "." in line), None)
    if with_point is not None and any("," in line for line in lines):
        raise ReadError(
            f"{where}row {first_row + with_point}: a decimal point in a table with decimal commas",
            expected="one of the two, and no separators of thousands",
            found=short(lines[with_point]),
        )


def _numbers(lines: Sequence[str], first_row: int, columns: Sequence[str], dialect: Dialect, where: str) -> Array:
    n = len(columns)
    flat: list[str] = []
    for i, line in enumerate(lines):
        cells = cells_of(line, dialect) if '"' in line else line.split(dialect.delimiter)
        if len(cells) != n:
            if len(cells) < n or any(cell.strip() for cell in cells[n:]):
                raise ReadError(
                    f"{where}row {first_row + i} does not match the header",
                    expected=f"{n} cells",
                    found=f"{len(cells)}",
                    todo=_todo_for_width(len(cells), n, dialect),
                )
            cells = cells[:n]
        flat += cells
    if dialect.decimal_comma:
        flat = [cell.replace(",", ".") for cell in flat]
    try:
        # float() also takes 1_000 and digits of other scripts, which no file of measurements means.
        joined = "".join(flat)
        if "_" in joined or not joined.isascii():
            raise ValueError
        values = np.array([float(cell) if cell else math.nan for cell in flat], dtype=np.float64)
        if (np.abs(values) > _LARGEST).any():
            raise ValueError
    except ValueError:
        values = _slowly(flat, first_row, columns, where)
    return values.reshape(len(lines), n)


def _todo_for_width(found: int, expected: int, dialect: Dialect) -> str:
    if found > expected and dialect.delimiter == ",":
        return "use a decimal point (or separate the cells by ;), or complete the header"
    return "is the file cut short? Export it again"


def _slowly(flat: Sequence[str], first_row: int, columns: Sequence[str], where: str) -> Array:
    """The same numbers cell by cell, stopping at the first that is none."""
    values = np.empty(len(flat))
    for i, cell in enumerate(flat):
        text = cell.strip()
        row, column = divmod(i, len(columns))
        try:
            values[i] = math.nan if not text or text.lower() in _MISSING else float(text)
        except ValueError:
            values[i] = math.inf
        if abs(values[i]) > _LARGEST or "_" in text or not text.isascii():
            raise ReadError(
                f"{where}row {first_row + row}, column {printable(columns[column])!r}: not a number",
                expected=f"a number up to {_LARGEST:g}, or an empty cell where nothing was seen",
                found=short(text),
            )
    return values


def whole_numbers(values: Array, first_row: int, column: str, where: str = "") -> Integers:
    """(rows,) integers from a column; ReadError at the first cell that is empty or not whole."""
    bad = ~((values == np.rint(values)) & (np.abs(values) < 2**53))  # NaN is never equal
    if bad.any():
        row = int(np.argmax(bad))
        found = "an empty cell" if np.isnan(values[row]) else f"{values[row]:g}"
        raise ReadError(
            f"{where}row {first_row + row}, column {column!r}: not a whole number",
            expected="frames that count by 1",
            found=found,
        )
    return values.astype(np.int64)


def check_counts_by_one(frames: Integers, first_row: int, column: str, where: str = "") -> None:
    """ReadError at the first frame that does not follow the one before it."""
    wrong = np.flatnonzero(np.diff(frames) != 1)
    if wrong.size:
        row = int(wrong[0]) + 1
        raise ReadError(
            f"{where}row {first_row + row}, column {column!r}: frames do not count by 1",
            expected=str(frames[row - 1] + 1),
            found=str(frames[row]),
            todo="keep a row for every frame, with empty cells where nothing was seen",
        )


def even_rate(times: Array, first_row: int, where: str = "", column: str = "time_s") -> float:
    """Rate, Hz, of rows with these times, s, which must be even to `UNEVEN` of the interval.

    A whole number of Hz where the times, rounded as they are printed, say it as well as the fitted rate.

    Raises
    ------
    ReadError
        Fewer than two rows, an empty time, or the first row that is off the grid.
    """
    if np.isnan(times).any():
        row = first_row + int(np.argmax(np.isnan(times)))
        raise ReadError(f"{where}row {row}, column {column!r}: empty", expected="a time for every row")
    if times.size < 2:
        raise ReadError(f"{where}only one row", expected="at least two, for the rate")
    i = np.arange(times.size)
    steps = np.diff(times)
    step = float(median(steps))
    if not step > 0:
        row = int(np.argmin(steps > 0)) + 1
        raise ReadError(
            f"{where}row {first_row + row}, column {column!r}: time does not go on",
            expected=f"more than {times[row - 1]:.6g} s",
            found=f"{times[row]:.6g} s",
        )
    # A time rounded to 1 ms moves a step by up to 1 ms; a lost row moves it by a whole interval.
    off = np.flatnonzero(np.abs(steps - step) > 2 * UNEVEN * step) + 1
    if off.size == 0:
        step, start = (float(value) for value in np.polyfit(i, times, 1))
        off = np.flatnonzero(np.abs(times - start - i * step) > UNEVEN * step)
    if off.size:
        row = max(int(off[0]), 1)
        raise ReadError(
            f"{where}row {first_row + row}, column {column!r}: not evenly sampled",
            expected=f"{times[row - 1] + step:.6g} s within {UNEVEN:.0%} of the interval",
            found=f"{times[row]:.6g} s",
            todo="keep a row for every sample, and write times with enough digits",
        )

    def spread(interval: float) -> float:
        return float(np.ptp(times - i * interval))

    if not _RATES_HZ[0] <= 1 / step <= _RATES_HZ[1]:
        raise ReadError(f"{where}column {column!r} is not in seconds", expected="1 to 1,000,000 rows a second",
                        found=f"an interval of {step:.3g} s")  # fmt: skip
    whole = float(np.rint(1 / step))
    rounding = 1e-9 * float(np.abs(times).max())  # what %.10g leaves
    return whole if whole > 0 and spread(1 / whole) <= 1.2 * spread(step) + rounding else 1 / step


def start_after(seconds: Array, cameras_s: tuple[float, float], where: str, warnings: list[str]) -> float:
    """How long after the first camera frame a force file's first sample was taken, s; both have one clock.

    Parameters
    ----------
    seconds : (n,) array
        Times of the force samples.
    cameras_s : (float, float)
        Times of the first and the last camera frame.
    where : str
        The force file, put before errors and warnings.
    warnings : list of str
        Frames without forces are said here.

    Raises
    ------
    ReadError
        The two files have no moment in common.
    """
    first, last = float(seconds[0]), float(seconds[-1])
    if last < cameras_s[0] or first > cameras_s[1]:
        when = "ends before the first" if last < cameras_s[0] else "begins after the last"
        raise ReadError(
            f"{where}{when} camera frame",
            expected=f"samples between {cameras_s[0]:.6g} and {cameras_s[1]:.6g} s",
            found=f"{first:.6g} to {last:.6g} s",
            todo="give both files the same clock",
        )
    interval = (last - first) / max(len(seconds) - 1, 1)
    late, early = first - cameras_s[0], cameras_s[1] - last
    if late > interval:
        warnings.append(f"{where}begins {late:.4g} s after the first camera frame; the forces before it are unknown")
    if early > interval:
        warnings.append(f"{where}ends {early:.4g} s before the last camera frame; the forces after it are unknown")
    return late


def shifted(samples: Array, late: int) -> Array:
    """(n, k) samples of which the first was taken `late` samples after time 0: filled with NaN, or cut."""
    if late <= 0:
        return samples[-late:]
    return np.concatenate([np.full((late, samples.shape[1]), np.nan), samples])
