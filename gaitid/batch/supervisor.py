"""Supervises a batch: a scheduler has the jobs done; results are noted in the journal and in ``batch.csv``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from gaitid.analysis.wording import level_words
from gaitid.batch import previous
from gaitid.batch.collected import write_tables
from gaitid.batch.job import DONE, Job, Outcome
from gaitid.batch.journal import Journal
from gaitid.batch.parquet import sweep_frames
from gaitid.batch.results_folder import TABLE, read_bytes, sweep
from gaitid.batch.table import batch_csv, results_in
from gaitid.batch.types import Planned
from gaitid.errors import GaitidError, WriteError, counted
from gaitid.inputs import LABORATORY, found_trial, input_record, refuse_to_overwrite
from gaitid.model import AUTO
from gaitid.model.find import about_hidden
from gaitid.model.load import load_model
from gaitid.notes.message import LEVELS
from gaitid.run import RunOptions
from gaitid.run.setup import given_files

#: Whoever has `run_job` done for each job: processes of this machine (`run_local`), or a cluster. It is a generator of
#: one outcome a job, in any order; closing it early stops the work.
Scheduler = Callable[[Sequence[Job]], Generator[Outcome, None, None]]


def make_jobs(planned: Sequence[Planned], options_of: Callable[[Planned], RunOptions]) -> list[Job]:
    """A job for each trial, with the hashes of the files that it shares with others, each read once.

    Raises
    ------
    GaitidError
        A model that cannot be used.
    """
    models: dict[Any, tuple[Path, ...]] = {}

    @cache
    def hashed(path: Path) -> tuple[str, str]:
        try:
            record = input_record("", path, found_trial(path))
        except GaitidError:  # refused for each trial that needs it, when it is read
            return str(path), ""
        return record["path"], record["sha256"]

    def job_of(trial: Planned) -> Job:
        options = options_of(trial)
        key = (options.model, repr(options.overrides))
        if key not in models:
            load = partial(load_model, options.model, options.overrides)
            # bundled models change with the version only
            model = None if options.model == AUTO else about_hidden(options.model, load)
            models[key] = () if model is None else model.files
        beside = () if options.beside is None else (options.beside,)
        shared = [hashed(path) for path in (*models[key], *beside, *given_files(options))]
        discovered = trial.static is not None and trial.static.how != "given"
        return Job(trial.trial, trial.folder, options, tuple(shared), discovered)

    jobs = _with_sessions([job_of(trial) for trial in planned])
    others = [other for trial in planned if (other := trial.instead)]
    instead = {job.name: job for job in make_jobs(others, options_of)} if others else {}
    return [replace(job, instead=instead.get(job.name)) for job in jobs]


def _with_sessions(jobs: list[Job]) -> list[Job]:
    """The same; those whose model is to be chosen know the trials of one folder with the same static and settings."""
    sessions: dict[Any, list[Path]] = {}

    def key(job: Job) -> Any:
        options = job.options
        beside = (options.static, options.subject, options.markers, options.functional)
        return job.trial.parent, beside, repr(options.overrides)

    for job in jobs:
        if job.options.model == AUTO:
            sessions.setdefault(key(job), []).append(job.trial)
    return [replace(job, session=tuple(sessions[key(job)])) if job.options.model == AUTO else job for job in jobs]


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

    Each result is put in place as a whole, and then noted in the journal; ``batch.csv`` and the tables across
    trials are written at the end. What a
    previous batch left is deleted where it would stand beside something newer (`gaitid.batch.previous`).

    Parameters
    ----------
    planned : sequence of Planned
    jobs : sequence of Job
        In the same order.
    output : Path
    schedule : Scheduler
    resume : bool
        Keep what the journal notes as done with the same inputs, options and version, where it is still in place.
    tell : callable
        Called with each outcome as it comes.
    remark : callable
        Called at the end with a line about previous results of trials that have none now.

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
        with closing(schedule([replace(job, previous=results.noted_outcome(job)) for job in jobs])) as coming:
            for outcome in coming:
                if outcome.fatal:
                    raise WriteError(outcome.reason, todo="or mend that and go on with --resume")
                results.note(outcome)
                outcomes[outcome.trial] = outcome
                tell(outcome)
    except BaseException:
        # a process may have put a result in place whose outcome did not come any more
        with suppress(WriteError):
            previous.delete_tables(output)
        raise
    outcomes = {job.name: outcomes[job.name] for job in jobs}
    results.end(planned, outcomes)
    return outcomes


class _Results:
    """A folder of results while a batch works in it: nothing old is left beside something newer."""

    def __init__(self, output: Path, jobs: Sequence[Job], resume: bool, remark: Callable[[str], object]) -> None:
        self.output, self.resume, self.remark, self.journal = output, resume, remark, Journal(output)
        self.jobs = {job.name: job for job in jobs}
        self.places = {job.name: previous.place_of(job, output) for job in jobs}
        self.folders = sorted({output, self.journal.path.parent, *(job.folder for job in jobs)})
        self.noted = self.journal.read()
        refuse_to_overwrite([output / LABORATORY], filter(None, (job.options.laboratory for job in jobs)))
        previous.refuse_foreign_tables(output)
        previous.refuse_links(output, self.folders)
        previous.refuse_equal_names(output, jobs)
        roots = [previous.root_of(job, output) for job in jobs[:1]]
        for root in roots if read_bytes(self.journal.path) else ():
            previous.refuse_other_root(output, root)
        previous.refuse_other_trials(output, jobs, self.noted)
        for root in roots:
            previous.note_root(output, root)
        sweep(self.folders)
        sweep_frames(output)
        self.table = read_bytes(output / TABLE).decode("utf-8", "replace")
        self.others = {place: self.noted[place] for place in previous.other_places(output, jobs, self.noted)}
        self.done: dict[str, Outcome] = {}
        self.any_done, self.has_tables, self.n_kept = False, True, 0
        self.to_delete: dict[str, list[Path]] = {}
        in_batch = {place: self.noted[place] for place in self.places.values() if place in self.noted}
        # without --resume nothing is kept, but the files of each result are still known
        listed = in_batch if resume else {place: replace(old, fingerprint="") for place, old in in_batch.items()}
        self.journal.write(listed | self.others)

    def noted_outcome(self, job: Job) -> Outcome | None:
        """The previous outcome of a trial, which is kept if it is still current; None without --resume."""
        return self.noted.get(self.places[job.name]) if self.resume else None

    def note(self, outcome: Outcome) -> None:
        """Note a result that is in place; of a trial that has none now, that its previous one is to be deleted."""
        job, place = self.jobs[outcome.trial], self.places[outcome.trial]
        old = self.noted.get(place)
        if outcome.status == DONE:
            self.any_done = True
            if self.has_tables and (old is None or old.outputs != outcome.outputs):
                previous.delete_tables(self.output)
                self.has_tables = False  # until the end
            if outcome != self.noted_outcome(job):
                self.journal.append(place, outcome)
            self.done[place] = outcome
        elif files := previous.result_files(job, old, outcome.trial_sha256):
            if previous.is_outdated(job, old):
                self.to_delete[place] = files
            else:
                self.n_kept += 1
            if old is not None:
                self.done[place] = old

    def end(self, planned: Sequence[Planned], outcomes: Mapping[str, Outcome]) -> None:
        """Delete what is outdated; write the journal in the order of the plan, and the tables."""
        table = batch_csv(planned, outcomes)
        sweep(self.folders)
        if self.any_done:
            self._delete_outdated()
        else:  # of a mistyped option, rather
            self.n_kept += len(self.to_delete)
        if self.n_kept:
            self.remark(f"{counted(self.n_kept, 'earlier result')} kept, though not done now")
        in_batch = {place: self.done[place] for place in self.places.values() if place in self.done}
        self.journal.write(in_batch | self.others)
        if results_in(table) != results_in(self.table):
            previous.delete_frames(self.output)
        # they load what the parent of a batch does not need before
        from gaitid.batch.session import laboratory_of, session_lines

        given = {name: job.options.laboratory for name, job in self.jobs.items()}
        laboratory, lines = laboratory_of(planned, outcomes, given)
        for line in (*lines, *session_lines(planned, outcomes)):
            self.remark(line)
        write_tables(self.output, planned, outcomes, laboratory | {TABLE: table})

    def _delete_outdated(self) -> None:
        """Delete previous results of trials that have none now, and are of other inputs or options."""
        if self.to_delete:
            previous.delete_tables(self.output)
            self.remark(f"{counted(len(self.to_delete), 'earlier result')} taken away: not done now")
        for place, files in self.to_delete.items():
            self.done.pop(place, None)
            for path in files:
                with previous.deleting(path):
                    path.unlink(missing_ok=True)


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many trials have each status; those done before apart."""
    return Counter(
        "done before" if outcome.status == DONE and outcome.run_time_s is None else outcome.status
        for outcome in outcomes
    )


def verdict_counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many of the trials that are done have each verdict, the best first."""
    found = Counter(level_words(outcome.verdict) for outcome in outcomes if outcome.status == DONE)
    return {words: found[words] for level in LEVELS for words in sorted(found) if words.partition(":")[0] == level}
