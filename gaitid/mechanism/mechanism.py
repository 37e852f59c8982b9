"""A planar mechanism as one system of equations: Φ, Φq, ν, γ, M and the applied loads Q.

The rows of Φ are those of the kinematic constraints and then of the drivers, in the order of the file; the columns
of Φq are x, y, φ of each body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gaitid.mechanism.body import COORDINATES, Body, Pose, poses_of, rates_of
from gaitid.mechanism.constraints import Constraint, Driver
from gaitid.mechanism.loads import Load
from gaitid.trial import Array


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies, what holds them together, what drives them and what loads them.

    Attributes
    ----------
    bodies : sequence of Body
        Without the ground, which is body 0 of every constraint; these count from 1.
    kinematic : sequence of Constraint
    drivers : sequence of Driver
    loads : sequence of Load
    gravity : (2,) array, m/s²
    """

    bodies: Sequence[Body]
    kinematic: Sequence[Constraint]
    drivers: Sequence[Driver]
    loads: Sequence[Load]
    gravity: Array

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """All, kinematic first."""
        return (*self.kinematic, *self.drivers)

    @cached_property
    def rows(self) -> dict[str, slice]:
        """The rows of each constraint in Φ."""
        ends = np.cumsum([len(c.units) for c in self.constraints]).tolist()
        return {c.name: slice(end - len(c.units), end) for c, end in zip(self.constraints, ends, strict=True)}

    @property
    def n_coordinates(self) -> int:
        return COORDINATES * len(self.bodies)

    @property
    def n_kinematic(self) -> int:
        return sum(len(c.units) for c in self.kinematic)

    @property
    def n_drivers(self) -> int:
        return sum(len(c.units) for c in self.drivers)

    @cached_property
    def length(self) -> float:
        """A length of the mechanism's own size, m: it makes metres and radians comparable."""
        sizes = [float(np.hypot(*s)) for body in self.bodies for s in body.points.values()]
        return max(sizes, default=0.0) or 1.0

    @cached_property
    def coordinate_sizes(self) -> Array:
        """What counts as one of each coordinate, (coordinates,): `length` of x and y, 1 rad of φ."""
        return np.tile([self.length, self.length, 1.0], len(self.bodies))

    @cached_property
    def row_sizes(self) -> Array:
        """What counts as one of each row of Φ, (rows,): `length` to the power that it has."""
        return np.array([self.length**c.lengths for c in self.constraints for _ in c.units])

    @cached_property
    def mass(self) -> Array:
        """The diagonal of M, (coordinates,)."""
        return np.array([m for body in self.bodies for m in (body.mass, body.mass, body.inertia)])

    @cached_property
    def guess(self) -> Array:
        """(coordinates,) where Newton's iterations begin."""
        return np.concatenate([body.guess for body in self.bodies])

    def residual(self, q: Array, t: Array) -> Array:
        """Φ(q, t), (…, rows)."""
        poses = poses_of(q)
        return np.concatenate([c.residual(_of(c, poses), t) for c in self.constraints], axis=-1)

    def jacobian(self, q: Array) -> Array:
        """Φq, (…, rows, coordinates)."""
        poses = poses_of(q)
        J = np.zeros((*q.shape[:-1], self.n_kinematic + self.n_drivers, q.shape[-1]))
        for c in self.constraints:
            for body, block in zip(c.bodies, c.jacobian(_of(c, poses)), strict=True):
                if body > 0:
                    at = COORDINATES * (body - 1)
                    # += and not =: a constraint may name one body twice
                    J[..., self.rows[c.name], at : at + COORDINATES] += block
        return J

    def nu(self, t: Array) -> Array:
        """ν = −Φ_t, (…, rows)."""
        return np.concatenate([c.nu(t) for c in self.constraints], axis=-1)

    def gamma(self, q: Array, qd: Array, t: Array) -> Array:
        """γ, (…, rows)."""
        poses, rates = poses_of(q), rates_of(qd)
        rows = [c.gamma(_of(c, poses), [rates[b] for b in c.bodies], t) for c in self.constraints]
        return np.concatenate(rows, axis=-1)

    def load_forces(self, q: Array, qd: Array, t: Array) -> list[Array]:
        """Generalised force of each applied load, (…, coordinates)."""
        poses, rates = poses_of(q), rates_of(qd)
        result = []
        for load in self.loads:
            Q = np.zeros(q.shape)
            for body, force, torque in load.actions(poses, rates, t):
                if body > 0:
                    at = COORDINATES * (body - 1)
                    Q[..., at : at + 2] += force
                    Q[..., at + 2] += torque
            result.append(Q)
        return result

    def weight(self) -> Array:
        """Generalised force of gravity, (coordinates,)."""
        return np.concatenate([[*(body.mass * self.gravity), 0.0] for body in self.bodies])


def _of(constraint: Constraint, poses: Sequence[Pose]) -> list[Pose]:
    return [poses[b] for b in constraint.bodies]
