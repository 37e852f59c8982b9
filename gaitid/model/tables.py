"""A table of segment parameters: its YAML -> `Table`; what no body can have is refused with the key's path."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.fields import Faults, Fields
from gaitid.model.find import shown
from gaitid.model.parsed import content_of


def load_table(path: Path) -> specs.Table:
    """Read a segment-parameter table.

    Raises
    ------
    ModelError
        Against the schema, fractions out of range, or radii that break the triangle inequality of inertia.
    """
    faults = Faults(shown(path))
    top = Fields(content_of(path), "", faults)
    if top.raw("gaitid_table", None) != 1:
        raise ModelError(f"{shown(path)}: not a gaitid table", expected="gaitid_table: 1")
    source = top.text("source")
    segments = top.mapping("segments")
    rows = {name: _row(segments.mapping(name), source) for name in list(segments.values)}
    if any(row.gyration_fractions is not None for row in rows.values()) or "gyration_about" in top.values:
        top.text("gyration_about", among=("centre_of_mass",))
    table = specs.Table(top.text("name"), top.text("title", ""), source, path, rows)
    top.done()
    faults.raise_if_any()
    return table


def _row(row: Fields, source: str) -> specs.SegmentParameters:
    """One segment: its mass or its fraction, and its inertia or radii of gyration."""
    for fraction, value in (("mass_fraction", "mass_kg"), ("gyration_fractions", "inertia_kg_m2")):
        if (fraction in row.values) == (value in row.values):
            given = "both" if value in row.values else "neither"
            row.faults.add(f"{row.path}: expected {fraction} or {value}, found {given}")
    needs_com = "com_fraction" in row.values or "mass_kg" not in row.values
    parameters = specs.SegmentParameters(
        mass_fraction=row.number("mass_fraction", low=1e-9, high=1) if "mass_fraction" in row.values else None,
        mass_kg=row.number("mass_kg", low=0, high=10000) if "mass_kg" in row.values else None,
        com_fraction=row.number("com_fraction", low=-1, high=2) if needs_com else float("nan"),
        gyration_fractions=_radii(row) if "gyration_fractions" in row.values else None,
        inertia_kg_m2=_inertia(row) if "inertia_kg_m2" in row.values else None,
        source=row.text("source", source),
    )
    row.asked |= {"mass_fraction", "mass_kg", "com_fraction", "gyration_fractions", "inertia_kg_m2"}
    row.done()
    return parameters


def _radii(row: Fields) -> tuple[float, float, float]:
    radii = row.items("gyration_fractions")
    if len(radii) != 3 or not all(_is_number(r) and 0 <= r <= 2 for r in radii):
        row.faults.add(f"{row.at('gyration_fractions')}: expected three numbers from 0 to 2, found {radii}")
        radii = [0, 0, 0]
    squares = sorted(float(r) ** 2 for r in radii)
    # A body's principal moments: the largest is at most the sum of the others (equal for a flat body).
    if squares[2] > (squares[0] + squares[1]) * (1 + 1e-9):
        reason = "the largest square exceeds the sum of the others"
        row.faults.add(f"{row.at('gyration_fractions')}: no body has these ({reason})")
    return float(radii[0]), float(radii[1]), float(radii[2])


def _inertia(row: Fields) -> tuple[tuple[float, ...], ...]:
    """Three principal moments, or three rows of three, about the centre of mass in segment axes."""
    rows = row.items("inertia_kg_m2")
    if len(rows) == 3 and not any(isinstance(r, list) for r in rows):
        rows = [[moment if i == j else 0.0 for j in range(3)] for i, moment in enumerate(rows)]
    square = len(rows) == 3 and all(isinstance(r, list) and len(r) == 3 for r in rows)
    if not square or not all(_is_number(v) for r in rows for v in r):
        row.faults.add(f"{row.at('inertia_kg_m2')}: expected three principal moments or three rows of three, kg·m²")
        return ((0.0,) * 3,) * 3
    tensor = tuple(tuple(float(v) for v in r) for r in rows)
    from gaitid.dynamics.inertia import inertia_fault  # of few tables

    if fault := inertia_fault(np.array(tensor), row.at("inertia_kg_m2")):
        row.faults.add(fault)
    return tensor


def _is_number(value: object) -> bool:
    """Whether it is a number; Python counts true and false among the integers."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
