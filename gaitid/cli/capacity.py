"""`gaitid capacity`."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import Any

import click

from gaitid.cli import options
from gaitid.cli.common import TrialName, attempt, folders_for, print_info, talk_options


def _span(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """``10-90`` as numbers."""
    if value is None:
        return None
    match = re.fullmatch(r"(\d+)-(\d+)", value.strip())
    if match is None or int(match[1]) > int(match[2]):
        raise click.BadParameter(f"expected FIRST-LAST, for example 10-90; found {value!r}")
    return int(match[1]), int(match[2])


@click.command(
    short_help="What accelerations a leg's joint torques could produce, posture by posture.",
    epilog="Example:  gaitid capacity walk.c3d --model pig --limits example --picture 60 -o results\n\n"
    "More: docs/capacity.md",
)
@click.argument("trial", type=TrialName())
@options.option("model", required=True, default=None, show_default=False)
@options.inputs
@click.option(
    "--limits",
    "limits_file",
    required=True,
    metavar="FILE",
    help="YAML with the joints' axes and torques, or example: values to copy, not norms.",
)
@click.option(
    "--endpoint",
    default="foot",
    show_default=True,
    help="What is accelerated: foot, ankle, toe, … over a pelvis that stands still, or hip over a foot that does; or a "
    "point of the model that is fixed in a segment, as hand_end.",
)
@click.option("--side", type=click.Choice(["left", "right"]), help="One leg only.")
@click.option("--frames", callback=_span, metavar="FIRST-LAST", help="Only these, as the file numbers them.")
@click.option(
    "--plane",
    type=click.Choice(["sagittal", "xy", "xz", "yz"]),
    help="Along two directions only: forward and up, or axes of the laboratory (for an arm that moves in a plane).",
)
@click.option("--in-motion", is_flag=True, help="With the joint velocities of the trial, instead of from rest.")
@click.option("--picture", type=int, metavar="FRAME", help="Also draw this frame (PNG), as the file numbers it.")
@click.option("--animation", is_flag=True, help="Also draw all frames (GIF).")
@options.option("cutoff")
@options.option("settings")
@click.option("-o", "--output", default=".", show_default=True, help="Folder for the files.")
@talk_options
@click.pass_context
def command(ctx: click.Context, /, trial: str, output: str, **given: Any) -> int:
    """Compute for each posture of TRIAL what acceleration of the foot, or of the hip over a fixed foot, the joints of
    the leg could produce within the torques of LIMITS: ellipsoids, polytope, and the largest acceleration each way, as
    CSV.

    Every frame is taken from rest, or with --in-motion as it was recorded. docs/capacity.md says what the columns
    mean, and what LIMITS holds.
    """
    from gaitid.capacity.files import CapacityOptions, capacity_file
    from gaitid.capacity.limits import read_limits
    from gaitid.run import prepare

    [(path, folder)] = folders_for([trial], "-o", output)
    chosen = replace(options.run_options(ctx), command=("gaitid", *sys.argv[1:]))
    asked = CapacityOptions(
        given["endpoint"],
        (given["side"],) if given["side"] else (),
        given["frames"],
        given["plane"] == "sagittal",
        given["picture"],
        given["animation"],
        "" if given["plane"] in (None, "sagittal") else given["plane"],
        given["in_motion"],
    )
    setup = prepare(chosen)
    if setup.model is None:
        raise click.UsageError("--model auto: capacity needs the model's name, as its limits are of its joints")
    limits = read_limits(given["limits_file"], setup.model)
    written = attempt(trial, lambda: capacity_file(path, folder, setup, limits, asked))
    if written is None:
        return 1
    capacity, files = written
    for warning in (*(note.text for note in capacity.result.notes), *capacity.warnings):
        print_info(f"{trial}: warning: {warning}")
    print_info(f"{trial}: wrote {', '.join(str(file) for file in files)}")
    return 0
