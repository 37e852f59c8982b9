"""Which files may be trials, by their names and their first lines, in a folder or for a glob."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from gaitid.batch.results_folder import TABLE
from gaitid.batch.types import Listing
from gaitid.errors import GaitidError, ReadError
from gaitid.model.fields import nearest
from gaitid.read import MOTIVE
from gaitid.read.tables.nexus_sections import is_nexus_csv
from gaitid.read.tables.text_table import first_characters, is_blank
from gaitid.write import ACROSS_TRIALS, BANDS, TABLES

SUFFIXES = (".c3d", ".trc", ".tsv", ".csv")
# Columns of a manifest: trials or globs; one trial a row, for tables that are made so.
TRIALS, TRIAL = "trials", "trial"
# Tables that may have a column ``trial`` too: one of a trial has one of the first two, ``batch.csv`` the third, and
# that one and the tables across trials the last.
_OF_OTHERS = {"frame", "time_s", "fingerprint", "verdict"}
# Of gaitid's own files beside a trial, and of what `simulate` writes with one: no trials.
_TABLES = "|".join((TABLE.removesuffix(".csv"), *ACROSS_TRIALS))
_OURS = re.compile(rf"\.({'|'.join((*TABLES, *BANDS))}|forces|load\.\w+(\.\d+)?|truth\.\w+)\.csv$|^({_TABLES})\.csv$")
# A column of a marker in a plain CSV.
_MARKER = re.compile(r"_x_(mm|cm|m)\b")
# What a table of QTM with markers says.
_QTM = re.compile(r"^DATA_INCLUDED\s+3D\b", re.MULTILINE)
# One of a load on a segment.
_LOAD = re.compile(r"\b(force|moment)_(global|segment)_x_")


# --- paths --------------------------------------------------------------------------------------------------


def absolute(path: Path) -> Path:
    """The absolute path without dots; links stay: what a user sees as one folder stays one."""
    if path.is_absolute() and ".." not in path.parts:
        return path
    return _absolute(path, os.getcwd())  # noqa: PTH109


@lru_cache(maxsize=100_000)  # each trial's is asked for ten times
def _absolute(path: Path, here: str) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links


def natural(text: str) -> tuple[object, ...]:
    """A key that sorts ``walk2`` before ``walk10``."""
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in re.split(r"(\d+)", text) if p)


def by_name(path: Path) -> tuple[object, ...]:
    """A key that sorts paths as people count."""
    return natural(path.as_posix())


def about_path(path: Path) -> str:
    """The advice for a path at which nothing is."""
    return "write / between folders" if "\\" in str(path) else "check the path"


# --- many files ---------------------------------------------------------------------------------------------


def is_glob(text: str) -> bool:
    """Whether a path has a sign of globs."""
    return any(sign in text for sign in "*?[")


def literal_part(pattern: Path) -> Path:
    """The longest folder of a glob that exists, whatever signs its name holds."""
    return next((folder for folder in pattern.parents if folder.is_dir()), pattern.parent)


def matches(pattern: Path) -> Listing:
    """Trials that match a glob, ``**`` for any folders, and what was left out.

    Raises
    ------
    GaitidError
        No glob, and no such file.
    """
    base = literal_part(pattern)
    rest = str(pattern.relative_to(base))
    if not is_glob(rest):
        raise GaitidError(f"{pattern}: no such file or folder", todo=about_path(pattern))
    try:
        files = tuple(sorted((p for p in base.glob(rest) if not p.is_dir()), key=by_name))
    except (ValueError, OSError) as error:
        raise GaitidError(f"{pattern}: cannot be used as a glob ({error})") from None
    return _listing(files, {p: why_no_trial(p) for p in files if p.suffix.lower() in SUFFIXES})


def list_folder(folder: Path) -> Listing:
    """What lies in one folder; the reason where the system does not list it."""
    try:
        inside = sorted((p for p in folder.iterdir() if not p.name.startswith(".")), key=by_name)
        is_link = {p: p.is_symlink() for p in inside if p.is_dir()}
    except OSError as error:
        return Listing(problem=f"{folder}: cannot be listed ({error.strerror})")
    files = tuple(p for p in inside if p not in is_link)
    suffixes = {p: p.suffix.lower() for p in files}
    recorded = {p.stem for p in files if suffixes[p] == ".c3d"}
    reasons = {
        p: "a C3D file of the same name is there" if suffixes[p] != ".c3d" and p.stem in recorded else why_no_trial(p)
        for p in files
        if suffixes[p] in SUFFIXES
    }
    return _listing(files, reasons, tuple(p for p in is_link if not is_link[p]))


def _listing(files: tuple[Path, ...], reasons: dict[Path, str], folders: tuple[Path, ...] = ()) -> Listing:
    """The listing of files, of which those are trials that have an empty reason not to be."""
    left_out = tuple((p, why) for p, why in reasons.items() if why)
    return Listing(tuple(p for p in reasons if not reasons[p]), left_out, files, folders)


# --- one file -----------------------------------------------------------------------------------------------


def refuse_no_trial(path: Path) -> None:
    """Raise a `GaitidError` where a file that somebody named is no trial."""
    if path.suffix.lower() not in SUFFIXES:
        raise GaitidError(f"{path}: no trial", expected=f"a file that ends in {', '.join(SUFFIXES)}")
    if why := why_no_trial(path):
        raise GaitidError(f"{path}: this is {why}")


def why_no_trial(path: Path) -> str:
    """What a file is instead of a trial; empty for C3D and TRC files, and for tables with markers of all kinds.

    A file that cannot be read counts as a trial, and is refused by name when it is read.
    """
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".tsv"):
        return ""
    if _OURS.search(path.name):
        return "forces, or a table that gaitid wrote"
    try:
        if not path.is_file():
            return "no file"
        head = first_characters(path)
    except (OSError, GaitidError):
        return ""
    if suffix == ".tsv":
        return "" if _QTM.search(head) else "no markers of Qualisys Track Manager (a row DATA_INCLUDED 3D)"
    if _LOAD.search(head):
        return "a measured load on a segment (--load)"
    if is_nexus_csv(head) or _MARKER.search(head) or MOTIVE.match(head):
        return ""
    columns = _header_columns(head)
    if _names_trials(columns):
        return "a manifest"
    near = next((f"; {c!r} is not known{n}" for c in columns if (n := nearest(c.lower(), [TRIALS]))), "")
    return f"neither a trial (columns such as LASI_x_mm) nor a manifest (a column {TRIALS!r}){near}"


def is_manifest(path: Path) -> bool:
    """Whether it is a YAML file, or a CSV file with a column ``trials`` or ``trial``."""
    if path.suffix.lower() in (".yaml", ".yml"):
        return path.is_file()
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    try:
        return _names_trials(_header_columns(first_characters(path)))
    except ReadError:  # refused by name when it is read as a trial
        return False


def _names_trials(columns: Collection[str]) -> bool:
    """Whether these are columns of a manifest."""
    return TRIALS in columns or (TRIAL in columns and _OF_OTHERS.isdisjoint(columns))


def _header_columns(text: str) -> list[str]:
    """Names in the header of a CSV text, in lower case; none where it has no header."""
    lines = text.split("\n")
    row = header_row(lines)
    return [] if row is None else column_names(next(csv.reader([lines[row]], delimiter=delimiter_of(lines[row]))))


def header_row(lines: Sequence[str]) -> int | None:
    """The index of the first line that is neither blank nor a comment; None where there is none."""
    return next((i for i, line in enumerate(lines) if not is_blank(line) and not line.startswith("#")), None)


def delimiter_of(header: str) -> str:
    """What separates the cells of a header: of comma, semicolon and tab the one that it has most of."""
    return max(",;\t", key=header.count)


def column_names(cells: Sequence[str]) -> list[str]:
    """Names of columns as they are compared: in lower case."""
    return [cell.strip().lower() for cell in cells]
