"""A scaled OpenSim model (.osim, of version 3 or 4): its bodies, and where they are for given coordinates.

What is read is what `opensim_terms.py` needs: masses, joints and the functions of their coordinates. Muscles, geometry
and constraints are passed over.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.signal import butter, filtfilt

from gaitid.dynamics.joint_tree import about_point
from gaitid.numerics.joint_path import cubic_spline
from gaitid.numerics.rotation import about_axis
from gaitid.trial import Array


@dataclass(frozen=True)
class Body:
    """Mass, kg, centre of mass, m, and inertia about it, kg·m², in the body's axes."""

    mass: float
    centre: Array
    inertia: Array


@dataclass(frozen=True)
class Place:
    """Where frames lie: rotations (..., 3, 3), whose columns are their axes, and origins (..., 3), m."""

    R: Array
    p: Array

    def __matmul__(self, other: Place) -> Place:
        return Place(self.R @ other.R, self.p + np.einsum("...ij,...j->...i", self.R, other.p))

    @property
    def inverse(self) -> Place:
        Rt = np.swapaxes(self.R, -1, -2)
        return Place(Rt, -np.einsum("...ij,...j->...i", Rt, self.p))


@dataclass(frozen=True)
class Motion:
    """One of the six motions of a joint: turned about an axis (the first three) or moved along it, by a function."""

    axis: Array
    coordinate: str
    function: Callable[[Array], Array]


@dataclass(frozen=True)
class Joint:
    """A joint: the frames of it in the parent and in the child, and its motions, turns first."""

    name: str
    parent: str
    child: str
    in_parent: Place
    in_child: Place
    motions: tuple[Motion, ...]

    def moved(self, values: Mapping[str, Array]) -> Place:
        """The child's frame of the joint in the parent's, for values of the coordinates."""
        count = len(next(iter(values.values())))
        R, p = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
        for i, motion in enumerate(self.motions):
            amount = motion.function(values.get(motion.coordinate, np.zeros(count)))
            if i < 3:
                R = R @ about(motion.axis, amount)
            else:
                p = p + amount[:, None] * motion.axis
        return Place(R, p)


