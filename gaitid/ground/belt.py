"""What the feet walk on: which way is up, and how it moves (a treadmill's belt, or nothing)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.notes import Notes, note
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import all_columns, known_part, known_rows, median, quantile, spans
from gaitid.numerics.rotation import norm, unit
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

# Hz. Markers of feet are low-passed at this before it is asked how they move (the cut-off that raw markers get).
CUTOFF_HZ = 7.0
# m/s and m. A foot lies flat while neither of its markers rises or falls faster, and both are no higher above the 5th
# percentile of their heights; a swinging foot shows one or the other, never neither.
FLAT_SPEED, FLAT_HEIGHT = 0.10, 0.03
# Steepest belt that is looked for, steps of its slope, and times as many frames in which a foot then lies flat as on
# level ground.
STEEPEST, SLOPE_STEP, FLATTER = 0.16, 0.01, 1.15
# m/s. A slower belt is not told from a foot that slides. The feet go nowhere if they travel, over a pass, at less than
# this share of the belt's speed.
BELT_SPEED, BELT_SHARE = 0.15, 0.4
# Share of its speed by which a belt's speeds in single stances differ (root mean square, each foot by itself) if it
# changes its speed: a length of a stride would be off by as much. Steady belts have 0.002 to 0.004 (two recorded, one
# simulated).
UNSTEADY = 0.01
# Share of its speed, and m/s, by which the speed under a foot lies outside of those under the other foot's stances
# before and after it if they stand on two belts. Both feet of one belt differ by 0.014 at most (running on one). Fewer
# stances than the last are none.
APART, LEAST_APART, FEWEST_APART = 0.08, 0.03, 3
# s. Runs of frames in which a foot lies flat that are nearer are of one stance. Of stances of one foot one that is
# shorter than this share of their median is cut.
SAME_STANCE, FULL_STANCE = 0.2, 0.7
# s. Nothing tells how fast a belt is in a longer time without a foot that lies flat: about one slow stride.
LONGEST_UNSEEN = 1.5


@frozen_dataclass(eq=False)
class Floor:
    """What the feet walk on.

    Attributes
    ----------
    up_g : (3,) array
    rate_hz : float
        Of the cameras.
    velocity_g : (3,) array, or (frames, 3) of a belt that changes its speed and of several passes, m/s
        Of the ground in the laboratory: 0, or that of a treadmill's belt, the mean of both of two belts.
    travel_g : mapping of side to (frames, 3) array, m
        How far the ground under a foot has moved since the first frame of its pass, where `velocity_g` does not tell:
        of a belt that changes its speed, and of two belts. NaN where the feet do not show it.
    apart : (frames,) bool array or None
        Where the ground under both feet moves at different speeds; None where it never does.
    passes : tuple of slice
        The frames of each walk.
    notes : Notes
        That it moves, and how.
    """

    up_g: Array
    rate_hz: float
    velocity_g: Array
    travel_g: Mapping[str, Array] = field(default_factory=dict)
    apart: Mask | None = None
    passes: tuple[slice, ...] = ()
    notes: Notes = ()

    @property
    def steady_g(self) -> Array:
        """(3,) velocity of the ground under both feet, m/s; NaN where it changes, or differs between them."""
        return np.full(3, np.nan) if self.velocity_g.ndim > 1 or self.travel_g else self.velocity_g

    def during(self, frames: slice) -> Array:
        """(3,) or (frames, 3) `velocity_g` in some frames."""
        return self.velocity_g if self.velocity_g.ndim == 1 else self.velocity_g[frames]

    def blocks(self, n_frames: int) -> list[slice]:
        """All frames, those of each pass up to the next one."""
        starts = [0, *(later.start for later in self.passes[1:]), n_frames]
        return [slice(a, b) for a, b in pairwise(starts)]

    def over_ground(self, point_g: Array, side: str) -> Array:
        """(frames, 3) m, positions of a point of a foot relative to the ground under it; the laboratory's at first."""
        if side in self.travel_g:
            return np.asarray(point_g - self.travel_g[side])
        return np.asarray(point_g - travelled(self.velocity_g, len(point_g), self.rate_hz))


