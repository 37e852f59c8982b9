"""Steps of markers: which of them, between which frames, by how much.

Nothing that has mass goes elsewhere between two frames. A spike, a jump and the way back, a slip, labels that change
places, a shoe or all markers that are elsewhere are steps in the innovations of one marker or several, held against no
step, and against changes of velocity, with one rate of false alarms (`ALARM`).

A step of one marker must show twice: in the laboratory, and in the frame that moves and turns with its steadiest
neighbours. A foot that strikes the ground moves sharply in the laboratory, and skin among its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from gaitid.markers.cuts import JUMP_TIMES_NOISE, NOISE_FROM_HZ, jump_limit
from gaitid.markers.innovations import (
    SPAN,
    Explained,
    Innovations,
    columns,
    explain,
    gains,
    innovations_of,
    step_response,
)
from gaitid.markers.tracks import Tracks, tracks_of
from gaitid.numerics.masks import known_rows, quantiles_of_known, spans, widened
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
# s, and frames: what is elsewhere for no longer is a spike.
SPIKE_S, SPIKE_FRAMES = 0.06, 6
# s. Across a longer gap nothing tells a step.
GAP_S = 0.15
# Frames behind those that are looked at backward, at least.
MORE = 4 * SPAN
# Share of an excursion within which a marker is back on its track.
SAME = 0.5
# Frames beside one that alarms that may step.
BESIDE = 2
# Share of the largest step beside it that a smaller one has at least: where a marker goes elsewhere, its velocity and
# acceleration step as well.
MINOR = 0.25
# Share of a change's response that must lie in known frames.
TOLD = 0.03
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
        By how much it is elsewhere from there on.
    at_m : (3,) array, m
        What it steps between the two frames.
    limit_m : float
        Beyond which a step of this marker counts.
    sure : bool
        Its neighbours see it too; or, where there are too few, it is clear.
    clear : bool
        By itself too clear for any doubt, and not one of several that follow each other as of what is shaken.
    """

    before: int
    after: int
    by_m: Array
    at_m: Array
    limit_m: float
    sure: bool
    clear: bool

    @property
    def even(self) -> bool:
        """It goes elsewhere in one, or leads back from there: what is between is not rough."""
        return bool(np.linalg.norm(self.at_m - self.by_m) < SAME * np.linalg.norm(self.by_m))

    def later(self, by: int) -> Step:
        """The same so many frames later."""
        return self._replace(before=self.before + by, after=self.after + by)

    def turned(self, n_frames: int) -> Step:
        """The same with so many frames seen backward in time."""
        before, after = n_frames - 1 - self.after, n_frames - 1 - self.before
        return self._replace(before=before, after=after, by_m=-self.by_m, at_m=-self.at_m)


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
    # the first frames of a trial, and those behind a long gap, have no innovation but backward in time
    behind: Mask = np.zeros(tracks.known.shape, dtype=bool)
    behind[:SPAN] = True
    for i in range(len(tracks)):
        for first, stop in spans(~tracks.known[:, i]):
            behind[stop : stop + SPAN, i] |= stop - first > GAP_S * rate_hz
    n = min(int(np.flatnonzero(behind.any(axis=1))[-1]) + 1 + MORE, len(tracks.points))
    back = tracks_of({label: points[:n][::-1] for label, points in tracks.items()})
    of_back = innovations_of(back.points, found)
    turned = gains(of_back, step_response(of_back.filter))
    early, hidden = list[list[Step]](), dict[str, Array]()
    brief = max(SPIKE_FRAMES, round(SPIKE_S * rate_hz))
    for i, of in enumerate(_forward(back, rate_hz, of_back, turned, coarse_m, behind[:n][::-1])):
        own, label = sorted((step.turned(n) for step in of.steps), key=lambda step: step.after), list(tracks)[i]
        early.append([])
        for step in own:  # and those that follow one of them soon
            if behind[step.after, i] or (early[i] and step.after - early[i][-1].after <= brief):
                early[i].append(step)
        for step in early[-1]:
            hidden.setdefault(label, tracks[label].copy())[max(step.after - SPAN, 0) : step.after] = np.nan
    if hidden:
        tracks = tracks_of({**tracks, **hidden})
        found = innovations_of(tracks.points, found)
        stepping = gains(found, step_response(found.filter))
    forward = _forward(tracks, rate_hz, found, stepping, coarse_m, ~behind)
    return [
        of._replace(steps=sorted([*first, *of.steps], key=lambda step: step.after))
        for first, of in zip(early, forward, strict=True)
    ]


