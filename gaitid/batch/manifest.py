"""Manifests: a CSV or YAML file that says which trials belong to which subject and static, and their options."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from gaitid.batch.found import Wanted, is_glob, matches
from gaitid.errors import GaitidError, ReadError
from gaitid.model.fields import nearest

# A column or key, and the option of `gaitid run` that it becomes.
OPTIONS = {
    "subject_file": "--subject",
    "forces": "--forces",
    "plates": "--plates",
    "cutoff": "--cutoff",
    "force_cutoff": "--force-cutoff",
    "assign": "--assign",
    "set": "--set",
}
_PATHS = ("subject_file", "forces", "plates")
_SEVERAL = ("assign", "set")
KEYS = ("subject", "static", "trials", *OPTIONS)
# Between several values in one cell: nothing that paths or assignments hold.
BETWEEN = "|"


def is_manifest(path: Path) -> bool:
    """A YAML file, or a CSV file with a column ``trials``."""
    if path.suffix.lower() in (".yaml", ".yml"):
        return path.is_file()
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.readline(65536).decode("utf-8-sig", errors="replace")
    return "trials" in {word.strip(' "\r\n').lower() for word in head.replace(";", ",").split(",")}


def read_manifest(path: Path) -> list[Wanted]:
    """The trials of a manifest, in its order.

    Parameters
    ----------
    path : Path
        Paths in it are relative to its folder.

    Returns
    -------
    list of Wanted

    Raises
    ------
    ReadError
        Unknown columns or keys, a row without trials, a glob that matches nothing: the first one, with its row.
    """
    rows = _csv_rows(path) if path.suffix.lower() == ".csv" else _yaml_rows(path)
    return [wanted for where, row in rows for wanted in _of_row(row, path.parent, where)]


def _csv_rows(path: Path) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Commas, or semicolons as a spreadsheet may write them."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            lines = csv.reader(file, delimiter=";" if head.count(";") > head.count(",") else ",")
            columns = [cell.strip().lower() for cell in next(lines)]
            if len(set(columns)) < len(columns):
                raise ReadError(f"{path}: a column is given twice", found=", ".join(columns))
            for cells in lines:
                where = f"{path}: row {lines.line_num}"
                if len(cells) > len(columns):
                    raise ReadError(f"{where}: more cells than columns", expected=str(len(columns)),
                                    found=str(len(cells)))  # fmt: skip
                row = {
                    name: [part.strip() for part in cell.split(BETWEEN) if part.strip()]
                    for name, cell in zip(columns, cells, strict=False)
                    if cell.strip()
                }
                if row:
                    yield where, row
    except UnicodeDecodeError:
        raise ReadError(f"{path}: not text", expected="a CSV file in UTF-8") from None
    except csv.Error as error:
        raise ReadError(f"{path}: cannot be parsed as CSV ({error})") from None


def _yaml_rows(path: Path) -> Iterator[tuple[str, dict[str, list[str]]]]:
    from gaitid.model.yaml_file import load_yaml

    content = load_yaml(path)
    if not isinstance(content, list):
        raise ReadError(f"{path}: no manifest", expected="a list of entries with the key 'trials'")
    for i, entry in enumerate(content, 1):
        where = f"{path}: entry {i}"
        if not isinstance(entry, Mapping):
            raise ReadError(f"{where}: expected keys and values", found=repr(entry)[:60])
        row: dict[str, list[str]] = {}
        for key, value in entry.items():
            values = value if isinstance(value, list) else [value]
            if not all(isinstance(one, (str, int, float)) and not isinstance(one, bool) for one in values):
                raise ReadError(f"{where}: {key}: expected text or a number, or a list of them")
            row[str(key)] = [f"{one:.10g}" if isinstance(one, float) else str(one) for one in values]
        yield where, row


def _of_row(row: Mapping[str, list[str]], folder: Path, where: str) -> Iterator[Wanted]:
    for key, values in row.items():
        if key not in KEYS:
            raise ReadError(f"{where}: unknown column {key!r}{nearest(key, KEYS)}", expected=" or ".join(KEYS))
        if len(values) > 1 and key not in ("trials", *_SEVERAL):
            raise ReadError(f"{where}: {key}: expected one value", found=str(len(values)))
    if not row.get("trials"):
        raise ReadError(f"{where}: no trials", expected="a path or a glob")
    words: list[str] = []
    for key, option in OPTIONS.items():
        for value in row.get(key, []):
            words += [option, str(folder / value) if key in _PATHS else value]
    static = (row.get("static") or [""])[0]
    without = static.lower() == "none"
    for name in row["trials"]:
        path = folder / name
        exact = not is_glob(name) or path.exists()
        paths = [path] if exact else matches(path)
        if not paths:
            raise GaitidError(f"{where}: {name}: no such trial")
        for one in paths:
            yield Wanted(
                one,
                (row.get("subject") or [""])[0],
                folder / static if static and not without else None,
                not static,
                exact,
                tuple(words),
                where,
            )
