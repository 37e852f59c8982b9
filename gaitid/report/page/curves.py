"""The panels over the cycle: HTML with an SVG each, and the same numbers for the page's script."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.norms import Band, Norms
from gaitid.records import frozen_dataclass
from gaitid.report.page import svg
from gaitid.report.page.compare import Compared, against, band_at, norm_words
from gaitid.report.page.panels import GROUPS, CyclePanel, Group
from gaitid.report.page.pool import CYCLE, PERCENT, Basis, MeanCurve, Pooled
from gaitid.report.page.sure import standard_over_cycle
from gaitid.report.page.told import each_note, readable
from gaitid.report.result import Result
from gaitid.report.stance import unknown_by_reason
from gaitid.report.text import escape
from gaitid.trial import Array, Mask

# Codes of notes that say why no moment is known although loads are.
_WHY_NO_MOMENTS = {"mass_unknown", "no_known_wrench"}
# Of more curves a side so many are drawn, evenly chosen; the mean is of all.
MOST_DRAWN = 40
# From so many curves a side on, each is drawn at every second percent.
_COARSE_FROM = 13
# Standard uncertainties to either side of a value for a band of 95 %.
COVERAGE_FACTOR = 1.959963984540054
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

    def standard(self, panel: CyclePanel, side: str) -> Array | None:
        """(points,) standard uncertainty of the mean curve, in the column's unit; None where it is not known."""
        if not self.has_bands:
            return None
        return standard_over_cycle(self.results, side, panel.column, len(PERCENT))

    @property
    def judged(self) -> bool:
        """Whether the norms may call a curve within or beyond them."""
        return self.norms is not None and self.norms.judges

    def band(self, panel: CyclePanel) -> Band | None:
        """The norms of a panel, where they are over the same axis."""
        return self.norms.bands.get(panel.column) if self.norms is not None and self.basis.kind == CYCLE else None


def why_unknown(results: Sequence[Result]) -> dict[str, str]:
    """By side why loads are unknown: what the contacts say, of all trials, each once; else what the coverage counts."""
    empty = [readable(text) for result in results for _, code, text in each_note(result) if code in _WHY_NO_MOMENTS]
    why = {}
    for side in ("left", "right"):
        contacts = [c for result in results for c in result.contacts if c.side == side and c.reason]
        told = [f"plate {c.plates}: {c.reason}" if c.known else c.reason for c in contacts]
        if not any(not c.known for c in contacts):
            told += [why for result in results for of, _, why in unknown_by_reason(result) if of == side]
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
    panels = "".join(_panel(drawn, panel) for panel in group.panels)
    note = f'<p class="note">{escape(group.note)}</p>' if group.note else ""
    note += "".join(f'<p class="note">{escape(text)}</p>' for text in _without_mean(drawn, group))
    if not any(_drawn(drawn, panel) for panel in group.panels):
        panels = ""
    heading = f"{drawn.key}-{group.key}"
    return (
        f'<section class="group" data-group="{group.key}" aria-labelledby="{heading}">'
        f'<h3 id="{heading}">{group.title}</h3>{note}<div class="panels">{panels}</div></section>'
    )


def _drawn(drawn: Drawn, panel: CyclePanel) -> bool:
    """Whether a panel has any curve."""
    empty = np.empty((0, len(PERCENT)))
    return any(np.isfinite(p.curves.columns.get(panel.column, empty)).any() for p in drawn.basis.sides.values())


def _panel(drawn: Drawn, panel: CyclePanel) -> str:
    """One figure: title, what the sides are beside the norms, and the curves."""
    identity = f"{drawn.key}-{panel.column}"
    sides = drawn.basis.sides
    means = {side: pooled.mean(panel.column) for side, pooled in sides.items()}
    band = drawn.band(panel)
    compared = (
        {side: against(panel, sides.get(side), band) for side in ("left", "right")} if drawn.judged and band else {}
    )
    picture = _svg(drawn, panel, means, band, identity)
    words = _words(compared)
    plane = f' data-plane="{panel.plane}"' if panel.plane else ""
    return (
        f'<figure class="panel" data-joint="{panel.joint}"{plane} data-column="{panel.column}" tabindex="0" '
        f'aria-labelledby="{identity}-t">'
        f'<figcaption id="{identity}-t"><b>{escape(panel.title)}</b> <span class="unit">{panel.unit}</span>{words}'
        f'<output class="readout" aria-live="off"></output></figcaption>{picture}'
        f"{_no_values(drawn, panel, means)}</figure>"
    )


