"""A result in joint space: the tree that its segments are, and τ = M q̈ + V + G + F − Jᵀ E term by term, per frame.

Each joint of the model is three turns one after the other, in the sequence of its angles, about axes of its segments,
and where its centre wanders in the segment that it hangs from, three slides before them. The base, where it moves, is a
free body. Rates and accelerations are those of the segments, taken apart along these axes, so that nothing is
differentiated twice (Craig JJ 2005, Introduction to Robotics, 3rd ed., sections 6.8 and 6.11; Featherstone R 2008,
Rigid Body Dynamics Algorithms, section 9.2, for a base that floats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from gaitid.analysis.result import BodyParameters, Result, SideResult
from gaitid.body.calibration import mean_rotation
from gaitid.body.kinematics import SegmentMotion
from gaitid.dynamics.chain import Wrench
from gaitid.dynamics.joint_space import Load, gravity_terms, jacobian, joint_loads, mass_matrix, motion, velocity_terms
from gaitid.dynamics.joint_tree import Body, JointTree
from gaitid.errors import TrialError
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import apply_transposed, cross
from gaitid.trial import Array

# m. A joint's centre that travels farther in the segment that it hangs from slides there; skin moves markers by less.
SLIDES_M = 0.05
# m and rad. A base that moves by less stands still.
_STILL_M, _STILL_RAD = 1e-3, 2e-3
# Sine of the angle by which the first and the third axis of a joint must be apart (gimbal lock).
_IN_LINE = 1e-4


@dataclass(frozen=True, eq=False)
class JointSpace:
    """Everything of the equation of motion in joint space; NaN in frames whose motion or load is not known.

    Attributes
    ----------
    coordinates : tuple of str
        ``{side}_{joint}_turn_x`` (rad) and ``…_slide_x`` (m), n in all.
    turns : tuple of bool
        Whether each is an angle.
    q, qd, qdd : (frames, n) arrays
    M : (frames, n, n) array
    V, G, loads, tau : (frames, n) arrays, N·m or N
        Centrifugal and Coriolis terms, gravity, −Jᵀ E of all measured loads, and what the joints exert: the sum of M q̈
        and these.
    ends : mapping of segment to (6, n) arrays over frames
        Jacobian of the centre of mass of each segment that nothing hangs from: rows v (laboratory axes), then ω.
    """

    coordinates: tuple[str, ...]
    turns: tuple[bool, ...]
    q: Array
    qd: Array
    qdd: Array
    M: Array
    V: Array
    G: Array
    loads: Array
    tau: Array
    ends: dict[str, Array]


@dataclass(frozen=True, eq=False)
class _Segment:
    """One segment on its way into the tree; `parent` is its index among the segments, −1 the laboratory."""

    name: str
    joint: str
    parent: int
    motion: SegmentMotion
    joint_g: Array
    body: BodyParameters | None
    sequence: str
    load: Wrench | None


class _Builder:
    """Links of the tree and the coordinates of each, gathered from the base outward."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self.links: list[Body] = []
        self.last: list[int] = []  # of each segment the link that has its mass
        self.names: list[str] = []
        self.columns: list[tuple[Array, Array, Array]] = []

    def add(self, name: str, kind: str, letter: str, values: Sequence[Array], parent: int, at: Array, R: Array) -> int:
        """A massless link that turns or slides along one axis."""
        axis = np.eye(3)["xyz".index(letter)]
        which = "revolute" if kind == "turn" else "prismatic"
        nothing = np.zeros((3, 3))
        self.links.append(Body(name, parent, which, axis, R, at, 0.0, np.zeros(3), nothing))  # type: ignore[arg-type]
        self.names.append(name)
        self.columns.append((values[0], values[1], values[2]))
        return len(self.links) - 1


