"""The bytes of a file that somebody named: only of a regular file, and only up to a limit that is known before."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from gaitid.errors import ReadError

#: Bytes of the largest file that any reader takes, a C3D.
MAX_BYTES = 1 << 30
#: Bytes of the largest text, of which each takes up to four in memory.
MAX_TEXT_BYTES = 500_000_000
_SMALL = 1 << 30  # bytes of memory that any machine has
#: What to do about a trial that is too large.
CUT_TRIAL = "cut the trial into pieces"


def file_size(path: Path, limit: int, kind: str) -> int:
    """Bytes of a regular file.

    Parameters
    ----------
    path : Path
    limit : int
        Bytes; what is read takes a few times as much memory.
    kind : str
        What the file should be, for errors.

    Raises
    ------
    ReadError
        Absent, not to be reached, not a regular file (a pipe or a device would be read without end), or too large.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a zero byte in the name
        raise ReadError("no such file", todo="check the path") from None
    except OSError as error:
        raise unreadable(error) from None
    if not stat.S_ISREG(status.st_mode):
        raise ReadError("not a file", expected=f"a {kind} file", found="a folder or a device")
    if status.st_size > limit:
        most, size = (f"{n / 1e6:.0f} MB" for n in (limit, status.st_size))
        raise ReadError("too large", expected=f"at most {most}", found=size, todo=CUT_TRIAL)
    return status.st_size


def file_state(path: Path) -> tuple[int, ...] | None:
    """Which file it is (two numbers), and what differs where somebody wrote to it."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a zero byte in the name
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def refuse_beyond_memory(needed: int) -> None:
    """Refuse what would not fit into the memory that is free, where the system says how much that is.

    Linux ends a process that asks for more without a word, and with it every trial that was still to come.

    Parameters
    ----------
    needed : int
        Bytes.

    Raises
    ------
    ReadError
    """
    if needed < _SMALL:
        return
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as file:
            free = next(1024 * int(line.split()[1]) for line in file if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return
    if needed > free:
        raise ReadError(
            "too large for this machine's memory",
            expected=f"{needed / 1e9:.3g} GB free",
            found=f"{free / 1e9:.3g} GB free",
            todo="cut the trial into pieces, or take a larger machine",
        )


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file to be read; where the operating system refuses, its reason."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise unreadable(error) from None


def unreadable(error: OSError) -> ReadError:
    """A refusal with the reason that the operating system gives."""
    return ReadError(f"cannot be read ({error.strerror})")
