"""Controllers that know the mechanics: torques that make a tree follow a desired motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gaitid.dynamics.integration import Torque
from gaitid.dynamics.joint_space import Friction, Load, TreeMotion, joint_loads, motion
from gaitid.dynamics.joint_tree import JointTree
from gaitid.trial import Array

Desired = Callable[[float], tuple[Array, Array, Array]]
Loads = Callable[[float, TreeMotion], Sequence[Load]]


def feedforward_pd(
    tree: JointTree,
    desired: Desired,
    kp: Array | float,
    kd: Array | float,
    gravity_g: Array,
    friction: Friction | None = None,
    loads: Loads | None = None,
) -> Torque:
    """Feed-forward compensation with PD around it: the model's torques along the desired motion, then what is amiss.

        τ = M(q_d) q̈_d + V(q_d, q̇_d) + G(q_d) + F(q̇_d) − Jᵀ(q_d) E + kp (q_d − q) + kd (q̇_d − q̇)

    With a true model and no initial error the tree stays on the desired motion. Small errors e = q_d − q about a
    posture that is held obey M ë + (kd + ∂F/∂q̇) ė + (kp + ∂G/∂q) e = 0: coupled through M, so that gains suit a
    posture (Craig JJ (2005) Introduction to Robotics, 3rd ed., section 10.5, feedforward nonlinear control).

    Parameters
    ----------
    tree : JointTree
        What the controller believes the tree to be.
    desired : callable
        desired(t) -> q, q̇, q̈, (n,) each.
    kp : (n,) array or float, N·m/rad or N/m
    kd : (n,) array or float, N·m·s/rad or N·s/m
    gravity_g : (3,) array, m/s²
    friction : Friction, optional
        To compensate for.
    loads : callable, optional
        loads(t, moved) -> sequence of Load: external actions that the controller measures and answers, −Jᵀ E; `moved`
        is the motion that it holds them against. Those that it does not know push it off the desired motion.

    Returns
    -------
    callable
        torque(t, q, qd) -> (n,) array, for `gaitid.dynamics.integration.integrate`.
    """

    def torque(t: float, q: Array, qd: Array) -> Array:
        q_d, qd_d, qdd_d = desired(t)
        tau = _needed(tree, motion(tree, q_d, qd_d, qdd_d), gravity_g, t, loads)
        if friction is not None:
            tau = tau + friction.torque(qd_d)
        return np.asarray(tau + kp * (q_d - q) + kd * (qd_d - qd))

    return torque


def computed_torque(
    tree: JointTree,
    desired: Desired,
    kp: Array | float,
    kd: Array | float,
    gravity_g: Array,
    friction: Friction | None = None,
    loads: Loads | None = None,
) -> Torque:
    """Computed torque: the model at the measured state makes every joint a unit mass on its own spring and damper.

        τ = M(q) [q̈_d + kd (q̇_d − q̇) + kp (q_d − q)] + V(q, q̇) + G(q) + F(q̇) − Jᵀ E

    With a true model e = q_d − q obeys ë + kd ė + kp e = 0 exactly, joint by joint and however large: linear and
    decoupled (Craig JJ (2005) Introduction to Robotics, 3rd ed., section 10.4). So it is under external loads E that
    the controller knows (`loads`); others leave ë + kd ė + kp e = −M⁻¹ Jᵀ E.

    Parameters
    ----------
    tree, desired, gravity_g, friction, loads
        As for `feedforward_pd`.
    kp : (n,) array or float, 1/s²
    kd : (n,) array or float, 1/s

    Returns
    -------
    callable
        torque(t, q, qd) -> (n,) array, for `gaitid.dynamics.integration.integrate`.
    """

    def torque(t: float, q: Array, qd: Array) -> Array:
        q_d, qd_d, qdd_d = desired(t)
        wanted = qdd_d + kd * (qd_d - qd) + kp * (q_d - q)
        tau = _needed(tree, motion(tree, q, qd, wanted), gravity_g, t, loads)
        return tau if friction is None else tau + friction.torque(qd)

    return torque


def _needed(tree: JointTree, moved: TreeMotion, gravity_g: Array, t: float, loads: Loads | None) -> Array:
    return joint_loads(tree, moved, gravity_g, loads(t, moved) if loads else ())[0]
