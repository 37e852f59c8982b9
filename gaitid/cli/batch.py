"""`gaitid batch`."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli import options
from gaitid.cli.common import Bar, Seconds, flag, print_detail, print_error, print_info, refuse_pattern, talk_options
from gaitid.cli.run import given_options, recorded_command, run_command
from gaitid.cli.start import INTERRUPTED
from gaitid.cli.streams import ERROR, INFO, WARNING, Log, erase_line
from gaitid.errors import GaitidError, counted, first_few
from gaitid.settings import OPTIONS

if TYPE_CHECKING:
    from gaitid.batch.job import Job, Outcome
    from gaitid.batch.plan import Plan
    from gaitid.batch.supervisor import Scheduler
    from gaitid.batch.types import Planned
    from gaitid.run import RunOptions

# Names of so many earlier results stand in a line.
_NAMED = 4


def _processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@click.command(
    short_help="All trials of a data set: supervised, resumable.",
    cls=options.Grouped,
    # --forces and --load belong to one trial: looked for beside it, or named in a manifest
    params=[p for p in run_command.params if p.name in OPTIONS and not OPTIONS[p.name].of_one_trial],
    epilog="Example:  gaitid batch recordings --model pig -o results -j 4 --resume\n\nMore: docs/batch.md",
)
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option(
    "-o", "--output", metavar="DIR", help="Folder for the results; mirrors the folders. Needed for all but --plan."
)
@click.option(
    "-j",
    "--jobs",
    "n_workers",
    type=click.IntRange(1, 1024),
    default=_processors,
    metavar="N",
    help="Processes that work at the same time.  [default: one a processor]",
)
@click.option(
    "--resume", is_flag=True, help="Keep what is done with the same inputs, options and version, and still in place."
)
@click.option(
    "--plan", "plan_only", is_flag=True, help="Only show which static belongs to which trial, as a manifest on stdout."
)
@click.option(
    "--static-name",
    "static_names",
    multiple=True,
    metavar="WORD",
    help="A word in a file's name that makes it a static, instead of static, cal, stand, ...; may be repeated.",
)
@click.option(
    "--parquet",
    is_flag=True,
    help="Also write all frames as one Parquet data set, partitioned by subject, and the tables across trials.",
)
@click.option(
    "--time-limit",
    "time_limit_s",
    type=Seconds(min_open=True),
    default=120.0,
    show_default=True,
    metavar="S",
    help="A trial that takes longer is given up.",
)
@click.option(
    "--memory-limit",
    "memory_MB",
    type=click.IntRange(0),
    default=4096,
    show_default=True,
    metavar="MB",
    help="Address space of a process, where the system can limit it; 0: no limit.",
)
@click.option("--wait", is_flag=True, help="Wait for another batch that works in the same folder.")
@click.option("--scheduler", metavar="ADDRESS", help="Send the work to a Dask cluster instead of processes here.")
@options.log
@talk_options
@click.pass_context
def batch_command(ctx: click.Context, /, datasets: tuple[str, ...], output: str | None, **given: Any) -> int:
    """Analyse all trials of each DATASET: a folder with all below it, a glob, a trial, a manifest (CSV or YAML),
    or a URL of any of the first three.

    Each trial's files are those that `gaitid run` writes. Statics are found by their names or by what they hold, and
    subject.yaml files beside or above the trials. A trial that is refused, hangs or crashes costs only itself;
    DIR/batch.csv says what became of each.
    """
    from gaitid.batch.job import DONE
    from gaitid.batch.manifest import manifest_csv
    from gaitid.batch.parquet import refuse_long_subjects, require_pyarrow
    from gaitid.batch.supervisor import make_jobs
    from gaitid.run import prepare

    _refuse_misuse(datasets, output, given)
    words = given_options(ctx)
    if given["parquet"]:
        require_pyarrow()
    # what is given for all trials is refused once, before anything is looked for
    common = options.run_options(ctx)
    options.refuse_options_of_one_trial(common, 2, instead="give it in a manifest")
    setup = prepare(common)
    plan, problems = _plan(datasets, output, words, given)
    jobs = make_jobs(plan.trials, partial(_options_of, words))
    for problem in problems:
        print_error(problem)
    for line in (*(note.text for note in setup.notes), *plan.lines(everything=given["plan_only"] or flag("verbose"))):
        print_info(line)
    if given["plan_only"]:
        if isinstance(sys.stdout, io.TextIOWrapper):  # a file to be kept, whatever the terminal's encoding
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write(manifest_csv(plan.trials, words))
        sys.stdout.flush()
        return 1 if problems else 0
    if given["parquet"]:
        refuse_long_subjects(plan.trials)
    outcomes = _work(plan, jobs, Path(output or "."), given)
    if outcomes is None:
        return INTERRUPTED
    return 1 if problems or any(outcome.status != DONE for outcome in outcomes.values()) else 0


def _refuse_misuse(datasets: Sequence[str], output: str | None, given: Mapping[str, Any]) -> None:
    """Raise where a folder is missing or cannot be meant, or too little memory is given."""
    from gaitid.batch.files import is_url
    from gaitid.batch.local import LEAST_MB

    if output is None:
        if not given["plan_only"] or any(map(is_url, datasets)):
            raise click.UsageError("Missing option '-o' / '--output'.")
    else:
        refuse_pattern("-o", output)
        if "{parent}" in output:
            raise click.UsageError(
                f"-o {output}: a batch mirrors the folders by itself; give a folder without {{parent}}"
            )
        if is_url(output):
            raise click.UsageError(
                f"-o {output}: expected a folder, on a file system that all machines share; found a URL"
            )
    if 0 < given["memory_MB"] < LEAST_MB:
        raise click.UsageError(f"--memory-limit {given['memory_MB']}: expected 0, or {LEAST_MB} and more")


def _plan(
    datasets: Sequence[str], output: str | None, words: tuple[str, ...], given: Mapping[str, Any]
) -> tuple[Plan, list[str]]:
    """The plan of data sets, copied here first where a URL names them, and all that could not be listed."""
    from gaitid.batch.files import fetch, is_url
    from gaitid.batch.plan import make_plan
    from gaitid.batch.results_folder import locked

    folder = None if output is None else Path(output)
    here, problems = list(datasets), list[str]()
    if folder is not None and any(map(is_url, datasets)):
        with locked(folder, given["wait"], print_info):
            here, problems = fetch(datasets, folder)
    plan = make_plan(here, folder, names=given["static_names"], given=words)
    return plan, [*problems, *plan.problems]


# --- the work and what is printed of it ---------------------------------------------------------------------


def _work(plan: Plan, jobs: Sequence[Job], folder: Path, given: Mapping[str, Any]) -> dict[str, Outcome] | None:
    """The outcome of each trial by its path; None where Ctrl-C ended the work."""
    from gaitid.batch.collected import tables_as_parquet
    from gaitid.batch.parquet import write_parquet
    from gaitid.batch.results_folder import FRAMES, locked
    from gaitid.batch.supervisor import run_batch

    progress = Bar(len(jobs), sys.stderr.isatty() and not flag("quiet"))
    remarks: list[str] = []
    had_frames = (folder / FRAMES).is_dir()
    with Log(given["log_file"], "batch", len(jobs)) as log:
        printer, schedule = _Printer(log, progress), _schedule(folder, given)
        try:
            with locked(folder, given["wait"], print_info):
                outcomes = run_batch(
                    plan.trials, jobs, folder, schedule, resume=given["resume"], tell=printer, remark=remarks.append
                )
                if given["parquet"]:
                    tables_as_parquet(folder)
                    write_parquet(folder, ((planned, outcomes[str(planned.trial)]) for planned in plan.trials))
        except KeyboardInterrupt:
            log.add("interrupted", level=ERROR)
            of_all = f"{progress.done - progress.refused} of {counted(len(jobs), 'trial')}"
            previous = _not_looked_at(folder, jobs, printer.printed) if given["resume"] else 0
            before = f", {previous} done before not looked at yet" if previous else ""
            print_error(f"interrupted; {of_all} done{before}; go on with --resume")
            return None
        finally:
            erase_line()
            if had_frames and not (folder / FRAMES).is_dir():
                print_info(f"{folder / FRAMES} was taken away: it held earlier results; --parquet makes it anew")
        _print_summary(folder, jobs, outcomes, remarks, progress)
    return outcomes


def _not_looked_at(folder: Path, jobs: Sequence[Job], text: Collection[str]) -> int:
    """How many results of earlier batches stand whose trials have had no turn yet."""
    from gaitid.batch.journal import Journal
    from gaitid.batch.previous import place_of

    noted = Journal(folder).read()
    return sum(place_of(job, folder) in noted for job in jobs if job.name not in text)


class _Printer:
    """Logs and prints what became of each trial, as it comes."""

    def __init__(self, log: Log, progress: Bar) -> None:
        self.log, self.progress = log, progress
        self.printed: set[str] = set()
        self.first_with: dict[str, str] = {}  # the first trial that is not done for a reason, by reason

    def __call__(self, outcome: Outcome) -> None:
        from gaitid.batch.job import DONE

        self.printed.add(outcome.trial)
        done, before = outcome.status == DONE, outcome.run_time_s is None
        for warning in outcome.warnings:
            self.log.add("warning", warning, WARNING, trial=outcome.trial)
        event, level = "kept" if done and before else outcome.status, INFO if done else ERROR
        self.log.add(event, outcome.reason, level, trial=outcome.trial, duration_s=outcome.run_time_s)
        if not done:
            print_error(f"{outcome.trial}: {self._reason(outcome)}")
        else:
            self._say_verdict(outcome, before)
        self.progress.add(worked=not before, refused=not done)

    def _say_verdict(self, outcome: Outcome, before: bool) -> None:
        """What a trial can be used for: of all with ``--verbose``, else of those that are not to be used."""
        from gaitid.analysis.wording import level_words
        from gaitid.notes.message import DO_NOT_USE

        verdict, worst = outcome.verdict.get("trial", ""), outcome.verdict.get("worst_reason", "")
        if not (verdict == DO_NOT_USE or outcome.doubt or flag("verbose")):
            return
        if outcome.doubt:
            print_info(f"{outcome.trial}: warning: {outcome.doubt}")
        n_warnings = counted(round(outcome.figures.get("warnings", 0)), "warning")
        if verdict == DO_NOT_USE and not (outcome.doubt and outcome.doubt in worst):
            print_info(f"{outcome.trial}: {verdict}: {worst}")
        elif verdict:
            print_detail(f"{outcome.trial}: {level_words(outcome.verdict)}{': ' if worst else ''}{worst}")
        print_detail(f"{outcome.trial}: done{' before' if before else ''}, {n_warnings}")

    def _reason(self, outcome: Outcome) -> str:
        """Why a trial is not done; where another had the same reason, that trial if that is shorter."""
        from gaitid.batch.job import REFUSED

        reason = outcome.reason if outcome.status == REFUSED else f"{outcome.status}: {outcome.reason}"
        first = self.first_with.setdefault(reason, outcome.trial)
        return reason if first == outcome.trial else min(reason, f"the same as {first}", key=len)


def _print_summary(
    folder: Path, jobs: Sequence[Job], outcomes: Mapping[str, Outcome], remarks: Sequence[str], progress: Bar
) -> None:
    """Lines about earlier results, then how many trials have each status."""
    from gaitid.batch.journal import Journal
    from gaitid.batch.previous import other_places
    from gaitid.batch.results_folder import TABLE
    from gaitid.batch.supervisor import counts, verdict_counts

    if flag("quiet"):
        return
    for remark in remarks:
        print_info(f"{folder}: {remark}")
    if others := other_places(folder, jobs, Journal(folder).read()):
        many = counted(len(others), "earlier result")
        print_info(f"{folder}: {many} of trials that are not in this batch: {first_few(others, _NAMED)}")
    statuses = ", ".join(f"{n} {status}" for status, n in counts(list(outcomes.values())).items())
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in verdict_counts(outcomes.values()).items())
    rate = f"{progress.worked / max(progress.seconds, 1e-9):.1f} trials/s"
    message = "; ".join(filter(None, (statuses, rate, verdicts)))
    print_info(f"{counted(len(outcomes), 'trial')}: {message}; wrote {folder / TABLE}")


def _schedule(folder: Path, given: Mapping[str, Any]) -> Scheduler:
    """The scheduler: processes of this machine, or a cluster."""
    limits = {"time_limit_s": given["time_limit_s"], "memory_bytes": given["memory_MB"] * 2**20}
    if given["scheduler"] is None:
        from gaitid.batch.local import run_local

        return partial(run_local, n_workers=given["n_workers"], **limits)
    try:
        from gaitid.batch.cluster import check_cluster, run_cluster
    except ImportError:
        todo = "pip install 'gaitid[distributed]'"
        raise GaitidError("--scheduler needs the library distributed", todo=todo) from None
    check_cluster(given["scheduler"])
    return partial(run_cluster, address=given["scheduler"], output=folder, **limits)


# --- options of `run` ---------------------------------------------------------------------------------------


def _options_of(common: tuple[str, ...], planned: Planned) -> RunOptions:
    """How a trial is analysed: by the options for all, then by those of its own."""
    words = (*common, *planned.words)
    try:
        chosen, in_order = _parsed(words)
        if "--set" in planned.words:
            from gaitid.analysis.choice import check_settings

            check_settings(chosen.model, chosen.overrides)
    except (click.UsageError, GaitidError) as error:
        text = error.line() if isinstance(error, GaitidError) else error.format_message().removesuffix(".")
        raise GaitidError(f"{planned.where or planned.trial}: {text}") from None
    command = recorded_command(planned.trial, in_order)
    return replace(chosen, command=command, beside=planned.beside, bands_by_percent=True)


@lru_cache(maxsize=64)
def _parsed(words: tuple[str, ...]) -> tuple[RunOptions, tuple[str, ...]]:
    """The options of `gaitid run TRIAL WORDS`, and the words as its record has them."""
    with closing(run_command.make_context("gaitid run", ["TRIAL", *words])) as ctx:
        return options.run_options(ctx), given_options(ctx)
