"""A leg in the postures of a trial as a mechanism of revolute axes: M, G and the endpoint's J, exactly.

Each clinical angle of a joint turns about one axis of its joint coordinate system (Grood & Suntay 1983) through the
joint's centre; three of them are a spherical joint. The columns of a body's Jacobian are then e × (p − c) and e for
an axis e through c, and kinetic energy gives M = Σ m JᵥᵀJᵥ + JωᵀI Jω (Craig 2005, Introduction to Robotics, 3rd ed.,
eq. 6.71 in these terms).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gaitid.analysis.result import Result
from gaitid.capacity.limits import Freedom, Limits
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import cross
from gaitid.trial import Array, Mask

TOE = "toe"
# kg·m²: 10 mg at 0.3 mm, less than the toe of a mouse, more than rounding (1e-30) of a radius of gyration of 0.
NO_INERTIA_KG_M2 = 1e-12
# Smallest eigenvalue of M scaled to a diagonal of 1: below this some motion of several axes has no inertia.
SINGULAR = 1e-9


@dataclass(frozen=True, eq=False)
class LegDynamics:
    """One leg from rest in each posture: τ = M q̈ + G, and r̈ = J q̈ of the endpoint.

    Attributes
    ----------
    freedoms : tuple of Freedom
        The coordinates, in the order of every axis of length n.
    M : (frames, n, n) array, kg·m²
    G : (frames, n) array, N·m
    J : (frames, 3, n) array, m
        Laboratory axes.
    endpoint_g : (frames, 3) array, m
    low, high : (n,) arrays, N·m
        Limits of the torques.
    lines_g : (frames, points, 3) array, m
        The leg as a line from its fixed end, for pictures.
    """

    freedoms: tuple[Freedom, ...]
    M: Array
    G: Array
    J: Array
    endpoint_g: Array
    low: Array
    high: Array
    lines_g: Array

    @property
    def known(self) -> Mask:
        """(frames,) bool: in which frames the posture is known."""
        return known_rows(self.M) & known_rows(self.J)

    def inert(self) -> list[int]:
        """Axes about which nothing has inertia in any frame."""
        diagonal = np.einsum("fii->fi", self.M[self.known])
        largest = diagonal.max(axis=0, initial=0.0)
        return [int(i) for i in np.flatnonzero(largest < NO_INERTIA_KG_M2)] if len(diagonal) else []

    def singular(self) -> tuple[Mask, list[int]]:
        """Known frames in which a motion of several axes together has no inertia, and these axes in the first one.

        Judged by M scaled to a diagonal of 1, so that a heavy load does not make a light foot look weightless.
        """
        rows = np.flatnonzero(self.known)
        size = np.sqrt(np.einsum("fii->fi", self.M[rows]))
        values, vectors = np.linalg.eigh(self.M[rows] / (size[:, :, None] * size[:, None, :]))
        bad = values[:, 0] < SINGULAR
        singular = np.zeros(len(self.M), dtype=bool)
        singular[rows[bad]] = True
        if not bad.any():
            return singular, []
        share = np.abs(vectors[bad][0, :, 0])
        return singular, [int(i) for i in np.flatnonzero(share > 0.1 * share.max())]

    def without(self, dropped: Sequence[int]) -> LegDynamics:
        """The same with some axes held fixed."""
        keep = [i for i in range(len(self.freedoms)) if i not in dropped]
        return replace(
            self,
            freedoms=tuple(self.freedoms[i] for i in keep),
            M=self.M[:, keep][:, :, keep],
            G=self.G[:, keep],
            J=self.J[:, :, keep],
            low=self.low[keep],
            high=self.high[keep],
        )


def endpoints(model: specs.Model) -> list[str]:
    """What may be accelerated: segments (their centres of mass), joints (their centres), the toe marker."""
    names = [*(body.segment for body in model.chain), *(body.joint for body in model.chain)]
    return list(dict.fromkeys([*names, TOE] if model.touches_ground else names))


def standing_segment(model: specs.Model, endpoint: str) -> int | None:
    """Index in the chain of the segment that stands still; None where the base does.

    Raises
    ------
    GaitidError
        No such endpoint, or nothing stands on the ground below it.
    """
    if endpoint not in endpoints(model):
        raise GaitidError(f"--endpoint {endpoint}: no such point", expected=" or ".join(endpoints(model)))
    tops = [body.joint for body, above in zip(model.chain, model.proximal, strict=True) if above is None]
    if endpoint not in tops:
        return None
    ground = [i for i, body in enumerate(model.chain) if body.ground]
    if not ground:
        raise GaitidError(f"--endpoint {endpoint}: no segment of {model.name} stands on the ground")
    return ground[0]


def moved_by(model: specs.Model, joint: str, stands: int | None) -> tuple[frozenset[int], float]:
    """The segments that a joint moves, and in which sense: +1 its distal side, −1 its proximal side, turned round."""
    i = [body.joint for body in model.chain].index(joint)
    distal = {i}
    for k in range(i - 1, -1, -1):
        if model.proximal[k] in distal:
            distal.add(k)
    if stands not in distal:
        return frozenset(distal), 1.0
    return frozenset(range(len(model.chain))) - distal, -1.0


def freedoms_of(limits: Limits, model: specs.Model, endpoint: str) -> tuple[Freedom, ...]:
    """The axes that move a segment when the base, or for the uppermost joint the foot, stands still.

    Raises
    ------
    GaitidError
        No axis of the limits moves it.
    """
    stands = standing_segment(model, endpoint)
    freedoms = tuple(freedom for freedom in limits.freedoms if moved_by(model, freedom.joint, stands)[0])
    if not freedoms:
        expected = "a joint between it and the segment that stands on the ground"
        raise GaitidError(f"{limits.path}: no torque can accelerate the {endpoint}", expected=expected)
    return freedoms


def leg_dynamics(
    result: Result, side: str, limits: Limits, endpoint: str, toe_g: Array, gravity_g: Array
) -> LegDynamics | None:
    """M, G and J of one leg in every frame; None where it was not recorded.

    For the uppermost joint as endpoint (the hip) the ground's segment (the foot) stands still and carries the rest of
    the leg and `limits.load_kg`, a point mass at that joint; nothing above it takes up the joint's own torques, which
    therefore do not act. For any other endpoint the base (the pelvis) stands still.

    Parameters
    ----------
    result : Result
    side : str
    limits : Limits
    endpoint : str
        One of `endpoints`.
    toe_g : (frames, 3) array, m
        The toe marker.
    gravity_g : (3,) array, m/s²

    Raises
    ------
    GaitidError
        No such endpoint, no torque acts on it, or torques for each kg of a body whose mass is not known.
    """
    model, leg = result.model, result.sides[side]
    stands = standing_segment(model, endpoint)
    freedoms = freedoms_of(limits, model, endpoint)
    low, high = _torques(freedoms, result, limits)
    if leg.chain is None:
        return None
    links = leg.chain.links
    moves = [moved_by(model, f.joint, stands) for f in freedoms]
    # (frames, n, 3): each axis along the way that its angle grows, seen from the side that stands still
    senses = [sense * f.senses[side] for f, (_, sense) in zip(freedoms, moves, strict=True)]
    axes_g = np.stack([leg.axes[f.joint]["jcs"][..., f.axis] for f in freedoms], axis=1) * np.array(senses)[:, None]
    centres_g = np.stack([leg.joints_g[f.joint] for f in freedoms], axis=1)

    def moving(link: int) -> Mask:
        """(n, 1) bool: the axes that move a link."""
        return np.array([[link in segments] for segments, _ in moves])

    def velocity_map(p_g: Array, link: int) -> Array:
        """The velocity of a point of a link per rate of each axis, (frames, n, 3): e × (p − c), or 0."""
        return np.where(moving(link), cross(axes_g, p_g[:, None] - centres_g), 0.0)

    frames, n = axes_g.shape[:2]
    M, G = np.zeros((frames, n, n)), np.zeros((frames, n))
    for i, link in enumerate(links):
        if moving(i).any():
            Jv = velocity_map(link.com_g, i)
            Jw_s = np.where(moving(i), axes_g, 0.0) @ link.R_gs  # rows in the segment's axes
            M += link.mass * Jv @ Jv.swapaxes(-1, -2) + Jw_s @ link.inertia_s @ Jw_s.swapaxes(-1, -2)
            G -= link.mass * Jv @ gravity_g
    ground = next((i for i, body in enumerate(model.chain) if body.ground), 0)
    points = {TOE: (toe_g, ground)}
    for i, (body, link) in enumerate(zip(model.chain, links, strict=True)):
        points |= {body.segment: (link.com_g, i), body.joint: (link.joint_g, i)}
    endpoint_g, on = points[endpoint]
    J = velocity_map(endpoint_g, on)
    if stands is not None:
        M += limits.load_kg * J @ J.swapaxes(-1, -2)
        G -= limits.load_kg * J @ gravity_g
    line: list[Array] = [toe_g if np.isfinite(toe_g).any() else links[ground].com_g]
    at: int | None = ground
    while at is not None:
        line.append(links[at].joint_g)
        at = model.proximal[at]
    return LegDynamics(freedoms, M, G, J.swapaxes(-1, -2), endpoint_g, low, high, np.stack(line[::-1], axis=1))


def _torques(freedoms: Sequence[Freedom], result: Result, limits: Limits) -> tuple[Array, Array]:
    mass = result.subject.numbers.get("mass", float("nan"))
    low, high = np.array([freedom.torques(mass) for freedom in freedoms]).T
    if not np.isfinite(high).all():
        wrong = f"{limits.path}: torques_Nm_per_kg: the mass of the body is not known"
        raise GaitidError(wrong, todo="give torques_Nm, or the subject's mass")
    return low, high
