"""Forward dynamics: the accelerations that torques cause."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.dynamics.friction import Friction
from gaitid.dynamics.joint_space import Load, TreeMotion, generalised_inertia, joint_loads, motion
from gaitid.dynamics.joint_tree import JointTree
from gaitid.errors import ModelError
from gaitid.trial import Array

# Smallest eigenvalue of M with its diagonal scaled to 1: below this q̈ has no more than three digits left.
_SINGULAR = 1e-13


def forward(
    tree: JointTree,
    q: Array,
    qd: Array,
    tau: Array,
    gravity_g: Array,
    friction: Friction | None = None,
    loads: Sequence[Load] = (),
) -> Array:
    """Accelerations q̈ = M⁻¹ (τ − V − G − F + Jᵀ E), (…, n), rad/s² or m/s².

    Walker & Orin (1982), J Dyn Syst Meas Control 104:205-211, method 3: the bias terms by one inverse dynamics with
    q̈ = 0, M by composite rigid bodies.

    Parameters
    ----------
    tree : JointTree
    q, qd : (…, n) arrays
    tau : (…, n) array, N·m or N
    gravity_g : (3,) array, m/s²
    friction : Friction, optional
    loads : sequence of Load
        External actions E.

    Raises
    ------
    ModelError
        M is singular: some joint moves nothing (two axes of a spherical joint in line, say).
    """
    driving = tau if friction is None else tau - friction.torque(qd)
    return accelerations(tree, motion(tree, q, qd), driving, gravity_g, loads)


def accelerations(tree: JointTree, moved: TreeMotion, driving: Array, gravity_g: Array, loads: Sequence[Load]) -> Array:
    """M⁻¹ (τ − F − (V + G − Jᵀ E)), (…, n), rad/s² or m/s²: as `forward`, for a motion that is known already.

    Parameters
    ----------
    tree : JointTree
    moved : TreeMotion
        With q̈ = 0.
    driving : (…, n) array, N·m or N
        τ − F.
    gravity_g : (3,) array, m/s²
    loads : sequence of Load

    Raises
    ------
    ModelError
        M is singular.
    """
    M = generalised_inertia(tree, moved)
    refuse_singular([body.name for body in tree.bodies], M)
    rest = driving - joint_loads(tree, moved, gravity_g, loads)[0]
    return np.asarray(np.linalg.solve(M, rest[..., None])[..., 0])


def refuse_singular(names: Sequence[str], M: Array) -> None:
    """Raise where a generalised inertia, (…, n, n), has no inverse, with the name of the joint that moves nothing.

    Raises
    ------
    ModelError
    """
    n = len(names)
    known = M.reshape(-1, n, n)[np.isfinite(M).all(axis=(-1, -2)).reshape(-1)]
    diagonal = np.einsum("...ii->...i", known)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(known / (scale[:, :, None] * scale[:, None, :]))
    bad = np.flatnonzero(values[:, 0] < _SINGULAR)
    if bad.size:
        joint = int(np.argmax(np.abs(vectors[bad[0], :, 0])))
        raise ModelError(
            f"the joint of body {names[joint]} moves no inertia of its own, so that its acceleration is not determined",
            expected="a positive definite generalised inertia",
            found=f"smallest scaled eigenvalue {values[bad[0], 0]:.3g}",
            todo="look for massless ends, and for a joint whose first and third axes are in line: give it another "
            "sequence",
        )
