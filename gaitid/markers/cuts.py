"""Frames that were cut out of a recording: the whole body goes on between two frames by more than it can.

The times of all that follows are wrong then, of markers, forces and events: no rate, cycle or acceleration across
such a place means anything.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.errors import TrialError, first_few
from gaitid.markers.faults import KEEP
from gaitid.markers.jumps import FLICKER_FRAMES, FLICKER_S, jump_limit
from gaitid.markers.tracks import tracks_of
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import quantile_of_known
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray

# Markers that must be seen beside a step; the share of them that jump; and share of a jump by which their mean does.
# Between two frames of 34 recordings of 20 laboratories at most 0.12 of the markers jump, and their mean by at most
# 0.64 of the limit; three frames cut out of walks at 100 Hz make at least 0.6 of them jump, and their mean by 1.1 and
# more. Labels that change places, however many, leave the mean where it was.
FEWEST_SEEN, MOST, TOGETHER = 6, 0.5, 0.8
# Times what nine tenths of the steps of the trial show of it: lengths in another unit, or a rate that is not that of
# the recording, make everything jump all the time. In the shared walks a cut of three frames has 29 times as much and
# more.
USUAL_SHARE, ABOVE_USUAL = 0.9, 5.0
# Share of a step that may be left when the body is back.
BACK = 0.5
# So many places are named.
MOST_NAMED = 4


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
    """Places at which most markers jump, and the body with them; not where it comes back at once.

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
    whole = (seen >= max(FEWEST_SEEN, len(markers) / 2)) & (jump >= MOST * seen)
    if not whole.any():
        return []
    changes = np.diff(tracks.points, 2, axis=0)
    known = np.isfinite(changes)
    mean = np.where(known, changes, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    edge = np.full((1, 3), np.inf)
    ways = np.stack([np.concatenate([edge, mean]), -np.concatenate([mean, edge])])  # from the step before, and after
    sizes = norm(ways)
    shift = np.where((sizes[0] < sizes[1])[:, None], ways[0], ways[1])
    size = sizes.min(axis=0)
    whole &= size > max(TOGETHER * limit, ABOVE_USUAL * float(quantile_of_known(size, USUAL_SHARE)))
    at = [int(k) for k in np.flatnonzero(whole) if not _comes_back(shift, np.flatnonzero(whole), int(k), rate_hz)]
    return [Cut(k, k + 1, int(jump[k]), int(seen[k]), float(np.linalg.norm(shift[k]))) for k in at]


def _comes_back(shift: Array, steps: IntArray, k: int, rate_hz: float) -> bool:
    """Whether another step within the time of a flicker undoes a step: the body was elsewhere for a few frames."""
    near = [int(j) for j in steps if 0 < abs(int(j) - k) <= max(FLICKER_FRAMES, round(FLICKER_S * rate_hz))]
    return any(np.linalg.norm(shift[j] + shift[k]) < BACK * np.linalg.norm(shift[k]) for j in near)


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
