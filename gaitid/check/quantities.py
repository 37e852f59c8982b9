"""Which quantity a column of a table holds, by the unit at its name's end: what tolerances are given for."""

from __future__ import annotations

import numpy as np

from gaitid.trial import Array

# Endings of columns and the quantity of each; the first that fits. Other columns hold words, or figures of no result.
_ENDINGS = (
    ("_Nms_per_kg", "impulse_Nms_per_kg"),
    ("_J_per_kg", "work_J_per_kg"),
    ("_BW_per_s", "rate_BW_per_s"),
    ("_BW_s", "impulse_BW_s"),
    ("_BW", "force_BW"),
    ("_N_per_kg", "force_N_per_kg"),
    ("_Nm_per_kg", "moment_Nm_per_kg"),
    ("_W_per_kg", "power_W_per_kg"),
    ("_rad_per_s", "omega_rad_per_s"),
    ("_rad_per_s2", "alpha_rad_per_s2"),
    ("_m_per_s", "speed_m_per_s"),
    ("_m_per_s2", "acceleration_m_per_s2"),
    ("_steps_per_min", "cadence_steps_per_min"),
    ("_percent", "share_percent"),
    ("_deg", "angle_deg"),
    ("_Nm", "moment_Nm"),
    ("_N", "force_N"),
    ("_m", "position_m"),
    ("_s", "time_s"),
    *((f"_q{c}", "quaternion_1") for c in "wxyz"),
)
_UNITS = {
    "Nm": "N·m",
    "Nm_per_kg": "N·m/kg",
    "Nms_per_kg": "N·m·s/kg",
    "J_per_kg": "J/kg",
    "BW_per_s": "BW/s",
    "BW_s": "BW·s",
    "N_per_kg": "N/kg",
    "W_per_kg": "W/kg",
    "rad_per_s": "rad/s",
    "rad_per_s2": "rad/s²",
    "m_per_s": "m/s",
    "m_per_s2": "m/s²",
    "steps_per_min": "steps/min",
    "percent": "%",
    "1": "",
}


def quantity_of(column: str) -> str:
    """The quantity of a column; empty where it holds none."""
    return next((quantity for ending, quantity in _ENDINGS if column.endswith(ending)), "")


def unit_of(quantity: str) -> str:
    """The unit of a quantity, as people write it."""
    unit = quantity.partition("_")[2]
    return _UNITS.get(unit, unit)


def amount(size: float, quantity: str) -> str:
    """A value with its unit."""
    return f"{size:.3g} {unit_of(quantity)}".strip()


def distance(a: Array, b: Array, quantity: str) -> Array:
    """How far values lie apart: angles on the circle, quaternions whatever their sign."""
    difference: Array = np.abs(a - b)
    if quantity == "angle_deg":
        difference = np.minimum(difference, np.abs(360 - difference))  # an angle that wraps has not moved
    if quantity == "quaternion_1":
        difference = np.minimum(difference, np.abs(a + b))  # q and -q are the same orientation
    return difference
