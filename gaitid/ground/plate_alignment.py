"""Does a plate lie where the file says it does? Its pressure against the foot that the timing of its load names.

Corners come from a survey or from somebody's hand, and joint moments hang on them: 3 cm cost 20 N·m in the middle of
a stance. Which foot made a load follows from when the foot stood, without any corner; where it pressed follows from
how it rolled (`gaitid.ground.sole`). What is left of the pressure then has a typical value, an offset, and swings about
it: in the clean level stances of the shared trials by 0 to 3 cm each. A plate that was moved has a large offset and
swings little; one that was turned or exchanged for another swings as well, until it is turned back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.fault import Fault
from gaitid.ground.plate_load import STEP, PlateLoad
from gaitid.ground.sole import pressed_point, rolled
from gaitid.ground.stance import Stance
from gaitid.notes import note, phrase
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import median
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray

# s. A load that begins and ends this near to a foot's own stance was made by that foot.
TIMING = 0.12
# s. A foot that is flat for longer does not roll over evenly.
LONGEST_FLAT = 0.6
# Of the greatest force: less tells too little of where it presses.
SURE = 0.15
# m, medians. A plate whose pressure lies nearer than the first to where the foot presses is where the file says;
# another place explains it if the pressure then lies nearer than the second; a plate was moved if it swings less than
# the third.
AS_FILED, EXPLAINED, STEADY = 0.06, 0.04, 0.03
# m. By more than this no plate lies on another one: in 20 recordings with plates side by side they do by 0.0 at most.
ON_ANOTHER = 0.02
_TURNS_DEG = (180.0, 90.0, -90.0)


@frozen_dataclass()
class Alignment:
    """What the pressure says of one plate's corners.

    Attributes
    ----------
    plate : int
    contacts : int
        How many stances tell.
    offset_g : tuple of 3 floats, m
        Median of the pressure less where the foot presses, laboratory axes, with the corners as filed; of the first of
        these stances.
    swing_m : float
        Median distance from that.
    fault : str
        Empty where the corners fit; else what explains the pressure, in words.
    """

    plate: int
    contacts: int
    offset_g: tuple[float, float, float]
    swing_m: float
    fault: str


def alignments(
    plates: Sequence[PlateLoad],
    feet: Mapping[str, FootTrack],
    stances: Mapping[str, Stance],
    rate_hz: float,
    loaded: Mapping[int, Sequence[tuple[int, int]]],
) -> list[Alignment]:
    """One entry for each plate of which a stance tells.

    Parameters
    ----------
    plates : sequence of PlateLoad
    feet : mapping of side to FootTrack
    stances : mapping of side to Stance
    rate_hz : float
    loaded : mapping of plate number to sequence of (int, int)
        First and last frame of each load on a plate that no end of the record cuts.
    """
    result = []
    stood = {side: np.array(stance.stood, dtype=int).reshape(-1, 2) for side, stance in stances.items()}
    for plate in plates:
        by_stance = [
            _alignment(plate, plates, frames, pressed)
            for frames, pressed in _stances_on(plate, feet, stood, rate_hz, loaded[plate.number])
        ]
        # one stance that fits clears a plate: another may be somebody else's, at the time of a step on the floor
        fitting = [alignment for alignment in by_stance if not alignment.fault]
        if by_stance:
            result.append(replace((fitting or by_stance)[0], contacts=len(fitting or by_stance)))
    return result


def _stances_on(
    plate: PlateLoad,
    feet: Mapping[str, FootTrack],
    stances: Mapping[str, IntArray],
    rate_hz: float,
    loads: Sequence[tuple[int, int]],
) -> Iterator[tuple[IntArray, Array]]:
    """(frames, where the foot presses) of each load that one foot's stance, and no other's, explains by its timing.

    `stances` are the first frame of each and the one behind it, (stances, 2), by side.
    """
    near = TIMING * rate_hz
    for first, last in loads:
        sides = [side for side, stood in stances.items() if _has(stood, first, last, near)]
        if len(sides) != 1:
            continue
        foot, frames = feet[sides[0]], slice(first, last + 1)
        # on a step the ball may hang over its edge, and cannot press there
        if plate.height_above_lowest > STEP and not (plate.margin(foot.toe_g[frames]) > 0).all():
            continue
        here = foot.during(frames)
        point = pressed_point(here, rolled(here, plate.normal_g), round(LONGEST_FLAT * rate_hz))
        vertical = plate.vertical[frames]
        sure = known_rows(point) & known_rows(plate.cop_g[frames]) & (vertical > SURE * np.fmax.reduce(vertical))
        if sure.any():
            yield np.flatnonzero(sure) + first, point[sure]


def _has(stood: IntArray, first: int, last: int, near: float) -> bool:
    """Whether one of the rows, start and stop, is a stance that begins and ends with a load."""
    return bool((np.abs(stood - (first, last + 1)) <= near).all(axis=1).any())


def _alignment(plate: PlateLoad, plates: Sequence[PlateLoad], frames: IntArray, pressed: Array) -> Alignment:
    flat = np.eye(3) - np.outer(plate.normal_g, plate.normal_g)
    local = (plate.cop_g[frames] - plate.centre_g) @ plate.R_gp

    def away(centre_g: Array, R_gp: Array) -> Array:
        return np.asarray((centre_g + local @ R_gp.T - pressed) @ flat)

    def size(offsets: Array) -> float:
        return float(median(norm(offsets)))

    filed = away(plate.centre_g, plate.R_gp)
    offset = median(filed)
    off_m, swing = size(filed), size(filed - offset)
    # the way back, cm, along the axes of the laboratory
    way = [f"{-v * 100:+.0f}" for v in offset]
    fault, moved = "", {"off_cm": off_m * 100, "way": way, "then_cm": swing * 100}
    if off_m > AS_FILED and not plate.outlined:
        fault = phrase("plate/acts_elsewhere", steady=swing < STEADY, **moved)
    elif off_m > AS_FILED:
        fits = [(size(away(plate.centre_g, plate.R_gp @ _about_z(deg))), deg, 0) for deg in _TURNS_DEG]
        fits += [(size(away(p.centre_g, p.R_gp)), 0.0, p.number) for p in plates if p is not plate and p.outlined]
        then_m, deg, other = min(fits, key=lambda fit: fit[0])
        if then_m < EXPLAINED:
            turned = {"turn": not other, "deg": deg, "other": other}
            fault = phrase("plate/corners_turned", off_cm=off_m * 100, then_cm=then_m * 100, **turned)
        else:
            fault = phrase("plate/corners_beside" if swing < STEADY else "plate/unexplained", **moved)
    x, y, z = offset.tolist()
    return Alignment(plate.number, 1, (x, y, z), swing, fault)


def overlap_faults(plates: Sequence[PlateLoad], stood_on: Collection[int]) -> Iterator[Fault]:
    """Pairs of plates of one floor that lie on each other, of which a foot stood on one: one lies elsewhere.

    Parameters
    ----------
    plates : sequence of PlateLoad
    stood_on : collection of int
        Numbers of those that carry a known contact.
    """
    for a, b in combinations([plate for plate in plates if plate.outlined], 2):
        level = abs((b.centre_g - a.centre_g) @ a.normal_g) < STEP
        if not level or not {a.number, b.number} & set(stood_on):
            continue
        depth = min(_depth(a, b), _depth(b, a))
        if depth > ON_ANOTHER:
            yield Fault(note("plate_doubtful/overlap", plates=(a.number, b.number), cm=depth * 100))


def _depth(a: PlateLoad, b: PlateLoad) -> float:
    """By how much two surfaces overlap along the sides of the first, m; negative where they are apart."""
    reach = a.half + np.abs(a.R_gp.T @ b.R_gp)[:2, :2] @ b.half
    return float((reach - np.abs((b.centre_g - a.centre_g) @ a.R_gp)[:2]).min())


def _about_z(degrees: float) -> Array:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
