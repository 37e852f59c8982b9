"""C3D files with force plates, byte by byte, and the transducers that feed them: written from their physics alone."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

BLOCK = 512
METRE = {"mm": 1e3, "cm": 1e2, "m": 1.0}
# one newton, one newton metre and one metre in each unit that a channel may declare
IN_UNIT = {"N": 1.0, "kN": 1e-3, "Nmm": 1e3, "Nm": 1.0, "N.mm": 1e3, "mm": 1e3, "m": 1.0, "V": 1.0, "mV": 1e3}
# where sensors 1 to 4 lie, in units of a and b
SENSORS = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])


# --- what a plate feels, and what its maker's electronics give out -------------------------------------------


@dataclass(frozen=True)
class Felt:
    """A load on one plate: reaction on the subject in plate axes, CoP from the surface's centre, free moment."""

    force: np.ndarray  # (n, 3) N
    place: np.ndarray  # (n, 2) m
    free: np.ndarray  # (n,) N·m about z

    def about(self, point: np.ndarray) -> np.ndarray:
        """(n, 3) moment about a point given from the surface's centre: (p − q) × f + t."""
        arm = np.column_stack([self.place, np.zeros(len(self.place))]) - point
        return np.cross(arm, self.force) + np.outer(self.free, [0, 0, 1])

    def turned(self) -> Felt:
        """The action on the plate: opposite force and moment at the same place."""
        return replace(self, force=-self.force, free=-self.free)


@dataclass(frozen=True)
class Made:
    """One plate as its maker delivers it."""

    kind: int
    signals: np.ndarray  # (channels, n) in SI, or in volts where there is a matrix
    holds: tuple[str, ...]  # force, moment, place or volt, for each channel
    origin: np.ndarray  # (3,) m, as to be stored
    matrix: np.ndarray | None = None  # in N and N·m a volt


def step_on(rng: np.random.Generator, n: int, half: np.ndarray) -> Felt:
    """Nobody, a foot of 250 to 900 N with shear and a turning CoP, nobody."""
    rise = np.clip(3 * np.sin(np.linspace(-0.3, np.pi + 0.3, n)), 0, 1)
    heavy = rng.uniform(250, 900)
    shear = rng.uniform(-0.2, 0.2, 2) * heavy
    force = rise[:, None] * np.array([*shear, -heavy])
    wander = np.linspace(-1, 1, n)[:, None] * rng.uniform(0.1, 0.4, 2) * half
    return Felt(force, rng.uniform(-0.5, 0.5, 2) * half + wander, rise * rng.uniform(-8, 8))


def four_forces(felt: Felt, a: float, b: float, depth: float, rng: np.random.Generator) -> np.ndarray:
    """(n, 4, 3) forces of four three-component sensors that hold the load: one of many sets, squeezed at random.

    Σ f_i = f and Σ (r_i − o) × f_i = m_o are six equations for twelve forces; what is left over is an inner stress
    of the plate, which nobody outside can feel.
    """
    middle = np.array([0.0, 0.0, depth])
    arms = np.column_stack([SENSORS * [a, b], np.zeros(4)])
    sums = np.hstack([np.vstack([np.eye(3), np.cross(np.eye(3), arm).T * -1]) for arm in arms])  # (6, 12)
    load = np.hstack([felt.force, felt.about(middle)])
    held = load @ np.linalg.pinv(sums).T
    inner = np.linalg.svd(sums)[2][6:]  # (6, 12)
    return (held + rng.normal(0, 20, (1, 6)) @ inner).reshape(-1, 4, 3)


