"""Plates and feet -> the load on each foot, per frame: known from plates, known to be none, or unknown.

Nothing here reads a model output or a stored result. The evidence is the plates' own force, the foot's markers
over their surfaces, the centre of pressure, how fast the foot moves, and the file's events where they agree
with the foot (docs/method.md, section "Contacts").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import IntEnum

import numpy as np

from gaitid.dynamics.chain import Wrench
from gaitid.ground.balance import Balance
from gaitid.ground.by_hand import ByHand
from gaitid.ground.claims import Claims, FootClaims, find_claims
from gaitid.ground.evidence import SHARING, Evidence, gather, near_frames
from gaitid.ground.ground import Ground
from gaitid.ground.judgement import METHOD, Judgement, judge
from gaitid.ground.plate_load import MAX_PAUSE, SHORTEST, one_plane
from gaitid.ground.sole import odds_of_foot
from gaitid.notes import Notes, note, phrase
from gaitid.numerics.masks import known_rows, spans, widened
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Assignment, IntArray, Mask, Trial, frozen, read_only

BY_HAND = "given by hand"
BY_MOTION, SHARE_OF = "from the body's motion", "share of plate "
ASSIGNED = "assigned in Nexus (.enf), pressure near that foot"
# Confidence of what is given by hand against the evidence.
UNSUPPORTED = 0.3


class FootState(IntEnum):
    """What is known of a foot's load in one frame."""

    UNKNOWN = -1
    AIR = 0
    LOADED = 1


# As plain numbers: numpy compares with them six times as fast.
AIR, LOADED, UNKNOWN = FootState.AIR.value, FootState.LOADED.value, FootState.UNKNOWN.value


@frozen_dataclass(eq=False)
class Contact:
    """One contact of a foot with the ground; frames are indices, both included.

    Known contacts run from the first to the last frame above `contact_threshold_N`; their load begins and ends a few
    frames farther out, where the force meets the plate's noise (`reach`).

    Attributes
    ----------
    side : str
    plates : tuple of int
        Empty where the load is unknown.
    first, last : int
    peak_vertical_N : float
        NaN where the load is unknown.
    method : str
        The evidence.
    confidence : float
        0 to 1.
    reason : str
        Why the load is unknown, or why the confidence is not higher.
    reach : tuple of 2 int, optional
        First and last frame whose load it gives, or leaves unknown; those of the contact where it is left out.
    beyond : bool
        The foot may have stood beyond an edge before it, or may stand there after.
    """

    side: str
    plates: tuple[int, ...]
    first: int
    last: int
    peak_vertical_N: float
    method: str
    confidence: float
    reason: str
    reach: tuple[int, int] | None = None
    beyond: bool = False

    @property
    def loaded(self) -> slice:
        """The frames of `reach`."""
        first, last = self.reach or (self.first, self.last)
        return slice(first, last + 1)

    @property
    def plate_names(self) -> str:
        """Its plates as people and files name them: ``2``, ``1+2``, or nothing."""
        return "+".join(map(str, self.plates))


def unknown_contact(side: str, frames: tuple[int, int], method: str, reason: str) -> Contact:
    """A contact whose load is not known."""
    return Contact(side, (), *frames, np.nan, method, 0.0, reason)


@frozen_dataclass(eq=False)
class FootLoad:
    """The ground's action on one foot.

    Attributes
    ----------
    state : (frames,) int array
        `FootState` of each frame.
    wrench : Wrench
        About the laboratory's origin; zero in the air, NaN where unknown.
    cop_g : (frames, 3) array, m
        NaN where the foot is not loaded enough.
    free_moment : (frames,) array, N·m
        On the foot, about the outward normal of the plate, through the centre of pressure; zero in the air.
    """

    state: IntArray
    wrench: Wrench
    cop_g: Array
    free_moment: Array

    def __post_init__(self) -> None:
        state = np.array(self.state, dtype=np.intp)
        state.setflags(write=False)
        object.__setattr__(self, "state", state)
        for name in ("cop_g", "free_moment"):
            object.__setattr__(self, name, read_only(getattr(self, name)))


