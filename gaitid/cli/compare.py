"""`gaitid compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gaitid.cli import options
from gaitid.cli.common import Target, print_error, print_info, print_json, talk_options


@click.command(
    short_help="How far two results differ, or a result and another program's, and why.",
    epilog="Example:  gaitid compare results/walk.run.json trials/walk.c3d -o why.html; or  gaitid compare pig/walk "
    "pig_vicon/walk --tolerance moment_Nm_per_kg=0.1\n\nMore: docs/compare.md",
)
@click.argument("a", type=Target(), metavar="A")
@click.argument("b", type=Target(), metavar="B")
@click.option("-o", "--output", type=Target(), metavar="PAGE.html", help="Also write a page with curves.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout instead of tables.")
@options.tolerance("The largest difference that passes, for example angle_deg=2; may be repeated.")
@click.option(
    "--align",
    "way",
    type=click.Choice(["frames", "time", "cycle"]),
    help="What curves of two results lie over; by default frames of one recording, else the gait cycle.",
)
@click.option(
    "--same",
    type=click.Choice(["session", "subject", "nothing"]),
    help="What results of different trials have in common, for the smallest change that can be told "
    "(docs/compare.md); by default as their records show.",
)
@click.option(
    "--repeatability",
    type=Target(),
    metavar="FILE",
    help="What gaitid repeatability found: the smallest detectable changes are taken from it.",
)
@click.option("--outputs", metavar="SUFFIX", help="Of a C3D with several sets of outputs: what their labels end with.")
@click.option(
    "--knee",
    type=click.Choice(["gait2392", "rajagopal"]),
    help="Whose sign OpenSim's knee has, where its file does not tell.",
)
@click.option(
    "--start",
    "start_s",
    type=float,
    metavar="SECONDS",
    help="When the result's first frame was, by the clock of OpenSim's file; by default as the trial tells.",
)
@talk_options
def command(a: Path, b: Path, output: Path | None, as_json: bool, tolerances: dict[str, float], **reading: Any) -> int:
    """How far A and B lie apart, curve by curve, and why.

    A and B are results (the `run.json` that `gaitid run` wrote, its folder or stem; a folder of several is a session),
    or one of them what another program computed of the trial: a C3D with stored outputs of Plug-in Gait or CGM 2, or
    OpenSim's .sto or .mot.

    Of two results of one recording, and of a result beside Plug-in Gait, one ingredient after the other is exchanged
    to tell how much of the difference each makes. Results of `run --uncertainty` also say whether a difference is more
    than its uncertainty. The exit code is 1 where a difference lies beyond
    --tolerance; without one it is 0.
    """
    from gaitid.compare.comparison import compare
    from gaitid.compare.sources import Reading, files_of, refuse_two_others
    from gaitid.compare.words import beyond
    from gaitid.errors import GaitidError

    try:
        refuse_two_others(a, b)
    except GaitidError as error:
        raise click.UsageError(error.line()) from None
    if output is not None:
        from gaitid.compare.page import refuse_output

        refuse_output(output, files_of(a, b))
    way, same, sessions = (reading.pop(name) for name in ("way", "same", "repeatability"))
    comparison = compare(a, b, Reading(**reading), way, same, sessions)
    if output is not None:
        from gaitid.compare.page import write_page

        write_page(output, comparison)
        print_info(f"wrote {output}")
    if as_json:
        from gaitid.compare.text import content_of

        print_json(content_of(comparison, tolerances))
    else:
        from gaitid.compare.text import text_of

        click.echo(text_of(comparison))
    over = beyond(comparison, tolerances)
    for line in over:
        print_error(f"beyond the tolerance: {line}")
    return 1 if over else 0
