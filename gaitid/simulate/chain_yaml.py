"""A scenario file of kind `chain` -> `ChainScenario`. All faults are gathered, each with its key's path.

Wherever a number stands, a formula of numbers may stand (``pi / 6``). Keys carry their units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gaitid.dynamics.joint_space import Friction
from gaitid.dynamics.joint_tree import inertia_fault
from gaitid.errors import ModelError
from gaitid.model.fields import MISSING, Faults, Fields, formula_number, nearest
from gaitid.numerics.jet import Array, turn_matrix
from gaitid.simulate.chain import GROUND, ChainBody, ChainScenario, Course, Drive, Joint, Kind, Pulse, Push, Sine
from gaitid.simulate.settings import ChainSettings, parse_settings

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
# Radians and newton metres, or metres and newtons.
UNIT = {"revolute": "rad", "prismatic": "m"}
LOAD_UNIT = {"revolute": "Nm", "prismatic": "N"}
# Two markers in the same place, or three in line, tell no pose: sine of the angle between the lines to the first.
_IN_LINE = 1e-3
# Joints with several coordinates: what they slide along first, then turn about, and an example of `sequence`.
_COMPOUND = {
    "universal": ("", "xy", "xy"),
    "spherical": ("", "xyz", "xyz"),
    "planar": ("xy", "z", "z"),
    "free": ("xyz", "xyz", "xyz"),
}
# Larger numbers are mistakes, and products of them overflow.
_HUGE = 1e12
# m. How far from its joint the markers of a body without length lie.
_NO_LENGTH_M = 0.1
# m. Longer bodies are mistakes of a unit: their joints move too fast for the integrator, which would find no end.
_FAR_M = 1000.0


def parse_chain(top: Fields, name: str, overrides: Mapping[str, Any]) -> ChainScenario:
    """What a file of kind `chain` says; `overrides` are settings that win over the file's.

    Raises
    ------
    ModelError
        One line with every fault found.
    """
    faults = top.faults
    title = top.text("title", "")
    gravity = np.array([0.0, 0.0, -_number(top, "gravity_m_per_s2", 9.81, low=0.0)])
    bodies = _bodies(top.items("bodies"), faults)
    names = [c for body in bodies for c in body.joint.coordinates]
    kinds = [kind for body in bodies for kind in body.joint.kinds]
    drive = _drive(top.mapping("drive", {}), names, kinds)
    start = _by_coordinate(top, "start", names)
    # What tracks a motion starts on it by default.
    tracked = drive.courses if drive.kind == "tracked" else (Course(),) * len(names)
    as_given = _by_coordinate(top, "given", names)
    given = {i: _course(as_given[n], UNIT[kinds[i]]) for i, n in enumerate(names) if n in as_given}
    at_start = [given.get(i, course) for i, course in enumerate(tracked)]
    q0, qd0 = (np.array([float(course.at(0.0)[k]) for course in at_start]) for k in (0, 1))
    for i, (coordinate, kind) in enumerate(zip(names, kinds, strict=True)):
        if coordinate in start and i in given:
            faults.add(f"start.{coordinate}: it moves as `given` says; leave one of the two out")
        elif coordinate in start:
            words = ("angle_rad", "rate_rad_per_s") if kind == "revolute" else ("position_m", "speed_m_per_s")
            q0[i], qd0[i] = (
                _number(start[coordinate], word, now[i]) for word, now in zip(words, (q0, qd0), strict=True)
            )
            start[coordinate].done()
    friction = _friction(top, names, kinds)
    pushes = tuple(_push(entry, [body.name for body in bodies]) for entry in top.entries("loads"))
    settings = parse_settings(top.mapping("settings", {}), ChainSettings, overrides)
    top.done()
    faults.raise_if_any()
    scenario = ChainScenario(name, title, gravity, tuple(bodies), q0, qd0, drive, friction, pushes, given, settings())
    try:
        if not names:
            raise ModelError("nothing can move", expected="a joint that is not fixed")
        scenario.tree  # noqa: B018  (only the system shows an end without inertia on its joint)
    except ModelError as error:
        raise ModelError(f"{faults.name}: bodies: {error.line()}") from None
    return scenario


# --- bodies ------------------------------------------------------------------------------------------------


def _bodies(items: Sequence[Any], faults: Faults) -> list[ChainBody]:
    fields = [Fields(item, f"bodies[{i}]", faults) for i, item in enumerate(items)]
    names = [_name(entry) for entry in fields]
    parents = _parents(fields, names)
    bodies: list[ChainBody] = []
    for entry, name, parent in zip(fields, names, parents, strict=True):
        end_of_parent = bodies[parent].distal_b if 0 <= parent < len(bodies) else np.zeros(3)
        bodies.append(_body(entry, name, parent, end_of_parent))
    for what, given in (
        ("name of a body", names),
        ("name of a joint", [body.joint.name for body in bodies]),
        ("marker", [label for body in bodies for label in body.marker_b]),
    ):
        for twice in sorted({text for text in given if text and given.count(text) > 1}):
            faults.add(f"bodies: the {what} {twice!r} is given twice")
    return bodies


def _parents(fields: Sequence[Fields], names: Sequence[str]) -> list[int]:
    """Index of what each body hangs from, −1 for the ground; a body must come after its parent."""
    parents = []
    for i, entry in enumerate(fields):
        parent = entry.text("parent")
        known = [GROUND, *names]
        parents.append(-1)
        if parent in names[:i]:
            parents[i] = names.index(parent)
        elif parent in names[i:]:
            loop = " (a loop)" if _comes_back(i, fields, names) else ""
            entry.faults.add(f"{entry.at('parent')}: {parent!r} must be listed before {names[i]!r}{loop}")
        elif parent and parent != GROUND:
            expected = f"{nearest(parent, known)}, expected {' or '.join(known)}"
            entry.faults.add(f"{entry.at('parent')}: no body {parent!r}{expected}")
    return parents


def _comes_back(i: int, fields: Sequence[Fields], names: Sequence[str]) -> bool:
    """Whether going from body `i` to what it hangs from, and on, leads back to it."""
    at = i
    for _ in fields:
        parent = str(fields[at].values.get("parent"))
        if parent not in names:
            return False
        at = list(names).index(parent)
        if at == i:
            return True
    return False


def _body(fields: Fields, name: str, parent: int, end_of_parent: Array) -> ChainBody:
    faults = fields.faults
    mass = _number(fields, "mass_kg", low=0.0)
    nothing = "mass_kg" in fields.values and mass == 0
    none = [0.0, 0.0, 0.0] if nothing else MISSING  # what has no mass has no centre of it, and may have no length
    distal = _vector(fields, "distal_m", none)
    inertia = np.zeros((3, 3)) if nothing and "inertia_kg_m2" not in fields.values else _inertia(fields)
    if nothing and inertia.any():
        faults.add(f"{fields.at('inertia_kg_m2')}: the body {name!r} has no mass, expected no inertia either")
    if "distal_m" in fields.values and not nothing and not np.any(distal):
        faults.add(f"{fields.at('distal_m')}: the body {name!r} has no length, expected the far end from the joint")
    body = ChainBody(
        name=name,
        parent=parent,
        joint=_joint(fields.mapping("joint"), end_of_parent),
        mass_kg=mass,
        com_b=_vector(fields, "com_m", none),
        inertia_b=inertia,
        distal_b=distal,
        marker_b=_markers(fields, name, distal),
    )
    fields.done()
    return body


def _name(fields: Fields) -> str:
    """A name that can stand in the names of columns and of a model's points."""
    name = fields.text("name")
    if name == GROUND or (name and not _NAME.fullmatch(name)):
        fields.faults.add(f"{fields.at('name')}: expected a letter, then letters, digits and _, found {name!r}")
    return name


