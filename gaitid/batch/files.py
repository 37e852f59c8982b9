"""Which files may be trials, by their names and their first lines, in a folder, for a glob, or behind a URL."""

from __future__ import annotations

import csv
import os
import re
import shutil
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import unquote

from gaitid.batch.results_folder import FETCHED, FOLDER, TABLE, writing
from gaitid.batch.types import Listing
from gaitid.disk.atomic import put_all
from gaitid.disk.regular import MAX_BYTES
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


T = TypeVar("T")

# Suffixes of trials, and of what may lie beside them.
_COPIED = (*SUFFIXES, ".mot", ".forces", ".anc", ".cal", ".yaml", ".yml", ".enf", ".mp")
# How long a store is waited for, s: until it is there, or the next piece of a file; and until it has listed all.
ANSWER_S, LISTING_S = 60.0, 600.0
_PIECE = 1 << 20
_CHECK = "check the URL and the credentials"
# Two letters at least: one is a drive of Windows.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)")


def is_url(name: str) -> bool:
    """Whether the name of a data set is a URL."""
    return _URL.fullmatch(name) is not None


def fetch(datasets: Sequence[str], output: Path) -> tuple[list[str], list[str]]:
    """Copy the data sets that are URLs into ``output/.gaitid/fetched``; the caller holds the folder's lock.

    All is copied anew each time, each file as a whole: what decides whether a trial is done is what its file holds.

    Parameters
    ----------
    datasets : sequence of str
        A URL names a folder (with all below it), a glob, or a file, as fsspec understands it: ``s3://lab/gait``,
        ``https://host/walk.c3d``. Credentials are looked for where its library does (environment, files).
    output : Path

    Returns
    -------
    datasets : list of str
        With each URL replaced by the copy of what it names.
    problems : list of str
        Files that could not be fetched, a line each.

    Raises
    ------
    GaitidError
        fsspec or its library for the scheme is not installed, or a URL cannot be reached or holds no trial.
    WriteError
        The folder cannot be written to.
    """
    with writing(output):
        if (output / FOLDER / FETCHED).is_dir():
            shutil.rmtree(output / FOLDER / FETCHED)
    names, problems = [], []
    for name in datasets:
        copy, failed = _fetch(name, output) if is_url(name) else (name, [])
        names.append(copy)
        problems += failed
    return names, problems


def _fetch(url: str, output: Path) -> tuple[str, list[str]]:
    """The copy of what a URL names, and a line for each file that could not be fetched."""
    try:
        import fsspec

        system, root = _within(ANSWER_S, partial(fsspec.core.url_to_fs, _plain(url)))
    except Exception as error:  # of a network, a store, a protocol, or a library that is absent
        absent = isinstance(error, (ImportError, ValueError))
        todo = "pip install 'gaitid[distributed]', and what fsspec needs for the scheme" if absent else _CHECK
        raise GaitidError(f"{url}: cannot be fetched ({_line(error)})", todo=todo) from None
    try:
        files = _within(LISTING_S, partial(_files, system, root))
    except Exception as error:
        raise GaitidError(f"{url}: cannot be listed ({_line(error)})", todo=_CHECK) from None
    top = output / FOLDER / FETCHED / url.partition("://")[0].lower()
    problems, trials = list[str](), 0
    for path, about in files.items():
        target = top / _below(path, url)
        try:
            content = _content(system, path, about)
        except TimeoutError as error:  # nor would the next ones come
            raise GaitidError(f"{url}: {path}: cannot be fetched ({_line(error)})", todo=_CHECK) from None
        except Exception as error:
            problems.append(f"{path}: cannot be fetched ({_line(error)})")
        else:
            trials += target.suffix.lower() in SUFFIXES
            with writing(output):
                put_all(target.parent, {target.name: content})
    if not trials:
        expected = f"files that end in {', '.join(SUFFIXES)}"
        raise GaitidError(f"{url}: no trial", expected=expected, found="; ".join(problems))
    return str(top / _below(root, url)), problems


def _plain(url: str) -> str:
    """A file's URL with its path as it is on the disk: %20 is a blank (RFC 8089), which fsspec leaves as it is."""
    scheme, _, path = url.partition("://")
    return f"{scheme}://{unquote(path)}" if scheme.lower() == "file" and not Path(path).exists() else url


def _files(system: Any, root: str) -> dict[str, Mapping[str, Any]]:
    """Files that the URL names, in order, each with what the store knows of it; hidden ones are left out."""
    if is_glob(root):
        files = system.glob(root, detail=True)
    elif system.isfile(root) and PurePosixPath(root).suffix.lower() in _COPIED:
        files = {root: system.info(root)}
    else:
        files = system.find(root, detail=True)
        if not files:
            system.info(root)  # a listing leaves out what does not answer; this raises the reason
    return {
        path: files[path]
        for path in sorted(files)
        if PurePosixPath(path).suffix.lower() in _COPIED
        and "/." not in path.removeprefix(root)
        and files[path].get("type") != "directory"
    }


def _content(system: Any, path: str, about: Mapping[str, Any]) -> bytes:
    """The bytes of a file, read in pieces: one without an end is refused, and one that stops coming is given up."""
    if about.get("type", "file") != "file":  # a link may lead to one
        about = _within(ANSWER_S, partial(system.info, path))
    if about.get("type", "file") != "file":
        raise ValueError("no file, but a folder or a device")
    too_large = ValueError(f"too large: no trial has more than {MAX_BYTES / 1e6:.0f} MB")
    if (about.get("size") or 0) > MAX_BYTES:
        raise too_large
    file = _within(ANSWER_S, partial(system.open, path, "rb"))
    content = bytearray()
    while piece := _within(ANSWER_S, partial(file.read, _PIECE)):
        content += piece
        if len(content) > MAX_BYTES:
            raise too_large
    file.close()
    return bytes(content)


def _within(seconds: float, function: Callable[[], T]) -> T:
    """The function's value; TimeoutError where it takes longer. What it waits for then ends with this process."""
    from concurrent.futures import Future  # loads 7 modules, which who fetches nothing does not need

    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(function())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError:
        if answer.done():  # its own, with what it waited for
            raise
        raise TimeoutError(f"no answer within {seconds:g} s") from None


def _line(error: BaseException) -> str:
    error = error.__cause__ or error
    return " ".join(str(error).split()) or type(error).__name__


def _below(path: str, url: str) -> PurePosixPath:
    """A path of the store as one below our folder: a name that a server makes up does not lead out of it."""
    plain = _URL.sub(r"\2", path).lstrip("/")
    parts = PurePosixPath(plain).parts
    if not parts or any(part == ".." or "\\" in part or "\0" in part or ":" in part[1:2] for part in parts):
        raise GaitidError(f"{url}: {path!r} cannot be the name of a copy")
    return PurePosixPath(*parts)
