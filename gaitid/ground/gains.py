"""The size of the vertical force against what the body's motion asks for: gains, units, the mass.

A wrong gain of one plate shows against the others: within one trial their ratios of given to asked agree within 0.02.
One common to all plates and a wrong mass look alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gaitid.ground.balance import SURE, Balance, means_over_window
from gaitid.ground.contacts import UNKNOWN, Loads
from gaitid.ground.fault import Borne, Fault
from gaitid.ground.ground import Ground
from gaitid.notes import note, phrase
from gaitid.numerics.masks import known_rows
from gaitid.numerics.statistics import mean, median
from gaitid.trial import Array

# Ratios of two plates in one trial that differ by more are not of one body: medians of plates in one trial agree within
# 0.017, on a treadmill within 0.024, but for feet over an edge (15 walks; benchmarks/balance.py, docs/balance.md); one
# of four transducers at half its gain makes 0.05 to 0.1. A plate whose own ratio is farther from 1 than the second
# while all others are within the third is not believed.
APART, WITHHELD, FITS = 0.045, 0.18, 0.07
# From the first to the last of so many contacts or more on one plate its ratio changes by more than this, along a line
# to within a quarter of it (root mean square): the gain drifts. Clean plates change by 0.02 at most, also over eleven
# contacts of a run.
DRIFTS, ON_A_LINE, CONTACTS = 0.1, 0.25, 3
# The common ratio is farther from 1 by more than this: by whole steps of the trial (right to 1 to 2 %), and by single
# support alone (right to 6 %), the third where the body flies (17 % on a simulated run).
BY_STEPS, BY_SUPPORT, BY_RUNNING = 0.07, 0.12, 0.25
# s of known loads, a stance of walking. Of the variance of the force that the motion asks for along the way: 0.002 to
# 0.06 is left in walks in which trunk and arms were measured.
STANCE_S, UNTOLD = 0.65, 0.15
# s. Contacts of a sprint are too short to tell one by one: there the median of `CONTACTS` and more tells, each of the
# first, if it is farther from 1 than by the second: 1.02 in a sprint (0.51 with half the gain), 0.84 to 1.23 in
# pieces of 0.07 s of three contacts drawn from the runs of two more laboratories.
BRIEF, BY_SPRINTING = 0.06, 0.4
# Within this share of a known ratio of units it is named.
OF_UNIT = 0.08
UNITS: Mapping[str, float] = {
    "plate/force_in_lb": 1 / 4.4482,
    "plate/force_as_lb": 4.4482,
    "plate/mass_in_lb": 1 / 2.2046,
    "plate/mass_as_lb": 2.2046,
    "plate/force_in_kg": 1 / 9.80665,
}


def gain_faults(
    borne: Sequence[Borne], loads: Loads, balance: Balance, weights: tuple[float, float, str]
) -> list[Fault]:
    """Plates, or all of them, that give another force than the body's motion asks for.

    Parameters
    ----------
    borne : sequence of Borne
    loads : Loads
    balance : Balance
    weights : (float, float, str)
        The body's, N; what the plates carry over whole steps, N, NaN where that is not known; and what the first was
        estimated from, empty where a source says it.
    """
    weight_N, walked_N, weighed_by = weights
    ratios = _ratios(borne, balance, weight_N)
    brief = not ratios and balance.flies
    if brief:
        each = _ratios(borne, balance, weight_N, BRIEF)
        values = [ratio for of_plates in each.values() for ratio in of_plates]
        numbers = tuple(dict.fromkeys(number for plates in each for number in plates))
        ratios = {numbers: [float(median(np.array(values)))]} if len(values) >= CONTACTS else {}
    if not ratios:
        return []
    typical = {number: float(median(np.array(values))) for number, values in ratios.items()}
    common = float(median(np.array(list(typical.values()))))
    drifting = list(_drifting(ratios))
    of_one = {fault.plates for fault in drifting}
    faults = [*(f for f in _apart(typical, weight_N) if f.withheld or f.plates not in of_one), *drifting]
    if faults or weighed_by:
        return faults
    limit = BY_SPRINTING if brief else BY_RUNNING if balance.flies else BY_SUPPORT
    if np.isfinite(walked_N):
        common, limit = walked_N / weight_N, BY_STEPS
    if abs(common - 1) <= limit:
        return []
    sides = {c.side for c in loads.contacts if c.plates}
    several = len(typical) > 1 or len(sides) > 1
    units = unit_of_ratio(common)
    wrong = note(
        "body_not_carried/units" if units else "body_not_carried/mass",
        several=several,
        ratio=common,
        steps=np.isfinite(walked_N),
        units=units,
        less=common < 1,
    )
    return [Fault(wrong, common=tuple(dict.fromkeys(number for plates in typical for number in plates)), ratio=common)]


def gains_along(ground: Ground, loads: Loads, balance: Balance, along_g: Array) -> dict[int, float]:
    """Gain of each plate's force along a way, against its vertical force, by what the whole body's motion asks for.

    What is asked is put together from the forces of the plates (least squares of means over `WINDOW`): the force of a
    plate that gives too much gets a small share.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    balance : Balance
        Of the whole body: pelvis and legs alone swing otherwise along the way (gains of 0.46 to 1.46 in clean walks).
    along_g : (3,) array

    Returns
    -------
    dict of plate number to float
        Of the plates that feet stand on; empty where the motion does not tell.
    """
    if balance.com_g is None:
        return {}
    of_feet = list(loads.by_side.values())
    given_g = sum((load.wrench.f_g for load in of_feet), np.zeros_like(balance.asked_g))
    known = np.logical_and.reduce([load.state != UNKNOWN for load in of_feet])
    known &= known_rows(given_g) & known_rows(balance.asked_g)
    numbers = sorted({number for contact in loads.contacts for number in contact.plates})
    plates = [plate for plate in ground.plates if plate.number in numbers]
    if np.count_nonzero(known) < STANCE_S * balance.rate_hz:
        return {}
    mass = mean((given_g @ balance.up_g)[known]) / mean((balance.asked_g @ balance.up_g)[known])
    along = [balance.asked_g @ along_g, *(np.nan_to_num(plate.wrench.f_g @ along_g) / mass for plate in plates)]
    asked, *given = (means_over_window(values, known, balance.rate_hz) for values in along)
    seen = np.isfinite(asked)
    columns = np.stack([*(values[seen] for values in given), np.ones(np.count_nonzero(seen))], axis=1)
    shares, left, rank, _ = np.linalg.lstsq(columns, asked[seen], rcond=None)
    around = asked[seen] - mean(asked[seen])
    if rank < columns.shape[1] or not left.size or not left[0] < UNTOLD * (around @ around):
        return {}
    return {plate.number: 1 / share for plate, share in zip(plates, shares.tolist(), strict=False) if share > 0}


def _ratios(
    borne: Sequence[Borne], balance: Balance, weight_N: float, least_s: float = SURE
) -> dict[tuple[int, ...], list[float]]:
    """Given over asked of each stance in single support for so long, by the plates that the foot stands on."""
    asked = balance.asked_g @ balance.up_g * (weight_N / balance.gravity_m_per_s2)
    result: dict[tuple[int, ...], list[float]] = {}
    for one in borne:
        given = one.force_g @ balance.up_g
        known = np.isfinite(given) & np.isfinite(asked[one.frames])
        whole = float(asked[one.frames][known].sum())
        if known.sum() > least_s * balance.rate_hz and whole > 0:
            result.setdefault(one.plates, []).append(float(given[known].sum()) / whole)
    return result


def _apart(typical: Mapping[tuple[int, ...], float], weight_N: float) -> Iterator[Fault]:
    """Plates that do not weigh the body as the others do."""
    if len(typical) < 2:
        return
    spread = max(typical.values()) - min(typical.values())
    if spread <= APART * max(1.0, min(typical.values())):
        return
    farthest = max(typical, key=lambda plates: abs(np.log(max(typical[plates], 1e-3))))
    others = {plates: ratio for plates, ratio in typical.items() if plates != farthest}
    ratio = typical[farthest]
    others_fit = all(abs(other - 1) <= FITS for other in others.values())
    each = [phrase("plate/gives_times", plates=plates, ratio=other) for plates, other in others.items()]
    units = unit_of_ratio(ratio, of_mass=False)
    wrong = note(
        "plate_gain/apart" if not others_fit else "plate_gain/units" if units else "plate_gain/gain",
        plates=farthest,
        ratio=ratio,
        others=each,
        units=units,
        N=(ratio - 1) * weight_N,
    )
    yield Fault(wrong, others_fit and abs(ratio - 1) > WITHHELD)


def _drifting(ratios: Mapping[tuple[int, ...], Sequence[float]]) -> Iterator[Fault]:
    """Plates that weigh the body otherwise from contact to contact, always the same way."""
    for plates, values in ratios.items():
        if len(values) < CONTACTS:
            continue
        at = np.arange(len(values)) - (len(values) - 1) / 2
        slope = float(at @ np.array(values) / (at @ at))
        change = slope * (len(values) - 1)
        left = np.array(values) - np.mean(values) - slope * at
        if abs(change) > DRIFTS and np.sqrt(np.mean(left**2)) < ON_A_LINE * abs(change):
            first, *_, last = values
            yield Fault(note("plate_gain/drifts", plates=plates, first=first, last=last, contacts=len(values)))


def unit_of_ratio(ratio: float, of_mass: bool = True) -> list[str]:
    """The mistakes of units, of the mass or only of forces, that make plates carry so many times what they should."""
    near = (name for name, factor in UNITS.items() if abs(ratio / factor - 1) < OF_UNIT)
    return [phrase(name) for name in near if of_mass or "/mass" not in name]
