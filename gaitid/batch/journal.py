"""What a folder of results remembers: a lock while a batch works in it, and a journal of what is done."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gaitid.batch.job import DONE, Outcome
from gaitid.errors import WriteError
from gaitid.whole import put_all

FOLDER = ".gaitid"
JOURNAL = "batch.jsonl"
LOCK = "lock"
_WAIT_S = 0.2
# As `put_all` names files aside: name, process, number.
_PART = re.compile(r"\..{1,40}\.\d+\.\d+\.part(\.old)?")
# A file system that knows no locks.
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL}
# What two processes answer to each other: EWOULDBLOCK on Unix, EACCES or EDEADLK of Windows.
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}


# --- the lock -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def locked(folder: Path, wait: bool, waiting: Callable[[str], object] = lambda text: None) -> Iterator[None]:
    """Nobody else's batch works in a folder (made if absent) meanwhile.

    The system holds the lock and lets it go when the process ends, however that happens: it cannot be left behind.
    The lock's file says who holds it, for people.

    Parameters
    ----------
    folder : Path
    wait : bool
        Wait until it is free instead of refusing.
    waiting : callable
        Told once for whom.

    Raises
    ------
    WriteError
        Another batch works there, or the folder cannot be written to.
    """
    with writing(folder):
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        # Windows would turn line ends into two bytes
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        descriptor = os.open(folder / FOLDER / LOCK, flags, 0o666)
    try:
        told = False
        while not _take(descriptor):
            os.lseek(descriptor, 1, os.SEEK_SET)
            holder = os.read(descriptor, 200).decode(errors="replace")
            who = f"another batch works there{' (' + holder.strip() + ')' if holder.strip() else ''}"
            if not wait:
                raise WriteError(f"{folder}: {who}", todo="wait for its end, give --wait, or another folder with -o")
            if not told:
                waiting(f"{folder}: {who}; waiting")
                told = True
            time.sleep(_WAIT_S)
        with writing(folder):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            # byte 0 is what Windows locks, and nobody else could read it
            os.write(descriptor, f"\nprocess {os.getpid()} on {socket.gethostname()}\n".encode())
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
                _release(descriptor)
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    """Whether the lock is ours now; a file system without locks gives it to everybody."""
    try:
        try:
            import fcntl
        except ImportError:
            import msvcrt

            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        if error.errno not in _NO_LOCKS:
            raise
    return True


def _release(descriptor: int) -> None:
    """Let go of it. Unix does so when the file is closed; Windows too, but when it finds time for it."""
    with contextlib.suppress(ImportError):
        import msvcrt

        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """An error of the system becomes a refusal, as `gaitid.write.files` says it."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        todo = f"{'make room, or ' if full else ''}give another folder with -o; --resume goes on"
        raise WriteError(f"cannot write to {folder} ({error.strerror or error})", todo=todo) from None


# --- the journal --------------------------------------------------------------------------------------------


class Journal:
    """Each trial that is done, a line of JSON, written when its result is in place.

    A line that is missing or cut (the process was killed in between) means that the trial is worked on again, which
    makes the same bytes. What a line says of files is believed only where their hashes agree. Results are known by
    their place below the folder (``P01/walk``).
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / FOLDER / JOURNAL

    def read(self) -> dict[str, Outcome]:
        """What was done, by place."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return {}
        return dict(filter(None, map(_entry, lines)))

    def write(self, done: Mapping[str, Outcome]) -> None:
        """The whole journal anew, without times: the same outcomes give the same bytes."""
        with writing(self.folder):
            put_all(self.path.parent, {JOURNAL: "".join(_line(place, one) for place, one in done.items())})

    def append(self, place: str, outcome: Outcome) -> None:
        """One trial more, when its result is in place."""
        with writing(self.folder), self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(_line(place, outcome))


# What a line says besides the place, with the kind of value that JSON gives.
_NOTED = {"trial": str, "trial_sha256": str, "fingerprint": str, "figures": dict, "outputs": dict, "warnings": list}


def _line(place: str, outcome: Outcome) -> str:
    return json.dumps({"place": place, **{name: getattr(outcome, name) for name in _NOTED}}) + "\n"


def _entry(line: str) -> tuple[str, Outcome] | None:
    try:
        content: Any = json.loads(line)
        noted = {name: content[name] for name in _NOTED}
        place = content["place"]
    except (ValueError, TypeError, KeyError):
        return None
    if not isinstance(place, str) or not all(isinstance(noted[name], kind) for name, kind in _NOTED.items()):
        return None
    return place, Outcome(status=DONE, **{**noted, "warnings": tuple(noted["warnings"])})


def sweep(folders: Iterable[Path]) -> None:
    """Take away files aside that a process left which was killed. Only under the lock: nobody else writes there."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in [p for p in folder.iterdir() if _PART.fullmatch(p.name)]:
                path.unlink(missing_ok=True)
