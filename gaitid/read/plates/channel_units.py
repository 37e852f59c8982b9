"""What each type of C3D plate holds in its channels, and in which unit where their labels do not say it or cannot be
right.

Files label channels with what the converter had (V), not with what ANALOG:SCALE makes of it (N), or the other way
round. A reading is believed where its loads are those of a person who stands on that surface; where none is, the plate
is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.masks import known_rows
from gaitid.read.length_unit import FORCE_N, LENGTH_M, MOMENT_NM, VOLTAGE_V, factor, plain
from gaitid.read.plates import LOADED_N
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

#: What a channel holds, after the calibration matrix where there is one.
FORCE, MOMENT, PLACE = "force", "moment", "place"

#: (samples, quantities) values in SI, a and b in metres → (samples, 3) force, N, and moment, N·m.
ChannelLoad = Callable[[Array, float, float], tuple[Array, Array]]


@frozen_dataclass()
class PlateType:
    """What one ``FORCE_PLATFORM:TYPE`` stores.

    Attributes
    ----------
    n_channels : int
        Analog channels of a plate.
    holds : tuple of str
        ``force``, ``moment`` or ``place`` (of the centre of pressure) for each channel, or for each row of the
        calibration matrix.
    load : ChannelLoad
        How force and moment follow from what the channels hold.
    calibrated : bool
        Whether ``CAL_MATRIX`` maps the channels, in volts, to what they hold.
    four_sensors : bool
        Whether ``ORIGIN`` holds a, b (half the distances between the sensors) and the depth of their plane, and the
        moment is about the middle of that plane. Otherwise it holds the place of the one point that it is about.
    """

    n_channels: int
    holds: tuple[str, ...]
    load: ChannelLoad
    calibrated: bool = False
    four_sensors: bool = False

    @property
    def places(self) -> list[int]:
        """Which quantities are places."""
        return [i for i, what in enumerate(self.holds) if what == PLACE]


def _of_components(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx, Fy, Fz, Mx, My, Mz: as they stand."""
    return values[:, :3], values[:, 3:]


