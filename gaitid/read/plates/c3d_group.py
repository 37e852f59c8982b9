"""Force plates from C3D parameters and analog channels: the reaction on the subject, in plate axes, SI units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as short
from typing import Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.read.c3d.file import Analog, texts
from gaitid.read.c3d.sections import Parameters
from gaitid.read.plates.signals import ZeroWindow, column, lasting_extremes, si_values, zero_window, zeroed
from gaitid.read.plates.types import MOMENT, PLATE_TYPES, UNDEFINED
from gaitid.read.units import LENGTH_M, factor
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate

# A plate counts as loaded, for finding the sense of its channels, above this vertical force, N: more than a knock or
# a bias, less than a small child.
LOADED_N = 100.0
# Corners of a rectangle close it, |c1 − c2 + c3 − c4| = 0, m: surveys miss by millimetres, a wrong corner by more.
CLOSES_M = 0.010
# Surfaces that share more than this of the smaller one, at the same height to within `_LEVEL_M`, are no two plates.
_OVERLAP = 0.2
_LEVEL_M = 0.05
# Nearer to the centre of the surface, m, no plate has its sensor, but for one of which nobody says.
_SHALLOW_M = 1e-3
# Farther from the surface than this, m, no plate has its sensor.
_ORIGIN_M = 1.0
# A sensor nearer than this to the surface's centre, m, matters no more than the survey of the corners.
_SEEN_M = 0.010
# No foot keeps its load nearer to the sensor than this, m, or puts it farther away.
_STUCK_M, _ASTRAY_M = 0.002, 5.0
# Surfaces that can be a plate, m², and those that surely are one, for finding out a wrong unit.
_AREA_M2 = (1e-3, 50.0)
_PLATE_M2 = (0.02, 5.0)

Channels = Array | Analog


@frozen_dataclass(eq=False)
class _File:
    """What a file says of all its plates: `group` is FORCE_PLATFORM, `analog` (channels, samples) as scaled."""

    group: Mapping[str, Any]
    unit: str
    units: Sequence[str]
    analog: Channels
    rate_hz: float
    window: ZeroWindow | None


def plates_from_channels(
    parameters: Parameters, analog: Channels, rate_hz: float, per_frame: int
) -> tuple[tuple[ForcePlate, ...], dict[int, str], list[str]]:
    """Every plate that can be read, why the others cannot, and what was assumed.

    Parameters
    ----------
    parameters : mapping
        Of the file: group to name to value.
    analog : (channels, samples) array
        Scaled analog data, or what gives rows of them.
    rate_hz : float
        Of the analog samples.
    per_frame : int
        Analog samples a camera frame.

    Returns
    -------
    plates : tuple of ForcePlate
    refused : dict of plate number to reason
    warnings : list of str
    """
    group = parameters.get("FORCE_PLATFORM", {})
    window = zero_window(group, per_frame, analog.shape[1], rate_hz)
    unit = next(iter(texts(parameters, "POINT", "UNITS")), "")
    file = _File(group, unit, texts(parameters, "ANALOG", "UNITS"), analog, rate_hz, window)
    warnings: list[str] = []
    plates: list[ForcePlate] = []
    channels: dict[int, Sequence[int]] = {}
    refused: dict[int, str] = {}
    for index in range(_used(group, warnings)):
        number = index + 1
        said: list[str] = []
        try:
            kind = _kind(index, group)
            channels[number] = _channels(index, group, PLATE_TYPES[kind].n_channels, analog.shape[0])
            plates.append(_plate(file, index, kind, channels[number], said))
            warnings += said
        except ReadError as error:
            refused[number] = error.line()
    for one, other, why in _conflicts(plates, channels):
        # Nothing says which of the two is right.
        refused.setdefault(one, f"plates {one} and {other} {why}")
        refused.setdefault(other, f"plates {one} and {other} {why}")
    warnings += [f"plate {number} is not used: {reason}" for number, reason in sorted(refused.items())]
    return tuple(p for p in plates if p.number not in refused), refused, warnings


def _used(group: Mapping[str, Any], warnings: list[str]) -> int:
    """How many plates the file describes: ``USED``, but no more than ``TYPE`` has entries."""
    used, described = group.get("USED", ()), int(np.size(group.get("TYPE", ())))
    if np.size(used) == 0:
        if described:
            warnings.append("FORCE_PLATFORM:USED is missing, though TYPE describes plates; none is read")
        return 0
    if not isinstance(used, np.ndarray) or not np.isfinite(used.flat[0]) or used.flat[0] < 0:
        said = f"{used.flat[0]:g}" if isinstance(used, np.ndarray) else short(used)
        warnings.append(f"FORCE_PLATFORM:USED is no number of plates ({said}); no plate is read")
        return 0
    count = int(used.flat[0])
    if count > described:
        warnings.append(
            f"FORCE_PLATFORM:USED says {count} plates, TYPE describes {described}; only these are looked at"
        )
    return min(count, described)


def _kind(index: int, group: Mapping[str, Any]) -> int:
    """The plate's type, one that can be read."""
    kind = float(column(group, "TYPE", index, 1)[0])
    if kind not in PLATE_TYPES:
        name = f" ({UNDEFINED[int(kind)]})" if kind in UNDEFINED else ""
        raise ReadError(
            f"plate type {kind:g}{name} cannot be read: nothing public defines its channels",
            expected="one of the types " + ", ".join(str(k) for k in PLATE_TYPES),
            todo="export the plate as type 2",
        )
    return int(kind)


