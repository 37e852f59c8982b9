"""A model's YAML -> `Model`. Every refusal names the key's path; all faults are gathered before one is raised."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.choices import Defined
from gaitid.model.columns import LENGTH_UNITS
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Faults, Fields, labels_of, once, whole
from gaitid.model.find import beside
from gaitid.model.settings import parse_settings
from gaitid.model.shape_parser import parse_frame, parse_point, parse_ref, parse_vector, part
from gaitid.model.shapes import Between, FrameName, InFrame, PointName, PointRef, pose_points
from gaitid.model.validate import Names, faults_of
from gaitid.trial import pose_labels

if TYPE_CHECKING:
    from gaitid.model.pose import Multibody


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
    result = [(str(word).lstrip("-"), -1 if str(word).startswith("-") else 1) for word in words]
    if sorted(letter for letter, _ in result) != ["x", "y", "z"]:
        fields.faults.add(f"{fields.at('forward_up_right')}: expected x, y and z with their signs, found {words}")
        return ("x", 1), ("z", 1), ("y", -1)
    if np.linalg.det([[sign * (letter == a) for a in "xyz"] for letter, sign in result]) < 0:
        fields.faults.add(f"{fields.at('forward_up_right')}: expected forward × up = right, found {words}")
    first, second, third = result
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


SCHEMA = 1


def parse_model(
    content: object,
    table: specs.Table,
    paths: tuple[Path, ...],
    name: str,
    optional: Set[Defined] = frozenset(),
    file: Path | None = None,
    checked: bool = False,
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
    file : Path, optional
        In which faults are looked for, to name their lines.
    checked : bool
        Every key is right, and so are they together: only what nothing uses is looked for.

    Raises
    ------
    ModelError
        One line with every fault found.
    """
    faults = Faults(name, file)
    top = Fields(content, "", faults)
    if top.raw("gaitid_model") != SCHEMA:
        raise ModelError(f"{name}: not a gaitid model", expected=f"gaitid_model: {SCHEMA}")
    given = top.mapping("sides")
    sides = tuple(_side(given, side) for side in ("left", "right") if given.has(side))
    given.done()
    if not sides:
        faults.add("sides: expected left, right or both")
    elif len(sides) == 2 and (sides[0].letter == sides[1].letter or sides[0].sign == sides[1].sign):
        faults.add("sides: left and right must differ in letter and in sign")
    subject: dict[str, specs.Measurement] = {}
    keys: set[str] = set()
    for section, sided in (("subject", False), ("subject_each_side", True)):
        group = top.mapping(section, {})
        for key in group.values:
            measurement = parse_measurement(group, key)._replace(name=key, sided=sided)
            if key in subject:
                faults.add(f"{group.at(key)}: the name is given twice, in subject and in subject_each_side")
            if measurement.key in keys:
                faults.add(f"{group.at(key)}.key: {measurement.key!r} is the key of another measurement")
            subject[key] = measurement
            keys.add(measurement.key)
    subject.setdefault(specs.SEX.name, specs.SEX)
    middle = parse_scope(top.mapping("middle", {}))
    each_side = parse_scope(top.mapping("each_side"))
    for where, scope in (("middle", middle), ("each_side", each_side)):
        for key in sorted(scope.numbers.keys() & subject.keys()):
            faults.add(
                f"{where}.numbers.{key}: the name is that of a measurement, which the number would hide; rename it"
            )
    spans = top.mapping("spans", {}).each(parse_span)
    base = parse_base(top.mapping("base"))
    bodies = [Fields(item, f"chain[{i}]", faults) for i, item in enumerate(top.items("chain"))]
    nexts = [*(str(fields.values.get("segment")) for fields in bodies[1:]), base.segment]
    chain = tuple(parse_chain_segment(fields, on, table) for fields, on in zip(bodies, nexts, strict=False))
    chain = tuple(measured_along(body, f"chain[{i}]", spans, table, faults) for i, body in enumerate(chain))
    if base.body is not None:
        base = base._replace(body=measured_along(base.body, "base", spans, table, faults))
    heel = toe = instead_of_toe = instead_of_heel = ""
    if top.has("ground_contact"):
        contact = top.mapping("ground_contact")
        heel, toe = contact.text("heel"), contact.text("toe")
        instead_of_toe, instead_of_heel = contact.text("instead_of_toe", ""), contact.text("instead_of_heel", "")
        contact.done()
    progression = _progression(top, "progression") if top.has("progression") else None
    angles, moments = top.mapping("angles"), top.mapping("moments", {})
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
        vertical=top.text("vertical", "", ("x", "y", "z", "-x", "-y", "-z")) if top.has("vertical") else "",
        angles=angles.each(angle_of),
        moments=moments.each(_moment),
        settings=parse_settings(top.mapping("settings", {})),
        no_wrenches_because=top.text("no_wrenches_because", ""),
        caution=top.text("caution", ""),
        unchecked=top.text("unchecked", ""),
        instead_of_heel=instead_of_heel,
        pose=_pose(top) if top.has("pose") else None,
        upper_body=_upper_body(top, paths) if top.has("upper_body") else None,
        lengths=top.mapping("lengths", {}).each(_lengths),
        distal_foot_power=top.flag("distal_foot_power", False),
    )
    top.asked |= {"sources", "table", "choices"}
    top.done()
    if not faults.lines:
        names = Names(model).without_unused(optional)
        for fault in () if checked else faults_of(names):
            faults.add(fault)
        model = _with_pelvis_in_order(names.model, faults)
    faults.raise_if_any()
    return model


