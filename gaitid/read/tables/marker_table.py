"""Tables of marker trajectories, of OptiTrack Motive and of whichever program -> `Trial`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note
from gaitid.read.length_unit import LENGTH_M, factor, length_unit
from gaitid.read.subjects import best_copies, choose_subject, listed, printable
from gaitid.read.tables.row_times import Integers, check_counts_by_one, even_rate, whole_numbers
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
from gaitid.read.unseen import without_unseen
from gaitid.records import frozen_dataclass
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
