"""Where a walk takes place: its path carried along by a belt, turned about planted feet, or laid on a slope.

A walk along a straight line on level ground is moved as a whole, x ↦ S (R(t) x + o(t)). Velocities and accelerations
follow exactly, because R and o are jets; joint wrenches are then taken from the moved skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.simulate.jet import Array, Jet, apply, constant, matmul, stack, turn, turn_matrix
from gaitid.simulate.timing import smooth_step


@dataclass(frozen=True)
class Pivot:
    """A turn of the walker about one point of the floor.

    Attributes
    ----------
    start_s, end_s : float
        After the lead foot's strike, laboratory time.
    angle_rad : float
        Counter-clockwise from above.
    about : (2,) tuple of float, m
        Where that point was before this pivot and those before it, walkway axes.
    """

    start_s: float
    end_s: float
    angle_rad: float
    about: tuple[float, float]


@dataclass(frozen=True)
class Passage:
    """What carries the walkway.

    Attributes
    ----------
    belt_m_per_s : float
        Speed at which a treadmill's belt carries everything backward.
    pivots : tuple of Pivot
        In order of time; they do not overlap.
    slope_rad : float
        Of the ground along the walkway, positive uphill.
    """

    belt_m_per_s: float = 0.0
    pivots: tuple[Pivot, ...] = ()
    slope_rad: float = 0.0

    @property
    def plain(self) -> bool:
        """The walkway stays where it is, and level."""
        return self == Passage()

    @property
    def slope(self) -> Array:
        """(3, 3) level ground → sloping ground, walkway axes."""
        return turn_matrix(1, -self.slope_rad)

    def at(self, since: Jet) -> tuple[Jet, Jet]:
        """Rotation (times, 3, 3) and origin (times, 3), m, walkway axes, from laboratory time since the strike, s."""
        zero = constant(np.zeros(since.value.shape), since.order)
        rotation = turn(2, zero)
        origin = stack([since * -self.belt_m_per_s, zero, zero])
        for pivot in self.pivots:
            # T ← T ∘ (turn about P): x ↦ R_T (R (x − P) + P) + o_T. Those before are over and done when this begins.
            r = turn(2, smooth_step(since, pivot.start_s, pivot.end_s) * pivot.angle_rad)
            p = np.array([*pivot.about, 0.0])
            origin = origin + apply(rotation, -apply(r, p) + p)
            rotation = matmul(rotation, r)
        if self.slope_rad:
            tilt = constant(np.broadcast_to(self.slope, rotation.value.shape), since.order)
            rotation, origin = matmul(tilt, rotation), apply(tilt, origin)
        return rotation, origin
