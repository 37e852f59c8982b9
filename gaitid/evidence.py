"""Whether plates carried the whole of one contact of one foot, and how sure that is.

Every limit was set with the clean stances of the shared trials in view, at about twice what they show: the pressure
lies within 0.044 m of the line of the foot (0.069 m on stairs whose plates were not zeroed) and at 0.11 to 1.17 of the
way from heel to toe, the plates carry 0.86 to 1.01 of body weight while the other foot is in the air, and the
lower foot marker is 0.020 to 0.040 m above the surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaitid.dynamics.wrench import Wrench, centre_of_pressure
from gaitid.model import specs
from gaitid.plates import PlateLoad
from gaitid.signals import known_rows, median
from gaitid.stance import FootTrack, Stance
from gaitid.trial import Array, Mask

# Where the sole ends: at the heel marker, which stands behind it; beyond the toe marker, which stands on the second
# metatarsal head, by a share of the heel-toe distance; and to either side, m.
TOE_SHARE, HALF_WIDTH = 0.30, 0.045
# m. How far the toe marker may lie beyond a plate, along the foot, before the toe counts as beside it: the ball of the
# foot may still press there. The heel's marker may not, nor either across the foot: half of what presses is beyond.
TOE_TOLERANCE = 0.03
# m, and shares of the heel-toe distance. Pressure beyond these is not this foot's.
PRESSURE_ASIDE, PRESSURE_BACK, PRESSURE_FRONT = 0.08, -0.15, 1.45
# Share of the loaded frames with such pressure beyond which the whole contact is unknown.
MISPLACED_SHARE = 0.15
# Of the heel-toe distance. Pressure that goes back by this from the first to the last third of a stance, on a foot that
# moves forward, says that the corners of the plate are in another order.
BACKWARD = -0.1
# Of body weight, mean over a third of single support: the shared stances carry 0.8 and more. Less is a part of a foot
# or a subject with a stick; a foot that may reach over an edge is known only if it carries at least the second.
LIGHT, CARRIES = 0.6, 0.65
# m. A sole nearer than this to an edge may be over it.
NEAR_EDGE = 0.03
# m. How far the sole's outline may reach over a plate's side or back edge: it is a guess of a shoe.
SOLE_TOLERANCE = 0.01
# m. The lower of heel and toe marker above the surface, median of a stance.
LOWEST, LOW = -0.02, 0.12
# m. Surfaces that differ by less than this in height are one floor; by less than the second, one plane.
STEP, FLUSH = 0.05, 0.01
# N. A plate that reads more while it is empty makes a contact less sure.
BIAS_DOUBT = 5.0

METHOD = "plate force, foot over plate, pressure under foot"


@dataclass(frozen=True)
class Verdict:
    """What the evidence says of one contact.

    Attributes
    ----------
    known : bool
    peak_vertical_N : float
    confidence : float
        0 to 1.
    reason : str
    misplaced : (frames of the contact,) bool array
        Frames of a known contact in which the load is not this foot's alone.
    """

    known: bool
    peak_vertical_N: float
    confidence: float
    reason: str
    misplaced: Mask


def margins(plate: PlateLoad, point_g: Array) -> Array:
    """(frames, 2) distances, m, from a point to the nearer edge along the plate's x and y; negative outside."""
    local = (point_g - plate.centre_g) @ plate.R_gp
    return np.asarray(plate.half - np.abs(local[:, :2]))


def margin(plate: PlateLoad, point_g: Array) -> Array:
    """(frames,) the smaller of both."""
    return np.asarray(margins(plate, point_g).min(axis=1))


def pressure_on_foot(cop_g: Array, foot: FootTrack, normal_g: Array) -> tuple[Array, Array]:
    """Where the pressure lies on a foot, seen along a plate's normal.

    Returns
    -------
    aside : (frames,) array, m
        From the line through heel and toe.
    along : (frames,) array
        0 at the heel marker, 1 at the toe marker.
    """
    flat = np.eye(3) - np.outer(normal_g, normal_g)
    line = (foot.toe_g - foot.heel_g) @ flat
    to_cop = (cop_g - foot.heel_g) @ flat
    with np.errstate(invalid="ignore", divide="ignore"):
        along = np.einsum("ij,ij->i", to_cop, line) / np.einsum("ij,ij->i", line, line)
    return np.asarray(np.linalg.norm(to_cop - along[:, None] * line, axis=1)), along


