"""Inverse dynamics of open chains by the block matrix (substituted or as it stands) and by the plain recursion.

The chain is listed from its free (distal) ends. Joint i joins segment i to the one that it hangs from; its wrench is
what the proximal neighbour exerts on segment i, about the joint's centre. With F and r in laboratory axes, M in the
axes of its own segment, and the segments k that hang from i:

    Newton:  F_i − Σ F_k + E_i + m_i g = m_i a_i
    Euler, about the centre of mass, in axes of segment i:
             M_i + R_i (r_i × F_i) − Σ [R_i R_k⁻¹ M_k + R_i (r_k × F_k)] + R_i N_i = I_i α_i + ω_i × I_i ω_i

r_i and r_k run from the centre of mass to the proximal and a distal joint, E_i and N_i are the external force and its
moment about the centre of mass, R_i turns laboratory components into those of segment i: the transpose of R_gs here
(Watanabe RN, "Matrix formalism of the Newton-Euler equations", BMC notebooks, last section; with one distal
neighbour each this is his matrix). docs/dynamics.md derives it line by line.

In all solvers a vector with an unknown component is unknown in all three.
The solvers work through some thousand frames at a time, components first, so that what one step leaves is still in the
cache when the next one needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gaitid.dynamics import SOLVER_NAMES
from gaitid.dynamics.chain import Chain, Link, Wrench, solve_in_chunks
from gaitid.numerics import rotation
from gaitid.records import frozen_dataclass
from gaitid.trial import Array


def solve_constrained(chain: Chain, gravity_g: Array) -> list[Wrench]:
    """Joint wrenches from the multipliers of a 12n × 12n system a frame.

    Parameters
    ----------
    chain : Chain
    gravity_g : (3,) array, m/s²

    Returns
    -------
    list of Wrench
        One a link: of the proximal neighbour on the link, about the joint's centre, laboratory axes.
    """

    def solve(part: Chain) -> Array:
        _, multipliers = accelerations_and_multipliers(part, gravity_g)
        return -multipliers

    return solve_in_chunks(chain, solve)


def accelerations_and_multipliers(chain: Chain, gravity_g: Array) -> tuple[Array, Array]:
    """q̈ (centre of mass, laboratory axes; turning, body axes) and λ (point, orientation), (frames, links, 2, 3) each.

    Each body's equations are divided by what its joint carries, and its multipliers counted in that unit: else the
    loads of a light foot would drown in the rounding of a heavy trunk's.
    """
    n, frames = len(chain.links), len(chain.links[0].com_g)
    M, Q = _masses_and_forces(chain, gravity_g)
    jacobian = _jacobian(chain)
    measured = np.stack(
        [a for link in chain.links for a in (link.acc_g, rotation.apply_transposed(link.R_gs, link.alpha_g))], axis=1
    ).reshape(frames, 6 * n)
    gamma = rotation.apply(jacobian, measured)
    unit = np.repeat(_carried(chain), 6, axis=1)
    matrix = np.zeros((frames, 12 * n, 12 * n))
    matrix[:, : 6 * n, : 6 * n] = M / unit[:, :, None]
    matrix[:, : 6 * n, 6 * n :] = np.swapaxes(jacobian, 1, 2) * (unit[:, None, :] / unit[:, :, None])
    matrix[:, 6 * n :, : 6 * n] = jacobian
    right = np.concatenate([Q / unit, gamma], axis=1)
    x = np.linalg.solve(matrix, right[..., None])[..., 0]
    return x[:, : 6 * n].reshape(frames, n, 2, 3), (x[:, 6 * n :] * unit).reshape(frames, n, 2, 3)


def _carried(chain: Chain) -> Array:
    """What hangs from each joint, (frames, links), kg: masses, and loads as the masses that 10 m/s² would need."""
    by_itself = np.empty((len(chain.links[0].com_g), len(chain.links)))
    for i, link in enumerate(chain.links):
        by_itself[:, i] = link.mass
        if link.load is not None:
            load = link.load.at(link.com_g)
            by_itself[:, i] += (np.abs(load.f_g).sum(axis=1) + np.abs(load.m_g).sum(axis=1)) / 10
    carried = np.stack([by_itself[:, chain.beyond(i)].sum(axis=1) for i in range(len(chain.links))], axis=1)
    return np.where(carried > 0, carried, 1.0)


def _masses_and_forces(chain: Chain, gravity_g: Array) -> tuple[Array, Array]:
    """M, (frames, 6n, 6n), and Q, (frames, 6n)."""
    n, frames = len(chain.links), len(chain.links[0].com_g)
    M, Q = np.zeros((frames, n, 2, 3, n, 2, 3)), np.zeros((frames, n, 2, 3))
    for i, link in enumerate(chain.links):
        M[:, i, 0, :, i, 0] = link.mass * np.eye(3)
        M[:, i, 1, :, i, 1] = link.inertia_s
        Q[:, i, 0] = link.mass * gravity_g
        Q[:, i, 1] = -_gyroscopic_s(link)
        if link.load is not None:
            load = link.load.at(link.com_g)
            Q[:, i, 0] += load.f_g
            Q[:, i, 1] += rotation.apply_transposed(link.R_gs, load.m_g)
    return M.reshape(frames, 6 * n, 6 * n), Q.reshape(frames, 6 * n)


def _gyroscopic_s(link: Link) -> Array:
    """ω × I ω, (frames, 3), segment axes."""
    omega = rotation.apply_transposed(link.R_gs, link.omega_g)
    return rotation.cross(omega, rotation.apply(link.inertia_s, omega))


def _jacobian(chain: Chain) -> Array:
    """Φq, (frames, 6n, 6n): rows point and orientation of each joint, columns translation and turning of each body."""
    n, frames = len(chain.links), len(chain.links[0].com_g)
    jacobian = np.zeros((frames, n, 2, 3, n, 2, 3))
    for i, link in enumerate(chain.links):
        for sign, b in ((1.0, i), (-1.0, chain.proximal[i])):
            if b is None:  # the laboratory does not move
                continue
            body = chain.links[b]
            jacobian[:, i, 0, :, b, 0] = sign * np.eye(3)
            # ω × r = −r × R ω', in the body's own ω': column by column −r × (axis of the body)
            axes = np.swapaxes(body.R_gs, 1, 2)
            arm = (link.joint_g - body.com_g)[:, None]
            jacobian[:, i, 0, :, b, 1] = -sign * np.swapaxes(rotation.cross(arm, axes), 1, 2)
            jacobian[:, i, 1, :, b, 1] = sign * body.R_gs
    return jacobian.reshape(frames, 6 * n, 6 * n)


def cross(a: Array, b: Array) -> Array:
    """a × b, (3, frames)."""
    result = np.empty_like(b)
    np.subtract(a[1] * b[2], a[2] * b[1], out=result[0])
    np.subtract(a[2] * b[0], a[0] * b[2], out=result[1])
    np.subtract(a[0] * b[1], a[1] * b[0], out=result[2])
    return result


def apply(R: Array, v: Array) -> Array:
    """R v, of (3, 3, frames) and (3, frames)."""
    result: Array = R[:, 0] * v[0]
    result += R[:, 1] * v[1]
    result += R[:, 2] * v[2]
    return result


def apply_transposed(R: Array, v: Array) -> Array:
    """Rᵀ v, of (3, 3, frames) and (3, frames)."""
    result: Array = R[0] * v[0]
    result += R[1] * v[1]
    result += R[2] * v[2]
    return result


def blank_partial(v: Array) -> Array:
    """The same array, in place: a vector with an unknown component is unknown in all three."""
    unknown = np.isnan(v[0] + v[1] + v[2])
    if unknown.any():
        v[:, unknown] = np.nan
    return v


def _first(values: Array) -> Array:
    return np.ascontiguousarray(values.reshape(len(values), -1).T)


@frozen_dataclass(eq=False)
class JointLoad:
    """What a segment's proximal neighbour exerts on it, and where; (3, frames), laboratory axes."""

    F: Array
    M: Array
    P: Array


