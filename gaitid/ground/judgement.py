"""Whether plates carried the whole of one contact of one foot, and how sure that is.

Every limit was set with the clean stances of the shared trials in view, at about twice what they show: the pressure
lies within 0.044 m of the line of the foot (0.069 m on stairs whose plates were not zeroed) and at 0.11 to 1.17 of the
way from heel to toe, the plates carry 0.86 to 1.01 of body weight while the other foot is in the air, and the
lower foot marker is 0.020 to 0.040 m above the surface.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.dynamics.wrench import Wrench, centre_of_pressure
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.sole import UNDER_BALL, UNDER_HEEL, off_the_roll, pressure_on_foot, rolled, sole
from gaitid.ground.stance import Stance
from gaitid.model import specs
from gaitid.numerics.masks import bridged, known_rows, spans
from gaitid.numerics.statistics import median
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

# m. How far the toe marker may lie beyond a plate, along the foot, before the toe counts as beside it: the ball of the
# foot may still press there. The heel's marker stands behind what presses, by its radius and by the round of the heel.
# Across the foot neither may: half of what presses is beyond.
TOE_TOLERANCE, HEEL_TOLERANCE = 0.03, 0.035
# m, and shares of the heel-toe distance. Pressure beyond these is not this foot's; the last is for a foot whose heel is
# not up.
PRESSURE_ASIDE, PRESSURE_BACK, PRESSURE_FRONT, FLAT_FRONT = 0.08, -0.15, 1.45, 1.25
# Share of the loaded frames with such pressure beyond which the whole contact is unknown.
MISPLACED_SHARE = 0.15
# m. Pressure farther than the first from where the foot must press, as the median over the frames in which it is
# pitched (along it) or over the stance (across it), is not this foot's or the plate's corners are wrong; from the
# second on it is doubtful. Clean level stances show 0.03 and 0.02.
ROLL_OFF, ROLL_DOUBT = 0.06, 0.04
# m. What presses at the heel begins this far ahead of its marker: the marker's radius and the round of the heel.
HEEL_ROUND = 0.02
# Pressure is spread over some centimetres: near an edge that the sole reaches over, a part of it may lie beyond. It is
# near within the first, m, and half of how far the sole reaches, but no more than the second, m; the
# third where the toe marker itself is beyond.
AT_EDGE, SPREAD, SPREAD_OF_TOES = 0.025, 0.035, 0.06
# Of the greatest force: less tells too little of where it presses; and so many frames at least.
ROLL_FORCE, ROLL_FRAMES = 0.15, 3
# Of the heel-toe distance. Pressure that goes back by this from the first to the last third of a stance, on a foot that
# moves forward, says that the corners of the plate are in another order.
BACKWARD = -0.1
# Of body weight, means over the first and last and over the middle third of single support: a whole foot carries more
# than the second pair. The shared walks show 0.8 and more in all, a fast child 0.6 in the middle; stored body masses
# are off by up to 14 %. Less than the first pair is a part of a foot, or a subject with a stick.
LIGHT, CARRIES = (0.55, 0.4), (0.65, 0.42)
# Body weights: nobody presses with more; a channel in another unit does.
MOST = 12.0
# m. A sole nearer than this to an edge may be over it.
NEAR_EDGE = 0.03
# m. How far the sole's outline may reach over a plate's side or back edge: it is a guess of a shoe.
SOLE_TOLERANCE = 0.01
# m. The lower of heel and toe marker above the surface, median of a stance.
LOWEST, LOW = -0.02, 0.12
# m. A foot whose lower marker is outside this range above a surface does not touch it, also while it lands or leaves.
MAY_STAND = (-0.05, 0.12)
# m. Surfaces that differ by less than this in height are one floor; by less than the second, one plane.
STEP, FLUSH = 0.05, 0.01
# N. A plate that reads more while it is empty makes a contact less sure.
BIAS_DOUBT = 5.0

METHOD = "plate force, foot over plate, pressure under foot"


@frozen_dataclass()
class Verdict:
    """What the evidence says of one contact.

    Attributes
    ----------
    known : bool
    confidence : float
        0 to 1.
    reason : str
    misplaced : (frames of the contact,) bool array
        Frames of a known contact in which the load is not this foot's alone.
    at_edge : (frames of the contact,) bool array
        Frames in which a part of its load may lie beyond an edge.
    """

    known: bool
    confidence: float
    reason: str
    misplaced: Mask
    at_edge: Mask


def margins(plate: PlateLoad, point_g: Array) -> Array:
    """(frames, 2) distances, m, from a point to the nearer edge along the plate's x and y; negative outside."""
    local = (point_g - plate.centre_g) @ plate.R_gp
    return np.asarray(plate.half - np.abs(local[:, :2]))


