"""Short Fourier series over the stride: the form that every angle of the simulated walk has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.simulate.jet import Jet, constant, sin_cos
from gaitid.simulate.timing import smooth_step


@dataclass(frozen=True)
class Series:
    """``mean + Σ cosine[i] cos(h[i] φ) + sine[i] sin(h[i] φ)`` with φ the phase of the stride.

    Attributes
    ----------
    mean : float
    harmonics : tuple of int
    cosine, sine : tuple of float
        One amplitude a harmonic, in the unit of the quantity.
    """

    mean: float
    harmonics: tuple[int, ...]
    cosine: tuple[float, ...]
    sine: tuple[float, ...]

    def at(self, phase: Jet) -> Jet:
        """The series as a jet (times,) of the phase, rad."""
        total = constant(np.full(phase.value.shape, self.mean), phase.order)
        for harmonic, a, b in zip(self.harmonics, self.cosine, self.sine, strict=True):
            s, c = sin_cos(phase * float(harmonic))
            total = total + c * a + s * b
        return total

    def scaled(self, factor: float) -> Series:
        """Every amplitude times a factor."""
        cosine, sine = (tuple(a * factor for a in amplitudes) for amplitudes in (self.cosine, self.sine))
        return Series(self.mean * factor, self.harmonics, cosine, sine)


@dataclass(frozen=True)
class Planted:
    """A value that is there while a foot is on the ground, and zero in the middle of its swing.

    Attributes
    ----------
    value : float
    stance_fraction : float
        Part of the stride in which the foot is on the ground, from phase 0.
    """

    value: float
    stance_fraction: float

    def at(self, phase: Jet) -> Jet:
        """The course as a jet (times,) of the phase, rad."""
        turns = Jet(phase.d / (2.0 * np.pi))
        turns = turns - np.floor(turns.value)
        middle = 0.5 * (1.0 + self.stance_fraction)
        lifted = smooth_step(turns, self.stance_fraction, middle) - smooth_step(turns, middle, 1.0)
        return (lifted * -1.0 + 1.0) * self.value


@dataclass(frozen=True)
class Sum:
    """Two courses added."""

    first: Series
    second: Series | Planted

    def at(self, phase: Jet) -> Jet:
        """The sum as a jet (times,) of the phase, rad."""
        return self.first.at(phase) + self.second.at(phase)


@dataclass(frozen=True)
class Pattern:
    """One walking style.

    Attributes
    ----------
    stride_s : float
        Duration of a stride.
    speed_m_per_s : float
    stance_fraction : float
        Part of the stride in which a foot is on the ground, from phase 0 of that leg.
    flat_fraction : float
        Part of the stride at which the foot lies flat: where footprints are taken.
    pelvis : mapping of name to Series
        ``forward``, ``lead`` (toward the side that phase 0 belongs to) and ``up``, m; ``tilt``, ``obliquity``
        (lead side up) and ``rotation`` (lead side back), rad.
    leg : mapping of angle to Series or Sum
        Joint angles of one leg against its own phase (`skeleton.LEG_ANGLES`), rad.
    """

    stride_s: float
    speed_m_per_s: float
    stance_fraction: float
    flat_fraction: float
    pelvis: Mapping[str, Series]
    leg: Mapping[str, Series | Sum]
