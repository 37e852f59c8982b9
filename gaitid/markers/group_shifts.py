"""Several markers jump or turn together, as those of a segment do: a shoe slips, a plate of markers is knocked, or a
program sets the labels of a segment anew.

No segment does that between two frames. Each of its markers alone goes along with its neighbours, so that only what
they do in common tells it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from gaitid.markers.faults import LabelFault
from gaitid.markers.jumps import FLICKER_FRAMES, JUMP_TIMES_COARSE, steadiest
from gaitid.markers.shifts import CUT_S, Shifted, tracks_between
from gaitid.markers.spikes import step_limits
from gaitid.markers.together import (
    GOES_ON,
    MOST_STEPS,
    ONE_WAY,
    STEP_M,
    fewest_steps,
    find_together,
    goes_on,
    is_speed,
    left_by,
    steps_of,
    to_and_fro,
)
from gaitid.markers.tracks import GAIN, ORDER, Tracks, tracks_of
from gaitid.numerics.masks import median, spans, widened
from gaitid.numerics.rotation import cross, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

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
# s. What the same markers do the same way again after so long is their movement: a foot that strikes the ground. In
# simulated impacts of 0.2 to 1.2 body weights, seen at 40 to 250 Hz, the feet did so at each strike or each second one.
AGAIN_S = 0.4
# rad, the largest turn, beyond which labels change places; m, by which turns are compared with shifts; cosine of the
# steps and the ways that the markers go, of a missing frame.
MOST_TURN, ARM, ONWARD = np.pi / 4, 0.1, 0.8
# Rows on each side of that in which markers show most in which the steps of their turn are looked for; and what a turn
# must leave of that row, at most, to be looked for. So many rows on end they must be seen.
REACH, LOOK, FEWEST_ROWS = 10, 0.25, 4


class TurnLimits(NamedTuple):
    """To what markers that turn as a plate does are held.

    Attributes
    ----------
    shows : float
        Times their limits they show, as the median.
    of_two : float
        Each of two.
    leave, leave_of_two : float
        Share of what they show together that steps leave, at most; of two.
    rest : float
        Share of their steps, as root mean square, that a turn and a shift leave, at most.
    steps : int
        At most.
    """

    shows: float
    of_two: float
    leave: float
    leave_of_two: float
    rest: float
    steps: int


# Chosen with each laboratory left out in turn (docs/gaps.md): those that show much, and those
# that show less, but as one turn to the last.
TURNS = (
    TurnLimits(shows=1.5, of_two=3.0, leave=0.2, leave_of_two=0.2, rest=0.15, steps=3),
    TurnLimits(shows=0.85, of_two=1.5, leave=0.14, leave_of_two=0.1, rest=0.1, steps=2),
)


class GroupShift(NamedTuple):
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
    turn : (3,) array
        Their turn as 2 tan(angle / 2) along its axis, laboratory axes; 0 where all make one step.
    """

    labels: tuple[str, ...]
    shifted: Shifted
    step_m: Array
    size_m: float
    turn: Array

    @property
    def turn_deg(self) -> float:
        """By how much they turn."""
        return float(np.degrees(2 * np.arctan(np.linalg.norm(self.turn) / 2)))


