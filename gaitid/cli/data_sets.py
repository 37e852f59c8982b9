"""`gaitid features`, `gaitid repeatability` and `gaitid norms`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from gaitid.cli.common import Progress, Target, attempt, print_detail, print_error, print_info, talk_options
from gaitid.notes.message import LEVELS


@click.command(
    short_help="All features of a data set in one table: a row a trial.",
    epilog="Example:  gaitid batch study/ -o results; gaitid features results -o all.csv\n\nMore: docs/features.md",
)
@click.argument("results", nargs=-1, required=True, type=Target(), metavar="FOLDER...")
@click.option("-o", "--output", required=True, type=Target(), metavar="FILE", help="The table: .csv or .parquet.")
@click.option("--norms", metavar="NAME|FILE", help="Also Gait Profile Scores against these; see `gaitid norms`.")
@click.option("--asymmetry", is_flag=True, help="Also left less right of each feature, and ratios.")
@talk_options
def features_command(results: tuple[Path, ...], output: Path, norms: str | None, asymmetry: bool) -> int:
    """All features and figures of strides of all trials, one row each, with subject, session, model and verdict.

    A FOLDER holds results of `gaitid run` or `batch`; a run.json may be given too. Each number is the mean over the
    cycles of its side in which it is known. Subject and session are those of the `batch.csv` above a result.
    """
    from gaitid.compare.feature_table import feature_row, refuse_suffix, table_content
    from gaitid.disk.atomic import write_all
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.norms.choose import refuse_unknown
    from gaitid.report.gathering import BatchTables
    from gaitid.results.result import find_records

    refuse_suffix(output)
    refuse_unknown(norms)
    records = find_records(results)
    refuse_to_overwrite([output], records)
    tables: BatchTables = {}
    read = partial(feature_row, tables=tables, norms=norms, with_asymmetry=asymmetry)
    rows = [row for path in records if (row := attempt(str(path), partial(read, path))) is not None]
    refused = len(records) - len(rows)
    if rows:
        write_all(output.parent, {output.name: table_content(rows, output.suffix.lower())})
        print_info(f"wrote {output}: {len(rows)} trials")
    if refused and len(records) > 1:
        print_error(f"{refused} of {len(records)} results were refused")
    return 1 if refused else 0


@click.command(
    short_help="What sessions of the same subjects show: SEM, smallest detectable change.",
    epilog="Example:  gaitid repeatability results -o ours.csv; gaitid compare before after --repeatability ours.csv"
    "\n\nMore: docs/repeatability.md",
)
@click.argument("folders", nargs=-1, required=True, type=Target(), metavar="FOLDER...")
@click.option("-o", "--output", required=True, type=Target(), metavar="FILE", help="The table (CSV).")
@talk_options
def repeatability_command(folders: tuple[Path, ...], output: Path) -> int:
    """Standard error of measurement and smallest detectable change of each feature and of each percent of the cycle,
    from sessions of the same subjects in which markers were put on again.

    A FOLDER holds results of `gaitid run` or `batch`. Who is who and which session: `batch.csv` above a result, else
    each folder is a session. Beside it stands what `--uncertainty` predicts, where the results were run with it.
    """
    from gaitid.compare.repeatability import repeatability, repeatability_lines
    from gaitid.disk.atomic import write_all
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.results.result import find_records

    refuse_to_overwrite([output], find_records(folders))
    result = repeatability(folders, print_detail)
    write_all(output.parent, {output.name: "".join(result.text)})
    for line in repeatability_lines(result):
        print_info(line)
    print_info(f"wrote {output}")
    return 0


# A group's speed beyond it is not in m/s: sprinters reach 12.
_FASTEST_M_PER_S = 13.0


@click.group(
    short_help="Normative bands: list, show, build your own, import another program's.",
    invoke_without_command=True,
    epilog="Example:  gaitid norms build results -o my_norms.yaml; gaitid report results --norms my_norms.yaml"
    " -o walk.html\n\nMore: docs/norms.md",
)
@talk_options
@click.pass_context
def norms_command(ctx: click.Context) -> int | None:
    """Normative bands: list, show, build and import; without a subcommand, list them."""
    return ctx.invoke(norms_list) if ctx.invoked_subcommand is None else None


@norms_command.command("list", epilog="Example:  gaitid norms list")
@talk_options
def norms_list() -> int:
    """The norms that come with gaitid: name, title, population and groups, separated by tabs."""
    from gaitid.norms.sets import load_set, published_sets

    lines = []
    for name in published_sets():
        norms = load_set(name)
        groups = ", ".join(f"{group.label} (n = {group.n})" for group in norms.groups)
        lines.append(f"{name}\t{norms.title}\t{norms.population}\t{groups}\n")
    click.echo("".join(lines), nl=False)  # at once: a reader that has enough of it is no failure
    return 0


@norms_command.command("show", epilog="Example:  gaitid norms show schwartz2008")
@click.argument("name")
@talk_options
def norms_show(name: str) -> int:
    """What the norms NAME (a name or a file) hold: source, groups, figures, and the extremes of each band."""
    from gaitid.norms.sets import load_set
    from gaitid.norms.text import set_lines

    click.echo("\n".join(set_lines(load_set(name))))
    return 0


def _pairs(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE by name; without a name, of the empty one."""
    split = [text.rpartition("=") for text in given]
    return {name.strip(): value.strip() for name, _, value in split}


