"""`gaitid batch` as a function: jobs in, results, journal and ``batch.csv`` out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from gaitid.batch.job import DONE, Job, Outcome
from gaitid.batch.journal import Journal, sweep, writing
from gaitid.batch.plan import Planned
from gaitid.batch.table import batch_csv
from gaitid.errors import WriteError
from gaitid.model.load import load_model
from gaitid.run import RunOptions, about_hidden, found_trial, input_record
from gaitid.whole import put_all

TABLE = "batch.csv"


class Scheduler(Protocol):
    """Whoever has `run_one` done for each job: processes of this machine (`run_local`), or a cluster.

    It is a generator of one outcome a job, in any order; closing it early stops the work.
    """

    def __call__(self, jobs: Sequence[Job]) -> Generator[Outcome, None, None]: ...


def make_jobs(planned: Sequence[Planned], options_of: Callable[[Planned], RunOptions]) -> list[Job]:
    """A job for each trial, with the hashes of the files that it shares with others, each read once.

    Raises
    ------
    GaitidError
        A model that cannot be used.
    """
    hashes: dict[Path, tuple[str, str]] = {}
    models: dict[Any, tuple[Path, ...]] = {}

    def hashed(path: Path) -> tuple[str, str]:
        if path not in hashes:
            file = found_trial(path)
            # what is absent is refused when it is read
            shown = input_record("", path, file) if file.is_file() else {"path": str(path), "sha256": ""}
            hashes[path] = (shown["path"], shown["sha256"])
        return hashes[path]

    jobs = []
    for one in planned:
        options = options_of(one)
        key = (options.model, repr(options.overrides))
        if key not in models:
            load = partial(load_model, options.model, options.overrides)
            models[key] = about_hidden(options.model, load).paths
        extra = (options.subject, options.static, options.forces, options.plates)
        shared = [hashed(path) for path in (*models[key], *(p for p in extra if p is not None))]
        jobs.append(Job(one.trial, one.folder, options, tuple(shared)))
    return jobs


def run_batch(
    planned: Sequence[Planned],
    jobs: Sequence[Job],
    output: Path,
    schedule: Scheduler,
    *,
    resume: bool = False,
    tell: Callable[[Outcome], object] = lambda outcome: None,
) -> dict[str, Outcome]:
    """Work on all jobs; the caller holds the folder's lock.

    Each result is put in place as a whole, and then noted in the journal; ``batch.csv`` is written at the end.

    Parameters
    ----------
    planned : sequence of Planned
    jobs : sequence of Job
        In the same order.
    output : Path
    schedule : Scheduler
    resume : bool
        Keep what the journal knows to be done with the same inputs, options and version, where it is still in place.
    tell : callable
        Given each outcome as it comes.

    Returns
    -------
    dict of str to Outcome
        By the trial's path, in the order of the plan.

    Raises
    ------
    WriteError
        The folder cannot be written to any more. What is done is noted.
    """
    journal = Journal(output)
    folders = sorted({output, journal.path.parent, *(job.folder for job in jobs)})
    outcomes: dict[str, Outcome] = {}
    sweep(folders)
    known = journal.read() if resume else {}
    journal.write(known.values())
    with closing(schedule([replace(job, before=known.get(job.name)) for job in jobs])) as coming:
        for outcome in coming:
            if outcome.fatal:
                raise WriteError(outcome.reason, todo="or make room and go on with --resume")
            outcomes[outcome.trial] = outcome
            if known.get(outcome.trial) != outcome:
                journal.append(outcome)
            tell(outcome)
    sweep(folders)
    outcomes = {job.name: outcomes[job.name] for job in jobs}
    journal.write(outcomes.values())
    with writing(output):
        put_all(output, {TABLE: batch_csv(planned, outcomes)})
    return outcomes


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many trials have each status; those done before apart."""
    found: dict[str, int] = {}
    for outcome in outcomes:
        status = "done before" if outcome.status == DONE and outcome.run_time_s is None else outcome.status
        found[status] = found.get(status, 0) + 1
    return found
