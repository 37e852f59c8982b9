"""The YAML that says of force plates what a CSV file cannot: corners, origin, sense of the forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from reprlib import repr as short
from typing import Any

import numpy as np

from gaitid.errors import ModelError
from gaitid.model.fields import MISSING, Faults, Fields
from gaitid.model.yaml_file import load_yaml
from gaitid.notes import Notes, note
from gaitid.numerics.rotation import norm
from gaitid.read.plates import LOADED_N, of_plate
from gaitid.read.plates.surface import CLOSES_M, closing_error, overlap, sensor_vector, without_repeated
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate, read_only

SENSES = ("reaction", "action")
AXES = ("plate", "laboratory")
POINTS = ("origin", "surface_centre")
_LENGTHS = {"mm": 1e-3, "m": 1.0}
_TODO = "correct the plates file (docs/csv.md)"
#: A plates file to fill in; as it stands it is of two plates, one behind the other.
TEMPLATE = """\
# plates.yaml: where force plates are, and what their numbers mean, for CSV, TRC and MOT, and for a C3D that does not
# declare its plates: gaitid run ... --plates FILE
# Write your own numbers in place of these; more in docs/csv.md.
plates:
  - number: 1             # as in plate1_Fx_N, in "#1" of a Nexus export, or in Fx1 of a C3D
    # The corners in laboratory axes, in the order of C3D: 1 at +x +y of the plate, 2 at -x +y, 3 at -x -y, 4 at +x -y.
    # Seen from above they run clockwise; the plate's x and y lie along its sides, its z points down.
    corners_mm: [[464, 508, 0], [464, 0, 0], [0, 0, 0], [0, 508, 0]]    # or corners_m
    # From the centre of the surface to the sensor, in the plate's axes: z is positive, the sensor lies below.
    origin_mm: [0.0, 0.0, 41.0]   # or origin_m
    force_sense: reaction         # on the subject, so Fz < 0 under load in the plate's axes; action: on the plate
    axes: plate                   # or laboratory: the axes in which forces and moments are written
    moment_about: origin          # or surface_centre: the point that the moments are about
  - number: 2
    corners_mm: [[934, 508, 0], [934, 0, 0], [470, 0, 0], [470, 508, 0]]
    origin_mm: [0.0, 0.0, 41.0]
    force_sense: reaction
    axes: plate
    moment_about: origin
