"""``NAME.motion.csv``, ``NAME.loads.csv`` and ``NAME.mechanism.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gaitid.inputs import input_record
from gaitid.mechanism.body import COORDINATES, GROUND
from gaitid.mechanism.dynamics import Solution, checks
from gaitid.mechanism.file import MechanismFile
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
