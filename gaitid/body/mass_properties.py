"""A row of a table and a segment's length -> where its centre of mass lies, and its inertia in the segment's axes.

A row that is measured along a span has its numbers in the table's axes: forward, up and to the right (X, Y, Z of ISB),
of a right segment. A left one is mirrored in the body's median plane, S = diag(1, 1, -1): the centre's rightward part
and the products xz and yz change sign, nothing else does (Dumas & Wojtusch 2018, Handbook of Human Motion, ch. 147,
print the right side only).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.model import specs
from gaitid.model.tables import unit_inertia
from gaitid.trial import Array

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
    """About the centre of mass, segment axes, kg·m²: (3, 3), or (frames, 3, 3) where there is a length a frame."""
    row = table.row(body.row, side)
    if body.span is not None:
        return tensor_along(row, body.span.axes, table.mirrored(body.row, side), mass, lengths)
    if row.inertia_kg_m2 is not None:
        return np.array(row.inertia_kg_m2)
    assert row.gyration_fractions is not None  # one of both, see `gaitid.model.tables`
    # Principal moments about the centre of mass: m (ρ L)².
    moments = np.asarray(mass)[..., None] * (np.multiply.outer(lengths, row.gyration_fractions)) ** 2
    return np.asarray(moments[..., None] * np.eye(3))


def tensor_along(
    row: specs.SegmentParameters, axes: Sequence[specs.Direction], mirrored: bool, mass: float, lengths: Array | float
) -> Array:
    """The inertia of a row that is measured along a span, in the axes of the segment, kg·m², about the centre of mass.

    Parameters
    ----------
    row : SegmentParameters
        In the table's axes.
    axes : three Directions
        Forward, up and to the body's right in the segment's frame.
    mirrored : bool
        Whether the segment is of the other side than the row.
    mass : float, kg
    lengths : float or (frames,) array, m

    Returns
    -------
    (3, 3) array, or (frames, 3, 3)
    """
    if row.inertia_kg_m2 is not None:
        tensor = np.array(row.inertia_kg_m2)
    else:
        assert row.gyration_fractions is not None  # one of both, see `gaitid.model.tables`
        tensor = unit_inertia(row.gyration_fractions, row.product_fractions)
    if mirrored:
        tensor = _MIRROR @ tensor @ _MIRROR
    # The table's axes, as columns in the segment's.
    R_st = np.array([[sign * (letter == axis) for letter, sign in axes] for axis in "xyz"], dtype=float)
    tensor = R_st @ tensor @ R_st.T
    scale = 1.0 if row.inertia_kg_m2 is not None else mass * np.square(lengths)
    return np.asarray(np.multiply.outer(scale, tensor))
