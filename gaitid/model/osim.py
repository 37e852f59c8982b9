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
from gaitid.dynamics.inertia import about_point
from gaitid.errors import ReadError, first_few
from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet
from gaitid.model.segment_table import SegmentParameters, Table
from gaitid.numerics.joint_path import Curve, Fixed, JointPath, Move, broken_line, cubic_spline, polynomial, scaled
from gaitid.numerics.rotation import about_axis
from gaitid.records import NamedTuple
from gaitid.trial import Array

#: The bodies that segments are, after the letter of a side; the last carries those between it and the one before.
BODIES = {"thigh": "femur", "shank": "tibia", "foot": "calcn"}
_LETTERS = {"left": "l", "right": "r"}
_PELVIS = "pelvis"
# A scaled model with muscles and geometry has 0.3 to 1 MB.
_MOST_BYTES = 100_000_000
# More coordinates of one joint tell no markers apart.
_MOST_COORDINATES = 3
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
        self.mass_kg = sum(body.mass_kg for body in self._bodies.values())
        self._segments = {("", _PELVIS): _PELVIS}
        self._segments |= {(side, seg): f"{b}_{_LETTERS[side]}" for side in self.sides for seg, b in BODIES.items()}
        #: (side, segment) to the joint by which it hangs from the segment above.
        self.paths: dict[tuple[str, str], JointPath] = {}
        for side in self.sides:
            self.paths |= {(side, segment): self._path(*self._ends(side, segment)) for segment in BODIES}
        #: (side, segment) to its markers, in its axes, m.
        self.markers: dict[tuple[str, str], dict[str, Array]] = {place: {} for place in self._segments}
        owners = {body: place for place, body in self._segments.items()}
        for marker in root.iter("Marker"):
            body = _last(marker.findtext("socket_parent_frame") or marker.findtext("body"))
            carrier = self._carrier(body)
            down = carrier and self._between(*((body, carrier) if body in self._above(carrier) else (carrier, body)))
            if carrier and not self._free(down):  # toes that bend tell nothing of the foot
                at = self._at(body, carrier)
                self.markers[owners[carrier]][marker.attrib["name"]] = at.p + at.R @ _three(marker, "location")

    # --- where bodies are -------------------------------------------------------------------------------------

    def _carrier(self, body: str) -> str:
        """The segment's body that a body is part of: the foot's for what is between shank and foot, else that above."""
        chain = {b: side for (side, _), b in self._segments.items()}
        for side in self.sides:
            foot = self._segments[side, "foot"]
            if body in self._above(foot) and body not in chain:
                return foot
        return next((b for b in (body, *self._above(body)) if b in chain), "")

    def _above(self, body: str) -> list[str]:
        """The bodies that it hangs from, up to the next segment of a leg or the pelvis, which is the last."""
        found: list[str] = []
        ends = {*self._segments.values()}
        while body in self._joints and (not found or found[-1] not in ends):
            body = self._joints[body].parent
            found.append(body)
        return found

    def _steps(self, body: str, names: Sequence[str]) -> Iterator[Fixed | Move]:
        """From the body that it hangs from to it."""
        joint = self._joints[body]
        yield joint.in_parent
        for turns, axis, name, curve in _motions(joint):
            at = self._coordinates[name].default if name else 0.0
            if name in names:
                yield Move(turns, axis, names.index(name), curve)
            elif amount := float(curve(np.array([at]))[0][0]):
                still = Move(turns, axis, 0, lambda q, amount=amount: (np.full(len(q), amount), 0 * q))  # type: ignore[misc]
                posture = JointPath([still], np.zeros(1), np.zeros(1), np.zeros(1)).at(np.zeros((1, 1)))
                yield Fixed(posture.R[0], posture.p[0])
        yield joint.in_child.inverse

    def _ends(self, side: str, segment: str) -> tuple[str, str]:
        """The bodies of the segment above and of a segment."""
        leg = [_PELVIS, *(self._segments[side, of] for of in BODIES)]
        k = [*BODIES].index(segment)
        return leg[k], leg[k + 1]

    def _between(self, above: str, below: str) -> list[str]:
        """The bodies down from one (itself not) to another; of a body to itself none."""
        bodies: list[str] = []
        while below != above:
            bodies.append(below)
            below = self._joints[below].parent
        return bodies[::-1]

    def _free(self, bodies: Sequence[str]) -> list[str]:
        """The coordinates by which bodies move on those that they hang from."""
        names = [name for body in bodies for _, _, name, _ in _motions(self._joints[body]) if name]
        return [name for name in dict.fromkeys(names) if not self._coordinates[name].locked]

    def _path(self, above: str, below: str) -> JointPath:
        """The joints from one body down to another.

        Raises
        ------
        ReadError
            They have more coordinates than are known here.
        """
        bodies = self._between(above, below)
        names = self._free(bodies)
        if len(names) > _MOST_COORDINATES:
            raise ReadError(
                f"{below} moves on {above} by {len(names)} coordinates",
                expected=f"at most {_MOST_COORDINATES}",
                found=", ".join(names),
                todo="lock those that markers do not tell",
            )
        of = [self._coordinates[name] for name in names]
        steps = [step for body in bodies for step in self._steps(body, names)]
        return JointPath(steps, *(np.array([getattr(c, key) for c in of]) for key in ("default", "low", "high")))

    def _at(self, body: str, carrier: str) -> Fixed:
        """Where a body lies in the axes of the one that carries it, at the default of all coordinates."""
        if carrier in self._above(body) or body == carrier:
            return _default(self._path(carrier, body))
        return _default(self._path(body, carrier)).inverse

    def standing(self, side: str, segment: str) -> Fixed:
        """Where a segment lies in the axes of the pelvis, at the default of all coordinates."""
        if not side:
            return Fixed(np.eye(3), np.zeros(3))
        names = [_PELVIS, *BODIES]
        above = names[names.index(segment) - 1]
        return self.standing("" if above == _PELVIS else side, above).then(_default(self.paths[side, segment]))

    def toes(self, side: str) -> Array | None:
        """(3,) the joint of the toes in the axes of the foot, m; None where there is none."""
        foot = self._segments[side, "foot"]
        below = next((child for child, joint in self._joints.items() if joint.parent == foot), "")
        return self._at(below, foot).p if below else None

    # --- what is taken ----------------------------------------------------------------------------------------

    @property
    def turns_in_a_plane(self) -> bool:
        """Whether its pelvis turns about one axis only: the model of a movement in the sagittal plane."""
        turning = [name for turns, _, name, _ in _motions(self._joints[_PELVIS]) if turns and name]
        return len({name for name in turning if not self._coordinates[name].locked}) == 1

    def in_model(self, model: specs.Model) -> specs.Model:
        """A model that takes its joints and masses from an OpenSim model, with this one's."""
        assert model.pose is not None
        caution = _IN_A_PLANE if self.turns_in_a_plane else model.caution
        return model._replace(pose=model.pose._replace(scaled=self), table=self.table, caution=caution)

    @property
    def joint_words(self) -> str:
        """What the coordinates of its legs are, for records."""
        names = {
            f"{side} {segment}": ", ".join(self._free(self._between(*self._ends(side, segment)))) or "none"
            for side, segment in self.paths
        }
        pelvis = "turns about the axis across the walk only" if self.turns_in_a_plane else "moves freely"
        coordinates = "; ".join(f"{place} by {of}" for place, of in names.items())
        return (
            f"{self.words}: {coordinates}; the pelvis {pelvis}; a joint's centre lies on the axis that it turns about"
        )

    @cached_property
    def marker_set(self) -> MarkerSet:
        """Its markers by name, in clusters by body."""
        clusters = {
            (side, f"{self._segments[side, segment].split('_')[0]}_markers"): tuple((label,) for label in markers)
            for (side, segment), markers in self.markers.items()
        }
        return MarkerSet("opensim", self.words, self.words, self.path, {"left": "L", "right": "R"}, {}, clusters)

    @cached_property
    def table(self) -> Table:
        """Masses of its segments, each with all bodies that are part of it."""
        rows = {}
        for side, segment in self.paths:
            carrier = self._segments[side, segment]
            parts = [(self._bodies[b], self._at(b, carrier)) for b in self._bodies if self._carrier(b) == carrier]
            rows[f"{side}.{segment}"] = _row(_together(parts), self.words)
        return Table("opensim", self.words, self.words, self.path, rows)


