"""A `Result` -> its curves over the cycle, with the ends of swings beside plates written into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.analysis.result import Result, SideResult
from gaitid.analysis.under_load import under_load
from gaitid.dynamics.wrench import Wrench
from gaitid.gait.curves import GROUND_COLUMNS, CycleCurves
from gaitid.gait.cycles import CYCLE_POINTS, Cycle, instants, sample, sample_together
from gaitid.gait.impact import matched_load
from gaitid.gait.spatiotemporal import Gait, Stride
from gaitid.ground.contacts import AIR, UNKNOWN
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

# s. No more than this lies between the last frame that is known and a strike that the file has and the markers agree
# with: the margin, by how much events beside plates and markers differ, and a frame.
END_S = 0.03


def side_columns(leg: SideResult) -> dict[str, Array]:
    """The columns of ``walk.joints.csv`` of one side, each (frames,), named without the side; angles first."""
    angles = {**leg.angles, **leg.trunk_angles}
    columns = {f"{n}_{c}_deg": values for n, of in angles.items() for c, values in of.items()}
    return columns | kinetic_columns(leg.moments, leg.powers)


def kinetic_columns(moments: Mapping[str, Mapping[str, Array]], powers: Mapping[str, Array]) -> dict[str, Array]:
    """Those of the moments and powers of a side."""
    columns = {f"{n}_{c}_moment_Nm_per_kg": values for n, of in moments.items() for c, values in of.items()}
    return columns | {f"{joint}_power_W_per_kg": powers[joint] for joint in moments}


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
    of_sides = {side: [stride for stride in strides if stride.cycle.side == side] for side in named if names}
    ordered = [stride for of_side in of_sides.values() for stride in of_side]
    curves, impact = np.empty((len(ordered), points, width)), np.zeros((len(ordered), points), dtype=bool)
    settled = matched = curves  # tables of their own once they differ
    angles = sum(name.endswith("_deg") for name in names)  # they come first
    start = 0
    for side, of_side in of_sides.items():
        if not of_side:
            continue
        force = result.sides[side].load.wrench.f_g / result.subject.mass_kg
        values = np.stack([*(named[side][name] for name in names), *force.T], axis=1)
        at = instants([stride.cycle for stride in of_side], result.trial.rate_hz, points)
        mine = slice(start, start := start + len(of_side))
        over = sample_together(values, at, 360.0, slice(angles), into=curves[mine])
        axes_g = np.array([s.axes_g for s in of_side])
        over[..., len(names) :] = np.ascontiguousarray(over[..., len(names) :]) @ axes_g.swapaxes(1, 2)
        _end_in_swing(_Cycles(result, side, of_side, at), values[:, angles:], over[..., angles:])
        impact[mine] = _of_impact(result, side, at)
        if settled is not curves:
            settled[mine] = matched[mine] = over
        if impact[mine].any():
            settled, matched = (curves.copy(), curves.copy()) if settled is curves else (settled, matched)
            joints, stance = slice(angles, len(names)), _of_struck_stances(of_side, at, impact[mine])
            kinetics = values[:, joints]
            under = _under_matched(result, side, kinetics.shape, at[stance])
            struck = result.impact_frames(side)[:, None]
            settled[mine][impact[mine], joints] = sample(np.where(struck, under, kinetics), at[impact[mine]])
            matched[mine][stance, joints] = sample(under, at[stance])
        del values  # as large as the next side's
    columns_of = (*names, *GROUND_COLUMNS)
    return CycleCurves(tuple(ordered), columns_of, curves, impact, settled, matched, result.trial.rate_hz)


def _of_impact(result: Result, side: str, at: Array) -> Mask:
    """Whether one of the two frames nearest to instants (in frames from the first) belongs to an impact."""
    frames = result.impact_frames(side)
    if not frames.any():
        return np.zeros(at.shape, dtype=bool)
    low, high = (np.minimum(np.maximum(edge(at).astype(int), 0), len(frames) - 1) for edge in (np.floor, np.ceil))
    return np.asarray(frames[low] | frames[high])


def _of_struck_stances(strides: Sequence[Stride], at: Array, impact: Mask) -> Mask:
    """(cycles, points) the stances of the cycles that begin in an impact."""
    off = np.array([stride.cycle.percent(stride.cycle.off) for stride in strides])[:, None]
    stance = np.linspace(0, 100, at.shape[1]) <= off
    return np.asarray(stance & (stance & impact).any(axis=1, keepdims=True))


def _under_matched(result: Result, side: str, shape: tuple[int, ...], at: Array) -> Array:
    """(frames, columns) moments and powers of one side under matched loads; NaN but about instants and in impacts."""
    kinetics = np.full(shape, np.nan)
    wanted = result.impact_frames(side)
    around = np.floor(at).astype(int)[:, None] + np.arange(-1, 3)  # so far reaches a cubic
    wanted[np.clip(around, 0, len(wanted) - 1)] = True
    frames = np.flatnonzero(wanted)
    leg, bandwidth_hz = result.sides[side], result.markers.quality["marker_bandwidth_hz"]
    if 0 < bandwidth_hz < result.trial.rate_hz / 2:
        wrench = matched_load(leg.load, bandwidth_hz, result.trial.rate_hz).wrench
        load = Wrench(wrench.f_g[frames], wrench.m_g[frames], wrench.p_g[frames])
        moments, powers = under_load(result, side, frames, load)
        kinetics[frames] = np.stack([*kinetic_columns(moments, powers).values()], axis=1)
    return kinetics


def swing_end(result: Result, cycle: Cycle) -> range:
    """The frames between the last in which a foot is known to fly and the strike of the file that ends its cycle.

    Frame by frame the load is known to be none until a margin before the strike, because events and markers may err by
    that much (`gaitid.ground.stance`). A cycle ends with its strike: up to it the moments are those of a foot that
    nothing loads.

    With that of the strike and the next, between which it may lie. Empty where anything but the margin makes the load
    unknown.
    """
    if cycle.next_strike.source not in ("file", "given"):
        return range(0)
    state = result.sides[cycle.side].load.state
    strike, reach = cycle.next_strike.time_s * result.trial.rate_hz, END_S * result.trial.rate_hz + 1e-6
    end = min(floor(strike + 1e-6), len(state) - 1)
    before = state[max(ceil(strike - reach), 0) : end + 1].tolist()
    first = end + 1
    while before and before[-1] == UNKNOWN:
        before.pop()
        first -= 1
    if not before or before[-1] != AIR or not first - 1 < strike:
        return range(0)
    return range(first, min(end + 2, len(state)))


class _Cycles(NamedTuple):
    """The cycles of one side, and their `instants`."""

    result: Result
    side: str
    strides: Sequence[Stride]
    at: Array


def _end_in_swing(cycles: _Cycles, known: Array, kinetics: Array) -> None:
    """Write the ends of cycles up to strikes beside plates into their moments, powers and reactions.

    Parameters
    ----------
    cycles : _Cycles
    known : (frames, columns) array
        The moments, powers and the force per mass, laboratory axes.
    kinetics : (cycles, points, columns) array
        The same, with the ground reaction in place of the force; changed.
    """
    result, side = cycles.result, cycles.side
    ends = [(i, end) for i, stride in enumerate(cycles.strides) if (end := swing_end(result, stride.cycle))]
    if not ends:
        return
    frames = np.concatenate([np.arange(end.start, end.stop) for _, end in ends])
    moments, powers = under_load(result, side, frames, None)  # nothing loads the foot before it strikes
    none = np.zeros((3, sum(len(end) for _, end in ends)))
    free = np.stack([*kinetic_columns(moments, powers).values(), *none], axis=1)
    # all ends in one table, an unknown row after each, and where their instants lie in it
    rows: list[Array] = []
    late, place, done, length = np.zeros(cycles.at.shape, dtype=bool), cycles.at.copy(), 0, 0
    for i, end in ends:
        first = max(end.start - 3, 0)  # so far back reaches a cubic
        before = known[first : end.start].copy()
        before[:, -3:] = before[:, -3:] @ cycles.strides[i].axes_g.T
        rows += [before, free[done : done + len(end)], np.full((1, known.shape[1]), np.nan)]
        late[i] = cycles.at[i] > end.start - 1
        place[i] += length - first
        done, length = done + len(end), length + len(before) + len(end) + 1
    filled = sample(np.concatenate(rows), place[late])
    kinetics[late] = np.where(np.isfinite(kinetics[late]), kinetics[late], filled)
