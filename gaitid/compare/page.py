"""A comparison as a page: the verdict, the reasons, each curve of both with its difference beneath. No network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from gaitid.check.findings import unit_of
from gaitid.compare.align import CYCLE, TIME
from gaitid.compare.comparison import Comparison
from gaitid.compare.measures import Measured, difference
from gaitid.compare.mixture import ORDER
from gaitid.compare.text import heads_of, sure_cells, sure_words
from gaitid.compare.words import QUANTITIES, amount, curve_name, known_on_one_side, number, percent, verdict
from gaitid.disk.atomic import put_all
from gaitid.errors import WriteError
from gaitid.inputs import refuse_to_overwrite
from gaitid.report.page.compose import document
from gaitid.report.page.svg import HEIGHT, WIDTH, Scale, axes, line, round_step, scale_for
from gaitid.report.panels import PANELS
from gaitid.report.text import escape
from gaitid.trial import Array

_X = {TIME: "time, s", CYCLE: "% of the gait cycle"}
_STEPS = (1.0, 2.0, 5.0, 10.0)
# The axis of a difference never shows less than this share of the curve's range: rounding is not to look like a curve.
_LEAST = 0.02
_LIMIT = (
    '<li class="of-limit"><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30"/></svg>'
    "beyond it a difference is more than its uncertainty</li>"
)


def refuse_output(output: Path, inputs: Iterable[Path]) -> None:
    """Raise where a page cannot be written to a path, by its name alone.

    Raises
    ------
    WriteError
    """
    if str(output) == "-":
        raise WriteError("-: a page goes to a file, not to the standard output", todo="give it a name, as why.html")
    if output.is_dir() or output.suffix.lower() not in (".html", ".htm"):
        raise WriteError(f"{output}: expected a name that ends in .html")
    refuse_to_overwrite([output], inputs)


def write_page(output: Path, comparison: Comparison) -> None:
    """Write the page, whole or not at all; its folder is made if absent.

    Raises
    ------
    WriteError
    """
    try:
        put_all(output.parent, {output.name: page(comparison).encode("utf-8", "replace")})
    except OSError as error:
        raise WriteError(f"{output}: cannot be written", found=error.strerror or str(error)) from None


def page(comparison: Comparison) -> str:
    """The page as HTML."""
    a, b = comparison.a, comparison.b
    body = "\n".join(
        [
            '<article class="both">',
            f'<header><p class="kind">Comparison</p><h1>{escape(a.name)} and {escape(b.name)}</h1>{_facts(comparison)}'
            "</header>",
            f'<section><h2>What differs most, and why</h2><p class="first">{escape(verdict(comparison))}</p></section>',
            _sure(comparison),
            _reasons(comparison),
            _notes(comparison),
            _curves(comparison),
            _table(comparison),
            "</article>",
        ]
    )
    return document(f"{a.name} and {b.name}", body, _css())


@cache
def _css() -> str:
    return (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def _facts(comparison: Comparison) -> str:
    rows = (
        ("A", f"{comparison.a.name}: {comparison.a.words}"),
        ("B", f"{comparison.b.name}: {comparison.b.words}"),
        ("Compared", comparison.aligned.words),
        ("Differences", "B − A"),
    )
    cells = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(words)}</dd></div>" for name, words in rows)
    return f'<dl class="facts">{cells}</dl>'


def _notes(comparison: Comparison) -> str:
    explained = comparison.explanation.notes if comparison.explanation is not None else ()
    notes = (*comparison.aligned.notes, *comparison.a.notes, *comparison.b.notes, *explained)
    lines = [*notes, *known_on_one_side(comparison)]
    if not lines:
        return ""
    items = "".join(f"<li>{escape(text.strip())}</li>" for text in lines)
    return f'<section><h2>To be read with it</h2><ul class="note">{items}</ul></section>'


def _sure(comparison: Comparison) -> str:
    """Whether the differences are more than their uncertainty, with a table of features."""
    if comparison.sure is None:
        return ""
    words = "".join(f"<p>{escape(line)}</p>" for line in sure_words(comparison))
    rows = []
    for f in comparison.sure.features:
        cells = (number(f.a), number(f.b), number(f.b - f.a), number(f.detectable), "more" if f.beyond else "")
        of_row = "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells)
        name = f"{f.side} {f.feature.replace('_', ' ')}, {f.unit.replace('_per_', '/')}"
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{of_row}</tr>')
    heads = ("A", "B", "B − A", "MDC95", "more than its uncertainty")
    top = "".join(f'<th scope="col" class="n">{head}</th>' for head in heads)
    more = sum(f.beyond for f in comparison.sure.features)
    table = (
        f"<details><summary>{len(rows)} features, means of the cycles: {more}"
        ' differ by more than their uncertainty</summary><div class="scroll"><table><thead><tr><th scope="col">feature'
        f"</th>{top}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
    )
    return f"<section><h2>Is it more than its uncertainty</h2>{words}{table if rows else ''}</section>"


# --- reasons ----------------------------------------------------------------------------------------------------


def _reasons(comparison: Comparison) -> str:
    explanation = comparison.explanation
    if explanation is None:
        return f"<section><h2>Why</h2><p>Not told: {escape(comparison.why_not)}.</p></section>"
    over_all = comparison.shares()
    by_quantity = {q: comparison.shares(q) for q in comparison.quantities}
    heads = ["all curves", *(f"{QUANTITIES[q]}, {unit_of(q)}" for q in by_quantity)]
    top = "".join(f'<th scope="col" class="n">{escape(head)}</th>' for head in heads)
    rows = []
    for part in explanation.parts:
        key = part.ingredient.key
        if key not in over_all:
            cells = f'<td colspan="{len(heads)}">{escape(part.why_not or "nothing differs")}</td>'
        else:
            share = over_all[key]
            cells = _cell(percent(share.share), percent(share.share_alone))
            for shares in by_quantity.values():
                of = shares[key]
                cells += _cell(f"{number(of.rms)} · {percent(of.share)}", percent(of.share_alone))
        words = f"<small>{escape(part.size)}</small>"
        rows.append(f'<tr><th scope="row">{escape(part.ingredient.name)} {words}</th>{cells}</tr>')
    if over_all:
        cells = _cell(percent(over_all["remainder"].share), "")
        for shares in by_quantity.values():
            cells += _cell(f"{number(shares['remainder'].rms)} · {percent(shares['remainder'].share)}", "")
        rows.append(f'<tr class="total"><th scope="row">left over</th>{cells}</tr>')
    there = {part.ingredient.key for part in explanation.parts}
    alike = ", ".join(ingredient.name for ingredient in ORDER if ingredient.key not in there)
    table = (
        f'<div class="scroll"><table class="why"><thead><tr><th scope="col">ingredient, in the order of exchange'
        f"</th>{top}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    return (
        f"<section><h2>Why</h2>{table if rows else '<p>No ingredient differs.</p>'}"
        f'<p class="note method">The ingredients of {escape(explanation.towards)} are taken into the other result one '
        "after the other, in this order. Told is the RMS of what each changes, its signed share of the difference "
        "(Σ part · difference / Σ difference²), and small the share when it is exchanged alone: the rest of its share "
        "it has only together with those before it. Shares and what is left over add up to 100 %. Another order gives "
        f"other shares. All curves: each divided by the largest range of its quantity. "
        f"The same in both: {escape(alike)}.</p></section>"
    )


def _cell(words: str, alone: str) -> str:
    small = f"<small>alone {escape(alone)}</small>" if alone else ""
    return f'<td class="n">{escape(words)}{small}</td>'


# --- curves -----------------------------------------------------------------------------------------------------


def _curves(comparison: Comparison) -> str:
    unit = _X.get(comparison.aligned.way, "frames")
    legend = (
        '<ul class="legend"><li class="of-a"><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30"/></svg>'
        f"A: {escape(comparison.a.name)}</li>"
        '<li class="of-b"><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30"/></svg>'
        f"B: {escape(comparison.b.name)}</li>"
        '<li class="of-d"><svg viewBox="0 0 30 8" aria-hidden="true"><path d="M0 4H30"/></svg>B − A, on its own axis'
        f"</li>{_LIMIT if comparison.sure is not None else ''}</ul>"
    )
    groups = []
    for quantity, name in QUANTITIES.items():
        found = [m for m in comparison.compared if m.quantity == quantity]
        panels = "".join(_panel(comparison, m) for m in found if not m.same)
        same = "".join(_panel(comparison, m) for m in found if m.same)
        n = sum(m.same for m in found)
        folded = (
            f'<details><summary>{n} curves that are the same</summary><div class="panels">{same}</div></details>'
            if n
            else ""
        )
        if found:
            heading = f'<h3>{escape(name.capitalize())}, <span class="unit">{escape(unit_of(quantity))}</span></h3>'
            groups.append(f'<div class="group">{heading}<div class="panels">{panels}</div>{folded}</div>')
    if not groups:
        return ""
    return f'<section class="curves"><h2>Curves over {escape(unit)}</h2>{legend}{"".join(groups)}</section>'


def _panel(comparison: Comparison, m: Measured) -> str:
    both, x = comparison.aligned.curves[m.column], comparison.aligned.x
    side, _, column = m.column.partition("_")
    known = PANELS.get(column)
    title = f"{side.capitalize()} {curve_name(column)}" if known is None else f"{side.capitalize()}: {known.title}"
    ends = ("", "") if known is None else (known.up, known.down)
    spread = max(m.range_a, m.range_b, 1e-12)
    middle = float(np.nanmean(np.concatenate([both.a, both.b])))
    upper = _over(scale_for(middle - spread / 100, middle + spread / 100, np.concatenate([both.a, both.b])), x)
    apart = difference(both, m.quantity)
    least = _LEAST * spread
    lower = _over(scale_for(-least, least, apart), x)
    limits = comparison.sure.limits.get(m.column) if comparison.sure is not None else None
    if limits is not None:
        lower = _over(scale_for(-least, least, np.concatenate([apart, limits, -limits])), x)
    ticks = _ticks(x)
    words = f"RMS {amount(m.rms, m.quantity)}, bias {number(m.bias)}, "
    words += f"largest {number(m.largest)} at {comparison.aligned.place(m.at)}, r {number(m.r)}, n {m.n}"
    label = f"{title}: A and B, and their difference. {words}"
    return (
        f'<figure class="panel"><figcaption><b>{escape(title)}</b><span class="compared">{escape(words)}</span>'
        f'</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f"{axes(upper, *ends, ticks)}"
        f'<g class="of-a"><path class="mean" d="{line(upper, x, both.a)}"/></g>'
        f'<g class="of-b"><path class="mean" d="{line(upper, x, both.b)}"/></g></svg>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" class="apart">{axes(lower, x_ticks=ticks)}'
        f'{_limits(lower, x, limits)}<g class="of-d"><path class="mean" d="{line(lower, x, apart)}"/></g></svg>'
        "</figure>"
    )


def _limits(scale: Scale, x: Array, limits: Array | None) -> str:
    """Lines on either side of no difference, beyond which a difference is more than its uncertainty."""
    if limits is None or not np.isfinite(limits).any():
        return ""
    paths = "".join(f'<path class="mean" d="{line(scale, x, sign * limits)}"/>' for sign in (1.0, -1.0))
    return f'<g class="of-limit">{paths}</g>'


def _over(scale: Scale, x: Array) -> Scale:
    return replace(scale, x_low=float(x[0]), x_high=float(x[-1]) if x[-1] > x[0] else float(x[0]) + 1.0)


def _ticks(x: Array) -> Sequence[float]:
    """Four to six round values of the x axis; whole numbers, but for less than four seconds."""
    step = round_step(max(float(x[-1] - x[0]), 1e-9) / 5, _STEPS)
    step = max(step, 1.0) if x[-1] - x[0] >= 4 else step
    first = np.ceil(x[0] / step - 1e-9) * step
    return [round(float(t), 6) for t in np.arange(first, x[-1] + step * 1e-6, step)]


# --- figures ----------------------------------------------------------------------------------------------------


def _table(comparison: Comparison) -> str:
    heads = heads_of(comparison)
    top = "".join(f'<th scope="col" class="n">{head}</th>' for head in heads)
    rows = []
    for quantity, name in QUANTITIES.items():
        found = [m for m in comparison.shown if m.quantity == quantity]
        if found:
            words = f"{name.capitalize()}, {unit_of(quantity)}"
            rows.append(f'<tr class="total"><th scope="colgroup" colspan="{len(heads) + 1}">{escape(words)}</th></tr>')
        for m in found:
            at = comparison.aligned.place(m.at) if m.n else "–"
            figures = [number(m.rms), number(m.bias), number(m.largest), at, number(m.range_a), number(m.range_b)]
            cells = [*figures, number(m.r), str(m.n), str(m.only_a), str(m.only_b), *sure_cells(comparison, m)]
            of_row = "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells)
            rows.append(f'<tr><th scope="row">{escape(curve_name(m.column))}</th>{of_row}</tr>')
    return (
        '<section class="tables"><h2>Figures</h2><div class="scroll"><table><thead><tr><th scope="col">curve</th>'
        f"{top}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        '<p class="note">Of rows in which both are known; n counts them, only A and only B the rows that one side '
        "knows alone. r is Pearson's.</p></section>"
    )
