"""When the body's weight goes from one foot to the other on a plate that carries both, by how the pressure moves."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import numpy as np

from gaitid.numerics.masks import spans
from gaitid.trial import Array, Mask

# 1/s. The centre of pressure of two feet lies between theirs, by the share that each carries: while weight goes over,
# it runs at the rate of that share times the distance between the feet. Under one foot it rolls at 0.1 to 1.1 m/s: in a
# second 0.2 to 2.3 of the 0.33 to 0.6 m between the pressures of two feet.
GOES_OVER = 2.0
# Of the way between the feet, that part at least is run through at that rate: else the weight went over more slowly,
# and its end cannot be told.
WHOLE_WAY = 0.8
# m. Between feet nearer to each other the pressure tells nothing.
LEAST_WAY = 0.1


def told_by_pressure(
    touching: Mapping[str, Mask], pressure_g: Array, floor_g: Array, rate_hz: float
) -> tuple[dict[str, Mask], Mask]:
    """Of the frames in which two feet may both touch a plate, those in which both do, by how the pressure moves.

    Markers and events tell to some hundredths of a second when a foot lands and leaves. Where one foot is alone on the
    plate before, and the other alone after, the pressure is at rest under the one, runs, and is at rest under the
    other: both carry something only while it runs (the pattern by which Roerdink et al. 2008, J Biomech 41:2628-2632,
    find strikes and offs on one belt).

    Parameters
    ----------
    touching : mapping of side to (frames,) bool array
        The frames in which a foot touches the plate, or may.
    pressure_g : (frames, 3) array, m
        Centre of pressure of the plate.
    floor_g : (3,) array, m/s
        Velocity of the ground.
    rate_hz : float

    Returns
    -------
    dict of side to (frames,) bool array
        `touching` without the frames before the pressure runs, of the foot that lands, and after, of the one that
        leaves.
    (frames,) bool array
        The frames in which it runs, but those at an end of the span in which both may touch: they may touch beyond it.
    """
    result = {side: mask.copy() for side, mask in touching.items()}
    told = np.zeros(len(pressure_g), dtype=bool)
    on_ground = pressure_g - np.arange(len(pressure_g))[:, None] / rate_hz * floor_g
    for leaves, lands in permutations(touching, 2):
        both = touching[leaves] & touching[lands]
        for first, stop in spans(both):
            if not (first > 0 and stop < len(both) and touching[leaves][first - 1] and touching[lands][stop]):
                continue
            running = _running(on_ground[first - 1 : stop + 1], rate_hz)
            if running is None:
                continue
            begins, ends = first + running[0], first + running[1]
            result[lands][first:begins] = False
            result[leaves][ends + 1 : stop] = False
            told[max(begins, first + 1) : min(ends + 1, stop - 1)] = True
    return result, told


def _running(pressure_g: Array, rate_hz: float) -> tuple[int, int] | None:
    """First and last of the inner frames in which the pressure runs, or is not known; None where it does not tell.

    `pressure_g`, (frames + 2, 3) on the ground, begins with the last frame of the one foot and ends with the first of
    the other.
    """
    way = pressure_g[-1] - pressure_g[0]
    distance = float(np.linalg.norm(way))
    if not distance > LEAST_WAY:
        return None
    along = pressure_g @ way / distance**2
    rate = (along[2:] - along[:-2]) * rate_hz / 2
    runs = np.flatnonzero(~(np.abs(rate) <= GOES_OVER))
    if not len(runs):
        return None
    first, last = int(runs[0]), int(runs[-1])
    return (first, last) if along[last + 2] - along[first] >= WHOLE_WAY else None
