"""One panel over the cycle on a matplotlib `Axes`: norm, bands, curves, means, the foot's leaving the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gaitid.norms import Band
from gaitid.report.lines import Line
from gaitid.report.page.compare import band_at
from gaitid.report.page.panels import CyclePanel
from gaitid.report.page.pool import PERCENT
from gaitid.report.page.svg import Scale, scale_for, wider
from gaitid.report.pictures.sizes import MM_PER_INCH, Layout
from gaitid.report.stance import runs
from gaitid.trial import Array

INK = "#1c1d21"
MUTED = "#5c616b"
GRID = "#e3e5e8"
NORM = "#d5d8dd"

Dashes = Literal["-"] | tuple[float, tuple[float, ...]]
#: Colour and dashes of left and right.
SIDE_STYLES: tuple[tuple[str, Dashes], ...] = (("#c5342b", (0, (5, 1.5))), ("#0b6fa4", "-"))
#: Of sessions: Okabe & Ito 2008, told apart by every eye, and by their dashes in grey.
SESSION_STYLES: tuple[tuple[str, Dashes], ...] = (
    ("#1c1d21", "-"),
    ("#d55e00", (0, (5, 1.5))),
    ("#0072b2", (0, (5, 1.5, 1, 1.5))),
    ("#009e73", (0, (2, 1.2))),
    ("#a8478a", (0, (8, 1.5, 1, 1.5, 1, 1.5))),
)
#: The part of a mean in which a foot strikes: lighter, and dotted.
IMPACT: dict[str, Any] = {"linestyle": (0, (1, 1)), "alpha": 0.6}
BAND_ALPHA = 0.18
# Of a band: how much of it is seen where a foot strikes.
_STRUCK = 0.4
# More curves than these are drawn fainter.
_FEW = 8


def style_of(line: Line, shared: bool) -> tuple[str, Dashes]:
    """Colour and dashes of a line: `shared` where left and right are on the same axes."""
    return SIDE_STYLES[line.style] if shared else SESSION_STYLES[line.style % len(SESSION_STYLES)]


def draw_panel(
    axes: Axes, panel: CyclePanel, lines: Sequence[Line], band: Band | None, look: Layout, thin: bool = False
) -> None:
    """Everything but the legend; `thin` adds every single curve."""
    shared = len({line.side for line in lines}) > 1 or all(line.label == line.side for line in lines)
    if band is not None:
        _norm(axes, band, panel.scale)
    axes.axhline(0, color=MUTED, linewidth=0.5, zorder=1)
    for line in lines:
        _spread(axes, line, panel.scale, style_of(line, shared)[0])
    for line in lines:
        if len(line.whole):
            _mean(axes, line, panel.scale, style_of(line, shared), look)
        else:
            _parts(axes, line, panel.scale, style_of(line, shared))
    if thin:
        _curves(axes, panel, lines, shared)
    held = _held(lines, band, thin) * panel.scale
    _frame(axes, panel, scale_for(panel.low, panel.high, held), look)
    if not lines:
        style: Any = {"fontsize": look.letters, "color": MUTED, "ha": "center"}
        axes.text(0.5, 0.5, "no values", transform=axes.transAxes, **style)


def _curves(axes: Axes, panel: CyclePanel, lines: Sequence[Line], shared: bool) -> None:
    """Every single curve, thin; those that are known in part too."""
    for line in lines:
        colour, dashes = style_of(line, shared)
        curves = [*np.where(line.impact, np.nan, line.whole), *np.where(line.partial_impact, np.nan, line.partial)]
        look: Any = {"color": colour, "linestyle": dashes, "linewidth": 0.35, "zorder": 3}
        for curve in curves:
            axes.plot(PERCENT, curve * panel.scale, alpha=0.6 if len(curves) <= _FEW else 0.3, **look)


def _norm(axes: Axes, band: Band, scale: float) -> None:
    mean, sd = band_at(band)
    low, high = (mean - sd) * scale, (mean + sd) * scale
    spike = (band.spike_until_percent > 0) & (band.spike_until_percent > PERCENT)
    for mask, alpha in ((wider(~spike), 1.0), (spike, _STRUCK)):
        axes.fill_between(PERCENT, low, high, where=mask, color=NORM, alpha=alpha, linewidth=0, zorder=0.5)


def _spread(axes: Axes, line: Line, scale: float, colour: str) -> None:
    if np.isfinite(line.sd).any():
        low, high = (line.mean - line.sd) * scale, (line.mean + line.sd) * scale
        for mask, alpha in ((wider(~line.impact), BAND_ALPHA), (line.impact, _STRUCK * BAND_ALPHA)):
            axes.fill_between(PERCENT, low, high, where=mask, color=colour, alpha=alpha, linewidth=0, zorder=2)


def _mean(axes: Axes, line: Line, scale: float, style: tuple[str, Dashes], look: Layout) -> None:
    colour, dashes = style
    sound = np.where(line.impact, np.nan, line.mean) * scale
    axes.plot(PERCENT, sound, color=colour, linestyle=dashes, linewidth=look.line, dash_capstyle="butt", zorder=4)
    if line.impact.any():
        struck = np.where(wider(line.impact), line.mean, np.nan) * scale
        axes.plot(PERCENT, struck, color=colour, linewidth=0.8 * look.line, zorder=4, **IMPACT)
    if np.isfinite(line.off_percent):
        axes.axvline(line.off_percent, color=colour, linestyle=dashes, linewidth=0.5, zorder=1.5)


def _parts(axes: Axes, line: Line, scale: float, style: tuple[str, Dashes]) -> None:
    """Curves of which none is known throughout: thin, with gaps, and a dot where one instant is known alone."""
    colour, dashes = style
    for curve, impact in zip(line.partial, line.partial_impact, strict=True):
        sound = np.where(impact, np.nan, curve) * scale
        axes.plot(PERCENT, sound, color=colour, linestyle=dashes, linewidth=0.7, zorder=4)
        if impact.any():
            struck = np.where(wider(impact), curve, np.nan) * scale
            axes.plot(PERCENT, struck, color=colour, linewidth=0.6, zorder=4, **IMPACT)
        alone = [first for first, last in runs(np.isfinite(curve)) if first == last]
        axes.plot(PERCENT[alone], curve[alone] * scale, ".", color=colour, markersize=2.5, zorder=4)


def _frame(axes: Axes, panel: CyclePanel, scale: Scale, look: Layout) -> None:
    axes.set(xlim=(0, 100), ylim=(scale.low, scale.high), yticks=scale.ticks, xticks=(0, 20, 40, 60, 80, 100))
    axes.set_axisbelow(True)
    axes.grid(True, axis="y", color=GRID, linewidth=0.4)
    axes.tick_params(labelsize=look.letters, colors=INK, length=2, width=0.5, pad=1.5)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set(color=INK, linewidth=0.5)
    to_left = look.left - 4.0
    axes.annotate(
        panel.title,
        (0, 1),
        xytext=(-to_left * 72 / MM_PER_INCH, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=look.letters,
        weight="bold",
        color=INK,
        va="bottom",
        annotation_clip=False,
    )
    axes.set_ylabel(panel.unit.replace("°", "degrees"), fontsize=look.letters, color=INK, labelpad=1.5)
    for text, y, va in ((f"{panel.up} ↑", 0.985, "top"), (f"{panel.down} ↓", 0.015, "bottom")):
        if len(text) > 2:
            style: Any = {"fontsize": look.letters, "color": MUTED, "zorder": 1}
            axes.text(0.015, y, text, transform=axes.transAxes, ha="left", va=va, **style)


def _held(lines: Sequence[Line], band: Band | None, thin: bool) -> Array:
    """Everything that the axis has to hold: no impact."""
    held: list[NDArray[np.float64]] = []
    for line in lines:
        sound = np.where(line.impact, np.nan, line.mean)
        sd = np.nan_to_num(line.sd)
        held += [sound - sd, sound + sd]
        if thin:
            held += [np.where(line.impact, np.nan, curve) for curve in line.whole]
        if thin or not len(line.whole):
            held += list(np.where(line.partial_impact, np.nan, line.partial))
    if band is not None:
        mean, sd = band_at(band)
        beside = band.spike_until_percent <= PERCENT
        held += [(mean - sd)[beside], (mean + sd)[beside]]
    return np.concatenate(held) if held else np.empty(0)
