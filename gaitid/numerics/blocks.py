"""A long trial some frames at a time: what a step needs stays within a processor's cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gaitid.trial import Array

_NUMBERS = 1 << 15  # at once
_Made = TypeVar("_Made", bound=NDArray[Any])


def by_blocks(of_rows: Callable[[Array], _Made], values: Array, behind: int = 0) -> _Made:
    """``of_rows(values)``, block by block.

    Parameters
    ----------
    of_rows : callable
        Of (rows, …) values to (rows − behind, …) results, each from its own row and the `behind` rows after it.
    values : (frames, …) array
    behind : int

    Returns
    -------
    (frames − behind, …) array
    """
    rows = max(_NUMBERS * len(values) // max(values.size, 1), 1)
    starts = range(0, max(len(values) - behind, 1), rows)
    parts = [of_rows(values[start : start + rows + behind]) for start in starts]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)  # type: ignore[return-value]
