"""Spikes: a marker that is off its own track and off its neighbours' for one or a few frames, and comes back.

Two witnesses must agree. A spike is off what a spline through the frames on both sides expects, in the laboratory and
in the frame that moves and turns with the marker's steadiest neighbours, by the same vector. A foot that strikes the
ground moves sharply in the laboratory, and skin among the neighbours, but not by the same vector in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from gaitid.markers.gaps import EVIDENCE_S
from gaitid.markers.jumps import laid_on, seen_by, steadiest, steadiest_of_all
from gaitid.markers.tracks import GAIN, ORDER, USUAL_SHARE, Tracks, noise_of, noises_of, steps_shown, tracks_of
from gaitid.markers.ways import mock_error, smoothing_of, spline_weights
from gaitid.numerics.masks import by_blocks, known_rows, quantile_of_known, spans, widened
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.numerics.rotation import norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# m, and times what the marker's own movement shows in nine tenths of its trial: a step is more than both. In smoothed
# trials that is 0.01 to 0.05 mm; in 41 recordings of 20 laboratories what is more than eight times as much, and what
# both witnesses see, is a fault to the eye (docs/gaps.md).
STEP_M, STEP_RATIO = 0.0003, 8.0
# White noise shows steps of √252 / 6 = 2.65 times its standard deviation on each axis: so many standard deviations in
# nine tenths of the frames (χ, 3 degrees of freedom: 2.50), and never so many (χ > 6 once in 10⁷ frames).
# Eight times its usual step would hide centimetres; smaller ones than the third, m, are left to that rule.
USUAL_NOISE, NOISE_RATIO, NOISY_STEP_M = 6.6, 16.0, 0.006
# m. Where a marker's own movement shows so large steps, its track among its neighbours is looked at as well.
BLUNT_M = 0.008
# s, and frames: a marker that is off for longer has gone elsewhere (`gaitid.markers.shifts`).
LONGEST_S, LONGEST_FRAMES = 0.06, 5
# s. Frames on each side that expect where the marker is.
BESIDE_S, BESIDE_FRAMES = 0.06, 6
# Frames, fewer of which beside a spike expect nothing; and the longest spike that is told with none on one side: what
# is expected beyond the last frame seen is soon off by centimetres.
FEWEST_BESIDE, LONGEST_AT_END = 3, 3
# How many times as far a marker must be off as the same spline errs elsewhere in the trial (95 %).
SURE_RATIO = 2.0
# How many times as far a marker must be off as its neighbours in the same frames: impacts shake them together.
ABOVE_OTHERS = 3.0
# By which share of the spike the two witnesses may differ, and by which its frames may differ from their mean.
AGREE, STEADY = 0.5, 0.9
# Times the 90 % quantile of the trial's steps: no more need be left (root mean square) by a spike that explains them.
USUAL_RATIO = 0.7
# Shorter spikes are asked that leave no more than so many times the least.
LEAST_RATIO = 1.3
# So many times as far a marker must be off that has no neighbours to be a second witness.
ALONE_RATIO = 2.0


class Spike(NamedTuple):
    """Frames, first and last from 0, in which a marker is off, and by how much, m."""

    first: int
    last: int
    size_m: float


def find_spikes(markers: Mapping[str, Array], rate_hz: float) -> dict[str, list[Spike]]:
    """Spikes of each marker that has some.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    """
    if not markers or len(next(iter(markers.values()))) < 2 * BESIDE_FRAMES:
        return {}
    tracks = tracks_of(markers)
    labels, shown = list(tracks), tracks.shown
    if not (shown > STEP_M).any():
        return {}
    usual = tracks.usual
    limits_m = step_limits(tracks.noise, usual)
    beyond: Mask = np.asarray((shown > limits_m).any(axis=0))
    blunt = np.flatnonzero((shown > np.fmax(STEP_M, usual)).any(axis=0) & (limits_m > BLUNT_M))
    among_others = _beyond_among_others(tracks, blunt)
    found: dict[str, list[Spike]] = {}
    for i, label in enumerate(labels):
        spikes: list[Spike] = []
        if beyond[i]:
            steps = _Steps(float(tracks.noise[i]), shown[:, i], float(limits_m[i]), float(usual[i]))
            spikes = _spikes_of(tracks, label, steps, rate_hz)
        if i in among_others:
            beside = _spikes_of(tracks, label, None, rate_hz)
            spikes += [s for s in beside if not any(s.first <= o.last and o.first <= s.last for o in spikes)]
        if spikes:
            found[label] = sorted(spikes)
    return found


def longest_spike(rate_hz: float) -> int:
    """Frames of the longest spike."""
    return max(LONGEST_FRAMES, round(LONGEST_S * rate_hz))


def step_limits(noise_m: Array, usual_m: Array) -> Array:
    """Beyond which what a track shows is a step, neither its movement nor its noise, m.

    Parameters
    ----------
    noise_m : (markers,) array
        `Tracks.noise`.
    usual_m : (markers,) array
        `Tracks.usual`.
    """
    movement = np.sqrt(np.maximum(usual_m**2 - (USUAL_NOISE * noise_m) ** 2, 0.0))
    apart = np.maximum(np.maximum(NOISY_STEP_M, STEP_RATIO * movement), NOISE_RATIO * noise_m)
    return np.asarray(np.maximum(STEP_M, np.minimum(STEP_RATIO * usual_m, apart)))


def _beyond_among_others(tracks: Tracks, some: IntArray) -> set[int]:
    """Those of some markers that may make a step beside their steadiest neighbours; all where not all are seen."""
    if not (tracks.whole and len(tracks) > FEWEST and len(some)):
        return {*some.tolist()}
    near = steadiest_of_all(tracks)[some]
    shape = tracks.points[len(tracks.points) // 2, near]

    def among(points: Array) -> Array:
        return laid_on(shape, points[:, near], points[:, some])[0]

    local = by_blocks(among, tracks.points, times=4 * near.shape[1])
    shown = steps_shown(local)
    limits_m = step_limits(noises_of(local), quantile_of_known(shown, USUAL_SHARE))
    return {*some[(shown > limits_m).any(axis=0)].tolist()}


class _Steps(NamedTuple):
    """Of a track, m: its noise, the steps that it shows, the limit beyond which they are steps, and the usual one."""

    noise_m: float
    shown: Array
    limit_m: float
    usual_m: float


def _steps_of(points: Array) -> _Steps:
    noise_m, shown = noise_of(points), steps_shown(points)
    usual = quantile_of_known(shown, USUAL_SHARE)
    return _Steps(noise_m, shown, float(step_limits(np.array(noise_m), usual)), float(usual))


def _spikes_of(markers: Mapping[str, Array], label: str, steps: _Steps | None, rate_hz: float) -> list[Spike]:
    """Spikes of one marker, by the steps that its track shows; without them, by its track among its neighbours."""
    near = steadiest(markers, label)
    others = np.stack([markers[x] for x in near], axis=1) if len(near) >= FEWEST else None
    points, laboratory, R_gs = markers[label], None, None
    if steps is None:
        if others is None:
            return []
        laboratory = points
        points, R_gs = seen_by(points, others)
        steps = _steps_of(points)
    beyond = np.asarray(steps.shown > steps.limit_m)
    longest = longest_spike(rate_hz)
    rows = widened(beyond, (longest + 1) // 2)  # steps of one spike belong together
    quiet = points.copy()
    for first, stop in spans(beyond):
        quiet[first : stop + ORDER] = np.nan
    smoothing = smoothing_of(steps.noise_m, rate_hz)
    reach = max(BESIDE_FRAMES, round(BESIDE_S * rate_hz))
    witness = _Witness(
        points,
        known_rows(points),
        laboratory,
        R_gs,
        steps.shown,
        quiet,
        smoothing,
        reach,
        round(EVIDENCE_S * rate_hz),
        steps.limit_m,
        USUAL_RATIO * steps.usual_m,
    )
    found = []
    for first, stop in spans(rows):
        own = np.flatnonzero(beyond[first:stop]) + first
        window = slice(int(own[0]), int(own[-1]) + ORDER + 1)
        if (spike := _spike_in(witness, window, longest, others)) is not None:
            found.append(spike)
    return found


class _Witness(NamedTuple):
    """A marker's track, where it is known, the track without its doubtful frames, and what its spline needs.

    `laboratory` is the track in the laboratory where `points` is that among the marker's neighbours, and `R_gs` the
    axes of these; else None. `evidence`: frames on each side that tell how sure a spike is.
    """

    points: Array
    known: Mask
    laboratory: Array | None
    R_gs: Array | None
    shown: Array
    quiet: Array
    smoothing: float
    beside: int
    evidence: int
    limit_m: float
    usual_m: float

    def off(self, points: Array, first: int, stop: int) -> Array | None:
        """(frames, 3) by which frames are off what those beside them expect, m; None where too few are seen."""
        window, pattern = self.window(first, stop), self.pattern(first, stop)
        if pattern.sum() < FEWEST_BESIDE + 1:
            return None
        weights = spline_weights(tuple(pattern.tolist()), stop - first, first - window.start, 3, self.smoothing)
        return np.asarray(points[first:stop] - weights @ points[window][pattern])

    def steps_at(self, frame: int) -> bool:
        """Whether the track may make a step to a frame: half the limit is shown there, or nothing is known."""
        row = frame - 1 - ORDER // 2
        return not 0 <= row < len(self.shown) or not self.shown[row] < self.limit_m / 2

    def window(self, first: int, stop: int) -> slice:
        return slice(max(first - self.beside, 0), min(stop + self.beside, len(self.points)))

    def around(self, frames: slice) -> slice:
        """Frames that tell how sure a spike is: a long trial is not searched as a whole for each."""
        return slice(max(frames.start - self.evidence, 0), frames.stop + self.evidence)

    def pattern(self, first: int, stop: int) -> Mask:
        window = self.window(first, stop)
        seen = self.known[window].copy()
        seen[first - window.start : stop - window.start] = False
        return seen


def _spike_in(witness: _Witness, window: slice, longest: int, others: Array | None) -> Spike | None:
    """The shortest spike that explains the steps shown within a window of frames; None where none does."""
    found: list[tuple[float, int, Array]] = []
    for length in range(1, min(longest, window.stop - window.start) + 1):
        best = min(_candidates(witness, window, length), key=lambda c: c[0], default=None)
        if best is not None:
            found.append(best)
            if best[0] < witness.usual_m:
                break
    if not found:
        return None
    least = min(rest for rest, _, _ in found)
    if _one_step(witness, window) <= least:
        return None
    for rest, first, off in found:
        if rest > LEAST_RATIO * least:
            continue  # a part of a spike leaves more
        frames, mean = slice(first, first + len(off)), off.mean(axis=0)
        if _sure(witness, frames, mean, others) and _agreed(witness, frames, mean, others):
            return Spike(first, frames.stop - 1, float(np.sqrt((off**2).sum(axis=1).max())))
    return None


def _candidates(witness: _Witness, window: slice, length: int) -> Iterator[tuple[float, int, Array]]:
    """Spikes of one length that may be: the steps they leave, first frame, and (length, 3) by which they are off, m."""
    wide = witness.window(window.start, window.stop)
    shown = np.flatnonzero(witness.shown[wide.start : wide.stop - ORDER] > witness.limit_m) + wide.start
    # steps that are shown by frames outside of the spike would be left
    earliest = max(window.start, int(shown[-1]) - length + 1)
    for first in range(earliest, min(window.stop - length, int(shown[0]) + ORDER) + 1):
        if length > LONGEST_AT_END and (first == 0 or first + length == len(witness.points)):
            continue
        if not (witness.steps_at(first) and witness.steps_at(first + length)):
            continue
        if not witness.known[first : first + length].all():
            continue
        off = witness.off(witness.points, first, first + length)
        if off is None:
            continue
        far = norm(off)
        if far.min() < witness.limit_m / 2 or np.linalg.norm(off.mean(axis=0)) < STEADY * float(far.mean()):
            continue
        without = witness.points[wide].copy()
        without[first - wide.start : first - wide.start + length] -= off
        largest, rest = _left(without)
        if largest < witness.limit_m:
            yield rest, first, off


def _left(points: Array) -> tuple[float, float]:
    """The largest step that a track shows, and the root mean square of all, m; infinite where nothing is known."""
    shown = steps_shown(points)
    shown = shown[np.isfinite(shown)]
    return (float(shown.max()), float(np.sqrt((shown**2).mean()))) if shown.size else (float("inf"), float("inf"))


def _one_step(witness: _Witness, window: slice) -> float:
    """What is left of the steps shown in a window when the largest is taken for a step: the marker goes elsewhere."""
    points = witness.points[witness.window(window.start, window.stop)]
    shown = np.diff(points, ORDER, axis=0) / GAIN
    sizes = norm(shown)
    if not np.isfinite(sizes).any():
        return float("inf")
    at = int(np.nanargmax(sizes))
    return _left(points - np.where(np.arange(len(points)) > at + ORDER // 2, 1.0, 0.0)[:, None] * shown[at])[1]


def _sure(witness: _Witness, frames: slice, off_m: Array, others: Array | None) -> bool:
    """Whether a marker is off by far more than it is elsewhere in the trial, by itself or beside its neighbours."""
    size, pattern = float(np.linalg.norm(off_m)), witness.pattern(frames.start, frames.stop)
    offset = frames.start - witness.window(frames.start, frames.stop).start
    weights = spline_weights(tuple(pattern.tolist()), frames.stop - frames.start, offset, 3, witness.smoothing)
    around = witness.around(frames)
    quiet = witness.quiet[around]
    if size > SURE_RATIO * mock_error(quiet, pattern, weights, offset):
        return True
    if others is None or witness.laboratory is not None:
        return False
    return size > SURE_RATIO * mock_error(seen_by(quiet, others[around])[0], pattern, weights, offset)


def _agreed(witness: _Witness, frames: slice, off_m: Array, others: Array | None) -> bool:
    """Whether a marker's neighbours are in place meanwhile, and see it off by the same vector, (3,), m."""
    size = float(np.linalg.norm(off_m))
    window = witness.window(frames.start, frames.stop)
    if others is None or not np.isfinite(others[window]).all():
        return size > ALONE_RATIO * witness.limit_m
    start, stop = frames.start - window.start, frames.stop - window.start
    if witness.laboratory is not None:
        return _borne_out(witness, frames, off_m, others)
    shaken = _shaken(witness, np.swapaxes(others[window], 0, 1), start, stop)
    if size < ABOVE_OTHERS * shaken:
        # an impact shakes them together, but not among each other
        shaken = _shaken(witness, _among_each_other(others[window]), start, stop)
    if size < ABOVE_OTHERS * shaken:
        return False
    local, R_gs = seen_by(witness.points[window], others[window])
    seen = np.einsum("fij,fj->fi", R_gs[start:stop], _off(witness, local, start, stop)).mean(axis=0)
    return float(np.linalg.norm(seen - off_m)) < AGREE * size


