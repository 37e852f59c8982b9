"""A mechanical system: bodies on joints, what drives them, and the joint-space tree that is integrated.

A body's axes are its own; its origin lies on the joint that it hangs from. A joint has one coordinate (revolute,
prismatic) or three (spherical: three turns one after the other, about axes that the body's axes pass through).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from gaitid.dynamics.control import computed_torque, feedforward_pd
from gaitid.dynamics.forward import Environment, Simulation, Torque, integrate
from gaitid.dynamics.friction import Friction
from gaitid.dynamics.joint_space import Load
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.errors import GaitidError
from gaitid.simulate.course import Course, at_all
from gaitid.simulate.jet import Array
from gaitid.simulate.settings import ChainSettings

#: What the first body hangs from.
GROUND = "ground"
#: Of the integrator: local error below TOLERANCE (1 + |y|), y in rad, m, rad/s, m/s.
TOLERANCE = 1e-12
Kind = Literal["revolute", "prismatic"]


@dataclass(frozen=True, eq=False)
class Joint:
    """What a body hangs from its parent by.

    Attributes
    ----------
    name : str
    kind : str
        ``revolute`` or ``prismatic``, of every coordinate.
    coordinates : tuple of str
        One name a coordinate: the joint's, with ``_x`` and so on where it is spherical.
    axes : (coordinates, 3) array
        Unit vectors; each is fixed in the axes that the coordinates before it have turned.
    at_p : (3,) array, m
        From the parent's origin, parent axes.
    rest : (3, 3) array
        Body axes → parent axes with all coordinates zero.
    """

    name: str
    kind: Kind
    coordinates: tuple[str, ...]
    axes: Array
    at_p: Array
    rest: Array


@dataclass(frozen=True, eq=False)
class ChainBody:
    """A rigid body of a chain. Vectors are in its own axes, from its origin on the joint.

    Attributes
    ----------
    name : str
    parent : int
        Index of the body that it hangs from; −1 is the ground.
    joint : Joint
    mass_kg : float
    com_b : (3,) array, m
    inertia_b : (3, 3) array, kg·m²
        About the centre of mass.
    distal_b : (3,) array, m
        The far end.
    marker_b : mapping of label to (3,) array, m
        Three at least, not in line.
    """

    name: str
    parent: int
    joint: Joint
    mass_kg: float
    com_b: Array
    inertia_b: Array
    distal_b: Array
    marker_b: Mapping[str, Array]

    @property
    def length_m(self) -> float:
        """The distance from the joint to the far end."""
        return float(np.linalg.norm(self.distal_b))


@dataclass(frozen=True, eq=False)
class Push:
    """An external action on a body over time: what a force plate would say of it. Laboratory axes.

    Attributes
    ----------
    body : int
    force_g : three Course, N
    moment_g : three Course, N·m
        About the point.
    point_g : three Course, m
        Where it acts.
    """

    body: int
    force_g: tuple[Course, ...]
    moment_g: tuple[Course, ...]
    point_g: tuple[Course, ...]


@dataclass(frozen=True, eq=False)
class Drive:
    """What the joints' motors do.

    Attributes
    ----------
    kind : str
        ``none``; ``torques``: `courses` are torques (N·m) and forces (N), one a coordinate; ``tracked``: they are the
        desired motion (rad, m).
    courses : tuple of Course
    law : str
        Of ``tracked``: ``computed_torque`` (gains 1/s², 1/s) or ``feedforward_pd`` (gains N·m/rad or N/m, and · s).
    kp, kd : float
    """

    kind: str = "none"
    courses: tuple[Course, ...] = ()
    law: str = "computed_torque"
    kp: float = 0.0
    kd: float = 0.0


@dataclass(frozen=True, eq=False)
class ChainScenario:
    """A mechanical system, how it starts, what acts on it, and how it is recorded.

    Attributes
    ----------
    name, title : str
        `name` is the stem of its files.
    gravity_g : (3,) array, m/s²
    bodies : tuple of ChainBody
        Parents before children.
    q0, qd0 : (coordinates,) arrays, rad or m, and per s
    drive : Drive
    friction : Friction or None
    pushes : tuple of Push
    settings : ChainSettings
    text : str
        The file that says all this, to go with the trial.
    """

    name: str
    title: str
    gravity_g: Array
    bodies: tuple[ChainBody, ...]
    q0: Array
    qd0: Array
    drive: Drive = field(default_factory=Drive)
    friction: Friction | None = None
    pushes: tuple[Push, ...] = ()
    settings: ChainSettings = field(default_factory=ChainSettings)
    text: str = ""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of all coordinates, in the order of the bodies."""
        return tuple(name for body in self.bodies for name in body.joint.coordinates)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of each coordinate, ``revolute`` or ``prismatic``."""
        return tuple(body.joint.kind for body in self.bodies for _ in body.joint.coordinates)

    @cached_property
    def last_coordinate(self) -> tuple[int, ...]:
        """For each body the index of its joint's last coordinate, which is its index in `tree`."""
        return tuple(int(k) - 1 for k in np.cumsum([len(body.joint.coordinates) for body in self.bodies]))

    def beyond(self, i: int) -> tuple[int, ...]:
        """Body `i` and every body that hangs from it, directly or not."""
        beyond = [i]
        for k in range(i + 1, len(self.bodies)):
            if self.bodies[k].parent in beyond:
                beyond.append(k)
        return tuple(beyond)

    @cached_property
    def tree(self) -> JointTree:
        """One body a coordinate: all but the last of a spherical joint have no mass."""
        links: list[Body] = []
        for body in self.bodies:
            joint, nowhere = body.joint, np.zeros(3)
            parent = -1 if body.parent < 0 else self.last_coordinate[body.parent]
            for k, (name, axis) in enumerate(zip(joint.coordinates, joint.axes, strict=True)):
                last = k == len(joint.coordinates) - 1
                links.append(
                    Body(
                        name=name,
                        parent=parent,
                        kind=joint.kind,
                        axis_b=axis,
                        R_pb=joint.rest if k == 0 else np.eye(3),
                        p_p=joint.at_p if k == 0 else nowhere,
                        mass=body.mass_kg if last else 0.0,
                        com_b=body.com_b if last else nowhere,
                        inertia_b=body.inertia_b if last else np.zeros((3, 3)),
                    )
                )
                parent = len(links) - 1
        return JointTree(tuple(links))

    def torque(self) -> Torque:
        """The drive's torques as a function (t, q, q̇) → (coordinates,) array, N·m or N."""
        drive, n = self.drive, len(self.coordinates)
        if drive.kind == "torques":
            return lambda t, q, qd: at_all(drive.courses, t)[0]
        if drive.kind == "tracked":
            law = computed_torque if drive.law == "computed_torque" else feedforward_pd
            desired = _desired(drive.courses)
            return law(self.tree, desired, drive.kp, drive.kd, self.gravity_g, self.friction)
        return lambda t, q, qd: np.zeros(n)

    def integrated(self, times_s: Array) -> Simulation:
        """The motion that follows, at `times_s`, the first of which is the start.

        Raises
        ------
        GaitidError
            The integrator gave up, or an acceleration is not determined.
        """
        try:
            return self._integrated(times_s)
        except GaitidError as error:
            raise GaitidError(f"{self.name}: {error.line()}") from None

    def _integrated(self, times_s: Array) -> Simulation:
        environment = Environment(self.gravity_g, self.friction, self._loads)
        return integrate(self.tree, self.q0, self.qd0, self.torque(), times_s, environment, TOLERANCE)

    def _loads(self, time_s: float) -> list[Load]:
        loads = []
        for push in self.pushes:
            force, moment, point = (at_all(c, time_s)[0] for c in (push.force_g, push.moment_g, push.point_g))
            loads.append(Load(self.last_coordinate[push.body], force, moment, point))
        return loads


def _desired(courses: Sequence[Course]) -> Callable[[float], tuple[Array, Array, Array]]:
    return lambda t: at_all(courses, t)
