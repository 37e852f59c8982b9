"""Fits of a chain of joints to several walks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.trial import Array

if TYPE_CHECKING:
    from gaitid.body.multibody import ChainFit


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
