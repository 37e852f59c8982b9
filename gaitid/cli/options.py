"""Options that several commands have, each declared once, and the `RunOptions` that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gaitid.cli.common import Target, TrialName, completed, together
from gaitid.errors import GaitidError
from gaitid.write import DEFAULT_UNCERTAINTY

if TYPE_CHECKING:
    from pathlib import Path

    from gaitid.ground.claims import ByHand
    from gaitid.read.settings import ReaderSettings
    from gaitid.run import RunOptions

T = TypeVar("T")

# --- what each means ----------------------------------------------------------------------------------------


def run_options(given: Mapping[str, Any]) -> RunOptions:
    """How trials are analysed, from a command's parameters; what it has no option for is as `RunOptions` has it."""
    from gaitid.read.settings import ReaderSettings, split_settings
    from gaitid.run import RunOptions
    from gaitid.run.options import read_loads

    chosen = {name: given[name] for name in RunOptions.__dataclass_fields__ if given.get(name) not in (None, (), False)}
    for name in {"express_in", "write", "functional"} & chosen.keys():
        chosen[name] = tuple(dict.fromkeys(chosen[name]))
    cutoffs = {f"{name}_hz": given[name] for name in ("cutoff", "force_cutoff") if given.get(name) is not None}
    of_reader, of_model = split_settings(_settings_from(given["pairs"]))
    chosen["reader"] = ReaderSettings(**of_reader, subject_prefix=given.get("subject_prefix"))
    chosen["overrides"] = of_model | cutoffs
    chosen["by_hand"] = _by_hand(given.get("assign", ()))
    chosen["loads"] = _as_given(read_loads, given.get("loads", ()))
    chosen["contributions"] = given.get("contributions", False) or given.get("observer") is not None
    return RunOptions(**chosen)


def reader_settings(pairs: tuple[str, ...], subject_prefix: str | None) -> ReaderSettings:
    """Those of a command that has no model: --set takes no other."""
    from gaitid.read.settings import SETTINGS, ReaderSettings, split_settings

    of_reader, others = split_settings(_settings_from(pairs))
    for key in others:
        raise GaitidError(f"--set {key}: no such setting of the reader", expected=", ".join(SETTINGS))
    return ReaderSettings(**of_reader, subject_prefix=subject_prefix)


def refuse_several(options: RunOptions, n_trials: int, instead: str = "give the trials one by one") -> None:
    """Raise where several trials are given with an option that belongs to one; `instead` says what to do."""
    if n_trials > 1 and any(assignment.first is not None for assignment in options.by_hand):
        raise click.UsageError(f"--assign with frames belongs to one trial; {instead}")
    if n_trials > 1 and options.forces is not None:
        raise click.UsageError(f"--forces belongs to one trial; {instead}")
    refuse_events_of_one(options.events, n_trials, instead)
    if n_trials > 1 and options.loads:
        raise click.UsageError(f"--load belongs to one trial; {instead}")


def refuse_events_of_one(events: Path | None, n_trials: int, instead: str = "give the trials one by one") -> None:
    """Raise where several trials are given with events of one; what labels mean is the same in all."""
    from gaitid.read.event_file import OF_LABELS

    if n_trials > 1 and events is not None and events.suffix.lower() not in OF_LABELS:
        raise click.UsageError(f"--events belongs to one trial, unless it is YAML with labels; {instead}")


def _frequency(ctx: click.Context, parameter: click.Parameter, value: str | None) -> object:
    """A frequency in Hz, ``none``, or for markers ``auto``."""
    if value in (None, "none") or (value == "auto" and parameter.name == "cutoff"):
        return value
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.01 <= number <= 1e5:
        words = "none or auto" if parameter.name == "cutoff" else "or none"
        raise click.BadParameter(f"expected a frequency from 0.01 to 100000 Hz, {words}; found {value!r}")
    return number


def _settings_from(pairs: tuple[str, ...]) -> dict[str, object]:
    """``KEY=VALUE`` of --set, values as YAML would read them."""
    from gaitid.read.settings import settings_from

    return _as_given(settings_from, pairs)


def _by_hand(values: tuple[str, ...]) -> tuple[ByHand, ...]:
    """The assignments of --assign, frames as the file numbers them."""
    if not values:
        return ()
    from gaitid.ground.by_hand import read_assignments

    return _as_given(read_assignments, values)


def _as_given(read: Callable[[tuple[str, ...]], T], words: tuple[str, ...]) -> T:
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


# --- the options --------------------------------------------------------------------------------------------

_FILE = Target()

