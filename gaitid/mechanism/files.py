"""`gaitid mechanism` as a function: one file in, its motion and loads out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.disk.atomic import put_all, refuse_taken, write_all
from gaitid.drawing import load_matplotlib
from gaitid.errors import WriteError
from gaitid.inputs import input_record, named
from gaitid.mechanism.body import COORDINATES, GROUND
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
    name: str, folder: Path, plot: Path | None = None, command: Sequence[str] = ()
) -> tuple[Solution, list[Path], tuple[str, ...]]:
    """Solve a mechanism and write its files: all of them, or none.

    Parameters
    ----------
    name : str
        A path, or a bundled mechanism's name.
    folder : Path
        Made where absent.
    plot : Path, optional
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
    from gaitid.mechanism.picture import picture

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
