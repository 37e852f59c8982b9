"""`--log FILE.jsonl`: what a command does, one JSON object a line, for programs that watch it.

`KEYS` of a line, always all of them and in this order: ``time`` (UTC), ``level`` (``info``, ``warning`` or ``error``),
``pid``, ``trial`` (its path as given, or null), ``event``, ``message``, ``duration_s`` (or null).
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from gaitid.errors import GaitidError, WriteError, counted
from gaitid.version import __version__

T = TypeVar("T")
KEYS = ["time", "level", "pid", "trial", "event", "message", "duration_s"]
# Files that gaitid reads or writes, and where a batch remembers what it did: none can be the log as well.
_FOLDER = ".gaitid"
_SUFFIXES = (
    ".c3d",
    ".csv",
    ".trc",
    ".tsv",
    ".mot",
    ".sto",
    ".forces",
    ".anc",
    ".yaml",
    ".yml",
    ".enf",
    ".mp",
    ".json",
    ".html",
    ".parquet",
)
# How long another process is waited for that holds the file's lock, or does not read the pipe, s.
PATIENCE_S = 10.0
_PAUSE_S = 0.01
# Of the first line of a log, bytes that are looked at.
_LONGEST = 1_000_000
INFO, WARNING, ERROR = "info", "warning", "error"


class Log:
    """Where the events of one command are written as they happen; without a file, nowhere.

    Every line is one write to a file opened for appending, and locked where the system can, so that commands that
    share a log do not cut each other's lines. Only the process of the command writes, also for its workers. A log that
    fails later (a full disk, a lock that another process keeps or a pipe that nobody reads for `PATIENCE_S`) stops no
    work: that is raised at the end.

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

    _failure: OSError | None

    def __init__(self, path: Path | None, command: str, n_trials: int) -> None:
        self._path, self._file, self._failure = path, -1, None
        self._start = self._begun = time.perf_counter()
        self._trial, self._errors = "", 0
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
        """Write a line: an event in one word, what is also printed, the trial's path (empty for the whole command)."""
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

    def _refusal(self, error: OSError) -> WriteError:
        wrong = f"{self._path}: cannot write the log ({error.strerror or error})"
        return WriteError(wrong, todo="give another file with --log")


def _open(path: Path) -> int:
    """The file, for appending; one that ends within a line, as of a process that was killed, gets the line's end."""
    if path.suffix.lower() in _SUFFIXES or path.absolute().parent.name == _FOLDER:
        raise OSError(0, "a file of this name holds something that is no log")
    # a pipe that nobody reads is refused (ENXIO), one whose reader is slow waited for by `_write`;
    # Windows would turn line ends into two bytes
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | flags, 0o666)
    try:
        if path.is_file():
            with _locked(number), path.open("rb") as file:
                if not _is_log(file.readline(_LONGEST)):
                    raise OSError(0, "the file holds something that is no log")
                file.seek(max(file.seek(0, os.SEEK_END) - 1, 0))
                if file.read(1) not in (b"", b"\n"):
                    _write(number, b"\n")
    except BaseException:
        os.close(number)
        raise
    return number


def _is_log(first: bytes) -> bool:
    """Whether a file's first line is a log's, or is empty; it may be cut where it is the only one."""
    begins = f'{{"{KEYS[0]}": "'.encode()
    if not first.endswith(b"\n"):
        return first.startswith(begins) or begins.startswith(first)
    try:
        content = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and list(content) == KEYS


def _write(number: int, line: bytes) -> None:
    """Write all of it; TimeoutError where a pipe is full and nobody reads it."""
    while line:
        written = _patiently(partial(os.write, number, line), "nobody reads the pipe")
        if written == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        line = line[written:]


@contextmanager
def _locked(number: int) -> Iterator[None]:
    """Until the end, other commands wait that write to the same file; where the system cannot, nothing is done."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    locked = True
    try:
        _patiently(partial(fcntl.flock, number, fcntl.LOCK_EX | fcntl.LOCK_NB), "another process holds its lock")
    except TimeoutError:
        raise
    except OSError:
        locked = False  # a file system without locks
    try:
        yield
    finally:
        if locked:
            fcntl.flock(number, fcntl.LOCK_UN)


def _patiently(call: Callable[[], T], why: str) -> T:
    """The call's value, when it need not wait any more; TimeoutError where it would after `PATIENCE_S`."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return call()
        except BlockingIOError:
            if time.monotonic() > end:
                raise TimeoutError(errno.ETIMEDOUT, f"{why} for {PATIENCE_S:g} s") from None
            time.sleep(_PAUSE_S)


def _words(error: BaseException) -> str:
    if isinstance(error, GaitidError):
        return error.line(keep_names=False)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
