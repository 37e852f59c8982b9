"""Mechanical systems: their motion against closed forms, their truth against a second way to compute it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from simulated_trials import simulated_chain as simulated

from gaitid.dynamics.joint_space import motion
from gaitid.errors import GaitidError
from gaitid.model.load import bundled_folder
from gaitid.read import read_trial
from gaitid.simulate.chain import ChainScenario, at_all
from gaitid.simulate.chain_files import power_of_ten
from gaitid.simulate.chain_state import chain_state
from gaitid.simulate.files import simulate
from gaitid.simulate.scenario_file import bundled_scenarios, load_scenario
from gaitid.simulate.walk import cardan_deg

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
def test_wrenches_along_the_axes_are_what_was_applied(name: str) -> None:
    _scenario, state = simulated(name)
    assert state.misfit < 1e-11  # N·m or N; rounding of loads of up to 100
    assert state.simulation.energy_drift < 1e-11  # of the energy; the integrator's tolerance is 1e-12 a step


@every_chain
def test_markers_keep_their_places_in_the_body(name: str) -> None:
    scenario, state = simulated(name)
    for body in scenario.bodies:
        r, o = state.rotation[body.name], state.joint_g[body.joint.name]
        for label, p in body.marker_b.items():
            in_body = np.einsum("tij,ti->tj", r, state.marker_g[label] - o)
            np.testing.assert_allclose(in_body, np.broadcast_to(p, in_body.shape), atol=1e-14)  # m


# --- closed forms ------------------------------------------------------------------------------------------


def test_the_double_pendulum_starts_as_the_matrix_document_says() -> None:
    _scenario, state = simulated("double_pendulum")
    theta1, theta2, w1, w2, g = np.pi / 6, np.pi / 3, np.pi, -2 * np.pi, 9.81
    # M q̈ = C + G in absolute angles, l = m = 1 (Duarte & Watanabe, matrix formalism, eq. of the double pendulum)
    half = np.cos(theta1 - theta2) / 2
    M = np.array([[1 / 3 + 1, half], [half, 1 / 3]])
    C = np.sin(theta1 - theta2) / 2 * np.array([-(w2**2), w1**2])
    G = g * np.array([-1.5 * np.sin(theta1), -0.5 * np.sin(theta2)])
    alpha = np.linalg.solve(M, C + G)
    np.testing.assert_allclose(state.simulation.qdd[0], [alpha[0], alpha[1] - alpha[0]], rtol=1e-13)
    assert not state.simulation.tau.any()
    # positive turns about x: the bars swing towards y, as θ does in the document
    np.testing.assert_allclose(state.com_g["upper"][0], [0, np.sin(theta1) / 2, 2.2 - np.cos(theta1) / 2], atol=1e-15)


def test_the_double_pendulum_keeps_its_energy() -> None:
    """For 10 s: tests/dynamics/test_double_pendulum.py."""
    _, state = simulated("double_pendulum", duration=2.0, rate_hz=20.0)
    total = state.simulation.kinetic_J + state.simulation.potential_J
    assert np.abs(total / total[0] - 1).max() < 1e-8  # of the energy; measured 2e-11
    assert state.simulation.energy_drift < 1e-8


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


def test_feed_forward_alone_follows_from_the_right_start(tmp_path: Path) -> None:
    """For half a second: tests/dynamics/test_control.py."""
    text = (bundled_scenarios()["swing_leg_tracked"]).read_text(encoding="utf-8")
    text = text.replace("law: computed_torque", "law: feedforward_pd")
    text = text.replace("kp_per_s2: 400", "kp_Nm_per_rad: 30").replace("kd_per_s: 40", "kd_Nms_per_rad: 3")
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    scenario, state = simulated(str(tmp_path / "own.yaml"), duration=0.1)
    desired = at_all(scenario.drive.courses, state.time_s)[0]
    np.testing.assert_allclose(state.simulation.q, desired, rtol=0, atol=1e-9)  # rad
    assert (scenario.drive.kp, scenario.drive.kd) == (30, 3)


def test_friction_alone_takes_energy_away() -> None:
    _scenario, state = simulated("swing_leg")
    total = state.simulation.kinetic_J + state.simulation.potential_J
    assert (np.diff(total) < 0).all()
    lost = np.trapezoid(np.sum(state.friction * state.simulation.qd, axis=1), state.time_s)
    # J: the trapezoidal rule at 100 Hz, h²/12 of the change of slope of a power that varies by 100 W in 0.1 s
    assert total[-1] - total[0] == pytest.approx(lost, abs=0.02)
    assert lost < -0.2


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


def test_a_thrust_that_turns_with_a_rod_spins_it_up_steadily(tmp_path: Path) -> None:
    """F at the end of a rod, always square to it: I q̈ = F l, and the pivot bears m l/2 q̇² along the rod."""
    path = tmp_path / "rod.yaml"
    path.write_text(
        """
