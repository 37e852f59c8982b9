"""`gaitid batch`."""

from __future__ import annotations

import io
import os
import sys
from contextlib import closing
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli import options
from gaitid.cli.common import CONTEXT, refuse_pattern, say, talk_options
from gaitid.cli.log import ERROR, INFO, WARNING, Log
from gaitid.cli.run import NOT_OF_RESULT, command_words, option_words
from gaitid.cli.run import command as run_command
from gaitid.errors import GaitidError, counted, first_few

if TYPE_CHECKING:
    from gaitid.batch.job import Outcome
    from gaitid.batch.supervisor import Scheduler
    from gaitid.batch.types import Planned
    from gaitid.run import RunOptions

# Options of `run` that mean the same for a data set. --forces belongs to one trial: looked for beside it.
_OF_RUN = [p for p in run_command.params if isinstance(p, click.Option) and p.name not in ("forces", *NOT_OF_RESULT)]

# Names of so many earlier results stand in a line.
_NAMED = 4


def _processors() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@click.command(
    context_settings=CONTEXT,
    epilog="Example:  gaitid batch recordings --model pig -o results -j 4 --resume",
)
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option("-o", "--output", metavar="DIR",
              help="Folder for the results; mirrors the folders. Needed for all but --plan.")  # fmt: skip
@click.option("-j", "--jobs", "n_workers", type=click.IntRange(1, 1024), default=_processors, metavar="N",
              help="Processes that work at the same time.  [default: one a processor]")  # fmt: skip
@click.option("--resume", is_flag=True,
              help="Keep what is done with the same inputs, options and version, and still in place.")  # fmt: skip
@click.option("--plan", "plan_only", is_flag=True,
              help="Only show which static belongs to which trial, and write it as a manifest to stdout.")  # fmt: skip
@click.option("--static-name", "names", multiple=True, metavar="WORD",
              help="A word in a file's name that makes it a static, instead of static, cal, stand, ...; "
              "may be repeated.")  # fmt: skip
@click.option("--parquet", is_flag=True, help="Also write all frames as one Parquet data set, partitioned by subject.")
@click.option("--time-limit", "time_limit_s", type=click.FloatRange(0, min_open=True), default=120.0, metavar="S",
              show_default=True, help="A trial that takes longer is given up.")  # fmt: skip
@click.option("--memory-limit", "memory_MB", type=click.IntRange(0), default=4096, show_default=True, metavar="MB",
              help="Address space of a process, where the system can limit it; 0: no limit.")  # fmt: skip
