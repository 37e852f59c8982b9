"""The step of a chain's coordinates toward its markers, solved from the free ends to the base and back.

Markers act as point masses w and what they are off as forces, so that JᵀWJ is the mass matrix of the chain: these are
parts of the articulated-body recursion (Featherstone R (2008) Rigid Body Dynamics Algorithms, ch. 7). A vector of six
holds turning before shifting, about the point 0 that lies amid the markers. Arrays are (frames, …) in the order
of memory of `gaitid.numerics.joint_path`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.joints import Segment, State, forward, joint_of, screws
from gaitid.numerics.joint_path import (
    MarkerSums,
    diagonal,
    frames_last,
    inverse_3,
    product,
    product_transposed,
    transposed_product,
    zeros,
)
from gaitid.numerics.rotation import apply, cross
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

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
    U = product(inertias[k], S)
    D = transposed_product(S, U)
    size = np.einsum("fii->f", D) / max(n, 1)
    D += joint.own
    diagonal(D)[...] += (FLOOR + joint.damping * size)[:, None]
    if joint.bend is not None:
        U = U + joint.bend
    u = transposed(S, forces[k]) + joint.pull
    inverse = _inverse(D)
    UD = product(U, inverse)
    inertias[above] += inertias[k] - product_transposed(UD, U)
    forces[above] += forces[k] - apply(UD, u)
    return Link(S, U, inverse, u, joint.pushed)


def curvature_of(sums: MarkerSums, R: Array, origin: Array) -> Array:
    """(frames, 3, 3) Σ w r (p − 0)ᵀ transposed: markers p where the segment has them, r what they are off."""
    centre = origin + apply(R, sums.centre_s)
    force = sums.weight[:, None] * (sums.centre_g - centre)
    off = sums.cross - product(R, sums.spread_s)
    return np.asarray(centre[:, :, None] * force[:, None, :] + product_transposed(R, off))


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
    bend = zeros(*S.shape)
    turns = S[:, :3, :n_turns]
    bend[:, :3, :n_turns] = np.einsum("fii->f", N)[:, None, None] * turns - product(N, turns)
    for column in range(n_turns, S.shape[2]):
        bend[:, :3, column] = cross(force, S[:, 3:, column])
    return bend


def inertia_of(sums: MarkerSums, R: Array, origin: Array) -> Array:
    """(frames, 6, 6) Σ w of turning about 0 and shifting: the spatial inertia of the markers as point masses."""
    centre = origin + apply(R, sums.centre_s)
    weighed = sums.weight[:, None] * centre
    second = product_transposed(product(R, sums.spread_s), R)
    second += weighed[:, :, None] * centre[:, None, :]
    K = skew(weighed)
    whole = zeros(len(R), 6, 6)
    np.negative(second, out=whole[:, :3, :3])
    diagonal(whole)[:, :3] += np.einsum("fii->f", second)[:, None]
    whole[:, :3, 3:], whole[:, 3:, :3] = K, -K
    diagonal(whole)[:, 3:] = sums.weight[:, None]
    return whole


def force_of(sums: MarkerSums, R: Array, origin: Array) -> Array:
    """(frames, 6) moment about 0 and force, Σ w of what the markers are off."""
    centre = origin + apply(R, sums.centre_s)
    force = sums.weight[:, None] * (sums.centre_g - centre)
    M = product_transposed(sums.cross, R)
    moment = cross(centre, force)
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        moment[:, i] += M[:, k, j] - M[:, j, k]
    return np.concatenate([moment, force], axis=1)


def of_both(inertia: Array) -> Array:
    """(frames, 6, 6) diagonal: the mean moment for turning and the weight for shifting, so that no direction counts."""
    means = zeros(*inertia.shape)
    for part in (slice(0, 3), slice(3, 6)):
        diagonal(means)[:, part] = diagonal(inertia)[:, part].mean(axis=1)[:, None]
    return means


def _inverse(D: Array) -> Array:
    """Inverses of symmetric matrices (frames, n, n); of 3 × 3 by cross products, in a third of the time."""
    if D.shape[1] == 1:
        return np.asarray(1.0 / D)
    if D.shape[1] != 3:
        return np.asarray(np.linalg.inv(D))
    return inverse_3(D)


def transposed(S: Array, v: Array) -> Array:
    return np.asarray(np.einsum("fi,fij->fj", v, S))


def skew(v: Array) -> Array:
    K = zeros(len(v), 3, 3)
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    K[:, 1, 0], K[:, 2, 0], K[:, 2, 1] = v[:, 2], -v[:, 1], v[:, 0]
    return K


# rad/m and m/m. A millimetre of noise in each marker turns a coordinate that is not determined by more than 0.2 rad,
# as it does a body whose markers lie within 5 mm of a line, and shifts one by more than a centimetre.
LOOSEST_TURN, LOOSEST_SHIFT = 200.0, 10.0


def determined_by(chain: Sequence[Segment], sums: Sequence[MarkerSums], state: State) -> Mask:
    """(frames, coordinates) whether markers of equal weight tell a coordinate: by the diagonal of (JᵀJ)⁻¹.

    The covariance of noise of one unit in each marker, passed on from the base to the free ends.
    """
    R, origin = forward(chain, state)
    inertias = [inertia_of(s, r, o) for s, r, o in zip(sums, R, origin, strict=True)]
    unused = [zeros(len(state.R), 6) for _ in chain]
    links: list[Link] = []
    for k in range(len(chain) - 1, 0, -1):
        joint, q = joint_of(chain[k]), state.q[k - 1]
        S = screws(joint, q, origin[k] + apply(R[k], joint.centre_d), R[joint.proximal], R[k])
        n, zero = len(joint.free), np.zeros(len(q))
        nothing = zeros(len(q), n)
        terms = JointTerms(S, None, np.zeros((1, n, n)), nothing, nothing, zero)
        links.append(eliminate(terms, inertias, unused, (k, joint.proximal)))
    links.reverse()
    covariance = [frames_last(np.asarray(np.linalg.inv(inertias[0] + FLOOR * np.eye(6)), dtype=float))]
    deviations = [_of_axes(covariance[0], R[0], origin[0])]
    for k, link in enumerate(links, start=1):
        joint = joint_of(chain[k])
        UD = product(link.U, link.inverse)
        above = covariance[joint.proximal]
        shared = product(above, UD)
        own = link.inverse + transposed_product(UD, shared)
        deviations.append(np.sqrt(np.maximum(diagonal(own), 0.0)))
        # (1 − S UDᵀ) above (1 − S UDᵀ)ᵀ + S inverse Sᵀ
        half = product_transposed(shared - 0.5 * product(link.S, own), link.S)
        covariance.append(above - half - np.swapaxes(half, 1, 2))
    loosest = [LOOSEST_TURN] * 3 + [LOOSEST_SHIFT] * 3
    for segment in chain[1:]:
        loosest += [LOOSEST_TURN if i < 3 else LOOSEST_SHIFT for i in joint_of(segment).free]
    return np.asarray(np.concatenate(deviations, axis=1) < loosest)


def _of_axes(covariance: Array, R: Array, origin: Array) -> Array:
    """(frames, 6) standard deviations of turning about the axes of the base, and of shifting its origin along them."""
    to_origin = zeros(len(R), 6, 6)
    to_origin[:, :3, :3] = to_origin[:, 3:, 3:] = np.swapaxes(R, 1, 2)
    to_origin[:, 3:, :3] = -transposed_product(R, skew(origin))  # v + ω × o
    own = product_transposed(product(to_origin, covariance), to_origin)
    return np.asarray(np.sqrt(np.maximum(diagonal(own), 0.0)))
