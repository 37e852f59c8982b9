"""A model's YAML -> `Model`. Every refusal names the key's path; all faults are gathered before one is raised."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.choices import Defined
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Faults, Fields
from gaitid.model.settings import WORDS
from gaitid.model.shapes import (
    Between,
    FrameName,
    InFrame,
    PointName,
    PointRef,
    parse_frame,
    parse_point,
    parse_ref,
    parse_vector,
    pose_points,
)
from gaitid.model.validate import faults_of, without_unused
from gaitid.trial import pose_labels

if TYPE_CHECKING:
    from gaitid.model.pose import Multibody

SCHEMA = 1
SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
UNITS = ("kg", "mm", "cm", "m", "rad", "deg", "years")
# m. The distance between neighbouring joint centres of a limb, from a newborn's to a giant's, and that of a segment
# whose mass in kg a table gives, which may be any: outside, the markers are in another unit.
LENGTHS, MEASURED_LENGTHS = (0.04, 0.8), (0.001, 10.0)


def parse_model(
    content: object, table: specs.Table, paths: tuple[Path, ...], name: str, optional: Set[Defined] = frozenset()
) -> specs.Model:
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
    optional : set of Defined
        What options of choices define: left out where nothing uses it.

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
    sides = tuple(_side(sides_fields, side) for side in ("left", "right") if side in sides_fields.values)
    sides_fields.asked |= {"left", "right"}
    sides_fields.done()
    if not sides:
        faults.add("sides: expected left, right or both")
    elif len(sides) == 2 and (sides[0].letter == sides[1].letter or sides[0].sign == sides[1].sign):
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
    subject.setdefault(specs.SEX.name, specs.SEX)
    middle = _scope(top.mapping("middle", {}))
    each_side = _scope(top.mapping("each_side"))
    spans = _spans(top.mapping("spans", {}))
    base = _base(top.mapping("base"))
    bodies = [Fields(item, f"chain[{i}]", faults) for i, item in enumerate(top.items("chain"))]
    nexts = [*(str(fields.values.get("segment")) for fields in bodies[1:]), base.segment]
    chain = tuple(_chain_segment(fields, on, table) for fields, on in zip(bodies, nexts, strict=False))
    chain = tuple(_measured_along(body, f"chain[{i}]", spans, table, faults) for i, body in enumerate(chain))
    if base.body is not None:
        base = base._replace(body=_measured_along(base.body, "base", spans, table, faults))
    heel = toe = instead_of_toe = instead_of_heel = ""
    if "ground_contact" in top.values:
        contact = top.mapping("ground_contact")
        heel, toe = contact.text("heel"), contact.text("toe")
        instead_of_toe = contact.text("instead_of_toe", "")
        instead_of_heel = contact.text("instead_of_heel", "")
        contact.done()
    progression = _progression(top.mapping("progression")) if "progression" in top.values else None
    angles = top.mapping("angles")
    moments = top.mapping("moments", {})
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
        vertical=top.text("vertical", "", ("x", "y", "z", "-x", "-y", "-z")) if "vertical" in top.values else "",
        angles={key: _angle(angles.mapping(key)) for key in list(angles.values)},
        moments={key: _moment(moments.mapping(key)) for key in list(moments.values)},
        settings=parse_settings(top.mapping("settings", {})),
        no_wrenches_because=top.text("no_wrenches_because", ""),
        caution=top.text("caution", ""),
        instead_of_heel=instead_of_heel,
        pose=_pose(top),
    )
    top.asked |= {"sources", "table", "ground_contact", "progression", "vertical", "choices", "pose"}
    top.done()
    if not faults.lines:
        model = without_unused(model, optional)
        for fault in faults_of(model):
            faults.add(fault)
        model = _with_pelvis_in_order(model, faults)
    faults.raise_if_any()
    return model


def _pose(top: Fields) -> Multibody | None:
    """How segments are posed, where the model says it."""
    if "pose" not in top.values:
        return None
    from gaitid.model.pose import parse_pose  # of few models

    return parse_pose(top.mapping("pose"))


def _with_pelvis_in_order(model: specs.Model, faults: Faults) -> specs.Model:
    """The model with the angles of its pelvis in the order of its settings.

    The same three axes the other way round, each angle about the axis that it was about: a and c change places in the
    sequence and in the formulas.
    """
    wanted, pelvis = model.settings.pelvis_sequence, model.angles.get("pelvis")
    if wanted == "as_written":
        return model
    if pelvis is None or pelvis.proximal != "progression" or model.progression is None:
        faults.add("settings.pelvis_sequence: the model has no angles `pelvis` of a frame in `progression`")
        return model
    first = model.progression.letters[1 if wanted == "tilt_first" else 2]  # of forward, left, up
    if pelvis.sequence[0] == first:
        return model
    if pelvis.sequence[2] != first:
        found = f"angles.pelvis has the sequence {pelvis.sequence}"
        faults.add(f"settings.pelvis_sequence: {found}, expected {first} at one of its ends")
        return model
    columns = {}
    for name, formula in pelvis.columns.items():
        text = re.sub(r"\b[ac]\b", lambda found: "c" if found[0] == "a" else "a", formula.text)
        columns[name] = parse_expression(text, f"angles.pelvis.{name}")
    turned = pelvis._replace(sequence=pelvis.sequence[::-1], columns=columns)
    return model._replace(angles={**model.angles, "pelvis": turned})


def parse_settings(fields: Fields) -> specs.Settings:
    """The `settings` section, or pairs given with ``--set``; what is absent keeps the class's default."""
    d = specs.Settings()
    settings = specs.Settings(
        gravity_m_per_s2=fields.number("gravity_m_per_s2", d.gravity_m_per_s2, 0, 100),
        cutoff_hz="auto" if fields.raw("cutoff_hz", "auto") == "auto" else _cutoff(fields, "cutoff_hz"),
        marker_filter=_word(fields, "marker_filter"),
        spline_mse_mm2=_cutoff(fields, "spline_mse_mm2", 1e-10),
        raw_cutoff_hz=fields.number("raw_cutoff_hz", d.raw_cutoff_hz, 0.01, 100000.0),
        force_cutoff_hz=_cutoff(fields, "force_cutoff_hz"),
        joint_loads=_word(fields, "joint_loads"),
        plate_sampling=_word(fields, "plate_sampling"),
        acceleration=_word(fields, "acceleration"),
        angular_velocity=_word(fields, "angular_velocity"),
        segment_length=_word(fields, "segment_length"),
        jcs_components=_word(fields, "jcs_components"),
        end_frames=fields.integer("end_frames", d.end_frames, 2, 1000),
        contact_threshold_N=fields.number("contact_threshold_N", d.contact_threshold_N, 1, 1000),
        contact_edge_N=fields.number("contact_edge_N", d.contact_edge_N, 0.1, 1000),
        remove_bias=_word(fields, "remove_bias"),
        bias_limit_N=fields.number("bias_limit_N", d.bias_limit_N, 0.0, 1000),
        edge_frames=_word(fields, "edge_frames"),
        external_support=fields.flag("external_support", d.external_support),
        pelvis_sequence=_word(fields, "pelvis_sequence"),
        doubtful_labels=_word(fields, "doubtful_labels"),
        gap_sure_s=fields.number("gap_sure_s", d.gap_sure_s, 0.0, 2.0),
        gap_spline_s=fields.number("gap_spline_s", d.gap_spline_s, 0.0, 2.0),
        gap_rigid_s=fields.number("gap_rigid_s", d.gap_rigid_s, 0.0, 2.0),
        gap_error_mm=fields.number("gap_error_mm", d.gap_error_mm, 0.0, 100.0),
    )
    if settings.contact_edge_N > settings.contact_threshold_N:
        fields.faults.add(f"{fields.at('contact_edge_N')}: must not be above contact_threshold_N")
    fields.done()
    return settings


