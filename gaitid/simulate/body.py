"""The simulated subject and its moving skeleton: measurements, bones, and where each marker sits on its segment.

Segment axes, measurements and marker placement are those of the conventional gait model (Plug-in Gait, CGM
1), written in the direction opposite to the one in which that model is used: from known joint centres and
segment axes to markers. Both directions agree to rounding, which is what makes the simulated trials exact
references.

Axes: pelvis x forward, y left, z up, origin halfway between the anterior spines. Thigh and shank: z from the
distal to the proximal joint centre, y left, x forward. Foot: x up, y left, z toward the heel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gaitid.numerics.jet import Array, Jet, apply, matmul, times_constant, turn, turn_matrix

SIDES = ("left", "right")
JOINTS = ("ankle", "knee", "hip")
SEGMENTS = ("thigh", "shank", "foot")
#: +1 for the left side, −1 for the right: every difference between the sides.
SIGN: Mapping[str, float] = {"left": 1.0, "right": -1.0}

# Winter, Biomechanics and Motor Control of Human Movement, 4th ed. (2009), table 4.1: mass as a fraction of
# the body's, and radius of gyration about the centre of mass as a fraction of the segment's length.
MASS_FRACTION: Mapping[str, float] = {"foot": 0.0145, "shank": 0.0465, "thigh": 0.100}
GYRATION_FRACTION: Mapping[str, float] = {"foot": 0.475, "shank": 0.302, "thigh": 0.323}
#: Centre of mass from the proximal joint as a fraction of the length (foot: from the ankle, of the foot's
#: length).
COM_FRACTION: Mapping[str, float] = {"foot": 0.5, "shank": 0.433, "thigh": 0.433}


@dataclass(frozen=True)
class Leg:
    """One leg: what a laboratory measures, and the bones that the simulation moves. Metres and radians.

    Attributes
    ----------
    leg_length_m, knee_width_m, ankle_width_m, asis_trocanter_distance_m : float
        Tape and calliper measurements of the conventional gait model.
    thigh_rotation_rad, shank_rotation_rad, tibial_torsion_rad : float
        Wand offsets and torsion, signed as Nexus stores them.
    static_plantar_flexion_rad, static_rotation_offset_rad, ankle_abduction_rad : float
        What a static trial yields, signed as Nexus stores them.
    thigh_m, shank_m : float
        Between joint centres.
    toe_m : float
        From the ankle centre to the TOE marker.
    heel_toe_m : float
        From the TOE to the HEE marker.
    """

    leg_length_m: float = 0.920
    knee_width_m: float = 0.104
    ankle_width_m: float = 0.072
    asis_trocanter_distance_m: float = 0.070
    thigh_rotation_rad: float = 0.08
    shank_rotation_rad: float = -0.06
    tibial_torsion_rad: float = -0.22
    static_plantar_flexion_rad: float = 0.254
    static_rotation_offset_rad: float = 0.050
    ankle_abduction_rad: float = 0.0
    thigh_m: float = 0.425
    shank_m: float = 0.420
    toe_m: float = 0.1395
    heel_toe_m: float = 0.192


#: What Nexus calls the measurements of a leg, and what only a static trial yields.
MEASURED: Mapping[str, str] = {
    "leg_length_m": "LegLength",
    "asis_trocanter_distance_m": "AsisTrocanterDistance",
    "knee_width_m": "KneeWidth",
    "ankle_width_m": "AnkleWidth",
    "thigh_rotation_rad": "ThighRotation",
    "shank_rotation_rad": "ShankRotation",
    "tibial_torsion_rad": "TibialTorsion",
    "ankle_abduction_rad": "AnkleAbAdd",
}
OFFSETS: Mapping[str, str] = {
    "static_plantar_flexion_rad": "StaticPlantFlex",
    "static_rotation_offset_rad": "StaticRotOff",
}


def in_mm(name: str, value: float) -> float:
    """A value in mm where its name says metres."""
    return value * 1e3 if name.endswith("_m") else value


def _default_legs() -> Mapping[str, Leg]:
    return {
        "left": Leg(),
        "right": Leg(
            leg_length_m=0.918,
            knee_width_m=0.103,
            ankle_width_m=0.071,
            asis_trocanter_distance_m=0.071,
            thigh_rotation_rad=-0.05,
            shank_rotation_rad=0.10,
            tibial_torsion_rad=-0.14,
            static_plantar_flexion_rad=0.250,
            static_rotation_offset_rad=0.035,
            ankle_abduction_rad=0.12,
        ),
    }


@dataclass(frozen=True)
class Subject:
    """Who is simulated: masses, inertias and lengths of the body.

    Attributes
    ----------
    mass_kg, height_m, inter_asis_distance_m, marker_diameter_m : float
    pelvis_depth_m : float
        From the line of the anterior spines back to the middle of the posterior ones.
    psis_distance_m : float
        Between LPSI and RPSI.
    legs : mapping of side to Leg
    hips_p : mapping of side to (3,) array
        Hip centres from the pelvis origin, m, pelvis axes; a side that is left out has that of `hip_centre_p`.
    toes_s : (3,) array or None
        The joint of the toes from the ankle, m, foot axes, where the foot's mass lies between both (Winter 2009, with
        the ankle for the lateral malleolus); None: along the foot's axis, as the conventional gait model has it.
    """

    mass_kg: float = 70.0
    height_m: float = 1.75
    inter_asis_distance_m: float = 0.250
    marker_diameter_m: float = 0.014
    pelvis_depth_m: float = 0.165
    psis_distance_m: float = 0.090
    legs: Mapping[str, Leg] = field(default_factory=_default_legs)
    hips_p: Mapping[str, Array] = field(default_factory=dict)
    toes_s: Array | None = None

    def mirrored(self) -> Subject:
        """The mirror image: the same person with left and right exchanged."""
        flip, other = np.array([1.0, -1.0, 1.0]), {"left": "right", "right": "left"}
        hips = {other[side]: flip * hip for side, hip in self.hips_p.items()}
        return replace(self, legs={"left": self.legs["right"], "right": self.legs["left"]}, hips_p=hips)

    def length_m(self, side: str, segment: str) -> float:
        """Length that scales mass properties: between joints; of the foot else |TOE − HEE| less half a marker."""
        leg = self.legs[side]
        if segment == "foot" and self.toes_s is not None:
            return float(np.linalg.norm(self.toes_s))
        if segment == "foot":
            return leg.heel_toe_m - 0.5 * self.marker_diameter_m
        return leg.thigh_m if segment == "thigh" else leg.shank_m

    def segment_mass_kg(self, segment: str) -> float:
        """Mass of a foot, shank or thigh."""
        return MASS_FRACTION[segment] * self.mass_kg

    def com_s(self, side: str, segment: str) -> Array:
        """(3,) centre of mass from the segment's proximal joint, m, segment axes (along −z, but for `toes_s`)."""
        if segment == "foot" and self.toes_s is not None:
            return COM_FRACTION[segment] * self.toes_s
        return np.array([0.0, 0.0, -COM_FRACTION[segment] * self.length_m(side, segment)])

    def inertia_s(self, side: str, segment: str) -> Array:
        """(3, 3) inertia about the centre of mass, kg·m², segment axes."""
        radius = GYRATION_FRACTION[segment] * self.length_m(side, segment)
        return self.segment_mass_kg(segment) * radius**2 * np.diag([1.0, 1.0, 0.0])


