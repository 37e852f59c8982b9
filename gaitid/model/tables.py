"""A table of segment parameters: its YAML -> `Table`; what no body can have is refused with the key's path."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.fields import Fields, nearest, once
from gaitid.model.find import bundled_files, bundled_folder, fields_of, is_file, shown
from gaitid.trial import Array

# Tables that extend each other deeper than this are a loop.
MAX_DEPTH = 8


def load_table(path: Path, above: tuple[Path, ...] = ()) -> specs.Table:
    """Read a segment-parameter table, with the table that it extends or those of each sex that it names.

    Raises
    ------
    ModelError
        Against the schema, fractions out of range, or an inertia that no body can have.
    """
    if path.resolve() in [p.resolve() for p in above] or len(above) > MAX_DEPTH:
        raise ModelError(f"{shown(path)}: extends itself")
    top, faults = fields_of(path, "gaitid_table", 1, "a gaitid table")
    name, title, source = top.text("name"), top.text("title", ""), top.text("source")
    above = (*above, path)
    table = specs.Table(name, title, source, path, {})
    if top.has("by_sex"):
        table = _by_sex(table, top.mapping("by_sex"), above)
    else:
        if top.has("extends"):
            parent = load_table(_named(top.text("extends"), path), above)
            table = table._replace(rows=parent.rows, files=(parent.path, *parent.files))
        segments = top.mapping("segments")
        rows = {k: row if row.source else row._replace(source=source) for k, row in segments.each(_row).items()}
        if top.has("gyration_about") or any(row.gyration_fractions is not None for row in rows.values()):
            top.text("gyration_about", among=("centre_of_mass",))
        table = table._replace(rows={**table.rows, **rows})
    top.done()
    faults.raise_if_any()
    return table


def _by_sex(table: specs.Table, fields: Fields, above: tuple[Path, ...]) -> specs.Table:
    """The table with those of each sex; what a model takes of them must be measured alike."""
    of_sex = {sex: load_table(_named(fields.text(sex), above[-1]), above) for sex in specs.SEXES if fields.text(sex)}
    fields.done()
    first, *others = of_sex.values()
    for other in others:
        for key in first.rows.keys() | other.rows.keys():
            kinds = [_kind(one.rows[key]) if key in one.rows else None for one in (first, other)]
            if kinds[0] != kinds[1]:
                fields.faults.add(f"by_sex: {first.name} and {other.name} measure {key} in different ways")
    files = (one_file for one in of_sex.values() for one_file in (one.path, *one.files))
    return table._replace(rows=first.rows, by_sex=of_sex, files=tuple(dict.fromkeys(files)))


def _kind(row: specs.SegmentParameters) -> tuple[str, bool, bool]:
    """What a chain needs of a model for a row: its span, whether it gives a fraction of mass, a centre in space."""
    return row.span, row.mass_fraction is None, row.com_fractions is None and row.com_m is None


def _named(name: str, path: Path) -> Path:
    """The file of a table that another names: beside it, or bundled, with or without ``.yaml``."""
    tables = bundled_folder("configs") / "tables"
    for candidate in (path.parent / name, path.parent / f"{name}.yaml", tables / name, tables / f"{name}.yaml"):
        if is_file(candidate):
            return candidate
    known = [file.stem for file in bundled_files("configs/tables")]
    raise ModelError(
        f"{shown(path)}: no table {name!r}{nearest(name, known)}", expected=f"a file or {', '.join(known)}"
    )


def unit_inertia(radii: Sequence[float], products: Sequence[float] | None) -> Array:
    """The tensor of a body of 1 kg and a length of 1 m, (3, 3), from its radii of gyration and those of its products.

    I_xx = r_xx² and so on; I_xy = ± r_xy², negative where the radius is imaginary: elements of the tensor as they stand
    (Dumas R, Chèze L, Verriest JP 2007, J Biomech 40:543-553, equation 2 and appendix D).
    """
    tensor = np.diag(np.square(radii))
    for (i, j), radius in zip(((0, 1), (0, 2), (1, 2)), products or (0.0, 0.0, 0.0), strict=True):
        tensor[i, j] = tensor[j, i] = np.sign(radius) * radius**2
    return tensor


def parse_row(row: Fields, source: str, span: str = "") -> specs.SegmentParameters:
    """One segment: its mass or its fraction, and its inertia or radii of gyration.

    Parameters
    ----------
    row : Fields
    source : str
        Where the row says none of its own.
    span : str
        Likewise: between which points it is measured.
    """
    for fraction, value in (("mass_fraction", "mass_kg"), ("gyration_fractions", "inertia_kg_m2")):
        if row.has(fraction) == row.has(value):
            given = "both" if value in row.values else "neither"
            row.faults.add(f"{row.path}: expected {fraction} or {value}, found {given}")
    span = row.text("span", span)
    in_space = [key for key in ("com_fractions", "com_m") if row.has(key)]
    for key in [*in_space, *(["product_fractions"] if row.has("product_fractions") else [])]:
        if not span:
            row.faults.add(f"{row.at(key)}: only with span, whose axes it is in")
    needs_com = row.has("com_fraction")
    if len(in_space) + needs_com > 1:
        row.faults.add(f"{row.path}: expected one of com_fraction, com_fractions and com_m")
    needs_com = needs_com or (not in_space and ("mass_kg" not in row.values or span != ""))
    radii, products = _three(row, "gyration_fractions", 0, 2), _three(row, "product_fractions", -2, 2)
    parameters = specs.SegmentParameters(
        mass_fraction=row.number("mass_fraction", low=1e-9, high=1) if "mass_fraction" in row.values else None,
        mass_kg=row.number("mass_kg", low=0, high=10000) if "mass_kg" in row.values else None,
        com_fraction=row.number("com_fraction", low=-1, high=2) if needs_com else float("nan"),
        gyration_fractions=radii,
        inertia_kg_m2=_inertia(row) if "inertia_kg_m2" in row.values else None,
        source=row.text("source", source),
        span=span,
        com_fractions=_three(row, "com_fractions", -2, 2),
        com_m=_three(row, "com_m", -10, 10),
        product_fractions=products,
    )
    if radii is not None:
        _refuse_impossible(row, radii, products)
    if parameters.mass_kg == 0 and parameters.inertia_kg_m2 is not None and np.any(parameters.inertia_kg_m2):
        row.faults.add(f"{row.at('mass_kg')}: 0, with an inertia that is not: no body has inertia without mass")
    row.done()
    return parameters


_row = once(partial(parse_row, source=""))


def _three(row: Fields, key: str, low: float, high: float) -> tuple[float, float, float] | None:
    if key not in row.values:
        return None
    numbers = row.items(key)
    if len(numbers) != 3 or not all(_is_number(n) and low <= n <= high for n in numbers):
        row.faults.add(f"{row.at(key)}: expected three numbers from {low:g} to {high:g}, found {numbers}")
        numbers = [0, 0, 0]
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def _refuse_impossible(row: Fields, radii: Sequence[float], products: Sequence[float] | None) -> None:
    """A fault where no body has these radii of gyration."""
    if products is None:
        squares = sorted(r**2 for r in radii)
        # A body's principal moments: the largest is at most the sum of the others (equal for a flat body).
        if squares[2] > (squares[0] + squares[1]) * (1 + 1e-9):
            reason = "the largest square exceeds the sum of the others"
            row.faults.add(f"{row.at('gyration_fractions')}: no body has these ({reason})")
        return
    from gaitid.dynamics.joint_tree import inertia_fault  # of few tables

    if fault := inertia_fault(unit_inertia(radii, products), row.at("product_fractions")):
        row.faults.add(fault.replace(" kg·m²", " m L²"))


def _inertia(row: Fields) -> tuple[tuple[float, ...], ...]:
    """Three principal moments, or three rows of three, about the centre of mass in segment axes."""
    rows: list[Any] = row.items("inertia_kg_m2")
    if len(rows) == 3 and not any(isinstance(r, list) for r in rows):
        rows = [[moment if i == j else 0.0 for j in range(3)] for i, moment in enumerate(rows)]
    square = len(rows) == 3 and all(isinstance(r, list) and len(r) == 3 for r in rows)
    if not square or not all(_is_number(v) for r in rows for v in r):
        row.faults.add(f"{row.at('inertia_kg_m2')}: expected three principal moments or three rows of three, kg·m²")
        return ((0.0,) * 3,) * 3
    tensor = tuple(tuple(float(v) for v in r) for r in rows)
    from gaitid.dynamics.joint_tree import inertia_fault  # of few tables

    if fault := inertia_fault(np.array(tensor), row.at("inertia_kg_m2")):
        row.faults.add(fault)
    return tensor


def _is_number(value: object) -> bool:
    """Whether it is a number; Python counts true and false among the integers."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
