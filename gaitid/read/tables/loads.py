"""Forces in laboratory axes, of Cortex, EVaRT and whichever program -> plates, with edges where something says where
they end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

import numpy as np

from gaitid.errors import ReadError, reading
from gaitid.notes import Notes, note
from gaitid.numerics.masks import median
from gaitid.numerics.rotation import norm
from gaitid.read.assignments import CALIBRATION
from gaitid.read.length_unit import LENGTH_M, MOMENT_NM, VOLTAGE_V
from gaitid.read.plates import LOADED_N, Plates, refusals
from gaitid.read.plates.plates_file import PlateGeometry, geometry_of, read_plates_file
from gaitid.read.plates.surface import without_repeated
from gaitid.read.subjects import listed
from gaitid.read.tables.row_times import check_counts_by_one, even_rate, start_after, whole_numbers
from gaitid.read.tables.text_table import Dialect, numbers_of, positive, read_lines, rows_below
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Assignment, ForcePlate, Mask

# Numbers of a plate with six channels.
_NUMBERS = 4 + 36 + 3 + 3 + 9
_CORNERS = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) / 2


class Calibrated(NamedTuple):
    """One plate.

    Attributes
    ----------
    geometry : PlateGeometry
    matrix : (6, 6) array, N/V and N·m/V
        Force on the plate and its moment about `sensor_g`, in plate axes, for each volt of its channels.
    R_gp : (3, 3) array
        Plate axes (columns) in laboratory axes.
    sensor_g : (3,) array, m
        The true origin.
    """

    geometry: PlateGeometry
    matrix: Array
    R_gp: Array
    sensor_g: Array


def read_calibration(path: Path) -> tuple[Calibrated, ...]:
    """The plates of a calibration file.

    Raises
    ------
    ReadError, ModelError
        Not such a file, or plates with other than six channels, in one line.
    """
    plates = []
    with reading(f"{path.name}: "):
        words = " ".join(read_lines(path, "text", any_encoding=True)).split()
        try:
            rows = np.array(words, dtype=float).reshape(-1, _NUMBERS)
            if not np.isfinite(rows).all():
                raise ValueError
        except ValueError:
            wanted = (
                f"{_NUMBERS} numbers a plate: number, scale, length, width, a matrix of 6 by 6, origin, centre, axes"
            )
            todo = "export the forces from Cortex (.forces)"
            raise ReadError("no calibration of plates with six channels", expected=wanted, todo=todo) from None
    for row in rows:
        origin, centre = LENGTH_M["cm"] * row[40:46].reshape(2, 3)
        R_gp = row[46:].reshape(3, 3)
        corners = centre + (_CORNERS * LENGTH_M["cm"] * row[2:4]) @ R_gp[:, :2].T
        values = {"number": int(row[0]), "corners_m": corners.tolist(), "force_sense": "reaction"}
        geometry = geometry_of({**values, "moment_about": "surface_centre"}, path.name)
        # as in C3D the origin is seen from the sensor, which lies below the surface
        plates.append(Calibrated(geometry, row[1] * row[4:40].reshape(6, 6), R_gp, centre - R_gp @ origin))
    return tuple(plates)


def geometries_of(path: Path) -> tuple[PlateGeometry, ...]:
    """Where plates are by a calibration or a plates file."""
    if path.suffix.lower() != ".cal":
        return read_plates_file(path)
    return tuple(plate.geometry for plate in read_calibration(path))


# The floor is taken as level: the mean force must lie this near a laboratory axis (the cosine; 0.8 is 37°).
_UPRIGHT = 0.8


@frozen_dataclass(eq=False)
class Load:
    """One force.

    Attributes
    ----------
    number : int
        In the order of the file, from 1.
    name : str
        Its first column, for messages.
    tag : str
        What tells its columns from those of the other groups.
    force_g : (n, 3) array, N
    point_g : (n, 3) array, m, or None
    moment_g : (n, 3) array, N·m, or None
        About the point; about the laboratory's origin where there is none.
    names : tuple of str
        The columns of the force, for messages.
    """

    number: int
    name: str
    tag: str
    force_g: Array
    point_g: Array | None
    moment_g: Array | None
    names: tuple[str, str, str]

    def loaded(self) -> Mask:
        """(n,) where the force is surely one of a foot."""
        return np.asarray(norm(self.force_g) > LOADED_N)

    def moment_about(self, centre_g: Array) -> Array:
        """(n, 3) moment of the force about a point, N·m: M_c = (p − c) × f + T."""
        arm = (np.zeros(3) if self.point_g is None else self.point_g) - centre_g
        # A force of 0 has no moment, wherever (or nowhere) its point is said to be.
        arm = np.where(self.force_g.any(axis=1, keepdims=True), arm, 0.0)
        return np.cross(arm, self.force_g) + (0.0 if self.moment_g is None else self.moment_g)


@frozen_dataclass(eq=False)
class Loads:
    """The forces of a file.

    Attributes
    ----------
    where : str
        The file, put before notes.
    of_plates : sequence of Load
    rate_hz : float
    times : (n,) array, s
        Of the samples, by the trial's clock.
    geometries : sequence of PlateGeometry
        Of those plates of which the file says where they are.
    refused : mapping of int to str
        Number of a plate that cannot be used, and why.
    assignments : tuple of Assignment
    notes : Notes
    """

    where: str
    of_plates: Sequence[Load]
    rate_hz: float
    times: Array
    geometries: Sequence[PlateGeometry] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    assignments: tuple[Assignment, ...] = ()
    notes: Notes = ()


def plates_of(loads: Loads, plates: Path | None, cameras_s: tuple[float, float]) -> Plates:
    """Each force as one plate.

    Where nothing says where a plate ends it has no outline: its surface is level, at right angles to the laboratory
    axis along which the forces push, at the median height of the points where they act.

    Parameters
    ----------
    loads : Loads
    plates : Path or None
        Corners and sense of the forces, for those plates that it describes; forces are in laboratory axes.
    cameras_s : (float, float)
        Times of the first and the last camera frame by the file's clock.

    Returns
    -------
    Plates

    Raises
    ------
    ReadError, ModelError
        What is wrong with a file, in one line.
    """
    start_s, start_notes = start_after(loads.times, cameras_s, loads.where)
    outlined, outline_notes = _outlined(loads, plates)
    refused = dict(loads.refused)
    others = [load for load in loads.of_plates if load.number not in {p.number for p in outlined}]
    try:
        level, level_notes = _without_outline(others, loads.rate_hz, loads.where)
    except ReadError as error:
        level, level_notes = [], ()
        refused |= {load.number: error.line() for load in others}
    usable = sorted((*outlined, *level), key=lambda plate: plate.number)
    if plates is None:
        distinct, repeated = without_repeated(usable)
    else:
        from gaitid.read.plates.plates_file import distinct_plates

        distinct, repeated = distinct_plates(plates, usable)
    return Plates(
        usable=tuple(replace(plate, start_s=start_s) for plate in distinct),
        refused=refused,
        assignments=loads.assignments,
        notes=(*loads.notes, *start_notes, *outline_notes, *level_notes, *repeated, *refusals(refused)),
    )


def _outlined(loads: Loads, plates: Path | None) -> tuple[list[ForcePlate], Notes]:
    """Plates whose edges the file itself knows, or a plates file."""
    if plates is None and not loads.geometries:
        return [], ()
    from gaitid.read.plates.plates_file import plate_from

    by_number = {load.number: load for load in loads.of_plates}
    given = () if plates is None else geometries_of(plates)
    usable = []
    notes: Notes = ()
    for geometry in {g.number: g for g in (*loads.geometries, *given)}.values():
        if geometry.number not in by_number:
            file = "" if plates is None else plates.name
            notes += (note("input_unused/no_forces", plates=(geometry.number,), where=loads.where, file=file),)
            continue
        load = by_number[geometry.number]
        moment = load.moment_about(geometry.corners_g.mean(axis=0))
        # The file of the forces says in which axes and about which point they are; the other one says the rest.
        laboratory = replace(geometry, axes="laboratory", moment_about="surface_centre")
        plate, plate_notes = plate_from(laboratory, loads.rate_hz, load.force_g, moment)
        usable.append(replace(plate, channels=load.names))
        notes += plate_notes
    return usable, notes


def _without_outline(groups: Sequence[Load], rate: float, where: str) -> tuple[list[ForcePlate], Notes]:
    """Plates of which only a level surface is known.

    Raises
    ------
    ReadError
        Nothing says which way is up.
    """
    if not groups:
        return [], ()
    R_gp = level_axes(groups)
    up = -R_gp[:, 2]
    plates = []
    heights = []
    for group in groups:
        centre = _surface_point(group, groups)
        heights.append(f"plate {group.number} ({group.name} …) at {centre @ up:.4g} m")
        plates.append(
            ForcePlate(
                number=group.number,
                kind=2,
                corners_g=np.full((4, 3), np.nan),
                sensor_p=np.zeros(3),
                rate_hz=rate,
                force_p=group.force_g @ R_gp,
                moment_p=group.moment_about(centre) @ R_gp,
                R_gp=R_gp,
                centre_g=centre,
                channels=group.names,
                R_pc=R_gp.T,
            )
        )
    axis = int(np.argmax(np.abs(up)))
    upward = f"{'+' if up[axis] > 0 else '-'}{'xyz'[axis]}"
    return plates, (note("reading_assumed/no_outline", where=where, up=upward, heights=heights),)


def level_axes(groups: Sequence[Load]) -> Array:
    """(3, 3) axes of level plates: z down, against the mean force of the ground, x along the floor's first axis.

    Raises
    ------
    ReadError
        Nothing loads them, or the load pushes along no laboratory axis.
    """
    loaded = np.concatenate([group.force_g[group.loaded()] for group in groups])
    if not len(loaded):
        largest = max(float(np.nanmax(norm(group.force_g), initial=0.0)) for group in groups)
        raise ReadError(
            f"no force above {LOADED_N:g} N says which way is up",
            found=f"at most {largest:.3g} N",
            todo="write the forces in newtons, or give the corners with --plates",
        )
    mean = loaded.mean(axis=0)
    axis = int(np.argmax(np.abs(mean)))
    if abs(mean[axis]) < _UPRIGHT * np.linalg.norm(mean):
        raise ReadError(
            "the forces push along no laboratory axis, so that the surface is not known",
            found=f"a mean of ({', '.join(f'{v:.0f}' for v in mean)}) N",
            todo="give the corners with --plates",
        )
    x, z = np.zeros(3), np.zeros(3)
    x[1 if axis == 0 else 0], z[axis] = 1.0, -np.sign(mean[axis])
    return np.column_stack([x, np.cross(z, x), z])


def _surface_point(group: Load, groups: Sequence[Load]) -> Array:
    """(3,) a point of a plate's surface, m: the median of where its force acts under load, hence of its height.

    That of all forces where this one never loads or has no points; the laboratory's origin where none has.
    """
    for candidates in ([group], groups):
        points = [g.point_g[g.loaded()] for g in candidates if g.point_g is not None]
        known = np.concatenate([p[np.isfinite(p).all(axis=1)] for p in (np.empty((0, 3)), *points)])
        if len(known):
            return median(known)
    return np.zeros(3)


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
