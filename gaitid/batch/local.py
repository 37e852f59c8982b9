"""Processes of this machine that work on trials, each watched: what happens to one costs one trial."""

from __future__ import annotations

import contextlib
import gc
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

from gaitid.batch.job import CRASHED, TIMEOUT, Job, Outcome, run_job
from gaitid.disk.large_arrays import keep_freed
from gaitid.errors import GaitidError

# What SIGTERM leaves a worker to put a result in place that it has begun to, s.
_GRACE_S = 5.0
_ENDINGS = {signal.SIGINT, signal.SIGTERM}
# Of address space a process needs before it reads a trial, MB: with 200, libraries that load last find no room.
LEAST_MB = 256
# Windows waits for 63 things at once, and each process is two: whether it says something and whether it ended.
_MOST_ON_WINDOWS = 30

# Of a process that works on trials: it loads no module of the current folder, where data may lie beside a
# ``signal.py``.
_SAFE_PATH = "PYTHONSAFEPATH"


class Worker:
    """A process that works on trials, one at a time.

    Attributes
    ----------
    job : Job or None
        The trial that it works on.
    since : float
        When it began, s, monotonic.
    """

    def __init__(self, work: Callable[[Job], Outcome], time_limit_s: float, memory_bytes: int) -> None:
        # begins anew, everywhere alike: nothing of this process (threads, locks, open files) goes along
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        if sys.platform != "win32":
            from multiprocessing import resource_tracker

            # Python's own process beside new ones, whose start unblocks signals: before they are blocked
            resource_tracker.ensure_running()
        arguments = (other, work, time_limit_s, memory_bytes)
        self.process = context.Process(target=_serve, args=arguments, daemon=True)
        try:
            with _inherited():
                self.process.start()
        except OSError as error:
            raise GaitidError(f"no process can be started ({error.strerror})", todo="give a smaller -j") from None
        other.close()
        self.job: Job | None = None
        self.since, self.time_limit_s = 0.0, time_limit_s

    def start(self, job: Job) -> None:
        """Have it work on a trial."""
        self.job, self.since = job, time.monotonic()
        with contextlib.suppress(OSError):  # it died, which `poll` sees
            self.connection.send(job)

    def poll(self) -> Outcome | None:
        """The outcome of its trial, also where it died or hangs; None while it works."""
        assert self.job is not None
        name, spent = self.job.name, time.monotonic() - self.since
        try:
            if self.connection.poll():
                answer: Outcome | None = self.connection.recv()
                if answer is None:  # it has started: the clock of its first trial begins
                    self.since = time.monotonic()
                return answer
        except (EOFError, OSError):  # it ended, or is about to
            self.process.join(_GRACE_S)
            self._end()
        if self.process.exitcode is not None:
            return Outcome(name, CRASHED, _ending(self.process.exitcode), run_time_s=spent)
        if spent >= self.time_limit_s:
            self._end()
            return Outcome(name, TIMEOUT, f"given up after {self.time_limit_s:g} s", run_time_s=spent)
        return None

    @property
    def ended(self) -> bool:
        return self.process.exitcode is not None

    def stop(self) -> None:
        """Ask it to end; a result that is being put in place is finished first (not on Windows, which only kills)."""
        self.process.terminate()

    def join(self) -> None:
        """Wait until it has ended; kill it when that takes too long."""
        self.process.join(_GRACE_S)
        self.kill()

    def kill(self) -> None:
        self._end()
        self.connection.close()

    def _end(self) -> None:
        self.process.kill()
        self.process.join()


def wait_for(workers: Sequence[Worker]) -> None:
    """Wait until one of the workers has an outcome, or ended, or its trial has taken too long."""
    soonest = min(worker.since + worker.time_limit_s for worker in workers) - time.monotonic()
    wait([sign for worker in workers for sign in (worker.connection, worker.process.sentinel)], max(soonest, 0.0))


def run_local(
    jobs: Sequence[Job],
    n_workers: int = 1,
    *,
    time_limit_s: float = 120.0,
    memory_bytes: int = 0,
    work: Callable[[Job], Outcome] = run_job,
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
                workers[-1].start(waiting.popleft())
            busy = [w for w in workers if w.job]
            wait_for(busy)
            for worker in busy:
                outcome = worker.poll()
                if outcome is None:
                    continue
                worker.job = None
                if worker.ended:
                    worker.kill()
                    workers.remove(worker)
                elif waiting:
                    worker.start(waiting.popleft())
                yield outcome
    finally:
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.join()


def _ending(exitcode: int) -> str:
    """The words for how a process ended."""
    if exitcode >= 0:
        return f"its process ended (exit code {exitcode})"
    try:
        name = signal.Signals(-exitcode).name
    except ValueError:
        name = f"signal {-exitcode}"
    return f"its process was ended by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")


@contextlib.contextmanager
def _inherited() -> Iterator[None]:
    """Set what a process inherits that starts meanwhile: its path of modules is safe, and it is spared Ctrl-C, which is
    for its parent."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = before or "1"
    has_mask = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS) if has_mask else set()
    try:
        yield
    finally:
        if has_mask:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.environ.pop(_SAFE_PATH)
        if before is not None:
            os.environ[_SAFE_PATH] = before


# --- in the process that works ------------------------------------------------------------------------------


def _serve(connection: Connection, work: Callable[[Job], Outcome], time_limit_s: float, memory_bytes: int) -> None:
    """Work on each job that comes through the connection, until it is closed."""
    import warnings

    keep_freed()
    # what there is stays: it is not looked through; and a trial leaves some 5,000 objects, hardly any of them a cycle
    gc.freeze()
    gc.set_threshold(5_000)
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
    """End this process when its parent ends: a batch that is begun again must not meet workers of the previous one."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _limit_memory(n_bytes: int) -> None:
    """Limit the address space of this process: Linux holds it to that, macOS and Windows have no such limit."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
