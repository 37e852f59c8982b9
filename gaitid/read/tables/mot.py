"""Forces on the feet from an OpenSim motion file (``.mot``, ``.sto``): ``ground_force_*`` columns (`docs/csv.md`).

The header and the names of the columns after the OpenSim user's guide ("Motion (.mot) files", "Preparing data") and
the tools that write such files: each force has a vector ``_vx`` … in N, the point ``_px`` … where it acts, in m, and a
torque about that point in N·m, all in laboratory axes and on the body that they are applied to (OpenSim's
``ExternalForce``). A group of columns is told from the others by what stands before, within or after these names:
``1_ground_force_vx``, ``ground_force_r_vx``, ``ground_force_calcn_r_mx``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.read.plates import Plates
from gaitid.read.subjects import listed, printable
from gaitid.read.tables.loads import Load, Loads, plates_of
from gaitid.read.tables.row_times import decimals_of, even_rate
from gaitid.read.tables.text_table import Dialect, check_names, filled, numbers_of, read_lines, rows_below
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Assignment

_COLUMN = re.compile(
    r"(?:(?P<before>.+?)_)?ground_(?:reaction_)?(?P<what>force|torque|moment)(?P<number>\d*)_(?:(?P<inside>.+?)_)?"
    r"(?P<kind>[vpm]?)(?P<axis>[xyz])(?:_(?P<after>.+))?",
    re.IGNORECASE,
)
# Without the ground, a number has to say that a column is of a force plate: force1_vx, torque1_x.
_SHORT = re.compile(
    r"(?P<before>)(?P<what>force|torque|moment)_?(?P<number>\d+)_(?P<inside>)(?P<kind>[vpm]?)(?P<axis>[xyz])(?P<after>)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\s*(\w+)\s*[=\s]\s*(\S+)")
# Rows in which the names of columns are looked for where the header has no end.
_HEADER_WITHIN = 50
_COUNTS = {"nrows": "rows", "datarows": "rows", "ncolumns": "columns", "datacolumns": "columns"}
# No walkway's load lies farther from the laboratory's origin, m: the points would be in another unit.
_FAR_M = 100.0


def read_mot(path: Path, plates: Path | None, cameras_s: tuple[float, float]) -> Plates:
    """Read the forces of an OpenSim motion file, numbered in its order (`loads.plates_of`)."""
    where = f"{path.name}: "
    table = motion_table(path)
    names = [name.lower() for name in table.columns]
    if "time" not in names:
        raise ReadError("no column 'time'", found=listed(table.columns))
    times = table.values[:, names.index("time")]
    rate = even_rate(times, table.first_row, "time", resolution_s=table.resolution_s)
    groups, refused, notes = _groups(table.columns, table.values, where)
    notes += tuple(n._replace(text=where + n.text) for n in table.notes)
    assignments = tuple(_assignments(groups, path.name))
    return plates_of(Loads(where, groups, rate, times, (), refused, assignments, notes), plates, cameras_s)


@frozen_dataclass(eq=False)
class MotionTable:
    """The table of a motion or storage file.

    Attributes
    ----------
    columns : list of str
    values : (rows, columns) array
    first_row : int
        Number of the first row of values in the file.
    resolution_s : float
        Of the last digit of the times.
    notes : Notes
        Where the header counts other than the rows do, and a last row that was cut.
    in_degrees : bool or None
        Whether its angles are degrees; None where the header does not say it.
    """

    columns: list[str]
    values: Array
    first_row: int
    resolution_s: float
    notes: Notes
    in_degrees: bool | None = None


def motion_table(path: Path) -> MotionTable:
    """Read the table of a motion or storage file, whatever it holds.

    Raises
    ------
    ReadError
        Not such a file, or damaged, in one line.
    """
    lines = read_lines(path, "MOT", any_encoding=True)
    end = _end_of_header(lines)
    header = {m[1].lower(): m[2] for m in map(_HEADER.match, lines[:end]) if m}
    if header.get("datatype", "double").lower() != "double":
        what, todo = f"DataType={printable(header['datatype'])}", "flatten the table before it is written"
        raise ReadError(f"{what} is not read", expected="one number a cell", todo=todo)
    names_at = next((i for i in filled(lines) if i >= end), end)
    cells, first_row, notes = rows_below(lines, names_at + 1, "sample")
    cells = [row.lstrip() for row in cells]  # some programs begin a row with a separator
    names = lines[names_at].strip()
    columns = [cell.strip() for cell in (names.split("\t") if "\t" in names else names.split())]
    check_names(columns)
    values = numbers_of(cells, first_row, columns, Dialect("\t"))
    for key, what in _COUNTS.items():
        count = str(len(values) if what == "rows" else len(columns))
        if header.get(key, count) != count:
            says = printable(header[key])
            notes += (note("file_repaired/mot_header", says=says, what=what, key=key, count=count),)
    at = next((i for i, column in enumerate(columns) if column.lower() == "time"), 0)
    decimals = max(decimals_of(row.split("\t", at + 1)[at]) for row in cells)
    in_degrees = {"yes": True, "no": False}.get(header.get("indegrees", "").lower())
    return MotionTable(columns, values, first_row, 10.0**-decimals, notes, in_degrees)


def _end_of_header(lines: Sequence[str]) -> int:
    """The first row that may name columns: behind ``endheader``, else the one that begins with ``time``."""
    for i, line in enumerate(lines):
        if line.strip().lower() == "endheader":
            return i + 1
    for i, line in enumerate(lines[:_HEADER_WITHIN]):
        if line.lower().split()[:1] == ["time"]:
            return i
    raise ReadError("not an OpenSim motion file", expected="a header that ends with endheader")


def _groups(columns: Sequence[str], values: Array, where: str) -> tuple[list[Load], dict[int, str], Notes]:
    """The file's forces, and why others cannot be used."""
    parts, others = _parts(columns)
    notes: Notes = (note("reading_info/columns", where=where, columns=listed(others)),) if others else ()
    groups: list[Load] = []
    refused: dict[int, str] = {}
    for number, (tag, quantities) in enumerate(parts.items(), start=1):
        name = columns[min(i for axes in quantities.values() for i in axes.values())]
        try:
            groups.append(_group(number, name, columns, tag, quantities, values))
        except ReadError as error:
            refused[number] = f"{where}{name} …: {error.line()}"
    for group in groups:
        if group.point_g is None:
            notes += (note("reading_assumed/force_without_point", where=where, column=group.name),)
        if group.moment_g is None:
            notes += (note("reading_assumed/no_torque", where=where, column=group.name),)
    return groups, refused, notes


