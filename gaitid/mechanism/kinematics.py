"""A planar mechanism as one system of equations, and its positions by Newton's iterations; velocities and
accelerations.

    position      Φq Δq = −Φ, repeated
    velocity      Φq q̇ = ν
    acceleration  Φq q̈ = γ

(Haug 1989, Computer Aided Kinematics and Dynamics of Mechanical Systems, vol. I, section 3.6 and chapter 4.)

Along a motion the determinant of Φq cannot change its sign but through zero: where it does between two frames, the
mechanism went through a singular position, or Newton's iterations fell on another way of putting it together. Steps
are halved until neither happens.

A left null vector w of Φq, wᵀ Φq = 0, weighs constraints whose rows say the same, and whose loads therefore cannot be
told apart (Wojtyra 2005, Multibody Syst Dyn 14:23-46).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gaitid.errors import ModelError
from gaitid.mechanism.body import COORDINATES, Body, Load, Pose, poses_of
from gaitid.mechanism.constraints import Constraint, Driver
from gaitid.records import NamedTuple
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
        return np.concatenate([c.course(t, 1) for c in self.constraints], axis=-1)

    def gamma(self, q: Array, qd: Array, t: Array) -> Array:
        """γ, (…, rows)."""
        poses = poses_of(q, qd, np.zeros_like(q))
        return np.concatenate([c.gamma(_of(c, poses), t) for c in self.constraints], axis=-1)

    def load_forces(self, q: Array, qd: Array, t: Array) -> list[Array]:
        """Generalised force of each applied load, (…, coordinates)."""
        poses, result = poses_of(q, qd), []
        for load in self.loads:
            Q = np.zeros(q.shape)
            for body, force, torque in load.actions(poses, t):
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


# Rows of unit length are dependent below this smallest singular value. At a singular position Newton's iterations stop
# within the square root of the rounding (1.5e-8) of it, and the singular value is of that size.
DEPENDENT = 1e-7


def comparable(mechanism: Mechanism, J: Array) -> Array:
    """Φq with metres measured in the mechanism's own length and every row of unit length: (…, rows, coordinates)."""
    scaled = J * mechanism.coordinate_sizes
    norm = np.sqrt((scaled**2).sum(axis=-1, keepdims=True))
    return np.asarray(scaled / np.where(norm > 0, norm, 1.0))


def smallest_singular_value(mechanism: Mechanism, J: Array) -> Array:
    """The smallest singular value of the comparable Φq, (…): 0 where rows depend on others or outnumber the columns."""
    if J.shape[-2] > J.shape[-1]:
        return np.zeros(J.shape[:-2])
    return np.asarray(np.linalg.svd(comparable(mechanism, J), compute_uv=False)[..., -1])


def dependent_constraints(mechanism: Mechanism, J: Array, tolerance: float = DEPENDENT) -> list[str]:
    """A smallest set of constraints whose rows depend on one another; empty where all are independent.

    Smallest: without any one of them the others are independent.

    Parameters
    ----------
    mechanism : Mechanism
    J : (rows, coordinates) array
        Its Φq.
    tolerance : float
        On the smallest singular value of the comparable rows.
    """
    scaled = comparable(mechanism, J)

    def dependent(names: list[str]) -> bool:
        if not names:
            return False
        some = np.concatenate([scaled[mechanism.rows[name]] for name in names])
        if len(some) > some.shape[1]:
            return True
        return bool(np.linalg.svd(some, compute_uv=False)[-1] <= tolerance)

    names = [c.name for c in mechanism.constraints]
    if not dependent(names):
        return []
    for name in list(names):
        others = [n for n in names if n != name]
        if dependent(others):
            names = others
    return names


# Newton's iterations double their digits: after a step below this the next would be below rounding.
LAST_STEP = 1e-9
# Φ in units of the mechanism's length: what rounding leaves of coordinates of its size.
CLOSED = 1e-9
ASSEMBLING, FOLLOWING = 200, 8
"""Iterations: from a guess, and from a prediction, which is either good or to be halved."""
# Of any body in one iteration from a guess, and in one step of a motion: a small part of the half turn beyond which
# another way of putting the mechanism together may be nearer.
LARGEST_TURN = 0.35
# Of one interval between frames.
HALVINGS = 14
# Smallest singular value of the comparable Φq: far above it, a motion that cannot be followed is not singular but fast.
WELL_DETERMINED = 1e-2
# Of a driver, rad or of the mechanism's length: to see whether what depends here is independent beside.
ASIDE = 0.01


