"""The small trial of `c3d_writer` as a file with something wrong in it, a long one, and what reading them gives."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from note_texts import texts

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import BLOCK, INTEL, OFFSET, STEP_MM, STEP_N, Value, stored_analog, stored_points, write

from gaitid.errors import ReadError
from gaitid.read.c3d.file import C3DFile, read_c3d_file

#: Parameters by group and name; None takes one away.
Changes = dict[str, dict[str, Value | None]]


def start_block(changes: Changes | None = None, floats: bool = True) -> int:
    """Where the data begin, counted from 1."""
    places = write(INTEL, floats, changes).places
    return next(at for name, at, _ in places if name == "data") // BLOCK + 1


def made(
    path: Path,
    changes: Changes | None = None,
    header: dict[int, int | float] | None = None,
    *,
    floats: bool = True,
    gap: int = 0,
    end: int = 0,
    fields: dict[tuple[str, int], bytes] | None = None,
) -> Path:
    """The small trial with other parameters, words of the header, `gap` empty blocks before its data, `end` zeros
    behind them, and other bytes in the n-th field of a name.
    """
    written = write(INTEL, floats, changes)
    data = bytearray(written.data)
    for (name, n), raw in (fields or {}).items():
        at = [at for what, at, _ in written.places if what == name][n]
        data[at : at + len(raw)] = raw
    for word, value in (header or {}).items():
        form = "<f" if word in (7, 11) else "<H"
        struct.pack_into(form, data, 2 * (word - 1), value)
    start = next(at for name, at, _ in written.places if name == "data")
    path.write_bytes(bytes(data[:start]) + bytes(gap * BLOCK) + bytes(data[start:]) + bytes(end))
    return path


def long_trial(
    path: Path,
    frames: int,
    last: int,
    changes: dict[str, Value | None],
    *,
    n_points: int = 1,
    end: bytes = b"",
    trial: dict[str, Value | None] | None = None,
) -> np.ndarray:
    """So many frames of points, the first of which counts them, and `end` behind them. `last` stands in the header."""
    point: dict[str, Value | None] = {"USED": n_points, "LABELS": ("LASI",), "FRAMES": frames % 65536}
    none: dict[str, Value | None] = {"ACTUAL_START_FIELD": None, "ACTUAL_END_FIELD": None}
    written = write(INTEL, True, {"POINT": point | changes, "TRIAL": trial or none, "ANALOG": {"USED": 0}})
    data = bytearray(written.data[: next(at for name, at, _ in written.places if name == "data")])
    struct.pack_into("<4H", data, 2, n_points, 0, 1, last)
    body = np.ones((frames, n_points, 4), dtype="<f4")
    body[:, 0, 0] = np.arange(frames)
    path.write_bytes(bytes(data) + body.tobytes() + end)
    return body[:, 0, 0]


def assert_whole(file: C3DFile) -> None:
    """Every number of the trial, none shifted."""
    np.testing.assert_array_equal(file.points, stored_points()[..., :3] * STEP_MM)
    np.testing.assert_array_equal(file.analog[range(6)], (stored_analog() - OFFSET).T * STEP_N)


def refused(path: Path, read: Callable[[Path], object] = read_c3d_file) -> str:
    """The line that a file is refused with."""
    with pytest.raises(ReadError) as caught:
        read(path)
    assert "\n" not in caught.value.line()
    return caught.value.line()


def only_warning(path: Path) -> str:
    (warning,) = texts(read_c3d_file(path))
    return warning
