"""The YAML that says of force plates what a CSV file cannot: corners, origin, sense of the forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from reprlib import repr as short

import numpy as np

from gaitid.errors import ModelError
from gaitid.model.yaml_file import load_yaml
from gaitid.read.labels import printable
from gaitid.read.plates.c3d_group import CLOSES_M, closing_error, overlap, sensor_vector
from gaitid.trial import Array, ForcePlate, read_only

SENSES = ("reaction", "action")
AXES = ("plate", "laboratory")
POINTS = ("origin", "surface_centre")
_LENGTHS = {"mm": 1e-3, "m": 1.0}
_KEYS = ("number", "corners_mm", "corners_m", "origin_mm", "origin_m", "force_sense", "axes", "moment_about")
# No plate is so far away, in any unit; also refuses what is not finite.
_FAR = 1e7
# A plate's side lies between a hand and a room: anything else is a wrong unit or a wrong order of corners.
_SIDE_M = (0.05, 10.0)
# Sine of the angle between a plate's two sides: below this the corners are not in order around the plate.
_SQUARE = 0.5
# Above this load, N, the vertical force of a plate says whether its declared sense can be right.
_LOADED_N = 50.0


@dataclass(frozen=True)
class PlateGeometry:
    """Where a plate is, and what its recorded forces and moments mean.

    Attributes
    ----------
    number : int
        As the force columns count the plates, from 1.
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
    notes : tuple of str
        What was repaired.
    """

    number: int
    corners_g: Array
    sensor_p: Array
    force_sense: str
    axes: str = "plate"
    moment_about: str = "origin"
    declared: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_g", read_only(self.corners_g))
        object.__setattr__(self, "sensor_p", read_only(self.sensor_p))

    @property
    def R_gp(self) -> Array:
        """(3, 3) plate axes (columns) in laboratory axes: x, y along the sides, z = x × y, downward."""
        c = self.corners_g
        x = c[0] + c[3] - c[1] - c[2]
        z = np.cross(x, c[0] + c[1] - c[2] - c[3])
        x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)


def read_plates_file(path: Path) -> tuple[PlateGeometry, ...]:
    """Read a plates file (`docs/csv.md`).

    Raises
    ------
    ModelError
        Absent or not YAML, or every key that is missing, unknown or of the wrong shape, in one line.
    """
    document = load_yaml(path)
    faults: list[str] = []
    entries = document.get("plates") if isinstance(document, Mapping) else None
    if isinstance(document, Mapping):
        faults += [f"{_key(key)}: unknown key (known: plates)" for key in document if key != "plates"]
    geometries: list[PlateGeometry] = []
    if not isinstance(entries, list) or not entries:
        faults.append("plates: expected a list of plates")
    else:
        for i, entry in enumerate(entries):
            geometry = _plate(entry, f"plates[{i}]", faults)
            if geometry is not None:
                if any(g.number == geometry.number for g in geometries):
                    faults.append(f"plates[{i}].number: {geometry.number} is given twice")
                geometries.append(geometry)
    for a, b in combinations(geometries, 2):
        if share := overlap(a.corners_g, b.corners_g):
            faults.append(f"plates {a.number} and {b.number} lie on each other: {share:.0%} of the smaller surface")
    if faults:
        raise ModelError(f"{path.name}: {', '.join(faults)}", todo="correct the plates file (docs/csv.md)")
    return tuple(geometries)


def _plate(entry: object, at: str, faults: list[str]) -> PlateGeometry | None:
    if not isinstance(entry, Mapping):
        faults.append(f"{at}: expected the keys number, corners_mm, origin_mm, force_sense")
        return None
    before = len(faults)
    faults += [f"{at}.{_key(key)}: unknown key (known: {', '.join(_KEYS)})" for key in entry if key not in _KEYS]
    number = entry.get("number")
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        faults.append(f"{at}.number: expected a whole number from 1, found {short(number)}")
    corners = _lengths(entry, "corners", (4, 3), at, faults)
    about_centre = entry.get("moment_about") == "surface_centre"
    if about_centre and "origin_mm" not in entry and "origin_m" not in entry:
        origin: Array | None = np.zeros(3)  # nothing is measured about it
    else:
        origin = _lengths(entry, "origin", (3,), at, faults)
    sense = _choice(entry, "force_sense", SENSES, None, at, faults)
    axes = _choice(entry, "axes", AXES, "plate", at, faults)
    about = _choice(entry, "moment_about", POINTS, "origin", at, faults)
    if corners is not None:
        _check_corners(corners, at, faults)
    if len(faults) > before or corners is None or origin is None or not isinstance(number, int):
        return None
    notes: list[str] = []
    sensor_p = sensor_vector(origin, number, notes)
    declared = frozenset({"axes", "moment_about"} & set(entry))
    return PlateGeometry(number, corners, sensor_p, sense, axes, about, declared, tuple(notes))


def _key(key: object) -> str:
    return printable(key) if isinstance(key, str) else short(key)


def _lengths(
    entry: Mapping[object, object], name: str, shape: tuple[int, ...], at: str, faults: list[str]
) -> Array | None:
    """Lengths in metres from ``{name}_mm`` or ``{name}_m``, whichever is given."""
    given = [unit for unit in _LENGTHS if f"{name}_{unit}" in entry]
    if len(given) != 1:
        problem = "missing (or ..._m)" if not given else f"given twice, also as {name}_m"
        faults.append(f"{at}.{name}_mm: {problem}")
        return None
    key = f"{name}_{given[0]}"
    wanted = f"{at}.{key}: expected {' × '.join(map(str, shape))} finite numbers, found {short(entry[key])}"
    rows = entry[key] if len(shape) == 2 else [entry[key]]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        faults.append(wanted)
        return None
    cells = [cell for row in rows for cell in row]
    if len(rows) != (shape[0] if len(shape) == 2 else 1) or any(len(row) != 3 for row in rows):
        faults.append(wanted)
        return None
    if any(isinstance(c, bool) or not isinstance(c, int | float) or not abs(c) < _FAR for c in cells):
        faults.append(wanted)
        return None
    return np.array(cells, dtype=np.float64).reshape(shape) * _LENGTHS[given[0]]


def _choice(
    entry: Mapping[object, object],
    name: str,
    known: tuple[str, ...],
    default: str | None,
    at: str,
    faults: list[str],
) -> str:
    value = entry.get(name, default)
    if isinstance(value, str) and value in known:
        return value
    found = "missing" if name not in entry else f"found {short(value)}"
    faults.append(f"{at}.{name}: expected {' or '.join(known)}, {found}")
    return known[0]


def _check_corners(corners: Array, at: str, faults: list[str]) -> None:
    x = (corners[0] + corners[3] - corners[1] - corners[2]) / 2
    y = (corners[0] + corners[1] - corners[2] - corners[3]) / 2
    sides = np.array([np.linalg.norm(x), np.linalg.norm(y)])
    if (
        (sides < _SIDE_M[0]).any()
        or (sides > _SIDE_M[1]).any()
        or np.linalg.norm(np.cross(x, y)) < _SQUARE * sides.prod()
    ):
        faults.append(
            f"{at}.corners: expected the corners in order around a plate with sides of {_SIDE_M[0]:g} to "
            f"{_SIDE_M[1]:g} m, found sides of {sides[0]:.3g} and {sides[1]:.3g} m"
        )
    elif (gap := closing_error(corners)) > CLOSES_M:
        faults.append(
            f"{at}.corners: expected those of a flat rectangle, c1 − c2 + c3 − c4 within {CLOSES_M * 1e3:g} mm of 0, "
            f"found {gap * 1e3:.3g} mm"
        )


def plate_from(geometry: PlateGeometry, rate_hz: float, force: Array, moment: Array, warnings: list[str]) -> ForcePlate:
    """The plate with its recorded samples turned into the reaction on the subject, in plate axes.

    Parameters
    ----------
    geometry : PlateGeometry
    rate_hz : float
    force, moment : (n, 3) array, N and N·m
        As recorded: in the axes, of the sense and about the point that `geometry` declares; NaN unknown.
    warnings : list of str
        What was repaired, and a declared sense that the load contradicts, are added here.

    Returns
    -------
    ForcePlate
        Of type 2; `sensor_p` is 0 where the moments are about the surface's centre.
    """
    sign = 1.0 if geometry.force_sense == "reaction" else -1.0
    # v_p = R_pg v_g, written for rows
    R_gp = geometry.R_gp if geometry.axes == "laboratory" else np.eye(3)
    force_p, moment_p = sign * (force @ R_gp), sign * (moment @ R_gp)
    about_sensor = geometry.moment_about == "origin"
    warnings += geometry.notes if about_sensor else ()
    load = force_p[:, 2][np.isfinite(force_p[:, 2])]
    if load.size and (peak := load[np.argmax(np.abs(load))]) > _LOADED_N:
        warnings.append(
            f"plate {geometry.number}: with force_sense {geometry.force_sense!r} and these corners its largest "
            f"load, {peak:.0f} N, would pull the subject into the plate; check force_sense, axes and the "
            "order of the corners in the plates file"
        )
    return ForcePlate(
        number=geometry.number,
        kind=2,
        corners_g=geometry.corners_g,
        sensor_p=geometry.sensor_p if about_sensor else np.zeros(3),
        rate_hz=rate_hz,
        force_p=force_p,
        moment_p=moment_p,
    )
