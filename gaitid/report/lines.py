"""What is drawn on one pair of axes over the cycle: means with their curves, of sides, sessions or a group; and norms
that fit all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.norms import Band, Norms, norms_for
from gaitid.records import frozen_dataclass
from gaitid.report.gathering import Session
from gaitid.report.page import CYCLE, PERCENT, RECORDING, STANCE, Basis, pool
from gaitid.report.page.figures_table import speeds_of
from gaitid.report.page.messages import in_mean
from gaitid.report.page.sure import band_at
from gaitid.report.panels import SIDES
from gaitid.results.result import Result
from gaitid.trial import Array, Mask


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
    impact: Mask
    partial_impact: Mask
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


Subjects = Mapping[str, Sequence[Session]]
"""All sessions of each person, by name."""


def by_subject(sessions: Sequence[Session]) -> Subjects:
    """The sessions of each subject, in the order given."""
    grouped: dict[str, list[Session]] = {}
    for session in sessions:
        grouped.setdefault(session.subject, []).append(session)
    return grouped


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


def group_members(subjects: Subjects) -> dict[str, tuple[Member, ...]]:
    """A member for each subject, by the label of the sessions taken together: one that subjects share, or none.

    Sessions and conditions whose labels two subjects share are kept apart (barefoot, shod); all others are one.
    """
    labels: dict[str, dict[str, list[Session]]] = {}
    for subject, sessions in subjects.items():
        for session in sessions:
            if session.session or session.condition:
                labels.setdefault(label_of(session, sessions), {}).setdefault(subject, []).append(session)
    shared = {label: of_label for label, of_label in labels.items() if len(of_label) > 1}
    if len(shared) < 2 or all(len(sessions) == 1 for sessions in subjects.values()):
        return {"": whole_subjects(subjects)}
    return {
        label: whole_subjects({subject: of_label[subject] for subject in subjects if subject in of_label})
        for label, of_label in shared.items()
    }


def whole_subjects(subjects: Subjects) -> tuple[Member, ...]:
    """A member for each subject, of all its sessions; beside gait cycles who has none is left out.

    So is, beside straight walks, who only turns, climbs or walks backward.
    """
    members = _one_basis(
        [_member(name, [r for session in sessions for r in session.results]) for name, sessions in subjects.items()]
    )
    return tuple(member for member in members if not member.not_straight) or members


def _member(label: str, results: Sequence[Result]) -> Member:
    means = in_mean(results)
    out = tuple(sides for sides in means.out if set(sides) != {*SIDES})
    return Member(label, means.counted, pool(means.results), means.left_out, means.not_straight, out)


def _one_basis(members: Sequence[Member]) -> tuple[Member, ...]:
    """Those over gait cycles; where there are none, over stances, else over recordings."""
    with_curves = [member for member in members if member.basis.sides]
    kinds = [member.basis.kind for member in with_curves]
    kind = next((kind for kind in (CYCLE, STANCE, RECORDING) if kind in kinds), "")
    return tuple(member for member in with_curves if member.basis.kind == kind)


# --- lines ------------------------------------------------------------------------------------------------------------


def side_lines(member: Member, column: str) -> tuple[Line, ...]:
    """Left and right of one session."""
    return known(line_of(member, side, column, place, side) for place, side in enumerate(SIDES))


def session_lines(members: Sequence[Member], side: str, column: str) -> tuple[Line, ...]:
    """A line for each session."""
    return known(line_of(member, side, column, place, member.label) for place, member in enumerate(members))


def known(lines: Iterable[Line | None]) -> tuple[Line, ...]:
    """Those that there are."""
    return tuple(line for line in lines if line is not None)


def line_of(member: Member, side: str, column: str, style: int, label: str) -> Line | None:
    """The cycles of one side; None where no cycle has a value."""
    pooled = member.basis.sides.get(side)
    if pooled is None or not np.isfinite(values := pooled.values(column)).any():
        return None
    mean, struck = pooled.mean(column), pooled.spoiled(column)
    return Line(
        label,
        side,
        style,
        mean.mean,
        mean.sd,
        values[mean.whole],
        values[mean.part],
        np.asarray(struck[mean.whole].any(axis=0)),
        struck[mean.part],
        mean_of(pooled.curves.off_percent),
    )


def subject_line(members: Sequence[Member], side: str, column: str, style: int, label: str) -> Line | None:
    """Mean over subjects (one member each) of each one's mean; None where no subject has one."""
    lines = {m.label: line for m in members if (line := line_of(m, side, column, style, label)) and len(line.whole)}
    if not lines:
        return None
    means, none = np.array([line.mean for line in lines.values()]), np.empty((0, len(PERCENT)))
    return Line(
        label,
        side,
        style,
        means.mean(axis=0),
        means.std(axis=0, ddof=1) if len(means) > 1 else np.full(len(PERCENT), np.nan),
        means,
        none,
        np.asarray(np.array([line.impact for line in lines.values()]).any(axis=0)),
        none.astype(bool),
        mean_of(np.array([line.off_percent for line in lines.values()])),
        tuple(lines),
    )


def mean_of(values: Array) -> float:
    """The mean of what is known; NaN where nothing is."""
    seen = values[np.isfinite(values)]
    return float(seen.mean()) if len(seen) else float("nan")


def held(lines: Sequence[Line], band: Band | None, thin: bool = False) -> Array:
    """Everything that the axis of some lines has to hold, where `thin` also each curve: no impact and no spike."""
    values = [np.empty(0)]
    for line in lines:
        sound, sd = np.where(line.impact, np.nan, line.mean), np.nan_to_num(line.sd)
        values += [sound - sd, sound + sd]
        if thin:
            values.append(np.where(line.impact, np.nan, line.whole).ravel())
        if thin or not len(line.whole):
            values.append(np.where(line.partial_impact, np.nan, line.partial).ravel())
    if band is not None:
        mean, sd = band_at(band)
        beside = band.spike_until_percent <= PERCENT
        values += [(mean + way * np.nan_to_num(sd))[beside] for way in (-1, 1)]
    return np.concatenate(values)


# --- norms ------------------------------------------------------------------------------------------------------------


def shared_norms(members: Sequence[Member], choice: str | None) -> tuple[Norms | None, str]:
    """Norms that fit every member, and in plain words which and why, or why none.

    Where they depend on speed, they are those of the member whose speed is nearest to the mean of all.

    Raises
    ------
    GaitidError
        No such norms.
    """
    if members[0].basis.kind != CYCLE:
        return None, f"No normative bands: these curves run over {members[0].basis.label}."
    speeds = [speeds_of(member.results) for member in members]
    means = np.array([float(np.mean(of_one)) if of_one else float("nan") for of_one in speeds])
    given = [norms_for(choice, m.results[0].record, speed) for m, speed in zip(members, means, strict=True)]
    for member, (norms, why) in zip(members, given, strict=True):
        if norms is None:
            return None, f"{member.label}: {why}" if len(members) > 1 and choice != "none" else why
    if len(members) == 1 or not np.isfinite(means).any():
        return given[0]
    nearest = int(np.nanargmin(np.abs(means - np.nanmean(means))))
    norms, why = given[nearest]
    unknown = [m.label for m, (of_one, _) in zip(members, given, strict=True) if of_one and not of_one.judges]
    if norms is not None and norms.judges and unknown:
        norms = replace(norms, judges=False)
        ages = f"the age of {', '.join(unknown)} is not known, or does not fit"
        why = f"{why} No curve is called normal or not by it: {ages}."
    return norms, f"{why} Chosen for {members[nearest].label}, whose speed is nearest to the mean of all."
