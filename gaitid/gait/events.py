"""Foot strikes and offs from the plates, the file and the markers: compared, and one list of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.errors import first_few
from gaitid.gait.marker_events import KINDS, GaitEvent, Heading, heading, kinematic_events
from gaitid.ground.belt import CUTOFF_HZ, Floor
from gaitid.ground.contacts import FootLoad
from gaitid.notes import Note, Notes
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.statistics import median
from gaitid.read.event_names import foot_event
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Event, Mask

# s. A force below the threshold for less than this is a flutter within one stance.
MAX_PAUSE = 0.03
# s. Events of one kind and side nearer than this are one; a file's event is dropped that the markers contradict by more
# than the second, and used but told from the third on: 100 of 10 shared trials lie -0.05 to +0.03 from the markers'
# (-0.04 without the laboratory that shows most), three that a hand put beside the plates +0.06 to +0.08 (cgm24: toes
# have slapped down before). On stairs the markers may be 0.1 early, so that nobody can say which is right.
SAME_STEP, FILE_AGREES, FILE_SURE = 0.20, 0.10, 0.055
# s. Least times between strikes of one foot, and between its strike and off: the fastest sprinters take about 0.4 s a
# stride and stand about 0.1 s in each (Weyand et al. 2000, J Appl Physiol 89:1991-1999).
MIN_STRIDE, MIN_PHASE = 0.35, 0.06

# s. An event that the user gives agrees with that of a plate within it: the limit of a file's events as a whole
# (docs/contacts.md), five frames at 100 Hz being what hands differ by.
GIVEN_AGREES = 0.05
#: So many of them are named, and so many are moved to see what a file means.
SHOWN, MOST_MOVED = 3, 40
# Steps, the nearest, on which an event is laid to look for another zero of time: some minutes of walking.
MOST_WAYS = 300

PRIORITY = {"given": 0, "force": 1, "file": 2, "kinematics": 3}


@frozen_dataclass(eq=False)
class GaitEvents:
    """Everything about the events of one trial.

    Attributes
    ----------
    used : tuple of GaitEvent
        One list in order of time: what the user gives (``--events``) alone where it says anything of a foot's strikes,
        or offs; else force first, then the file where the markers agree, then the markers.
    by_method : mapping of method to tuple of GaitEvent
        ``force``, ``file``, ``zeni``, ``oconnor`` and ``kinematics`` (the better of the last two for each event).
    dropped : tuple of (GaitEvent, reason)
    shift_s : mapping of kind to float
        By which the markers' events were moved in `used`: their median difference from this trial's force events, so
        that both kinds may bound one stride; 0 with none to compare.
    heading : Heading
    against : tuple of (GaitEvent, reason)
        Events that the user or the file gives and that plates or markers speak against; they are used.
    file_doubt : str
        Why none of the file's events is used; empty where they are.
    """

    used: tuple[GaitEvent, ...]
    by_method: Mapping[str, tuple[GaitEvent, ...]]
    dropped: tuple[tuple[GaitEvent, str], ...]
    shift_s: Mapping[str, float]
    heading: Heading
    against: tuple[tuple[GaitEvent, str], ...] = ()
    file_doubt: str = ""

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
    shift = {kind: _shift(methods["force"], methods["kinematics"], kind) for kind in KINDS}
    shifted = [e._replace(time_s=e.time_s + shift[e.kind]) for e in methods["kinematics"]]
    seen = {side: known_rows(foot.heel_g) & known_rows(foot.toe_g) for side, foot in feet.items()}
    carried = {side: known_rows(load.wrench.f_g) for side, load in loads.items()}
    witness = _Witness(walk, seen, carried, Steps(shifted))
    doubt = _file_doubt([e for e in methods["file"] if e.source == "file"], Steps(methods["force"]), witness)
    believed = [e for e in methods["file"] if e.source == "given" or not doubt]
    used, dropped = _merged(methods["force"], believed, shifted, witness)
    if doubt:
        dropped += [(e, "most of the file's events are wrong") for e in methods["file"] if e.source == "file"]
    against = _against(used, Steps(methods["force"]), witness)
    as_tuples = {name: tuple(events) for name, events in methods.items()}
    return GaitEvents(tuple(used), as_tuples, tuple(dropped), shift, walk, against, doubt)


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

    def times(self, event: GaitEvent) -> Sequence[float]:
        """Times of all events of the same side and kind, s."""
        return self._same.get((event.side, event.kind), _NONE)[0]

    def nearest(self, event: GaitEvent, within_s: float = SAME_STEP) -> GaitEvent | None:
        """The nearest event of the same side and kind, if it is near enough to be the same."""
        times, same = self._same.get((event.side, event.kind), _NONE)
        at = bisect_left(times, event.time_s)
        if at and (at == len(times) or event.time_s - times[at - 1] <= times[at] - event.time_s):
            at -= 1
        return same[at] if same and abs(times[at] - event.time_s) <= within_s else None

    def distances_s(self, side: str, kind: str, times_s: Array) -> Array:
        """How far the nearest event of a side and kind is from each of many times, s; inf without any."""
        known = np.array(self._same.get((side, kind), _NONE)[0] or [np.inf])
        at = np.searchsorted(known, times_s)
        previous, following = known.take(at - 1, mode="clip"), known.take(at, mode="clip")
        nearest_s: Array = np.minimum(np.abs(times_s - previous), np.abs(following - times_s))
        return nearest_s


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


def _shift(force: Sequence[GaitEvent], kinematics: Sequence[GaitEvent], kind: str) -> float:
    """How much later the force is than the markers in this trial, s; 0 where no event tells."""
    difference = compare(kinematics, Steps(force), kind)
    return float(difference["median"]) if difference["n"] else 0.0


class _Witness(NamedTuple):
    """What speaks for or against an event.

    Attributes
    ----------
    walk : Heading
    seen, carried : mapping of side to (frames,) bool array
        Whether the markers of a foot are seen, and whether its load is known.
    markers : Steps
        The markers' events.
    """

    walk: Heading
    seen: Mapping[str, Mask]
    carried: Mapping[str, Mask]
    markers: Steps


def _merged(
    force: Sequence[GaitEvent], file: Sequence[GaitEvent], kinematics: Sequence[GaitEvent], witness: _Witness
) -> tuple[list[GaitEvent], list[tuple[GaitEvent, str]]]:
    """One list in order of priority, without what others contradict; and what was dropped, with the reason.

    Of the strikes, or offs, of a foot of which the user gives any no other source is asked.
    """
    given = [event for event in file if event.source == "given"]
    settled = {(event.side, event.kind) for event in given}
    force, file, kinematics = ([e for e in of if (e.side, e.kind) not in settled] for of in (force, file, kinematics))
    believed, steps = [*given, *force], Steps(force)
    dropped: list[tuple[GaitEvent, str]] = []
    for event in (*file, *kinematics):
        if steps.nearest(event) is None:
            reason = _contradicted(event, witness)
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
            dropped.append((worse, f"less than {least:g} s between {before.kind} and {event.kind}"))
            if worse is event:
                continue
            used.remove(before)
        used.append(event)
        last[event.side] = event
    return used, dropped


def _against(used: Sequence[GaitEvent], force: Steps, witness: _Witness) -> tuple[tuple[GaitEvent, str], ...]:
    """Events of the user and of the file that plates or markers speak against, each with the reason."""
    found: list[tuple[GaitEvent, str]] = []
    for event in used:
        if event.source == "file" and (marker := witness.markers.nearest(event)) is not None:
            apart = event.time_s - marker.time_s
            if abs(apart) > FILE_SURE:
                found.append((event, f"the markers show it {abs(apart):.2f} s {'before' if apart > 0 else 'after'}"))
        if event.source != "given":
            continue
        measured = force.nearest(event)
        if measured is None:
            reason = _contradicted(event._replace(source="file"), witness)
        else:
            apart = abs(measured.time_s - event.time_s)
            reason = f"the plates show it {apart:.2f} s away" if apart > GIVEN_AGREES else ""
        if reason:
            found.append((event, reason))
    return tuple(found)


def _file_doubt(events: Sequence[GaitEvent], force: Steps, witness: _Witness) -> str:
    """Why the file's events as a whole are not believed; empty where they are.

    Of 13 shared trials with events no event lies outside the trial or is contradicted. Of the same ones with left and
    right exchanged, or with times counted from the first frame, most are.
    """
    last_s = (len(witness.walk.sense) - 1) / witness.walk.rate_hz
    inside = [e for e in events if 0 <= e.time_s <= last_s]
    if len(events) > 1 and not inside:
        times = f"{min(e.time_s for e in events):.4g} to {max(e.time_s for e in events):.4g} s"
        return f"all {len(events)} lie outside the trial, at {times} of 0 to {last_s:.4g} s" + _meant(
            events, force, witness
        )
    (agreeing,) = _agreeing(inside, force, witness)
    wrong = sum(bool(_contradicted(e, witness)) for e in inside if force.nearest(e) is None)
    if wrong < 2 or wrong <= agreeing:
        return ""
    contradicted = f"plates or markers contradict {wrong} of {len(events)} and confirm {agreeing or 'none'}"
    return contradicted + _meant(events, force, witness)


def _meant(events: Sequence[GaitEvent], force: Steps, witness: _Witness) -> str:
    """With which sides, unit and zero of time plates or markers confirm most events, in words; empty if with none.

    Every way of laying one of three events on a step of the same foot is tried: events that repeat themselves fit with
    a stride more or less almost as well, and the most that are confirmed decide, then the smallest way.
    """
    other = {"left": "right", "right": "left"}
    some = events[:MOST_MOVED]
    (exchanged,) = _agreeing([e._replace(side=other.get(e.side, e.side)) for e in some], force, witness)
    best = (exchanged, 0.0, "with left and right exchanged") if 2 * exchanged > len(some) else (0, 0.0, "")
    for words, factor in (("", 1.0), ("as frames", 1 / witness.walk.rate_hz), ("as milliseconds", 1e-3)):
        some = [e._replace(time_s=factor * e.time_s) for e in events[:MOST_MOVED]]
        for laid in (some[0], some[len(some) // 2], some[-1]):
            ways = {at - laid.time_s for steps in (force, witness.markers) for at in steps.times(laid)}
            nearest = sorted(ways, key=abs)[:MOST_WAYS]
            for by_s, n in zip(nearest, _agreeing(some, force, witness, nearest), strict=True):
                way = " and ".join(
                    filter(None, (words, f"moved by about {by_s:+.1f} s" if abs(by_s) > SAME_STEP else ""))
                )
                if 2 * n > len(some) and (n, -abs(by_s)) > best[:2]:
                    best = (n, -abs(by_s), way)
    of = f" of {MOST_MOVED}" if len(events) > MOST_MOVED else ""
    return f"; {best[2]} plates or markers confirm {best[0]}{of}" if best[2] else ""


def _agreeing(
    events: Iterable[GaitEvent], force: Steps, witness: _Witness, moved_s: Sequence[float] = (0.0,)
) -> list[int]:
    """How many events plates or markers show as well, when all are moved by each of some times."""
    times: dict[tuple[str, str], list[float]] = {}
    for event in events:
        times.setdefault((event.side, event.kind), []).append(event.time_s)
    n = np.zeros(len(moved_s), np.intp)
    for step, same in times.items():
        moved = np.add.outer(same, moved_s)
        plate, marker = force.distances_s(*step, moved), witness.markers.distances_s(*step, moved)
        n += np.where(plate <= SAME_STEP, plate <= FILE_AGREES, marker <= FILE_AGREES).sum(axis=0)
    return n.tolist()


def against_notes(events: GaitEvents, rate_hz: float, first_frame: int) -> Notes:
    """Which events the evidence speaks against: the file's as a whole, or of each foot the user's and the file's."""
    found: dict[tuple[str, str], list[str]] = {}
    for event, reason in events.against:
        at = f"{event.kind} in frame {round(event.time_s * rate_hz) + first_frame}"
        found.setdefault((event.side, event.source), []).append(f"{at}: {reason}")
    notes: Notes = ()
    if events.file_doubt:
        notes = (Note("events_off", f"the file's foot strikes and offs are not used: {events.file_doubt}"),)
    of = {"given": "events of --events that were used", "file": "events of the file that were used"}
    return notes + tuple(
        Note("events_against", f"{side} foot, {of[source]}: {first_few(texts, SHOWN)}", side)
        for (side, source), texts in found.items()
    )


def _contradicted(event: GaitEvent, witness: _Witness) -> str:
    """Why an event is not believed; empty where nothing speaks against it."""
    walk = witness.walk
    rate, n = walk.rate_hz, len(walk.sense)
    first, last = (round((event.time_s + shift) * rate) for shift in (-FILE_AGREES, FILE_AGREES))
    if not 0 <= event.time_s * rate <= n - 1:
        return "it lies outside the trial"
    inside = first >= 0 and last < n
    around = slice(max(first, 0), last + 1)
    if inside and event.side in witness.carried and witness.carried[event.side][around].all():
        return "the plates know the load, and show no such event"
    if event.source != "file":
        return ""
    marker = witness.markers.nearest(event)
    if marker is not None:
        apart = abs(marker.time_s - event.time_s)
        return f"the markers show it {apart:.2f} s away" if apart > FILE_AGREES else ""
    margin = round(SAME_STEP * rate)
    wide = slice(max(first - margin, 0), max(last + margin + 1, 0))
    within = first >= margin and last + margin < n
    if within and walk.sense[wide].all() and witness.seen[event.side][wide].all():
        return "the markers show no such event"
    return ""
