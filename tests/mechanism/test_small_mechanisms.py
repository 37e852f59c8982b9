"""Kinds of constraints, drivers and loads that no bundled mechanism has, each in one whose answer is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from solved_mechanisms import Solved, solved_file

from gaitid.mechanism.dynamics import checks, newton_residuals

Edited = Callable[[str, Mapping[str, Any]], Path]
G = 9.81
# Relative, of 1 to 100 N and N·m: rounding through matrices of condition 10.
EXACT = 1e-12


def written(folder: Path, content: Mapping[str, Any]) -> Solved:
    path = folder / "small.yaml"
    text = yaml.safe_dump({"gaitid_mechanism": 1, "gravity_m_per_s2": [0, -G], **content}, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return solved_file(path)


def close(found: np.ndarray, expected: np.ndarray | float, tolerance: float = EXACT) -> None:
    assert np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


def disc(name: str, x: float, phi: float = 0.0) -> dict[str, Any]:
    return {name: {"mass_kg": 1, "inertia_kg_m2": 0.02, "guess": {"x_m": x, "phi_rad": phi}, "points_m": {"P": [x, 0]}}}


# --- gears on a link ---------------------------------------------------------------------------------------


def test_planet_gear(tmp_path: Path) -> None:
    """A planet of 0.05 m rolls round a fixed sun of 0.10 m: it turns 1 + 0.10/0.05 = 3 times as fast as its arm."""
    one = written(
        tmp_path,
        {
            "time": {"end_s": 1, "rate_hz": 50},
            "bodies": disc("sun", 0)
            | {
                "arm": {
                    "mass_kg": 2,
                    "inertia_kg_m2": 0.01,
                    "points_m": {"O": [-0.075, 0], "P": [0.075, 0]},
                    "guess": {"x_m": 0.075, "phi_rad": 0},
                }
            }
            | disc("planet", 0.15),
            "constraints": {
                "fixed": {"type": "ground", "body": "sun", "x_m": 0, "y_m": 0, "phi_rad": 0},
                "axle": {"type": "revolute", "bodies": ["sun", "arm"], "points": ["G", "O"]},
                "pin": {"type": "revolute", "bodies": ["arm", "planet"], "points": ["P", "G"]},
                "gears": {
                    "type": "gear_pair_on_link",
                    "bodies": ["sun", "planet", "arm"],
                    "mesh": "external",
                    "radii_m": [0.10, 0.05],
                    "constant_rad": 0,
                },
            },
            "drivers": {
                "drive": {
                    "type": "relative_angle_driver",
                    "bodies": ["ground", "arm"],
                    "angle_rad": {"polynomial": [0, 0, 2.0]},
                }
            },
        },
    )
    t = one.solution.time_s
    close(one.q("planet")[:, 2], 3 * 2 * t**2)
    # the planet's angular acceleration is 12 rad/s²: the gear's torque on it, and K = −2 times it on the sun
    loads = {name: one.load("gears", k)[1] for k, name in enumerate(("sun", "planet", "arm"))}
    close(loads["planet"], 0.02 * 12)
    close(loads["sun"], 2 * loads["planet"])
    close(loads["arm"], -3 * loads["planet"])
    # what holds the sun in place bears all weight and inertia, and the gear's torque
    force, torque, _ = one.load("fixed", 0)
    close(torque, -2 * 0.02 * 12)
    inertia = sum(m * one.qdd(name)[:, :2] for name, m in (("arm", 2), ("planet", 1)))
    close(force, inertia + np.array([0, 4 * G]))


# --- a strut, a massless link ------------------------------------------------------------------------------


def test_a_strut_is_a_coupler_without_mass(edited: Edited) -> None:
    """`double_revolute` of the coupler's length against a massless coupler with two pins."""
    coupler = {"mass_kg": 0, "inertia_kg_m2": 0}
    linked = solved_file(edited("four_bar", {"bodies": {"coupler": coupler}}))
    strut = {"type": "double_revolute", "bodies": ["crank", "rocker"], "points": ["A", "B"], "length_m": 0.25}
    tied = solved_file(
        edited("four_bar", {"bodies": {"coupler": None}, "constraints": {"A": None, "B": None, "strut": strut}})
    )
    assert linked.source.warnings == ("coupler has no mass: its weight and inertia are left out",)
    close(tied.q("rocker"), linked.q("rocker"), 1e-12)
    close(tied.effort("crank_drive"), linked.effort("crank_drive"), 1e-11)
    for which, pin, side in ((0, "A", 0), (1, "B", 1)):
        force, torque, point = tied.load("strut", which)
        close(force, linked.load(pin, side)[0], 1e-11)
        close(torque, 0.0, 1e-11)
        close(point, linked.load(pin, side)[2])


