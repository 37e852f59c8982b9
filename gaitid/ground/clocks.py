"""Forces against markers in time: by how much one of them is late, and whether a declared rate can be.

The vertical force and what the motion asks of it have the same shape in time: the shift at which they fit best, with
any factor between them, is the delay of the forces. Soft parts of the body follow the pelvis late, so that a delay of
some ms is always there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.feet import FootTrack
from gaitid.ground.balance import EVERYWHERE, FLIES, Balance
from gaitid.ground.contacts import UNKNOWN, Loads
from gaitid.ground.fault import Fault, Stood
from gaitid.ground.ground import EVENTS_OFF, Ground
from gaitid.ground.plate_load import PlateLoad
from gaitid.ground.rates import varies_more
from gaitid.ground.sole import distance_from_foot
from gaitid.notes import note
from gaitid.numerics.statistics import median
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask, Trial

# s. Means over this long are compared, shifted by at most the second, in at least the third.
WINDOW, FARTHEST, LEAST = 0.1, 0.16, 0.2
# ms by which the force comes later than the motion asks for it in trials whose clocks are one (benchmarks/balance.py,
# docs/balance.md): 0 to +14 in recorded walks (median 7), −3 to +5 in simulated ones (median 2): taken is a value
# between the medians. Running −7 recorded, −6 simulated: there the pelvis follows the leg.
USUAL_MS, USUAL_RUNNING_MS = 4.0, -6.0
# ms from there. Worth saying; doubted (the farthest of the clean trials lies 10 away); not believed.
SAID_MS, DOUBTED_MS, WITHHELD_MS = 10.0, 13.0, 40.0
# Squared correlation at the best shift, to tell of a rate and of a delay: clean trials show 0.84 and more (0.85 without
# the turn that shows least), one of two plates 50 ms late 0.38 to 0.69. At the second and less nothing fits. Standard
# deviations, body weights, of the one that varies more and of the other. With less nothing tells.
OF_RATE, ALIKE, VARIES, NOT_STILL = 0.6, 0.75, 0.04, 0.01
# Squared correlation from which on no plate is late beside the others.
AT_ONCE = 0.95
# Squared correlation where less tells: in single support on one plate, or where no contact is known.
ALIKE_UNSURE = 0.8
# s of single support on a plate that tell of it; ms by which the force is late there (−7 to +24, a turn +39), and by
# which one plate is later than the others, or all than that: those of one trial differ by up to 17.
ALONE, USUAL_ALONE_MS, ALONE_APART_MS = 0.26, 8.0, 32.0
# s by which the file's events come after the plates' loads (`Ground.events_late_s`): -0.020 to -0.002 in the shared
# trials that have any. Forces that are early by the motion, and by events that come later than the second, are doubted
# from `SAID_MS` on; late ones the same before the first.
EVENTS_FIT = (-0.026, 0.005)
# Share by which a record that is twice as long may differ from that.
SAME_LENGTH = 0.03
# Standard deviation of the force over that of what is asked for, each as a share of its mean. Walks and runs show 0.73
# to 1.35; a rate that is declared twice too high makes accelerations four times as large, and the reverse.
TOO_FAST, TOO_SLOW = 0.45, 2.2
# The same in walking, where forces and motion are alike: 0.91 to 1.23 in 20 recorded walks of 12 laboratories (to 1.17
# without the one that shows most), 0.84 to 1.0 in 30 simulated ones; with 0.3 to 1 mm of noise and at 50 to 250 Hz 0.80
# to 1.28 (0.89 to 1.20 without the laboratories at the ends). Declared 1.25 times too high 0.57 to 0.75, as much too
# low 1.47 to 2.04. Stances of one foot alone do not tell (0.66 to 1.66 in the same walks).
TOO_FAST_WALKING, TOO_SLOW_WALKING = 0.76, 1.37
# The first by pelvis and legs alone, where the trunk is not measured and may move less than the pelvis: clean 0.75 to
# 1.17 in 15 recorded walks of 9 laboratories (from 0.89 without the one that shows least); 1.25 times too high 0.46 to
# 0.64, and 0.72 in a turn.
TOO_FAST_PELVIS = 0.65
# The same where the body flies: beyond it (1.7 in a sprint) the pelvis tells too little of the trunk.
OF_RUNNING = 1.5
# Of forces of which no foot's load is known. s: a load begins and ends this near to where a foot lands and leaves; m,
# median while it carries much: its pressure lies this near to the line of the foot. Moved by 0.32 and 0.5 s (49 shared
# trials and shifts with whole loads left), 43 are found again to 0.04 s, and the pressure then lies 0.00 to 0.04 m from
# the foot; none is where it was filed. Where loads last as a stance by chance, it lies 0.18 m off and more.
LANDS, UNDER = 0.12, 0.06
# Whole loads that are looked at; of them, those that have to fit. s: forces that are less late fit as they are filed
# (0.00 to 0.04 in the shared trials); by this the beginnings of two files may differ from what was found.
LOOKED_AT, FITTING, APART, DECLARED = 8, 0.66, 0.07, 0.1
# s for each load by which another shift has to fit better in time.
CLEARLY = 0.04


class Fit(NamedTuple):
    """How forces and motion fit in time.

    Attributes
    ----------
    late_s : float
        By which the forces come after the motion.
    alike : float
        Squared correlation then.
    ratio : float
        Of the forces' standard deviation to that of what was asked for, each as a share of its mean.
    flies : bool
    """

    late_s: float
    alike: float
    ratio: float
    flies: bool

    @property
    def apart_ms(self) -> float:
        """By how much more than usual the forces are late."""
        return self.late_s * 1e3 - (USUAL_RUNNING_MS if self.flies else USUAL_MS)


def clock_faults(
    trial: Trial, ground: Ground, loads: Loads, stood: Sequence[Stood], body: tuple[Balance, float]
) -> list[Fault]:
    """Forces that come too early or too late, and rates that cannot be.

    Parameters
    ----------
    trial : Trial
    ground : Ground
    loads : Loads
        As judged with the clocks as filed.
    stood : sequence of Stood
    body : (Balance, float)
        And the body's weight, N.
    """
    balance, weight_N = body
    numbers = tuple(plate.number for plate in ground.plates)
    if factor := _forces_last(trial, ground, loads):
        return [Fault(note("rate_doubtful/durations", twice=factor > 1), common=numbers)]
    fit = fit_in_time(_known_total(loads, balance) / weight_N, balance)
    sure = fit is not None
    if fit is None:
        # too little is known: do the forces as a whole, on whomever, fit at another time?
        fit = fit_in_time(_on_plates(ground, loads, balance) / weight_N, balance)
    if fit is None or not fit.alike > (OF_RATE if sure else ALIKE_UNSURE):
        late_ms = _by_plate(stood, balance, weight_N)
        return _plates_apart(late_ms) or _apart_alone(late_ms) or _do_not_follow(fit if sure else None, numbers)
    both_feet = len({contact.side for contact in loads.contacts if contact.plates}) > 1
    walks = both_feet and not fit.flies and fit.alike > ALIKE
    least, most = (TOO_FAST_WALKING, TOO_SLOW_WALKING) if walks else (TOO_FAST, TOO_SLOW)
    if walks and balance.com_g is None:
        least = TOO_FAST_PELVIS
    by_both = varies_more(fit.ratio, loads, balance) if walks and sure else 0.0
    if by_both or (sure and not least < fit.ratio < most):
        ratio = by_both or fit.ratio
        times = max(ratio, 1 / ratio)
        wrong = note("rate_doubtful/accelerations", times=times, by=np.sqrt(times), high=ratio < 1)
        return [Fault(wrong, common=numbers)]
    apart = fit.apart_ms
    if not fit.alike > ALIKE:
        return _do_not_follow(fit if sure else None, numbers)
    if fit.flies and fit.ratio > OF_RUNNING:
        return []
    if abs(apart) < (SAID_MS if sure else WITHHELD_MS):
        return _plates_apart(_by_plate(stood, balance, weight_N)) if sure and fit.alike < AT_ONCE else []
    events = ground.events_late_s
    with_events = abs(events) > EVENTS_OFF and abs(events * 1e3 + apart) < 1e3 * EVENTS_OFF
    too = events > EVENTS_FIT[1] if apart < 0 else events < EVENTS_FIT[0]
    events_ms = abs(events) * 1e3 if too and not with_events else None
    wrong = note(
        "clocks_apart/motion" if too or abs(apart) >= DOUBTED_MS else "clocks_near",
        ms=abs(apart),
        late=apart > 0,
        with_events=with_events,
        events_ms=events_ms,
    )
    return [Fault(wrong, abs(apart) >= WITHHELD_MS, numbers, with_events)]


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
        return _off_foot(ground, loads[i], shift, stood[j][0]) < UNDER

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
    declared = start_s != 0 and abs(start_s - late_s) < DECLARED
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


def _off_foot(ground: Ground, load: tuple[PlateLoad, int, int], shift: int, side: str) -> float:
    """m, the median distance from a load's pressure, so many frames later, to a foot; infinite where none is known."""
    plate, first, stop = load
    vertical = plate.vertical[first:stop]
    frames = np.flatnonzero(vertical > 0.5 * np.fmax.reduce(vertical)) + first
    frames = frames[(frames + shift >= 0) & (frames + shift < ground.n_frames)]
    foot = ground.feet[side]
    there = FootTrack(foot.heel_g[frames + shift], foot.toe_g[frames + shift], foot.ball_over_toe)
    away = distance_from_foot(plate.cop_g[frames], there, plate.normal_g)
    away = away[np.isfinite(away)]
    return float(median(away)) if away.size else np.inf


