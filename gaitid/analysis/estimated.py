"""Loads that no plate tells, from the body's own motion (``--estimate-loads``): whether it may tell them, and what
follows at the joints.

What was measured never depends on them: an `Estimate` stands beside the sides of a result, and its tables by frame show
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gaitid.analysis.demand import demand_of
from gaitid.analysis.impossible import Posed, possible_limbs
from gaitid.analysis.limb import moment_axes, solve_limbs
from gaitid.analysis.result import Estimate, SideResult
from gaitid.analysis.withheld import withhold
from gaitid.body.kinematics import clinical_moments
from gaitid.body.poses import Body
from gaitid.body.subject import Subject
from gaitid.body.upper_body import WholeBody
from gaitid.dynamics.chain import Wrench
from gaitid.gait.marker_events import GaitEvent
from gaitid.ground import from_motion
from gaitid.ground.balance import Balance, means_over_window
from gaitid.ground.by_hand import ByHand
from gaitid.ground.claims import find_claims
from gaitid.ground.contacts import AIR, BY_MOTION, LOADED, SHARE_OF, UNKNOWN, Contact, FootLoad, Loads
from gaitid.ground.filled import Filled
from gaitid.ground.from_motion import Asked, FromMotion, fill_loads
from gaitid.ground.ground import Ground
from gaitid.ground.unmeasured import Unmeasured, shared_plates, unmeasured_stances
from gaitid.notes import note, phrase
from gaitid.numerics.masks import known_rows, widened
from gaitid.numerics.rotation import cross, norm
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

WHOLE_BODY, LEGS = "whole body", "pelvis and legs"
# Body weights, mean over 0.2 s: where plates gave so much more or less than the motion asks for, a hand, a load or a
# wrong mass is in it. Sound walks of 13 laboratories: 0.10 at most; one whose stored mass is wrong: 0.17.
DIFFERS = 0.15
# m, by whose motion: in single support the force that it asks for passes the foot by so much, mean over a stance: a
# hand holds, a load is carried, or what was not measured moves much.
PASSES = {WHOLE_BODY: 0.10, LEGS: 0.16}
_OF = (
    *(f"{way}_force_body_weights" for way in ("upward", "forward", "sideways")),
    *(f"{joint}_moment_Nm_per_kg" for joint in ("ankle_plantarflexion", "knee_extension", "hip_extension")),
)
# By whose motion: median root mean square error over stances of walks whose plates were hidden; each laboratory with
# what the others teach of stances (benchmarks/estimated_loads.py).
RMS = {
    WHOLE_BODY: dict(zip(_OF, (0.075, 0.030, 0.020, 0.135, 0.148, 0.218), strict=True)),
    LEGS: dict(zip(_OF, (0.074, 0.037, 0.023, 0.134, 0.151, 0.234), strict=True)),
}
# s. Of a shorter single support nothing is said, nor of what lies so near to the other foot.
LEAST, BESIDE = 0.1, 0.04
# The ends of names of moments about the axis across the body.
_SAGITTAL = ("extension", "flexion")
# N·m/kg: standard uncertainties by the load alone, over a stance, up to which a frontal or transverse moment is told:
# half of the standard deviation among 82 healthy children (Schwartz 2008, J Biomech 41:1639-1650, free speed, mean over
# stance), which it widens by an eighth; others' by that of the ankle's rotation among 81 (Pinzone 2014).
NARROW, LEAST_SPREAD = {"hip_abduction": 0.070, "knee_abduction": 0.050}, 0.029


@frozen_dataclass(eq=False)
class Known:
    """What loads are estimated from, besides how the body moves.

    Attributes
    ----------
    ground : Ground
    loads : Loads
        As measured.
    on_feet : mapping of side to FootLoad
        The same as joints are computed with.
    events : sequence of GaitEvent
    by_hand : sequence of ByHand
    balance : Balance or None
        None where something else carries the body too.
    whole : WholeBody or None
    subject : Subject
    """

    ground: Ground
    loads: Loads
    on_feet: Mapping[str, FootLoad]
    events: Sequence[GaitEvent]
    by_hand: Sequence[ByHand]
    balance: Balance | None
    whole: WholeBody | None
    subject: Subject


def record_of(estimate: Estimate) -> dict[str, Any]:
    """For ``run.json``, under ``estimated_loads``."""
    stances = () if estimate.loads is None else estimate.loads.stances
    return {
        "by": estimate.by or None,
        "rms_error": RMS.get(estimate.by),
        "stances": len(stances),
        "shares_of_plates": sum(one.share_of is not None for one in stances),
        "frames": {side: int(np.count_nonzero(estimate.frames(side))) for side in estimate.sides},
        "none_because": next((of.text for of in estimate.notes if of.code == "loads_not_estimated"), None),
    }


def estimate_loads(sides: Mapping[str, SideResult], posed: Posed, known: Known) -> Estimate:
    """The loads that no plate tells, and the joints' wrenches with them.

    Parameters
    ----------
    sides : mapping of side to SideResult
        As measured.
    posed : Posed
    known : Known
    """
    asked = _asked(sides, posed, known)
    if isinstance(asked, str):
        return _nothing("", sides, known, asked)
    by = WHOLE_BODY if asked.accuracy is from_motion.WHOLE_BODY else LEGS
    times: dict[tuple[str, str], list[float]] = {(side, kind): [] for side in sides for kind in ("strike", "off")}
    for event in known.events:
        times[event.side, event.kind].append(event.time_s * known.ground.rate_hz)
    claims = find_claims(known.ground, known.by_hand)
    at = {key: np.array(of) for key, of in times.items()}
    stances = unmeasured_stances(known.ground, known.loads, at, claims)
    if why := _other_support(asked, by, known, stances):
        return _nothing(by, sides, known, why)
    if not stances:
        return _nothing(by, sides, known, phrase("estimate/no_stance"))
    filled = fill_loads(known.ground, known.loads, asked, stances, shared_plates(known.ground, claims))
    contacts = tuple(_contact(contact, filled) for contact in known.loads.contacts)
    done = note("loads_estimated", n=len(stances), by=by)
    on_feet = {
        side: joined_load(load, filled.by_side[side], filled.estimated[side])
        for side, load in known.on_feet.items()
        if side in filled.by_side
    }
    return Estimate(by, filled, _solved(sides, posed, known, filled, on_feet), on_feet, contacts, (done,))


def _nothing(by: str, sides: Mapping[str, SideResult], known: Known, why: str) -> Estimate:
    return Estimate(by, None, sides, known.on_feet, known.loads.contacts, (note("loads_not_estimated", why=why),))


# --- whether the motion may tell them ---------------------------------------------------------------------------


def _asked(sides: Mapping[str, SideResult], posed: Posed, known: Known) -> Asked | str:
    """What the motion asks of the ground, or why it cannot tell."""
    if known.balance is None:
        return phrase("estimate/support")
    if not known.subject.mass_kg > 0:
        return phrase("estimate/mass")
    if known.balance.tells and known.balance.flies:
        return phrase("estimate/flies")
    whole = known.whole if known.whole is not None and known.whole.complete else None
    gravity_g = posed.mechanics.gravity_g
    demand = demand_of(posed.body, sides, whole, known.subject.mass_kg, gravity_g)
    if demand is None or not known_rows(demand[0].f_g).any():
        return phrase("estimate/motion")
    weight_N = known.subject.mass_kg * float(norm(gravity_g))
    accuracy = from_motion.LEGS if whole is None else from_motion.WHOLE_BODY
    return Asked(*demand, accuracy, posed.markers.quality["marker_bandwidth_hz"], weight_N)


def _other_support(asked: Asked, by: str, known: Known, stances: Sequence[Unmeasured]) -> str:
    """Why something else than the feet seems to carry the body, or moves that was not measured; empty where not."""
    up_g, rate_hz, given = known.ground.floor.up_g, known.ground.rate_hz, [*known.loads.by_side.values()]
    measured = np.logical_and.reduce([load.state != UNKNOWN for load in given])
    loaded = np.logical_or.reduce([load.state != AIR for load in given])
    lacks = (asked.wrench.f_g - np.sum([load.wrench.f_g for load in given], axis=0)) @ up_g / asked.weight_N
    differs = means_over_window(lacks, measured & loaded, rate_hz)
    if (np.abs(differs) > DIFFERS).any():
        return phrase("estimate/differs", weights=float(differs[np.nanargmax(np.abs(differs))]))
    touching = {side: load.state == LOADED for side, load in known.loads.by_side.items()}
    for contact in known.loads.contacts:
        touching[contact.side][contact.loaded] = True
    asked_for = known_rows(asked.wrench.f_g) & known_rows(asked.wrench.m_g)
    for stance in stances:
        others = np.logical_or.reduce([of for side, of in touching.items() if side != stance.side])
        alone = (asked_for & ~widened(others, round(BESIDE * rate_hz)))[stance.frames]
        if np.count_nonzero(alone) < LEAST * rate_hz:
            continue
        here = asked.wrench.during(stance.frames).at(stance.pressure_g)
        upward = here.f_g @ up_g
        beside = cross(np.broadcast_to(up_g, here.m_g.shape), here.m_g)[alone] / upward[alone, None]
        passes = float(np.linalg.norm(beside.mean(axis=0)))
        if passes > PASSES[by]:
            return phrase("estimate/passes", side=stance.side, cm=100 * passes)
    return ""


# --- what follows -------------------------------------------------------------------------------------------------


def _contact(contact: Contact, filled: FromMotion) -> Contact:
    """A contact whose load is unknown, with how it was estimated."""
    if contact.plates:
        return contact
    for one in filled.stances:
        frames = one.stance.frames
        if one.stance.side == contact.side and frames.start <= contact.last and frames.stop > contact.first:
            return replace(contact, method=BY_MOTION if one.share_of is None else f"{SHARE_OF}{one.share_of}")
    return contact


def _solved(
    sides: Mapping[str, SideResult], posed: Posed, known: Known, filled: FromMotion, on_feet: Mapping[str, FootLoad]
) -> dict[str, SideResult]:
    """The sides with the estimated loads, empty in what these do not tell."""
    solved = solve_limbs(posed.body, on_feet, posed.mechanics, posed.emptied)
    limbs, _ = possible_limbs(solved, posed, on_feet, known.loads.contacts)
    limbs, _ = withhold(limbs, posed.body, known.subject)
    found = dict(sides)
    for name, limb in limbs.items():
        of = sides[name]
        whole = replace(limb, load=filled.by_side[name], trunk_angles=of.trunk_angles, coverage=of.coverage)
        found[name] = _where_told(whole, filled, name, posed)
    return found


def joined_load(load: FootLoad, filled: FootLoad, frames: Mask) -> FootLoad:
    """A load with another in some frames."""
    there, here = load.wrench.at(np.zeros(3)), filled.wrench.at(np.zeros(3))
    each = frames[:, None]
    return FootLoad(
        np.where(frames, filled.state, load.state),
        Wrench(np.where(each, here.f_g, there.f_g), np.where(each, here.m_g, there.m_g), np.zeros(3)),
        np.where(each, filled.cop_g, load.cop_g),
        np.where(frames, filled.free_moment, load.free_moment),
    )


def moment_deviations(leg: SideResult, one: Filled, body: Body, mass_kg: float) -> dict[tuple[str, str], Array]:
    """By joint and column (frames,) N·m/kg: how far moments of a stance may be off by its load alone.

    Parameters
    ----------
    leg : SideResult
        Of the stance's side.
    one : Filled
    body : Body
    mass_kg : float
    """
    stance, errors = one.stance, [*one.errors()]
    found: dict[tuple[str, str], Array] = {}
    sign = next(side.sign for side in body.model.sides if side.name == stance.side)
    for joint, moment in body.model.moments.items():
        axes = moment_axes(body, joint, stance.side)[stance.frames]
        # on the proximal segment:  m = −(p − p_joint) × f, but for what gravity and inertia ask
        off = [of.at(leg.joints_g[joint][stance.frames]).m_g / mass_kg for of in errors]
        columns = [clinical_moments(of, axes, moment, sign) for of in off]
        found |= {(joint, name): np.sqrt(np.sum([of[name] ** 2 for of in columns], axis=0)) for name in moment.columns}
    return found


def _where_told(leg: SideResult, filled: FromMotion, side: str, posed: Posed) -> SideResult:
    """A leg without what an estimated load on its foot does not tell.

    Sagittal moments are told; others where their band is narrow enough (`NARROW`) over the stance. A vector of moments,
    and a power, are told where all columns of the joint are.
    """
    on_foot = filled.estimated[side] & (leg.load.state != AIR)
    too_wide = {(joint, name): on_foot.copy() for joint, columns in leg.moments.items() for name in columns}
    for one in filled.stances:
        if one.stance.side == side and on_foot[one.stance.frames].any():
            for (joint, name), of in moment_deviations(leg, one, posed.body, posed.mechanics.mass_kg).items():
                size = np.sqrt(np.nanmean(of**2)) if np.isfinite(of).any() else np.inf
                narrow = name.endswith(_SAGITTAL) or size <= NARROW.get(f"{joint}_{name}", LEAST_SPREAD)
                too_wide[joint, name][one.stance.frames] &= not narrow
    any_of = {joint: np.logical_or.reduce([too_wide[joint, name] for name in of]) for joint, of in leg.moments.items()}

    def without(values: Array, frames: Mask) -> Array:
        return np.where(frames.reshape(-1, *[1] * (values.ndim - 1)), np.nan, values)

    moments = {
        joint: {name: without(of, too_wide[joint, name]) for name, of in columns.items()}
        for joint, columns in leg.moments.items()
    }
    wrenches = {
        joint: Wrench(of.f_g, without(of.m_g, any_of.get(joint, on_foot)), of.p_g) for joint, of in leg.wrenches.items()
    }
    powers = {joint: without(of, any_of.get(joint, on_foot)) for joint, of in leg.powers.items()}
    return replace(leg, moments=moments, wrenches=wrenches, powers=powers)
