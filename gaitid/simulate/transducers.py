"""What the transducers of a plate of each C3D type put on their channels.

Written from the physics of a rigid plate on its transducers and from the definitions of the types: c3d.org, User Guide,
FORCE_PLATFORM:TYPE, ORIGIN and CAL_MATRIX (types 1 to 4), and the Visual3D documentation, FP_TYPE (types 6 and 7).
Channels hold the reaction on the subject in plate axes, z down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.simulate.jet import Array

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
