"""Panels in which sessions share axes, and their differences with bands: an SVG each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.norms import Band
from gaitid.report.difference import Difference, difference, loaded_only, paired_difference
from gaitid.report.lines import Line
from gaitid.report.page import svg
from gaitid.report.page.compare import band_at
from gaitid.report.page.panels import CyclePanel
from gaitid.report.page.pool import PERCENT
from gaitid.report.page.svg import line as path
from gaitid.report.stance import runs
from gaitid.report.text import escape, fixed
from gaitid.trial import Array

#: So many sessions have a colour and dashes of their own.
STYLES = 5
_TICKS = (0, 20, 40, 60, 80, 100)
# Shorter stretches are not told: two curves that are a percent apart in time part by that much on a slope.
_SHORTEST_PERCENT = 3
# The axis of a difference shows at least this part of the axis of the curves.
_LEAST_SPAN = 0.2
# Bands are drawn at every second percent: half of the bytes, and no eye sees it.
_BAND_STEP = 2


def style_class(style: int) -> str:
    """By which the style sheet colours and dashes a session."""
    return f"k{style % STYLES}"


def lines_svg(panel: CyclePanel, lines: Sequence[Line], band: Band | None, identity: str) -> str:
    """Mean and standard deviation of each session, over the norm."""
    scale = svg.scale_for(panel.low, panel.high, panel.scale * _held(lines, band))
    parts = [_norm(scale, panel, band)] if band is not None else []
    parts += [f'<g class="{style_class(line.style)}">{_one(scale, panel, line)}</g>' for line in lines]
    words = "; ".join(f"{line.label}: mean of {len(line.whole)}" for line in lines)
    axes = svg.axes(scale, _TICKS, escape(panel.up), escape(panel.down))
    return _element(axes + _clipped("".join(parts), identity) + _offs(lines), f"{panel.title}. {words}")


def difference_svg(panel: CyclePanel, found: Sequence[tuple[Line, Difference]], name: str, identity: str) -> str:
    """Each session less the first, with its band; below, where the band does not hold 0."""
    least = _LEAST_SPAN * (panel.high - panel.low) / 2
    held = [np.array([-least, least])]
    for _, one in found:
        half = np.where(np.isfinite(one.half_width), one.half_width, 0.0)
        held += [panel.scale * (one.mean - half), panel.scale * (one.mean + half)]
    # a band wider than the curves' own axis is cut by it
    seen = np.clip(np.concatenate(held), panel.low - panel.high, panel.high - panel.low)
    scale = svg.scale_for(-least, least, seen)
    parts = []
    for line, one in found:
        low, high = panel.scale * (one.mean - one.half_width), panel.scale * (one.mean + one.half_width)
        area = svg.band(scale, PERCENT[::_BAND_STEP], low[::_BAND_STEP], high[::_BAND_STEP])
        bars = "".join(_bar(scale, first, last) for first, last in stretches(one))
        parts.append(
            f'<g class="{style_class(line.style)}"><path class="sd" d="{area}"/>'
            f'<path class="mean" d="{path(scale, PERCENT, panel.scale * one.mean)}"/>{bars}</g>'
        )
    axes = svg.axes(scale, _TICKS, escape(name), "")
    return _element(axes + _clipped("".join(parts), identity), f"{panel.title}: {name}")


def differences(panel: CyclePanel, lines: Sequence[Line]) -> list[tuple[Line, Difference]]:
    """Each line less the first, where both have whole curves; impacts of either are left out."""
    first = next((line for line in lines if line.style == 0), None)
    found = []
    for line in lines:
        if first is None or line is first or not len(line.whole) or not len(first.whole):
            continue
        struck = first.impact | line.impact
        a, b = (np.where(struck, np.nan, one.whole) for one in (first, line))
        if line.subjects:
            both = [name for name in first.subjects if name in line.subjects]
            a, b = (one[[of.subjects.index(n) for n in both]] for one, of in ((a, first), (b, line)))
        if panel.joint == "ground":
            a, b = loaded_only(a, b)
        if len(a) and len(b):
            found.append((line, paired_difference(a, b) if line.subjects else difference(a, b)))
    return found


def stretches(found: Difference) -> list[tuple[int, int]]:
    """First and last percent of each stretch in which the band does not hold 0."""
    return [(first, last) for first, last in runs(found.apart) if last - first + 1 >= _SHORTEST_PERCENT]


def stretch_words(panel: CyclePanel, found: Difference, name: str) -> list[str]:
    """Where a session differs from the first, and by how much at most."""
    told = []
    for first, last in stretches(found):
        within = found.mean[first : last + 1]
        at = first + int(np.argmax(np.abs(within)))
        value = panel.scale * float(found.mean[at])
        if round(value, panel.decimals) == 0:
            continue
        way = panel.up if value > 0 else panel.down
        unit = "°" if panel.unit == "°" else f" {panel.unit}"
        amount = f"{fixed(value, panel.decimals)}{unit}{f' ({way})' if way else ''}"
        told.append(f"{name} {amount} at {at} %, over {first}–{last} %".strip())
    return told


def _one(scale: svg.Scale, panel: CyclePanel, line: Line) -> str:
    mean, sd = panel.scale * line.mean, panel.scale * line.sd
    area = svg.band(scale, PERCENT[::_BAND_STEP], (mean - sd)[::_BAND_STEP], (mean + sd)[::_BAND_STEP])
    partial = np.where(line.partial_impact, np.nan, line.partial)
    curves = line.whole if len(line.whole) == 2 else partial
    each = "".join(path(scale, PERCENT, panel.scale * curve) for curve in curves)
    parts = [f'<path class="sd" d="{area}"/>' if area else "", f'<path class="each" d="{each}"/>' if each else ""]
    parts.append(f'<path class="mean" d="{path(scale, PERCENT, np.where(line.impact, np.nan, mean))}"/>')
    if line.impact.any():
        struck = path(scale, PERCENT, np.where(svg.wider(line.impact), mean, np.nan))
        parts.append(f'<path class="mean impact" d="{struck}"/>')
    for curve, impact in zip(line.partial, line.partial_impact, strict=True):
        if impact.any() and curves is partial:
            struck = path(scale, PERCENT, np.where(svg.wider(impact), panel.scale * curve, np.nan))
            parts.append(f'<path class="each impact" d="{struck}"/>')
    return "".join(parts)


def _norm(scale: svg.Scale, panel: CyclePanel, band: Band) -> str:
    mean, sd = (panel.scale * values for values in band_at(band))
    area = svg.band(scale, PERCENT[::_BAND_STEP], (mean - sd)[::_BAND_STEP], (mean + sd)[::_BAND_STEP])
    return f'<g class="norm"><path class="area" d="{area}"/></g>'


def _held(lines: Sequence[Line], band: Band | None) -> Array:
    """What the axis has to hold: no impact."""
    held = [np.empty(0)]
    for line in lines:
        sound, sd = np.where(line.impact, np.nan, line.mean), np.nan_to_num(line.sd)
        partial = np.where(line.partial_impact, np.nan, line.partial)
        held += [sound - sd, sound + sd, *(partial if not len(line.whole) else ())]
    if band is not None:
        mean, sd = band_at(band)
        beside = band.spike_until_percent <= PERCENT
        held += [(mean + way * np.nan_to_num(sd))[beside] for way in (-1, 1)]
    return np.concatenate(held)


def _offs(lines: Sequence[Line]) -> str:
    scale = svg.Scale(0, 1, ())
    bottom = svg.HEIGHT - svg.BOTTOM
    return "".join(
        f'<path class="off {style_class(line.style)}" d="M{float(scale.x(line.off_percent)):.1f} {svg.TOP}V{bottom}"/>'
        for line in lines
        if np.isfinite(line.off_percent)
    )


def _bar(scale: svg.Scale, first: int, last: int) -> str:
    y = svg.HEIGHT - svg.BOTTOM - 3
    return f'<path class="apart" d="M{float(scale.x(first)):.1f} {y}H{float(scale.x(last)):.1f}"/>'


def _clipped(content: str, identity: str) -> str:
    return (
        f'<clipPath id="{identity}"><path d="M{svg.LEFT} {svg.TOP - 4}H{svg.WIDTH - svg.RIGHT}'
        f'V{svg.HEIGHT - svg.BOTTOM}H{svg.LEFT}Z"/></clipPath><g clip-path="url(#{identity})">{content}</g>'
    )


def _element(content: str, label: str) -> str:
    return f'<svg viewBox="0 0 {svg.WIDTH} {svg.HEIGHT}" role="img" aria-label="{escape(label)}">{content}</svg>'
