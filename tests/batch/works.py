"""What processes are given to do in tests: found there by the name of this module."""

from __future__ import annotations

import os
import resource
import signal
import time
from contextlib import suppress
from pathlib import Path

from gaitid.batch.job import DONE, Job, Outcome
from gaitid.run import RunOptions


def job(name: str) -> Job:
    return Job(Path(name), Path("out"), RunOptions("pig"), ())


def by_name(job: Job) -> Outcome:
    """What the trial's name says."""
    if job.name.startswith("crash"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if job.name.startswith("exit"):
        os._exit(3)
    if job.name.startswith("hang"):
        time.sleep(600)
    if job.name.startswith("memory"):
        bytearray(8 * 2**30)
    return Outcome(job.name, DONE, figures={"process": os.getpid()}, run_time_s=0.0)


def lasting(job: Job) -> Outcome:
    """Notes that it has begun and then hangs."""
    Path(job.name).write_text(str(os.getpid()))
    time.sleep(600)
    raise AssertionError("not reached")


def environment(job: Job) -> Outcome:
    """The variables of its process whose names stand in the trial's, as warnings."""
    return Outcome(job.name, DONE, warnings=tuple(os.environ.get(name, "") for name in job.name.split("+")))


def surroundings(job: Job) -> Outcome:
    """What its process may have of its parent, as warnings: files, handlers of signals, blocked signals."""
    files = []
    for path in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the folder itself
            files += [str(path.readlink()).partition(":")[0]] if int(path.name) > 2 else []
    handled = [number.name for number in signal.Signals if callable(signal.getsignal(number))]
    blocked = [number.name for number in signal.Signals if number in signal.pthread_sigmask(signal.SIG_BLOCK, ())]
    return Outcome(job.name, DONE, warnings=tuple(map(str, (sorted(files), handled, blocked))))


def faults_of_pages(job: Job) -> Outcome:
    """How many pages the system gives for 30 MB that were used and given back before."""
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        blocks = [bytearray(b"1") * (3 * 2**20) for _ in range(10)]
        del blocks
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return Outcome(job.name, DONE, figures={"faults": faults})


def is_gone(number: int) -> bool:
    """Whether a process has ended."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    return False
