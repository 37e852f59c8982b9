"""Whether plates carried the whole of one contact of one foot, and how sure that is: a list of rules.

Each rule looks at one kind of evidence and gives its reasons; the first reason that makes the load unknown ends the
list. Whether a plate's channels, place and clock fit the feet is judged over all contacts together (`gaitid.faults`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod

import numpy as np

from gaitid.ground.evidence import BY_HAND, BY_SAMPLES, LACKS, SHARING, Evidence
from gaitid.ground.sole import (
    HALF_WIDTH,
    MAY_STAND,
    OUTLINE,
    UNDER_BALL,
    UNDER_HEEL,
    flat_parts,
    odds_of_foot,
    pressed_point,
    rolled,
)
from gaitid.notes import phrase
from gaitid.numerics.masks import known_rows, median
from gaitid.numerics.rotation import cross, dot, norm
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Mask

# Body weights. Nobody presses with more: jumps and sprints reach 5.
MOST = 12.0
# m. The lower of heel and toe marker above the surface, median of a stance: clean ones 0.010 to 0.054 bare and shod,
# 0.061 on landing from a jump; a thick sole or a built-up shoe adds 0.03. Beyond these it is doubtful.
USUAL_HEIGHT = (0.0, 0.09)
# Logarithm of the odds against a foot, twenty to one, from which on pressure is not its own: of medians while only heel
# or ball is down. Stances of 25 laboratories show 1.9 at most, plates that lie 10 cm off 11 and more.
AGAINST = 3.0
# Of the frames whose pressure tells: with more of it beside the sole the whole contact is unknown.
MISPLACED_SHARE = 0.15
# m. Pressure is spread over some centimetres: nearer to an edge that the sole reaches over a part may lie beyond.
SPREAD = 0.05
# What cuts a contact off, where that is no end of the trial or of a pass.
_CUT = {BY_HAND: "by_hand", BY_SAMPLES: "no_samples"}
METHOD = "plate force, foot over plate, pressure under foot"


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
    beyond : bool
        The foot may have stood beyond an edge before, or may stand there after.
    """

    weight: float
    text: str
    misplaced: Mask | None = None
    at_edge: Mask | None = None
    beyond: bool = False


def unknown(name: str, /, **values: object) -> Reason:
    """The load cannot be known, in words of `gaitid.notes.phrase`."""
    return Reason(0.0, phrase(name, **values))


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


def judge(contact: Evidence) -> Judgement:
    """Weigh the evidence of one contact, rule by rule."""
    nothing = np.zeros(len(contact.shared), dtype=bool)
    doubts: list[Reason] = []
    for rule in RULES:
        for reason in rule(contact):
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


def too_heavy(contact: Evidence) -> Iterator[Reason]:
    """Nobody presses with many body weights: a channel is in another unit."""
    if contact.weight_N > 0 and contact.peak > MOST * contact.weight_N:
        yield unknown("contact/too_heavy", times=contact.peak / contact.weight_N)


def plate_misplaced(contact: Evidence) -> Iterator[Reason]:
    """Nothing is known from a plate whose corners do not fit the feet."""
    fault = next((contact.faults[p.number] for p in contact.plates if p.number in contact.faults), "")
    if fault:
        yield unknown("contact/plate_misplaced", fault=fault)


def both_feet(contact: Evidence) -> Iterator[Reason]:
    """While both feet are on a plate, it does not tell what each of them carries."""
    loaded = contact.alone & (contact.vertical > contact.threshold_N)
    if contact.shared.any() and not loaded.any():
        yield unknown("contact/both_feet")


def markers_missing(contact: Evidence) -> Iterator[Reason]:
    """Without its markers nobody knows where the foot is."""
    if not contact.pressing.any():
        yield unknown("contact/no_markers")
    elif not contact.seen.all():
        yield Reason(0.8, phrase("contact/markers_in_part"))


# --- rules: where the foot is -------------------------------------------------------------------------------


