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
from dataclasses import replace
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import median
from gaitid.read.labels import listed, printable
from gaitid.read.plates import LOADED_N, Plates, refusals
from gaitid.read.plates.repeated import without_repeated
from gaitid.read.tables.row_times import decimals_of, even_rate, start_after
from gaitid.read.tables.text_table import (
    Dialect,
    check_names,
    filled,
    numbers_of,
    read_lines,
    refuse_gap,
    with_points,
    without_cut_row,
)
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Assignment, ForcePlate, Mask

MOT_SUFFIXES = (".mot", ".sto")

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
# The floor is taken as level: the mean force must lie this near a laboratory axis (the cosine; 0.8 is 37°).
_UPRIGHT = 0.8
# No walkway's load lies farther from the laboratory's origin, m: the points would be in another unit.
_FAR_M = 100.0


@frozen_dataclass(eq=False)
class _Group:
    """One force of the file.

    Attributes
    ----------
    number : int
        In the order of the file, from 1.
    name : str
        Its first column, for messages.
    tag : str
        What tells its columns from those of the other groups.
    force_g : (n, 3) array, N
    point_g : (n, 3) array, m, or None
    moment_g : (n, 3) array, N·m, or None
        About the point; about the laboratory's origin where there is none.
    names : tuple of str
        The columns of the force, for messages.
    """

    number: int
    name: str
    tag: str
    force_g: Array
    point_g: Array | None
    moment_g: Array | None
    names: tuple[str, str, str]

    def loaded(self) -> Mask:
        """(n,) where the force is surely one of a foot."""
        return np.asarray(norm(self.force_g) > LOADED_N)

    def moment_about(self, centre_g: Array) -> Array:
        """(n, 3) moment of the force about a point, N·m: M_c = (p − c) × f + T."""
        arm = (np.zeros(3) if self.point_g is None else self.point_g) - centre_g
        # A force of 0 has no moment, wherever (or nowhere) its point is said to be.
        arm = np.where(self.force_g.any(axis=1, keepdims=True), arm, 0.0)
        return np.cross(arm, self.force_g) + (0.0 if self.moment_g is None else self.moment_g)


