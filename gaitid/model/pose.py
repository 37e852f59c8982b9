"""How segments are put where they are, where that is not their frames alone: the section `pose` of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gaitid.model.fields import Fields, whole
from gaitid.model.shapes import PointName
from gaitid.records import NamedTuple

#: Free angles of each type of joint, where the model names none: a, b, c of its sequence.
JOINT_TYPES = {"ball": ("a", "b", "c"), "hinge": ("a",), "universal": ("a", "b"), "free": ("a", "b", "c")}
# deg and mm/deg.
_TURN, _MOST_PULL = 360.0, 1000.0


class JointSpec(NamedTuple):
    """A joint of the chain that is fitted. Its angles are a, b, c, or the joint's columns in `angles`.

    Attributes
    ----------
    type : str
        One of `JOINT_TYPES`; ``free`` lets the centres part too.
    free : tuple of str
        The angles that may change; empty: those of the type.
    limits_deg : mapping of str to (float, float)
    held_at_deg : mapping of str to float
        Angles that do not change; those not named keep their value in the static.
    pull_mm_per_deg : mapping of str to float
        An angle that is 1° from its value in the static counts as a marker that is so many millimetres off.
    """

    type: str = "ball"
    free: tuple[str, ...] = ()
    limits_deg: Mapping[str, tuple[float, float]] = {}
    held_at_deg: Mapping[str, float] = {}
    pull_mm_per_deg: Mapping[str, float] = {}

    @property
    def named(self) -> tuple[str, ...]:
        """Every angle that it names."""
        return (*self.free, *self.limits_deg, *self.held_at_deg, *self.pull_mm_per_deg)


class Multibody(NamedTuple):
    """Segments as a chain with joints, fitted to all markers at once (`gaitid.body.multibody`).

    Attributes
    ----------
    tracking : mapping of str to mapping of PointName to float
        For each segment the markers that move with it, and their weights.
    segment_weights : mapping of str to float
        What the weights of a segment's markers are multiplied by, where not by 1.
    joints : mapping of str to JointSpec
        Those that are no ball joints.
    by_static : bool
        Whether markers, joints and masses are those of an OpenSim model, which is the static.
    scaled : ScaledModel or None
        Of a model that is bound to a trial: that.
    """

    tracking: Mapping[str, Mapping[PointName, float]]
    segment_weights: Mapping[str, float]
    joints: Mapping[str, JointSpec]
    by_static: bool = False
    scaled: Any = None


def parse_pose(fields: Fields) -> Multibody | None:
    """The section `pose`; None where the frames say where the segments are."""
    by = fields.text("by", among=("frames", "multibody", "opensim"))
    if by != "multibody":
        fields.asked |= {"tracking", "segment_weights", "joints"}  # of a model that this one extends
        fields.done()
        return Multibody({}, {}, {}, True) if by == "opensim" else None
    markers = fields.mapping("tracking", {}).each(_weights)
    weights = _numbers(fields.mapping("segment_weights", {}), 1e-6, 1e6)
    joints = fields.mapping("joints", {}).each(_joint)
    fields.done()
    return Multibody(markers, weights, joints)


def _weights(fields: Fields, segment: str) -> Mapping[PointName, float]:
    """A list of markers, or markers with their weights."""
    value = fields.raw(segment)
    if isinstance(value, Mapping):
        return {PointName(name): weight for name, weight in _numbers(fields.mapping(segment), 0.0, 1e6).items()}
    names = [] if value == [] else fields.items(segment)  # one without markers of its own may be meant
    for name in names:
        if not isinstance(name, str) or names.count(name) > 1:
            fields.faults.add(f"{fields.at(segment)}: expected markers, each once, found {name!r}")
    return {PointName(name): 1.0 for name in names if isinstance(name, str)}


@whole
def _joint(fields: Fields) -> JointSpec:
    kind = fields.text("type", "ball", tuple(JOINT_TYPES))
    free = tuple(str(name) for name in fields.items("free")) if fields.has("free") else ()
    wanted = len(JOINT_TYPES.get(kind, ()))
    if free and len(free) != wanted:
        fields.faults.add(f"{fields.at('free')}: a {kind} joint has {wanted} free angles, found {len(free)}")
    limits = fields.mapping("limits_deg", {}).each(_limits)
    held = _numbers(fields.mapping("held_at_deg", {}), -_TURN, _TURN)
    return JointSpec(kind, free, limits, held, _numbers(fields.mapping("pull_mm_per_deg", {}), 0.0, _MOST_PULL))


def _limits(fields: Fields, name: str) -> tuple[float, float]:
    value: Any = fields.raw(name)
    pair = isinstance(value, list) and len(value) == 2 and all(type(v) in (int, float) for v in value)
    if not pair or not -_TURN <= value[0] < value[1] <= _TURN:
        fields.faults.add(f"{fields.at(name)}: expected [low, high], degrees, found {value!r}")
        return -_TURN, _TURN
    return float(value[0]), float(value[1])


def _numbers(fields: Fields, low: float, high: float) -> dict[str, float]:
    return {name: fields.number(name, low=low, high=high) for name in fields.values}
