"""Force plates from the section Devices of a Nexus export."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.read.plates.file import AXES, POINTS, PlateGeometry, plate_from, read_plates_file
from gaitid.read.tables.csv_text import shifted
from gaitid.read.tables.nexus_sections import NexusGroup, NexusSection
from gaitid.read.units import FORCE_N, LENGTH_M, MOMENT_NM
from gaitid.trial import Array, ForcePlate

_MOMENTS = {**MOMENT_NM, "mm.n": 1e-3, "mm·n": 1e-3, "mmn": 1e-3, "m.n": 1.0}
_OUTPUTS = {"fx fy fz": "force", "mx my mz": "moment", "cx cy cz": "cop"}
# The file's own centre of pressure is compared above this load, N: below it, noise moves it by centimetres.
_LOADED_N = 100.0
# … and may lie this far, m, from the one computed. Both come from the same samples, printed with six digits, so
# that 0.1 mm would do; corners that were measured anew for the plates file may differ by a millimetre.
_COP_M = 0.002


@dataclass
class _Device:
    """Groups of columns of one force plate."""

    name: str
    force: NexusGroup | None = None
    moment: NexusGroup | None = None
    cop: NexusGroup | None = None


def read_devices(
    section: NexusSection, trajectories: NexusSection, plates: Path | None, warnings: list[str]
) -> tuple[tuple[ForcePlate, ...], dict[int, str]]:
    """The plates that can be read, and why the others cannot.

    Parameters
    ----------
    section, trajectories : NexusSection
        ``Devices`` and ``Trajectories``.
    plates : Path or None
        YAML of the plates' geometry.
    warnings : list of str
        What was taken or repaired is added here.

    Returns
    -------
    plates : tuple of ForcePlate
    refused : dict of plate number to reason
    """
    devices = _devices(section)
    geometries = {g.number: g for g in read_plates_file(plates)} if plates is not None else {}
    if not devices:
        if geometries:
            warnings.append("the section Devices holds no force plate, though a plates file is given")
        return (), {}
    late = _late(section, trajectories, warnings)
    numbered = _numbered(devices, set(geometries), warnings)
    found: list[ForcePlate] = []
    refused: dict[int, str] = {}
    undeclared: set[str] = set()
    for number, device in sorted(numbered.items()):
        if plates is None:
            refused[number] = "the export does not say where it is; give --plates FILE.yaml"
        elif number not in geometries:
            refused[number] = f"{plates.name} does not describe it"
        elif device.moment is None or device.force is None:
            refused[number] = "the export holds no Moment of it"
        else:
            force = shifted(section.columns(device.force) * device.force.factor(FORCE_N), late)
            moment = shifted(section.columns(device.moment) * device.moment.factor(_MOMENTS), late)
            geometry = geometries[number]
            undeclared |= {"axes", "moment_about"} - geometry.declared
            found.append(plate_from(geometry, section.rate_hz, force, moment, warnings))
            if device.cop is not None:
                cop_g = shifted(section.columns(device.cop) * device.cop.factor(LENGTH_M), late)
                _check_cop(geometry, force, moment, cop_g, warnings)
    warnings += [f"plate {number} is not used: {reason}" for number, reason in refused.items()]
    for number in sorted(set(geometries) - set(numbered)):
        warnings.append(f"plate {number} of the plates file is not in the section Devices")
    if undeclared:
        taken = {"axes": "axes: plate", "moment_about": "moment_about: origin"}
        warnings.append(
            "a Nexus export does not say in which axes and about which point its forces are; taken: "
            + ", ".join(taken[key] for key in sorted(undeclared))
            + " (declare them in the plates file)"
        )
    return tuple(found), refused


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


def _numbered(devices: list[_Device], known: set[int], warnings: list[str]) -> dict[int, _Device]:
    """Devices by plate number: from ``#1`` in their names, else from a last number that fits, else in order."""
    for pattern in (r"#\s*(\d+)", r"(?<!\d)(\d{1,2})$"):
        matches = [re.search(pattern, device.name) for device in devices]
        numbers = [int(match[1]) for match in matches if match]
        # A last number may belong to the type (OR6-7): only one that the plates file knows is the plate's.
        if len(set(numbers)) == len(devices) and (pattern[0] == "#" or known.issuperset(numbers)):
            return dict(zip(numbers, devices, strict=True))
    if len(devices) > 1:
        order = ", ".join(f"{i} is {device.name!r}" for i, device in enumerate(devices, 1))
        warnings.append(f"the force plates are numbered in the order of the section Devices: {order}")
    return dict(enumerate(devices, 1))


def _late(section: NexusSection, trajectories: NexusSection, warnings: list[str]) -> int:
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
    late = int(samples[0])
    if -late >= section.n_rows or late >= trajectories.n_rows * per_frame:
        raise ReadError("Devices and Trajectories have no frame in common",
                        expected=f"Devices from frame {trajectories.frames[0]}",
                        found=f"frames {section.frames[0]} to {section.frames[-1]}")  # fmt: skip
    if late:
        done = "the missing samples are unknown" if late > 0 else "what is before was left out"
        warnings.append(
            f"Devices begin at frame {section.frames[0]}, sub frame {section.sub_frames[0]}, Trajectories at "
            f"frame {trajectories.frames[0]}; {done}"
        )
    return late


def _check_cop(geometry: PlateGeometry, force: Array, moment: Array, cop_g: Array, warnings: list[str]) -> None:
    """Compare the file's own centre of pressure with that of the declared convention, and say what fits."""

    def distance(axes: str, about: str) -> float:
        plate = plate_from(replace(geometry, axes=axes, moment_about=about), 1.0, force, moment, [])
        loaded = np.abs(plate.force_p[:, 2]) > _LOADED_N
        loaded &= np.isfinite(plate.moment_p).all(axis=1) & np.isfinite(cop_g).all(axis=1)
        if not loaded.any():
            return float("nan")
        f, o = plate.force_p[loaded], plate.sensor_p
        m = plate.moment_p[loaded] + np.cross(o, f)  # about the surface's centre
        # In the surface, m − c × f has no x, y: c = (−m_y, m_x, 0) / f_z
        c_p = np.stack([-m[:, 1], m[:, 0], np.zeros(len(m))], axis=1) / f[:, 2:]
        c_g = geometry.corners_g.mean(axis=0) + c_p @ geometry.R_gp.T
        return float(np.median(np.linalg.norm(c_g - cop_g[loaded], axis=1)))

    here = distance(geometry.axes, geometry.moment_about)
    if not here > _COP_M:
        return
    others = sorted((distance(axes, about), axes, about) for axes, about in product(AXES, POINTS))
    fits = [f"axes: {axes}, moment_about: {about} would fit" for d, axes, about in others if d <= _COP_M]
    warnings.append(
        f"plate {geometry.number}: the centre of pressure computed with axes: {geometry.axes}, moment_about: "
        f"{geometry.moment_about} lies {1e3 * here:.0f} mm from the file's own (taken as laboratory "
        f"coordinates); {' and '.join(fits) or 'no other declaration fits: check the corners'}"
    )
