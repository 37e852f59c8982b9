"""Whether plates carried the whole of one contact of one foot, and how sure that is: a list of rules.

Each rule looks at one kind of evidence and gives its reasons; the first reason that makes the load unknown ends the
list. The evidence and the limits stand in `gaitid.ground.evidence`, the rules of edges in `gaitid.ground.edges`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

import numpy as np

from gaitid.ground.edges import over_an_edge, part_of_the_foot, pressure_at_an_edge
from gaitid.ground.evidence import BY_HAND, BY_SAMPLES, Evidence, Limits
from gaitid.ground.plate_load import smallest_sure
from gaitid.ground.reason import SHARING, Reason, unknown
from gaitid.ground.sole import UNDER_BALL, UNDER_HEEL, pressure_on_foot
from gaitid.notes import phrase
from gaitid.numerics.masks import known_part, spans
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import mean, median, quantile
from gaitid.records import frozen_dataclass
from gaitid.trial import Mask

# Quantiles between which the pressure travels.
TRAVEL = (0.05, 0.95)
# m. The toe marker of a foot that stands on the floor travels by less while it presses (0.051 in those of 16
# shared trials at most), on a belt by more.
CARRIED = 0.1
# Of the heel-toe distance: whose heel goes forward by less around a contact does not walk over it. Clean whole contacts
# 1.5 and more (13 on floors, stairs and belts), those that the trial cuts 1.1 and more on floors.
MOVED = 0.5
# What cuts a contact off, where that is no end of the trial or of a pass.
_CUT = {BY_HAND: "by_hand", BY_SAMPLES: "no_samples"}
METHOD = "plate force, foot over plate, pressure under foot"


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
    beyond : bool
        The foot may have stood beyond an edge before the contact, or may stand there after it.
    """

    known: bool
    confidence: float
    reason: str
    misplaced: Mask
    at_edge: Mask
    beyond: bool = False


def judge(contact: Evidence, limits: Limits = Limits()) -> Judgement:  # noqa: B008 - it cannot be changed
    """Weigh the evidence of one contact, rule by rule."""
    nothing = np.zeros(len(contact.shared), dtype=bool)
    doubts: list[Reason] = []
    for rule in RULES:
        for reason in rule(contact, limits):
            if not reason.weight:
                why = phrase("contact/of_plate", on=contact.plate_names, why=reason.text)
                return Judgement(False, 0.0, why, nothing, nothing)
            doubts.append(reason)
    confidence = prod(doubt.weight for doubt in doubts)
    misplaced, at_edge = (
        next((mask for mask in masks if mask is not None), nothing)
        for masks in ([doubt.misplaced for doubt in doubts], [doubt.at_edge for doubt in doubts])
    )
    words, beyond = "; ".join(doubt.text for doubt in doubts), any(doubt.beyond for doubt in doubts)
    return Judgement(True, round(0.99 * confidence, 2), words, misplaced, at_edge, beyond)


# --- rules: what cannot be ----------------------------------------------------------------------------------