def _of_place(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx, Fy, Fz, Px, Py, Tz: about the centre of the surface, in which P lies, m = p × f + (0, 0, Tz)."""
    fx, fy, fz, px, py, tz = values.T
    return values[:, :3], np.stack([py * fz, -px * fz, px * fy - py * fx + tz], axis=1)


def _of_pairs(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx12, Fx34, Fy14, Fy23, Fz1, Fz2, Fz3, Fz4 (Kistler 1999): about the middle of the sensors' plane."""
    fx12, fx34, fy14, fy23, fz1, fz2, fz3, fz4 = values.T
    force = [fx12 + fx34, fy14 + fy23, fz1 + fz2 + fz3 + fz4]
    # m = Σ r × f over the sensors
    moment = [b * (fz1 + fz2 - fz3 - fz4), a * (-fz1 + fz2 + fz3 - fz4), b * (-fx12 + fx34) + a * (fy14 - fy23)]
    return np.stack(force, axis=1), np.stack(moment, axis=1)


def _of_corners(values: Array, a: float, b: float) -> tuple[Array, Array]:
    """Fx, Fy, Fz of sensor 1, then of 2, 3, 4: the pairs of an eight-channel plate are sums of these."""
    x1, y1, z1, x2, y2, z2, x3, y3, z3, x4, y4, z4 = values.T
    return _of_pairs(np.stack([x1 + x2, x3 + x4, y1 + y4, y2 + y3, z1, z2, z3, z4], axis=1), a, b)


_SIX = (FORCE,) * 3 + (MOMENT,) * 3

PLATE_TYPES = {
    1: PlateType(6, (FORCE,) * 3 + (PLACE,) * 2 + (MOMENT,), _of_place),
    2: PlateType(6, _SIX, _of_components),
    3: PlateType(8, (FORCE,) * 8, _of_pairs, four_sensors=True),
    4: PlateType(6, _SIX, _of_components, calibrated=True),
    5: PlateType(8, _SIX, _of_components, calibrated=True),
    6: PlateType(12, (FORCE,) * 12, _of_corners, calibrated=True, four_sensors=True),
    7: PlateType(8, (FORCE,) * 8, _of_pairs, calibrated=True, four_sensors=True),
}
#: Known by name only: nothing public says how the forces follow from the channels.
UNDEFINED = {11: "Kistler split-belt treadmill", 12: "Gaitway treadmill", 21: "AMTI stairs"}


TABLES = {FORCE: FORCE_N, MOMENT: MOMENT_NM, PLACE: LENGTH_M}

_MOMENT_NAMES = {1.0: "N·m", 1e-3: "N·mm", 1e-2: "N·cm"}
# Labels beside which the loads are asked. Any other may be a unit of force that nobody here knows, and is refused.
_UNINFORMATIVE = {"", "-", "adc", *VOLTAGE_V, *FORCE_N, *MOMENT_NM, *LENGTH_M}

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


def lasting_extremes(vertical: Array, rate_hz: float) -> tuple[float, float]:
    """The least and the greatest known force, N, leaving out as many samples as a spike could fill."""
    known = vertical[~np.isnan(vertical)]
    spike = min(round(LASTING_S * rate_hz), (len(known) - 1) // 2)
    least, greatest = spike, len(known) - 1 - spike
    known.partition((least, greatest))
    return float(known[least]), float(known[greatest])


@frozen_dataclass(eq=False)
class Signals:
    """The channels of one plate, and what of its geometry the loads can be held against.

    Attributes
    ----------
    plate_type : PlateType
    number : int
        Of the plate.
    length_m : float
        ``POINT:UNITS`` in metres: moments are mostly in newtons times that.
    a, b : float
        Half the distances of four sensors, m; 0 for other plates.
    reach_m : float
        How far from its sensor a load on it can act: half its diagonal, and how far the sensor lies beside its centre.
    samples : (channels, samples) array
        By the format's rule, in whatever unit.
    units : sequence of str
        As the file labels the channels.
    rate_hz : float
    steps : (channels,) array
        What one unit of the stored numbers is worth (``ANALOG:SCALE`` · ``GEN_SCALE``).
    recognised : tuple of float
        What each channel's numbers were multiplied by on another plate of the file with the same labels, whose loads
        recognised it; empty without one.
    """

    plate_type: PlateType
    number: int
    length_m: float
    a: float
    b: float
    reach_m: float
    samples: Array
    units: Sequence[str]
    rate_hz: float
    steps: Array
    recognised: tuple[float, ...] = ()

    @property
    def labelled(self) -> list[tuple[str, str]]:
        """Label of each channel, and what it holds."""
        return list(zip(self.units, self.plate_type.holds, strict=False))

    @property
    def one_each(self) -> bool:
        """Whether each channel holds one quantity."""
        return len(self.units) == len(self.plate_type.holds)

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
            return phrase("read/no_converter", largest=largest, most=_CONVERTER_V)
        step = float(np.abs(self.steps).min(initial=np.inf))
        if _CONVERTER_V < step * float(volt.min()) < np.inf:
            return phrase("read/no_step", step=step, most=_CONVERTER_V)
        return ""

    @property
    def are_counts(self) -> bool:
        """Whether the numbers are those of the converter as they came: whole, and not scaled."""
        samples = self.samples
        return bool((np.abs(self.steps) == 1).all() and samples.any() and (samples == np.rint(samples)).all())

    def refuse(self, but: Collection[str] = ()) -> None:
        """ReadError at the first label, but for some, that is no unit of what its channel holds."""
        holds = self.plate_type.holds
        for unit, what in zip(self.units, [*holds, *holds[-1:] * len(self.units)], strict=False):
            if plain(unit) not in but:
                factor(unit, TABLES[what], f"plate {self.number} {what} channel")

    def vertical(self, values: Array) -> tuple[float, float]:
        """The least and the greatest force along the plate's z that lasts, N, of one reading of the channels."""
        known = values[known_rows(values)]
        if not len(known):
            return 0.0, 0.0
        return lasting_extremes(self.plate_type.load(known, self.a, self.b)[0][:, 2], self.rate_hz)

    def largest_N(self, values: Array) -> float:
        """The largest of these; 0 where no sample is known."""
        return max(map(abs, self.vertical(values)))

    def person_N(self, values: Array, least_N: float = _PERSON_N[0]) -> float:
        """The largest force that lasts, N, if a person on that surface can press so and there; 0 if not.

        Parameters
        ----------
        values : (samples, quantities) array, SI
            One reading of the channels.
        least_N : float
            Less is nobody's.
        """
        values = values[known_rows(values)]
        peak = self.largest_N(values)
        if not least_N <= peak <= _PERSON_N[1]:
            return 0.0
        force, moment = self.plate_type.load(values, self.a, self.b)
        loaded = np.abs(force[:, 2]) > max(LOADED_N, peak / 2)
        # the arm of a vertical force about the sensor: r = (−m_y, m_x)/f_z
        arms = np.hypot(moment[loaded, 0], moment[loaded, 1]) / np.abs(force[loaded, 2])
        on_it = loaded.any() and (arms <= self.reach_m + _DEPTH_M).mean() >= _ON_IT
        return peak if on_it and arms.max() > _STUCK_M else 0.0

    def readings(self) -> list[tuple[float, ...]]:
        """What each channel's numbers may have to be multiplied by; first as the format has it."""
        labelled = [(plain(unit), what) for unit, what in self.labelled]
        # one moment without a unit is in that of the others
        given = [MOMENT_NM[unit] for unit, what in labelled if what == MOMENT and unit in MOMENT_NM]
        tried = {FORCE: (1.0,), MOMENT: (*given, self.length_m, 1.0, 1e-3), PLACE: (self.length_m, 1.0, 1e-3)}
        unknown = [w for w in tried if any(what == w and unit not in TABLES[w] for unit, what in labelled)]
        choices = product(*(dict.fromkeys(tried[what]) for what in unknown))
        chosen = (dict(zip(unknown, each, strict=True)) for each in choices)
        return [tuple(TABLES[what].get(unit, of.get(what, 1.0)) for unit, what in labelled) for of in chosen]

    def as_it_stands(self, least_N: float) -> tuple[Array, float, tuple[float, ...]]:
        """The channels without a matrix where they then are a person's load, its largest force, and what each was
        multiplied by; else 0 N."""
        for factors in self.readings() if self.one_each and not self.are_counts else ():
            values = self.samples.T * np.array(factors)
            if peak := self.person_N(values, least_N):
                return values, peak, factors
        return np.empty(0), 0.0, ()

    def through(self, matrix: Array) -> Array:
        """(samples, quantities) the channels through a matrix, SI."""
        samples, holds = self.samples, self.plate_type.holds
        rows = [self.length_m if what == MOMENT else 1.0 for what in holds]
        if self.volts:
            samples = samples * np.array([[VOLTAGE_V[plain(unit)]] for unit in self.units])
        elif self.one_each:
            rows = [TABLES[what].get(plain(unit), row) for (unit, what), row in zip(self.labelled, rows, strict=True)]
        values: Array = (matrix @ samples).T * np.array(rows)
        return values


def scaled(signals: Signals) -> tuple[Array, Notes, tuple[float, ...]]:
    """Channels that ``ANALOG:SCALE`` alone turns into forces and moments: each by its label, else by the loads.

    Parameters
    ----------
    signals : Signals
        As many channels as the plate's type has quantities.

    Returns
    -------
    values : (samples, quantities) array, SI
    notes : Notes
    recognised : tuple of float
        What each channel's numbers were multiplied by, where the labels did not say it and something else did.

    Raises
    ------
    ReadError
        A label that is no unit of what the channel holds, and loads that do not tell.
    """
    labelled, length_m = signals.labelled, signals.length_m
    signals.refuse(but=_UNINFORMATIVE)
    unknown = {what for unit, what in labelled if plain(unit) not in TABLES[what]}
    if not unknown:
        return signals.samples.T * np.array([TABLES[what][plain(unit)] for unit, what in labelled]), (), ()
    # where the forces are known, any load tells in which unit the moments put it on the plate
    best, peak, recognised = signals.as_it_stands(_PERSON_N[0] if FORCE in unknown else LOADED_N)
    if peak:
        why = phrase("read/person", N=peak)
    else:
        factors = signals.recognised or signals.readings()[0]
        best = signals.samples.T * np.array(factors)
        why = _in_spite_of_no_load(best, signals, FORCE in unknown)
        recognised = factors if signals.recognised or FORCE in unknown else ()
    if not why:
        signals.refuse()
    as_force = {i for i, (unit, what) in enumerate(labelled) if what == MOMENT and plain(unit) in FORCE_N}
    if recognised and as_force:
        taken = ", ".join(
            dict.fromkeys(_MOMENT_NAMES.get(recognised[i], f"N times {recognised[i]:g} m") for i in as_force)
        )
        name, unit, plain_taken = "plate_doubtful/moment_labels", signals.units[min(as_force)], taken.replace("·", "")
        return best, (note(name, unit=unit, taken=taken, plain=plain_taken, why=why),), recognised
    known = {value: f"{name} and {name[2:]}" for value, name in _MOMENT_NAMES.items()}
    tried = [known.get(value, f"N times {value:g} m") for value in dict.fromkeys((length_m, 1.0, 1e-3))]
    units = " or ".join(tried) if unknown & {MOMENT, PLACE} else ""
    name = "reading_assumed/load_labels"
    return best, (note(name, labels=signals.labels, force=FORCE in unknown, units=units, why=why),), recognised


def _in_spite_of_no_load(values: Array, signals: Signals, of_force: bool) -> str:
    """Why a plate on which nobody is seen to stand may be read all the same; empty where nothing says so."""
    peak = signals.largest_N(values)
    if of_force and (peak > _PERSON_N[1] or signals.are_counts):
        return ""
    if signals.recognised:
        return phrase("read/as_another", force=of_force)
    if not of_force:
        return phrase("read/not_loaded") if peak < LOADED_N else ""
    return signals.no_voltage if peak < _PERSON_N[0] else ""


def calibrated(signals: Signals, matrix: Array | ReadError) -> tuple[Array, Notes]:
    """Channels with a calibration matrix: through it, unless only as they stand they are a person's load.

    The matrix maps volts to N and to N times ``POINT:UNITS`` (C3D User Guide, FORCE_PLATFORM:CAL_MATRIX). Where the
    channels are labelled as forces and moments, each row of the result is in its channel's unit.

    Parameters
    ----------
    signals : Signals
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
    signals.refuse(but=_UNINFORMATIVE)
    through, peak, labels = np.empty(0), 0.0, signals.labels
    if not isinstance(matrix, ReadError):
        through = signals.through(matrix)
        peak = signals.person_N(through)
    if peak:
        return through, () if signals.volts else (note("reading_assumed/volts", labels=labels, peak_N=peak),)
    as_it_stands, peak, _ = signals.as_it_stands(_PERSON_N[0])
    if peak:
        return as_it_stands, (note("reading_assumed/newtons", labels=labels, peak_N=peak),)
    if isinstance(matrix, ReadError):
        raise matrix
    if signals.volts:
        return _whole_volts(signals, through, matrix)
    if not signals.one_each:
        raise ReadError("its channels are not in volts", found=", ".join(signals.units), todo="correct ANALOG:UNITS")
    signals.refuse()
    return through, (note("reading_assumed/volts_without_load", labels=labels),)


def _whole_volts(signals: Signals, through: Array, matrix: Array) -> tuple[Array, Notes]:
    """Channels on which nobody is seen to stand: as whole volts where they are labelled as parts of one and a person
    then comes and goes; `through` are the values by the labels.

    Some files hold volts under the label mV, or a matrix for each millivolt: a foot's load is then 1 N.
    """
    if {VOLTAGE_V[plain(unit)] for unit in signals.units} == {1.0}:
        return through, ()
    volts = replace(signals, units=["V"] * len(signals.units)).through(matrix)
    labels, felt_N = signals.labels, signals.largest_N(through)
    # next to nothing at one end of its range is a load, not noise about a level
    empty, largest = sorted(map(abs, signals.vertical(volts)))
    if (peak := signals.person_N(volts)) and empty < _EMPTY * largest:
        return volts, (note("reading_assumed/whole_volts", labels=labels, most_N=felt_N, peak_N=peak),)
    if largest >= _PERSON_N[0]:
        return through, (note("plate_doubtful/volt_labels", labels=labels, most_N=felt_N, in_volts_N=largest),)
    return through, ()