gaitid_scenario: 1
kind: chain
name: rod
gravity_m_per_s2: 0
bodies:
  - name: rod
    parent: ground
    joint: {name: pin, type: revolute, axis: [0, 0, 1]}
    distal_m: [2, 0, 0]
    mass_kg: 3
    com_m: [1, 0, 0]
    inertia_kg_m2: [0, 1, 1]
loads: [{body: rod, axes: body, force: {y: {level_N: 6}}, at_m: [2, 0, 0]}]
settings: {duration: 1, rate_hz: 100}
""",
        "utf-8",
    )
    _, state = simulated(str(path))
    t, speeding = state.time_s, 6 * 2 / (1 + 3 * 1.0**2)
    np.testing.assert_allclose(state.simulation.q[:, 0], speeding * t**2 / 2, rtol=0, atol=1e-11)  # rad
    along = np.einsum("tij,ti->tj", state.rotation["rod"], state.wrench["pin"][0])
    np.testing.assert_allclose(along[:, 0], -3 * (speeding * t) ** 2, rtol=0, atol=1e-9)  # N
    np.testing.assert_allclose(along[:, 1], 3 * speeding - 6, rtol=0, atol=1e-9)
    # the energy's account has the work of a force that turns
    assert state.simulation.energy_drift < 1e-11
    kinetic = (1 + 3) * (speeding * t) ** 2 / 2
    np.testing.assert_allclose(state.kinetic_J, kinetic, rtol=0, atol=1e-9)


# --- what would have no end -----------------------------------------------------------------------------------------


def edited(tmp_path: Path, old: str, new: str) -> str:
    text = (bundled_folder("configs") / "scenarios" / "double_pendulum.yaml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return str(path)


def test_a_bar_of_a_thousand_kilometres_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GaitidError, match=r"bodies\[0\]\.distal_m: expected at most 1000 m, found 1e\+06"):
        load_scenario(edited(tmp_path, "distal_m: [0, 0, -1]", "distal_m: [0, 0, -1e6]"), {})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"duration": 1e7}, "duration 1e+07 s at 100 Hz are 1e+09 samples, more than 1000000"),
        ({"rate_hz": 1e9}, "duration 10 s at 1e+09 Hz are 1e+10 samples"),
        ({"analog_rate_hz": 1e8}, "duration 10 s at 1e+08 Hz are 1e+09 samples"),
    ],
)
def test_more_samples_than_memory_holds_are_refused(options: dict[str, float], words: str) -> None:
    with pytest.raises(GaitidError) as e:
        load_scenario("double_pendulum", options)
    assert words in e.value.line()
    with pytest.raises(GaitidError, match="samples, more than 1000000"):
        load_scenario("walk", {"duration": 1e7})


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (
            "{body: rod, at_m: [0, 0, 0], point: {}}",
            "expected one of `point` (laboratory) and `at_m` (body), found both",
        ),
        ("{body: rod, force: {}}", "expected `point` (laboratory) or `at_m` (body), where the load acts"),
        ("{body: rod, axes: rod, at_m: [0, 0, 0]}", "loads[0].axes: expected laboratory or body, found 'rod'"),
    ],
)
def test_a_load_says_where_it_acts_once(load: str, words: str, tmp_path: Path) -> None:
    text = (bundled_folder("configs") / "scenarios" / "double_pendulum.yaml").read_text(encoding="utf-8")
    path = tmp_path / "mine.yaml"
    path.write_text(f"{text}\nloads: [{load.replace('rod', 'upper')}]\n", encoding="utf-8")
    with pytest.raises(GaitidError) as e:
        load_scenario(str(path), {})
    assert words.replace("rod", "upper") in e.value.line()


def test_a_motion_that_is_too_fast_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A joint at ten million turns a second; the limit is lowered, so that the test is quick."""
    monkeypatch.setattr("gaitid.dynamics.pace.LEAST_EVALUATIONS", 2000)
    monkeypatch.setattr("gaitid.dynamics.pace.EVALUATIONS_PER_S", 100)
    path = edited(tmp_path, "rate_rad_per_s: pi", "rate_rad_per_s: 6e7")
    scenario = load_scenario(path, {"duration": 0.5})
    assert isinstance(scenario, ChainScenario)
    with pytest.raises(GaitidError, match=r"got no further than [0-9.e-]+ s in [0-9]+ evaluations"):
        chain_state(scenario)


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


