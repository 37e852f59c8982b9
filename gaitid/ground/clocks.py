"""Two clocks that have nothing in common: forces of other steps than the markers', or that last twice as long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gaitid.ground.contacts import Loads, loads_on_feet
from gaitid.ground.ground import Ground, find_ground
from gaitid.ground.plate_channels import Fault
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.sole import median_off, odds_of_foot
from gaitid.notes import note
from gaitid.trial import Trial

# Share by which a record that is twice as long may differ from that.
SAME_LENGTH = 0.03
# s. Of forces of which no foot's load is known: a load begins and ends this near to where a foot lands and leaves.
# Moved by 0.32 and 0.5 s (49 shared trials and shifts with whole loads left), 43 are found again to 0.04 s, and the
# pressure then lies 0.00 to 0.04 m from the foot; none is where it was filed. Where loads last as a stance by chance,
# it lies 0.18 m off and more.
LANDS = 0.12
# Whole loads that are looked at; of them, those that have to fit. s: forces that are less late fit as they are filed
# (0.00 to 0.04 in the shared trials); by this the beginnings of two files may differ from what was found.
LOOKED_AT, FITTING, APART = 8, 0.66, 0.07
# s for each load by which another shift has to fit better in time.
CLEARLY = 0.04


def far_apart(trial: Trial, ground: Ground) -> list[Fault]:
    """Forces that belong to other steps: moved by one time, they lie under feet that land and leave with them.

    Asked where no foot's load is known as filed; needs neither the body's mass nor plates' edges.
    """
    rate = ground.rate_hz
    loads = [
        (plate, first, last + 1)
        for plate in ground.plates
        for first, last in ground.loaded[plate.number]
        if not any(ground.cuts(first, last))
    ]
    loads = sorted(loads, key=lambda load: -float(np.fmax.reduce(load[0].vertical[load[1] : load[2]])))[:LOOKED_AT]
    stood = [(side, ends) for side, stance in ground.stances.items() for ends in stance.stood]
    if not loads or not stood:
        return []
    # (loads, stances, 2) frames by which each would have to be moved, for its beginning and for its end
    ends = np.array([ends for _, ends in stood], dtype=float)
    moves = ends - np.array([load[1:] for load in loads], dtype=float)[:, None]
    shifts = np.rint(moves.mean(axis=2)[(np.abs(moves[..., 0] - moves[..., 1]) <= 2 * LANDS * rate)])
    timed = np.abs(moves[None] - np.array([0.0, *shifts])[:, None, None, None]).max(axis=3) <= LANDS * rate
    least = max(FITTING * len(loads), 1.0)

    def under(shift: int, i: int, j: int) -> bool:
        """Whether the pressure of a load, so many frames later, lies under the foot of a stance."""
        return bool(odds_of_foot(_off_foot(ground, loads[i], shift, stood[j][0])) > 0)

    best, found = (0, 0.0), 0
    for shift, at_once in sorted(
        zip([0, *shifts.astype(int).tolist()], timed, strict=True), key=lambda one: abs(one[0])
    ):
        if at_once.any(axis=1).sum() < max(least, best[0]):
            continue
        off = np.array(
            [
                min(
                    (abs(moves[i, j].mean() - shift) for j in np.flatnonzero(of).tolist() if under(shift, i, j)),
                    default=np.inf,
                )
                for i, of in enumerate(at_once)
            ]
        )
        fits = np.isfinite(off)
        better = best[1] - CLEARLY * rate * best[0]  # of shifts that fit alike, as on a treadmill, the least
        if (n_fit := int(fits.sum())) > best[0] or (n_fit == best[0] > 0 and off[fits].sum() < better):
            best, found = (n_fit, float(off[fits].sum())), shift
    late_s, start_s = -found / rate, trial.plates[0].start_s
    declared = start_s != 0 and abs(start_s - late_s) < APART
    # a single load that lasts as a stance, but lies elsewhere: the corners may be wrong as well
    if best[0] < least or abs(late_s) < APART or (len(loads) == 1 and timed[0].any() and not declared):
        return []
    wrong = note(
        "clocks_apart/far_declared" if declared else "clocks_apart/far",
        s=abs(late_s),
        late=late_s > 0,
        start_s=abs(start_s),
        start_late=start_s > 0,
    )
    return [Fault(wrong, True, tuple(plate.number for plate in ground.plates))]


def zeros_apart(trial: Trial, ground: Ground, weight_N: float) -> list[Fault]:
    """Two files of one recording, each with a zero of time of its own: as if both began together, feet are under loads.

    Asked where no foot's load is known as filed, of forces that last as long as the markers but begin at another time.
    """
    start_s, lasts_s = trial.plates[0].start_s, trial.n_frames / trial.rate_hz
    alike = all(abs(p.n_samples / p.rate_hz / lasts_s - 1) < SAME_LENGTH and p.start_s == start_s for p in trial.plates)
    if abs(start_s) < APART or not alike:
        return []
    together = replace(trial, plates=tuple(replace(plate, start_s=0.0) for plate in trial.plates))
    ground = find_ground(together, ground.settings, ground.feet, ground.floor.up_g, ground.floor.passes)
    if not any(contact.plates for contact in loads_on_feet(ground, weight_N).contacts):
        return []
    wrong = note("clocks_apart/zeros", start_s=abs(start_s), late=start_s > 0, lasts_s=lasts_s)
    return [Fault(wrong, True, tuple(plate.number for plate in ground.plates))]


def _off_foot(ground: Ground, load: tuple[PlateLoad, int, int], shift: int, side: str) -> float:
    """m, from a foot to a load's pressure, so many frames later."""
    plate, first, stop = load
    vertical = plate.vertical[first:stop]
    frames = np.flatnonzero(vertical > 0.5 * np.fmax.reduce(vertical)) + first
    frames = frames[(frames + shift >= 0) & (frames + shift < ground.n_frames)]
    return median_off(plate.cop_g[frames], ground.feet[side].during(frames + shift), plate.normal_g)


def lasts_otherwise(trial: Trial, ground: Ground, loads: Loads) -> list[Fault]:
    """That the forces last twice or half as long as the markers.

    A record that was cut also differs in length, but hardly ever by that factor on every plate; and what is left of it
    begins as a foot lands, which no load does whose rate is wrong.
    """
    if not any(ground.loaded.values()) or any(contact.plates and contact.first > 0 for contact in loads.contacts):
        return []
    markers_s = trial.n_frames / trial.rate_hz
    for factor in (2.0, 0.5):
        if trial.plates and all(
            abs(p.n_samples / p.rate_hz / markers_s / factor - 1) < SAME_LENGTH for p in trial.plates
        ):
            numbers = tuple(plate.number for plate in ground.plates)
            return [Fault(note("rate_doubtful/durations", twice=factor > 1), common=numbers)]
    return []
