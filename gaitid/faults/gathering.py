"""Plates, feet and motion of a trial, put together as the evidence that hypotheses compete on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gaitid.faults.evidence import EVERY, LEAST_FORCE, WINDOW, Evidence, Pressing, State, Step, window_means
from gaitid.ground.balance import Balance
from gaitid.ground.clocks import LANDS
from gaitid.ground.contacts import AIR, LOADED, UNSUPPORTED, Loads
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import STEP, PlateLoad, one_plane
from gaitid.ground.sole import UNDER_BALL, UNDER_HEEL, pressed_point, rolled, sole
from gaitid.numerics.masks import known_rows, median, median_of_known, spans
from gaitid.numerics.rotation import cross, norm, unit
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, Mask, read_only

# s. Runs of known frames are no longer than this: a longer one is several; of more than so many these are taken evenly.
LONGEST, MOST_RUNS = 1.0, 60
# s. A foot that is flat for longer does not roll over evenly. Of the greatest force: less tells too little of where it
# presses.
LONGEST_FLAT, PRESSES = 0.6, 0.15
# m that a plate may lie beside where the file has it, for a foot that stands over none to have loaded it.
BESIDE = 0.15
# m. A heel's marker that stays so far above the toe's is an ankle's.
NO_HEEL = 0.04
# s that a foot stands; m that feet go, and places: less tells nothing of the floor.
STANDS, WAY, PLACES = 0.15, 2.0, 8


@frozen_dataclass(eq=False)
class Mover:
    """What is known of the body that the plates carry.

    Attributes
    ----------
    balance : Balance or None
        What its motion asks of the ground; None where something else carries it too.
    com_g : (frames, 3) array, m
        Its centre of mass.
    weight_N : float
        NaN where it is not known.
    weighed : bool
        A source of its own says it, and not these plates.
    """

    balance: Balance | None
    com_g: Array
    weight_N: float
    weighed: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "com_g", read_only(self.com_g))


def gather(ground: Ground, loads: Loads, mover: Mover) -> Evidence:
    """The residuals of a trial.

    Parameters
    ----------
    ground : Ground
    loads : Loads
        As judged with the plates as filed.
    mover : Mover
        Where its weight is not known it is taken to be what the plates carry on average.
    """
    balance = mover.balance
    plates, rate, up_g = ground.plates, ground.rate_hz, ground.floor.up_g
    steps = tuple(sorted(_steps(ground, loads), key=lambda step: step.first))
    samples = tuple(
        np.nan_to_num(np.concatenate([of.f_g @ p.R_gp, of.m_g @ p.R_gp], axis=1))
        for p in plates
        for of in [p.wrench.at(p.centre_g)]
    )
    middles, runs = np.zeros(0, int), tuple[slice, ...]()
    whole = balance is not None and balance.com_g is not None
    flies, stands = (
        bool(np.logical_and.reduce([getattr(stance, name) for stance in ground.stances.values()]).any())
        for name in ("airborne", "standing")
    )
    # who flies and stands on both feet jumps: the spreads are of walks and runs, and a trunk that lands moves otherwise
    if balance is not None and balance.tells and not (flies and stands):
        middles, runs = _windows(ground, loads, steps, balance)
    asked, com_at, asked_rate, asked_bend = np.zeros((4, len(middles), 3))
    axes, height_m = np.zeros((len(middles), 3, 3)), 1.0
    if balance is not None and len(middles):
        of_frames = np.nan_to_num(balance.asked_g / balance.gravity_m_per_s2)
        centre_g = mover.com_g if balance.com_g is None else balance.com_g
        half = round(WINDOW * rate / 2)
        asked = window_means(of_frames, middles.astype(float), half)
        asked_rate = (of_frames[middles + half] - of_frames[middles - half]) * rate / (2 * half)
        ends = of_frames[middles - half], of_frames[middles + half]
        asked_bend = (ends[0] + ends[1] - 2 * of_frames[middles]) * (rate / half) ** 2
        com_at = centre_g[middles]
        height_m = float(median((com_at - plates[0].centre_g) @ up_g))
        axes = _axes(ground, steps, middles)
    pressing, plate_of = [], [np.repeat(np.arange(len(plates)), len(middles))]
    for step in steps:
        found = _pressing(ground, step, sum(map(len, plate_of))) if len(step.plates) == 1 else None
        if found is not None:
            pressing.append(found)
            index = next(k for k, plate in enumerate(plates) if plate.number == step.plates[0])
            plate_of.append(np.full(len(found.time_s), index))
    floor_g, of_marker = (
        _floor(ground) if steps and one_plane(plates) and not flies else (np.zeros((0, 3)), np.zeros(0, int))
    )
    evidence = Evidence(
        plates=plates,
        steps=steps,
        up_g=up_g,
        weight_N=mover.weight_N if mover.weight_N > 0 else np.nan,
        weighed=mover.weighed and mover.weight_N > 0,
        whole=whole,
        flies=flies,
        crosses=_crosses(ground, steps, axes),
        windows_s=middles / rate,
        runs=runs,
        com_g=com_at,
        height_m=height_m,
        axes=axes,
        asked_rate=asked_rate,
        asked_bend=asked_bend,
        pressing=tuple(pressing),
        plate_of=np.concatenate(plate_of),
        filed=State(np.zeros((0, 3)), np.zeros((0, 3)), np.array([p.R_gp for p in plates]), _centres(plates), asked),
        floor_g=floor_g,
        of_marker=of_marker,
        samples=samples,
        rate_hz=rate,
    )
    f_p, m_p = evidence.read(np.zeros(len(evidence.plate_of)))
    object.__setattr__(evidence, "filed", evidence.filed._replace(f_p=f_p, m_p=m_p))
    if len(middles) and not mover.weight_N > 0:
        carried = sum(f_p[k * len(middles) : (k + 1) * len(middles)] @ p.R_gp.T @ up_g for k, p in enumerate(plates))
        return replace(evidence, weight_N=float(np.sum(carried) / np.sum(asked @ up_g)), guessed=True)
    return evidence


def _centres(plates: Sequence[PlateLoad]) -> Array:
    return np.array([plate.centre_g for plate in plates])


def _steps(ground: Ground, loads: Loads) -> Iterator[Step]:
    """Loads that a contact names, but of feet that reach over an edge; else those that timing gives to one foot."""
    named: dict[int, list[tuple[int, int]]] = {plate.number: [] for plate in ground.plates}
    for contact in loads.contacts:
        for number in set(contact.plates) & set(named):
            named[number].append((contact.first, contact.last))
        if (
            contact.plates
            and set(contact.plates) <= set(named)
            and not contact.beyond
            and contact.confidence > UNSUPPORTED
        ):
            first, last = contact.loaded.start, contact.loaded.stop - 1
            yield Step(contact.side, contact.plates, first, last, True, not all(ground.cuts(first, last)))
    near = LANDS * ground.rate_hz
    # where no foot's load is known, only its timing tells whose a load is
    anywhere = not any(contact.plates for contact in loads.contacts)
    for number in named:
        for first, last in ground.loaded[number]:
            if any(first <= b and last >= a for a, b in named[number]):
                continue
            begins_cut, ends_cut = ground.cuts(first, last)
            sides = [
                side
                for side, stance in ground.stances.items()
                if any(
                    (begins_cut or abs(a - first) <= near) and (ends_cut or abs(b - last - 1) <= near)
                    for a, b in stance.stood
                    if a <= last and b > first
                )
            ]
            if len(sides) == 1 and (anywhere or _over_plates(ground, sides[0], first, last)):
                yield Step(sides[0], (number,), first, last, False)


def _over_plates(ground: Ground, side: str, first: int, last: int) -> bool:
    """Whether a foot stands over any plate: beside all of them it made none of their loads, somebody else did."""
    foot = ground.feet[side].during(slice(first, last + 1))
    middle_g = median_of_known((foot.heel_g + foot.toe_g) / 2)
    return any(not plate.outlined or float(plate.margin(middle_g)) > -BESIDE for plate in ground.plates)


def _windows(
    ground: Ground, loads: Loads, steps: Sequence[Step], balance: Balance
) -> tuple[IntArray, tuple[slice, ...]]:
    """Middles of the windows, frames, in which all that the ground gives is known, and the runs of these."""
    rate = ground.rate_hz
    known = known_rows(balance.asked_g)
    loaded = np.zeros(len(known), dtype=bool)
    flies = np.ones(len(known), dtype=bool)
    for side, stance in ground.stances.items():
        of_side: Mask = np.zeros(len(known), dtype=bool)
        by_timing: Mask = np.zeros(len(known), dtype=bool)
        for step in steps:
            frames = slice(step.first, step.last + 1)
            if step.side != side:
                continue
            if step.known:
                of_side[frames] = True
            elif _within(ground, step):
                by_timing[frames] = True
        state = loads.by_side[side].state
        known &= ((state == LOADED) & of_side) | ((state == AIR) & ~of_side) | stance.airborne | by_timing
        loaded |= (state == LOADED) | by_timing
        flies &= stance.airborne & (state == AIR)
    for number, loads_on in ground.loaded.items():
        for first, last in loads_on:  # what nobody is known to stand on may carry somebody else
            if not any(number in step.plates and step.first <= last and step.last >= first for step in steps):
                known[first : last + 1] = False
    half, every = round(WINDOW * rate / 2), max(round(EVERY * rate), 1)
    found = []
    for first, stop in spans(known & (loaded | flies)):
        middles = np.arange(first + half, stop - half, every)
        if half and len(middles) > 1:
            found += np.array_split(middles, max(1, -(-len(middles) * every // round(LONGEST * rate))))
    found = [run for run in found if len(run) > 1]
    if len(found) > MOST_RUNS:
        found = [found[k] for k in np.linspace(0, len(found) - 1, MOST_RUNS).round().astype(int)]
    ends = np.cumsum([0, *map(len, found)]).tolist()
    return np.concatenate([np.zeros(0, int), *found]), tuple(map(slice, ends[:-1], ends[1:]))


def _crosses(ground: Ground, steps: Sequence[Step], axes: Array) -> bool:
    """Whether left feet stand on the right of right ones, along the mean of what is to the left of them."""
    if not len(axes):
        return False
    places: dict[str, list[Array]] = {"left": [], "right": []}
    for step in steps:
        foot = ground.feet[step.side].during(slice(step.first, step.last + 1))
        places.setdefault(step.side, []).append(median_of_known((foot.heel_g + foot.toe_g) / 2))
    if not places["left"] or not places["right"]:
        return False
    apart = np.mean(places["left"], axis=0) - np.mean(places["right"], axis=0)
    return bool(apart @ axes[:, 1].mean(axis=0) < 0)


def _within(ground: Ground, step: Step) -> bool:
    """Whether a foot that stands on one plate stays within its edges."""
    plate = next(plate for plate in ground.plates if plate.number == step.plates[0])
    foot = ground.feet[step.side].during(slice(step.first, step.last + 1))
    inside = [plate.margin(corner) for corner in sole(foot, plate.normal_g)]
    return bool(np.fmin.reduce(np.array(inside), axis=None) > 0) if plate.outlined else True


def _axes(ground: Ground, steps: Sequence[Step], middles: IntArray) -> Array:
    """(windows, 3, 3) rows: the way that the feet on the ground point, to its left, up."""
    up_g = ground.floor.up_g
    way = np.zeros((ground.n_frames, 3))
    for step in steps:
        frames = slice(step.first, step.last + 1)
        line = ground.feet[step.side].line_g[frames]
        known = known_rows(line)
        if known.any():
            mean = line[known].mean(axis=0)
            way[frames] += unit(mean - up_g * (mean @ up_g))
    forward = way[middles]
    nothing = norm(forward) < LEAST_FORCE
    forward[nothing] = unit(cross(up_g, np.roll(up_g, 1)))
    forward /= norm(forward)[:, None]
    return np.stack([forward, cross(up_g, forward), np.broadcast_to(up_g, forward.shape)], axis=1)


def _pressing(ground: Ground, step: Step, start: int) -> Pressing | None:
    plate = next(plate for plate in ground.plates if plate.number == step.plates[0])
    frames = slice(step.first, step.last + 1)
    # on a step the ball may hang over its edge, and cannot press there
    if plate.height_above_lowest > STEP and not (plate.margin(ground.feet[step.side].toe_g[frames]) > 0).all():
        return None
    here, vertical = ground.feet[step.side].during(frames), plate.vertical[frames]
    low = [np.fmin.reduce(plate.height(marker_g), initial=np.inf) for marker_g in (here.heel_g, here.toe_g)]
    if not low[0] - low[1] < NO_HEEL:  # another marker stands for the heel, and does not tell where it presses
        return None
    expected = rolled(here, plate.normal_g)
    point = pressed_point(here, expected, round(LONGEST_FLAT * ground.rate_hz))
    flat = np.eye(3) - np.outer(plate.normal_g, plate.normal_g)
    line = here.line_g @ flat
    sure = known_rows(point) & known_rows(line) & (vertical > PRESSES * np.fmax.reduce(vertical, initial=0.0))
    at = np.flatnonzero(sure)[:: max(round(EVERY * ground.rate_hz), 1)]
    if len(at) < 2:
        return None
    length = norm(line[at])
    forward = line[at] / length[:, None]
    ahead = np.einsum("ij,ij->i", point[at] - here.heel_g[at], forward) / length
    share = np.clip((ahead - UNDER_HEEL) / (UNDER_BALL - UNDER_HEEL), 0.0, 1.0)
    return Pressing(
        step.side,
        slice(start, start + len(at)),
        (at + step.first) / ground.rate_hz,
        here.heel_g[at],
        point[at],
        forward,
        cross(plate.normal_g, forward),
        float(median(length)),
        share,
    )


def _floor(ground: Ground) -> tuple[Array, IntArray]:
    """Where heels and toes are in the middle of stances, (places, 3), m, and whose each is, (places,)."""
    places, of_marker = [np.zeros((0, 3))], [np.zeros(0, int)]
    for side, foot in ground.feet.items():
        for marker_g in (foot.heel_g, foot.toe_g):
            quarters = [(a, b, (b - a) // 4) for a, b in ground.stances[side].stood if b - a >= STANDS * ground.rate_hz]
            middles = np.array([median_of_known(marker_g[a + q : b - q]) for a, b, q in quarters]).reshape(-1, 3)
            middles = middles[known_rows(middles)]
            places.append(middles)
            of_marker.append(np.full(len(middles), len(of_marker) - 1))
    floor_g = np.concatenate(places)
    if len(floor_g) < PLACES or np.linalg.norm(np.ptp(floor_g, axis=0)) < WAY:
        return np.zeros((0, 3)), np.zeros(0, int)
    return floor_g, np.concatenate(of_marker)
