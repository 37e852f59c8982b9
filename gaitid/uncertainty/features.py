"""Changes of columns -> changes of features, many at a time, and weights that make one of the other.

A peak follows the curve at its row, a range the curve at two rows, an integral every row of its phase. So what many
errors do to all features is a sum of products, where each of them need not be measured.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from gaitid.gait.cycles import sample
from gaitid.gait.feature_list import FEATURES
from gaitid.gait.features import GROUND_COLUMNS, CycleCurves, FeatureValues, measure, slopes
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray
from gaitid.uncertainty.perturbed import Perturbed

#: Of a change: so small that no peak becomes another one.
STEP = 1e-3


class FeatureSpread:
    """Variances of the features of all cycles, by source, as changes of columns come in.

    Parameters
    ----------
    perturbed : Perturbed
        Of the result whose features are meant.
    step : float
        Changes are measured at this share of their size, and the answer is divided by it.

    Attributes
    ----------
    of_result : (cycles, features) array
        Of the result itself.
    gravity : float
        m/s².
    counts : (frames, columns) bool array
        Which changes cycles feel: not of what estimated loads alone tell.
    percent : (cycles, features) array
        Of the cycle, where a value of the result lies (`gaitid.gait.features.FeatureValues`).
    """

    def __init__(self, perturbed: Perturbed, step: float = STEP) -> None:
        self._perturbed, self._step = perturbed, step
        self.curves, self.gravity = perturbed.curves, perturbed.result.settings.gravity_m_per_s2
        self.where, self.counts = _columns(perturbed, self.curves), ~perturbed.by_motion
        measured = self._measured(self.curves)
        self.of_result, self.percent = measured.value, measured.percent

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of ``cycles.csv``, without the side."""
        return tuple(self.curves.names)

    def over_cycles(self, change: Array) -> Array:
        """(cycles, points, columns of cycles.csv) of a change of columns."""
        known = np.where(np.isfinite(change) & self.counts, change, 0.0)  # the mask is that of the curves
        found = []
        for stride, (first, weights) in zip(self.curves.strides, self.samplers, strict=True):
            at, ground = self.where[stride.cycle.side]
            some = known[first : first + weights.shape[1]]
            over = weights @ np.where(at >= 0, some[:, np.maximum(at, 0)], 0.0)
            over[:, -len(GROUND_COLUMNS) :] = (weights @ some[:, ground]) @ stride.axes_g.T
            found.append(over)
        return np.array(found)

    @cached_property
    def samplers(self) -> list[tuple[int, Array]]:
        """For each cycle its first frame, and (points, frames) weights: what `sample` makes of changes is linear."""
        rate_hz, points, offset = self._perturbed.result.trial.rate_hz, len(self.curves.percent), self._perturbed.first
        found = []
        for stride in self.curves.strides:
            times = stride.cycle.strike.time_s, stride.cycle.next_strike.time_s
            start, end = (t * rate_hz - offset for t in times)
            # two frames more on either side, but for the trial's ends
            first, last = max(int(start) - 2, 0), min(int(np.ceil(end)) + 3, self._perturbed.n_frames)
            found.append((first, sample(np.eye(last - first), np.linspace(start, end, points) - first)))
        return found

    def _measured(self, curves: CycleCurves) -> FeatureValues:
        """Loading rates, which are of the plates' own rate, are unknown here."""
        return measure(curves, self.gravity, np.full((len(curves.strides), 3, 2), np.nan))

    def stacked(self, changes: list[Array], step: float) -> Array:
        """(changes, cycles, features) of the curves with each change, times a factor, by itself."""
        curves, n = self.curves, len(changes)
        moved = step * np.concatenate(changes)
        many = replace(
            curves,
            strides=curves.strides * n,
            values=np.tile(curves.values, (n, 1, 1)) + moved,
            impact=np.tile(curves.impact, (n, 1)),
            settled=np.tile(curves.settled, (n, 1, 1)) + moved,
            matched=np.tile(curves.matched, (n, 1, 1)) + moved,
        )
        return self._measured(many).value.reshape(n, len(curves.strides), len(FEATURES))

    def slopes(self, changes: list[Array]) -> Array:
        """(changes, cycles, features) what each change of the curves, (cycles, points, columns), makes of them."""
        return np.asarray((self.stacked(changes, self._step) - self.of_result) / self._step)


def _columns(perturbed: Perturbed, curves: CycleCurves) -> dict[str, tuple[IntArray, IntArray]]:
    """For each side where the curves' columns stand among the computation's (−1: nowhere), and its reaction per kg."""
    place = {name: i for i, name in enumerate(perturbed.names)}
    found = {}
    for side in perturbed.result.sides:
        at = np.array([place.get(f"{side}_{name}", -1) for name in curves.names], dtype=np.intp)
        ground = [place[f"{side}_ground_reaction_{axis}_N_per_kg"] for axis in "xyz"] if curves.strides else []
        found[side] = at, np.array(ground, dtype=np.intp)
    return found


# --- by weights -------------------------------------------------------------------------------------------------------


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
        by_points = np.where(np.isfinite(spread.of_result)[:, :, None], slopes(spread.curves, spread.gravity), 0.0)
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
    weights *= spread.counts[first : first + over.shape[1]].T[columns, :, None]
    return _OfCycle(stride.cycle.side, first, columns, stride.axes_g, weights, features)
