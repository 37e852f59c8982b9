"""Marker trajectories in TRC, the track row column format of Motion Analysis that OpenSim reads (`docs/csv.md`).

Layout after the OpenSim user's guide ("Marker (.trc) files"): three rows of header, a row of labels (one for three
columns), a row X1 Y1 Z1 X2 …, perhaps a blank row, then frame, time and coordinates separated by tabs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Note, Notes
from gaitid.read.labels import listed, printable, subject_and_name
from gaitid.read.plates import Plates, unused_plates
from gaitid.read.tables.csv_plain import read_forces
from gaitid.read.tables.row_times import check_counts_by_one, even_rate, whole_numbers
from gaitid.read.tables.text_table import CUT_SHORT, Dialect, check_names, is_blank, numbers_of, read_lines, refuse_gap
from gaitid.read.units import LENGTH_M, factor
from gaitid.trial import Array, Trial

# Rows above the coordinates, without the blank one.
_HEADER_ROWS = 5
# A printed time may lie this far, in sampling intervals, from what DataRate says: 0.5 ms at 500 Hz.
_OFF_GRID = 0.25
# DataRate is often rounded (60 for 59.94 Hz): the times decide where they differ by less than this, else nothing does.
_RATE_TOLERANCE = 0.01


def read_trc(path: Path, forces: Path | None = None, plates: Path | None = None) -> Trial:
    """Read a trial from TRC.

    Parameters
    ----------
    path : Path
        Markers.
    forces : Path, optional
        Forces beside it: ``.mot``, ``.sto`` or plain CSV, by the same clock.
    plates : Path, optional
        YAML with the plates' corners, origins and force sense: needed with CSV forces.

    Returns
    -------
    Trial

    Raises
    ------
    ReadError, ModelError
        What is wrong with a file, in one line.
    """
    lines = read_lines(path, "TRC")
    header = _header(lines)
    labels, names = _labels(lines)
    columns = ["Frame#", "Time", *(f"{label} {axis}" for label in labels for axis in "XYZ")]
    rows = [i for i in range(_HEADER_ROWS, len(lines)) if not is_blank(lines[i])]
    if not rows:
        raise ReadError("no rows below the header")
    first, last = rows[0], rows[-1]
    refuse_gap(lines, first, last, "frame")
    for key, count, what in (("nummarkers", len(labels), "markers"), ("numframes", len(rows), "frames")):
        if key in header and _number(header, key) != count:
            declared = f"{_number(header, key):g} (as its header says)"
            raise ReadError(
                f"the header disagrees with the {what}", expected=declared, found=str(count), todo=CUT_SHORT
            )
    values = numbers_of(lines[first : last + 1], first + 1, columns, Dialect("\t"))
    frames = whole_numbers(values[:, 0], first + 1, "Frame#")
    check_counts_by_one(frames, first + 1, "Frame#")
    times = values[:, 1]
    rate, rate_notes = _rate(_number(header, "datarate"), times, first + 1)
    stored = values[:, 2:].reshape(len(values), len(labels), 3) * factor(header["units"], LENGTH_M, "Units")
    if forces is not None:
        loads = read_forces(forces, plates, (float(times[0]), float(times[-1])))
    else:
        loads = Plates(notes=unused_plates(plates, "there are no forces"))
    points_g, marker_notes = _seen(stored, labels)
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=int(frames[0]),
        labels=labels,
        points_g=points_g,
        plates=loads.usable,
        refused_plates=loads.refused,
        assignments=loads.assignments,
        names=names,
        origin={"format": "TRC", "length_unit": printable(header["units"])},
        notes=(*rate_notes, *loads.notes, *marker_notes),
    )


def _header(lines: list[str]) -> dict[str, str]:
    """Values of the header by their keys, in lower case."""
    if not lines[0].strip().lower().startswith("pathfiletype") or len(lines) < _HEADER_ROWS:
        wanted = "PathFileType in the first row, then DataRate …, labels, X1 Y1 Z1 …"
        raise ReadError("not a TRC file", expected=wanted, found=repr(lines[0].strip()[:12]))
    keys, cells = ([cell.strip() for cell in line.split("\t")] for line in lines[1:3])
    header = {key.lower(): value for key, value in zip(keys, cells) if key}
    lacking = [key for key in ("DataRate", "Units") if not header.get(key.lower())]
    if lacking:
        raise ReadError(f"the header lacks {' and '.join(lacking)}", expected="keys in row 2, their values in row 3")
    return header


def _number(header: Mapping[str, str], key: str) -> float:
    try:
        number = float(header[key])
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        wanted = "digits and a decimal point"
        raise ReadError(f"header, {key}: no number above 0", expected=wanted, found=short(header[key]))
    return number


def _labels(lines: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the markers without ``Subject:``, and the subjects."""
    cells = [cell.strip() for cell in lines[3].split("\t")]
    axes = lines[4].split()
    if len(cells) < 2 or not cells[0].lower().startswith("frame") or cells[1].lower() != "time":
        raise ReadError("row 4 does not name the columns", expected="Frame#, Time and the markers", found=listed(cells))
    given = [cell for cell in cells[2:] if cell]
    if not given:
        raise ReadError("no markers", expected="labels in row 4")
    check_names(given)
    wanted = [axis for _ in given for axis in "XYZ"]
    if len(axes) != len(wanted) or any(not re.fullmatch(rf"{w}\d*", a.upper()) for w, a in zip(wanted, axes)):
        raise ReadError(
            "rows 4 and 5 disagree",
            expected=f"X, Y, Z for each of {len(given)} labels",
            found=f"{len(axes)} columns: {printable(' '.join(axes[:3]))} …",
            todo="give every marker a label, and its columns in the order X, Y, Z",
        )
    subjects, labels = zip(*map(subject_and_name, given), strict=True)
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        raise ReadError(f"labels given twice: {listed(twice)}", expected="one subject, each marker once")
    return labels, tuple(sorted({*subjects} - {""}))


def _rate(declared: float, times: Array, first_row: int) -> tuple[float, Notes]:
    """Rate, Hz, by the header where the times agree with it."""
    grid = times[0] + np.arange(len(times)) / declared
    if (np.abs(times - grid) * declared <= _OFF_GRID).all():
        return declared, ()
    rate = even_rate(times, first_row, column="Time")
    header, column = f"{declared:g} Hz", f"{rate:.6g} Hz"
    if not abs(rate / declared - 1) <= _RATE_TOLERANCE:
        what = "DataRate disagrees with the column Time"
        raise ReadError(what, expected=header, found=column, todo="correct the header")
    text = f"DataRate is {header}, but by the column Time it is {column}, which is used"
    return rate, (Note("file_repaired", text),)


def _seen(points: Array, labels: tuple[str, ...]) -> tuple[Array, Notes]:
    """The positions with NaN where a marker lacks a coordinate; many programs write 0 0 0 there."""
    seen = np.isfinite(points).all(axis=2)
    zero = seen & (np.abs(points).max(axis=2) == 0)
    points_g = np.where((seen & ~zero)[..., None], points, np.nan)
    if not zero.any():
        return points_g, ()
    names = [f"{label} ({n})" for label, n in zip(labels, zero.sum(axis=0)) if n]
    text = f"markers exactly at the origin count as not seen (frames): {listed(names)}"
    return points_g, (Note("reading_info", text),)
