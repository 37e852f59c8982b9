"""What is wrong with the section `pose` of a model whose other parts hold together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gaitid.model import specs
from gaitid.model.expression import Expression
from gaitid.model.fields import nearest
from gaitid.model.pose import Multibody
from gaitid.model.shapes import CarriedFrame, RigidFrame, TurnedFrame

#: An angle that may be free, limited, held or pulled: which of a, b, c it is, times what, plus how many degrees.
Letter = tuple[int, float, float]


def pose_faults(model: specs.Model, pose: Multibody) -> Iterator[str]:
    """Segments without markers, joints and angles that there are none of, and frames that no segment carries."""
    frames = {model.base.segment: model.base.frame} | {body.segment: body.frame for body in model.chain}
    yield from _tracking_faults(model, pose, frames)
    joints = [body.joint for body in model.chain]
    for name, joint in pose.joints.items():
        if name not in joints:
            yield f"pose.joints.{name}: no joint {name!r} in the chain{nearest(name, joints)}"
        elif name in model.angles:
            known = joint_letters(model, name, 1.0)
            for angle in joint.named:
                if angle not in known:
                    expected = f"one of {', '.join(known)}"
                    yield f"pose.joints.{name}: {angle!r} is no angle of this joint, expected {expected}"
    for name in joints:
        angle_of = model.angles.get(name)
        for frame in () if angle_of is None else (angle_of.proximal, angle_of.distal):
            if frame != "progression" and not _carried(model, frame, set(frames.values())):
                yield (
                    f"angles.{name}: {frame!r} is neither a frame of a segment nor turned or carried by one: it would "
                    "not move as pose.by: multibody puts the segments"
                )


def _tracking_faults(model: specs.Model, pose: Multibody, frames: Mapping[str, str]) -> Iterator[str]:
    optional = {body.segment for body in model.chain if body.optional}
    for key, named in (("tracking", pose.tracking), ("segment_weights", pose.segment_weights)):
        for segment in named.keys() - frames.keys():
            yield f"pose.{key}.{segment}: no such segment{nearest(segment, list(frames))}"
    for segment, frame in frames.items():
        scope = model.middle if segment == model.base.segment else model.each_side
        if segment not in {*pose.tracking, *optional} and not isinstance(scope.frames.get(frame), RigidFrame):
            yield f"pose.tracking.{segment}: missing (the markers that move with it)"
    markers = [name for of_segment in pose.tracking.values() for name in of_segment]
    for name in sorted({name for name in markers if markers.count(name) > 1}):
        yield f"pose.tracking: the marker {name!r} moves with two segments"


def joint_letters(model: specs.Model, joint: str, sign: float) -> dict[str, Letter]:
    """The angles of a joint by all their names: a, b, c, and its columns that are one of these and a constant.

    No columns where they are told between other frames than those of the two segments.
    """
    letters = {letter: (i, 1.0, 0.0) for i, letter in enumerate("abc")}
    angle, body = model.angles[joint], next(body for body in model.chain if body.joint == joint)
    above = next((other.frame for other in model.chain if other.segment == body.on), model.base.frame)
    if (angle.proximal, angle.distal) != (above, body.frame):
        return letters
    for name, formula in angle.columns.items():

        def value(at: tuple[float, float, float], formula: Expression = formula) -> float:
            names = {"a": at[0], "b": at[1], "c": at[2], "sign": sign}
            return float(formula.evaluate(names.__getitem__, _no_points))

        constant = value((0.0, 0.0, 0.0))
        slopes = [value(at) - constant for at in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
        steep = [i for i in range(3) if slopes[i]]
        if len(steep) == 1 and abs(slopes[steep[0]]) == 1.0:
            letters[name] = (steep[0], slopes[steep[0]], constant)
    return letters


def _no_points(a: str, b: str) -> object:
    raise KeyError(f"{a}, {b}: distances are not known here")


def _carried(model: specs.Model, frame: str, segments: set[str]) -> bool:
    """Whether a frame moves with a segment's."""
    if frame in segments:
        return True
    definition = model.each_side.frames.get(frame) or model.middle.frames.get(frame)
    if isinstance(definition, TurnedFrame):
        return _carried(model, definition.frame, segments)
    return isinstance(definition, CarriedFrame) and _carried(model, definition.by, segments)
