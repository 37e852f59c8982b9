"""Points as Vicon's BodyLanguage makes them: drawn to a mean place among others, as stored, dropped on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from gaitid.body.places import STORED_IN_TRIAL, Calibration
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
    found = geometry.calibration
    recorded = found.stored if found is not None and (spec.always or found.source == STORED_IN_TRIAL) else {}
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
