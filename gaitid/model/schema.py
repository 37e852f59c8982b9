"""A model's YAML -> `Model`. Every refusal names the key's path; all faults are gathered before one is raised."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.check import check_references
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Faults, Fields

SCHEMA = 1
AXES = "xyz"
SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
UNITS = ("kg", "mm", "cm", "m", "rad", "deg")


def parse_model(content: object, table: specs.Table, paths: tuple[Path, ...], name: str) -> specs.Model:
    """Check a model's content and make a `Model` of it.

    Parameters
    ----------
    content : object
        What the YAML holds, with `extends` already merged.
    table : Table
    paths : tuple of Path
        The files it came from, the model itself first.
    name : str
        Of the file, for the error.

    Raises
    ------
    ModelError
        One line with every fault found.
    """
    faults = Faults(name)
    top = Fields(content, "", faults)
    if top.raw("gaitid_model") != SCHEMA:
        raise ModelError(f"{name}: not a gaitid model", expected=f"gaitid_model: {SCHEMA}")
    sides_fields = top.mapping("sides")
    sides = tuple(_side(sides_fields, side) for side in ("left", "right"))
    sides_fields.done()
    if sides[0].letter == sides[1].letter or sides[0].sign == sides[1].sign:
        faults.add("sides: left and right must differ in letter and in sign")
    subject: dict[str, specs.Measurement] = {}
    for section, sided in (("subject", False), ("subject_each_side", True)):
        group = top.mapping(section, {})
        for key in list(group.values):
            measurement = _measurement(group.mapping(key), key, sided)
            if key in subject:
                faults.add(f"{group.at(key)}: the name is given twice, in subject and in subject_each_side")
            if any(other.key == measurement.key for other in subject.values()):
                faults.add(f"{group.at(key)}.key: {measurement.key!r} is the key of another measurement")
            subject[key] = measurement
    middle = _scope(top.mapping("middle", {}))
    each_side = _scope(top.mapping("each_side"))
    chain = tuple(_body(Fields(item, f"chain[{i}]", faults)) for i, item in enumerate(top.items("chain")))
    base_fields = top.mapping("base")
    base = specs.Base(base_fields.text("segment"), base_fields.text("frame"), base_fields.text("origin"))
    base_fields.done()
    contact = top.mapping("ground_contact")
    heel, toe = contact.text("heel"), contact.text("toe")
    instead_of_toe = contact.text("instead_of_toe", "")
    contact.done()
    progress = top.mapping("progression")
    progression = specs.Progression(
        progress.text("point"),
        progress.text("axes", among=("displacement", "laboratory")),
        # right-handed: forward × left = up
        progress.text("forward_left_up", "xyz", ("xyz", "yzx", "zxy")),
    )
    progress.done()
    angles = top.mapping("angles")
    moments = top.mapping("moments")
    model = specs.Model(
        name=top.text("name"),
        title=top.text("title", ""),
        paths=paths,
        sides=sides,
        table=table,
        subject=subject,
        middle=middle,
        each_side=each_side,
        chain=chain,
        base=base,
        heel=heel,
        toe=toe,
        instead_of_toe=instead_of_toe,
        progression=progression,
        angles={key: _angle(angles.mapping(key)) for key in list(angles.values)},
        moments={key: _moment(moments.mapping(key)) for key in list(moments.values)},
        settings=parse_settings(top.mapping("settings", {})),
    )
    top.raw("sources", None)
    top.raw("table", None)
    top.done()
    if not faults.lines:
        check_references(model, faults)
    faults.raise_if_any()
    return model


def parse_settings(fields: Fields) -> specs.Settings:
    """The `settings` section, or pairs given with ``--set``; what is absent keeps the class's default."""
    d = specs.Settings()
    settings = specs.Settings(
        gravity_m_per_s2=fields.number("gravity_m_per_s2", d.gravity_m_per_s2, 0, 100),
        cutoff_hz="auto" if fields.raw("cutoff_hz", "auto") == "auto" else _cutoff(fields, "cutoff_hz"),
        marker_filter=fields.text("marker_filter", d.marker_filter, ("butterworth", "gcv_spline", "savitzky_golay")),
        spline_mse_mm2=_cutoff(fields, "spline_mse_mm2", 1e-10),
        raw_cutoff_hz=fields.number("raw_cutoff_hz", d.raw_cutoff_hz, 0.01, 100000.0),
        force_cutoff_hz=_cutoff(fields, "force_cutoff_hz"),
        plate_sampling=fields.text("plate_sampling", d.plate_sampling, ("local_quadratic", "centred_mean")),
        acceleration=fields.text("acceleration", d.acceleration, ("quintic_spline",)),
        angular_velocity=fields.text("angular_velocity", d.angular_velocity, ("quaternion_spline", "single_entries")),
        segment_length=fields.text("segment_length", d.segment_length, ("trial_mean", "current")),
        end_frames=fields.whole("end_frames", d.end_frames, 2, 1000),
        contact_threshold_N=fields.number("contact_threshold_N", d.contact_threshold_N, 1, 1000),
        contact_edge_N=fields.number("contact_edge_N", d.contact_edge_N, 0.1, 1000),
        remove_bias=fields.text("remove_bias", d.remove_bias, ("auto", "always", "never")),
        bias_limit_N=fields.number("bias_limit_N", d.bias_limit_N, 0.0, 1000),
        edge_frames=fields.text("edge_frames", d.edge_frames, ("unknown", "known")),
        doubtful_labels=fields.text("doubtful_labels", d.doubtful_labels, ("unknown", "keep")),
        gap_sure_s=fields.number("gap_sure_s", d.gap_sure_s, 0.0, 2.0),
        gap_spline_s=fields.number("gap_spline_s", d.gap_spline_s, 0.0, 2.0),
        gap_rigid_s=fields.number("gap_rigid_s", d.gap_rigid_s, 0.0, 2.0),
        gap_error_mm=fields.number("gap_error_mm", d.gap_error_mm, 0.0, 100.0),
    )
    if settings.contact_edge_N > settings.contact_threshold_N:
        fields.faults.add(f"{fields.at('contact_edge_N')}: must not be above contact_threshold_N")
    fields.done()
    return settings