def travelled(velocity_g: Array, n_frames: int, rate_hz: float) -> Array:
    """(frames, 3) m, how far the ground has moved since the first frame at a velocity, (3,) or (frames, 3) m/s."""
    if velocity_g.ndim == 1:
        return np.outer(np.arange(n_frames) / rate_hz, velocity_g)
    moved = np.zeros((n_frames, 3))
    np.cumsum((velocity_g[1:] + velocity_g[:-1]) / 2, axis=0, out=moved[1:])
    return moved / rate_hz


class SlowFeet(NamedTuple):
    """Feet without what is faster than `CUTOFF_HZ`: to ask how they move, never to compute with.

    Attributes
    ----------
    points_g : (frames, feet, 2, 3) array, m
        Heel and toe of each; as they are where the cameras are too slow to filter.
    height : (frames, feet) array, m
        Of the middle of both.
    """

    points_g: Array
    height: Array


def slow_feet(feet: Sequence[FootTrack], up_g: Array, rate_hz: float) -> SlowFeet:
    """Feet, low-passed together."""
    if not feet:
        return SlowFeet(np.empty((0, 0, 2, 3)), np.empty((0, 0)))
    raw = [part for foot in feet for part in (foot.heel_g, foot.toe_g)]
    raw += [((foot.heel_g + foot.toe_g) @ up_g / 2)[:, None] for foot in feet]
    slow = np.concatenate(raw, axis=1)
    if rate_hz > 2 * CUTOFF_HZ:
        slow = lowpass(slow, CUTOFF_HZ, rate_hz)
    return SlowFeet(slow[:, : 6 * len(feet)].reshape(len(slow), len(feet), 2, 3), slow[:, 6 * len(feet) :])


def floor_under_slow(
    feet: SlowFeet, sides: Sequence[str], up_g: Array, rate_hz: float, passes: tuple[slice, ...] = ()
) -> Floor:
    """The floor that feet walk on, in each pass by itself.

    Flat on the ground, a foot moves with it. The mean over the feet of its median velocity there is a belt's where the
    feet go nowhere over the pass although the ground under them moves; on a walkway it is the feet that travel, and
    the ground stands. A belt that changes its speed has at each time the speed of the feet that lie flat before and
    after it.

    Parameters
    ----------
    feet : SlowFeet
    sides : sequence of str
        Of these feet.
    up_g : (3,) array
    rate_hz : float
    passes : tuple of slice, optional
        The frames of each walk of a recording that holds several.
    """
    n_frames = len(feet.points_g)
    blocks = Floor(up_g, rate_hz, np.zeros(3), passes=passes).blocks(n_frames)
    belts = [_belt(feet.points_g[block], sides, up_g, rate_hz) for block in blocks]
    velocity_g = belts[0].velocity_g
    if len(belts) > 1:
        of_frames = [np.broadcast_to(belt.velocity_g, (belt.n_frames, 3)) for belt in belts]
        velocity_g = np.concatenate(of_frames) if any(v.any() for v in of_frames) else np.zeros(3)
    travel_g, apart = {}, None
    if any(belt.travel_g for belt in belts):
        travel_g = {side: np.concatenate([belt.travel_of(side, rate_hz) for belt in belts]) for side in sides}
    if any(belt.apart is not None for belt in belts):
        nowhere = [np.zeros(belt.n_frames, dtype=bool) for belt in belts]
        apart = np.concatenate([no if b.apart is None else b.apart for no, b in zip(nowhere, belts, strict=True)])
    notes = tuple(dict.fromkeys(note for belt in belts for note in belt.notes))
    return Floor(up_g, rate_hz, velocity_g, travel_g, apart, passes, notes)


