"""Ground under the simulated walk: stances, the load that each foot takes, and force plates.

The load of a stance is a sum of cubic B-splines, each supported inside the stance. So force is twice
continuously differentiable, zero with its first two derivatives at contact and at toe-off, and zero in
the air. The centre of pressure runs along a Bernstein polynomial in the axes of the footprint, so that it
never leaves the hull of its control points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from gaitid.simulate.body import SIGN
from gaitid.simulate.jet import Array, turn_matrix

GRAVITY = 9.81


@dataclass(frozen=True)
class LoadShape:
    """How load and centre of pressure run through one stance, for either side.

    Attributes
    ----------
    vertical, forward, medial : tuple of float
        B-spline coefficients of the ground reaction, in body weights.
    free_moment_internal : tuple of float
        B-spline coefficients of the free moment that turns the foot inward, N·m per kg.
    along, lateral : tuple of float
        Bernstein coefficients of the centre of pressure from under the HEE marker, m: toward the TOE marker,
        and toward the outer border of the foot.
    """

    vertical: tuple[float, ...]
    forward: tuple[float, ...]
    medial: tuple[float, ...]
    free_moment_internal: tuple[float, ...]
    along: tuple[float, ...]
    lateral: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Stance:
    """One foot on the ground once.

    Attributes
    ----------
    side : str
    on_s, off_s : float
        Contact and toe-off.
    heel_g, toe_g : (3,) array, m
        Footprint: under the HEE and TOE markers while the foot is flat, on the floor, laboratory axes.
    progression_g : (3,) array
        Unit vector along the walkway, that the forward force is along.
    plate : int or None
        Number of the plate that takes all of the load, None on bare floor.
    """

    side: str
    on_s: float
    off_s: float
    heel_g: Array
    toe_g: Array
    progression_g: Array
    plate: int | None


@dataclass(frozen=True, eq=False)
class FootLoad:
    """What the ground does to one foot, laboratory axes.

    Attributes
    ----------
    force_g : (times, 3) array, N
    cop_g : (times, 3) array, m
        On the floor; NaN in the air.
    free_moment_g : (times, 3) array, N·m
        About the vertical through the centre of pressure; zero in the air.
    stance : (times,) integer array
        Index of the stance, −1 in the air.
    """

    force_g: Array
    cop_g: Array
    free_moment_g: Array
    stance: np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Plate:
    """A type 2 plate level with the floor.

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

    def channels(self, force_g: Array, cop_g: Array, free_moment_g: Array) -> tuple[Array, Array]:
        """What the plate's sensor reports: the reaction on the subject.

        Parameters
        ----------
        force_g, cop_g, free_moment_g : (samples, 3) arrays
            As in `FootLoad`; the centre of pressure may be NaN where the force is zero.

        Returns
        -------
        force_p, moment_p : (samples, 3) arrays, N and N·m
            In plate axes, the moment about the sensor's origin.
        """
        arm_g = np.where(np.isfinite(cop_g), cop_g - self.centre_g, 0.0)
        # About the centre of the surface: M = r × F + M_free; about the sensor, o away: m = M − o × f.
        moment_g = np.cross(arm_g, force_g) + free_moment_g
        force_p, moment_p = force_g @ self.rotation, moment_g @ self.rotation
        return force_p, moment_p - np.cross(self.sensor_p, force_p)


def plate(number: int, centre_g: Array, x_length_m: float, y_length_m: float, yaw_rad: float, sensor_p: Array) -> Plate:
    """A plate whose z points down and whose x is turned by `yaw_rad` from laboratory x, seen from above."""
    x = turn_matrix(2, yaw_rad) @ np.array([0.5 * x_length_m, 0.0, 0.0])
    y = turn_matrix(2, yaw_rad) @ np.array([0.0, -0.5 * y_length_m, 0.0])  # x × y down
    corners = np.stack([centre_g + x + y, centre_g - x + y, centre_g - x - y, centre_g + x - y])
    return Plate(number, corners, sensor_p)


def b_spline(coefficients: Sequence[float], s: Array) -> Array:
    """Uniform cubic B-spline over 0 ≤ s ≤ 1, zero with its first two derivatives at both ends.

    Parameters
    ----------
    coefficients : (n,) floats
    s : (times,) array
        Part of the stance that has gone by.
    """
    n = len(coefficients)
    # n splines, each four intervals wide, side by side on n + 3 intervals.
    u = np.asarray(s)[..., None] * (n + 3) - np.arange(n)
    d = np.abs(u - 2.0)
    inner = 2.0 / 3.0 - d**2 + 0.5 * d**3
    outer = np.clip(2.0 - d, 0.0, None) ** 3 / 6.0
    return np.asarray(np.where(d < 1.0, inner, outer) @ np.asarray(coefficients), dtype=np.float64)


def bernstein(coefficients: Sequence[float], s: Array) -> Array:
    """Bernstein polynomial over 0 ≤ s ≤ 1 with these control values."""
    n = len(coefficients) - 1
    return np.asarray(
        sum(
            (c * comb(n, k) * s**k * (1.0 - s) ** (n - k) for k, c in enumerate(coefficients)),
            np.zeros_like(s),
        ),
        dtype=np.float64,
    )


def foot_load(shape: LoadShape, mass_kg: float, stances: Sequence[Stance], side: str, times_s: Array) -> FootLoad:
    """Exact load on one foot at any times, s (see `FootLoad`)."""
    times: Array = np.asarray(times_s, dtype=np.float64)
    force, free = np.zeros((times.size, 3)), np.zeros((times.size, 3))
    cop = np.full((times.size, 3), np.nan)
    index = np.full(times.size, -1, dtype=np.int64)
    weight = mass_kg * GRAVITY
    up = np.array([0.0, 0.0, 1.0])
    for k, stance in enumerate(stances):
        now = (times > stance.on_s) & (times < stance.off_s)
        if stance.side != side or not now.any():
            continue
        s = (times[now] - stance.on_s) / (stance.off_s - stance.on_s)
        ahead = stance.toe_g - stance.heel_g
        ahead = ahead / np.linalg.norm(ahead)
        outward = SIGN[side] * np.cross(up, ahead)
        index[now] = k
        cop[now] = (
            stance.heel_g + bernstein(shape.along, s)[:, None] * ahead + bernstein(shape.lateral, s)[:, None] * outward
        )
        # Inward is clockwise from above for the left foot.
        free[now] = -SIGN[side] * mass_kg * b_spline(shape.free_moment_internal, s)[:, None] * up
        forward, medial = stance.progression_g, -SIGN[side] * np.cross(up, stance.progression_g)
        force[now] = weight * (
            b_spline(shape.forward, s)[:, None] * forward
            + b_spline(shape.medial, s)[:, None] * medial
            + b_spline(shape.vertical, s)[:, None] * up
        )
    return FootLoad(force, cop, free, index)
