"""An arm of three links, a robot of eight coordinates, a limb with a load cell at its tip: every term, to 1e-9.

What they are held against is made from their YAML alone by differentiating poses and energies in long double
(`exact_chains`): nothing is sampled, and nothing of gaitid takes part.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from exact_chains import LONG, ExactChain, number

from gaitid.capacity.ellipsoids import acceleration_map, dynamic_force_ellipsoid, gravity_bias
from gaitid.dynamics.joint_space import gravity_terms, jacobian, mass_matrix, velocity_terms
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.scenario_file import load_scenario

ROOT = Path(__file__).parents[2]
# Of the largest entry.
EXACT = 1e-9
LIMB = """
gaitid_scenario: 1
kind: chain
name: limb
bodies:
  - name: thigh
    parent: ground
    joint: {name: hip, type: spherical, sequence: yxz, at_m: [0, 0, 1]}
    distal_m: [0, 0, -0.4]
    mass_kg: 7
    com_m: [0.01, 0, -0.17]
    inertia_kg_m2: [[0.12, 0.002, 0.001], [0.002, 0.12, -0.003], [0.001, -0.003, 0.03]]
  - name: shank
    parent: thigh
    joint: {name: knee, type: revolute, axis: [0.1, 1, 0.2]}
    distal_m: [0, 0, -0.4]
    mass_kg: 3
    com_m: [0, 0, -0.18]
    inertia_kg_m2: [0.05, 0.05, 0.006]
  - name: foot
    parent: shank
    joint: {name: ankle, type: universal, sequence: yx, rest_turned: [{y_rad: -pi / 2}]}
    distal_m: [0.05, 0, -0.2]
    mass_kg: 1
    com_m: [0.02, 0, -0.08]
    inertia_kg_m2: [0.004, 0.005, 0.001]
start:
  hip_1y: {angle_rad: -0.4, rate_rad_per_s: 3}
  hip_2x: {angle_rad: 0.2, rate_rad_per_s: -1}
  hip_3z: {angle_rad: 0.3, rate_rad_per_s: 2}
  knee: {angle_rad: 0.9, rate_rad_per_s: -4}
  ankle_1y: {angle_rad: 0.2, rate_rad_per_s: 1}
drive:
  kind: torques
  torques: {hip_1y: {level_Nm: 20}, knee: {sines: [{amplitude_Nm: 10, frequency_hz: 2}]}}
friction:
  smoothing_per_s: 0.5
  hip_2x: {viscous_Nms_per_rad: 0.8}
  knee: {viscous_Nms_per_rad: 0.3, coulomb_Nm: 2}
  ankle_1y: {coulomb_Nm: 0.4}
loads:
  - body: foot
    force: {x: {level_N: 10}, y: {level_N: -5}, z: {level_N: 60, sines: [{amplitude_N: 20, frequency_hz: 3}]}}
    moment: {z: {level_Nm: 0.2}}
    point: {x: {level_m: 0.2}, y: {level_m: 0.05}, z: {level_m: 0.1}}
  - body: shank
    axes: body
    force: {x: {level_N: 7}, y: {sines: [{amplitude_N: 4, frequency_hz: 1}]}}
    moment: {y: {level_Nm: 0.3}}
    at_m: [0.03, 0.02, -0.3]
  - body: foot
    force: {z: {level_N: -9.81}}
    at_m: [0.05, 0, -0.2]