class _Belt(NamedTuple):
    """What the feet of one pass walk on; attributes as of `Floor`."""

    n_frames: int
    velocity_g: Array
    travel_g: Mapping[str, Array] = MappingProxyType({})
    apart: Mask | None = None
    notes: Notes = ()

    def travel_of(self, side: str, rate_hz: float) -> Array:
        """(frames, 3) m."""
        return self.travel_g[side] if side in self.travel_g else travelled(self.velocity_g, self.n_frames, rate_hz)


class _Flat(NamedTuple):
    """One foot while it lies flat.

    Attributes
    ----------
    velocity_g : (frames, 3) array, m/s
        Of its middle, horizontal; NaN beside a gap.
    flat : (frames,) bool array
    """

    velocity_g: Array
    flat: Mask

    @property
    def median_g(self) -> Array:
        """(3,) m/s, its median velocity; NaN where it never lies flat."""
        along = known_part(self.velocity_g.take(self.flat.nonzero()[0], axis=0))  # beside a gap it is not known
        return median(along) if len(along) else np.full(3, np.nan)

    def stances(self, rate_hz: float) -> _Stances:
        """Its mean velocity in each stance; without stances that are cut short, a long one in parts."""
        flat = self.flat & known_rows(self.velocity_g)
        runs: list[tuple[int, int]] = []
        for first, stop in spans(flat):
            if runs and first - runs[-1][1] < SAME_STANCE * rate_hz:
                first = runs.pop()[0]
            runs.append((first, stop))
        usual = float(median(np.array([stop - first for first, stop in runs]))) if runs else 0.0
        parts = (np.linspace(a, b, max(round((b - a) / usual), 1) + 1) for a, b in runs if b - a >= FULL_STANCE * usual)
        runs = [(round(a), round(b)) for edges in parts for a, b in pairwise(edges.tolist())]
        runs = [(first, stop) for first, stop in runs if flat[first:stop].any()]
        means = [self.velocity_g[first:stop][flat[first:stop]].mean(axis=0) for first, stop in runs]
        times_s = np.array([(first + stop - 1) / 2 / rate_hz for first, stop in runs])
        return _Stances(times_s, np.array(means).reshape(-1, 3))


class _Stances(NamedTuple):
    """When a foot lies flat, (stances,) s, and the velocity of the ground under it then, (stances, 3) m/s."""

    times_s: Array
    velocity_g: Array

    def speeds(self, along_g: Array) -> Array:
        """(stances,) m/s along a belt."""
        return np.asarray(self.velocity_g @ along_g)


def _belt(points_g: Array, sides: Sequence[str], up_g: Array, rate_hz: float) -> _Belt:
    """What the feet of one pass walk on; `points_g` as of `SlowFeet`."""
    n_frames, nothing = len(points_g), _Belt(len(points_g), np.zeros(3))
    known = {i: known_rows(points_g[:, i]).nonzero()[0] for i in range(len(sides))}
    known = {i: frames for i, frames in known.items() if len(frames) >= 3}
    slope_g = _slope(points_g, known, up_g, rate_hz)
    flat = {sides[i]: _while_flat(points_g[:, i], frames, up_g, rate_hz, slope_g) for i, frames in known.items()}
    flat = {side: one for side, one in flat.items() if np.isfinite(one.median_g).all()}
    if not flat:
        return nothing
    middles = {i: points_g[frames[[0, -1]], i].mean(axis=1) for i, frames in known.items()}
    travelled_g = [(last - first) * rate_hz / np.ptp(known[i]) for i, (first, last) in middles.items()]
    belt = np.mean([one.median_g for one in flat.values()], axis=0)
    speed, travel = float(np.linalg.norm(belt)), float(np.linalg.norm(np.mean(travelled_g, axis=0)))
    if speed > BELT_SPEED and travel < BELT_SHARE * speed:
        return _moving(flat, sides, belt, n_frames, rate_hz)
    # a belt that stands for half of the time
    stances = _in_order([one.stances(rate_hz) for one in flat.values()])
    moving = stances.velocity_g[norm(stances.velocity_g) > BELT_SPEED]
    if len(moving) < FEWEST_APART:
        return nothing
    along_g = unit(moving.sum(axis=0))
    way = float(_speed_at(stances.times_s, stances.speeds(along_g), n_frames, rate_hz).sum()) / rate_hz
    if not travel * n_frames / rate_hz < BELT_SHARE * way:
        return nothing
    return _moving(flat, sides, along_g * way * rate_hz / n_frames, n_frames, rate_hz)


