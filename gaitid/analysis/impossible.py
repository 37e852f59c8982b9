"""Joint moments that no person exerts -> limbs without them, and notes of what made them: a load, or a movement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gaitid.analysis.limb import Mechanics, solve_limbs
from gaitid.analysis.result import SideResult
from gaitid.body.discontinuities import EXTREMES, jumping, labels_of_segments, moment_limit
from gaitid.body.poses import Body
from gaitid.dynamics.chain import Wrench
from gaitid.ground.contacts import UNKNOWN, Contact, FootLoad
from gaitid.markers.clean import Markers
from gaitid.markers.faults import frame_words
from gaitid.markers.filtering import SMOOTHED_BELOW_MM, reach
from gaitid.markers.jumps import JUMP_M, JUMP_M_PER_S, JUMP_TIMES_NOISE
from gaitid.notes import Notes, note
from gaitid.numerics.masks import spans, widened
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

# Share of a moment from which on the load on the foot makes it: of two parts that add up to it one has half.
BY_LOAD = 0.5


class Posed(NamedTuple):
    """What limbs are solved with besides the loads on their feet.

    Attributes
    ----------
    body : Body
    markers : Markers
    mechanics : Mechanics
    emptied : mapping of side to (frames,) bool array
        Where poses that jump are unknown (`gaitid.body.discontinuities`).
    """

    body: Body
    markers: Markers
    mechanics: Mechanics
    emptied: Mapping[str, Mask]


def possible_limbs(
    solved: Mapping[str, SideResult], posed: Posed, loads: Mapping[str, FootLoad], contacts: Sequence[Contact]
) -> tuple[dict[str, SideResult], Notes]:
    """Limbs, by side, without moments that no person exerts.

    Where one is beyond `moment_limit` its cause counts as unknown: the load on the foot in that contact, or how the leg
    moves, as far as filter and derivatives carry it. So everything that follows from it is empty.

    Parameters
    ----------
    solved : mapping of side to SideResult
    posed : Posed
    loads : mapping of side to FootLoad
    contacts : sequence of Contact
    """
    limbs = dict(solved)
    notes: Notes = ()
    for side, limb in solved.items() if posed.body.model.touches_ground else ():
        joints = [joint for joint in limb.wrenches if joint in EXTREMES]
        sizes = [norm(limb.wrenches[joint].m_g) / posed.mechanics.mass_kg / moment_limit(joint) for joint in joints]
        shares = np.nan_to_num(np.array(sizes).reshape(-1, len(limb.load.state)))
        if not (shares > 1).any():
            continue
        by_load = np.array([_by_load(limb, joint) for joint in joints])
        beside = reach(posed.markers.quality["marker_filter"], posed.body.rate_hz)
        of_load, of_motion = (widened(((shares > 1) & cause).any(axis=0), beside) for cause in (by_load, ~by_load))
        for contact in contacts:  # what makes a load too large there makes it wrong in the rest of the contact, too
            if contact.side == side and contact.plates and of_load[contact.first : contact.last + 1].any():
                of_load[contact.loaded] = True
        moving = {key: replace(of, moves=~of_motion) for key, of in posed.body.segments.items() if key[0] == side}
        body = replace(posed.body, segments={**posed.body.segments, **moving})
        emptied = {side: of_load | of_motion | posed.emptied.get(side, False)}
        limbs |= solve_limbs(body, {side: _without(loads[side], of_load)}, posed.mechanics, emptied)
        for caused, wide, words in ((by_load, of_load, _of_load), (~by_load, of_motion, _of_motion)):
            beyond = np.where(caused, shares, 0.0)
            k, at = (int(index) for index in np.unravel_index(np.argmax(beyond), beyond.shape))
            if beyond[k, at] > 1:
                cause, values = words(side, limb, joints[k], at, posed, contacts)
                limit, first = moment_limit(joints[k]), posed.markers.first_frame
                notes += (
                    note(
                        f"moment_impossible/{cause}",
                        side,
                        joint=joints[k],
                        moment=beyond[k, at] * limit,
                        frame=at + first,
                        limit=limit,
                        frames=frame_words([(start, stop - 1) for start, stop in spans(wide)], first),
                        **values,
                    ),
                )
    return limbs, notes


def _by_load(limb: SideResult, joint: str) -> Mask:
    """(frames,) whether the load on the foot makes a joint's moment, not the weight and the movement of the leg."""
    wrench = limb.wrenches[joint]
    return np.asarray(norm(limb.acting.wrench.at(wrench.p_g).m_g) >= BY_LOAD * norm(wrench.m_g))


def _without(load: FootLoad, frames: Mask) -> FootLoad:
    """The load on a foot, unknown in some frames."""

    def known(values: Array) -> Array:
        return np.where(frames.reshape(-1, *[1] * (values.ndim - 1)), np.nan, values)

    wrench = Wrench(known(load.wrench.f_g), known(load.wrench.m_g), load.wrench.p_g)
    state = np.where(frames, UNKNOWN, load.state)
    return FootLoad(state, wrench, known(load.cop_g), known(load.free_moment))


# --- causes --------------------------------------------------------------------------------------------------


def _of_load(
    side: str, limb: SideResult, joint: str, at: int, posed: Posed, contacts: Sequence[Contact]
) -> tuple[str, dict[str, Any]]:
    """What the load on the foot is in a frame."""
    load = limb.acting.wrench
    force, moment = (float(norm(of[at])) for of in (load.f_g, load.at(limb.wrenches[joint].p_g).m_g))
    weights = force / posed.mechanics.mass_kg / float(norm(posed.mechanics.gravity_g))
    on = [contact.plate_names for contact in contacts if contact.side == side and contact.first <= at <= contact.last]
    plate = next(filter(None, on), "")
    arm = {"loaded": force > 0, "arm_m": moment / force if force else None}
    return "load", {"plate": plate, "weights": weights, **arm}


def _of_motion(
    side: str, limb: SideResult, joint: str, at: int, posed: Posed, contacts: Sequence[Contact]
) -> tuple[str, dict[str, Any]]:
    """How the leg moves about a frame."""
    forces = {
        segment: limb.bodies[segment].mass_kg * norm(motion.acc_g)[0]
        for segment, motion in limb.moving(np.array([at])).segments.items()
    }
    most = max(forces, key=lambda segment: float(np.nan_to_num(forces[segment])))
    fast: dict[str, Any] = {"segment": most, "acc": forces[most] / limb.bodies[most].mass_kg}
    markers, noise_mm = posed.markers, posed.markers.quality["marker_noise_mm"]
    beside = reach(markers.quality["marker_filter"], posed.body.rate_hz)
    of_segments = labels_of_segments(posed.body, markers)
    labels = [label for (of, _), labels in of_segments.items() if of in ("", side) for label in labels]
    jump = jumping(markers, labels, at - beside, at + beside)
    if jump["mm"] > 1e3 * max(JUMP_M, JUMP_M_PER_S / posed.body.rate_hz, JUMP_TIMES_NOISE * noise_mm * 1e-3):
        return "jump", fast | jump
    if markers.settings.cutoff_hz is None and noise_mm > SMOOTHED_BELOW_MM:
        return "noise", fast | {"noise_mm": noise_mm}
    return "motion", fast | {"labels": labels}