def _joint(fields: Fields, end_of_parent: Array) -> Joint:
    name = _name(fields)
    kind = fields.text("type", among=("revolute", "prismatic", *_COMPOUND, "fixed"))
    kinds: tuple[Kind, ...] = ("prismatic" if kind == "prismatic" else "revolute",)
    coordinates: tuple[str, ...] = (name,)
    if kind == "fixed":
        kinds, coordinates, axes = (), (), np.zeros((0, 3))
    elif kind in _COMPOUND:
        slides, turns, example = _COMPOUND[kind]
        letters = _letters(fields, len(turns), example)
        if kind == "planar":  # along the other two, then about the one that is named
            slides = "".join(letter for letter in "xyz" if letter != letters)
        moves: dict[bool, Kind] = {True: "prismatic", False: "revolute"}
        kinds = tuple(moves[i < len(slides)] for i in range(len(slides + letters)))
        steps = slides + letters
        coordinates = tuple(f"{name}_{i}{letter}" for i, letter in enumerate(steps, start=1))
        axes = np.stack([np.eye(3)["xyz".index(letter)] for letter in steps])
    else:
        axis = _vector(fields, "axis", [0.0, 1.0, 0.0])
        length = float(np.linalg.norm(axis))
        if not length > 0:
            fields.faults.add(f"{fields.at('axis')}: a direction is needed, found {axis.tolist()}")
        axes = axis[None] / (length or 1.0)
    at = _vector(fields, "at_m", end_of_parent.tolist())
    rest = np.eye(3)
    for step in fields.entries("rest_turned"):
        if len(step.values) != 1 or not set(step.values) <= {"x_rad", "y_rad", "z_rad"}:
            fields.faults.add(f"{step.path}: expected one axis and its angle, as {{y_rad: pi / 2}}")
            continue
        (word,) = step.values
        rest = rest @ turn_matrix("xyz".index(word[0]), _number(step, word))
    fields.done()
    return Joint(name, kinds, coordinates, axes, at, rest)


