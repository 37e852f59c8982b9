"""Heel and toe of each foot, from the markers that a model names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gaitid.body.calibration import Calibration
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
    trial: Trial, model: specs.Model, markers: Mapping[str, Array] | None = None, calibration: Calibration | None = None
) -> dict[str, FootTrack]:
    """Heel and toe of each side, unfiltered, from the trial's own or given markers; NaN where one was not seen.

    What a static shows of a foot (`calibration`) may carry a toe whose markers were not seen. None for a model that
    the ground does not act on.
    """
    if not model.touches_ground:
        return {}
    seen = markers or model_markers(trial, model)
    geometry = Geometry(model, seen, {}, trial.n_frames, np.zeros(3), calibration=calibration)

    def toe(side: str) -> Array:
        point = geometry.point(model.toe, side)
        if model.instead_of_toe and not np.isfinite(point).any():
            return geometry.point(model.instead_of_toe, side)
        return point

    return {side.name: FootTrack(geometry.point(model.heel, side.name), toe(side.name)) for side in model.sides}
