"""The exact motion of a chain and the wrenches in its joints.

Neither uses the equations that were integrated: positions are those of the skeleton at the integrated coordinates,
differentiated exactly (jets), and wrenches are rates of change of momentum of all that lies beyond a joint. That the
part of each wrench along its joint's axis is the torque that was applied is therefore a check (`ChainState.misfit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.dynamics.integration import Simulation
from gaitid.dynamics.pace import Limits
from gaitid.simulate.chain import ChainScenario
from gaitid.simulate.jet import Array, Jet, angular_velocity, apply, constant, matmul, times_constant, turn_about
from gaitid.simulate.momentum import Moving, spin_of, wrench_needed


@dataclass(frozen=True, eq=False)
class ChainState:
    """The exact state of a chain at chosen times. SI units, laboratory axes.

    Attributes
    ----------
    time_s : (times,) array
    simulation : Simulation
        Coordinates, torques and the integrator's account.
    rotation : mapping of body to (times, 3, 3) array
        R_gs.
    com_g, acceleration_g, omega_g, alpha_g : mapping of body to (times, 3) array
        m, m/s², rad/s, rad/s²; the first two of the centre of mass.
    joint_g : mapping of joint to (times, 3) array, m
        Origin of the body that hangs from it.
    wrench : mapping of joint to (force, moment)
        (times, 3) arrays, N and N·m: of the parent on the body, about `joint_g`.
    marker_g : mapping of label to (times, 3) array, m
    friction : (times, coordinates) array, N·m or N
        What friction does on each coordinate.
    kinetic_J, potential_J : (times,) arrays
        Of all bodies; the potential is gravity's, 0 at the laboratory's origin.
    misfit : float
        Largest difference, N·m or N, between a wrench along a joint's axis and what drive and friction exert there.
    """

    time_s: Array
    simulation: Simulation
    rotation: Mapping[str, Array]
    com_g: Mapping[str, Array]
    acceleration_g: Mapping[str, Array]
    omega_g: Mapping[str, Array]
    alpha_g: Mapping[str, Array]
    joint_g: Mapping[str, Array]
    wrench: Mapping[str, tuple[Array, Array]]
    marker_g: Mapping[str, Array]
    friction: Array
    kinetic_J: Array
    potential_J: Array
    misfit: float


def chain_state(scenario: ChainScenario, limits: Limits = Limits()) -> ChainState:  # noqa: B008 - it cannot be changed
    """Integrate a scenario and give its exact state at the frames of its trial.

    Parameters
    ----------
    scenario : ChainScenario
    limits : Limits
        After how much work it is given up.

    Raises
    ------
    GaitidError
        The integrator gave up, or an acceleration is not determined.
    """
    times = scenario.settings.times_s
    simulation = scenario.integrated(times, limits)
    return state_of(scenario, simulation)


def state_of(scenario: ChainScenario, simulation: Simulation) -> ChainState:
    """The exact state that belongs to integrated coordinates."""
    q = Jet(np.stack([simulation.q, simulation.qd, simulation.qdd]))
    rotation, origin, axes = _poses(scenario, q)
    com = [o + apply(r, b.com_b) for o, r, b in zip(origin, rotation, scenario.bodies, strict=True)]
    wrenches = _wrenches(scenario, simulation.times_s, rotation, origin, com)
    friction = simulation.friction
    along = _along_axes(scenario, axes, wrenches)
    names = [body.name for body in scenario.bodies]
    joints = [body.joint.name for body in scenario.bodies]
    omega = [angular_velocity(r) for r in rotation]
    kinetic, potential = _energies(scenario, rotation, com, omega)
    return ChainState(
        time_s=simulation.times_s,
        simulation=simulation,
        rotation={name: r.value for name, r in zip(names, rotation, strict=True)},
        com_g={name: c.value for name, c in zip(names, com, strict=True)},
        acceleration_g={name: c.d[2] for name, c in zip(names, com, strict=True)},
        omega_g={name: w.value for name, w in zip(names, omega, strict=True)},
        alpha_g={name: w.d[1] for name, w in zip(names, omega, strict=True)},
        joint_g={name: o.value for name, o in zip(joints, origin, strict=True)},
        wrench=dict(zip(joints, wrenches, strict=True)),
        marker_g={
            label: (o + apply(r, p)).value
            for body, o, r in zip(scenario.bodies, origin, rotation, strict=True)
            for label, p in body.marker_b.items()
        },
        friction=friction,
        kinetic_J=kinetic,
        potential_J=potential,
        misfit=float(np.abs(along - simulation.tau - friction).max()),
    )


def _poses(scenario: ChainScenario, q: Jet) -> tuple[list[Jet], list[Jet], list[Array]]:
    """Rotation and origin of each body, and each coordinate's axis (times, 3), laboratory axes."""
    n, order = q.value.shape[0], q.order
    ground = constant(np.broadcast_to(np.eye(3), (n, 3, 3)), order), constant(np.zeros((n, 3)), order)
    rotation: list[Jet] = []
    origin: list[Jet] = []
    axes: list[Array] = []
    for body in scenario.bodies:
        joint = body.joint
        above, start = (rotation[body.parent], origin[body.parent]) if body.parent >= 0 else ground
        o, r = start + apply(above, joint.at_p), times_constant(above, joint.rest)
        for kind, axis in zip(joint.kinds, joint.axes, strict=True):
            coordinate = q.column(len(axes))
            axes.append(r.value @ axis)
            if kind == "revolute":
                r = matmul(r, turn_about(axis, coordinate))
            else:
                o = o + apply(r, axis) * Jet(coordinate.d[..., None])
        rotation.append(r)
        origin.append(o)
    return rotation, origin, axes