def test_noise_and_gaps_are_recorded_and_not_true(fork: tuple[Path, ...], tmp_path: Path) -> None:
    faults = {"marker_noise_mm": 2.0, "gap_count": 3, "gap_frames": 7, "seed": 5}
    clean = {p.name: p.read_bytes() for p in fork}
    noisy = {p.name: p.read_bytes() for p in simulate(FORK, tmp_path / "noisy", **faults)}
    again = {p.name: p.read_bytes() for p in simulate(FORK, tmp_path / "again", **faults)}
    assert noisy == again
    # the last: the settings as they were
    assert {name for name in clean if clean[name] != noisy[name]} == {"fork.c3d", "fork.csv", "fork.truth.json"}
    trial, exact = read_trial(tmp_path / "noisy" / "fork.csv"), read_trial(fork[0].parent / "fork.csv")
    assert np.isnan(trial.points_g).any(axis=-1).sum() == 21
    # m: standard deviation of 16 markers × 50 frames × 3, known to 1/√(2·2337) = 1.5 %
    assert np.nanstd(trial.points_g - exact.points_g) == pytest.approx(2e-3, rel=0.05)


@pytest.mark.parametrize("letters", ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"])
def test_cardan_angles_come_back(letters: str) -> None:
    from scipy.spatial.transform import Rotation

    angles = np.stack([np.linspace(-3.1, 3.1, 60), np.linspace(-1.4, 1.4, 60), np.linspace(3, -2, 60)], axis=1)
    turned = Rotation.from_euler(letters.upper(), angles).as_matrix()
    found = np.radians(cardan_deg(np.eye(3), turned, letters)).T
    np.testing.assert_allclose(found, angles, atol=1e-12)  # rad


def test_a_bound_is_a_power_of_ten_from_above() -> None:
    assert [power_of_ten(v) for v in (0.0, 2e-14, 1e-13, 9.9e-12, 3.0)] == [0.0, 1e-13, 1e-13, 1e-11, 10.0]


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


def test_a_body_without_mass_is_held_up_by_what_it_carries() -> None:
    scenario, state = simulated(WHOLE_BODY)
    assert len(scenario.coordinates) == 8
    assert scenario.bodies[0].mass_kg == 0
    (force, moment), (above, moment_above) = state.wrench["drive_way"], state.wrench["heading"]
    np.testing.assert_allclose(force, above, rtol=0, atol=1e-12)  # N
    np.testing.assert_allclose(moment, moment_above, rtol=0, atol=1e-12)  # N·m: the joints are in one place
    # under a load that the motors answer, the motion is the desired one
    desired = at_all(scenario.drive.courses, state.time_s)[0]
    np.testing.assert_allclose(state.simulation.q, desired, rtol=0, atol=1e-9)  # rad and m


def test_a_fixed_body_is_one_with_its_parent() -> None:
    """Whether a head is fixed to the trunk or part of it: the same motion, and the same wrench below."""
    text = Path(JOINTS).read_text(encoding="utf-8")
    scenario, state = simulated(JOINTS)
    boom, cell = (next(b for b in scenario.bodies if b.name == name) for name in ("boom", "cell"))
    force, moment = state.wrench["weld"]
    a, alpha, w = (values["cell"] for values in (state.acceleration_g, state.alpha_g, state.omega_g))
    R = state.rotation["cell"]
    inertia = np.einsum("tij,jk,tlk->til", R, cell.inertia_b, R)
    below, below_m = state.wrench["hinge"]
    push = scenario.pushes[0]
    f, point = at_all(push.force, state.time_s)[0], at_all(push.point_g, state.time_s)[0]
    # Newton and Euler for the cell alone
    newton = cell.mass_kg * (a + np.array([0, 0, 9.81])) + below - f
    np.testing.assert_allclose(force, newton, rtol=0, atol=1e-11)  # N
    c, weld, hinge = state.com_g["cell"], state.joint_g["weld"], state.joint_g["hinge"]
    euler = np.einsum("tij,tj->ti", inertia, alpha) + np.cross(w, np.einsum("tij,tj->ti", inertia, w))
    needed = euler - np.cross(weld - c, force) + below_m + np.cross(hinge - c, below) - np.cross(point - c, f)
    np.testing.assert_allclose(moment, needed, rtol=0, atol=1e-11)  # N·m
    assert boom.mass_kg == 0.8
    assert "type: fixed" in text


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
