"""Points, vectors and frames of a model: each kind with the form that it has in YAML, from which it is read.

A kind is declared once: a named tuple of names of points and frames, formulas and other definitions, and before it its
form. Parser (`shape_parser`) and schema follow from the form, which names a definition uses from its fields (`uses`).
`gaitid.body.frames` computes it, and mypy tells where it does not know a kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar, get_args

from gaitid.model.expression import Expression
from gaitid.records import NamedTuple, kept_of_each

AXES = "xyz"
#: Kind (point, frame or number) and name of something that a definition uses.
Use = tuple[str, str]
T = TypeVar("T")


class PointName(str):
    """The name of a point or a marker."""


class FrameName(str):
    """The name of a frame."""


# How each kind is written: the key that tells it, its YAML (what its keys hold: `shape_parser`), words for the schema.
FORMS: dict[type, tuple[str, str, str]] = {}


def form(yaml: str, words: str = "", key: str = "") -> Callable[[type[T]], type[T]]:
    """Declare a kind whose fields are, in order, what the keys of its YAML hold; by default the first key tells it."""

    def declare(kind: type[T]) -> type[T]:
        FORMS[kind] = key or yaml.lstrip("{").partition(":")[0], yaml, words
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


@form("carried: NAME, by: FRAME, c3d: TEXT?", "fixed in a frame where the static shows it")
class CarriedPoint(NamedTuple):
    """A point measured in the static and carried by a frame: its mean position there (CAST; Cappozzo 1995).

    In the static itself it is the point. Without a static it lies where the trial's parameters say, in mm, whose names
    are those of `c3d` with X, Y and Z behind them.
    """

    point: PointName
    by: FrameName
    c3d: str | None = None


@form(
    "stored: NAME, beside: NAME, before: [POINT, POINT, POINT]?, always: YES?",
    "as far from a marker as the file stores it, or as it was before a half blend; only with the file's calibration",
)
class StoredPoint(NamedTuple):
    """A point that a program stored beside a marker: known only where its calibration is taken too, or `always`.

    With `before` it is where that point was before the program moved it half of the way to its mean place among these
    three (`Blend`). Where that was done more than once, it is as stored in the first frame: there BodyLanguage put the
    result in the point's place before others used it.
    """

    point: PointName
    beside: PointName
    before: tuple[PointRef, PointRef, PointRef] | None = None
    always: bool = False


@form(
    "blend: {point: POINT, others: [POINT, POINT, POINT], share: FORMULA}",
    "moved a share of the way to where three others put it by its mean place among them in the trial",
)
class Blend(NamedTuple):
    """A point moved toward its mean place, over the trial, in the axes of three others (BodyBuilder's REPLACE4).

    The axes have their origin in the second, x to the first, z toward the way from the third to the second.
    """

    point: PointRef
    others: tuple[PointRef, PointRef, PointRef]
    share: Expression


@form("foot_of: POINT, onto: [POINT, POINT, POINT]", "the foot of the perpendicular on the plane of three others")
class FootOf(NamedTuple):
    """Where the perpendicular from a point meets the plane through three others."""

    point: PointRef
    plane: tuple[PointRef, PointRef, PointRef]


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


Point = (
    Mean
    | FirstOf
    | InFrame
    | Chord
    | TurnPoint
    | Between
    | Along
    | Level
    | Corner
    | CarriedPoint
    | StoredPoint
    | Blend
    | FootOf
)
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


POINTS, VECTORS, FRAMES = ({FORMS[kind][0]: kind for kind in get_args(kinds)} for kinds in (Point, Vector, Frame))
#: A mapping with one of these keys defines a point or a frame.
DEFINING_KEYS = frozenset({*POINTS, *FRAMES})


def pose_points(pose: str) -> tuple[PointName, ...]:
    """The points that stand for a pose: its origin and one on each axis (``thigh_pose_origin``, ``thigh_pose_x``)."""
    return tuple(PointName(f"{pose}_{part}") for part in ("origin", *AXES))


def uses(definition: object) -> list[Use]:
    """What a definition, or a part of one, uses directly: every name in its fields and formulas."""
    if isinstance(definition, Expression) or type(definition) in FORMS:
        return _uses(definition)
    result: list[Use] = []
    _gather(definition, result)
    return result


@kept_of_each
def _uses(definition: object) -> list[Use]:
    """The same of a formula or of a kind that `form` declares: each is asked several times, in each model with it."""
    result: list[Use] = []
    _gather(definition, result)
    return result


def _gather(definition: object, found: list[Use]) -> None:
    if definition is None or type(definition) is str:  # what is left out, and letters of axes
        return
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


def stored_points(definition: object) -> set[StoredPoint]:
    """The points of a definition that are as a trial stores them."""
    own = {definition} if isinstance(definition, StoredPoint) else set()
    return own.union(*map(stored_points, definition)) if isinstance(definition, tuple) else own


def needed_points(point: Point) -> list[PointName]:
    """The names of points without any one of which a point is nowhere, as far as its kind tells."""
    refs: tuple[PointRef, ...] = ()
    match point:
        case Mean():
            refs = point.of
        case Chord():
            refs = point.proximal, point.wand, point.lateral
        case Between():
            refs = point.start, point.end
        case Along():
            ends = (point.axis.start, point.axis.end) if isinstance(point.axis, FromTo) else ()
            refs = point.start, *ends
        case Corner():
            refs = point.tips
        case Blend():
            refs = point.point, *point.others
        case FootOf():
            refs = point.point, *point.plane
    return [ref for ref in refs if isinstance(ref, str)]


def schema_lines(kinds: Mapping[str, type]) -> str:
    """The kinds as the schema lists them."""
    lines = []
    for _, yaml, words in (FORMS[kind] for kind in kinds.values()):
        key = re.search(r"(\w+): (?:\w+|\[[^]]*\])\?", yaml)
        yaml, note = yaml.replace("?", ""), f"({key[1]}: optional)" if key else ""
        if len(yaml) < 42:
            lines.append(f"#   {yaml:<42}" + " ".join(filter(None, (note, words))))
        else:
            lines += [f"#   {yaml}    {note}", f"#{'':45}{words}"]
    return "".join(f"{line.rstrip()}\n" for line in lines if line.strip("# "))
