"""Several markers jump or turn together, as those of a segment do: a shoe slips, a plate of markers is knocked, or a
program sets the labels of a segment anew.

No segment does that between two frames. Each of its markers alone goes along with its neighbours, so that only what
they do in common tells it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from gaitid.markers.cuts import MISSING, missing_behind
from gaitid.markers.elsewhere import CUT_S, Edge, Shifted, around, step_limits, tracks_between
from gaitid.markers.faults import LabelFault
from gaitid.markers.jumps import FLICKER_FRAMES, JUMP_TIMES_COARSE, steadiest
from gaitid.markers.together import (
    LONGEST,
    ONE_WAY,
    STEP_M,
    fewest_steps,
    find_together,
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
# Markers that go elsewhere together, the fewest.
FEWEST_TOGETHER = 2
# Times its limit that each of them shows, at least; from so many times on it counts as away what few steps do not
# explain.
SHOW, SURE = 0.5, 3.0
# Share of the largest that they show together: what steps of one body may leave; by how much those may differ that make
# one step.
LEAVE, AGREE = 0.2, 0.4
# Times their limits that they show, times the root of the numbers that a shift or a turn of theirs leaves free, over
# the share that it leaves, as in a ratio of variances: feet that strike the ground, in a run at 75 Hz, reach 12.4.
EVIDENCE = 13.0
# s. What the same markers do the same way again after so long is their movement: a foot that strikes the ground. In
# simulated impacts of 0.2 to 1.2 body weights, seen at 40 to 250 Hz, the feet did so at each strike or each second one.
AGAIN_S = 0.4
# rad, the largest turn, beyond which labels change places; m, by which turns are compared with shifts.
MOST_TURN, ARM = np.pi / 4, 0.1
# So many rows on end they must be seen.
FEWEST_ROWS = 4


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
    rows = ((times > 1).sum(axis=1) >= FEWEST_TOGETHER) | ((times > SHOW).sum(axis=1) > FEWEST_TOGETHER)
    if not rows.any():
        return []
    of_all = {place.first for place in find_together(markers, rate_hz)}
    groups: list[tuple[set[int], list[_Step]]] = []
    near: dict[int, set[int]] = {}
    for first, stop in spans(widened(rows, ORDER)):
        for who, steps in _steps_in(tracks, times[first:stop], rows[first:stop], first, near):
            others = np.delete(tracks.points, list(who), axis=1)
            steps = [s for s in steps if s.last not in of_all and not missing_behind(others, s.last) > MISSING]
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
        places = [Edge(step.last, step.last + 1, _place(step)) for step in steps]
        shifted = tracks_between(tracks.points[:, min(who)], places, round(CUT_S * rate_hz))
        most = max(steps, key=lambda step: step.size_m)
        found.append(GroupShift(tuple(labels[i] for i in sorted(who)), shifted, most.shift_m, most.size_m, most.turn))
    return found


def _steps_in(
    tracks: Tracks, times: Array, rows: Mask, first: int, near: dict[int, set[int]]
) -> Iterator[tuple[set[int], list[_Step]]]:
    """Markers that step or turn as one body does, and their steps, in some rows of the fifth differences.

    `times` its limit each marker shows in the rows; `rows`: in which enough markers show something; `near`: the
    steadiest neighbours of markers, as far as known.
    """
    left = np.where(times > SHOW, times, 0.0).sum(axis=1)
    left[~rows] = 0.0
    reach = len(left) if len(left) <= LONGEST + 2 * ORDER else LONGEST // 2  # there and back in one, where that is near
    while left.any():
        peak = int(np.argmax(left))
        start, stop = max(peak - reach, 0), peak + reach + 1
        left[start:stop] = 0.0
        found = list(_steps_about(tracks, times[start:stop], first + start, peak - start, near))
        told = set[int]()
        for who, steps in sorted(found, key=lambda of: -len(of[0])):
            if told.isdisjoint(who):
                told |= who
                for step in steps:  # another window about one of them would show it again
                    row = step.last - first - ORDER // 2
                    left[max(row - ORDER, 0) : row + ORDER] = 0.0
                yield who, steps


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


def _steps_about(
    tracks: Tracks, times: Array, first: int, peak: int, near: dict[int, set[int]]
) -> Iterator[tuple[set[int], list[_Step]]]:
    """Of the markers that show something in one of some rows those on one body, all or those that make one step."""
    shown = np.diff(tracks.points[first : first + len(times) + ORDER], ORDER, axis=0) / GAIN
    known: Mask = np.asarray(np.isfinite(shown).all(axis=2))
    for show in (SHOW, 1.0):
        some = np.flatnonzero((times[peak] > show) & known[peak])
        if len(some) < FEWEST_TOGETHER:
            return
        common = median(shown[peak, some])
        alike = np.flatnonzero(known[peak] & (norm(shown[peak] - common) < AGREE * np.linalg.norm(common)))
        for who in (*_bodies(tracks, alike, near), *_bodies(tracks, some, near)):
            start, stop = around(np.asarray(known[:, who].all(axis=1)), peak)
            if FEWEST_TOGETHER <= len(who) <= len(tracks) / 2 and stop - start >= FEWEST_ROWS:
                shows = float(times[peak, who].min() if len(who) == FEWEST_TOGETHER else median(times[peak, who]))
                rows = shown[start:stop, who]
                if steps := _as_one_body(tracks, rows, first + start + ORDER // 2, peak - start, who, shows):
                    along = {*alike.tolist()} if {*who.tolist()} <= {*alike.tolist()} else set()
                    yield {*who.tolist()} | along, steps


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


def _as_one_body(tracks: Tracks, shown: Array, at: int, peak: int, who: IntArray, shows: float) -> list[_Step]:
    """Steps behind frames from `at` on that (rows, markers, 3) fifth differences show; none where a body makes none.

    They neither lead back nor all one way where a foot strikes the ground: that shakes its markers together, too.
    """
    points, n = tracks.points[:, who], len(who)
    together = shown.reshape(len(shown), -1) / np.sqrt(n)
    most, sure = float(norm(together).max()), shows > SURE
    if _turn(points, at + peak, shown[peak])[1] > AGREE * np.linalg.norm(shown[peak]) or _is_digit(tracks, who, most):
        return []
    found = (steps_of if sure else fewest_steps)(together, LEAVE * most)
    if not found or (to_and_fro(found) and not sure) or is_speed(together, found):
        return []
    each = [(at + row, step.reshape(-1, 3) * np.sqrt(n)) for row, step in found]
    leave = 0.0 if sure else left_by(together, [row for row, _ in found]) / most
    largest = max(float(np.linalg.norm(step)) for _, step in each)
    for body, unknown in ((_shift, 3), (_turn, min(6, 3 * n - 1))):
        fits = [body(points, last, step) for last, step in each]
        left = max(leave, max(rest for _, rest in fits) / largest)
        if left <= LEAVE and shows * np.sqrt(3 * n - unknown) >= EVIDENCE * left:
            steps = [step for step, _ in fits]
            return [] if any(map(_too_far, steps)) else steps
    return []


def _shift(points: Array, last: int, steps: Array) -> tuple[_Step, float]:
    """The shift nearest to (markers, 3) steps behind a frame, and what it leaves of them, m."""
    shift = steps.mean(axis=0)
    return _Step(last, shift, np.zeros(3), float(norm(steps).max())), float(np.linalg.norm(steps - shift))


def _too_far(step: _Step) -> bool:
    return bool(np.linalg.norm(step.turn) > 2 * np.tan(MOST_TURN / 2))


def _turn(points: Array, last: int, steps: Array) -> tuple[_Step, float]:
    """The turn and shift nearest to (markers, 3) steps behind a frame, and what these leave of them, m.

    A turn by an angle about a unit vector is 2 tan(angle / 2) times it, across the middle of the places before and
    after (Cayley).
    """
    arms = points[last] + steps / 2 - (points[last] + steps / 2).mean(axis=0)
    columns = np.stack([cross(np.broadcast_to(axis, arms.shape), arms).ravel() for axis in np.eye(3)], axis=1)
    shift = steps.mean(axis=0)
    own = (steps - shift).ravel()
    turn = np.asarray(np.linalg.lstsq(columns, own, rcond=1e-3)[0])
    rest = float(np.linalg.norm(own - columns @ turn))
    return _Step(last, shift, turn, float(norm(steps).max())), rest


def _is_digit(tracks: Tracks, some: IntArray, step_m: float) -> bool:
    """Whether a step of some markers is no more than what rounding makes."""
    return step_m < JUMP_TIMES_COARSE * min(step_m, float(tracks.least_step[some].min()))