settings: {duration: 0.2, rate_hz: 50}
"""
TIPS = {"arm": ("hand", "xz"), "whole_body": ("left_fore", "xy"), "limb": ("foot", "xyz")}


class System(NamedTuple):
    """A scenario integrated, the same in long double, and the frame that is looked at."""

    name: str
    scenario: ChainScenario
    exact: ExactChain
    t: float
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    friction: np.ndarray


@cache
def system(name: str) -> System:
    import tempfile

    if name == "whole_body":
        text = (ROOT / "tests" / "simulate" / "scenarios" / "whole_body.yaml").read_text("utf-8")
    elif name == "arm":
        text = (ROOT / "docs" / "examples" / "arm.yaml").read_text("utf-8")
    else:
        text = LIMB
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.yaml")
        path.write_text(text, "utf-8")
        scenario = load_scenario(str(path), {})
    assert isinstance(scenario, ChainScenario)
    times = np.array([0.0, 0.13])
    run = scenario.integrated(times)
    exact = ExactChain(text)
    assert tuple(exact.coordinates) == tuple(scenario.coordinates)
    state = (a[1].astype(LONG) for a in (run.q, run.qd, run.qdd, run.tau + run.friction, run.friction))
    return System(name, scenario, exact, 0.13, *state)


all_systems = pytest.mark.parametrize("name", ["arm", "whole_body", "limb"])


@cache
def terms(name: str) -> dict[str, np.ndarray]:
    """M, V, G, and of the tip J (6, n), J̇ q̇ and its place, in long double."""
    s = system(name)
    tip, _ = TIPS[name]
    end = s.exact.end(tip)
    return {
        "M": s.exact.M(s.q),
        "V": s.exact.V(s.q, s.qd),
        "G": s.exact.G(s.q),
        "J": s.exact.jacobian(s.q, tip, end),
        "drift": s.exact.drift(s.q, s.qd, tip, end),
    }


def tip_on_link(s: System, tip: str) -> tuple[int, np.ndarray]:
    """The link of the scenario's tree that carries a body, and where the body's far end lies on it."""
    body = s.exact.names.index(tip)
    place = s.scenario.places[body]
    return place.link, place.at + place.turned @ s.scenario.bodies[body].distal_b


def close(found: np.ndarray, expected: np.ndarray, tolerance: float = EXACT) -> None:
    expected = np.asarray(expected, dtype=float)
    assert np.abs(np.asarray(found, dtype=float) - expected).max() <= tolerance * np.abs(expected).max()


def course(given: dict[str, Any] | None, unit: str, t: float) -> np.longdouble:
    """A course of levels and sines at one instant."""
    given = given or {}
    value = number(given.get(f"level_{unit}", 0))
    for sine in given.get("sines", []):
        angle = 2 * np.pi * number(sine["frequency_hz"]) * LONG(t) + number(sine.get("phase_rad", 0))
        value += number(sine[f"amplitude_{unit}"]) * np.sin(angle)
    return value


@all_systems
def test_m_v_g_j_of_joint_space(name: str) -> None:
    s, exact = system(name), terms(name)
    q, qd = s.q.astype(float), s.qd.astype(float)
    close(mass_matrix(s.scenario.tree, q), exact["M"])
    close(velocity_terms(s.scenario.tree, q, qd), exact["V"])
    # the robot turns about upright axes: nothing is lifted, and both are 0 to rounding, N·m
    G = gravity_terms(s.scenario.tree, q, s.scenario.gravity_g)
    assert np.abs(G - exact["G"].astype(float)).max() <= EXACT * max(1e-3, float(np.abs(exact["G"]).max()))
    tip, _ = TIPS[name]
    link, at = tip_on_link(s, tip)
    close(jacobian(s.scenario.tree, q, link, at), exact["J"])


@all_systems
def test_torques_of_the_simulation(name: str) -> None:
    """τ = M q̈ + V + G − Jᵀ E at the accelerations that were integrated, with the loads as the file says them."""
    s, exact = system(name), terms(name)
    tau = exact["M"] @ s.qdd + exact["V"] + exact["G"]
    for load in s.exact.content.get("loads", []):
        f, m, p = (
            np.array([course((load.get(key) or {}).get(x), unit, s.t) for x in "xyz"], dtype=LONG)
            for key, unit in (("force", "N"), ("moment", "Nm"), ("point", "m"))
        )
        R, start = s.exact.poses(s.q)[s.exact.names.index(load["body"])]
        if load.get("axes") == "body":
            f, m = R @ f, R @ m
        at = np.array([number(x) for x in load["at_m"]]) if "at_m" in load else R.T @ (p - start)
        J = s.exact.jacobian(s.q, load["body"], at)
        tau = tau - J.T @ np.concatenate([f, m])
    close(s.tau, tau)


def of_point(name: str) -> tuple[np.ndarray, ...]:
    """J of the tip along its directions, M, G, V and J̇ q̇ in double, from the long-double account."""
    exact = terms(name)
    rows = ["xyz".index(x) for x in TIPS[name][1]]
    double = {key: np.asarray(value, dtype=float) for key, value in exact.items()}
    return double["J"][rows], double["M"], double["G"], double["V"], double["drift"][rows]


@all_systems
def test_the_dynamic_force_is_what_a_constraint_takes(name: str) -> None:
    """The KKT system of a point that is held: M q̈ = τ − V − G − Jᵀ f with J q̈ + J̇ q̇ = 0; f is the point's push."""
    J, M, G, V, drift = of_point(name)
    rng = np.random.default_rng(3)
    m, n = J.shape
    K = np.block([[M, J.T], [J, np.zeros((m, m))]])
    bias = drift + gravity_bias(J, M, G + V)
    limits = np.linspace(1.0, 2.0, n)
    ellipsoid = dynamic_force_ellipsoid(J, M, limits, bias)
    for _ in range(20):
        u = rng.normal(size=n)
        u /= np.linalg.norm(u)
        solved = np.linalg.solve(K, np.concatenate([limits * u - V - G, -drift]))
        off = (ellipsoid.directions.T @ (solved[n:] - ellipsoid.centre)) / ellipsoid.semi_axes
        assert float(off @ off) <= 1 + 1e-9
    # and the farthest along each axis is reached by some torque
    F = np.linalg.solve(J @ np.linalg.solve(M, J.T), acceleration_map(J, M)) * limits
    for k in range(m):
        u = ellipsoid.directions[:, k] @ F
        u /= np.linalg.norm(u)
        push = np.linalg.solve(K, np.concatenate([limits * u - V - G, -drift]))[n:]
        reach = ellipsoid.directions[:, k] @ (push - ellipsoid.centre)
        assert reach == pytest.approx(ellipsoid.semi_axes[k], rel=EXACT)