class LinkRows:
    """Some frames of a link: (3, frames) vectors and (3, 3, frames) matrices named as the link's."""

    def __init__(self, link: Link, rows: slice) -> None:
        inertia = link.inertia_s[None] if link.inertia_s.ndim == 2 else link.inertia_s[rows]
        self.mass = link.mass if np.ndim(link.mass) == 0 else np.asarray(link.mass)[rows]
        self.inertia_s, self.R_gs = (_first(m).reshape(3, 3, -1) for m in (inertia, link.R_gs[rows]))
        self.com_g, self.acc_g, self.omega_g, self.alpha_g, self.joint_g = (
            _first(v[rows]) for v in (link.com_g, link.acc_g, link.omega_g, link.alpha_g, link.joint_g)
        )
        self.load: JointLoad | None = None
        if (load := link.load) is not None:
            self.load = JointLoad(*(_first(v[rows]) for v in (load.f_g, load.m_g, load.p_g)))


_CHUNK = 4096  # frames whose vectors fit a cache
#: A joint's force and moment from its segment and the joints that hang from it.
Step = Callable[[LinkRows, Sequence[JointLoad]], tuple[Array, Array]]


def inertia_moment_s(body: LinkRows) -> Array:
    """I α + ω × I ω, segment axes."""
    omega, alpha = apply_transposed(body.R_gs, body.omega_g), apply_transposed(body.R_gs, body.alpha_g)
    return apply(body.inertia_s, alpha) + cross(omega, apply(body.inertia_s, omega))


