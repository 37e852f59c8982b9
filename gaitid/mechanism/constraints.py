"""The constraints of a planar mechanism: Φ, its Jacobian Φq, and the right-hand sides ν and γ.

    position      Φ(q, t) = 0
    velocity      Φq q̇ = ν = −Φ_t
    acceleration  Φq q̈ = γ = −(Φq q̇)_q q̇ − 2 Φ_qt q̇ − Φ_tt
    loads         Q on a body = −Φqᵀ λ, its own three columns of Φq

Drivers are constraints with a given course in time f(t), Φ(q) − f(t) = 0, so that ν = ḟ and γ has f̈. Each constraint
says Φ(q) alone; along a motion of rate q̇ without acceleration its derivatives are Φq q̇ and −γ + f̈, exactly (`Jet`).

(Sommer HJ, "Two-Dimensional Inverse Dynamics", kinematically driven; Haug 1989, Computer Aided Kinematics and
Dynamics of Mechanical Systems, vol. I, section 3.6 for ν and γ). The order of the bodies is that of Sommer: body j
relative to body i, Φ = r_j − r_i for a revolute; Haug's is the opposite. Every function takes any leading axes
(one position or a whole history).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gaitid.mechanism.body import COORDINATES, History, Pose, cross, dot, pose_of
from gaitid.numerics.jet import Jet, bilinear, reciprocal
from gaitid.trial import Array

CENTRE = np.zeros(2)


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint(ABC):
    """One or more equations between bodies.

    Attributes
    ----------
    name : str
    bodies : tuple of int
        Bodies i, j (and k); 0 is the ground.
    """

    name: str
    bodies: tuple[int, ...]

    #: Unit of each row's multiplier, with its direction where there are several.
    units: ClassVar[tuple[str, ...]] = ("Nm",)
    #: Power of metres in Φ: what makes its rows comparable.
    lengths: ClassVar[int] = 0

    @abstractmethod
    def phi(self, poses: Sequence[Pose]) -> Jet:
        """Φ(q), (…, rows), of the poses of `bodies` in their order."""

    def course(self, t: Array, order: int) -> Array:
        """f, (…, rows), or one of its derivatives: zero for what does not depend on time."""
        return np.zeros((*t.shape, len(self.units)))

    def points(self) -> tuple[Array, ...]:
        """The point of each body that its torque is reported about, body axes, m."""
        return tuple(CENTRE for _ in self.bodies)

    def misfit(self, poses: Sequence[Pose]) -> str:
        """What of the bodies' places contradicts the constraint though Φ = 0, in words; empty where nothing does."""
        return ""

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        """Φ(q) − f(t), (…, rows)."""
        return np.asarray(self.phi(poses).value - self.course(t, 0))

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        """Φq: for each of `bodies` its (…, rows, 3)."""
        n, shape = COORDINATES * len(poses), poses[0].phi.value.shape
        # a rate of 1 of each coordinate by itself
        rates = np.eye(n).reshape(n, *(1,) * len(shape), n)
        moving = []
        for pose, rate in zip(poses, np.split(rates, len(poses), axis=-1), strict=True):
            q = np.concatenate([pose.r.value, pose.phi.value[..., None]], axis=-1)
            moving.append(pose_of(Jet(np.stack(np.broadcast_arrays(q, rate)))))
        return np.split(np.moveaxis(self.phi(moving).d[1], 0, -1), len(poses), axis=-1)

    def gamma(self, poses: Sequence[Pose], t: Array) -> Array:
        """γ, (…, rows), of poses whose second derivatives are zero."""
        return np.asarray(self.course(t, 2) - self.phi(poses).d[2])

    def loads(self, poses: Sequence[Pose], multipliers: Array) -> list[tuple[Array, Array, Array]]:
        """What the constraint exerts on each of `bodies`.

        F = −Φ_rᵀ λ and, about a point P of the body, T = ((B s'ᴾ)ᵀ Φ_rᵀ − Φ_φᵀ) λ with B = dA/dφ (Sommer, "Lagrange
        multipliers for specific constraints"): the torque about the centre of mass less the moment of F.

        Parameters
        ----------
        poses : sequence of Pose
        multipliers : (…, rows) array

        Returns
        -------
        list of (force, torque, point)
            (…, 2) N, (…,) N·m about the point, (…, 2) m; global axes.
        """
        result = []
        for pose, s, J in zip(poses, self.points(), self.jacobian(poses), strict=True):
            Q = -np.einsum("...rc,...r->...c", J, multipliers)
            force, about_centre = Q[..., :2], Q[..., 2]
            result.append((force, about_centre - cross(pose.turned(s).value, force), pose.point(s).value))
        return result


