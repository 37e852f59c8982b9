"""`gaitid mechanism` as a function: one file in, its motion and loads out, and a picture of both."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gaitid.disk.atomic import put_all, refuse_taken, write_all
from gaitid.drawing import COLOURS, GRID, INK, MUTED, load_matplotlib, picture_bytes, refuse_format, shared_style
from gaitid.errors import WriteError, in_print
from gaitid.inputs import input_record, named
from gaitid.mechanism.body import COORDINATES, GROUND, Pose, poses_of
from gaitid.mechanism.constraints import DoubleRevolute, GearMesh
from gaitid.mechanism.dynamics import Solution, checks, solve, unknown_loads
from gaitid.mechanism.file import MechanismFile, bundled_mechanisms, find_mechanism, load_mechanism
from gaitid.model.find import text_of
from gaitid.model.load import bundled_folder, is_file
from gaitid.records import NamedTuple
from gaitid.trial import Array
from gaitid.version import __version__
from gaitid.write.record import plain, record_text
from gaitid.write.table import csv_text

_MOTION = (
    ("x_m", "y_m", "phi_rad"),
    ("vx_m_per_s", "vy_m_per_s", "omega_rad_per_s"),
    ("ax_m_per_s2", "ay_m_per_s2", "alpha_rad_per_s2"),
)
CONVENTIONS = {
    "axes": "global x and y of the file, angles and torques counter-clockwise; x, y of a body are its centre of mass",
    "force_and_torque": "{constraint}_on_{body}: what the constraint exerts on that body, global axes; the torque is "
    "about the point _at_x_m, _at_y_m, the constraint's own point of that body, or its centre of mass where the "
    "constraint has none",
    "multiplier": "λ of M q̈ + Φqᵀ λ = Q_applied, with Φ of body j relative to body i",
    "effort": "{driver}_torque_Nm or _force_N: what the actuator exerts on body j, −λ; the opposite acts on body i",
    "power": "supplied to the mechanism",
}


def motion_csv(solution: Solution) -> str:
    """Position, velocity and acceleration of every body."""
    names, columns = ["time_s"], [solution.time_s]
    for k, body in enumerate(solution.mechanism.bodies):
        for words, values in zip(_MOTION, (solution.q, solution.qd, solution.qdd), strict=True):
            names += [f"{body.name}_{word}" for word in words]
            columns += list(values[:, COORDINATES * k : COORDINATES * (k + 1)].T)
    return csv_text(names, np.stack(columns, axis=1))


def loads_csv(solution: Solution) -> str:
    """Multipliers, loads of every constraint on its bodies, driver efforts, powers and energies."""
    mechanism = solution.mechanism
    names_of = (GROUND, *(body.name for body in mechanism.bodies))
    table: dict[str, Array] = {"time_s": solution.time_s}
    for driver, power in zip(mechanism.drivers, solution.driver_powers().T, strict=True):
        table[f"{driver.name}_{driver.effort_unit}"] = -solution.multipliers_of(driver)[:, 0]
        table[f"{driver.name}_power_W"] = power
    for constraint in mechanism.constraints:
        for unit, value in zip(constraint.units, solution.multipliers_of(constraint).T, strict=True):
            table[f"{constraint.name}_multiplier_{unit}"] = value
        for body, (force, torque, point) in zip(constraint.bodies, solution.loads_of(constraint), strict=True):
            on = f"{constraint.name}_on_{names_of[body]}"
            table |= {f"{on}_force_x_N": force[:, 0], f"{on}_force_y_N": force[:, 1], f"{on}_torque_Nm": torque}
            table |= {f"{on}_at_x_m": point[:, 0], f"{on}_at_y_m": point[:, 1]}
    for load, power in zip(mechanism.loads, solution.load_powers().T, strict=True):
        table[f"{load.name}_power_W"] = power
    table["kinetic_energy_J"], table["potential_energy_J"] = solution.energies()
    return csv_text(list(table), np.stack(list(table.values()), axis=1))


def record(source: MechanismFile, solution: Solution, warnings: Sequence[str], command: Sequence[str]) -> str:
    """What is needed to trust the result, or to make it again, as JSON text."""
    mechanism = solution.mechanism
    content: Mapping[str, Any] = {
        "gaitid": __version__,
        "command": list(command),
        "inputs": [input_record("mechanism", source.path), *(input_record("table", path) for path in source.tables)],
        "title": source.title,
        "sources": source.sources,
        "settings": {
            "gravity_m_per_s2": mechanism.gravity,
            "start_s": solution.time_s[0],
            "end_s": solution.time_s[-1],
            "frames": len(solution.time_s),
            "statics": solution.statics,
        },
        "counts": {"nq": mechanism.n_coordinates, "nk": mechanism.n_kinematic, "nd": mechanism.n_drivers},
        "bodies": {b.name: {"mass_kg": b.mass, "inertia_kg_m2": b.inertia} for b in mechanism.bodies},
        "conventions": CONVENTIONS,
        "quality": checks(solution),
        "warnings": warnings,
    }
    return record_text(plain(content))


def run_mechanism(
    name: str, folder: Path, plot: Path | None, command: Sequence[str]
) -> tuple[Solution, list[Path], tuple[str, ...]]:
    """Solve a mechanism and write its files: all of them, or none.

    Parameters
    ----------
    name : str
        A path, or a bundled mechanism's name.
    folder : Path
        Made where absent.
    plot : Path or None
        A picture to draw, by matplotlib (PNG, SVG or PDF by its suffix).
    command : sequence of str
        For the record.

    Returns
    -------
    Solution, list of Path, tuple of str
        The result, the files written, and the warnings.

    Raises
    ------
    GaitidError
        The file is refused, the mechanism cannot be solved, or nothing can be written.
    """
    source = load_mechanism(find_mechanism(name))
    solution: Solution = named(source.path, lambda: solve(source.mechanism, source.time_s, source.statics))
    stem = source.path.stem
    warnings = (*source.warnings, *unknown_loads(solution))
    texts = {
        f"{stem}.motion.csv": motion_csv(solution),
        f"{stem}.loads.csv": loads_csv(solution),
        f"{stem}.mechanism.json": record(source, solution, warnings, command),
    }
    if plot is None:
        return solution, write_all(folder, texts), warnings
    load_matplotlib(f"{plot}: a picture")
    return solution, _write_both(folder, texts, plot, picture(source, solution, plot.suffix)), warnings


def _write_both(folder: Path, texts: Mapping[str, str], plot: Path, drawn: bytes) -> list[Path]:
    """The tables, and the picture in a folder of its own: it lies aside until the tables are in place."""
    aside = plot.with_name(f".{plot.name[:40]}.{os.getpid()}.aside")
    try:
        refuse_taken(plot)
        put_all(aside.parent, {aside.name: drawn})
    except OSError as error:
        raise WriteError(f"{plot}: cannot be written ({error.strerror or error})") from None
    try:
        return [*write_all(folder, texts, lambda: aside.replace(plot)), plot]
    finally:
        aside.unlink(missing_ok=True)


class Template(NamedTuple):
    """A file to copy and edit.

    Attributes
    ----------
    text : str
    tables : tuple of str
        Names of the tables that it reads in its own folder; of a bundled file only: `mechanism_template` gives them.
    """

    text: str
    tables: tuple[str, ...]


def mechanism_template(name: str) -> Template:
    """The text of a bundled mechanism, of a table that one reads (``gait_leg.csv``), or of a file.

    Raises
    ------
    ModelError
        There is none, or it cannot be read as text.
    """
    folder, path = bundled_folder("configs") / "mechanisms", Path(name)
    for given in (path, Path(f"{name}.yaml")):
        if is_file(given) and given.stat().st_size == 0:  # `show NAME > NAME.yaml` has just made it
            path = folder / given.name
    if not is_file(path) and path.suffix == ".csv" and path.name == name:
        path = folder / name
    if not is_file(path):
        path = find_mechanism(name)
    text = text_of(path)
    if path not in bundled_mechanisms().values():
        return Template(text, ())
    return Template(text, tuple(read.name for read in load_mechanism(path).tables))


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
        return picture_bytes([figure], suffix, dpi=120)


def _draw_bodies(axes: Axes, source: MechanismFile, solution: Solution) -> None:
    poses = poses_of(solution.q)
    names: list[tuple[Array, list[str]]] = []  # by place: a pin has one on each of its bodies, often the same
    for k, (body, pose) in enumerate(zip(solution.mechanism.bodies, poses[1:], strict=True)):
        colour = COLOURS[k % len(COLOURS)]
        points = {name: pose.point(s).value for name, s in body.points.items()}
        for path in points.values():
            axes.plot(path[:, 0], path[:, 1], color=colour, linewidth=0.8, alpha=0.45, zorder=1)
        for a, b in combinations(points, 2):
            ends = np.stack([points[a][0], points[b][0]])
            axes.plot(ends[:, 0], ends[:, 1], color=colour, linewidth=3.0, solid_capstyle="round", zorder=2)
        axes.plot(*pose.r.value[0], marker="+", color=INK, markersize=8, zorder=4)
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
                _draw_gear(axes, _first(poses[index], axle), radius, float(poses[index].phi.value[0]), colour)
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
    return np.asarray(pose.point(s).value[0])


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
