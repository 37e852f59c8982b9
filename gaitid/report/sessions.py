"""Sessions or conditions on shared axes, with their differences and bands: HTML for a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gaitid.norms import Band, Norms
from gaitid.records import frozen_dataclass
from gaitid.report.difference import LEAST_CYCLES, Difference, difference, loaded_only, paired_difference
from gaitid.report.gathering import Session
from gaitid.report.lines import Line, held, label_of, members_of, session_lines
from gaitid.report.page import svg
from gaitid.report.page.curves import data_element, rounded
from gaitid.report.page.pool import PERCENT
from gaitid.report.page.sure import SHORTEST_PERCENT, band_at
from gaitid.report.panels import GROUPS, PANELS, SIDES, CyclePanel
from gaitid.report.session_tables import mixed_html, sessions_tables, table_of_members
from gaitid.report.stance import runs
from gaitid.report.text import escape, fixed
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
    """

    labels: tuple[str, ...]
    lines: Callable[[str, str], tuple[Line, ...]]
    curves: str
    method: str
    norms: Norms | None
    why: str


# The lines of each column of which there are any, and differences from the first with their bands.
Drawn = dict[str, tuple[tuple[Line, ...], list[tuple[Line, Difference]]]]


def styles() -> str:
    """What these parts of a page need beside the page's own style sheet."""
    return Path(__file__).with_name("sessions.css").read_text(encoding="utf-8")


def sessions_html(sessions: Sequence[Session], norms: Norms | None = None, why: str = "") -> str:
    """The part of a page that compares sessions of one subject; empty where fewer than two have curves."""
    members = members_of(sessions)
    if len(members) < 2:
        return ""
    labels, kind = tuple(member.label for member in members), members[0].basis.kind

    def lines(side: str, column: str) -> tuple[Line, ...]:
        return session_lines(members, side, column)

    curves = f"{kind}s"
    over = Comparison(labels, lines, curves, _SESSIONS_METHOD.format(curves=curves), norms, why)
    absent = ", ".join(name for s in sessions if (name := label_of(s, sessions)) not in labels)
    without = f"Not compared, as without a {kind} like the others: {absent}."
    note = f'<p class="note">{escape(without)}</p>' if absent else ""
    heading = escape(f"{', '.join(labels[:-1])} and {labels[-1]}")
    return (
        f'<section class="compared-sessions" aria-labelledby="all-h"><h2 id="all-h">{heading}</h2>'
        f"{table_of_members(members, 'Session')}{mixed_html(members)}{note}"
        f"{comparison_html(over)}{sessions_tables(members)}</section>"
    )


def comparison_html(over: Comparison) -> str:
    """Legend, where they differ in words, the panels of both sides, and how the bands are made."""
    drawn: dict[str, Drawn] = {}
    for side in SIDES:
        lines = {column: over.lines(side, column) for column in PANELS}
        drawn[side] = {c: (of, differences(PANELS[c], of)) for c, of in lines.items() if of}
    sides = "".join(_side(over, side, drawn[side]) for side in SIDES if drawn[side])
    panels = {
        f"{side}-{column}": {
            "decimals": PANELS[column].decimals,
            "lines": [{"label": line.label, "mean": rounded(PANELS[column], line.mean)} for line in lines],
        }
        for side in SIDES
        for column, (lines, _) in drawn[side].items()
    }
    data = data_element("compared-data", {"shape": svg.SHAPE, "panels": panels})
    script = Path(__file__).with_name("sessions.js").read_text(encoding="utf-8")
    return (
        f'{_legend(over)}{_where_apart(over, drawn)}{sides}<p class="note method">{escape(over.method)}</p>'
        f"{data}<script>{script}</script>"
    )


def _legend(over: Comparison) -> str:
    """A switch for each session and side, which work without scripts, and what is drawn how."""
    switches = "".join(
        f'<li><label class="k{i % STYLES}"><input type="checkbox" checked class="s{i}">'
        f'<svg viewBox="0 0 34 8" aria-hidden="true"><path class="mean" d="M0 4H34"/></svg>{escape(label)}</label></li>'
        for i, label in enumerate(over.labels)
    )
    switches += "".join(
        f'<li><label class="{side}"><input type="checkbox" checked class="s-{side}">{side}</label></li>'
        for side in SIDES
    )
    norm = f'<li><i class="key norm"></i>norm, mean ± 1 SD: {escape(over.norms.legend)}</li>' if over.norms else ""
    told = f'<p class="note">{escape(over.why)}</p>' if over.why else ""
    return (
        f'<ul class="legend switches">{switches}</ul><ul class="legend">'
        f"<li>line: mean; shaded: ± 1 SD between {over.curves}</li><li>vertical line: foot off</li>{norm}"
        "<li>below, the difference with its 95 % band; bar: where the band does not hold 0</li>"
        f"<li>dotted: impact of the foot strike</li></ul>{told}"
    )


