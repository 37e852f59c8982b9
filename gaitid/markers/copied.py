"""A gap that somebody filled with another marker's movement before the file was written: its frames are that one's.

Programs fill a gap with the displacements of a donor, bent along a straight line to fit at both ends. What is left of
the donor is its acceleration, frame by frame; and at the ends, where the velocity is suddenly another marker's, the
track has a kink, which is a blow of the accelerated segment.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.markers.tracks import Tracks, tracks_of
from gaitid.numerics.masks import spans
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray

# Of a second difference: two markers' are the same within it. Frames on end in which they must be: in 26 recordings and
# simulated walks of 15 laboratories there are 5 at most with twice that (the condyles of one knee).
SAME, FRAMES = 0.01, 8
# Times the donor's: of both markers that one is the copy that bends so much more where the frames begin or end.
KINKED = 2.0
# So many frames beside an end tell how a marker bends there.
BESIDE = 3
# Share of the trial: markers that bend alike for longer go along with one rigid body.
MOST = 0.5


class Copy(NamedTuple):
    """Frames, first and last from 0, in which a marker has another's movement, and its kink, m per frame."""

    label: str
    first: int
    last: int
    kink_m: float


def find_copies(markers: Mapping[str, Array]) -> list[Copy]:
    """Stretches of markers that are another marker's, with a kink at an end.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    """
    if len(markers) < 2 or len(next(iter(markers.values()))) < FRAMES + 4:
        return []
    labels = list(markers)
    tracks, found = tracks_of(markers), []
    for a, b in _pairs(tracks):
        own, other = (np.diff(tracks.points[:, i], 2, axis=0) for i in (a, b))
        size = np.minimum(norm(own), norm(other))
        with np.errstate(invalid="ignore"):
            same = norm(own - other) < SAME * size
        for first, stop in spans(same):
            if stop - first < FRAMES or same.mean() > MOST:
                continue
            kinks = [float(np.hypot(_kink(bend, first - 1), _kink(bend, stop))) for bend in (own, other)]
            if max(kinks) > KINKED * min(kinks):
                label = labels[a if kinks[0] > kinks[1] else b]
                found.append(Copy(label, first + 1, stop, max(kinks)))
    return found


def _pairs(tracks: Tracks) -> list[tuple[int, int]]:
    """Pairs of markers that bend alike in `FRAMES` frames or more.

    Along one axis their second differences are neighbours when those of all markers are sorted: no pair is compared
    with every other.
    """
    n = len(tracks)
    axis = int(np.argmax(tracks.of_differences(2, _sizes).sum(axis=0)))
    codes = tracks.of_differences(2, lambda some: _alike(some, axis))
    return [divmod(int(code), n) for code in np.flatnonzero(np.bincount(codes, minlength=1) >= FRAMES // 2)]


def _sizes(bends: Array) -> Array:
    """(1, 3) the sum of the sizes along each axis."""
    return np.asarray(np.nansum(np.abs(bends), axis=0).sum(axis=0, keepdims=True))


def _alike(bends: Array, axis: int) -> IntArray:
    """Of each pair of markers that bends alike in a frame its number: that of one times their count, and the other."""
    along, n = bends[..., axis], bends.shape[1]
    ranked = np.sort(along, axis=1)
    near = ranked[:, 1:] - ranked[:, :-1] <= SAME * np.abs(ranked[:, 1:])
    some = np.flatnonzero(near.any(axis=1))
    order = np.argsort(along[some], axis=1)
    frames, rank = np.nonzero(near[some])
    a, b = order[frames, rank], order[frames, rank + 1]
    one, other = bends[some[frames], a], bends[some[frames], b]
    codes: IntArray = (np.minimum(a, b) * n + np.maximum(a, b))[norm(one - other) < SAME * norm(one)]
    return codes


def _kink(bend: Array, row: int) -> float:
    """By how much a second difference, (rows, 3), stands out of those beside it, m; 0 where it is not known."""
    if not 0 <= row < len(bend):
        return 0.0
    beside = np.concatenate([bend[max(row - BESIDE, 0) : row], bend[row + 1 : row + 1 + BESIDE]])
    size = float(np.linalg.norm(bend[row] - beside.mean(axis=0)))
    return size if np.isfinite(size) else 0.0
