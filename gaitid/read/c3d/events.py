"""Events of a C3D file: those of its group EVENT, else those of its header."""

from __future__ import annotations

import re

import numpy as np

from gaitid.notes import Notes, note
from gaitid.read.c3d.file import C3DFile, continued, texts
from gaitid.read.c3d.frame_layout import first_number
from gaitid.read.c3d.sections import HEADER_EVENTS
from gaitid.read.event_names import WORDS, said, side_of_word
from gaitid.read.labels import listed
from gaitid.trial import Event

# An event farther from the first frame, s, has no time: a day of recording is no trial.
_FAR_S = 86400.0
# Labels of a header's events: a side, a kind, and a digit where one comes again, for they should differ.
_LABEL = r"(?i)([LR])(HS|FS|IC|TO|FO)\d?"  # hardly any file has such events: not compiled before one does


def events_of(file: C3DFile) -> tuple[tuple[Event, ...], Notes]:
    """Events with time 0 at the first frame, in order of time; and notes of those that are not read."""
    events, notes = _of_group(file)
    if not events:
        events, header_notes = _of_header(file)
        notes += header_notes
    return tuple(sorted(events, key=lambda e: (e.time_s, e.side, e.name))), notes


def _of_group(file: C3DFile) -> tuple[list[Event], Notes]:
    """``EVENT:TIMES`` holds minutes and seconds, counted so that frame number n lies at (n − 1)/rate."""
    parameters = file.parameters
    parts = [part for part in continued(parameters, "EVENT", "TIMES") if np.size(part)]
    tables = [p.reshape(2, -1, order="F") for p in parts if isinstance(p, np.ndarray) and len(p) == 2 and p.ndim <= 2]
    if len(tables) < len(parts):
        return [], (note("file_incomplete/event_times"),)
    minutes, seconds = np.concatenate([np.empty((2, 0)), *tables], axis=1)
    labels, contexts = (texts(parameters, "EVENT", name) for name in ("LABELS", "CONTEXTS"))
    lengths = len(seconds), len(labels), len(contexts)
    used = first_number(parameters, "EVENT", "USED")
    n_events = max(int(used), 0) if np.isfinite(used) else max(lengths)
    notes: Notes = ()
    if min(lengths) < n_events:
        notes += (
            note(
                "file_incomplete/event_parts",
                times=len(seconds),
                labels=len(labels),
                contexts=len(contexts),
                n_events=n_events,
            ),
        )
    if unused := sum(map(bool, labels[n_events:])):
        notes += (note("file_repaired/more_events", n_events=n_events, unused=unused),)
    events: list[Event] = []
    timeless: list[str] = []
    times = 60.0 * minutes + seconds - (file.first_frame - 1) / file.rate_hz
    every_context = contexts + [""] * len(labels)
    for label, context, t in zip(labels[:n_events], every_context, times, strict=False):
        if not abs(t) <= _FAR_S:
            timeless.append(f"{context} {label}".strip())
            continue
        events.append(Event(label, side_of_word(context.strip().lower()) or "general", float(t)))
    if timeless:
        notes += (note("file_incomplete/timeless_events", events=listed(timeless)),)
    return events, notes


def _of_header(file: C3DFile) -> tuple[list[Event], Notes]:
    """Events of files older than the group, up to 18, their times counted from the first frame.

    Their flags say which to draw: guides of different years give the two values opposite meanings, and an event is
    valid with either (c3d.org, Header events and Event status).
    """
    n_events, stored = file.header.n_events, file.header.events
    if not 0 <= n_events <= HEADER_EVENTS:
        return [], (note("file_incomplete/header_event_count", n_events=n_events, room=HEADER_EVENTS),)
    duration_s = len(file.points) / file.rate_hz
    events: list[Event] = []
    lost: list[str] = []
    for label, t in stored:
        if not label or not 0 <= t <= duration_s:
            lost.append(f"{label or 'no label'} ({t:.4g} s)")
        elif known := re.fullmatch(_LABEL, label):
            side, kind = known.groups()
            events.append(Event(WORDS[said(kind)[1]], side_of_word(side.lower()), t))
        else:
            events.append(Event(label, "general", t))
    return events, (note("file_incomplete/header_events", events=listed(lost)),) if lost else ()
