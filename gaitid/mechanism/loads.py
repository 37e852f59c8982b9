"""Loads that are applied to bodies: forces and torques with a course in time, springs with dampers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaitid.mechanism.body import Pose, Rate, cross, dot
from gaitid.mechanism.history import History
from gaitid.trial import Array

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
    def actions(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> list[Action]:
        """What acts on which body; `poses` and `rates` are those of the ground and of every body."""


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

    def actions(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> list[Action]:
        (body,) = self.bodies
        pose = poses[body]
        F = _both(self.force, t)
        arm = _both(self.point, t) - pose.r if isinstance(self.point, tuple) else pose.turned(self.point)
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

    def actions(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> list[Action]:
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

    def actions(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> list[Action]:
        (i, j), (di, dj) = [poses[b] for b in self.bodies], [rates[b] for b in self.bodies]
        d = j.point(self.s_j) - i.point(self.s_i)
        length = np.sqrt(dot(d, d))
        # at no length the direction is not known, and the result neither
        along = d / np.where(length > 0, length, np.nan)[..., None]
        lengthening = dot(along, dj.point(j, self.s_j) - di.point(i, self.s_i))
        tension = self.stiffness * (length - self.free_length) + self.damping * lengthening
        F = tension[..., None] * along
        return [(self.bodies[0], F, cross(i.turned(self.s_i), F)), (self.bodies[1], -F, -cross(j.turned(self.s_j), F))]


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

    def actions(self, poses: Sequence[Pose], rates: Sequence[Rate], t: Array) -> list[Action]:
        i, j = self.bodies
        angle, speed = poses[j].phi - poses[i].phi, rates[j].omega - rates[i].omega
        return _couple(self.bodies, -self.stiffness * (angle - self.free_angle) - self.damping * speed)


def _couple(bodies: tuple[int, ...], torque: Array) -> list[Action]:
    none = np.zeros((*torque.shape, 2))
    return [(bodies[0], none, -torque), (bodies[1], none, torque)]


def _both(xy: tuple[History, History], t: Array) -> Array:
    return np.stack([xy[0].at(t), xy[1].at(t)], axis=-1)