@frozen_dataclass(eq=False)
class Loads:
    """Who stood where, and the load on each foot.

    Attributes
    ----------
    by_side : mapping of side to FootLoad
    contacts : tuple of Contact
        In order of their first frames.
    notes : Notes
    """

    by_side: Mapping[str, FootLoad]
    contacts: tuple[Contact, ...]
    notes: Notes = ()


def loads_on_feet(
    ground: Ground, weight_N: float, by_hand: Sequence[ByHand] = (), balance: Balance | None = None
) -> Loads:
    """The load on each foot in every frame.

    Parameters
    ----------
    ground : Ground
    weight_N : float
        Of the body; NaN where it is not known.
    by_hand : sequence of ByHand
        What the user says of feet and plates: it wins.
    balance : Balance, optional
        What the body's motion asks of the ground; it says nothing where the weight is not known.

    Raises
    ------
    TrialError
        A plate that is given by hand is not there, or carries nothing in those frames.
    """
    claims = find_claims(ground, by_hand)
    if balance is not None and not (balance.tells and weight_N > 0):
        balance = None
    feet = [FootClaims(side, ground, claims) for side in ground.feet]
    found = gather(feet, weight_N, balance)
    loads: dict[str, FootLoad] = {}
    contacts: list[Contact] = []
    notes: Notes = ()
    for foot in feet:
        of_foot, not_sure, against = _contacts_of(foot, found[foot.side])
        loads[foot.side] = _load(foot, of_foot, not_sure)
        contacts += [_if_known(contact, loads[foot.side].state) for contact in of_foot]
        notes += against
    contacts.sort(key=lambda c: (c.first, c.side))
    return Loads(loads, tuple(contacts), (*_unclaimed(ground, claims), *notes))


def _if_known(contact: Contact, state: IntArray) -> Contact:
    """The contact, as an unknown one where its load is known in none of its frames."""
    if not contact.plates or (state[contact.loaded] == LOADED).any():
        return contact
    reason = phrase("contact/no_frame_known", on=contact.plate_names, why=contact.reason)
    return unknown_contact(contact.side, (contact.first, contact.last), contact.method, reason)


def _contacts_of(foot: FootClaims, on_plates: Sequence[Evidence]) -> tuple[list[Contact], Mask, Notes]:
    """Contacts of one foot, on plates, known or not, and on the floor; frames whose load is not its own alone, or of
    which a part may be lost; and where the evidence is against what is given by hand.
    """
    contacts: list[Contact] = []
    notes: Notes = ()
    taken, not_sure = np.zeros((2, foot.ground.n_frames), dtype=bool)
    for evidence in on_plates:
        said = {word.foot for n in evidence.plate_numbers if (word := foot.ground.declared.get(n))}
        followed = foot.side in said and not evidence.shared.any()
        judgement, method = judge(evidence), ASSIGNED if followed else METHOD
        if foot.given[evidence.first]:
            judgement, method = _by_hand(judgement), BY_HAND
            notes += _against(foot.side, evidence, judgement)
        contacts += _parts(foot, evidence, judgement, method)
        taken[evidence.frames] = True
        not_sure[evidence.frames] |= judgement.misplaced | judgement.at_edge
    # another foot's load begins before it moves the pressure, and ends after
    not_sure = widened(not_sure, round(SHARING * foot.ground.rate_hz))
    return [*contacts, *_on_floor(foot, taken)], not_sure, notes


def _against(side: str, evidence: Evidence, judgement: Judgement) -> Notes:
    """What speaks against a contact that is given by hand."""
    if np.isfinite(evidence.away) and odds_of_foot(evidence.away) < 0:
        return (note("assignment_far", side, on=evidence.plate_names, cm=evidence.away * 100),)
    if judgement.confidence <= UNSUPPORTED:
        return (note("assignment_against", side, on=evidence.plate_names, why=judgement.reason),)
    return ()


