"""Numbers that no camera measured: held, drawn by a program or copied from another marker, to the last digit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gaitid.markers.faults import LabelFault
from gaitid.markers.innovations import SPAN, Innovations
from gaitid.markers.steps import ROUNDED, SMOOTHED_M
from gaitid.markers.tracks import Tracks
from gaitid.numerics.blocks import by_blocks
from gaitid.numerics.masks import largest_column, spans
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import median_of_known, quantile_of_known
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask


class _Drawn(NamedTuple):
    """A difference that is nothing but rounding for a while: its order, in how many rows, of how many last digits."""

    kind: str
    order: int
    rows: int
    digits: float


# A coordinate that is held, a straight line, a polynomial of up to the fifth degree. Rounding a coordinate by half a
# digit moves a difference of order n by 2ⁿ⁻¹ digits at most. In 62 recordings of 25 laboratories a coordinate is held
# in 5 frames at most, a line goes on for one row, a polynomial for two.
DRAWN = (_Drawn("held", 1, 9, 0.0), _Drawn("straight", 2, 6, 4.0), _Drawn("splined", 6, 5, 60.0))
# Of the same difference elsewhere: less than this share, or numbers tell nothing. Share of the markers, or of a
# marker's frames, that may be so: else the recording is a made one.
USUAL, FEW = 0.05, 0.5
# m. A marker that moves by less meanwhile is at rest.
MOVES_M = 0.01
# Of the range of half of the markers: in 49 moving recordings none has less than 0.048 of it, one in metres 0.001.
NO_RANGE = 0.01
# Frames of one position, and m by which a marker steps away from it, or its nearest neighbour goes away from it in
# `LEFT_FRAMES` and more.
FROZEN_FRAMES, FROZEN_M, LEFT_FRAMES, LEFT_M = 3, 0.005, 10, 0.05
# Two second differences are the same within this share, in so many frames on end: in 26 recordings of 15 laboratories
# in 5 at most (the condyles of one knee).
SAME, COPIED_FRAMES = 0.01, 8
# m/s by which a quarter of the markers move where all repeat a frame; and steps of the file's resolution.
MOVING_M_PER_S, QUANTA = 0.2, 3.0
# Times their scale that innovations are where a smoothed track was cut, and s, the longest stretch between two cuts.
KINK, LONGEST_S = 12.0, 1.0


def find_repeated(tracks: Tracks, rate_hz: float) -> list[LabelFault]:
    """Whole camera frames that repeat the one before while the body goes on."""
    known = tracks.known[1:] & tracks.known[:-1]
    whole: Mask = np.asarray((tracks.still == known).all(axis=1)) & (known.sum(axis=1) >= 3)
    if not whole.any():
        return []
    quantum, found = float(by_blocks(_least_step, tracks.points, 1).min()), []
    for first, stop in spans(whole):  # steps first … stop − 1, so frames first + 1 … stop repeat frame `first`
        before, after = max(first - 1, 0), min(stop + 1, len(tracks.points) - 1)
        gone = float(quantile_of_known(norm(tracks.points[after] - tracks.points[before]), 0.75))
        if gone > max(QUANTA * quantum, MOVING_M_PER_S * (after - before) / rate_hz):
            found.append((first + 1, stop))
    return [LabelFault("repeated", tuple(tracks), tuple(found), 0.0)] if found else []


def _least_step(points: Array) -> Array:
    """(frames − 1,) the least that any coordinate changes by, of those that change at all, m."""
    sizes = np.abs(np.diff(points, axis=0))
    return np.asarray(np.where(sizes > 0, sizes, np.inf).min(axis=(1, 2)))


def find_same(tracks: Tracks) -> list[LabelFault]:
    """Pairs of labels with the same coordinates: one of them is a copy."""
    first: dict[tuple[int, bytes], str] = {}
    faults = []
    for i, (label, points) in enumerate(tracks.items()):
        seen = np.flatnonzero(tracks.known[:, i])
        if not len(seen):
            continue
        middle = int(seen[len(seen) // 2])
        twin = first.setdefault((middle, points[middle].tobytes()), label)
        if twin != label:
            runs = _runs(np.asarray((points == tracks[twin]).all(axis=1)), FROZEN_FRAMES)
            if runs:
                faults.append(LabelFault("same", (twin, label), runs, 0.0))
    return faults


def find_frozen(tracks: Tracks, coarse_m: float) -> list[LabelFault]:
    """Markers that repeat one position and step away from it, or are left behind by their nearest neighbour."""
    faults, limit = [], max(FROZEN_M, ROUNDED * coarse_m)
    for i in np.flatnonzero(tracks.still.any(axis=0)):
        label, points = list(tracks)[i], tracks.points[:, i]
        steps = norm(np.diff(points, axis=0))
        for first, last in _runs(tracks.still[:, i], FROZEN_FRAMES - 1):
            beside = [steps[k] for k in (first - 1, last + 1) if 0 <= k < len(steps) and np.isfinite(steps[k])]
            further = [steps[k] for k in (first - 2, last + 2) if 0 <= k < len(steps) and np.isfinite(steps[k])]
            size = max(beside, default=0.0) - max(further, default=0.0)
            if size <= limit and last - first + 2 >= LEFT_FRAMES:
                away = norm(tracks.points[first : last + 2] - points[first])
                away[:, i] = np.nan
                known = away[:, np.isfinite(away).all(axis=0)]
                size = float(np.ptp(known[:, np.argmin(known.min(axis=0))])) if known.size else 0.0
                size *= size > LEFT_M
            if size > limit:
                faults.append(LabelFault("frozen", (label,), ((first, last + 1),), float(size)))
    return faults


def find_drawn(tracks: Tracks) -> list[LabelFault]:
    """Markers that are held along an axis, or follow a line or a polynomial to the last digit of the file."""
    faults, told = list[LabelFault](), np.zeros(tracks.known.shape, dtype=bool)
    for drawn in DRAWN if len(tracks.points) > 4 * SPAN else ():
        sizes = np.abs(np.diff(tracks.points, drawn.order, axis=0))
        each = sizes if drawn.kind == "held" else largest_column(sizes)[..., None]
        for axis in range(each.shape[2]):
            size = each[..., axis]
            limit = drawn.digits * tracks.digit
            small: Mask = np.asarray(size <= limit)
            small &= (small.mean(axis=1) <= FEW)[:, None]
            usual = np.nan_to_num(quantile_of_known(size, 0.5))
            # what a camera measures is to the last digit the same by chance alone, however long
            tells = limit < USUAL * (np.full_like(usual, np.median(usual)) if drawn.kind == "held" else usual)
            for i in np.flatnonzero(tells & (small.sum(axis=0) >= drawn.rows)).tolist():
                kind = f"held_{'xyz'[axis]}" if drawn.kind == "held" else drawn.kind
                # the ends of a line are what was recorded
                inner = drawn.order > 1
                runs = [(a + inner, b + drawn.order - inner) for a, b in _runs(small[:, i], drawn.rows)]
                runs = [(a, b) for a, b in runs if _gone(tracks, i, a, b) > MOVES_M and not told[a : b + 1, i].any()]
                for a, b in runs:
                    told[a : b + 1, i] = True
                if runs:
                    size_m = max(_gone(tracks, i, a, b) for a, b in runs)
                    faults.append(LabelFault(kind, (list(tracks)[i],), tuple(runs), size_m))
    return faults


def find_without_range(tracks: Tracks) -> list[LabelFault]:
    """Markers that hardly move along an axis along which half of all do, as one column in metres among millimetres."""
    ranges = np.fmax.reduce(tracks.points, axis=0) - np.fmin.reduce(tracks.points, axis=0)
    usual = median_of_known(ranges)
    faults = []
    for i, axis in np.argwhere((ranges < NO_RANGE * usual) & (usual > 2 * MOVES_M)).tolist():
        seen = np.flatnonzero(tracks.known[:, i])
        if ranges[i].max() > MOVES_M and 2 * len(seen) > len(tracks.points):
            frames = ((int(seen[0]), int(seen[-1])),)
            faults.append(LabelFault(f"held_{'xyz'[axis]}", (list(tracks)[i],), frames, float(ranges[i].max())))
    return faults


def find_copied(tracks: Tracks) -> list[LabelFault]:
    """Markers whose gap was filled with another's movement: of both that one which bends more where that begins."""
    bends = np.diff(tracks.points, 2, axis=0)
    labels, found = list(tracks), dict[str, list[tuple[int, int, float]]]()
    for a, b in _alike(bends):
        same: Mask = np.asarray(
            norm(bends[:, a] - bends[:, b]) < SAME * np.minimum(norm(bends[:, a]), norm(bends[:, b]))
        )
        for first, last in _runs(same, COPIED_FRAMES) if same.mean() <= FEW else ():
            kinks = [float(np.hypot(_kink(bends[:, i], first - 1), _kink(bends[:, i], last + 1))) for i in (a, b)]
            if max(kinks) > 2 * min(kinks) and _gone(tracks, a, first, last + 2) > MOVES_M:
                found.setdefault(labels[(a, b)[int(np.argmax(kinks))]], []).append((first + 1, last + 1, max(kinks)))
    return [
        LabelFault("copied", (label,), tuple((a, b) for a, b, _ in of), max(kink for _, _, kink in of))
        for label, of in found.items()
    ]