def _words(compared: Mapping[str, Compared]) -> str:
    """Of a side that is outside the norms; of sides within nothing is said beside the curves, the eye sees it."""
    parts = [
        f'<span class="beyond {side}">{_SIDE_LETTER[side]} {escape(found.words)}</span>'
        for side, found in compared.items()
        if found.level == "outside"
    ]
    return f'<span class="compared">{"".join(parts)}</span>' if parts else ""


def _without_mean(drawn: Drawn, group: Group) -> list[str]:
    """Of each side whose load is known in no whole cycle: why."""
    loaded = [panel for panel in group.panels if panel.loaded]
    without = [
        side
        for side in drawn.of
        if loaded and not any(side in drawn.basis.sides and drawn.basis.sides[side].mean(p.column).n for p in loaded)
    ]
    if not without:
        return []
    first = next(g for g in groups_of(drawn.basis) if any(panel.loaded for panel in g.panels))
    what = f"no whole {drawn.basis.kind} with a known load"
    if group.key != first.key:
        return [f"{' and '.join(without).capitalize()}: {what}; why stands under {first.title.lower()}."]
    whys = {side: drawn.why_empty.get(side, "") for side in without}
    return [f"{side.capitalize()}: {what}{f': {why}' if why else ''}." for side, why in whys.items()]


def _no_values(drawn: Drawn, panel: CyclePanel, means: Mapping[str, MeanCurve]) -> str:
    """Which side has no curve, or no mean, here; why stands above the panels of its group."""
    known = " with a known load" if panel.loaded else ""
    texts = []
    for side in drawn.of:
        mean = means.get(side)
        if mean is None or not mean.n:
            part = mean is not None and mean.partial
            texts.append(
                f"{side.capitalize()}: known in part of a {drawn.basis.kind} only (thin, and in no mean)"
                if part
                else f"{side.capitalize()}: no whole {drawn.basis.kind}{known}"
            )
    told = "".join(f'<p class="empty">{escape(text)}</p>' for text in texts)
    return f"<div>{told}</div>"


def _svg(drawn: Drawn, panel: CyclePanel, means: Mapping[str, MeanCurve], band: Band | None, identity: str) -> str:
    sides = drawn.basis.sides
    scale = svg.scale_for(panel.low, panel.high, _all_values(drawn, panel, band))
    parts = [svg.axes(scale, (0, 20, 40, 60, 80, 100), escape(panel.up), escape(panel.down))]
    clip = f"{identity}-c"
    parts.append(
        f'<clipPath id="{clip}"><path d="M{svg.LEFT} {svg.TOP - 4}H{svg.WIDTH - svg.RIGHT}'
        f'V{svg.HEIGHT - svg.BOTTOM}H{svg.LEFT}Z"/></clipPath><g clip-path="url(#{clip})">'
    )
    if band is not None:
        parts.append(_norm(scale, panel, band))
    for side, pooled in reversed(list(sides.items())):  # the left one's dashes lie on the right one's line
        sure = _sure(scale, panel, means[side], drawn.standard(panel, side))
        parts.append(f'<g class="{side}">{sure}{_curves(scale, panel, pooled, means[side])}</g>')
    parts.append("</g>")
    parts.append(_marks(sides))
    described = "; ".join(_described(side, mean) for side, mean in means.items())
    return (
        f'<svg viewBox="0 0 {svg.WIDTH} {svg.HEIGHT}" role="img" aria-label="{escape(panel.title)} over '
        f'{escape(drawn.basis.label)}. {escape(described)}">{"".join(parts)}<g class="cursors"></g></svg>'
    )


def _described(side: str, mean: MeanCurve) -> str:
    curves = f"{mean.n} {'curve' if mean.n == 1 else 'curves'}"
    return f"{side}: {'mean of ' if mean.n > 1 else ''}{curves}" if mean.n else f"{side}: no whole curve"


