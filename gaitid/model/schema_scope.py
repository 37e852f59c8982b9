"""Markers, numbers, points and frames of the middle of the body or of each side, in a model's YAML -> `Scope`."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.model import specs
from gaitid.model.fields import Fields, once
from gaitid.model.shape_parser import parse_frame, parse_point
from gaitid.model.shapes import pose_points
from gaitid.trial import pose_labels

_point, _frame = once(parse_point), once(parse_frame)


def _labels(group: Fields) -> dict[str, tuple[str, ...]]:
    """The labels of each role."""
    markers: dict[str, tuple[str, ...]] = {}
    for key, value in group.values.items():
        labels = [value] if isinstance(value, str) else value
        if not isinstance(labels, list) or not labels or not all(isinstance(v, str) and v for v in labels):
            group.faults.add(f"{group.at(key)}: expected a label or a list of labels, found {value!r}")
            labels = ["?"]
        markers[key] = tuple(labels)
    return markers


def _poses(group: Fields) -> dict[str, tuple[str, ...]]:
    """The points that stand for each stored pose, as markers, and the labels of each."""
    return {
        point: tuple(label for segment in segments for label in pose_labels([segment])[i : i + 1])
        for pose, segments in _labels(group).items()
        for i, point in enumerate(pose_points(pose))
    }


def parse_scope(fields: Fields) -> specs.Scope:
    markers = _labels(fields.mapping("markers", {}))
    calibration = _labels(fields.mapping("calibration_markers", {}))
    for key in sorted(markers.keys() & calibration.keys()):
        fields.faults.add(f"{fields.at('calibration_markers')}.{key}: the name is given twice, in markers too")
    markers |= _poses(fields.mapping("poses", {}))
    markers |= dict.fromkeys(parse_names(fields, "landmarks", markers), ())
    clusters = parse_names(fields, "clusters", markers)
    numbers = fields.mapping("numbers", {})
    points = fields.mapping("points", {})
    frames = fields.mapping("frames", {})
    for key in sorted(points.values.keys() & (markers.keys() | calibration.keys() | set(clusters))):
        fields.faults.add(
            f"{points.at(key)}: the name is that of a marker, which the point would hide; rename one of them"
        )
    scope = specs.Scope(
        markers,
        clusters,
        {key: numbers.required_expression(key) for key in numbers.values},
        {key: _point(points, key) for key in points.values},
        {key: _frame(frames, key) for key in frames.values},
        calibration,
    )
    fields.done()
    return scope


def parse_names(fields: Fields, key: str, taken: Mapping[str, object] = {}) -> tuple[str, ...]:
    """A list of names under an optional key; none of those that are taken."""
    if key not in fields.values:
        fields.asked.add(key)
        return ()
    names = fields.items(key)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            fields.faults.add(f"{fields.at(key)}: expected names such as knee_lateral, found {name!r}")
        elif name in taken or names.count(name) > 1:
            fields.faults.add(f"{fields.at(key)}: the name {name!r} is given twice")
    return tuple(name for name in names if isinstance(name, str))
