"""A comparison as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.check.limits import TOLERANCES
from gaitid.check.quantities import unit_of
from gaitid.compare.comparison import Comparison
from gaitid.compare.measures import Measured
from gaitid.compare.mixture import ORDER
from gaitid.compare.sure_words import heads_of, sure_cells, sure_heads, sure_words
from gaitid.compare.words import NAMES, QUANTITIES, curve_name, known_on_one_side, number, percent, verdict
from gaitid.uncertainty.peaks import PEAKS


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
        found = [m for m in comparison.shown if m.quantity == quantity]
        if found:
            rows.append((f"{name}, {unit_of(quantity)}", *heads_of(comparison)))
            rows += [_row(comparison, m) for m in found if not (m.n and m.same)]
            same = [m for m in found if m.n and m.same]
            if same:
                limit = f"{TOLERANCES[quantity]:g} {unit_of(quantity)}"
                rows.append((f"  {len(same)} curves differ by less than {limit}, which counts as the same",))
    return table(rows)


def _row(comparison: Comparison, m: Measured) -> Sequence[str]:
    if not m.n:
        nothing = ["–"] * len(sure_heads(comparison))
        return (f"  {curve_name(m.column)}", *["–"] * 7, "0", str(m.only_a), str(m.only_b), *nothing)
    r = "–" if m.r != m.r else f"{m.r:.4f}".replace("-", "−")
    figures = (number(m.rms), number(m.bias), number(m.largest), comparison.aligned.place(m.at))
    ranges = (number(m.range_a), number(m.range_b))
    return (
        f"  {curve_name(m.column)}",
        *figures,
        *ranges,
        r,
        str(m.n),
        str(m.only_a),
        str(m.only_b),
        *sure_cells(comparison, m),
    )


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
            "this order. Told is which share of the difference each makes (signed), and in brackets its share when it",
            "is exchanged alone: the rest of its share it has only together with those before it. All shares and what",
            "is left over add up to 100 %. Another order gives other shares.",
            "",
        ]
    rows: list[Sequence[str]] = [("", "all curves", *(QUANTITIES[q] for q in comparison.quantities))]
    keys = [part.ingredient.key for part in explanation.parts if part.change]
    for key in (*keys, "remainder"):
        cells = []
        for shares in (over_all, *by_quantity.values()):
            share = shares.get(key)
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
    there = {part.ingredient.key for part in explanation.parts}
    alike = [ingredient.name for ingredient in ORDER if ingredient.key not in there]
    if alike:
        lines.append(f"the same in both: {', '.join(alike)}")
    return lines + [f"Note: {note}" for note in explanation.notes]


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows if i < len(row) > 1) for i in range(max(map(len, rows), default=0))]
    return [
        "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
        for row in rows
    ]
