"""Trunk, head and arms that a model of the legs names: their YAML -> `UpperBody`, which is joined to the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from gaitid.model import specs
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Fields, mapping_under, whole
from gaitid.model.find import beside, fields_of
from gaitid.model.marker_sets import squeeze
from gaitid.model.parsed import content_of
from gaitid.model.shape_parser import parse_ref, part
from gaitid.model.shapes import PointRef
from gaitid.records import NamedTuple

SCHEMA = 1
#: The table of the legs that no entry of `tables` names.
OTHERWISE = "otherwise"
#: Forward, up and to the right of a segment without a frame, whose z runs along it.
_ALONG_Z: tuple[specs.Direction, ...] = (("x", 1), ("z", 1), ("y", -1))


class Ends(NamedTuple):
    """The points between which a table measures a segment, and the length, m, that its radii are fractions of."""

    start: PointRef
    end: PointRef
    length: Expression


class UpperSegment(NamedTuple):
    """A segment above the legs.

    Attributes
    ----------
    segment : str
    sided : bool
    on : str
        The segment that it hangs from.
    spans : mapping of str to Ends
        By the span of a table's row; a table's first row with one of them is the segment's.
    centre : PointRef or None
        Where its centre of mass is, whatever the table.
    frame : str
        Fixed in it; empty where its markers do not tell how it turns about its length.
    axes : three Directions
        Forward, up and to the right in the segment's axes: those of that frame, or x forward, y to the left and z along
        it, as those of the legs.
    instead : tuple of PointRef
        Where its mass is put without its markers: the first that is known.
    """

    segment: str
    sided: bool
    on: str
    spans: Mapping[str, Ends]
    centre: PointRef | None
    frame: str
    axes: tuple[specs.Direction, ...]
    instead: tuple[PointRef, ...]


class UpperBody(NamedTuple):
    """Trunk, head and arms of a model.

    Attributes
    ----------
    name, title : str
    path : Path
    middle, each_side : Scope
    segments : tuple of UpperSegment
        From the trunk outward.
    tables : mapping of str to str
        By the name of the legs' table, the file of the table that goes with it.
    angles : mapping of str to Angle
    """

    name: str
    title: str
    path: Path
    middle: specs.Scope
    each_side: specs.Scope
    segments: tuple[UpperSegment, ...]
    tables: Mapping[str, str]
    angles: Mapping[str, specs.Angle]

    def joined_to(self, model: specs.Model) -> specs.Model:
        """The model with the definitions of both, and its angles alone; neither has a name of the other."""
        return model._replace(
            middle=_joined(model.middle, self.middle),
            each_side=_joined(model.each_side, self.each_side),
            angles=self.angles,
        )

    def table_of(self, model: specs.Model) -> specs.Table:
        """The table of trunk, head and arms that goes with the model's own."""
        return _table(beside(self.tables.get(model.table.name, self.tables[OTHERWISE]), (self.path,)))

    def row_of(self, segment: UpperSegment, table: specs.Table) -> tuple[str, str]:
        """The name of a segment's row in a table, and of its span; both empty where there is none."""
        rows = ((name, row.span) for name, row in table.rows.items() if row.span in segment.spans)
        return next(rows, ("", ""))


def is_there(path: Path, sides: Sequence[specs.Side], labels: Iterable[str]) -> bool:
    """Whether a trial with these labels holds a marker of an upper body, told without reading its definitions."""
    wanted = _spellings(path, tuple(side.letter for side in sides))
    return any(label in wanted or squeeze(label) in wanted for label in labels)


@cache
def _spellings(path: Path, letters: tuple[str, ...]) -> frozenset[str]:
    """Every label that it names, as it stands and without case and separators."""
    result: set[str] = set()
    for section in ("middle", "each_side"):
        for value in mapping_under(mapping_under(content_of(path), section), "markers").values():
            for label in [value] if isinstance(value, str) else value if isinstance(value, list) else ():
                result.update(*(specs.of_side((str(label),), letter) for letter in letters))
    return frozenset(result | {squeeze(label) for label in result})


@cache
def load_upper_body(path: Path) -> UpperBody:
    """Read trunk, head and arms.

    Raises
    ------
    ModelError
        Against the schema: one line with every fault.
    """
    from gaitid.model.schema import angle_of, parse_scope

    top, faults = fields_of(path, "gaitid_upper_body", SCHEMA, "an upper body")
    segments: list[UpperSegment] = []
    for key, sided in (("segments", False), ("segments_each_side", True)):
        group = top.mapping(key, {})
        segments += [_segment(name, sided, group.mapping(name)) for name in group.values]
    known = {segment.segment for segment in segments}
    for segment in segments:
        if segment.on not in known and segment.on != "pelvis":
            faults.add(f"segments: {segment.segment} hangs on {segment.on!r}, expected pelvis or {', '.join(known)}")
    tables = top.mapping("tables").each(Fields.text)
    if OTHERWISE not in tables:
        faults.add(f"tables.{OTHERWISE}: missing")
    angles = top.mapping("angles", {})
    result = UpperBody(
        name=top.text("name"),
        title=top.text("title", ""),
        path=path,
        middle=parse_scope(top.mapping("middle", {})),
        each_side=parse_scope(top.mapping("each_side", {})),
        segments=tuple(segments),
        tables=tables,
        angles=angles.each(angle_of),
    )
    top.asked.add("sources")
    top.done()
    faults.raise_if_any()
    return result


def faults_with(upper: UpperBody, model: specs.Model) -> list[str]:
    """What of an upper body does not hold together with a model: undefined names, names that both define."""
    from gaitid.model.validate import Names, faults_of

    twice = [
        f"{upper.name}: {name!r} is defined by the model too"
        for own, other in ((upper.middle, model.middle), (upper.each_side, model.each_side))
        for part in ("markers", "points", "frames", "numbers")
        for name in getattr(own, part)
        if name in getattr(other, part)
    ]
    joined = upper.joined_to(model)
    return twice or faults_of(Names(joined._replace(angles={**model.angles, **upper.angles})))


def _segment(name: str, sided: bool, fields: Fields) -> UpperSegment:
    from gaitid.model.schema import directions

    spans = fields.mapping("spans").each(_ends)
    centre = part(fields, "centre", parse_ref) if fields.has("centre") else None
    instead = fields.items("instead") if fields.has("instead") else []
    segment = UpperSegment(
        name,
        sided,
        on=fields.text("on"),
        spans=spans,
        centre=centre,
        frame=fields.text("frame", ""),
        axes=directions(fields) if fields.has("forward_up_right") else _ALONG_Z,
        instead=tuple(
            parse_ref(point, f"{fields.at('instead')}[{i}]", fields.faults) for i, point in enumerate(instead)
        ),
    )
    fields.done()
    return segment


@whole
def _ends(fields: Fields) -> Ends:
    start, end = (part(fields, key, parse_ref) for key in ("from", "to"))
    default = parse_expression(f"distance({start}, {end})", fields.at("length"))
    return Ends(start, end, fields.expression("length", None) or default)


def _joined(model: specs.Scope, upper: specs.Scope) -> specs.Scope:
    return model._replace(
        markers={**model.markers, **upper.markers},
        numbers={**model.numbers, **upper.numbers},
        points={**model.points, **upper.points},
        frames={**model.frames, **upper.frames},
    )


@cache
def _table(path: Path) -> specs.Table:
    from gaitid.model.tables import load_table

    return load_table(path)
