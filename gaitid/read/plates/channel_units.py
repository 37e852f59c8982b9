"""What a C3D plate's channels are in, where their labels do not say it or cannot be right: told from the loads.

Files label channels with what the converter had (V), not with what ANALOG:SCALE makes of it (N), or the other way
round. A reading is believed where its loads are those of a person who stands on that surface; where none is, the plate
is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.numerics.masks import known_rows
from gaitid.read.plates import LOADED_N
from gaitid.read.plates.plate_types import FORCE, MOMENT, PLACE, PlateType
from gaitid.read.units import FORCE_N, LENGTH_M, MOMENT_NM, VOLTAGE_V, factor, plain
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

TABLES = {FORCE: FORCE_N, MOMENT: MOMENT_NM, PLACE: LENGTH_M}

_MOMENT_NAMES = {1.0: "N·m", 1e-3: "N·mm", 1e-2: "N·cm"}
# Labels beside which the loads are asked. Any other may be a unit of force that nobody here knows, and is refused.
_TELLS_NOTHING = {"", "-", *VOLTAGE_V, *FORCE_N, *MOMENT_NM, *LENGTH_M}

#: s. A force that lasts shorter is a spike; and one period of the mains (50 Hz), so a mean over less is no level.
LASTING_S = 0.02
# N. Between a small child's foot, more than four channels of 10 V make, and the hardest landing of a heavy person.
_PERSON_N = (150.0, 10000.0)
# V. Converters of force plates end at 10 V: more is no voltage.
_CONVERTER_V = 12.0
# m. A load's arm about the sensor that never leaves this is none: moments are then in a unit a thousand times larger.
_STUCK_M = 0.002
# Of the loaded samples, so many act on the surface, where the rest may be a foot on the edge.
_ON_IT = 0.9
# Of its largest load, a plate reads no more than this when it is empty.
_EMPTY = 0.1
# m. Sensors lie so far below the surface: shear puts the arm about them so far beside the plate.
_DEPTH_M = 0.1


@frozen_dataclass()
class Surface:
    """What of a plate's geometry its loads can be held against.

    Attributes
    ----------
    a, b : float
        Half the distances of four sensors, m; 0 for other plates.
    reach_m : float
        How far from its sensor a load on it can act: half its diagonal, and how far the sensor lies beside its centre.
    """

    a: float
    b: float
    reach_m: float


@frozen_dataclass(eq=False)
class Signals:
    """The channels of one plate.

    Attributes
    ----------
    samples : (channels, samples) array
        By the format's rule, in whatever unit.
    units : sequence of str
        As the file labels the channels.
    rate_hz : float
    steps : (channels,) array
        What one unit of the stored numbers is worth (``ANALOG:SCALE`` · ``GEN_SCALE``).
    told : tuple of float
        What each channel's numbers were multiplied by on another plate of the file with the same labels, whose loads
        told it; empty without one.
    """

    samples: Array
    units: Sequence[str]
    rate_hz: float
    steps: Array
    told: tuple[float, ...] = ()

    @property
    def volts(self) -> bool:
        """Whether every channel is labelled as a voltage."""
        return all(plain(unit) in VOLTAGE_V for unit in self.units)

    @property
    def labels(self) -> str:
        """The labels in words: each once."""
        return ", ".join(dict.fromkeys(unit.strip() or "nothing" for unit in self.units))

    @property
    def no_voltage(self) -> str:
        """Why the numbers can be no voltages, whatever their labels; empty where they can."""
        volt = np.array([VOLTAGE_V.get(plain(unit), np.nan) for unit in self.units])
        if np.isnan(volt).any() or not np.isfinite(self.samples).any():
            return ""
        largest = float(np.nanmax(np.where(np.isfinite(self.samples), np.abs(self.samples), np.nan)))
        if largest * float(volt.min()) > _CONVERTER_V:
            return f"they reach {largest:.3g}, and no converter {_CONVERTER_V:g} V"
        step = float(np.abs(self.steps).min(initial=np.inf))
        if _CONVERTER_V < step * float(volt.min()) < np.inf:
            return (
                f"ANALOG:SCALE gives each step of the converter {step:.3g}, and no converter takes {_CONVERTER_V:g} V"
            )
        return ""


def lasting_extremes(vertical: Array, rate_hz: float) -> tuple[float, float]:
    """The least and the greatest known force, N, leaving out as many samples as a spike could fill."""
    known = vertical[~np.isnan(vertical)]
    spike = min(round(LASTING_S * rate_hz), (len(known) - 1) // 2)
    least, greatest = spike, len(known) - 1 - spike
    known.partition((least, greatest))
    return float(known[least]), float(known[greatest])


def _lasting_N(plate_type: PlateType, values: Array, rate_hz: float, surface: Surface) -> float:
    """The largest force along the plate's z that lasts, N; 0 where no sample is known."""
    known = values[known_rows(values)]
    if not len(known):
        return 0.0
    return max(map(abs, lasting_extremes(plate_type.load(known, surface.a, surface.b)[0][:, 2], rate_hz)))


