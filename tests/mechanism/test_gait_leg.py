"""The sagittal gait leg: the same joint loads as the solvers of chains in three dimensions."""

from __future__ import annotations

from collections.abc import Callable

import gait_leg_table
import numpy as np
import pytest
from solved_mechanisms import Solved

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.newton_euler import SOLVERS

Bundled = Callable[[str], Solved]


def three(xy: np.ndarray) -> np.ndarray:
    """A planar vector in space, with z out of the plane."""
    return np.concatenate([xy, np.zeros((len(xy), 1))], axis=1)


def out(z: np.ndarray) -> np.ndarray:
    return np.stack([0 * z, 0 * z, z], axis=1)


@pytest.fixture
def chain(bundled: Bundled) -> Chain:
    """Foot, shank and thigh with the motion of the mechanism and the table's ground reaction."""
    one = bundled("gait_leg")
    _, _, _, _, _, _, force_x, force_y, cop_x, cop_y = gait_leg_table.table().T
    ground = Wrench(
        three(np.stack([force_x, force_y], axis=1)), np.zeros((111, 3)), three(np.stack([cop_x, cop_y], axis=1))
    )
    links = []
    for name, joint in (("foot", "ankle"), ("shank", "knee"), ("thigh", "hip")):
        body = next(b for b in one.source.mechanism.bodies if b.name == name)
        phi, zero = one.q(name)[:, 2], np.zeros(111)
        R = np.stack([np.cos(phi), -np.sin(phi), zero, np.sin(phi), np.cos(phi), zero, zero, zero, zero + 1], axis=1)
        links.append(
            Link(
                mass=body.mass,
                # the two moments about axes in the plane play no part
                inertia_s=np.diag([0.4, 0.8, 1.0]) * body.inertia,
                R_gs=R.reshape(-1, 3, 3),
                com_g=three(one.q(name)[:, :2]),
                acc_g=three(one.qdd(name)[:, :2]),
                omega_g=out(one.qd(name)[:, 2]),
                alpha_g=out(one.qdd(name)[:, 2]),
                joint_g=three(one.point(name, joint)),
                external=ground if name == "foot" else None,
            )
        )
    return Chain(links)


@pytest.mark.parametrize("solver", list(SOLVERS))
def test_joint_loads_are_those_of_the_chain_in_space(solver: str, chain: Chain, bundled: Bundled) -> None:
    one = bundled("gait_leg")
    ankle, knee, hip = SOLVERS[solver](chain, np.array([0.0, -9.81, 0.0]))
    hip_force = one.load("hip_x", 1)[0] + one.load("hip_y", 1)[0]
    found = {
        "ankle": (ankle, one.load("ankle", 1)[0], one.effort("ankle_angle")),
        "knee": (knee, one.load("knee", 1)[0], one.effort("knee_angle")),
        "hip": (hip, hip_force, one.effort("hip_angle")),
    }
    for joint, (wrench, force, torque) in found.items():
        # relative, of 700 N and 100 N·m: two solutions of the same equations
        assert np.abs(wrench.f_g - three(force)).max() < 1e-9 * np.abs(wrench.f_g).max(), joint
        assert np.abs(wrench.m_g - out(torque)).max() < 1e-9 * np.abs(wrench.m_g).max(), joint


def test_the_motion_is_that_of_the_table(bundled: Bundled) -> None:
    one, table = bundled("gait_leg"), gait_leg_table.table()
    assert np.abs(one.point("thigh", "hip") - table[:, 1:3]).max() < 1e-9  # m, written with ten digits
    thigh, shank, foot = (np.degrees(one.q(name)[:, 2]) for name in ("thigh", "shank", "foot"))
    for found, column in ((thigh, 3), (shank - thigh, 4), (foot - shank, 5)):
        assert np.abs(found - table[:, column]).max() < 1e-7  # degrees, likewise
    # the quintic spline against the sines that were sampled, away from its ends
    turn = 2 * np.pi * table[:, 0] / gait_leg_table.STRIDE_S
    rate = np.radians(-20 * np.sin(turn - 0.1) + 6 * np.sin(2 * turn)) * 2 * np.pi / gait_leg_table.STRIDE_S
    assert np.abs(one.qd("thigh")[20:-20, 2] - rate[20:-20]).max() < 1e-6  # rad/s
