"""CSV as Vicon Nexus exports it: sections Devices, Trajectories, Model Outputs (`docs/csv.md`)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from gaitid.errors import Names, ReadError
from gaitid.notes import Notes, note, phrase
from gaitid.read.c3d.trial import VOLTS
from gaitid.read.event_names import SIDES
from gaitid.read.length_unit import FORCE_N, LENGTH_M, MOMENT_NM, refuse_other_unit
from gaitid.read.plates import TEMPLATE_FROM, Plates, refusals, unused_plates
from gaitid.read.plates.plates_file import (
    AXES,
    POINTS,
    PRESSURE_M,
    PlateGeometry,
    distinct_plates,
    plate_from,
    pressure_off,
    read_plates_file,
)
from gaitid.read.subjects import listed, printable, subject_and_name, without_unseen
from gaitid.read.tables.nexus_sections import NexusGroup, NexusSection, read_nexus_sections
from gaitid.read.tables.row_times import shifted
from gaitid.trial import Array, Emg, Event, ForcePlate, Trial

_MOMENTS = {**MOMENT_NM, "mm.n": 1e-3, "mm·n": 1e-3, "mmn": 1e-3, "m.n": 1.0}
_OUTPUTS = {"fx fy fz": "force", "mx my mz": "moment", "cx cy cz": "cop"}


def read_nexus_csv(path: Path, plates: Path | None = None, stored: bool = False) -> Trial:
    """Read a trial from a Nexus CSV export.

    Parameters
    ----------
    path : Path
        With the section ``Trajectories``; ``Devices`` for forces and electromyography, ``Model Outputs`` for `stored`.
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
        loads, emg = _plates(sections["Devices"], trajectories, plates), _emg(sections["Devices"], trajectories)
    else:
        loads, emg = Plates(notes=unused_plates(plates, phrase("read/no_devices"))), None
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
        emg=emg,
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
        events.append(Event(printable(row[2]), row[1].lower() if row[1].lower() in SIDES else "general", time_s))
    return tuple(sorted(events, key=lambda event: event.time_s))


def _emg(section: NexusSection, trajectories: NexusSection) -> Emg | None:
    """Voltages of the section ``Devices``, called as in a C3D of Nexus: ``Voltage.LTA``; None where there are none."""
    result = [
        (f"{group.label.rpartition(' - ')[2]}.{axis}", group.start + i, VOLTS[unit.lower()])
        for group in section.groups
        for i, (axis, unit) in enumerate(zip(group.axes, group.units, strict=True))
        if unit.lower() in VOLTS
    ]
    if not result:
        return None
    labels, columns, volts = zip(*result, strict=True)
    samples = shifted(section.values[:, columns], _samples_late(section, trajectories)[0])
    return Emg(labels, section.rate_hz, partial(np.take, samples.T, axis=0), np.array(volts))


# --- force plates from the section Devices ----------------------------------------------------------------------


def _plates(section: NexusSection, trajectories: NexusSection, plates: Path | None) -> Plates:
    """The plates that can be read, and why the others cannot.

    Parameters
    ----------
    section, trajectories : NexusSection
        ``Devices`` and ``Trajectories``.
    plates : Path or None
        YAML of the plates' geometry.

    Returns
    -------
    Plates
    """
    devices = _devices(section)
    geometries = {g.number: g for g in read_plates_file(plates)} if plates is not None else {}
    if not devices:
        return Plates(notes=(note("input_unused/no_devices"),) if geometries else ())
    late_samples, late_notes = _samples_late(section, trajectories)

    def samples(group: NexusGroup, units: dict[str, float]) -> Array:
        return shifted(section.columns(group) * group.factor(units), late_samples)

    numbered, order_notes = _numbered(devices, set(geometries))
    notes = (*late_notes, *order_notes)
    usable: list[ForcePlate] = []
    refused: dict[int, str] = {}
    undeclared: set[str] = set()
    for number, groups in sorted(numbered.items()):
        if plates is None:
            refused[number] = phrase("read/nowhere", template=TEMPLATE_FROM)
        elif number not in geometries:
            refused[number] = phrase("read/not_in", file=plates.name)
        elif "moment" not in groups:
            refused[number] = phrase("read/no_moment")
        else:
            force, moment = samples(groups["force"], FORCE_N), samples(groups["moment"], _MOMENTS)
            geometry = geometries[number]
            undeclared |= {"axes", "moment_about"} - geometry.declared
            plate, plate_notes = plate_from(geometry, section.rate_hz, force, moment)
            usable.append(plate)
            notes += plate_notes
            if "cop" in groups:
                notes += _cop_doubt(geometry, force, moment, samples(groups["cop"], LENGTH_M))
    if plates is not None:
        distinct, repeated = distinct_plates(plates, usable)
        usable, notes = [*distinct], (*notes, *repeated)
    notes += refusals(refused)
    for number in sorted(geometries.keys() - numbered.keys()):
        notes += (note("input_unused/no_device", plates=(number,)),)
    if undeclared:
        defaults = {"axes": "axes: plate", "moment_about": "moment_about: origin"}
        notes += (note("reading_assumed/device_axes", taken=[defaults[key] for key in sorted(undeclared)]),)
    return Plates(tuple(usable), refused, notes=notes)