def _forces_last(trial: Trial, ground: Ground, loads: Loads) -> float:
    """2 or 0.5 where the forces last twice or half as long as the markers; else 0.

    A record that was cut also differs in length, but hardly ever by that factor on every plate; and what is left of it
    begins as a foot lands, which no load does whose rate is wrong.
    """
    if not any(ground.loaded.values()) or any(contact.plates and contact.first > 0 for contact in loads.contacts):
        return 0.0
    markers_s = trial.n_frames / trial.rate_hz
    for factor in (2.0, 0.5):
        if trial.plates and all(
            abs(p.n_samples / p.rate_hz / markers_s / factor - 1) < SAME_LENGTH for p in trial.plates
        ):
            return factor
    return 0.0


def _by_plate(stood: Sequence[Stood], balance: Balance, weight_N: float) -> dict[int, float]:
    """By how many ms the force of each plate is late, in single support on it alone; of those where that tells."""
    late: dict[int, list[float]] = {}
    for one in stood:
        if len(one.alone) < ALONE * balance.rate_hz:
            continue
        reach = round(FARTHEST * balance.rate_hz)
        around = slice(max(int(one.alone[0]) - reach, 0), int(one.alone[-1]) + reach + 1)
        given = np.full(len(balance.asked_g), np.nan)
        given[one.alone] = one.plate.wrench.f_g[one.alone] @ balance.up_g / weight_N
        fit = fit_in_time(given, balance, around, ALONE / 2)
        if fit is not None and fit.alike > ALIKE_UNSURE and not fit.flies:
            late.setdefault(one.plate.number, []).append(fit.late_s * 1e3)
    return {number: float(median(np.array(values))) for number, values in late.items()}


