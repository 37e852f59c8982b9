"""Sessions or conditions on shared axes, with their differences and bands: HTML for a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gaitid.norms import Norms
from gaitid.records import frozen_dataclass
from gaitid.report.difference import LEAST_CYCLES
from gaitid.report.lines import Line, label_of, members_of, session_lines
from gaitid.report.page import svg
from gaitid.report.page.curves import json_for_script
from gaitid.report.page.panels import GROUPS, CyclePanel
from gaitid.report.panels import SIDES
from gaitid.report.result import Session
from gaitid.report.session_tables import mixed_html, sessions_tables, table_of_members
from gaitid.report.shared_axes import difference_svg, differences, lines_svg, stretch_words, style_class
from gaitid.report.text import escape

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
    key : str
        Unique on the page.
    """

    labels: tuple[str, ...]
    lines: Callable[[str, str], tuple[Line, ...]]
    curves: str
    method: str
    norms: Norms | None
    why: str
    key: str

    def drawn(self, side: str) -> dict[str, tuple[CyclePanel, tuple[Line, ...]]]:
        """Panel and lines of each column of which there are any."""
        panels = [panel for group in GROUPS for panel in group.panels]
        found = {panel.column: (panel, self.lines(side, panel.column)) for panel in panels}
        return {column: (panel, lines) for column, (panel, lines) in found.items() if lines}


def styles() -> str:
    """What these parts of a page need beside the page's own style sheet."""
    return Path(__file__).with_name("sessions.css").read_text(encoding="utf-8")


def _script(over: Comparison, drawn: dict[str, Drawn]) -> str:
    """The means at each percent, and the script that tells them under the pointer."""
    panels = {
        f"{side}-{panel.column}": {
            "decimals": panel.decimals,
            "lines": [{"label": line.label, "mean": _rounded(panel, line)} for line in lines],
        }
        for side in SIDES
        for panel, lines in drawn[side].values()
    }
    shape = {"left": svg.LEFT, "right": svg.WIDTH - svg.RIGHT, "top": svg.TOP, "bottom": svg.HEIGHT - svg.BOTTOM}
    data = json_for_script({"shape": shape, "panels": panels})
    script = Path(__file__).with_name("sessions.js").read_text(encoding="utf-8")
    return f'<script type="application/json" id="compared-data">{data}</script><script>{script}</script>'


def _rounded(panel: CyclePanel, line: Line) -> list[float | None]:
    rounded = np.round(panel.scale * line.mean, panel.decimals)
    return [value if np.isfinite(value) else None for value in rounded.tolist()]


def sessions_html(sessions: Sequence[Session], norms: Norms | None = None, why: str = "", key: str = "all") -> str:
    """The part of a page that compares sessions of one subject; empty where fewer than two have curves."""
    members = members_of(sessions)
    if len(members) < 2:
        return ""
    labels = tuple(member.label for member in members)
    curves = f"{members[0].basis.kind}s"
    method = _SESSIONS_METHOD.format(curves=curves)
    over = Comparison(
        labels, lambda side, column: session_lines(members, side, column), curves, method, norms, why, key
    )
    absent = [name for s in sessions if (name := label_of(s, sessions)) not in labels]
    without = f"Not compared, as without a {members[0].basis.kind} like the others: {', '.join(absent)}."
    note = f'<p class="note">{escape(without)}</p>' if absent else ""
    return (
        f'<section class="compared-sessions" aria-labelledby="{key}-h"><h2 id="{key}-h">{_heading(labels)}</h2>'
        f"{table_of_members(members, 'Session')}{mixed_html(members)}{note}"
        f"{comparison_html(over)}{sessions_tables(members)}</section>"
    )


def comparison_html(over: Comparison) -> str:
    """Legend, where they differ in words, the panels of both sides, and how the bands are made."""
    drawn = {side: over.drawn(side) for side in SIDES}
    sides = "".join(_side(over, side, drawn[side]) for side in SIDES if drawn[side])
    method = f'<p class="note method">{escape(over.method)}</p>'
    return f"{_legend(over)}{_where_apart(over, drawn)}{sides}{method}{_script(over, drawn)}"


def _heading(labels: Sequence[str]) -> str:
    return escape(f"{', '.join(labels[:-1])} and {labels[-1]}")


