"""What the feet walk on: which way is up, and how it moves (a treadmill's belt, or nothing)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.notes import Note, Notes
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import all_columns, known_part, known_rows
from gaitid.numerics.statistics import median, quantile
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray

# Hz. Markers of feet are low-passed at this before it is asked how they move (the cut-off that raw markers get).
CUTOFF_HZ = 7.0
# m/s and m. A foot lies flat while neither of its markers rises or falls faster, and both are no higher above the 5th
# percentile of their heights; a swinging foot shows one or the other, never neither.
FLAT_SPEED, FLAT_HEIGHT = 0.10, 0.03
# m/s. A slower belt is not told from a foot that slides. The feet go nowhere if they travel, over the trial, at less
# than this share of the belt's speed.
BELT_SPEED, BELT_SHARE = 0.15, 0.4


@frozen_dataclass(eq=False)
class Floor:
    """What the feet walk on.

    Attributes
    ----------
    up_g : (3,) array
    rate_hz : float
        Of the cameras.
    velocity_g : (3,) array, m/s
        Of the ground in the laboratory: 0, or that of a treadmill's belt.
    uneven_m_per_s : float
        Difference between the velocities of the ground under both feet (two belts).
    """

    up_g: Array
    rate_hz: float
    velocity_g: Array
    uneven_m_per_s: float = 0.0

    @property
    def notes(self) -> Notes:
        """That it moves, and that it does not move alike under both feet."""
        speed = float(np.linalg.norm(self.velocity_g))
        if not speed:
            return ()
        moves = Note("treadmill", f"the standing feet move at {speed:.2f} m/s: a treadmill, whose travel is added")
        if self.uneven_m_per_s <= BELT_SPEED:
            return (moves,)
        uneven = f"its belts differ by {self.uneven_m_per_s:.2f} m/s; lengths and speed are of their mean velocity"
        return moves, Note("belts_differ", uneven)


class SlowFeet(NamedTuple):
    """Feet without what is faster than `CUTOFF_HZ`: to ask how they move, never to compute with.

    Attributes
    ----------
    points_g : (frames, feet, 2, 3) array, m
        Heel and toe of each; as they are where the cameras are too slow to filter.
    height : (frames, feet) array, m
        Of the middle of both.
    """

    points_g: Array
    height: Array


def slow_feet(feet: Sequence[FootTrack], up_g: Array, rate_hz: float) -> SlowFeet:
    """Feet, low-passed together."""
    if not feet:
        return SlowFeet(np.empty((0, 0, 2, 3)), np.empty((0, 0)))
    raw = [part for foot in feet for part in (foot.heel_g, foot.toe_g)]
    raw += [((foot.heel_g + foot.toe_g) @ up_g / 2)[:, None] for foot in feet]
    slow = np.concatenate(raw, axis=1)
    if rate_hz > 2 * CUTOFF_HZ:
        slow = lowpass(slow, CUTOFF_HZ, rate_hz)
    return SlowFeet(slow[:, : 6 * len(feet)].reshape(len(slow), len(feet), 2, 3), slow[:, 6 * len(feet) :])


def floor_under(feet: Mapping[str, FootTrack], up_g: Array, rate_hz: float) -> Floor:
    """The floor that the feet of a trial walk on (`floor_under_slow`).

    Parameters
    ----------
    feet : mapping of side to FootTrack
        Not filtered.
    up_g : (3,) array
    rate_hz : float
    """
    return floor_under_slow(slow_feet(list(feet.values()), up_g, rate_hz), up_g, rate_hz)


def floor_under_slow(feet: SlowFeet, up_g: Array, rate_hz: float) -> Floor:
    """The floor that feet walk on.

    Flat on the ground, a foot moves with it. The mean over the feet of its median velocity there is a belt's where the
    feet go nowhere over the trial although the ground under them moves; on a walkway it is the feet that travel, and
    the ground stands.
    """
    still = Floor(up_g, rate_hz, np.zeros(3))
    flat, travelled = [], []
    for i in range(feet.points_g.shape[1]):
        heel_and_toe = feet.points_g[:, i]
        known = known_rows(heel_and_toe).nonzero()[0]
        if len(known) < 3:
            continue
        first, last = heel_and_toe[known[[0, -1]]].mean(axis=1)
        travelled.append((last - first) / ((known[-1] - known[0]) / rate_hz))
        velocity_g = _velocity_while_flat(heel_and_toe, known, up_g, rate_hz)
        if np.isfinite(velocity_g).all():
            flat.append(velocity_g)
    if not flat:
        return still
    belt = np.mean(flat, axis=0)
    speed, travel = float(np.linalg.norm(belt)), float(np.linalg.norm(np.mean(travelled, axis=0)))
    if not (speed > BELT_SPEED and travel < BELT_SHARE * speed):
        return still
    # along the belts: across them a foot that rolls has a velocity of its own
    return Floor(up_g, rate_hz, belt, abs(float((flat[0] - flat[-1]) @ belt)) / speed)


def _velocity_while_flat(points_g: Array, known: IntArray, up_g: Array, rate_hz: float) -> Array:
    """The median horizontal velocity of a foot while it lies flat, (3,), m/s; NaN where it never does.

    `points_g` are its heel and toe, (frames, 2, 3), m; `known` the frames in which both are.
    """
    height = points_g @ up_g
    low = height < quantile(height.take(known, axis=0), 0.05) + FLAT_HEIGHT
    flat = all_columns(low & (np.abs(velocity(height, rate_hz)) < FLAT_SPEED))
    middle_g = velocity((points_g[:, 0] + points_g[:, 1]) / 2, rate_hz)
    along = known_part(middle_g.take(flat.nonzero()[0], axis=0))  # beside a gap it is not known
    return median(along - np.outer(along @ up_g, up_g)) if len(along) else np.full(3, np.nan)


def velocity(place: Array, rate_hz: float) -> Array:
    """How fast each column of (frames, …) places changes, by central differences, in their unit a second; 0 in a trial
    of fewer than three frames."""
    if len(place) < 3:
        return np.zeros_like(place)
    change = np.empty_like(place)
    np.subtract(place[2:], place[:-2], out=change[1:-1])
    change[1:-1] /= 2
    change[0], change[-1] = place[1] - place[0], place[-1] - place[-2]
    change *= rate_hz
    return change