def joint_space(result: Result) -> JointSpace:
    """The equation of motion of a result's segments in joint space.

    Parameters
    ----------
    result : Result

    Raises
    ------
    TrialError
        No side was recorded, or the masses are not known.
    """
    segments = _segments(result)
    builder = _Builder(result.trial.n_frames)
    for i in range(len(segments)):
        _add(builder, segments, i)
    tree = JointTree(tuple(builder.links))
    q, qd, qdd = (np.stack([column[k] for column in builder.columns], axis=1) for k in range(3))
    loads = []
    for segment, link in zip(segments, builder.last, strict=True):
        if segment.load is not None and link >= 0:
            loads.append(Load(link, segment.load.f_g, segment.load.m_g, segment.load.p_g))
    gravity_g = result.gravity_g
    M, V, G = mass_matrix(tree, q), velocity_terms(tree, q, qd), gravity_terms(tree, q, gravity_g)
    of_loads = joint_loads(tree, motion(tree, q), np.zeros(3), loads)[0] if loads else np.zeros_like(G)
    tau = np.einsum("fij,fj->fi", M, qdd) + V + G + of_loads
    ends = {}
    for i, segment in enumerate(segments):
        if builder.last[i] >= 0 and i not in {other.parent for other in segments} and segment.body is not None:
            ends[segment.name] = jacobian(tree, q, builder.last[i], segment.body.com_s)
    return JointSpace(
        tuple(builder.names), tuple(b.kind == "revolute" for b in tree.bodies), q, qd, qdd, M, V, G, of_loads, tau, ends
    )


def _segments(result: Result) -> list[_Segment]:
    """The base, where it moves or has a mass, then each side's segments from it outward."""
    model, base = result.model, result.base
    measured = [(side, leg) for side, leg in result.sides.items() if leg.chain is not None]
    if not measured:
        raise TrialError("no side was recorded, and there is no joint space")
    if not all(np.isfinite(body.mass_kg) for _, leg in measured for body in leg.bodies.values()):
        raise TrialError("the body's mass is not known, and there is no joint space", todo="give it with --subject")
    link = None if result.base_chain is None else result.base_chain.links[-1]
    origin_g = base.com_g if link is None else link.joint_g
    name, load = model.base.segment, None if link is None else link.load
    segments = [_Segment(name, name, -1, base, origin_g, result.base_body, "", load)]
    for side, leg in measured:
        segments += _of_side(result, side, leg, len(segments))
    return segments


def _of_side(result: Result, side: str, leg: SideResult, start: int) -> list[_Segment]:
    model = result.model
    order = list(range(len(model.chain)))[::-1]  # from the base outward
    places = {i: start + place for place, i in enumerate(order)}
    assert leg.chain is not None
    found = []
    for i in order:
        spec, above = model.chain[i], model.proximal[i]
        angle = model.angles.get(spec.joint)
        found.append(
            _Segment(
                f"{side}_{spec.segment}",
                f"{side}_{spec.joint}",
                0 if above is None else places[above],
                leg.motions[spec.segment],
                leg.joints_g[spec.joint],
                leg.bodies[spec.segment],
                angle.sequence if angle is not None and len(set(angle.sequence)) == 3 else "xyz",
                leg.chain.links[i].load,
            )
        )
    return found


def _add(builder: _Builder, segments: Sequence[_Segment], i: int) -> None:
    """The links of one segment: three slides where its joint slides, three turns, and its mass on the last."""
    segment = segments[i]
    frames = builder.frames
    m = segment.motion
    if segment.parent < 0:
        zero = np.zeros((frames, 3))
        above = (np.broadcast_to(np.eye(3), (frames, 3, 3)), zero, zero, zero, zero, zero)
        parent, R_start = -1, np.eye(3)
    else:
        p = segments[segment.parent]
        above = (p.motion.R_gs, p.motion.omega_g, p.motion.alpha_g, p.joint_g, *_of_point(p.motion, segment.joint_g))
        parent, R_start = builder.last[segment.parent], np.eye(3)
    R_p, omega_p, alpha_p, origin_p, v_p, a_p = above
    v, a = _of_point(m, segment.joint_g)
    if segment.parent >= 0 and builder.last[segment.parent] < 0:  # on a base that stands still
        base = segments[segment.parent]
        R_start, origin_p = mean_rotation(base.motion.R_gs), base.joint_g
    d = apply_transposed(R_p, segment.joint_g - origin_p)
    rate = apply_transposed(R_p, v - v_p)
    speeding = apply_transposed(R_p, a - a_p) - 2 * cross(apply_transposed(R_p, omega_p), rate)
    R_rel = np.swapaxes(R_p, -1, -2) @ m.R_gs
    known = known_rows(d) & np.isfinite(R_rel).all(axis=(-1, -2))
    if not known.any():
        raise TrialError(f"the {segment.name.replace('_', ' ')} is not known in any frame, and there is no joint space")
    middle = d[known].mean(axis=0)
    apart = float(np.abs(d[known] - middle).max())
    if segment.parent < 0 and apart < _STILL_M and _turns(R_rel[known]) < _STILL_RAD:
        builder.last.append(-1)  # a base that stands still is the laboratory
        return
    at = middle
    if segment.parent >= 0 and builder.last[segment.parent] < 0:
        base = segments[segment.parent]
        at = base.joint_g[known_rows(base.joint_g)].mean(axis=0) + R_start @ middle
    slides = segment.parent < 0 or apart > SLIDES_M
    sequence = segment.sequence or _widest(R_rel[known])
    turning = _turned(R_rel, R_p, m, omega_p, alpha_p, sequence)
    for kind, letters, of_each in (
        ("slide", "xyz" if slides else "", (d - middle, rate, speeding)),
        ("turn", sequence, turning),
    ):
        for k, letter in enumerate(letters):
            values = [of[:, k] for of in of_each]
            parent = builder.add(f"{segment.joint}_{kind}_{letter}", kind, letter, values, parent, at, R_start)
            at, R_start = np.zeros(3), np.eye(3)  # only the first lies elsewhere than the link before it
    if (body := segment.body) is not None:
        last = builder.links[-1]
        builder.links[-1] = replace(last, mass=body.mass_kg, com_b=body.com_s, inertia_b=body.inertia_s)
    builder.last.append(parent)