def _letters(fields: Fields, count: int, example: str) -> str:
    """The axes that a joint turns about one after the other, no two alike in a row."""
    letters = fields.text("sequence", example)
    if len(letters) != count or not set(letters) <= set("xyz") or any(a == b for a, b in pairwise(letters)):
        many = ("one axis", "two axes", "three axes")[count - 1]
        fields.faults.add(f"{fields.at('sequence')}: expected {many} such as {example}, found {letters!r}")
        return example
    return letters


def _inertia(fields: Fields) -> Array:
    """Three principal moments along the body's axes, or a matrix."""
    key, value = "inertia_kg_m2", fields.raw("inertia_kg_m2")
    if isinstance(value, list) and len(value) == 3 and all(isinstance(row, list) and len(row) == 3 for row in value):
        inertia = np.array([_numbers(fields, f"{key}[{i}]", row) for i, row in enumerate(value)])
    elif isinstance(value, list) and len(value) == 3:
        inertia = np.diag(_numbers(fields, key, value))
    else:
        if value is not None:
            fields.faults.add(f"{fields.at(key)}: expected three principal moments or three rows of three")
        return np.zeros((3, 3))
    fault = inertia_fault(inertia, fields.at(key))
    if fault:
        fields.faults.add(fault)
    return inertia


def _markers(fields: Fields, name: str, distal: Array) -> dict[str, Array]:
    """The markers that the file gives, or three around the body's length."""
    if "markers_m" in fields.values:
        group = fields.mapping("markers_m")
        markers = {label: _vector(group, label) for label in list(group.values)}
    else:
        markers = default_markers(name, distal)
    where = fields.at("markers_m")
    if len(markers) < 3:
        fields.faults.add(f"{where}: expected three markers at least, found {len(markers)}")
        return markers
    first, second, third = list(markers.values())[:3]
    a, b = second - first, third - first
    if np.linalg.norm(np.cross(a, b)) <= _IN_LINE * np.linalg.norm(a) * np.linalg.norm(b):
        fields.faults.add(f"{where}: the first three markers are in line: they do not tell the body's pose")
    return markers


def default_markers(name: str, distal: Array) -> dict[str, Array]:
    """Three markers, m, body axes: at 0.2, 0.8 and 0.5 of the length, each 0.15 of it to another side."""
    length = float(np.linalg.norm(distal))
    if not length > 0:
        return {f"{name.upper()}{i}": _NO_LENGTH_M * np.eye(3)[i - 1] for i in (1, 2, 3)}
    along = distal / length
    side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side /= np.linalg.norm(side)
    other = np.cross(along, side)
    places = 0.2 * along + 0.15 * side, 0.8 * along + 0.15 * other, 0.5 * along - 0.15 * side
    return {f"{name.upper()}{i}": length * place for i, place in enumerate(places, start=1)}


# --- what acts ---------------------------------------------------------------------------------------------


def _drive(fields: Fields, names: Sequence[str], kinds: Sequence[Kind]) -> Drive:
    kind = fields.text("kind", "none", ("none", "torques", "tracked"))
    if kind not in ("torques", "tracked"):
        fields.done()
        return Drive()
    key, units = ("torques", LOAD_UNIT) if kind == "torques" else ("motion", UNIT)
    given = _by_coordinate(fields, key, names)
    courses = tuple(
        _course(given[name], units[which]) if name in given else Course()
        for name, which in zip(names, kinds, strict=True)
    )
    if kind == "torques":
        fields.done()
        return Drive(kind, courses)
    law = fields.text("law", "computed_torque", ("computed_torque", "feedforward_pd"))
    # Computed torque: gains of a unit mass. Feed-forward and PD: stiffness and damping of the joints themselves.
    words = ("kp_per_s2", "kd_per_s") if law == "computed_torque" else ("kp_Nm_per_rad", "kd_Nms_per_rad")
    kp, kd = (_number(fields, word, 0.0, low=0.0) for word in words)
    known = fields.text("loads", "measured", ("measured", "unknown")) != "unknown"
    fields.done()
    return Drive(kind, courses, law, kp, kd, known)


