"""What acts on the base from the part of the body that a model leaves out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gaitid.analysis.limb import Mechanics, make_part
from gaitid.analysis.result import SideResult
from gaitid.body.poses import Body
from gaitid.dynamics.chain import Chain, Wrench
from gaitid.dynamics.newton_euler import SOLVERS


def base_wrench(body: Body, sides: Sequence[SideResult], mechanics: Mechanics) -> tuple[Wrench, Chain | None]:
    """What is exerted on the base from the part of the body that the model leaves out, and the tree that gave it.

    Where the base has a mass, it is one tree with the limbs of all sides, solved together. Without mass the wrench
    balances what the base exerts on the limbs: their wrenches, moved to its origin.

    Parameters
    ----------
    body : Body
    sides : sequence of SideResult
        Of all the model's sides.
    mechanics : Mechanics
    """
    model, motion = body.model, body.motion().base
    tops = [spec.joint for spec, k in zip(model.chain, model.proximal, strict=True) if k is None]
    if model.base.body is None:
        com_g = motion.com_g
        total = Wrench(np.zeros_like(com_g), np.zeros_like(com_g), com_g)
        for side in sides:
            for joint in tops:
                total = total.plus(side.wrenches[joint].at(com_g))
        if (load := mechanics.applied.get(body.base)) is not None:
            load = load.at(com_g)
            total = total.plus(Wrench(-load.f_g, -load.m_g, com_g))
        return total, None
    link = make_part(model.base.body, "", body, mechanics).link(motion, slice(0, body.geometry.n_frames))
    chains = [side.chain for side in sides if side.chain is not None]
    if len(chains) < len(sides):
        nan = np.full_like(link.com_g, np.nan)
        return Wrench(nan, nan, link.joint_g), None
    n, count = len(model.chain), len(sides)
    links = [of_limb for chain in chains for of_limb in chain.links]
    proximal = [count * n if k is None else i * n + k for i in range(count) for k in model.proximal]
    tree = Chain([*links, link], [*proximal, None])
    return SOLVERS[mechanics.solver](tree, mechanics.gravity_g)[-1], tree
