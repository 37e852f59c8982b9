"""A long trial some frames at a time: what a step needs stays within a processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from gaitid.trial import Array, IntArray, Mask

_NUMBERS = 1 << 16  # at once: half a MB, of which a processor's cache holds some
#: A trial of more frames is long: what follows from its poses is made so many at a time, when it is asked for.
LONG = 1 << 13
_Given = TypeVar("_Given", Array, IntArray)
_Made = TypeVar("_Made", Array, Mask, IntArray)


def by_blocks(of_rows: Callable[[_Given], _Made], values: _Given, behind: int = 0, times: int = 1) -> _Made:
    """``of_rows(values)``, block by block.

    Parameters
    ----------
    of_rows : callable
        Of (rows, …) values to (rows − behind, …) results, each from its own row and the `behind` rows after it;
        or to what such rows have together.
    values : (frames, …) array
    behind : int
    times : int
        So many times as many numbers as a row has are needed for it.

    Returns
    -------
    (frames − behind, …) array
    """
    rows = max(_NUMBERS * len(values) // max(values.size * times, 1), 1)
    starts = range(0, max(len(values) - behind, 1), rows)
    return joined([of_rows(values[start : start + rows + behind]) for start in starts])


def joined(parts: Sequence[_Made]) -> _Made:
    """What was made of successive frames, together."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def is_long(n_frames: int) -> bool:
    """Whether what follows from the poses of a trial is made some frames at a time."""
    return n_frames > LONG


def rows(values: _Given, frames: slice | IntArray) -> _Given:
    """The values in some frames; themselves where these are all, one after the other."""
    every = isinstance(frames, slice) and frames.stop - frames.start == len(values)
    return values if every else values[frames]


def blocks(n_frames: int) -> Iterator[slice]:
    """The frames of a trial, `LONG` at a time."""
    for start in range(0, n_frames, LONG):
        yield slice(start, min(start + LONG, n_frames))
