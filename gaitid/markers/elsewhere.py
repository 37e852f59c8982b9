"""Steps of markers as faults: frames lost, markers that are elsewhere alone or together, labels that change places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np

from gaitid.markers.cuts import JUMP_M
from gaitid.markers.faults import LabelFault
from gaitid.markers.innovations import SPAN, Innovations, gains, innovations_of, step_response
from gaitid.markers.steps import (
    MINOR,
    RAW_STEP_M,
    SAME,
    SPIKE_S,
    STEADIEST,
    STEP_M,
    Step,
    Stepped,
    find_steps,
    steadiest,
)
from gaitid.markers.tracks import Tracks, frames_at_once, tracks_of
from gaitid.notes import Notes, note
from gaitid.numerics.masks import median, median_of_known, spans
from gaitid.numerics.rotation import cross, dot, norm
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask

# Markers, at least, that all of a body's are told by, and the share of those that are seen which step.
FEWEST, MOST = 6, 0.5
# Share of the squares of what markers step together that one length, or one multiple of their velocities, may leave.
LEFT = 0.25
# Share of the larger step of two markers of one body by which their distance may change, or two steps differ.
RIGID = 0.4
# Frames on each side, at least, that tell the place at which a marker stood.
BESIDE = 4
# s. What comes back within that time was one excursion.
BACK_S = 0.5
# m. In raw trials a marker that stays elsewhere by less moves joints no more than skin does, which carries markers of a
# thigh by 10 mm and more (Leardini et al. 2005).
STAYS_M = 0.008
# A part of a trial is believed against the rest of it if it lasts so many times as long.
MAJORITY = 2.0
# How many times as well two markers must go on with their labels exchanged. Markers that were hidden together and kept
# their labels reach 2.1 across gaps of 0.2 s.
SWAP_RATIO = 3.0
# s. What markers do again, the same way, after so long is their movement: a foot that strikes the ground. Of one alone
# that is said of less than the second, m, by which skin moves (Leardini et al. 2005, Gait Posture 21:212-225).
AGAIN_S, AGAIN_M = 0.3, 0.01
# Frames that are missing: midway between what recordings show and what one makes.
LOST = 0.5
# m/s. A slower marker tells nothing of that; and the share of the markers that must tell.
LEAST_SPEED, LEAST_SHARE = 0.2, 0.25


class Elsewhere(NamedTuple):
    """Where a marker, or several, are by their steps.

    Attributes
    ----------
    away : (frames,) bool array
        Off the place at which they are for longest and to which they come back.
    at : tuple of (int, int)
        The frames before and after each step of those.
    stays : tuple of (int, int)
        The same of the steps from which they do not come back.
    size_m : float
        Of the largest step.
    """

    away: Mask
    at: tuple[tuple[int, int], ...]
    stays: tuple[tuple[int, int], ...]
    size_m: float


class _Shared(NamedTuple):
    """Steps by who makes them: all markers, several, two that change places, one.

    Attributes
    ----------
    of_all : list of Step
    several : list of (set of int, list of mapping of int to Step)
        Numbers of markers, and their steps in each frame.
    swapped : mapping of (int, int) to list of (int, float)
        The frames in which two change places, and how far they jump, m.
    one : mapping of int to list of Step
    """

    of_all: list[Step]
    several: list[tuple[set[int], list[Mapping[int, Step]]]]
    swapped: dict[tuple[int, int], list[tuple[int, float]]]
    one: dict[int, list[Step]]


def find_elsewhere(tracks: Tracks, rate_hz: float, coarse_m: float) -> tuple[list[LabelFault], list[tuple[int, float]]]:
    """Faults of markers that step; where camera frames are lost.

    Parameters
    ----------
    tracks : Tracks
    rate_hz : float
    coarse_m : float
        Steps in which coordinates come, where they are coarse.

    Returns
    -------
    faults : list of LabelFault
    lost : list of (int, float)
        The frame behind, and how far all markers go on, as of one frame.
    """
    stepped: list[list[Stepped]] = [[] for _ in tracks]
    lost = list[tuple[int, float]]()
    n = len(tracks.points)
    for block in frames_at_once(n):
        near = slice(max(block.start - 3 * SPAN, 0), min(block.stop + 3 * SPAN, n))
        some = tracks if near == slice(0, n) else tracks_of({x: points[near] for x, points in tracks.items()})
        found = innovations_of(some.points)
        stepping = gains(found, step_response(found.filter))
        lost += [(f + near.start, k) for f, k in _lost_frames(some, rate_hz, found, stepping[0]) if _in(block, f, near)]
        for i, of in enumerate(find_steps(some, rate_hz, found, stepping, coarse_m)):
            own = [step.later(near.start) for step in of.steps if _in(block, step.after, near)]
            local = None if of.local is None else of.local[block.start - near.start : block.stop - near.start]
            stepped[i].append(Stepped(own, local))
    whole = [_one_trial(parts, list(frames_at_once(n))) for parts in stepped]
    return _faults(tracks, rate_hz, whole, {frame for frame, _ in lost}), lost


def _in(block: slice, frame: int, near: slice) -> bool:
    """Whether a frame of some that are near a block is one of it."""
    return bool(block.start <= frame + near.start < block.stop)


def _one_trial(parts: Sequence[Stepped], of: Sequence[slice]) -> Stepped:
    """A marker's steps in all blocks together."""
    if len(parts) == 1:
        return parts[0]
    steps = [step for part in parts for step in part.steps]
    if all(part.local is None for part in parts):
        return Stepped(steps)
    unknown = [np.full((block.stop - block.start, 3), np.nan) for block in of]
    return Stepped(
        steps, np.concatenate([b if a.local is None else a.local for a, b in zip(parts, unknown, strict=True)])
    )


