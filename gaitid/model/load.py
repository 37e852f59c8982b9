"""Finding a model by path or name, merging what it extends, reading its table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaitid.errors import ModelError
from gaitid.model import specs
from gaitid.model.bundled import bundled_files as bundled_files
from gaitid.model.bundled import bundled_folder as bundled_folder
from gaitid.model.fields import Faults, Fields, nearest
from gaitid.model.parsed import content_of
from gaitid.model.schema import parse_model
from gaitid.model.shapes import DEFINING_KEYS

# Inheritance deeper than this is a loop.
MAX_DEPTH = 8


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have, being too long, is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def bundled_models() -> dict[str, Path]:
    """Names and files of the models that come with gaitid."""
    return {path.stem: path for path in bundled_files("configs")}


def find_file(kind: str, name: str, bundled: Mapping[str, Path], todo: str = "") -> Path:
    """The file that a user means: a path, or a bundled name with or without ``.yaml``; a path wins.

    Raises
    ------
    ModelError
        Neither; `kind` says what was looked for, `todo` where to look.
    """
    for candidate in (name, f"{name}.yaml"):
        if is_file(Path(candidate)):
            return Path(candidate)
    stem = name.removesuffix(".yaml")
    if stem in bundled:
        return bundled[stem]
    expected = f"a YAML file or one of {', '.join(bundled)}"
    raise ModelError(f"no {kind} {name!r}{nearest(stem, list(bundled))}", expected=expected, todo=todo)


def find_model(model: str) -> Path:
    """The model's file: a path, or a bundled model's name; a file in the current folder wins."""
    return find_file("model", model, bundled_models(), todo="see gaitid models list")


def load_model(
    model: str | Path, overrides: Mapping[str, Any] | None = None, others: Sequence[str] = ()
) -> specs.Model:
    """Read a model with everything it extends and its table.

    Parameters
    ----------
    model : str or Path
        A path, or a bundled model's name.
    overrides : mapping, optional
        Settings that replace the model's (from options).
    others : sequence of str
        Settings that options may change too, but which are no model's: named where one is not known.

    Raises
    ------
    ModelError
        Not found, not YAML, or against the schema: one line that names each key.
    """
    path = find_model(str(model))
    content, paths = merged_content(path, ())
    name = shown(path)
    table_name = content.get("table")
    if not isinstance(table_name, str):
        raise ModelError(f"{name}: table: expected the path of a segment-parameter table, found {table_name!r}")
    known = (*specs.Settings._fields, *others)
    for key in overrides or {}:
        if key not in specs.Settings._fields:
            raise ModelError(f"--set {key}: no such setting{nearest(key, known)}", expected=", ".join(known))
    if overrides:
        settings = content.get("settings") or {}
        if isinstance(settings, dict):
            content = {**content, "settings": {**settings, **overrides}}
    table = load_table(_beside(table_name, paths))
    try:
        return parse_model(content, table, (*paths, table.path), name)
    except ModelError as error:
        raise _of_an_option(error, name, overrides or {}) from None


def _of_an_option(error: ModelError, name: str, overrides: Mapping[str, Any]) -> ModelError:
    """The error; what no file but an option says with the option's name instead of the file's."""
    about = error.wrong.removeprefix(f"{name}: ")
    for key, value in overrides.items():
        given = value if isinstance(value, str) else json.dumps(value, default=str)
        about = about.replace(f"settings.{key}: ", f"--set {key}={given}: ", 1)
    return ModelError(about) if about.startswith("--set ") else error


def shown(path: Path) -> str:
    """A file as an error names it: as given, and one that comes with gaitid without where that is installed."""
    return path.name if path.is_relative_to(bundled_folder("configs")) else str(path)


def _beside(relative: str, paths: tuple[Path, ...]) -> Path:
    """A path in a model is relative to the file that says so: the first in the line of inheritance that has it.

    The bundled folder comes last, so that a copy of a bundled model works anywhere.
    """
    for folder in (*(p.parent for p in paths), bundled_folder("configs")):
        if is_file(folder / relative):
            return folder / relative
    wrong = f"{shown(paths[0])}: no file {relative!r} beside the model"
    raise ModelError(wrong, todo="give a path from the model's folder")


def merged_content(path: Path, above: tuple[Path, ...] = ()) -> tuple[dict[str, Any], tuple[Path, ...]]:
    """A model's content with everything it extends merged in, and the files that it came from.

    Raises
    ------
    ModelError
        A file that is absent, not a model, or that extends itself.
    """
    if path.resolve() in [p.resolve() for p in above] or len(above) > MAX_DEPTH:
        raise ModelError(f"{shown(path)}: extends itself")
    definitions = content_of(path)
    if not isinstance(definitions, dict) or "gaitid_model" not in definitions:
        raise ModelError(f"{shown(path)}: not a gaitid model", expected="a line `gaitid_model: 1`")
    content = {key: value for key, value in definitions.items() if key != "extends"}
    parent = definitions.get("extends")
    if parent is None:
        return content, (path,)
    if not isinstance(parent, str):
        raise ModelError(f"{shown(path)}: extends: expected a file or a model's name, found {parent!r}")
    beside = path.parent / parent
    try:
        parent_path = beside if is_file(beside) else find_model(parent)
        if parent_path.resolve() == path.resolve():
            # a copy that extends the bundled model of its own name
            parent_path = bundled_models().get(parent.removesuffix(".yaml"), parent_path)
    except ModelError as error:
        raise ModelError(f"{shown(path)}: extends: {error.line()}") from None
    inherited, paths = merged_content(parent_path, (*above, path))
    return _merge(inherited, content), (path, *paths)


def _merge(old: dict[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings are merged key by key; anything else is replaced; a key set to null is taken away."""
    result = dict(old)
    for key, value in new.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(result.get(key), Mapping) and not _is_definition(value):
            result[key] = _merge(result[key], value)
        else:
            result[key] = value
    return result


def _is_definition(value: Mapping[str, Any]) -> bool:
    """Whether it is a point or a frame, replaced as a whole: two halves of different definitions would be nonsense."""
    return not DEFINING_KEYS.isdisjoint(value)


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
        mass_kg=row.number("mass_kg", low=1e-9, high=10000) if "mass_kg" in row.values else None,
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