class _State(NamedTuple):
    t: float
    q: Array
    qd: Array
    sign: float


def positions(mechanism: Mechanism, times_s: Array) -> Array:
    """Coordinates at each of the times.

    Parameters
    ----------
    mechanism : Mechanism
    times_s : (frames,) array
        Increasing.

    Returns
    -------
    (frames, coordinates) array, m and rad
        Angles are continuous, not wrapped.

    Raises
    ------
    ModelError
        The wrong number of drivers, redundant constraints, constraints that cannot be met, or a singular position: one
        line that names them.
    """
    _check_counts(mechanism, float(times_s[0]))
    state = _first(mechanism, float(times_s[0]))
    q = np.empty((len(times_s), mechanism.n_coordinates))
    q[0] = state.q
    for k, t in enumerate(times_s[1:].tolist(), start=1):
        state = _follow(mechanism, state, t, HALVINGS)
        q[k] = state.q
    poses = poses_of(q)
    for constraint in mechanism.constraints:  # Φ = 0 does not see gears whose circles do not touch
        if words := constraint.misfit(_of(constraint, poses)):
            raise ModelError(f"constraints.{constraint.name}: {words}", todo="mend the radii, or where the axles are")
    return q


def rates(mechanism: Mechanism, q: Array, times_s: Array) -> tuple[Array, Array]:
    """Velocities and accelerations at known positions: q̇ = Φq⁻¹ ν, q̈ = Φq⁻¹ γ.

    Parameters
    ----------
    mechanism : Mechanism
    q : (frames, coordinates) array
    times_s : (frames,) array

    Returns
    -------
    qd, qdd : (frames, coordinates) arrays
    """
    J = mechanism.jacobian(q)
    qd = solved(J, mechanism.nu(times_s))
    return qd, solved(J, mechanism.gamma(q, qd, times_s))


def solved(matrix: Array, right: Array) -> Array:
    """x of matrix x = right, (…, n), for each of the leading axes."""
    return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0], dtype=float)


def _check_counts(mechanism: Mechanism, t: float) -> None:
    nq, nk, nd = mechanism.n_coordinates, mechanism.n_kinematic, mechanism.n_drivers
    if nk + nd == nq:
        return
    undriven = replace(mechanism, drivers=())
    if nk:
        q = _assembled(undriven, mechanism.guess, t)
        _refuse_redundant(dependent_constraints(undriven, undriven.jacobian(q)))
    raise ModelError(
        "drivers: the wrong number of them",
        expected=f"nd = nq − nk = {nq} − {nk} = {nq - nk} (nq: three coordinates for each body; "
        "nk: kinematic constraint equations)",
        found=f"nd = {nd}",
        todo="add a driver for each freedom" if nk + nd < nq else "take drivers or constraints away",
    )


def _first(mechanism: Mechanism, t: float) -> _State:
    q = _assembled(mechanism, mechanism.guess, t)
    J = mechanism.jacobian(q)
    if smallest_singular_value(mechanism, J) > DEPENDENT:
        return _state(mechanism, q, t)
    # Redundant constraints depend on one another everywhere, others only here: look beside, the drivers a little on.
    aside = mechanism.residual(q, np.asarray(t))
    aside[mechanism.n_kinematic :] = -ASIDE
    beside, closed = _assemble(mechanism, q, t, offset=aside)
    if closed:
        _refuse_redundant(dependent_constraints(mechanism, mechanism.jacobian(beside)))
    raise _singular(mechanism, q, f"at t = {t:g} s")


def _refuse_redundant(names: list[str]) -> None:
    if names:
        raise ModelError(
            f"constraints {', '.join(names)}: redundant, their rows of Φq depend on one another",
            expected="independent constraints, so that the load on each is determined",
            todo="take one of them away, or let one bind less (pin_in_slot or double_revolute for a revolute)",
        )


def _singular(mechanism: Mechanism, q: Array, where: str) -> ModelError:
    J = mechanism.jacobian(q)
    # near a singular position: what explains the small singular value that there is
    tolerance = max(DEPENDENT, 2 * float(smallest_singular_value(mechanism, J)))
    return ModelError(
        f"singular position {where}: constraints {', '.join(dependent_constraints(mechanism, J, tolerance))} do not "
        "determine the motion there",
        expected="Φq of full rank",
        todo="drive another joint, or end the motion before",
    )


