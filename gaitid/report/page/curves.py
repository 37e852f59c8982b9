"""The panels over the cycle: HTML with an SVG each, and the same numbers for the page's script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.body.knee_axis import of_several
from gaitid.norms import Band, Norms
from gaitid.records import frozen_dataclass
from gaitid.report.page import svg
from gaitid.report.page.pool import CYCLE, PERCENT, Basis, MeanCurve, Pooled
from gaitid.report.page.sure import against, band_at, norm_words, standard_over_cycle
from gaitid.report.page.told import each_note
from gaitid.report.panels import GROUPS, SIDES, CyclePanel, Group
from gaitid.report.result import Result
from gaitid.report.stance import unknown_spans
from gaitid.report.text import each, escape
from gaitid.trial import Array, Mask
from gaitid.uncertainty.usable import COVERAGE_FACTOR

# Codes of notes that say why no moment is known although loads are.
_WHY_NO_MOMENTS = {"mass_unknown", "no_known_wrench"}
# The panel that shows whether the knee's flexion leaks into other planes.
_CROSS_TALK = "knee_adduction_deg"
# Of more curves a side so many are drawn, evenly chosen; the mean is of all.
MOST_DRAWN = 40
# From so many curves a side on, each is drawn at every second percent.
_COARSE_FROM = 13
_SIDE_LETTER = {"left": "L", "right": "R"}


@frozen_dataclass()
class Drawn:
    """What all panels of a session share.

    Attributes
    ----------
    key : str
        Unique on the page.
    of : tuple of str
        The sides that the trials have.
    why_empty : mapping of str to str
        By side: why no load is known; told under the first group that needs a load.
    results : tuple of Result
        Those that the means are of.
    """

    key: str
    of: tuple[str, ...]
    basis: Basis
    norms: Norms | None
    why_empty: Mapping[str, str]
    results: tuple[Result, ...] = ()

    @property
    def has_bands(self) -> bool:
        """Whether it is known of any trial how sure its curves are."""
        return self.basis.kind == CYCLE and any("uncertainty" in result.record for result in self.results)

    def band(self, panel: CyclePanel) -> Band | None:
        """The norms of a panel, where they are over the same axis."""
        return self.norms.bands.get(panel.column) if self.norms is not None and self.basis.kind == CYCLE else None


def why_unknown(results: Sequence[Result]) -> dict[str, str]:
    """By side why loads are unknown: what the contacts say, of all trials, each once; else what the coverage counts."""
    empty = [text for result in results for _, code, text in each_note(result) if code in _WHY_NO_MOMENTS]
    why = {}
    for side in SIDES:
        contacts = [c for result in results for c in result.contacts if c.side == side and c.reason]
        told = [f"plate {c.plates}: {c.reason}" if c.known else c.reason for c in contacts]
        if all(c.known for c in contacts):
            told += [span.reason for result in results for span in unknown_spans(result) if span.side == side]
        why[side] = "; ".join(dict.fromkeys([*empty, *told]))
    return why


def groups_of(basis: Basis) -> list[Group]:
    """The groups and panels that any side has a column of."""
    there = {name for pooled in basis.sides.values() for name in pooled.curves.columns}
    kept = [group._replace(panels=tuple(p for p in group.panels if p.column in there)) for group in GROUPS]
    return [group for group in kept if group.panels]


def curves_html(drawn: Drawn) -> str:
    """All groups of panels."""
    return "".join(_group(drawn, group) for group in groups_of(drawn.basis))


def _group(drawn: Drawn, group: Group) -> str:
    sides = drawn.basis.sides.values()
    known = any(np.isfinite(side.values(panel.column)).any() for side in sides for panel in group.panels)
    panels = "".join(_panel(drawn, panel) for panel in group.panels) if known else ""
    told = each('<p class="note">{}</p>', [*([group.note] if group.note else []), *_without_mean(drawn, group)])
    heading = f"{drawn.key}-{group.key}"
    return (
        f'<section class="group" data-group="{group.key}" aria-labelledby="{heading}">'
        f'<h3 id="{heading}">{group.title}</h3>{told}<div class="panels">{panels}</div></section>'
    )


def _panel(drawn: Drawn, panel: CyclePanel) -> str:
    """One figure: title, what the sides are beside the norms, and the curves."""
    identity = f"{drawn.key}-{panel.column}"
    sides, kind = drawn.basis.sides, drawn.basis.kind
    means = {side: pooled.mean(panel.column) for side, pooled in sides.items()}
    band = drawn.band(panel)
    # of sides within the norms nothing is said beside the curves, the eye sees it
    compared = {side: against(panel, sides.get(side), band) for side in SIDES}
    beyond = "".join(
        f'<span class="beyond {side}">{_SIDE_LETTER[side]} {escape(found.words)}</span>'
        for side, found in compared.items()
        if found.level == "outside" and drawn.norms is not None and drawn.norms.judges
    )
    words = f'<span class="compared">{beyond}</span>' if beyond else ""
    missing = []
    for side in drawn.of:  # which has no curve, or no mean; why stands above the panels of the group
        mean = means.get(side)
        if mean is None or not mean.n:
            no_whole = f"no whole {kind}{' with a known load' if panel.loaded else ''}"
            in_part = mean is not None and mean.part.any()
            known = f"known in part of a {kind} only (thin, and in no mean)" if in_part else no_whole
            missing.append(f"{side.capitalize()}: {known}")
    told = each('<p class="empty">{}</p>', missing)
    if panel.column == _CROSS_TALK:
        told += each('<p class="note">{}</p>', _knee_axes(drawn))
    plane = f' data-plane="{panel.plane}"' if panel.plane else ""
    return (
        f'<figure class="panel" data-joint="{panel.joint}"{plane} data-column="{panel.column}" tabindex="0" '
        f'aria-labelledby="{identity}-t">'
        f'<figcaption id="{identity}-t"><b>{escape(panel.title)}</b> <span class="unit">{panel.unit}</span>{words}'
        f'<output class="readout" aria-live="off"></output></figcaption>'
        f"{_svg(drawn, panel, means, band, identity)}<div>{told}</div></figure>"
    )


def _knee_axes(drawn: Drawn) -> list[str]:
    """Of each side how far the axes of the thigh seem turned, by all trials together."""
    lines = []
    for side in drawn.of:
        axis = of_several(result.mapping("quality", "calibration", side, "knee_axis") for result in drawn.results)
        if axis is not None:
            way = "inward" if axis[0] > 0 else "outward"
            seem = f"the thigh’s axes seem turned {way} by {abs(axis[0]):.0f}° ± {axis[1]:.0f}°"
            lines.append(f"{side.capitalize()}: {seem}")
    return lines


def _without_mean(drawn: Drawn, group: Group) -> list[str]:
    """Of each side whose load is known in no whole cycle: why."""
    loaded = [panel.column for panel in group.panels if panel.loaded]
    sides, with_mean = drawn.basis.sides, set[str]()
    for side, pooled in sides.items():
        if any(pooled.mean(column).n for column in loaded):
            with_mean.add(side)
    without = [side for side in drawn.of if loaded and side not in with_mean]
    if not without:
        return []
    first = next(g for g in groups_of(drawn.basis) if any(panel.loaded for panel in g.panels))
    what = f"no whole {drawn.basis.kind} with a known load"
    if group.key != first.key:
        return [f"{' and '.join(without).capitalize()}: {what}; why stands under {first.title.lower()}."]
    whys = {side: drawn.why_empty.get(side, "") for side in without}
    return [f"{side.capitalize()}: {what}{f': {why}' if why else ''}." for side, why in whys.items()]


def _svg(drawn: Drawn, panel: CyclePanel, means: Mapping[str, MeanCurve], band: Band | None, identity: str) -> str:
    sides = drawn.basis.sides
    scale = svg.scale_for(panel.low, panel.high, _all_values(drawn, panel, band))
    parts = [_norm(scale, panel, band)] if band is not None else []
    for side, pooled in reversed(list(sides.items())):  # the left one's dashes lie on the right one's line
        mean, standard, sure = means[side], None, ""
        if drawn.has_bands:
            standard = standard_over_cycle(drawn.results, side, panel.column, len(PERCENT))
        if standard is not None and mean.n:  # the edges of the 95 % band about the mean
            edges = (panel.scale * (mean.mean + way * COVERAGE_FACTOR * standard) for way in (-1, 1))
            sure = f'<path class="sure" d="{"".join(svg.line(scale, PERCENT, edge) for edge in edges)}"/>'
        parts.append(f'<g class="{side}">{sure}{_curves(scale, panel, pooled, mean)}</g>')
    described = []
    for side, mean in means.items():
        curves = f"{mean.n} curve{'' if mean.n == 1 else 's'}" if mean.n else "no whole curve"
        described.append(f"{side}: {'mean of ' if mean.n > 1 else ''}{curves}")
    content = svg.axes(scale, panel.up, panel.down) + svg.clipped("".join(parts), f"{identity}-c")
    label = f"{panel.title} over {drawn.basis.label}. {'; '.join(described)}"
    return svg.element(f'{content}{_marks(sides)}<g class="cursors"></g>', label)


def _all_values(drawn: Drawn, panel: CyclePanel, band: Band | None) -> Array:
    """What the y axis has to show: no impact of a foot strike, and no spike of the norms."""
    values = [np.empty(0)]
    for pooled in drawn.basis.sides.values():
        spoiled, mean = pooled.spoiled(panel.column), pooled.mean(panel.column)
        values.append(panel.scale * np.where(spoiled, np.nan, pooled.values(panel.column)).ravel())
        if mean.n > 1:
            calm = ~spoiled.any(axis=0)
            values += [panel.scale * (mean.mean + way * mean.sd)[calm] for way in (-1, 1)]
    if band is not None:
        norm, sd = band_at(band)
        beside = band.spike_until_percent <= PERCENT
        values += [panel.scale * (norm + way * np.nan_to_num(sd))[beside] for way in (-1, 1)]
    return np.concatenate(values)


def _norm(scale: svg.Scale, panel: CyclePanel, band: Band) -> str:
    """The band of one SD in grey, its mean, and its spike lighter."""
    mean, sd = (panel.scale * v for v in band_at(band))
    spike = (band.spike_until_percent > PERCENT) & (band.spike_until_percent > 0)
    html = ""
    for mask, name in ((~spike, "norm"), (svg.wider(spike), "norm spike")):
        if mask.any():
            middle = np.where(mask, mean, np.nan)
            html += (
                f'<g class="{name}"><path class="area" d="{svg.band(scale, PERCENT, middle - sd, middle + sd)}"/>'
                f'<path class="middle" d="{svg.line(scale, PERCENT, middle)}"/></g>'
            )
    return html


def _curves(scale: svg.Scale, panel: CyclePanel, pooled: Pooled, mean: MeanCurve) -> str:
    """Each curve thin, mean and SD; the part of an impact apart from the rest."""
    values, impact = panel.scale * pooled.values(panel.column), pooled.spoiled(panel.column)
    html = ""
    if mean.n > 1:
        area = svg.band(scale, PERCENT, panel.scale * (mean.mean - mean.sd), panel.scale * (mean.mean + mean.sd))
        html += f'<path class="sd" d="{area}"/>'
    if not (len(values) == 1 and mean.n == 1):
        chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_DRAWN)).round().astype(int))
        step = 2 if len(chosen) >= _COARSE_FROM else 1
        calm, struck = _two_parts(scale, values[chosen], impact[chosen], step)
        html += f'<path class="each{" part" if not mean.n else " many" if step > 1 else ""}" d="{calm}"/>'
        html += f'<path class="each impact" d="{struck}"/>' if struck else ""
    calm, struck = _two_parts(scale, (panel.scale * mean.mean)[None], np.asarray(impact.any(axis=0))[None], 1)
    html += f'<path class="mean" d="{calm}"/>' if calm else ""
    return html + (f'<path class="mean impact" d="{struck}"/>' if struck else "")


def _two_parts(scale: svg.Scale, values: Array, impact: Mask, step: int) -> tuple[str, str]:
    """The paths of curves, (curves, points), outside of their impacts, and within these up to the neighbours."""
    calm = svg.lines(scale, PERCENT[::step], np.where(impact, np.nan, values)[:, ::step])
    within = [np.where(svg.wider(hit), curve, np.nan) for curve, hit in zip(values, impact, strict=True) if hit.any()]
    return "".join(calm), "".join(svg.lines(scale, PERCENT, np.array(within))) if within else ""


def _marks(sides: Mapping[str, Pooled]) -> str:
    """Foot off as a line over the panel with its letter; the other foot's off and strike as ticks at the axis."""
    top, bottom = svg.SHAPE["top"], svg.SHAPE["bottom"]
    offs = {side: svg.middle(pooled.curves.off_percent) for side, pooled in sides.items()}
    first = min((x for x in offs.values() if x is not None), default=None)
    html = ""
    for side, pooled in sides.items():
        html += f'<g class="marks {side}">'
        if (x := offs[side]) is not None:
            before = x == first and not (side == "right" and list(offs.values()).count(x) > 1)
            anchor = f'x="{x - 2:.1f}" class="offt before"' if before else f'x="{x + 2:.1f}" class="offt"'
            html += f'<path class="off" d="M{x:.1f} {top - 2}V{bottom}"/>'
            html += f'<text {anchor} y="{top - 4}">{_SIDE_LETTER[side]}</text>'
        opposite = {"oo": (pooled.curves.opposite_off_percent, 4), "os": (pooled.curves.opposite_strike_percent, 6)}
        for name, (percents, long) in opposite.items():
            if (x := svg.middle(percents)) is not None:
                html += f'<path class="{name}" d="M{x:.1f} {bottom}v{long}"/>'
        html += "</g>"
    return html


