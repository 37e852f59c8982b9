"""Markers and a chain's pose -> which of its coordinates the markers tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.articulated import FLOOR, JointTerms, Link, eliminate, inertia_of, skew
from gaitid.body.joints import Segment, State, forward, joint_of, screws
from gaitid.numerics.marker_sums import (
    MarkerSums,
    diagonal,
    frames_last,
    product,
    product_transposed,
    transposed_product,
    zeros,
)
from gaitid.numerics.rotation import apply
from gaitid.trial import Array, Mask

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
    told = [_of_axes(covariance[0], R[0], origin[0])]
    for k, link in enumerate(links, start=1):
        joint = joint_of(chain[k])
        UD = product(link.U, link.inverse)
        above = covariance[joint.proximal]
        shared = product(above, UD)
        own = link.inverse + transposed_product(UD, shared)
        told.append(np.sqrt(np.maximum(diagonal(own), 0.0)))
        # (1 − S UDᵀ) above (1 − S UDᵀ)ᵀ + S inverse Sᵀ
        half = product_transposed(shared - 0.5 * product(link.S, own), link.S)
        covariance.append(above - half - np.swapaxes(half, 1, 2))
    loosest = [LOOSEST_TURN] * 3 + [LOOSEST_SHIFT] * 3
    for segment in chain[1:]:
        loosest += [LOOSEST_TURN if i < 3 else LOOSEST_SHIFT for i in joint_of(segment).free]
    return np.asarray(np.concatenate(told, axis=1) < loosest)


def _of_axes(covariance: Array, R: Array, origin: Array) -> Array:
    """(frames, 6) standard deviations of turning about the axes of the base, and of shifting its origin along them."""
    to_origin = zeros(len(R), 6, 6)
    to_origin[:, :3, :3] = to_origin[:, 3:, 3:] = np.swapaxes(R, 1, 2)
    to_origin[:, 3:, :3] = -transposed_product(R, skew(origin))  # v + ω × o
    own = product_transposed(product(to_origin, covariance), to_origin)
    return np.asarray(np.sqrt(np.maximum(diagonal(own), 0.0)))