#: Files that belong to a trial that is a table.
table_inputs = together(
    click.option(
        "--forces",
        type=_FILE,
        shell_complete=completed("forces"),
        help="Forces beside a CSV or TRC trial, or a C3D without plates (.csv, .mot, .sto).",
    ),
    click.option(
        "--plates",
        type=_FILE,
        shell_complete=completed("yaml_files"),
        help="YAML with corners of plates, for CSV, TRC, MOT, and a C3D that does not declare them "
        "(`gaitid inspect --plates-template` prints one).",
    ),
)
_model_help = "A bundled model's name (`gaitid models`), a YAML file, or auto: the one that fits."
#: The model of commands that have to name it, or that choose it.
model = click.option("--model", required=True, shell_complete=completed("models"), help=_model_help)
model_or_auto = click.option(
    "--model", default="auto", show_default=True, shell_complete=completed("models"), help=_model_help
)
subject_prefix = click.option(
    "--subject-prefix",
    metavar="NAME",
    help="Of a file with several subjects: the one whose labels begin with NAME and a colon, or an underscore.",
)
markers = click.option(
    "--markers",
    type=_FILE,
    shell_complete=completed("marker_sets"),
    help="YAML marker set: which label each landmark has (`gaitid models markers TRIAL`).",
)
subject = click.option(
    "--subject",
    type=_FILE,
    shell_complete=completed("yaml_files"),
    help="YAML with the subject's measurements (`gaitid calibrate`).",
)
events = click.option(
    "--events",
    type=_FILE,
    shell_complete=completed("events"),
    help="Foot strikes and offs in place of those that the trial stores: CSV (side, event, time_s or frame), or a C3D; "
    "or what the labels of its events mean: YAML, `labels: {HS_L: left strike}` (docs/events.md).",
)
functional = click.option(
    "--functional",
    multiple=True,
    type=TrialName(),
    metavar="[JOINT=]FILE",
    shell_complete=completed("trials"),
    help="Trial in which a hip or knee moves: its centre or axis by that motion. JOINT (right_hip, left_knee, …) where "
    "the motion does not tell it; may be repeated.",
)
#: All that an analysis takes beside the trial and the model.
inputs = together(
    markers,
    click.option(
        "--static",
        type=_FILE,
        shell_complete=completed("trials"),
        help="Calibration trial; wins over stored calibration.",
    ),
    subject,
    table_inputs,
    subject_prefix,
)
cutoff = click.option(
    "--cutoff",
    callback=_frequency,
    metavar="HZ|none|auto",
    help="Effective cut-off of the marker low-pass; else the model's: auto, with pig_vicon none.",
)
force_cutoff = click.option(
    "--force-cutoff",
    callback=_frequency,
    metavar="HZ|none",
    help="Effective cut-off of the plate low-pass; else the model's: none in all that come with gaitid.",
)
loads = together(
    click.option(
        "--load",
        "loads",
        multiple=True,
        metavar="SEGMENT=FILE",
        help="A measured load on a segment, as left_shank=cuff.csv (docs/loads.md); may be repeated.",
    ),
    click.option(
        "--assign",
        multiple=True,
        shell_complete=completed("sides"),
        metavar="SIDE=PLATES[@FIRST-LAST]",
        help="Which foot was on which plates, as left=1+2@234-296 (frames as the file numbers them); may be repeated; "
        "wins over the evidence. PLATES may be none.",
    ),
    click.option("--require-forces", is_flag=True, help="Refuse a trial in which no foot's load is known."),
)
settings = click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=completed("settings"),
    help="Change one setting of the model, or say the file's unit of length (point_unit=mm) or which laboratory axis "
    "points up (vertical=z); may be repeated.",
)
reader_set = click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=completed("reader_settings"),
    help="Say what the file does not: point_unit=mm, cm or m; point_rate_hz=HZ of a CSV without times; vertical=x, -x, "
    "y, -y, z or -z, what points up.",
)


class WithUncertainty(click.Command):
    """A command whose ``--uncertainty`` takes a file or none: a trial that stands behind it is a trial."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        alone = [
            word == "--uncertainty" and following.lower().endswith((".c3d", ".csv", ".trc"))
            for word, following in zip(args, [*args, ""][1:], strict=True)
        ]
        args = [f"{word}={DEFAULT_UNCERTAINTY}" if one else word for word, one in zip(args, alone, strict=True)]
        return super().parse_args(ctx, args)


uncertainty = click.option(
    "--uncertainty",
    is_flag=False,
    flag_value=DEFAULT_UNCERTAINTY,
    metavar="[FILE]",
    help="Also write how sure each number is: standard uncertainty and 95 % band (docs/uncertainty.md). FILE: YAML "
    "with your own magnitudes of errors; without it published ones.",
)
keep_names = click.option(
    "--keep-names",
    is_flag=True,
    help="Write the names of people that the trial stores into what is written; else they are left out.",
)


def tolerance(words: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--tolerance QUANTITY=VALUE``, as ``tolerances``; `words` is its help."""
    return click.option(
        "--tolerance",
        "tolerances",
        multiple=True,
        callback=_tolerances,
        shell_complete=completed("tolerances"),
        metavar="QUANTITY=VALUE",
        help=words,
    )


max_uncertainty = click.option(
    "--max-uncertainty",
    "most_uncertain",
    multiple=True,
    callback=_tolerances,
    shell_complete=completed("tolerances"),
    metavar="QUANTITY=VALUE",
    help="The largest standard uncertainty that passes (docs/uncertainty.md), for example moment_Nm_per_kg=0.3; may be "
    "repeated.",
)
log = click.option(
    "--log",
    "log_file",
    type=Target(),
    metavar="FILE.jsonl",
    help="Append what happens to this file, one JSON object a line.",
)
