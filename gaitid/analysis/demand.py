"""Segments in motion -> the force and the moment that the ground must give the whole body, or it would move otherwise.

Newton and Euler for all segments together, about the laboratory's origin (Ren, Jones & Howard 2008, J Biomech
41:2750-2759, eq. 1 and 2):

    f = Σ m_i (a_i − g)        m = Σ [c_i × m_i (a_i − g) + I_i α_i + ω_i × I_i ω_i]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gaitid.analysis.result import SideResult
from gaitid.body.joints import Pose
from gaitid.body.kinematics import SegmentMotion, segment_motions
from gaitid.body.poses import Body
from gaitid.body.upper_body import WholeBody, shares_of_legs
from gaitid.dynamics.chain import Wrench
from gaitid.numerics.masks import mark_ends
from gaitid.numerics.rotation import apply, apply_transposed, cross
from gaitid.numerics.spline import spline_derivatives
from gaitid.trial import Array


def demand_of(
    body: Body, sides: Mapping[str, SideResult], whole: WholeBody | None, mass_kg: float, gravity_g: Array
) -> tuple[Wrench, Array] | None:
    """What the motion asks of the ground; None where a leg was not recorded or a segment's mass is its own.

    Where trunk and arms were not measured their mass moves as the middle of both hips does.

    Parameters
    ----------
    body : Body
    sides : mapping of side to SideResult
        Of both legs.
    whole : WholeBody or None
        Trunk, head and arms, complete; None where pelvis and legs stand for all.
    mass_kg : float
    gravity_g : (3,) array, m/s²

    Returns
    -------
    Wrench
        About the laboratory's origin; NaN where a segment is not known.
    (frames, 3) array, m
        The centre of mass that it is by.
    """
    shares = shares_of_legs(body)
    if shares is None:
        return None
    force, moment, centre = np.zeros((3, body.geometry.n_frames, 3))
    above = _rest(body, sides, mass_kg * (1 - sum(shares.values()))) if whole is None else _upper(body, whole, mass_kg)
    for mass, at_g, acc_g, turns_g in (*_legs(sides), *above):
        f_g = mass * (acc_g - gravity_g)
        force, moment = force + f_g, moment + cross(at_g, f_g) + turns_g
        centre = centre + mass / mass_kg * at_g
    return Wrench(force, moment, np.zeros(3)), centre


#: Of a segment its mass, kg, its centre and that's acceleration, (frames, 3), and dL/dt about it, N·m.
_Moving = tuple[float, Array, Array, Array]


def _legs(sides: Mapping[str, SideResult]) -> Iterator[_Moving]:
    for leg in sides.values():
        for name, motion in leg.motions.items():
            yield leg.bodies[name].mass_kg, motion.com_g, motion.acc_g, _turning(motion, leg.bodies[name].inertia_s)


def _rest(body: Body, sides: Mapping[str, SideResult], mass_kg: float) -> Iterator[_Moving]:
    centres = [[*leg.joints_g.values()][-1] for leg in sides.values()]
    middle_g = np.asarray(sum(centres)) / len(centres)
    yield mass_kg, middle_g, _acceleration(body, middle_g), np.zeros_like(middle_g)


def _upper(body: Body, whole: WholeBody, mass_kg: float) -> Iterator[_Moving]:
    for placed in whole.segments.values():
        turning = np.zeros_like(placed.com_g)
        if placed.pose is not None:
            motions = segment_motions(
                {"it": (Pose(placed.pose.R_gs, placed.com_g), placed.com_g)}, body.rate_hz, body.settings
            )
            turning = _turning(motions["it"], placed.inertia(mass_kg))
        elif placed.along_g is not None:  # a slender body does not turn about its length:  L = I e × ė
            inertia = float(np.diag(placed.inertia(mass_kg))[:2].mean())
            turning = inertia * cross(placed.along_g, _acceleration(body, placed.along_g))
        yield mass_kg * placed.share, placed.com_g, _acceleration(body, placed.com_g), turning


def _acceleration(body: Body, points_g: Array) -> Array:
    return mark_ends(spline_derivatives(points_g[:, None], body.rate_hz)[1][:, 0], body.settings.end_frames)


def _turning(motion: SegmentMotion, inertia_s: Array) -> Array:
    """(frames, 3) N·m, I α + ω × I ω, laboratory axes."""

    def times(v_g: Array) -> Array:
        return apply(motion.R_gs, apply_transposed(motion.R_gs, v_g) @ inertia_s.T)

    return times(motion.alpha_g) + cross(motion.omega_g, times(motion.omega_g))
