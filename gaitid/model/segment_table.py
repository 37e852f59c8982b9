"""A table of segment parameters, as data: its rows, and between which points of a model each is measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from gaitid.records import NamedTuple

#: A direction of a frame: the letter of an axis, and 1 or -1.
Direction = tuple[str, int]


class Span(NamedTuple):
    """Between which points a table measures a segment, and which ways forward, up and right are in the segment's frame.

    Attributes
    ----------
    segment : str
    start, end : str
        Points: the first is the origin of the table's centre of mass, the distance of both its length.
    axes : three Directions
        Forward, up (proximal) and to the body's right, which the table's X, Y, Z are (ISB).
    """

    segment: str
    start: str
    end: str
    axes: tuple[Direction, Direction, Direction]


class SegmentParameters(NamedTuple):
    """A row of an anthropometric table, or of a table of one body's own masses.

    Attributes
    ----------
    mass_fraction, mass_kg : float or None
        One of them: of body mass, or the mass itself.
    com_fraction : float
        Of length, from the proximal end; NaN where the row gives none.
    gyration_fractions : three floats or None
        Of length, about the centre of mass.
    inertia_kg_m2 : (3, 3) nested tuples or None
        Instead of these: about the centre of mass, segment axes.
    source : str
    span : str
        Name of the model's `Span` that the row is measured along, where it says one: then all that follows is in its
        axes (forward, up, right), of a right segment.
    com_fractions, com_m : three floats or None
        Of length, or m: the centre of mass from the origin of the span.
    product_fractions : three floats or None
        Of length: the products of inertia's radii xy, xz, yz; negative where the product is (imaginary radii).
    """

    mass_fraction: float | None
    mass_kg: float | None
    com_fraction: float
    gyration_fractions: tuple[float, float, float] | None
    inertia_kg_m2: tuple[tuple[float, ...], ...] | None
    source: str
    span: str = ""
    com_fractions: tuple[float, float, float] | None = None
    com_m: tuple[float, float, float] | None = None
    product_fractions: tuple[float, float, float] | None = None


class Table(NamedTuple):
    """An anthropometric table: its rows by segment, about the centre of mass.

    Attributes
    ----------
    rows : mapping of str to SegmentParameters
        A row of one side, as ``left.shank``, goes before that of both.
    by_sex : mapping of str to Table
        Of a table that differs: the one of each sex; `rows` are those of the first.
    files : tuple of Path
        Others that it was read from.
    """

    name: str
    title: str
    source: str
    path: Path
    rows: Mapping[str, SegmentParameters]
    by_sex: Mapping[str, Table] = MappingProxyType({})
    files: tuple[Path, ...] = ()

    def row(self, name: str, side: str = "") -> SegmentParameters:
        """The row of a segment on a side."""
        return self.rows.get(f"{side}.{name}") or self.rows[name]

    def mirrored(self, name: str, side: str) -> bool:
        """Whether the row of a segment is that of the other side: a row of both sides is of the right one."""
        return side == "left" and f"{side}.{name}" not in self.rows
