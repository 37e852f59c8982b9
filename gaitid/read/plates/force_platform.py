"""Force plates from the group FORCE_PLATFORM and analog channels of a C3D: reactions in plate axes, SI units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.model.settings import POINT_UNITS
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.masks import is_long
from gaitid.numerics.rotation import cross, norm
from gaitid.read.c3d.file import Analog, texts
from gaitid.read.c3d.sections import Parameters
from gaitid.read.length_unit import LENGTH_M
from gaitid.read.plates import LOADED_N, TEMPLATE_FROM, Plates, of_plate, refusals
from gaitid.read.plates.channel_units import MOMENT, PLACE, PLATE_TYPES, UNDEFINED, Signals, lasting_extremes
from gaitid.read.plates.channels import SIX, PlateParameters, ZeroWindow, plates_by_name, si_values, zero_window, zeroed
from gaitid.read.plates.surface import (
    CLOSES_M,
    NEARLY_CLOSES_M,
    PlateSamples,
    closing_error,
    overlap,
    samples_of,
    sensor_vector,
    without_repeated,
)
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, ForcePlate

if TYPE_CHECKING:
    from gaitid.read.plates.plates_file import PlateGeometry

# Nearer to the centre of the surface, m, no plate has its sensor, but for one of which nobody says.
_SHALLOW_M = 1e-3
# Farther from the surface than this, m, no plate has its sensor.
_ORIGIN_M = 1.0
# A sensor nearer than this to the surface's centre, m, matters no more than the survey of the corners.
_SEEN_M = 0.010
# No foot keeps its load nearer to the sensor than this, m, or puts it farther away.
_STUCK_M, _ASTRAY_M = 0.002, 5.0
# Surfaces that can be a plate, m², and those that surely are one, for finding out a wrong unit. The 94 plates of the
# shared trials have 0.15 to 0.87; in a unit ten times too small the largest has 0.009.
_AREA_M2 = (0.01, 50.0)
_PLATE_M2 = (0.02, 5.0)


@frozen_dataclass(eq=False)
class _AnalogData:
    """The analog channels that all plates share, (channels, samples) scaled, with their units."""

    values: Array | Analog
    units: Sequence[str]
    rate_hz: float
    zero_window: ZeroWindow | None

    def steps(self, channels: Sequence[int]) -> Array:
        """What one unit of the stored numbers is worth, as far as that is known."""
        return self.values.steps(channels) if isinstance(self.values, Analog) else np.full(len(channels), np.nan)

    def units_of(self, channels: Sequence[int]) -> tuple[str, ...]:
        """As the file labels them."""
        return tuple(self.units[c] if c < len(self.units) else "" for c in channels)


def plates_from_channels(
    parameters: Parameters,
    analog: Array | Analog,
    rate_hz: float,
    per_frame: int,
    length_unit: str | None = None,
    described: Mapping[int, PlateGeometry] | None = None,
) -> Plates:
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
    length_unit : str, optional
        In which the group's lengths are; ``POINT:UNITS`` without it.
    described : mapping of plate number to PlateGeometry, optional
        Those of a plates file. What it says holds in place of what the group says; of a plate that the group does not
        declare the channels are known by their names (`plates_by_name`).

    Returns
    -------
    Plates
    """
    group = parameters.get("FORCE_PLATFORM", {})
    window = zero_window(group, per_frame, analog.shape[1], rate_hz)
    if length_unit is None:
        length_unit = next(iter(texts(parameters, "POINT", "UNITS")), "")
    analog_data = _AnalogData(analog, texts(parameters, "ANALOG", "UNITS"), rate_hz, window)
    n_plates, notes = _number_of_plates(group)
    labels = texts(parameters, "ANALOG", "LABELS")[: analog.shape[0]]
    named = plates_by_name(labels) if described or not n_plates else {}
    if named and not described:
        result = [labels[channel] for six in named.values() for channel in six]
        notes += (note("plates_undeclared", channels=result, template_from=TEMPLATE_FROM),)
    described = described or {}
    notes += tuple(_by_order(labels, {n: six for n, six in named.items() if n in described and n > n_plates}))
    numbers = [*range(1, n_plates + 1), *sorted(n for n in described if not 1 <= n <= n_plates)]
    for number in set(described) & set(numbers[:n_plates]):
        notes += (note("reading_info/described", plates=(number,)),)
    read: dict[int, tuple[ForcePlate, Notes, tuple[float, ...]]] = {}
    samples: dict[int, PlateSamples | None] = {}
    channels: dict[int, Sequence[int]] = {}
    refused = {n: "not in the plates file" for n in named if described and not n_plates}
    refused = {n: why for n, why in refused.items() if n not in described}
    recognised: dict[tuple[str, ...], tuple[float, ...]] = {}
    # Twice where labels are wrong: what the loads of one plate say of them holds for an empty one too.
    for number in (*numbers, *numbers):
        if number in read and (read[number][2] or analog_data.units_of(channels[number]) not in recognised):
            continue
        if number in refused and not recognised:
            continue
        declared = PlateParameters(group, number, length_unit)
        try:
            kind, channels[number] = _wired(
                declared, analog.shape[0], 1 <= number <= n_plates, named, number in described
            )
            of = declared, kind, analog_data, channels[number], dict(recognised), described.get(number)
            plate, _, factors = read[number] = _plate(*of)
            samples[number] = samples_of(plate) if len(numbers) > 1 else None
            if isinstance(analog, Analog) and is_long(analog.stored.n_frames):
                plate.made_again(partial(_samples, *of))
        except ReadError as error:
            refused[number] = error.line()
        else:
            refused.pop(number, None)
            if factors:
                recognised.setdefault(analog_data.units_of(channels[number]), factors)
    plates, repeated = without_repeated([read[number][0] for number in sorted(read)], samples)
    notes += tuple(note for number in sorted(read) for note in of_plate(number, read[number][1])) + repeated
    for pair, why in _conflicts(plates, channels):
        for number in pair:  # nothing says which of the two is right
            refused.setdefault(number, why)
    usable = tuple(plate for plate in plates if plate.number not in refused)
    return Plates(usable, refused, notes=(*notes, *refusals(refused)))


