"""Sticks in space -> lines on paper: from which sides a chain is looked at, and in which frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.records import frozen_dataclass
from gaitid.report.chain.drawn import Drawn, Stick
from gaitid.trial import Array, IntArray

# A motion that leaves a plane by less than this part of its width is drawn in that plane.
_PLANAR = 0.02
_MARGIN = 0.06


@frozen_dataclass(eq=False)
class View:
    """Two laboratory axes to look at: across and upward on the paper.

    Attributes
    ----------
    axes : (int, int)
    low, high : (2,) arrays, m
        What is seen of them, with a margin.
    """

    axes: tuple[int, int]
    low: Array
    high: Array

    @property
    def labels(self) -> tuple[str, str]:
        """Of the axes, with their unit."""
        return (f"{'xyz'[self.axes[0]]} (m)", f"{'xyz'[self.axes[1]]} (m)")


def points_of(sticks: Sequence[Stick]) -> Array:
    """(points, frames, 3) every point that is drawn, m."""
    return np.stack([p for stick in sticks for p in (stick.start_g, *stick.ends_g)])


def views_of(drawn: Drawn) -> tuple[View, ...]:
    """The plane of the motion where it has one, else the two planes in which most is seen; the upright is drawn up."""
    points = points_of(drawn.sticks).reshape(-1, 3)
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return ()
    low, high = points.min(axis=0), points.max(axis=0)
    extent = high - low
    pairs = [(0, 1), (0, 2), (1, 2)]
    pairs.sort(key=lambda pair: -float(extent[list(pair)].min()))
    flat = float(extent.min()) < _PLANAR * float(extent.max())
    views = []
    for pair in pairs[: 1 if flat else 2]:
        axes = pair if drawn.up != pair[0] else pair[::-1]
        index = list(axes)
        half = extent[index] / 2 + max(_MARGIN * float(extent[index].max()), 1e-3)
        middle = (low[index] + high[index]) / 2
        half = np.maximum(half, 0.2 * float(half.max()))  # a chain that lies in a line still has a picture
        views.append(View((int(axes[0]), int(axes[1])), middle - half, middle + half))
    return tuple(views)


def known_frames(drawn: Drawn) -> IntArray:
    """Frames in which every stick is known."""
    return np.flatnonzero(np.isfinite(points_of(drawn.sticks)).all(axis=(0, 2)))


def chosen_frames(drawn: Drawn, count: int) -> list[int]:
    """So many frames, evenly in time, of those that are known."""
    known = known_frames(drawn)
    if not len(known):
        return []
    wanted = np.linspace(known[0], known[-1], min(count, len(known)))
    return sorted({int(known[np.argmin(np.abs(known - w))]) for w in wanted})
