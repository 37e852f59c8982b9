"""Friction in joints: what it costs to keep them moving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.errors import ModelError
from gaitid.trial import Array, read_only


@dataclass(frozen=True, eq=False)
class Friction:
    """Viscous friction, Coulomb friction, or both (the hybrid law), joint by joint.

    A joint's friction acts on it with −v q̇ − c sgn(q̇); F, as it stands in τ = M q̈ + V + G + F, is its opposite.
    Sticking is not modelled: at q̇ = 0 the Coulomb part is 0.

    Attributes
    ----------
    viscous : (n,) array or float, N·m·s/rad (revolute) or N·s/m (prismatic)
    coulomb : (n,) array or float, N·m or N
    smoothing : float, rad/s or m/s
        With 0 the sign is exact. An integrator cannot step across a jump at its full order, so for integration
        sgn(q̇) may be replaced by tanh(q̇/smoothing): within 0.1 % of the sign from 4 times `smoothing` on.

    Raises
    ------
    ModelError
        A coefficient that would drive the joint.
    """

    viscous: Array | float = 0.0
    coulomb: Array | float = 0.0
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        for name in ("viscous", "coulomb", "smoothing"):
            value = read_only(getattr(self, name))
            if not (np.isfinite(value).all() and (value >= 0).all()):
                raise ModelError(f"friction: {name}", expected="0 or more", found=str(value.tolist()))
        object.__setattr__(self, "viscous", read_only(self.viscous))
        object.__setattr__(self, "coulomb", read_only(self.coulomb))

    def torque(self, qd: Array) -> Array:
        """F = v q̇ + c sgn(q̇), (…, n), N·m or N: what overcomes the friction; never against q̇, so F · q̇ ≥ 0."""
        sign = np.tanh(qd / self.smoothing) if self.smoothing else np.sign(qd)
        return np.asarray(self.viscous * qd + self.coulomb * sign)