def _channels(index: int, group: Mapping[str, Any], count: int, n_channels: int) -> Sequence[int]:
    """The plate's analog channels, from 0; the parameter may have rows for plates with more."""
    if n_channels == 0:
        raise ReadError("the file holds no analog data", expected=f"{count} channels of the plate")
    wired = column(group, "CHANNEL", index, 2)[:count]
    found = ", ".join(f"{c:g}" for c in wired)
    if wired.size < count or wired.min() < 1 or wired.max() > n_channels or (wired != np.rint(wired)).any():
        raise ReadError("channel out of range", expected=f"{count} channels between 1 and {n_channels}", found=found)
    if len(set(wired.tolist())) < count:
        raise ReadError("a channel is given twice", expected=f"{count} different channels", found=found)
    return [int(c) - 1 for c in wired]


def _plate(file: _File, index: int, kind: int, channels: Sequence[int], warnings: list[str]) -> ForcePlate:
    number, plate_type, group = index + 1, PLATE_TYPES[kind], file.group
    length = factor(file.unit, LENGTH_M, "POINT:UNITS")
    corners_g = _corners(index, group, length, file.unit)
    a = b = 0.0
    sensor_p = np.zeros(3)
    if plate_type.four_sensors:
        a, b, sensor_p[2] = _sensors(_origin(index, group, length), corners_g)
    units = [file.units[c] if c < len(file.units) else "" for c in channels]
    values = si_values(plate_type, index, group, file.analog[channels], units, length, warnings)
    if file.window is not None:
        vertical = plate_type.wrench(values, a, b)[0][:, 2]
        values, done = zeroed(values, vertical, plate_type, file.window, file.rate_hz)
        warnings.append(f"plate {number}: {done}")
    force, moment = plate_type.wrench(values, a, b)
    # z of the plate points down, so a reaction on the subject has f_z < 0: a plate cannot pull.
    least, greatest = lasting_extremes(force[:, 2], file.rate_hz)
    if greatest > max(LOADED_N, -least):
        force, moment = -force, -moment
        warnings.append(
            f"plate {number}: its channels hold the action on the plate (positive downward); "
            "they were turned into the reaction on the subject"
        )
    warnings += [f"plate {number}: {doubt}" for doubt in _lever_doubt(force, moment)]
    if plate_type.holds[3] == MOMENT:
        sensor_p = sensor_vector(_origin(index, group, length), number, warnings)
        if 0 < np.linalg.norm(sensor_p) < _SHALLOW_M:
            warnings.append(
                f"plate {number}: ORIGIN lies {np.linalg.norm(sensor_p) * 1e3:.2g} mm from the surface's centre; "
                "if it is meant in metres, moments are wrong"
            )
        if sensor_p[2] == 0.0:
            sensor_p = _beside(sensor_p, corners_g, force, moment, number, warnings)
    if kind in (3, 7) and np.any(group.get("FPCOPPOLY", 0.0)):
        warnings.append(f"plate {number}: its maker's correction of the centre of pressure (FPCOPPOLY) is not applied")
    return ForcePlate(number, kind, corners_g, sensor_p, file.rate_hz, force, moment)