def _shaken(witness: _Witness, theirs: Iterable[Array], start: int, stop: int) -> float:
    """By how much the neighbours of a marker, (frames of a window, 3) each, are off in some frames, their median, m."""
    off = sorted(float(np.linalg.norm(_off(witness, points, start, stop).mean(axis=0))) for points in theirs)
    return off[len(off) // 2]


def _among_each_other(others: Array) -> list[Array]:
    """Markers, (frames, n, 3), each in the frame that moves and turns with all of them."""
    return [seen_by(points, others)[0] for points in np.swapaxes(others, 0, 1)]


def _borne_out(witness: _Witness, frames: slice, off_m: Array, others: Array) -> bool:
    """Whether what is seen among the neighbours is not against what is seen in the laboratory, and none wobbles."""
    assert witness.laboratory is not None and witness.R_gs is not None
    window, size = witness.window(frames.start, frames.stop), float(np.linalg.norm(off_m))
    start, stop = frames.start - window.start, frames.stop - window.start
    if size < ABOVE_OTHERS * _shaken(witness, _among_each_other(others[window]), start, stop):
        return False
    expected = np.einsum("fij,j->fi", witness.R_gs[frames], off_m).mean(axis=0)
    seen = _off(witness, witness.laboratory[window], start, stop).mean(axis=0)
    pattern = witness.pattern(frames.start, frames.stop)
    weights = spline_weights(tuple(pattern.tolist()), stop - start, start, 3, witness.smoothing)
    errs = mock_error(witness.laboratory[witness.around(frames)], pattern, weights, start)
    return float(np.linalg.norm(seen - expected)) < AGREE * size + (errs if np.isfinite(errs) else 0.0)


def _off(witness: _Witness, window: Array, start: int, stop: int) -> Array:
    """(stop − start, 3) by which frames of a window are off what the others expect, m, as the marker's own spline."""
    seen = known_rows(window)
    seen[start:stop] = False
    weights = spline_weights(tuple(seen.tolist()), stop - start, start, 3, witness.smoothing)
    return np.asarray(window[start:stop] - weights @ window[seen])
