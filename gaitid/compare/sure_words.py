"""Whether differences are more than their uncertainty, in words, cells and curves that lie beyond it."""

from __future__ import annotations

import math

import numpy as np

from gaitid.compare.comparison import Comparison
from gaitid.compare.detectable import CHANGED_FROM, DIFFERENCE
from gaitid.compare.measures import Measured
from gaitid.compare.words import curve_name, number, percent

_MOST = 3


def changed(comparison: Comparison) -> list[tuple[Measured, float, float, int]]:
    """Curves of which more than a quarter lies beyond, with share, largest ratio and its row; the largest first."""
    found = [(m, of) for m in comparison.compared if (of := comparison.beyond(m)) is not None]
    more = [(m, *of) for m, of in found if of[0] > CHANGED_FROM]
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
    found = comparison.beyond(m)
    if found is None:
        return ("–", "–")
    return number(typical(comparison, m)), percent(found[0])


def typical(comparison: Comparison, m: Measured) -> float:
    """Median over the rows of the limit of a curve; NaN where there is none."""
    assert comparison.sure is not None
    limit = comparison.sure.limits.get(m.column)
    known = np.array([]) if limit is None else limit[np.isfinite(limit)]
    return float(np.median(known)) if known.size else math.nan
