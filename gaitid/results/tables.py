"""The tables of a result read back as numbers, whole columns at once; what is damaged is named by line and column."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.disk.read_back import read_text_back
from gaitid.errors import GaitidError
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

# Rows whose cells are in memory at once: a table of a long trial has millions of cells.
_BLOCK = 2048


@frozen_dataclass()
class Table:
    """A table of text: its columns' names, and a line of text for each row."""

    path: Path
    header: tuple[str, ...]
    lines: tuple[str, ...]


def read_table(path: Path, wanted: Iterable[str] = ()) -> Table:
    """A table whose cells are numbers and plain words; every row is as long as the header, every wanted column there.

    Raises
    ------
    GaitidError
        One line that begins with the file.
    """
    lines = read_text_back(path, "CSV").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    header = tuple(lines[0].split(",")) if lines else ()
    refuse_missing(path, header, wanted)
    cells = len(header) - 1
    for number, line in enumerate(lines[1:], start=2):
        if line.count(",") != cells:
            raise GaitidError(
                f"{path}: line {number} is not whole",
                expected=f"{len(header)} cells",
                found=f"{line.count(',') + 1 if line else 0}",
            )
    return Table(path, header, tuple(lines[1:]))


def read_rows(path: Path, wanted: Iterable[str] = ()) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a small table whose cells may be quoted.

    Raises
    ------
    GaitidError
        One line that begins with the file.
    """
    try:
        rows = list(csv.reader(io.StringIO(read_text_back(path, "CSV"), newline="")))
    except csv.Error as error:
        raise GaitidError(f"{path}: not CSV", found=str(error)) from None
    header = rows[0] if rows else []
    refuse_missing(path, header, wanted)
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise GaitidError(f"{path}: line {line} is not whole", expected=f"{len(header)} cells", found=f"{len(row)}")
    return header, rows[1:]


def read_texts(path: Path, wanted: Iterable[str]) -> tuple[Mapping[str, str], ...]:
    """The rows of a small table, cells as text by column; as of `read_rows`."""
    header, rows = read_rows(path, wanted)
    return tuple(dict(zip(header, row, strict=True)) for row in rows)


def read_header(path: Path) -> tuple[str, ...]:
    """The names of a table's columns: its first line. A table that nobody can read has none; who reads it says why."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return tuple(next(csv.reader([file.readline()]), ()))
    except (OSError, UnicodeDecodeError, csv.Error):
        return ()


def refuse_missing(path: Path, header: Sequence[str], wanted: Iterable[str]) -> None:
    """Refuse a table without one of the wanted columns."""
    missing = [name for name in wanted if name not in header]
    if missing:
        more = f" and {len(missing) - 6} more" if len(missing) > 6 else ""
        raise GaitidError(
            f"{path}: columns missing: {', '.join(missing[:6])}{more}",
            expected="every column that gaitid run writes",
            found=f"{len(header)} columns",
            todo="run gaitid run again",
        )


def columns(table: Table, names: Sequence[str]) -> Array:
    """(names, rows) of numbers, NaN where a cell is empty or not finite.

    Raises
    ------
    GaitidError
        A cell is no number: its file, line and column.
    """
    at = [table.header.index(name) for name in names]
    values = np.empty((len(at), len(table.lines)))
    for first in range(0, len(table.lines), _BLOCK):
        lines = table.lines[first : first + _BLOCK]
        cells = ",".join(lines).split(",")
        for of_column, i in zip(values[:, first : first + _BLOCK], at, strict=True):
            column = cells[i :: len(table.header)]
            of_column[:] = numbers(column, table.path, table.header[i], first + 2)
    return values


def numbers(cells: Sequence[str], path: Path, column: str, line: int = 2) -> list[float]:
    """The numbers of a column's cells, NaN where one is empty or not finite; the first is in a line of the file.

    Raises
    ------
    GaitidError
        As for `number`.
    """
    try:
        values = [float(cell) if cell else math.nan for cell in cells]
    except ValueError:  # blanks, or no number: to say where
        return [number(cell, path, column, at) for at, cell in enumerate(cells, start=line)]
    infinite = math.inf in values or -math.inf in values
    return [value if math.isfinite(value) else math.nan for value in values] if infinite else values


def number(cell: str, path: Path, column: str, line: int) -> float:
    """The number of a cell, NaN where it is empty or not finite; the line counts from 1, the header's."""
    if not cell.strip():
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        raise GaitidError(f"{path}: line {line}, column {column}: not a number", found=f"{cell!r}") from None
    return value if math.isfinite(value) else math.nan
