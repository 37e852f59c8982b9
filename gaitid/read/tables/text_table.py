"""The text of a table, of any program -> rows and numbers, with errors that name the row and the column."""

from __future__ import annotations

import codecs
import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path
from reprlib import repr as short

import numpy as np

from gaitid.disk.regular import CUT_TRIAL, MAX_TEXT_BYTES, file_size, opened
from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.read.subjects import SHOWN_CHARACTERS, printable
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array

# Cells that other tools write where nothing was seen, as pandas.read_csv takes them: R's NA, Excel's #N/A, what the C
# library of Windows prints of a NaN. An empty cell means the same.
_MISSING = re.compile(r"[+-]?nan(\(\w*\))?|[+-]?1\.#(ind|qnan|snan|nan)0*|#?n/?a|<na>|null|none", re.IGNORECASE)
# Rows turned into numbers at a time: bounds the memory that their text takes.
_CHUNK = 2000
# Rows of a table, which take some 60 bytes each beside their text, and its numbers, which take 8.
_ROWS, _CELLS = 5_000_000, 100_000_000
# Characters of a line: a table of 10,000 columns has some hundred thousand.
_LINE = 1_000_000
_ENDS = re.compile(rb"[\r\n]")
# Excel reads, and some programs write, the separator in a line of its own.
_SEP = re.compile(r'"?sep=[,;\t]"?', re.IGNORECASE)
# What files begin with that are taken for tables of text.
_PACKED = {
    b"PK\x03\x04": "a workbook (.xlsx) or an archive",
    b"\xd0\xcf\x11\xe0": "an old workbook (.xls)",
    b"\x1f\x8b": "a packed file (.gz)",
}
#: What to do about rows or cells that are missing.
CUT_SHORT = "is the file cut short? Export it again"
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


def read_lines(path: Path, kind: str = "CSV", *, any_encoding: bool = False) -> list[str]:
    """Lines of a text file (`decoded`), without line ends (LF, CRLF or CR); Excel's ``sep=;`` becomes a blank one.

    Parameters
    ----------
    path : Path
    kind : str
        What the file should be, for errors.
    any_encoding : bool
        Bytes that are no UTF-8 are those of old Windows programs, as in the path that begins a TRC file.

    Raises
    ------
    ReadError
        Absent, unreadable, too large, empty, not text of a known encoding, or with a line that no table has.
    """
    size = file_size(path, MAX_TEXT_BYTES, kind)
    with opened(path) as file:
        data = file.read(min(size, _LINE))
        if size > _LINE and not _ENDS.search(data):
            raise _long_line(1)
        data += file.read(max(size - len(data), 0))
    try:
        text = decoded(data, kind)
    except ReadError:
        if not any_encoding or _is_utf16(data):
            raise
        text = data.decode("latin-1")
    del data
    if "\0" in text:
        raise ReadError("not text (zero bytes)", expected=f"{kind} in UTF-8", todo="save it as UTF-8")
    if not text or text.isspace():
        raise ReadError("the file is empty", expected="a header and rows of numbers")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (rows := text.count("\n")) > _ROWS:
        raise ReadError("too large", expected=f"at most {_ROWS} rows", found=str(rows), todo=CUT_TRIAL)
    # Not splitlines(): that would also split at form feeds and other characters inside a cell.
    lines = text.split("\n")
    if len(text) > _LINE and max(map(len, lines)) > _LINE:
        raise _long_line(1 + next(i for i, line in enumerate(lines) if len(line) > _LINE))
    if _SEP.fullmatch(lines[0]):
        lines[0] = ""
    return lines


def _long_line(row: int) -> ReadError:
    return ReadError(f"row {row} is no row of a table", expected=f"at most {_LINE} characters")


def _is_utf16(data: bytes) -> bool:
    return data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def decoded(data: bytes, kind: str = "CSV") -> str:
    """Text of UTF-8, with or without a byte order mark, or of UTF-16 with one (Excel's “Unicode text”)."""
    name, encoding = ("UTF-16", "utf-16") if _is_utf16(data) else ("UTF-8", "utf-8-sig")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if kind_of_file := next((words for head, words in _PACKED.items() if data.startswith(head)), ""):
            raise ReadError(f"{kind_of_file}, not text", expected=kind, todo=f"save it as {kind}") from None
        what = f"not {name} text (byte {error.start})"
        raise ReadError(what, expected=f"{kind} in UTF-8", todo="save it as UTF-8") from None


