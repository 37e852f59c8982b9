"""Forces against markers in time: by how much one of them is late, and whether a declared rate can be.

The vertical force and what the motion asks of it have the same shape in time: the shift at which they fit best, with
any factor between them, is the delay of the forces. Soft parts of the body follow the pelvis late, so that a delay of
some ms is always there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gaitid.ground.balance import Balance
from gaitid.ground.contacts import UNKNOWN, Loads
from gaitid.ground.fault import Fault
from gaitid.ground.ground import EVENTS_OFF, Ground
from gaitid.trial import Array, Mask, Trial

# s. Means over this long are compared, shifted by at most the second, in at least the third.
WINDOW, FARTHEST, LEAST = 0.06, 0.16, 0.25
# ms by which the force comes later than the motion asks for it in trials whose clocks are one: −4 to +14 walking
# (median 7), −3 to −7 running, where the pelvis follows the leg.
USUAL_MS, USUAL_RUNNING_MS = 5.0, -6.0
# ms from there. Worth saying; doubted (the farthest of the clean trials lies 9 away); not believed.
SAID_MS, DOUBTED_MS, WITHHELD_MS = 10.0, 14.0, 40.0
# Squared correlation at the best shift, and standard deviation of what is asked, body weights: with less nothing tells.
ALIKE, VARIES = 0.75, 0.04
# Standard deviation of the force over that of what is asked for. Walks and runs show 0.73 to 1.23; a rate that is
# declared twice too high makes accelerations four times as large, and the reverse.
TOO_FAST, TOO_SLOW = 0.45, 2.2
# The same where the body flies: beyond it (1.7 in a sprint) the pelvis tells too little of the trunk.
OF_RUNNING = 1.4
# Body weights. Asked for less: the body flies.
FLIES = 0.25


class Fit(NamedTuple):
    """How forces and motion fit in time.

    Attributes
    ----------
    late_s : float
        By which the forces come after the motion.
    alike : float
        Squared correlation then.
    ratio : float
        Of the forces' standard deviation to that of what was asked for.
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


def clock_faults(trial: Trial, ground: Ground, loads: Loads, balance: Balance, weight_N: float) -> list[Fault]:
    """Forces that come too early or too late, and rates that cannot be.

    Parameters
    ----------
    trial : Trial
    ground : Ground
    loads : Loads
        As judged with the clocks as filed.
    balance : Balance
    weight_N : float
        Of the body.
    """
    fit = fit_in_time(_known_total(loads, balance) / weight_N, balance)
    numbers = tuple(plate.number for plate in ground.plates)
    if fit is None or not fit.alike > ALIKE:
        return []
    faults = []
    if not TOO_FAST < fit.ratio < TOO_SLOW:
        way, much = ("high", "larger") if fit.ratio <= TOO_FAST else ("low", "smaller")
        times = 1 / fit.ratio if fit.ratio <= TOO_FAST else fit.ratio
        text = f"the body's accelerations are {times:.1f} times {much} than the forces: the rate of the markers is"
        text += f" declared too {way}, it seems (twice too {way} makes 4)"
        faults.append(Fault("rate_doubtful", text, numbers, False, "check the declared rate of the markers"))
        return faults
    apart = fit.apart_ms
    if abs(apart) < SAID_MS or (fit.flies and fit.ratio > OF_RUNNING):
        return faults
    events = ground.events_late_s
    with_events = abs(events) > EVENTS_OFF and abs(events * 1e3 + apart) < 1e3 * EVENTS_OFF
    way = "after" if apart > 0 else "before"
    text = f"the forces come {abs(apart):.0f} ms {way} the markers' motion that they belong to"
    if with_events:
        text += ", and the events of the file fit the markers"
    code = "clocks_apart" if abs(apart) >= DOUBTED_MS else "clocks_near"
    withheld = abs(apart) >= WITHHELD_MS
    cure = "check how forces and markers were started together"
    faults.append(Fault(code, text, numbers, withheld, cure, with_events))
    return faults


def _known_total(loads: Loads, balance: Balance) -> Array:
    """(frames,) N, upward on both feet; NaN where a foot's load is not known."""
    of_feet = list(loads.by_side.values())
    total = sum((load.wrench.f_g @ balance.up_g for load in of_feet), np.zeros(len(balance.asked_g)))
    known = np.logical_and.reduce([load.state != UNKNOWN for load in of_feet])
    return np.where(known, total, np.nan)


def fit_in_time(given: Array, balance: Balance) -> Fit | None:
    """The shift at which the forces fit the motion best; None where too little tells.

    Parameters
    ----------
    given : (frames,) array
        Upward force, body weights; NaN where it is not known.
    balance : Balance
    """
    rate_hz = balance.rate_hz
    asked = balance.asked_g @ balance.up_g / balance.gravity_m_per_s2
    half = max(round(WINDOW * rate_hz / 2), 1)
    y, y_known = _means(given, half)
    x, x_known = _means(asked, half)
    farthest = round(FARTHEST * rate_hz)
    if y_known.sum() < LEAST * rate_hz or x_known.sum() < LEAST * rate_hz:
        return None
    # row k holds x earlier by k − farthest frames: one product for all shifts
    padded = [np.pad(v.astype(float), farthest)[::-1] for v in (x_known, x, x**2)]
    ones, first, second = (np.lib.stride_tricks.sliding_window_view(p, len(y))[:, ::-1] for p in padded)
    n, sum_x, sum_xx = ones @ y_known, first @ y_known, second @ y_known
    sum_y, sum_yy, sum_xy = ones @ y, ones @ y**2, first @ y
    with np.errstate(invalid="ignore", divide="ignore"):
        var_x, var_y = sum_xx / n - (sum_x / n) ** 2, sum_yy / n - (sum_y / n) ** 2
        r = (sum_xy / n - sum_x * sum_y / n**2) / np.sqrt(var_x * var_y)
        alike = np.where((n >= LEAST * rate_hz) & (r > 0), r**2, 0.0)
    best = int(np.argmax(alike))
    if not (alike[best] > 0 and var_x[best] > 0):
        return None
    shift = float(best - farthest)
    if 0 < best < len(alike) - 1 and alike[best - 1] > 0 and alike[best + 1] > 0:
        bend = alike[best - 1] - 2 * alike[best] + alike[best + 1]
        shift += 0.5 * (alike[best - 1] - alike[best + 1]) / bend if bend else 0.0
    ratio = float(np.sqrt(var_y[best] / var_x[best]))
    if not max(var_x[best], var_y[best]) > VARIES**2:
        return None
    return Fit(shift / rate_hz, float(alike[best]), ratio, bool((x[x_known] < FLIES).any()))


def _means(values: Array, half: int) -> tuple[Array, Mask]:
    """(frames,) means over ± half frames (trapezoids), 0 where anything in them is not known; where they are."""
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    summed = np.concatenate([[0.0], np.cumsum((filled[1:] + filled[:-1]) / 2)])
    missing = np.concatenate([[0], np.cumsum(~known)])
    n = len(values)
    result, whole = np.zeros(n), np.zeros(n, dtype=bool)
    if n > 2 * half:
        inner = slice(half, n - half)
        whole[inner] = missing[2 * half + 1 :] == missing[: n - 2 * half]
        result[inner] = np.where(whole[inner], (summed[2 * half :] - summed[: n - 2 * half]) / (2 * half), 0.0)
    return result, whole
