"""A scaled OpenSim model (``.osim``): its XML -> markers, joints and masses of pelvis and legs, in gaitid's axes.

Delp SL et al. (2007) IEEE Trans Biomed Eng 54:1940-1950; Seth A et al. (2018) PLoS Comput Biol 14:e1006223. Joints
stand in their child bodies (before version 4) or in a set of their own with frames (4). What moves no leg is passed
over: muscles, geometry, trunk and arms. OpenSim's axes, X forward, Y up and Z to the right, are turned at this door.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from gaitid.disk.regular import file_size
from gaitid.dynamics.joint_tree import about_point
from gaitid.errors import ReadError, first_few
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet
from gaitid.model.segment_table import SegmentParameters, Table
from gaitid.numerics.joint_path import (
    COORDINATES,
    Curve,
    Fixed,
    JointPath,
    Move,
    broken_line,
    cubic_spline,
    polynomial,
    scaled,
)
from gaitid.numerics.rotation import about_axis
from gaitid.records import NamedTuple
from gaitid.trial import Array

#: The bodies that segments are, after the letter of a side; the last carries those between it and the one before.
BODIES = {"thigh": "femur", "shank": "tibia", "foot": "calcn"}
_LETTERS = {"left": "l", "right": "r"}
_PELVIS = "pelvis"
# A scaled model with muscles and geometry has 0.3 to 1 MB.
_MOST_BYTES = 100_000_000
# Rows are gaitid's axes, x forward, y to the left and z up, in OpenSim's.
_TURN = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
_X, _Y, _Z = _TURN.T
_TURNS, _SHIFTS = (True, False)
_IN_A_PLANE = (
    "the OpenSim model moves in the sagittal plane only: its angles in other planes are 0 by its joints, not measured"
)
# Types of joints but CustomJoint: for each coordinate whether it turns, and its axis.
_JOINTS: Mapping[str, Sequence[tuple[bool, Array]]] = {
    "WeldJoint": (),
    "PinJoint": ((_TURNS, _Z),),
    "SliderJoint": ((_SHIFTS, _X),),
    "UniversalJoint": ((_TURNS, _X), (_TURNS, _Y)),
    "BallJoint": ((_TURNS, _X), (_TURNS, _Y), (_TURNS, _Z)),
    "GimbalJoint": ((_TURNS, _X), (_TURNS, _Y), (_TURNS, _Z)),
    "FreeJoint": ((_TURNS, _X), (_TURNS, _Y), (_TURNS, _Z), (_SHIFTS, _X), (_SHIFTS, _Y), (_SHIFTS, _Z)),
    "PlanarJoint": ((_TURNS, _Z), (_SHIFTS, _X), (_SHIFTS, _Y)),
}


class _Coordinate(NamedTuple):
    """Its default value, and the range that it is held in; a locked one has no other value."""

    default: float
    low: float
    high: float
    locked: bool


class _Joint(NamedTuple):
    """A joint as it stands in the file."""

    name: str
    element: ElementTree.Element
    parent: str
    in_parent: Fixed
    in_child: Fixed


class _Mass(NamedTuple):
    """kg; m and kg·m², about the centre of mass."""

    mass_kg: float
    com_m: Array
    inertia_kg_m2: Array


class ScaledModel:
    """The legs of an OpenSim model.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    words : str
        What it is, for records.
    sides : tuple of str
        Those whose leg it has.
    mass_kg : float
        Of all its bodies.
    turns_in_a_plane : bool
        Whether its pelvis turns about one axis only: the model of a movement in the sagittal plane.

    Raises
    ------
    ReadError
        No OpenSim model, or one without a pelvis and a leg, or with what is not known here.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        file_size(path, _MOST_BYTES, "regular")
        try:
            root = ElementTree.parse(path).getroot()
            model = root.find("Model")
            if root.tag != "OpenSimDocument" or model is None:
                raise ReadError("not an OpenSim model", expected="OpenSimDocument with a Model", found=f"<{root.tag}>")
            self._read(root)
        except (ElementTree.ParseError, ValueError, KeyError) as error:
            raise ReadError(
                f"not an OpenSim model that can be read ({error})", todo="save it again in OpenSim"
            ) from None
        version = root.attrib.get("Version", "unknown")
        self.words = f"scaled OpenSim model {path.name} ({model.attrib.get('name', '')}, version {version})"

    def _read(self, root: ElementTree.Element) -> None:
        unit = (root.findtext("Model/length_units") or "meters").strip()
        if unit not in ("meters", "m"):
            raise ReadError(f"its lengths are in {unit}", expected="meters", todo="save it again in OpenSim")
        bodies = [body for body in root.iter("Body") if body.find("mass") is not None]
        self._bodies = {body.attrib["name"]: _mass(body) for body in bodies}
        self._joints = dict([*_newer(root), *(of for body in bodies for of in _older(body))])
        self._coordinates = {c.attrib["name"]: _coordinate(c) for c in root.iter("Coordinate")}
        legs = {side: [f"{body}_{s}" for body in BODIES.values()] for side, s in _LETTERS.items()}
        self.sides = tuple(side for side, leg in legs.items() if {_PELVIS, *leg} <= self._bodies.keys())
        if not self.sides:
            raise ReadError(
                "no pelvis with a leg among its bodies",
                expected=f"{_PELVIS}, and {', '.join(f'{body}_r' for body in BODIES.values())} or those of the left",
                found=first_few([*self._bodies] or ["none"], 8),
                todo="give the scaled model of a person, with the bodies' names of OpenSim's gait models",
            )
        root_joint = self._joints.get(_PELVIS)
        turning = {name for turns, _, name, _ in _motions(root_joint) if turns and name} if root_joint else set()
        self.turns_in_a_plane = len({name for name in turning if not self._coordinates[name].locked}) == 1
        self.mass_kg = sum(body.mass_kg for body in self._bodies.values())
        #: Body to the segment that it is.
        self._places = {_PELVIS: ("", _PELVIS)}
        #: (side, segment) to the joint by which it hangs from the segment above, and the coordinates of that.
        self.paths: dict[tuple[str, str], JointPath] = {}
        self.coordinates: dict[tuple[str, str], list[str]] = {}
        for side in self.sides:
            for above, below, segment in zip((_PELVIS, *legs[side]), legs[side], BODIES):
                self._places[below] = place = side, segment
                hanging = self._between(above, below)
                self.coordinates[place] = names = self._free(hanging)
                self.paths[place] = self._path(hanging, names)
        #: (side, segment) to its markers, in its axes, m.
        self.markers: dict[tuple[str, str], dict[str, Array]] = {place: {} for place in self._places.values()}
        for marker in root.iter("Marker"):
            body = _last(marker.findtext("socket_parent_frame") or marker.findtext("body"))
            carrier = self._carrier(body)
            # toes that bend tell nothing of the foot
            if carrier in self._up(body) and not self._free(self._between(carrier, body)):
                at = self._at(body, carrier)
                self.markers[self._places[carrier]][marker.attrib["name"]] = at.p + at.R @ _three(marker, "location")

    # --- where bodies are -------------------------------------------------------------------------------------

    def _up(self, body: str) -> list[str]:
        """A body and those that it hangs from, up to the pelvis or the ground."""
        result = [body]
        while result[-1] != _PELVIS and result[-1] in self._joints:
            if (parent := self._joints[result[-1]].parent) in result:
                raise ValueError(f"{parent} hangs from itself")
            result.append(parent)
        return result

    def _between(self, above: str, below: str) -> list[str]:
        """The bodies down from one (itself not) to another; of a body to itself none."""
        up = self._up(below)
        return up[: up.index(above)][::-1]

    def _carrier(self, body: str) -> str:
        """The segment's body that a body is part of: the foot's for what is between shank and foot, else that above."""
        for shank, foot in ((f"{BODIES['shank']}_{s}", f"{BODIES['foot']}_{s}") for s in _LETTERS.values()):
            if foot in self._places and body in self._between(shank, foot):
                return foot
        return next((b for b in self._up(body) if b in self._places), "")

    def _free(self, bodies: Sequence[str]) -> list[str]:
        """The coordinates by which bodies move on those that they hang from."""
        names = [name for body in bodies for _, _, name, _ in _motions(self._joints[body]) if name]
        return [name for name in dict.fromkeys(names) if not self._coordinates[name].locked]

    def _path(self, bodies: Sequence[str], names: Sequence[str]) -> JointPath:
        """The joints of bodies that hang from each other; coordinates that are not named keep their default.

        Raises
        ------
        ReadError
            More coordinates than are known here.
        """
        if len(names) > COORDINATES:
            raise ReadError(
                f"{bodies[-1]} moves by {len(names)} coordinates on the segment above",
                expected=f"at most {COORDINATES}",
                found=", ".join(names),
                todo="lock those that markers do not tell",
            )
        steps: list[Fixed | Move] = []
        for body in bodies:
            joint = self._joints[body]
            steps.append(joint.in_parent)
            for turns, axis, name, curve in _motions(joint):
                if name not in names:
                    at = self._coordinates[name].default if name else 0.0
                    curve = polynomial(curve(np.array([at]))[0].tolist())
                steps.append(Move(turns, axis, names.index(name) if name in names else 0, curve))
            steps.append(joint.in_child.inverse)
        return JointPath(steps, [self._coordinates[name][:3] for name in names])

    def _at(self, body: str, carrier: str = _PELVIS) -> Fixed:
        """Where a body lies in the axes of another, at the default of all coordinates."""
        if carrier != _PELVIS:
            return self._at(carrier).inverse.then(self._at(body))
        path = self._path(self._between(_PELVIS, body), ())
        posture = path.at(path.neutral[None])
        return Fixed(posture.R[0], posture.p[0])

    def poses(self) -> Iterator[tuple[tuple[str, str], Fixed]]:
        """(side, segment) of all segments, and of toes, and where they lie in the axes of the pelvis."""
        for body, (side, segment) in self._places.items():
            yield (side, segment), self._at(body)
            toes = next((child for child, joint in self._joints.items() if joint.parent == body), "")
            if segment == "foot" and toes:
                yield (side, "toes"), self._at(toes)

    # --- what is taken ----------------------------------------------------------------------------------------

    def in_model(self, model: specs.Model) -> specs.Model:
        """A model that takes its joints and masses from an OpenSim model, with this one's."""
        assert model.pose is not None
        caution = _IN_A_PLANE if self.turns_in_a_plane else model.caution
        return model._replace(pose=model.pose._replace(scaled=self), table=self.table, caution=caution)

    @property
    def joint_words(self) -> str:
        """What the coordinates of its legs are, for records."""
        pelvis = "turns about the axis across the walk only" if self.turns_in_a_plane else "moves freely"
        coordinates = "; ".join(f"{' '.join(at)} by {', '.join(of) or 'none'}" for at, of in self.coordinates.items())
        return (
            f"{self.words}: {coordinates}; the pelvis {pelvis}; a joint's centre lies on the axis that it turns about"
        )

    @cached_property
    def marker_set(self) -> MarkerSet:
        """Its markers by name, in clusters by body."""
        clusters = {
            (place[0], f"{body.split('_')[0]}_markers"): tuple((label,) for label in self.markers[place])
            for body, place in self._places.items()
        }
        return MarkerSet("opensim", self.words, self.words, self.path, {"left": "L", "right": "R"}, {}, clusters)

    @cached_property
    def table(self) -> Table:
        """Masses of its segments, each with all bodies that are part of it."""
        rows = {}
        for carrier, (side, segment) in self._places.items():
            bodies = [b for b in self._bodies if side and self._carrier(b) == carrier]
            if bodies:
                row = _together([(self._bodies[b], self._at(b, carrier)) for b in bodies])
                rows[f"{side}.{segment}"] = _row(row, self.words)
        return Table("opensim", self.words, self.words, self.path, rows)


