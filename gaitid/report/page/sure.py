"""How sure is each number: what `run --uncertainty` left in the records, as bands over the curves and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.report.page.budget import budget_html
from gaitid.report.page.told import names_of
from gaitid.report.page.variance import SOURCES, about_uncertainty
from gaitid.report.result import Result
from gaitid.report.text import escape, fixed
from gaitid.trial import Array

_UNITS = {"Nm_per_kg": "N·m/kg", "W_per_kg": "W/kg", "deg": "°"}
_DECIMALS = {"Nm_per_kg": 2, "W_per_kg": 2, "deg": 1}


def standard_over_cycle(results: Sequence[Result], side: str, column: str, points: int) -> Array | None:
    """(points,) standard uncertainty over the cycle, root mean square of the trials that have one; None without any."""
    found = []
    for result in results:
        values = about_uncertainty(result).get("cycle", {}).get(side, {}).get(column)
        if isinstance(values, list) and len(values) == points:
            found.append([np.nan if value is None else float(value) for value in values])
    if not found:
        return None
    squares, known = np.nan_to_num(np.square(found)), np.isfinite(found)
    count = known.sum(axis=0)
    return np.asarray(np.sqrt(squares.sum(axis=0) / np.where(count > 0, count, np.nan)))


def sure_html(results: Sequence[Result], key: str) -> str:
    """A table of peaks with their bands and budgets; empty where no trial was run with ``--uncertainty``."""
    told = [
        (name, about_uncertainty(result))
        for name, result in zip(names_of(results), results, strict=True)
        if about_uncertainty(result)
    ]
    if not told:
        return ""
    several = len(results) > 1
    rows = "".join(
        _row(peak, name if several else "") for name, about in told for peak in about.get("peaks", []) if _whole(peak)
    )
    left_out = dict.fromkeys(text for _, about in told for text in about.get("left_out", []))
    missing = f" Not among them: {escape('; '.join(left_out))}." if left_out else ""
    trial = '<th scope="col">Trial</th>' if several else ""
    legend = "".join(f'<li><i class="src s{i}"></i>{words}</li>' for i, (_, words) in enumerate(SOURCES))
    return (
        f'<section class="tables sure" id="{key}-sure"><h2>How sure</h2><p>Standard uncertainties and 95 % bands from '
        "the stated errors of markers, skin, joint centres, segments and plates; the bar shows how much of the "
        f"variance each makes. Dashed lines beside the curves are the 95 % band.{missing}</p>"
        f'<ul class="legend">{legend}</ul>{budget_html(results)}'
        f'<div class="scroll"><table><thead><tr>{trial}<th scope="col">Side</th>'
        '<th scope="col">Quantity</th><th scope="col" class="n">Value</th><th scope="col" class="n">± standard</th>'
        '<th scope="col" class="n">95 % band</th><th scope="col">From</th><th scope="col">What would help most</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def _whole(peak: object) -> bool:
    """Whether an entry of a record holds what a row needs."""
    return isinstance(peak, Mapping) and all(
        isinstance(peak.get(name), int | float) for name in ("value", "standard_uncertainty")
    )


def _row(peak: Mapping[str, Any], name: str) -> str:
    value, u, unit = float(peak["value"]), float(peak["standard_uncertainty"]), str(peak.get("unit", ""))
    decimals, factor = _DECIMALS.get(unit, 2), 1.959963984540054
    shares = peak.get("shares_percent", {})
    shares = shares if isinstance(shares, Mapping) else {}
    bars, said = [], []
    for i, (source, words) in enumerate(SOURCES):
        share = shares.get(source)
        if isinstance(share, int | float) and share > 0:
            bars.append(f'<i class="src s{i}" style="width:{share:.1f}%"></i>')
            if share >= 1:
                said.append((float(share), f"{words} {share:.0f} %"))
    spoken = ", ".join(text for _, text in sorted(said, reverse=True))
    side = str(peak.get("side", ""))
    side = side if side in ("left", "right") else ""
    trial = f"<td>{escape(name)}</td>" if name else ""
    words = str(peak.get("feature", "")).replace("_", " ")
    unit = _UNITS.get(unit, escape(unit))
    return (
        f'<tr>{trial}<td class="{side}">{side}</td><td>{escape(words)} <span class="unit">{unit}'
        f'</span></td><td class="n">{fixed(value, decimals)}</td><td class="n">{fixed(u, decimals)}</td>'
        f'<td class="n">{fixed(value - factor * u, decimals)} to {fixed(value + factor * u, decimals)}</td>'
        f'<td><span class="budget" role="img" aria-label="{escape(spoken)}">{"".join(bars)}</span>'
        f"<small>{escape(spoken.split(', ')[0])}</small></td><td>{escape(str(peak.get('would_help', '')))}</td></tr>"
    )
