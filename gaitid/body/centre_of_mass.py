"""Segments in motion -> the acceleration of the whole body's centre of mass, as far as the model's segments tell it."""

from __future__ import annotations

import numpy as np

from gaitid.body.poses import Body, Motion
from gaitid.trial import Array


def acceleration_of_body(body: Body, motion: Motion) -> Array:
    """Acceleration of the whole body's centre of mass, (frames, 3), m/s², laboratory axes.

    Each segment of the model counts with its own mass; what the model leaves out (trunk, head and arms, two thirds of
    the mass) is taken to move as the pelvis does:  a = Σ (m_i / m) a_i + (1 − Σ m_i / m) a_pelvis.

    A marker on the sacrum alone moves farther up and down than the centre of mass at higher speeds, segments do not
    (Gard, Miff & Kuo 2004, Hum Mov Sci 22:597-610; Pavei et al. 2017, Front Physiol 8:129): legs are what makes the
    difference, and they are here. On the shared walks the vertical force that follows is right to 0.02 of body weight
    (standard deviation of means over 0.2 s), forward and sideways the pelvis swings more than the trunk and the
    acceleration is up to twice as large as the body's (docs/balance.md).

    Returns
    -------
    (frames, 3) array
        NaN where the motion of a segment is not known; throughout where a leg was not recorded or a segment's mass is
        given in kilograms.
    """
    model = body.model
    rows = [model.table.rows[spec.row].mass_fraction for spec in model.chain]
    whole = len(body.sides) == len(model.sides) and None not in rows
    if not whole:
        return np.full_like(motion.base.acc_g, np.nan)
    shares = [
        (side, spec.segment, share or 0.0) for side in body.sides for spec, share in zip(model.chain, rows, strict=True)
    ]
    total = motion.base.acc_g * (1.0 - sum(share for _, _, share in shares))
    for side, segment, share in shares:
        total = total + share * motion.by_side[side][segment].acc_g
    return np.asarray(total)
