"""Joint wrenches of random chains and trees against an independent engine, Pinocchio (optional: `pip install pin`).

It has the same bodies, places them by its own kinematics and finds the joints' loads by spatial algebra in the
joints' own frames (Featherstone's recursion). Its places, velocities and accelerations are our input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moving_trees import G, random_inertia
from scipy.spatial.transform import Rotation

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.newton_euler import SOLVERS

pin = pytest.importorskip("pinocchio")

FRAMES = 4


def random_model(rng: np.random.Generator, n: int, branched: bool, floating: bool) -> tuple[Any, list[int]]:
    """Bodies on spherical joints, the first on one too or (`floating`) free; and what each hangs from, −1 none."""
    model = pin.Model()
    model.gravity.linear = G
    parents = []
    for i in range(n):
        parent = int(rng.integers(i)) if branched and i else i - 1
        joint = pin.JointModelFreeFlyer() if floating and i == 0 else pin.JointModelSpherical()
        placement = pin.SE3(Rotation.random(None, rng).as_matrix(), rng.uniform(-0.5, 0.5, 3))
        number = model.addJoint(parent + 1, joint, placement, f"joint{i}")
        mass = float(rng.uniform(0.1, 20))
        body = pin.Inertia(mass, rng.uniform(-0.3, 0.3, 3), random_inertia(rng, mass))
        model.appendBodyToJoint(number, body, pin.SE3.Identity())
        parents.append(parent)
    return model, parents


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 8), seed=st.integers(0, 2**32 - 1), branched=st.booleans(), floating=st.booleans())
def test_every_joint_carries_what_pinocchio_says(n: int, seed: int, branched: bool, floating: bool) -> None:
    rng = np.random.default_rng(seed)
    model, parents = random_model(rng, n, branched, floating)
    data = model.createData()
    names = ("com", "acc", "omega", "alpha", "joint", "f", "m", "e_f", "e_m")
    place = {name: np.empty((n, FRAMES, 3)) for name in names}
    R = np.empty((n, FRAMES, 3, 3))
    loaded = rng.uniform(size=n) < 0.5
    for t in range(FRAMES):
        q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
        v, a = rng.normal(0, 4, model.nv), rng.normal(0, 30, model.nv)
        loads = [pin.Force(rng.normal(0, 300, 3), rng.normal(0, 30, 3)) * float(on) for on in (False, *loaded)]
        pin.rnea(model, data, q, v, a, loads)
        pin.forwardKinematics(model, data, q, v, a)  # the places in the laboratory
        for i in range(n):
            world = data.oMi[i + 1]
            turning = world.rotation @ data.v[i + 1].angular
            classical = pin.getClassicalAcceleration(model, data, i + 1, pin.LOCAL_WORLD_ALIGNED)
            r = world.rotation @ model.inertias[i + 1].lever
            R[i, t] = world.rotation
            place["joint"][i, t], place["com"][i, t] = world.translation, world.translation + r
            place["omega"][i, t], place["alpha"][i, t] = turning, classical.angular
            place["acc"][i, t] = (
                classical.linear + np.cross(classical.angular, r) + np.cross(turning, np.cross(turning, r))
            )
            place["f"][i, t] = world.rotation @ data.f[i + 1].linear
            place["m"][i, t] = world.rotation @ data.f[i + 1].angular
            place["e_f"][i, t] = world.rotation @ loads[i + 1].linear
            place["e_m"][i, t] = world.rotation @ loads[i + 1].angular
    links = []
    for i in range(n):
        body = model.inertias[i + 1]
        motion = [place[name][i] for name in ("com", "acc", "omega", "alpha", "joint")]
        load = Wrench(place["e_f"][i], place["e_m"][i], place["joint"][i]) if loaded[i] else None
        links.append(Link(body.mass, body.inertia, R[i], *motion, load))
    proximal = [None if p < 0 else n - 1 - p for p in parents]
    for name, solve in SOLVERS.items():
        for i, w in enumerate(solve(Chain(links[::-1], proximal[::-1]), G)[::-1]):
            for ours, theirs in ((w.f_g, place["f"][i]), (w.m_g, place["m"][i])):
                # of the joint's largest value; rounding leaves some 1e-15
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * np.abs(theirs).max(), err_msg=name)