def _faults(tracks: Tracks, rate_hz: float, stepped: Sequence[Stepped], lost: Set[int]) -> list[LabelFault]:
    """Faults of markers that step, without those where camera frames are lost."""
    shared, labels = _shared(tracks, stepped, lost), list(tracks)
    faults = _together(tracks, labels, shared.of_all, [step.by_m for step in shared.of_all], "", rate_hz)
    for members, of_frames in shared.several:
        faults += _several_faults(tracks, sorted(members), of_frames, rate_hz)
    for (a, b), at in shared.swapped.items():
        parts = _exchanged_parts(tracks.known[:, a] | tracks.known[:, b], [frame for frame, _ in at])
        faults.append(LabelFault("swap", (labels[a], labels[b]), tuple(parts), max(size for _, size in at)))
    for i, steps in sorted(shared.one.items()):
        swaps = [frame for pair, at in shared.swapped.items() if i in pair for frame, _ in at]
        own = [step for step in steps if step.sure and all(abs(step.after - frame) > SPAN for frame in swaps)]
        faults += _one_faults(tracks, i, own, stepped[i].local, rate_hz)
    return faults


def _shared(tracks: Tracks, stepped: Sequence[Stepped], lost: Set[int]) -> _Shared:
    """Steps by who makes them; without those where camera frames are lost."""
    by_frame: dict[int, dict[int, Step]] = {}
    for i, of_marker in enumerate(stepped):
        for step in of_marker.steps:
            if not any(abs(step.after - frame) < SPAN for frame in lost):
                by_frame.setdefault(step.after, {})[i] = step
    shared = _Shared([], [], {}, {})
    for frame, who in sorted(by_frame.items()):
        if (common := _common(who, int(tracks.known[frame].sum()))) is not None:
            shared.of_all.append(common)
            continue
        for i, step in list(who.items()):
            who |= _hidden_with(tracks, i, step, who)
        for a, b in combinations(sorted(who), 2):
            if size := _exchanged(tracks, who[a], who[b], a, b):
                shared.swapped.setdefault((a, b), []).append((frame, size))
        exchanged = {i for pair, at in shared.swapped.items() if at[-1][0] == frame for i in pair}
        left = {i: step for i, step in who.items() if i not in exchanged}
        for body in _bodies(tracks, list(left)):
            some = {i: left[i] for i in body if left[i].even}
            if not _as_one_body(tracks, some):
                some = {}
            for i in body - some.keys():
                shared.one.setdefault(i, []).append(left[i])
            if some:
                same = [of for of in shared.several if 2 * len(of[0] & some.keys()) >= min(len(of[0]), len(some))]
                if not same:
                    same = [(set(), [])]
                    shared.several.append(same[0])
                same[0][0].update(some)
                same[0][1].append(some)
    return shared


# --- all, several, two ----------------------------------------------------------------------------------------