def _moving(flat: Mapping[str, _Flat], sides: Sequence[str], belt_g: Array, n_frames: int, rate_hz: float) -> _Belt:
    """A belt, or two, of about this mean velocity."""
    speed = float(np.linalg.norm(belt_g))
    along_g = belt_g / speed  # across a belt a foot that rolls has a velocity of its own
    notes = [note("treadmill", speed=speed)]
    seen = {side: one.stances(rate_hz) for side, one in flat.items()}
    times = {side: of.times_s for side, of in seen.items()}
    speeds = {side: of.speeds(along_g) for side, of in seen.items()}
    apart = _apart(times, speeds, n_frames, rate_hz)
    steady = _steady([*speeds.values()], speed)
    if apart is not None:
        medians = {side: float(flat[side].median_g @ along_g) for side in flat}
        if not (steady and apart.all()):
            at = {side: apart[np.rint(of * rate_hz).astype(int)] for side, of in times.items()}
            medians = {side: float(median(of[at[side]])) for side, of in speeds.items() if at[side].any()}
        each = [f"{of:.2f} m/s ({side})" for side, of in medians.items()]
        notes.append(note("belts_differ", each=each, partly=not apart.all()))
        if steady and apart.all():
            travel_g = {side: np.outer(np.arange(n_frames) / rate_hz * of, along_g) for side, of in medians.items()}
            return _Belt(n_frames, belt_g, travel_g, apart, tuple(notes))
    elif steady:
        return _Belt(n_frames, belt_g, notes=tuple(notes))
    both = _in_order([*seen.values()])
    common = _speed_at(both.times_s, both.speeds(along_g), n_frames, rate_hz)
    of_side = dict.fromkeys(sides, common)
    if apart is not None:
        of_side |= {
            side: np.where(apart, _speed_at(times[side], of, n_frames, rate_hz), common) for side, of in speeds.items()
        }
    of_both = both.speeds(along_g)
    known = all(np.isfinite(of).all() for of in of_side.values())
    notes.append(note("belt_unsteady", least=of_both.min(), most=of_both.max(), known=known))
    mean_speed = np.mean([*of_side.values()], axis=0) if known else np.full(n_frames, speed)
    travel_g = {side: travelled(np.outer(of, along_g), n_frames, rate_hz) for side, of in of_side.items()}
    return _Belt(n_frames, np.outer(mean_speed, along_g), travel_g, apart, tuple(notes))


def _apart(times: Mapping[str, Array], speeds: Mapping[str, Array], n_frames: int, rate_hz: float) -> Mask | None:
    """(frames,) where both feet stand on belts of different speeds; None where they never do.

    On one belt the speed under a foot lies between those under the other foot before and after it.
    """
    if len(times) < 2:
        return None
    flags: list[tuple[float, bool]] = []
    for side, other in (list(times), list(times)[::-1]):
        after = np.searchsorted(times[other], times[side])
        for t, v, k in zip(times[side], speeds[side], after.tolist(), strict=True):
            if 0 < k < len(times[other]) and times[other][k] - times[other][k - 1] <= LONGEST_UNSEEN:
                beside = speeds[other][k - 1 : k + 1]
                off = max(beside.min() - v, v - beside.max())
                flags.append((float(t), bool(off > max(APART * max(abs(v), np.abs(beside).max()), LEAST_APART))))
    flags.sort()
    found = [t for t, is_apart in flags if is_apart]
    if len(found) < FEWEST_APART:
        return None
    at = np.array([t for t, _ in flags])
    nearest = np.searchsorted((at[1:] + at[:-1]) / 2, np.arange(n_frames) / rate_hz)
    return np.array([is_apart for _, is_apart in flags])[nearest]


