"""Steps of markers: which of them, between which frames, by how much.

Nothing that has mass goes elsewhere between two frames. A spike, a jump and the way back, a slip, labels that change
places, a shoe or all markers that are elsewhere are steps in the innovations of one marker or several, held against no
step, and against changes of velocity, with one rate of false alarms (`ALARM`).

A step of one marker must show twice: in the laboratory, and in the frame that moves and turns with its steadiest
neighbours. A foot that strikes the ground moves sharply in the laboratory, and skin among its neighbours.
"""

from __future__ import annotations

import numpy as np

from gaitid.markers.innovations import (
    SPAN,
    Explained,
    Innovations,
    columns,
    explain,
    gains,
    innovations_of,
    log_gain,
    step_response,
)
from gaitid.markers.tracks import Tracks, tracks_of
from gaitid.numerics.masks import known_rows, spans, widened
from gaitid.numerics.rigid_fit import FEWEST, closest_rotations
from gaitid.numerics.rotation import apply_transposed, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# Log-likelihood by which steps must explain innovations better than none, beyond the price of their parameters.
ALARM = 50.0
# m. Trials with less noise were smoothed before they were stored, and are differentiated as they are (docs/method.md).
SMOOTHED_M = 2e-6
# m. Smaller steps are left alone: in smoothed trials they are less than an acceleration that matters (0.3 mm at 100 Hz:
# 6 m/s²), in raw ones less than skin moves (Leardini et al. 2005, Gait Posture 21:212-225) and than a strike
# shakes running shoes within a frame (150 Hz).
STEP_M, RAW_STEP_M = 0.0003, 0.008
# Shares of both from which on the frames about one are asked: one of several steps explains less.
ASKED, ASKED_M = 0.1, 0.4
# Times the steps of coarse coordinates: rounding moves a second difference by 2 √3 of them at most.
ROUNDED = 4.0
# Steps of one window, at most.
MOST_STEPS = 6
# Frames from one change of velocity to the next: two next to each other are a step.
APART = 3
# s. Across a longer gap nothing tells a step.
GAP_S = 0.15
# Frames behind those that are looked at backward, at least.
MORE = 16 * SPAN
# Frames beside one that alarms that may step.
BESIDE = 2
# Share of the largest step of a window that smaller ones have at least: where a marker goes elsewhere, its velocity and
# acceleration step as well.
MINOR = 0.25
# Share of a change's response that must lie in known frames.
TOLD = 0.5
# Times as much that a marker must show without neighbours.
ALONE = 2.0
# Neighbours, and frames, spread over the trial, that tell which are steadiest; share of them in which they are seen.
STEADIEST, SOME_FRAMES, MOSTLY_SEEN = 4, 200, 0.8


class Step(NamedTuple):
    """A step of a marker.

    Attributes
    ----------
    before, after : int
        The last known frame before it and the first after it, from 0.
    by_m : (3,) array, m
    limit_m : float
        Beyond which a step of this marker counts.
    sure : bool
        Its neighbours see it too; or, where there are too few, it is too clear for any doubt.
    """

    before: int
    after: int
    by_m: Array
    limit_m: float
    sure: bool

    def later(self, by: int) -> Step:
        """The same so many frames later."""
        return self._replace(before=self.before + by, after=self.after + by)


class Stepped(NamedTuple):
    """A marker's steps in order, and (frames, 3) its place among its steadiest neighbours, m, where it has some."""

    steps: list[Step]
    local: Array | None = None


def find_steps(
    tracks: Tracks, rate_hz: float, found: Innovations, stepping: tuple[Array, Array], coarse_m: float
) -> list[Stepped]:
    """Steps of each marker.

    Parameters
    ----------
    tracks : Tracks
    rate_hz : float
    found : Innovations
        Of these tracks.
    stepping : pair of arrays
        What a step would be at each frame, and what it gains: of `gains`.
    coarse_m : float
        Steps in which coordinates come, where they are coarse.
    """
    forward = _forward(tracks, rate_hz, found, stepping, coarse_m)
    # the first frames of a trial, and those behind a long gap, have no innovation but backward in time
    behind: Mask = np.zeros(tracks.known.shape, dtype=bool)
    behind[:SPAN] = True
    for i in range(len(tracks)):
        for first, stop in spans(~tracks.known[:, i]):
            behind[stop : stop + SPAN, i] |= stop - first > GAP_S * rate_hz
    n = min(int(np.flatnonzero(behind.any(axis=1))[-1]) + 1 + MORE, len(tracks.points))
    back = tracks_of({label: points[:n][::-1] for label, points in tracks.items()})
    of_back = innovations_of(back.points, found)
    backward = _forward(back, rate_hz, of_back, gains(of_back, step_response(of_back.filter)), coarse_m)
    return [_both(*of, n, behind[:, i]) for i, of in enumerate(zip(forward, backward, strict=True))]