@click.option("--wait", is_flag=True, help="Wait for another batch that works in the same folder.")
@options.log
@click.option("--scheduler", metavar="ADDRESS", help="Send the work to a Dask cluster instead of processes here.")
@talk_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    datasets: tuple[str, ...],
    output: str | None,
    n_workers: int,
    resume: bool,
    plan_only: bool,
    names: tuple[str, ...],
    parquet: bool,
    time_limit_s: float,
    memory_MB: int,
    wait: bool,
    scheduler: str | None,
    log_file: Path | None,
    quiet: bool,
    verbose: bool,
    debug: bool,
    **of_run: Any,
) -> int:
    """Work on all trials of each DATASET: a folder with all below it, a glob, a trial, a manifest (CSV or YAML),
    or a URL of any of the first three.

    Each trial's files are those that `gaitid run` writes. Statics are found by their names or by what they hold, and
    subject.yaml files beside or above the trials. A trial that is refused, hangs or crashes costs only itself;
    DIR/batch.csv says what became of each.
    """
    from gaitid.batch.fetched import fetch, is_url
    from gaitid.batch.job import DONE, REFUSED
    from gaitid.batch.journal import Journal
    from gaitid.batch.local import LEAST_MB
    from gaitid.batch.manifest import manifest_csv
    from gaitid.batch.parquet import refuse_long_subjects, require_pyarrow, write_parquet
    from gaitid.batch.plan import make_plan
    from gaitid.batch.previous import other_places
    from gaitid.batch.progress import Progress
    from gaitid.batch.results_folder import FRAMES, TABLE, locked
    from gaitid.batch.supervisor import counts, make_jobs, run_batch
    from gaitid.run import prepare

    if output is not None:
        _refuse_folder(output)
    elif not plan_only or any(map(is_url, datasets)):
        raise click.UsageError("Missing option '-o' / '--output'.")
    if 0 < memory_MB < LEAST_MB:
        raise click.UsageError(f"--memory-limit {memory_MB}: expected 0, or {LEAST_MB} and more")
    words, folder = option_words(ctx, _OF_RUN), Path(output or ".")
    if parquet:
        require_pyarrow()
    # what is given for all trials is refused once, before anything is looked for
    common, _ = _understood(words)
    options.refuse_several(common, 2, instead="give it in a manifest")
    prepared = prepare(common)

    def waiting(text: str) -> None:
        if not quiet:
            say(text)

    here, problems = list(datasets), list[str]()
    if any(map(is_url, datasets)):
        with locked(folder, wait, waiting):
            here, problems = fetch(datasets, folder)
    plan = make_plan(here, None if output is None else folder, names=names, given=words)
    problems += plan.problems
    jobs = make_jobs(plan.trials, partial(_options_of, words))
    for problem in problems:
        say(problem)
    if not quiet:
        for line in (*(note.text for note in prepared.notes), *plan.lines(everything=plan_only)):
            say(line)
    if plan_only:
        if isinstance(sys.stdout, io.TextIOWrapper):  # a file to be kept, whatever the terminal's encoding
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write(manifest_csv(plan.trials, words))
        sys.stdout.flush()
        return 1 if problems else 0
    if parquet:
        refuse_long_subjects(plan.trials)

    log = ctx.with_resource(Log(log_file, "batch", len(jobs)))
    progress = Progress(len(jobs), sys.stderr if sys.stderr.isatty() and not quiet else None)
    told: dict[str, str] = {}
    remarks: list[str] = []
    had_frames = (folder / FRAMES).is_dir()

    def tell(outcome: Outcome) -> None:
        done, before = outcome.status == DONE, outcome.run_time_s is None
        for warning in outcome.warnings:
            log.add("warning", warning, WARNING, trial=outcome.trial)
        log.add(
            "kept" if done and before else outcome.status, outcome.reason, INFO if done else ERROR,
            trial=outcome.trial, duration_s=outcome.run_time_s,
        )  # fmt: skip
        if not done:
            progress.clear()
            text = outcome.reason if outcome.status == REFUSED else f"{outcome.status}: {outcome.reason}"
            same = f"the same as {told.setdefault(text, outcome.trial)}"
            say(f"{outcome.trial}: {text if told[text] == outcome.trial else min(text, same, key=len)}")
        elif not quiet and (outcome.doubt or verbose):
            progress.clear()
            if outcome.doubt:
                say(f"{outcome.trial}: warning: {outcome.doubt}")
            if verbose:
                warned = counted(round(outcome.figures.get("warnings", 0)), "warning")
                say(f"{outcome.trial}: done{' before' if before else ''}, {warned}")
        progress.add(worked=not before, refused=not done)

    schedule = _schedule(scheduler, folder, n_workers, time_limit_s, memory_MB)
    try:
        with locked(folder, wait, waiting):
            outcomes = run_batch(plan.trials, jobs, folder, schedule, resume=resume, tell=tell, remark=remarks.append)
            if parquet:
                write_parquet(folder, ((one, outcomes[str(one.trial)]) for one in plan.trials))
    except KeyboardInterrupt:
        progress.clear()
        log.add("interrupted", level=ERROR)
        of_all = f"{progress.done - progress.refused} of {counted(len(jobs), 'trial')}"
        say(f"interrupted; {of_all} done; go on with --resume")
        return 130
    finally:
        progress.clear()
        if had_frames and not (folder / FRAMES).is_dir() and not quiet:
            say(f"{folder / FRAMES} was taken away: it held earlier results; --parquet makes it anew")
    if not quiet:
        if others := other_places(folder, jobs, Journal(folder).read()):
            many = counted(len(others), "earlier result")
            remarks.append(f"{many} of trials that are not in this batch: {first_few(others, _NAMED)}")
        for remark in remarks:
            say(f"{folder}: {remark}")
        found = ", ".join(f"{n} {status}" for status, n in counts(list(outcomes.values())).items())
        rate = progress.worked / max(progress.seconds, 1e-9)
        say(f"{counted(len(outcomes), 'trial')}: {found}; {rate:.1f} trials/s; wrote {folder / TABLE}")
    return 1 if problems or any(outcome.status != DONE for outcome in outcomes.values()) else 0


def _schedule(address: str | None, folder: Path, n_workers: int, time_limit_s: float, memory_MB: int) -> Scheduler:
    """Who does the work."""
    memory_bytes = memory_MB * 2**20
    if address is None:
        from gaitid.batch.local import run_local

        return partial(run_local, n_workers=n_workers, time_limit_s=time_limit_s, memory_bytes=memory_bytes)
    try:
        from gaitid.batch.cluster import check_cluster, run_cluster
    except ImportError:
        todo = "pip install 'gaitid[distributed]'"
        raise GaitidError("--scheduler needs the library distributed", todo=todo) from None
    check_cluster(address)
    return partial(run_cluster, address=address, output=folder, time_limit_s=time_limit_s, memory_bytes=memory_bytes)


def _refuse_folder(output: str) -> None:
    from gaitid.batch.fetched import is_url

    refuse_pattern("-o", output)
    if "{parent}" in output:
        raise click.UsageError(f"-o {output}: a batch mirrors the folders by itself; give a folder without {{parent}}")
    if is_url(output):
        raise click.UsageError(f"-o {output}: expected a folder, on a file system that all machines share; found a URL")


# --- options of `run` ---------------------------------------------------------------------------------------


def _options_of(common: tuple[str, ...], planned: Planned) -> RunOptions:
    """Of one trial: those for all, then its own."""
    words = (*common, *planned.words)
    try:
        options, in_order = _understood(words)
        if "--set" in planned.words:
            from gaitid.model.load import load_model

            load_model(options.model, options.overrides)
    except (click.UsageError, GaitidError) as error:
        text = error.line() if isinstance(error, GaitidError) else error.format_message().removesuffix(".")
        raise GaitidError(f"{planned.where or planned.trial}: {text}") from None
    return replace(options, command=command_words(planned.trial, in_order))


@lru_cache(maxsize=64)
def _understood(words: tuple[str, ...]) -> tuple[RunOptions, tuple[str, ...]]:
    """As `gaitid run TRIAL WORDS` understands them, and the words as it would note them."""
    with closing(run_command.make_context("gaitid run", ["TRIAL", *words])) as ctx:
        return options.run_options(ctx.params), option_words(ctx, run_command.params)


command.params += _OF_RUN
