"""Heel and toe of each foot, from the markers that a model names."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.lengths import median_distance
from gaitid.markers.clean import model_markers
from gaitid.model import specs
from gaitid.numerics.masks import median
from gaitid.numerics.rotation import norm
from gaitid.records import frozen_dataclass
from gaitid.trial import Array, IntArray, Trial

# From the heel to the ball of a foot, as a share of the leg from hip to ankle: a foot is 0.152 of the stature, thigh
# and shank 0.245 + 0.246 (Drillis & Contini 1966, in Winter 2009, fig. 4.1), and its ball lies at 0.73 of it (Gordon et
# al. 1989, men). Toe markers of the shared trials stand at 0.23 to 0.31.
BALL_OF_LEG = 0.73 * 0.152 / (0.245 + 0.246)
# Of such a leg: hip, knee and ankle.
JOINTS = 3


@frozen_dataclass(eq=False)
class FootTrack:
    """Heel and toe of one foot.

    Attributes
    ----------
    heel_g, toe_g : (frames, 3) arrays, m
        Its markers, laboratory axes.
    ball_over_toe : float
        How many times as far as the toe marker the ball of the foot lies from the heel: more than 1 where the marker
        stands behind it, by the leg's length.
    """

    heel_g: Array
    toe_g: Array
    ball_over_toe: float = 1.0

    def during(self, frames: slice | IntArray) -> FootTrack:
        """The same foot in some frames only."""
        return FootTrack(self.heel_g[frames], self.toe_g[frames], self.ball_over_toe)

    @property
    def line_g(self) -> Array:
        """(frames, 3) m, from the heel marker to the ball of the foot."""
        return self.ball_over_toe * (self.toe_g - self.heel_g)


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
    return {side: FootTrack(heel, toe, _ball_over_toe(body, side, heel, toe)) for side, (heel, toe) in feet.items()}


def _ball_over_toe(body: Geometry | None, side: str, heel_g: Array, toe_g: Array) -> float:
    """`FootTrack.ball_over_toe` of a foot with a leg of the length that its joint centres have."""
    if body is None:
        return 1.0
    centres = [spec.centre for spec in body.model.chain]
    leg_m = sum(median_distance(body, side, *ends) for ends in pairwise(centres)) if len(centres) == JOINTS else np.nan
    length = norm(toe_g - heel_g)
    known = length[np.isfinite(length)]
    return float(np.fmax(1.0, BALL_OF_LEG * leg_m / median(known))) if known.size else 1.0


def heel_and_toe(geometry: Geometry, side: str) -> tuple[Array, Array]:
    """Heel and toe of a foot, (frames, 3), m, laboratory axes, or what the model has in place of one never seen."""
    model = geometry.model

    def either(name: str, instead: str) -> Array:
        point = geometry.point(name, side)
        return geometry.point(instead, side) if instead and not np.isfinite(point).any() else point

    return either(model.heel, model.instead_of_heel), either(model.toe, model.instead_of_toe)
