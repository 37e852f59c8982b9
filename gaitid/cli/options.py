"""Options that several commands have, each declared once, and the `RunOptions` that they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaitid.cli.common import Decorator, Target, TrialName, together
from gaitid.errors import GaitidError
from gaitid.settings import FILE, FILES, FLAG, HERTZ, MAYBE_FILE, OPTIONS, SEVERAL, WORD
from gaitid.write import DEFAULT_UNCERTAINTY

if TYPE_CHECKING:
    from pathlib import Path

    from gaitid.model.settings import ReaderSettings
    from gaitid.run import RunOptions

G = TypeVar("G")
T = TypeVar("T")

# --- what each means ----------------------------------------------------------------------------------------


def given_texts(ctx: click.Context) -> dict[str, list[str]]:
    """Of the options of an analysis those that were given, each time as text: the same however they were typed."""
    texts: dict[str, list[str]] = {}
    for name, option in OPTIONS.items():
        if ctx.get_parameter_source(name) in (None, click.core.ParameterSource.DEFAULT):
            continue
        values = ctx.params[name] if option.kind in SEVERAL else [ctx.params[name]]
        texts[name] = [str(value) for value in values]
    return texts


def run_options(ctx: click.Context, **more: str) -> RunOptions:
    """How trials are analysed, from a command's parameters and what it says beside them."""
    from gaitid.run.command import values_of
    from gaitid.settings import RunOptions

    return RunOptions(**_as_given(values_of, given_texts(ctx) | {name: [text] for name, text in more.items()}))


def reader_settings(pairs: tuple[str, ...], subject_prefix: str | None) -> ReaderSettings:
    """Those of a command that has no model: --set takes no other."""
    from gaitid.model.settings import READER, ReaderSettings, settings_from

    given = _as_given(settings_from, pairs)
    for key in given:
        if key not in READER:
            raise GaitidError(f"--set {key}: no such setting of the reader", expected=", ".join(READER))
    return ReaderSettings(**given, subject_prefix=subject_prefix)


def refuse_options_of_one_trial(
    options: RunOptions, n_trials: int, instead: str = "give the trials one by one"
) -> None:
    """Raise where several trials are given with an option that belongs to one; `instead` says what to do."""
    if n_trials > 1 and any(assignment.first is not None for assignment in options.assign):
        raise click.UsageError(f"--assign with frames belongs to one trial; {instead}")
    if n_trials > 1 and options.forces is not None:
        raise click.UsageError(f"--forces belongs to one trial; {instead}")
    refuse_events_of_one(options.events, n_trials, instead)
    if n_trials > 1 and "corrections" in options.input_files:
        raise click.UsageError(f"--corrections FILE belongs to one trial; {instead}")
    if n_trials > 1 and options.loads:
        raise click.UsageError(f"--load belongs to one trial; {instead}")


def refuse_events_of_one(events: Path | None, n_trials: int, instead: str = "give the trials one by one") -> None:
    """Raise where several trials are given with events of one; what labels mean is the same in all."""
    from gaitid.read.event_file import OF_LABELS

    if n_trials > 1 and events is not None and events.suffix.lower() not in OF_LABELS:
        raise click.UsageError(f"--events belongs to one trial, unless it is YAML with labels; {instead}")


def _frequency(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A frequency in Hz, ``none``, or for markers ``auto``: as text, the same however it was typed."""
    if value is None or value in OPTIONS[str(parameter.name)].among:
        return value
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.01 <= number <= 1e5:
        words = "none or auto" if parameter.name == "cutoff" else "or none"
        raise click.BadParameter(f"expected a frequency from 0.01 to 100000 Hz, {words}; found {value!r}")
    return repr(number).removesuffix(".0")


def limits(pairs: tuple[str, ...]) -> dict[str, float]:
    """Those of --max-uncertainty of a command that analyses nothing."""
    from gaitid.uncertainty.usable import read_limits

    return _as_given(read_limits, pairs)


def _as_given(read: Callable[[G], T], words: G) -> T:
    """What an option's values mean; what is wrong with them is wrong usage."""
    try:
        return read(words)
    except GaitidError as error:
        raise click.UsageError(error.line()) from None


def _tolerances(ctx: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]) -> dict[str, float]:
    """``QUANTITY=VALUE`` of --tolerance and --max-uncertainty."""
    from gaitid.check.limits import TOLERANCES

    result: dict[str, float] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if name not in TOLERANCES or not 0 <= value < float("inf"):
            quantities = " or ".join(TOLERANCES)
            raise click.BadParameter(f"expected {quantities}, = and a number of at least 0; found {pair!r}")
        if result.setdefault(name, value) != value:
            raise click.BadParameter(f"{name} is given twice, as {result[name]:g} and {value:g}; give it once")
    return result


