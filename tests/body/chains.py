"""A pelvis with two legs as a chain of segments with markers, and poses that it can take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rotations import from_vector

from gaitid.body.joints import Joint, Segment, State, forward, joint_of, turned_by
from gaitid.trial import Array

# m, in the axes of each segment: x forward, y to the left, z up; of the left side, mirrored on the right.
_MARKERS = {
    "pelvis": [[0.0, 0.12, 0.0], [0.0, -0.12, 0.0], [-0.15, 0.04, 0.02], [-0.15, -0.04, 0.02]],
    "hip": [[0.06, 0.05, 0.25], [0.03, 0.08, 0.18], [0.07, -0.02, 0.12], [0.0, 0.055, 0.0]],
    "knee": [[0.05, 0.01, 0.32], [0.01, 0.06, 0.25], [0.04, -0.03, 0.18], [-0.02, 0.05, 0.38]],
    "ankle": [[-0.06, 0.0, -0.05], [0.12, 0.04, -0.05], [0.13, -0.04, -0.04]],
}
_PROXIMAL = {"hip": [0.0, 0.09, -0.08], "knee": [0.0, 0.0, 0.0], "ankle": [0.0, 0.0, 0.0]}
_DISTAL = {"hip": [0.0, 0.0, 0.41], "knee": [0.0, 0.0, 0.42], "ankle": [0.0, 0.0, 0.0]}


def legs(joints: Mapping[str, Mapping[str, object]] | None = None) -> list[Segment]:
    """Pelvis, and of each side thigh, shank and foot; `joints` changes hips, knees and ankles from ball joints."""
    chain = [Segment("pelvis", np.array(_MARKERS["pelvis"]), np.ones(4))]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        mirror, above = np.array([1.0, sign, 1.0]), 0
        for name, proximal in _PROXIMAL.items():
            joint = Joint(f"{side}_{name}", above, np.array(proximal) * mirror, np.array(_DISTAL[name]))
            joint = replace(joint, **(joints or {}).get(name, {}))  # type: ignore[arg-type]
            markers = np.array(_MARKERS[name]) * mirror
            chain.append(Segment(f"{side}_{name}", markers, np.ones(len(markers)), joint))
            above = len(chain) - 1
    return chain


@dataclass(frozen=True, eq=False)
class Posed:
    """A chain in some frames: its coordinates, its segments, and where its markers are."""

    state: State
    R: list[Array]
    origin: list[Array]
    markers: list[Array]


def posed(chain: Sequence[Segment], state: State) -> Posed:
    R, origin = forward(chain, state)
    return Posed(state, R, origin, [markers(s, r, o) for s, r, o in zip(chain, R, origin, strict=True)])


def markers(segment: Segment, R: Array, origin: Array) -> Array:
    """(frames, n, 3)"""
    return np.asarray(origin[:, None] + np.einsum("fij,nj->fni", R, segment.places))


def walking(chain: Sequence[Segment], n_frames: int = 40) -> Posed:
    """A motion within all limits of the joints, through a room whose origin is metres away."""
    t = np.linspace(0.0, 2.0, n_frames)
    turn = np.stack([0.1 * np.sin(6 * t), 0.2 * np.cos(5 * t), 0.5 * t - 2], axis=1)
    origin = np.stack([1.3 * t + 5, 0.02 * np.sin(6 * t) - 3, 1 + 0.03 * np.sin(12 * t)], axis=1)
    state = State(from_vector(turn), origin, [], [], [])
    for i, segment in enumerate(chain[1:]):
        joint = joint_of(segment)
        angles = np.stack([0.6 * np.sin(6 * t + i), 0.15 * np.sin(5 * t + 2 * i), 0.2 * np.cos(6 * t + i)], axis=1)
        angles = np.where(joint.turns, np.clip(angles, joint.low, joint.high), joint.neutral)
        state.q.append(angles)
        state.D.append(turned_by(joint, angles))
        state.t.append(np.full_like(angles, 0.01 * np.sin(3 * t)[:, None]) if joint.slides else np.zeros_like(angles))
    return posed(chain, state)


def astray(R: Sequence[Array], rad: float, seed: int = 0) -> list[Array]:
    """Rotations that are off by some random turn."""
    rng = np.random.default_rng(seed)
    return [r @ from_vector(rng.normal(0.0, rad, r.shape[:2])) for r in R]
