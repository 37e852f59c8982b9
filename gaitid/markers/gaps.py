"""Gaps of markers: filled where the same marker, masked in the same way elsewhere, shows that the fill can be trusted.

A gap is interpolated in one of three frames: the laboratory's (`spline`), one that moves along with the marker's
steadiest neighbour without turning (`pattern`), and one that moves and turns with its three steadiest neighbours
(`rigid`). The way taken is the one that errs least when the same pattern of missing frames is laid over every part of
the trial in which the marker was seen, or the first that errs too little to matter; that error is reported, and
decides whether the gap is filled at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from gaitid.markers.faults import frame_words
from gaitid.markers.tracks import noise_of, tracks_of
from gaitid.notes import phrase
from gaitid.numerics.masks import known_rows, spans
from gaitid.numerics.rotation import apply, apply_transposed, norm
from gaitid.numerics.statistics import quantile
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask, seen_as

# s. Seen frames on each side that a fill rests on: more change nothing (docs/gaps.md).
SUPPORT_S = 0.1
# Frames, at least, that must be seen among them on each side: they fix a position, a velocity and an acceleration.
SUPPORT_MIN = 3
# m²/s⁵. Density of the white jerk that a marker's motion is taken for (Wahba 1978, J R Stat Soc B 40:364-372: the
# smoothing spline is the estimate of such a motion). Fits simulated walks with known noise (docs/gaps.md).
JERK_DENSITY = 500.0
# Mock gaps, at least, that an error is estimated from.
MOCKS_MIN = 20
# s. Longer gaps are not bridged: a polynomial over seconds supports nothing.
BRIDGE_S = 2.0
# Share of the mock gaps whose largest error stays within the error that is reported.
CONFIDENCE = 0.95
# m. A way that errs less than this, cameras cannot tell from the best one; nor one that errs by no more than a quarter
# beyond what the marker's own noise makes of every comparison. No further way is tried then (docs/gaps.md).
FINE_M, FINE_TIMES_NOISE = 5e-5, 1.25
# 95 % of normal vectors are shorter, in standard deviations (χ, 3 degrees of freedom).
LENGTH_95 = 2.795
# s. So much of the trial on each side of a gap tells how sure its fill is.
EVIDENCE_S = 10.0
# Partners of a rigid fit: three points are the fewest that fix a rotation (Söderkvist & Wedin 1993).
PARTNERS = 3
# Orders of the spline in the partners' frame; 1 blends linearly what the fit leaves at both ends of the gap, which is
# best where the partners are truly rigid, 3 follows a marker that moves steadily against them.
RIGID_ORDERS = (1, 2, 3)


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
        ``spline``, ``pattern``, ``rigid``, or empty where the gap is left open.
    partners : tuple of str
        Markers that the fill follows.
    error_m : float
        95 % of mock gaps of this pattern err less, in their worst frame; NaN where it cannot be told. Noise of the
        marker is part of it.
    reason : str
        Why the gap is open.
    """

    label: str
    first: int
    last: int
    method: str = ""
    partners: tuple[str, ...] = ()
    error_m: float = float("nan")
    reason: str = ""

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


@frozen_dataclass(eq=False)
class _Way:
    """A way to fill a gap: the marker in a moving frame, and the order of the spline there."""

    method: str
    partners: tuple[str, ...]
    order: int
    R_gs: Array | None
    origin_g: Array | None

    def to_local(self, points_g: Array) -> Array:
        local = points_g if self.origin_g is None else points_g - self.origin_g
        return local if self.R_gs is None else apply_transposed(self.R_gs, local)

    def to_laboratory(self, local: Array, frames: slice) -> Array:
        turned = local if self.R_gs is None else apply(self.R_gs[frames], local)
        return turned if self.origin_g is None else turned + self.origin_g[frames]


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
    points, pattern = markers[label], seen[window]
    noise_m, offset = noise_of(points), first - window.start
    smoothing, fine_m = smoothing_of(noise_m, rate_hz), max(FINE_M, FINE_TIMES_NOISE * LENGTH_95 * noise_m)
    best: tuple[float, _Way, Array] | None = None
    for way in _ways(markers, label, window, length_s, limits):
        weights = spline_weights(tuple(pattern.tolist()), stop - first, offset, way.order, smoothing)
        local = way.to_local(points)
        error = mock_error(local, pattern, weights, offset)
        if best is None or error < best[0]:
            best = error, way, way.to_laboratory(weights @ local[window][pattern], slice(first, stop))
        if np.isnan(error) or error <= fine_m:
            break  # where it is unknown, those of the ways after it are too
    if best is None:
        return left_open("gap/alone")
    error, way, values = best
    if np.isnan(error) and _longer(length_s, limits.sure_s):
        return left_open("gap/error_unknown")
    if error > limits.error_m:
        return left_open("gap/far_off", error, values)
    return Gap(label, first, stop - 1, way.method, way.partners, error), values


def _longer(length_s: float, limit_s: float) -> bool:
    return length_s > limit_s * (1 + 1e-9)  # a limit of 0.05 s at 100 Hz is five frames, whatever the rounding


def _window(seen: Mask, first: int, stop: int, rate_hz: float) -> slice | None:
    """Frames of a gap and its support, or None where too few of those are seen."""
    reach = max(SUPPORT_MIN, round(SUPPORT_S * rate_hz))
    window = slice(max(first - reach, 0), min(stop + reach, len(seen)))
    enough = min(seen[window.start : first].sum(), seen[stop : window.stop].sum()) >= SUPPORT_MIN
    return window if enough else None


