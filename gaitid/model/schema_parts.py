"""Sections of a model's YAML -> `Measurement`, `Scope`, `Segment`, `Base`, `Span`."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from gaitid.model import specs
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Faults, Fields, labels_of, once
from gaitid.model.shape_parser import parse_frame, parse_point, parse_ref, parse_vector, part
from gaitid.model.shapes import Between, FrameName, InFrame, PointName, PointRef, pose_points
from gaitid.trial import pose_labels

SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
UNITS = ("kg", "mm", "cm", "m", "rad", "deg", "years")
# m. The distance between neighbouring joint centres of a limb, from a newborn's to a giant's, and that of a segment
# whose mass in kg a table gives, which may be any: outside, the markers are in another unit.
LENGTHS, MEASURED_LENGTHS = (0.04, 0.8), (0.001, 10.0)

_point, _frame = once(parse_point), once(parse_frame)

# --- what a model asks of the subject -----------------------------------------------------------------------------


@once
def parse_measurement(fields: Fields) -> specs.Measurement:
    """What its section alone says: neither its name nor whether each leg has it."""
    low, high = fields.bounds("range")
    static: Expression | specs.StaticAngle | specs.StaticTurn | None
    if isinstance(fields.raw("static", None), Mapping):
        static = _static_angle(fields.mapping("static"))
    else:
        static = fields.expression("static", None)
    unit, key = fields.text("unit", among=UNITS), fields.text("key")
    if unit and not key.endswith(f"_{unit}"):
        fields.faults.add(f"{fields.at('key')}: must end in its unit, _{unit}")
    c3d_unit, names = fields.text("c3d_unit", unit, UNITS), fields.raw("c3d", "")
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        fields.faults.add(f"{fields.at('c3d')}: expected a name or a list of names, found {names!r}")
        names = []
    result = specs.Measurement(
        name="",
        sided=False,
        key=key,
        unit=unit,
        c3d_unit=c3d_unit,
        c3d=tuple(filter(None, names)),
        low=low,
        high=high,
        optional=fields.flag("optional", False),
        zero_is_absent=fields.flag("zero_is_absent", False),
        static=static,
        otherwise=fields.expression("otherwise", None),
        because=fields.text("because", ""),
        trial=fields.expression("trial", None),
        trial_source=fields.text("trial_source", specs.TRIAL_SOURCE),
    )
    if result.otherwise is not None and not result.because:
        fields.faults.add(f"{fields.at('because')}: missing (why the value of otherwise may be taken)")
    if "trial_source" in fields.values and "trial" not in fields.values:
        fields.faults.add(f"{fields.at('trial_source')}: only with trial, whose value it is the source of")
    return result


def _static_angle(fields: Fields) -> specs.StaticAngle | specs.StaticTurn:
    """A calibration angle: between two frames, or between two vectors."""
    angle: specs.StaticAngle | specs.StaticTurn
    if "from" in fields.values or "to" in fields.values:
        start, end = (part(fields, key, parse_vector) for key in ("from", "to"))
        about = part(fields, "about", parse_vector) if "about" in fields.values else None
        angle = specs.StaticTurn(start, end, about, fields.required_expression("value"))
    else:
        angle = specs.StaticAngle(
            fields.text("proximal"),
            fields.text("distal"),
            fields.text("sequence", among=SEQUENCES),
            fields.required_expression("value"),
        )
    fields.done()
    return angle


# --- markers, numbers, points and frames of the middle of the body or of each side ----------------------------------


def _labels(group: Fields) -> dict[str, tuple[str, ...]]:
    """The labels of each role."""
    return {key: labels_of(value, group.at(key), group.faults) or ("?",) for key, value in group.values.items()}


def parse_scope(fields: Fields) -> specs.Scope:
    markers = _labels(fields.mapping("markers", {}))
    calibration = _labels(fields.mapping("calibration_markers", {}))
    for key in sorted(markers.keys() & calibration.keys()):
        fields.faults.add(f"{fields.at('calibration_markers')}.{key}: the name is given twice, in markers too")
    markers |= {  # the points that stand for each stored pose
        point: tuple(label for segment in segments for label in pose_labels([segment])[i : i + 1])
        for pose, segments in _labels(fields.mapping("poses", {})).items()
        for i, point in enumerate(pose_points(pose))
    }
    markers |= dict.fromkeys(parse_names(fields, "landmarks", markers), ())
    clusters = parse_names(fields, "clusters", markers)
    numbers, points, frames = (fields.mapping(key, {}) for key in ("numbers", "points", "frames"))
    for key in sorted(points.values.keys() & (markers.keys() | calibration.keys() | set(clusters))):
        fields.faults.add(
            f"{points.at(key)}: the name is that of a marker, which the point would hide; rename one of them"
        )
    formulas = numbers.each(Fields.required_expression)
    scope = specs.Scope(markers, clusters, formulas, points.each(_point), frames.each(_frame), calibration)
    fields.done()
    return scope


def parse_names(fields: Fields, key: str, taken: Mapping[str, object] = {}) -> tuple[str, ...]:
    """A list of names under an optional key; none of those that are taken."""
    names = fields.items(key) if fields.has(key) else []
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            fields.faults.add(f"{fields.at(key)}: expected names such as knee_lateral, found {name!r}")
        elif name in taken or names.count(name) > 1:
            fields.faults.add(f"{fields.at(key)}: the name {name!r} is given twice")
    return tuple(name for name in names if isinstance(name, str))


# --- the chain, its base and what tables are measured along ---------------------------------------------------------


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
        name,
        fields.text("frame"),
        fields.text("row", name),
        part(fields, "com", parse_ref),
        fields.required_expression("length"),
        fields.text("joint"),
        fields.text("centre"),
        on,
        ground,
        *lengths,
    )


@once
def parse_span(fields: Fields) -> specs.Span:
    """What tables may be measured along."""
    axes = directions(fields)
    return specs.Span(fields.text("segment"), fields.text("from"), fields.text("to"), axes)


def directions(fields: Fields) -> tuple[specs.Direction, specs.Direction, specs.Direction]:
    """The directions of a frame that point forward, up and to the right, as ``[x, z, -y]``; right-handed."""
    words = fields.items("forward_up_right")
    found = [(str(word).lstrip("-"), -1 if str(word).startswith("-") else 1) for word in words]
    if sorted(letter for letter, _ in found) != ["x", "y", "z"]:
        fields.faults.add(f"{fields.at('forward_up_right')}: expected x, y and z with their signs, found {words}")
        return ("x", 1), ("z", 1), ("y", -1)
    if np.linalg.det([[sign * (letter == a) for a in "xyz"] for letter, sign in found]) < 0:
        fields.faults.add(f"{fields.at('forward_up_right')}: expected forward × up = right, found {words}")
    first, second, third = found
    return first, second, third


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
    length = parse_expression(f"distance({start}, {end})", where)
    return body._replace(com=com, length=length, span=span)


def parse_base(fields: Fields) -> specs.Base:
    base = specs.Base(fields.text("segment"), fields.text("frame"), fields.text("origin"))
    if {"row", "com", "length", "joint", "centre"} & set(fields.values):
        base = base._replace(body=_segment(fields, "", False, (0.0, math.inf)))
    fields.done()
    return base
