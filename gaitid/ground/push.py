"""Which way a foot pushes along the way of walking: back while the body is behind it, forward once the body is ahead.

The force passes near the body's centre of mass (`line_of_force`), so that F_h / F_z along the way of walking rises with
the way that the centre of mass is ahead of the pressure, and hardly changes across it. Over that way it rises by 0.39
to 1.19 for each, and across by 0.22 at most: in each of 77 stances of walking, turning, running and sprinting, on
stairs, on belts and on two plates at once; who comes to a stand brakes throughout (-0.20 on simulated walks). It is a
slope: a steady lean, or a body mass that is wrong, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from gaitid.ground.balance import Balance
from gaitid.ground.contacts import LOADED, Loads
from gaitid.ground.fault import Fault
from gaitid.ground.ground import Ground
from gaitid.ground.line_of_force import ACROSS, ALONG, BETTER, EXPLAINED, LEFT, READINGS, SURE, as_named
from gaitid.ground.plate_load import PlateLoad, one_plane
from gaitid.notes import note
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import cross, unit
from gaitid.numerics.statistics import mean, median
from gaitid.records import NamedTuple
from gaitid.trial import Array, ForcePlate, IntArray

# Slopes along and across (above); wrong is less than the first or more than the second, and another reading is right
# that gives more than the third and less than the fourth.
ALONG_WRONG, ACROSS_WRONG, ALONG_RIGHT, ACROSS_RIGHT = -0.3, 0.4, 0.3, 0.3
# And less than this along where the motion asks for more than the second: no foot but that of who stops pushes so, and
# his motion says so too. With one foot on the ground clean walks give 0.38 and more (on stairs; on a floor 0.50), runs
# 0.72; a channel that lost its sign, or turned it in mid-stance, -0.4 to 0.2 in most.
ALONG_WEAK, ASKED = 0.2, 0.4
# The first where a foot stands on two plates, of which one may be wrong.
ALONG_WRONG_OF_TWO = 0.15
# Less or more along in a run, the median of a plate: its horizontal force has another gain. Runs show 0.72 to 1.14
# (0.87 and 1.13 without the laboratories at the ends); Fx or Fy along the way half as large 0.36 to 0.57, without its
# sign -0.4 to 0.36, twice as large 1.44 to 2.4. Who stumbles in walking goes beyond the second.
OF_RUNS = (0.5, 1.4)
# Squared correlation of F_h / F_z along with the way ahead in steady walking on one floor: 0.94 and more (44 stances of
# 11 laboratories), in one stance of who stops or stumbles 0.06 to 0.44. The slope along is then 0.55 to 0.75 in a trial
# (the median of its plates; without the laboratory that shows most or least 0.58 to 0.70; single stances 0.45 to 0.75),
# and two plates differ by 1.17 times, in one laboratory by 1.26. These walk soundly, and the limits leave as much again
# for who limps. Beyond them the horizontal force has another gain than the vertical one.
STEADILY, SLOPE_OF_WALKS, PLATES_DIFFER = 0.9, (0.42, 0.95), 1.45
# A part of single support tells as much as the whole from when the body is so far (over its height) behind the pressure
# to as far ahead, and over so long a way: 0.48 to 0.76 in parts of 40 stances cut at either end (0.53 to 0.72 without
# the laboratories at the ends), 0.35 to 0.76 over less.
FROM_BEHIND, LONG_WAY = 0.05, 0.35
# Times what walks show, by both witnesses each and by their geometric mean: the slope over `ALONG`, and the gain by
# which the plate's force along the way fits what the whole body's motion asks for. Clean: 0.94 to 1.08 and 0.87 to 1.46
# (1.27 without the laboratory that shows most), mean 0.92 to 1.23 (1.15), no plate to the same side by both; forces
# 0.7 times as large 0.66 to 0.75 and 0.61 to 1.02, mean 0.64 to 0.86, 1.4 times 1.31 to 1.51 and 1.22 to 2.04, mean
# 1.29 and more (16 plates of 8 walks of 5 laboratories in which trunk and arms were measured).
EACH_LESS, BOTH_LESS, EACH_MORE, BOTH_MORE = 0.9, 0.85, 1.15, 1.25
# Of the height of the body's centre of mass: it must have moved by this much over the foot to tell. Frames.
TRAVELLED, LEAST = 0.12, 8


class Push(NamedTuple):
    """One contact while no other foot is on the ground.

    Attributes
    ----------
    plates : tuple of PlateLoad
    forces_g : tuple of (frames, 3) arrays, N
        Of each plate.
    ahead : (frames,) array
        How far the body's centre of mass is ahead of the pressure, over its height.
    aside : (frames,) array
        How far it is beside the pressure, over its height.
    along_g, across_g : (3,) arrays
        Unit vectors.
    own_side : bool
        The foot stands on its own side of the body.
    over_edge : bool
        It may have stood beyond an edge too.
    whole : bool
        From when the other foot left the ground until it landed again, both seen: a part of that has slopes of its own,
        0.41 and 0.80 in two parts of a stance with 0.59.
    asked : float
        By how much the horizontal force over the vertical one that the motion asks for rises along for each way ahead;
        NaN where nothing tells.
    """

    plates: tuple[PlateLoad, ...]
    forces_g: tuple[Array, ...]
    ahead: Array
    aside: Array
    along_g: Array
    across_g: Array
    own_side: bool
    over_edge: bool = False
    whole: bool = True
    asked: float = float("nan")

    def slopes(self) -> tuple[float, float]:
        """By how much F_h / F_z rises along and across for each way ahead."""
        total_g = np.add.reduce(self.forces_g)
        vertical = total_g @ self.plates[0].normal_g
        ahead = self.ahead - mean(self.ahead)
        with np.errstate(invalid="ignore", divide="ignore"):
            along, across = (float(ahead @ (total_g @ axis / vertical)) for axis in (self.along_g, self.across_g))
        size = float(ahead @ ahead)
        return along / size, abs(across) / size

    def steady(self) -> bool:
        """Whether F_h / F_z along rises with the way ahead, as in steady walking."""
        total_g = np.add.reduce(self.forces_g)
        share = total_g @ self.along_g / (total_g @ self.plates[0].normal_g)
        share, ahead = share - mean(share), self.ahead - mean(self.ahead)
        together = float(share @ ahead)
        return together > 0 and bool(together**2 > STEADILY * (share @ share) * (ahead @ ahead))

    def tells(self) -> bool:
        """Whether its slope is one of a whole single support, or of a part that tells as much."""
        behind, ahead = -float(self.ahead.min()), float(self.ahead.max())
        return self.whole or (min(behind, ahead) > FROM_BEHIND and behind + ahead > LONG_WAY)

    def beside(self) -> float:
        """By how much the force passes the body across the way, for each of its height: root mean square."""
        total_g = np.add.reduce(self.forces_g)
        share = total_g @ self.across_g / (total_g @ self.plates[0].normal_g)
        return float(np.sqrt(np.mean((share - ACROSS * self.aside) ** 2)))

    def wrong(self) -> bool:
        """Whether no foot pushes so."""
        along, across = self.slopes()
        least = ALONG_WRONG if len(self.plates) == 1 else ALONG_WRONG_OF_TWO
        return bool(along < least or across > ACROSS_WRONG or self.weak())

    def weak(self) -> bool:
        """Whether it hardly turns from braking to pushing though the body's motion asks for it."""
        return bool(len(self.plates) == 1 and self.slopes()[0] < ALONG_WEAK and self.asked > ASKED)

    def right(self) -> bool:
        """Whether feet push so."""
        along, across = self.slopes()
        return bool(along > ALONG_RIGHT and across < ACROSS_RIGHT)

    def read(self, number: int, reading: Array) -> Push:
        """With Fx and Fy of one plate read otherwise."""
        M = np.eye(3)
        M[:2, :2] = reading
        forces = tuple(
            force_g @ (plate.R_gp @ M @ plate.R_gp.T).T if plate.number == number else force_g
            for plate, force_g in zip(self.plates, self.forces_g, strict=True)
        )
        return self._replace(forces_g=forces)


