"""Draw docs/figures/contributions.png, truth.png, uncertainty.png and uncertainty_budget.png: what a moment is made
of, how far it is from the truth, how sure it would be on a person, and what makes it unsure.

    python docs/figures/understand.py

All are of the bundled simulated walks, by the commands that the gallery names.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib
import pandas as pd

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from gallery import make_small
from matplotlib.axes import Axes

from gaitid.cli.run import run_command as command
from gaitid.report.gathering import load_results
from gaitid.report.page import PERCENT
from gaitid.report.page.sure import SOURCES, layers, variance_over_cycle

FIGURES = Path(__file__).resolve().parent
SAMPLES = FIGURES.parents[1] / "sample_data"
INK = "#22303c"
# of the sources on the page (gaitid/report/page/page.css)
COLOURS = ("#6b7280", "#b45309", "#0f766e", "#1d4ed8", "#38bdf8", "#7e22ce", "#be123c", "#15803d", "#334155")
PARTS = {
    "ground_reaction": ("the ground reaction", "#c2501b"),
    "gravity": ("gravity", "#2e7d32"),
    "inertia": ("inertia", "#2453b3"),
}


def wrenches(sample: str, folder: Path, *options: str) -> pd.DataFrame:
    """Of a bundled walk, by frame."""
    words = [str(SAMPLES / sample / "walk.c3d"), "--model", "pig", "-o", str(folder), "--quiet", *options]
    assert command.main(words, standalone_mode=False) == 0
    return pd.read_csv(folder / "walk.wrenches.csv", index_col="frame")


def contributions(axes: Axes, table: pd.DataFrame, joint: str) -> None:
    """The moment about the mediolateral axis of the distal segment, and its parts."""
    column = f"left_{joint}_moment_distal_y"
    for part, (words, colour) in PARTS.items():
        axes.plot(table["time_s"], table[f"{column}_{part}_Nm"], color=colour, lw=1.4, label=f"against {words}")
    axes.plot(table["time_s"], table[f"{column}_Nm"], color=INK, lw=2.2, label="their sum, the moment")
    axes.axhline(0, color="#8a97a3", lw=0.8)
    axes.set_title(f"left {joint}", loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel("s")
    axes.set_xlim(0.88, 2.0)


def truth(axes: Axes, table: pd.DataFrame, joint: str) -> None:
    """The same moment beside the exact one."""
    column = f"left_{joint}_moment_global_y_Nm"
    exact = pd.read_csv(SAMPLES / "walk_noisy" / "walk.truth.wrenches.csv", index_col="frame")
    axes.plot(exact["time_s"], exact[column], color="#c2501b", lw=3.5, alpha=0.45, label="exact (simulated)")
    axes.plot(table["time_s"], table[column], color=INK, lw=1.3, label="gaitid, 0.3 mm of noise on the markers")
    axes.axhline(0, color="#8a97a3", lw=0.8)
    axes.set_title(f"left {joint}", loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel("s")


def uncertainty(axes: Axes, table: pd.DataFrame, joint: str) -> None:
    """The moment with its 95 % band."""
    column = f"left_{joint}_moment_global_y_Nm"
    band = table.attrs["uncertainty"].query("column == @column").set_index("frame")
    axes.fill_between(
        table["time_s"], band["low_95"], band["high_95"], color="#2453b3", alpha=0.2, lw=0, label="95 % band"
    )
    axes.plot(table["time_s"], table[column], color=INK, lw=1.6, label="gaitid")
    axes.axhline(0, color="#8a97a3", lw=0.8)
    axes.set_title(f"left {joint}", loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel("s")
    axes.set_xlim(0.88, 2.0)


def page(draw: object, table: pd.DataFrame, name: str) -> None:
    assert callable(draw)
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for axes, joint in zip(panels, ("ankle", "knee", "hip"), strict=True):
        draw(axes, table, joint)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("N·m")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    with tempfile.TemporaryDirectory() as folder:
        figure.savefig(Path(folder, name), dpi=110)
        make_small(Path(folder, name), FIGURES / name)


def budget(folder: Path, name: str) -> None:
    """What makes the moments of the left leg unsure, over the cycle, as on the page."""
    (session,) = load_results([folder / "walk.run.json"])
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    moments = ("ankle_plantarflexion", "knee_extension", "hip_extension")
    for axes, moment in zip(panels, moments, strict=True):
        variance = variance_over_cycle(session.results, "left", f"{moment}_moment_Nm_per_kg")
        for i, low, high in layers(variance):
            axes.fill_between(PERCENT, low, high, color=COLOURS[i], lw=0, label=SOURCES[i][1])
        axes.set_title(f"left {moment.replace('_', ' ')}", loc="left", fontsize=10, fontweight="bold")
        axes.set_xlabel("% of the gait cycle")
        axes.set_xlim(0, 100)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("standard uncertainty, N·m/kg")
    figure.legend(*panels[2].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(folder / name, dpi=110)
    make_small(folder / name, FIGURES / name)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page(contributions, wrenches("walk", Path(folder), "--contributions"), "contributions.png")
        page(truth, wrenches("walk_noisy", Path(folder)), "truth.png")
        table = wrenches("walk_noisy", Path(folder), "--uncertainty")
        table.attrs["uncertainty"] = pd.read_csv(Path(folder, "walk.uncertainty.csv"))
        page(uncertainty, table, "uncertainty.png")
        budget(Path(folder), "uncertainty_budget.png")


if __name__ == "__main__":
    main()
