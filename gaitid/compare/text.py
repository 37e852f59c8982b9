"""A comparison for people, as text with what is more than its uncertainty, and for programs, as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.check.findings import unit_of
from gaitid.check.limits import TOLERANCES
from gaitid.compare.align import CYCLE, FRAMES
from gaitid.compare.comparison import Comparison
from gaitid.compare.curves import Curves
from gaitid.compare.detectable import CHANGED_FROM, DIFFERENCE
from gaitid.compare.explain import Share, shares
from gaitid.compare.measures import Measured
from gaitid.compare.mixture import ORDER
from gaitid.compare.words import NAMES, QUANTITIES, beyond, curve_name, known_on_one_side, number, percent, verdict
from gaitid.uncertainty.peaks import PEAKS

_MOST = 3
# Of a curve, as JSON names them.
_FIGURES = ("n", "only_a", "only_b", "rms", "range_a", "range_b", "r", "bias", "largest")


def changed(comparison: Comparison) -> list[tuple[Measured, float, float, int]]:
    """Curves of which more than a quarter lies beyond, with share, largest ratio and its row; the largest first."""
    results = [(m, of) for m in comparison.compared if (of := comparison.beyond(m)) is not None]
    more = [(m, *of) for m, of in results if of[0] > CHANGED_FROM]
    return sorted(more, key=lambda item: -item[2])


def sure_words(comparison: Comparison) -> list[str]:
    """What the limit is, and which curves lie beyond it, a sentence or two."""
    sure = comparison.sure
    if sure is None:
        return []
    judged = [m for m in comparison.compared if comparison.beyond(m) is not None]
    more = changed(comparison)
    what = "differ by more than their uncertainty" if sure.kind == DIFFERENCE else "leave the band"
    text = f"{len(more)} of {len(judged)} curves {what} over more than a quarter of their rows"
    if more:
        named = [
            f"{curve_name(m.column)} ({number(ratio)} times it at {comparison.aligned.place(at)})"
            for m, _, ratio, at in more[:_MOST]
        ]
        text += f": {', '.join(named)}" + (f" and {len(more) - _MOST} more" if len(more) > _MOST else "")
    lines = [f"How sure: {sure.words}. {text}."]
    if sure.common:
        shared = ", ".join(source.replace("_", " ") for source in sure.common)
        lines.append(f"Errors common to both, of which only the difference counts: {shared}.")
    return lines + [f"Note: {note}" for note in sure.notes]


def heads_of(comparison: Comparison) -> tuple[str, ...]:
    """Heads of the columns of figures of each curve."""
    figures = ("RMS", "bias", "largest", "at", "range A", "range B", "r", "n", "only A", "only B")
    return *figures, *sure_heads(comparison)


def sure_heads(comparison: Comparison) -> tuple[str, ...]:
    """Heads of two columns; none where nothing says how sure the curves are."""
    if comparison.sure is None:
        return ()
    return ("MDC95" if comparison.sure.kind == DIFFERENCE else "band", "beyond")


def sure_cells(comparison: Comparison, m: Measured) -> tuple[str, ...]:
    """The limit, as the median over the rows, and the share of rows that lie beyond it."""
    if comparison.sure is None:
        return ()
    result = comparison.beyond(m)
    if result is None:
        return ("–", "–")
    return number(typical(comparison, m)), percent(result[0])


def typical(comparison: Comparison, m: Measured) -> float:
    """Median over the rows of the limit of a curve; NaN where there is none."""
    assert comparison.sure is not None
    limit = comparison.sure.limits.get(m.column)
    known = np.array([]) if limit is None else limit[np.isfinite(limit)]
    return float(np.median(known)) if known.size else math.nan


def text_of(comparison: Comparison) -> str:
    """Verdict, what was compared, a row a curve, and the reasons."""
    parts = [verdict(comparison), "", *_about(comparison), "", *_curves(comparison)]
    if comparison.sure is not None and comparison.sure.features:
        parts += ["", *_features(comparison)]
    if comparison.explanation is not None:
        parts += ["", *_reasons(comparison)]
    return "\n".join(parts)


def _about(comparison: Comparison) -> list[str]:
    lines = [
        f"A: {comparison.a.name}, {comparison.a.words}",
        f"B: {comparison.b.name}, {comparison.b.words}",
        f"Compared {comparison.aligned.words}. Differences are B − A.",
    ]
    lines += sure_words(comparison)
    notes = (*comparison.aligned.notes, *comparison.a.notes, *comparison.b.notes)
    return lines + [f"Note: {note}" for note in notes] + known_on_one_side(comparison)


def _curves(comparison: Comparison) -> list[str]:
    rows: list[Sequence[str]] = []
    for quantity, name in QUANTITIES.items():
        results = [m for m in comparison.shown if m.quantity == quantity]
        if results:
            rows.append((f"{name}, {unit_of(quantity)}", *heads_of(comparison)))
            rows += [_row(comparison, m) for m in results if not (m.n and m.same)]
            same = [m for m in results if m.n and m.same]
            if same:
                limit = f"{TOLERANCES[quantity]:g} {unit_of(quantity)}"
                rows.append((f"  {len(same)} curves differ by less than {limit}, which counts as the same",))
    return table(rows)


def cells_of(comparison: Comparison, m: Measured) -> list[str]:
    """The figures of a curve, as `heads_of` names them."""
    at = comparison.aligned.place(m.at) if m.n else "–"
    ranges = number(m.range_a), number(m.range_b)
    figures = [number(m.rms), number(m.bias), number(m.largest), at, *ranges, number(m.r)]
    return [*figures, str(m.n), str(m.only_a), str(m.only_b), *sure_cells(comparison, m)]


def _row(comparison: Comparison, m: Measured) -> Sequence[str]:
    cells = cells_of(comparison, m)
    if m.n and m.r == m.r:
        cells[6] = f"{m.r:.4f}".replace("-", "−")
    return f"  {curve_name(m.column)}", *cells


def _features(comparison: Comparison) -> list[str]:
    """Features of the peaks that people know, and how many others differ by more than their uncertainty."""
    assert comparison.sure is not None
    known = [f for f in comparison.sure.features if f.feature in PEAKS]
    rows: list[Sequence[str]] = [("features, means of the cycles", "A", "B", "B − A", "MDC95", "", "unit")]
    for f in known:
        cells = (number(f.a), number(f.b), number(f.b - f.a), number(f.detectable), "more" if f.beyond else "")
        rows.append((f"  {f.side} {f.feature.replace('_', ' ')}", *cells, f.unit.replace("_per_", "/")))
    others = [f for f in comparison.sure.features if f.feature not in PEAKS]
    more = sum(f.beyond for f in others)
    return [*table(rows), f"  {more} of {len(others)} other features differ by more (--json and -o name them)"]


def _reasons(comparison: Comparison) -> list[str]:
    explanation = comparison.explanation
    assert explanation is not None
    by_quantity = {q: comparison.shares(q) for q in comparison.quantities}
    over_all = comparison.shares()
    lines = []
    if over_all:
        lines += [
            f"Why: the ingredients of {explanation.towards} are taken into the other result, one after the other, in",
            "this order. Each share is signed: what it makes of the difference, and in brackets what it makes when it",
            "is exchanged alone: the rest of its share it has only together with those before it. All shares and what",
            "is left over add up to 100 %. Another order gives other shares.",
            "",
        ]
    rows: list[Sequence[str]] = [("", "all curves", *(QUANTITIES[q] for q in comparison.quantities))]
    keys = [part.ingredient.key for part in explanation.parts if part.change]
    for key in (*keys, "remainder"):
        cells = []
        for of_one in (over_all, *by_quantity.values()):
            share = of_one.get(key)
            if share is None:
                cells.append("–")
            elif key == "remainder":
                cells.append(percent(share.share))
            else:
                cells.append(f"{percent(share.share)} ({percent(share.share_alone)})")
        rows.append((NAMES[key] if key != "remainder" else "left over", *cells))
    lines += [*table(rows), ""] if over_all else []
    lines.append("What differs in each ingredient itself, A first:")
    for part in explanation.parts:
        why_not = f" – not exchanged: {part.why_not}; left over" if part.why_not else ""
        lines.append(f"{part.ingredient.name}: {part.size}{why_not}")
    if unchanged := same_in_both(comparison):
        lines.append(f"the same in both: {unchanged}")
    return lines + [f"Note: {note}" for note in explanation.notes]


def same_in_both(comparison: Comparison) -> str:
    """The ingredients that do not differ."""
    explanation = comparison.explanation
    there = {part.ingredient.key for part in explanation.parts} if explanation is not None else ()
    return ", ".join(ingredient.name for ingredient in ORDER if ingredient.key not in there)


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows if i < len(row) > 1) for i in range(max(map(len, rows), default=0))]
    return [
        "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
        for row in rows
    ]


def content_of(comparison: Comparison, tolerances: Mapping[str, float]) -> dict[str, Any]:
    """All that the text says, and the wrenches besides; unknown figures are null."""
    over = beyond(comparison, tolerances)
    aligned = comparison.aligned
    return {
        "passed": not over,
        "verdict": verdict(comparison),
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "aligned": {"way": aligned.way, "words": aligned.words, "notes": list(aligned.notes)},
        "columns_of_a_alone": list(aligned.only_a),
        "columns_of_b_alone": list(aligned.only_b),
        "curves": [_curve(comparison, m) for m in comparison.measured],
        "sure": _sure(comparison),
        "why": _why(comparison),
        "why_not": comparison.why_not or None,
        "tolerances": dict(tolerances),
        "beyond": over,
    }


def _side(curves: Curves) -> dict[str, Any]:
    return {name: getattr(curves, name) for name in ("name", "kind", "words", "notes")}


def _curve(comparison: Comparison, m: Measured) -> dict[str, Any]:
    aligned = comparison.aligned
    at = {FRAMES: "frame", CYCLE: "percent"}.get(aligned.way, "time_s")
    results: dict[str, Any] = {
        "column": m.column,
        "quantity": m.quantity,
        "unit": unit_of(m.quantity),
        **{name: getattr(m, name) for name in _FIGURES},
        f"largest_at_{at}": None if m.at < 0 else float(aligned.x[m.at]),
        "same": m.same if m.n else None,
    }
    if comparison.sure is not None:
        results |= _of_curve(comparison, m)
    explanation = comparison.explanation
    if explanation is not None and m.column in explanation.difference and m.n and not m.same:
        parts = shares(explanation, [m.column], {m.quantity: 1.0})
        results["parts"] = {key: _share(share) for key, share in parts.items()}
    return results


def _of_curve(comparison: Comparison, m: Measured) -> dict[str, Any]:
    """Whether a difference is more than its uncertainty: limit, share of rows beyond, largest over its limit."""
    result = comparison.beyond(m)
    share, ratio, at = result if result is not None else (float("nan"), float("nan"), -1)
    return {
        "detectable": typical(comparison, m),
        "beyond_percent": 100 * share,
        "largest_over_detectable": ratio,
        "largest_over_detectable_at": None if at < 0 else float(comparison.aligned.x[at]),
    }


def _sure(comparison: Comparison) -> dict[str, Any] | None:
    sure = comparison.sure
    if sure is None:
        return None
    features = [
        {
            **{name: getattr(f, name) for name in ("side", "feature", "unit", "a", "b")},
            "cycles_a": f.cycles[0],
            "cycles_b": f.cycles[1],
            "difference": f.b - f.a,
            "detectable": f.detectable,
            "beyond": f.beyond,
        }
        for f in sure.features
    ]
    return {
        "kind": sure.kind,
        "words": sure.words,
        "common_sources": list(sure.common),
        "changed": [m.column for m, *_ in changed(comparison)],
        "notes": list(sure.notes),
        "features": features,
    }


def _share(share: Share) -> dict[str, float]:
    return {name: getattr(share, name) for name in ("rms", "share", "rms_alone", "share_alone", "interaction")}


def _why(comparison: Comparison) -> dict[str, Any] | None:
    explanation = comparison.explanation
    if explanation is None:
        return None
    over_all = comparison.shares()
    by_quantity = {q: comparison.shares(q) for q in comparison.quantities}
    parts = [
        {
            "ingredient": part.ingredient.key,
            "name": part.ingredient.name,
            "size": part.size,
            "not_exchanged": part.why_not or None,
            "all_curves": _share(over_all[part.ingredient.key]) if part.ingredient.key in over_all else None,
            "quantities": {
                q: _share(s[part.ingredient.key]) for q, s in by_quantity.items() if part.ingredient.key in s
            },
        }
        for part in explanation.parts
    ]
    return {
        "towards": explanation.towards,
        "order": [ingredient.key for ingredient in ORDER],
        "parts": parts,
        "ranked": [key for key, _ in comparison.ranked()],
        "remainder": {
            "all_curves": _share(over_all["remainder"]) if over_all else None,
            "quantities": {q: _share(s["remainder"]) for q, s in by_quantity.items()},
        },
        "scales": dict(comparison.scales),
        "notes": list(explanation.notes),
    }