def _word(fields: Fields, key: str) -> str:
    """One of `WORDS`."""
    return fields.text(key, str(getattr(specs.Settings(), key)), WORDS[key])


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
    low, high = _range(fields, "range")
    static_value = fields.raw("static", None)
    static: Expression | specs.StaticAngle | specs.StaticTurn | None
    if isinstance(static_value, Mapping):
        static = _static_angle(fields.mapping("static"))
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
        c3d=_c3d_names(fields),
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
    fields.done()
    return result


def _static_angle(fields: Fields) -> specs.StaticAngle | specs.StaticTurn:
    """A calibration angle: between two frames, or between two vectors."""
    angle: specs.StaticAngle | specs.StaticTurn
    if "from" in fields.values or "to" in fields.values:
        start, end = (parse_vector(fields.raw(key), fields.at(key), fields.faults) for key in ("from", "to"))
        about = None
        if "about" in fields.values:
            about = parse_vector(fields.raw("about"), fields.at("about"), fields.faults)
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


def _labels(group: Fields) -> dict[str, tuple[str, ...]]:
    """The labels of each role."""
    markers: dict[str, tuple[str, ...]] = {}
    for key, value in group.values.items():
        labels = [value] if isinstance(value, str) else value
        if not isinstance(labels, list) or not labels or not all(isinstance(v, str) and v for v in labels):
            group.faults.add(f"{group.at(key)}: expected a label or a list of labels, found {value!r}")
            labels = ["?"]
        markers[key] = tuple(labels)
    return markers


def _poses(group: Fields) -> dict[str, tuple[str, ...]]:
    """The points that stand for each stored pose, as markers, and the labels of each."""
    return {
        point: tuple(label for segment in segments for label in pose_labels([segment])[i : i + 1])
        for pose, segments in _labels(group).items()
        for i, point in enumerate(pose_points(pose))
    }