# --- a driver along a line ---------------------------------------------------------------------------------


def test_scotch_yoke(tmp_path: Path) -> None:
    """A pin on a crank in an upright slot of a slide that is driven along x: cos θ = x/r, and Newton's law for both.

    The slot is given downwards and the pin is above its point: d is antiparallel to a throughout.
    """
    r, amplitude, hz = 0.1, 0.06, 1.5
    sine = {"amplitude": amplitude, "frequency_hz": hz}
    one = written(
        tmp_path,
        {
            "time": {"end_s": 1, "rate_hz": 90},
            "ground": {"points_m": {"O": [0, 0], "X": [1, 0]}},
            "bodies": {
                "crank": {"mass_kg": 1.5, "inertia_kg_m2": 0.004, "points_m": {"P": [r, 0]}, "guess": {"phi_deg": 80}},
                "slide": {
                    "mass_kg": 0.8,
                    "inertia_kg_m2": 0.001,
                    "points_m": {"X": [1, 0], "down": [0, -0.5]},
                    "guess": {"phi_deg": 0},
                },
            },
            "constraints": {
                "axle": {"type": "revolute", "bodies": ["ground", "crank"], "points": ["O", "G"]},
                "slot": {"type": "pin_in_slot", "bodies": ["slide", "crank"], "slot": ["G", "down"], "pin": "P"},
                "guide": {"type": "pin_in_slot", "bodies": ["ground", "slide"], "slot": ["O", "X"], "pin": "G"},
                "upright": {"type": "parallel", "bodies": ["ground", "slide"], "vectors": [["O", "X"], ["G", "X"]]},
            },
            "drivers": {
                "push": {
                    "type": "relative_position_driver",
                    "bodies": ["ground", "slide"],
                    "axis": ["O", "X"],
                    "point": "G",
                    "position_m": {"sines": [sine]},
                }
            },
        },
    )
    t, w = one.solution.time_s, 2 * np.pi * hz
    x, v, a = (amplitude * w**k * np.sin(w * t + k * np.pi / 2) for k in range(3))
    theta = np.arccos(x / r)
    close(one.q("slide")[:, 0], x)
    close(one.q("crank")[:, 2], theta)
    root = np.sqrt(r**2 - x**2)
    close(one.qd("crank")[:, 2], -v / root)
    alpha = -a / root - x * v**2 / root**3
    close(one.qdd("crank")[:, 2], alpha)
    # the pin pushes the crank along x only, with the arm r sin θ below it: I α = −r sin θ F
    on_crank, _, _ = one.load("slot", 1)
    close(on_crank[:, 1], 0.0)
    close(on_crank[:, 0], -0.004 * alpha / root)
    close(one.effort("push"), 0.8 * a + on_crank[:, 0])
    # the pin is r sin θ above the slide's own point, so the slot turns the slide about that point
    on_slide, about_own_point, point = one.load("slot", 0)
    close(on_slide, -on_crank)
    close(about_own_point, -root * on_slide[:, 0])
    close(point, one.q("slide")[:, :2])
    close(one.load("upright", 1)[1], -about_own_point)
    power = one.solution.driver_powers()[:, 0]
    close(power, one.effort("push") * v)


# --- loads -------------------------------------------------------------------------------------------------


