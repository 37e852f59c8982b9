"""A label that jumps: which of its jumps leave its track, and from which frames on its track goes on.

A jump is told from fast motion by both of its neighbours: a foot that strikes the ground changes its velocity, so that
a step differs from the one before *or* the one after; a label that jumps makes one step that differs from both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.markers.tracks import Tracks, excess_of, tracks_of
from gaitid.numerics.masks import by_blocks, known_rows, quantiles_of_known, spans
from gaitid.numerics.rigid_fit import FEWEST, closest_rotations
from gaitid.numerics.rotation import apply_transposed, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

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
# A label that jumps more often is not followed from jump to jump, either: the cost grows with the square.
MOST_JUMPS = 1000
# s, and frames: a marker that comes back to its track within that time of a jump on both sides has flickered.
FLICKER_S, FLICKER_FRAMES = 0.04, 3
# s, and frames, on both sides, by which that is told.
BESIDE_S, BESIDE_FRAMES = 0.06, 6
# Of these frames so many must be seen.
FEWEST_SEEN = 4
# Jumps on end that may be one flicker, and other markers in whose frame it is looked at.
ONE_FLICKER, STEADIEST = 4, 4
# Share of a marker's frames in which another must be seen to be one of these.
MOSTLY_SEEN = 0.8
# Frames, spread over a long trial, that tell it: each phase of a stride is among them many times.
ENOUGH_FRAMES = 4000
# Share of a jump to which a track beside one must be smooth, if its step is not small.
ROUGH = 0.25
# Share of a jump to which a track must be straight, or a cubic is laid through it.
STRAIGHT = 0.1
# A part of the trial is believed against the rest of it if it is this many times as long.
MAJORITY = 2.0


class Followed(NamedTuple):
    """A label that jumps.

    Attributes
    ----------
    away : (frames,) bool array
        Where it is off the track that it is on mostly; everywhere where no track is clearly the longest.
    at : tuple of (int, int)
        The last frame before each jump and the first after it; of a flicker those from which on the track goes on.
    size_m : float
        Of the largest jump.
    """

    away: Mask
    at: tuple[tuple[int, int], ...]
    size_m: float


def follow(markers: Mapping[str, Array], label: str, rate_hz: float) -> Followed | None:
    """The track of a label through its jumps; None where it makes none.

    Each jump shifts the track; parts with the same sum of shifts are one track. Flickers shift it by nothing.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    label : str
    rate_hz : float
    """
    points, limit = markers[label], jump_limit(markers, rate_hz)
    excess = tracks_of(markers).excess_at(label)
    # Last frame before and first frame after each run of steps that no body makes.
    jumps = np.array(list(spans(excess > limit)), dtype=int).reshape(-1, 2)
    if not len(jumps):
        return None
    wide, steps = _without_flickers(markers, label, jumps, rate_hz)
    away = _off_the_longest(points, wide, steps, limit)
    at = tuple((int(before), int(after)) for before, after in wide)
    return Followed(np.ones(len(points), dtype=bool) if away is None else away, at, float(np.fmax.reduce(excess)))


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


def is_noise(markers: Mapping[str, Array], label: str, rate_hz: float) -> bool:
    """Whether a label that jumps does so in one frame after the other: it carries noise, no track is left to follow.

    Noise is the median of what frames show, so that up to one in fourteen may jump, and the others tell of no noise.
    """
    tracks, excess = tracks_of(markers), tracks_of(markers).excess_at(label)
    noise_m = float(tracks.noise[list(tracks).index(label)])
    if np.count_nonzero(excess > jump_limit(markers, rate_hz)) > MOST_JUMPS:
        return True
    return rate_hz >= NOISE_FROM_HZ and float(np.fmax.reduce(excess)) < JUMP_TIMES_NOISE * noise_m


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


# --- tracks -------------------------------------------------------------------------------------------------


def _off_the_longest(points: Array, jumps: IntArray, shifts: Array, limit: float) -> Mask | None:
    """(frames,) in which a label is off the track that it is on mostly; None where there is none."""
    tracks = np.concatenate([np.zeros((1, 3)), np.cumsum(shifts, axis=0)])
    same = norm(tracks[:, None] - tracks) < limit
    parts = parts_between(jumps.tolist(), len(points))
    seen = known_rows(points)
    lengths = same @ np.array([seen[first : last + 1].sum() for first, last in parts])
    longest = int(np.argmax(lengths))
    if lengths[longest] < MAJORITY * (seen.sum() - lengths[longest]):
        return None
    away = np.ones(len(points), dtype=bool)
    for part in np.flatnonzero(same[longest]):
        away[parts[part][0] : parts[part][1] + 1] = False
    return away


def _without_flickers(
    markers: Mapping[str, Array], label: str, jumps: IntArray, rate_hz: float
) -> tuple[IntArray, Array]:
    """The jumps with each flicker as one of them, between the frames from which on the track goes on; their shifts, m.

    A marker that flickers for a few frames spoils the velocities beside a jump, by which the shift of its track is
    told, and may come back by steps that are no jumps. So a shift to another track is measured again from a few frames
    farther away, and across the jumps that follow within the time of a flicker.
    """
    points, limit = markers[label], jump_limit(markers, rate_hz)
    shifts = shifts_between(points, points, *jumps.T)
    wide: list[tuple[int, int]] = []
    steps: list[Array] = []
    k = 0
    while k < len(jumps):
        flicker = None
        if not np.linalg.norm(shifts[k]) < limit:
            flicker = _one_flicker(markers, label, jumps[k:], wide[-1][1] if wide else 0, rate_hz)
        wide.append(flicker.at if flicker else (int(jumps[k, 0]), int(jumps[k, 1])))
        steps.append(flicker.step if flicker else shifts[k])
        k += flicker.jumps if flicker else 1
    return np.array(wide, dtype=int), np.array(steps)


class _Flicker(NamedTuple):
    """The frames from which on the track goes on, its step between them, m, and how many jumps it is made of."""

    at: tuple[int, int]
    step: Array
    jumps: int


def _one_flicker(
    markers: Mapping[str, Array], label: str, jumps: IntArray, first: int, rate_hz: float
) -> _Flicker | None:
    """The shortest flicker that begins with the first of some jumps; None where that leads to another track.

    `first` is the first frame that may tell.
    """
    limit = jump_limit(markers, rate_hz)
    most = max(FLICKER_FRAMES, round(FLICKER_S * rate_hz))
    beside = max(BESIDE_FRAMES, round(BESIDE_S * rate_hz))
    before = int(jumps[0, 0])
    for used in range(1, min(ONE_FLICKER, len(jumps)) + 1):
        after = int(jumps[used - 1, 1])
        if after - before > 2 * most:
            break
        stop = int(jumps[used, 0]) + 1 if used < len(jumps) else len(markers[label])
        start = max(first, before - most - beside)
        tracks = _tracks(markers, label, slice(start, min(stop, after + most + beside)), limit)
        for n in range(1 if used == 1 else 0, most + 1):
            at = before - n, after + n
            found = [step_between(track, at[0] - start, at[1] - start, beside, limit * STRAIGHT) for track in tracks]
            step, rough = min(found, key=lambda x: x[1])
            size = float(np.linalg.norm(step))
            if size < limit and rough < max(limit * ROUGH, limit - size):
                return _Flicker(at, step, used)
            if rough < min(limit * ROUGH, size - limit):
                break
    return None


def _tracks(markers: Mapping[str, Array], label: str, window: slice, limit: float) -> list[Array]:
    """A marker's positions in some frames: in the laboratory, and as the markers that are steadiest beside it see it.

    In a run skin carries several markers along when the foot strikes, and what is no smooth motion in the laboratory
    is one beside them. Only markers are asked that were seen in all these frames and do not jump there.
    """
    own = markers[label][window]
    quiet = {other: points[window] for other, points in markers.items() if other != label}
    quiet = {other: p for other, p in quiet.items() if known_rows(p).all() and not (_excess_or_0(p) > limit).any()}
    near = steadiest({**quiet, label: own}, label)
    return [own, seen_by(own, np.stack([quiet[other] for other in near], axis=1))[0]] if len(near) >= FEWEST else [own]


def steadiest(markers: Mapping[str, Array], label: str) -> list[str]:
    """Up to four markers, seen in most of its frames, whose distances from one vary least."""
    labels = list(markers)
    others = [other for other in labels if other != label]
    seen = known_rows(markers[label])
    if not seen.any() or not others:
        return []
    frames = np.flatnonzero(seen)
    points = tracks_of(markers).points
    if (asked := min(len(frames), ENOUGH_FRAMES)) < len(points):
        points = points[frames[_spread(len(frames), asked)]]
    i = labels.index(label)
    vary = _varies(np.delete(norm(points - points[:, i : i + 1]), i, axis=1))
    order = np.argsort(vary, kind="stable")[:STEADIEST]
    return [others[i] for i in order if np.isfinite(vary[i])]


def steadiest_of_all(tracks: Tracks) -> IntArray:
    """(markers, up to four) numbers of the markers that are `steadiest` beside each; all are seen throughout."""
    points, count = tracks.points, len(tracks)
    if len(points) > ENOUGH_FRAMES:
        points = points[_spread(len(points), ENOUGH_FRAMES)]
    pairs = np.argwhere(np.arange(count)[:, None] < np.arange(count))
    by_marker = np.ascontiguousarray(np.swapaxes(points, 0, 1))

    def of_pairs(some: IntArray) -> Array:
        i, j = some.T
        return _varies(norm(by_marker[i] - by_marker[j]).T)

    vary = np.full((count, count), np.inf)
    i, j = pairs.T
    vary[i, j] = vary[j, i] = by_blocks(of_pairs, pairs, times=2 * points.size // count)
    return np.argsort(vary, axis=1, kind="stable")[:, : min(STEADIEST, count - 1)]


def _spread(count: int, asked: int) -> IntArray:
    """The numbers of some rows, spread over all."""
    return np.arange(asked) * count // asked


def _varies(apart: Array) -> Array:
    """By how much (frames, pairs) distances vary in eight tenths of the frames, m; infinite of pairs hardly seen."""
    least, most = quantiles_of_known(apart, 0.1, 0.9)
    vary = most - least
    seen = np.isfinite(apart)
    if not seen.all():
        vary[~(seen.mean(axis=0) >= MOSTLY_SEEN)] = np.inf
    return np.asarray(vary)


def seen_by(own: Array, others: Array) -> tuple[Array, Array]:
    """(frames, 3) positions of a marker in the frame that moves and turns with others, (frames, n, 3), and its axes.

    Unknown where one of them is: without it a body that is not rigid would turn.
    """
    seen: Mask = np.asarray(np.isfinite(others).all(axis=(1, 2)))
    frames = np.flatnonzero(seen)
    if len(frames) == len(own) > 0:
        return laid_on(others[len(own) // 2], others, own)
    local, R = np.full(own.shape, np.nan), np.full((*own.shape, 3), np.nan)
    if len(frames):
        local[frames], R[frames] = laid_on(others[frames[len(frames) // 2]], others[frames], own[frames])
    return local, R


def laid_on(shape: Array, others: Array, own: Array) -> tuple[Array, Array]:
    """As `seen_by`, of one marker or several, each with others of its own that are laid on a shape and all known.

    Parameters
    ----------
    shape : (…, n, 3) array, m
        Places of the others in one frame.
    others : (frames, …, n, 3) array, m
    own : (frames, …, 3) array, m
    """
    middle, centres = (sum(p[..., k, :] for k in range(p.shape[-2])) / p.shape[-2] for p in (shape, others))
    R = closest_rotations(shape - middle[..., None, :], others - centres[..., None, :])
    return apply_transposed(R, own - centres) + middle, R


def _excess_or_0(points: Array) -> Array:
    return excess_of(np.diff(points, axis=0)) if len(points) > 2 else np.zeros(0)


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
