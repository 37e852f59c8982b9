"""Whether plates carried the whole of one contact of one foot, and how sure that is: a list of rules.

Each rule looks at one kind of evidence and gives its reasons; the first reason that makes the load unknown ends the
list. Every limit was set with the clean stances of the shared trials in view, at about twice what they show: the
pressure lies within 0.044 m of the line of the foot (0.069 m on stairs whose plates were not zeroed) and at 0.11 to
1.17 of the way from heel to toe, the plates carry 0.86 to 1.01 of body weight while the other foot is in the air, and
the lower foot marker is 0.020 to 0.040 m above the surface.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.dynamics.wrench import Wrench, centre_of_pressure
from gaitid.ground.plate_load import STEP, PlateLoad, one_plane
from gaitid.ground.sole import (
    SOLE_TOLERANCE,
    UNDER_BALL,
    UNDER_HEEL,
    off_the_roll,
    pressure_on_foot,
    rolled,
    sole,
)
from gaitid.ground.stance import Stance
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.statistics import median
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

METHOD = "plate force, foot over plate, pressure under foot"


class Limits(NamedTuple):
    """Beyond which a load is unknown, or less sure.

    Attributes
    ----------
    toe_over, heel_over : float, m
        How far the toe marker may lie beyond a plate, along the foot, before the toe counts as beside it: the ball of
        the foot may still press there. The heel's marker stands behind what presses, by its radius and by the round of
        the heel. Across the foot neither may: half of what presses is beyond.
    heel_round : float, m
        What presses at the heel begins this far ahead of its marker.
    pressure_aside : float, m
        Pressure farther from the line of the foot is not this foot's.
    pressure_back, pressure_front, flat_front : float
        Shares of the heel-toe distance beyond which pressure is not this foot's; the last for a foot whose heel is not
        up.
    misplaced_share : float
        Of the loaded frames: with more such pressure the whole contact is unknown.
    roll_off, roll_doubt : float, m
        Pressure farther than the first from where the foot must press, as the median over the frames in which it is
        pitched (along it) or over the stance (across it), is not this foot's or the plate's corners are wrong; from
        the second on it is doubtful. Clean level stances show 0.03 and 0.02.
    roll_force, roll_frames : float, int
        Of the greatest force: less tells too little of where it presses; and so many frames at least.
    at_edge, spread, spread_of_toes : float, m
        Pressure is spread over some centimetres: near an edge that the sole reaches over, a part of it may lie beyond.
        It is near within the first and half of how far the sole reaches, but no more than the second; the third
        where the toe marker itself is beyond.
    backward : float
        Of the heel-toe distance. Pressure that goes back by this from the first to the last third of a stance, on a
        foot that moves forward, says that the corners of the plate are in another order.
    carries, carries_middle, light, light_middle : float
        Of body weight, means over the first and last and over the middle third of single support: a whole foot carries
        more than the first two. The shared walks show 0.8 and more in all, a fast child 0.6 in the middle; stored body
        masses are off by up to 14 %. Less than the other two is a part of a foot, or a subject with a stick.
    most : float, body weights
        Nobody presses with more; a channel in another unit does.
    near_edge : float, m
        A sole nearer than this to an edge may be over it.
    lowest, low : float, m
        The lower of heel and toe marker above the surface, median of a stance.
    bias : float, N
        A plate that reads more while it is empty makes a contact less sure.
    """

    toe_over: float = 0.03
    heel_over: float = 0.035
    heel_round: float = 0.02
    pressure_aside: float = 0.08
    pressure_back: float = -0.15
    pressure_front: float = 1.45
    flat_front: float = 1.25
    misplaced_share: float = 0.15
    roll_off: float = 0.06
    roll_doubt: float = 0.04
    roll_force: float = 0.15
    roll_frames: int = 3
    at_edge: float = 0.025
    spread: float = 0.035
    spread_of_toes: float = 0.06
    backward: float = -0.1
    carries: float = 0.65
    carries_middle: float = 0.42
    light: float = 0.55
    light_middle: float = 0.4
    most: float = 12.0
    near_edge: float = 0.03
    lowest: float = -0.02
    low: float = 0.12
    bias: float = 5.0


@frozen_dataclass(eq=False)
class Evidence:
    """Everything that tells of one contact.

    Attributes
    ----------
    foot : FootTrack
        Over the trial.
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
    cut : (bool, bool)
        Whether the contact is cut before its first frame and after its last: by the trial's ends, by samples that are
        missing, by what is given by hand.
    weight_N : float
        Of the body; NaN where unknown.
    threshold_N : float
        From which on a foot is loaded.
    edge_frames : str
        Setting of that name.
    faults : mapping of plate number to str
        Plates whose corners do not fit the feet, and why.
    """

    foot: FootTrack
    stance: Stance
    other_airborne: Mask
    load: Wrench
    plates: Sequence[PlateLoad]
    all_plates: Sequence[PlateLoad]
    first: int
    last: int
    shared: Mask
    near: int
    cut: tuple[bool, bool]
    weight_N: float
    threshold_N: float
    edge_frames: str
    faults: Mapping[int, str]

    @property
    def frames(self) -> slice:
        return slice(self.first, self.last + 1)

    @property
    def normal_g(self) -> Array:
        return self.plates[0].normal_g

    @cached_property
    def alone(self) -> Mask:
        """(frames of the contact,) no other foot may be on its plates."""
        return ~self.shared

    @cached_property
    def vertical(self) -> Array:
        """(frames of the contact,) N, along the surface's normal."""
        return np.asarray(self.load.f_g[self.frames] @ self.normal_g)

    @cached_property
    def peak(self) -> float:
        """N. The greatest force of this foot alone."""
        return float(np.fmax.reduce(np.where(self.alone, self.vertical, 0.0)))

    @cached_property
    def track(self) -> FootTrack:
        """The foot during the contact."""
        return self.foot.during(self.frames)

    @cached_property
    def seen(self) -> Mask:
        """(frames of the contact,) both foot markers are known."""
        return np.asarray(known_rows(self.track.heel_g) & known_rows(self.track.toe_g))

    @cached_property
    def pressing(self) -> Mask:
        """(frames of the contact,) the foot carries more than half of the greatest force, stands and is seen."""
        mask = self.alone & (self.vertical > 0.5 * self.peak)
        standing = self.stance.standing[self.frames]
        if (mask & standing).any():
            mask &= standing  # where the foot itself stands, not the other one
        return np.asarray(mask & self.seen)

    @cached_property
    def pressing_track(self) -> FootTrack:
        """The foot while it presses."""
        return FootTrack(self.track.heel_g[self.pressing], self.track.toe_g[self.pressing])

    @cached_property
    def in_one_plane(self) -> bool:
        return one_plane(self.plates)

    @cached_property
    def sure(self) -> Mask:
        """(frames of the contact,) the force is large enough for its centre to mean something."""
        least = max(self.threshold_N, *(_smallest_sure(p) for p in self.plates))
        return np.asarray(self.alone & (self.vertical > least))

    @cached_property
    def cop_g(self) -> Array:
        """(frames of the contact, 3) m, in the plane of the surfaces."""
        return centre_of_pressure(self.load.during(self.frames), self.plates[0].centre_g, self.normal_g)[0]

    @cached_property
    def on_foot(self) -> tuple[Array, Array]:
        """Where the pressure lies on the foot: aside, m, and along (`pressure_on_foot`)."""
        return pressure_on_foot(self.cop_g, self.track, self.normal_g)

    def inside(self, point_g: Array) -> tuple[float, float]:
        """Least distances, m, from a point of the pressing foot to the plates' edges, along and across the foot."""
        return _inside(self.pressing_track, self.plates, point_g)

    def overhangs(self, part_g: Array) -> bool:
        """Whether what lies beyond a plate's edge hangs over a lower plate, as on a stair: nothing else carries it.

        The other plate lies lower along this one's own normal (those of a ramp are in one plane), and under the part.
        """
        upper = max(self.plates, key=lambda plate: plate.height_above_lowest)
        below = [
            p
            for p in self.all_plates
            if p not in self.plates and p.outlined and (upper.centre_g - p.centre_g) @ upper.normal_g > STEP
        ]
        return any(bool((p.margin(part_g) > 0).any()) for p in below)

    @cached_property
    def roll(self) -> Array:
        """(frames of the contact,) where the foot must press while it is pitched (`rolled`)."""
        return rolled(self.track, self.normal_g)

    def beyond_edges(self, limits: Limits) -> tuple[list[str], list[tuple[str, float]]]:
        """Parts of the pressing foot that lie beside its plates; parts that may, and how far, m."""
        if limits not in self._beyond_edges:
            self._beyond_edges[limits] = _beyond_edges(self, limits)
        return self._beyond_edges[limits]

    @cached_property
    def _beyond_edges(self) -> dict[Limits, tuple[list[str], list[tuple[str, float]]]]:
        return {}

    @cached_property
    def single_support(self) -> tuple[float, float]:
        """Mean vertical force in body weights over the lighter of the first and last third of single support, and over
        the middle one; NaN where single support is too short to tell.
        """
        at = np.flatnonzero(self.other_airborne[self.frames] & self.alone)
        if len(at) < self.near or not self.weight_N > 0:
            return float("nan"), float("nan")
        first, middle, last = (float(self.vertical[part].mean()) / self.weight_N for part in np.array_split(at, 3))
        return min(first, last), middle


