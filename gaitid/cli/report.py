"""`gaitid report`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from gaitid.cli.common import CONTEXT, Target, print_info, talk_options

_SAY_EVERY_S = 2.0


@click.command(context_settings=CONTEXT, epilog="Example:  gaitid report results/walk.run.json -o walk.html")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT|FOLDER...")
@click.option("-o", "--output", required=True, type=Target(), help="The page or picture.")
@click.option("--format", "format_", type=click.Choice(["html", "png"]), help="Else by the file's suffix.")
@click.option(
    "--norms", metavar="NAME|FILE|none", help="Normative bands; by default those that fit, see `gaitid norms`."
)
@talk_options
def command(results: tuple[Path, ...], output: Path, format_: str | None, norms: str | None) -> int:
    """A clinical page: verdict, curves over the gait cycle beside norms, figures, and how it was made. Or a PNG sheet.

    A RESULT is the `run.json` that `gaitid run` wrote; its tables lie beside it. A FOLDER stands for all results below
    it: trials of one session are pooled.
    """
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.report import write_report
    from gaitid.write import TABLES

    files = [path for path in results if not path.is_dir()]
    tables = [path.with_name(path.name.replace("run.json", f"{table}.csv")) for path in files for table in TABLES]

    refuse_to_overwrite([output], [*files, *tables])
    print_info(f"wrote {write_report(results, output, format_, norms, _Patience())}")
    return 0


class _Patience:
    """Says on stderr what is worked on, every two seconds: a short report says nothing."""

    def __init__(self) -> None:
        self.count, self.said = 0, time.monotonic()

    def __call__(self, text: str) -> None:
        self.count += 1
        if time.monotonic() - self.said >= _SAY_EVERY_S:
            self.said = time.monotonic()
            print_info(f"report: {text} (step {self.count})")
