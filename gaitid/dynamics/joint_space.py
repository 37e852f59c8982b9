"""Joint space: the motion of a tree of joints with friction, the terms of its equation of motion, and the
accelerations that torques cause.

    τ = M(q) q̈ + V(q, q̇) + G(q) + F − Jᵀ E

τ are the joints' torques (revolute, N·m) and forces (prismatic, N), M the generalised inertia, V the centrifugal and
Coriolis terms alone, G gravity, F friction (`gaitid.dynamics.joint_space`), E an external wrench on a body and J the
Jacobian of the point that it acts at (Craig JJ (2005) Introduction to Robotics, 3rd ed., sections 6.8 and 6.11).

Everything here follows from two walks over the tree, both in laboratory axes: outward, what a body has from its
parent plus what its joint adds, and inward, what a body needs plus what its children ask for (Luh, Walker & Paul
1980, J Dyn Syst Meas Control 102:69-76). The ground is parent −1, which is also the last row of the arrays below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaitid.dynamics.chain import Wrench
from gaitid.dynamics.joint_tree import JointTree, about_point, turned
from gaitid.errors import ModelError
from gaitid.numerics.rotation import apply, apply_transposed, cross, dot
from gaitid.trial import Array, Mask, read_only


@dataclass(frozen=True, eq=False)
class Friction:
    """Viscous friction, Coulomb friction, or both (the hybrid law), joint by joint; and static friction that sticks.

    A joint's friction acts on it with −v q̇ − c sgn(q̇); F, as it stands in τ = M q̈ + V + G + F, is its opposite.
    At rest the Coulomb part is 0 where `static` is 0: the joint never sticks. With `static` it is whatever keeps the
    joint at rest, up to `static`; beyond that the joint breaks loose (Olsson et al. 1998, Eur J Control 4:176-195,
    section 2).

    Attributes
    ----------
    viscous : (n,) array or float, N·m·s/rad (revolute) or N·s/m (prismatic)
    coulomb : (n,) array or float, N·m or N
    smoothing : float, rad/s or m/s
        With 0 the sign is exact. An integrator cannot step across a jump at its full order, so for integration
        sgn(q̇) may be replaced by tanh(q̇/smoothing): within 0.1 % of the sign from 4 times `smoothing` on. Joints with
        `static` have the exact sign: they stop and break loose between two steps.
    static : (n,) array or float, N·m or N
        What breaks a joint loose; 0 or not below `coulomb`.

    Raises
    ------
    ModelError
        A coefficient that would drive the joint.
    """

    viscous: Array | float = 0.0
    coulomb: Array | float = 0.0
    smoothing: float = 0.0
    static: Array | float = 0.0

    def __post_init__(self) -> None:
        for name in ("viscous", "coulomb", "smoothing", "static"):
            value = read_only(getattr(self, name))
            if not (np.isfinite(value).all() and (value >= 0).all()):
                raise ModelError(f"friction: {name}", expected="0 or more", found=str(value.tolist()))
        object.__setattr__(self, "viscous", read_only(self.viscous))
        object.__setattr__(self, "coulomb", read_only(self.coulomb))
        object.__setattr__(self, "static", read_only(self.static))
        if np.any(np.asarray(self.sticks) & (np.asarray(self.static) < self.coulomb)):
            found = str(np.asarray(self.static).tolist())
            raise ModelError("friction: static", expected=f"0, or at least coulomb {self.coulomb}", found=found)

    @property
    def sticks(self) -> Mask:
        """(n,) or () whether a joint may stick."""
        return np.asarray(self.static) > 0

    def torque(self, qd: Array, slip: Array | None = None) -> Array:
        """F = v q̇ + c sgn(q̇), (…, n), N·m or N: what overcomes the friction; never against q̇, so F · q̇ ≥ 0.

        Parameters
        ----------
        qd : (…, n) array, rad/s or m/s
        slip : (n,) array, optional
            Of joints that may stick, the way in which each slides: −1, 1, or 0 where it rests.
        """
        sign = np.tanh(qd / self.smoothing) if self.smoothing else np.sign(qd)
        sign = np.where(self.sticks, np.sign(qd) if slip is None else slip, sign)
        return np.asarray(self.viscous * qd + self.coulomb * sign)


@dataclass(frozen=True, eq=False)
class Load:
    """An external action on a body of a tree, laboratory axes.

    Attributes
    ----------
    body : int
    force_g : (…, 3) array, N
    moment_g : (…, 3) array, N·m
        About `point_g`.
    point_g : (…, 3) array, m
    """

    body: int
    force_g: Array
    moment_g: Array
    point_g: Array


@dataclass(frozen=True, eq=False)
class TreeMotion:
    """Where the n bodies of a tree are and how they move, laboratory axes.

    Attributes
    ----------
    R_gb : (…, n, 3, 3) array
    axis_g : (…, n, 3) array
        Of each body's joint.
    origin_g, com_g : (…, n, 3) arrays, m
        Origin (on the joint) and centre of mass.
    vel_g, acc_g : (…, n, 3) arrays, m/s and m/s²
        Of the centre of mass.
    omega_g, alpha_g : (…, n, 3) arrays, rad/s and rad/s²
    """

    R_gb: Array
    axis_g: Array
    origin_g: Array
    com_g: Array
    vel_g: Array
    acc_g: Array
    omega_g: Array
    alpha_g: Array


def _outward(tree: JointTree, added: Array) -> Array:
    """(…, n + 1, 3): what each body has from its parent plus what its joint adds; the ground's zeros come last."""
    total = np.zeros((*added.shape[:-2], len(tree) + 1, 3))
    total[..., :-1, :] = added
    for i, body in enumerate(tree.bodies):
        total[..., i, :] += total[..., body.parent, :]
    return total


