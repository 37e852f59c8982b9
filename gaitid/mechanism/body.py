"""Rigid bodies in a plane, in centroidal frames, and where their points are.

A body's coordinates are q = (x, y, φ): its centre of mass and the angle of its axes, counter-clockwise. With
A(φ) the rotation matrix and R the quarter turn, a point s' of the body is at r + A s'
(Haug 1989, Computer Aided Kinematics and Dynamics of Mechanical Systems, vol. I, ch. 2 and 3).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ModelError, reading
from gaitid.numerics.jet import Jet, sin_cos, stack
from gaitid.records import NamedTuple
from gaitid.trial import Array

#: What every mechanism has, fixed at the origin: it has no coordinates.
GROUND = "ground"
#: Coordinates of a body: x, y, φ.
COORDINATES = 3


@dataclass(frozen=True, eq=False)
class Body:
    """One moving body.

    Attributes
    ----------
    name : str
    mass : float, kg
        0 for a link whose inertia is left out.
    inertia : float, kg·m²
        About the centre of mass.
    points : mapping of str to (2,) array, m
        In the body's axes, from its centre of mass.
    guess : (3,) array, m, m, rad
        Where Newton's iterations begin: it chooses the way in which the mechanism is put together.
    """

    name: str
    mass: float
    inertia: float
    points: Mapping[str, Array]
    guess: Array


class Pose(NamedTuple):
    """Where a body is, and how it moves, as far as these jets go.

    Attributes
    ----------
    r : Jet (…, 2), m
        Centre of mass, global axes.
    phi : Jet (…), rad
    cos, sin : Jets (…)
        Of `phi`.
    """

    r: Jet
    phi: Jet
    cos: Jet
    sin: Jet

    def turned(self, s: Array) -> Jet:
        """A s': a vector of the body in global axes, (…, 2)."""
        return stack([self.cos * s[0] - self.sin * s[1], self.sin * s[0] + self.cos * s[1]])

    def point(self, s: Array) -> Jet:
        """r + A s': a point of the body, (…, 2), m."""
        return self.r + self.turned(s)


def dot(a: Array, b: Array) -> Array:
    """a · b over the last axis."""
    return np.asarray((a * b).sum(axis=-1))


def cross(a: Array, b: Array) -> Array:
    """The component of a × b out of the plane, aᵀ Rᵀ b."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def pose_of(q: Jet) -> Pose:
    """The pose of one body, from its coordinates (…, 3)."""
    phi = q.column(2)
    sin, cos = sin_cos(phi)
    return Pose(Jet(q.d[..., :2]), phi, cos, sin)


def poses_of(q: Array, *derivatives: Array) -> list[Pose]:
    """Poses of the ground and then of every body, from coordinates (…, 3 bodies) and their derivatives."""
    moving = np.stack([q, *derivatives])
    ground = np.zeros((*moving.shape[:-1], COORDINATES))
    return [pose_of(Jet(of)) for of in (ground, *np.split(moving, q.shape[-1] // COORDINATES, axis=-1))]


class History(ABC):
    """A number that depends on time."""

    @abstractmethod
    def at(self, t: Array, order: int = 0) -> Array:
        """Value (order 0) or derivative (1, 2) at times (…,), s."""


class Sine(NamedTuple):
    """amplitude · sin(2π frequency_hz t + phase_rad)."""

    amplitude: float
    frequency_hz: float
    phase_rad: float


@dataclass(frozen=True, eq=False)
class Formula(History):
    """c₀ + c₁ t + c₂ t² + … + Σ sines.

    Attributes
    ----------
    polynomial : sequence of float
        c₀, c₁, …
    sines : sequence of Sine
    """

    polynomial: Sequence[float] = (0.0,)
    sines: Sequence[Sine] = ()

    def at(self, t: Array, order: int = 0) -> Array:
        coefficients = list(self.polynomial)
        for _ in range(order):
            coefficients = [k * c for k, c in enumerate(coefficients)][1:]
        value = np.zeros_like(t)
        for c in reversed(coefficients):
            value = value * t + c
        for sine in self.sines:
            w = 2 * pi * sine.frequency_hz
            # each derivative multiplies by w and moves the phase on by a quarter turn
            value = value + sine.amplitude * w**order * np.sin(w * t + sine.phase_rad + order * pi / 2)
        return np.asarray(value)


class Samples(History):
    """An interpolating spline through a column of a CSV file.

    Parameters
    ----------
    times_s : (n,) array
        Increasing.
    values : (n,) array
    degree : int
        Of the spline: 5 has continuous accelerations (and jerk), 1 does not swing where a load sets in.
    source : str
        File and column, for errors.
    """

    def __init__(self, times_s: Array, values: Array, degree: int, source: str) -> None:
        from scipy.interpolate import make_interp_spline  # a mechanism without tables does without it

        self._spline: Any = make_interp_spline(times_s, values, k=degree)
        self._first, self._last, self._source = float(times_s[0]), float(times_s[-1]), source

    def at(self, t: Array, order: int = 0) -> Array:
        # A time that was computed may be off the table's end by its rounding.
        slack = 1e-9 * max(1.0, abs(self._first), abs(self._last))
        if np.any((t < self._first - slack) | (t > self._last + slack)):
            raise ModelError(
                f"{self._source}: the table does not reach over the time asked for",
                expected=f"{self._first:g} to {self._last:g} s",
                found=f"{np.min(t):g} to {np.max(t):g} s",
            )
        return np.asarray(self._spline(t, nu=order))


def read_samples(path: Path, column: str, degree: int, scale: float) -> Samples:
    """A column of a CSV that also has `time_s`; the values are multiplied by `scale`.

    Raises
    ------
    GaitidError
        The file cannot be read, lacks a column, has too few rows, an empty cell, or times that do not increase.
    """
    from gaitid.model.fields import nearest
    from gaitid.read.tables.text_table import open_table

    where = f"{path.name}: "
    with reading(where):
        table = open_table(path)
    for needed in ("time_s", column):
        if needed not in table.columns:
            near = nearest(needed, table.columns)
            raise ModelError(f"{where}no column {needed!r}{near}", expected="time_s and " + column)
    with reading(where):
        values = table.numbers("sample")
    t, y = (values[:, table.columns.index(name)] for name in ("time_s", column))
    if len(t) <= degree:
        expected = f"more than {degree} rows for degree {degree}"
        raise ModelError(f"{where}too short", expected=expected, found=str(len(t)))
    unknown = ~(np.isfinite(t) & np.isfinite(y))
    if unknown.any():
        empty = f"{where}row {int(np.argmax(unknown)) + 2}, column {column!r} or 'time_s': empty"
        raise ModelError(empty, expected="a number in every row")
    if not np.all(np.diff(t) > 0):
        row = int(np.argmin(np.diff(t) > 0))
        raise ModelError(f"{where}row {row + 3}, column 'time_s': times must increase")
    return Samples(t, scale * y, degree, f"{path.name}, column {column!r}")


#: Body, force (…, 2) in N, torque about its centre of mass (…,) in N·m; global axes.
Action = tuple[int, Array, Array]


@dataclass(frozen=True, eq=False, kw_only=True)
class Load(ABC):
    """Something that acts on one or two bodies.

    Attributes
    ----------
    name : str
    bodies : tuple of int
        Body i, or bodies i and j; 0 is the ground.
    """

    name: str
    bodies: tuple[int, ...]

    @abstractmethod
    def actions(self, poses: Sequence[Pose], t: Array) -> list[Action]:
        """What acts on which body; `poses` are those of the ground and of every body, with one derivative."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Force(Load):
    """A force in global axes at a point of a body, or at a point that moves over the ground.

    Attributes
    ----------
    force : (History, History), N
        Global x and y.
    point : (2,) array in body axes, or (History, History) in global axes, m
        A centre of pressure is the second kind.
    """

    force: tuple[History, History]
    point: Array | tuple[History, History]

    def actions(self, poses: Sequence[Pose], t: Array) -> list[Action]:
        (body,) = self.bodies
        pose = poses[body]
        F = _both(self.force, t)
        arm = _both(self.point, t) - pose.r.value if isinstance(self.point, tuple) else pose.turned(self.point).value
        return [(body, F, cross(arm, F))]