def too_heavy(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Nobody presses with many body weights: a channel is in another unit."""
    if contact.weight_N > 0 and contact.peak > limits.most * contact.weight_N:
        yield unknown("contact/too_heavy", times=contact.peak / contact.weight_N)


def plate_misplaced(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Nothing is known from a plate whose corners do not fit the feet."""
    fault = next((contact.faults[p.number] for p in contact.plates if p.number in contact.faults), "")
    if fault:
        yield unknown("contact/plate_misplaced", fault=fault)


def both_feet(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """While both feet are on a plate, it does not tell what each of them carries."""
    if not contact.shared.any():
        return
    loaded = contact.alone & (contact.vertical > contact.threshold_N)
    if not longest(loaded) > contact.near:
        yield unknown("contact/both_feet")


def markers_missing(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Without its markers nobody knows where the foot is."""
    if not contact.pressing.any():
        yield unknown("contact/no_markers")
    elif not contact.seen.all():
        yield Reason(0.8, phrase("contact/markers_in_part"))


# --- rules: where the foot is -------------------------------------------------------------------------------


def height_above_surface(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A foot that stands on a plate has its markers a few centimetres above it."""
    here, plate = contact.pressing_track, contact.plates[0]
    height = float(median(np.minimum(plate.height(here.heel_g), plate.height(here.toe_g))))
    if not contact.in_one_plane or limits.lowest_doubt < height < limits.low_doubt:
        return
    cm, above = abs(height) * 100, height > 0
    if not limits.lowest < height < limits.low:
        yield unknown("contact/height", cm=cm, above=above)
    else:
        yield Reason(0.8, phrase("contact/height_doubtful", cm=cm, above=above))


def timing(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A force that begins or ends while the foot stands still: part of the foot stands elsewhere."""
    early, late = contact.stance.beyond(contact.first, contact.last)
    if not contact.cut[0] and early > contact.near:
        yield unknown("contact/early", n=early)
    if not contact.cut[1] and late > contact.near:
        yield unknown("contact/late", n=late)


# --- rules: where it presses --------------------------------------------------------------------------------


def pressure_on_each_plate(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """The pressure on each of several plates lies under the foot that they carry together."""
    for plate in contact.plates if len(contact.plates) > 1 else ():
        least = max(contact.threshold_N, smallest_sure(plate))
        part = contact.alone & (plate.vertical[contact.frames] > least)
        aside, along = pressure_on_foot(plate.cop_g[contact.frames], contact.track, contact.normal_g)
        beyond = part & contact.off_foot((aside, along), limits, limits.pressure_front)
        if beyond.sum() > limits.misplaced_share * max(part.sum(), 1):
            yield unknown("contact/one_of_several", plate=plate.number)


def pressure_off_the_roll(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A pitched foot presses at its heel or its ball; over a stance the pressure keeps to the line of the foot."""
    if not contact.in_one_plane or contact.far_over_a_step(limits):
        return
    sure = contact.sure & (contact.vertical > limits.roll_force * contact.peak)
    forward, leftward = contact.off_the_roll
    pitched = contact.roll
    worst, where = 0.0, ""
    for values, mask, ways in (
        (forward, pitched == UNDER_HEEL, ("ahead", "behind")),
        (forward, pitched == UNDER_BALL, ("ahead", "behind")),
        (leftward, np.isfinite(leftward), ("left", "right")),
    ):
        typical = values[mask & sure & np.isfinite(values)]
        away = float(median(typical)) if len(typical) >= limits.roll_frames else 0.0
        if abs(away) > worst:
            worst, where = abs(away), phrase(f"contact/{ways[away < 0]}")
    if worst > limits.roll_off:
        yield unknown("contact/off_roll", cm=worst * 100, where=where)
    elif worst > limits.roll_doubt:
        yield Reason(0.8, phrase("contact/off_roll_doubtful", cm=worst * 100, where=where))


def pressure_off_the_foot(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Pressure that is not under the foot is not its alone."""
    if not contact.in_one_plane:
        return
    misplaced = contact.misplaced(limits)
    if misplaced.sum() > limits.misplaced_share * max(contact.sure.sum(), 1):
        aside = contact.on_foot[0]
        away = float(median(aside[contact.sure & np.isfinite(aside)]))
        yield unknown("contact/off_foot", cm=away * 100)
    elif misplaced.any():
        text = phrase("contact/off_foot_in_part", n=int(misplaced.sum()), around_ms=SHARING * 1000)
        yield Reason(0.8, text, misplaced=misplaced)


def pressure_runs_backward(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """The pressure of a foot that walks forward runs from heel to toe."""
    if not contact.in_one_plane:
        return
    along = contact.on_foot[1]
    thirds = along[contact.pressing & np.isfinite(along)]
    k = len(thirds) // 3
    if not (k and _moves_forward(contact)):
        return
    forward = mean(thirds[-k:]) - mean(thirds[:k])
    if forward < limits.backward:
        yield unknown("contact/backward")
    elif forward < limits.backward_doubt:
        yield Reason(0.8, phrase("contact/not_forward"))


def pressure_runs_sideways(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """The pressure runs along a foot that rolls over it, and by no more than its breadth across."""
    across_m, along_m = travelled(contact, limits)
    if across_m > limits.sideways:
        if along_m < across_m:
            yield unknown("contact/across", across_cm=across_m * 100, along_cm=along_m * 100)
        else:
            yield Reason(0.8, phrase("contact/across_doubtful", across_cm=across_m * 100))


# --- rules: what the plate and the trial do not say ---------------------------------------------------------


def edges_unknown(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Without corners only the pressure tells who is on a plate."""
    if not all(plate.outlined for plate in contact.plates):
        yield Reason(0.8, phrase("contact/no_edges"))


def empty_reading(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """What a plate reads while it is empty is in the load too."""
    bias = max(float(np.linalg.norm(p.bias_left_g)) for p in contact.plates)
    if bias > limits.bias:
        yield Reason(0.9, phrase("contact/bias", N=bias))


def contact_cut(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A contact whose beginning or end was not recorded shows less of itself."""
    begin, stop = contact.recorded
    passes = stop - begin < len(contact.foot.heel_g)
    near = contact.first - begin, stop - 1 - contact.last
    reasons = []
    for end, cut, n in zip(("begin", "end"), contact.cut, near, strict=True):
        if by := _CUT.get(cut) or ("cut" if n <= 0 else cut and "near"):
            reasons.append(phrase(f"contact/{by}_{end}", n=n, of_pass=passes))
    if reasons:
        yield Reason(0.9, "; ".join(reasons))


def never_empty(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """A plate that is never known to be empty may have a bias."""
    if not all(np.isfinite(plate.bias_g).all() for plate in contact.plates):
        yield Reason(0.95, phrase("contact/never_empty"))


#: In this order; the reasons of a contact stand in it.
RULES: tuple[Callable[[Evidence, Limits], Iterator[Reason]], ...] = (
    too_heavy,
    plate_misplaced,
    both_feet,
    markers_missing,
    height_above_surface,
    over_an_edge,
    timing,
    pressure_on_each_plate,
    pressure_off_the_roll,
    pressure_off_the_foot,
    pressure_at_an_edge,
    pressure_runs_backward,
    pressure_runs_sideways,
    part_of_the_foot,
    edges_unknown,
    empty_reading,
    contact_cut,
    never_empty,
)


def travelled(contact: Evidence, limits: Limits) -> tuple[float, float]:
    """How far the pressure travels across a foot and along it, m; NaN where too few frames tell."""
    nothing = float("nan"), float("nan")
    if not contact.in_one_plane:
        return nothing
    sure = contact.sure & (contact.vertical > limits.roll_force * contact.peak) & ~contact.misplaced(limits)
    places = known_part(np.stack([contact.off_the_roll[1], contact.on_foot[1] * contact.length], axis=1)[sure])
    if len(places) < limits.roll_frames:
        return nothing
    across_m, along_m = quantile(places, TRAVEL[1]) - quantile(places, TRAVEL[0])
    return float(across_m), float(along_m)


# --- geometry -----------------------------------------------------------------------------------------------


def longest(mask: Mask) -> int:
    """Length of the longest run of true values."""
    return max((stop - start for start, stop in spans(mask)), default=0)


def _moves_forward(contact: Evidence) -> bool:
    """Whether the foot comes from behind and leaves to the front, by its heel a while before and after the contact.

    Of a contact that an end of its pass cuts one of both is the foot as it stands: on a belt, which carries it, no
    witness.
    """
    heel, toe = contact.foot.heel_g, known_part(contact.pressing_track.toe_g)
    begin, stop = contact.recorded
    before, after = contact.first - 3 * contact.near, contact.last + 3 * contact.near
    if (before < begin or after >= stop) and len(toe) and norm(toe[-1] - toe[0]) > CARRIED:
        return False
    before, after = max(before, begin), min(after, stop - 1)
    line = known_part(contact.track.toe_g - contact.track.heel_g)
    if not len(line):
        return False
    foot_g = mean(line)
    return bool((heel[after] - heel[before]) @ foot_g > MOVED * (foot_g @ foot_g))