def _side(over: Comparison, side: str, drawn: Drawn) -> str:
    html = ""
    for group in GROUPS:
        if figures := [_figure(over, side, p, *drawn[p.column]) for p in group.panels if p.column in drawn]:
            html += (
                f'<section class="group" data-group="{group.key}"><h4>{group.title}</h4>'
                f'<div class="panels">{"".join(figures)}</div></section>'
            )
    return f'<section class="of-side {side}-panels"><h3 class="{side}">{side.capitalize()}</h3>{html}</section>'


def _figure(
    over: Comparison, side: str, panel: CyclePanel, lines: Sequence[Line], found: Sequence[tuple[Line, Difference]]
) -> str:
    band = over.norms.bands.get(panel.column) if over.norms is not None else None
    identity = f"all-{side}-{panel.column}"  # beside no other comparison
    counts = ", ".join(f"{line.label} {len(line.whole)}" for line in lines)
    second = ""
    if found:
        name = " and ".join(line.label for line, _ in found) + f" − {over.labels[0]}"
        no_band = "" if any(np.isfinite(one.half_width).any() for _, one in found) else f" (too few {over.curves})"
        second = _difference_svg(panel, found, name + no_band, f"{identity}-d")
    return (
        f'<figure class="panel" data-joint="{panel.joint}" data-column="{panel.column}" '
        f'data-key="{side}-{panel.column}"><figcaption><b>{escape(panel.title)}</b> '
        f'<span class="unit">{panel.unit}</span> <small class="counts">{over.curves}: {escape(counts)}</small>'
        f'<output class="readout" aria-live="off"></output></figcaption>'
        f"{_lines_svg(panel, lines, band, f'{identity}-c')}{second}</figure>"
    )


def _where_apart(over: Comparison, drawn: dict[str, Drawn]) -> str:
    """In words, where a band does not hold 0, and which curves have no band."""
    items, without, banded = "", [], 0
    several = len(over.labels) > 2
    of_all = [(side, PANELS[column], found) for side in SIDES for column, (_, found) in drawn[side].items()]
    for side, panel, found in of_all:
        what = f"{side} {panel.title[:1].lower()}{panel.title[1:]}"
        bands = [np.isfinite(one.half_width).any() for _, one in found]
        banded += any(bands)
        if not all(bands) or not bands:
            without.append(what)
        if told := [w for line, one in found for w in _stretch_words(panel, one, line.label if several else "")]:
            words = escape("; ".join(told))
            items += f'<li class="{side}-panels"><b>{escape(what[:1].upper() + what[1:])}</b>: {words}</li>'
    who = "they differ" if several else f"{escape(over.labels[1])} differs"
    title = f"<h3>Where {who} from {escape(over.labels[0])}</h3>"
    if not banded:
        return f"{title}<p>It cannot be told: that takes {LEAST_CYCLES} {over.curves} of each.</p>"
    too_few = f"Too few {over.curves} to tell: {escape(', '.join(without))}."
    note = f'<p class="note">{too_few}</p>' if without else ""
    if not items:
        return f"{title}<p>Nowhere over 3 % of the cycle or more, beyond what {over.curves} vary.</p>{note}"
    return (
        f'{title}<p class="note">The greatest difference of each stretch in which the 95 % band does not hold 0. Each '
        f"band is of its curve alone: of {banded} curves one in twenty is expected here by chance.</p>"
        f'<ul class="apart-list">{items}</ul>{note}'
    )


# --- differences ------------------------------------------------------------------------------------------------------


def differences(panel: CyclePanel, lines: Sequence[Line]) -> list[tuple[Line, Difference]]:
    """Each line less the first, where both have whole curves; impacts of either are left out."""
    first = next((line for line in lines if line.style == 0 and len(line.whole)), None)
    found = []
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
            found.append((line, paired_difference(a, b) if line.subjects else difference(a, b)))
    return found


def stretches(found: Difference) -> list[tuple[int, int]]:
    """First and last percent of each stretch in which the band does not hold 0."""
    return [(first, last) for first, last in runs(found.apart) if last - first + 1 >= SHORTEST_PERCENT]


