"""The clinical page: one self-contained file in the order of reading. Every text from outside is escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from gaitid.norms import Norms, norms_for
from gaitid.report.page import head
from gaitid.report.page.curves import Drawn, curve_data, curves_html, cycle_data, legend, why_unknown
from gaitid.report.page.figures_table import (
    features_html,
    profile_html,
    spatiotemporal_html,
    speeds_of,
    trials_without_cycles,
)
from gaitid.report.page.folded import engineer_html
from gaitid.report.page.in_mean import in_mean
from gaitid.report.page.peaks import peaks_html
from gaitid.report.page.pool import CYCLE, Basis, pool, sides_of
from gaitid.report.page.sure import sure_html
from gaitid.report.page.told import names_of
from gaitid.report.page.views import Views, keyed, scene_script, scene_style, views_of
from gaitid.report.result import Result, Session
from gaitid.report.text import UNKNOWN, escape

_HERE = Path(__file__).parent


@cache
def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def page(
    sessions: Sequence[Session],
    choice: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    before: tuple[str, str] = ("", ""),
) -> str:
    """The page, with an article for each session.

    Parameters
    ----------
    sessions : sequence of Session
    choice : str, optional
        Of norms: a name, a file, or ``none``; by default those that fit.
    say : callable
        Is told what is worked on.
    before : tuple of str
        HTML that stands before the articles, and the styles that it needs. The articles are folded then.
    """
    views = views_of(sessions, say)
    titles = [head.title_of(session) for session in sessions]
    heading = titles[0] if len(titles) == 1 else f"{len(titles)} sessions"
    articles, first = [], 0
    for i, (session, view) in enumerate(zip(sessions, views, strict=True)):
        say(titles[i])
        part = article(session, f"s{i}", choice, view, first)
        articles.append(_folded(titles[i], part) if before[0] else part)
        first += len(session.results)
    keys = keyed([result for session in sessions for result in session.results])
    data = data_element("gaitid-cycles", cycle_data(keys))
    body = f"{_contents(titles)}{before[0]}{''.join(articles)}{data}"
    return document(heading, body, scene_style() + before[1], scene_script())


def document(
    heading: str,
    body: str,
    more_css: str = "",
    more_js: str = "",
    kind: str = "gait report",
    made_by: str = "gaitid run",
) -> str:
    """A whole HTML file around the content of ``main``."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(heading)} – {kind}</title>\n<style>\n{_file('page.css')}{more_css}</style></head>\n"
        f"<body><main>{body}<footer>{UNKNOWN} and gaps in curves: not known. Made from the files of {made_by}; "
        f"nothing is interpolated over what is unknown.</footer></main>\n<script>\n{_file('page.js')}{more_js}</script>"
        "</body></html>\n"
    )


def _contents(titles: Sequence[str]) -> str:
    if len(titles) < 2:
        return ""
    items = "".join(f'<li><a href="#s{i}">{escape(title)}</a></li>' for i, title in enumerate(titles))
    return f'<nav aria-label="Sessions"><h2>Sessions</h2><ol>{items}</ol></nav>'


def _folded(title: str, article: str) -> str:
    """An article that a link to it opens, as browsers do with what lies in ``details``."""
    return f'<details class="part"><summary>{escape(title)}: all about this session</summary>{article}</details>'


def article(session: Session, key: str, choice: str | None, view: Views, first: int) -> str:
    """One session: head, view, curves, tables, folded parts.

    Parameters
    ----------
    session : Session
    key : str
        Begins all ids.
    choice : str or None
        Of norms.
    view : Views
    first : int
        How many trials of the page come before.
    """
    results = session.results
    means = in_mean(results)
    basis, speeds = pool(means.results), speeds_of(means.results)
    norms, why = _norms(basis, choice, means.counted, speeds)
    drawn = Drawn(key, sides_of(results), basis, norms, why_unknown(results), means.results)
    return "\n".join(
        [
            f'<article id="{key}">',
            f'<header><p class="kind">Gait report</p><h1>{escape(head.title_of(session))}</h1>'
            f"{head.facts(session, speeds)}{head.bodies_html(results)}{head.left_out_html(means)}</header>",
            '<div class="summary">',
            head.verdict_html(means),
            head.trust_html(means, basis),
            f"<div>{head.glance_html(basis, norms, why)}{head.assumed_html(results, norms)}</div>",
            head.plates_html(results),
            "</div>",
            f'<div class="view"><h2>3D view</h2>{view.scene}</div>' if view.scene else "",
            _curves(drawn, results, first, bool(view.scene)),
            sure_html(means.results, key),
            f'<section class="tables" id="{key}-figures"><h2>Figures</h2><div class="columns">',
            f"<div><h3>Strides and steps</h3>{spatiotemporal_html(means.results, norms)}</div>",
            f"<div>{profile_html(basis, norms)}</div>",
            _features(results, means.results, norms),
            "</div></section>",
            '<section class="engineer"><h2>How it was made</h2>',
            engineer_html(results, norms, [view.plans[i] for i in sorted(view.plans)], key),
            "</section></article>",
        ]
    )


