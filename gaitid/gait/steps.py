"""Events in order of time, the nearest of many to another, and how far two lists of them are apart."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gaitid.gait.marker_events import KINDS, GaitEvent
from gaitid.numerics.statistics import median

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
            found = compare(events, Steps(reference), kind)
            if found["n"]:
                shift_s[kind] = float(found["median"])
                break
    return shift_s


def one_shift(shift_s: Mapping[str, float]) -> dict[str, float]:
    """The same for both kinds: one that is compared with nothing moves as the other, so that a stance stays as long."""
    return {kind: shift_s.get(kind, next(iter(shift_s.values()), 0.0)) for kind in KINDS}