def _ways(
    markers: Mapping[str, Array], label: str, window: slice, length_s: float, limits: GapLimits
) -> Iterator[_Way]:
    """Ways to fill a gap, within the limits of its length."""
    if not _longer(length_s, max(limits.sure_s, limits.spline_s)):
        yield _Way("spline", (), 3, None, None)
    if _longer(length_s, limits.rigid_s):
        return
    partners = _partners(markers, label, window)
    if partners:
        yield _Way("pattern", partners[:1], 3, None, markers[partners[0]])
    if len(partners) == PARTNERS:
        R_gs, origin_g = _rigid_motion(np.stack([markers[name] for name in partners], axis=1), window)
        for order in RIGID_ORDERS:
            yield _Way("rigid", partners, order, R_gs, origin_g)


def _partners(markers: Mapping[str, Array], label: str, window: slice) -> tuple[str, ...]:
    """Up to three markers seen all through the window whose distance from this one varies least."""
    points, varies = markers[label], {}
    for name, others in markers.items():
        if name != label and np.isfinite(others[window]).all():
            distance = norm(points - others)
            varies[name] = distance[np.isfinite(distance)].std()
    return tuple(sorted(varies, key=varies.__getitem__)[:PARTNERS])


# --- interpolation and its error ----------------------------------------------------------------------------


def smoothing_of(noise_m: float, rate_hz: float) -> float:
    """The noise's variance over that of the motion's third difference: λ of the smoothing spline (Wahba 1978)."""
    return noise_m**2 * rate_hz**5 / JERK_DENSITY


@lru_cache(maxsize=64)  # noise that blanks every other frame makes thousands of equal gaps
def spline_weights(seen_frames: tuple[bool, ...], missing: int, offset: int, order: int, smoothing: float) -> Array:
    """(missing, seen) weights of the seen frames of a window in the missing ones from `offset` on.

    Of all sequences z, the one that makes Σ (z − y)² over the seen frames + λ Σ (Δⁿz)² least, n the order: the
    discrete smoothing spline (Whittaker 1923, Proc Edinb Math Soc 41:63-75; with gaps Eilers 2003, Anal Chem
    75:3631-3636, by weights of 0). It passes through the seen frames where they carry no noise and
    averages where they do.
    """
    pattern = np.array(seen_frames)
    differences = np.diff(np.eye(len(pattern)), order, axis=0)
    seen, unseen = differences[:, pattern], differences[:, ~pattern]
    n, m = seen.shape[1], unseen.shape[1]
    # Unknown are r = (z − y)/√λ where seen and z where not: Σ r² + Σ (Δⁿ(y + √λ r))² stays well conditioned as λ → 0.
    # λ of the third order is carried over to the others at the same cut-off: (2 sin(ω/2))^(2n) = 1/λ.
    root = smoothing ** (order / 6)
    q, r = np.linalg.qr(np.block([[np.eye(n), np.zeros((n, m))], [root * seen, unseen]]))
    z = np.linalg.solve(r, q.T @ np.concatenate([np.zeros((n, n)), -seen]))[n:]
    start = int(np.count_nonzero(~pattern[:offset]))
    return np.asarray(z[start : start + missing])


def mock_error(local: Array, pattern: Mask, weights: Array, offset: int) -> float:
    """Quantile over mock gaps, m, of the largest distance between fill and truth; NaN where there are too few.

    The pattern is laid over every run of frames of the same length in which everything was seen. Lengths are the same
    in a moving frame, so `local` will do.
    """
    count = np.cumsum(np.concatenate([[0], known_rows(local)]))
    start = np.flatnonzero(count[len(pattern) :] - count[: -len(pattern)] == len(pattern))[:, None]
    if len(start) < MOCKS_MIN:
        return float("nan")
    axes = np.ascontiguousarray(local.T)  # each (frames,)
    seen, truth = (axes.take(start + of, axis=1) for of in (np.flatnonzero(pattern), offset + np.arange(len(weights))))
    errors = (seen.reshape(-1, seen.shape[2]) @ weights.T).reshape(truth.shape) - truth
    return float(quantile((errors**2).sum(axis=0).max(axis=1) ** 0.5, CONFIDENCE))


# --- rigid fit ----------------------------------------------------------------------------------------------


def _rigid_motion(partners_g: Array, window: slice) -> tuple[Array, Array]:
    """Rotation (frames, 3, 3) and origin (frames, 3) of partners (frames, n, 3), laid over their mean shape.

    The shape is the mean of those at both ends of the window, one turned onto the other, so that time may run
    backward and nothing changes.
    """
    ends = partners_g[[window.start, window.stop - 1]]
    ends = ends - ends.mean(axis=1, keepdims=True)
    shape = (ends[0] + ends[1] @ _rotations(ends[1], ends[:1])[0].T) / 2
    origin_g = partners_g.mean(axis=1)
    return _rotations(shape, partners_g - origin_g[:, None]), origin_g


def _rotations(shape: Array, centred: Array) -> Array:
    """(frames, 3, 3) rotations that lay the shape (n, 3) best over centred points (frames, n, 3); NaN where unseen.

    Söderkvist & Wedin (1993), J Biomech 26:1473-1477: G = Σ p sᵀ = U Σ Vᵀ, R = U diag(1, 1, det(U Vᵀ)) Vᵀ.
    """
    R = np.full((len(centred), 3, 3), np.nan)
    seen = known_rows(centred)
    U, _, Vt = np.linalg.svd(np.swapaxes(centred[seen], 1, 2) @ shape)
    U[..., 2] *= np.sign(np.linalg.det(U @ Vt))[:, None]
    R[seen] = U @ Vt
    return R