def made(kind: int, felt: Felt, half: np.ndarray, rng: np.random.Generator) -> Made:
    """The channels of a plate of one C3D type under a load."""
    if kind == 1:
        signals = np.vstack([felt.force.T, felt.place.T, felt.free])
        return Made(1, signals, ("force",) * 3 + ("place",) * 2 + ("moment",), rng.normal(0, 0.05, 3))
    if kind in (2, 4, 5):
        # the point about which the bridges measure, below the surface: stored by Nexus, its opposite by the standard
        sensor = np.array([*rng.normal(0, 0.003, 2), rng.uniform(0.02, 0.06)])
        load = np.vstack([felt.force.T, felt.about(sensor).T])
        origin = sensor * rng.choice([-1, 1])
        if kind == 2:
            return Made(2, load, ("force",) * 3 + ("moment",) * 3, origin)
        matrix, volts = calibrated(load, 6 if kind == 4 else 8, rng)
        return Made(kind, volts, ("volt",) * len(volts), origin, matrix)
    a, b = rng.uniform(0.5, 0.95, 2) * half
    depth = rng.uniform(0.02, 0.1)
    f = four_forces(felt, a, b, depth, rng)
    origin = np.array([a, b, -depth]) * rng.choice([-1, 1], 3)
    x, y, z = f[:, :, 0].T, f[:, :, 1].T, f[:, :, 2].T
    pairs = np.vstack([x[0] + x[1], x[2] + x[3], y[0] + y[3], y[1] + y[2], z])
    if kind == 3:
        return Made(3, pairs, ("force",) * 8, origin)
    matrix, volts = calibrated(pairs if kind == 7 else f.reshape(len(f), 12).T, 8 if kind == 7 else 12, rng)
    return Made(kind, volts, ("volt",) * len(volts), origin, matrix)