def hip_centre_p(subject: Subject, side: str) -> Array:
    """(3,) hip centre from the pelvis origin, m, pelvis axes: the subject's own, or Davis 1991 as in Plug-in Gait."""
    if side in subject.hips_p:
        return subject.hips_p[side]
    mean_leg = float(np.mean([leg.leg_length_m for leg in subject.legs.values()]))
    c = 0.115 * mean_leg - 0.0153
    theta, beta = 0.5, 0.314
    depth = subject.legs[side].asis_trocanter_distance_m + 0.5 * subject.marker_diameter_m
    return np.array(
        [
            c * np.cos(theta) * np.sin(beta) - depth * np.cos(beta),
            SIGN[side] * (0.5 * subject.inter_asis_distance_m - c * np.sin(theta)),
            -c * np.cos(theta) * np.cos(beta) - depth * np.sin(beta),
        ]
    )


def foot_from_uncorrected(subject: Subject, side: str) -> Array:
    """(3, 3) rotation, foot axes → uncorrected foot's: Ry(−StaticPlantFlex) · Rx(−sg StaticRotOff)."""
    leg = subject.legs[side]
    return turn_matrix(1, -leg.static_plantar_flexion_rad) @ turn_matrix(
        0, -SIGN[side] * leg.static_rotation_offset_rad
    )


