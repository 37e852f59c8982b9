"""What each code of a note does to the verdict on its trial, and what would make it good (docs/quality.md).

Beside `gaitid.notes.CODES`, which says how serious a note is: a number that may be wrong is serious wherever it stands,
but it spoils a verdict only where the trial would be used by it.
"""

from __future__ import annotations

from gaitid.notes import CODES
from gaitid.records import NamedTuple

#: The best first. ``good``: all that the model gives can be used; ``usable``: the reasons say what cannot, or with what
#: doubt; ``do not use``: what is written may be wrong throughout.
GOOD, USABLE, DO_NOT_USE = "good", "usable", "do not use"
LEVELS = (GOOD, USABLE, DO_NOT_USE)


class Consequence(NamedTuple):
    """What a note does to the verdict.

    Attributes
    ----------
    lowers_to : str
        One of `LEVELS`; `GOOD` where it lowers nothing.
    cure : str
        Which marker, option, static or plate would make it good; empty where nothing is to be done. That of a note
        itself comes first.
    explains : bool
        It says why the load of a stance is not known: no reason of its own where a leg has a whole stance all the same.
    """

    lowers_to: str
    cure: str = ""
    explains: bool = False


_LABELS = "correct the labels there"
_MEASURE = "measure it and give it with --subject"
_PLATES = "correct the plate in the file, or describe it with --plates"
_STATIC = "record the static again with the markers as they are in the trial, and give it with --static"

