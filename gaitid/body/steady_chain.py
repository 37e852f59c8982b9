"""A chain fitted without the steps that it makes where a marker of a soft body is lost or comes back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.chain_again import Before, fit_again
from gaitid.body.joints import Segment
from gaitid.body.multibody import ChainFit, fit_chain
from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# More gaps than this in a trial are left as they are: markers that come and go all the time have no place of their own.
MOST_GAPS = 500


class _Gap(NamedTuple):
    """Frames from `start` to before `stop` in which a marker of a segment was not seen, amid frames in which it was."""

    segment: int
    marker: int
    start: int
    stop: int


def fit_steadily(
    chain: Sequence[Segment], points: Sequence[Array], start: Sequence[Array], before: Before | None = None
) -> ChainFit:
    """`fit_chain`, or `fit_again` where there is a fit before, with markers that are missing for some frames.

    Each of them is placed by the others. It is put where it lay beside its place on the segment just before and just
    after, as the chain without it has the segment (in between on a line): so it says nothing new in the gap, and takes
    nothing away at once at its edges. What is determined follows from the markers that were really seen.
    """
    fit = fit_chain(chain, points, start) if before is None else fit_again(chain, points, before)
    known: Mask = np.asarray(np.isfinite(fit.R[0]).all(axis=(1, 2)))
    gaps = list(_gaps(chain, points, known))
    if not gaps or len(gaps) > MOST_GAPS:
        return fit
    ends = [(gap, frame) for gap in gaps for frame in (gap.start - 1, gap.stop) if _seen(points, gap, frame)]
    frames: IntArray = np.array([frame for _, frame in ends])
    at_ends = [p[frames] for p in points]
    for i, (gap, _) in enumerate(ends):
        at_ends[gap.segment][i, gap.marker] = np.nan
    without = fit_chain(chain, at_ends, [R[frames] for R in fit.R])
    beside: dict[_Gap, list[tuple[int, Array]]] = {gap: [] for gap in gaps}
    for i, (gap, frame) in enumerate(ends):
        R, origin = without.R[gap.segment][i], without.origin[gap.segment][i]
        local = R.T @ (points[gap.segment][frame, gap.marker] - origin)
        if without.known(chain, gap.segment)[i] and np.isfinite(local).all():
            beside[gap].append((frame, local))
    placed = [p.copy() for p in points]
    changed: Mask = np.zeros(len(known), dtype=bool)
    for gap, found in beside.items():
        if not found:
            continue
        inside = np.arange(gap.start, gap.stop)
        inside = inside[fit.known(chain, gap.segment)[inside]]
        at = np.array([frame for frame, _ in found])
        local = np.stack([np.interp(inside, at, column) for column in np.array([p for _, p in found]).T], axis=1)
        R, origin = fit.R[gap.segment][inside], fit.origin[gap.segment][inside]
        placed[gap.segment][inside, gap.marker] = origin + np.einsum("fij,fj->fi", R, local)
        changed[inside] = True
    again = np.flatnonzero(changed)
    if not again.size:
        return fit
    return _with(fit, fit_chain(chain, [p[again] for p in placed], [R[again] for R in fit.R]), again)


def _gaps(chain: Sequence[Segment], points: Sequence[Array], known: Mask) -> Sequence[_Gap]:
    """Of markers that track, where they are seen in at least half of the frames."""
    found = []
    for i, (segment, of_segment) in enumerate(zip(chain, points, strict=True)):
        for k in np.flatnonzero(segment.weights > 0):
            missing: Mask = known & ~np.isfinite(of_segment[:, k]).all(axis=1)
            if missing.any() and missing.sum() <= known.sum() / 2:
                found += [_Gap(i, int(k), *span) for span in spans(missing)]
    return found


def _seen(points: Sequence[Array], gap: _Gap, frame: int) -> bool:
    of_segment = points[gap.segment]
    return 0 <= frame < len(of_segment) and bool(np.isfinite(of_segment[frame, gap.marker]).all())


def _with(fit: ChainFit, other: ChainFit, frames: IntArray) -> ChainFit:
    """The fit with another one's poses and coordinates in some frames."""

    def put(mine: tuple[Array, ...], theirs: tuple[Array, ...]) -> tuple[Array, ...]:
        result = [values.copy() for values in mine]
        for values, new in zip(result, theirs, strict=True):
            values[frames] = new
        return tuple(result)

    at_limit, settled, steps = fit.at_limit.copy(), fit.settled.copy(), fit.steps.copy()
    at_limit[frames], settled[frames] = other.at_limit, other.settled
    steps[frames] += other.steps
    return fit._replace(
        R=put(fit.R, other.R),
        origin=put(fit.origin, other.origin),
        angles=put(fit.angles, other.angles),
        shifts=put(fit.shifts, other.shifts),
        at_limit=at_limit,
        settled=settled,
        steps=steps,
    )
