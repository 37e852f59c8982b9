"""From how far on a step between two frames is a jump, how far it leads, and what a marker's neighbours see of it.

A jump is told from fast motion by both of its neighbours: a foot that strikes the ground changes its velocity, so that
a step differs from the one before *or* the one after; a label that jumps makes one step that differs from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.markers.tracks import tracks_of
from gaitid.numerics.masks import known_rows, quantiles_of_known
from gaitid.numerics.rigid_fit import closest_rotations
from gaitid.numerics.rotation import apply_transposed, norm
from gaitid.trial import Array, IntArray

# m, and m/s: a step is a jump if it differs from both of its neighbours by more than the first, and by more than the
# second times the interval between frames. Recorded markers stay below 10 mm at 100 to 120 Hz and 27 mm at 50 to 60 Hz;
# what is more in them are jumps, also in a sprint of 9.5 m/s at 250 Hz (docs/gaps.md).
JUMP_M, JUMP_M_PER_S = 0.02, 2.0
# Times the noise that half of the markers carry: a step of white noise differs from the one before by √6 standard
# deviations on each axis, and from both its neighbours by 11 in none of 10⁵ frames (5.3 √6; χ, 3 degrees of freedom:
# once in 3 · 10⁵ from one neighbour alone). Recordings carry 0.6 mm at most, so that it is above 20 mm in none. Below
# so many Hz, where movement counts as noise, no more of it than the third, m, is taken for noise.
JUMP_TIMES_NOISE, NOISE_FROM_HZ, SLOW_NOISE_M = 13.0, 40.0, 0.005
# Rounding moves a second difference by two of its steps along each axis at most: 2 √3.
JUMP_TIMES_COARSE = 4.0
# s, and frames: a marker that comes back to its track within that time of a jump on both sides has flickered.
FLICKER_S, FLICKER_FRAMES = 0.04, 3
# Frames on both sides of a step that tell how far it leads, and how many of them must be seen.
BESIDE_FRAMES, FEWEST_SEEN = 6, 4
# Other markers beside which one is looked at, and the share of its frames in which they must be seen.
STEADIEST, MOSTLY_SEEN = 4, 0.8
# Frames, spread over a long trial, that tell them: each phase of a stride is among them many times.
ENOUGH_FRAMES = 4000


def parts_between(jumps: Sequence[tuple[int, int]], n_frames: int) -> list[tuple[int, int]]:
    """First and last frames of the parts of a trial between jumps."""
    return list(zip([0, *(after for _, after in jumps)], [*(before for before, _ in jumps), n_frames - 1], strict=True))


# --- steps --------------------------------------------------------------------------------------------------


def jump_limit(markers: Mapping[str, Array], rate_hz: float) -> float:
    """By how much a step must differ from both its neighbours to be a jump, m: more than movement and noise do."""
    limit, tracks = max(JUMP_M, JUMP_M_PER_S / rate_hz), tracks_of(markers)
    if not tracks or len(tracks.points) < 3 or not (tracks.excess > limit).any():
        return limit
    noise_m = tracks.usual_noise if rate_hz >= NOISE_FROM_HZ else min(tracks.usual_noise, SLOW_NOISE_M)
    return max(limit, JUMP_TIMES_NOISE * noise_m, JUMP_TIMES_COARSE * tracks.coarse)


def shifts_between(start: Array, end: Array, before: IntArray, after: IntArray) -> Array:
    """From where one track goes on to where the other begins, for each break between them, m, (breaks, 3).

    By the velocity before, after, or their mean, whichever explains most: one of them may be beside another break.
    """
    v0, v1 = _velocity(start, before, -1), _velocity(end, after, 1)
    left = end[after] - start[before] - np.stack([v0, v1, (v0 + v1) / 2]) * (after - before)[:, None]
    best = np.argmin((left**2).sum(axis=2), axis=0)
    return np.asarray(left[best, np.arange(len(before))])


def _velocity(points: Array, at: IntArray, side: int) -> Array:
    """Step per frame beside each frame, on the side away from a break; none where it is not known."""
    step = side * (points[np.clip(at + side, 0, len(points) - 1)] - points[at])
    return np.where(np.isfinite(step).all(axis=1, keepdims=True), step, 0.0)


def steadiest(markers: Mapping[str, Array], label: str) -> list[str]:
    """Up to four markers, seen in most of its frames, whose distances from one vary least in eight tenths of them."""
    labels, seen = list(markers), np.flatnonzero(known_rows(markers[label]))
    points = tracks_of(markers).points
    if (asked := min(len(seen), ENOUGH_FRAMES)) < len(points):
        points = points[seen[np.arange(asked) * len(seen) // max(asked, 1)]]
    if not len(points):
        return []
    apart = norm(points - points[:, labels.index(label), None])
    least, most = quantiles_of_known(apart, 0.1, 0.9)
    vary = np.where(np.isfinite(apart).mean(axis=0) >= MOSTLY_SEEN, most - least, np.inf)
    vary[labels.index(label)] = np.inf
    return [labels[i] for i in np.argsort(vary, kind="stable")[:STEADIEST] if np.isfinite(vary[i])]


def seen_by(own: Array, others: Array) -> tuple[Array, Array]:
    """(frames, 3) positions of a marker in the frame that moves and turns with others, (frames, n, 3), and its axes.

    Unknown where one of them is: without it a body that is not rigid would turn.
    """
    frames = np.flatnonzero(np.isfinite(others).all(axis=(1, 2)))
    local, R = np.full(own.shape, np.nan), np.full((*own.shape, 3), np.nan)
    if len(frames):
        shape, places = others[frames[len(frames) // 2]], others[frames]
        middle, centres = shape.mean(axis=0), places.mean(axis=1)
        R[frames] = closest_rotations(shape - middle, places - centres[:, None])
        local[frames] = apply_transposed(R[frames], own[frames] - centres) + middle
    return local, R


def step_between(points: Array, last: int, start: int, beside: int, straight_m: float) -> tuple[Array, float]:
    """(3,) step of a track between two runs of frames, m, and how far the fit that gives it errs in a frame, m.

    That of a straight line with a step if it fits, else that of a cubic, by least squares; infinite where one of the
    runs is too short.

    Parameters
    ----------
    points : (frames, 3) array, m
    last, start : int
        Last frame of the run before, and first frame of the run after.
    beside : int
        Frames of a run, at most.
    straight_m : float
        To which a line must fit.
    """
    at = np.concatenate(
        [np.arange(max(last - beside, 0), last + 1), np.arange(start, min(start + beside, len(points)))]
    )
    at = at[known_rows(points[at])]
    later = at >= start
    shortest = min(last + 1, len(points) - start)
    if shortest < BESIDE_FRAMES or min(later.sum(), (~later).sum()) < FEWEST_SEEN:
        return np.full(3, np.inf), np.inf
    t = (at - (last + start) / 2) / (start - last + 2 * beside)
    terms = np.stack([later, np.ones(len(t)), t, t**2, t**3], axis=1)
    for columns in (3, 5):
        found = np.linalg.lstsq(terms[:, :columns], points[at], rcond=None)[0]
        rough = float(np.abs(points[at] - terms[:, :columns] @ found).max())
        if rough < straight_m:
            break
    return np.asarray(found[0]), rough
