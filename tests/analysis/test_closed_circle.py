"""Closed circles: what was simulated, analysed, gives back what was applied.

First on the exact kinematics, by every solver; then on the trial's markers, through the command line.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated_trials import simulated_chain as simulated

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.simulate.body import JOINTS, SIDES
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.chain_state import ChainState, chain_state
from gaitid.simulate.scenario_file import load_scenario
from gaitid.simulate.walk import JOINT_SEGMENTS
from gaitid.simulate.walk_setup import simulate_walk

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import closed_circle

Array = NDArray[np.float64]
every_solver = pytest.mark.parametrize("solver", SOLVERS)
FOLDER = Path(__file__).parents[1] / "simulate" / "scenarios"
#: Names and files: free and driven, planar and in space, a fork with a slide, external loads and friction.
CHAINS = (
    "double_pendulum",
    "nlink_limb",
    "swing_leg",
    "swing_leg_tracked",
    *(str(FOLDER / f"{name}.yaml") for name in ("fork", "whole_body", "joints")),
)


def links(scenario: ChainScenario, state: ChainState) -> Chain:
    """The chain from its free ends to the ground, with its exact motion and external loads."""
    n, found = len(scenario.bodies), []
    for i, body in reversed(list(enumerate(scenario.bodies))):
        pushes = [push for push in scenario.pushes if push.body == i]
        assert all(push.point_b is None and not push.turns for push in pushes)  # all in the laboratory
        f = [push.at(state.time_s) for push in pushes]
        found.append(
            Link(
                body.mass_kg,
                body.inertia_b,
                state.rotation[body.name],
                state.com_g[body.name],
                state.acceleration_g[body.name],
                state.omega_g[body.name],
                state.alpha_g[body.name],
                state.joint_g[body.joint.name],
                Wrench(*f[0]) if f else None,
            )
        )
    return Chain(found, [None if body.parent < 0 else n - 1 - body.parent for body in reversed(scenario.bodies)])


def largest(values: Array) -> float:
    return float(np.abs(values).max())


@every_solver
@pytest.mark.parametrize("name", CHAINS)
def test_exact_kinematics_give_back_the_applied_torques(name: str, solver: str) -> None:
    scenario, state = simulated(name)
    wrenches = SOLVERS[solver](links(scenario, state), scenario.gravity_g)[::-1]
    applied = state.simulation.tau + state.friction
    moved = scenario.tree, state.simulation.q
    k = 0
    for body, wrench in zip(scenario.bodies, wrenches, strict=True):
        force, moment = state.wrench[body.joint.name]
        # N, N·m: rounding of sums over the bodies beyond, against the largest load in the chain
        scale = max(1.0, *(largest(w.f_g) for w in wrenches), *(largest(w.m_g) for w in wrenches))
        np.testing.assert_allclose(wrench.f_g, force, rtol=0, atol=1e-9 * scale)
        np.testing.assert_allclose(wrench.m_g, moment, rtol=0, atol=1e-9 * scale)
        for kind in body.joint.kinds:
            along = np.sum(axes_g(*moved)[k] * (wrench.m_g if kind == "revolute" else wrench.f_g), axis=1)
            np.testing.assert_allclose(along, applied[:, k], rtol=0, atol=1e-9 * scale)
            k += 1
    assert k == len(scenario.coordinates)


def axes_g(tree: object, q: Array) -> list[Array]:
    """Each coordinate's axis (frames, 3), laboratory axes, by the joint-space library."""
    from gaitid.dynamics.joint_space import motion
    from gaitid.dynamics.joint_tree import JointTree

    assert isinstance(tree, JointTree)
    axis = motion(tree, q).axis_g
    return [axis[:, i] for i in range(len(tree))]


@every_solver
def test_the_walk_s_exact_kinematics_give_back_its_wrenches(solver: str) -> None:
    walk = simulate_walk()
    state, subject = walk.at(walk.settings.times_s), walk.subject
    for side in SIDES:
        load = state.load[side]
        cop = np.where(np.isfinite(load.cop_g), load.cop_g, 0.0)
        found = []
        for joint in JOINTS:
            segment = JOINT_SEGMENTS[joint][0]
            name = f"{side}_{segment}"
            found.append(
                Link(
                    subject.segment_mass_kg(segment),
                    subject.inertia_s(side, segment),
                    state.rotation[name],
                    state.com_g[name],
                    state.acceleration_g[name],
                    state.omega_g[name],
                    state.alpha_g[name],
                    state.joint_g[f"{side}_{joint}"],
                    Wrench(load.force_g, load.free_moment_g, cop) if segment == "foot" else None,
                )
            )
        solved = SOLVERS[solver](Chain(found), np.array([0.0, 0.0, -9.81]))
        for joint, wrench in zip(JOINTS, solved, strict=True):
            force, moment = state.wrench[side, joint]
            np.testing.assert_allclose(wrench.f_g, force, rtol=0, atol=1e-9 * 1e3)  # N, of about 1 kN
            np.testing.assert_allclose(wrench.m_g, moment, rtol=0, atol=1e-9 * 1e2)  # N·m, of about 100 N·m


# --- through markers, files and the command line -----------------------------------------------------------


@pytest.fixture(scope="module")
def followed() -> tuple[ChainScenario, ChainState]:
    """A leg that follows harmonics up to 6 Hz, at the highest rate."""
    scenario = load_scenario(closed_circle.SCENARIO, {"rate_hz": 200.0, "duration": 1.5})
    assert isinstance(scenario, ChainScenario)
    return scenario, chain_state(scenario)


def test_the_error_falls_with_the_fourth_power_of_the_rate(
    followed: tuple[ChainScenario, ChainState], tmp_path: Path
) -> None:
    # A quintic spline's second derivative is off by h⁴ (de Boor 2001, A Practical Guide to Splines, chapter XII:
    # h^(k − m) with order k = 6 and m = 2); near a free end by h, as its third derivative is held to zero there.
    found = {rate: closed_circle.in_memory(tmp_path, *followed, every=200 // rate) for rate in (50, 100, 200)}
    for row in closed_circle.ROWS:
        middle = closed_circle.slopes([found[rate][row][0] for rate in (50, 100, 200)])
        assert min(middle) > 3.8, (row, middle)
        ends = closed_circle.slopes([found[rate][row][1] for rate in (50, 100, 200)])
        assert min(ends) > 0.7, (row, ends)


def test_the_command_line_gives_back_the_applied_loads(tmp_path: Path) -> None:
    found = closed_circle.through_files(tmp_path, 100, "--duration", 1.0)
    for row, (middle, anywhere) in found.items():
        # N, N·m: forces reach 160 N and moments 50 N·m. Measured: 8e-5 and 4e-5 in the middle, 0.08 and 0.05 four
        # frames from an end.
        assert middle < 2e-4, row
        assert anywhere < 0.2, row


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fork with a slide and a spherical joint, without what the trial does not record: the external load."""
    folder = tmp_path_factory.mktemp("fork")
    text = (FOLDER / "fork.yaml").read_text(encoding="utf-8")
    before, _, after = text.partition("loads:\n")
    (folder / "fork.yaml").write_text(before + after[after.index("settings:") :], encoding="utf-8")
    closed_circle.gaitid("simulate", folder / "fork.yaml", "-o", folder)
    return folder
