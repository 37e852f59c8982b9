"""Marker trajectories in TRC, the track row column format of Motion Analysis that OpenSim reads (`docs/csv.md`)."""

from __future__ import annotations

from pathlib import Path

from gaitid.read.tables.marker_table import MarkerTable
from gaitid.read.tables.text_table import Dialect, numbers_of, read_lines
from gaitid.read.tables.trc_layout import take_apart


def read_trc(path: Path) -> MarkerTable:
    """The markers of a TRC file.

    Raises
    ------
    ReadError
        What is wrong with the file, in one line.
    """
    layout = take_apart(read_lines(path, "TRC", any_encoding=True))
    columns = ["Frame#", "Time", *(f"{label} {axis}" for label in layout.labels for axis in "XYZ")]
    return MarkerTable(
        "TRC",
        layout.labels,
        numbers_of(layout.rows, layout.first_row, columns, Dialect("\t")),
        layout.first_row,
        layout.number("datarate"),
        "DataRate",
        layout.header.get("units", ""),
        "Units",
        layout.decimals,
        notes=layout.notes,
    )
