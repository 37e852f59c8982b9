"""The chain, its base and what tables are measured along, in a model's YAML -> `Segment`, `Base`, `Span`."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from gaitid.model import specs
from gaitid.model.expression import parse_expression
from gaitid.model.fields import Faults, Fields, once
from gaitid.model.shape_parser import parse_ref
from gaitid.model.shapes import Between, FrameName, InFrame, PointName, PointRef

# m. The distance between neighbouring joint centres of a limb, from a newborn's to a giant's, and that of a segment
# whose mass in kg a table gives, which may be any: outside, the markers are in another unit.
LENGTHS, MEASURED_LENGTHS = (0.04, 0.8), (0.001, 10.0)


def parse_chain_segment(fields: Fields, following: str, table: specs.Table) -> specs.Segment:
    """An entry of the chain; `following` is what it hangs from by default."""
    row = fields.text("row", fields.text("segment"))
    rows = [table.rows.get(key) for key in (row, f"left.{row}", f"right.{row}")]
    measured = any(one is not None and one.mass_kg is not None for one in rows)
    lengths = fields.bounds("length_range_m", MEASURED_LENGTHS if measured else LENGTHS)
    segment = _segment(fields, fields.text("on", following), fields.flag("ground", False), lengths)
    segment = segment._replace(optional=fields.flag("optional", False))
    fields.done()
    return segment


def _segment(fields: Fields, on: str, ground: bool, lengths: tuple[float, float]) -> specs.Segment:
    name = fields.text("segment")
    return specs.Segment(
        segment=name,
        frame=fields.text("frame"),
        row=fields.text("row", name),
        com=parse_ref(fields.raw("com"), fields.at("com"), fields.faults),
        length=fields.required_expression("length"),
        joint=fields.text("joint"),
        centre=fields.text("centre"),
        on=on,
        ground=ground,
        low=lengths[0],
        high=lengths[1],
    )


def parse_spans(section: Fields) -> dict[str, specs.Span]:
    """What tables may be measured along; one set to null is none."""
    return {name: _span(section, name) for name in section.values}


@once
def _span(fields: Fields) -> specs.Span:
    axes = directions(fields)
    span = specs.Span(fields.text("segment"), fields.text("from"), fields.text("to"), axes)
    fields.done()
    return span


def directions(fields: Fields) -> tuple[specs.Direction, specs.Direction, specs.Direction]:
    """`_axes` as directions of a frame."""
    first, second, third = ((str(w).lstrip("-"), -1 if str(w).startswith("-") else 1) for w in _axes(fields))
    return first, second, third


def _axes(fields: Fields) -> tuple[object, object, object]:
    """The axes of a frame that point forward, up and to the right, as ``[x, z, -y]``; right-handed."""
    words = fields.items("forward_up_right")
    letters = [str(word).lstrip("-") for word in words]
    if sorted(letters) != ["x", "y", "z"]:
        fields.faults.add(f"{fields.at('forward_up_right')}: expected x, y and z with their signs, found {words}")
        return "x", "z", "-y"
    R = np.array([[(-1 if str(w).startswith("-") else 1) * (a == w.lstrip("-")) for a in "xyz"] for w in words])
    if np.linalg.det(R) < 0:
        fields.faults.add(f"{fields.at('forward_up_right')}: expected forward × up = right, found {words}")
    return words[0], words[1], words[2]


def measured_along(
    body: specs.Segment, where: str, spans: Mapping[str, specs.Span], table: specs.Table, faults: Faults
) -> specs.Segment:
    """The segment; where its row of the table says a span, with the length and the centre of mass that are along it."""
    row = table.rows.get(body.row)
    if row is None or not row.span:
        return body
    span = spans.get(row.span)
    if span is None or span.segment != body.segment:
        known = ", ".join(name for name, of in spans.items() if of.segment == body.segment) or "none"
        what = f"the table {table.name} measures {body.row} along {row.span}"
        faults.add(f"{where}: {what}, which the model has not (spans of its {body.segment}: {known})")
        return body
    start, end = PointName(span.start), PointName(span.end)
    com: PointRef = Between(start, end, parse_expression("com_fraction", where))
    if row.com_fractions is not None or row.com_m is not None:
        along = dict.fromkeys("xyz", "0")
        for (letter, sign), name in zip(span.axes, ("com_forward", "com_up", "com_right"), strict=True):
            along[letter] = name if sign > 0 else f"-{name}"
        x, y, z = (parse_expression(along[letter], where) for letter in "xyz")
        com = InFrame(FrameName(body.frame), (x, y, z), start)
    length = parse_expression(f"distance({span.start}, {span.end})", where)
    return body._replace(com=com, length=length, span=span)


def parse_base(fields: Fields) -> specs.Base:
    base = specs.Base(fields.text("segment"), fields.text("frame"), fields.text("origin"))
    if {"row", "com", "length", "joint", "centre"} & set(fields.values):
        base = base._replace(body=_segment(fields, "", False, (0.0, math.inf)))
    fields.done()
    return base
