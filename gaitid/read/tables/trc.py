"""Marker trajectories in TRC, the track row column format of Motion Analysis that OpenSim reads (`docs/csv.md`)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note
from gaitid.read.labels import listed, printable
from gaitid.read.length_unit import length_unit
from gaitid.read.plates import Plates, unused_plates
from gaitid.read.subjects import best_copies, choose_subject
from gaitid.read.tables.csv_plain import read_forces
from gaitid.read.tables.row_times import Integers, check_counts_by_one, even_rate, whole_numbers
from gaitid.read.tables.text_table import Dialect, numbers_of, read_lines
from gaitid.read.tables.trc_layout import take_apart
from gaitid.read.units import LENGTH_M, factor
from gaitid.read.unseen import without_unseen
from gaitid.trial import Array, Mask, Trial

# A printed time may lie this far, in sampling intervals, from what DataRate says: 0.5 ms at 500 Hz.
_OFF_GRID = 0.25
# DataRate is often rounded (60 for 59.94 Hz): the times decide where they differ by less than this, else nothing does.
_RATE_TOLERANCE = 0.01


def read_trc(
    path: Path, forces: Path | None = None, plates: Path | None = None, settings: ReaderSettings | None = None
) -> Trial:
    """Read a trial from TRC.

    Parameters
    ----------
    path : Path
        Markers.
    forces : Path, optional
        Forces beside it: ``.mot``, ``.sto`` or plain CSV, by the same clock.
    plates : Path, optional
        YAML with the plates' corners, origins and force sense: needed with CSV forces.
    settings : ReaderSettings, optional

    Returns
    -------
    Trial

    Raises
    ------
    ReadError, ModelError
        What is wrong with a file, in one line.
    """
    settings = settings or ReaderSettings()
    layout = take_apart(read_lines(path, "TRC", any_encoding=True))
    columns = ["Frame#", "Time", *(f"{label} {axis}" for label in layout.labels for axis in "XYZ")]
    values = numbers_of(layout.rows, layout.first_row, columns, Dialect("\t"))
    times = values[:, 1]
    rate, rate_notes = _rate(layout.number("datarate"), times, layout.first_row, 10.0**-layout.decimals)
    frames, frame_notes = _frames(whole_numbers(values[:, 0], layout.first_row, "Frame#"), layout.first_row)
    stored, marker_notes = without_unseen(values[:, 2:].reshape(len(values), len(layout.labels), 3), 0.0, layout.labels)
    seen: Mask = np.asarray(np.isfinite(stored).all(axis=2))
    subject = choose_subject(layout.labels, seen, settings.subject_prefix)
    stored = stored[:, list(subject.points)]
    unit, unit_notes = length_unit(layout.header.get("units", ""), settings.point_unit, stored, "Units")
    metre = factor(unit, LENGTH_M, "Units")
    copies = best_copies(subject.labels, stored, metre)
    if copies.differing:
        raise ReadError(f"labels given twice: {listed(copies.differing)}", expected="each marker once, or copies of it")
    read_labels = tuple(subject.labels[i] for i in copies.order)
    points_g, far_notes = without_unseen(stored[:, list(copies.order)] * metre, 1.0, read_labels)
    if forces is not None:
        loads = read_forces(forces, plates, (float(times[0]), float(times[-1])))
    else:
        loads = Plates(notes=unused_plates(plates, "there are no forces"))
    notes = (*layout.notes, *rate_notes, *frame_notes, *subject.notes, *unit_notes, *loads.notes, *marker_notes)
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=int(frames[0]),
        labels=read_labels,
        points_g=points_g,
        plates=loads.usable,
        refused_plates=loads.refused,
        assignments=loads.assignments,
        names=tuple(sorted(subject.subjects)),
        origin={"format": "TRC", "length_unit": printable(unit)},
        notes=(*notes, *copies.notes, *far_notes),
    )


def _frames(frames: Integers, first_row: int) -> tuple[Integers, Notes]:
    """The frames' numbers, which count by one; or by another number throughout, where only every so many are kept."""
    steps = np.diff(frames)
    if not steps.size or steps[0] < 2 or (steps != steps[0]).any():
        check_counts_by_one(frames, first_row, "Frame#")
        return frames, ()
    return frames, (note("file_repaired/frame_numbers", step=steps[0], first=frames[0]),)


def _rate(declared: float, times: Array, first_row: int, resolution_s: float) -> tuple[float, Notes]:
    """Rate, Hz, by the header where the times agree with it; `declared` is NaN where it says none."""
    if math.isnan(declared):
        rate = even_rate(times, first_row, column="Time", resolution_s=resolution_s)
        return rate, (note("reading_assumed/trc_rate", rate_hz=rate),)
    grid = times[0] + np.arange(len(times)) / declared
    if (np.abs(times - grid) * declared <= _OFF_GRID).all():
        return declared, ()
    rate = even_rate(times, first_row, column="Time", resolution_s=resolution_s, near_hz=declared)
    if rate == declared:
        return declared, ()
    header, column = f"{declared:g} Hz", f"{rate:.6g} Hz"
    if not abs(rate / declared - 1) <= _RATE_TOLERANCE:
        what = "DataRate disagrees with the column Time"
        raise ReadError(what, expected=header, found=column, todo="correct the header")
    return rate, (note("file_repaired/trc_rate", declared_hz=declared, rate_hz=rate),)
