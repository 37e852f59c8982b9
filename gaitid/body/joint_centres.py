"""Joint centres from markers in closed form: Plug-in Gait's chord function, and the knee alignment device."""

from __future__ import annotations

import numpy as np

from gaitid.numerics.rotation import cross, dot, norm, unit
from gaitid.trial import Array


def corner(first: Array, second: Array, third: Array, sign: Array | float = 1.0) -> Array:
    """Where three arms meet that are as long as each other and square to each other, from their tips.

    The tips and the point are four corners of a cube of edge d/√2, with d the root-mean-square distance between the
    tips: the point lies d/√6 behind their middle, along the normal of their plane. So Plug-in Gait finds the centre of
    the knee alignment device, which it stores as the knee marker of its static (Nexus 2.12: to 3e-5 mm, the rounding of
    stored points; with the mean distance to 1e-3 mm).

    Parameters
    ----------
    first, second, third : (frames, 3) arrays, m
    sign : float or (frames,) array
        1 where the point lies against (third − second) × (first − second), −1 where it lies along it.

    Returns
    -------
    (frames, 3) array, m
    """
    normal = unit(cross(third - second, first - second))
    edges = (first - second, second - third, third - first)
    d = np.sqrt(sum(dot(edge, edge) for edge in edges) / 3)
    back = np.sign(sign) * d / np.sqrt(6)
    return np.asarray((first + second + third) / 3 - back[..., None] * normal)


def chord(proximal: Array, wand: Array, lateral: Array, radius: Array | float, dihedral: Array | float) -> Array:
    """Joint centre from a lateral marker and a wand: Plug-in Gait's chord function, in closed form.

    The centre C satisfies |C − lateral| = radius, (lateral − C) ⟂ (proximal − C), and the wand lies at the
    angle `dihedral` from the plane (proximal, C, lateral), about proximal − C. Seen from the proximal joint,
    the directions of C, the lateral marker and the wand are the corners of a spherical triangle with two sides
    and an angle given; Napier's analogies solve it (Todhunter 1886, Spherical Trigonometry, arts. 44 and 52).

    Parameters
    ----------
    proximal, wand, lateral : (frames, 3) arrays, m
    radius : float or (frames,) array, m
    dihedral : float or (frames,) array, rad

    Returns
    -------
    (frames, 3) array, m
        NaN where no such centre exists.
    """
    radius, dihedral = np.asarray(radius, dtype=float), np.asarray(dihedral, dtype=float)
    to_marker = lateral - proximal
    d = norm(to_marker)
    with np.errstate(invalid="ignore", divide="ignore"):
        m = to_marker / d[..., None]
        w = unit(wand - proximal)
        alpha = np.arcsin(radius / d)  # between C and the marker
        sin_alpha, cos_alpha = np.sin(alpha), np.cos(alpha)
        cos_gamma = dot(w, m)
        across = w - cos_gamma[..., None] * m
        sin_gamma = norm(across)
        gamma = np.arctan2(sin_gamma, cos_gamma)  # between the marker and the wand
        beta = np.abs(dihedral)  # at C
        omega = np.arcsin(np.sin(beta) * sin_alpha / sin_gamma)  # at the wand
        half = (beta + omega) / 2
        # at the marker, from the wand to C: π where the dihedral angle is 0
        theta = 2 * np.arctan2(np.cos((gamma - alpha) / 2) * np.cos(half), np.cos((gamma + alpha) / 2) * np.sin(half))
        e1 = across / sin_gamma[..., None]
        e2 = cross(e1, m) * np.sign(dihedral)[..., None]
        n = np.cos(theta)[..., None] * e1 + np.sin(theta)[..., None] * e2
        c = cos_alpha[..., None] * m + sin_alpha[..., None] * n
        return np.asarray(proximal + (d * cos_alpha)[..., None] * c)
