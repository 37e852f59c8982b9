"""Force plates from the section Devices of a Nexus export."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.numerics.rotation import norm
from gaitid.read.plates import LOADED_N, TEMPLATE_FROM, Plates, refusals
from gaitid.read.plates.plates_file import AXES, POINTS, PlateGeometry, distinct_plates, plate_from, read_plates_file
from gaitid.read.tables.nexus_sections import NexusGroup, NexusSection
from gaitid.read.tables.row_times import shifted
from gaitid.read.units import FORCE_N, LENGTH_M, MOMENT_NM
from gaitid.trial import Array, ForcePlate

_MOMENTS = {**MOMENT_NM, "mm.n": 1e-3, "mm·n": 1e-3, "mmn": 1e-3, "m.n": 1.0}
_OUTPUTS = {"fx fy fz": "force", "mx my mz": "moment", "cx cy cz": "cop"}
# The file's own centre of pressure may lie this far, m, from the one computed, under loads that noise does not move by
# centimetres. Both come from the same samples, printed with six digits, so that 0.1 mm would do; corners that were
# measured anew for the plates file may differ by a millimetre.
_COP_M = 0.002


@dataclass
class _Device:
    """Groups of columns of one force plate."""

    name: str
    force: NexusGroup | None = None
    moment: NexusGroup | None = None
    cop: NexusGroup | None = None


def read_devices(section: NexusSection, trajectories: NexusSection, plates: Path | None) -> Plates:
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
    for number, device in sorted(numbered.items()):
        if plates is None:
            refused[number] = f"the export does not say where it is; give --plates FILE.yaml ({TEMPLATE_FROM})"
        elif number not in geometries:
            refused[number] = f"not in {plates.name}"
        elif device.moment is None or device.force is None:
            refused[number] = "the export holds no Moment of it"
        else:
            force, moment = samples(device.force, FORCE_N), samples(device.moment, _MOMENTS)
            geometry = geometries[number]
            undeclared |= {"axes", "moment_about"} - geometry.declared
            plate, plate_notes = plate_from(geometry, section.rate_hz, force, moment)
            usable.append(plate)
            notes += plate_notes
            if device.cop is not None:
                notes += _cop_doubt(geometry, force, moment, samples(device.cop, LENGTH_M))
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


def _devices(section: NexusSection) -> list[_Device]:
    """Every device with a force, in the file's order; EMG and sums over plates are left out."""
    devices: list[_Device] = []
    for group in section.groups:
        kind = _OUTPUTS.get(" ".join(group.axes).lower())
        name = (group.label.rpartition(" - ")[0] or group.label).strip()
        if kind is None or re.search(r"\bcombined\b", group.label, re.IGNORECASE):
            continue
        device = next((d for d in devices if d.name == name and getattr(d, kind) is None), None)
        if device is None:
            device = _Device(name)
            devices.append(device)
        setattr(device, kind, group)
    return [device for device in devices if device.force is not None]


def _numbered(devices: list[_Device], known: set[int]) -> tuple[dict[int, _Device], Notes]:
    """Devices by plate number: from ``#1`` in their names, else from a last number that fits, else in order."""
    for pattern in (r"#\s*(\d+)", r"(?<!\d)(\d{1,2})$"):
        matches = [re.search(pattern, device.name) for device in devices]
        numbers = [int(match[1]) for match in matches if match]
        # A last number may belong to the type (OR6-7): only one that the plates file knows is the plate's.
        if len(set(numbers)) == len(devices) and (pattern[0] == "#" or known.issuperset(numbers)):
            return dict(zip(numbers, devices, strict=True)), ()
    numbered = dict(enumerate(devices, 1))
    order = [f"{i} is {device.name!r}" for i, device in numbered.items()]
    return numbered, (note("reading_assumed/device_order", order=order),) if len(devices) > 1 else ()


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
        plate, _ = plate_from(replace(geometry, axes=axes, moment_about=about), 1.0, force, moment)
        loaded = np.abs(plate.force_p[:, 2]) > LOADED_N
        loaded &= np.isfinite(plate.moment_p).all(axis=1) & np.isfinite(cop_g).all(axis=1)
        if not loaded.any():
            return float("nan")
        f, o = plate.force_p[loaded], plate.sensor_p
        m = plate.moment_p[loaded] + np.cross(o, f)  # about the surface's centre
        # In the surface, m − c × f has no x, y: c = (−m_y, m_x, 0) / f_z
        c_p = np.stack([-m[:, 1], m[:, 0], np.zeros(len(m))], axis=1) / f[:, 2:]
        c_g = geometry.corners_g.mean(axis=0) + c_p @ geometry.R_gp.T
        return float(np.median(norm(c_g - cop_g[loaded])))

    off = distance(geometry.axes, geometry.moment_about)
    if not off > _COP_M:
        return ()
    others = sorted((distance(axes, about), axes, about) for axes, about in product(AXES, POINTS))
    fits = [f"axes: {axes}, moment_about: {about} would fit" for d, axes, about in others if d <= _COP_M]
    doubt = note(
        "plate_doubtful/device_pressure",
        plates=(geometry.number,),
        axes=geometry.axes,
        about=geometry.moment_about,
        off_mm=1e3 * off,
        fits=fits or ["no other declaration fits: check the corners"],
    )
    return (doubt,)