def _friction(top: Fields, names: Sequence[str], kinds: Sequence[Kind]) -> Friction | None:
    if "friction" not in top.values:
        return None
    given = _by_coordinate(top, "friction", names, besides=("smoothing_per_s",))
    viscous, coulomb, static = np.zeros((3, len(names)))
    words = {
        "revolute": ("viscous_Nms_per_rad", "coulomb_Nm", "static_Nm"),
        "prismatic": ("viscous_Ns_per_m", "coulomb_N", "static_N"),
    }
    for i, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if name in given:
            viscous[i], coulomb[i], static[i] = (_number(given[name], word, 0.0, low=0.0) for word in words[kind])
            if 0 < static[i] < coulomb[i]:
                where = given[name].at(words[kind][2])
                top.faults.add(f"{where}: expected at least {words[kind][1]}, {coulomb[i]:g}, found {static[i]:g}")
                static[i] = coulomb[i]
            given[name].done()
    smoothing = _number(top.mapping("friction"), "smoothing_per_s", 0.01, low=0.0)
    return Friction(viscous, coulomb, smoothing, static)


def _push(fields: Fields, bodies: Sequence[str]) -> Push:
    on = fields.text("body")
    if on and on not in bodies:
        fields.faults.add(f"{fields.at('body')}: no body {on!r}{nearest(on, bodies)}")
    force, moment = (_in_axes(fields.mapping(key, {}), unit) for key, unit in (("force", "N"), ("moment", "Nm")))
    turns = fields.text("axes", "laboratory", ("laboratory", "body")) == "body"
    point_b = _vector(fields, "at_m") if "at_m" in fields.values else None
    if point_b is not None and "point" in fields.values:
        fields.faults.add(f"{fields.at('point')}: expected one of `point` (laboratory) and `at_m` (body), found both")
    if point_b is None and "point" not in fields.values:
        fields.faults.add(f"{fields.path}: expected `point` (laboratory) or `at_m` (body), where the load acts")
    point = _in_axes(fields.mapping("point", {}), "m")
    fields.done()
    return Push(list(bodies).index(on) if on in bodies else 0, force, moment, point, point_b, turns)


def _in_axes(fields: Fields, unit: str) -> tuple[Course, ...]:
    """The courses along x, y and z; what is left out is zero."""
    courses = tuple(_course(fields.mapping(axis, {}), unit) for axis in "xyz")
    fields.done()
    return courses


def _course(fields: Fields, unit: str) -> Course:
    sines, pulses = [], []
    for entry in fields.entries("sines"):
        amplitude, frequency_hz = _number(entry, f"amplitude_{unit}"), _number(entry, "frequency_hz", low=0.0)
        sines.append(Sine(amplitude, frequency_hz, _number(entry, "phase_rad", 0.0)))
        entry.done()
    for entry in fields.entries("pulses"):
        pulse = Pulse(_number(entry, f"height_{unit}"), _number(entry, "from_s"), _number(entry, "to_s"))
        if not pulse.to_s > pulse.from_s:
            fields.faults.add(f"{entry.at('to_s')}: expected more than from_s, found {pulse.to_s:g}")
            pulse = Pulse(0.0, 0.0, 1.0)
        pulses.append(pulse)
        entry.done()
    level, slope = _number(fields, f"level_{unit}", 0.0), _number(fields, f"slope_{unit}_per_s", 0.0)
    fields.done()
    return Course(level, slope, tuple(sines), tuple(pulses))


# --- values ------------------------------------------------------------------------------------------------


def _by_coordinate(fields: Fields, key: str, names: Sequence[str], besides: Sequence[str] = ()) -> dict[str, Fields]:
    """What is given for each coordinate; a name that none has is a fault."""
    group = fields.mapping(key, {})
    for name in group.values:
        if name not in names and name not in besides:
            fields.faults.add(
                f"{group.at(name)}: no coordinate {name!r}{nearest(name, names)}, expected {', '.join(names)}"
            )
    return {name: group.mapping(name) for name in names if name in group.values}


def _number(fields: Fields, key: str, default: object = MISSING, low: float = -_HUGE) -> float:
    value = fields.raw(key, default)
    return 0.0 if value is None else _evaluated(fields, key, value, low)


def _numbers(fields: Fields, key: str, values: Sequence[object]) -> list[float]:
    return [_evaluated(fields, f"{key}[{i}]", value) for i, value in enumerate(values)]


def _vector(fields: Fields, key: str, default: object = MISSING) -> Array:
    value = fields.raw(key, default)
    if not isinstance(value, list) or len(value) != 3:
        if value is not None:
            fields.faults.add(f"{fields.at(key)}: expected three numbers, found {value!r}")
        return np.zeros(3)
    numbers = np.array(_numbers(fields, key, value))
    if key.endswith("_m") and (far := float(np.abs(numbers).max())) > _FAR_M:
        fields.faults.add(f"{fields.at(key)}: expected at most {_FAR_M:g} m, found {far:g}")
    return numbers


def _evaluated(fields: Fields, key: str, value: object, low: float = -_HUGE) -> float:
    """A number or a formula of numbers; 0 with a fault where it is neither."""
    number = formula_number(value, fields.at(key), fields.faults, low, _HUGE)
    return 0.0 if number is None else number