#: Axis to column, by quantity (``force``, ``point``, ``moment``), by what tells the columns of one force from others.
_Parts = dict[str, dict[str, dict[str, int]]]


def _parts(columns: Sequence[str]) -> tuple[_Parts, list[str]]:
    """The columns of each force, and those that are none."""
    parts: _Parts = {}
    others: list[str] = []
    for i, column in enumerate(columns):
        match = _COLUMN.fullmatch(column) or _SHORT.fullmatch(column)
        what, kind = (match["what"].lower(), match["kind"].lower()) if match else ("", "")
        if not match or (kind == "p" and what != "force"):  # ground_torque_px makes no sense
            others += [column] if column.lower() != "time" else []
            continue
        # ground_torque_x, ground_moment_mx, ground_torque_calcn_r_vx
        quantity = {"p": "point", "m": "moment"}.get(kind, "force" if what == "force" else "moment")
        tag = "_".join(filter(None, (match["before"], match["number"], match["inside"], match["after"]))).lower()
        axes = parts.setdefault(tag, {}).setdefault(quantity, {})
        axis = match["axis"].lower()
        if axis in axes:
            raise ReadError(f"columns {columns[axes[axis]]!r} and {column!r} say the same")
        axes[axis] = i
    if not parts:
        wanted = "columns such as ground_force_vx, ground_force_px"
        raise ReadError("no forces", expected=wanted, found=listed(others))
    return parts, others


def _group(
    number: int, name: str, columns: Sequence[str], tag: str, quantities: Mapping[str, Mapping[str, int]], values: Array
) -> Load:
    """ReadError unless the moment of the force about every point follows from what is given."""
    vectors: dict[str, Array] = {}
    for quantity, axes in quantities.items():
        lacking = [axis for axis in "xyz" if axis not in axes]
        if lacking:
            raise ReadError(f"its {quantity} lacks {', '.join(lacking)}")
        vectors[quantity] = values[:, [axes[axis] for axis in "xyz"]]
    if "force" not in vectors:
        raise ReadError("no force", expected="columns ground_force_vx, _vy, _vz")
    if len(vectors) == 1:
        raise ReadError("neither its point nor its moment is given", expected="ground_force_px … or ground_torque_x …")
    x, y, z = (columns[quantities["force"][axis]] for axis in "xyz")
    group = Load(number, name, tag, vectors["force"], vectors.get("point"), vectors.get("moment"), (x, y, z))
    if group.point_g is not None and np.nanmax(np.abs(group.point_g[group.loaded()]), initial=0.0) > _FAR_M:
        far = f"its force acts more than {_FAR_M:g} m from the laboratory's origin"
        raise ReadError(far, expected="metres", todo="write the points in metres")
    return group


def _assignments(groups: Sequence[Load], name: str) -> list[Assignment]:
    """Of the forces whose columns name a foot, such as ``ground_force_r_vx`` or ``left_ground_force_vx``."""
    assignments = []
    for group in groups:
        words = set(group.tag.split("_"))
        feet = [foot for foot in ("left", "right") if words & {foot, foot[0]}]
        if len(feet) == 1 and "hand" not in words:
            assignments.append(Assignment(group.number, feet[0], f"columns {group.name} … of {name}"))
    return assignments
