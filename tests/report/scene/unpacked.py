"""Tracks of a page's view, read back as its script reads them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from gaitid.trial import Array


def unpack(packed: dict[str, Any], n_frames: int) -> Array:
    """The tracks again, as the page's script reads them: NaN where unknown."""
    raw = np.frombuffer(base64.b64decode(packed["d"]), dtype=np.uint8)
    numbers: list[int] = []
    value = shift = 0
    for byte in raw.tolist():
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            numbers.append((value >> 1) ^ -(value & 1))
            value = shift = 0
    tracks, components = len(packed["k"]), int(packed["c"])
    second = np.array(numbers, dtype=np.int64).reshape(tracks * components, n_frames)
    columns = second.cumsum(axis=1).cumsum(axis=1) * float(packed["s"])
    values = columns.T.reshape(n_frames, tracks, components).copy()
    for i, runs in enumerate(packed["k"]):
        if runs != 0:
            known = np.zeros(n_frames, dtype=bool)
            for a, b in zip(runs[::2], runs[1::2], strict=True):
                known[a : b + 1] = True
            values[~known, i] = np.nan
    return values
