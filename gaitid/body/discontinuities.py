"""Poses -> where a joint turns from one instant to the next as no person can, and the poses without what jumps there.

By the angle of the rotation between two instants (helical angle), which no sequence of Cardan angles is asked for: near
their singularity these change fast while the joint does not. Smooth poses stay, however large their angles are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from gaitid.body.calibration import marker_labels
from gaitid.body.frames import Geometry
from gaitid.body.joints import Place
from gaitid.body.lengths import points_of_segments
from gaitid.body.poses import Body, pose_segments
from gaitid.markers.clean import Markers
from gaitid.markers.faults import frame_words
from gaitid.markers.filtering import lost_markers, reach
from gaitid.markers.tracks import excess_of
from gaitid.notes import Note, Notes, note, phrase
from gaitid.numerics.masks import blocks, by_blocks, is_long, spans
from gaitid.numerics.rotation import norm, rotation_vectors
from gaitid.records import NamedTuple
from gaitid.trial import Array, Mask, seen_as


class Extreme(NamedTuple):
    """The largest figures of one joint.

    Attributes
    ----------
    speed_deg_per_s : float
        Helical angular speed: of the distal segment in the proximal one, of the pelvis in the laboratory.
    moment_Nm_per_kg : float
        Length of the moment vector; inf of the pelvis, on which the model's joints exert none that is told.
    """

    speed_deg_per_s: float
    moment_Nm_per_kg: float


# Times the largest that was published: noise of markers, skin and impacts come on top of what bones do.
MARGIN = 2.0

EXTREMES = {
    # 342 turns a minute: the fastest spin of a figure skater (Olivia Oliver, Warsaw 2015, Guinness World Records).
    "pelvis": Extreme(2052.0, float("inf")),
    # Speed: a sprint of 9.5 m/s (Dorn, Schache & Pandy 2012, J Exp Biol 215:1944-1956; computed here from a public
    # recording of it, low-passed at 16 Hz). Moment: 6.3 in that sprint; 7.7 in a deadlift of five body weights (Lamar
    # Gant 1985, 300 kg at 60 kg): (5 + 0.6) · 9.81 m/s² · 0.28 m on two hips.
    "hip": Extreme(1094.0, 7.7),
    # Speed: instep kicks with all force (review: Kellis & Katis 2007, J Sports Sci Med 6:154-165), rounded up; 1557 in
    # the sprint. Moment: 5.0 in the sprint; 6.9 when the patellar tendon of a weight-lifter tore at 17.5 body weights
    # (Zernicke, Garhammer & Jobe 1977, J Bone Joint Surg Am 59:179-183), with an arm of 0.04 m.
    "knee": Extreme(2000.0, 6.9),
    # Speed: the sprint, at push-off and strike. Moment: 4.6 in it; 6.1 by 12.5 body weights on the Achilles tendon of a
    # runner (Komi 1990, J Biomech 23 Suppl 1:23-34), with an arm of 0.05 m.
    "ankle": Extreme(1731.0, 6.1),
}


def moment_limit(joint: str) -> float:
    """Above it no joint of a person exerts a moment, N·m/kg."""
    return MARGIN * EXTREMES[joint].moment_Nm_per_kg


# s. Two instants lie at least so far apart: within less a marker that trembles after a strike is faster than its bone.
APART_S = 0.01
# Times how much a turn differs from the next one in half of the trial: what noise adds to the fastest of a thousand
# turns (4.3 where it turns a segment about one axis, 2.1 about all three). Never more than the limit itself.
TIMES_ROUGH = 5.0
# Share of a joint's turn from which on a segment's own turn makes it: of two that add up to it one has half.
OWN_TURN = 0.5
# Share of a jump: a joint that is nearer to where it was before than that has jumped back.
TAKEN_BACK = 0.5
# Share of the largest step from which on a marker is named with it, and so many places are named.
NAMED, SHOWN = 0.5, 4
# Of so many jumps the markers are asked which of them made it.
LOOKED_AT = 20


class Jump(NamedTuple):
    """One discontinuity of a joint.

    Attributes
    ----------
    side : str
        Empty for the pelvis.
    joint : str
    before, after : int
        Frames, from 0, between which it turns.
    turn_deg : float
    segments : tuple of Place
        Those that turn in the laboratory.
    ends : (2, 3, 3) array
        Axes of the segment below in those of the one above, before and after.
    """

    side: str
    joint: str
    before: int
    after: int
    turn_deg: float
    segments: tuple[Place, ...]
    ends: Array


class Continuous(NamedTuple):
    """A body without its discontinuities.

    Attributes
    ----------
    body : Body
    markers : Markers
        Those of segments that jump are unknown beside the jump in `filtered`.
    emptied : mapping of side to (frames,) bool array
        The frames that are empty for it; no side without any.
    notes : Notes
    """

    body: Body
    markers: Markers
    emptied: Mapping[str, Mask]
    notes: Notes


def without_jumps(body: Body, markers: Markers, rate_hz: float) -> Continuous:
    """The body with the poses of segments unknown where they jump, and as far as filter and derivatives carry it.

    Parameters
    ----------
    body : Body
    markers : Markers
        That it was posed by. From one of its passes to the next everybody may jump.
    rate_hz : float
    """
    jumps = find_jumps(body, markers, rate_hz) if body.model.touches_ground else []
    labels = labels_of_segments(body, markers) if jumps else {}
    lost = lost_markers(markers.quality)  # what trembles in every frame jumps in none
    jumps = [jump for jump in jumps if not any(lost.intersection(labels[segment]) for segment in jump.segments)]
    if not jumps:
        return Continuous(body, markers, {}, ())
    beside, n_frames = reach(markers.quality["marker_filter"], rate_hz), body.geometry.n_frames
    of_segment: dict[Place, Mask] = {}
    for first, last, segments in _wrong_stretches(jumps, n_frames):
        for segment in segments:
            empty = of_segment.setdefault(segment, np.zeros(n_frames, dtype=bool))
            empty[max(first - beside + 1, 0) : last + beside] = True
    filtered = dict(markers.filtered)
    for segment, empty in of_segment.items():
        for label in labels[segment]:
            filtered[label] = np.where(empty[:, None], np.nan, filtered[label])
    fewer = replace(markers, filtered=filtered)
    posed = pose_segments(body.geometry.with_markers(filtered), fewer, body.sides, body.notes)
    emptied = {side: _any(empty for (of, _), empty in of_segment.items() if of in ("", side)) for side in body.sides}
    emptied = {side: empty for side, empty in emptied.items() if empty.any()}
    return Continuous(posed, fewer, emptied, tuple(_notes(jumps, of_segment, labels, markers)))


def _any(masks: Iterable[Mask]) -> Mask:
    return np.asarray(np.logical_or.reduce([*masks]))


def find_jumps(body: Body, markers: Markers, rate_hz: float) -> list[Jump]:
    """Where a joint turns faster than any person's, by its markers before the low-pass; parameters as `without_jumps`.

    A low-pass of 6 Hz makes a smooth movement of a step. Segments that a chain puts are taken as it puts them.
    """
    lag = max(math.ceil(APART_S * rate_hz - 1e-9), 1)
    joints = [*_joints(body)]
    turns: dict[tuple[str, str], list[Array]] = {(side, joint): [] for side, joint, _, _ in joints}
    fast: dict[tuple[str, str, int], tuple[tuple[Place, ...], Array]] = {}
    for start, geometry in _seen_parts(body, markers, lag):
        for side, joint, above, below in joints:
            R = geometry.axes(below)
            if above is not None:
                R = np.swapaxes(geometry.axes(above), -1, -2) @ R
            turned = by_blocks(lambda some: _turns(some, lag), R, lag)
            turns[side, joint].append(turned)
            for k in np.flatnonzero(norm(turned) > EXTREMES[joint].speed_deg_per_s * lag / rate_hz).tolist():
                ends, least = [k, k + lag], OWN_TURN * float(norm(turned[k]))
                segments = tuple(
                    segment
                    for segment in (above, below)
                    if segment is not None and norm(_turns(geometry.axes(segment)[ends], 1))[0] >= least
                )
                fast[side, joint, start + k] = segments, R[ends]
    if not fast:
        return []
    jumps = []
    for side, joint, _, _ in joints:
        turned = np.concatenate(turns[side, joint])
        for later in markers.passes[1:]:
            turned[max(later.start - lag, 0) : later.start] = np.nan
        for first, stop in spans(_too_fast(turned, lag, EXTREMES[joint].speed_deg_per_s * lag / rate_hz)):
            last = stop - 1
            # every turn over several frames that holds the step is too fast: the step lies where they overlap
            before, after = (last, first + lag) if last < first + lag else (first, last + lag)
            sizes = norm(turned[first:stop])
            at = int(np.argmax(sizes))
            jumps.append(Jump(side, joint, before, after, float(sizes[at]), *fast[side, joint, first + at]))
    return jumps


def _wrong_stretches(jumps: Sequence[Jump], n_frames: int) -> Iterator[tuple[int, int, tuple[Place, ...]]]:
    """First and last frame, and the segments, of each jump; of one that the next of its joint takes back of both.

    What lies between a jump and the way back, as where labels are exchanged meanwhile, is not the body either; that is
    the shorter part of the trial.
    """
    for _, group in groupby(jumps, lambda jump: (jump.side, jump.joint)):
        ahead = list(group)
        while ahead:
            jump = ahead.pop(0)
            if ahead and 2 * (ahead[0].before - jump.after) < n_frames:
                back = ahead[0]
                off = _turns(np.stack([jump.ends[0], back.ends[1]]), 1)
                if float(norm(off)[0]) < TAKEN_BACK * jump.turn_deg:
                    ahead.pop(0)
                    yield jump.before, back.after, tuple(dict.fromkeys((*jump.segments, *back.segments)))
                    continue
            yield jump.before, jump.after, jump.segments


def _too_fast(turned: Array, lag: int, most: float) -> Mask:
    """Which of a joint's turns, (n, 3) deg, no person makes; the fastest person turns it by `most` in that time.

    One of more than `MARGIN` times as much; and one of more than as much that differs by that from those before and
    after: nobody reaches and loses his greatest speed within two hundredths of a second.
    """
    sizes, change = norm(turned), norm(turned[lag:] - turned[:-lag])
    known = change[np.isfinite(change)]
    noise = min(TIMES_ROUGH * float(np.median(known)), MARGIN * most) if known.size else 0.0
    sudden = np.zeros(len(turned), dtype=bool)
    sudden[lag : len(turned) - lag] = np.minimum(change[:-lag], change[lag:]) > most + noise
    return np.asarray((sizes > MARGIN * most + noise) | (sudden & (sizes > most + noise)))


def _turns(R: Array, lag: int) -> Array:
    """(frames − lag, 3) rotation vectors, deg, from each frame to the one `lag` later."""
    return np.degrees(rotation_vectors(np.swapaxes(R[:-lag], -1, -2) @ R[lag:]))


def _joints(body: Body) -> Iterator[tuple[str, str, Place | None, Place]]:
    """Side, joint, the segments above and below it, of the joints that the table has."""
    model = body.model
    if model.base.segment in EXTREMES:
        yield "", model.base.segment, None, body.base
    for side in body.sides:
        for spec, k in zip(model.chain, model.proximal, strict=True):
            if spec.joint in EXTREMES:
                above = body.base if k is None else (side, model.chain[k].segment)
                yield side, spec.joint, above, (side, spec.segment)


def _seen_parts(body: Body, markers: Markers, lag: int) -> Iterator[tuple[int, Geometry]]:
    """The first frame of each part of the trial, and the geometry in it of markers without low-pass."""
    geometry = body.geometry
    if geometry.fitted is not None or markers.settings.cutoff_hz is None:
        yield 0, geometry
        return
    n_frames = geometry.n_frames
    for frames in blocks(n_frames) if is_long(n_frames) else [slice(0, n_frames)]:
        wide = slice(frames.start, frames.stop + lag)
        yield frames.start, geometry.with_markers({label: points[wide] for label, points in markers.seen.items()})


def labels_of_segments(body: Body, markers: Markers) -> Mapping[Place, tuple[str, ...]]:
    """The markers that each segment is made of."""
    model = body.model
    result: dict[Place, tuple[str, ...]] = {}
    for segment, points in points_of_segments(model, body.sides).items():
        labels = (label for side, name in points for label in marker_labels(model, name, side))
        result[segment] = tuple(dict.fromkeys(label for label in labels if label in markers.filtered))
    return result


# --- words ---------------------------------------------------------------------------------------------------


def _notes(
    jumps: Sequence[Jump], of_segment: Mapping[Place, Mask], labels: Mapping[Place, tuple[str, ...]], markers: Markers
) -> Iterator[Note]:
    """One for each leg, and one for the pelvis with what jumps as it does."""
    first, groups = markers.first_frame, dict[str, list[Jump]]()
    for jump in jumps:
        groups.setdefault(jump.side if any(side for side, _ in jump.segments) else "", []).append(jump)
    for side, of_side in groups.items():
        most: dict[str, float] = {}
        for jump in of_side:
            joint = " ".join(filter(None, (jump.side, jump.joint)))
            most[joint] = max(most.get(joint, 0.0), jump.turn_deg)
        pairs = [f"{a} and {b}" for a, b in sorted({(jump.before + first, jump.after + first) for jump in of_side})]
        of_leg = [label for (of, _), some in labels.items() if of in ("", side) or not side for label in some]
        steps = (jumping(markers, of_leg, jump.before, jump.after) for jump in of_side[:LOOKED_AT])
        segments = dict.fromkeys(segment for jump in of_side for segment in jump.segments)
        runs = [(a, b - 1) for a, b in spans(_any(of_segment[segment] for segment in segments))]
        yield note(
            "pose_jumps",
            side,
            pairs=pairs[:SHOWN],
            more=max(len(pairs) - SHOWN, 0),
            turns=[phrase("turn", joint=joint, deg=turn) for joint, turn in most.items()],
            frames=frame_words(runs, first),
            segments=[" ".join(filter(None, segment)) for segment in segments],
            **max(steps, key=lambda step: step["mm"]),
        )


def jumping(markers: Markers, labels: Sequence[str], before: int, after: int) -> dict[str, Any]:
    """Of markers the ``labels`` that step most between two frames, by how much (``mm``), and whether they are kept."""
    around = slice(max(before - 2, 0), after + 3)
    steps = {label: _step(markers.seen[label][around]) for label in labels}
    largest = max(steps.values(), default=0.0)
    named = dict.fromkeys(seen_as(label) for label, step in steps.items() if step >= NAMED * largest > 0)
    return {"labels": [*named], "mm": largest * 1e3, "keeps": markers.settings.doubtful_labels == "keep"}


def _step(points: Array) -> float:
    """By how much the largest step of a few frames differs from its neighbours, m."""
    excess = excess_of(np.diff(points, axis=0)) if len(points) > 2 else np.zeros(0)
    return float(np.nanmax(excess)) if np.isfinite(excess).any() else 0.0
