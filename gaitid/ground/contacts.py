"""Plate signals -> the load on each foot, per frame: known from plates, known to be none, or unknown.

Nothing here reads a model output or a stored result. The evidence is the plates' own force, the foot's markers
over their surfaces, the centre of pressure, how fast the foot moves, and the file's events where they agree
with the foot (docs/method.md, section "Contacts").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.dynamics.wrench import Wrench, centre_of_pressure
from gaitid.ground.claims import ByHand, Scene, touches_lightly, who_is_on, write_by_hand
from gaitid.ground.judgement import METHOD, Verdict, judge, one_plane
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.stance import Stance, detect_stances
from gaitid.model import specs
from gaitid.numerics.masks import known_rows, spans, widened
from gaitid.numerics.statistics import median
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Assignment, Event, Mask, Trial, read_only

AIR, LOADED, UNKNOWN = 0, 1, -1

# s. A plate that takes up or loses its load farther than this from when the foot lands or leaves does not carry
# the whole foot.
TIMING = 0.10
# The same as a share of the contact: who walks slowly also lands slowly.
TIMING_SHARE = 0.12
# Greatest vertical force of a walk in body weights, on the low side: a body taken for heavier than it is demands more
# of a contact.
WALKING_PEAK = 1.1
# s. A stance on the floor shorter than this is noise of the foot's speed.
MIN_CONTACT = 0.08
# s. Events whose median lies farther than the first from the plates' own onsets and ends are not used; one that lies
# farther than the second is of another step.
EVENTS_OFF, SAME_STEP = 0.03, 0.2
# s. Frames this near to one whose load is not the foot's alone are not sure either.
SHARING = 0.03
# s. A clean contact tells that the foot flies from its end to the frames in which it surely does, if those are near.
NEAR_AIR = 0.2


BY_HAND = "given by hand (--assign)"
# Confidence of what is given by hand against the evidence.
UNSUPPORTED = 0.3


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

    @property
    def loaded(self) -> slice:
        """The frames of `reach`."""
        first, last = self.reach or (self.first, self.last)
        return slice(first, last + 1)


@frozen_dataclass(eq=False)
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
            object.__setattr__(self, name, read_only(getattr(self, name)))


def foot_loads(
    plates: Sequence[PlateLoad],
    feet: Mapping[str, FootTrack],
    events: Sequence[Event],
    rate_hz: float,
    settings: specs.Settings,
    n_frames: int,
    weight_N: float,
    up_g: Array,
    by_hand: Sequence[ByHand] = (),
    faults: Mapping[int, str] | None = None,
) -> tuple[dict[str, FootLoad], list[Contact], list[str]]:
    """`assign_loads` with the file's events, if these agree with the plates where the plates know better.

    Parameters
    ----------
    events : sequence of Event
        Of the file.
    up_g : (3,) array

    Others as for `assign_loads`.
    """
    if not weight_N > 0:
        weight_N = _weight_from_loads(plates)

    def assigned(used: Sequence[Event]) -> tuple[dict[str, FootLoad], list[Contact], list[str]]:
        stances = detect_stances(feet, used, up_g, rate_hz)
        return assign_loads(plates, feet, stances, rate_hz, settings, n_frames, weight_N, by_hand, faults)

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
    weight_N: float,
    by_hand: Sequence[ByHand] = (),
    faults: Mapping[int, str] | None = None,
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
        Of the body; NaN where it is not known.
    by_hand : sequence of ByHand
        What the user says of feet and plates: it wins.
    faults : mapping of plate number to str, optional
        Plates whose corners do not fit the feet, and why: nothing is known from them.

    Returns
    -------
    loads : dict of side to FootLoad
    contacts : list of Contact
    warnings : list of str
    """
    carried = who_is_on(plates, feet, stances, rate_hz, settings, n_frames)
    given = write_by_hand(by_hand, feet, carried, plates, rate_hz, settings, n_frames)
    loads: dict[str, FootLoad] = {}
    contacts: list[Contact] = []
    for side, foot in feet.items():
        scene = Scene(side, foot, stances, plates, carried, rate_hz, weight_N, settings, faults or {})
        own, misplaced, at_edge = _contacts_of(scene, given[side])
        # another foot's load begins before it moves the pressure, and ends after
        not_sure = widened(misplaced | at_edge, round(SHARING * rate_hz))
        loads[side] = _load(scene, own, not_sure, round(NEAR_AIR * rate_hz))
        contacts += own
    contacts.sort(key=lambda c: (c.first, c.side))
    return loads, contacts, _unclaimed(plates, carried, settings)


