"""Mechanical systems: their motion against closed forms, their truth against a second way to compute it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated_trials import simulated_chain as simulated

from gaitid.dynamics.joint_space import motion
from gaitid.read import read_trial
from gaitid.simulate.chain import ChainScenario, at_all
from gaitid.simulate.files import simulate

Array = NDArray[np.float64]
#: Bodies that others are fixed to: the tree's centre of mass is that of all of them.
CARRYING = ("trunk", "boom", "jib")
FOLDER = Path(__file__).parent / "scenarios"
FORK, WHOLE_BODY, JOINTS = (str(FOLDER / f"{name}.yaml") for name in ("fork", "whole_body", "joints"))
CARRIED = str(FOLDER / "carried.yaml")
CHAINS = ("double_pendulum", "nlink_limb", "swing_leg", "swing_leg_tracked", FORK, WHOLE_BODY, JOINTS, CARRIED)
every_chain = pytest.mark.parametrize("name", CHAINS)


# --- the truth ---------------------------------------------------------------------------------------------


@every_chain
def test_two_ways_to_the_same_motion(name: str) -> None:
    scenario, state = simulated(name)
    s = state.simulation
    moved = motion(scenario.tree, s.q, s.qd, s.qdd)
    for body, (k, *_) in zip(scenario.bodies, scenario.places, strict=True):
        if not body.joint.coordinates:  # fixed: it is one body with another
            continue
        # SI units; rounding of products of at most 60 rad/s² and m/s²
        for one, other in (
            (state.rotation, moved.R_gb),
            (state.com_g, moved.com_g),
            (state.acceleration_g, moved.acc_g),
            (state.omega_g, moved.omega_g),
            (state.alpha_g, moved.alpha_g),
        ):
            if body.name not in CARRYING or not (one is state.com_g or one is state.acceleration_g):
                np.testing.assert_allclose(one[body.name], other[:, k], rtol=0, atol=1e-11)
        np.testing.assert_allclose(state.joint_g[body.joint.name], moved.origin_g[:, k], rtol=0, atol=1e-12)


@every_chain
def test_markers_keep_their_places_in_the_body(name: str) -> None:
    scenario, state = simulated(name)
    for body in scenario.bodies:
        r, o = state.rotation[body.name], state.joint_g[body.joint.name]
        for label, p in body.marker_b.items():
            in_body = np.einsum("tij,ti->tj", r, state.marker_g[label] - o)
            np.testing.assert_allclose(in_body, np.broadcast_to(p, in_body.shape), atol=1e-14)  # m


# --- closed forms ------------------------------------------------------------------------------------------


def test_the_n_link_limb_needs_only_centripetal_forces() -> None:
    _scenario, state = simulated("nlink_limb")
    t = state.time_s
    np.testing.assert_allclose(state.simulation.qd, np.broadcast_to([1.0, 2.0, 4.0], (t.size, 3)), atol=1e-10)  # rad/s
    # Absolute rates 1, 3, 7 rad/s: every point on a link goes round the link's joint with ω² r towards it.
    e = [np.stack([-np.sin(w * t), np.cos(w * t), 0 * t], axis=1) for w in (1.0, 3.0, 7.0)]
    l, m, w = (0.8, 0.6, 0.4), (0.7, 0.5, 0.3), (1.0, 9.0, 49.0)
    force = np.zeros((t.size, 3))
    for k in (2, 1, 0):
        inner = sum((w[i] * l[i] * e[i] for i in range(k)), np.zeros((t.size, 3)))
        force = force - m[k] * (inner + 0.5 * w[k] * l[k] * e[k])
        np.testing.assert_allclose(state.wrench[f"joint{k}"][0], force, atol=1e-9)  # N; angles are true to 1e-11


def test_a_tracked_leg_follows_its_pattern() -> None:
    scenario, state = simulated("swing_leg_tracked")
    desired = at_all(scenario.drive.courses, state.time_s)
    for k, found in enumerate((state.simulation.q, state.simulation.qd, state.simulation.qdd)):
        # rad, and per s and s²; the tolerance of 1e-12 a step times the gains of 400/s² and 40/s
        np.testing.assert_allclose(found, desired[k], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(scenario.q0, desired[0][0])


def test_an_external_load_does_what_a_force_plate_would_say() -> None:
    scenario, state = simulated(FORK)
    push = scenario.pushes[0]
    force = at_all(push.force, state.time_s)[0]
    mass = {body.name: body.mass_kg for body in scenario.bodies}
    weight = np.array([0, 0, -9.81])
    total = sum(m * (state.acceleration_g[name] - weight) for name, m in mass.items())
    # Newton for the whole system: the rail's force and the load's
    np.testing.assert_allclose(state.wrench["rail"][0] + force, total, atol=1e-11)  # N
    assert force[45, 2] > 7 and np.abs(force[:, 0] - 2).max() == 0


# --- what would have no end -----------------------------------------------------------------------------------------


# --- the files ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Its files, as they are without faults."""
    return tuple(simulate(FORK, tmp_path_factory.mktemp("fork")))