def margin(plate: PlateLoad, point_g: Array) -> Array:
    """(frames,) the smaller of both."""
    along_x, along_y = margins(plate, point_g).T
    return np.asarray(np.minimum(along_x, along_y))  # twenty times as fast as min(axis=1)


def one_plane(plates: Sequence[PlateLoad]) -> bool:
    """Whether the surfaces of several plates lie in one plane, so that one centre of pressure is that of their sum."""
    first = plates[0]
    return all(
        abs((p.centre_g - first.centre_g) @ first.normal_g) < FLUSH and p.normal_g @ first.normal_g > 0.999
        for p in plates[1:]
    )


def reaches_onto(plate: PlateLoad, foot: FootTrack, least: float = 0.0) -> Mask:
    """(frames,) whether any part of the sole lies more than `least` m inside a plate's edges, seen from above."""
    back_left, back_right, front_left, front_right = sole(foot, plate.normal_g)
    # corners, heel, toe and the middles of the sides: no plate is so small that it would lie between them
    parts = [back_left, back_right, front_left, front_right, foot.heel_g, foot.toe_g, (foot.heel_g + foot.toe_g) / 2]
    parts += [(back_left + front_left) / 2, (back_right + front_right) / 2, (front_left + front_right) / 2]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.logical_or.reduce([margin(plate, part) > least for part in parts]))


def may_touch(plate: PlateLoad, foot: FootTrack, stance: Stance) -> Mask:
    """(frames,) whether a foot that does not surely fly has a part of its sole on a plate.

    Where its markers are missing beside frames in which it stands, it is taken to be on the straight way between where
    it was seen last and next.
    """
    way = FootTrack(bridged(foot.heel_g), bridged(foot.toe_g))
    height = np.minimum((way.heel_g - plate.centre_g) @ plate.normal_g, (way.toe_g - plate.centre_g) @ plate.normal_g)
    grounded = np.where(stance.unseen, stance.may_stand, ~stance.airborne)
    with np.errstate(invalid="ignore"):
        level = (height > MAY_STAND[0]) & (height < MAY_STAND[1])
    return np.asarray(reaches_onto(plate, way, SOLE_TOLERANCE) & level & grounded)