# --- for the script -------------------------------------------------------------------------------------------


def curve_data(drawn: Drawn) -> str:
    """Means, SDs and norms at each percent, and the axes of each panel, as JSON for a script element."""
    panels = {}
    for panel in (panel for group in groups_of(drawn.basis) for panel in group.panels):
        band = drawn.band(panel)
        scale = svg.scale_for(panel.low, panel.high, _all_values(drawn, panel, band))
        entry: dict[str, Any] = {"axis": [scale.low, scale.high], "decimals": panel.decimals}
        for side, pooled in drawn.basis.sides.items():
            mean = pooled.mean(panel.column)
            entry[side] = {"mean": rounded(panel, mean.mean, 1), "n": mean.n}
            if mean.n > 1:
                entry[side]["sd"] = rounded(panel, mean.sd, 1)
        if band is not None:
            entry["norm"] = [rounded(panel, values, 1) for values in band_at(band)]
        panels[panel.column] = entry
    return data_element(f"{drawn.key}-data", {"kind": drawn.basis.kind, "shape": svg.SHAPE, "panels": panels})


def rounded(panel: CyclePanel, values: Array, more: int = 0) -> list[float | None]:
    """Values as a panel shows them, with so many decimals more; None where unknown."""
    found = np.round(panel.scale * values, panel.decimals + more)
    return [value if np.isfinite(value) else None for value in found.tolist()]


