"""Segments as they are drawn, and which segment each marker belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gaitid.analysis.result import Result
from gaitid.body.poses import Key
from gaitid.model.specs import Model
from gaitid.numerics.rotation import apply_transposed
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Mask

# m. A segment between two joints whose length differs by more from its median has a joint or a marker elsewhere: those
# of the shared trials with markers stay within 53 mm (a jump down, stairs), most within 25.
OTHER_LENGTH = 0.06
_NO_JOINTS = {"origin", "middle", "toe", "end"}


@frozen_dataclass(eq=False)
class Bone:
    """One segment over a trial, laboratory axes, NaN where unknown.

    Attributes
    ----------
    key : (str, str)
        Side (empty for the base) and segment.
    ends : (str, str)
        Names of its proximal and distal end: a joint, or ``toe``, ``end``, ``origin``, ``middle``.
    proximal_g, distal_g : (frames, 3) arrays, m
        The ends between which it is drawn; of a foot the ankle and the toe, of the base its origin and the middle of
        the joints that hang from it.
    middle_g : (frames, 3) array, m
        Where its axes are drawn: its centre of mass, or the origin of a base without mass.
    R_gs : (frames, 3, 3) array
    axes_known : bool
        Whether the markers tell its axes; where the model assumes them they are not drawn.
    """

    key: Key
    ends: tuple[str, str]
    proximal_g: Array
    distal_g: Array
    middle_g: Array
    R_gs: Array
    axes_known: bool


def far_end(result: Result, side: str, i: int) -> Array:
    """(frames, 3) the far end of a segment of the chain, m: the model's point ``SEGMENT_end``, where it has one.

    Without one as far beyond the centre of mass as the joint lies before it.
    """
    spec, leg = result.model.chain[i], result.sides[side]
    name = f"{spec.segment}_end"
    if name in result.model.each_side.points:
        return result.body.geometry.point(name, side)
    return np.asarray(2 * leg.motions[spec.segment].com_g - leg.joints_g[spec.joint])


def bones_of(result: Result) -> list[Bone]:
    """The base, then each side's segments from the free end upward."""
    model = result.model
    base = result.base
    roots = [spec.joint for spec in model.chain if spec.on == model.base.segment]
    centres = [leg.joints_g[joint] for leg in result.sides.values() for joint in roots if joint in leg.joints_g]
    middle = np.mean(centres, axis=0) if centres else base.com_g
    bones = [
        Bone(
            ("", model.base.segment),
            ("origin", "middle"),
            base.com_g,
            middle,
            base.com_g,
            base.R_gs,
            not model.assumes_axes(model.base.segment),
        )
    ]
    for side, leg in result.sides.items():
        for i, spec in enumerate(model.chain):
            motion = leg.motions.get(spec.segment)
            if motion is None or not np.isfinite(motion.com_g).any():
                continue
            proximal = leg.joints_g[spec.joint]
            hanging = next((other.joint for other in model.chain if other.on == spec.segment), None)
            distal, end = far_end(result, side, i), "end"
            if hanging is not None:
                distal, end = leg.joints_g[hanging], hanging
            elif spec.ground and side in result.ground.feet:
                distal, end = result.ground.feet[side].toe_g, "toe"
            known = not model.assumes_axes(spec.joint)
            ends = (spec.joint, end)
            bones.append(Bone((side, spec.segment), ends, proximal, distal, motion.com_g, motion.R_gs, known))
    return bones


def other_length(bone: Bone) -> Mask:
    """(frames,) whether a segment between two joints is longer or shorter than it usually is, by `OTHER_LENGTH`."""
    length = np.linalg.norm(bone.distal_g - bone.proximal_g, axis=1)
    known = length[np.isfinite(length)]
    if not known.size or not _NO_JOINTS.isdisjoint(bone.ends):
        return np.zeros(len(length), dtype=bool)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(length - np.median(known)) > OTHER_LENGTH)


# m. A marker that lies farther than this from where it usually does on its segment is on another one, or on none: those
# of the shared trials stay within 69 mm (a heel on stairs, key points of a markerless system), most within 25.
OFF_PLACE = 0.08
#: Codes of notes about single markers.
MARKER_NOTES = frozenset(
    {"label_fault", "labels_exchanged", "marker_spike", "marker_moved", "labels_unused", "static_differs"}
)
#: Of notes about lengths of segments and distances of their markers.
SEGMENT_NOTES = frozenset({"static_differs", "length_varies", "length_jump", "calibration_doubtful"})


@frozen_dataclass(eq=False)
class Attached:
    """A marker on its segment.

    Attributes
    ----------
    bone : int
        Index of its segment's bone; -1 where it belongs to none.
    share : float
        Where its stick meets the bone: 0 at the proximal end, 1 at the distal one.
    off : (frames,) bool array
        Where it lies elsewhere on its segment than usual, by more than `OFF_PLACE`.
    """

    bone: int
    share: float
    off: Mask