def _plates_apart(late_ms: Mapping[int, float]) -> list[Fault]:
    """One plate that comes later than the others."""
    if len(late_ms) < 2:
        return []
    usual = float(median(np.array(list(late_ms.values())))) if len(late_ms) > 2 else USUAL_ALONE_MS
    farthest = max(late_ms, key=lambda number: abs(late_ms[number] - usual))
    apart = late_ms[farthest] - float(np.mean([ms for number, ms in late_ms.items() if number != farthest]))
    if abs(apart) < ALONE_APART_MS:
        return []
    return [Fault(note("clocks_apart/plate", plates=farthest, ms=abs(apart), late=apart > 0))]


def _apart_alone(late_ms: Mapping[int, float]) -> list[Fault]:
    """Forces that are late where only single support tells of it."""
    if not late_ms:
        return []
    apart = float(median(np.array(list(late_ms.values())))) - USUAL_ALONE_MS
    if abs(apart) < ALONE_APART_MS:
        return []
    return [Fault(note("clocks_apart/about", ms=abs(apart), late=apart > 0), common=tuple(late_ms))]


def _do_not_follow(fit: Fit | None, numbers: tuple[int, ...]) -> list[Fault]:
    """That the forces on the feet fit the motion at no shift."""
    if fit is None or fit.alike > ALIKE:
        return []
    return [Fault(note("clocks_apart/no_shift", r2=fit.alike), common=numbers)]


def _on_plates(ground: Ground, loads: Loads, balance: Balance) -> Array:
    """(frames,) N, upward on all plates, from the first to the last contact with any; NaN beside."""
    floors = {stance.method for stance in ground.stances.values()}
    contacts = [contact for contact in loads.contacts if contact.method not in floors]
    total = np.full(len(balance.asked_g), np.nan)
    if contacts:
        frames = slice(min(c.first for c in contacts), max(c.last for c in contacts) + 1)
        total[frames] = sum(plate.wrench.f_g[frames] @ balance.up_g for plate in ground.plates)
        for contact in loads.contacts:
            if contact.method in floors:
                total[contact.loaded] = np.nan
    return total


