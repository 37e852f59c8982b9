"""A chain that was fitted once, fitted again to markers that moved by millimetres: many times, so it has to be quick.

A step of Newton's costs most where its matrix is made. Where the markers have moved by little the matrix of another
state will do (the chord method; Kelley CT (1995) Iterative Methods for Linear and Nonlinear Equations, SIAM, ch. 5):
the first step goes with that of the fit before, two make their own, and two more go with the last of these. The
gradient is exact in each, so that what they settle at is the same. Frames in which they do not are fitted as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gaitid.body import multibody
from gaitid.body.articulated import Link, force_of, transposed
from gaitid.body.joints import Segment, State, during, forward, joint_of, screws, started, turned_by
from gaitid.body.multibody import (
    ChainFit,
    Factors,
    FittedChain,
    Poses,
    after_step,
    as_fit,
    blocks_of,
    error_of,
    fit_chain,
    solve,
    step_of,
)
from gaitid.numerics.joint_path import MarkerSums, frames_last, marker_sums, rows
from gaitid.numerics.rotation import apply
from gaitid.records import NamedTuple
from gaitid.trial import Array, IntArray, Mask

#: How steps are made: by the matrix of the step before, by that of Gauss and Newton, or by Newton's.
_STEPS = ("before", "gauss", "newton", "before", "before")
#: Where the markers moved by micrometres: each step leaves some thousandth of the one before.
_SMALL_STEPS = ("before",) * 4
#: m. A step of Newton's that moves the markers by less (root mean square) leaves its square.
CONVERGED_M = 1e-5


class Solved(NamedTuple):
    """Where a chain converged, and the equations there.

    Attributes
    ----------
    middle : (frames, 3) array, m
        The point about which `state` and `factors` are.
    state : State
    factors : Factors
        Of Newton's step there.
    """

    middle: Array
    state: State
    factors: Factors

    def only(self, frames: IntArray) -> Solved:
        """Those of some frames."""
        links = tuple(Link(*(rows(values, frames) for values in link)) for link in self.factors.links)
        return Solved(
            rows(self.middle, frames), self.state.only(frames), Factors(links, rows(self.factors.inverse, frames))
        )


class Before(NamedTuple):
    """A fitted chain, and what the fits of other markers go on with.

    Attributes
    ----------
    fit : ChainFit
    solved : Solved or None
        None where the chain has limits or pulls, which make other equations of other states, or where there are frames
        without it.
    small : bool
        Whether markers move by micrometres: the chain has to be as near to them as `multibody.CONVERGED_M` says.
    moved : bool
        Whether anything moves; else the fit holds.
    """

    fit: ChainFit
    solved: Solved | None
    small: bool = True
    moved: bool = True

    def repeated(self, count: int) -> Before:
        """Of so many walks, one behind the other."""
        frames = np.tile(np.arange(len(self.fit.steps)), count)
        of_each: dict[str, Any] = {
            name: tuple(of[frames] for of in values) if isinstance(values, tuple) else values[frames]
            for name, values in self.fit._asdict().items()
            if name != "names"
        }
        return Before(self.fit._replace(**of_each), self.solved and self.solved.only(frames), self.small)


def before_of(fitted: FittedChain, points: Sequence[Array]) -> Before:
    """What goes on from a fitted chain.

    Parameters
    ----------
    fitted : FittedChain
    points : sequence of (frames, n, 3) arrays, m
        Of each segment's markers.
    """
    chain, fit = fitted.chain, fitted.fit
    joints = [joint_of(segment) for segment in chain[1:]]
    limited = any(np.isfinite([joint.low, joint.high]).any() or any(joint.pull_m_per_rad) for joint in joints)
    sums, total = sums_of(chain, points)
    if limited or not np.isfinite(fit.R[0]).all() or not (total > 0).all():
        return Before(fit, None)
    middle = np.asarray(sum(s.weight[:, None] * s.centre_g for s in sums)) / total[:, None]
    sums = [s._replace(centre_g=np.where(s.weight[:, None] > 0, s.centre_g - middle, 0.0)) for s in sums]
    state = started(chain, sums, fit.R)
    state = state._replace(origin=frames_last(fit.origin[0] - middle), t=[frames_last(shift) for shift in fit.shifts])
    n = len(middle)
    factors = step_of(chain, sums, state, np.zeros(n), np.ones(n, dtype=bool), forward(chain, state))[2]
    return Before(fit, Solved(middle, state, factors))


def sums_of(chain: Sequence[Segment], points: Sequence[Array]) -> tuple[list[MarkerSums], Array]:
    """The markers' sums, and (frames,) the weight of all."""
    sums = [marker_sums(s.places, p, s.weights) for s, p in zip(chain, points, strict=True)]
    return sums, np.asarray(sum(s.weight for s in sums))


