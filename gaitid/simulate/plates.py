"""Force plates of the simulation: where they lie, and which load is on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gaitid.simulate.jet import Array, turn_matrix
from gaitid.simulate.loads import FootLoad

Inside = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Plate:
    """A force plate: a rectangle anywhere in the laboratory.

    Attributes
    ----------
    number : int
    corners_g : (4, 3) array, m
        In the order of the C3D standard, laboratory axes.
    sensor_p : (3,) array, m
        From the centre of the surface to the sensor's origin, plate axes (z down).
    """

    number: int
    corners_g: Array
    sensor_p: Array

    @property
    def centre_g(self) -> Array:
        """(3,) centre of the surface, m."""
        return np.asarray(self.corners_g.mean(axis=0), dtype=np.float64)

    @property
    def rotation(self) -> Array:
        """(3, 3) plate → laboratory, from the corners as the C3D standard defines them."""
        c1, c2, c3, c4 = self.corners_g
        x = (c1 + c4) - (c2 + c3)
        y = (c1 + c2) - (c3 + c4)
        x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
        return np.stack([x, y, np.cross(x, y)], axis=-1)

    @property
    def size_m(self) -> tuple[float, float]:
        """Lengths of the sides along the plate's x and y."""
        x, y = (float(np.linalg.norm(self.corners_g[i] - self.corners_g[2])) for i in (3, 1))
        return x, y

    def holds(self, point_g: Array) -> Inside:
        """Whether points (..., 3), m, on the plate's plane lie inside its edges (two adjoining plates share none)."""
        p = (point_g - self.corners_g[2]) @ self.rotation[:, :2]  # from the corner at −x −y
        x, y = self.size_m
        inside: Inside = (p[..., 0] >= 0.0) & (p[..., 0] < x) & (p[..., 1] >= 0.0) & (p[..., 1] < y)
        return inside

    def about_centre(self, load: FootLoad) -> tuple[Array, Array]:
        """Force and moment (samples, 3) of a load on the plate about the centre of its surface, plate axes, N and N·m.

        The centre of pressure may be NaN where the force is zero.
        """
        arm_g = np.where(np.isfinite(load.cop_g), load.cop_g - self.centre_g, 0.0)
        # M = r × F + M_free
        moment_g = np.cross(arm_g, load.force_g) + load.free_moment_g
        return load.force_g @ self.rotation, moment_g @ self.rotation

    def about_sensor(self, force_p: Array, moment_p: Array) -> Array:
        """The moment (samples, 3) about the sensor's origin, o away from the centre of the surface: m = M − o × f."""
        return np.asarray(moment_p - np.cross(self.sensor_p, force_p))


def level_plate(
    number: int, centre_g: Array, x_length_m: float, y_length_m: float, yaw_rad: float, sensor_p: Array
) -> Plate:
    """A plate whose z points down and whose x is turned by `yaw_rad` from laboratory x, seen from above."""
    x = turn_matrix(2, yaw_rad) @ np.array([0.5 * x_length_m, 0.0, 0.0])
    y = turn_matrix(2, yaw_rad) @ np.array([0.0, -0.5 * y_length_m, 0.0])  # x × y down
    corners = np.stack([centre_g + x + y, centre_g - x + y, centre_g - x - y, centre_g + x - y])
    return Plate(number, corners, sensor_p)