def _inward(tree: JointTree, needed: Array, carried: Array | None = None) -> Array:
    """What each body needs and its children pass on; `carried` comes on top on the way from a body to its parent."""
    total = needed.copy()
    for i in range(len(tree) - 1, -1, -1):
        k = tree.bodies[i].parent
        if k >= 0:
            total[..., k, :] += total[..., i, :] if carried is None else total[..., i, :] + carried[..., i, :]
    return total


def _state(tree: JointTree, *values: Array | float) -> list[Array]:
    """Coordinates and rates as arrays of one shape (…, n)."""
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in values))
    if arrays[0].shape[-1:] != (len(tree),):
        raise ValueError(f"a tree of {len(tree)} joints with coordinates of shape {arrays[0].shape}")
    return list(arrays)


def _joint_rotations(axis_b: Array, angle: Array) -> Array:
    """(…, n, 3, 3) rotations about unit axes (Rodrigues 1840): 1 + sin θ S + (1 − cos θ) S²."""
    S = np.zeros((*axis_b.shape, 3))
    S[..., [2, 0, 1], [1, 2, 0]] = axis_b
    S[..., [1, 2, 0], [2, 0, 1]] = -axis_b
    angle = angle[..., None, None]
    return np.asarray(np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * (S @ S))


def motion(tree: JointTree, q: Array, qd: Array | float = 0.0, qdd: Array | float = 0.0) -> TreeMotion:
    """Poses, velocities and accelerations of every body: the outward iterations.

    Craig (2005), eqs. 6.45-6.48, in laboratory axes and for a tree: with r from the parent's origin to the body's,

        ω̇ = ω̇_parent + ω_parent × ẑ q̇ + ẑ q̈                                                  (revolute)
        v̇ = v̇_parent + ω̇_parent × r + ω_parent × (ω_parent × r)  [+ 2 ω_parent × ẑ q̇ + ẑ q̈]   (prismatic)

    Parameters
    ----------
    tree : JointTree
    q, qd, qdd : (…, n) arrays, rad or m, and per s and s²
        The last axis counts the joints, in the order of the bodies.
    """
    q, qd, qdd = _state(tree, q, qd, qdd)
    n, turns = len(tree), tree.turns
    by_joint = _joint_rotations(tree.axis_b, q * turns[:, 0])
    slid = tree.axis_b * (q[..., None] * (1 - turns))
    R_gb = np.empty((*q.shape[:-1], n + 1, 3, 3))
    origin = np.zeros((*q.shape[:-1], n + 1, 3))
    R_gb[..., -1, :, :] = np.eye(3)
    for i, body in enumerate(tree.bodies):
        R_joint = R_gb[..., body.parent, :, :] @ body.R_pb
        R_gb[..., i, :, :] = R_joint @ by_joint[..., i, :, :]
        start = origin[..., body.parent, :] + apply(R_gb[..., body.parent, :, :], body.p_p)
        origin[..., i, :] = start + apply(R_joint, slid[..., i, :])
    parents = tree.parents
    R, r = R_gb[..., :-1, :, :], origin[..., :-1, :] - origin[..., parents, :]
    axis = apply(R, tree.axis_b)
    rate, speeding = axis * qd[..., None], axis * qdd[..., None]

    omega = _outward(tree, rate * turns)
    w = omega[..., parents, :]
    alpha = _outward(tree, (cross(w, rate) + speeding) * turns)
    slide, swept = rate * (1 - turns), cross(w, r)
    v = _outward(tree, swept + slide)
    a = _outward(tree, cross(alpha[..., parents, :], r) + cross(w, swept + 2 * slide) + speeding * (1 - turns))

    w, arm = omega[..., :-1, :], apply(R, tree.com_b)
    swept = cross(w, arm)
    origin, v, a, alpha = (values[..., :-1, :] for values in (origin, v, a, alpha))
    acc = a + cross(alpha, arm) + cross(w, swept)
    return TreeMotion(R, axis, origin, origin + arm, v + swept, acc, w, alpha)


