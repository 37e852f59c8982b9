"""Events in order of time, and one clock for them: whether the file counts time as the trial does, and what if it
does not.

Two things may be wrong with the times of a file's events. Their zero may be another one, as in a trial that was cut out
of a longer one: then every event is off by the same, which may be any time. Or another method may have set them, which
sees a strike some hundredths of a second before or after the plates do: then a stride from an event of the one to an
event of the other is too long, and its neighbour too short by as much.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gaitid.gait.marker_events import KINDS, GaitEvent, Heading
from gaitid.ground.ground import EVENTS_OFF
from gaitid.notes import phrase
from gaitid.numerics.masks import median
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

# s. Events of one kind and side nearer than this are one.
SAME_STEP = 0.20


class Steps:
    """Events by side and kind in order of time: the nearest of thousands is found without looking at all."""

    def __init__(self, events: Iterable[GaitEvent] = ()) -> None:
        self._same: dict[tuple[str, str], tuple[list[float], list[GaitEvent]]] = {}
        for event in events:
            self.add(event)

    def add(self, event: GaitEvent) -> None:
        times, same = self._same.setdefault((event.side, event.kind), ([], []))
        at = bisect_right(times, event.time_s)
        times.insert(at, event.time_s)
        same.insert(at, event)

    def times(self, side: str, kind: str) -> Sequence[float]:
        """Of all events of a side and kind, in order, s."""
        return self._same.get((side, kind), _NONE)[0]

    def nearest(self, event: GaitEvent, within_s: float = SAME_STEP) -> GaitEvent | None:
        """The nearest event of the same side and kind, if it is near enough to be the same."""
        times, same = self._same.get((event.side, event.kind), _NONE)
        at = bisect_left(times, event.time_s)
        if at and (at == len(times) or event.time_s - times[at - 1] <= times[at] - event.time_s):
            at -= 1
        return same[at] if same and abs(times[at] - event.time_s) <= within_s else None


_NONE: tuple[list[float], list[GaitEvent]] = ([], [])


def compare(reference: Sequence[GaitEvent], others: Steps, kind: str) -> dict[str, float | int]:
    """For each event of one list the nearest of others: how many, and how far later.

    Returns
    -------
    dict
        ``n`` pairs, ``median`` and ``largest`` (by size) difference in s, ``unmatched`` of the reference.
    """
    pairs = [(e, others.nearest(e)) for e in reference if e.kind == kind]
    differences = np.array([o.time_s - e.time_s for e, o in pairs if o is not None])
    known = bool(differences.size)
    return {
        "n": len(differences),
        "median": float(median(differences)) if known else float("nan"),
        "largest": float(differences[np.argmax(np.abs(differences))]) if known else float("nan"),
        "unmatched": len(pairs) - len(differences),
    }


def shifts_onto(references: Sequence[Sequence[GaitEvent]], events: Sequence[GaitEvent]) -> dict[str, float]:
    """How much later each kind is in the first list of others that has any of it than in `events`, s; none without."""
    shift_s = {}
    for kind in KINDS:
        for reference in references:
            result = compare(events, Steps(reference), kind)
            if result["n"]:
                shift_s[kind] = float(result["median"])
                break
    return shift_s


def one_shift(shift_s: Mapping[str, float]) -> dict[str, float]:
    """The same for both kinds: one that is compared with nothing moves as the other, so that a stance stays as long."""
    return {kind: shift_s.get(kind, next(iter(shift_s.values()), 0.0)) for kind in KINDS}


# s. A file's event is dropped that the markers contradict by more than the first, and used but said from the second on:
# 100 of 10 shared trials lie -0.05 to +0.03 from the markers' (-0.04 without the laboratory that shows most), three
# that a hand put beside the plates +0.06 to +0.08 (cgm24: toes have slapped down before). On stairs the markers may be
# 0.1 early, so that nobody can say which is right.
FILE_AGREES, FILE_SURE = 0.10, 0.055
# s. Least time between strikes of one foot: the fastest sprinters take about 0.4 s a stride (Weyand et al. 2000, J Appl
# Physiol 89:1991-1999).
MIN_STRIDE = 0.35
# Another zero of time is taken for the file's where so many events more are confirmed by it than by any other. A stride
# to and fro loses those of a stride, about four, where the file's events are those of the trial, and none where they
# are of a longer one: in an even walk nobody can tell which stride is which.
MARGIN = 2
# Events of a foot and kind that are compared each with each: a quarter of an hour of walking.
_MOST = 1000
# Other shifts that fit as well are named, up to so many.
_SHOWN = 3

Key = tuple[str, str]  # side and kind


class Witness(NamedTuple):
    """What speaks for or against an event.

    Attributes
    ----------
    walk : Heading
    seen, carried : mapping of side to (frames,) bool array
        Whether the markers of a foot are seen, and whether its load is known.
    force, markers : Steps
        Events of the plates; those of the markers, moved onto the plates' clock.
    """

    walk: Heading
    seen: Mapping[str, Mask]
    carried: Mapping[str, Mask]
    force: Steps
    markers: Steps

    @property
    def last_s(self) -> float:
        """Time of the trial's last frame."""
        return (len(self.walk.sense) - 1) / self.walk.rate_hz

    def nearest(self, event: GaitEvent) -> GaitEvent | None:
        """What the plates show near an event of the file, else what the markers show."""
        measured = self.force.nearest(event)
        return self.markers.nearest(event) if measured is None else measured

    def contradiction(self, event: GaitEvent) -> str:
        """Why an event that no plate shows is not believed; empty where nothing speaks against it."""
        rate, n = self.walk.rate_hz, len(self.walk.sense)
        first, last = (round((event.time_s + shift) * rate) for shift in (-FILE_AGREES, FILE_AGREES))
        if not 0 <= event.time_s * rate <= n - 1:
            return phrase("event/outside")
        inside = first >= 0 and last < n
        around = slice(max(first, 0), last + 1)
        if inside and event.side in self.carried and self.carried[event.side][around].all():
            return phrase("event/plates_silent")
        if event.source != "file":
            return ""
        marker = self.markers.nearest(event)
        if marker is not None:
            apart = abs(marker.time_s - event.time_s)
            return phrase("event/markers_away", s=apart) if apart > FILE_AGREES else ""
        margin = round(SAME_STEP * rate)
        wide = slice(max(first - margin, 0), max(last + margin + 1, 0))
        within = first >= margin and last + margin < n
        if within and self.walk.sense[wide].all() and self.seen[event.side][wide].all():
            return phrase("event/markers_silent")
        return ""


