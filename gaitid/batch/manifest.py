"""Manifests: a CSV or YAML file that says which trials belong to which subject and static, and their options."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

from gaitid.batch.files import (
    TRIAL,
    TRIALS,
    about_path,
    absolute,
    column_names,
    delimiter_of,
    header_row,
    matches,
    refuse_no_trial,
)
from gaitid.batch.types import Planned, Wanted
from gaitid.errors import GaitidError, ReadError, reading
from gaitid.inputs import load_files_beside
from gaitid.model.fields import Faults, nearest
from gaitid.read.tables.text_table import check_names, read_lines
from gaitid.settings import FILE, HERTZ, LOADS, OPTIONS, SEVERAL

# Options that may stand in columns or keys of their own too.
OVERRIDES = "overrides"
#: A measured load on a segment: SEGMENT=FILE.
LOAD = OPTIONS["loads"].flag
#: A column or key, and the option of `gaitid run` that it becomes: those of one value, then the others by name.
COLUMNS = {
    option.column: option
    for option in sorted(OPTIONS.values(), key=lambda option: option.column if option.kind in SEVERAL else "")
    if option.column
}
# What tells the trials of a subject apart, in the tables.
WORDS = ("session", "condition")
KEYS = (TRIALS, TRIAL, "subject", *WORDS, "root", *COLUMNS, OVERRIDES)
# Files; `none` in their place: nothing is looked for.
_FILES = tuple(column for column, option in COLUMNS.items() if option.kind == FILE)
_PATHS = (TRIALS, TRIAL, "root", *_FILES)
_NUMBERS = tuple(column for column, option in COLUMNS.items() if option.kind == HERTZ)
_SEVERAL = (TRIALS, *(column for column, option in COLUMNS.items() if option.kind in SEVERAL))
# Between several values in one cell.
BETWEEN = "|"
# The values of each column or key of a row that are not empty.
Row = dict[str, list[str]]


def looked_for(trial: Path) -> tuple[str, ...]:
    """Options of `gaitid run` whose files are looked for where nobody gives them."""
    of_tables = () if trial.suffix.lower() == ".c3d" else ("--forces", "--plates")
    return ("--static", "--subject", "--laboratory", "--corrections", *of_tables, LOAD)


def read_manifest(path: Path) -> list[Wanted]:
    """The trials of a manifest, in its order.

    Paths in it are relative to its folder.

    Raises
    ------
    GaitidError
        Unknown columns or keys, rows without trials, files that are not there: all of them, each with its row.
    """
    rows = _csv_rows(path) if path.suffix.lower() == ".csv" else _yaml_rows(path)
    faults = Faults(str(path))
    trials: list[Wanted] = []
    for where, row in rows:
        try:
            trials += _of_row(row, path.parent, f"{path}: {where}")
        except GaitidError as error:
            faults.add(f"{where}: {error.line()}")
    faults.raise_if_any()
    if not trials:
        raise ReadError(f"{path}: no rows", expected="a trial or a glob in each")
    return trials


def _csv_rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The rows of a table: commas, semicolons or tabs, UTF-8 or UTF-16, as a trial's may have (`tables.text_table`)."""
    with reading(f"{path}: "):
        lines = read_lines(path)
    start = header_row(lines) or 0
    delimiter = delimiter_of(lines[start])
    cells_of_rows = csv.reader((f"{line}\n" for line in lines[start:]), delimiter=delimiter)
    try:
        columns = column_names(next(cells_of_rows))
        with reading(f"{path}: "):
            check_names(columns)
        named = [name for name in columns if name]
        if len(set(named)) < len(named):
            raise ReadError(f"{path}: a column is given twice", found=", ".join(named))
        _check_keys(named, f"{path}: ")
        for cells in cells_of_rows:
            where = f"row {start + cells_of_rows.line_num}"
            filled = [(name, cell) for name, cell in zip_longest(columns, cells, fillvalue="") if cell.strip()]
            for name, cell in filled:
                if not name:
                    raise ReadError(f"{path}: {where}: a value in a column without a name", found=repr(cell))
            row = {name: _values(name, _decimal(name, cell, delimiter), path.parent) for name, cell in filled}
            row.pop(OVERRIDES, None)
            overrides = _overrides(dict(filled).get(OVERRIDES, ""), delimiter, f"{path}: {where}: {OVERRIDES}: ")
            if row or overrides:
                yield where, _with_overrides(row, overrides, f"{path}: {where}: ")
    except csv.Error as error:
        raise ReadError(f"{path}: cannot be parsed as CSV ({error})") from None


