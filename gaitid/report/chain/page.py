"""Chains -> one page of HTML: stick figures, curves against time, a view in space, and how it was made."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from gaitid.report.chain.drawn import FIGURES, Drawn
from gaitid.report.chain.gather import Chain
from gaitid.report.page.compose import SCENE_BYTES
from gaitid.report.page.folded import folded, notes_by_severity
from gaitid.report.page.head import taken_by_default, verdict
from gaitid.report.page.told import in_mean, notes
from gaitid.report.templates import render

_WIDTH_MM = 190.0
_PROLOGUE = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def chain_page(chains: Sequence[Chain], say: Callable[[str], None] = lambda _: None) -> str:
    """The page, with an article for each chain; `say` is told what is worked on."""
    names = [chain.drawn.name for chain in chains]
    articles = []
    for i, chain in enumerate(chains):
        say(names[i])
        articles.append(_article(chain, f"s{i}", SCENE_BYTES // len(chains)))
    views = None
    if any(chain.result is not None for chain in chains):
        from gaitid.report.scene import SCENE_CSS, SCENE_JS

        views = (SCENE_CSS, SCENE_JS)
    commands = dict.fromkeys("gaitid simulate" if chain.result is None else "gaitid run" for chain in chains)
    heading = names[0] if len(chains) == 1 else f"{len(chains)} trials"
    made_by = " and ".join(commands)
    return render(
        "report/chain/page.html", heading=heading, titles=names, made_by=made_by, views=views, articles=articles
    )


def _article(chain: Chain, key: str, scene_bytes: int) -> dict[str, Any]:
    """What the article of a chain holds, by the names of ``page.html``."""
    drawn, result = chain.drawn, chain.result
    of: dict[str, Any] = {
        "kind": "Simulated chain: its truth",
        "drawn": drawn,
        "facts": {"System": drawn.title} | dict(drawn.facts),
        "pictures": _pictures(drawn),
        "result": result,
    }
    if result is not None:
        from gaitid.report.scene import scene_html  # it brings all that a run needs

        model = f"{result.record_at('model', 'name')} – {drawn.title}"
        facts = {"Model": model, "Software": f"gaitid {result.record_at('gaitid')}"}
        of |= {
            "kind": "Chain report",
            "facts": facts | dict(drawn.facts),
            "verdict": verdict(in_mean([result]), "side"),
            "assumed": [note.words for note in notes([result], ("assumption",))],
            "defaults": taken_by_default([result], None),
            "scene": scene_html([result], scene_bytes, [f"{key}-r"]),
            "folded": folded([result]),
            "notes": notes_by_severity([result]),
        }
    return of


def _pictures(drawn: Drawn) -> dict[str, str]:
    """Elements of SVG by the names of their figures."""
    from gaitid.report.chain.picture import picture  # matplotlib

    found = {}
    for name in drawn.names:
        svg = picture(drawn, (name,), _WIDTH_MM, "svg").decode("utf-8")
        svg = _METADATA.sub("", _PROLOGUE.sub("", svg))
        found[name] = svg.replace("<svg ", f'<svg role="img" aria-label="{FIGURES[name]}" ', 1)
    return found
