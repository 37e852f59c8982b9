"""Ground under the simulated walk: stances, and the load that each foot takes.

The load of a stance is a sum of cubic B-splines, each supported inside the stance. So force is twice
continuously differentiable, zero with its first two derivatives at contact and at toe-off, and zero in
the air. The centre of pressure runs along a Bernstein polynomial in the axes of the footprint, so that it
never leaves the hull of its control points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from gaitid.numerics.jet import Array
from gaitid.simulate.body import SIGN

GRAVITY = 9.81
#: Duration of a heel strike's transient, s: its peak comes after half of it.
IMPACT_S = 0.04


@dataclass(frozen=True)
class LoadShape:
    """How load and centre of pressure run through one stance, for either side.

    Attributes
    ----------
    vertical, forward, medial : tuple of float
        B-spline coefficients of the ground reaction, in body weights.
    free_moment_internal : tuple of float
        B-spline coefficients of the free moment that turns the foot inward, N·m per kg.
    along, lateral : tuple of float
        Bernstein coefficients of the centre of pressure from under the HEE marker, m: toward the TOE marker,
        and toward the outer border of the foot.
    """

    vertical: tuple[float, ...]
    forward: tuple[float, ...]
    medial: tuple[float, ...]
    free_moment_internal: tuple[float, ...]
    along: tuple[float, ...]
    lateral: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Stance:
    """One foot on the ground once.

    Attributes
    ----------
    side : str
    on_s, off_s : float
        Contact and end of contact, laboratory time; ±∞ where the foot never leaves or came before all time.
    course_s : (float, float)
        Pattern time at which the load's course begins and ends; later first where the walk runs backward.
    heel_g, toe_g : (3,) array, m
        Footprint: under the HEE and TOE markers while the foot is flat, on the floor, laboratory axes. Where
        the walkway is carried (`Passage`), as it lay before.
    progression_g : (3,) array
        Unit vector along the walkway, that the forward force is along.
    plates : tuple of int
        Numbers of the plates that take a part of the load at any time.
    all_on_plates : bool
        Whether these plates take all of it, all the time.
    """

    side: str
    on_s: float
    off_s: float
    course_s: tuple[float, float]
    heel_g: Array
    toe_g: Array
    progression_g: Array
    plates: tuple[int, ...] = ()
    all_on_plates: bool = False

    @property
    def plate(self) -> int | None:
        """Number of the one plate that takes all of the load, None on bare floor and beside or across plates."""
        return self.plates[0] if self.all_on_plates and len(self.plates) == 1 else None


@dataclass(frozen=True, eq=False)
class FootLoad:
    """What the ground does to one foot, laboratory axes.

    Attributes
    ----------
    force_g : (times, 3) array, N
    cop_g : (times, 3) array, m
        On the floor; NaN in the air.
    free_moment_g : (times, 3) array, N·m
        Along the floor's normal through the centre of pressure; zero in the air.
    stance : (times,) integer array
        Index of the stance, −1 in the air.
    along_m, lateral_m : (times,) array
        Centre of pressure in the footprint: from under the HEE marker toward the TOE marker, and toward the outer
        border; NaN in the air.
    ahead_g, outward_g : (times, 3) array
        Unit vectors of those two directions.
    """

    force_g: Array
    cop_g: Array
    free_moment_g: Array
    stance: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    along_m: Array
    lateral_m: Array
    ahead_g: Array
    outward_g: Array


def b_spline(coefficients: Sequence[float], s: Array) -> Array:
    """Uniform cubic B-spline over 0 ≤ s ≤ 1, zero with its first two derivatives at both ends.

    Parameters
    ----------
    coefficients : (n,) floats
    s : (times,) array
        Part of the stance that has gone by.
    """
    n = len(coefficients)
    # n splines, each four intervals wide, side by side on n + 3 intervals.
    u = np.asarray(s)[..., None] * (n + 3) - np.arange(n)
    d = np.abs(u - 2.0)
    inner = 2.0 / 3.0 - d**2 + 0.5 * d**3
    outer = np.clip(2.0 - d, 0.0, None) ** 3 / 6.0
    return np.asarray(np.where(d < 1.0, inner, outer) @ np.asarray(coefficients), dtype=np.float64)


def bernstein(coefficients: Sequence[float], s: Array) -> Array:
    """Bernstein polynomial over 0 ≤ s ≤ 1 with these control values."""
    n = len(coefficients) - 1
    return np.asarray(
        sum((c * comb(n, k) * s**k * (1.0 - s) ** (n - k) for k, c in enumerate(coefficients)), np.zeros_like(s)),
        dtype=np.float64,
    )


def foot_load(shape: LoadShape, mass_kg: float, stances: Sequence[Stance], side: str, pattern_s: Array) -> FootLoad:
    """Exact load on one foot at any instants of pattern time, s (see `FootLoad`), the walkway at rest."""
    times: Array = np.asarray(pattern_s, dtype=np.float64)
    force, free = np.zeros((times.size, 3)), np.zeros((times.size, 3))
    cop, along, lateral = (np.full(shape_of, np.nan) for shape_of in ((times.size, 3), times.size, times.size))
    directions = np.full((2, times.size, 3), np.nan)
    index = np.full(times.size, -1, dtype=np.int64)
    weight = mass_kg * GRAVITY
    up = np.array([0.0, 0.0, 1.0])
    for k, stance in enumerate(stances):
        begin, end = stance.course_s
        now = (times > begin) & (times < end)
        if stance.side != side or not now.any():
            continue
        s = (times[now] - begin) / (end - begin)
        ahead = stance.toe_g - stance.heel_g
        ahead = ahead / np.linalg.norm(ahead)
        outward = SIGN[side] * np.cross(up, ahead)
        index[now] = k
        directions[0, now], directions[1, now] = ahead, outward
        along[now], lateral[now] = bernstein(shape.along, s), bernstein(shape.lateral, s)
        cop[now] = stance.heel_g + along[now, None] * ahead + lateral[now, None] * outward
        # Inward is clockwise from above for the left foot.
        free[now] = -SIGN[side] * mass_kg * b_spline(shape.free_moment_internal, s)[:, None] * up
        forward, medial = stance.progression_g, -SIGN[side] * np.cross(up, stance.progression_g)
        force[now] = weight * (
            b_spline(shape.forward, s)[:, None] * forward
            + b_spline(shape.medial, s)[:, None] * medial
            + b_spline(shape.vertical, s)[:, None] * up
        )
    return FootLoad(force, cop, free, index, along, lateral, *directions)


def rebalanced(
    loads: Mapping[str, FootLoad], mass_kg: float, rate: Array, acceleration_g: Array
) -> dict[str, FootLoad]:
    """The loads of a walk whose pattern time runs at another rate.

    What exceeds the weight is inertia, and goes with the square of the rate; the weight itself stays, shared by the
    feet as their vertical forces are; and speeding up or slowing down the whole body takes its own force. So a body
    that stands still is carried by both feet with just its weight.

    Parameters
    ----------
    loads : mapping of side to FootLoad
    mass_kg : float
    rate : (times,) array
        Of pattern time.
    acceleration_g : (times, 3) array, m/s²
        Of the body, because its rate changes.
    """
    weight = np.array([0.0, 0.0, mass_kg * GRAVITY])
    vertical = sum((load.force_g[:, 2] for load in loads.values()), np.zeros(rate.size))
    square = (rate**2)[:, None]
    out = {}
    for side, load in loads.items():
        share = np.divide(load.force_g[:, 2], vertical, out=np.zeros(rate.size), where=vertical > 0)[:, None]
        # F = τ̇² (F₀ − s W) + s (W + m a)
        force = square * (load.force_g - share * weight) + share * (weight + mass_kg * acceleration_g)
        out[side] = replace(load, force_g=force, free_moment_g=square * load.free_moment_g)
    return out


def with_impact(load: FootLoad, stances: Sequence[Stance], times_s: Array, peak_N: float) -> FootLoad:
    """The load with a vertical transient of `IMPACT_S`, this high, from every contact on (laboratory time)."""
    on_s = np.array([stance.on_s for stance in stances])[load.stance]
    since = np.where(load.stance >= 0, times_s - on_s, np.inf)
    # One cubic B-spline, whose height is 2/3.
    force = load.force_g.copy()
    force[:, 2] += peak_N * b_spline((1.5,), np.clip(since / IMPACT_S, 0.0, 1.0))
    return replace(load, force_g=force)
