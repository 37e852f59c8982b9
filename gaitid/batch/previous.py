"""What previous batches left in a folder of results: of which data set, and what must not stay beside new results.

`noted` are the outcomes that the journal holds of previous batches, by place; each `refuse_…` raises a `WriteError`.
"""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from gaitid.batch.collected import COLLECTED, COLLECTED_PARQUET
from gaitid.batch.files import absolute
from gaitid.batch.job import Job, Outcome, fingerprint_of, is_current, trial_hash
from gaitid.batch.parquet import sweep_frames
from gaitid.batch.results_folder import (
    FETCHED,
    FOLDER,
    FRAMES,
    ROOT,
    TABLE,
    folds_case,
    noted_root,
    read_bytes,
    root_note,
    writing,
)
from gaitid.batch.table import COLUMNS, TABLE_KEY
from gaitid.disk.atomic import put_all
from gaitid.disk.regular import read_record
from gaitid.errors import GaitidError, WriteError
from gaitid.inputs import LABORATORY
from gaitid.run import files_read
from gaitid.write import TABLES

RECORD = "run.json"
# The end of a Parquet file that holds its columns' names, bytes.
_FOOTER = 1 << 20


# --- of which data set the results are ----------------------------------------------------------------------


def root_of(job: Job, output: Path) -> Path:
    """The folder that `output` mirrors, absolute."""
    below = job.folder.relative_to(output).parts
    folder = absolute(job.trial.parent)
    return folder.parents[len(below) - 1] if below else folder


def refuse_other_root(output: Path, root: Path) -> None:
    """Refuse a folder that holds results of another data set: those of two would take each other's places.

    A data set that is no longer where it was noted has moved.
    """
    note, previous = root_note(output), noted_root(output)
    if not note or _is_root(output, root) or (previous is not None and not previous.exists()):
        return
    above = previous is not None and previous.is_relative_to(root)
    raise WriteError(
        f"{output} holds the results of {'a part of this' if above else 'another'} data set",
        expected=_as_given(note),
        found=_as_given(_note_of(output, root)),
        todo="give another -o" if above else "batch the folder that holds both, with another -o",
    )


def note_root(output: Path, root: Path) -> None:
    """Write down of which data set the results are."""
    if not _is_root(output, root):
        with writing(output):
            text = f"{_note_of(output, root)}\n"
            put_all(output / FOLDER, {ROOT: text.encode("utf-8", "surrogateescape")})


def _is_root(output: Path, root: Path) -> bool:
    """Whether this root is noted, by this name or another, as through a link."""
    previous = noted_root(output)
    if root_note(output) == _note_of(output, root):
        return True
    try:
        return previous is not None and previous.samefile(root)
    except OSError:
        return False


def _note_of(output: Path, root: Path) -> str:
    """A root as it is noted: one in the folder of results itself (of what was fetched) relative to that."""
    inside = absolute(output / FOLDER)
    return root.relative_to(inside).as_posix() if root.is_relative_to(inside) else str(root)


def _as_given(note: str) -> str:
    """A noted root as the user gave it: a URL where it was fetched."""
    parts = Path(note).parts
    return f"{parts[1]}://{'/'.join(parts[2:])}" if parts[:1] == (FETCHED,) and len(parts) > 1 else note


# --- whose places the results take --------------------------------------------------------------------------


def place_of(job: Job, output: Path) -> str:
    """The place of a trial's results below the folder of all: ``P01/walk`` for ``P01/walk.run.json`` and the others."""
    return (job.folder.relative_to(output) / job.trial.stem).as_posix()


def other_places(output: Path, jobs: Sequence[Job], noted: Mapping[str, Outcome]) -> list[str]:
    """The places of complete results whose trials are not in this batch."""
    in_batch = {place_of(job, output) for job in jobs}

    def is_complete(place: str) -> bool:
        names, folder = noted[place].outputs, (output / place).parent
        return bool(names) and all((folder / name).is_file() for name in names)

    return sorted(place for place in noted if place not in in_batch and is_complete(place))


def refuse_other_trials(output: Path, jobs: Sequence[Job], noted: Mapping[str, Outcome]) -> None:
    """Refuse a place of a result that holds that of another trial, whoever put it there.

    It is the same trial by its path, or by its bytes where it has moved.
    """
    taken = []
    for job in jobs:
        record = job.folder / f"{job.trial.stem}.{RECORD}"
        if not record.is_file():
            continue
        previous = noted.get(place_of(job, output))
        path, sha256 = (previous.trial, previous.trial_sha256) if previous is not None else _trial_in(record)
        if path and absolute(Path(path)) != absolute(job.trial):
            with contextlib.suppress(GaitidError, OSError):  # one that cannot be read is refused, and writes nothing
                taken += [(record, path, job)] if trial_hash(job) != sha256 else []
    if taken:
        record, path, job = taken[0]
        more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
        raise WriteError(f"{record} is the result of {path}, not of {job.trial}{more}", todo="give another -o")


def refuse_links(output: Path, folders: Sequence[Path]) -> None:
    """Refuse a folder of results that is a link: what lies behind it is not ours to write to, or to delete from."""
    for folder in folders:
        below = folder.relative_to(output)
        for path in (output / part for part in (below, *below.parents[:-1])):
            if path.is_symlink():
                todo = "give the folder itself with -o"
                raise WriteError(f"{path} is a link: nothing is written through it", todo=todo)