def _norms(
    basis: Basis, choice: str | None, results: Sequence[Result], speeds: Sequence[float]
) -> tuple[Norms | None, str]:
    """What is drawn and why; a choice that cannot be read is refused whatever the trials hold."""
    first = next((result for result in results if result.cycles), results[0])
    norms, why = norms_for(choice, first.record, float(np.mean(speeds)) if speeds else float("nan"))
    if basis.kind != CYCLE and norms is not None:
        return None, "Norms are of walking over a gait cycle: without a whole one nothing is held against them."
    return norms, why


def _features(results: Sequence[Result], counted: Sequence[Result], norms: Norms | None) -> str:
    """Features of the cycles that count; where no trial has any, the peaks of each contact."""
    if body := features_html(counted, norms):
        return f'<div class="wide"><h3>Features of the curves</h3>{body}</div>'
    several = len(results) > 1
    parts = [
        (f"<h4>{escape(name)}</h4>" if several else "") + peaks_html(result)
        for name, result in zip(names_of(results), results, strict=True)
        if result.on_ground
    ]
    heading = "<h3>Peaks while the foot is on the ground</h3>"
    return f'<div class="wide">{heading}{"".join(parts)}</div>' if parts else ""


def _curves(drawn: Drawn, results: Sequence[Result], first: int, beside_view: bool) -> str:
    """The panels, with what chooses among them."""
    panels = curves_html(drawn)
    if not panels:
        return (
            '<section class="curves"><h2>Curves</h2><p class="quiet">No curve of these models is drawn.</p></section>'
        )
    trials = " ".join(f"r{first + i}" for i in range(len(results)))
    return (
        f'<section class="curves" data-session="{drawn.key}" data-trials="{trials}">'
        f"<h2>Curves over {escape(drawn.basis.label)}</h2>"
        f"{legend(drawn)}{_left_out(drawn.basis, results)}{tools(drawn, beside_view)}"
        f'<a class="skip" href="#{drawn.key}-figures">Skip the curves</a>'
        f'<div class="groups">{panels}</div>{data_element(f"{drawn.key}-data", curve_data(drawn))}</section>'
    )


def _left_out(basis: Basis, results: Sequence[Result]) -> str:
    names = trials_without_cycles(results) if basis.kind == CYCLE else []
    return f'<p class="note">Without a whole cycle, and not drawn: {escape(", ".join(names))}.</p>' if names else ""


def tools(drawn: Drawn, beside_view: bool = False) -> str:
    """Buttons and the cursor; they appear only where scripts run."""

    def buttons(name: str, labels: Sequence[tuple[str, str]]) -> str:
        return "".join(
            f'<button type="button" aria-pressed="true" data-toggle="{name}" data-value="{value}">{label}</button>'
            for value, label in labels
        )

    there = {panel for pooled in drawn.basis.sides.values() for panel in pooled.curves.columns}
    joints = [j for j in ("pelvis", "hip", "knee", "ankle") if any(name.startswith(j) for name in there)]
    kinds = [
        (key, words)
        for key, words, part in (
            ("angles", "Angles", "_deg"),
            ("moments", "Moments", "_moment_"),
            ("powers", "Powers", "_power_"),
            ("ground", "Ground reaction", "ground_reaction"),
        )
        if any(part in name for name in there)
    ]
    several = any(len(pooled) > 1 for pooled in drawn.basis.sides.values())
    layers = ([("each", "Each curve")] if several else []) + ([("norm", "Norm")] if drawn.norms is not None else [])
    layers += [("sure", "95 % band")] if drawn.has_bands else []
    groups = (
        ("Sides", buttons("side", [(side, side.capitalize()) for side in drawn.basis.sides])),
        ("Show", buttons("layer", layers)),
        ("Joints", buttons("joint", [(joint, joint.capitalize()) for joint in joints])),
        ("Curves", buttons("group", kinds)),
    )
    sets = "".join(
        f'<div role="group" aria-label="{name}" class="set"><span>{name}</span>{content}</div>'
        for name, content in groups
        if content
    )
    identity = f"{drawn.key}-cursor"
    pin = '<button type="button" data-pin aria-pressed="false" hidden>Keep the 3D view in sight</button>'
    return (
        f'<div class="tools" hidden>{sets}<div class="set cursor"><label for="{identity}">Values at</label>'
        f'<input id="{identity}" type="range" min="0" max="100" step="1" value="0" '
        f'aria-label="{escape(drawn.basis.label)} at which values are shown"><output for="{identity}">–</output>'
        f'<button type="button" data-clear>Clear</button>{pin if beside_view else ""}</div></div>'
    )


def data_element(identity: str, content: str) -> str:
    return f'<script type="application/json" id="{identity}">{content}</script>'