def _row(value: Jet) -> Jet:
    """A number as the only row of Φ."""
    return Jet(value.d[..., None])


@dataclass(frozen=True, eq=False, kw_only=True)
class BetweenPoints(Constraint):
    """d = r_j^P − r_i^P, from a point of body i to a point of body j.

    Attributes
    ----------
    s_i, s_j : (2,) arrays, m
        The points, each in its body's axes.
    """

    s_i: Array
    s_j: Array

    def points(self) -> tuple[Array, ...]:
        return self.s_i, self.s_j

    def d(self, poses: Sequence[Pose]) -> Jet:
        i, j = poses
        return j.point(self.s_j) - i.point(self.s_i)


class Revolute(BetweenPoints):
    """Φ = r_j^P − r_i^P: a pin. λ is the force on body i."""

    units: ClassVar[tuple[str, ...]] = ("x_N", "y_N")
    lengths: ClassVar[int] = 1

    def phi(self, poses: Sequence[Pose]) -> Jet:
        return self.d(poses)


@dataclass(frozen=True, eq=False, kw_only=True)
class DoubleRevolute(BetweenPoints):
    """Φ = dᵀd − L²: a massless link of constant length between two pins. F on i = 2 d λ, on j −2 d λ.

    Attributes
    ----------
    length : float, m
    """

    length: float

    units: ClassVar[tuple[str, ...]] = ("N_per_m",)
    lengths: ClassVar[int] = 2

    def phi(self, poses: Sequence[Pose]) -> Jet:
        d = self.d(poses)
        return _row(bilinear(dot, d, d) - self.length**2)


@dataclass(frozen=True, eq=False, kw_only=True)
class Parallel(Constraint):
    """Φ = a_iᵀ Rᵀ a_j = a_i × a_j: two vectors stay parallel, or antiparallel. T on i = a_i · a_j λ.

    Sommer prints |a_i| |a_j| λ, which holds while they are parallel; antiparallel, a_i · a_j = −|a_i| |a_j|.

    Attributes
    ----------
    a_i, a_j : (2,) arrays, m
        Each in its body's axes.
    """

    a_i: Array
    a_j: Array

    units: ClassVar[tuple[str, ...]] = ("N_per_m",)
    lengths: ClassVar[int] = 2

    def phi(self, poses: Sequence[Pose]) -> Jet:
        i, j = poses
        return _row(bilinear(cross, i.turned(self.a_i), j.turned(self.a_j)))


@dataclass(frozen=True, eq=False, kw_only=True)
class PinInSlot(BetweenPoints):
    """Φ = a_iᵀ Rᵀ d = a_i × d: the pin P of body j stays on the line through P of body i along a_i.

    F on i = R a_i λ at the pin, r_j^P; about body i's own P that is T = a_i · d λ. Sommer prints |a_i| |d| λ,
    which has lost the sign where the pin is on the other side of P (d antiparallel to a_i).

    Attributes
    ----------
    a_i : (2,) array, m
        Along the slot, axes of body i.
    """

    a_i: Array

    units: ClassVar[tuple[str, ...]] = ("N_per_m",)
    lengths: ClassVar[int] = 2

    def phi(self, poses: Sequence[Pose]) -> Jet:
        return _row(bilinear(cross, poses[0].turned(self.a_i), self.d(poses)))


@dataclass(frozen=True, eq=False, kw_only=True)
class GearPair(Constraint):
    """Φ = φ_j − K φ_i − C: gears on fixed axles, or wheels with a chain or belt. T on i = K λ, on j −λ.

    Attributes
    ----------
    ratio : float
        K = −ρ_i/ρ_j for external gears, +ρ_i/ρ_j for internal gears, belts and chains.
    constant : float, rad
        C.
    """

    ratio: float
    constant: float

    def phi(self, poses: Sequence[Pose]) -> Jet:
        i, j = poses
        return _row(j.phi - i.phi * self.ratio - self.constant)


class GearPairOnLink(GearPair):
    """Φ = (φ_j − φ_k) − K (φ_i − φ_k) − C: gears i, j whose axles are on link k. T on k = (1 − K) λ."""

    def phi(self, poses: Sequence[Pose]) -> Jet:
        i, j, k = poses
        return _row(j.phi - k.phi - (i.phi - k.phi) * self.ratio - self.constant)


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground(Constraint):
    """Φ = (r_i, φ_i) − pose: the body is fixed; λ is what it exerts on its foundation.

    Attributes
    ----------
    pose : (3,) array, m, m, rad
    """

    pose: Array

    units: ClassVar[tuple[str, ...]] = ("x_N", "y_N", "Nm")

    def phi(self, poses: Sequence[Pose]) -> Jet:
        (i,) = poses
        return Jet(np.concatenate([i.r.d, i.phi.d[..., None]], axis=-1)) - self.pose


