"""`gaitid batch -j 1` in the process of the tests: one of its own starts more slowly than most trials are analysed.

Two processes, a time limit or Dask are as ever: `tests/batch/test_batch_local.py`, `-j 2` in `tests/cli/test_batch.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Sequence

from gaitid.batch.job import Job, Outcome, run_job
from gaitid.batch.local import run_local

USUAL_LIMIT_S = 120.0


def run_here(
    jobs: Sequence[Job], n_workers: int, time_limit_s: float, memory_bytes: int
) -> Generator[Outcome, None, None]:
    """As `gaitid.batch.local.run_local`, which the command line calls with these."""
    if n_workers > 1 or time_limit_s < USUAL_LIMIT_S:
        yield from run_local(jobs, n_workers, time_limit_s=time_limit_s, memory_bytes=memory_bytes)
        return
    for job in jobs:
        with warnings.catch_warnings():  # of libraries, as in a process that works on trials
            warnings.simplefilter("ignore")
            outcome = run_job(job)
        yield outcome
