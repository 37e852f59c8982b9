"""What is drawn of a chain -> a picture: stick figures above, curves against time below; PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gaitid.drawing import (
    COLOURS,
    DASHES,
    INK,
    LEGEND,
    LETTERS,
    MM_PER_INCH,
    MUTED,
    Paper,
    paper,
    picture_bytes,
    plain,
    shared_style,
)
from gaitid.errors import GaitidError
from gaitid.records import frozen_dataclass
from gaitid.report.chain import Chain, Drawn, Panel, Stick, View, chosen_frames, known_frames, points_of, views_of
from gaitid.report.panels import CHAIN_FIGURES, SHEET, Request
from gaitid.report.pictures.draw import DOTS_PER_INCH, SHEET_DOTS_PER_INCH
from gaitid.trial import Array

# mm.
_LEFT, _RIGHT, _TOP, _GAP, _LEAST_PANEL = 15.0, 3.0, 3.0, 14.0, 42.0
_HEADING, _TITLE, _LEGEND, _PANEL, _X_LABEL = 6.0, 3.6, 3.2, 30.0, 9.0
_STICK_HIGHEST, _STRIP_HIGHEST = 70.0, 42.0
_FEWEST_POSTURES, _MOST_POSTURES = 9, 15
# Of the width of all postures laid over each other: single ones are narrower, and neighbours may touch.
_SLOT = 0.8
# Of the largest value: less is not spread over a whole axis.
_LEAST_SPAN = 0.05
_LETTER_MM = 0.52 * LETTERS * MM_PER_INCH / 72


@frozen_dataclass(eq=False)
class _Row:
    """What stands beside each other: boxes in mm from the top, made by one function that draws them."""

    height: float
    draw: Any


def picture(drawn: Drawn, names: Sequence[str], width: float, format: str, dpi: int = DOTS_PER_INCH) -> bytes:
    """Figures of a chain below each other.

    Parameters
    ----------
    drawn : Drawn
    names : sequence of str
        Of `CHAIN_FIGURES`, those that it has.
    width : float
        mm.
    format : {"png", "svg", "pdf"}
    dpi : int
        Of a PNG.
    """
    rows = [row for name in names for row in _rows(drawn, name, width)]
    height = _TOP + sum(row.height for row in rows) + 1.0
    with shared_style({"font.size": LETTERS}):
        sheet, from_top = paper(width, height), _TOP
        for row in rows:
            row.draw(sheet, from_top)
            from_top += row.height
        return picture_bytes([sheet.figure], format, dpi)


def chain_pictures(chains: Sequence[Chain], request: Request, format: str, name: str | None) -> dict[str, bytes]:
    """The content of each picture by its file's name.

    Parameters
    ----------
    chains : sequence of Chain
    request : Request
    format : {"png", "svg", "pdf"}
    name : str or None
        Of the one file that holds all figures; None for a file of each figure.

    Raises
    ------
    GaitidError
        A figure that there is nothing of, or several chains for one file.
    """
    if name is not None and len(chains) > 1:
        raise GaitidError(f"{name}: {len(chains)} chains, and a picture is of one", todo="a folder, or a page (.html)")
    pictures = {}
    for chain in chains:
        drawn = chain.drawn
        names = tuple(request.figures) or drawn.names
        if missing := [figure for figure in names if figure not in drawn.names and figure != SHEET]:
            raise GaitidError(
                f"{drawn.name}: nothing to draw of {', '.join(missing)}", expected=", ".join((SHEET, *drawn.names))
            )
        names = tuple(figure for one in names for figure in (drawn.names if one == SHEET else (one,)))
        if name is not None:
            dpi = SHEET_DOTS_PER_INCH if len(names) > 1 else DOTS_PER_INCH
            pictures[name] = picture(drawn, names, request.width_mm, format, dpi)
            continue
        before = f"{drawn.name}_" if len(chains) > 1 else ""
        pictures |= {f"{before}{f}.{format}": picture(drawn, (f,), request.width_mm, format) for f in names}
    return pictures


def _rows(drawn: Drawn, name: str, width: float) -> list[_Row]:
    heading = _Row(
        _HEADING, lambda sheet, top: sheet.text(3.0, top + 1.0, CHAIN_FIGURES[name], fontsize=8, weight="bold")
    )
    if name == "stick":
        return [heading, *_stick_rows(drawn, width)]
    panels = drawn.figures[name]
    columns = max(1, min(len(panels), int((width - _LEFT - _RIGHT + _GAP) / (_LEAST_PANEL + _GAP))))
    rows = [heading]
    for first in range(0, len(panels), columns):
        rows.append(_panel_row(drawn, panels[first : first + columns], columns, width))
    return rows


# --- curves ---------------------------------------------------------------------------------------------------


def _panel_row(drawn: Drawn, panels: Sequence[Panel], columns: int, width: float) -> _Row:
    each = (width - _LEFT - _RIGHT - _GAP * (columns - 1)) / columns
    lines = max(-(-len(panel.curves) // _per_line(panel, each)) for panel in panels)
    titled = any(panel.title for panel in panels)
    above = (_TITLE if titled else 0.0) + _LEGEND * lines

    def draw(sheet: Paper, top: float) -> None:
        for i, panel in enumerate(panels):
            left = _LEFT + i * (each + _GAP)
            if panel.title:
                sheet.text(left, top, panel.title, weight="bold")
            axes = sheet.axes(left, top + above + 1.0, each, _PANEL)
            _draw_panel(axes, drawn.time_s, panel, each)

    return _Row(above + 1.0 + _PANEL + _X_LABEL, draw)


def _style(panel: Panel, i: int) -> dict[str, Any]:
    if panel.whole:
        if i == 0:
            return {"color": INK, "linewidth": 1.3, "linestyle": "-"}
        i -= 1
    return {"color": COLOURS[i % len(COLOURS)], "linewidth": 0.9, "linestyle": DASHES[i % len(DASHES)]}


def _draw_panel(axes: Any, time_s: Array, panel: Panel, width: float) -> None:
    for i, curve in enumerate(panel.curves):
        axes.plot(time_s, curve.values, label=curve.label, **_style(panel, i))
    axes.set_xlim(float(time_s[0]), float(time_s[-1]) if len(time_s) > 1 else float(time_s[0]) + 1.0)
    known = np.concatenate([c.values[np.isfinite(c.values)] for c in panel.curves])
    largest = float(np.abs(known).max()) if known.size else 0.0
    if (known.size and np.ptp(known) < _LEAST_SPAN * largest) or largest == 0:  # what is steady is not its own rounding
        middle = float(known.mean()) if known.size else 0.0
        half = _LEAST_SPAN * largest or 1.0
        axes.set_ylim(middle - half, middle + half)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.axhline(0.0, color=MUTED, linewidth=0.5, zorder=0.5) if _holds_zero(axes) else None
    plain(axes)
    axes.set_xlabel("time (s)", color=INK, labelpad=1.5)
    axes.set_ylabel(panel.label, color=INK, labelpad=2)
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.02), ncols=_per_line(panel, width), **LEGEND)


def _holds_zero(axes: Any) -> bool:
    low, high = axes.get_ylim()
    return bool(low < 0 < high)


def _per_line(panel: Panel, width: float) -> int:
    """How many entries of a legend stand beside each other."""
    longest = max(len(curve.label) for curve in panel.curves)
    return max(1, min(len(panel.curves), int(width / (longest * _LETTER_MM + 10.0))))


# --- stick figures --------------------------------------------------------------------------------------------


def _stick_rows(drawn: Drawn, width: float) -> list[_Row]:
    views = views_of(drawn)
    if not views:
        return []
    return [_paths_row(drawn, views, width), _strip_row(drawn, views[0], width)]


def _paths_row(drawn: Drawn, views: Sequence[View], width: float) -> _Row:
    """The way of each free end, and the chain at the first and at the last known instant, in space."""
    sizes = [view.high - view.low for view in views]
    room = width - _LEFT - _RIGHT - _GAP * (len(views) - 1)
    scale = min(room / sum(size[0] for size in sizes), _STICK_HIGHEST / max(size[1] for size in sizes))

    def draw(sheet: Paper, top: float) -> None:
        left, handles = _LEFT, []
        for view, size in zip(views, sizes, strict=True):
            axes = sheet.axes(left, top + _LEGEND + 1.0, scale * size[0], scale * size[1])
            handles = _draw_paths(axes, drawn, view)
            left += scale * size[0] + _GAP
        sheet.legend(_LEFT, top, handles, len(handles))

    return _Row(_LEGEND + 1.0 + scale * max(size[1] for size in sizes) + _X_LABEL, draw)


def _draw_paths(axes: Any, drawn: Drawn, view: View) -> list[Any]:
    i, j = view.axes
    handles = []
    free = [stick for stick in drawn.sticks if stick.free]
    for k, stick in enumerate(free):
        path = stick.ends_g[0]
        label = f"path of {stick.name}'s end"
        style = {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]}
        handles += axes.plot(path[:, i], path[:, j], linewidth=0.6, label=label, **style)
    first, last = known_frames(drawn)[[0, -1]]
    for frame, colour, words in ((first, MUTED, "at"), (last, INK, "at")):
        label = f"{words} {drawn.time_s[frame]:.3g} s"
        handles.append(_draw_sticks(axes, drawn.sticks, frame, view, np.zeros(2), colour, label))
    _roots(axes, drawn.sticks, first, view, np.zeros(2))
    axes.set_xlim(view.low[0], view.high[0])
    axes.set_ylim(view.low[1], view.high[1])
    plain(axes)
    axes.set_xlabel(view.labels[0], color=INK, labelpad=1.5)
    axes.set_ylabel(view.labels[1], color=INK, labelpad=2)
    return handles


def _draw_sticks(
    axes: Any, sticks: Sequence[Stick], frame: int, view: View, shift: Array, colour: str, label: str = ""
) -> Any:
    """One posture; its handle for a legend."""
    i, j = view.axes
    line = None
    for stick in sticks:
        for end in stick.ends_g:
            across = np.array([stick.start_g[frame, i], end[frame, i]]) + shift[0]
            upward = np.array([stick.start_g[frame, j], end[frame, j]]) + shift[1]
            (line,) = axes.plot(across, upward, color=colour, linewidth=1.4, solid_capstyle="round", zorder=3)
    starts = np.array([[stick.start_g[frame, i], stick.start_g[frame, j]] for stick in sticks]) + shift
    axes.plot(
        *starts.T,
        "o",
        color=colour,
        markersize=2.6,
        markerfacecolor="white",
        markeredgewidth=0.7,
        zorder=4,
        clip_on=False,
    )
    if line is not None:
        line.set_label(label)
    return line


def _roots(axes: Any, sticks: Sequence[Stick], frame: int, view: View, shift: Array) -> None:
    for stick in sticks:
        if stick.rooted:
            at = stick.start_g[frame, list(view.axes)] + shift
            axes.plot(*at, "s", color=INK, markersize=3.6, zorder=5, clip_on=False)


def _strip_row(drawn: Drawn, view: View, width: float) -> _Row:
    """Postures one after the other, from left to right as time goes, each with the way of the free ends up to it."""
    index = list(view.axes)
    known = known_frames(drawn)
    points = points_of(drawn.sticks)[..., index]  # (points, frames, 2)
    middle = np.nanmean(points, axis=0) if _wanders(points[:, known]) else np.zeros((points.shape[1], 2))
    relative = (points - middle)[:, known].reshape(-1, 2)
    low, high = relative.min(axis=0), relative.max(axis=0)
    size = np.maximum(high - low, 0.2 * float((high - low).max()))
    low = (high + low) / 2 - size / 2
    room = width - _LEFT - _RIGHT
    count = int(room * size[1] / (_STRIP_HIGHEST * size[0] * _SLOT))
    count = min(max(count, _FEWEST_POSTURES), _MOST_POSTURES)
    frames = chosen_frames(drawn, count)
    slot = _SLOT * size[0]
    scale = min(room / (slot * (len(frames) - 1) + 1.1 * size[0]), _STRIP_HIGHEST / size[1])

    def draw(sheet: Paper, top: float) -> None:
        axes = sheet.axes(_LEFT, top + _TITLE, room, scale * size[1])
        before, ticks = int(known[0]), []
        for k, frame in enumerate(frames):
            # where the low corner of the posture's box lies: its own slot
            shift = np.array([k * slot, 0.0]) - low - middle[frame]
            _trail(axes, drawn, view, range(max(before, frame - _most_trail(drawn)), frame + 1), shift)
            _draw_sticks(axes, drawn.sticks, frame, view, shift, INK)
            _roots(axes, drawn.sticks, frame, view, shift)
            ticks.append(float(drawn.sticks[0].start_g[frame, index[0]] + shift[0]))  # below its first joint
            before = frame
        axes.set_xlim(-0.06 * size[0], room / scale - 0.06 * size[0])
        axes.set_ylim(0, size[1])
        axes.set_xticks(ticks)
        axes.set_xticklabels([f"{drawn.time_s[frame]:.3g}" for frame in frames])
        axes.set_yticks([])
        plain(axes)
        axes.grid(False)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("time (s)", color=INK, labelpad=1.5)
        plane = f"{'xyz'[index[0]]} to the right, {'xyz'[index[1]]} upward on the paper"
        fixed = "" if not middle.any() else ", each about its own middle"
        sheet.text(_LEFT, top, f"Posture after posture, {plane}{fixed}; same scale; thin: the ends' way up to it")

    return _Row(_TITLE + scale * size[1] + _X_LABEL, draw)


def _wanders(points: Array) -> bool:
    """Whether a chain goes farther than it is large: points (points, frames, 2)."""
    size = float(np.nanmax(points.max(axis=0) - points.min(axis=0)))
    way = points.mean(axis=0)
    return bool(np.ptp(way, axis=0).max() > size)


def _most_trail(drawn: Drawn) -> int:
    """Frames of a trail: a quarter of a second, longer ones cover the postures."""
    step = float(np.median(np.diff(drawn.time_s))) if len(drawn.time_s) > 1 else 1.0
    return max(1, round(0.25 / step))


def _trail(axes: Any, drawn: Drawn, view: View, frames: range, shift: Array) -> None:
    i, j = view.axes
    for k, stick in enumerate([stick for stick in drawn.sticks if stick.free]):
        path = stick.ends_g[0][frames.start : frames.stop]
        axes.plot(path[:, i] + shift[0], path[:, j] + shift[1], color=COLOURS[k % len(COLOURS)], linewidth=0.7)
