"""Messages on plates and clocks."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_PLATES = "correct the plate in the file, or describe it with --plates"

_CHANNELS = "check the plate's channels, units and calibration"
_ZERO = "check the zero and crosstalk of Fx and Fy"
_PUSHED = ", or --set external_support=yes where a cart is pushed or a rail is held"
_GAINS = "check the gains of Fx, Fy and Fz, and the units of these channels"
_TOGETHER = "check how forces and markers were started together"
_PART = "a part of Fz, or of the zero, is in its Fx or Fy, it seems"
_LEAN = "times the lean of the line from foot to body"
_WRONG_GAIN = "its gain, or that of the vertical force, is wrong, it seems"
# Some plates, as one subject.
_NAMED = "{plates:plate|plates} {plates: and }{plates:| together}"
_GIVES = _NAMED + " {plates:gives|give} {ratio:.2f} times what the body's motion asks for, {others: and }"
_ALL_GIVE = (
    "{several:the plates give|the plate gives} {ratio:.2f} times what the body's mass and motion ask for, "
    "{steps:over whole steps|in single support}: "
)
_CALIBRATE = f"calibrate {_NAMED}, or look whether the whole foot was on it"
_CARRIED = "give the mass with --subject, check the gains, or --set external_support=yes where something else carries"
_FORCES_COME = (
    "the forces come {ms:.0f} ms {late:after|before} the markers' motion that they belong to"
    "{with_events:?, and the events of the file fit the markers}"
    "{events_ms:?, and {events_ms:.0f} ms {late:after|before} the events of the file}"
)
_ABOUT = "the forces come about {s:.2f} s {late:after|before} the markers' motion that they belong to"
_TORSION = "check the sign and unit of Mz, and the plate's corners"
_WIRING = "check wiring and signs of Fx and Fy"
_RATE = "check the declared rate of the file"
GROUND = {
    "plate_refused": Message(
        "error",
        "a force plate is not used",
        USABLE,
        _PLATES,
        explains=True,
        words="plate {plates:, } is not used: {reason}",
    ),
    "plate_set_aside": Message(
        "info",
        "a plate is not to be used, as it was set in another program",
        GOOD,
        explains=True,
        words="plate {plates:, }: its load is not used: {source}",
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
            "corners": (
                "its corners are {gap_mm:.0f} mm off a flat rectangle (c1 − c2 + c3 − c4): its place and axes may be "
                "off by some 5 mm and 2°"
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
            "steps": (
                "plate {plates:, }: {channel} changes in steps of up to {by}: it was sampled too rarely or in too "
                "coarse steps, it seems",
                _CHANNELS,
            ),
            "jump": (
                "plate {plates:, }: {channel} jumps by {by} at {s:.3f} s {pressed:while a foot presses, faster than "
                "any load|as a foot lands or leaves: samples are missing there, it seems}",
                _CHANNELS,
            ),
            "planar": (
                "plate {plates:, }: {channels: and } do not change while it is loaded: a recording in a plane?",
                _CHANNELS,
            ),
            "one_later": (
                "plate {plates:, }: {channel} begins {begin_ms:.0f} ms after {other} where a foot lands, and ends "
                "{end_ms:.0f} ms after it where it leaves: it is late, it seems",
                _CHANNELS,
            ),
            "torsion_shared": (
                "{plates:plate|plates} {plates: and }: the free moment on the foot is the force times {mm:.0f} mm; "
                "feet make 20 at most in walking and running",
                _TORSION,
            ),
            "slope": (
                "the floor that the feet stand on rises by {deg:.1f}° against the plates (0.5° at most elsewhere): "
                "the vertical of the cameras leans, it seems, and {share:.2f} of the force points wrong",
                "check the calibration of the cameras' axes and the plates' corners; on a ramp that begins beside "
                "them, ignore this",
            ),
            "lines_apart": (
                f"plates {{plates: and }}: the force of one points past the body along the way by {{by:.2f}} of the "
                f"vertical force more than the other's (0.03 at most in walks): {_PART}",
                _ZERO,
            ),
            "feet_lean": (
                "the forces of left and right feet point past the body to the same side, by {by:.2f} of the vertical "
                "force (0.02 at most in walks and runs): a part of it, or of the zero, is in Fx or Fy, it seems",
                f"{_ZERO}, and the vertical",
            ),
            "past_body": (
                "plate {plates:, }: its force points past the body {along:along the way|sideways}, by {share:.2f} of "
                "the vertical force",
                "check the zero and crosstalk of {x} and {y}, their signs, and the vertical of the cameras" + _PUSHED,
            ),
            "overlap": (
                "plates {plates: and } lie on each other by {cm:.0f} cm with the corners as the file has them: one of "
                "them is elsewhere",
                "check the corners of both plates",
            ),
            "whole_steps": (
                "over whole steps the plates push the body {forward:forward|backward} by {share:.2f} of its weight "
                "more than it moves (feet show 0.01): a steady part of the vertical force or of the zero is in Fx or "
                "Fy, or something that it pushes or holds moves it too, it seems",
                f"{_ZERO}, and the vertical{_PUSHED}",
            ),
            "steps_apart": (
                f"plates {{plates: and }}: one pushes forward by {{line:.2f}} of the vertical force more than the "
                f"other by its line of force, and by {{steps:.2f}} over whole steps (one body's agree to 0.02): "
                f"{_PART}",
                f"{_ZERO}, and the vertical",
            ),
            "gain_running": (
                f"plate {{plates:, }}: the horizontal force, as a share of the vertical one, changes by {{slope:.2f}} "
                f"{_LEAN} (0.7 to 1.2 in runs): {_WRONG_GAIN}",
                _GAINS,
            ),
            "gain": (
                f"{{plates:plate|plates}} {{plates: and }}: the horizontal force, as a share of the vertical one, "
                f"changes by {{slope:.2f}} {_LEAN} (0.55 to 0.75 in "
                f"walks){{both:?, and is {{momentum:.2f}} times what the body's motion asks for}}: {_WRONG_GAIN}",
                _GAINS,
            ),
            "gains_differ": (
                "plate {most:+}: as the body passes over the foot its horizontal force, as a share of the vertical "
                "one, changes {times:.2f} times as much as that of plate {least:+} (1.3 at most in walks): the gain "
                "of one of them is wrong, it seems",
                _GAINS,
            ),
            "misread_shared": (
                "plate {plates:, }: {reading}, it seems: with it the force on a foot {edge:over its edge|on two "
                "plates} passes the body by {cm:.0f} cm for each metre of height, and by {then_cm:.0f} cm if it is "
                "read so",
                _WIRING,
            ),
        },
    ),
    "plate_bias_removed": Message(
        "info",
        "what an empty plate read was taken off",
        GOOD,
        words={
            "zero_level": "the mean of {frames} was taken off as its zero level ({level_N:.3g} N vertically)",
            "empty": (
                "plate {plates:, } reads {N:.1f} N while it is empty{drift:?, changing by {drift:.2g} N/s}; that was "
                "taken off its load"
            ),
        },
    ),
    "plate_bias": Message(
        "doubt",
        "what a plate reads while it is empty was not taken off",
        USABLE,
        "zero the plates before the trial, or record some frames with nobody on them",
        words={
            "swings": (
                "plate {plates:, } swings by {N:.0f} N while it is empty, and so may its loads",
                "look for a hum on its cables, a loose amplifier, or who else stood on it",
            ),
            "not_zeroed": (
                "plate {plates:, } reads {N:.1f} N while it is empty; it was not zeroed, and nothing was taken off"
            ),
            "unsteady": (
                "plate {plates:, } reads {N:.1f} N while it is empty; that is no steady reading, and nothing was "
                "taken off: is somebody else on it?"
            ),
        },
    ),
    "plate_misplaced": Message(
        "error",
        "a plate's corners, or where its force acts, do not fit the feet; nothing is known",
        USABLE,
        _PLATES,
        explains=True,
        words="plate {plates:, }: {fault}",
    ),
    "plate_channel": Message(
        "error",
        "a channel of a plate cannot be: clipped, dead, exchanged, of another sign or unit",
        USABLE,
        "check the plate's channels, units and calibration",
        explains=True,
        words={
            # of these a plate may be only doubtful
            "zeroed": (
                "plate {plates:, }: {what} for {ms:.0f} ms: it reads below 0 N while it is empty: it was zeroed under "
                "a load, it seems",
                _CHANNELS,
            ),
            "other_channel": (
                "plate {plates:, }: {what} for {ms:.0f} ms: a channel is in another unit or not what its name says, or "
                "the sensor lies elsewhere",
                _CHANNELS,
            ),
            "late": (
                "plate {plates:, }: where a foot lands or leaves, {what} for {ms:.0f} ms: one of its channels is late "
                "or early beside the others, it seems",
                _CHANNELS,
            ),
            "friction": ("plate {plates:, }: {x} is {times} times {z}; no floor holds a foot so", _CHANNELS),
            "torsion": (
                "plate {plates:, }: its free moment is the force times {mm:.0f} mm; feet make 20 at most in walking "
                "and running{other_sign:?, and it is {turned_mm:.0f} mm with Mz of the other sign}",
                _TORSION,
            ),
            "misread": (
                "plate {plates:, }: {reading}, it seems: its force passes the body by {cm:.0f} cm for each metre of "
                "height, and by "
                "{then_cm:.0f} cm if it is read so",
                "check wiring and signs of {x} and {y}",
            ),
            "pulled": (
                "plate {plates:, }: it is pulled up with {N:.0f} N, as no foot can: the sign of {channel} is turned, "
                "it seems",
                "check the sign and the wiring of {channel}{described:?, or force_sense and axes where a plates file "
                "says them}",
            ),
            "plate_dead": (
                "plate {plates:, }: it carries {N:.2g} N at most while a foot stands on it: it is dead, or in another "
                "unit"
            ),
            "clipped": "plate {plates:, }: its vertical force is clipped at {N:.0f} N, for up to {ms:.0f} ms",
            "cut_off": "plate {plates:, }: its load of {N:.0f} N ends at once at {s:.3f} s, as no foot leaves it",
            "dead": "plate {plates:, }: {channels: and } {channels:does|do} not change while it is loaded",
            "rectified": (
                "plate {plates:, }: {channel} turns back at zero and never changes sign: the sign of its samples was "
                "lost"
            ),
            "far": (
                "plate {plates:, }: its pressure lies {m:.0f} m away{unit:?, {share} of that is on it: its moments "
                "seem to be in {unit}}"
            ),
            "still": "plate {plates:, }: Mx and My move its pressure by {mm:.1f} mm only: they are in another unit",
            "no_turn": (
                f"plate {{plates:, }}: its force does not turn from braking to pushing as the body passes over the "
                f"foot ({{along:+.2f}} along and {{across:.2f}} across, {_LEAN}; feet show 0.39 to 1.19 and "
                f"0.22{{weak:?; the motion asks for {{asked:+.2f}} along}}){{reading:?: {{reading}}, it seems}}",
                _WIRING,
            ),
        },
    ),
    "force_filter_strong": Message(
        "doubt",
        "the low-pass of the plates changes the load, not only noise",
        USABLE,
        "give a higher --force-cutoff, or none",
        words=(
            "plate {plates:, }: the low-pass of {hz:g} Hz changes its greatest vertical force from {before_N:.0f} N "
            "to {after_N:.0f} N ({changed:+.0%}), and by {rms:.0%} of that (RMS) while it is loaded"
        ),
    ),
    "plate_gain": Message(
        "doubt",
        "plates do not weigh the body alike",
        USABLE,
        "check the calibration of the plates",
        words={
            "apart": (_GIVES, _CALIBRATE),
            "gain": (
                _GIVES + ": {plates:its gain|the gain of one} is wrong, or a steady load is in it ({N:+.0f} N)",
                _CALIBRATE,
            ),
            "units": (_GIVES + ": {units: or }, it seems ({N:+.0f} N)", _CALIBRATE),
            "drifts": (
                _NAMED
                + " weighs the body {first:.2f} times at first and {last:.2f} times at last, over {contacts} contacts: "
                "its gain drifts, it seems",
                f"calibrate {_NAMED}, and let its amplifier warm up",
            ),
        },
    ),
    "body_not_carried": Message(
        "doubt",
        "the plates do not carry what the body's mass and motion ask for",
        USABLE,
        "weigh the subject (mass_kg in --subject), and check the plates' gain",
        words={
            "units": (_ALL_GIVE + "{units: or }, it seems", _CARRIED),
            "mass": (
                _ALL_GIVE + "mass or gain is wrong, or {less:something else carries the body|a load is carried}",
                _CARRIED,
            ),
            "static": (
                "; the static's plates weigh {kg:.1f} kg where {given_kg:.1f} kg are given{same:?: the gains are "
                "wrong in this trial}{other:?: the mass is wrong, or the gains in both files}"
            ),
        },
    ),
    "clocks_apart": Message(
        "doubt",
        "forces and markers are apart in time",
        USABLE,
        "see that forces and markers are of one recording and one clock",
        words={
            "motion": (_FORCES_COME, _TOGETHER),
            "about": (
                "the forces come about {ms:.0f} ms {late:after|before} the markers' motion that they belong to",
                _TOGETHER,
            ),
            "far": (_ABOUT, _TOGETHER),
            "far_declared": (
                _ABOUT,
                "by the times in the files the forces begin {start_s:.2f} s {start_late:after|before} the markers, "
                "and fit them as if both began together: correct the times in one of the files",
            ),
            "plate": (
                "the force of plate {plates:, } comes {ms:.0f} ms {late:after|before} that of the other plates",
                "check the wiring and filters of plate {plates:, }",
            ),
            "contacts": (
                "loads on {numbers:plate|plates} {numbers: and } begin and end {ms: and } ms {early:before|after} the "
                "feet land and leave by their markers (17 at most in recorded walks): forces and markers are apart, "
                "it seems",
                _TOGETHER,
            ),
            "no_shift": (
                "the forces on the feet follow the body's motion at no shift in time (r² = {r2:.2f}; whole records "
                "show 0.84 and more): one plate is late, or carries another load than the contacts say",
                "look at the contacts and at how the plates were started",
            ),
        },
    ),
    "clocks_near": Message(
        "info", "forces and markers are a few milliseconds apart", GOOD, words=(_FORCES_COME, _TOGETHER)
    ),
    "rate_doubtful": Message(
        "doubt",
        "a rate that the file declares cannot be",
        DO_NOT_USE,
        "correct the rate in the file",
        words={
            "quick_steps": (
                "the feet land {step_s:.2f} s after each other: nobody {walks:walks|runs} with steps quicker than "
                "{least_s:.2f} s; a rate is declared too high, it seems",
                _RATE,
            ),
            "falls": (
                "in the air the body falls {times:.1f} times as fast as bodies do: the rate is declared too "
                "{high:high|low}, it seems",
                _RATE,
            ),
            "durations": (
                "the forces last {twice:twice|half} as long as the markers: one of their rates is declared wrongly, "
                "it seems",
                "check the declared rates of markers and forces",
            ),
            "accelerations": (
                "the body's accelerations are {times:.1f} times {high:larger|smaller} than the forces: the rate of "
                "the markers is declared too {high:high|low}, it seems, by about {by:.1f} times",
                "check the declared rate of the markers, and that they were not smoothed below 6 Hz",
            ),
        },
    ),
}