def _decimal(name: str, cell: str, delimiter: str) -> str:
    """A number with a decimal point: a table whose commas do not separate may have them in its numbers."""
    return cell.replace(",", ".") if name in _NUMBERS and delimiter != "," else cell


def _overrides(cell: str, delimiter: str, where: str) -> Row:
    """The values of ``KEY=VALUE|KEY=VALUE``, or with semicolons where these do not separate the cells."""
    overrides: Row = {}
    for item in (cell if delimiter == ";" else cell.replace(";", BETWEEN)).split(BETWEEN):
        key, equals, value = (part.strip() for part in item.partition("="))
        if item.strip() and not (equals and key and value):
            raise ReadError(f"{where}{item.strip()!r}", expected="KEY=VALUE, as cutoff=6")
        if item.strip():
            key = key.lower()
            overrides.setdefault(key, []).append(_decimal(key, value, delimiter))
    return overrides


def _with_overrides(row: Row, overrides: Row, where: str) -> Row:
    """A row with those of its options that stand in its overrides."""
    _check_keys(overrides, f"{where}{OVERRIDES}: ", tuple(COLUMNS))
    for key in overrides:
        if row.get(key):
            raise ReadError(f"{where}{key} is given twice: by itself, and in {OVERRIDES}", todo="keep one of them")
    return {**row, **overrides}


def _values(name: str, cell: str, folder: Path) -> list[str]:
    """The values in one cell; a path that exists is taken as it stands, whatever signs it holds."""
    if name in _PATHS and os.path.lexists(folder / cell):
        return [cell]
    parts = cell.split(BETWEEN) if name in _SEVERAL else [cell]
    return [part.strip() for part in parts if part.strip()]


