"""Numbers that stand for a marker that was not seen: nobody's marker can be where they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gaitid.notes import Notes, note
from gaitid.numerics.blocks import by_blocks
from gaitid.numerics.masks import largest_column
from gaitid.read.subjects import listed, subject_and_name
from gaitid.trial import Array, Mask

# A marker farther from the laboratory's origin, m, was not seen there: the number is damaged.
FAR_M = 1000.0
# Where many programs put a marker that they lost; and what others write there, such as -9999, 99999 or the largest
# whole number of 16 bits times 0.1 mm: one number three times, m, at least. None of 1.8 million positions of the shared
# recordings has the same number three times, to the last digit, be it large or small.
SAME_M = 3.0


def unseen(xyz: Array, seen: Mask, scale: float, labels: Sequence[str]) -> tuple[Mask, Notes]:
    """(frames, points) where a marker is said to be seen at a place where none can be.

    Parameters
    ----------
    xyz : (frames, points, 3) array
        In a unit of `scale` m; 0 where it is not known yet: nothing is far then.
    seen : (frames, points) array of bool
        Whether the file says so; points and frames that nobody asks for too may be false.
    scale : float
    labels : sequence of str
        Of the points.
    """
    largest = by_blocks(lambda some: largest_column(np.abs(some)), xyz)
    finite, zero = np.isfinite(largest), largest == 0
    x, y, z = np.moveaxis(xyz, 2, 0)
    with np.errstate(invalid="ignore"):
        same = finite & (x == y) & (y == z) & (largest * scale > SAME_M)
        far = finite & (largest * scale > FAR_M) & ~same
    blank = np.zeros(seen.shape, dtype=bool)
    notes: Notes = ()
    kinds: tuple[tuple[str, Mask, dict[str, Any]], ...] = (
        ("reading_info/at_origin", zero, {}),
        ("values_lost/not_finite", ~finite, {}),
        ("values_lost/far", far, {"limit_m": FAR_M}),
        ("reading_info/same_numbers", same, {}),
    )
    for name, where, limit in kinds:
        wrong = where & seen
        if wrong.any():
            counts = wrong.sum(axis=0).tolist()
            markers = [subject_and_name(label)[1] or f"point {i}" for i, label in enumerate(labels, 1)]
            frames = listed([f"{marker} ({n})" for marker, n in zip(markers, counts, strict=True) if n])
            notes += (note(name, frames=frames, **limit),)
            blank |= wrong
    return blank, notes


def without_unseen(xyz: Array, scale: float, labels: Sequence[str]) -> tuple[Array, Notes]:
    """The (frames, points, 3) positions of a table, NaN where a marker lacks a coordinate or cannot be."""
    seen: Mask = np.asarray(np.isfinite(xyz).all(axis=2))
    blank, notes = unseen(xyz, seen, scale, labels)
    return np.where((seen & ~blank)[..., None], xyz, np.nan), notes
