"""What is drawn on one pair of axes over the cycle: means with their curves, of sides, sessions or a group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gaitid.records import frozen_dataclass
from gaitid.report.page.in_mean import in_mean
from gaitid.report.page.pool import COUNTS_FROM, CYCLE, PERCENT, RECORDING, STANCE, Basis, pool
from gaitid.report.panels import SIDES
from gaitid.report.result import Result, Session
from gaitid.trial import Array


@frozen_dataclass()
class Line:
    """A mean and what it is of.

    Attributes
    ----------
    label : str
        Of the side, session or condition.
    side : str
    style : int
        Which colour and dashes: 0 is left and 1 right where sides share axes, else the session's place.
    mean, sd : (101,) array
        Of the curves that are known in nine tenths of the cycle; `sd` NaN of a single one.
    whole : (n, 101) array
        These curves: cycles, or in a group the subjects' means.
    partial : (k, 101) array
        The others.
    impact : (101,) bool array
        Where one of the first is in the impact of a strike.
    partial_impact : (k, 101) bool array
        Where each of the others is.
    off_percent : float
        When the foot leaves the ground, on average; NaN where not known.
    """

    label: str
    side: str
    style: int
    mean: Array
    sd: Array
    whole: Array
    partial: Array
    impact: NDArray[np.bool_]
    partial_impact: NDArray[np.bool_]
    off_percent: float
    subjects: tuple[str, ...] = ()


@frozen_dataclass()
class Member:
    """The curves of one session, or of all sessions of one subject that a group page takes together.

    Attributes
    ----------
    results : tuple of Result
        Those that count for the means.
    left_out : tuple of str
        In words which trials do not, and why.
    not_straight : bool
        Whether they turn, go up or down, or backward.
    out : tuple of (str, ...)
        Of each result the sides that do not count.
    """

    label: str
    results: tuple[Result, ...]
    basis: Basis
    left_out: tuple[str, ...] = ()
    not_straight: bool = False
    out: tuple[tuple[str, ...], ...] = ()


@frozen_dataclass()
class Subject:
    """All sessions of one person."""

    name: str
    sessions: tuple[Session, ...]


def by_subject(sessions: Sequence[Session]) -> tuple[Subject, ...]:
    """The sessions of each subject, in the order given."""
    grouped: dict[str, list[Session]] = {}
    for session in sessions:
        grouped.setdefault(session.subject, []).append(session)
    return tuple(Subject(name, tuple(of_subject)) for name, of_subject in grouped.items())


def label_of(session: Session, among: Sequence[Session]) -> str:
    """Session and condition as far as they tell sessions apart, else its place among them."""
    words = [session.session, session.condition]
    if len({one.session for one in among}) == 1 and session.condition:
        words = [session.condition]
    elif len({one.condition for one in among}) == 1:
        words = [session.session]
    return ", ".join(word for word in words if word) or f"session {list(among).index(session) + 1}"


def members_of(sessions: Sequence[Session]) -> tuple[Member, ...]:
    """The curves of each session; beside gait cycles what has none is left out."""
    return _one_basis([_member(label_of(s, sessions), s.results) for s in sessions])


def group_members(subjects: Sequence[Subject]) -> dict[str, tuple[Member, ...]]:
    """A member for each subject, by the label of the sessions taken together: one that subjects share, or none.

    Sessions and conditions whose labels two subjects share are kept apart (barefoot, shod); all others are one.
    """
    labels: dict[str, set[str]] = {}
    for subject in subjects:
        for session in subject.sessions:
            if session.session or session.condition:
                labels.setdefault(label_of(session, subject.sessions), set()).add(subject.name)
    shared = [label for label, names in labels.items() if len(names) > 1]
    if len(shared) < 2 or all(len(subject.sessions) == 1 for subject in subjects):
        return {"": whole_subjects(subjects)}
    groups = {label: [_together(s, label) for s in subjects if s.name in labels[label]] for label in shared}
    return {label: _all_straight(_one_basis(members)) for label, members in groups.items()}


def whole_subjects(subjects: Sequence[Subject]) -> tuple[Member, ...]:
    """A member for each subject, of all its sessions; beside gait cycles who has none is left out.

    So is, beside straight walks, who only turns, climbs or walks backward.
    """
    return _all_straight(_one_basis([_together(subject, "") for subject in subjects]))


def _all_straight(members: Sequence[Member]) -> tuple[Member, ...]:
    """Those whose walks go straight on; all where none does."""
    straight = tuple(member for member in members if not member.not_straight)
    return straight or tuple(members)


def _member(label: str, results: Sequence[Result]) -> Member:
    means = in_mean(results)
    out = tuple(sides for sides in means.out if set(sides) != {*SIDES})
    return Member(label, means.counted, pool(means.results), means.told, means.not_straight, out)


def _together(subject: Subject, label: str) -> Member:
    chosen = [s for s in subject.sessions if not label or label_of(s, subject.sessions) == label]
    results = tuple(result for session in chosen for result in session.results)
    return _member(subject.name, results)


def _one_basis(members: Sequence[Member]) -> tuple[Member, ...]:
    """Those over gait cycles; where there are none, over stances, else over recordings."""
    with_curves = [member for member in members if member.basis.sides]
    kinds = [member.basis.kind for member in with_curves]
    kind = next((kind for kind in (CYCLE, STANCE, RECORDING) if kind in kinds), "")
    return tuple(member for member in with_curves if member.basis.kind == kind)


def side_lines(member: Member, column: str) -> tuple[Line, ...]:
    """Left and right of one session."""
    lines = [line_of(member, side, column, SIDES.index(side), side) for side in SIDES]
    return tuple(line for line in lines if line)


def session_lines(members: Sequence[Member], side: str, column: str) -> tuple[Line, ...]:
    """A line for each session."""
    lines = [line_of(member, side, column, place, member.label) for place, member in enumerate(members)]
    return tuple(line for line in lines if line)


def line_of(member: Member, side: str, column: str, style: int, label: str) -> Line | None:
    """The cycles of one side; None where no cycle has a value."""
    pooled = member.basis.sides.get(side)
    values = pooled.curves.columns.get(column) if pooled else None
    if pooled is None or values is None or not np.isfinite(values).any():
        return None
    known = np.isfinite(values).mean(axis=1)
    whole = known >= COUNTS_FROM
    others = (known > 0) & ~whole
    mean, struck = pooled.mean(column), pooled.impact
    if column.endswith(("_deg", "_N_per_kg")):
        struck = np.zeros_like(struck)
    spoiled, off = np.asarray(struck[whole].any(axis=0)), _mean(pooled.curves.off_percent)
    return Line(label, side, style, mean.mean, mean.sd, values[whole], values[others], spoiled, struck[others], off)


def subject_line(members: Sequence[Member], side: str, column: str, style: int, label: str) -> Line | None:
    """Mean over subjects (one member each) of each one's mean; None where no subject has one."""
    found = {member.label: line_of(member, side, column, style, label) for member in members}
    named = {name: line for name, line in found.items() if line is not None and len(line.whole)}
    if not named:
        return None
    lines = list(named.values())
    means = np.array([line.mean for line in lines])
    mean = means.mean(axis=0)
    sd = means.std(axis=0, ddof=1) if len(means) > 1 else np.full(len(PERCENT), np.nan)
    impact = np.asarray(np.array([line.impact for line in lines]).any(axis=0))
    off = _mean(np.array([line.off_percent for line in lines]))
    none = np.empty((0, len(PERCENT)))
    return Line(label, side, style, mean, sd, means, none, impact, none.astype(bool), off, tuple(named))


def _mean(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")
