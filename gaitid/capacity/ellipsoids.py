"""What torques make of acceleration: ellipsoids, and the exact polytope of a box of torques.

A mechanism with n coordinates q obeys τ = M q̈ + V + G, and a point of it accelerates by r̈ = J q̈ + J̇q̇, so that

    r̈ = A τ + bias,   A = J M⁻¹,   bias = −A (V + G) + J̇q̇

A maps the torques that are at hand to the accelerations that they can produce: a ball of torques to an ellipsoid
(Yoshikawa T 1985, Dynamic manipulability of robot manipulators, Proc IEEE ICRA, 1033-1038), which gravity and motion
move without changing its size (Chiacchio P, Chiaverini S, Sciavicco L, Siciliano B 1992, Influence of gravity on the
manipulability ellipsoid for robot arms, J Dyn Syst Meas Control 114:723-727), and a box of torques to a polytope
(`gaitid.capacity.ellipsoids`).

All functions take any leading axes (frames) and finite numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaitid.trial import Array

# Of the largest mobility: a direction with less is one in which the point does not move.
_BLOCKED = 1e-12


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


def dynamic_velocity_ellipsoid(J: Array, M: Array) -> Ellipsoid:
    """Velocities of the point whose motion has a kinetic energy of at most 1 J: ½ q̇ᵀ M q̇ ≤ 1.

    Of all motions with the same velocity of the point the lightest one counts: the matrix is 2 J M⁻¹ Jᵀ, twice the
    mobility at the point (Hogan N 1985, Impedance control, part II, J Dyn Syst Meas Control 107:8-16). Along a
    semi-axis of length s the point feels as heavy as 2/s² kg.

    Parameters
    ----------
    J : (…, m, n) array
    M : (…, n, n) array
    """
    # M = L Lᵀ and q̇ = √2 L⁻ᵀ u with ‖u‖ ≤ 1, so that J q̇ = √2 (L⁻¹ Jᵀ)ᵀ u
    half = np.linalg.solve(np.linalg.cholesky(M), J.swapaxes(-1, -2)).swapaxes(-1, -2)
    return image_of_ball(math.sqrt(2.0) * half, np.zeros(J.shape[-2]))


def dynamic_force_ellipsoid(J: Array, M: Array, limits: Array, bias: Array) -> Ellipsoid:
    """Forces with which the point pushes at what holds it, for all torques τ = L τ̃ with L = diag(limits), ‖τ̃‖ ≤ 1.

    What holds the point takes from it the acceleration A τ + bias that it would have: f = Λ (A τ + bias) with the
    mass that the point shows, Λ = (J M⁻¹ Jᵀ)⁻¹ (Khatib O 1987, A unified approach for motion and force control of
    robot manipulators, IEEE J Robot Autom 3:43-53). With as many coordinates as directions that is J⁻ᵀ (τ − V − G)
    + Λ J̇ q̇, and inertia matters in motion only; with more of them the others give way, and it always does.

    Parameters
    ----------
    J : (…, m, n) array
    M : (…, n, n) array
    limits : (n,) array
        Torque that each unit of τ̃ stands for.
    bias : (…, m) array
        Acceleration of the free point where τ̃ = 0.

    Returns
    -------
    Ellipsoid
        N; NaN where the point cannot move in some direction, and bears any force there.
    """
    A = acceleration_map(J, M)
    mobility = A @ J.swapaxes(-1, -2)
    values = np.linalg.eigvalsh(mobility)
    moves = values[..., 0] > _BLOCKED * values[..., -1]
    mobility = np.where(moves[..., None, None], mobility, np.eye(mobility.shape[-1]))
    centre = np.asarray(np.linalg.solve(mobility, bias[..., None])[..., 0], dtype=np.float64)
    ellipsoid = image_of_ball(np.asarray(np.linalg.solve(mobility, A * limits), dtype=np.float64), centre)
    blank = np.where(moves, 1.0, np.nan)[..., None]
    return Ellipsoid(ellipsoid.centre * blank, ellipsoid.semi_axes * blank, ellipsoid.directions * blank[..., None])


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


# A direction in which a polytope extends less than this share of its length is one of rounding only.
FLAT = 1e-9
# 2¹⁶ corners of a box are 65536 points to wrap; a leg has nine coordinates.
MAX_TORQUES = 16


@dataclass(frozen=True, eq=False)
class Polytope:
    """A convex body by its corners.

    Attributes
    ----------
    vertices : (corners, m) array
    faces : (faces, rank) array of int
        Corners of each face: triangles where it is solid, edges where it is flat; empty for a line and a point.
    rank : int
        Of how many dimensions it is: m, or less where it is flat.
    extent : float
        Volume, area or length, whichever its rank has; 0 for a point.
    """

    vertices: Array
    faces: npt.NDArray[np.int_]
    rank: int
    extent: float

    @property
    def volume(self) -> float:
        """The volume in all m dimensions (an area for m = 2): 0 where it is flat."""
        return self.extent if self.rank == self.vertices.shape[1] else 0.0


def acceleration_polytope(A: Array, low: Array, high: Array, bias: Array) -> Polytope:
    """Every acceleration A τ + bias with low ≤ τ ≤ high.

    The image of a box is the convex hull of the images of its corners. The hull is Qhull's (Barber CB, Dobkin DP,
    Huhdanpaa H 1996, ACM Trans Math Softw 22:469-483), taken in the directions in which the body extends and in units
    of its extent there, so that thin and flat bodies are exact too.

    Parameters
    ----------
    A : (m, n) array
        Acceleration for each unit of torque (`gaitid.capacity.ellipsoids.acceleration_map`).
    low, high : (n,) arrays, N·m
    bias : (m,) array

    Raises
    ------
    ValueError
        low > high, or too many torques.
    """
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if not (low <= high).all():
        raise ValueError("a torque's lower limit is above its upper limit")
    A, centre = A * (high - low) / 2, A @ ((high + low) / 2) + bias
    A = A[:, np.abs(A).max(axis=0, initial=0.0) > 0]
    n = A.shape[1]
    if n > MAX_TORQUES:
        raise ValueError(f"{n} torques: at most {MAX_TORQUES}")
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int((s > FLAT * s.max(initial=0.0)).sum())
    no_faces = np.zeros((0, rank), dtype=int)
    if rank == 0:
        return Polytope(centre[None], no_faces, 0, 0.0)
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * n, indexing="ij")).reshape(n, -1).T
    unit_corners = signs @ Vt[:rank].T  # in the body's own directions and units
    if rank == 1:
        ends = [int(np.argmin(unit_corners)), int(np.argmax(unit_corners))]
        corners, faces, extent = unit_corners[ends], no_faces, float(np.ptp(unit_corners))
    else:
        from scipy.spatial import ConvexHull

        hull = ConvexHull(unit_corners)
        place = np.zeros(len(unit_corners), dtype=int)
        place[hull.vertices] = np.arange(len(hull.vertices))
        corners, faces, extent = unit_corners[hull.vertices], place[hull.simplices], float(hull.volume)
    vertices = corners * s[:rank] @ U[:, :rank].T + centre
    return Polytope(vertices, faces, rank, extent * float(s[:rank].prod()))


def largest_acceleration(A: Array, low: Array, high: Array, bias: Array, direction: Array) -> Array:
    """The largest component along a direction of any acceleration A τ + bias with low ≤ τ ≤ high.

    The polytope's support function: every torque stands at the limit that helps.

    Parameters
    ----------
    A : (…, m, n) array
    low, high : (n,) arrays, N·m
    bias : (…, m) array
    direction : (…, m) array
        Unit vectors.

    Returns
    -------
    (…) array
    """
    help_ = np.einsum("...mn,...m->...n", A, direction)
    return np.asarray(np.einsum("...m,...m->...", bias, direction) + np.maximum(help_ * low, help_ * high).sum(axis=-1))