def unit_by_plates(parameters: Parameters) -> str:
    """In which unit the corners of a file are those of plates; empty where in none."""
    corners = parameters.get("FORCE_PLATFORM", {}).get("CORNERS")
    if not isinstance(corners, np.ndarray) or corners.shape[:2] != (3, 4):
        return ""
    c1, c2, c3, c4 = np.moveaxis(corners.reshape(3, 4, -1), 0, -1)
    area = norm(cross(c3 - c1, c4 - c2)) / 2
    sizes = {unit: area[area > 0] * LENGTH_M[unit] ** 2 for unit in POINT_UNITS if area.any()}
    return next((unit for unit, m2 in sizes.items() if _PLATE_M2[0] < m2.min() and m2.max() < _PLATE_M2[1]), "")


def _by_order(labels: Sequence[str], named: Mapping[int, Sequence[int]]) -> Iterator[Note]:
    """That plates were numbered by the order of their channels, whose names have no number."""
    for number, six in named.items():
        names = [labels[channel] for channel in six]
        if not any(letter.isdigit() for name in names for letter in name):
            yield note("reading_assumed/plate_order", plates=(number,), channels=names)


def _wired(
    declared: PlateParameters, n_channels: int, is_declared: bool, named: Mapping[int, Sequence[int]], described: bool
) -> tuple[int, Sequence[int]]:
    """The type of a plate and its channels, from 0: as the file declares them, else by their names.

    Raises
    ------
    ReadError
        Neither says them.
    """
    try:
        if is_declared:
            return _channels(declared, n_channels)
    except ReadError:
        if not described or declared.number not in named:
            raise
    if declared.number not in named:
        todo = "number the plates of the plates file as the names of the channels do"
        raise ReadError(
            "its channels are not found by their names",
            expected=", ".join(f"{name}{declared.number}" for name in SIX),
            found=f"those of plate{'s' * (len(named) > 1)} {' and '.join(map(str, named))}" if named else "none",
            todo=todo if named else "name the channels so in the file, or declare the plate in FORCE_PLATFORM",
        )
    return 2, named[declared.number]


def _number_of_plates(group: Mapping[str, Any]) -> tuple[int, Notes]:
    """How many plates the file describes: ``USED``, but no more than ``TYPE`` has entries."""
    used, described = group.get("USED", ()), int(np.size(group.get("TYPE", ())))
    if np.size(used) == 0:
        return described, (note("reading_assumed/plates_used", n=described),) if described else ()
    if not isinstance(used, np.ndarray) or not np.isfinite(used.flat[0]) or used.flat[0] < 0:
        shown = f"{used.flat[0]:g}" if isinstance(used, np.ndarray) else short(used)
        return 0, (note("file_incomplete/plates_used", used=shown),)
    count = int(used.flat[0])
    if count <= described:
        return count, ()
    return described, (note("file_repaired/plates_used", used=count, described=described),)


