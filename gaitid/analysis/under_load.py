"""A limb once more, in some frames, under another load: the motion is as it was."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.analysis.limb import moment_axes
from gaitid.analysis.result import Result
from gaitid.body.kinematics import SegmentMotion, clinical_moments
from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.dynamics.wrench import Wrench
from gaitid.numerics.rotation import dot
from gaitid.trial import Array, IntArray


def under_load(
    result: Result, side: str, frames: IntArray, load: Wrench | None
) -> tuple[Mapping[str, Mapping[str, Array]], Mapping[str, Array]]:
    """Moments and powers of a limb, as `SideResult` has them; NaN where it says that none is known.

    Parameters
    ----------
    result : Result
    side : str
    frames : (n,) int array
        Which are wanted.
    load : Wrench or None
        Of the ground, (n, 3), on the segment that touches it; None where nothing does.

    Returns
    -------
    moments : mapping of name to mapping of column to (n,) array, N·m/kg
    powers : mapping of joint to (n,) array, W/kg
    """
    leg, model, mass = result.sides[side], result.model, result.subject.mass_kg
    assert leg.chain is not None  # of a side with cycles
    moving = [leg.motions[spec.segment].at(frames) for spec in model.chain]
    links = [_during(frames, *of, load) for of in zip(leg.chain.links, moving, strict=True)]
    chain = Chain(links, leg.chain.proximal)
    solved = SOLVERS[result.solver](chain, result.gravity_g)
    moment_g = {joint: wrench.m_g / mass for joint, wrench in zip(leg.joints_g, solved, strict=True)}
    sign = next(s.sign for s in model.sides if s.name == side)
    axes = {name: moment_axes(result.body, name, side).take(frames, axis=0) for name in model.moments}
    moments = {
        name: {
            column: _where_known(values, leg.moments[name][column])
            for column, values in clinical_moments(moment_g[name], axes[name], moment, sign).items()
        }
        for name, moment in model.moments.items()
    }
    powers: dict[str, Array] = {}
    for spec, k, below in zip(model.chain, model.proximal, moving, strict=True):
        above = result.base.at(frames) if k is None else moving[k]
        turning = below.omega_g - above.omega_g
        power = dot(moment_g[spec.joint], turning)
        powers[spec.joint] = _where_known(power, leg.powers[spec.joint])
    return moments, powers


def _where_known(values: Array, usual: Array) -> Array:
    """The values, or as many unknown ones where the limb says that none is known."""
    return values if np.isfinite(usual).any() else np.full_like(values, np.nan)


def _during(frames: IntArray, link: Link, motion: SegmentMotion, load: Wrench | None) -> Link:
    """A link in some frames, with its motion in them, under another load where the ground touches it."""
    inertia = link.inertia_s[frames] if link.inertia_s.ndim == 3 else link.inertia_s
    applied = link.applied
    if applied is not None:
        applied = Wrench(applied.f_g[frames], applied.m_g[frames], applied.p_g[frames])
    return Link(
        link.mass,
        inertia,
        motion.R_gs,
        motion.com_g,
        motion.acc_g,
        motion.omega_g,
        motion.alpha_g,
        link.joint_g.take(frames, axis=0),
        None if link.external is None else load,
        applied,
    )
