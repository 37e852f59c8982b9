"""When and where a walk takes place: pattern time against laboratory time, and what carries the walkway.

Walks slow down, stand still, go on, or run backwards. A walk along a straight line on level ground is moved as a whole,
x ↦ S (R(t) x + o(t)): carried along by a belt, turned about planted feet, or laid on a slope. Velocities and
accelerations follow exactly, because R and o are jets; joint wrenches are then taken from the moved skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.simulate.jet import Array, Jet, apply, constant, matmul, stack, time_jet, turn, turn_matrix

#: No walk lasts longer, s: bounds the search for an instant.
_LONGEST_S = 1e3
#: Of u⁰, u¹, …: the integral of `smooth_step` where it lasts from 0 to 1.
_RAMP = (0, 0, 0, 0, 0, 7.0, -14.0, 10.0, -2.5)


def smooth_step(t: Jet, start: float, end: float) -> Jet:
    """A step from 0 before `start` to 1 after `end`, three times continuously differentiable (times,)."""
    # 35 u⁴ − 84 u⁵ + 70 u⁶ − 20 u⁷: the polynomial of least degree whose first three derivatives vanish at both ends
    return _between(t, start, end, (0, 0, 0, 0, 35, -84, 70, -20), after=constant(1.0, t.order))


def _between(t: Jet, start: float, end: float, coefficients: tuple[float, ...], after: Jet) -> Jet:
    u = (t - start) * (1.0 / (end - start))
    total = constant(np.full(t.value.shape, float(coefficients[-1])), t.order)
    for c in coefficients[-2::-1]:  # Horner
        total = total * u + c
    later = after.d if after.d.ndim == t.d.ndim else after.d[:, None]
    return Jet(np.where(t.value <= start, 0.0, np.where(t.value >= end, later, total.d)))


@dataclass(frozen=True)
class Clock:
    """How pattern time runs, from the lead foot's strike on.

    Attributes
    ----------
    rate : float
        1 forward, −1 backward (a film run in reverse: velocities change sign, accelerations do not).
    changes : tuple of (start, end, change)
        Between `start` and `end`, s after the strike, the rate changes smoothly by `change`. It never becomes
        negative times `rate`.
    """

    rate: float = 1.0
    changes: tuple[tuple[float, float, float], ...] = ()

    @property
    def plain(self) -> bool:
        """Whether pattern time is laboratory time."""
        return self.rate == 1.0 and not self.changes

    def at(self, since: Jet) -> Jet:
        """Pattern time (times,), s, from laboratory time since the strike."""
        if self.plain:
            return since
        pattern_time = since * self.rate
        for start, end, change in self.changes:
            # the integral of `smooth_step`: 0 before `start`, and of slope 1 after `end`
            ramp = tuple(c * (end - start) for c in _RAMP)
            after = since - 0.5 * (start + end)
            pattern_time = pattern_time + _between(since, start, end, ramp, after) * change
        return pattern_time

    def _at(self, since_s: float) -> float:
        return float(self.at(time_jet([since_s], 0)).value[0])

    def when(self, pattern_s: float) -> float:
        """Laboratory time since the strike, s, at which pattern time has this value; ±∞ where it never has."""
        if self.plain:
            return pattern_s
        direction = np.sign(self.rate)
        low, high = -_LONGEST_S, _LONGEST_S
        for bound in (low, high):
            if direction * (self._at(bound) - pattern_s) * np.sign(bound) < 0:
                return float(np.sign(bound) * np.inf)
        while high - low > 1e-12 * max(1.0, abs(low)):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            if direction * (self._at(middle) - pattern_s) < 0:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)


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
