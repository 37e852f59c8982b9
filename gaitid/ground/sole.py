"""Where a foot's sole lies and where it must press: at the heel while its toe is up, at the ball while its heel is up.

A foot that turns about its heel or its ball has nothing else on the ground. In the clean level stances of the shared
trials the pressure then lies at 0.14 to 0.31 and at 0.86 to 1.1 of the way from heel to toe marker, whoever walks; over
a stance it stays within 2 cm of the way between these (median), along and across.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.plate_load import STEP, PlateLoad
from gaitid.ground.stance import Stance
from gaitid.numerics.masks import median, quantile, spans
from gaitid.numerics.rotation import cross, dot, norm
from gaitid.trial import Array, Mask

# Where the sole ends: at the heel marker, which stands behind it; beyond the toe marker, which stands on the second
# metatarsal head, by a share of the heel-toe distance; and to either side, m.
TOE_SHARE, HALF_WIDTH = 0.30, 0.045
# Of the heel-toe distance: how far the heel marker rises above the toe marker, or sinks below it, beyond what it does
# while the foot is flattest, when the foot is pitched; and the share of a stance's frames that are its flattest.
PITCHED, FLATTEST = 0.2, 0.2
# m. How far the sole's outline may reach over a plate's side or back edge: it is a guess of a shoe.
SOLE_TOLERANCE = 0.01
# m. Markers know the outline of a sole to 1 to 2 cm, and so pressure lies under it: by the spreads of sound recordings
# (`gaitid.faults.spread`) 0.018 across, of which this is twice.
OUTLINE = 0.035
# m². Pressure that is not a foot's lies anywhere on a plate, of 0.4 by 0.6 m.
ANYWHERE = 0.24
# m. A foot whose lower marker is outside this range above a surface does not touch it, also while it lands or leaves.
MAY_STAND = (-0.02, 0.12)
# m, about a foot's length. No farther beyond a plate's edge a marker of a foot that stands lower tells of a step there
# (a foot that comes down from the lowest plate of a stair lands 0.17 m beyond), and any may belong to one that touches
# it.
CLOSE_BEYOND = 0.25
# Where a pitched foot presses, 0 at the heel marker, 1 at the toe marker.
UNDER_HEEL, UNDER_BALL = 0.2, 1.0


def off_the_sole(cop_g: Array, foot: FootTrack, normal_g: Array) -> Array:
    """(frames,) m, how far the pressure lies beyond the outline, seen along a plate's normal; negative inside."""
    to_cop, line, along = _along_foot(cop_g, foot, normal_g)
    aside = norm(to_cop - along[:, None] * line) - HALF_WIDTH
    return np.asarray(np.maximum(aside, np.maximum(along - 1 - TOE_SHARE, -along) * norm(foot.line_g)))


def median_off(cop_g: Array, foot: FootTrack, normal_g: Array) -> float:
    """The same as the median of some frames; infinite where none tells."""
    off = off_the_sole(cop_g, foot, normal_g)
    off = off[np.isfinite(off)]
    return float(median(off)) if off.size else np.inf


def odds_of_foot(off_m: float | Array) -> Array:
    """Logarithm of the odds that pressure so far beside where a foot presses is that foot's, and not anybody's: normal
    about its outline against anywhere on a plate.
    """
    variance = (OUTLINE / 2) ** 2
    return np.asarray(np.log(ANYWHERE / (2 * np.pi * variance)) - np.maximum(off_m, 0.0) ** 2 / (2 * variance))


def _along_foot(cop_g: Array, foot: FootTrack, normal_g: Array) -> tuple[Array, Array, Array]:
    """From heel to pressure and to the ball, (frames, 3), m, seen along the normal; the share of the one in the other,
    (frames,).
    """
    line, to_cop = flat_parts(foot.line_g, normal_g), flat_parts(cop_g - foot.heel_g, normal_g)
    with np.errstate(invalid="ignore", divide="ignore"):
        return to_cop, line, dot(to_cop, line) / dot(line, line)


def flat_parts(vectors_g: Array, normal_g: Array) -> Array:
    """(…, 3) what is seen of vectors along a normal."""
    return np.asarray(vectors_g @ (np.eye(3) - normal_g[:, None] * normal_g))


def sole(foot: FootTrack, normal_g: Array) -> list[Array]:
    """Four corners of the sole's outline, each (frames, 3), m: back left, back right, front left, front right."""
    line = flat_parts(foot.line_g, normal_g)
    with np.errstate(invalid="ignore", divide="ignore"):
        forward = line / norm(line)[:, None]
    across = cross(normal_g, forward) * HALF_WIDTH
    back, front = foot.heel_g, foot.heel_g + foot.line_g + TOE_SHARE * line
    return [back + across, back - across, front + across, front - across]