class Reason(NamedTuple):
    """What speaks against a contact.

    Attributes
    ----------
    weight : float
        By which the confidence is multiplied; 0 where the load is unknown.
    text : str
    misplaced : (frames of the contact,) bool array or None
        Frames in which the load is not this foot's alone.
    at_edge : (frames of the contact,) bool array or None
        Frames in which a part of its load may lie beyond an edge.
    """

    weight: float
    text: str
    misplaced: Mask | None = None
    at_edge: Mask | None = None


def unknown(text: str) -> Reason:
    """The load cannot be known."""
    return Reason(0.0, text)


@frozen_dataclass()
class Judgement:
    """What the evidence says of one contact.

    Attributes
    ----------
    known : bool
    confidence : float
        0 to 1.
    reason : str
        Why the load is unknown, or why the confidence is not higher.
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


def judge(contact: Evidence, limits: Limits = Limits()) -> Judgement:  # noqa: B008 - it cannot be changed
    """Weigh the evidence of one contact, rule by rule."""
    nothing = np.zeros(len(contact.shared), dtype=bool)
    doubts: list[Reason] = []
    for rule in RULES:
        for reason in rule(contact, limits):
            if not reason.weight:
                name = "plate " + "+".join(str(number) for number in sorted(p.number for p in contact.plates))
                return Judgement(False, 0.0, f"{name}: {reason.text}", nothing, nothing)
            doubts.append(reason)
    confidence = float(np.prod([doubt.weight for doubt in doubts])) if doubts else 1.0
    misplaced, at_edge = (
        next((mask for mask in masks if mask is not None), nothing)
        for masks in ([doubt.misplaced for doubt in doubts], [doubt.at_edge for doubt in doubts])
    )
    return Judgement(True, round(0.99 * confidence, 2), "; ".join(doubt.text for doubt in doubts), misplaced, at_edge)


# --- rules: what cannot be ----------------------------------------------------------------------------------


def too_heavy(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Nobody presses with many body weights: a channel is in another unit."""
    if contact.weight_N > 0 and contact.peak > limits.most * contact.weight_N:
        share = contact.peak / contact.weight_N
        yield unknown(f"it carries {share:.0f} body weights; check the unit of its channels")