def first_characters(path: Path) -> str:
    """The beginning of a text file, enough to tell what it is; what cannot be read is left to `read_lines`."""
    file_size(path, MAX_TEXT_BYTES, "CSV")
    with opened(path) as file:
        head = file.read(4096)
    text = head.decode("utf-16" if _is_utf16(head) else "utf-8-sig", errors="replace")
    first, end, rest = text.replace("\r\n", "\n").replace("\r", "\n").partition("\n")
    return rest if _SEP.fullmatch(first) else first + end + rest


def positive(text: str) -> float:
    """A positive number, with a decimal point or comma; NaN where the text is none."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return math.nan
    return number if 0 < number < math.inf else math.nan


def check_names(names: Sequence[str]) -> None:
    """ReadError at the first name that cannot be shown: control characters in it, or longer than any name is."""
    for i, name in enumerate(names):
        if printable(name) != name:
            wanted = f"up to {SHOWN_CHARACTERS} plain characters"
            raise ReadError(f"column {i + 1}: not a name", expected=wanted, found=short(name))


def is_blank(line: str) -> bool:
    """Whether a line holds nothing, or only separators (spreadsheets pad blank lines with them)."""
    return not line.strip(" \t,;")


def filled(lines: Sequence[str]) -> list[int]:
    """The places of the lines that hold something."""
    return [i for i, line in enumerate(lines) if not is_blank(line)]


def refuse_gap(rows: Sequence[int], unit: str) -> None:
    """ReadError at the first line that is missing among the places of rows, each of which should be one `unit`."""
    gap = next((row + 1 for row, following in zip(rows, rows[1:]) if following > row + 1), None)
    if gap is not None:
        raise ReadError(f"row {gap + 1} is empty", expected=f"a row for every {unit}")


class Opened(NamedTuple):
    """A table whose header was read.

    Attributes
    ----------
    columns : list of str
    dialect : Dialect
    lines : sequence of str
        Of the file.
    rows : sequence of int
        The places of the header and of the rows below it.
    """

    columns: list[str]
    dialect: Dialect
    lines: Sequence[str]
    rows: Sequence[int]

    @property
    def first_row(self) -> int:
        """Number of the first row of numbers in the file, from 1."""
        return self.rows[0] + 2

    def numbers(self, unit: str) -> Array:
        """(rows, columns) below the header, each row one `unit` (`numbers_of`)."""
        refuse_gap(self.rows, unit)
        if len(self.rows) == 1:
            raise ReadError("no rows below the header")
        return numbers_of(
            self.lines[self.first_row - 1 : self.rows[-1] + 1], self.first_row, self.columns, self.dialect
        )


def dialect_of(header: str) -> Dialect:
    """Comma, semicolon or tab, by the header alone: the names of columns hold none of them."""
    delimiters = [d for d in (",", ";", "\t") if d in header]
    if len(delimiters) > 1:
        both = " and ".join(map(repr, delimiters))
        raise ReadError("the header is separated in more than one way", expected="one of , ; tab", found=both)
    if not delimiters and (other := next((sign for sign in ("|", " ") if header.strip().count(sign) > 1), None)):
        found = "a blank" if other == " " else repr(other)
        raise ReadError("the header is not separated by a comma", expected="one of , ; tab", found=found)
    return Dialect(delimiters[0], decimal_comma=delimiters[0] != ",") if delimiters else Dialect()


def open_table(path: Path) -> Opened:
    """A file with one row of names above rows of numbers.

    Raises
    ------
    ReadError
        As `read_lines`; without a header, or with a name that cannot be shown.
    """
    lines = read_lines(path)
    if not (rows := filled(lines)):
        raise ReadError("the file is empty", expected="a header and rows of numbers", found="separators only")
    header = lines[rows[0]]
    dialect = dialect_of(header)
    columns = cells_of(header, dialect)
    while columns and not columns[-1]:  # trailing separators
        columns.pop()
    check_names(columns)
    return Opened(columns, dialect, lines, rows)


def cells_of(line: str, dialect: Dialect) -> list[str]:
    """The cells of a line without surrounding blanks and quotes."""
    if '"' in line:
        try:
            quoted = next(csv.reader([line], delimiter=dialect.delimiter, skipinitialspace=True))
        except csv.Error:  # a quote that never closes
            quoted = line.split(dialect.delimiter)
        return [cell.strip() for cell in quoted]
    return [cell.strip() for cell in line.split(dialect.delimiter)]


def numbers_of(lines: Sequence[str], first_row: int, columns: Sequence[str], dialect: Dialect) -> Array:
    """Rows of numbers; an empty cell (or ``nan``, ``NA``) becomes NaN.

    Parameters
    ----------
    lines : sequence of str
        Data rows, none of them blank.
    first_row : int
        Number of the first of them in the file, from 1, for errors.
    columns : sequence of str
        A name for every column, for errors.
    dialect : Dialect

    Returns
    -------
    (rows, columns) array

    Raises
    ------
    ReadError
        A row with too few or too many cells, or a cell that is no number that was measured.
    """
    if len(lines) * len(columns) > _CELLS:
        size = f"{len(lines)} rows of {len(columns)}"
        raise ReadError("too large", expected=f"at most {_CELLS:.0e} cells", found=size, todo=CUT_TRIAL)
    if dialect.decimal_comma:
        _check_decimals(lines, first_row)
    chunks = [_numbers(lines[i : i + _CHUNK], first_row + i, columns, dialect) for i in range(0, len(lines), _CHUNK)]
    return np.concatenate(chunks) if chunks else np.empty((0, len(columns)))


def _with_points(rows: Sequence[str]) -> Sequence[str]:
    """The rows of a table that no comma separates: where no point stands in them, commas are decimal."""
    if any("," in row for row in rows) and not any("." in row for row in rows):
        return [row.replace(",", ".") for row in rows]
    return rows


def _without_cut_row(rows: Sequence[str], complete: bool) -> tuple[Sequence[str], Notes]:
    """The rows but for a last one that ends early and without a line end: its last number may lack digits."""
    if complete or len(rows) < 2 or rows[-1].count("\t") >= rows[-2].count("\t"):
        return rows, ()
    return rows[:-1], (note("file_incomplete/last_row"),)


def rows_below(lines: Sequence[str], at: int, unit: str) -> tuple[Sequence[str], int, Notes]:
    """The rows from a line on, each one `unit`: with tabs and decimal points, without a last one that was cut.

    Returns
    -------
    rows : sequence of str
    first_row : int
        Number of the first of them in the file, from 1.
    notes : Notes

    Raises
    ------
    ReadError
        There are none, or a line between them is empty.
    """
    places = [i for i in filled(lines) if i >= at]
    if not places:
        raise ReadError("no rows below the header")
    refuse_gap(places, unit)
    first, last = places[0], places[-1]
    rows = _with_points(lines[first : last + 1])
    if "\t" not in rows[0].strip():
        rows = ["\t".join(row.split()) for row in rows]
    rows, notes = _without_cut_row(rows, complete=last + 1 < len(lines))
    return rows, first + 1, notes


def _check_decimals(lines: Sequence[str], first_row: int) -> None:
    """ReadError where commas and points both stand in numbers: nothing says which separates thousands."""
    with_point = next((i for i, line in enumerate(lines) if "." in line), None)
    if with_point is not None and any("," in line for line in lines):
        raise ReadError(
            f"row {first_row + with_point}: a decimal point in a table with decimal commas",
            expected="one of the two, and no separators of thousands",
            found=short(lines[with_point]),
        )


def _numbers(lines: Sequence[str], first_row: int, columns: Sequence[str], dialect: Dialect) -> Array:
    n = len(columns)
    flat: list[str] = []
    for i, line in enumerate(lines):
        cells = cells_of(line, dialect) if '"' in line else line.split(dialect.delimiter)
        if len(cells) != n:
            if len(cells) < n or any(cell.strip() for cell in cells[n:]):
                raise ReadError(
                    f"row {first_row + i} does not match the header",
                    expected=f"{n} cells",
                    found=f"{len(cells)}",
                    todo="use a decimal point (or separate the cells by ;), or complete the header"
                    if len(cells) > n and dialect.delimiter == ","
                    else CUT_SHORT,
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
        values = _slowly(flat, first_row, columns)
    return values.reshape(len(lines), n)


def _slowly(flat: Sequence[str], first_row: int, columns: Sequence[str]) -> Array:
    """The same numbers cell by cell, stopping at the first that is none."""
    values = np.empty(len(flat))
    for i, cell in enumerate(flat):
        text = cell.strip()
        row, column = divmod(i, len(columns))
        try:
            values[i] = math.nan if not text or _MISSING.fullmatch(text) else float(text)
        except ValueError:
            values[i] = math.inf
        if abs(values[i]) > _LARGEST or "_" in text or not text.isascii():
            raise ReadError(
                f"row {first_row + row}, column {printable(columns[column])!r}: not a number",
                expected=f"a number up to {_LARGEST:g}, or an empty cell where nothing was seen",
                found=short(text),
            )
    return values