def _models(ctx: click.Context, parameter: click.Parameter, begin: str) -> list[str]:
    from gaitid.model.load import bundled_models

    return [name for name in bundled_models() if name.startswith(begin)]


# --- the options --------------------------------------------------------------------------------------------


def option(name: str, **more: Any) -> Decorator:
    """An option of an analysis (`gaitid.settings`) on the command line."""
    of = OPTIONS[name]
    how: dict[str, Any] = {"help": of.help, "metavar": of.metavar or None, "multiple": of.kind in SEVERAL}
    if name == "model":
        how["shell_complete"] = _models
    if of.kind == FILE:
        how["type"] = Target()
    elif of.kind == FILES:
        how["type"] = TrialName()
    elif of.kind == FLAG:
        how["is_flag"] = True
    elif of.kind == HERTZ:
        how["callback"] = _frequency
    elif of.kind == MAYBE_FILE:
        how |= {"is_flag": False, "flag_value": of.among[0]}
    elif of.among:
        how["type"] = click.Choice(of.among)
    if of.kind == WORD and of.default is not None:
        how |= {"default": of.default, "show_default": True}
    return click.option(of.flag, name, **how | more)


#: Files that belong to a trial that is a table.
table_inputs = together(option("forces"), option("plates"))
#: All that an analysis takes beside the trial and the model.
inputs = together(option("markers"), option("static"), option("subject"), table_inputs, option("subject_prefix"))
loads = together(option("loads"), option("assign"), option("require_forces"))
#: All options of an analysis, in the order of the table.
of_analysis = together(*map(option, OPTIONS))
reader_set = option(
    "settings",
    help="Say what the file does not: point_unit=mm, cm or m; point_rate_hz=HZ of a CSV without times; vertical=x, -x, "
    "y, -y, z or -z, what points up; mirror=x, y or z, an axis whose sign is turned; force_start_s=SECONDS from the "
    "markers' first frame to the forces' first sample.",
)


#: Sections of the help of commands with many options, the everyday ones first; what stands in none is for experts.
_SECTIONS = {
    "Input": ("static", "subject", "forces", "plates", "events", "functional", "markers"),
    "Model": ("model", "settings"),
    "Processing": ("cutoff", "force_cutoff", "assign", "uncertainty", "max_uncertainty", "jobs", "resume"),
    "Output": ("output", "express_in", "write", "contributions", "dry_run", "keep_names"),
}
_OF_ALL = {"--quiet", "--verbose", "--debug", "--version", "--help"}


class Grouped(click.Command):
    """A command whose help has sections, and of each option the first clause: docs/cli.md has all of it."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        params = {str(param.name): param for param in self.get_params(ctx) if isinstance(param, click.Option)}
        of_all = {name for name, param in params.items() if _OF_ALL & {*param.opts}}
        named = {name for names in _SECTIONS.values() for name in names}
        experts = [name for name in params if name not in named | of_all]
        for section, names in _SECTIONS.items():
            rows = [_row(params[name], ctx) for name in names if name in params]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows, col_max=34)
        for section, others in (("Expert (docs/cli.md)", experts), ("Every command", sorted(of_all))):
            with formatter.section(section):
                formatter.write_text(", ".join(_row(params[name], ctx)[0].replace(", ", " or ") for name in others))


def _row(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """How an option is typed, and the first clause of its help."""
    typed, text = option.get_help_record(ctx) or ("", "")
    clause = re.split(r"[.;:](?: |$)", text, maxsplit=1)[0]
    return typed, f"{clause}.  [default: {option.default}]" if option.show_default else f"{clause}."


class WithUncertainty(Grouped):
    """A command whose ``--uncertainty`` takes a file or none: a trial that stands behind it is a trial."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        alone = [
            word == "--uncertainty" and following.lower().endswith((".c3d", ".csv", ".trc", ".tsv"))
            for word, following in zip(args, [*args, ""][1:], strict=True)
        ]
        args = [f"{word}={DEFAULT_UNCERTAINTY}" if one else word for word, one in zip(args, alone, strict=True)]
        return super().parse_args(ctx, args)


def _of_quantities(flag: str, name: str, words: str) -> Decorator:
    """An option ``QUANTITY=VALUE``; `words` is its help."""
    return click.option(flag, name, multiple=True, callback=_tolerances, metavar="QUANTITY=VALUE", help=words)


tolerance = partial(_of_quantities, "--tolerance", "tolerances")
max_uncertainty = _of_quantities(
    "--max-uncertainty",
    "most_uncertain",
    "The largest standard uncertainty that passes (docs/uncertainty.md), for example moment_Nm_per_kg=0.3; may be "
    "repeated.",
)
log = click.option(
    "--log",
    "log_file",
    type=Target(),
    metavar="FILE.jsonl",
    help="Append what happens to this file, one JSON object a line.",
)
