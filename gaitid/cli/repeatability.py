"""`gaitid repeatability`."""

from __future__ import annotations

from pathlib import Path

import click

from gaitid.cli.common import Target, print_detail, print_info, talk_options


@click.command(
    short_help="What sessions of the same subjects show: SEM, smallest detectable change.",
    epilog="Example:  gaitid repeatability results -o ours.csv; gaitid compare before after --repeatability ours.csv"
    "\n\nMore: docs/repeatability.md",
)
@click.argument("folders", nargs=-1, required=True, type=Target(), metavar="FOLDER...")
@click.option("-o", "--output", required=True, type=Target(), metavar="FILE", help="The table (CSV).")
@talk_options
def command(folders: tuple[Path, ...], output: Path) -> int:
    """Standard error of measurement and smallest detectable change of each feature and of each percent of the cycle,
    from sessions of the same subjects in which markers were put on anew.

    A FOLDER holds results of `gaitid run` or `batch`. Who is who and which session: `batch.csv` above a result, else
    each folder is a session. Beside it stands what `--uncertainty` predicts, where the results were run with it.
    """
    from gaitid.compare.repeatability import repeatability, repeatability_lines
    from gaitid.disk.atomic import write_all
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.results.one_run import find_records

    refuse_to_overwrite([output], find_records(folders))
    found = repeatability(folders, print_detail)
    write_all(output.parent, {output.name: "".join(found.text)})
    for line in repeatability_lines(found):
        print_info(line)
    print_info(f"wrote {output}")
    return 0