def joint_loads(
    tree: JointTree, moved: TreeMotion, gravity_g: Array, loads: Sequence[Load] = ()
) -> tuple[Array, Array, Array]:
    """τ, forces and moments about the origins for a motion that is known already: the inward iterations.

    Craig (2005), eqs. 6.49-6.53, in laboratory axes and for a tree; (…, n), (…, n, 3) and (…, n, 3) arrays.
    """
    R = moved.R_gb
    w_b, alpha_b = apply_transposed(R, moved.omega_g), apply_transposed(R, moved.alpha_g)
    # Newton: F = m (a − g) − Σ f;  Euler, about the centre of mass: N = I ω̇ + ω × I ω − Σ moments
    F = tree.mass * (moved.acc_g - gravity_g)
    N = apply(R, apply(tree.inertia_b, alpha_b) + cross(w_b, apply(tree.inertia_b, w_b)))
    if loads:
        shape = np.broadcast_shapes(F[..., 0, :].shape, *(np.shape(load.force_g) for load in loads))
        F, N = (np.array(np.broadcast_to(x, (*shape[:-1], *x.shape[-2:]))) for x in (F, N))
    for load in loads:
        F[..., load.body, :] -= load.force_g
        N[..., load.body, :] -= load.moment_g + cross(load.point_g - moved.com_g[..., load.body, :], load.force_g)
    origin = moved.origin_g
    r = origin - origin[..., tree.parents, :]  # from the parent's origin; without meaning, and not carried, at a base
    f = _inward(tree, F)
    m = _inward(tree, N + cross(moved.com_g - origin, F), carried=cross(r, f))
    return dot(moved.axis_g, np.where(tree.turns > 0, m, f)), f, m


def inverse(
    tree: JointTree, q: Array, qd: Array | float, qdd: Array | float, gravity_g: Array, loads: Sequence[Load] = ()
) -> tuple[Array, list[Wrench]]:
    """Joint torques that a motion needs: recursive Newton-Euler, outward then inward.

    Parameters
    ----------
    tree : JointTree
    q, qd, qdd : (…, n) arrays
    gravity_g : (3,) array, m/s²
    loads : sequence of Load
        External actions, for example of the ground.

    Returns
    -------
    tau : (…, n) array, N·m or N
        τ = M q̈ + V + G − Jᵀ E, without friction.
    wrenches : list of Wrench
        Of the parent on each body, about the body's origin, laboratory axes.
    """
    moved = motion(tree, q, qd, qdd)
    tau, f, m = joint_loads(tree, moved, gravity_g, loads)
    return tau, [Wrench(f[..., i, :], m[..., i, :], moved.origin_g[..., i, :]) for i in range(len(tree))]


