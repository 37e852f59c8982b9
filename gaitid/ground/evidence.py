"""Everything that tells whether plates carried the whole of one contact of one foot, before it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.balance import Balance, Support, no_support, support_of
from gaitid.ground.claims import FootClaims
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import STEP, Carried, PlateLoad, one_plane, smallest_sure
from gaitid.ground.sole import OUTLINE, SOLE_TOLERANCE, inside_edges, lower_beyond, median_off, off_the_sole, sole
from gaitid.ground.stance import Stance
from gaitid.notes import phrase
from gaitid.numerics.masks import known_rows, mean, median, spans, widened
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

#: What cuts a contact off.
BY_TRIAL, BY_HAND, BY_SAMPLES = "trial", "hand", "samples"
# s. Frames this near to one whose load may not be the foot's alone are not sure either, unless the pressure tells.
SHARING = 0.03
# s. A plate that takes up or loses its load farther than this from when the foot lands or leaves does not carry the
# whole foot; the same as a share of the contact: who walks slowly also lands slowly.
TIMING, TIMING_SHARE = 0.10, 0.12
# Body weights. A foot that gives less than the body's motion asks for by more was not measured wholly: five standard
# deviations of what sound recordings leave of the vertical force (`gaitid.faults.spread`, 0.022). Clean stances of the
# shared trials lack -0.06 to 0.05, and for 0.2 s at most 0.08; partial hits 0.36 and more (elsewhere 0.10 to 0.45).
LACKS = 0.12


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
    faults : mapping of plate number to str
        Plates whose corners do not fit the feet, and why.
    support : Support
        What the body's motion says of its load.
    lower_ground : function
        Where markers of feet are while these stand lower than a plate, anywhere in the trial, (n, 3), m.
    """

    foot: FootTrack
    stance: Stance
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
    faults: Mapping[int, str]
    support: Support
    lower_ground: Callable[[], Array]

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
    def misplaced(self) -> Mask:
        """(frames of the contact,) whether a force that tells presses where the sole of this foot is not."""
        return np.asarray(self.sure & (off_the_sole(self.cop_g, self.track, self.normal_g) > OUTLINE))

    @cached_property
    def away(self) -> float:
        """m, from the foot's sole to the pressure: the median under more than half of the greatest force."""
        heavy = np.flatnonzero(self.vertical > 0.5 * float(np.fmax.reduce(self.vertical)))
        return median_off(self.cop_g[heavy], self.track.during(heavy), self.normal_g) if self.in_one_plane else np.nan

    @cached_property
    def inside(self) -> Inside:
        """How far the parts of the pressing foot lie inside the plates' edges."""
        foot = self.pressing_track
        line = mean(foot.toe_g - foot.heel_g)
        points = np.array([foot.heel_g, foot.toe_g, *sole(foot, self.normal_g)])
        heel, toe, *corners = inside_edges(points, line, self.plates)
        return Inside(heel, toe, corners)

    def overhangs(self, part_g: Array) -> bool:
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
        return beyond and self.carries_all and lower_beyond(upper, part_g, self.lower_ground())

    @cached_property
    def carries_all(self) -> bool:
        """Whether the body's motion shows that the plates measured the whole foot while it stood alone."""
        return self.support.lost <= LACKS and not (self.support.lacking > LACKS).any()

    @cached_property
    def beyond_edges(self) -> tuple[list[str], list[tuple[str, float]]]:
        """Parts of the pressing foot that lie beside its plates; parts that may, and how far, m.

        None where no frame shows it pressing: nobody knows where it stands.
        """
        beside: list[str] = []
        over: list[tuple[str, float]] = []
        if not self.pressing.any():
            return beside, over
        foot, inside = self.pressing_track, self.inside
        for part, point, (along, across) in (("heel", foot.heel_g, inside.heel), ("toe", foot.toe_g, inside.toe)):
            if min(along, across) >= 0:
                continue
            if self.overhangs(point):
                over.append((phrase("contact/step_over", part=part, cm=-min(along, across) * 100), 0.0))
            elif along < -OUTLINE or across < 0.0:
                beside.append(phrase("contact/part_beside", part=part, cm=max(-along, -across) * 100))
            else:
                over.append((phrase("contact/marker_over", part=part, cm=-along * 100), np.inf))
        if beside or self.overhangs(foot.toe_g):
            return beside, over
        sideways, ahead = -min(across for _, across in inside.sole), -min(along for along, _ in inside.sole[2:])
        if sideways > SOLE_TOLERANCE:
            beside.append(phrase("contact/sole_beside", cm=sideways * 100))
        elif max(sideways, ahead) > 0 and not over:
            reach = max(sideways, ahead)
            over.append((phrase("contact/sole_over", cm=reach * 100), reach))
        return beside, over

    @property
    def on_a_step(self) -> bool:
        """Whether a part of the foot hangs over the edge of a step."""
        return any(reach == 0.0 for _, reach in self.beyond_edges[1])