def data_element(identity: str, content: object) -> str:
    """JSON for a page's script, that cannot end the element it stands in."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{identity}">{text}</script>'


def legend(drawn: Drawn) -> str:
    """What is drawn how, once."""
    sides, kind = drawn.basis.sides, drawn.basis.kind
    items = ""
    for side, pooled in sides.items():
        count = len(pooled)
        some = "" if count <= MOST_DRAWN else f", {MOST_DRAWN} of them drawn"
        items += (
            f'<li class="{side}"><svg viewBox="0 0 30 8" aria-hidden="true"><path class="mean" d="M0 4H30"/></svg>'
            f"{side} ({count} {kind}{'' if count == 1 else 's'}{some})</li>"
        )
    if drawn.norms is not None and kind == CYCLE:
        items += f'<li><i class="key norm"></i>{escape(norm_words(drawn.norms))}</li>'
    if any(len(pooled) > 1 for pooled in sides.values()):
        items += "<li>thick: mean; shaded: ± 1 SD; thin: each</li>"
    if kind == CYCLE:
        items += "<li>vertical line: foot off; ticks below: the other foot’s off (short) and strike (long)</li>"
    if drawn.has_bands:
        items += "<li>dashed: 95 % band of the mean, by the stated errors (How sure)</li>"
    if any(pooled.impact.any() for pooled in sides.values()):
        items += "<li>dotted: impact of the foot strike, not to be read as a moment of the joint</li>"
    return f'<ul class="legend">{items}</ul>'