def _lost_frames(tracks: Tracks, rate_hz: float, found: Innovations, changes: Array) -> list[tuple[int, float]]:
    """The frames behind camera frames that are missing, and how many times as far as beside it all markers go on there.

    What steps d at a frame would be is one multiple k of the velocities v beside it, k = v·d / v·v: no body does that.
    The median over the markers is 0.1 at most in recordings, where a frame is missing 0.9 to 1.1.
    """
    n, n_markers = changes.shape[:2]
    if n < 2 * SPAN or n_markers < FEWEST:
        return []
    steps, own = np.diff(tracks.points, axis=0), np.full_like(changes, np.nan)
    own[2:-1] = (steps[:-2] + steps[2:]) / 2
    fast: Mask = np.asarray((norm(own) > LEAST_SPEED / rate_hz) & found.known[:n])
    enough = np.flatnonzero(fast.sum(axis=1) >= np.maximum(FEWEST, n_markers * LEAST_SHARE))
    d, v = (np.where(fast[..., None], of, np.nan)[enough].swapaxes(0, 1) for of in (changes, own))
    k = median_of_known(dot(d, v) / dot(v, v))
    lost = (k > LOST) & (median_of_known(norm(d - k[:, None] * v)) < LEFT * median_of_known(norm(d)))
    d, v = (of - median_of_known(of) for of in (d, v))  # what all do in common is no time
    with np.errstate(invalid="ignore"):  # of the one in the middle nothing is left
        lost &= median_of_known(dot(d, v) / dot(v, v)) > LOST
    return [(int(frame), 1 + float(of)) for frame, of in zip(enough[lost], k[lost], strict=True)]


def _common(who: Mapping[int, Step], seen: int) -> Step | None:
    """The step that all markers make together; None where less than half of those that are seen do, or otherwise."""
    if len(who) < max(FEWEST, MOST * seen):
        return None
    steps = np.array([step.by_m for step in who.values()])
    common = median(steps)
    first = next(iter(who.values()))
    alike = float(((steps - common) ** 2).sum()) < LEFT * float((steps**2).sum())
    return first._replace(by_m=common, at_m=common, sure=True) if alike else None


def lost_frame_notes(lost: Sequence[tuple[int, float]], first_frame: int) -> Notes:
    """That camera frames are missing, and where."""
    if not lost:
        return ()
    frames = [f"{frame - 1 + first_frame} and {frame + first_frame}" for frame, _ in lost]
    return (note("frames_lost", frames=frames, times=max(times for _, times in lost)),)


def _several_faults(
    tracks: Tracks, members: Sequence[int], of_frames: Sequence[Mapping[int, Step]], rate_hz: float
) -> list[LabelFault]:
    """Faults of some markers that step in the same frames, as those of a shoe that slips do."""
    steps, mean = list[Step](), list[Array]()
    for some in of_frames:
        by_m = np.concatenate([some[i].by_m if i in some else np.zeros(3) for i in members])
        first = next(iter(some.values()))
        sure = any(2 * sum(of) >= len(some) for of in zip(*((s.sure, s.clear) for s in some.values()), strict=True))
        steps.append(first._replace(by_m=by_m, at_m=by_m, sure=sure))
        mean.append(np.mean([step.by_m for step in some.values()], axis=0))
    kept = [k for k, s in enumerate(steps) if s.sure and not _again(s.after, mean[k], steps, mean, rate_hz)]
    labels = [list(tracks)[i] for i in members]
    faults = _together(tracks, labels, [steps[k] for k in kept], [mean[k] for k in kept], "several_", rate_hz)
    most = max(kept, key=lambda k: float(norm_of(steps[k].by_m)), default=-1)
    turn = _turn(tracks, of_frames[most]) if kept else np.zeros(3)
    if not (angle := float(np.linalg.norm(turn))):
        return faults
    axis = tuple(float(v / angle) for v in turn)
    return [replace(fault, turn_deg=float(np.degrees(angle)), turn_axis=axis) for fault in faults]