def _both(forward: Stepped, backward: Stepped, n: int, behind: Mask) -> Stepped:
    """Steps of a marker, those `behind` what is unknown as found in the first `n` frames backward, if any was."""
    turned = [s._replace(before=n - 1 - s.after, after=n - 1 - s.before, by_m=-s.by_m) for s in backward.steps]
    turned = [step for step in turned if behind[step.after]]
    steps = [*turned, *(step for step in forward.steps if not (turned and behind[step.after]))]
    return forward._replace(steps=sorted(steps, key=lambda step: step.after))


def _forward(
    tracks: Tracks, rate_hz: float, found: Innovations, stepping: tuple[Array, Array], coarse_m: float
) -> list[Stepped]:
    """Steps of each marker by what follows them."""
    limits = np.maximum(np.where(found.noise_m < SMOOTHED_M, STEP_M, RAW_STEP_M), ROUNDED * coarse_m)
    alarm: Mask = np.zeros(tracks.known.shape, dtype=bool)
    for changes, gain in (stepping, gains(found, found.filter[:, ::-1])):  # a step, and one frame that is off
        alarm |= np.asarray((gain > ASKED * ALARM) & (norm(changes) > ASKED_M * limits))
    suspect: Mask = np.asarray(alarm.any(axis=0) | ~tracks.known.all(axis=0))
    return [
        _steps_of(tracks, i, found, alarm[:, i], float(limits[i]), rate_hz) if suspect[i] else Stepped([])
        for i in range(len(tracks))
    ]


def _steps_of(tracks: Tracks, i: int, found: Innovations, alarm: Mask, limit_m: float, rate_hz: float) -> Stepped:
    """Steps of one marker, by the windows about frames that alarm and about short gaps."""
    seen, points = tracks.known[:, i], tracks.points[:, i]
    about = widened(alarm, BESIDE)
    for first, stop in spans(~seen):
        if first > 0 and stop < len(seen) and stop - first <= GAP_S * rate_hz:
            about[stop] = True
    frames = np.flatnonzero(about & seen)
    steps, local, of_local = list[Step](), None, None
    for some in np.split(frames, np.flatnonzero(np.diff(frames) > 2 * SPAN) + 1) if len(frames) else ():
        window = _Window(points, some, found.filter[i])
        at, best = window.explained(some, float(found.variance[i]))
        sizes = norm(best.sizes)
        far = sizes > max(limit_m, MINOR * float(sizes.max(initial=0.0)))
        if best.gain < ALARM or not far.any():
            continue
        if local is None or of_local is None:
            local = _among_neighbours(tracks, i)
            of_local = innovations_of(local[:, None])
        sure = best.gain >= ALONE * ALARM
        if np.isfinite(local[at]).all():
            beside = _Window(local, some, of_local.filter[0]).explained(at, float(of_local.variance[0]), rival=False)[1]
            as_far = norm(beside.sizes).max(initial=0.0) / sizes.max()
            sure = beside.gain >= ALARM or (beside.gain >= ALARM / 2 and abs(as_far - 1) < MINOR)
        order = np.argsort(at)
        at, sizes = at[order][far[order]], best.sizes[order][far[order]]
        if len(at) > 1 and window.comes_back(at, float(found.variance[i])):
            sizes[-1] -= sizes.sum(axis=0)
        places = np.flatnonzero(seen)
        for frame, by_m in zip(at.tolist(), sizes, strict=True):
            steps.append(Step(int(places[np.searchsorted(places, frame) - 1]), frame, by_m, limit_m, bool(sure)))
    return Stepped(steps, local)


