"""Marker trajectories in TRC, the track row column format of Motion Analysis that OpenSim reads."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from operator import ne
from pathlib import Path

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.read.length_unit import LENGTH_M, plain
from gaitid.read.subjects import listed, printable
from gaitid.read.tables.marker_table import MarkerTable
from gaitid.read.tables.row_times import decimals_of
from gaitid.read.tables.text_table import Dialect, check_names, filled, numbers_of, positive, read_lines, rows_below
from gaitid.records import frozen_dataclass

# Rows in which the one that names the columns is looked for.
_LABELS_WITHIN = 20
_AXIS = re.compile(r"([XYZ])_?(\d*)", re.IGNORECASE)
# Frame and time, before the coordinates.
_BEFORE = 2


@frozen_dataclass(eq=False)
class Layout:
    """A TRC file's text, taken apart.

    Attributes
    ----------
    header : mapping of str to str
        Values by their keys, in lower case.
    labels : tuple of str
        Of the markers, each with its three columns.
    rows : sequence of str
        Of frame, time and coordinates, separated by tabs, one cell a column.
    first_row : int
        Number of the first of these rows in the file, from 1.
    notes : Notes
        Where the file says of itself what it does not hold.
    """

    header: Mapping[str, str]
    labels: tuple[str, ...]
    rows: Sequence[str]
    first_row: int
    notes: Notes = ()

    @property
    def decimals(self) -> int:
        """Digits behind the decimal point of the times, the most that a row has."""
        return max(decimals_of(row.split("\t", _BEFORE)[1]) for row in self.rows)

    def number(self, key: str) -> float:
        """A positive number of the header; NaN where it has none."""
        return positive(self.header.get(key, ""))


def take_apart(lines: Sequence[str]) -> Layout:
    """The layout of a file's lines.

    Raises
    ------
    ReadError
        No row names the columns, or labels and columns cannot be brought together.
    """
    at = _label_row(lines)
    header = _header(lines[:at])
    # the labels behind Frame and Time, and the columns in which they stand
    given = [(i, cell.strip()) for i, cell in enumerate(_cells(lines[at])) if cell.strip()][_BEFORE:]
    check_names([label for _, label in given])
    axes_at = next((i for i in filled(lines) if i > at), at)
    axes = _axes(lines[axes_at])
    rows, first_row, notes = rows_below(lines, 1 + (at if axes is None else axes_at), "frame")
    declared = {str(len(axes) // 3) if axes else "", header.get("nummarkers", "")}
    n_markers = max([len(given), *(n for n in [len(_placed(given))] if str(n) in declared)])
    rows, width = _even(rows, _BEFORE + 3 * n_markers)
    labels, label_notes = _labels(given, width, declared)
    columns = _BEFORE + 3 * len(labels)
    rows = ["\t".join((row + "\t" * columns).split("\t")[:columns]) for row in rows]
    layout = Layout(header, labels, rows, first_row)
    return Layout(header, labels, rows, first_row, (*notes, *label_notes, *_stale(layout)))


def _label_row(lines: Sequence[str]) -> int:
    """The row that begins with Frame and Time."""
    for i, line in enumerate(lines[:_LABELS_WITHIN]):
        names = [cell.strip().lower() for cell in _cells(line) if cell.strip()]
        if len(names) > 1 and names[0].startswith("frame") and names[1].startswith("time"):
            if len(names) == 2:
                raise ReadError("no markers", expected="labels behind Frame# and Time")
            return i
    if not lines[0].strip().lower().startswith("pathfiletype") or len(lines) < 4:
        wanted = "PathFileType in the first row, then DataRate …, labels, X1 Y1 Z1 …"
        raise ReadError("not a TRC file", expected=wanted, found=repr(lines[0].strip()[:12]))
    found = listed([cell.strip() for cell in _cells(lines[3])])
    raise ReadError("row 4 does not name the columns", expected="Frame#, Time and the markers", found=found)


def _cells(line: str) -> list[str]:
    """Cells between tabs, or between blanks where there is no tab."""
    return line.split("\t") if "\t" in line.strip() else line.split()


def _header(lines: Sequence[str]) -> dict[str, str]:
    """Values by their keys: under them, or, where tabs are doubled, the first under the first and so on."""
    for keys_line, values_line in zip(lines, lines[1:]):
        keys = [cell.strip().lower() for cell in _cells(keys_line)]
        if not {"datarate", "units", "nummarkers", "numframes"} & set(keys):
            continue
        values = [cell.strip() for cell in _cells(values_line)]
        known_keys, known_values = [key for key in keys if key], [value for value in values if value]
        if len(known_keys) == len(known_values):
            keys, values = known_keys, known_values
        header = {key: value for key, value in zip(keys, values) if key and value}
        units = [value for value in known_values if plain(value) in LENGTH_M]
        if plain(header.get("units", "")) not in LENGTH_M and len(units) == 1:
            header["units"] = units[0]
        return header
    return {}


def _axes(line: str) -> list[str] | None:
    """The axes of a row X1 Y1 Z1 …; None where it is none.

    One wrong cell among the three of a marker (``X2 Y2 X2``) is a slip of the pen: two other columns show the order.

    Raises
    ------
    ReadError
        They come in another order.
    """
    cells = line.split()
    matches = [_AXIS.fullmatch(cell) for cell in cells]
    if sum(m is not None for m in matches) <= len(cells) / 2:
        return None
    axes = [(m[1].upper(), m[2]) if m else ("", "") for m in matches]
    letters = [axis for axis, _ in axes]
    if len(axes) % 3 == 0 and all(sum(map(ne, letters[i : i + 3], "XYZ")) < 2 for i in range(0, len(axes), 3)):
        return letters
    for (one, number), (other, next_number) in zip(axes, axes[1:]):
        goes_on = one + other in ("XY", "YZ", "XZ") if number else one + other in ("XY", "YZ", "ZX")
        if number == next_number and not goes_on:
            found = f"{len(axes)} columns: {printable(' '.join(line.split()[:6]))} …"
            todo = "give every marker a label, and its columns in the order X, Y, Z"
            raise ReadError("the row of axes is not X, Y, Z for each label", found=found, todo=todo)
    return letters


def _even(rows: Sequence[str], wanted: int) -> tuple[Sequence[str], int]:
    """The rows with one tab between cells that mean something, and how many such cells the longest has.

    Columns that are empty in every row, beyond those `wanted`, come from doubled tabs; of those that belong to a
    marker that was never seen there are three beside each other.
    """
    while all(row.startswith("\t") for row in rows):
        rows = [row[1:] for row in rows]
    if all(not any(cell.strip() for cell in row.split("\t")[1::2]) for row in rows):
        rows = ["\t".join(row.split("\t")[::2]) for row in rows]
    rows = [row.rstrip() for row in rows]
    width = 1 + max(row.count("\t") for row in rows)
    if width <= wanted and (width - _BEFORE) % 3 == 0 and "".join(rows[0].split("\t")[1:2]).strip():
        return rows, width
    cells = [[cell.strip() for cell in row.split("\t")] for row in rows]
    extra = _extra([all(i >= len(row) or not row[i] for row in cells) for i in range(width)], wanted)
    if extra:
        rows = ["\t".join(cell for i, cell in enumerate(row) if i not in extra) for row in cells]
    return rows, width - len(extra)


def _extra(empty: Sequence[bool], wanted: int) -> set[int]:
    """Which empty columns are no marker's; none where their number does not come out."""
    columns = [i for i, is_empty in enumerate(empty) if is_empty]
    time = [i for i, is_empty in enumerate(empty) if not is_empty][1:2]
    runs: list[list[int]] = []
    for i in columns:
        if runs and runs[-1][-1] == i - 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    beyond = {i for run in runs for i in (run if run[0] < min(time, default=0) else run[: len(run) % 3])}
    for extra in (beyond, set(columns)):
        left = len(empty) - len(extra)
        if left <= wanted and (left - _BEFORE) % 3 == 0:
            return extra
    return set()