def push_faults(pushes: Sequence[Push], raw: Mapping[int, ForcePlate], skip: Iterable[int]) -> Iterator[Fault]:
    """Plates whose horizontal forces cannot be those of a foot that carries a body over it.

    Parameters
    ----------
    pushes : sequence of Push
    raw : mapping of int to ForcePlate
        The plates as the file has them, by number.
    skip : iterable of int
        Plates that are known to be wrong.
    """
    known = set(skip)
    pushes = [push for push in pushes if not known & {plate.number for plate in push.plates}]
    wrong = [push for push in pushes if push.wrong()]
    numbers = sorted({plate.number for push in wrong for plate in push.plates})
    for number in numbers:
        here = [push for push in pushes if any(plate.number == number for plate in push.plates)]
        bad = [push for push in here if push.wrong()]
        if 2 * len(bad) <= len(here):
            continue
        readings = [name for name, M in READINGS.items() if all(push.read(number, M).right() for push in bad)]
        if not readings and all(len(push.plates) > 1 for push in bad):
            continue  # it may be the other one
        along, across = bad[0].slopes()
        best = min(
            readings, key=lambda name: sum(push.read(number, READINGS[name]).beside() for push in bad), default=""
        )
        reading = as_named(READINGS[best], raw[number]) if best else ""
        wrong_turn = note(
            "plate_channel/no_turn",
            plates=number,
            along=along,
            across=across,
            weak=bad[0].weak(),
            asked=bad[0].asked,
            reading=reading,
        )
        yield Fault(wrong_turn, withheld=True)
        known.add(number)
    for push in pushes:
        if (len(push.plates) > 1 or push.over_edge) and not known & {plate.number for plate in push.plates}:
            yield from _sideways(push, raw)


