"""Friction in joints: what it costs to keep them moving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.errors import ModelError
from gaitid.trial import Array, Mask, read_only


@dataclass(frozen=True, eq=False)
class Friction:
    """Viscous friction, Coulomb friction, or both (the hybrid law), joint by joint; and static friction that sticks.

    A joint's friction acts on it with −v q̇ − c sgn(q̇); F, as it stands in τ = M q̈ + V + G + F, is its opposite.
    At rest the Coulomb part is 0 where `static` is 0: the joint never sticks. With `static` it is whatever keeps the
    joint at rest, up to `static`; beyond that the joint breaks loose (Olsson et al. 1998, Eur J Control 4:176-195,
    section 2).

    Attributes
    ----------
    viscous : (n,) array or float, N·m·s/rad (revolute) or N·s/m (prismatic)
    coulomb : (n,) array or float, N·m or N
    smoothing : float, rad/s or m/s
        With 0 the sign is exact. An integrator cannot step across a jump at its full order, so for integration
        sgn(q̇) may be replaced by tanh(q̇/smoothing): within 0.1 % of the sign from 4 times `smoothing` on. Joints with
        `static` have the exact sign: they stop and break loose between two steps.
    static : (n,) array or float, N·m or N
        What breaks a joint loose; 0 or not below `coulomb`.

    Raises
    ------
    ModelError
        A coefficient that would drive the joint.
    """

    viscous: Array | float = 0.0
    coulomb: Array | float = 0.0
    smoothing: float = 0.0
    static: Array | float = 0.0

    def __post_init__(self) -> None:
        for name in ("viscous", "coulomb", "smoothing", "static"):
            value = read_only(getattr(self, name))
            if not (np.isfinite(value).all() and (value >= 0).all()):
                raise ModelError(f"friction: {name}", expected="0 or more", found=str(value.tolist()))
        object.__setattr__(self, "viscous", read_only(self.viscous))
        object.__setattr__(self, "coulomb", read_only(self.coulomb))
        object.__setattr__(self, "static", read_only(self.static))
        if np.any(np.asarray(self.sticks) & (np.asarray(self.static) < self.coulomb)):
            found = str(np.asarray(self.static).tolist())
            raise ModelError("friction: static", expected=f"0, or at least coulomb {self.coulomb}", found=found)

    @property
    def sticks(self) -> Mask:
        """(n,) or () whether a joint may stick."""
        return np.asarray(self.static) > 0

    def torque(self, qd: Array, slip: Array | None = None) -> Array:
        """F = v q̇ + c sgn(q̇), (…, n), N·m or N: what overcomes the friction; never against q̇, so F · q̇ ≥ 0.

        Parameters
        ----------
        qd : (…, n) array, rad/s or m/s
        slip : (n,) array, optional
            Of joints that may stick, the way in which each slides: −1, 1, or 0 where it rests.
        """
        sign = np.tanh(qd / self.smoothing) if self.smoothing else np.sign(qd)
        sign = np.where(self.sticks, np.sign(qd) if slip is None else slip, sign)
        return np.asarray(self.viscous * qd + self.coulomb * sign)
