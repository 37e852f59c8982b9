"""Messages on what is read from files."""

from __future__ import annotations

from gaitid.notes.message import GOOD, USABLE, Message

_EXPORT = "export the file again from the recording software"

_AMPLIFIER = "check the plate's cables and amplifier range"
READING = {
    "values_lost": Message(
        "error",
        "numbers in the file that nothing can have measured; what needs them is empty",
        GOOD,
        _EXPORT,
        words={
            "poses": "stored poses that are no rotation, not used (frames): {frames}",
            "not_finite": "markers without finite coordinates, not used (frames): {frames}",
            "far": "markers more than {limit_m:g} m away, not used (frames): {frames}",
            "samples": "{lost} of {of} samples are not numbers; the load is unknown there",
            "jump": (
                (
                    "plate {plates:, }: {n:a sample jumps|{n} samples jump} and {n:returns|return} from {s:.3f} "
                    "s, as no load does; not used"
                ),
                _AMPLIFIER,
            ),
            "held": (
                (
                    "plate {plates:, }: {channel} is constant for {ms:.0f} ms from {s:.3f} s while a foot "
                    "presses; not used"
                ),
                _AMPLIFIER,
            ),
        },
    ),
    "file_repaired": Message(
        "doubt",
        "the file contradicts itself, and one of its statements was followed",
        USABLE,
        _EXPORT,
        words={
            "more_events": "EVENT:USED says {n_events} events; {unused} more with a label are not read",
            "rate_0": (
                "header and parameters disagree about the camera rate: {rate_hz:g} Hz in the header, which is taken, "
                "0 in POINT:RATE"
            ),
            "rates": (
                "header and parameters disagree about the camera rate: {header_hz:g} Hz in the header, {rate_hz:g} "
                "Hz in POINT:RATE, which is taken"
            ),
            "data_start": (
                "header and parameters disagree about where the data begin ({places}); by the parameters' end and "
                "the file's length they begin at byte {start}"
            ),
            "frames": (
                "header and parameters disagree about the frames ({counts:, }); "
                "{fills:by the file's length there are|header and POINT:FRAMES are believed:} {n_frames}"
            ),
            "unsigned_reals": (
                "ANALOG:FORMAT says UNSIGNED of reals; negative ANALOG:OFFSET are taken as they stand: {channels}"
            ),
            "scale": "only {place} gives a usable scale of the points: {scale:g}",
            "no_channels": (
                "ANALOG:USED says {used:g} channels, the header that there are none; so does the file's length"
            ),
            "analog_rate": (
                "ANALOG:RATE {declared_hz:g} Hz is no whole multiple of {rate_hz:g} Hz; with {n_samples} samples a "
                "frame it is taken as {analog_hz:g} Hz"
            ),
            "first_frame": (
                "header and parameters disagree about the first frame's number: {header} in the header, which is "
                "taken, {trial} in TRIAL"
            ),
            "unit_by_size": (
                "{says}; by the size of what was seen, {size:.4g}, lengths are taken in {unit} ({size_m:.2f} m); "
                "--set point_unit decides"
            ),
            "copies_differ": "labels that stand several times, at different places in one frame: {labels}",
            "plates_used": (
                "FORCE_PLATFORM:USED says {used} plates, TYPE describes {described}; only these are looked at"
            ),
            "mot_header": "the header says {says} {what} ({key}), the file holds {count}, which are read",
            "frame_numbers": (
                "frames are numbered by {step}; they are counted by 1 from {first}, at the rate of their times"
            ),
            "table_rate": ("{key} is {declared_hz:g} Hz, but by the column Time it is {rate_hz:.6g} Hz, which is used"),
            "trc_header": (
                "the header says {says} {what}, the file holds {count}, which are read{short:?; is the file cut "
                "short? Export it again}"
            ),
        },
    ),
    "file_incomplete": Message(
        "doubt",
        "a part of the file cannot be read, and was left out",
        USABLE,
        _EXPORT,
        words={
            "event_times": "EVENT:TIMES does not hold minutes and seconds; these events were not read",
            "event_parts": (
                "EVENT holds {times} times, {labels} labels and {contexts} contexts of {n_events} events; "
                "events without left or right were imported as general, events without time or label were "
                "not imported"
            ),
            "timeless_events": "events without a possible time were not read: {events}",
            "header_event_count": ("the header counts {n_events} events but has room for {room}; none was read"),
            "header_events": "header events without a label or outside the trial were not read: {events}",
            "bytes_behind": "{n_bytes} bytes behind the last frame are not read",
            "undeclared_group": "parameters of a group that the file does not declare are not read: {parameters}",
            "behind_section": "parameters behind the end of their section are not read: {parameters}",
            "pose_rate": (
                "segment poses at {rate_hz:g} Hz are no whole multiple of the trial's {trial_hz:g} Hz; not read"
            ),
            "no_labels": "the file names none of its {n_points} points (POINT:LABELS)",
            "measurements": (
                "several persons, and nothing says whose these measurements are; not used: {measurements}"
            ),
            "plates_used": "FORCE_PLATFORM:USED is no number of plates ({used}); no plate is read",
            "last_row": "the last row is cut short, and left out; is the file cut short? Export it again",
            "no_label": "{n} {n:marker|markers} without a label: columns with none above them",
        },
    ),
    "input_unused": Message(
        "doubt",
        "something that a given file describes fits nothing, and was not used",
        USABLE,
        "correct the file that is given, or leave it out",
        words={
            "plates_file": "{name} describes plates, but {why}",
            "said_by_file": "{option} is not used: the file itself says it",
            "events": "--events: the trial has none of the labels {labels}; it has {stored}",
            "subject_prefix": "no label of the file begins with that subject: --subject-prefix chooses nothing",
            "option": "{option} is not used: {why}",
            "no_force_columns": "plate {plates:, } of {file} has no force columns",
            "no_forces": "{where}plate {plates:, } of {file} has no forces",
            "no_devices": "the section Devices holds no force plate, though a plates file is given",
            "no_device": "plate {plates:, } of the plates file is not in the section Devices",
            "load": "--load {word}: there are no markers of the {of} side, and its load is not used",
        },
    ),
    "reading_assumed": Message(
        "assumption",
        "the file does not say something that reading it needs",
        GOOD,
        "declare it in the file, with --plates or with --set",
        words={
            "gen_scale": "ANALOG:GEN_SCALE is missing, and taken as 1",
            "scales": (
                "{missing: and } missing: the channels are {scaled:taken as they stand, for they hold fractions|not "
                "read, for whole numbers of a converter may be worth anything}"
            ),
            "analog_layout": (
                "{missing: and } missing; by the header there are {channels} {channels:channel|channels} of "
                "{samples} {samples:sample|samples} a frame ({rate_hz:g} Hz)"
            ),
            "padding": (
                "{n_zeros} zeros behind the last frame, room for {room} {room:frame|frames}, are taken as padding: "
                "there are {n_frames} frames"
            ),
            "unit_by_size": (
                "{says}; by the size of what was seen, {size:.4g}, lengths are taken in {unit} ({size_m:.2f} m); "
                "--set point_unit decides"
            ),
            "unit_by_plates": (
                "the file has no points, and POINT:UNITS says no unit; by the size of the plates lengths are taken in "
                "{unit}; --set point_unit decides"
            ),
            "one_person": (
                "the file holds {n_subjects} subjects, but only one with {least} visible markers or more; "
                "that one was read ({n_seen} markers)"
            ),
            "load_labels": (
                "its channels are labelled {labels}; {force:taken as newtons|its forces are in newtons}{units:?, "
                "moments and places in the unit that puts the loads on the plate, of {units}}: {why}"
            ),
            "volts": (
                "its channels are labelled {labels}; taken as volts, through CAL_MATRIX: so up to {peak_N:.0f} N "
                "lasts and acts on its surface"
            ),
            "newtons": (
                "its channels are labelled {labels}; taken as newtons, not through CAL_MATRIX: so up to {peak_N:.0f} "
                "N lasts and acts on its surface"
            ),
            "volts_without_load": (
                "its channels are labelled {labels}; taken as volts, through CAL_MATRIX; no load on it tells"
            ),
            "whole_volts": (
                "its channels are labelled {labels}, and by CAL_MATRIX no more than {most_N:.2g} N lasts on it; "
                "taken as volts: so up to {peak_N:.0f} N lasts and acts on its surface"
            ),
            "no_matrix": "no CAL_MATRIX; its channels say {units:, } and are taken as they stand",
            "plate_order": (
                "plate {plates:, }: its channels have no number in their names; taken in order: {channels:, }"
            ),
            "plates_used": "FORCE_PLATFORM:USED is missing; by TYPE the file has {n} {n:plate|plates}",
            "sensor_z": (
                "ORIGIN has no z; it was taken to point from the {as_stored:surface to the sensor|sensor to "
                "the surface}, where the pressure then lies on the plate"
            ),
            "force_without_point": (
                "{where}{column} …: nothing says where the force acts; its moment is taken as one about the "
                "laboratory's origin"
            ),
            "no_torque": "{where}{column} …: no torque is given; it is taken as 0, as OpenSim does",
            "no_outline": (
                "{where}nothing says where the plates end; their surfaces are taken as level, {up} up: {heights:, }"
            ),
            "device_axes": (
                "a Nexus export does not say in which axes and about which point its forces are; taken: {taken:, } "
                "(declare them in the plates file)"
            ),
            "device_order": "the force plates are numbered in the order of the section Devices: {order:, }",
            "qtm_forces": (
                "plate {plates:, }: its forces are taken as those on the {on_plate:plate|subject} in {axes} axes, its "
                "moments in {unit} about the centre of its surface: so {told} says"
            ),
            "table_rate": "the header says no {key}; by the column Time it is {rate_hz:.6g} Hz",
            "degrees": (
                "{file}: the stored calibration angles ({angles:, }) are taken as degrees ({beyond:?{beyond:, }: "
                "radians end at π}{by:?so {by} stored them})"
            ),
        },
    ),
    "reading_info": Message(
        "info",
        "something in the file was not taken as it stands, or is not needed",
        GOOD,
        words={
            "pose_ratio": "segment poses are stored {ratio} times as often as points; every {ratio}th was taken",
            "unit_asked_for": "{says}; lengths are taken in {unit}, as asked for",
            "subject_asked_for": (
                "the file holds {n_subjects} subjects; the one that was asked for is read, with {n_seen} markers "
                "that are seen"
            ),
            "copies": "labels that occur several times, of which the copy seen most was read: {labels}",
            "at_origin": "markers exactly at the origin, not used (frames): {frames}",
            "same_numbers": "markers with three equal coordinates, not used (frames): {frames}",
            "zero_level": "{frames} are not used as its zero level ({why})",
            "described": "plate {plates:, }: the plates file describes it, in place of FORCE_PLATFORM",
            "action": (
                "its channels hold the action on the plate (positive downward); they were turned into the reaction "
                "on the subject"
            ),
            "origin_turned": "ORIGIN points from the sensor to the surface (z < 0); it was turned",
            "forces_beside": "its plate forces are in {names}, in the same folder",
            "subject_file": (
                "a Nexus subject file (.mp), {named:with its name|the only one there}, is in the same "
                "folder; it gives what neither trial nor static stores"
            ),
            "columns": "{where}columns that are not read: {columns}",
            "computed_marker": ("{what}; not used in {where}", "keep with --set doubtful_labels=keep"),
            "static": "static: {text}",
        },
    ),
    "load_assumed": Message(
        "assumption",
        "the file of a load on a segment does not say all of it",
        GOOD,
        "write the moment, or the plates, into the files",
        words={
            "without_plates": (
                "the trial has no force plates: the load given with --load is taken as all that acts on the "
                "{feet: and } {feet:foot|feet}"
            ),
            "no_moment": "{file}: no columns of a moment: its moment about its point is taken as 0",
        },
    ),
    "forces_partial": Message(
        "info",
        "the forces do not cover the whole trial; beside them they are unknown",
        GOOD,
        words={
            "devices": (
                "Devices begin at frame {frame}, sub frame {sub_frame}, Trajectories at frame {first_frame}; "
                "{late:the missing samples are unknown|earlier samples were left out}"
            ),
            "late": "{where}begins {late_s:.4g} s after the first camera frame; the forces before it are unknown",
            "early": "{where}ends {early_s:.4g} s before the last camera frame; the forces after it are unknown",
        },
    ),
    "corrected": Message(
        "info",
        "an analyst corrected the trial by hand; run.json has each entry and what it did",
        GOOD,
        words="corrected by hand: {n} {n:entry|entries} ({done:, })",
    ),
    "emg_absent": Message(
        "info",
        "the subject file names a channel of electromyography that the trial does not have",
        GOOD,
        "",
        "channels that the subject file names as muscles and the trial does not have: {channels:, 6}",
    ),
    "emg_dead": Message(
        "info",
        "a channel of electromyography holds no signal; its envelope is empty",
        GOOD,
        "check the electrode and its cable",
        "EMG channels without a signal, or with invalid samples; left empty: {channels:, 6}",
    ),
    "emg_noise": Message(
        "info",
        "a channel of electromyography has the even spectrum of an amplifier without electrodes",
        GOOD,
        "check the electrodes",
        "EMG channels with the noise of an amplifier alone, no muscle is seen: {channels:, 6}",
    ),
    "emg_clipped": Message(
        "info",
        "a channel of electromyography reached the end of its amplifier's range; its envelope is too low there",
        GOOD,
        "use when the muscle is active, not how much; another time take a lower gain",
        "EMG channels that are clipped at the end of their range; envelopes are too low there: {channels:, 6}",
    ),
    "emg_hum": Message(
        "info",
        "a channel of electromyography holds the mains' hum; its envelope is too high",
        GOOD,
        "check the reference electrode and the cables",
        "EMG channels with mains hum ({hz:g} Hz), up to {percent:.0f} % of the power: {channels:, 6}",
    ),
    "emg_rectified": Message(
        "info",
        "a channel of electromyography was rectified before it was recorded; it was only smoothed",
        GOOD,
        "",
        "EMG channels that were recorded rectified; they were only smoothed: {channels:, 6}",
    ),
}
