"""Where a joint wrench comes from: gravity, inertia, the ground; and mechanics as an observer sees it who moves and
turns.

An observer o has an origin p and axes R_go that turn with ω and α. A point c, seen at r = R_goᵀ (c − p), moves with

    a_c = a_p + α × r + ω × (ω × r) + 2 ω × v_rel + a_rel

(Craig 2005, Introduction to Robotics, 3rd ed., §6.2; Goldstein, Poole & Safko 2002, Classical Mechanics, §4.10).
Times m, the four terms before the last are what the observer must charge to fictitious forces: D'Alembert,
Euler, centrifugal, Coriolis (Mielke 2020, "The N-segment piglet limb", section "Kinetics in Any Frame"). There they
stand as forces on the segment, −m a_p …; here each is its share of the joint wrench, +m a_p …: what the proximal
neighbour must exert for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Protocol

import numpy as np

from gaitid.dynamics.chain import Chain, Link, Wrench
from gaitid.dynamics.joint_tree import turned
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import apply, apply_transposed, cross
from gaitid.trial import Array, Mask, read_only

#: The wrenches that exist only for an observer who moves, in the order in which they are written.
FICTITIOUS = ("dalembert", "euler", "centrifugal", "coriolis")


class RigidMotion(Protocol):
    """What is asked of a segment that carries an observer: a `Link` or a `Motion` will do."""

    @property
    def R_gs(self) -> Array: ...
    @property
    def com_g(self) -> Array: ...
    @property
    def acc_g(self) -> Array: ...
    @property
    def omega_g(self) -> Array: ...
    @property
    def alpha_g(self) -> Array: ...


@dataclass(frozen=True, eq=False)
class Observer:
    """Who looks, over time: axes and a point of attachment; everything in laboratory axes.

    Attributes
    ----------
    R_go : (frames, 3, 3) array
        Observer axes to laboratory.
    p_g, v_g, a_g : (frames, 3) arrays, m, m/s, m/s²
        The observer's origin.
    omega_g, alpha_g : (frames, 3) arrays, rad/s, rad/s²
        Of the axes.
    """

    R_go: Array
    p_g: Array
    v_g: Array
    a_g: Array
    omega_g: Array
    alpha_g: Array

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, read_only(getattr(self, field.name)))
        n = len(self.p_g)
        if self.R_go.shape != (n, 3, 3) or any(getattr(self, f.name).shape != (n, 3) for f in fields(self)[1:]):
            raise ValueError("Observer: R_go must be (frames, 3, 3), all else (frames, 3)")

    def seen(self, vector_g: Array) -> Array:
        """Components of a (frames, 3) or (3,) laboratory vector in the observer's axes."""
        return apply_transposed(self.R_go, vector_g)


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """How a centre of mass moves as an observer sees it; observer axes, from the observer's origin.

    Attributes
    ----------
    r_o, v_o, a_o : (frames, 3) arrays, m, m/s, m/s²
        The components r_o = R_goᵀ (c − p) and their first and second derivatives with respect to time.
    """

    r_o: Array
    v_o: Array
    a_o: Array

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, read_only(getattr(self, field.name)))


def segment_observer(segment: RigidMotion, velocity_g: Array, point_g: Array) -> Observer:
    """The observer who rides on a segment, at a point of it.

    The point moves as a point of the rigid segment: v_p = v_c + ω × d and a_p = a_c + α × d + ω × (ω × d), with
    d = p − c (Craig 2005, §6.2). A measured joint centre does not keep its place in the segment exactly; the
    observer sits on the segment where the joint is at each instant.

    Parameters
    ----------
    segment : Link or Motion
    velocity_g : (frames, 3) array, m/s
        Of its centre of mass.
    point_g : (frames, 3) array, m
        For example the segment's proximal joint, ``link.joint_g``.
    """
    omega, d = segment.omega_g, point_g - segment.com_g
    spin = cross(omega, d)
    return Observer(
        R_go=segment.R_gs,
        p_g=point_g,
        v_g=velocity_g + spin,
        a_g=segment.acc_g + cross(segment.alpha_g, d) + cross(omega, spin),
        omega_g=omega,
        alpha_g=segment.alpha_g,
    )


