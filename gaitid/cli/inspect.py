"""`gaitid inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gaitid.cli import options
from gaitid.cli.common import CONTEXT, attempt, completed, print_detail, print_json, talk_options


@click.command(
    context_settings=CONTEXT,
    epilog="Example:  gaitid inspect walk.c3d --json > walk.inspect.json\n\nMore: docs/command_line.md",
)
@click.argument("trial", type=click.Path(path_type=Path), shell_complete=completed("trials"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout instead of text.")
@click.option(
    "--model",
    "models",
    multiple=True,
    shell_complete=completed("models"),
    help="A model of yours to look at too (YAML); may be repeated.",
)
@options.inputs
@options.reader_set
@options.keep_names
@talk_options
def command(trial: Path, as_json: bool, keep_names: bool, **given: Any) -> int:
    """Show what is in TRIAL (.c3d, .csv or .trc): markers and their gaps, rates, force plates and their loads, which
    foot stands on which plate, events, measurements of the subject, stored model outputs, which
    model `--model auto` takes, and what each bundled model (and yours, with --model) would still need.

    Nothing is written; the text goes to stdout. Frames are numbered as the file numbers them, lengths are in
    metres and forces in newtons.
    """
    from gaitid.inspect.contents import Beside, inspect_trial
    from gaitid.inspect.words import describe

    settings = options.reader_settings(given.pop("pairs"), given.pop("subject_prefix"))
    content = attempt(str(trial), lambda: inspect_trial(trial, Beside(**given), keep_names, settings))
    if content is None:
        return 1
    if as_json:
        print_json(content)
        return 0
    click.echo(describe(content), nl=False)
    for name, model in content["models"].items():
        for warning in model["warnings"]:
            print_detail(f"{trial}: {name}: {warning}")
    return 0
