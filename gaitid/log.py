"""`--log FILE.jsonl`: what a command does, one JSON object a line, for programs that watch it.

Keys of a line, always all of them and in this order: ``time`` (UTC), ``level`` (``info``, ``warning`` or ``error``),
``pid``, ``trial`` (its path as given, or null), ``event``, ``message``, ``duration_s`` (or null).
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from gaitid import __version__
from gaitid.errors import GaitidError, WriteError

T = TypeVar("T")
INFO, WARNING, ERROR = "info", "warning", "error"


class Log:
    """Where the events of one command are written as they happen; without a file, nowhere.

    Every line is one write to a file opened for appending, and locked where the system can, so that commands that
    share a log do not cut each other's lines. Only the process of the command writes: what its workers do, it tells.
    A log that fails later, as on a disk that is full, stops no work: that is raised at the end.

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
        self._path = path
        self._file = -1
        self._failure: OSError | None = None
        self._start = self._begun = time.perf_counter()
        self._trial = ""
        self._errors = 0
        if path is None:
            return
        try:
            self._file = _open(path)
        except OSError as error:
            raise self._refusal(error) from None
        self.add("start", f"gaitid {__version__} {command}: {counted(n_trials, 'trial')}")
        if self._failure is not None:
            os.close(self._file)
            raise self._refusal(self._failure)

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file < 0:
            return
        message = counted(self._errors, "error") if error is None else _words(error)
        level = ERROR if self._errors or error is not None else INFO
        event = "interrupted" if kind is KeyboardInterrupt else "end"
        self.add(event, message, level, duration_s=time.perf_counter() - self._start)
        os.close(self._file)
        self._file = -1
        if self._failure is not None and kind is None:
            raise self._refusal(self._failure)

    def add(
        self, event: str, message: str = "", level: str = INFO, *, trial: str = "", duration_s: float | None = None
    ) -> None:
        """One line.

        Parameters
        ----------
        event : str
            One word.
        message : str
            What is also said on stderr or stdout.
        level : str
        trial : str
            Its path as given; empty for the command as a whole.
        duration_s : float, optional
        """
        if self._file < 0 or self._failure is not None:
            return
        self._errors += level == ERROR
        now = time.time()
        content = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1000):03d}Z",
            "level": level,
            "pid": os.getpid(),
            "trial": trial or None,
            "event": event,
            "message": " ".join(message.split()),
            "duration_s": None if duration_s is None else round(duration_s, 3),
        }
        # a name of a file that is no UTF-8 becomes \udc.., which JSON reads back as what Python calls it
        line = (json.dumps(content, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
        try:
            with _locked(self._file):
                _write(self._file, line)
        except OSError as error:
            self._failure = error

    def watch(self, trial: str, function: Callable[[], T]) -> T:
        """The function's value. That the trial was begun is logged before, why it was refused after.

        Parameters
        ----------
        trial : str
            Empty for what the whole command needs.
        function : callable
        """
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

    def _refusal(self, error: OSError) -> WriteError:
        return WriteError(f"{self._path}: cannot write the log ({error.strerror or error})",
                          todo="give another file with --log")  # fmt: skip


def _open(path: Path) -> int:
    """The file, for appending; one that ends within a line, as of a process that was killed, gets the line's end."""
    # a pipe that nobody reads is refused (ENXIO) instead of waited for
    waiting = getattr(os, "O_NONBLOCK", 0)
    # Windows would turn line ends into two bytes
    binary = getattr(os, "O_BINARY", 0)
    number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | waiting | binary, 0o666)
    try:
        if waiting:
            os.set_blocking(number, True)
        if path.is_file():
            with _locked(number), path.open("rb") as file:
                if file.read(1) not in (b"", b"{"):
                    raise OSError(0, "the file holds something that is no log")
                file.seek(max(file.seek(0, os.SEEK_END) - 1, 0))
                if file.read(1) not in (b"", b"\n"):
                    _write(number, b"\n")
    except BaseException:
        os.close(number)
        raise
    return number


def _write(number: int, line: bytes) -> None:
    if os.write(number, line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def _locked(number: int) -> Iterator[None]:
    """Until the end, other commands wait that write to the same file; where the system cannot, nothing is done."""
    try:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX)
    except (ImportError, OSError):
        yield
        return
    try:
        yield
    finally:
        fcntl.flock(number, fcntl.LOCK_UN)


def counted(n: int, what: str) -> str:
    """``1 trial``, ``2 trials``."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def _words(error: BaseException) -> str:
    if isinstance(error, GaitidError):
        return error.line()
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