def _lever(body: LinkRows, point_g: Array) -> Array:
    """r: from the centre of mass to a point."""
    return point_g - body.com_g


def _right_side(body: LinkRows, gravity_g: Array) -> tuple[Array, Array]:
    """What Newton's row (m a − m g − E, laboratory axes) and Euler's (I α + ω × I ω − R N, segment axes) equal."""
    newton, euler = body.mass * (body.acc_g - gravity_g[:, None]), inertia_moment_s(body)
    if body.load is not None:
        E = body.load
        N = E.M + cross(_lever(body, E.P), E.F)
        newton, euler = newton - E.F, euler - apply_transposed(body.R_gs, N)
    return newton, euler


def _from_the_free_ends(chain: Chain, step: Step) -> list[Wrench]:
    """The joints' wrenches by `step`, one after the other and some frames at a time."""
    forces, moments = ([np.empty(link.com_g.shape) for link in chain.links] for _ in range(2))
    for start in range(0, len(chain.links[0].com_g), _CHUNK):
        rows = slice(start, start + _CHUNK)
        joints: list[JointLoad] = []
        for i, link in enumerate(chain.links):
            body = LinkRows(link, rows)
            F, M = step(body, [joints[k] for k in chain.distal(i)])
            joints.append(JointLoad(blank_partial(F), blank_partial(M), body.joint_g))
            forces[i][rows], moments[i][rows] = F.T, M.T
    for values in (*forces, *moments):
        values.setflags(write=False)  # so that a wrench keeps them without a copy
    return [Wrench(F, M, link.joint_g) for F, M, link in zip(forces, moments, chain.links, strict=True)]