def relative_motion(link: Link, velocity_g: Array, observer: Observer) -> RelativeMotion:
    """A centre of mass as the observer sees it, derived from its laboratory motion without differentiating.

    Parameters
    ----------
    link : Link
    velocity_g : (frames, 3) array, m/s
        Of its centre of mass.
    observer : Observer
    """
    omega = observer.omega_g
    r = link.com_g - observer.p_g
    v = velocity_g - observer.v_g - cross(omega, r)
    a = link.acc_g - observer.a_g - cross(observer.alpha_g, r) - cross(omega, cross(omega, r)) - 2 * cross(omega, v)
    return RelativeMotion(observer.seen(r), observer.seen(v), observer.seen(a))


def observed_wrenches(link: Link, observer: Observer, motion: RelativeMotion) -> Mapping[str, Wrench]:
    """The wrenches, one a cause, that a segment's motion asks of its proximal joint, computed in the observer's axes.

    Parameters
    ----------
    link : Link
    observer : Observer
    motion : RelativeMotion
        Of the link's centre of mass for this observer, derived (`relative_motion`) or differentiated.

    Returns
    -------
    mapping of name to Wrench
        ``inertia`` (m a_rel, and I α + ω × I ω of the segment's absolute rotation) and those of `FICTITIOUS`, about
        the segment's proximal joint, turned back to laboratory axes.
    """
    omega, alpha, r = observer.seen(observer.omega_g), observer.seen(observer.alpha_g), motion.r_o
    forces = {
        "inertia": link.mass * motion.a_o,
        "dalembert": link.mass * observer.seen(observer.a_g),
        "euler": link.mass * cross(alpha, r),
        "centrifugal": link.mass * cross(omega, cross(omega, r)),
        "coriolis": 2 * link.mass * cross(omega, motion.v_o),
    }
    # All five act at the centre of mass: moment about the joint = (c − P) × f
    arm = r - observer.seen(link.joint_g - observer.p_g)
    moments = {name: cross(arm, f) for name, f in forces.items()}
    R_os = np.swapaxes(observer.R_go, -1, -2) @ link.R_gs
    turning = rotational_moment(R_os, link.inertia_s, observer.seen(link.omega_g), observer.seen(link.alpha_g))
    moments["inertia"] = moments["inertia"] + turning
    return {
        name: Wrench(apply(observer.R_go, f), apply(observer.R_go, moments[name]), link.joint_g)
        for name, f in forces.items()
    }


def rotational_moment(R: Array, inertia_s: Array, omega: Array, alpha: Array) -> Array:
    """I α + ω × I ω with I = R I_s Rᵀ, in whatever axes `R` turns the segment's into.

    Euler's law about the centre of mass (Lynch & Park 2017, Modern Robotics, §8.2.1). ω and α are those of the
    segment in the laboratory, so the result is the same vector for every observer.

    Parameters
    ----------
    R : (frames, 3, 3) array
        Segment axes to those of expression.
    inertia_s : (3, 3) or (frames, 3, 3) array, kg·m²
        About the centre of mass, segment axes.
    omega, alpha : (frames, 3) arrays, rad/s, rad/s²
        In the axes of expression.
    """
    inertia = turned(inertia_s, R)
    return apply(inertia, alpha) + cross(omega, apply(inertia, omega))


#: What every joint wrench is made of; with an observer, those of `FICTITIOUS` come out of ``inertia``.
CONTRIBUTIONS = ("gravity", "inertia", "ground_reaction")
#: And of what else was measured to act on a segment, where anything was.
APPLIED = "applied_load"

Terms = Mapping[str, Wrench]