def _scope(fields: Fields) -> specs.Scope:
    markers = _labels(fields.mapping("markers", {}))
    calibration = _labels(fields.mapping("calibration_markers", {}))
    for key in sorted(markers.keys() & calibration.keys()):
        fields.faults.add(f"{fields.at('calibration_markers')}.{key}: the name is given twice, in markers too")
    markers |= _poses(fields.mapping("poses", {}))
    markers |= dict.fromkeys(_names(fields, "landmarks", markers), ())
    clusters = _names(fields, "clusters", markers)
    numbers = fields.mapping("numbers", {})
    points = fields.mapping("points", {})
    frames = fields.mapping("frames", {})
    scope = specs.Scope(
        markers,
        clusters,
        {key: numbers.required_expression(key) for key in numbers.values},
        {key: parse_point(points.values[key], points.at(key), fields.faults) for key in points.values},
        {key: parse_frame(frames.mapping(key)) for key in list(frames.values)},
        calibration,
    )
    fields.done()
    return scope


def _c3d_names(fields: Fields) -> tuple[str, ...]:
    """The names that a measurement may have in a trial: text, or a list."""
    value = fields.raw("c3d", "")
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        fields.faults.add(f"{fields.at('c3d')}: expected a name or a list of names, found {value!r}")
        return ()
    return tuple(name for name in names if name)


def _names(fields: Fields, key: str, taken: Mapping[str, object] = {}) -> tuple[str, ...]:
    """A list of names under an optional key; none of those that are taken."""
    if key not in fields.values:
        fields.asked.add(key)
        return ()
    names = fields.items(key)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            fields.faults.add(f"{fields.at(key)}: expected names such as knee_lateral, found {name!r}")
        elif name in taken or names.count(name) > 1:
            fields.faults.add(f"{fields.at(key)}: the name {name!r} is given twice")
    return tuple(name for name in names if isinstance(name, str))


def _chain_segment(fields: Fields, following: str, table: specs.Table) -> specs.Segment:
    """An entry of the chain; `following` is what it hangs from by default."""
    row = fields.text("row", fields.text("segment"))
    rows = [table.rows.get(key) for key in (row, f"left.{row}", f"right.{row}")]
    measured = any(one is not None and one.mass_kg is not None for one in rows)
    lengths = _range(fields, "length_range_m", MEASURED_LENGTHS if measured else LENGTHS)
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


def _spans(section: Fields) -> dict[str, specs.Span]:
    """What tables may be measured along; one set to null is none."""
    spans = {}
    for name in list(section.values):
        fields = section.mapping(name)
        axes = tuple((str(word).lstrip("-"), -1 if str(word).startswith("-") else 1) for word in _axes(fields))
        ends = fields.text("segment"), fields.text("from"), fields.text("to")
        spans[name] = specs.Span(*ends, axes)  # type: ignore[arg-type]
        fields.done()
    return spans


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


def _measured_along(
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


def _base(fields: Fields) -> specs.Base:
    base = specs.Base(fields.text("segment"), fields.text("frame"), fields.text("origin"))
    if {"row", "com", "length", "joint", "centre"} & set(fields.values):
        base = base._replace(body=_segment(fields, "", False, (0.0, math.inf)))
    fields.done()
    return base


def _progression(fields: Fields) -> specs.Progression:
    progression = specs.Progression(
        fields.text("point"),
        fields.text("axes", among=("displacement", "laboratory")),
        # right-handed: forward × left = up
        fields.text("forward_left_up", "xyz", ("xyz", "yzx", "zxy")),
    )
    fields.done()
    return progression


def _range(fields: Fields, key: str, default: tuple[float, float] | None = None) -> tuple[float, float]:
    """[low, high]; required without a default."""
    bounds = fields.raw(key) if default is None else fields.raw(key, list(default))
    numbers = isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(b, (int, float)) for b in bounds)
    if not (numbers and bounds[0] < bounds[1]):
        fields.faults.add(f"{fields.at(key)}: expected [low, high], found {bounds!r}")
        return default or (0.0, 1.0)
    return float(bounds[0]), float(bounds[1])


def _columns(fields: Fields) -> tuple[dict[str, Expression], dict[str, tuple[PointName, ...]]]:
    """Formulas of columns, and for those that say so the points that they need."""
    columns: dict[str, Expression] = {}
    needs: dict[str, tuple[PointName, ...]] = {}
    for key in [key for key in fields.values if key not in fields.asked]:
        if isinstance(fields.values[key], Mapping):
            inner = fields.mapping(key)
            columns[key] = inner.required_expression("value")
            needs[key] = tuple(map(PointName, _names(inner, "needs")))
            inner.done()
        else:
            columns[key] = fields.required_expression(key)
    return columns, needs


def _angle(fields: Fields) -> specs.Angle:
    proximal, distal = fields.text("proximal"), fields.text("distal")
    sequence = fields.text("sequence", among=SEQUENCES)
    return specs.Angle(proximal, distal, sequence, *_columns(fields))


def _moment(fields: Fields) -> specs.Moment:
    axes: Any = fields.text("axes")
    return specs.Moment(axes, *_columns(fields))
