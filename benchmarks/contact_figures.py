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
from types import MappingProxyType

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from attack_list import ATTACKS  # noqa: E402
from attack_trials import Case, Spoilt  # noqa: E402
from mistake_list import MISTAKES, Mistake  # noqa: E402

from gaitid.analysis.pipeline import analyse  # noqa: E402
from gaitid.analysis.result import Result  # noqa: E402
from gaitid.errors import GaitidError  # noqa: E402
from gaitid.ground import contacts as judged_in  # noqa: E402
from gaitid.ground import evidence as evidence_of  # noqa: E402
from gaitid.ground import judgement  # noqa: E402
from gaitid.ground.evidence import Evidence  # noqa: E402
from gaitid.ground.judgement import Judgement  # noqa: E402
from gaitid.ground.sole import HALF_WIDTH, MAY_STAND  # noqa: E402
from gaitid.numerics.masks import median  # noqa: E402


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


#: The modules that hold each limit.
HELD_BY = {"LACKS": (evidence_of, judgement), "MOST": (judgement,), "MISPLACED_SHARE": (judgement,)}


@contextmanager
def judging(seen: list[Evidence], limits: Mapping[str, float] = MappingProxyType({})) -> Iterator[list[Judgement]]:
    """Within, every contact that is judged is kept, and held to these limits."""
    answers: list[Judgement] = []
    original = judged_in.judge
    before = {(module, name): getattr(module, name) for name in limits for module in HELD_BY[name]}

    def judge(contact: Evidence) -> Judgement:
        answer = original(contact)
        seen.append(contact)
        answers.append(answer)
        return answer

    judged_in.judge = judge
    for module, name in before:
        setattr(module, name, limits[name])
    try:
        yield answers
    finally:
        judged_in.judge = original
        for (module, name), value in before.items():
            setattr(module, name, value)


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
        Its name in `gaitid.ground` (`HELD_BY`), or one of its own.
    largest : bool
        Whether a contact is unknown above the limit; else below.
    measure : function
        Contact → figure, NaN where it tells nothing.
    spoilt_by : str
        Parts of the names of faults that it is to find, with | between them.
    elsewhere : float
        The limit as it stands, where it is of its own: a trial is not judged anew by it.
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
        return float(getattr(HELD_BY[self.limit][0], self.limit)) if self.limit in HELD_BY else self.elsewhere

    def faults(self) -> list[Mistake]:
        """The faults that it is to find."""
        parts = self.spoilt_by.split("|")
        return [fault for fault in (*MISTAKES, *ATTACKS) if any(part in fault.name for part in parts)]

    def beyond(self, value: float, limit: float) -> bool:
        """Whether a contact with this value is unknown."""
        return value > limit if self.largest else value < limit


def misplaced_share(seen: Seen) -> float:
    """Share of the frames that tell in which the pressure is not under the foot."""
    contact = seen.evidence
    if not contact.in_one_plane or not contact.sure.any():
        return float("nan")
    return float(contact.misplaced.sum() / contact.sure.sum())


def height(seen: Seen) -> float:
    """Of the lower foot marker above the surface, m, median over the stance."""
    contact = seen.evidence
    here, surface, normal = contact.pressing_track, contact.plates[0].centre_g, contact.normal_g
    if not len(here.heel_g):
        return float("nan")
    return float(median(np.minimum((here.heel_g - surface) @ normal, (here.toe_g - surface) @ normal)))


FIGURES: tuple[Figure, ...] = (
    Figure(
        "less than the motion asks for, mean [body weights]",
        "LACKS",
        True,
        lambda seen: seen.evidence.support.lost,
        "gain 0.5, one",
    ),
    Figure(
        "less than the motion asks for, at once [body weights]",
        "LACKS",
        True,
        lambda seen: float(np.fmax.reduce(seen.evidence.support.lacking)),
        "gain 0.5, one",
    ),
    Figure(
        "peak [body weights]",
        "MOST",
        True,
        lambda seen: seen.evidence.peak / seen.evidence.weight_N,
        "Fz × 1000|gain 8, one",
    ),
    Figure(
        "pressure off the roll [m]",
        "ends",
        True,
        lambda seen: judgement.off_the_ends(seen.evidence),
        "shifted by 10 cm|plate turned by 90°, one",
        # twenty to one against the foot
        0.069,
    ),
    Figure(
        "pressure not under the foot [share of frames]",
        "MISPLACED_SHARE",
        True,
        misplaced_share,
        "shifted by 10 cm|torques × 1000, one",
    ),
    Figure(
        "pressure scatters across the foot [m]",
        "across",
        True,
        lambda seen: judgement.scatter(seen.evidence)[1],
        "Mx and My exchanged, one",
        HALF_WIDTH / np.sqrt(12),
    ),
    Figure("lower foot marker above the surface [m]", "height", False, height, "plates 10 cm too high", MAY_STAND[0]),
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


def limits_without(laboratory: str, measured: Mapping[str, Measured]) -> dict[str, float]:
    """The limits that all other laboratories give; those that they tell nothing of as they stand."""
    values = {}
    for figure in FIGURES:
        limit = chosen(figure, *measured[figure.name].without(laboratory))
        if figure.limit in HELD_BY and np.isfinite(limit):
            values[figure.limit] = limit
    return values