def _together(parts: Sequence[tuple[_Mass, Fixed]]) -> _Mass:
    """Several bodies as one, each with where it lies in the axes of the whole."""
    mass = sum(body.mass_kg for body, _ in parts)
    centres = [at.R @ body.com_m + at.p for body, at in parts]
    weighed = [body.mass_kg * centre for (body, _), centre in zip(parts, centres, strict=True)]
    com = np.sum(weighed, axis=0) / mass if mass > 0 else centres[0]
    moments = [
        about_point(at.R @ body.inertia_kg_m2 @ at.R.T, body.mass_kg, centre - com)
        for (body, at), centre in zip(parts, centres, strict=True)
    ]
    return _Mass(mass, com, np.sum(moments, axis=0))


def _row(body: _Mass, source: str) -> SegmentParameters:
    x, y, z = (float(v) for v in body.com_m)
    inertia = tuple(tuple(float(v) for v in row) for row in body.inertia_kg_m2)
    return SegmentParameters(None, body.mass_kg, float("nan"), None, inertia, source, com_m=(x, y, z))


# --- XML --------------------------------------------------------------------------------------------------------------


def _numbers(element: ElementTree.Element, key: str) -> Array:
    values = np.array([float(v) for v in (element.findtext(key) or "").split()])
    if not np.isfinite(values).all():
        raise ValueError(f"{key}: expected finite numbers")
    return values


