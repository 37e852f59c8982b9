"""Chains of planar, universal, free and fixed joints, given bases and links without mass: what physics alone asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from gaitid.dynamics.joint_space import motion
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.chain_state import ChainState, chain_state
from gaitid.simulate.scenario_file import load_scenario

Array = NDArray[np.float64]
TOP = np.diag([0.03, 0.05, 0.07])  # kg·m²


def body(
    name: str, parent: str, joint: dict[str, Any], mass: float, inertia: Any = (0.01, 0.012, 0.006)
) -> dict[str, Any]:
    """A body; without mass it has no more than a joint and a far end."""
    entry: dict[str, Any] = {
        "name": name,
        "parent": parent,
        "joint": joint,
        "distal_m": [0.1, 0, -0.3],
        "mass_kg": mass,
    }
    if mass:
        entry |= {"com_m": [0.02, -0.03, -0.1], "inertia_kg_m2": [float(x) for x in inertia]}
    return entry


def simulated(tmp_path: Path, content: dict[str, Any]) -> tuple[ChainScenario, ChainState]:
    path = tmp_path / "mine.yaml"
    content = {"gaitid_scenario": 1, "kind": "chain", "name": "mine", **content}
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    scenario = load_scenario(str(path), {})
    assert isinstance(scenario, ChainScenario)
    return scenario, chain_state(scenario)


FLOATING = {
    "gravity_m_per_s2": 0,
    "bodies": [
        body("trunk", "ground", {"name": "flight", "type": "free", "sequence": "zyx"}, 3),
        body("pack", "trunk", {"name": "strap", "type": "fixed", "at_m": [-0.1, 0, 0.1]}, 0.8),
        body("carriage", "trunk", {"name": "rail", "type": "prismatic", "axis": [1, 0, 0], "at_m": [0, 0.1, 0]}, 0),
        body("leg", "carriage", {"name": "hip", "type": "universal", "sequence": "yx"}, 1.2),
        body("plate", "trunk", {"name": "table", "type": "planar", "sequence": "y", "at_m": [0, -0.2, 0]}, 0.7),
        body("arm", "plate", {"name": "shoulder", "type": "revolute", "axis": [1, 0.5, 0]}, 0.5),
    ],
    "start": {
        "flight_1x": {"speed_m_per_s": 0.4},
        "flight_4z": {"rate_rad_per_s": 1.5},
        "flight_6x": {"rate_rad_per_s": -0.8},
        "hip_1y": {"angle_rad": 0.3, "rate_rad_per_s": 2},
        "hip_2x": {"rate_rad_per_s": -1},
        "rail": {"speed_m_per_s": 0.2},
        "table_1x": {"speed_m_per_s": 0.3},
        "table_3y": {"rate_rad_per_s": 3},
        "shoulder": {"rate_rad_per_s": -4},
    },
    # between the bodies: none of it changes the momentum of all
    "drive": {
        "kind": "torques",
        "torques": {"hip_1y": {"level_Nm": 0.4}, "rail": {"level_N": 1}, "table_2z": {"level_N": -0.5}},
    },
    "friction": {"shoulder": {"viscous_Nms_per_rad": 0.05, "coulomb_Nm": 0.1}},
    "settings": {"duration": 0.4, "rate_hz": 50},
}


def test_motors_and_friction_between_bodies_change_no_momentum(tmp_path: Path) -> None:
    """Newton's third law: linear and angular momentum of a tree that floats freely, and its energy's account."""
    scenario, state = simulated(tmp_path, FLOATING)
    s, tree = state.simulation, scenario.tree
    moved = motion(tree, s.q, s.qd)
    linear = np.einsum("k,tki->ti", tree.mass[:, 0], moved.vel_g)
    spin = np.einsum("tkij,kjl,tkml,tkm->tki", moved.R_gb, tree.inertia_b, moved.R_gb, moved.omega_g)
    angular = (spin + np.cross(moved.com_g, tree.mass * moved.vel_g)).sum(axis=1)
    assert np.abs(linear).max() > 1 and np.abs(angular).max() > 0.05
    np.testing.assert_allclose(linear, np.broadcast_to(linear[0], linear.shape), rtol=0, atol=1e-10)  # kg·m/s
    np.testing.assert_allclose(angular, np.broadcast_to(angular[0], angular.shape), rtol=0, atol=1e-10)  # kg·m²/s
    # and nothing holds the trunk: the wrench above it is 0, found from rates of momentum without the tree
    force, moment = state.wrench["flight"]
    assert max(np.abs(force).max(), np.abs(moment).max()) < 1e-11  # N, N·m
    assert s.energy_drift < 1e-11
    assert np.ptp(s.kinetic_J) > 0.1  # J: the motors did work, and the account has it


@pytest.mark.parametrize("sequence", ["xyz", "zxy"])
def test_a_torque_free_top_obeys_euler(sequence: str, tmp_path: Path) -> None:
    """An asymmetric top: I ω̇ = −ω × I ω in its own axes, solved by itself; its angular momentum stays."""
    first, second, third = (f"spin_{i}{x}" for i, x in enumerate(sequence, start=4))
    top = body("top", "ground", {"name": "spin", "type": "free", "sequence": sequence}, 1, np.diag(TOP)) | {
        "com_m": [0, 0, 0]
    }
    rates = {first: {"rate_rad_per_s": 0.2}, second: {"rate_rad_per_s": 5.0}, third: {"rate_rad_per_s": -0.1}}
    settings = {"duration": 0.25, "rate_hz": 100}
    _, state = simulated(tmp_path, {"gravity_m_per_s2": 0, "bodies": [top], "start": rates, "settings": settings})
    R, w_g = state.rotation["top"], state.omega_g["top"]
    w_b = np.einsum("tij,ti->tj", R, w_g)

    def euler(t: float, w: Array) -> Array:
        return np.asarray(np.linalg.solve(TOP, -np.cross(w, TOP @ w)))

    times = state.time_s
    alone = solve_ivp(euler, (0, times[-1]), w_b[0], "DOP853", times, rtol=1e-12, atol=1e-12).y.T
    np.testing.assert_allclose(w_b, alone, rtol=0, atol=1e-9)  # rad/s
    momentum = np.einsum("tij,jk,tk->ti", R, TOP, w_b)
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), rtol=0, atol=1e-11)  # kg·m²/s
    assert np.abs(w_b - w_b[0]).max() > 0.01  # it does tumble


ROOM: dict[str, Any] = {
    "bodies": [
        body("base", "ground", {"name": "floor", "type": "planar", "sequence": "z", "at_m": [0.5, 0.2, 0]}, 4),
        body("carriage", "base", {"name": "rail", "type": "prismatic", "axis": [0, 1, 0]}, 0),
        body("arm", "carriage", {"name": "gimbal", "type": "universal", "sequence": "yx"}, 1.1),
        body("tool", "arm", {"name": "mount", "type": "fixed"}, 0.3),
        body("bird", "ground", {"name": "flight", "type": "free", "sequence": "zyx", "at_m": [-1, 0.3, 2]}, 0.6),
    ],
    "given": {"floor_1x": {"sines": [{"amplitude_m": 0.1, "frequency_hz": 1}]}},
    "start": {
        "floor_3z": {"rate_rad_per_s": 1},
        "gimbal_1y": {"angle_rad": 0.4, "rate_rad_per_s": 1},
        "flight_4z": {"rate_rad_per_s": 2},
        "flight_5y": {"rate_rad_per_s": 1},
        "flight_3z": {"speed_m_per_s": 2},
    },
    "friction": {"rail": {"viscous_Ns_per_m": 4}},
    "settings": {"duration": 0.5, "rate_hz": 50},
}


def in_a_room(turned_rad: float) -> dict[str, Any]:
    """The same in a laboratory whose axes lie otherwise: what stands on the ground, and loads in its axes, turn."""
    c, s = np.cos(turned_rad), np.sin(turned_rad)

    def turned(x: float, y: float) -> tuple[float, float]:
        return float(c * x - s * y), float(s * x + c * y)

    bodies = []
    for entry in ROOM["bodies"]:
        joint = dict(entry["joint"])
        if entry["parent"] == "ground":
            x, y, z = joint["at_m"]
            joint |= {"at_m": [*turned(x, y), z], "rest_turned": [{"z_rad": turned_rad}]}
        bodies.append(entry | {"joint": joint})
    fx, fy = turned(2, -1)
    px, py = turned(0.3, 0.1)
    loads = [
        {
            "body": "tool",
            "force": {"x": {"level_N": fx}, "y": {"level_N": fy}},
            "point": {"x": {"level_m": px}, "y": {"level_m": py}},
        },
        {"body": "tool", "axes": "body", "force": {"x": {"level_N": 3}}, "at_m": [0.1, 0, -0.3]},
        {"body": "bird", "force": {"z": {"level_N": 4}}, "at_m": [0, 0.1, 0]},
    ]
    return ROOM | {"bodies": bodies, "loads": loads}


def test_a_turned_laboratory_turns_what_is_in_it(tmp_path: Path) -> None:
    _, here = simulated(tmp_path, in_a_room(0.0))
    _, there = simulated(tmp_path, in_a_room(0.7))
    np.testing.assert_allclose(there.simulation.q, here.simulation.q, rtol=0, atol=1e-10)  # rad and m
    c, s = np.cos(0.7), np.sin(0.7)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    for joint, (force, moment) in here.wrench.items():
        for one, other in ((force, there.wrench[joint][0]), (moment, there.wrench[joint][1])):
            np.testing.assert_allclose(other, one @ R.T, rtol=0, atol=1e-9, err_msg=joint)  # N, N·m of up to 60
    assert np.abs(here.wrench["rail"][0]).max() > 5
