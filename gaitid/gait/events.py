"""Foot strikes and offs from the plates, the file and the markers: compared, by one clock for each plate, and one
list of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.gait.cycles import GaitByHand
from gaitid.gait.event_clock import (
    FILE_SURE,
    MIN_STRIDE,
    Clock,
    Steps,
    Witness,
    Zero,
    compare,
    file_zero,
    one_clock,
    one_shift,
    shifts_onto,
)
from gaitid.gait.marker_events import KINDS, GaitEvent, Heading, heading, kinematic_events
from gaitid.ground.belt import CUTOFF_HZ, Floor
from gaitid.ground.contacts import Contact, FootLoad
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import known_rows, median, spans
from gaitid.read.event_names import foot_event
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Event

# s. A force below the threshold for less than this is a flutter within one stance.
MAX_PAUSE = 0.03
# s. Least time between a strike and the off of a foot: the fastest sprinters stand about 0.1 s in each stride (Weyand
# et al. 2000, J Appl Physiol 89:1991-1999).
MIN_PHASE = 0.06

# s. An event that the user gives agrees with that of a plate within it: the limit of a file's events as a whole
# (docs/contacts.md), five frames at 100 Hz being what hands differ by.
GIVEN_AGREES = 0.05
PRIORITY = {"given": 0, "force": 1, "file": 2, "kinematics": 3}


@frozen_dataclass(eq=False)
class GaitEvents:
    """Everything about the events of one trial.

    Attributes
    ----------
    used : tuple of GaitEvent
        One list in order of time: what the user gives (``--events``) alone where it says anything of a foot's strikes,
        or offs; else force first, then the file where the markers agree, then the markers. Corrected by hand.
    by_method : mapping of method to tuple of GaitEvent
        ``force``, ``file``, ``zeni``, ``oconnor`` and ``kinematics`` (the better of the last two for each event).
    dropped : tuple of (GaitEvent, reason)
    shift_s : mapping of kind to float
        By which the markers' events were moved in `used`: their median difference from this trial's force events,
        without any from the file's, without any from the user's of both feet, so that both kinds may bound one stride.
        A kind that none of them has moves as the other, so that a stance is not longer or shorter by what the sources
        differ; 0 with none to compare.
    heading : Heading
    against : tuple of (GaitEvent, reason)
        Events that the user or the file gives and that plates or markers speak against; they are used.
    zero : Zero
        Whether the file's events count time as the trial does.
    clock : Clock
        What was done to the constant difference between the events of file and plates.
    compared : tuple of str
        The kinds whose events by the markers were compared with others.
    """

    used: tuple[GaitEvent, ...]
    by_method: Mapping[str, tuple[GaitEvent, ...]]
    dropped: tuple[tuple[GaitEvent, str], ...]
    shift_s: Mapping[str, float]
    heading: Heading
    against: tuple[tuple[GaitEvent, str], ...] = ()
    zero: Zero = Zero()
    clock: Clock = Clock((), ())
    compared: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """For the run's record: plain lists and numbers, times in s from the first frame."""
        steps = {name: Steps(events) for name, events in self.by_method.items()}
        return {
            "used": [e._asdict() for e in self.used],
            "dropped": [{**e._asdict(), "reason": reason} for e, reason in self.dropped],
            **({"against": [{**e._asdict(), "reason": r} for e, r in self.against]} if self.against else {}),
            "by_method": {name: [e._asdict() for e in events] for name, events in self.by_method.items()},
            "differences_s": {
                f"{other}_minus_{reference}": {
                    kind: compare(self.by_method[reference], steps[other], kind) for kind in KINDS
                }
                for reference in ("force", "file")
                for other in ("force", "file", "zeni", "oconnor", "kinematics")
                if other != reference and PRIORITY.get(other, 3) >= PRIORITY[reference]
            },
            "kinematics_shift_s": dict(self.shift_s),
            "clock": self.clock.by,
            "file_late_s": [
                {"side": s, "kind": k, "late_s": late} for (s, k), late in sorted(self.clock.late_s.items())
            ],
            "file_lag_s": self.zero.lag_s,
            "ground_velocity_m_per_s": self.heading.floor.velocity_g.reshape(-1, 3).mean(axis=0).tolist(),
            "frames_forward": int((self.heading.sense > 0).sum()),
            "frames_backward": int((self.heading.sense < 0).sum()),
        }