def _turn(tracks: Tracks, some: Mapping[int, Step]) -> Array:
    """(3,) by which angle markers turn together, about which axis, rad; 0 where all make one step.

    A turn by an angle about a unit vector is 2 tan(angle / 2) times it, across the middle of the places before and
    after (Cayley).
    """
    steps = np.array([step.by_m for step in some.values()])
    own = steps - steps.mean(axis=0)
    if (own**2).sum() < LEFT * (steps**2).sum():
        return np.zeros(3)
    places = np.array([tracks.points[step.after, i] - step.by_m / 2 for i, step in some.items()])
    arms = places - places.mean(axis=0)
    columns = np.stack([cross(np.broadcast_to(axis, arms.shape), arms).ravel() for axis in np.eye(3)], axis=1)
    turn = np.asarray(np.linalg.lstsq(columns, own.ravel(), rcond=1e-3)[0])
    length = float(np.linalg.norm(turn))
    return np.asarray(turn * (2 * np.arctan(length / 2) / max(length, 1e-9)))


def _again(at: int, by_m: Array, steps: Sequence[Step], means: Sequence[Array], rate_hz: float) -> bool:
    """Whether markers step about as far the same way at another time."""
    return any(
        abs(other.after - at) > AGAIN_S * rate_hz
        and float(by_m @ mean) > SAME * max(float(by_m @ by_m), float(mean @ mean))
        for other, mean in zip(steps, means, strict=True)
    )


def _together(
    tracks: Tracks, labels: Sequence[str], steps: Sequence[Step], means: Sequence[Array], some: str, rate_hz: float
) -> list[LabelFault]:
    """Faults of markers that step together: briefly away, away for longer, or for good."""
    if not steps:
        return []
    first = list(tracks).index(labels[0])
    found = elsewhere(tracks.known[:, first], steps, rate_hz)
    sizes = norm(np.array(means))
    most = means[int(np.argmax(sizes > (1 - MINOR) * sizes.max()))]  # the first of the large ones
    size, step_mm = found.size_m / np.sqrt(len(steps[0].by_m) / 3), tuple(float(1e3 * v) for v in most)
    runs = [(a, b - 1) for a, b in spans(found.away)]
    faults = []
    for kind, brief in (("together", True), ("away", False)):
        frames = tuple(run for run in runs if (run[1] - run[0] < SPIKE_S * rate_hz) == brief)
        if frames:
            faults.append(LabelFault(some + kind, tuple(labels), frames, size, step_mm=step_mm))
    if found.stays:
        faults.append(LabelFault(some + "reset", tuple(labels), (), size, found.stays, step_mm=step_mm))
    return faults


def _bodies(tracks: Tracks, members: Sequence[int]) -> list[set[int]]:
    """Markers by the bodies that they seem to be on: each is among the steadiest beside another, or has it so."""
    near = {i: {*steadiest(tracks, i)[:STEADIEST].tolist()} for i in members} if len(members) > 1 else {}
    left, bodies = {*members}, list[set[int]]()
    while left:
        body, todo = set[int](), [left.pop()]
        while todo:
            i = todo.pop()
            body.add(i)
            beside = {j for j in left if j in near[i] or i in near[j]}
            left -= beside
            todo += beside
        bodies.append(body)
    return bodies


def _as_one_body(tracks: Tracks, some: Mapping[int, Step]) -> bool:
    """Whether two markers and more step as one body may: the distances between them stay, and two turn evenly."""
    for (a, one), (b, other) in combinations(some.items(), 2):
        apart, by_m = tracks.points[one.after, a] - tracks.points[other.after, b], one.by_m - other.by_m
        far = max(float(np.linalg.norm(one.by_m)), float(np.linalg.norm(other.by_m)))
        if abs(float(np.linalg.norm(apart) - np.linalg.norm(apart - by_m))) > RIGID * far:
            return False
        if len(some) == 2:
            alike = min(float(np.linalg.norm(one.by_m + sign * other.by_m)) for sign in (1, -1))
            return alike < RIGID * far and one.sure and other.sure
    return len(some) > 2


def _hidden_with(tracks: Tracks, i: int, step: Step, who: Mapping[int, Step]) -> dict[int, Step]:
    """The marker that comes out of the same gap where one that steps there would be, as if it stepped back; if any."""
    if step.before == step.after - 1:
        return {}
    hidden = ~tracks.known[step.after - 1] & tracks.known[step.after]
    away = norm(tracks.points[step.after] - (tracks.points[step.after, i] - step.at_m))
    near = [
        k for k in np.flatnonzero(hidden).tolist() if k not in who and away[k] < np.linalg.norm(step.at_m) / SWAP_RATIO
    ]
    return {near[0]: step._replace(by_m=-step.by_m, at_m=-step.at_m)} if len(near) == 1 else {}


