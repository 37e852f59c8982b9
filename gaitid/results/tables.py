"""The tables of a result read back as numbers, with curves over cycles; what is damaged is named by its line."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gaitid.disk.regular import read_text_back
from gaitid.errors import GaitidError
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array
from gaitid.write import CYCLE_COLUMNS, FEATURE_COLUMNS, STANCE_COLUMNS

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
    """(names, rows) of numbers, NaN where a cell is empty.

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
    """The numbers of a column's cells, NaN where one is empty; the first is in a line of the file.

    Raises
    ------
    GaitidError
        As for `number`.
    """
    try:
        values = [float(cell) if cell else math.nan for cell in cells]
    except ValueError:  # blanks, or no number
        values = [math.inf]
    if math.inf in values or -math.inf in values:  # to say where
        return [number(cell, path, column, at) for at, cell in enumerate(cells, start=line)]
    return values


def number(cell: str, path: Path, column: str, line: int) -> float:
    """The number of a cell, NaN where it is empty; the line counts from 1, the header's."""
    try:
        value = float(cell) if cell.strip() else math.nan
    except ValueError:
        value = math.inf
    if math.isinf(value):
        wrong = f"{path}: line {line}, column {column}: not a number"
        raise GaitidError(wrong, found=f"{cell!r}", todo="run gaitid run again")
    return value


@frozen_dataclass()
class CycleCurves:
    """The gait cycles of one side, or its single stances: of these no event within is known.

    Attributes
    ----------
    numbers, first_frame, last_frame : (c,) int array
        Number of each cycle, and the frames nearest to its strike and the next, as the trial counts.
    off_percent, opposite_off_percent, opposite_strike_percent : (c,) array
        When the foot leaves the ground, the other one does, and the other one strikes; NaN where not known.
    percent : (p,) array
        0 to 100.
    columns : mapping of str to (c, p) array
        By the column's name in ``cycles.csv``, which names no side; NaN where the cell is empty.
    """

    numbers: NDArray[np.int64]
    first_frame: NDArray[np.int64]
    last_frame: NDArray[np.int64]
    off_percent: Array
    opposite_off_percent: Array
    opposite_strike_percent: Array
    percent: Array
    columns: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.numbers)


class Feature(NamedTuple):
    """A row of ``features.csv``; `percent` and `frame` are NaN where it belongs to no instant."""

    side: str
    cycle: str
    name: str
    value: float
    unit: str
    percent: float
    frame: float


def read_cycles(path: Path, sides: Sequence[str]) -> dict[str, CycleCurves]:
    """The cycles of each side that has any.

    Raises
    ------
    GaitidError
        One line that begins with the file.
    """
    return _by_side(read_table(path, CYCLE_COLUMNS), sides, ("side",))


def read_stances(path: Path, sides: Sequence[str]) -> dict[str, CycleCurves]:
    """The single stances of each side that has any; their numbers are those of the contacts.

    Raises
    ------
    GaitidError
        One line that begins with the file.
    """
    return _by_side(read_table(path, STANCE_COLUMNS), sides, ("side", "plates"))


def _by_side(table: Table, sides: Sequence[str], texts: Sequence[str]) -> dict[str, CycleCurves]:
    """The curves of each side; the columns `texts` hold no numbers."""
    if not table.lines:
        return {}
    at = table.header.index("side")
    side = np.array([line.split(",", at + 1)[at] for line in table.lines])
    if strange := sorted(set(side.tolist()) - set(sides)):
        raise GaitidError(f"{table.path}: cycles of no side", expected=" or ".join(sides), found=strange[0])
    names = [name for name in table.header if name not in texts]
    values = {"cycle" if n == "contact" else n: v for n, v in zip(names, columns(table, names), strict=True)}
    for name in CYCLE_COLUMNS[5:]:  # events within a cycle, which a stance has not
        values.setdefault(name, np.full(len(table.lines), np.nan))
    found = {
        one: _of_side(table.path, {n: v[side == one] for n, v in values.items()})
        for one in sides
        if (side == one).any()
    }
    if len({len(curves.percent) for curves in found.values()}) > 1:
        raise GaitidError(
            f"{table.path}: left and right have not the same rows",
            expected="from 0 to 100 % in equal steps, the same on both sides",
            found=", ".join(f"{one} {len(curves.percent)} rows a cycle" for one, curves in found.items()),
            todo="run gaitid run again",
        )
    return found


def _of_side(path: Path, values: Mapping[str, Array]) -> CycleCurves:
    """The rows of one side as curves: each cycle has the same percents, one after the other."""
    whole = np.array([values[name] for name in ("cycle", "percent", "first_frame", "last_frame")])
    if not np.isfinite(whole).all():
        raise GaitidError(f"{path}: a cycle without its number, percent or frames", todo="run gaitid run again")
    numbers, first = np.unique(values["cycle"], return_index=True)
    points = len(values["cycle"]) // len(numbers)
    percent = values["percent"][:points]
    if not (
        len(percent) * len(numbers) == len(values["cycle"])
        and np.array_equal(values["percent"], np.tile(percent, len(numbers)))
        and np.array_equal(values["cycle"], np.repeat(values["cycle"][np.sort(first)], points))
        and (np.diff(percent) > 0).all()
    ):
        raise GaitidError(
            f"{path}: its rows are no cycles",
            expected="the same percents in each, one cycle after the other",
            todo="run gaitid run again",
        )
    # ten significant digits are written
    if points < 2 or not np.allclose(percent, np.linspace(0, 100, points), rtol=0, atol=1e-6):
        raise GaitidError(
            f"{path}: its cycles are not whole",
            expected="rows from 0 to 100 % in equal steps",
            found=f"{points} rows from {percent[0]:g} to {percent[-1]:g} %",
            todo="run gaitid run again",
        )
    shaped = {name: of_one.reshape(len(numbers), points) for name, of_one in values.items()}
    marks = {name: shaped[name][:, 0] for name in CYCLE_COLUMNS if name != "side"}
    return CycleCurves(
        numbers=marks["cycle"].astype(np.int64),
        first_frame=marks["first_frame"].astype(np.int64),
        last_frame=marks["last_frame"].astype(np.int64),
        off_percent=marks["foot_off_percent"],
        opposite_off_percent=marks["opposite_off_percent"],
        opposite_strike_percent=marks["opposite_strike_percent"],
        percent=percent,
        columns={name: of_one for name, of_one in shaped.items() if name not in CYCLE_COLUMNS},
    )


def read_features(path: Path) -> tuple[Feature, ...]:
    """The rows of ``features.csv``.

    Raises
    ------
    GaitidError
        One line that begins with the file.
    """
    header, rows = read_rows(path, FEATURE_COLUMNS)
    cells = dict(zip(header, zip(*rows, strict=True), strict=False)) if rows else dict.fromkeys(FEATURE_COLUMNS, ())
    value, percent, frame = (numbers(cells[name], path, name) for name in ("value", "percent", "frame"))
    texts = (cells[name] for name in ("side", "cycle", "feature"))
    return tuple(map(Feature, *texts, value, cells["unit"], percent, frame))
