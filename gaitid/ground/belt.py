"""What the feet walk on: which way is up, and how it moves (a treadmill's belt, or nothing)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.notes import Note, Notes
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import all_columns, known_part, known_rows, spans
from gaitid.numerics.statistics import mean, median, quantile
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

# Hz. Markers of feet are low-passed at this before it is asked how they move (the cut-off that raw markers get).
CUTOFF_HZ = 7.0
# m/s and m. A foot lies flat while neither of its markers rises or falls faster, and both are no higher above the 5th
# percentile of their heights; a swinging foot shows one or the other, never neither.
FLAT_SPEED, FLAT_HEIGHT = 0.10, 0.03
# m/s. A slower belt is not told from a foot that slides. The feet go nowhere if they travel, over the trial, at less
# than this share of the belt's speed.
BELT_SPEED, BELT_SHARE = 0.15, 0.4
# Share of its speed by which a belt's speeds in single stances differ (root mean square, each foot by itself) if it
# changes its speed: a length of a stride would be off by as much. Steady belts have 0.002 to 0.004 (two recorded, one
# simulated).
UNSTEADY = 0.01
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
    velocity_g : (3,) array, or (frames, 3) of several passes, m/s
        Of the ground in the laboratory: 0, or the median of a treadmill's belt, the mean of both of two belts.
    travel_g : mapping of side to (frames, 3) array, m
        How far the ground under a foot has moved since the first frame of its pass, where `velocity_g` does not tell:
        of a belt that changes its speed, and of two belts. NaN where the feet do not show it.
    two_belts : bool
        The ground under both feet moves at different speeds.
    passes : tuple of slice
        The frames of each walk.
    notes : Notes
        That it moves, and how.
    """

    up_g: Array
    rate_hz: float
    velocity_g: Array
    travel_g: Mapping[str, Array] = field(default_factory=dict)
    two_belts: bool = False
    passes: tuple[slice, ...] = ()
    notes: Notes = ()

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
        steps = np.arange(len(point_g)) / self.rate_hz
        return np.asarray(point_g - (self.velocity_g * steps[:, None]))


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


def floor_under(feet: Mapping[str, FootTrack], up_g: Array, rate_hz: float) -> Floor:
    """The floor that the feet of a trial walk on (`floor_under_slow`).

    Parameters
    ----------
    feet : mapping of side to FootTrack
        Not filtered.
    up_g : (3,) array
    rate_hz : float
    """
    return floor_under_slow(slow_feet(list(feet.values()), up_g, rate_hz), list(feet), up_g, rate_hz)


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
    whole = Floor(up_g, rate_hz, np.zeros(3), passes=passes)
    belts = [_belt(feet.points_g[block], sides, up_g, rate_hz) for block in whole.blocks(n_frames)]
    if len(belts) == 1:
        velocity_g = belts[0].velocity_g
    else:
        lengths = [block.stop - block.start for block in whole.blocks(n_frames)]
        velocity_g = np.repeat([belt.velocity_g for belt in belts], lengths, axis=0)
        velocity_g = velocity_g if velocity_g.any() else np.zeros(3)
    travel_g = {}
    if any(belt.travel_g for belt in belts):
        travel_g = {side: np.concatenate([belt.travel_of(side, rate_hz) for belt in belts]) for side in sides}
    notes = tuple(dict.fromkeys(note for belt in belts for note in belt.notes))
    two_belts = any(belt.two_belts for belt in belts)
    return Floor(up_g, rate_hz, velocity_g, travel_g, two_belts, passes, notes)


class _Belt(NamedTuple):
    """What the feet of one pass walk on; attributes as of `Floor`."""

    n_frames: int
    velocity_g: Array
    travel_g: Mapping[str, Array] = MappingProxyType({})
    two_belts: bool = False
    notes: Notes = ()

    def travel_of(self, side: str, rate_hz: float) -> Array:
        """(frames, 3) m."""
        steady = np.outer(np.arange(self.n_frames) / rate_hz, self.velocity_g)
        return self.travel_g.get(side, steady)


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

    def stances(self, along_g: Array, rate_hz: float) -> _Stances:
        """Its mean speed along a belt in each stance; without stances that are cut short, a long one in parts."""
        flat, speed = self.flat & known_rows(self.velocity_g), self.velocity_g @ along_g
        runs: list[tuple[int, int]] = []
        for first, stop in spans(flat):
            if runs and first - runs[-1][1] < SAME_STANCE * rate_hz:
                first = runs.pop()[0]
            runs.append((first, stop))
        usual = float(median(np.array([stop - first for first, stop in runs]))) if runs else 0.0
        parts = (np.linspace(a, b, max(round((b - a) / usual), 1) + 1) for a, b in runs if b - a >= FULL_STANCE * usual)
        runs = [(round(a), round(b)) for edges in parts for a, b in pairwise(edges.tolist())]
        runs = [(first, stop) for first, stop in runs if flat[first:stop].any()]
        speeds = [float(mean(speed[first:stop][flat[first:stop]])) for first, stop in runs]
        return _Stances(np.array([(first + stop - 1) / 2 / rate_hz for first, stop in runs]), np.array(speeds))


