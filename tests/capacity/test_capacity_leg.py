"""A leg of a trial: its M, G and J against a tree of joints, its axes against the motion, and what must not matter."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from simulated_trials import simulated_walk

from gaitid.analysis.pipeline import analyse
from gaitid.analysis.result import Result
from gaitid.body.feet import foot_tracks
from gaitid.body.subject import SubjectFile
from gaitid.capacity.capacity import Capacity, find_capacity
from gaitid.capacity.ellipsoids import acceleration_map, acceleration_polytope
from gaitid.capacity.leg_dynamics import LegDynamics, leg_dynamics
from gaitid.capacity.limits import Limits, read_limits
from gaitid.dynamics.chain import Chain
from gaitid.dynamics.joint_space import forward, jacobian
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.model.load import load_model
from gaitid.trial import Array

DOWN = np.array([0.0, 0.0, -9.81])
ALL_AXES = """
gaitid_limits: 1
sources: [a test]
load_kg: 45
torques_Nm:
  hip: {flexion: 105, extension: 175, adduction: 90, abduction: 100, internal_rotation: 30, external_rotation: 40}
  knee: {flexion: 98, extension: 224, adduction: 20, abduction: 25, internal_rotation: 10, external_rotation: 15}
  ankle: {dorsiflexion: 48, plantarflexion: 136, eversion: 29, inversion: 35,
          internal_rotation: 5, external_rotation: 5}
