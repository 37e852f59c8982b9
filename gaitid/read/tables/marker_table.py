"""Tables of marker trajectories, of OptiTrack Motive and of whichever program -> `Trial`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import nan
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ReadError, reading
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Note, Notes, note, phrase
from gaitid.read.assignments import read_together
from gaitid.read.length_unit import LENGTH_M, factor, length_unit
from gaitid.read.plates import Plates
from gaitid.read.plates.plates_file import AXES, PRESSURE_M, PlateGeometry, geometry_of, pressure_off
from gaitid.read.subjects import best_copies, choose_subject, listed, printable, without_unseen
from gaitid.read.tables.loads import Load, Loads, plates_of
from gaitid.read.tables.row_times import Integers, check_counts_by_one, even_rate, whole_numbers
from gaitid.read.tables.text_table import (
    Dialect,
    cells_of,
    check_names,
    filled,
    is_blank,
    numbers_of,
    positive,
    read_lines,
    rows_below,
)
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Event, Mask, Trial

# A printed time may lie this far, in sampling intervals, from what the header says: 0.5 ms at 500 Hz.
_OFF_GRID = 0.25
# That rate is often rounded (60 for 59.94 Hz): the times decide where they differ by less than this, else nothing does.
_RATE_TOLERANCE = 0.01


@frozen_dataclass(eq=False)
class MarkerTable:
    """Markers as a program wrote them.

    Attributes
    ----------
    kind : str
        What the file is, for the record.
    labels : sequence of str
        As the file has them; empty where a marker has none.
    values : (rows, 2 + 3 labels) array
        Frame, time in s, and the coordinates of each marker in the file's unit; NaN where nothing was seen.
    first_row : int
        Number of the first row in the file, from 1.
    declared_hz : float
        Rate by the header; NaN where it says none.
    rate_key, unit_key : str
        Where the header says the rate and the unit.
    decimals : int
        Digits behind the point of the times.
    unit : str
        By the header; empty where it says none.
    events : tuple of Event
    notes : Notes
    """

    kind: str
    labels: Sequence[str]
    values: Array
    first_row: int
    declared_hz: float
    rate_key: str
    unit: str
    unit_key: str
    decimals: int = 99
    events: tuple[Event, ...] = ()
    notes: Notes = ()


def trial_of(path: Path, table: MarkerTable, settings: ReaderSettings) -> tuple[Trial, tuple[float, float]]:
    """The trial of a table of markers, and the times of its first and last frame by the file's clock.

    Raises
    ------
    ReadError
        What is wrong with the file, in one line.
    """
    values, first_row = table.values, table.first_row
    times = values[:, 1]
    rate, rate_notes = _rate(table, times)
    frames, frame_notes = _frames(whole_numbers(values[:, 0], first_row, "Frame#"), first_row)
    stored, marker_notes = without_unseen(values[:, 2:].reshape(len(values), len(table.labels), 3), 0.0, table.labels)
    seen: Mask = np.asarray(np.isfinite(stored).all(axis=2))
    subject = choose_subject(table.labels, seen, settings.subject_prefix)
    stored = stored[:, list(subject.points)]
    unit, unit_notes = length_unit(table.unit, settings.point_unit, stored, table.unit_key)
    metre = factor(unit, LENGTH_M, table.unit_key)
    copies = best_copies(subject.labels, stored, metre)
    if copies.differing:
        raise ReadError(f"labels given twice: {listed(copies.differing)}", expected="each marker once, or copies of it")
    read_labels = tuple(subject.labels[i] for i in copies.order)
    points_g, far_notes = without_unseen(stored[:, list(copies.order)] * metre, 1.0, read_labels)
    notes = (*table.notes, *rate_notes, *frame_notes, *subject.notes, *unit_notes, *marker_notes)
    trial = Trial(
        path=path,
        rate_hz=rate,
        first_frame=int(frames[0]),
        labels=read_labels,
        points_g=points_g,
        plates=(),
        events=table.events,
        names=tuple(sorted(subject.subjects)),
        origin={"format": table.kind, "length_unit": printable(unit)},
        notes=(*notes, *copies.notes, *far_notes),
    )
    return trial, (float(times[0]), float(times[-1]))


def _frames(frames: Integers, first_row: int) -> tuple[Integers, Notes]:
    """The frames' numbers, which count by one; or by another number throughout, where only every so many are kept."""
    steps = np.diff(frames)
    if not steps.size or steps[0] < 2 or (steps != steps[0]).any():
        check_counts_by_one(frames, first_row, "Frame#")
        return frames, ()
    return frames, (note("file_repaired/frame_numbers", step=steps[0], first=frames[0]),)


