"""Figures of a contact that limits of `gaitid.ground` are held to: in clean stances and in spoilt ones, by laboratory.

`FIGURES` is the list: who adds a figure to the evidence of a contact adds a row, and `load_coverage.py` then chooses
its limit with each laboratory left out in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from attack_list import ATTACKS  # noqa: E402
from attack_trials import Case, Spoilt  # noqa: E402
from mistake_list import MISTAKES, Mistake  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.errors import GaitidError  # noqa: E402
from gaitid.ground import contacts as judged_in  # noqa: E402
from gaitid.ground import judgement  # noqa: E402
from gaitid.ground.evidence import Evidence, Limits  # noqa: E402
from gaitid.ground.judgement import Judgement  # noqa: E402
from gaitid.ground.sole import UNDER_BALL, UNDER_HEEL  # noqa: E402
from gaitid.numerics.statistics import median  # noqa: E402


@dataclass(frozen=True, eq=False)
class Seen:
    """One contact as it was judged: the foot that it is of, its evidence, the answer, and the trial that it is of."""

    side: str
    evidence: Evidence
    judgement: Judgement
    result: Result

    def overlaps(self, first: int, last: int) -> bool:
        """Whether it shares more than half of the frames from `first` to `last`."""
        shared = min(self.evidence.last, last) - max(self.evidence.first, first) + 1
        return shared > 0.5 * (last - first + 1)


@contextmanager
def judging(seen: list[Evidence], limits: Limits | None = None) -> Iterator[list[Judgement]]:
    """Within, every contact that is judged is kept, and held to these limits."""
    answers: list[Judgement] = []
    original = judged_in.judge

    def judge(contact: Evidence, *rest: object) -> Judgement:
        answer = original(contact, *(rest if limits is None else (limits,)))  # type: ignore[arg-type]
        seen.append(contact)
        answers.append(answer)
        return answer

    judged_in.judge = judge  # type: ignore[assignment]
    try:
        yield answers
    finally:
        judged_in.judge = original


def contacts_of(case: Case, spoilt: Spoilt | None = None) -> list[Seen]:
    """Every contact with plates of a trial, as it was recorded or spoilt, as it is judged; none where it is refused."""
    evidence: list[Evidence] = []
    trial, static, subject = case.trial, case.static, case.subject
    if spoilt is not None:
        trial, static, subject = spoilt.trial, spoilt.static or static, spoilt.subject or subject
    with judging(evidence) as answers:
        try:
            result = analyse(trial, case.model, subject, static)
        except GaitidError:
            return []
    sides = {id(foot): side for side, foot in result.ground.feet.items()}
    seen = [Seen(sides[id(e.foot)], e, a, result) for e, a in zip(evidence, answers) if id(e.foot) in sides]
    # a mass that the plates tell needs the contacts first: the last answer counts
    last = {(one.side, one.evidence.first, one.evidence.last): one for one in seen}
    return list(last.values())


# --- the figures ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure and the limit that it is held to.

    Attributes
    ----------
    name : str
        With its unit.
    limit : str
        Field of `Limits`, or a name of its own; empty where there is none yet.
    largest : bool
        Whether a contact is unknown above the limit; else below.
    measure : function
        Contact → figure, NaN where it tells nothing.
    spoilt_by : str
        Parts of the names of faults that it is to find, with | between them.
    elsewhere : float
        The limit as it stands, where it is no field of `Limits`: a trial is not judged anew by it.
    """

    name: str
    limit: str
    largest: bool
    measure: Callable[[Seen], float]
    spoilt_by: str
    elsewhere: float = float("nan")

    @property
    def now(self) -> float:
        """The limit as it stands."""
        return float(getattr(Limits(), self.limit)) if self.limit in Limits._fields else self.elsewhere

    def faults(self) -> list[Mistake]:
        """The faults that it is to find."""
        parts = self.spoilt_by.split("|")
        return [fault for fault in (*MISTAKES, *ATTACKS) if any(part in fault.name for part in parts)]

    def beyond(self, value: float, limit: float) -> bool:
        """Whether a contact with this value is unknown."""
        return value > limit if self.largest else value < limit


def pressure_off_the_roll(seen: Seen) -> float:
    """How far the pressure lies from where a foot presses, m: the largest of the medians under heel, ball and aside."""
    contact, limits = seen.evidence, Limits()
    if not contact.in_one_plane or contact.far_over_a_step(limits):
        return float("nan")
    sure = contact.sure & (contact.vertical > limits.roll_force * contact.peak)
    ahead, left = contact.off_the_roll
    parts = (ahead[sure & (contact.roll == UNDER_HEEL)], ahead[sure & (contact.roll == UNDER_BALL)], left[sure])
    known = [part[np.isfinite(part)] for part in parts]
    return max((abs(float(median(part))) for part in known if len(part) >= limits.roll_frames), default=float("nan"))


def misplaced_share(seen: Seen) -> float:
    """Share of the frames that tell in which the pressure is not under the foot."""
    contact = seen.evidence
    if not contact.in_one_plane or not contact.sure.any():
        return float("nan")
    return float(contact.misplaced(Limits()).sum() / contact.sure.sum())


def runs_forward(seen: Seen) -> float:
    """By how much of the foot the pressure goes forward from the first to the last third."""
    contact = seen.evidence
    if not contact.in_one_plane:
        return float("nan")
    along = contact.on_foot[1]
    thirds = along[contact.pressing & np.isfinite(along)]
    k = len(thirds) // 3
    return float(thirds[-k:].mean() - thirds[:k].mean()) if k and judgement._moves_forward(contact) else float("nan")


