"""What a box of torques makes of acceleration: the acceleration polytope, exactly.

Chiacchio P (2000) A new dynamic manipulability ellipsoid for redundant manipulators, Robotica 18:381-387, and Bowling
A, Khatib O (2005) The dynamic capability equations, IEEE Trans Robot 21:115-123, for what gravity leaves of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaitid.trial import Array

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
