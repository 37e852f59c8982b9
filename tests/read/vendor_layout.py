"""Lay a `Trial` out as Qualisys Track Manager, OptiTrack Motive and Cortex write it, after their descriptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from gaitid.ground.plate_load import plate_axes
from gaitid.trial import Array, ForcePlate, Trial

CORNERS = ("POSX_POSY", "NEGX_POSY", "NEGX_NEGY", "POSX_NEGY")


def number(value: float) -> str:
    return f"{value:.9f}"


def qtm_markers(
    trial: Trial, gap: str = "0.000", leading: str = "Frame\tTime", show: Callable[[float], str] = number
) -> str:
    """`leading`: the columns before the coordinates, as their row of names has them; empty: no such row either."""
    head = [
        f"NO_OF_FRAMES\t{trial.n_frames}",
        "NO_OF_CAMERAS\t8",
        f"NO_OF_MARKERS\t{len(trial.labels)}",
        f"FREQUENCY\t{trial.rate_hz:g}",
        "NO_OF_ANALOG\t0",
        "ANALOG_FREQUENCY\t0",
        "DESCRIPTION\t--",
        "TIME_STAMP\t2024-04-15, 10:39:38.777\t406646.66137317",
        "EVENT\tRHS\t44\t0.03",
        "EVENT\tLTO\t400\t4.0",
        "DATA_INCLUDED\t3D",
        "\t".join(["MARKER_NAMES", *trial.labels]),
        "\t".join(["TRAJECTORY_TYPES", *["Measured"] * len(trial.labels)]),
    ]
    if leading:
        head.append("\t".join([leading, *(f"{label} {axis}" for label in trial.labels for axis in "XYZ")]))
    rows = []
    for i, points in enumerate(trial.points_g.reshape(trial.n_frames, -1) * 1e3):
        cells = [gap if np.isnan(v) else show(v) for v in points]
        before = {"Frame\tTime": [str(trial.first_frame + i), f"{trial.time_s[i] + 0.41:.5f}"]}.get(leading, [])
        rows.append("\t".join([*before, *cells]))
    return "\n".join([*head, *rows]) + "\n"


def cop_of(plate: ForcePlate) -> Array:
    """(n, 3) the centre of pressure in plate axes from the surface's centre, m; 0 without a load."""
    f, m = plate.force_p, plate.moment_p + np.cross(plate.sensor_p, plate.force_p)
    down = np.where(np.abs(f[:, 2]) > 1e-9, f[:, 2], np.inf)
    return np.stack([-m[:, 1] / down, m[:, 0] / down, np.zeros(len(f))], axis=1)


def qtm_forces(plate: ForcePlate, local: bool = True, sense: float = -1.0, mm: float = 1.0, described: str = "") -> str:
    """The force on the plate (`sense` −1) in its axes or in those of the laboratory, the moment about its centre."""
    R, centre, _ = plate_axes(plate)
    moment = plate.moment_p + np.cross(plate.sensor_p, plate.force_p)
    cop, turn = cop_of(plate), np.eye(3) if local else R.T
    cop = cop if local else centre + cop @ R.T
    values = np.hstack([sense * plate.force_p @ turn, sense * mm * moment @ turn, 1e3 * cop])
    head = [
        f"NO_OF_SAMPLES\t{plate.n_samples}",
        f"FREQUENCY\t{plate.rate_hz:g}",
        "FIRST_SAMPLE\t7853",
        f"DESCRIPTION\t{described or ('Force data in local (force plate) coordinates' if local else '--')}",
        "DATA_INCLUDED\tForce",
        f"FORCE_PLATE_NAME\tForce-plate {plate.number}",
    ]
    for name, corner in zip(CORNERS, plate.corners_g, strict=True):
        head += [f"FORCE_PLATE_CORNER_{name}_{axis}\t{1e3 * v:.6f}" for axis, v in zip("XYZ", corner, strict=True)]
    names = [f"{what}_{axis}" for what in ("Force", "Moment", "COP") for axis in "XYZ"]
    rows = ["\t".join([str(i + 1), f"{i / plate.rate_hz:.5f}", *map(number, row)]) for i, row in enumerate(values)]
    return "\n".join([*head, "\t".join(["SAMPLE", "TIME", *names]), *rows]) + "\n"


