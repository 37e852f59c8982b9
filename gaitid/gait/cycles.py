"""Gait cycles: from one strike of a foot to its next, and any quantity over 0 to 100 % of one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from gaitid.gait.marker_events import GaitEvent, Heading
from gaitid.notes import phrase
from gaitid.records import NamedTuple
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
