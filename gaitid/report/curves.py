"""Curves of both sides over a trial, with the contacts: drawing on a matplotlib `Figure`, no files.

Left is a warm red and solid, right a blue and dashed: near the field's red and green, but told apart by every
eye and in black and white. The dashes are long and their breaks short, so that a gap in the data still reads
as a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from gaitid.report.panels import Panel
from gaitid.report.result import Result
from gaitid.report.stance import Span, runs, unknown_spans
from gaitid.report.text import plain

COLOURS = {"left": "#c5342b", "right": "#0b6fa4"}
INK = "#1c1d21"
MUTED = "#5c616b"
GRID = "#d9dbe0"
PAPER = "#fefefe"
_DASHES: dict[str, Literal["-"] | tuple[float, Sequence[float]]] = {"left": "-", "right": (0, (7, 1.4))}
_HATCHES = {"left": "////", "right": "\\\\\\\\"}

RC: dict[str, Any] = {
    "hatch.linewidth": 0.5,
    "axes.unicode_minus": True,
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
    "svg.fonttype": "none",
}


@dataclass(frozen=True)
class Layout:
    """Sizes in inches (fonts in points) of one grid of panels."""

    width: float
    panel_height: float
    font: float
    line: float
    columns: int = 3
    top: float = 0.34
    bottom: float = 0.42
    left: float = 0.55
    right: float = 0.12
    column_gap: float = 0.55
    row_gap: float = 0.34
    strip_height: float = 0.3
    strip_gap: float = 0.32

    @property
    def panel_width(self) -> float:
        gaps = self.column_gap * (self.columns - 1)
        return (self.width - self.left - self.right - gaps) / self.columns

    def height(self, rows: int) -> float:
        """The height of the figure with so many rows of panels."""
        panels = rows * self.panel_height + (rows - 1) * self.row_gap
        return self.top + self.strip_height + self.strip_gap + panels + self.bottom


def draw_grid(result: Result, rows: Sequence[Sequence[Panel]], layout: Layout) -> Figure:
    """Panels in rows, a strip with the contacts above every column, and the legend on top."""
    figure = Figure(figsize=(layout.width, layout.height(len(rows))), facecolor="none")
    spans = unknown_spans(result)
    y_strip = layout.top
    for column in range(max(len(row) for row in rows) if result.on_ground else 0):
        _draw_strip(_axes(figure, layout, column, y_strip, layout.strip_height), result, spans, layout)
    y = y_strip + layout.strip_height + layout.strip_gap
    for i, row in enumerate(rows):
        for column, panel in enumerate(row):
            axes = _axes(figure, layout, column, y, layout.panel_height)
            _draw_panel(axes, result, panel, layout)
            if not any(len(below) > column for below in rows[i + 1 :]):
                axes.set_xlabel("time, s", fontsize=layout.font, color=MUTED, labelpad=2)
            else:
                axes.tick_params(labelbottom=False)
        y += layout.panel_height + layout.row_gap
    _draw_legend(figure, result, layout)
    return figure


def _axes(figure: Figure, layout: Layout, column: int, from_top: float, height: float) -> Axes:
    total_width, total_height = figure.get_size_inches()
    left = layout.left + column * (layout.panel_width + layout.column_gap)
    return figure.add_axes(
        (
            left / total_width,
            1 - (from_top + height) / total_height,
            layout.panel_width / total_width,
            height / total_height,
        ),
        facecolor="none",
    )


def _draw_panel(axes: Axes, result: Result, panel: Panel, layout: Layout) -> None:
    _frame_axes(axes, result, layout)
    for contact in result.contacts:
        begin, end = _edges(result, contact.first_frame, contact.last_frame)
        if end > begin:  # not a contact outside the trial's frames
            axes.axvspan(begin, end, color=COLOURS[contact.side], alpha=0.09, linewidth=0)
    axes.axhline(0, color=MUTED, linewidth=0.6)
    empty_sides = []
    for side, name in zip(result.sides, panel.columns(result.sides), strict=True):
        values = result.columns[name]
        seen = np.isfinite(values)
        if not seen.any():
            empty_sides.append(side)
            continue
        for first, last in runs(~seen):
            begin, end = _edges(result, int(result.frame[first]), int(result.frame[last]))
            _hatch(axes, begin, end, side)
        axes.plot(
            result.time_s,
            values,
            color=COLOURS[side],
            linestyle=_DASHES[side],
            linewidth=layout.line,
            dash_capstyle="butt",
            solid_joinstyle="round",
        )
        for first, last in runs(seen):
            if first == last:  # one frame between two empty ones: no line would show it
                axes.plot(result.time_s[first], values[first], ".", color=COLOURS[side], markersize=3)
    _set_limits(axes, result, panel)
    if empty_sides:
        none = len(empty_sides) == len(result.sides)
        low, high = axes.get_ylim()
        axes.set_ylim(low, high + 0.14 * (high - low))  # room for the words above the other side's curve
        axes.text(
            0.5,
            0.5 if none else 0.98,
            "no values: " + " and ".join(empty_sides),
            transform=axes.transAxes,
            ha="center",
            va="center" if none else "top",
            fontsize=layout.font,
            color=MUTED,
        )
    axes.set_title(
        panel.title,
        loc="left",
        y=1.0,  # given, so that matplotlib need not lay out the ticks to find it
        pad=3,
        fontsize=layout.font + 0.5,
        color=INK,
        weight="bold",
    )
    axes.set_ylabel(panel.unit, fontsize=layout.font, color=MUTED, labelpad=2)


def _frame_axes(axes: Axes, result: Result, layout: Layout) -> None:
    axes.set_xlim(*_edges(result, int(result.frame[0]), int(result.frame[-1])))
    axes.set_axisbelow(True)
    axes.grid(True, color=GRID, linewidth=0.5)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    axes.tick_params(labelsize=layout.font - 0.5, colors=MUTED, length=2, width=0.5, pad=2)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set(color=MUTED, linewidth=0.6)


def _set_limits(axes: Axes, result: Result, panel: Panel) -> None:
    values = np.concatenate([result.columns[name] for name in panel.columns(result.sides)])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    missing = max(panel.least_span - (high - low), 0.0)
    margin = 0.06 * max(high - low, panel.least_span) + missing / 2
    axes.set_ylim(low - margin, high + margin)


def _hatched(side: str) -> dict[str, Any]:
    """The style of a patch without a value: faint by its colour, because `alpha` would count twice in SVG."""
    edge = to_rgba(COLOURS[side], 0.45)
    return {"facecolor": "none", "edgecolor": edge, "hatch": _HATCHES[side], "linewidth": 0}


def _hatch(axes: Axes, begin: float, end: float, side: str) -> None:
    axes.axvspan(begin, end, **_hatched(side))


def _edges(result: Result, first_frame: int, last_frame: int) -> tuple[float, float]:
    """Seconds from half a frame before the first to half a frame after the last, within the trial."""
    first = max(first_frame, int(result.frame[0]))
    last = min(last_frame, int(result.frame[-1]))
    return result.time_of(first - 0.5), result.time_of(last + 0.5)


def _draw_strip(axes: Axes, result: Result, spans: Sequence[Span], layout: Layout) -> None:
    """Contacts as bars, left above right, with the plate's number; hatched where the load is unknown."""
    axes.set_xlim(*_edges(result, int(result.frame[0]), int(result.frame[-1])))
    floor = {side: i for i, side in enumerate(reversed(result.sides))}
    axes.set_ylim(0, len(floor))
    axes.set_yticks([floor[side] + 0.5 for side in result.sides], labels=[side[0].upper() for side in result.sides])
    axes.tick_params(labelbottom=False, labelsize=layout.font, length=0, pad=3)
    for label, side in zip(axes.get_yticklabels(), result.sides, strict=True):
        label.set(color=COLOURS[side], weight="bold")
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    for between in range(1, len(floor)):
        axes.axhline(between, color=GRID, linewidth=0.5)
    bars: list[tuple[str, int, int, tuple[str, ...]]] = []
    for contact in result.contacts:
        if contact.known:
            plates = plain(contact.plates)
            texts: tuple[str, ...] = (f"plate {plates}" if plates.isdigit() else f"plates {plates}", plates)
            bars.append((contact.side, contact.first_frame, contact.last_frame, texts))
    bars += [(s.side, s.first_frame, s.last_frame, ("load unknown", "unknown", "?")) for s in spans]
    for side, first, last, texts in bars:
        unknown = texts[-1] == "?"
        begin, end = _edges(result, first, last)
        if end <= begin:
            continue  # a contact outside the trial's frames
        y = floor[side] + 0.08
        axes.add_patch(
            Rectangle(
                (begin, y),
                end - begin,
                0.84,
                facecolor="none" if unknown else COLOURS[side],
                edgecolor=COLOURS[side],
                linewidth=0.6,
                linestyle=":" if unknown else "-",
                alpha=0.9 if unknown else 0.25,
            )
        )
        if unknown:
            axes.add_patch(Rectangle((begin, y), end - begin, 0.84, **_hatched(side)))
        left, right = axes.get_xlim()
        room = (end - begin) / (right - left) * layout.panel_width * 72
        text = next((t for t in texts if len(t) * 0.62 * layout.font < room), None)
        if text is not None:
            axes.text(
                (begin + end) / 2,
                y + 0.4,
                text,
                ha="center",
                va="center",
                fontsize=layout.font - 0.5,
                color=INK,
                clip_on=True,
                bbox=None if not unknown else {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6},
            )


def _draw_legend(figure: Figure, result: Result, layout: Layout) -> None:
    handles: list[Line2D | Patch] = []
    for side in result.sides:
        handles.append(Line2D([], [], color=COLOURS[side], linestyle=_DASHES[side], linewidth=layout.line, label=side))
    for side in result.sides if result.on_ground else ():
        handles.append(Patch(facecolor=COLOURS[side], alpha=0.2, linewidth=0, label=f"{side} foot on the ground"))
    for side in result.sides:
        handles.append(Patch(label=f"{side}: no value", **_hatched(side)))
    total_width, total_height = figure.get_size_inches()
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(layout.left / total_width, 1 - (layout.top - 0.3) / total_height),
        ncols=len(handles),
        fontsize=layout.font,
        frameon=False,
        labelcolor=INK,
        handlelength=2.6,
        columnspacing=1.6,
        borderpad=0,
        borderaxespad=0,
    )
