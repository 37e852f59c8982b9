"""Rigid bodies in a plane, in centroidal frames, and where their points are.

A body's coordinates are q = (x, y, φ): its centre of mass and the angle of its axes, counter-clockwise. With
A(φ) the rotation matrix and R the quarter turn, a point s' of the body is at r + A s', and B = dA/dφ = R A
(Haug 1989, Computer Aided Kinematics and Dynamics of Mechanical Systems, vol. I, ch. 2 and 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

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
    """Where a body is.

    Attributes
    ----------
    r : (…, 2) array, m
        Centre of mass, global axes.
    phi : (…,) array, rad
    cos, sin : (…,) arrays
        Of `phi`.
    """

    r: Array
    phi: Array
    cos: Array
    sin: Array

    def turned(self, s: Array) -> Array:
        """A s': a vector of the body in global axes, (…, 2)."""
        v = np.empty((*self.phi.shape, 2))
        v[..., 0] = self.cos * s[0] - self.sin * s[1]
        v[..., 1] = self.sin * s[0] + self.cos * s[1]
        return v

    def point(self, s: Array) -> Array:
        """r + A s': a point of the body, (…, 2), m."""
        return self.r + self.turned(s)

    def point_jacobian(self, s: Array) -> Array:
        """∂(r + A s')/∂q = [I, B s'], (…, 2, 3)."""
        J = np.zeros((*self.phi.shape, 2, COORDINATES))
        J[..., 0, 0] = J[..., 1, 1] = 1.0
        J[..., 2] = quarter_turn(self.turned(s))
        return J


class Rate(NamedTuple):
    """How a body moves.

    Attributes
    ----------
    v : (…, 2) array, m/s
        Of the centre of mass, global axes.
    omega : (…,) array, rad/s
    """

    v: Array
    omega: Array

    def point(self, pose: Pose, s: Array) -> Array:
        """ṙ + φ̇ B s', (…, 2), m/s."""
        return self.v + self.omega[..., None] * quarter_turn(pose.turned(s))

    def centripetal(self, pose: Pose, s: Array) -> Array:
        """φ̇² A s', (…, 2), m/s²: what the acceleration of the point lacks to r̈ + φ̈ B s'."""
        return (self.omega**2)[..., None] * pose.turned(s)


def quarter_turn(v: Array) -> Array:
    """R v, counter-clockwise."""
    turned = np.empty_like(v)
    turned[..., 0], turned[..., 1] = -v[..., 1], v[..., 0]
    return turned


def dot(a: Array, b: Array) -> Array:
    """a · b over the last axis."""
    return np.asarray((a * b).sum(axis=-1))


def cross(a: Array, b: Array) -> Array:
    """The component of a × b out of the plane, aᵀ Rᵀ b."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def poses_of(q: Array) -> list[Pose]:
    """Poses of the ground and then of every body, from coordinates (…, 3 bodies)."""
    zero = np.zeros(q.shape[:-1])
    poses = [Pose(np.zeros((*q.shape[:-1], 2)), zero, zero + 1.0, zero)]
    for k in range(0, q.shape[-1], COORDINATES):
        phi = q[..., k + 2]
        poses.append(Pose(q[..., k : k + 2], phi, np.cos(phi), np.sin(phi)))
    return poses


def rates_of(qd: Array) -> list[Rate]:
    """Rates of the ground and then of every body, from velocities (…, 3 bodies)."""
    rates = [Rate(np.zeros((*qd.shape[:-1], 2)), np.zeros(qd.shape[:-1]))]
    return rates + [Rate(qd[..., k : k + 2], qd[..., k + 2]) for k in range(0, qd.shape[-1], COORDINATES)]
