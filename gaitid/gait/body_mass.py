"""The body's mass where nobody says it: what the plates carry in quiet standing, or over whole strides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.contacts import AIR, UNKNOWN, Loads
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import PlateLoad, unknown_frames
from gaitid.ground.sole import MAY_STAND, reaches_onto, sole
from gaitid.notes import phrase
from gaitid.numerics.masks import median, quantile, spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

# kg. Nobody who walks across a plate is lighter or heavier: else a channel is in another unit.
LIGHTEST, HEAVIEST = 5.0, 300.0
# s. Quiet standing lasts at least this long; no double support of a walk is so long and so even.
QUIET = 0.4
# Share of the weight. While somebody stands quietly the load stays within this of its median; in the statics of four
# children and an adult its standard deviation is 0.0010 to 0.0020 of it.
EVEN = 0.02
# m. So far the outline of a sole, drawn wide, may lie beside the plates under a foot that stands wholly on them; its
# heel and toe markers may not.
OUTLINE_BESIDE = 0.03
# Share of the mass. Windows of one step laid a frame apart agree within this (their standard deviation), or the load
# of a foot is not its whole one: twice the largest of the shared walks (docs/method.md, section 3).
SPREAD = 0.013
# Share of the mass. In the four children's and the Qualisys trials a step and the static agree within 1 %.
AGREE = 0.02
# Share of what the feet carry. More than this on the plates beside them is a stick, a hand or another person.
BESIDE_FEET = 0.02
# Windows of a stride that tell whether they agree, as a share of its frames, and the frames of the shortest step.
WINDOWS, MIN_FRAMES = 0.125, 8
# s. Over a sample that was lost as a glitch the load goes on in a straight line: of a step's impulse it is a hundredth.
LOST = 0.05
# Confidence of a contact below which its load is too doubtful to weigh a body with.
SURE = 0.5

NOWHERE: Mapping[int, PlateLoad] = MappingProxyType({})


@frozen_dataclass()
class BodyMass:
    """The body's mass by the plates.

    Attributes
    ----------
    mass_kg : float
        NaN where they do not tell it.
    spread_kg : float
        Standard deviation of what it is the mean or the median of.
    evidence : str
        What it was measured over; where it is not known, why not.
    doubt : str
        Why it may be wrong; empty where nothing speaks against it.
    """

    mass_kg: float
    spread_kg: float
    evidence: str
    doubt: str = ""

    @property
    def known(self) -> bool:
        """Whether the plates tell it, be it with a doubt."""
        return bool(np.isfinite(self.mass_kg))

    @property
    def sure(self) -> bool:
        """Whether they tell it and nothing speaks against it."""
        return self.known and not self.doubt

    @property
    def refused(self) -> str:
        """Why it is not used."""
        if not self.known:
            return self.evidence
        return phrase("mass/unlikely", over=self.evidence, kg=self.mass_kg, doubt=self.doubt)


def no_mass(name: str, /, **values: object) -> BodyMass:
    """No mass, and why not, in words of `gaitid.notes.phrase`."""
    return BodyMass(float("nan"), float("nan"), phrase(name, **values))


def agreed(standing: BodyMass, walking: BodyMass) -> BodyMass:
    """Two doubtful masses as one where they agree: neither fault is likely to make just the other's number.

    Its spread is that of both numbers, if theirs are smaller. Where only one is known or they differ, both are refused.
    """
    difference = abs(walking.mass_kg - standing.mass_kg)
    if not difference <= AGREE * standing.mass_kg:
        return no_mass("mass/refused", why=[mass.refused for mass in (standing, walking) if mass.evidence])
    mass = (standing.mass_kg + walking.mass_kg) / 2
    spread = max(difference / 2**0.5, standing.spread_kg, walking.spread_kg)
    return BodyMass(mass, spread, phrase("mass/both", over=standing.evidence, other=walking.evidence))


def _plausible(mass: BodyMass) -> BodyMass:
    if LIGHTEST <= mass.mass_kg <= HEAVIEST:
        return mass
    return no_mass("mass/unlikely", over=mass.evidence, kg=mass.mass_kg, doubt="")


# --- quiet standing -----------------------------------------------------------------------------------------


def standing_mass(
    ground: Ground, gravity_m_per_s2: float, where: str, readings: Mapping[int, PlateLoad] = NOWHERE
) -> BodyMass:
    """The mass of who stands quietly with both feet on plates: m = F / g, the mean over that time.

    Parameters
    ----------
    ground : Ground
        What its plates read while they are empty was taken off where that is known.
    gravity_m_per_s2 : float
    where : str
        Which trial it is, in words.
    readings : mapping of plate number to PlateLoad
        The plates in another trial of the session: what they read there while they were empty counts here for those
        that are never empty.

    Returns
    -------
    BodyMass
        Doubtful where a foot may stand partly beside the plates.
    """
    if not gravity_m_per_s2 > 0:
        return no_mass("mass/no_gravity")
    if len(ground.feet) < 2:
        return no_mass("mass/one_foot")
    plates = [p for p in ground.plates if p.outlined and p.number not in ground.withheld]
    if not plates:
        return no_mass("mass/no_plate", where=where)
    force, beside, empty_known = _under_feet(ground, plates, readings)
    for doubt, sure in (("", True), (phrase("mass/part_beside"), False)):
        standing = np.isfinite(force)
        for side, foot in ground.feet.items():
            on = [reaches_onto(plate, foot) & _level(plate, foot) for plate in plates]
            standing &= ground.stances[side].standing & np.logical_or.reduce(on)
            if sure:
                standing &= _wholly_on(plates, foot, ground.floor.up_g)
        weight = float(median(force[standing])) if standing.any() else np.nan
        with np.errstate(invalid="ignore"):
            quiet = standing & (np.abs(force - weight) <= EVEN * weight) & ~(beside > BESIDE_FEET * weight)
        first, stop = max(spans(quiet), key=lambda span: span[1] - span[0], default=(0, 0))
        if stop - first >= max(QUIET * ground.rate_hz, 1):
            mass = force[first:stop] / gravity_m_per_s2
            evidence = phrase("mass/quiet", where=where, zeroed=empty_known)
            return _plausible(BodyMass(float(mass.mean()), float(mass.std()), evidence, doubt))
    return no_mass("mass/restless", where=where, s=QUIET)


def _under_feet(
    ground: Ground, plates: Sequence[PlateLoad], readings: Mapping[int, PlateLoad]
) -> tuple[Array, Array, bool]:
    """Vertical force of the plates under the feet and of the others, (frames,), N; whether it is known what all those
    under the feet read while they are empty.
    """
    up_g = ground.floor.up_g
    under_N, beside_N, known = np.zeros(ground.n_frames), np.zeros(ground.n_frames), True
    for plate in plates:
        vertical = plate.wrench.f_g @ up_g
        under = np.logical_or.reduce([reaches_onto(plate, foot) for foot in ground.feet.values()])
        if under.any() and not np.isfinite(plate.bias_g).all():
            other = readings.get(plate.number)
            if other is None or not np.isfinite(other.bias_g).all():
                known = False
            elif other.removed:
                vertical = vertical - other.bias_g @ up_g
        under_N += np.where(under, vertical, 0.0)
        # a steady load beside the feet may be a stick, although it was taken for the reading of an empty plate
        taken_off = abs(float(plate.bias_g @ up_g)) if plate.removed else 0.0
        beside_N += np.where(under, 0.0, np.abs(vertical) + taken_off)
    return under_N, beside_N, known


def _level(plate: PlateLoad, foot: FootTrack) -> Mask:
    """(frames,) the lower marker of a foot is as high above a plate as a standing foot's."""
    height = np.minimum(*((point - plate.centre_g) @ plate.normal_g for point in (foot.heel_g, foot.toe_g)))
    with np.errstate(invalid="ignore"):
        return np.asarray((height > MAY_STAND[0]) & (height < MAY_STAND[1]))


