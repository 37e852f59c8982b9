"""What was measured of one subject besides by tape: joints in functional trials, and segments that were weighed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from gaitid.body.subject import Subject
from gaitid.errors import ModelError, SubjectError
from gaitid.model import specs
from gaitid.model.fields import Fields, nearest
from gaitid.model.tables import parse_row
from gaitid.model.validate import MOST_OF_BODY, table_faults
from gaitid.notes import Notes, note

if TYPE_CHECKING:
    from gaitid.body.poses import Body

#: Source of a row that a subject file gives.
MEASURED = "subject file: measured"


def measured_rows(section: Fields, model: specs.Model) -> dict[str, specs.SegmentParameters]:
    """The rows of the section `segments` of a subject file, by their names in the table of the model.

    A row is written as in a table (docs/model.md), in the axes and between the points that the table's own row of the
    segment has.
    """
    rows = {}
    known = {f"{side.name}_{body.segment}": (side.name, body) for side in model.sides for body in model.chain}
    for key in list(section.values):
        if key not in known:
            section.asked.add(key)
            section.faults.add(f"{section.at(key)}: no segment of the model {model.name}{nearest(key, list(known))}")
            continue
        side, body = known[key]
        of_table = model.table.rows.get(f"{side}.{body.row}") or model.table.rows.get(body.row)
        row = section.mapping(key)
        span = "" if of_table is None else of_table.span
        if not span and (in_space := [name for name in ("com_m", "com_fractions") if row.has(name)]):
            cure = "give com_fraction, or choose a table with centres in space, as --set table=dumas_2018"
            on_line = f"the table {model.table.name} has the centre of mass of {body.row} on the segment's line"
            section.faults.add(f"{row.at(in_space[0])}: {on_line}: {cure}")
            continue
        rows[f"{side}.{body.row}"] = parse_row(row, MEASURED, span)
    return rows


def with_measured(model: specs.Model, rows: Mapping[str, specs.SegmentParameters]) -> specs.Model:
    """The model with these rows in place of its table's.

    Raises
    ------
    SubjectError
        They are measured in another way than the table's.
    """
    if not rows:
        return model
    changed = model._replace(table=model.table._replace(rows={**model.table.rows, **rows}))
    if faults := [*table_faults(changed)]:
        raise SubjectError(f"segments: {'; '.join(faults)}", todo="correct `segments` of the subject file")
    return changed


# Of a segment's length: a centre of mass or a radius of gyration farther out than this is no body's (as the limit of
# fractions in `gaitid.model.tables`): a number in another unit.
_FARTHEST = 2.0


def check_masses(body: Body, mass_kg: float) -> None:
    """Refuse masses and inertias in kg and kg·m² which this body cannot have.

    Raises
    ------
    ModelError
        All segments together weigh more than the subject, or the mass of one lies farther out than twice its length.
    """
    table = body.model.table
    masses: dict[str, float] = {}
    bodies = [(side, spec) for side in body.sides for spec in body.model.chain]
    base = body.model.base.body
    for side, spec in bodies if base is None else [*bodies, ("", base)]:
        row, name = table.row(spec.row, side), f"{side} {spec.segment}".strip()
        masses[name] = mass_kg * row.mass_fraction if row.mass_kg is None and row.mass_fraction else row.mass_kg or 0.0
        key = spec.row if table.mirrored(spec.row, side) or not side else f"{side}.{spec.row}"
        where = f"{row.source if row.source == MEASURED else table.path}: segments.{key}"
        lengths = body.segments[side, spec.segment].length_m if (side, spec.segment) in body.segments else np.empty(0)
        known = lengths[np.isfinite(lengths)]
        if known.size == 0 or spec.low < 0:  # where joints may lie in one place, lengths say nothing of bodies
            continue
        farthest = _FARTHEST * float(known.mean())
        out = f"{farthest:.2g} m or less, twice the length of the {name}"
        if row.com_m is not None and (distance := float(np.linalg.norm(row.com_m))) > farthest:
            raise ModelError(f"{where}.com_m: not on the segment", expected=out, found=f"{distance:g} m")
        if row.inertia_kg_m2 is not None and row.mass_kg:
            radius = float(np.sqrt(np.linalg.eigvalsh(row.inertia_kg_m2)[-1] / row.mass_kg))
            if radius > farthest:
                wrong = f"{where}.inertia_kg_m2: no body of {row.mass_kg:g} kg on this segment has it"
                raise ModelError(wrong, expected=f"a radius of gyration of {out}", found=f"{radius:.2g} m")
    total = sum(masses.values())
    if total > MOST_OF_BODY * mass_kg:
        heaviest = max(masses, key=lambda name: masses[name])
        raise ModelError(
            f"the segments weigh more than the whole body (table {table.name}, `segments` of the subject file)",
            expected=f"{mass_kg:.4g} kg or less together",
            found=f"{total:.4g} kg, the {heaviest} {masses[heaviest]:.4g} kg",
        )


#: Choices of a model, and their option that takes a joint as it was measured.
HIP_CHOICE, KNEE_CHOICE, FUNCTIONAL = "hip_centre", "knee_axis", "functional"
_COORDINATES = ("forward", "outward", "up")


def measured_joint_notes(model: specs.Model, wanted: Mapping[str, Set[str]], subject: Subject) -> Notes:
    """What stands in on a side whose joint was not measured.

    Parameters
    ----------
    model : Model
    wanted : mapping of side to set of str
        The measurements that the model asks for: not those of a hip whose place a subject file brings.
    subject : Subject

    Raises
    ------
    SubjectError
        No side has one, or a part of one.
    """
    notes: Notes = ()
    if _takes_measured(model, HIP_CHOICE):
        asked = [side for side in wanted if f"{side}.hip_centre_{_COORDINATES[0]}" in wanted[side]]
        without = _hips_without(asked, subject)
        if asked and len(without) == len(asked):
            raise SubjectError(
                f"{HIP_CHOICE}={FUNCTIONAL}: no hip's centre was measured",
                expected="functional trials (--functional), or left_hip_centre_forward_mm, _outward_mm and _up_mm "
                "(--subject)",
                todo=f"give them, or choose a regression with --set {HIP_CHOICE}=NAME",
            )
        notes += tuple(note("functional_partly/hip", side) for side in without)
    if _takes_measured(model, KNEE_CHOICE):
        without = [side for side in wanted if f"{side}_knee" not in subject.functional]
        if len(without) == len(wanted):
            raise SubjectError(
                f"{KNEE_CHOICE}={FUNCTIONAL}: no knee's axis was measured",
                todo="give functional trials with --functional",
            )
        notes += tuple(note("functional_partly/knee", side) for side in without)
    return notes


def _takes_measured(model: specs.Model, choice: str) -> bool:
    return choice in model.choices and model.choices[choice].option == FUNCTIONAL


def _hips_without(sides: Sequence[str], subject: Subject) -> list[str]:
    """The sides whose hip was not measured."""
    without = []
    for side in sides:
        lacking = [x for x in _COORDINATES if f"{side}.hip_centre_{x}" not in subject.measured]
        if 0 < len(lacking) < len(_COORDINATES):
            keys = ", ".join(f"{side}_hip_centre_{x}_mm" for x in lacking)
            raise SubjectError(f"a measured hip centre lacks {keys}", todo="give all three with --subject")
        if lacking:
            without.append(side)
    return without
