"""Short Fourier series over the stride: the form that every angle of the simulated walk has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.simulate.jet import Jet, constant, sin_cos


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
        return Series(
            self.mean * factor,
            self.harmonics,
            tuple(a * factor for a in self.cosine),
            tuple(b * factor for b in self.sine),
        )


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
    leg : mapping of angle to Series
        Joint angles of one leg against its own phase (`skeleton.LEG_ANGLES`), rad.
    """

    stride_s: float
    speed_m_per_s: float
    stance_fraction: float
    flat_fraction: float
    pelvis: dict[str, Series]
    leg: dict[str, Series]
