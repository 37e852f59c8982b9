"""Options that several commands have, each declared once, and the `RunOptions` that they stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli.common import Target, together
from gaitid.errors import GaitidError

if TYPE_CHECKING:
    from gaitid.ground.claims import ByHand
    from gaitid.read.settings import ReaderSettings
    from gaitid.run import RunOptions

# --- what each means ----------------------------------------------------------------------------------------


def run_options(given: Mapping[str, Any]) -> RunOptions:
    """How trials are analysed, from a command's parameters; what it has no option for is as `RunOptions` has it."""
    from gaitid.read.settings import ReaderSettings, split_settings
    from gaitid.run import RunOptions

    chosen = {name: given[name] for name in RunOptions.__dataclass_fields__ if given.get(name) not in (None, (), False)}
    for name in {"express_in", "write"} & chosen.keys():
        chosen[name] = tuple(dict.fromkeys(chosen[name]))
    cutoffs = {f"{name}_hz": given[name] for name in ("cutoff", "force_cutoff") if given.get(name) is not None}
    of_reader, of_model = split_settings(_settings_from(given["pairs"]))
    chosen["reader"] = ReaderSettings(**of_reader, subject_prefix=given.get("subject_prefix"))
    chosen["overrides"] = of_model | cutoffs
    chosen["by_hand"] = _by_hand(given.get("assign", ()))
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


def _frequency(ctx: click.Context, parameter: click.Parameter, value: str | None) -> object:
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


def _settings_from(pairs: tuple[str, ...]) -> dict[str, object]:
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


def _by_hand(values: tuple[str, ...]) -> tuple[ByHand, ...]:
    """The assignments of --assign, frames as the file numbers them."""
    assignments = tuple(_assignment(value) for value in values)
    for (value, a), (other, b) in combinations(zip(values, assignments, strict=True), 2):
        if _share_a_frame(a, b) and (a.side == b.side or set(a.plates) & set(b.plates)):
            raise click.UsageError(f"--assign {value} and {other} contradict each other")
    return assignments


def _assignment(value: str) -> ByHand:
    """``SIDE=PLATES[@FIRST-LAST]`` of --assign."""
    from gaitid.ground.claims import ByHand

    match = re.fullmatch(r"(left|right)=(none|\d+(?:\+\d+)*)(?:@(\d+)-(\d+))?", value.strip())
    if match is None:
        raise click.UsageError(f"--assign {value}: expected SIDE=PLATES[@FIRST-LAST], for example left=1+2@234-296")
    side, plates, first, last = match.groups()
    numbers = () if plates == "none" else tuple(int(number) for number in plates.split("+"))
    if len(set(numbers)) < len(numbers):
        raise click.UsageError(f"--assign {value}: a plate is given twice")
    if first is None:
        return ByHand(side, numbers)
    if int(first) > int(last):
        raise click.UsageError(f"--assign {value}: the last frame lies before the first")
    return ByHand(side, numbers, int(first), int(last))


def _share_a_frame(a: ByHand, b: ByHand) -> bool:
    """Whether two assignments are of a common frame."""
    if a.first is None or b.first is None or a.last is None or b.last is None:
        return True
    return a.first <= b.last and b.first <= a.last


# --- the options --------------------------------------------------------------------------------------------

_FILE = click.Path(path_type=Path)

#: Files that belong to a trial that is a table.
table_inputs = together(
    click.option("--forces", type=_FILE, help="Forces beside a CSV or TRC trial (.csv, .mot, .sto)."),
    click.option("--plates", type=_FILE, help="YAML with corners of plates, for CSV, TRC and MOT."),
)
_model_help = "A bundled model's name (`gaitid models`), a YAML file, or auto: the one that fits."
#: The model of commands that have to name it, or that choose it.
model = click.option("--model", required=True, help=_model_help)
model_or_auto = click.option("--model", default="auto", show_default=True, help=_model_help)
subject_prefix = click.option(
    "--subject-prefix",
    metavar="NAME",
    help="Of a file with several subjects: the one whose labels begin with NAME and a colon.",
)
markers = click.option(
    "--markers", type=_FILE, help="YAML marker set: which label each landmark has (`gaitid models markers TRIAL`)."
)
subject = click.option("--subject", type=_FILE, help="YAML with the subject's measurements (`gaitid calibrate`).")
#: All that an analysis takes beside the trial and the model.
inputs = together(
    markers,
    click.option("--static", type=_FILE, help="Calibration trial; wins over stored calibration."),
    subject,
    table_inputs,
    subject_prefix,
)
cutoff = click.option(
    "--cutoff", callback=_frequency, metavar="HZ|none|auto", help="Effective cut-off of the marker low-pass."
)
force_cutoff = click.option(
    "--force-cutoff", callback=_frequency, metavar="HZ|none", help="Effective cut-off of the plate low-pass."
)
loads = together(
    click.option(
        "--assign",
        multiple=True,
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
    help="Change one setting of the model, or say the file's unit of length (point_unit=mm); may be repeated.",
)
reader_set = click.option(
    "--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Say the file's unit of length: point_unit=mm, cm or m."
)
keep_names = click.option("--keep-names", is_flag=True, help="Keep names of people stored in the trial.")
log = click.option(
    "--log",
    "log_file",
    type=Target(),
    metavar="FILE.jsonl",
    help="Append what happens to this file, one JSON object a line.",
)
