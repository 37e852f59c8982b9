"""All markers jump together: a camera was bumped, or the origin set anew, so that everything moves by one length.

No body does that between two frames. While all are elsewhere and come back, they count as not seen; where they stay,
nobody can tell which place is that of the plates. Several do where a shoe or a plate of markers slips, or a program
sets the labels of a segment anew: each is then where its neighbours expect it. A plate that is knocked turns, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from gaitid.errors import TrialError
from gaitid.markers.faults import KEEP, LabelFault, frame_words
from gaitid.markers.jumps import FLICKER_FRAMES, JUMP_TIMES_COARSE, jump_limit, steadiest
from gaitid.markers.shifts import CUT_S, Shifted, tracks_between
from gaitid.markers.spikes import step_limits
from gaitid.markers.tracks import GAIN, ORDER, USUAL_SHARE, Tracks, tracks_of
from gaitid.numerics.masks import spans, widened
from gaitid.numerics.rotation import cross, norm
from gaitid.numerics.statistics import quantile_of_known
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
# One step more must leave so many times less.
BETTER = 2.5
# Frames. Of a step no part goes with the markers' own steps; where a frame is missing, one frame or more.
GOES_ON = 0.5
# s. Steps on end that are nearer to each other, and add up to nothing, are one excursion.
BACK_S = 0.5
# Hz. At a lower rate movement is a step: at 12 Hz a foot is set aside by 50 mm within two frames.
FROM_HZ = 25.0
# Markers that go elsewhere together, the fewest, and how many times its limit each of two must show.
FEWEST_TOGETHER, OF_TWO = 2, 1.5
# Of the largest step that they show in common: by how much one of them may differ, and what their steps may leave.
AGREE, LEAVE = 0.4, 0.2
# They are held against each other in rows that show more than this share of it.
THERE = 0.3
# Three and more need show no more than this share of their limits, if one or two steps leave, and they differ by, no
# more than that.
THREE_SHOW, THREE_LEAVE = 0.5, 0.14
# From so many times their limits on it counts as away what few steps do not explain.
SURE = 3.0
# Cosine between steps that lead one way, as those of a shoe that slips do. Three of them on end are a movement that is
# checked, as that of a foot that strikes the ground.
ONE_WAY = 0.5
# s. What the same markers do the same way again after so long is their movement: a foot that strikes the ground. In
# simulated impacts of 0.2 to 1.2 body weights, seen at 40 to 250 Hz, the feet did so at each strike or each second one.
AGAIN_S = 0.4
# A plate that turns: times their limits its markers show, as the median, and each of two; of their steps, as root mean
# square, a turn and a shift leave no more than this share; rad, the largest turn, beyond which labels change places; m,
# by which turns are compared with shifts; cosine of the steps and the ways that the markers go, of a missing frame.
TURN_SHOWS, TURN_OF_TWO, TURN_LEAVES, MOST_TURN, ARM, ONWARD = 1.5, 3.0, 0.15, np.pi / 4, 0.1, 0.8


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


def several_faults(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Faults of several markers together, as those of a segment are."""
    faults = []
    for labels, shifted, step_m, size, turn_deg in find_several(markers, rate_hz):
        step_mm = tuple(float(1e3 * v) for v in step_m)
        runs = [(first, stop - 1) for first, stop in spans(shifted.away)]
        for kind, brief in (("several_together", True), ("several_away", False)):
            some = tuple((first, last) for first, last in runs if (last - first < FLICKER_FRAMES) == brief)
            if some:
                faults.append(LabelFault(kind, labels, some, size, step_mm=step_mm, turn_deg=turn_deg))
        if shifted.stays:
            reset = LabelFault("several_reset", labels, (), size, shifted.stays, step_mm=step_mm, turn_deg=turn_deg)
            faults.append(reset)
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
        steps += [(window[at] + ORDER // 2, step) for at, step in _steps(shown, limit)]
    places = _together(steps, rate_hz)
    points = tracks.points
    return [p for p in places if not (p.stays and _goes_on(points, p.first, p.last, by_mean=True) > GOES_ON)]


def _common(points: Array, row: int, alike: float) -> Array:
    """(3,) what a row of the fifth differences shows of all markers, m; zero where they do not show it alike."""
    shown = np.diff(points[row : row + ORDER + 1], ORDER, axis=0)[0] / GAIN
    shown = shown[np.isfinite(shown).all(axis=1)]
    if len(shown) < FEWEST_SEEN:
        return np.zeros(3)
    common = np.asarray(np.median(shown, axis=0))
    rest = float(np.median(norm(shown - common)))
    return common if np.linalg.norm(common) > alike * rest else np.zeros(3)


def _steps(shown: Array, limit: float) -> list[tuple[int, Array]]:
    """Row and size, m, of the fewest steps that explain what rows of fifth differences show, to a limit.

    Where more than `MOST_STEPS` are needed, one at the first row that shows some and one back at the last.
    """
    if found := _fewest_steps(shown, limit):
        return found
    beyond = np.flatnonzero(norm(shown) > limit)
    most = shown[int(np.argmax(norm(shown)))]
    return [(int(beyond[0]), most), (int(beyond[-1]), -most)]


def _fewest_steps(shown: Array, limit: float) -> list[tuple[int, Array]]:
    """`_steps`; none where more than `MOST_STEPS` are needed."""
    n = len(shown)
    step = np.zeros(2 * n + ORDER)
    step[n : n + ORDER] = np.array([1.0, -4.0, 6.0, -4.0, 1.0]) / GAIN
    patterns = np.stack([step[n + ORDER // 2 - k : 2 * n + ORDER // 2 - k] for k in range(n)], axis=1)
    beyond = np.flatnonzero(norm(shown) > limit)
    between = range(int(beyond[0]), int(beyond[-1]) + 1)
    best: tuple[float, IntArray, Array] | None = None
    for count in range(1, min(MOST_STEPS, len(between)) + 1 if len(between) <= LONGEST else 1):
        fits = [_fit(patterns, np.array(at), shown) for at in combinations(between, count)]
        fewer, best = best, min(fits, key=lambda fit: fit[0])
        if fewer is not None and fewer[0] < min(limit, BETTER * best[0]):
            best = fewer
            break
        if best[0] < limit / BETTER:
            break
    if best is not None and best[0] < limit:
        return list(zip(best[1].tolist(), best[2], strict=True))
    return []


def _fit(patterns: Array, at: IntArray, shown: Array) -> tuple[float, IntArray, Array]:
    """What steps at some rows leave, as the largest of a row, m; the rows; the steps by least squares."""
    sizes = np.asarray(np.linalg.lstsq(patterns[:, at], shown, rcond=None)[0])
    return float(norm(shown - patterns[:, at] @ sizes).max()), at, sizes


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


def _goes_on(points: Array, first: int, last: int, by_mean: bool = False) -> float:
    """How many frames are missing between two: of what markers jump, how much goes with their own steps.

    `by_mean`: all jump; what they do in common tells nothing.
    """
    steps = np.diff(points[max(first - 1, 0) : last + 2], axis=0)
    steps = steps[:, np.isfinite(steps).all(axis=(0, 2))]
    if len(steps) < 3 or not steps.size:
        return 0.0
    own = (steps[0] + steps[-1]) / 2
    jumps, own = steps[1] - own, own - own.mean(axis=0) * by_mean
    return float((own * jumps).sum() / max(float((own**2).sum()), 1e-18))


# --- several ------------------------------------------------------------------------------------------------


class Several(NamedTuple):
    """Markers that go elsewhere together, as those of a shoe that slips.

    Attributes
    ----------
    labels : tuple of str
    shifted : Shifted
        Of what they do in common.
    step_m : (3,) array, m
        The largest of their steps, laboratory axes; of markers that turn that of their middle.
    size_m : float
        The largest step of a marker.
    turn_deg : float
        By how much they turn; 0 where all make one step.
    """

    labels: tuple[str, ...]
    shifted: Shifted
    step_m: Array
    size_m: float
    turn_deg: float


class _Step(NamedTuple):
    """A step of several markers behind a frame: of their middle, m; their turn, as 2 tan(angle / 2); the largest, m."""

    last: int
    shift_m: Array
    turn: Array
    size_m: float


def find_several(markers: Mapping[str, Array], rate_hz: float) -> list[Several]:
    """Markers, two and more, that make the same step between two frames, beyond what each of them usually shows.

    Or that turn and shift as one body does, as those of a plate that is knocked.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    """
    if len(markers) < FEWEST_TOGETHER or len(next(iter(markers.values()))) <= 2 * ORDER or rate_hz < FROM_HZ:
        return []
    tracks = tracks_of(markers)
    if not (tracks.shown > STEP_M).any():
        return []
    with np.errstate(invalid="ignore"):
        times = tracks.shown / step_limits(tracks.noise, tracks.usual)
    rows = (times > 1).sum(axis=1) >= FEWEST_TOGETHER
    rows |= (times > THREE_SHOW).sum(axis=1) > FEWEST_TOGETHER
    if not rows.any():
        return []
    of_all = {place.first for place in find_together(markers, rate_hz)}
    groups: list[tuple[set[int], list[_Step]]] = []
    for first, stop in spans(widened(rows, ORDER)):
        who, steps = _in_common(tracks, times[first:stop], first, 1.0, AGREE, LEAVE)
        if not steps:
            who, steps = _in_common(tracks, times[first:stop], first, THREE_SHOW, THREE_LEAVE, THREE_LEAVE)
        if not steps:
            who, steps = _turned(tracks, times[first:stop], first)
        others = np.delete(tracks.points, list(who), axis=1)
        steps = [s for s in steps if s.last not in of_all and not _goes_on(others, s.last, s.last + 1) > GOES_ON]
        if not steps:
            continue
        same = [group for group in groups if 2 * len(who & group[0]) >= min(len(who), len(group[0]))]
        if same:
            same[0][0].update(who)
            same[0][1].extend(steps)
        else:
            groups.append((who, steps))
    labels, found = list(tracks), list[Several]()
    for who, steps in groups:
        places = [(step.last, np.concatenate([step.shift_m, ARM * step.turn])) for step in steps]
        if _again(places, rate_hz):
            continue
        shifted = tracks_between(tracks.points[:, min(who)], places, round(CUT_S * rate_hz))
        most = max(steps, key=lambda step: step.size_m)
        turn_deg = float(np.degrees(2 * np.arctan(np.linalg.norm(most.turn) / 2)))
        found.append(Several(tuple(labels[i] for i in sorted(who)), shifted, most.shift_m, most.size_m, turn_deg))
    return found


def _again(steps: list[tuple[int, Array]], rate_hz: float) -> bool:
    """Whether some of the steps are made the same way, and as large to one half, at another time."""
    at, of = np.array([row for row, _ in steps]), np.array([step for _, step in steps])
    lengths = norm(of)
    alike = of @ of.T > ONE_WAY * np.maximum(lengths, lengths[:, None]) ** 2
    return bool((alike & (abs(at - at[:, None]) > AGAIN_S * rate_hz)).any())


def _in_common(
    tracks: Tracks, times: Array, first: int, show: float, agree: float, leave: float
) -> tuple[set[int], list[_Step]]:
    """Numbers of the markers that make the same steps in some rows of the fifth differences; last frame before each
    step, and its size, m. None where they are no steps, or neither lead back nor all one way: a foot that strikes the
    ground shakes its markers together, too.

    `times` its limit each marker shows; `show`, `agree`, `leave`: what they must, and may, at most.
    """
    beyond = times > show
    peak = int(np.argmax(np.where(beyond, times, 0.0).sum(axis=1)))
    some = np.flatnonzero(beyond[peak])
    shown = np.diff(tracks.points[first : first + len(times) + ORDER], ORDER, axis=0) / GAIN
    some = some[np.isfinite(shown[:, some]).all(axis=(0, 2))]
    if len(some) < FEWEST_TOGETHER:
        return set(), []
    common = np.median(shown[peak, some], axis=0)
    some = some[norm(shown[peak, some] - common) < agree * np.linalg.norm(common)]
    pair = len(some) == FEWEST_TOGETHER and (times[peak, some] > OF_TWO).all() and _of_one_body(tracks, some)
    if len(some) <= FEWEST_TOGETHER and not pair:
        return set(), []
    common = np.median(shown[:, some], axis=1)
    most = float(norm(common).max())
    if _is_digit(tracks, some, most):
        return set(), []
    there = norm(common) > THERE * most
    differ = norm(shown[there] - common[there, None]).max(axis=0) / most
    if not (differ[some] < agree).sum() >= FEWEST_TOGETHER + (not pair):
        return set(), []
    sure = float(np.median(times[peak, some])) > SURE
    steps = (_steps if sure else _fewest_steps)(common, leave * most)
    if not steps or (show < 1 and len(steps) == MOST_STEPS):
        return set(), []
    if not sure and _to_and_fro(steps):
        return set(), []
    who = {*np.flatnonzero(differ < AGREE).tolist()}
    at = first + ORDER // 2
    return who, [_Step(at + row, step, np.zeros(3), float(np.linalg.norm(step))) for row, step in steps]


def _turned(tracks: Tracks, times: Array, first: int) -> tuple[set[int], list[_Step]]:
    """As `_in_common`, of markers that turn and shift as one body does between two frames; no more than half of all."""
    peak = int(np.argmax(np.where(times > 1, times, 0.0).sum(axis=1)))
    some = np.flatnonzero(times[peak] > 1)
    shown = np.diff(tracks.points[first : first + len(times) + ORDER], ORDER, axis=0) / GAIN
    some = some[np.isfinite(shown[:, some]).all(axis=(0, 2))]
    if len(some) < FEWEST_TOGETHER or 2 * len(some) > len(tracks):
        return set(), []
    show = times[peak, some]
    if len(some) == FEWEST_TOGETHER and not ((show > TURN_OF_TWO).all() and _of_one_body(tracks, some)):
        return set(), []
    if float(np.median(show)) < TURN_SHOWS:
        return set(), []
    shown, at = shown[:, some], first + ORDER // 2
    together = shown.reshape(len(shown), -1) / np.sqrt(len(some))
    most = float(norm(together).max())
    if _is_digit(tracks, some, most):
        return set(), []
    fewest = _fewest_steps(together, LEAVE * most)
    if not fewest or (float(np.median(show)) < SURE and _to_and_fro(fewest)):
        return set(), []
    each = [step.reshape(-1, 3) * np.sqrt(len(some)) for _, step in fewest]
    steps = [_turn(tracks.points[:, some], at + row, of) for (row, _), of in zip(fewest, each, strict=True)]
    known = [step for step in steps if step and not _onward(tracks.points[:, some], step.last)]
    return ({*some.tolist()}, known) if len(known) == len(steps) else (set(), [])


def _turn(points: Array, last: int, steps: Array) -> _Step | None:
    """The turn and shift that makes (markers, 3) steps behind a frame; None where none does that a plate may make.

    A turn by an angle about a unit vector is 2 tan(angle / 2) times it, across the middle of the places before and
    after (Cayley).
    """
    arms = points[last] + steps / 2 - (points[last] + steps / 2).mean(axis=0)
    columns = [cross(np.broadcast_to(axis, arms.shape), arms).ravel() for axis in np.eye(3)]
    shift = steps.mean(axis=0)
    own = (steps - shift).ravel()
    turn = np.asarray(np.linalg.lstsq(np.stack(columns, axis=1), own, rcond=1e-3)[0])
    left = np.linalg.norm(own - np.stack(columns, axis=1) @ turn)
    if left > TURN_LEAVES * np.linalg.norm(steps) or np.linalg.norm(turn) > 2 * np.tan(MOST_TURN / 2):
        return None
    return _Step(last, shift, turn, float(norm(steps).max()))


def _onward(points: Array, last: int) -> bool:
    """Whether what jumps behind a frame leads on as the markers go, as where a frame is missing."""
    before, across, after = np.diff(points[last - 1 : last + 3], axis=0)
    own, jump = (before + after) / 2, across - (before + after) / 2
    return bool((own * jump).sum() > ONWARD * np.linalg.norm(own) * np.linalg.norm(jump))


def _is_digit(tracks: Tracks, some: IntArray, step_m: float) -> bool:
    """Whether a step of some markers is no more than what rounding makes."""
    own = np.abs(np.diff(tracks.points[:, some], axis=0))
    return bool(step_m < JUMP_TIMES_COARSE * own.min(where=own > tracks.digit[some, None], initial=step_m))


def _to_and_fro(steps: list[tuple[int, Array]]) -> bool:
    """Whether steps lead neither back nor all one way."""
    of = np.array([step for _, step in steps])
    lengths = norm(of)
    back = bool(np.linalg.norm(of.sum(axis=0)) < LEFT * lengths.max())
    one_way = len(steps) < MOST_STEPS and (of @ of.T >= ONE_WAY * lengths * lengths[:, None]).all()
    return not back and not one_way


def _of_one_body(tracks: Tracks, some: IntArray) -> bool:
    """Whether one of two markers is among those that are steadiest beside the other."""
    one, other = (list(tracks)[i] for i in some)
    return other in steadiest(tracks, one) or one in steadiest(tracks, other)