def _alike(bends: Array) -> Iterator[tuple[int, int]]:
    """Pairs of markers that bend alike in two of the rows that each long run has."""
    some = bends[:: COPIED_FRAMES // 2]
    for a in range(some.shape[1] - 1):
        off = norm(some[:, a + 1 :] - some[:, a, None]) < SAME * norm(some[:, a])[:, None]
        yield from ((a, a + 1 + int(k)) for k in np.flatnonzero((off[1:] & off[:-1]).any(axis=0)))


def _kink(bend: Array, row: int) -> float:
    """By how much a second difference stands out of those beside it, m; 0 where it is not known."""
    if not 0 <= row < len(bend):
        return 0.0
    beside = np.concatenate([bend[max(row - 3, 0) : row], bend[row + 1 : row + 4]])
    return float(np.nan_to_num(np.linalg.norm(bend[row] - beside.mean(axis=0))))


def find_kinked(tracks: Tracks, found: Innovations, rate_hz: float) -> list[LabelFault]:
    """Markers of smoothed trials that are cut at both ends of a stretch: filled in, or changed, after smoothing.

    Where a track is cut, the innovations made of frames on both sides of it are large, `SPAN` on end at most and of
    this marker alone; between both cuts and beside them they are as small as elsewhere.
    """
    smooth = np.flatnonzero(found.noise_m < SMOOTHED_M)
    times = np.sqrt((found.rows[:, smooth] ** 2).sum(axis=2) / found.variance[smooth])
    sharp = times > KINK
    sharp &= (sharp.sum(axis=1) == 1)[:, None]
    faults = []
    for k in np.flatnonzero(sharp.any(axis=0)):
        bursts = [(int(r[0]), int(r[-1])) for r in _bursts(np.flatnonzero(times[:, k] > KINK / 4))]
        frames = []
        for (a, b), (c, d) in zip(bursts[:-1], bursts[1:], strict=True):
            short = b - a < SPAN and d - c < SPAN and c - b > 1 and d - a < LONGEST_S * rate_hz
            if short and sharp[a : b + 1, k].any() and sharp[c : d + 1, k].any():
                frames.append((a, c - 1))
        i = int(smooth[k])
        runs = tuple((a, b) for a, b in frames if _gone(tracks, i, a, b) > MOVES_M)
        if runs:
            size_m = max(_gone(tracks, i, a, b) for a, b in runs)
            faults.append(LabelFault("kinked", (list(tracks)[i],), runs, size_m))
    return faults


def _bursts(rows: IntArray) -> list[IntArray]:
    """Rows by the runs that they make, with no more than two rows between them."""
    return np.split(rows, np.flatnonzero(np.diff(rows) > 3) + 1) if len(rows) else []


def _runs(mask: Mask, shortest: int) -> tuple[tuple[int, int], ...]:
    """First and last of each run of true values that is so long."""
    return tuple((first, stop - 1) for first, stop in spans(mask) if stop - first >= shortest)


def _gone(tracks: Tracks, i: int, first: int, last: int) -> float:
    """How far a marker moves in some frames, m."""
    with np.errstate(invalid="ignore"):
        return float(np.nan_to_num(np.ptp(tracks.points[first : last + 1, i], axis=0)).max())
