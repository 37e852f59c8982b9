"""Stretches of smoothed tracks with a kink at both ends: gaps that somebody filled before the file was written.

Whatever fills a gap meets what was recorded at both ends, and goes on there with another velocity, acceleration or
jerk. Of a track that was smoothed before it was stored nothing else is that sharp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.markers.faults import LabelFault
from gaitid.markers.tracks import Tracks, tracks_of
from gaitid.numerics.masks import by_blocks, known_rows, quantile_of_known, widened
from gaitid.numerics.rotation import norm
from gaitid.trial import Array, IntArray

# Of the difference that a quintic leaves nothing of, and its factors. m: a marker that moves by less is at rest.
ORDER, FACTORS, MOVES_M = 6, (1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0), 0.01
# m. A track with less noise was smoothed before it was stored (docs/method.md), and has no kinks.
SMOOTH_M = 2e-6
# A kink is a sixth difference of more than so many times what nine tenths of a marker's are, and than so much, m: in
# the legs of 17 smoothed trials of 9 laboratories at most 7.8 times (a heel at 60 Hz; at 100 Hz 4.5) where they are
# larger than that, and 0.02 mm where they are more than so many times as large (stairs). Fills of 10 to 40 frames make
# 15 to 10,000 times; of the shared recordings an elbow and two wrists have some that somebody made. The other end of a
# stretch may be less sharp by the last.
KINK, USUAL_SHARE, KINK_M, OTHER_END = 12.0, 0.9, 5e-5, 0.5
# Rows in which one kink shows, and s between two of them: a longer stretch is no gap that anybody fills.
ROWS, LONGEST_S = ORDER + 1, 1.0
# Share of the markers, and how many: where more have kinks within `ROWS`, the body has them, as it lands; where more
# have some at any time, the recording makes them. In 21 smoothed recordings one marker has any, but in a landing (15).
FEW, MOST = 0.3, 3
HALF = 0.5


def find_kinked(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Markers of smoothed trials with two kinks, between which they were filled in or changed after it was smoothed."""
    tracks = tracks_of(markers)
    if not tracks or len(tracks.points) <= 4 * ROWS:
        return []
    some = _sixth(tracks.points, ORDER // 2)  # each kink shows in two of them, by half at least
    limits = np.fmax(KINK * quantile_of_known(some, USUAL_SHARE), KINK_M)
    beyond, few = some > limits * OTHER_END, min(max(FEW * len(tracks), 1.0), MOST)
    beyond &= (beyond.sum(axis=1) <= few)[:, None]
    sharp = np.flatnonzero(beyond.any(axis=0))
    if sharp.size > few:  # the recording makes kinks, as splines through points do, and jerks that step
        return []
    if sharp.size:  # few trials have any: only these are asked for their noise
        sharp = sharp[tracks.noise[sharp] < SMOOTH_M]
    if not sharp.size:
        return []
    times = by_blocks(lambda rows: _sixth(rows, 1), tracks.points[:, sharp], ORDER) / limits[sharp]
    near = np.stack([widened(of > OTHER_END, ROWS) for of in times.T], axis=1)
    alone = near.sum(axis=1) <= few
    faults = []
    for i, of_marker in zip(sharp.tolist(), times.T, strict=True):
        faults += _faults("kinked", tracks, list(tracks)[i], _between(np.where(alone, of_marker, 0.0), rate_hz))
    return faults


def still_seen(faults: Sequence[LabelFault], markers: Mapping[str, Array]) -> list[LabelFault]:
    """The faults in those of their runs of which half is seen: what else was found there says more of the others."""
    left = []
    for fault in faults:
        seen = known_rows(markers[fault.labels[0]])
        if frames := tuple((a, b) for a, b in fault.frames if seen[a + ROWS // 2 : b + 1 - ROWS // 2].mean() >= HALF):
            left.append(replace(fault, frames=frames))
    return left


def _between(times: Array, rate_hz: float) -> list[tuple[int, int]]:
    """Frames, first and last, between kinks that are near, one of them beyond its limit; `times` it, of each row."""
    rows = np.flatnonzero(times > OTHER_END)
    if not rows.size:
        return []
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > LONGEST_S * rate_hz) + 1)
    # one kink alone is no stretch, and kinks throughout are how the track was made: a spline through points of its own
    runs = [run for run in runs if ROWS < run[-1] - run[0] < LONGEST_S * rate_hz + ROWS and times[run].max() > 1.0]
    # half of the frames of the outermost rows may be what was recorded
    return [(int(run[0]) + ROWS // 2, int(run[-1]) + ROWS // 2) for run in runs]


def _faults(kind: str, tracks: Tracks, label: str, runs: list[tuple[int, int]]) -> list[LabelFault]:
    """One fault of a label, of the runs in which it moves."""
    with np.errstate(invalid="ignore"):
        sizes = {run: float(np.nan_to_num(np.ptp(tracks[label][run[0] : run[1] + 1], axis=0)).max()) for run in runs}
    found = tuple(run for run, size in sizes.items() if size > MOVES_M)
    return [LabelFault(kind, (label,), found, max(sizes.values()))] if found else []


def _sixth(points: Array, every: int) -> Array:
    """(rows, markers) lengths of sixth differences, m, of each so-manieth row."""
    rows = np.arange(0, len(points) - ORDER, every)

    def lengths(some: IntArray) -> Array:
        first, stop = int(some[0]), int(some[-1]) + 1
        total = points[first:stop:every].copy()
        for k, by in enumerate(FACTORS[1:], 1):
            total += by * points[first + k : stop + k : every]
        return norm(total)

    return by_blocks(lengths, rows, times=points[0].size)
