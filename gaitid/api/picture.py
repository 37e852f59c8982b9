"""The tables of a trial as a picture: curves over the gait cycle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from gaitid.drawing import INK, MUTED, SIDES, picture_bytes, plain, shared_style
from gaitid.errors import GaitidError
from gaitid.write import CYCLE_COLUMNS

# What is drawn by default: the sagittal plane, and what positive means.
_TITLES = {
    "hip_flexion_deg": "Hip flexion (+) / extension (−)",
    "knee_flexion_deg": "Knee flexion (+) / extension (−)",
    "ankle_dorsiflexion_deg": "Ankle dorsiflexion (+) / plantarflexion (−)",
    "hip_extension_moment_Nm_per_kg": "Hip extension (+) / flexion (−) moment",
    "knee_extension_moment_Nm_per_kg": "Knee extension (+) / flexion (−) moment",
    "ankle_plantarflexion_moment_Nm_per_kg": "Ankle plantarflexion (+) / dorsiflexion (−) moment",
    "hip_power_W_per_kg": "Hip power, generation (+) / absorption (−)",
    "knee_power_W_per_kg": "Knee power, generation (+) / absorption (−)",
    "ankle_power_W_per_kg": "Ankle power, generation (+) / absorption (−)",
}
# By the end of a column's name: the unit, and what its axis shows at least, as on the page.
_UNITS = {"_deg": ("deg", 10.0), "_Nm_per_kg": ("N·m/kg", 0.2), "_W_per_kg": ("W/kg", 0.5), "_N_per_kg": ("N/kg", 0.5)}
_MOST = 9
_ACROSS, _SIZE_IN = 3, (3.7, 2.0)
_DPI = 110


class CurveFigure(Figure):
    """A figure that a notebook shows without `matplotlib.pyplot`."""

    def _repr_png_(self) -> bytes:
        return picture_bytes([self], ".png", _DPI)


def draw(title: str, cycles: pd.DataFrame, joints: pd.DataFrame, columns: Sequence[str] | None = None) -> Figure:
    """Panels of curves, over time where there is no cycle; `columns` as of `gaitid.api.result.Analysis.plot`."""
    by_cycle = not cycles.empty
    sides = [side for side in SIDES if any(name.startswith(f"{side}_") for name in joints.columns)]
    if by_cycle:
        there = [str(name) for name in cycles.columns if name not in CYCLE_COLUMNS]
    else:
        of_sides = [str(n).partition("_") for n in joints.columns]
        there = list(dict.fromkeys(name for side, _, name in of_sides if side in sides))
    if columns is not None and (
        not isinstance(columns, Iterable) or not all(isinstance(name, str) for name in columns)
    ):
        raise GaitidError("columns: not names", expected="names of columns", found=f"{columns!r}")
    wanted = _known_first(there, cycles if by_cycle else joints) if columns is None else list(columns)
    unknown = [name for name in wanted if name not in there]
    if unknown or not wanted:
        result = ", ".join(unknown) or "none of those that are drawn"
        raise GaitidError("no such column to plot", expected=", ".join(there), found=result)
    rows = -(-len(wanted) // _ACROSS)
    across = min(len(wanted), _ACROSS)
    with shared_style():
        figure = CurveFigure(figsize=(_SIZE_IN[0] * across, _SIZE_IN[1] * rows + 0.4), layout="constrained")
        for i, name in enumerate(wanted):
            axes = figure.add_subplot(rows, across, i + 1)
            for side in sides:
                if by_cycle:
                    _cycles(axes, cycles[cycles["side"] == side], side, name)
                elif f"{side}_{name}" in joints:
                    axes.plot(joints["time_s"], joints[f"{side}_{name}"], label=side, **_style(side))
            _dress(axes, name, "% of the gait cycle" if by_cycle else "time (s)", below=i >= len(wanted) - across)
        drawn = [line for line in figure.axes[0].lines if not str(line.get_label()).startswith("_")]
        if drawn:
            figure.legend(handles=drawn, loc="outside upper right", ncols=2, frameon=False, fontsize=8)
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _known_first(there: Sequence[str], table: pd.DataFrame) -> list[str]:
    """What is drawn by default: the sagittal curves that are known, or the first known ones of other joints."""
    ends = tuple(str(name) for name in table.columns if table[name].notna().any())
    known = [name for name in there if any(end == name or end.endswith(f"_{name}") for end in ends)]
    return [name for name in _TITLES if name in known] or known[:_MOST]


def _style(side: str) -> dict[str, Any]:
    colour, dashes = SIDES[side]
    # the dashed one above the other
    return {"color": colour, "linewidth": 1.4, "linestyle": dashes, "zorder": 2.1 if dashes == "-" else 2.2}


def _cycles(axes: Any, of_side: pd.DataFrame, side: str, name: str) -> None:
    for i, (_, cycle) in enumerate(of_side.groupby("cycle")):
        axes.plot(cycle["percent"], cycle[name], label="_" if i else side, **_style(side))
        axes.axvline(cycle["foot_off_percent"].iloc[0], color=SIDES[side][0], linewidth=0.6, alpha=0.5)


def _dress(axes: Any, name: str, below_it: str, below: bool) -> None:
    unit, least = next((of for end, of in _UNITS.items() if name.endswith(end)), ("", 0.0))
    axes.set_title(_TITLES.get(name, name), fontsize=8, loc="left", color=INK)
    low, high = axes.get_ylim()
    if high - low < least:  # noise about zero is not to look like a curve
        middle = (low + high) / 2
        axes.set_ylim(middle - least / 2, middle + least / 2)
    axes.set_ylabel(unit, fontsize=8, color=MUTED)
    axes.axhline(0, color=MUTED, linewidth=0.5, zorder=1)
    axes.margins(x=0)
    plain(axes, "y")
    if below:
        axes.set_xlabel(below_it, fontsize=8, color=MUTED)
