"""The clinical page: one self-contained file in the order of reading. Every text from outside is escaped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from gaitid.norms import Norms, norms_for
from gaitid.report.gathering import Session
from gaitid.report.page import head
from gaitid.report.page.curves import Drawn, curve_data, curves_html, data_element, legend, why_unknown
from gaitid.report.page.figures_table import features_html, profile_html, spatiotemporal_html, speeds_of
from gaitid.report.page.folded import engineer_html
from gaitid.report.page.pool import CYCLE, Basis, pool, sides_of
from gaitid.report.page.sure import glance_html, sure_html
from gaitid.report.page.told import in_mean, named, trust_html
from gaitid.report.result import Result
from gaitid.report.stance import peaks_html
from gaitid.report.text import UNKNOWN, escape

#: Of the 3 MB of a page: more trials get fewer frames each, and beyond so many only the first of a session is shown.
SCENE_BYTES = 1_200_000
MOST_VIEWS = 12


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def page(
    sessions: Sequence[Session],
    choice: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    before: tuple[str, str] = ("", ""),
) -> str:
    """The page, with an article for each session; their trials are analysed again from the files that records name.

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
    from gaitid.report.scene import plan_html, scene_html  # it brings all that a run needs

    results = [result for session in sessions for result in session.results]
    many = len(results) > MOST_VIEWS
    views, first = [], 0
    for session in sessions:
        say(f"3D view of {session.results[0].stem}")
        shown = session.results[: 1 if many else None]
        budget = SCENE_BYTES * len(shown) // (len(sessions) if many else len(results))
        scene = scene_html(shown, budget, [f"r{first + i}" for i in range(len(shown))])
        views.append((scene, [plan_html(result) for result in shown]))
        first += len(session.results)
    titles = [head.title_of(session) for session in sessions]
    heading = titles[0] if len(titles) == 1 else f"{len(titles)} sessions"
    body, first = f"{contents('Sessions', titles)}{before[0]}", 0
    for i, (session, (scene, plans)) in enumerate(zip(sessions, views, strict=True)):
        say(titles[i])
        part = article(session, f"s{i}", choice, scene, plans, first)
        if before[0]:  # a link to it opens it, as browsers do with what lies in ``details``
            summary = f"{escape(titles[i])}: all about this session"
            part = f'<details class="part"><summary>{summary}</summary>{part}</details>'
        body += part
        first += len(session.results)
    # when each cycle of each trial begins and ends: number, strike and next strike in seconds
    cycles = {
        f"r{i}": {
            side: [
                [int(n), round(result.time_of(strike), 4), round(result.time_of(following), 4)]
                for n, strike, following in zip(c.numbers, c.first_frame, c.last_frame, strict=True)
            ]
            for side, c in result.cycles.items()
        }
        for i, result in enumerate(results)
    }
    return document(heading, body + data_element("gaitid-cycles", cycles), before[1], with_views=True)


def document(
    heading: str,
    body: str,
    css: str = "",
    kind: str = "gait report",
    made_by: str = "gaitid run",
    with_views: bool = False,
) -> str:
    """A whole HTML file around the content of ``main``; `with_views` where views in space are in it."""
    script = ""
    if with_views:
        from gaitid.report.scene import SCENE_CSS, SCENE_JS

        # the page is light whatever the system is; so are the views on it
        css = SCENE_CSS.replace("@media (prefers-color-scheme:dark)", "@media not all") + css
        script = SCENE_JS
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(heading)} – {kind}</title>\n<style>\n{_file('page.css')}{css}</style></head>\n"
        f"<body><main>{body}<footer>{UNKNOWN} and gaps in curves: not known. Made from the files of {made_by}; "
        f"nothing is interpolated over what is unknown.</footer></main>\n<script>\n{_file('page.js')}{script}</script>"
        "</body></html>\n"
    )


def contents(what: str, titles: Sequence[str]) -> str:
    """Links to the articles, where there are several."""
    if len(titles) < 2:
        return ""
    items = "".join(f'<li><a href="#s{i}">{escape(title)}</a></li>' for i, title in enumerate(titles))
    return f'<nav aria-label="{what}"><h2>{what}</h2><ol>{items}</ol></nav>'