def _known_total(loads: Loads, balance: Balance) -> Array:
    """(frames,) N, upward on both feet; NaN where a foot's load is not known."""
    of_feet = list(loads.by_side.values())
    total = sum((load.wrench.f_g @ balance.up_g for load in of_feet), np.zeros(len(balance.asked_g)))
    known = np.logical_and.reduce([load.state != UNKNOWN for load in of_feet])
    return np.where(known, total, np.nan)


def fit_in_time(given: Array, balance: Balance, around: slice = EVERYWHERE, least_s: float = LEAST) -> Fit | None:
    """The shift at which the forces fit the motion best; None where too little tells.

    Parameters
    ----------
    given : (frames,) array
        Upward force, body weights; NaN where it is not known.
    balance : Balance
    around : slice
        Frames to look at.
    least_s : float
        Of frames that tell.
    """
    rate_hz = balance.rate_hz
    given, asked = given[around], balance.asked_g[around] @ balance.up_g / balance.gravity_m_per_s2
    half = max(round(WINDOW * rate_hz / 2), 1)
    y, y_known = _means(given, half)
    x, x_known = _means(asked, half)
    farthest = round(FARTHEST * rate_hz)
    if min(y_known.sum(), x_known.sum()) < least_s * rate_hz:
        return None

    def at_each_shift(early: Array, late: Array) -> Array:
        """Sums of products; entry k with the first k − farthest frames earlier."""
        padded = np.zeros(len(early) + 2 * farthest)
        padded[farthest : farthest + len(early)] = early
        return np.correlate(padded, late)[::-1]

    ones = x_known.astype(float)
    n, sum_x, sum_xx = (at_each_shift(of_x, y_known.astype(float)) for of_x in (ones, x, x**2))
    sum_y, sum_yy, sum_xy = at_each_shift(ones, y), at_each_shift(ones, y**2), at_each_shift(x, y)
    with np.errstate(invalid="ignore", divide="ignore"):
        var_x, var_y = sum_xx / n - (sum_x / n) ** 2, sum_yy / n - (sum_y / n) ** 2
        r = (sum_xy / n - sum_x * sum_y / n**2) / np.sqrt(var_x * var_y)
        still = ~(np.minimum(var_x, var_y) > NOT_STILL**2)
        alike = np.where((n < least_s * rate_hz) | still | ~(r > 0), 0.0, r**2)
    best = int(np.argmax(alike))
    beside = [k for k in (best - 1, best + 1) if 0 <= k < len(n)]
    if any(n[k] < least_s * rate_hz for k in beside):  # the best that can be compared may not be the best there is
        return None
    if not (alike[best] > 0 and max(var_x[best], var_y[best]) > VARIES**2):
        return None
    shift = float(best - farthest)
    if 0 < best < len(alike) - 1 and alike[best - 1] > 0 and alike[best + 1] > 0:
        bend = alike[best - 1] - 2 * alike[best] + alike[best + 1]
        shift += 0.5 * (alike[best - 1] - alike[best + 1]) / bend if bend else 0.0
    # a gain changes both
    ratio = float(np.sqrt(var_y[best] / var_x[best]) * abs(sum_x[best] / sum_y[best]))
    return Fit(shift / rate_hz, float(alike[best]), ratio, bool((x[x_known] < FLIES).any()))


def _means(values: Array, half: int) -> tuple[Array, Mask]:
    """(frames,) means over ± half frames (trapezoids), 0 where anything in them is not known; where they are."""
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    n = len(values)
    result, whole = np.zeros(n), np.zeros(n, dtype=bool)
    if n > 2 * half:
        inner = slice(half, n - half)
        summed, missing = np.zeros(n), np.zeros(n + 1, dtype=int)
        ((filled[1:] + filled[:-1]) / 2).cumsum(out=summed[1:])
        (~known).cumsum(out=missing[1:])
        whole[inner] = missing[2 * half + 1 :] == missing[: n - 2 * half]
        result[inner] = np.where(whole[inner], (summed[2 * half :] - summed[: n - 2 * half]) / (2 * half), 0.0)
    return result, whole
