"""What is worth saying of a trial's events: not understood, of another clock, against the evidence, or of no cycle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.gait.event_clock import SAME_STEP, Steps
from gaitid.gait.events import GaitEvents
from gaitid.gait.marker_events import KINDS, steps_taken
from gaitid.gait.spatiotemporal import Gait
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.masks import median
from gaitid.read.event_names import unknown_notes
from gaitid.trial import Trial

# s. By which one foot's strikes and offs come after the other's, each against the markers' of its foot, the mean of
# both kinds: -0.014 to +0.016 in 17 shared trials, by plates or files. One kind alone may differ more, where the feet
# do not land alike (-0.057 in cgm24).
FEET_APART = 0.03
# A stride takes two steps: from one time at which the feet are farthest apart to the second one after it.
STEPS_OF_STRIDE = 2


def event_notes(gait: Gait, feet: Mapping[str, FootTrack], trial: Trial) -> Notes:
    """All that is worth saying of the events of a trial."""
    events = gait.events
    return (
        *unknown_notes(trial.events),
        *clock_notes(events),
        *feet_notes(events),
        *against_notes(events, trial.rate_hz, trial.first_frame),
        *no_cycles_notes(gait, feet),
    )


def ground_notes(notes: Notes, events: GaitEvents) -> Notes:
    """Those of the ground; that of the file's events names the nearest step, and goes where this is another one."""
    zero = events.zero
    same_step = not zero.words or (zero.used and abs(zero.lag_s) <= SAME_STEP)
    return tuple(said for said in notes if said.code != "events_off" or same_step)


def clock_notes(events: GaitEvents) -> Notes:
    """Of the times of the file's events as a whole."""
    notes: Notes = ()
    if events.zero.words:
        notes = (note("events_off/clock", seen=events.zero.words),)
    notes += _borrowed(events)
    clock = events.clock
    if not clock.by:
        return notes
    sides = sorted({side for side, _ in clock.late_s})
    late = []
    for kind in KINDS:
        of_kind = {side: round(1e3 * clock.late_s[side, kind]) for side in sides if (side, kind) in clock.late_s}
        if len(set(of_kind.values())) == 1:
            of_kind = {"": next(iter(of_kind.values()))}
        late += [phrase("event/late", side=side, kind=kind, ms=ms) for side, ms in of_kind.items()]
    return (*notes, note("events_moved/clock", late=late, file=clock.by == "file"))


def _borrowed(events: GaitEvents) -> Notes:
    """That one kind of the markers' events moved by what the other differs from other sources."""
    for kind, other in (KINDS, KINDS[::-1]):
        ms = round(1e3 * events.shift_s[kind])
        used = {e.source for e in events.used if e.kind == kind}
        if not ms or kind in events.compared or "kinematics" not in used:
            continue
        others = {e.source for e in events.used if e.kind == other}
        sources = [phrase(f"event/by_{name}") for name in ("force", "file", "given") if name in others]
        return (note("events_moved/markers", kind=kind, ms=ms, other=other, sources=sources),)
    return ()


def feet_notes(events: GaitEvents) -> Notes:
    """That the events of one foot are late, or those of the other early, by the markers of both."""
    markers = Steps(events.by_method["kinematics"])
    late_s: dict[tuple[str, str], list[float]] = {}
    for event in events.used:
        if event.source != "kinematics" and (shown := markers.nearest(event)) is not None:
            late_s.setdefault((event.side, event.kind), []).append(event.time_s - shown.time_s)
    sources = {event.source for event in events.used} & {"given", "file"}
    sides = sorted({side for side, _ in late_s})
    if not sources or len(sides) != 2 or len(late_s) < 2 * len(KINDS):
        return ()
    apart_s = [float(np.subtract(*(median(np.array(late_s[side, kind])) for side in sides))) for kind in KINDS]
    mean_s = float(np.mean(apart_s))
    # half of it by each kind: strikes that are late alone are no foot that is
    if abs(mean_s) <= FEET_APART or min(a / mean_s for a in apart_s) * abs(mean_s) <= FEET_APART / 2:
        return ()
    later, other = sides if mean_s > 0 else sides[::-1]
    return (note("events_against/feet", given="given" in sources, later=later, s=abs(mean_s), other=other),)


def against_notes(events: GaitEvents, rate_hz: float, first_frame: int) -> Notes:
    """Of each foot the events of the user and of the file that plates or markers speak against."""
    found: dict[tuple[str, str], list[str]] = {}
    for event, reason in events.against:
        text = phrase("event/in_frame", kind=event.kind, frame=round(event.time_s * rate_hz) + first_frame, why=reason)
        found.setdefault((event.side, event.source), []).append(text)
    return tuple(
        note("events_against/each", side, given=source == "given", events=texts)
        for (side, source), texts in found.items()
    )


def no_cycles_notes(gait: Gait, feet: Mapping[str, FootTrack]) -> Notes:
    """Why no foot has a cycle, in a trial whose feet take a stride or more."""
    events, walk = gait.events, gait.events.heading
    if gait.strides or steps_taken(feet, walk.floor.up_g) <= STEPS_OF_STRIDE:
        return ()
    strikes = [sum((e.side, e.kind) == (side, "strike") for e in events.used) for side in feet]
    stands, across = np.mean(walk.stands), np.mean((walk.sense == 0) & ~walk.stands)
    return (
        note(
            "no_cycles",
            strikes=[f"{side} {n}" for side, n in zip(feet, strikes, strict=True)],
            stands=100 * stands if stands > 0.5 else None,
            across=100 * across if across > 0.5 else None,
            refused=[phrase("event/cycle_at", side=c.side, s=c.start_s, why=c.reason) for c in gait.refused],
            dropped=[
                phrase("event/at_time", side=event.side, kind=event.kind, s=event.time_s, why=reason)
                for event, reason in events.dropped
            ],
        ),
    )
