"""The constraints of a planar mechanism: Φ, its Jacobian Φq, and the right-hand sides ν and γ.

    position      Φ(q, t) = 0
    velocity      Φq q̇ = ν = −Φ_t
    acceleration  Φq q̈ = γ = −(Φq q̇)_q q̇ − 2 Φ_qt q̇ − Φ_tt
    loads         Q on a body = −Φqᵀ λ, its own three columns of Φq

Drivers are constraints with a given course in time f(t), Φ(q) − f(t) = 0, so that ν = ḟ and γ has f̈.

(Sommer HJ, "Two-Dimensional Inverse Dynamics", kinematically driven; Haug 1989, Computer Aided Kinematics and
Dynamics of Mechanical Systems, vol. I, section 3.6 for ν and γ). The order of the bodies is that of Sommer: body j
relative to body i, Φ = r_j − r_i for a revolute; Haug's is the opposite. Every function takes any leading axes
(one position or a whole history).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gaitid.mechanism.body import COORDINATES, History, Pose, Rate, cross, dot, quarter_turn
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

    def points(self) -> tuple[Array, ...]:
        """The point of each body that its torque is reported about, body axes, m."""
        return tuple(CENTRE for _ in self.bodies)

    def misfit(self, poses: Sequence[Pose]) -> str:
        """What of the bodies' places contradicts the constraint though Φ = 0, in words; empty where nothing does."""
        return ""

    @abstractmethod
    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        """Φ, (…, rows). `poses` are those of `bodies`, in their order."""

    @abstractmethod
    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        """Φq: for each of `bodies` its (…, rows, 3)."""

    def nu(self, t: Array) -> Array:
        """ν, (…, rows): zero for what does not depend on time."""
        return np.zeros((*t.shape, len(self.units)))

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        """γ, (…, rows): zero for what is linear in q and t."""
        return np.zeros((*t.shape, len(self.units)))

    def loads(self, poses: Sequence[Pose], multipliers: Array) -> list[tuple[Array, Array, Array]]:
        """What the constraint exerts on each of `bodies`.

        F = −Φ_rᵀ λ and, about a point P of the body, T = ((B s'ᴾ)ᵀ Φ_rᵀ − Φ_φᵀ) λ (Sommer, "Lagrange
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
            result.append((force, about_centre - cross(pose.turned(s), force), pose.point(s)))
        return result


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

    def d(self, poses: Sequence[Pose]) -> Array:
        i, j = poses
        return j.point(self.s_j) - i.point(self.s_i)

    def d_rate(self, poses: Sequence[Pose], rates: Sequence[Rate]) -> Array:
        (i, j), (di, dj) = poses, rates
        return dj.point(j, self.s_j) - di.point(i, self.s_i)

    def d_jacobians(self, poses: Sequence[Pose]) -> tuple[Array, Array]:
        i, j = poses
        return -i.point_jacobian(self.s_i), j.point_jacobian(self.s_j)

    def d_centripetal(self, poses: Sequence[Pose], rates: Sequence[Rate]) -> Array:
        """φ̇_j² A_j s_j − φ̇_i² A_i s_i, which d̈ lacks to what is linear in q̈."""
        (i, j), (di, dj) = poses, rates
        return dj.centripetal(j, self.s_j) - di.centripetal(i, self.s_i)


class Revolute(BetweenPoints):
    """Φ = r_j^P − r_i^P: a pin. λ is the force on body i."""

    units: ClassVar[tuple[str, ...]] = ("x_N", "y_N")
    lengths: ClassVar[int] = 1

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        return self.d(poses)

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        return list(self.d_jacobians(poses))

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        return self.d_centripetal(poses, rates)


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

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        d = self.d(poses)
        return np.asarray(dot(d, d) - self.length**2)[..., None]

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        d = self.d(poses)[..., None, :]
        return [2 * d @ J for J in self.d_jacobians(poses)]

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        # Φ̈ = 2 ḋᵀḋ + 2 dᵀd̈
        d, d_rate = self.d(poses), self.d_rate(poses, rates)
        return np.asarray(2 * dot(d, self.d_centripetal(poses, rates)) - 2 * dot(d_rate, d_rate))[..., None]


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

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        i, j = poses
        return cross(i.turned(self.a_i), j.turned(self.a_j))[..., None]

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        i, j = poses
        along = dot(i.turned(self.a_i), j.turned(self.a_j))
        return [turning(-along), turning(along)]

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        # Φ̇ = (φ̇_j − φ̇_i) a_i·a_j, and d(a_i·a_j)/dt = −(φ̇_j − φ̇_i) a_i × a_j
        di, dj = rates
        return ((dj.omega - di.omega) ** 2)[..., None] * self.residual(poses, t)


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

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        return cross(poses[0].turned(self.a_i), self.d(poses))[..., None]

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        # a × x = (R a) · x, and ∂(a × d)/∂φ_i through a alone is (R a) × d = −a · d
        a = poses[0].turned(self.a_i)
        normal = quarter_turn(a)[..., None, :]
        J_i, J_j = self.d_jacobians(poses)
        return [normal @ J_i + turning(-dot(a, self.d(poses))), normal @ J_j]

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        # Φ̈ = ä × d + 2 ȧ × ḋ + a × d̈ with ȧ = φ̇ R a, ä = φ̈ R a − φ̇² a, and R a × ḋ = −a · ḋ
        a, omega = poses[0].turned(self.a_i), rates[0].omega
        return np.asarray(
            omega**2 * cross(a, self.d(poses))
            + 2 * omega * dot(a, self.d_rate(poses, rates))
            + cross(a, self.d_centripetal(poses, rates))
        )[..., None]


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

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        i, j = poses
        return (j.phi - self.ratio * i.phi - self.constant)[..., None]

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        ones = np.ones_like(poses[0].phi)
        return [turning(-self.ratio * ones), turning(ones)]


class GearPairOnLink(GearPair):
    """Φ = (φ_j − φ_k) − K (φ_i − φ_k) − C: gears i, j whose axles are on link k. T on k = (1 − K) λ."""

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        i, j, k = poses
        return (j.phi - k.phi - self.ratio * (i.phi - k.phi) - self.constant)[..., None]

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        return [*super().jacobian(poses[:2]), turning((self.ratio - 1) * np.ones_like(poses[2].phi))]


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground(Constraint):
    """Φ = (r_i, φ_i) − pose: the body is fixed; λ is what it exerts on its foundation.

    Attributes
    ----------
    pose : (3,) array, m, m, rad
    """

    pose: Array

    units: ClassVar[tuple[str, ...]] = ("x_N", "y_N", "Nm")

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        (i,) = poses
        return np.concatenate([i.r - self.pose[:2], (i.phi - self.pose[2])[..., None]], axis=-1)

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        return [np.broadcast_to(np.eye(COORDINATES), (*poses[0].phi.shape, COORDINATES, COORDINATES))]


def turning(phi_column: Array) -> Array:
    """A row of Φq for one body that has nothing but ∂Φ/∂φ: (…, 1, 3)."""
    row = np.zeros((*phi_column.shape, 1, COORDINATES))
    row[..., 0, 2] = phi_column
    return row


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

    def nu(self, t: Array) -> Array:
        return self.history.at(t, 1)[..., None]

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        return self.history.at(t, 2)[..., None]


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativeAngleDriver(Driver):
    """Φ = φ_j − φ_i − C − f(t). T on i = λ, on j −λ.

    Attributes
    ----------
    constant : float, rad
        C.
    """

    constant: float = 0.0

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        i, j = poses
        return (j.phi - i.phi - self.constant - self.history.at(t))[..., None]

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        ones = np.ones_like(poses[0].phi)
        return [turning(-ones), turning(ones)]


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

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        return (dot(poses[0].turned(self.a_i), self.d(poses)) - self.history.at(t))[..., None]

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        a = poses[0].turned(self.a_i)
        J_i, J_j = self.d_jacobians(poses)
        return [a[..., None, :] @ J_i + turning(cross(a, self.d(poses))), a[..., None, :] @ J_j]

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        # Φ̈ + f̈ = ä · d + 2 ȧ · ḋ + a · d̈ with ȧ = φ̇ R a and ä = φ̈ R a − φ̇² a
        a, omega = poses[0].turned(self.a_i), rates[0].omega
        inertial = (
            omega**2 * dot(a, self.d(poses))
            - 2 * omega * cross(a, self.d_rate(poses, rates))
            + dot(a, self.d_centripetal(poses, rates))
        )
        return np.asarray(inertial + self.history.at(t, 2))[..., None]