def judge(
    foot: FootTrack,
    stance: Stance,
    other_airborne: Mask,
    load: Wrench,
    plates: Sequence[PlateLoad],
    all_plates: Sequence[PlateLoad],
    first: int,
    last: int,
    shared: Mask,
    near: int,
    weight_N: float,
    settings: specs.Settings,
    faults: Mapping[int, str],
    cut: tuple[bool, bool],
) -> Verdict:
    """Weigh the evidence of one contact.

    Parameters
    ----------
    foot : FootTrack
    stance : Stance
    other_airborne : (frames,) bool array
        Where the other foot surely flies.
    load : Wrench
        What the plates do to the foot, about the laboratory's origin.
    plates : sequence of PlateLoad
        Those that carry the contact.
    all_plates : sequence of PlateLoad
    first, last : int
        Frames of the contact, both included.
    shared : (frames of the contact,) bool array
        Where the other foot may stand on one of the plates too: they tell nothing of this one.
    near : int
        Frames by which a force may begin or end beside the foot's own landing and leaving.
    weight_N : float
        Of the body; NaN where unknown.
    settings : Settings
    faults : mapping of plate number to str
        Plates whose corners do not fit the feet, and why.
    cut : (bool, bool)
        Whether the contact is cut before its first frame and after its last: by the trial's ends, by samples that are
        missing, by what is given by hand.
    """
    frames = slice(first, last + 1)
    n = last + 1 - first
    alone = ~shared
    vertical = load.f_g[frames] @ plates[0].normal_g
    peak = float(np.fmax.reduce(np.where(alone, vertical, 0.0)))
    name = "plate " + "+".join(str(number) for number in sorted(p.number for p in plates))
    nothing = np.zeros(n, dtype=bool)
    doubts: list[tuple[float, str]] = []

    def unknown(reason: str) -> Verdict:
        return Verdict(False, 0.0, f"{name}: {reason}", nothing, nothing)

    if weight_N > 0 and peak > MOST * weight_N:
        return unknown(f"it carries {peak / weight_N:.0f} body weights; check the unit of its channels")
    fault = next((faults[p.number] for p in plates if p.number in faults), "")
    if fault:
        return unknown(fault)

    heel, toe = foot.heel_g[frames], foot.toe_g[frames]
    seen = known_rows(heel) & known_rows(toe)
    if shared.any() and not longest(alone & (vertical > settings.contact_threshold_N)) > near:
        return unknown("both feet stand on it, or may")
    pressing = alone & (vertical > 0.5 * peak)
    if (pressing & stance.standing[frames]).any():
        pressing &= stance.standing[frames]  # where the foot itself stands, not the other one
    if not (seen & pressing).any():
        return unknown("the foot's markers are missing")
    if not seen.all():
        doubts.append((0.8, "foot markers are missing in part"))
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
    if not cut[0] and early > near:
        return unknown(f"the foot stood {early} frames before the plate was loaded")
    if not cut[1] and late > near:
        return unknown(f"the foot stood {late} frames after the plate was unloaded")

    for plate in plates if len(plates) > 1 else ():
        part = alone & (plate.vertical[frames] > max(settings.contact_threshold_N, _smallest_sure(plate)))
        aside, along = pressure_on_foot(plate.cop_g[frames], FootTrack(heel, toe), normal)
        with np.errstate(invalid="ignore"):
            beyond = part & ((aside > PRESSURE_ASIDE) | (along < PRESSURE_BACK) | (along > PRESSURE_FRONT))
        if beyond.sum() > MISPLACED_SHARE * max(part.sum(), 1):
            return unknown(f"the pressure on plate {plate.number} is not under the foot; check its corners")

    misplaced = at_edge = nothing
    if one_plane(plates):
        # a small force with the plate's noise and bias on it has its centre anywhere
        sure = alone & (vertical > max(settings.contact_threshold_N, *(_smallest_sure(p) for p in plates)))
        cop = centre_of_pressure(load.during(frames), surface, normal)[0]
        under = FootTrack(heel, toe)
        on_a_step = any(reach == 0.0 for _, _, reach in over)  # it cannot press where there is no plate
        why, more = _off_the_foot(cop, under, normal, sure & (vertical > ROLL_FORCE * peak), on_a_step)
        if why:
            return unknown(why)
        aside, along = pressure_on_foot(cop, under, normal)
        front = np.where(rolled(under, normal) == UNDER_BALL, PRESSURE_FRONT, FLAT_FRONT)
        with np.errstate(invalid="ignore"):
            misplaced = sure & ((aside > PRESSURE_ASIDE) | (along < PRESSURE_BACK) | (along > front))
        if misplaced.sum() > MISPLACED_SHARE * max(sure.sum(), 1):
            away = float(median(aside[sure & np.isfinite(aside)]))
            return unknown(f"its pressure is not under the foot ({away * 100:.0f} cm aside); check the plate's corners")
        if misplaced.any():
            more.append((0.8, f"in {misplaced.sum()} frames the pressure is not under the foot, and the load unknown"))
        if over and not on_a_step and settings.edge_frames == "unknown":
            at_edge = sure & ~misplaced & _presses_at_an_edge(cop, under, here, plates)
            if at_edge.any():
                more.append((0.9, f"in {at_edge.sum()} frames it presses at that edge, and the load is unknown"))
        doubts += more
        thirds = along[pressing & np.isfinite(along)]
        k = len(thirds) // 3
        if k and thirds[-k:].mean() - thirds[:k].mean() < BACKWARD and _moves_forward(foot, first, last, near):
            return unknown("its pressure runs from toe to heel; check the order of the plate's corners")

    ends, middle = _single_support(vertical, other_airborne[frames] & alone, weight_N, near)
    told = bool(np.isfinite(ends))
    carried = f"it carries as little as {min(ends, middle):.0%} of body weight in single support"
    whole = ends >= CARRIES[0] and middle >= CARRIES[1]
    if any(reach > 0 for _, _, reach in over) and not whole:
        return unknown(f"{over[0][1]}, and {carried if told else 'no single support tells more'}")
    if told and not whole and _clearance(here, plates) < NEAR_EDGE and not _overhangs(plates, all_plates, here.toe_g):
        return unknown(f"the foot stands at its edge, and {carried}")
    if ends < LIGHT[0] or middle < LIGHT[1]:
        doubts.append((0.5, carried))
    if not all(plate.outlined for plate in plates):
        doubts.append((0.8, "nothing says where the plate's edges are"))
    bias = max(float(np.linalg.norm(p.bias_left_g)) for p in plates)
    if bias > BIAS_DOUBT:
        doubts.append((0.9, f"a plate reads {bias:.0f} N while it is empty"))
    if first == 0 or last == len(foot.heel_g) - 1:
        doubts.append((0.9, "the contact is cut by the end of the trial"))
    elif any(cut):
        doubts.append((0.9, "the contact is cut by missing samples, or by what is given by hand"))
    if not all(np.isfinite(plate.bias_g).all() for plate in plates):
        doubts.append((0.95, "nothing tells what the plate reads while it is empty"))
    confidence = float(np.prod([weight for weight, _ in doubts])) if doubts else 1.0
    return Verdict(True, round(0.99 * confidence, 2), "; ".join(words for _, words in doubts), misplaced, at_edge)


