"""Which markers may be displaced in one computation: those of both legs that no column depends on together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gaitid.records import NamedTuple
from gaitid.trial import IntArray
from gaitid.uncertainty.computation import Computation
from gaitid.uncertainty.shift import Shift

#: m. Steps of markers: their square is lost against them, and rounding against that.
STEP_M = 3e-6


class Group(NamedTuple):
    """Markers that are displaced in one computation because no column depends on two of them.

    Attributes
    ----------
    parts : tuple of (label, columns)
        Which columns each is asked for.
    """

    parts: tuple[tuple[str, IntArray], ...]


def groups_of(computation: Computation, labels: list[str]) -> Iterator[Group]:
    """Markers of left and right legs in pairs where neither leg's columns depend on the other's marker."""
    result, names = computation.result, computation.names
    all_columns = np.arange(len(names))
    sides = computation.sides
    mine = {side: np.flatnonzero([name.startswith(f"{side}_") for name in names]) for side in sides}
    by_role: dict[str, dict[str, str]] = {}
    for side, role in result.model.roles:
        for label in result.model.labels(role, side) if side in sides else ():
            if label in labels:
                by_role.setdefault(role, {}).setdefault(side, label)
    paired: set[str] = set()
    pairs = [tuple(pair.items()) for pair in by_role.values() if len(pair) == 2 and len(sides) == 2]
    if result.model.pose is not None:  # both legs hang from one pelvis, and each marker moves all of it
        pairs = []
    reached = _reached(computation, list(dict.fromkeys(label for pair in pairs for _, label in pair)), mine)
    for (first, a), (second, b) in pairs:
        if not paired & {a, b} and second not in reached[a] and first not in reached[b]:
            paired |= {a, b}
            yield Group(((a, mine[first]), (b, mine[second])))
    for label in labels:
        if label not in paired:
            yield Group(((label, all_columns),))


def _reached(computation: Computation, labels: list[str], mine: Mapping[str, IntArray]) -> dict[str, set[str]]:
    """For each marker the sides whose columns change with it."""
    along, same = STEP_M * np.array([0.6, 0.64, 0.48]), computation.unshifted
    n = computation.result.trial.n_frames
    shifts = [Shift(markers={label: np.tile(along, (n, 1))}) for label in labels]
    # one of them by itself: nothing that another marker does is to be seen in it
    columns = (computation.columns(shift) for shift in shifts)
    return {
        label: {side for side, at in mine.items() if not np.array_equal(moved[:, at], same[:, at], equal_nan=True)}
        for label, moved in zip(labels, columns, strict=True)
    }
