"""Whether a declared rate can be: steps that nobody takes so quickly, and bodies that do not fall in the air as all do.

Both take the rate for granted that the file declares for everything together; `clocks` holds forces against markers.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gaitid.ground.balance import Balance, means_over_window
from gaitid.ground.contacts import AIR, UNKNOWN, FootLoad, Loads
from gaitid.ground.fault import Fault
from gaitid.ground.ground import Ground
from gaitid.notes import Note, note
from gaitid.numerics.masks import spans
from gaitid.numerics.rotation import norm
from gaitid.numerics.statistics import mean, median

# s from one strike to the other foot's. Nobody walks (both feet on the ground for more than the third) with quicker
# steps than the first, nor runs with quicker ones than the second: 0.41 to 0.63 and 0.22 to 0.36 in the shared trials;
# children of one year 0.34 (Sutherland et al. 1980, J Bone Joint Surg Am 62:336-353: 176 a minute). Of a contact's
# greatest force: it begins with less, or its beginning was not seen.
WALKED, RUN, BOTH, BEGINS = 0.28, 0.185, 0.02, 0.4
# s. Both feet carry nothing for so long: the body flies. What is asked of the ground then, body weights, the median of
# its flights: nothing. Runs show -0.2 to 0.3; a sprint whose trunk bends 0.45, with steps of 0.23 s. Twice too high a
# rate asks for 1 - 4 (-2 to -3.9 seen), twice too low a one for 1 - 1/4 (0.7 to 0.9). The latter only where steps are
# slower than the last, s, too (0.66 to 0.72 then; runs of the shared trials 0.22 to 0.36).
FLIGHT, FALLS_TOO_FAST, FALLS_TOO_SLOWLY, SLOW_STEPS = 0.03, -1.2, 0.5, 0.5
# Standard deviation of the force along the way that it varies most on (walking: braking and pushing) over that of what
# the motion asks for there, where both go together by the first (correlation), and this ratio with the vertical one
# (`clocks`), their geometric mean: 0.88 to 1.15 in 17 walks of 11 laboratories, as recorded, with 1 mm of noise and at
# half the rate (to 1.14 without the one that shows most), 0.70 to 1.14 by pelvis and legs alone; declared 1.25 times
# too low 1.42 to 1.89 (1.34 and more by pelvis and legs alone but for three children, whose trunk moves less than the
# pelvis), in a run that by its motion does not fly then 1.36. Each says so by the last at least: a gain of the
# horizontal forces, or of the vertical one, changes one of them.
TOGETHER, BOTH_TOO_SLOW, EACH_TOO_SLOW = 0.8, 1.25, 1.12
# s of known loads, a stance of walking: of less, braking and pushing are not both whole. A walk that was cut in
# mid-stance, with 0.59 s known, shows 1.25 and more; the rates that are told do so with 0.70 s (qualisys) and more.
SHORTEST = 0.65


def rate_faults(ground: Ground, loads: Loads, balance: Balance) -> list[Fault]:
    """That feet land more quickly than anybody's, or that the body does not fall as it must.

    Parameters
    ----------
    ground : Ground
    loads : Loads
    balance : Balance
    """
    found = _quick_steps(ground, loads) or _falls(ground, loads, balance)
    numbers = tuple(sorted({number for contact in loads.contacts for number in contact.plates}))
    return [Fault(found, common=numbers)] if found else []


def varies_more(vertical: float, loads: Loads, balance: Balance) -> float:
    """By how much forces vary more than the motion asks for, both upward and along the way: its rate is too low.

    Parameters
    ----------
    vertical : float
        Ratio of the standard deviations of vertical force and what is asked for, each as a share of its mean.
    loads : Loads
    balance : Balance

    Returns
    -------
    float
        The geometric mean of both ratios; 0 where they do not say so.
    """
    if not vertical > EACH_TOO_SLOW:
        return 0.0
    of_feet = list(loads.by_side.values())
    given_g = sum((load.wrench.f_g for load in of_feet), np.zeros_like(balance.asked_g))
    known = np.logical_and.reduce([load.state != UNKNOWN for load in of_feet])
    known &= np.isfinite(given_g).all(axis=1) & np.isfinite(balance.asked_g).all(axis=1)
    if np.count_nonzero(known) < SHORTEST * balance.rate_hz:
        return 0.0
    level_g = given_g[known] - np.outer(given_g[known] @ balance.up_g, balance.up_g)
    level_g -= mean(level_g)
    along_g = np.linalg.eigh(level_g.T @ level_g)[1][:, -1]
    # a gain common to all channels, and the mass, change the vertical mean too
    weight = float(mean((given_g @ balance.up_g)[known]) / mean((balance.asked_g @ balance.up_g)[known]))
    both = [means_over_window(force @ along_g, known, balance.rate_hz) for force in (given_g / weight, balance.asked_g)]
    seen = np.isfinite(both[0]) & np.isfinite(both[1])
    if np.count_nonzero(seen) < SHORTEST * balance.rate_hz:
        return 0.0
    y, x = (values[seen] - mean(values[seen]) for values in both)
    if not float(x @ y) > TOGETHER * np.sqrt(float(x @ x) * float(y @ y)):
        return 0.0
    along = float(np.sqrt((y @ y) / (x @ x)))
    both_ways = float(np.sqrt(along * vertical))
    return both_ways if along > EACH_TOO_SLOW and both_ways > BOTH_TOO_SLOW else 0.0


def _quick_steps(ground: Ground, loads: Loads) -> Note | None:
    """That nobody lands as quickly; by plates, else by the feet's own speed."""
    on_plates = [c for c in loads.contacts if c.plates and _begins(loads.by_side[c.side], c.loaded)]
    step_s, both_s = _steps(ground, [(c.side, c.loaded) for c in on_plates])
    if not step_s > 0:
        stood = [(side, stance, ends) for side, stance in ground.stances.items() for ends in stance.stood]
        # behind a gap a foot may have stood for long
        landed = [(side, slice(*ends)) for side, stance, ends in stood if not stance.unseen[max(ends[0] - 1, 0)]]
        step_s, both_s = _steps(ground, landed)
    least = WALKED if both_s > BOTH else RUN
    if not 0 < step_s < least or -BOTH <= both_s <= BOTH:
        return None
    return note("rate_doubtful/quick_steps", step_s=step_s, least_s=least, walks=both_s > BOTH)


