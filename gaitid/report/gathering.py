"""Which results belong together: all below a folder, and whose they are as far as the files say."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from gaitid.disk.read_back import read_text_back
from gaitid.errors import GaitidError

RECORD_SUFFIX = ".run.json"
BATCH_TABLE = "batch.csv"
# Folders above a result in which its batch's table is looked for: results mirror a data set's folders.
_MOST_LEVELS = 6


Rows = tuple[Mapping[str, str | None], ...]


class Whose(NamedTuple):
    """The labels of a result; empty where nothing says them."""

    subject: str
    session: str
    condition: str


def find_records(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The ``run.json`` files given, and all below the folders given, each once and in the order given.

    Raises
    ------
    GaitidError
        A folder without any.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.is_dir():
            if not path.suffix and not path.exists():
                raise GaitidError(f"{path}: no such file or folder", expected=f"a NAME{RECORD_SUFFIX}, or a folder")
            found[path] = None
            continue
        below = sorted(p for p in path.rglob(f"?*{RECORD_SUFFIX}") if ".gaitid" not in p.parts)
        if not below:
            raise GaitidError(
                f"{path}: no result in this folder or below it",
                expected=f"files NAME{RECORD_SUFFIX} that gaitid run or gaitid batch wrote",
            )
        found.update(dict.fromkeys(below))
    return tuple(found)


def whose(record: Path, tables: dict[Path, Rows]) -> Whose | None:
    """What the table of the batch that a result is of says of it; None where there is no such table or row.

    `tables` keeps what was read, for the next result.
    """
    here = record.absolute()
    stem = here.name[: -len(RECORD_SUFFIX)]
    for folder in here.parents[:_MOST_LEVELS]:
        table = folder / BATCH_TABLE
        if table.is_file():
            rows = tables[table] if table in tables else tables.setdefault(table, _rows(table))
            return _best(rows, (here.parent / stem).relative_to(folder))
    return None


def _rows(table: Path) -> Rows:
    try:
        return tuple(csv.DictReader(read_text_back(table, "CSV").splitlines()))
    except csv.Error as error:
        raise GaitidError(f"{table}: not CSV", found=str(error)) from None


def _best(rows: Rows, below: PurePath) -> Whose | None:
    """The row whose trial ends in most of the result's own folders and name."""
    best, most = None, 0
    for row in rows:
        *folders, name = PurePath((row.get("trial") or "").replace("\\", "/")).parts or ("",)
        shared = _shared_end([*folders, PurePath(name).stem], below.parts)
        if shared > most:
            best, most = row, shared
    if best is None:
        return None
    return Whose(*(best.get(name) or "" for name in Whose._fields))


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    """How many last parts of two paths are the same."""
    count = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        count += 1
    return count
