"""How the ground moves under the feet: a treadmill's belt, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.numerics.masks import known_rows
from gaitid.numerics.statistics import median, quantile
from gaitid.trial import Array

# m above its lowest, and m/s between heel and toe: a foot within these lies flat on the ground.
FLAT_HEIGHT, FLAT_SPEED = 0.02, 0.15
# m/s. A slower belt is not told from a foot that slides. The feet go nowhere if they travel, over the trial, at less
# than this share of the belt's speed.
MIN_BELT_SPEED, BELT_SHARE = 0.2, 0.4


def _velocity(point: Array, rate_hz: float) -> Array:
    return np.asarray(np.gradient(point, axis=0) * rate_hz) if len(point) >= 3 else np.zeros_like(point)


def ground_velocity(feet: Sequence[FootTrack], up_g: Array, rate_hz: float) -> Array:
    """How the ground moves: a treadmill's belt, or nothing, (3,) m/s, laboratory axes.

    Flat on the ground, a foot moves with it: heel and toe are low and have one velocity. The median of that velocity is
    taken for a belt's where the feet go nowhere over the trial although the ground under them moves; on a walkway it is
    the feet that travel, and the ground stands.

    Parameters
    ----------
    feet : sequence of FootTrack
    up_g : (3,) array
    rate_hz : float
    """
    flat, travelled = [], []
    for foot in feet:
        middle = (foot.heel_g + foot.toe_g) / 2
        known = np.flatnonzero(known_rows(middle))
        if len(known) < 3:
            continue
        v_heel, v_toe = _velocity(foot.heel_g, rate_hz), _velocity(foot.toe_g, rate_hz)
        v = (v_heel + v_toe) / 2
        height = np.stack([foot.heel_g @ up_g, foot.toe_g @ up_g])
        lowest = np.array([quantile(h[np.isfinite(h)], 0.05) for h in height])
        apart = np.linalg.norm(v_heel - v_toe, axis=1)
        with np.errstate(invalid="ignore"):
            still = (height < lowest[:, None] + FLAT_HEIGHT).all(axis=0) & (apart < FLAT_SPEED)
        flat.append(v[still])
        travelled.append((middle[known[-1]] - middle[known[0]]) / ((known[-1] - known[0]) / rate_hz))
    if not flat or not sum(len(f) for f in flat):
        return np.zeros(3)
    belt = median(np.concatenate(flat))
    belt = belt - (belt @ up_g) * up_g
    speed = float(np.linalg.norm(belt))
    travel = float(np.linalg.norm(np.mean(travelled, axis=0)))
    return belt if speed > MIN_BELT_SPEED and travel < BELT_SHARE * speed else np.zeros(3)
