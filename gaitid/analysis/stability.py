"""A `Result` -> extrapolated centre of mass, margins of stability, and the whole body's angular momentum.

The body is the linear inverted pendulum of Hof, Gazendam & Sinke (2005, J Biomech 38:1-8): a mass at the height l above
the ground falls away from its point of support u by  c̈ = ω0² (c − u),  ω0 = √(g / l).  It comes to rest over a point
of support at  ξ = c + ċ / ω0, the extrapolated centre of mass.  The margin of stability is how far ξ lies inside the
edge of the base of support (there and Hof 2008, Hum Mov Sci 27:112-125).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gaitid.analysis.result import Result
from gaitid.analysis.whole_body import upper_motions
from gaitid.body.kinematics import SegmentMotion
from gaitid.body.upper_body import centre_of_body
from gaitid.gait.cycles import over_cycles
from gaitid.gait.features import CycleCurves
from gaitid.gait.marker_events import STANDS
from gaitid.ground.belt import velocity
from gaitid.ground.contacts import LOADED
from gaitid.ground.sole import HALF_WIDTH, OUTLINE, TOE_SHARE, sole
from gaitid.numerics.masks import mark_ends, mean_of_known, quantile
from gaitid.numerics.rotation import apply, apply_transposed, cross, dot, unit
from gaitid.numerics.spline import spline_derivatives
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

WAYS = ("anterior", "posterior", "lateral")
PLANES = ("frontal", "sagittal", "transverse")
_WHOLE, _LEGS = "whole body", "pelvis and legs"


@frozen_dataclass(eq=False)
class Stability:
    """What a trial tells of its balance; laboratory axes, NaN where unknown.

    Attributes
    ----------
    of : str
        Whose centre of mass: ``whole body``, or ``pelvis and legs`` where trunk and arms were not measured.
    xcom_g : (frames, 3) array, m
        The extrapolated centre of mass, as high as the centre of mass.
    margins : mapping of side to mapping of way to (frames,) array, m
        From ξ to the edge of the sole of a foot on the ground: before it, behind it, to the foot's own side.
    momentum_g : (frames, 3) array, kg·m²/s
        Of the whole body about its centre of mass.
    normalised : (frames, 3) array
        The same about the axes forward, to the left and up (`PLANES`), by mass, speed and height.
    pendulum_m, speed_m_per_s : float
        l, and the mean speed of the centre of mass over the ground.
    ground_by : str
        What told the height of the ground.
    """

    of: str
    xcom_g: Array
    margins: Mapping[str, Mapping[str, Array]]
    momentum_g: Array
    normalised: Array
    pendulum_m: float
    speed_m_per_s: float
    ground_by: str

    def record(self) -> dict[str, Any]:
        """For ``run.json``, under ``stability``."""
        return {
            "centre_of_mass_of": self.of if np.isfinite(self.xcom_g).any() else None,
            "pendulum_length_m": self.pendulum_m,
            "pendulum_length_is": "mean height of the centre of mass above the ground, while a foot is on it",
            "ground": self.ground_by,
            "speed_m_per_s": self.speed_m_per_s,
            "base_of_support": {
                "outline": "sole of each foot from heel and toe markers; it is a guess of a shoe",
                "beyond_toe_marker_share_of_foot": TOE_SHARE,
                "half_width_m": HALF_WIDTH,
                "standard_uncertainty_m": OUTLINE / 2,
            },
            "angular_momentum_by": "mass × speed × mean height of the centre of mass; head and hands do not spin in it",
        }


_OF_RESULTS: WeakKeyDictionary[Result, Stability] = WeakKeyDictionary()


def stability_of(result: Result) -> Stability:
    """The stability of a result, made once."""
    found = _OF_RESULTS.get(result)
    if found is None:
        found = _OF_RESULTS[result] = _stability(result)
    return found


def _stability(result: Result) -> Stability:
    whole, rate_hz, up_g = result.whole_body, result.trial.rate_hz, result.ground.floor.up_g
    if whole is not None and whole.complete:
        of, com_g, vel_g = _WHOLE, whole.com_g, whole.vel_g
    else:
        of, com_g = _LEGS, centre_of_body(result.body)
        vel_g = mark_ends(spline_derivatives(com_g[:, None], rate_hz)[0][:, 0], result.settings.end_frames)
    forward_g = _forward(result)
    standing = {side: _on_ground(result, side) for side in result.ground.feet}
    level, ground_by = _ground(result, standing)
    supported = np.logical_or.reduce([*standing.values()]) if standing else np.zeros(len(com_g), dtype=bool)
    supported |= not supported.any()  # nothing tells of a flight
    pendulum = float(mean_of_known((com_g @ up_g)[supported, None])[0]) - level
    slow = np.sqrt(pendulum / result.settings.gravity_m_per_s2) if pendulum > 0 else np.nan  # s, 1 / ω0
    over_g = {side: vel_g - _ground_velocity(result, side) for side in standing}
    mean_over_g = np.mean([*over_g.values()], axis=0) if over_g else vel_g
    xcom_g = {side: com_g + slow * _level(of_side, up_g) for side, of_side in over_g.items()}
    speed = float(np.linalg.norm(mean_of_known(_level(mean_over_g, up_g))))
    momentum_g = _angular_momentum(result, com_g, vel_g) if of == _WHOLE else np.full_like(com_g, np.nan)
    by = result.subject.mass_kg * speed * pendulum if speed > STANDS else np.nan
    axes_g = np.stack([forward_g, cross(np.broadcast_to(up_g, forward_g.shape), forward_g), 0 * forward_g + up_g], 1)
    margins = {side: _margins(result, side, xcom_g[side], forward_g, standing[side]) for side in standing}
    normalised = apply(axes_g, momentum_g) / by
    extrapolated = com_g + slow * _level(mean_over_g, up_g)
    return Stability(of, extrapolated, margins, momentum_g, normalised, pendulum, speed, ground_by)


def _level(vectors_g: Array, up_g: Array) -> Array:
    return np.asarray(vectors_g - np.outer(vectors_g @ up_g, up_g))


def _forward(result: Result) -> Array:
    """(frames, 3) where the front of the walking body is: along a belt, else that of the frame of progression."""
    floor, progression = result.ground.floor, result.model.progression
    n = result.trial.n_frames
    if np.any(floor.velocity_g):
        backward = result.gait.events.heading.sense.sum() < 0
        return np.broadcast_to(unit(floor.velocity_g) * (1.0 if backward else -1.0), (n, 3))
    if progression is None:
        return np.full((n, 3), np.nan)
    return np.broadcast_to(result.body.R_gp[..., "xyz".index(progression.letters[0])], (n, 3))


def _ground_velocity(result: Result, side: str) -> Array:
    """(3,) or (frames, 3) m/s of the ground under a foot: a belt's, or 0."""
    floor = result.ground.floor
    return velocity(floor.travel_g[side], floor.rate_hz) if side in floor.travel_g else floor.velocity_g


