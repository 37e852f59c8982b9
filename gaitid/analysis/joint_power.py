"""A result -> the power of each joint in six degrees of freedom, and the energies of its segments.

A joint centre is where a model puts it, and the two segments that meet there need not agree where it is: a hip that a
regression places in the pelvis moves in a thigh whose markers slide. The force of the joint then has a power, too
(Buczek FL, Kepple TM, Siegel KL, Stanhope SJ 1994, J Biomech 27:1447-1457):

    P = m · (ω_distal − ω_proximal) + f · (v_distal − v_proximal)

with v the velocity of the joint's centre as a point of either segment. All such powers, and those of weight and ground,
are the change of the segments' mechanical energy (tests/analysis/test_joint_power.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.analysis.result import BodyParameters, Result
from gaitid.body.kinematics import SegmentMotion
from gaitid.numerics.rotation import apply, apply_transposed, cross, dot
from gaitid.trial import Array


def joint_powers(result: Result) -> Mapping[str, Mapping[str, tuple[Array, Array]]]:
    """By side and joint the rotational and the translational power, (frames,), W/kg of body mass.

    NaN where the wrench or a motion is not known, and both where the model assumes an axis of the segment.
    """
    model, mass = result.model, result.subject.mass_kg
    powers: dict[str, dict[str, tuple[Array, Array]]] = {}
    for side, leg in result.sides.items():
        powers[side] = {}
        for spec, k in zip(model.chain, model.proximal, strict=True):
            above = result.base if k is None else leg.motions[model.chain[k].segment]
            below, wrench = leg.motions[spec.segment], leg.wrenches[spec.joint]
            centre = leg.joints_g[spec.joint]
            opening = velocity_at(below, centre) - velocity_at(above, centre)
            rotational, translational = leg.powers[spec.joint], dot(wrench.f_g, opening) / mass
            if model.assumes_axes(spec.joint):
                translational = translational + rotational  # unknown, as the rotational one is
            powers[side][spec.joint] = rotational, translational
    return powers


def velocity_at(motion: SegmentMotion, point_g: Array) -> Array:
    """Velocity of a segment's material point that is at `point_g` now: v_com + ω × r, (frames, 3), m/s."""
    return motion.vel_g + cross(motion.omega_g, point_g - motion.com_g)


@dataclass(frozen=True, eq=False)
class Energies:
    """Of all segments that have a mass in the model.

    Attributes
    ----------
    kinetic_J, potential_J : (frames,) arrays
        NaN where the motion of a segment is not known. The potential is gravity's, 0 at the laboratory's origin.
    """

    kinetic_J: Array
    potential_J: Array


def energies(result: Result) -> Energies:
    """Σ ½ m v² + ½ ωᵀ I ω and −Σ m gᵀ c of the segments of all recorded sides and of the base where it has a mass.

    Parameters
    ----------
    result : Result
    """
    parts = [_of(leg.motions[name], body, result) for leg in result.sides.values() for name, body in leg.bodies.items()]
    if result.base_body is not None:
        parts.append(_of(result.base, result.base_body, result))
    nothing = np.full(result.trial.n_frames, np.nan)
    kinetic, potential = (sum(part) if parts else nothing for part in ([p[0] for p in parts], [p[1] for p in parts]))
    return Energies(np.asarray(kinetic), np.asarray(potential))


def _of(motion: SegmentMotion, body: BodyParameters, result: Result) -> tuple[Array, Array]:
    turning = apply_transposed(motion.R_gs, motion.omega_g)
    spin = np.sum(turning * apply(body.inertia_s, turning), axis=1)
    kinetic = 0.5 * body.mass_kg * np.sum(motion.vel_g**2, axis=1) + 0.5 * spin
    return kinetic, -body.mass_kg * motion.com_g @ result.gravity_g
