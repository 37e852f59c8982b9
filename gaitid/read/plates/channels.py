"""A C3D plate's channels in SI units: units, calibration matrix, and the level that they have while it is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Note, Notes
from gaitid.read.plates.plate_types import FORCE, MOMENT, PLACE, PlateType
from gaitid.read.units import FORCE_N, LENGTH_M, MOMENT_NM, VOLTAGE_V, factor, plain
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

# s. A force that lasts shorter is a spike; and one period of the mains (50 Hz), so a mean over less is no level.
_LASTING_S = 0.02
# N. A zero level that pushes may be this large; more may be somebody who stands there.
_MAX_ZERO_N = 50.0
# N. Noise and drift between the zero window and the plate's other empty moments.
_DRIFT_N = 10.0

_TABLES = {FORCE: FORCE_N, MOMENT: MOMENT_NM, PLACE: LENGTH_M}

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
            Of the parameter, whose last one counts plates; one fewer is read as that of a single plate.

        Raises
        ------
        ReadError
            Text, not finite, or nothing about this plate.
        """
        given = self.group.get(name, np.empty(0))
        if not isinstance(given, np.ndarray):
            raise ReadError(f"FORCE_PLATFORM:{name} is text", expected="numbers", todo="export the trial again")
        stored = given.astype(float)
        if stored.ndim == dimensions - 1 > 0:
            stored = stored[..., None]
        if stored.size == 0 or stored.ndim != dimensions or self.number > stored.shape[-1]:
            raise ReadError(f"FORCE_PLATFORM:{name} says nothing of plate {self.number}")
        values = np.atleast_1d(stored[..., self.number - 1])
        if not np.isfinite(values).all():
            raise ReadError(f"FORCE_PLATFORM:{name} is not finite", expected="numbers", todo="export the trial again")
        return values


def si_values(
    plate_type: PlateType, declared: PlateParameters, samples: Array, units: Sequence[str]
) -> tuple[Array, Notes]:
    """What a plate's channels hold, in SI: each by its own unit, or through the plate's calibration matrix.

    The matrix maps volts to N and to N times ``POINT:UNITS`` (C3D User Guide, FORCE_PLATFORM:CAL_MATRIX). Channels
    that declare forces and moments instead are mapped as they stand, each row of the result in its channel's unit.

    Parameters
    ----------
    plate_type : PlateType
    declared : PlateParameters
    samples : (channels, samples) array
    units : sequence of str
        Of the channels, as the file declares them.

    Returns
    -------
    values : (samples, quantities) array
        One column for each entry of `PlateType.holds`.
    notes : Notes

    Raises
    ------
    ReadError
        A unit that is not known, values that are not numbers, a matrix that is missing or of another shape.
    """
    notes: Notes = ()
    volts = plate_type.calibrated and all(plain(unit) in VOLTAGE_V for unit in units)
    if volts:
        factors = [declared.length_m if what == MOMENT else 1.0 for what in plate_type.holds]
        samples = samples * np.array([[VOLTAGE_V[plain(unit)]] for unit in units])
    else:
        if len(units) != len(plate_type.holds):
            raise ReadError("its channels are not in volts", found=", ".join(units), todo="correct ANALOG:UNITS")
        rows = zip(units, plate_type.holds, strict=True)
        factors = [factor(unit, _TABLES[what], f"plate {declared.number} {what} channel") for unit, what in rows]
    if plate_type.calibrated:
        if not volts and np.size(declared.group.get("CAL_MATRIX", ())) == 0:
            text = f"no CAL_MATRIX; its channels say {', '.join(units)} and are taken as they stand"
            notes += (Note("reading_assumed", text),)
        else:
            samples = _calibration(declared, (len(factors), len(units))) @ samples
    values: Array = samples.T * np.array(factors)
    if PLACE in plate_type.holds:
        # a force of exactly nothing has no place, and needs none
        places = _columns(plate_type, PLACE)
        values[:, places] = np.where(values[:, :3].any(axis=1, keepdims=True), values[:, places], 0.0)
    unknown = ~np.isfinite(values).all(axis=1)
    if unknown.all():
        todo = "correct ANALOG:SCALE and GEN_SCALE, or export the trial again"
        raise ReadError("none of its samples holds a number in every channel", todo=todo)
    if unknown.any():
        # A load of which a part is unknown is unknown.
        values[unknown] = np.nan
        count = f"{unknown.sum()} of {len(values)} samples hold a value that is no number"
        notes += (Note("values_lost", f"{count}; its load is unknown there"),)
    return values, notes


def _columns(plate_type: PlateType, quantity: str) -> list[int]:
    return [i for i, what in enumerate(plate_type.holds) if what == quantity]


def _calibration(declared: PlateParameters, shape: tuple[int, int]) -> Array:
    """``CAL_MATRIX`` of one plate; ``MATRIX_STORE`` (Qualisys, Visual3D) may say that it is stored by row."""
    block = declared.numbers("CAL_MATRIX", 3)
    rows, columns = shape
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
    words : str
        The frames, for messages.
    unfit : str
        Why no level can be taken from them, whatever the plates feel; empty where one can.
    """

    samples: slice
    words: str
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
        unfit = f"the trial ends with frame {n_samples // max(per_frame, 1)}"
    elif samples.stop - samples.start < _LASTING_S * rate_hz:
        unfit = f"shorter than a period of the mains, {_LASTING_S * 1e3:g} ms"
    return ZeroWindow(samples, f"frames {first} to {last} (FORCE_PLATFORM:ZERO)", unfit)


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
        unfit = "the load is unknown then"
    if not unfit:
        level = float(np.nanmean(vertical[window.samples]))
        empty, loaded = sorted(lasting_extremes(vertical, rate_hz), key=abs)
        pulls = level * loaded < 0
        if abs(level - empty) > _DRIFT_N or (abs(level) > _MAX_ZERO_N and not pulls):
            unfit = f"the plate may be loaded then: {abs(level):.3g} N"
    if unfit:
        return values, Note("plate_bias", f"{window.words} are not used as its zero level ({unfit})")
    zero = np.nanmean(values[window.samples], axis=0)
    # a place has no zero level
    zero[_columns(plate_type, PLACE)] = 0.0
    done = f"the mean of {window.words} was taken off as its zero level ({abs(level):.3g} N vertically)"
    return values - zero, Note("plate_bias_removed", done)


def lasting_extremes(vertical: Array, rate_hz: float) -> tuple[float, float]:
    """The least and the greatest known force, N, leaving out as many samples as a spike could fill."""
    ordered = np.sort(vertical[~np.isnan(vertical)])
    spike = min(round(_LASTING_S * rate_hz), (len(ordered) - 1) // 2)
    return float(ordered[spike]), float(ordered[-1 - spike])
