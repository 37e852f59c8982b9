"""Plate forces of Motion Analysis' programs (Cortex, EVaRT): ``.forces``, and raw channels in ``.anc`` (`docs/csv.md`).

``.forces``: each force on the subject in N, in laboratory axes, where it acts in mm, and the free moment there in N·mm
about the axis that points up: so the recording of BMClab shows it, whose free moments are then those of walking.
``.anc``: counts of a converter, whose full scale (``Range``, mV) is half of its 2^``BitDepth`` counts; what a volt
means says `gaitid.read.plates.calibration`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.numerics.rotation import norm
from gaitid.read.assignments import CALIBRATION
from gaitid.read.length_unit import LENGTH_M, MOMENT_NM, VOLTAGE_V
from gaitid.read.plates import LOADED_N, Plates
from gaitid.read.plates.calibration import read_calibration
from gaitid.read.subjects import listed
from gaitid.read.tables.loads import Load, Loads, level_axes, plates_of
from gaitid.read.tables.row_times import check_counts_by_one, even_rate, whole_numbers
from gaitid.read.tables.text_table import Dialect, numbers_of, positive, read_lines, rows_below
from gaitid.trial import Array

_FORCES = "export the forces from Cortex (.forces)"
# Rows in which the one with the names of the columns is looked for.
_HEADER_WITHIN = 20


def read_cortex_forces(path: Path, plates: Path | None, cameras_s: tuple[float, float]) -> Plates:
    """Read ``.forces``, whose first sample is taken at the first camera frame (`loads.plates_of`)."""
    header, names, values, first_row, notes = _table(path, "#sample")
    check_counts_by_one(whole_numbers(values[:, 0], first_row, names[0]), first_row, names[0])
    rate = positive(header.get("samplerate", ""))
    if np.isnan(rate):
        raise ReadError("the rate is not known", expected="SampleRate=", todo="write it into the header")
    loads: list[Load] = []
    free: list[Array] = []
    for number in [name[2:] for name in names if re.fullmatch(r"FX\d+", name)]:
        force, point, moment = (_three(names, values, f"{kind}{{}}{number}") for kind in ("F", "", "M"))
        if force is None or (point is None and moment is None):
            wanted = f"columns FX{number} …, X{number} … and MZ{number}, or MX{number} …"
            raise ReadError(f"plate {number}: its forces lack columns", expected=wanted, todo=_FORCES)
        if point is None:
            notes += (note("reading_assumed/force_without_point", where=f"{path.name}: ", column=f"FX{number}"),)
        point = None if point is None else LENGTH_M["mm"] * point
        moment = None if moment is None else MOMENT_NM["nmm"] * moment
        x, y, z = (f"F{axis}{number}" for axis in "XYZ")
        loads.append(Load(int(number), x, "", force, point, moment, (x, y, z)))
        name = f"MZ{number}"
        free.append(MOMENT_NM["nmm"] * values[:, names.index(name)] if name in names else np.zeros(len(values)))
    if not loads:
        raise ReadError("no forces", expected="columns FX1 FY1 FZ1 X1 Y1 Z1 MZ1", found=listed(names))
    if any(load.loaded().any() for load in loads):
        up = -level_axes(loads)[:, 2]
        pairs = zip(loads, free, strict=True)
        loads = [load if load.point_g is None else replace(load, moment_g=m[:, None] * up) for load, m in pairs]
    times = cameras_s[0] + np.arange(len(values)) / rate
    return plates_of(Loads(f"{path.name}: ", loads, rate, times, notes=notes), plates, cameras_s)


def read_anc(path: Path, plates: Path | None, cameras_s: tuple[float, float]) -> Plates:
    """Read ``.anc`` with the calibration that is given in place of a plates file, or lies beside it."""
    given = plates if plates is not None and plates.suffix.lower() == ".cal" else None
    calibration = given or path.with_name(CALIBRATION)
    if not calibration.is_file():
        wanted = f"{CALIBRATION} beside it or with --plates"
        raise ReadError("raw channels, and nothing says what a volt of them means", expected=wanted, todo=_FORCES)
    header, names, values, first_row, notes = _table(path, "range")
    bits = positive(header.get("bitdepth", ""))
    if np.isnan(bits):
        raise ReadError("nothing says what a count is", expected="BitDepth", todo=_FORCES)
    loads, geometries = [], []
    for plate in read_calibration(calibration):
        number = plate.geometry.number
        channels = [f"{kind}{number}{axis}" for kind in "FM" for axis in "XYZ"]
        if not {*channels} <= {*names}:
            continue
        places = [names.index(name) for name in channels]
        count_V = VOLTAGE_V["mv"] * np.array([positive(header.get(name, "")) for name in channels]) / 2 ** (bits - 1)
        load = -(values[:, places] * count_V) @ plate.matrix.T  # on the subject, hence the sign
        force, moment = load[:, :3] @ plate.R_gp.T, load[:, 3:] @ plate.R_gp.T
        moment = moment + np.cross(plate.sensor_g, force)
        loads.append(Load(number, channels[0], "", force, None, moment, (channels[0], channels[1], channels[2])))
        geometries.append(plate.geometry)
    most = max((float(np.nanmax(norm(load.force_g), initial=0.0)) for load in loads), default=0.0)
    if most <= LOADED_N:
        wanted = f"channels F1X … M1Z of its plates, and newtons a volt that make a load of more than {LOADED_N:g} N"
        raise ReadError(f"no load by {calibration.name}", expected=wanted, found=f"{most:.3g} N", todo=_FORCES)
    rate = even_rate(values[:, 0], first_row, "Name")
    times = cameras_s[0] + np.arange(len(values)) / rate
    loads_of_file = Loads(f"{path.name}: ", loads, rate, times, geometries, notes=notes)
    return plates_of(loads_of_file, None if given else plates, cameras_s)


def _table(path: Path, last: str) -> tuple[Mapping[str, str], Sequence[str], Array, int, Notes]:
    """The header by its keys, names of columns, numbers, the row of the first; `last` begins the header's last row."""
    lines = read_lines(path, "text", any_encoding=True)
    at = next((i for i, line in enumerate(lines[:_HEADER_WITHIN]) if line.lower().startswith(last)), None)
    if at is None:
        raise ReadError("not a file of Cortex", expected=f"a row that begins with {last}", todo="export it again")
    text = "\t".join(lines[:at])
    header = {key.lower(): value for key, value in re.findall(r"(\w+)[=:]\s*([^\t]*)", text)}
    words = [line.split() for line in lines[: at + 1]]
    names = next((row for row in words if row[:1] == ["Name"]), words[-1])
    header |= dict(zip(names, words[-1], strict=False))
    rows, first_row, notes = rows_below(lines, at + 1, "sample")
    return header, names, numbers_of(rows, first_row, names, Dialect("\t")), first_row, notes


def _three(names: Sequence[str], values: Array, form: str) -> Array | None:
    """(n, 3) the columns of three axes; None where one lacks."""
    three = [form.format(axis) for axis in "XYZ"]
    return values[:, [names.index(name) for name in three]] if {*three} <= {*names} else None
