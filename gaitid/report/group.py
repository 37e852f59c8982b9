"""A group of subjects: mean and standard deviation over subjects of each one's mean, who is in it, who is unlike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.norms import Norms, gait_profile
from gaitid.norms.fit import way_words
from gaitid.records import NamedTuple
from gaitid.report.difference import excursion
from gaitid.report.lines import Line, Member, Subject, group_members, line_of, subject_line, whole_subjects
from gaitid.report.page.compare import norm_words
from gaitid.report.page.compose import data_element, tools
from gaitid.report.page.curves import Drawn, curve_data, curves_html
from gaitid.report.page.figures_table import FEATURES, SPATIOTEMPORAL, side_table, strides
from gaitid.report.page.panels import GROUPS, CyclePanel
from gaitid.report.page.pool import PERCENT, Basis, Pooled
from gaitid.report.panels import SIDES
from gaitid.report.session_tables import difference_table, feature_values, mixed_html, table_of_members
from gaitid.report.sessions import GROUP_METHOD, Comparison, comparison_html
from gaitid.report.text import UNKNOWN, escape, fixed
from gaitid.results.cycle_curves import CycleCurves
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


def group_html(subjects: Sequence[Subject], norms: Norms | None = None, why: str = "", key: str = "group") -> str:
    """The part of a page about a group; empty where no subject has curves."""
    groups = group_members(subjects)
    drawn = {member.label for members in groups.values() for member in members}
    everyone = [member for member in whole_subjects(subjects) if member.label in drawn]
    if not everyone:
        return ""
    curves = _one_group(everyone, norms, why, key) if len(groups) == 1 else _conditions(groups, norms, why, key)
    profile = {"GPS, °": [_score(member, norms) for member in everyone]} if norms is not None else {}
    absent = [_absent(subject) for subject in subjects if subject.name not in drawn]
    note = f'<p class="note">Without a curve like the others’: {escape(", ".join(absent))}.</p>' if absent else ""
    return (
        f'<section class="compared-sessions" aria-labelledby="{key}-h"><h2 id="{key}-h">Who is in it</h2>'
        f"{table_of_members(everyone, 'Subject', profile)}{mixed_html(everyone)}{note}"
        f"{_unlike(groups)}{curves}</section>"
    )


def _absent(subject: Subject) -> str:
    """Who is not in the group, and that none of its walks is straight, forward and level, where so."""
    cycled = [r for session in subject.sessions for r in session.results if r.cycles]
    elsewhere = bool(cycled) and all(way_words(result.record) for result in cycled)
    return f"{subject.name} (its walks turn, go up or down, or backward)" if elsewhere else subject.name


def _score(member: Member, norms: Norms | None) -> str:
    """Gait Profile Score of a subject."""
    sides = {side: member.basis.sides[side].curves.columns if side in member.basis.sides else {} for side in SIDES}
    profile = gait_profile(sides["left"], sides["right"], norms) if norms is not None else None
    return fixed(profile.overall, 1) if profile is not None else UNKNOWN


# --- one group ------------------------------------------------------------------------------------------------


def _one_group(members: Sequence[Member], norms: Norms | None, why: str, key: str) -> str:
    """Curves of both sides on shared axes, thin for each subject, with the tools of a session's page; tables."""
    basis = _basis(members)
    drawn = Drawn(key=key, of=tuple(basis.sides), basis=basis, norms=norms, why_empty={})
    legend = [
        f'<li class="{side}"><svg viewBox="0 0 30 8" aria-hidden="true"><path class="mean" d="M0 4H30"/></svg>'
        f"{side} ({len(pooled)} subjects)</li>"
        for side, pooled in drawn.basis.sides.items()
    ]
    legend += ["<li>thick: mean of the subjects’ means; shaded: ± 1 SD between subjects; thin: each subject</li>"]
    if norms is not None:
        legend.append(f'<li><i class="key norm"></i>{escape(norm_words(norms))}</li>')
    legend += ["<li>vertical line: foot off</li>", "<li>dotted: impact of the foot strike</li>"]
    told = f'<p class="note">{escape(why)}</p>' if why else ""
    return (
        f'<section class="curves" data-session="{key}" data-trials=""><h2>Curves over {escape(drawn.basis.label)}</h2>'
        f'<ul class="legend">{"".join(legend)}</ul>{told}{tools(drawn)}<div class="groups">{curves_html(drawn)}</div>'
        f"{data_element(f'{key}-data', curve_data(drawn))}</section>"
        f'<section class="tables"><h2>Figures</h2>{_tables(members, norms)}</section>'
    )


def _basis(members: Sequence[Member]) -> Basis:
    """The subjects' means as if each were a curve of one session."""
    sides = {side: _subjects(members, side) for side in SIDES}
    first = members[0].basis
    return Basis(first.kind, first.label, {side: pooled for side, pooled in sides.items() if pooled is not None})


def _subjects(members: Sequence[Member], side: str) -> Pooled | None:
    there = [member for member in members if side in member.basis.sides]
    if not there:
        return None
    names = dict.fromkeys(n for member in there for n in member.basis.sides[side].curves.columns)
    columns = {name: np.array([member.basis.sides[side].mean(name).mean for member in there]) for name in names}
    impact = np.array([member.basis.sides[side].mean_impact for member in there])

    def marks(name: str) -> Array:
        found = [getattr(member.basis.sides[side].curves, name) for member in there]
        known = [values[np.isfinite(values)] for values in found]
        return np.array([float(values.mean()) if len(values) else math.nan for values in known])

    count = np.arange(1, len(there) + 1)
    curves = CycleCurves(
        numbers=count,
        first_frame=count,
        last_frame=count,
        off_percent=marks("off_percent"),
        opposite_off_percent=marks("opposite_off_percent"),
        opposite_strike_percent=marks("opposite_strike_percent"),
        percent=PERCENT,
        columns=columns,
    )
    return Pooled(side, count - 1, curves, impact)


