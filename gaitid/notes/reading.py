"""Messages on what is read from files."""

from __future__ import annotations

from gaitid.notes.message import GOOD, USABLE, Message

_EXPORT = "export the file again from the system that recorded it"

READING = {
    "values_lost": Message(
        "error", "numbers in the file that nothing can have measured; what needs them is empty", GOOD, _EXPORT
    ),
    "file_repaired": Message(
        "doubt", "the file contradicts itself, and one of its statements was followed", USABLE, _EXPORT
    ),
    "file_incomplete": Message("doubt", "a part of the file cannot be read, and was left out", USABLE, _EXPORT),
    "input_unused": Message(
        "doubt",
        "something that a given file describes fits nothing, and was not used",
        USABLE,
        "correct the file that is given, or leave it out",
        words={"plates_file": "{name} describes plates, but {why}"},
    ),
    "reading_assumed": Message(
        "assumption",
        "the file does not say something that reading it needs",
        GOOD,
        "declare it in the file, with --plates or with --set",
        words={
            "gen_scale": "ANALOG:GEN_SCALE is missing, and taken as 1",
            "analog_layout": (
                "{missing: and } missing; by the header there are {channels} {channels:channel|channels} of "
                "{samples} {samples:sample|samples} a frame ({rate_hz:g} Hz)"
            ),
        },
    ),
    "reading_info": Message("info", "something in the file was not taken as it stands, or is not needed", GOOD),
    "load_assumed": Message(
        "assumption",
        "the file of a load on a segment does not say all of it",
        GOOD,
        "write the moment, or the plates, into the files",
        words={
            "without_plates": (
                "the trial has no force plates: the load given with --load is taken as all that acts on the "
                "{feet: and } {feet:foot|feet}"
            )
        },
    ),
    "forces_partial": Message("info", "the forces do not cover the whole trial; beside them they are unknown", GOOD),
}
