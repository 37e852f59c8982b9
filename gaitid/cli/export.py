"""`gaitid export`."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from gaitid.cli import options
from gaitid.cli.common import Target, attempt, print_error, print_info, talk_options
from gaitid.cli.progress import Progress
from gaitid.cli.start import INTERRUPTED
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
def command(results: tuple[Path, ...], formats: tuple[str, ...], output: Path, keep_names: bool) -> int:
    from gaitid.export.export import export_result, folders_of

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