def _exchanged(tracks: Tracks, one: Step, other: Step, a: int, b: int) -> float:
    """How far two markers jump that change places, m; 0 where they do not."""
    apart = tracks.points[one.after, a] - tracks.points[other.after, b]
    # after an exchange each is where the other would be had neither stepped
    left = np.linalg.norm(apart - one.at_m) + np.linalg.norm(apart + other.at_m)
    keep = float(np.linalg.norm(one.at_m) + np.linalg.norm(other.at_m))
    return keep / 2 if SWAP_RATIO * left < keep else 0.0


def _exchanged_parts(seen: Mask, changes: Sequence[int]) -> list[tuple[int, int]]:
    """Frames in which two labels are exchanged: every second part between changes, or the shorter ones."""
    parts = list(pairwise([0, *changes, len(seen)]))
    if len(changes) % 2 == 0:
        return [(a, b - 1) for a, b in parts[1::2]]
    counts = [sum(int(seen[a:b].sum()) for a, b in parts[k::2]) for k in (0, 1)]
    if max(counts) < MAJORITY * min(counts):
        return [(0, len(seen) - 1)]
    return [(a, b - 1) for a, b in parts[counts.index(min(counts)) :: 2]]


# --- one ------------------------------------------------------------------------------------------------------


def _one_faults(tracks: Tracks, i: int, steps: Sequence[Step], local: Array | None, rate_hz: float) -> list[LabelFault]:
    """Faults of a marker that steps alone: a spike, a jump and return, a jump for good, a smaller step that stays."""
    if not steps:
        return []
    own = [step.by_m for step in steps]
    small = [float(np.linalg.norm(by_m)) < AGAIN_M for by_m in own]
    steps = [s for s, of in zip(steps, small, strict=True) if not (of and _again(s.after, s.by_m, steps, own, rate_hz))]
    if not steps:
        return []
    brief, label = round(SPIKE_S * rate_hz), list(tracks)[i]
    if local is not None:
        steps = _with_other_ends(tracks.points[:, i], steps, local, brief)
    found = elsewhere(tracks.known[:, i], steps, rate_hz, local)
    runs = [(a, b - 1) for a, b in spans(found.away)]
    faults = []
    far = [float(np.linalg.norm(step.by_m)) for step in steps if (step.before, step.after) in found.stays]
    if max(far, default=0.0) > JUMP_M:
        away = _not_longest(tracks.known[:, i], steps, local, rate_hz)
        frames = tuple((a, b - 1) for a, b in spans(away))
        return [LabelFault("jump", (label,), frames, found.size_m, tuple(sorted({*found.at, *found.stays})))]
    for kind, short in (("spike", True), ("jump", False)):
        frames = tuple(run for run in runs if (run[1] - run[0] < brief) == short)
        if frames:
            faults.append(LabelFault(kind, (label,), frames, found.size_m, () if short else found.at))
    slight = {s.before for s in steps if float(np.linalg.norm(s.by_m)) < STAYS_M and s.limit_m > STEP_M}
    if stays := tuple(at for at in found.stays if at[0] not in slight):
        faults.append(LabelFault("moved", (label,), (), max(far), stays))
    return faults


def _with_other_ends(points: Array, steps: Sequence[Step], local: Array, brief: int) -> list[Step]:
    """Steps, and the other end of one that is alone, where it brings back a marker that was kept at its last place.

    A marker that stands still leaves its body without a step. It is back where its place among its neighbours is what
    it was before.
    """
    ends = list(steps)
    for step in steps:
        size = float(np.linalg.norm(step.by_m))
        large = [other.after for other in steps if other is not step and np.linalg.norm(other.by_m) > SAME * size]
        alone = size > JUMP_M and all(abs(at - step.after) > brief for at in large)
        sides = (points[: step.after][::-1], points[step.after :]) if alone else ()
        for later, side in enumerate(sides):
            near = norm(side - side[0]) < RAW_STEP_M
            n = len(near) if near.all() else int(np.argmin(near))
            start, stop = (step.after, step.after + n) if later else (step.after - n, step.after)
            places = local[max(start - SPAN, 0) : start], local[stop : stop + SPAN]
            if brief < n and min(map(len, places)) >= BESIDE:
                before, after = map(median_of_known, places)
                if np.linalg.norm(after - before) < SAME * size:
                    end = (stop if later else start) - 1
                    ends = [other for other in ends if not start - BESIDE <= other.after <= stop + BESIDE]
                    ends += [step, step._replace(before=end, after=end + 1, by_m=-step.by_m)]
    return sorted(ends, key=lambda end: end.after)


