"""The sections of a Nexus CSV export: title, rate, names, axes, units, rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import field
from pathlib import Path
from reprlib import repr as short

import numpy as np

from gaitid.errors import ReadError, reading
from gaitid.read.length_unit import factor
from gaitid.read.subjects import listed, printable
from gaitid.read.tables.row_times import Integers, check_counts_by_one, whole_numbers
from gaitid.read.tables.text_table import Dialect, cells_of, check_names, numbers_of, read_lines
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, read_only

# Sections whose form is known; others may be there (Joints, Segments, Events) and are kept as text.
NUMERIC = ("Devices", "Trajectories", "Model Outputs", "Joints", "Segments")
_TITLES = (*NUMERIC, "Events")
_CANONICAL = {title.lower(): title for title in _TITLES}
_HEAD = re.compile(
    rf"^\ufeff?[\s,;]*(?:{'|'.join(_TITLES)})[\s,;]*?\n[\s,;\"]*(?:\d+(?:[.,]\d+)?\"?[ \t,;]*(?:\n|$)|subject\b)",
    re.IGNORECASE,
)
# Rows above the data: title, rate, names, axes, units.
_HEADER = 5


@frozen_dataclass(eq=False)
class NexusGroup:
    """The columns under one name.

    Attributes
    ----------
    label : str
        As the file has it: ``Subject:LASI``, ``… Force Plate #1 - Force``.
    start : int
        Index of its first column, from 0, after Frame and Sub Frame.
    axes, units : tuple of str
        ``X``, ``Fx``, ``RX``, …; and what is below them.
    """

    label: str
    start: int
    axes: tuple[str, ...]
    units: tuple[str, ...]

    def factor(self, table: dict[str, float]) -> float:
        """What to multiply the columns by to have SI; ReadError without one known unit for all of them."""
        units = tuple(dict.fromkeys(self.units))
        if len(units) != 1 or not units[0]:
            raise ReadError(
                f"{self.label}: no single unit",
                expected="one unit for its columns, in the row below their names",
                found=listed([unit or "an empty cell" for unit in units]),
            )
        return factor(units[0], table, self.label)


@frozen_dataclass(eq=False)
class NexusSection:
    """One section.

    Attributes
    ----------
    title : str
    rate_hz : float
        NaN where the section has no such row.
    groups : tuple of NexusGroup
    first_row : int
        Number of its first data row in the file, from 1.
    frames, sub_frames : (n,) arrays of int
    values : (n, columns) array
        Without Frame and Sub Frame, in the file's units; NaN where a cell is empty.
    rows : tuple of tuple of str
        Cells of a section whose form is not known.
    """

    title: str
    rate_hz: float = float("nan")
    groups: tuple[NexusGroup, ...] = ()
    first_row: int = 0
    frames: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sub_frames: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    values: Array = field(default_factory=lambda: np.empty((0, 0)))
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def n_rows(self) -> int:
        return int(self.frames.size)

    def columns(self, group: NexusGroup) -> Array:
        """(n, axes) values of one group, in the file's units."""
        return self.values[:, group.start : group.start + len(group.axes)]

    def check_frames(self) -> None:
        """ReadError where frames do not count by 1."""
        with reading(f"{self.title}: "):
            check_counts_by_one(self.frames, self.first_row, "Frame")


def is_nexus_csv(first_lines: str) -> bool:
    """Whether a file that begins so is a Nexus export: a section's title, then its rate, each alone in a row."""
    return _HEAD.match(first_lines.replace("\r\n", "\n").replace("\r", "\n")) is not None


