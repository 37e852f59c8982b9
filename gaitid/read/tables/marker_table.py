"""A table of marker trajectories, of whichever program -> `Trial`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.model.settings import ReaderSettings
from gaitid.notes import Notes, note
from gaitid.read.labels import listed, printable
from gaitid.read.length_unit import length_unit
from gaitid.read.subjects import best_copies, choose_subject
from gaitid.read.tables.row_times import Integers, check_counts_by_one, even_rate, whole_numbers
from gaitid.read.units import LENGTH_M, factor
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
