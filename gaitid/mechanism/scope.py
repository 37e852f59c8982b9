"""Names, numbers and histories of a mechanism file: what its parts are read with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import GaitidError
from gaitid.mechanism.body import Formula, History, Sine, read_samples
from gaitid.mechanism.constraints import CENTRE
from gaitid.model.fields import MISSING, Faults, Fields, formula_number, nearest
from gaitid.trial import Array

#: Of a body's centre of mass, and of the ground's origin.
CENTRE_NAME = "G"
# They become names of columns.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
DEGREES = pi / 180
# Of any number in a file, in SI: beyond it lies no mechanism, but an overflow.
LARGEST = 1e12


class Scope:
    """The bodies and points that a file has named, and the folder that its tables are beside."""

    def __init__(self, folder: Path, faults: Faults) -> None:
        self.folder = folder
        self.faults = faults
        self.tables: list[Path] = []
        self._points: dict[str, dict[str, Array]] = {}

    def declare(self, body: str, points: dict[str, Array]) -> None:
        self._points[body] = {CENTRE_NAME: CENTRE, **points}

    def good_name(self, name: str, where: str) -> None:
        if not _NAME.match(name):
            self.faults.add(f"{where}: a name has letters, digits and _ and begins with a letter, found {name!r}")

    # --- numbers -----------------------------------------------------------------------------------------

    def number(self, value: object, where: str) -> float:
        """A number, or a formula of numbers such as ``2*pi``; 1 with a fault where it is neither."""
        number = formula_number(value, where, self.faults, -LARGEST, LARGEST)
        return 1.0 if number is None else number

    def field(self, fields: Fields, key: str, default: object = MISSING, low: float = -np.inf) -> float:
        """A number that must be there where it has no default, and at least `low`."""
        value = fields.raw(key, default)
        if value is None and key not in fields.values:
            return 1.0
        result = self.number(value, fields.at(key))
        if result < low:
            self.faults.add(f"{fields.at(key)}: expected at least {low:g}, found {value!r}")
        return result

    def pair(self, value: object, where: str) -> Array:
        if not isinstance(value, list) or len(value) != 2:
            self.faults.add(f"{where}: expected [x, y], found {value!r}")
            return np.ones(2)
        return np.array([self.number(v, f"{where}[{k}]") for k, v in enumerate(value)])

    def angle(self, fields: Fields, name: str, default: float | None = None) -> float:
        """``{name}_rad`` or ``{name}_deg``, in rad."""
        unit, scale = self._angle_key(fields, name, default is None)
        if unit is None:
            return default or 0.0
        return scale * self.number(fields.raw(unit), fields.at(unit))

    def _angle_key(self, fields: Fields, name: str, needed: bool) -> tuple[str | None, float]:
        given = [key for key in (f"{name}_rad", f"{name}_deg") if fields.raw(key, None) is not None]
        if len(given) > 1 or (needed and not given):
            self.faults.add(f"{fields.path}: expected one of {name}_rad and {name}_deg, found {len(given)} of them")
        return (given[0], DEGREES if given[0].endswith("_deg") else 1.0) if given else (None, 1.0)

    # --- bodies and points -------------------------------------------------------------------------------

    def index(self, value: object, where: str) -> int:
        names = list(self._points)
        if value not in names:
            self.faults.add(f"{where}: no body {value!r}{nearest(str(value), names)}")
            return 0
        return names.index(str(value))

    def bodies(self, fields: Fields, count: int) -> tuple[int, ...]:
        """The key ``bodies``: so many different ones, not all of them the ground."""
        names = fields.raw("bodies")
        if not isinstance(names, list) or len(names) != count:
            if names is not None:
                self.faults.add(f"{fields.at('bodies')}: expected {count} bodies, found {names!r}")
            return (0,) * count
        if len({str(name) for name in names}) < count:
            self.faults.add(f"{fields.at('bodies')}: the same body twice, found {names!r}")
        return tuple(self.index(name, f"{fields.at('bodies')}[{k}]") for k, name in enumerate(names))

    def point(self, value: object, body: int, where: str) -> Array:
        """A named point of a body, in its axes."""
        name = list(self._points)[body]
        points = self._points[name]
        if not isinstance(value, str) or value not in points:
            self.faults.add(f"{where}: {name} has no point {value!r}{nearest(str(value), list(points))}")
            return CENTRE
        return points[value]

    def points(self, fields: Fields, key: str, bodies: Sequence[int]) -> list[Array]:
        """One named point of each of the bodies."""
        names = fields.raw(key)
        if not isinstance(names, list) or len(names) != len(bodies):
            if names is not None:
                self.faults.add(f"{fields.at(key)}: expected {len(bodies)} points, found {names!r}")
            return [CENTRE for _ in bodies]
        return [self.point(n, b, f"{fields.at(key)}[{k}]") for k, (n, b) in enumerate(zip(names, bodies, strict=True))]

    def line(self, value: object, body: int, where: str) -> tuple[Array, Array]:
        """``[P, Q]``: a point of a body, and the vector from it to another."""
        if not isinstance(value, list) or len(value) != 2:
            self.faults.add(f"{where}: expected two points of {list(self._points)[body]}, found {value!r}")
            return CENTRE, np.ones(2)
        P, Q = (self.point(name, body, f"{where}[{k}]") for k, name in enumerate(value))
        if not (Q - P).any():
            self.faults.add(f"{where}: two points at the same place give no direction, found {value!r}")
            return CENTRE, np.ones(2)
        return P, Q - P

    # --- histories ---------------------------------------------------------------------------------------

    def history(self, value: object, where: str, scale: float = 1.0, degree: int = 1) -> History:
        """A constant, a formula or a column of a table; `degree` is the spline's where the file does not say.

        A degree of 3 and more is asked of what must have accelerations.
        """
        if not isinstance(value, dict):
            return Formula((scale * self.number(value, where),))
        fields = Fields(value, where, self.faults)
        result = self._samples(fields, scale, degree) if "table" in value else self._formula(fields, scale)
        fields.done()
        return result

    def histories(self, fields: Fields, key: str) -> tuple[History, History]:
        """``[x, y]``, each a history."""
        value = fields.raw(key)
        if not isinstance(value, list) or len(value) != 2:
            if value is not None:
                self.faults.add(f"{fields.at(key)}: expected [x, y], found {value!r}")
            return Formula(), Formula()
        x, y = (self.history(v, f"{fields.at(key)}[{k}]") for k, v in enumerate(value))
        return x, y

    def driven_angle(self, fields: Fields) -> History:
        """``angle_rad`` or ``angle_deg``, in rad."""
        unit, scale = self._angle_key(fields, "angle", True)
        return Formula() if unit is None else self.history(fields.raw(unit), fields.at(unit), scale, 5)

    def _formula(self, fields: Fields, scale: float) -> Formula:
        if not {"polynomial", "sines"} & set(fields.values):
            self.faults.add(f"{fields.path}: expected a number, polynomial and sines, or table and column")
        coefficients, sines = fields.raw("polynomial", [0]), fields.raw("sines", [])
        for key, value in (("polynomial", coefficients), ("sines", sines)):
            if not isinstance(value, list):
                self.faults.add(f"{fields.at(key)}: expected a list, found {value!r}")
                return Formula()
        c = [scale * self.number(v, f"{fields.at('polynomial')}[{k}]") for k, v in enumerate(coefficients)]
        return Formula(c, [self._sine(v, f"{fields.at('sines')}[{k}]", scale) for k, v in enumerate(sines)])

    def _sine(self, value: object, where: str, scale: float) -> Sine:
        fields = Fields(value, where, self.faults)
        amplitude, frequency_hz = scale * self.field(fields, "amplitude"), self.field(fields, "frequency_hz")
        sine = Sine(amplitude, frequency_hz, self.angle(fields, "phase", 0.0))
        fields.done()
        return sine

    def _samples(self, fields: Fields, scale: float, degree: int) -> History:
        table, column = fields.text("table"), fields.text("column")
        chosen: Any = fields.raw("degree", degree)
        allowed = [d for d in (1, 3, 5) if d >= min(degree, 3)]
        if chosen not in allowed:
            self.faults.add(f"{fields.at('degree')}: expected {' or '.join(map(str, allowed))}, found {chosen!r}")
            return Formula()
        path = self.folder / table
        try:
            samples = read_samples(path, column, int(chosen), scale)
        except GaitidError as error:
            self.faults.add(f"{fields.path}: {error.line()}")
            return Formula()
        if path not in self.tables:
            self.tables.append(path)
        return samples