def _wholly_on(plates: Sequence[PlateLoad], foot: FootTrack, up_g: Array) -> Mask:
    """(frames,) heel and toe markers lie over plates at the foot's height, and so does the sole's outline nearly."""
    level = [(plate, _level(plate, foot)) for plate in plates]

    def over(point_g: Array, least: float) -> Mask:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.logical_or.reduce([(plate.margin(point_g) >= least) & at for plate, at in level]))

    on = over(foot.heel_g, 0.0) & over(foot.toe_g, 0.0)
    for corner in sole(foot, up_g):
        on &= over(corner, -OUTLINE_BESIDE)
    return on


# --- whole strides ------------------------------------------------------------------------------------------


def walking_mass(ground: Ground, loads: Loads, vertical_m_per_s: Array, gravity_m_per_s2: float) -> BodyMass:
    """The mass by the momentum principle over whole strides, or else whole steps, in which every contact is on plates.

    Newton for the whole body, over a time T:  ∫ F_z dt = m (g T + Δv_z). Over a stride the body comes back to the same
    phase, so that the pelvis tells the small change Δv_z of its centre of mass; over a step too, as far as both steps
    are alike (Gard et al. 2004, Hum Mov Sci 22:597-610: a marker of the sacrum rises farther than the centre of mass
    within a step, in phase with it).

    A stride lasts from a strike of a foot to its next, a step to the other foot's. A window of that length is begun at
    every frame from the first to the second where all loads in it are known: two plates know no step from its very
    strike on, because the other foot still stands before them. The mass of a stride is the median over its windows,
    that of the trial the median over its strides.

    Windows of one step, begun early or late, count one foot's load more or less. Where they do not agree, also within
    whole strides, a foot's load may not be its whole one (it stands partly beside its plate), and the mass is doubtful.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    vertical_m_per_s : (frames,) array
        Of the pelvis, upward.
    gravity_m_per_s2 : float

    Returns
    -------
    BodyMass
        Its spread is the standard deviation over all windows of all strides.
    """
    if not gravity_m_per_s2 > 0:
        return no_mass("mass/no_gravity")
    if len(loads.by_side) < 2:
        return no_mass("mass/one_foot")
    up_g = ground.floor.up_g
    total = np.sum([load.wrench.f_g @ up_g for load in loads.by_side.values()], axis=0)
    known = np.isfinite(total) & np.logical_and.reduce([load.state != UNKNOWN for load in loads.by_side.values()])
    for contact in loads.contacts:
        if contact.plates and contact.confidence < SURE:
            known[contact.loaded] = False
    total[~known] = np.nan
    beside = np.sum([p.wrench.f_g @ up_g for p in ground.plates], axis=0) - total
    if any(plate.glitches for plate in ground.plates):
        lost = round(LOST * ground.rate_hz)
        total, beside = (_over_glitches(force, lost, ground.floor.passes) for force in (total, beside))
    strikes = _strikes(loads)
    weighing = Weighing(total, beside, vertical_m_per_s, gravity_m_per_s2, ground.rate_hz)
    steps, strides = (
        [masses for start, stop in ends if len(masses := weighing.masses(start, stop))]
        for ends in (_steps(strikes), _strides(strikes))
    )
    if not steps:
        return no_mass("mass/no_step")
    samples, what = (strides, "strides") if strides else (steps, "steps")
    mass, spread = float(median(np.array([median(m) for m in samples]))), float(np.concatenate(samples).std())
    evidence = phrase(f"mass/{what}", n=len(samples))
    if not LIGHTEST <= mass <= HEAVIEST:
        return _plausible(BodyMass(mass, spread, evidence))
    # of many steps a few may be spoilt: the median leaves them out
    uneven = float(quantile(np.array([masses.std() for masses in steps]), 0.75))
    doubt = ""
    if max(uneven, spread) > SPREAD * mass:
        doubt = phrase("mass/feet_differ")
    return BodyMass(mass, spread, evidence, doubt)