def group_shift_faults(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Faults of several markers together, as those of a segment are."""
    faults = []
    for several in find_group_shifts(markers, rate_hz):
        angle = float(np.linalg.norm(several.turn))
        told = partial(
            LabelFault,
            labels=several.labels,
            size_m=several.size_m,
            step_mm=tuple(float(1e3 * v) for v in several.step_m),
            turn_deg=several.turn_deg,
            turn_axis=tuple(float(v / angle) for v in several.turn) if angle else (),
        )
        runs = [(first, stop - 1) for first, stop in spans(several.shifted.away)]
        for kind, brief in (("several_together", True), ("several_away", False)):
            some = tuple((first, last) for first, last in runs if (last - first < FLICKER_FRAMES) == brief)
            if some:
                faults.append(told(kind, frames=some))
        if several.shifted.stays:
            faults.append(told("several_reset", frames=(), at=several.shifted.stays))
    return faults


class _Step(NamedTuple):
    """A step of several markers behind a frame: of their middle, m; their turn, as 2 tan(angle / 2); the largest, m."""

    last: int
    shift_m: Array
    turn: Array
    size_m: float


def find_group_shifts(markers: Mapping[str, Array], rate_hz: float) -> list[GroupShift]:
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
    near: dict[int, set[int]] = {}
    for first, stop in spans(widened(rows, ORDER)):
        for who, steps in _steps_in(tracks, times[first:stop], first, near):
            others = np.delete(tracks.points, list(who), axis=1)
            steps = [s for s in steps if s.last not in of_all and not goes_on(others, s.last, s.last + 1) > GOES_ON]
            if not steps:
                continue
            same = [group for group in groups if 2 * len(who & group[0]) >= min(len(who), len(group[0]))]
            if same:
                same[0][0].update(who)
                same[0][1].extend(steps)
            else:
                groups.append((who, steps))
    labels, found = list(tracks), list[GroupShift]()
    for who, every in groups:
        steps = _not_again(every, rate_hz)
        if not steps:
            continue
        places = [(step.last, _place(step)) for step in steps]
        shifted = tracks_between(tracks.points[:, min(who)], places, round(CUT_S * rate_hz))
        most = max(steps, key=lambda step: step.size_m)
        found.append(GroupShift(tuple(labels[i] for i in sorted(who)), shifted, most.shift_m, most.size_m, most.turn))
    return found


def _steps_in(
    tracks: Tracks, times: Array, first: int, near: dict[int, set[int]]
) -> list[tuple[set[int], list[_Step]]]:
    """Markers that make the same steps, or turn, in some rows of the fifth differences."""
    who, steps = _in_common(tracks, times, first, 1.0, AGREE, LEAVE)
    if not steps:
        who, steps = _in_common(tracks, times, first, THREE_SHOW, THREE_LEAVE, THREE_LEAVE)
    return [(who, steps)] if steps else list(_turned(tracks, times, first, near))


def _place(step: _Step) -> Array:
    """(6,) a step's shift and turn, m."""
    return np.concatenate([step.shift_m, ARM * step.turn])


def _not_again(steps: list[_Step], rate_hz: float) -> list[_Step]:
    """Steps that are not made the same way, and as large to one half, at another time."""
    at, of = np.array([step.last for step in steps]), np.array([_place(step) for step in steps])
    lengths = norm(of)
    alike = of @ of.T > ONE_WAY * np.maximum(lengths, lengths[:, None]) ** 2
    again = (alike & (abs(at - at[:, None]) > AGAIN_S * rate_hz)).any(axis=0)
    with_those = (abs(at[:, None] - at[again]) <= ORDER).any(axis=1)  # of one strike some alone are alike
    return [step for step, repeated in zip(steps, with_those, strict=True) if not repeated]


def _beyond(tracks: Tracks, times: Array, first: int, show: float) -> tuple[int, IntArray, Array]:
    """The row in which markers show most beyond `show` times their limits; which do, and are seen throughout; and what
    all show in the rows, m.
    """
    beyond = times > show
    peak = int(np.argmax(np.where(beyond, times, 0.0).sum(axis=1)))
    shown = np.diff(tracks.points[first : first + len(times) + ORDER], ORDER, axis=0) / GAIN
    some = np.flatnonzero(beyond[peak])
    return peak, some[np.isfinite(shown[:, some]).all(axis=(0, 2))], shown


def _in_common(
    tracks: Tracks, times: Array, first: int, show: float, agree: float, leave: float
) -> tuple[set[int], list[_Step]]:
    """Numbers of the markers that make the same steps in some rows of the fifth differences; last frame before each
    step, and its size, m. None where they are no steps, or neither lead back nor all one way: a foot that strikes the
    ground shakes its markers together, too.

    `times` its limit each marker shows; `show`, `agree`, `leave`: what they must, and may, at most.
    """
    peak, some, shown = _beyond(tracks, times, first, show)
    if len(some) < FEWEST_TOGETHER:
        return set(), []
    common = median(shown[peak, some])
    some = some[norm(shown[peak, some] - common) < agree * np.linalg.norm(common)]
    pair = len(some) == FEWEST_TOGETHER and (times[peak, some] > OF_TWO).all() and _of_one_body(tracks, some)
    if len(some) <= FEWEST_TOGETHER and not pair:
        return set(), []
    common = median(shown[:, some].swapaxes(0, 1))
    most = float(norm(common).max())
    if _is_digit(tracks, some, most):
        return set(), []
    there = norm(common) > THERE * most
    differ = norm(shown[there] - common[there, None]).max(axis=0) / most
    if not (differ[some] < agree).sum() >= FEWEST_TOGETHER + (not pair):
        return set(), []
    sure = float(median(times[peak, some])) > SURE
    steps = (steps_of if sure else fewest_steps)(common, leave * most)
    if not steps or (show < 1 and len(steps) == MOST_STEPS):
        return set(), []
    if (not sure and to_and_fro(steps)) or is_speed(common, steps):
        return set(), []
    who = {*np.flatnonzero(differ < AGREE).tolist()}
    at = first + ORDER // 2
    return who, [_Step(at + row, step, np.zeros(3), float(np.linalg.norm(step))) for row, step in steps]


class Turned(NamedTuple):
    """Markers that may turn together, and what speaks for it.

    Attributes
    ----------
    who : (markers,) int array
        Their numbers.
    steps : list of _Step
    shows : float
        Times their limits, as the median; of two markers the less.
    leave, rest : float
        What steps leave of what they show together, and a turn and a shift of their steps, as shares.
    to_and_fro : bool
        The steps lead neither back nor all one way.
    """

    who: IntArray
    steps: list[_Step]
    shows: float
    leave: float
    rest: float
    to_and_fro: bool

    def within(self, limits: TurnLimits) -> bool:
        """Whether they turn."""
        two = len(self.who) == FEWEST_TOGETHER
        if self.to_and_fro and (self.shows < SURE or limits is not TURNS[0]):
            return False
        return (
            self.shows >= (limits.of_two if two else limits.shows)
            and self.leave <= (limits.leave_of_two if two else limits.leave)
            and self.rest <= limits.rest
            and len(self.steps) <= limits.steps
        )


def _turned(
    tracks: Tracks, times: Array, first: int, near: dict[int, set[int]]
) -> Iterator[tuple[set[int], list[_Step]]]:
    """As `_in_common`, of markers that turn and shift as one body does between two frames; no more than half of all."""
    least = min(limits.shows for limits in TURNS)
    left = np.where(times > THREE_SHOW, times, 0.0).sum(axis=1)
    left[(times >= least).sum(axis=1) < FEWEST_TOGETHER] = 0.0
    while left.any():
        peak = int(np.argmax(left))
        start, stop = max(peak - REACH, 0), peak + REACH + 1
        left[start:stop] = 0.0
        turns = turns_about(tracks, times[start:stop], first + start, peak - start, near, least)
        told = set[int]()
        for turn in sorted(turns, key=lambda turn: -len(turn.who)):
            if told.isdisjoint(turn.who.tolist()) and any(turn.within(limits) for limits in TURNS):
                told |= {*turn.who.tolist()}
                yield {*turn.who.tolist()}, turn.steps


def turns_about(
    tracks: Tracks, times: Array, first: int, peak: int, near: dict[int, set[int]], least: float
) -> Iterator[Turned]:
    """Markers that may turn in some rows of the fifth differences, by those that show something in one of them.

    `times` its limit each marker shows in the rows; `near`: the steadiest neighbours of markers, as far as known;
    `least`: times their limits that they must show.
    """
    shown = np.diff(tracks.points[first : first + len(times) + ORDER], ORDER, axis=0) / GAIN
    known: Mask = np.asarray(np.isfinite(shown).all(axis=2))
    for show in (THREE_SHOW, 1.0):
        for who in _bodies(tracks, np.flatnonzero(times[peak] > show), near):
            own = times[peak, who]
            shows = float(own.min() if len(who) <= FEWEST_TOGETHER else median(own))
            start, stop = _around(np.asarray(known[:, who].all(axis=1)), peak)
            if FEWEST_TOGETHER <= len(who) <= len(tracks) / 2 and shows >= least and stop - start >= FEWEST_ROWS:
                some = shown[start:stop, who]
                turned = _as_turned(tracks, some, first + start + ORDER // 2, peak - start, who)
                if turned:
                    yield turned._replace(shows=shows)


def _around(known: Mask, at: int) -> tuple[int, int]:
    """First of the rows that are known on end about one, and the first after them."""
    unknown = np.flatnonzero(~known)
    before, after = unknown[unknown < at], unknown[unknown > at]
    return int(before[-1]) + 1 if len(before) else 0, int(after[0]) if len(after) else len(known)


def _bodies(tracks: Tracks, some: IntArray, near: dict[int, set[int]]) -> list[IntArray]:
    """Markers by the bodies that they seem to be on: each is one of the steadiest beside another, or has it so."""
    labels, left, bodies = list(tracks), {*some.tolist()}, list[IntArray]()
    for i in left - near.keys():
        near[i] = {labels.index(label) for label in steadiest(tracks, labels[i])}
    while left:
        body, todo = set[int](), [left.pop()]
        while todo:
            i = todo.pop()
            body.add(i)
            beside = {j for j in left if j in near[i] or i in near[j]}
            left -= beside
            todo += beside
        bodies.append(np.array(sorted(body)))
    return bodies


def _as_turned(tracks: Tracks, shown: Array, at: int, peak: int, who: IntArray) -> Turned | None:
    """What (rows, markers, 3) fifth differences show, as turns behind frames from `at` on; None where it is none."""
    points = tracks.points[:, who]
    if _turn(points, at + peak, shown[peak])[1] > LOOK:
        return None
    together = shown.reshape(len(shown), -1) / np.sqrt(len(who))
    most = float(norm(together).max())
    if _is_digit(tracks, who, most):
        return None
    fewest = fewest_steps(together, LEAVE * most)
    each = [step.reshape(-1, 3) * np.sqrt(len(who)) for _, step in fewest]
    turns = [_turn(points, at + row, of) for (row, _), of in zip(fewest, each, strict=True)]
    steps, rests = [step for step, _ in turns], [rest for _, rest in turns]
    if not steps or is_speed(together, fewest) or any(_too_far(step) or _onward(points, step.last) for step in steps):
        return None
    leave = left_by(together, [row for row, _ in fewest]) / most
    return Turned(who, steps, 0.0, leave, max(rests), to_and_fro(fewest))


def _too_far(step: _Step) -> bool:
    return bool(np.linalg.norm(step.turn) > 2 * np.tan(MOST_TURN / 2))


def _turn(points: Array, last: int, steps: Array) -> tuple[_Step, float]:
    """The turn and shift nearest to (markers, 3) steps behind a frame, and what share of them these leave.

    A turn by an angle about a unit vector is 2 tan(angle / 2) times it, across the middle of the places before and
    after (Cayley).
    """
    arms = points[last] + steps / 2 - (points[last] + steps / 2).mean(axis=0)
    columns = np.stack([cross(np.broadcast_to(axis, arms.shape), arms).ravel() for axis in np.eye(3)], axis=1)
    shift = steps.mean(axis=0)
    own = (steps - shift).ravel()
    turn = np.asarray(np.linalg.lstsq(columns, own, rcond=1e-3)[0])
    rest = float(np.linalg.norm(own - columns @ turn) / np.linalg.norm(steps))
    return _Step(last, shift, turn, float(norm(steps).max())), rest


def _onward(points: Array, last: int) -> bool:
    """Whether what jumps behind a frame leads on as the markers go, as where a frame is missing."""
    before, across, after = np.diff(points[last - 1 : last + 3], axis=0)
    own, jump = (before + after) / 2, across - (before + after) / 2
    return bool((own * jump).sum() > ONWARD * np.linalg.norm(own) * np.linalg.norm(jump))


def _is_digit(tracks: Tracks, some: IntArray, step_m: float) -> bool:
    """Whether a step of some markers is no more than what rounding makes."""
    return step_m < JUMP_TIMES_COARSE * min(step_m, float(tracks.least_step[some].min()))


def _of_one_body(tracks: Tracks, some: IntArray) -> bool:
    """Whether one of two markers is among those that are steadiest beside the other."""
    one, other = (list(tracks)[i] for i in some)
    return other in steadiest(tracks, one) or one in steadiest(tracks, other)
