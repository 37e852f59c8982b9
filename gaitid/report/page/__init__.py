"""Curves of several trials pooled by side: over gait cycles, else over stances, else over the recording.

Nothing is computed but means: values come from ``cycles.csv``, or from ``joints.csv`` between two frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gaitid.gait import ENVELOPES
from gaitid.records import frozen_dataclass
from gaitid.report.panels import PANELS, SIDES
from gaitid.results.result import Contact, Result, ground_column
from gaitid.results.tables import CycleCurves
from gaitid.trial import Array, Mask

PERCENT = np.arange(101.0)
# A curve counts for the mean where it is known over so much of the cycle: the filter's ends cost some percents.
COUNTS_FROM = 0.9
CYCLE, STANCE, RECORDING = "cycle", "stance", "recording"


@frozen_dataclass()
class MeanCurve:
    """Mean of the curves that are known throughout.

    Attributes
    ----------
    mean, sd : (101,) array
        NaN where one of them is unknown; `sd` between the curves, NaN of a single one.
    whole : (c,) bool array
        Which curves count: those that are known in 90 % of the cycle at least.
    part : (c,) bool array
        Which others are known in part.
    """

    mean: Array
    sd: Array
    whole: Mask
    part: Mask

    @property
    def n(self) -> int:
        """How many curves count."""
        return int(self.whole.sum())


@frozen_dataclass()
class Pooled:
    """All curves of one side.

    Attributes
    ----------
    trials : (c,) int array
        Index of the result of each.
    curves : CycleCurves
        With columns over `PERCENT`.
    impact : (c, 101) bool array
        Of the impact of a foot strike.
    estimated : (c, 101) bool array
        Of a load that was estimated from the motion.
    muscles : mapping of str to (c, 101) array
        Envelopes of the side's muscles, by their columns without the side: % of a reference where there is one, else V.
    """

    side: str
    trials: NDArray[np.int64]
    curves: CycleCurves
    impact: Mask
    estimated: Mask
    muscles: Mapping[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.trials)

    def values(self, column: str) -> Array:
        """(c, 101) of a column; no curve where the side has none of it."""
        known = self.curves.columns if column in self.curves.columns else self.muscles
        return known.get(column, np.empty((0, len(PERCENT))))

    def spoiled(self, column: str) -> Mask:
        """(c, 101) of moments and powers where a foot strikes; nowhere of others."""
        spoils = column in PANELS and PANELS[column].of_joint_load
        return self.impact[: len(self.values(column))] & spoils

    def by_motion(self, column: str) -> Mask:
        """(c, 101) what is known by an estimated load."""
        known = np.isfinite(self.values(column)) & (column in PANELS and PANELS[column].loaded)
        return self.estimated[: len(known)] & known

    def mean(self, column: str) -> MeanCurve:
        """Over the curves that are known in 90 % of the cycle at least."""
        if column not in self._means:
            values = self.values(column)
            known = np.isfinite(values).mean(axis=1)
            whole, empty = values[known >= COUNTS_FROM], np.full(len(PERCENT), np.nan)
            self._means[column] = MeanCurve(
                whole.mean(axis=0) if len(whole) else empty,
                whole.std(axis=0, ddof=1) if len(whole) > 1 else empty,
                known >= COUNTS_FROM,
                (known > 0) & (known < COUNTS_FROM),
            )
        return self._means[column]

    @cached_property
    def _means(self) -> dict[str, MeanCurve]:
        """Those that were asked for: a panel, its words, its data and the axes ask for each."""
        return {}

    @cached_property
    def mean_impact(self) -> Mask:
        """(101,) where any curve is in an impact."""
        return np.asarray(self.impact.any(axis=0))


@frozen_dataclass()
class Basis:
    """What the x axis runs over, and the curves of each side; a side without any is not there."""

    kind: str
    label: str
    sides: Mapping[str, Pooled]


def pool(results: Sequence[Result]) -> Basis:
    """The curves of trials that belong together."""
    ways: dict[str, Callable[[Result, str], CycleCurves | None]] = {
        CYCLE: lambda result, side: result.cycles.get(side),
        STANCE: _stances,
        RECORDING: _recording,
    }
    bases = []
    for kind, of in ways.items():
        sides = {side: pooled for side in sides_of(results) if (pooled := _pooled(side, results, of))}
        bases.append(Basis(kind, f"% of the {'gait cycle' if kind == CYCLE else kind}", sides))
        if sides:
            break
    return bases[-1]


def sides_of(results: Sequence[Result]) -> tuple[str, ...]:
    """The sides that any trial has, left before right."""
    return tuple(side for side in SIDES if any(side in result.sides for result in results))


def _pooled(side: str, results: Sequence[Result], of: Callable[[Result, str], CycleCurves | None]) -> Pooled | None:
    collected = [(i, of(result, side)) for i, result in enumerate(results)]
    parts = {i: _at_percents(curves) for i, curves in collected if curves}
    if not parts:
        return None
    sampled = list(parts.values())
    names = dict.fromkeys(name for curves in sampled for name in curves.columns if name in PANELS)
    nothing = {id(c): np.full((len(c), len(PERCENT)), np.nan) for c in sampled}
    joined: dict[str, Any] = {
        of.name: np.concatenate([getattr(curves, of.name) for curves in sampled])
        for of in fields(CycleCurves)
        if of.name not in ("percent", "columns")
    }
    muscles = dict.fromkeys(name for curves in sampled for name in _muscles(curves, side))
    columns, of_muscles = (
        {n: np.concatenate([c.columns.get(f"{before}{n}", nothing[id(c)]) for c in sampled]) for n in wanted}
        for before, wanted in (("", names), (f"{side}_", muscles))
    )
    impact, estimated = (
        np.concatenate([_within(spans[i], curves) for i, curves in parts.items()])
        for spans in ([of.impacts(side) for of in results], [of.estimated(side) for of in results])
    )
    trials, of_all = np.repeat([*parts], [len(curves) for curves in sampled]), replace(sampled[0], percent=PERCENT)
    return Pooled(side, trials, replace(of_all, columns=columns, **joined), impact, estimated, of_muscles)


def _muscles(curves: CycleCurves, side: str) -> list[str]:
    """The columns of a side's muscles, without the side: of a reference where there is one."""
    for end in reversed(ENVELOPES):
        if any(name.endswith(end) for name in curves.columns):
            return [n.removeprefix(f"{side}_") for n in curves.columns if n.endswith(end) and n.startswith(f"{side}_")]
    return []


