"""`gaitid simulate`, `gaitid mechanism` and `gaitid capacity`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gaitid.cli import options
from gaitid.cli.common import Seconds, Target, TrialName, attempt, folders_for, print_info, talk_options
from gaitid.cli.models import WithTemplates
from gaitid.simulate import ABOUT, ABOUT_CHAINS, ABOUT_FUNCTIONAL

_ALL = {**ABOUT, **ABOUT_FUNCTIONAL, **ABOUT_CHAINS}


class _Simulate(WithTemplates):
    """Its help lists the scenarios."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        kinds = {"Walks": ABOUT, "Functional trials": ABOUT_FUNCTIONAL, "Mechanical systems": ABOUT_CHAINS}
        for kind, about in kinds.items():
            with formatter.section(kind):
                formatter.write_dl(list(about.items()))


def _numbers(ctx: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[int, ...]:
    """``1,4`` and ``1 --plate-type 4`` as numbers."""
    words = [word.strip() for value in values for word in value.split(",")]
    if not all(word.isdecimal() for word in words):
        raise click.BadParameter(f"expected whole numbers such as 2 or 1,4; found {','.join(words)!r}")
    return tuple(int(word) for word in words)


@click.group(
    short_help="A synthetic trial with its exact wrenches beside it.",
    cls=_Simulate,
    epilog="Example:  gaitid simulate walk -o simulated --marker-noise-mm 1 --seed 7; or  "
    "gaitid simulate show double_pendulum > mine.yaml; gaitid simulate mine.yaml -o simulated --rate-hz 200\n\n"
    "What a scenario file holds, and how exact the truth is: docs/simulate.md",
)
@click.argument("scenario")
@click.option("-o", "--output", required=True, type=Target(), help="Folder for the files.")
@click.option("--rate-hz", default=100.0, show_default=True, help="Camera rate.")
@click.option("--analog-rate-hz", default=1000.0, show_default=True, help="Rate of the plates.")
@click.option("--duration", default=4.0, show_default=True, help="Length of the trial, s.")
@click.option("--turn-deg", default=0.0, show_default=True, help="Turn the laboratory about the vertical.")
@click.option("--mirror", is_flag=True, help="Swap left and right.")
@click.option("--segments", is_flag=True, help="Store poses of segments instead of markers (markerless).")
@click.option("--segmented-foot", is_flag=True, help="With hindfoot, forefoot and hallux that move, and their markers.")
@click.option("--full-body", is_flag=True, help="With trunk, head and arms; the ground's load is what they ask.")
@click.option("--impact-bw", default=0.0, show_default=True, help="Height of a transient at every strike.")
@click.option("--impact-absorbed", default=0.0, show_default=True, help="Part of it that the legs' inertia takes.")
@click.option(
    "--plate-type",
    "plate_types",
    multiple=True,
    default=("2",),
    show_default=True,
    callback=_numbers,
    help="C3D types of the plates in turn, as 1,4 or given repeatedly.",
)
@click.option("--plate-seed", default=0, show_default=True, help="Not 0: random origins, calibration, wiring.")
@click.option(
    "--origin-sign",
    type=click.Choice(["nexus", "c3d"]),
    default="nexus",
    show_default=True,
    help="How FORCE_PLATFORM:ORIGIN is written.",
)
@click.option("--seed", default=0, show_default=True, help="Of noise, bias, drift and gaps.")
@click.option("--marker-noise-mm", default=0.0, show_default=True, help="Standard deviation on each coordinate.")
@click.option(
    "--force-noise-n", "force_noise_N", default=0.0, show_default=True, help="Standard deviation on each force, N."
)
@click.option("--plate-bias-n", "plate_bias_N", default=0.0, show_default=True, help="Force of an unloaded plate, N.")
@click.option(
    "--plate-drift-n-per-s", "plate_drift_N_per_s", default=0.0, show_default=True, help="How fast it grows, N/s."
)
@click.option("--gap-count", default=0, show_default=True, help="Gaps in random markers.")
@click.option("--gap-frames", default=10, show_default=True, help="Length of each gap.")
@click.option("--event-shift-s", default=0.0, show_default=True, help="Added to the time of every event, s.")
@click.option("--no-events", is_flag=True, help="Store no events.")
@click.option(
    "--write",
    multiple=True,
    type=click.Choice(["joint_space"]),
    help="Of a mechanical system: also M, V, G, F and J of its equation of motion in every frame.",
)
@click.option(
    "--max-evaluations",
    default=0,
    type=click.IntRange(0),
    help="Of a mechanical system: give up after so many evaluations of its accelerations, about 0.3 ms each.  "
    "[default: 20000 for each second, at least 200000]",
)
@click.option(
    "--time-limit",
    default=0.0,
    type=Seconds(min_open=False),
    metavar="S",
    help="And after so much time.  [default: none]",
)
@talk_options
def simulate_command(
    scenario: str, output: Path, max_evaluations: int, time_limit: float, write: tuple[str, ...], **settings: Any
) -> int:
    """Write a synthetic trial as C3D and CSV, with the exact kinematics and wrenches beside it.

    SCENARIO is a YAML file, `walk`, a two-legged walk with Plug-in Gait markers over two force plates, or another name
    below. A mechanical system is integrated forward; with the trial come its scenario file, to copy and edit, and a
    model for `gaitid run --model`. Options win over what a file says; those of plates, events and the walk as a whole
    (--mirror, --turn-deg, ...) are for walks.
    """
    from gaitid.dynamics.pace import Limits
    from gaitid.simulate.files import simulate
    from gaitid.simulate.scenario_file import scenario_names

    known = scenario_names()
    as_file = Path(scenario).name != scenario or Path(scenario).suffix.lower() in (".yaml", ".yml")
    there = any(Path(name).exists() for name in (scenario, f"{scenario}.yaml"))
    if not (scenario in known or as_file or there):
        raise click.UsageError(f"unknown scenario {scenario!r}; expected one of {', '.join(known)} or a YAML file")
    given = {name: value for name, value in settings.items() if _typed(name)}
    files = simulate(scenario, output, Limits(max_evaluations, time_limit, _say_how_far), write, **given)
    print_info(f"wrote {', '.join(file.name for file in files)} in {output}")
    for file in files:
        if file.name.endswith(".truth.json"):
            truth = json.loads(file.read_text(encoding="utf-8"))
            if "integrator" in truth:
                print_info(_integration_in_words(truth))
    return 0


def _say_how_far(t: float, end: float, evaluations: int) -> None:
    print_info(f"integrated {t:.3g} of {end:.3g} s, {evaluations} evaluations")


def _integration_in_words(truth: dict[str, Any]) -> str:
    """How a motion was integrated, and how well."""
    integrator = truth["integrator"]
    tracking = truth.get("tracking_error")
    off = ""
    if tracking and tracking["coordinate"] is not None:
        off = (
            f"; warning: the tracked motion is missed by up to {tracking['at_most']:g} rad or m "
            f"({tracking['coordinate']}), at the end by up to {tracking['at_the_end_at_most']:g}"
        )
    return (
        f"integrated by {integrator['method']} with tolerances {integrator['rtol']:g} (relative) and "
        f"{integrator['atol']:g} (rad, m, per s); energy drifts by {truth['energy_drift_relative_at_most']:g} of it at "
        f"most, torques agree with the wrenches to {truth['torque_misfit_at_most']:g} N·m or N{off}"
    )


@simulate_command.command("list", epilog="Example:  gaitid simulate list")
@talk_options
def simulate_list() -> int:
    """All that can be simulated without a file: name and title, separated by a tab."""
    click.echo("".join(f"{name}\t{about}\n" for name, about in _ALL.items()), nl=False)
    return 0


@simulate_command.command("show", epilog="Example:  gaitid simulate show turn > mine.yaml")
@click.argument("name")
@talk_options
def simulate_show(name: str) -> int:
    """The YAML of the scenario NAME (a bundled one or a file), to copy and edit."""
    from gaitid.simulate.scenario_file import scenario_template

    click.echo(scenario_template(name), nl=False)
    return 0


def _typed(option: str) -> bool:
    """Whether the user gave an option; the defaults shown are a walk's, and must not win over a file's."""
    return click.get_current_context().get_parameter_source(option) is not click.core.ParameterSource.DEFAULT


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
def mechanism_command(file: str, output: Path, plot: Path | None) -> int:
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


@mechanism_command.command("list", epilog="Example:  gaitid mechanism list")
@talk_options
def mechanism_list() -> int:
    """The bundled mechanisms: name, title and file, separated by tabs."""
    from gaitid.mechanism.file import bundled_mechanisms, load_mechanism

    lines = [f"{name}\t{load_mechanism(path).title}\t{path}\n" for name, path in bundled_mechanisms().items()]
    click.echo("".join(lines), nl=False)
    return 0


@mechanism_command.command("show", epilog="Example:  gaitid mechanism show slider_crank > mine.yaml")
@click.argument("name")
@talk_options
def mechanism_show(name: str) -> int:
    """The YAML of the mechanism NAME (a bundled one or a file), to copy and edit; or a table that one reads."""
    from gaitid.mechanism.files import mechanism_template

    template = mechanism_template(name)
    click.echo(template.text, nl=False)
    for table in template.tables:
        print_info(f"{name} reads {table} beside it: gaitid mechanism show {table} > {table}")
    return 0


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
def capacity_command(ctx: click.Context, /, trial: str, output: str, **given: Any) -> int:
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
