"""Force plates of the simulation: where they lie, which load is on them, and what their transducers give.

How the load of a foot is spread over its sole, and what part of it each plate feels. What the transducers of a plate of
each C3D type put on their channels is written from the physics of a rigid plate on its transducers and from the
definitions of the types: c3d.org, User Guide, FORCE_PLATFORM:TYPE, ORIGIN and CAL_MATRIX (types 1 to 4), and the
Visual3D documentation, FP_TYPE (types 6 and 7). Channels hold the reaction on the subject in plate axes, z down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from gaitid.numerics.jet import Array
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


#: The sole reaches from under the HEE marker this far ahead, m (beyond the TOE marker by 0.30 of their distance), and
#: this far to either side.
SOLE_M, HALF_WIDTH_M = 0.249, 0.044
#: Points of pressure along the sole and across it, less one.
_ALONG, _ACROSS = 12, 6


def spread(load: FootLoad) -> tuple[Array, Array]:
    """Points of pressure under a foot: a grid that is fixed in the sole.

    The weights are binomial in both directions: the mean of a binomial distribution of n trials with probability x is
    n x, so the centre of pressure of all points together is exactly that of the load, and every weight is smooth in it.

    Returns
    -------
    weight : (times, points) array
        Sum 1; NaN in the air.
    point_g : (times, points, 3) array, m
    """
    weights, offsets = [], []
    for at, low, high, n in (
        (load.along_m, 0.0, SOLE_M, _ALONG),
        (load.lateral_m, -HALF_WIDTH_M, HALF_WIDTH_M, _ACROSS),
    ):
        x = ((at - low) / (high - low))[:, None]
        k = np.arange(n + 1)
        weights.append(np.array([comb(n, i) for i in k]) * x**k * (1.0 - x) ** (n - k))
        offsets.append(low + (high - low) * k / n - at[:, None])
    weight = weights[0][:, :, None] * weights[1][:, None, :]
    point = (
        load.cop_g[:, None, None]
        + offsets[0][:, :, None, None] * load.ahead_g[:, None, None]
        + offsets[1][:, None, :, None] * load.outward_g[:, None, None]
    )
    n_points = (_ALONG + 1) * (_ACROSS + 1)
    return weight.reshape(-1, n_points), point.reshape(-1, n_points, 3)


def felt(plate: Plate, load: FootLoad) -> tuple[FootLoad, Array]:
    """The part of a foot's load that lies on a plate, and its share of the vertical force.

    Returns
    -------
    part : FootLoad
        Its centre of pressure is NaN where the plate feels nothing.
    share : (times,) array
        0 in the air, and exactly 1 where the whole sole is on the plate.
    """
    share: Array = np.zeros(load.stance.size)
    cop = np.full_like(load.cop_g, np.nan)
    loaded = np.flatnonzero(load.stance >= 0)
    if loaded.size:
        weight, point = spread(_at(load, loaded))
        inside = plate.holds(point)
        touched, all_inside = np.asarray(inside.any(axis=1)), np.asarray(inside.all(axis=1))
        part = np.where(all_inside, 1.0, np.sum(weight * inside, axis=1))
        mean = np.einsum("tp,tpi->ti", weight * inside, point)
        mean = np.divide(mean, part[:, None], out=np.full_like(mean, np.nan), where=(part > 0.0)[:, None])
        share[loaded] = np.where(touched, part, 0.0)
        cop[loaded] = np.where(all_inside[:, None], load.cop_g[loaded], mean)
    return (
        replace(
            load, force_g=share[:, None] * load.force_g, cop_g=cop, free_moment_g=share[:, None] * load.free_moment_g
        ),
        share,
    )


def _at(load: FootLoad, index: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> FootLoad:
    return FootLoad(**{name: getattr(load, name)[index] for name in FootLoad.__dataclass_fields__})


#: Types that can be made. Type 5 is defined in two ways that contradict each other (8 channels of a Kistler plate, or
#: those of a plate with corners A to D); of types 11, 12 and 21 there are only names of channels.
TYPES = (1, 2, 3, 4, 6, 7)
ORIGIN_SIGNS = ("nexus", "c3d")
_MM = 1e3
#: Volts that a full load gives: N/V and N·mm/V on the diagonal of a calibration matrix.
_FORCE_PER_V, _MOMENT_PER_V = 250.0, 120e3
#: How far the transducers of a four-legged plate sit inside its edges, m.
_INSET_M = 0.05
#: Strength of cross-talk in a calibration matrix.
_CROSS_TALK = 0.02

_CORNERS = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))
_X, _Y, _Z = np.eye(3)
_WRENCH = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
_PIEZO = ("Fx12_", "Fx34_", "Fy14_", "Fy23_", "Fz1_", "Fz2_", "Fz3_", "Fz4_")


@dataclass(frozen=True, eq=False)
class Channels:
    """One plate as a C3D file holds it.

    Attributes
    ----------
    kind : int
        FORCE_PLATFORM:TYPE.
    labels, units : tuple of str
        One a channel.
    values : (samples, channels) array
        In these units.
    origin_mm : (3,) array
        FORCE_PLATFORM:ORIGIN.
    calibration : (n, n) array or None
        FORCE_PLATFORM:CAL_MATRIX: channels in V → N and N·mm.
    """

    kind: int
    labels: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    origin_mm: Array
    calibration: Array | None = None


def encode(
    kind: int,
    force_p: Array,
    moment_p: Array,
    sensor_p: Array,
    size_m: tuple[float, float],
    *,
    origin_sign: str = "nexus",
    seed: int = 0,
) -> Channels:
    """The channels of a plate under a load.

    Parameters
    ----------
    kind : int
        One of `TYPES`.
    force_p, moment_p : (samples, 3) arrays, N and N·m
        Reaction on the subject in plate axes, the moment about the centre of the surface.
    sensor_p : (3,) array, m
        From that centre to the sensor's origin; of types 1, 3, 6 and 7 only z counts.
    size_m : (float, float)
        Of the plate along its x and y.
    origin_sign : str
        ``nexus``: ORIGIN holds the way from surface to sensor (z > 0); ``c3d``: from sensor to surface (z < 0), as the
        User Guide has it.
    seed : int
        Of cross-talk and of what a stiff plate on more than three legs leaves undetermined.

    Returns
    -------
    Channels
    """
    draw = np.random.default_rng(seed)
    sign = 1.0 if origin_sign == "nexus" else -1.0
    if kind == 1:
        return _centre_of_pressure(force_p, moment_p, sign * sensor_p)
    if kind in (2, 4):
        at_sensor = np.hstack([force_p, moment_p - np.cross(sensor_p, force_p)])
        wrench = at_sensor * np.array([1.0, 1.0, 1.0, _MM, _MM, _MM])
        if kind == 2:
            return Channels(kind, _WRENCH, ("N",) * 3 + ("Nmm",) * 3, wrench, sign * sensor_p * _MM)
        matrix = _calibration(np.array([_FORCE_PER_V] * 3 + [_MOMENT_PER_V] * 3), draw)
        volts = np.linalg.solve(matrix, wrench.T).T
        return Channels(kind, _WRENCH, ("V",) * 6, volts, sign * sensor_p * _MM, matrix)
    a, b = (0.5 * side - _INSET_M for side in size_m)
    level_p = np.array([0.0, 0.0, sensor_p[2]])  # the transducers' plane
    at_sensor = np.hstack([force_p, moment_p - np.cross(level_p, force_p)])
    if kind == 6:
        legs = [(np.array([i * a, j * b, 0.0]), axis) for i, j in _CORNERS for axis in (_X, _Y, _Z)]
        labels = tuple(f"F{axis}{leg}_" for leg in "1234" for axis in "xyz")
    else:
        pairs = [((0.0, b), _X), ((0.0, -b), _X), ((a, 0.0), _Y), ((-a, 0.0), _Y)]
        legs = [(np.array([*at, 0.0]), axis) for at, axis in pairs]
        legs += [(np.array([i * a, j * b, 0.0]), _Z) for i, j in _CORNERS]
        labels = _PIEZO
    values = _carried(legs, at_sensor, draw)
    origin: Array = np.array([a, b, sign * float(sensor_p[2])]) * _MM
    if kind == 3:
        return Channels(kind, labels, ("N",) * len(legs), values, origin)
    matrix = _calibration(np.full(len(legs), _FORCE_PER_V), draw)
    volts = np.asarray(np.linalg.solve(matrix, values.T).T, dtype=np.float64)
    return Channels(kind, labels, ("V",) * len(legs), volts, origin, matrix)


def _centre_of_pressure(force_p: Array, moment_p: Array, origin_p: Array) -> Channels:
    """Type 1: force, where it acts on the surface (0 without load), and the free moment there."""
    fx, fy, fz = force_p.T
    mx, my, mz = moment_p.T
    loaded = fz != 0.0
    # On the surface r_z = 0, so M = r × F + (0, 0, T):  M_x = y F_z,  M_y = −x F_z,  M_z = x F_y − y F_x + T
    x = np.divide(-my, fz, out=np.zeros_like(fz), where=loaded)
    y = np.divide(mx, fz, out=np.zeros_like(fz), where=loaded)
    free = mz - (x * fy - y * fx)
    values: Array = np.stack([fx, fy, fz, x * _MM, y * _MM, free * _MM], axis=1)
    return Channels(1, ("Fx", "Fy", "Fz", "Px", "Py", "Mz"), ("N", "N", "N", "mm", "mm", "Nmm"), values, origin_p * _MM)


def _carried(legs: list[tuple[Array, Array]], wrench: Array, draw: np.random.Generator) -> Array:
    """The forces, one column a transducer, by which transducers at r that feel along e carry a wrench (samples, 6).

    Σ e s = F and Σ (r × e) s = M have more unknowns than equations; an unevenness of the floor decides, here at random
    and in proportion to the load.
    """
    equilibrium = np.array([np.concatenate([axis, np.cross(at, axis)]) for at, axis in legs]).T
    inverse: Array = np.asarray(np.linalg.pinv(equilibrium), dtype=np.float64)
    uneven = draw.normal(0.0, 0.1, (len(legs), 3)) @ wrench[:, :3].T
    balanced = uneven - inverse @ (equilibrium @ uneven)
    return np.asarray((inverse @ wrench.T + balanced).T, dtype=np.float64)


def _calibration(per_volt: Array, draw: np.random.Generator) -> Array:
    n = per_volt.size
    return np.asarray(per_volt[:, None] * (np.eye(n) + _CROSS_TALK * draw.standard_normal((n, n))))
