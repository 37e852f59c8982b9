"""One small trial as a C3D file in any of the format's six encodings, byte by byte, and where each of its bytes stands.

Written from the format's description alone (Motion Lab Systems 2008; reals of a VAX from the VAX Architecture Reference
Manual): nothing here is shared with the reader. Values are chosen so that all six encodings hold the same numbers
exactly: steps of 1/8 mm and of 1/2 N.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

BLOCK = 512
INTEL, DEC, SGI = 84, 85, 86
FRAMES, RATE_HZ, PER_FRAME = 12, 100.0, 10
LABELS = ("LASI", "RASI", "LKNE")
CHANNELS = ("Fx1", "Fy1", "Fz1", "Mx1", "My1", "Mz1")
STEP_MM, STEP_N, OFFSET = 0.125, 0.5, 20
Value = Sequence[str] | np.ndarray | float | int


@dataclass(frozen=True)
class Written:
    """A file, and the places of its fields: (name, first byte, bytes)."""

    data: bytes
    places: tuple[tuple[str, int, int], ...]


def stored_points() -> np.ndarray:
    """(frames, points, 4) whole numbers: coordinates in steps, and the word of the residual; −1 is not seen."""
    frame, point = np.mgrid[:FRAMES, : len(LABELS)]
    words = np.stack([1000 * point + 7 * frame, 200 - 11 * frame, 8000 + 3 * frame * point, 257 + 0 * frame], axis=2)
    words[3:5, 1] = [0, 0, 0, -1]
    return words


def stored_analog() -> np.ndarray:
    """(samples, channels) whole numbers, before offset and scale: somebody of 750 N steps on the plate."""
    sample = np.arange(FRAMES * PER_FRAME)
    load = np.rint(1500 * np.sin(np.pi * sample / len(sample))).astype(int)
    return np.stack([load // 10, -load // 20, -load, 40 * load // 10, 30 * load // 10, load // 50], axis=1) + OFFSET


def vax(value: float) -> bytes:
    """F_floating: sign, 8 bits of exponent by 128, 23 bits of fraction 0.1…, the word with the sign first."""
    if value == 0:
        return bytes(4)
    fraction, exponent = math.frexp(abs(value))
    bits = (value < 0) << 31 | (exponent + 128) << 23 | int((fraction - 0.5) * 2**24)
    return struct.pack("<HH", bits >> 16, bits & 0xFFFF)


def real_of(code: int) -> Callable[[float], bytes]:
    return vax if code == DEC else lambda value: struct.pack(">f" if code == SGI else "<f", value)


def word_of(code: int) -> Callable[[int], bytes]:
    return lambda value: struct.pack(">H" if code == SGI else "<H", value % 65536)


def parameters(floats: bool) -> dict[str, dict[str, Value]]:
    """Of the trial: whole numbers are ``int`` and int arrays, reals ``float`` and float arrays."""
    corners = np.array([[200.0, -300, 0], [-200, -300, 0], [-200, 300, 0], [200, 300, 0]]).T[..., None]
    return {
        "POINT": {
            "USED": len(LABELS),
            "FRAMES": FRAMES,
            "SCALE": STEP_MM * (-1 if floats else 1),
            "RATE": RATE_HZ,
            "UNITS": ["mm"],
            "X_SCREEN": ["+X"],
            "Y_SCREEN": ["+Z"],
            "LABELS": LABELS,
        },
        "ANALOG": {
            "USED": len(CHANNELS),
            "RATE": RATE_HZ * PER_FRAME,
            "GEN_SCALE": 1.0,
            "LABELS": CHANNELS,
            "SCALE": np.full(len(CHANNELS), STEP_N),
            "OFFSET": np.full(len(CHANNELS), OFFSET),
            "UNITS": ["N", "N", "N", "Nmm", "Nmm", "Nmm"],
            "FORMAT": ["SIGNED"],
        },
        "FORCE_PLATFORM": {
            "USED": 1,
            "TYPE": np.array([2]),
            "ZERO": np.array([1, 0]),
            "CORNERS": corners,
            "ORIGIN": np.array([[0.0], [0.0], [-40.0]]),
            "CHANNEL": np.arange(1, 7)[:, None],
        },
        "EVENT": {"USED": 1, "CONTEXTS": ["Left"], "LABELS": ["Foot Strike"], "TIMES": np.array([[0.0], [0.25]])},
        "PROCESSING": {"Bodymass": 75.0},
        "SUBJECTS": {"NAMES": ["Nobody"]},
        "TRIAL": {"ACTUAL_START_FIELD": np.array([21, 0]), "ACTUAL_END_FIELD": np.array([20 + FRAMES, 0])},
    }


def write(
    code: int = INTEL, floats: bool = True, changes: Mapping[str, Mapping[str, Value | None]] | None = None
) -> Written:
    """The trial in one encoding; its first frame is number 21. `changes` are other values of parameters, or none."""
    real, word = real_of(code), word_of(code)
    body, places = bytearray(), list[tuple[str, int, int]]()
    base = BLOCK + 4

    def put(name: str, raw: bytes) -> None:
        places.append((name, base + len(body), len(raw)))
        body.extend(raw)

    def entry(name: str, number: int, content: Sequence[tuple[str, bytes]]) -> None:
        put(f"{name} name length", struct.pack("b", len(name)))
        put(f"{name} group", struct.pack("b", number))
        put(f"{name} name", name.encode())
        put(f"{name} link", word(2 + sum(len(raw) for _, raw in content)))
        for what, raw in content:
            put(f"{name} {what}", raw)

    held = parameters(floats)
    for group, values in (changes or {}).items():
        merged = {**held.get(group, {}), **values}
        held[group] = {name: value for name, value in merged.items() if value is not None}
    for number, (group, values) in enumerate(held.items(), start=1):
        entry(group, -number, [("description", b"\0")])
        for name, value in values.items():
            size, shape, raw = _encoded(value, real, word)
            content = [("size", struct.pack("b", size)), ("dimensions", bytes([len(shape)])), ("shape", bytes(shape))]
            entry(name, number, [*content, ("values", raw), ("description", b"\x02ok")])
    body.extend(b"\0\0")
    blocks = -(-(len(body) + 4) // BLOCK)
    section = (bytes([1, 0x50, blocks, code]) + body).ljust(blocks * BLOCK, b"\0")
    scale, per_frame = STEP_MM * (-1 if floats else 1), PER_FRAME * len(CHANNELS)
    head = b"\x02\x50" + b"".join(map(word, (len(LABELS), per_frame, 21, 20 + FRAMES, 10)))
    head += real(scale) + word(2 + blocks) + word(PER_FRAME) + real(RATE_HZ)
    for k in range(2, len(head), 2):
        places.append((f"header word {k // 2 + 1}", k, 2))
    points, analog = stored_points().reshape(FRAMES, -1).astype(float), stored_analog().reshape(FRAMES, -1)
    if floats:
        points.reshape(FRAMES, -1, 4)[..., :3] *= STEP_MM
    numbers = np.hstack([points, analog]).ravel()
    data = b"".join(real(v) if floats else word(int(v)) for v in numbers.tolist())
    start = (1 + blocks) * BLOCK
    places.append(("data", start, len(data)))
    data = data.ljust(-(-len(data) // BLOCK) * BLOCK, b"\0")
    return Written(head.ljust(BLOCK, b"\0") + section + data, tuple(places))


def _encoded(
    value: Value, real: Callable[[float], bytes], word: Callable[[int], bytes]
) -> tuple[int, list[int], bytes]:
    """Element size, shape and bytes of a parameter."""
    if isinstance(value, list | tuple):
        width = max(map(len, value))
        return -1, [width, len(value)], "".join(text.ljust(width) for text in value).encode()
    array = np.asarray(value)
    flat = array.ravel(order="F").tolist()
    if array.dtype.kind == "f":
        return 4, list(array.shape), b"".join(map(real, flat))
    return 2, list(array.shape), b"".join(map(word, flat))
