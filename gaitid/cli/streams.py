"""stdout and stderr as they may be: closed, full, or of an encoding that lacks our characters."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress


class _Closed(io.TextIOBase):
    """Where there is no stdout: writing to it fails instead of losing what was written."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def prepare_streams() -> None:
    """Characters that a stream cannot show are written as escapes; a stream that was closed is replaced.

    Where Python was told not to buffer (PYTHONUNBUFFERED, usual in containers), what a full disk or a pipe takes only a
    part of is lost without an error; so lines are buffered there, and written whole or not.
    """
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for the rest of the process
    if isinstance(sys.stdout, io.TextIOWrapper) and isinstance(sys.stdout.buffer, io.RawIOBase):
        encoding, raw = sys.stdout.encoding, sys.stdout.detach()
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def tell(text: str) -> None:
    """Text for the person, on stderr, as far as it can be written."""
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr)


def lose_stdout() -> None:
    """What is still to be written to stdout goes nowhere, so that the interpreter's end does not complain."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    try:
        stdout = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except (OSError, ValueError, AttributeError):
        return  # not a file: in a test, or closed
    with suppress(OSError):
        os.dup2(nowhere, stdout)
    os.close(nowhere)