def _channels(declared: PlateParameters, n_channels: int) -> tuple[int, Sequence[int]]:
    """The plate's type, one that can be read, and its analog channels, from 0; the parameter may have rows for plates
    with more."""
    kind = float(declared.numbers("TYPE", 1)[0])
    if kind not in PLATE_TYPES:
        name = f" ({UNDEFINED[int(kind)]})" if kind in UNDEFINED else ""
        raise ReadError(
            f"plate type {kind:g}{name} cannot be read: nothing public defines its channels",
            expected="one of the types " + ", ".join(str(k) for k in PLATE_TYPES),
            todo="export the plate as type 2",
        )
    count = PLATE_TYPES[int(kind)].n_channels
    if n_channels == 0:
        raise ReadError("the file holds no analog data", expected=f"{count} channels of the plate")
    wired = declared.numbers("CHANNEL", 2)[:count]
    found = ", ".join(f"{c:g}" for c in wired)
    if wired.size < count or wired.min() < 1 or wired.max() > n_channels or (wired != np.rint(wired)).any():
        raise ReadError("channel out of range", expected=f"{count} channels between 1 and {n_channels}", found=found)
    if len(set(wired.tolist())) < count:
        raise ReadError("a channel is given twice", expected=f"{count} different channels", found=found)
    return int(kind), [int(c) - 1 for c in wired]


def _samples(*of: Any) -> tuple[Array, Array]:
    """Force and moment of what `_plate` makes."""
    plate = _plate(*of)[0]
    return plate.force_p, plate.moment_p


def _plate(
    declared: PlateParameters,
    kind: int,
    analog: _AnalogData,
    channels: Sequence[int],
    recognised: Mapping[tuple[str, ...], tuple[float, ...]],
    described: PlateGeometry | None,
) -> tuple[ForcePlate, Notes, tuple[float, ...]]:
    plate_type = PLATE_TYPES[kind]
    corners_g = _corners(declared) if described is None else described.corners_g
    a = b = 0.0
    sensor_p = np.zeros(3)
    if plate_type.four_sensors:
        a, b, sensor_p[2] = _sensors(_origin(declared), corners_g)
    origin = None
    if plate_type.holds[3] == MOMENT:
        origin = _origin(declared) if described is None else described.sensor_p
    beside = 0.0 if origin is None else float(np.hypot(*origin[:2]))
    units = analog.units_of(channels)
    signals = Signals(
        plate_type=plate_type,
        number=declared.number,
        length_m=declared.length_m,
        a=a,
        b=b,
        reach_m=float(np.linalg.norm(_half_sides(corners_g))) + beside,
        samples=analog.values[channels],
        units=units,
        rate_hz=analog.rate_hz,
        steps=analog.steps(channels),
        recognised=recognised.get(units, ()),
    )
    values, notes, factors = si_values(declared, signals)
    del signals  # of a long trial as much as what follows from them
    if analog.zero_window is not None:
        vertical = plate_type.load(values, a, b)[0][:, 2]
        values, zero_note = zeroed(values, vertical, plate_type, analog.zero_window, analog.rate_hz)
        notes += (zero_note,)
    force, moment = plate_type.load(values, a, b)
    if described is not None:
        from gaitid.read.plates.plates_file import plate_from

        if PLACE in plate_type.holds:
            described = replace(described, moment_about="surface_centre")
        if plate_type.four_sensors:  # about their middle, whose depth only the file knows
            described = replace(described, sensor_p=sensor_p, moment_about="origin")
        plate, described_notes = plate_from(described, analog.rate_hz, force, moment)
        return plate, (*notes, *_lever_doubt(plate.force_p, plate.moment_p), *described_notes), factors
    # z of the plate points down, so a reaction on the subject has f_z < 0: a plate cannot pull.
    least, greatest = lasting_extremes(force[:, 2], analog.rate_hz)
    if greatest > max(LOADED_N, -least):
        force, moment = -force, -moment
        notes += (note("reading_info/action"),)
    notes += _lever_doubt(force, moment)
    if (gap := closing_error(corners_g)) > CLOSES_M:
        notes += (note("plate_doubtful/corners", gap_mm=gap * 1e3),)
    if origin is not None:
        sensor_p, sensor_notes = _sensor(origin, corners_g, force, moment)
        notes += sensor_notes
    if kind in (3, 7) and np.any(declared.group.get("FPCOPPOLY", 0.0)):
        notes += (note("plate_doubtful/fpcoppoly"),)
    return ForcePlate(declared.number, kind, corners_g, sensor_p, analog.rate_hz, force, moment), notes, factors


