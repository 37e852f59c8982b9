"""Messages on the subject and the body."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_LABELS = "correct the labels there"
_MEASURE = "measure it and give it with --subject"

_NOT_FLAT = "`static: {{foot_flat: false}}` in the subject file"
_LENGTHS = "{keys:?measure {keys:, 3} again (--subject), or }look at {labels}, at the widths and at the static"
_AXIS = (
    (
        "{side} knee: varus–valgus follows flexion, as if the thigh's axes were turned "
        "{inward:inward|outward} by {deg:.0f}° ± {error:.0f}°; hip rotation would be wrong by as much"
    ),
    (
        "check {labels}; {key:?`{key}: {value:.3f}` with "
        "--subject corrects it; }a functional knee trial or a static that shows the axis tells "
        "whether the knee itself moves so"
    ),
)
_OF_FOOT = "{key} = {value} ({source}), but the trial's heel and toe markers show {shown}"
_FOOT = "look at {labels}, and at the static"
#: So begins the note ``other_person``, for which `gaitid batch` refuses a static that it found by itself.
OTHER_PERSON = "the static may be another person's"

#: Markers that step most, and what makes them good.
JUMPS = "{labels:, 4} {labels:jumps|jump} by up to {mm:.0f} mm"
CORRECT_JUMPS = "{keeps:?give --set doubtful_labels=unknown, or }correct {labels:, 4} there"

BODY = {
    "leg_absent": Message(
        "error",
        "a leg lacks markers or measurements that the model needs, and is left out",
        DO_NOT_USE,
        "label the markers of that leg",
        words={
            "no_marker": (
                "{side} leg: none of its markers{labels:? ({labels:, })} is in the trial; its columns are empty"
            ),
            "lacks": "{side} leg: {lacks:; }; its columns are empty",
            "measurements": (
                "{side} leg: measurements are missing: {keys:, }{found:? (found {found})}; its columns are empty",
                "{todo}",
            ),
        },
    ),
    "gimbal_lock": Message(
        "info",
        "the first and the last axis of a joint's angles nearly coincide: two of them are not determined",
        GOOD,
        "leave these frames out, or take a model with another sequence for this joint",
        words=(
            "{side} {joint}: two axes of its angles ({axes: and }) are within {deg:g}° of each other in "
            "frames {frames:, }{more:?, …} (gimbal lock)"
        ),
    ),
    "segment_absent": Message(
        "error",
        "the markers do not give a segment, and what needs it is empty",
        USABLE,
        "label the markers of that segment, or take a model that needs fewer",
        words={
            "no_centres": (
                "the {side} {segment} has no joint centres in any frame, and the {side} leg is empty: {why}",
                "correct {labels:, }",
            ),
            "in_line": (
                "{wrong}, so its rotation about that line is not known; its angles and the leg's wrenches are empty"
            ),
            "lacks": "{side} {segment}: {lacks:; }; its angles and the leg's wrenches are empty",
            "angles": "{side} foot: {lacks:; }; empty are {angles:, }",
        },
    ),
    "measurement_assumed": Message(
        "assumption",
        "a measurement, or how the static was taken, was estimated or assumed",
        GOOD,
        _MEASURE,
        words={
            "foot_flat": (
                "the static was taken as foot-flat{turned:? (foot-flat correction: {turned: and })}; if the feet were "
                "not flat: `static: {{foot_flat: false}}` in the subject file"
            ),
            "unit": ("{what} = {value} ({source}): stored as {stored:g}, which by its size is in {unit}, not {usual}"),
            "estimated": ("{what} = {value}, estimated from the static's markers ({by}); a tape measure is better"),
            "by_trial": "{what} = {value}, estimated from the trial's markers ({by})",
            "by_source": "{what} = {value} ({by})",
            "assumed": "{what} = {value} was assumed: {by}",
        },
    ),
    "heel_absent": Message(
        "assumption",
        "a foot has no heel marker, and another one stands for it on the plates",
        GOOD,
        "put a marker on the heel",
        words="{feet: and } foot: no heel marker; the {what} is used instead to judge plates and contacts",
    ),
    "measurement_ignored": Message(
        "doubt",
        "a stored measurement cannot be, and was left aside",
        GOOD,
        _MEASURE,
        words={
            "outside": "{fault}; it was not used",
            "person": "{source} is of another person, whose {what} is {its}, not {mine}; it was not used",
        },
    ),
    "measurements_differ": Message(
        "doubt",
        "two sources give a measurement differently",
        USABLE,
        "find out which one is right, and give that one with --subject",
        words="{what}: {value} ({source}) is used; another value is there: {says} ({other})",
    ),
    "other_person": Message(
        "doubt",
        "static and trial seem to be of different people",
        DO_NOT_USE,
        "give the static of this person, recorded with these markers",
        words=OTHER_PERSON + ": its {what} is {its}, the trial's {mine}",
    ),
    "static_part": Message(
        "assumption",
        "the subject stands still in part of the static only, which alone is used",
        GOOD,
        words="static: the subject stands still only in frames {first}-{last}; only these are used",
    ),
    "static_marker_rare": Message(
        "assumption",
        "a marker is seen in little of the static, or on the place of another, and is none of it",
        GOOD,
        "label the marker throughout the static",
        words="static: markers that are rarely seen, or that lie in two places, are not used: {seen_in:, 6}",
    ),
    "static_differs": Message(
        "doubt",
        "markers of a segment lie otherwise than in the static",
        USABLE,
        "read how angles change, not their level; or give a static with these markers with --static",
        words={
            "marker": (
                "{segment}: {label} lies {mm:.0f} ± {error:.0f} mm farther {way} than in the static; it was "
                "moved, or is another marker"
            ),
            "size": (
                "markers lie {percent:.1f} % {larger:farther from|nearer to} each other than in the static; "
                "the cameras were calibrated differently for one of the two"
            ),
        },
    ),
    "calibration_conflict": Message(
        "doubt",
        "a static and the calibration that the trial stores give two results",
        USABLE,
        "check which of the two was recorded with these markers",
        words={
            "better": "the static is used, not the calibration stored in the trial: {why}",
            "static": (
                "the static is used, not the calibration stored in the trial; the stored one would change "
                "{effect}{off:?; {off}}"
            ),
            "stored": (
                (
                    "the calibration stored in the trial is used, not {name} in the same folder, which would "
                    "change {effect}: {differences:, 3}{off:?; {off}}"
                ),
                "--static {path:typed}, if it was recorded with these markers",
            ),
        },
    ),
    "calibration_doubtful": Message(
        "doubt",
        "a measurement, a length or an angle is one that hardly any body has",
        USABLE,
        "check the static and the measurements",
        words={
            "measured": (
                "{measured:, }: {why}; hardly anybody has that",
                "measure again and give the right value with --subject",
            ),
            "length": ("{measured:, 5}: {why}; hardly any body is like that", _LENGTHS),
            "angles": (
                "{side} {joint}: {angles:, }: hardly any body is like that",
                "{labels:?look at {labels} in static and trial, and at the widths}",
            ),
            "knee_axis": _AXIS,
            "foot": (_OF_FOOT + ": one of both is wrong", _FOOT),
        },
    ),
    "knee_axis_turned": Message(
        "info",
        "varus and valgus of a knee follow its flexion, as where its flexion axis is turned a little",
        GOOD,
        (
            "read knee adduction, hip rotation and the moments about them with care, or give a static "
            "that shows the axis"
        ),
        words=_AXIS,
    ),
    "calibration_impossible": Message(
        "error",
        "lengths or calibration of a joint are those of no body; the joint is empty",
        USABLE,
        "measure again what is named, and check the labels and the static",
        words={
            "length": ("{measured:, 5}: {why}; no body is like that; the {joint} is empty", _LENGTHS),
            "foot": (_OF_FOOT + "; the {side} ankle's angles and what is given in the foot's axes are empty", _FOOT),
        },
    ),
    "pose_jumps": Message(
        "error",
        "a joint turns faster than any person's; the segments that jump are empty beside it",
        USABLE,
        "correct the markers there",
        words=(
            (
                "between frames {pairs:, }{more:? and {more} more} joints turn faster than a person can "
                "({turns:, }), because {labels:, 4} {labels:jumps|jump} by up to {mm:.0f} mm; empty in "
                "{frames}: {segments:, }"
            ),
            CORRECT_JUMPS,
        ),
    ),
    "uncalibrated": Message(
        "error",
        "the foot was never calibrated; the ankle's angles and what is given in the foot's axes are empty",
        USABLE,
        "give a static with --static",
        words=(
            (
                "{side} foot was never calibrated: all its stored calibration angles are 0. Ankle angles (9° "
                "to 22° off) and values in foot axes are empty"
            ),
            "give the static with --static",
        ),
    ),
    "functional_doubtful": Message(
        "doubt",
        "a functional trial moves a joint little, or fits it badly",
        USABLE,
        "leave the functional trial out where a wider movement cannot be had: a regression stands in",
        words={
            "hip": (
                (
                    "{joint} moves by only {deg:.0f}° in its second plane ({ranges}). Marker noise moved its "
                    "centre by {drawn_mm:.1f} mm, which was corrected; standard error {error_mm:.1f} mm"
                ),
                "move the {joint} by 30° or more each way in two planes, or leave the trial out for a regression",
            ),
            "knee": (
                "{joint} flexes by only {deg:.0f}°; its axis has a standard error of {error_deg:.1f}°",
                "flex the {joint} by 60° or more, or leave the trial out for the markers' axis",
            ),
            "apart": (
                "{joint}: its two segments show its functional centre or axis {mm:.0f} mm apart (root mean "
                "square), because skin moves or a marker slipped"
            ),
            "stored": "{doubt}",
        },
    ),
    "functional_partly": Message(
        "assumption",
        "a joint has no functional trial though another has; a regression stands in",
        GOOD,
        "give a functional trial of that side too with --functional",
        words={
            "hip": "{side} hip: its centre was not measured; Harrington's regression is used",
            "knee": "{side} knee: its axis was not measured; markers are used",
        },
    ),
    "foot_flat_doubtful": Message(
        "doubt",
        "the static was taken as foot-flat, and does not look it",
        USABLE,
        "say `static: {foot_flat: false}` with --subject",
        words={
            "denied": (
                ("the static stores angles of feet that were not levelled; taken as foot-flat they are off ({off:, })"),
                _NOT_FLAT,
            ),
            "steep": (
                "in the static the heel–toe line is too steep for a flat foot ({slopes: and })",
                f"{_NOT_FLAT}, if the feet were not flat",
            ),
        },
    ),
    "mass_estimated": Message(
        "assumption",
        "no file gives the body's mass; it was estimated from the plates",
        GOOD,
        "weigh the subject and give mass_kg with --subject",
        words="mass = {value}, estimated from the plates ({by}); a scale is better ({key} with --subject)",
    ),
    "mass_unknown": Message(
        "error",
        "the body's mass is not known",
        USABLE,
        "give mass_kg with --subject",
        words=(
            "body mass is not known, so {of_body:wrenches, moments and powers|moments and powers per kg} "
            "are empty; give {key} with --subject ({why})"
        ),
    ),
    "length_varies": Message(
        "doubt",
        "the length of a segment, or how well its markers fit it, varies by more than skin makes it",
        USABLE,
        "check the markers of that segment and the static",
        words={
            "segment": (
                (
                    "length of the {side} {segment} varies by {mm:.0f} mm (SD; skin alone: up to {most_mm:g} mm "
                    "in walking), because a marker is mislabelled, delayed or slipped, or the calibration does "
                    "not fit"
                ),
                "check the markers of the {side} {segment} and the static",
            ),
            "fit": (
                (
                    "fit of the markers to the {segment} varies by {mm:.0f} mm (SD; skin alone: up to 4 mm); one "
                    "of {labels:, } is delayed, loose or mislabelled"
                ),
                "check {labels:, }",
            ),
            "late": (
                (
                    "{label} is {ms:.0f} ms {late:late|early} relative to its neighbours: {percent:.0f} % of the "
                    "variation of its distances follows its speed (skin alone: up to 43 %)"
                ),
                "check {label}",
            ),
            "slipped": (
                (
                    "{label} lies {mm:.0f} mm nearer to or farther from its neighbours in one stride than at the "
                    "same phase of another (skin alone: up to 2 mm); it slipped, or is another marker there"
                ),
                "check {label}",
            ),
            "pelvis": (
                (
                    "{label} moves relative to all other pelvis markers: its steadiest distance varies by "
                    "{mm:.0f} mm (SD; up to 2 in walking, 5 in a sprint); it is delayed, loose or mislabelled"
                ),
                "check {label}",
            ),
        },
    ),
    "chain_from_trial": Message(
        "assumption",
        "no static shows where markers lie on their segments; the trial's means stand for it",
        GOOD,
        "give a static with --static",
        words=(
            "no static shows where markers lie on their segments; their means over this trial are used, "
            "with the mean movement of the skin in them"
        ),
    ),
    "chain_undetermined": Message(
        "error",
        "the markers seen do not determine coordinates of the fitted chain, which are empty",
        USABLE,
        "track more markers, or leave these joints less freedom (pose)",
        words=(
            "the visible markers do not determine these coordinates of the chain, which are empty "
            "(frames): {frames_of:, 6}"
        ),
    ),
    "chain_unsettled": Message(
        "doubt",
        "the fit of the chain of segments did not settle in some frames",
        USABLE,
        "check the labels there",
        words="the fit of the segment chain did not converge in {n_frames} frames",
    ),
    "chain_far": Message(
        "doubt",
        "markers lie far from their places on the fitted chain",
        USABLE,
        "check these markers and the static",
        words="markers lie far from their places on the fitted chain (root mean square): {markers:, 6}",
    ),
    "chain_at_limit": Message(
        "doubt",
        "a coordinate of the fitted chain lies at its limit in many frames",
        USABLE,
        "check the model's limits and the static",
        words=("coordinates are at a limit of the model in more than a tenth of the frames: {coordinates:, 6}"),
    ),
    "length_jump": Message(
        "doubt",
        "the length of a segment jumps",
        USABLE,
        _LABELS,
        words=("length of the {side} {segment} jumps by {mm:.0f} mm at frame {frame}; a marker is mislabelled"),
    ),
}
