"""One trial's work, as any scheduler runs it: `run_job(job) -> Outcome`, without state of its own."""

from __future__ import annotations

import errno
import hashlib
import json
import pickle
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gaitid.disk.regular import MAX_BYTES
from gaitid.errors import GaitidError, ReadError, SubjectError, TrialError, WriteError, in_words
from gaitid.inputs import found_trial, sha256
from gaitid.notes import Notes, as_option, note
from gaitid.notes.body import OTHER_PERSON
from gaitid.records import frozen_dataclass
from gaitid.run import RunOptions, Setup, analyse_file, notes_of_trial, prepare, run_file, with_chosen_model
from gaitid.version import __version__

if TYPE_CHECKING:
    from gaitid.analysis.result import Result

DONE, REFUSED, CRASHED, TIMEOUT = "done", "refused", "crashed", "timeout"
# When these keep one result from being written, they keep all others from it too.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
_Done = tuple["Result", list[Path]]
# As the loader says that a library finds no room in a process whose memory is limited.
_NO_SEGMENT = "failed to map segment"


@frozen_dataclass()
class Outcome:
    """What became of one trial.

    Attributes
    ----------
    trial : str
        Its path as given, which names it in journal and table.
    status : str
        `DONE`, `REFUSED`, `CRASHED` or `TIMEOUT`.
    reason : str
        One line, empty for `DONE`.
    trial_sha256, fingerprint : str
        Empty where the trial could not be read. See `fingerprint_of`.
    figures : mapping of str to number
        Quality figures (`figures_of`); empty where there is no result.
    outputs : mapping of str to str
        SHA-256 of each file in place, by its name.
    run_time_s : float or None
        That this command spent on it; None where it was done before.
    fatal : bool
        Whether no other trial's result can be written either.
    warnings : tuple of str
        Of the trial.
    verdict : mapping of str to str
        ``trial``, each side, and ``worst_reason``; empty where there is no result.
    static : str
        Which of two calibrations was taken, a static or what the trial stores, and why; empty where the plan says it.
    """

    trial: str
    status: str
    reason: str = ""
    trial_sha256: str = ""
    fingerprint: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    run_time_s: float | None = None
    fatal: bool = False
    warnings: tuple[str, ...] = ()
    verdict: Mapping[str, str] = field(default_factory=dict)
    static: str = ""

    @property
    def doubt(self) -> str:
        """The warning that the static may be of somebody else; empty where there is none."""
        return next((text for text in self.warnings if text.startswith(OTHER_PERSON)), "")


@frozen_dataclass()
class Job:
    """One trial and everything that is needed to work on it, wherever that happens; can be pickled.

    Attributes
    ----------
    trial, folder : Path
        Its file, and the folder of its results.
    options : RunOptions
        Of this trial, with the equivalent `gaitid run` command.
    shared : tuple of (str, str)
        Path and SHA-256 of the files that it shares with others: model, tables, subject, static.
    static_discovered : bool
        Whether its static was looked for, not given: one that may be another person's is refused then.
    previous : Outcome or None
        Of a previous batch: kept, where the same inputs and options would make the same again.
    session : tuple of Path
        The trials that are to have one model with it, where that is to be chosen.
    instead : Job or None
        The same with a static that was found, where the trial stores another calibration: the better is done. Of a job
        with a static that was found, the same with another, or none: done where the first does not fit.
    """

    trial: Path
    folder: Path
    options: RunOptions
    shared: tuple[tuple[str, str], ...]
    static_discovered: bool = False
    previous: Outcome | None = None
    session: tuple[Path, ...] = ()
    instead: Job | None = None

    @property
    def name(self) -> str:
        return str(self.trial)


