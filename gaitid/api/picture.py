"""An `Analysis` as a picture: its curves over the gait cycle."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from gaitid.drawing import shared_style
from gaitid.errors import GaitidError
from gaitid.report.curves import COLOURS, GRID, INK, MUTED
from gaitid.report.panels import POWERS, SAGITTAL_ANGLES, SAGITTAL_MOMENTS
from gaitid.write.cycles import CYCLE_COLUMNS

if TYPE_CHECKING:
    from gaitid.api.result import Analysis

_PANELS = (*SAGITTAL_ANGLES, *SAGITTAL_MOMENTS, *POWERS)
_TITLES = {panel.column.removeprefix("{side}_"): (panel.title, panel.unit) for panel in _PANELS}
_ACROSS, _SIZE_IN = 3, (3.7, 2.0)
_DPI = 110


class CurveFigure(Figure):
    """A figure that a notebook shows without `matplotlib.pyplot`."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=_DPI, facecolor="white")
        return buffer.getvalue()


def draw(analysis: Analysis, columns: Sequence[str] | None = None) -> Figure:
    """Panels of curves; parameters as of `Analysis.plot`."""
    by_cycle = not analysis.cycles.empty
    sides = [side for side in COLOURS if any(name.startswith(f"{side}_") for name in analysis.joints.columns)]
    if by_cycle:
        there = [str(name) for name in analysis.cycles.columns if name not in CYCLE_COLUMNS]
    else:
        there = [str(n).removeprefix("left_") for n in analysis.joints.columns if str(n).startswith("left_")]
    wanted = [name for name in _TITLES if name in there] if columns is None else list(columns)
    unknown = [name for name in wanted if name not in there]
    if unknown or not wanted:
        found = ", ".join(unknown) or "none of those that are drawn"
        raise GaitidError("no such column to plot", expected=", ".join(there), found=found)
    rows = -(-len(wanted) // _ACROSS)
    across = min(len(wanted), _ACROSS)
    with shared_style():
        figure = CurveFigure(figsize=(_SIZE_IN[0] * across, _SIZE_IN[1] * rows + 0.4), layout="constrained")
        for i, name in enumerate(wanted):
            axes = figure.add_subplot(rows, across, i + 1)
            for side in sides:
                _curves(axes, analysis, side, name, by_cycle)
            _dress(axes, name, "% of the gait cycle" if by_cycle else "time (s)", below=i >= len(wanted) - across)
        drawn = [line for line in figure.axes[0].lines if not str(line.get_label()).startswith("_")]
        if drawn:
            figure.legend(handles=drawn, loc="outside upper right", ncols=2, frameon=False, fontsize=8)
        model = analysis.record["model"]["name"]
        figure.suptitle(f"{analysis.name} · {model} · {analysis.verdict['trial']}", x=0.01, ha="left", fontsize=10)
    return figure


def _curves(axes: Any, analysis: Analysis, side: str, name: str, by_cycle: bool) -> None:
    style = {"color": COLOURS[side], "linewidth": 1.4, "linestyle": "-" if side == "left" else (0, (7, 1.4))}
    if not by_cycle:
        axes.plot(analysis.joints["time_s"], analysis.joints[f"{side}_{name}"], label=side, **style)
        return
    of_side = analysis.cycles[analysis.cycles["side"] == side]
    for i, (_, cycle) in enumerate(of_side.groupby("cycle")):
        axes.plot(cycle["percent"], cycle[name], label="_" if i else side, **style)
        axes.axvline(cycle["foot_off_percent"].iloc[0], color=COLOURS[side], linewidth=0.6, alpha=0.5)


def _dress(axes: Any, name: str, below_it: str, below: bool) -> None:
    title, unit = _TITLES.get(name, (name, ""))
    axes.set_title(title, fontsize=8, loc="left", color=INK)
    axes.set_ylabel(unit, fontsize=8, color=MUTED)
    axes.tick_params(labelsize=7, colors=MUTED)
    axes.axhline(0, color=GRID, linewidth=0.8, zorder=0)
    axes.margins(x=0)
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    if below:
        axes.set_xlabel(below_it, fontsize=8, color=MUTED)
