"""Plain CSV: one header row whose columns carry their units, markers and forces below it (`docs/csv.md`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError, reading
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note, phrase
from gaitid.read.length_unit import FORCE_N, LENGTH_M, MOMENT_NM, refuse_other_unit
from gaitid.read.plates import TEMPLATE_FROM, Plates, unused_plates
from gaitid.read.subjects import listed, without_unseen
from gaitid.read.tables.loads import read_anc, read_cortex_forces
from gaitid.read.tables.marker_table import read_qtm_forces
from gaitid.read.tables.mot import read_mot
from gaitid.read.tables.row_times import check_counts_by_one, even_rate, start_after, whole_numbers
from gaitid.read.tables.text_table import open_table
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Trial

_MARKER = re.compile(r"(?P<name>.+)_(?P<axis>[xyz])_(?P<unit>mm|cm|m)")
_FORCE = re.compile(r"plate(?P<number>\d+)_(?:F(?P<force>[xyz])_N|M(?P<moment>[xyz])_(?P<unit>Nmm|Nm))")
#: Files of forces beside a trial, by their suffixes, and what reads them; plain CSV is read here.
_FORCES = {
    ".csv": None,
    ".mot": read_mot,
    ".sto": read_mot,
    ".forces": read_cortex_forces,
    ".anc": read_anc,
    ".tsv": read_qtm_forces,
}
_TIME = re.compile(r"(?:t|time)(?:[ _(\[]*(?:m?s|sec|seconds)[)\]]?)?", re.IGNORECASE)
_NO_UNIT = re.compile(r"plate\d+_[FM][xyz]", re.IGNORECASE)
_MARKER_NO_UNIT = re.compile(r"(?P<name>.+)_(?P<axis>[xyz])")


@frozen_dataclass(eq=False)
class _Table:
    """Columns of one file by what they mean; values in SI units.

    Attributes
    ----------
    first_row : int
        Number of the first data row in the file.
    n_rows : int
    frame, time_s : (rows,) array or None
    markers : dict of str to (rows, 3) array, m
    forces : dict of int to ((rows, 3) array, (rows, 3) array), N and N·m
        Force and moment as recorded, by the plate's number.
    length_column, length_unit : str
        Of a marker, and in what.
    units_named : bool
        Whether every marker's column names its unit.
    """

    first_row: int
    n_rows: int
    frame: Array | None
    time_s: Array | None
    markers: dict[str, Array]
    forces: dict[int, tuple[Array, Array]]
    length_column: str = ""
    length_unit: str = ""
    units_named: bool = True


def read_plain_csv(
    path: Path, forces: Path | None = None, plates: Path | None = None, settings: ReaderSettings | None = None
) -> Trial:
    """Read a trial from plain CSV.

    Parameters
    ----------
    path : Path
        Markers, and possibly forces at the same rate.
    forces : Path, optional
        Forces at their own rate, with their own time (`read_forces`).
    plates : Path, optional
        YAML with the plates' corners, origins and force sense: needed where there are forces in CSV.
    settings : ReaderSettings, optional
        The unit of columns that name none, and the rate where there are no times.

    Returns
    -------
    Trial

    Raises
    ------
    ReadError, ModelError
        What is wrong with a file, in one line.
    """
    settings = settings or ReaderSettings()
    table = _read_table(path, settings.point_unit)
    if not table.markers:
        todo = "give the file of the markers, and that of the forces with --forces"
        raise ReadError("no markers", expected="columns such as LASI_x_mm, LASI_y_mm, LASI_z_mm", todo=todo)
    rate, times = _rate(table, settings.point_rate_hz)
    first_frame = 1
    if table.frame is not None:
        frames = whole_numbers(table.frame, table.first_row, "frame")
        check_counts_by_one(frames, table.first_row, "frame")
        first_frame = int(frames[0])
    if forces is None:
        loads = _plates(table, rate, 0.0, plates)
    elif table.forces:
        both = f"plate columns here and in {forces.name}"
        raise ReadError("forces are given twice", found=both, todo="leave out --forces, or those columns")
    else:
        loads = read_forces(forces, plates, (float(times[0]), float(times[-1])))
    labels = tuple(table.markers)
    points_g, lost = without_unseen(np.stack([table.markers[label] for label in labels], axis=1), 1.0, labels)
    if table.units_named:
        said = f"in the names of its columns, as {table.length_column}"
        refuse_other_unit(points_g, table.length_unit, said, "end the names of the columns with _")
    else:
        refuse_other_unit(points_g, table.length_unit, "that --set point_unit gives", "give --set point_unit=")
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=first_frame,
        labels=labels,
        points_g=points_g,
        plates=loads.usable,
        refused_plates=loads.refused,
        assignments=loads.assignments,
        origin={"format": "plain CSV"},
        notes=(*loads.notes, *lost, *_unused(table, settings)),
    )


def _unused(table: _Table, settings: ReaderSettings) -> Notes:
    """That a setting is not needed: the table says itself what it would say."""
    given = {
        "--set point_unit": (settings.point_unit, table.units_named, "columns of CSV carry their units"),
        "--set point_rate_hz": (settings.point_rate_hz, table.time_s is not None, "the column time_s tells the rate"),
        "--subject-prefix": (settings.subject_prefix, True, "a CSV file holds one subject"),
    }
    return tuple(
        note("input_unused/option", option=option, why=why)
        for option, (value, unused, why) in given.items()
        if value is not None and unused
    )


def read_forces(path: Path, plates: Path | None, cameras_s: tuple[float, float]) -> Plates:
    """Forces of a file of their own: plain CSV, or what another program wrote.

    Parameters
    ----------
    path : Path
        Of one of the suffixes `_FORCES`.
    plates : Path or None
        The plates file: needed for CSV. Of ``.anc`` the calibration.
    cameras_s : (float, float)
        Times of the first and the last camera frame by the clock of the trial, which both files share.

    Returns
    -------
    Plates

    Raises
    ------
    ReadError, ModelError
        What is wrong with a file, in one line.
    """
    suffix, where = path.suffix.lower(), f"{path.name}: "
    with reading(where):
        if suffix not in _FORCES:
            known = " or ".join(_FORCES)
            raise ReadError(f"the suffix {path.suffix!r} is not known for forces", expected=known)
        if (reader := _FORCES[suffix]) is not None:
            return reader(path, plates, cameras_s)
        table = _read_table(path)
        if table.markers:
            names = listed(list(table.markers))
            raise ReadError("markers among the forces", expected="plate columns only", found=names)
        if not table.forces:
            raise ReadError("no forces", expected="columns such as plate1_Fx_N and plate1_Mx_Nm")
        rate, times = _rate(table)
        start_s, notes = start_after(times, cameras_s, where)
        loads = _plates(table, rate, start_s, plates)
    return replace(loads, notes=(*notes, *loads.notes))


def _read_table(path: Path, unit: str | None = None) -> _Table:
    table = open_table(path)
    columns, meanings = table.columns, _meanings(table.columns, unit)
    values = table.numbers("frame")

    def vector(kind: str, name: str) -> Array:
        parts = [meanings[kind, name, axis] for axis in "xyz"]
        return np.stack([values[:, column] * factor for column, factor in parts], axis=1)

    def single(name: str) -> Array | None:
        return values[:, columns.index(name)] if name in columns else None

    names = {(kind, name): None for kind, name, _ in meanings}  # in the file's order
    lengths = [columns[i] for (kind, _, _), (i, _) in meanings.items() if kind == "marker"]
    first_unit = _MARKER.fullmatch(lengths[0]) if lengths else None
    return _Table(
        first_row=table.first_row,
        n_rows=len(values),
        frame=single("frame"),
        time_s=single("time_s"),
        markers={name: vector("marker", name) for kind, name in names if kind == "marker"},
        forces={int(name): (vector("F", name), vector("M", name)) for kind, name in names if kind == "F"},
        length_column=lengths[0] if lengths else "",
        length_unit=first_unit["unit"] if first_unit else unit or "",
        units_named=all(map(_MARKER.fullmatch, lengths)),
    )


def _meanings(columns: Sequence[str], unit: str | None) -> dict[tuple[str, str, str], tuple[int, float]]:
    """(``marker``, ``F`` or ``M``; name or plate number; axis) -> column and factor to SI."""
    result: dict[tuple[str, str, str], tuple[int, float]] = {}
    faults: list[str] = []
    seen: set[str] = set()
    if nameless := [column for column in columns if unit is None and _marker_without_unit(column)]:
        some = f"{nameless[0]!r} and {len(nameless) - 1} more say" if len(nameless) > 1 else f"{nameless[0]!r} says"
        faults.append(f"{some} no unit: end each with _mm, _cm or _m, or give --set point_unit=mm, cm or m")
    for i, column in enumerate(columns):
        key, scale = _meaning(column, unit)
        if not column:
            faults.append(f"column {i + 1} has no name (an index of pandas? Write it with index=False)")
        elif column in seen or key in result:
            faults.append(f"{column!r} is given twice")
        elif key is not None:
            result[key] = (i, scale)
        elif column not in ("frame", "time_s", *nameless):
            what = "is not known"
            if _TIME.fullmatch(column):
                what = "is no time in seconds: name it time_s, and give it in seconds"
            elif _NO_UNIT.fullmatch(column):
                what = "says no unit: end it with _N, _Nm or _Nmm"
            faults.append(f"{column!r} {what}")
        seen.add(column)
    for what, kinds in (("marker ", {"marker": ""}), ("plate", {"F": "F", "M": "M"})):
        for name in dict.fromkeys(name for kind, name, _ in result if kind in kinds):
            lacking = [of + axis for kind, of in kinds.items() for axis in "xyz" if (kind, name, axis) not in result]
            if lacking:
                faults.append(f"{what}{name} lacks {', '.join(lacking)}")
    if faults:
        raise ReadError(
            f"columns: {listed(faults)}",
            expected="frame, time_s, NAME_x_mm (or _cm, _m), plate1_Fx_N, plate1_Mx_Nm (or _Nmm)",
        )
    return result


def _marker_without_unit(column: str) -> re.Match[str] | None:
    return None if _MARKER.fullmatch(column) or _NO_UNIT.fullmatch(column) else _MARKER_NO_UNIT.fullmatch(column)


def _meaning(column: str, unit: str | None) -> tuple[tuple[str, str, str] | None, float]:
    force = _FORCE.fullmatch(column)
    if force:
        number = str(int(force["number"]))
        if force["force"]:
            return ("F", number, force["force"]), FORCE_N["n"]
        return ("M", number, force["moment"]), MOMENT_NM[force["unit"].lower()]
    marker = _MARKER.fullmatch(column)
    if marker:
        return ("marker", marker["name"], marker["axis"]), LENGTH_M[marker["unit"]]
    bare = _marker_without_unit(column) if unit else None
    return (("marker", bare["name"], bare["axis"]), LENGTH_M[unit]) if bare and unit else (None, 1.0)


def _rate(table: _Table, given_hz: float | None = None) -> tuple[float, Array]:
    """Rate, Hz, and (rows,) times, s."""
    if table.time_s is None and given_hz is not None:
        return float(given_hz), np.arange(table.n_rows) / given_hz
    if table.time_s is None:
        found = "frame" if table.frame is not None else "neither frame nor time_s"
        wanted, todo = "a column time_s, in seconds", "add time_s"
        if table.markers:
            todo += ", or give the rate with --set point_rate_hz=HZ"
        raise ReadError("the rate is not known", expected=wanted, found=found, todo=todo)
    return even_rate(table.time_s, table.first_row), table.time_s


def _plates(table: _Table, rate: float, start_s: float, plates: Path | None) -> Plates:
    """The plates of a table's force columns, with their geometry from a plates file."""
    loads = table.forces
    if not loads:
        return Plates(notes=unused_plates(plates, phrase("read/no_columns")))
    if plates is None:
        raise ReadError(
            "forces, but nothing says where the plates are",
            expected="corners, origin and force_sense of each plate",
            todo=f"give them with --plates FILE.yaml; {TEMPLATE_FROM}",
        )
    # YAML: only where there is such a file
    from gaitid.read.plates.plates_file import distinct_plates, plate_from, read_plates_file

    geometries = {g.number: g for g in read_plates_file(plates)}
    if not geometries.keys() >= loads.keys():
        raise ReadError(
            f"{plates.name} does not describe every plate",
            expected=f"plates {', '.join(map(str, sorted(loads)))}",
            found=", ".join(map(str, sorted(geometries))),
        )
    unused = sorted(geometries.keys() - loads.keys())
    notes: Notes = tuple(note("input_unused/no_force_columns", plates=(n,), file=plates.name) for n in unused)
    usable = []
    for number in sorted(loads):
        plate, plate_notes = plate_from(geometries[number], rate, *loads[number])
        usable.append(replace(plate, start_s=start_s))
        notes += plate_notes
    distinct, repeated = distinct_plates(plates, usable)
    return Plates(distinct, notes=(*notes, *repeated))
