"""A chain written down as a gaitid model with its table, so that `gaitid run --model` can analyse its trial.

Written in the direction opposite to the simulation's: from markers to body axes. The first three markers of a body
make a frame; the body's axes are that frame turned, and every point is given in body axes from the first marker.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gaitid.simulate.chain import GROUND, ChainBody, ChainScenario
from gaitid.simulate.jet import Array

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
