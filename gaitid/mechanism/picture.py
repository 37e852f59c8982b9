"""A mechanism in its first position, the paths of its points, and what its drivers exert."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gaitid.drawing import COLOURS, GRID, INK, MUTED, picture_bytes, refuse_format, shared_style
from gaitid.errors import in_print
from gaitid.mechanism.body import Pose, poses_of
from gaitid.mechanism.constraints import DoubleRevolute
from gaitid.mechanism.dynamics import Solution
from gaitid.mechanism.file import MechanismFile
from gaitid.mechanism.gears import GearMesh
from gaitid.trial import Array

_EFFORTS = {"torque_Nm": "torque (N·m)", "force_N": "force (N)"}


def picture(source: MechanismFile, solution: Solution, suffix: str) -> bytes:
    """The picture as a file's content, by its suffix.

    Raises
    ------
    WriteError
        A suffix that is of no picture.
    """
    refuse_format("--plot", suffix)
    with shared_style({"font.size": 9.0}):
        figure = Figure(figsize=(11.0, 4.8), layout="constrained")
        units = list(dict.fromkeys(driver.effort_unit for driver in solution.mechanism.drivers))
        grid = figure.add_gridspec(max(1, len(units)), 2, width_ratios=(1.0, 1.15))
        figure.suptitle(in_print(source.title), color=INK, fontsize=11)
        _draw_bodies(figure.add_subplot(grid[:, 0]), source, solution)
        for k, unit in enumerate(units):
            axes = figure.add_subplot(grid[k, 1])
            _draw_efforts(axes, solution, unit)
            if k == 0:
                axes.set_title("what the drivers exert on their second body")
        return picture_bytes(figure, suffix, dpi=120)


def _draw_bodies(axes: Axes, source: MechanismFile, solution: Solution) -> None:
    poses = poses_of(solution.q)
    names: list[tuple[Array, list[str]]] = []  # by place: a pin has one on each of its bodies, often the same
    for k, (body, pose) in enumerate(zip(solution.mechanism.bodies, poses[1:], strict=True)):
        colour = COLOURS[k % len(COLOURS)]
        points = {name: pose.point(s) for name, s in body.points.items()}
        for path in points.values():
            axes.plot(path[:, 0], path[:, 1], color=colour, linewidth=0.8, alpha=0.45, zorder=1)
        for a, b in combinations(points, 2):
            ends = np.stack([points[a][0], points[b][0]])
            axes.plot(ends[:, 0], ends[:, 1], color=colour, linewidth=3.0, solid_capstyle="round", zorder=2)
        axes.plot(*pose.r[0], marker="+", color=INK, markersize=8, zorder=4)
        axes.plot([], [], color=colour, linewidth=3.0, label=body.name)
        for name, path in points.items():
            axes.plot(*path[0], marker="o", color="white", markeredgecolor=colour, markersize=5, zorder=3)
            here = next((words for at, words in names if np.allclose(at, path[0])), None)
            if here is None:
                names.append((path[0], [name]))
            elif name not in here:
                here.append(name)
    beside: dict[str, Any] = {"xytext": (6, -11), "textcoords": "offset points"}
    for at, words in names:
        axes.annotate(", ".join(words), (at[0], at[1]), color=INK, fontsize=8, **beside)
    for constraint in solution.mechanism.constraints:
        if isinstance(constraint, DoubleRevolute):
            ends = np.stack([_first(poses[b], s) for b, s in zip(constraint.bodies, constraint.points(), strict=True)])
            axes.plot(ends[:, 0], ends[:, 1], color=MUTED, linewidth=1.5, zorder=2)
        if isinstance(constraint, GearMesh):
            gears = zip(constraint.bodies, constraint.points(), constraint.radii.tolist(), strict=True)
            for index, axle, radius in gears:
                colour = COLOURS[(index - 1) % len(COLOURS)] if index else MUTED
                _draw_gear(axes, _first(poses[index], axle), radius, float(poses[index].phi[0]), colour)
    for s in source.ground_points.values():
        axes.plot(*s, marker="^", color=MUTED, markersize=7, zorder=0)
    axes.plot([], [], linestyle="", marker="+", color=INK, label="centre of mass")
    if source.ground_points:
        axes.plot([], [], linestyle="", marker="^", color=MUTED, label="point of the ground")
    axes.set(xlabel="x (m)", ylabel="y (m)", title=f"at {solution.time_s[0]:g} s, with the paths of the points")
    axes.margins(0.12)  # room for the names
    axes.set_aspect("equal", adjustable="datalim")
    axes.locator_params(axis="x", nbins=7)
    axes.grid(color=GRID, linewidth=0.6)
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3)


def _draw_gear(axes: Axes, centre: Array, radius: float, phi: float, colour: str) -> None:
    """A pitch circle, and a mark along the body's x axis."""
    around = np.linspace(0.0, 2 * np.pi, 181)
    axes.plot(centre[0] + radius * np.cos(around), centre[1] + radius * np.sin(around), color=colour, linewidth=1.4)
    way = np.array([np.cos(phi), np.sin(phi)])
    mark = centre + np.outer([0.85 * radius, radius], way)
    axes.plot(mark[:, 0], mark[:, 1], color=colour, linewidth=3.0)


def _first(pose: Pose, s: Array) -> Array:
    return np.asarray(pose.point(s)[0])


def _draw_efforts(axes: Axes, solution: Solution, unit: str) -> None:
    """What the drivers exert that exert this: torques and forces have axes of their own."""
    marker = "o" if len(solution.time_s) == 1 else None
    for k, driver in enumerate(solution.mechanism.drivers):
        if driver.effort_unit == unit:
            effort = -solution.multipliers_of(driver)[:, 0]
            axes.plot(solution.time_s, effort, color=COLOURS[k % len(COLOURS)], marker=marker, label=driver.name)
    axes.axhline(0.0, color=MUTED, linewidth=0.8, zorder=0)
    axes.set(xlabel="time (s)", ylabel=_EFFORTS[unit])
    axes.grid(color=GRID, linewidth=0.6)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
