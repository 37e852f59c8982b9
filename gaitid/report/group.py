"""A group of subjects: mean and standard deviation over subjects of each one's mean, who is in it, who is unlike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.norms import Norms, gait_profile
from gaitid.norms.fit import way_words
from gaitid.records import NamedTuple
from gaitid.report.difference import difference_tables, excursion, figures_of, members_table, mixed
from gaitid.report.lines import (
    Line,
    Member,
    Subjects,
    group_members,
    known,
    line_of,
    mean_of,
    subject_line,
    whole_subjects,
)
from gaitid.report.page import PERCENT, Basis, Pooled
from gaitid.report.page.curves import Drawn, buttons, curve_data, figures, marks
from gaitid.report.page.figures_table import FEATURES, SPATIOTEMPORAL, SideTable, side_table
from gaitid.report.panels import PANELS, SIDES, CyclePanel
from gaitid.report.sessions import GROUP_METHOD, Comparison, compared
from gaitid.report.text import UNKNOWN, fixed, render
from gaitid.results.tables import CycleCurves
from gaitid.trial import Array

#: In so many groups without anybody unlike the rest somebody is named: shared by all curves that are looked at.
_BY_CHANCE = 0.05
#: With fewer subjects nobody can be told to be unlike the rest.
LEAST_SUBJECTS = 5
_FEW = 12


class Unlike(NamedTuple):
    """A curve of a subject that is unlike those of the others; the greatest distance, in standard deviations."""

    subject: str
    side: str
    panel: CyclePanel
    distance: float
    percent: int


def group_html(subjects: Subjects, norms: Norms | None = None, why: str = "") -> str:
    """An article about a group, which is all of its page; empty where no subject has curves."""
    groups = group_members(subjects)
    drawn = {member.label for members in groups.values() for member in members}
    everyone = [member for member in whole_subjects(subjects) if member.label in drawn]
    if not everyone:
        return ""
    profile = {"GPS, °": [_score(member, norms) for member in everyone]} if norms is not None else {}
    absent = []
    for name, sessions in subjects.items():
        if name not in drawn:
            walks = [r for session in sessions for r in session.results if r.cycles]
            elsewhere = walks and all(way_words(result.record) for result in walks)
            absent.append(f"{name} (its walks turn, go up or down, or backward)" if elsewhere else name)
    of_kind = _one_group(everyone, norms, why) if len(groups) == 1 else _conditions(groups, norms, why)
    return render(
        "report/group.html",
        title=f"{len(subjects)} subjects",
        members=members_table(everyone, "Subject", profile),
        mixed=mixed(everyone),
        note=f"Without a curve like the others’: {', '.join(absent)}." if absent else "",
        least=LEAST_SUBJECTS,
        unlike=_unlike(groups),
        **of_kind,
    )


def _score(member: Member, norms: Norms) -> str:
    """Gait Profile Score of a subject."""
    sides = {side: member.basis.sides[side].curves.columns if side in member.basis.sides else {} for side in SIDES}
    profile = gait_profile(sides["left"], sides["right"], norms)
    return fixed(profile.overall, 1) if profile is not None else UNKNOWN


# --- one group ------------------------------------------------------------------------------------------------


def _one_group(members: Sequence[Member], norms: Norms | None, why: str) -> dict[str, Any]:
    """Curves of both sides on shared axes, thin for each subject, with the tools of a session's page; tables."""
    # the subjects' means as if each were a curve of one session
    sides = {side: pooled for side in SIDES if (pooled := _subjects(members, side)) is not None}
    first = members[0].basis
    drawn = Drawn("group", tuple(sides), Basis(first.kind, first.label, sides), norms, {})
    groups = figures(drawn)
    return {
        "drawn": drawn,
        "why": why,
        "buttons": buttons(drawn),
        "groups": groups,
        "marks": marks(sides),
        "curve_data": curve_data(drawn, groups),
        "tables": _tables(members, norms),
    }


def _subjects(members: Sequence[Member], side: str) -> Pooled | None:
    there = [member.basis.sides[side] for member in members if side in member.basis.sides]
    if not there:
        return None
    names = dict.fromkeys(name for pooled in there for name in pooled.curves.columns)
    count = np.arange(1, len(there) + 1)
    marks = {
        name: np.array([mean_of(getattr(pooled.curves, name)) for pooled in there])
        for name in ("off_percent", "opposite_off_percent", "opposite_strike_percent")
    }
    columns = {name: np.array([pooled.mean(name).mean for pooled in there]) for name in names}
    curves = CycleCurves(count, count, count, percent=PERCENT, columns=columns, **marks)
    struck, estimated = (
        np.array([of.any(axis=0) for of in each])
        for each in zip(*((p.impact, p.estimated) for p in there), strict=True)
    )
    return Pooled(side, count - 1, curves, struck, estimated)


