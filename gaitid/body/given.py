"""A geometry of which some points, frames and numbers are given instead of computed."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.body.frames import Geometry
from gaitid.body.places import Place, Pose
from gaitid.model import specs
from gaitid.trial import Array


def with_given(
    geometry: Geometry,
    model: specs.Model,
    points: Mapping[Place, Array],
    frames: Mapping[Place, Pose],
    numbers: Mapping[Place, object],
) -> Geometry:
    """The same trial and subject by a model's definitions, but for what is given, here or before.

    Parameters
    ----------
    geometry : Geometry
    model : Model
        Whose definitions hold for all that is not given.
    points : mapping of Place to (frames, 3) array, m
        Laboratory axes.
    frames : mapping of Place to Pose
    numbers : mapping of Place to float or (frames,) array
    """
    markers, measured = geometry._markers, geometry._numbers
    other = Geometry(
        model, markers, measured, geometry.n_frames, geometry.up_g, geometry.foot_flat, geometry.calibration
    )
    before = geometry._given
    other._given = {**before[0], **points}, {**before[1], **frames}, {**before[2], **numbers}
    other._points |= other._given[0]
    other._frames |= other._given[1]
    other._values |= other._given[2]
    other.fits, other.fitted, other.draws = geometry.fits, geometry.fitted, geometry.draws
    other.near, other.before = geometry.near, geometry.before
    return other
