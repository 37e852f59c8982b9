"""Frames that are missing in a recording: the whole body steps between two frames by more than it can.

The times of all that follows are wrong then, of markers, forces and events. Where many are missing, no rate, cycle or
acceleration across such a place means anything, and the recording is refused. Where it is one, every marker goes on by
twice what it does beside it: a body has mass, so that no marker doubles its step for one frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.errors import TrialError, first_few
from gaitid.markers.faults import KEEP
from gaitid.markers.jumps import FLICKER_FRAMES, FLICKER_S, jump_limit
from gaitid.markers.tracks import Tracks, tracks_of
from gaitid.notes import Notes, note
from gaitid.numerics.masks import by_blocks
from gaitid.numerics.rotation import dot, norm
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

# Markers that must be seen beside a step, and the share of them that jump. Between two frames of 34 recordings of 20
# laboratories at most 0.12 of the markers jump; three frames cut out of walks at 100 Hz make at least 0.6 of them jump.
FEWEST_SEEN, MOST = 6, 0.5
# Share of the frames in which most markers jump above which nothing is a cut: lengths in another unit, or a rate that
# is not that of the recording, make everything jump all the time.
RARE = 0.1
# Share of a step that may be left when the body is back.
BACK = 0.5
# So many places are named.
MOST_NAMED = 4
# Frames that are missing: midway between none and one. Of 20 recordings of 13 laboratories and of simulated walks no
# step shows more than 0.05, and where one frame is left out none shows less than 0.89.
MISSING = 0.5
# m/s. A slower marker tells nothing of that; and the least share of the markers that must tell.
LEAST_SPEED, LEAST_SHARE = 0.2, 0.25


@frozen_dataclass()
class Cut:
    """A place at which frames are missing.

    Attributes
    ----------
    before, after : int
        The frames beside it, from 0.
    jump, seen : int
        So many markers jump there, of so many.
    size_m : float
        By how much the mean of all markers goes on farther than beside it.
    """

    before: int
    after: int
    jump: int
    seen: int
    size_m: float


def find_cuts(markers: Mapping[str, Array], rate_hz: float) -> list[Cut]:
    """Places at which most markers jump, to where no marker was going; not where they come back at once.

    Labels that change places, however many, lead to where other markers were going.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    """
    if len(markers) < FEWEST_SEEN or len(next(iter(markers.values()))) < 3:
        return []
    tracks = tracks_of(markers)
    excess, limit = tracks.excess, jump_limit(tracks, rate_hz)
    beyond = excess > limit
    if not beyond.any():
        return []
    seen, jump = np.isfinite(excess).sum(axis=1), beyond.sum(axis=1)
    most = (seen >= max(FEWEST_SEEN, len(markers) / 2)) & (jump >= MOST * seen)
    if most.mean() > RARE:
        return []
    shifts = {int(k): _shift(tracks, int(k)) for k in np.flatnonzero(most)}
    near = max(FLICKER_FRAMES, round(FLICKER_S * rate_hz))
    return [
        Cut(k, k + 1, int(jump[k]), int(seen[k]), float(np.linalg.norm(np.nanmean(shift, axis=0))))
        for k, shift in shifts.items()
        if _leaves_all(tracks, k, limit)
        and not any(0 < abs(j - k) <= near and _undoes(other, shift) for j, other in shifts.items())
    ]


def step_between(tracks: Tracks, before: int, after: int) -> tuple[Array, Array]:
    """(markers, 3) m and m a frame: by how much each marker steps between two frames, and its velocity there.

    That is the mean of the velocities before and after, or the one that is known; 0 where neither is. NaN of markers
    that are not seen in both frames.
    """
    points, last = tracks.points, len(tracks.points) - 1
    start, end = points[before], points[after]
    speeds = np.stack([start - points[max(before - 1, 0)], points[min(after + 1, last)] - end])
    known = np.isfinite(speeds).all(axis=2, keepdims=True)
    step = end - start
    velocity = np.where(known, speeds, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return step, np.where(np.isfinite(step), velocity, np.nan)


def _shift(tracks: Tracks, k: int) -> Array:
    """(markers, 3) m, by how much each marker steps after frame k beyond its velocity."""
    step, velocity = step_between(tracks, k, k + 1)
    return step - velocity


def _leaves_all(tracks: Tracks, k: int, limit_m: float) -> bool:
    """Whether most markers are after frame k where none was going."""
    step, velocity = step_between(tracks, k, k + 1)
    known = np.isfinite(step).all(axis=1)
    start = tracks.points[k][known]
    going, found = start + velocity[known], start + step[known]
    nearest = norm(found[:, None] - going).min(axis=1, initial=np.inf)
    return bool(np.count_nonzero(nearest > limit_m) >= MOST * max(len(found), FEWEST_SEEN))


def _undoes(other: Array, shift: Array) -> bool:
    """Whether another step of most markers undoes a step: the body was elsewhere for a few frames."""
    left = norm(other + shift) < BACK * norm(shift)
    return bool(np.count_nonzero(left) >= MOST * np.count_nonzero(np.isfinite(shift).all(axis=1)))


def refuse_cuts(markers: Mapping[str, Array], rate_hz: float, first_frame: int) -> None:
    """Refuse a recording in which frames are missing, and name the place.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    rate_hz : float
    first_frame : int
        Number of the trial's first frame, for words.

    Raises
    ------
    TrialError
    """
    if not (cuts := find_cuts(markers, rate_hz)):
        return
    where = first_few([f"{c.before + first_frame} and {c.after + first_frame}" for c in cuts], MOST_NAMED)
    largest = max(cuts, key=lambda cut: cut.size_m)
    raise TrialError(
        f"frames are missing between frames {where}: {largest.jump} of {largest.seen} markers jump there, and the body "
        f"goes on by {1e3 * largest.size_m:.0f} mm",
        expected="a recording without cuts: all times after one are wrong",
        todo=f"export it whole, or each piece as a trial of its own; {KEEP} takes it as it is",
    )


# --- single frames ------------------------------------------------------------------------------------------


class LostFrame(NamedTuple):
    """A place at which a frame is missing.

    Attributes
    ----------
    before : int
        The frame before it, from 0.
    times : float
        How many times as far as beside it the markers go on.
    """

    before: int
    times: float


def find_lost_frames(markers: Mapping[str, Array], rate_hz: float) -> list[LostFrame]:
    """Places at which most markers go on by twice as far as before and after.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    """
    points = tracks_of(markers).points
    if len(points) < 4:
        return []
    needed = max(FEWEST_SEEN, LEAST_SHARE * len(markers))

    def most_go_on(some: Array) -> Mask:
        """(frames − 3,) whether most that move go on by a frame more in the middle one of three steps."""
        steps = np.diff(some, axis=0)
        v, change = (steps[:-2] + steps[2:]) / 2, steps[2:] - steps[:-2]
        square = dot(v, v)
        # a marker that stops or turns back there tells nothing
        fast = (square > (LEAST_SPEED / rate_hz) ** 2) & (square > dot(change, change))
        far = fast & (dot(v, steps[1:-1] - v) > MISSING * square)
        return np.asarray((fast.sum(axis=1) >= needed) & (2 * far.sum(axis=1) > fast.sum(axis=1)))

    rows = (np.flatnonzero(by_blocks(most_go_on, points, 3)) + 1).tolist()
    # what all do in common is no time: the origin may have been set anew
    return [LostFrame(k, 1 + missing_behind(points, k)) for k in rows if missing_behind(points, k, True) > MISSING]


def missing_behind(points: Array, frame: int, apart: bool = False) -> float:
    """How many frames are missing behind one: k of d ≈ k v, by least squares over (frames, markers, 3) points.

    v is what a marker goes on by, the mean of before and after, and d what it steps beyond that. `apart`: of v only
    what the markers do not do in common.
    """
    steps = np.diff(points[max(frame - 1, 0) : frame + 3], axis=0)
    steps = steps[:, np.isfinite(steps).all(axis=(0, 2))]
    if len(steps) < 3 or not steps.size:
        return 0.0
    v = (steps[0] + steps[-1]) / 2
    d, v = steps[1] - v, v - v.mean(axis=0) * apart
    return float((v * d).sum() / max(float((v * v).sum()), 1e-18))


def lost_frame_notes(lost: Sequence[LostFrame], first_frame: int) -> Notes:
    """That camera frames are missing, and where."""
    if not lost:
        return ()
    frames = [f"{one.before + first_frame} and {one.before + 1 + first_frame}" for one in lost]
    return (note("frames_lost", frames=frames, times=max(one.times for one in lost)),)
