"""A model's YAML -> `Model`. Every refusal names the key's path; all faults are gathered before one is raised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.choices import Defined
from gaitid.model.columns import LENGTH_UNITS
from gaitid.model.expression import Expression, parse_expression
from gaitid.model.fields import Faults, Fields, once, whole
from gaitid.model.find import beside
from gaitid.model.schema_parts import (
    SEQUENCES,
    measured_along,
    parse_base,
    parse_chain_segment,
    parse_measurement,
    parse_names,
    parse_scope,
    parse_span,
)
from gaitid.model.settings import parse_settings
from gaitid.model.shapes import PointName
from gaitid.model.validate import Names, faults_of

if TYPE_CHECKING:
    from gaitid.model.pose import Multibody

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