def refuse_equal_names(output: Path, jobs: Sequence[Job]) -> None:
    """Refuse two trials that would have one result, because the folder's file system takes ``Walk`` for ``walk``."""
    seen: dict[str, Job] = {}
    for job in jobs if folds_case(output) else ():
        other = seen.setdefault(unicodedata.normalize("NFC", place_of(job, output)).casefold(), job)
        if other is not job:
            raise WriteError(
                f"{other.name} and {job.name} would both write {job.folder / job.trial.stem}.*: the file system of "
                f"{output} does not tell capitals from small letters",
                todo="rename one of them, or give another folder with -o",
            )


# --- what must go -------------------------------------------------------------------------------------------


def refuse_foreign_tables(output: Path) -> None:
    """Refuse to overwrite or delete tables of all trials, as ``batch.csv``, that were not made by gaitid."""
    tables: list[tuple[str, Callable[[Path], bool]]] = [
        (TABLE, partial(_is_table, columns=COLUMNS[:4])),
        (FRAMES, _are_frames),
        (LABORATORY, _is_laboratory),
    ]
    tables += [(name, partial(_is_table, columns=TABLE_KEY)) for name in COLLECTED]
    tables += [(name, _is_parquet) for name in COLLECTED_PARQUET]
    for path, is_ours in ((output / name, is_ours) for name, is_ours in tables):
        with writing(output):
            may_go = not os.path.lexists(path) or is_ours(path)
        if not may_go:
            raise WriteError(f"{path} was not made by gaitid", todo="rename it or give another folder with -o")


def _is_table(path: Path, columns: Sequence[str]) -> bool:
    """Whether a file is empty (or zeros, after a crash), or begins with these columns, as ours do."""
    begins = ",".join(columns).encode()
    if not path.is_file():  # a pipe would be waited for
        return False
    with path.open("rb") as file:
        return file.read(len(begins)) in (b"", begins) or not read_bytes(path)


def _is_laboratory(path: Path) -> bool:
    from gaitid.faults.laboratory_file import BEGINS  # only where such a file is

    return _is_table(path, (BEGINS,))


def _is_parquet(path: Path) -> bool:
    """Whether a file is a Parquet file whose columns begin as those of a table across trials."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(file.tell() - _FOOTER, 0))
        end = file.read()
    places = [end.find(name.encode()) for name in TABLE_KEY]
    return not end.rstrip(b"\0") or (end.endswith(b"PAR1") and -1 not in places and places == sorted(places))


def _are_frames(path: Path) -> bool:
    """Whether nothing else lies there than what `gaitid.batch.parquet` makes."""
    return (
        path.is_dir()
        and not path.is_symlink()
        and all(p.name.startswith("subject=") for p in path.iterdir())
        and all(p.suffix == ".parquet" for p in path.glob("*/*"))
    )


def delete_tables(output: Path) -> None:
    """Delete ``batch.csv`` and the other tables of all trials, which are made from the results, before these change."""
    for name in (*COLLECTED, LABORATORY, TABLE):
        with deleting(output / name):
            (output / name).unlink(missing_ok=True)
    delete_frames(output)


def delete_frames(output: Path) -> None:
    """Delete what ``--parquet`` makes; ``frames.parquet`` all at once: nobody reads a part of it."""
    for name in COLLECTED_PARQUET:
        with deleting(output / name):
            (output / name).unlink(missing_ok=True)
    frames, aside = output / FRAMES, output / FOLDER / f"{FRAMES}.old"
    if frames.is_dir():
        with deleting(frames):
            sweep_frames(output)
            os.replace(frames, aside)
            sweep_frames(output)


def result_files(job: Job, previous: Outcome | None, trial_sha256: str) -> list[Path]:
    """The files of a previous result of a trial, the record last.

    These are the files that the journal lists, and those with the names that a result has where the record among them
    is of this trial: by its bytes, or by its path if that is absolute (a relative one is of a folder that nobody
    knows). Never an input that somebody gave such a name.
    """
    names = {name for name in previous.outputs if Path(name).name == name} if previous is not None else set[str]()
    record = f"{job.trial.stem}.{RECORD}"
    path, sha256 = _trial_in(job.folder / record)
    if (sha256 and sha256 == trial_sha256) or (Path(path).is_absolute() and Path(path) == absolute(job.trial)):
        names |= {f"{job.trial.stem}.{table}.csv" for table in TABLES} | {record}
    paths = [job.folder / name for name in sorted(names, key=lambda name: (name == record, name))]
    inputs = [path for path in files_read(job.trial, job.options) if path.is_file()]
    return [path for path in paths if path.is_file() and not any(path.samefile(given) for given in inputs)]


def is_outdated(job: Job, previous: Outcome | None) -> bool:
    """Whether a previous result is of other inputs or options than there are now.

    Not where an input cannot be read: a disk that was taken away does not make outdated what was computed from it.
    """
    try:
        fingerprint = fingerprint_of(job, trial_hash(job))
    except (GaitidError, OSError):
        return False
    known = all(sha256 for _, sha256 in job.shared)
    return known and (previous is None or not is_current(job, previous, fingerprint))


def _trial_in(record: Path) -> tuple[str, str]:
    """Path and SHA-256 of the trial that a ``run.json`` names as its input; empty where it names none."""
    try:
        inputs = read_record(record)["inputs"]
        ((path, sha256),) = [(entry["path"], entry["sha256"]) for entry in inputs if entry["role"] == "trial"]
        return str(path), str(sha256)
    except (GaitidError, ValueError, KeyError, TypeError):
        return "", ""


@contextlib.contextmanager
def deleting(path: Path) -> Iterator[None]:
    """Turn an error of the system into a `WriteError` about a file of a previous batch."""
    try:
        yield
    except OSError as error:
        raise WriteError(
            f"cannot delete {path} of an earlier batch ({error.strerror or error})",
            todo="close it where it is open, and go on with --resume",
        ) from None