def velocity_terms(tree: JointTree, q: Array, qd: Array) -> Array:
    """V(q, q̇), (…, n): the centrifugal and Coriolis terms alone."""
    return inverse(tree, q, qd, 0.0, np.zeros(3))[0]


def gravity_terms(tree: JointTree, q: Array, gravity_g: Array) -> Array:
    """G(q), (…, n): the torques that hold the tree still against gravity."""
    return inverse(tree, q, 0.0, 0.0, gravity_g)[0]


def mass_matrix(tree: JointTree, q: Array) -> Array:
    """M(q), (…, n, n), by composite rigid bodies."""
    return generalised_inertia(tree, motion(tree, q))


def generalised_inertia(tree: JointTree, moved: TreeMotion) -> Array:
    """M for poses that are known already.

    M_ij is the power of joint i against the momentum that everything beyond joint j has when j alone moves at unit
    rate: composite rigid bodies (Walker & Orin 1982, J Dyn Syst Meas Control 104:205-211; Featherstone 2008, Rigid
    Body Dynamics Algorithms, table 6.2), all about one point, the mean of the centres of mass, so that inertias add.
    """
    about = moved.com_g.mean(axis=-2, keepdims=True)
    c = moved.com_g - about
    inertia = about_point(turned(tree.inertia_b, moved.R_gb), tree.mass[:, 0], c)
    mass = _inward(tree, tree.mass)
    first = _inward(tree, tree.mass * c)
    inertia = _inward(tree, inertia.reshape(*inertia.shape[:-2], 9)).reshape(inertia.shape)

    omega = moved.axis_g * tree.turns
    v = cross(omega, about - moved.origin_g) + moved.axis_g * (1 - tree.turns)
    p = mass * v + cross(omega, first)
    L = apply(inertia, omega) + cross(first, v)
    # row j: joint j moves alone; column i: felt at joint i, if i moves body j
    felt = L @ np.swapaxes(omega, -1, -2) + p @ np.swapaxes(v, -1, -2)
    lower = np.where(tree.moved_by, felt, 0.0)
    upper = np.where(np.eye(len(tree), dtype=bool), 0.0, lower)
    return np.asarray(lower + np.swapaxes(upper, -1, -2))


def jacobian(tree: JointTree, q: Array, body: int, point_b: Array) -> Array:
    """J(q): velocity of a point fixed in a body, and of the body's rotation, per joint rate.

    Parameters
    ----------
    tree : JointTree
    q : (…, n) array
    body : int
    point_b : (3,) array, m
        From the body's origin, body axes.

    Returns
    -------
    (…, 6, n) array
        Rows: v (m/s), then ω (rad/s), laboratory axes (Craig 2005, section 5.7; by columns: ẑ × r and ẑ of a
        revolute joint, ẑ and 0 of a prismatic one).
    """
    moved = motion(tree, q)
    point = moved.origin_g[..., body, :] + apply(moved.R_gb[..., body, :, :], np.asarray(point_b, dtype=float))
    r = point[..., None, :] - moved.origin_g
    angular = moved.axis_g * tree.turns
    columns = np.concatenate([cross(angular, r) + moved.axis_g * (1 - tree.turns), angular], axis=-1)
    return np.swapaxes(np.where(tree.moved_by[body][:, None], columns, 0.0), -1, -2)


def energy(tree: JointTree, q: Array, qd: Array, gravity_g: Array) -> tuple[Array, Array]:
    """Kinetic and potential energy, (…,) each, J; the potential is 0 with every mass at the laboratory's origin."""
    moved = motion(tree, q, qd)
    w_b = apply_transposed(moved.R_gb, moved.omega_g)
    moving = tree.mass[:, 0] * dot(moved.vel_g, moved.vel_g) + dot(w_b, apply(tree.inertia_b, w_b))
    return moving.sum(axis=-1) / 2, -(moved.com_g @ np.asarray(gravity_g)) @ tree.mass[:, 0]


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
