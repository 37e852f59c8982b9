"""Which markers may be displaced in one computation: those of both legs that no column depends on together."""

from __future__ import annotations

from collections.abc import Iterator

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
    for pair in by_role.values():
        if len(pair) == 2 and len(sides) == 2 and not paired & set(pair.values()):
            (first, a), (second, b) = pair.items()
            if not _reaches(computation, a, mine[second]) and not _reaches(computation, b, mine[first]):
                paired |= {a, b}
                yield Group(((a, mine[first]), (b, mine[second])))
    for label in labels:
        if label not in paired:
            yield Group(((label, all_columns),))


def _reaches(computation: Computation, label: str, columns: IntArray) -> bool:
    """Whether columns change with a marker."""
    moved = computation.columns(Shift(markers={label: STEP_M * np.array([0.6, 0.64, 0.48])}))[:, columns]
    same = computation.unshifted[:, columns]
    return not np.array_equal(moved, same, equal_nan=True)
