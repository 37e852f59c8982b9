"""The moving skeleton: pelvis and joint angles in; joint centres, rotations and markers out, as jets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.simulate.body import (
    SIDES,
    SIGN,
    Subject,
    foot_from_uncorrected,
    foot_markers,
    hip_centre_p,
    pelvis_markers,
    shank_markers,
    thigh_markers,
)
from gaitid.simulate.jet import Jet, apply, matmul, times_constant, turn, turn_matrix

#: Angles that pose one leg, rad, signed as the clinic does (the same on both sides).
LEG_ANGLES = (
    "hip_flexion",
    "hip_adduction",
    "hip_internal_rotation",
    "knee_flexion",
    "knee_adduction",
    "knee_internal_rotation",
    "ankle_dorsiflexion",
    "ankle_internal_rotation",
)


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Everything geometric, at every instant asked for, in laboratory axes.

    Attributes
    ----------
    rotation : mapping of segment to Jet (times, 3, 3)
        R_gs of ``pelvis`` and ``{side}_{thigh|shank|foot}``, and of ``{side}_torsioned_shank``, the shank
        with its y along the malleoli, which ankle angles are measured from.
    point : mapping of name to Jet (times, 3), m
        ``pelvis`` (its origin) and the joint centres ``{side}_{hip|knee|ankle}``.
    com : mapping of segment to Jet (times, 3), m
        Centres of mass; for the pelvis, which has no mass here, its origin.
    marker : mapping of label to Jet (times, 3), m
    """

    rotation: Mapping[str, Jet]
    point: Mapping[str, Jet]
    com: Mapping[str, Jet]
    marker: Mapping[str, Jet]


def pose(
    subject: Subject, pelvis_origin_g: Jet, pelvis_rotation: Jet, leg_angles: Mapping[str, Mapping[str, Jet]]
) -> Skeleton:
    """Pose the skeleton.

    Parameters
    ----------
    subject : Subject
    pelvis_origin_g : Jet (times, 3), m
        Halfway between the anterior spines.
    pelvis_rotation : Jet (times, 3, 3)
        Pelvis → laboratory.
    leg_angles : mapping of side to mapping of angle (see `LEG_ANGLES`) to Jet (times,), rad
    """
    rotation: dict[str, Jet] = {"pelvis": pelvis_rotation}
    point: dict[str, Jet] = {"pelvis": pelvis_origin_g}
    com: dict[str, Jet] = {"pelvis": pelvis_origin_g}
    marker = {label: pelvis_origin_g + apply(pelvis_rotation, p) for label, p in pelvis_markers(subject).items()}
    for side in SIDES:
        sg, leg, angle = SIGN[side], subject.legs[side], leg_angles[side]
        # R_pelvisᵀ R_thigh = Ry(−flexion) Rx(−sg adduction) Rz(−sg internal rotation)
        thigh = matmul(
            pelvis_rotation,
            _yxz(-angle["hip_flexion"], -sg * angle["hip_adduction"], -sg * angle["hip_internal_rotation"]),
        )
        # R_thighᵀ R_shank = Ry(flexion) Rx(−sg adduction) Rz(−sg internal rotation)
        shank = matmul(
            thigh, _yxz(angle["knee_flexion"], -sg * angle["knee_adduction"], -sg * angle["knee_internal_rotation"])
        )
        torsioned = times_constant(shank, turn_matrix(2, -sg * leg.tibial_torsion_rad))
        # The model orients the uncorrected foot by ankle − TOE with the shank's y as the only hint, that is
        # R_shankᵀ R_uncorrected = Ry(a) Rx(b): two degrees of freedom, so the simulated ankle has just those.
        pitch = -angle["ankle_dorsiflexion"] + (leg.static_plantar_flexion_rad - 0.5 * np.pi)
        uncorrected = matmul(shank, matmul(turn(1, pitch), turn(0, -sg * angle["ankle_internal_rotation"])))
        foot = times_constant(uncorrected, foot_from_uncorrected(subject, side))

        hip = pelvis_origin_g + apply(pelvis_rotation, hip_centre_p(subject, side))
        knee = hip + apply(thigh, [0.0, 0.0, -leg.thigh_m])
        ankle = knee + apply(shank, [0.0, 0.0, -leg.shank_m])
        point |= {f"{side}_hip": hip, f"{side}_knee": knee, f"{side}_ankle": ankle}
        proximal = {"thigh": (thigh, hip), "shank": (shank, knee), "foot": (foot, ankle)}
        for segment, (r, joint) in proximal.items():
            rotation[f"{side}_{segment}"] = r
            com[f"{side}_{segment}"] = joint + apply(r, subject.com_s(side, segment))
        rotation[f"{side}_torsioned_shank"] = torsioned
        for r, origin, markers in (
            (thigh, knee, thigh_markers(subject, side)),
            (torsioned, ankle, shank_markers(subject, side)),
            (foot, ankle, foot_markers(subject, side)),
        ):
            marker |= {label: origin + apply(r, p) for label, p in markers.items()}
    return Skeleton(rotation, point, com, marker)


def _yxz(a: Jet, b: Jet, c: Jet) -> Jet:
    """Ry(a) Rx(b) Rz(c)."""
    return matmul(matmul(turn(1, a), turn(0, b)), turn(2, c))