def _over_glitches(force: Array, most: int, passes: Sequence[slice]) -> Array:
    """(frames,) with gaps of a few frames filled along a straight line, but for those between two passes."""
    filled, known = force.copy(), np.isfinite(force)
    joins = {*unknown_frames(passes)}
    for first, stop in spans(~known):
        if first > 0 and stop < len(force) and stop - first <= most and joins.isdisjoint(range(first, stop)):
            filled[first:stop] = np.interp(np.arange(first, stop), [first - 1, stop], force[[first - 1, stop]])
    return filled


@frozen_dataclass(eq=False)
class Weighing:
    """What a stride is weighed with.

    Attributes
    ----------
    total_N : (frames,) array
        Vertical force on the feet; NaN where a foot's load is not known.
    beside_N : (frames,) array
        What plates carry besides.
    vertical_m_per_s : (frames,) array
        Of the pelvis, upward.
    gravity_m_per_s2, rate_hz : float
    """

    total_N: Array
    beside_N: Array
    vertical_m_per_s: Array
    gravity_m_per_s2: float
    rate_hz: float

    def masses(self, start: int, stop: int) -> Array:
        """(windows,) mass, kg, over each window of the stride between two strikes; none where these are too few."""
        n = stop - start
        first = np.arange(start, min(stop, len(self.total_N) - n))
        if n < MIN_FRAMES or not first.size:
            return np.empty(0)
        total, beside = (sums.mean(first, n) for sums in (self._total, self._beside))
        gained = self.vertical_m_per_s[first + n] - self.vertical_m_per_s[first]
        with np.errstate(invalid="ignore", divide="ignore"):  # who falls freely weighs 0 / 0
            # Newton:  mean F_z = m (g + Δv_z / T)
            mass = total / (self.gravity_m_per_s2 + gained * self.rate_hz / n)
            mass = mass[np.isfinite(mass) & ~(np.abs(beside) > BESIDE_FEET * total)]
        return mass if len(mass) >= WINDOWS * n else np.empty(0)

    @cached_property
    def _total(self) -> _Sums:
        return _summed(self.total_N)

    @cached_property
    def _beside(self) -> _Sums:
        return _summed(self.beside_N)


