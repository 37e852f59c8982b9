"""What torques make of acceleration, as ellipsoids: for any mechanism of which M, J and G are known.

A mechanism with n coordinates q obeys τ = M q̈ + V + G, and a point of it accelerates by r̈ = J q̈ + J̇q̇, so that

    r̈ = A τ + bias,   A = J M⁻¹,   bias = −A (V + G) + J̇q̇

A maps the torques that are at hand to the accelerations that they can produce: a ball of torques to an ellipsoid
(Yoshikawa T 1985, Dynamic manipulability of robot manipulators, Proc IEEE ICRA, 1033-1038), which gravity and motion
move without changing its size (Chiacchio P, Chiaverini S, Sciavicco L, Siciliano B 1992, Influence of gravity on the
manipulability ellipsoid for robot arms, J Dyn Syst Meas Control 114:723-727), and a box of torques to a polytope
(`gaitid.capacity.polytope`).

All functions take any leading axes (frames) and finite numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gaitid.trial import Array


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """The points ``centre + directions @ (semi_axes * u)`` with ‖u‖ ≤ 1.

    Attributes
    ----------
    centre : (…, m) array
    semi_axes : (…, m) array
        Longest first; 0 where it is flat.
    directions : (…, m, m) array
        Columns are unit vectors, one a semi-axis; of each and its opposite the one whose largest component is
        positive.
    """

    centre: Array
    semi_axes: Array
    directions: Array

    @property
    def volume(self) -> Array:
        """π^(m/2) / Γ(m/2 + 1) times the product of the semi-axes: an area for m = 2."""
        m = self.semi_axes.shape[-1]
        return np.asarray(math.pi ** (m / 2) / math.gamma(m / 2 + 1) * self.semi_axes.prod(axis=-1))


def image_of_ball(A: Array, centre: Array) -> Ellipsoid:
    """What a linear map makes of the unit ball: its singular values and left singular vectors.

    Parameters
    ----------
    A : (…, m, n) array
    centre : (…, m) array
    """
    U, s, _ = np.linalg.svd(A)
    semi_axes = np.zeros(A.shape[:-1])
    semi_axes[..., : s.shape[-1]] = s
    largest = np.argmax(np.abs(U), axis=-2)[..., None, :]
    directions = U * np.sign(np.take_along_axis(U, largest, axis=-2))
    return Ellipsoid(np.broadcast_to(centre, semi_axes.shape), semi_axes, directions)


def acceleration_map(J: Array, M: Array) -> Array:
    """A = J M⁻¹, (…, m, n): the acceleration of the point for each unit of torque.

    Parameters
    ----------
    J : (…, m, n) array
        Velocity of the point for each unit of joint velocity.
    M : (…, n, n) array
        Joint-space inertia, symmetric and positive definite.
    """
    return np.asarray(np.linalg.solve(M, J.swapaxes(-1, -2)).swapaxes(-1, -2))


def inertia_ellipsoid(M: Array) -> Ellipsoid:
    """The torques τ = M q̈ that give all joint accelerations with ‖q̈‖ ≤ 1, without gravity and motion.

    Semi-axes are the eigenvalues of M (the roots of those of M Mᵀ): the torque for 1 rad/s² along each eigenvector.
    Asada H (1983) A geometrical representation of manipulator dynamics, J Dyn Syst Meas Control 105:131-142, draws
    the same tensor as a surface of constant kinetic energy.

    Parameters
    ----------
    M : (…, n, n) array, kg·m²
    """
    return image_of_ball(M, np.zeros(M.shape[-1]))


def manipulability_ellipsoid(J: Array, M: Array, limits: Array, bias: Array) -> Ellipsoid:
    """Accelerations for all torques τ = L τ̃ with L = diag(limits) and ‖τ̃‖ ≤ 1 (dynamic manipulability).

    (r̈ − bias)ᵀ (A L² Aᵀ)⁻¹ (r̈ − bias) ≤ 1 where A L has full rank; a flat ellipsoid where it has not.

    Parameters
    ----------
    J : (…, m, n) array
    M : (…, n, n) array
    limits : (n,) array, N·m
        Torque that each unit of τ̃ stands for.
    bias : (…, m) array
        Acceleration without torque.
    """
    return image_of_ball(acceleration_map(J, M) * limits, bias)


def manipulability_measure(J: Array, M: Array) -> Array:
    """κ = √det(J (MᵀM)⁻¹ Jᵀ) (Yoshikawa 1985), (…): the product of the singular values of J M⁻¹.

    With n ≥ m coordinates it is |det J| / det M where m = n, and 0 where the point cannot be accelerated in some
    direction; with n < m it is 0.
    """
    A = acceleration_map(J, M)
    if A.shape[-1] < A.shape[-2]:
        return np.zeros(A.shape[:-2])
    return np.asarray(np.linalg.svd(A, compute_uv=False).prod(axis=-1))


def velocity_ellipsoid(J: Array) -> Ellipsoid:
    """Velocities of the point for all joint velocities with ‖q̇‖ ≤ 1 (Yoshikawa T 1985, Manipulability of robotic
    mechanisms, Int J Robot Res 4(2):3-9).

    Semi-axes are the singular values of J; their product, √det(J Jᵀ), is the measure of manipulability. Forces that
    torques with ‖τ‖ ≤ 1 hold at the point, τ = Jᵀ f, make the ellipsoid with the same axes and one over these lengths.

    Parameters
    ----------
    J : (…, m, n) array
    """
    return image_of_ball(J, np.zeros(J.shape[-2]))


def gravity_bias(J: Array, M: Array, G: Array) -> Array:
    """−J M⁻¹ G, (…, m): how the point accelerates from rest without any torque.

    Parameters
    ----------
    J : (…, m, n) array
    M : (…, n, n) array
    G : (…, n) array, N·m
        Gravity's term of τ = M q̈ + V + G.
    """
    return np.asarray(-np.einsum("...mn,...n->...m", acceleration_map(J, M), G))
