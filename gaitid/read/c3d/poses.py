"""Poses of segments that a C3D file stores in its group ROTATION, as markerless systems and inertial suits write them.

The group and its data are an extension of the format by C-Motion (HAS-Motion's documentation of Visual3D, page
"ROTATION data type"): ``USED`` segments, ``RATE``, ``RATIO`` to the rate of the points, ``LABELS``, and ``DATA_START``,
the block in which the data begin: for each frame and segment 17 reals, a 4 × 4 matrix column by column that maps the
segment's coordinates to the laboratory's, and how reliable it is (negative: not known).
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from gaitid.errors import ReadError
from gaitid.notes import Notes, note
from gaitid.read.c3d.frame_layout import first_number
from gaitid.read.c3d.layout import Layout, pose_section
from gaitid.read.c3d.sections import NumberFormat, Parameters, Section, as_float64
from gaitid.read.subjects import listed
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

#: Reals of one segment in one frame.
REALS = 17
# Columns of a matrix whose lengths and angles differ by more from those of a rotation are none: reals of four bytes,
# written and turned once or twice, keep them to 1e-6.
_ROTATION = 1e-3


@frozen_dataclass(eq=False)
class Poses:
    """Poses as a file stores them, at the rate of the trial.

    Attributes
    ----------
    labels : tuple of str
    R_gs : (frames, segments, 3, 3) array
        NaN where the file does not know it.
    origin_g : (frames, segments, 3) array
        In the file's unit of length.
    """

    labels: tuple[str, ...]
    R_gs: Array
    origin_g: Array


def read_poses(
    file: BinaryIO, section: Section, layout: Layout, numbers: NumberFormat, size: int
) -> tuple[Poses | None, Notes]:
    """The poses of a file, one for each frame of the trial; None where it stores none.

    Raises
    ------
    ReadError
        The data do not lie inside the file.
    """
    parameters = section.parameters
    place = pose_section(section, size)
    if place is None:
        return None, ()
    start, used = place
    ratio = pose_ratio(parameters, layout.rate_hz)
    if ratio is None:
        rate = first_number(parameters, "ROTATION", "RATE")
        return None, (note("file_incomplete/pose_rate", rate_hz=rate, trial_hz=layout.rate_hz),)
    n_frames = layout.n_frames * ratio
    need = n_frames * used * REALS * 4
    if start + need > size:
        raise ReadError(
            "truncated C3D file: its segment poses (group ROTATION) go on behind its end",
            expected=f"{start + need} bytes for {n_frames} frames of {used} segments",
            found=f"{size} bytes",
            todo="copy or export the trial again",
        )
    file.seek(start)
    data = as_float64(numbers.reals(file.read(need))).reshape(n_frames, used, REALS)[::ratio]
    matrix = np.swapaxes(data[..., :16].reshape(*data.shape[:2], 4, 4), 2, 3)
    R, origin = matrix[..., :3, :3], matrix[..., :3, 3]
    named = parameters["ROTATION"].get("LABELS")
    named = named[:used] if isinstance(named, list) else []
    labels = (*named, *(f"segment {i + 1}" for i in range(len(named), used)))
    with np.errstate(invalid="ignore"):
        seen: Mask = np.asarray(np.isfinite(matrix).all(axis=(2, 3)) & (data[..., 16] >= 0) & R.any(axis=(2, 3)))
        off = np.abs(np.swapaxes(R, 2, 3) @ R - np.eye(3)).max(axis=(2, 3))
        wrong = seen & ((off > _ROTATION) | (np.linalg.det(np.where(seen[..., None, None], R, np.eye(3))) < 0))
    notes: Notes = ()
    if wrong.any():
        counts = wrong.sum(axis=0).tolist()
        frames = listed([f"{label} ({n})" for label, n in zip(labels, counts, strict=True) if n])
        notes = (note("values_lost/poses", frames=frames),)
    known = (seen & ~wrong)[..., None]
    poses = Poses(labels, np.where(known[..., None], R, np.nan), np.where(known, origin, np.nan))
    if ratio > 1:
        notes += (note("reading_info/pose_ratio", ratio=ratio),)
    return poses, notes


def pose_ratio(parameters: Parameters, rate_hz: float) -> int | None:
    """Poses a frame of the trial; None where that is no whole number."""
    rate = first_number(parameters, "ROTATION", "RATE", rate_hz)
    ratio = rate / rate_hz
    return round(ratio) if round(ratio) >= 1 and abs(ratio - round(ratio)) < 1e-3 else None
