"""`gaitid simulate`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from gaitid.cli.common import Seconds, Target, print_info, talk_options
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
def command(
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


@command.command("list", epilog="Example:  gaitid simulate list")
@talk_options
def list_() -> int:
    """All that can be simulated without a file: name and title, separated by a tab."""
    click.echo("".join(f"{name}\t{about}\n" for name, about in _ALL.items()), nl=False)
    return 0


@command.command("show", epilog="Example:  gaitid simulate show turn > mine.yaml")
@click.argument("name")
@talk_options
def show(name: str) -> int:
    """The YAML of the scenario NAME (a bundled one or a file), to copy and edit."""
    from gaitid.simulate.scenario_file import scenario_template

    click.echo(scenario_template(name), nl=False)
    return 0


def _typed(option: str) -> bool:
    """Whether the user gave an option; the defaults shown are a walk's, and must not win over a file's."""
    return click.get_current_context().get_parameter_source(option) is not click.core.ParameterSource.DEFAULT