def _contacts_of(scene: Scene, given: Mask) -> tuple[list[Contact], Mask, Mask]:
    """Contacts of one foot, on plates, known or not, and on the floor; frames whose load is not its own alone, and
    frames in which a part of it may be lost.
    """
    side, foot, stance, rate_hz = scene.side, scene.foot, scene.stance, scene.rate_hz
    any_plate = np.zeros(len(foot.heel_g), dtype=bool)
    for plate in scene.plates:
        any_plate |= scene.on(plate)
    contacts: list[Contact] = []
    taken, misplaced, at_edge = np.zeros((3, len(any_plate)), dtype=bool)
    said = np.flatnonzero(np.diff(given)) + 1
    sharing = round(SHARING * rate_hz)
    for first, stop in [*spans(any_plate & ~given), *spans(any_plate & given)]:
        last = stop - 1
        used = [p for p in scene.plates if scene.on(p)[first:stop].any()]
        used += [p for p in scene.plates if p not in used and touches_lightly(p, scene, first, last)]
        before = max(first - sharing, 0)
        around = slice(before, stop + sharing)
        shared = np.logical_or.reduce([scene.shares(p)[around] & scene.on(p)[around] for p in used])
        shared = widened(shared, sharing)[first - before : stop - before]
        near = _near(stop - first, rate_hz)
        load = scene.total(used)
        cut = (
            first <= near or first in said or not np.isfinite(load.f_g[first - 1]).all(),
            stop >= len(load.f_g) - near or stop in said or not np.isfinite(load.f_g[stop]).all(),
        )
        verdict = judge(
            foot, stance, scene.other_airborne, load, used, scene.plates, first, last, shared, near, scene.weight_N,
            scene.settings, scene.faults, cut,
        )  # fmt: skip
        method = METHOD
        if given[first]:
            method = BY_HAND
            if not verdict.known:
                reason = f"the evidence says otherwise: {verdict.reason}"
                nothing = np.zeros(stop - first, dtype=bool)
                verdict = Verdict(True, UNSUPPORTED, reason, nothing, nothing)
        vertical = load.f_g[first:stop] @ used[0].normal_g
        contacts += _rows(
            side, used, first, vertical, verdict, method, shared, rate_hz, scene.settings.contact_threshold_N
        )
        misplaced[first:stop] |= verdict.misplaced
        at_edge[first:stop] |= verdict.at_edge
        taken[first:stop] = True
    for first, stop in spans(stance.standing & ~stance.airborne):
        near = _near(stop - first, rate_hz)
        free = ~taken[first:stop]
        # what is left of a stance of which a plate saw a part belongs to that contact
        if taken[max(first - near, 0) : stop + near].any() and free.mean() < 0.5:
            continue
        for a, b in spans(free):
            if b - a >= max(3, round(MIN_CONTACT * rate_hz)):
                reason = "the foot stands where no plate measures it"
                contacts.append(Contact(side, (), first + a, first + b - 1, np.nan, stance.method, 0.0, reason))
    return contacts, misplaced, at_edge


def _near(n: int, rate_hz: float) -> int:
    """Frames by which a force may begin or end beside the foot's own landing and leaving, in a contact of n frames."""
    return max(2, round(TIMING * rate_hz), round(TIMING_SHARE * n))


def _rows(
    side: str,
    plates: Sequence[PlateLoad],
    first: int,
    vertical: Array,
    verdict: Verdict,
    method: str,
    shared: Mask,
    rate_hz: float,
    threshold_N: float,
) -> list[Contact]:
    """A contact in parts: known, and unknown where another foot is on its plates, or may be."""
    numbers = tuple(sorted(p.number for p in plates))
    if not verdict.known:
        return [Contact(side, (), first, first + len(shared) - 1, np.nan, method, 0.0, verdict.reason)]
    together = f"plate {'+'.join(map(str, numbers))}: both feet stand on it, or may"
    unsure = shared.copy()
    for a, b in spans(~shared):
        unsure[a:b] |= shared.any() and b - a < MIN_CONTACT * rate_hz  # a moment between two doubts
    rows = [Contact(side, (), first + a, first + b - 1, np.nan, method, 0.0, together) for a, b in spans(unsure)]
    for a, b in spans(~unsure):
        heavy = np.flatnonzero(vertical[a:b] > threshold_N)
        on, off = (a + heavy[0], a + heavy[-1]) if len(heavy) else (a, b - 1)
        peak = float(np.fmax.reduce(vertical[a:b]))
        reach = (first + a, first + b - 1)
        confidence, reason = verdict.confidence, verdict.reason
        rows.append(Contact(side, numbers, int(first + on), int(first + off), peak, method, confidence, reason, reach))
    return sorted(rows, key=lambda row: row.first)


