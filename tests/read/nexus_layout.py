"""Lay a `Trial` out as a Nexus CSV export (`docs/csv.md`), for round trips."""

from __future__ import annotations

import numpy as np
from plain_layout import cell

from gaitid.trial import Array, ForcePlate, Trial


def rows_of(frames: Array, sub_frames: Array, columns: list[Array]) -> list[str]:
    return [
        f"{int(f)},{int(s)}," + ",".join(map(cell, row))
        for f, s, row in zip(frames, sub_frames, np.column_stack(columns), strict=True)
    ]


def axes_of(plate: ForcePlate) -> Array:
    c = plate.corners_g
    x, y = c[0] + c[3] - c[1] - c[2], c[0] + c[1] - c[2] - c[3]
    z = np.cross(x, y)
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)


def device_columns(plate: ForcePlate, convention: str) -> tuple[Array, Array, Array]:
    """Force, moment and CoP: as a C3D of Nexus holds them (``plate``), or as Nexus shows them (``laboratory``).

    In the second the force is the action on the plate, in laboratory axes, its moment about the surface's centre.
    """
    R_gp = axes_of(plate)
    f, m = plate.force_p, plate.moment_p
    centre_m = m + np.cross(plate.sensor_p, f)
    with np.errstate(divide="ignore", invalid="ignore"):
        cop_p = np.stack([-centre_m[:, 1], centre_m[:, 0], 0 * f[:, 2]], axis=1) / f[:, 2:]
    cop_p[np.abs(f[:, 2]) < 20] = 0  # Nexus: the plate's centre where it is not loaded
    cop_g = plate.corners_g.mean(axis=0) + cop_p @ R_gp.T
    if convention == "plate":
        return f, m, cop_g
    return -f @ R_gp.T, -centre_m @ R_gp.T, cop_g


def to_nexus_csv(
    trial: Trial,
    convention: str = "plate",
    device: str = "Imported AMTI OR6 Series Force Plate #{number}",
    subject: str = "Test",
    device_first_frame: int | None = None,
    with_emg: bool = False,
) -> str:
    """The text of an export with Devices (where there are plates) and Trajectories."""
    blocks: list[list[str]] = []
    if trial.plates:
        names: list[str] = []
        axes: list[str] = []
        units: list[str] = []
        columns: list[Array] = []
        for plate in trial.plates:
            name = device.format(number=plate.number)
            for what, letter, unit, values in zip(
                ("Force", "Moment", "CoP"), "FMC", ("N", "N.mm", "mm"), device_columns(plate, convention), strict=True
            ):
                names += [f"{name} - {what}", "", ""]
                axes += [letter + axis for axis in "xyz"]
                units += [unit] * 3
                columns += list((values * (1.0 if letter == "F" else 1e3)).T)
        if with_emg:
            names += ["Imported Analog EMG - Voltage", ""]
            axes += ["1", "2"]
            units += ["V", "mV"]
            of_sample = np.arange(len(columns[0]), dtype=np.float64)
            columns += [1e-5 * of_sample, 1e-2 * of_sample]
        rate = trial.plates[0].rate_hz
        per_frame = round(rate / trial.rate_hz)
        i = np.arange(len(columns[0]), dtype=np.float64)
        first = trial.first_frame if device_first_frame is None else device_first_frame
        blocks.append(
            [
                "Devices",
                f"{rate:g}",
                ",," + ",".join(names),
                "Frame,Sub Frame," + ",".join(axes),
                ",," + ",".join(units),
                *rows_of(first + i // per_frame, i % per_frame, columns),
            ]
        )
    n = len(trial.labels)
    frames = trial.first_frame + np.arange(trial.n_frames, dtype=np.float64)
    points = [1e3 * trial.points_g[:, k, j] for k in range(n) for j in range(3)]
    blocks.append(
        [
            "Trajectories",
            f"{trial.rate_hz:g}",
            ",," + ",".join(f"{subject}:{label},," for label in trial.labels),
            "Frame,Sub Frame" + ",X,Y,Z" * n,
            ",," + ",".join(["mm"] * 3 * n),
            *rows_of(frames, 0 * frames, points),
        ]
    )
    return "\r\n\r\n".join("\r\n".join(block) for block in blocks) + "\r\n\r\n"
