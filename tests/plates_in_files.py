"""The simulated walk as a C3D file whose plates stand in it as a test wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ezc3d
import numpy as np

from gaitid.simulate.c3d_file import walk_c3d
from gaitid.simulate.settings import WalkSettings
from gaitid.simulate.walk import Walk
from gaitid.simulate.walk_setup import simulate_walk

RATE = 200.0


@dataclass(frozen=True)
class Filed:
    """A plate as a file holds it: corners and sensor in metres; six channels about the sensor, N and N·m."""

    corners_g: np.ndarray  # (4, 3)
    sensor_p: np.ndarray  # (3,)
    channels: np.ndarray  # (n, 6)
    units: Sequence[str] = ("N", "N", "N", "Nmm", "Nmm", "Nmm")
    stored_in: Mapping[str, float] = field(default_factory=lambda: {"N": 1.0, "Nmm": 1e3, "Nm": 1.0})

    @property
    def R_gp(self) -> np.ndarray:
        c1, c2, c3, c4 = self.corners_g
        x, y = c1 + c4 - c2 - c3, c1 + c2 - c3 - c4
        x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
        return np.column_stack([x, y, np.cross(x, y)])

    def in_laboratory(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3) force and moment about the laboratory's origin."""
        force = self.channels[:, :3] @ self.R_gp.T
        sensor_g = self.corners_g.mean(axis=0) + self.R_gp @ self.sensor_p
        return force, self.channels[:, 3:] @ self.R_gp.T + np.cross(sensor_g, force)


def seen_from(force_g: np.ndarray, moment_g: np.ndarray, corners_g: np.ndarray, sensor_p: np.ndarray) -> Filed:
    """A plate with these corners and this sensor that feels a force and a moment about the laboratory's origin."""
    empty = Filed(corners_g, sensor_p, np.zeros((0, 6)))
    sensor_g = corners_g.mean(axis=0) + empty.R_gp @ sensor_p
    moment_g = moment_g - np.cross(sensor_g, force_g)
    return Filed(corners_g, sensor_p, np.hstack([force_g @ empty.R_gp, moment_g @ empty.R_gp]))


def walk_over_plates() -> tuple[Walk, list[Filed]]:
    """The walk, and its two plates."""
    walk = simulate_walk(WalkSettings(duration=4.0, analog_rate_hz=RATE), "walk")
    channels = walk.plate_channels(walk.settings.analog_times_s)
    return walk, [Filed(p.corners_g, p.sensor_p, np.hstack(channels[p.number])) for p in walk.plates]


def write(
    path: Path,
    walk: Walk,
    plates: Sequence[Filed],
    *,
    declared: int | None = None,
    group: bool = True,
    labels: str = "{what}{axis}{number}",
    first: int = 1,
    wired: Mapping[int, int] | None = None,
) -> Path:
    """The walk with these plates, type 2.

    `declared` is ``USED``; without `group` there is no FORCE_PLATFORM; `wired` says whose channels a plate has; the
    names of channels count from `first`.
    """
    times = walk.settings.times_s
    channels = walk.plate_channels(walk.settings.analog_times_s)
    path.write_bytes(walk_c3d(walk, dict(walk.at(times).marker_g), channels))
    c: Any = ezc3d.c3d(str(path))
    rows, units, names = [], [], []
    for number, plate in enumerate(plates, start=1):
        for i, unit in enumerate(plate.units):
            rows.append(plate.channels[:, i] * (plate.stored_in.get(unit, 1.0) if i > 2 else 1.0))
            names.append(
                labels.format(
                    what="FM"[i // 3],
                    word=("Force", "Moment")[i // 3],
                    axis="xyz"[i % 3],
                    AXIS="XYZ"[i % 3],
                    number=number - 1 + first,
                    side="LR"[number % 2 - 1],
                    long=("Left", "Right")[number % 2 - 1],
                )
            )
        units += plate.units
    n = len(rows)
    analog = c["parameters"]["ANALOG"]
    for name, value in (("LABELS", names), ("UNITS", units), ("DESCRIPTIONS", [""] * n), ("SCALE", [1.0] * n)):
        analog[name]["value"] = value
    analog["OFFSET"]["value"] = [0] * n
    c["data"]["analogs"] = np.stack(rows)[None]
    of = {number: number for number in range(1, len(plates) + 1)} | dict(wired or {})
    group_of = c["parameters"]["FORCE_PLATFORM"]
    group_of["USED"]["value"] = [len(plates) if declared is None else declared]
    group_of["TYPE"]["value"] = [2] * len(plates)
    group_of["CORNERS"]["value"] = np.stack([plate.corners_g.T * 1e3 for plate in plates], axis=-1)
    group_of["ORIGIN"]["value"] = np.stack([-plate.sensor_p * 1e3 for plate in plates], axis=-1)
    group_of["CHANNEL"]["value"] = np.stack([np.arange(1, 7) + 6 * (of[k + 1] - 1) for k in range(len(plates))], -1)
    if not group:
        del c["parameters"]["FORCE_PLATFORM"]
    c.write(str(path))
    return path