def parts_between(jumps: Sequence[tuple[int, int]], n_frames: int) -> list[tuple[int, int]]:
    """First and last frames of the parts of a trial between jumps."""
    starts, ends = [0, *(after for _, after in jumps)], [*(before for before, _ in jumps), n_frames - 1]
    return list(zip(starts, ends, strict=True))


def _places(
    seen: Mask, steps: Sequence[Step], local: Array | None, rate_hz: float
) -> tuple[list[tuple[int, int]], Mask, Array]:
    """Parts between steps, (parts, parts) whether two are at one place, and in how many frames each place is held."""
    parts = parts_between([(step.before, step.after) for step in steps], len(seen))
    by_m = np.array([step.by_m for step in steps])
    places = np.concatenate([np.zeros((1, by_m.shape[1])), np.cumsum(by_m, axis=0)])
    if local is not None:  # sums of steps err: the neighbours tell where a marker comes back
        ends = [median_of_known(local[max(last - SPAN + 1, first) : last + 1]) for first, last in parts]
        starts = [median_of_known(local[first : min(first + SPAN, last + 1)]) for first, last in parts]
        for j in range(2, len(parts)):
            for i in range(j - 2, -1, -1):
                near = parts[j][0] - parts[i][1] <= BACK_S * rate_hz
                if near and np.linalg.norm(starts[j] - ends[i]) < SAME * norm_of(by_m[i:j]).max():
                    places[j:] += places[i] - places[j]
                    break
    sizes = norm_of(by_m)
    within = np.full((len(parts), len(parts)), max(SAME * sizes.min(), steps[0].limit_m))
    for i, j in combinations(range(len(parts)), 2):  # a sum errs by a share of the largest of its steps
        within[i, j] = within[j, i] = max(within[i, j], MINOR * sizes[i:j].max())
    same: Mask = np.asarray(norm_of(places[:, None] - places) < within)
    return parts, same, np.asarray(same @ np.array([seen[first : last + 1].sum() for first, last in parts]))


def norm_of(v: Array) -> Array:
    """Lengths of vectors of any dimension."""
    return np.asarray(np.sqrt((v**2).sum(axis=-1)))


def elsewhere(seen: Mask, steps: Sequence[Step], rate_hz: float, local: Array | None = None) -> Elsewhere:
    """Where a marker is off its longest place; a few frames at an end of the trial hide that it comes back."""
    cut = round(SPIKE_S * rate_hz)
    parts, same, lengths = _places(seen, steps, local, rate_hz)
    main = np.flatnonzero(same[int(np.argmax(lengths))])
    at = tuple((step.before, step.after) for step in steps)
    first, last = int(main[0]), int(main[-1])
    first = 0 if parts[first][0] <= cut else first
    last = len(at) if len(seen) - 1 - parts[last][1] <= cut else last
    away: Mask = np.zeros(len(seen), dtype=bool)
    for part in range(first, last + 1):
        # what lies between two parts, of a gap, is not seen anyhow
        away[parts[part][0] : parts[part][1] + 1] = part not in main
    size = max(float(np.linalg.norm(step.by_m)) for step in steps)
    return Elsewhere(away, at[first:last], (*at[:first], *at[last:]), size)


def _not_longest(seen: Mask, steps: Sequence[Step], local: Array | None, rate_hz: float) -> Mask:
    """(frames,) in which a label is off the place that it is at mostly; all where none is clearly the longest."""
    parts, same, lengths = _places(seen, steps, local, rate_hz)
    longest = int(np.argmax(lengths))
    away: Mask = np.ones(len(seen), dtype=bool)
    if lengths[longest] >= MAJORITY * (seen.sum() - lengths[longest]):
        for part in np.flatnonzero(same[longest]):
            away[parts[part][0] : parts[part][1] + 1] = False
    return away
