"""Which notes of a result say that a plate, a clock, a weight or the laboratory is wrong, and what of it they name."""

from __future__ import annotations

import re
from typing import NamedTuple

from gaitid.analysis.result import Result
from gaitid.notes import Note

#: Every cause that a note may name; one that leaves several open names them with / between.
CAUSES = (
    "sign",
    "exchange",
    "gain",
    "horizontal_gain",
    "moment_gain",
    "moved",
    "turned",
    "raised",
    "late",
    "drift",
    "rate",
    "zero",
    "crosstalk",
    "mass",
    "tilt",
    "yaw",
    "support",
    "torsion",
    "plates_exchanged",
    "dead",
    "clipped",
    "other",
)


class Accusation(NamedTuple):
    """One note that says what is wrong.

    Attributes
    ----------
    cause : str
        Of `CAUSES`, several with / between where the note leaves them open.
    plates : tuple of int
        Empty where it is about all of them together, or about none.
    text : str
    """

    cause: str
    plates: tuple[int, ...]
    text: str

    def names(self, wanted: frozenset[str]) -> bool:
        """Whether it names one of these causes."""
        return bool(wanted & set(self.cause.split("/")))


#: What the judge says of a fault (`gaitid.faults`), and of what else it may be: all that fit hold.
_JUDGED = (
    (r"corners are turned by|turned by \d+ ± \d+° on the floor", "turned"),
    (r"corners run the other way", "turned"),
    (r"each reports the other's load", "plates_exchanged"),
    (r"are exchanged", "exchange"),
    (r"ha(s|ve) the wrong sign", "sign"),
    (r"all channels give", "gain"),
    (r"Fz gives", "gain"),
    (r"F[xy]( and Fy)? gives?", "horizontal_gain"),
    (r"M[xy]( and My)? gives?", "moment_gain"),
    (r"lies? elsewhere: pressure and motion fit", "moved"),
    (r"is read in", "crosstalk/tilt/zero"),
    (r"holds the free moment", "torsion"),
    (r"wrong zero", "zero/crosstalk"),
    (r"drift by", "drift/late"),
    (r"forces are \d", "late"),
    (r"cameras' vertical leans", "tilt"),
    (r"cameras' axes are turned", "yaw"),
    (r"turned by \d+ ± \d+°", "turned/yaw"),
    (r"the rate is declared", "rate"),
    (r"times what mass and motion require", "mass/gain/support"),
)
#: How plates and channels are said to be read wrongly, wherever it is said: the first that fits holds.
_READINGS = (
    (r"seem turned by", "turned"),
    (r"seem those of plate", "plates_exchanged"),
    (r"are exchanged", "exchange"),
    (r"ha(s|ve) the wrong sign", "sign"),
)
#: Code, a part of the text (as a regular expression), cause; the first that fits holds.
_SAID: tuple[tuple[str, str, str], ...] = (
    *(
        (code, text, cause)
        for code in ("plate_misplaced", "plate_channel", "plate_doubtful")
        for text, cause in _READINGS
    ),
    ("plate_misplaced", "moved by|lie beside|pressure lies beside|of another origin", "moved"),
    ("plate_misplaced", "", "other"),
    ("plate_channel", "late or early beside the others", "late/zero/exchange/moment_gain/horizontal_gain"),
    ("plate_channel", "free moment", "torsion"),
    ("plate_channel", "pulled up", "sign"),
    ("plate_channel", "is dead", "dead/gain"),
    ("plate_channel", "is clipped", "clipped"),
    ("plate_channel", "ends at once|do(es)? not change", "dead"),
    ("plate_channel", "sign of its samples was lost", "sign"),
    ("plate_channel", "pressure lies|move its pressure", "moment_gain"),
    ("plate_channel", "does not turn from braking", "sign/exchange"),
    ("plate_channel", "", "other"),
    # these a file says of itself
    (
        "plate_doubtful",
        "labelled|flat rectangle|FPCOPPOLY|ORIGIN lies|do not change|force_sense|centre of pressure",
        "",
    ),
    ("plate_doubtful", "sensor's axis", "moment_gain"),
    ("plate_doubtful", "too rarely|jumps by", "other"),
    ("plate_doubtful", "it is late", "late"),
    ("plate_doubtful", "free moment", "torsion"),
    ("plate_doubtful", "cameras' vertical leans", "tilt"),
    ("plate_doubtful", "changes (by )?[\\d.]+ times", "horizontal_gain"),
    ("plate_doubtful", "times as much as that of plate|times the lean", "horizontal_gain"),
    ("plate_doubtful", "overlap", "moved"),
    ("plate_doubtful", "whole steps the plates push", "crosstalk/zero/tilt/support"),
    ("plate_doubtful", "or of the zero|points past the body", "crosstalk/zero/tilt"),
    ("plate_doubtful", "", "other"),
    ("plate_bias", "", "zero"),
    ("plate_gain", "drifts", "gain"),
    ("plate_gain", "steady load is in it", "gain/zero"),
    ("plate_gain", "", "gain"),
    ("body_not_carried", "", "mass/gain/support"),
    ("weight_doubtful", "", "mass/gain"),
    ("weight_wrong", "", "mass/gain"),
    ("clocks_apart", "", "late"),
    ("rate_doubtful", "forces last", "rate/drift"),
    ("rate_doubtful", "", "rate"),
    ("vertical_assumed", "lie up to", "tilt"),
)


#: What the reason of a contact names: a part of the text (as a regular expression), cause.
_REASONS = (
    *_READINGS,
    (r"markers are \d+ cm (above|below)", "raised"),
    (r"runs? from toe to heel", "turned"),
    (r"does not run forward", "turned/sign"),
    (r"across the foot", "exchange"),
    (r"moved by|not under the foot|where the foot presses|lies beside", "moved"),
)


def cause_of(note: Note) -> str:
    """What a note names; empty where it accuses nothing. A code ``fault_CAUSE`` names its cause itself."""
    if note.code.startswith("fault"):
        said = note.code.removeprefix("fault").strip("_")
        if said in CAUSES:
            return said
        return next((cause for text, cause in _READINGS if re.search(text, note.text)), "other")
    if "joint moments change by" in note.text or note.code in ("rate_doubtful", "body_not_carried"):
        judged = [cause for text, cause in _JUDGED if re.search(text, note.text)]
        if judged:
            return "/".join(judged)
    return next((cause for code, text, cause in _SAID if code == note.code and re.search(text, note.text)), "")


def accusations(result: Result, readings: bool = True) -> list[Accusation]:
    """All of a result, in the order of its notes.

    What an empty plate was read to give comes last, as it follows from others; or it is left out, as it is no opinion.
    """
    notes = sorted(result.notes, key=lambda note: note.code == "plate_bias")
    said = ((note, cause_of(note)) for note in notes if readings or note.code != "plate_bias")
    return [Accusation(cause, note.plates, note.text) for note, cause in said if cause]


def reasons(result: Result) -> list[Accusation]:
    """What the reasons of contacts say, which lower a confidence or leave a load empty."""
    found = []
    for contact in result.contacts:
        on = re.match(r"plates? (\d+): ", contact.reason)
        plates = contact.plates or ((int(on[1]),) if on else ())
        cause = next((cause for text, cause in _REASONS if re.search(text, contact.reason)), "")
        if cause:
            found.append(Accusation(cause, plates, contact.reason))
    return found