def _on_ground(result: Result, side: str) -> Mask:
    """(frames,) whether a foot is on the ground, by strikes and offs, with the frames on either side of these; where a
    side has none, by its load."""
    n, rate_hz = result.trial.n_frames, result.trial.rate_hz
    events = [event for event in result.gait.events.used if event.side == side]
    if not events:
        return np.asarray(result.loads.by_side[side].state == LOADED)
    on = np.zeros(n, dtype=bool)
    for block in result.ground.floor.blocks(n):
        mine = [(e.kind, e.time_s * rate_hz) for e in events if block.start <= e.time_s * rate_hz < block.stop]
        ends = [("strike", float(block.start)), *mine, ("off", float(block.stop))]
        for (kind, start), (then, end) in zip(ends[:-1], ends[1:], strict=True):
            if (kind, then) == ("strike", "off"):
                on[max(int(start + 1e-6), block.start) : min(int(np.ceil(end - 1e-6)) + 1, block.stop)] = True
    return on


def _ground(result: Result, standing: Mapping[str, Mask]) -> tuple[float, str]:
    """The height of the ground, m, and what tells it."""
    up_g, used = result.ground.floor.up_g, {number for contact in result.contacts for number in contact.plates}
    heights = [plate.centre_g @ up_g for plate in result.ground.plates if plate.number in used]
    if heights:
        return float(np.mean(heights)), "its height by the plates"
    feet = [
        np.minimum(f.heel_g @ up_g, f.toe_g @ up_g)[standing[side] | (not standing[side].any())]
        for side, f in result.ground.feet.items()
    ]
    low = np.concatenate([height[np.isfinite(height)] for height in feet] or [np.empty(0)])
    return (float(quantile(low, 0.5)) if low.size else np.nan), "its height by the feet's markers: 2 to 4 cm too high"


