"""The energies of a result's segments over time: of motion, and of gravity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gaitid.analysis.result import BodyParameters, Result
from gaitid.body.kinematics import SegmentMotion
from gaitid.numerics.rotation import apply, apply_transposed
from gaitid.trial import Array


@dataclass(frozen=True, eq=False)
class Energies:
    """Of all segments that have a mass in the model.

    Attributes
    ----------
    kinetic_J, potential_J : (frames,) arrays
        NaN where the motion of a segment is not known. The potential is gravity's, 0 at the laboratory's origin.
    """

    kinetic_J: Array
    potential_J: Array


def energies(result: Result) -> Energies:
    """Σ ½ m v² + ½ ωᵀ I ω and −Σ m gᵀ c of the segments of all recorded sides and of the base where it has a mass.

    Parameters
    ----------
    result : Result
    """
    parts = [_of(leg.motions[name], body, result) for leg in result.sides.values() for name, body in leg.bodies.items()]
    if result.base_body is not None:
        parts.append(_of(result.base, result.base_body, result))
    nothing = np.full(result.trial.n_frames, np.nan)
    kinetic, potential = (sum(part) if parts else nothing for part in ([p[0] for p in parts], [p[1] for p in parts]))
    return Energies(np.asarray(kinetic), np.asarray(potential))


def _of(motion: SegmentMotion, body: BodyParameters, result: Result) -> tuple[Array, Array]:
    turning = apply_transposed(motion.R_gs, motion.omega_g)
    spin = np.sum(turning * apply(body.inertia_s, turning), axis=1)
    kinetic = 0.5 * body.mass_kg * np.sum(motion.vel_g**2, axis=1) + 0.5 * spin
    return kinetic, -body.mass_kg * motion.com_g @ result.gravity_g
