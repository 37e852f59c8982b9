"""Walks as data: how the body moves, how the ground bears it, where the plates lie, and what happens.

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
from gaitid.simulate.jet import Jet, constant, sin_cos
from gaitid.simulate.loads import LoadShape
from gaitid.simulate.names import ABOUT
from gaitid.simulate.timing import Clock, smooth_step


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
    clock: Clock = Clock()  # noqa: RUF009  (frozen)
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