def about(axis: Array, angle: Array) -> Array:
    """(n, 3, 3) turns about one axis (Rodrigues 1840)."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + s * K + (1 - c) * K @ K)


class OsimModel:
    """Bodies and joints of a model, by name."""

    def __init__(self, path: Path) -> None:
        self.root = ElementTree.parse(path).getroot()
        self.gravity = float(np.linalg.norm(_three(self.root, ".//gravity")))
        bodies = [body for body in self.root.iter("Body") if body.findtext("mass") is not None]
        self.bodies = {body.attrib["name"]: read_body(body) for body in bodies}
        newer = [j for j in self.root.iter() if j.tag.endswith("Joint") and j.find("socket_parent_frame") is not None]
        older = [(b, j) for b in bodies for j in b.findall("Joint/*")]
        joints = [_newer(j) for j in newer] or [_older(body.attrib["name"], j) for body, j in older]
        self.joints = {joint.child: joint for joint in joints}

    @property
    def mass(self) -> float:
        return sum(body.mass for body in self.bodies.values())

    def places(self, values: Mapping[str, Array], *names: str) -> dict[str, Place]:
        """Where these bodies are in the ground."""
        count = len(next(iter(values.values())))
        found = {"ground": Place(np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3)))}

        def place(name: str) -> Place:
            if name not in found:
                joint = self.joints[name]
                found[name] = place(joint.parent) @ joint.in_parent @ joint.moved(values) @ joint.in_child.inverse
            return found[name]

        return {name: place(name) for name in names}


def together(parts: Sequence[tuple[Body, Place]]) -> Body:
    """Several bodies as one, each with where it lies in the axes of the whole."""
    mass = sum(body.mass for body, _ in parts)
    centres = [at.R @ body.centre + at.p for body, at in parts]
    centre = sum(body.mass * c for (body, _), c in zip(parts, centres, strict=True)) / mass
    inertia = sum(
        about_point(at.R @ body.inertia @ at.R.T, body.mass, c - centre)
        for (body, at), c in zip(parts, centres, strict=True)
    )
    return Body(mass, np.asarray(centre), np.asarray(inertia))


# --- reading ----------------------------------------------------------------------------------------------------------


def _three(element: ElementTree.Element, key: str) -> Array:
    return np.array([float(v) for v in (element.findtext(key) or "0 0 0").split()])


def read_body(element: ElementTree.Element) -> Body:
    """A `Body` element; the inertia has another form in version 3."""
    if element.find("inertia") is not None:
        xx, yy, zz, xy, xz, yz = (float(v) for v in (element.findtext("inertia") or "").split())
    else:
        xx, yy, zz, xy, xz, yz = (
            float(element.findtext(f"inertia_{k}") or 0) for k in ("xx", "yy", "zz", "xy", "xz", "yz")
        )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Body(float(element.findtext("mass") or 0), _three(element, "mass_center"), inertia)


def _fixed(translation: Array, orientation: Array) -> Place:
    """A frame by its origin and its turns about its own x, y and z."""
    x, y, z = orientation
    return Place(about_axis("x", x) @ about_axis("y", y) @ about_axis("z", z), translation)


def _newer(joint: ElementTree.Element) -> Joint:
    frames = {
        f.attrib["name"]: (
            (f.findtext("socket_parent") or "").rsplit("/", 1)[-1],
            _fixed(_three(f, "translation"), _three(f, "orientation")),
        )
        for f in joint.iter("PhysicalOffsetFrame")
    }

    def frame(key: str) -> tuple[str, Place]:
        name = (joint.findtext(key) or "").rsplit("/", 1)[-1]
        return frames.get(name, (name, _fixed(np.zeros(3), np.zeros(3))))

    (parent, in_parent), (child, in_child) = frame("socket_parent_frame"), frame("socket_child_frame")
    return Joint(joint.attrib["name"], parent, child, in_parent, in_child, _motions(joint))


def _older(child: str, joint: ElementTree.Element) -> Joint:
    in_parent = _fixed(_three(joint, "location_in_parent"), _three(joint, "orientation_in_parent"))
    in_child = _fixed(_three(joint, "location"), _three(joint, "orientation"))
    parent = (joint.findtext("parent_body") or "").strip()
    return Joint(joint.attrib["name"], parent, child, in_parent, in_child, _motions(joint))


def _motions(joint: ElementTree.Element) -> tuple[Motion, ...]:
    coordinates = [c.attrib["name"] for c in joint.iter("Coordinate")]
    if joint.tag == "CustomJoint":
        return tuple(
            Motion(_three(axis, "axis"), (axis.findtext("coordinates") or "").strip(), _function(axis))
            for axis in joint.iter("TransformAxis")
        )
    axes = {"PinJoint": "z", "UniversalJoint": "xy", "WeldJoint": ""}[joint.tag]
    return tuple(Motion(np.eye(3)["xyz".index(a)], c, lambda q: q) for a, c in zip(axes, coordinates, strict=True))


def _function(element: ElementTree.Element) -> Callable[[Array], Array]:
    """The function in an element; in version 3 under `function`."""
    kinds = ("LinearFunction", "Constant", "SimmSpline", "NaturalCubicSpline", "MultiplierFunction")
    found = next(
        (
            child
            for kind in kinds
            for child in (element.find(kind), element.find(f"function/{kind}"))
            if child is not None
        ),
        None,
    )
    if found is None:
        raise ValueError(f"{element.attrib.get('name')}: no function that is known among {', '.join(kinds)}")
    if found.tag == "LinearFunction":
        slope, start = (float(v) for v in (found.findtext("coefficients") or "").split())
        return lambda q: slope * q + start
    if found.tag == "Constant":
        value = float(found.findtext("value") or 0)
        return lambda q: np.full(len(q), value)
    if found.tag == "MultiplierFunction":
        scale, inner = float(found.findtext("scale") or 1), _function(found)
        return lambda q: scale * inner(q)
    x, y = (np.array([float(v) for v in (found.findtext(k) or "").split()]) for k in "xy")
    spline = cubic_spline(x, y)
    return lambda q: spline(q)[0]


# --- storage files ----------------------------------------------------------------------------------------------------


def storage(path: Path) -> dict[str, Array]:
    """The columns of a storage file, angles of coordinates in rad."""
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip() == "endheader") + 1
    degrees = any(line.replace(" ", "") == "inDegrees=yes" for line in lines[:start])
    rows = [line.split() for line in lines[start:] if line.strip()]
    columns = dict(zip(rows[0], np.array(rows[1:], dtype=float).T, strict=True))
    if degrees:
        lengths = ("time", "_tx", "_ty", "_tz")
        columns = {k: v if k.endswith(lengths) else np.radians(v) for k, v in columns.items()}
    return columns


def storage_text(columns: dict[str, Array]) -> str:
    """A storage file of such columns, angles in rad."""
    head = f"Coordinates\nversion=1\nnRows={len(columns['time'])}\nnColumns={len(columns)}\ninDegrees=no\nendheader\n"
    rows = ("\t".join(f"{value:.12g}" for value in row) for row in zip(*columns.values(), strict=True))
    return head + "\n".join(["\t".join(columns), *rows]) + "\n"


def low_passed(values: Array, rate_hz: float, cutoff_hz: float) -> Array:
    """As OpenSim filters coordinates: third-order Butterworth, there and back, on a signal continued at both ends."""
    b, a = butter(3, cutoff_hz / (rate_hz / 2))
    return np.asarray(filtfilt(b, a, values, padtype="odd", padlen=len(values) // 2))