def _load(scene: Scene, contacts: Sequence[Contact], not_sure: Mask, near: int) -> FootLoad:
    """Put a foot's contacts together; loaded frames that are not sure are unknown."""
    stance, settings = scene.stance, scene.settings
    n_frames = len(stance.standing)
    state = np.where(stance.airborne, AIR, UNKNOWN)
    force, moment = np.zeros((n_frames, 3)), np.zeros((n_frames, 3))
    cop, free = np.full((n_frames, 3), np.nan), np.zeros(n_frames)
    for contact in contacts:
        if contact.plates:
            # Between a clean contact and the frames in which the foot surely flies, the plate tells that it flies; not
            # where the contact only ended because samples are missing, or because the user cut it off.
            begin, end = contact.loaded.start, contact.loaded.stop
            early, late = stance.gap_to_air(begin, end - 1)
            used = scene.numbered(contact.plates)
            if 0 < early <= near:
                before = slice(begin - early, begin)
                state[before][np.logical_and.accumulate(scene.lifted_off(used, before))] = AIR
            if 0 < late <= near:
                after = slice(end, end + late)
                state[after][np.logical_and.accumulate(scene.lifted_off(used, after)[::-1])[::-1]] = AIR
    for contact in contacts:
        frames = contact.loaded
        if not contact.plates:
            # On the floor a foot that surely flies is known to carry nothing; over a loaded plate that it may be on,
            # its own motion is no proof.
            flies = stance.airborne[frames] & (contact.method == stance.method)
            state[frames] = np.where(flies, AIR, UNKNOWN)
            continue
        state[frames] = LOADED
        used = scene.numbered(contact.plates)
        whole, surface = scene.total(used), used[0]
        total = Wrench(whole.f_g[frames], whole.m_g[frames], whole.p_g[frames])
        force[frames], moment[frames] = total.f_g, total.m_g
        if not one_plane(used):
            free[frames] = np.nan
            continue
        cop_here, free_here = centre_of_pressure(total, surface.centre_g, surface.normal_g)
        noise = max((p.noise_N for p in used if np.isfinite(p.noise_N)), default=0.0)
        sure = total.f_g @ surface.normal_g > max(settings.contact_threshold_N, 5 * noise)
        cop[frames], free[frames] = np.where(sure[:, None], cop_here, cop[frames]), np.where(sure, free_here, np.nan)
    state[not_sure & (state == LOADED)] = UNKNOWN
    state[(state == LOADED) & ~known_rows(force)] = UNKNOWN  # the plate has no samples there
    unknown = state == UNKNOWN
    cop[unknown] = np.nan
    force[unknown], moment[unknown], free[unknown] = np.nan, np.nan, np.nan
    return FootLoad(state.astype(float), Wrench(force, moment, np.zeros(3)), cop, free)


def _weight_from_loads(plates: Sequence[PlateLoad]) -> float:
    """N. At most the body's weight where nobody says it: walking people press with 1.0 to 1.3 of it at most."""
    greatest = [np.fmax.reduce(plate.vertical) for plate in plates]
    return float(max(greatest)) / WALKING_PEAK if greatest else float("nan")


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


def disagreements(assignments: Sequence[Assignment], contacts: Sequence[Contact], trial: Trial) -> list[str]:
    """Where other programs left another answer with the trial: one warning each; theirs is not used."""
    result = []
    for other in assignments:
        known = [c for c in contacts if other.plate in c.plates]
        if other.time_s is not None:
            at = other.time_s * trial.rate_hz
            known = [c for c in known if c.first - 1 <= at <= c.last + 1]
        found = {c.side for c in known}
        said = f"{other.source} says that plate {other.plate} " + (
            "is not to be used" if other.foot == "none" else f"is the {other.foot} foot's"
        )
        if other.foot == "none" and found:
            result.append(f"{said}; here it carries the {' and the '.join(sorted(found))} foot")
        elif other.foot != "none" and found != {other.foot}:
            here = f"it carries the {' and the '.join(sorted(found))} foot" if found else "no foot is known to be on it"
            result.append(f"{said}; here {here}")
    return result
