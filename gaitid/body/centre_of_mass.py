"""Segments in motion -> the acceleration of the whole body's centre of mass, as far as the model's segments tell it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.body.poses import Body, Key, Motion
from gaitid.numerics.blocks import joined
from gaitid.trial import Array


def acceleration_of_body(body: Body) -> Array:
    """Acceleration of the whole body's centre of mass, (frames, 3), m/s², laboratory axes.

    Each segment of the model counts with its own mass; what the model leaves out (trunk, head and arms, two thirds of
    the mass) is taken to move as the pelvis does:  a = Σ (m_i / m) a_i + (1 − Σ m_i / m) a_pelvis.

    A marker on the sacrum alone moves farther up and down than the centre of mass at higher speeds, segments do not
    (Gard, Miff & Kuo 2004, Hum Mov Sci 22:597-610; Pavei et al. 2017, Front Physiol 8:129): legs are what makes the
    difference, and they are here. On the shared walks the vertical force that follows is right to 0.02 of body weight
    (standard deviation of means over 0.2 s), forward and sideways the pelvis swings more than the trunk and the
    acceleration is up to twice as large as the body's (docs/whole_body.md).

    Returns
    -------
    (frames, 3) array
        NaN where the motion of a segment is not known; throughout where a leg was not recorded or a segment's mass is
        given in kilograms.
    """
    shares = shares_of_legs(body)
    if shares is None:
        return np.full_like(body.segments[body.base].com_g, np.nan)
    return joined([_acceleration(shares, motion) for _, motion in body.motions()])


def _acceleration(shares: Mapping[Key, float], motion: Motion) -> Array:
    total = motion.base.acc_g * (1.0 - sum(shares.values()))
    for (side, segment), share in shares.items():
        total = total + share * motion.by_side[side][segment].acc_g
    return np.asarray(total)


def centre_of_body(body: Body) -> Array:
    """The whole body's centre of mass, (frames, 3), m, by the same segments; the trunk and the rest lie at the pelvis.

    It is too low and, by what the pelvis lies before or behind the trunk, off by a steady part.
    """
    base_g, shares = body.segments[body.base].com_g, shares_of_legs(body)
    if shares is None:
        return np.full_like(base_g, np.nan)
    total = base_g * (1.0 - sum(shares.values()))
    for key, share in shares.items():
        total = total + share * body.segments[key].com_g
    return np.asarray(total)


def shares_of_legs(body: Body) -> dict[tuple[str, str], float] | None:
    """Of the body's mass, by side and segment; None where a leg is absent or a segment's mass is given in kilograms."""
    model = body.model
    shares = {
        (side, spec.segment): model.table.row(spec.row, side).mass_fraction
        for side in body.sides
        for spec in model.chain
    }
    if len(body.sides) != len(model.sides) or None in shares.values():
        return None
    return {key: share or 0.0 for key, share in shares.items()}


def legs_stand_for_the_body(body: Body, complete: bool) -> bool:
    """Whether legs and pelvis are all that tells the centre of mass of a body on the ground, which is not complete."""
    return body.model.touches_ground and not complete and shares_of_legs(body) is not None