def _default(path: JointPath) -> Fixed:
    posture = path.at(path.neutral[None])
    return Fixed(posture.R[0], posture.p[0])


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
    return np.array([float(v) for v in (element.findtext(key) or "").split()])


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
        six = np.array([float(body.findtext(f"inertia_{k}") or 0) for k in ("xx", "yy", "zz", "xy", "xz", "yz")])
    xx, yy, zz, xy, xz, yz = six
    inertia = _TURN @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ _TURN.T
    return _Mass(float(body.findtext("mass") or 0), _three(body, "mass_center"), inertia)


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
    return _Coordinate(float(element.findtext("default_value") or 0), float(low), float(high), says("locked"))


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
    found = {child.tag: child for parent in (element, element.find("function")) for child in parent or ()}
    if (one := found.get("MultiplierFunction")) is not None:
        return scaled(float(one.findtext("scale") or 1), _curve(one, joint))
    if (one := found.get("Constant")) is not None:
        return polynomial((float(one.findtext("value") or 0),))
    for kind in ("LinearFunction", "PolynomialFunction"):
        if (one := found.get(kind)) is not None:
            return polynomial(_numbers(one, "coefficients").tolist())
    for kind in ("SimmSpline", "NaturalCubicSpline", "PiecewiseLinearFunction"):
        if (one := found.get(kind)) is not None:
            return (broken_line if kind[0] == "P" else cubic_spline)(_numbers(one, "x"), _numbers(one, "y"))
    raise ReadError(
        f"a function of the joint {joint} is not known", found=", ".join(sorted(found.keys() - {"axis", "coordinates"}))
    )