def _forward(
    tracks: Tracks, rate_hz: float, found: Innovations, stepping: tuple[Array, Array], coarse_m: float, among: Mask
) -> list[Stepped]:
    """Steps of each marker by what follows them, among some frames of each."""
    digit_m = np.where(np.isfinite(tracks.least_step), np.fmax(tracks.least_step, coarse_m), coarse_m)
    limits = np.maximum(np.where(found.noise_m < SMOOTHED_M, STEP_M, RAW_STEP_M), ROUNDED * digit_m)
    alarm: Mask = np.zeros(tracks.known.shape, dtype=bool)
    for changes, gain in (stepping, gains(found, found.filter[:, ::-1])):  # a step, and one frame that is off
        alarm |= np.asarray((gain > ASKED * ALARM) & (norm(changes) > ASKED_M * limits))
    jumps: Mask = np.zeros_like(alarm)
    jumps[1:] = tracks.excess > jump_limit(tracks, rate_hz)
    if rate_hz >= NOISE_FROM_HZ:  # what jumps in one frame after the other is noise
        jumps &= np.fmax.reduce(tracks.excess, axis=0) > JUMP_TIMES_NOISE * tracks.noise
    alarm, brief = (alarm & among) | jumps, max(SPIKE_FRAMES, round(SPIKE_S * rate_hz))
    about = [widened(of, BESIDE) for of in alarm.T]
    for i in np.flatnonzero(~tracks.known.all(axis=0)).tolist():
        for first, stop in spans(~tracks.known[:, i]):
            if first > 0 and stop < len(alarm) and stop - first <= GAP_S * rate_hz:
                about[i][stop] = True
    steps = []
    for i, frames in enumerate(np.flatnonzero(of & known) for of, known in zip(about, tracks.known.T, strict=True)):
        parts = np.split(frames, np.flatnonzero(np.diff(frames) > 2 * SPAN) + 1) if len(frames) else []
        marker = _Marker(tracks, i, found, float(limits[i]), brief)
        windows = [marker.steps(some, jumps[some, i], stepping[0][some, i]) for some in parts]
        steps.append(Stepped([step for of in windows for step in of], marker.local.points if any(windows) else None))
    return steps


class _Track(NamedTuple):
    """(frames, 3) places of a marker, m, in the laboratory or among its neighbours, and the weights and the variance of
    its innovations.
    """

    points: Array
    weights: Array
    variance: float

    def explained(
        self, some: IntArray, frames: IntArray, jumps: Mask, rival: bool = True
    ) -> tuple[IntArray, Explained]:
        """Which of some frames step in the window about them: `_Window.explained`."""
        return _Window(self.points, some, self.weights).explained(frames, self.variance, jumps, rival)

    def across(self, frames: IntArray, others: IntArray) -> Array:
        """(3,) the step across some frames, whatever lies between them, m; 0 where the marker is on its track again.

        `others`: frames at which it steps as well.
        """
        there, last = self.points.copy(), frames[-1:]
        there[frames[0] : frames[-1]] = np.nan
        window = _Window(there, last, self.weights)
        window.leave_free(window.steps(others))
        best = window.explained(last, self.variance, np.ones(1, dtype=bool), rival=False)[1]
        return np.asarray(best.sizes[0]) if best.gain >= ALARM / 2 else np.zeros(3)


class _Marker:
    """One marker, as the laboratory and as its neighbours see it."""

    def __init__(self, tracks: Tracks, i: int, found: Innovations, limit_m: float, brief: int) -> None:
        self.laboratory = _Track(tracks.points[:, i], found.filter[i], float(found.variance[i]))
        self.among, self.limit_m, self.brief = (tracks, i), limit_m, brief
        self.places = np.flatnonzero(tracks.known[:, i])

    @cached_property
    def local(self) -> _Track:
        """Among its neighbours."""
        points = _among_neighbours(*self.among)
        found = innovations_of(points[:, None])
        return _Track(points, found.filter[0], float(found.variance[0]))

    def steps(self, some: IntArray, jumps: Mask, changes: Array) -> list[Step]:
        """Steps in the window about some frames, by which of them jump, and what a step at each would be, m."""
        at, best = self.laboratory.explained(some, some, jumps)
        size_m = norm(best.sizes)
        near: Mask = np.asarray(np.abs(at[:, None] - at) < SPAN)
        late: Mask = np.asarray(at >= len(self.laboratory.points) - BESIDE)  # the last frames tell little
        limits = np.where(late, max(self.limit_m, RAW_STEP_M), self.limit_m)
        far = size_m > MINOR * np.where(near, size_m, 0.0).max(axis=1, initial=0.0)
        rough, far = far & (size_m <= limits), far & (size_m > limits)
        sizes, gain = best.sizes, best.gain
        if gain < ALARM or not far.any():
            if not jumps.any():
                return []
            at, sizes, gain, far = some[jumps], changes[jumps], ALONE * ALARM, jumps[jumps]  # too rough for steps
            rough = ~far
        sure = self._seen_by_neighbours(some, at, jumps[np.searchsorted(some, at)], norm(sizes).max(), gain)
        clear = gain >= ALONE * ALARM and not rough.any()
        order = np.argsort(at)
        order = order[far[order]]
        return list(self._excursions(at[order], sizes[order], sure, clear))

    def _seen_by_neighbours(self, some: IntArray, at: IntArray, jumps: Mask, size_m: float, gain: float) -> bool:
        """Whether a marker steps among its neighbours, too; where it jumps, or they were not seen, beyond doubt."""
        clear = gain >= ALONE * ALARM
        if (clear and jumps.any()) or not np.isfinite(self.local.points[at]).all():
            return clear
        beside = self.local.explained(some, at, jumps, rival=False)[1]
        as_far = abs(norm(beside.sizes).max(initial=0.0) - size_m) < MINOR * size_m
        return bool(beside.gain >= (ALARM / 2 if as_far else ALARM))

    def _excursions(self, at: IntArray, sizes: Array, sure: bool, clear: bool) -> Iterator[Step]:
        """Steps at some frames; of those that follow each other soon the first and the last."""
        for group in _groups(at, sizes, self.brief):
            total, frames, others = np.cumsum(sizes[group], axis=0), at[group], np.delete(at, group)
            brief, lasts = len(group) > 1, sure
            lasting = self.laboratory.across(frames, others) if brief else total[-1]
            if lasting.any() and np.isfinite(self.local.points[frames]).all():
                lasts = bool(self.local.across(frames, others).any())
            if brief and sure and not lasts:
                lasting, lasts = np.zeros(3), True  # its neighbours do not see it elsewhere afterwards
            away = total[int(np.argmax(norm(total[:-1])))] if brief else lasting
            for k, by_m in zip(group[:: max(len(group) - 1, 1)].tolist(), (away, lasting - away), strict=False):
                before = int(self.places[np.searchsorted(self.places, at[k]) - 1])
                yield Step(before, int(at[k]), by_m, sizes[k], self.limit_m, lasts, clear)


