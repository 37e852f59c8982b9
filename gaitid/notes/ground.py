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
        "info", "a plate holds the load of another one, or of others together, and is left out", GOOD
    ),
    "plates_undeclared": Message(
        "doubt",
        "channels look like those of force plates that the file does not declare",
        USABLE,
        "describe the plates with --plates",
        explains=True,
    ),
    "plate_doubtful": Message(
        "doubt", "what the file says of a plate does not fit the loads on it, or was not applied", USABLE, _PLATES
    ),
    "plate_bias_removed": Message("info", "what an empty plate read was taken off", GOOD),
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
