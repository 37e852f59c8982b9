"""stdout and stderr as they may be: closed, full, or of an encoding that lacks our characters."""

from __future__ import annotations

import errno
import io
import os
import sys
import threading
from contextlib import suppress
from typing import Any

#: The file name of errors of writing to stdout, which have none from the system.
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
    """Write characters that a stream cannot show as escapes; replace a stream that was closed.

    stdout is buffered by lines at least. With PYTHONUNBUFFERED, usual in containers, Python leaves it unbuffered, and
    where a full disk or a pipe takes only a part of a text the rest is lost without an error.
    """
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for the rest of the process
    stdout = sys.stdout
    # a stream of another type was put there on purpose, and stays
    if isinstance(stdout, io.TextIOWrapper) and type(raw := getattr(stdout.buffer, "raw", stdout.buffer)) is io.FileIO:
        with suppress(OSError):
            stdout.flush()
            by_lines = stdout.line_buffering or raw is stdout.buffer
            buffer = io.BufferedWriter(_Stdout(stdout.fileno(), "wb", closefd=False))
            sys.stdout = io.TextIOWrapper(buffer, stdout.encoding, stdout.errors, line_buffering=by_lines)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


_line = threading.Lock()
_drawn = False


def print_stderr(text: str) -> None:
    """Print a text on stderr, as far as it can be written."""
    erase_line()
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr)


def draw_line(text: str) -> None:
    """Draw a line on the terminal over the one that was drawn before; the next text takes its place."""
    global _drawn
    with _line, suppress(OSError, ValueError):
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
        _drawn = True


def erase_line() -> None:
    """Take away the line that was drawn, if any: to be called before stdout is written to, too."""
    global _drawn
    if not _drawn:
        return
    with _line, suppress(OSError, ValueError):
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
        _drawn = False


def discard_stdout() -> None:
    """Discard what is still to be written to stdout, so that Python does not complain when it ends."""
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