def _presses_at_an_edge(cop_g: Array, foot: FootTrack, flat: FootTrack, plates: Sequence[PlateLoad]) -> Mask:
    """(frames,) whether a part of the pressure may lie beyond an edge that the foot reaches over.

    Its centre lies near an edge; or the sole reaches over the front and the foot is on its ball.

    Parameters
    ----------
    cop_g : (frames, 3) array, m
    foot : FootTrack
        In the same frames.
    flat : FootTrack
        While it presses.
    plates : sequence of PlateLoad
    """
    corners = sole(flat, plates[0].normal_g)
    reaches = [-min(_inside(flat, plates, corner)) for corner in corners]
    # the heel's marker stands behind what presses
    behind, ahead = max(reaches[:2]) - HEEL_ROUND, max(reaches[2:])
    toe_over = _inside(flat, plates, flat.toe_g)[0] < 0
    limit = min(AT_EDGE + max(behind, ahead, 0.0) / 2, SPREAD_OF_TOES if toe_over else SPREAD)
    with np.errstate(invalid="ignore"):
        near = np.asarray(np.maximum.reduce([margin(p, cop_g) for p in plates]) < limit)
    return np.asarray(near | ((ahead > SOLE_TOLERANCE) & (rolled(foot, plates[0].normal_g) == UNDER_BALL)))


def _off_the_foot(
    cop_g: Array, foot: FootTrack, normal_g: Array, sure: Mask, on_a_step: bool
) -> tuple[str, list[tuple[float, str]]]:
    """Whether the pressure lies where the foot must press: why not, and doubts."""
    forward, leftward = off_the_roll(cop_g, foot, normal_g).T
    pitched = rolled(foot, normal_g)
    worst, where = 0.0, ""
    for values, mask, ways in (
        (forward, pitched == UNDER_HEEL, ("ahead of", "behind")),
        (forward, pitched == UNDER_BALL, ("ahead of", "behind")),
        (leftward, np.isfinite(leftward), ("to the left of", "to the right of")),
    ):
        typical = values[mask & sure & np.isfinite(values)]
        away = float(median(typical)) if len(typical) >= ROLL_FRAMES else 0.0
        if abs(away) > worst:
            worst, where = abs(away), f"{abs(away) * 100:.0f} cm {ways[away < 0]}"
    if on_a_step or worst <= ROLL_DOUBT:
        return "", []
    if worst > ROLL_OFF:
        return f"its pressure lies {where} where the foot presses; check the plate's corners", []
    return "", [(0.8, f"the pressure lies {where} where the foot presses")]