def run_job(job: Job) -> Outcome:
    """Work on one trial, unless it is done already.

    Returns
    -------
    Outcome
        Of a refusal too: nothing but the end of its process, or what ends it, leaves this function otherwise.
    """
    start = time.perf_counter()
    trial_sha256 = fingerprint = ""
    fatal = False
    try:
        trial_sha256 = trial_hash(job)
        fingerprint = fingerprint_of(job, trial_sha256)
        if job.previous is not None and is_current(job, job.previous, fingerprint):
            return job.previous
        tried = job
        if job.instead is None or job.static_discovered:
            tried, (result, files), static = _fitting_done(job)
        else:
            (result, files), static = _better_done(job, job.instead)
        return Outcome(
            job.name,
            DONE,
            "",
            trial_sha256,
            fingerprint,
            figures_of(result),
            {path.name: sha256(path) for path in files},
            time.perf_counter() - start,
            warnings=tuple(note.text for note in notes_of_trial(result, _prepared_of(tried))),
            verdict=verdict_of(result),
            static=static,
        )
    except Exception as error:
        # `write_all` names the folder and the reason, and leaves the number of the system's error behind
        cause = error.__context__ if isinstance(error, WriteError) else error
        fatal = isinstance(cause, OSError) and cause.errno in _NO_ROOM
        if isinstance(error, ImportError) and _NO_SEGMENT in str(error):
            error = MemoryError()
        reason = in_words(error, job.name, job.options.keep_names).removeprefix(f"{job.trial}: ")
    spent = time.perf_counter() - start
    return Outcome(job.name, REFUSED, reason, trial_sha256, fingerprint, run_time_s=spent, fatal=fatal)


class _StaticIsBetter(Exception):
    """Ends the work on a trial with the calibration that it stores, before anything is written."""


def _done(
    job: Job, accept: Callable[[Result], Notes] = lambda result: (), unfit: Mapping[Path, str] = MappingProxyType({})
) -> _Done:
    """Result and files of a job, with the notes that `accept` has besides; it may raise an error instead. `unfit` are
    statics that were found and do not fit, and why."""
    setup = _settled(job)

    def accepted(result: Result) -> Result:
        from gaitid.analysis.judge import judged

        _refuse_other_person(job, result)
        notes = (*accept(result), *(note("file_beside/unfit", path=path, why=why) for path, why in unfit.items()))
        cures = {as_option("--static", path) for path in unfit}  # of which nobody says to give it, then
        kept = (n for n in result.notes if n.code != "file_beside" or n.cure not in cures)
        return judged(result, (*notes, *kept)) if notes else result

    return run_file(job.trial, job.folder, setup, accept=accepted)


def _fitting_done(job: Job) -> tuple[Job, _Done, str]:
    """The job as it was done: where a static that was found does not fit, with the next one, or without, and why."""
    fault: GaitidError | None = None
    unfit: dict[Path, str] = {}
    while True:
        try:
            done = _done(job, unfit=unfit)
        except (ReadError, SubjectError, TrialError) as error:
            fault = fault or error
            if job.instead is None or not job.static_discovered:
                raise fault from None
            why = error.wrong.removeprefix(f"{job.trial}: ").removeprefix(f"{job.options.static}: ")
            assert job.options.static is not None  # one that was found
            unfit[job.options.static] = why
            job = job.instead
        else:
            others = "; ".join(f"{path} was found and does not fit: {why}" for path, why in unfit.items())
            return job, done, f"{job.options.static or 'none'}: {others}" if unfit else ""


def _better_done(job: Job, instead: Job) -> tuple[_Done, str]:
    """As `_done` with the better of two calibrations, what the trial stores or the static of `instead`, and why."""
    from gaitid.analysis.conflict import Better, better_calibration

    found: list[Better] = []

    def with_static() -> Result:
        result = analyse_file(instead.trial, _settled(instead))
        _refuse_other_person(instead, result)
        return result

    def decide(stored: Result | GaitidError) -> Better:
        try:
            static = _prepared_of(instead).static
        except GaitidError:
            static = None
        assert instead.options.static is not None
        found.append(better_calibration(stored, static, with_static, instead.options.static, job.options.reader))
        return found[0]

    def keep(result: Result) -> Notes:
        if decide(result).is_static:
            raise _StaticIsBetter
        return found[0].notes

    try:
        return _done(job, keep), found[0].words
    except _StaticIsBetter:
        pass  # what it computed can go before the work begins again
    except (SubjectError, TrialError) as error:
        decide(error)
    return _done(instead, lambda result: found[0].notes), found[0].words


def _settled(job: Job) -> Setup:
    """What the job's trial is analysed with."""
    return with_chosen_model(replace(_prepared_of(job), options=job.options), job.trial, job.session)


def _refuse_other_person(job: Job, result: Result) -> None:
    doubts = [note.text for note in result.notes if note.code == "other_person"]
    if job.static_discovered and doubts:
        todo = "name its static in a manifest or with --static"
        raise TrialError(f"{doubts[0]} ({job.options.static} was found, not given)", todo=todo)


