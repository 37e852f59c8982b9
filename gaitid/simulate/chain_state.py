"""The exact motion of a chain and the wrenches in its joints; the chain as a gaitid model with its table.

Neither uses the equations that were integrated: positions are those of the skeleton at the integrated coordinates,
differentiated exactly (jets), and wrenches are rates of change of momentum of all that lies beyond a joint. That the
part of each wrench along its joint's axis is the torque that was applied is therefore a check (`ChainState.misfit`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gaitid.dynamics.integration import Simulation
from gaitid.dynamics.pace import Limits
from gaitid.numerics.jet import Array, Jet, angular_velocity, apply, constant, matmul, times_constant, turn_about
from gaitid.simulate.chain import GROUND, ChainBody, ChainScenario
from gaitid.simulate.walk import Moving, spin_of, wrench_needed


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


#: m. The distances of joints that a model with masses of its own accepts unless it says others (docs/model.md).
MEASURED_LENGTHS = (0.001, 10.0)
# Of a body's length: beyond twice it a model takes a radius of gyration (a wheel's on a short axle) for a wrong unit.
_WIDE = 1.5
#: The side that a chain is analysed as.
SIDE = "right"
#: Markers that stand still, m, laboratory axes: what the chain hangs from. None lies in the laboratory's origin, which
#: a C3D file has for a marker that was not seen.
GROUND_MARKERS = {"GROUND1": (0.5, 0.5, 0.0), "GROUND2": (1.0, 0.5, 0.0), "GROUND3": (0.5, 1.0, 0.0)}
# A revolute joint's angle comes first, about the axis nearest to the joint's.
_SEQUENCES = {"x": "xyz", "y": "yxz", "z": "zxy"}


def sequence(body: ChainBody) -> str:
    """The sequence of Cardan angles in which a joint's angles are written."""
    joint = body.joint
    turns = [axis for kind, axis in zip(joint.kinds, joint.axes, strict=True) if kind == "revolute"]
    letters = "".join("xyz"[int(np.argmax(np.abs(axis)))] for axis in turns or joint.axes)
    if len(set(letters)) == 2 == len(letters):  # a universal joint: the third angle stays
        letters += next(letter for letter in "xyz" if letter not in letters)
    return letters if len(set(letters)) == 3 == len(letters) else _SEQUENCES[(letters or "x")[0]]


def angle_columns(body: ChainBody) -> list[str]:
    """Names of a joint's three angles, in the order of its sequence."""
    return [f"turn_{letter}" for letter in sequence(body)]


def model_yaml(scenario: ChainScenario) -> str:
    """The model: one side, listed from the free ends to the ground."""
    up = np.linalg.norm(scenario.gravity_g)
    lines = [
        "# Written by `gaitid simulate` for its own trial; docs/model.md explains the language.",
        "gaitid_model: 1",
        f"name: {scenario.name}",
        f"title: {_quoted(scenario.title or scenario.name)}",
        f"table: {scenario.name}.table.yaml",
        "vertical: z",
        "sides:",
        f"  {SIDE}: {{letter: {SIDE[0].upper()}, sign: -1}}",
        "middle:",
        "  markers:",
        *(f"    ground_marker_{i}: {label}" for i, label in enumerate(GROUND_MARKERS, start=1)),
        "  points:",
        "    ground_origin: {in_frame: ground, offset: [-0.5, -0.5, 0]}",
        "  frames:",
        "    ground:",
        "      origin: ground_marker_1",
        "      keep: {x: [ground_marker_1, ground_marker_2]}",
        "      toward: {y: [ground_marker_1, ground_marker_3]}",
        "each_side:",
        "  markers:",
    ]
    for body in scenario.bodies:
        lines += [
            f"    {body.name}_marker_{i}: {_quoted(label)}" for i, label in enumerate(list(body.marker_b)[:3], start=1)
        ]
    lines.append("  frames:")
    for body in scenario.bodies:
        first, second, third = (f"{body.name}_marker_{i}" for i in (1, 2, 3))
        turns = ", ".join(f"{{{axis}: {angle!r}}}" for axis, angle in zip("zyx", _to_body(body), strict=True))
        lines += [
            f"    {body.name}_markers:",
            f"      origin: {first}",
            f"      keep: {{z: [{second}, {first}]}}",
            f"      toward: {{y: [{first}, {third}]}}",
            f"    {body.name}: {{turn: {body.name}_markers, by: [{turns}]}}",
        ]
    lines.append("  points:")
    for body in scenario.bodies:
        lines.append(f"    {body.joint.name}_centre: {_in_body(body, np.zeros(3))}")
    for body in scenario.bodies:
        lines.append(f"    {body.name}_end: {_in_body(body, body.distal_b)}")
    lines.append("chain:")
    backwards = list(range(len(scenario.bodies)))[::-1]
    for place, i in enumerate(backwards):
        body = scenario.bodies[i]
        following = backwards[place + 1] if place + 1 < len(backwards) else -1
        lines += [
            f"  - segment: {body.name}",
            f"    frame: {body.name}",
            f"    com: {_in_body(body, body.com_b)}",
            f"    length: {body.length_m!r}",
            f"    joint: {body.joint.name}",
            f"    centre: {body.joint.name}_centre",
        ]
        if lengths := _length_range(scenario, i):
            lines.append(f"    length_range_m: {lengths}  # joints in one place or far apart, or a wide body")
        if body.parent != following:
            lines.append(f"    on: {_above(scenario, body)}")
    lines += [f"base: {{segment: {GROUND}, frame: {GROUND}, origin: ground_origin}}", "angles:"]
    for body in scenario.bodies:
        columns = ", ".join(f"{name}: {letter}" for name, letter in zip(angle_columns(body), "abc", strict=True))
        lines += [
            f"  {body.joint.name}:",
            f"    {{proximal: {_above(scenario, body)}, distal: {body.name}, sequence: {sequence(body)}, {columns}}}",
        ]
    lines += [
        "settings:",
        f"  gravity_m_per_s2: {float(up)!r}",
        "  cutoff_hz: none",
        "  doubtful_labels: keep  # markers on the ground stand still to the last digit, and are right",
    ]
    return "\n".join(lines) + "\n"


