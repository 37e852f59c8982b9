"""From pattern to poses: the walking and the standing skeleton at any set of times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gaitid.simulate.body import SIDES, SIGN, Subject, foot_from_uncorrected
from gaitid.simulate.jet import (
    Array,
    Jet,
    apply,
    constant,
    matmul,
    stack,
    time_jet,
    turn,
    turn_matrix,
)
from gaitid.simulate.series import Pattern
from gaitid.simulate.skeleton import LEG_ANGLES, Skeleton, pose

# Quiet standing: a slight forward tilt of the pelvis with thighs and shanks nearly vertical, toes turned out.
_STANDING = {
    "pelvis_tilt": np.radians(9.0),
    "hip_flexion": np.radians(9.0),
    "hip_adduction": np.radians(-1.0),
    "knee_flexion": np.radians(2.0),
    "toe_out": np.radians(7.0),
}


@dataclass(frozen=True)
class Gait:
    """Who walks, how, and where.

    Attributes
    ----------
    subject : Subject
    pattern : Pattern
    lead : str
        Side whose foot strikes the ground at `strike_s`.
    strike_s : float
        Time of that foot strike; the pelvis then passes the laboratory's origin, but for its oscillation.
    yaw_rad : float
        Direction of walking, from laboratory x about the vertical.
    """

    subject: Subject
    pattern: Pattern
    lead: str
    strike_s: float
    yaw_rad: float

    def walking(self, times_s: ArrayLike, order: int = 2) -> Skeleton:
        """The walking skeleton at any times, s, with `order` derivatives."""
        pattern, sg = self.pattern, SIGN[self.lead]
        since = time_jet(times_s, order) - self.strike_s
        phase = since * (2.0 * np.pi / pattern.stride_s)
        pelvis = {name: series.at(phase) for name, series in pattern.pelvis.items()}
        heading = turn_matrix(2, self.yaw_rad)
        origin = stack([since * pattern.speed_m_per_s + pelvis["forward"], sg * pelvis["lead"], pelvis["up"]])
        rotation = matmul(
            matmul(turn(1, pelvis["tilt"]), turn(0, sg * pelvis["obliquity"])),
            turn(2, sg * pelvis["rotation"]),
        )
        legs = {}
        for side in SIDES:
            # The other leg does the same, half a stride later.
            own = phase if side == self.lead else phase - np.pi
            legs[side] = {name: pattern.leg[name].at(own) for name in LEG_ANGLES}
        return pose(
            self.subject,
            _turned(heading, origin),
            Jet(heading @ rotation.d),
            legs,
        )

    def standing(self, n: int) -> Skeleton:
        """Quiet standing over the laboratory's origin, both feet flat on the floor, for n frames."""
        order = 0
        zero = constant(np.zeros(n), order)
        pelvis_rotation = turn(1, zero + _STANDING["pelvis_tilt"])
        legs: dict[str, dict[str, Jet]] = {}
        for side in SIDES:
            angles = {name: zero + _STANDING.get(name, 0.0) for name in LEG_ANGLES}
            trial = pose(self.subject, constant(np.zeros((n, 3)), order), pelvis_rotation, dict.fromkeys(SIDES, angles))
            shank = trial.rotation[f"{side}_shank"].value[0]
            pitch, twist = self._flat_foot(side, shank)
            angles["ankle_dorsiflexion"] = zero + pitch
            angles["ankle_internal_rotation"] = zero + twist
            legs[side] = angles
        low = pose(self.subject, constant(np.zeros((n, 3)), order), pelvis_rotation, legs)
        heels = [low.marker[label].value[0, 2] for label in ("LHEE", "RHEE")]
        height = HEEL_MARKER_HEIGHT_M - float(np.mean(heels))
        heading = turn_matrix(2, self.yaw_rad)
        return pose(
            self.subject,
            constant(np.tile([0.0, 0.0, height], (n, 1)), order),
            Jet(heading @ pelvis_rotation.d),
            legs,
        )

    def _flat_foot(self, side: str, shank: Array) -> tuple[float, float]:
        """Ankle dorsiflexion and internal rotation, rad, that lay a foot flat under a shank (3, 3)."""
        sg = SIGN[side]
        toe_out = sg * _STANDING["toe_out"]
        # Wanted: Ry(a) Rx(b) c = t, with c the foot's z in the uncorrected foot and t its horizontal aim in
        # the shank.
        c = foot_from_uncorrected(self.subject, side) @ np.array([0.0, 0.0, 1.0])
        t = shank.T @ np.array([-np.cos(toe_out), -np.sin(toe_out), 0.0])
        # y: c_y cos b − c_z sin b = t_y;   then a turns (x, z) of Rx(b) c onto that of t.
        b = np.arctan2(c[1], c[2]) - np.arcsin(t[1] / np.hypot(c[1], c[2]))
        v = turn_matrix(0, float(b)) @ c
        a = np.arctan2(t[0], t[2]) - np.arctan2(v[0], v[2])
        leg = self.subject.legs[side]
        return (
            float(leg.static_plantar_flexion_rad - 0.5 * np.pi - a),
            float(-sg * b),
        )


#: Height of the HEE (and TOE) marker's centre over the floor while the foot is flat.
HEEL_MARKER_HEIGHT_M = 0.045


def _turned(matrix: Array, vector: Jet) -> Jet:
    return apply(constant(np.broadcast_to(matrix, (*vector.value.shape[:-1], 3, 3)), vector.order), vector)
