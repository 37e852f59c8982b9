"""Gaps of markers: filled where the same marker, masked in the same way elsewhere, shows that the fill can be trusted.

A gap is interpolated in one of three frames: the laboratory's (`spline`), one that moves along with the marker's
steadiest neighbour without turning (`pattern`), and one that moves and turns with its three steadiest neighbours
(`rigid`); in that one also what a regression on further neighbours leaves (`regression`). The way taken is the one that
errs least when the same pattern of missing frames is laid over every part of the trial in which the marker was seen, or
the first that errs too little to matter; that error is reported, and decides whether the gap is filled at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gaitid.markers.faults import frame_words
from gaitid.markers.tracks import noise_of, tracks_of
from gaitid.markers.ways import (
    BENT_S,
    Hidden,
    Try,
    largest_error,
    principal_errors,
    smoothing_of,
    spline_weights,
    tries,
)
from gaitid.notes import phrase
from gaitid.numerics.masks import known_rows, spans
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask, seen_as

# s. Seen frames on each side that a fill rests on: more change nothing (docs/gaps.md).
SUPPORT_S = 0.1
# Frames, at least, that must be seen among them on each side: they fix a position, a velocity and an acceleration.
SUPPORT_MIN = 3
# s. Longer gaps are not bridged: a polynomial over seconds supports nothing.
BRIDGE_S = 2.0
# m. A way that errs less than this, cameras cannot tell from the best one; nor one that errs by no more than a quarter
# beyond what the marker's own noise makes of every comparison. No further way is tried then (docs/gaps.md).
FINE_M, FINE_TIMES_NOISE = 5e-5, 1.25
# 95 % of normal vectors are shorter, in standard deviations (χ, 3 degrees of freedom).
LENGTH_95 = 2.795
# s. So much of the trial on each side of a gap tells how sure its fill is.
EVIDENCE_S = 10.0


@frozen_dataclass()
class GapLimits:
    """How long a gap may be, and how sure its fill; beyond them it stays open (evidence: docs/gaps.md).

    Attributes
    ----------
    sure_s : float
        Up to this a gap is filled by a spline even where too little was seen to estimate the error.
    spline_s : float
        Longest gap filled from the marker itself.
    rigid_s : float
        Longest gap filled from other markers.
    error_m : float
        Largest estimated error of a fill.
    """

    sure_s: float = 0.05
    spline_s: float = 0.2
    rigid_s: float = 0.5
    error_m: float = 0.005

    @property
    def longest_s(self) -> float:
        """No longer gap is filled in any way, s."""
        return max(self.sure_s, self.spline_s, self.rigid_s)


@frozen_dataclass()
class Gap:
    """One run of frames in which a marker was not seen.

    Attributes
    ----------
    label : str
    first, last : int
        Frames from 0, both missing.
    method : str
        ``spline``, ``pattern``, ``rigid``, ``regression``, or empty where the gap is left open.
    partners : tuple of str
        Markers that the fill follows.
    error_m : float
        95 % of mock gaps of this pattern err less, in their worst frame; NaN where it cannot be told. Noise of the
        marker is part of it.
    reason : str
        Why the gap is open.
    modes_m : tuple of tuple of float
        What its fill may be off by, as large as one standard deviation of each axis, in each frame: independent ways.
        Empty where that cannot be told.
    """

    label: str
    first: int
    last: int
    method: str = ""
    partners: tuple[str, ...] = ()
    error_m: float = float("nan")
    reason: str = ""
    modes_m: tuple[tuple[float, ...], ...] = ()

    def later(self, frames: int) -> Gap:
        """The same so many frames later."""
        return replace(self, first=self.first + frames, last=self.last + frames) if frames else self

    def words(self, first_frame: int = 0) -> str:
        """Where it is and how it was filled, or why not; `first_frame` is the number of the trial's first frame."""
        label, frames = seen_as(self.label), frame_words([(self.first, self.last)], first_frame)
        if not self.method:
            return phrase("gap/open", label=label, frames=frames, why=self.reason)
        unknown, mm = bool(np.isnan(self.error_m)), 1e3 * self.error_m
        way, partners = self.method, self.partners
        return phrase("gap/filled", label=label, frames=frames, way=way, partners=partners, unknown=unknown, mm=mm)


@frozen_dataclass(eq=False)
class Filled:
    """Markers with their gaps filled as far as that can be trusted, and every gap there was.

    Attributes
    ----------
    markers : mapping of label to (frames, 3) array, m
        What was seen is unchanged.
    gaps : tuple of Gap
        By label, then by frame.
    unsure : mapping of label to (frames, 3) array, m
        The same with what would fill a gap that stays open because that may be too far off: no more than support for
        the frames beside it.
    """

    markers: Mapping[str, Array]
    gaps: tuple[Gap, ...]
    unsure: Mapping[str, Array]


