"""What a model file says, as data: bodies, angles, moments, and all of it as one `Model`.

Its points and frames are `shapes`, its tables `segment_table`.

Named tuples, not dataclasses: they are as frozen, and 26 standard dataclasses would cost every run 15 ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gaitid.model.expression import SEX as SEX_NAME
from gaitid.model.expression import Expression
from gaitid.model.segment_table import Direction as Direction
from gaitid.model.segment_table import SegmentParameters as SegmentParameters
from gaitid.model.segment_table import Span as Span
from gaitid.model.segment_table import Table as Table
from gaitid.model.settings import Settings as Settings
from gaitid.model.shapes import AxesFrame, Frame, Point, PointName, PointRef, Use, Vector, uses
from gaitid.records import NamedTuple

if TYPE_CHECKING:
    from gaitid.model.pose import Multibody

_EMPTY: Mapping[Any, Any] = MappingProxyType({})

# --- what it asks of the subject: each measurement, and where its value may come from -----------------------


class StaticAngle(NamedTuple):
    """A calibration angle: mean over a static of an expression in the Cardan angles between two frames."""

    proximal: str
    distal: str
    sequence: str
    value: Expression


class StaticTurn(NamedTuple):
    """A calibration angle: mean over a static of a formula in the angle between two vectors, seen along a third.

    Attributes
    ----------
    start, end : Vector
    about : Vector or None
        The angle is that of the parts of both square to it, from −π to π; without it the plain one, from 0 to π.
    value : Expression
        In ``angle``, rad.
    """

    start: Vector
    end: Vector
    about: Vector | None
    value: Expression


#: Where a value comes from that follows from the trial's own markers, unless the model has better words for it.
TRIAL_SOURCE = "trial, estimated from its markers"


class Measurement(NamedTuple):
    """One number that the model needs of the subject, and where it may come from.

    Attributes
    ----------
    name : str
    sided : bool
    key : str
        Its name in a subject file, with its unit, without side.
    unit, c3d_unit : str
        ``kg``, ``mm``, ``m``, ``rad``: in a subject file, in a trial.
    c3d : tuple of str
        Its names in a trial's parameters, the first that is there counts, ``{S}`` standing for the side's letter.
    low, high : float
        Range outside which it is refused, SI.
    optional : bool
        Whether the model does without it.
    zero_is_absent : bool
        Whether a stored 0 means that nobody measured it.
    static : Expression, StaticAngle, StaticTurn or None
        How it follows from a static trial.
    trial : Expression or None
        How it follows from the markers of the trial itself, where no source and no static says it.
    trial_source : str
        That, in words for the record.
    otherwise : Expression or None
        What is taken when nothing else says, with the reason in `because`; a warning says so.
    """

    name: str
    sided: bool
    key: str
    unit: str
    c3d_unit: str
    c3d: tuple[str, ...]
    low: float
    high: float
    optional: bool
    zero_is_absent: bool
    static: Expression | StaticAngle | StaticTurn | None
    otherwise: Expression | None
    because: str
    trial: Expression | None = None
    trial_source: str = TRIAL_SOURCE


#: What formulas (`by_sex`) and tables may ask of every subject, in words in a subject file; as a number 1 for female,
#: 0 for male.
SEX = Measurement(SEX_NAME, False, SEX_NAME, "sex", "sex", (), 0.0, 1.0, False, False, None, None, "")
SEXES = ("female", "male")

# --- bodies, joints, angles, moments -----------------------------------------------------------------------


class Segment(NamedTuple):
    """One segment of a limb with its proximal joint.

    Attributes
    ----------
    segment, frame, row : str
        Its name, the frame fixed in it, its row in the table.
    com : PointRef
    length : Expression
        Of the segment, m, that its radii of gyration are fractions of.
    joint : str
    centre : str
        The joint's name and centre (a point).
    on : str
        The segment that it hangs from by that joint: another of the chain, or the base. Empty for the base itself.
    ground : bool
        Whether the ground acts on it.
    low, high : float
        Range of the distance, m, from its proximal joint to a joint that hangs from it; outside it is refused.
    span : Span or None
        What the table measures it along, where its row says so.
    optional : bool
        Whether a trial whose markers do not give it is analysed without it: its angles and all wrenches are empty.
    """

    segment: str
    frame: str
    row: str
    com: PointRef
    length: Expression
    joint: str
    centre: str
    on: str
    ground: bool
    low: float
    high: float
    optional: bool = False
    span: Span | None = None


class Base(NamedTuple):
    """The segment that the chains of all sides hang from.

    Attributes
    ----------
    segment, frame, origin : str
    body : Segment or None
        Where it has a mass: its row, centre of mass and proximal joint (the lumbar joint of a pelvis).
    """

    segment: str
    frame: str
    origin: str
    body: Segment | None = None


class Angle(NamedTuple):
    """Cardan angles between two frames and what each clinical angle is of a, b, c in degrees.

    `needs` names for a column points without which it is empty; a trial is analysed without those that are `optional`.
    """

    proximal: str
    distal: str
    sequence: str
    columns: Mapping[str, Expression]
    needs: Mapping[str, tuple[PointName, ...]] = _EMPTY
    optional: bool = False


class Moment(NamedTuple):
    """Clinical moments of a joint: expressions in the components x, y, z in the axes of a frame; `needs` as above.

    With the axes ``jcs`` they are the projections on the axes of the joint's own angles.
    """

    axes: str
    columns: Mapping[str, Expression]
    needs: Mapping[str, tuple[PointName, ...]] = _EMPTY


class Progression(NamedTuple):
    """Whose displacement gives the direction of walking, and which axes follow from it.

    Attributes
    ----------
    point : str
    axes : str
        ``displacement``, or ``laboratory``: the laboratory axis nearest to it.
    letters : str
        The axes of the frame that point forward, to the left and up, as ``xyz``.
    """

    point: str
    axes: str
    letters: str = "xyz"


class Side(NamedTuple):
    """A side of the body: data, not code."""

    name: str
    letter: str
    sign: int


class Scope(NamedTuple):
    """Named things of the middle of the body or of each side.

    Attributes
    ----------
    markers : mapping of str to tuple of str
        A role and the labels that it may carry; none for a landmark, whose labels a marker set says.
    clusters : tuple of str
        Names of tracking clusters, whose markers a marker set says; binding one puts its markers into `markers`.
    """

    markers: Mapping[str, tuple[str, ...]] = _EMPTY
    clusters: tuple[str, ...] = ()
    numbers: Mapping[str, Expression] = _EMPTY
    points: Mapping[str, Point] = _EMPTY
    frames: Mapping[str, Frame] = _EMPTY
    #: Markers that only measure the subject, in `static` and `trial`: where a segment is never depends on them.
    calibration_markers: Mapping[str, tuple[str, ...]] = _EMPTY


@lru_cache(maxsize=2048)  # models share most of their markers, and marker sets some
def of_side(labels: tuple[str, ...], letter: str) -> tuple[str, ...]:
    """Labels with a side's letter in place of ``{S}``, or in small of ``{s}``."""
    return tuple(label.replace("{S}", letter).replace("{s}", letter.lower()) for label in labels)