def pelvis_markers(subject: Subject) -> dict[str, Array]:
    """Markers on the pelvis: (3,) from its origin, m, pelvis axes."""
    asis, psis = 0.5 * subject.inter_asis_distance_m, 0.5 * subject.psis_distance_m
    return {
        "LASI": np.array([0.0, asis, 0.0]),
        "RASI": np.array([0.0, -asis, 0.0]),
        "LPSI": np.array([-subject.pelvis_depth_m, psis, 0.0]),
        "RPSI": np.array([-subject.pelvis_depth_m, -psis, 0.0]),
    }


def thigh_markers(subject: Subject, side: str) -> dict[str, Array]:
    """Markers on the thigh: (3,) from the knee centre, m, thigh axes."""
    sg, leg = SIGN[side], subject.legs[side]
    letter = side[0].upper()
    # The knee marker lies on the flexion axis; the wand at the dihedral angle about knee → hip from it.
    dihedral = sg * leg.thigh_rotation_rad
    wand = turn_matrix(2, dihedral) @ np.array([0.0, sg * 0.115, 0.45 * leg.thigh_m])
    return {
        f"{letter}THI": wand,
        f"{letter}KNE": np.array([0.0, sg * 0.5 * (leg.knee_width_m + subject.marker_diameter_m), 0.0]),
    }


def shank_markers(subject: Subject, side: str) -> dict[str, Array]:
    """Markers on the shank: (3,) from the ankle centre, m, axes of the torsioned tibia (y: malleoli).

    With ankle abduction δ the model first finds an ankle₀ with (ANK − ankle₀) ⟂ (knee − ankle₀), and then
    turns ankle₀ about ANK by δ in their common plane. Going backwards, ANK stands off by r = (ankle width +
    diameter)/2 at an elevation φ above y with L sin(φ + δ) = −r (1 − cos δ), where L is the length of the
    shank.
    """
    sg, leg = SIGN[side], subject.legs[side]
    letter = side[0].upper()
    r = 0.5 * (leg.ankle_width_m + subject.marker_diameter_m)
    delta = leg.ankle_abduction_rad
    phi = -delta - np.arcsin(r * (1.0 - np.cos(delta)) / leg.shank_m)
    ankle_marker = r * np.array([0.0, sg * np.cos(phi), np.sin(phi)])
    # +δ about (knee − ankle₀) × (ANK − ankle₀) is +δ about −sg x, so ankle₀ is reached by −δ about it.
    ankle_0 = ankle_marker - turn_matrix(0, sg * delta) @ ankle_marker
    up = np.array([0.0, 0.0, leg.shank_m]) - ankle_0
    length_0 = float(np.linalg.norm(up))
    z = up / length_0
    x = np.array([1.0, 0.0, 0.0])
    dihedral = sg * leg.shank_rotation_rad
    lateral = sg * (np.cos(dihedral) * np.cross(z, x) - np.sin(dihedral) * x)
    return {f"{letter}TIB": ankle_0 + 0.50 * length_0 * z + 0.095 * lateral, f"{letter}ANK": ankle_marker}


def foot_markers(subject: Subject, side: str) -> dict[str, Array]:
    """Markers on the foot: (3,) from the ankle centre, m, foot axes (x up, z toward the heel)."""
    leg = subject.legs[side]
    letter = side[0].upper()
    # ankle − TOE is the z of the uncorrected foot; HEE − TOE is the z of the foot.
    toe = -leg.toe_m * foot_from_uncorrected(subject, side).T @ np.array([0.0, 0.0, 1.0])
    return {f"{letter}HEE": toe + np.array([0.0, 0.0, leg.heel_toe_m]), f"{letter}TOE": toe}


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