def _wrenches(
    scenario: ChainScenario, times_s: Array, rotation: list[Jet], origin: list[Jet], com: list[Jet]
) -> list[tuple[Array, Array]]:
    """The wrenches of the parent on each body, about the body's origin."""
    moving = [
        Moving(body.mass_kg, c, spin_of(r, body.inertia_b))
        for body, c, r in zip(scenario.bodies, com, rotation, strict=True)
    ]
    wrenches = []
    for i in range(len(moving)):
        p = origin[i].value
        beyond = scenario.beyond(i)
        force, moment = wrench_needed([moving[k] for k in beyond], p, scenario.gravity_g)
        for push in scenario.pushes:
            if push.body in beyond:
                f, m, at = push.seen(times_s, rotation[push.body].value, origin[push.body].value)
                force, moment = force - f, moment - m - np.cross(at - p, f)
        wrenches.append((force, moment))
    return wrenches


def _energies(scenario: ChainScenario, rotation: list[Jet], com: list[Jet], omega: list[Jet]) -> tuple[Array, Array]:
    """Σ ½ m v² + ½ ωᵀ I ω and −Σ m gᵀ c of all bodies, (times,) each, J."""
    kinetic, potential = np.zeros(len(com[0].value)), np.zeros(len(com[0].value))
    for body, r, c, w in zip(scenario.bodies, rotation, com, omega, strict=True):
        turning = np.einsum("tij,ti->tj", r.value, w.value)
        kinetic += 0.5 * body.mass_kg * np.sum(c.d[1] ** 2, axis=1)
        kinetic += 0.5 * np.einsum("ti,ij,tj->t", turning, body.inertia_b, turning)
        potential -= body.mass_kg * c.value @ scenario.gravity_g
    return kinetic, potential


def _along_axes(scenario: ChainScenario, axes: list[Array], wrenches: list[tuple[Array, Array]]) -> Array:
    """(times, coordinates) part of each joint's wrench along each of its axes, N·m or N."""
    parts: list[Array] = []
    for body, (force, moment) in zip(scenario.bodies, wrenches, strict=True):
        for kind in body.joint.kinds:
            parts.append(np.sum(axes[len(parts)] * (moment if kind == "revolute" else force), axis=1))
    return np.stack(parts, axis=1)
