"""The folder of results: the names of what gaitid puts there, the lock, and how it is read and written."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import stat
import time
from collections.abc import Callable, Iterable, Iterator
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
_WAIT_S = 0.2
# How the content of a lock begins.
_HOLDER = b"\nprocess "
# A file system that knows no locks.
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL}
# What two processes answer to each other: EWOULDBLOCK on Unix, EACCES or EDEADLK of Windows.
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """An error of the system becomes a refusal, as `gaitid.disk.atomic.write_all` says it."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        todo = f"{'make room, or ' if full else ''}give another folder with -o; --resume goes on"
        raise WriteError(f"cannot write to {folder} ({error.strerror or error})", todo=todo) from None


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that gaitid wrote; none where it is absent, or a pipe or device, which has no end.

    After a crash a file system may have zeros in place of what was written last: they say nothing.
    """
    try:
        file_size(path, MAX_TEXT_BYTES, "own")
        return path.read_bytes().rstrip(b"\0")
    except (OSError, ReadError):
        return b""


def root_note(output: Path) -> str:
    """The text of the file that notes the root of the data set whose results these are; empty where there is none."""
    return read_bytes(output / FOLDER / ROOT).decode("utf-8", "surrogateescape").removesuffix("\n")


def noted_root(output: Path) -> Path | None:
    """That root; None where none is noted, or it lies in the folder of results itself."""
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
    """Delete the temporary files of processes that were killed. Only under the lock: nobody else writes there."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for name in filter(_PART.fullmatch, os.listdir(folder)):  # noqa: PTH208
                (folder / name).unlink(missing_ok=True)


# --- the lock -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def locked(folder: Path, wait: bool, waiting: Callable[[str], object] = lambda text: None) -> Iterator[None]:
    """Hold the lock of a folder (made if absent): no other batch works there meanwhile.

    The system holds the lock and releases it when the process ends, however that happens: it cannot be left behind.
    The lock's file names the process that holds it, for people.

    Parameters
    ----------
    folder : Path
    wait : bool
        Wait until it is free instead of refusing.
    waiting : callable
        Called once, with a line that names the process that is waited for.

    Raises
    ------
    WriteError
        Another batch works there, or the folder cannot be written to.
    """
    lock = folder / FOLDER / LOCK
    with writing(folder):
        lock.parent.mkdir(parents=True, exist_ok=True)
        for path, is_expected in ((lock.parent, stat.S_ISDIR), (lock, stat.S_ISREG)):
            if os.path.lexists(path) and not is_expected(path.lstat().st_mode):
                raise WriteError(f"{path} is a link or a device: nothing is written through it", todo="delete it")
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | PLAIN, 0o666)
    try:
        announced = False
        while not _take(descriptor):
            os.lseek(descriptor, 1, os.SEEK_SET)
            holder = os.read(descriptor, 200).decode(errors="replace")
            who = f"another batch works there{' (' + holder.strip() + ')' if holder.strip() else ''}"
            if not wait:
                raise WriteError(f"{folder}: {who}", todo="wait for its end, give --wait, or another folder with -o")
            if not announced:
                waiting(f"{folder}: {who}; waiting")
                announced = True
            time.sleep(_WAIT_S)
        with writing(folder):
            os.lseek(descriptor, 0, os.SEEK_SET)
            if not _HOLDER.startswith(os.read(descriptor, len(_HOLDER)).rstrip(b"\0")):
                raise WriteError(f"{lock} is no lock of gaitid", todo="delete it")
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
    """Whether this process holds the lock now; a file system without locks gives it to everybody."""
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
    """Release the lock at once. Unix does so when the file is closed; Windows some time later."""
    with contextlib.suppress(ImportError):
        import msvcrt

        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
