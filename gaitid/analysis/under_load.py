"""A limb once more, in some frames, under another load: the motion is as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gaitid.analysis.limb import moment_axes
from gaitid.analysis.result import Result
from gaitid.body.kinematics import clinical_moments
from gaitid.dynamics.chain import Chain
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
    moving = leg.moving(frames)
    assert moving.chain is not None  # of a side with cycles
    links = [link if link.external is None else replace(link, external=load) for link in moving.chain.links]
    chain = Chain(links, moving.chain.proximal)
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
    segments = list(moving.segments.values())
    for spec, k, below in zip(model.chain, model.proximal, segments, strict=True):
        above = moving.base if k is None else segments[k]
        turning = below.omega_g - above.omega_g
        power = dot(moment_g[spec.joint], turning)
        powers[spec.joint] = _where_known(power, leg.powers[spec.joint])
    return moments, powers


def _where_known(values: Array, usual: Array) -> Array:
    """The values, or as many unknown ones where the limb says that none is known."""
    return values if np.isfinite(usual).any() else np.full_like(values, np.nan)
