"""Figures of a contact that limits of `gaitid.ground` are held to: in clean stances and in spoilt ones, by laboratory.

`FIGURES` is the list: who adds a figure to the evidence of a contact adds a row here, and `coverage.py` then chooses
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

from attack_list import ATTACKS, Attack, Spoilt  # noqa: E402
from attack_trials import Case  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.errors import GaitidError  # noqa: E402
from gaitid.ground import contacts as judged_in  # noqa: E402
from gaitid.ground import judgement  # noqa: E402
from gaitid.ground.evidence import Evidence, Limits  # noqa: E402
from gaitid.ground.judgement import Judgement  # noqa: E402
from gaitid.numerics.statistics import median  # noqa: E402


@dataclass(frozen=True, eq=False)
class Seen:
    """One contact as it was judged: the foot that it is of, its evidence, the answer."""

    side: str
    evidence: Evidence
    judgement: Judgement

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
    seen = [Seen(sides[id(e.foot)], e, a) for e, a in zip(evidence, answers) if id(e.foot) in sides]
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
        Field of `Limits`; empty where there is none yet.
    largest : bool
        Whether a contact is unknown above the limit; else below.
    measure : function
        Evidence → figure, NaN where it tells nothing.
    spoilt_by : str
        Parts of the names of attacks that it is to find, with | between them.
    """

    name: str
    limit: str
    largest: bool
    measure: Callable[[Evidence], float]
    spoilt_by: str

    def attacks(self) -> list[Attack]:
        """The attacks that it is to find."""
        return [attack for attack in ATTACKS if any(part in attack.name for part in self.spoilt_by.split("|"))]

    def beyond(self, value: float, limit: float) -> bool:
        """Whether a contact with this value is unknown."""
        return value > limit if self.largest else value < limit


def off_the_roll(contact: Evidence) -> float:
    """How far the pressure lies from where a foot presses, m: the largest median of `pressure_off_the_roll`."""
    limits = replace_limits(roll_doubt=-1.0, roll_off=np.inf)
    kept: list[float] = []
    original = judgement.median

    def median_kept(values: np.ndarray) -> float:
        kept.append(abs(float(original(values))))
        return kept[-1]

    judgement.median = median_kept  # type: ignore[assignment]
    try:
        list(judgement.pressure_off_the_roll(contact, limits))
    finally:
        judgement.median = original
    return max(kept, default=float("nan"))


def misplaced_share(contact: Evidence) -> float:
    """Share of the frames that tell in which the pressure is not under the foot."""
    if not contact.in_one_plane or not contact.sure.any():
        return float("nan")
    return float(judgement._misplaced(contact, Limits()).sum() / contact.sure.sum())


def runs_forward(contact: Evidence) -> float:
    """By how much of the foot the pressure goes forward from the first to the last third."""
    if not contact.in_one_plane:
        return float("nan")
    along = contact.on_foot[1]
    thirds = along[contact.pressing & np.isfinite(along)]
    k = len(thirds) // 3
    return float(thirds[-k:].mean() - thirds[:k].mean()) if k and judgement._moves_forward(contact) else float("nan")


def height(contact: Evidence) -> float:
    """Of the lower foot marker above the surface, m, median over the stance."""
    here, surface, normal = contact.pressing_track, contact.plates[0].centre_g, contact.normal_g
    if not len(here.heel_g):
        return float("nan")
    return float(median(np.minimum((here.heel_g - surface) @ normal, (here.toe_g - surface) @ normal)))


def replace_limits(**values: float) -> Limits:
    """The limits with others in place of some."""
    return Limits()._replace(**values)


ENDS, MIDDLE = "single support, first and last third [body weights]", "single support, middle third [body weights]"
FIGURES: tuple[Figure, ...] = (
    Figure(ENDS, "carries", False, lambda c: c.single_support[0], "gain 0.5, one"),
    Figure(MIDDLE, "carries_middle", False, lambda c: c.single_support[1], "gain 0.5, one"),
    Figure("peak [body weights]", "most", True, lambda c: c.peak / c.weight_N, "Fz × 1000|gain 8, one"),
    Figure("pressure off the roll [m]", "roll_off", True, off_the_roll, "shifted by 10 cm|turned by 90"),
    Figure(
        "pressure not under the foot [share of frames]",
        "misplaced_share",
        True,
        misplaced_share,
        "shifted by 10 cm|torques × 1000, one",
    ),
    Figure("pressure forward [share of the foot]", "backward", False, runs_forward, "turned by 180|sign of My, one"),
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
        for attack in figure.attacks():
            for one in attack.on(case):
                # an attack on one plate leaves the stances on the others as they were
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
                value = figure.measure(one.evidence)
                values += [value] if np.isfinite(value) else []


def chosen(figure: Figure, clean: Sequence[float], spoilt: Sequence[float]) -> float:
    """The limit by these values: midway between the last clean and the first spoilt one.

    The figure as such may not tell all spoilt stances: those beyond the clean ones count, and where they are less than
    half of all, the figure tells nothing, and the limit is NaN.
    """
    sign = 1.0 if figure.largest else -1.0
    a, b = sign * np.array(clean), sign * np.array(spoilt)
    beyond = b[b > a.max(initial=-np.inf)]
    if not len(a) or len(beyond) < max(1, len(b) / 2):
        return float("nan")
    return float(sign * (a.max() + beyond.min()) / 2)


def limits_without(laboratory: str, measured: Mapping[str, Measured]) -> Limits:
    """The limits that all other laboratories give; those that they tell nothing of as they stand."""
    values = {}
    for figure in FIGURES:
        limit = chosen(figure, *measured[figure.name].without(laboratory))
        if figure.limit and np.isfinite(limit):
            values[figure.limit] = limit
    return replace_limits(**values)