def find_events(
    file_events: Sequence[Event],
    loads: Mapping[str, FootLoad],
    feet: Mapping[str, FootTrack],
    pelvis_g: Array,
    floor: Floor,
    threshold_N: float = 20.0,
    by_hand: GaitByHand = GaitByHand(),  # noqa: B008 - it cannot be changed
) -> GaitEvents:
    """All strikes and offs of a trial.

    Parameters
    ----------
    file_events : sequence of Event
        Of the file.
    loads : mapping of side to FootLoad
    feet : mapping of side to FootTrack
        Heel and toe markers, not filtered.
    pelvis_g : (frames, 3) array, m
        Any point of the pelvis.
    floor : Floor
    threshold_N : float
        Vertical force from which on a foot stands.
    by_hand : GaitByHand
        What an analyst corrects, in the end.
    """
    up_g, rate_hz = floor.up_g, floor.rate_hz
    points = np.stack([pelvis_g, *(p for foot in feet.values() for p in (foot.heel_g, foot.toe_g))], axis=1)
    points = lowpass(points, CUTOFF_HZ, rate_hz) if rate_hz > 2 * CUTOFF_HZ else points
    pelvis = points[:, 0]
    smooth = {side: FootTrack(points[:, 2 * i + 1], points[:, 2 * i + 2]) for i, side in enumerate(feet)}
    walk = heading(smooth, pelvis, floor)
    methods: dict[str, list[GaitEvent]] = {name: [] for name in ("force", "file", "zeni", "oconnor", "kinematics")}
    methods["file"] = events_of_file(file_events, feet)
    for side, load in loads.items():
        methods["force"] += force_events(side, load.wrench.f_g @ up_g, rate_hz, threshold_N)
    for side, foot in smooth.items():
        for name, by_method in kinematic_events(side, foot, pelvis, walk).items():
            methods[name] += by_method
    for events in methods.values():
        events.sort(key=_order)
    seen = {side: known_rows(foot.heel_g) & known_rows(foot.toe_g) for side, foot in feet.items()}
    carried = {side: known_rows(load.wrench.f_g) for side, load in loads.items()}
    force, markers = methods["force"], methods["kinematics"]

    def witness_on(reference: Sequence[GaitEvent]) -> Witness:
        shown = _shifted(markers, one_shift(shifts_onto([reference], markers)))
        return Witness(walk, seen, carried, Steps(reference), Steps(shown))

    stored = [e for e in methods["file"] if e.source == "file"]
    given = [e for e in methods["file"] if e.source == "given"]
    zero = file_zero(stored, witness_on(force))
    dropped = [] if zero.used else [(e, phrase("event/no_shift")) for e in stored]
    stored = [e._replace(time_s=e.time_s + zero.lag_s) for e in stored] if zero.used else []
    clock = one_clock(force, stored, markers, rate_hz)
    witness = witness_on(clock.force)
    # what the user gives of one foot alone corrects that foot, and is no clock of the other's
    of_both = [e for e in given if {other.side for other in given if other.kind == e.kind} == {*feet}]
    compared = shifts_onto([clock.force, clock.file, of_both], markers)
    shift = one_shift(compared)
    used, not_used = _merged(clock.force, [*given, *clock.file], _shifted(markers, shift), witness)
    used = by_hand.corrected(used, walk)
    as_tuples = {name: tuple(events) for name, events in methods.items()}
    against = _against(used, Steps(force), witness)
    return GaitEvents(tuple(used), as_tuples, (*not_used, *dropped), shift, walk, against, zero, clock, (*compared,))


def _shifted(events: Sequence[GaitEvent], shift_s: Mapping[str, float]) -> list[GaitEvent]:
    return [e._replace(time_s=e.time_s + shift_s[e.kind]) for e in events]


def _order(event: GaitEvent) -> tuple[float, str, str]:
    return event.time_s, event.side, event.kind


# --- from the file -------------------------------------------------------------------------------------------


def events_of_file(events: Sequence[Event], sides: Mapping[str, object]) -> list[GaitEvent]:
    """The file's strikes and offs under the names in use (Foot Strike, Heel Strike, FS, RHS, Toe-Off, FO, ...)."""
    renamed = []
    meant = {named: foot_event(*named, sides) for named in {(event.name, event.side) for event in events}}
    for event in events:
        side, kind = meant[event.name, event.side]
        if kind and side in sides:
            renamed.append(GaitEvent(side, kind, event.time_s, "given" if event.given else "file"))
    return renamed


