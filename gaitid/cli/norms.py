"""`gaitid norms`."""

from __future__ import annotations

from pathlib import Path

import click

from gaitid.cli.common import Target, print_detail, print_info, talk_options
from gaitid.cli.progress import Progress
from gaitid.notes.message import LEVELS


@click.group(
    short_help="Normative bands: list, show, and build your own.",
    invoke_without_command=True,
    epilog="Example:  gaitid norms build controls/ -o my_norms.yaml; gaitid report walk.run.json --norms my_norms.yaml"
    " -o walk.html\n\nMore: docs/norms.md",
)
@talk_options
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Normative bands: list, show, and build your own; without a subcommand, list them."""
    return ctx.invoke(list_) if ctx.invoked_subcommand is None else None


@command.command("list", epilog="Example:  gaitid norms list")
@talk_options
def list_() -> int:
    """The norms that come with gaitid: name, title, population and groups, separated by tabs."""
    from gaitid.norms.sets import load_set, published_sets

    lines = []
    for name in published_sets():
        norms = load_set(name)
        groups = ", ".join(f"{group.label} (n = {group.n})" for group in norms.groups)
        lines.append(f"{name}\t{norms.title}\t{norms.population}\t{groups}\n")
    click.echo("".join(lines), nl=False)  # at once: a reader that has enough of it is no failure
    return 0


@command.command("show", epilog="Example:  gaitid norms show schwartz2008")
@click.argument("name")
@talk_options
def show(name: str) -> int:
    """What the norms NAME (a name or a file) hold: source, groups, figures, and the extremes of each band."""
    from gaitid.norms.sets import load_set
    from gaitid.norms.text import set_lines

    click.echo("\n".join(set_lines(load_set(name))))
    return 0


@command.command("build", epilog="Example:  gaitid norms build controls/ -o my_norms.yaml")
@click.argument("results", nargs=-1, required=True, type=Target(), metavar="RESULT...")
@click.option("-o", "--output", required=True, type=Target(), help="The YAML file.")
@click.option("--name", help="By which it is asked for; else the file's name.")
@click.option("--title", help="Stands beside the curves; else the name.")
@click.option("--population", help="Who they are, in words: 'adults without a pathology'.")
@click.option("--ages", nargs=2, type=float, metavar="LOW HIGH", help="Years: subjects of other ages get no band.")
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    type=click.Choice(LEVELS),
    help="Take results with this verdict (several times); else good and usable.",
)
@click.option("--turns", is_flag=True, help="Also walks that turn, go up or down, or backward.")
@talk_options
def build(
    results: tuple[Path, ...],
    output: Path,
    ages: tuple[float, float] | None,
    verdicts: tuple[str, ...],
    turns: bool,
    **words: str | None,
) -> int:
    """Mean and standard deviation between subjects, from results of one model.

    A RESULT is the `run.json` that `gaitid run` wrote, or a folder: all below it. Each subject counts once, by the mean
    of all its whole cycles, both sides alike. Who is who: `batch.csv` above a result, else its folder.
    """
    from gaitid.disk.atomic import write_all
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.norms.build import VERDICTS, About, build_norms
    from gaitid.norms.text import set_yaml
    from gaitid.results.one_run import find_records

    if ages and not 0 <= ages[0] <= ages[1]:
        raise click.UsageError(f"--ages {ages[0]:g} {ages[1]:g}: expected the lowest and the highest age")
    refuse_to_overwrite([output], find_records(results))
    name = words["name"] or output.stem
    population = words["population"] or "not stated"
    about = About(name, words["title"] or name, population, ages or None, verdicts or VERDICTS, turns)
    with Progress(1) as progress:

        def read(done: int, of: int) -> None:
            progress.at(f"{done} of {of} results read")
            print_detail(f"{done} of {of} results read")

        norms, lines = build_norms(results, about, read)
    write_all(output.parent, {output.name: set_yaml(norms)})
    for line in lines:
        print_info(line)
    print_info(f"wrote {output}")
    return 0