def _all_values(drawn: Drawn, panel: CyclePanel, band: Band | None) -> Array:
    """What the y axis has to show: no impact of a foot strike, and no spike of the norms."""
    values = [np.empty(0)]
    for pooled in drawn.basis.sides.values():
        of_side = panel.scale * pooled.curves.columns.get(panel.column, np.empty((0, len(PERCENT))))
        if panel.of_joint_load and len(of_side):
            of_side = np.where(pooled.impact, np.nan, of_side)
        values.append(of_side.ravel())
        mean = pooled.mean(panel.column)
        if mean.n > 1:
            calm = ~pooled.mean_impact if panel.of_joint_load else np.ones(len(PERCENT), dtype=bool)
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
    parts = []
    for mask, name in ((~spike, "norm"), (spike, "norm spike")):
        if not mask.any():
            continue
        shown = svg.wider(mask) if name != "norm" else mask
        middle = np.where(shown, mean, np.nan)
        area = svg.band(scale, PERCENT, middle - sd, middle + sd)
        parts.append(f'<g class="{name}"><path class="area" d="{area}"/>')
        parts.append(f'<path class="middle" d="{svg.line(scale, PERCENT, middle)}"/></g>')
    return "".join(parts)


def _sure(scale: svg.Scale, panel: CyclePanel, mean: MeanCurve, standard: Array | None) -> str:
    """The edges of the 95 % band about the mean."""
    if standard is None or not mean.n:
        return ""
    edges = (panel.scale * (mean.mean + way * COVERAGE_FACTOR * standard) for way in (-1, 1))
    return f'<path class="sure" d="{"".join(svg.line(scale, PERCENT, edge) for edge in edges)}"/>'


def _curves(scale: svg.Scale, panel: CyclePanel, pooled: Pooled, mean: MeanCurve) -> str:
    """Each curve thin, mean and SD; the part of an impact apart from the rest."""
    values = panel.scale * pooled.curves.columns.get(panel.column, np.empty((0, len(PERCENT))))
    impact = pooled.impact if panel.of_joint_load else np.zeros_like(pooled.impact)
    alone = len(values) == 1 and mean.n == 1
    parts = []
    if mean.n > 1:
        area = svg.band(scale, PERCENT, panel.scale * (mean.mean - mean.sd), panel.scale * (mean.mean + mean.sd))
        parts.append(f'<path class="sd" d="{area}"/>')
    if not alone:
        chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_DRAWN)).round().astype(int))
        step = 2 if len(chosen) >= _COARSE_FROM else 1
        calm, struck = _two_parts(scale, values[chosen], impact[chosen], step)
        many = " part" if not mean.n else " many" if step > 1 else ""
        parts.append(f'<path class="each{many}" d="{calm}"/>')
        if struck:
            parts.append(f'<path class="each impact" d="{struck}"/>')
    calm, struck = _two_parts(scale, (panel.scale * mean.mean)[None], np.asarray(impact.any(axis=0))[None], 1)
    parts.append(f'<path class="mean" d="{calm}"/>' if calm else "")
    parts.append(f'<path class="mean impact" d="{struck}"/>' if struck else "")
    return "".join(parts)


def _two_parts(scale: svg.Scale, values: Array, impact: Mask, step: int) -> tuple[str, str]:
    """The paths of curves, (curves, points), outside of their impacts, and within these up to the neighbours."""
    calm = svg.lines(scale, PERCENT[::step], np.where(impact, np.nan, values)[:, ::step])
    hit = [i for i in range(len(values)) if impact[i].any()]
    within = np.array([np.where(svg.wider(impact[i]), values[i], np.nan) for i in hit])
    return "".join(calm), "".join(svg.lines(scale, PERCENT, within)) if hit else ""


def _marks(sides: Mapping[str, Pooled]) -> str:
    """Foot off as a line over the panel with its letter; the other foot's off and strike as ticks at the axis."""
    bottom = svg.HEIGHT - svg.BOTTOM
    offs = {side: _middle(pooled.curves.off_percent) for side, pooled in sides.items()}
    first = min((x for x in offs.values() if x is not None), default=None)
    parts = []
    for side, pooled in sides.items():
        of_side = []
        if (x := offs[side]) is not None:
            of_side.append(f'<path class="off" d="M{x:.1f} {svg.TOP - 2}V{bottom}"/>')
            before = x == first and not (side == "right" and list(offs.values()).count(x) > 1)
            anchor = f'x="{x - 2:.1f}" class="offt before"' if before else f'x="{x + 2:.1f}" class="offt"'
            of_side.append(f'<text {anchor} y="{svg.TOP - 4}">{_SIDE_LETTER[side]}</text>')
        for values, name in ((pooled.curves.opposite_off_percent, "oo"), (pooled.curves.opposite_strike_percent, "os")):
            if (x := _middle(values)) is not None:
                of_side.append(f'<path class="{name}" d="M{x:.1f} {bottom}v{6 if name == "os" else 4}"/>')
        parts.append(f'<g class="marks {side}">{"".join(of_side)}</g>')
    return "".join(parts)


