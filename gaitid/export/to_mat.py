"""A result -> ``walk.mat``: a struct a table, for MATLAB and Octave."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np

from gaitid.export.source import Column, Made, Source

#: Characters of a name in MATLAB (namelengthmax).
LONGEST = 63
# In place of the date that scipy writes into the first line: equal results have equal bytes.
_HEADER = b"MATLAB 5.0 MAT-file, made by gaitid".ljust(116)


def make(source: Source) -> Made:
    """Numbers as columns of doubles, NaN where unknown; words as cells of text; the record as JSON."""
    from scipy.io import savemat

    tables: dict[str, Any] = {}
    names: dict[str, Any] = {}
    units: dict[str, Any] = {}
    for table, columns in source.tables.items():
        fields = dict(zip(field_names([column.name for column in columns]), columns, strict=True))
        tables[table] = {field: _values(column) for field, column in fields.items()}
        names[table] = {field: column.name for field, column in fields.items()}
        units[table] = {field: column.unit for field, column in fields.items()}
    content = {**tables, "column_names": names, "column_units": units, "record_json": source.text}
    file = io.BytesIO()
    savemat(file, content, long_field_names=True, do_compression=True, oned_as="column")
    return Made({f"{source.stem}.mat": _HEADER + file.getvalue()[len(_HEADER) :]})


def _values(column: Column) -> Any:
    if column.numbers is not None:
        return column.numbers
    cells = np.empty((len(column.cells), 1), dtype=object)
    cells[:, 0] = column.cells
    return cells


def field_names(columns: list[str]) -> list[str]:
    """Names that MATLAB takes, each another one: letters, digits and underscores, at most 63, a letter first."""
    taken: set[str] = set()
    fields = []
    for column in columns:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", column)
        plain = plain if re.match(r"[A-Za-z]", plain) else f"x{plain}"
        field, n = plain[:LONGEST], 1
        while field in taken:
            n += 1
            field = f"{plain[: LONGEST - len(str(n)) - 1]}_{n}"
        taken.add(field)
        fields.append(field)
    return fields
