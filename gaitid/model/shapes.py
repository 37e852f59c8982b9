"""Points, vectors and frames of a model: each kind with the form that it has in YAML, from which it is read.

A kind is declared once: a named tuple of names of points and frames, formulas and other definitions, and before it its
form. Parser and schema follow from the form, and which names a definition uses from its fields (`uses`).
`gaitid.body.frames` computes it, and mypy tells where it does not know a kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, get_args

from gaitid.errors import GaitidError
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Faults, Fields
from gaitid.records import NamedTuple

AXES = "xyz"
#: Kind (point, frame or number) and name of something that a definition uses.
Use = tuple[str, str]
T = TypeVar("T")


class PointName(str):
    """The name of a point or a marker."""


class FrameName(str):
    """The name of a frame."""


# How each kind is written: the key that tells it, its YAML (what its keys hold: `_READERS`), words for the schema.
_FORMS: dict[type, tuple[str, str, str]] = {}


def form(yaml: str, words: str = "", key: str = "") -> Callable[[type[T]], type[T]]:
    """Declare a kind whose fields are, in order, what the keys of its YAML hold; by default the first key tells it."""

    def declare(kind: type[T]) -> type[T]:
        _FORMS[kind] = key or yaml.lstrip("{").partition(":")[0], yaml, words
        return kind

    return declare


# --- vectors: directions in the laboratory -----------------------------------------------------------------


@form("{from: POINT, to: POINT, times: FORMULA?}")
class FromTo(NamedTuple):
    """From one point to another, times a factor."""

    start: PointRef
    end: PointRef
    times: Expression | None = None

    @property
    def words(self) -> str:
        start, end = (ref if isinstance(ref, str) else "a constructed point" for ref in (self.start, self.end))
        return _with_factor(f"from {start} to {end}", self.times)


@form("{axis: FRAME.AXIS, times: FORMULA?}")
class FrameAxis(NamedTuple):
    """An axis of a frame, as ``shank.y``, times a factor."""

    frame: FrameName
    axis: str
    times: Expression | None = None

    @property
    def words(self) -> str:
        return _with_factor(f"along {self.frame}.{self.axis}", self.times)


@form("{cross: [VECTOR, VECTOR]}")
class CrossOf(NamedTuple):
    """The cross product of two vectors."""

    first: Vector
    second: Vector

    @property
    def words(self) -> str:
        return f"({self.first.words}) × ({self.second.words})"


@form("{laboratory: AXIS, times: FORMULA?}", "a fixed axis of the laboratory")
class LaboratoryAxis(NamedTuple):
    """A fixed axis of the laboratory, times a factor: what a planar model knows its plane by."""

    axis: str
    times: Expression | None = None

    @property
    def words(self) -> str:
        return _with_factor(f"along {self.axis} of the laboratory", self.times)


def _with_factor(words: str, times: Expression | None) -> str:
    return words if times is None else f"{words} times {times.text}"


Vector = FromTo | FrameAxis | CrossOf | LaboratoryAxis

# --- points ------------------------------------------------------------------------------------------------


@form("mean: [POINT, ...]", "the middle of several")
class Mean(NamedTuple):
    """The middle of several points."""

    of: tuple[PointRef, ...]


@form("first_of: [POINT, ...]", "the first whose markers the trial holds")
class FirstOf(NamedTuple):
    """The first point whose markers the trial holds."""

    options: tuple[PointRef, ...]


@form("in_frame: FRAME, offset: [FORMULA x 3], from: POINT?", "fixed in a frame")
class InFrame(NamedTuple):
    """A point given by its offset along a frame's axes, m, from the frame's origin or from another point."""

    frame: FrameName
    offset: tuple[Expression, Expression, Expression]
    start: PointRef | None = None


@form(
    "chord: {proximal: POINT, wand: POINT, lateral: POINT, radius: FORMULA, dihedral: FORMULA}",
    "joint centre at `radius` from a lateral marker (Plug-in Gait)",
)
class Chord(NamedTuple):
    """The joint centre at a given distance from a lateral marker, square to it, at a given dihedral angle.

    |centre − lateral| = radius, (lateral − centre) ⟂ (proximal − centre), and the wand lies at `dihedral` from
    the plane (proximal, centre, lateral), about proximal − centre.
    """

    proximal: PointRef
    wand: PointRef
    lateral: PointRef
    radius: Expression
    dihedral: Expression


@form("turn: {point: POINT, about: POINT, axis: VECTOR, angle: FORMULA}")
class TurnPoint(NamedTuple):
    """A point turned about an axis through another point, rad."""

    point: PointRef
    about: PointRef
    axis: Vector
    angle: Expression


@form("between: [POINT, POINT], fraction: FORMULA")
class Between(NamedTuple):
    """On the line from one point to another, at a fraction of its length."""

    start: PointRef
    end: PointRef
    fraction: Expression


@form("along: VECTOR, from: POINT, distance: FORMULA")
class Along(NamedTuple):
    """At a distance, m, from a point along a unit vector."""

    axis: Vector
    start: PointRef
    distance: Expression


@form(
    "level: {point: POINT, with: POINT, plus: FORMULA, when: foot_flat?}",
    "moved along the vertical to the height of another",
)
class Level(NamedTuple):
    """A point moved along the vertical to the height of another (plus a height, m), where a static option says so."""

    point: PointRef
    height_of: PointRef
    plus: Expression
    when: str | None


@form("carried: NAME, by: FRAME", "fixed in a frame where the static shows it")
class CarriedPoint(NamedTuple):
    """A point measured in the static and carried by a frame: its mean position there (CAST; Cappozzo 1995).

    In the static itself it is the point.
    """

    point: PointName
    by: FrameName


@form(
    "corner: {of: [POINT, POINT, POINT], times: FORMULA?}",
    "where three equal arms meet at right angles, from their tips (a knee alignment device)",
)
class Corner(NamedTuple):
    """Where three equal arms that are square to each other meet, from their tips: a knee alignment device's centre.

    It lies behind the plane of the tips, seen from where they run anticlockwise in their order; with a negative
    factor before it.
    """

    tips: tuple[PointRef, PointRef, PointRef]
    times: Expression | None = None


Point = Mean | FirstOf | InFrame | Chord | TurnPoint | Between | Along | Level | Corner | CarriedPoint
PointRef = PointName | Point

# --- frames ------------------------------------------------------------------------------------------------


@form(
    "{origin: POINT, keep: {AXIS: VECTOR}, toward: {AXIS: VECTOR}}",
    "one axis along a vector, another as near as can be to a second",
    key="keep",
)
class AxesFrame(NamedTuple):
    """An origin, one axis along a vector, another as near as can be to a second vector."""

    origin: PointRef
    keep: str
    keep_vector: Vector
    toward: str
    toward_vector: Vector


@form("{turn: FRAME, by: [{AXIS: FORMULA}, ...]}", "turned about its own axes, one after the other")
class TurnedFrame(NamedTuple):
    """A frame turned about its own axes, one after the other, rad."""

    frame: FrameName
    by: tuple[tuple[str, Expression], ...]


@form("{carried: FRAME, by: FRAME}", "fixed in another frame as the static shows it")
class CarriedFrame(NamedTuple):
    """A frame measured in the static and carried by another: its mean pose there; in the static itself the frame."""

    frame: FrameName
    by: FrameName


@form("{rigid: [NAME, ...], with: [NAME, ...]?, as: FRAME}", "moves with three or more points as one body")
class RigidFrame(NamedTuple):
    """A frame that moves with points as one rigid body; in the static it is the frame `reference`.

    By least squares from the points' mean places in the static (Söderkvist & Wedin 1993); any may be missing while
    three are left. Those of `reserve` are taken, one after the other, while fewer than three that are not in line are
    seen in both trials.
    """

    points: tuple[PointName, ...]
    reserve: tuple[PointName, ...]
    reference: FrameName


@form("{pose: NAME_OF_POSE}", "as the file stores a segment's pose")
class StoredFrame(NamedTuple):
    """A frame as the file stores a segment's pose, by its origin and a point on each of its axes.

    The rotation is the one nearest to the three directions (they are square to each other until they are filtered).
    """

    origin: PointName
    x: PointName
    y: PointName
    z: PointName


Frame = AxesFrame | TurnedFrame | CarriedFrame | RigidFrame | StoredFrame

# --- what follows from the declarations --------------------------------------------------------------------


POINTS, VECTORS, FRAMES = ({_FORMS[kind][0]: kind for kind in get_args(kinds)} for kinds in (Point, Vector, Frame))
#: A mapping with one of these keys defines a point or a frame.
DEFINING_KEYS = frozenset({*POINTS, *FRAMES})


def uses(definition: object) -> Iterator[Use]:
    """What a definition, or a part of one, uses directly: every name in its fields and formulas."""
    found: list[Use] = []
    _gather(definition, found)
    return iter(found)


def _gather(definition: object, found: list[Use]) -> None:
    if isinstance(definition, PointName):
        found.append(("point", definition))
    elif isinstance(definition, FrameName):
        found.append(("frame", definition))
    elif isinstance(definition, Expression):
        found += [("number", name) for name in definition.names]
        found += [("point", name) for name in definition.points]
    elif isinstance(definition, tuple):  # what else there may be uses nothing
        for part in definition:
            _gather(part, found)


def schema_lines(kinds: Mapping[str, type]) -> str:
    """The kinds as the schema lists them."""
    lines = []
    for _, yaml, words in (_FORMS[kind] for kind in kinds.values()):
        key = re.search(r"(\w+): (?:\w+|\[[^]]*\])\?", yaml)
        yaml, note = yaml.replace("?", ""), f"({key[1]}: optional)" if key else ""
        if len(yaml) < 42:
            lines.append(f"#   {yaml:<42}" + " ".join(filter(None, (note, words))))
        else:
            lines += [f"#   {yaml}    {note}", f"#{'':45}{words}"]
    return "".join(f"{line.rstrip()}\n" for line in lines if line.strip("# "))


# --- reading -----------------------------------------------------------------------------------------------


def parse_ref(value: object, where: str, faults: Faults) -> PointRef:
    """A point by its name or its definition; `where` is the path of its key, for faults."""
    if isinstance(value, str):
        return PointName(value)
    point = parse_point(value, where, faults)
    if isinstance(point, CarriedPoint):  # its place in the static is remembered by its name
        faults.add(f"{where}: a carried point needs a name of its own under points")
    return point


def parse_point(value: object, where: str, faults: Faults) -> Point:
    """A point's definition."""
    fields = Fields(value, where, faults)
    if POINTS.keys().isdisjoint(fields.values):
        faults.add(f"{where}: expected one of {', '.join(POINTS)}; found {', '.join(fields.values) or 'nothing'}")
        return Mean(())
    point: Point = _parse(fields, POINTS, Mean)
    return point