def running_gain_faults(pushes: Sequence[Push], skip: Iterable[int]) -> Iterator[Fault]:
    """Plates whose horizontal force grows less or more with the way ahead than that of feet that run.

    Parameters
    ----------
    pushes : sequence of Push
        Of a run.
    skip : iterable of int
        Plates that are known to be wrong.
    """
    slopes: dict[int, list[float]] = {}
    known = set(skip)
    for push in pushes:
        if len(push.plates) == 1 and not push.over_edge and push.plates[0].number not in known:
            slopes.setdefault(push.plates[0].number, []).append(push.slopes()[0])
    for number, of_stances in slopes.items():
        typical = float(median(np.array(of_stances)))
        if not OF_RUNS[0] < typical < OF_RUNS[1]:
            yield Fault(note("plate_doubtful/gain_running", plates=number, slope=typical))


def horizontal_gain_faults(
    pushes: Sequence[Push], skip: Iterable[int], by_momentum: Callable[[Array], Mapping[int, float]]
) -> Iterator[Fault]:
    """Plates whose horizontal forces are larger or smaller beside the vertical one than walking makes them.

    Parameters
    ----------
    pushes : sequence of Push
        Of a walk.
    skip : iterable of int
        Plates that are known to be wrong.
    by_momentum : function
        Gain of each plate's force along a way by which it fits what the body's motion asks for, where that is known.
    """
    known = set(skip)
    pushes = [push for push in pushes if push.tells() and not push.over_edge]
    pushes = [push for push in pushes if not known & {plate.number for plate in push.plates}]
    under = {plate.number: plate for push in pushes for plate in push.plates}
    # who stops, stumbles or climbs pushes otherwise
    if not pushes or not all(push.steady() for push in pushes) or not one_plane(list(under.values())):
        return
    slopes: dict[tuple[int, ...], list[float]] = {}
    for push in sorted(pushes, key=lambda push: not push.whole):
        numbers = tuple(plate.number for plate in push.plates)
        if push.whole or numbers not in slopes:
            slopes.setdefault(numbers, []).append(push.slopes()[0])
    typical = {numbers: float(median(np.array(values))) for numbers, values in slopes.items()}
    whole = {tuple(plate.number for plate in push.plates) for push in pushes if push.whole}
    least, most = min(typical, key=typical.__getitem__), max(typical, key=typical.__getitem__)
    common = float(median(np.array(list(typical.values()))))
    if whole >= {least, most} and typical[most] > PLATES_DIFFER * typical[least]:
        numbers, times = tuple(dict.fromkeys((*most, *least))), typical[most] / typical[least]
        yield Fault(note("plate_doubtful/gains_differ", plates=numbers, most=most, least=least, times=times))
        return
    if not SLOPE_OF_WALKS[0] < common < SLOPE_OF_WALKS[1]:
        typical = {tuple(sorted(under)): common}
    momentum = by_momentum(unit(np.add.reduce([push.along_g for push in pushes])))
    for numbers, slope in typical.items():
        by_line, by_body = slope / ALONG, momentum.get(numbers[0], 1.0)
        mean_of_both = np.sqrt(max(by_line * by_body, 0.0))
        least_of_both, most_of_both = min(by_line, by_body), max(by_line, by_body)
        both = most_of_both < EACH_LESS and mean_of_both < BOTH_LESS
        both |= least_of_both > EACH_MORE and mean_of_both > BOTH_MORE
        if both or not SLOPE_OF_WALKS[0] < slope < SLOPE_OF_WALKS[1]:
            yield Fault(note("plate_doubtful/gain", plates=numbers, slope=slope, both=both, momentum=by_body))


