"""`gaitid run`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli.common import CONTEXT, Target, folder_for, guarded, refuse_pattern, say, talk_options
from gaitid.cli.log import ERROR, Log
from gaitid.dynamics import SOLVER_NAMES
from gaitid.errors import GaitidError
from gaitid.write import DEFAULT_FRAMES, FRAMES_OF_EXPRESSION, WRITE

if TYPE_CHECKING:
    from gaitid.ground.claims import ByHand
    from gaitid.ground.contacts import Contact
    from gaitid.run import Prepared, RunOptions

# So many contacts stand in the closing line; contacts.csv has all.
MAX_CONTACTS = 8
# Options that change no result: where it goes, and what is said meanwhile.
NOT_OF_RESULT = ("output", "log_file", "quiet", "verbose", "debug", "version")


def cutoff(ctx: click.Context, parameter: click.Parameter, value: str | None) -> object:
    """A frequency in Hz, ``none``, or for markers ``auto``."""
    if value in (None, "none") or (value == "auto" and parameter.name == "cutoff"):
        return value
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 < number < 1e6:
        words = "none or auto" if parameter.name == "cutoff" else "or none"
        raise click.BadParameter(f"expected a frequency in Hz above 0, {words}; found {value!r}")
    return number


def settings_from(pairs: tuple[str, ...]) -> dict[str, object]:
    """``KEY=VALUE`` of --set, values as YAML would read them."""
    result: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise click.UsageError(f"--set {pair}: expected KEY=VALUE, for example gravity_m_per_s2=9.80665")
        from gaitid.model.yaml_file import parse_yaml

        try:
            result[key.strip()] = parse_yaml(value, f"--set {key}")
        except GaitidError as error:
            raise click.UsageError(error.line()) from None
    return result


def run_options(given: Mapping[str, Any]) -> RunOptions:
    """What a command's parameters say of how trials are analysed; what a command has no option for is as in `run`."""
    from gaitid.run import RunOptions

    overrides = settings_from(given["pairs"])
    for key in ("cutoff", "force_cutoff"):
        if given.get(key) is not None:
            overrides[f"{key}_hz"] = given[key]
    observer = given.get("observer")
    return RunOptions(
        given["model"],
        given["static"],
        given["subject"],
        given["forces"],
        given["plates"],
        tuple(dict.fromkeys(given.get("express_in", ()))) or DEFAULT_FRAMES,
        overrides,
        given.get("solver", SOLVER_NAMES[0]),
        given.get("require_forces", False),
        tuple(dict.fromkeys(given.get("write", ()))),
        given.get("keep_names", False),
        by_hand(given.get("assign", ())),
        contributions=given.get("contributions", False) or observer is not None,
        observer=observer,
    )


def by_hand(values: tuple[str, ...]) -> tuple[ByHand, ...]:
    """What --assign says, frames as the file numbers them."""
    from gaitid.ground.claims import ByHand

    found = []
    for value in values:
        match = re.fullmatch(r"(left|right)=(none|\d+(?:\+\d+)*)(?:@(\d+)-(\d+))?", value.strip())
        if match is None:
            raise click.UsageError(f"--assign {value}: expected SIDE=PLATES[@FIRST-LAST], for example left=1+2@234-296")
        side, plates, first, last = match.groups()
        numbers = () if plates == "none" else tuple(int(n) for n in plates.split("+"))
        if len(set(numbers)) < len(numbers):
            raise click.UsageError(f"--assign {value}: a plate is given twice")
        frames = (None, None) if first is None else (int(first), int(last))
        if frames[0] is not None and frames[1] is not None and frames[0] > frames[1]:
            raise click.UsageError(f"--assign {value}: the last frame lies before the first")
        found.append(ByHand(side, numbers, *frames))
    for i, one in enumerate(found):
        for other in found[i + 1 :]:
            if meet(one, other) and (one.side == other.side or set(one.plates) & set(other.plates)):
                raise click.UsageError(f"--assign {values[i]} and {values[found.index(other)]} contradict each other")
    return tuple(found)


