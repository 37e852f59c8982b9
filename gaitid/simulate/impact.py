"""Heel strikes that the body's own inertia takes: how the leg gives way to the transient of each contact.

A heel strike lasts so short that muscles do not answer it: what the ground gives then is taken by the inertia of foot,
shank, thigh and the rest of the body, and the joints give no moment for it. So the accelerations that go with a
transient are those that leave the moments about the joints' free axes as they would be without it, and that the rest of
the body, a point mass at the pelvis, has by its share. They are found from the exact wrenches themselves, which are
linear in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from gaitid.simulate.body import MASS_FRACTION
from gaitid.simulate.jet import Array, Jet
from gaitid.simulate.loads import IMPACT_S, FootLoad, Stance
from gaitid.simulate.momentum import joint_wrenches
from gaitid.simulate.motion import Gait, Yield
from gaitid.simulate.skeleton import Skeleton

#: What gives way: angles of the leg and the pelvis along the three axes of the laboratory.
FREE_ANGLES = ("hip_flexion", "hip_adduction", "knee_flexion", "ankle_dorsiflexion")


class _Accelerating(Yield):
    """The same with accelerations instead of changes of rates, and nothing else."""

    def course(self, times_s: ArrayLike, order: int) -> Jet:
        return Jet(np.stack([np.full(np.shape(times_s), float(k == 2)) for k in range(order + 1)]))


def yields(gait: Gait, stances: Sequence[Stance], loads: Sequence[FootLoad], peak_N: float) -> tuple[Yield, ...]:
    """How the body gives way to the transients of `with_impact`.

    Parameters
    ----------
    gait : Gait
        That does not give way yet.
    stances : sequence of Stance
    loads : sequence of FootLoad
        Of each stance's foot at the instant of its transient's peak, (1,), without the transient.
    peak_N : float
    """
    return tuple(
        _yield(gait, stance, load, peak_N) for stance, load in zip(stances, loads, strict=True) if load.stance[0] >= 0
    )


def _yield(gait: Gait, stance: Stance, load: FootLoad, peak_N: float) -> Yield:
    centre_s = stance.on_s + 0.5 * IMPACT_S
    struck = replace(load, force_g=load.force_g + np.array([0.0, 0.0, 1.0]))
    rest_kg = gait.subject.mass_kg * (1.0 - sum(MASS_FRACTION.values()))

    def needed(load: FootLoad, which: int = -1) -> Array:
        """Moments about the free axes and force on the rest of the body, with one more coordinate giving way."""
        unit = np.zeros(3 + len(FREE_ANGLES))
        if which >= 0:
            unit[which] = 1.0
        angles = dict(zip(FREE_ANGLES, unit[3:].tolist(), strict=True))
        given = _Accelerating(stance.side, centre_s, angles, unit[:3])
        skeleton = replace(gait, yields=(given,)).walking(np.array([centre_s]))
        wrench = joint_wrenches(gait.subject, skeleton, dict.fromkeys(("left", "right"), load))
        side = stance.side
        about = [float(wrench[side, joint][1][0] @ axis) for joint, axis in _axes(skeleton, side)]
        return np.concatenate([wrench[side, "hip"][0][0] + rest_kg * unit[:3], about])

    now = needed(load)
    response = np.stack([needed(load, k) - now for k in range(len(now))], axis=1)
    per_N = np.linalg.solve(response, now - needed(struck))
    # the transient is peak · 3/2 of a cubic B-spline on quarters of its duration
    change: Array = np.asarray(per_N * (peak_N * 1.5 * IMPACT_S / 4.0), dtype=np.float64)
    return Yield(stance.side, centre_s, dict(zip(FREE_ANGLES, change[3:].tolist(), strict=True)), change[:3])


def _axes(skeleton: Skeleton, side: str) -> list[tuple[str, Array]]:
    """The axes about which each of `FREE_ANGLES` turns, laboratory axes."""
    pelvis, thigh, shank = (skeleton.rotation[n].value[0] for n in ("pelvis", f"{side}_thigh", f"{side}_shank"))
    return [("hip", pelvis[:, 1]), ("hip", thigh[:, 0]), ("knee", thigh[:, 1]), ("ankle", shank[:, 1])]
