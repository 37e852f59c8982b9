"""The tables of a simulated trial as its files hold them: columns by name, their text, and the folder of all files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gaitid.disk.atomic import put_all
from gaitid.errors import WriteError
from gaitid.simulate.jet import Array

AXES = ("x", "y", "z")
#: Of every number in its unit. What is less is rounding, which differs from processor to processor: a moment of 0 must
#: not become 1e-16 here and -3e-17 there.
DECIMALS = 10
#: Number of a trial's first frame.
FIRST_FRAME = 1

Frames = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Table = dict[str, Sequence[object] | Array | Frames]


def frame_columns(time_s: Array) -> Table:
    """``frame`` and ``time_s``."""
    return {"frame": FIRST_FRAME + np.arange(time_s.size, dtype=np.float64), "time_s": time_s}


def marker_table(markers: Mapping[str, Array], time_s: Array) -> Table:
    """A trial's markers (frames, 3), m, as plain CSV holds them, mm."""
    table = frame_columns(time_s)
    for label, p in markers.items():
        table |= {f"{label}_{axis}_mm": p[:, i] * 1e3 for i, axis in enumerate(AXES)}
    return table


def segment_columns(name: str, com: Array, rotation: Array, omega: Array, alpha: Array, acceleration: Array) -> Table:
    """Columns of one segment of ``segments.csv``."""
    q = quaternion(rotation)
    return (
        vector_columns(f"{name}_com", com, "m")
        | {f"{name}_q{letter}": q[:, i] for i, letter in enumerate("wxyz")}
        | vector_columns(f"{name}_omega", omega, "rad_per_s")
        | vector_columns(f"{name}_alpha", alpha, "rad_per_s2")
        | vector_columns(f"{name}_acc", acceleration, "m_per_s2")
    )


def wrench_columns(name: str, wrench: tuple[Array, Array], distal: Array) -> Table:
    """Force and moment at a joint, N and N·m, in laboratory axes and in those of the distal segment."""
    table: Table = {}
    for quantity, unit, vector in zip(("force", "moment"), ("N", "Nm"), wrench, strict=True):
        local = np.einsum("tij,ti->tj", distal, vector)
        for frame, components in (("global", vector), ("distal", local)):
            table |= vector_columns(f"{name}_{quantity}_{frame}", components, unit)
    return table


def quaternion(rotation: Array) -> Array:
    """Unit quaternions (times, 4) w, x, y, z of rotations (times, 3, 3): w ≥ 0 first, then continuous."""
    r = rotation
    # 4 q qᵀ from the entries of R (Shepperd 1978): the column with the greatest diagonal entry is well
    # conditioned.
    xx, yy, zz = r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]
    wx, wy, wz = r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]
    xy, xz, yz = r[:, 0, 1] + r[:, 1, 0], r[:, 0, 2] + r[:, 2, 0], r[:, 1, 2] + r[:, 2, 1]
    outer = np.stack(
        [
            np.stack([1 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1 - xx - yy + zz], axis=-1),
        ],
        axis=1,
    )
    best = np.argmax(np.einsum("tii->ti", outer), axis=1)
    q = outer[np.arange(r.shape[0]), best]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    flips = np.where(np.einsum("ti,ti->t", q[1:], q[:-1]) < 0, -1.0, 1.0)
    first = -1.0 if q[0, 0] < 0 else 1.0
    return np.asarray(q * np.concatenate([[first], first * np.cumprod(flips)])[:, None])


def vector_columns(name: str, values: Array, unit: str) -> Table:
    """Three columns ``{name}_{axis}_{unit}`` of (times, 3) values."""
    return {f"{name}_{axis}_{unit}": values[:, i] for i, axis in enumerate(AXES)}


def csv_text(table: Table) -> str:
    """A table as the project writes all its CSV: LF, ``%.10g``, an unknown cell empty."""
    columns = [[_cell(v) for v in (c.tolist() if isinstance(c, np.ndarray) else c)] for c in table.values()]
    lines = [",".join(table), *(",".join(row) for row in zip(*columns, strict=True))]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if isinstance(value, float):
        # + 0.0 turns −0 into 0
        return "" if value != value else f"{round(value, DECIMALS) + 0.0:.10g}"
    text = str(value)
    return f'"{text}"' if "," in text else text


def write_folder(folder: Path, contents: Mapping[str, bytes | str]) -> tuple[Path, ...]:
    """Write files into a folder (made where absent), all of them or none.

    Parameters
    ----------
    folder : Path
    contents : mapping of name to content

    Returns
    -------
    tuple of Path
        The files written.

    Raises
    ------
    WriteError
        The folder cannot be made or written to; nothing is left behind.
    """
    try:
        return tuple(put_all(folder, contents))
    except OSError as error:
        raise WriteError(f"cannot write into {folder}: {error.strerror or error}") from error
