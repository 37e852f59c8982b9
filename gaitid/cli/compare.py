"""`gaitid compare`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from gaitid.cli import options
from gaitid.cli.common import Target, print_detail, print_error, print_info, print_json, talk_options

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
    help="What curves of two results lie over; by default frames of one recording, else the gait cycle.",
)
@click.option(
    "--same",
    type=click.Choice(["session", "subject", "nothing"]),
    help="What results of different trials have in common, for the smallest change that can be told "
    "(docs/compare.md); by default as their records show.",
)
@click.option(
    "--repeatability",
    type=Target(),
    metavar="FILE",
    help="What gaitid repeatability found: the smallest detectable changes are taken from it.",
)
@click.option("--outputs", metavar="SUFFIX", help="Of a C3D with several sets of outputs: what their labels end with.")
@click.option(
    "--knee",
    type=click.Choice(["gait2392", "rajagopal"]),
    help="Whose sign OpenSim's knee has, where its file does not tell.",
)
@click.option(
    "--start",
    "start_s",
    type=float,
    metavar="SECONDS",
    help="When the result's first frame was, by the clock of OpenSim's file; by default as the trial tells.",
)
@talk_options
def command(
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
    from gaitid.results.one_run import find_records

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
    found = of_groups.compare_groups(folders, paired, permutations, print_detail)
    if output is not None:
        table = output.with_suffix(".csv")
        write_all(
            output.parent,
            {output.name: of_groups.page(found).encode("utf-8", "replace"), table.name: of_groups.tidy_table(found)},
        )
        print_info(f"wrote {output} and {table.name}")
    if arrays is not None:
        content = io.BytesIO()
        np.savez_compressed(content, allow_pickle=False, **of_groups.curve_arrays(found))
        write_all(arrays.parent, {arrays.name: content.getvalue()})
        print_info(f"wrote {arrays}")
    if as_json:
        print_json(
            {
                "groups": of_groups.head_words(found),
                "paired": found.paired,
                "speed": of_groups.speed_words(found),
                "curves": of_groups.rows_of(found),
            }
        )
    else:
        click.echo("\n".join(of_groups.lines_of(found)))
    return 0
