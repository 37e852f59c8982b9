"""What the feet walk on: which way is up, and how it moves (a treadmill's belt, or nothing)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.notes import Note, Notes
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import known_rows
from gaitid.numerics.statistics import median, quantile
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

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


def floor_under(feet: Mapping[str, FootTrack], up_g: Array, rate_hz: float) -> Floor:
    """The floor that the feet of a trial walk on.

    Flat on the ground, a foot moves with it. The mean over the feet of its median velocity there is a belt's where the
    feet go nowhere over the trial although the ground under them moves; on a walkway it is the feet that travel, and
    the ground stands.

    Parameters
    ----------
    feet : mapping of side to FootTrack
        Not filtered.
    up_g : (3,) array
    rate_hz : float
    """
    still = Floor(up_g, rate_hz, np.zeros(3))
    flat, travelled = [], []
    for foot in feet.values():
        points = np.stack([foot.heel_g, foot.toe_g], axis=1)
        points = lowpass(points, CUTOFF_HZ, rate_hz) if rate_hz > 2 * CUTOFF_HZ else points
        known = np.flatnonzero(known_rows(points))
        if len(known) < 3:
            continue
        middle = points.mean(axis=1)
        travelled.append((middle[known[-1]] - middle[known[0]]) / ((known[-1] - known[0]) / rate_hz))
        velocity_g = _velocity_while_flat(points, up_g, rate_hz)
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


def _velocity_while_flat(points_g: Array, up_g: Array, rate_hz: float) -> Array:
    """The median horizontal velocity of a foot while it lies flat, (3,), m/s; NaN where it never does.

    `points_g` are its heel and toe, (frames, 2, 3), m.
    """
    flat = known_rows(points_g)
    height = points_g @ up_g
    with np.errstate(invalid="ignore"):
        flat &= (height < quantile(height[flat], 0.05) + FLAT_HEIGHT).all(axis=1)
        flat &= (np.abs(np.gradient(height, axis=0) * rate_hz) < FLAT_SPEED).all(axis=1)
    along = np.gradient((points_g[:, 0] + points_g[:, 1]) / 2, axis=0)[flat] * rate_hz
    along = along[known_rows(along)]  # beside a gap it is not known
    return median(along - np.outer(along @ up_g, up_g)) if len(along) else np.full(3, np.nan)


def velocity(point_g: Array, rate_hz: float) -> Array:
    """(frames, 3) m/s by central differences; 0 in a trial of fewer than three frames."""
    return np.asarray(np.gradient(point_g, axis=0) * rate_hz) if len(point_g) >= 3 else np.zeros_like(point_g)
