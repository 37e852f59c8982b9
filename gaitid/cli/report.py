"""`gaitid report`."""

from __future__ import annotations

from pathlib import Path

import click

from gaitid.cli.common import CONTEXT, Target, print_info, talk_options


@click.command(context_settings=CONTEXT, epilog="Example:  gaitid report results/walk.run.json -o walk.html")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT...")
@click.option("-o", "--output", required=True, type=Target(), help="The page or picture.")
@click.option("--format", "format_", type=click.Choice(["html", "png"]), help="Else by the file's suffix.")
@talk_options
def command(results: tuple[Path, ...], output: Path, format_: str | None) -> int:
    """Curves of angles, moments, powers and ground reaction, with contacts marked, as one HTML page or a PNG.

    A RESULT is the `run.json` that `gaitid run` wrote; its tables lie beside it.
    """
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.report import write_report
    from gaitid.write import TABLES

    tables = [path.with_name(path.name.replace("run.json", f"{table}.csv")) for path in results for table in TABLES]

    refuse_to_overwrite([output], [*results, *tables])
    print_info(f"wrote {write_report(results, output, format_)}")
    return 0
