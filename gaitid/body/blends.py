"""Points as Vicon's BodyLanguage makes them: drawn to a mean place among others, as stored, dropped on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gaitid.body.places import Calibration
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
        return np.asarray(start + share[..., None] * _to_mean_place(geometry, start, spec.others, side))
    first, second, third = (geometry.point(p, side) for p in spec.plane)
    normal = unit(cross(second - first, third - first))
    return np.asarray(start - dot(start - first, normal)[:, None] * normal)


def _to_mean_place(geometry: Points, start: Array, others: Sequence[shapes.PointRef], side: str) -> Array:
    """From a point to its mean place among three others, of each walk its own."""
    first, origin, third = (geometry.point(p, side) for p in others)
    R = frame_from_axes("x", first - origin, "z", origin - third)
    local = apply_transposed(R, start - origin)
    means = np.array([mean_of_known(walk) for walk in local.reshape(geometry.draws, -1, 3)])
    return np.asarray(origin + apply(R, geometry.of_each(means)) - start)


def _stored(geometry: Points, spec: shapes.StoredPoint, side: str) -> Array:
    """A marker, moved by how far from it the trial stores a point; nowhere in a part of the trial."""
    recorded = {} if geometry.calibration is None else geometry.calibration.stored
    labels = [
        next(filter(recorded.__contains__, geometry.model.labels(n, side)), "") for n in (spec.point, spec.beside)
    ]
    marker = geometry.point(spec.beside, side)
    if not all(labels) or len(recorded[labels[0]]) * geometry.draws != len(marker):
        return np.full_like(marker, np.nan)
    stored = marker + np.tile(recorded[labels[0]] - recorded[labels[1]], (geometry.draws, 1))
    if spec.before is None:
        return np.asarray(stored)
    earlier = stored - _to_mean_place(geometry, stored, spec.before, side)
    if median_of_known(norm(earlier - marker)) > _FIRST_RUN:
        every = len(recorded[labels[0]])
        earlier[::every] = stored[::every]
    return np.asarray(earlier)