def inside_edges(points_g: Array, line_g: Array, plates: Sequence[PlateLoad]) -> list[tuple[float, float]]:
    """Least distances, m, from points of a foot, (points, frames, 3), to the edges of the plates, along and across it.

    Negative outside. `line_g` runs from heel to toe.
    """
    # a point lies on whichever of the plates it lies on best
    best = along = across = np.full(points_g.shape[:-1], -np.inf)
    for plate in plates:
        ways = plate.margins(points_g)
        if abs(line_g @ plate.R_gp[:, 0]) < abs(line_g @ plate.R_gp[:, 1]):
            ways = ways[::-1]
        least = np.minimum(*ways)
        better = least > best
        best, along, across = (
            np.where(better, here, so_far) for here, so_far in ((least, best), (ways[0], along), (ways[1], across))
        )
    return list(zip(along.min(axis=1).tolist(), across.min(axis=1).tolist(), strict=True))


def lower_beyond(plate: PlateLoad, part_g: Array, lower_ground_g: Array) -> bool:
    """Whether feet stand lower close beyond the edge of a plate that a part of a foot reaches over.

    Parameters
    ----------
    plate : PlateLoad
    part_g : (frames, 3) array, m
    lower_ground_g : (n, 3) array, m
        Where markers of feet are while these stand.
    """
    low_g = lower_ground_g[plate.height(lower_ground_g) < -STEP]
    part, low = ((points_g - plate.centre_g) @ plate.R_gp[:, :2] for points_g in (part_g, low_g))
    for axis, half in enumerate(plate.half):
        across = np.abs(low[:, 1 - axis]) < plate.half[1 - axis]
        for way in (1.0, -1.0):
            beyond = way * low[:, axis] - half
            if (way * part[:, axis] > half).any() and (across & (beyond > 0) & (beyond < CLOSE_BEYOND)).any():
                return True
    return False


def rolled(foot: FootTrack, normal_g: Array) -> Array:
    """(frames,) where a foot must press, 0 at the heel marker and 1 at the toe marker, while it is pitched; else NaN.

    Parameters
    ----------
    foot : FootTrack
        During one stance. It is flattest while both markers are low: their heights then need not be equal.
    normal_g : (3,) array
        Of the surface, outward.
    """
    heel, toe = foot.heel_g @ normal_g, foot.toe_g @ normal_g
    length = norm(foot.toe_g - foot.heel_g)
    known = np.isfinite(length)
    typical = float(median(length[known])) if known.any() else 0.0
    if not typical > 0:
        return np.full(len(length), np.nan)
    height, above = heel - toe, heel + toe
    flat = known & (above <= quantile(above[known], FLATTEST))
    pitch = (height - median(height[flat])) / typical
    return np.where(pitch > PITCHED, UNDER_BALL, np.where(pitch < -PITCHED, UNDER_HEEL, np.nan))


def pressed_point(foot: FootTrack, expected: Array, longest_flat: int) -> Array:
    """Where a foot presses during a stance, seen along the normal, (frames, 3), m.

    Under heel or ball while it is pitched (`expected`, as `rolled` gives it); along a foot that is flat for at most
    `longest_flat` frames, the way is taken to go evenly in time from where it was pitched last to where it is next. NaN
    where that is not known: before it is pitched first and after it is pitched last (who walks backward lands on the
    ball and leaves from the heel), in a foot that stays flat.
    """
    known = np.flatnonzero(np.isfinite(expected))
    if not known.size:
        return np.full((len(expected), 3), np.nan)
    stays = [(a, b) for a, b in spans(np.isnan(expected)) if b - a > longest_flat]
    expected = np.interp(np.arange(len(expected)), known, expected[known], left=np.nan, right=np.nan)
    for a, b in stays:
        expected[a:b] = np.nan
    return np.asarray(foot.heel_g + expected[:, None] * foot.line_g)


def reaches_onto(plate: PlateLoad, foot: FootTrack, least: float = 0.0) -> Mask:
    """(frames,) whether any part of the sole lies more than `least` m inside a plate's edges, seen from above."""
    back_left, back_right, front_left, front_right = corners = sole(foot, plate.normal_g)
    # corners, heel, toe and the middles of the sides: no plate is so small that it would lie between them
    parts = [*corners, foot.heel_g, foot.toe_g, (foot.heel_g + foot.toe_g) / 2]
    parts += [(back_left + front_left) / 2, (back_right + front_right) / 2, (front_left + front_right) / 2]
    return np.asarray(np.logical_or.reduce(plate.margin(np.array(parts)) > least))


def may_touch(plate: PlateLoad, way: FootTrack, stance: Stance, frames: slice, least: float = SOLE_TOLERANCE) -> Mask:
    """Whether a foot that does not surely fly has a part of its sole on a plate, in each of some frames.

    Parameters
    ----------
    plate : PlateLoad
    way : FootTrack
        Where its markers are missing, the foot is taken to be on the straight way between where it was seen last and
        next (`bridged`); that counts beside frames in which it stands.
    stance : Stance
    frames : slice
    least : float, m
        How far inside the plate's edges that part lies.
    """
    here = way.during(frames)
    height = np.minimum(plate.height(here.heel_g), plate.height(here.toe_g))
    grounded = np.where(stance.unseen[frames], stance.may_stand[frames], ~stance.airborne[frames])
    level = grounded & (height > MAY_STAND[0]) & (height < MAY_STAND[1])
    return level & reaches_onto(plate, here, least) if level.any() else level