def _margins(result: Result, side: str, xcom_g: Array, forward_g: Array, standing: Mask) -> dict[str, Array]:
    """Each of `WAYS` of one foot, m; negative where ξ lies beyond the edge."""
    up_g = result.ground.floor.up_g
    outward_g = cross(np.broadcast_to(up_g, forward_g.shape), forward_g) * (1.0 if side == "left" else -1.0)
    corners = np.stack([corner - xcom_g for corner in sole(result.ground.feet[side], up_g)])
    ahead, aside = (dot(corners, np.broadcast_to(axis, corners.shape)) for axis in (forward_g, outward_g))
    found = dict(zip(WAYS, (ahead.max(axis=0), -ahead.min(axis=0), aside.max(axis=0)), strict=True))
    return {way: np.where(standing, values, np.nan) for way, values in found.items()}


def _angular_momentum(result: Result, com_g: Array, vel_g: Array) -> Array:
    """(frames, 3) kg·m²/s:  H = Σ [(c_i − c) × m_i (ċ_i − ċ) + I_i ω_i]

    Herr & Popovic 2008, J Exp Biol 211:467-481, who divide it by mass, speed and height of the centre of mass (fig. 3).
    """
    total = np.zeros_like(com_g)
    for mass, at_g, moves_g, spin_g in _segments(result):
        total = total + mass * cross(at_g - com_g, moves_g - vel_g) + spin_g
    return total


def _segments(result: Result) -> Iterator[tuple[float, Array, Array, Array | float]]:
    """Of each segment its mass, kg, its centre and that's velocity, (frames, 3), and I ω about it, kg·m²/s."""
    for leg in result.sides.values():
        for name, motion in leg.motions.items():
            body = leg.bodies[name]
            yield body.mass_kg, motion.com_g, motion.vel_g, _spin(motion, body.inertia_s)
    assert result.whole_body is not None
    mass, rate_hz, ends = result.subject.mass_kg, result.trial.rate_hz, result.settings.end_frames
    turning = upper_motions(result)
    for key, placed in result.whole_body.segments.items():
        moves_g = mark_ends(spline_derivatives(placed.com_g[:, None], rate_hz)[0][:, 0], ends)
        spin_g: Array | float = 0.0
        if placed.pose is not None:
            spin_g = _spin(turning["_".join(filter(None, key))], placed.inertia(mass))
        elif placed.along_g is not None:  # a slender body does not turn about its length:  ω = e × ė
            inertia = np.diag(placed.inertia(mass))[:2].mean()
            spin_g = inertia * cross(placed.along_g, spline_derivatives(placed.along_g[:, None], rate_hz)[0][:, 0])
        yield mass * placed.share, placed.com_g, moves_g, spin_g


def _spin(motion: SegmentMotion, inertia_s: Array) -> Array:
    """(frames, 3) kg·m²/s, I ω in laboratory axes."""
    return apply(motion.R_gs, apply_transposed(motion.R_gs, motion.omega_g) @ inertia_s.T)


def margin_columns(found: Stability, side: str) -> dict[str, Array]:
    """The columns of a side as features have them: its margins, and the momentum of the body."""
    columns = {f"margin_of_stability_{way}_m": values for way, values in found.margins.get(side, {}).items()}
    momenta = zip(PLANES, found.normalised.T, strict=True)
    return columns | {f"whole_body_angular_momentum_{plane}_normalised": values for plane, values in momenta}


def with_stability(curves: CycleCurves, result: Result) -> CycleCurves:
    """The curves with those columns behind them."""
    found, of_sides = stability_of(result), []
    names: tuple[str, ...] = ()
    for side in dict.fromkeys(stride.cycle.side for stride in curves.strides):
        columns = margin_columns(found, side)
        names, cycles = tuple(columns), [cycle for cycle in curves.cycles if cycle.side == side]
        values = np.stack([*columns.values()], axis=1)
        of_sides.append(over_cycles(cycles, values, result.trial.rate_hz, len(curves.percent)))
    if not of_sides:
        return curves
    values = np.concatenate([curves.values, np.concatenate(of_sides)], axis=2)
    return replace(curves, names=(*curves.names, *names), values=values)
