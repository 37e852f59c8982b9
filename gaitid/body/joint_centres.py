"""Points as Vicon's BodyLanguage makes them: drawn to a mean place among others, as stored, dropped on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gaitid.body.joints import STORED_IN_TRIAL, Calibration
from gaitid.model import shapes, specs
from gaitid.model.expression import Expression
from gaitid.numerics.masks import mean_of_known, median_of_known
from gaitid.numerics.rotation import apply, apply_transposed, cross, dot, frame_from_axes, norm, unit
from gaitid.trial import Array

# m. A stored point that was so near to its marker before it was blended was blended once: points are stored to 1e-7 m.
_FIRST_RUN = 1e-5


class Points(Protocol):
    """What is asked of a `Geometry`."""

    model: specs.Model
    calibration: Calibration | None
    draws: int

    @property
    def held(self) -> Points | None:
        """From which means over the trial are taken, where not from itself."""

    def point(self, ref: str | shapes.Point, side: str) -> Array:
        """(frames, 3) positions, m."""

    def value(self, formula: Expression, side: str) -> object:
        """Of a formula."""

    def of_each(self, values: Array) -> Array:
        """(frames, …) of (draws, …) values."""


def point(geometry: Points, spec: shapes.StoredPoint | shapes.Blend | shapes.FootOf, side: str) -> Array:
    """(frames, 3) positions, m, laboratory axes."""
    if isinstance(spec, shapes.StoredPoint):
        return _stored(geometry, spec, side)
    start = geometry.point(spec.point, side)
    if isinstance(spec, shapes.Blend):
        share = np.asarray(geometry.value(spec.share, side), dtype=float)
        held = start if geometry.held is None else geometry.held.point(spec.point, side)
        return np.asarray(start + share[..., None] * _to_mean_place(geometry, start, held, spec.others, side))
    first, second, third = (geometry.point(p, side) for p in spec.plane)
    normal = unit(cross(second - first, third - first))
    return np.asarray(start - dot(start - first, normal)[:, None] * normal)


def _to_mean_place(geometry: Points, start: Array, held: Array, others: Sequence[shapes.PointRef], side: str) -> Array:
    """From a point to its mean place among three others, of each walk its own, or where means are held, of that one."""
    (R, origin), of_means = _axes(geometry, others, side), geometry.held or geometry
    held_R, held_origin = (R, origin) if of_means is geometry else _axes(of_means, others, side)
    local = apply_transposed(held_R, held - held_origin)
    means = np.array([mean_of_known(walk) for walk in local.reshape(of_means.draws, -1, 3)])
    means = np.broadcast_to(means, (geometry.draws, 3)) if len(means) == 1 else means
    return np.asarray(origin + apply(R, geometry.of_each(means)) - start)


def _axes(geometry: Points, others: Sequence[shapes.PointRef], side: str) -> tuple[Array, Array]:
    """The axes of three points, and their origin."""
    first, origin, third = (geometry.point(p, side) for p in others)
    return frame_from_axes("x", first - origin, "z", origin - third), origin


def _stored(geometry: Points, spec: shapes.StoredPoint, side: str) -> Array:
    """A marker, moved by how far from it the trial stores a point; nowhere in a part of the trial."""
    result = geometry.calibration
    recorded = result.stored if result is not None and (spec.always or result.source == STORED_IN_TRIAL) else {}
    names = spec.point, spec.beside
    labels = [next(filter(recorded.__contains__, geometry.model.labels(name, side)), "") for name in names]
    marker = geometry.point(spec.beside, side)
    if not all(labels) or len(recorded[labels[0]]) * geometry.draws != len(marker):
        return np.full_like(marker, np.nan)
    every, apart = len(recorded[labels[0]]), recorded[labels[0]] - recorded[labels[1]]
    stored = marker + np.tile(apart, (geometry.draws, 1))
    if spec.before is None:
        return np.asarray(stored)
    of = geometry.held
    held = stored if of is None else of.point(spec.beside, side) + np.tile(apart, (of.draws, 1))
    earlier = stored - _to_mean_place(geometry, stored, held, spec.before, side)
    if median_of_known(norm(earlier - marker)) > _FIRST_RUN:
        earlier[::every] = stored[::every]
    return np.asarray(earlier)


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