def _sideways(push: Push, raw: Mapping[int, ForcePlate]) -> Iterator[Fault]:
    """A foot on two plates, or over an edge, whose force passes the body by less where a plate is read otherwise."""
    as_filed = push.beside()
    if not (push.own_side and as_filed > LEFT):
        return
    left = {
        (plate.number, name): push.read(plate.number, READINGS[name]).beside()
        for plate in push.plates
        for name in ("plate/x_turned", "plate/y_turned")
    }
    (number, name), best = min(left.items(), key=lambda pair: pair[1])
    if best < EXPLAINED and best < BETTER * as_filed:
        yield Fault(
            note(
                "plate_doubtful/misread_shared",
                plates=number,
                reading=as_named(READINGS[name], raw[number]),
                edge=len(push.plates) == 1,
                cm=as_filed * 100,
                then_cm=best * 100,
            )
        )


def pushes_of(ground: Ground, loads: Loads, com_g: Array, balance: Balance | None = None) -> Iterator[Push]:
    """What each contact tells while no other foot is on the ground; of those that are long enough.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    com_g : (frames, 3) array, m
        The body's centre of mass.
    balance : Balance or None
        What its motion asks for.
    """
    plates: Mapping[int, PlateLoad] = {plate.number: plate for plate in ground.plates}
    for contact in loads.contacts:
        under = tuple(plates[number] for number in contact.plates)
        if not under or len(ground.stances) < 2 or not one_plane(under):
            continue
        here = slice(contact.first, contact.last + 1)
        alone, seen = (loads.by_side[contact.side].state[here] == LOADED) & known_rows(com_g[here]), True
        for side, stance in ground.stances.items():
            if side != contact.side:
                alone &= stance.airborne[here]
                seen = seen and not stance.unseen[here].any()  # else it may have left, or landed, at another time
        push = _push(contact.side, under, alone.nonzero()[0] + contact.first, com_g, balance)
        if push is not None:
            yield push._replace(over_edge=contact.beyond, whole=seen and not (alone[0] or alone[-1]))


def _push(
    side: str, under: Sequence[PlateLoad], frames: IntArray, com_g: Array, balance: Balance | None
) -> Push | None:
    """What a contact tells in frames in which no other foot is on the ground; None where that is too little."""
    if len(frames) < LEAST:
        return None
    vertical = np.array([plate.vertical[frames] for plate in under])
    total = vertical.sum(axis=0)
    sure = total > SURE * np.fmax.reduce(total)
    frames, vertical, total = frames[sure], vertical[:, sure], total[sure]
    if len(frames) < LEAST:
        return None
    shares = vertical / total
    # a plate that carries next to nothing has no centre of pressure
    cops = ((share, plate.cop_g[frames]) for share, plate in zip(shares, under, strict=True))
    cop_g = sum(np.where(np.isfinite(cop), share[:, None] * cop, 0.0) for share, cop in cops)
    normal_g = under[0].normal_g
    to_body = com_g[frames] - cop_g
    height = to_body @ normal_g
    if not (height > 0).all():
        return None
    way = to_body / height[:, None] - normal_g
    k = len(way) // 3
    along_g = unit(mean(way[-k:]) - mean(way[:k]))
    ahead = way @ along_g
    if not ahead.max() - ahead.min() > TRAVELLED:
        return None
    forces = tuple(plate.wrench.f_g[frames] for plate in under)
    across_g = cross(normal_g, along_g)
    aside = way @ across_g
    # to the left of the way: the body is to the right of a left foot
    own_side = bool(mean(aside) * (-1.0 if side == "left" else 1.0) > 0)
    asked = float("nan")
    if balance is not None:
        asked = _asked(balance.asked_g[frames], ahead, along_g, normal_g)
    return Push(tuple(under), forces, ahead, aside, along_g, across_g, own_side, asked=asked)


def _asked(asked_g: Array, ahead: Array, along_g: Array, normal_g: Array) -> float:
    """By how much F_h / F_z rises for each way ahead, of what the motion asks for; NaN where too little is known."""
    known = known_rows(asked_g)
    if np.count_nonzero(known) < LEAST:
        return float("nan")
    share, lever = asked_g[known] @ along_g / (asked_g[known] @ normal_g), ahead[known] - mean(ahead[known])
    return float(lever @ share / (lever @ lever))
