"""Functions of time that drive a mechanism or load it, with their exact derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ModelError, reading
from gaitid.records import NamedTuple
from gaitid.trial import Array


class History(ABC):
    """A number that depends on time."""

    @abstractmethod
    def at(self, t: Array, order: int = 0) -> Array:
        """Value (order 0) or derivative (1, 2) at times (…,), s."""


class Sine(NamedTuple):
    """amplitude · sin(2π frequency_hz t + phase_rad)."""

    amplitude: float
    frequency_hz: float
    phase_rad: float


@dataclass(frozen=True, eq=False)
class Formula(History):
    """c₀ + c₁ t + c₂ t² + … + Σ sines.

    Attributes
    ----------
    polynomial : sequence of float
        c₀, c₁, …
    sines : sequence of Sine
    """

    polynomial: Sequence[float] = (0.0,)
    sines: Sequence[Sine] = ()

    def at(self, t: Array, order: int = 0) -> Array:
        coefficients = list(self.polynomial)
        for _ in range(order):
            coefficients = [k * c for k, c in enumerate(coefficients)][1:]
        value = np.zeros_like(t)
        for c in reversed(coefficients):
            value = value * t + c
        for sine in self.sines:
            w = 2 * pi * sine.frequency_hz
            # each derivative multiplies by w and moves the phase on by a quarter turn
            value = value + sine.amplitude * w**order * np.sin(w * t + sine.phase_rad + order * pi / 2)
        return np.asarray(value)


class Samples(History):
    """An interpolating spline through a column of a CSV file.

    Parameters
    ----------
    times_s : (n,) array
        Increasing.
    values : (n,) array
    degree : int
        Of the spline: 5 has continuous accelerations (and jerk), 1 does not swing where a load sets in.
    source : str
        File and column, for errors.
    """

    def __init__(self, times_s: Array, values: Array, degree: int, source: str) -> None:
        from scipy.interpolate import make_interp_spline  # a mechanism without tables does without it

        self._spline: Any = make_interp_spline(times_s, values, k=degree)
        self._first, self._last, self._source = float(times_s[0]), float(times_s[-1]), source

    def at(self, t: Array, order: int = 0) -> Array:
        # A time that was computed may be off the table's end by its rounding.
        slack = 1e-9 * max(1.0, abs(self._first), abs(self._last))
        if np.any((t < self._first - slack) | (t > self._last + slack)):
            raise ModelError(
                f"{self._source}: the table does not reach over the time asked for",
                expected=f"{self._first:g} to {self._last:g} s",
                found=f"{np.min(t):g} to {np.max(t):g} s",
            )
        return np.asarray(self._spline(t, nu=order))


def read_samples(path: Path, column: str, degree: int, scale: float) -> Samples:
    """A column of a CSV that also has `time_s`; the values are multiplied by `scale`.

    Raises
    ------
    GaitidError
        The file cannot be read, lacks a column, has too few rows, an empty cell, or times that do not increase.
    """
    from gaitid.model.fields import nearest
    from gaitid.read.tables.text_table import Dialect, cells_of, is_blank, numbers_of, read_lines

    where = f"{path.name}: "
    with reading(where):
        lines = [line for line in read_lines(path) if not is_blank(line)]
    names = cells_of(lines[0], Dialect()) if lines else []
    for needed in ("time_s", column):
        if needed not in names:
            raise ModelError(f"{where}no column {needed!r}{nearest(needed, names)}", expected="time_s and " + column)
    with reading(where):
        values = numbers_of(lines[1:], 2, names, Dialect())
    t, y = values[:, names.index("time_s")], values[:, names.index(column)]
    if len(t) <= degree:
        expected = f"more than {degree} rows for degree {degree}"
        raise ModelError(f"{where}too short", expected=expected, found=str(len(t)))
    unknown = ~(np.isfinite(t) & np.isfinite(y))
    if unknown.any():
        empty = f"{where}row {int(np.argmax(unknown)) + 2}, column {column!r} or 'time_s': empty"
        raise ModelError(empty, expected="a number in every row")
    if not np.all(np.diff(t) > 0):
        row = int(np.argmin(np.diff(t) > 0))
        raise ModelError(f"{where}row {row + 3}, column 'time_s': times must increase")
    return Samples(t, scale * y, degree, f"{path.name}, column {column!r}")
