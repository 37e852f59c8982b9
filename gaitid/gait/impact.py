"""Which frames belong to the impact of a foot strike: there moments and powers of the joints are not to be read.

For some hundredths of a second a heel strike decelerates foot and shank at 50 m/s² and more. Plates feel it; markers,
once they are low-passed, do not, and what the inertia of the segments took is then ascribed to knee and hip (Bisseling
& Hof 2006, J Biomech 39:2438-2444; Kristianslund, Krosshaug & van den Bogert 2012, J Biomech 45:666-671). Whatever
reports peaks of joints leaves these frames out (docs/impacts.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gaitid.ground.contacts import AIR, LOADED, Contact, FootLoad
from gaitid.notes import Notes, note
from gaitid.numerics.bandwidth import FAST_HZ, band_powers, fast_share
from gaitid.numerics.lowpass import lowpass
from gaitid.numerics.masks import bridged, spans
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
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
    hertz, found = min(max(bandwidth_hz, SUDDEN_HZ), _HIGHEST * rate_hz), []
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
            found.append(Impact(side, first, last, peak, float(here.max())))
    return tuple(sorted(found, key=lambda impact: (impact.first, impact.side)))


def impact_frames(impacts: Sequence[Impact], side: str, n_frames: int) -> Mask:
    """(frames,) whether a frame of a side belongs to an impact: no peak of a joint comes from it."""
    mask = np.zeros(n_frames, dtype=bool)
    for impact in impacts:
        if impact.side == side:
            mask[impact.first : impact.last + 1] = True
    return mask


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