CONSEQUENCES: dict[str, Consequence] = {
    # reading
    "values_lost": Consequence(GOOD, "export the file again from the system that recorded it"),
    "file_repaired": Consequence(USABLE, "export the file again from the system that recorded it"),
    "file_incomplete": Consequence(USABLE, "export the file again from the system that recorded it"),
    "input_unused": Consequence(USABLE, "correct the file that is given, or leave it out"),
    "reading_assumed": Consequence(GOOD, "declare it in the file, with --plates or with --set"),
    "reading_info": Consequence(GOOD),
    "load_assumed": Consequence(GOOD, "write the moment, or the plates, into the files"),
    "forces_partial": Consequence(GOOD),
    # markers
    "passes": Consequence(GOOD),
    "label_fault": Consequence(USABLE, _LABELS),
    "labels_unused": Consequence(USABLE, "correct the labels"),
    "labels_exchanged": Consequence(USABLE, "correct the labels"),
    "marker_spike": Consequence(GOOD),
    "marker_moved": Consequence(USABLE, "correct the marker there"),
    "markers_coarse": Consequence(USABLE, "export the trial again with all its digits"),
    "markers_jump": Consequence(USABLE, "see whether a camera was moved or the origin set anew there"),
    "frames_lost": Consequence(USABLE, "export the trial again from the system that recorded it"),
    "frames_repeated": Consequence(USABLE, "export the trial again from the system that recorded it"),
    "gap_filled": Consequence(GOOD),
    "gap_open": Consequence(GOOD, "fill the gaps where the markers were recorded"),
    "pose_unsure": Consequence(USABLE, "fill the gaps of that marker where it was recorded"),
    "marker_filter": Consequence(GOOD, "choose the filter with --cutoff"),
    "markers_rough": Consequence(USABLE, "give a --cutoff"),
    "filter_misled": Consequence(USABLE, "give a --cutoff"),
    "filter_strong": Consequence(USABLE, "give a higher --cutoff"),
    "filter_inexact": Consequence(GOOD),
    "filters_differ": Consequence(GOOD, "read knee and hip later in stance, or give --set joint_loads=matched"),
    "impact": Consequence(GOOD, "read knee and hip later in stance, or give --set joint_loads=matched"),
    "vertical_assumed": Consequence(GOOD, "level the axes of the laboratory"),
    # the subject and the body
    "leg_absent": Consequence(DO_NOT_USE, "label the markers of that leg"),
    "gimbal_lock": Consequence(GOOD, "leave these frames out, or take a model with another sequence for this joint"),
    "segment_absent": Consequence(USABLE, "label the markers of that segment, or take a model that needs fewer"),
    "measurement_assumed": Consequence(GOOD, _MEASURE),
    "heel_absent": Consequence(GOOD, "put a marker on the heel"),
    "measurement_ignored": Consequence(GOOD, _MEASURE),
    "measurements_differ": Consequence(USABLE, "find out which one is right, and give that one with --subject"),
    "other_person": Consequence(DO_NOT_USE, "give the static of this person, recorded with these markers"),
    "static_differs": Consequence(USABLE, _STATIC),
    "static_marker_rare": Consequence(GOOD, "label the marker throughout the static, or record the static again"),
    "mass_estimated": Consequence(GOOD, "weigh the subject and give mass_kg with --subject"),
    "mass_unknown": Consequence(USABLE, "give mass_kg with --subject"),
    "calibration_conflict": Consequence(USABLE, "look which of both was measured with these markers"),
    "calibration_doubtful": Consequence(USABLE, "look at the static and the measurements"),
    "knee_axis_turned": Consequence(
        GOOD,
        "read knee adduction, rotations and the moments about them with care, or give a static that shows the axis",
    ),
    "calibration_impossible": Consequence(
        USABLE, "check the lengths that are named (--subject), the labels and the static"
    ),
    "pose_jumps": Consequence(USABLE, "correct the markers there"),
    "uncalibrated": Consequence(USABLE, "give a static with --static"),
    "functional_doubtful": Consequence(USABLE, "record the functional trial again, with a wider movement"),
    "functional_partly": Consequence(GOOD, "give a functional trial of that side too with --functional"),
    "foot_flat_doubtful": Consequence(USABLE, "say `static: {foot_flat: false}` with --subject"),
    "chain_from_trial": Consequence(GOOD, "give a static with --static"),
    "chain_undetermined": Consequence(USABLE, "track more markers, or leave these joints less freedom (pose)"),
    "chain_unsettled": Consequence(USABLE, "check the labels there"),
    "chain_far": Consequence(USABLE, "check these markers and the static"),
    "chain_at_limit": Consequence(USABLE, "check the model's limits and the static"),
    "length_jump": Consequence(USABLE, _LABELS),
    "length_varies": Consequence(USABLE, "check the markers of that segment and the static"),
    # plates and contacts
    "plate_refused": Consequence(USABLE, _PLATES, explains=True),
    "plate_repeated": Consequence(GOOD),
    "plates_undeclared": Consequence(USABLE, "describe the plates with --plates", explains=True),
    "plate_doubtful": Consequence(USABLE, _PLATES),
    "plate_bias_removed": Consequence(GOOD),
    "plate_bias": Consequence(USABLE, "zero the plates before the trial, or record some frames with nobody on them"),
    "plate_misplaced": Consequence(USABLE, _PLATES, explains=True),
    "plate_channel": Consequence(USABLE, "check the plate's channels, units and calibration", explains=True),
    "force_filter_strong": Consequence(USABLE, "give a higher --force-cutoff, or none"),
    "plate_gain": Consequence(USABLE, "check the calibration of the plates"),
    "body_not_carried": Consequence(USABLE, "weigh the subject (mass_kg in --subject), and check the plates' gain"),
    "clocks_apart": Consequence(USABLE, "see that forces and markers are of one recording and one clock"),
    "clocks_near": Consequence(GOOD),
    "rate_doubtful": Consequence(DO_NOT_USE, "correct the rate in the file"),
    "load_unclaimed": Consequence(
        USABLE, "name the foot, as --assign SIDE=PLATE, or keep others off the plates", explains=True
    ),
    "events_against": Consequence(USABLE, "look at these events again: their times count from the first frame"),
    "events_moved": Consequence(GOOD, "give the events of one method with --events"),
    "events_unknown": Consequence(GOOD, "say what each label means with --events"),
    "events_off": Consequence(USABLE, "give them with --events, or see whether forces and markers are of one time"),
    "no_cycles": Consequence(GOOD),
    "assignment_differs": Consequence(USABLE, "look at the recording, and say which foot it was with --assign"),
    "assignment_against": Consequence(USABLE, "look at the contact, or leave out --assign"),
    "assignment_far": Consequence(DO_NOT_USE, "look whose foot is on the plate, or leave out --assign"),
    "no_known_load": Consequence(USABLE, "use the angles, and no load but what is written", explains=True),
    "treadmill": Consequence(GOOD),
    "belts_differ": Consequence(GOOD),
    "belt_unsteady": Consequence(GOOD),
    # the result
    "moment_impossible": Consequence(USABLE, "check the plates and the body's mass, and correct the markers there"),
    "trial_short": Consequence(USABLE, "export the whole recording"),
    "gravity_unusual": Consequence(DO_NOT_USE, "leave gravity_m_per_s2 out: 9.81 is the default"),
    "weight_doubtful": Consequence(USABLE, "weigh the subject (mass_kg in --subject), and calibrate the plates"),
    "weight_wrong": Consequence(DO_NOT_USE, "give the mass in kg with --subject, and see that the forces are in N"),
    "wrenches_partial": Consequence(USABLE, "fill the gaps where the markers were recorded"),
    "model_limits": Consequence(USABLE, "record the markers that a model with all angles and moments needs"),
    "no_known_wrench": Consequence(USABLE, "see the other reasons", explains=True),
    "file_beside": Consequence(GOOD, "give it with the option that is named"),
    "model_hidden": Consequence(GOOD, "rename the file of yours if the bundled model is meant"),
    "alias_unused": Consequence(GOOD, "correct the name in the model or the marker set"),
}
#: Of a code that stands in no row above, by its severity.
_OTHERWISE = {"error": Consequence(USABLE), "doubt": Consequence(USABLE)}


def consequence_of(code: str) -> Consequence:
    """What a note with this code does to the verdict."""
    return CONSEQUENCES.get(code) or _OTHERWISE.get(CODES[code][0], Consequence(GOOD))
