"""Messages on events, contacts and the ground under the feet."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

CONTACTS = {
    "load_unclaimed": Message(
        "doubt",
        "a plate carries a load that no foot claims",
        USABLE,
        "name the foot (--assign SIDE=PLATE), or keep others off the plates",
        explains=True,
        words="plate {plates:, } carries a load in {n_frames} frames, but no foot was found on it",
    ),
    "events_off": Message(
        "doubt",
        "the file's events do not fit plates or markers; they are not used, or were moved",
        USABLE,
        "give events with --events, or check whether forces and markers belong together",
        words={
            "plates": ("events in the file are {ms:.0f} ms {late:later|earlier} than the plates; the plates were used"),
            "clock": "events in the file {seen}",
        },
    ),
    "events_moved": Message(
        "info",
        "sources show events a constant time apart, which was taken off",
        GOOD,
        "give the events of one method with --events",
        words={
            "clock": (
                "events in the file and from the plates differ by a constant time ({late:, }); {file:the "
                "plates' were moved to the file's|the file's were moved to the plates'}"
            ),
            "markers": (
                "no other source shows {kind}s than the markers; they were moved by {ms:+d} ms, the mean "
                "difference of {other}s between {sources: and } and markers"
            ),
        },
    ),
    "events_unknown": Message(
        "doubt",
        "the file has events whose labels are not understood; they are not used",
        GOOD,
        "say what each label means with --events",
        words={
            "sides": (
                "{n} {n:event|events} of the file {n:was|were} not understood and not used: {labels}. Give "
                "them with sides: --events FILE.csv (side, event, time_s)"
            ),
            "labels": (
                "{n} {n:event|events} of the file {n:was|were} not understood and not used: {labels}. Say "
                "what each means: --events FILE.yaml with `labels: {{{label}: {meaning}}}` (or {others}, "
                "none, ...)"
            ),
        },
    ),
    "events_against": Message(
        "doubt",
        "plates or markers speak against an event of the file, of --events or of corrections; it was used",
        USABLE,
        "check these events: their times count from the first frame",
        words={
            "feet": (
                "{given:events of --events or corrections|events of the file} were used; by the markers the {later} "
                "foot's are {s:.2f} s later than the {other} foot's, and step times are wrong by as much"
            ),
            "each": (
                "{side} foot: {given:events of --events or corrections|events of the file} were used, "
                "though others disagree: {events:, 3}"
            ),
        },
    ),
    "no_cycles": Message(
        "info",
        "the feet step, and no foot has a gait cycle; why",
        GOOD,
        words=(
            "the feet step, but no gait cycle was found (strikes: {strikes:, }){stands:?; in "
            "{stands:.0f} % of the frames the body stands over the ground}{across:?; in {across:.0f} % "
            "of the frames the feet point sideways to the way of walking: give strikes and offs with "
            "--events}{refused:?; cycles not used: {refused:, 3}}{dropped:?; events not used: {dropped:, "
            "3}}"
        ),
    ),
    "assignment_differs": Message(
        "doubt",
        "another program left another answer to which foot was on a plate",
        USABLE,
        "check the recording, and name the foot with --assign",
        words=(
            "{source} says that plate {plate} {unused:is not to be used|is the {foot} foot's}, but "
            "{known:it carries the {sides: and the } foot|no foot was found on it}"
        ),
    ),
    "assignment_unused": Message(
        "info",
        "another program says which foot was on a plate that the trial does not have",
        GOOD,
        words="{source}: the trial has no plate {plate}",
    ),
    "assignment_against": Message(
        "doubt",
        "the evidence speaks against a contact that is given by hand (--assign, corrections); it was done",
        USABLE,
        "look at the contact, or leave out --assign or its correction",
        words="given by hand, {side}: plate {on}: {why}",
    ),
    "assignment_far": Message(
        "doubt",
        "a foot that is put on a plate by hand (--assign, corrections) is far from its pressure; it was done",
        DO_NOT_USE,
        "look whose foot is on the plate, or leave out --assign or its correction",
        words=(
            (
                "given by hand, {side}: plate {on}: its pressure lies {cm:.0f} cm from that foot (median), farther "
                "than a sole reaches"
            ),
            "check whose foot is on it, and the plate's corners, or leave out --assign or its correction",
        ),
    ),
    "no_known_load": Message(
        "doubt",
        "no foot's load is known from plates",
        USABLE,
        "use the angles, not the moments",
        explains=True,
        words="{why}: wrenches are known in the air only",
    ),
    "loads_estimated": Message(
        "assumption",
        "loads that no plate measured were estimated from the body's motion",
        GOOD,
        words="the load of {n} {n:stance|stances} was estimated from the motion of the {by}: it is in tables by frame, "
        "in cycles and features only with --estimated-too (docs/contacts.md)",
    ),
    "loads_not_estimated": Message(
        "info",
        "loads that no plate measured were not estimated, though it was asked for",
        GOOD,
        words="no load was estimated: {why}",
    ),
    "treadmill": Message(
        "info",
        "the ground moves under the feet",
        GOOD,
        words="treadmill: the standing feet move at {speed:.2f} m/s, which is added to lengths and speed",
    ),
    "belts_differ": Message(
        "assumption",
        "the belts under both feet move at different speeds; how lengths are measured then",
        GOOD,
        words=(
            "the belts move at {each: and }{partly:? for part of the time}; stride length is by the "
            "foot's own belt, step length is the distance between the feet at strike"
        ),
    ),
    "belt_unsteady": Message(
        "assumption",
        "the belt changes its speed; its travel follows from the standing feet, or is unknown",
        GOOD,
        words=(
            "the belt changes speed, from {least:.2f} to {most:.2f} m/s; {known:its travel was "
            "integrated from the standing feet|too few stances show it, so lengths and speed are empty}"
        ),
    ),
}
