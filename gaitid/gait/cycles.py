"""Gait cycles: from one strike of a foot to its next; any quantity over 0 to 100 % of one; corrections by hand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from gaitid.errors import TrialError
from gaitid.gait.marker_events import GaitEvent, Heading
from gaitid.notes import phrase
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array

CYCLE_POINTS = 101
_TOGETHER = 16  # cycles sampled at once: more would only need more memory
# s. Longest and shortest cycle. The fastest sprinters take 0.4 s (Weyand et al. 2000, J Appl Physiol 89:1991-1999);
# people after a stroke who walk at 0.1 m/s take 2 to 3 s: a longer one is a stop between two strikes.
MIN_CYCLE, MAX_CYCLE = 0.35, 4.0


class Cycle(NamedTuple):
    """One cycle of one foot.

    Attributes
    ----------
    side : str
    number : int
        From 1 for each side.
    strike, off, next_strike : GaitEvent
    opposite_off, opposite_strike : GaitEvent or None
        Of the other foot, within the cycle; None where it is not known.
    """

    side: str
    number: int
    strike: GaitEvent
    off: GaitEvent
    next_strike: GaitEvent
    opposite_off: GaitEvent | None
    opposite_strike: GaitEvent | None

    @property
    def duration_s(self) -> float:
        return self.next_strike.time_s - self.strike.time_s

    def percent(self, event: GaitEvent | None) -> float:
        """When an event is, in % of the cycle; NaN for none."""
        return 100 * (event.time_s - self.strike.time_s) / self.duration_s if event else float("nan")


class RefusedCycle(NamedTuple):
    """Two strikes on end of one foot that make no cycle, and why."""

    side: str
    start_s: float
    end_s: float
    reason: str


def find_cycles(
    events: Sequence[GaitEvent], walk: Heading | None = None
) -> tuple[tuple[Cycle, ...], tuple[RefusedCycle, ...]]:
    """All cycles between strikes on end of one foot, and what was refused.

    Parameters
    ----------
    events : sequence of GaitEvent
        In order of time.
    walk : Heading, optional
        Tells where the body stands, or turns from walking forward to backward.
    """
    cycles: list[Cycle] = []
    refused: list[RefusedCycle] = []
    times = [e.time_s for e in events]
    for side in sorted({e.side for e in events}):
        strikes = [e for e in events if e.side == side and e.kind == "strike"]
        number = 0
        for strike, following in zip(strikes[:-1], strikes[1:], strict=True):
            inside = events[bisect_right(times, strike.time_s) : bisect_left(times, following.time_s)]
            offs = [e for e in inside if e.side == side]
            opposite = {kind: [e for e in inside if e.side != side and e.kind == kind] for kind in ("off", "strike")}
            reason = _broken(following.time_s - strike.time_s, len(offs), max(map(len, opposite.values())))
            if not reason and walk is not None:
                reason = walk.interrupted(strike.time_s, following.time_s)
            if reason:
                refused.append(RefusedCycle(side, strike.time_s, following.time_s, reason))
                continue
            number += 1
            other = {kind: events[0] if events else None for kind, events in opposite.items()}
            cycles.append(Cycle(side, number, strike, offs[0], following, other["off"], other["strike"]))
    return tuple(cycles), tuple(refused)


def _broken(duration_s: float, offs: int, opposite: int) -> str:
    """Why two strikes on end make no cycle; empty where they do."""
    if not MIN_CYCLE <= duration_s <= MAX_CYCLE:
        return phrase("event/cycle_lasts", s=duration_s, least_s=MIN_CYCLE, most_s=MAX_CYCLE)
    if offs != 1:
        return phrase("event/cycle_offs", n=offs)
    if opposite > 1:
        return phrase("event/cycle_opposite", n=opposite)
    return ""


def sample(values: Array, at: Array, period: float | None = None, turning: slice = slice(None)) -> Array:
    """Values between frames: the cubic through the two frames before and the two after each instant (Lagrange).

    Where an outer one of the four is not known or does not exist, the straight line between the inner two; where one of
    these is not known, nothing: no gap is bridged. On a simulated walk at 100 Hz the cubic is 80 times nearer to the
    truth of the joint angles than straight lines are, and unlike a spline it carries nothing across a gap or from one
    phase to another.

    Parameters
    ----------
    values : (frames, columns) array
        NaN where unknown.
    at : (points,) array
        In frames from the first.
    period : float, optional
        Of quantities that jump back (360 for angles in degrees).
    turning : slice
        Columns that have this period; all where it is left out.

    Returns
    -------
    (points, columns) array
    """
    n = len(values)
    at = np.asarray(at, dtype=float)
    low = np.minimum(np.maximum(np.floor(at).astype(int), 0), max(n - 2, 0))
    around = np.minimum(np.maximum(low + np.array([[-1], [0], [1], [2]]), 0), n - 1)
    before, one, two, after = taps = values.take(around, axis=0)
    if period is not None:
        middle = one[:, turning]
        for tap in (before[:, turning], two[:, turning], after[:, turning]):
            tap -= middle
            turns = np.rint(tap / period)
            tap += middle
            tap -= period * turns
    u = at - low
    weights = (
        -u * (u - 1) * (u - 2) / 6,
        (u + 1) * (u - 1) * (u - 2) / 2,
        -(u + 1) * u * (u - 2) / 2,
        (u + 1) * u * (u - 1) / 6,
    )
    # the line first: the four are not needed after the cubic. On a frame the next one counts for nothing, and may be
    # unknown
    line = one + u[:, None] * (two - one)
    line[u <= 0], line[u >= 1] = one[u <= 0], two[u >= 1]
    for tap, weight in zip(taps, weights, strict=True):
        tap *= weight[:, None]
    cubic = np.add(before, one, out=before)
    cubic += two
    cubic += after
    cubic[(low < 1) | (low > n - 3)] = np.nan
    np.copyto(cubic, line, where=~np.isfinite(cubic))
    cubic[(at < 0) | (at > n - 1)] = np.nan
    return np.asarray(cubic)


def instants(cycles: Sequence[Cycle], rate_hz: float, points: int = CYCLE_POINTS) -> Array:
    """(cycles, points) 0 to 100 % of each cycle, evenly in time, in frames from the first."""
    start, end = np.array([(c.strike.time_s, c.next_strike.time_s) for c in cycles]).reshape(-1, 2).T
    return np.ascontiguousarray(np.linspace(start, end, points, axis=1) * rate_hz)


def over_cycles(
    cycles: Sequence[Cycle], values: Array, rate_hz: float, points: int = CYCLE_POINTS, period: float | None = None
) -> Array:
    """(cycles, points, columns) of `values` at 0 to 100 % of each cycle, evenly in time (`sample`).

    Parameters
    ----------
    cycles : sequence of Cycle
    values : (frames, columns) array
    rate_hz : float
    points : int
    period : float, optional
    """
    return sample_together(values, instants(cycles, rate_hz, points), period)


def sample_together(
    values: Array, at: Array, period: float | None = None, turning: slice = slice(None), into: Array | None = None
) -> Array:
    """`sample` at instants of several cycles, (cycles, points): (cycles, points, columns), which `into` may hold."""
    result = np.empty((*at.shape, values.shape[1])) if into is None else into
    for start in range(0, len(at), _TOGETHER):
        part = at[start : start + _TOGETHER]
        result[start : start + len(part)] = sample(values, part.ravel(), period, turning).reshape(*part.shape, -1)
    return result


#: What may be done with an event.
ADD, MOVE, REMOVE = "add", "move", "remove"
# s. Two events of one kind of one foot are at least a cycle apart: an event that is nearer than half of it is the one
# that is meant.
_NEAR = MIN_CYCLE / 2


class EventByHand(NamedTuple):
    """One correction of an event; times in s from the trial's first frame.

    Attributes
    ----------
    name : str
        Where it stands, for messages.
    side, kind : str
    do : str
        `ADD`, `MOVE` or `REMOVE`.
    time_s : float
        Where the event is to be, or is.
    from_s : float or None
        Where an event that moves was; None: the nearest of its side and kind moves.
    """

    name: str
    side: str
    kind: str
    do: str
    time_s: float
    from_s: float | None = None


class LeftOut(NamedTuple):
    """A cycle that is not used, as an analyst says so, and why."""

    side: str
    number: int
    start_s: float
    end_s: float
    reason: str


class CycleByHand(NamedTuple):
    """A cycle that is left out; `start_s`, where it is known, says when it begins."""

    name: str
    side: str
    number: int
    reason: str
    start_s: float | None = None


@frozen_dataclass()
class GaitByHand:
    """All that an analyst says of the events and cycles of a trial, in this order; frames are for messages."""

    events: tuple[EventByHand, ...] = ()
    cycles: tuple[CycleByHand, ...] = ()
    rate_hz: float = 1.0
    first_frame: int = 0

    def corrected(self, events: Sequence[GaitEvent], walk: Heading | None = None) -> list[GaitEvent]:
        """The events with one correction after the other.

        Raises
        ------
        TrialError
            An event that is to go or move is not there, or one stands already where one is to be; or no cycle is left.
        """
        result = list(events)
        placed: list[tuple[EventByHand, GaitEvent]] = []  # by entries before
        for entry in self.events:
            if entry.do != ADD:
                gone = self._meant(entry, result)
                self._refuse_twice(entry, gone, placed)
                result.remove(gone)
            if entry.do != REMOVE:
                placed.append((entry, GaitEvent(entry.side, entry.kind, entry.time_s, "given")))
                result.append(placed[-1][1])
        self._refuse_crowds(placed, result)
        result.sort(key=lambda event: (event.time_s, event.side, event.kind))
        if self.events and not find_cycles(result, walk)[0] and find_cycles(events, walk)[0]:
            raise TrialError(
                f"{self.events[-1].name}: corrections of events leave no cycle in the trial",
                expected="one cycle at least",
                todo="correct these entries; to drop a whole trial, leave it out of the command or the manifest",
            )
        return result

    def _meant(self, entry: EventByHand, events: Sequence[GaitEvent]) -> GaitEvent:
        """The event that an entry moves or removes."""
        at_s = entry.time_s if entry.from_s is None else entry.from_s
        like = [e for e in events if (e.side, e.kind) == (entry.side, entry.kind)]
        nearest = min(like, key=lambda event: abs(event.time_s - at_s), default=None)
        anywhere = entry.do == MOVE and entry.from_s is None
        if nearest is None or not (anywhere or abs(nearest.time_s - at_s) <= _NEAR):
            raise self._absent(entry, at_s, like)
        return nearest

    def _refuse_twice(
        self, entry: EventByHand, event: GaitEvent, placed: Sequence[tuple[EventByHand, GaitEvent]]
    ) -> None:
        """An event that an entry before has placed is meant where its very frame is named."""
        at_s = entry.time_s if entry.from_s is None else entry.from_s
        if event in [by for _, by in placed] and abs(event.time_s - at_s) * self.rate_hz > 0.5:
            raise TrialError(
                f"{entry.name}: another entry has moved or added this {entry.side} {entry.kind} already",
                found=f"frame {self._frame(event.time_s)}",
                todo="keep one entry for each event",
            )

    def _refuse_crowds(self, placed: Sequence[tuple[EventByHand, GaitEvent]], events: Sequence[GaitEvent]) -> None:
        """Two of a kind stand nearer in the end than any two of a foot can."""
        for entry, event in placed:
            others = [e for e in events if (e.side, e.kind) == (event.side, event.kind)]
            if event not in others:
                continue  # a later entry took it away
            others.remove(event)
            near = [other for other in others if abs(other.time_s - event.time_s) <= _NEAR]
            if near:
                raise TrialError(
                    f"{entry.name}: there is a {entry.side} {entry.kind} near that frame already",
                    found=f"frame {self._frame(near[0].time_s)}",
                    todo="move it instead (do: move)" if entry.do == ADD else "remove one of both (do: remove)",
                )

    def _absent(self, entry: EventByHand, at_s: float, like: Sequence[GaitEvent]) -> TrialError:
        frames = ", ".join(self._frame(event.time_s) for event in like)
        return TrialError(
            f"{entry.name}: no {entry.side} {entry.kind} near frame {self._frame(at_s)}",
            expected=f"one of frames {frames}" if frames else f"a trial with a {entry.side} {entry.kind}",
            todo="correct that entry, or take it away",
        )

    def _frame(self, time_s: float) -> str:
        return f"{time_s * self.rate_hz + self.first_frame:.0f}"

    def without(self, cycles: Sequence[Cycle]) -> tuple[tuple[Cycle, ...], tuple[LeftOut, ...]]:
        """The cycles that are used, with the numbers that they had, and those that are left out.

        Raises
        ------
        TrialError
            A cycle that is not there, or that begins elsewhere; or no cycle would be left.
        """
        there = {(cycle.side, cycle.number): cycle for cycle in cycles}
        left_out: list[LeftOut] = []
        for entry in self.cycles:
            cycle = there.pop((entry.side, entry.number), None)
            if cycle is None:
                numbers = [str(c.number) for c in cycles if c.side == entry.side]
                raise TrialError(
                    f"{entry.name}: no cycle {entry.number} of the {entry.side} foot is there to leave out",
                    expected=f"one of {', '.join(numbers)}" if numbers else f"a {entry.side} foot with a cycle",
                    todo="correct that entry, or take it away",
                )
            if entry.start_s is not None and abs(cycle.strike.time_s - entry.start_s) > _NEAR:
                raise TrialError(
                    f"{entry.name}: cycle {entry.number} of the {entry.side} foot begins elsewhere",
                    expected=f"frame {self._frame(entry.start_s)}",
                    found=f"frame {self._frame(cycle.strike.time_s)}",
                    todo="correct its number or frames, or take the entry away",
                )
            times = cycle.strike.time_s, cycle.next_strike.time_s
            left_out.append(LeftOut(entry.side, entry.number, *times, entry.reason))
        if left_out and not there:
            raise TrialError(
                f"{self.cycles[-1].name}: corrections leave out every cycle of the trial",
                expected="one cycle at least that is used",
                todo="to drop a whole trial, leave it out of the command or the manifest",
            )
        return tuple(cycle for cycle in cycles if (cycle.side, cycle.number) in there), tuple(left_out)