def _legend(over: Comparison) -> str:
    """A switch for each session and side, which work without scripts, and what is drawn how."""
    switches = "".join(
        f'<li><label class="{style_class(i)}"><input type="checkbox" checked class="s{i}">'
        f'<svg viewBox="0 0 34 8" aria-hidden="true"><path class="mean" d="M0 4H34"/></svg>{escape(label)}</label></li>'
        for i, label in enumerate(over.labels)
    )
    sides = "".join(
        f'<li><label class="{side}"><input type="checkbox" checked class="s-{side}">{side}</label></li>'
        for side in SIDES
    )
    more = [f"line: mean; shaded: ± 1 SD between {over.curves}", "vertical line: foot off"]
    more += [f'<i class="key norm"></i>norm, mean ± 1 SD: {escape(over.norms.legend)}'] if over.norms else []
    more += [
        "below, the difference with its 95 % band; bar: where the band does not hold 0",
        "dotted: impact of the foot strike",
    ]
    told = f'<p class="note">{escape(over.why)}</p>' if over.why else ""
    items = "".join(f"<li>{text}</li>" for text in more)
    return f'<ul class="legend switches">{switches}{sides}</ul><ul class="legend">{items}</ul>{told}'


Drawn = dict[str, tuple[CyclePanel, tuple[Line, ...]]]


def _side(over: Comparison, side: str, drawn: Drawn) -> str:
    groups = []
    for group in GROUPS:
        figures = [_figure(over, side, *drawn[p.column]) for p in group.panels if p.column in drawn]
        if figures:
            groups.append(
                f'<section class="group" data-group="{group.key}"><h4>{group.title}</h4>'
                f'<div class="panels">{"".join(figures)}</div></section>'
            )
    return (
        f'<section class="of-side {side}-panels"><h3 class="{side}">{side.capitalize()}</h3>{"".join(groups)}</section>'
    )


def _figure(over: Comparison, side: str, panel: CyclePanel, lines: Sequence[Line]) -> str:
    band = over.norms.bands.get(panel.column) if over.norms is not None else None
    identity = f"{over.key}-{side}-{panel.column}"
    counts = ", ".join(f"{line.label} {len(line.whole)}" for line in lines)
    found = differences(panel, lines)
    second = ""
    if found:
        name = " and ".join(line.label for line, _ in found) + f" − {over.labels[0]}"
        no_band = "" if any(np.isfinite(one.half_width).any() for _, one in found) else f" (too few {over.curves})"
        second = difference_svg(panel, found, name + no_band, f"{identity}-d")
    return (
        f'<figure class="panel" data-joint="{panel.joint}" data-column="{panel.column}" '
        f'data-key="{side}-{panel.column}"><figcaption><b>{escape(panel.title)}</b> '
        f'<span class="unit">{panel.unit}</span> <small class="counts">{over.curves}: {escape(counts)}</small>'
        f'<output class="readout" aria-live="off"></output></figcaption>'
        f"{lines_svg(panel, lines, band, f'{identity}-c')}{second}</figure>"
    )


def _where_apart(over: Comparison, drawn: dict[str, Drawn]) -> str:
    """In words, where a band does not hold 0, and which curves have no band."""
    items, without, banded = [], [], 0
    several = len(over.labels) > 2
    for side in SIDES:
        for panel, lines in drawn[side].values():
            what = f"{side} {panel.title[:1].lower()}{panel.title[1:]}"
            found = differences(panel, lines)
            bands = [np.isfinite(one.half_width).any() for _, one in found]
            banded += any(bands)
            if not all(bands) or not bands:
                without.append(what)
            told = [w for line, one in found for w in stretch_words(panel, one, line.label if several else "")]
            if told:
                words = escape("; ".join(told))
                items.append(f'<li class="{side}-panels"><b>{escape(what[:1].upper() + what[1:])}</b>: {words}</li>')
    who = "they differ" if several else f"{escape(over.labels[1])} differs"
    title = f"<h3>Where {who} from {escape(over.labels[0])}</h3>"
    if not banded:
        return f"{title}<p>It cannot be told: that takes {LEAST_CYCLES} {over.curves} of each.</p>"
    note = f"Too few {over.curves} to tell: {escape(', '.join(without))}." if without else ""
    note = f'<p class="note">{note}</p>' if note else ""
    if not items:
        return f"{title}<p>Nowhere over 3 % of the cycle or more, beyond what {over.curves} vary.</p>{note}"
    return (
        f'{title}<p class="note">The greatest difference of each stretch in which the 95 % band does not hold 0. Each '
        f"band is of its curve alone: of {banded} curves one in twenty is expected here by chance.</p>"
        f'<ul class="apart-list">{"".join(items)}</ul>{note}'
    )
