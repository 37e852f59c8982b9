"""Messages on the result."""

from __future__ import annotations

from gaitid.notes.body import CORRECT_JUMPS, JUMPS
from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_STORED = "the calibration stored in the trial is used, not {name} in the same folder"
_EXPORT = "export the whole recording; else use this leg's angles only"
_ANGLES = "use this leg's angles, not its moments"
_FILL = "fill the gaps in the recording software"
_NO_STANCE = "no whole stance on the plates: "
_AT = _NO_STANCE + "plate {plates:+}, frames {frames:-}: "
_MOMENT = (
    "{side} {joint}: its moment is {moment:.3g} N·m/kg in frame {frame}, above {limit:.1f}, twice the largest of a "
    "person: "
)
_FAST = _MOMENT + "the {segment} accelerates with {acc:.0f} m/s² there"
_EMPTY = "; the leg's moments are empty in {frames}"
RESULT = {
    "moment_impossible": Message(
        "error",
        "a joint's moment is one that no person exerts; the leg's moments are empty beside it",
        USABLE,
        "check the plates and the body's mass, and correct the markers there",
        words={
            "load": (
                f"{_MOMENT}{{plate:?plate {{plate}}||the load on the foot}} gives {{weights:.1f}} body weights"
                f"{{loaded:?, {{arm_m:.2f}} m beside the {{joint}}}}{_EMPTY}",
                "check the channels, units and calibration of the plate, and the body's mass",
            ),
            "jump": (f"{_FAST}, where {JUMPS}{_EMPTY}", CORRECT_JUMPS),
            "noise": (_FAST + ": the markers carry {noise_mm:.2g} mm of noise, unfiltered" + _EMPTY, "give --cutoff 6"),
            "motion": (f"{_FAST}, and no marker jumps{_EMPTY}", "look at {labels:, 4} there"),
        },
    ),
    "model_limits": Message(
        "doubt",
        "what the model cannot give, or gives with a known error",
        USABLE,
        "use what this model gives; another takes more markers",
        words={"known": "{caution}", "lacking": ("{lacking}; {limits}", "{cure}")},
    ),
    "stability_of_legs": Message(
        "doubt",
        "trunk or arms were not measured: margins of stability are by pelvis and legs",
        GOOD,
        "place markers on trunk and arms (docs/whole_body.md)",
        words="margins of stability are by the centre of mass of pelvis and legs, which lies centimetres beside the "
        "body's (docs/stability.md): trunk or arms were not measured; no whole-body angular momentum without them",
    ),
    "trial_short": Message(
        "doubt",
        "the trial is shorter than any stance",
        USABLE,
        "export the whole recording",
        words=("the trial has {n} {n:frame|frames} at {rate_hz:g} Hz, less than {s:g} s, too short for a step"),
    ),
    "gravity_unusual": Message(
        "doubt",
        "gravity is set to what it is nowhere on Earth",
        DO_NOT_USE,
        "leave gravity_m_per_s2 out: 9.81 is the default",
        words="gravity is set to {gravity:g} m/s² (gravity_m_per_s2); on Earth it is {least:g} to {most:g}",
    ),
    "weight_doubtful": Message(
        "doubt",
        "what the plates carry does not quite fit the body's mass",
        USABLE,
        "weigh the subject (mass_kg in --subject), and check the plates' calibration",
        words="{figure}",
    ),
    "weight_wrong": Message(
        "doubt",
        "what the plates carry cannot be the body's weight: mass or plates are wrong",
        DO_NOT_USE,
        "give the mass in kg with --subject, and see that the forces are in N",
        words="{figure}",
    ),
    "wrenches_partial": Message(
        "error",
        "wrenches are empty in many frames in which the load is known",
        USABLE,
        _FILL,
        words={
            "markers": "{figure}",
            "load": (
                "{figure}",
                "give the load over the whole trial, with a force of 0 where nothing touches the body",
            ),
        },
    ),
    "no_known_wrench": Message(
        "error",
        "no wrench of a joint is known in any frame",
        USABLE,
        "see the other reasons",
        explains=True,
        words=(
            "no joint wrench is known in any frame: {why:?{why}||the trial is too short, or markers, "
            "loads or mass are missing}"
        ),
    ),
    "file_beside": Message(
        "info",
        "a file beside the trial looks as if it belonged to it, and was not given",
        GOOD,
        "give it with the option that is named",
        words={
            "static": ("{name} in the same folder was not used: --static {path:typed}", "--static {path:typed}"),
            "forces": ("{name} in the same folder was not used: --forces {path:typed}", "--forces {path:typed}"),
            "subjects": (
                "{n} Nexus subject files (.mp) in the same folder, none named as its subject: none was used; "
                "choose one with --subject"
            ),
            "unreadable": "{name} in the same folder was not used, because it cannot be read: {why}",
            "unfit": (
                "{path} was found and not used: {why}",
                "give the static of this person and session with --static",
            ),
            "laboratory": (
                "laboratory.yaml was not used: no plate of it has corners within 2 mm of this trial's",
                "run gaitid batch over the trials of this laboratory",
            ),
            "worse": ("{path} was found and not used: {why}", "--static {path:typed}"),
            "static_unfit": (_STORED + ", which does not fit: {why}"),
            "static_stored": (_STORED, "--static {path:typed}"),
            "static_alike": ((_STORED + ", which would change {effect}{off:?; {off}}"), "--static {path:typed}"),
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

#: What the verdict finds beside the notes (`gaitid.analysis.judge`); the meaning is the text of one without.
REASONS = {
    "standing": Message(
        "doubt",
        "nobody walks in it: angles of standing only",
        USABLE,
        "give it to the walks of its session with --static",
    ),
    "no_plates": Message(
        "doubt",
        "no usable force plate: angles only",
        USABLE,
        "give the file of the plates with --forces; without one use angles and strides",
    ),
    "no_angles": Message(
        "doubt", "no angle is known in any frame", DO_NOT_USE, "label the leg's markers and fill their gaps"
    ),
    "no_whole_stance": Message(
        "doubt",
        "no whole stance on the plates",
        USABLE,
        _ANGLES,
        words={
            "unrecorded": ((_AT + "its start or end was not recorded"), _EXPORT),
            "load": (_AT + "load is known in {share:.0%} of it{why:? ({why})}"),
            "wrenches": (
                (_AT + "wrenches are known in {share:.0%} of it, because {why:?{why}||markers are missing}"),
                f"{{why:?||{_FILL}}}",
            ),
            "cut": ((_AT + "the file's forces {end:end|begin} in frame {frame}"), _EXPORT),
            "load_beside": (_AT + "load is not known right before or after it"),
            "never": "no whole stance on the plates: the foot never stands in this trial",
            "beside": _NO_STANCE + "{why}",
            "on_none": "no whole stance on the plates: given by hand, it stands on none in frames {frames:-}",
            "no_plate": (
                (
                    "no whole stance on the plates: it stands {unused:?on no plate that is used (maybe on "
                    "{unused:plate|plates} {unused:, }, which {unused:is|are} not)||beside the "
                    "plates}{covered:?, or while there are no forces (frames {covered:-} have them)}"
                ),
                f"{{covered:?{_EXPORT}}}",
            ),
        },
    ),
    "stance_emptied": Message(
        "doubt",
        "no body does what is in a stance",
        DO_NOT_USE,
        "correct what this leg's other notes name; do not use its numbers before that",
        words="no person can move as this stance shows: {share:.0%} of frames {frames:-} are empty",
    ),
}