def _by_hand(judgement: Judgement) -> Judgement:
    """What is given by hand wins over every rule; what speaks against it stays with it, in words."""
    nothing = np.zeros_like(judgement.misplaced)
    if judgement.known and not (judgement.misplaced | judgement.at_edge).any():
        return replace(judgement, beyond=False)
    return Judgement(True, UNSUPPORTED, phrase("contact/by_hand", why=judgement.reason), nothing, nothing)


def _parts(foot: FootClaims, contact: Evidence, judgement: Judgement, method: str) -> list[Contact]:
    """A contact in parts: known, and unknown where another foot is on its plates, or may be."""
    side, first, shared = foot.side, contact.first, contact.shared
    numbers = contact.plate_numbers
    if not judgement.known:
        return [unknown_contact(side, (first, contact.last), method, judgement.reason)]
    together = phrase("contact/of_plate", on=contact.plate_names, why=phrase("contact/both_feet"))
    unsure = shared.copy()
    for a, b in spans(~shared):
        unsure[a:b] |= shared.any() and b - a < SHORTEST * foot.ground.rate_hz  # a moment between two doubts
    parts = [unknown_contact(side, (first + a, first + b - 1), method, together) for a, b in spans(unsure)]
    for a, b in spans(~unsure):
        vertical = contact.vertical[a:b]
        heavy = np.flatnonzero(vertical > contact.threshold_N)
        on, off = (a + heavy[0], a + heavy[-1]) if len(heavy) else (a, b - 1)
        at, reach = (int(first + on), int(first + off)), (first + a, first + b - 1)
        peak, sure = float(np.fmax.reduce(vertical)), judgement.confidence
        parts.append(Contact(side, numbers, *at, peak, method, sure, judgement.reason, reach, judgement.beyond))
    return sorted(parts, key=lambda part: part.first)


def _on_floor(foot: FootClaims, taken: Mask) -> list[Contact]:
    """Stances of a foot where no plate measures it; `taken`, (frames,), are those of its contacts with plates."""
    rate_hz, stance = foot.ground.rate_hz, foot.stance
    contacts = []
    for first, stop in spans(stance.standing & ~stance.airborne):
        near = near_frames(stop - first, rate_hz)
        runs = [(0, stop - first)]
        if taken[max(first - near, 0) : stop + near].any():
            free = ~taken[first:stop]
            # what is left of a stance of which a plate saw a part belongs to that contact
            if free.mean() < 0.5:
                continue
            runs = list(spans(free))
        for a, b in runs:
            if b - a >= max(3, round(SHORTEST * rate_hz)):
                on_none = foot.claims.on_none[foot.side][first + a : first + b].any()
                reason = phrase("contact/on_none" if on_none else "contact/on_floor")
                method = BY_HAND if on_none else stance.method
                contacts.append(unknown_contact(foot.side, (first + a, first + b - 1), method, reason))
    return contacts


def _load(foot: FootClaims, contacts: Sequence[Contact], not_sure: Mask) -> FootLoad:
    """Put a foot's contacts together; loaded frames that are not sure are unknown."""
    n_frames = foot.ground.n_frames
    state = _state(foot, contacts)
    force, moment = np.zeros((n_frames, 3)), np.zeros((n_frames, 3))
    cop, free = np.full((n_frames, 3), np.nan), np.zeros(n_frames)
    for contact in contacts:
        if not contact.plates:
            continue
        frames = contact.loaded
        plates = foot.numbered(contact.plates)
        total, normal_g = foot.carried(plates, frames), plates[0].normal_g
        force[frames], moment[frames] = total.wrench.f_g, total.wrench.m_g
        if not one_plane(plates):
            free[frames] = np.nan
            continue
        cop_here, free_here = total.pressure
        noise = max((p.noise_N for p in plates if np.isfinite(p.noise_N)), default=0.0)
        sure = total.wrench.f_g @ normal_g > max(foot.ground.settings.contact_threshold_N, 5 * noise)
        cop[frames], free[frames] = np.where(sure[:, None], cop_here, cop[frames]), np.where(sure, free_here, np.nan)
    loaded = state == LOADED
    state[loaded & (not_sure | ~known_rows(force))] = UNKNOWN  # or the plate has no samples there
    unknown = state == UNKNOWN
    for values in (force, moment, cop):
        np.copyto(values, np.nan, where=unknown[:, None])
    free[unknown] = np.nan
    return FootLoad(state, Wrench(frozen(force), frozen(moment), np.zeros(3)), frozen(cop), frozen(free))


