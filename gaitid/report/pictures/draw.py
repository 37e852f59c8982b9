"""Panels in rows with their legend, as the bytes of a file. The same results give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gaitid.drawing import (
    INK,
    LETTERS,
    MM_PER_INCH,
    MUTED,
    NORM,
    SIDES,
    Dashes,
    Scale,
    paper,
    picture_bytes,
    plain,
    scale_for,
    shared_style,
    wider,
)
from gaitid.norms import Band, Norms
from gaitid.numerics.masks import spans
from gaitid.records import frozen_dataclass
from gaitid.report.lines import Line, held
from gaitid.report.page import PERCENT
from gaitid.report.page.sure import band_at
from gaitid.report.panels import CyclePanel, Row
from gaitid.trial import Array, Mask

# Elsevier, "Artwork and media instructions: artwork sizing" (Gait & Posture, Journal of Biomechanics, Clinical
# Biomechanics): a column 90 mm, one and a half 140 mm, two 190 mm; letters 7 points, none below 6; bitmaps of lines and
# tints 500 dots an inch (1772 pixels a column, 3740 two).
DOTS_PER_INCH = 500
SHEET_DOTS_PER_INCH = 200
SHEET_MM = (210.0, 297.0)
"""A4, upright."""
# mm. A narrower panel has no room for its title.
_LEAST_PANEL_MM = 30.0
_LOWEST_MM, _HIGHEST_MM, _HIGHEST_ON_SHEET_MM = 20.0, 60.0, 36.0
# Of norms of another definition.
_BORROWED: Any = {"facecolor": "none", "edgecolor": MUTED, "linewidth": 0.6, "linestyle": (0, (4, 2))}


@frozen_dataclass()
class Layout:
    """Of one picture: mm, and points for letters and lines.

    Attributes
    ----------
    width : float
    columns : int
    panel_height : float
    top, bottom : float
        Beside what legend and heading need.
    """

    width: float
    columns: int
    panel_height: float
    top: float = 1.5
    bottom: float = 8.5
    left: float = 12.0
    right: float = 2.5
    column_gap: float = 12.0
    row_gap: float = 6.0
    heading: float = 2.5
    block_gap: float = 9.0
    legend_line: float = 3.6
    line: float = 1.1

    @property
    def panel_width(self) -> float:
        gaps = self.column_gap * (self.columns - 1)
        return (self.width - self.left - self.right - gaps) / self.columns


def layout_for(width: float, widest_row: int) -> Layout:
    """As many columns as the widest row has, or fewer where panels would be too narrow."""
    columns = widest_row
    while columns > 1 and Layout(width, columns, 0.0).panel_width < _LEAST_PANEL_MM:
        columns -= 1
    panel = Layout(width, columns, 0.0).panel_width
    return Layout(width, columns, min(max(0.6 * panel, _LOWEST_MM), _HIGHEST_MM))


def sheet_layout(rows: int, legend_lines: int, heading: bool) -> Layout:
    """Of a sheet of A4: rows as high as there is room for, up to what looks well."""
    layout = Layout(SHEET_MM[0], 3, 0.0, top=27.0, bottom=25.0, left=18.0, right=8.0, row_gap=5.6)
    room = SHEET_MM[1] - layout.top - layout.bottom - legend_lines * layout.legend_line - rows * layout.row_gap
    room -= layout.heading if heading else 0.0
    return replace(layout, panel_height=min(room / rows, _HIGHEST_ON_SHEET_MM))


#: Of sessions: Okabe & Ito 2008, told apart by every eye, and by their dashes in grey.
SESSION_STYLES: tuple[tuple[str, Dashes], ...] = (
    (INK, "-"),
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


# A letter of DejaVu Sans is 0.58 of its size wide on average; a handle of the legend with its gaps takes 34 points.
_LETTER, _HANDLE = 0.58, 34.0


@frozen_dataclass()
class Block:
    """Rows of panels under a heading: all of a picture, or one side of it.

    Attributes
    ----------
    heading : str
        Empty for none.
    lines : callable
        The lines of a panel, by its column.
    """

    heading: str
    lines: Callable[[str], tuple[Line, ...]]


@frozen_dataclass()
class Picture:
    """What is drawn, and how large.

    Attributes
    ----------
    rows : sequence of Row
    blocks : sequence of Block
    width : float
        mm; a sheet has its own.
    x_label : str
    norms : Norms or None
    counted : str
        What the curves of a mean are: ``cycle``, ``subject``.
    thin : bool
        Whether every curve is drawn.
    head : sequence of str
        Lines above a sheet, the first large; none for a figure of a paper.
    foot : sequence of str
        Lines below a sheet.
    caption : str
        Kept in the file's metadata.
    """

    rows: Sequence[Row]
    blocks: Sequence[Block]
    width: float
    x_label: str
    norms: Norms | None = None
    counted: str = "cycle"
    thin: bool = False
    head: Sequence[str] = ()
    foot: Sequence[str] = ()
    caption: str = ""

    @property
    def is_sheet(self) -> bool:
        return bool(self.head)

    def band(self, panel: CyclePanel) -> Band | None:
        """The norms of a panel."""
        return self.norms.bands.get(panel.column) if self.norms is not None else None


def drawn(picture: Picture, format: str) -> bytes:
    """The picture as ``png``, ``svg`` or ``pdf``; in a PDF each block of a sheet has a page of its own."""
    pages = [[block] for block in picture.blocks] if format == "pdf" and picture.is_sheet else [picture.blocks]
    with shared_style():
        figures = [_figure(picture, blocks) for blocks in pages]
        dots = SHEET_DOTS_PER_INCH if picture.is_sheet else DOTS_PER_INCH
        return picture_bytes(figures, format, dots, picture.caption)


def _figure(picture: Picture, blocks: Sequence[Block]) -> Figure:
    panels = [panel for row in picture.rows for panel in row]
    results = [{panel.column: block.lines(panel.column) for panel in panels} for block in blocks]
    handles = _handles(picture, [line for lines in results for of_panel in lines.values() for line in of_panel])
    rows = list(picture.rows)
    if picture.is_sheet:
        columns = _legend_columns(handles, Layout(SHEET_MM[0], 3, 0.0, left=18.0, right=8.0))
        legend = -(-len(handles) // columns)
        look = sheet_layout(len(rows), legend, heading=bool(picture.blocks[0].heading))
    else:
        look = layout_for(picture.width, max(map(len, rows)))
        legend = -(-len(handles) // _legend_columns(handles, look))
        if any(len(row) > look.columns for row in rows):  # narrow: one panel after the other
            rows = [tuple(panels[i : i + look.columns]) for i in range(0, len(panels), look.columns)]
    height = look.top + look.bottom + legend * look.legend_line
    height += len(rows) * (look.panel_height + look.row_gap) * len(blocks)
    height += look.heading * sum(bool(block.heading) for block in blocks) + look.block_gap * (len(blocks) - 1)
    height = max(height, SHEET_MM[1]) if picture.is_sheet else height
    sheet, margin = paper(look.width, height), look.left - 8.0
    if handles:
        sheet.legend(margin, look.top, handles, -(-len(handles) // legend))
    y = look.top + legend * look.legend_line
    for block, lines in zip(blocks, results, strict=True):
        if block.heading:
            sheet.text(margin, y + 1.0, block.heading, fontsize=LETTERS + 1.5, weight="bold")
            y += look.heading
        for i, row in enumerate(rows):
            y += look.row_gap
            for column, panel in enumerate(row):
                left = look.left + column * (look.panel_width + look.column_gap)
                axes = sheet.axes(left, y, look.panel_width, look.panel_height)
                draw_panel(axes, panel, lines[panel.column], picture.band(panel), look, picture.thin)
                if any(len(below) > column for below in rows[i + 1 :]):
                    axes.tick_params(labelbottom=False)
                else:
                    axes.set_xlabel(picture.x_label, fontsize=LETTERS, color=INK, labelpad=1.5)
            y += look.panel_height
        y += look.block_gap
    for i, text in enumerate(picture.head):
        style = {"color": MUTED} if i else {"fontsize": 13, "weight": "bold"}
        sheet.text(margin, 8.0 + (7.0 if i else 0.0) + 3.4 * max(i - 1, 0), text, **style)
    for i, text in enumerate(picture.foot):
        sheet.text(margin, sheet.height - 15.0 + 3.2 * i, text, color=MUTED)
    figure: Figure = sheet.figure
    return figure


def _handles(picture: Picture, lines: Sequence[Line]) -> list[Any]:
    """Of the legend: each line with how many curves it is of, the band, the norm, the impact."""
    handles: list[Any] = []
    shared = len(picture.blocks) == 1
    for style, label in sorted({(line.style, line.label) for line in lines}):
        these = [line for line in lines if (line.style, line.label) == (style, label)]
        colour, dashes = style_of(these[0], shared)
        numbers, counted = [len(line.whole) for line in these if len(line.whole)], ""
        if numbers:
            low, high = min(numbers), max(numbers)
            counted = f" ({low if low == high else f'{low}–{high}'} {picture.counted}{'' if high == 1 else 's'})"
        handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=1.1, label=f"{label}{counted}"))
    if any(len(line.whole) > 1 for line in lines):
        colour = style_of(lines[0], shared)[0]
        handles.append(Patch(facecolor=colour, alpha=2 * BAND_ALPHA, linewidth=0, label="± SD"))
    if picture.norms is not None and any(picture.band(panel) for row in picture.rows for panel in row):
        handles.append(Patch(facecolor=NORM, linewidth=0, label=f"norm ± SD: {picture.norms.legend}"))
        if picture.norms.borrowed_words:
            handles.append(Patch(label=picture.norms.borrowed_words, **_BORROWED))
    if any(line.impact.any() or line.partial_impact.any() for line in lines):
        handles.append(Line2D([], [], color=INK, linewidth=0.9, label="impact of the strike", **IMPACT))
    if any(line.off_percent > 0 for line in lines):
        handles.append(Line2D([], [], color=INK, linewidth=0.5, marker="|", linestyle="", label="foot off"))
    return handles


def _legend_columns(handles: Sequence[Any], look: Layout) -> int:
    room = (look.width - look.left - look.right + 6.0) * 72 / MM_PER_INCH
    longest = max((len(str(handle.get_label())) for handle in handles), default=1)
    return max(1, min(len(handles), int(room / (longest * _LETTER * LETTERS + _HANDLE))))


# --- one panel --------------------------------------------------------------------------------------------------------


def style_of(line: Line, shared: bool) -> tuple[str, Dashes]:
    """Colour and dashes of a line: `shared` where left and right are on the same axes."""
    return SIDES[line.side] if shared else SESSION_STYLES[line.style % len(SESSION_STYLES)]


def draw_panel(
    axes: Axes, panel: CyclePanel, lines: Sequence[Line], band: Band | None, look: Layout, thin: bool = False
) -> None:
    """Everything but the legend; `thin` adds every single curve."""
    shared = len({line.side for line in lines}) > 1 or all(line.label == line.side for line in lines)
    if band is not None:
        mean, sd = band_at(band)
        spike = (band.spike_until_percent > 0) & (band.spike_until_percent > PERCENT)
        style: Any = {"zorder": 0.5} | (_BORROWED if band.borrowed else {"color": NORM, "linewidth": 0})
        _fill(axes, (mean - sd) * panel.scale, (mean + sd) * panel.scale, spike, 1.0, style)
    axes.axhline(0, color=MUTED, linewidth=0.5, zorder=1)
    for line in lines:
        if np.isfinite(line.sd).any():
            low, high = (line.mean - line.sd) * panel.scale, (line.mean + line.sd) * panel.scale
            style = {"color": style_of(line, shared)[0], "linewidth": 0, "zorder": 2}
            _fill(axes, low, high, line.impact, BAND_ALPHA, style)
    for line in lines:
        _mean(axes, line, panel.scale, style_of(line, shared), look)
    for line in lines if thin else ():
        colour, dashes = style_of(line, shared)
        curves = [*np.where(line.impact, np.nan, line.whole), *np.where(line.partial_impact, np.nan, line.partial)]
        style = {"color": colour, "linestyle": dashes, "linewidth": 0.35, "zorder": 3}
        for curve in curves:
            axes.plot(PERCENT, curve * panel.scale, alpha=0.6 if len(curves) <= _FEW else 0.3, **style)
    known = band if band is not None and np.isfinite(band.sd).any() else None
    _frame(axes, panel, scale_for(panel.low, panel.high, held(lines, known, thin) * panel.scale), look)
    if not lines:
        style = {"fontsize": LETTERS, "color": MUTED, "ha": "center"}
        axes.text(0.5, 0.5, "no values", transform=axes.transAxes, **style)


def _fill(axes: Axes, low: Array, high: Array, struck: Mask, alpha: float, style: Mapping[str, Any]) -> None:
    """A band, fainter where a foot strikes."""
    for mask, part in ((wider(~struck), 1.0), (struck, _STRUCK)):
        axes.fill_between(PERCENT, low, high, where=mask, alpha=part * alpha, **style)


def _mean(axes: Axes, line: Line, scale: float, style: tuple[str, Dashes], look: Layout) -> None:
    """A mean; without one the curves of which none is known throughout: thin, with gaps, and a dot where one instant is
    known alone."""
    colour, dashes = style
    if not len(line.whole):
        for curve, impact in zip(line.partial, line.partial_impact, strict=True):
            sound = np.where(impact, np.nan, curve) * scale
            axes.plot(PERCENT, sound, color=colour, linestyle=dashes, linewidth=0.7, zorder=4)
            if impact.any():
                struck = np.where(wider(impact), curve, np.nan) * scale
                axes.plot(PERCENT, struck, color=colour, linewidth=0.6, zorder=4, **IMPACT)
            alone = [first for first, after in spans(np.isfinite(curve)) if after - first == 1]
            axes.plot(PERCENT[alone], curve[alone] * scale, ".", color=colour, markersize=2.5, zorder=4)
        return
    sound = np.where(line.impact, np.nan, line.mean) * scale
    axes.plot(PERCENT, sound, color=colour, linestyle=dashes, linewidth=look.line, dash_capstyle="butt", zorder=4)
    if line.impact.any():
        struck = np.where(wider(line.impact), line.mean, np.nan) * scale
        axes.plot(PERCENT, struck, color=colour, linewidth=0.8 * look.line, zorder=4, **IMPACT)
    if np.isfinite(line.off_percent):
        axes.axvline(line.off_percent, color=colour, linestyle=dashes, linewidth=0.5, zorder=1.5)


def _frame(axes: Axes, panel: CyclePanel, scale: Scale, look: Layout) -> None:
    axes.set(xlim=(0, 100), ylim=(scale.low, scale.high), yticks=scale.ticks, xticks=(0, 20, 40, 60, 80, 100))
    plain(axes, "y")
    to_left = look.left - 4.0
    axes.annotate(
        panel.title,
        (0, 1),
        xytext=(-to_left * 72 / MM_PER_INCH, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=LETTERS,
        weight="bold",
        color=INK,
        va="bottom",
        annotation_clip=False,
    )
    axes.set_ylabel(panel.unit.replace("°", "degrees"), fontsize=LETTERS, color=INK, labelpad=1.5)
    for text, y, va in ((f"{panel.up} ↑", 0.985, "top"), (f"{panel.down} ↓", 0.015, "bottom")):
        if len(text) > 2:
            style: Any = {"fontsize": LETTERS, "color": MUTED, "zorder": 1}
            axes.text(0.015, y, text, transform=axes.transAxes, ha="left", va=va, **style)
