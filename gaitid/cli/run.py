"""`gaitid run` and `gaitid calibrate`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli import options
from gaitid.cli.common import (
    Progress,
    Target,
    TrialName,
    attempt,
    flag,
    folders_for,
    print_detail,
    print_error,
    print_info,
    talk_options,
)
from gaitid.cli.start import INTERRUPTED
from gaitid.cli.streams import ERROR, Log
from gaitid.cli.summary import FEW, Summary, note_lines, print_few, print_trial, trial_line
from gaitid.errors import counted, in_print

if TYPE_CHECKING:
    from gaitid.analysis.result import Result
    from gaitid.run import RunOptions, Setup


# So many contacts stand in the closing line; contacts.csv has all.
MAX_CONTACTS = 3


@click.command(
    short_help="Joint wrenches, angles, moments and powers of one or more trials.",
    cls=options.WithUncertainty,
    epilog="Example:  gaitid run walk.c3d --model pig --static static.c3d -o results\n\n"
    "How it is computed: docs/method.md; what is written: docs/record.md",
)
@click.argument("trials", nargs=-1, required=True, type=TrialName(), metavar="TRIAL...")
@options.of_analysis
@click.option(
    "-o", "--output", default=".", show_default=True, help="Folder for the files, or - for wrenches on stdout."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be read, assumed, written and refused.")
@options.log
@talk_options
@click.pass_context
def run_command(
    ctx: click.Context,
    /,
    trials: tuple[str, ...],
    output: str,
    dry_run: bool,
    log_file: Path | None,
    **of_analysis: Any,
) -> int:
    """Compute joint wrenches, angles, moments and powers of each TRIAL (.c3d, .csv, .trc or .tsv) and write them as
    CSV, with a record of everything that was assumed.

    A trial that is refused does not stop the others; the exit code is then 1. With --dry-run nothing is solved and
    nothing written: what the run would do stands on stdout, and the exit code says whether a trial would be refused.
    """
    from gaitid.run import prepare, with_files_beside

    chosen = options.run_options(ctx)
    options.refuse_options_of_one_trial(chosen, len(trials))
    if output == "-" and len(trials) > 1:
        raise click.UsageError("-o - writes one trial; give one, or a folder")
    for name, asked in {"--write": chosen.write, "--uncertainty": chosen.uncertainty}.items():
        if output == "-" and asked:
            raise click.UsageError(f"-o - writes the wrenches only; give a folder for {name}")
    folders = folders_for(trials, "-o", "." if output == "-" else output)
    if dry_run:
        return _dry_run(folders, chosen, output == "-")
    with Log(log_file, "run", len(trials)) as log:
        setup = attempt("", partial(prepare, chosen), log)
        if setup is None:
            return 1
        for note in setup.notes:
            print_info(note.text)
        with Progress(len(folders)) as progress:
            if output == "-":
                progress.at(path := folders[0][0])
                beside = attempt(str(path), partial(with_files_beside, setup, path), log)
                return 1 if beside is None else _to_stdout(path, beside, log)
            return _to_files(folders, setup, given_options(ctx), log, progress)


def _dry_run(folders: list[tuple[Path, Path]], chosen: RunOptions, to_stdout: bool) -> int:
    """The exit code, when what would be done is on stdout: of each trial all, of many a line each."""
    from gaitid.cli.summary import not_known, plan_line, plan_text
    from gaitid.run import prepare, sessions
    from gaitid.run.plan import NOT_KNOWN_BEFORE, plan_file

    setup = attempt("", partial(prepare, chosen))
    if setup is None:
        return 1
    for note in setup.notes:
        print_info(note.text)
    session_of = sessions(path for path, _ in folders)
    in_short = len(folders) > FEW and not flag("verbose")
    refused = 0
    for path, folder in folders:
        target = None if to_stdout else folder
        plan = attempt(str(path), partial(plan_file, path, target, setup, session_of[path]))
        refused += plan is None or plan.refused is not None
        if plan is None:
            continue
        click.echo(in_print(plan_line(plan)) if in_short else plan_text(plan))
    click.echo(not_known(NOT_KNOWN_BEFORE))
    if len(folders) > 1:
        would = f"{len(folders) - refused} would be analysed, {refused} refused"
        click.echo(f"{len(folders)} trials: {would}" + ("; --verbose says more" if in_short else ""))
    return 1 if refused else 0


def _to_files(
    folders: list[tuple[Path, Path]], setup: Setup, given: tuple[str, ...], log: Log, progress: Progress
) -> int:
    """The exit code, when each trial's files are in place."""
    from gaitid.run import sessions, with_chosen_model, with_files_beside

    placed: list[Path] = []
    refused = 0
    session_of = sessions(path for path, _ in folders)
    in_short = len(folders) > FEW and not flag("verbose")
    summary = Summary()
    try:
        for path, folder in folders:
            progress.at(path)
            chosen = replace(setup.options, command=recorded_command(path, given))
            of_trial = replace(setup, options=chosen, progress=progress.within)
            beside = attempt(str(path), partial(with_files_beside, of_trial, path), log)
            prepared = beside and attempt(str(path), partial(with_chosen_model, beside, path, session_of[path]), log)
            if prepared is None:
                refused += 1
                continue
            text = summary if in_short else None
            refused += not _run_trial(path, folder, prepared, partial(placed.append, path), log, text)
    except KeyboardInterrupt:
        log.done("interrupted", level=ERROR)
        print_error(f"interrupted; {len(placed)} of {len(folders)} trials written")
        return INTERRUPTED
    for line in summary.lines(len(folders), refused) if in_short else ():
        print_info(line)
    if refused and len(folders) > 1 and (not in_short or flag("quiet")):
        print_error(f"{refused} of {len(folders)} trials were refused")
    return 1 if refused else 0


