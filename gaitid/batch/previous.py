"""What earlier batches left in a folder of results: whose it is, and what must not stand beside new results."""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gaitid.batch.files import absolute
from gaitid.batch.job import Job, Outcome, fingerprint_of, still_right, trial_hash
from gaitid.batch.parquet import sweep_frames
from gaitid.batch.results_folder import (
    FETCHED,
    FOLDER,
    FRAMES,
    ROOT,
    TABLE,
    content,
    folds_case,
    noted_root,
    root_note,
    writing,
)
from gaitid.batch.table import COLUMNS
from gaitid.disk.atomic import put_all
from gaitid.disk.read_back import read_record
from gaitid.errors import GaitidError, WriteError
from gaitid.run import files_read
from gaitid.write import TABLES

RECORD = "run.json"


# --- whose results these are --------------------------------------------------------------------------------


def refuse_other_root(output: Path, root: Path, holds_some: bool) -> None:
    """Raise where a folder holds results of another data set: those of two would take each other's places.

    A data set that is not where it was noted any more has moved.

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
    noted, before = root_note(output), noted_root(output)
    if not (noted and holds_some) or _is_root(output, root) or (before is not None and not before.exists()):
        return
    above = before is not None and before.is_relative_to(root)
    raise WriteError(
        f"{output} holds the results of {'a part of this' if above else 'another'} data set",
        expected=_shown(noted),
        found=_shown(_relative(output, root)),
        todo="give another -o" if above else "batch the folder that holds both, with another -o",
    )


def note_root(output: Path, root: Path) -> None:
    """Note whose results a folder holds. A root in the folder itself (of what was fetched) is noted relative to it."""
    if not _is_root(output, root):
        with writing(output):
            text = f"{_relative(output, root)}\n"
            put_all(output / FOLDER, {ROOT: text.encode("utf-8", "surrogateescape")})


def _is_root(output: Path, root: Path) -> bool:
    """By this name or another, as through a link."""
    noted, before = root_note(output), noted_root(output)
    if noted == _relative(output, root):
        return True
    try:
        return before is not None and before.samefile(root)
    except OSError:
        return False


def _relative(output: Path, root: Path) -> str:
    inside = absolute(output / FOLDER)
    return root.relative_to(inside).as_posix() if root.is_relative_to(inside) else str(root)


def refuse_others_places(output: Path, jobs: Sequence[Job], earlier: Mapping[str, Outcome]) -> None:
    """Raise where the place of a result holds that of another trial, whoever put it there.

    It is the same trial by its path, or by its bytes where it has moved.

    Raises
    ------
    WriteError
    """
    taken = []
    for job in jobs:
        record = job.folder / f"{job.trial.stem}.{RECORD}"
        if not record.is_file():
            continue
        known = earlier.get(place_of(job, output))
        path, sha256 = (known.trial, known.trial_sha256) if known is not None else _made_from(record)
        if path and absolute(Path(path)) != absolute(job.trial):
            with contextlib.suppress(GaitidError, OSError):  # one that cannot be read is refused, and writes nothing
                taken += [(record, path, job)] if trial_hash(job) != sha256 else []
    if taken:
        record, path, job = taken[0]
        more = f" (and {len(taken) - 1} more)" if len(taken) > 1 else ""
        raise WriteError(f"{record} is the result of {path}, not of {job.trial}{more}", todo="give another -o")


def root_of(job: Job, output: Path) -> Path:
    """The folder that `output` mirrors, absolute."""
    below = job.folder.relative_to(output).parts
    folder = absolute(job.trial.parent)
    return folder.parents[len(below) - 1] if below else folder


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


def refuse_links(output: Path, folders: Sequence[Path]) -> None:
    """Raise where a folder of results is a link: what lies behind it is not ours to write to, or to take from.

    Raises
    ------
    WriteError
    """
    for folder in folders:
        below = folder.relative_to(output)
        for path in (output / part for part in (below, *below.parents[:-1])):
            if path.is_symlink():
                raise WriteError(
                    f"{path} is a link: nothing is written through it", todo="give the folder itself with -o"
                )


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


def refuse_strange_tables(output: Path) -> None:
    """Raise where ``batch.csv`` or ``frames.parquet`` is not one of ours, so that it is neither overwritten nor taken.

    Raises
    ------
    WriteError
    """
    for path, is_ours in ((output / TABLE, _is_table), (output / FRAMES, _are_frames)):
        with writing(output):
            ours = not os.path.lexists(path) or is_ours(path)
        if not ours:
            raise WriteError(f"{path} was not made by gaitid", todo="rename it or give another folder with -o")


def _is_table(path: Path) -> bool:
    begins = ",".join(COLUMNS[:4]).encode()
    if not path.is_file():  # a pipe would be waited for
        return False
    with path.open("rb") as file:
        return file.read(len(begins)) in (b"", begins)


def _are_frames(path: Path) -> bool:
    """Whether nothing else lies there than what `gaitid.batch.parquet` makes."""
    return (
        path.is_dir()
        and not path.is_symlink()
        and all(p.name.startswith("subject=") for p in path.iterdir())
        and all(p.suffix == ".parquet" for p in path.glob("*/*"))
    )


def take_away_tables(output: Path) -> None:
    """``batch.csv`` and ``frames.parquet``, which are made from the results, before these change."""
    with away(output / TABLE):
        (output / TABLE).unlink(missing_ok=True)
    take_away_frames(output)


def take_away_frames(output: Path) -> None:
    frames, aside = output / FRAMES, output / FOLDER / f"{FRAMES}.old"
    if frames.is_dir():
        with away(frames):
            sweep_frames(output)
            os.replace(frames, aside)  # at once, so that nobody reads a part of it
            sweep_frames(output)


def files_of(job: Job, earlier: Outcome | None, trial_sha256: str) -> list[Path]:
    """Files of an earlier result of a trial, the record last.

    Ours are those that the journal lists, and those with the names that a result has where the record among them is
    of this trial: by its bytes, or by its path if that is absolute (a relative one is of a folder that nobody knows).
    Never an input that somebody gave such a name.
    """
    names = {name for name in earlier.outputs if Path(name).name == name} if earlier is not None else set[str]()
    record = f"{job.trial.stem}.{RECORD}"
    path, sha256 = _made_from(job.folder / record)
    if (sha256 and sha256 == trial_sha256) or (Path(path).is_absolute() and Path(path) == absolute(job.trial)):
        names |= {f"{job.trial.stem}.{kind}.csv" for kind in TABLES} | {record}
    paths = [job.folder / name for name in sorted(names, key=lambda name: (name == record, name))]
    inputs = [path for path in files_read(job.trial, job.options) if path.is_file()]
    return [path for path in paths if path.is_file() and not any(path.samefile(one) for one in inputs)]


def outdated(job: Job, earlier: Outcome | None) -> bool:
    """Whether an earlier result is of other inputs or options than there are now.

    Not where an input cannot be read: a disk that was taken away says nothing of what was computed from it.
    """
    try:
        fingerprint = fingerprint_of(job, trial_hash(job))
    except (GaitidError, OSError):
        return False
    known = all(sha256 for _, sha256 in job.shared)
    return known and (earlier is None or not still_right(job, earlier, fingerprint))


def _made_from(record: Path) -> tuple[str, str]:
    """Path and SHA-256 of the trial that a ``run.json`` says it was made from; empty where it says none."""
    try:
        inputs = read_record(record)["inputs"]
        ((path, sha256),) = [(one["path"], one["sha256"]) for one in inputs if one["role"] == "trial"]
        return str(path), str(sha256)
    except (GaitidError, ValueError, KeyError, TypeError):
        return "", ""


@contextlib.contextmanager
def away(path: Path) -> Iterator[None]:
    """An error of the system becomes a refusal."""
    try:
        yield
    except OSError as error:
        raise WriteError(
            f"{path}: of an earlier batch, cannot be taken away ({error.strerror or error})",
            todo="close it where it is open, and go on with --resume",
        ) from None