def _prepared_of(job: Job) -> Setup:
    """What the trials of one static, or of none, share: not one that only lies beside its trial."""
    shared, beside = replace(job.options, command=(), assign=(), beside=None), job.options.beside
    files = tuple(file for file in job.shared if beside is None or file[0] != str(beside))
    return _prepared(pickle.dumps(shared), files)


@lru_cache(maxsize=4)
def _prepared(options: bytes, hashes: tuple[tuple[str, str], ...]) -> Setup:
    """Model, subject and static, read once for trials in a row that share them.

    The hashes of their files are arguments, so that a process that lives on never takes old content for new.
    """
    return prepare(pickle.loads(options))


def trial_hash(job: Job) -> str:
    """SHA-256 of the trial's file.

    Raises
    ------
    ReadError
        There is none, or it is larger than any that is read.
    """
    return sha256(found_trial(job.trial), MAX_BYTES)


def fingerprint_of(job: Job, trial_sha256: str) -> str:
    """SHA-256 over all that decides a result: version, command, and the hash of every file that is read."""
    from gaitid.model.nexus_subject import mp_beside
    from gaitid.read.assignments import ENF_BYTES, enf_files, forces_of

    inputs = [("trial", trial_sha256), *job.shared]
    beside = [(file, ENF_BYTES) for file in (*enf_files(job.trial), *mp_beside(job.trial, ()))]
    beside += [(file, MAX_BYTES) for file in forces_of(job.trial, job.options.forces)]
    for file, most in beside:
        with suppress(ReadError):  # such a one is not read
            inputs.append((file.name, sha256(file, most)))
    # which model is chosen depends on all trials of the session
    session = [[str(path), _size(path)] for path in job.session]
    # and with which calibration, on what both would make; of a static that was found the next counts where it is used
    other = [] if job.instead is None or job.static_discovered else [fingerprint_of(job.instead, trial_sha256)]
    text = json.dumps([__version__, job.options.command, inputs, *([session] if session else []), *other])
    return hashlib.sha256(text.encode()).hexdigest()


def _size(path: Path) -> int:
    try:
        return found_trial(path).stat().st_size
    except OSError:
        return -1


def is_current(job: Job, previous: Outcome, fingerprint: str) -> bool:
    """Whether a previous result is what this job would make, and still in place."""
    return (
        (previous.trial, previous.fingerprint) == (job.name, fingerprint)
        and not (job.static_discovered and (previous.doubt or previous.static))
        and in_place(job.folder, previous)
    )


def in_place(folder: Path, outcome: Outcome) -> bool:
    """Whether every file of a result is there, byte for byte."""
    try:
        return bool(outcome.outputs) and all(sha256(folder / name) == h for name, h in outcome.outputs.items())
    except (OSError, ReadError):
        return False


def verdict_of(result: Result) -> dict[str, str]:
    """What a trial can be used for, in words: ``trial``, each side, and the ``worst_reason``, with its cure.

    ``angles_only`` names those of which no load is known, apart by blanks.
    """
    verdict = result.verdict
    levels = {"trial": verdict.trial, **verdict.sides, "worst_reason": verdict.worst_reason}
    return levels | ({"angles_only": " ".join(verdict.angles_only)} if verdict.angles_only else {})


def figures_of(result: Result) -> dict[str, float]:
    """Quality figures of one trial.

    Returns
    -------
    dict
        ``frames``; ``contacts`` on plates; ``wrenches_filled``, the share of frames with a known wrench, over all
        joints; ``gaps`` in markers; ``label_faults``; ``warnings``; ``corrected``, the entries of its corrections;
        ``cycles_used`` of the cycles ``cycles_there``.
    """
    gait, corrections = result.gait, result.trial.corrections
    counts = [counts["filled"] for side in result.sides.values() for counts in side.coverage.values()]
    frames = result.trial.n_frames
    quality: Mapping[str, Any] = result.quality
    return {
        "frames": frames,
        "contacts": sum(bool(c.plates) for c in result.contacts),
        **({"wrenches_filled": sum(counts) / (len(counts) * frames)} if counts and frames else {}),
        "gaps": len(quality["gaps"]),
        "label_faults": len(quality["label_faults"]),
        "warnings": len(result.notes),
        "corrected": 0 if corrections is None else len(corrections.entries),
        "cycles_used": len(gait.strides),
        "cycles_there": len(gait.strides) + len(gait.left_out),
    }