def _tables(members: Sequence[Member], norms: Norms | None) -> str:
    """Means of subjects' means."""
    given = (norms.spatiotemporal, norms.features) if norms is not None else ({}, {})
    parts = []
    for caption, rows, values, norm in (
        ("Strides and steps", SPATIOTEMPORAL, strides, given[0]),
        ("Features", FEATURES, feature_values, given[1]),
    ):
        found = {
            side: {
                row.key: [
                    float(np.mean(of_one))
                    for member in members
                    if (of_one := [v for result in member.results for v in values(result, side, row.key)])
                ]
                for row in rows
            }
            for side in SIDES
        }
        kept = [row for row in rows if any(v != 0 for side in SIDES for v in found[side][row.key])]
        if table := side_table(kept, found, norm, caption, norms is not None and norms.judges):
            parts.append(f"<h3>{caption}</h3>{table}")
    note = '<p class="note">Mean ± SD (n subjects) of each subject’s mean.</p>' if parts else ""
    return "".join(parts) + note


# --- several conditions ---------------------------------------------------------------------------------------


def _conditions(groups: Mapping[str, Sequence[Member]], norms: Norms | None, why: str, key: str) -> str:
    labels = tuple(groups)

    def lines(side: str, column: str) -> tuple[Line, ...]:
        found = [subject_line(groups[label], side, column, i, label) for i, label in enumerate(labels)]
        return tuple(line for line in found if line is not None)

    def means(i: int, side: str, name: str) -> dict[str, float]:
        values = feature_values if name in {row.key for row in FEATURES} else strides
        found = {m.label: [v for r in m.results for v in values(r, side, name)] for m in groups[labels[i]]}
        return {subject: float(np.mean(of_one)) for subject, of_one in found.items() if of_one}

    tables = difference_table("Strides and steps", SPATIOTEMPORAL, labels, means)
    tables += difference_table("Features", FEATURES, labels, means)
    note = (
        '<p class="note">Mean ± SD (n subjects). Difference: mean of the subjects’ own differences ± half of its 95 % '
        "interval (Student’s t); bold where that does not hold 0: of 20 figures one is expected by chance.</p>"
    )
    over = Comparison(labels, lines, "subjects", GROUP_METHOD, norms, why, key)
    return comparison_html(over) + (tables + note if tables else "")


# --- who is unlike --------------------------------------------------------------------------------------------


def unlike(members: Sequence[Member]) -> list[Unlike]:
    """Curves that leave the band which the other subjects' curves give for a next one, the farthest first.

    The band is t sqrt(1 + 1/n) times the standard deviation of the n others, t being that of the greatest excursion of
    a smooth curve, so rare that in 95 of 100 groups of alike subjects nobody is named (Bonferroni).
    """
    panels = [(side, panel, _means(members, side, panel)) for side in SIDES for g in GROUPS for panel in g.panels]
    enough = [(side, panel, curves) for side, panel, curves in panels if len(curves) >= LEAST_SUBJECTS]
    looked_at = sum(len(curves) for _, _, curves in enough)
    found = []
    for side, panel, curves in enough:
        table = np.array(list(curves.values()))
        for i, name in enumerate(curves):
            others = np.delete(table, i, axis=0)
            far = excursion(table[i], others)
            if far.chance < _BY_CHANCE / looked_at:
                found.append(Unlike(name, side, panel, far.distance, far.percent))
    return sorted(found, key=lambda one: -one.distance)


def _means(members: Sequence[Member], side: str, panel: CyclePanel) -> dict[str, Array]:
    """The mean curve of each subject, without impacts and without the ground reaction of a foot in the air."""
    lines = {m.label: line_of(m, side, panel.column, 0, m.label) for m in members}
    there = {name: line for name, line in lines.items() if line is not None and len(line.whole)}
    if not there:
        return {}
    struck = np.array([line.impact for line in there.values()]).any(axis=0)
    curves = np.where(struck, np.nan, np.array([line.mean for line in there.values()]))
    if panel.joint == "ground":
        curves = np.where((curves == 0).any(axis=0), np.nan, curves)
    return dict(zip(there, curves, strict=True))


def _unlike(groups: Mapping[str, Sequence[Member]]) -> str:
    title = "<h3>Unlike the others</h3>"
    if all(len(members) < LEAST_SUBJECTS for members in groups.values()):
        return f'{title}<p class="note">Not looked for: that takes {LEAST_SUBJECTS} subjects.</p>'
    by_subject: dict[str, list[str]] = {}
    for label, members in groups.items():
        for one in unlike(members):
            where = f"{label}, " if label else ""
            what = f"{one.side} {one.panel.title[:1].lower()}{one.panel.title[1:]}"
            words = f"{where}{what} ({fixed(one.distance, 1)} SD at {one.percent} %)"
            by_subject.setdefault(one.subject, []).append(words)
    method = (
        '<p class="note">A curve is named where it leaves the band in which the others’ curves let expect a next one. '
        "It is so wide that in 95 of 100 groups of alike subjects nobody is named; in a small group very wide.</p>"
    )
    if not by_subject:
        return f"{title}<p>Nobody.</p>{method}"
    items = []
    for subject, curves in by_subject.items():
        more = f" and {len(curves) - _FEW} more" if len(curves) > _FEW else ""
        items.append(f"<li><b>{escape(subject)}</b>: {escape('; '.join(curves[:_FEW]))}{more}</li>")
    return f'{title}<ul class="odd">{"".join(items)}</ul>{method}'