def _state(foot: FootClaims, contacts: Sequence[Contact]) -> IntArray:
    """(frames,) `FootState` by the foot's flights and its contacts."""
    stance = foot.stance
    state = np.where(stance.airborne, AIR, UNKNOWN)
    for contact in contacts:
        if contact.plates:
            # Between a clean contact and the frames in which the foot surely flies, the plate tells that it flies; not
            # where the contact only ended because samples are missing, or because the user cut it off, nor where the
            # foot may have come from, or gone on to, what lies beyond an edge.
            begin, end = contact.loaded.start, contact.loaded.stop
            early, late = stance.gap_to_air(begin, end - 1)
            plates = foot.numbered(contact.plates)
            if early and not contact.beyond:
                before = slice(begin - early, begin)
                state[before][np.logical_and.accumulate(foot.lifted_off(plates, before))] = AIR
            if late and not contact.beyond:
                after = slice(end, end + late)
                state[after][np.logical_and.accumulate(foot.lifted_off(plates, after)[::-1])[::-1]] = AIR
    for contact in contacts:
        frames = contact.loaded
        if contact.plates:
            state[frames] = LOADED
            continue
        # On the floor a foot that surely flies is known to carry nothing; over a loaded plate that it may be on,
        # its own motion is no proof.
        state[frames] = UNKNOWN
        if contact.method == stance.method:
            state[frames][stance.airborne[frames]] = AIR
    return state


def _unclaimed(ground: Ground, claims: Claims) -> Notes:
    """Plates whose load is nobody's."""
    notes = []
    for plate in ground.plates:
        loaded = plate.vertical > 10 * ground.settings.contact_threshold_N
        # of a load while the user says that a foot is on none it is known whose it is: nobody's that is analysed
        nobody = np.logical_or.reduce([np.zeros(ground.n_frames, dtype=bool), *claims.on_none.values()])
        rest = np.count_nonzero(loaded & ~nobody & ~np.asarray(claims.of_any_foot(plate.number)))
        if rest > MAX_PAUSE * ground.rate_hz:
            notes.append(note("load_unclaimed", plates=plate.number, n_frames=rest))
    return tuple(notes)


def disagreements(assignments: Sequence[Assignment], contacts: Sequence[Contact], trial: Trial) -> Notes:
    """Where other programs left another answer with the trial than what plates and feet show."""
    notes = []
    for other in assignments:
        if other.plate not in {*trial.refused_plates, *(plate.number for plate in trial.plates)}:
            notes.append(note("assignment_unused", source=other.source, plate=other.plate))
            continue
        known = [c for c in contacts if other.plate in c.plates]
        if other.time_s is not None:
            at = other.time_s * trial.rate_hz
            known = [c for c in known if c.first - 1 <= at <= c.last + 1]
        if known and all(c.method == BY_HAND for c in known):
            continue  # the user has answered
        sides, unused = sorted({c.side for c in known}), other.foot == "none"
        if sides != ([] if unused else [other.foot]):
            notes.append(
                note(
                    "assignment_differs",
                    source=other.source,
                    plate=other.plate,
                    foot=other.foot,
                    unused=unused,
                    sides=sides,
                    known=bool(sides),
                )
            )
    return tuple(notes)
