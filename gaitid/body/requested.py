"""A measurement that a model asks for, of one side or of the body, and how a trial's parameters hold it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.body.subject import SI, si_unit
from gaitid.model import specs
from gaitid.records import NamedTuple


class Requested(NamedTuple):
    """A measurement of one side, or (side ``""``) of the body."""

    side: str
    measurement: specs.Measurement
    unit: str
    words: str

    def stored(self, model: specs.Model, parameters: Mapping[str, float], angle_unit: str = "rad") -> float | None:
        """Its value among a trial's parameters, SI; None where they do not hold it."""
        read = self.stored_in(model, parameters, angle_unit)
        return None if read is None else read[0] * SI[read[1]]

    def stored_in(
        self, model: specs.Model, parameters: Mapping[str, float], angle_unit: str = "rad"
    ) -> tuple[float, str] | None:
        """Its number among a trial's parameters, and its unit: the usual one, or of an optional length one that can be.

        Programs store heights in mm, people who type them in also cm and m.
        """
        m = self.measurement
        value = next((v for v in self._numbers(model, parameters) if v or not m.zero_is_absent), None)
        if value is None:
            return None
        unit = angle_unit if m.c3d_unit == "rad" else m.c3d_unit
        units = ("mm", "cm", "m") if self.unit == "m" and m.optional else ()
        possible = [unit for unit in units if m.low <= value * SI[unit] <= m.high]
        usual = m.low <= value * SI[m.c3d_unit] <= m.high or len(possible) != 1
        return value, unit if usual else possible[0]

    def stored_as_zero(self, model: specs.Model, parameters: Mapping[str, float]) -> bool:
        """Whether a trial's parameters hold it as 0 only, which nobody filled in."""
        numbers = self._numbers(model, parameters)
        return self.measurement.zero_is_absent and bool(numbers) and not any(numbers)

    def _numbers(self, model: specs.Model, parameters: Mapping[str, float]) -> list[float]:
        """What a trial's parameters hold under the names that it may have there."""
        letter = next((side.letter for side in model.sides if side.name == self.side), "") if self.side else ""
        names = (name.replace("{S}", letter) for name in self.measurement.c3d)
        return [parameters[name] for name in names if name in parameters]

    def possible(self, value: float) -> bool:
        """Whether a body may have it."""
        return self.measurement.low <= value <= self.measurement.high


def request(model: specs.Model, name: str) -> Requested:
    """A model's measurement by its name, sided as ``left.knee_width``."""
    side, _, bare = name.rpartition(".")
    measurement = model.subject[bare]
    return Requested(side, measurement, si_unit(measurement.unit), name.replace(".", " "))


def display(value: float, unit: str) -> str:
    """A value with its unit, as people say it."""
    if unit == "m" and abs(value) < 1.0:
        return f"{value * 1e3:.4g} mm"
    return f"{np.degrees(value):.4g}°" if unit == "rad" else f"{value:.4g} {unit}"