def article(session: Session, key: str, choice: str | None, scene: str, plans: Sequence[str], first: int) -> str:
    """One session: head, view, curves, tables, folded parts.

    Parameters
    ----------
    session : Session
    key : str
        Begins all ids.
    choice : str or None
        Of norms.
    scene : str
        The player of its trials, HTML; empty where there is none.
    plans : sequence of str
        The plates from above.
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
            trust_html(means, basis),
            f"<div>{glance_html(basis, norms, why)}{head.assumed_html(results, norms)}</div>",
            head.plates_html(results),
            "</div>",
            f'<div class="view"><h2>3D view</h2>{scene}</div>' if scene else "",
            _curves(drawn, results, first, bool(scene)),
            sure_html(means.results, key),
            f'<section class="tables" id="{key}-figures"><h2>Figures</h2><div class="columns">',
            f"<div><h3>Strides and steps</h3>{spatiotemporal_html(means.results, norms)}</div>",
            f"<div>{profile_html(basis, norms)}</div>",
            _features(results, means.results, norms),
            "</div></section>",
            '<section class="engineer"><h2>How it was made</h2>',
            engineer_html(results, norms, plans, key),
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
    parts = [
        (f"<h4>{escape(name)}</h4>" if len(results) > 1 else "") + peaks_html(result)
        for name, result in named(results)
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
    names = [name for name, result in named(results) if not result.cycles] if drawn.basis.kind == CYCLE else []
    without = f'<p class="note">Without a whole cycle, and not drawn: {escape(", ".join(names))}.</p>' if names else ""
    return (
        f'<section class="curves" data-session="{drawn.key}" data-trials="{trials}">'
        f"<h2>Curves over {escape(drawn.basis.label)}</h2>{legend(drawn)}{without}{tools(drawn, beside_view)}"
        f'<a class="skip" href="#{drawn.key}-figures">Skip the curves</a>'
        f'<div class="groups">{panels}</div>{curve_data(drawn)}</section>'
    )


def tools(drawn: Drawn, beside_view: bool = False) -> str:
    """Buttons and the cursor; they appear only where scripts run."""
    sides = drawn.basis.sides
    there = {panel for pooled in sides.values() for panel in pooled.curves.columns}
    kinds = {
        "Angles": ("angles", "_deg"),
        "Moments": ("moments", "_moment_"),
        "Powers": ("powers", "_power_"),
        "Ground reaction": ("ground", "ground_reaction"),
    }
    layers = {
        "Each curve": ("each", any(len(pooled) > 1 for pooled in sides.values())),
        "Norm": ("norm", drawn.norms is not None),
        "95 % band": ("sure", drawn.has_bands),
    }
    joints = [j for j in ("pelvis", "hip", "knee", "ankle") if any(name.startswith(j) for name in there)]
    groups = {
        ("Sides", "side"): {side: side.capitalize() for side in sides},
        ("Show", "layer"): {key: name for name, (key, is_there) in layers.items() if is_there},
        ("Joints", "joint"): {joint: joint.capitalize() for joint in joints},
        ("Curves", "group"): {key: name for name, (key, part) in kinds.items() if any(part in of for of in there)},
    }
    sets = ""
    for (name, toggle), labels in groups.items():
        buttons = "".join(
            f'<button type="button" aria-pressed="true" data-toggle="{toggle}" data-value="{value}">{label}</button>'
            for value, label in labels.items()
        )
        sets += (
            f'<div role="group" aria-label="{name}" class="set"><span>{name}</span>{buttons}</div>' if labels else ""
        )
    identity = f"{drawn.key}-cursor"
    pin = '<button type="button" data-pin aria-pressed="false" hidden>Keep the 3D view in sight</button>'
    return (
        f'<div class="tools" hidden>{sets}<div class="set cursor"><label for="{identity}">Values at</label>'
        f'<input id="{identity}" type="range" min="0" max="100" step="1" value="0" '
        f'aria-label="{escape(drawn.basis.label)} at which values are shown"><output for="{identity}">–</output>'
        f'<button type="button" data-clear>Clear</button>{pin if beside_view else ""}</div></div>'
    )
