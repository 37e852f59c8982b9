"""A comparison for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gaitid.check.quantities import unit_of
from gaitid.compare.align import CYCLE, FRAMES
from gaitid.compare.comparison import Comparison
from gaitid.compare.curves import Curves
from gaitid.compare.explain import Share, shares
from gaitid.compare.measures import Measured
from gaitid.compare.mixture import ORDER
from gaitid.compare.sure_words import changed, typical
from gaitid.compare.words import beyond, verdict


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
    return {"name": curves.name, "kind": curves.kind, "words": curves.words, "notes": list(curves.notes)}


def _curve(comparison: Comparison, m: Measured) -> dict[str, Any]:
    aligned = comparison.aligned
    at = {FRAMES: "frame", CYCLE: "percent"}.get(aligned.way, "time_s")
    found: dict[str, Any] = {
        "column": m.column,
        "quantity": m.quantity,
        "unit": unit_of(m.quantity),
        "n": m.n,
        "only_a": m.only_a,
        "only_b": m.only_b,
        "rms": m.rms,
        "range_a": m.range_a,
        "range_b": m.range_b,
        "r": m.r,
        "bias": m.bias,
        "largest": m.largest,
        f"largest_at_{at}": None if m.at < 0 else float(aligned.x[m.at]),
        "same": m.same if m.n else None,
    }
    if comparison.sure is not None:
        found |= _of_curve(comparison, m)
    explanation = comparison.explanation
    if explanation is not None and m.column in explanation.difference and m.n and not m.same:
        parts = shares(explanation, [m.column], {m.quantity: 1.0})
        found["parts"] = {key: _share(share) for key, share in parts.items()}
    return found


def _of_curve(comparison: Comparison, m: Measured) -> dict[str, Any]:
    """Whether a difference is more than its uncertainty: limit, share of rows beyond, largest over its limit."""
    found = comparison.beyond(m)
    share, ratio, at = found if found is not None else (float("nan"), float("nan"), -1)
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
            "side": f.side,
            "feature": f.feature,
            "unit": f.unit,
            "a": f.a,
            "b": f.b,
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
    return {
        "rms": share.rms,
        "share": share.share,
        "rms_alone": share.rms_alone,
        "share_alone": share.share_alone,
        "interaction": share.interaction,
    }


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
