"""The folder of a simulated walk: the trial as laboratories store it, and the truth beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gaitid.errors import GaitidError
from gaitid.numerics.jet import Array
from gaitid.simulate.body import MEASURED, OFFSETS, SIDES, Subject, in_mm
from gaitid.simulate.c3d_file import stored_poses, walk_c3d
from gaitid.simulate.scenario_file import load_scenario
from gaitid.simulate.settings import biased_channels, noisy_channels, noisy_markers, noisy_poses, with_gaps
from gaitid.simulate.truth import (
    AXES,
    Table,
    com_table,
    contact_table,
    csv_text,
    joint_table,
    load_table,
    marker_table,
    segment_table,
    wrench_table,
    write_folder,
)
from gaitid.simulate.walk import Walk

if TYPE_CHECKING:
    from gaitid.dynamics.pace import Limits

#: Length of the static trial, s.
STATIC_S = 1.5


def simulate(
    scenario: str | Path,
    folder: Path,
    limits: Limits | None = None,
    write: Sequence[str] = (),
    **options: float | str | tuple[int, ...],
) -> tuple[Path, ...]:
    """Write a synthetic trial with its exact kinematics and wrenches into a folder.

    Parameters
    ----------
    scenario : str or Path
        One of `SCENARIOS`, the name of a bundled scenario, or a YAML file.
    folder : Path
        Made where absent.
    limits : Limits, optional
        After how much work the integration of a mechanical system is given up, and who is told how far it is.
    write : sequence of str
        What else is written of a mechanical system: ``joint_space``.
    **options
        Fields of `WalkSettings`, or of `ChainSettings` for a scenario of kind ``chain``; they win over the file's.

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    GaitidError
        The scenario or an option is unknown, or a value is impossible.
    """
    what = load_scenario(str(scenario), options)
    if isinstance(what, Walk):
        if write:
            raise GaitidError(f"{what.scenario.name}: a walk has no joint space", todo="leave out --write")
        return write_walk(what, Path(folder))
    from gaitid.simulate.walk_setup import FunctionalScenario, write_functional

    if isinstance(what, FunctionalScenario):
        return write_functional(what, Path(folder))
    from gaitid.dynamics.pace import Limits
    from gaitid.simulate.chain_files import write_chain

    return write_chain(what, Path(folder), limits or Limits(), write)


def write_walk(walk: Walk, folder: Path) -> tuple[Path, ...]:
    """Write every file of a walk into a folder (made where absent), all of them or none.

    Parameters
    ----------
    walk : Walk
    folder : Path

    Returns
    -------
    tuple of Path
        The files written.
    """
    settings = walk.settings
    state = walk.at(settings.times_s)
    noise = np.random.default_rng(int(settings.seed))
    # Drawn in a fixed order, so that the same seed gives the same bytes.
    markers = with_gaps(noisy_markers(state.marker_g, settings, noise), settings)
    channels = noisy_channels(walk.plate_channels(settings.analog_times_s), settings, noise)
    channels = biased_channels(channels, settings)
    static = noisy_markers(walk.static_markers(max(2, round(STATIC_S * settings.rate_hz))), settings, noise)

    poses = noisy_poses(stored_poses(state), settings) if settings.segments else {}

    stem = walk.scenario.name
    tables = {
        "": marker_table(markers, state.time_s),
        ".forces": _force_table(channels, settings.analog_times_s),
        ".truth.wrenches": wrench_table(state),
        ".truth.joints": joint_table(state),
        ".truth.segments": segment_table(state),
        ".truth.contacts": contact_table(walk),
        ".truth.loads": load_table(walk),
    }
    if settings.full_body:
        tables[".truth.com"] = com_table(state)
    texts = {f"{stem}{kind}.csv": csv_text(table) for kind, table in tables.items()}
    texts |= {f"{stem}.plates.yaml": _plates_yaml(walk), f"{stem}.subject.yaml": _subject_yaml(walk.subject)}
    moving = walk_c3d(walk, {} if poses else markers, channels, poses)
    return write_folder(folder, {f"{stem}.c3d": moving, "static.c3d": walk_c3d(walk, static, None), **texts})


def _force_table(channels: dict[int, tuple[Array, Array]], time_s: Array) -> Table:
    table: Table = {"time_s": time_s}
    for number, (force, moment) in channels.items():
        table |= {f"plate{number}_F{axis}_N": force[:, i] for i, axis in enumerate(AXES)}
        table |= {f"plate{number}_M{axis}_Nmm": moment[:, i] * 1e3 for i, axis in enumerate(AXES)}
    return table


def _plates_yaml(walk: Walk) -> str:
    lines = ["plates:"]
    for plate in walk.plates:
        corners = ", ".join(f"[{_mm(c)}]" for c in plate.corners_g)
        lines += [
            f"  - number: {plate.number}",
            f"    corners_mm: [{corners}]",
            f"    origin_mm: [{_mm(plate.sensor_p)}]"
            "  # from the surface's centre to the sensor, in plate axes (z down)",
            "    force_sense: reaction  # the channels hold the ground's reaction on the subject",
        ]
    return "\n".join(lines) + "\n"


def _subject_yaml(subject: Subject) -> str:
    values = {"mass_kg": subject.mass_kg, "height_m": subject.height_m}
    values |= {f"{name}_mm": getattr(subject, f"{name}_m") * 1e3 for name in ("inter_asis_distance", "marker_diameter")}
    for side in SIDES:
        for name, value in vars(subject.legs[side]).items():
            if name in MEASURED or name in OFFSETS:
                key = f"{name}m" if name.endswith("_m") else name
                values[f"{side}_{key}"] = in_mm(name, value)
    return "".join(f"{name}: {value:.10g}\n" for name, value in values.items())


def _mm(point_m: Array) -> str:
    return ", ".join(f"{1e3 * v + 0.0:.10g}" for v in point_m.tolist())
