"""The clinical page: what its articles hold, in the order of reading; ``page.html`` says how it looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.norms import NO_GDI, NONE, Norms, norms_for
from gaitid.norms.choose import usual_speed
from gaitid.report.gathering import Session
from gaitid.report.page import CYCLE, Basis, head, pool, sides_of
from gaitid.report.page.curves import Drawn, buttons, curve_data, figures, marks, why_unknown
from gaitid.report.page.engineer import folded, methods_text, notes_by_severity, topics
from gaitid.report.page.figures_table import features, peak_tables, profile, spatiotemporal, speeds_of
from gaitid.report.page.messages import agreed_at, in_mean, named, notes
from gaitid.report.page.sure import glance, sure
from gaitid.report.panels import is_chain
from gaitid.report.text import file_name, render
from gaitid.results.result import Result
from gaitid.uncertainty.usable import motion_words, size_words

#: Of the 3 MB of a page: more trials get fewer frames each, and beyond so many only the first of a session is shown.
SCENE_BYTES = 1_200_000
MOST_VIEWS = 12


def page(
    sessions: Sequence[Session],
    choice: str | None = None,
    say: Callable[[str], None] = lambda _: None,
    before: str = "",
) -> str:
    """The page, with an article for each session; their trials are analysed again from the files that records name.

    Parameters
    ----------
    sessions : sequence of Session
    choice : str, optional
        Of norms: a name, a file, or ``none``; by default those that fit.
    say : callable
        Is told what is worked on.
    before : str
        A comparison that stands before the articles. They are folded then.
    """
    from gaitid.report.scene import SCENE_CSS, SCENE_JS, plan_html, scene_html  # it brings all that a run needs

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
    articles, first = [], 0
    for i, (session, (scene, plans)) in enumerate(zip(sessions, views, strict=True)):
        say(titles[i])
        articles.append(
            {"title": titles[i], "scene": scene, "plans": plans, **article(session, f"s{i}", choice, first)}
        )
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
    return render(
        "report/page/page.html",
        heading=titles[0] if len(titles) == 1 else f"{len(titles)} sessions",
        titles=titles,
        before=before,
        styles=["report/sessions.css"] if before else [],
        views=(SCENE_CSS, SCENE_JS),
        articles=articles,
        cycles=cycles,
        motion_words=motion_words,
        size_words=size_words,
        no_gdi=NO_GDI,
    )


def article(session: Session, key: str, choice: str | None, first: int) -> dict[str, Any]:
    """What one session's article holds, by the names of ``page.html``.

    Parameters
    ----------
    session : Session
    key : str
        Begins all ids.
    choice : str or None
        Of norms.
    first : int
        How many trials of the page come before.
    """
    results = session.results
    means = in_mean(results)
    counted = means.results
    basis, speeds = pool(counted), speeds_of(counted)
    norms, why = _norms(basis, choice, means.counted, speeds)
    drawn = Drawn(key, sides_of(results), basis, norms, why_unknown(results), counted)
    without = [name for name, result in named(results) if not result.cycles] if basis.kind == CYCLE else []
    message, trust = head.verdict(means), head.trust(means, basis)
    tables, groups = features(counted, norms), figures(drawn)
    asked_none = choice == NONE or (norms is not None and "speed_m_per_s" in norms.spatiotemporal)
    speed, speed_of = (None if asked_none else usual_speed(results[0].record)) or (None, "")
    return {
        "results": results,
        "facts": head.facts(session, speeds),
        "reason": agreed_at(results, "subject", "reason", "value"),
        "used": head.used(means),
        "no_age": head.no_age(results, norms) if choice != NONE and basis.kind == CYCLE else "",
        "bodies": head.bodies(results),
        "left_out": means.left_out,
        "verdict": message._replace(known=head.known_words(means, trust)),
        "trust": trust,
        "trust_line": head.trust_line(trust),
        "glance": glance(basis, norms, why),
        "assumed": [note.words for note in notes(results, ("assumption",))],
        "defaults": head.taken_by_default(results, norms),
        "on_ground": any(result.on_ground for result in results),
        "plates": head.plates(results),
        "plates_in_sum": head.plates_in_sum(results),
        "corrections": corrections(results),
        "drawn": drawn,
        "groups": groups,
        "marks": marks(basis.sides),
        "curve_data": curve_data(drawn, groups),
        "buttons": buttons(drawn),
        "trial_keys": [f"r{first + i}" for i in range(len(results))],
        "without": ", ".join(without),
        "sure": sure(counted),
        "strides": spatiotemporal(counted, norms, speed),
        "speed_of": speed_of,
        "profile": profile(basis, norms),
        # of the cycles that count; where no trial has any, the peaks of each contact
        "features": tables,
        "peaks": [(name, r, peak_tables(r)) for name, r in named(results) if r.on_ground] if not tables else [],
        "folded": folded(results),
        "notes": notes_by_severity(results),
        "methods": methods_text(results, norms),
        "topics": topics(results),
    }


def _norms(
    basis: Basis, choice: str | None, results: Sequence[Result], speeds: Sequence[float]
) -> tuple[Norms | None, str]:
    """What is drawn and why; a choice that cannot be read is refused whatever the trials hold."""
    first = next((result for result in results if result.cycles), results[0])
    norms, why = norms_for(choice, first.record, float(np.mean(speeds)) if speeds else float("nan"))
    if basis.kind != CYCLE and norms is not None:
        return None, "Norms are of walking over a gait cycle: without a whole one nothing is held against them."
    return norms, why


_TIMES = ("first_frame", "last_frame")


def corrections(results: Sequence[Result]) -> dict[str, Any] | None:
    """The entries of all trials, in words, and the editor of a page of one; None without either."""
    rows = [
        {
            "trial": name,
            "what": entry_words(entry),
            **{key: str(entry.get(key) or "") for key in ("reason", "author", "date")},
            "moved": len(moved) if isinstance(moved := entry.get("moved"), list) else None,
        }
        for name, result in named(results)
        for entry in result.mappings("corrections", "entries")
    ]
    editor = _editor(results[0]) if len(results) == 1 else None
    return {"rows": rows, "several": len(results) > 1, "editor": editor} if rows or editor else None


def entry_words(entry: Mapping[str, Any]) -> str:
    """What an entry says: ``left strike moved from frame 426 to 424``."""
    of = {key: str(value) for key, value in entry.items()}
    frames = f", frames {of['first_frame']}–{of['last_frame']}" if {*_TIMES} <= of.keys() else ""
    side = of.get("side", "")
    if of.get("list") == "events":
        where = f"from frame {of['from']} to {of.get('frame')}" if "from" in of else f"frame {of.get('frame')}"
        done = {"add": "added", "move": "moved", "remove": "removed"}.get(of.get("do", ""), of.get("do", ""))
        return (
            f"{side} {of.get('kind')} {done}, {where}" if done != "moved" else f"{side} {of.get('kind')} moved {where}"
        )
    if of.get("list") == "contacts":
        on = "on no plate" if of.get("plates") == "none" else f"on plate {of.get('plates')}"
        return f"{side} foot {on}{frames}"
    if of.get("list") == "leave_out":
        what = f"{side} cycle {of['cycle']}" if "cycle" in of else f"marker {of.get('marker')}"
        return f"{what} not used{frames}"
    if of.get("list") == "labels":
        return f"marker {of.get('from')} is {of.get('to')}{frames}"
    return f"{of.get('list')}: {side}{frames}"


def _editor(result: Result) -> dict[str, Any] | None:
    """What can be corrected on the page; None of a record that does not say it all, or of a trial without a file."""
    trial = next((entry for entry in result.mappings("inputs") if entry.get("role") == "trial"), {})
    path, sha256 = str(trial.get("path") or ""), str(trial.get("sha256") or "")
    events = result.mappings("events", "used")
    if is_chain(result) or not (path and sha256) or path.endswith("(in memory)") or not events:
        return None
    first = int(result.frame[0])

    def frame(time_s: object) -> float:
        return round(first + float(time_s) / result.step_s, 2) if isinstance(time_s, int | float) else float(first)

    cycles = [
        {"side": side, "number": int(n), "first": float(a), "last": float(b), "out": False}
        for side, of in result.cycles.items()
        for n, a, b in zip(of.numbers, of.first_frame, of.last_frame, strict=True)
    ] + [
        {
            "side": of.get("side"),
            "number": of.get("number"),
            "first": frame(of.get("start_s")),
            "last": frame(of.get("end_s")),
            "out": True,
        }
        for of in result.mappings("events", "left_out_cycles")
    ]
    kept = [
        {key: of for key, of in entry.items() if key not in ("moved", "without_it")}
        for entry in result.mappings("corrections", "entries")
    ]
    return {
        "file": (file := file_name(path)),
        "name": f"{file.rpartition('.')[0]}.corrections.yaml",
        "sha256": sha256,
        "first": first,
        "last": int(result.frame[-1]),
        "step_s": result.step_s,
        "sides": list(result.sides),
        "plates": [str(plate.get("plate")) for plate in result.mappings("quality", "plates") if plate.get("plate")],
        "events": [
            {"side": e.get("side"), "kind": e.get("kind"), "frame": frame(e.get("time_s")), "source": e.get("source")}
            for e in events
            if e.get("side") in result.sides
        ],
        "contacts": [
            {"side": c.side, "plates": c.plates, "first": c.first_frame, "last": c.last_frame} for c in result.contacts
        ],
        "cycles": cycles,
        "kept": kept,
    }