def parse_vector(value: object, where: str, faults: Faults) -> Vector:
    """A vector: an axis of a frame, two points, or a definition."""
    if isinstance(value, str):
        return FrameAxis(*_frame_axis(value, where, faults))
    if isinstance(value, list) and len(value) == 2:
        start, end = (parse_ref(end, f"{where}[{i}]", faults) for i, end in enumerate(value))
        return FromTo(start, end)
    vector: Vector = _parse(Fields(value, where, faults), VECTORS, FromTo)
    return vector


def parse_frame(fields: Fields) -> Frame:
    """A frame's definition."""
    frame: Frame = _parse(fields, FRAMES, AxesFrame)
    if isinstance(frame, AxesFrame) and frame.keep == frame.toward:
        fields.faults.add(f"{fields.path}: keep and toward name the same axis {frame.keep}")
    return frame


def _parse(fields: Fields, kinds: Mapping[str, type], otherwise: type) -> Any:
    kind = next((kind for key, kind in kinds.items() if key in fields.values), otherwise)
    definition = kind(*_values(fields, _FORMS[kind][1]))
    fields.done()
    return definition


def _values(fields: Fields, yaml: str) -> Iterator[object]:
    """What the keys of a form hold in a file."""
    for key, holds in _keys(yaml):
        if holds in _READERS:
            yield from _READERS[holds](fields, key)
        else:
            inner = fields.mapping(key)
            yield from _values(inner, holds)
            inner.done()