@dataclass(frozen=True, eq=False, kw_only=True)
class Torque(Load):
    """A torque on body j and its opposite on body i.

    Attributes
    ----------
    torque : History, N·m
        Counter-clockwise on j.
    """

    torque: History

    def actions(self, poses: Sequence[Pose], t: Array) -> list[Action]:
        return _couple(self.bodies, self.torque.at(t))


@dataclass(frozen=True, eq=False, kw_only=True)
class Spring(Load):
    """A spring with a damper between a point of body i and one of body j: tension k (l − l₀) + c dl/dt.

    Attributes
    ----------
    s_i, s_j : (2,) arrays, m
        The points, each in its body's axes; never at the same place.
    stiffness : float, N/m
    free_length : float, m
    damping : float, N·s/m
    """

    s_i: Array
    s_j: Array
    stiffness: float
    free_length: float
    damping: float

    def actions(self, poses: Sequence[Pose], t: Array) -> list[Action]:
        i, j = (poses[b] for b in self.bodies)
        d, d_rate = (j.point(self.s_j) - i.point(self.s_i)).d
        length = np.sqrt(dot(d, d))
        # at no length the direction is not known, and the result neither
        along = d / np.where(length > 0, length, np.nan)[..., None]
        tension = self.stiffness * (length - self.free_length) + self.damping * dot(along, d_rate)
        F = tension[..., None] * along
        arms = i.turned(self.s_i).value, j.turned(self.s_j).value
        return [(self.bodies[0], F, cross(arms[0], F)), (self.bodies[1], -F, -cross(arms[1], F))]


@dataclass(frozen=True, eq=False, kw_only=True)
class TorsionSpring(Load):
    """A torsion spring with a damper: torque on j = −k (φ_j − φ_i − φ₀) − c (φ̇_j − φ̇_i), the opposite on i.

    Attributes
    ----------
    stiffness : float, N·m/rad
    free_angle : float, rad
    damping : float, N·m·s/rad
    """

    stiffness: float
    free_angle: float
    damping: float

    def actions(self, poses: Sequence[Pose], t: Array) -> list[Action]:
        i, j = self.bodies
        angle, speed = (poses[j].phi - poses[i].phi).d
        return _couple(self.bodies, -self.stiffness * (angle - self.free_angle) - self.damping * speed)


def _couple(bodies: tuple[int, ...], torque: Array) -> list[Action]:
    none = np.zeros((*torque.shape, 2))
    return [(bodies[0], none, -torque), (bodies[1], none, torque)]


def _both(xy: tuple[History, History], t: Array) -> Array:
    return np.stack([xy[0].at(t), xy[1].at(t)], axis=-1)
