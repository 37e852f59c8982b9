"""Stances whose load no plate tells, or not wholly: when they begin and end, where the foot presses, and which plates
carry both feet together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.claims import Claims
from gaitid.ground.contacts import LOADED, UNKNOWN, Loads
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.sole import SOLE_TOLERANCE, UNDER_BALL, UNDER_HEEL, rolled, sole
from gaitid.numerics.masks import known_rows, median, spans
from gaitid.numerics.rotation import cross, unit
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

# s. An event belongs to a contact that begins or ends no farther away; so long before its strike and after its off a
# foot flies.
NEAR = 0.12
# m. Markers of a standing foot lie so far above the ground where no plate tells it: 2 to 4 cm (docs/stability.md).
MARKER_HEIGHT = 0.03
# Frames: of a shorter stance nothing is told.
SHORTEST = 5
# Sines that a force over a stance is made of, and, body weights, their ridge: few frames would not tell so many.
SINES, RIDGE = 14, 0.01


class Unmeasured(NamedTuple):
    """A stance of which plates tell nothing, or not all.

    Attributes
    ----------
    side : str
    frames : slice
    begins, ends : float
        Frames at which the foot strikes and leaves.
    axes_g : (3, 3) array
        Rows: up, along the foot, to the middle of the body.
    pressure_g : (frames, 3) array, m
        Where it presses, on the ground.
    least_N : (frames,) array
        What plates measured of it, upward, that may not carry it wholly.
    """

    side: str
    frames: slice
    begins: float
    ends: float
    axes_g: Array
    pressure_g: Array
    least_N: Array

    @property
    def parts(self) -> Array:
        """(frames,) 0 at the strike, 1 at the off."""
        return (np.arange(self.frames.start, self.frames.stop) - self.begins) / (self.ends - self.begins)


@frozen_dataclass(eq=False)
class Typical:
    """What stances of walks are like: the force upward and along the foot, body weights.

    Attributes
    ----------
    sines : (2, k) array
        The force over the stance is  Σ a_k sin(k π x),  x from 0 at the strike to 1 at the off.
    """

    sines: Array

    def at(self, x: Array) -> Array:
        """(n, 2) at parts of the stance."""
        k = np.arange(1, self.sines.shape[1] + 1)
        inside = ((x > 0) & (x < 1))[:, None]
        return np.where(inside, np.sin(np.pi * np.multiply.outer(x, k)) @ self.sines.T, 0.0)

    def with_own(self, own: Sequence[Array], alike: float) -> Typical:
        """What a body's stances are like of which some were measured.

        Of `n` whose differences from the typical one correlate by r, the mean tells  n r / (1 + (n − 1) r)  of that of
        another one (the best linear prediction).

        Parameters
        ----------
        own : sequence of (2, k) array
            As `sines`.
        alike : float
            The correlation.
        """
        n = len(own)
        told = n * alike / (1 + (n - 1) * alike)
        return Typical(self.sines + told * (np.mean(own, axis=0) - self.sines)) if own else self


def sines_of(force: Array) -> Array:
    """(2, k) of the force upward and along the foot, (frames, 2), over a stance (`Typical.sines`)."""
    x, k = (np.arange(len(force)) + 0.5) / len(force), np.arange(1, SINES + 1)
    ridge = np.vstack([np.sin(np.pi * np.multiply.outer(x, k)), RIDGE * np.eye(SINES)])
    return np.asarray(np.linalg.lstsq(ridge, np.vstack([force, np.zeros((SINES, 2))]), rcond=None)[0].T)


#: Of stances of walks of 13 laboratories, each laboratory counted once (benchmarks/estimated_loads.py --typical).
TYPICAL = Typical(
    np.array(
        [
            [
                1.1145,
                0.0473,
                0.3724,
                0.0757,
                -0.0012,
                0.0455,
                -0.0364,
                0.0326,
                -0.0103,
                0.0274,
                0.0019,
                0.0177,
                0.0037,
                0.01,
            ],
            [
                -0.0079,
                -0.1344,
                0.0114,
                -0.0569,
                0.0003,
                -0.0039,
                -0.0027,
                0.0092,
                -0.0025,
                0.0103,
                -0.0031,
                0.0074,
                -0.0026,
                0.0052,
            ],
        ]
    )
)


class SharedPlate(NamedTuple):
    """A plate that carries both feet, wholly, and nothing else does.

    Attributes
    ----------
    number : int
    frames : (frames,) bool array
    f_g, m_g : (frames, 3) arrays, N and N·m
        About the laboratory's origin.
    """

    number: int
    frames: Mask
    f_g: Array
    m_g: Array


def unmeasured_stances(
    ground: Ground, loads: Loads, events: Mapping[tuple[str, str], Array], claims: Claims
) -> tuple[Unmeasured, ...]:
    """Stances in which a load is unknown, in order; not those that the trial cuts off, nor where no event tells.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    events : mapping of (side, kind) to (n,) array
        Frames of strikes and offs.
    claims : Claims
        Which foot loads which plate.
    """
    found, near, up_g = [], NEAR * ground.rate_hz, ground.floor.up_g
    for side, foot in ground.feet.items():
        state, touching = loads.by_side[side].state, np.zeros(ground.n_frames, dtype=bool)
        for contact in loads.contacts:
            touching[contact.loaded] |= contact.side == side
        for first, stop in spans(touching | (state == LOADED)):
            begins, ends = (_nearest(events[side, kind], at, near) for kind, at in (("strike", first), ("off", stop)))
            if not ends - begins > SHORTEST:
                continue
            frames = slice(int(np.ceil(begins)), int(np.floor(ends)) + 1)
            here, unknown = foot.during(frames), state[frames] == UNKNOWN
            seen = known_rows(here.line_g)
            if not unknown.any() or not seen.all():
                continue
            along = here.line_g.mean(axis=0)
            forward = unit(along - up_g * (along @ up_g))
            middle = cross(up_g, forward) * (-1.0 if side == "left" else 1.0)
            pressure = pressure_path(here, up_g)
            pressure = pressure + (_height(ground, loads, side, frames) - pressure @ up_g)[:, None] * up_g
            axes, least = np.stack([up_g, forward, middle]), _alone_on_plates(ground, claims, side)[frames]
            found.append(Unmeasured(side, frames, begins, ends, axes, pressure, least))
    return tuple(sorted(found, key=lambda stance: stance.frames.start))


def measured_stances(ground: Ground, loads: Loads, weight_N: float) -> list[Array]:
    """`sines_of` each stance, body weights, that plates tell from its strike to its off."""
    found, up_g = [], ground.floor.up_g
    for contact in loads.contacts:
        load, frames = loads.by_side[contact.side], contact.loaded
        told = contact.plates and not contact.beyond and (load.state[frames] == LOADED).all()
        if not told or any(ground.cuts(contact.first, contact.last)):
            continue
        along = np.nanmean(ground.feet[contact.side].line_g[frames], axis=0)
        axes = np.stack([up_g, unit(along - up_g * (along @ up_g))])
        found.append(sines_of(load.wrench.f_g[frames] @ axes.T / weight_N))
    return found


def _alone_on_plates(ground: Ground, claims: Claims, side: str) -> Array:
    """(frames,) N, upward, of sound plates that carry no other foot; 0 where none does."""
    total = np.zeros(ground.n_frames)
    for plate in _sound(ground):
        on = claims.by_plate[plate.number]
        others = np.logical_or.reduce([np.zeros(len(total), dtype=bool), *(of for s, of in on.items() if s != side)])
        total += np.where(on[side] & ~others, np.nan_to_num(plate.wrench.f_g @ ground.floor.up_g), 0.0)
    return total


def _sound(ground: Ground) -> list[PlateLoad]:
    return [plate for plate in ground.plates if plate.number not in ground.withheld]


def _nearest(frames: Array, frame: int, near: float) -> float:
    """Of some frames the one nearest to a given one; NaN where none is near."""
    away = np.abs(frames - frame)
    return float(frames[np.argmin(away)]) if len(frames) and away.min() <= near else float("nan")


def pressure_path(foot: FootTrack, normal_g: Array) -> Array:
    """(frames, 3) m, where a foot presses over a whole stance, at the height of its markers.

    Under heel or ball while it is pitched (`gaitid.ground.sole.rolled`), along a flat foot evenly in time between; from
    the heel where it lands flat, to the ball where it leaves flat.
    """
    expected = rolled(foot, normal_g)
    known = np.flatnonzero(np.isfinite(expected))
    at, share = [-1, *known, len(expected)], [UNDER_HEEL, *expected[known], UNDER_BALL]
    along = np.interp(np.arange(len(expected)), at, share)
    return np.asarray(foot.heel_g + along[:, None] * foot.line_g)


def _height(ground: Ground, loads: Loads, side: str, frames: slice) -> float:
    """m, of the ground under a stance: as far below the foot's markers as plates lie below them in other stances."""
    up_g, foot = ground.floor.up_g, ground.feet[side]
    low = np.fmin(foot.heel_g @ up_g, foot.toe_g @ up_g)
    above = [
        float(median(low[contact.loaded][np.isfinite(low[contact.loaded])]) - plate.centre_g @ up_g)
        for contact in loads.contacts
        for plate in ground.plates
        if contact.side == side and plate.number in contact.plates
    ]
    return float(median(low[frames])) - (float(np.mean(above)) if above else MARKER_HEIGHT)


def shared_plates(ground: Ground, claims: Claims) -> tuple[SharedPlate, ...]:
    """Plates that carry two feet at once: what these share is measured.

    Only in frames in which both soles lie within its edges and no other plate carries either foot.
    """
    found = []
    for plate in _sound(ground):
        on = [*claims.by_plate[plate.number].values()]
        frames = np.logical_and.reduce(on) & known_rows(plate.wrench.f_g) if len(on) > 1 else np.zeros(0, dtype=bool)
        for number, masks in claims.by_plate.items():
            if number != plate.number:
                frames = frames & ~np.logical_or.reduce([*masks.values()])
        if not frames.any():
            continue
        for foot in ground.feet.values() if plate.outlined else ():
            for corner in sole(foot, plate.normal_g):
                frames = frames & (plate.margin(corner) > -SOLE_TOLERANCE)
        wrench = plate.wrench.at(np.zeros(3))
        found.append(SharedPlate(plate.number, frames, wrench.f_g, wrench.m_g))
    return tuple(plate for plate in found if plate.frames.any())
