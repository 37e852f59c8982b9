"""Segments of one subject that were weighed, as a prosthesis is: a subject file's `segments` in place of table rows."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.errors import SubjectError
from gaitid.model import specs
from gaitid.model.fields import Fields, nearest
from gaitid.model.tables import parse_row
from gaitid.model.validate import table_faults

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
