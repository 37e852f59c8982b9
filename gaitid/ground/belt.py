"""What the feet walk on: which way is up, and how it moves (a treadmill's belt, or nothing)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.notes import Note, Notes
from gaitid.numerics.masks import known_rows
from gaitid.numerics.statistics import median, quantile
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

# m above its lowest, and m/s between heel and toe: a foot within these lies flat on the ground.
FLAT_HEIGHT, FLAT_SPEED = 0.02, 0.15
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


def floor_under(feet: Mapping[str, FootTrack], up_g: Array, rate_hz: float) -> Floor:
    """The floor that the feet of a trial walk on.

    Flat on the ground, a foot moves with it: heel and toe are low and have one velocity. The mean over the feet of the
    median of that velocity is a belt's where the feet go nowhere over the trial although the ground under them moves;
    on a walkway it is the feet that travel, and the ground stands.

    Parameters
    ----------
    feet : mapping of side to FootTrack
        Not filtered.
    up_g : (3,) array
    rate_hz : float
    """
    flat, travelled = [], []
    for foot in feet.values():
        middle = (foot.heel_g + foot.toe_g) / 2
        known = np.flatnonzero(known_rows(middle))
        if len(known) < 3:
            continue
        travelled.append((middle[known[-1]] - middle[known[0]]) / ((known[-1] - known[0]) / rate_hz))
        velocity = velocity_while_flat(foot, up_g, rate_hz)
        if np.isfinite(velocity).all():
            flat.append(velocity)
    if not flat:
        return Floor(up_g, rate_hz, np.zeros(3))
    belt = np.mean(flat, axis=0)
    speed, travel = float(np.linalg.norm(belt)), float(np.linalg.norm(np.mean(travelled, axis=0)))
    if not (speed > BELT_SPEED and travel < BELT_SHARE * speed):
        return Floor(up_g, rate_hz, np.zeros(3))
    # along the belts: across them a foot that rolls has a velocity of its own
    return Floor(up_g, rate_hz, belt, abs(float((flat[0] - flat[-1]) @ belt)) / speed)


def velocity_while_flat(foot: FootTrack, up_g: Array, rate_hz: float) -> Array:
    """The median horizontal velocity of a foot while it lies flat, (3,), m/s; NaN where it never does."""
    v_heel, v_toe = velocity(foot.heel_g, rate_hz), velocity(foot.toe_g, rate_hz)
    height = np.stack([foot.heel_g @ up_g, foot.toe_g @ up_g])
    lowest = np.array([quantile(h[np.isfinite(h)], 0.05) for h in height])
    apart = np.linalg.norm(v_heel - v_toe, axis=1)
    with np.errstate(invalid="ignore"):
        flat = (height < lowest[:, None] + FLAT_HEIGHT).all(axis=0) & (apart < FLAT_SPEED)
    if not flat.any():
        return np.full(3, np.nan)
    typical = median((v_heel[flat] + v_toe[flat]) / 2)
    return np.asarray(typical - (typical @ up_g) * up_g)


def velocity(point_g: Array, rate_hz: float) -> Array:
    """(frames, 3) m/s by central differences; 0 in a trial of fewer than three frames."""
    return np.asarray(np.gradient(point_g, axis=0) * rate_hz) if len(point_g) >= 3 else np.zeros_like(point_g)
