"""The impact of a foot strike: how fast the ground loads the foot, and in which frames moments and powers are of it.

For some hundredths of a second a heel strike decelerates foot and shank at 50 m/s² and more. Plates feel it; markers,
once they are low-passed, do not, and what the inertia of the segments took is then ascribed to knee and hip (Bisseling
& Hof 2006, J Biomech 39:2438-2444; Kristianslund, Krosshaug & van den Bogert 2012, J Biomech 45:666-671). Whatever
reports peaks of joints leaves these frames out (docs/smoothing.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.ground.contacts import AIR, LOADED, Contact, FootLoad
from gaitid.ground.plate_load import PlateLoad, UpwardForce
from gaitid.notes import Notes, note
from gaitid.numerics.bandwidth import FAST_HZ, band_powers, fast_share
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import bridged, spans
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, Mask

#: Hz. What is faster than this in the load of a foot is an impact, unless the markers hold more.
SUDDEN_HZ = 10.0
# Of the camera's rate: what is faster than this, a load read at its frames does not hold.
_HIGHEST = 0.35
#: Body weights. A part of the load above `SUDDEN_HZ` that is larger is an impact. 19 strikes in shared walks have 0.084
#: to 0.29, two steps on stairs 0.01 and 0.04, simulated walks without an impact 0.04. At the hip 0.05 is 0.2 N·m/kg.
LEAST_BW = 0.06
#: s. A strike's transient lies within this.
LATEST_S = 0.05
#: Periods of the cut-off in which the answer of a zero-phase Butterworth to a sudden pulse falls to a tenth:
#: e^(−a) (cos a + sin a) = 0.1 at a = 1.87 = 2π 1.247 f t/√2.
RINGING = 0.34
#: Decimal logarithms of `fast_share`: markers with less, and with so much less than the force, were smoothed too much.
#: In 33 recordings of 17 laboratories and simulated trials markers have −1.16 at least, and 0.02 to 1.13 more than the
#: force; low-passed again at 6 Hz −1.36 and −0.19 at least; at 3 Hz −1.47 and −0.10 at most, but for a sprint. Midway
#: without any one laboratory −1.35 to −1.31 and −0.08 to 0.10: none is accused, none missed but that sprint. Frames of
#: so many to a period are enough.
SLOW_MARKERS, SLOWER_THAN_FORCE, RATE_OVER_FAST = -1.35, 0.05, 4.0


class Impact(NamedTuple):
    """One foot strike whose force is faster than the markers; frames are indices, both included.

    Attributes
    ----------
    side : str
    first, last : int
        Frames in which what the inertia took may be ascribed to the joints.
    peak : int
        The frame of the greatest force above its own slow part.
    size_BW : float
        That part, body weights.
    """

    side: str
    first: int
    last: int
    peak: int
    size_BW: float


def find_impacts(
    loads: Mapping[str, FootLoad], contacts: Sequence[Contact], rate_hz: float, weight_N: float, bandwidth_hz: float
) -> tuple[Impact, ...]:
    """The impacts of all strikes on plates, in order of time.

    An impact lasts from before the strike, where the low-pass of the markers spreads it to, until both its transient
    and that spreading are over: `RINGING` periods of the markers' bandwidth on either side of its peak.

    Parameters
    ----------
    loads : mapping of side to FootLoad
    contacts : sequence of Contact
    rate_hz : float
        Of the cameras.
    weight_N : float
        Of the body; NaN where nobody knows it: then nothing is found, for no moment is known either.
    bandwidth_hz : float
        Of the markers (`quality.marker_bandwidth_hz`); NaN where unknown.
    """
    if not weight_N > 0 or not _HIGHEST * rate_hz >= SUDDEN_HZ:
        return ()
    bandwidth_hz = bandwidth_hz if bandwidth_hz > 0 else SUDDEN_HZ
    ringing = RINGING / bandwidth_hz * rate_hz
    by_side = {
        side: [c for c in contacts if c.side == side and c.plates and _strikes(loads[side], c)] for side in loads
    }
    by_side = {side: strikes for side, strikes in by_side.items() if strikes}
    if not by_side:
        return ()
    hertz, result = min(max(bandwidth_hz, SUDDEN_HZ), _HIGHEST * rate_hz), []
    fast_of = _faster([loads[side] for side in by_side], hertz, rate_hz) / weight_N
    for (side, strikes), fast in zip(by_side.items(), fast_of, strict=True):
        for contact in strikes:
            start, stop = contact.loaded.start, contact.first + round(LATEST_S * rate_hz) + 1
            here = np.fmax(fast[start:stop], 0.0)  # an unknown load is none
            above = np.flatnonzero(here > LEAST_BW)
            if not above.size:
                continue
            peak = start + int(above[np.argmax(here[above])])
            first = max(min(start, int(np.ceil(peak - ringing))), 0)
            last = min(max(start + int(above[-1]), int(peak + ringing)), len(fast) - 1)
            result.append(Impact(side, first, last, peak, float(here.max())))
    return tuple(sorted(result, key=lambda impact: (impact.first, impact.side)))


def impact_frames(impacts: Sequence[Impact], side: str, n_frames: int) -> Mask:
    """(frames,) whether a frame of a side belongs to an impact: no peak of a joint comes from it."""
    mask = np.zeros(n_frames, dtype=bool)
    for impact in impacts:
        if impact.side == side:
            mask[impact.first : impact.last + 1] = True
    return mask


def matched_loads(by_side: Mapping[str, FootLoad], bandwidth_hz: float, rate_hz: float) -> Mapping[str, FootLoad]:
    """`matched_load` of each side."""
    return {side: matched_load(load, bandwidth_hz, rate_hz) for side, load in by_side.items()}


def matched_load(load: FootLoad, bandwidth_hz: float, rate_hz: float) -> FootLoad:
    """The load through a low-pass like that of the markers: both sides of Newton's equations hold the same then.

    The wrench about the laboratory's origin is filtered, so that no centre of pressure of a small force is divided by
    it; a load then begins before its strike, as the low-passed deceleration does. State and centre of pressure stay.
    """
    if not 0 < bandwidth_hz < rate_hz / 2:
        return load
    both = lowpass(np.concatenate([load.wrench.f_g, load.wrench.m_g], axis=1), bandwidth_hz, rate_hz)
    return replace(load, wrench=replace(load.wrench, f_g=both[:, :3], m_g=both[:, 3:]))


def impact_notes(impacts: Sequence[Impact], first_frame: int, bandwidth_hz: float) -> Notes:
    """Which frames are of impacts, numbered as the file does, and why."""
    if not impacts:
        return ()
    frames = [f"{i.side} {i.first + first_frame}-{i.last + first_frame}" for i in impacts]
    side = impacts[0].side if len({i.side for i in impacts}) == 1 else ""
    return (note("impact", side, n=len(impacts), hz=bandwidth_hz, frames=frames),)


def smoothed_notes(markers: Mapping[str, Array], loads: Mapping[str, FootLoad], rate_hz: float) -> Notes:
    """That the markers were smoothed before they were stored until they are slower than the force.

    What accelerates the body is the force (Newton), and legs are faster than the body: at least the share of their
    accelerations is fast that is of the force. A slow movement has a slow force.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        As stored.
    loads : mapping of side to FootLoad
    rate_hz : float
    """
    if rate_hz < RATE_OVER_FAST * FAST_HZ[1] or not markers:
        return ()
    points = np.stack([*markers.values()], axis=1)
    slow, fast = 0.0, 0.0
    for load in loads.values():
        for first, stop in spans(load.state == LOADED):
            if first > 0 and stop < len(points) and load.state[first - 1] == load.state[stop] == AIR:
                of_slow, of_fast = band_powers(load.wrench.f_g[first:stop], rate_hz)
                slow, fast = slow + float(of_slow.sum()), fast + float(of_fast.sum())
    if not (slow > 0 and fast > 0):
        return ()
    of_markers, of_force = fast_share(points, rate_hz), float(np.log10(fast / slow))
    if not (of_markers < SLOW_MARKERS and of_markers < of_force - SLOWER_THAN_FORCE):
        return ()
    return (note("markers_smoothed", percent=100 * 10**of_markers, of_force=100 * 10**of_force),)


def _faster(loads: Sequence[FootLoad], hertz: float, rate_hz: float) -> Array:
    """(feet, frames) the size of what of each foot's force is faster than this, N; NaN of one that is never known."""
    # a load that is unknown for some frames does not jump
    force = np.concatenate([bridged(load.wrench.f_g) for load in loads], axis=1)
    fast = force - lowpass(force, hertz, rate_hz)
    return norm(fast.reshape(len(fast), -1, 3)).T


def _strikes(load: FootLoad, contact: Contact) -> bool:
    """Whether a contact begins with a strike, and not where another foot left the plate or the trial begins."""
    before = contact.loaded.start - 1
    return before >= 0 and bool(load.state[before] == AIR)


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
