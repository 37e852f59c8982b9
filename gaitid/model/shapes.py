"""Points, vectors and frames of a model's YAML, by their keys."""

from __future__ import annotations

from gaitid.model import specs
from gaitid.model.expression import parse_expression
from gaitid.model.fields import Faults, Fields

AXES = "xyz"


def parse_ref(value: object, where: str, faults: Faults) -> specs.PointRef:
    """A point by its name or its definition."""
    return value if isinstance(value, str) else parse_point(value, where, faults)


def parse_point(value: object, where: str, faults: Faults) -> specs.Point:
    """A point's definition; `where` is the path of its key, for faults."""
    fields = Fields(value, where, faults)

    def ref(f: Fields, key: str) -> specs.PointRef:
        return parse_ref(f.raw(key), f.at(key), faults)

    def refs(key: str) -> tuple[specs.PointRef, ...]:
        return tuple(parse_ref(v, f"{fields.at(key)}[{i}]", faults) for i, v in enumerate(fields.items(key)))

    point: specs.Point
    if "mean" in fields.values:
        point = specs.Mean(refs("mean"))
    elif "first_of" in fields.values:
        point = specs.FirstOf(refs("first_of"))
    elif "in_frame" in fields.values:
        offset = fields.items("offset")
        if len(offset) != 3:
            faults.add(f"{fields.at('offset')}: expected three formulas")
            offset = [0, 0, 0]
        x, y, z = (
            fields.catch(lambda v=v, i=i: parse_expression(v, f"{fields.at('offset')}[{i}]"))  # type: ignore[misc]
            or parse_expression(0, where)
            for i, v in enumerate(offset)
        )
        point = specs.InFrame(fields.text("in_frame"), (x, y, z))
    elif "chord" in fields.values:
        c = fields.mapping("chord")
        point = specs.Chord(
            ref(c, "proximal"),
            ref(c, "wand"),
            ref(c, "lateral"),
            c.required_expression("radius"),
            c.required_expression("dihedral"),
        )
        c.done()
    elif "turn" in fields.values:
        t = fields.mapping("turn")
        axis = parse_vector(t.raw("axis"), t.at("axis"), faults)
        point = specs.TurnPoint(ref(t, "point"), ref(t, "about"), axis, t.required_expression("angle"))
        t.done()
    elif "between" in fields.values:
        ends = refs("between")
        if len(ends) != 2:
            faults.add(f"{fields.at('between')}: expected two points")
            ends = ("?", "?")
        point = specs.Between(ends[0], ends[1], fields.required_expression("fraction"))
    elif "along" in fields.values:
        axis = parse_vector(fields.raw("along"), fields.at("along"), faults)
        point = specs.Along(axis, ref(fields, "from"), fields.required_expression("distance"))
    elif "level" in fields.values:
        v = fields.mapping("level")
        when = v.text("when", None, ("foot_flat",)) if "when" in v.values else None
        point = specs.Level(ref(v, "point"), ref(v, "with"), v.required_expression("plus"), when)
        v.done()
    else:
        faults.add(
            f"{where}: expected one of mean, first_of, in_frame, chord, turn, between, along, level; "
            f"found {', '.join(fields.values) or 'nothing'}"
        )
        return specs.Mean(())
    fields.done()
    return point


def parse_vector(value: object, where: str, faults: Faults) -> specs.Vector:
    """A vector: an axis of a frame, two points, or a definition."""
    if isinstance(value, str):
        frame, _, axis = value.rpartition(".")
        if not frame or axis not in AXES or len(axis) != 1:
            faults.add(f"{where}: expected an axis of a frame such as shank.y, found {value!r}")
        return specs.FrameAxis(frame, axis[:1] or "x")
    if isinstance(value, list) and len(value) == 2:
        return specs.FromTo(parse_ref(value[0], f"{where}[0]", faults), parse_ref(value[1], f"{where}[1]", faults))
    fields = Fields(value, where, faults)
    vector: specs.Vector
    if "cross" in fields.values:
        pair = fields.items("cross")
        if len(pair) != 2:
            faults.add(f"{fields.at('cross')}: expected two vectors")
            pair = ["?.x", "?.x"]
        vector = specs.CrossOf(*(parse_vector(v, f"{fields.at('cross')}[{i}]", faults) for i, v in enumerate(pair)))
    elif "laboratory" in fields.values:
        axis = fields.text("laboratory", among=AXES)
        vector = specs.LaboratoryAxis(axis if axis in tuple(AXES) else "x", fields.expression("times", None))
    elif "axis" in fields.values:
        inner = parse_vector(fields.text("axis"), fields.at("axis"), faults)
        assert isinstance(inner, specs.FrameAxis)
        vector = specs.FrameAxis(inner.frame, inner.axis, fields.expression("times", None))
    else:
        start, end = (
            parse_ref(fields.raw(key), fields.at(key), faults) if key in fields.values else fields.text(key)
            for key in ("from", "to")
        )
        vector = specs.FromTo(start, end, fields.expression("times", None))
    fields.done()
    return vector


def _axis_and_vector(fields: Fields, key: str) -> tuple[str, specs.Vector]:
    inner = fields.mapping(key)
    letters = [letter for letter in inner.values if letter in ("x", "y", "z")]
    if len(letters) != 1 or len(inner.values) != 1:
        fields.faults.add(f"{fields.at(key)}: expected one of x, y, z with its vector, found {list(inner.values)}")
        return "x", specs.FrameAxis("?", "x")
    return letters[0], parse_vector(inner.values[letters[0]], inner.at(letters[0]), fields.faults)


def parse_frame(fields: Fields) -> specs.Frame:
    """A frame's definition."""
    frame: specs.Frame
    if "turn" in fields.values:
        by = []
        for i, item in enumerate(fields.items("by")):
            step = Fields(item, f"{fields.at('by')}[{i}]", fields.faults)
            if len(step.values) != 1 or not set(step.values) <= set(AXES):
                fields.faults.add(f"{step.path}: expected one axis and its angle, as {{y: angle}}")
                continue
            (letter,) = step.values
            by.append((letter, step.required_expression(letter)))
        frame = specs.TurnedFrame(fields.text("turn"), tuple(by))
    else:
        keep, keep_vector = _axis_and_vector(fields, "keep")
        toward, toward_vector = _axis_and_vector(fields, "toward")
        if keep == toward:
            fields.faults.add(f"{fields.path}: keep and toward name the same axis {keep}")
        origin = parse_ref(fields.raw("origin"), fields.at("origin"), fields.faults)
        frame = specs.AxesFrame(origin, keep, keep_vector, toward, toward_vector)
    fields.done()
    return frame
