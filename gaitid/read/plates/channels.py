"""A C3D plate's channels in SI units: units, calibration matrix, and the level that they have while it is empty."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.masks import known_rows
from gaitid.read.length_unit import LENGTH_M, factor, plain
from gaitid.read.plates.channel_units import LASTING_S, TABLES, PlateType, Signals, calibrated, lasting_extremes, scaled
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

# N. A zero level that pushes may be this large; more may be somebody who stands there.
_MAX_ZERO_N = 50.0
# N. Noise and drift between the zero window and the plate's other empty moments.
_DRIFT_N = 10.0

Group = Mapping[str, Any]


@frozen_dataclass(eq=False)
class PlateParameters:
    """What a file says of one plate.

    Attributes
    ----------
    group : mapping of parameter name to value
        ``FORCE_PLATFORM``, of all plates.
    number : int
        Of this plate, from 1.
    length_unit : str
        ``POINT:UNITS``, in which the group's lengths are.
    """

    group: Group
    number: int
    length_unit: str

    @property
    def length_m(self) -> float:
        """The unit of lengths in metres; ReadError where it is not known."""
        return factor(self.length_unit, LENGTH_M, "POINT:UNITS")

    def numbers(self, name: str, dimensions: int) -> Array:
        """What one parameter says of the plate: finite numbers.

        Parameters
        ----------
        name : str
        dimensions : int
            Of the parameter, whose last one counts plates; one fewer is read as that of a single plate, and more
            that hold nothing (``TYPE`` of n × 1) are left out.

        Raises
        ------
        ReadError
            Text, not finite, or nothing about this plate.
        """
        given = self.group.get(name, np.empty(0))
        if not isinstance(given, np.ndarray):
            raise ReadError(f"FORCE_PLATFORM:{name} is text", expected="numbers", todo="export the trial again")
        stored = _with_dimensions(given.astype(float), dimensions)
        if stored.size == 0 or stored.ndim != dimensions or self.number > stored.shape[-1]:
            raise ReadError(f"FORCE_PLATFORM:{name} says nothing of plate {self.number}")
        values = np.atleast_1d(stored[..., self.number - 1])
        if not np.isfinite(values).all():
            raise ReadError(f"FORCE_PLATFORM:{name} is not finite", expected="numbers", todo="export the trial again")
        return values


def _with_dimensions(stored: Array, dimensions: int) -> Array:
    """A parameter with so many dimensions, where others are of length 1; else as it is."""
    if dimensions == 1 and max(stored.shape, default=1) == stored.size:
        return stored.ravel()
    while stored.ndim > dimensions and stored.shape[-1] == 1:
        stored = stored[..., 0]
    return stored[..., None] if stored.ndim == dimensions - 1 > 0 else stored


def si_values(declared: PlateParameters, signals: Signals) -> tuple[Array, Notes, tuple[float, ...]]:
    """What a plate's channels hold, in SI: each by its own unit, or through the plate's calibration matrix.

    Parameters
    ----------
    declared : PlateParameters
    signals : Signals

    Returns
    -------
    values : (samples, quantities) array
        One column for each entry of `PlateType.holds`.
    notes : Notes
    recognised : tuple of float
        What each channel without a matrix was multiplied by, where its label did not say it (`scaled`).

    Raises
    ------
    ReadError
        A unit that is not known, values that are not numbers, a matrix that is missing or of another shape.
    """
    plate_type, units = signals.plate_type, signals.units
    recognised: tuple[float, ...] = ()
    unmatched = plate_type.calibrated and np.size(declared.group.get("CAL_MATRIX", ())) == 0
    say_loads = signals.one_each and all(plain(unit) in TABLES[what] for unit, what in signals.labelled)
    if plate_type.calibrated and not (unmatched and say_loads):
        matrix: Array | ReadError
        try:
            matrix = _calibration(declared, len(plate_type.holds), len(units))
        except ReadError as error:
            matrix = error
        values, notes = calibrated(signals, matrix)
    else:
        values, notes, recognised = scaled(signals)
        if unmatched:
            notes += (note("reading_assumed/no_matrix", units=[*units]),)
    if places := plate_type.places:
        # a force of exactly nothing has no place, and needs none
        values[:, places] = np.where(values[:, :3].any(axis=1, keepdims=True), values[:, places], 0.0)
    unknown = ~known_rows(values)
    if unknown.all():
        todo = "correct ANALOG:SCALE and GEN_SCALE, or export the trial again"
        raise ReadError("none of its samples holds a number in every channel", todo=todo)
    if unknown.any():
        # A load of which a part is unknown is unknown.
        values[unknown] = np.nan
        notes += (note("values_lost/samples", lost=unknown.sum(), of=len(values)),)
    return values, notes, () if plate_type.calibrated else recognised


def _calibration(declared: PlateParameters, rows: int, columns: int) -> Array:
    """``CAL_MATRIX`` of one plate; ``MATRIX_STORE`` (Qualisys, Visual3D) may say that it is stored by row."""
    block = declared.numbers("CAL_MATRIX", 3)
    if block.ndim != 2 or block.shape[0] < rows or block.shape[1] < columns:
        found = " × ".join(str(n) for n in block.shape)
        raise ReadError("CAL_MATRIX does not fit the plate's type", expected=f"{rows} × {columns}", found=found)
    store = declared.group.get("MATRIX_STORE", [""])
    if len(store) and str(store[0]).strip("\x00 ").upper() == "BYROW":
        # stored by column as every C3D array is read: the same numbers in the same order, filled in by row
        block = block.ravel(order="F").reshape(block.shape)
    matrix = block[:rows, :columns]
    if np.count_nonzero(block) != np.count_nonzero(matrix):
        raise ReadError("CAL_MATRIX does not fit the plate's type", expected=f"zeros outside {rows} × {columns}")
    if not matrix.any(axis=1).all():
        raise ReadError("CAL_MATRIX has a row of zeros", todo="store the plate's calibration in the file")
    return matrix


@frozen_dataclass()
class ZeroWindow:
    """``FORCE_PLATFORM:ZERO``: samples in which every plate is said to be empty.

    Attributes
    ----------
    samples : slice
    frames : str
        In words, for notes.
    unfit : str
        Why no level can be taken from them, whatever the plates feel; empty where one can.
    """

    samples: slice
    frames: str
    unfit: str = ""


def zero_window(group: Group, per_frame: int, n_samples: int, rate_hz: float) -> ZeroWindow | None:
    """The window that a file gives, or None: 0, 0 and a last frame before the first (1, 0 of Nexus) mean none.

    Frames count from 1 at the file's first frame, and 0, n means 1, n (C3D User Guide, FORCE_PLATFORM:ZERO).
    """
    given = group.get("ZERO", ())
    if not isinstance(given, np.ndarray) or given.size != 2 or not np.isfinite(given).all():
        return None
    first, last = max(int(given.flat[0]), 1), int(given.flat[1])
    if last < first:
        return None
    samples = slice((first - 1) * per_frame, last * per_frame)
    unfit = ""
    if samples.stop > n_samples:
        unfit = phrase("read/zero_beyond", last=n_samples // max(per_frame, 1))
    elif samples.stop - samples.start < LASTING_S * rate_hz:
        unfit = phrase("read/zero_short", ms=LASTING_S * 1e3)
    return ZeroWindow(samples, phrase("read/zero_frames", first=first, last=last), unfit)


def zeroed(
    values: Array, vertical: Array, plate_type: PlateType, window: ZeroWindow, rate_hz: float
) -> tuple[Array, Note]:
    """The channels with their mean over the window taken off, if the plate was empty in it; and what was done.

    The mean is a zero level only where nobody stands. A plate can only push, so its empty reading is an end of the
    range of its vertical force, the one nearer to nothing; and a level on the side of the loads is taken to be
    somebody's weight unless it is small.

    Parameters
    ----------
    values : (samples, quantities) array
        As `si_values` gives them.
    vertical : (samples,) array, N
        Along the plate's z.
    plate_type : PlateType
    window : ZeroWindow
    rate_hz : float

    Returns
    -------
    values : (samples, quantities) array
    note : Note
    """
    unfit = window.unfit
    if not unfit and np.isnan(vertical[window.samples]).all():
        unfit = phrase("read/zero_unknown")
    if not unfit:
        level = float(np.nanmean(vertical[window.samples]))
        empty, loaded = sorted(lasting_extremes(vertical, rate_hz), key=abs)
        pulls = level * loaded < 0
        if abs(level - empty) > _DRIFT_N or (abs(level) > _MAX_ZERO_N and not pulls):
            unfit = phrase("read/zero_loaded", N=abs(level))
    if unfit:
        return values, note("reading_info/zero_level", frames=window.frames, why=unfit)
    zero = np.nanmean(values[window.samples], axis=0)
    # a place has no zero level
    zero[plate_type.places] = 0.0
    return values - zero, note("plate_bias_removed/zero_level", frames=window.frames, level_N=abs(level))


# Fx1, FX1, Force.Fx1, ForceX1, Fx_1, Fx_FP1, Fx; F1X; plate1_Fx_N, FP1 Fx, #1.Fx; LFx, Left_Fx, Fx_L
_WHAT, _AXIS = "(?P<what>F|FORCE|M|MOMENT)[ _.]?", "(?P<axis>[XYZ])"
_NUMBER = r"(?P<number>\d{1,2})"
_ENDS_IN_NUMBER = rf"(?:.*[^A-Z])?{_WHAT}{_AXIS}(?:[ _.#-]*(?:(?:FP|PLATE)[ _.#-]*)?{_NUMBER})?"
_NUMBER_WITHIN = rf"(?:.*[^A-Z])?{_WHAT}{_NUMBER}[ _.]?{_AXIS}"
_NUMBER_FIRST = rf".*?{_NUMBER}[ _.:-]*{_WHAT}{_AXIS}"
_UNIT = r"(?:[ _]*[\[(]?N(?:\.?M{1,2})?[\])]?)?"
_SIDE = "(?P<side>L|LEFT|R|RIGHT)"
_SIDE_FIRST = rf"(?:.*[^A-Z])?{_SIDE}[ _.-]*{_WHAT}{_AXIS}"
_SIDE_LAST = rf"(?:.*[^A-Z])?{_WHAT}{_AXIS}[ _.-]*{_SIDE}"
_PATTERNS = (_NUMBER_FIRST, _NUMBER_WITHIN, _SIDE_FIRST, _SIDE_LAST, _ENDS_IN_NUMBER)
#: The six of a plate, as its number follows them.
SIX = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


def plates_by_name(labels: Sequence[str]) -> Mapping[int, tuple[int, ...]]:
    """The channels of each plate whose six are named: Fx, Fy, Fz, Mx, My, Mz, as places in `labels`, from 0.

    A plate's number stands in the names of its channels (``Fx1``, ``F1X``, ``Force.Fx1``, ``plate1_Fx_N``). Where a
    side stands in them instead (``LFx``, ``Fx_R``), the plate of the side that is named first is plate 1, the other
    plate 2; where neither does, the first of each name are those of plate 1, the second those of plate 2. A plate of
    whose six one is named twice is not recognised.
    """
    sides: dict[str, int] = {}
    named: dict[tuple[int, str], list[int]] = {}
    without: dict[str, int] = {}
    for place, label in enumerate(labels):
        match = next((m for p in _PATTERNS if (m := re.fullmatch(p + _UNIT, label.strip().upper()))), None)
        if match is None:
            continue
        component = match["what"][0] + match["axis"].lower()
        parts = match.groupdict()
        if parts.get("number"):
            number = int(parts["number"])
        elif parts.get("side"):
            number = sides.setdefault(parts["side"][0], len(sides) + 1)
        else:
            number = without[component] = without.get(component, 0) + 1
        named.setdefault((number, component), []).append(place)
    numbers = sorted({number for number, _ in named})
    of_plates = {number: [named.get((number, component), []) for component in SIX] for number in numbers}
    return {
        number: tuple(places[0] for places in six)
        for number, six in of_plates.items()
        if all(len(places) == 1 for places in six)
    }
