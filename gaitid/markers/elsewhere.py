"""A marker that is elsewhere: for one frame, for a while or for good, by one law.

A track is smooth but for steps. Steps cut it into parts; where the steps between two parts add up to nothing, both are
on one place. The place of most frames is right, and in all others the marker is elsewhere. A step needs two witnesses:
the track shows it, and the marker's steadiest neighbours see the same and make none. A jump needs none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from gaitid.markers.faults import LabelFault
from gaitid.markers.jumps import (
    BESIDE_FRAMES,
    FLICKER_FRAMES,
    JUMP_TIMES_NOISE,
    NOISE_FROM_HZ,
    jump_limit,
    parts_between,
    seen_by,
    shifts_between,
    steadiest,
    step_between,
)
from gaitid.markers.together import fewest_steps, fitted_steps, is_speed, one_excursion
from gaitid.markers.tracks import GAIN, ORDER, tracks_of
from gaitid.numerics.masks import known_rows, median_of_known, spans, widened
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.numerics.rotation import apply, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

# m, and times what the marker's own movement shows in nine tenths of its trial: a step is more than both. In smoothed
# trials that is 0.01 to 0.05 mm; in 41 recordings of 20 laboratories what is more than eight times as much, and what
# both witnesses see, is a fault to the eye (docs/gaps.md).
STEP_M, STEP_RATIO = 0.0003, 8.0
# White noise shows steps of √252 / 6 = 2.65 times its standard deviation on each axis: so many standard deviations in
# nine tenths of the frames (χ, 3 degrees of freedom: 2.50), and never so many (χ > 6 once in 10⁷ frames).
# Eight times its usual step would hide centimetres; smaller ones than the third, m, are left to that rule.
USUAL_NOISE, NOISE_RATIO, NOISY_STEP_M = 6.6, 16.0, 0.006
# s, and frames: who is off for no longer has not gone elsewhere, but makes a spike.
BRIEF_S, BRIEF_FRAMES = 0.06, 5
# m. A marker that goes elsewhere by less for longer moves joints by less than the skin does (Leardini 2005, Gait
# Posture 21:212-225: 10 mm and more on the thigh).
SHIFT_M = 0.008
# By which share of it the neighbours may see another step, and how many times as large it is as theirs; of how many
# times its limit it is without them.
AGREE, ABOVE_OTHERS, ALONE = 0.4, 3.0, 2.0
# Share of the largest that steps may leave, and share of a step within which sums of steps lead to one place.
LEFT, SAME = 0.35, 0.5
# Share of a jump to which a track beside it must be smooth, if its step is not small.
ROUGH = 0.25
# s. A marker that is elsewhere for so long at an end of the trial would have come back, or have gone just before.
CUT_S = 0.1
# m, to which a line beside a jump must fit, or a cubic is laid through it.
STRAIGHT_M = 0.002
# A label that jumps more often is followed no more: the cost grows with the square.
MOST_JUMPS = 1000
# A place is believed against the others if the marker is on it so many times as long.
MAJORITY = 2.0
# m, and times as far: a marker that goes no farther for a spike's time may be held, as long as it goes no farther.
HELD_M, HELD_TIMES = 0.01, 3.0


class Edge(NamedTuple):
    """A step of a track between two frames, m; what lies between these is off."""

    before: int
    after: int
    step: Array


class Shifted(NamedTuple):
    """A marker that goes elsewhere.

    Attributes
    ----------
    away : (frames,) bool array
        Where it is off the place on which it is for longest, and to which it comes back.
    at : tuple of (int, int)
        The frames before and after each step of those.
    stays : tuple of (int, int)
        The same of the steps from which it does not come back: which place is right, nobody can tell.
    right : (frames,) bool array
        Where it is on the place on which it is for longest.
    """

    away: Mask
    at: tuple[tuple[int, int], ...]
    stays: tuple[tuple[int, int], ...]
    right: Mask


def find_elsewhere(markers: Mapping[str, Array], rate_hz: float) -> list[LabelFault]:
    """Markers that are elsewhere for some frames or for good.

    Parameters
    ----------
    markers : mapping of label to (frames, 3) array, m
        NaN where a marker was not seen.
    rate_hz : float
    """
    tracks = tracks_of(markers)
    if not len(tracks) or len(tracks.points) <= 2 * ORDER:
        return []
    limit = jump_limit(tracks, rate_hz)
    noisy = JUMP_TIMES_NOISE * np.nan_to_num(tracks.noise) * (rate_hz >= NOISE_FROM_HZ)
    jumps = tracks.excess > np.maximum(limit, noisy)
    limits = step_limits(tracks.noise, tracks.usual)
    fine = (tracks.shown > limits) & (not tracks.coarse)
    labels, faults = [*tracks], list[LabelFault]()
    for i in np.flatnonzero(fine.any(axis=0) | jumps.any(axis=0)).tolist():
        if np.count_nonzero(jumps[:, i]) <= MOST_JUMPS:
            near = [labels.index(other) for other in steadiest(tracks, labels[i])]
            marker = _Marker(tracks.points, i, near, limit, rate_hz)
            steps = [*_steps(marker, fine[:, i], float(limits[i]))]
            faults += _faults(labels[i], marker, steps, tracks.excess[:, i], jumps[:, i])
    return faults


class _Marker(NamedTuple):
    """One of all markers, (frames, markers, 3), its steadiest neighbours, and from which step on it jumps, m."""

    all: Array
    i: int
    near: Sequence[int]
    limit: float
    rate_hz: float

    def during(self, frames: slice) -> tuple[Array, Array | None]:
        """Its places in some frames, and those of its neighbours; None where they are too few."""
        points = self.all[frames]
        return points[:, self.i], points[:, self.near] if len(self.near) >= FEWEST else None


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


# --- steps --------------------------------------------------------------------------------------------------


def _when(edge: Edge) -> int:
    return edge.before


def _steps(marker: _Marker, beyond: Mask, limit: float) -> Iterator[Edge]:
    """Steps that both witnesses see, where the track of a marker shows some `beyond` its limit."""
    for first, stop in spans(widened(beyond, ORDER)):
        own, others = marker.during(slice(first, stop + ORDER))
        shown = _shown(own)
        start, end = around(known_rows(shown), int(np.nanargmax(norm(shown))))
        window = slice(start, end + ORDER)
        steps = _witnessed(own[window], None if others is None else others[window], limit, brief_frames(marker.rate_hz))
        before = first + start + ORDER // 2
        yield from (Edge(before + row, before + row + 1, step) for row, step in steps)


def _shown(track: Array) -> Array:
    return np.asarray(np.diff(track, ORDER, axis=0) / GAIN)


def _explained(track: Array, limit: float, brief: int) -> list[tuple[int, Array]]:
    """Row and size of the steps that a track makes which is else smooth; none where it is another movement."""
    shown = _shown(track)
    leave = min(limit, max(LEFT * float(norm(shown).max()), limit / 2))
    steps = one_excursion(shown, leave, brief) or fewest_steps(shown, leave)
    return [] if steps and is_speed(shown, steps) else steps


def _witnessed(own: Array, others: Array | None, limit: float, brief: int) -> list[tuple[int, Array]]:
    """Steps of a marker in a window of frames, by itself and as its neighbours see it, who make none themselves.

    While an impact shakes them together, only what they see tells.
    """
    if others is None or not np.isfinite(others).all():
        steps = _explained(own, limit, brief)
        return steps if all(norm(step) > ALONE * limit for _, step in steps) else []
    theirs = [*np.swapaxes(others, 0, 1)]
    apart = [seen_by(track, others)[0] for track in theirs]
    local, R_gs = seen_by(own, others)
    for track, other in ((own, local), (local, own)):
        if not (steps := _explained(track, limit, brief)):
            continue
        sizes, frames = np.array([step for _, step in steps]), np.array([row for row, _ in steps]) + ORDER // 2

        def shaken(tracks: Sequence[Array], steps: list[tuple[int, Array]] = steps) -> float:
            most = sorted(float(norm(fitted_steps(_shown(of), steps)).max()) for of in tracks)
            return ABOVE_OTHERS * most[len(most) // 2]

        least = float(norm(sizes).min())
        together, seen = shaken(theirs) > least, fitted_steps(_shown(other), steps)
        if together and shaken(apart) > least:
            continue
        if track is local:
            sizes = apply(R_gs[frames], sizes)
        else:
            seen = apply(R_gs[frames], seen)
        shows = (
            norm(_shown(own)[np.clip([row for row, _ in steps], 0, len(own) - ORDER - 1)])
            > np.maximum(limit / 2, SAME * norm(sizes))
        ).all()
        if (together and track is local and shows) or (norm(seen - sizes) < AGREE * norm(sizes)).all():
            return [(row, size) for (row, _), size in zip(steps, sizes, strict=True)]
    return []


def _jumps(marker: _Marker, edges: Sequence[Edge]) -> Iterator[Edge]:
    """Jumps, whose step is inf where not known; those that follow each other at once are one, and may lead back."""
    points, beside, brief = marker.all[:, marker.i], beside_frames(marker.rate_hz), brief_frames(marker.rate_hz)
    joined, seen = list[Edge](), np.flatnonzero(known_rows(points))
    for edge in edges:
        if joined and edge.before - joined[-1].after < brief:
            joined[-1] = Edge(joined[-1].before, max(edge.after, joined[-1].after), np.full(3, np.inf))
        else:
            joined.append(edge)
    for edge in joined:
        size = float(norm(edge.step))
        reach = brief if np.isinf(size) else FLICKER_FRAMES
        firsts, lasts = seen[seen <= edge.before][::-1][:reach].tolist(), seen[seen >= edge.after][:reach].tolist()
        wider = sorted(product(firsts, lasts), key=lambda at: at[1] - at[0])
        tried = list[tuple[Edge, float]]()
        for before, after in wider:
            tried.append(_across(marker, before, after, beside))
            if after - before > 1 and _returns(*tried[-1], min(marker.limit, SAME * size)):
                yield tried[-1][0]
                break
        else:
            best, rough = tried[0] if edge.after - edge.before == 1 else min(tried, key=lambda one: one[1])
            if not np.isfinite(rough):
                at = np.array([edge.before]), np.array([edge.after])
                best = edge._replace(step=shifts_between(points, points, *at)[0])
            yield best if np.isinf(size) else edge


def _returns(edge: Edge, rough: float, limit: float) -> bool:
    """Whether a marker is where it was, after a jump of more than the limit."""
    size = float(norm(edge.step))
    return size < limit and rough < max(limit - size, ROUGH * limit)


def _stays(marker: _Marker, edge: Edge) -> bool:
    """Whether a step is large, and more frames on both sides tell the same: few flicker more than many."""
    step = _across(marker, edge.before, edge.after, beside_frames(marker.rate_hz))[0].step
    size = float(norm(edge.step))
    return size >= SHIFT_M and (not np.isfinite(step).all() or float(norm(step - edge.step)) < SAME * size)


def _across(marker: _Marker, before: int, after: int, beside: int) -> tuple[Edge, float]:
    """The step of a marker across some frames, by itself or among its neighbours, and how far that errs."""
    start = max(before - beside, 0)
    own, others = marker.during(slice(start, after + beside + 1))
    tracks = [own] if others is None else [own, seen_by(own, others)[0]]
    found = [step_between(track, before - start, after - start, beside, STRAIGHT_M) for track in tracks]
    step, rough = min(found, key=lambda one: one[1])
    return Edge(before, after, step), rough


def _held(marker: _Marker, edge: Edge) -> Iterator[Edge]:
    """The frame from which on a marker was held where it was last seen, until it jumps back to its neighbours.

    Nothing shows where that begins; the same holds backward in time.
    """
    (points, others), beside = marker.during(slice(None)), beside_frames(marker.rate_hz)
    n = len(points)
    for way, last, after in ((1, edge.before, edge.after), (-1, n - 1 - edge.after, n - 1 - edge.before)):
        own = points[::way]
        run = own[max(last - brief_frames(marker.rate_hz), 0) : last + 1]
        middle = run.mean(axis=0)
        far = float(norm(run - middle).max())
        moves = np.flatnonzero(~(norm(own[: last + 1] - middle) <= HELD_TIMES * far))
        if others is None or not far < HELD_M or not len(moves):
            continue
        first = int(moves[-1]) + 1
        start = max(first - beside, 0)
        place = seen_by(own[start : after + beside], others[::way][start : after + beside])[0]
        there, here = (median_of_known(of) for of in (place[: first - start], place[after - start :]))
        if first < last and norm(here - there) < SAME * norm(edge.step):
            before = first - 1 if way > 0 else n - 1 - first
            yield Edge(before, before + 1, -edge.step)
            return


def beside_frames(rate_hz: float) -> int:
    """Frames on each side that tell how far a step leads."""
    return max(BESIDE_FRAMES, round(BRIEF_S * rate_hz))


def around(known: Mask, at: int) -> tuple[int, int]:
    """First of the rows that are known on end about one, and the first after them."""
    unknown = np.flatnonzero(~known)
    before, after = unknown[unknown < at], unknown[unknown > at]
    return int(before[-1]) + 1 if len(before) else 0, int(after[0]) if len(after) else len(known)


# --- places -------------------------------------------------------------------------------------------------


def brief_frames(rate_hz: float) -> int:
    """Frames of the longest spike."""
    return max(BRIEF_FRAMES, round(BRIEF_S * rate_hz))


def _without_spikes(ahead: list[Edge], rate_hz: float) -> tuple[list[tuple[int, int]], float, list[Edge]]:
    """Frames in which a marker is off and back at once, by how much, m, and the steps that lead elsewhere."""
    spikes, size, rest = list[tuple[int, int]](), 0.0, list[Edge]()
    while ahead:
        first = ahead[0]
        steps = np.array([edge.step for edge in ahead if edge.before - first.after < brief_frames(rate_hz)])
        sums, sizes = norm(np.cumsum(steps, axis=0)), norm(steps)
        back = [j for j in range(1, len(steps)) if sums[j] < SAME * sizes[: j + 1].min()]
        if back:
            spikes.append((first.after, ahead[back[0]].before))
            size = max(size, float(sums[: back[0]].max()))
        else:
            rest.append(first)
        ahead = ahead[back[0] + 1 if back else 1 :]
    return spikes, size, rest


def _faults(label: str, marker: _Marker, steps: list[Edge], excess: Array, jumps: Mask) -> Iterator[LabelFault]:
    """What is wrong with a marker that makes some steps, and that jumps in some frames.

    Of one that goes by a jump and stays the longer part of the trial is right, if any is.
    """
    spikes, size, rest = _without_spikes(steps, marker.rate_hz)
    stands = np.append(False, (np.diff(marker.all[:, marker.i], axis=0) == 0).all(axis=1)) if rest else jumps
    for edge in rest:
        first = int(np.flatnonzero(~stands[: edge.before + 1])[-1]) + 1
        if edge.before - first >= 2:  # to the last digit: it was held until then
            spikes.append((first, edge.before))
            size = max(size, float(norm(edge.step)))
    rest = [edge for edge in rest if all(last != edge.before for _, last in spikes)]
    far = [edge for edge in rest if norm(edge.step) > marker.limit and jumps[edge.before]]
    near = [edge for edge in rest if not any(edge is other for other in far) and _stays(marker, edge)]
    new = [run for run in spans(jumps) if not any(e.before <= run[1] and run[0] <= e.after for e in steps)]
    led = [*_jumps(marker, sorted([*far, *(Edge(*run, np.full(3, np.inf)) for run in new)], key=_when))]
    for edge in [edge for edge in led if edge.after - edge.before > 1]:
        spikes.append((edge.before + 1, edge.after - 1))
        size = max(size, float(np.nanmax(excess[edge.before : edge.after])))
    if spikes:
        yield LabelFault("spike", (label,), tuple(sorted(spikes)), size)
    far = [edge for edge in led if norm(edge.step) > marker.limit]
    held = [back for edge in far for back in _held(marker, edge)]
    far += [back for back in held if all(abs(back.before - edge.before) > ORDER for edge in far)]
    edges, cut, points = sorted([*near, *far], key=_when), round(CUT_S * marker.rate_hz), marker.all[:, marker.i]
    if not edges:
        return
    size = float(norm(np.array([edge.step for edge in edges])).max())
    away, at, stays, _ = tracks_between(points, edges, cut)
    if any((edge.before, edge.after) in stays for edge in far):
        _, at, more, right = tracks_between(points, sorted(far, key=_when), cut)
        seen = known_rows(points)
        sure = (seen & right).sum() >= MAJORITY * (seen & ~right).sum()
        away, at, stays = ~right | (not sure), tuple(sorted((*at, *more))), ()
    if away.any():
        yield LabelFault("jump", (label,), tuple((first, stop - 1) for first, stop in spans(away)), size, at)
    if stays:
        staying = max(float(norm(edge.step)) for edge in edges if (edge.before, edge.after) in stays)
        yield LabelFault("moved", (label,), (), staying, stays)


def tracks_between(points: Array, edges: Sequence[Edge], cut: int) -> Shifted:
    """Where a marker is off its longest place; up to `cut` frames at an end of the trial hide that it comes back."""
    at = tuple((edge.before, edge.after) for edge in edges)
    steps = np.array([edge.step for edge in edges])
    tracks = np.concatenate([0.0 * steps[:1], np.cumsum(steps, axis=0)])
    same = norm(tracks[:, None] - tracks) < SAME * float(norm(steps).min())
    seen, parts = known_rows(points), parts_between(at, len(points))
    lengths = same @ np.array([seen[first : last + 1].sum() for first, last in parts])
    main = np.flatnonzero(same[int(np.argmax(lengths))])
    first, last = int(main[0]), int(main[-1])
    first = 0 if parts[first][0] <= cut else first
    last = len(at) if len(points) - 1 - parts[last][1] <= cut else last
    right = np.zeros(len(points), dtype=bool)
    for part in main:
        right[parts[part][0] : parts[part][1] + 1] = True
    within = np.zeros(len(points), dtype=bool)
    within[parts[first][0] : parts[last][1] + 1] = True
    return Shifted(within & ~right, at[first:last], (*at[:first], *at[last:]), right)
