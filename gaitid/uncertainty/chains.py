"""The fit of a chain of joints, of several walks that are shifted by little, each to go on from it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.trial import Array

if TYPE_CHECKING:
    from gaitid.body.chain_again import Before
    from gaitid.body.multibody import ChainFit


def repeated(fit: ChainFit, count: int) -> ChainFit:
    """Of so many walks, one behind the other."""
    rows = np.tile(np.arange(len(fit.steps)), count)

    def each(arrays: Iterable[Array]) -> tuple[Array, ...]:
        return tuple(array[rows] for array in arrays)

    return fit._replace(
        R=each(fit.R),
        origin=each(fit.origin),
        angles=each(fit.angles),
        shifts=each(fit.shifts),
        determined=fit.determined[rows],
        at_limit=fit.at_limit[rows],
        settled=fit.settled[rows],
        steps=fit.steps[rows],
    )


def before_of(still: Geometry) -> Before | None:
    """What fits of the same walk with other markers go on with; None without a chain, or with one that has limits."""
    if still.fitted is None:
        return None
    from gaitid.body.chain import tracks_of
    from gaitid.body.chain_again import before_of as of_chain

    fitted = still.fitted
    return of_chain(fitted, tracks_of(still, fitted.places, fitted.markers))
