"""stdout and stderr as they may be: closed, full, or of an encoding that lacks our characters; and `--log FILE.jsonl`:
what a command does, one JSON object a line, for programs that watch it.

`KEYS` of a line of a log, always all of them and in this order: ``time`` (UTC), ``level`` (``info``, ``warning`` or
``error``), ``pid``, ``trial`` (its path as given, or null), ``event``, ``message``, ``duration_s`` (or null).
"""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from gaitid.errors import GaitidError, WriteError, counted
from gaitid.version import __version__

if TYPE_CHECKING:
    from logging import FileHandler


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


T = TypeVar("T")
KEYS = ("time", "level", "pid", "trial", "event", "message", "duration_s")
INFO, WARNING, ERROR = "info", "warning", "error"
# What is neither empty nor begins so is no log: it is left as it is.
_BEGIN = '{"time": "'


class Log:
    """Where the events of one command are written as they happen; without a file, nowhere.

    Each line is one write to a file that is open for appending (`logging.FileHandler`), so that commands that share a
    log do not cut each other's lines. Only the process of the command writes, also for its workers. A log that fails
    later, as on a full disk, stops no work: that is raised at the end.

    Parameters
    ----------
    path : Path or None
    command : str
        As ``run``.
    n_trials : int

    Raises
    ------
    WriteError
        The file cannot be written to, or holds something that is no log.
    """

    def __init__(self, path: Path | None, command: str, n_trials: int) -> None:
        self._path, self._failure = path, ""
        self._handler = None if path is None else self._opened(path)
        self._start = self._begun = time.perf_counter()
        self._trial, self._errors = "", 0
        self.add("start", f"gaitid {__version__} {command}: {counted(n_trials, 'trial')}")
        if self._failure:
            self._close()
            raise self._refusal()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        message = counted(self._errors, "error") if error is None else _words(error)
        level = ERROR if self._errors or error is not None else INFO
        event = "interrupted" if kind is KeyboardInterrupt else "end"
        self.add(event, message, level, duration_s=time.perf_counter() - self._start)
        self._close()
        if self._failure and kind is None:
            raise self._refusal()

    def add(
        self, event: str, message: str = "", level: str = INFO, *, trial: str = "", duration_s: float | None = None
    ) -> None:
        """Write a line: an event in one word, what is also printed, the trial's path (empty for the whole command)."""
        self._errors += level == ERROR
        if self._handler is None or self._failure:
            return
        now = time.time()
        values = (
            f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1000):03d}Z",
            level,
            os.getpid(),
            trial or None,
            event,
            " ".join(message.split()),
            None if duration_s is None else round(duration_s, 3),
        )
        text = json.dumps(dict(zip(KEYS, values, strict=True)), ensure_ascii=False)
        import logging

        self._handler.handle(logging.LogRecord("gaitid", logging.INFO, "", 0, text, None, None))

    def watch(self, trial: str, function: Callable[[], T]) -> T:
        """The function's value. That the trial (empty: the whole command) began is logged, and why it was refused."""
        self._trial, self._begun = trial, time.perf_counter()
        if trial:
            self.add("begin", trial=trial)
        try:
            return function()
        except Exception as error:
            self.done("refused", _words(error), ERROR)
            raise

    def warn(self, text: str) -> None:
        """A warning about the trial that is watched."""
        self.add("warning", text, WARNING, trial=self._trial)

    def done(self, event: str = "done", message: str = "", level: str = INFO) -> None:
        """What became of the trial that is watched, with the time since it was begun."""
        self.add(event, message, level, trial=self._trial, duration_s=time.perf_counter() - self._begun)

    def _opened(self, path: Path) -> FileHandler:
        from logging import FileHandler

        try:
            held = _beginning(path) if path.is_file() else ""
            if not (held.startswith(_BEGIN) or _BEGIN.startswith(held)):
                raise OSError(0, "the file holds something that is no log")
            # a name of a file that is no UTF-8 becomes \udc.., which JSON reads back as what Python calls it
            handler = FileHandler(path, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            self._failure = error.strerror or str(error)
            raise self._refusal() from None
        handler.handleError = lambda record: self._fail()  # type: ignore[method-assign]
        return handler

    def _close(self) -> None:
        if self._handler is not None:
            with suppress(OSError):  # it is known already
                self._handler.close()

    def _fail(self) -> None:
        """Keep why a line was not written; called while that error is handled."""
        import sys

        error = sys.exception()
        self._failure = getattr(error, "strerror", None) or str(error)

    def _refusal(self) -> WriteError:
        return WriteError(f"{self._path}: cannot write the log ({self._failure})", todo="give another file with --log")


def _beginning(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(len(_BEGIN))


def _words(error: BaseException) -> str:
    if isinstance(error, GaitidError):
        return error.line(keep_names=False)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
