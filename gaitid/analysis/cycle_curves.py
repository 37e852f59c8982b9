"""A `Result` -> its curves over the cycle, with the ends of swings beside plates written into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.analysis.result import Result, SideResult
from gaitid.analysis.swing_end import swing_end, unloaded
from gaitid.analysis.under_load import under_load
from gaitid.dynamics.wrench import Wrench
from gaitid.gait.curves import GROUND_COLUMNS, CycleCurves
from gaitid.gait.cycles import CYCLE_POINTS, over_cycles, sample
from gaitid.gait.impact import matched_load
from gaitid.gait.spatiotemporal import Gait, Stride
from gaitid.trial import Array, Mask


def side_columns(leg: SideResult) -> dict[str, Array]:
    """The columns of ``walk.joints.csv`` of one side, each (frames,), named without the side; angles first."""
    angles = {**leg.angles, **leg.trunk_angles}
    columns = {f"{n}_{c}_deg": values for n, of in angles.items() for c, values in of.items()}
    columns |= {
        f"{n}_{c}_moment_Nm_per_kg": values for n, moments in leg.moments.items() for c, values in moments.items()
    }
    return columns | {f"{joint}_power_W_per_kg": leg.powers[joint] for joint in leg.moments}


_OF_RESULTS: WeakKeyDictionary[Result, CycleCurves] = WeakKeyDictionary()


def curves_of(result: Result) -> CycleCurves:
    """The curves of a result, made once: the tables share them."""
    curves = _OF_RESULTS.get(result)
    if curves is None:
        curves = _OF_RESULTS[result] = cycle_curves(result)
    return curves


def cycle_curves(result: Result, gait: Gait | None = None, points: int = CYCLE_POINTS) -> CycleCurves:
    """Joint angles, moments, powers and ground reaction over 0 to 100 % of each cycle of both sides.

    Parameters
    ----------
    result : Result
    gait : Gait, optional
        Its own where it is left out.
    points : int
        Of a cycle.
    """
    strides = (gait or result.gait).strides
    named = {side: side_columns(leg) for side, leg in result.sides.items()}
    names = tuple(next(iter(named.values()), {}))
    width = len(names) + len(GROUND_COLUMNS)
    ordered: list[Stride] = []
    tables, impacts = [np.empty((0, points, width))], [np.empty((0, points), dtype=bool)]
    settled = [np.empty((0, points, width))]
    for side, columns in named.items():
        of_side = [stride for stride in strides if stride.cycle.side == side]
        if not of_side or not names:
            continue
        values = np.stack([columns[name] for name in names], axis=1)
        angles = sum(name.endswith("_deg") for name in names)  # they come first
        tables.append(_over(result, side, of_side, values, angles, points))
        start, end = np.array([(s.cycle.strike.time_s, s.cycle.next_strike.time_s) for s in of_side]).T
        at = np.linspace(start, end, points, axis=1) * result.trial.rate_hz
        impacts.append(_of_impact(result, side, at))
        settled.append(tables[-1])
        if impacts[-1].any():
            kinetics = _settled(result, side, values[:, angles:])
            settled[-1] = tables[-1].copy()
            settled[-1][impacts[-1], angles : len(names)] = sample(kinetics, at[impacts[-1]])
        ordered += of_side
    rate_hz = result.trial.rate_hz
    columns_of = (*names, *GROUND_COLUMNS)
    values_of, impact = np.concatenate(tables), np.concatenate(impacts)
    settled_of = np.concatenate(settled) if impact.any() else values_of
    return CycleCurves(tuple(ordered), columns_of, values_of, impact, settled_of, rate_hz)


def _over(result: Result, side: str, strides: Sequence[Stride], values: Array, angles: int, points: int) -> Array:
    """(cycles, points, columns) of one side; `angles` columns of `values` come first."""
    trial, mass = result.trial, result.subject.mass_kg
    over = partial(over_cycles, [s.cycle for s in strides], rate_hz=trial.rate_hz, points=points)
    axes_g = np.array([s.axes_g for s in strides]).reshape(-1, 3, 3)
    reactions = over(result.sides[side].load.wrench.f_g / mass) @ axes_g.swapaxes(1, 2)
    kinetics = np.concatenate([over(values[:, angles:]), reactions], axis=2)
    _end_in_swing(result, side, strides, kinetics)
    return np.concatenate([over(values[:, :angles], period=360.0), kinetics], axis=2)


def _of_impact(result: Result, side: str, at: Array) -> Mask:
    """Whether one of the two frames nearest to instants (in frames from the first) belongs to an impact."""
    frames = result.impact_frames(side)
    low, high = (np.clip(edge(at).astype(int), 0, len(frames) - 1) for edge in (np.floor, np.ceil))
    return np.asarray(frames[low] | frames[high])


def _settled(result: Result, side: str, kinetics: Array) -> Array:
    """(frames, columns) moments and powers of one side, under matched loads in the frames of impacts."""
    frames = np.flatnonzero(result.impact_frames(side))
    leg, bandwidth_hz = result.sides[side], result.markers.quality["marker_bandwidth_hz"]
    changed = kinetics.copy()
    changed[frames] = np.nan
    if 0 < bandwidth_hz < result.trial.rate_hz / 2:
        wrench = matched_load(leg.load, bandwidth_hz, result.trial.rate_hz).wrench
        load = Wrench(wrench.f_g[frames], wrench.m_g[frames], wrench.p_g[frames])
        moments, powers = under_load(result, side, frames, load)
        columns = side_columns(replace(leg, angles={}, trunk_angles={}, moments=moments, powers=powers))
        changed[frames] = np.stack(list(columns.values()), axis=1)
    return changed


def _end_in_swing(result: Result, side: str, strides: Sequence[Stride], kinetics: Array) -> None:
    """Write the ends of cycles up to strikes beside plates into their moments, powers and reactions.

    `kinetics` has the shape (cycles, points, columns).
    """
    ends = [swing_end(result, stride.cycle) for stride in strides]
    if not any(ends):
        return
    leg = result.sides[side]
    moments, powers = unloaded(result, side, np.concatenate([np.array(end, dtype=int) for end in ends]))
    free_columns = side_columns(replace(leg, angles={}, trunk_angles={}, moments=moments, powers=powers))
    known_columns = side_columns(replace(leg, angles={}, trunk_angles={}))
    free, known = (np.stack(list(columns.values()), axis=1) for columns in (free_columns, known_columns))
    force, rate_hz, done = leg.load.wrench.f_g / result.subject.mass_kg, result.trial.rate_hz, 0
    for of_cycle, stride, end in zip(kinetics, strides, ends, strict=True):
        if end:
            first = max(end.start - 3, 0)  # so far back reaches a cubic
            before = np.concatenate([known[first : end.start], force[first : end.start] @ stride.axes_g.T], axis=1)
            of_end = np.concatenate([free[done : done + len(end)], np.zeros((len(end), 3))], axis=1)
            at = np.linspace(stride.cycle.strike.time_s, stride.cycle.next_strike.time_s, len(of_cycle)) * rate_hz
            late = at > end.start - 1
            filled = sample(np.concatenate([before, of_end]), at[late] - first)
            of_cycle[late] = np.where(np.isfinite(of_cycle[late]), of_cycle[late], filled)
            done += len(end)
