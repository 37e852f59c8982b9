"""A result -> ``walk.xlsx``: a sheet a table, and the record."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from datetime import datetime
from typing import Any

import numpy as np

from gaitid.errors import GaitidError, WriteError, in_print
from gaitid.export.source import Made, Source

# Of a sheet.
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
# Of text in a cell, characters.
_LONGEST = 32_767
# Equal results have equal bytes: the first date that a ZIP can hold.
_DATE = datetime(1980, 1, 1)


def make(source: Source) -> Made:
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
        file = _saved(Workbook(write_only=True), source)
    except OSError as error:  # sheets are written to files first, in the folder for temporary files
        where = tempfile.gettempdir()
        raise WriteError(
            f"the sheets cannot be written to {where} ({error.strerror})", todo="give another folder in TMPDIR"
        ) from None
    return Made({f"{source.stem}.xlsx": _without_dates(file.getvalue())})


def _saved(book: Any, source: Source) -> io.BytesIO:
    """The workbook as a file in memory."""
    for table, columns in source.tables.items():
        n_rows = len(columns[0].cells) + 1 if columns else 1
        if n_rows > _MOST_ROWS or len(columns) > _MOST_COLUMNS:
            raise GaitidError(f"{table} is larger than a sheet of a workbook", todo="use --to parquet or --to long")
        sheet = book.create_sheet(table)
        sheet.freeze_panes = "A2"
        sheet.append([_text(sheet, column.name) for column in columns])
        values = [
            [_text(sheet, cell) if cell else None for cell in column.cells]
            if column.numbers is None
            else [None if v != v else v for v in np.asarray(column.numbers).tolist()]
            for column in columns
        ]
        for row in zip(*values, strict=True):
            sheet.append(row)
    sheet = book.create_sheet("record")
    for line in source.text.splitlines():
        sheet.append([_text(sheet, line)])
    file = io.BytesIO()
    book.save(file)
    return file


def _text(sheet: Any, text: str) -> Any:
    """A cell of text: never a formula, whatever it begins with."""
    from openpyxl.cell import WriteOnlyCell

    # what steers a terminal is no text in a workbook either; blanks at the beginning are the record's
    indent = text[: len(text) - len(text.lstrip(" "))]
    cell = WriteOnlyCell(sheet, value=(indent + in_print(text))[:_LONGEST])
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
