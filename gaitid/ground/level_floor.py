"""The floor that the feet stand on lies level with the plates: cameras whose vertical leans show a slope.

A foot that stands has its markers as high over the floor in one step as in the next, also beside the plates. Against
the plates' surface these heights rise by -0.5 to +0.4 degrees along the way on 12 walks of the shared trials that are
longer than 2 m. Three degrees put a twentieth of the vertical force into the horizontal one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gaitid.ground.fault import Fault
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import one_plane
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.statistics import median
from gaitid.trial import Array

# s that a foot stands; m of way; heights; degrees: a doubt, and what is no floor of one slope any more; the least share
# of its own error that a slope must be.
STANDS, WAY, FEWEST, LEANS, STEEP, SURE = 0.15, 2.0, 8, 1.5, 10.0, 5.0
CURE = (
    "check the calibration of the cameras' axes and the plates' corners; on a ramp that begins beside them, ignore this"
)


def level_faults(ground: Ground, rate_hz: float) -> Iterator[Fault]:
    """That standing feet lie on a plane that leans against the plates."""
    if not ground.plates or not one_plane(ground.plates):
        return
    normal_g = ground.plates[0].normal_g
    places: list[Array] = []
    heights: list[float] = []
    of_marker: list[int] = []
    for i, (side, foot) in enumerate(ground.feet.items()):
        for first, stop in spans(ground.stances[side].standing):
            quarter = (stop - first) // 4
            for k, track in enumerate((foot.heel_g, foot.toe_g) if stop - first >= STANDS * rate_hz else ()):
                middle = track[first + quarter : stop - quarter]
                middle = middle[known_rows(middle)]
                if len(middle):
                    places.append(median(middle))
                    heights.append(float(places[-1] @ normal_g))
                    of_marker.append(2 * i + k)
    if len(heights) < FEWEST:
        return
    flat = np.array(places) - np.mean(places, axis=0)
    flat -= np.outer(flat @ normal_g, normal_g)
    way = flat @ np.linalg.svd(flat, full_matrices=False)[2][0]
    if np.ptp(way) < WAY:
        return
    # each marker has a height of its own (np.unique imports masked arrays: 8 ms)
    markers = np.array(of_marker)[:, None] == sorted(set(of_marker))
    A = np.column_stack([way, markers.astype(float)])
    fitted = np.linalg.lstsq(A, np.array(heights), rcond=None)[0]
    error = float(np.std(np.array(heights) - A @ fitted) / np.sqrt(way @ way))
    slope, error_deg = float(np.degrees(np.arctan(abs(fitted[0])))), float(np.degrees(error))
    if LEANS < slope < STEEP and slope > SURE * error_deg:
        numbers = tuple(plate.number for plate in ground.plates)
        text = (
            f"the floor that the feet stand on rises by {slope:.1f}° against the plates (0.5° at most elsewhere): the"
        )
        text += (
            f" vertical of the cameras leans, it seems, and {np.sin(np.radians(slope)):.2f} of the force points wrong"
        )
        yield Fault("plate_doubtful", text, numbers, False, CURE)
