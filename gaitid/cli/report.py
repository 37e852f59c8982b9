"""`gaitid report`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from gaitid.cli import options
from gaitid.cli.common import Target, flag, print_info, talk_options
from gaitid.cli.streams import draw_line, erase_line

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
    help="Of named sessions: what gaitid repeatability found, from which the smallest detectable changes are taken.",
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
def command(results: tuple[Path, ...], output: Path, format_: str | None, norms: str | None, **chosen: Any) -> int:
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
    from gaitid.results.one_run import find_records

    of: dict[Path, str] = {}
    for name, paths in named.items() if len(named) > 1 else ():
        for file in find_records(paths):
            if (other := of.setdefault(file.resolve(), name)) != name:
                raise click.UsageError(
                    f"{file}: it is in two sessions, {other} and {name}; expected one for each result"
                )


def _changes(named: dict[str, list[Path]], same: str | None, sessions: Path | None) -> tuple[Any, ...]:
    """What differs by more than the smallest detectable change, of several sessions with names."""
    from gaitid.compare.changes import changes_of

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