def longest(mask: Mask) -> int:
    """Length of the longest run of true values."""
    return max((stop - start for start, stop in spans(mask)), default=0)


def _single_support(vertical: Array, single: Mask, weight_N: float, near: int) -> tuple[float, float]:
    """Mean vertical force in body weights over the lighter of the first and last third of single support, and over the
    middle one; NaN where single support is too short to tell.
    """
    at = np.flatnonzero(single)
    if len(at) < near or not weight_N > 0:
        return float("nan"), float("nan")
    first, middle, last = (float(vertical[part].mean()) / weight_N for part in np.array_split(at, 3))
    return min(first, last), middle


def _smallest_sure(plate: PlateLoad) -> float:
    """N. Vertical force from which on the centre of pressure means something."""
    noise = plate.noise_N if np.isfinite(plate.noise_N) else 0.0
    return max(5 * noise, 4 * float(np.linalg.norm(plate.bias_left_g)))


def _beyond_edges(
    foot: FootTrack, plates: Sequence[PlateLoad], all_plates: Sequence[PlateLoad]
) -> tuple[list[str], list[tuple[float, str, float]]]:
    """Parts of a pressing foot that lie beside its plates; parts that may, with a doubt and how far, m."""
    beside: list[str] = []
    over: list[tuple[float, str, float]] = []
    for part, point, most in (("heel", foot.heel_g, HEEL_TOLERANCE), ("toe", foot.toe_g, TOE_TOLERANCE)):
        along, across = _inside(foot, plates, point)
        if min(along, across) >= 0:
            continue
        if _overhangs(plates, all_plates, point):
            reach = -min(along, across) * 100
            over.append((0.7, f"the {part} marker lies {reach:.1f} cm over the edge of a step", 0.0))
        elif along < -most or across < 0.0:
            beside.append(f"the {part} is {max(-along, -across) * 100:.1f} cm beside it")
        else:
            over.append((0.7, f"the {part} marker lies {-along * 100:.1f} cm over the edge", np.inf))
    if beside or _overhangs(plates, all_plates, foot.toe_g):
        return beside, over
    reaches = [_inside(foot, plates, corner) for corner in sole(foot, plates[0].normal_g)]
    sideways, ahead = -min(across for _, across in reaches), -min(along for along, _ in reaches[2:])
    if sideways > SOLE_TOLERANCE:
        beside.append(f"the sole may reach {sideways * 100:.1f} cm over its edge")
    elif max(sideways, ahead) > 0 and not over:
        over.append(
            (0.7, f"the sole may reach {max(sideways, ahead) * 100:.1f} cm over the edge", max(sideways, ahead))
        )
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
    """Whether what lies beyond a plate's edge hangs over a lower plate, as on a stair: then nothing else carries it.

    The other plate lies lower along this one's own normal (those of a ramp are in one plane), and under the part.
    """
    upper = max(plates, key=lambda plate: plate.height_above_lowest)
    below = [
        p
        for p in all_plates
        if p not in plates and p.outlined and (upper.centre_g - p.centre_g) @ upper.normal_g > STEP
    ]
    return any(bool((margin(p, part_g) > 0).any()) for p in below)


def _moves_forward(foot: FootTrack, first: int, last: int, near: int) -> bool:
    """Whether the foot comes from behind and leaves to the front, by its heel a while before and after the contact."""
    before, after = max(first - 3 * near, 0), min(last + 3 * near, len(foot.heel_g) - 1)
    moved = foot.heel_g[after] - foot.heel_g[before]
    line = foot.toe_g[first : last + 1] - foot.heel_g[first : last + 1]
    line = line[known_rows(line)]
    return bool(len(line) and moved @ line.mean(axis=0) > 0)