def person_on_it(
    plate_type: PlateType, values: Array, rate_hz: float, surface: Surface, least_N: float = _PERSON_N[0]
) -> float:
    """The largest force that lasts, N, if a person on that surface can press so and there; 0 if not.

    Parameters
    ----------
    plate_type : PlateType
    values : (samples, quantities) array, SI
        One reading of the channels.
    rate_hz : float
    surface : Surface
    least_N : float
        Less is nobody's.
    """
    values = values[known_rows(values)]
    peak = _lasting_N(plate_type, values, rate_hz, surface)
    if not least_N <= peak <= _PERSON_N[1]:
        return 0.0
    force, moment = plate_type.load(values, surface.a, surface.b)
    loaded = np.abs(force[:, 2]) > max(LOADED_N, peak / 2)
    # the arm of a vertical force about the sensor: r = (−m_y, m_x)/f_z
    arms = np.hypot(moment[loaded, 0], moment[loaded, 1]) / np.abs(force[loaded, 2])
    on_it = loaded.any() and (arms <= surface.reach_m + _DEPTH_M).mean() >= _ON_IT
    return peak if on_it and arms.max() > _STUCK_M else 0.0


def scaled(
    plate_type: PlateType, number: int, length_m: float, signals: Signals, surface: Surface
) -> tuple[Array, Notes, tuple[float, ...]]:
    """Channels that ``ANALOG:SCALE`` alone turns into forces and moments: each by its label, else by the loads.

    Parameters
    ----------
    plate_type : PlateType
        Of as many quantities as channels.
    number : int
        Of the plate.
    length_m : float
        ``POINT:UNITS`` in metres: moments are mostly in newtons times that.
    signals : Signals
    surface : Surface

    Returns
    -------
    values : (samples, quantities) array, SI
    notes : Notes
    told : tuple of float
        What each channel's numbers were multiplied by, where the labels did not say it and something else did.

    Raises
    ------
    ReadError
        A label that is no unit of what the channel holds, and loads that do not tell.
    """
    labelled = list(zip(signals.units, plate_type.holds, strict=True))
    _refuse_foreign(plate_type, number, signals)
    unknown = {what for unit, what in labelled if plain(unit) not in TABLES[what]}
    if not unknown:
        return signals.samples.T * np.array([TABLES[what][plain(unit)] for unit, what in labelled]), (), ()
    # where the forces are known, any load tells in which unit the moments put it on the plate
    least_N = _PERSON_N[0] if FORCE in unknown else LOADED_N
    best, peak, told = _as_it_stands(plate_type, length_m, signals, surface, least_N)
    if peak:
        why = f"up to {peak:.0f} N lasts and acts on its surface"
    else:
        factors = signals.told or _readings(labelled, length_m)[0]
        best = signals.samples.T * np.array(factors)
        why = _in_spite_of_no_load(plate_type, best, signals, surface, FORCE in unknown)
        told = factors if signals.told or FORCE in unknown else ()
    if not why:
        for unit, what in labelled:
            factor(unit, TABLES[what], f"plate {number} {what} channel")
    as_force = {i for i, (unit, what) in enumerate(labelled) if what == MOMENT and plain(unit) in FORCE_N}
    if told and as_force:
        taken = ", ".join(dict.fromkeys(_MOMENT_NAMES.get(told[i], f"N times {told[i]:g} m") for i in as_force))
        name, unit, plain_taken = "plate_doubtful/moment_labels", signals.units[min(as_force)], taken.replace("·", "")
        return best, (note(name, unit=unit, taken=taken, plain=plain_taken, why=why),), told
    units = _units_tried(length_m) if unknown & {MOMENT, PLACE} else ""
    name = "reading_assumed/load_labels"
    return best, (note(name, labels=signals.labels, force=FORCE in unknown, units=units, why=why),), told