def motive(trial: Trial, unit: str = "Meters", named: bool = True, between: str = ",", prefix: str = "P7:") -> str:
    """Markers as they were seen, before them a rigid body, behind them one of its markers, one unlabelled, a bone."""
    scale = {"Meters": 1.0, "Millimeters": 1e3}[unit]
    columns: list[tuple[str, str, str, str, Array | None]] = [
        ("Rigid Body", "Box", "Rotation", axis, np.zeros(trial.n_frames)) for axis in "XYZW"
    ]
    for i, label in enumerate(trial.labels):
        columns += [
            ("Marker", prefix + label, "Position", axis, trial.points_g[:, i, j] * scale)
            for j, axis in enumerate("XYZ")
        ]
    away = trial.points_g[:, 0] * scale + 0.004 * scale
    columns += [("Bone Marker", prefix + trial.labels[0], "Position", a, away[:, j]) for j, a in enumerate("XYZ")]
    columns += [("Rigid Body Marker", "Box:Marker 1", "Position", a, away[:, j]) for j, a in enumerate("XYZ")]
    columns += [("Marker", "Unlabeled 1189", "Position", a, away[:, j]) for j, a in enumerate("XYZ")]
    columns += [("Bone", prefix + "Hip", "Position", a, away[:, j]) for j, a in enumerate("XYZ")]
    rows: list[Sequence[str]] = [
        ["Format Version", "1.23", "Take Name", "walk", "Capture Frame Rate", "200.000000", "Export Frame Rate"],
        [],
    ]
    rows[0] = [*rows[0], f"{trial.rate_hz:.6f}", "Rotation Type", "Quaternion", "Length Units", unit]
    for k, name in enumerate(("Type", "Name", "ID")):
        cells = [column[k] if k < 2 else "AB12" for column in columns]
        rows.append(["", name if named else "", "", *cells])
    rows.append(["", "", "", *(column[2] for column in columns)])
    rows.append(["Frame", "Time (Seconds)", "TimeCode", *(column[3] for column in columns)])
    for i in range(trial.n_frames):
        cells = ["" if np.isnan(c[4][i]) else f"{c[4][i]:.9f}" for c in columns]
        rows.append([str(i), f"{trial.time_s[i]:.6f}", "15:26:46:12.02", *cells])
    text = "\n".join(between.join(row) for row in rows) + "\n"
    return text if between == "," else text.replace(".", ",").replace("15:26:46:12,02", "15:26:46:12.02")


def cortex_forces(plates: Sequence[ForcePlate], moments: bool = False) -> str:
    """Force, point and free moment about the upward axis; or force and moment about the laboratory's origin."""
    names, columns = ["#Sample"], [np.arange(1.0, plates[0].n_samples + 1)]
    for plate in plates:
        R, centre, _ = plate_axes(plate)
        force, cop = plate.force_p @ R.T, centre + cop_of(plate) @ R.T
        moment = (plate.moment_p + np.cross(plate.sensor_p, plate.force_p)) @ R.T + np.cross(centre, force)
        n = plate.number
        names += [f"F{axis}{n}" for axis in "XYZ"]
        names += [f"M{axis}{n}" for axis in "XYZ"] if moments else [f"X{n}", f"Y{n}", f"Z{n}", f"MZ{n}"]
        free = (moment - np.cross(cop, force))[:, 2:]
        columns += [*force.T, *(1e3 * moment.T if moments else [*(1e3 * cop.T), *(1e3 * free.T)])]
    head = ["[Force Data]", f"NumberOfForcePlates={len(plates)}", f"SampleRate={plates[0].rate_hz:.6f}"]
    head += [f"NumberOfSamples={plates[0].n_samples}", "\t".join(names)]
    rows = ["\t".join([f"{row[0]:.0f}", *map(number, row[1:])]) for row in np.column_stack(columns)]
    return "\r\n".join([*head, *rows]) + "\r\n"


def anc(plates: Sequence[ForcePlate], newtons_per_volt: float = 200.0, bits: int = 16) -> tuple[str, str]:
    """The counts of a converter, and ``forcepla.cal`` that says what they mean."""
    names, columns, cal = [], [], []
    for p in plates:
        R, centre, half = plate_axes(p)
        matrix = np.diag([1.0, 1.0, 2.0, 0.5, 0.5, 0.25]) * newtons_per_volt * 4
        matrix[0, 1] = 3.0
        volts = -np.hstack([p.force_p, p.moment_p]) @ np.linalg.inv(0.25 * matrix).T
        columns += [*np.round(volts / 10.0 * 2 ** (bits - 1)).T]
        names += [f"{kind}{p.number}{axis}" for kind in "FM" for axis in "XYZ"]
        blocks = [[[p.number]], [[0.25, *(200 * half)]], matrix, [-100 * p.sensor_p], [100 * centre], R]
        cal += [" ".join(f"{v:.9g}" for v in row) for block in blocks for row in block]
    rate, n = plates[0].rate_hz, plates[0].n_samples
    head = [
        "File_Type:\tAnalog R/C ASCII\tGeneration#:\t2",
        "Board_Type:\tUSB-6225\tPolarity:\tBipolar",
        f"Trial_Name:\twalk\tTrial#:\t1\tDuration(Sec.):\t{n / rate:.6f}\t#Channels:\t{len(names)}",
        f"BitDepth:\t{bits}\tPreciseRate:\t{rate:.6f}",
        *[""] * 4,
        "\t".join(["Name", *names, ""]),
        "\t".join(["Rate", *[f"{rate:g}"] * len(names), ""]),
        "\t".join(["Range", *["10000"] * len(names), ""]),
    ]
    rows = ["\t".join([f"{i / rate:.6f}", *(f"{v:.0f}" for v in row)]) for i, row in enumerate(np.array(columns).T)]
    return "\n".join([*head, *rows]) + "\n", "\n".join(cal) + "\n"


def about_origin(plate: ForcePlate) -> tuple[Array, Array]:
    """Force and moment about the laboratory's origin, in its axes."""
    R, centre, _ = plate_axes(plate)
    force = plate.force_p @ R.T
    return force, plate.moment_p @ R.T + np.cross(centre + R @ plate.sensor_p, force)


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path
