"""Who stood where by one result, and what the plates felt by another -> the load on a foot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.analysis.result import Result
from gaitid.dynamics.chain import Wrench, centre_of_pressure
from gaitid.ground.contacts import AIR, LOADED, UNKNOWN, FootLoad
from gaitid.ground.plate_load import PlateLoad, one_plane
from gaitid.numerics.masks import known_rows
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray


class FootOnPlates(NamedTuple):
    """A foot on plates, frames as indices, both included."""

    plates: tuple[int, ...]
    first: int
    last: int


def foot_on_plates(result: Result, side: str) -> list[FootOnPlates]:
    """The contacts of a foot with a known load, as far as their load reaches."""
    contacts = [contact for contact in result.contacts if contact.side == side and contact.plates]
    return [FootOnPlates(c.plates, c.loaded.start, c.loaded.stop - 1) for c in contacts]


def mixed_load(contacts: Result, side: str, plates: Sequence[PlateLoad]) -> FootLoad:
    """The load on a foot that stood where a result says, from plates as they are given.

    Parameters
    ----------
    contacts : Result
        Whose contacts, and frames that are known, count.
    side : str
    plates : sequence of PlateLoad
        Of the same frames.
    """
    threshold = contacts.settings.contact_threshold_N
    return load_from(contacts.sides[side].load.state, foot_on_plates(contacts, side), plates, threshold)


def load_from(
    state: IntArray, placements: Sequence[FootOnPlates], plates: Sequence[PlateLoad], threshold_N: float
) -> FootLoad:
    """The load on a foot.

    Parameters
    ----------
    state : (frames,) int array
        `FootState` of each frame; what is loaded while the foot stands on no plate becomes unknown.
    placements : sequence of FootOnPlates
    plates : sequence of PlateLoad
    threshold_N : float
        Below it no centre of pressure is told.
    """
    n = len(state)
    by_number: Mapping[int, PlateLoad] = {plate.number: plate for plate in plates}
    force, moment = np.full((2, n, 3), np.nan)
    cop: Array = np.full((n, 3), np.nan)
    free = np.where(state == AIR, 0.0, np.nan)
    force[state == AIR] = moment[state == AIR] = 0.0
    for contact in placements:
        if not set(contact.plates) <= by_number.keys():
            continue
        frames = slice(contact.first, contact.last + 1)
        chosen = [by_number[number] for number in contact.plates]
        here = state[frames] == LOADED
        total = _sum(chosen, frames)
        force[frames][here], moment[frames][here] = total.f_g[here], total.m_g[here]
        if one_plane(chosen):
            surface = chosen[0]
            cop_here, free_here = centre_of_pressure(total, surface.centre_g, surface.normal_g)
            sure = here & (total.f_g @ surface.normal_g > threshold_N)
            cop[frames][sure], free[frames][sure] = cop_here[sure], free_here[sure]
    state = np.where((state == LOADED) & ~known_rows(force), UNKNOWN, state)
    return FootLoad(state, Wrench(force, moment, np.zeros(3)), cop, free)


def _sum(plates: Sequence[PlateLoad], frames: slice) -> Wrench:
    """What several plates feel together, about the laboratory's origin."""
    wrenches = [plate.wrench.during(frames).at(np.zeros(3)) for plate in plates]
    total = wrenches[0]
    for wrench in wrenches[1:]:
        total = total.plus(wrench)
    return total
