"""Where the markers and joints of a chain lie on its segments, as means over a static or over the trial itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.joints import Calibration, JointPlace, Place, Pose
from gaitid.body.lengths import spread_of
from gaitid.model import specs
from gaitid.model.shapes import PointName, RigidFrame
from gaitid.numerics.masks import mean_of_known
from gaitid.numerics.rotation import apply_transposed, cardan
from gaitid.trial import Array


def tracking_markers(model: specs.Model) -> Mapping[str, Mapping[PointName, float]]:
    """For each segment the markers that move with it, and their weights.

    Those that the model names, else those of its rigid frame; a marker of two rigid frames belongs to the upper one.
    """
    assert model.pose is not None
    found: dict[str, Mapping[PointName, float]] = {}
    frames = {model.base.segment: model.base.frame} | {b.segment: b.frame for b in reversed(model.chain)}
    taken = {name for markers in model.pose.tracking.values() for name in markers}
    for segment, frame in frames.items():
        base = segment == model.base.segment
        definition = model.scope(not base).frames.get(frame)
        if segment in model.pose.tracking:
            found[segment] = model.pose.tracking[segment]
        elif isinstance(definition, RigidFrame):
            names = (*definition.points, *definition.reserve)
            found[segment] = {n: 1.0 for n in names if n not in taken and _is_marker(model, n, base)}
            taken |= found[segment].keys()
        else:
            found[segment] = {}
    by_segment = model.pose.segment_weights
    return {
        segment: {name: weight * by_segment.get(segment, 1.0) for name, weight in weights.items()}
        for segment, weights in found.items()
    }


def _is_marker(model: specs.Model, name: PointName, base: bool) -> bool:
    side, bare = model.place("point", name, "" if base else model.sides[0].name)
    scope = model.scope(bool(side))
    return bare in scope.markers and bare not in scope.points


def with_chain(calibration: Calibration, geometry: Geometry, sides: Sequence[str], source: str = "") -> Calibration:
    """The calibration with the places of markers and joints on their segments, as means over a trial.

    Parameters
    ----------
    calibration : Calibration
    geometry : Geometry
        Of a static, or of the trial itself.
    sides : sequence of str
    source : str, optional
        Where they are from, if not where the rest is from.
    """
    model = geometry.model
    tracking: dict[Place, Mapping[str, Array]] = {}
    joints: dict[Place, JointPlace] = {}
    spread = dict(calibration.spread_m)
    base, markers = geometry.frame(model.base.frame), tracking_markers(model)
    bodies = [
        ("", model.base.segment, model.base.frame),
        *((s, b.segment, b.frame) for s in sides for b in model.chain),
    ]
    for side, segment, frame in bodies:
        pose = geometry.frame(frame, side)
        local = {name: _local(pose, geometry.point(name, side)) for name in markers[segment]}
        means = {str(name): mean_of_known(track) for name, track in local.items()}
        tracking[side, segment] = {name: mean for name, mean in means.items() if np.isfinite(mean).all()}
        spread[side, frame] = {
            str(name): spread_of(track, means[name]) for name, track in local.items() if name in tracking[side, segment]
        }
    joints["", model.base.segment] = JointPlace(
        np.zeros(3), mean_of_known(_local(base, geometry.point(model.base.origin))), np.zeros(3)
    )
    for side in sides:
        for body, above in zip(model.chain, model.proximal, strict=True):
            proximal = base if above is None else geometry.frame(model.chain[above].frame, side)
            distal, centre = geometry.frame(body.frame, side), geometry.point(body.centre, side)
            D = mean_rotation(np.swapaxes(proximal.R_gs, 1, 2) @ distal.R_gs)
            angles = np.array([float(a[0]) for a in cardan(D[None], model.angles[body.joint].sequence)])
            joints[side, body.joint] = JointPlace(
                mean_of_known(_local(proximal, centre)), mean_of_known(_local(distal, centre)), angles
            )
    return calibration.with_chain(tracking, joints, spread, source)


def _local(pose: Pose, track: Array) -> Array:
    return apply_transposed(pose.R_gs, track - pose.origin_g)


def mean_rotation(R: Array) -> Array:
    """(3, 3) the rotation nearest to the mean; NaN where none is known."""
    known = np.isfinite(R).all(axis=(1, 2))
    if not known.any():
        return np.full((3, 3), np.nan)
    u, _, vt = np.linalg.svd(R[known].mean(axis=0))
    return np.asarray(u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt)
