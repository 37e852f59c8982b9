"""The last frames of a swing that ends beside plates: the foot carries nothing until the strike itself.

Frame by frame the load is known to be none until a margin before the strike, because events and markers may err by that
much (`gaitid.ground.stance`). A cycle ends with its strike, by its definition: up to it the moments are those of a foot
that nothing loads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import floor

import numpy as np

from gaitid.analysis.result import Result
from gaitid.body.kinematics import clinical_moments
from gaitid.dynamics.chain import Chain, Link
from gaitid.dynamics.newton_euler import SOLVERS
from gaitid.gait.cycles import Cycle
from gaitid.ground.contacts import AIR, UNKNOWN
from gaitid.numerics.rotation import dot
from gaitid.trial import Array, IntArray

# s. No more than this lies between the last frame that is known and a strike that the file has and the markers agree
# with: the margin, by how much events beside plates and markers differ, and a frame.
END_S = 0.03


def swing_end(result: Result, cycle: Cycle) -> range:
    """The frames between the last in which a foot is known to fly and the strike of the file that ends its cycle.

    With that of the strike and the next, between which it may lie. Empty where anything but the margin makes the load
    unknown.
    """
    if cycle.next_strike.source != "file":
        return range(0)
    state = result.sides[cycle.side].load.state
    strike = cycle.next_strike.time_s * result.trial.rate_hz
    end = min(floor(strike + 1e-6), len(state) - 1)
    flying = np.flatnonzero(state[: end + 1] == AIR)
    if not len(flying) or not 0 < strike - flying[-1] <= END_S * result.trial.rate_hz + 1e-6:
        return range(0)
    first = int(flying[-1]) + 1
    if (state[first : end + 1] != UNKNOWN).any():
        return range(0)
    return range(first, min(end + 2, len(state)))


def unloaded(
    result: Result, side: str, frames: IntArray
) -> tuple[Mapping[str, Mapping[str, Array]], Mapping[str, Array]]:
    """Moments and powers of a limb that nothing loads, as `SideResult` has them; NaN where it says that none is known.

    Parameters
    ----------
    result : Result
    side : str
    frames : (n,) int array
        Which are wanted.

    Returns
    -------
    moments : mapping of name to mapping of column to (n,) array, N·m/kg
    powers : mapping of joint to (n,) array, W/kg
    """
    leg, model, mass = result.sides[side], result.model, result.subject.mass_kg
    assert leg.chain is not None  # of a side with cycles
    chain = Chain([_in_the_air(link, frames) for link in leg.chain.links], leg.chain.proximal)
    solved = SOLVERS[result.solver](chain, result.gravity_g)
    moment_g = {joint: wrench.m_g / mass for joint, wrench in zip(leg.joints_g, solved, strict=True)}
    sign = next(s.sign for s in model.sides if s.name == side)
    axes = {name: result.body.geometry.frame(m.axes, side).R_gs[frames] for name, m in model.moments.items()}
    moments = {
        name: {
            column: np.where(np.isfinite(leg.moments[name][column]).any(), values, np.nan)
            for column, values in clinical_moments(moment_g[name], axes[name], moment, sign).items()
        }
        for name, moment in model.moments.items()
    }
    powers: dict[str, Array] = {}
    for spec, k in zip(model.chain, model.proximal, strict=True):
        above = result.base if k is None else leg.motions[model.chain[k].segment]
        turning = leg.motions[spec.segment].omega_g[frames] - above.omega_g[frames]
        power = dot(moment_g[spec.joint], turning)
        powers[spec.joint] = np.where(np.isfinite(leg.powers[spec.joint]).any(), power, np.nan)
    return moments, powers


def _in_the_air(link: Link, frames: IntArray) -> Link:
    """A link in some frames, without what the ground does to it."""
    names = ("R_gs", "com_g", "acc_g", "omega_g", "alpha_g", "joint_g")
    parts = {name: getattr(link, name)[frames] for name in names}
    inertia = link.inertia_s[frames] if link.inertia_s.ndim == 3 else link.inertia_s
    return replace(link, inertia_s=inertia, external=None, **parts)
