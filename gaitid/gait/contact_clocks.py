"""Strikes and offs of the plates against those of the markers: a plate whose loads begin and end late, or early.

`gaitid.faults` holds the size of all forces against the body's motion; what one plate with one whole contact is
late by shows there too little. Its two ends tell: the foot sinks fastest where it lands and rises fastest where it
leaves (O'Connor et al. 2007, Gait Posture 25:469-474).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

import numpy as np

from gaitid.gait.events import GaitEvents
from gaitid.gait.marker_events import GaitEvent
from gaitid.ground.contacts import Contact
from gaitid.notes import Note, Notes, note
from gaitid.numerics.statistics import median

# s by which the markers' strike and off, the mean of both, come after the force's, of each plate the median: -0.017 to
# +0.017 in recorded walks forward on one level (25 plates of 9 laboratories; -0.015 without the one that shows most),
# +0.017 to +0.027 in simulated ones. A plate that is 50 ms late gives -0.067 to -0.023, early +0.033 and more.
# Farther, and to one side at both ends, it is late or early.
LATE, EARLY = -0.030, 0.038
# s. An event of the markers that is farther is of another step; the least time between both ends of a step of a walk.
NEAR, SHORTEST = 0.12, 0.35
METHOD = "oconnor"


def contact_clock_notes(events: GaitEvents, contacts: Sequence[Contact], known: Notes = ()) -> Notes:
    """Plates whose loads begin and end later or earlier than the feet land on them and leave.

    Asked where the body walks forward and goes on: a foot that lands with the toes, or stands still, sinks and rises at
    other times.

    Parameters
    ----------
    events : GaitEvents
    contacts : sequence of Contact
        Those that no end of the record of the plates cuts.
    known : tuple of Note
        What is known of clocks and rates already: then nothing is added.
    """
    if any(said.code in ("clocks_apart", "rate_doubtful") for said in known):
        return ()
    apart: dict[int, list[tuple[float, float]]] = {}
    for contact in contacts:
        if len(contact.plates) == 1 and (ends := _ends(events, contact)) is not None:
            apart.setdefault(contact.plates[0], []).append(ends)
    return tuple(_notes({number: median(np.array(values)).tolist() for number, values in apart.items()}))


def _notes(apart: dict[int, list[float]]) -> Iterator[Note]:
    for early in (False, True):
        numbers = [
            number
            for number, ends in apart.items()
            if (min(ends) > 0 and np.mean(ends) > EARLY if early else max(ends) < 0 and np.mean(ends) < LATE)
        ]
        if not numbers:
            continue
        by = [f"{abs(float(np.mean(apart[number]))) * 1e3:.0f}" for number in numbers]
        every = len(numbers) == len(apart)
        yield note("clocks_apart/contacts", plates=() if every else numbers, numbers=numbers, ms=by, early=early)


def _ends(events: GaitEvents, contact: Contact) -> tuple[float, float] | None:
    """By how much the markers' strike and off come after the force's, s; None where one of the four was not seen."""
    rate_hz, walk = events.heading.rate_hz, events.heading
    frames = slice(contact.first, contact.last + 1)
    first_s, end_s = (contact.first - 0.5) / rate_hz, (contact.last + 0.5) / rate_hz
    if contact.beyond or end_s - first_s < SHORTEST:
        return None
    if walk.interrupted(first_s, end_s) or not (walk.sense[frames] > 0).all():
        return None
    near = events.by_method[METHOD]
    near = near[bisect_left(near, first_s - NEAR, key=_time) : bisect_right(near, end_s + NEAR, key=_time)]
    strike, off = _nearest(near, contact.side, "strike", first_s), _nearest(near, contact.side, "off", end_s)
    return None if strike is None or off is None else (strike.time_s - first_s, off.time_s - end_s)


def _time(event: GaitEvent) -> float:
    return event.time_s


def _nearest(events: Sequence[GaitEvent], side: str, kind: str, time_s: float) -> GaitEvent | None:
    near = [e for e in events if e.side == side and e.kind == kind and abs(e.time_s - time_s) < NEAR]
    return min(near, key=lambda event: abs(event.time_s - time_s)) if near else None