def test_files_hold_the_trial_and_the_truth(fork: tuple[Path, ...]) -> None:
    _scenario, state = simulated(FORK)
    folder = fork[0].parent
    assert sorted(path.name for path in fork) == sorted(path.name for path in folder.iterdir())
    for name in ("fork.c3d", "fork.csv"):
        trial = read_trial(folder / name)
        assert trial.rate_hz == 100
        for label, p in state.marker_g.items():
            # m: 32-bit floats of 2 m, or ten digits of 2000 mm
            np.testing.assert_allclose(trial.marker(label), p, rtol=0, atol=2e-7)
        assert np.ptp(trial.marker("GROUND2"), axis=0).max() == 0
    columns = (folder / "fork.truth.coordinates.csv").read_text().split("\n")[0].split(",")
    assert {"rail_position_m_per_s2", "rail_drive_N", "shoulder_3z_angle_rad", "wrist_friction_Nm"} <= set(columns)


# --- kinds of joints, and what moves as given ----------------------------------------------------------------------


def test_what_moves_as_given_does_so_exactly() -> None:
    scenario, state = simulated(JOINTS)
    names = list(scenario.coordinates)
    assert names[:3] == ["lift_1z", "lift_2y", "lift_3x"]
    for i, course in scenario.given.items():
        for k, found in enumerate((state.simulation.q, state.simulation.qd, state.simulation.qdd)):
            np.testing.assert_array_equal(found[:, i], course.at(state.time_s)[k])
    assert np.abs(state.simulation.tau[:, :3]).max() > 1  # N·m; what moves it so is told


def test_a_free_body_falls_and_keeps_its_spin() -> None:
    scenario, state = simulated(JOINTS)
    t, bird = state.time_s, next(body for body in scenario.bodies if body.name == "bird")
    np.testing.assert_allclose(state.acceleration_g["bird"], np.broadcast_to([0, 0, -9.81], (t.size, 3)), atol=1e-10)
    R = state.rotation["bird"]
    spin = np.einsum("tij,jk,tlk,tl->ti", R, bird.inertia_b, R, state.omega_g["bird"])
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), rtol=0, atol=1e-11)  # kg·m²/s
    force, moment = state.wrench["flight"]
    assert max(np.abs(force).max(), np.abs(moment).max()) < 1e-10  # N and N·m: nothing holds it


def test_a_load_that_motors_do_not_know_pushes_them_off(tmp_path: Path) -> None:
    """ë + kd ė + kp e = −M⁻¹ Jᵀ E: a motor that holds still gives way by F / (m kp)."""
    text = """
gaitid_scenario: 1
kind: chain
name: held
bodies:
  - name: block
    parent: ground
    joint: {name: rail, type: prismatic, axis: [1, 0, 0]}
    distal_m: [0.1, 0, 0]
    mass_kg: 2
    com_m: [0, 0, 0]
    inertia_kg_m2: [0.01, 0.01, 0.01]
drive: {kind: tracked, kp_per_s2: 100, kd_per_s: 20, loads: LOADS, motion: {rail: {level_m: 0.3}}}
loads:
  - {body: block, force: {x: {level_N: 6}}, point: {}}
settings: {duration: 3}
"""
    for loads, off in (("measured", 0.0), ("unknown", 6 / (2 * 100))):
        (tmp_path / "held.yaml").write_text(text.replace("LOADS", loads), encoding="utf-8")
        _, state = simulated(str(tmp_path / "held.yaml"), duration=3.0, marker_noise_mm=off)
        assert state.simulation.q[-1, 0] - 0.3 == pytest.approx(off, abs=1e-9)  # m; e⁻³⁰ of the way is left