def _tables(members: Sequence[Member], norms: Norms | None) -> list[SideTable]:
    """Means of subjects' means."""
    tables = []
    for caption, rows, norm in (
        ("Strides and steps", SPATIOTEMPORAL, norms.spatiotemporal if norms is not None else {}),
        ("Features", FEATURES, norms.features if norms is not None else {}),
    ):
        results = {side: {row.key: list(_means(members, side, row.key).values()) for row in rows} for side in SIDES}
        kept = [row for row in rows if any(v != 0 for side in SIDES for v in results[side][row.key])]
        tables.append(side_table(kept, results, norm, caption, norms is not None and norms.judges))
    return [table for table in tables if table.rows]


def _means(members: Sequence[Member], side: str, key: str) -> dict[str, float]:
    """Each subject's mean of a figure, of those who have any."""
    results = {member.label: figures_of(member.results, side, key) for member in members}
    return {subject: float(np.mean(values)) for subject, values in results.items() if values}


# --- several conditions ---------------------------------------------------------------------------------------


def _conditions(groups: Mapping[str, Sequence[Member]], norms: Norms | None, why: str) -> dict[str, Any]:
    labels = tuple(groups)

    def lines(side: str, column: str) -> tuple[Line, ...]:
        return known(subject_line(groups[label], side, column, i, label) for i, label in enumerate(labels))

    over = Comparison(labels, lines, "subjects", GROUP_METHOD, norms, why)
    tables = difference_tables(labels, lambda i, side, name: _means(groups[labels[i]], side, name))
    return {"drawn": None, "compared": compared(over), "tables": tables}


# --- who is unlike --------------------------------------------------------------------------------------------


def unlike(members: Sequence[Member]) -> list[Unlike]:
    """Curves that leave the band which the other subjects' curves give for a next one, the farthest first.

    The band is t sqrt(1 + 1/n) times the standard deviation of the n others, t being that of the greatest excursion of
    a smooth curve, so rare that in 95 of 100 groups of alike subjects nobody is named (Bonferroni).
    """
    curves = {(side, column): _mean_curves(members, side, column) for side in SIDES for column in PANELS}
    enough = {of: by_name for of, by_name in curves.items() if len(by_name) >= LEAST_SUBJECTS}
    looked_at = sum(map(len, enough.values()))
    results = []
    for (side, column), by_name in enough.items():
        table = np.array(list(by_name.values()))
        for i, name in enumerate(by_name):
            far = excursion(table[i], np.delete(table, i, axis=0))
            if far.chance < _BY_CHANCE / looked_at:
                results.append(Unlike(name, side, PANELS[column], far.distance, far.percent))
    return sorted(results, key=lambda one: -one.distance)


def _mean_curves(members: Sequence[Member], side: str, column: str) -> dict[str, Array]:
    """The mean curve of each subject, without impacts and without the ground reaction of a foot in the air."""
    there = {m.label: line for m in members if (line := line_of(m, side, column, 0, m.label)) and len(line.whole)}
    if not there:
        return {}
    struck = np.array([line.impact for line in there.values()]).any(axis=0)
    curves = np.where(struck, np.nan, np.array([line.mean for line in there.values()]))
    if PANELS[column].joint == "ground":
        curves = np.where((curves == 0).any(axis=0), np.nan, curves)
    return dict(zip(there, curves, strict=True))


def _unlike(groups: Mapping[str, Sequence[Member]]) -> dict[str, str] | None:
    """By subject which curves, in words; None where there are too few subjects to look."""
    if all(len(members) < LEAST_SUBJECTS for members in groups.values()):
        return None
    by_subject: dict[str, list[str]] = {}
    for label, members in groups.items():
        for one in unlike(members):
            what = f"{one.side} {one.panel.title[:1].lower()}{one.panel.title[1:]}"
            words = f"{f'{label}, ' if label else ''}{what} ({fixed(one.distance, 1)} SD at {one.percent} %)"
            by_subject.setdefault(one.subject, []).append(words)
    return {
        subject: "; ".join(curves[:_FEW]) + (f" and {len(curves) - _FEW} more" if len(curves) > _FEW else "")
        for subject, curves in by_subject.items()
    }