"""


@cache
def walked(**options: float | bool) -> Result:
    sim = simulated_walk(**options)
    return analyse(sim.trial, load_model("pig", {"cutoff_hz": "none"}), SubjectFile())


@cache
def thick() -> Result:
    """The walk with segments that have inertia about their own length too, so that all nine axes can be free."""
    result = walked()
    sides = {}
    for side, leg in result.sides.items():
        assert leg.chain is not None
        links = []
        for link in leg.chain.links:
            inertia_s = np.array(link.inertia_s)
            inertia_s[..., 2, 2] += 0.2 * inertia_s[..., 0, 0]
            links.append(replace(link, inertia_s=inertia_s))
        moving = leg.moving(None)._replace(chain=Chain(links, leg.chain.proximal))
        sides[side] = replace(leg, moving=lambda _, moving=moving: moving)
    return replace(result, sides=sides)


@pytest.fixture(scope="module")
def all_axes(tmp_path_factory: pytest.TempPathFactory) -> Limits:
    path = tmp_path_factory.mktemp("limits") / "all.yaml"
    path.write_text(ALL_AXES)
    return read_limits(path, load_model("pig"))


@pytest.fixture(scope="module")
def example() -> Limits:
    return read_limits("example", load_model("pig"))


def dynamics(result: Result, side: str, limits: Limits, endpoint: str) -> LegDynamics:
    toe_g = foot_tracks(result.trial, result.model)[side].toe_g
    found = leg_dynamics(result, side, limits, endpoint, toe_g, DOWN)
    assert found is not None
    return found


def everything(result: Result, limits: Limits, endpoint: str, **options: bool) -> Capacity:
    frames = np.arange(result.trial.n_frames) % 10 == 0
    return find_capacity(result, limits, endpoint, frames, ("left", "right"), **options)


def as_tree(leg: LegDynamics, result: Result, side: str, frame: int, load_kg: float = 0.0) -> tuple[JointTree, int]:
    """The same posture as a tree of revolutes, q = 0, every body's axes along the laboratory's; the last body's index.

    From the hip down, or with the load on the thigh's end from the ankle up: built from the axes themselves.
    """
    own = result.sides[side]
    assert own.chain is not None
    links = dict(zip(own.motions, own.chain.links, strict=True))
    up = load_kg > 0
    below = {body.joint: body.segment for body in result.model.chain}
    above = {"ankle": "shank", "knee": "thigh"}
    order = list(leg.freedoms)
    if up:  # from the fixed foot, and at each joint the axis next to it first
        order = order[::-1]
    bodies: list[Body] = []
    at = np.zeros(3)
    for i, freedom in enumerate(order):
        joint = own.joints_g[freedom.joint][frame]
        axis = freedom.senses[side] * own.axes[freedom.joint]["jcs"][frame, :, freedom.axis] * (-1 if up else 1)
        last_of_joint = i + 1 == len(order) or order[i + 1].joint != freedom.joint
        mass, com, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        if last_of_joint:
            segment = (above if up else below)[freedom.joint]
            link = links[segment]
            R, inertia_s = link.R_gs[frame], np.broadcast_to(link.inertia_s, link.R_gs.shape)[frame]
            mass, com, inertia = link.mass, link.com_g[frame] - joint, R @ inertia_s @ R.T
            if segment == "thigh" and up:  # the load is a point at the hip
                hip = own.joints_g["hip"][frame] - joint
                whole = (mass * com + load_kg * hip) / (mass + load_kg)
                for m, p in ((mass, com - whole), (load_kg, hip - whole)):
                    inertia = inertia + m * (p @ p * np.eye(3) - np.outer(p, p))
                mass, com = mass + load_kg, whole
        inertia = (inertia + inertia.T) / 2
        bodies.append(Body(f"{i}", i - 1, "revolute", axis, np.eye(3), joint - at, mass, com, inertia))
        at = joint
    return JointTree(tuple(bodies)), len(bodies) - 1


# --- against an independent engine ----------------------------------------------------------------------------


def test_the_torques_of_a_corner_accelerate_the_foot_to_that_corner(all_axes: Limits) -> None:
    """Forward dynamics under every corner of the box of torques: none is outside, each corner of it is met."""
    result = thick()
    leg = dynamics(result, "left", all_axes, "foot")
    frame = 130
    tree, end = as_tree(leg, result, "left", frame)
    n = len(tree)
    corners = np.array(np.meshgrid(*np.stack([leg.low, leg.high], axis=1), indexing="ij")).reshape(n, -1).T
    q = np.zeros(n)
    qdd = forward(tree, np.zeros_like(corners), np.zeros_like(corners), corners, DOWN)
    point = leg.endpoint_g[frame] - result.sides["left"].joints_g["ankle"][frame]
    reached = qdd @ jacobian(tree, q, end, point)[:3].T  # from rest: J̇q̇ = 0
    A = acceleration_map(leg.J[frame], leg.M[frame])
    polytope = acceleration_polytope(A, leg.low, leg.high, -A @ leg.G[frame])
    size = np.abs(reached).max()
    for vertex in polytope.vertices:
        assert np.abs(reached - vertex).max(axis=1).min() < 1e-9 * size
    ways = np.random.default_rng(0).normal(size=(50, 3))
    assert ((reached @ ways.T).max(axis=0) <= (polytope.vertices @ ways.T).max(axis=0) + 1e-8 * size).all()


# --- the axes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_axes_turn_the_way_their_angles_grow(all_axes: Limits, side: str) -> None:
    """ω of the distal on the proximal segment is Σ axis × rate of its angle: names, signs and sides at once.

    The rates are central differences over 10 ms of motions with harmonics up to 6 Hz: (2π 6 Hz)² (0.01 s)² / 6, 2.4 %.
    """
    result = walked()
    leg = result.sides[side]
    proximal = {"ankle": leg.motions["shank"], "knee": leg.motions["thigh"], "hip": result.base}
    for body in result.model.chain:
        relative = leg.motions[body.segment].omega_g - proximal[body.joint].omega_g
        expected = np.zeros_like(relative)
        for freedom in all_axes.freedoms:
            if freedom.joint == body.joint:
                rate = np.gradient(np.radians(leg.angles[body.joint][freedom.positive]), 1 / result.trial.rate_hz)
                axis = freedom.senses[side] * leg.axes[body.joint]["jcs"][..., freedom.axis]
                expected += axis * rate[:, None]
        known = np.isfinite(relative).all(axis=1) & np.isfinite(expected).all(axis=1)
        assert known.sum() > 200
        error = np.abs(relative - expected)[known].max()
        assert error < 0.025 * np.abs(relative[known]).max()


def test_the_power_of_a_torque_is_that_of_the_joint(all_axes: Limits) -> None:
    """Generalised torques are projections on the axes: their power sums to the moment's own, m · ω."""
    result = walked()
    leg = result.sides["right"]
    moment = leg.wrenches["hip"].m_g
    total = np.zeros(result.trial.n_frames)
    for freedom in all_axes.freedoms:
        if freedom.joint == "hip":
            axis = freedom.senses["right"] * leg.axes["hip"]["jcs"][..., freedom.axis]
            rate = np.gradient(np.radians(leg.angles["hip"][freedom.positive]), 1 / result.trial.rate_hz)
            total += (moment * axis).sum(axis=1) * rate
    power = leg.powers["hip"] * result.subject.numbers["mass"]
    known = np.isfinite(power) & np.isfinite(total)
    assert known.sum() > 100
    assert np.abs(total - power)[known].max() < 0.025 * np.abs(power[known]).max()  # W; differences as above


