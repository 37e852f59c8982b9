"""Camera frames that repeat the one before: every marker stands still to the last digit while the body goes on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.markers.tracks import tracks_of
from gaitid.numerics.blocks import by_blocks
from gaitid.numerics.masks import spans
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import quantile_of_known
from gaitid.trial import Array, Mask

# m/s. A quarter of the markers move faster than this beside a repeated frame. Whoever stands sways by 0.01 m/s; in a
# walk half of the markers are faster than 0.5 m/s at any time.
MOVING_M_PER_S = 0.2
# Steps of the file's own resolution that they must have gone: a person who stands still in a file of whole millimetres
# repeats frames, and moves by one step then.
QUANTA = 3.0
# Markers that must be seen: of fewer, all may be at rest.
FEWEST_SEEN = 3
# Of the markers so many move more slowly than the quarter that is asked.
QUARTER = 0.75


def repeated_frames(markers: Mapping[str, Array], rate_hz: float) -> list[tuple[int, int]]:
    """Runs of frames, first and last from 0, in which all markers are where they were in the frame before the run.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    rate_hz : float
    """
    if len(markers) < FEWEST_SEEN:
        return []
    tracks = tracks_of(markers)
    points, still, seen = tracks.points, tracks.still, tracks.known
    if not still.any():
        return []
    known = seen[1:] & seen[:-1]
    whole: Mask = np.asarray(((still == known) & (seen[1:] == seen[:-1])).all(axis=1))
    whole &= known.sum(axis=1) >= FEWEST_SEEN
    if not whole.any():
        return []
    quantum = float(by_blocks(_least_step, points, 1).min())
    found = []
    for first, stop in spans(whole):  # steps first … stop − 1, so frames first + 1 … stop repeat frame `first`
        before, after = max(first - 1, 0), min(stop + 1, len(points) - 1)
        gone = norm(points[after] - points[before])
        far = float(quantile_of_known(gone, QUARTER))
        if far > max(QUANTA * quantum, MOVING_M_PER_S * (after - before) / rate_hz):
            found.append((first + 1, stop))
    return found


def _least_step(points: Array) -> Array:
    """(frames − 1,) the least that any coordinate changes by, of those that change at all, m."""
    sizes = np.abs(np.diff(points, axis=0))
    return np.asarray(np.where(np.isfinite(sizes) & (sizes > 0), sizes, np.inf).min(axis=(1, 2)))
