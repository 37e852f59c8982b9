"""How sure is each number, and where does a mean curve leave the norms: bands over the curves, words beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.norms import Band, Norms
from gaitid.records import NamedTuple
from gaitid.report.page.pool import CYCLE, PERCENT, Basis, Pooled
from gaitid.report.page.svg import axes, band, element, line, scale_for
from gaitid.report.page.told import named
from gaitid.report.panels import AT_A_GLANCE, PANELS, SIDES, CyclePanel
from gaitid.report.result import Result
from gaitid.report.stance import runs
from gaitid.report.text import escape, fixed
from gaitid.trial import Array
from gaitid.uncertainty.sources import SOURCES
from gaitid.uncertainty.usable import COVERAGE_FACTOR, UsableFor, from_records, motion_words, size_words

# Classes of colours of page.css, which sources have by their place.
_COLOURS = 10
_LABELS = [source.label for source in SOURCES.values()]
#: What the picture is drawn of, in the order of the panels.
COLUMNS = (
    "hip_extension_moment_Nm_per_kg",
    "knee_extension_moment_Nm_per_kg",
    "ankle_plantarflexion_moment_Nm_per_kg",
    "hip_abduction_moment_Nm_per_kg",
    "hip_flexion_deg",
    "knee_flexion_deg",
    "ankle_dorsiflexion_deg",
    "hip_internal_rotation_deg",
)
# As they are shown, and decimals.
_UNITS = {"Nm_per_kg": ("N·m/kg", 2), "W_per_kg": ("W/kg", 2), "deg": ("°", 1)}


def standard_over_cycle(results: Sequence[Result], side: str, column: str, points: int) -> Array | None:
    """(points,) standard uncertainty over the cycle, root mean square of the trials that have one; None without any."""
    given = [result.record_at("uncertainty", "cycle", side, column) for result in results]
    found = np.array([of for of in given if isinstance(of, list) and len(of) == points], dtype=float)
    if not len(found):
        return None
    count = np.isfinite(found).sum(axis=0)
    return np.asarray(np.sqrt(np.nan_to_num(found**2).sum(axis=0) / np.where(count > 0, count, np.nan)))


def sure_html(results: Sequence[Result], key: str) -> str:
    """A table of peaks with their bands and budgets; empty where no trial was run with ``--uncertainty``."""
    told = [(name, about) for name, result in named(results) if (about := result.mapping("uncertainty"))]
    if not told:
        return ""
    several = len(results) > 1
    rows = "".join(
        _row(peak, name if several else "")
        for name, about in told
        for peak in about.get("peaks", [])
        if isinstance(peak, Mapping)
        and all(isinstance(peak.get(of), int | float) for of in ("value", "standard_uncertainty"))
    )
    left_out = dict.fromkeys(text for _, about in told for text in about.get("left_out", []))
    missing = f" Not among them: {escape('; '.join(left_out))}." if left_out else ""
    trial = '<th scope="col">Trial</th>' if several else ""
    legend = "".join(f'<li><i class="src s{i % _COLOURS}"></i>{words}</li>' for i, words in enumerate(_LABELS))
    return (
        f'<section class="tables sure" id="{key}-sure"><h2>How sure</h2><p>Standard uncertainties and 95 % bands from '
        "the stated errors of markers, skin, joint centres, segments and plates; the bar shows how much of the "
        f"variance each makes. Dashed lines beside the curves are the 95 % band.{missing}</p>"
        f'{usable_html(results)}<ul class="legend">{legend}</ul>{budget_html(results)}'
        f'<div class="scroll"><table><thead><tr>{trial}<th scope="col">Side</th>'
        '<th scope="col">Quantity</th><th scope="col" class="n">Value</th><th scope="col" class="n">± standard</th>'
        '<th scope="col" class="n">95 % band</th><th scope="col">From</th><th scope="col">What would help most</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


# --- for what ---------------------------------------------------------------------------------------------------------

# Badges of page.css, by class.
_BADGES = {"acceptable": "good", "with care": "care", "do not use": "no"}


def usable_html(results: Sequence[Result]) -> str:
    """For what the numbers are sure enough, a row for each joint and plane; empty where no record says it."""
    found = from_records((entry for result in results for entry in result.mappings("verdict", "usable_for")), {})
    if not found:
        return ""
    sides = [side for side in SIDES if any(one.side == side for one in found)]
    rows: dict[tuple[str, str, str], dict[str, UsableFor]] = {}
    for one in found:
        rows.setdefault((one.joint, one.motion, one.quantity), {})[one.side] = one
    body = ""
    for (joint, *_), by_side in rows.items():
        first = next(iter(by_side.values()))
        cells = "".join(f"<td>{_usable_cell(by_side.get(side))}</td>" for side in sides)
        body += (
            f'<tr><th scope="row">{escape(joint.replace("_", " ").capitalize())}</th>'
            f"<td>{escape(motion_words(first))}</td><td>{escape(first.plane)}</td>{cells}</tr>"
        )
    heads = "".join(f'<th scope="col" class="{side}">{side.capitalize()}, ± 95 %</th>' for side in sides)
    return (
        '<details open class="usable"><summary>Sure enough for what</summary><p>± is half of the 95 % band. Angles are '
        "judged by the standard uncertainty over the cycle, the 95 % half-width over 1.96: to 2° acceptable, to 5° "
        "with care (McGinley 2009, Gait Posture 29:360–369), or by the limits that were given. For moments and powers "
        'no limits are published.</p><div class="scroll"><table><thead><tr><th scope="col">Joint</th><th scope="col">'
        f'Quantity</th><th scope="col">Plane</th>{heads}</tr></thead><tbody>{body}</tbody></table></div></details>'
    )


def _usable_cell(one: UsableFor | None) -> str:
    if one is None:
        return ""
    badge = f' <span class="badge {_BADGES[one.level]}">{one.level}</span>' if one.level in _BADGES else ""
    return f"{escape(size_words(one))}{badge}"


def _row(peak: Mapping[str, Any], name: str) -> str:
    value, u, key = float(peak["value"]), float(peak["standard_uncertainty"]), str(peak.get("unit", ""))
    unit, decimals = _UNITS.get(key, (escape(key), 2))
    shares = peak.get("shares_percent", {})
    given = [shares.get(source) if isinstance(shares, Mapping) else None for source in SOURCES]
    bars = "".join(
        f'<i class="src s{i % _COLOURS}" style="width:{share:.1f}%"></i>'
        for i, share in enumerate(given)
        if isinstance(share, int | float) and share > 0
    )
    said = [
        (float(share), f"{words} {share:.0f} %")
        for share, words in zip(given, _LABELS)
        if isinstance(share, int | float) and share >= 1
    ]
    spoken = [text for _, text in sorted(said, reverse=True)]
    side = str(peak.get("side", ""))
    side = side if side in SIDES else ""
    trial = f"<td>{escape(name)}</td>" if name else ""
    band_ends = [fixed(value + way * COVERAGE_FACTOR * u, decimals) for way in (-1, 1)]
    return (
        f'<tr>{trial}<td class="{side}">{side}</td><td>{escape(str(peak.get("feature", "")).replace("_", " "))} '
        f'<span class="unit">{unit}</span></td><td class="n">{fixed(value, decimals)}</td>'
        f'<td class="n">{fixed(u, decimals)}</td><td class="n">{" to ".join(band_ends)}</td>'
        f'<td><span class="budget" role="img" aria-label="{escape(", ".join(spoken))}">{bars}</span>'
        f"<small>{escape(''.join(spoken[:1]))}</small></td><td>{escape(str(peak.get('would_help', '')))}</td></tr>"
    )


# --- the budget over the cycle ----------------------------------------------------------------------------------------


def variance_over_cycle(results: Sequence[Result], side: str, column: str) -> dict[str, Array]:
    """By source, (101,): the mean over the trials that hold it; empty without any.

    What is wrong in a session is wrong in all its trials: a mean over them is no surer.
    """
    found = [of for result in results if (of := _of_one(result, side, column))]
    sources = dict.fromkeys(source for of in found for source in of)
    return {
        source: np.asarray(sum(of.get(source, np.zeros(len(PERCENT))) for of in found) / len(found))
        for source in sources
    }


def _of_one(result: Result, side: str, column: str) -> dict[str, Array]:
    u = result.record_at("uncertainty", "cycle", side, column)
    if side not in result.cycles or not isinstance(u, list) or len(u) != len(PERCENT):
        return {}
    squared = np.array(u, dtype=np.float64) ** 2
    found = {}
    for source, shares in result.mapping("uncertainty", "cycle_shares_percent", side, column).items():
        values = np.array(shares, dtype=np.float64)
        at = np.linspace(PERCENT[0], PERCENT[-1], len(values))
        # a share that stands beside an unknown one counts for what lies between
        known = np.isfinite(values)
        found[source] = squared * np.interp(PERCENT, at[known], values[known]) / 100 if known.any() else 0 * squared
    return found


def layers(variance: Mapping[str, Array]) -> list[tuple[int, Array, Array]]:
    """Of each source its place in `SOURCES`, and the lines between which it lies: together the standard uncertainty.

    Parameters
    ----------
    variance : mapping of source to (points,) array

    Returns
    -------
    list of (int, (points,) array, (points,) array)
        From below. A layer is as high as its share of the variance, times the standard uncertainty.
    """
    total = np.asarray(sum(variance.values()))
    height = np.sqrt(total) / np.where(total > 0, total, np.nan)
    found = []
    low = np.where(np.isfinite(total), 0.0, np.nan)
    for i, source in enumerate(SOURCES):
        if source in variance and np.nanmax(variance[source], initial=0.0) > 0:
            high = low + np.nan_to_num(variance[source] * height)
            found.append((i, low, high))
            low = high
    return found


def budget_html(results: Sequence[Result]) -> str:
    """Panels of each side; empty where no record holds a budget over the cycle."""
    panels = ""
    for column, side in ((column, side) for column in COLUMNS for side in SIDES):
        found = layers(variance_over_cycle(results, side, column))
        if not found:
            continue
        _, _, top = found[-1]
        scale = scale_for(0.0, 1.15 * float(np.nanmax(top)), top)
        title = f"{side.capitalize()}: {PANELS[column].title}"
        areas = "".join(
            f'<path class="src s{i % _COLOURS}" d="{band(scale, PERCENT, low, high)}"/>' for i, low, high in found
        )
        drawn = f'{areas}<path class="sum" d="{line(scale, PERCENT, top)}"/>'
        label = f"{title}: standard uncertainty over the cycle, stacked by source"
        panels += (
            f'<figure class="panel"><figcaption><b>{escape(title)}</b> '
            f'<span class="unit">± standard, {PANELS[column].unit}</span></figcaption>'
            f"{element(axes(scale) + drawn, label)}</figure>"
        )
    return (
        "<details open><summary>The budget over the cycle</summary><p>The upper edge is the standard uncertainty; each "
        "colour is as high as its share of the variance. Colours as in the bars beneath.</p>"
        f'<div class="panels">{panels}</div></details>'
        if panels
        else ""
    )


# Two standard deviations of people without a pathology hold about 95 of 100 of them.
NORMAL_SD = 2.0
#: Shorter stretches are not told: two curves that are a percent apart in time part by that much on a slope.
SHORTEST_PERCENT = 3
# Nor are differences of less than this share of the panel's axis, which no eye sees: where the norms' SD is next to
# nothing, as of moments in swing, two SD are too.
_LEAST_OF_AXIS = 1 / 40


class Compared(NamedTuple):
    """A mean curve beside its norms.

    Attributes
    ----------
    level : str
        ``within``, ``outside``, or ``unknown``.
    words : str
    """

    level: str
    words: str


def band_at(band: Band) -> tuple[Array, Array]:
    """Mean and SD of a band at each percent."""
    return np.interp(PERCENT, band.percent, band.mean), np.interp(PERCENT, band.percent, band.sd)


def norm_words(norms: Norms) -> str:
    """For a legend: what the grey band is, of whom, and what the words beside the curves mean."""
    told = f"; “above” and “below” are beyond mean ± {NORMAL_SD:g} SD" if norms.judges else ""
    return f"norm, mean ± 1 SD: {norms.legend}{told}"


def against(panel: CyclePanel, pooled: Pooled | None, band: Band | None) -> Compared:
    """Where the mean curve of a side lies beyond two SD of the norms, but for impacts and the norms' own spike."""
    if pooled is None:
        return Compared("unknown", "no whole cycle")
    curve = pooled.mean(panel.column)
    if not curve.n:
        unknown = "load not known" if panel.loaded else "not known"
        return Compared("unknown", "known in part of a cycle only" if curve.part.any() else unknown)
    if band is None or not np.isfinite(band.sd).any():
        return Compared("unknown", "no norm")
    mean, sd = band_at(band)
    asked = np.isfinite(curve.mean) & (sd > 0) & (band.spike_until_percent <= PERCENT)
    asked &= ~(pooled.mean_impact & panel.of_joint_load)
    apart = np.where(asked, (curve.mean - mean) / np.where(sd > 0, sd, 1), 0.0)
    seen = np.abs(curve.mean - mean) * panel.scale > _LEAST_OF_AXIS * (panel.high - panel.low)
    apart = np.where(seen, apart, 0.0)
    found = [
        (first, f"{way} at ", f"{first}–{last} %")
        for way, beyond in (("above", apart > NORMAL_SD), ("below", apart < -NORMAL_SD))
        for first, last in runs(beyond)
        if last - first + 1 >= SHORTEST_PERCENT
    ]
    if not found:
        share = asked.mean()
        return Compared("within", "within" if share > 0.9 else f"within, where known ({100 * share:.0f} %)")
    words, before = [], ""
    for _, way, at in sorted(found)[:4]:
        words.append(at if way == before else way + at)
        before = way
    return Compared("outside", ", ".join(words) + (f" and {len(found) - 4} more" if len(found) > 4 else ""))


