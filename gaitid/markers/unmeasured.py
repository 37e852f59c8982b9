"""Numbers that no camera measured: repeated, held, drawn by a program or copied from another marker, to the last digit.

Noise is all that high differences of a measured track show. Where they are no more than rounding for a while, and more
elsewhere, somebody made the numbers; all of these are pure checks, and a trial that is coarse in itself has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gaitid.markers.faults import LabelFault
from gaitid.markers.jumps import JUMP_TIMES_COARSE
from gaitid.markers.tracks import Tracks, noise_of, tracks_of
from gaitid.numerics.masks import by_blocks, largest_column, median_of_known, quantile_of_known, spans
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask


class Drawn(NamedTuple):
    """A difference that is nothing but rounding for a while.

    Attributes
    ----------
    kind : str
    order : int
        Of the difference.
    rows : int
        So many on end.
    digits : float
        Of the file (32 bits), at most: rounding moves a difference of order n by 2ⁿ⁻¹ digits.
    share : float
        Or that share of the same difference elsewhere, where the digits are less than `FINE` of it.
    """

    kind: str
    order: int
    rows: int
    digits: float
    share: float


# A line, and a polynomial of the fifth degree at most, as programs' splines are. In 47 recordings a line goes on for
# one row, in 36 moving trials of 20 laboratories a polynomial for two.
DRAWN = (Drawn("straight", 2, 6, 4.0, 0.0), Drawn("splined", 6, 5, 60.0, 0.01))
# Share of that difference elsewhere up to which digits tell something; s that a polynomial lasts, at least.
FINE, DRAWN_S = 0.1, 0.05
# Times its noise up to which noise is all that a marker's sixth difference shows, so that a polynomial stands out:
# three times what white noise makes, √924 times 1.26 (the median of the largest of three). The ratio of eighth and
# sixth differences is 3.7 for that; in 14 recordings with more than 0.005 mm of noise it is 1.9 at least, in smooth
# simulated walks and runs from 50 Hz on 1.1 at most, where this asks for 1.2.
NOISY = 115.0
# Share of the markers, or of a marker's frames, that may be so: else the recording is a made one, or all rest.
FEW = 0.5
# m. A marker that moves by less meanwhile is at rest.
MOVES_M = 0.01
# Frames on end in which one coordinate is the same: markers of 62 recordings of 25 laboratories have 5 at most (whole
# tenths of a millimetre). Or of the range that half of the markers have, of twice `MOVES_M` and more: a marker of 49
# moving recordings has 0.048 at least (a toe that stands while the other knee moves), one in metres among millimetres
# 0.001.
HELD_FRAMES, NO_RANGE = 10, 0.01
# Frames of one position, and m, the jump beside them. A marker at rest in an integer file repeats itself too, but does
# not jump. Or frames in which it stays while its nearest one goes away by so much, m.
FROZEN_FRAMES, FROZEN_M, LEFT_FRAMES, LEFT_M = 3, 0.005, 10, 0.05
# Two markers bend alike within that share, in so many frames on end: in 26 recordings and simulated walks of 15
# laboratories in 5 at most with twice that share (the condyles of one knee). Times the donor's the kinks of a copy.
SAME, COPIED_FRAMES, KINKED = 0.01, 8, 2.0
# m/s by which a quarter of the markers move beside a frame that all repeat (who stands sways by 0.01); steps of the
# file's resolution that they go there; markers that must be seen.
MOVING_M_PER_S, QUANTA, FEWEST_SEEN = 0.2, 3.0, 3


def find_repeated(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Whole camera frames that repeat the one before while the body goes on."""
    tracks = tracks_of(markers)
    if len(tracks) < FEWEST_SEEN or not tracks.still.any():
        return []
    seen, points = tracks.known, tracks.points
    known = seen[1:] & seen[:-1]
    whole: Mask = np.asarray(((tracks.still == known) & (seen[1:] == seen[:-1])).all(axis=1))
    whole &= known.sum(axis=1) >= FEWEST_SEEN
    if not whole.any():
        return []
    quantum, found = float(by_blocks(_least_step, points, 1).min()), []
    for first, stop in spans(whole):  # steps first … stop − 1, so frames first + 1 … stop repeat frame `first`
        before, after = max(first - 1, 0), min(stop + 1, len(points) - 1)
        far = float(quantile_of_known(norm(points[after] - points[before]), 0.75))
        if far > max(QUANTA * quantum, MOVING_M_PER_S * (after - before) / rate_hz):
            found.append((first + 1, stop))
    return [LabelFault("repeated", tuple(tracks), tuple(found), 0.0)] if found else []


