"""Which files are statics, by their names and by what they hold, and which of them belongs to a trial."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SUFFIXES = (".c3d", ".trc", ".csv")
# Words of a file's name that make it a static; one that begins with "static" does too (Statics, statictrial).
STATIC_WORDS = ("static", "cal", "calib", "calibration", "stand", "standing", "tpose", "npose")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# A static is short, s.
LONGEST_S = 30.0
# Frames of it that are looked at, over its whole length.
_LOOKED_AT = 12
# Points that move less than this share of the size of the body stand still: some 5 cm of sway on an adult. A walk
# through the laboratory, or the feet's swing on a treadmill, is ten times that.
_STILL = 0.05
# Share of the points that must stand still: markers of fingers may move, and computed points may be anything.
_SHARE = 0.8
_BLOCK = 512


@dataclass(frozen=True)
class Static:
    """A calibration trial and how it was recognised (``by name``, ``by content``, ``given``)."""

    path: Path
    how: str


def words(stem: str) -> list[str]:
    """Of a name, in lower case: ``AFO_StaticTrial 02`` has afo, static, trial, 02."""
    return [word.lower() for word in _WORD.findall(stem)]


def natural(path: Path) -> tuple[object, ...]:
    """Sorts ``walk2`` before ``walk10``."""
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in re.split(r"(\d+)", path.as_posix()) if p)


def named_static(path: Path, names: Sequence[str] = STATIC_WORDS) -> bool:
    """Whether a file's name says that it is a static."""
    found = words(path.stem)
    return any(word in names or ("static" in names and word.startswith("static")) for word in found)


def stands(path: Path) -> bool | None:
    """Whether the subject of a C3D file stands still in it; None where a look at a few frames cannot tell.

    A dozen frames are read by their place in the file, so that a data set of thousands of trials is looked through
    in seconds. The judgement needs no unit: movements are compared with the size of the body. Layout after the C3D
    format user guide (Motion Lab Systems 2008, "The header section", "The 3D data section").

    Parameters
    ----------
    path : Path

    Returns
    -------
    bool or None
        False too where it is longer than any static.
    """
    if path.suffix.lower() != ".c3d" or not path.is_file():  # a pipe would be waited for
        return None
    try:
        with path.open("rb") as file:
            head = file.read(_BLOCK)
            if len(head) < _BLOCK or head[1] != 0x50:
                return None
            file.seek((head[0] - 1) * _BLOCK + 3 if head[0] else 0)
            order = {b"\x54": "<", b"\x56": ">"}.get(file.read(1))
            if order is None:
                return None
            _, n_points, n_analog, first, last, _ = struct.unpack_from(f"{order}6H", head)
            scale, start, _, rate = struct.unpack_from(f"{order}fHHf", head, 12)
            kind = np.dtype(f"{order}f4" if scale < 0 else f"{order}i2")
            size = (4 * n_points + n_analog) * kind.itemsize
            n_frames = last - first + 1
            if n_points < 4 or n_frames < 1 or start < 2 or not rate > 0:
                return None
            if n_frames > LONGEST_S * rate:
                return False
            frames = []
            for at in sorted({round(i * (n_frames - 1) / (_LOOKED_AT - 1)) for i in range(_LOOKED_AT)}):
                file.seek((start - 1) * _BLOCK + at * size)
                frames.append(np.frombuffer(file.read(4 * n_points * kind.itemsize), kind).reshape(n_points, 4))
    except (OSError, ValueError, struct.error):
        return None
    return _still(np.array(frames, dtype=float))


def _still(frames: np.ndarray) -> bool | None:
    """(looked at, points, 4) with residuals last: whether most points keep their places."""
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


def choose(statics: Sequence[Static], trial: Path) -> Static:
    """The static of a trial among several in one folder.

    The one whose name shares most words with the trial's (``barefoot static`` for ``barefoot walk 3``); among equals
    the last by name, which in most laboratories is the one that was taken again.
    """
    own = set(words(trial.stem))
    return max(statics, key=lambda s: (len(own & set(words(s.path.stem))), natural(s.path)))
