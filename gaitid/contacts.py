"""Plate signals -> the load on each foot, per frame: known from plates, known to be none, or unknown.

Nothing here reads a model output or a stored result. The evidence is the plates' own force, the foot's markers
over their surfaces, the centre of pressure, how fast the foot moves, and the file's events where they agree
with the foot (docs/method.md, section "Contacts").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaitid.dynamics.wrench import Wrench, centre_of_pressure
from gaitid.evidence import LOW, METHOD, distance_from_foot, judge, margin, one_plane, sole, total_wrench
from gaitid.model import specs
from gaitid.plates import PlateLoad
from gaitid.signals import bridged, median, spans, widened
from gaitid.stance import FootTrack, Stance, detect_stance
from gaitid.trial import Array, Event, Mask, frozen

AIR, LOADED, UNKNOWN = 0, 1, -1

# m. A foot whose line lies farther than this from the centre of pressure does not carry the plate's load.
COP_REACH = 0.10
# s. A plate that takes up or loses its load farther than this from when the foot lands or leaves does not carry
# the whole foot.
TIMING = 0.10
# s. A stance on the floor shorter than this is noise of the foot's speed.
MIN_CONTACT = 0.08
# s. Events whose median lies farther than the first from the plates' own onsets and ends are not used; one that lies
# farther than the second is of another step.
EVENTS_OFF, SAME_STEP = 0.03, 0.2
# s. Frames this near to one whose load is not the foot's alone are not sure either.
SHARING = 0.03
# s. A clean contact tells that the foot flies from its end to the frames in which it surely does, if those are near.
NEAR_AIR = 0.2


@dataclass(frozen=True, eq=False)
class Contact:
    """One contact of a foot with the ground; frames are indices, both included.

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
    """

    side: str
    plates: tuple[int, ...]
    first: int
    last: int
    peak_vertical_N: float
    method: str
    confidence: float
    reason: str


@dataclass(frozen=True, eq=False)
class FootLoad:
    """The ground's action on one foot.

    Attributes
    ----------
    state : (frames,) int array
        AIR, LOADED or UNKNOWN.
    wrench : Wrench
        About the laboratory's origin; zero in the air, NaN where unknown.
    cop_g : (frames, 3) array, m
        NaN where the foot is not loaded enough.
    free_moment : (frames,) array, N·m
        On the foot, about the outward normal of the plate, through the centre of pressure; zero in the air.
    """

    state: Array
    wrench: Wrench
    cop_g: Array
    free_moment: Array

    def __post_init__(self) -> None:
        for name in ("state", "cop_g", "free_moment"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


def foot_loads(
    plates: Sequence[PlateLoad],
    feet: Mapping[str, FootTrack],
    events: Sequence[Event],
    rate_hz: float,
    settings: specs.Settings,
    n_frames: int,
    weight_N: float = float("nan"),
) -> tuple[dict[str, FootLoad], list[Contact], list[str]]:
    """`assign_loads` with the file's events, if these agree with the plates where the plates know better.

    Parameters
    ----------
    events : sequence of Event
        Of the file.

    Others as for `assign_loads`.
    """

    def assigned(used: Sequence[Event]) -> tuple[dict[str, FootLoad], list[Contact], list[str]]:
        stances = {side: detect_stance(foot, side, used, rate_hz) for side, foot in feet.items()}
        return assign_loads(plates, feet, stances, rate_hz, settings, n_frames, weight_N)

    # Each load's onset against the nearest strike of either foot, its end against the nearest off: which foot it was
    # needs no answer for that, and a load of another step or a part of one lies too far from all of them.
    late = []
    for plate in plates:
        for first, last in plate.contacts(rate_hz, settings):
            for kind, frame in (("strike", first), ("off", last + 1)):
                named = [e.time_s for e in events if e.side in feet and kind in e.name.lower()]
                if named and 0 < frame < n_frames:
                    late.append(min((t - frame / rate_hz for t in named), key=abs))
    late = [difference for difference in late if abs(difference) < SAME_STEP]
    typical = float(median(np.array(late))) if late else 0.0
    if abs(typical) <= EVENTS_OFF:
        return assigned(events)
    loads, contacts, warnings = assigned(())
    way = "after" if typical > 0 else "before"
    text = f"the events of the file lie {abs(typical):.2f} s {way} what the plates say; they were not used"
    return loads, contacts, [*warnings, text]


def assign_loads(
    plates: Sequence[PlateLoad],
    feet: Mapping[str, FootTrack],
    stances: Mapping[str, Stance],
    rate_hz: float,
    settings: specs.Settings,
    n_frames: int,
    weight_N: float = float("nan"),
) -> tuple[dict[str, FootLoad], list[Contact], list[str]]:
    """The load on each foot in every frame.

    Parameters
    ----------
    plates : sequence of PlateLoad
    feet : mapping of side to FootTrack
    stances : mapping of side to Stance
        When each foot stands, from its markers and the events.
    rate_hz : float
    settings : Settings
    n_frames : int
    weight_N : float
        Of the body, if it is known.

    Returns
    -------
    loads : dict of side to FootLoad
    contacts : list of Contact
    warnings : list of str
    """
    carried = _who_is_on(plates, feet, stances, rate_hz, settings, n_frames)
    loads: dict[str, FootLoad] = {}
    contacts: list[Contact] = []
    for side, foot in feet.items():
        shared = np.zeros(n_frames, dtype=bool)
        for on in carried.values():
            for other in on:
                if other != side:
                    shared |= on[side] & on[other]
        flying = np.ones(n_frames, dtype=bool) if len(stances) > 1 else np.zeros(n_frames, dtype=bool)
        for other, stance in stances.items():
            if other != side:
                flying &= stance.airborne
        own, misplaced = _contacts_of(
            side, foot, stances[side], flying, plates, carried, shared, rate_hz, weight_N, settings
        )
        near = round(NEAR_AIR * rate_hz)
        # another foot's load begins before it moves the pressure, and ends after
        not_alone = widened(shared | misplaced, round(SHARING * rate_hz))
        loads[side] = _load(stances[side], plates, own, not_alone, near, settings)
        contacts += own
    contacts.sort(key=lambda c: (c.first, c.side))
    return loads, contacts, _unclaimed(plates, carried, settings)


def _who_is_on(
    plates: Sequence[PlateLoad],
    feet: Mapping[str, FootTrack],
    stances: Mapping[str, Stance],
    rate_hz: float,
    settings: specs.Settings,
    n_frames: int,
) -> dict[int, dict[str, Mask]]:
    """For each plate and side, the frames in which that foot loads that plate (both sides may)."""
    result: dict[int, dict[str, Mask]] = {}
    for plate in plates:
        on = {side: np.zeros(n_frames, dtype=bool) for side in feet}
        for first, last in plate.contacts(rate_hz, settings):
            frames = slice(first, last + 1)
            pressing = plate.vertical[frames] > 0.5 * np.fmax.reduce(plate.vertical[frames])
            reach: dict[str, float] = {}
            for side, foot in feet.items():
                distance = distance_from_foot(plate.cop_g, foot, plate.normal_g)[frames][pressing]
                known = distance[np.isfinite(distance)]
                reach[side] = float(median(known)) if known.size else np.inf
            nearest = min(reach, key=lambda s: reach[s], default=None)
            others_far = sum(r <= COP_REACH for r in reach.values()) == 1
            for side, foot in feet.items():
                if side == nearest and others_far:
                    # The pressure lies under this foot alone: the whole contact is its own, to its edges.
                    on[side][frames] = True
                else:
                    on[side][frames] |= _stands_on(plate, foot, stances[side])[frames]
        result[plate.number] = on
    return result


def _stands_on(plate: PlateLoad, foot: FootTrack, stance: Stance) -> Mask:
    """(frames,) whether a standing foot has its heel, its toe or its middle on the plate.

    Where its markers are missing beside frames in which it stands, it may: it is taken to be on the straight way
    between where it was seen last and next.
    """
    heel, toe = bridged(foot.heel_g), bridged(foot.toe_g)
    height = np.minimum((heel - plate.centre_g) @ plate.normal_g, (toe - plate.centre_g) @ plate.normal_g)
    inside = np.maximum.reduce([margin(plate, p) for p in (heel, toe, (heel + toe) / 2)])
    with np.errstate(invalid="ignore"):
        return np.asarray((inside > 0) & (np.abs(height) < LOW) & stance.may_stand)


def _contacts_of(
    side: str,
    foot: FootTrack,
    stance: Stance,
    other_airborne: Mask,
    plates: Sequence[PlateLoad],
    carried: Mapping[int, Mapping[str, Mask]],
    shared: Mask,
    rate_hz: float,
    weight_N: float,
    settings: specs.Settings,
) -> tuple[list[Contact], Mask]:
    """Contacts of one foot, on plates, known or not, and on the floor; and frames whose load is not its own alone."""
    any_plate = np.zeros(len(foot.heel_g), dtype=bool)
    for plate in plates:
        any_plate |= carried[plate.number][side]
    contacts: list[Contact] = []
    taken, misplaced = np.zeros_like(any_plate), np.zeros_like(any_plate)
    near = max(2, round(TIMING * rate_hz))
    for first, stop in list(spans(any_plate)):
        last = stop - 1
        used = [p for p in plates if carried[p.number][side][first:stop].any()]
        used += [p for p in plates if p not in used and _touches(p, foot, stance, first, last, rate_hz, settings)]
        verdict = judge(
            foot, stance, other_airborne, used, plates, first, last, shared[first:stop], near, weight_N, settings
        )
        numbers = tuple(sorted(p.number for p in used)) if verdict.known else ()
        contacts.append(
            Contact(side, numbers, first, last, verdict.peak_vertical_N, METHOD, verdict.confidence, verdict.reason)
        )
        misplaced[first:stop] |= verdict.misplaced
        taken[first:stop] = True
    for first, stop in spans(stance.standing & ~stance.airborne):
        free = ~taken[first:stop]
        # what is left of a stance of which a plate saw a part belongs to that contact
        if taken[max(first - near, 0) : stop + near].any() and free.mean() < 0.5:
            continue
        for a, b in spans(free):
            if b - a >= max(3, round(MIN_CONTACT * rate_hz)):
                reason = "the foot stands where no plate measures it"
                contacts.append(Contact(side, (), first + a, first + b - 1, np.nan, stance.method, 0.0, reason))
    return contacts, misplaced


def _touches(
    plate: PlateLoad,
    foot: FootTrack,
    stance: Stance,
    first: int,
    last: int,
    rate_hz: float,
    settings: specs.Settings,
) -> bool:
    """Whether a standing foot's sole reaches onto a plate whose load is too small or too short for a contact.

    Beside the plates that carry the foot, such a plate may carry a part of it, which belongs to the sum.
    """
    frames = slice(first, last + 1)
    if any(a <= last and b >= first for a, b in plate.contacts(rate_hz, settings)):
        return False  # a contact of its own, judged by itself
    floor = max(settings.contact_edge_N, plate.noise_N if np.isfinite(plate.noise_N) else settings.contact_edge_N)
    loaded = plate.vertical[frames] > floor
    with np.errstate(invalid="ignore"):
        reached = np.maximum.reduce([margin(plate, corner)[frames] for corner in sole(foot, plate.normal_g)]) > 0
    return bool((loaded & reached & stance.standing[frames]).any())


def _load(
    stance: Stance,
    plates: Sequence[PlateLoad],
    contacts: Sequence[Contact],
    not_alone: Mask,
    near: int,
    settings: specs.Settings,
) -> FootLoad:
    """Put a foot's contacts together; frames in which the plates' load is not its own alone are unknown."""
    n_frames = len(stance.standing)
    by_number = {plate.number: plate for plate in plates}
    state = np.where(stance.airborne, AIR, UNKNOWN)
    force, moment = np.zeros((n_frames, 3)), np.zeros((n_frames, 3))
    cop, free = np.full((n_frames, 3), np.nan), np.zeros(n_frames)
    known = [c for c in contacts if c.plates]
    for contact in known:
        # Between a clean contact and the frames in which the foot surely flies, the plate has told that it flies.
        early, late = stance.gap_to_air(contact.first, contact.last)
        if early <= near:
            state[max(contact.first - early, 0) : contact.first] = AIR
        if late <= near:
            state[contact.last + 1 : contact.last + 1 + late] = AIR
    for contact in contacts:
        frames = slice(contact.first, contact.last + 1)
        if not contact.plates:
            # a foot that surely flies is known to carry nothing, whatever the plate below it does
            state[frames] = np.where(stance.airborne[frames], AIR, UNKNOWN)
            continue
        state[frames] = LOADED
        used = [by_number[number] for number in contact.plates]
        total, surface = total_wrench(used), used[0]
        force[frames], moment[frames] = total.f_g[frames], total.m_g[frames]
        if not one_plane(used):
            free[frames] = np.nan
            continue
        cop_all, free_all = centre_of_pressure(total, surface.centre_g, surface.normal_g)
        vertical = total.f_g @ surface.normal_g
        sure = np.zeros(n_frames, dtype=bool)
        noise = max((p.noise_N for p in used if np.isfinite(p.noise_N)), default=0.0)
        sure[frames] = vertical[frames] > max(settings.contact_threshold_N, 5 * noise)
        cop[sure], free[frames] = cop_all[sure], np.where(sure, free_all, np.nan)[frames]
    state[not_alone & (state == LOADED)] = UNKNOWN
    unknown = state == UNKNOWN
    cop[unknown] = np.nan
    force[unknown], moment[unknown], free[unknown] = np.nan, np.nan, np.nan
    return FootLoad(state.astype(float), Wrench(force, moment, np.zeros(3)), cop, free)


def _unclaimed(
    plates: Sequence[PlateLoad], carried: Mapping[int, Mapping[str, Mask]], settings: specs.Settings
) -> list[str]:
    warnings = []
    for plate in plates:
        loaded = plate.vertical > 10 * settings.contact_threshold_N
        claimed = (
            np.any(list(carried[plate.number].values()), axis=0) if carried[plate.number] else np.zeros_like(loaded)
        )
        rest = int((loaded & ~claimed).sum())
        if rest > 3:
            warnings.append(f"plate {plate.number} carries a load in {rest} frames that no foot claims")
    return warnings
