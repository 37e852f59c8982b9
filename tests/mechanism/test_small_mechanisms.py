"""Kinds of constraints, drivers and loads that no bundled mechanism has, each in one whose answer is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from solved_mechanisms import Solved, solved_file

from gaitid.mechanism.dynamics import checks

G = 9.81


def written(folder: Path, content: Mapping[str, Any]) -> Solved:
    path = folder / "small.yaml"
    text = yaml.safe_dump({"gaitid_mechanism": 1, "gravity_m_per_s2": [0, -G], **content}, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return solved_file(path)


# --- gears on a link ---------------------------------------------------------------------------------------


# --- a strut, a massless link ------------------------------------------------------------------------------


# --- a driver along a line ---------------------------------------------------------------------------------


# --- loads -------------------------------------------------------------------------------------------------


def test_springs_and_dampers_take_the_power_that_they_store_and_lose(tmp_path: Path) -> None:
    """A bar driven to and fro against springs and dampers: what the drive supplies over a period the dampers lose.

    Both sums are trapezoidal over a whole period: exact for smooth periodic functions.
    """
    one = written(
        tmp_path,
        {
            "time": {"end_s": 1, "rate_hz": 400},
            "ground": {"points_m": {"O": [0, 0], "hook": [0.3, -1]}},
            "bodies": {
                "bar": {
                    "mass_kg": 2,
                    "inertia_kg_m2": "2/12",
                    "points_m": {"O": [-0.5, 0], "E": [0.5, 0]},
                    "guess": {"x_m": 0.4, "phi_deg": 20},
                }
            },
            "constraints": {"pin": {"type": "revolute", "bodies": ["ground", "bar"], "points": ["O", "O"]}},
            "drivers": {
                "swing": {
                    "type": "relative_angle_driver",
                    "bodies": ["ground", "bar"],
                    "angle_rad": {"sines": [{"amplitude": 0.5, "frequency_hz": 1}]},
                }
            },
            "loads": {
                "spring": {
                    "type": "spring",
                    "bodies": ["ground", "bar"],
                    "points": ["hook", "E"],
                    "stiffness_N_per_m": 200,
                    "free_length_m": 0.5,
                    "damping_N_s_per_m": 8,
                },
                "coil": {
                    "type": "torsion_spring",
                    "bodies": ["ground", "bar"],
                    "stiffness_Nm_per_rad": 6,
                    "damping_Nm_s_per_rad": 0.7,
                },
            },
        },
    )
    phi, omega = one.q("bar")[:-1, 2], one.qd("bar")[:-1, 2]
    end, velocity = np.stack([np.cos(phi), np.sin(phi)]), omega * np.stack([-np.sin(phi), np.cos(phi)])
    d = end - np.array([[0.3], [-1.0]])
    lengthening = (d * velocity).sum(axis=0) / np.sqrt((d**2).sum(axis=0))
    lost = (8 * lengthening**2 + 0.7 * omega**2).sum() / 400
    assert lost > 1.0  # J
    assert one.solution.driver_powers()[:-1].sum() / 400 == pytest.approx(lost, rel=1e-11)
    assert one.solution.load_powers()[:-1].sum() / 400 == pytest.approx(-lost, rel=1e-11)
    found = checks(one.solution)
    assert found["power_residual_W"] is not None and found["power_max_W"] is not None
    assert found["power_residual_W"] < 1e-8 * found["power_max_W"]  # the spline's derivative at 400 rows a period


# --- the way of putting it together ------------------------------------------------------------------------
