"""Whether the subject of a trial stands still in it: a look at a few frames of the file."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from gaitid.batch.files import delimiter_of
from gaitid.errors import GaitidError
from gaitid.read.c3d.sections import BLOCK, read_head
from gaitid.trial import Array

# A static is short, s.
LONGEST_S = 30.0
# In less, s, a walk does not show: within 0.5 s a person at 0.2 m/s moves by a twentieth of his height.
SHORTEST_S = 0.5
# Frames of it that are looked at, over its whole length.
_LOOKED_AT = 12
# Points that move less than this share of the size of the body stand still: some 5 cm of sway on an adult. A walk
# through the laboratory, or the feet's swing on a treadmill, is ten times that.
_STILL = 0.05
# Share of the points that must stand still: markers of fingers may move, and computed points may be anything.
_SHARE = 0.8
# Bytes of a text file, which has to be read whole to find its lines.
_LONGEST_TEXT = 20_000_000
_COORDINATE = re.compile(r"(.+)_[xyz]_(mm|cm|m)")


def stands(path: Path, longest_s: float = math.inf) -> bool | None:
    """Whether the subject of a trial stands still in it; None where a look at a few frames cannot tell.

    The judgement needs no unit: movements are compared with the size of the body.

    Parameters
    ----------
    path : Path
        A C3D, TRC or plain CSV file. In an export of Nexus the markers may be anywhere: None.
    longest_s : float
        False too where it is longer than this.
    """
    if not path.is_file():  # a pipe would be waited for
        return None
    try:
        looked_at = _frames_of_c3d(path) if path.suffix.lower() == ".c3d" else _frames_of_text(path)
    except (OSError, ValueError, GaitidError):
        return None
    if looked_at is None:
        return None
    frames, seconds = looked_at
    if seconds < SHORTEST_S:
        return None
    return _still(frames) if seconds <= longest_s else False


def _frames_of_c3d(path: Path) -> tuple[Array, float] | None:
    """Some frames, (looked at, points, 4) with residuals last, and how long the trial is, s.

    They are read by their place in the file, as its header says it, so that thousands of trials are looked through in
    seconds: the parameters, which decide where the two disagree, take ten times as long.
    """
    with path.open("rb") as file:
        _, numbers, _, header = read_head(file)
        n_frames = header.last_frame - header.first_frame + 1
        if header.n_points < 4 or n_frames < 1 or header.data_start < BLOCK or not header.rate_hz > 0:
            return None
        decode, n_bytes = (numbers.reals, 4) if header.floats else (numbers.integers, 2)
        frames = []
        for at in _looked_at(n_frames):
            file.seek(header.data_start + at * header.frame_bytes)
            frames.append(decode(file.read(4 * header.n_points * n_bytes)).reshape(header.n_points, 4))
    return np.array(frames, dtype=float), n_frames / header.rate_hz


def _frames_of_text(path: Path) -> tuple[Array, float] | None:
    """The same for a TRC or plain CSV file, of which only these rows are turned into numbers."""
    from gaitid.read.tables.csv_text import Dialect, cells_of, is_blank, numbers_of, read_lines

    if path.stat().st_size > _LONGEST_TEXT:
        return None
    lines = [(i, line) for i, line in enumerate(read_lines(path), 1) if not is_blank(line)]
    if path.suffix.lower() == ".trc":
        dialect, n_header = Dialect("\t"), 5
        columns = ["Frame#", "Time", *lines[4][1].split()] if len(lines) > 4 else []
        markers, time = list(range(2, len(columns))), 1
    else:
        header = lines[0][1]
        delimiter = delimiter_of(header)
        dialect, n_header = Dialect(delimiter, decimal_comma=delimiter != ","), 1
        columns = cells_of(header, dialect)
        # axes of a marker beside each other, wherever they stand
        names = {c: match[1] for c in columns if (match := _COORDINATE.fullmatch(c))}
        ordered = sorted(names, key=lambda c: (names[c], c))
        markers, time = [columns.index(c) for c in ordered], columns.index("time_s")
    rows = lines[n_header:]
    if len(rows) < 2 or len(markers) % 3 or len(markers) < 12:
        return None
    values = np.concatenate([numbers_of([rows[at][1]], rows[at][0], columns, dialect) for at in _looked_at(len(rows))])
    points = values[:, markers].reshape(len(values), -1, 3)
    return np.concatenate([points, np.zeros_like(points[..., :1])], axis=2), float(values[-1, time] - values[0, time])


def _looked_at(n_frames: int) -> list[int]:
    return sorted({round(i * (n_frames - 1) / (_LOOKED_AT - 1)) for i in range(_LOOKED_AT)})


def _still(frames: Array) -> bool | None:
    """Whether most points of (looked at, points, 4) frames keep their places; None where too few are seen."""
    with np.errstate(invalid="ignore"):
        seen = (frames[..., 3] >= 0) & np.isfinite(frames).all(axis=2) & frames[..., :3].any(axis=2)
    seen_twice = seen.sum(axis=0) >= 2
    if seen_twice.sum() < 4:
        return None
    low = np.where(seen[..., None], frames[..., :3], np.inf).min(axis=0)[seen_twice]
    high = np.where(seen[..., None], frames[..., :3], -np.inf).max(axis=0)[seen_twice]
    # the body's size without the outermost tenths, which may be points of something else
    places = np.sort((low + high) / 2, axis=0)
    tenth = len(places) // 10
    body = float(np.linalg.norm(places[len(places) - 1 - tenth] - places[tenth]))
    moved = np.linalg.norm(high - low, axis=1)
    return bool((moved < _STILL * body).mean() >= _SHARE)