def _steady(speeds: Sequence[Array], speed: float) -> bool:
    """Whether all stances of each foot show the same speed; also where there are too few to tell."""
    about = np.concatenate([of - of.mean() if len(of) else of for of in speeds])
    return not len(about) or bool(np.sqrt(np.mean(about**2)) <= UNSTEADY * speed)


def _in_order(of_feet: Sequence[_Stances]) -> _Stances:
    """The stances of all feet in order of time."""
    times_s, velocity_g = (np.concatenate(of) for of in zip(*of_feet, strict=True))
    order = np.argsort(times_s)
    return _Stances(times_s[order], velocity_g[order])


def _speed_at(times_s: Array, speeds: Array, n_frames: int, rate_hz: float) -> Array:
    """(frames,) m/s, the speed of a belt that has these speeds at these times; NaN where they do not tell.

    Between two stances it changes evenly, and before the first and after the last as between the nearest three.
    """
    if len(times_s) < 3 or np.diff(times_s).max() > LONGEST_UNSEEN:
        return np.full(n_frames, np.nan)
    at = np.arange(n_frames) / rate_hz
    speed = np.interp(at, times_s, speeds)
    for outside, near, far in ((at < times_s[0], 0, 2), (at > times_s[-1], -1, -3)):
        slope = (speeds[near] - speeds[far]) / (times_s[near] - times_s[far])
        speed[outside] = speeds[near] + slope * (at[outside] - times_s[near])
    return speed


def _slope(points_g: Array, known: Mapping[int, IntArray], up_g: Array, rate_hz: float) -> Array:
    """(3,) by how much a belt falls along the way of the feet: along that way, level; 0 on level ground.

    Of the slopes that are tried it is that by which the feet lie flat most often. It is not asked of feet that go on.
    """
    level = np.zeros(3)
    if not known:
        return level
    middle = [points_g[frames, i].mean(axis=1) for i, frames in known.items()]
    steps = np.concatenate([np.diff(of, axis=0) for of in middle])
    steps -= np.outer(steps @ up_g, up_g)
    way = float(norm(np.sum([of[-1] - of[0] for of in middle], axis=0)[None])[0])
    if not way < BELT_SHARE * norm(steps).sum():
        return level
    along_g = np.linalg.svd(steps, full_matrices=False)[2][0]

    def flat(slope: float) -> int:
        return sum(
            int(np.count_nonzero(_while_flat(points_g[:, i], frames, up_g, rate_hz, slope * along_g).flat))
            for i, frames in known.items()
        )

    slopes = np.arange(-STEEPEST, STEEPEST + SLOPE_STEP / 2, SLOPE_STEP)
    counts = [flat(float(slope)) for slope in slopes]
    best = int(np.argmax(counts))
    return np.asarray(slopes[best] * along_g if counts[best] > FLATTER * flat(0.0) else level)


def _while_flat(points_g: Array, known: IntArray, up_g: Array, rate_hz: float, slope_g: Array) -> _Flat:
    """A foot while it lies flat; `points_g` are its heel and toe, (frames, 2, 3), m; `known` the frames with both."""
    height = points_g @ (up_g + slope_g) if slope_g.any() else points_g @ up_g
    low = height < quantile(height.take(known, axis=0), 0.05) + FLAT_HEIGHT
    flat = all_columns(low & (np.abs(velocity(height, rate_hz)) < FLAT_SPEED))
    middle_g = velocity((points_g[:, 0] + points_g[:, 1]) / 2, rate_hz)
    return _Flat(middle_g - np.outer(middle_g @ up_g, up_g), flat)


def velocity(place: Array, rate_hz: float) -> Array:
    """How fast each column of (frames, …) places changes, by central differences, in their unit a second; 0 in a trial
    of fewer than three frames."""
    if len(place) < 3:
        return np.zeros_like(place)
    change = np.empty_like(place)
    np.subtract(place[2:], place[:-2], out=change[1:-1])
    change[1:-1] /= 2
    change[0], change[-1] = place[1] - place[0], place[-1] - place[-2]
    change *= rate_hz
    return change