def owners(model: Model) -> dict[str, Key]:
    """Side and segment of each label: the segment whose frame uses the marker most directly, as the model defines it.

    Of two that use it alike it is the proximal one: a wand on the thigh gives the knee's centre, which the shank's
    frame uses too. Heel and toe belong to the foot.
    """
    depths: dict[tuple[str, str], tuple[int, int, Key]] = {}
    segments: list[tuple[Key, str]] = [(("", model.base.segment), model.base.frame)]
    for side in model.sides:
        segments += [((side.name, body.segment), body.frame) for body in reversed(model.chain)]
    for order, (key, frame) in enumerate(segments):
        for role, depth in _markers_used(model, frame, key[0]).items():
            if role[0] in ("", key[0]) or not key[0]:
                depths[role] = min(depths.get(role, (99, 99, key)), (depth, order, key))
    result = {label: key for role, (_, _, key) in depths.items() for label in model.labels(role[1], role[0])}
    ground = next((body.segment for body in model.chain if body.ground), None)
    for side in model.sides if ground else ():
        for name in (model.heel, model.toe):
            if name in model.each_side.markers:
                result |= dict.fromkeys(model.labels(name, side.name), (side.name, ground or ""))
    return result


def _markers_used(model: Model, frame: str, side: str) -> dict[tuple[str, str], int]:
    """(side, role) of the markers that a frame follows from, and through how many definitions."""
    results: dict[tuple[str, str], int] = {}
    now, seen, depth = [("frame", *model.place("frame", frame, side))], set[tuple[str, str, str]](), 0
    while now:
        depth += 1
        following = []
        for kind, where, name in now:
            scope = model.scope(bool(where))
            if kind == "point" and (name in scope.markers):
                results.setdefault((where, name), depth)
                continue
            for used, other in model.uses(kind, name, bool(where)):
                node = (used, *model.place(used, other, where))
                if used != "number" and node not in seen:
                    seen.add(node)
                    following.append(node)
        now = following
    return results


def attach(
    result: Result, tracks: Mapping[str, Array], bones: Sequence[Bone], of_notes: Iterable[str]
) -> dict[str, Attached]:
    """Each marker of some tracks on its segment.

    Parameters
    ----------
    result : Result
    tracks : mapping of label to (frames, 3) array, m
        Laboratory axes.
    bones : sequence of Bone
    of_notes : iterable of str
        Labels that notes name: one that the model does not use is put on the segment with which it moves.
    """
    by_model = owners(result.model)
    index = {bone.key: i for i, bone in enumerate(bones)}
    named = set(of_notes)
    attached: dict[str, Attached] = {}
    for label, points in tracks.items():
        bone = index.get(by_model[label], -1) if label in by_model else -1
        if bone < 0 and label in named:
            bone = _moves_with(points, bones)
        if bone >= 0:
            attached[label] = _on(points, bones[bone], bone)
    return attached


def _on(points: Array, bone: Bone, index: int) -> Attached:
    way = bone.distal_g - bone.proximal_g
    with np.errstate(invalid="ignore", divide="ignore"):
        share = ((points - bone.proximal_g) * way).sum(axis=1) / (way * way).sum(axis=1)
    known = share[np.isfinite(share)]
    typical = float(np.clip(np.median(known), 0.0, 1.0)) if known.size else 0.0
    return Attached(index, typical, _off_place(points, bone))


def _off_place(points: Array, bone: Bone) -> Mask:
    local = apply_transposed(bone.R_gs, points - bone.middle_g)
    known = np.isfinite(local).all(axis=1)
    if not known.any():
        return np.zeros(len(points), dtype=bool)
    usual = np.median(local[known], axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.linalg.norm(local - usual, axis=1) > OFF_PLACE)


def _moves_with(points: Array, bones: Sequence[Bone]) -> int:
    """The bone on which a marker moves least; -1 where it was never seen with one."""
    spreads = []
    for bone in bones:
        local = apply_transposed(bone.R_gs, points - bone.middle_g)
        known = local[np.isfinite(local).all(axis=1)]
        spreads.append(float(np.median(np.abs(known - np.median(known, axis=0)).sum(axis=1))) if len(known) else np.inf)
    best = int(np.argmin(spreads)) if spreads else -1
    return best if best >= 0 and np.isfinite(spreads[best]) else -1


def segments_in_notes(result: Result, bones: Sequence[Bone]) -> dict[Key, str]:
    """Segments whose lengths or angles notes doubt, and what they say."""
    words: dict[Key, str] = {}
    for note in result.notes:
        for bone in bones if note.code in SEGMENT_NOTES else ():
            if " ".join(bone.key).strip().replace("_", " ") in note.text:
                words[bone.key] = f"{words[bone.key]}; {note.text}" if bone.key in words else note.text
    return words


def joints_in_notes(result: Result) -> dict[tuple[str, str], str]:
    """Joints, by side and name, whose widths or angles notes doubt, and what they say."""
    words: dict[tuple[str, str], str] = {}
    for side, leg in result.sides.items():
        for joint in leg.joints_g:
            # as in "right_knee_width_mm" and "left hip: internal rotation", not in "right ankle to right knee"
            pattern = re.compile(rf"\b{side}(?:_{joint}_|\s{joint}:)")
            texts = [note.text for note in result.notes if note.code in SEGMENT_NOTES and pattern.search(note.text)]
            if texts:
                words[side, joint] = "; ".join(texts)
    return words


def named_in_notes(result: Result) -> dict[str, str]:
    """Labels that notes about markers name, and what they say."""
    words: dict[str, str] = {}
    labels = {label: re.compile(rf"(?<![\w.*]){re.escape(label)}(?![\w*])") for label in result.trial.labels if label}
    for note in result.notes:
        if note.code in MARKER_NOTES:
            for label, pattern in labels.items():
                if pattern.search(note.text):
                    words[label] = f"{words[label]}; {note.text}" if label in words else note.text
    return words
