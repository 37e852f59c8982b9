"""The folder of results: the names that gaitid gives in it, what it notes there, and how it is written to."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gaitid.disk.regular import MAX_TEXT_BYTES, file_size
from gaitid.errors import ReadError, WriteError

TABLE = "batch.csv"
FRAMES = "frames.parquet"
# In it, hidden: who works there, what is done, the root of the data set, copies of what URLs name.
FOLDER = ".gaitid"
LOCK, JOURNAL, ROOT, FETCHED = "lock", "batch.jsonl", "dataset", "fetched"
# How what is written to in place is opened: a link is an error, and Windows would turn line ends into two bytes.
PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
# As `put_all` names files aside: name, process, number.
_PART = re.compile(r"\..{1,40}\.\d+\.\d+\.part(\.old)?", re.DOTALL)


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """An error of the system becomes a refusal, as `gaitid.disk.atomic.write_all` says it."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        todo = f"{'make room, or ' if full else ''}give another folder with -o; --resume goes on"
        raise WriteError(f"cannot write to {folder} ({error.strerror or error})", todo=todo) from None


def content(path: Path) -> bytes:
    """The bytes of a file of ours; none where it is absent or cannot be one of ours: a pipe would be waited for."""
    try:
        file_size(path, MAX_TEXT_BYTES, "own")
        return path.read_bytes()
    except (OSError, ReadError):
        return b""


def root_note(output: Path) -> str:
    """What was noted of the root of the data set that a folder holds the results of; empty where nothing was."""
    return content(output / FOLDER / ROOT).decode("utf-8", "surrogateescape").removesuffix("\n")


def noted_root(output: Path) -> Path | None:
    """That root; None where nobody noted it, or it lies in the folder itself."""
    root = Path(root_note(output))
    return root if root.is_absolute() else None


def folds_case(output: Path) -> bool:
    """Whether the file system of a folder that is locked takes ``WALK`` for ``walk``, as exFAT and most of macOS."""
    lock = output / FOLDER / LOCK
    try:
        return lock.with_name(LOCK.upper()).samefile(lock)
    except OSError:
        return False


def sweep(folders: Iterable[Path]) -> None:
    """Take away files aside that a process left which was killed. Only under the lock: nobody else writes there."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in [p for p in folder.iterdir() if _PART.fullmatch(p.name)]:
                path.unlink(missing_ok=True)