def _of_point(m: SegmentMotion, p_g: Array) -> tuple[Array, Array]:
    """Velocity and acceleration of the point of a segment that is at p, m/s and m/s²."""
    arm = p_g - m.com_g
    swept = cross(m.omega_g, arm)
    return m.vel_g + swept, m.acc_g + cross(m.alpha_g, arm) + cross(m.omega_g, swept)


def _turned(
    R_rel: Array, R_p: Array, m: SegmentMotion, omega_p: Array, alpha_p: Array, sequence: str
) -> tuple[Array, Array, Array]:
    """Cardan angles of a joint, continuous, with their rates and accelerations, (frames, 3) each.

    ω − ω_p = Σ e_i q̇_i and α − α_p = Σ e_i q̈_i + Σ ė_i q̇_i, where each axis e_i is carried by the turns before it.
    """
    i, j, k = ("xyz".index(letter) for letter in sequence)
    s = 1.0 if (j - i) % 3 == 1 else -1.0
    a = np.arctan2(-s * R_rel[:, j, k], R_rel[:, k, k])
    b = np.arcsin(np.clip(s * R_rel[:, i, k], -1.0, 1.0))
    c = np.arctan2(-s * R_rel[:, i, j], R_rel[:, i, i])
    first, third = R_p[:, :, i], m.R_gs[:, :, k]
    second = np.cos(a)[:, None] * R_p[:, :, j] + s * np.sin(a)[:, None] * R_p[:, :, k]
    E = np.stack([first, second, third], axis=-1)
    known = np.isfinite(E).all(axis=(-1, -2)) & (np.abs(np.cos(b)) > _IN_LINE)
    E = np.where(known[:, None, None], E, np.eye(3))
    rates = np.linalg.solve(E, (m.omega_g - omega_p)[..., None])[..., 0]
    carried, rest = omega_p, m.alpha_g - alpha_p
    for place in range(3):
        turning = E[..., place] * rates[:, place, None]
        rest = rest - cross(carried, turning)
        carried = carried + turning
    accelerations = np.linalg.solve(E, rest[..., None])[..., 0]
    angles = np.stack([a, b, c], axis=1)
    for column in angles.T:  # continuous over what is known
        seen = np.isfinite(column)
        column[seen] = np.unwrap(column[seen])
    blank = np.where(known, 1.0, np.nan)[:, None]
    blanked = [np.asarray(values * blank, dtype=np.float64) for values in (angles, rates, accelerations)]
    return blanked[0], blanked[1], blanked[2]


def _turns(R: Array) -> float:
    """The largest angle, rad, by which rotations differ from the first."""
    trace = np.einsum("fii->f", R @ R[0].T)
    return float(np.arccos(np.clip((trace - 1) / 2, -1.0, 1.0)).max())


def _widest(R: Array) -> str:
    """The sequence whose second angle stays farthest from ±90° for these rotations."""
    sequences = ["".join(letters) for letters in permutations("xyz")]
    return min(sequences, key=lambda s: float(np.abs(R[:, "xyz".index(s[0]), "xyz".index(s[2])]).max()))
