"""What a folder of results remembers: a lock while a batch works in it, and a journal of what is done."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import socket
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gaitid.batch.job import DONE, Outcome
from gaitid.disk.atomic import put_all
from gaitid.disk.regular import MAX_TEXT_BYTES, file_size
from gaitid.errors import ReadError, WriteError

FOLDER = ".gaitid"
JOURNAL = "batch.jsonl"
LOCK = "lock"
_WAIT_S = 0.2
# As `put_all` names files aside: name, process, number.
_PART = re.compile(r"\..{1,40}\.\d+\.\d+\.part(\.old)?", re.DOTALL)
# What a lock says begins so.
_HOLDER = b"\nprocess "
# For what is written to in place: a link is an error, and Windows would turn line ends into two bytes.
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
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
    own = folder / FOLDER
    with writing(folder):
        own.mkdir(parents=True, exist_ok=True)
        for path, is_right in ((own, stat.S_ISDIR), (own / LOCK, stat.S_ISREG)):
            if os.path.lexists(path) and not is_right(path.lstat().st_mode):
                raise WriteError(f"{path} is a link or a device: nothing is written through it", todo="delete it")
        descriptor = os.open(own / LOCK, os.O_RDWR | os.O_CREAT | _PLAIN, 0o666)
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
            os.lseek(descriptor, 0, os.SEEK_SET)
            if not _HOLDER.startswith(os.read(descriptor, len(_HOLDER))):
                raise WriteError(f"{own / LOCK} is no lock of gaitid", todo="delete it")
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            # byte 0 is what Windows locks, and nobody else could read it
            os.write(descriptor, _HOLDER + f"{os.getpid()} on {socket.gethostname()}\n".encode())
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
    """An error of the system becomes a refusal, as `gaitid.disk.atomic.write_all` says it."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        todo = f"{'make room, or ' if full else ''}give another folder with -o; --resume goes on"
        raise WriteError(f"cannot write to {folder} ({error.strerror or error})", todo=todo) from None


def folds_case(folder: Path) -> bool:
    """Whether the file system of a folder that is locked takes ``WALK`` for ``walk``, as exFAT and most of macOS."""
    lock = folder / FOLDER / LOCK
    try:
        return lock.with_name(LOCK.upper()).samefile(lock)
    except OSError:
        return False


def content(path: Path) -> bytes:
    """What a file of ours holds; nothing where it is absent or cannot be one of ours: a pipe would be waited for."""
    try:
        file_size(path, MAX_TEXT_BYTES, "own")
        return path.read_bytes()
    except (OSError, ReadError):
        return b""


# --- the journal --------------------------------------------------------------------------------------------


class Journal:
    """Each trial that is done, a line of JSON, written when its result is in place.

    A line ends with the SHA-256 of what stands before. One that is missing, cut (the process was killed in between)
    or damaged means that the trial is worked on again, which makes the same bytes. What a line says of files is
    believed only where their hashes agree. Results are known by their place below the folder (``P01/walk``).
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / FOLDER / JOURNAL

    def read(self) -> dict[str, Outcome]:
        """What was done, by place."""
        return dict(filter(None, map(_entry, content(self.path).split(b"\n"))))

    def write(self, done: Mapping[str, Outcome]) -> None:
        """The whole journal anew, without times: the same outcomes give the same bytes."""
        with writing(self.folder):
            put_all(self.path.parent, {JOURNAL: b"".join(_line(place, one) for place, one in done.items())})

    def append(self, place: str, outcome: Outcome) -> None:
        """One trial more, when its result is in place."""
        with writing(self.folder):
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _PLAIN, 0o666)
            with os.fdopen(descriptor, "ab") as file:
                file.write(_line(place, outcome))


# What a line says, in this order: text, then numbers by name, text by name, texts.
_WORDS = ("place", "trial", "trial_sha256", "fingerprint")
_NOTED = (*_WORDS, "figures", "outputs", "warnings")


def _line(place: str, outcome: Outcome) -> bytes:
    said = json.dumps({name: place if name == "place" else getattr(outcome, name) for name in _NOTED})
    return f'{said[:-1]}, "sha256": "{hashlib.sha256(said.encode()).hexdigest()}"}}\n'.encode()


def _entry(line: bytes) -> tuple[str, Outcome] | None:
    """What a line says; None where it is not, to the byte, what we would write of that."""
    try:
        found: Any = json.loads(line)
        noted = {name: found[name] for name in _NOTED}
        words = [*(noted[name] for name in _WORDS), *noted["outputs"].values(), *noted["warnings"]]
        # no count or share is larger; neither NaN nor infinity is less
        numbers = [type(one) in (int, float) and abs(one) < 1e15 for one in noted["figures"].values()]
        place = noted.pop("place")
        outcome = Outcome(status=DONE, **{**noted, "warnings": tuple(noted["warnings"])})
        right = all(isinstance(word, str) for word in words) and all(numbers) and _line(place, outcome) == line + b"\n"
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (place, outcome) if right else None


def sweep(folders: Iterable[Path]) -> None:
    """Take away files aside that a process left which was killed. Only under the lock: nobody else writes there."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for path in [p for p in folder.iterdir() if _PART.fullmatch(p.name)]:
                path.unlink(missing_ok=True)
