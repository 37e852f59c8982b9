"""Heel and toe of each foot, from the markers that a model names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.markers.clean import model_markers
from gaitid.model import specs
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, Trial


@frozen_dataclass(eq=False)
class FootTrack:
    """Heel and toe markers of one foot, (frames, 3), m, laboratory axes."""

    heel_g: Array
    toe_g: Array

    def during(self, frames: slice) -> FootTrack:
        """The same foot in some frames only."""
        return FootTrack(self.heel_g[frames], self.toe_g[frames])


def foot_tracks(
    trial: Trial, model: specs.Model, markers: Mapping[str, Array] | None = None, body: Geometry | None = None
) -> dict[str, FootTrack]:
    """Heel and toe of each side, unfiltered, from the trial's own or given markers; NaN where one was not seen.

    None for a model that the ground does not act on. With the `body` of the trial also points that are carried over
    from a static.
    """
    if not model.touches_ground:
        return {}
    seen = markers or model_markers(trial, model)
    geometry = Geometry(model, seen, {}, trial.n_frames, np.zeros(3)) if body is None else body.with_markers(seen)
    feet = {side.name: heel_and_toe(geometry, side.name) for side in model.sides}
    return {side: FootTrack(heel, toe) for side, (heel, toe) in feet.items()}


def heel_and_toe(geometry: Geometry, side: str) -> tuple[Array, Array]:
    """Heel and toe of a foot, (frames, 3), m, laboratory axes, or what the model has in place of one never seen."""
    model = geometry.model

    def either(name: str, instead: str) -> Array:
        point = geometry.point(name, side)
        return geometry.point(instead, side) if instead and not np.isfinite(point).any() else point

    return either(model.heel, model.instead_of_heel), either(model.toe, model.instead_of_toe)