def _rate(table: MarkerTable, times: Array) -> tuple[float, Notes]:
    """Rate, Hz, by the header where the times agree with it."""
    declared, key, resolution_s = table.declared_hz, table.rate_key, 10.0**-table.decimals
    if math.isnan(declared):
        rate = even_rate(times, table.first_row, column="Time", resolution_s=resolution_s)
        return rate, (note("reading_assumed/table_rate", key=key, rate_hz=rate),)
    grid = times[0] + np.arange(len(times)) / declared
    if (np.abs(times - grid) * declared <= _OFF_GRID).all():
        return declared, ()
    rate = even_rate(times, table.first_row, column="Time", resolution_s=resolution_s, near_hz=declared)
    if rate == declared:
        return declared, ()
    header, column = f"{declared:g} Hz", f"{rate:.6g} Hz"
    if not abs(rate / declared - 1) <= _RATE_TOLERANCE:
        what = f"{key} disagrees with the column Time"
        raise ReadError(what, expected=header, found=column, todo="correct the header")
    return rate, (note("file_repaired/table_rate", key=key, declared_hz=declared, rate_hz=rate),)


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


_KEY = re.compile(r"([A-Z0-9]+_[A-Z0-9_]+|FREQUENCY|DESCRIPTION|EVENT)\b\s*(.*)")
_AGAIN = "export it again with Include TSV header"
_NAMES = ("Force_X", "Force_Y", "Force_Z")
_MARKERS, _FORCES = "3D", "FORCE"
# What other files of QTM hold, by DATA_INCLUDED, and what to do.
_OTHERS = {
    _FORCES: ("forces on a plate", "give the file of the markers, beside which forces are found"),
    "6D": ("poses of rigid bodies", "export 3D data of the labelled trajectories"),
    "2D": ("2D data of cameras", "export 3D data of the labelled trajectories"),
    _MARKERS: ("trajectories of markers", "give the file of a plate, such as walk_f_1.tsv"),
}
_CORNERS = ("POSX_POSY", "NEGX_POSY", "NEGX_NEGY", "POSX_NEGY")


class _Tsv(NamedTuple):
    """A file taken apart: values by their keys, a row each; names of columns, where it has them; the text of rows."""

    header: Mapping[str, Sequence[Sequence[str]]]
    names: Sequence[str]
    rows: Sequence[str]
    first_row: int
    notes: Notes

    @property
    def rate_hz(self) -> float:
        """NaN where an external clock says it (EXT)."""
        return positive(self.header.get("FREQUENCY", [[""]])[0][0])

    def numbers(self, columns: Sequence[str]) -> Array:
        return numbers_of(self.rows, self.first_row, columns, Dialect("\t"))


def _taken_apart(path: Path, wanted: str) -> _Tsv:
    """ReadError where it is no table of QTM, or holds other data than those `wanted`."""
    lines = read_lines(path, "TSV", any_encoding=True)
    places = filled(lines)
    header: dict[str, list[list[str]]] = {}
    while places and (match := _KEY.match(lines[places[0]])):
        header.setdefault(match[1], []).append([cell.strip() for cell in match[2].rstrip().split("\t")])
        places = places[1:]
    if "DATA_INCLUDED" not in header:
        expected = "rows NO_OF_FRAMES …, FREQUENCY …, DATA_INCLUDED …"
        raise ReadError("not a table of Qualisys Track Manager", expected=expected, todo=_AGAIN)
    holds = header["DATA_INCLUDED"][0][0].upper()
    if holds != wanted:
        what, todo = _OTHERS.get(holds, (printable(holds), _AGAIN))
        raise ReadError(f"a table of {what}", expected=_OTHERS[wanted][0], todo=todo)
    names: list[str] = []
    if places and re.match(r"\s*[^\W\d]", lines[places[0]]):
        names = [cell.strip() for cell in lines[places.pop(0)].rstrip().split("\t")]
        check_names(names)
    rows, first_row, notes = rows_below(lines, places[0] if places else len(lines), "row")
    return _Tsv(header, names, rows, first_row, notes)