def _corners(index: int, group: Mapping[str, Any], length: float, unit: str) -> Array:
    """The plate's corners, (4, 3), m."""
    corners = group.get("CORNERS")
    if not isinstance(corners, np.ndarray) or corners.shape[:2] != (3, 4):
        raise ReadError("no corners", expected="FORCE_PLATFORM:CORNERS of 3 × 4 × plates")
    corners_g = column(group, "CORNERS", index, 3).T * length
    area = np.linalg.norm(np.cross(corners_g[2] - corners_g[0], corners_g[3] - corners_g[1])) / 2
    # Plates are between a hand's and a room's size; anything else is a unit or a blank.
    if not _AREA_M2[0] < area < _AREA_M2[1]:
        other = next(
            (name for name in ("m", "mm") if _PLATE_M2[0] < area * (LENGTH_M[name] / length) ** 2 < _PLATE_M2[1]), ""
        )
        raise ReadError(
            "corners do not bound a plate",
            expected=f"{_AREA_M2[0]:g} to {_AREA_M2[1]:g} m²",
            found=f"{area:.3g} m²" + (f" (they look like {other}, POINT:UNITS says {unit.strip()})" if other else ""),
            todo="correct FORCE_PLATFORM:CORNERS",
        )
    if (gap := closing_error(corners_g)) > CLOSES_M:
        raise ReadError(
            "corners are not those of a flat rectangle",
            expected=f"c1 − c2 + c3 − c4 within {CLOSES_M * 1e3:g} mm of 0",
            found=f"{gap * 1e3:.3g} mm",
        )
    return corners_g


def _origin(index: int, group: Mapping[str, Any], length: float) -> Array:
    """``ORIGIN`` as stored, (3,), m."""
    origin = column(group, "ORIGIN", index, 2)[:3] * length
    if origin.size < 3 or np.linalg.norm(origin) > _ORIGIN_M:
        raise ReadError(
            "ORIGIN is not the place of a sensor",
            expected=f"three lengths of at most {_ORIGIN_M:g} m together",
            found=", ".join(f"{v:.3g}" for v in origin) + " m",
        )
    return origin


def _sensors(origin: Array, corners_g: Array) -> tuple[float, float, float]:
    """a, b and the depth of four sensors, m: distances, whatever signs they were given."""
    a, b, depth = (float(v) for v in np.abs(origin))
    half_x, half_y = _half_sides(corners_g)
    if not (0 < a <= half_x and 0 < b <= half_y):
        raise ReadError(
            "ORIGIN does not place four sensors under the plate",
            expected=f"half their distances along x and y, up to {half_x * 1e3:.4g} and {half_y * 1e3:.4g} mm",
            found=f"{a * 1e3:.4g} and {b * 1e3:.4g} mm",
        )
    return a, b, depth


def _half_sides(corners_g: Array) -> Array:
    """(2,) half the plate's length along its x and y, m."""
    half: Array = np.linalg.norm(corners_g[0] - corners_g[[1, 3]], axis=1) / 2
    return half


def _lever_doubt(force_p: Array, moment_p: Array) -> list[str]:
    """Whether a person's loads act where none can: a factor of 1000 between N·mm and N·m does that."""
    loaded = force_p[:, 2] < -LOADED_N
    lever = np.hypot(moment_p[loaded, 0], moment_p[loaded, 1]) / -force_p[loaded, 2]
    if not loaded.any() or (lever.max() > _STUCK_M and lever.min() < _ASTRAY_M):
        return []
    where = f"{lever.min() * 1e3:.3g} to {lever.max() * 1e3:.3g} mm from its sensor's axis"
    return [f"every load on it acts {where}; its moments or lengths may be in another unit than the file says"]


