"""A row of a table and a segment's length -> where its centre of mass lies, and its inertia in the segment's axes.

A row that is measured along a span has its numbers in the table's axes: forward, up and to the right (X, Y, Z of ISB),
of a right segment. A left one is mirrored in the body's median plane, S = diag(1, 1, -1): the centre's rightward part
and the products xz and yz change sign, nothing else does (Dumas & Wojtusch 2018, Handbook of Human Motion, ch. 147,
print the right side only).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.tables import unit_inertia
from gaitid.model.validate import MOST_OF_BODY
from gaitid.trial import Array

if TYPE_CHECKING:
    from gaitid.body.poses import Body

# Of a segment's length: a centre of mass or a radius of gyration farther out than this is no body's (as the limit of
# fractions in `gaitid.model.tables`): a number in another unit.
_FARTHEST = 2.0
_MIRROR = np.diag([1.0, 1.0, -1.0])


def centre_names(table: specs.Table, body: specs.Segment, side: str, length: Array) -> dict[str, object]:
    """What formulas of a segment's centre of mass may use: its length, m, and its place in the table.

    Returns
    -------
    dict
        ``length``; ``com_fraction``, from the proximal end; ``com_forward``, ``com_up``, ``com_right``, m, from the
        origin of the span.
    """
    row = table.row(body.row, side)
    names: dict[str, object] = {"length": length, "com_fraction": row.com_fraction}
    if row.com_m is None and row.com_fractions is None:
        return names
    offset: list[Array | float] = [part * length for part in row.com_fractions or ()] or [*(row.com_m or ())]
    if table.mirrored(body.row, side):
        offset[2] = -offset[2]
    return names | dict(zip(("com_forward", "com_up", "com_right"), offset, strict=True))


def inertia_of(table: specs.Table, body: specs.Segment, side: str, mass: float, lengths: Array) -> Array:
    """About the centre of mass, segment axes, kg·m²: (3, 3), or (frames, 3, 3) by the length of each frame."""
    row = table.row(body.row, side)
    if row.inertia_kg_m2 is not None:
        tensor = np.array(row.inertia_kg_m2)
    elif body.span is None:
        assert row.gyration_fractions is not None  # one of both, see `gaitid.model.tables`
        # Principal moments about the centre of mass: m (ρ L)².
        moments = mass * (np.multiply.outer(lengths, row.gyration_fractions)) ** 2
        return np.asarray(moments[:, :, None] * np.eye(3))
    else:
        assert row.gyration_fractions is not None
        tensor = unit_inertia(row.gyration_fractions, row.product_fractions)
    if body.span is not None:
        if table.mirrored(body.row, side):
            tensor = _MIRROR @ tensor @ _MIRROR
        R_st = _axes(body.span)
        tensor = R_st @ tensor @ R_st.T
    return tensor if row.inertia_kg_m2 is not None else np.multiply.outer(mass * lengths**2, tensor)


def _axes(span: specs.Span) -> Array:
    """R_st: the table's axes, as columns in the segment's."""
    return np.array([[sign * (letter == axis) for letter, sign in span.axes] for axis in "xyz"], dtype=float)


def check_masses(body: Body, mass_kg: float) -> None:
    """Refuse masses and inertias in kg and kg·m² which this body cannot have.

    Raises
    ------
    ModelError
        All segments together weigh more than the subject, or the mass of one lies farther out than twice its length.
    """
    table, total = body.model.table, 0.0
    bodies = [(side, spec) for side in body.sides for spec in body.model.chain]
    base = body.model.base.body
    for side, spec in bodies if base is None else [*bodies, ("", base)]:
        row = table.row(spec.row, side)
        total += mass_kg * row.mass_fraction if row.mass_kg is None and row.mass_fraction else row.mass_kg or 0.0
        where = f"{table.path}: segments.{f'{side}.' if not table.mirrored(spec.row, side) and side else ''}{spec.row}"
        lengths = body.segments[side, spec.segment].length_m if (side, spec.segment) in body.segments else np.empty(0)
        known = lengths[np.isfinite(lengths)]
        if known.size == 0:
            continue
        farthest = _FARTHEST * float(known.mean())
        out = f"{farthest:.2g} m or less, twice the length of the {f'{side} {spec.segment}'.strip()}"
        if row.com_m is not None and (distance := float(np.linalg.norm(row.com_m))) > farthest:
            raise ModelError(f"{where}.com_m: not on the segment", expected=out, found=f"{distance:g} m")
        if row.inertia_kg_m2 is not None and row.mass_kg:
            radius = float(np.sqrt(np.linalg.eigvalsh(row.inertia_kg_m2)[-1] / row.mass_kg))
            if radius > farthest:
                wrong = f"{where}.inertia_kg_m2: no body of {row.mass_kg:g} kg on this segment has it"
                raise ModelError(wrong, expected=f"a radius of gyration of {out}", found=f"{radius:.2g} m")
    if total > MOST_OF_BODY * mass_kg:
        wrong = f"{table.path}: the segments weigh more than the whole body"
        raise ModelError(wrong, expected=f"{mass_kg:.4g} kg or less together", found=f"{total:.4g} kg")
