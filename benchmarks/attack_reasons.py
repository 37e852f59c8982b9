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
_ONE_CONTACT = "one contact tells the clock of its plate to 30 ms, and the clock is 30 ms off by the end of the trial"
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
_RUN_UNSURE = (
    "the contact carries as little as half of body weight in single support, so that its line of force is not asked; "
    "the other contact's line leaves 0.05 turned over and 0.06 as it was recorded"
)
_PRESSURE = (
    "clean stances lie up to 3.6 cm from where the foot presses (stairs; others 1.9); the limit of 6 cm is 5.4 to 6.4 "
    "chosen without any one laboratory"
)
_AT_LIMIT = "a shift along the foot as large as the limit for pressure (6 cm; 5.4 to 6.4 chosen without a laboratory)"
_TWO_PLATES = (
    "the foot stands on two plates: no other contact weighs the one, and where the pressure of both lies is known to "
    "4 cm; mass and gain are told to 10 % over whole steps"
)
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
_SPLINE = "so far off are clean tracks by themselves for single frames (2 times); a spike is sure from 3 times on"
_RIGID = (
    "a marker that moves with its neighbours but for 2 cm in the direction of walking, as skin and other placing do"
)

REASONS: tuple[Reason, ...] = (
    Reason("^forces 20 ms", "", _ENDS),
    Reason("^clock of the plates", "", _ONE_CONTACT),
    Reason("^sign of F[xy]", "HC030A/turn", _TURN),
    Reason("^sign of F[xy]", "qualisys/walk", _SMALL_ACROSS),
    Reason("^sign of F[xy]", "latrobe/sprint", _RUN_ACROSS),
    Reason("^sign of F[xy]", "rajagopal/run", _RUN_UNSURE),
    Reason("^(sign of Fz|sign of all|Fz dead)", "", _ENDS_LOW),
    Reason(
        "^(sign of M[xy]|one of four transducers)", "gait2392|arnold|qualisys|sydney|split_belt|over_edge", _PRESSURE
    ),
    Reason("^gain (0.85|1.15), one", "sydney/walk03", _TWO_PLATES),
    Reason("^gain (0.85|1.15), one", "padua", _CUT),
    Reason("^gain 0.85, all", "isb_bone_names", _NOTED),
    Reason("^gain 1.15, all", "isb_bone_names", _BETTER),
    Reason("^F[xy] alone 20 ms late", "", _LATE_CHANNEL),
    Reason("^plates shifted by 6 cm", "", _AT_LIMIT),
    Reason("^plates shifted by 10 cm", "sydney/walk03", _TWO_PLATES),
    Reason("^markers tilted by 5°", "", _LEANS_ALONG),
)


def reason_of(attack: str, trial: str, words: str) -> str:
    """The reason for a silent trial; empty where there is none."""
    for reason in REASONS:
        if all(re.search(pattern, text) for pattern, text in _pairs(reason, attack, trial, words)):
            return reason.why
    return ""


def _pairs(reason: Reason, attack: str, trial: str, words: str) -> tuple[tuple[str, str], ...]:
    return (reason.attack, attack), (reason.trial, trial), (reason.words, words)
