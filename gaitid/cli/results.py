"""`gaitid export`, `gaitid report` and `gaitid compare`."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from gaitid.cli import options
from gaitid.cli.common import (
    Progress,
    Target,
    attempt,
    flag,
    print_detail,
    print_error,
    print_info,
    print_json,
    talk_options,
)
from gaitid.cli.start import INTERRUPTED
from gaitid.cli.streams import draw_line, erase_line
from gaitid.export import FORMATS

_WORDS = "\n".join(f"  {name:9}{words}" for name, words in FORMATS.items())


_HELP = f"""Results as files that other programs read.

A RESULT is the `run.json` that `gaitid run` wrote, with its tables beside it, or a folder: all results below it.
c3d, trc, mot, sto and opensim analyse the trial again, from files that the record names: they must be there, unchanged.
What each file holds, with its axes, signs and units: docs/export.md.

\b
{_WORDS}
"""


@click.command(
    short_help="Results for other programs: C3D, OpenSim, MATLAB, tables.",
    help=_HELP,
    epilog="Example:  gaitid export results/walk.run.json --to c3d -o for_nexus\n\nMore: docs/export.md",
)
@click.argument("results", nargs=-1, required=True, type=Target(), metavar="RESULT...")
@click.option(
    "--to", "formats", multiple=True, required=True, type=click.Choice(list(FORMATS)), help="May be repeated."
)
@click.option("-o", "--output", required=True, type=Target(), help="Folder for the files.")
@options.option("keep_names")
@talk_options
def export_command(results: tuple[Path, ...], formats: tuple[str, ...], output: Path, keep_names: bool) -> int:
    from gaitid.export.source import export_result, folders_of

    refused = written = 0
    targets: dict[Path, tuple[Path, Path]] = {}
    for given in results:
        below = attempt(str(given), partial(folders_of, given, output))
        refused += below is None
        for path, folder in below or ():
            targets.setdefault(path.resolve(), (path, folder))
    _refuse_same_names(list(targets.values()))
    try:
        with Progress(len(targets)) as progress:
            for path, folder in targets.values():
                progress.at(path)
                for to in dict.fromkeys(formats):
                    done = attempt(str(path), partial(export_result, path, to, folder, keep_names))
                    if done is None:
                        refused += 1
                        continue
                    written += 1
                    words = "".join(f"; {remark}" for remark in done.remarks)
                    print_info(f"{path}: wrote {', '.join(map(str, done.files))}{words}")
    except KeyboardInterrupt:
        print_error(f"interrupted; {written} of {len(targets) * len(formats)} exports written")
        return INTERRUPTED
    if refused and refused + written > 1:
        print_error(f"{refused} of {refused + written} exports were refused")
    return 1 if refused else 0


def _refuse_same_names(targets: list[tuple[Path, Path]]) -> None:
    """Raise where two results would be the same files."""
    names: dict[Path, Path] = {}
    for path, folder in targets:
        if (other := names.setdefault(folder / path.name, path)) is not path:
            raise click.UsageError(
                f"{other} and {path} would be the same files in {folder}; give the folder above both, or one at a time"
            )


# Seconds between two lines; on a terminal, where a line is drawn over itself, and how long it may be.
_SAY_EVERY_S, _DRAW_EVERY_S, _WIDTH = 2.0, 0.3, 60


@click.command(
    short_help="Pictures and tables of results, for people.",
    epilog="Example:  gaitid report results/walk.run.json -o walk.html; or  gaitid report results -o fig2.pdf --figure "
    "knee_flexion --width single\n\nMore: docs/report.md, docs/pictures.md, docs/chains.md",
)
@click.argument("results", nargs=-1, required=True, type=Target(), metavar="[NAME=]RESULT|FOLDER...")
@click.option("-o", "--output", required=True, type=Target(), help="The page or picture; for pictures also a folder.")
@click.option(
    "--format", "format_", type=click.Choice(["html", "png", "svg", "pdf"]), help="Else by the file's suffix."
)
@click.option(
    "--norms", metavar="NAME|FILE|none", help="Normative bands; by default those that fit, see `gaitid norms`."
)
@click.option(
    "--by",
    type=click.Choice(["trial", "session", "condition", "subject"]),
    help="What is put together, and set beside the others; else what has the same session and condition.",
)
@click.option(
    "--figure",
    "figures",
    multiple=True,
    metavar="NAME",
    help="Of a picture: sheet (default), kinematics, moments, powers, ground, or a panel as hip_flexion; of a chain "
    "stick, coordinates, torques, energies, forces, moments, contributions; repeatable.",
)
@click.option("--width", metavar="NAME|MM", help="Of a picture: single (90 mm), 1.5 (140 mm), double (190 mm), or mm.")
@click.option(
    "--repeatability",
    type=Target(),
    metavar="FILE",
    help="Of named sessions: table of gaitid repeatability, for the smallest detectable changes.",
)
@click.option(
    "--same",
    type=click.Choice(["session", "subject", "nothing"]),
    help="Of named sessions: what they have in common, as for gaitid compare; by default as their records show.",
)
@click.option("--cycles", is_flag=True, help="Draw every cycle in a picture, thin.")
@options.option(
    "max_uncertainty",
    help="Of results of run --uncertainty: the largest standard uncertainty that is good enough, as angle_deg=3; may "
    "be repeated. By default as the results were run.",
)
@talk_options
def report_command(
    results: tuple[Path, ...], output: Path, format_: str | None, norms: str | None, **chosen: Any
) -> int:
    """A clinical page: verdict, curves over the gait cycle beside norms, figures, and how it was made. Or a picture.

    A RESULT is the `run.json` that `gaitid run` wrote; its tables lie beside it. A FOLDER stands for all results below
    it: trials of one session are pooled, sessions of one subject compared, of several subjects means are drawn.
    NAME=FOLDER calls what is in it one session, as pre=before/ post=after/: a page overlays them, and lists what
    differs by more than the smallest detectable change.
    """
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.report import Choices, write_report
    from gaitid.report.panels import Request
    from gaitid.write import TABLES

    by, limits = chosen.pop("by"), options.limits(chosen.pop("max_uncertainty"))
    named, same, sessions = _named(results), chosen.pop("same"), chosen.pop("repeatability")
    if by and named:
        raise click.UsageError(f"--by {by} and names: either says which results belong together")
    if (sessions or same) and len(named) < 2:
        raise click.UsageError("--same and --repeatability are of sessions with names, as pre=before/ post=after/")
    results = tuple(path for paths in named.values() for path in paths) or results
    files = [path for path in results if not path.is_dir()]
    tables = [path.with_name(path.name.replace("run.json", f"{table}.csv")) for path in files for table in TABLES]

    refuse_to_overwrite([output], [*files, *tables])
    request = Request(**chosen) if any(chosen.values()) else None
    try:
        choices = Choices(request, by, limits, named, lambda: _changes(named, same, sessions))
        written = write_report(results, output, format_, norms, choices, _Patience(flag("quiet")))
    finally:
        erase_line()
    print_info(f"wrote {written}")
    return 0


def _named(results: tuple[Path, ...]) -> dict[str, list[Path]]:
    """The paths of each NAME=PATH, in their order; empty where none has a name."""
    named: dict[str, list[Path]] = {}
    for path in results:
        name, equals, of = str(path).partition("=")
        if equals and not path.exists() and Path(name).name == name:
            name = name.strip()
            if not (name and of):
                raise click.UsageError(f"{path}: expected NAME=RESULT or NAME=FOLDER")
            named.setdefault(name, []).append(Path(of))
    if named and sum(map(len, named.values())) != len(results):
        raise click.UsageError(f"some have a name and some have none; expected one for each, as {next(iter(named))}=…")
    _refuse_twice(named)
    return named


def _refuse_twice(named: dict[str, list[Path]]) -> None:
    """A result that is in two sessions would be compared with itself."""
    from gaitid.results.result import find_records

    of: dict[Path, str] = {}
    for name, paths in named.items() if len(named) > 1 else ():
        for file in find_records(paths):
            if (other := of.setdefault(file.resolve(), name)) != name:
                raise click.UsageError(
                    f"{file}: it is in two sessions, {other} and {name}; expected one for each result"
                )


def _changes(named: dict[str, list[Path]], same: str | None, sessions: Path | None) -> tuple[Any, ...]:
    """What differs by more than the smallest detectable change, of several sessions with names."""
    from gaitid.compare.page import changes_of

    return changes_of(named, same, sessions) if len(named) > 1 else ()


class _Patience:
    """Says on stderr what is worked on, every two seconds: a short report says nothing. On a terminal in one line."""

    def __init__(self, quiet: bool = False) -> None:
        self.count, self.said = 0, time.monotonic()
        self.over_itself = sys.stderr.isatty() and not quiet

    def __call__(self, text: str) -> None:
        self.count += 1
        if time.monotonic() - self.said < (_DRAW_EVERY_S if self.over_itself else _SAY_EVERY_S):
            return
        self.said = time.monotonic()
        if self.over_itself:
            draw_line(f"{text[:_WIDTH]} (step {self.count})")
        else:
            print_info(f"report: {text} (step {self.count})")


_OF_GROUPS = ("groups", "paired", "permutations", "arrays")


@click.command(
    short_help="How far two results differ, or a result and another program's, and why.",
    epilog="Example:  gaitid compare results/walk.run.json trials/walk.c3d -o why.html; or  gaitid compare pig/walk "
    "pig_vicon/walk --tolerance moment_Nm_per_kg=0.1\n\nMore: docs/compare.md",
)
@click.argument("a", type=Target(), metavar="A", required=False)
@click.argument("b", type=Target(), metavar="B", required=False)
@click.option(
    "--groups",
    nargs=2,
    metavar="NAME=FOLDER NAME=FOLDER",
    help="Two groups of subjects in place of A and B: a permutation test over the gait cycle.",
)
@click.option("--paired/--independent", default=None, help="Of groups; by default paired where a subject is in both.")
@click.option(
    "--permutations", type=click.IntRange(100), default=5000, show_default=True, help="Of groups: relabellings drawn."
)
@click.option("--arrays", type=Target(), metavar="FILE.npz", help="Of groups: the curves as spm1d takes them.")
@click.option("-o", "--output", type=Target(), metavar="PAGE.html", help="Also write a page with curves.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout instead of tables.")
@options.tolerance("The largest difference that passes, for example angle_deg=2; may be repeated.")
@click.option(
    "--align",
    "way",
    type=click.Choice(["frames", "time", "cycle"]),
    help="Axis of the curves of two results; by default frames of one recording, else the gait cycle.",
)
@click.option(
    "--same",
    type=click.Choice(["session", "subject", "nothing"]),
    help="What results of different trials have in common, for the smallest detectable change "
    "(docs/compare.md); by default as their records show.",
)
@click.option(
    "--repeatability",
    type=Target(),
    metavar="FILE",
    help="Table of gaitid repeatability, for the smallest detectable changes.",
)
@click.option("--outputs", metavar="SUFFIX", help="Of a C3D with several sets of outputs: what their labels end with.")
@click.option(
    "--knee",
    type=click.Choice(["gait2392", "rajagopal"]),
    help="Whose sign OpenSim's knee has, where its file does not say.",
)
@click.option(
    "--start",
    "start_s",
    type=float,
    metavar="SECONDS",
    help="Time of the result's first frame on the clock of OpenSim's file; by default found from the trial.",
)
@talk_options
def compare_command(
    a: Path | None, b: Path | None, output: Path | None, as_json: bool, tolerances: dict[str, float], **reading: Any
) -> int:
    """How far A and B lie apart, curve by curve, and why.

    A and B are results (the `run.json` that `gaitid run` wrote, its folder or stem; a folder of several is a session),
    or one of them what another program computed of the trial: a C3D with stored outputs of Plug-in Gait or CGM 2, or
    OpenSim's .sto or .mot.

    Of two results of one recording, and of a result beside Plug-in Gait, one ingredient after the other is exchanged
    to tell how much of the difference each makes. Results of `run --uncertainty` also say whether a difference is more
    than its uncertainty. The exit code is 1 where a difference lies beyond
    --tolerance; without one it is 0.

    --groups compares folders of results: subjects are the units, those of the `batch.csv` above a result, else one
    a folder. PAGE.html then has a table of the same name beside it (CSV): a row a side, curve and percent.
    """
    groups, *how = (reading.pop(name) for name in _OF_GROUPS)
    if groups:
        if a is not None:
            raise click.UsageError("--groups takes the place of A and B")
        _refuse_given({*reading, "tolerances"}, "of A and B, not of --groups")
        return _groups(groups, output, as_json, *how)
    if a is None or b is None:
        raise click.UsageError("expected A and B, or --groups NAME=FOLDER NAME=FOLDER")
    _refuse_given(_OF_GROUPS, "of --groups NAME=FOLDER NAME=FOLDER")
    from gaitid.compare.comparison import compare
    from gaitid.compare.sources import Reading, files_of, refuse_two_others
    from gaitid.compare.words import beyond
    from gaitid.errors import GaitidError

    try:
        refuse_two_others(a, b)
    except GaitidError as error:
        raise click.UsageError(error.line()) from None
    if output is not None:
        from gaitid.compare.page import refuse_output

        refuse_output(output, files_of(a, b))
    way, same, sessions = (reading.pop(name) for name in ("way", "same", "repeatability"))
    comparison = compare(a, b, Reading(**reading), way, same, sessions)
    if output is not None:
        from gaitid.compare.page import write_page

        write_page(output, comparison)
        print_info(f"wrote {output}")
    if as_json:
        from gaitid.compare.text import content_of

        print_json(content_of(comparison, tolerances))
    else:
        from gaitid.compare.text import text_of

        click.echo(text_of(comparison))
    over = beyond(comparison, tolerances)
    for line in over:
        print_error(f"beyond the tolerance: {line}")
    return 1 if over else 0


def _refuse_given(names: Collection[str], where: str) -> None:
    """Options that would do nothing there."""
    ctx = click.get_current_context()
    for option in ctx.command.params:
        name = str(option.name)
        if name in names and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} is {where}")


def _groups(
    groups: tuple[str, str],
    output: Path | None,
    as_json: bool,
    paired: bool | None,
    permutations: int,
    arrays: Path | None,
) -> int:
    import io

    import numpy as np

    from gaitid.compare import groups as of_groups
    from gaitid.compare.page import refuse_output
    from gaitid.disk.atomic import write_all
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.results.result import find_records

    split = [text.partition("=") for text in groups]
    folders = {name.strip(): Path(folder) for name, equals, folder in split if name.strip() and equals and folder}
    if len(folders) != 2:
        raise click.UsageError("--groups: expected two names, as in --groups before=FOLDER after=FOLDER")
    if arrays is not None and arrays.suffix.lower() != ".npz":
        raise click.UsageError(f"--arrays {arrays}: expected a name that ends in .npz")
    records = find_records([*folders.values()])
    if len(records) < sum(len(find_records([folder])) for folder in folders.values()):
        raise click.UsageError("--groups: a result is in both folders; expected one group for each result")
    if output is not None:
        refuse_output(output, records)
    refuse_to_overwrite([path for path in (arrays, output and output.with_suffix(".csv")) if path], records)
    result = of_groups.compare_groups(folders, paired, permutations, print_detail)
    if output is not None:
        table = output.with_suffix(".csv")
        write_all(
            output.parent,
            {output.name: of_groups.page(result).encode("utf-8", "replace"), table.name: of_groups.tidy_table(result)},
        )
        print_info(f"wrote {output} and {table.name}")
    if arrays is not None:
        content = io.BytesIO()
        np.savez_compressed(content, allow_pickle=False, **of_groups.curve_arrays(result))
        write_all(arrays.parent, {arrays.name: content.getvalue()})
        print_info(f"wrote {arrays}")
    if as_json:
        print_json(
            {
                "groups": of_groups.head_words(result),
                "paired": result.paired,
                "speed": of_groups.speed_words(result),
                "curves": of_groups.rows_of(result),
            }
        )
    else:
        click.echo("\n".join(of_groups.lines_of(result)))
    return 0