def _at_percents(curves: CycleCurves) -> CycleCurves:
    """At 0, 1, ..., 100 %: as they are, but for tables of other steps."""
    if np.array_equal(curves.percent, PERCENT):
        return curves
    columns = {
        name: np.array([np.interp(PERCENT, curves.percent, one) for one in values])
        for name, values in curves.columns.items()
    }
    return replace(curves, percent=PERCENT, columns=columns)


def _within(spans: Sequence[tuple[float, float]], curves: CycleCurves) -> Mask:
    """(c, 101) which percents lie in some frames, both ends included."""
    mask = np.zeros((len(curves), len(PERCENT)), dtype=bool)
    first, length = curves.first_frame[:, None], (curves.last_frame - curves.first_frame)[:, None]
    at = first + length * PERCENT / 100
    for begin, end in spans:
        mask |= (at >= begin - 0.5) & (at <= end + 0.5)
    return mask


# --- where there is no cycle ----------------------------------------------------------------------------------


def _stances(result: Result, side: str) -> CycleCurves | None:
    return result.stances.get(side)


def _recording(result: Result, side: str) -> CycleCurves | None:
    if not any(name.startswith(f"{side}_") for name in result.columns):
        return None
    return _between(result, side, [(int(result.frame[0]), int(result.frame[-1]))])


def known_contacts(result: Result, side: str) -> list[Contact]:
    """Contacts of a side with a known load, of more than one frame, within the trial."""
    return [
        c
        for c in result.contacts
        if c.side == side
        and c.known
        and c.last_frame > c.first_frame
        and c.first_frame <= result.frame[-1]
        and c.last_frame >= result.frame[0]
    ]


def _between(result: Result, side: str, spans: Sequence[tuple[int, int]]) -> CycleCurves | None:
    """Columns of ``joints.csv`` and the vertical load between frames, straight from frame to frame."""
    spans = [span for span in spans if span[1] > span[0]]
    if not spans or len(result.frame) < 2:
        return None
    first, last = np.array(spans).T
    at = first[:, None] + (last - first)[:, None] * PERCENT / 100
    index = at - result.frame[0]
    inside = (index >= 0) & (index <= len(result.frame) - 1)
    low = np.clip(np.floor(index).astype(int), 0, len(result.frame) - 2)
    part = np.clip(index - low, 0, 1)

    def between(values: Array) -> Array:
        before, after = values[low], values[low + 1]
        line = np.where(part == 0, before, np.where(part == 1, after, before + part * (after - before)))
        return np.where(inside, line, np.nan)

    columns = {name: between(result.columns[f"{side}_{name}"]) for name in PANELS if f"{side}_{name}" in result.columns}
    columns |= {name: between(values) for name, values in _upward(result, side).items()}
    unknown = np.full(len(spans), np.nan)
    return CycleCurves(
        numbers=np.arange(1, len(spans) + 1),
        first_frame=first,
        last_frame=last,
        off_percent=unknown,
        opposite_off_percent=unknown,
        opposite_strike_percent=unknown,
        percent=PERCENT,
        columns=columns,
    )


def _upward(result: Result, side: str) -> dict[str, Array]:
    """The vertical load per kilogram, where the record says the vertical and the mass."""
    vertical = str(result.record_at("conventions", "vertical") or "")
    mass = result.number("subject", "mass", "value") or 0.0
    axis = vertical[1:2].lower()
    name = ground_column(side, axis)
    if vertical[:1] not in "+-" or axis not in "xyz" or name not in result.columns or not mass > 0:
        return {}
    sign = -1.0 if vertical[0] == "-" else 1.0
    return {"ground_reaction_upward_N_per_kg": sign * result.columns[name] / mass}
