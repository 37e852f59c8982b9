"""Plates and feet -> what tells of each contact of a foot with plates, before anything is judged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from gaitid.ground.balance import Balance, Support, no_support, support_of
from gaitid.ground.claims import FootClaims
from gaitid.ground.evidence import BY_HAND, BY_SAMPLES, BY_TRIAL, Evidence, Limits
from gaitid.ground.ground import Ground
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.reason import SHARING
from gaitid.numerics.masks import spans, widened
from gaitid.numerics.statistics import median
from gaitid.trial import Array

# s. A plate that takes up or loses its load farther than this from when the foot lands or leaves does not carry
# the whole foot.
TIMING = 0.10
# The same as a share of the contact: who walks slowly also lands slowly.
TIMING_SHARE = 0.12


def gather(
    feet: Sequence[FootClaims], weight_N: float, balance: Balance | None
) -> tuple[dict[str, list[Evidence]], Limits]:
    """What tells of every contact of each foot with plates, and the limits that they are held to in this trial.

    Parameters
    ----------
    feet : sequence of FootClaims
    weight_N : float
        Of the body.
    balance : Balance or None
        What the body's motion asks of the ground; None where it says nothing.

    Returns
    -------
    evidence : dict of side to list of Evidence
        In the order of their frames.
    limits : Limits
    """
    limits = Limits()
    found = {foot.side: _on_plates(foot, weight_N, balance) for foot in feet}
    # what contacts that raise no question lack, in body weights
    lost = [
        contact.support.lost
        for contacts in found.values()
        for contact in contacts
        if contact.support.tells and contact.pressing.any() and not any(contact.beyond_edges(limits))
    ]
    return found, limits.beyond_usual(float(median(np.array(lost)))) if lost else limits


def _on_plates(foot: FootClaims, weight_N: float, balance: Balance | None) -> list[Evidence]:
    """Contacts of one foot with plates, and what tells of each."""
    ground, given = foot.ground, foot.given
    any_plate = np.zeros(ground.n_frames, dtype=bool)
    for plate in ground.plates:
        any_plate |= foot.on(plate)
    runs = [*spans(any_plate & ~given), *spans(any_plate & given)]
    return [_evidence(foot, first, stop, weight_N, balance) for first, stop in runs]


def _evidence(foot: FootClaims, first: int, stop: int, weight_N: float, balance: Balance | None) -> Evidence:
    """What tells of the contact of a foot with plates from `first` to before `stop`."""
    ground = foot.ground
    rate_hz, sharing = ground.rate_hz, round(SHARING * ground.rate_hz)
    plates = [p for p in ground.plates if foot.on(p)[first:stop].any()]
    plates += [p for p in ground.plates if p not in plates and foot.touches_lightly(p, first, stop - 1)]
    before = max(first - sharing, 0)
    around = slice(before, stop + sharing)
    shared = reduce(np.logical_or, [foot.shares(p)[around] & foot.on(p)[around] for p in plates])
    if shared.any():
        shared |= widened(reduce(np.logical_or, [foot.shared_perhaps(p, around) for p in plates]), sharing)
    shared = shared[first - before : stop - before]
    here = slice(first, stop)
    load, near = foot.carried(plates, here), near_frames(stop - first, rate_hz)
    begin, end = recorded = ground.recorded(first)
    cut = (
        _cut_by(foot, plates, first, first - 1 if first > begin else None, first <= begin + near),
        _cut_by(foot, plates, stop, stop if stop < end else None, stop >= end - near),
    )
    support: Support = no_support(stop - first)
    if balance is not None:
        alone = foot.other_airborne[here] & ~shared
        support = support_of(balance, here, alone, (load.wrench.f_g, _all_plates(ground, here)), weight_N)
    return Evidence(
        foot=foot.foot,
        stance=foot.stance,
        other_airborne=foot.other_airborne,
        load=load,
        plates=plates,
        all_plates=ground.plates,
        first=first,
        last=stop - 1,
        shared=shared,
        near=near,
        recorded=recorded,
        cut=cut,
        weight_N=weight_N,
        threshold_N=ground.settings.contact_threshold_N,
        edge_frames=ground.settings.edge_frames,
        external_support=ground.settings.external_support,
        faults=ground.withheld,
        support=support,
        lower_ground=lambda: ground.lower_ground_g,
    )


def _cut_by(foot: FootClaims, plates: Sequence[PlateLoad], edge: int, beyond: int | None, at_end: bool) -> str:
    """What cuts a contact off at an `edge`, beside which the frame `beyond` of its pass lies; empty where nothing."""
    if beyond is not None and edge in foot.given_edges:
        return BY_HAND
    if beyond is not None and not foot.knows(plates, beyond):
        return BY_SAMPLES
    return BY_TRIAL if at_end else ""


def _all_plates(ground: Ground, frames: slice) -> Array:
    """(frames, 3) N, what all plates give together."""
    return reduce(np.add, [plate.wrench.f_g[frames] for plate in ground.plates])


def near_frames(n: int, rate_hz: float) -> int:
    """Frames by which a force may begin or end beside the foot's own landing and leaving, in a contact of n frames."""
    return max(2, round(TIMING * rate_hz), round(TIMING_SHARE * n))
