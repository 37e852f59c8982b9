"""The lock of a folder of results: one batch at a time works in it."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from gaitid.batch.results_folder import FOLDER, LOCK, PLAIN, writing
from gaitid.errors import WriteError

_WAIT_S = 0.2
# What a lock says begins so.
_HOLDER = b"\nprocess "
# A file system that knows no locks.
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL}
# What two processes answer to each other: EWOULDBLOCK on Unix, EACCES or EDEADLK of Windows.
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}


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
        descriptor = os.open(own / LOCK, os.O_RDWR | os.O_CREAT | PLAIN, 0o666)
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