"""
# No plate is so far away, in any unit; also refuses what is not finite.
_FAR = 1e7
# Named instead where lengths are too large or too small by a thousand, and centimetres given as millimetres.
_OTHER_UNIT = {"mm": "m", "m": "mm"}
# A sensor lies below its plate: no farther from its centre than a side is long, nor deeper than the first, m (half a
# side under treadmills, 2 mm else, and 0 to 69 mm deep in 17 laboratories). Less than the second, m, but not 0: metres
# under a key of millimetres (0.022 to 0.069 there).
_DEEP_M, _SHALLOW_M = 1.0, 2e-4
# A plate's side lies between a hand and a room: anything else is a wrong unit or a wrong order of corners.
_SIDE_M = (0.05, 10.0)
# Sine of the angle between a plate's two sides: below this the corners are not in order around the plate.
_SQUARE = 0.5
#: A file's own centre of pressure may lie this far, m, from the one computed, under loads that noise does not move by
#: centimetres. Both come from the same samples, printed with six digits, so that 0.1 mm would do; corners that were
#: measured anew for the plates file may differ by a millimetre.
PRESSURE_M = 0.002
# Above this load, N, the vertical force of a plate says whether its declared sense can be right.
_TELLING_N = 50.0


@frozen_dataclass(eq=False)
class PlateGeometry:
    """Where a plate is, and what its recorded forces and moments mean.

    Attributes
    ----------
    number : int
        As the force columns count the plates, from 1, or from 0 where these do.
    corners_g : (4, 3) array, m
        Corners in laboratory axes (1: +x +y, 2: −x +y, 3: −x −y, 4: +x −y of the plate).
    sensor_p : (3,) array, m
        From the surface's centre to the sensor, plate axes, z ≥ 0 (z points down).
    force_sense : str
        ``reaction`` (on the subject) or ``action`` (on the plate).
    axes : str
        In which the forces are recorded: ``plate`` or ``laboratory``.
    moment_about : str
        Which point the moments are about: ``origin`` (the sensor) or ``surface_centre``.
    declared : frozenset of str
        Which of ``axes`` and ``moment_about`` the file gives; the others are taken as ``plate``, ``origin``.
    notes : Notes
        What was repaired in `sensor_p`.
    """

    number: int
    corners_g: Array
    sensor_p: Array
    force_sense: str
    axes: str = "plate"
    moment_about: str = "origin"
    declared: frozenset[str] = frozenset()
    notes: Notes = ()

    def __post_init__(self) -> None:
        for name in ("corners_g", "sensor_p"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def R_gp(self) -> Array:
        """(3, 3) plate axes (columns) in laboratory axes: x, y along the sides, z = x × y, downward."""
        x, y = _sides(self.corners_g)
        z = np.cross(x, y)
        x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)


def _sides(corners: Array) -> tuple[Array, Array]:
    """Along x and y of the plate, the mean of both opposite sides."""
    a, b, c, d = corners
    return (a + d - b - c) / 2, (a + b - c - d) / 2


def read_plates_file(path: Path) -> tuple[PlateGeometry, ...]:
    """Read a plates file (`docs/csv.md`).

    Returns
    -------
    tuple of PlateGeometry
        In the order of the file.

    Raises
    ------
    ModelError
        Absent or not YAML, or every key that is missing, unknown or of the wrong shape, in one line.
    """
    faults = Faults(path.name, path)
    top = Fields(load_yaml(path), "", faults)
    geometries: list[PlateGeometry] = []
    for i, item in enumerate(top.items("plates")):
        geometry = _geometry(Fields(item, f"plates[{i}]", faults))
        if any(other.number == geometry.number for other in geometries):
            faults.add(f"plates[{i}].number: {geometry.number} is given twice")
        geometries.append(geometry)
    top.done()
    faults.raise_if_any(_TODO)
    return tuple(geometries)


def distinct_plates(path: Path, plates: Sequence[ForcePlate]) -> tuple[tuple[ForcePlate, ...], Notes]:
    """The plates that a file describes, each load once, and a note on every one left out (`without_repeated`).

    Raises
    ------
    ModelError
        Of those that stay, two lie on each other.
    """
    kept, notes = without_repeated(plates)
    faults = Faults(path.name)
    for a, b in combinations([plate for plate in kept if plate.outlined], 2):
        if share := overlap(a.corners_g, b.corners_g):
            faults.add(f"plates {a.number} and {b.number} lie on each other: {share:.0%} of the smaller surface")
    faults.raise_if_any(_TODO)
    return kept, notes


def geometry_of(values: Mapping[str, Any], name: str) -> PlateGeometry:
    """One plate from the keys that a plates file has of it; errors begin with `name`.

    Raises
    ------
    ModelError
        Every key that is missing, unknown or of the wrong shape, in one line.
    """
    faults = Faults("")
    geometry = _geometry(Fields(values, name, faults))
    if faults.lines:
        raise ModelError(", ".join(faults.lines))
    return geometry


def _geometry(fields: Fields) -> PlateGeometry:
    """The plate that an entry describes; of no use where there are faults."""
    faulty = len(fields.faults.lines)
    number = fields.integer("number", MISSING, 0, 2**53)
    corners, corners_key = _lengths(fields, "corners", (4, 3))
    origin, origin_key = np.zeros(3), ""
    # about the surface's centre nothing is measured from the origin
    if fields.values.get("moment_about") != "surface_centre" or {"origin_mm", "origin_m"} & fields.values.keys():
        origin, origin_key = _lengths(fields, "origin", (3,))
    sensor_p, notes = sensor_vector(origin)
    sense = fields.text("force_sense", among=SENSES)
    axes, about = fields.text("axes", "plate", AXES), fields.text("moment_about", "origin", POINTS)
    fields.done()
    if np.isfinite(corners).all():
        _check_corners(fields, corners_key, corners)
        if len(fields.faults.lines) == faulty and sensor_p.any():
            _check_sensor(fields, origin_key, sensor_p, corners)
    declared = frozenset({"axes", "moment_about"} & fields.values.keys())
    return PlateGeometry(number, corners, sensor_p, sense, axes, about, declared, of_plate(number, notes))


def _fault(fields: Fields, key: str, text: str) -> None:
    fields.faults.add(f"{fields.at(key)}: {text}")


def _lengths(fields: Fields, name: str, shape: tuple[int, ...]) -> tuple[Array, str]:
    """Lengths in metres from ``{name}_mm`` or ``{name}_m``, whichever is given, and that key; NaN with a fault."""
    nothing = np.full(shape, np.nan)
    given = [unit for unit in _LENGTHS if fields.has(f"{name}_{unit}")]
    if len(given) != 1:
        _fault(fields, f"{name}_mm", f"given twice, also as {name}_m" if given else "missing (or ..._m)")
        return nothing, ""
    key = f"{name}_{given[0]}"
    value = fields.values[key]
    rows = value if len(shape) == 2 else [value]
    n_rows = shape[0] if len(shape) == 2 else 1
    fits = isinstance(rows, list) and len(rows) == n_rows and all(isinstance(r, list) and len(r) == 3 for r in rows)
    if not fits or not all(_is_length(cell) for row in rows for cell in row):
        one = isinstance(value, list) and len(shape) == 2 and len(value) == 3 and all(map(_is_length, value))
        hint = "one point: give the four corners, not the centre" if one else short(value)
        _fault(fields, key, f"expected {' × '.join(map(str, shape))} finite numbers, found {hint}")
        return nothing, key
    return np.array(value, dtype=np.float64) * _LENGTHS[given[0]], key


def _check_corners(fields: Fields, key: str, corners: Array) -> None:
    x, y = _sides(corners)
    sides = np.array([np.linalg.norm(x), np.linalg.norm(y)])
    unit = key.rpartition("_")[2]
    found = " and ".join(f"{round(side / _LENGTHS[unit], 6):.3g}" for side in sides) + f" {unit}"
    in_order = np.linalg.norm(np.cross(x, y)) >= _SQUARE * sides.prod() > 0
    if not _in_range(sides) or not in_order:
        wanted = f"the corners in order around a plate with sides of {_SIDE_M[0]:g} to {_SIDE_M[1]:g} m"
        hint = _other_unit(key, sides) if in_order else ": they do not go round it one after the other"
        _fault(fields, key, f"expected {wanted}, found sides of {found}{hint}")
    elif (gap := closing_error(corners)) > CLOSES_M:
        wanted = f"those of a flat rectangle, c1 − c2 + c3 − c4 within {CLOSES_M * 1e3:g} mm of 0"
        _fault(fields, key, f"expected {wanted}, found {gap * 1e3:.3g} mm")


def _other_unit(key: str, sides: Array) -> str:
    """In which unit a plate's sides would be those of one; empty where in none."""
    name, _, unit = key.rpartition("_")
    other = _OTHER_UNIT[unit]
    if _in_range(sides / _LENGTHS[unit] * _LENGTHS[other]):
        return f": these are {'metres' if other == 'm' else 'millimetres'}, it seems; write {name}_{other}"
    if unit == "mm" and _in_range(sides * 10):
        return ": these are centimetres, it seems; write millimetres"
    return ""