def _refuse_foreign(plate_type: PlateType, number: int, signals: Signals) -> None:
    """ReadError at the first label that is no unit of what plates and converters give."""
    for i, unit in enumerate(signals.units):
        if plain(unit) not in _TELLS_NOTHING:
            what = plate_type.holds[min(i, len(plate_type.holds) - 1)]
            factor(unit, TABLES[what], f"plate {number} {what} channel")


def _in_spite_of_no_load(
    plate_type: PlateType, values: Array, signals: Signals, surface: Surface, of_force: bool
) -> str:
    """Why a plate on which nobody is seen to stand may be read all the same; empty where nothing says so."""
    peak = _lasting_N(plate_type, values, signals.rate_hz, surface)
    if of_force and (peak > _PERSON_N[1] or _are_counts(signals)):
        return ""
    if signals.told:
        return "another plate of the file with these labels " + ("holds newtons" if of_force else "tells it")
    if not of_force:
        return "nothing loads it" if peak < LOADED_N else ""
    return signals.no_voltage if peak < _PERSON_N[0] else ""


def _readings(labelled: Sequence[tuple[str, str]], length_m: float) -> list[tuple[float, ...]]:
    """What each channel's numbers may have to be multiplied by; first as the format has it."""
    # one moment without a unit is in that of the others
    given = [TABLES[MOMENT][plain(u)] for u, what in labelled if what == MOMENT and plain(u) in TABLES[MOMENT]]
    tried = {FORCE: (1.0,), MOMENT: (*given, length_m, 1.0, 1e-3), PLACE: (length_m, 1.0, 1e-3)}
    unknown = [
        what for what in (FORCE, MOMENT, PLACE) if any(w == what and plain(u) not in TABLES[w] for u, w in labelled)
    ]
    choices = [dict(zip(unknown, each, strict=True)) for each in product(*(dict.fromkeys(tried[w]) for w in unknown))]
    return [
        tuple(TABLES[what].get(plain(unit), chosen.get(what, 1.0)) for unit, what in labelled) for chosen in choices
    ]


def _units_tried(length_m: float) -> str:
    known = {value: f"{name} and {name[2:]}" for value, name in _MOMENT_NAMES.items()}
    tried = dict.fromkeys((length_m, 1.0, 1e-3))
    return " or ".join(known.get(value, f"N times {value:g} m") for value in tried)


def _are_counts(signals: Signals) -> bool:
    """Whether the numbers are those of the converter as they came: whole, and not scaled."""
    samples = signals.samples
    return bool((np.abs(signals.steps) == 1).all() and samples.any() and (samples == np.rint(samples)).all())


def calibrated(
    plate_type: PlateType, number: int, length_m: float, signals: Signals, surface: Surface, matrix: Array | ReadError
) -> tuple[Array, Notes]:
    """Channels with a calibration matrix: through it, unless only as they stand they are a person's load.

    The matrix maps volts to N and to N times ``POINT:UNITS`` (C3D User Guide, FORCE_PLATFORM:CAL_MATRIX). Where the
    channels are labelled as forces and moments, each row of the result is in its channel's unit.

    Parameters
    ----------
    plate_type : PlateType
    number : int
        Of the plate.
    length_m : float
        ``POINT:UNITS`` in metres.
    signals : Signals
    surface : Surface
    matrix : (quantities, channels) array, or why there is none

    Returns
    -------
    values : (samples, quantities) array, SI
    notes : Notes

    Raises
    ------
    ReadError
        No matrix, or unknown labels, and loads that do not tell.
    """
    _refuse_foreign(plate_type, number, signals)
    through, peak = np.empty(0), 0.0
    if not isinstance(matrix, ReadError):
        through = _through(plate_type, length_m, signals, matrix)
        peak = person_on_it(plate_type, through, signals.rate_hz, surface)
    if peak and signals.volts:
        return through, ()
    if peak:
        return through, (note("reading_assumed/volts", labels=signals.labels, peak_N=peak),)
    as_it_stands, peak, _ = _as_it_stands(plate_type, length_m, signals, surface, _PERSON_N[0])
    if peak:
        return as_it_stands, (note("reading_assumed/newtons", labels=signals.labels, peak_N=peak),)
    if isinstance(matrix, ReadError):
        raise matrix
    if signals.volts:
        return _whole_volts(plate_type, length_m, signals, surface, (through, matrix))
    if len(signals.units) != len(plate_type.holds):
        raise ReadError("its channels are not in volts", found=", ".join(signals.units), todo="correct ANALOG:UNITS")
    for unit, what in zip(signals.units, plate_type.holds, strict=True):
        factor(unit, TABLES[what], f"plate {number} {what} channel")
    return through, (note("reading_assumed/volts_without_load", labels=signals.labels),)


