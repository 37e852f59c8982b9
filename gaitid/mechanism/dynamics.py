"""Multipliers, the loads that they stand for, and what proves them.

    M q̈ + Φqᵀ λ = Q_applied,  so  λ = Φq⁻ᵀ (Q_applied − M q̈);  statics: q̈ = 0

(Sommer HJ, "Two-Dimensional Inverse Dynamics", kinematically driven; the multiplier theorem in Haug 1989, vol. I,
chapter 6). The same with both unknowns at once, the simultaneous form, is solved as a check:

    [M  Φqᵀ] [q̈]   [Q_applied]
    [Φq   0] [λ ] = [   γ     ]

The mass matrix is never inverted, so a link without mass does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.mechanism.body import COORDINATES, poses_of
from gaitid.mechanism.constraints import Constraint
from gaitid.mechanism.kinematics import Mechanism, comparable, positions, rates, solved
from gaitid.numerics.spline import spline_derivatives
from gaitid.trial import Array

# Frames at either end whose derivative the energy balance leaves out: what end conditions of the spline spoil.
SPOILED = 12


@dataclass(frozen=True, eq=False)
class Solution:
    """A mechanism's motion and multipliers.

    Attributes
    ----------
    mechanism : Mechanism
    time_s : (frames,) array
    q, qd, qdd : (frames, coordinates) arrays, SI
        x, y, φ of each body and their derivatives; the latter two are zero in statics.
    multipliers : (frames, rows) array
        λ, in the order of Φ.
    load_forces : list of (frames, coordinates) arrays
        Generalised force of each of the mechanism's loads.
    statics : bool
    """

    mechanism: Mechanism
    time_s: Array
    q: Array
    qd: Array
    qdd: Array
    multipliers: Array
    load_forces: list[Array]
    statics: bool

    def multipliers_of(self, constraint: Constraint) -> Array:
        """(frames, rows) of one constraint."""
        return self.multipliers[:, self.mechanism.rows[constraint.name]]

    def loads_of(self, constraint: Constraint) -> list[tuple[Array, Array, Array]]:
        """Force on each of the constraint's bodies, torque about a point, and the point: see `Constraint.loads`."""
        poses = poses_of(self.q)
        return constraint.loads([poses[b] for b in constraint.bodies], self.multipliers_of(constraint))

    def driver_powers(self) -> Array:
        """(frames, drivers) what each driver supplies, W: −λ Φq q̇ = −λ ν."""
        if self.statics:
            return np.zeros((len(self.time_s), len(self.mechanism.drivers)))
        powers = -self.multipliers * self.mechanism.nu(self.time_s)
        return powers[:, self.mechanism.n_kinematic :]

    def load_powers(self) -> Array:
        """(frames, loads) what each applied load supplies, W: Q · q̇."""
        powers = [(Q * self.qd).sum(axis=1) for Q in self.load_forces]
        return np.stack(powers, axis=1) if powers else np.zeros((len(self.time_s), 0))

    def energies(self) -> tuple[Array, Array]:
        """Kinetic, and potential of gravity with zero at the origin; (frames,) each, J."""
        kinetic = 0.5 * (self.mechanism.mass * self.qd**2).sum(axis=1)
        return kinetic, -(self.mechanism.weight() * self.q).sum(axis=1)


def solve(mechanism: Mechanism, times_s: Array, statics: bool = False) -> Solution:
    """Positions, velocities, accelerations and multipliers of a kinematically driven mechanism.

    Parameters
    ----------
    mechanism : Mechanism
    times_s : (frames,) array
        Increasing.
    statics : bool
        At rest in each of the positions: q̇ = q̈ = 0.

    Raises
    ------
    ModelError
        See `kinematics.positions`.
    """
    q = positions(mechanism, times_s)
    qd, qdd = (np.zeros_like(q), np.zeros_like(q)) if statics else rates(mechanism, q, times_s)
    load_forces = mechanism.load_forces(q, qd, times_s)
    applied = sum(load_forces, mechanism.weight())
    transposed = np.swapaxes(mechanism.jacobian(q), -1, -2)
    multipliers = solved(transposed, applied - mechanism.mass * qdd)
    return Solution(mechanism, times_s, q, qd, qdd, multipliers, load_forces, statics)


