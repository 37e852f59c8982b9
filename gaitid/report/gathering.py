"""Which results belong together: whose they are, as far as the files say."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from gaitid.disk.read_back import read_text_back
from gaitid.errors import GaitidError
from gaitid.records import NamedTuple
from gaitid.results.find import RECORD_SUFFIX

BATCH_TABLE = "batch.csv"
# Folders above a result in which its batch's table is looked for: results mirror a data set's folders.
_MOST_LEVELS = 6
# Two results whose mass or leg lengths differ by more are of two people: what `run` allows between static and trial.
ANOTHER_BODY = 0.1
_SIZES = ("mass", "left.leg_length", "right.leg_length")


class Whose(NamedTuple):
    """The labels of a result; empty where nothing says them."""

    subject: str
    session: str
    condition: str


class Row(NamedTuple):
    """A trial of a batch's table: its folders and its name without suffix, and whose it is."""

    parts: tuple[str, ...]
    whose: Whose


#: The rows of a batch's table by the name of the trial, in their order.
Rows = Mapping[str, Sequence[Row]]


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


def people(records: Sequence[Mapping[str, object]]) -> list[list[int]]:
    """The places of the records that can be of one person each, by mass and leg lengths, in the order of the first."""
    found: list[list[int]] = []
    for i, record in enumerate(records):
        fits = next((of_one for of_one in found if _one_body([records[j] for j in of_one] + [record])), None)
        if fits is None:
            found.append([i])
        else:
            fits.append(i)
    return found


def _one_body(records: Sequence[Mapping[str, object]]) -> bool:
    """Whether mass and leg lengths of all records can be those of one person."""
    for name in _SIZES:
        values = [size for record in records if (size := size_of(record, name)) > 0]
        if values and max(values) > min(values) * (1 + ANOTHER_BODY):
            return False
    return True


def size_of(record: Mapping[str, object], name: str) -> float:
    """A measurement of the subject; 0 where the record has none."""
    subject = record.get("subject")
    entry = subject.get(name) if isinstance(subject, Mapping) else None
    value = entry.get("value") if isinstance(entry, Mapping) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def person_words(records: Sequence[Mapping[str, object]], place: int) -> str:
    """What one of several people of a folder is called: ``person 2 (57.5 kg)``."""
    mass = next((size for record in records if (size := size_of(record, "mass")) > 0), 0.0)
    return f"person {place}" + (f" ({mass:.1f} kg)" if mass else "")


def _rows(table: Path) -> Rows:
    by_name: dict[str, list[Row]] = {}
    try:
        for row in csv.DictReader(read_text_back(table, "CSV").splitlines()):
            *folders, name = PurePath((row.get("trial") or "").replace("\\", "/")).parts or ("",)
            name = PurePath(name).stem
            whose = Whose(*(row.get(label) or "" for label in Whose._fields))
            by_name.setdefault(name, []).append(Row((*folders, name), whose))
    except csv.Error as error:
        raise GaitidError(f"{table}: not CSV", found=str(error)) from None
    return by_name


def _best(rows: Rows, below: PurePath) -> Whose | None:
    """Of the row whose trial ends in most of the result's own folders and name."""
    best = max(rows.get(below.name, ()), key=lambda row: _shared_end(row.parts, below.parts), default=None)
    return None if best is None else best.whose


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    """How many last parts of two paths are the same."""
    count = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        count += 1
    return count