def _upper_body(top: Fields, paths: tuple[Path, ...]) -> Path | None:
    """The file of trunk, head and arms."""
    name = top.text("upper_body")
    return top.catch(lambda: beside(name, paths)) if name else None


def _pose(top: Fields) -> Multibody | None:
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


@whole
def _side(side: Fields) -> specs.Side:
    sign = side.number("sign", low=-1, high=1)
    if sign not in (-1.0, 1.0):
        side.faults.add(f"{side.at('sign')}: expected 1 or -1")
    return specs.Side(side.path.partition(".")[2], side.text("letter"), int(sign))


@whole
def _progression(fields: Fields) -> specs.Progression:
    return specs.Progression(
        fields.text("point"),
        fields.text("axes", among=("displacement", "laboratory")),
        # right-handed: forward × left = up
        fields.text("forward_left_up", "xyz", ("xyz", "yzx", "zxy")),
    )


def _columns(fields: Fields) -> tuple[dict[str, Expression], dict[str, tuple[PointName, ...]]]:
    """Formulas of columns, and for those that say so the points that they need."""
    columns: dict[str, Expression] = {}
    needs: dict[str, tuple[PointName, ...]] = {}
    for key in [key for key in fields.values if key not in fields.asked]:
        if isinstance(fields.values[key], Mapping):
            inner = fields.mapping(key)
            columns[key] = inner.required_expression("value")
            needs[key] = tuple(map(PointName, parse_names(inner, "needs")))
            inner.done()
        else:
            columns[key] = fields.required_expression(key)
    return columns, needs


@once
def angle_of(fields: Fields) -> specs.Angle:
    """The angles between two frames."""
    proximal, distal = fields.text("proximal"), fields.text("distal")
    sequence, optional = fields.text("sequence", among=SEQUENCES), fields.flag("optional", False)
    return specs.Angle(proximal, distal, sequence, *_columns(fields), optional)


@once
def _lengths(fields: Fields) -> dict[str, Expression]:
    """Formulas by their units."""
    return {unit: fields.required_expression(unit) for unit in fields.values if unit in LENGTH_UNITS}


@once
def _moment(fields: Fields) -> specs.Moment:
    return specs.Moment(fields.text("axes"), *_columns(fields))