def _steps(ground: Ground, stood: list[tuple[str, slice]]) -> tuple[float, float]:
    """Median times, s, from one landing to the other foot's in the same pass, and for which both stand; 0 where no two
    are seen.
    """
    of_pass = [(*one, ground.recorded(one[1].start)) for one in stood]
    landed = sorted((one for one in of_pass if one[1].start > one[2][0]), key=lambda one: int(one[1].start))
    pairs = [(a, b) for (side, a, here), (other, b, there) in pairwise(landed) if side != other and here == there]
    if not pairs:
        return 0.0, 0.0
    frames = np.array([[b.start - a.start, a.stop - b.start] for a, b in pairs], dtype=float)
    step, both = median(frames) / ground.rate_hz
    return float(step), float(both)


def _begins(load: FootLoad, frames: slice) -> bool:
    """Whether the beginning of a contact was seen: its force is small then."""
    size = norm(load.wrench.f_g[frames])
    return bool(size[0] < BEGINS * np.fmax.reduce(size))


def _falls(ground: Ground, loads: Loads, balance: Balance) -> Note | None:
    """That the body falls too fast or too slowly while nothing carries it.

    In the air its centre of mass has the acceleration of gravity and nothing else.
    """
    in_air = np.logical_and.reduce([load.state == AIR for load in loads.by_side.values()])
    asked = balance.asked_g @ balance.up_g / balance.gravity_m_per_s2
    flights = [asked[a:b].mean() for a, b in spans(in_air) if b - a >= FLIGHT * ground.rate_hz]
    flights = [value for value in flights if np.isfinite(value)]
    if not flights:
        return None
    typical = float(median(np.array(flights)))
    step_s, _ = _steps(ground, [(c.side, c.loaded) for c in loads.contacts if c.plates])
    fast = typical < FALLS_TOO_FAST
    if not fast and not (typical > FALLS_TOO_SLOWLY and step_s > SLOW_STEPS):
        return None
    return note("rate_doubtful/falls", times=1 - typical, high=fast)
