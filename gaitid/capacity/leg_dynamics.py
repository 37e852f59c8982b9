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
from gaitid.body.kinematics import SegmentMotion
from gaitid.capacity.limits import Freedom, Limits
from gaitid.dynamics.chain import Link
from gaitid.errors import GaitidError
from gaitid.model import specs
from gaitid.model.shapes import InFrame
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import apply, apply_transposed, cross
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
    V : (frames, n) array, N·m
        Centrifugal and Coriolis terms of the trial's own motion; 0 from rest.
    drift_g : (frames, 3) array, m/s²
        J̇ q̇ of the endpoint; 0 from rest.
    low, high : (n,) arrays, N·m
        Limits of the torques.
    lines_g : (frames, points, 3) array, m
        The leg as a line from its fixed end, for pictures.
    """

    freedoms: tuple[Freedom, ...]
    M: Array
    G: Array
    J: Array
    V: Array
    drift_g: Array
    endpoint_g: Array
    low: Array
    high: Array
    lines_g: Array

    @property
    def known(self) -> Mask:
        """(frames,) bool: in which frames the posture is known."""
        return known_rows(self.M) & known_rows(self.J) & known_rows(self.V) & known_rows(self.drift_g)

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
            V=self.V[:, keep],
            low=self.low[keep],
            high=self.high[keep],
        )


def endpoints(model: specs.Model) -> list[str]:
    """What may be accelerated: segments (their centres of mass), joints (their centres), the toe marker."""
    names = [*(body.segment for body in model.chain), *(body.joint for body in model.chain)]
    return list(dict.fromkeys([*names, TOE] if model.touches_ground else names))


def carried_points(model: specs.Model) -> dict[str, int]:
    """Points that are fixed in a segment of the chain, and its index: a tip, a tool."""
    frames = {body.frame: i for i, body in enumerate(model.chain)}
    points = model.each_side.points
    return {
        name: frames[point.frame]
        for name, point in points.items()
        if isinstance(point, InFrame) and point.frame in frames
    }


def _such(model: specs.Model) -> str:
    """An example of such a point, in words; empty without any."""
    return next((f", as {name}" for name in carried_points(model) if name.endswith("_end")), "")


def standing_segment(model: specs.Model, endpoint: str) -> int | None:
    """Index in the chain of the segment that stands still; None where the base does.

    Raises
    ------
    GaitidError
        No such endpoint, or nothing stands on the ground below it.
    """
    if endpoint not in endpoints(model) and endpoint not in carried_points(model):
        raise GaitidError(
            f"--endpoint {endpoint}: no such point",
            expected=f"{' or '.join(endpoints(model))}, or a point of the model fixed in a segment{_such(model)}",
        )
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
    if stands is not None and any(freedom.slides for freedom in freedoms):
        raise GaitidError(
            f"{limits.path}: forces_N: joints that slide, under the {endpoint} over a segment that stands"
        )
    return freedoms


def leg_dynamics(
    result: Result, side: str, limits: Limits, endpoint: str, toe_g: Array, gravity_g: Array, in_motion: bool = False
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
    in_motion : bool
        With the joint velocities of the trial, instead of from rest.

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
    axes_g = np.stack([_axis(result, side, f) for f in freedoms], axis=1) * np.array(senses)[:, None]
    slides = np.array([f.slides for f in freedoms])
    centres_g = np.stack([leg.joints_g[f.joint] for f in freedoms], axis=1)

    def moving(link: int) -> Mask:
        """(n, 1) bool: the axes that move a link."""
        return np.array([[link in segments] for segments, _ in moves])

    def velocity_map(p_g: Array, link: int) -> Array:
        """The velocity of a point of a link per rate of each axis, (frames, n, 3): e × (p − c), e of a slide, or 0."""
        swept = np.where(slides[:, None], axes_g, cross(axes_g, p_g[:, None] - centres_g))
        return np.where(moving(link), swept, 0.0)

    def turning_map(link: int) -> Array:
        """The angular velocity of a link per rate of each axis, (frames, n, 3): e, or 0."""
        return np.where(moving(link) & ~slides[:, None], axes_g, 0.0)

    frames, n = axes_g.shape[:2]
    M, G = np.zeros((frames, n, n)), np.zeros((frames, n))
    for i, link in enumerate(links):
        if moving(i).any():
            Jv = velocity_map(link.com_g, i)
            Jw_s = turning_map(i) @ link.R_gs  # rows in the segment's axes
            M += link.mass * Jv @ Jv.swapaxes(-1, -2) + Jw_s @ link.inertia_s @ Jw_s.swapaxes(-1, -2)
            G -= link.mass * Jv @ gravity_g
    ground = next((i for i, body in enumerate(model.chain) if body.ground), 0)
    points = {TOE: (toe_g, ground)}
    for i, (body, link) in enumerate(zip(model.chain, links, strict=True)):
        points |= {body.segment: (link.com_g, i), body.joint: (link.joint_g, i)}
    carried = carried_points(model)
    if endpoint not in points:
        points[endpoint] = (result.body.geometry.point(endpoint, side), carried[endpoint])
    endpoint_g, on = points[endpoint]
    J = velocity_map(endpoint_g, on)
    V, drift_g = np.zeros((frames, n)), np.zeros((frames, 3))
    if in_motion:
        turning_g = axes_g * _rates(result, side, freedoms)[..., None]
        order = list(range(n)) if stands is None else list(range(n))[::-1]

        def bias(p_g: Array, link: int) -> tuple[Array, Array, Array]:
            return _bias(turning_g, centres_g, slides, p_g, [k for k in order if link in moves[k][0]])

        for i, link in enumerate(links):
            if moving(i).any():
                a, omega, alpha = bias(link.com_g, i)
                Jw = turning_map(i)
                R = link.R_gs
                spin = apply(R, apply(link.inertia_s, apply_transposed(R, omega)))
                moment = apply(R, apply(link.inertia_s, apply_transposed(R, alpha))) + cross(omega, spin)
                V += link.mass * np.einsum("fnk,fk->fn", velocity_map(link.com_g, i), a)
                V += np.einsum("fnk,fk->fn", Jw, moment)
        drift_g = bias(endpoint_g, on)[0]
        if stands is not None:
            V += limits.load_kg * np.einsum("fnk,fk->fn", J, drift_g)
    if stands is not None:
        M += limits.load_kg * J @ J.swapaxes(-1, -2)
        G -= limits.load_kg * J @ gravity_g
    line = _line(model, links, toe_g, (endpoint_g, on) if endpoint in carried else None)
    of_motion = (J.swapaxes(-1, -2), V, drift_g)
    return LegDynamics(freedoms, M, G, *of_motion, endpoint_g, low, high, line)


def _line(model: specs.Model, links: Sequence[Link], toe_g: Array, end: tuple[Array, int] | None) -> Array:
    """(frames, points, 3) the leg from its uppermost joint to the toe, or to a point of a segment."""
    ground = next((i for i, body in enumerate(model.chain) if body.ground), 0)
    at: int | None = ground
    line = [toe_g if np.isfinite(toe_g).any() else links[ground].com_g]
    if end is not None:
        line, at = [end[0]], end[1]
    while at is not None:
        line.append(links[at].joint_g)
        at = model.proximal[at]
    return np.stack(line[::-1], axis=1)


def _rates(result: Result, side: str, freedoms: Sequence[Freedom]) -> Array:
    """(frames, n) rates of the axes in the trial, rad/s or m/s, each positive its own way.

    ω_rel along its joint's axes; of a slide the velocity of the joint's centre in the segment that it hangs from.
    """
    model, leg = result.model, result.sides[side]
    names = [body.joint for body in model.chain]
    rates = []
    for freedom in freedoms:
        own, over = leg.motions[model.chain[names.index(freedom.joint)].segment], _above(result, side, freedom.joint)
        if freedom.slides:
            at = leg.joints_g[freedom.joint]
            speed = _velocity(own, at) - _velocity(over, at)
            rates.append(np.einsum("fk,fk->f", speed, _axis(result, side, freedom)))
            continue
        omega = own.omega_g - over.omega_g
        axes = leg.axes[freedom.joint]["jcs"]
        known = np.isfinite(axes).all(axis=(-1, -2)) & (np.abs(np.linalg.det(np.nan_to_num(axes))) > SINGULAR)
        of_joint = np.linalg.solve(np.where(known[:, None, None], axes, np.eye(3)), omega[..., None])[..., 0]
        rates.append(np.where(known, of_joint[:, freedom.axis] * freedom.senses[side], np.nan))
    return np.stack(rates, axis=1)


def _velocity(motion: SegmentMotion, p_g: Array) -> Array:
    """Of the point of a segment that is at p, m/s."""
    return np.asarray(motion.vel_g + cross(motion.omega_g, p_g - motion.com_g))


def _bias(
    turning_g: Array, centres_g: Array, slides: Mask, p_g: Array, order: Sequence[int]
) -> tuple[Array, Array, Array]:
    """Acceleration of a point with every q̈ 0, and ω and α of its body, (frames, 3) each.

    Of turns ω_j about centres c_j and slides v_j, from the end that stands still outward, v = Σ ω_j × (p − c_j) + Σ v_j
    is differentiated; each ω_j and v_j is carried by the turns before it.
    """

    def velocity(p: Array, of: Sequence[int]) -> Array:
        parts = [turning_g[:, k] if slides[k] else cross(turning_g[:, k], p - centres_g[:, k]) for k in of]
        return np.asarray(np.sum(parts, axis=0)) if parts else np.zeros_like(p_g)

    whole = velocity(p_g, order)
    acceleration, omega, alpha = np.zeros_like(p_g), np.zeros_like(p_g), np.zeros_like(p_g)
    for place, j in enumerate(order):
        w, c = turning_g[:, j], centres_g[:, j]
        carried = cross(omega, w)
        if slides[j]:
            acceleration = acceleration + carried
            continue
        acceleration = acceleration + cross(carried, p_g - c) + cross(w, whole - velocity(c, order[:place]))
        alpha = alpha + carried
        omega = omega + w
    return acceleration, omega, alpha


def _axis(result: Result, side: str, freedom: Freedom) -> Array:
    """(frames, 3) unit vector of an axis, laboratory axes."""
    leg = result.sides[side]
    if not freedom.slides:
        return np.asarray(leg.axes[freedom.joint]["jcs"][..., freedom.axis])
    return np.asarray(_above(result, side, freedom.joint).R_gs[..., freedom.axis])


def _above(result: Result, side: str, joint: str) -> SegmentMotion:
    """The motion of the segment that a joint hangs from."""
    model = result.model
    above = model.proximal[[body.joint for body in model.chain].index(joint)]
    return result.base if above is None else result.sides[side].motions[model.chain[above].segment]


def _torques(freedoms: Sequence[Freedom], result: Result, limits: Limits) -> tuple[Array, Array]:
    mass = result.subject.numbers.get("mass", float("nan"))
    low, high = np.array([freedom.torques(mass) for freedom in freedoms]).T
    if not np.isfinite(high).all():
        wrong = f"{limits.path}: torques_Nm_per_kg: the mass of the body is not known"
        raise GaitidError(wrong, todo="give torques_Nm, or the subject's mass")
    return low, high