def _groups(at: IntArray, sizes: Array, brief: int) -> Iterator[IntArray]:
    """Numbers of steps that follow each other so soon that what lies between them is off, whatever it is."""
    first, total, most = 0, np.zeros(3), 0.0
    for k in range(len(at)):
        total = total + sizes[k]
        far = float(np.linalg.norm(total))
        if k + 1 == len(at) or at[k + 1] - at[k] > brief or far < SAME * most:
            yield np.arange(first, k + 1)
            first, total, most = k + 1, np.zeros(3), 0.0
        else:
            most = max(most, far)


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
        self.weights, self.n = weights, max(len(some) - SPAN + 1, 0)
        self.hidden, self.rows = np.zeros((self.n, 0)), np.zeros((self.n, 3))
        if seen.sum() > 2 and self.n:
            filled = np.stack([np.interp(at, at[seen], axis[seen]) for axis in some.T], axis=1)
            self.rows = np.stack([np.convolve(axis, weights[::-1], mode="valid") for axis in filled.T], axis=1)
            self.leave_free(self._columns(weights[::-1], np.flatnonzero(~seen)))
        self.behind_gap = np.zeros(len(some), dtype=bool)
        for first, stop in spans(~seen):
            self.behind_gap[stop : stop + 1] = first > 0 and stop - first < SPAN

    def leave_free(self, changes: Array) -> None:
        """Take out of the rows whatever some changes explain, (rows, changes)."""
        if changes.any():
            self.hidden = np.linalg.qr(np.concatenate([self.hidden, changes], axis=1))[0]
            self.rows = self.rows - self.hidden @ (self.hidden.T @ self.rows)

    def steps(self, frames: IntArray) -> Array:
        """(rows, frames) what a step at each of some frames leaves."""
        return self._columns(step_response(self.weights[None])[0], frames - self.start)

    def _columns(self, response: Array, frames: IntArray) -> Array:
        return columns(response, SPAN - 1, self.n + SPAN - 1, frames)

    def explained(
        self, frames: IntArray, variance: float, jumps: Mask, rival: bool = True
    ) -> tuple[IntArray, Explained]:
        """Which of some frames step, and what that explains; nothing where changes of velocity explain more.

        `jumps`: at which of them a marker jumps farther than any body: there it steps, however little tells it.
        """
        step = step_response(self.weights[None])[0]
        found = []
        for response, apart in ((step, 1), (np.cumsum(step)[:-1], APART))[: 1 + (rival and not jumps.any())]:
            changes = self._columns(response, frames - self.start)
            changes -= self.hidden @ (self.hidden.T @ changes)
            told = jumps | self.behind_gap[frames - self.start]
            told |= (changes**2).sum(axis=0) >= TOLD * (response**2).sum()
            best = explain(self.rows, changes[:, told], variance, MOST_STEPS, frames[told], apart)
            found.append((frames[told][best.which], best))
        at, best = found[0]
        # at an end of a trial both explain the same
        return at, best if best.gain >= found[-1][1].gain - 1.0 else best._replace(gain=0.0)


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
    least, most = quantiles_of_known(away, 0.1, 0.9)
    varies = np.where(count < MOSTLY_SEEN * count[i], np.inf, most - least)
    varies[i] = np.inf
    order = np.argsort(varies, kind="stable")
    return np.asarray(order[np.isfinite(varies[order])])
