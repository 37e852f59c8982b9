"""The small trial of `c3d_writer` as a file with something wrong in it."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from c3d_writer import BLOCK, INTEL, Value, write

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
