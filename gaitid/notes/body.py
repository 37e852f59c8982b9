"""Messages on the subject and the body."""

from __future__ import annotations

from gaitid.notes.message import DO_NOT_USE, GOOD, USABLE, Message

_LABELS = "correct the labels there"
_MEASURE = "measure it and give it with --subject"

BODY = {
    "leg_absent": Message(
        "error",
        "a leg lacks markers or measurements that the model needs, and is left out",
        DO_NOT_USE,
        "label the markers of that leg",
    ),
    "gimbal_lock": Message(
        "info",
        "the first and the last axis of a joint's angles nearly coincide: two of them are not told apart",
        GOOD,
        "leave these frames out, or take a model with another sequence for this joint",
    ),
    "segment_absent": Message(
        "error",
        "the markers do not give a segment, and what needs it is empty",
        USABLE,
        "label the markers of that segment, or take a model that needs fewer",
    ),
    "measurement_assumed": Message(
        "assumption", "a measurement, or how the static was taken, was estimated or assumed", GOOD, _MEASURE
    ),
    "heel_absent": Message(
        "assumption",
        "a foot has no heel marker, and another one stands for it on the plates",
        GOOD,
        "put a marker on the heel",
        words="{feet: and } foot: no heel marker; the {what} stands for it where plates and contacts are judged",
    ),
    "measurement_ignored": Message("doubt", "a stored measurement cannot be, and was left aside", GOOD, _MEASURE),
    "measurements_differ": Message(
        "doubt",
        "two sources give a measurement differently",
        USABLE,
        "find out which one is right, and give that one with --subject",
    ),
    "other_person": Message(
        "doubt",
        "static and trial seem to be of different people",
        DO_NOT_USE,
        "give the static of this person, recorded with these markers",
    ),
    "static_marker_rare": Message(
        "assumption",
        "a marker is seen in less than a tenth of the static, and is none of it",
        GOOD,
        "label the marker throughout the static, or record the static again",
        words="markers that are seen in less than a tenth of the static count as none of it: {seen_in:, 6}",
    ),
    "static_differs": Message(
        "doubt",
        "markers of a segment lie otherwise than in the static",
        USABLE,
        "record the static again with the markers as they are in the trial, and give it with --static",
    ),
    "calibration_conflict": Message(
        "doubt",
        "a static and the calibration that the trial stores give two results",
        USABLE,
        "look which of both was measured with these markers",
    ),
    "calibration_doubtful": Message(
        "doubt",
        "a measurement, a length or an angle is one that hardly any body has",
        USABLE,
        "look at the static and the measurements",
    ),
    "knee_axis_turned": Message(
        "info",
        "a knee's adduction follows its flexion, as where its flexion axis is turned a little",
        GOOD,
        "read knee adduction, rotations and the moments about them with care, or give a static that shows the axis",
    ),
    "calibration_impossible": Message(
        "error",
        "lengths or calibration of a joint are those of no body; the joint is empty",
        USABLE,
        "check the lengths that are named (--subject), the labels and the static",
    ),
    "pose_jumps": Message(
        "error",
        "a joint turns faster than any person's; the segments that jump are empty beside it",
        USABLE,
        "correct the markers there",
    ),
    "uncalibrated": Message(
        "error",
        "the foot was never calibrated; the ankle's angles and what is told in the foot's axes are empty",
        USABLE,
        "give a static with --static",
    ),
    "functional_doubtful": Message(
        "doubt",
        "a functional trial moves a joint little, or fits it badly",
        USABLE,
        "record the functional trial again, with a wider movement",
    ),
    "functional_partly": Message(
        "assumption",
        "a joint has no functional trial though another has; a regression stands in",
        GOOD,
        "give a functional trial of that side too with --functional",
    ),
    "foot_flat_doubtful": Message(
        "doubt",
        "the static was taken as foot-flat, and does not look it",
        USABLE,
        "say `static: {foot_flat: false}` with --subject",
    ),
    "mass_estimated": Message(
        "assumption",
        "nobody says the body's mass; it was estimated from the plates",
        GOOD,
        "weigh the subject and give mass_kg with --subject",
    ),
    "mass_unknown": Message("error", "the body's mass is not known", USABLE, "give mass_kg with --subject"),
    "length_varies": Message(
        "doubt",
        "the length of a segment, or how well its markers fit it, varies by more than skin makes it",
        USABLE,
        "check the markers of that segment and the static",
    ),
    "chain_from_trial": Message(
        "assumption",
        "no static shows where markers lie on their segments; the trial's means stand for it",
        GOOD,
        "give a static with --static",
    ),
    "chain_undetermined": Message(
        "error",
        "the markers seen do not determine coordinates of the fitted chain, which are empty",
        USABLE,
        "track more markers, or leave these joints less freedom (pose)",
    ),
    "chain_unsettled": Message(
        "doubt", "the fit of the chain of segments did not settle in some frames", USABLE, "check the labels there"
    ),
    "chain_far": Message(
        "doubt", "markers lie far from their places on the fitted chain", USABLE, "check these markers and the static"
    ),
    "chain_at_limit": Message(
        "doubt",
        "a coordinate of the fitted chain lies at its limit in many frames",
        USABLE,
        "check the model's limits and the static",
    ),
    "length_jump": Message("doubt", "the length of a segment jumps", USABLE, _LABELS),
}
