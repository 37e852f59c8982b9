"""A result -> tables for other programs: one tidy CSV, MATLAB structs, Parquet files, sheets of a workbook."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import numpy as np

from gaitid.errors import GaitidError, WriteError, in_print
from gaitid.export.source import Column, Made, Source
from gaitid.records import NamedTuple
from gaitid.write.table import quoted

LONG_COLUMNS = ("trial", "side", "joint", "quantity", "component", "frame", "time_s", "value", "unit", "column")
_TIMES = ("frame", "time_s")
_WRENCH = re.compile(r"(?P<joint>.+)_(?P<quantity>force|moment)_(?P<component>(?:global|proximal|distal|jcs)_[xyz].*)")
_GROUND = re.compile(r"(?P<joint>ground)_(?P<quantity>force|cop|free_moment)_?(?P<component>[xyz]?)")
_MOMENT = re.compile(r"(?P<joint>{joints})_(?P<component>.+)_(?P<quantity>moment)")
_POWER = re.compile(r"(?P<joint>.+)_(?P<quantity>power)(?P<component>)")
_VECTOR = re.compile(r"(?P<joint>.+)_(?P<quantity>com|q|omega|alpha|acc)_?(?P<component>[wxyz])")
_CENTRE = re.compile(r"(?P<joint>.+)_(?P<component>[xyz])")


class Meaning(NamedTuple):
    """What a column holds."""

    side: str
    joint: str
    quantity: str
    component: str


def to_long(source: Source) -> Made:
    """Every number as it stands in its table, to the digit; a value that is not known is empty.

    Raises
    ------
    GaitidError
        A table has no frames.
    """
    lines = [",".join(LONG_COLUMNS)]
    trial = quoted(source.stem)
    for table, columns in source.tables.items():
        if [column.name for column in columns[:2]] != list(_TIMES):
            continue  # contacts, cycles, features: no value a frame
        frames, times = columns[0].cells, columns[1].cells
        if not frames:
            raise GaitidError(f"{source.stem}.{table}.csv has no frames")
        # names of joints, those of more words first: what has a power, and what else has angles
        powers = {m["joint"] for column in columns if (m := _POWER.fullmatch(_bare(column)[1]))}
        joints = sorted({*powers, "foot_progression", "pelvis"}, key=lambda name: (-len(name), name))
        for column in columns[2:]:
            meaning = meaning_of(column, joints, table)
            before = ",".join([trial, *map(quoted, meaning)])
            after = f"{column.unit},{quoted(column.name)}"
            lines += [f"{before},{f},{t},{v},{after}" for f, t, v in zip(frames, times, column.cells, strict=True)]
    return Made({f"{source.stem}.long.csv": "\n".join(lines) + "\n"})


def _bare(column: Column) -> tuple[str, str]:
    """A column's side, and its name without side and unit."""
    name = column.name.removesuffix(f"_{column.end}")
    side = next((side for side in ("left", "right") if name.startswith(f"{side}_")), "")
    return side, name.removeprefix(f"{side}_")


def meaning_of(column: Column, joints: Iterable[str], table: str) -> Meaning:
    """Side, joint, quantity and component of a column; what is not told apart stands under `quantity`."""
    side, name = _bare(column)
    known = "|".join(map(re.escape, joints))
    angle = re.compile(rf"(?P<joint>{known})_(?P<component>.+)") if column.unit == "deg" else None
    moment = re.compile(_MOMENT.pattern.replace("{joints}", known))
    patterns: Mapping[str, tuple[re.Pattern[str], ...]] = {"joints": (moment, _POWER), "segments": (_VECTOR, _CENTRE)}
    if angle is not None and (match := angle.fullmatch(name)):
        return Meaning(side, match["joint"], "angle", match["component"])
    for pattern in patterns.get(table, (_GROUND, _WRENCH)):
        if match := pattern.fullmatch(name):
            parts = match.groupdict()
            return Meaning(side, parts["joint"], parts.get("quantity", "position"), parts["component"])
    return Meaning(side, "", name, "")


#: Characters of a name in MATLAB (namelengthmax).
LONGEST = 63
# In place of the date that scipy writes into the first line: equal results have equal bytes.
_HEADER = b"MATLAB 5.0 MAT-file, made by gaitid".ljust(116)


