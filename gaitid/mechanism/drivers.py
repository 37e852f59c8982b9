"""Drivers: constraints with a given course in time f(t), Φ(q) − f(t) = 0, so that ν = ḟ and γ has f̈."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gaitid.mechanism.body import Pose, Rate, cross, dot
from gaitid.mechanism.constraints import BetweenPoints, Constraint, turning
from gaitid.mechanism.history import History
from gaitid.trial import Array


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