def _corners(declared: PlateParameters) -> Array:
    """The plate's corners, (4, 3), m."""
    length = declared.length_m
    corners = declared.group.get("CORNERS")
    if not isinstance(corners, np.ndarray) or corners.shape[:2] != (3, 4):
        raise ReadError("no corners", expected="FORCE_PLATFORM:CORNERS of 3 × 4 × plates")
    corners_g = declared.numbers("CORNERS", 3).T * length
    area = np.linalg.norm(cross(corners_g[2] - corners_g[0], corners_g[3] - corners_g[1])) / 2
    # Plates are between a hand's and a room's size; anything else is a unit or a blank.
    sizes = {unit: area * (LENGTH_M[unit] / length) ** 2 for unit in POINT_UNITS}
    like = next((unit for unit, size in sizes.items() if _PLATE_M2[0] < size < _PLATE_M2[1]), "")
    if not _AREA_M2[0] < area < _AREA_M2[1] or (like and area > _PLATE_M2[1]):
        found = f"{area:.3g} m²"
        if like:
            found += f" (they look like {like}, POINT:UNITS says {declared.length_unit.strip()})"
        raise ReadError(
            "corners do not bound a plate",
            expected=f"{_AREA_M2[0]:g} to {_AREA_M2[1]:g} m²",
            found=found,
            todo="correct FORCE_PLATFORM:CORNERS",
        )
    if (gap := closing_error(corners_g)) > NEARLY_CLOSES_M:
        raise ReadError(
            "corners are not those of a flat rectangle",
            expected=f"c1 − c2 + c3 − c4 within {NEARLY_CLOSES_M * 1e3:g} mm of 0",
            found=f"{gap * 1e3:.3g} mm",
        )
    return corners_g


def _origin(declared: PlateParameters) -> Array:
    """``ORIGIN`` as stored, (3,), m."""
    origin = declared.numbers("ORIGIN", 2)[:3] * declared.length_m
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
    half: Array = norm(corners_g[0] - corners_g[[1, 3]]) / 2
    return half


def _lever_doubt(force_p: Array, moment_p: Array) -> Notes:
    """A note where a person's loads act where none can: a factor of 1000 between N·mm and N·m does that."""
    loaded = (force_p[:, 2] < -LOADED_N).nonzero()[0]
    lever = np.hypot(moment_p[loaded, 0], moment_p[loaded, 1]) / -force_p[loaded, 2]
    if not loaded.size or (lever.max() > _STUCK_M and lever.min() < _ASTRAY_M):
        return ()
    return (note("plate_doubtful/lever", least_mm=lever.min() * 1e3, most_mm=lever.max() * 1e3),)


def _sensor(origin: Array, corners_g: Array, force_p: Array, moment_p: Array) -> tuple[Array, Notes]:
    """From the surface's centre to the one sensor that moments are about, plate axes, m."""
    sensor_p, notes = sensor_vector(origin)
    distance = np.linalg.norm(sensor_p)
    if 0 < distance < _SHALLOW_M:
        notes += (note("plate_doubtful/shallow", depth_mm=distance * 1e3),)
    if sensor_p[2] == 0.0:
        sensor_p, beside_notes = _beside(sensor_p, corners_g, force_p, moment_p)
        notes += beside_notes
    return sensor_p, notes


def _beside(sensor_p: Array, corners_g: Array, force_p: Array, moment_p: Array) -> tuple[Array, Notes]:
    """A sensor vector without a z, whose sense therefore is not known, turned so that feet stand on the plate.

    Treadmills have a sensor level with the belt, far beside its centre, stored either way round. Of the two ways
    that one is right that puts the centre of pressure, (−m_y, m_x)/f_z about the centre, on the surface.
    """
    loaded = force_p[:, 2] < -LOADED_N
    if np.hypot(*sensor_p[:2]) < _SEEN_M or not loaded.any():
        return sensor_p, ()
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
    return (sensor_p if on > turned_on else -sensor_p), (note("reading_assumed/sensor_z", as_stored=on > turned_on),)


def _conflicts(
    plates: Sequence[ForcePlate], channels: Mapping[int, Sequence[int]]
) -> list[tuple[tuple[int, int], str]]:
    """Pairs of plates that cannot both be right, and why: one load would be counted twice."""
    conflicts = []
    for a, b in combinations(plates, 2):
        pair = a.number, b.number
        if shared := sorted(set(channels[a.number]) & set(channels[b.number])):
            conflicts.append((pair, phrase("read/shared", plates=pair, channels=[c + 1 for c in shared])))
        elif share := overlap(a.corners_g, b.corners_g):
            conflicts.append((pair, phrase("read/overlap", plates=pair, share=share)))
    return conflicts