def _column(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    from gaitid.norms.sets import UNITS

    pairs = _pairs(ctx, param, given)
    for name, column in pairs.items():
        if not name or not column.endswith(UNITS):
            expected = f"NAME=COLUMN, a column of cycles.csv without its side, as knee_flexion_deg ({', '.join(UNITS)})"
            raise click.BadParameter(f"{name}={column}: expected {expected}")
    return pairs


def _speed(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    try:
        speeds = {name: float(value) for name, value in _pairs(ctx, param, given).items()}
    except ValueError as error:
        raise click.BadParameter(f"expected [GROUP=]M_PER_S: {error}") from None
    if odd := [value for value in speeds.values() if not 0 < value <= _FASTEST_M_PER_S]:
        raise click.BadParameter(f"expected m/s, above 0 and up to {_FASTEST_M_PER_S:g}, found {odd[0]:g}")
    return speeds


def _mass(ctx: click.Context, param: click.Parameter, given: float) -> float:
    if given <= 0:
        raise click.BadParameter(f"expected kg above 0, found {given:g}")
    return given


def _ages(ctx: click.Context, param: click.Parameter, given: tuple[float, float] | None) -> tuple[float, float] | None:
    if given and not 0 <= given[0] <= given[1]:
        raise click.UsageError(f"--ages {given[0]:g} {given[1]:g}: expected the lowest and the highest age")
    return given


@norms_command.command(
    "import",
    epilog="Example:  gaitid norms import normal.gcd -o ours.yaml --model pig --subjects 40 --ages 20 60 --speed 1.3; "
    "or  gaitid norms import adults.csv -o adults.yaml --subjects 22 --mass 72.4 --column 'Knee bend=knee_flexion_deg'",
)
@click.argument("file", type=Target(), metavar="FILE")
@click.option("-o", "--output", required=True, type=Target(), help="The YAML file.")
@click.option("--subjects", required=True, type=click.IntRange(1), help="How many subjects they are of.")
@click.option(
    "--model", default="", help="Model whose definitions the numbers follow, as pig; without it bands are dashed."
)
@click.option("--name", help="Name of the norms; else the file's name.")
@click.option("--title", help="Title beside the curves; else the name.")
@click.option("--population", default="not stated", help="Who they are: 'adults without a pathology'.")
@click.option("--ages", "ages_years", nargs=2, type=float, callback=_ages, metavar="LOW HIGH", help="Years.")
@click.option("--speed", "speeds", multiple=True, callback=_speed, metavar="[GROUP=]M_PER_S", help="Walking speed.")
@click.option("--group", "groups", multiple=True, help="Take this group only, by its name in the file; repeatable.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    callback=_column,
    metavar="NAME=[-]COLUMN",
    help="The column of cycles.csv for a quantity of the file, with - where the sign turns; repeatable.",
)
@click.option(
    "--mass",
    "mass_kg",
    type=float,
    callback=_mass,
    default=float("nan"),
    metavar="KG",
    help="Body mass, for moments in N·m and forces in N.",
)
@click.option("--source", default="not stated", help="Author, year, journal.")
@click.option("--licence", default="not stated", help="On what terms the figures may be used.")
@click.option("--marker-filter", default="not stated", help="As '6 Hz'.")
@click.option("--force-filter", default="not stated", help="As '20 Hz', or none.")
@talk_options
def import_(file: Path, output: Path, **given: Any) -> int:
    """Norms that another program keeps: GCD (Vicon Polygon), .xlsx, .csv, .mat (Rehazenter's toolbox).

    Tables have a column of percent and pairs of columns that end in mean and sd: a quantity each, or with a column of
    names a group each. What the file does not declare is not stated, unless an option states it.
    """
    from gaitid.disk.atomic import write_all
    from gaitid.inputs import refuse_to_overwrite
    from gaitid.norms.importing import Declared, import_norms
    from gaitid.norms.text import set_yaml

    refuse_to_overwrite([output], [file])
    given["name"] = given["name"] or output.stem
    given["title"] = given["title"] or given["name"]
    norms, lines = import_norms(file, Declared(**given))
    write_all(output.parent, {output.name: set_yaml(norms)})
    for line in lines:
        print_info(line)
    print_info(f"wrote {output}")
    return 0


def _edges(ctx: click.Context, param: click.Parameter, given: str | None) -> tuple[float, ...]:
    try:
        edges = tuple(float(word) for word in given.split(",")) if given else ()
    except ValueError:
        raise click.BadParameter(f"expected speeds in m/s, as 0.4,0.8,1.2, found {given}") from None
    if any(high <= low for low, high in zip((0.0, *edges), edges, strict=False)):
        raise click.BadParameter(f"expected rising speeds above 0, found {given}")
    return edges


@norms_command.command("build", epilog="Example:  gaitid norms build results -o my_norms.yaml")
@click.argument("results", nargs=-1, required=True, type=Target(), metavar="RESULT...")
@click.option("-o", "--output", required=True, type=Target(), help="The YAML file.")
@click.option("--name", help="Name of the norms; else the file's name.")
@click.option("--title", help="Title beside the curves; else the name.")
@click.option("--population", help="Who they are, in words: 'adults without a pathology'.")
@click.option(
    "--ages", nargs=2, type=float, callback=_ages, metavar="LOW HIGH", help="Years: subjects of other ages get no band."
)
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    type=click.Choice(LEVELS),
    help="Take results with this verdict (several times); else good and usable.",
)
@click.option("--turns", is_flag=True, help="Also walks that turn, go up or down, or backward.")
@click.option(
    "--speeds",
    callback=_edges,
    metavar="M_PER_S,...",
    help="A group of trials below, between and above these speeds, as 0.4,0.8,1.2; else all are one.",
)
@talk_options
def build(
    results: tuple[Path, ...],
    output: Path,
    ages: tuple[float, float] | None,
    verdicts: tuple[str, ...],
    turns: bool,
    speeds: tuple[float, ...],
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
    from gaitid.results.result import find_records

    refuse_to_overwrite([output], find_records(results))
    name = words["name"] or output.stem
    population = words["population"] or "not stated"
    about = About(name, words["title"] or name, population, ages or None, verdicts or VERDICTS, turns, speeds)
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
