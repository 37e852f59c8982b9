"""What is worth saying of a trial's events: those not understood, of another clock, or that the evidence is against."""

from __future__ import annotations

from gaitid.errors import first_few
from gaitid.gait.events import GaitEvents
from gaitid.gait.marker_events import KINDS
from gaitid.gait.steps import SAME_STEP
from gaitid.notes import Note, Notes
from gaitid.read.event_names import unknown_notes
from gaitid.trial import Trial

#: So many events of a foot are named.
SHOWN = 3
_OF = {"given": "events of --events that were used", "file": "events of the file that were used"}


def event_notes(events: GaitEvents, trial: Trial) -> Notes:
    """All that is worth saying of the events of a trial."""
    return (
        *unknown_notes(trial.events),
        *clock_notes(events),
        *against_notes(events, trial.rate_hz, trial.first_frame),
    )


def ground_notes(notes: Notes, events: GaitEvents) -> Notes:
    """Those of the ground; that of the file's events names the nearest step, and goes where this is another one."""
    zero = events.zero
    same_step = not zero.words or (zero.used and abs(zero.lag_s) <= SAME_STEP)
    return tuple(note for note in notes if note.code != "events_off" or same_step)


def clock_notes(events: GaitEvents) -> Notes:
    """Of the times of the file's events as a whole."""
    notes: Notes = ()
    if events.zero.words:
        notes = (Note("events_off", f"the file's foot strikes and offs {events.zero.words}"),)
    clock = events.clock
    if not clock.by:
        return notes
    sides = sorted({side for side, _ in clock.late_s})
    late = []
    for kind in KINDS:
        of_kind = {side: round(1e3 * clock.late_s[side, kind]) for side in sides if (side, kind) in clock.late_s}
        if len(set(of_kind.values())) == 1:
            late.append(f"{kind}s {next(iter(of_kind.values())):+d} ms")
        else:
            late += [f"{side} {kind}s {ms:+d} ms" for side, ms in of_kind.items()]
    done = "the plates' were put to the file's" if clock.by == "file" else "the file's were moved to the plates'"
    text = f"events of the file lie by a constant time from those of the plates ({', '.join(late)}): {done}"
    return (*notes, Note("events_moved", f"{text}, so that a stride begins and ends by one clock"))


def against_notes(events: GaitEvents, rate_hz: float, first_frame: int) -> Notes:
    """Of each foot the events of the user and of the file that plates or markers speak against."""
    found: dict[tuple[str, str], list[str]] = {}
    for event, reason in events.against:
        at = f"{event.kind} in frame {round(event.time_s * rate_hz) + first_frame}"
        found.setdefault((event.side, event.source), []).append(f"{at}: {reason}")
    return tuple(
        Note("events_against", f"{side} foot, {_OF[source]}: {first_few(texts, SHOWN)}", side)
        for (side, source), texts in found.items()
    )