def height_above_surface(contact: Evidence) -> Iterator[Reason]:
    """A foot that stands on a plate has its markers a few centimetres above it."""
    here, plate = contact.pressing_track, contact.plates[0]
    height = float(median(np.minimum(plate.height(here.heel_g), plate.height(here.toe_g))))
    if not contact.in_one_plane or USUAL_HEIGHT[0] < height < USUAL_HEIGHT[1]:
        return
    cm, above = abs(height) * 100, height > 0
    if not MAY_STAND[0] < height < MAY_STAND[1]:
        yield unknown("contact/height", cm=cm, above=above)
    else:
        yield Reason(0.8, phrase("contact/height_doubtful", cm=cm, above=above))


def over_an_edge(contact: Evidence) -> Iterator[Reason]:
    """Whether a foot that reaches beyond its plates presses there: the body's motion tells, else how far it does."""
    beside, over = contact.beyond_edges
    far = [*beside, *(text for text, reach in over if reach > 0)]
    if contact.carries_all:
        if beside:
            yield Reason(0.7, phrase("contact/carries_all", parts=beside), beyond=True)
    elif far and _carries_a_part(contact):
        yield Reason(0.7, phrase("contact/beside", parts=far, **_lacks(contact)), beyond=True)
        return
    elif beside or (far and contact.support.tells):
        yield unknown("contact/beside", parts=beside or far[:1], **_lacks(contact))
        return
    for text, _ in over:
        yield Reason(0.7, text)


def timing(contact: Evidence) -> Iterator[Reason]:
    """A force that begins or ends while the foot stands still: part of the foot stands elsewhere."""
    early, late = contact.stance.beyond(contact.first, contact.last)
    if not contact.cut[0] and early > contact.near:
        yield unknown("contact/early", n=early)
    if not contact.cut[1] and late > contact.near:
        yield unknown("contact/late", n=late)


# --- rules: where it presses --------------------------------------------------------------------------------


def pressure_under_the_foot(contact: Evidence) -> Iterator[Reason]:
    """Pressure lies at heel or ball while only that is down, and under the sole, or it is another's too."""
    if not contact.in_one_plane:
        return
    off_m, misplaced = off_the_ends(contact), contact.misplaced
    if odds_of_foot(off_m) < -AGAINST or misplaced.sum() > MISPLACED_SHARE * contact.sure.sum():
        yield unknown("contact/off_foot", cm=max(off_m, contact.away) * 100)
    elif misplaced.any():
        text = phrase("contact/off_foot_in_part", n=int(misplaced.sum()), around_ms=SHARING * 1000)
        yield Reason(0.8, text, misplaced=misplaced)


def pressure_runs_sideways(contact: Evidence) -> Iterator[Reason]:
    """The pressure runs along a foot that rolls over it, and over no more than half its breadth across.

    In a run it stays under the ball: of exchanged moments nothing else tells. What runs evenly over a length scatters
    by that over √12.
    """
    along_m, across_m = scatter(contact)
    if across_m > max(along_m / 2, HALF_WIDTH / np.sqrt(12)):  # a foot is three times as long as broad
        yield unknown("contact/across", across_cm=across_m * 100, along_cm=along_m * 100)


def pressure_at_an_edge(contact: Evidence) -> Iterator[Reason]:
    """Near an edge that the sole reaches over, a part of the pressure may lie beyond."""
    if not contact.in_one_plane or contact.edge_frames != "unknown" or contact.on_a_step:
        return
    beside, over = contact.beyond_edges
    if not (beside or over):
        return
    ours = contact.alone & ~contact.misplaced
    at_edge = ours & contact.sure & (contact.to_an_edge < SPREAD)
    whole = contact.carries_all
    if whole or _carries_a_part(contact):
        at_edge = (ours if beside or not whole else at_edge) & ~_measured(contact)
    if at_edge.any():
        text = phrase("contact/at_edge_in_part", n=int(at_edge.sum()), around_ms=SHARING * 1000)
        yield Reason(0.9, text, at_edge=at_edge)


# --- rules: what the plate and the trial do not say ---------------------------------------------------------


def edges_unknown(contact: Evidence) -> Iterator[Reason]:
    """Without corners only the pressure tells who is on a plate."""
    if not all(plate.outlined for plate in contact.plates):
        yield Reason(0.8, phrase("contact/no_edges"))