# --- put together ---------------------------------------------------------------------------------------------


def gather(feet: Sequence[FootClaims], weight_N: float, balance: Balance | None) -> dict[str, list[Evidence]]:
    """What tells of every contact of each foot with plates, by side, in the order of their frames.

    Parameters
    ----------
    feet : sequence of FootClaims
    weight_N : float
        Of the body.
    balance : Balance or None
        What the body's motion asks of the ground; None where it says nothing.
    """
    found = {foot.side: _on_plates(foot, weight_N, balance) for foot in feet}
    # what contacts that raise no question lack is a wrong mass, or what the model leaves out: of all of them
    lost = [
        contact.support.lost
        for contacts in found.values()
        for contact in contacts
        if contact.support.tells and contact.pressing.any() and not any(contact.beyond_edges)
    ]
    if not lost:
        return found
    usual = float(median(np.array(lost)))
    return {side: [replace(one, support=one.support.beyond(usual)) for one in of] for side, of in found.items()}


def _on_plates(foot: FootClaims, weight_N: float, balance: Balance | None) -> list[Evidence]:
    """Contacts of one foot with plates, and what tells of each."""
    ground, given = foot.ground, foot.given
    any_plate = np.zeros(ground.n_frames, dtype=bool)
    for plate in ground.plates:
        any_plate |= foot.on(plate)
    runs = [*spans(any_plate & ~given), *spans(any_plate & given)]
    return [_evidence(foot, first, stop, weight_N, balance) for first, stop in runs]


def _evidence(foot: FootClaims, first: int, stop: int, weight_N: float, balance: Balance | None) -> Evidence:
    """What tells of the contact of a foot with plates from `first` to before `stop`."""
    ground = foot.ground
    rate_hz, sharing = ground.rate_hz, round(SHARING * ground.rate_hz)
    plates = [p for p in ground.plates if foot.on(p)[first:stop].any()]
    before = max(first - sharing, 0)
    around = slice(before, stop + sharing)
    shared = reduce(np.logical_or, [foot.shares(p)[around] & foot.on(p)[around] for p in plates])
    if shared.any():
        shared |= widened(reduce(np.logical_or, [foot.shared_perhaps(p, around) for p in plates]), sharing)
    shared = shared[first - before : stop - before]
    here = slice(first, stop)
    load, near = foot.carried(plates, here), near_frames(stop - first, rate_hz)
    begin, end = recorded = ground.recorded(first)
    cut = (
        _cut_by(foot, plates, first, first - 1 if first > begin else None, first <= begin + near),
        _cut_by(foot, plates, stop, stop if stop < end else None, stop >= end - near),
    )
    support: Support = no_support(stop - first)
    if balance is not None:
        alone = foot.other_airborne[here] & ~shared
        support = support_of(balance, here, alone, (load.wrench.f_g, _all_plates(ground, here)), weight_N)
    return Evidence(
        foot=foot.foot,
        stance=foot.stance,
        load=load,
        plates=plates,
        all_plates=ground.plates,
        first=first,
        last=stop - 1,
        shared=shared,
        near=near,
        recorded=recorded,
        cut=cut,
        weight_N=weight_N,
        threshold_N=ground.settings.contact_threshold_N,
        edge_frames=ground.settings.edge_frames,
        faults=ground.withheld,
        support=support,
        lower_ground=lambda: ground.lower_ground_g,
    )


def _cut_by(foot: FootClaims, plates: Sequence[PlateLoad], edge: int, beyond: int | None, at_end: bool) -> str:
    """What cuts a contact off at an `edge`, beside which the frame `beyond` of its pass lies; empty where nothing."""
    if beyond is not None and edge in foot.given_edges:
        return BY_HAND
    if beyond is not None and not foot.knows(plates, beyond):
        return BY_SAMPLES
    return BY_TRIAL if at_end else ""


def _all_plates(ground: Ground, frames: slice) -> Array:
    """(frames, 3) N, what all plates give together."""
    return reduce(np.add, [plate.wrench.f_g[frames] for plate in ground.plates])


def near_frames(n: int, rate_hz: float) -> int:
    """Frames by which a force may begin or end beside the foot's own landing and leaving, in a contact of n frames."""
    return max(2, round(TIMING * rate_hz), round(TIMING_SHARE * n))