def _run_trial(
    path: Path, folder: Path, setup: Setup, placed: Callable[[], object], log: Log, summary: Summary | None
) -> bool:
    """Whether a trial's files were written; what became of it is printed and logged; a line, if a summary follows."""
    from gaitid.run import notes_of_trial, run_file

    written = attempt(str(path), partial(run_file, path, folder, setup, placed), log)
    if written is None:
        return False
    result, files = written
    if summary is not None:
        _log_warnings(result, setup, log)
        log.done()
        summary.add(result, notes_of_trial(result, setup))
        print_info(trial_line(path, result, files[0].parent / path.stem))
        return True
    _log_warnings(result, setup, log)
    log.done()
    labels = f" (labels: {result.model.marker_set})" if result.model.marker_set else ""
    model = f"; model {result.model.name}{labels}" if setup.chosen_because else ""
    contacts = f"; {_contacts_in_words(result)}" if result.model.touches_ground else ""
    corrections = result.trial.corrections
    by_hand = "" if corrections is None else f"; {counted(len(corrections.entries), 'correction')} by hand"
    _print_trial(path, result, setup, f"wrote {files[0].parent / path.stem}.*{model}{by_hand}{contacts}")
    for side, leg in result.sides.items():
        for joint, counts in leg.coverage.items():
            empty = "; ".join(f"{n} empty: {why}" for why, n in counts.items() if why != "filled" and n)
            print_detail(f"{path}: {side} {joint}: {counted(counts['filled'], 'frame')} filled; {empty}")
    return True


def _print_trial(path: Path, result: Result, setup: Setup, result_line: str = "") -> None:
    """Print the verdict, its reasons and what else matters; what holds for all trials was printed before."""
    lacking = "" if setup.choice is None else setup.choice.lacking
    print_trial(path, result.verdict, result_line, _how_sure(result, setup), setup.notes, lacking)


def _how_sure(result: Result, setup: Setup) -> list[str]:
    """With --uncertainty what it is enough for: in two lines, or, with --verbose, a line for each joint."""
    from gaitid.run import estimate_of

    estimate = estimate_of(result, setup)
    if estimate is None:
        return []
    from gaitid.uncertainty.usable import class_words, usable_for, usable_words

    usable = usable_for(result, estimate.names, estimate.standard, setup.options.max_uncertainty)
    if not flag("verbose"):
        return class_words(usable)
    left_out = [f"not in the uncertainties: {'; '.join(estimate.left_out)}"] if estimate.left_out else []
    return [*(f"how sure: {line}" for line in usable_words(usable)), *left_out]


