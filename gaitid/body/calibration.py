"""A static trial -> what a model carries over from it: places of markers on their segments, points and frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.joints import STORED_IN_TRIAL, Calibration, JointPlace, Pair, Place, Pose
from gaitid.body.lengths import points_of_segments, ranges_of_segments, segment_lengths, spread_of
from gaitid.markers.clean import calibration_markers, model_markers
from gaitid.markers.templates import Template
from gaitid.model import specs
from gaitid.model.shapes import CarriedFrame, CarriedPoint, PointName, RigidFrame, stored_points
from gaitid.numerics.masks import mean_of_known
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.numerics.rotation import apply_transposed, cardan
from gaitid.trial import Array, Trial


def calibrate(static: Geometry, sides: Sequence[str], source: str) -> Calibration:
    """Measure what a model carries over from a static: means over the frames in which it is known.

    Parameters
    ----------
    static : Geometry
        Of the static trial, which carries nothing itself.
    sides : sequence of str
        Those that are wanted.
    source : str
        In words, for the record.
    """
    templates: dict[Place, Mapping[str, Array]] = {}
    points: dict[Place, Array] = {}
    frames: dict[Place, Pose] = {}
    spread: dict[Place, Mapping[str, float]] = {}
    for place, definition in carried_definitions(static.model, sides):
        side = place[0]
        if isinstance(definition, RigidFrame):
            pose = static.frame(definition.reference, side)
            local: dict[str, Array] = {
                point: _local(pose, static.point(point, side)) for point in (*definition.points, *definition.reserve)
            }
            means = {point: mean_of_known(track) for point, track in local.items()}
            templates[place] = {point: mean for point, mean in means.items() if np.isfinite(mean).all()}
            spread[place] = {point: spread_of(local[point], means[point]) for point in templates[place]}
        elif isinstance(definition, CarriedPoint):
            pose = static.frame(definition.by, side)
            mean = mean_of_known(_local(pose, static.point(definition.point, side)))
            if np.isfinite(mean).all():
                points[place] = mean
        else:
            by, carried = static.frame(definition.by, side), static.frame(definition.frame, side)
            R = np.einsum("fji,fjk->fik", by.R_gs, carried.R_gs)
            if np.isfinite(R).all(axis=(1, 2)).any():
                frames[place] = Pose(mean_rotation(R)[None], mean_of_known(_local(by, carried.origin_g))[None])
    known_lengths = {
        place: length[np.isfinite(length)]
        for place, length in segment_lengths(static, sides).items()
        if np.isfinite(length).any()
    }
    lengths = {place: (float(length.mean()), float(length.std())) for place, length in known_lengths.items()}
    distances = {} if templates else _distances(static, sides)
    calibration = Calibration(templates, points, frames, spread, source, lengths, distances)
    if static.model.pose is None:
        return calibration
    return with_chain(calibration, static, sides)


def without_static(given: Calibration, model: specs.Model, trial: Trial, static: Trial | None) -> Calibration:
    """What a subject file says, or without a static what the trial's parameters say of points that a model carries."""
    if static is not None or given.places:
        return given
    letters = {side.name: side.letter for side in model.sides}
    points = {}
    for place, definition in carried_definitions(model, [*letters]):
        if isinstance(definition, CarriedPoint) and definition.c3d:
            stem = definition.c3d.replace("{S}", letters.get(place[0], ""))
            mm = [trial.parameters.get(f"{stem}{axis}", np.nan) for axis in "XYZ"]
            if np.isfinite(mm).all():
                points[place] = 1e-3 * np.array(mm)
    if not points:
        return given
    return Calibration(points=points, source=STORED_IN_TRIAL, stored=_recorded(model, trial))


def with_stored(calibration: Calibration, model: specs.Model, trial: Trial) -> Calibration:
    """The same with the points that the trial stores, where the model takes such a point with a static too."""
    points = [*model.middle.points.values(), *model.each_side.points.values()]
    always = any(of.always for point in points for of in stored_points(point))
    return replace(calibration, stored=_recorded(model, trial)) if always else calibration


def _recorded(model: specs.Model, trial: Trial) -> dict[str, Array]:
    return {**calibration_markers(trial, model), **model_markers(trial, model)}


def marker_templates(calibration: Calibration, model: specs.Model, sides: Sequence[str]) -> tuple[Template, ...]:
    """Where the static shows the markers of each rigid frame, by the labels of the trial that the model is bound to.

    Markers that a frame takes only for lack of others are left out: they lie on joints.
    """
    templates: dict[tuple[str, tuple[str, ...]], Template] = {}  # frames with the same markers are one body
    for (side, name), definition in carried_definitions(model, sides):
        if isinstance(definition, RigidFrame):
            places = calibration.templates.get((side, name), {})
            labels = {point: marker_label(model, point, side) for point in definition.points if point in places}
            of_body = {label: places[point] for point, label in labels.items() if label}
            templates.setdefault((side, definition.points), Template(f"{side} {name}".strip(), of_body))
    return tuple(template for template in templates.values() if len(template.places) >= FEWEST)


def marker_labels(model: specs.Model, point: str, side: str) -> Sequence[str]:
    """The labels that a marker may have in the trial; none of a point that is no marker."""
    place, name = model.place("point", point, side)
    return model.labels(name, place) if name in model.scope(bool(place)).markers else ()


def marker_label(model: specs.Model, point: str, side: str) -> str:
    """The label of a marker in the trial; empty for a point that is none."""
    return next(iter(marker_labels(model, point, side)), "")


def carried_definitions(
    model: specs.Model, sides: Sequence[str]
) -> Iterator[tuple[Place, RigidFrame | CarriedPoint | CarriedFrame]]:
    """Every definition of a model that needs a static, with its place."""
    for scope, places in ((model.middle, [""]), (model.each_side, sides)):
        for name, definition in (*scope.frames.items(), *scope.points.items()):
            if isinstance(definition, RigidFrame | CarriedFrame | CarriedPoint):
                for side in places:
                    yield (side, name), definition


def _distances(static: Geometry, sides: Sequence[str]) -> Mapping[Place, Mapping[Pair, tuple[float, float]]]:
    """Between which distances nine tenths of the static lie, of the points that move with each segment."""
    points_of = points_of_segments(static.model, sides)
    return ranges_of_segments(static, {place: list(combinations(points, 2)) for place, points in points_of.items()})


def tracking_markers(model: specs.Model) -> Mapping[str, Mapping[PointName, float]]:
    """For each segment the markers that move with it, and their weights.

    Those that the model names, else those of its rigid frame; a marker of two rigid frames belongs to the upper one.
    """
    assert model.pose is not None
    result: dict[str, Mapping[PointName, float]] = {}
    frames = {model.base.segment: model.base.frame} | {b.segment: b.frame for b in reversed(model.chain)}
    taken = {name for markers in model.pose.tracking.values() for name in markers}
    for segment, frame in frames.items():
        base = segment == model.base.segment
        definition = model.scope(not base).frames.get(frame)
        if segment in model.pose.tracking:
            result[segment] = model.pose.tracking[segment]
        elif isinstance(definition, RigidFrame):
            names = (*definition.points, *definition.reserve)
            result[segment] = {n: 1.0 for n in names if n not in taken and _is_marker(model, n, base)}
            taken |= result[segment].keys()
        else:
            result[segment] = {}
    by_segment = model.pose.segment_weights
    return {
        segment: {name: weight * by_segment.get(segment, 1.0) for name, weight in weights.items()}
        for segment, weights in result.items()
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
    return np.asarray(u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt)