# --- the zero of time ------------------------------------------------------------------------------------------------


class Zero(NamedTuple):
    """Whether the file's events count time as the trial does.

    Attributes
    ----------
    lag_s : float
        What their times are to be moved by; 0 where they are right.
    words : str
        What was seen, where not all is as it should be.
    used : bool
        Whether they can be used.
    """

    lag_s: float = 0.0
    words: str = ""
    used: bool = True


def file_zero(events: Sequence[GaitEvent], witness: Witness) -> Zero:
    """The zero of time of the file's events.

    It is looked for where events lie outside the trial, or where plates and markers contradict more of them than they
    confirm. It is taken where by it `MARGIN` events more are confirmed than by any other: then the events are moved.
    Otherwise none of them is used, not even one that fits, for that may be chance.

    Parameters
    ----------
    events : sequence of GaitEvent
        Of the file alone.
    witness : Witness
    """
    last_s = witness.last_s
    outside = [e for e in events if not -FILE_AGREES <= e.time_s <= last_s + FILE_AGREES]
    pairs = [(e, witness.nearest(e)) for e in events if e not in outside]
    apart = [abs(shown.time_s - e.time_s) for e, shown in pairs if shown is not None]
    confirmed = sum(s <= FILE_AGREES for s in apart)
    wrong = sum(s > FILE_AGREES for s in apart)
    wrong += sum(shown is None and bool(witness.contradiction(e)) for e, shown in pairs)
    if outside and len(events) > 1:
        if pairs and not wrong and _fit(pairs, witness):
            return Zero()
        times = [e.time_s for e in events]
        ends = {"first_s": min(times), "last_s": max(times), "end_s": last_s}
        why = phrase("event/clock_outside", every=not pairs, outside=len(outside), n=len(events), **ends)
    elif wrong >= 2 and wrong > confirmed:
        why = phrase("event/clock_contradicted", wrong=wrong, n=len(events), confirmed=confirmed, none=not confirmed)
    else:
        return Zero()
    return _another_zero(events, witness, why)


