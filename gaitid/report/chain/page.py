"""Chains -> one page of HTML: stick figures, curves against time, a view in space, and how it was made."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gaitid.report.chain.drawn import FIGURES, Drawn
from gaitid.report.chain.gather import Chain
from gaitid.report.page.compose import SCENE_BYTES, contents, document
from gaitid.report.page.folded import chain_html
from gaitid.report.page.head import assumed_html, verdict_html
from gaitid.report.page.told import in_mean
from gaitid.report.text import each, escape, facts_html, plain

_WIDTH_MM = 190.0
_CSS = (
    ".chain figure svg{width:min(100%,66rem);height:auto;display:block}.chain figure{margin:0 0 1.2rem}"
    ".chain .summary+section{margin-top:2.2rem}"
    "@media print{.chain figure{break-inside:avoid}}"
)
_PROLOGUE = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def chain_page(chains: Sequence[Chain], say: Callable[[str], None] = lambda _: None) -> str:
    """The page, with an article for each chain; `say` is told what is worked on."""
    names = [chain.drawn.name for chain in chains]
    body = contents("Trials", names)
    for i, chain in enumerate(chains):
        say(names[i])
        body += _article(chain, f"s{i}", SCENE_BYTES // len(chains))
    heading = plain(names[0]) if len(chains) == 1 else f"{len(chains)} trials"
    in_space = any(chain.result is not None for chain in chains)
    commands = dict.fromkeys("gaitid simulate" if chain.result is None else "gaitid run" for chain in chains)
    return document(heading, body, _CSS, "chain report", " and ".join(commands), in_space)


def _article(chain: Chain, key: str, scene_bytes: int) -> str:
    drawn, result = chain.drawn, chain.result
    kind, pairs = "Simulated chain: its truth", {"System": drawn.title}
    if result is not None:
        model = f"{result.record_at('model', 'name')} – {drawn.title}"
        kind, pairs = "Chain report", {"Model": model, "Software": f"gaitid {result.record_at('gaitid')}"}
    told = each("<li>{}</li>", drawn.told)
    parts = [
        f'<article id="{key}" class="chain"><header><p class="kind">{kind}</p><h1>{escape(drawn.name)}</h1>'
        f"{facts_html(pairs | dict(drawn.facts))}</header>"
    ]
    if result is not None:
        parts.append(
            f'<div class="summary">{verdict_html(in_mean([result]), "side")}<div>{assumed_html([result])}</div></div>'
        )
    parts.append(f"<section><h2>What is drawn</h2>{_figures(drawn)}")
    parts.append(f'<ul class="quiet">{told}</ul></section>' if told else "</section>")
    if result is not None:
        from gaitid.report.scene import scene_html  # it brings all that a run needs

        parts.append(f'<div class="view"><h2>3D view</h2>{scene_html([result], scene_bytes, [f"{key}-r"])}</div>')
        parts.append(f'<section class="engineer"><h2>How it was made</h2>{chain_html([result], key)}</section>')
    return "\n".join([*parts, "</article>"])


def _figures(drawn: Drawn) -> str:
    from gaitid.report.chain.picture import picture  # matplotlib

    found = []
    for name in drawn.names:
        svg = picture(drawn, (name,), _WIDTH_MM, "svg").decode("utf-8")
        svg = _METADATA.sub("", _PROLOGUE.sub("", svg))
        label = f'<svg role="img" aria-label="{escape(FIGURES[name])}" '
        found.append(f'<figure data-figure="{name}">{svg.replace("<svg ", label, 1)}</figure>')
    return "".join(found)
