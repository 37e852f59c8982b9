"""`gaitid mechanism`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gaitid.cli.common import Target, attempt, print_info, talk_options
from gaitid.cli.models import WithTemplates


class _Mechanism(WithTemplates):
    """Its help lists the bundled mechanisms."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from gaitid.mechanism.file import bundled_mechanisms

        super().format_help_text(ctx, formatter)
        with formatter.section("Bundled"):
            formatter.write_text(", ".join(bundled_mechanisms()))


@click.group(
    short_help="Inverse dynamics of a planar, kinematically driven mechanism.",
    cls=_Mechanism,
    epilog="Example:  gaitid mechanism four_bar -o results --plot results/four_bar.png; or  "
    "gaitid mechanism show four_bar > mine.yaml; gaitid mechanism mine.yaml -o results\n\n"
    "What a mechanism file holds, and every column: docs/mechanism.md",
)
@click.argument("file", metavar="FILE.yaml")
@click.option("-o", "--output", default=".", show_default="this folder", type=Target(), help="Folder for the files.")
@click.option("--plot", type=Target(), help="Draw it: a PNG, SVG or PDF file.")
@talk_options
def command(file: str, output: Path, plot: Path | None) -> int:
    """Motion and loads of a planar mechanism whose drivers say how it moves.

    FILE.yaml is a mechanism file, or the name of a bundled one. Written are NAME.motion.csv (position, velocity and
    acceleration of every body), NAME.loads.csv (force and torque of every constraint on each of its bodies, what the
    drivers exert) and NAME.mechanism.json (inputs with hashes, conventions, checks).
    """
    from gaitid.mechanism.files import run_mechanism

    written = attempt(file, lambda: run_mechanism(file, output, plot, ("gaitid", *sys.argv[1:])))
    if written is None:
        return 1
    _, files, warnings = written
    for warning in warnings:
        print_info(f"{file}: {warning}")
    print_info(f"wrote {', '.join(str(path) for path in files)}")
    return 0


@command.command("list", epilog="Example:  gaitid mechanism list")
@talk_options
def list_() -> int:
    """The bundled mechanisms: name, title and file, separated by tabs."""
    from gaitid.mechanism.file import bundled_mechanisms, load_mechanism

    lines = [f"{name}\t{load_mechanism(path).title}\t{path}\n" for name, path in bundled_mechanisms().items()]
    click.echo("".join(lines), nl=False)
    return 0


@command.command("show", epilog="Example:  gaitid mechanism show slider_crank > mine.yaml")
@click.argument("name")
@talk_options
def show(name: str) -> int:
    """The YAML of the mechanism NAME (a bundled one or a file), to copy and edit; or a table that one reads."""
    from gaitid.mechanism.files import mechanism_template

    template = mechanism_template(name)
    click.echo(template.text, nl=False)
    for table in template.tables:
        print_info(f"{name} reads {table} beside it: gaitid mechanism show {table} > {table}")
    return 0
