"""Sessions or conditions on shared axes, with their differences and bands: what a page draws of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gaitid.drawing import SHAPE, Scale, area, path, scale_for, wider
from gaitid.norms import Norms
from gaitid.numerics.masks import spans
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.report.difference import (
    LEAST_CYCLES,
    Difference,
    difference,
    loaded_only,
    members_table,
    mixed,
    paired_difference,
    session_tables,
)
from gaitid.report.gathering import Session
from gaitid.report.lines import Line, held, label_of, members_of, session_lines
from gaitid.report.page import PERCENT
from gaitid.report.page.curves import rounded
from gaitid.report.page.head import no_age
from gaitid.report.page.sure import SHORTEST_PERCENT, band_at
from gaitid.report.panels import GROUPS, PANELS, SIDES, CyclePanel, Group
from gaitid.report.text import fixed, render
from gaitid.trial import Array

#: So many sessions have a colour and dashes of their own.
STYLES = 5
# The axis of a difference shows at least this part of the axis of the curves.
_LEAST_SPAN = 0.2
# Bands are drawn at every second percent: half of the bytes, and no eye sees it.
_BAND_STEP = 2
_BAND = (
    "The band of a difference holds its whole course in 95 of 100 repetitions with other {curves} of the same {kind}: "
    "t times the standard error of {what}, t being that of the greatest excursion of a smooth curve (random field "
    "theory: Pataky, Vanrenterghem & Robinson 2015, J Biomech 48:1277–1285; bands for single instants hold whole "
    "curves in about half of the cases: Lenhoff et al. 1999, Gait Posture 9:10–17). With fewer than "
    f"{LEAST_CYCLES} {{curves}} there is no band. "
)
_SESSIONS_METHOD = (
    _BAND.format(curves="{curves}", kind="sessions", what="the difference of the means (Welch)")
    + "They are taken as independent. The band knows nothing but the variation between them: not that markers were "
    "put on again between sessions, which by itself moves angles by 2 to 5° (McGinley et al. 2009, Gait Posture "
    "29:360–369), rotations by more."
)
GROUP_METHOD = _BAND.format(curves="subjects", kind="population", what="the mean of the subjects’ own differences")


@frozen_dataclass()
class Comparison:
    """What is held against what.

    Attributes
    ----------
    labels : tuple of str
        Of sessions or conditions; all are held against the first.
    lines : callable
        The lines of a side and a column.
    curves : str
        What a mean is of: ``cycles``, ``subjects``.
    method : str
        How the bands of differences are made.
    norms : Norms or None
    why : str
        Which norms, or why none.
    counts : tuple of str
        Of the trials of each label.
    differ : callable or None
        Differences of the lines of a panel from the first; `differences` by default.
    """

    labels: tuple[str, ...]
    lines: Callable[[str, str], tuple[Line, ...]]
    curves: str
    method: str
    norms: Norms | None
    why: str
    counts: tuple[str, ...] = ()
    differ: Callable[[CyclePanel, Sequence[Line]], list[tuple[Line, Difference]]] | None = None


class Change(NamedTuple):
    """A figure, or a curve at one percent, that differs by more than the smallest detectable change (`limit`)."""

    side: str
    words: str
    unit: str
    a: str
    b: str
    difference: str
    limit: str


class Changes(NamedTuple):
    """What of the differences between two sessions is more than the smallest detectable change.

    Attributes
    ----------
    a, b : str
        Names of the sessions.
    words : str
        What the limit is, and of how many figures and curves it is known; or why it is not known.
    rows : sequence of Change
    known : bool
    """

    a: str
    b: str
    words: str
    rows: Sequence[Change] = ()
    known: bool = True


# The lines of each column of which there are any, and differences from the first with their bands.
Drawn = dict[str, tuple[tuple[Line, ...], list[tuple[Line, Difference]]]]


class Figure(NamedTuple):
    """One panel of a side.

    Attributes
    ----------
    panel : CyclePanel
    counts : str
        Of the curves of each line.
    scale : Scale
    label : str
    norm : str or None
        The area of the norms.
    lines : list of (style, paths by their class, foot off)
    difference : DifferenceFigure or None
    """

    panel: CyclePanel
    counts: str
    scale: Scale
    label: str
    norm: str | None
    lines: list[tuple[int, list[tuple[str, str]], float]]
    difference: DifferenceFigure | None


class DifferenceFigure(NamedTuple):
    """Lines less the first.

    Attributes
    ----------
    name : str
    scale : Scale
    lines : list of (style, area of the band, line, spans across in which the band does not hold 0)
    """

    name: str
    scale: Scale
    lines: list[tuple[int, str, str, list[tuple[float, float]]]]


class Apart(NamedTuple):
    """Where lines differ from the first, in words.

    Attributes
    ----------
    who : str
    found : list of (side, curve, words)
    too_few : list of str
        Curves that have no band for each line.
    banded : int
        How many have a band.
    """

    who: str
    found: list[tuple[str, str, str]]
    too_few: list[str]
    banded: int
    least: int = LEAST_CYCLES


class Compared(NamedTuple):
    """Everything of a comparison that is drawn.

    Attributes
    ----------
    over : Comparison
    apart : Apart
    sides : mapping of side to list of (Group, list of Figure)
    data : mapping
        For the script.
    """

    over: Comparison
    apart: Apart
    sides: dict[str, list[tuple[Group, list[Figure]]]]
    data: dict[str, Any]


def sessions_html(
    sessions: Sequence[Session],
    norms: Norms | None = None,
    why: str = "",
    alone: bool = False,
    changes: Sequence[Changes] = (),
) -> str:
    """An article that compares sessions of one subject; empty where fewer than two have curves.

    `alone` is whether a page has nothing else; `changes` are what is more than the smallest detectable change.
    """
    members = members_of(sessions)
    if len(members) < 2:
        return ""
    labels, kind = tuple(member.label for member in members), members[0].basis.kind

    def lines(side: str, column: str) -> tuple[Line, ...]:
        return session_lines(members, side, column)

    curves = f"{kind}s"
    counts = tuple(f"{len(m.results)} trial{'' if len(m.results) == 1 else 's'}" for m in members)
    over = Comparison(labels, lines, curves, _SESSIONS_METHOD.format(curves=curves), norms, why, counts)
    absent = ", ".join(name for s in sessions if (name := label_of(s, sessions)) not in labels)
    return render(
        "report/sessions.html",
        title=sessions[0].subject or f"{', '.join(labels[:-1])} and {labels[-1]}",
        no_age=no_age([result for session in sessions for result in session.results], norms),
        alone=alone,
        heading=", ".join(f"{label} {count}" for label, count in zip(labels, counts, strict=True)),
        changes=changes,
        members=members_table(members, "Session"),
        mixed=mixed(members),
        note=f"Not compared, as without a {kind} like the others: {absent}." if absent else "",
        compared=compared(over),
        tables=session_tables(members),
    )


def compared(over: Comparison) -> Compared:
    """Where the lines differ in words, the panels of both sides, and their numbers."""
    drawn: dict[str, Drawn] = {}
    differ = over.differ or differences
    for side in SIDES:
        lines = {column: over.lines(side, column) for column in PANELS}
        drawn[side] = {c: (of, differ(PANELS[c], of)) for c, of in lines.items() if of}
    sides = {}
    for side in (side for side in SIDES if drawn[side]):
        groups = (
            (g, [_figure(over, p, *drawn[side][p.column]) for p in g.panels if p.column in drawn[side]]) for g in GROUPS
        )
        sides[side] = [(group, figures) for group, figures in groups if figures]
    panels = {
        f"{side}-{column}": {
            "decimals": PANELS[column].decimals,
            "lines": [{"label": line.label, "mean": rounded(PANELS[column], line.mean)} for line in lines],
        }
        for side in SIDES
        for column, (lines, _) in drawn[side].items()
    }
    return Compared(over, _apart(over, drawn), sides, {"shape": SHAPE, "panels": panels})


def _figure(
    over: Comparison, panel: CyclePanel, lines: Sequence[Line], results: Sequence[tuple[Line, Difference]]
) -> Figure:
    band, norm = over.norms.bands.get(panel.column) if over.norms is not None else None, None
    scale = scale_for(panel.low, panel.high, panel.scale * held(lines, band))
    if band is not None:
        mean, sd = (panel.scale * values for values in band_at(band))
        norm = _area(scale, mean - sd, mean + sd)
    return Figure(
        panel,
        ", ".join(f"{line.label} {len(line.whole)}" for line in lines),
        scale,
        f"{panel.title}. {'; '.join(f'{line.label}: mean of {len(line.whole)}' for line in lines)}",
        norm,
        [(line.style % STYLES, _paths(scale, panel, line), float(scale.x(line.off_percent))) for line in lines],
        _difference_figure(over, panel, results) if results else None,
    )


def _apart(over: Comparison, drawn: dict[str, Drawn]) -> Apart:
    """In words, where a band does not hold 0, and which curves have no band."""
    items, without, banded = [], [], 0
    group = len(over.labels) > 2
    of_all = [(side, PANELS[column], result) for side in SIDES for column, (_, result) in drawn[side].items()]
    for side, panel, result in of_all:
        what = f"{side} {panel.title[:1].lower()}{panel.title[1:]}"
        bands = [np.isfinite(one.half_width).any() for _, one in result]
        banded += any(bands)
        if not all(bands) or not bands:
            without.append(what)
        if words := [w for line, one in result for w in _stretch_words(panel, one, line.label if group else "")]:
            items.append((side, what, "; ".join(words)))
    return Apart("they differ" if group else f"{over.labels[1]} differs", items, without, banded)


# --- differences ------------------------------------------------------------------------------------------------------


def differences(panel: CyclePanel, lines: Sequence[Line]) -> list[tuple[Line, Difference]]:
    """Each line less the first, where both have whole curves; impacts of either are left out."""
    first = next((line for line in lines if line.style == 0 and len(line.whole)), None)
    results = []
    for line in lines:
        if first is None or line is first or not len(line.whole):
            continue
        struck = first.impact | line.impact
        a, b = (np.where(struck, np.nan, one.whole) for one in (first, line))
        if line.subjects:
            both = [name for name in first.subjects if name in line.subjects]
            a, b = (one[[of.subjects.index(n) for n in both]] for one, of in ((a, first), (b, line)))
        if panel.joint == "ground":
            a, b = loaded_only(a, b)
        if len(a) and len(b):
            results.append((line, paired_difference(a, b) if line.subjects else difference(a, b)))
    return results


def stretches(result: Difference) -> list[tuple[int, int]]:
    """First and last percent of each stretch in which the band does not hold 0."""
    return [(first, after - 1) for first, after in spans(result.apart) if after - first >= SHORTEST_PERCENT]


def _stretch_words(panel: CyclePanel, result: Difference, name: str) -> list[str]:
    """Where a session differs from the first, and by how much at most."""
    texts = []
    for first, last in stretches(result):
        at = first + int(np.argmax(np.abs(result.mean[first : last + 1])))
        value = panel.scale * float(result.mean[at])
        if round(value, panel.decimals) == 0:
            continue
        way = panel.up if value > 0 else panel.down
        unit = "°" if panel.unit == "°" else f" {panel.unit}"
        amount = f"{fixed(value, panel.decimals)}{unit}{f' ({way})' if way else ''}"
        texts.append(f"{name} {amount} at {at} %, over {first}–{last} %".strip())
    return texts


# --- drawing ----------------------------------------------------------------------------------------------------------


def _difference_figure(
    over: Comparison, panel: CyclePanel, results: Sequence[tuple[Line, Difference]]
) -> DifferenceFigure:
    """Each session less the first, with its band; below, where the band does not hold 0."""
    least = _LEAST_SPAN * (panel.high - panel.low) / 2
    ends = [np.array([-least, least])]
    for _, one in results:
        half = np.nan_to_num(one.half_width)
        ends += [panel.scale * (one.mean - half), panel.scale * (one.mean + half)]
    # a band wider than the curves' own axis is cut by it
    seen = np.clip(np.concatenate(ends), panel.low - panel.high, panel.high - panel.low)
    scale, lines = scale_for(-least, least, seen), []
    for of, one in results:
        low, high = panel.scale * (one.mean - one.half_width), panel.scale * (one.mean + one.half_width)
        spans = [(float(scale.x(first)), float(scale.x(last))) for first, last in stretches(one)]
        mean = path(scale, PERCENT, panel.scale * one.mean)
        lines.append((of.style % STYLES, _area(scale, low, high), mean, spans))
    name = " and ".join(of.label for of, _ in results) + f" − {over.labels[0]}"
    no_band = "" if any(np.isfinite(one.half_width).any() for _, one in results) else f" (too few {over.curves})"
    return DifferenceFigure(name + no_band, scale, lines)


def _area(scale: Scale, low: Array, high: Array) -> str:
    return area(scale, PERCENT[::_BAND_STEP], low[::_BAND_STEP], high[::_BAND_STEP])


def _paths(scale: Scale, panel: CyclePanel, of: Line) -> list[tuple[str, str]]:
    """By their class: SD, single curves, the mean, and impacts."""

    def joined(*curves: Array) -> str:
        return "".join(path(scale, PERCENT, panel.scale * curve) for curve in curves)

    mean, sd, few = panel.scale * of.mean, panel.scale * of.sd, len(of.whole) == 2
    curves = of.whole if few else np.where(of.partial_impact, np.nan, of.partial)
    between = _area(scale, mean - sd, mean + sd)
    result = [("sd", between)] if between else []
    if np.isfinite(curves).any():
        result.append(("each", joined(*curves)))
    result.append(("mean", joined(np.where(of.impact, np.nan, of.mean))))
    if of.impact.any():
        result.append(("mean impact", joined(np.where(wider(of.impact), of.mean, np.nan))))
    for curve, impact in zip(of.partial, of.partial_impact, strict=True):
        if impact.any() and not few:
            result.append(("each impact", joined(np.where(wider(impact), curve, np.nan))))
    return result
