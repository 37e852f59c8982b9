"""The folder of a simulated walk: the trial as laboratories store it, and the truth beside it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from gaitid.errors import GaitidError, WriteError
from gaitid.simulate.body import SIDES, Subject
from gaitid.simulate.c3d_file import write_c3d
from gaitid.simulate.faults import biased_channels, noisy_channels, noisy_markers, with_gaps
from gaitid.simulate.jet import Array
from gaitid.simulate.scenarios import SCENARIOS
from gaitid.simulate.scene import simulate_walk
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.truth import (
    AXES,
    FIRST_FRAME,
    Table,
    contact_table,
    csv_text,
    joint_table,
    load_table,
    segment_table,
    wrench_table,
)
from gaitid.simulate.walk import Walk
from gaitid.whole import place_all

#: Length of the static trial, s.
STATIC_S = 1.5


def simulate(scenario: str, folder: Path, **options: float | str | tuple[int, ...]) -> tuple[Path, ...]:
    """Write a synthetic trial with its exact wrenches into a folder.

    Parameters
    ----------
    scenario : str
        One of `SCENARIOS`.
    folder : Path
        Made where absent.
    **options
        Fields of `WalkSettings`.

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    GaitidError
        The scenario or an option is unknown, or an option's value is impossible.
    """
    if scenario not in SCENARIOS:
        raise GaitidError(
            f"unknown scenario {scenario!r}",
            expected=", ".join(SCENARIOS),
            todo="choose one of these",
        )
    known = tuple(WalkSettings.__dataclass_fields__)
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise GaitidError(f"scenario {scenario!r} has no option {', '.join(unknown)}", expected=", ".join(known))
    settings = WalkSettings(**options)  # type: ignore[arg-type]
    return write_walk(simulate_walk(settings, scenario), Path(folder))


def write_walk(walk: Walk, folder: Path) -> tuple[Path, ...]:
    """Write every file of a walk into a folder (made where absent), each whole or not at all.

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

    stem = walk.scenario.name
    tables = {
        "": _marker_table(markers, state.time_s),
        ".forces": _force_table(channels, settings.analog_times_s),
        ".truth.wrenches": wrench_table(state),
        ".truth.joints": joint_table(state),
        ".truth.segments": segment_table(state),
        ".truth.contacts": contact_table(walk),
        ".truth.loads": load_table(walk),
    }
    texts = {f"{stem}{kind}.csv": csv_text(table) for kind, table in tables.items()}
    texts |= {f"{stem}.plates.yaml": _plates_yaml(walk), f"{stem}.subject.yaml": _subject_yaml(walk.subject)}
    trial = f"{stem}.c3d"
    names = (trial, "static.c3d", *texts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".simulate-") as aside_name:
            aside = Path(aside_name)
            write_c3d(aside / trial, walk, markers, channels)
            write_c3d(aside / "static.c3d", walk, static, None)
            for name, text in texts.items():
                (aside / name).write_bytes(text.encode("utf-8"))
            place_all([(aside / name, folder / name) for name in names])
    except OSError as error:
        raise WriteError(f"cannot write into {folder}: {error.strerror or error}") from error
    return tuple(folder / name for name in names)


def _marker_table(markers: dict[str, Array], time_s: Array) -> Table:
    table: Table = {
        "frame": FIRST_FRAME + np.arange(time_s.size, dtype=np.float64),
        "time_s": time_s,
    }
    for label, p in markers.items():
        table |= {f"{label}_{axis}_mm": p[:, i] * 1e3 for i, axis in enumerate(AXES)}
    return table


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
    lines = [
        f"mass_kg: {subject.mass_kg:.10g}",
        f"height_m: {subject.height_m:.10g}",
        f"inter_asis_distance_mm: {subject.inter_asis_distance_m * 1e3:.10g}",
        f"marker_diameter_mm: {subject.marker_diameter_m * 1e3:.10g}",
    ]
    for side in SIDES:
        leg = subject.legs[side]
        lines += [
            f"{side}_leg_length_mm: {leg.leg_length_m * 1e3:.10g}",
            f"{side}_knee_width_mm: {leg.knee_width_m * 1e3:.10g}",
            f"{side}_ankle_width_mm: {leg.ankle_width_m * 1e3:.10g}",
            f"{side}_asis_trocanter_distance_mm: {leg.asis_trocanter_distance_m * 1e3:.10g}",
            f"{side}_thigh_rotation_rad: {leg.thigh_rotation_rad:.10g}",
            f"{side}_shank_rotation_rad: {leg.shank_rotation_rad:.10g}",
            f"{side}_tibial_torsion_rad: {leg.tibial_torsion_rad:.10g}",
            f"{side}_static_plantar_flexion_rad: {leg.static_plantar_flexion_rad:.10g}",
            f"{side}_static_rotation_offset_rad: {leg.static_rotation_offset_rad:.10g}",
            f"{side}_ankle_abduction_rad: {leg.ankle_abduction_rad:.10g}",
        ]
    return "\n".join(lines) + "\n"


def _mm(point_m: Array) -> str:
    return ", ".join(f"{1e3 * v + 0.0:.10g}" for v in point_m.tolist())
