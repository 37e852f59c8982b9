"""A stance with a load that no plate tells, and what that may be off by, correlated in time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gaitid.dynamics.chain import Wrench
from gaitid.ground.unmeasured import Unmeasured
from gaitid.numerics.rotation import cross
from gaitid.records import NamedTuple
from gaitid.trial import Array

# m, standard deviation along a foot and across it: where it presses by its roll, against plates; of the body's weight,
# the free moment, of which nothing is told; and, of a stance, how long that lasts. Medians of 10 laboratories; of the
# first half of it lasts for 0.6 of a stance.
PRESSED, FREE, LASTS = (0.020, 0.011), 0.004, 0.5
# Of the variance of a load's error: so much its modes hold.
MODES_HOLD = 0.99


class Filled(NamedTuple):
    """One stance with its load.

    Attributes
    ----------
    stance : Unmeasured
        With the pressure where the load has it.
    force_g : (frames, 3) array, N
    covariance : (3, frames, frames) array, N²
        Of the force along each of `ways`.
    ways : (3, 3) array
        Rows: up, and two along the ground.
    share_of : int or None
        The plate that measured it together with the other foot's, in any of its frames.
    """

    stance: Unmeasured
    force_g: Array
    covariance: Array
    ways: Array
    share_of: int | None

    def errors(self) -> Iterator[Wrench]:
        """What the load may be off by over the stance, about the laboratory's origin: independent of each other, of one
        standard deviation.

        The modes of the force's covariance (Karhunen-Loève: its eigenvectors, times the roots of their values), of
        where the foot presses, along it and across, and of the free moment.
        """
        p_g, parts, nothing = self.stance.pressure_g, self.stance.parts, np.zeros(3)
        for way, covariance in zip(self.ways, self.covariance, strict=True):
            for mode in _modes(covariance):
                f_g = np.outer(mode, way)
                yield Wrench(f_g, cross(p_g, f_g), nothing)
        frames = LASTS * len(parts) / (parts[-1] - parts[0])
        for way, size in zip(self.stance.axes_g[1:], PRESSED, strict=True):
            for mode in _modes(size**2 * lasting(len(parts), frames)):
                yield Wrench(np.zeros_like(p_g), cross(np.outer(mode, way), self.force_g), nothing)
        upward = np.clip(self.force_g @ self.ways[0], 0.0, None)
        for mode in _modes(FREE**2 * lasting(len(parts), frames)):
            yield Wrench(np.zeros_like(p_g), np.outer(mode * upward, self.ways[0]), nothing)


def _modes(covariance: Array) -> Array:
    """(modes, n) independent errors of one standard deviation, the largest first, that a covariance is made of."""
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    count = int(np.searchsorted(np.cumsum(values), MODES_HOLD * values.sum())) + 1
    return np.asarray((vectors[:, :count] * np.sqrt(values[:count])).T)


def lasting(n: int, frames: float) -> Array:
    """(n, n) covariance of a signal of variance 1 that lasts so many frames."""
    apart = np.arange(n)[:, None] - np.arange(n)
    return np.asarray(np.exp(-0.5 * (apart / frames) ** 2))
