"""Curves over the cycle: what ``walk.cycles.csv`` holds and features are taken from."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gaitid.gait.cycles import CYCLE_POINTS, Cycle
from gaitid.gait.spatiotemporal import Stride
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

#: In this order the rows of `Stride.axes_g`: positive the way that the body walks, to the foot's own side, up.
GROUND_COLUMNS = tuple(f"ground_reaction_{way}_N_per_kg" for way in ("forward", "lateral", "upward"))


@frozen_dataclass(eq=False)
class CycleCurves:
    """Every quantity of both sides at 0 to 100 % of each cycle.

    Attributes
    ----------
    strides : tuple of Stride
        Side by side, in the order of the rows of `values`.
    names : tuple of str
        Of the columns, without the side; angles first, then moments, powers and the ground reaction.
    values : (cycles, points, columns) array
        NaN where unknown.
    impact : (cycles, points) bool array
        Where one of the two nearest frames belongs to an impact of this side.
    settled : (cycles, points, columns) array
        `values` with the joints' moments and powers under matched loads (`gaitid.gait.impact.matched_load`) where
        `impact`: what integrals run through. NaN there where the bandwidth of the markers is not known.
    matched : (cycles, points, columns) array
        `values` with the joints' moments and powers under matched loads in the whole stance of cycles that begin in an
        impact: a peak behind it is held against these. NaN there where the bandwidth of the markers is not known.
    rate_hz : float
        Of the cameras.
    """

    strides: tuple[Stride, ...]
    names: tuple[str, ...]
    values: Array
    impact: Mask
    settled: Array
    matched: Array
    rate_hz: float

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        return tuple(stride.cycle for stride in self.strides)

    @cached_property
    def percent(self) -> Array:
        """(points,) of the cycle."""
        return np.linspace(0, 100, self.values.shape[1] if len(self.strides) else CYCLE_POINTS)