def contact_cut(contact: Evidence) -> Iterator[Reason]:
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


def never_empty(contact: Evidence) -> Iterator[Reason]:
    """A plate that is never known to be empty may have a bias."""
    if not all(np.isfinite(plate.bias_g).all() for plate in contact.plates):
        yield Reason(0.95, phrase("contact/never_empty"))


#: In this order; the reasons of a contact stand in it.
RULES: tuple[Callable[[Evidence], Iterator[Reason]], ...] = (
    too_heavy,
    plate_misplaced,
    both_feet,
    markers_missing,
    height_above_surface,
    over_an_edge,
    timing,
    pressure_under_the_foot,
    pressure_at_an_edge,
    pressure_runs_sideways,
    edges_unknown,
    contact_cut,
    never_empty,
)


def off_the_ends(contact: Evidence) -> float:
    """m, from the pressure to heel and ball while only that is down: the greater of the medians."""
    if contact.on_a_step and min(*contact.inside.heel, *contact.inside.toe) < -OUTLINE:
        return 0.0
    at = rolled(contact.track, contact.normal_g)
    off = norm(flat_parts(contact.cop_g - pressed_point(contact.track, at, 0), contact.normal_g))
    ends = [off[contact.sure & (at == end) & np.isfinite(off)] for end in (UNDER_HEEL, UNDER_BALL)]
    return max((float(median(end)) for end in ends if end.size), default=0.0)


def scatter(contact: Evidence) -> tuple[float, float]:
    """Standard deviations of the pressure along a foot and across it, m, by its force; NaN where nothing tells."""
    foot, normal_g = contact.track, contact.normal_g
    forward_g, to_cop_g = flat_parts(foot.line_g, normal_g), flat_parts(contact.cop_g - foot.heel_g, normal_g)
    with np.errstate(invalid="ignore", divide="ignore"):
        forward_g = forward_g / norm(forward_g)[:, None]
    ways = np.stack([dot(to_cop_g, way_g) for way_g in (forward_g, cross(normal_g, forward_g))], axis=1)
    tells = contact.sure & ~contact.misplaced & known_rows(ways)
    if not (contact.in_one_plane and tells.any()):
        return float("nan"), float("nan")
    ways, push = ways[tells], contact.vertical[tells, None]
    off = ways - (push * ways).sum(axis=0) / push.sum()
    along_m, across_m = np.sqrt((push * off**2).sum(axis=0) / push.sum()).tolist()
    return along_m, across_m


# --- what the body's motion says ---------------------------------------------------------------------------


def _carries_a_part(contact: Evidence) -> bool:
    """Whether the body's motion shows in enough frames of single support that the plates measured all of the foot."""
    alone = np.isfinite(contact.support.lacking)
    return contact.support.tells and int((alone & _measured(contact)).sum()) >= contact.near


def _measured(contact: Evidence) -> Mask:
    """(frames of the contact,) the plates measured all of the foot, by the body's motion.

    It shows that in single support, and of all plates together in double support; where it tells nothing, pressure that
    lies no nearer to the edge was measured too. Nothing was that presses nearer to it than where something lacked.
    """
    support, to_edge, whole = contact.support, contact.to_an_edge, contact.carries_all
    near = to_edge < SPREAD
    shown = np.fmin(support.lacking, support.lacking_of_both) <= np.where(near | (not whole), LACKS / 2, LACKS)
    if contact.beyond_edges[0] or not whole:  # of a pressure at the very edge some lies beyond
        shown &= ~near
    short = to_edge[np.isfinite(support.lacking) & ~shown]
    nearest = to_edge[shown].min(initial=np.inf)
    if not whole:
        nearest = max(nearest, short.max(initial=-np.inf))
        shown &= to_edge > nearest
    return np.asarray(shown | (to_edge > nearest))


def _lacks(contact: Evidence) -> dict[str, float]:
    """Whether the body's motion tells, and how many body weights less than it asks for a contact gives at most."""
    support = contact.support
    return {"motion": support.tells, "lost": float(np.fmax.reduce(support.lacking, initial=support.lost))}
