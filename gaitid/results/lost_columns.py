"""Whether each table of a result still has every column that its run wrote.

No file lists them: which there are depends on the model and on what was asked for. But most stand in a result more than
once, by another axis, for the other side, or as a curve over the cycle, so that a lost one can be named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gaitid.gait import FIGURES
from gaitid.results.find import RECORD_SUFFIX
from gaitid.results.tables import refuse_missing
from gaitid.version import __version__
from gaitid.write import (
    CONTACT_COLUMNS,
    CYCLE_COLUMNS,
    FEATURE_COLUMNS,
    STANCE_COLUMNS,
    STRIDE_COLUMNS,
    STRIDE_END_COLUMNS,
    TABLES,
)

Headers = Mapping[str, Sequence[str]]
# Before the curves, or all columns, of each table.
_ALWAYS: Mapping[str, Sequence[str]] = {
    "contacts": CONTACT_COLUMNS,
    "cycles": CYCLE_COLUMNS,
    "spatiotemporal": (*STRIDE_COLUMNS, *FIGURES, *STRIDE_END_COLUMNS),
    "features": FEATURE_COLUMNS,
    "stances": STANCE_COLUMNS,
}
# Tables of vectors by components, and of curves over 0 to 100 %.
_VECTORS = ("wrenches", "segments", "base", "com")
_CURVES = ("cycles", "stances")
# A component of a vector or a quaternion: what stands before its letter, and behind.
_COMPONENT = re.compile(r"(.*_)[xyz](|_.*)|(.*_q)[wxyz]")
# Of these curves over a cycle there are no columns by frames in `joints`.
_GROUND = "ground_"


def refuse_lost_columns(path: Path, headers: Headers, record: Mapping[str, Any]) -> None:
    """Refuse tables without a column that the same table, another one of the result, or its record asks for.

    Parameters
    ----------
    path : Path
        Of ``walk.run.json``.
    headers : mapping of table to sequence of str
        Of those tables that are there.
    record : mapping
        Of schema 2 or later.

    Raises
    ------
    GaitidError
        One line with the table and the columns.
    """
    stem = path.name.removesuffix(RECORD_SUFFIX)
    for table, header in headers.items():
        refuse_missing(path.with_name(f"{stem}.{table}.csv"), header, sorted(_wanted(table, headers, record)))


def _wanted(table: str, headers: Headers, record: Mapping[str, Any]) -> set[str]:
    """The columns that a table should have, as far as anything says so."""
    header, sides = headers[table], tuple(record["coverage"])
    wanted: set[str] = set()
    if TABLES[table] == ("frame",):
        mirrored = {name for name in map(partial(_without_side, sides=sides), header) if name}
        wanted |= {"frame", "time_s", *(f"{side}_{name}" for side in sides for name in mirrored)}
    elif record["gaitid"] == __version__:  # columns may come later (docs/record.md)
        wanted |= set(_ALWAYS[table])
    if table in _VECTORS:
        wanted |= {sibling for name in header for sibling in _components(name)}
    if table == "wrenches":
        wanted |= set(_wrenches(header, record))
    curves = {name for of in _CURVES for name in headers.get(of, ()) if name not in _ALWAYS[of]}
    if table == "joints":
        wanted |= {f"{side}_{name}" for side in sides for name in curves if not name.startswith(_GROUND)}
    elif table in _CURVES:
        by_frame = {_without_side(name, sides) for name in headers.get("joints", ())}
        wanted |= curves | (by_frame - {""})
    return wanted


def _without_side(name: str, sides: Sequence[str]) -> str:
    """A column's name without that of its side; empty where it is of none."""
    return next((name.removeprefix(f"{side}_") for side in sides if name.startswith(f"{side}_")), "")


def _components(name: str) -> Iterator[str]:
    """The columns of all components of what a column is one of."""
    if match := _COMPONENT.fullmatch(name):
        before, behind, quaternion = match.groups()
        yield from (f"{before}{axis}{behind}" for axis in "xyz") if before else (f"{quaternion}{q}" for q in "wxyz")


def _wrenches(header: Sequence[str], record: Mapping[str, Any]) -> Iterator[str]:
    """Of each side and joint of the record force and moment in each frame of expression, then the load on the foot."""
    for side, joints in record["coverage"].items():
        for joint in joints:
            for frame in record["settings"].get("express_in", ()):
                for kind, unit in (("force", "N"), ("moment", "Nm")):
                    yield from (f"{side}_{joint}_{kind}_{frame}_{axis}_{unit}" for axis in "xyz")
        if any(name.startswith(f"{side}_{_GROUND}") for name in header):
            yield from (f"{side}_ground_force_{axis}_N" for axis in "xyz")
            yield from (f"{side}_ground_cop_{axis}_m" for axis in "xyz")
            yield f"{side}_ground_free_moment_Nm"
