"""Why single spoilt trials stay silent in rows of `attacks.py` that are told elsewhere: figures of clean recordings."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """Of which attacks (a pattern), on which trial and on which part of it (patterns), and why nobody can see it."""

    attack: str
    trial: str
    why: str
    words: str = ""


# Figures of clean recordings: docs/balance.md and docs/attacks.md, chosen without each laboratory there.
_ENDS = (
    "both ends of a contact on a plate that is not late lie -17 to +17 ms from the markers', and the fit in time of a "
    "trial from -10 to +10; by both this one is late by no more than that, or by less than 3 ms more"
)
_ONE_CONTACT = "one contact tells the clock of its plate to 30 ms, and the clock is 20 to 30 ms off there"
_TURN = (
    "in a turn the force across the way holds the body on its curve: turned over, its line leaves 0.023, steadily "
    "-0.07 along and -0.01 across; clean walks up to 0.030, -0.10 to -0.01 and 0.02"
)
_SMALL_ACROSS = (
    "the force across the way is 0.01 of the vertical one in mid-stance; turned over, its line leaves 0.034, clean "
    "walks leave up to 0.030 and the limit is 0.045; the error is in the impact, where no peak is taken"
)
_RUN_ACROSS = (
    "in a run the force across the way is 0.02 to 0.04 of the vertical one but for the impact; its line leaves 0.13 to "
    "0.18 turned over, 0.13 to 0.17 as it was recorded, 0.05 to 0.18 in clean runs"
)
_RUN_SIGN_LOST = (
    "the line of force leaves 0.15, 0.13 as it was recorded, and 0.15 to 0.17 in the other stances of that sprint"
)
_RUN_UNSURE = (
    "the contact carries as little as half of body weight in single support, so that its line of force is not asked; "
    "the other contact's line leaves 0.05 turned over and 0.06 as it was recorded"
)
_PRESSURE = (
    "clean stances lie up to 3.6 cm from where the foot presses (stairs; others 1.9); the limit of 6 cm is 5.4 to 6.4 "
    "chosen without any one laboratory"
)
_AT_LIMIT = "a shift along the foot as large as the limit for pressure (6 cm; 5.4 to 6.4 chosen without a laboratory)"
_NOTED = (
    "the plates are doubted already as they were recorded (0.82 of what mass and motion ask for); the note says 0.70"
)
_BETTER = "as recorded the plates give 0.82 of what mass and motion ask for; with it 0.94, within what clean walks show"
_CUT = (
    "the contact is cut by the beginning of the trial; two whole ones of that plate are withheld: they carry too little"
)
_ENDS_LOW = (
    "the plate is withheld; in the last frame of the contact the foot is in the air by its speed while the plate says "
    "11 N, less than the 20 N from which on a foot counts as loaded"
)
_LEANS_ALONG = (
    "the steady part of the line of force along the way moves by 0.06; it lies between -0.10 and -0.01 in clean "
    "recordings and at +0.06 up a ramp and coming to a stand; standing feet show the slope on 2 m of way and more"
)
_LATE_CHANNEL = (
    "it changes the direction of the force by 0.02 to 0.05 in stance (lines of clean walks err by 0.03); where it "
    "begins or ends it is less than 13 ms after the other channel (clean up to 10), or the plate is too slow to tell"
)
_LATE_MOMENT = (
    "the plate gives 250 samples a second; where the foot leaves, its moment is out of step with its force as "
    "recorded, too: the pressure lies 1.8 and 3.3 feet ahead of the heel at 5 and 3 % of the peak, 3.1 and 8 with it, "
    "and the same four frames are withheld; between, it stays under the foot and runs forward by 0.06 of it (0.28 as "
    "recorded; clean runs 0.09 and more, turned moments -0.09; the limit is 0)"
)
_SHANK_60 = (
    "raw at 60 Hz: the distances to the two others of that shank make steps of up to 9 mm with it, and of up to 9 mm "
    "as they were recorded; among its four steadiest neighbours, two of which are no part of the shank, 8 to 14 mm (up "
    "to 7 to 11 as recorded)"
)
_BOTH_AT_60 = (
    "raw at 60 Hz: its distances to the two others of that shank make steps of 13 and 15 mm, 4.6 times what nine "
    "tenths of their frames show; with nothing wrong walks and runs show up to 6.4 times that in both distances of a "
    "marker at once (a sprint 16), 7 of 20 recordings more than 4.5, and the limit is 8"
)
_FIVE_AT_60 = (
    "raw at 60 Hz, where five frames are 83 ms, over which a spline errs by 5 mm; off across the lines to the two "
    "others of that shank: these distances make steps of 0.8 and 9.8 mm, and of up to 8.7 mm in the shanks as they "
    "were recorded"
)
_SEVERAL_60 = (
    "raw at 60 Hz, where one step is 0.6 to 1.2 times what is a step for each of its markers: two alone must show 1.5 "
    "times as much, three differ by 0.15 to 0.24 of it, where those of a shoe that strikes the ground differ by 0.19"
)
_PAIR = (
    "the thigh's two markers alone, of which one shows 1.3 times what is a step for it: 1.5 are asked of both, where "
    "three markers of a running shoe show 1.02 by themselves"
)
_AT_STRIKE = (
    "the foot strikes the ground meanwhile, which shakes its markers together: two steps leave 0.21 of what they show, "
    "strikes alone 0.08 to 0.4"
)
_TURN_RAW = (
    "raw: the markers show less than 0.85 times what is a step for each of them, as the median, or steps leave more "
    "than 0.14 of it; a shank at 38 Hz shows 0.77 by itself, a running shoe 0.91, of which steps leave 0.17"
)
_TURN_OF_TWO = (
    "two markers show what is a step for each, of which one shows less than 1.5 times as much, or steps leave 0.15 "
    "of it; two of a clean static show 1.28 times by themselves, two in a walk at 67 Hz 1.02 and leave 0.12"
)
_TURN_UNSEEN = "six of the foot's seven markers are hidden there: it is one marker that is off"
_HIDDEN = "two of the foot's three markers are hidden there: it is one marker that is off"
_SPLINE = "clean tracks are off by twice what a spline errs by, for single frames, by themselves"
_FILLED = (
    "it is found, taken as not seen and filled, and a note without doubt says so; what is left is what the fill errs by"
)
_SAME_SIZE = (
    "the other child is of nearly the same size (legs of 0.74 and 0.70 m), and 0.10 N·m/kg is where harm begins"
)
_AXIS = (
    "adduction follows flexion as if the knee's axis were turned by 21° (a run flexes so far that 30° show as 21°); "
    "legs of clean trials show up to 19°, and the limit is 22°"
)
_RATE_ONE = "the stances of one foot alone are known, which show 0.66 to 1.66 in clean walks"
_SPRINT_SKIN = (
    "distances between the markers of a foot differ by up to 21 mm from their static's in that sprint as recorded"
)
_STRIKE_MEANWHILE = (
    "the foot strikes the ground in that frame: the marker shows 10 mm, its neighbours 1.5 to 7 mm by themselves, of "
    "which it must show three times the median"
)
_DRIFT = "in the last contact the force is 6.6 % too large; single support tells it to 6 %"

_ACROSS_PLATE = (
    "the pressure moves by 3.6 and 4.3 cm (root mean square); clean stances lie up to 3.6 cm from where the foot "
    "presses, and the limit is 6 cm"
)
_LEAKS = "the vertical force changes by 7 % and the pressure by 3.1 cm; single support tells 6 %, feet 3 to 4 cm"
_STEPS_RUN = (
    "20 N are 1.3 % of that run's peak; a channel has jumped from 2 % on (20 N are 2.5 to 6 % of the peak in walks)"
)
_SHAKEN = (
    "that plate gives 100 samples a second, which show no jump at 12 Hz; the force keeps its direction on the mean"
)
_UNDER_LOAD = (
    "a bias of 0.08 to 0.10 of the vertical force that is absent while the plate is empty; the foot stands on two "
    "plates or over an edge, or one plate measures alone, so that neither another plate nor whole steps tell"
)
_DELAYS = (
    "the forces are late by 16 ms (32 at 5 Hz, on one foot known); clean recordings are -2 to +14 ms apart, doubted is "
    "from 13 beyond the usual 4 on, and 10 to 13 is said without a doubt"
)
_BELOW = (
    "150 N are 0.20 of the peak of that walk, 0.10 of that run's; a load that ends at once is asked from 0.2 on, and "
    "at 500 samples a second or more (these plates give 100 and 300)"
)
_HELD_SLOW = "each sample stands for four of 200 a second: within five samples beside a step there is another step"
_FIRST_LEFT = (
    "the mass is estimated from the same plate, and becomes as much smaller: what is left is wrong in the half contact "
    "before"
)
_TWO_PLATES = (
    "the foot stands on two plates, and Fy of one dies near 0 shortly before the foot leaves that one; the slope of "
    "both is 0.47, of single feet in clean walks 0.38 and more"
)
_ACROSS_TURNED = "it changes the direction of the force by 0.03, as far as lines of force of clean walks err"
_FLIGHT_TWICE = "0.11 N·m/kg, and 0.10 is where harm begins"
_FZ_5MS = "5 ms are half of the limit for a channel that is late beside the others of its plate (10 ms; clean ones 3)"
_ALONE_GAIN = "where one plate measures alone, or a foot stands over an edge, gain and mass are told to 12 %"
_TURNED_30 = (
    "in a run the direction changes by 0.07 and the pressure by 1.5 cm, as clean ones show; over the edge of a step "
    "the foot is not held to where it presses"
)
_FILL_RAW = (
    "raw: what goes along with other markers carries their noise, and noise hides its kinks (they are told in trials "
    "that were smoothed before, where they are 15 times and more what a marker bends by itself)"
)
_FILL_SMOOTH = (
    "smooth as it was recorded, too: the ends of the fill bend less than 12 times as sharply as nine tenths of that "
    "marker's frames; markers with nothing wrong do by up to 7.8 times"
)

REASONS: tuple[Reason, ...] = (
    Reason("filled by a rigid body", "qualisys|rajagopal|isb_bone_names|gait2392|rbds_running|noisy", _FILL_RAW),
    Reason("filled by a quintic", "opencap|arnold|nexus_flatfoot|simulated run", _FILL_SMOOTH),
    Reason("^Mx without its sign", "HC002D|arnold", _ACROSS_PLATE),
    Reason("^charge that leaks", "arnold", _LEAKS),
    Reason("^all channels in steps", "rbds", _STEPS_RUN),
    Reason("^Fx and Fy shaken", "opencap", _SHAKEN),
    Reason("^50 N in F[xy] under load", "", _UNDER_LOAD),
    Reason("^behind a low-pass", "", _DELAYS),
    Reason("^zero below 150 N", "", _BELOW),
    Reason("^taken at 50 Hz and held", "arnold", _HELD_SLOW),
    Reason("^gain 0.8 of all channels from mid", "rbds", _FIRST_LEFT),
    Reason("^gain 0 of Fy from mid", "sydney/walk03", _TWO_PLATES),
    Reason("^gain -1 of Fx from mid", "HC036A", _ACROSS_TURNED),
    Reason("^50 ms of samples stored twice", "rbds", _FLIGHT_TWICE),
    Reason("^Fz alone 5 ms late", "", _FZ_5MS),
    Reason("^gain 0.9 of Fz", "", _ALONE_GAIN),
    Reason("^one plate turned by 30°", "rajagopal|stairs", _TURNED_30),
    Reason("^declared rate × 0.8", "over_edge", _RATE_ONE),
    Reason("^one marker moved by 15 mm", "latrobe/sprint", _SPRINT_SKIN),
    Reason("^one marker moved by 15 mm", "rbds_running/run", _STRIKE_MEANWHILE),
    Reason("^forces 20 ms", "", _ENDS),
    Reason("^clock of the plates", "", _ONE_CONTACT),
    Reason("^sign of F[xy]", "HC030A/turn", _TURN),
    Reason("^sign of F[xy]", "qualisys/walk", _SMALL_ACROSS),
    Reason("^sign of F[xy]", "latrobe/sprint", _RUN_ACROSS),
    Reason("^Fy without its sign", "latrobe/sprint", _RUN_SIGN_LOST),
    Reason("^a thigh's markers off by 15 mm in 5", "isb_bone_names", _PAIR),
    Reason("^sign of F[xy]", "rajagopal/run", _RUN_UNSURE),
    Reason("^Fz dead", "HC030A/turn", _ENDS_LOW),
    Reason("^sign of Mx", "gait2392|arnold", _PRESSURE),
    Reason("^one of four transducers", "qualisys", _PRESSURE),
    Reason("^gain (0.85|1.15), one", "padua", _CUT),
    Reason("^gain 0.85, all", "isb_bone_names", _NOTED),
    Reason("^gain 1.15, all", "isb_bone_names", _BETTER),
    Reason("^F[xy] alone 20 ms late", "", _LATE_CHANNEL),
    Reason("^My alone 20 ms late", "latrobe/sprint", _LATE_MOMENT, "^plate 2"),
    Reason("^plates shifted by 6 cm", "", _AT_LIMIT),
    Reason("^markers tilted by 5°", "", _LEANS_ALONG),
    Reason("^Fz drifts by 50 N", "gait2392", _DRIFT),
    Reason("^another person's measurements", "HC036A", _SAME_SIZE),
    Reason("^stored thigh rotation", "simulated run", _AXIS),
    Reason("^one marker off by (5|10) mm in 1 frame", "gait2392", _SHANK_60, "^(L.Shank.Upper|R.Shank.Front)"),
    Reason("^one marker off by 10 mm in 1 frame", "gait2392", _BOTH_AT_60, "^L.Shank.Front"),
    Reason("^one marker off by 15 mm in 5", "gait2392", _FIVE_AT_60, "^L.Shank.Upper"),
    Reason("^one marker (off by|not seen)", "cgm24|rajagopal|latrobe", _FILLED),
    Reason("^one marker off by 10 mm in 5", "qualisys", _SPLINE),
    Reason("markers turned by 8° in 5", "latrobe", _TURN_UNSEEN, "^LLMAL"),
    Reason("markers turned by 8° from", "padua", _TURN_OF_TWO, "^LFCL"),
    Reason("markers turned by 8°", "simulated walk mirrored, noisy", _TURN_OF_TWO),
    Reason("markers turned by 8°", "gait2392|rajagopal|rbds_running|isb_bone_names", _TURN_RAW),
    Reason("^a (shank|thigh|pelvis)'s markers", "gait2392", _SEVERAL_60),
    Reason("^a foot's markers off by 15 mm in 5", "rbds_running", _AT_STRIKE),
    Reason("^a foot's markers off by 15 mm in 5", "rajagopal", _HIDDEN),
)


def reason_of(attack: str, trial: str, words: str) -> str:
    """The reason for a silent trial; empty where there is none."""
    for reason in REASONS:
        if all(re.search(pattern, text) for pattern, text in _pairs(reason, attack, trial, words)):
            return reason.why
    return ""


def _pairs(reason: Reason, attack: str, trial: str, words: str) -> tuple[tuple[str, str], ...]:
    return (reason.attack, attack), (reason.trial, trial), (reason.words, words)
