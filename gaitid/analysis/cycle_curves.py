"""A `Result` -> its curves over the cycle, and over single stances of runs and of contacts in no whole cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.analysis.distal_foot import DISTAL_FOOT, distal_foot_power
from gaitid.analysis.limb import moment_axes
from gaitid.analysis.result import Result, SideResult
from gaitid.body.kinematics import clinical_moments
from gaitid.dynamics.chain import Chain, Wrench
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.gait.cycles import CYCLE_POINTS, Cycle, instants, sample, sample_together
from gaitid.gait.features import GROUND_COLUMNS, CycleCurves
from gaitid.gait.impact import matched_load
from gaitid.gait.spatiotemporal import Gait, Stride
from gaitid.ground.contacts import AIR, UNKNOWN, Contact
from gaitid.model.columns import LENGTH_UNITS, angle_column
from gaitid.numerics.rotation import dot
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask


def under_load(
    result: Result, side: str, frames: IntArray, load: Wrench | None
) -> tuple[Mapping[str, Mapping[str, Array]], Mapping[str, Array]]:
    """Moments and powers of a limb, as `SideResult` has them; NaN where it says that none is known.

    Parameters
    ----------
    result : Result
    side : str
    frames : (n,) int array
        Which are wanted.
    load : Wrench or None
        Of the ground, (n, 3), on the segment that touches it; None where nothing does.

    Returns
    -------
    moments : mapping of name to mapping of column to (n,) array, N·m/kg
    powers : mapping of joint to (n,) array, W/kg
    """
    leg, model, mass = result.sides[side], result.model, result.subject.mass_kg
    moving = leg.moving(frames)
    assert moving.chain is not None  # of a side with cycles
    links = [link if link.external is None else replace(link, external=load) for link in moving.chain.links]
    chain = Chain(links, moving.chain.proximal)
    solved = SOLVERS[result.solver](chain, result.gravity_g)
    moment_g = {joint: wrench.m_g / mass for joint, wrench in zip(leg.joints_g, solved, strict=True)}
    sign = next(s.sign for s in model.sides if s.name == side)
    axes = {name: moment_axes(result.body, name, side).take(frames, axis=0) for name in model.moments}
    moments = {
        name: {
            column: _where_known(values, leg.moments[name][column])
            for column, values in clinical_moments(moment_g[name], axes[name], moment, sign).items()
        }
        for name, moment in model.moments.items()
    }
    powers: dict[str, Array] = {}
    no_power = np.zeros(len(frames))
    segments = list(moving.segments.values())
    for spec, k, below in zip(model.chain, model.proximal, segments, strict=True):
        above = moving.base if k is None else segments[k]
        turning = below.omega_g - above.omega_g
        power = dot(moment_g[spec.joint], turning)
        powers[spec.joint] = _where_known(power, leg.powers[spec.joint])
    distal = distal_foot_power(model, links, segments, result.ground.floor.steady_g)
    powers |= {
        name: _where_known(distal.get(name, no_power) / mass, of)
        for name, of in leg.powers.items()
        if name not in powers
    }
    return moments, powers


def _where_known(values: Array, usual: Array) -> Array:
    """The values, or as many unknown ones where the limb says that none is known."""
    return values if np.isfinite(usual).any() else np.full_like(values, np.nan)


# s. No more than this lies between the last frame that is known and a strike that the file has and the markers agree
# with: the margin, by how much events beside plates and markers differ, and a frame.
END_S = 0.03


def side_columns(leg: SideResult) -> dict[str, Array]:
    """The columns of ``walk.joints.csv`` of one side, each (frames,), named without the side; angles first."""
    angles = {**leg.angles, **leg.trunk_angles}
    columns = {angle_column(n, c): values for n, of in angles.items() for c, values in of.items()}
    return columns | kinetic_columns(leg.moments, leg.powers)


def kinetic_columns(moments: Mapping[str, Mapping[str, Array]], powers: Mapping[str, Array]) -> dict[str, Array]:
    """Those of the moments and powers of a side."""
    columns = {f"{n}_{c}_moment_Nm_per_kg": values for n, of in moments.items() for c, values in of.items()}
    named = [*moments, *(name for name in powers if name == DISTAL_FOOT)]
    return columns | {f"{joint}_power_W_per_kg": powers[joint] for joint in named}


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
    angles = sum(name.endswith(("_deg", *LENGTH_UNITS)) for name in names)  # they come first
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


# s. The strike of a cycle and the beginning of its contact are one.
SAME = 0.03


@frozen_dataclass(eq=False)
class StanceCurves:
    """Every quantity of a foot's own side over its stances.

    Attributes
    ----------
    contacts : tuple of (int, Contact)
        The number of each among the known contacts of its side, from 1.
    names : tuple of str
        As of `CycleCurves`.
    values : (contacts, points, columns) array
        From the first to the last frame of each; NaN where unknown.
    """

    contacts: tuple[tuple[int, Contact], ...]
    names: tuple[str, ...]
    values: Array


def stance_curves(result: Result, points: int = CYCLE_POINTS) -> StanceCurves:
    """Angles, moments, powers and ground reaction over 0 to 100 % of stances.

    Of each known contact that begins and ends within the trial, and either lies in no cycle or in one with a flight.

    Parameters
    ----------
    result : Result
    points : int
        Of a stance.
    """
    columns = {side: side_columns(leg) for side, leg in result.sides.items()}
    names = tuple(next(iter(columns.values()), {}))
    chosen: list[tuple[int, Contact]] = []
    tables = [np.empty((0, points, len(names) + len(GROUND_COLUMNS)))]
    for side, of_side in columns.items():
        known = [c for c in result.contacts if c.side == side and c.plates]
        walked_s = _walked_s(result, side)
        wanted = [(i, c) for i, c in enumerate(known, 1) if names and _wanted(result, c, walked_s)]
        if not wanted:
            continue
        values = np.stack([of_side[name] for name in names], axis=1)
        angles = sum(name.endswith(("_deg", *LENGTH_UNITS)) for name in names)  # they come first
        force = result.sides[side].load.wrench.f_g / result.subject.mass_kg
        for _, contact in wanted:
            at = np.linspace(contact.first, contact.last, points)
            reaction = sample(force, at) @ _axes_g(result, contact).T
            parts = [sample(values[:, :angles], at, 360.0), sample(values[:, angles:], at), reaction]
            tables.append(np.concatenate(parts, axis=1)[None])
        chosen += wanted
    return StanceCurves(tuple(chosen), (*names, *GROUND_COLUMNS), np.concatenate(tables))


def _walked_s(result: Result, side: str) -> Array:
    """When the cycles of a walk begin, s, for one side: those without a flight."""
    own = (s for s in result.gait.strides if s.cycle.side == side and not s.figures["flight_percent"] > 0)
    return np.array([stride.cycle.strike.time_s for stride in own])


def _wanted(result: Result, contact: Contact, walked_s: Array) -> bool:
    """Whether a contact is whole, and no cycle of a walk holds it."""
    if contact.first <= 0 or contact.last >= result.trial.n_frames - 1:
        return False
    begins = contact.first / result.trial.rate_hz
    return not bool((np.abs(walked_s - begins) <= SAME).any())


def _axes_g(result: Result, contact: Contact) -> Array:
    """Rows are the way that the body moves in a stance, to the foot's own side, up; NaN where the body stands."""
    walk, up_g = result.gait.events.heading, result.ground.floor.up_g
    frames = slice(contact.first, contact.last + 1)
    ways = walk.direction_g[frames]
    known = np.isfinite(ways).all(axis=1)
    forward = ways[known].sum(axis=0) if known.any() else np.full(3, np.nan)
    length = float(np.linalg.norm(forward))
    forward = forward / length if length > 0 else np.full(3, np.nan)
    # going backward the body's left is on the right of its way
    facing = -1.0 if walk.sense[frames].sum() < 0 else 1.0
    outward = np.cross(up_g, forward) * facing * (1.0 if contact.side == "left" else -1.0)
    return np.stack([forward, outward, up_g])
