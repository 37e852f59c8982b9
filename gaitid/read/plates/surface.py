"""The surface of a force plate: its four corners, its axes, and where the sensor lies below it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gaitid.errors import GaitidError
from gaitid.notes import Notes, note
from gaitid.numerics.rotation import cross, unit
from gaitid.trial import Array, ForcePlate, frozen

#: Corners of a rectangle close it, |c1 − c2 + c3 − c4| = 0, m: surveys miss by millimetres; up to the second number
#: the axes and the centre, means of all four, are off by 5 mm and 2° at most; a wrong corner misses by more.
CLOSES_M, NEARLY_CLOSES_M = 0.010, 0.020
# Surfaces that share more than this of the smaller one, at the same height to within `_LEVEL_M`, are no two plates.
_OVERLAP = 0.2
_LEVEL_M = 0.05


def closing_error(corners_g: Array) -> float:
    """|c1 − c2 + c3 − c4|, m: 0 where the corners are those of a flat rectangle (or parallelogram)."""
    return float(np.linalg.norm(corners_g[0] - corners_g[1] + corners_g[2] - corners_g[3]))


def plate_axes(plate: ForcePlate) -> tuple[Array, Array, Array]:
    """Axes (3, 3), centre (3,) and half size (2,) of a plate from its own corners.

    x runs along c1 + c4 − c2 − c3, y along c1 + c2 − c3 − c4, z = x × y into the plate (C3D corner order).

    Raises
    ------
    GaitidError
        Corners that span no rectangle.
    """
    if plate.R_gp is not None and plate.centre_g is not None and not plate.outlined:
        return plate.R_gp, plate.centre_g, np.full(2, np.inf)
    axes = _axes_of_corners(plate.corners_g.tobytes())
    if axes is None:
        raise GaitidError(
            f"plate {plate.number}: its corners are not those of a rectangle",
            expected="corners 1 to 4 in order around the plate",
        )
    return axes


@lru_cache(maxsize=64)
def _axes_of_corners(corners: bytes) -> tuple[Array, Array, Array] | None:
    """`plate_axes` of a plate with these corners; None where they span no rectangle. Asked for several times a run."""
    corners_g = np.frombuffer(corners).reshape(4, 3)
    c1, c2, c3, c4 = corners_g
    x, y = c1 + c4 - c2 - c3, c1 + c2 - c3 - c4
    length_x, length_y = np.linalg.norm(x), np.linalg.norm(y)
    if not (length_x > 0 and length_y > 0) or abs(x @ y) > 0.1 * length_x * length_y:
        return None
    z = unit(cross(x, y))
    # exactly orthogonal, whatever the rounding of the corners: z kept, x nearly so
    x = unit(x)
    y = unit(cross(z, x))
    R_gp = np.column_stack([cross(y, z), y, z])
    return frozen(R_gp), frozen(corners_g.mean(axis=0)), frozen(np.array([length_x, length_y]) / 4)


def overlap(a: Array, b: Array) -> float:
    """Share of the smaller of two surfaces, (4, 3) corners each, that the other covers; 0 where that is little.

    0 also where `b` is not level with `a`: a step lies above the floor.
    """
    x, y = a[0] - a[1], a[0] - a[3]
    x, z = unit(x), unit(cross(x, y))
    axes = np.stack([x, cross(z, x), z], axis=1)
    a_2, b_3 = ((a - a[0]) @ axes)[:, :2], (b - a[0]) @ axes
    if np.abs(b_3[:, 2]).max() > _LEVEL_M:
        return 0.0
    b_2 = b_3[:, :2]
    if (b_2.min(axis=0) >= a_2.max(axis=0)).any() or (b_2.max(axis=0) <= a_2.min(axis=0)).any():
        return 0.0  # side by side, as most plates are
    piece, clip = _counter_clockwise(b_2), _counter_clockwise(a_2)
    smaller = min(_area(piece), _area(clip))
    # Sutherland and Hodgman (1974): cut one polygon along each edge of the other
    for start, end in zip(clip, np.roll(clip, -1, axis=0), strict=True):
        edge = end - start
        inside = edge[0] * (piece[:, 1] - start[1]) - edge[1] * (piece[:, 0] - start[0])
        kept: list[Array] = []
        for i in range(len(piece)):
            j = (i + 1) % len(piece)
            if inside[i] >= 0:
                kept.append(piece[i])
            if (inside[i] >= 0) != (inside[j] >= 0):
                kept.append(piece[i] + (piece[j] - piece[i]) * inside[i] / (inside[i] - inside[j]))
        if len(kept) < 3:
            return 0.0
        piece = np.array(kept)
    share = abs(_area(piece)) / smaller
    return share if share > _OVERLAP else 0.0


def _area(polygon: Array) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _counter_clockwise(polygon: Array) -> Array:
    return polygon if _area(polygon) > 0 else polygon[::-1]


def sensor_vector(origin: Array) -> tuple[Array, Notes]:
    """From the surface's centre to the sensor, in plate axes with z down, whichever way it was stored.

    Nexus stores that vector itself (z > 0), the C3D convention the opposite one (z < 0). A sensor lies below
    the surface, so the whole vector is turned where its z is negative.
    """
    if origin[2] < 0:
        return -origin, (note("reading_info/origin_turned"),)
    return origin, ()
