"""Passes: the walks of which one recording consists, parted where nobody is seen and where files were joined.

Nothing is known of how a body comes from the end of a pass to the beginning of the next: direction, belts, events,
strides, filters and derivatives belong to one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.markers.cuts import MOST, Cut, find_cuts, step_between
from gaitid.markers.jumps import jump_limit
from gaitid.markers.tracks import Tracks, tracks_of
from gaitid.notes import Notes, note
from gaitid.numerics.masks import spans
from gaitid.trial import Array

# The body is seen where at least this share of its markers is. (Where the pelvis alone is hidden, as behind an arm, the
# legs still show that it is the same walk.)
SEEN_SHARE = 0.5
# m/s². Between two frames T apart what accelerates by no more comes T² a / 4 off its mean velocity at most. A body that
# pushes off the ground accelerates by about as much as it falls; most of its markers by no more than limbs that swing.
MOST_ACCELERATION, MOST_OF_LIMBS = 9.81, 50.0
# Share of the steps of all markers that a walk which goes on leaves, where frames are missing between two others; s, no
# longer than so: about half of a stride later nobody can tell a walk that goes on from another one.
EXPLAINED, LONGEST_MISSING = 0.5, 0.5


def find_passes(markers: Mapping[str, Array], rate_hz: float, longest_gap_s: float) -> tuple[slice, ...]:
    """The passes of a recording.

    A pass ends where fewer than half of the markers are seen for longer than a gap may be filled; where the body is
    seen again earlier, but farther away than it can have come; and where all markers step at once from one frame to the
    next, because files were joined.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        Laboratory axes, as recorded; NaN where a marker was not seen.
    rate_hz : float
    longest_gap_s : float
        The longest gap that may be filled without other markers, as nobody is seen then.

    Returns
    -------
    tuple of slice
        Frames from 0, from the first that shows the body to the last; one at least.
    """
    tracks = tracks_of(markers)
    n_frames = len(tracks.points)
    recorded = tracks.known.any(axis=0)
    seen = tracks.known[:, recorded].mean(axis=1) >= SEEN_SHARE if recorded.any() else np.zeros(n_frames, dtype=bool)
    joins = [cut.after for cut in find_cuts(tracks, rate_hz) if not _goes_on(tracks, cut, rate_hz)]
    passes: list[slice] = []
    for run in spans(seen):
        edges = [run[0], *(join for join in joins if run[0] < join < run[1]), run[1]]
        for first, stop in zip(edges[:-1], edges[1:], strict=True):
            if stop - first < 2:  # what a join leaves over
                continue
            gap = first - passes[-1].stop if passes else 0
            if (
                gap
                and gap <= longest_gap_s * rate_hz * (1 + 1e-9)
                and not _elsewhere(tracks, first - gap - 1, first, rate_hz)
            ):
                passes[-1] = slice(passes[-1].start, stop)
            else:
                passes.append(slice(first, stop))
    return tuple(passes) or (slice(0, n_frames),)


def _goes_on(tracks: Tracks, cut: Cut, rate_hz: float) -> bool:
    """Whether the same walk goes on where all markers step, so that no other begins.

    A few frames are missing where each marker is where its velocity, the mean of before and after, brings it in one
    time common to all, no longer than `LONGEST_MISSING`: x₂ − x₁ ≈ v t, t = Σ v · (x₂ − x₁) / Σ v · v.
    The origin was set anew where all go on as before but for one length common to all.
    """
    step, velocity = _known_step(tracks, cut.before, cut.after)
    beside = step - velocity
    if np.linalg.norm(beside - beside.mean(axis=0), axis=1).max(initial=0.0) <= jump_limit(tracks, rate_hz):
        return True
    squared = float((velocity * velocity).sum())
    frames = float((velocity * step).sum()) / squared if squared else 0.0
    left = np.linalg.norm(step - frames * velocity)
    return bool(0 < frames <= LONGEST_MISSING * rate_hz and left <= EXPLAINED * np.linalg.norm(step))


def _elsewhere(tracks: Tracks, before: int, after: int, rate_hz: float) -> bool:
    """Whether the body, or most of its markers, are seen again farther away than they can have come in a short gap."""
    step, velocity = _known_step(tracks, before, after)
    if not len(step):
        return False
    off, quarter = step - (after - before) * velocity, ((after - before) / rate_hz) ** 2 / 4
    limit = jump_limit(tracks, rate_hz)
    most = np.linalg.norm(off, axis=1) > limit + MOST_OF_LIMBS * quarter
    body_m = float(np.linalg.norm(off.mean(axis=0)))
    return bool(body_m > limit + MOST_ACCELERATION * quarter or np.count_nonzero(most) >= MOST * len(off))


def _known_step(tracks: Tracks, before: int, after: int) -> tuple[Array, Array]:
    """`step_between` of the markers that are seen in both frames."""
    step, velocity = step_between(tracks, before, after)
    known = np.isfinite(step).all(axis=1)
    return step[known], velocity[known]


def blocks_of(passes: Sequence[slice], n_frames: int) -> list[slice]:
    """The frames of each pass that are cleaned and filtered together.

    They reach to the ends of the recording; a pass that follows without a gap begins one frame later, so that an
    unknown frame parts the two for everything that works on runs of known frames.
    """
    starts = [0, *(b.start + (b.start == a.stop) for a, b in zip(passes[:-1], passes[1:], strict=True))]
    return [slice(a, b) for a, b in zip(starts, [*(p.stop for p in passes[:-1]), n_frames], strict=True)]


def pass_notes(passes: Sequence[slice], first_frame: int) -> Notes:
    """That a recording holds several walks."""
    if len(passes) < 2:
        return ()
    frames = [f"{p.start + first_frame}-{p.stop - 1 + first_frame}" for p in passes]
    return (note("passes", n=len(passes), frames=frames),)