def _whole_volts(
    plate_type: PlateType, length_m: float, signals: Signals, surface: Surface, given: tuple[Array, Array]
) -> tuple[Array, Notes]:
    """Channels on which nobody is seen to stand: as whole volts where they are labelled as parts of one and a person
    then comes and goes; `given` are the values by the labels and the matrix.

    Some files hold volts under the label mV, or a matrix for each millivolt: a foot's load is then 1 N.
    """
    through, matrix = given
    if {VOLTAGE_V[plain(unit)] for unit in signals.units} == {1.0}:
        return through, ()
    volts = _through(plate_type, length_m, replace(signals, units=["V"] * len(signals.units)), matrix)
    largest = _lasting_N(plate_type, volts, signals.rate_hz, surface)
    labels, felt_N = signals.labels, _lasting_N(plate_type, through, signals.rate_hz, surface)
    if (peak := person_on_it(plate_type, volts, signals.rate_hz, surface)) and _comes_and_goes(
        plate_type, volts, signals.rate_hz, surface
    ):
        return volts, (note("reading_assumed/whole_volts", labels=labels, most_N=felt_N, peak_N=peak),)
    if largest >= _PERSON_N[0]:
        return through, (note("plate_doubtful/volt_labels", labels=labels, most_N=felt_N, in_volts_N=largest),)
    return through, ()


def _comes_and_goes(plate_type: PlateType, values: Array, rate_hz: float, surface: Surface) -> bool:
    """Whether the vertical force is next to nothing at one end of its range: a load, not noise about a level."""
    known = values[known_rows(values)]
    vertical = plate_type.load(known, surface.a, surface.b)[0][:, 2]
    empty, loaded = sorted(map(abs, lasting_extremes(vertical, rate_hz)))
    return empty < _EMPTY * loaded


def _as_it_stands(
    plate_type: PlateType, length_m: float, signals: Signals, surface: Surface, least_N: float
) -> tuple[Array, float, tuple[float, ...]]:
    """The channels without a matrix where they then are a person's load, its largest force, and what each was
    multiplied by; else 0 N."""
    if len(signals.units) == len(plate_type.holds) and not _are_counts(signals):
        for factors in _readings(list(zip(signals.units, plate_type.holds, strict=True)), length_m):
            values = signals.samples.T * np.array(factors)
            if peak := person_on_it(plate_type, values, signals.rate_hz, surface, least_N):
                return values, peak, factors
    return np.empty(0), 0.0, ()


def _through(plate_type: PlateType, length_m: float, signals: Signals, matrix: Array) -> Array:
    """(samples, quantities) the channels through the matrix, SI."""
    samples, holds = signals.samples, plate_type.holds
    rows = [length_m if what == MOMENT else 1.0 for what in holds]
    if signals.volts:
        samples = samples * np.array([[VOLTAGE_V[plain(unit)]] for unit in signals.units])
    elif len(signals.units) == len(holds):
        named = zip(signals.units, holds, rows, strict=True)
        rows = [TABLES[what].get(plain(unit), row) for unit, what, row in named]
    values: Array = (matrix @ samples).T * np.array(rows)
    return values
