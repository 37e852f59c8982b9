"""Curves over the cycle -> the figures that papers and reports tabulate (`feature_list`), all cycles at once.

A value whose phase holds an unknown row is unknown. No peak of a joint is taken from rows of an impact
(`gaitid.gait.impact`), and what is greatest beside one is no peak, nor what is less than the peak that matched loads,
of which no impact is left, have within one, nor a bump that only an impact left over; integrals run through them under
these, and bursts are of their peaks there. docs/features.md says each rule.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gaitid.gait.cycles import CYCLE_POINTS, Cycle
from gaitid.gait.feature_list import FEATURES, OPTIONAL, PHASES, REACHES, WHOLE, Feature
from gaitid.gait.over_points import PEAK_REACH, at_ends, between, by_rows, peaks_of, picked, summed
from gaitid.gait.spatiotemporal import Stride
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

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


_TOGETHER = 16  # cycles at once: their arrays stay within a processor's cache

_SIGNS = {"max": 1.0, "min": -1.0, "generation_max": 1.0, "absorption_max": -1.0}
_EVENTS = {"at_opposite_off": "opposite_off", "at_off": "off"}
_COLUMNS = tuple(dict.fromkeys(feature.column for feature in FEATURES))
_PHASES = tuple(PHASES)


@frozen_dataclass(eq=False)
class FeatureValues:
    """The features of all cycles.

    Attributes
    ----------
    cycles : tuple of Cycle
    value : (cycles, features) array
        In the order of `FEATURES`; NaN where unknown.
    percent : (cycles, features) array
        % of the cycle where a value lies; NaN for ranges, means and integrals, and where the value is unknown.
    listed : (n,) int array
        Which are written: not those of optional columns that the model has not.
    """

    cycles: tuple[Cycle, ...]
    value: Array
    percent: Array
    listed: IntArray


@frozen_dataclass(eq=False)
class _Some:
    """Features of some kinds: their places in the list, and those of their columns and phases."""

    at: IntArray
    column: IntArray
    phase: IntArray
    features: tuple[Feature, ...]


def _of_kinds(*kinds: str) -> _Some:
    chosen = [(i, f) for i, f in enumerate(FEATURES) if f.kind in kinds]
    return _Some(
        np.array([i for i, _ in chosen], dtype=np.intp),
        np.array([_COLUMNS.index(f.column) for _, f in chosen], dtype=np.intp),
        np.array([_PHASES.index(f.phase) for _, f in chosen], dtype=np.intp),
        tuple(f for _, f in chosen),
    )


_EXTREMES, _RANGES, _MEANS, _STRIKES = _of_kinds(*_SIGNS), _of_kinds("range"), _of_kinds("mean"), _of_kinds("at_strike")
_AT = {kind: _of_kinds(kind) for kind in _EVENTS}
_PARTS = _of_kinds("impulse_positive", "impulse_negative", "work_positive", "work_negative", "work_net")
_WORKS = _of_kinds("generation_work", "absorption_work")
_RATES = _of_kinds("impact_peak", "loading_rate_mean", "loading_rate_max")
_NAMED = np.array([f.phase not in WHOLE for f in _EXTREMES.features])
# generated, absorbed, or (by the first peaks, of which the file has others too) a moment of this direction
_ONE_WAY = np.array(
    [
        f.kind in ("generation_max", "absorption_max") or (f.phase == "loading" and f.unit == "Nm_per_kg")
        for f in _EXTREMES.features
    ]
)
_KINETIC = np.array([c.endswith(("_moment_Nm_per_kg", "_power_W_per_kg")) for c in _COLUMNS])
_ANGULAR = np.array([c.endswith("_deg") for c in _COLUMNS])
_GROUND = np.array([c.startswith("ground_reaction") for c in _COLUMNS])
_JOINT_EXTREMES = _KINETIC[_EXTREMES.column]
# the column, or its negative: these stand behind all columns
_WAY = _EXTREMES.column + np.array([0 if _SIGNS[f.kind] > 0 else len(_COLUMNS) for f in _EXTREMES.features])
# of which of these peaks are looked for, and for which features
_PEAKED = sorted(set(_WAY[_NAMED].tolist()))
_OF_PEAKED = [_PEAKED.index(way) for way in _WAY[_NAMED].tolist()]
_GIVEN = np.array([-1.0 if f.kind == "min" else 1.0 for f in _EXTREMES.features])
# those of joints: which extremes, and their columns among those of joints, or behind all of these negative
_JOINT_COLUMNS = np.flatnonzero(_KINETIC)
_OF_JOINTS = np.flatnonzero(_JOINT_EXTREMES)
_JOINT_WAY = np.searchsorted(_JOINT_COLUMNS, _EXTREMES.column[_OF_JOINTS]) + np.where(
    _WAY[_OF_JOINTS] < len(_COLUMNS), 0, len(_JOINT_COLUMNS)
)
_JOINT_NAMED = _NAMED[_OF_JOINTS]
# those, among these, of columns and directions that have a peak in a phase that begins with the strike
_BEGINS = np.array([PHASES[f.phase][0] == 0 for f in _EXTREMES.features])[_OF_JOINTS]
_AFTER_STRIKE = np.flatnonzero(_BEGINS & np.isin(_JOINT_WAY, _JOINT_WAY[_BEGINS & _JOINT_NAMED]))
# where the peak of each burst stands among the extremes
_OF_BURST = {(f.column, f.phase): i for i, f in enumerate(_EXTREMES.features) if f.phase in REACHES}
_PEAK_OF = np.array([_OF_BURST[f.column, f.phase] for f in _WORKS.features])
_REACH = np.array([REACHES[f.phase] for f in _WORKS.features])
# columns that are integrated, those of joints first, and the place among them of each
_SUMMED = np.concatenate([_JOINT_COLUMNS, np.flatnonzero(_GROUND)])
_PLACE = np.zeros(len(_COLUMNS), dtype=np.intp)
_PLACE[_SUMMED] = np.arange(len(_SUMMED))
# features of the ground reaction
_OF_GROUND = np.flatnonzero([f.column in GROUND_COLUMNS for f in FEATURES])
_SIGN = np.array([1.0 if f.kind == "generation_work" else -1.0 for f in _WORKS.features])[:, None, None]


def _places(phase: str, part: str) -> IntArray:
    """(2, features) of the integrals over a phase: where they stand in the list, and their columns in the sums."""
    chosen = [i for i, f in enumerate(_PARTS.features) if f.phase == phase and f.kind.endswith(f"_{part}")]
    return np.stack([_PARTS.at[chosen], _PLACE[_PARTS.column[chosen]]])


_OF_PARTS = {
    (phase, part): _places(phase, part) for phase in ("stance", "") for part in ("positive", "negative", "net")
}


def measure(curves: CycleCurves, gravity_m_per_s2: float, loading: Array) -> FeatureValues:
    """The features of all cycles.

    Parameters
    ----------
    curves : CycleCurves
    gravity_m_per_s2 : float
        The ground reaction is given in body weights.
    loading : (cycles, 3, 2) array
        Value and percent of impact peak and of mean and greatest loading rate, BW and BW/s; NaN where unknown.
    """
    cycles, n = curves.cycles, len(curves.cycles)
    value, percent = np.full((n, len(FEATURES)), np.nan), np.full((n, len(FEATURES)), np.nan)
    for part in _parts(n):
        _Measured(curves, part, gravity_m_per_s2).into(value[part], percent[part])
    if n:
        value[:, _RATES.at], percent[:, _RATES.at] = loading[:, :, 0], loading[:, :, 1]
    there = {*curves.names}
    listed = [i for i, f in enumerate(FEATURES) if f.column not in OPTIONAL or f.column in there]
    return FeatureValues(cycles, value, percent, np.array(listed, dtype=np.intp))


def slopes(curves: CycleCurves, gravity_m_per_s2: float) -> Array:
    """(cycles, features, points) change of each feature by each row of its own column, loading rates apart.

    A peak follows the curve where it lies; what of a straight line between two rows lies above zero follows both.
    """
    n = len(curves.cycles)
    found = [_Measured(curves, part, gravity_m_per_s2).slopes() for part in _parts(n)]
    return np.concatenate(found).swapaxes(1, 2) if n else np.zeros((0, len(FEATURES), CYCLE_POINTS))


def _parts(n: int) -> list[slice]:
    return [slice(start, min(start + _TOGETHER, n)) for start in range(0, n, _TOGETHER)]


class _Measured:
    """Some cycles, as arrays of (columns, cycles, points)."""

    def __init__(self, curves: CycleCurves, part: slice, gravity_m_per_s2: float) -> None:
        where = {name: i for i, name in enumerate(curves.names)}
        given = [where.get(name, -1) for name in _COLUMNS]
        absent = [i for i, place in enumerate(given) if place < 0]
        self.values = curves.values[part].transpose(2, 0, 1)[given]
        self.values[absent] = np.nan
        angles = self.values[_ANGULAR]
        jumps = np.abs(angles[..., 1:] - angles[..., :-1]) > 180
        if jumps.any():  # round the circle
            around = jumps.any(axis=2)
            angles[around] = np.unwrap(angles[around], period=360, axis=1)
            self.values[_ANGULAR] = angles
        self.per_weight = 1 / gravity_m_per_s2 if gravity_m_per_s2 > 0 else np.nan
        self.values[_GROUND] *= self.per_weight
        self.unknown = ~np.isfinite(self.values)
        self.impact = curves.impact[part]
        self.summed = self.values[_SUMMED]
        if self.impact.any():
            prepared, self.matched = (
                of[part].transpose(2, 0, 1)[np.array(given)[_JOINT_COLUMNS]] for of in (curves.settled, curves.matched)
            )
            self.summed[: len(_JOINT_COLUMNS)] = prepared
            self.summed[[i for i, place in enumerate(_JOINT_COLUMNS) if given[place] < 0]] = np.nan
        self.percent = curves.percent
        cycles = curves.cycles[part]
        self.events = {name: np.array([c.percent(getattr(c, name)) for c in cycles]) for name in _EVENTS.values()}
        self.duration_s = np.array([c.duration_s for c in cycles])
        off = self.events["off"][:, None]
        #: (cycles, points): 0 to 1 in stance, 1 to 2 in swing
        self.place = np.where(self.percent <= off, self.percent / off, 1 + (self.percent - off) / (100 - off))
        bounds = np.array([PHASES[name] for name in _PHASES])[:, :, None, None]
        self.inside = (self.place >= bounds[:, 0]) & (self.place <= bounds[:, 1])

    def into(self, value: Array, percent: Array) -> None:
        """Write the values of all features, and where they lie, (cycles, features)."""
        v = self.values
        ranging = v[_RANGES.column]
        value[:, _RANGES.at] = (ranging.max(axis=2) - ranging.min(axis=2)).T
        value[:, _STRIKES.at], percent[:, _STRIKES.at] = v[_STRIKES.column, :, 0].T, 0.0
        for kind, some in _AT.items():
            at = self.events[_EVENTS[kind]]
            value[:, some.at], percent[:, some.at] = between(v[some.column], at).T, at[:, None]
        inside = self.inside[_MEANS.phase]
        value[:, _MEANS.at] = (np.where(inside, v[_MEANS.column], 0).sum(axis=2) / inside.sum(axis=2)).T
        peaks, rows, hidden = self._extremes()
        value[:, _EXTREMES.at], percent[:, _EXTREMES.at] = peaks.T, self.percent[rows].T
        # the area of a burst whose peak an impact hides is that under matched loads
        at, inside = rows[_PEAK_OF], hidden[_PEAK_OF]
        self._integrals(value, np.where(inside >= 0, inside, at), np.isfinite(peaks[_PEAK_OF]) | (inside >= 0))
        percent[~np.isfinite(value)] = np.nan

    def slopes(self) -> Array:
        """(cycles, points, features) change of each feature by each row of its column."""
        points, cycle = len(self.percent), np.arange(len(self.duration_s))
        found = np.zeros((len(FEATURES), len(cycle), points))
        _, rows, hidden = self._extremes()
        signs = np.array([_SIGNS[f.kind] for f in _EXTREMES.features]) * _GIVEN
        found[_EXTREMES.at[:, None], cycle, rows] = signs[:, None]
        ranging = self.values[_RANGES.column]
        found[_RANGES.at[:, None], cycle, ranging.argmax(axis=2)] += 1
        found[_RANGES.at[:, None], cycle, ranging.argmin(axis=2)] -= 1
        found[_STRIKES.at, :, 0] = 1
        for kind, some in _AT.items():
            at = np.nan_to_num(self.events[_EVENTS[kind]]) * (points - 1) / 100
            found[some.at] = np.maximum(1 - np.abs(at[:, None] - np.arange(points)), 0)
        inside = self.inside[_MEANS.phase]
        found[_MEANS.at] = inside / inside.sum(axis=2, keepdims=True)
        half = np.full((2, *self.summed.shape[:2], points - 1), 0.5)
        above = self._above_by_ends()
        of_part = {"positive": above, "negative": half - above, "net": half}
        index = np.arange(points - 1)
        for phase, end in self._ends().items():
            for part, by_ends in of_part.items():
                at, column = _OF_PARTS[phase, part]
                found[at] = by_rows(by_ends[:, column], np.clip(end[:, None] - index, 0, 1))
        at, within = rows[_PEAK_OF], hidden[_PEAK_OF]
        first, last = self._burst(np.where(within >= 0, within, at))
        of_burst = np.where(_SIGN > 0, above[:, _PLACE[_WORKS.column]], (above - half)[:, _PLACE[_WORKS.column]])
        found[_WORKS.at] = by_rows(of_burst, (index >= first[..., None]) & (index < last[..., None]))
        timed = np.concatenate([_PARTS.at, _WORKS.at])
        found[timed] *= self.duration_s[:, None] / (points - 1)
        found[_OF_GROUND] *= self.per_weight
        return found.transpose(1, 2, 0)

    def _above_by_ends(self) -> Array:
        """(2, columns, cycles, intervals) change of what lies above zero between two rows, by each, for a step of 1."""
        a, b = self.summed[..., :-1], self.summed[..., 1:]
        high, low = np.maximum(a, b), np.minimum(a, b)
        # of b²/2(b − a): by the row above zero, and by the one below
        share = np.where(low < 0, high / np.where(low < high, high - low, 1.0), 1.0)
        by_high, by_low = share * (2 - share) / 2, share**2 / 2
        found = np.where(a >= b, (by_high, by_low), (by_low, by_high))
        return np.where(high < 0, 0.0, np.where(np.isfinite(a + b), found, 0.0))

    def _extremes(self) -> tuple[Array, IntArray, IntArray]:
        """(features, cycles) values of `_EXTREMES`, their rows, and those of the ones that an impact hides, else −1."""
        column = _EXTREMES.column
        allowed = self.inside[_EXTREMES.phase]
        unknown = (self.unknown[column] & allowed).any(axis=2)
        both_ways = np.concatenate([self.values, -self.values])
        allowed[_JOINT_EXTREMES] &= ~self.impact
        allowed[_NAMED] &= peaks_of(both_ways[_PEAKED])[_OF_PEAKED]
        signed = both_ways[_WAY]
        np.copyto(signed, -np.inf, where=~allowed)
        rows = signed.argmax(axis=2)
        best = picked(signed, rows)
        beside = self.impact.copy()
        beside[:, 1:] |= self.impact[:, :-1]
        beside[:, :-1] |= self.impact[:, 1:]
        lacking = _JOINT_EXTREMES[:, None] & beside[np.arange(beside.shape[0]), rows]
        hidden = np.full(rows.shape, -1, dtype=np.intp)
        if self.impact.any():
            inside, at = self._in_impact()
            greater = inside > best[_OF_JOINTS]
            known = greater & ~unknown[_OF_JOINTS] & ~(_ONE_WAY[_OF_JOINTS, None] & (inside <= 0))
            hidden[_OF_JOINTS] = np.where(known, at, -1)
            lacking[_OF_JOINTS] |= greater
            lacking[_OF_JOINTS[_AFTER_STRIKE]] |= self._left_over(both_ways, best, rows)
        lacking |= unknown | ~np.isfinite(best) | (_ONE_WAY[:, None] & (best <= 0))
        return np.where(lacking, np.nan, best * _GIVEN[:, None]), rows, hidden

    def _in_impact(self) -> tuple[Array, IntArray]:
        """(features of joints, cycles) the extreme in the impact under matched loads, −∞ for none, and its row."""
        values = self.summed[: len(_JOINT_COLUMNS)]
        both_ways = np.concatenate([values, -values])
        struck = np.flatnonzero(self.impact.any(axis=0))
        allowed = self.inside[_EXTREMES.phase[_OF_JOINTS]][..., struck] & self.impact[:, struck]
        allowed[_JOINT_NAMED] &= peaks_of(both_ways)[..., struck][_JOINT_WAY[_JOINT_NAMED]]
        signed = np.where(allowed, both_ways[..., struck][_JOINT_WAY], -np.inf)
        at = signed.argmax(axis=2)
        return picked(signed, at), struck[at]

    def _left_over(self, measured: Array, best: Array, rows: IntArray) -> Mask:
        """(features of `_AFTER_STRIKE`, cycles) whether the extreme, of early stance, is only what an impact left over.

        It is less than what the impact has in its direction; and matched loads have no peak within `PEAK_REACH` of it,
        but fall. Where they rise, it is the beginning of a wider peak that they have later.
        """
        of, way = _OF_JOINTS[_AFTER_STRIKE], _JOINT_WAY[_AFTER_STRIKE]
        early = self.inside[_PHASES.index("early_stance")]
        struck = self.inside[_EXTREMES.phase[of]] & early & self.impact
        spike = np.where(struck, measured[_WAY[of]], -np.inf).max(axis=2)
        reach, cycle = np.arange(-PEAK_REACH, PEAK_REACH + 1)[:, None, None], np.arange(rows.shape[1])
        around = way[:, None], cycle, np.clip(rows[of] + reach, 0, len(self.percent) - 1)
        matched = np.concatenate([self.matched, -self.matched])
        falls = (matched[around][0] > matched[around][-1]) & ~peaks_of(matched)[around].any(axis=0)
        return np.asarray(falls & (spike > best[of]) & early[cycle, rows[of]])

    def _integrals(self, value: Array, rows: IntArray, peaked: Mask) -> None:
        """Impulses, works and areas of bursts, of which `rows` and `peaked`, (bursts, cycles), tell the peaks."""
        values = self.summed
        a, b = values[..., :-1], values[..., 1:]
        step_s = self.duration_s[:, None] / (len(self.percent) - 1)
        # of the straight line between two rows what lies above zero: b²/2(b − a) where it crosses zero
        over = np.maximum(values, 0)
        above = (over[..., :-1] + over[..., 1:]) / 2
        crossing = np.flatnonzero(a * b < 0)
        start = crossing + crossing // a.shape[2]  # among all rows, of which each has one more
        from_a, to_b = values.ravel()[start], values.ravel()[start + 1]
        above.ravel()[crossing] = np.maximum(from_a, to_b) ** 2 / (2 * np.abs(to_b - from_a))
        above *= step_s
        below = (a + b) / 2
        below *= step_s
        below -= above
        lacking = ~np.isfinite(below)
        above[lacking], below[lacking] = 0, 0
        sums = {"positive": summed(above, float), "negative": summed(below, float)}
        missing = summed(lacking, int)
        self._of_phases(value, sums, missing)
        self._of_bursts(value, sums, missing, (rows, peaked))

    def _of_phases(self, value: Array, sums: dict[str, Array], missing: Array) -> None:
        """Over the whole stance or the whole cycle."""
        for phase, end in self._ends().items():
            empty = missing[:, np.arange(len(end)), np.ceil(end).astype(int)] > 0
            totals = {kind: np.where(empty, np.nan, at_ends(sums[kind], end)) for kind in sums}
            totals["net"] = totals["positive"] + totals["negative"]
            for part, total in totals.items():
                at, column = _OF_PARTS[phase, part]
                value[:, at] = total[column].T

    def _ends(self) -> dict[str, Array]:
        """By phase the place of its end, in points."""
        last = float(len(self.percent) - 1)
        return {"stance": self.events["off"] * last / 100, "": np.full(len(self.duration_s), last)}

    def _of_bursts(self, value: Array, sums: dict[str, Array], missing: Array, peaks: tuple[IntArray, Mask]) -> None:
        """From where the power changes its sign before a peak to where it does after it, within the burst's reach."""
        (rows, peaked), column = peaks, _PLACE[_WORKS.column]
        first, last = self._burst(rows)
        area = np.where(_SIGN > 0, sums["positive"][column], -sums["negative"][column])
        holes = missing[column]
        lacking = ~peaked | (picked(holes, last) - picked(holes, first) > 0)
        value[:, _WORKS.at] = np.where(lacking, np.nan, picked(area, last) - picked(area, first)).T

    def _burst(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """(bursts, cycles) first and last row of each around its peak."""
        index = np.arange(len(self.percent))
        other = ~(self.summed[_PLACE[_WORKS.column]] * _SIGN > 0)
        before = np.maximum.accumulate(np.where(other, index, 0), axis=2)
        after = np.minimum.accumulate(np.where(other, index, index[-1])[..., ::-1], axis=2)[..., ::-1]
        within = (self.place >= _REACH[:, 0, None, None]) & (self.place <= _REACH[:, 1, None, None])
        first = np.maximum(picked(before, rows), within.argmax(axis=2))
        return first, np.minimum(picked(after, rows), index[-1] - within[..., ::-1].argmax(axis=2))
