"""Over a whole step the body's velocity changes by what the ground pushed: a steady part in the horizontal forces.

Within a step the pelvis swings more than the body; over one step the swing along the way comes back to where it was.
What the plates push then agrees with the change of the velocity of pelvis and legs to -0.007 to +0.012 of body weight
in 13 walks and runs of the shared trials, 0.017 on stairs. A share of the vertical force that is read along the way, a
floor that is not level with the cameras' vertical, or a zero that is wrong does not come back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from gaitid.ground.balance import Balance
from gaitid.ground.belt import velocity
from gaitid.ground.contacts import UNKNOWN, Loads
from gaitid.ground.fault import Fault
from gaitid.ground.ground import Ground
from gaitid.ground.line_of_force import Line, steady_along
from gaitid.ground.plate_load import one_plane
from gaitid.notes import note
from gaitid.numerics.masks import known_part, spans
from gaitid.numerics.rotation import cross, unit
from gaitid.numerics.statistics import mean, median
from gaitid.trial import Array

# Body weights (above). s: no walking or running step is shorter; windows of a step must cover so much more than one.
STEADY, SHORTEST, COVERED = 0.035, 0.3, 0.1
# Body weights: two plates that differ by more, and to the same side, by the line of force and over whole steps. Plates
# of one floor differ by 0.011 at most by the first, or (0.02, 0.06) the second says the reverse; on stairs nothing is
# said (0.036, 0.045). Beyond the second (a condition number) the steps do not tell one plate from another.
APART, TOLD_APART = 0.03, 8.0
# Degrees by which standing feet of one side differ in a turn, at the least.
TURNS = 20.0


def whole_step_faults(
    ground: Ground,
    loads: Loads,
    lines: Mapping[int, Sequence[Line]],
    com_g: Array,
    body: tuple[Balance, float],
    along_g: Array | None,
) -> Iterator[Fault]:
    """A steady part along the way of walking in the forces of all plates, or of one.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    lines : mapping of plate number to sequence of Line
        What single stances on them tell.
    com_g : (frames, 3) array, m
        The body's centre of mass by pelvis and legs, which the lines of force are held against.
    body : (Balance, float)
        And the body's weight, N.
    along_g : (3,) array or None
        `straight_way`; nothing is said without one.
    """
    balance, weight_N = body
    strikes = np.array(sorted(contact.first for contact in loads.contacts))
    step = int(median(strikes[1:] - strikes[:-1])) if len(strikes) > 1 else 0
    if step < SHORTEST * balance.rate_hz:
        return
    if along_g is None:
        return
    moved_g = com_g if balance.com_g is None else balance.com_g
    windows = _windows(ground, loads, moved_g @ along_g, along_g, (balance, weight_N, step))
    if len(windows) < COVERED * balance.rate_hz:
        return
    steady = float(mean(windows[:, 0]))
    if abs(steady) > STEADY:
        numbers = tuple(sorted({number for contact in loads.contacts for number in contact.plates}))
        yield Fault(note("plate_doubtful/whole_steps", plates=numbers, forward=steady > 0, share=abs(steady)))
        return
    by_line = steady_along(lines, along_g)
    if len(by_line) < 2 or not max(by_line.values()) - min(by_line.values()) > APART:
        return
    if not one_plane([plate for plate in ground.plates if plate.number in by_line]):
        return
    columns = [[plate.number for plate in ground.plates].index(number) + 1 for number in by_line]
    shares = windows[:, columns]
    if np.linalg.cond(shares) > TOLD_APART:
        return
    by_steps = dict(zip(by_line, np.linalg.lstsq(shares, windows[:, 0], rcond=None)[0].tolist(), strict=True))
    for a, b in combinations(by_line, 2):
        of_steps, of_lines = by_steps[b] - by_steps[a], by_line[b] - by_line[a]
        if of_steps * of_lines > 0 and min(abs(of_steps), abs(of_lines)) > APART:
            yield Fault(note("plate_doubtful/steps_apart", plates=(a, b), line=abs(of_lines), steps=abs(of_steps)))
            return


def straight_way(ground: Ground, loads: Loads) -> Array | None:
    """The level way, (3,), of who walks straight on; None in a turn, or where no foot was seen."""
    toes_g = {side: foot.toe_g - foot.heel_g for side, foot in ground.feet.items()}
    along_g = _way(list(toes_g.values()), ground.floor.up_g)
    if along_g is None or _turns(toes_g, loads, along_g, cross(ground.floor.up_g, along_g)):
        return None
    return along_g


def _way(toes_g: Sequence[Array], up_g: Array) -> Array | None:
    """The level way, (3,), that feet point on the whole, of (frames, 3) from heel to toe; None where none was seen."""
    known = [known_part(toes) for toes in toes_g]
    if not any(map(len, known)):
        return None
    along_g = sum((np.add.reduce(toes) for toes in known), np.zeros(3))
    return unit(along_g - up_g * (along_g @ up_g))


def _turns(toes_g: Mapping[str, Array], loads: Loads, along_g: Array, across_g: Array) -> bool:
    """Whether the feet stand in directions that differ: in a turn the pelvis leans, and does not swing back."""
    for side, toes in toes_g.items():
        points = np.array([median(toes[c.loaded]) for c in loads.contacts if c.side == side]).reshape(-1, 3)
        degrees = np.degrees(np.arctan2(points @ across_g, points @ along_g))
        if np.fmax.reduce(degrees, initial=-np.inf) - np.fmin.reduce(degrees, initial=np.inf) > TURNS:
            return True
    return False


def _windows(ground: Ground, loads: Loads, place: Array, along_g: Array, body: tuple[Balance, float, int]) -> Array:
    """Of each step of frames in which all is known: what is left, body weights, and the share of each plate.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    place : (frames,) array, m
        Of the centre of mass along the way.
    along_g : (3,) array
    body : (Balance, float, int)
        And the body's weight, N, and the frames of a step.
    """
    balance, weight_N, step = body
    of_feet = list(loads.by_side.values())
    pushed = sum((load.wrench.f_g @ along_g for load in of_feet), np.zeros(len(place)))
    speed = velocity(place, balance.rate_hz) / balance.gravity_m_per_s2
    upward = [np.where(np.isfinite(plate.vertical), plate.vertical, 0.0) for plate in ground.plates]
    given = np.stack([pushed, *upward], axis=1) / weight_N
    known = np.logical_and.reduce([load.state != UNKNOWN for load in of_feet])
    known &= np.isfinite(given[:, 0]) & np.isfinite(speed)
    rows = [np.zeros((0, given.shape[1]))]
    for first, stop in spans(known):
        if stop - first > step:
            run = given[first:stop]
            summed = np.concatenate([np.zeros((1, run.shape[1])), np.cumsum((run[1:] + run[:-1]) / 2, axis=0)])
            means = (summed[step:] - summed[:-step]) / step
            changed = speed[first + step : stop] - speed[first : stop - step]
            means[:, 0] -= changed / (step / balance.rate_hz)
            rows.append(means)
    return np.concatenate(rows)
