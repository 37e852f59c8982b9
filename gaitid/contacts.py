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
from gaitid.model import specs
from gaitid.plates import PlateLoad
from gaitid.signals import known_rows, median, spans
from gaitid.stance import FootTrack, Stance
from gaitid.trial import Array, Mask, frozen

AIR, LOADED, UNKNOWN = 0, 1, -1

# A foot's sole reaches about this share of the heel-toe distance beyond the toe marker, which stands on the second
# metatarsal head; the pressure of a foot lies within this of the line from heel to toe, m.
TOE_SHARE, HALF_WIDTH = 0.35, 0.05
# m. How far a marker may lie outside a plate before that part of the foot counts as beside it: markers stand on
# skin, corners are surveyed to millimetres.
EDGE_TOLERANCE = 0.03
# m. A centre of pressure farther than this from the line of the foot is not this foot's.
COP_REACH = 0.10
# s. A plate that takes up or loses its load farther than this from when the foot lands or leaves does not carry
# the whole foot.
TIMING = 0.10
# s. A stance on the floor shorter than this is noise of the foot's speed.
MIN_CONTACT = 0.08
# m. A marker of a standing foot is lower than this above the surface it stands on (the lower of heel and toe).
LOW = 0.12
# m. Surfaces that differ by less than this in height are one floor; by less than the second, one plane.
STEP, FLUSH = 0.05, 0.01
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


def _margin(plate: PlateLoad, point_g: Array) -> Array:
    """(frames,) distance, m, from a point to the nearest edge, seen from above; negative outside."""
    local = (point_g - plate.centre_g) @ plate.R_gp
    return np.asarray(np.minimum(plate.half[0] - np.abs(local[:, 0]), plate.half[1] - np.abs(local[:, 1])))


def _cop_distance(cop_g: Array, foot: FootTrack, normal_g: Array) -> Array:
    """(frames,) distance, m, from the centre of pressure to the line of the foot, in the plate's plane."""
    flat = np.eye(3) - np.outer(normal_g, normal_g)
    line = (foot.toe_g - foot.heel_g) @ flat
    to_cop = (cop_g - foot.heel_g) @ flat
    with np.errstate(invalid="ignore", divide="ignore"):
        along = np.einsum("ij,ij->i", to_cop, line) / np.einsum("ij,ij->i", line, line)
    nearest = np.clip(along, -0.1, 1 + TOE_SHARE)[:, None] * line
    return np.asarray(np.linalg.norm(to_cop - nearest, axis=1))


