"""How each feature follows from the frames of its column: weights that make changes of features of changes of columns.

A peak follows the curve at its row, a range the curve at two rows, an integral every row of its phase. So what many
errors do to all features is a sum of products, where each of them need not be measured.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gaitid.gait.curves import GROUND_COLUMNS
from gaitid.gait.feature_list import FEATURES
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.features import FeatureSpread

#: Of a column's own unit: a row is moved by so much. Rounding of sums of some tens is 1e-8 of it.
_STEP = 1e-6
#: Cycles with a moved row that are measured at once.
_CYCLES_AT_ONCE = 1000
#: Features that are the value at one row, and whether they are its negative.
_AT_ONE_ROW = {"max": 1.0, "min": 1.0, "generation_max": 1.0, "absorption_max": -1.0}


class _OfCycle(NamedTuple):
    """Weights of one cycle.

    Attributes
    ----------
    side : str
    first : int
        The first of its frames.
    columns : (n,) int array
        Among those of the computation: quantities of cycles.csv that it has, then the three of the ground reaction.
    ground : (3, 3) array
        Turns the last three columns to the way of walking.
    weights : (n, frames, most) array
        Of the features of each column, 0 behind its last one.
    features : (n, most) int array
        Which features these are, `len(FEATURES)` behind the last one.
    """

    side: str
    first: int
    columns: IntArray
    ground: Array
    weights: Array
    features: IntArray


class FeatureGradient:
    """Changes of features by changes of columns, to first order.

    Parameters
    ----------
    spread : FeatureSpread
    """

    def __init__(self, spread: FeatureSpread) -> None:
        self._spread = spread
        by_points = _by_points(spread)
        self._cycles = [_of_cycle(spread, i, by_points[i]) for i in range(len(by_points))]

    @property
    def shape(self) -> tuple[int, int]:
        """Cycles and features."""
        return self._spread.of_result.shape[0], len(FEATURES)

    def of_change(self, change: Array) -> Array:
        """(cycles, features) of a change of the columns, (frames, columns)."""
        known = np.where(np.isfinite(change), change, 0.0)  # the mask is that of the curves
        found = np.zeros((self.shape[0], len(FEATURES) + 1))
        for i, cycle in enumerate(self._cycles):
            some = known[cycle.first : cycle.first + cycle.weights.shape[1]][:, cycle.columns]
            some[:, -3:] = some[:, -3:] @ cycle.ground.T
            found[i, cycle.features] = np.einsum("fc,cfk->ck", some, cycle.weights)
        return found[:, :-1]

    def of_tracks(self, J: Array, columns: IntArray, tracks: Array) -> Array:
        """(tracks, cycles, features) of displacements of one marker.

        Parameters
        ----------
        J : (frames, 9, n) array
            Derivatives of some columns by it; 0 where unknown.
        columns : (n,) int array
            Which these are, ascending.
        tracks : (frames, tracks, 9) array
        """
        count = tracks.shape[1]
        found = np.zeros((count, self.shape[0], len(FEATURES) + 1))
        for i, cycle in enumerate(self._cycles):
            at = np.searchsorted(columns, cycle.columns)
            there = columns[np.minimum(at, len(columns) - 1)] == cycle.columns
            if not there.any():
                continue
            frames = slice(cycle.first, cycle.first + cycle.weights.shape[1])
            change = np.zeros((cycle.weights.shape[1], count, len(there)))
            change[:, :, there] = tracks[frames] @ J[frames][:, :, at[there]]
            change[:, :, -3:] = change[:, :, -3:] @ cycle.ground.T
            of_columns = np.ascontiguousarray(change.transpose(2, 1, 0)) @ cycle.weights
            found[:, i, cycle.features] = of_columns.transpose(1, 0, 2)
        return found[:, :, :-1]


def _by_points(spread: FeatureSpread) -> Array:
    """(cycles, features, points) change of each feature by each row of its own column; 0 of what is unknown."""
    curves, value, percent = spread.curves, spread.of_result, spread.percent
    cycles, points = len(curves.strides), len(curves.percent)
    moved = np.zeros((cycles, len(FEATURES), points))
    if not cycles:
        return moved
    together = max(1, _CYCLES_AT_ONCE // cycles)
    for rows in (range(k, min(k + together, points)) for k in range(0, points, together)):
        changes = []
        for row in rows:
            change = np.zeros(curves.values.shape)
            change[:, row] = 1.0
            changes.append(change)
        found = (spread.stacked(changes, _STEP) - value) / _STEP
        moved[:, :, rows.start : rows.stop] = np.moveaxis(found, 0, 2)
    # of values that are equal, and moved each by itself, each would be the greatest
    for i, one_row in _at_rows(spread, percent):
        moved[:, i] = one_row
    return np.where(np.isfinite(moved), moved, 0.0)


def _at_rows(spread: FeatureSpread, percent: Array) -> Iterator[tuple[int, Array]]:
    """Of features that are values at one row, or the difference of two: which, and (cycles, points) weights."""
    curves = spread.curves
    cycle, last = np.arange(len(curves.strides)), len(curves.percent) - 1
    for i, feature in enumerate(FEATURES):
        if feature.column not in curves.names:
            continue
        weights = np.zeros((len(cycle), last + 1))
        if feature.kind in _AT_ONE_ROW:
            row = np.rint(np.where(np.isfinite(percent[:, i]), percent[:, i], 0.0) * last / 100).astype(int)
            weights[cycle, row] = _AT_ONE_ROW[feature.kind] / spread.unit_of(feature)
        elif feature.kind == "range":
            curve = curves.values[:, :, curves.names.index(feature.column)]
            curve = np.unwrap(curve, period=360) if feature.unit == "deg" else curve
            weights[cycle, curve.argmax(axis=1)] += 1 / spread.unit_of(feature)
            weights[cycle, curve.argmin(axis=1)] -= 1 / spread.unit_of(feature)
        else:
            continue
        yield i, weights


def _of_cycle(spread: FeatureSpread, i: int, by_points: Array) -> _OfCycle:
    """Weights over the frames of one cycle, feature by feature, ordered by columns."""
    stride, (first, over) = spread.curves.strides[i], spread.samplers[i]
    at, ground = spread.where[stride.cycle.side]
    names = list(spread.curves.names)
    kept = [k for k, place in enumerate(at) if place >= 0 and names[k] not in GROUND_COLUMNS]
    kept += [names.index(name) for name in GROUND_COLUMNS]
    of_column = [[k for k, feature in enumerate(FEATURES) if feature.column == names[c]] for c in kept]
    most = max(map(len, of_column))
    features = np.array([own + [len(FEATURES)] * (most - len(own)) for own in of_column], dtype=np.intp)
    whole = np.concatenate([by_points, np.zeros((1, by_points.shape[1]))])
    weights = np.ascontiguousarray(np.moveaxis(whole[features] @ over, 1, 2))
    columns = np.concatenate([at[kept[:-3]], ground])
    return _OfCycle(stride.cycle.side, first, columns, stride.axes_g, weights, features)
