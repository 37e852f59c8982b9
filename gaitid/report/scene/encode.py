"""Tracks over time as short text: whole steps, second differences, few bytes a number, base64.

A marker of a walk sampled at 50 Hz needs one byte a coordinate and frame: its second difference is 40 units at most.
What is unknown is not in the text: the runs of known frames stand beside it.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from gaitid.numerics.masks import spans
from gaitid.trial import Array, Mask

#: m, of positions: a quarter of a millimetre at most is lost.
POSITION = 5e-4
#: Of directions (components of unit quaternions), forces (N), moments (N·m/kg).
TURN, FORCE, MOMENT = 1 / 4096, 1.0, 2e-3
# Beyond this a number is damage, and counts as unknown: four bytes hold so many steps of second differences.
_MOST = 2**25


def pack(values: Array, step: float) -> dict[str, Any]:
    """Several tracks as JSON can hold them.

    Parameters
    ----------
    values : (frames, tracks, components) array
        A track is unknown in a frame where any of its components is.
    step : float
        The unit in which they are written.

    Returns
    -------
    dict
        ``d``: base64 of the numbers, component by component of each track, frame by frame: second differences (of
        zeros before the first frame), zigzag, seven bits a byte, the lowest first. ``k``: for each track the runs of
        known frames, first and last, one after the other; 0 where all are. ``s``: the step. ``c``: components a track.
    """
    n, tracks, components = values.shape
    if not tracks or not n:
        return {"d": "", "k": [[]] * tracks, "s": step, "c": components}
    steps = np.asarray(values, dtype=float) / step
    with np.errstate(invalid="ignore"):
        known: Mask = np.asarray((np.isfinite(steps) & (np.abs(steps) < _MOST)).all(axis=2))
    held = np.where(known[:, :, None], steps, 0.0)
    # an unknown frame repeats the last known one, or the first: its differences cost one byte each
    index = np.where(known, np.arange(n)[:, None], -1)
    index = np.maximum.accumulate(index, axis=0)
    first = known.argmax(axis=0)
    index = np.where(index < 0, first, index)
    whole = np.rint(np.take_along_axis(held, index[:, :, None], axis=0)).astype(np.int64)
    columns = whole.reshape(n, tracks * components).T
    second = np.diff(columns, n=2, axis=1, prepend=np.zeros((tracks * components, 2), dtype=np.int64))
    zigzag = ((second << 1) ^ (second >> 63)).astype(np.uint64).ravel()
    return {
        "d": base64.b64encode(_seven_bits(zigzag)).decode("ascii"),
        "k": [0 if mask.all() else [int(end) for a, b in spans(mask) for end in (a, b - 1)] for mask in known.T],
        "s": step,
        "c": components,
    }


def _seven_bits(numbers: np.ndarray[Any, np.dtype[np.uint64]]) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that another follows."""
    groups = 5
    parts = np.empty((len(numbers), groups), dtype=np.uint8)
    used = np.empty((len(numbers), groups), dtype=bool)
    rest = numbers
    for i in range(groups):
        used[:, i] = rest > 0 if i else True
        more = rest >> np.uint64(7)
        parts[:, i] = (rest & np.uint64(0x7F)) | ((more > 0).astype(np.uint64) << np.uint64(7))
        rest = more
    return parts[used].tobytes()
