"""Changes of columns -> changes of features, many at a time."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from gaitid.gait.curves import GROUND_COLUMNS, CycleCurves
from gaitid.gait.cycles import sample
from gaitid.gait.feature_list import FEATURES, Feature
from gaitid.gait.features import FeatureValues, measure
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
    """

    def __init__(self, perturbed: Perturbed, step: float = STEP) -> None:
        self._perturbed, self._step = perturbed, step
        self.curves = perturbed.curves
        self.where = _columns(perturbed, self.curves)
        measured = self._measured(self.curves)
        self._of_result, self._percent = measured.value, measured.percent

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of ``cycles.csv``, without the side."""
        return tuple(self.curves.names)

    def over_cycles(self, change: Array) -> Array:
        """(cycles, points, columns of cycles.csv) of a change of columns."""
        known = np.where(np.isfinite(change), change, 0.0)  # the mask is that of the curves
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
        gravity = self._perturbed.result.settings.gravity_m_per_s2
        return measure(curves, gravity, np.full((len(curves.strides), 3, 2), np.nan))

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

    @property
    def of_result(self) -> Array:
        """(cycles, features) of the result itself."""
        return self._of_result

    @property
    def percent(self) -> Array:
        """(cycles, features) of the cycle, where a value of the result lies (`gaitid.gait.features.FeatureValues`)."""
        return self._percent

    def unit_of(self, feature: Feature) -> float:
        """What its column is divided by: a ground reaction is measured in body weights."""
        gravity = self._perturbed.result.settings.gravity_m_per_s2
        return (gravity if gravity > 0 else np.nan) if feature.column in GROUND_COLUMNS else 1.0

    def slopes(self, changes: list[Array]) -> Array:
        """(changes, cycles, features) what each change of the curves, (cycles, points, columns), makes of them."""
        return np.asarray((self.stacked(changes, self._step) - self._of_result) / self._step)


def _columns(perturbed: Perturbed, curves: CycleCurves) -> dict[str, tuple[IntArray, IntArray]]:
    """For each side where the curves' columns stand among the computation's (−1: nowhere), and its reaction per kg."""
    place = {name: i for i, name in enumerate(perturbed.names)}
    found = {}
    for side in perturbed.result.sides:
        at = np.array([place.get(f"{side}_{name}", -1) for name in curves.names], dtype=np.intp)
        ground = [place[f"{side}_ground_reaction_{axis}_N_per_kg"] for axis in "xyz"] if curves.strides else []
        found[side] = at, np.array(ground, dtype=np.intp)
    return found