def simultaneous(solution: Solution) -> tuple[Array, Array]:
    """q̈ and λ from the matrix that has both: (frames, coordinates), (frames, rows).

    In statics, γ is zero.
    """
    mechanism, q = solution.mechanism, solution.q
    n = mechanism.n_coordinates
    J = mechanism.jacobian(q)
    matrix = np.zeros((len(q), 2 * n, 2 * n))
    matrix[:, :n, :n] = np.diag(mechanism.mass)
    matrix[:, :n, n:] = np.swapaxes(J, -1, -2)
    matrix[:, n:, :n] = J
    right = np.zeros((len(q), 2 * n))
    right[:, :n] = sum(solution.load_forces, mechanism.weight())
    if not solution.statics:
        right[:, n:] = mechanism.gamma(q, solution.qd, solution.time_s)
    both = solved(matrix, right)
    return both[:, :n], both[:, n:]


def checks(solution: Solution) -> dict[str, float | None]:
    """The figures that show whether a solution holds; None where one cannot be computed.

    Returns
    -------
    dict
        ``phi_max``: largest |Φ|, m, m² or rad.
        ``condition_max``, ``condition_max_at_s``: of Φq with comparable rows.
        ``simultaneous_difference``: of λ from the simultaneous form, relative to its largest.
        ``newton_residual_N``, ``euler_residual_Nm``: largest of Σ loads − m a, see `newton_residuals`.
        ``power_residual_W``, ``power_max_W``: driver and load power less the derivative of the energy by a
        spline, which the frame rate limits, and the largest power.
    """
    mechanism = solution.mechanism
    J = mechanism.jacobian(solution.q)
    values = np.linalg.svd(comparable(mechanism, J), compute_uv=False)
    condition = values[:, 0] / values[:, -1]
    _, again = simultaneous(solution)
    newton = newton_residuals(solution)
    largest = np.abs(solution.multipliers).max()
    result: dict[str, float | None] = {
        "phi_max": float(np.abs(mechanism.residual(solution.q, solution.time_s)).max()),
        "condition_max": float(condition.max()),
        "condition_max_at_s": float(solution.time_s[int(np.argmax(condition))]),
        "simultaneous_difference": float(np.abs(again - solution.multipliers).max() / (largest or 1.0)),
        "newton_residual_N": float(np.abs(np.delete(newton, np.s_[2::COORDINATES], axis=1)).max()),
        "euler_residual_Nm": float(np.abs(newton[:, 2::COORDINATES]).max()),
        "power_residual_W": None,
        "power_max_W": None,
    }
    if not solution.statics and len(solution.time_s) > 2 * SPOILED:
        rate_hz = (len(solution.time_s) - 1) / (solution.time_s[-1] - solution.time_s[0])
        power = np.concatenate([solution.driver_powers(), solution.load_powers()], axis=1)
        kinetic, potential = solution.energies()
        gained = spline_derivatives((kinetic + potential)[:, None], rate_hz)[0][:, 0]
        left = (power.sum(axis=1) - gained)[SPOILED:-SPOILED]
        result["power_residual_W"] = float(np.abs(left).max())
        result["power_max_W"] = float(np.abs(power).max(initial=0.0))
    return result


def unknown_loads(solution: Solution) -> list[str]:
    """A warning for each applied load that is not known throughout, and all that follows from it neither."""
    forces = zip(solution.mechanism.loads, solution.load_forces, strict=True)
    unknown = [(load.name, int(np.isnan(Q).any(axis=1).sum()), len(Q)) for load, Q in forces]
    words = "has no length, and so no direction, in"
    return [f"{name} {words} {rows} of {n} rows: loads are empty there" for name, rows, n in unknown if rows]


def newton_residuals(solution: Solution) -> Array:
    """Σ of all that is reported to act on each body, about its centre of mass, less M q̈: (frames, coordinates).

    Unlike λ itself, this sees an error in a force, a torque or the point that it is reported at.
    """
    mechanism = solution.mechanism
    total = sum(solution.load_forces, mechanism.weight()) - mechanism.mass * solution.qdd
    for constraint in mechanism.constraints:
        for body, (force, torque, point) in zip(constraint.bodies, solution.loads_of(constraint), strict=True):
            if body > 0:
                at = COORDINATES * (body - 1)
                arm = point - solution.q[:, at : at + 2]
                total[:, at : at + 2] += force
                total[:, at + 2] += torque + arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
    return np.asarray(total)