def solve_block(chain: Chain, gravity_g: Array) -> list[Wrench]:
    """Joint wrenches by block forward substitution: the block matrix is lower triangular.

    Parameters
    ----------
    chain : Chain
    gravity_g : (3,) array, m/s²
        For example (0, 0, −9.81).

    Returns
    -------
    list of Wrench
        One a link: of the proximal neighbour on the link, about the joint's centre, laboratory axes.
    """

    def step(body: LinkRows, distal: Sequence[JointLoad]) -> tuple[Array, Array]:
        newton, euler = _right_side(body, gravity_g)
        # Newton's row: [… −1 0 … | 1 0]
        F = newton
        for k in distal:
            F = F + k.F
        # Euler's row: [… −R S(r_k)  −R R_k⁻¹ … | R S(r_i)  1], with S(r) F = r × F; k.M is R_k⁻¹ M_k already
        others = -cross(_lever(body, body.joint_g), F)
        for k in distal:
            others = others + cross(_lever(body, k.P), k.F) + k.M
        M = euler + apply_transposed(body.R_gs, others)
        return F, apply(body.R_gs, M)

    return _from_the_free_ends(chain, step)


def _skew(v: Array) -> Array:
    """(…, 3, 3) matrices S with S w = v × w."""
    S = np.zeros((*v.shape, 3))
    S[..., 0, 1], S[..., 0, 2] = -v[..., 2], v[..., 1]
    S[..., 1, 0], S[..., 1, 2] = v[..., 2], -v[..., 0]
    S[..., 2, 0], S[..., 2, 1] = -v[..., 1], v[..., 0]
    return S


def block_matrix(chain: Chain) -> Array:
    """The matrix itself, (frames, 6n, 6n), rows Newton and Euler of each link, columns F and M of each joint."""
    n, frames = len(chain.links), len(chain.links[0].com_g)
    matrix = np.zeros((frames, n, 2, 3, n, 2, 3))
    identity = np.eye(3)
    for i, link in enumerate(chain.links):
        R = np.swapaxes(link.R_gs, -1, -2)
        matrix[:, i, 0, :, i, 0] = identity
        matrix[:, i, 1, :, i, 0] = R @ _skew(link.joint_g - link.com_g)
        matrix[:, i, 1, :, i, 1] = identity
        for k in chain.distal(i):
            below = chain.links[k]
            matrix[:, i, 0, :, k, 0] = -identity
            matrix[:, i, 1, :, k, 0] = -R @ _skew(below.joint_g - link.com_g)
            matrix[:, i, 1, :, k, 1] = -R @ below.R_gs
    return matrix.reshape(frames, 6 * n, 6 * n)


def solve_dense(chain: Chain, gravity_g: Array) -> list[Wrench]:
    """The same matrix solved as it stands, 6n × 6n a frame, by LU: a check of the substitution."""

    def solve(part: Chain) -> Array:
        bodies = [LinkRows(link, slice(None)) for link in part.links]
        right = np.concatenate([side for body in bodies for side in _right_side(body, gravity_g)])
        x = np.linalg.solve(block_matrix(part), right.T[..., None]).reshape(right.shape[1], len(bodies), 2, 3)
        for i, body in enumerate(bodies):
            x[:, i, 1] = apply(body.R_gs, x[:, i, 1].T).T
        return x

    return solve_in_chunks(chain, solve)


def solve_recursive(chain: Chain, gravity_g: Array) -> list[Wrench]:
    """Newton-Euler recursion in laboratory axes, each step about the proximal joint.

    M_i = Σ over the segment of I α + ω × I ω + (c − P_i) × m (a − g) − external about P_i + wrenches below about P_i.
    """

    def step(body: LinkRows, distal: Sequence[JointLoad]) -> tuple[Array, Array]:
        P = body.joint_g
        F = body.mass * (body.acc_g - gravity_g[:, None])
        M = apply(body.R_gs, inertia_moment_s(body)) + cross(body.com_g - P, F)
        if body.load is not None:
            E = body.load
            F, M = F - E.F, M - E.M - cross(E.P - P, E.F)
        for k in distal:
            F, M = F + k.F, M + k.M + cross(k.P - P, k.F)
        return F, M

    return _from_the_free_ends(chain, step)


Solver = Callable[[Chain, Array], list[Wrench]]
SOLVERS: Mapping[str, Solver] = dict(
    zip(SOLVER_NAMES, (solve_block, solve_dense, solve_recursive, solve_constrained), strict=True)
)
