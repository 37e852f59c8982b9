"""Courses over time as a scenario file writes them down: level, slope, sines and pulses; two exact derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaitid.simulate.jet import Array


@dataclass(frozen=True)
class Sine:
    """``amplitude sin(2π frequency t + phase)``; frequency in Hz, phase in rad."""

    amplitude: float
    frequency_hz: float
    phase_rad: float = 0.0


@dataclass(frozen=True)
class Pulse:
    """``height (4 u (1 − u))³`` with u running from 0 to 1 between two times, s; two derivatives vanish at its ends."""

    height: float
    from_s: float
    to_s: float


@dataclass(frozen=True)
class Course:
    """A quantity over time: ``level + slope t`` and the sum of its sines and pulses.

    Attributes
    ----------
    level : float
        In the unit of the quantity.
    slope : float
        Of it per s.
    sines : tuple of Sine
    pulses : tuple of Pulse
    """

    level: float = 0.0
    slope: float = 0.0
    sines: tuple[Sine, ...] = ()
    pulses: tuple[Pulse, ...] = ()

    def at(self, times_s: ArrayLike) -> tuple[Array, Array, Array]:
        """The value and its first two derivatives at times, s; each of the shape of the times."""
        t = np.asarray(times_s, dtype=np.float64)
        value, rate, acceleration = self.level + self.slope * t, _all_of(t, self.slope), _all_of(t, 0.0)
        for sine in self.sines:
            w = 2.0 * np.pi * sine.frequency_hz
            s, c = np.sin(w * t + sine.phase_rad), np.cos(w * t + sine.phase_rad)
            value = value + sine.amplitude * s
            rate = rate + sine.amplitude * (w * c)
            acceleration = acceleration + sine.amplitude * (-w * w * s)
        for pulse in self.pulses:
            length = pulse.to_s - pulse.from_s
            u = np.minimum(np.maximum((t - pulse.from_s) / length, 0.0), 1.0)
            h, h1, h2 = 4.0 * u * (1.0 - u), 4.0 * (1.0 - 2.0 * u) / length, -8.0 / length**2
            # Products, not h**3: a power differs in its last bit between one number and many, and by machine.
            value = value + pulse.height * (h * h * h)
            rate = rate + pulse.height * (3.0 * h * h * h1)
            acceleration = acceleration + pulse.height * (6.0 * h * h1 * h1 + 3.0 * h * h * h2)
        return value, rate, acceleration


def _all_of(times_s: Array, value: float) -> Any:
    """A value at all times; a number at one, of which an integration asks thousands: an array takes ten times as
    long."""
    return np.full_like(times_s, value) if times_s.ndim else np.float64(value)


def at_all(courses: Sequence[Course], times_s: ArrayLike) -> tuple[Array, Array, Array]:
    """Several courses and their derivatives, each (…, courses)."""
    value, rate, acceleration = zip(*(course.at(times_s) for course in courses))
    if np.ndim(times_s) == 0:
        return np.array(value), np.array(rate), np.array(acceleration)
    return np.stack(value, axis=-1), np.stack(rate, axis=-1), np.stack(acceleration, axis=-1)