def _cutoff(fields: Fields, key: str, low: float = 0.01) -> float | None:
    value = fields.raw(key, None)
    if value is None or value == "none":
        return None
    return fields.number(key, low=low, high=100000.0)


def _side(fields: Fields, name: str) -> specs.Side:
    side = fields.mapping(name)
    sign = side.number("sign", low=-1, high=1)
    if sign not in (-1.0, 1.0):
        side.faults.add(f"{side.at('sign')}: expected 1 or -1")
    result = specs.Side(name, side.text("letter"), int(sign))
    side.done()
    return result


def _measurement(fields: Fields, name: str, sided: bool) -> specs.Measurement:
    bounds = fields.raw("range")
    if not (
        isinstance(bounds, list)
        and len(bounds) == 2
        and all(isinstance(b, (int, float)) for b in bounds)
        and bounds[0] < bounds[1]
    ):
        fields.faults.add(f"{fields.at('range')}: expected [low, high], found {bounds!r}")
        bounds = [0, 1]
    static_value = fields.raw("static", None)
    static: Expression | specs.StaticAngle | None
    if isinstance(static_value, Mapping):
        inner = fields.mapping("static")
        static = specs.StaticAngle(
            inner.text("proximal"),
            inner.text("distal"),
            inner.text("sequence", among=SEQUENCES),
            inner.required_expression("value"),
        )
        inner.done()
    else:
        static = fields.expression("static", None)
    unit = fields.text("unit", among=UNITS)
    key = fields.text("key")
    if unit and not key.endswith(f"_{unit}"):
        fields.faults.add(f"{fields.at('key')}: must end in its unit, _{unit}")
    result = specs.Measurement(
        name=name,
        sided=sided,
        key=key,
        unit=unit,
        c3d_unit=fields.text("c3d_unit", unit, UNITS),
        c3d=fields.text("c3d", ""),
        low=float(bounds[0]),
        high=float(bounds[1]),
        optional=fields.flag("optional", False),
        zero_is_absent=fields.flag("zero_is_absent", False),
        static=static,
        otherwise=fields.expression("otherwise", None),
        because=fields.text("because", ""),
    )
    if result.otherwise is not None and not result.because:
        fields.faults.add(f"{fields.at('because')}: missing (why the value of otherwise may be taken)")
    fields.done()
    return result


def _scope(fields: Fields) -> specs.Scope:
    markers: dict[str, tuple[str, ...]] = {}
    group = fields.mapping("markers", {})
    for key, value in group.values.items():
        labels = [value] if isinstance(value, str) else value
        if not isinstance(labels, list) or not labels or not all(isinstance(v, str) and v for v in labels):
            fields.faults.add(f"{group.at(key)}: expected a label or a list of labels, found {value!r}")
            labels = ["?"]
        markers[key] = tuple(labels)
    numbers = fields.mapping("numbers", {})
    points = fields.mapping("points", {})
    frames = fields.mapping("frames", {})
    scope = specs.Scope(
        markers,
        {key: numbers.required_expression(key) for key in numbers.values},
        {key: _point(points.values[key], points.at(key), fields.faults) for key in points.values},
        {key: _frame(frames.mapping(key)) for key in list(frames.values)},
    )
    fields.done()
    return scope


