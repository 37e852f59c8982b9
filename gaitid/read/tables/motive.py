"""Markers in the CSV that OptiTrack Motive exports (`docs/csv.md`).

After Motive's manual ("Data Export: CSV") and public programs that read such files: a row of keys and values, rows
Type, Name, ID (and Parent), a row that tells positions from rotations, the axes, then a row for each frame. Versions
differ in whether the rows are named in their second cell, and in further columns (TimeCode, errors).
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

from gaitid.errors import ReadError
from gaitid.notes import note
from gaitid.read.labels import listed
from gaitid.read.tables.marker_table import MarkerTable
from gaitid.read.tables.text_table import (
    Dialect,
    cells_of,
    check_names,
    is_blank,
    numbers_of,
    positive,
    read_lines,
    rows_below,
)

# Rows in which the one of the axes is looked for.
_HEADER_WITHIN = 20
# What a marker is: seen, or where the solved skeleton has it, which is taken where the label was not seen as such.
_SEEN, _SOLVED = "marker", "bone marker"
_KINDS = (_SEEN, _SOLVED, "bone", "rigid body", "rigid body marker")
_UNLABELLED = re.compile(r"(.*:)?unlabell?ed\b", re.IGNORECASE)
_EXPORT = "export it from Motive again, with Markers, in global coordinates"


def read_motive(path: Path) -> MarkerTable:
    """The labelled markers of an export of Motive.

    Raises
    ------
    ReadError
        What is wrong with the file, in one line.
    """
    lines = read_lines(path, any_encoding=True)
    dialect = Dialect(next((sign for sign in ";\t" if sign in lines[0]), ","))
    # as tables with tabs: a comma that is left then is a decimal sign
    lines = ["\t".join(cells_of(line, dialect)).replace(",", ".") for line in lines]
    head, *above = (line.split("\t") for line in lines[:_HEADER_WITHIN] if not is_blank(line))
    said = {key.lower(): value for key, value in pairwise(head)}
    at = next((i for i, row in enumerate(above) if row[0].lower() == "frame"), 0)
    kinds_at = next((i for i, row in enumerate(above[:at]) if {*_KINDS} & {cell.lower() for cell in row}), at)
    if kinds_at > at - 3:
        raise ReadError("its columns are not named", expected="rows Type, Name, …, Frame, Time, X, Y, Z", todo=_EXPORT)
    if said.get("coordinate space", "global").lower() != "global":
        raise ReadError("positions in the axes of a parent", expected="Coordinate Space Global", todo=_EXPORT)
    axes = [cell.lower() for cell in above[at]]
    n = len(axes)
    kinds, names, measures = ((above[i] + [""] * n)[:n] for i in (kinds_at, kinds_at + 1, at - 1))

    def positions(kind: str) -> dict[int, str]:
        whole = [i for i in range(2, n - 2) if axes[i : i + 3] == ["x", "y", "z"] and kinds[i].lower() == kind]
        labelled = [i for i in whole if not _UNLABELLED.match(names[i])]
        return {i: names[i] for i in labelled if measures[i : i + 3] == ["Position"] * 3}

    seen = positions(_SEEN)
    kept = seen | {i: name for i, name in positions(_SOLVED).items() if name not in seen.values()}
    others = {(kinds[i], names[i]) for i in range(2, n) if kinds[i] and not {i, i - 1, i - 2} & {*kept}}
    left_out = [f"{count} {kind}" for kind, count in sorted(Counter(kind for kind, _ in others).items())]
    if not kept:
        raise ReadError("no labelled markers", expected="columns of type Marker", found=listed(left_out), todo=_EXPORT)
    check_names([*kept.values()])
    header = next(i for i, line in enumerate(lines) if line.lower().startswith("frame\t"))
    rows, first_row, notes = rows_below(lines, header + 1, "frame")
    time = next((i for i, axis in enumerate(axes) if axis.startswith("time") and "sec" in axis), 1)
    pick = itemgetter(0, time, *(i + k for i in kept for k in range(3)))
    # a row that is too short is refused below
    cells = ["\t".join(pick(row.split("\t"))) if row.count("\t") >= n - 1 else "" for row in rows]
    columns = ["Frame", "Time", *(f"{name} {axis}" for name in kept.values() for axis in "XYZ")]
    if left_out:
        notes += (note("reading_info/columns", where="", columns=listed(left_out)),)
    return MarkerTable(
        "Motive CSV",
        [*kept.values()],
        numbers_of(cells, first_row, columns, Dialect("\t")),
        first_row,
        positive(said.get("export frame rate", said.get("capture frame rate", ""))),
        "Frame Rate",
        said.get("length units", ""),
        "Length Units",
        notes=notes,
    )
