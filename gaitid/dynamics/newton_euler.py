"""Inverse dynamics of an open chain of n segments: block matrix, the same matrix dense, and a plain recursion.

The chain is listed from its free (distal) end. Joint i joins segment i to the next; its wrench is the one that
the proximal neighbour exerts on segment i at the joint's centre. With F and r in laboratory axes (G) and M in
the axes of its own segment:

    Newton:  F_i − F_{i−1} + E_i + m_i g = m_i a_i
    Euler, about the centre of mass, in axes of segment i:
             M_i − R_i R_{i−1}⁻¹ M_{i−1} + R_i (r_i × F_i) − R_i (r_{i−1} × F_{i−1}) + R_i N_i
                 = I_i α_i + ω_i × I_i ω_i

r_i and r_{i−1} run from the centre of mass to the proximal and distal joint, E_i and N_i are the external force
and its moment about the centre of mass, R_i turns laboratory components into those of segment i
(reference: Watanabe RN, "Matrix formalism of the Newton-Euler equations", BMC notebooks, last section; its
R is the transpose of R_gs here).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.dynamics.wrench import Wrench
from gaitid.rotation import apply, apply_transposed, cross
from gaitid.trial import Array, frozen


@dataclass(frozen=True, eq=False)
class Link:
    """One segment of a chain with everything that acts on it but its joints; laboratory axes.

    Attributes
    ----------
    mass : float, kg
    inertia_s : (3, 3) or (frames, 3, 3) array, kg·m²
        About the centre of mass, segment axes.
    R_gs : (frames, 3, 3) array
    com_g, acc_g : (frames, 3) arrays, m and m/s²
    omega_g, alpha_g : (frames, 3) arrays, rad/s and rad/s²
    joint_g : (frames, 3) array, m
        Centre of the proximal joint.
    external : Wrench or None
        The ground's action on the segment.
    """

    mass: float
    inertia_s: Array
    R_gs: Array
    com_g: Array
    acc_g: Array
    omega_g: Array
    alpha_g: Array
    joint_g: Array
    external: Wrench | None = None

    def __post_init__(self) -> None:
        for name in ("inertia_s", "R_gs", "com_g", "acc_g", "omega_g", "alpha_g", "joint_g"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


def inertia_moment_s(link: Link) -> Array:
    """I α + ω × I ω, (frames, 3), segment axes."""
    omega, alpha = apply_transposed(link.R_gs, link.omega_g), apply_transposed(link.R_gs, link.alpha_g)
    return apply(link.inertia_s, alpha) + cross(omega, apply(link.inertia_s, omega))


def _skew(v: Array) -> Array:
    """(…, 3, 3) matrices S with S w = v × w."""
    S = np.zeros((*v.shape, 3))
    S[..., 0, 1], S[..., 0, 2] = -v[..., 2], v[..., 1]
    S[..., 1, 0], S[..., 1, 2] = v[..., 2], -v[..., 0]
    S[..., 2, 0], S[..., 2, 1] = -v[..., 1], v[..., 0]
    return S


def _blocks(links: list[Link], gravity_g: Array) -> tuple[list[Array], list[Array | None], list[Array]]:
    """Diagonal blocks, blocks to their left, and right-hand sides: (frames, 6, 6), (frames, 6, 6), (frames, 6)."""
    diagonal: list[Array] = []
    left: list[Array | None] = []
    right: list[Array] = []
    for i, link in enumerate(links):
        n = len(link.com_g)
        R_sg = np.swapaxes(link.R_gs, -1, -2)
        own = np.zeros((n, 6, 6))
        own[:, [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]] = 1.0
        own[:, 3:, :3] = R_sg @ _skew(link.joint_g - link.com_g)
        diagonal.append(own)
        if i == 0:
            left.append(None)
        else:
            below = links[i - 1]
            other = np.zeros((n, 6, 6))
            other[:, [0, 1, 2], [0, 1, 2]] = -1.0
            other[:, 3:, :3] = -R_sg @ _skew(below.joint_g - link.com_g)
            other[:, 3:, 3:] = -R_sg @ below.R_gs
            left.append(other)
        rhs = np.empty((n, 6))
        rhs[:, :3] = link.mass * (link.acc_g - gravity_g)
        rhs[:, 3:] = inertia_moment_s(link)
        if link.external is not None:
            about_com = link.external.at(link.com_g)
            rhs[:, :3] -= about_com.f_g
            rhs[:, 3:] -= apply(R_sg, about_com.m_g)
        right.append(rhs)
    return diagonal, left, right


def _wrenches(links: list[Link], solution: list[Array]) -> list[Wrench]:
    return [Wrench(x[:, :3], apply(link.R_gs, x[:, 3:]), link.joint_g) for link, x in zip(links, solution, strict=True)]


def solve_block(links: list[Link], gravity_g: Array) -> list[Wrench]:
    """Joint wrenches by block forward substitution: the block matrix is lower triangular.

    Parameters
    ----------
    links : list of Link
        From the free end to the base.
    gravity_g : (3,) array, m/s²
        For example (0, 0, −9.81).

    Returns
    -------
    list of Wrench
        One a joint, of the proximal on the distal segment, about the joint's centre, laboratory axes.
    """
    diagonal, left, right = _blocks(links, gravity_g)
    solution: list[Array] = []
    for i, (own, other, rhs) in enumerate(zip(diagonal, left, right, strict=True)):
        if other is not None:
            rhs = rhs - apply(other, solution[i - 1])
        # own = [1 0; S 1]: the forces at once, then the moments
        x = rhs.copy()
        x[:, 3:] -= apply(own[:, 3:, :3], rhs[:, :3])
        solution.append(x)
    return _wrenches(links, solution)


def solve_dense(links: list[Link], gravity_g: Array) -> list[Wrench]:
    """The same matrix solved as it stands, 6n × 6n a frame, by LU: a check of the substitution."""
    diagonal, left, right = _blocks(links, gravity_g)
    frames, n = len(links[0].com_g), 6 * len(links)
    matrix, rhs = np.zeros((frames, n, n)), np.concatenate(right, axis=1)
    for i, (own, other) in enumerate(zip(diagonal, left, strict=True)):
        at = slice(6 * i, 6 * i + 6)
        matrix[:, at, at] = own
        if other is not None:
            matrix[:, at, 6 * i - 6 : 6 * i] = other
    x = np.full((frames, n), np.nan)
    # A frame in which a segment is unknown still has the joints below it: the leading part of the matrix is whole.
    whole = np.array([np.isfinite(matrix[:, :m, :m]).all(axis=(1, 2)) & np.isfinite(rhs[:, :m]).all(axis=1)
                      for m in range(6, n + 1, 6)])  # fmt: skip
    size = 6 * whole.sum(axis=0)
    for m in range(6, n + 1, 6):
        known = size == m
        if known.any():
            x[known, :m] = np.linalg.solve(matrix[known, :m, :m], rhs[known, :m, None])[..., 0]
    return _wrenches(links, [x[:, 6 * i : 6 * i + 6] for i in range(len(links))])


def solve_recursive(links: list[Link], gravity_g: Array) -> list[Wrench]:
    """Newton-Euler recursion in laboratory axes, each step about the proximal joint.

    M_i = Σ over the segment of I α + ω × I ω + (c − P_i) × m (a − g) − external about P_i + wrench below about P_i.
    """
    wrenches: list[Wrench] = []
    for link in links:
        P = link.joint_g
        inertial = link.mass * (link.acc_g - gravity_g)
        f = inertial
        m = apply(link.R_gs, inertia_moment_s(link)) + cross(link.com_g - P, inertial)
        if link.external is not None:
            f = f - link.external.f_g
            m = m - link.external.at(P).m_g
        if wrenches:
            below = wrenches[-1].at(P)
            f, m = f + below.f_g, m + below.m_g
        wrenches.append(Wrench(f, m, P))
    return wrenches


Solver = Callable[[list[Link], Array], list[Wrench]]
SOLVERS: Mapping[str, Solver] = {"block": solve_block, "dense": solve_dense, "recursive": solve_recursive}