def read_qtm(path: Path) -> MarkerTable:
    """The markers of a table of QTM.

    Raises
    ------
    ReadError
        What is wrong with the file, in one line.
    """
    tsv = _taken_apart(path, _MARKERS)
    labels = tsv.header.get("MARKER_NAMES", [[""]])[0]
    check_names(labels)
    if not any(labels):
        raise ReadError("no markers", expected="a row MARKER_NAMES", todo=_AGAIN)
    # those that nobody identified have no name, and come last
    n = min(positive(tsv.header.get("NO_OF_MARKERS", [[""]])[0][0]), (tsv.rows[0].count("\t") + 1) // 3)
    labels = [*labels, *[""] * (0 if np.isnan(n) else int(n) - len(labels))]
    first = [name.lower() for name in tsv.names[:2]]
    if not tsv.names and tsv.rows[0].count("\t") >= 3 * len(labels) + 1:
        first = ["frame", "time"]
    before = [name for name in first if name in ("frame", "time")]
    values = tsv.numbers([*before, *(f"{label} {axis}" for label in labels for axis in "XYZ")])
    rate, count = tsv.rate_hz, np.arange(len(values))
    if "time" not in before and np.isnan(rate):
        raise ReadError("the rate is not known", expected="FREQUENCY in Hz", todo="export the time of every frame too")
    frames = values[:, before.index("frame")] if "frame" in before else 1.0 + count
    times = values[:, before.index("time")] if "time" in before else count / rate
    events = []
    for name, frame, *_ in (row for row in tsv.header.get("EVENT", ()) if len(row) > 1 and row[1].isdecimal()):
        time_s = (int(frame) - frames[0]) * float(times[-1] - times[0]) / max(len(times) - 1, 1)
        events += [Event(printable(name), "general", time_s)] if 0 <= time_s <= times[-1] - times[0] else []
    return MarkerTable(
        "QTM TSV",
        labels,
        np.column_stack([frames, times, values[:, len(before) :]]),
        tsv.first_row,
        rate,
        "FREQUENCY",
        "mm",
        "QTM",
        events=tuple(events),
        notes=tsv.notes,
    )


def read_qtm_forces(path: Path, plates: Path | None, cameras_s: tuple[float, float]) -> Plates:
    """Read the forces of all plates of a trial, of which one's file is given (`loads.plates_of`).

    The first sample of each is taken at the first camera frame.
    """
    loads: list[Load] = []
    geometries: list[PlateGeometry] = []
    notes: Notes = ()
    rate, n = nan, 0
    for file in read_together(path):
        number = int((re.search(r"_f_(\d+)$", file.stem, re.IGNORECASE) or [1, 1])[1])
        with reading("" if file == path else f"{file.name}: "):
            tsv = _taken_apart(file, _FORCES)
            names = [name.lower() for name in tsv.names]
            wanted = [[f"{what}_{axis}" for axis in "xyz"] for what in ("force", "moment", "cop")]
            if lacking := [name for three in wanted for name in three if name not in names]:
                raise ReadError("columns lack", expected=listed(lacking), found=listed(tsv.names), todo=_AGAIN)
            values = tsv.numbers(tsv.names)
            if loads and (rate, n) != (tsv.rate_hz, len(values)):
                raise ReadError("another rate or length than that of the other plate", todo=_AGAIN)
            rate, n = tsv.rate_hz, len(values)
            if np.isnan(rate):
                raise ReadError("the rate is not known", expected="FREQUENCY in Hz")
            of_plate = (values[:, [names.index(name) for name in three]] for three in wanted)
            load, geometry, said = _in_laboratory(tsv, number, *of_plate)
        loads.append(load)
        geometries.append(geometry)
        notes += (*tsv.notes, said)
    times = cameras_s[0] + np.arange(n) / rate
    return plates_of(Loads(f"{path.name}: ", loads, rate, times, geometries, notes=notes), plates, cameras_s)


def _in_laboratory(tsv: _Tsv, number: int, force: Array, moment: Array, cop: Array) -> tuple[Load, PlateGeometry, Note]:
    """The load of a plate in laboratory axes, where the plate is, and what its numbers were taken to mean.

    Parameters
    ----------
    tsv : _Tsv
    number : int
        Of the plate.
    force, moment, cop : (n, 3) array
        As written.
    """
    keys = [f"FORCE_PLATE_CORNER_{corner}_{axis}" for corner in _CORNERS for axis in "XYZ"]
    try:
        corners = [float(tsv.header[key][0][0].replace(",", ".")) for key in keys]
    except (KeyError, ValueError):
        raise ReadError("nothing says where the plate is", expected=f"{keys[0]} …", todo=_AGAIN) from None
    values = {"number": number, "corners_mm": [corners[i : i + 3] for i in (0, 3, 6, 9)], "force_sense": "reaction"}
    plate = geometry_of({**values, "moment_about": "surface_centre"}, "FORCE_PLATE_CORNER")
    centre, R_gp, cop = plate.corners_g.mean(axis=0), plate.R_gp, LENGTH_M["mm"] * cop
    # as DESCRIPTION says it first: both may fit a plate at the laboratory's origin
    order = AXES if "local" in str(tsv.header.get("DESCRIPTION")).lower() else AXES[::-1]
    tries = [*product((1.0, 1e-3), order)]
    cop_g = {"plate": centre + cop @ R_gp.T, "laboratory": cop}
    off = [pressure_off(replace(plate, axes=axes), force, unit * moment, cop_g[axes]) for unit, axes in tries]
    best = min(range(len(tries)), key=lambda i: (max(off[i], PRESSURE_M), i))
    unit, axes = tries[best]
    R = R_gp if axes == "plate" else np.eye(3)
    down = np.nan_to_num(force @ R.T @ R_gp[:, 2])
    sign = -1.0 if down[np.argmax(np.abs(down))] > 0 else 1.0
    force_g, moment_g = sign * force @ R.T, sign * unit * moment @ R.T
    about: dict[str, Any] = {"plates": (number,), "axes": axes}
    if off[best] > PRESSURE_M:
        fits = [phrase("read/fits_none")]
        about |= {"about": plate.moment_about, "off_mm": 1e3 * off[best], "fits": fits}
        said = note("plate_doubtful/device_pressure", **about)
    else:
        told = "DESCRIPTION, no load," if np.isnan(off[best]) else "their own centre of pressure"
        about |= {"unit": "N·m" if unit == 1.0 else "N·mm", "on_plate": sign < 0, "told": told}
        said = note("reading_assumed/qtm_forces", **about)
    load = Load(number, "Force_X", "", force_g, None, moment_g + np.cross(centre, force_g), _NAMES)
    return load, plate, said