class _Sums(NamedTuple):
    """A force added up once, for the means over many windows.

    Attributes
    ----------
    impulse : (frames,) array
        From the first frame to each (trapezoids), N times a frame.
    unknown : (frames + 1,) array
        How many frames before each are not known.
    """

    impulse: Array
    unknown: IntArray

    def mean(self, first: IntArray, n: int) -> Array:
        """(windows,) mean of the force over n frames from each first one; NaN where any of it is unknown."""
        mean = (self.impulse[first + n] - self.impulse[first]) / n
        return np.where(self.unknown[first + n + 1] == self.unknown[first], mean, np.nan)


def _summed(force: Array) -> _Sums:
    known = np.isfinite(force)
    force = np.where(known, force, 0.0)
    impulse = np.concatenate([[0.0], np.cumsum((force[1:] + force[:-1]) / 2)])
    return _Sums(impulse, np.concatenate([[0], np.cumsum(~known)]))


def _strikes(loads: Loads) -> list[tuple[int, str]]:
    """Frame and side of each landing on plates from the air, in order of time."""
    strikes = []
    for contact in loads.contacts:
        before = contact.loaded.start - 1
        if contact.plates and before >= 0 and loads.by_side[contact.side].state[before] == AIR:
            strikes.append((contact.first, contact.side))
    return sorted(strikes)


def _steps(strikes: Sequence[tuple[int, str]]) -> list[tuple[int, int]]:
    """Frames of two strikes on end of different feet."""
    return [(a, b) for (a, side), (b, other) in pairwise(strikes) if side != other]


def _strides(strikes: Sequence[tuple[int, str]]) -> list[tuple[int, int]]:
    """Frames of two strikes on end of one foot."""
    return [(a, b) for side in sorted({s for _, s in strikes}) for a, b in pairwise(f for f, s in strikes if s == side)]
