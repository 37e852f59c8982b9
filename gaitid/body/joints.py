"""A chain of segments with joints and markers: its coordinates, where they put each segment, and how they move it.

Below: what a calibration says of the places of points, segments and joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import isfinite
from typing import Any

import numpy as np

from gaitid.numerics.joint_path import JointPath, MarkerSums, frames_last, product, put, rows, zeros
from gaitid.numerics.masks import known_rows, nearest_known
from gaitid.numerics.rotation import AXES, about_axis, apply, cardan, cross
from gaitid.records import NamedTuple, frozen_dataclass
from gaitid.trial import Array, IntArray, Mask

_Three = tuple[float, float, float]


@frozen_dataclass(eq=False)
class Joint:
    """How a segment hangs from another: D = R_proximalᵀ R_distal = R_i(a) R_j(b) R_k(c), centres shifted apart by t.

    Attributes
    ----------
    name : str
    proximal : int
        Index of the segment that it hangs from.
    centre_p, centre_d : (3,) or (frames, 3) arrays, m
        The joint's centre in the axes of the proximal and of the distal segment.
    turns : three bools
        Which of a, b, c are free; the others keep their `neutral`.
    slides : bool
        Whether the centres may part: three shifts along the proximal axes.
    sequence : str
        The axes i, j, k.
    neutral : three floats or (frames, 3) array, rad
    low, high : three floats, rad
    pull_m_per_rad : three floats
        A coordinate that is 1 rad from its neutral counts as a marker that is so many metres off.
    path : JointPath or None
        Instead of the sequence how it moves by a, b and c, from the origin of the proximal segment to that of the
        distal one; the shift t is how far these lie apart.
    """

    name: str
    proximal: int
    centre_p: Array
    centre_d: Array
    turns: tuple[bool, bool, bool] = (True, True, True)
    slides: bool = False
    sequence: str = "yxz"
    neutral: _Three | Array = (0.0, 0.0, 0.0)
    low: _Three = (-np.inf, -np.inf, -np.inf)
    high: _Three = (np.inf, np.inf, np.inf)
    pull_m_per_rad: _Three = (0.0, 0.0, 0.0)
    path: JointPath | None = None

    @property
    def by_vector(self) -> bool:
        """Whether it turns freely: then it is turned about its own axes, and no posture is singular."""
        bounded = any(map(isfinite, self.low + self.high))
        return all(self.turns) and self.path is None and not bounded and not any(self.pull_m_per_rad)

    @property
    def free(self) -> list[int]:
        """Which of a, b, c and the three shifts are free."""
        return [i for i in range(3) if self.turns[i]] + ([3, 4, 5] if self.slides else [])


@frozen_dataclass(eq=False)
class Segment:
    """A segment of a chain with its markers.

    Attributes
    ----------
    name : str
    places : (n, 3) or (frames, n, 3) array, m
        Of its markers, segment axes; n may be 0.
    weights : (n,) array
    joint : Joint or None
        None for the base, which is the first of a chain and moves freely.
    axis_g : (3,) array or None
        Of a base that turns about one axis of the laboratory only: that.
    """

    name: str
    places: Array
    weights: Array
    joint: Joint | None = None
    axis_g: Array | None = None


class JointPlace(NamedTuple):
    """Where a joint lies on the two segments that it joins, and how they stand to each other.

    Attributes
    ----------
    proximal_m, distal_m : (3,) arrays, m
        Its centre in the axes of each.
    angles_rad : (3,) array
        Of the joint's sequence.
    """

    proximal_m: Array
    distal_m: Array
    angles_rad: Array


def during(chain: Sequence[Segment], frames: IntArray) -> Sequence[Segment]:
    """The same chain in some frames: of draws each has its places and centres."""
    if all(np.ndim(of) < most for segment in chain for of, most in _of_frames(segment)):
        return chain

    def some(values: Any, most: int) -> Any:
        return rows(values, frames) if np.ndim(values) == most else values

    made = []
    for segment in chain:
        places, *of_joint = (some(*of) for of in _of_frames(segment))
        joint = segment.joint
        if joint is not None:
            joint = replace(joint, **dict(zip(("centre_p", "centre_d", "neutral"), of_joint, strict=True)))
        made.append(replace(segment, places=places, joint=joint))
    return made


def _of_frames(segment: Segment) -> list[tuple[Any, int]]:
    """What may differ from frame to frame, and how many axes it has then."""
    joint = segment.joint
    of_joint = [] if joint is None else [(of, 2) for of in (joint.centre_p, joint.centre_d, joint.neutral)]
    return [(segment.places, 3), *of_joint]


def joint_of(segment: Segment) -> Joint:
    assert segment.joint is not None, f"{segment.name} hangs from nothing"
    return segment.joint


def base_names(segment: Segment) -> list[str]:
    turns, shifts = ([f"{segment.name}_{what}_{axis}" for axis in AXES] for what in ("turn", "shift"))
    return turns + shifts


def names_of(joint: Joint) -> list[str]:
    return [f"{joint.name}_{('a', 'b', 'c', 'x', 'y', 'z')[i]}" for i in joint.free]


class State(NamedTuple):
    """Coordinates of a chain: pose of the base; a, b, c (or instead of them D) and shift of each joint."""

    R: Array
    origin: Array
    q: list[Array]
    D: list[Array]
    t: list[Array]

    def only(self, frames: IntArray) -> State:
        parts = ([rows(a, frames) for a in part] for part in self[2:])
        return State(rows(self.R, frames), rows(self.origin, frames), *parts)

    def put(self, frames: IntArray, other: State) -> None:
        put(self.R, frames, other.R)
        put(self.origin, frames, other.origin)
        for mine, others in zip(self[2:], other[2:], strict=True):
            for array, values in zip(mine, others, strict=True):
                put(array, frames, values)

    def where(self, better: Mask, other: State) -> State:
        """This one in some frames, else the other."""

        def either(mine: Array, theirs: Array) -> Array:
            return np.where(better.reshape(-1, *[1] * (mine.ndim - 1)), mine, theirs)

        parts = ([either(a, b) for a, b in zip(*pair, strict=True)] for pair in zip(self[2:], other[2:], strict=True))
        return State(either(self.R, other.R), either(self.origin, other.origin), *parts)


def started(chain: Sequence[Segment], sums: Sequence[MarkerSums], start: Sequence[Array]) -> State:
    R = _filled(np.array(start[0]), np.eye(3))
    q, D, t = [], [], []
    for segment, rotation in zip(chain[1:], start[1:], strict=True):
        joint = joint_of(segment)
        relative = np.swapaxes(start[joint.proximal], 1, 2) @ rotation
        relative = _filled(relative, posture_of(joint, np.atleast_2d(joint.neutral))[0])
        angles = np.stack(cardan(relative, joint.sequence), axis=-1)
        if joint.path is not None:
            angles = joint.path.nearest(relative)
        angles = np.where(joint.turns, np.clip(angles, joint.low, joint.high), joint.neutral)
        q.append(angles)
        turned, shifted = posture_of(joint, angles)
        D.append(relative if joint.by_vector else turned)
        t.append(shifted)
    state = State(frames_last(R), zeros(len(R), 3), *([frames_last(a) for a in part] for part in (q, D, t)))
    rotations, origins = forward(chain, state)
    off = sum(s.weight[:, None] * (s.centre_g - o - apply(r, s.centre_s)) for s, r, o in zip(sums, rotations, origins))
    total = sum(s.weight for s in sums)
    return state._replace(origin=np.asarray(off / np.where(total > 0, total, 1.0)[:, None]))


def _filled(R: Array, otherwise: Array) -> Array:
    """Rotations, in unknown frames that of the nearest known one."""
    if not known_rows(R).any():
        return np.broadcast_to(otherwise, R.shape).copy()
    return nearest_known(R)


def posture_of(joint: Joint, q: Array) -> tuple[Array, Array]:
    """The rotation D, (frames, 3, 3), and the shift t, (frames, 3), m, at some angles; without a path no shift."""
    if joint.path is not None:
        posture = joint.path.at(q)
        return posture.R, posture.p
    return turned_by(joint, q), np.zeros_like(q)


def turned_by(joint: Joint, q: Array) -> Array:
    first, second, third = (about_axis(axis, q[:, i]) for i, axis in enumerate(joint.sequence))
    return np.asarray(first @ second @ third)


def forward(chain: Sequence[Segment], state: State) -> tuple[list[Array], list[Array]]:
    """Rotations and origins of all segments."""
    R, origin = [state.R], [state.origin]
    for segment, D, t in zip(chain[1:], state.D, state.t, strict=True):
        joint = joint_of(segment)
        above = R[joint.proximal]
        rotation = product(above, D)
        R.append(rotation)
        centre = origin[joint.proximal] + apply(above, joint.centre_p + t)
        origin.append(
            centre - (rotation @ joint.centre_d if joint.centre_d.ndim == 1 else apply(rotation, joint.centre_d))
        )
    return R, origin


def screws(joint: Joint, q: Array, centre: Array, above: Array, below: Array) -> Array:
    """(frames, 6, free) how a unit of each free coordinate turns what hangs from the joint, and shifts it at 0."""
    turns = [i for i in joint.free if i < 3]
    S = zeros(len(q), 6, len(joint.free))
    if joint.path is not None:
        posture = joint.path.at(q)
        twists = posture.twists[..., : joint.path.count]
        S[:, :3] = above @ twists[:, :3]
        proximal = (centre - apply(above, posture.p))[..., None]  # the origin that the twists are about
        S[:, 3:] = above @ twists[:, 3:] + np.cross(proximal, S[:, :3], axis=1)
        return S
    for column, i in enumerate(turns):
        S[:, :3, column] = below[..., i] if joint.by_vector else _axis(joint.sequence, i, q, above, below)
        S[:, 3:, column] = cross(centre, S[:, :3, column])
    if joint.slides:
        S[:, 3:, len(turns) :] = above
    return S


def _axis(sequence: str, i: int, q: Array, above: Array, below: Array) -> Array:
    """(frames, 3) the axis about which the angle `i` of a, b, c turns."""
    if i == 0:
        return above[..., AXES.index(sequence[0])]
    if i == 2:
        return below[..., AXES.index(sequence[2])]
    turned = about_axis(sequence[0], q[:, 0])[..., AXES.index(sequence[1])]
    return apply(above, turned)


#: A definition's side (empty for the middle of the body) and its name.
Place = tuple[str, str]
#: Two points of one segment.
Pair = tuple[Place, Place]
#: Source of a calibration that the trial's own parameters are.
STORED_IN_TRIAL = "stored in the trial"


@frozen_dataclass(eq=False)
class Pose:
    """A frame over a trial.

    Attributes
    ----------
    R_gs : (frames, 3, 3) array
        Columns are the frame's axes in laboratory axes.
    origin_g : (frames, 3) array, m
    """

    R_gs: Array
    origin_g: Array


@frozen_dataclass(eq=False)
class Calibration:
    """What was measured in a static trial; lengths in m, in the axes of the frame that carries them.

    Of several draws (`of_draws`) places and poses have a leading axis of these.

    Attributes
    ----------
    templates : mapping of Place to mapping of str to (3,) array
        For each rigid frame the mean places of its points in it.
    points : mapping of Place to (3,) array
        For each carried point its mean place in the frame that carries it.
    frames : mapping of Place to Pose
        For each carried frame its mean pose in the frame that carries it, one frame long.
    spread_m : mapping of Place to mapping of str to float
        How much a point moved in its frame during the static: root mean square.
    source : str
    lengths_m : mapping of Place to (float, float)
        For each side and segment with a joint at both ends the mean distance between their centres in the static, m,
        and its standard deviation.
    distances_m : mapping of Place to mapping of (Place, Place) to (float, float)
        Of a model without rigid frames: for each side and segment the distances between the points that move with it,
        m, between which nine tenths of the static lie.
    tracking : mapping of Place to mapping of str to (3,) array
        Of a model that is fitted as a chain: for each side and segment the mean places of its markers on it.
    joints : mapping of Place to JointPlace
        Likewise, for each side and joint; under the base its origin.
    chain_source : str
        Where those two are from, where not from `source`.
    stored : mapping of label to (frames, 3) array, m
        The points of the trial as it stores them, where they are taken: its own parameters are the calibration, or the
        model takes them always.
    """

    templates: Mapping[Place, Mapping[str, Array]] = field(default_factory=dict)
    points: Mapping[Place, Array] = field(default_factory=dict)
    frames: Mapping[Place, Pose] = field(default_factory=dict)
    spread_m: Mapping[Place, Mapping[str, float]] = field(default_factory=dict)
    source: str = ""
    lengths_m: Mapping[Place, tuple[float, float]] = field(default_factory=dict)
    distances_m: Mapping[Place, Mapping[Pair, tuple[float, float]]] = field(default_factory=dict)
    tracking: Mapping[Place, Mapping[str, Array]] = field(default_factory=dict)
    joints: Mapping[Place, JointPlace] = field(default_factory=dict)
    chain_source: str = ""
    stored: Mapping[str, Array] = field(default_factory=dict)

    @property
    def places(self) -> frozenset[Place]:
        """Everything that it holds."""
        return frozenset([*self.templates, *self.points, *self.frames, *self.joints])

    def with_chain(
        self,
        tracking: Mapping[Place, Mapping[str, Array]],
        joints: Mapping[Place, JointPlace],
        spread_m: Mapping[Place, Mapping[str, float]],
        source: str,
    ) -> Calibration:
        """The same with the places of markers and joints on the segments of a chain."""
        return replace(self, tracking=tracking, joints=joints, spread_m=spread_m, chain_source=source)


def of_draws(calibrations: Sequence[Calibration]) -> Calibration:
    """What one calibration of each draw says of places; the rest is that of the first."""
    first = calibrations[0]
    if all(of is first for of in calibrations):
        return first
    kinds: dict[str, Any] = {}
    for kind in ("templates", "tracking", "points", "frames", "joints"):
        each = [getattr(of, kind) for of in calibrations]
        kinds[kind] = {place: _of_each([of[place] for of in each]) for place in each[0]}
    return replace(first, **kinds)


def _of_each(values: Sequence[Any]) -> Any:
    """Arrays with a leading axis of draws, in the record or mapping in which these stand."""
    first = values[0]
    if isinstance(first, Mapping):
        return {name: _of_each([of[name] for of in values]) for name in first}
    if isinstance(first, Pose):
        return Pose(*(np.concatenate([getattr(of, name) for of in values]) for name in ("R_gs", "origin_g")))
    return type(first)(*map(_of_each, zip(*values, strict=True))) if isinstance(first, tuple) else np.stack(values)
