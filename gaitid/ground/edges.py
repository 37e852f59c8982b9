"""Rules for a foot that reaches over an edge: what its plates measured, by the body's motion, or else by geometry."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gaitid.ground.evidence import Evidence, Limits
from gaitid.ground.reason import SHARING, Reason, unknown
from gaitid.ground.sole import SOLE_TOLERANCE, UNDER_BALL
from gaitid.notes import phrase
from gaitid.trial import Mask


def over_an_edge(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Whether a foot that reaches beyond its plates presses there: the body's motion tells, else how far it does."""
    beside, over = contact.beyond_edges(limits)
    far = [*beside, *(text for text, reach in over if reach > 0)]
    if contact.carries_all(limits):
        if beside:
            yield Reason(0.7, phrase("contact/carries_all", parts=beside), beyond=True)
    elif far and _carries_a_part(contact, limits):
        yield Reason(0.7, phrase("contact/beside", parts=far, **_lacks(contact)), beyond=True)
        return
    elif beside:
        yield unknown("contact/beside", parts=beside, **_lacks(contact))
        return
    elif far and contact.support.tells:
        yield unknown("contact/beside", parts=far[:1], **_lacks(contact))
        return
    for text, _ in over:
        yield Reason(0.7, text)


def pressure_at_an_edge(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """Near an edge that the sole reaches over, a part of the pressure may lie beyond."""
    if not contact.in_one_plane or contact.edge_frames != "unknown":
        return
    beside, over = contact.beyond_edges(limits)
    if not (beside or over) or contact.on_a_step(limits):
        return
    ours = contact.alone & ~contact.misplaced(limits)
    at_edge = ours & contact.sure & _presses_at_an_edge(contact, limits)
    whole = contact.carries_all(limits)
    if whole or _carries_a_part(contact, limits):
        if beside or not whole:
            at_edge = ours
        elif max(reach for _, reach in over) > SOLE_TOLERANCE:
            at_edge |= ours & (contact.to_an_edge < limits.spread_of_toes)
        at_edge &= ~_measured(contact, limits)
    if at_edge.any():
        text = phrase("contact/at_edge_in_part", n=int(at_edge.sum()), around_ms=SHARING * 1000)
        yield Reason(0.9, text, at_edge=at_edge)


def part_of_the_foot(contact: Evidence, limits: Limits) -> Iterator[Reason]:
    """In single support a whole foot carries the body: less tells that a part of it stands beside the plate."""
    if contact.carries_all(limits) or _carries_a_part(contact, limits):
        return
    ends, middle = contact.single_support
    tells = bool(np.isfinite(ends))
    carried = {"tells": tells, "carried": min(ends, middle), "support": contact.external_support}
    carries = ends >= limits.carries and middle >= limits.carries_middle
    over = contact.beyond_edges(limits)[1]
    if any(reach > 0 for _, reach in over) and not carries:
        yield unknown("contact/over_light", part=over[0][0], **carried)
    elif _clearance(contact) < limits.near_edge and not _toe_overhangs(contact, limits):
        if contact.support.tells and contact.support.lost > limits.lost:
            yield unknown("contact/at_edge", **_lacks(contact))
        elif tells and not carries:
            yield unknown("contact/at_edge_light", **carried)
    if ends < limits.light or middle < limits.light_middle:
        yield Reason(0.5, phrase("contact/light", **carried))


# --- what the body's motion says ---------------------------------------------------------------------------


def _carries_a_part(contact: Evidence, limits: Limits) -> bool:
    """Whether the body's motion shows in enough frames of single support that the plates measured all of the foot."""
    if not contact.support.tells:
        return False
    alone = np.isfinite(contact.support.lacking)
    return int((alone & _measured(contact, limits)).sum()) >= contact.near


def _measured(contact: Evidence, limits: Limits) -> Mask:
    """(frames of the contact,) the plates measured all of the foot, by the body's motion.

    It shows that in single support, and of all plates together in double support; where it tells nothing, pressure that
    lies no nearer to the edge was measured too. Nothing was that presses nearer to it than where something lacked.
    """
    support, to_edge = contact.support, contact.to_an_edge
    lacking = np.fmin(support.lacking, support.lacking_of_both)
    most = np.where(to_edge < limits.spread_of_toes, limits.lost_near_edge, limits.lost_at_once)
    whole = contact.carries_all(limits)
    shown = lacking <= (most if whole else limits.lost_near_edge)
    if contact.beyond_edges(limits)[0] or not whole:  # of a pressure at the very edge some lies beyond
        shown &= to_edge >= limits.at_edge
    short = to_edge[np.isfinite(support.lacking) & ~shown]
    nearest = to_edge[shown].min(initial=np.inf) - limits.as_near
    if not whole:
        nearest = max(nearest, short.max(initial=-np.inf))
        shown &= to_edge > nearest
    return np.asarray(shown | (to_edge > nearest))


def _lacks(contact: Evidence) -> dict[str, float]:
    """Whether the body's motion tells, and how many body weights less than it asks for a contact gives at most."""
    support = contact.support
    return {"motion": support.tells, "lost": float(np.fmax.reduce(support.lacking, initial=support.lost))}


# --- where the foot and its pressure lie --------------------------------------------------------------------


def _presses_at_an_edge(contact: Evidence, limits: Limits) -> Mask:
    """(frames of the contact,) whether a part of the pressure may lie beyond an edge that the foot reaches over.

    Its centre lies near an edge; or the sole reaches over the front and the foot is on its ball.
    """
    reaches = [-min(corner) for corner in contact.inside.sole]
    # the heel's marker stands behind what presses
    behind, ahead = max(reaches[:2]) - limits.heel_round, max(reaches[2:])
    toe_over = contact.inside.toe[0] < 0
    limit = min(limits.at_edge + max(behind, ahead, 0.0) / 2, limits.spread_of_toes if toe_over else limits.spread)
    near = contact.to_an_edge < limit
    return np.asarray(near | ((ahead > SOLE_TOLERANCE) & (contact.roll == UNDER_BALL)))


def _clearance(contact: Evidence) -> float:
    """Least distance, m, from the sole to an edge of the plates that it stands on; negative over it."""
    return min(min(corner) for corner in contact.inside.sole)


def _toe_overhangs(contact: Evidence, limits: Limits) -> bool:
    return contact.overhangs(contact.pressing_track.toe_g, limits)