# --- what must not matter -------------------------------------------------------------------------------------


def scalars(capacity: Capacity, side: str) -> dict[str, Array]:
    leg = capacity.sides[side]
    return {
        "kappa": leg.kappa,
        "volume": leg.volume,
        "ellipsoid": leg.manipulability.semi_axes,
        "inertia": leg.inertia.semi_axes[:, :4],
        **leg.largest,
    }


@pytest.mark.parametrize("endpoint", ["foot", "hip"])
def test_turning_the_laboratory_changes_nothing(example: Limits, endpoint: str) -> None:
    here = everything(walked(), example, endpoint)
    there = everything(walked(turn_deg=37.0), example, endpoint)
    for side in ("left", "right"):
        for name, values in scalars(here, side).items():
            largest = np.abs(values[np.isfinite(values)]).max()
            np.testing.assert_allclose(scalars(there, side)[name], values, atol=1e-8 * largest, err_msg=name)


def test_left_and_right_are_mirror_images(example: Limits) -> None:
    here = everything(walked(), example, "foot")
    mirrored = everything(walked(mirror=True), example, "foot")
    for one, other in (("left", "right"), ("right", "left")):
        for name, values in scalars(here, one).items():
            largest = np.abs(values[np.isfinite(values)]).max()
            np.testing.assert_allclose(scalars(mirrored, other)[name], values, atol=1e-8 * largest, err_msg=name)


# --- physics that can be said in words ------------------------------------------------------------------------


def test_the_ellipsoid_lies_in_the_middle_of_the_polytope(example: Limits) -> None:
    """A box is symmetric about its middle, so its image is too: the largest of opposite ways lie equally far off."""
    found = everything(walked(), example, "foot")
    for side, leg in found.sides.items():
        known = np.isfinite(leg.kappa)
        for way, opposite in (("forward", "backward"), ("up", "down"), ("lateral", "medial")):
            along = leg.manipulability.centre[known] @ found.ways_g[side][way]
            middle = (leg.largest[way] - leg.largest[opposite])[known] / 2
            np.testing.assert_allclose(along, middle, atol=1e-9)  # m/s², of up to 1000


# --- unknown and refused --------------------------------------------------------------------------------------


def test_an_unknown_posture_is_empty_there_only(example: Limits) -> None:
    result = walked()
    leg = result.sides["left"]
    knee = np.array(leg.joints_g["knee"])
    knee[100:105] = np.nan
    broken = replace(result, sides={**result.sides, "left": replace(leg, joints_g={**leg.joints_g, "knee": knee})})
    chosen = np.zeros(result.trial.n_frames, dtype=bool)
    chosen[95:110] = True
    found = find_capacity(broken, example, "foot", chosen, ("left", "right"))
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(found.sides["left"].volume[chosen])), range(5, 10))
    assert np.isfinite(found.sides["right"].volume[chosen]).all()
    assert any("left leg: empty in 5 of 15 frames" in warning for warning in found.warnings)
