"""CSV as Vicon Nexus exports it: sections Devices, Trajectories, Model Outputs (`docs/csv.md`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gaitid.errors import Names, ReadError
from gaitid.read.labels import listed, printable, subject_and_name
from gaitid.read.length_unit import refuse_other_unit
from gaitid.read.plates import Plates, unused_plates
from gaitid.read.tables.nexus_devices import read_devices
from gaitid.read.tables.nexus_sections import NexusSection, is_nexus_csv, read_nexus_sections
from gaitid.read.units import LENGTH_M
from gaitid.read.unseen import without_unseen
from gaitid.trial import Array, Event, Trial

__all__ = ["is_nexus_csv", "read_nexus_csv", "read_nexus_sections"]

_SIDES = {"left": "left", "right": "right"}


def read_nexus_csv(path: Path, plates: Path | None = None, stored: bool = False) -> Trial:
    """Read a trial from a Nexus CSV export.

    Parameters
    ----------
    path : Path
        With the section ``Trajectories``; ``Devices`` for forces, ``Model Outputs`` for `stored`.
    plates : Path, optional
        YAML with the plates' corners, origins and force sense, which an export does not hold. Without it the
        plates are refused, each with that reason, and the markers are read.
    stored : bool
        Also keep the model outputs, in the file's own units: (frames, 3), or (frames, 9) for segments.

    Returns
    -------
    Trial

    Raises
    ------
    ReadError, ModelError
        What is wrong with a file, in one line.
    """
    wanted = ["Trajectories", "Devices", *(["Model Outputs"] if stored else [])]
    sections = read_nexus_sections(path, only=wanted)
    trajectories = sections.get("Trajectories")
    if trajectories is None:
        raise ReadError(
            "no trajectories",
            expected="a section Trajectories",
            found=listed([section.title for section in sections.values()]),
            todo="export Trajectories too",
        )
    if trajectories.n_rows == 0:
        raise ReadError("the section Trajectories has no rows", expected="a row for every frame")
    if (trajectories.sub_frames != 0).any():
        raise ReadError("Trajectories with sub frames", expected="one row a frame, Sub Frame 0")
    trajectories.check_frames()
    outputs = sections.get("Model Outputs") if stored else None
    names = _one_subject([trajectories] if outputs is None else [trajectories, outputs])
    markers = _markers(trajectories)
    points_g, lost = without_unseen(np.stack(list(markers.values()), axis=1), 1.0, tuple(markers))
    unit = trajectories.groups[0].units[0]
    refuse_other_unit(points_g, unit, f"below the axes of Trajectories ({unit})", "write there ")
    first, rate = int(trajectories.frames[0]), trajectories.rate_hz
    if "Devices" in sections:
        loads = read_devices(sections["Devices"], trajectories, plates)
    else:
        loads = Plates(notes=unused_plates(plates, "the export has no section Devices"))
    return Trial(
        path=path,
        rate_hz=rate,
        first_frame=first,
        labels=tuple(markers),
        points_g=points_g,
        plates=loads.usable,
        refused_plates=loads.refused,
        events=_events(sections, first, rate),
        stored={} if outputs is None else _stored(outputs, trajectories),
        names=names,
        origin={
            "format": "Vicon Nexus CSV export",
            "sections": listed([section.title for section in sections.values()]),
        },
        notes=(*loads.notes, *lost),
    )


def _one_subject(sections: list[NexusSection]) -> tuple[str, ...]:
    """Names of subjects, at most one: markers of two cannot be told apart once the prefixes are gone."""
    prefixes = dict.fromkeys(subject_and_name(group.label)[0] for s in sections for group in s.groups)
    names = tuple(name for name in prefixes if name)
    if len(names) > 1:
        todo = "export one subject at a time"
        found = Names(listed(names), f"{len(names)} subjects")
        raise ReadError("two subjects in one file", expected="one", found=found, todo=todo)
    return names


def _markers(section: NexusSection) -> dict[str, Array]:
    """(frames, 3) positions in m by marker, in the file's order."""
    faults: list[str] = []
    result: dict[str, Array] = {}
    for group in section.groups:
        _, label = subject_and_name(group.label)
        if tuple(axis.upper() for axis in group.axes) != ("X", "Y", "Z"):
            faults.append(f"{label} has {', '.join(group.axes)} where X, Y, Z are expected")
        elif label in result:
            faults.append(f"{label} is given twice")
        else:
            result[label] = section.columns(group) * group.factor(LENGTH_M)
    if faults:
        raise ReadError(f"Trajectories: {listed(faults)}", todo="export the trial again")
    if not result:
        raise ReadError("the section Trajectories has no markers")
    return result


def _stored(section: NexusSection, trajectories: NexusSection) -> dict[str, Array]:
    """(frames, n) model outputs in the file's units, on the frames of the trajectories, NaN beside them."""
    section.check_frames()
    rows = section.frames - trajectories.frames[0]
    inside = (rows >= 0) & (rows < trajectories.n_rows)
    result: dict[str, Array] = {}
    for group in section.groups:
        values = np.full((trajectories.n_rows, len(group.axes)), np.nan)
        values[rows[inside]] = section.columns(group)[inside]
        result.setdefault(subject_and_name(group.label)[1], values)
    return result


def _events(sections: Mapping[str, NexusSection], first_frame: int, rate: float) -> tuple[Event, ...]:
    """Events of the section ``Events``; the file counts time from frame 1, as C3D does."""
    if "Events" not in sections:
        return ()
    rows = list(sections["Events"].rows)
    columns = ["subject", "context", "name"]
    header = next((i for i, row in enumerate(rows) if [cell.lower() for cell in row[:3]] == columns), len(rows))
    events: list[Event] = []
    for row in rows[header + 1 :]:
        try:
            time_s = float(row[3]) - (first_frame - 1) / rate
        except (ValueError, IndexError):
            time_s = math.nan
        if not math.isfinite(time_s):
            raise ReadError("Events: a time that is not a number", found=listed(row))
        events.append(Event(printable(row[2]), _SIDES.get(row[1].lower(), "general"), time_s))
    return tuple(sorted(events, key=lambda event: event.time_s))