def _check_sensor(fields: Fields, key: str, sensor_p: Array, corners: Array) -> None:
    aside, sides = np.abs(sensor_p[:2]), [float(np.linalg.norm(side)) for side in _sides(corners)]
    largest = float(np.abs(sensor_p).max())
    if key == "origin_mm" and 0 < largest < _SHALLOW_M:
        _fault(fields, key, f"at most {largest * 1e3:.3g} mm: these are metres, it seems; write origin_m")
    elif (aside > sides).any() or sensor_p[2] > _DEEP_M:
        wanted = "the way from the surface's centre to the sensor below it, in plate axes"
        found = f"{1e3 * float(np.linalg.norm(sensor_p)):.6g} mm"
        hint = "; these are millimetres, it seems: write origin_mm" if key == "origin_m" else ""
        _fault(fields, key, f"expected {wanted}, found a place {found} away, beside the plate{hint}")


def _in_range(sides: Array) -> bool:
    """Whether a plate may have sides of such lengths, m."""
    return bool((sides >= _SIDE_M[0]).all() and (sides <= _SIDE_M[1]).all())


def _is_length(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and abs(cell) < _FAR


def plate_from(geometry: PlateGeometry, rate_hz: float, force: Array, moment: Array) -> tuple[ForcePlate, Notes]:
    """The plate with its recorded samples turned into the reaction on the subject, in plate axes.

    Parameters
    ----------
    geometry : PlateGeometry
    rate_hz : float
    force, moment : (n, 3) array, N and N·m
        As recorded: in the axes, of the sense and about the point that `geometry` declares; NaN unknown.

    Returns
    -------
    plate : ForcePlate
        Of type 2; `sensor_p` is 0 where the moments are about the surface's centre.
    notes : Notes
        What was repaired, and a declared sense that the load contradicts.
    """
    sign = 1.0 if geometry.force_sense == "reaction" else -1.0
    # v_p = R_pg v_g, written for rows
    R_gp = geometry.R_gp if geometry.axes == "laboratory" else np.eye(3)
    force_p, moment_p = sign * (force @ R_gp), sign * (moment @ R_gp)
    about_sensor = geometry.moment_about == "origin"
    notes = geometry.notes if about_sensor else ()
    load = force_p[:, 2][np.isfinite(force_p[:, 2])]
    if load.size and (peak := load[np.argmax(np.abs(load))]) > _TELLING_N:
        notes += (note("plate_doubtful/pulls", plates=(geometry.number,), sense=geometry.force_sense, peak_N=peak),)
    plate = ForcePlate(
        number=geometry.number,
        kind=2,
        corners_g=geometry.corners_g,
        sensor_p=geometry.sensor_p if about_sensor else np.zeros(3),
        rate_hz=rate_hz,
        force_p=force_p,
        moment_p=moment_p,
        R_pc=geometry.R_gp.T if geometry.axes == "laboratory" else None,
    )
    return plate, notes


def pressure_off(geometry: PlateGeometry, force: Array, moment: Array, cop_g: Array) -> float:
    """How far, m, the centre of pressure of samples as recorded lies from the one that stands beside them.

    Parameters
    ----------
    geometry : PlateGeometry
    force, moment : (n, 3) array, N and N·m
    cop_g : (n, 3) array, m
        In laboratory axes.

    Returns
    -------
    float
        The median under load; NaN without a load.
    """
    plate, _ = plate_from(geometry, 1.0, force, moment)
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
