"""Where a joint wrench comes from: gravity, inertia, the ground, and what an observer who moves calls fictitious."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np

from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.fictitious import Observer, RelativeMotion, observed_wrenches, rotational_moment
from gaitid.dynamics.wrench import Wrench
from gaitid.numerics.masks import known_rows
from gaitid.numerics.rotation import cross
from gaitid.trial import Array, Mask

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
