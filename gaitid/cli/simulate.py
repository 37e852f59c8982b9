"""`gaitid simulate`."""

from __future__ import annotations

from pathlib import Path

import click

from gaitid.cli.common import CONTEXT, Target, guarded, say, talk_options


@click.command(
    context_settings=CONTEXT,
    epilog="Example:  gaitid simulate walk -o simulated --marker-noise-mm 1 --seed 7",
)
@click.argument("scenario")
@click.option("-o", "--output", required=True, type=Target(), help="Folder for the files.")
@click.option("--rate-hz", default=100.0, show_default=True, help="Camera rate.")
@click.option("--analog-rate-hz", default=1000.0, show_default=True, help="Rate of the plates.")
@click.option("--duration", default=4.0, show_default=True, help="Length of the trial, s.")
@click.option("--seed", default=0, show_default=True, help="Of the noise.")
@click.option("--marker-noise-mm", default=0.0, show_default=True, help="Standard deviation on each coordinate.")
@click.option(
    "--force-noise-n",
    "force_noise_n",
    default=0.0,
    show_default=True,
    help="Standard deviation on each force channel, N.",
)
@click.option("--turn-deg", default=0.0, show_default=True, help="Turn the laboratory about the vertical.")
@click.option("--mirror", is_flag=True, help="Swap left and right.")
@talk_options
def command(
    scenario: str,
    output: Path,
    rate_hz: float,
    analog_rate_hz: float,
    duration: float,
    seed: int,
    marker_noise_mm: float,
    force_noise_n: float,
    turn_deg: float,
    mirror: bool,
    quiet: bool,
    verbose: bool,
    debug: bool,
) -> int:
    """Write a synthetic trial as C3D and CSV, with the exact kinematics and wrenches beside it.

    SCENARIO is `walk`: a two-legged walk with Plug-in Gait markers over two force plates.
    """
    from gaitid.simulate import SCENARIOS, simulate

    if scenario not in SCENARIOS:
        raise click.UsageError(f"unknown scenario {scenario!r}; expected {' or '.join(SCENARIOS)}")
    worked, files = guarded(
        "",
        lambda: simulate(
            scenario, output, rate_hz=rate_hz, analog_rate_hz=analog_rate_hz, duration=duration, seed=seed,
            marker_noise_mm=marker_noise_mm, force_noise_N=force_noise_n, turn_deg=turn_deg, mirror=mirror,
        ),
        debug,
    )  # fmt: skip
    if not worked:
        return 1
    if not quiet:
        say(f"wrote {', '.join(file.name for file in files)} in {output}")
    return 0
