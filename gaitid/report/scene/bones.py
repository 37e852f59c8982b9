"""Segments as they are drawn: from joint to joint, with their axes and their centre of mass."""

from __future__ import annotations

import numpy as np

from gaitid.analysis.result import Result
from gaitid.body.poses import Key
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
    q_gs : (frames, 4) array
        The same as a quaternion.
    axes_known : bool
        Whether the markers tell its axes; where the model assumes them they are not drawn.
    """

    key: Key
    ends: tuple[str, str]
    proximal_g: Array
    distal_g: Array
    middle_g: Array
    R_gs: Array
    q_gs: Array
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
            base.q_gs,
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
            bones.append(
                Bone((side, spec.segment), ends, proximal, distal, motion.com_g, motion.R_gs, motion.q_gs, known)
            )
    return bones


def other_length(bone: Bone) -> Mask:
    """(frames,) whether a segment between two joints is longer or shorter than it usually is, by `OTHER_LENGTH`."""
    length = np.linalg.norm(bone.distal_g - bone.proximal_g, axis=1)
    known = length[np.isfinite(length)]
    if not known.size or not _NO_JOINTS.isdisjoint(bone.ends):
        return np.zeros(len(length), dtype=bool)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(length - np.median(known)) > OTHER_LENGTH)