#: Name of each force plate, and its groups of columns by what they hold: ``force``, ``moment``, ``cop``.
_Devices = list[tuple[str, dict[str, NexusGroup]]]


def _devices(section: NexusSection) -> _Devices:
    """Every device with a force, in the file's order; sums over plates are left out."""
    devices: _Devices = []
    for group in section.groups:
        kind = _OUTPUTS.get(" ".join(group.axes).lower())
        name = (group.label.rpartition(" - ")[0] or group.label).strip()
        if kind is None or re.search(r"\bcombined\b", group.label, re.IGNORECASE):
            continue
        of_device = next((groups for known, groups in devices if known == name and kind not in groups), None)
        if of_device is None:
            devices.append((name, {kind: group}))
        else:
            of_device[kind] = group
    return [device for device in devices if "force" in device[1]]


def _numbered(devices: _Devices, known: set[int]) -> tuple[dict[int, dict[str, NexusGroup]], Notes]:
    """Devices by plate number: from ``#1`` in their names, else from a last number that fits, else in order."""
    of_devices = [groups for _, groups in devices]
    for pattern in (r"#\s*(\d+)", r"(?<!\d)(\d{1,2})$"):
        matches = [re.search(pattern, name) for name, _ in devices]
        numbers = [int(match[1]) for match in matches if match]
        # A last number may belong to the type (OR6-7): only one that the plates file knows is the plate's.
        if len(set(numbers)) == len(devices) and (pattern[0] == "#" or known.issuperset(numbers)):
            return dict(zip(numbers, of_devices, strict=True)), ()
    order = [f"{i} is {name!r}" for i, (name, _) in enumerate(devices, 1)]
    notes = (note("reading_assumed/device_order", order=order),) if len(devices) > 1 else ()
    return dict(enumerate(of_devices, 1)), notes


def _samples_late(section: NexusSection, trajectories: NexusSection) -> tuple[int, Notes]:
    """How many samples after the first camera frame the devices begin (before it: negative)."""
    ratio = section.rate_hz / trajectories.rate_hz
    per_frame = round(ratio)
    if per_frame < 1 or abs(ratio - per_frame) > 1e-6:
        raise ReadError(
            "Devices: no whole number of samples a frame",
            expected=f"a multiple of {trajectories.rate_hz:g} Hz",
            found=f"{section.rate_hz:g} Hz",
        )
    if section.n_rows == 0:
        raise ReadError("the section Devices has no rows", todo="export the trial again")
    samples = (section.frames - trajectories.frames[0]) * per_frame + section.sub_frames
    wrong = np.flatnonzero(np.diff(samples) != 1)
    outside = np.flatnonzero((section.sub_frames < 0) | (section.sub_frames >= per_frame))
    if wrong.size or outside.size:
        row = int(min([*(wrong[:1] + 1), *outside[:1]]))
        raise ReadError(
            f"Devices: row {section.first_row + row}: samples do not follow each other",
            expected=f"Sub Frame 0 to {per_frame - 1} of every frame",
            found=f"frame {section.frames[row]}, sub frame {section.sub_frames[row]}",
        )
    late_samples = int(samples[0])
    if -late_samples >= section.n_rows or late_samples >= trajectories.n_rows * per_frame:
        raise ReadError(
            "Devices and Trajectories have no frame in common",
            expected=f"Devices from frame {trajectories.frames[0]}",
            found=f"frames {section.frames[0]} to {section.frames[-1]}",
        )
    if not late_samples:
        return 0, ()
    apart = note(
        "forces_partial/devices",
        frame=section.frames[0],
        sub_frame=section.sub_frames[0],
        first_frame=trajectories.frames[0],
        late=late_samples > 0,
    )
    return late_samples, (apart,)


def _cop_doubt(geometry: PlateGeometry, force: Array, moment: Array, cop_g: Array) -> Notes:
    """A note where the centre of pressure that the file holds is not that of the declared convention."""

    def distance(axes: str, about: str) -> float:
        return pressure_off(replace(geometry, axes=axes, moment_about=about), force, moment, cop_g)

    off = distance(geometry.axes, geometry.moment_about)
    if not off > PRESSURE_M:
        return ()
    others = sorted((distance(axes, about), axes, about) for axes, about in product(AXES, POINTS))
    fits = [phrase("read/fits", axes=axes, about=about) for d, axes, about in others if d <= PRESSURE_M]
    doubt = note(
        "plate_doubtful/device_pressure",
        plates=(geometry.number,),
        axes=geometry.axes,
        about=geometry.moment_about,
        off_mm=1e3 * off,
        fits=fits or [phrase("read/fits_none")],
    )
    return (doubt,)
