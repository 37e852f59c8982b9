"""Which way a walk that turns goes, frame by frame: along the path of the body over about one stride.

The path is followed by its length, not by time: who walks slowly sways as much in a stride, who stands goes nowhere.
"""

from __future__ import annotations

import numpy as np

from gaitid.numerics.masks import bridged, known_rows
from gaitid.numerics.rotation import cross, unit
from gaitid.trial import Array

# m. The direction at a place of the path is that of the chord from so far before it to so far behind: over a stride of
# an adult, so that the sway from side to side counts for little.
HALF_CHORD_M = 0.6
# m. What the body moves to and fro in less than this is no way.
LEAST_MOVE_M = 0.05
# A chord shorter than this share of the path between its ends is no direction: the body turns on the spot, or sways.
STRAIGHT_SHARE = 0.6
# Of a path, so much must have a direction.
KNOWN_SHARE = 0.5
# m. On a shorter path nothing tells whether it turns.
LEAST_PATH_M = 3 * HALF_CHORD_M
# deg. A walk whose direction varies by more than this turns. On the straight walks of the shared trials it varies by
# 0.4 to 6.5, in a turn of a child by 92.
TURN_DEG = 20.0


def local_directions(track_g: Array, facing_g: Array, up_g: Array) -> tuple[Array, float] | None:
    """The direction of a walk that turns in each frame, and by how much it turns, deg; None of one that does not.

    Who walks backward still has his front in front. Where the body stays in place the direction turns evenly from the
    one before to the one after it; over the first and last 0.3 m of the path it is that of their first and last 0.6 m.

    Parameters
    ----------
    track_g : (frames, 3) array, m
        Of a point of the body.
    facing_g : (frames, 3) array
        To the front of the body, level; NaN where unknown.
    up_g : (3,) array

    Returns
    -------
    (frames, 3) array
        Level unit vectors.
    turn_deg : float
    """
    ahead = unit(cross(up_g, np.eye(3)[int(np.argmin(np.abs(up_g)))]))
    aside = cross(up_g, ahead)
    seen = np.flatnonzero(known_rows(track_g))
    if len(seen) < 2:
        return None
    level = bridged(np.stack([track_g @ ahead, track_g @ aside], axis=1))[seen[0] : seen[-1] + 1]
    frames = _frames(level)
    places = level[frames]
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1)))
    length = along[-1]
    if length < LEAST_PATH_M:
        return None

    def place(at: Array) -> Array:
        return np.stack([np.interp(at, along, places[:, i]) for i in (0, 1)], axis=1)

    # towards the ends of the path the chord is shorter, and tells of its own middle
    at = np.linspace(0.0, length, max(int(length / LEAST_MOVE_M), 2))
    start, end = np.maximum(at - HALF_CHORD_M, 0.0), np.minimum(at + HALF_CHORD_M, length)
    chord = place(end) - place(start)
    straight = np.linalg.norm(chord, axis=1) >= STRAIGHT_SHARE * (end - start)
    if straight.mean() < KNOWN_SHARE:
        return None
    at, whole = (start + end)[straight] / 2, (end - start > 2 * HALF_CHORD_M - 1e-9)[straight]
    heading = np.arctan2(chord[straight, 1], chord[straight, 0])
    done = np.interp(np.arange(len(level)), frames, along)  # by each frame
    facing = np.arctan2(facing_g @ aside, facing_g @ ahead)[seen[0] : seen[-1] + 1]
    heading = _continued(at, heading, done, facing)
    turn_deg = float(np.degrees(np.ptp(heading[whole]))) if whole.any() else 0.0
    if turn_deg <= TURN_DEG:
        return None
    result = np.empty(len(track_g))
    result[seen[0] : seen[-1] + 1] = np.interp(done, at, heading)
    result[: seen[0]], result[seen[-1] :] = result[seen[0]], result[seen[-1]]
    return np.outer(np.cos(result), ahead) + np.outer(np.sin(result), aside), turn_deg


def _frames(level: Array) -> Array:
    """The frames of the path's places: each `LEAST_MOVE_M` from the one before."""
    frames, last = [0], level[0]
    for i, here in enumerate(level.tolist()):
        if (here[0] - last[0]) ** 2 + (here[1] - last[1]) ** 2 >= LEAST_MOVE_M**2:
            frames.append(i)
            last = here
    return np.array(frames)


def _continued(at: Array, heading: Array, done: Array, facing: Array) -> Array:
    """Headings, rad, without jumps of a whole turn, and turned about where the body walks backward."""
    known = np.isfinite(facing)
    if known.mean() < KNOWN_SHARE:
        return np.unwrap(heading)
    # frames of one place have one facing: that of the first
    front = np.interp(at, done[known], np.unwrap(facing[known]))
    if np.cos(heading - front).mean() < 0:
        heading = heading + np.pi
    return np.asarray(front + np.angle(np.exp(1j * (heading - front))))
