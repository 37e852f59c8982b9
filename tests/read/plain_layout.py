"""Lay a `Trial` out as plain CSV (`docs/csv.md`), for round trips. A small trial to do it with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gaitid.trial import Array, ForcePlate, Trial

AXES = "xyz"


@dataclass(frozen=True)
class Files:
    trial: Path
    forces: Path
    plates: Path


def rotation_z_down(turn: float) -> Array:
    """(3, 3) plate axes in the laboratory: z down, x turned by `turn` rad about the vertical."""
    c, s = np.cos(turn), np.sin(turn)
    x, z = np.array([c, s, 0.0]), np.array([0.0, 0.0, -1.0])
    return np.stack([x, np.cross(z, x), z], axis=1)


def plate(number: int, turn: float, centre: tuple[float, float, float], n: int, rate_hz: float) -> ForcePlate:
    """A plate of 0.5 × 0.6 m with a load that moves over it; its sensor is 40 mm below the surface."""
    R_gp = rotation_z_down(turn)
    corners_p = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]]) * [0.25, 0.3, 0]
    t = np.linspace(0, np.pi, n)
    force = np.stack([30 * np.cos(t), -20 * np.sin(2 * t), -700 * np.sin(t)], axis=1)
    cop = np.stack([0.1 * np.cos(t), 0.05 * np.sin(t), np.zeros(n)], axis=1)
    sensor = np.array([0.001, -0.002, 0.04])
    free = np.stack([np.zeros(n), np.zeros(n), 3 * np.sin(t)], axis=1)
    return ForcePlate(
        number=number,
        kind=2,
        corners_g=np.array(centre) + corners_p @ R_gp.T,
        sensor_p=sensor,
        rate_hz=rate_hz,
        force_p=force,
        moment_p=free + np.cross(cop - sensor, force),
    )


def small_trial(rate_hz: float = 100.0, force_rate_hz: float = 1000.0, frames: int = 12) -> Trial:
    """Three markers (one with a gap) and two plates turned against each other."""
    rng = np.random.default_rng(7)
    points = rng.normal(size=(frames, 3, 3))
    points[3:5, 1] = np.nan
    n = round(frames * force_rate_hz / rate_hz)
    return Trial(
        path=Path("small.c3d"),
        rate_hz=rate_hz,
        first_frame=41,
        labels=("LASI", "RASI", "SACR"),
        points_g=points,
        plates=(
            plate(1, 0.3, (0.3, 0.4, 0.0), n, force_rate_hz),
            plate(2, 0.3 + np.pi / 2, (1.0, 0.4, 0.1), n, force_rate_hz),
        ),
    )


def cell(value: float) -> str:
    """As the product writes a number: ten digits, empty where unknown."""
    return "" if np.isnan(value) else f"{value:.10g}"


def table(header: list[str], columns: list[Array], delimiter: str = ",") -> str:
    rows = (delimiter.join(map(cell, row)) for row in np.column_stack(columns))
    return "\n".join([delimiter.join(header), *rows]) + "\n"


def plates_yaml(plates: tuple[ForcePlate, ...], force_sense: str = "reaction", extra: str = "") -> str:
    lines = ["plates:"]
    for p in plates:
        lines += [
            f"  - number: {p.number}",
            f"    corners_mm: {(1e3 * p.corners_g).tolist()}",
            f"    origin_mm: {(1e3 * p.sensor_p).tolist()}",
            f"    force_sense: {force_sense}",
        ]
        lines += [f"    {line}" for line in extra.splitlines()]
    return "\n".join(lines) + "\n"


def marker_columns(trial: Trial, unit: str = "mm") -> tuple[list[str], list[Array]]:
    scale = {"mm": 1e3, "cm": 1e2, "m": 1.0}[unit]
    header = [f"{label}_{axis}_{unit}" for label in trial.labels for axis in AXES]
    return header, [trial.points_g[:, i, j] * scale for i in range(len(trial.labels)) for j in range(3)]


def force_columns(trial: Trial, moment_unit: str = "Nmm", sign: float = 1.0) -> tuple[list[str], list[Array]]:
    scale = {"Nmm": 1e3, "Nm": 1.0}[moment_unit]
    header: list[str] = []
    columns: list[Array] = []
    for p in trial.plates:
        header += [f"plate{p.number}_F{axis}_N" for axis in AXES]
        header += [f"plate{p.number}_M{axis}_{moment_unit}" for axis in AXES]
        columns += [sign * p.force_p[:, j] for j in range(3)]
        columns += [sign * p.moment_p[:, j] * scale for j in range(3)]
    return header, columns


def write_plain(trial: Trial, folder: Path, force_sense: str = "reaction", unit: str = "mm") -> Files:
    """``walk.csv``, ``walk.forces.csv`` and ``walk.plates.yaml``."""
    files = Files(folder / "walk.csv", folder / "walk.forces.csv", folder / "walk.plates.yaml")
    header, columns = marker_columns(trial, unit)
    frame = trial.first_frame + np.arange(trial.n_frames, dtype=np.float64)
    files.trial.write_text(table(["frame", "time_s", *header], [frame, trial.time_s, *columns]))
    if trial.plates:
        sign = 1.0 if force_sense == "reaction" else -1.0
        header, columns = force_columns(trial, sign=sign)
        time = np.arange(len(trial.plates[0].force_p)) / trial.plates[0].rate_hz
        files.forces.write_text(table(["time_s", *header], [time, *columns]))
        files.plates.write_text(plates_yaml(trial.plates, force_sense))
    return files
