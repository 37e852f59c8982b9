"""Messages on plates, events and contacts."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_PLATES = "correct the plate in the file, or describe it with --plates"

GROUND = {
    "plate_refused": Message(
        "error",
        "a force plate is not used",
        USABLE,
        _PLATES,
        explains=True,
        words="plate {plates:, } is not used: {reason}",
    ),
    "plate_repeated": Message(
        "info",
        "a plate holds the load of another one, or of others together, and is left out",
        GOOD,
        words={
            "once": (
                "plate {plates:, }: it holds the load of plate {others:and} once more, by its samples; it is left out"
            ),
            "sum": (
                "plate {plates:, }: it holds the sum of the loads of plates {others:and}, by its samples; it is left "
                "out"
            ),
        },
    ),
    "plates_undeclared": Message(
        "doubt",
        "channels look like those of force plates that the file does not declare",
        USABLE,
        "describe the plates with --plates",
        explains=True,
        words=(
            "the file declares no force plate, but {n} channels look like those of plates: {channels:, }",
            "describe the plates with --plates FILE.yaml ({template_from})",
        ),
    ),
    "plate_doubtful": Message(
        "doubt",
        "what the file says of a plate does not fit the loads on it, or was not applied",
        USABLE,
        _PLATES,
        words={
            "moment_labels": (
                "its moments are labelled {unit}, a unit of force; taken as {taken}: {why}",
                "write {plain} in ANALOG:UNITS of its moments",
            ),
            "volt_labels": (
                "its channels are labelled {labels}, and by CAL_MATRIX no more than {most_N:.2g} N lasts on it; were "
                "they volts, {in_volts_N:.0f} N; correct ANALOG:UNITS if somebody stood there"
            ),
            "fpcoppoly": "its maker's correction of the centre of pressure (FPCOPPOLY) is not applied",
            "lever": (
                "every load on it acts {least_mm:.3g} to {most_mm:.3g} mm from its sensor's axis; its moments or "
                "lengths may be in another unit than the file says"
            ),
            "shallow": (
                "ORIGIN lies {depth_mm:.2g} mm from the surface's centre; if it is meant in metres, moments are wrong"
            ),
            "pulls": (
                "plate {plates:, }: with force_sense '{sense}' and these corners its largest load, {peak_N:.0f} N, "
                "would pull the subject into the plate; check force_sense, axes and the order of the corners in the "
                "plates file"
            ),
            "device_pressure": (
                "plate {plates:, }: the centre of pressure computed with axes: {axes}, moment_about: {about} lies "
                "{off_mm:.0f} mm from the file's own (taken as laboratory coordinates); {fits: and }"
            ),
        },
    ),
    "plate_bias_removed": Message(
        "info",
        "what an empty plate read was taken off",
        GOOD,
        words={"zero_level": "the mean of {frames} was taken off as its zero level ({level_N:.3g} N vertically)"},
    ),
    "plate_bias": Message(
        "doubt",
        "what a plate reads while it is empty was not taken off",
        USABLE,
        "zero the plates before the trial, or record some frames with nobody on them",
    ),
    "plate_misplaced": Message(
        "error",
        "a plate's corners, or where its force acts, do not fit the feet; nothing is known",
        USABLE,
        _PLATES,
        explains=True,
    ),
    "plate_channel": Message(
        "error",
        "a channel of a plate cannot be: clipped, dead, exchanged, of another sign or unit",
        USABLE,
        "check the plate's channels, units and calibration",
        explains=True,
    ),
    "force_filter_strong": Message(
        "doubt",
        "the low-pass of the plates changes the load, not only noise",
        USABLE,
        "give a higher --force-cutoff, or none",
    ),
    "plate_gain": Message("doubt", "plates do not weigh the body alike", USABLE, "check the calibration of the plates"),
    "body_not_carried": Message(
        "doubt",
        "the plates do not carry what the body's mass and motion ask for",
        USABLE,
        "weigh the subject (mass_kg in --subject), and check the plates' gain",
    ),
    "clocks_apart": Message(
        "doubt",
        "forces and markers are apart in time",
        USABLE,
        "see that forces and markers are of one recording and one clock",
    ),
    "clocks_near": Message("info", "forces and markers are a few milliseconds apart", GOOD),
    "rate_doubtful": Message(
        "doubt", "a rate that the file declares cannot be", DO_NOT_USE, "correct the rate in the file"
    ),
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
    ),
    "events_moved": Message(
        "info",
        "sources show events a constant time apart, which was taken off",
        GOOD,
        "give the events of one method with --events",
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
    ),
    "no_cycles": Message("info", "the feet step, and no foot has a gait cycle; why", GOOD),
    "assignment_differs": Message(
        "doubt",
        "another program left another answer to which foot was on a plate",
        USABLE,
        "look at the recording, and say which foot it was with --assign",
    ),
    "assignment_against": Message(
        "doubt",
        "the evidence speaks against what --assign says; what it says was done",
        USABLE,
        "look at the contact, or leave out --assign",
    ),
    "assignment_far": Message(
        "doubt",
        "a foot that --assign puts on a plate is far from its pressure; it was done",
        DO_NOT_USE,
        "look whose foot is on the plate, or leave out --assign",
    ),
    "no_known_load": Message(
        "doubt",
        "no foot's load is known from plates",
        USABLE,
        "use the angles, and no load but what is written",
        explains=True,
    ),
    "treadmill": Message("info", "the ground moves under the feet", GOOD),
    "belts_differ": Message(
        "assumption", "the belts under both feet move at different speeds; how lengths are measured then", GOOD
    ),
    "belt_unsteady": Message(
        "assumption", "the belt changes its speed; its travel follows from the standing feet, or is unknown", GOOD
    ),
}