# --- from the plates -----------------------------------------------------------------------------------------


def force_events(side: str, vertical_N: Array, rate_hz: float, threshold_N: float) -> list[GaitEvent]:
    """Where the force on a foot rises and falls through the threshold, on the line between two frames.

    A stance ends only when the force falls below half the threshold or stays below it for a while (hysteresis); a
    crossing beside a frame in which the load is unknown is none.

    Parameters
    ----------
    side : str
    vertical_N : (frames,) array
        NaN where unknown.
    rate_hz, threshold_N : float
    """
    known = np.isfinite(vertical_N)
    force = np.where(known, vertical_N, -np.inf)
    loaded = force > threshold_N
    for start, stop in list(spans(~loaded & known)):
        beside = start > 0 and stop < len(loaded) and loaded[start - 1] and loaded[stop]
        brief = stop - start <= MAX_PAUSE * rate_hz
        if beside and (brief or force[start:stop].min() > threshold_N / 2):
            loaded[start:stop] = True
    crossings = []
    for start, stop in spans(loaded):
        if stop - start < MIN_PHASE * rate_hz:
            continue
        for kind, edge in (("strike", start), ("off", stop)):
            if 0 < edge < len(loaded) and known[edge - 1] and known[edge]:
                before, after = force[edge - 1], force[edge]
                share = (threshold_N - before) / (after - before)
                crossings.append(GaitEvent(side, kind, float(edge - 1 + share) / rate_hz, "force"))
    return crossings


# --- together ------------------------------------------------------------------------------------------------


def _merged(
    force: Sequence[GaitEvent], file: Sequence[GaitEvent], kinematics: Sequence[GaitEvent], witness: Witness
) -> tuple[list[GaitEvent], list[tuple[GaitEvent, str]]]:
    """One list in order of priority, without what others contradict; and what was dropped, with the reason.

    Of the strikes, or offs, of a foot of which the user gives any no other source is asked.
    """
    given = [event for event in file if event.source == "given"]
    decided = {(event.side, event.kind) for event in given}
    force, file, kinematics = ([e for e in of if (e.side, e.kind) not in decided] for of in (force, file, kinematics))
    believed, steps = [*given, *force], Steps(force)
    dropped: list[tuple[GaitEvent, str]] = []
    for event in (*file, *kinematics):
        if steps.nearest(event) is None:
            reason = witness.contradiction(event)
            if reason:
                dropped.append((event, reason))
            else:
                believed.append(event)
                steps.add(event)
    used: list[GaitEvent] = []
    last: dict[str, GaitEvent] = {}
    for event in sorted(believed, key=_order):
        before = last.get(event.side)
        least = MIN_STRIDE if before and before.kind == event.kind else MIN_PHASE
        if before and event.time_s - before.time_s < least:
            worse = max(event, before, key=lambda e: PRIORITY[e.source])  # of equals the later
            dropped.append((worse, phrase("event/too_near", least_s=least, before=before.kind, kind=event.kind)))
            if worse is event:
                continue
            used.remove(before)
        used.append(event)
        last[event.side] = event
    return used, dropped


def _against(used: Sequence[GaitEvent], force: Steps, witness: Witness) -> tuple[tuple[GaitEvent, str], ...]:
    """Events of the user and of the file that plates or markers speak against, each with the reason."""
    results: list[tuple[GaitEvent, str]] = []
    for event in used:
        if event.source == "file" and (marker := witness.markers.nearest(event)) is not None:
            apart = event.time_s - marker.time_s
            if abs(apart) > FILE_SURE:
                results.append((event, phrase("event/markers_aside", s=abs(apart), late=apart > 0)))
        if event.source != "given":
            continue
        measured = force.nearest(event)
        if measured is None:
            reason = witness.contradiction(event._replace(source="file"))
        else:
            apart = abs(measured.time_s - event.time_s)
            reason = phrase("event/plates_away", s=apart) if apart > GIVEN_AGREES else ""
        if reason:
            results.append((event, reason))
    return tuple(results)


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
    if any(message.code in ("clocks_apart", "rate_doubtful") for message in known):
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
