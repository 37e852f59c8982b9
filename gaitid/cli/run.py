"""`gaitid run`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli import options
from gaitid.cli.common import CONTEXT, folder_for, guarded, refuse_pattern, say, talk_options
from gaitid.cli.log import ERROR, Log
from gaitid.dynamics import SOLVER_NAMES
from gaitid.write import DEFAULT_FRAMES, FRAMES_OF_EXPRESSION, WRITE

if TYPE_CHECKING:
    from gaitid.ground.contacts import Contact
    from gaitid.run import Prepared

# So many contacts stand in the closing line; contacts.csv has all.
MAX_CONTACTS = 8
# Options that change no result: where it goes, and what is said meanwhile.
NOT_OF_RESULT = ("output", "log_file", "quiet", "verbose", "debug", "version")


def targets(trials: tuple[str, ...], output: str) -> list[tuple[Path, Path]]:
    """Where each trial's files go; clashes are refused before any work."""
    pairs: list[tuple[Path, Path]] = []
    seen: dict[Path, Path] = {}
    for name in trials:
        path = Path(name)
        folder = folder_for(path, output)
        key = folder / path.stem
        if key in seen:
            raise click.UsageError(
                f"{seen[key]} and {path} would both write {key}.*; give -o 'DIR/{{parent}}' or run them one by one"
            )
        seen[key] = path
        pairs.append((path, folder))
    return pairs


@click.command(
    context_settings=CONTEXT,
    epilog="Example:  gaitid run walk.c3d --model pig --static static.c3d -o results",
)
@click.argument("trials", nargs=-1, required=True, metavar="TRIAL...")
@options.inputs
@click.option(
    "-o",
    "--output",
    default=".",
    help="Folder for the files, or - for wrenches on stdout.",
    show_default=True,
)
@click.option(
    "--express-in",
    multiple=True,
    type=click.Choice(FRAMES_OF_EXPRESSION),
    help=f"Frame of expression; may be repeated.  [default: {', '.join(DEFAULT_FRAMES)}]",
)
@options.cutoff
@options.force_cutoff
@click.option("--solver", type=click.Choice(SOLVER_NAMES), default=SOLVER_NAMES[0], show_default=True,
              help="How the equations are solved; all agree to rounding (docs/dynamics.md).")  # fmt: skip
@click.option("--contributions", is_flag=True,
              help="Also write what gravity, inertia and ground reaction contribute to each wrench.")  # fmt: skip
@click.option("--observer", metavar="SEGMENT",
              help="With --contributions: the inertia as seen from this segment, and its fictitious wrenches "
              "(D'Alembert, Euler, centrifugal, Coriolis).")  # fmt: skip
@options.loads
@click.option("--write", multiple=True, type=click.Choice(WRITE),
              help="Also write the segments' motion, or the wrench left over at the base (pelvis).")  # fmt: skip