def read_mot(path: Path, plates: Path | None, cameras_s: tuple[float, float]) -> Plates:
    """Read the forces of an OpenSim motion file, each as one plate, numbered in the order of the file.

    The file says where each force acts but not where plates end. Without a plates file such a plate has no outline:
    its surface is level, at right angles to the laboratory axis along which the forces push, at the median height of
    the points where they act.

    Parameters
    ----------
    path : Path
    plates : Path or None
        Corners and sense of the forces, for those plates that it describes; forces are in laboratory axes.
    cameras_s : (float, float)
        Times of the first and the last camera frame by the file's clock.

    Returns
    -------
    Plates

    Raises
    ------
    ReadError, ModelError
        What is wrong with a file, in one line.
    """
    where = f"{path.name}: "
    table = motion_table(path)
    columns, values, first_row = table.columns, table.values, table.first_row
    names = [name.lower() for name in columns]
    if "time" not in names:
        raise ReadError("no column 'time'", found=listed(columns))
    times = values[:, names.index("time")]
    rate = even_rate(times, first_row, "time", resolution_s=table.resolution_s)
    groups, refused, notes = _groups(columns, values, where)
    notes += tuple(n._replace(text=where + n.text) for n in table.notes)
    start_s, start_notes = start_after(times, cameras_s, where)
    outlined, outline_notes = _outlined(groups, plates, rate, where)
    others = [g for g in groups if g.number not in {p.number for p in outlined}]
    try:
        level, level_notes = _without_outline(others, rate, where)
    except ReadError as error:
        level, level_notes = [], ()
        refused |= {g.number: error.line() for g in others}
    usable = sorted((*outlined, *level), key=lambda plate: plate.number)
    if plates is None:
        distinct, repeated = without_repeated(usable)
    else:
        from gaitid.read.plates.plates_file import distinct_plates

        distinct, repeated = distinct_plates(plates, usable)
    return Plates(
        usable=tuple(replace(plate, start_s=start_s) for plate in distinct),
        refused=refused,
        assignments=tuple(_assignments(groups, path.name)),
        notes=(*notes, *start_notes, *outline_notes, *level_notes, *repeated, *refusals(refused)),
    )


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
    rows = [i for i in filled(lines) if i >= end]
    if len(rows) < 2:
        raise ReadError("no rows below the header")
    start, last = rows[1], rows[-1]
    refuse_gap(rows[1:], "sample")
    body = [lines[rows[0]], *with_points(lines[start : last + 1])]
    # Tabs separate cells, which may then be empty; a file without them is separated by blanks.
    if "\t" in body[0].strip() and "\t" in body[1].strip():
        body = [line.lstrip() for line in body]  # some programs begin a row with a separator
    else:
        body = ["\t".join(line.split()) for line in body]
    columns = [cell.strip() for cell in body[0].rstrip().split("\t")]
    check_names(columns)
    cells, notes = without_cut_row(body[1:], complete=last + 1 < len(lines))
    values = numbers_of(cells, start + 1, columns, Dialect("\t"))
    for key, what in _COUNTS.items():
        count = str(len(values) if what == "rows" else len(columns))
        if header.get(key, count) != count:
            says = printable(header[key])
            notes += (note("file_repaired/mot_header", says=says, what=what, key=key, count=count),)
    at = next((i for i, column in enumerate(columns) if column.lower() == "time"), 0)
    decimals = max(decimals_of(row.split("\t", at + 1)[at]) for row in cells)
    in_degrees = {"yes": True, "no": False}.get(header.get("indegrees", "").lower())
    return MotionTable(columns, values, start + 1, 10.0**-decimals, notes, in_degrees)


def _end_of_header(lines: Sequence[str]) -> int:
    """The first row that may name columns: behind ``endheader``, else the one that begins with ``time``."""
    for i, line in enumerate(lines):
        if line.strip().lower() == "endheader":
            return i + 1
    for i, line in enumerate(lines[:_HEADER_WITHIN]):
        if line.lower().split()[:1] == ["time"]:
            return i
    raise ReadError("not an OpenSim motion file", expected="a header that ends with endheader")


def _groups(columns: Sequence[str], values: Array, where: str) -> tuple[list[_Group], dict[int, str], Notes]:
    """The file's forces, and why others cannot be used."""
    parts, others = _parts(columns)
    notes: Notes = (note("reading_info/columns", where=where, columns=listed(others)),) if others else ()
    groups: list[_Group] = []
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
) -> _Group:
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
    group = _Group(number, name, tag, vectors["force"], vectors.get("point"), vectors.get("moment"), (x, y, z))
    if group.point_g is not None and np.nanmax(np.abs(group.point_g[group.loaded()]), initial=0.0) > _FAR_M:
        far = f"its force acts more than {_FAR_M:g} m from the laboratory's origin"
        raise ReadError(far, expected="metres", todo="write the points in metres")
    return group


def _outlined(groups: Sequence[_Group], path: Path | None, rate: float, where: str) -> tuple[list[ForcePlate], Notes]:
    """Plates whose edges a plates file knows."""
    if path is None:
        return [], ()
    from gaitid.read.plates.plates_file import plate_from, read_plates_file  # YAML: only where there is such a file

    by_number = {group.number: group for group in groups}
    plates = []
    notes: Notes = ()
    for geometry in read_plates_file(path):
        if geometry.number not in by_number:
            notes += (note("input_unused/no_forces", plates=(geometry.number,), where=where, file=path.name),)
            continue
        group = by_number[geometry.number]
        moment = group.moment_about(geometry.corners_g.mean(axis=0))
        # The motion file itself says in which axes and about which point; the plates file says the rest.
        laboratory = replace(geometry, axes="laboratory", moment_about="surface_centre")
        plate, plate_notes = plate_from(laboratory, rate, group.force_g, moment)
        plates.append(replace(plate, channels=group.names))
        notes += plate_notes
    return plates, notes


