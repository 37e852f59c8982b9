"""What processes are given to do in tests: found there by the name of this module."""

from __future__ import annotations

import os
import signal
import time
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