def plate_misplaced(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Nothing is known from a plate whose corners do not fit the feet."""
    fault = next((contact.faults[p.number] for p in contact.plates if p.number in contact.faults), "")
    if fault:
        yield unknown(fault)


def both_feet(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """While both feet are on a plate, it does not tell what each of them carries."""
    if not contact.shared.any():
        return
    loaded = contact.alone & (contact.vertical > contact.threshold_N)
    if not longest(loaded) > contact.near:
        yield unknown("both feet stand on it, or may")


def markers_missing(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Without its markers nobody knows where the foot is."""
    if not contact.pressing.any():
        yield unknown("the foot's markers are missing")
    elif not contact.seen.all():
        yield Reason(0.8, "foot markers are missing in part")


# --- rules: where the foot is -------------------------------------------------------------------------------


def height_above_surface(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A foot that stands on a plate has its markers a few centimetres above it."""
    here, surface, normal = contact.pressing_track, contact.plates[0].centre_g, contact.normal_g
    height = float(median(np.minimum((here.heel_g - surface) @ normal, (here.toe_g - surface) @ normal)))
    if not limits.lowest < height < limits.low and contact.in_one_plane:
        way = "above" if height > 0 else "below"
        yield unknown(f"the foot's markers are {abs(height) * 100:.0f} cm {way} its surface")


def beside_the_plates(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """What stands beside a plate is not measured."""
    beside, over = contact.beyond_edges(limits)
    if beside:
        yield unknown(" and ".join(beside))
    for text, _ in over:
        yield Reason(0.7, text)


def timing(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A force that begins or ends while the foot stands still: part of the foot stands elsewhere."""
    early, late = contact.stance.beyond(contact.first, contact.last)
    if not contact.cut[0] and early > contact.near:
        yield unknown(f"the foot stood {early} frames before the plate was loaded")
    if not contact.cut[1] and late > contact.near:
        yield unknown(f"the foot stood {late} frames after the plate was unloaded")


# --- rules: where it presses --------------------------------------------------------------------------------


def pressure_on_each_plate(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """The pressure on each of several plates lies under the foot that they carry together."""
    for plate in contact.plates if len(contact.plates) > 1 else ():
        least = max(contact.threshold_N, _smallest_sure(plate))
        part = contact.alone & (plate.vertical[contact.frames] > least)
        aside, along = pressure_on_foot(plate.cop_g[contact.frames], contact.track, contact.normal_g)
        beyond = part & _off_foot(aside, along, limits, limits.pressure_front)
        if beyond.sum() > limits.misplaced_share * max(part.sum(), 1):
            yield unknown(f"the pressure on plate {plate.number} is not under the foot; check its corners")


def pressure_off_the_roll(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A pitched foot presses at its heel or its ball; over a stance the pressure keeps to the line of the foot."""
    # over the edge of a step it cannot press where the foot would
    if not contact.in_one_plane or _on_a_step(contact, limits):
        return
    sure = contact.sure & (contact.vertical > limits.roll_force * contact.peak)
    forward, leftward = off_the_roll(contact.cop_g, contact.track, contact.normal_g).T
    pitched = contact.roll
    worst, where = 0.0, ""
    for values, mask, ways in (
        (forward, pitched == UNDER_HEEL, ("ahead of", "behind")),
        (forward, pitched == UNDER_BALL, ("ahead of", "behind")),
        (leftward, np.isfinite(leftward), ("to the left of", "to the right of")),
    ):
        typical = values[mask & sure & np.isfinite(values)]
        away = float(median(typical)) if len(typical) >= limits.roll_frames else 0.0
        if abs(away) > worst:
            worst, where = abs(away), f"{abs(away) * 100:.0f} cm {ways[away < 0]}"
    if worst > limits.roll_off:
        yield unknown(f"its pressure lies {where} where the foot presses; check the plate's corners")
    elif worst > limits.roll_doubt:
        yield Reason(0.8, f"the pressure lies {where} where the foot presses")


def pressure_off_the_foot(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Pressure that is not under the foot is not its alone."""
    if not contact.in_one_plane:
        return
    misplaced = _misplaced(contact, limits)
    if misplaced.sum() > limits.misplaced_share * max(contact.sure.sum(), 1):
        aside = contact.on_foot[0]
        away = float(median(aside[contact.sure & np.isfinite(aside)]))
        yield unknown(f"its pressure is not under the foot ({away * 100:.0f} cm aside); check the plate's corners")
    elif misplaced.any():
        text = f"in {misplaced.sum()} frames the pressure is not under the foot, and the load unknown"
        yield Reason(0.8, text, misplaced=misplaced)


def pressure_at_an_edge(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Near an edge that the sole reaches over, a part of the pressure may lie beyond."""
    if not contact.in_one_plane or contact.edge_frames != "unknown":
        return
    over = contact.beyond_edges(limits)[1]
    if not over or _on_a_step(contact, limits):
        return
    at_edge = contact.sure & ~_misplaced(contact, limits) & _presses_at_an_edge(contact, limits)
    if at_edge.any():
        text = f"in {at_edge.sum()} frames it presses at that edge, and the load is unknown"
        yield Reason(0.9, text, at_edge=at_edge)


def pressure_runs_backward(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """The pressure of a foot that walks forward runs from heel to toe."""
    if not contact.in_one_plane:
        return
    along = contact.on_foot[1]
    thirds = along[contact.pressing & np.isfinite(along)]
    k = len(thirds) // 3
    if k and thirds[-k:].mean() - thirds[:k].mean() < limits.backward and _moves_forward(contact):
        yield unknown("its pressure runs from toe to heel; check the order of the plate's corners")


# --- rules: how much it carries -----------------------------------------------------------------------------


def part_of_the_foot(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """In single support a whole foot carries the body: less tells that a part of it stands beside the plate."""
    ends, middle = contact.single_support
    tells = bool(np.isfinite(ends))
    carried = f"it carries as little as {min(ends, middle):.0%} of body weight in single support"
    carries = ends >= limits.carries and middle >= limits.carries_middle
    over = contact.beyond_edges(limits)[1]
    if any(reach > 0 for _, reach in over) and not carries:
        yield unknown(f"{over[0][0]}, and {carried if tells else 'no single support tells more'}")
    elif tells and not carries and _clearance(contact) < limits.near_edge and not _toe_overhangs(contact):
        yield unknown(f"the foot stands at its edge, and {carried}")
    if ends < limits.light or middle < limits.light_middle:
        yield Reason(0.5, carried)


# --- rules: what the plate and the trial do not say ---------------------------------------------------------


def edges_unknown(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Without corners only the pressure tells who is on a plate."""
    if not all(plate.outlined for plate in contact.plates):
        yield Reason(0.8, "nothing says where the plate's edges are")


def empty_reading(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """What a plate reads while it is empty is in the load too."""
    bias = max(float(np.linalg.norm(p.bias_left_g)) for p in contact.plates)
    if bias > limits.bias:
        yield Reason(0.9, f"a plate reads {bias:.0f} N while it is empty")


def contact_cut(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A contact whose beginning or end was not recorded shows less of itself."""
    if contact.first == 0 or contact.last == len(contact.foot.heel_g) - 1:
        yield Reason(0.9, "the contact is cut by the end of the trial")
    elif any(contact.cut):
        yield Reason(0.9, "the contact is cut by missing samples, or by what is given by hand")


def never_empty(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A plate that is never known to be empty may have a bias."""
    if not all(np.isfinite(plate.bias_g).all() for plate in contact.plates):
        yield Reason(0.95, "nothing tells what the plate reads while it is empty")


#: In this order; the reasons of a contact stand in it.
RULES: tuple[Callable[[Evidence, Limits], Iterator[Reason]], ...] = (
    too_heavy,
    plate_misplaced,
    both_feet,
    markers_missing,
    height_above_surface,
    beside_the_plates,
    timing,
    pressure_on_each_plate,
    pressure_off_the_roll,
    pressure_off_the_foot,
    pressure_at_an_edge,
    pressure_runs_backward,
    part_of_the_foot,
    edges_unknown,
    empty_reading,
    contact_cut,
    never_empty,
)


# --- geometry -----------------------------------------------------------------------------------------------


def longest(mask: Mask) -> int:
    """Length of the longest run of true values."""
    return max((stop - start for start, stop in spans(mask)), default=0)


def _smallest_sure(plate: PlateLoad) -> float:
    """N. Vertical force from which on the centre of pressure means something."""
    noise = plate.noise_N if np.isfinite(plate.noise_N) else 0.0
    return max(5 * noise, 4 * float(np.linalg.norm(plate.bias_left_g)))


def _off_foot(aside: Array, along: Array, limits: Limits, front: Array | float) -> Mask:
    """(frames,) whether pressure lies beyond what can be under a foot; a centre that is not known does not."""
    with np.errstate(invalid="ignore"):
        return np.asarray((aside > limits.pressure_aside) | (along < limits.pressure_back) | (along > front))


def _misplaced(contact: Evidence, limits: Limits) -> Mask:
    """(frames of the contact,) whether a force that tells presses where this foot is not."""
    front = np.where(contact.roll == UNDER_BALL, limits.pressure_front, limits.flat_front)
    return np.asarray(contact.sure & _off_foot(*contact.on_foot, limits, front))


def _on_a_step(contact: Evidence, limits: Limits) -> bool:
    """Whether a part of the foot hangs over the edge of a step."""
    return any(reach == 0.0 for _, reach in contact.beyond_edges(limits)[1])


def _beyond_edges(contact: Evidence, limits: Limits) -> tuple[list[str], list[tuple[str, float]]]:
    """Parts of a pressing foot that lie beside its plates; parts that may, and how far, m."""
    beside: list[str] = []
    over: list[tuple[str, float]] = []
    foot = contact.pressing_track
    for part, point, most in (("heel", foot.heel_g, limits.heel_over), ("toe", foot.toe_g, limits.toe_over)):
        along, across = contact.inside(point)
        if min(along, across) >= 0:
            continue
        if contact.overhangs(point):
            reach = -min(along, across) * 100
            over.append((f"the {part} marker lies {reach:.1f} cm over the edge of a step", 0.0))
        elif along < -most or across < 0.0:
            beside.append(f"the {part} is {max(-along, -across) * 100:.1f} cm beside it")
        else:
            over.append((f"the {part} marker lies {-along * 100:.1f} cm over the edge", np.inf))
    if beside or contact.overhangs(foot.toe_g):
        return beside, over
    reaches = [contact.inside(corner) for corner in sole(foot, contact.normal_g)]
    sideways, ahead = -min(across for _, across in reaches), -min(along for along, _ in reaches[2:])
    if sideways > SOLE_TOLERANCE:
        beside.append(f"the sole may reach {sideways * 100:.1f} cm over its edge")
    elif max(sideways, ahead) > 0 and not over:
        over.append((f"the sole may reach {max(sideways, ahead) * 100:.1f} cm over the edge", max(sideways, ahead)))
    return beside, over


def _clearance(contact: Evidence) -> float:
    """Least distance, m, from the sole to an edge of the plates that it stands on; negative over it."""
    return min(min(contact.inside(corner)) for corner in sole(contact.pressing_track, contact.normal_g))


def _toe_overhangs(contact: Evidence) -> bool:
    return contact.overhangs(contact.pressing_track.toe_g)


def _inside(foot: FootTrack, plates: Sequence[PlateLoad], point: Array) -> tuple[float, float]:
    """Least distances, m, from a point of a foot to the edges of the plates, along and across it; negative outside."""
    line = (foot.toe_g - foot.heel_g).mean(axis=0)
    # the point lies on whichever of the plates it lies on best
    best = np.full((len(point), 2), -np.inf)
    for plate in plates:
        both_ways = plate.margins(point)
        if abs(line @ plate.R_gp[:, 0]) < abs(line @ plate.R_gp[:, 1]):
            both_ways = both_ways[:, ::-1]
        better = both_ways.min(axis=1) > best.min(axis=1)
        best[better] = both_ways[better]
    along, across = best.min(axis=0)
    return float(along), float(across)


def _presses_at_an_edge(contact: Evidence, limits: Limits) -> Mask:
    """(frames of the contact,) whether a part of the pressure may lie beyond an edge that the foot reaches over.

    Its centre lies near an edge; or the sole reaches over the front and the foot is on its ball.
    """
    flat = contact.pressing_track
    reaches = [-min(contact.inside(corner)) for corner in sole(flat, contact.normal_g)]
    # the heel's marker stands behind what presses
    behind, ahead = max(reaches[:2]) - limits.heel_round, max(reaches[2:])
    toe_over = contact.inside(flat.toe_g)[0] < 0
    limit = min(limits.at_edge + max(behind, ahead, 0.0) / 2, limits.spread_of_toes if toe_over else limits.spread)
    with np.errstate(invalid="ignore"):
        near = np.asarray(np.maximum.reduce([p.margin(contact.cop_g) for p in contact.plates]) < limit)
    return np.asarray(near | ((ahead > SOLE_TOLERANCE) & (contact.roll == UNDER_BALL)))


def _moves_forward(contact: Evidence) -> bool:
    """Whether the foot comes from behind and leaves to the front, by its heel a while before and after the contact."""
    heel = contact.foot.heel_g
    before, after = max(contact.first - 3 * contact.near, 0), min(contact.last + 3 * contact.near, len(heel) - 1)
    line = contact.track.toe_g - contact.track.heel_g
    line = line[known_rows(line)]
    return bool(len(line) and (heel[after] - heel[before]) @ line.mean(axis=0) > 0)