def _least_step(points: Array) -> Array:
    """(frames − 1,) the least that any coordinate changes by, of those that change at all, m."""
    sizes = np.abs(np.diff(points, axis=0))
    return np.asarray(np.where(np.isfinite(sizes) & (sizes > 0), sizes, np.inf).min(axis=(1, 2)))


def find_same(markers: Mapping[str, Array]) -> list[LabelFault]:
    """Pairs of labels with the same coordinates to the last digit: one of them is a copy."""
    tracks, first, faults = tracks_of(markers), dict[tuple[int, bytes], str](), []
    for i, (label, points) in enumerate(tracks.items()):
        seen = range(len(points)) if tracks.whole else np.flatnonzero(tracks.known[:, i])
        if not len(seen):
            continue
        middle = int(seen[len(seen) // 2])
        twin = first.setdefault((middle, points[middle].tobytes()), label)
        if twin != label and (frames := _runs(np.asarray((points == markers[twin]).all(axis=1)), FROZEN_FRAMES)):
            faults.append(LabelFault("same", (twin, label), frames, 0.0))
    return faults


def find_frozen(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Markers that repeat one position for three frames or more and jump there or away from it, or are left behind."""
    tracks, faults = tracks_of(markers), []
    limit = max(FROZEN_M, JUMP_TIMES_COARSE * tracks.coarse)
    for i in np.flatnonzero(tracks.still.any(axis=0)).tolist():
        excess, label = tracks.excess[:, i], list(tracks)[i]
        for first, last in _runs(tracks.still[:, i], FROZEN_FRAMES - 1):  # steps, so frames first … last + 1
            beside = [excess[k] for k in (first - 1, last + 1) if 0 <= k < len(excess) and np.isfinite(excess[k])]
            size = max(beside, default=0.0)
            if size <= limit and last - first + 2 >= LEFT_FRAMES:
                size = _left_behind(tracks, i, first, last + 1)
                size *= size > LEFT_M
            if size > limit:
                faults.append(LabelFault("frozen", (label,), ((first, last + 1),), float(size)))
    return faults


def _left_behind(tracks: Tracks, i: int, first: int, last: int) -> float:
    """By how much the distance from a marker that stands still to its nearest one changes meanwhile, m."""
    away = norm(np.delete(tracks.points[first : last + 1], i, axis=1) - tracks.points[first, i])
    known = [of[np.isfinite(of)] for of in away.T if np.isfinite(of).sum() >= 2]
    return float(np.ptp(min(known, key=lambda of: of.min()))) if known else 0.0


def find_held(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Markers of which a coordinate stands still while they move."""
    tracks, faults = tracks_of(markers), dict[tuple[int, int], tuple[tuple[int, int], ...]]()
    if not tracks:
        return []
    same = tracks.same
    few = same.mean(axis=1) <= FEW
    for i, axis in np.argwhere(same.sum(axis=0) >= HELD_FRAMES - 1).tolist():
        runs = _runs(same[:, i, axis] & few[:, axis], HELD_FRAMES - 1)
        faults[i, axis] = tuple((a, b + 1) for a, b in runs if _gone(tracks, i, a, b + 1) > MOVES_M)
    least, greatest = tracks.ends
    usual = median_of_known(greatest - least)
    for i, axis in np.argwhere((greatest - least < NO_RANGE * usual) & (usual > 2 * MOVES_M)).tolist():
        seen = np.flatnonzero(tracks.known[:, i])
        if (greatest - least)[i].max() > MOVES_M and 2 * len(seen) > len(tracks.points):
            faults[i, axis] = ((int(seen[0]), int(seen[-1])),)
    return [
        LabelFault(f"held_{'xyz'[axis]}", (list(tracks)[i],), runs, max(_gone(tracks, i, a, b) for a, b in runs))
        for (i, axis), runs in sorted(faults.items())
        if runs
    ]


def find_drawn(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Markers that follow a line or a polynomial to the last digit of the file for a while, as filled gaps do."""
    tracks, faults = tracks_of(markers), list[LabelFault]()
    taken: Mask = np.zeros((len(tracks.points), len(tracks)), dtype=bool)
    for kind, order, least_rows, digits, share in DRAWN:
        rows = max(least_rows, round(DRAWN_S * rate_hz)) if order > 2 else least_rows
        if not tracks or len(tracks.points) <= 2 * (rows + order):
            continue
        usual, small = np.empty(len(tracks)), np.empty((len(tracks.points) - order, len(tracks)), dtype=bool)
        for i in range(len(tracks)):  # of all markers at once it would take as much memory as their places do
            sizes = largest_column(np.abs(np.diff(tracks.points[:, i], order, axis=0)))
            usual[i], digit = quantile_of_known(sizes, 0.5), digits * tracks.digit[i]
            small[:, i] = sizes <= (max(share * usual[i], digit) if digit < FINE * usual[i] else -1.0)
        small &= (small.mean(axis=1) <= FEW)[:, None]
        for i in np.flatnonzero(small.sum(axis=0) >= rows).tolist():
            if order > 2 and usual[i] > NOISY * noise_of(tracks.points[:, i]):
                continue
            # the ends of a line are what was recorded
            runs = [(a + 1, b + order - 1) for a, b in _runs(small[:, i], rows)]
            runs = [(a, b) for a, b in runs if _gone(tracks, i, a, b) > MOVES_M and not taken[a : b + 1, i].any()]
            if runs and small[:, i].mean() < FEW:
                for a, b in runs:
                    taken[a : b + 1, i] = True
                size_m = max(_gone(tracks, i, a, b) for a, b in runs)
                faults.append(LabelFault(kind, (list(tracks)[i],), tuple(runs), size_m))
    return faults


def find_copied(markers: Mapping[str, Array]) -> list[LabelFault]:
    """Markers whose gap was filled with another's movement before the file was written.

    Programs fill a gap with the displacements of a donor, bent along a line to fit at both ends. What is left of the
    donor is its acceleration, frame by frame; and at the ends, where the velocity is suddenly another marker's, the
    track has a kink. Of both it is the copy that bends more there.
    """
    tracks, found = tracks_of(markers), dict[str, list[tuple[int, int, float]]]()
    labels = list(tracks)
    for a, b in _alike(tracks) if len(tracks.points) > COPIED_FRAMES + 2 else ():
        own, other = (np.diff(tracks.points[:, i], 2, axis=0) for i in (a, b))
        same: Mask = np.asarray(norm(own - other) < SAME * np.minimum(norm(own), norm(other)))
        for first, last in _runs(same, COPIED_FRAMES) if same.mean() <= FEW else ():
            kinks = [float(np.hypot(_kink(bend, first - 1), _kink(bend, last + 1))) for bend in (own, other)]
            if max(kinks) > KINKED * min(kinks):
                found.setdefault(labels[(a, b)[int(np.argmax(kinks))]], []).append((first + 1, last + 1, max(kinks)))
    return [
        LabelFault("copied", (label,), tuple(sorted((a, b) for a, b, _ in of)), max(kink for _, _, kink in of))
        for label, of in found.items()
    ]


def _alike(tracks: Tracks) -> Iterator[tuple[int, int]]:
    """Pairs of markers that bend alike in two rows on end of those of which each long run has two."""
    every = COPIED_FRAMES // 2
    n = (len(tracks.points) - 2) // every * every
    bends = -2.0 * tracks.points[1 : 1 + n : every]
    for k in (0, 2):
        bends += tracks.points[k : k + n : every]
    for a in range(bends.shape[1] - 1):
        limit = SAME * norm(bends[:, a])[:, None]
        for b in range(a + 1, bends.shape[1], 8):  # a few at a time: of all it takes as much memory as their places
            off = norm(bends[:, b : b + 8] - bends[:, a, None]) < limit
            yield from ((a, b + k) for k in np.flatnonzero((off[1:] & off[:-1]).any(axis=0)).tolist())


def _kink(bend: Array, row: int) -> float:
    """By how much a second difference, (rows, 3), stands out of those beside it, m; 0 where it is not known."""
    if not 0 <= row < len(bend):
        return 0.0
    beside = np.concatenate([bend[max(row - 3, 0) : row], bend[row + 1 : row + 4]])
    return float(np.nan_to_num(np.linalg.norm(bend[row] - beside.mean(axis=0))))


def _runs(mask: Mask, shortest: int) -> tuple[tuple[int, int], ...]:
    """First and last of each run of true values that is so long."""
    return tuple((first, stop - 1) for first, stop in spans(mask) if stop - first >= shortest)


def _gone(tracks: Tracks, i: int, first: int, last: int) -> float:
    """How far a marker moves in some frames, m."""
    points = tracks.points[first : last + 1, i]
    return float((np.fmax.reduce(points, axis=0) - np.fmin.reduce(points, axis=0)).max())
