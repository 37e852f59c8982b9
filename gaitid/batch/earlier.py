"""What earlier batches left in a folder of results: whose it is, and what must not stand beside new results."""

from __future__ import annotations

import contextlib
import json
import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gaitid.batch.fetched import FETCHED
from gaitid.batch.found import absolute
from gaitid.batch.job import Job, Outcome, fingerprint_of, still_right, trial_hash
from gaitid.batch.journal import FOLDER, content, folds_case, writing
from gaitid.batch.parquet import DATASET, sweep_frames
from gaitid.batch.table import COLUMNS
from gaitid.errors import GaitidError, WriteError
from gaitid.whole import put_all

TABLE = "batch.csv"
ROOT = "dataset"
RECORD = "run.json"
_TABLES = ("wrenches", "joints", "contacts", "cycles", "spatiotemporal", "segments", "base")


# --- whose results these are --------------------------------------------------------------------------------


def claim(output: Path, root: Path, holds_some: bool) -> None:
    """Note the root of the data set that a folder holds the results of; refuse that of another, if it holds any.

    Results mirror what is below the root: those of another data set would take the places of the first's. A root
    in the folder itself (of what was fetched) is noted relative to it.

    Parameters
    ----------
    output : Path
    root : Path
        Absolute (`root_of`).
    holds_some : bool

    Raises
    ------
    WriteError
    """
    file = output / FOLDER / ROOT
    inside = absolute(output / FOLDER)
    mine = root.relative_to(inside).as_posix() if root.is_relative_to(inside) else str(root)
    noted = content(file).decode("utf-8", "surrogateescape").removesuffix("\n")
    if noted == mine or (noted and _same(Path(noted), root)):
        return
    if noted and holds_some:
        raise WriteError(
            f"{output} holds the results of another data set",
            expected=_shown(noted),
            found=_shown(mine),
            todo=f"batch the folder that holds both, or give another -o; if it only moved, delete {file}",
        )
    with writing(output):
        put_all(file.parent, {ROOT: f"{mine}\n".encode("utf-8", "surrogateescape")})


def root_of(job: Job, output: Path) -> Path:
    """The folder that `output` mirrors, absolute."""
    below = job.folder.relative_to(output).parts
    folder = absolute(job.trial.parent)
    return folder.parents[len(below) - 1] if below else folder


def _same(one: Path, other: Path) -> bool:
    """One folder by two names, as through a link."""
    try:
        return one.is_absolute() and one.samefile(other)
    except OSError:
        return False


def _shown(noted: str) -> str:
    """A root as the user named it: a URL where it was fetched."""
    parts = Path(noted).parts
    return f"{parts[1]}://{'/'.join(parts[2:])}" if parts[:1] == (FETCHED,) and len(parts) > 1 else noted


def place_of(job: Job, output: Path) -> str:
    """Where a trial's results are, below the folder of all: ``P01/walk`` for ``P01/walk.run.json`` and the others."""
    return (job.folder.relative_to(output) / job.trial.stem).as_posix()


def earlier_places(output: Path, jobs: Sequence[Job], earlier: Mapping[str, Outcome]) -> list[str]:
    """Where files of results are whose trials are not in this batch."""
    mine = {place_of(job, output) for job in jobs}

    def there(place: str) -> bool:
        names, folder = earlier[place].outputs, (output / place).parent
        return bool(names) and all((folder / name).is_file() for name in names)

    return sorted(place for place in earlier if place not in mine and there(place))


def refuse_one_name(output: Path, jobs: Sequence[Job]) -> None:
    """Raise where two trials would have one result, because the folder's file system takes ``Walk`` for ``walk``.

    Raises
    ------
    WriteError
    """
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


def text_of(table: Path) -> str:
    """Empty where there is none."""
    return content(table).decode("utf-8", "replace")


def refuse_strange_table(output: Path) -> None:
    """Raise where ``batch.csv`` is not one of ours, so that it is never overwritten."""
    table, begins = output / TABLE, f"{COLUMNS[0]},".encode()
    if not os.path.lexists(table):
        return
    with writing(output):
        start = b"?"
        if table.is_file():  # a pipe would be waited for
            with table.open("rb") as file:
                start = file.read(len(begins))
    if start not in (b"", begins):
        raise WriteError(f"{table} is no table of gaitid", todo="rename it or give another folder with -o")


def take_away_tables(output: Path) -> None:
    """``batch.csv`` and ``frames.parquet``, which are made from the results, before these change."""
    with _away(output / TABLE):
        (output / TABLE).unlink(missing_ok=True)
    take_away_frames(output)


def take_away_frames(output: Path) -> None:
    frames, aside = output / DATASET, output / FOLDER / f"{DATASET}.old"
    if frames.is_dir():
        with _away(frames):
            sweep_frames(output)
            os.replace(frames, aside)  # at once, so that nobody reads a part of it
            sweep_frames(output)


def files_of(job: Job, earlier: Outcome | None) -> list[Path]:
    """Files of an earlier result of a trial, the record last.

    Ours are those that the journal lists, and those with the names that a result has where the record among them is
    of this trial.
    """
    names = {name for name in earlier.outputs if Path(name).name == name} if earlier is not None else set[str]()
    record = f"{job.trial.stem}.{RECORD}"
    if _is_of(job.folder / record, job.trial):
        names |= {f"{job.trial.stem}.{kind}.csv" for kind in _TABLES} | {record}
    paths = [job.folder / name for name in sorted(names, key=lambda name: (name == record, name))]
    return [path for path in paths if path.is_file()]


def right_now(job: Job, earlier: Outcome) -> bool:
    """Whether `--resume` would keep an earlier result, as after a trial that took too long this time."""
    try:
        return still_right(job, earlier, fingerprint_of(job, trial_hash(job)))
    except (GaitidError, OSError):
        return False


def _is_of(record: Path, trial: Path) -> bool:
    """Whether a ``run.json`` says that it was made from a trial."""
    try:
        inputs = json.loads(content(record))["inputs"]
        (path,) = [one["path"] for one in inputs if one["role"] == "trial"]
        return absolute(Path(path)) == absolute(trial)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


@contextlib.contextmanager
def _away(path: Path) -> Iterator[None]:
    """An error of the system becomes a refusal."""
    try:
        yield
    except OSError as error:
        raise WriteError(
            f"{path}: of an earlier batch, cannot be taken away ({error.strerror or error})",
            todo="close it where it is open, and go on with --resume",
        ) from None
