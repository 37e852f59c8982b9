"""The bytes of a file that somebody named: only of a regular file, and only up to a limit that is known before."""

from __future__ import annotations

import stat
from pathlib import Path

from gaitid.errors import ReadError, in_print

#: Bytes of the largest file that any reader takes, a C3D.
MAX_BYTES = 1 << 30
_SMALL = 1 << 30  # bytes of memory that any machine has
#: Characters of a name or label that an output shows.
SHOWN_CHARACTERS = 127


def file_size(path: Path, limit: int, kind: str, where: str = "") -> int:
    """Bytes of a regular file.

    Parameters
    ----------
    path : Path
    limit : int
        Bytes; what is read takes a few times as much memory.
    kind : str
        What the file should be, for errors.
    where : str
        Put before the message of an error.

    Raises
    ------
    ReadError
        Absent, not to be reached, not a regular file (a pipe or a device would be read without end), or too large.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a zero byte in the name
        raise ReadError(f"{where}no such file", todo="check the path") from None
    except OSError as error:
        raise unreadable(error, where) from None
    if not stat.S_ISREG(status.st_mode):
        raise ReadError(f"{where}not a file", expected=f"a {kind} file", found="a folder or a device")
    if status.st_size > limit:
        raise ReadError(f"{where}too large", expected=f"at most {limit / 1e6:.0f} MB",
                        found=f"{status.st_size / 1e6:.0f} MB", todo="cut the trial into pieces")  # fmt: skip
    return status.st_size


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


def unreadable(error: OSError, where: str = "") -> ReadError:
    """What the operating system said, as a refusal."""
    return ReadError(f"{where}cannot be read ({error.strerror})")


def without_subject(label: str) -> tuple[str, str]:
    """The subject of ``Subject:Label`` ("" without one) and the label itself: what stands behind the last colon."""
    subject, _, name = label.rpartition(":")
    return subject.strip(), name.strip()


def printable(text: str) -> str:
    """A name as it may be shown: control characters, escapes of terminals and marks that turn the direction of
    writing as ``\\x1b``; blanks as blanks; cut where it is longer than any name is."""
    if len(text) > SHOWN_CHARACTERS:
        text = text[: SHOWN_CHARACTERS - 1] + "…"
    return text if text.isprintable() else in_print(text)