def assign_loads(
    plates: Sequence[PlateLoad],
    feet: Mapping[str, FootTrack],
    stances: Mapping[str, Stance],
    rate_hz: float,
    settings: specs.Settings,
    n_frames: int,
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
        side_contacts = _contacts_of(side, foot, stances[side], plates, carried, rate_hz, settings)
        shared = np.zeros(n_frames, dtype=bool)
        for on in carried.values():
            for other in on:
                if other != side:
                    shared |= on[side] & on[other]
        near = round(NEAR_AIR * rate_hz)
        loads[side] = _load(stances[side], plates, side_contacts, shared, near, settings)
        contacts += side_contacts
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
                distance = _cop_distance(plate.cop_g, foot, plate.normal_g)[frames][pressing]
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
    """(frames,) whether a standing foot has its heel, its toe or its middle on the plate."""
    local_height = np.minimum(
        (foot.heel_g - plate.centre_g) @ plate.normal_g, (foot.toe_g - plate.centre_g) @ plate.normal_g
    )
    inside = np.maximum.reduce([_margin(plate, p) for p in (foot.heel_g, foot.toe_g, (foot.heel_g + foot.toe_g) / 2)])
    with np.errstate(invalid="ignore"):
        return np.asarray((inside > 0) & (np.abs(local_height) < LOW) & stance.standing)


def _contacts_of(
    side: str,
    foot: FootTrack,
    stance: Stance,
    plates: Sequence[PlateLoad],
    carried: Mapping[int, Mapping[str, Mask]],
    rate_hz: float,
    settings: specs.Settings,
) -> list[Contact]:
    """Contacts of one foot: on plates, known or not, and on the floor where no plate is."""
    any_plate = np.zeros(len(foot.heel_g), dtype=bool)
    for plate in plates:
        any_plate |= carried[plate.number][side]
    by_number = {plate.number: plate for plate in plates}
    contacts: list[Contact] = []
    taken = np.zeros_like(any_plate)
    near = max(2, round(TIMING * rate_hz))
    for first, stop in list(spans(any_plate)):
        last = stop - 1
        used = tuple(n for n in by_number if carried[n][side][first:stop].any())
        both = np.zeros(stop - first, dtype=bool)
        for number in used:
            others = [carried[number][s][first:stop] for s in carried[number] if s != side]
            both |= carried[number][side][first:stop] & np.any(others, axis=0) if others else False
        contact = _judge(side, foot, stance, [by_number[n] for n in used], plates, first, last, both, near)
        contacts.append(contact)
        taken[first:stop] = True
    for first, stop in spans(stance.standing & ~stance.airborne):
        free = ~taken[first:stop]
        # what is left of a stance of which a plate saw a part belongs to that contact
        if taken[max(first - near, 0) : stop + near].any() and free.mean() < 0.5:
            continue
        for a, b in spans(free):
            if b - a >= max(3, round(MIN_CONTACT * rate_hz)):
                contacts.append(
                    Contact(
                        side,
                        (),
                        first + a,
                        first + b - 1,
                        np.nan,
                        stance.method,
                        0.0,
                        "the foot stands where no plate measures it",
                    )
                )
    return contacts


def _judge(
    side: str,
    foot: FootTrack,
    stance: Stance,
    plates: Sequence[PlateLoad],
    all_plates: Sequence[PlateLoad],
    first: int,
    last: int,
    both: Mask,
    near: int,
) -> Contact:
    """Whether plates carried the whole of one contact of one foot, and how sure that is."""
    frames = slice(first, last + 1)
    vertical = np.sum([plate.vertical[frames] for plate in plates], axis=0)
    peak = float(np.fmax.reduce(vertical))
    pressing = vertical > 0.5 * peak
    method = "plate force, foot over plate, pressure under foot"
    numbers = tuple(sorted(plate.number for plate in plates))
    doubts: list[tuple[float, str]] = []

    def unknown(reason: str) -> Contact:
        return Contact(side, (), first, last, np.nan, method, 0.0, reason)

    if not np.isfinite(foot.heel_g[frames]).all() or not np.isfinite(foot.toe_g[frames]).all():
        if not known_rows(foot.heel_g[frames])[pressing].any():
            return unknown(f"plate {_join(numbers)}: the foot's markers are missing")
        doubts.append((0.8, "foot markers are missing in part"))
    if both.mean() > 0.1:
        return unknown(f"plate {_join(numbers)}: both feet stand on it")
    named = []
    for part, part_g in (("heel", foot.heel_g[frames]), ("toe", foot.toe_g[frames])):
        margins = [_margin(p, part_g) for p in plates]
        # the part lies on whichever of the plates it lies on best
        best = np.fmax.reduce(margins)[pressing]
        best = best[np.isfinite(best)]
        margin = float(best.min()) if best.size else np.nan
        if margin < -EDGE_TOLERANCE and not _overhangs(plates, all_plates, part_g[pressing]):
            named.append(f"the {part} is {-margin * 100:.0f} cm beside it")
        elif margin < 0:
            doubts.append((0.7, f"the {part} marker lies {-margin * 100:.1f} cm over the edge"))
    if named:
        return unknown(f"plate {_join(numbers)}: {' and '.join(named)}")
    early, late = stance.beyond(first, last)
    # A force that begins or ends while the foot stands still: part of the foot stands elsewhere.
    if first > near and early > near:
        return unknown(f"plate {_join(numbers)}: the foot stood {early} frames before the plate was loaded")
    if last < len(foot.heel_g) - 1 - near and late > near:
        return unknown(f"plate {_join(numbers)}: the foot stood {late} frames after the plate was unloaded")
    cop = _cop_distance_all(plates, foot, frames)
    if pressing.any() and np.isfinite(cop[pressing]).any():
        away = float(median(cop[pressing & np.isfinite(cop)]))
        if away > COP_REACH:
            return unknown(f"plate {_join(numbers)}: its pressure is {away * 100:.0f} cm from the foot")
        doubts.append(
            (
                1.0 if away < HALF_WIDTH else 0.7,
                f"the pressure lies {away * 100:.0f} cm from the line of the foot",
            )
        )
    if first == 0 or last == len(foot.heel_g) - 1:
        doubts.append((0.9, "the contact is cut by the end of the trial"))
    confidence = float(np.prod([weight for weight, _ in doubts]) if doubts else 1.0)
    reason = "; ".join(words for weight, words in doubts if weight < 1)
    return Contact(side, numbers, first, last, peak, method, round(0.99 * confidence, 2), reason)


def _overhangs(plates: Sequence[PlateLoad], all_plates: Sequence[PlateLoad], part_g: Array) -> bool:
    """Whether what lies beyond a plate's edge hangs over lower ground, as on a stair: then nothing else carries it.

    The plate is higher than the lowest one, and no other plate of its height lies under the part.

    Parameters
    ----------
    plates : sequence of PlateLoad
        Those that carry the foot.
    all_plates : sequence of PlateLoad
    part_g : (frames, 3) array, m
        The marker beyond the edge.
    """
    height = max(plate.height_above_lowest for plate in plates)
    if height < STEP:
        return False
    beside = [p for p in all_plates if p not in plates and abs(p.height_above_lowest - height) < STEP]
    return not any((_margin(p, part_g) > 0).any() for p in beside)


def _one_plane(plates: Sequence[PlateLoad]) -> bool:
    """Whether the surfaces of several plates lie in one plane, so that one centre of pressure is that of their sum."""
    first = plates[0]
    return all(
        abs((p.centre_g - first.centre_g) @ first.normal_g) < FLUSH and p.normal_g @ first.normal_g > 0.999
        for p in plates[1:]
    )


def _cop_distance_all(plates: Sequence[PlateLoad], foot: FootTrack, frames: slice) -> Array:
    wrench = plates[0].wrench.at(np.zeros(3))
    for plate in plates[1:]:
        wrench = wrench.plus(plate.wrench.at(np.zeros(3)))
    cop, _ = centre_of_pressure(wrench, plates[0].centre_g, plates[0].normal_g)
    return _cop_distance(cop, foot, plates[0].normal_g)[frames]


def _load(
    stance: Stance,
    plates: Sequence[PlateLoad],
    contacts: Sequence[Contact],
    shared: Mask,
    near: int,
    settings: specs.Settings,
) -> FootLoad:
    """Put a foot's contacts together; frames in which it shares a plate with the other foot are unknown."""
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
            state[frames] = UNKNOWN
            continue
        state[frames] = LOADED
        total = None
        for number in contact.plates:
            part = by_number[number].wrench.at(np.zeros(3))
            total = part if total is None else total.plus(part)
        assert total is not None
        force[frames], moment[frames] = total.f_g[frames], total.m_g[frames]
        surface = by_number[contact.plates[0]]
        if not _one_plane([by_number[n] for n in contact.plates]):
            free[frames] = np.nan
            continue
        cop_all, free_all = centre_of_pressure(total, surface.centre_g, surface.normal_g)
        vertical = total.f_g @ surface.normal_g
        sure = np.zeros(n_frames, dtype=bool)
        sure[frames] = vertical[frames] > settings.contact_threshold_N
        cop[sure], free[frames] = cop_all[sure], np.where(sure, free_all, np.nan)[frames]
    state[shared] = UNKNOWN
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


def _join(numbers: Sequence[int]) -> str:
    return "+".join(str(n) for n in numbers)