def height(seen: Seen) -> float:
    """Of the lower foot marker above the surface, m, median over the stance."""
    contact = seen.evidence
    here, surface, normal = contact.pressing_track, contact.plates[0].centre_g, contact.normal_g
    if not len(here.heel_g):
        return float("nan")
    return float(median(np.minimum((here.heel_g - surface) @ normal, (here.toe_g - surface) @ normal)))


def replace_limits(**values: float) -> Limits:
    """The limits with others in place of some."""
    return Limits()._replace(**values)


ENDS, MIDDLE = "single support, first and last third [body weights]", "single support, middle third [body weights]"
FIGURES: tuple[Figure, ...] = (
    Figure(ENDS, "carries", False, lambda seen: seen.evidence.single_support[0], "gain 0.5, one"),
    Figure(MIDDLE, "carries_middle", False, lambda seen: seen.evidence.single_support[1], "gain 0.5, one"),
    Figure(
        "less than the motion asks for, mean [body weights]",
        "lost",
        True,
        lambda seen: seen.evidence.support.lost,
        "gain 0.5, one",
    ),
    Figure(
        "less than the motion asks for, at once [body weights]",
        "lost_at_once",
        True,
        lambda seen: float(np.fmax.reduce(seen.evidence.support.lacking)),
        "gain 0.5, one",
    ),
    Figure(
        "peak [body weights]",
        "most",
        True,
        lambda seen: seen.evidence.peak / seen.evidence.weight_N,
        "Fz × 1000|gain 8, one",
    ),
    Figure(
        "pressure off the roll [m]",
        "roll_off",
        True,
        pressure_off_the_roll,
        "shifted by 10 cm|plate turned by 90°, one",
    ),
    Figure(
        "pressure not under the foot [share of frames]",
        "misplaced_share",
        True,
        misplaced_share,
        "shifted by 10 cm|torques × 1000, one",
    ),
    Figure("pressure forward [share of the foot]", "backward", False, runs_forward, "turned by 180°, one"),
    Figure(
        "pressure across the foot [m]",
        "sideways",
        True,
        lambda seen: judgement.travelled(seen.evidence, Limits())[0],
        "Mx and My exchanged, one",
    ),
    Figure("lower foot marker above the surface [m]", "lowest", False, height, "plates 10 cm too high"),
)


@dataclass(frozen=True, eq=False)
class Clean:
    """One stance that is known to be whole: its trial, foot and frames."""

    case: Case
    side: str
    first: int
    last: int


@dataclass(frozen=True)
class Measured:
    """Values of one figure by laboratory."""

    clean: Mapping[str, Sequence[float]]
    spoilt: Mapping[str, Sequence[float]]

    def without(self, laboratory: str) -> tuple[list[float], list[float]]:
        """Values of clean and spoilt stances of all other laboratories."""
        return tuple(
            [value for name, values in by_name.items() if name != laboratory for value in values]
            for by_name in (self.clean, self.spoilt)
        )  # type: ignore[return-value]


def measure(figure: Figure, stances: Sequence[Clean]) -> Measured:
    """A figure in clean stances, and in the same ones where their trial is spoilt."""
    clean: dict[str, list[float]] = {}
    spoilt: dict[str, list[float]] = {}
    by_case: dict[int, list[Clean]] = {}
    for stance in stances:
        by_case.setdefault(id(stance.case), []).append(stance)
    for of_case in by_case.values():
        case = of_case[0].case
        _add(clean.setdefault(case.laboratory, []), figure, contacts_of(case), of_case)
        for fault in figure.faults():
            for one in fault.on(case):
                # a fault of one plate leaves the stances on the others as they were
                plate = int(one.words.split()[1].rstrip(",")) if one.words.startswith("plate ") else None
                _add(spoilt.setdefault(case.laboratory, []), figure, contacts_of(case, one), of_case, plate)
    return Measured(clean, spoilt)


def _add(
    values: list[float], figure: Figure, seen: Sequence[Seen], stances: Sequence[Clean], plate: int | None = None
) -> None:
    for stance in stances:
        for one in seen:
            on = [p.number for p in one.evidence.plates]
            if one.side == stance.side and one.overlaps(stance.first, stance.last) and plate in (None, *on):
                value = figure.measure(one)
                values += [value] if np.isfinite(value) else []


def chosen(figure: Figure, clean: Sequence[float], spoilt: Sequence[float]) -> float:
    """The limit by these values: midway between the last clean stance and the quarter of spoilt ones nearest to it.

    A figure need not tell all spoilt stances; where it does not tell three quarters of them, it gives no limit (NaN).
    """
    sign = 1.0 if figure.largest else -1.0
    if not len(clean) or not len(spoilt):
        return float("nan")
    last = float(np.max(sign * np.array(clean)))
    first = float(np.quantile(sign * np.array(spoilt), 0.25))
    return sign * (last + first) / 2 if first > last else float("nan")


def limits_without(laboratory: str, measured: Mapping[str, Measured]) -> Limits:
    """The limits that all other laboratories give; those that they tell nothing of as they stand."""
    values = {}
    for figure in FIGURES:
        limit = chosen(figure, *measured[figure.name].without(laboratory))
        if figure.limit in Limits._fields and np.isfinite(limit):
            values[figure.limit] = limit
    return replace_limits(**values)