def _placed(given: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The labels, one for three columns: each by where it stands, if that is above the first of three, else in order.

    An empty one is that of a marker above which nothing stands.
    """
    places = [(i - _BEFORE) / 3 for i, _ in given]
    if any(place % 1 for place in places):
        return tuple(label for _, label in given)
    labels = [""] * (int(places[-1]) + 1)
    for place, (_, label) in zip(places, given, strict=True):
        labels[int(place)] = label
    return tuple(labels)


def _labels(given: Sequence[tuple[int, str]], width: int, declared: set[str]) -> tuple[tuple[str, ...], Notes]:
    """The label of each three columns: by the column above which each stands, else in their order, else by blanks
    between them.

    Parameters
    ----------
    given : sequence of (int, str)
        Column and label.
    width : int
        Of the rows, in cells, without those at their ends that are empty throughout.
    declared : set of str
        Numbers of markers as the header and the row of axes say them.
    """
    n_columns = math.ceil((width - _BEFORE) / 3)
    placed, in_order = _placed(given), tuple(label for _, label in given)
    for labels in dict.fromkeys((placed, in_order, tuple(" ".join(in_order).split()))):
        unnamed, surplus, count = labels.count(""), width - _BEFORE - 3 * len(labels), str(len(labels))
        # cells behind the last marker that was seen may be left out; what stands behind them is nobody's where header
        # and axes count as many markers as there are labels
        if n_columns == len(labels) or (count in declared if surplus < 0 else declared - {""} == {count}):
            notes = (note("file_incomplete/no_label", n=unnamed),) if unnamed else ()
            columns = f"{surplus} behind those of the last label"
            return labels, (
                *notes,
                *((note("reading_info/columns", where="", columns=columns),) if surplus > 0 else ()),
            )
    raise ReadError(
        "labels and columns disagree",
        expected=f"X, Y, Z for each of {len(in_order)} labels",
        found=f"{width - _BEFORE} columns of coordinates",
        todo="give every marker a label, and its columns in the order X, Y, Z",
    )


def _stale(layout: Layout) -> Notes:
    """Where the header counts other than the rows do."""
    notes: Notes = ()
    counts = (("nummarkers", len(layout.labels), "markers"), ("numframes", len(layout.rows), "frames"))
    for key, count, what in counts:
        declared = layout.number(key)
        if key in layout.header and declared != count:
            says = printable(layout.header[key])
            notes += (note("file_repaired/trc_header", says=says, what=what, count=count, short=declared > count),)
    return notes


def read_trc(path: Path) -> MarkerTable:
    """The markers of a TRC file.

    Raises
    ------
    ReadError
        What is wrong with the file, in one line.
    """
    layout = take_apart(read_lines(path, "TRC", any_encoding=True))
    columns = ["Frame#", "Time", *(f"{label} {axis}" for label in layout.labels for axis in "XYZ")]
    return MarkerTable(
        "TRC",
        layout.labels,
        numbers_of(layout.rows, layout.first_row, columns, Dialect("\t")),
        layout.first_row,
        layout.number("datarate"),
        "DataRate",
        layout.header.get("units", ""),
        "Units",
        layout.decimals,
        notes=layout.notes,
    )
