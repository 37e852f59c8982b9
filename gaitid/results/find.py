"""Which results are meant: records as given, and all below the folders given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from gaitid.errors import GaitidError

RECORD_SUFFIX = ".run.json"
# The folder of a batch's journal: what lies there is no result of its own.
_HIDDEN = ".gaitid"


def find_records(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The ``run.json`` files given, and all below the folders given, each once and in the order given.

    Raises
    ------
    GaitidError
        Not there, not a record, or a folder without any.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        files = records_below(path) if path.is_dir() else (path,)
        if not files:
            raise GaitidError(
                f"{path}: no result in this folder or below it",
                expected=f"files NAME{RECORD_SUFFIX} that gaitid run or gaitid batch wrote",
            )
        for file in files:
            refuse_no_record(file)
            found.setdefault(file.resolve(), file)
    return tuple(found.values())


def records_below(folder: Path) -> tuple[Path, ...]:
    """All below a folder, in the order of their names."""
    return tuple(sorted(p for p in folder.rglob(f"?*{RECORD_SUFFIX}") if _HIDDEN not in p.relative_to(folder).parts))


def refuse_no_record(path: Path) -> None:
    """Refuse a path that is not there, or has not the name of a record.

    Raises
    ------
    GaitidError
    """
    if not path.exists():
        raise GaitidError(f"{path}: no such file or folder", expected=f"a NAME{RECORD_SUFFIX}, or a folder")
    if not path.name.endswith(RECORD_SUFFIX) or path.name == RECORD_SUFFIX:
        raise GaitidError(f"{path}: not a result", expected=f"a file NAME{RECORD_SUFFIX} that gaitid run wrote")


def tables_beside(path: Path, tables: Iterable[str], needed: Collection[str]) -> dict[str, Path]:
    """Where the tables of a record lie, whether they are there or not.

    Parameters
    ----------
    path : Path
        Of ``walk.run.json``.
    tables : iterable of str
    needed : collection of str
        Those without which there is no result.

    Raises
    ------
    GaitidError
        A needed one is not there.
    """
    stem = path.name.removesuffix(RECORD_SUFFIX)
    files = {table: path.with_name(f"{stem}.{table}.csv") for table in tables}
    if missing := [file.name for table, file in files.items() if table in needed and not file.is_file()]:
        raise GaitidError(
            f"{path}: {', '.join(missing)} missing beside it",
            expected="the tables that gaitid run wrote with it",
            todo="run gaitid run again, or move them together",
        )
    return files
