"""`gaitid calibrate`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from gaitid.cli import options
from gaitid.cli.common import Target, attempt, print_info, talk_options

# Codes of notes that say nothing of a standing trial.
OF_WALKS = {
    "no_known_load",
    "no_known_wrench",
    "mass_unknown",
    "mass_estimated",
    "filters_differ",
    "impact",
    "model_limits",
}


@click.command(
    short_help="What a session needs of its static, once: a subject file.",
    epilog="Example:  gaitid calibrate static.c3d -o subject.yaml; gaitid run walk*.c3d --subject subject.yaml\n\n"
    "More: docs/static.md, and what a subject file holds: docs/subject.md",
)
@click.argument("static", type=Target())
@options.option("model")
@options.option("markers")
@options.option("subject")
@options.option("functional")
@options.table_inputs
@options.option("subject_prefix")
@options.option("settings")
@click.option("-o", "--output", type=Target(), required=True, help="The subject file to write.")
@talk_options
@click.pass_context
def command(ctx: click.Context, /, static: Path, output: Path, **of_analysis: Any) -> int:
    """Measure once a session what its trials need of STATIC, a trial of quiet standing: lengths and angles of the
    subject, the body's mass where the static stands on plates, and where each marker lies on its segment.

    The file goes to `gaitid run`, `check` and `batch` with --subject, in place of --static. What could only be assumed
    is left out of it.
    """
    from gaitid.run import calibrate_file

    if str(output) == "-":
        raise click.UsageError("-o -: the subject file goes to a file; give its name, for example subject.yaml")
    chosen = options.run_options(ctx, static=str(static))
    made = attempt(str(static), partial(calibrate_file, static, output, chosen))
    if made is None:
        return 1
    for note in made.notes:
        if note.code not in OF_WALKS:
            print_info(f"{static}: warning: {note.text}")
    print_info(f"{static}: model {made.model.name}; wrote {output}")
    return 0