def _fit(pairs: Sequence[tuple[GaitEvent, GaitEvent | None]], witness: Witness) -> bool:
    """Whether events lie as near to the plates' as those of one clock do, or nothing shows any."""
    late_s = [event.time_s - shown.time_s for event, _ in pairs if (shown := witness.force.nearest(event)) is not None]
    if late_s:
        return max(map(abs, late_s)) <= EVENTS_OFF
    return all(shown is None for _, shown in pairs)


def _another_zero(events: Sequence[GaitEvent], witness: Witness, why: str) -> Zero:
    """The zero by which `MARGIN` events more are confirmed than by any other; else what is likely, in words."""
    best, others = _lags(events, witness)
    other = {"left": "right", "right": "left"}
    meant = [("event/sides_exchanged", _at(_differences(_sides(events, other), witness), 0.0))]
    for words, factor in (("event/as_frames", 1 / witness.walk.rate_hz), ("event/as_milliseconds", 1e-3)):
        scaled = [e._replace(time_s=factor * e.time_s) for e in events]
        if _possible(scaled):
            meant.append((words, _lags(scaled, witness)[0][1]))
    words, most = max(meant, key=lambda way: way[1])
    lag_s, n = best
    next_n = max([most, *(number for _, number in others)])
    inside = sum(0 <= e.time_s + lag_s <= witness.last_s for e in events)
    if n >= next_n + MARGIN and 2 * n > inside:
        if abs(lag_s) <= EVENTS_OFF:
            return Zero()
        moved = {"s": abs(lag_s), "late": lag_s < 0, "n": n, "inside": inside, "other": next_n}
        return Zero(lag_s, phrase("event/clock_moved", why=why, **moved))
    if 2 * most > len(events) and most >= n:
        return Zero(words=phrase("event/clock_meant", why=why, way=phrase(words), n=most), used=False)
    equal = [f"{lag:+.2f} s" for lag, number in sorted([best, *others]) if number > n - MARGIN and 2 * number > inside]
    return Zero(words=phrase("event/clock_unsure", why=why, alike=equal if len(equal) > 1 else ()), used=False)


def _sides(events: Iterable[GaitEvent], names: Mapping[str, str]) -> list[GaitEvent]:
    return [e._replace(side=names.get(e.side, e.side)) for e in events]


def _possible(events: Iterable[GaitEvent]) -> bool:
    """Whether no foot strikes, or leaves, twice in less than a stride can last."""
    times: dict[Key, list[float]] = {}
    for event in events:
        times.setdefault((event.side, event.kind), []).append(event.time_s)
    return all((np.diff(np.sort(same)) >= MIN_STRIDE).all() for same in times.values())


def _differences(events: Iterable[GaitEvent], witness: Witness) -> Array:
    """What each event would have to be moved by to lie on each step of its foot and kind, s, in order."""
    times: dict[Key, list[float]] = {}
    for event in events:
        times.setdefault((event.side, event.kind), []).append(event.time_s)
    results = [np.empty(0)]
    for key, same in times.items():
        force = witness.force.times(*key)
        steps = [*force, *(t for t in witness.markers.times(*key) if not any(abs(t - f) <= SAME_STEP for f in force))]
        results.append(np.subtract.outer(steps[:_MOST], same[:_MOST]).ravel())
    return np.sort(np.concatenate(results))


def _at(differences_s: Array, lag_s: float) -> int:
    """How many events are confirmed when all are moved by a time."""
    first, end = np.searchsorted(differences_s, (lag_s - FILE_AGREES, lag_s + FILE_AGREES))
    return int(end - first)


def _lags(events: Sequence[GaitEvent], witness: Witness) -> tuple[tuple[float, int], list[tuple[float, int]]]:
    """The time to move all events by, s, with how many are confirmed by it; and the next best, a step or more apart."""
    left = differences_s = _differences(events, witness)
    results: list[tuple[float, int]] = []
    while left.size and len(results) <= _SHOWN:
        ends = np.searchsorted(differences_s, np.stack([left - FILE_AGREES, left + FILE_AGREES]))
        counts = ends[1] - ends[0]
        at = int(np.argmax(counts))
        lag_s = float(np.mean(differences_s[ends[0, at] : ends[1, at]]))
        results.append((lag_s, int(counts[at])))
        left = left[np.abs(left - lag_s) > SAME_STEP]
    return (results[0], results[1:]) if results else ((0.0, 0), [])