def calibrated(load: np.ndarray, channels: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A matrix with some crosstalk and the volts that it maps to the load; more channels than rows share it."""
    rows = len(load)
    mix = np.linalg.qr(rng.normal(size=(channels, channels)))[0][:rows]
    matrix = np.diag(rng.uniform(50, 200, rows)) @ (np.eye(rows, channels) + 0.2 * mix)
    return matrix, np.linalg.pinv(matrix) @ load


# --- the parameters of a file, and the file ------------------------------------------------------------------


def parameters(
    plates: list[Made], corners: list[np.ndarray], unit: str, order: list[list[int]], **more: Any
) -> dict[str, Any]:
    """``FORCE_PLATFORM`` of these plates; `order` holds each one's channels, from 1."""
    metre, n = METRE[unit], len(plates)
    channel = np.zeros((max(len(o) for o in order), n))
    for i, wired in enumerate(order):
        channel[: len(wired), i] = wired
    group: dict[str, Any] = {
        "USED": np.array([n]),
        "TYPE": np.array([p.kind for p in plates]),
        "ZERO": np.array([1, 0]),
        "CORNERS": np.stack([c.T for c in corners], axis=2) * metre,
        "ORIGIN": np.stack([p.origin for p in plates], axis=1) * metre,
        "CHANNEL": channel,
    }
    matrices = [p.matrix for p in plates]
    if any(m is not None for m in matrices):
        size = np.max([m.shape for m in matrices if m is not None], axis=0)
        group["CAL_MATRIX"] = np.zeros((*size, n))
        for i, (plate, m) in enumerate(zip(plates, matrices, strict=True)):
            if m is not None:
                # N times the file's unit of length a volt, in the rows that hold moments
                by = np.ones(len(m))
                if plate.kind in (4, 5):
                    by[3:] = metre
                group["CAL_MATRIX"][: len(m), : m.shape[1], i] = m * by[:, None]
    return group | more


def as_read(group: dict[str, Any], units: list[str], unit: str) -> dict[str, Any]:
    """The parameters as the reader hands them over."""
    return {"POINT": {"UNITS": [unit]}, "ANALOG": {"UNITS": units}, "FORCE_PLATFORM": dict(group)}


def _parameter(name: str, group: int, size: int, dims: list[int], data: bytes) -> bytes:
    inner = struct.pack("<bB", size, len(dims)) + bytes(dims) + data + b"\0"
    return struct.pack("<bb", len(name), group) + name.encode() + struct.pack("<h", 2 + len(inner)) + inner


def _numbers(name: str, group: int, value: Any, *, whole: bool = False) -> bytes:
    array = np.asarray(value)
    data = (array.astype(np.int64) & 0xFFFF).astype("<u2") if whole else array.astype("<f4")
    return _parameter(name, group, 2 if whole else 4, list(array.shape), data.tobytes(order="F"))


def _texts(name: str, group: int, values: list[str]) -> bytes:
    width = max((len(v.encode()) for v in values), default=0)
    text = b"".join(v.encode().ljust(width) for v in values)
    return _parameter(name, group, -1, [width, len(values)], text)


def write_c3d(
    path: Path,
    stored: np.ndarray,
    group: dict[str, Any],
    *,
    units: list[str],
    scale: Any = None,
    offset: Any = None,
    gen_scale: float = 1.0,
    form: str = "",
    floats: bool = True,
    unit: str = "mm",
    rate_hz: float = 100.0,
    per_frame: int = 10,
    markers: int = 1,
) -> Path:
    """A C3D file of one marker, or none, and of analog numbers (channels, samples) as they stand in the file.

    Written from the format's description alone (Motion Lab Systems 2008): header, parameters, then for each frame
    the point and its analog samples, as reals or as 16-bit integers.
    """
    channels, samples = stored.shape
    frames = samples // per_frame
    point_scale = -0.1 if floats else 0.1
    entries = [
        b"\x05\xffPOINT\x03\x00\x00",
        _numbers("USED", 1, markers, whole=True),
        _numbers("FRAMES", 1, frames, whole=True),
        _numbers("SCALE", 1, point_scale),
        _numbers("RATE", 1, rate_hz),
        *([_texts("UNITS", 1, [unit])] if unit else []),
        _texts("LABELS", 1, ["A"][:markers]),
        b"\x06\xfeANALOG\x03\x00\x00",
        _numbers("USED", 2, channels, whole=True),
        _numbers("RATE", 2, rate_hz * per_frame),
        _numbers("GEN_SCALE", 2, gen_scale),
        _numbers("SCALE", 2, np.ones(channels) if scale is None else scale),
        _numbers("OFFSET", 2, np.zeros(channels) if offset is None else offset, whole=True),
        _texts("UNITS", 2, units),
        _texts("LABELS", 2, [f"C{i}" for i in range(channels)]),
        *([_texts("FORMAT", 2, [form])] if form else []),
        b"\x0e\xfdFORCE_PLATFORM\x03\x00\x00",
        *(
            _texts(name, 3, value)
            if isinstance(value, list)
            else _numbers(name, 3, value, whole=np.asarray(value).dtype.kind == "i" or name == "CHANNEL")
            for name, value in group.items()
        ),
    ]
    body = b"".join(entries) + b"\0\0"
    blocks = -(-(len(body) + 4) // BLOCK)
    body = (b"\x01\x50" + bytes([blocks]) + b"\x54" + body).ljust(blocks * BLOCK, b"\0")
    start = 2 + blocks
    header = struct.pack(
        "<BB5HfHHf", 2, 0x50, markers, channels * per_frame, 1, frames, 10, point_scale, start, per_frame, rate_hz
    ).ljust(BLOCK, b"\0")
    number = "<f4" if floats else "<u2"
    analog = stored.T.reshape(frames, per_frame * channels)
    if not floats:
        analog = np.rint(analog).astype(np.int64) & 0xFFFF
    point = np.zeros((frames, 4)) + ([1000.0, 2000.0, 3000.0, 0.0] if floats else [10000, 20000, 30000, 0])
    data = np.hstack([point[:, : 4 * markers], analog]).astype(number).tobytes()
    path.write_bytes(header + body + data.ljust(-(-len(data) // BLOCK) * BLOCK, b"\0"))
    return path