def fill_gaps(markers: Mapping[str, Array], rate_hz: float, limits: GapLimits | None = None) -> Filled:
    """Fill the gaps of markers within the limits; beyond them, and at the ends of the trial, nothing is filled.

    Other markers serve as partners by how little their distance varies, whatever segment they are meant to be on, so
    that a plate of markers helps without being declared. They are taken as seen: no fill rests on another fill.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        Laboratory axes; a frame with a NaN was not seen.
    rate_hz : float
    limits : GapLimits, optional

    Returns
    -------
    Filled
    """
    tracks = tracks_of(markers)
    if not tracks or tracks.whole:
        return Filled(tracks, (), tracks)
    limits = limits or GapLimits()
    reach = round(EVIDENCE_S * rate_hz)
    filled, unsure = dict(markers), dict(markers)
    gaps: list[Gap] = []
    for label, points in markers.items():
        seen = known_rows(points)
        if seen.all() or not seen.any():
            continue
        result = likely = points.copy()
        for first, stop in spans(~seen):
            # a long trial is not searched as a whole for each of its gaps
            near = slice(max(first - reach, 0), stop + reach)
            around = {name: others[near] for name, others in markers.items()}
            moved = first - near.start
            gap, values = _fill(around, label, seen[near], moved, moved + stop - first, rate_hz, limits)
            gaps.append(replace(gap, first=first, last=stop - 1))
            if values is not None:
                if likely is result and not gap.method:
                    likely = result.copy()
                likely[first:stop] = values
                if gap.method:
                    result[first:stop] = values
        filled[label], unsure[label] = result, likely
    return Filled(filled, tuple(gaps), unsure)


def bridge(markers: Mapping[str, Array], rate_hz: float) -> dict[str, Array]:
    """Markers with gaps bridged by the spline, far beyond any limit: support for filters and derivatives, not a fill.

    What is computed in the gap's own frames must be thrown away afterwards. The frames beside an open gap are surer
    with it than at the end of a span (docs/gaps.md). Ends of the trial stay open, and gaps of more than two seconds or
    with fewer than three seen frames beside them.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
    rate_hz : float

    Returns
    -------
    dict of label to (frames, 3) array, m
    """
    bridged = dict(markers)
    for label, points in markers.items():
        seen = known_rows(points)
        if seen.all() or not seen.any():
            continue
        smoothing, result = smoothing_of(noise_of(points), rate_hz), points.copy()
        for first, stop in spans(~seen):
            window = _window(seen, first, stop, rate_hz)
            if window is not None and not _longer((stop - first) / rate_hz, BRIDGE_S):
                pattern = tuple(seen[window].tolist())
                weights = spline_weights(pattern, stop - first, first - window.start, 3, smoothing)
                result[first:stop] = weights @ points[window][seen[window]]
        bridged[label] = result
    return bridged


# --- one gap ------------------------------------------------------------------------------------------------


def _fill(
    markers: Mapping[str, Array], label: str, seen: Mask, first: int, stop: int, rate_hz: float, limits: GapLimits
) -> tuple[Gap, Array | None]:
    """What becomes of one gap, and the (frames, 3) positions that fill it, or would if they were sure."""

    def left_open(why: str, error_m: float = float("nan"), unsure: Array | None = None) -> tuple[Gap, Array | None]:
        most = {"longest_s": limits.longest_s, "most_mm": 1e3 * limits.error_m, "support": SUPPORT_MIN}
        reason = phrase(why, length_s=length_s, mm=1e3 * error_m, **most)
        return Gap(label, first, stop - 1, error_m=error_m, reason=reason), unsure

    length_s = (stop - first) / rate_hz
    if first == 0 or stop == len(seen):
        return left_open("gap/at_end")
    if _longer(length_s, limits.longest_s):
        return left_open("gap/long")
    window = _window(seen, first, stop, rate_hz)
    if window is None:
        return left_open("gap/no_support")
    noise_m = noise_of(markers[label])
    fine_m = max(FINE_M, FINE_TIMES_NOISE * LENGTH_95 * noise_m)
    hidden = Hidden(
        markers, label, window, slice(first, stop), seen[window], smoothing_of(noise_m, rate_hz), BENT_S * rate_hz
    )
    best: tuple[float, Try] | None = None
    smooth: tuple[float, Array] | None = None
    alone = not _longer(length_s, max(limits.sure_s, limits.spline_s))
    for tried in tries(hidden, alone, together=not _longer(length_s, limits.rigid_s)):
        error = largest_error(tried.errors)
        if best is None or error < best[0]:
            best = error, tried
        if tried.order > 1 and (smooth is None or error < smooth[0]):
            smooth = error, tried.values
        if np.isnan(error) or error <= fine_m:
            break  # where it is unknown, those of the ways after it are too
    if best is None:
        return left_open("gap/alone")
    error, (method, partners, _, values, errors, mocks) = best
    if np.isnan(error) and _longer(length_s, limits.sure_s):
        return left_open("gap/error_unknown")
    if error > limits.error_m:
        # what is no more than support goes on without a kink
        return left_open("gap/far_off", error, smooth[1] if smooth else values)
    modes_m = principal_errors(errors, mocks / len(hidden.pattern) + 1, noise_m)
    return Gap(label, first, stop - 1, method, partners, error, modes_m=modes_m), values


def _longer(length_s: float, limit_s: float) -> bool:
    return length_s > limit_s * (1 + 1e-9)  # a limit of 0.05 s at 100 Hz is five frames, whatever the rounding


def _window(seen: Mask, first: int, stop: int, rate_hz: float) -> slice | None:
    """Frames of a gap and its support, or None where too few of those are seen."""
    reach = max(SUPPORT_MIN, round(SUPPORT_S * rate_hz))
    window = slice(max(first - reach, 0), min(stop + reach, len(seen)))
    enough = min(seen[window.start : first].sum(), seen[stop : window.stop].sum()) >= SUPPORT_MIN
    return window if enough else None
