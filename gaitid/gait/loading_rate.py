"""How fast the ground loads a foot after its strike: from the plates' own samples, with a filter of their own.

At the camera's rate a strike's transient lasts two or three frames, so loading rates are taken where it was sampled:
the vertical force through a zero-phase Butterworth low-pass at 50 Hz, whatever `force_cutoff_hz` is. They depend on
that filter: rates from other filters are other rates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.gait.impact import LATEST_S
from gaitid.ground.plate_load import PlateLoad, UpwardForce
from gaitid.numerics.lowpass import lowpass
from gaitid.records import frozen_dataclass
from gaitid.trial import Array

#: Hz.
CUTOFF_HZ = 50.0
#: Of the plates, Hz: four samples a period of the cut-off.
SLOWEST_HZ = 4 * CUTOFF_HZ
#: Share of the contact after its strike that stands for the transient's peak in a run that has none (Blackmore, Willy &
#: Creaby 2016, J Biomech 49:479-483); in a walk it would lie beyond any transient, and nothing stands for it.
WITHOUT_PEAK = 0.13
# Of the time from the strike to the peak of its transient: between these the mean rate is taken (Milner et al. 2006,
# Med Sci Sports Exerc 38:323-328).
EARLY, LATE = 0.2, 0.8
# Of a peak's force: with more at `EARLY` of the way to it, the transient ended in a shoulder before, and the peak is of
# what comes after it. 27 strikes of shared walks have 0.11 to 0.43, three whose curve shows a shoulder 0.58 to 0.68.
_STEADY = 0.5
# s. Nothing is higher on either side of a peak for this long; body weights that it has at least.
PEAK_REACH_S, LEAST_PEAK = 0.01, 0.2
# s before and behind the part that is looked at, for the filter.
MARGIN_S = 0.1


@frozen_dataclass(eq=False)
class Onset:
    """A contact that begins with a strike.

    Attributes
    ----------
    first_s, last_s : float
        The first and last frame above the threshold.
    weight_N : float
        Of the body.
    threshold_N : float
        From this force on the foot stands.
    up_g : (3,) array
    """

    first_s: float
    last_s: float
    weight_N: float
    threshold_N: float
    up_g: Array


@frozen_dataclass(eq=False)
class Loading:
    """What a strike does to the vertical force.

    Attributes
    ----------
    mean_BW_per_s : float
        Between `EARLY` and `LATE` of the way in time to the transient's peak; NaN where there is none and nothing
        stands for it.
    greatest_BW_per_s : float
        Within `LATEST_S` after the strike.
    steepest_s, peak_s : float
        When the rate is greatest, and when the first peak is (NaN where there is none).
    peak_BW : float
        The force there.
    is_impact : bool
        There is a peak, it comes as early as a transient does, and the force rises to it without a shoulder.
    """

    mean_BW_per_s: float
    greatest_BW_per_s: float
    steepest_s: float
    peak_s: float
    peak_BW: float
    is_impact: bool


def loading_of(plates: Sequence[PlateLoad], onset: Onset) -> Loading | None:
    """How a foot is loaded; None where the samples do not tell.

    They do not where the weight of the body is unknown, a plate is sampled below `SLOWEST_HZ`, plates of one contact
    are sampled at different times, samples are missing or were left out as glitches, or the contact does not rise from
    below the threshold.

    Parameters
    ----------
    plates : sequence of PlateLoad
        Of the contact: what they recorded, and what they read while empty.
    onset : Onset
    """
    recorded = [plate.recorded for plate in plates if plate.recorded is not None]
    if len({(r.rate_hz, r.start_s, len(r.force_N)) for r in recorded}) != 1 or len(recorded) != len(plates):
        return None
    rate_hz, start_s = recorded[0].rate_hz, recorded[0].start_s
    if rate_hz < SLOWEST_HZ or any(p.glitches for p in plates) or not onset.weight_N > 0:
        return None
    half_s = onset.first_s + (onset.last_s - onset.first_s) / 2
    first = max(round((onset.first_s - MARGIN_S - start_s) * rate_hz), 0)
    last = round((half_s + MARGIN_S - start_s) * rate_hz)
    times = start_s + np.arange(first, min(last, len(recorded[0].force_N))) / rate_hz
    here = slice(first, first + len(times))
    force = np.asarray(sum(_upward(r, p, here, onset.up_g) for r, p in zip(recorded, plates, strict=True)))
    below = np.flatnonzero((force <= onset.threshold_N) & (times < half_s))
    if len(times) < 3 * MARGIN_S * rate_hz / 2 or not np.isfinite(force).all() or not below.size:
        return None
    strike = int(below[-1])
    smooth = lowpass(force, CUTOFF_HZ, rate_hz) / onset.weight_N
    return _loading(smooth, times, strike, onset)


def _upward(recorded: UpwardForce, plate: PlateLoad, here: slice, up_g: Array) -> Array:
    """(samples,) upward force, N, without what the empty plate reads where that was taken off."""
    force = recorded.force_N[here]
    return force - (plate.bias_g @ up_g) if plate.removed else force


def _loading(smooth: Array, times: Array, strike: int, onset: Onset) -> Loading | None:
    """From the filtered force, body weights, and the last sample before the strike."""
    rate_hz = 1 / (times[1] - times[0])
    reach = max(round(PEAK_REACH_S * rate_hz), 1)
    half = int(np.searchsorted(times, onset.first_s + (onset.last_s - onset.first_s) / 2))
    end = min(half, len(smooth) - reach)
    peak = next(
        (
            i
            for i in _maxima(smooth, strike, end)
            if smooth[i] >= LEAST_PEAK and smooth[i] >= smooth[max(i - reach, 0) : i + reach + 1].max()
        ),
        None,
    )
    soon = round(LATEST_S * rate_hz)
    if strike + soon >= len(smooth):
        return None
    slope = np.gradient(smooth) * rate_hz
    steepest = strike + int(slope[strike : strike + soon + 1].argmax())
    is_impact = peak is not None and peak - strike <= soon and _at(smooth, strike, EARLY, peak) < _STEADY * smooth[peak]
    stands = strike + round(WITHOUT_PEAK * (onset.last_s - onset.first_s) * rate_hz)
    until = peak if peak is not None and is_impact else stands
    mean = float("nan")
    if 2 / (LATE - EARLY) <= until - strike <= soon:
        rise = _at(smooth, strike, LATE, until) - _at(smooth, strike, EARLY, until)
        mean = rise * rate_hz / ((LATE - EARLY) * (until - strike))
    first_peak = (np.nan, np.nan) if peak is None else (float(times[peak]), float(smooth[peak]))
    return Loading(mean, float(slope[steepest]), float(times[steepest]), *first_peak, is_impact)


def _at(smooth: Array, strike: int, share: float, until: int) -> float:
    """The force at a share of the time from the strike to a sample."""
    return float(np.interp(strike + share * (until - strike), np.arange(len(smooth)), smooth))


def _maxima(values: Array, first: int, stop: int) -> list[int]:
    """The local maxima of a part, in order."""
    part = values[first:stop]
    return (1 + first + np.flatnonzero((part[1:-1] >= part[:-2]) & (part[1:-1] > part[2:]))).tolist()
