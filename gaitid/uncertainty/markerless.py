"""Errors of points and poses that a markerless system estimates: constant in the trial, in the axes of the segment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gaitid.model.shapes import StoredFrame
from gaitid.model.specs import Model
from gaitid.numerics.masks import nearest_known
from gaitid.numerics.rotation import cross
from gaitid.trial import Array
from gaitid.uncertainty.perturbed import Perturbed
from gaitid.uncertainty.shift import Error, Shift
from gaitid.uncertainty.sources import Sources

#: Segments whose length is their axis z: what turns them about it shows least in pictures.
_LONG = ("thigh", "shank")


def estimated(model: Model, sources: Sources) -> frozenset[str]:
    """Labels that are no markers on skin: of key points, and all of a model that takes poses from the file."""
    points, stored = sources.markerless.points, bool(_poses(model))
    return frozenset(
        label for side, role in model.roles if stored or role in points for label in model.labels(role, side)
    )


def of_markerless(sources: Sources, perturbed: Perturbed, segment_of: Mapping[str, tuple[str, str]]) -> Iterator[Error]:
    """Each key point off along each axis of its segment; each pose turned about each and shifted along it."""
    result, sizes = perturbed.result, sources.markerless
    model, body = result.model, perturbed.still.body
    tracks = body.geometry.tracks
    poses = _poses(model)
    for side, role in model.roles:
        for label in model.labels(role, side):
            if label not in segment_of or label not in tracks:
                continue
            R = nearest_known(body.segments[segment_of[label]].pose.R_gs)
            of_poses = {point for pose in poses for point in pose}
            alone = sizes.origin_m if poses and role not in of_poses else 0.0  # of a pose only its origin is taken
            size = sizes.point_m if role in sizes.points else alone
            for axis in range(3 if size else 0):
                shift = Shift(markers={label: size * R[:, :, axis]})
                yield Error("markerless", f"{role} ({label}), {'xyz'[axis]}", shift)
            pose = next((pose for pose in poses if role == pose.origin), None)
            if pose is not None:
                parts = {of: tracks[of] for point in pose for of in model.labels(str(point), side) if of in tracks}
                yield from _of_pose(f"{side} {role}".strip(), segment_of[label], parts, tracks[label], R, sources)


def _of_pose(
    words: str, place: tuple[str, str], parts: Mapping[str, Array], origin: Array, R: Array, sources: Sources
) -> Iterator[Error]:
    """Turned about its origin, and shifted with all its points."""
    sizes = sources.markerless
    for axis, letter in enumerate("xyz"):
        turn = sizes.about_length_rad if place[1] in _LONG and letter == "z" else sizes.turn_rad
        along = R[:, :, axis]
        if turn:
            turned = {label: turn * cross(along, track - origin) for label, track in parts.items()}
            yield Error("markerless", f"{words} turned about {letter}", Shift(markers=turned))
        if sizes.origin_m:
            moved = dict.fromkeys(parts, sizes.origin_m * along)
            yield Error("markerless", f"{words} along {letter}", Shift(markers=moved))


def _poses(model: Model) -> list[StoredFrame]:
    """Those that the model takes from the file."""
    frames = (frame for scope in (model.middle, model.each_side) for frame in scope.frames.values())
    return [frame for frame in frames if isinstance(frame, StoredFrame)]