def glance_html(basis: Basis, norms: Norms | None, why: str) -> str:
    """Where the mean curves of the sagittal plane lie beside the norms, in words."""
    sentence = f'<p class="note">{escape(why[:1].upper() + why[1:])}</p>' if why else ""
    heading = f'<section aria-label="Within normal?"><h2>Within normal?</h2>{sentence}'
    if norms is None or not norms.judges or basis.kind != CYCLE:
        return f"{heading}</section>"
    rows, outside, looked_at = [], [], 0
    for column, panel in PANELS.items():
        if (band := norms.bands.get(column)) is None:
            continue
        found = {side: against(panel, basis.sides.get(side), band) for side in SIDES}
        if column not in AT_A_GLANCE:  # frontal and transverse plane, ground reaction
            looked_at += sum(of.level != "unknown" for of in found.values())
            if beyond := [side for side, of in found.items() if of.level == "outside"]:
                which = "both" if len(beyond) == len(SIDES) else beyond[0]
                outside.append(f"{panel.title[:1].lower()}{panel.title[1:]} ({which})")
        elif any(column in pooled.curves.columns for pooled in basis.sides.values()):
            cells = "".join(f'<td class="{of.level}">{escape(of.words)}</td>' for of in found.values())
            rows.append(f'<tr><th scope="row">{escape(panel.title)}</th>{cells}</tr>')
    if not rows:
        return f"{heading}</section>"
    elsewhere = "Other planes: no curve is held against norms."
    if looked_at:
        elsewhere = f"Outside in other planes, of {looked_at} curves drawn over norms below: "
        elsewhere += f"{', '.join(outside) or 'none'}."
    return (
        f'{heading}<div class="scroll"><table class="glance"><thead><tr><th scope="col">Curve</th>'
        '<th scope="col" class="left">Left</th><th scope="col" class="right">Right</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div><p>{escape(elsewhere)}</p>"
        '<p class="note">The table is of the sagittal plane and of powers alone. Within: the mean curve stays inside '
        f"the norm’s mean ± {NORMAL_SD:g} SD, twice the grey band of the curves; else where in the cycle it is beyond, "
        "for 3 % of the cycle or more. At any one instant a person in twenty without a pathology is beyond, too: short "
        "stretches alone are no finding. Impacts of the foot strike are left out.</p></section>"
    )