def _state(mechanism: Mechanism, q: Array, t: float) -> _State:
    J = mechanism.jacobian(q)
    return _State(t, q, solved(J, mechanism.nu(np.asarray(t))), float(np.linalg.slogdet(J)[0]))


def _assembled(mechanism: Mechanism, q: Array, t: float) -> Array:
    q, closed = _assemble(mechanism, q, t)
    if closed:
        return q
    gap = np.abs(mechanism.residual(q, np.asarray(t)) / mechanism.row_sizes)
    # the first of those that are furthest from closed
    open_ = sorted(mechanism.constraints, key=lambda c: -float(gap[mechanism.rows[c.name]].max()))
    against = dependent_constraints(mechanism, mechanism.jacobian(q), 1e-3) or [c.name for c in open_[:3]]
    raise ModelError(
        f"constraints {', '.join(against)}: cannot be met together at t = {t:g} s",
        expected="Φ = 0",
        found=f"{open_[0].name} off by {gap.max():.3g} (rad, or of the mechanism's {mechanism.length:g} m)",
        todo="mend lengths or drivers that do not reach, or give a nearer guess",
    )


def _follow(mechanism: Mechanism, start: _State, t: float, halvings: int) -> _State:
    """The state at `t`, by one step or, where that is not safe, by two halves."""
    q, closed = _newton(mechanism, start.q + (t - start.t) * start.qd, t)
    if closed and np.abs(q - start.q)[2::3].max() <= LARGEST_TURN:
        end = _state(mechanism, q, t)
        if end.sign == start.sign:
            return end
    if not halvings:
        turned = np.abs((t - start.t) * start.qd)[2::3].max()
        if turned > LARGEST_TURN and smallest_singular_value(mechanism, mechanism.jacobian(start.q)) > WELL_DETERMINED:
            raise ModelError(
                f"drivers: too fast to be followed at t = {start.t:.6g} s",
                expected=f"less than {2**HALVINGS * LARGEST_TURN:.0f} rad from one row to the next",
                todo="mend their units, or raise rate_hz",
            )
        raise _singular(mechanism, start.q, f"at or just after t = {start.t:.6g} s")
    half = _follow(mechanism, start, (start.t + t) / 2, halvings - 1)
    return _follow(mechanism, half, t, halvings - 1)


def _newton(mechanism: Mechanism, q: Array, t: float) -> tuple[Array, bool]:
    """Newton's iterations from a prediction, and whether they closed Φ."""
    at = np.asarray(t)
    for _ in range(FOLLOWING):
        J = mechanism.jacobian(q)
        if smallest_singular_value(mechanism, J) <= DEPENDENT:
            return q, False
        step = solved(J, -mechanism.residual(q, at))
        q = q + step
        if np.abs(step / mechanism.coordinate_sizes).max() < LAST_STEP:
            return q, bool(np.abs(mechanism.residual(q, at) / mechanism.row_sizes).max() < CLOSED)
    return q, False


def _assemble(mechanism: Mechanism, q: Array, t: float, offset: Array | float = 0.0) -> tuple[Array, bool]:
    """Coordinates at which Φ + `offset` is as near to zero as it comes, and whether it is zero.

    Damped least squares (Marquardt 1963, J Soc Ind Appl Math 11:431-441): it takes any number of rows, begins anywhere,
    becomes Newton's iterations near the end, and where rows contradict one another stops at the best compromise.
    """
    at, sizes = np.asarray(t), mechanism.coordinate_sizes
    damping, gap = 1e-3, (mechanism.residual(q, at) + offset) / mechanism.row_sizes
    for _ in range(ASSEMBLING):
        J = mechanism.jacobian(q) * sizes / mechanism.row_sizes[:, None]
        rows = np.concatenate([J, np.sqrt(damping) * np.eye(len(q))])
        step = sizes * np.linalg.lstsq(rows, np.concatenate([-gap, np.zeros(len(q))]), rcond=None)[0]
        step *= min(1.0, LARGEST_TURN / max(float(np.abs(step[2::3]).max()), LARGEST_TURN))
        there = (mechanism.residual(q + step, at) + offset) / mechanism.row_sizes
        small = np.abs(step / sizes).max() < LAST_STEP
        if there @ there < gap @ gap:
            q, gap, damping = q + step, there, damping / 10
        else:
            damping *= 10
        if small:
            break
    return q, bool(np.abs(gap).max() < CLOSED)