def _without_outline(groups: Sequence[_Group], rate: float, where: str) -> tuple[list[ForcePlate], Notes]:
    """Plates of which only a level surface is known.

    Raises
    ------
    ReadError
        Nothing says which way is up.
    """
    if not groups:
        return [], ()
    R_gp = _level_axes(groups)
    up = -R_gp[:, 2]
    plates = []
    heights = []
    for group in groups:
        centre = _surface_point(group, groups)
        heights.append(f"plate {group.number} ({group.name} …) at {centre @ up:.4g} m")
        plates.append(
            ForcePlate(
                number=group.number,
                kind=2,
                corners_g=np.full((4, 3), np.nan),
                sensor_p=np.zeros(3),
                rate_hz=rate,
                force_p=group.force_g @ R_gp,
                moment_p=group.moment_about(centre) @ R_gp,
                R_gp=R_gp,
                centre_g=centre,
                channels=group.names,
                R_pc=R_gp.T,
            )
        )
    axis = int(np.argmax(np.abs(up)))
    upward = f"{'+' if up[axis] > 0 else '-'}{'xyz'[axis]}"
    return plates, (note("reading_assumed/no_outline", where=where, up=upward, heights=heights),)


def _level_axes(groups: Sequence[_Group]) -> Array:
    """(3, 3) axes of level plates: z down, against the mean force of the ground, x along the floor's first axis.

    Raises
    ------
    ReadError
        Nothing loads them, or the load pushes along no laboratory axis.
    """
    loaded = np.concatenate([group.force_g[group.loaded()] for group in groups])
    if not len(loaded):
        largest = max(float(np.nanmax(norm(group.force_g), initial=0.0)) for group in groups)
        raise ReadError(
            f"no force above {LOADED_N:g} N says which way is up",
            found=f"at most {largest:.3g} N",
            todo="write the forces in newtons, or give the corners with --plates",
        )
    mean = loaded.mean(axis=0)
    axis = int(np.argmax(np.abs(mean)))
    if abs(mean[axis]) < _UPRIGHT * np.linalg.norm(mean):
        raise ReadError(
            "the forces push along no laboratory axis, so that the surface is not known",
            found=f"a mean of ({', '.join(f'{v:.0f}' for v in mean)}) N",
            todo="give the corners with --plates",
        )
    x, z = np.zeros(3), np.zeros(3)
    x[1 if axis == 0 else 0], z[axis] = 1.0, -np.sign(mean[axis])
    return np.column_stack([x, np.cross(z, x), z])


def _surface_point(group: _Group, groups: Sequence[_Group]) -> Array:
    """(3,) a point of a plate's surface, m: the median of where its force acts under load, hence of its height.

    That of all forces where this one never loads or has no points; the laboratory's origin where none has.
    """
    for candidates in ([group], groups):
        points = [g.point_g[g.loaded()] for g in candidates if g.point_g is not None]
        known = np.concatenate([p[np.isfinite(p).all(axis=1)] for p in (np.empty((0, 3)), *points)])
        if len(known):
            return median(known)
    return np.zeros(3)


def _assignments(groups: Sequence[_Group], name: str) -> list[Assignment]:
    """Of the forces whose columns name a foot, such as ``ground_force_r_vx`` or ``left_ground_force_vx``."""
    assignments = []
    for group in groups:
        words = set(group.tag.split("_"))
        feet = [foot for foot in ("left", "right") if words & {foot, foot[0]}]
        if len(feet) == 1 and "hand" not in words:
            assignments.append(Assignment(group.number, feet[0], f"columns {group.name} … of {name}"))
    return assignments