def read_nexus_sections(path: Path, only: Collection[str] | None = None) -> dict[str, NexusSection]:
    """The sections of an export by title, in the file's order.

    Parameters
    ----------
    path : Path
    only : collection of str, optional
        Titles of the sections whose numbers are wanted; of the others the title is kept.

    Raises
    ------
    ReadError
        Not an export, a section given twice, or a damaged header, row or cell.
    """
    lines = read_lines(path)
    dialect = _dialect(lines)
    result: dict[str, NexusSection] = {}
    for title, start, end in _blocks(lines):
        if title in result:
            raise ReadError(f"row {start + 1}: a second section {printable(title)}", expected="one of each")
        if only is not None and title in NUMERIC and title not in only:
            result[title] = NexusSection(title)
        elif title in NUMERIC:
            with reading(f"{title}: "):
                result[title] = _section(title, lines, start, end, dialect)
        else:
            rows = tuple(tuple(cells_of(line, dialect)) for line in lines[start + 1 : end])
            result[title] = NexusSection(title, rows=rows)
    if not result:
        raise ReadError("not a Nexus export", expected=f"a section {', '.join(NUMERIC[:3])}")
    return result


def _dialect(lines: list[str]) -> Dialect:
    for line in lines:
        match = re.match(r'\s*"?frame"?\s*([,;\t])', line, re.IGNORECASE)
        if match:
            return Dialect(match[1], decimal_comma=match[1] != ",")
    return Dialect()


def _blocks(lines: list[str]) -> list[tuple[str, int, int]]:
    """(title, first row, end) of every section: from a title alone in its row to a blank line or the next."""
    blocks: list[tuple[str, int, int]] = []
    title, start = "", 0
    for i, line in enumerate([*lines, ""]):
        alone = line.strip(' \t,;"')
        is_title = line[:1].isalpha() or line[:1] == '"'
        is_title = is_title and not any(mark in alone for mark in ",;\t")
        is_title = is_title and (not title or alone.lower() in _CANONICAL)  # a new one only after a blank line
        if title and (is_title or not alone):
            blocks.append((_CANONICAL.get(title.lower(), title), start, i))
            title = ""
        elif not title and alone and not is_title:
            raise ReadError(
                f"row {i + 1} belongs to no section",
                expected=f"a title such as {', '.join(NUMERIC[:3])}",
                found=repr(line[:40]),
            )
        if is_title:
            title, start = alone, i
    return blocks


def _section(title: str, lines: list[str], start: int, end: int, dialect: Dialect) -> NexusSection:
    if end - start < _HEADER:
        raise ReadError("cut short", expected="rows of rate, names, axes and units below the title")
    rate_row, names, axes, units = (cells_of(line, dialect) for line in lines[start + 1 : start + _HEADER])
    while axes and not axes[-1]:
        axes.pop()
    n = len(axes)
    if [cell.lower() for cell in axes[:2]] != ["frame", "sub frame"]:
        what = f"row {start + 4}: not the header of a Nexus section"
        raise ReadError(what, expected="Frame, Sub Frame, …", found=listed(axes))
    try:
        rate = float(rate_row[0].replace(",", "."))
    except ValueError:
        rate = 0.0
    if not 0 < rate < np.inf:
        raise ReadError("no rate", expected="Hz below the title", found=short(rate_row[0]))
    if units[0]:
        raise ReadError("no row of units", expected="mm, N, … below the axes", found=listed(units))
    names, units = (row[:n] + [""] * (n - len(row)) for row in (names, units))
    starts = [i for i in range(2, n) if names[i]]
    if n > 2 and starts[:1] != [2]:
        raise ReadError("column 3 has no name", expected="a name above its axes")
    check_names([*names, *axes, *units])
    groups = tuple(
        NexusGroup(names[a], a - 2, tuple(axes[a:b]), tuple(units[a:b]))
        for a, b in zip(starts, [*starts[1:], n], strict=True)
    )
    column_names = ["Frame", "Sub Frame", *(f"{g.label} {axis}" for g in groups for axis in g.axes)]
    first_row = start + _HEADER + 1
    values = numbers_of(lines[start + _HEADER : end], first_row, column_names, dialect)
    return NexusSection(
        title=title,
        rate_hz=rate,
        groups=groups,
        first_row=first_row,
        frames=whole_numbers(values[:, 0], first_row, "Frame"),
        sub_frames=whole_numbers(values[:, 1], first_row, "Sub Frame"),
        values=read_only(values[:, 2:]),
    )