def table_yaml(scenario: ChainScenario) -> str:
    """The segment-parameter table: masses and inertias as they are, no fractions."""
    lines = [
        "# Written by `gaitid simulate`: the bodies as they were simulated.",
        "gaitid_table: 1",
        f"name: {scenario.name}",
        "source: simulated",
        "segments:",
    ]
    for body in scenario.bodies:
        lines += [
            f"  {body.name}:",
            f"    mass_kg: {body.mass_kg!r}",
            f"    inertia_kg_m2: [{', '.join(_list(row) for row in body.inertia_b)}]",
        ]
    return "\n".join(lines) + "\n"


def _length_range(scenario: ChainScenario, i: int) -> str:
    """Between which distances the joints on a body lie, where its length is not what a model takes for sound."""
    body = scenario.bodies[i]
    hang = [other.joint for other in scenario.bodies if other.parent == i]
    slides = any("prismatic" in joint.kinds for joint in hang)
    far = [float(np.linalg.norm(joint.at_p)) for joint in hang]
    low, high = MEASURED_LENGTHS
    wide = body.mass_kg > 0 and np.linalg.eigvalsh(body.inertia_b)[-1] > body.mass_kg * (_WIDE * body.length_m) ** 2
    if not slides and not wide and all(low < distance < high for distance in far):
        return ""
    return _list((-1.0, max(1000.0, 2 * body.length_m, 2 * max(far, default=0.0))))


def _above(scenario: ChainScenario, body: ChainBody) -> str:
    return GROUND if body.parent < 0 else scenario.bodies[body.parent].name


def _to_body(body: ChainBody) -> tuple[float, float, float]:
    """Angles z, y, x, rad, that turn the frame of a body's first three markers into the body's axes."""
    first, second, third = list(body.marker_b.values())[:3]
    z = (first - second) / np.linalg.norm(first - second)
    x = np.cross(third - first, z)
    x /= np.linalg.norm(x)
    turned = np.stack([x, np.cross(z, x), z])  # markers' axes as rows in body axes: body → markers
    # R = Rz(a) Ry(b) Rx(c)
    a, c = np.arctan2(turned[1, 0], turned[0, 0]), np.arctan2(turned[2, 1], turned[2, 2])
    b = np.arctan2(-turned[2, 0], np.hypot(turned[0, 0], turned[1, 0]))
    return float(a), float(b), float(c)


def _in_body(body: ChainBody, point_b: Array) -> str:
    """A point of a body, m, body axes, as the model has it: from the first marker."""
    first = next(iter(body.marker_b.values()))
    return f"{{in_frame: {body.name}, offset: {_list(point_b - first)}}}"


def _list(values: Iterable[float]) -> str:
    return f"[{', '.join(repr(float(v) + 0.0) for v in values)}]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
