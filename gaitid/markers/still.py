"""A marker that stands still while its body goes on, and comes back by a jump: only the frames in which it stood.

A marker that a system loses for a while may be kept at its last place, with some noise. Nothing shows when that begins;
the jump at the end does, and what is off is then not the part of the trial before it, but the frames of standing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gaitid.markers.jumps import BESIDE_FRAMES, BESIDE_S, FEWEST_SEEN, jump_limit, seen_by, steadiest
from gaitid.markers.tracks import tracks_of
from gaitid.numerics.masks import known_rows, median, spans
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array

# s, and frames: no less is standing. What is off for less is a spike (`gaitid.markers.spikes`).
STANDS_S, STANDS_FRAMES = 0.07, 6
# m. So far a marker that stands is from its place, at most.
ROOM_M = 0.01
# Share of the way that it comes back by which its place among its neighbours may differ before and after: muscle and
# skin, and joints between the markers, move it there by less.
BACK = 0.5


class Standstill(NamedTuple):
    """Frames, first and last from 0, in which a marker stands still, and the jump by which it goes on, m."""

    first: int
    last: int
    size_m: float


def find_standstills(markers: Mapping[str, Array], rate_hz: float) -> dict[str, list[Standstill]]:
    """Where markers stand still beside a jump that brings them back to their place among their neighbours.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    """
    found: dict[str, list[Standstill]] = {}
    tracks = tracks_of(markers)
    limit = jump_limit(tracks, rate_hz)
    for label, points in tracks.items():
        jumps = list(spans(tracks.excess_at(label) > limit))
        # what begins and ends with a jump is elsewhere, and does not only stay
        at_once = {after for _, after in jumps}, {before for before, _ in jumps}
        runs = {run for jump in jumps for run in _beside(points, jump, rate_hz)}
        runs = {run for run in runs if not (run[0] in at_once[0] and run[1] in at_once[1])}
        sizes = {run: _comes_back(tracks, label, run, rate_hz) for run in sorted(runs)}
        if stood := [Standstill(*run, size_m) for run, size_m in sizes.items() if size_m > 0]:
            found[label] = stood
    return found


def _beside(points: Array, jump: tuple[int, int], rate_hz: float) -> Iterator[tuple[int, int]]:
    """Frames of standing up to a jump, between two frames, or from it on: the same, seen backward in time."""
    (before, after), last = jump, len(points) - 1
    shortest = max(STANDS_FRAMES, round(STANDS_S * rate_hz))
    if (first := _stands_from(points[: before + 1], shortest)) is not None:
        yield first, before
    if (first := _stands_from(points[after:][::-1], shortest)) is not None:
        yield after, last - first


def _stands_from(points: Array, shortest: int) -> int | None:
    """Since when a marker stands still that does so at the end; None where it does for fewer frames.

    It is as near to its place as in the last of these frames, or three times as far: as the noise that it stands with.
    """
    last = points[-shortest:]
    at = last.mean(axis=0)
    far = float(norm(last - at).max())
    if len(last) < shortest or not far < ROOM_M:
        return None
    off = np.flatnonzero(~(norm(points - at) <= 3 * far))
    return int(off[-1]) + 1 if len(off) else 0


def _comes_back(markers: Mapping[str, Array], label: str, run: tuple[int, int], rate_hz: float) -> float:
    """How far among its neighbours a marker was away at most beside a run of frames after which it is back; else 0."""
    first, last = run
    points = markers[label]
    others = points.copy()
    others[first : last + 1] = np.nan
    # without the run: of a marker that stands others are the steadiest neighbours
    near = steadiest({**markers, label: others}, label)
    if len(near) < FEWEST:
        return 0.0
    place = seen_by(points, np.stack([markers[other] for other in near], axis=1))[0]
    beside = max(BESIDE_FRAMES, round(BESIDE_S * rate_hz))
    ends = place[max(first - beside, 0) : first], place[last + 1 : last + 1 + beside]
    before, after = (end[known_rows(end)] for end in ends)
    if min(len(before), len(after)) < FEWEST_SEEN:
        return 0.0
    away = np.stack([place[first] - median(before), place[last] - median(after)])
    size_m = float(norm(np.where(np.isfinite(away), away, 0.0)).max())
    between = float(np.linalg.norm(median(after) - median(before)))
    return size_m if size_m > jump_limit(markers, rate_hz) and between < BACK * size_m else 0.0
