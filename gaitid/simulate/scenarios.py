"""Walks as data: how the body moves, when and where, how the ground bears it, and where the plates lie.

Every angle of a simulated walk is a short Fourier series over the stride. The numbers are those of ``configs/gaits``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from gaitid.model.load import bundled_folder
from gaitid.model.yaml_file import load_yaml
from gaitid.numerics.jet import Array, Jet, apply, constant, matmul, sin_cos, stack, time_jet, turn, turn_matrix
from gaitid.simulate import ABOUT
from gaitid.simulate.loads import LoadShape

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


@dataclass(frozen=True)
class Series:
    """``mean + Σ cosine[i] cos(h[i] φ) + sine[i] sin(h[i] φ)`` with φ the phase of the stride.

    Attributes
    ----------
    mean : float
    harmonics : tuple of int
    cosine, sine : tuple of float
        One amplitude a harmonic, in the unit of the quantity.
    planted : float
        Added while the foot is on the ground; nothing of it is left in the middle of its swing.
    stance_fraction : float
        Part of the stride in which the foot is on the ground, from phase 0.
    """

    mean: float
    harmonics: tuple[int, ...]
    cosine: tuple[float, ...]
    sine: tuple[float, ...]
    planted: float = 0.0
    stance_fraction: float = 1.0

    def at(self, phase: Jet) -> Jet:
        """The series as a jet (times,) of the phase, rad."""
        total = constant(np.full(phase.value.shape, self.mean), phase.order)
        for harmonic, a, b in zip(self.harmonics, self.cosine, self.sine, strict=True):
            s, c = sin_cos(phase * float(harmonic))
            total = total + c * a + s * b
        if not self.planted:
            return total
        turns = Jet(phase.d / (2.0 * np.pi))
        turns = turns - np.floor(turns.value)
        middle = 0.5 * (1.0 + self.stance_fraction)
        lifted = smooth_step(turns, self.stance_fraction, middle) - smooth_step(turns, middle, 1.0)
        return total + (lifted * -1.0 + 1.0) * self.planted


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
    pelvis: Mapping[str, Series]
    leg: Mapping[str, Series]


@dataclass(frozen=True)
class PlatePlace:
    """Where a plate lies. Steps count the foot strikes of both feet in pattern time; step 0 is the lead foot's.

    Attributes
    ----------
    step : int or None
        The plate is placed from under the heel marker of this step, or from the laboratory's origin.
    ahead_m : float
        Of the plate's centre, along the walkway.
    x_length_m, y_length_m : float
        Of the plate's sides.
    turned_deg : float
        Plate x from the walkway, counter-clockwise from above when the left foot leads.
    aside_m : float or None
        Of the plate's centre, from the walkway's middle line toward the lead foot's side; None: at the step's heel.
    """

    step: int | None
    ahead_m: float
    x_length_m: float
    y_length_m: float
    turned_deg: float = 0.0
    aside_m: float | None = None


@dataclass(frozen=True)
class Visit:
    """A foot of somebody else on a plate.

    Attributes
    ----------
    plate : int
        Number of the plate.
    strike_s : float
        After the subject's step 0.
    """

    plate: int
    strike_s: float


@dataclass(frozen=True)
class Scenario:
    """A walk, its ground, and what happens.

    Attributes
    ----------
    name : str
        Also the stem of its files.
    about : str
        One line for a user.
    pattern : Pattern
    load : LoadShape
    plates : tuple of PlatePlace
        Numbered from 1.
    steps : int
        How many steps from step 0 on are to lie in the middle of the trial.
    clock : Clock
    belt : bool
        A treadmill's belt carries the walker back as fast as the walker goes.
    pivots_deg : tuple of (step, angle)
        The body turns about the TOE marker of this step while the other foot is in the air; towards the lead foot's
        side.
    slope_deg : float
        Of the ground, uphill.
    visits : tuple of Visit
    swapped : bool
        The cables of plates 1 and 2 are exchanged.
    """

    name: str
    about: str
    pattern: Pattern
    load: LoadShape
    plates: tuple[PlatePlace, ...]
    steps: int = 2
    clock: Clock = Clock()
    belt: bool = False
    pivots_deg: tuple[tuple[int, float], ...] = ()
    slope_deg: float = 0.0
    visits: tuple[Visit, ...] = ()
    swapped: bool = False


@cache
def gait_data(name: str) -> Any:
    """The content of a file of ``configs/gaits``, with tuples for its lists of numbers. Not to be changed."""
    return _with_tuples(load_yaml(bundled_folder("configs") / "gaits" / f"{name}.yaml"))


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_tuples(item) for key, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


@cache
def gait(name: str) -> tuple[Pattern, LoadShape]:
    """How a body moves that walks (``walk``) or runs (``run``), and how the ground bears it."""
    content = dict(gait_data(name))
    load = LoadShape(**content.pop("load"))
    for group in ("pelvis", "leg"):
        content[group] = {key: Series(**series) for key, series in content[group].items()}
    return Pattern(**content), load


def _adducted(pattern: Pattern, angle_rad: float, lowered_m: float) -> Pattern:
    """Planted feet nearer to, or beyond, the middle line; a swinging leg passes the other at its usual distance."""
    up, adduction = pattern.pelvis["up"], pattern.leg["hip_adduction"]
    planted = replace(adduction, planted=angle_rad, stance_fraction=pattern.stance_fraction)
    lowered = replace(up, mean=up.mean - lowered_m)
    return replace(pattern, leg={**pattern.leg, "hip_adduction": planted}, pelvis={**pattern.pelvis, "up": lowered})


def _scenarios() -> dict[str, Scenario]:
    content = gait_data("scenarios")
    scenarios = {}
    for name, entry in content.items():
        entry = dict(entry)
        pattern, load = gait(entry.pop("gait", "walk"))
        if "adducted" in entry:
            pattern = _adducted(pattern, **entry.pop("adducted"))
        given = {**content["walk"], **entry}
        for key, kind in (("plates", PlatePlace), ("visits", Visit)):
            given[key] = tuple(kind(**item) for item in given.get(key, ()))
        given["clock"] = Clock(**given.get("clock", {}))
        scenarios[name] = Scenario(name, ABOUT[name], pattern, load, **given)
    return scenarios


#: Every walk by its name.
SCENARIOS: Mapping[str, Scenario] = _scenarios()
