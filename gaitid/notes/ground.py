"""Messages on plates and clocks."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_PLATES = "correct the plate in the file, or describe it with --plates"

_CHANNELS = "check the plate's channels, units and calibration"
_GAINS = "check gains, zeros and units of its channels, and that the whole foot was on it"
_TOGETHER = "check how forces and markers were started together"
_OTHERS = "{others:?; or {others: or }}"
_EFFECT = "; joint moments change by up to {changed:.2g} N·m/kg" + _OTHERS
_FOUND = "{plates:plate|plates} {plates:and}: probably {what}" + _EFFECT
_ALL_GIVE = "{several:the plates give|the plate gives} {ratio:.2f} ± {error:.2f} times what mass and motion require: "
_CARRIED = "give the mass with --subject, check the gains, or --set external_support=yes where something else carries"
_ABOUT = "forces are about {s:.2f} s {late:later|earlier} than the markers' motion"
_WIRING = "check wiring and signs of its channels"
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
            "once": ("plate {plates:, } repeats the load of plate {others:and} (same samples); it is not used"),
            "sum": (
                "plate {plates:, } holds the sum of the loads of plates {others:and} (by its samples); it is not used"
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
            "channels {channels:, } look like those of plates, which the file does not declare",
            "describe the plates with --plates FILE.yaml; {template_from}",
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
                "its corners are {gap_mm:.0f} mm off a flat rectangle (c1 − c2 + c3 − c4); its place and "
                "axes may be off by about 5 mm and 2°"
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
            "wired": (_FOUND, _WIRING),
            "placed": (_FOUND, "check the corners of {plates:plate|plates} {plates:and} (--plates FILE.yaml)"),
            "scaled": (_FOUND + "{units:?: {units: or }}", _GAINS),
            "shared": (
                "plate {plates:, } may have the fault of {others:plate|plates} {others:and}: its loads do not show "
                "whether it has",
                "mend {others:plate|plates} {others:and}, or record whole steps on plate {plates:, }",
            ),
            "nothing_fits": (
                "{plates:plate|plates} {plates:and}: forces, pressure and motion disagree {times:.1f} times more "
                "than in sound recordings, and no single fault explains it",
                "check contacts, the plates' channels and corners, and the start of forces and markers",
            ),
            "overlap": (
                ("plates {plates:and} overlap by {cm:.0f} cm with the file's corners; one of them is elsewhere"),
                "check the corners of both plates",
            ),
        },
    ),
    "plate_bias_removed": Message(
        "info",
        "what an empty plate read was taken off",
        GOOD,
        words={
            "zero_level": "the mean of {frames} was subtracted as its zero level ({level_N:.3g} N vertically)",
            "empty": (
                "plate {plates:, } reads {N:.1f} N while it is empty{drift:?, changing by {drift:.2g} N/s}; "
                "this was subtracted"
            ),
        },
    ),
    "plate_bias": Message(
        "doubt",
        "what a plate reads while it is empty was not taken off",
        USABLE,
        "use angles and swing; another time zero the plates, or record some frames with nobody on them",
        words={
            "swings": (
                "plate {plates:, } varies by {N:.0f} N while it is empty, and so may its loads",
                "check for hum on its cables, a loose amplifier, or another person on it",
            ),
            "not_zeroed": (
                "plate {plates:, } reads {N:.1f} N while it is empty; it was not zeroed, and nothing was subtracted"
            ),
            "unsteady": (
                "plate {plates:, } reads {N:.1f} N while it is empty, not steadily, so nothing was "
                "subtracted; is another person on it?"
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
            "beyond": (
                "plate {plates:, }: {what} for {ms:.0f} ms: a channel is late or early beside the others, in another "
                "unit or wrongly named, or the plate was zeroed under a load"
            ),
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
        },
    ),
    "force_filter_strong": Message(
        "doubt",
        "the low-pass of the plates changes the load, not only noise",
        USABLE,
        "give a higher --force-cutoff, or none",
        words=(
            "plate {plates:, }: the low-pass of {hz:g} Hz changes its greatest vertical force from {before_N:.0f} N "
            "to {after_N:.0f} N ({changed:+.0%}); the loaded signal changes by {rms:.0%} of that (RMS)"
        ),
    ),
    "plate_gain": Message("doubt", "a plate, or some of its channels, reads too much or too little", USABLE, _GAINS),
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
            "all": ("{what}" + _EFFECT, _TOGETHER),
            "drift": ("{what}" + _EFFECT, "check the rates of forces and markers, and that one clock drives both"),
            "far": (_ABOUT, _TOGETHER),
            "far_declared": (
                _ABOUT,
                "by the times in the files the forces begin {start_s:.2f} s {start_late:after|before} the markers, "
                "and fit them as if both began together: correct the times in one of the files",
            ),
            "zeros": (
                "by the times in the files the forces begin {start_s:.2f} s {late:after|before} the markers, though "
                "both last {lasts_s:.2f} s: as if both began together, the loads lie under the feet",
                "correct the times in one of the files, or give --set force_start_s=0",
            ),
            "plate": ("plate {plates:, }: {what}" + _EFFECT, "check the wiring and filters of plate {plates:, }"),
            "contacts": (
                "loads on {numbers:plate|plates} {numbers: and } begin and end {ms: and } ms {early:before|after} the "
                "feet land and leave by their markers (17 at most in recorded walks): forces and markers are apart, "
                "it seems",
                _TOGETHER,
            ),
        },
    ),
    "clocks_near": Message(
        "info",
        "forces and markers are a few milliseconds apart, which changes little",
        GOOD,
        words=("{what}" + _EFFECT, _TOGETHER),
    ),
    "laboratory_askew": Message(
        "doubt",
        "the axes of cameras and plates differ",
        USABLE,
        "check the calibration of the cameras' axes and the plates' corners; on a ramp that begins beside the plates, "
        "ignore this",
        words="{what}" + _EFFECT,
    ),
    "rate_doubtful": Message(
        "doubt",
        "a rate that the file declares cannot be",
        DO_NOT_USE,
        "correct the rate in the file",
        words={
            "durations": (
                "the forces last {twice:twice|half} as long as the markers: one of their rates is declared wrongly, "
                "it seems",
                "check the declared rates of markers and forces",
            ),
            "accelerations": (
                "{what}" + _OTHERS,
                "check the declared rate of the file, and that markers were not smoothed below 6 Hz",
            ),
        },
    ),
}