def _log_warnings(result: Result, setup: Setup, log: Log) -> None:
    from gaitid.run import notes_of_trial

    for note in notes_of_trial(result, setup):
        log.warn(note.text)


def _contacts_in_words(result: Result) -> str:
    """The contacts whose load is known, in one line."""
    first = result.trial.first_frame
    words = [
        f"{c.side} foot on plate {'+'.join(map(str, c.plates))}, frames {c.first + first}-{c.last + first}"
        for c in result.contacts
        if c.plates
    ]
    if not words:
        return "no foot's load is known from plates"
    shown = len(words) if flag("verbose") else MAX_CONTACTS
    return "; ".join(words[:shown] + ([f"{len(words) - shown} more"] if len(words) > shown else []))


def _to_stdout(path: Path, setup: Setup, log: Log) -> int:
    """The exit code, when a trial's wrenches are on stdout."""
    from gaitid.run import analyse_file, parts_of
    from gaitid.write.tables import table_text

    result = attempt(str(path), partial(analyse_file, path, setup), log)
    if result is None:
        return 1
    _log_warnings(result, setup, log)
    _print_trial(path, result, setup)
    # no attempt: what fails here is stdout, not the trial
    sys.stdout.write(table_text("wrenches", result, setup.options.express_in, parts_of(result, setup.options)))
    sys.stdout.flush()
    log.done()
    return 0


# --- the command as the record has it -----------------------------------------------------------------------


def given_options(ctx: click.Context) -> tuple[str, ...]:
    """Those of the options that change a result that were given, as words in their order."""
    from gaitid.run.command import words_of

    return words_of(options.given_texts(ctx))


def recorded_command(trial: Path, options: Iterable[str]) -> tuple[str, ...]:
    """The command as a trial's record has it: without other trials, and with the options that change a result alone, so
    that equal results have equal bytes, wherever they lie.
    """
    name = str(trial)
    return ("gaitid", "run", f"./{name}" if name.startswith("-") else name, *options)


# Codes of notes that say nothing of a standing trial.
OF_WALKS = {
    "no_known_load",
    "no_known_wrench",
    "mass_unknown",
    "mass_estimated",
    "filters_differ",
    "impact",
    "model_limits",
}


@click.command(
    short_help="What a session needs of its static, once: a subject file.",
    epilog="Example:  gaitid calibrate static.c3d -o subject.yaml; gaitid run walk*.c3d --subject subject.yaml\n\n"
    "More: docs/static.md, and what a subject file holds: docs/subject.md",
)
@click.argument("static", type=Target())
@options.option("model")
@options.option("markers")
@options.option("subject")
@options.option("functional")
@options.table_inputs
@options.option("subject_prefix")
@options.option("settings")
@click.option("-o", "--output", type=Target(), required=True, help="The subject file to write.")
@talk_options
@click.pass_context
def calibrate_command(ctx: click.Context, /, static: Path, output: Path, **of_analysis: Any) -> int:
    """Calibrate once a session: what its trials need of STATIC, a trial of quiet standing: lengths and angles of the
    subject, the body's mass where the static stands on plates, and where each marker lies on its segment.

    The file goes to `gaitid run`, `check` and `batch` with --subject, in place of --static. What could only be assumed
    is left out of it.
    """
    from gaitid.run import calibrate_file

    if str(output) == "-":
        raise click.UsageError("-o -: the subject file goes to a file; give its name, for example subject.yaml")
    chosen = options.run_options(ctx, static=str(static))
    made = attempt(str(static), partial(calibrate_file, static, output, chosen))
    if made is None:
        return 1
    notes = note_lines(note for note in made.notes if note.code not in OF_WALKS)
    print_few(static, list(notes), [f"model {made.model.name}; wrote {output}"])
    return 0