def test_a_bar_held_still(tmp_path: Path) -> None:
    """A bar of 1 m at 30°: weight at its middle, a force at its end, a spring to the ground and one about its pin."""
    angle = np.pi / 6
    one = written(
        tmp_path,
        {
            "statics": True,
            "ground": {"points_m": {"O": [0, 0], "hook": [0, -1]}},
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
                "hold": {
                    "type": "relative_angle_driver",
                    "bodies": ["ground", "bar"],
                    "angle_deg": 20,
                    "constant_deg": 10,
                }
            },
            "loads": {
                "pull": {"type": "force", "body": "bar", "point": "E", "force_N": [3, 5]},
                "press": {"type": "force", "body": "bar", "at_m": [0.2, 0.1], "force_N": [0, -4]},
                "motor": {"type": "torque", "bodies": ["ground", "bar"], "torque_Nm": 1.5},
                "spring": {
                    "type": "spring",
                    "bodies": ["ground", "bar"],
                    "points": ["hook", "E"],
                    "stiffness_N_per_m": 100,
                    "free_length_m": 1,
                },
                "coil": {
                    "type": "torsion_spring",
                    "bodies": ["ground", "bar"],
                    "stiffness_Nm_per_rad": 6,
                    "free_angle_deg": 90,
                },
            },
        },
    )
    end = np.array([np.cos(angle), np.sin(angle)])
    stretched = end - np.array([0, -1])
    length = np.hypot(*stretched)
    spring = -100 * (length - 1) * stretched / length
    forces = [
        (end / 2, np.array([0, -2 * G])),
        (end, np.array([3.0, 5.0])),
        (np.array([0.2, 0.1]), np.array([0, -4.0])),
    ]
    forces.append((end, spring))
    moment = sum(p[0] * f[1] - p[1] * f[0] for p, f in forces) + 1.5 - 6 * (angle - np.pi / 2)
    close(one.effort("hold"), -moment)
    close(one.load("pin", 1)[0], -sum(f for _, f in forces))
    assert one.solution.time_s.tolist() == [0.0]
    assert np.abs(newton_residuals(one.solution)).max() < 1e-12 * 100  # N and N·m, of 100 N
    assert checks(one.solution)["power_residual_W"] is None


def test_a_body_that_is_fixed_needs_no_driver(tmp_path: Path) -> None:
    fixed = {"type": "ground", "body": "block", "x_m": 0.3, "y_m": 0, "phi_deg": 0}
    one = written(
        tmp_path,
        {
            "time": {"end_s": 1, "rate_hz": 50},
            "bodies": {"block": {"mass_kg": 2, "inertia_kg_m2": 0.1, "guess": {}}},
            "constraints": {"bolts": fixed},
        },
    )
    force, torque, _ = one.load("bolts", 0)
    close(force, np.array([0, 2 * G]))
    close(torque, 0.0)
    assert checks(one.solution)["power_max_W"] == 0.0


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


def test_rows_far_apart_stay_on_the_same_way_of_putting_it_together(edited: Edited, bundled: Any) -> None:
    """Five rows a turn, between which the crank turns by 72°, against every 72nd of 360."""
    coarse = solved_file(edited("four_bar", {"time": {"rate_hz": 5}}))
    close(coarse.solution.q, bundled("four_bar").solution.q[::72], 1e-12)


def test_the_guess_chooses_the_way(edited: Edited, bundled: Any) -> None:
    crossed = solved_file(
        edited(
            "four_bar",
            {
                "bodies": {
                    "coupler": {"guess": {"y_m": -0.1, "phi_deg": -45}},
                    "rocker": {"guess": {"y_m": -0.13, "phi_deg": -100}},
                }
            },
        )
    )
    pin = crossed.point("coupler", "B")
    assert (pin[:, 1] < 0).all() and (bundled("four_bar").point("coupler", "B")[:, 1] > 0).all()
    assert np.abs(np.hypot(pin[:, 0] - 0.35, pin[:, 1]) - 0.30).max() < 1e-12  # m
