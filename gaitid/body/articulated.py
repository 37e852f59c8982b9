"""The step of a chain's coordinates toward its markers, solved from the free ends to the base and back.

Markers act as point masses w and what they are off as forces, so that JᵀWJ is the mass matrix of the chain: these are
parts of the articulated-body recursion (Featherstone R (2008) Rigid Body Dynamics Algorithms, ch. 7). A vector of six
holds turning before shifting, about the point 0 that lies amid the markers.
"""

from __future__ import annotations

import numpy as np

from gaitid.numerics.marker_sums import MarkerSums
from gaitid.numerics.rotation import apply, cross
from gaitid.records import NamedTuple
from gaitid.trial import Array

# m². Information that coordinates have which no marker tells, so that the equations stay solvable.
FLOOR = 1e-10


class Link(NamedTuple):
    """What the recursion from the free ends to the base leaves of a joint, for the way back."""

    S: Array
    U: Array
    inverse: Array
    u: Array
    pushed: Array


class JointTerms(NamedTuple):
    """What a joint adds to the equations of the chain.

    Attributes
    ----------
    S : (frames, 6, n) array
        Its screws; 0 for a coordinate that is held.
    bend : (frames, 6, n) array or None
        What its second derivatives add to U (`bend_of`).
    own : (frames, n, n) array
        Diagonal terms: pulls, damping, and 1 for a coordinate that is held.
    pushed : (frames, n) array
        What markers and pulls push along its coordinates.
    pull : (frames, n) array
        Of that the pulls.
    damping : (frames,) array
    """

    S: Array
    bend: Array | None
    own: Array
    pushed: Array
    pull: Array
    damping: Array


def eliminate(joint: JointTerms, inertias: list[Array], forces: list[Array], at: tuple[int, int]) -> Link:
    """Take a joint's coordinates out of the equations: what is left of its segment acts on the one above (in place)."""
    (k, above), S = at, joint.S
    n = S.shape[2]
    U = inertias[k] @ S
    D = np.swapaxes(S, 1, 2) @ U
    size = np.trace(D, axis1=1, axis2=2) / n
    D = D + joint.own + (FLOOR + joint.damping * size)[:, None, None] * np.eye(n)
    if joint.bend is not None:
        U = U + joint.bend
    u = transposed(S, forces[k]) + joint.pull
    inverse = _inverse(D)
    UD = U @ inverse
    inertias[above] += inertias[k] - UD @ np.swapaxes(U, 1, 2)
    forces[above] += forces[k] - apply(UD, u)
    return Link(S, U, inverse, u, joint.pushed)


def curvature_of(sums: MarkerSums, R: Array, origin: Array) -> Array:
    """(frames, 3, 3) Σ w r (p − 0)ᵀ transposed: markers p where the segment has them, r what they are off."""
    centre = origin + apply(R, sums.centre_s)
    force = sums.weight[:, None] * (sums.centre_g - centre)
    M = sums.cross @ np.swapaxes(R, 1, 2)
    return np.asarray(
        centre[:, :, None] * force[:, None, :] + np.swapaxes(M, 1, 2) - R @ sums.spread_s @ np.swapaxes(R, 1, 2)
    )


def bend_of(S: Array, n_turns: int, curvature: Array, force: Array, centre: Array) -> Array:
    """(frames, 6, n) so that S_jᵀ bend is − Σ w r · ∂²p/∂q_j∂q_k for each coordinate j between k and the room.

    A marker p that k turns about u, and j above it about u', has ∂²p/∂q_j∂q_k = u' × (u × (p − c)); one that k shifts
    along e has u' × e.

    Parameters
    ----------
    S : (frames, 6, n) array
        Screws of the joint, turns first.
    n_turns : int
    curvature : (frames, 3, 3) array
        Σ w p rᵀ of all markers beyond the joint.
    force : (frames, 3) array
        Σ w r of them.
    centre : (frames, 3) array
        Of the joint.
    """
    N = curvature - centre[:, :, None] * force[:, None, :]
    bend = np.zeros_like(S)
    turns = S[:, :3, :n_turns]
    bend[:, :3, :n_turns] = np.trace(N, axis1=1, axis2=2)[:, None, None] * turns - N @ turns
    for column in range(n_turns, S.shape[2]):
        bend[:, :3, column] = cross(force, S[:, 3:, column])
    return bend


def inertia_of(sums: MarkerSums, R: Array, origin: Array) -> Array:
    """(frames, 6, 6) Σ w of turning about 0 and shifting: the spatial inertia of the markers as point masses."""
    centre = origin + apply(R, sums.centre_s)
    second = R @ sums.spread_s @ np.swapaxes(R, 1, 2)
    second = second + sums.weight[:, None, None] * (centre[:, :, None] * centre[:, None, :])
    K = skew(sums.weight[:, None] * centre)
    whole = np.zeros((len(R), 6, 6))
    whole[:, :3, :3] = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    whole[:, :3, 3:], whole[:, 3:, :3] = K, -K
    whole[:, 3:, 3:] = sums.weight[:, None, None] * np.eye(3)
    return whole


def force_of(sums: MarkerSums, R: Array, origin: Array) -> Array:
    """(frames, 6) moment about 0 and force, Σ w of what the markers are off."""
    centre = origin + apply(R, sums.centre_s)
    force = sums.weight[:, None] * (sums.centre_g - centre)
    M = sums.cross @ np.swapaxes(R, 1, 2)
    own = np.stack([M[:, 2, 1] - M[:, 1, 2], M[:, 0, 2] - M[:, 2, 0], M[:, 1, 0] - M[:, 0, 1]], axis=1)
    return np.concatenate([own + cross(centre, force), force], axis=1)


def of_both(inertia: Array) -> Array:
    """(frames, 6, 6) diagonal: the mean moment for turning and the weight for shifting, so that no direction counts."""
    diagonal = np.zeros_like(inertia)
    for part in (slice(0, 3), slice(3, 6)):
        mean = np.trace(inertia[:, part, part], axis1=1, axis2=2) / 3
        diagonal[:, part, part] = mean[:, None, None] * np.eye(3)
    return diagonal


def _inverse(D: Array) -> Array:
    """Inverses of symmetric matrices (frames, n, n); of 3 × 3 by cross products, in a third of the time."""
    if D.shape[1] == 1:
        return np.asarray(1.0 / D)
    if D.shape[1] != 3:
        return np.asarray(np.linalg.inv(D))
    rows = cross(D[:, [1, 2, 0]], D[:, [2, 0, 1]])
    return np.asarray(rows / np.einsum("fi,fi->f", D[:, 0], rows[:, 0])[:, None, None])


def transposed(S: Array, v: Array) -> Array:
    return np.asarray((v[:, None] @ S)[:, 0])


def skew(v: Array) -> Array:
    K = np.zeros((len(v), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    K[:, 1, 0], K[:, 2, 0], K[:, 2, 1] = v[:, 2], -v[:, 1], v[:, 0]
    return K
