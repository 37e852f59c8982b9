"""Which way a walk goes: by its displacement, or frame by frame where it turns, along the path of about one stride.

The path is followed by its length, not by time: who walks slowly sways as much in a stride, who stands goes nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gaitid.model import specs
from gaitid.notes import phrase
from gaitid.numerics.masks import bridged, known_part, known_rows, mean_of_known
from gaitid.numerics.rotation import cross, dot, norm, unit
from gaitid.trial import Array

if TYPE_CHECKING:
    from gaitid.body.frames import Geometry

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
# Cosine between where the subject goes and where the hips face, below which he walks backward.
BACKWARD = -0.7
# m. Less than a step says nothing of a direction.
LEAST_STEP_M = 0.2
# deg. A walk whose mean way rises or falls by more goes up or down: stairs, a ramp. 23 recorded ways over level ground
# have at most 0.7, simulated ones 0.0; a ramp of 6° has 6.0, stairs have 37.
SLOPE_DEG = 3.0
# m. The height of the pelvis is that of the way only over more than a step: it goes up and down with each by 5 cm.
LEAST_RISE_PATH_M = 1.0


def progression(geometry: Geometry, spec: specs.Progression, passes: Sequence[slice] = ()) -> tuple[Array, str]:
    """The frame of walking, and in words how it was found.

    Forward along the horizontal displacement of a point of the body (or the laboratory axis nearest to it), up,
    and to the left: x, z and y, or the letters that the model gives them. Who walks backward still has his front
    in front. Of a walk that turns, forward is the way of each frame (`local_directions`). Each pass has its own.

    Parameters
    ----------
    geometry : Geometry
    spec : Progression
    passes : sequence of slice, optional
        The frames of each walk of a recording that holds several.

    Returns
    -------
    R_gp : (3, 3) array, or (frames, 3, 3) of a walk that turns, or of several
    words : str
    """
    track = geometry.point(spec.point)
    # square to the line between the last joints of both legs, whatever axes the model gives its frames
    last = geometry.model.chain[-1].centre
    across = np.full((geometry.n_frames, 3), np.nan)
    if len(geometry.model.sides) == 2:
        across = geometry.point(last, "left") - geometry.point(last, "right")
    if len(passes) < 2:
        return _of_pass(track, across, geometry, spec)
    R_gp, words = np.empty((geometry.n_frames, 3, 3)), []
    for number, (start, stop) in enumerate(pairwise([0, *(p.start for p in passes[1:]), geometry.n_frames]), 1):
        R_gp[start:stop], how = _of_pass(track[start:stop], across[start:stop], geometry, spec)
        words.append(phrase("way/of_pass", number=number, how=how))
    return R_gp, "; ".join(words)


def _of_pass(track: Array, across: Array, geometry: Geometry, spec: specs.Progression) -> tuple[Array, str]:
    """`progression` of one walk: a point of the body and what lies across it, (frames, 3) each, m."""
    known = np.flatnonzero(known_rows(track))
    if known.size == 0:
        return np.full((3, 3), np.nan), phrase("way/unknown")
    moved = track[known[-1]] - track[known[0]]
    moved = moved - dot(moved, geometry.up_g) * geometry.up_g
    facing = cross(mean_of_known(across), geometry.up_g)
    if spec.axes == "displacement":
        result = local_directions(track, cross(across, np.broadcast_to(geometry.up_g, across.shape)), geometry.up_g)
        if result is not None:
            x, turn_deg = result
            words = phrase("way/turns", point=spec.point, deg=turn_deg)
            return _axes(spec.letters, x, np.broadcast_to(geometry.up_g, x.shape)), words
    facing_joint, backward = "", False
    if np.linalg.norm(moved) < LEAST_STEP_M:
        moved, facing_joint = facing, geometry.model.chain[-1].joint
    elif spec.axes == "displacement" and moved @ facing < BACKWARD * np.linalg.norm(moved) * np.linalg.norm(facing):
        moved, backward = -moved, True
    x = unit(moved)
    if spec.axes == "laboratory":
        largest = int(np.argmax(np.abs(x)))  # NaN stays NaN
        x = np.eye(3)[largest] * np.sign(x[largest])
    slope_deg = _slope_deg(track[known], geometry.up_g)
    words = phrase(
        "way/straight",
        laboratory=spec.axes == "laboratory",
        point=spec.point,
        facing=facing_joint,
        backward=backward,
        up=slope_deg > 0,
        slope=abs(slope_deg),
    )
    return _axes(spec.letters, x, geometry.up_g), words


def _slope_deg(way_g: Array, up_g: Array) -> float:
    """The mean slope of a way, deg; 0 where it is level, or short."""
    across = way_g[-1] - way_g[0]
    across = across - dot(across, up_g) * up_g
    if not np.linalg.norm(across) > LEAST_RISE_PATH_M:
        return 0.0
    forward, height = way_g @ unit(across), way_g @ up_g
    forward = forward - forward.mean()
    slope_deg = float(np.degrees(np.arctan2(forward @ height, forward @ forward)))
    return slope_deg if abs(slope_deg) > SLOPE_DEG else 0.0


def _axes(letters: str, forward: Array, up: Array) -> Array:
    """(…, 3, 3) axes forward, left, up as columns, under their letters."""
    R = np.empty((*forward.shape, 3))
    for letter, axis in zip(letters, (forward, cross(up, forward), up), strict=True):
        R[..., "xyz".index(letter)] = axis
    return R


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
    span = slice(seen[0], seen[-1] + 1)
    level = bridged(np.stack([track_g @ ahead, track_g @ aside], axis=1))[span]
    front = np.stack([facing_g @ ahead, facing_g @ aside], axis=1)[span]
    if _goes_straight(level, front):
        return None
    frames = _frames(level)
    places = level[frames]
    along = np.append(0.0, np.cumsum(norm(np.diff(places, axis=0))))
    length = along[-1]
    if length < LEAST_PATH_M:
        return None

    def place(at: Array) -> Array:
        return np.stack([np.interp(at, along, places[:, i]) for i in (0, 1)], axis=1)

    # towards the ends of the path the chord is shorter, and tells of its own middle
    at = np.linspace(0.0, length, max(int(length / LEAST_MOVE_M), 2))
    start, end = np.maximum(at - HALF_CHORD_M, 0.0), np.minimum(at + HALF_CHORD_M, length)
    chord = place(end) - place(start)
    straight = norm(chord) >= STRAIGHT_SHARE * (end - start)
    if straight.mean() < KNOWN_SHARE:
        return None
    at, whole = (start + end)[straight] / 2, (end - start > 2 * HALF_CHORD_M - 1e-9)[straight]
    heading = np.arctan2(chord[straight, 1], chord[straight, 0])
    done = np.interp(np.arange(len(level)), frames, along)  # by each frame
    heading = _continued(at, heading, done, np.arctan2(front[:, 1], front[:, 0]))
    turn_deg = float(np.degrees(np.ptp(heading[whole]))) if whole.any() else 0.0
    if turn_deg <= TURN_DEG:
        return None
    result = np.empty(len(track_g))
    result[span] = np.interp(done, at, heading)
    result[: seen[0]], result[seen[-1] :] = result[seen[0]], result[seen[-1]]
    return np.outer(np.cos(result), ahead) + np.outer(np.sin(result), aside), turn_deg


def _goes_straight(level: Array, front: Array) -> bool:
    """Whether a path is so narrow that no chord of it turns by more than `TURN_DEG`: it need not be followed.

    A chord is no shorter than `STRAIGHT_SHARE` of its part of the path, which is `HALF_CHORD_M` at the ends and twice
    that elsewhere, and its ends lie no farther aside of each other than the path is wide, no farther back than it goes
    back. Where the body faces forward, or backward, within 60° of the way all the time, nothing goes round.

    Parameters
    ----------
    level : (frames, 2) array, m
        The path.
    front : (frames, 2) array
        Where the body faces; NaN where unknown.
    """
    way = level[-1] - level[0]
    length = float(np.hypot(*way))
    if length == 0:
        return False
    way = way / length
    along, wide = level @ way, float(np.ptp(level @ np.array([-way[1], way[0]])))
    back = float((np.maximum.accumulate(along) - along).max())
    shortest = STRAIGHT_SHARE * HALF_CHORD_M
    if wide > 0.99 * 2 * shortest * np.sin(np.radians(TURN_DEG / 2)) or np.hypot(back, wide) > 0.99 * shortest:
        return False
    known = known_part(front)
    facing, within = known @ way, np.cos(np.radians(60)) * np.hypot(known[:, 0], known[:, 1])
    return bool((facing > within).all() or (facing < -within).all())


def _frames(level: Array) -> Array:
    """The frames of the path's places: each `LEAST_MOVE_M` from the one before."""
    places = (level[:, 0] + 1j * level[:, 1]).tolist()  # their distances are absolute values
    frames, last = [0], places[0]
    for i, here in enumerate(places):
        if abs(here - last) >= LEAST_MOVE_M:
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