def _yaml_rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The entries of a YAML file, with all values as text."""
    content = _yaml_as_text(path)
    if isinstance(content, Mapping) and isinstance(content.get(TRIALS), list):
        _check_keys(map(str, content), f"{path}: beside the list of entries: ", (TRIALS,))
        content = content[TRIALS]
    if not isinstance(content, list):
        raise ReadError(f"{path}: no manifest", expected="a list of entries with the key 'trials'")
    for i, entry in enumerate(content, 1):
        where = f"{path}: entry {i}: "
        if not isinstance(entry, Mapping):
            raise ReadError(f"{where}expected keys and values", found=repr(entry)[:60])
        row = {str(key).lower(): value for key, value in entry.items()}
        overrides = row.pop(OVERRIDES, None) or {}
        if not isinstance(overrides, Mapping):
            raise ReadError(f"{where}{OVERRIDES}: expected keys and values, as {{cutoff: 6}}")
        _check_keys(row, where)
        yield f"entry {i}", _with_overrides(_texts(row, where), _texts(overrides, f"{where}{OVERRIDES}: "), where)


def _texts(entry: Mapping[Any, Any], where: str) -> Row:
    texts: Row = {}
    for key, value in entry.items():
        values = [text for text in (value if isinstance(value, list) else [value]) if text is not None]
        if not all(isinstance(text, str) for text in values):
            raise ReadError(f"{where}{key}: expected text or a number, or a list of them")
        texts[str(key).lower()] = [text for text in values if text]
    return texts


def _yaml_as_text(path: Path) -> object:
    """A YAML file with numbers, dates and words as they are written: ``001`` is somebody's name."""
    import yaml

    from gaitid.model.yaml_file import load_yaml

    load_yaml(path)  # refuses what is no YAML, nests too deep, or has a key twice

    class Text(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: ClassVar = {
            first: [(tag, pattern) for tag, pattern in resolvers if tag.endswith((":null", ":merge"))]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return yaml.load(path.read_text(encoding="utf-8-sig"), Loader=Text)


def _check_keys(names: Iterable[str], where: str, known: Sequence[str] = KEYS) -> None:
    for name in names:
        if name not in known:
            raise ReadError(f"{where}unknown column {name!r}{nearest(name, known)}", expected=" or ".join(known))


def _of_row(row: Row, folder: Path, where: str) -> list[Wanted]:
    """The trials of a row whose paths are relative to a folder."""
    for key, values in row.items():
        if len(values) > 1 and key not in _SEVERAL:
            raise ReadError(f"{key}: expected one value", found=str(len(values)))
    if row.get(TRIAL) and row.get(TRIALS):
        raise ReadError(f"both {TRIAL} and {TRIALS}", todo="keep one of them")
    named = row.get(TRIALS) or row.get(TRIAL) or []
    if not named:
        raise ReadError(f"no {TRIALS}", expected="a path or a glob")
    words: list[str] = []
    without: list[str] = []
    for key, option in COLUMNS.items():
        for value in row.get(key, []):
            if option.kind in (FILE, LOADS) and value.lower() == "none":
                without.append(option.flag)
            elif option.kind == LOADS:
                segment, _, file = value.partition("=")
                words += [option.flag, f"{segment.strip()}={_file(key, file.strip(), folder)}"]
            else:
                words += [option.flag, _file(key, value, folder) if option.kind == FILE else value]
    root = folder / row["root"][0] if row.get("root") else None
    trials: dict[Path, bool] = {}
    for name in named:
        path = folder / name
        exact = os.path.lexists(path)
        if path.is_dir():
            raise ReadError(f"{name} is a folder", expected="a trial or a glob", todo=f"write {name}/*")
        if exact:
            refuse_no_trial(path)
        paths = [path] if exact else list(matches(path).trials)
        if not paths:
            raise ReadError(f"{name}: no such trial", todo=about_path(path))
        if root is not None and not all(absolute(p).is_relative_to(absolute(root)) for p in paths):
            raise ReadError(f"root: {root} does not hold {name}", expected="a folder above the trial")
        trials.update(dict.fromkeys(paths, exact))
    subject, session, condition = ((row.get(key) or [""])[0] for key in ("subject", *WORDS))
    return [
        Wanted(path, exact, subject, root, tuple(words), tuple(without), where, session, condition)
        for path, exact in trials.items()
    ]


def _file(key: str, value: str, folder: Path) -> str:
    if not (folder / value).is_file():
        raise ReadError(f"{key}: {folder / value}: no such file", todo=about_path(Path(value)))
    return str(folder / value)


def manifest_csv(planned: Sequence[Planned], given: Collection[str] = ()) -> str:
    """The text of a manifest that makes the same plan again, in the folder in which it was made.

    Parameters
    ----------
    planned : sequence of Planned
    given : collection of str
        Options that hold for all trials, and are to be given again.
    """
    names = {option.flag: key for key, option in COLUMNS.items()}
    rows: list[dict[str, str]] = []
    for trial in planned:
        row = {TRIALS: str(trial.trial), "subject": trial.subject, "root": str(trial.root)}
        # a session that its folder names is found again
        named = {"session": trial.session if trial.session_given else "", "condition": trial.condition}
        row |= {key: word for key, word in named.items() if word}
        for option, value in zip(trial.words[::2], trial.words[1::2], strict=True):
            key = names[option]
            row[key] = f"{row[key]}{BETWEEN}{value}" if key in row else value
        for option in looked_for(trial.trial):
            if option == "--static" and trial.beside is not None:
                continue  # it is found, and compared, again
            if option not in given and (option != LOAD or load_files_beside(trial.trial)):
                row.setdefault(names[option], "none")
        rows.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, [k for k in KEYS if any(k in row for row in rows)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