def _beside(
    sensor_p: Array, corners_g: Array, force_p: Array, moment_p: Array, number: int, warnings: list[str]
) -> Array:
    """A sensor vector without a z, whose sense therefore is not known, turned so that feet stand on the plate.

    Treadmills have a sensor level with the belt, far beside its centre, stored either way round. Of the two ways
    that one is right that puts the centre of pressure, (−m_y, m_x)/f_z about the centre, on the surface.
    """
    if np.hypot(*sensor_p[:2]) < _SEEN_M:
        return sensor_p
    loaded = force_p[:, 2] < -LOADED_N
    if not loaded.any():
        return sensor_p
    from_sensor = np.stack([-moment_p[loaded, 1], moment_p[loaded, 0]], axis=1) / force_p[loaded, 2:]
    half = _half_sides(corners_g)
    on, turned_on = ((np.abs(from_sensor + o[:2]) < half).all(axis=1).sum() for o in (sensor_p, -sensor_p))
    if on == turned_on:
        raise ReadError(
            "ORIGIN has no z, so its sense is not known",
            expected="a centre of pressure on the plate with one sense only",
            found=f"on it in {on} of {loaded.sum()} loaded samples either way",
            todo="give ORIGIN the depth of the sensor below the surface, as a negative z",
        )
    warnings.append(
        f"plate {number}: ORIGIN has no z; it was taken to point from the "
        + ("surface to the sensor" if on > turned_on else "sensor to the surface")
        + ", where the centre of pressure lies on the plate"
    )
    return sensor_p if on > turned_on else -sensor_p


def _conflicts(plates: Sequence[ForcePlate], channels: Mapping[int, Sequence[int]]) -> list[tuple[int, int, str]]:
    """Pairs of plates that cannot both be right, and why: one load would be counted twice."""
    found = []
    for i, a in enumerate(plates):
        for b in plates[i + 1 :]:
            shared = sorted(set(channels[a.number]) & set(channels[b.number]))
            if shared:
                found.append((a.number, b.number, f"share channels: {', '.join(str(c + 1) for c in shared)}"))
            elif share := overlap(a.corners_g, b.corners_g):
                found.append((a.number, b.number, f"lie on each other: {share:.0%} of the smaller surface"))
    return found


def closing_error(corners_g: Array) -> float:
    """|c1 − c2 + c3 − c4|, m: 0 where the corners are those of a flat rectangle (or parallelogram)."""
    return float(np.linalg.norm(corners_g[0] - corners_g[1] + corners_g[2] - corners_g[3]))


def overlap(a: Array, b: Array) -> float:
    """Share of the smaller of two surfaces, (4, 3) corners each, that the other covers; 0 where that is little.

    0 also where `b` is not level with `a`: a step lies above the floor.
    """
    x, y = a[0] - a[1], a[0] - a[3]
    x = x / np.linalg.norm(x)
    z = np.cross(x, y) / np.linalg.norm(np.cross(x, y))
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    a_2, b_3 = ((a - a[0]) @ axes)[:, :2], (b - a[0]) @ axes
    if np.abs(b_3[:, 2]).max() > _LEVEL_M:
        return 0.0
    piece, clip = _counter_clockwise(b_3[:, :2]), _counter_clockwise(a_2)
    smaller = min(_area(piece), _area(clip))
    # Sutherland and Hodgman (1974): cut one polygon along each edge of the other
    for start, end in zip(clip, np.roll(clip, -1, axis=0), strict=True):
        edge = end - start
        inside = edge[0] * (piece[:, 1] - start[1]) - edge[1] * (piece[:, 0] - start[0])
        kept: list[Array] = []
        for i in range(len(piece)):
            j = (i + 1) % len(piece)
            if inside[i] >= 0:
                kept.append(piece[i])
            if (inside[i] >= 0) != (inside[j] >= 0):
                kept.append(piece[i] + (piece[j] - piece[i]) * inside[i] / (inside[i] - inside[j]))
        if len(kept) < 3:
            return 0.0
        piece = np.array(kept)
    share = abs(_area(piece)) / smaller
    return share if share > _OVERLAP else 0.0


def _area(polygon: Array) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _counter_clockwise(polygon: Array) -> Array:
    return polygon if _area(polygon) > 0 else polygon[::-1]


def sensor_vector(origin: Array, number: int, warnings: list[str]) -> Array:
    """From the surface's centre to the sensor, in plate axes with z down, whichever way it was stored.

    Nexus stores that vector itself (z > 0), the C3D convention the opposite one (z < 0). A sensor lies below
    the surface, so the whole vector is turned where its z is negative.
    """
    if origin[2] < 0:
        warnings.append(f"plate {number}: ORIGIN points from the sensor to the surface (z < 0); it was turned")
        return -origin
    return origin
