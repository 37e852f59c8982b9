"""Processes of this machine that work on trials, each watched: what happens to one costs one trial."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any

from gaitid.batch.job import CRASHED, TIMEOUT, Job, Outcome, run_one
from gaitid.errors import GaitidError

# What SIGTERM leaves a worker to put a result in place that it has begun to, s.
_GRACE_S = 5.0
_ENDINGS = {signal.SIGINT, signal.SIGTERM}
# Of address space a process needs before it reads a trial, MB: with 200, libraries that load last find no room.
LEAST_MB = 256
# Windows waits for 63 things at once, and each process is two: whether it says something and whether it ended.
_MOST_ON_WINDOWS = 30


class Worker:
    """One process, the trial that it works on, and since when (s, monotonic)."""

    def __init__(self, work: Callable[[Job], Outcome], time_limit_s: float, memory_bytes: int) -> None:
        # spawn: the same on all systems, and nothing of this process (threads, locks, open files) goes along
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, work, time_limit_s, memory_bytes), daemon=True)
        try:
            with _blocked(), _safe_path():
                self.process.start()
        except OSError as error:
            raise GaitidError(f"no process can be started ({error.strerror})", todo="give a smaller -j") from None
        other.close()
        self.job: Job | None = None
        self.since = 0.0

    def give(self, job: Job) -> None:
        self.job, self.since = job, time.monotonic()
        with contextlib.suppress(OSError):  # it died: seen by what watches it
            self.connection.send(job)

    def stop(self) -> None:
        """End it; a result that is being put in place is finished first (not on Windows, which only kills)."""
        self.process.terminate()

    def gone(self) -> None:
        """Wait until it has ended, not for ever."""
        self.process.join(_GRACE_S)
        self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def run_local(
    jobs: Sequence[Job],
    n_workers: int = 1,
    *,
    time_limit_s: float = 120.0,
    memory_bytes: int = 0,
    work: Callable[[Job], Outcome] = run_one,
) -> Generator[Outcome, None, None]:
    """Work on jobs in processes of this machine.

    Parameters
    ----------
    jobs : sequence of Job
    n_workers : int
    time_limit_s : float
        A trial that takes longer is given up, with its process.
    memory_bytes : int
        Address space of each process, where the system limits it; 0 is without limit.
    work : callable
        What a process does with a job; by name, since it is imported there.

    Yields
    ------
    Outcome
        One for each job, as they come.
    """
    if sys.platform == "win32":
        n_workers = min(n_workers, _MOST_ON_WINDOWS)
    waiting = deque(jobs)
    workers: list[Worker] = []
    try:
        while waiting or any(w.job for w in workers):
            while waiting and len(workers) < n_workers:
                workers.append(Worker(work, time_limit_s, memory_bytes))
                workers[-1].give(waiting.popleft())
            busy = [w for w in workers if w.job]
            soonest = min(w.since for w in busy) + time_limit_s - time.monotonic()
            wait([w.connection for w in busy] + [w.process.sentinel for w in busy], max(soonest, 0.0))
            for worker in busy:
                outcome = news(worker, time_limit_s)
                if outcome is None:
                    continue
                worker.job = None
                if worker.process.exitcode is not None:
                    worker.kill()
                    workers.remove(worker)
                elif waiting:
                    worker.give(waiting.popleft())
                yield outcome
    finally:
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.gone()


def news(worker: Worker, time_limit_s: float) -> Outcome | None:
    """The outcome of a worker's trial, if there is one; a worker that ended or hangs is one."""
    assert worker.job is not None
    name, spent = worker.job.name, time.monotonic() - worker.since
    try:
        if worker.connection.poll():
            answer: Outcome | None = worker.connection.recv()
            if answer is None:  # it has started: the clock of its first trial begins
                worker.since = time.monotonic()
            return answer
    except (EOFError, OSError):  # it ended, or is about to
        worker.process.join(_GRACE_S)
        worker.process.kill()
        worker.process.join()
    if worker.process.exitcode is not None:
        return Outcome(name, CRASHED, _ending(worker.process.exitcode), run_time_s=spent)
    if spent >= time_limit_s:
        worker.process.kill()
        worker.process.join()
        return Outcome(name, TIMEOUT, f"given up after {time_limit_s:g} s", run_time_s=spent)
    return None


def _ending(exitcode: int) -> str:
    """How a process ended, in words."""
    if exitcode >= 0:
        return f"its process ended (exit code {exitcode})"
    try:
        name = signal.Signals(-exitcode).name
    except ValueError:
        name = f"signal {-exitcode}"
    return f"its process was ended by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")


@contextlib.contextmanager
def _blocked() -> Iterator[None]:
    """A process that starts here does not see Ctrl-C, which is for the one that it belongs to."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """A process that starts here takes no module from the current folder: data may lie beside a ``signal.py``."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


# --- in the process that works ------------------------------------------------------------------------------


def _serve(connection: Connection, work: Callable[[Job], Outcome], time_limit_s: float, memory_bytes: int) -> None:
    """Work on what comes until nothing comes any more."""
    import warnings

    warnings.simplefilter("ignore")  # of libraries, for developers; ours are in the results
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that parts are taken away
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if memory_bytes:
        _limit_memory(memory_bytes)
    send: Callable[[Any], None] = connection.send
    with contextlib.suppress(EOFError, OSError):
        send(None)
        while True:
            job = connection.recv()
            if hasattr(signal, "setitimer"):
                # where the parent is gone and a library hangs, nobody else ends this: the system does
                signal.setitimer(signal.ITIMER_REAL, 2 * time_limit_s + _GRACE_S)
            send(work(job))


def _end_with_parent() -> None:
    """At once: a batch that is begun again must not meet workers of the one before."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _limit_memory(n_bytes: int) -> None:
    """Of address space: Linux holds a process to it, macOS and Windows have no such limit."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
