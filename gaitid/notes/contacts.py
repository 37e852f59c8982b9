"""Messages on events, contacts and the ground under the feet."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

CONTACTS = {
    "load_unclaimed": Message(
        "doubt",
        "a plate carries a load that no foot claims",
        USABLE,
        "name the foot, as --assign SIDE=PLATE, or keep others off the plates",
        explains=True,
        words="plate {plates:, } carries a load in {n_frames} frames that no foot claims",
    ),
    "events_off": Message(
        "doubt",
        "the file's events do not fit plates or markers; they are not used, or were moved",
        USABLE,
        "give them with --events, or see whether forces and markers are of one time",
        words={
            "plates": (
                "the events of the file lie {s:.2f} s {late:after|before} what the plates say; no contact was found "
                "by them"
            ),
            "clock": "the file's foot strikes and offs {seen}",
        },
    ),
    "events_moved": Message(
        "info",
        "sources show events a constant time apart, which was taken off",
        GOOD,
        "give the events of one method with --events",
        words={
            "clock": (
                "events of the file lie by a constant time from those of the plates ({late:, }): {file:the plates' "
                "were put to the file's|the file's were moved to the plates'}, so that a stride begins and ends by "
                "one clock"
            ),
            "markers": (
                "{kind}s are those of the markers, which nothing beside them shows; they were moved by {ms:+d} ms, as "
                "the {other}s of {sources: and } lie from the markers', so that a stance begins and ends by one clock"
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
                "{n} {n:event|events} of the file {n:is|are} not understood and not used: {labels}; give them with "
                "their sides: --events FILE.csv (side, event, time_s)"
            ),
            "labels": (
                "{n} {n:event|events} of the file {n:is|are} not understood and not used: {labels}; say what each "
                "means: --events FILE.yaml with `labels: {{{label}: {meaning}}}` (or {others}, none, ...)"
            ),
        },
    ),
    "events_against": Message(
        "doubt",
        "plates or markers speak against an event of the file or of --events; it was used",
        USABLE,
        "look at these events again: their times count from the first frame",
        words={
            "feet": (
                "{given:events of --events that were used|events of the file that were used}: those of the {later} "
                "foot come {s:.2f} s later than those of the {other} foot by the markers of both, so that step times "
                "are off by as much"
            ),
            "each": (
                "{side} foot, {given:events of --events that were used|events of the file that were used}: {events:, 3}"
            ),
        },
    ),
    "no_cycles": Message(
        "info",
        "the feet step, and no foot has a gait cycle; why",
        GOOD,
        words=(
            "the feet step, and no foot has a gait cycle, so that there are no figures of strides (strikes: "
            "{strikes:, }){stands:?; in {stands:.0f} % of the frames the body stands over the ground, as that is "
            "known to move}{across:?; in {across:.0f} % of the frames the feet point neither along nor against the "
            "way of walking: give strikes and offs with --events}{refused:?; cycles refused: {refused:, "
            "3}}{dropped:?; events dropped: {dropped:, 3}}"
        ),
    ),
    "assignment_differs": Message(
        "doubt",
        "another program left another answer to which foot was on a plate",
        USABLE,
        "look at the recording, and say which foot it was with --assign",
        words=(
            "{source} says that plate {plate} {unused:is not to be used|is the {foot} foot's}; here {known:it carries "
            "the {sides: and the } foot|no foot is known to be on it}"
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
        "the evidence speaks against what --assign says; what it says was done",
        USABLE,
        "look at the contact, or leave out --assign",
        words="--assign {side}: plate {on}: {why}",
    ),
    "assignment_far": Message(
        "doubt",
        "a foot that --assign puts on a plate is far from its pressure; it was done",
        DO_NOT_USE,
        "look whose foot is on the plate, or leave out --assign",
        words=(
            "--assign {side}: plate {on}: its pressure lies {cm:.0f} cm from that foot, as its median while it is "
            "loaded: no sole reaches so far",
            "look whose foot is on it, and at the plate's corners, or leave out --assign",
        ),
    ),
    "no_known_load": Message(
        "doubt",
        "no foot's load is known from plates",
        USABLE,
        "use the angles, and no load but what is written",
        explains=True,
        words="{why}: wrenches are known in the air only",
    ),
    "treadmill": Message(
        "info",
        "the ground moves under the feet",
        GOOD,
        words="the standing feet move at {speed:.2f} m/s: a treadmill, whose travel is added",
    ),
    "belts_differ": Message(
        "assumption",
        "the belts under both feet move at different speeds; how lengths are measured then",
        GOOD,
        words=(
            "the belts move at {each: and }{partly:? for part of the time}: a stride length is by the belt of its "
            "foot, a step length is the distance between the feet at the strike"
        ),
    ),
    "belt_unsteady": Message(
        "assumption",
        "the belt changes its speed; its travel follows from the standing feet, or is unknown",
        GOOD,
        words=(
            "the belt changes its speed, from {least:.2f} to {most:.2f} m/s: {known:its travel is integrated from the "
            "standing feet|too few stances show it, so that lengths and speed are empty}"
        ),
    ),
}
