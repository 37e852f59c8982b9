"""Gears that touch: their teeth push at the point where the pitch circles meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gaitid.mechanism.body import Pose, Rate, dot, quarter_turn
from gaitid.mechanism.constraints import BetweenPoints, turning
from gaitid.trial import Array

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
        return replace(self, constant=float(replace(self, constant=0.0).residual(poses, np.array(0.0))[0]))

    def misfit(self, poses: Sequence[Pose]) -> str:
        apart, touching = np.sqrt(dot(self.d(poses), self.d(poses))), abs(self.of_line)
        worst = float(np.ravel(apart)[np.argmax(np.abs(np.ravel(apart) - touching))])
        if abs(worst - touching) <= _APART * touching:
            return ""
        return f"its axles are {worst:.6g} m apart, and its circles touch at {touching:.6g} m"

    def residual(self, poses: Sequence[Pose], t: Array) -> Array:
        i, j = poses
        d = self.d(poses)
        psi = np.arctan2(d[..., 1], d[..., 0])
        value = self.radii[0] * i.phi + self.sense * self.radii[1] * j.phi - self.of_line * psi - self.constant
        # ψ is known but for whole turns: those for which the teeth are nearest to where they should be
        turn = 2 * np.pi * abs(self.of_line)
        return np.asarray(value - turn * np.round(value / turn))[..., None]

    def _across(self, poses: Sequence[Pose]) -> Array:
        """∂(of_line ψ)/∂d, (…, 2)."""
        d = self.d(poses)
        return np.asarray(self.of_line * quarter_turn(d) / dot(d, d)[..., None])

    def jacobian(self, poses: Sequence[Pose]) -> list[Array]:
        across = self._across(poses)[..., None, :]
        own = (self.radii[0], self.sense * self.radii[1])
        ones = np.ones_like(poses[0].phi)
        return [turning(rho * ones) - across @ J for rho, J in zip(own, self.d_jacobians(poses), strict=True)]

    def gamma(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> Array:
        # ψ̇ = (R d)·ḋ / d², and ψ̈ = (R d)·d̈ / d² − 2 (d·ḋ) (R d)·ḋ / d⁴
        d, d_rate, across = self.d(poses), self.d_rate(poses, rates), self._across(poses)
        swept = 2 * dot(d, d_rate) / dot(d, d)
        return np.asarray(-dot(across, self.d_centripetal(poses, rates)) - swept * dot(across, d_rate))[..., None]