def distance_from_foot(cop_g: Array, foot: FootTrack, normal_g: Array) -> Array:
    """(frames,) distance, m, from the pressure to the line of the sole, from its back to its front."""
    flat = np.eye(3) - np.outer(normal_g, normal_g)
    line = (foot.toe_g - foot.heel_g) @ flat
    _, along = pressure_on_foot(cop_g, foot, normal_g)
    nearest = np.clip(along, -0.1, 1 + TOE_SHARE)[:, None] * line
    return np.asarray(np.linalg.norm((cop_g - foot.heel_g) @ flat - nearest, axis=1))


def total_wrench(plates: Sequence[PlateLoad]) -> Wrench:
    """Sum of several plates' loads, about the laboratory's origin."""
    total = plates[0].wrench.at(np.zeros(3))
    for plate in plates[1:]:
        total = total.plus(plate.wrench.at(np.zeros(3)))
    return total


def one_plane(plates: Sequence[PlateLoad]) -> bool:
    """Whether the surfaces of several plates lie in one plane, so that one centre of pressure is that of their sum."""
    first = plates[0]
    return all(
        abs((p.centre_g - first.centre_g) @ first.normal_g) < FLUSH and p.normal_g @ first.normal_g > 0.999
        for p in plates[1:]
    )


def sole(foot: FootTrack, normal_g: Array) -> list[Array]:
    """Four corners of the sole's outline, each (frames, 3), m."""
    flat = np.eye(3) - np.outer(normal_g, normal_g)
    line = (foot.toe_g - foot.heel_g) @ flat
    length = np.linalg.norm(line, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        forward = line / length
    across = np.cross(normal_g, forward) * HALF_WIDTH
    back, front = foot.heel_g, foot.toe_g + TOE_SHARE * line
    return [back + across, back - across, front + across, front - across]


def judge(
    foot: FootTrack,
    stance: Stance,
    other_airborne: Mask,
    plates: Sequence[PlateLoad],
    all_plates: Sequence[PlateLoad],
    first: int,
    last: int,
    both: Mask,
    near: int,
    weight_N: float,
    settings: specs.Settings,
) -> Verdict:
    """Weigh the evidence of one contact.

    Parameters
    ----------
    foot : FootTrack
    stance : Stance
    other_airborne : (frames,) bool array
        Where the other foot surely flies.
    plates : sequence of PlateLoad
        Those that carry the contact.
    all_plates : sequence of PlateLoad
    first, last : int
        Frames of the contact, both included.
    both : (frames of the contact,) bool array
        Where the other foot may stand on one of the plates too.
    near : int
        Frames by which a force may begin or end beside the foot's own landing and leaving.
    weight_N : float
        Of the body; NaN where unknown.
    settings : Settings
    """
    frames = slice(first, last + 1)
    n = last + 1 - first
    vertical = np.sum([plate.vertical[frames] for plate in plates], axis=0)
    peak = float(np.fmax.reduce(vertical))
    name = "plate " + "+".join(str(number) for number in sorted(p.number for p in plates))
    nothing = np.zeros(n, dtype=bool)
    doubts: list[tuple[float, str]] = []

    def unknown(reason: str) -> Verdict:
        return Verdict(False, np.nan, 0.0, f"{name}: {reason}", nothing)

    heel, toe = foot.heel_g[frames], foot.toe_g[frames]
    seen = known_rows(heel) & known_rows(toe)
    pressing = vertical > 0.5 * peak
    if (pressing & stance.standing[frames]).any():
        pressing &= stance.standing[frames]  # where the foot itself stands, not the other one
    if not (seen & pressing).any():
        return unknown("the foot's markers are missing")
    if not seen.all():
        doubts.append((0.8, "foot markers are missing in part"))
    if both.mean() > 0.1:
        return unknown("both feet stand on it, or may")
    pressing &= seen
    here = FootTrack(heel[pressing], toe[pressing])
    surface, normal = plates[0].centre_g, plates[0].normal_g

    height = float(median(np.minimum((here.heel_g - surface) @ normal, (here.toe_g - surface) @ normal)))
    if not LOWEST < height < LOW and one_plane(plates):
        way = "above" if height > 0 else "below"
        return unknown(f"the foot's markers are {abs(height) * 100:.0f} cm {way} its surface")

    beside, over = _beyond_edges(here, plates, all_plates)
    if beside:
        return unknown(" and ".join(beside))
    doubts += [(weight, words) for weight, words, _ in over]

    early, late = stance.beyond(first, last)
    # A force that begins or ends while the foot stands still: part of the foot stands elsewhere.
    if first > near and early > near:
        return unknown(f"the foot stood {early} frames before the plate was loaded")
    if last < len(foot.heel_g) - 1 - near and late > near:
        return unknown(f"the foot stood {late} frames after the plate was unloaded")

    misplaced = nothing
    if one_plane(plates):
        cop, _ = centre_of_pressure(total_wrench(plates), surface, normal)
        aside, along = (values[frames] for values in pressure_on_foot(cop, foot, normal))
        # a small force with the plate's noise and bias on it has its centre anywhere
        sure = vertical > max(settings.contact_threshold_N, *(_smallest_sure(p) for p in plates))
        with np.errstate(invalid="ignore"):
            misplaced = sure & ((aside > PRESSURE_ASIDE) | (along < PRESSURE_BACK) | (along > PRESSURE_FRONT))
        if misplaced.sum() > MISPLACED_SHARE * max(sure.sum(), 1):
            away = float(median(aside[sure & np.isfinite(aside)]))
            return unknown(f"its pressure is not under the foot ({away * 100:.0f} cm aside); check the plate's corners")
        if misplaced.any():
            doubts.append(
                (0.8, f"in {misplaced.sum()} frames the pressure is not under the foot, and the load unknown")
            )
        thirds = along[pressing & np.isfinite(along)]
        k = len(thirds) // 3
        if k and thirds[-k:].mean() - thirds[:k].mean() < BACKWARD and _moves_forward(foot, first, last, near):
            return unknown("its pressure runs from toe to heel; check the order of the plate's corners")

    lightest = _lightest_third(vertical, other_airborne[frames], weight_N, near)
    carried = f"it carries as little as {lightest:.0%} of body weight in single support"
    if any(reach > 0 for _, _, reach in over) and not lightest >= CARRIES:
        return unknown(f"{over[0][1]}, and {carried if np.isfinite(lightest) else 'no single support tells more'}")
    if lightest < CARRIES and _clearance(here, plates) < NEAR_EDGE:
        return unknown(f"the foot stands at its edge, and {carried}")
    if lightest < LIGHT:
        doubts.append((0.5, carried))
    bias = max((float(np.linalg.norm(p.bias_g)) for p in plates if np.isfinite(p.bias_g).all()), default=0.0)
    if bias > BIAS_DOUBT:
        doubts.append((0.9, f"a plate reads {bias:.0f} N while it is empty"))
    if first == 0 or last == len(foot.heel_g) - 1:
        doubts.append((0.9, "the contact is cut by the end of the trial"))
    confidence = float(np.prod([weight for weight, _ in doubts])) if doubts else 1.0
    return Verdict(True, peak, round(0.99 * confidence, 2), "; ".join(words for _, words in doubts), misplaced)


def _lightest_third(vertical: Array, other_airborne: Mask, weight_N: float, near: int) -> float:
    """Least mean vertical force over a third of single support, in body weights; NaN where too short to tell."""
    single = np.flatnonzero(other_airborne)
    if len(single) < near or not weight_N > 0:
        return float("nan")
    return min(float(vertical[part].mean()) for part in np.array_split(single, 3)) / weight_N


def _smallest_sure(plate: PlateLoad) -> float:
    """N. Vertical force from which on the centre of pressure means something."""
    noise = plate.noise_N if np.isfinite(plate.noise_N) else 0.0
    bias = float(np.linalg.norm(plate.bias_g)) if np.isfinite(plate.bias_g).all() else 0.0
    return max(5 * noise, 4 * bias)


def _beyond_edges(
    foot: FootTrack, plates: Sequence[PlateLoad], all_plates: Sequence[PlateLoad]
) -> tuple[list[str], list[tuple[float, str, float]]]:
    """Parts of a pressing foot that lie beside its plates; parts that may, with a doubt and how far, m."""
    beside: list[str] = []
    over: list[tuple[float, str, float]] = []
    for part, point in (("heel", foot.heel_g), ("toe", foot.toe_g)):
        along, across = _inside(foot, plates, point)
        if (along < 0 or across < 0) and _overhangs(plates, all_plates, point):
            reach = -min(along, across) * 100
            over.append((0.7, f"the {part} marker lies {reach:.1f} cm over the edge of a step", 0.0))
        elif along < (-TOE_TOLERANCE if part == "toe" else 0.0) or across < 0.0:
            beside.append(f"the {part} is {max(-along, -across) * 100:.1f} cm beside it")
        elif along < 0:
            over.append((0.7, f"the {part} marker lies {-along * 100:.1f} cm over the edge", np.inf))
    if beside or over:
        return beside, over
    corners = sole(foot, plates[0].normal_g)
    reaches = [_inside(foot, plates, corner) for corner in corners]
    sideways, behind = -min(across for _, across in reaches), -min(along for along, _ in reaches[:2])
    ahead = -min(along for along, _ in reaches[2:])
    if max(sideways, behind, ahead) > 0 and not _overhangs(plates, all_plates, foot.toe_g):
        if max(sideways, behind) > SOLE_TOLERANCE:
            beside.append(f"the sole may reach {max(sideways, behind) * 100:.1f} cm over its edge")
        else:
            reach = max(sideways, behind, ahead)
            over.append((0.7, f"the sole may reach {reach * 100:.1f} cm over the edge", reach))
    return beside, over


def _clearance(foot: FootTrack, plates: Sequence[PlateLoad]) -> float:
    """Least distance, m, from the sole to an edge of the plates that it stands on; negative over it."""
    corners = sole(foot, plates[0].normal_g)
    return min(min(_inside(foot, plates, corner)) for corner in corners)


def _inside(foot: FootTrack, plates: Sequence[PlateLoad], point: Array) -> tuple[float, float]:
    """Least distances, m, from a point of a foot to the edges of the plates, along and across it; negative outside."""
    line = (foot.toe_g - foot.heel_g).mean(axis=0)
    # the point lies on whichever of the plates it lies on best
    best = np.full((len(point), 2), -np.inf)
    for plate in plates:
        both_ways = margins(plate, point)
        if abs(line @ plate.R_gp[:, 0]) < abs(line @ plate.R_gp[:, 1]):
            both_ways = both_ways[:, ::-1]
        better = both_ways.min(axis=1) > best.min(axis=1)
        best[better] = both_ways[better]
    along, across = best.min(axis=0)
    return float(along), float(across)


def _overhangs(plates: Sequence[PlateLoad], all_plates: Sequence[PlateLoad], part_g: Array) -> bool:
    """Whether what lies beyond a plate's edge hangs over lower ground, as on a stair: then nothing else carries it.

    The plate is higher than the lowest one, and no other plate of its height lies under the part.
    """
    height = max(plate.height_above_lowest for plate in plates)
    if height < STEP:
        return False
    level = [p for p in all_plates if p not in plates and abs(p.height_above_lowest - height) < STEP]
    return not any((margin(p, part_g) > 0).any() for p in level)


def _moves_forward(foot: FootTrack, first: int, last: int, near: int) -> bool:
    """Whether the foot comes from behind and leaves to the front, by its heel a while before and after the contact."""
    before, after = max(first - 3 * near, 0), min(last + 3 * near, len(foot.heel_g) - 1)
    moved = foot.heel_g[after] - foot.heel_g[before]
    line = np.where(np.isfinite(foot.heel_g), foot.toe_g - foot.heel_g, np.nan)[first : last + 1]
    line = line[known_rows(line)]
    return bool(len(line) and moved @ line.mean(axis=0) > 0)