def test_static_friction_holds_until_it_breaks(tmp_path: Path) -> None:
    text = """
gaitid_scenario: 1
kind: chain
name: pulled
bodies:
  - name: block
    parent: ground
    joint: {name: rail, type: prismatic, axis: [1, 0, 0]}
    distal_m: [0.1, 0, 0]
    mass_kg: 2
    com_m: [0, 0, 0]
    inertia_kg_m2: [0.01, 0.01, 0.01]
drive: {kind: torques, torques: {rail: {slope_N_per_s: 5}}}
friction: {rail: {coulomb_N: 3, static_N: 4}}
settings: {duration: 2}
"""
    (tmp_path / "pulled.yaml").write_text(text, encoding="utf-8")
    _, state = simulated(str(tmp_path / "pulled.yaml"), duration=2.0)
    t, s = state.time_s, state.simulation
    rests = t <= 0.8  # s: 5 N/s reach 4 N
    assert not s.qd[rests].any()
    np.testing.assert_allclose(state.friction[rests, 0], -5 * t[rests], rtol=0, atol=1e-12)  # N
    u = t[~rests] - 0.8
    np.testing.assert_allclose(s.qd[~rests, 0], (u + 5 * u**2 / 2) / 2, rtol=0, atol=1e-11)  # m/s: (4 + 5u − 3) / 2
    np.testing.assert_allclose(state.friction[~rests, 0], -3, rtol=0, atol=0)
    assert state.misfit < 1e-11  # N: the rail's force, by momentum, is what motor and friction do


@pytest.mark.parametrize("name", [WHOLE_BODY, JOINTS])
def test_joint_space_of_the_truth_adds_up_and_is_the_energy_s(name: str, tmp_path: Path) -> None:
    scenario, state = simulated(name)
    simulate(name, tmp_path, duration=0.5, write=("joint_space",))
    (path,) = tmp_path.glob("*.truth.joint_space.csv")
    names = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
    column = dict(zip(names, np.loadtxt(path, delimiter=",", skiprows=1).T, strict=True))
    c, s = scenario.coordinates, state.simulation

    def vector(term: str) -> Array:
        return np.stack([next(v for k, v in column.items() if k.startswith(f"{term}_{n}_")) for n in c], axis=1)

    M = np.zeros((state.time_s.size, len(c), len(c)))
    for i, a in enumerate(c):
        for k in range(i, len(c)):
            values = next(v for name, v in column.items() if name.startswith(f"M_{a}__{c[k]}_kg"))
            M[:, i, k] = M[:, k, i] = values
    V, G, F, loads, tau = (vector(term) for term in ("V", "G", "F", "loads", "tau"))
    whole = np.einsum("tij,tj->ti", M, s.qdd) + V + G + F + loads
    # N·m and N: ten digits and ten decimals of terms up to 100 with accelerations up to 60
    np.testing.assert_allclose(whole, tau, rtol=0, atol=1e-7)
    np.testing.assert_allclose(np.einsum("ti,tij,tj->t", s.qd, M, s.qd) / 2, s.kinetic_J, rtol=1e-8)
    tip = "right_fore" if name == WHOLE_BODY else "tip"
    body = next(b for b in scenario.bodies if b.name == tip)
    J = np.array([[column.get(f"J_{tip}_v{x}__{n}_{u}", 0 * s.q[:, 0]) for n, u in units(scenario)] for x in "xyz"])
    # m/s: the tip's velocity from the centre of mass's exact acceleration's twin, by differences of exact places
    place = state.com_g[tip] + np.einsum("tij,j->ti", state.rotation[tip], body.distal_b - body.com_b)
    rate = np.gradient(place, state.time_s, axis=0, edge_order=2)
    np.testing.assert_allclose(np.einsum("xnt,tn->tx", J, s.qd)[5:-5], rate[5:-5], rtol=0, atol=0.02)


def units(scenario: ChainScenario) -> list[tuple[str, str]]:
    return [
        (n, "m" if kind == "revolute" else "1") for n, kind in zip(scenario.coordinates, scenario.kinds, strict=True)
    ]
