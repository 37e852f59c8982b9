"""stdout and stderr as they may be: closed, full, or of an encoding that lacks our characters."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any

#: What errors of writing to stdout have for a file name: those of the system name none there.
STDOUT = "the standard output"


class _Closed(io.TextIOBase):
    """Where there is no stdout: writing to it fails instead of losing what was written."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), STDOUT)


class _Stdout(io.FileIO):
    """The bytes of stdout, whose errors name it."""

    def write(self, data: Any) -> int:
        try:
            written = super().write(data)
            if written is None:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        except OSError as error:
            error.filename = STDOUT
            raise
        return written


def prepare_streams() -> None:
    """Characters that a stream cannot show are written as escapes; a stream that was closed is replaced.

    stdout is buffered by lines at least. Python leaves it bare where it was told not to buffer (PYTHONUNBUFFERED, usual
    in containers), and what a full disk or a pipe then takes only a part of is lost without an error.
    """
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for the rest of the process
    stdout = sys.stdout
    # any other was put there by somebody
    if isinstance(stdout, io.TextIOWrapper) and type(raw := getattr(stdout.buffer, "raw", stdout.buffer)) is io.FileIO:
        with suppress(OSError):
            stdout.flush()
            by_lines = stdout.line_buffering or raw is stdout.buffer
            buffer = io.BufferedWriter(_Stdout(stdout.fileno(), "wb", closefd=False))
            sys.stdout = io.TextIOWrapper(buffer, stdout.encoding, stdout.errors, line_buffering=by_lines)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_stderr(text: str) -> None:
    """Text for the person, on stderr, as far as it can be written."""
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr)


def discard_stdout() -> None:
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
