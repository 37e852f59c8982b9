"""Fits of a chain of joints to markers that are displaced by so little that it moves in proportion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.numerics.rotation import from_vector
from gaitid.records import NamedTuple
from gaitid.trial import Array

if TYPE_CHECKING:
    from gaitid.body.multibody import ChainFit


class Difference(NamedTuple):
    """By how much a chain moves: turns of its segments in their own axes, rad, origins and joints' shifts, m."""

    turns: tuple[Array, ...]
    origins: tuple[Array, ...]
    shifts: tuple[Array, ...]


def difference(still: ChainFit, other: ChainFit) -> Difference:
    """How a chain moves from one fit to another that is close to it."""
    turns = (_small_turn(np.swapaxes(a, 1, 2) @ b) for a, b in zip(still.R, other.R, strict=True))
    origins = (b - a for a, b in zip(still.origin, other.origin, strict=True))
    shifts = (b - a for a, b in zip(still.shifts, other.shifts, strict=True))
    return Difference(tuple(turns), tuple(origins), tuple(shifts))


def _small_turn(R: Array) -> Array:
    """(frames, 3) rotation vectors, rad; too small by a sixth of their cube."""
    return np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1) / 2


def moved_by(still: ChainFit, by: Difference, share: Array) -> ChainFit:
    """A chain that moves by a share, (frames, 1), of a small difference."""
    return still._replace(
        R=tuple(R @ from_vector(share * turn) for R, turn in zip(still.R, by.turns, strict=True)),
        origin=tuple(o + share * move for o, move in zip(still.origin, by.origins, strict=True)),
        shifts=tuple(t + share * move for t, move in zip(still.shifts, by.shifts, strict=True)),
    )


def part_of(fit: ChainFit, rows: slice) -> ChainFit:
    """Some frames."""
    return _of_arrays([fit], lambda arrays: arrays[0][rows])


def behind_one_another(fits: Sequence[ChainFit]) -> ChainFit:
    """Of several walks one."""
    return _of_arrays(fits, np.concatenate)


def _of_arrays(fits: Sequence[ChainFit], of: Callable[[Sequence[Any]], Any]) -> ChainFit:
    """A fit of which each array is made of those of several."""

    def each(of_fits: Iterable[tuple[Array, ...]]) -> tuple[Array, ...]:
        return tuple(of(parts) for parts in zip(*of_fits, strict=True))

    return fits[0]._replace(
        R=each(fit.R for fit in fits),
        origin=each(fit.origin for fit in fits),
        angles=each(fit.angles for fit in fits),
        shifts=each(fit.shifts for fit in fits),
        determined=of([fit.determined for fit in fits]),
        at_limit=of([fit.at_limit for fit in fits]),
        settled=of([fit.settled for fit in fits]),
        steps=of([fit.steps for fit in fits]),
    )
