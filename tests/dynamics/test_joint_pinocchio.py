"""Joint space against an independent engine where it is installed: Pinocchio (Carpentier et al. 2019, IEEE SII)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_trees import TILTED, assert_close, random_state, random_tree

from gaitid.dynamics.joint_space import (
    Load,
    forward,
    gravity_terms,
    inverse,
    jacobian,
    mass_matrix,
    motion,
    velocity_terms,
)
from gaitid.dynamics.joint_tree import JointTree

pin = pytest.importorskip("pinocchio", reason="the independent engine is an optional test dependency (package `pin`)")

AGREES = 1e-11  # relative: rounding (1e-15) times the condition of M, up to 1e3 for these trees; 1e-9 is required
POINT = np.array([0.1, -0.3, 0.2])


def limb_by_limb(tree: JointTree) -> JointTree:
    """The same bodies with every limb in one piece, which is the order that Pinocchio's algorithms need."""
    order: list[int] = []

    def visit(parent: int) -> None:
        for i, body in enumerate(tree.bodies):
            if body.parent == parent:
                order.append(i)
                visit(i)

    visit(-1)
    renamed = {old: new for new, old in enumerate(order)} | {-1: -1}
    return JointTree(tuple(replace(tree.bodies[i], parent=renamed[tree.bodies[i].parent]) for i in order))


def engine(tree: JointTree) -> tuple[Any, Any]:
    model = pin.Model()
    model.gravity.linear = TILTED
    kinds = {"revolute": pin.JointModelRevoluteUnaligned, "prismatic": pin.JointModelPrismaticUnaligned}
    for body in tree.bodies:
        placed = pin.SE3(np.array(body.R_pb), np.array(body.p_p))
        joint = model.addJoint(body.parent + 1, kinds[body.kind](np.array(body.axis_b)), placed, body.name)
        inertia = pin.Inertia(body.mass, np.array(body.com_b), np.array(body.inertia_b))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        model.addFrame(pin.Frame(body.name, joint, pin.SE3(np.eye(3), POINT), pin.FrameType.OP_FRAME))
    return model, model.createData()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_term_on_random_trees(seed: int) -> None:
    tree = limb_by_limb(random_tree(seed, most=8))
    states = random_state(tree, seed)
    model, data = engine(tree)
    body = seed % len(tree)
    force, moment = np.array([40.0, -30.0, 60.0]), np.array([3.0, -2.0, 5.0])
    for q, qd, qdd, tau in zip(*states, strict=True):
        moved = motion(tree, q)
        R, origin = moved.R_gb[body], moved.origin_g[body]
        load = Load(body, force, moment, origin)
        pushed = pin.StdVec_Force()
        for i in range(model.njoints):
            acting = i == body + 1
            pushed.append(pin.Force(R.T @ force, R.T @ moment) if acting else pin.Force.Zero())

        assert_close(inverse(tree, q, qd, qdd, TILTED)[0], pin.rnea(model, data, q, qd, qdd), AGREES)
        assert_close(inverse(tree, q, qd, qdd, TILTED, [load])[0], pin.rnea(model, data, q, qd, qdd, pushed), AGREES)
        G = gravity_terms(tree, q, TILTED)
        assert_close(G, pin.computeGeneralizedGravity(model, data, q), AGREES)
        assert_close(velocity_terms(tree, q, qd) + G, pin.nle(model, data, q, qd), AGREES)
        upper = np.triu(pin.crba(model, data, q))
        assert_close(mass_matrix(tree, q), upper + np.triu(upper, 1).T, AGREES)
        assert_close(forward(tree, q, qd, tau, TILTED), pin.aba(model, data, q, qd, tau), AGREES)
        with_load = forward(tree, q, qd, tau, TILTED, loads=[load])
        assert_close(with_load, pin.aba(model, data, q, qd, tau, pushed), AGREES)

        frame, axes = model.getFrameId(tree.bodies[body].name), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        J = pin.getFrameJacobian(model, data, frame, axes).reshape(6, -1)  # one joint comes as a vector
        assert_close(jacobian(tree, q, body, POINT), J, AGREES)
