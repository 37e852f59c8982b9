"""A mechanical system: bodies on joints, what drives them, and the joint-space tree that is integrated.

A body's axes are its own; its origin lies on the joint that it hangs from. A joint has no coordinate (fixed), one
(revolute, prismatic) or several slides and turns one after the other (universal, spherical, planar, free).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gaitid.dynamics.control import computed_torque, feedforward_pd
from gaitid.dynamics.integration import Environment, Given, Simulation, Torque, integrate
from gaitid.dynamics.joint_space import Friction, Load, TreeMotion
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.dynamics.pace import Limits
from gaitid.errors import GaitidError
from gaitid.numerics.jet import Array
from gaitid.simulate.settings import ChainSettings


@dataclass(frozen=True)
class Sine:
    """``amplitude sin(2π frequency t + phase)``; frequency in Hz, phase in rad."""

    amplitude: float
    frequency_hz: float
    phase_rad: float = 0.0


@dataclass(frozen=True)
class Pulse:
    """``height (4 u (1 − u))³`` with u running from 0 to 1 between two times, s; two derivatives vanish at its ends."""

    height: float
    from_s: float
    to_s: float


@dataclass(frozen=True)
class Course:
    """A quantity over time: ``level + slope t`` and the sum of its sines and pulses.

    Attributes
    ----------
    level : float
        In the unit of the quantity.
    slope : float
        Of it per s.
    sines : tuple of Sine
    pulses : tuple of Pulse
    """

    level: float = 0.0
    slope: float = 0.0
    sines: tuple[Sine, ...] = ()
    pulses: tuple[Pulse, ...] = ()

    def at(self, times_s: ArrayLike) -> tuple[Array, Array, Array]:
        """The value and its first two derivatives at times, s; each of the shape of the times."""
        t = np.asarray(times_s, dtype=np.float64)
        value, rate, acceleration = self.level + self.slope * t, _all_of(t, self.slope), _all_of(t, 0.0)
        for sine in self.sines:
            w = 2.0 * np.pi * sine.frequency_hz
            s, c = np.sin(w * t + sine.phase_rad), np.cos(w * t + sine.phase_rad)
            value = value + sine.amplitude * s
            rate = rate + sine.amplitude * (w * c)
            acceleration = acceleration + sine.amplitude * (-w * w * s)
        for pulse in self.pulses:
            length = pulse.to_s - pulse.from_s
            u = np.minimum(np.maximum((t - pulse.from_s) / length, 0.0), 1.0)
            h, h1, h2 = 4.0 * u * (1.0 - u), 4.0 * (1.0 - 2.0 * u) / length, -8.0 / length**2
            # Products, not h**3: a power differs in its last bit between one number and many, and by machine.
            value = value + pulse.height * (h * h * h)
            rate = rate + pulse.height * (3.0 * h * h * h1)
            acceleration = acceleration + pulse.height * (6.0 * h * h1 * h1 + 3.0 * h * h * h2)
        return value, rate, acceleration


def _all_of(times_s: Array, value: float) -> Any:
    """A value at all times; a number at one, of which an integration asks thousands: an array takes ten times as
    long."""
    return np.full_like(times_s, value) if times_s.ndim else np.float64(value)


def at_all(courses: Sequence[Course], times_s: ArrayLike) -> tuple[Array, Array, Array]:
    """Several courses and their derivatives, each (…, courses)."""
    value, rate, acceleration = zip(*(course.at(times_s) for course in courses))
    if np.ndim(times_s) == 0:
        return np.array(value), np.array(rate), np.array(acceleration)
    return np.stack(value, axis=-1), np.stack(rate, axis=-1), np.stack(acceleration, axis=-1)


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
    kinds : tuple of str
        ``revolute`` or ``prismatic``, of each coordinate; none of a fixed joint.
    coordinates : tuple of str
        One name a coordinate: the joint's, with ``_1x`` and so on where it has several.
    axes : (coordinates, 3) array
        Unit vectors; each is fixed in the axes that the coordinates before it have turned.
    at_p : (3,) array, m
        From the parent's origin, parent axes.
    rest : (3, 3) array
        Body axes → parent axes with all coordinates zero.
    """

    name: str
    kinds: tuple[Kind, ...]
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
        May be 0 where what hangs from it holds it up.
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
    """An external action on a body over time: what a force plate or a load cell would say of it.

    Attributes
    ----------
    body : int
    force : three Course, N
    moment : three Course, N·m
        About the point.
    point_g : three Course, m
        Where it acts, in the laboratory.
    point_b : (3,) array or None, m
        Where it acts, from the body's origin, body axes; then `point_g` says nothing.
    turns : bool
        Whether force and moment are along the body's axes; else along the laboratory's.
    """

    body: int
    force: tuple[Course, ...]
    moment: tuple[Course, ...]
    point_g: tuple[Course, ...]
    point_b: Array | None = None
    turns: bool = False

    def at(self, times_s: ArrayLike) -> tuple[Array, Array, Array]:
        """Force, moment and point, (…, 3) each, as they are given: N, N·m and m, in the axes that they are given in."""
        force, moment = (at_all(c, times_s)[0] for c in (self.force, self.moment))
        if self.point_b is None:
            return force, moment, at_all(self.point_g, times_s)[0]
        return force, moment, np.array(np.broadcast_to(self.point_b, force.shape))

    def seen(self, times_s: ArrayLike, R_gb: Array, origin_g: Array) -> tuple[Array, Array, Array]:
        """Force, moment and point in laboratory axes, of a body whose axes and origin are known, (…, 3, 3), (…, 3)."""
        force, moment, point = self.at(times_s)
        if self.turns:
            force, moment = (np.einsum("...ij,...j->...i", R_gb, v) for v in (force, moment))
        if self.point_b is not None:
            point = origin_g + np.einsum("...ij,...j->...i", R_gb, point)
        return force, moment, point


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
    knows_loads : bool
        Of ``tracked``: whether its torques answer the external loads.
    """

    kind: str = "none"
    courses: tuple[Course, ...] = ()
    law: str = "computed_torque"
    kp: float = 0.0
    kd: float = 0.0
    knows_loads: bool = True


class Place(NamedTuple):
    """Where a body sits on a link of the tree: the link, its axes → the link's axes, and its origin there, m.

    The link is the index of the last coordinate that moves the body; −1 of a body that is fixed to the ground.
    """

    link: int
    turned: Array
    at: Array


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
    given : mapping of int to Course
        Coordinates, by their index, that move as given (rad, m).
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
    given: Mapping[int, Course] = field(default_factory=dict)
    settings: ChainSettings = field(default_factory=ChainSettings)
    text: str = ""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of all coordinates, in the order of the bodies."""
        return tuple(name for body in self.bodies for name in body.joint.coordinates)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of each coordinate, ``revolute`` or ``prismatic``."""
        return tuple(kind for body in self.bodies for kind in body.joint.kinds)

    @cached_property
    def places(self) -> list[Place]:
        """Where each body sits on the link of `tree` that carries it: a fixed body on that of its parent."""
        places: list[Place] = []
        count = 0
        for body in self.bodies:
            joint = body.joint
            count += len(joint.coordinates)
            if joint.coordinates:
                places.append(Place(count - 1, np.eye(3), np.zeros(3)))
            else:
                above = places[body.parent] if body.parent >= 0 else Place(-1, np.eye(3), np.zeros(3))
                at = above.at + above.turned @ joint.at_p
                places.append(Place(above.link, above.turned @ joint.rest, at))
        return places

    def beyond(self, i: int) -> tuple[int, ...]:
        """Body `i` and every body that hangs from it, directly or not."""
        beyond = [i]
        for k in range(i + 1, len(self.bodies)):
            if self.bodies[k].parent in beyond:
                beyond.append(k)
        return tuple(beyond)

    @cached_property
    def tree(self) -> JointTree:
        """One link a coordinate: the last of a joint has the mass of its body and of all that is fixed to it."""
        links: list[Body] = []
        for i, body in enumerate(self.bodies):
            joint, nowhere = body.joint, np.zeros(3)
            above = self.places[body.parent] if body.parent >= 0 else Place(-1, np.eye(3), np.zeros(3))
            parent = above.link
            carried = [k for k, place in enumerate(self.places) if place.link == self.places[i].link]
            for k, (name, kind, axis) in enumerate(zip(joint.coordinates, joint.kinds, joint.axes, strict=True)):
                last = k == len(joint.coordinates) - 1
                mass, com, inertia = self._mass_of(carried) if last else (0.0, nowhere, np.zeros((3, 3)))
                links.append(
                    Body(
                        name=name,
                        parent=parent,
                        kind=kind,
                        axis_b=axis,
                        R_pb=above.turned @ joint.rest if k == 0 else np.eye(3),
                        p_p=above.at + above.turned @ joint.at_p if k == 0 else nowhere,
                        mass=mass,
                        com_b=com,
                        inertia_b=inertia,
                    )
                )
                parent = len(links) - 1
        return JointTree(tuple(links))

    def _mass_of(self, bodies: Sequence[int]) -> tuple[float, Array, Array]:
        """Mass, centre of mass and inertia about it of bodies that are one rigid body, axes of the first."""
        first = self.bodies[bodies[0]]
        if len(bodies) == 1:
            return first.mass_kg, first.com_b, first.inertia_b
        masses = np.array([self.bodies[k].mass_kg for k in bodies])
        turned = [self.places[k].turned for k in bodies]
        coms = np.array([self.places[k].at + R @ self.bodies[k].com_b for k, R in zip(bodies, turned, strict=True)])
        mass = float(masses.sum())
        com = masses @ coms / mass if mass else np.zeros(3)
        inertia = np.zeros((3, 3))
        for k, R, m, c in zip(bodies, turned, masses, coms - com, strict=True):
            # Steiner
            inertia += R @ self.bodies[k].inertia_b @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
        return mass, com, inertia

    def torque(self) -> Torque:
        """The drive's torques as a function (t, q, q̇) → (coordinates,) array, N·m or N."""
        drive, n = self.drive, len(self.coordinates)
        if drive.kind == "torques":
            return lambda t, q, qd: at_all(drive.courses, t)[0]
        if drive.kind == "tracked":
            law = computed_torque if drive.law == "computed_torque" else feedforward_pd
            # what moves as given does not err
            courses = tuple(self.given.get(i, course) for i, course in enumerate(drive.courses))
            loads = self._loads if self.pushes and drive.knows_loads else None
            return law(self.tree, _desired(courses), drive.kp, drive.kd, self.gravity_g, self.friction, loads=loads)
        return lambda t, q, qd: np.zeros(n)

    def integrated(self, times_s: Array, limits: Limits = Limits()) -> Simulation:  # noqa: B008 - it cannot be changed
        """The motion that follows, at `times_s`, the first of which is the start.

        Raises
        ------
        GaitidError
            The integrator gave up, or an acceleration is not determined.
        """
        given = Given(np.array(list(self.given)), _desired(tuple(self.given.values()))) if self.given else None
        environment = Environment(self.gravity_g, self.friction, self._loads, given)
        try:
            return integrate(self.tree, self.q0, self.qd0, self.torque(), times_s, environment, TOLERANCE, limits)
        except GaitidError as error:
            raise GaitidError(f"{self.name}: {error.line()}") from None

    def _loads(self, time_s: float, moved: TreeMotion) -> list[Load]:
        loads = []
        for push in self.pushes:
            place = self.places[push.body]
            if place.link < 0:  # the ground bears it
                continue
            R, origin = moved.R_gb[place.link], moved.origin_g[place.link]
            loads.append(Load(place.link, *push.seen(time_s, R @ place.turned, origin + R @ place.at)))
        return loads


def _desired(courses: Sequence[Course]) -> Callable[[float], tuple[Array, Array, Array]]:
    return lambda t: at_all(courses, t)
