"""Everything that tells whether plates carried the whole of one contact of one foot, and the limits that it is held to.

Every limit was set by the clean stances of the shared trials, at about twice what they show: pressure within 0.044 m of
the line of the foot (0.069 m on stairs whose plates were not zeroed), 0.11 to 1.17 of the way from heel to toe; 0.86 to
1.01 of body weight while the other foot is in the air; the lower foot marker 0.020 to 0.061 m above the surface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.balance import Support
from gaitid.ground.plate_load import STEP, Carried, PlateLoad, one_plane, smallest_sure
from gaitid.ground.sole import (
    SOLE_TOLERANCE,
    UNDER_BALL,
    distance_from_foot,
    inside_edges,
    lower_beyond,
    off_the_roll,
    pressure_on_foot,
    rolled,
    sole,
)
from gaitid.ground.stance import Stance
from gaitid.notes import phrase
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import mean, median
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

#: What cuts a contact off.
BY_TRIAL, BY_HAND, BY_SAMPLES = "trial", "hand", "samples"


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
        Shares of the way from heel to ball beyond which pressure is not this foot's; the last for a foot whose heel is
        not up while the other may be on the ground.
    heel_behind : float, m
        A heel presses at most this far behind its marker, however short the foot.
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
    as_near : float, m
        Pressure nearer to an edge by no more than this than where the plate measured all of it is measured too.
    backward, backward_doubt : float
        Of the heel-toe distance. Pressure that goes back by the first from the first to the last third of a stance, on
        a foot that moves forward, says that the corners of the plate are in another order; one that goes forward by
        less than the second is doubtful (whole stances of walks and runs show 0.09 and more).
    sideways : float, m
        Pressure that travels farther than this across a foot (its 5 to 95 % quantiles) is doubtful: whole stances show
        0.039 at most, in a walk; where it travels less along the foot, Mx and My are exchanged.
    carries, carries_middle, light, light_middle : float
        Of body weight, means over the first and last and over the middle third of single support: a whole foot carries
        more than the first two. The shared walks show 0.8 and more in all, a fast child 0.6 in the middle; stored body
        masses are off by up to 14 %. Less than the other two is a part of a foot, or a subject with a stick.
    lost, lost_at_once, lost_near_edge : float, body weights
        A foot that reaches over an edge was measured wholly if it was given no less than the body's motion asks
        (`gaitid.ground.balance`) but for this: the first as the mean over single support, the second in any means over
        0.2 s. Clean stances of the shared trials lack -0.06 to 0.05, and at once at most 0.08; partial hits 0.36 and
        more (elsewhere 0.10 to 0.45). The third instead of the second in frames in which the pressure lies within
        `spread_of_toes` of the edge. All count from what contacts lack in the trial that reach over no edge.
    most : float, body weights
        Nobody presses with more.
    near_edge : float, m
        A sole nearer than this to an edge may be over it.
    lowest, low, lowest_doubt, low_doubt : float, m
        The lower of heel and toe marker above the surface, median of a stance, clean ones 0.010 to 0.054 bare and shod,
        0.061 on landing from a jump. Beyond the last two it is doubtful: no marker lies in the surface; a thick sole
        or a built-up shoe lifts it by some 3 cm more.
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
    heel_behind: float = 0.025
    misplaced_share: float = 0.15
    roll_off: float = 0.06
    roll_doubt: float = 0.04
    roll_force: float = 0.15
    roll_frames: int = 3
    at_edge: float = 0.025
    spread: float = 0.035
    spread_of_toes: float = 0.06
    as_near: float = 0.005
    backward: float = -0.1
    backward_doubt: float = 0.0
    sideways: float = 0.05
    carries: float = 0.65
    carries_middle: float = 0.42
    light: float = 0.55
    light_middle: float = 0.4
    lost: float = 0.08
    lost_at_once: float = 0.12
    lost_near_edge: float = 0.05
    most: float = 12.0
    near_edge: float = 0.03
    lowest: float = -0.02
    low: float = 0.12
    lowest_doubt: float = 0.0
    low_doubt: float = 0.09
    bias: float = 5.0

    def beyond_usual(self, lack: float) -> Limits:
        """The same in a trial in which contacts lack so much (body weights) about which geometry asks nothing: a wrong
        mass, or what the model leaves out.
        """
        return self._replace(
            lost=self.lost + lack, lost_at_once=self.lost_at_once + lack, lost_near_edge=self.lost_near_edge + lack
        )


class Inside(NamedTuple):
    """Least distances, m, from parts of a pressing foot to its plates' edges, along and across it; negative outside.

    Attributes
    ----------
    heel, toe : (float, float)
        Of the markers.
    sole : list of (float, float)
        Of the corners of its outline, as `gaitid.ground.sole.sole` gives them.
    """

    heel: tuple[float, float]
    toe: tuple[float, float]
    sole: list[tuple[float, float]]


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
    load : Carried
        What the plates do to the foot during the contact.
    plates : sequence of PlateLoad
        Those that carry the contact.
    all_plates : sequence of PlateLoad
    first, last : int
        Frames of the contact, both included.
    shared : (frames of the contact,) bool array
        Where the other foot may stand on one of the plates too: they tell nothing of this one.
    near : int
        Frames by which a force may begin or end beside the foot's own landing and leaving.
    recorded : (int, int)
        First frame, and the one behind the last, of the pass in which plates are read.
    cut : (str, str)
        By what the contact is cut before its first frame and after its last, empty where by nothing: `BY_TRIAL`, whose
        end is near; `BY_HAND`; `BY_SAMPLES` that are missing.
    weight_N : float
        Of the body; NaN where unknown.
    threshold_N : float
        From which on a foot is loaded.
    edge_frames : str
        Setting of that name.
    external_support : bool
        Something else may carry a part of the body, or load it: no share of its weight tells how much a foot carries.
    faults : mapping of plate number to str
        Plates whose corners do not fit the feet, and why.
    support : Support
        What the body's motion says of its load.
    lower_ground : function
        Where markers of feet are while these stand lower than a plate, anywhere in the trial, (n, 3), m.
    """

    foot: FootTrack
    stance: Stance
    other_airborne: Mask
    load: Carried
    plates: Sequence[PlateLoad]
    all_plates: Sequence[PlateLoad]
    first: int
    last: int
    shared: Mask
    near: int
    recorded: tuple[int, int]
    cut: tuple[str, str]
    weight_N: float
    threshold_N: float
    edge_frames: str
    external_support: bool
    faults: Mapping[int, str]
    support: Support
    lower_ground: Callable[[], Array] = lambda: np.zeros((0, 3))

    @property
    def frames(self) -> slice:
        return slice(self.first, self.last + 1)

    @cached_property
    def plate_numbers(self) -> tuple[int, ...]:
        return tuple(sorted(plate.number for plate in self.plates))

    @property
    def plate_names(self) -> str:
        """Its plates as people and files name them: ``2`` or ``1+2``."""
        return "+".join(map(str, self.plate_numbers))

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
        return np.asarray(self.load.wrench.f_g @ self.normal_g)

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
        return FootTrack(self.track.heel_g[self.pressing], self.track.toe_g[self.pressing], self.track.ball_over_toe)

    @cached_property
    def length(self) -> float:
        """m, from heel to ball of the foot while it presses."""
        return float(median(norm(self.pressing_track.line_g)))

    @cached_property
    def in_one_plane(self) -> bool:
        return one_plane(self.plates)

    @cached_property
    def sure(self) -> Mask:
        """(frames of the contact,) the force is large enough for its centre to mean something."""
        least = max(self.threshold_N, *(smallest_sure(p) for p in self.plates))
        return np.asarray(self.alone & (self.vertical > least))

    @cached_property
    def cop_g(self) -> Array:
        """(frames of the contact, 3) m, in the plane of the surfaces."""
        return self.load.pressure[0]

    @cached_property
    def to_an_edge(self) -> Array:
        """(frames of the contact,) m, from the pressure to the nearest edge of the plate on which it lies best."""
        return np.asarray(np.maximum.reduce([plate.margin(self.cop_g) for plate in self.plates]))

    @cached_property
    def on_foot(self) -> tuple[Array, Array]:
        """Where the pressure lies on the foot: aside, m, and along (`pressure_on_foot`)."""
        return pressure_on_foot(self.cop_g, self.track, self.normal_g)

    @cached_property
    def away(self) -> float:
        """m, from the foot's sole to the pressure: the median under more than half of the greatest force."""
        heavy = self.vertical > 0.5 * float(np.fmax.reduce(self.vertical))
        off = distance_from_foot(self.cop_g, self.track, self.normal_g)[heavy]
        off = off[np.isfinite(off)]
        return float(median(off)) if self.in_one_plane and off.size else float("nan")

    @cached_property
    def off_the_roll(self) -> tuple[Array, Array]:
        """How far the pressure lies from where the foot presses, forward and to its left, m (`off_the_roll`)."""
        return off_the_roll(self.cop_g, self.track, self.normal_g, self.roll)

    @cached_property
    def inside(self) -> Inside:
        """How far the parts of the pressing foot lie inside the plates' edges."""
        foot = self.pressing_track
        line = mean(foot.toe_g - foot.heel_g)
        points = np.array([foot.heel_g, foot.toe_g, *sole(foot, self.normal_g)])
        heel, toe, *corners = inside_edges(points, line, self.plates)
        return Inside(heel, toe, corners)

    def overhangs(self, part_g: Array, limits: Limits) -> bool:
        """Whether what lies beyond a plate's edge hangs over lower ground, as on a stair: nothing else carries it.

        That is another plate which lies lower along this one's own normal (those of a ramp are in one plane) under the
        part; or a floor on which feet stand lower, if the plates measured all that the body asked for.
        """
        upper = max(self.plates, key=lambda plate: plate.height_above_lowest)
        below = [
            p
            for p in self.all_plates
            if p not in self.plates and p.outlined and (upper.centre_g - p.centre_g) @ upper.normal_g > STEP
        ]
        if any(bool((p.margin(part_g) > 0).any()) for p in below):
            return True
        beyond = bool((upper.margin(part_g) < 0).any())
        return beyond and self.carries_all(limits) and lower_beyond(upper, part_g, self.lower_ground())

    @cached_property
    def roll(self) -> Array:
        """(frames of the contact,) where the foot must press while it is pitched (`rolled`)."""
        return rolled(self.track, self.normal_g)

    def carries_all(self, limits: Limits) -> bool:
        """Whether the body's motion shows that the plates measured the whole foot while it stood alone."""
        support = self.support
        return support.lost <= limits.lost and not (support.lacking > limits.lost_at_once).any()

    def beyond_edges(self, limits: Limits) -> tuple[list[str], list[tuple[str, float]]]:
        """Parts of the pressing foot that lie beside its plates; parts that may, and how far, m.

        None where no frame shows it pressing: nobody knows where it stands.
        """
        if not self.pressing.any():
            return [], []
        asked = limits.heel_over, limits.toe_over, limits.lost
        if asked not in self._beyond_edges:
            self._beyond_edges[asked] = _beyond_edges(self, limits)
        return self._beyond_edges[asked]

    def on_a_step(self, limits: Limits) -> bool:
        """Whether a part of the foot hangs over the edge of a step."""
        return any(reach == 0.0 for _, reach in self.beyond_edges(limits)[1])

    def far_over_a_step(self, limits: Limits) -> bool:
        """Whether so much of the foot does that it cannot press where it would on a floor."""
        return self.on_a_step(limits) and min(*self.inside.heel, *self.inside.toe) < -limits.toe_over

    def off_foot(self, place: tuple[Array, Array], limits: Limits, front: Array | float) -> Mask:
        """(frames of the contact,) whether pressure at a `place` on the foot (aside, along) cannot be under it."""
        aside, along = place
        back = min(limits.pressure_back, -limits.heel_behind / self.length)
        return np.asarray((aside > limits.pressure_aside) | (along < back) | (along > front))

    def misplaced(self, limits: Limits) -> Mask:
        """(frames of the contact,) whether a force that tells presses where this foot is not."""
        if limits not in self._misplaced:
            self._misplaced[limits] = self._presses_elsewhere(limits)
        return self._misplaced[limits]

    def _presses_elsewhere(self, limits: Limits) -> Mask:
        # where no other foot is on the ground, only the foot's own size limits where it presses
        anywhere = (self.roll == UNDER_BALL) | self.other_airborne[self.frames]
        front = np.where(anywhere, limits.pressure_front, limits.flat_front)
        return np.asarray(self.sure & self.off_foot(self.on_foot, limits, front))

    @cached_property
    def _misplaced(self) -> dict[Limits, Mask]:
        return {}

    @cached_property
    def _beyond_edges(self) -> dict[tuple[float, float, float], tuple[list[str], list[tuple[str, float]]]]:
        return {}

    @cached_property
    def single_support(self) -> tuple[float, float]:
        """Mean vertical force in body weights over the lighter of the first and last third of single support, and over
        the middle one; twice that of a running stance, alone from landing to leaving (1.3 to 2.2 in 23 of them). NaN
        where single support is too short to tell, or something else may carry the body.
        """
        alone = self.other_airborne[self.frames] & self.alone
        single = self.vertical[alone]
        if self.external_support or len(single) < self.near or not self.weight_N > 0:
            return float("nan"), float("nan")
        guard = self.near // 3 + 1  # 0.03 s
        if alone[:guard].any() and alone[-guard:].any():
            return (float(mean(single)) / self.weight_N,) * 2
        first, middle, last = (float(mean(third)) / self.weight_N for third in np.array_split(single, 3))
        return min(first, last), middle


