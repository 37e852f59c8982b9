"""Single camera frames that are missing: between two frames every marker goes on by twice what it does beside it.

A body has mass, so that no marker doubles its step for one frame and halves it for the next; all of them together even
less. Longer cuts are refused (`cuts`); after a single one times are wrong by a frame, and the accelerations there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.markers.tracks import tracks_of
from gaitid.notes import Notes, note
from gaitid.numerics.masks import by_blocks, median
from gaitid.numerics.rotation import dot, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray

# Median over the markers of a step over the mean of those before and after it: at most 1.05 between any two frames of
# 20 recordings of 13 laboratories and of simulated walks, 1.89 and more where one frame is left out anywhere in them.
# No laboratory moves the limit: it lies midway between the largest and the least of all.
GOES_ON = 1.5
# m/s. A slower marker tells nothing; nor one whose steps before and after differ by more than that factor, or whose
# cosine is less than the third: it turns back. The fewest markers that tell, and their least share.
LEAST_SPEED, STEADY, SAME_WAY, FEWEST, LEAST_SHARE = 0.2, 2.0, 0.5, 5, 0.25
# A lost frame multiplies the steps of most markers alike; what shifts them all by one length does not.
ALIKE, MOST = 0.25, 0.7


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
    if len(markers) < FEWEST or len(next(iter(markers.values()))) < 4:
        return []
    tracks, needed = tracks_of(markers), max(FEWEST, LEAST_SHARE * len(markers))
    # more than half of the markers that tell must go on so far: hardly a frame is looked at closely
    bends, least = tracks.of_differences(3, norm), _least_beside(rate_hz)
    bent = bends > (GOES_ON - 1) * least
    if 2 * np.count_nonzero(bent) <= needed:
        return []
    beside = tracks.of_differences(1, lambda some: norm(some[2:] + some[:-2]), 2)
    bent &= (beside > least) & (bends > (GOES_ON - 1) * beside)
    rows = np.flatnonzero(2 * bent.sum(axis=1) > needed)
    if not rows.size:
        return []
    times = by_blocks(lambda some: _times(tracks.points, some, rate_hz), rows, times=3 * bent.shape[1])
    tells, far = times != -np.inf, times > GOES_ON
    n = tells.sum(axis=1)
    found = []
    for k in np.flatnonzero((n >= needed) & (2 * far.sum(axis=1) > n)):
        typical = float(median(times[k][tells[k]]))
        # all by the same share of their own steps, not by the same length
        if (np.abs(times[k][tells[k]] / typical - 1) < ALIKE).mean() > MOST:
            found.append(LostFrame(int(rows[k]) + 1, typical))
    return found


def _least_beside(rate_hz: float) -> float:
    """How long the steps before and after a step are together at least, m, of a marker that tells.

    Two steps of v at least, whose cosine is at least c, have a sum w with w² > (2 + 2 c) v². With s the step between
    them, times = 2 s·w / w² > g means (2 s − w)·w > (g − 1) w², so that |2 s − w|, the third difference, is more than
    (g − 1) |w| where a marker goes on by `GOES_ON` times.
    """
    return float(np.sqrt(2 + 2 * SAME_WAY)) * LEAST_SPEED / rate_hz


def _times(points: Array, rows: IntArray, rate_hz: float) -> Array:
    """(rows, markers) how many times as far as before and after a marker goes on; −∞ where it does not tell.

    It is the second of the three steps from a row on that is looked at.
    """
    before, step, after = (points[rows + k + 1] - points[rows + k] for k in range(3))
    first, last, both = dot(before, before), dot(after, after), dot(before, after)
    least = np.minimum(first, last)
    with np.errstate(invalid="ignore", divide="ignore"):
        tells = (least > (LEAST_SPEED / rate_hz) ** 2) & (np.maximum(first, last) < STEADY**2 * least)
        tells &= both > SAME_WAY * np.sqrt(first * last)
        times = 2 * (dot(step, before) + dot(after, step)) / (first + 2 * both + last)
    return np.where(tells, times, -np.inf)


def lost_frame_notes(lost: Sequence[LostFrame], first_frame: int) -> Notes:
    """That camera frames are missing, and where."""
    if not lost:
        return ()
    frames = [f"{one.before + first_frame} and {one.before + 1 + first_frame}" for one in lost]
    return (note("frames_lost", frames=frames, times=max(one.times for one in lost)),)