def to_mat(source: Source) -> Made:
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


_WHOLE_NUMBERS = ("frame",)


def to_parquet(source: Source) -> Made:
    """``walk.wrenches.parquet`` and so on: numbers as doubles, null where unknown.

    Raises
    ------
    GaitidError
        The library pyarrow is absent.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise GaitidError("--to parquet needs the library pyarrow", todo="pip install 'gaitid[parquet]'") from None

    def array(column: Column) -> pa.Array:
        if column.numbers is None:
            return pa.array([cell or None for cell in column.cells], pa.string())
        values = np.asarray(column.numbers)
        if column.name in _WHOLE_NUMBERS and np.isfinite(values).all():
            return pa.array(values.astype(np.int64))
        return pa.array(values, from_pandas=True)

    contents: dict[str, str | bytes] = {}
    for name, columns in source.tables.items():
        table = pa.table([array(column) for column in columns], names=[column.name for column in columns])
        table = table.replace_schema_metadata({"gaitid_record": source.text})
        sink = io.BytesIO()
        parquet.write_table(table, sink, compression="zstd")
        contents[f"{source.stem}.{name}.parquet"] = sink.getvalue()
    return Made(contents)


# Of a sheet.
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
# Of text in a cell, characters.
_LONGEST_CELL = 32_767
# Equal results have equal bytes: the first date that a ZIP can hold.
_DATE = datetime(1980, 1, 1)


def to_xlsx(source: Source) -> Made:
    """Numbers as numbers, empty cells where unknown, words as text.

    Raises
    ------
    GaitidError
        The library openpyxl is absent, or a table is larger than a sheet.
    """
    try:
        from openpyxl import Workbook
    except ImportError:
        raise GaitidError("--to xlsx needs the library openpyxl", todo="pip install 'gaitid[xlsx]'") from None
    try:
        file = _workbook(Workbook(write_only=True), source)
    except OSError as error:  # sheets are written to files first, in the folder for temporary files
        where = tempfile.gettempdir()
        raise WriteError(
            f"the sheets cannot be written to {where} ({error.strerror})", todo="give another folder in TMPDIR"
        ) from None
    return Made({f"{source.stem}.xlsx": _without_dates(file.getvalue())})


def _workbook(book: Any, source: Source) -> io.BytesIO:
    """The workbook as a file in memory."""
    for table, columns in source.tables.items():
        n_rows = len(columns[0].cells) + 1 if columns else 1
        if n_rows > _MOST_ROWS or len(columns) > _MOST_COLUMNS:
            raise GaitidError(f"{table} is larger than a sheet of a workbook", todo="use --to parquet or --to long")
        sheet = book.create_sheet(table)
        sheet.freeze_panes = "A2"
        sheet.append([_text_cell(sheet, column.name) for column in columns])
        values = [
            [_text_cell(sheet, cell) if cell else None for cell in column.cells]
            if column.numbers is None
            else [None if v != v else v for v in np.asarray(column.numbers).tolist()]
            for column in columns
        ]
        for row in zip(*values, strict=True):
            sheet.append(row)
    sheet = book.create_sheet("record")
    for line in source.text.splitlines():
        sheet.append([_text_cell(sheet, line)])
    file = io.BytesIO()
    book.save(file)
    return file


def _text_cell(sheet: Any, text: str) -> Any:
    """A cell of text: never a formula, whatever it begins with."""
    from openpyxl.cell import WriteOnlyCell

    # what steers a terminal is no text in a workbook either; blanks at the beginning are the record's
    indent = text[: len(text) - len(text.lstrip(" "))]
    cell = WriteOnlyCell(sheet, value=(indent + in_print(text))[:_LONGEST_CELL])
    cell.data_type = "s"
    return cell


def _without_dates(content: bytes) -> bytes:
    """The same workbook with one date throughout, in its properties and its archive."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                stamp = f"{_DATE:%Y-%m-%dT%H:%M:%SZ}".encode()
                data = re.sub(rb">\d{4}-\d\d-\d\dT[^<]*<", b">" + stamp + b"<", data)
            entry = zipfile.ZipInfo(name, _DATE.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, data)
    return result.getvalue()