def _ref(value: object, where: str, faults: Faults) -> specs.PointRef:
    return value if isinstance(value, str) else _point(value, where, faults)


def _point(value: object, where: str, faults: Faults) -> specs.Point:
    fields = Fields(value, where, faults)

    def ref(f: Fields, key: str) -> specs.PointRef:
        return _ref(f.raw(key), f.at(key), faults)

    def refs(key: str) -> tuple[specs.PointRef, ...]:
        return tuple(_ref(v, f"{fields.at(key)}[{i}]", faults) for i, v in enumerate(fields.items(key)))

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
        axis = _vector(t.raw("axis"), t.at("axis"), faults)
        point = specs.TurnPoint(ref(t, "point"), ref(t, "about"), axis, t.required_expression("angle"))
        t.done()
    elif "between" in fields.values:
        ends = refs("between")
        if len(ends) != 2:
            faults.add(f"{fields.at('between')}: expected two points")
            ends = ("?", "?")
        point = specs.Between(ends[0], ends[1], fields.required_expression("fraction"))
    elif "along" in fields.values:
        axis = _vector(fields.raw("along"), fields.at("along"), faults)
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


def _vector(value: object, where: str, faults: Faults) -> specs.Vector:
    if isinstance(value, str):
        frame, _, axis = value.rpartition(".")
        if not frame or axis not in AXES or len(axis) != 1:
            faults.add(f"{where}: expected an axis of a frame such as shank.y, found {value!r}")
        return specs.FrameAxis(frame, axis[:1] or "x")
    if isinstance(value, list) and len(value) == 2:
        return specs.FromTo(_ref(value[0], f"{where}[0]", faults), _ref(value[1], f"{where}[1]", faults))
    fields = Fields(value, where, faults)
    vector: specs.Vector
    if "cross" in fields.values:
        pair = fields.items("cross")
        if len(pair) != 2:
            faults.add(f"{fields.at('cross')}: expected two vectors")
            pair = ["?.x", "?.x"]
        vector = specs.CrossOf(*(_vector(v, f"{fields.at('cross')}[{i}]", faults) for i, v in enumerate(pair)))
    elif "axis" in fields.values:
        inner = _vector(fields.text("axis"), fields.at("axis"), faults)
        assert isinstance(inner, specs.FrameAxis)
        vector = specs.FrameAxis(inner.frame, inner.axis, fields.expression("times", None))
    else:
        start = _ref(fields.raw("from"), fields.at("from"), faults) if "from" in fields.values else fields.text("from")
        end = _ref(fields.raw("to"), fields.at("to"), faults) if "to" in fields.values else fields.text("to")
        vector = specs.FromTo(start, end, fields.expression("times", None))
        fields.asked |= {"from", "to"}
    fields.done()
    return vector


def _axis_and_vector(fields: Fields, key: str) -> tuple[str, specs.Vector]:
    inner = fields.mapping(key)
    letters = [letter for letter in inner.values if letter in ("x", "y", "z")]
    if len(letters) != 1 or len(inner.values) != 1:
        fields.faults.add(f"{fields.at(key)}: expected one of x, y, z with its vector, found {list(inner.values)}")
        return "x", specs.FrameAxis("?", "x")
    return letters[0], _vector(inner.values[letters[0]], inner.at(letters[0]), fields.faults)


def _frame(fields: Fields) -> specs.Frame:
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
        origin = _ref(fields.raw("origin"), fields.at("origin"), fields.faults)
        frame = specs.AxesFrame(origin, keep, keep_vector, toward, toward_vector)
    fields.done()
    return frame


def _body(fields: Fields) -> specs.Body:
    segment = fields.text("segment")
    body = specs.Body(
        segment=segment,
        frame=fields.text("frame"),
        row=fields.text("row", segment),
        com=_point(fields.raw("com"), fields.at("com"), fields.faults),
        length=fields.required_expression("length"),
        joint=fields.text("joint"),
        centre=fields.text("centre"),
        ground=fields.flag("ground", False),
    )
    fields.done()
    return body


def _columns(fields: Fields) -> dict[str, Expression]:
    return {key: fields.required_expression(key) for key in list(fields.values) if key not in fields.asked}


def _angle(fields: Fields) -> specs.Angle:
    proximal, distal = fields.text("proximal"), fields.text("distal")
    sequence = fields.text("sequence", among=SEQUENCES)
    return specs.Angle(proximal, distal, sequence, _columns(fields))


def _moment(fields: Fields) -> specs.Moment:
    axes: Any = fields.text("axes")
    return specs.Moment(axes, _columns(fields))