@options.settings
@options.log
@options.keep_names
@talk_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    trials: tuple[str, ...],
    output: str,
    write: tuple[str, ...],
    log_file: Path | None,
    quiet: bool,
    verbose: bool,
    debug: bool,
    **of_analysis: Any,
) -> int:
    """Compute joint wrenches, angles, moments and powers of each TRIAL (.c3d, .csv or .trc) and write them as CSV,
    with a record of everything that was assumed.

    A trial that is refused does not stop the others; the exit code is then 1.
    """
    from gaitid.run import notes_of_trial, prepare, run_file

    chosen = options.run_options(ctx.params)
    options.refuse_several(chosen, len(trials))
    to_stdout = output == "-"
    if to_stdout and len(trials) > 1:
        raise click.UsageError("-o - writes one trial; give one, or a folder")
    if to_stdout and write:
        raise click.UsageError("-o - writes the wrenches only; give a folder for --write")
    refuse_pattern("-o", output)
    pairs_of_paths = targets(trials, "." if to_stdout else output)
    log = ctx.with_resource(Log(log_file, "run", len(trials)))
    worked, prepared = guarded("", partial(log.watch, "", partial(prepare, chosen)), debug)
    if not worked:
        return 1
    if not quiet:
        for note in prepared.notes:
            say(note.text)
    if to_stdout:
        return _to_stdout(pairs_of_paths[0][0], prepared, log, quiet, debug)
    failed = 0
    words = option_words(ctx, ctx.command.params)
    placed: list[Path] = []
    for path, folder in pairs_of_paths:
        one = replace(prepared, options=replace(chosen, command=command_words(path, words)))
        work = partial(run_file, path, folder, one, partial(placed.append, path))
        try:
            worked, value = guarded(str(path), partial(log.watch, str(path), work), debug)
        except KeyboardInterrupt:
            log.done("interrupted", level=ERROR)
            say(f"interrupted; {len(placed)} of {len(trials)} trials written")
            return 130
        failed += not worked
        if not worked:
            continue
        result, files = value
        for note in notes_of_trial(result, prepared):
            log.warn(note.text)
            if not quiet:
                say(f"{path}: warning: {note.text}")
        log.done()
        if not quiet:
            known = [c for c in result.contacts if c.plates]
            stood = f"{_contacts_in_words(known, result.trial.first_frame)}; " if result.model.touches_ground else ""
            say(f"{path}: {stood}wrote {files[0].parent / path.stem}.*")
            if verbose:
                for side, leg in result.sides.items():
                    for joint, counts in leg.coverage.items():
                        empty = "; ".join(f"{n} empty: {why}" for why, n in counts.items() if why != "filled" and n)
                        say(f"{path}: {side} {joint}: {counts['filled']} frames filled; {empty}")
    if failed and len(trials) > 1:
        say(f"{failed} of {len(trials)} trials were refused")
    return 1 if failed else 0


def _contacts_in_words(contacts: list[Contact], first: int) -> str:
    if not contacts:
        return "no foot's load is known from plates"
    words = [
        f"{c.side} foot on plate {'+'.join(str(p) for p in c.plates)} in frames {c.first + first}-{c.last + first}"
        for c in contacts[:MAX_CONTACTS]
    ]
    if len(contacts) > MAX_CONTACTS:
        words.append(f"{len(contacts) - MAX_CONTACTS} more contacts")
    return "; ".join(words)


def _to_stdout(path: Path, prepared: Prepared, log: Log, quiet: bool, debug: bool) -> int:
    from gaitid.run import analyse_file, notes_of_trial, parts_of
    from gaitid.write.tables import wrenches_csv

    worked, result = guarded(str(path), partial(log.watch, str(path), partial(analyse_file, path, prepared)), debug)
    if not worked:
        return 1
    for note in notes_of_trial(result, prepared):
        log.warn(note.text)
        if not quiet:
            say(f"{path}: warning: {note.text}")
    # not guarded: what fails here is stdout, not the trial
    parts = parts_of(result, prepared.options)
    sys.stdout.write(wrenches_csv(result, prepared.options.express_in, parts))
    sys.stdout.flush()
    log.done()
    return 0


def option_words(ctx: click.Context, options: Iterable[click.Parameter]) -> tuple[str, ...]:
    """Those of some options that were given, in the order of the help: the same however they were typed."""
    words: list[str] = []
    for option in options:
        name = option.name or ""
        given = ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        if not isinstance(option, click.Option) or name in NOT_OF_RESULT or not given:
            continue
        value = ctx.params[name]
        for one in value if option.multiple else [value]:
            # a frequency was checked, and is a number by now
            text = repr(one).removesuffix(".0") if isinstance(one, float) else str(one)
            words += [option.opts[-1]] if option.is_flag else [option.opts[-1], text]
    return tuple(words)


def command_words(trial: Path, words: Iterable[str]) -> tuple[str, ...]:
    """The command for a record: of this trial only, and nothing that changes no result, so that bytes tell results
    apart, not the folders that they lie in.
    """
    name = str(trial)
    return ("gaitid", "run", f"./{name}" if name.startswith("-") else name, *words)
