"""`gaitid batch` as a function: jobs in, results, journal and ``batch.csv`` out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from gaitid.batch.job import DONE, Job, Outcome
from gaitid.batch.journal import Journal
from gaitid.batch.parquet import sweep_frames
from gaitid.batch.previous import (
    away,
    earlier_places,
    files_of,
    note_root,
    outdated,
    place_of,
    refuse_links,
    refuse_one_name,
    refuse_other_root,
    refuse_others_places,
    refuse_strange_tables,
    root_of,
    take_away_frames,
    take_away_tables,
    text_of,
)
from gaitid.batch.results_folder import TABLE, content, sweep, writing
from gaitid.batch.table import batch_csv, results_in
from gaitid.batch.types import Planned
from gaitid.disk.atomic import put_all
from gaitid.errors import GaitidError, WriteError, counted
from gaitid.model.load import load_model
from gaitid.run import RunOptions, about_hidden, found_trial, input_record


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
            try:
                shown = input_record("", path, found_trial(path))
            except GaitidError:  # refused for each trial that needs it, when it is read
                shown = {"path": str(path), "sha256": ""}
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
        found = one.static is not None and one.static.how != "given"
        jobs.append(Job(one.trial, one.folder, options, tuple(shared), found))
    return jobs


def run_batch(
    planned: Sequence[Planned],
    jobs: Sequence[Job],
    output: Path,
    schedule: Scheduler,
    *,
    resume: bool = False,
    tell: Callable[[Outcome], object] = lambda outcome: None,
    remark: Callable[[str], object] = lambda text: None,
) -> dict[str, Outcome]:
    """Work on all jobs; the caller holds the folder's lock.

    Each result is put in place as a whole, and then noted in the journal; ``batch.csv`` is written at the end. What
    an earlier batch left is taken away where it would stand beside something newer (`gaitid.batch.previous`).

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
    remark : callable
        Told at the end what became of earlier results of trials that have none now.

    Returns
    -------
    dict of str to Outcome
        By the trial's path, in the order of the plan.

    Raises
    ------
    WriteError
        The folder holds results of another data set, or cannot be written to any more. What is done is noted.
    """
    results = _Results(output, jobs, resume, remark)
    outcomes: dict[str, Outcome] = {}
    try:
        with closing(schedule([replace(job, before=results.known(job)) for job in jobs])) as coming:
            for found in coming:
                if found.fatal:
                    raise WriteError(found.reason, todo="or mend that and go on with --resume")
                outcome = outcomes[found.trial] = results.note(found)
                tell(outcome)
    except BaseException:
        # a process may have put a result in place and not told it any more
        with suppress(WriteError):
            take_away_tables(output)
        raise
    outcomes = {job.name: outcomes[job.name] for job in jobs}
    results.end(batch_csv(planned, outcomes))
    return outcomes


class _Results:
    """A folder of results while a batch works in it: nothing old is left beside something newer."""

    def __init__(self, output: Path, jobs: Sequence[Job], resume: bool, remark: Callable[[str], object]) -> None:
        self.output, self.resume, self.remark, self.journal = output, resume, remark, Journal(output)
        self.jobs = {job.name: job for job in jobs}
        self.folders = sorted({output, self.journal.path.parent, *(job.folder for job in jobs)})
        self.earlier = self.journal.read()
        refuse_strange_tables(output)
        refuse_links(output, self.folders)
        refuse_one_name(output, jobs)
        roots = [root_of(job, output) for job in jobs[:1]]
        for root in roots:
            refuse_other_root(output, root, bool(content(self.journal.path)))
        refuse_others_places(output, jobs, self.earlier)
        for root in roots:
            note_root(output, root)
        sweep(self.folders)
        sweep_frames(output)
        self.table = text_of(output / TABLE)
        self.others = {place: self.earlier[place] for place in earlier_places(output, jobs, self.earlier)}
        self.done: dict[str, Outcome] = {}
        self.any_done, self.kept = False, 0
        self.old: dict[str, list[Path]] = {}
        mine = {place: self.earlier[place] for place in map(self.place, self.jobs) if place in self.earlier}
        # without --resume nothing is believed, but which files are ours is still known
        listed = mine if resume else {place: replace(one, fingerprint="") for place, one in mine.items()}
        self.journal.write(listed | self.others)

    def place(self, name: str) -> str:
        return place_of(self.jobs[name], self.output)

    def known(self, job: Job) -> Outcome | None:
        """What an earlier batch noted of a trial, to be believed where it is still right."""
        return self.earlier.get(self.place(job.name)) if self.resume else None

    def note(self, outcome: Outcome) -> Outcome:
        """Note a result that is in place, or that the earlier one of a trial that has none now is to go."""
        job, place = self.jobs[outcome.trial], self.place(outcome.trial)
        before = self.earlier.get(place)
        if outcome.status == DONE:
            self.any_done = True
            if before is None or before.outputs != outcome.outputs:
                take_away_tables(self.output)
            if outcome != self.known(job):
                self.journal.append(place, outcome)
            self.done[place] = outcome
        elif files := files_of(job, before, outcome.trial_sha256):
            if outdated(job, before):
                self.old[place] = files
            else:
                self.kept += 1
            if before is not None:
                self.done[place] = before
        return outcome

    def end(self, table: str) -> None:
        """All is done: the journal in the order of the plan, and the table; what is old goes."""
        sweep(self.folders)
        if self.any_done:
            self._take_away_old()
        else:  # of a mistyped option, rather
            self.kept += len(self.old)
        if self.kept:
            self.remark(f"{counted(self.kept, 'earlier result')} kept, though not done now")
        mine = {place: self.done[place] for place in map(self.place, self.jobs) if place in self.done}
        self.journal.write(mine | self.others)
        if results_in(table) != results_in(self.table):
            take_away_frames(self.output)
        with writing(self.output):
            put_all(self.output, {TABLE: table})

    def _take_away_old(self) -> None:
        """Earlier results of trials that have none now, and are of other inputs or options."""
        if self.old:
            take_away_tables(self.output)
            self.remark(f"{counted(len(self.old), 'earlier result')} taken away: not done now")
        for place, files in self.old.items():
            self.done.pop(place, None)
            for path in files:
                with away(path):
                    path.unlink(missing_ok=True)


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many trials have each status; those done before apart."""
    found: dict[str, int] = {}
    for outcome in outcomes:
        status = "done before" if outcome.status == DONE and outcome.run_time_s is None else outcome.status
        found[status] = found.get(status, 0) + 1
    return found
