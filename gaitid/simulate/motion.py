"""From pattern to poses: the walking and the standing skeleton at any set of times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import comb, factorial

import numpy as np
from numpy.typing import ArrayLike

from gaitid.numerics.jet import Array, Jet, apply, constant, matmul, stack, time_jet, turn, turn_matrix
from gaitid.simulate.body import LEG_ANGLES, SIDES, SIGN, Skeleton, Subject, foot_from_uncorrected, pose
from gaitid.simulate.loads import IMPACT_S, FootLoad
from gaitid.simulate.scenarios import Clock, Passage, Pattern

# Quiet standing: a slight forward tilt of the pelvis with thighs and shanks nearly vertical, toes turned out.
_STANDING = {
    "pelvis_tilt": np.radians(9.0),
    "hip_flexion": np.radians(9.0),
    "hip_adduction": np.radians(-1.0),
    "knee_flexion": np.radians(2.0),
    "toe_out": np.radians(7.0),
}


#: What the walk's smooth pattern has of a strike's sudden stop: the same stop spread over this time, s.
_SPREAD_S = 0.2


@dataclass(frozen=True, eq=False)
class Yield:
    """How the body gives way to one heel strike's transient: sudden changes of its velocities, less their slow part.

    Attributes
    ----------
    side : str
    centre_s : float
        Laboratory time of the transient's peak.
    angles : mapping of angle to float
        Changes of the rates of the leg's angles, rad/s.
    origin_g : (3,) array
        Change of the pelvis' velocity, m/s, laboratory axes.
    """

    side: str
    centre_s: float
    angles: Mapping[str, float] = field(default_factory=dict)
    origin_g: Array = field(default_factory=lambda: np.zeros(3))

    def course(self, times_s: ArrayLike, order: int) -> Jet:
        """(times,) s; a change of rate of 1 within `IMPACT_S`, less the same change spread over a longer time.

        So it begins and ends at rest in its place, and is farthest from it at the peak.
        """
        since = np.asarray(times_s, dtype=np.float64) - self.centre_s
        return Jet(_kink(since, IMPACT_S, order) - _kink(since, _SPREAD_S, order))


def _kink(since_s: Array, duration_s: float, order: int) -> Array:
    """(order + 1, times): a change of rate from 0 to 1 around 0, its second derivative a cubic B-spline."""
    h = duration_s / 4.0
    u = np.minimum(since_s / h + 2.0, 4.0)
    rows = []
    for k in range(order + 1):
        n = 5 - k  # truncated powers of degree 3 are the B-spline; of 5, its second integral
        pieces = sum((-1) ** i * comb(4, i) * np.clip(u - i, 0.0, None) ** n for i in range(5)) / factorial(n)
        rows.append(h ** (1 - k) * pieces)
    rows[0] = rows[0] + np.clip(since_s - 2.0 * h, 0.0, None)
    return np.stack(rows)


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
    clock : Clock
        How pattern time runs against laboratory time.
    passage : Passage
        What carries the walkway.
    yields : tuple of Yield
        How the body gives way to heel strikes.
    """

    subject: Subject
    pattern: Pattern
    lead: str
    strike_s: float
    yaw_rad: float
    clock: Clock = Clock()  # noqa: RUF009  (frozen)
    passage: Passage = Passage()  # noqa: RUF009
    yields: tuple[Yield, ...] = ()

    @property
    def heading(self) -> Array:
        """(3, 3) walkway axes (x along it, z up) → laboratory."""
        return turn_matrix(2, self.yaw_rad)

    def walking(self, times_s: ArrayLike, order: int = 2) -> Skeleton:
        """The walking skeleton at any times, s, with `order` derivatives."""
        pattern, sg = self.pattern, SIGN[self.lead]
        since = time_jet(times_s, order) - self.strike_s
        pattern_time = self.clock.at(since)
        phase = self.phase(times_s, order)
        pelvis = {name: series.at(phase) for name, series in pattern.pelvis.items()}
        origin = stack([pattern_time * pattern.speed_m_per_s + pelvis["forward"], sg * pelvis["lead"], pelvis["up"]])
        rotation = matmul(
            matmul(turn(1, pelvis["tilt"]), turn(0, sg * pelvis["obliquity"])), turn(2, sg * pelvis["rotation"])
        )
        legs = {}
        for side in SIDES:
            # The other leg does the same, half a stride later.
            stride = phase if side == self.lead else phase - np.pi
            legs[side] = {name: pattern.leg[name].at(stride) for name in LEG_ANGLES}
        if not self.passage.plain:
            carried, start = self.passage.at(since)
            origin, rotation = apply(carried, origin) + start, matmul(carried, rotation)
        heading = self.heading
        origin_g = _turned(heading, origin)
        for given in self.yields:
            course = given.course(times_s, order)
            legs[given.side] |= {name: legs[given.side][name] + course * rate for name, rate in given.angles.items()}
            origin_g = origin_g + stack([course * float(v) for v in given.origin_g])
        return pose(self.subject, origin_g, Jet(heading @ rotation.d), legs)

    def phase(self, times_s: ArrayLike, order: int = 2) -> Jet:
        """Of the leading side's stride (times,), rad: 0 at its foot strikes."""
        return self.clock.at(time_jet(times_s, order) - self.strike_s) * (2.0 * np.pi / self.pattern.stride_s)

    def pattern_s(self, times_s: Array) -> Array:
        """(times,) pattern time at laboratory times, s; both are the same at the lead foot's strike."""
        if self.clock.plain:
            return times_s
        return self.strike_s + self.clock.at(time_jet(times_s, 0) - self.strike_s).value

    def pace(self, times_s: Array) -> tuple[Array, Array]:
        """Rate of pattern time (times,), and the acceleration (times, 3), m/s², that its changes give the body."""
        pattern_time = self.clock.at(time_jet(times_s, 2) - self.strike_s)
        return pattern_time.d[1], pattern_time.d[2][:, None] * self.pattern.speed_m_per_s * self.heading[:, 0]

    def carry(self, load: FootLoad, times_s: Array) -> FootLoad:
        """A load on the resting walkway as the passage carries it along; the slope does not turn the force."""
        if self.passage.plain:
            return load
        h = self.heading
        carried, start = (jet.value for jet in self.passage.at(time_jet(times_s, 0) - self.strike_s))
        to_g = h @ carried @ h.T
        level = h @ self.passage.slope.T @ h.T @ to_g
        moved = {
            name: np.einsum("tij,tj->ti", to_g, getattr(load, name))
            for name in ("cop_g", "free_moment_g", "ahead_g", "outward_g")
        }
        moved["cop_g"] = moved["cop_g"] + start @ h.T
        return replace(load, force_g=np.einsum("tij,tj->ti", level, load.force_g), **moved)

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
        origin = constant(np.tile([0.0, 0.0, height], (n, 1)), order)
        return pose(self.subject, origin, Jet(self.heading @ pelvis_rotation.d), legs)

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
        return float(leg.static_plantar_flexion_rad - 0.5 * np.pi - a), float(-sg * b)


#: Height of the HEE (and TOE) marker's centre over the floor while the foot is flat.
HEEL_MARKER_HEIGHT_M = 0.045


def _turned(matrix: Array, vector: Jet) -> Jet:
    return apply(constant(np.broadcast_to(matrix, (*vector.value.shape[:-1], 3, 3)), vector.order), vector)