def meet(one: ByHand, other: ByHand) -> bool:
    """Whether two assignments speak of a common frame."""
    if one.first is None or other.first is None or one.last is None or other.last is None:
        return True
    return one.first <= other.last and other.first <= one.last


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
@click.option("--model", required=True, help="A bundled model's name (pig, pig_vicon) or a YAML file.")
@click.option("--static", type=click.Path(path_type=Path), help="Calibration trial; wins over stored calibration.")
@click.option("--subject", type=click.Path(path_type=Path), help="YAML with the subject's measurements.")
@click.option("--forces", type=click.Path(path_type=Path), help="Forces beside a CSV or TRC trial (.csv, .mot, .sto).")
@click.option("--plates", type=click.Path(path_type=Path), help="YAML with corners of plates, for CSV, TRC and MOT.")
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
@click.option("--cutoff", callback=cutoff, metavar="HZ|none|auto", help="Effective cut-off of the marker low-pass.")
@click.option("--force-cutoff", callback=cutoff, metavar="HZ|none", help="Effective cut-off of the plate low-pass.")
@click.option("--solver", type=click.Choice(SOLVER_NAMES), default=SOLVER_NAMES[0], show_default=True,
              help="How the equations are solved; all agree to rounding (docs/dynamics.md).")  # fmt: skip
@click.option("--contributions", is_flag=True,
              help="Also write what gravity, inertia and ground reaction contribute to each wrench.")  # fmt: skip
@click.option("--observer", metavar="SEGMENT",
              help="With --contributions: the inertia as seen from this segment, and its fictitious wrenches "
              "(D'Alembert, Euler, centrifugal, Coriolis).")  # fmt: skip
@click.option("--assign", multiple=True, metavar="SIDE=PLATES[@FIRST-LAST]",
              help="Which foot was on which plates, as left=1+2@234-296 (frames as the file numbers them); may be "
              "repeated; wins over the evidence. PLATES may be none.")  # fmt: skip
@click.option("--require-forces", is_flag=True, help="Refuse a trial in which no foot's load is known.")
@click.option("--write", multiple=True, type=click.Choice(WRITE),
              help="Also write the segments' motion, or the wrench left over at the base (pelvis).")  # fmt: skip
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Change one setting of the model.")
@click.option("--log", "log_file", type=Target(), metavar="FILE.jsonl",
              help="Append what happens to this file, one JSON object a line.")  # fmt: skip
@click.option("--keep-names", is_flag=True, help="Keep names of people stored in the trial.")
@talk_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    trials: tuple[str, ...],
    forces: Path | None,
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
    from gaitid.run import prepare, run_file

    options = run_options(ctx.params)
    if len(trials) > 1 and any(one.first is not None for one in options.by_hand):
        raise click.UsageError("--assign with frames belongs to one trial; run them one by one")
    to_stdout = output == "-"
    if to_stdout and len(trials) > 1:
        raise click.UsageError("-o - writes one trial; give one, or a folder")
    if to_stdout and write:
        raise click.UsageError("-o - writes the wrenches only; give a folder for --write")
    refuse_pattern("-o", output)
    if forces is not None and len(trials) > 1:
        raise click.UsageError("--forces belongs to one trial; run them one by one")
    pairs_of_paths = targets(trials, "." if to_stdout else output)
    log = ctx.with_resource(Log(log_file, "run", len(trials)))
    worked, prepared = guarded("", partial(log.watch, "", partial(prepare, options)), debug)
    if not worked:
        return 1
    if not quiet:
        for warning in prepared.warnings:
            say(warning)
    if to_stdout:
        return _to_stdout(pairs_of_paths[0][0], prepared, log, quiet, debug)
    failed = 0
    words = option_words(ctx, ctx.command.params)
    placed: list[Path] = []
    for path, folder in pairs_of_paths:
        one = replace(prepared, options=replace(options, command=command_words(path, words)))
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
        for warning in result.warnings[len(prepared.warnings) :]:
            log.warn(warning)
            if not quiet:
                say(f"{path}: warning: {warning}")
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
    from gaitid.run import analyse_file, parts_of
    from gaitid.write.tables import wrenches_csv

    worked, result = guarded(str(path), partial(log.watch, str(path), partial(analyse_file, path, prepared)), debug)
    if not worked:
        return 1
    for warning in result.warnings[len(prepared.warnings) :]:
        log.warn(warning)
        if not quiet:
            say(f"{path}: warning: {warning}")
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