def _beyond_edges(contact: Evidence, limits: Limits) -> tuple[list[str], list[tuple[str, float]]]:
    """Parts of a pressing foot that lie beside its plates; parts that may, and how far, m."""
    beside: list[str] = []
    over: list[tuple[str, float]] = []
    foot, inside = contact.pressing_track, contact.inside
    for part, point, (along, across), most in (
        ("heel", foot.heel_g, inside.heel, limits.heel_over),
        ("toe", foot.toe_g, inside.toe, limits.toe_over),
    ):
        if min(along, across) >= 0:
            continue
        if contact.overhangs(point, limits):
            reach = -min(along, across) * 100
            over.append((phrase("contact/step_over", part=part, cm=reach), 0.0))
        elif along < -most or across < 0.0:
            beside.append(phrase("contact/part_beside", part=part, cm=max(-along, -across) * 100))
        else:
            over.append((phrase("contact/marker_over", part=part, cm=-along * 100), np.inf))
    if beside or contact.overhangs(foot.toe_g, limits):
        return beside, over
    sideways, ahead = -min(across for _, across in inside.sole), -min(along for along, _ in inside.sole[2:])
    if sideways > SOLE_TOLERANCE:
        beside.append(phrase("contact/sole_beside", cm=sideways * 100))
    elif max(sideways, ahead) > 0 and not over:
        reach = max(sideways, ahead)
        over.append((phrase("contact/sole_over", cm=reach * 100), reach))
    return beside, over
