"""Exact joint wrenches by the momentum principle on everything distal to a joint.

No recursion from segment to segment, and no Newton-Euler equation of a single segment: for the system of all
segments beyond a joint, the wrench that the proximal segment exerts is the rate of change of that system's
linear and angular momentum, less gravity and the load from the ground. The rates are exact (jets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaitid.simulate.body import JOINTS, SIDES, Skeleton, Subject
from gaitid.simulate.jet import Array, Jet, angular_velocity, apply, cross, times_constant, transpose
from gaitid.simulate.loads import GRAVITY, FootLoad

#: Segments that lie beyond each joint.
DISTAL: Mapping[str, tuple[str, ...]] = {
    "ankle": ("foot",),
    "knee": ("foot", "shank"),
    "hip": ("foot", "shank", "thigh"),
}


def joint_wrenches(
    subject: Subject, skeleton: Skeleton, loads: Mapping[str, FootLoad]
) -> dict[tuple[str, str], tuple[Array, Array]]:
    """Wrench of the proximal on the distal segment at every joint.

    Parameters
    ----------
    subject : Subject
    skeleton : Skeleton
        With two derivatives at least.
    loads : mapping of side to FootLoad

    Returns
    -------
    mapping of (side, joint) to (force, moment)
        (times, 3) arrays in laboratory axes, N and N·m, the moment about the joint centre.
    """
    return {(side, joint): _wrench(subject, skeleton, loads[side], side, joint) for side in SIDES for joint in JOINTS}


def spin_momentum(subject: Subject, skeleton: Skeleton, side: str, segment: str) -> Jet:
    """Angular momentum R I Rᵀ ω of a segment about its centre of mass (times, 3), kg·m²/s, global."""
    return spin_of(skeleton.rotation[f"{side}_{segment}"], subject.inertia_s(side, segment))


def _wrench(subject: Subject, skeleton: Skeleton, load: FootLoad, side: str, joint: str) -> tuple[Array, Array]:
    # A point fixed in the laboratory that the joint happens to pass at each instant.
    p = skeleton.point[f"{side}_{joint}"].value
    beyond = [
        Moving(
            subject.segment_mass_kg(segment),
            skeleton.com[f"{side}_{segment}"],
            spin_momentum(subject, skeleton, side, segment),
        )
        for segment in DISTAL[joint]
    ]
    force, moment = wrench_needed(beyond, p, np.array([0.0, 0.0, -GRAVITY]))
    arm = np.where(np.isfinite(load.cop_g), load.cop_g - p, 0.0)
    # less the ground's: F_J − F_ground, and M_J − (cop − P) × F_ground − M_free
    return force - load.force_g, moment - np.cross(arm, load.force_g) - load.free_moment_g


@dataclass(frozen=True, eq=False)
class Moving:
    """A body in motion, laboratory axes.

    Attributes
    ----------
    mass_kg : float
    com : Jet
        Centre of mass (times, 3), m, with two derivatives.
    spin : Jet
        Angular momentum about it (times, 3), kg·m²/s, with one derivative.
    """

    mass_kg: float
    com: Jet
    spin: Jet


def spin_of(rotation: Jet, inertia_s: Array) -> Jet:
    """Angular momentum R I Rᵀ ω (times, 3), kg·m²/s, global, of a body with inertia (3, 3), kg·m², in its own axes."""
    return apply(times_constant(rotation, inertia_s), apply(transpose(rotation), angular_velocity(rotation)))


def wrench_needed(bodies: Sequence[Moving], p: Array, gravity_g: Array) -> tuple[Array, Array]:
    """What everything but gravity must exert on a system of bodies, about points (times, 3), m.

    Returns
    -------
    force, moment : (times, 3) arrays, N and N·m
    """
    p_rate, h_rate = np.zeros_like(p), np.zeros_like(p)
    weight, weight_moment = np.zeros_like(p), np.zeros_like(p)
    for body in bodies:
        momentum = body.com.derivative() * body.mass_kg
        angular = cross(body.com - p, momentum) + body.spin
        p_rate += momentum.derivative().value
        h_rate += angular.derivative().value
        m_g = body.mass_kg * gravity_g
        weight += m_g
        weight_moment += np.cross(body.com.value - p, m_g)
    # F = d/dt Σ m v − Σ m g;  M = d/dt Σ [(c − P) × m v + R I Rᵀ ω] − Σ (c − P) × m g
    return p_rate - weight, h_rate - weight_moment
