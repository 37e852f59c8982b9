"""Tables (TSV) of Qualisys Track Manager: markers, and in files of their own the forces on each plate (`docs/csv.md`).

After the manual of QTM ("Export to TSV format": a key and its values a row, then a row for each frame or sample) and
public programs that read such files. The manual shows a force as that on the plate, in the plate's axes (z down) or
the laboratory's ("Force data information"); which of both, and in what unit the moments are, the numbers tell: by them
the centre of pressure must be the one that stands beside them, and a foot only pushes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ReadError, reading
from gaitid.notes import Note, Notes, note, phrase
from gaitid.read.assignments import read_together
from gaitid.read.length_unit import LENGTH_M
from gaitid.read.plates import Plates
from gaitid.read.plates.plates_file import AXES, PRESSURE_M, PlateGeometry, geometry_of, pressure_off
from gaitid.read.subjects import listed, printable
from gaitid.read.tables.loads import Load, Loads, plates_of
from gaitid.read.tables.marker_table import MarkerTable
from gaitid.read.tables.text_table import Dialect, check_names, filled, numbers_of, positive, read_lines, rows_below
from gaitid.records import NamedTuple
from gaitid.trial import Array, Event

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
    values: dict[object, object] = {
        "number": number,
        "corners_mm": [corners[i : i + 3] for i in (0, 3, 6, 9)],
        "force_sense": "reaction",
    }
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