def contributions(
    chain: Chain, gravity_g: Array, observer: Observer | None = None, motions: Sequence[RelativeMotion] = ()
) -> list[Terms]:
    """What each cause contributes to each joint's wrench; the contributions sum to the solver's wrench to rounding.

    Of everything beyond a joint, about the joint's centre (F = m a − m g − F_ground, term by term):
    ``gravity`` is Σ −m g, ``ground_reaction`` Σ −F_ground, ``inertia`` Σ m a with I α + ω × I ω, and where a link of
    the chain has another measured load (`Link.applied`), ``applied_load`` Σ −F_applied.

    Parameters
    ----------
    chain : Chain
    gravity_g : (3,) array, m/s²
    observer : Observer, optional
        Splits ``inertia`` further: what is left of it is m a_rel with I α + ω × I ω, and ``dalembert``, ``euler``,
        ``centrifugal`` and ``coriolis`` are computed in the observer's axes.
    motions : sequence of RelativeMotion
        With an observer: one a link, as the observer sees its centre of mass.

    Returns
    -------
    list of mappings of name to Wrench
        One a joint, of the proximal neighbour on the link, laboratory axes. Empty where their sum is empty, so that
        what is there always sums; where only the observer is unknown, gravity and ground reaction remain.

    Raises
    ------
    ValueError
        With an observer, not one motion a link.
    """
    applied = any(link.applied is not None for link in chain.links)
    terms = [_laboratory_terms(link, gravity_g, applied) for link in chain.links]
    at_joints = _summed_up(chain, terms)
    known = [_known(joint) for joint in at_joints]
    if observer is not None:
        seen = (observed_wrenches(link, observer, motion) for link, motion in zip(chain.links, motions, strict=True))
        at_joints = _summed_up(chain, [{**term, **split} for term, split in zip(terms, seen, strict=True)])
    return [
        {name: _only(wrench, *where) for name, wrench in joint.items()}
        for joint, where in zip(at_joints, known, strict=True)
    ]


def _laboratory_terms(link: Link, gravity_g: Array, applied: bool) -> Terms:
    """What one segment asks of its proximal joint, about the joint's centre."""
    arm, zero = link.com_g - link.joint_g, np.zeros_like(link.joint_g)
    weight, inertial = np.broadcast_to(link.mass * gravity_g, arm.shape), link.mass * link.acc_g
    turning = rotational_moment(link.R_gs, link.inertia_s, link.omega_g, link.alpha_g)

    def answered(load: Wrench | None) -> Wrench:
        load = Wrench(zero, zero, link.joint_g) if load is None else load.at(link.joint_g)
        return Wrench(-load.f_g, -load.m_g, link.joint_g)

    terms = {
        "gravity": Wrench(-weight, -cross(arm, weight), link.joint_g),
        "inertia": Wrench(inertial, cross(arm, inertial) + turning, link.joint_g),
        "ground_reaction": answered(link.external),
    }
    return terms | {APPLIED: answered(link.applied)} if applied else terms


def _summed_up(chain: Chain, terms: Sequence[Terms]) -> list[Terms]:
    """Each term of every segment beyond a joint, together about that joint: from the free ends to the base."""
    sums: list[Terms] = []
    for i, (link, of_link) in enumerate(zip(chain.links, terms, strict=True)):
        total = dict(of_link)
        for k in chain.distal(i):
            for name, below in sums[k].items():
                total[name] = total[name].plus(below.at(link.joint_g))
        sums.append(total)
    return sums


def _known(joint: Terms) -> tuple[Mask, Mask]:
    """(frames,) each: where the sum of all forces and that of all moments is known."""
    first, *others = joint.values()
    total = reduce(Wrench.plus, others, first)
    return known_rows(total.f_g), known_rows(total.m_g)


def _only(wrench: Wrench, known_f: Mask, known_m: Mask) -> Wrench:
    if known_f.all() and known_m.all():
        return wrench
    f = np.where(known_f[:, None], wrench.f_g, np.nan)
    return Wrench(f, np.where(known_m[:, None], wrench.m_g, np.nan), wrench.p_g)