@dataclass(frozen=True, eq=False, kw_only=True)
class Driver(Constraint):
    """A constraint with a given course in time, and so an actuator.

    Attributes
    ----------
    history : History
        f(t), in rad or m.
    """

    history: History

    #: The unit of what the actuator exerts on body j, −λ.
    effort_unit: ClassVar[str] = "torque_Nm"

    def course(self, t: Array, order: int) -> Array:
        return self.history.at(t, order)[..., None]


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativeAngleDriver(Driver):
    """Φ = φ_j − φ_i − C − f(t). T on i = λ, on j −λ.

    Attributes
    ----------
    constant : float, rad
        C.
    """

    constant: float = 0.0

    def phi(self, poses: Sequence[Pose]) -> Jet:
        i, j = poses
        return _row(j.phi - i.phi - self.constant)


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativePositionDriver(BetweenPoints, Driver):
    """Φ = a_i · d − f(t): how far point P of body j is along a unit vector of body i. F on i = a_i λ at r_j^P.

    Not in Sommer's list: it moves a slider, or a hip along a measured path.

    Attributes
    ----------
    a_i : (2,) array
        Unit vector, axes of body i.
    """

    a_i: Array

    units: ClassVar[tuple[str, ...]] = ("N",)
    lengths: ClassVar[int] = 1
    effort_unit: ClassVar[str] = "force_N"

    def phi(self, poses: Sequence[Pose]) -> Jet:
        return _row(bilinear(dot, poses[0].turned(self.a_i), self.d(poses)))


# Of the distance at which pitch circles touch: more is a length that was given wrong, not rounding.
_APART = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class GearMesh(BetweenPoints):
    """Φ = ρ_i (φ_i − ψ) + σ ρ_j (φ_j − ψ) − C: pitch circles roll on each other, ψ the direction of d from i to j.

    It is Sommer's gear pair on a rotating link with the line of centres as the link, whatever carries the axles, and
    multiplied by ρ: Φ is a length, and λ the force of the teeth along the common tangent (Willis R 1841, Principles of
    Mechanism, art. 245 ff., for the motion). With e the unit vector along d and t = R e, and |d| = ρ_i + σ ρ_j:

        F on i = −t λ,  F on j = +t λ,  both at the point where the circles touch (inside a ring: σ |d| e for |d| e)

    Sommer's gear pairs give the torques alone, so that the pins of a planet would bear nothing of its teeth.

    Attributes
    ----------
    radii : (2,) array, m
        ρ_i and ρ_j, of the pitch circles about the points of i and j.
    sense : float
        σ: +1 external; −1 where the larger one is a ring around the smaller one.
    constant : float, m
        C; NaN until `meshed` takes it from the guess.
    """

    radii: Array
    sense: float
    constant: float

    units: ClassVar[tuple[str, ...]] = ("N",)
    lengths: ClassVar[int] = 1

    @property
    def of_line(self) -> float:
        """ρ_i + σ ρ_j: of an inner mesh the difference, negative where j is the ring."""
        return float(self.radii[0] + self.sense * self.radii[1])

    def meshed(self, poses: Sequence[Pose]) -> GearMesh:
        """The same with the C at which its gears stand in these poses, where it has none."""
        if np.isfinite(self.constant):
            return self
        return replace(self, constant=float(replace(self, constant=0.0).phi(poses).value[0]))

    def misfit(self, poses: Sequence[Pose]) -> str:
        d, touching = self.d(poses).value, abs(self.of_line)
        apart = np.ravel(np.sqrt(dot(d, d)))
        worst = float(apart[np.argmax(np.abs(apart - touching))])
        if abs(worst - touching) <= _APART * touching:
            return ""
        return f"its axles are {worst:.6g} m apart, and its circles touch at {touching:.6g} m"

    def phi(self, poses: Sequence[Pose]) -> Jet:
        i, j = poses
        d = self.d(poses)
        psi = [np.arctan2(d.value[..., 1], d.value[..., 0])]
        if d.order:  # ψ̇ = d × ḋ / d²
            psi += [*(bilinear(cross, d, d.derivative()) * reciprocal(bilinear(dot, d, d))).d]
        rolled = i.phi * self.radii[0] + j.phi * (self.sense * self.radii[1])
        value = rolled - Jet(np.stack(psi)) * self.of_line - self.constant
        # ψ is known but for whole turns: those for which the teeth are nearest to where they should be
        turn = 2 * np.pi * abs(self.of_line)
        return _row(value - turn * np.round(value.value / turn))