def _belt(points_g: Array, sides: Sequence[str], up_g: Array, rate_hz: float) -> _Belt:
    """What the feet of one pass walk on; `points_g` as of `SlowFeet`."""
    n_frames = len(points_g)
    flat: dict[str, _Flat] = {}
    travelled = []
    for i, side in enumerate(sides):
        heel_and_toe = points_g[:, i]
        known = known_rows(heel_and_toe).nonzero()[0]
        if len(known) < 3:
            continue
        first, last = heel_and_toe[known[[0, -1]]].mean(axis=1)
        travelled.append((last - first) / ((known[-1] - known[0]) / rate_hz))
        one = _while_flat(heel_and_toe, known, up_g, rate_hz)
        if np.isfinite(one.median_g).all():
            flat[side] = one
    if not flat:
        return _Belt(n_frames, np.zeros(3))
    medians = {side: one.median_g for side, one in flat.items()}
    belt = np.mean([*medians.values()], axis=0)
    speed, travel = float(np.linalg.norm(belt)), float(np.linalg.norm(np.mean(travelled, axis=0)))
    if not (speed > BELT_SPEED and travel < BELT_SHARE * speed):
        return _Belt(n_frames, np.zeros(3))
    # along the belts: across them a foot that rolls has a velocity of its own
    along_g = belt / speed
    speeds = {side: float(of @ along_g) for side, of in medians.items()}
    notes = [Note("treadmill", f"the standing feet move at {speed:.2f} m/s: a treadmill, whose travel is added")]
    two_belts = max(speeds.values()) - min(speeds.values()) > BELT_SPEED
    if two_belts:
        each = " and ".join(f"{of:.2f} m/s ({side})" for side, of in speeds.items())
        text = f"the belts move at {each}: a stride length is by the belt of its foot, a step length is the distance"
        notes.append(Note("belts_differ", f"{text} between the feet at the strike"))
    seen = {side: one.stances(along_g, rate_hz) for side, one in flat.items()}
    if _steady(seen, speed):
        travels = {side: np.arange(n_frames) / rate_hz * of for side, of in speeds.items()} if two_belts else {}
    else:
        if not two_belts:
            seen = dict.fromkeys(sides, _in_order(seen.values()))
        travels = {side: _travel(of, n_frames, rate_hz) for side, of in seen.items()}
        notes.append(_unsteady_note(seen, travels))
    travel_g = {side: np.outer(travel, along_g) for side, travel in travels.items()}
    return _Belt(n_frames, belt, travel_g, two_belts, tuple(notes))


class _Stances(NamedTuple):
    """When a foot lies flat, s, and the speed of the belt under it then, m/s, (stances,) each."""

    times_s: Array
    speeds: Array


def _steady(seen: Mapping[str, _Stances], speed: float) -> bool:
    """Whether all stances of each foot show the same speed; also where there are too few to tell."""
    about = np.concatenate([of.speeds - of.speeds.mean() if len(of.speeds) else of.speeds for of in seen.values()])
    return not len(about) or bool(np.sqrt(np.mean(about**2)) <= UNSTEADY * speed)


def _in_order(of_feet: Iterable[_Stances]) -> _Stances:
    """The stances of all feet in order of time."""
    times_s, speeds = (np.concatenate(of) for of in zip(*of_feet, strict=True))
    order = np.argsort(times_s)
    return _Stances(times_s[order], speeds[order])


def _unsteady_note(seen: Mapping[str, _Stances], travels: Mapping[str, Array]) -> Note:
    """How a belt changes its speed, and what follows from it."""
    speeds = np.concatenate([of.speeds for of in seen.values()])
    text = f"the belt changes its speed, from {speeds.min():.2f} to {speeds.max():.2f} m/s: "
    if all(np.isfinite(travel).all() for travel in travels.values()):
        return Note("belt_unsteady", f"{text}its travel is integrated from the standing feet")
    return Note("belt_unsteady", f"{text}too few stances show it, so that lengths and speed are empty")


def _travel(seen: _Stances, n_frames: int, rate_hz: float) -> Array:
    """(frames,) m, how far a belt has moved since the first frame; NaN where the stances do not tell.

    Between two stances its speed changes evenly, and before the first and after the last as between the nearest three.
    """
    times_s, speeds = seen
    if len(times_s) < 3 or np.diff(times_s).max() > LONGEST_UNSEEN:
        return np.full(n_frames, np.nan)
    at = np.arange(n_frames) / rate_hz
    speed = np.interp(at, times_s, speeds)
    for outside, near, far in ((at < times_s[0], 0, 2), (at > times_s[-1], -1, -3)):
        slope = (speeds[near] - speeds[far]) / (times_s[near] - times_s[far])
        speed[outside] = speeds[near] + slope * (at[outside] - times_s[near])
    return np.concatenate([[0.0], np.cumsum((speed[1:] + speed[:-1]) / 2)]) / rate_hz


def _while_flat(points_g: Array, known: IntArray, up_g: Array, rate_hz: float) -> _Flat:
    """A foot while it lies flat; `points_g` are its heel and toe, (frames, 2, 3), m; `known` the frames with both."""
    height = points_g @ up_g
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