def _number(element: ElementTree.Element, key: str, otherwise: float = 0.0) -> float:
    values = _numbers(element, key)
    return float(values[0]) if values.size else otherwise


def _three(element: ElementTree.Element, key: str) -> Array:
    """A vector in gaitid's axes; 0 where there is none."""
    v = _numbers(element, key)
    return _TURN @ (v if v.size else np.zeros(3))


def _last(name: str | None) -> str:
    """The last part of the path of a component."""
    return (name or "").strip().rsplit("/", 1)[-1]


def _mass(body: ElementTree.Element) -> _Mass:
    """A body; its inertia is one element in version 4, and six before."""
    six = _numbers(body, "inertia")
    if not six.size:
        six = np.array([_number(body, f"inertia_{k}") for k in ("xx", "yy", "zz", "xy", "xz", "yz")])
    xx, yy, zz, xy, xz, yz = six
    inertia = _TURN @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ _TURN.T
    return _Mass(_number(body, "mass"), _three(body, "mass_center"), inertia)


def _frame(element: ElementTree.Element, translation: str, orientation: str) -> Fixed:
    """A frame by its origin and its turns about its own X, Y and Z."""
    angles = _numbers(element, orientation)
    x, y, z = angles if angles.size else np.zeros(3)
    R = about_axis("x", x) @ about_axis("y", y) @ about_axis("z", z)
    return Fixed(_TURN @ R @ _TURN.T, _three(element, translation))


