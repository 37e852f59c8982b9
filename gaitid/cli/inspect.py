"""`gaitid inspect`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaitid.cli import options
from gaitid.cli.common import Target, attempt, flag, print_detail, print_info, print_json, talk_options
from gaitid.cli.progress import Progress
from gaitid.cli.streams import erase_line
from gaitid.errors import GaitidError

if TYPE_CHECKING:
    from gaitid.inspect.contents import Inspected


@click.command(
    short_help="What is in a file: markers, plates, loads, subject, events.",
    epilog="Example:  gaitid inspect walk.c3d --picture walk.png; gaitid inspect walk.c3d --json > walk.inspect.json; "
    "gaitid inspect */*.c3d; gaitid inspect --plates-template > plates.yaml\n\nMore: docs/command_line.md",
)
@click.argument("trials", nargs=-1, required=True, type=Target(), metavar="TRIAL...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout instead of text.")
@click.option(
    "--picture",
    type=Target(),
    metavar="FILE",
    help="Draw markers, gaps and plates on one page: a PNG, SVG or PDF file.",
)
@click.option("--model", "models", multiple=True, help="A model of yours to look at too (YAML); may be repeated.")
@options.inputs
@options.option("events")
@options.reader_set
@options.option("keep_names")
@click.option(
    "--plates-template",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, asked: _plates_template(ctx) if asked else None,
    help="Print a file for --plates to fill in, and nothing else; no TRIAL is needed.",
)
@talk_options
def command(trials: tuple[Path, ...], as_json: bool, picture: Path | None, keep_names: bool, **given: Any) -> int:
    """Show what is in TRIAL (.c3d, .csv, .trc or .tsv): markers and their gaps, rates, force plates and their loads,
    which foot stands on which plate, events, measurements of the subject, stored model outputs, which
    model `--model auto` takes, and what the nearest other one (with --verbose: each) would still need.

    Nothing is written but a picture that is asked for; the text goes to stdout, of several trials a line each (with
    --verbose all). Frames are numbered as the file numbers them, lengths are in metres and forces in newtons.
    """
    from gaitid.inspect.contents import Beside, inspected
    from gaitid.inspect.words import describe, in_one_line

    settings = options.reader_settings(given.pop("settings"), given.pop("subject_prefix"))
    several = len(trials) > 1
    if several and picture is not None:
        raise click.UsageError("--picture is of one trial; give the trials one by one")
    if several and (given["forces"] is not None or given["plates"] is not None):
        raise click.UsageError("--forces and --plates belong to one trial; give the trials one by one")
    options.refuse_events_of_one(given["events"], len(trials))
    beside = Beside(**given)
    contents, refused = [], 0
    with Progress(len(trials)) as progress:
        for trial in trials:
            progress.at(trial)
            seen = attempt(str(trial), partial(inspected, trial, beside, keep_names, settings, flag("verbose")))
            if seen is None:
                refused += 1
                continue
            for error in seen.undecided:
                print_info(f"{trial}: {error.line()}")
            if as_json:
                contents.append(seen.content)
            else:
                erase_line()
                click.echo(
                    in_one_line(seen.content)
                    if several and not flag("verbose")
                    else describe(seen.content, flag("verbose")),
                    nl=False,
                )
                for name, model in seen.content["models"].items() if not several else ():
                    for warning in model["warnings"]:
                        print_detail(f"{trial}: {name}: {warning}")
            if picture is not None and attempt(str(trial), partial(_draw, seen, picture)) is None:
                refused += 1
    if as_json and (several or contents):
        print_json({"trials": contents} if several else contents[0])
    if several and not as_json:
        print_info(f"{len(trials)} trials: {len(trials) - refused} read, {refused} refused")
    return 1 if refused else 0


def _plates_template(ctx: click.Context) -> None:
    from gaitid.read.plates.plates_file import TEMPLATE

    click.echo(TEMPLATE, nl=False)
    ctx.exit()


def _draw(seen: Inspected, file: Path) -> Path:
    from gaitid.disk.atomic import put_all
    from gaitid.drawing import load_matplotlib
    from gaitid.inputs import found_trial, refuse_to_overwrite

    refuse_to_overwrite([file], [found_trial(seen.trial.path)])
    load_matplotlib(f"{file}: a picture")
    from gaitid.inspect.picture import picture

    drawn = picture(seen, file.suffix)
    try:
        [written] = put_all(file.parent, {file.name: drawn})
    except OSError as error:
        raise GaitidError(f"{file}: cannot be written ({error.strerror or error})") from None
    print_info(f"wrote {written}")
    return written
