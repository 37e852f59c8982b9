"""A marker that goes elsewhere by less than a jump, stays there for a while or for good: in which frames it is away.

A step of a few millimetres shows in the fifth difference of a track, as a spike does (`gaitid.markers.spikes`); it is
one where the marker's steadiest neighbours see the same step and make none themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.markers.jumps import BESIDE_FRAMES, STRAIGHT, parts_between, seen_by, steadiest, step_between
from gaitid.markers.spikes import step_limits
from gaitid.markers.tracks import GAIN, ORDER, steps_shown, tracks_of
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

# m. A marker that goes elsewhere by less moves joints by less than the skin does (Leardini 2005, Gait Posture
# 21:212-225: 10 mm and more on the thigh).
SHIFT_M = 0.008
# By which share of it the neighbours may see another step, and how many times as large it is as theirs.
AGREE, ABOVE_OTHERS = 0.3, 3.0
# Share of the step that may stay when it is taken away: else the track is not one with a step.
STAYS = 0.35
# s. A marker that is elsewhere for so long at an end of the trial would have come back, or have gone just before.
CUT_S = 0.1
# Share of a step within which sums of steps lead to one track.
SAME = 0.5


class Shifted(NamedTuple):
    """A marker that goes elsewhere.

    Attributes
    ----------
    away : (frames,) bool array
        Where it is off the track that it is on for longest, and to which it comes back.
    at : tuple of (int, int)
        The frames before and after each step of those.
    stays : tuple of (int, int)
        The same of the steps from which it does not come back: which place is right, nobody can tell.
    size_m : float
        Of the largest step.
    """

    away: Mask
    at: tuple[tuple[int, int], ...]
    stays: tuple[tuple[int, int], ...]
    size_m: float


def find_shifted(markers: Mapping[str, Array], rate_hz: float) -> dict[str, Shifted]:
    """Markers that go elsewhere by `SHIFT_M` and more.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        Without spikes and jumps; NaN where a marker was not seen.
    rate_hz : float
    """
    if not markers or len(next(iter(markers.values()))) <= 2 * ORDER:
        return {}
    tracks = tracks_of(markers)
    labels, shown = list(tracks), tracks.shown
    if not (shown > SHIFT_M).any():
        return {}
    steps_beyond = shown > np.maximum(SHIFT_M, step_limits(tracks.noise, tracks.usual))
    found: dict[str, Shifted] = {}
    for i in np.flatnonzero(steps_beyond.any(axis=0)):
        label, points, beyond = labels[i], markers[labels[i]], steps_beyond[:, i]
        near = steadiest(markers, label)
        if len(near) < FEWEST:
            continue
        others = np.stack([markers[x] for x in near], axis=1)
        steps: list[tuple[int, Array]] = []
        for first, stop in _together(beyond):
            row = first + int(np.nanargmax(shown[first:stop, i]))
            step = _step(points, others, row)
            if step is not None:
                steps.append((row + ORDER // 2, step))
        if steps:
            found[label] = tracks_between(points, steps, round(CUT_S * rate_hz))
    return found


def _together(beyond: Mask) -> list[tuple[int, int]]:
    """Runs of rows that one step may show in."""
    runs: list[tuple[int, int]] = []
    for first, stop in spans(beyond):
        if runs and first - runs[-1][1] < ORDER // 2 + 1:
            runs[-1] = runs[-1][0], stop
        else:
            runs.append((first, stop))
    return runs


def _step(points: Array, others: Array, row: int) -> Array | None:
    """(3,) step, m, that a row of the fifth differences shows; None where the neighbours do not bear it out."""
    window = slice(max(row - ORDER, 0), min(row + 2 * ORDER + 1, len(points)))
    own, theirs, at = points[window], others[window], row - window.start
    if not (np.isfinite(own).all() and np.isfinite(theirs).all()):
        return None
    step = np.diff(own, ORDER, axis=0)[at] / GAIN
    size = float(np.linalg.norm(step))
    after = np.arange(len(own)) > at + ORDER // 2
    if float(steps_shown(own - after[:, None] * step).max()) > STAYS * size:
        return None
    shaken = np.sort(steps_shown(theirs).max(axis=0))
    if size < ABOVE_OTHERS * shaken[len(shaken) // 2]:
        return None
    local, R_gs = seen_by(own, theirs)
    last = at + ORDER // 2
    seen = R_gs[last] @ (np.diff(local, ORDER, axis=0)[at] / GAIN)
    if float(np.linalg.norm(seen - step)) > AGREE * size:
        return None
    # six frames flicker more than many
    steady = step_between(local, last, last + 1, BESIDE_FRAMES, size * STRAIGHT)[0]
    if np.isfinite(steady).all() and float(np.linalg.norm(R_gs[last] @ steady - step)) > SAME * size:
        return None
    return np.asarray(step)


def tracks_between(points: Array, steps: list[tuple[int, Array]], cut: int) -> Shifted:
    """Where the marker is off its longest track; up to `cut` frames at an end of the trial hide that it comes back."""
    at = tuple((last, last + 1) for last, _ in steps)
    sizes = [float(np.linalg.norm(step)) for _, step in steps]
    tracks = np.concatenate([[0.0 * steps[0][1]], np.cumsum([step for _, step in steps], axis=0)])
    same = norm(tracks[:, None] - tracks) < SAME * min(sizes)
    seen, parts = known_rows(points), parts_between(at, len(points))
    lengths = same @ np.array([seen[first : last + 1].sum() for first, last in parts])
    main = np.flatnonzero(same[int(np.argmax(lengths))])
    first, last = int(main[0]), int(main[-1])
    first = 0 if parts[first][0] <= cut else first
    last = len(at) if len(points) - 1 - parts[last][1] <= cut else last
    away = np.zeros(len(points), dtype=bool)
    for part in range(first, last + 1):
        away[parts[part][0] : parts[part][1] + 1] = part not in main
    return Shifted(away, at[first:last], (*at[:first], *at[last:]), max(sizes))