#: Who decided what a choice of a model is: its default, its own definitions in place of any option, or a user.
BY_DEFAULT, BY_MODEL, BY_USER = "default of the model", "the model's own definitions", "--set"


class Chosen(NamedTuple):
    """What a choice that a model declares is.

    Attributes
    ----------
    option : str
        Empty where the model has definitions of its own in place of its default option's.
    by : str
        `BY_DEFAULT`, `BY_MODEL` or `BY_USER`.
    source : str
        Of the option.
    """

    option: str
    by: str
    source: str


NO_OPTION = Chosen("", BY_MODEL, "")


class Model(NamedTuple):
    """A model file, parsed and checked.

    Attributes
    ----------
    sides : tuple of Side
        One or two.
    chain : tuple of Segment
        Of each side, from the free ends to the base.
    heel, toe, instead_of_toe, instead_of_heel : str
        Points of the segment that the ground acts on; empty where it acts on none.
    progression : Progression or None
    vertical : str
        Letter of the laboratory axis that points up, with its sign; empty where the trial says.
    no_wrenches_because : str
        Why joint wrenches are not written, where the model's points are no joint centres; else empty.
    caution : str
        What every result of the model is to be read with, in words; a note says it.
    unchecked : str
        In words, that nothing independent was found to check the model against; record and page say it.
    spelled : mapping of (side, role) to tuple of str
        Of a model bound to a trial (`gaitid.model.binding`): the label that the role has there, or those that it may
        have where the trial holds none of them.
    marker_set : str
        The marker set that it was bound with; empty where the model names all labels itself.
    choices : mapping of str to Chosen
        What the choices that it declares are; ``table`` is always one of them.
    option_files : tuple of Path
        Files of their own that these options stand in.
    pose : Multibody or None
        How segments are put where they are, where their frames alone do not say it.
    lengths : mapping of name to mapping of unit to Expression, of each side; never needed
    upper_body : Path or None, the file of its trunk, head and arms (`gaitid.model.upper_body`)
    """

    name: str
    title: str
    paths: tuple[Path, ...]
    sides: tuple[Side, ...]
    table: Table
    subject: Mapping[str, Measurement]
    middle: Scope
    each_side: Scope
    chain: tuple[Segment, ...]
    base: Base
    heel: str
    toe: str
    instead_of_toe: str
    progression: Progression | None
    vertical: str
    angles: Mapping[str, Angle]
    moments: Mapping[str, Moment]
    settings: Settings
    no_wrenches_because: str = ""
    caution: str = ""
    unchecked: str = ""
    spelled: Mapping[tuple[str, str], tuple[str, ...]] = _EMPTY
    marker_set: str = ""
    instead_of_heel: str = ""
    choices: Mapping[str, Chosen] = _EMPTY
    option_files: tuple[Path, ...] = ()
    pose: Multibody | None = None
    upper_body: Path | None = None
    lengths: Mapping[str, Mapping[str, Expression]] = _EMPTY
    distal_foot_power: bool = False  # whether it is written

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.title}>"

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that it was read from."""
        return (*self.paths, *self.option_files, *self.table.files)

    def assumes_axes(self, name: str) -> bool:
        """Whether the markers do not tell a component of a joint's moment, or of the base's angle.

        The axes of its segment are assumed then: components in them, and the power, which has a part about each axis,
        depend on what nobody measured.
        """
        columns = self.moments.get(name) or self.angles.get(name)
        return columns is not None and any(formula.undetermined for formula in columns.columns.values())

    @property
    def roles(self) -> list[tuple[str, str]]:
        """(side, role) of every marker; the side is empty for those of the middle of the body."""
        return self._placed(self.middle.markers, self.each_side.markers)

    def _placed(self, middle: Iterable[str], each_side: Iterable[str]) -> list[tuple[str, str]]:
        return [*(("", role) for role in middle), *((side.name, role) for side in self.sides for role in each_side)]

    def scope(self, sided: bool) -> Scope:
        """The definitions of each side, or those of the middle of the body."""
        return self.each_side if sided else self.middle

    def defines(self, kind: str, name: str, sided: bool) -> bool:
        """Whether each side, or the middle of the body, has a point, frame or number of this name."""
        scope = self.each_side if sided else self.middle
        if kind == "point":  # asked for some thousand times a run
            return (
                name in scope.markers
                or name in scope.points
                or name in scope.calibration_markers
                or name in scope.clusters
            )
        if kind == "frame":
            return name in scope.frames
        measurement = self.subject.get(name)
        if measurement is not None and measurement.sided == sided:
            return True
        return name in scope.numbers or (name == "sign" and sided)

    @property
    def sided_names(self) -> Mapping[str, Set[str]]:
        """The names of all points, frames and numbers that each side defines, by kind."""
        scope = self.each_side
        measured = {name for name, measurement in self.subject.items() if measurement.sided}
        return {
            "point": {*scope.markers, *scope.points, *scope.calibration_markers, *scope.clusters},
            "frame": scope.frames.keys(),
            "number": {*measured, *scope.numbers, "sign"},
        }

    def place(self, kind: str, name: str, side: str) -> tuple[str, str]:
        """The side whose definition a side means by a name (empty: the middle of the body), and the bare name."""
        if "." in name:
            prefix, _, bare = name.partition(".")
            if prefix:
                return prefix, bare
        return (side if side and self.defines(kind, name, True) else ""), name

    def uses(self, kind: str, name: str, sided: bool) -> list[Use]:
        """What the definition of a point, frame or number uses directly; nothing for a marker and the side's sign."""
        definitions = getattr(self.scope(sided), f"{kind}s")
        if name in definitions:
            return uses(definitions[name])
        return uses(self.subject[name].otherwise if kind == "number" and name in self.subject else None)

    def is_intermediate(self, side: str, frame: str) -> bool:
        """Whether a frame only leads to others: no segment, angle or moment is described in it; quickly made."""
        of_angles = (name for angle in self.angles.values() for name in (angle.proximal, angle.distal))
        of_moments = (moment.axes for moment in self.moments.values())
        described = {self.base.frame, *(segment.frame for segment in self.chain), *of_angles, *of_moments}
        return frame not in described and isinstance(self.scope(bool(side)).frames[frame], AxesFrame)

    def labels(self, role: str, side: str = "") -> tuple[str, ...]:
        """The labels that a marker may carry in a file; of a model bound to a trial, the one that it carries there."""
        if (side, role) in self.spelled:
            return self.spelled[side, role]
        scope = self.scope(bool(side))
        letter = next((s.letter for s in self.sides if s.name == side), "")
        labels = scope.markers[role] if role in scope.markers else scope.calibration_markers[role]
        return of_side(labels, letter)

    @property
    def calibration_roles(self) -> list[tuple[str, str]]:
        """(side, role) of every marker that only measures the subject; the side is empty in the middle of the body."""
        return self._placed(self.middle.calibration_markers, self.each_side.calibration_markers)

    @property
    def by_landmarks(self) -> bool:
        """Whether a marker set has to say which labels its landmarks and clusters have."""
        scopes = (self.middle, self.each_side)
        return bool(self.marker_set) or any(s.clusters or not all(s.markers.values()) for s in scopes)

    @property
    def touches_ground(self) -> bool:
        """Whether the ground acts on a segment of each side."""
        return bool(self.heel)

    @property
    def proximal(self) -> tuple[int | None, ...]:
        """For each body of the chain the index of the one that it hangs from; None where that is the base."""
        names = [body.segment for body in self.chain]
        return tuple(names.index(body.on) if body.on in names else None for body in self.chain)