def _stretch_words(panel: CyclePanel, found: Difference, name: str) -> list[str]:
    """Where a session differs from the first, and by how much at most."""
    told = []
    for first, last in stretches(found):
        at = first + int(np.argmax(np.abs(found.mean[first : last + 1])))
        value = panel.scale * float(found.mean[at])
        if round(value, panel.decimals) == 0:
            continue
        way = panel.up if value > 0 else panel.down
        unit = "°" if panel.unit == "°" else f" {panel.unit}"
        amount = f"{fixed(value, panel.decimals)}{unit}{f' ({way})' if way else ''}"
        told.append(f"{name} {amount} at {at} %, over {first}–{last} %".strip())
    return told


# --- drawing ----------------------------------------------------------------------------------------------------------


def _lines_svg(panel: CyclePanel, lines: Sequence[Line], band: Band | None, identity: str) -> str:
    """Mean and standard deviation of each session, over the norm."""
    scale, bottom = svg.scale_for(panel.low, panel.high, panel.scale * held(lines, band)), svg.SHAPE["bottom"]
    parts, offs = [], []
    if band is not None:
        mean, sd = (panel.scale * values for values in band_at(band))
        parts.append(f'<g class="norm"><path class="area" d="{_area(scale, mean - sd, mean + sd)}"/></g>')
    for line in lines:
        parts.append(f'<g class="k{line.style % STYLES}">{_one(scale, panel, line)}</g>')
        if np.isfinite(x := scale.x(line.off_percent)):
            offs.append(f'<path class="off k{line.style % STYLES}" d="M{float(x):.1f} {svg.TOP}V{bottom}"/>')
    words = "; ".join(f"{line.label}: mean of {len(line.whole)}" for line in lines)
    content = svg.axes(scale, panel.up, panel.down) + svg.clipped("".join(parts), identity) + "".join(offs)
    return svg.element(content, f"{panel.title}. {words}")


def _difference_svg(panel: CyclePanel, found: Sequence[tuple[Line, Difference]], name: str, identity: str) -> str:
    """Each session less the first, with its band; below, where the band does not hold 0."""
    least, y = _LEAST_SPAN * (panel.high - panel.low) / 2, svg.SHAPE["bottom"] - 3
    ends = [np.array([-least, least])]
    for _, one in found:
        half = np.nan_to_num(one.half_width)
        ends += [panel.scale * (one.mean - half), panel.scale * (one.mean + half)]
    # a band wider than the curves' own axis is cut by it
    seen = np.clip(np.concatenate(ends), panel.low - panel.high, panel.high - panel.low)
    scale = svg.scale_for(-least, least, seen)
    html = ""
    for line, one in found:
        low, high = panel.scale * (one.mean - one.half_width), panel.scale * (one.mean + one.half_width)
        bars = "".join(
            f'<path class="apart" d="M{float(scale.x(first)):.1f} {y}H{float(scale.x(last)):.1f}"/>'
            for first, last in stretches(one)
        )
        html += (
            f'<g class="k{line.style % STYLES}"><path class="sd" d="{_area(scale, low, high)}"/>'
            f'<path class="mean" d="{svg.line(scale, PERCENT, panel.scale * one.mean)}"/>{bars}</g>'
        )
    return svg.element(svg.axes(scale, name) + svg.clipped(html, identity), f"{panel.title}: {name}")


def _area(scale: svg.Scale, low: Array, high: Array) -> str:
    return svg.band(scale, PERCENT[::_BAND_STEP], low[::_BAND_STEP], high[::_BAND_STEP])


def _one(scale: svg.Scale, panel: CyclePanel, line: Line) -> str:
    def path(css: str, *curves: Array) -> str:
        drawn = "".join(svg.line(scale, PERCENT, panel.scale * curve) for curve in curves)
        return f'<path class="{css}" d="{drawn}"/>'

    mean, sd, few = panel.scale * line.mean, panel.scale * line.sd, len(line.whole) == 2
    curves = line.whole if few else np.where(line.partial_impact, np.nan, line.partial)
    area = _area(scale, mean - sd, mean + sd)
    html = f'<path class="sd" d="{area}"/>' if area else ""
    if np.isfinite(curves).any():
        html += path("each", *curves)
    html += path("mean", np.where(line.impact, np.nan, line.mean))
    if line.impact.any():
        html += path("mean impact", np.where(svg.wider(line.impact), line.mean, np.nan))
    for curve, impact in zip(line.partial, line.partial_impact, strict=True):
        if impact.any() and not few:
            html += path("each impact", np.where(svg.wider(impact), curve, np.nan))
    return html
