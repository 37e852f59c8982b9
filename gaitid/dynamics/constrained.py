"""Inverse dynamics with Lagrange multipliers: every body free in space, every joint a set of constraints.

Coordinates of body i: the centre of mass in laboratory axes and small turnings about the body's own axes, so that its
mass matrix diag(m 1, I) is constant. Joint i ties it to the body j that it hangs from, or to the laboratory:

    Φ_P = p_i − p_j     the joint's point is common               rows [1  −S(d) R_i | −1  S(e) R_j]
    Φ_θ                 the orientation is driven as measured     rows [0  R_i | 0  −R_j]

with d and e from the centres of mass of i and j to the joint's point, S(r) v = r × v, and R the bodies' R_gs.
Equations of motion and constraints are solved at once, the simultaneous form of a kinematically driven mechanism
(Haug EJ 1989, Computer Aided Kinematics and Dynamics, ch. 6 and 11; Nikravesh PE 1988, Computer-Aided Analysis of
Mechanical Systems, ch. 8 and 11):

    [M  Φqᵀ] [q̈]   [Q]         M q̈ = Q − Φqᵀ λ
    [Φq  0 ] [λ] = [γ]

Q holds gravity, loads and −ω × I ω. The joint's load on body i is −Φqᵀ λ: force −λ_P and moment −λ_θ about the
joint's point, both in laboratory axes. γ is what makes the driven motion the measured one: the relative accelerations
as measured (of the two bodies' points at the joint, not zero where skin moves; and of turning) less the terms of Φ̈
without q̈, which is Φq times the measured accelerations.
"""

from __future__ import annotations

import numpy as np

from gaitid.dynamics.chain import Chain, Link, solve_in_chunks
from gaitid.dynamics.wrench import Wrench
from gaitid.numerics.rotation import apply, apply_transposed, cross
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
        [a for link in chain.links for a in (link.acc_g, apply_transposed(link.R_gs, link.alpha_g))], axis=1
    ).reshape(frames, 6 * n)
    gamma = apply(jacobian, measured)
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
            Q[:, i, 1] += apply_transposed(link.R_gs, load.m_g)
    return M.reshape(frames, 6 * n, 6 * n), Q.reshape(frames, 6 * n)


def _gyroscopic_s(link: Link) -> Array:
    """ω × I ω, (frames, 3), segment axes."""
    omega = apply_transposed(link.R_gs, link.omega_g)
    return cross(omega, apply(link.inertia_s, omega))


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
            jacobian[:, i, 0, :, b, 1] = -sign * np.swapaxes(cross(arm, axes), 1, 2)
            jacobian[:, i, 1, :, b, 1] = sign * body.R_gs
    return jacobian.reshape(frames, 6 * n, 6 * n)
