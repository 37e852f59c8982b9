"""Foot strikes and offs from the markers, by published methods, whichever way the body walks.

The ground may move: on a treadmill every position is taken relative to the belt, so that one rule serves both. The
direction of walking is local (turns), and the end of the foot that lands first follows from it (backward walking).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, isfinite

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.belt import Floor, travelled
from gaitid.notes import phrase
from gaitid.numerics.masks import bridged, median, spans
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask, read_only

KINDS = ("strike", "off")

# s. The direction of walking is that of the pelvis from so long before to so long after a frame: about one stride.
HALF_STRIDE = 0.5
# m/s. A body slower than this stands.
STANDS = 0.10
# Cosine between the direction of walking and where the feet point below which a walk is neither for- nor backward.
SIDEWAYS = 0.5
# Cosine between an axis of the laboratory and the vertical above which the axis is not level.
LEVEL = 0.7
# m. A foot that goes less far to and fro under the pelvis makes no step; shuffling steps of 0.2 m are found.
LEAST_SWING = 0.10
# s. Where the foot's vertical velocity has its extreme: from before to after the turn of the heel, and about that of
# the toe. On 53 strikes and 52 offs of level walking it lies 0.02 to 0.06 s after the heel's turn and from 0.03 s
# before to 0.01 s after the toe's.
HEEL_WINDOW, TOE_WINDOW = (0.03, 0.15), (0.08, 0.08)


class GaitEvent(NamedTuple):
    """One strike or off of one foot.

    Attributes
    ----------
    side : str
    kind : str
        ``strike`` or ``off``.
    time_s : float
        From the trial's first frame; between frames where the method tells.
    source : str
        ``force``, ``file``, ``given`` (by the user, with ``--events``), ``kinematics``; in the lists by method also
        ``zeni`` and ``oconnor``.
    """

    side: str
    kind: str
    time_s: float
    source: str


@frozen_dataclass(eq=False)
class Heading:
    """Which way the body walks over the ground, frame by frame.

    Attributes
    ----------
    floor : Floor
        Which way is up, and how the ground moves.
    direction_g : (frames, 3) array
        Horizontal unit vector of walking; NaN while the body stands.
    sense : (frames,) array
        1 where the feet point that way, -1 where they point against it (backward), 0 otherwise or where unknown.
    stands : (frames,) bool array
        The body is known to stand.
    """

    floor: Floor
    direction_g: Array
    sense: Array
    stands: Mask

    def __post_init__(self) -> None:
        for name in ("direction_g", "sense"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def rate_hz(self) -> float:
        """Of the cameras."""
        return self.floor.rate_hz

    def angle_deg(self, frames: slice) -> float:
        """The mean direction of walking in some frames, deg in (-180, 180]; NaN of a body that stands.

        It is turned from the laboratory's x axis (y where x is vertical) counter-clockwise, seen from above.
        """
        up_g = self.floor.up_g
        axis_g = np.eye(3)[int(abs(up_g[0]) > LEVEL)]
        along_g = axis_g - up_g * (axis_g @ up_g)
        ways = self.direction_g[frames]
        way_g = ways[np.isfinite(ways).all(axis=1)].sum(axis=0)
        if not way_g.any():
            return float("nan")
        return float(np.degrees(np.arctan2(way_g @ np.cross(up_g, along_g), way_g @ along_g)))

    def interrupted(self, start_s: float, end_s: float) -> str:
        """What breaks a walk between two times, in words; empty where nothing does."""
        frames = slice(round(start_s * self.rate_hz), round(end_s * self.rate_hz) + 1)
        if any(frames.start < later.start < frames.stop for later in self.floor.passes[1:]):
            return phrase("event/another_walk")
        if (self.sense[frames] > 0).any() and (self.sense[frames] < 0).any():
            return phrase("event/turns")
        return phrase("event/stands") if self.stands[frames].any() else ""


def heading(feet: Mapping[str, FootTrack], pelvis_g: Array, floor: Floor) -> Heading:
    """Which way the body walks over the ground, frame by frame.

    Parameters
    ----------
    feet : mapping of side to FootTrack
        Low-passed.
    pelvis_g : (frames, 3) array, m
    floor : Floor
    """
    of_passes = []
    for block in floor.blocks(len(pelvis_g)):
        some = {side: foot.during(block) for side, foot in feet.items()}
        of_passes.append(_of_pass(some, pelvis_g[block], floor, floor.during(block)))
    if len(of_passes) == 1:
        return Heading(floor, *of_passes[0])
    direction_g, sense, stands = (np.concatenate(of) for of in zip(*of_passes, strict=True))
    return Heading(floor, direction_g, sense, stands)


def _of_pass(
    feet: Mapping[str, FootTrack], pelvis_g: Array, floor: Floor, velocity_g: Array
) -> tuple[Array, Array, Mask]:
    """Direction, sense and standing of one walk over ground that moves at a velocity."""
    n, up_g, rate_hz = len(pelvis_g), floor.up_g, floor.rate_hz
    track = bridged(_flat(pelvis_g, up_g)) - travelled(velocity_g, n, rate_hz)
    reach, frames = round(HALF_STRIDE * rate_hz), np.arange(n)
    first, last = np.maximum(frames - reach, 0), np.minimum(frames + reach, n - 1)
    moved = track[last] - track[first]
    distance = norm(moved)
    with np.errstate(invalid="ignore", divide="ignore"):
        stands = distance <= STANDS * (last - first) / rate_hz
        direction = np.where(stands[:, None], np.nan, moved / distance[:, None])
        pointing = np.zeros((n, 3))
        for foot in feet.values():
            line = bridged(_flat(foot.toe_g - foot.heel_g, up_g))
            pointing += line / norm(line)[..., None]
        cosine = np.einsum("ij,ij->i", pointing, direction) / norm(pointing)
        sense = np.where(np.abs(cosine) > SIDEWAYS, np.sign(cosine), 0.0)
    return direction, sense, stands


def _flat(vectors: Array, up_g: Array) -> Array:
    return np.asarray(vectors - np.outer(vectors @ up_g, up_g))


def kinematic_events(side: str, foot: FootTrack, pelvis_g: Array, walk: Heading) -> dict[str, list[GaitEvent]]:
    """Strikes and offs of one foot from its markers, by two published methods.

    ``zeni``: the heel is farthest before the pelvis at the strike, the toe farthest behind it at the off, along the
    direction of walking (Zeni, Richards & Higginson 2008, Gait Posture 27:710-714). Walking backward the toe lands
    and the heel leaves, so both change places. ``oconnor``: the velocity of the middle of the foot is most downward at
    the strike and most upward at the off (O'Connor et al. 2007, Gait Posture 25:469-474), looked for near the former's
    events instead of below a height of the heel, which stairs do not have.
    ``kinematics``: the heel's events from the second method and the toe's from the first, because each is the more
    accurate one there (docs/events.md); the first where the second finds none.

    Parameters
    ----------
    side : str
    foot : FootTrack
    pelvis_g : (frames, 3) array, m
        Both low-passed.
    walk : Heading
    """
    rate, up_g = walk.rate_hz, walk.floor.up_g
    ahead = {
        end: np.einsum("ij,ij->i", point - pelvis_g, walk.direction_g)
        for end, point in (("heel", foot.heel_g), ("toe", foot.toe_g))
    }
    n = len(pelvis_g)
    rise = np.gradient((foot.heel_g + foot.toe_g) @ up_g / 2) * rate if n > 1 else np.zeros(n)
    by_method: dict[str, list[GaitEvent]] = {"zeni": [], "oconnor": [], "kinematics": []}
    for sense, landing, leaving in ((1, "heel", "toe"), (-1, "toe", "heel")):
        walking: Mask = (walk.sense == sense) & np.isfinite(ahead["heel"]) & np.isfinite(ahead["toe"])
        for start, stop in spans(walking):
            for kind, end in (("strike", landing), ("off", leaving)):
                sign = 1.0 if kind == "strike" else -1.0
                signal, sinking = sign * ahead[end][start:stop], sign * rise
                for peak in _peaks(signal, LEAST_SWING):
                    zeni = (start + _vertex(signal, peak)) / rate
                    # seen backward in time an off is a strike: the window after the heel's strike is before its off
                    before, after = TOE_WINDOW if end == "toe" else HEEL_WINDOW
                    window = (before, after) if kind == "strike" else (after, before)
                    oconnor = _lowest_near(sinking, zeni, window, rate)
                    best = zeni if end == "toe" or oconnor is None else oconnor
                    for name, time in (("zeni", zeni), ("oconnor", oconnor), ("kinematics", best)):
                        if time is not None:
                            by_method[name].append(GaitEvent(side, kind, time, name))
    return by_method


def steps_taken(feet: Mapping[str, FootTrack], up_g: Array) -> int:
    """How often the heels of two feet that both go somewhere are farthest apart, whichever way, and on a belt too."""
    heels_g = [_flat(foot.heel_g, up_g) for foot in feet.values()]
    if len(heels_g) != 2:
        return 0
    known = np.isfinite(heels_g).all(axis=(0, 2))
    heels_g = [heel_g[known] for heel_g in heels_g]
    if not known.any() or any(norm(heel_g - median(heel_g)).max() <= LEAST_SWING for heel_g in heels_g):
        return 0
    return len(_peaks(norm(heels_g[0] - heels_g[1]), LEAST_SWING))


def _peaks(signal: Array, least: float) -> list[int]:
    """Indices of the maxima from which `signal` falls by `least` on both sides before it rises higher.

    Where the samples end before it could, a fifth of it does.
    """
    step = signal[1:] - signal[:-1]
    turns = np.flatnonzero(step[:-1] * step[1:] <= 0) + 1
    x = signal.tolist()
    peaks: list[int] = []
    low = high = 0
    rising, rise = True, least / 5
    for i in [*turns.tolist(), len(x) - 1]:
        if rising:
            high = i if x[i] > x[high] else high
            if x[high] - x[i] > (least if i < len(x) - 1 else least / 5):
                if x[high] - x[low] > rise:
                    peaks.append(high)
                rising, low, rise = False, i, least
        else:
            low = i if x[i] < x[low] else low
            if x[i] - x[low] > least:
                rising, high = True, i
    return peaks


def _vertex(x: Array | Sequence[float], i: int) -> float:
    """Where the parabola through three samples about `i` has its extreme."""
    bend = float(x[i - 1] - 2 * x[i] + x[i + 1])
    return i + 0.5 * float(x[i - 1] - x[i + 1]) / bend if bend else float(i)


def _lowest_near(x: Array, time_s: float, window: tuple[float, float], rate_hz: float) -> float | None:
    """Time of the deepest trough of `x` in a window about a time; None where there is none inside."""
    first = max(ceil((time_s - window[0]) * rate_hz), 1)
    last = min(floor((time_s + window[1]) * rate_hz), len(x) - 2)
    part = x[first : last + 1].tolist()
    if len(part) < 3 or not all(map(isfinite, part)):
        return None
    lowest = part.index(min(part))
    return (first + _vertex(part, lowest)) / rate_hz if 0 < lowest < len(part) - 1 else None
