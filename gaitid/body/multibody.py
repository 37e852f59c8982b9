"""Markers of all segments -> the pose of a chain of segments with joints that fits them best, in each frame.

Multibody optimisation (Lu & O'Connor 1999, J Biomech 32:129-134): minimise over the coordinates q of the joints

    Σ_segments Σ_markers w |p − (o(q) + R(q) x)|²  +  Σ_coordinates k (q − q₀)²,   low ≤ q ≤ high

with p a measured marker, x its place on the segment, k a pull (0 unless asked for). All frames are solved at once.

The Gauss–Newton step is one of rigid-body dynamics: markers act as point masses w, and what they are off as forces, so
that JᵀWJ is the mass matrix of the chain. The articulated-body recursion (Featherstone R (2008) Rigid Body Dynamics
Algorithms, ch. 7) solves it from the free ends to the base and back, without forming it. Jacobians are those of screws,
exact; steps that do not help are damped (Levenberg 1944, Marquardt 1963); a coordinate at its limit that is pushed
outward is blocked there (projected Newton; Bertsekas 1982, SIAM J Control Optim 20:221-246).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from gaitid.body.articulated import (
    FLOOR,
    JointTerms,
    Link,
    bend_of,
    curvature_of,
    determined_by,
    eliminate,
    force_of,
    inertia_of,
    of_both,
    transposed,
)
from gaitid.body.joints import (
    Joint,
    Segment,
    State,
    base_names,
    during,
    forward,
    joint_of,
    names_of,
    posture_of,
    screws,
    started,
)
from gaitid.model.shapes import PointName
from gaitid.numerics.joint_path import (
    MarkerSums,
    diagonal,
    frames_last,
    inverse_6,
    marker_sums,
    product,
    rotations,
    transposed_product,
    zeros,
)
from gaitid.numerics.rotation import apply, cardan
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

# m. A step that moves the markers by less (root mean square) is the last: a hundredth of what cameras resolve at best
# would be 1e-6.
CONVERGED_M = 1e-10
# m. A step of Newton's that moves the markers by e (root mean square) leaves K e², K up to 1.2e4 /m where they hardly
# tell a coordinate and 30 to 80 /m where they do (cgm22 and cgm24 on real walks): of this one less than `CONVERGED_M`.
NEWTON_CONVERGED_M = 8e-8
MOST_STEPS = 100
FRAMES_AT_ONCE = 1000
# m. After a step that moves the markers by less (root mean square) the next is Newton's.
NEAR_M = 0.003
_DAMPED, _GIVE_UP = 1e-4, 1e10

#: Rotations and origins of all segments.
Poses: TypeAlias = tuple[Sequence[Array], Sequence[Array]]


class ChainFit(NamedTuple):
    """A chain over a trial; NaN in frames in which no marker of the base or of what hangs from it was seen.

    Attributes
    ----------
    R : tuple of (frames, 3, 3) arrays
    origin : tuple of (frames, 3) arrays, m
    angles : tuple of (frames, 3) arrays, rad
        Of each segment but the base: a, b, c of its joint.
    shifts : tuple of (frames, 3) arrays, m
    names : tuple of str
        Of all coordinates: six of the base, then those of each joint that are free, as ``left_knee_a``.
    determined : (frames, coordinates) bool array
        Whether the markers that were seen tell them.
    at_limit : (frames, coordinates) bool array
    converged : (frames,) bool array
        Whether the last step moved the markers by less than `CONVERGED_M`.
    steps : (frames,) int array
    """

    R: tuple[Array, ...]
    origin: tuple[Array, ...]
    angles: tuple[Array, ...]
    shifts: tuple[Array, ...]
    names: tuple[str, ...]
    determined: Mask
    at_limit: Mask
    converged: Mask
    steps: Array

    def known(self, chain: Sequence[Segment], index: int) -> Mask:
        """(frames,) whether all coordinates between a segment and the room are determined."""
        columns = list(range(6))
        while (joint := chain[index].joint) is not None:
            columns += [self.names.index(name) for name in names_of(joint)]
            index = joint.proximal
        return np.asarray(self.determined[:, columns].all(axis=1))


class Factors(NamedTuple):
    """The equations of a step, solved for any right-hand side.

    Attributes
    ----------
    links : tuple of Link
        Of each segment but the base.
    inverse : (frames, 6, 6) array
        Of what is left of the base.
    """

    links: tuple[Link, ...]
    inverse: Array


class FittedChain(NamedTuple):
    """A fitted chain and what it is made of.

    Attributes
    ----------
    chain : tuple of Segment
    places : tuple of (side, segment)
    markers : tuple of tuple of PointName
        Those of each segment.
    residuals : tuple of (frames, n) arrays, m
        How far each marker was seen from its place on its segment.
    fit : ChainFit
    """

    chain: tuple[Segment, ...]
    places: tuple[tuple[str, str], ...]
    markers: tuple[tuple[PointName, ...], ...]
    residuals: tuple[Array, ...]
    fit: ChainFit


def fit_chain(
    chain: Sequence[Segment], points: Sequence[Array], start: Sequence[Array], determined: Mask | None = None
) -> ChainFit:
    """Fit a chain to markers in every frame.

    Parameters
    ----------
    chain : sequence of Segment
        The base first, each segment after the one that it hangs from.
    points : sequence of (frames, n, 3) arrays, m
        Of each segment's markers, laboratory axes; NaN where one was not seen.
    start : sequence of (frames, 3, 3) arrays
        About how each segment stands; NaN where nobody knows: then as in the nearest frame in which it is known, or at
        the joint's neutral.
    determined : (frames, coordinates) bool array, optional
        What a fit of the same markers in almost the same places found, with `start` where it put the segments: the
        first step is then Newton's, and nothing is asked once more of what the markers tell.
    """
    n_frames = len(points[0])
    whole = [marker_sums(s.places, p, s.weights) for s, p in zip(chain, points, strict=True)]
    total = np.asarray(sum(sums.weight for sums in whole))
    # around a place amid the markers rounding is smallest, and where the room's origin lies does not matter
    middle = sum(s.weight[:, None] * s.centre_g for s in whole) / np.where(total > 0, total, 1.0)[:, None]
    whole = [s._replace(centre_g=np.where(s.weight[:, None] > 0, s.centre_g - middle, 0.0)) for s in whole]
    state = started(chain, whole, start)
    possible = np.flatnonzero((total > 0) & np.isfinite(state.R).all(axis=(1, 2)))
    converged, steps = np.zeros(n_frames, dtype=bool), np.zeros(n_frames, dtype=int)
    solve(chain, whole, state, possible, np.full(len(possible), determined is not None), (converged, steps))

    mask: Mask = np.isin(np.arange(n_frames), possible)
    if determined is None:
        alike = [np.sign(s.weights) for s in chain]
        if not all(np.array_equal(s.weights, of) for s, of in zip(chain, alike, strict=True)):
            seen = [marker_sums(s.places, p, of) for s, p, of in zip(chain, points, alike, strict=True)]
            whole = [s._replace(centre_g=s.centre_g - middle) for s in seen]
        determined = np.zeros((n_frames, 6 + sum(len(joint_of(s).free) for s in chain[1:])), dtype=bool)
        for some in blocks_of(possible):
            determined[some] = determined_by(during(chain, some), [s.only(some) for s in whole], state.only(some))
    return as_fit(chain, state, middle, (mask, determined), (converged, steps))


def as_fit(
    chain: Sequence[Segment], state: State, middle: Array, known: tuple[Mask, Mask], ended: tuple[Mask, Array]
) -> ChainFit:
    """A solved state about a point of each frame; `known`: which frames, and what is determined in them."""
    (mask, determined), (converged, steps) = known, ended
    R, origin = forward(chain, state)
    names = tuple(name for i, s in enumerate(chain) for name in (base_names(s) if i == 0 else names_of(joint_of(s))))
    limit = np.zeros((len(mask), len(names)), dtype=bool)
    joints = [joint_of(s) for s in chain[1:]]
    column = 6
    for k, joint in enumerate(joints):
        free = joint.free
        limit[:, column : column + len(free)] = _touching(joint, state.q[k])[:, free]
        column += len(free)
    angles = [
        np.stack(cardan(D, j.sequence), axis=-1) if j.by_vector else q for j, q, D in zip(joints, state.q, state.D)
    ]

    def seen(values: Sequence[Array]) -> tuple[Array, ...]:
        return tuple(
            np.ascontiguousarray(np.where(mask.reshape(-1, *[1] * (of.ndim - 1)), of, np.nan)) for of in values
        )

    return ChainFit(
        seen(R),
        seen([o + middle for o in origin]),
        seen(angles),
        seen(state.t),
        names,
        determined,
        limit & mask[:, None],
        converged,
        steps,
    )


def _touching(joint: Joint, q: Array) -> Mask:
    """(frames, 6) which of a, b, c and the shifts are at a limit."""
    touching = np.zeros((len(q), 6), dtype=bool)
    touching[:, :3] = (q <= joint.low) | (q >= joint.high)
    return touching


# --- solving ------------------------------------------------------------------------------------------------------


def solve(
    chain: Sequence[Segment],
    sums: Sequence[MarkerSums],
    state: State,
    frames: IntArray,
    near: Mask,
    ended: tuple[Mask, Array],
    converged_m: float = CONVERGED_M,
) -> None:
    """Improve a state in some frames until it settles there; notes in which it did, and after how many steps.

    `near` tells of each of the frames whether the first step is Newton's, `converged_m` how small the last step is, m.
    """
    converged, steps = ended
    for some in blocks_of(np.arange(len(frames))):
        of = frames[some]
        solved = _solved(during(chain, of), [s.only(of) for s in sums], state.only(of), near[some], converged_m)
        state.put(of, solved.state)
        converged[of] = solved.converged
        steps[of] += solved.steps


def blocks_of(frames: IntArray) -> list[IntArray]:
    """So many frames at a time that what a step leaves of them is in the cache when the next one needs it."""
    return np.array_split(frames, -(-len(frames) // FRAMES_AT_ONCE)) if len(frames) else []


class _Solved(NamedTuple):
    state: State
    converged: Mask
    steps: IntArray


def _solved(
    chain: Sequence[Segment], sums: Sequence[MarkerSums], state: State, near: Mask, converged_m: float
) -> _Solved:
    """`solve` of all frames of a state. A frame that has converged leaves the others."""
    n = len(near)
    solved = _Solved(state, np.zeros(n, dtype=bool), np.zeros(n, dtype=int))
    left, total = np.arange(n), np.asarray(sum(s.weight for s in sums))
    rounding = 2e-15 * np.asarray(sum(s.size for s in sums))  # of sums of squares of the segments' sizes
    now, poses = state, forward(chain, state)
    error, damping = error_of(chain, sums, now, poses), np.zeros(n)
    for _ in range(MOST_STEPS):
        change, moved, _ = step_of(chain, sums, now, damping, near, poses)
        tried = after_step(chain, now, change)
        poses = forward(chain, tried)
        new = error_of(chain, sums, tried, poses)
        better: Mask = np.asarray(new <= error * (1 + 1e-12) + rounding)
        enough = np.where(near & (damping == 0), max(converged_m, NEWTON_CONVERGED_M), converged_m)
        done = (moved <= enough**2 * total) & better & (damping <= _DAMPED)  # damped steps are short anyway
        if better.all():
            now = tried
        else:
            now = tried.where(better, now)
            poses = forward(chain, now)
        error = np.where(better, new, error)
        damping = np.where(better, np.where(damping > _DAMPED, 0.1 * damping, 0.0), np.maximum(10 * damping, _DAMPED))
        near = better & (moved <= NEAR_M**2 * total)
        solved.steps[left] += 1
        solved.converged[left[done]] = True
        going = ~done & (damping < _GIVE_UP)
        if going.all():
            continue
        over, stay = np.flatnonzero(~going), np.flatnonzero(going)
        state.put(left[over], now.only(over))
        left, now, sums, chain = left[stay], now.only(stay), [s.only(stay) for s in sums], during(chain, stay)
        total, rounding, error, damping, near = total[stay], rounding[stay], error[stay], damping[stay], near[stay]
        if not len(left):
            break
        poses = forward(chain, now)
    state.put(left, now)
    return solved


def error_of(chain: Sequence[Segment], sums: Sequence[MarkerSums], state: State, poses: Poses) -> Array:
    """(frames,) what is minimised, m², of a state that puts the segments at some poses."""
    error = np.asarray(sum(s.misfit(R, o) for s, R, o in zip(sums, *poses, strict=True)))
    for segment, q in zip(chain[1:], state.q, strict=True):
        joint = joint_of(segment)
        if any(joint.pull_m_per_rad):
            error = error + (((q - joint.neutral) * joint.pull_m_per_rad) ** 2).sum(axis=1)
    return error


def step_of(
    chain: Sequence[Segment], sums: Sequence[MarkerSums], state: State, damping: Array, near: Mask, poses: Poses
) -> tuple[list[Array], Array, Factors]:
    """The step of all coordinates, the squared movement Σ w |dp|², m², that it promises, and the equations' factors.

    The damped Gauss–Newton step, in frames that are `near` with the second derivatives of the markers: Newton's, which
    farther away may lead elsewhere.
    """
    R, origin = poses
    inertias = [inertia_of(s, r, o) for s, r, o in zip(sums, R, origin, strict=True)]
    forces = [force_of(s, r, o) for s, r, o in zip(sums, R, origin, strict=True)]
    # second derivatives of a path are not made: its steps stay those of Gauss and Newton
    bent = near.any() and all(joint_of(s).path is None for s in chain[1:])
    if bent:
        some = near[:, None, None]
        curvatures = [np.where(some, curvature_of(s, r, o), 0.0) for s, r, o in zip(sums, R, origin, strict=True)]
    pushes = [f.copy() for f in forces]  # what the markers of a segment and all beyond it push
    links: list[Link] = []
    for k in range(len(chain) - 1, 0, -1):
        joint = joint_of(chain[k])
        above, centre = joint.proximal, origin[k] + apply(R[k], joint.centre_d)
        S = screws(joint, state.q[k - 1], centre, R[above], R[k])
        terms = _terms(joint, state.q[k - 1], S, pushes[k], damping)
        if bent:
            terms = _bent(joint, terms, curvatures[k], np.where(near[:, None], pushes[k][:, 3:], 0.0), centre)
            curvatures[above] = curvatures[above] + curvatures[k]
        links.append(eliminate(terms, inertias, forces, (k, above)))
        pushes[above] += pushes[k]
    links.reverse()
    base = inertias[0]
    if damping.any():
        base = base + damping[:, None, None] * of_both(base)
    if bent:
        base[:, :3, :3] -= 0.5 * (curvatures[0] + np.swapaxes(curvatures[0], 1, 2))
        diagonal(base)[:, :3] += np.einsum("fii->f", curvatures[0])[:, None]
    diagonal(base)[...] += FLOOR
    inverse = inverse_6(base) if chain[0].axis_g is None else _inverse_about(base, chain[0].axis_g)
    twist = [apply(inverse, forces[0])]
    change, moved = [twist[0]], np.einsum("fi,fi->f", twist[0], pushes[0])
    for k, link in enumerate(links, start=1):
        above = joint_of(chain[k]).proximal
        delta = apply(link.inverse, link.u - transposed(link.U, twist[above]))
        twist.append(twist[above] + apply(link.S, delta))
        change.append(delta)
        moved = moved + np.einsum("fi,fi->f", delta, link.pushed)
    return change, np.abs(moved), Factors(tuple(links), inverse)


def _inverse_about(base: Array, axis_g: Array) -> Array:
    """(frames, 6, 6) the inverse among the motions that turn about one axis and shift anywhere, 0 in all others."""
    motions = np.zeros((6, 4))
    motions[:3, 0], motions[3:, 1:] = axis_g, np.eye(3)
    return frames_last(motions @ np.linalg.inv(motions.T @ base @ motions) @ motions.T)


def _terms(joint: Joint, q: Array, S: Array, push: Array, damping: Array) -> JointTerms:
    """What a joint adds to the equations: screws, pulls, and which of its coordinates are blocked at a limit."""
    turns, n = [i for i in joint.free if i < 3], len(joint.free)
    pushed, pull, own = transposed(S, push), np.zeros((1, n)), np.zeros((1, n, n))
    if any(joint.pull_m_per_rad):
        stiff = np.zeros(n)
        stiff[: len(turns)] = np.array(joint.pull_m_per_rad)[turns] ** 2
        pull = zeros(len(q), n)
        pull[:, : len(turns)] = -stiff[: len(turns)] * (q - joint.neutral)[:, turns]
        own = own + stiff * np.eye(n)
        pushed = pushed + pull
    blocked = _blocked(joint, q, pushed)
    if blocked is not None:
        S = np.where(blocked[:, None], 0.0, S)
        pull, pushed = np.where(blocked, 0.0, pull), np.where(blocked, 0.0, pushed)
        own = own + blocked[:, :, None] * np.eye(n)
    return JointTerms(S, None, own, pushed, pull, damping)


def _bent(joint: Joint, terms: JointTerms, curvature: Array, force: Array, centre: Array) -> JointTerms:
    """The same with the second derivatives of what the joint moves."""
    n = sum(joint.turns)
    bend = bend_of(terms.S, n, curvature, force, centre)
    second = transposed_product(terms.S[:, :3, :n], bend[:, :3, :n])
    if joint.by_vector:
        second = 0.5 * (second + np.swapaxes(second, 1, 2))
    else:  # of two angles the first turns the axis of the second
        upper = np.triu(second, 1)
        second = upper + np.swapaxes(upper, 1, 2) + second * np.eye(n)
    own = zeros(len(force), terms.S.shape[2], terms.S.shape[2])
    own += terms.own
    own[:, :n, :n] += second
    return terms._replace(bend=bend, own=own)


def _blocked(joint: Joint, q: Array, pushed: Array) -> Mask | None:
    """(frames, free) whether a coordinate is at a limit and pushed outward; None where there is no limit."""
    if joint.by_vector or not np.isfinite([joint.low, joint.high]).any():
        return None
    turns = [i for i in joint.free if i < 3]
    blocked = np.zeros_like(pushed, dtype=bool)
    for column, i in enumerate(turns):
        blocked[:, column] = ((q[:, i] <= joint.low[i]) & (pushed[:, column] < 0)) | (
            (q[:, i] >= joint.high[i]) & (pushed[:, column] > 0)
        )
    return blocked


def after_step(chain: Sequence[Segment], state: State, change: Sequence[Array]) -> State:
    """The state after a step."""
    turn = rotations(change[0][:, :3])
    moved = State(product(turn, state.R), apply(turn, state.origin) + change[0][:, 3:], [], [], [])
    for segment, q, D, t, delta in zip(chain[1:], state.q, state.D, state.t, change[1:], strict=True):
        joint = joint_of(segment)
        turns = [i for i in joint.free if i < 3]
        if joint.by_vector:
            moved.q.append(q)
            moved.D.append(product(D, rotations(delta[:, :3])))
        else:
            new = frames_last(q).copy(order="K")
            new[:, turns] += delta[:, : len(turns)]
            new = np.clip(new, joint.low, joint.high)
            moved.q.append(new)
            D, shifted = posture_of(joint, new)
            moved.D.append(frames_last(D))
            t = t if joint.path is None else frames_last(shifted)
        moved.t.append(t + delta[:, len(turns) :] if joint.slides else t)
    return moved
