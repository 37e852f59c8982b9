"""A static trial -> what a model carries over from it: places of markers on their segments, points and frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.joints import STORED_IN_TRIAL, Calibration, Pair, Place, Pose
from gaitid.body.lengths import points_of_segments, ranges_of_segments, segment_lengths, spread_of
from gaitid.markers.clean import calibration_markers, model_markers
from gaitid.markers.templates import Template
from gaitid.model import specs
from gaitid.model.shapes import CarriedFrame, CarriedPoint, RigidFrame, stored_points
from gaitid.numerics.masks import mean_of_known
from gaitid.numerics.rigid_fit import FEWEST
from gaitid.numerics.rotation import apply_transposed
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
                point: apply_transposed(pose.R_gs, static.point(point, side) - pose.origin_g)
                for point in (*definition.points, *definition.reserve)
            }
            means = {point: mean_of_known(track) for point, track in local.items()}
            templates[place] = {point: mean for point, mean in means.items() if np.isfinite(mean).all()}
            spread[place] = {point: spread_of(local[point], means[point]) for point in templates[place]}
        elif isinstance(definition, CarriedPoint):
            pose = static.frame(definition.by, side)
            mean = mean_of_known(apply_transposed(pose.R_gs, static.point(definition.point, side) - pose.origin_g))
            if np.isfinite(mean).all():
                points[place] = mean
        else:
            by, carried = static.frame(definition.by, side), static.frame(definition.frame, side)
            R = np.einsum("fji,fjk->fik", by.R_gs, carried.R_gs)
            known = np.isfinite(R).all(axis=(1, 2))
            if known.any():
                u, _, vt = np.linalg.svd(R[known].mean(axis=0))  # the rotation nearest to the mean
                origin = mean_of_known(apply_transposed(by.R_gs, carried.origin_g - by.origin_g))
                frames[place] = Pose((u @ vt)[None], origin[None])
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
    from gaitid.body.chain_places import with_chain  # of few models

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