def fit_again(chain: Sequence[Segment], points: Sequence[Array], before: Before) -> ChainFit:
    """`gaitid.body.multibody.fit_chain` of markers that have moved by millimetres.

    Parameters
    ----------
    chain, points
        As there.
    before : Before
    """
    if before.solved is None:
        return fit_chain(chain, points, before.fit.R, before.fit.determined)
    of_before = before.solved.state
    solved = before.solved._replace(state=of_before._replace(q=[*of_before.q], D=[*of_before.D]))
    for k, joint in enumerate(joint_of(segment) for segment in chain[1:]):
        if joint.path is None and not all(joint.turns):  # an angle that is held is that of the static
            q = np.where(joint.turns, solved.state.q[k], joint.neutral)
            solved.state.q[k], solved.state.D[k] = frames_last(q), frames_last(turned_by(joint, q))
    converged_m = multibody.CONVERGED_M if before.small else CONVERGED_M
    sums, total = sums_of(chain, points)
    sums = [s._replace(centre_g=np.where(s.weight[:, None] > 0, s.centre_g - solved.middle, 0.0)) for s in sums]
    state = solved.state.only(np.arange(len(total)))
    converged, better = (np.zeros(len(total), dtype=bool) for _ in range(2))
    for some in blocks_of(np.arange(len(total))):
        quick, better[some], converged[some] = _quick_steps(
            during(chain, some),
            [s.only(some) for s in sums],
            (solved.only(some), before.small),
            converged_m,
            total[some],
        )
        state.put(some, quick)
    steps = np.full(len(total), len(_STEPS))
    left = np.flatnonzero(~converged)
    if left.size:
        astray = np.flatnonzero(~better)
        state.put(astray, solved.state.only(astray))
        solve(chain, sums, state, left, np.ones(len(left), dtype=bool), (converged, steps), converged_m)
    return as_fit(chain, state, solved.middle, (total > 0, before.fit.determined), (converged, steps))


def _quick_steps(
    chain: Sequence[Segment], sums: Sequence[MarkerSums], before: tuple[Solved, bool], converged_m: float, total: Array
) -> tuple[State, Mask, Mask]:
    """The state after the steps, in which frames each made the misfit smaller, and in which of these it converged."""
    (_, state, factors), small, n = *before, len(total)
    poses = forward(chain, state)
    error = error_of(chain, sums, state, poses)
    good, moved = np.ones(n, dtype=bool), np.zeros(n)
    rounding = 2e-15 * np.asarray(sum(s.size for s in sums))  # of sums of squares of the segments' sizes
    for kind in _SMALL_STEPS if small else _STEPS:
        if kind == "before":
            change, moved = chord_step(chain, sums, state, factors, poses)
        else:
            change, moved, factors = step_of(chain, sums, state, np.zeros(n), np.full(n, kind == "newton"), poses)
        state = after_step(chain, state, change)
        poses = forward(chain, state)
        new = error_of(chain, sums, state, poses)
        good &= new <= error * (1 + 1e-12) + rounding
        error = new
        if small and (moved <= converged_m**2 * total).all():
            break
    return state, good, good & (moved <= converged_m**2 * total)


def chord_step(
    chain: Sequence[Segment], sums: Sequence[MarkerSums], state: State, factors: Factors, poses: Poses
) -> tuple[list[Array], Array]:
    """The step of all coordinates by the matrix of another state, and what it promises, as of `step_of`."""
    R, origin = poses
    pushes = [force_of(s, r, o) for s, r, o in zip(sums, R, origin, strict=True)]
    pushed: list[Array] = [pushes[0]] * len(chain)
    for k in range(len(chain) - 1, 0, -1):
        joint = joint_of(chain[k])
        above, centre = joint.proximal, origin[k] + apply(R[k], joint.centre_d)
        pushed[k] = transposed(screws(joint, state.q[k - 1], centre, R[above], R[k]), pushes[k])
        pushes[above] = pushes[above] + pushes[k]
    pushed[0] = pushes[0]
    # what is left of each segment on the one above it, as `eliminate` has it
    rest: list[Array | float] = [0.0] * len(chain)
    u: list[Array] = list(pushed)
    for k in range(len(chain) - 1, 0, -1):
        link, above = factors.links[k - 1], joint_of(chain[k]).proximal
        u[k] = pushed[k] + (0.0 if isinstance(rest[k], float) else transposed(link.S, np.asarray(rest[k])))
        rest[above] = rest[above] + rest[k] - apply(link.U, apply(link.inverse, u[k]))
    twist = [apply(factors.inverse, pushed[0] + rest[0])]
    change, moved = [twist[0]], np.einsum("fi,fi->f", twist[0], pushed[0])
    for k, link in enumerate(factors.links, start=1):
        above = joint_of(chain[k]).proximal
        delta = apply(link.inverse, u[k] - transposed(link.U, twist[above]))
        twist.append(twist[above] + apply(link.S, delta))
        change.append(delta)
        moved = moved + np.einsum("fi,fi->f", delta, pushed[k])
    return change, np.abs(moved)