def _newer(root: ElementTree.Element) -> Iterator[tuple[str, _Joint]]:
    """Version 4: child body and joint, between frames that lie in the bodies."""
    for joint in (e for e in root.iter() if e.find("socket_parent_frame") is not None and e.tag.endswith("Joint")):
        frames = {
            f.attrib["name"]: (_last(f.findtext("socket_parent")), _frame(f, "translation", "orientation"))
            for f in joint.iter("PhysicalOffsetFrame")
        }
        names = [_last(joint.findtext(f"socket_{end}_frame")) for end in ("parent", "child")]
        (parent, in_parent), (child, in_child) = (
            frames.get(name, (name, Fixed(np.eye(3), np.zeros(3)))) for name in names
        )
        yield child, _Joint(joint.attrib["name"], joint, parent, in_parent, in_child)


def _older(body: ElementTree.Element) -> Iterator[tuple[str, _Joint]]:
    """Versions before: a joint stands in its child."""
    for joint in body.findall("Joint/*"):
        in_parent = _frame(joint, "location_in_parent", "orientation_in_parent")
        in_child, parent = _frame(joint, "location", "orientation"), _last(joint.findtext("parent_body"))
        yield body.attrib["name"], _Joint(joint.attrib["name"], joint, parent, in_parent, in_child)


def _coordinate(element: ElementTree.Element) -> _Coordinate:
    def says(key: str) -> bool:
        return (element.findtext(key) or "").strip().lower() == "true"

    low, high = _numbers(element, "range") if says("clamped") else (-np.inf, np.inf)
    return _Coordinate(_number(element, "default_value"), float(low), float(high), says("locked"))


def _motions(joint: _Joint) -> list[tuple[bool, Array, str, Curve]]:
    """Each motion of a joint in its order, from parent to child: whether it turns, axis, coordinate and function.

    Raises
    ------
    ReadError
        A type of joint that is not known.
    """
    element = joint.element
    if (element.findtext("reverse") or "").strip() == "true":
        raise ReadError(f"the joint {joint.name} is reversed", todo="save the model in OpenSim 4")
    if element.tag == "CustomJoint":
        axes = [*element.iter("TransformAxis")]
        # shifts are along axes of the parent: they go before the turns
        return [
            (turns, _three(axis, "axis"), (axis.findtext("coordinates") or "").strip(), _curve(axis, joint.name))
            for turns, some in ((_SHIFTS, axes[3:]), (_TURNS, axes[:3]))
            for axis in some
        ]
    if element.tag not in _JOINTS:
        raise ReadError(f"the joint {joint.name} is a {element.tag}", expected=", ".join(("CustomJoint", *_JOINTS)))
    names = [c.attrib["name"] for c in element.iter("Coordinate")]
    return [(turns, axis, name, polynomial((1.0, 0.0))) for (turns, axis), name in zip(_JOINTS[element.tag], names)]


def _curve(element: ElementTree.Element, joint: str) -> Curve:
    """The function in an element; before version 4 under `function`."""
    result = {child.tag: child for parent in (element, element.find("function")) for child in parent or ()}
    if (one := result.get("MultiplierFunction")) is not None:
        return scaled(_number(one, "scale", 1.0), _curve(one, joint))
    if (one := result.get("Constant")) is not None:
        return polynomial((_number(one, "value"),))
    for kind in ("LinearFunction", "PolynomialFunction"):
        if (one := result.get(kind)) is not None:
            return polynomial(_numbers(one, "coefficients").tolist())
    for kind in ("SimmSpline", "NaturalCubicSpline", "PiecewiseLinearFunction"):
        if (one := result.get(kind)) is not None:
            x, y = _numbers(one, "x"), _numbers(one, "y")
            if len(x) < 2 or len(x) != len(y) or not (np.diff(x) > 0).all():
                raise ValueError(f"the points of a function of the joint {joint} do not follow each other")
            return (broken_line if kind[0] == "P" else cubic_spline)(x, y)
    raise ReadError(
        f"a function of the joint {joint} is not known",
        found=", ".join(sorted(result.keys() - {"axis", "coordinates"})),
    )
