"""Messages on the result."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

RESULT = {
    "moment_impossible": Message(
        "error",
        "a joint's moment is one that no person exerts; the leg's moments are empty beside it",
        USABLE,
        "check the plates and the body's mass, and correct the markers there",
    ),
    "model_limits": Message(
        "doubt",
        "what the model cannot give, or gives with a known error",
        USABLE,
        "record the markers that a model with all angles and moments needs",
    ),
    "trial_short": Message("doubt", "the trial is shorter than any stance", USABLE, "export the whole recording"),
    "gravity_unusual": Message(
        "doubt",
        "gravity is set to what it is nowhere on Earth",
        DO_NOT_USE,
        "leave gravity_m_per_s2 out: 9.81 is the default",
    ),
    "weight_doubtful": Message(
        "doubt",
        "what the plates carry does not quite fit the body's mass",
        USABLE,
        "weigh the subject (mass_kg in --subject), and calibrate the plates",
    ),
    "weight_wrong": Message(
        "doubt",
        "what the plates carry cannot be the body's weight: mass or plates are wrong",
        DO_NOT_USE,
        "give the mass in kg with --subject, and see that the forces are in N",
    ),
    "wrenches_partial": Message(
        "error",
        "wrenches are empty in many frames in which the load is known",
        USABLE,
        "fill the gaps where the markers were recorded",
    ),
    "no_known_wrench": Message(
        "error", "no wrench of a joint is known in any frame", USABLE, "see the other reasons", explains=True
    ),
    "file_beside": Message(
        "info",
        "a file beside the trial looks as if it belonged to it, and was not given",
        GOOD,
        "give it with the option that is named",
        words={
            "static": ("{name} lies beside it and was not used: --static {path:typed}", "--static {path:typed}"),
            "forces": ("{name} lies beside it and was not used: --forces {path:typed}", "--forces {path:typed}"),
            "unreadable": "{name} lies beside it and was not used: it cannot be read: {why}",
        },
    ),
    "model_hidden": Message(
        "info",
        "a file in the current folder was taken for a bundled model",
        GOOD,
        "rename the file of yours if the bundled model is meant",
        words="using ./{file}, not the bundled {bundled}",
    ),
    "alias_unused": Message(
        "doubt",
        "a marker that a model or a marker set names is used by nothing: perhaps it is misspelt",
        GOOD,
        "correct the name in the model or the marker set",
        words={
            "model": "{file}: {path}: nothing uses {what}{meant}",
            "marker_set": "{file}: {path}: no model uses it{meant}",
        },
    ),
}

#: What the verdict finds beside the notes (`gaitid.analysis.judge`); the meaning is its text.
REASONS = {
    "standing": Message(
        "doubt",
        "nobody walks in it: angles of standing only",
        USABLE,
        "give it to the trials of its session with --static",
    ),
    "no_plates": Message(
        "doubt",
        "no usable force plate: angles only",
        USABLE,
        "record on force plates, or give their file with --forces",
    ),
    "no_angles": Message(
        "doubt", "no angle is known in any frame", DO_NOT_USE, "label the leg's markers and fill their gaps"
    ),
    "no_whole_stance": Message(
        "doubt",
        "no whole stance on the plates",
        USABLE,
        "use the angles of this leg, and no load of it but what is written",
    ),
    "stance_emptied": Message(
        "doubt",
        "no body does what is in a stance",
        DO_NOT_USE,
        "correct what the notes on this leg name; use none of its numbers till then",
    ),
}
