"""All markers jump together: a camera was bumped, or the origin set anew, so that everything moves by one length.

No body does that between two frames. While all are elsewhere and come back, they count as not seen; where they stay,
nobody can tell which place is that of the plates. Of several markers, as of a segment: `gaitid.markers.group_shifts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from gaitid.errors import TrialError
from gaitid.markers.cuts import MISSING, missing_behind
from gaitid.markers.faults import KEEP, LabelFault, frame_words
from gaitid.markers.jumps import FLICKER_FRAMES, jump_limit
from gaitid.markers.tracks import GAIN, ORDER, USUAL_SHARE, tracks_of
from gaitid.numerics.masks import median, quantile_of_known, spans, widened
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray

# m. Half of the markers show steps (Δ⁵/6) of so much. Less is no more than skin and noise.
STEP_M = 0.0003
# Times what nine tenths of the frames show; and times by which half of the markers differ from what all show: of 71
# files of over 25 laboratories (12 to 250 Hz) none that shows so large a step has more than 1.6 of the second; steps of
# 10 mm have 5.0 and more from 100 Hz on, 2.8 and more at 50 to 85 Hz, of 3 mm in smoothed trials 300 and more.
ABOVE_USUAL, ALIKE = 3.0, 3.0
# Markers that must be seen.
FEWEST_SEEN = 6
# Steps that one place may be made of, the most rows that are searched for them, and the share of an excursion by which
# its end may differ from its beginning.
MOST_STEPS, LONGEST, LEFT = 3, 20, 0.35
# Cosine between steps that lead one way, as those of a shoe that slips do. Three of them on end are a movement that is
# checked, as that of a foot that strikes the ground.
ONE_WAY = 0.5
# One step more must leave so many times less.
BETTER = 2.5
# s. Steps on end that are nearer to each other, and add up to nothing, are one excursion.
BACK_S = 0.5
# Rows on each side of some in which a part of a step still shows.
_PART = ORDER // 2


class Together(NamedTuple):
    """A place at which all markers jump together.

    Attributes
    ----------
    first, last : int
        From 0. Frames in which all are elsewhere, and from which they come back; of a step from which they do not, the
        frames before and after it.
    step_m : (3,) array, m
        By how much, laboratory axes; of several steps the largest.
    stays : bool
        They do not come back.
    """

    first: int
    last: int
    step_m: Array
    stays: bool


def together_faults(markers: Mapping[str, Array], rate_hz: float, first_frame: int) -> list[LabelFault]:
    """Faults of all markers together.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    first_frame : int
        Number of the trial's first frame, for words.

    Raises
    ------
    TrialError
        They stay farther away than a label that jumps: what is right beside such a place nobody can tell.
    """
    kinds: dict[str, list[Together]] = {"together": [], "away": [], "reset": []}
    for place in find_together(markers, rate_hz):
        brief = place.last - place.first < FLICKER_FRAMES
        kinds["reset" if place.stays else "together" if brief else "away"].append(place)
    faults = []
    for kind, places in kinds.items():
        if not places:
            continue
        runs = tuple((place.first, place.last) for place in places)
        step = max((place.step_m for place in places), key=np.linalg.norm)
        size, step_mm = float(np.linalg.norm(step)), tuple(float(1e3 * v) for v in step)
        if kind == "reset" and size > jump_limit(markers, rate_hz):
            where = frame_words(runs, first_frame)
            raise TrialError(
                f"all markers jump together by {1e3 * size:.0f} mm between {where}, and stay there",
                expected="one origin throughout: before or after it they are not where the plates are",
                todo=f"export it with one origin, or each piece as a trial of its own; {KEEP} takes it as it is",
            )
        frames, at = ((), runs) if kind == "reset" else (runs, ())
        faults.append(LabelFault(kind, tuple(markers), frames, size, at, step_mm=step_mm))
    return faults


def find_together(markers: Mapping[str, Array], rate_hz: float) -> list[Together]:
    """Where all markers go on by one length between two frames, and not by a multiple of their own steps.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    """
    if len(markers) < FEWEST_SEEN or len(next(iter(markers.values()))) <= 2 * ORDER:
        return []
    tracks = tracks_of(markers)
    # half of the markers show as much: only few rows are looked at again
    many = (tracks.shown > STEP_M).sum(axis=1) >= max(FEWEST_SEEN, len(tracks) / 2)
    if not many.any():
        return []
    typical = quantile_of_known(tracks.shown.T, 0.5)
    limit = max(STEP_M, ABOVE_USUAL * float(quantile_of_known(typical, USUAL_SHARE)))
    rows = np.flatnonzero(many & (typical > limit))
    rows = rows[[bool(np.linalg.norm(_common(tracks.points, int(row), ALIKE)) > limit) for row in rows]]
    steps: list[tuple[int, Array]] = []
    for first, stop in spans(widened(np.isin(np.arange(len(typical)), rows), ORDER)):
        window = range(first, stop)
        shown = np.array([_common(tracks.points, row, 0.0) for row in window])
        steps += [(window[at] + ORDER // 2, step) for at, step in steps_of(shown, limit)]
    places = _together(steps, rate_hz)
    points = tracks.points
    return [p for p in places if not (p.stays and missing_behind(points, p.first, apart=True) > MISSING)]


def _common(points: Array, row: int, alike: float) -> Array:
    """(3,) what a row of the fifth differences shows of all markers, m; zero where they do not show it alike."""
    shown = np.diff(points[row : row + ORDER + 1], ORDER, axis=0)[0] / GAIN
    shown = shown[np.isfinite(shown).all(axis=1)]
    if len(shown) < FEWEST_SEEN:
        return np.zeros(3)
    common = median(shown)
    rest = float(median(norm(shown - common)))
    return common if np.linalg.norm(common) > alike * rest else np.zeros(3)


def steps_of(shown: Array, limit: float) -> list[tuple[int, Array]]:
    """Row and size, m, of the fewest steps that explain what rows of fifth differences show, to a limit.

    Where more than `MOST_STEPS` are needed, one at the first row that shows some and one back at the last.
    """
    if found := fewest_steps(shown, limit):
        return found
    beyond = np.flatnonzero(norm(shown) > limit)
    most = shown[int(np.argmax(norm(shown)))]
    return [(int(beyond[0]), most), (int(beyond[-1]), -most)]


def fewest_steps(shown: Array, limit: float) -> list[tuple[int, Array]]:
    """`steps_of`; none where more than `MOST_STEPS` are needed."""
    sizes = norm(shown)
    beyond = np.flatnonzero(sizes > limit)
    if not len(beyond):
        return []
    first, stop = int(beyond[0]), int(beyond[-1]) + 1
    if stop - first > LONGEST:
        return []
    start, end = max(first - ORDER // 2, 0), stop + ORDER // 2  # steps show in no other rows
    outside = float(max(sizes[:start].max(initial=0.0), sizes[end:].max(initial=0.0)))
    rows = shown[start:end]
    best: tuple[float, IntArray] | None = None
    for count in range(1, min(MOST_STEPS, stop - first) + 1):
        fewer, best = best, _best_fit(rows, np.arange(first, stop) - start, count, outside)
        if fewer is not None and fewer[0] < min(limit, BETTER * best[0]):
            best = fewer
            break
        if best[0] < limit / BETTER:
            break
    if best is None or best[0] >= limit:
        return []
    return [(start + int(at), step) for at, step in zip(best[1], _fitted(rows, best[1])[1], strict=True)]


def one_excursion(shown: Array, limit: float, longest: int) -> list[tuple[int, Array]]:
    """The step, or the step and its reverse at most so many rows later, that explain what rows show to a limit.

    By least squares, at all rows at once from the first to the last that show more, one of both also where only a part
    of it shows, before the first of all rows or behind the last; none where they leave more.
    """
    beyond, n = np.flatnonzero(norm(shown) > limit), len(shown)
    if not len(beyond):
        return []
    start, stop = int(beyond[0]), int(beyond[-1]) + 1
    among = np.arange(start - _PART * (start == 0), stop + _PART * (stop == n))
    inside = (among >= 0) & (among < n)
    first, last = np.nonzero(np.tri(len(among), k=-1, dtype=bool).T & np.tri(len(among), k=longest, dtype=bool))
    first, last = (of[inside[first] | inside[last]] for of in (first, last))
    single, inner = _patterns(n, part=_PART)[:, among + _PART], np.flatnonzero(inside)
    patterns = np.concatenate([single[:, inner], single[:, first] - single[:, last]], axis=1)
    squares, along = (patterns**2).sum(axis=0), patterns.T @ shown
    best = int(np.argmax((along**2).sum(axis=1) / squares))
    size, pair = along[best] / squares[best], best - len(inner)
    if norm(shown - patterns[:, best, None] * size).max() > limit:
        return []
    if pair < 0:
        return [(int(among[inner[best]]), size)]
    return [(int(among[first[pair]]), size), (int(among[last[pair]]), -size)]


def fitted_steps(shown: Array, steps: Sequence[tuple[int, Array]]) -> Array:
    """(steps, 3) m, the steps at the rows of others that explain best what rows of fifth differences show.

    Where one of the others is the reverse of another, it is here, too.
    """
    patterns = _patterns(len(shown), part=_PART)[:, [row + _PART for row, _ in steps]]
    both = len(steps) == 2 and not (steps[0][1] + steps[1][1]).any()
    if both:
        patterns = patterns @ [[1.0], [-1.0]]
    sizes = np.asarray(np.linalg.lstsq(patterns, shown, rcond=None)[0])
    return np.concatenate([sizes, -sizes]) if both else sizes


def left_by(shown: Array, at: list[int]) -> float:
    """What steps at some rows leave of what rows of fifth differences show, as the largest of a row, m."""
    return _fitted(shown, np.array(at))[0]


def to_and_fro(steps: list[tuple[int, Array]]) -> bool:
    """Whether steps lead neither back nor all one way."""
    of = np.array([step for _, step in steps])
    lengths = norm(of)
    back = bool(np.linalg.norm(of.sum(axis=0)) < LEFT * lengths.max())
    one_way = len(steps) < MOST_STEPS and (of @ of.T >= ONE_WAY * lengths * lengths[:, None]).all()
    return not back and not one_way


def is_speed(shown: Array, steps: list[tuple[int, Array]]) -> bool:
    """Whether steps near each other are rather a change of speed, as of skin or a shoe that is shaken by a strike.

    One step and one ramp from it on, which is what a marker does whose speed changes between two frames, then leave
    less of what the rows show than two steps do; than three, less than `BETTER` times as much.
    """
    rows, n = [row for row, _ in steps], len(shown)
    if len(rows) == 1 or rows[-1] - rows[0] > ORDER // 2 + 1 or rows[0] < 0 or rows[-1] >= n:
        return False
    step, ramp = _patterns(n), _patterns(n, (1.0, -3.0, 3.0, -1.0, 0.0))
    left = left_by(shown, rows) * (BETTER if len(rows) > 2 else 1.0)
    for row in range(max(rows[0] - 1, 0), min(rows[-1] + 2, n)):
        patterns = np.stack([step[:, row], ramp[:, row]], axis=1)
        sizes = np.linalg.lstsq(patterns, shown, rcond=None)[0]
        if norm(shown - patterns @ sizes).max() < left:
            return True
    return False


def _best_fit(shown: Array, among: IntArray, count: int, outside: float) -> tuple[float, IntArray]:
    """The rows, so many among some, at which steps leave least, and what they leave, as the largest of a row, m.

    `outside`: what is left in other rows. All choices are fitted at once, by their normal equations.
    """
    choices, patterns = np.array(list(combinations(among, count))), _patterns(len(shown))
    products = (patterns.T @ patterns)[choices[:, :, None], choices[:, None, :]]
    of_each = np.moveaxis(patterns[:, choices], 0, 1)
    left = shown - of_each @ np.linalg.solve(products, (patterns.T @ shown)[choices])
    most = np.maximum(np.sqrt((left**2).sum(axis=2)).max(axis=1), outside)
    best = int(np.argmin(most))
    return float(most[best]), choices[best]


def _fitted(shown: Array, at: IntArray) -> tuple[float, Array]:
    """What steps at some rows leave, as the largest of a row, m; the steps by least squares."""
    patterns = _patterns(len(shown))[:, at]
    sizes = np.asarray(np.linalg.lstsq(patterns, shown, rcond=None)[0])
    return float(norm(shown - patterns @ sizes).max()), sizes


def _patterns(n: int, of_one: tuple[float, ...] = (1.0, -4.0, 6.0, -4.0, 1.0), part: int = 0) -> Array:
    """(n, n + 2 part) what a step of one at each of n rows shows in all of them, or one so many rows before and behind;
    or what shows as `of_one` / 6 about a row.
    """
    step = np.zeros(2 * n + ORDER)
    step[n : n + ORDER] = np.array(of_one) / GAIN
    return np.stack([step[n + ORDER // 2 - k : 2 * n + ORDER // 2 - k] for k in range(-part, n + part)], axis=1)


def _together(steps: list[tuple[int, Array]], rate_hz: float) -> list[Together]:
    """Which steps come back, and which stay."""
    places: list[Together] = []
    k = 0
    while k < len(steps):
        last, sums = steps[k][0], np.cumsum([step for _, step in steps[k:]], axis=0)
        near = [j for j in range(1, len(sums)) if steps[k + j][0] - last <= BACK_S * rate_hz]
        largest = [sums[int(np.argmax(norm(sums[: j + 1])))] for j in near]
        back = [j for j, most in zip(near, largest, strict=True) if norm(sums[j]) < LEFT * norm(most)]
        if back:
            places.append(Together(last + 1, steps[k + back[0]][0], largest[back[0] - 1], stays=False))
            k += back[0] + 1
        else:
            places.append(Together(last, last + 1, steps[k][1], stays=True))
            k += 1
    return places