def _single(fields: Fields, key: str, parse: Callable[[object, str, Faults], T]) -> T | PointName:
    value = fields.raw(key)
    return parse(value, fields.at(key), fields.faults) if key in fields.values else PointName("?")


def pose_points(pose: str) -> tuple[PointName, ...]:
    """The points that stand for a pose: its origin and one on each axis (``thigh_pose_origin``, ``thigh_pose_x``)."""
    return tuple(PointName(f"{pose}_{part}") for part in ("origin", *AXES))


def _list(fields: Fields, key: str, parse: Callable[[object, str, Faults], T], count: str = "") -> tuple[Any, ...]:
    items = fields.items(key)
    parsed = [parse(item, f"{fields.at(key)}[{i}]", fields.faults) for i, item in enumerate(items)]
    expected = {"two": 2, "three": 3}.get(count.partition(" ")[0], len(items))
    if len(items) != expected:
        fields.faults.add(f"{fields.at(key)}: expected {count}")
    return (*parsed, *[None] * expected)[:expected]


def _formula(value: object, where: str, faults: Faults) -> Expression:
    try:
        return parse_expression(value, where)
    except GaitidError as error:
        faults.add(error.line())
        return parse_expression(0, where)


def _name(value: object, where: str, faults: Faults) -> PointName:
    if not isinstance(value, str):
        faults.add(f"{where}: expected the name of a point, found {value!r}")
        return PointName("?")
    return PointName(value)