def _middle(percents: Array) -> float | None:
    """Where the mean of percents lies across the panel."""
    seen = percents[np.isfinite(percents)]
    return float(svg.Scale(0, 1, ()).x(seen.mean())) if len(seen) else None


# --- for the script -------------------------------------------------------------------------------------------


def curve_data(drawn: Drawn) -> str:
    """Means, SDs and norms at each percent, and the axes of each panel, as JSON for a script element."""
    panels = {}
    for group in groups_of(drawn.basis):
        for panel in group.panels:
            band = drawn.band(panel)
            scale = svg.scale_for(panel.low, panel.high, _all_values(drawn, panel, band))
            entry: dict[str, Any] = {"axis": [scale.low, scale.high], "decimals": panel.decimals}
            for side, pooled in drawn.basis.sides.items():
                mean = pooled.mean(panel.column)
                entry[side] = {"mean": _short(panel, mean.mean), "n": mean.n}
                if mean.n > 1:
                    entry[side]["sd"] = _short(panel, mean.sd)
            if band is not None:
                entry["norm"] = [_short(panel, values) for values in band_at(band)]
            panels[panel.column] = entry
    shape = {"left": svg.LEFT, "right": svg.WIDTH - svg.RIGHT, "top": svg.TOP, "bottom": svg.HEIGHT - svg.BOTTOM}
    return json_for_script({"kind": drawn.basis.kind, "shape": shape, "panels": panels})


def _short(panel: CyclePanel, values: Array) -> list[float | None]:
    rounded = np.round(panel.scale * values, panel.decimals + 1)
    return [value if math.isfinite(value) else None for value in rounded.tolist()]


def cycle_data(keyed: Mapping[str, Result]) -> str:
    """When each cycle of each trial begins and ends, as JSON: number, strike and next strike in seconds."""
    return json_for_script(
        {
            key: {
                side: [
                    [int(n), round(result.time_of(first), 4), round(result.time_of(last), 4)]
                    for n, first, last in zip(c.numbers, c.first_frame, c.last_frame, strict=True)
                ]
                for side, c in result.cycles.items()
            }
            for key, result in keyed.items()
        }
    )


def json_for_script(content: object) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def legend(drawn: Drawn) -> str:
    """What is drawn how, once."""
    sides = "".join(
        f'<li class="{side}"><svg viewBox="0 0 30 8" aria-hidden="true"><path class="mean" d="M0 4H30"/></svg>'
        f"{side}{_how_many(pooled, drawn.basis.kind)}</li>"
        for side, pooled in drawn.basis.sides.items()
    )
    more = []
    if drawn.norms is not None and drawn.basis.kind == CYCLE:
        more.append(f'<li><i class="key norm"></i>{escape(norm_words(drawn.norms))}</li>')
    if any(len(pooled) > 1 for pooled in drawn.basis.sides.values()):
        more.append("<li>thick: mean; shaded: ± 1 SD; thin: each</li>")
    if drawn.basis.kind == CYCLE:
        more.append("<li>vertical line: foot off; ticks below: the other foot’s off (short) and strike (long)</li>")
    if drawn.has_bands:
        more.append("<li>dashed: 95 % band of the mean, by the stated errors (How sure)</li>")
    if any(pooled.impact.any() for pooled in drawn.basis.sides.values()):
        more.append("<li>dotted: impact of the foot strike, not to be read as a moment of the joint</li>")
    return f'<ul class="legend">{sides}{"".join(more)}</ul>'


def _how_many(pooled: Pooled, kind: str) -> str:
    count = len(pooled)
    whole = "" if count <= MOST_DRAWN else f", {MOST_DRAWN} of them drawn"
    return f" ({count} {kind}{'' if count == 1 else 's'}{whole})"