# --- what another method is late by ---------------------------------------------------------------------------------


class Clock(NamedTuple):
    """Strikes and offs of plates and file, all as one of the two would see them.

    Attributes
    ----------
    force, file : tuple of GaitEvent
    late_s : mapping of (side, kind) to float
        By which the file's events come after the plates', where that was taken off; empty where nothing was.
    by : str
        ``file`` where the plates' events were put to the file's, ``force`` where the file's were moved to the plates';
        empty where nothing was done.
    """

    force: tuple[GaitEvent, ...]
    file: tuple[GaitEvent, ...]
    late_s: Mapping[Key, float] = {}
    by: str = ""


def one_clock(
    force: Sequence[GaitEvent], file: Sequence[GaitEvent], markers: Sequence[GaitEvent], rate_hz: float
) -> Clock:
    """The events of plates and file without the constant difference between them.

    It is the median of what both show of a foot's strikes, or offs. It is taken off where that of both feet is more
    than a frame, for events of files lie on frames, or that of one foot, which may be of one event, more than two. Up
    to `EVENTS_OFF` both see the same instants, and the source that knows fewer is put to the other; beyond it the
    plates are right. A difference that the file's other events do not have, by the markers, is none of the method.

    Parameters
    ----------
    force, file : sequence of GaitEvent
    markers : sequence of GaitEvent
        By the markers alone, not moved.
    rate_hz : float
        Of the cameras.
    """
    known = Steps(file)
    pairs = [(measured, stored) for measured in force if (stored := known.nearest(measured)) is not None]
    of_foot = _late(pairs, file, Steps(markers))
    frame_s = 1 / rate_hz
    of_kind = {kind: _median(late for (_, k), late in of_foot.items() if k == kind) for _, kind in of_foot}
    if max(map(abs, of_kind.values()), default=0.0) <= frame_s >= max(map(abs, of_foot.values()), default=0.0) / 2:
        return Clock(tuple(force), tuple(file))
    worst = max(map(abs, of_foot.values()))
    late_s: dict[Key, float] = {}
    kinds = {event.kind for event in file}
    for side, kind in sorted({(event.side, event.kind) for event in (*force, *file) if event.kind in kinds}):
        other = of_kind[kind] if kind in of_kind else _median(of_kind.values())
        late_s[side, kind] = of_foot.get((side, kind), other)
    # a stance begins and ends by one clock too: plates whose offs the file does not have keep theirs
    if worst <= EVENTS_OFF and 2 * len(pairs) < len(file) and len(kinds) > 1:
        stored_of = {id(measured): stored for measured, stored in pairs if late_s[stored.side, stored.kind]}
        put = [stored_of.get(id(e)) or _moved(e, late_s[e.side, e.kind]) for e in force]
        return Clock(tuple(put), tuple(file), late_s, "file")
    return Clock(tuple(force), tuple(_moved(e, -late_s[e.side, e.kind]) for e in file), late_s, "force")


def _late(pairs: Sequence[tuple[GaitEvent, GaitEvent]], file: Sequence[GaitEvent], markers: Steps) -> dict[Key, float]:
    """By how much the file's events come after the plates', s; 0 where its others of that foot and kind do not."""
    late_s: dict[Key, float] = {}
    for key in dict.fromkeys((stored.side, stored.kind) for _, stored in pairs):
        of_key = [(measured, stored) for measured, stored in pairs if (stored.side, stored.kind) == key]
        here = {stored.time_s for _, stored in of_key}
        beside: dict[bool, list[float]] = {True: [], False: []}
        for event in file:
            if (event.side, event.kind) == key and (shown := markers.nearest(event)) is not None:
                beside[event.time_s in here].append(event.time_s - shown.time_s)
        alone = all(beside.values()) and abs(_median(beside[True]) - _median(beside[False])) > FILE_SURE
        late_s[key] = 0.0 if alone else _median(stored.time_s - measured.time_s for measured, stored in of_key)
    return late_s


def _moved(event: GaitEvent, by_s: float) -> GaitEvent:
    return event._replace(time_s=event.time_s + by_s)


def _median(values: Iterable[float]) -> float:
    return float(median(np.array(list(values))))