def _frame_axis(name: str, where: str, faults: Faults) -> tuple[FrameName, str]:
    frame, _, axis = name.rpartition(".")
    if not frame or axis not in tuple(AXES):
        faults.add(f"{where}: expected an axis of a frame such as shank.y, found {name!r}")
    return FrameName(frame), axis


def _axis_and_vector(fields: Fields, key: str) -> tuple[str, Vector]:
    inner = fields.mapping(key)
    letters = [letter for letter in inner.values if letter in tuple(AXES)]
    if len(letters) != 1 or len(inner.values) != 1:
        fields.faults.add(f"{fields.at(key)}: expected one of x, y, z with its vector, found {list(inner.values)}")
        return "x", FrameAxis(FrameName("?"), "x")
    return letters[0], parse_vector(inner.values[letters[0]], inner.at(letters[0]), inner.faults)


def _turns(fields: Fields, key: str) -> Iterator[tuple[str, Expression]]:
    for i, item in enumerate(fields.items(key)):
        step = Fields(item, f"{fields.at(key)}[{i}]", fields.faults)
        if len(step.values) == 1 and set(step.values) <= set(AXES):
            (letter,) = step.values
            yield letter, step.required_expression(letter)
        else:
            fields.faults.add(f"{step.path}: expected one axis and its angle, as {{y: angle}}")


@cache
def _keys(yaml: str) -> list[tuple[str, str]]:
    """The keys of a form, and what each holds."""
    return _KEY.findall(yaml)


_KEY = re.compile(r"(\w+): (\{.*?\}(?=[,}]|$)|\[.*?\]\??|[\w.?]+)")
# What the keys of forms may hold: a function that gives the values of the fields that they fill.
_READERS: Mapping[str, Callable[[Fields, str], tuple[object, ...]]] = {
    "POINT": lambda f, key: (_single(f, key, parse_ref),),
    "POINT?": lambda f, key: (_single(f, key, parse_ref) if f.has(key) else None,),
    "VECTOR": lambda f, key: (_single(f, key, parse_vector),),
    "FRAME": lambda f, key: (FrameName(f.text(key)),),
    "FRAME.AXIS": lambda f, key: _frame_axis(f.text(key), f.at(key), f.faults),
    "FORMULA": lambda f, key: (f.required_expression(key),),
    "FORMULA?": lambda f, key: (f.expression(key, None),),
    "AXIS": lambda f, key: (f.text(key, among=AXES),),
    "foot_flat?": lambda f, key: (f.text(key, None, ("foot_flat",)) if f.has(key) else None,),
    "[POINT, ...]": lambda f, key: (_list(f, key, parse_ref),),
    "[NAME, ...]": lambda f, key: (_list(f, key, _name),),
    "[NAME, ...]?": lambda f, key: (_list(f, key, _name) if f.has(key) else (),),
    "NAME_OF_POSE": lambda f, key: pose_points(f.text(key)),
    "NAME": lambda f, key: (PointName(f.text(key)),),
    "[POINT, POINT]": lambda f, key: _list(f, key, parse_ref, "two points"),
    "[POINT, POINT, POINT]": lambda f, key: (_list(f, key, parse_ref, "three points"),),
    "[VECTOR, VECTOR]": lambda f, key: _list(f, key, parse_vector, "two vectors"),
    "[FORMULA x 3]": lambda f, key: (_list(f, key, _formula, "three formulas"),),
    "{AXIS: VECTOR}": _axis_and_vector,
    "[{AXIS: FORMULA}, ...]": lambda f, key: (tuple(_turns(f, key)),),
}
