"""What the body's motion asks of the ground -> the loads on feet that no plate tells, and how far these may be off.

Newton and Euler for the whole body hold whatever plates say: Σ f = Σ m_i (a_i − g), Σ p × f = Σ [c_i × m_i (a_i − g) +
dL_i/dt]. What other feet were measured to carry is taken off; the rest is on the feet that stand, all of it on one in
single support. Markers hold a motion up to a few hertz only, and a foot strikes faster: force less mass times
acceleration, frame by frame, is off by the strike of the other foot. So all unknown forces are found together, as the
most likely ones, given that

- what the markers' bandwidth lets through of all forces is what the motion asks for, and of their moments likewise,
  each foot pressing where its roll says (frame by frame that is the zero-moment point by which Dijkstra &
  Gutierrez-Farewik 2015, J Biomech 48:3776-3781, share the force);
- a foot carries nothing before it strikes and after it leaves;
- what a plate measured of a stance, or of two feet together, is so;
- stances of walks are alike up to `SPREAD`, those of one body more so (`ALIKE`), where markers tell when a foot strikes
  and leaves up to `TIMED`; and each foot's force passes little above the centre of mass, as a body that hardly turns
  needs it (Herr & Popovic 2008, J Exp Biol 211:467-481; Maus et al. 2010, Nat Commun 1:70).

It is the mean of a Gaussian process under linear observations (Rasmussen & Williams 2006, eq. 2.23 and 2.24), and its
covariance says how far the loads may be off, correlated in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from gaitid.dynamics.chain import Wrench
from gaitid.ground.contacts import AIR, LOADED, UNKNOWN, FootLoad, Loads
from gaitid.ground.filled import Filled, lasting
from gaitid.ground.ground import Ground
from gaitid.ground.unmeasured import NEAR, TYPICAL, SharedPlate, Typical, Unmeasured, measured_stances
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import cross, norm
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask, frozen

# Of the force along the ground and that upward: no shoe on a dry floor holds more.
FRICTION = 0.8
# Stances that are solved together, with one more before and after them.
TOGETHER = 5
# Body weights, up and along the ground: how unlike stances are to what is expected of them (standard deviation); s, how
# long that lasts; and, of a stance, so near to its ends none is unlike another, as all begin and end with nothing.
SPREAD, UNLIKE, ENDS = (0.16, 0.033), (0.04, 0.08), 0.01
# Correlation of what makes two stances of one walk unlike those of others: median of laboratories, 0.75 upward and
# 0.71 forward (benchmarks/estimated_loads.py --typical).
ALIKE = 0.75
# s, standard deviation of strikes and offs by the markers: 9 ms in level walks, offs 11 ms late besides
# (docs/events.md); patients' were not measured.
TIMED = 0.015
# s, and of the standard deviation: how long errors of what the motion asks for last, and the part that does not.
LASTS, AT_ONCE = 0.03, 0.3
# Hz. No faster force is told, whatever the markers hold.
FASTEST = 20.0
# Body weights, what a plate measured; m, where a foot presses by its roll.
MEASURED, PRESSES = 0.002, 0.02
# What is let through of a frame counts where no more than this of it is of unknown loads that are not asked for.
OF_OTHERS = 0.3


class Accuracy(NamedTuple):
    """How far what a motion asks for is off, standard deviations.

    Attributes
    ----------
    up, along : float, body weights
        Of the force.
    point_m : float
        Of the zero-moment point.
    above_m : float
        So far above the centre of mass, as it is known, forces on feet pass.
    """

    up: float
    along: float
    point_m: float
    above_m: float


# By bands that hold in the shared walks (docs/contacts.md). The last is the height that fits their forces best: 0.2 m
# above the body's centre of mass, which lies 0.2 m too low where trunk and arms are put at the hips.
WHOLE_BODY, LEGS = Accuracy(0.05, 0.06, 0.05, 0.2), Accuracy(0.06, 0.10, 0.10, 0.4)


@frozen_dataclass(eq=False)
class Asked:
    """The action of the ground on the whole body that its motion asks for.

    Attributes
    ----------
    wrench : Wrench
        About the laboratory's origin; NaN where it is not known.
    com_g : (frames, 3) array, m
        The centre of mass.
    accuracy : Accuracy
    bandwidth_hz : float
        Of the markers; NaN where it is not known.
    weight_N : float
        Of the body.
    """

    wrench: Wrench
    com_g: Array
    accuracy: Accuracy
    bandwidth_hz: float
    weight_N: float

    @property
    def told_hz(self) -> float:
        """Up to which frequency it tells."""
        return min(self.bandwidth_hz, FASTEST) if self.bandwidth_hz > 0 else FASTEST

    def reach(self, rate_hz: float) -> int:
        """Frames by which what is asked for reaches beyond a force."""
        return round(2 * rate_hz / self.told_hz)


@frozen_dataclass(eq=False)
class FromMotion:
    """Loads on feet, with what the motion asks for in place of unknown ones.

    Attributes
    ----------
    by_side : mapping of side to FootLoad
    estimated : mapping of side to (frames,) bool array
        Whose load is not a plate's.
    stances : tuple of Filled
    """

    by_side: Mapping[str, FootLoad]
    estimated: Mapping[str, Mask]
    stances: tuple[Filled, ...]


def fill_loads(
    ground: Ground,
    loads: Loads,
    asked: Asked,
    stances: Sequence[Unmeasured],
    shared: Sequence[SharedPlate] = (),
    typical: Typical = TYPICAL,
) -> FromMotion:
    """The loads on the feet, with those of stances that no plate tells.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    asked : Asked
    stances : sequence of Unmeasured
        In order.
    shared : sequence of SharedPlate
        Plates that carry both feet.
    typical : Typical
        Of other bodies.
    """
    typical = typical.with_own(measured_stances(ground, loads, asked.weight_N), ALIKE)
    filled: list[Filled] = []
    for group in _groups(stances, asked.reach(ground.rate_hz)):
        for first in range(0, len(group), TOGETHER):
            problem = _Problem(ground, loads, asked, group[max(first - 1, 0) : first + TOGETHER + 1], shared, typical)
            filled += problem.solved()[min(first, 1) :][:TOGETHER]
    by_side = dict(loads.by_side)
    estimated: dict[str, Mask] = {side: np.zeros(ground.n_frames, dtype=bool) for side in by_side}
    for side, load in by_side.items():
        mine = [one for one in filled if one.stance.side == side]
        by_side[side], estimated[side] = _with(load, mine, ground) if mine else (load, estimated[side])
    return FromMotion(by_side, estimated, tuple(filled))


def _groups(stances: Sequence[Unmeasured], apart: int) -> Iterator[list[Unmeasured]]:
    """Stances that tell of each other: no more than so many frames lie between them."""
    group: list[Unmeasured] = []
    for stance in stances:
        if group and stance.frames.start - max(one.frames.stop for one in group) > apart:
            yield group
            group = []
        group.append(stance)
    if group:
        yield group


def let_through(n: int, cutoff_hz: float, rate_hz: float) -> Array:
    """(n, n) what markers of some bandwidth let through of a force."""
    return _let_through(n, cutoff_hz, rate_hz) if cutoff_hz < 0.4 * rate_hz else np.eye(n)


@lru_cache(8)
def _let_through(n: int, cutoff_hz: float, rate_hz: float) -> Array:
    return frozen(lowpass(np.eye(n), cutoff_hz, rate_hz))


class _Problem:
    """The forces of some stances, body weights, that are asked for together.

    Attributes
    ----------
    frames : slice
        With those beside the stances that the markers' bandwidth carries them to.
    places : list of slice
        Of the unknowns of each stance, one a frame.
    unit_of : (frames, unknowns) array
        1 where the force of a frame is that unknown one.
    ways : (3, 3) array
        Rows: up, along the first foot, across.
    arms : (unknowns, 3) array, m
        From the middle of all pressures to each.
    known : Wrench
        On feet in other stances.
    tells : (frames,) bool array
        Where nothing else is unknown.
    """

    def __init__(
        self,
        ground: Ground,
        loads: Loads,
        asked: Asked,
        stances: Sequence[Unmeasured],
        shared: Sequence[SharedPlate],
        typical: Typical,
    ) -> None:
        self.ground, self.loads, self.asked, self.stances = ground, loads, asked, stances
        self.shared, self.typical = shared, typical
        beside = asked.reach(ground.rate_hz)
        first = max(min(stance.frames.start for stance in stances) - beside, 0)
        stop = min(max(stance.frames.stop for stance in stances) + beside, ground.n_frames)
        self.frames, n = slice(first, stop), stop - first
        ends = np.cumsum([0, *(stance.frames.stop - stance.frames.start for stance in stances)]).tolist()
        self.places = [*map(slice, ends[:-1], ends[1:])]
        self.unit_of = np.zeros((n, ends[-1]))
        for stance, place in zip(stances, self.places, strict=True):
            at = np.arange(stance.frames.start, stance.frames.stop) - first
            self.unit_of[at, np.arange(place.start, place.stop)] = 1.0
        up_g, forward = stances[0].axes_g[:2]
        self.ways = np.stack([up_g, forward, cross(up_g, forward)])
        pressures = np.concatenate([stance.pressure_g for stance in stances])
        self.origin = pressures.mean(axis=0)
        self.arms = pressures - self.origin
        self.known, self.tells = self._others()

    def solved(self) -> list[Filled]:
        """The most likely forces."""
        forces, covariances = np.empty_like(self.arms), []
        observed = [*self._asked_for(), *self._measured(), *self._together()]
        expected = np.concatenate([self.typical.at(one.parts) for one in self.stances])
        for i, way in enumerate(self.ways):
            mean = expected[:, 0] if i == 0 else self._along(forces[:, 0], expected[:, 1]) @ way
            rows, wanted, errors = zip(*(of[1:] for of in observed if of[0] == i), strict=True)
            forces[:, i], covariance = _most_likely(mean, self._prior(i), rows, wanted, errors)
            covariances.append(covariance)
        weight_N, found = self.asked.weight_N, []
        for stance, place in zip(self._pressed(forces[:, 0]), self.places, strict=True):
            force = _possible(forces[place], stance.least_N / weight_N) @ self.ways * weight_N
            spread = np.stack([covariance[place, place] for covariance in covariances]) * weight_N**2
            found.append(Filled(stance, force, spread, self.ways, self._share_of(stance)))
        return found

    def _along(self, upward: Array, typically: Array) -> Array:
        """(unknowns, 3) what is expected along the ground: by the line that passes the centre of mass; along the foot
        the mean of that and of what is typical, which are as far off."""
        up_g, parts = self.ways[0], []
        for stance, place in zip(self.stances, self.places, strict=True):
            arm = self.asked.com_g[stance.frames] - stance.pressure_g
            height = arm @ up_g
            level = arm - np.outer(height, up_g)
            line = level * (upward[place] / (height + self.asked.accuracy.above_m))[:, None]
            forward = stance.axes_g[1]
            parts.append(
                np.nan_to_num(line) + np.outer((typically[place] - np.nan_to_num(line) @ forward) / 2, forward)
            )
        return np.concatenate(parts)

    def _prior(self, i: int) -> Array:
        """(unknowns, unknowns) covariance of what makes stances unlike what is expected, along a way."""
        prior, rate_hz = np.zeros((len(self.arms),) * 2), self.ground.rate_hz
        for stance, place in zip(self.stances, self.places, strict=True):
            fades = np.clip(np.minimum(stance.parts, 1 - stance.parts) / ENDS, 0.0, 1.0)
            alike = lasting(len(fades), UNLIKE[min(i, 1)] * rate_hz) * np.multiply.outer(fades, fades)
            prior[place, place] = SPREAD[min(i, 1)] ** 2 * alike
            for event in ("begins", "ends") if i < 2 else ():
                early, late = (
                    self.typical.at(stance._replace(**{event: getattr(stance, event) + by}).parts)[:, i]
                    for by in (-TIMED * rate_hz, TIMED * rate_hz)
                )
                prior[place, place] += np.multiply.outer(early - late, early - late) / 4
        return prior

    def _asked_for(self) -> Iterator[_Observed]:
        """What the motion asks for, less what is known of other feet, as far as markers let it through."""
        asked, rate_hz, n = self.asked, self.ground.rate_hz, len(self.unit_of)
        known, tells = self.known, self.tells.copy()
        through = let_through(n, asked.told_hz, rate_hz)
        tells &= np.abs(through) @ (~tells).astype(float) < OF_OTHERS
        noise = lasting(n, LASTS * rate_hz) + AT_ONCE**2 * np.eye(n)
        noise, seen = noise[np.ix_(tells, tells)], through[tells]
        accuracy = asked.accuracy
        here = asked.wrench.during(self.frames).at(self.origin)
        left = Wrench(here.f_g[tells] - seen @ known.f_g, here.m_g[tells] - seen @ known.m_g, self.origin)
        for i, way in enumerate(self.ways):
            size = accuracy.along if i else accuracy.up
            yield i, seen @ self.unit_of, left.f_g @ way / asked.weight_N, size**2 * noise
        for way in self.ways[1:]:
            yield 0, seen @ self._turning(way), self._turned(left.m_g) @ way, accuracy.point_m**2 * noise

    def _turning(self, way: Array) -> Array:
        """(frames, unknowns) by how much each upward force has the pressure of all along a way."""
        return np.asarray(self.unit_of * (self.arms @ way))

    def _turned(self, m_g: Array) -> Array:
        """(n, 3) the same of a moment about the middle of all pressures:  up × (arm × f) = arm (up · f)."""
        return cross(np.broadcast_to(self.ways[0], m_g.shape), m_g) / self.asked.weight_N

    def _others(self) -> tuple[Wrench, Mask]:
        """The known loads in these frames but those of the stances, and the frames in which nothing else is unknown."""
        first, near = self.frames.start, round(NEAR * self.ground.rate_hz)
        here = self.asked.wrench.during(self.frames)
        tells = known_rows(here.f_g) & known_rows(here.m_g)
        f_g, m_g = np.zeros((2, len(tells), 3))
        for side, load in self.loads.by_side.items():
            state = load.state[self.frames]
            mine = np.zeros(len(tells), dtype=bool)
            for stance in (one for one in self.stances if one.side == side):
                start, stop = stance.frames.start - first, stance.frames.stop - first
                beside = slice(max(start - near, 0), stop + near)
                mine[beside] |= state[beside] == UNKNOWN  # it flies before it strikes and after it leaves
                mine[start:stop] = True
            given = (state != UNKNOWN) & ~mine
            tells &= given | mine
            wrench = load.wrench.during(self.frames).at(self.origin)
            f_g[given] += wrench.f_g[given]
            m_g[given] += wrench.m_g[given]
        return Wrench(f_g, m_g, self.origin), tells

    def _measured(self) -> Iterator[_Observed]:
        """Parts of the stances that plates tell."""
        states = np.concatenate([self.loads.by_side[one.side].state[one.frames] for one in self.stances])
        forces = np.concatenate([self.loads.by_side[one.side].wrench.f_g[one.frames] for one in self.stances])
        at = np.flatnonzero(states != UNKNOWN)
        for i, way in enumerate(self.ways):
            yield i, np.eye(len(states))[at], forces[at] @ way / self.asked.weight_N, MEASURED**2 * np.eye(len(at))

    def _together(self) -> Iterator[_Observed]:
        """What plates tell of both feet together."""
        for plate in self.shared:
            at = np.flatnonzero(plate.frames[self.frames] & self.tells & self.unit_of.any(axis=1))
            here = Wrench(plate.f_g[self.frames][at], plate.m_g[self.frames][at], np.zeros(3)).at(self.origin)
            for i, way in enumerate(self.ways):
                yield i, self.unit_of[at], here.f_g @ way / self.asked.weight_N, MEASURED**2 * np.eye(len(at))
            noise = lasting(len(at), LASTS * self.ground.rate_hz) + AT_ONCE**2 * np.eye(len(at))
            for way in self.ways[1:]:
                yield 0, self._turning(way)[at], self._turned(here.m_g) @ way, PRESSES**2 * noise

    def _pressed(self, upward: Array) -> Iterator[Unmeasured]:
        """The stances with pressure where plates that carry both feet have that of both."""
        moved = self.arms + self.origin
        for plate in self.shared:
            at = np.flatnonzero(plate.frames[self.frames] & self.tells & self.unit_of.any(axis=1))
            here = Wrench(plate.f_g[self.frames][at], plate.m_g[self.frames][at], np.zeros(3)).at(self.origin)
            both = self.unit_of[at] * upward
            lacks = self._turned(here.m_g) - both @ self.arms
            of_each = (both > 0).T @ (lacks / np.maximum(both.sum(axis=1), MEASURED)[:, None])
            moved = moved + of_each - np.outer(of_each @ self.ways[0], self.ways[0])
        for stance, place in zip(self.stances, self.places, strict=True):
            yield stance._replace(pressure_g=moved[place])

    def _share_of(self, stance: Unmeasured) -> int | None:
        unknown = self.loads.by_side[stance.side].state[stance.frames] == UNKNOWN
        return next((of.number for of in self.shared if (of.frames[stance.frames] & unknown).any()), None)


#: Along which of the ways, the rows of what was observed, their values, and the covariance of their errors.
_Observed = tuple[int, Array, Array, Array]


def _most_likely(
    mean: Array, prior: Array, rows: Sequence[Array], wanted: Sequence[Array], errors: Sequence[Array]
) -> tuple[Array, Array]:
    """Mean and covariance of unknowns after what was observed of sums of them."""
    H, y, start = np.concatenate(rows), np.concatenate(wanted), 0
    S = H @ prior @ H.T
    for of in errors:
        S[start : start + len(of), start : start + len(of)] += of
        start += len(of)
    gain = np.linalg.solve(S, H @ prior).T
    return mean + gain @ (y - H @ mean), prior - gain @ H @ prior


def _possible(force: Array, least: Array) -> Array:
    """(frames, 3) up and along the ground: a foot does not pull at the ground, gives no less than a plate measured of
    it, and does not push along the ground more than that holds.
    """
    up, along = np.maximum(force[:, 0], np.maximum(least, 0.0)), force[:, 1:]
    size, most = norm(along), FRICTION * up
    shrunk = np.where(size > most, most / np.where(size > 0, size, 1.0), 1.0)
    return np.concatenate([up[:, None], along * shrunk[:, None]], axis=1)


def _with(load: FootLoad, filled: Sequence[Filled], ground: Ground) -> tuple[FootLoad, Mask]:
    """A foot's load with its stances, and the frames that are new."""
    near, unknown = round(NEAR * ground.rate_hz), load.state == UNKNOWN
    state, force, moment = load.state.copy(), load.wrench.f_g.copy(), load.wrench.m_g.copy()
    cop, free, new = load.cop_g.copy(), load.free_moment.copy(), np.zeros(len(unknown), dtype=bool)
    at_origin = load.wrench.at(np.zeros(3))
    force, moment = at_origin.f_g.copy(), at_origin.m_g.copy()
    for one in filled:  # the feet fly beside their stances
        beside = slice(max(one.stance.frames.start - near, 0), one.stance.frames.stop + near)
        flies = np.flatnonzero(unknown[beside]) + beside.start
        state[flies], new[flies] = AIR, True
        force[flies], moment[flies], free[flies] = 0.0, 0.0, 0.0
    for one in filled:
        frames, here = one.stance.frames, unknown[one.stance.frames]
        at, f_g, p_g = np.flatnonzero(here) + frames.start, one.force_g[here], one.stance.pressure_g[here]
        state[at], force[at], moment[at], free[at] = LOADED, f_g, cross(p_g, f_g), np.nan
        pressing = (f_g @ ground.floor.up_g > ground.settings.contact_threshold_N)[:, None]
        cop[at] = np.where(pressing, p_g, np.nan)
    return FootLoad(state, Wrench(force, moment, np.zeros(3)), cop, free), new
