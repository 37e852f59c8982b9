"""What makes one scenario different from another, as data."""

from __future__ import annotations

from dataclasses import dataclass

from gaitid.simulate.loads import LoadShape
from gaitid.simulate.pattern import NORMAL_LOAD, NORMAL_WALK
from gaitid.simulate.series import Pattern
from gaitid.simulate.timing import Clock


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
    plates : tuple of PlatePlace
        Numbered from 1.
    pattern : Pattern
    load : LoadShape
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
    plates: tuple[PlatePlace, ...]
    pattern: Pattern = NORMAL_WALK
    load: LoadShape = NORMAL_LOAD
    steps: int = 2
    clock: Clock = Clock()  # noqa: RUF009  (frozen)
    belt: bool = False
    pivots_deg: tuple[tuple[int, float], ...] = ()
    slope_deg: float = 0.0
    visits: tuple[Visit, ...] = ()
    swapped: bool = False
