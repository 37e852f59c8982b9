"""The floor that the feet stand on lies level with the plates: cameras whose vertical leans show a slope.

A foot that stands has its markers as high over the floor in one step as in the next, also beside the plates. Against
the plates' surface these heights rise by -0.5 to +0.4 degrees along the way on 12 walks of the shared trials that are
longer than 2 m. Three degrees put a twentieth of the vertical force into the horizontal one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.fault import Fault
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import one_plane
from gaitid.ground.stance import Stance
from gaitid.notes import note
from gaitid.numerics.masks import known_part
from gaitid.numerics.statistics import mean, median, median_of_known
from gaitid.trial import Array

# s that a foot stands; m of way; heights; degrees: a doubt, and what is no floor of one slope any more; the least share
# of its own error that a slope must be.
STANDS, WAY, FEWEST, LEANS, STEEP, SURE = 0.15, 2.0, 8, 1.5, 10.0, 5.0


def level_faults(ground: Ground, rate_hz: float) -> Iterator[Fault]:
    """That standing feet lie on a plane that leans against the plates."""
    if not ground.plates or not one_plane(ground.plates):
        return
    normal_g = ground.plates[0].normal_g
    by_marker = [
        places
        for side, foot in ground.feet.items()
        for places in _standing_places(foot, ground.stances[side], STANDS * rate_hz)
    ]
    if sum(map(len, by_marker)) < FEWEST:
        return
    places = np.concatenate(by_marker)
    flat = places - mean(places)
    flat -= np.outer(flat @ normal_g, normal_g)
    way = flat @ np.linalg.eigh(flat.T @ flat)[1][:, -1]
    if way.max() - way.min() < WAY:
        return
    # each marker has a height of its own: one slope for all, and an offset for each
    height = places @ normal_g
    ahead, above = way.copy(), height.copy()
    ends = np.cumsum([0, *map(len, by_marker)]).tolist()
    for start, stop in pairwise(ends):
        if stop > start:
            ahead[start:stop] -= mean(way[start:stop])
            above[start:stop] -= mean(height[start:stop])
    rise = float(ahead @ above) / max(float(ahead @ ahead), 1e-12)
    left = above - rise * ahead
    error = float(np.sqrt(left @ left / len(left)) / np.sqrt(way @ way))
    slope, error_deg = float(np.degrees(np.arctan(abs(rise)))), float(np.degrees(error))
    if LEANS < slope < STEEP and slope > SURE * error_deg:
        numbers = tuple(plate.number for plate in ground.plates)
        yield Fault(note("plate_doubtful/slope", plates=numbers, deg=slope, share=np.sin(np.radians(slope))))


def _standing_places(foot: FootTrack, stance: Stance, least: float) -> tuple[Array, Array]:
    """(stances, 3) medians of heel and of toe in the middle of each stance of so many frames at least; where seen."""
    points = np.stack([foot.heel_g, foot.toe_g], axis=1)
    places = [np.empty((0, 2, 3))]
    for first, stop in stance.stood:
        if stop - first >= least:
            quarter = (stop - first) // 4
            middle = points[first + quarter : stop - quarter]
            places.append((median(middle) if np.isfinite(middle).all() else median_of_known(middle))[None])
    both = np.concatenate(places)
    return known_part(both[:, 0]), known_part(both[:, 1])