class _Window:
    """Innovations of a marker about some frames, those of hidden ones left free.

    Parameters
    ----------
    points : (frames, 3) array, m
    frames : int array
        Frames that may step, in order.
    weights : (SPAN,) array
        Of the frames of an innovation.
    """

    def __init__(self, points: Array, frames: IntArray, weights: Array) -> None:
        self.start = max(int(frames[0]) - 2 * SPAN, 0)
        some = points[self.start : int(frames[-1]) + 1 + SPAN]
        seen, at = known_rows(some), np.arange(len(some))
        self.behind_gap = np.concatenate([[False], seen[1:] & ~seen[:-1]])
        self.weights, self.n = weights, max(len(some) - SPAN + 1, 0)
        self.hidden, self.rows = np.zeros((self.n, 0)), np.zeros((self.n, 3))
        if seen.sum() > 2 and self.n:
            filled = np.stack([np.interp(at, at[seen], axis[seen]) for axis in some.T], axis=1)
            self.rows = np.stack([np.convolve(axis, weights[::-1], mode="valid") for axis in filled.T], axis=1)
            if not seen.all():
                self.hidden = np.linalg.qr(self._columns(weights[::-1], np.flatnonzero(~seen)))[0]
                self.rows = self.rows - self.hidden @ (self.hidden.T @ self.rows)

    def _columns(self, response: Array, frames: IntArray) -> Array:
        return columns(response, SPAN - 1, self.n + SPAN - 1, frames)

    def comes_back(self, frames: IntArray, variance: float) -> bool:
        """Whether steps at some frames that add up to nothing explain the window but for less than an alarm."""
        changes = self._columns(step_response(self.weights[None])[0], frames - self.start)
        changes -= self.hidden @ (self.hidden.T @ changes)
        energy, told = np.array((self.rows**2).sum()), []
        for free in (changes, changes[:, :-1] - changes[:, -1:]):
            left = self.rows - free @ np.linalg.lstsq(free, self.rows, rcond=None)[0]
            told.append(log_gain(energy - (left**2).sum(), energy, np.array(self.rows.size), np.array(variance)))
        return bool(told[0] - told[1] < ALARM)

    def explained(self, frames: IntArray, variance: float, rival: bool = True) -> tuple[IntArray, Explained]:
        """Which of some frames step, and what that explains; nothing where changes of velocity explain more."""
        step = step_response(self.weights[None])[0]
        found = []
        for response, apart in ((step, 1), (np.cumsum(step)[:-1], APART))[: 1 + rival]:
            changes = self._columns(response, frames - self.start)
            changes -= self.hidden @ (self.hidden.T @ changes)
            told = (changes**2).sum(axis=0) >= TOLD * (response**2).sum()
            told |= self.behind_gap[frames - self.start]
            best = explain(self.rows, changes[:, told], variance, MOST_STEPS, frames[told], apart)
            found.append((frames[told][best.which], best))
        at, best = found[0]
        return at, best if best.gain >= found[-1][1].gain else best._replace(gain=0.0)


def _among_neighbours(tracks: Tracks, i: int) -> Array:
    """(frames, 3) a marker in the frame that moves and turns with its steadiest neighbours, m; NaN where not known."""
    local, near = np.full((len(tracks.points), 3), np.nan), steadiest(tracks, i)[:STEADIEST]
    others = tracks.points[:, near]
    seen = np.flatnonzero(np.isfinite(others).all(axis=(1, 2)))
    if len(near) < FEWEST or len(seen) < 2 * SPAN:
        return local
    shape, centres = others[seen[len(seen) // 2]], others[seen].mean(axis=1)
    R = closest_rotations(shape - shape.mean(axis=0), others[seen] - centres[:, None])
    local[seen] = apply_transposed(R, tracks.points[seen, i] - centres)
    return local


def steadiest(tracks: Tracks, i: int) -> IntArray:
    """Numbers of the other markers by how little their distance from one varies, those that are mostly seen with it."""
    some = tracks.points[:: max(1, len(tracks.points) // SOME_FRAMES)]
    away = norm(some - some[:, i : i + 1])
    count = np.isfinite(away).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(away, axis=0) / count
        varies = np.nansum((away - mean) ** 2, axis=0) / count
    varies[count < MOSTLY_SEEN * count[i]] = np.inf
    varies[i] = np.inf
    order = np.argsort(varies, kind="stable")
    return np.asarray(order[np.isfinite(varies[order])])
