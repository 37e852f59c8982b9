"""The bytes of a file that somebody named, or that gaitid wrote: only of a regular file, and only up to a limit."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from gaitid.errors import GaitidError, ReadError, reading

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


def read_text_back(path: Path, kind: str) -> str:
    """The text of a file that gaitid wrote.

    Parameters
    ----------
    path : Path
    kind : str
        What the file should be, for errors.

    Raises
    ------
    GaitidError
        One line that begins with the file: absent, a pipe or a device, too large, not in UTF-8.
    """
    with reading(f"{path}: "):
        file_size(path, MAX_TEXT_BYTES, kind)
        try:
            return path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise unreadable(error) from None
        except UnicodeDecodeError as error:
            raise ReadError("not text", expected="UTF-8", found=str(error)) from None


def read_record(path: Path) -> Mapping[str, Any]:
    """The content of a ``run.json`` that gaitid wrote.

    Raises
    ------
    GaitidError
        As for `read_text_back`; not JSON, or not a record of gaitid.
    """
    text = read_text_back(path, "run.json")
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GaitidError(
            f"{path}: not JSON", expected="the run.json that gaitid run wrote", found=str(error)
        ) from None
    if isinstance(record, dict) and "gaitid" in record:
        return record
    keys = ", ".join(list(record)[:6]) or "none" if isinstance(record, dict) else ""
    raise GaitidError(
        f"{path}: JSON, but not a run.json of gaitid",
        expected="an object with the key 'gaitid' (the version that wrote it)",
        found=f"the keys {keys}" if keys else f"a {type(record).__name__}",
    )
