"""Lengths of segments between the centres of their joints, and distances between points that one segment carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.body.joints import Pair, Place
from gaitid.model import specs
from gaitid.numerics.masks import median_of_known, quantiles_of_known
from gaitid.numerics.rotation import norm
from gaitid.trial import Array

# Frames of a trial that are looked at.
SOME_FRAMES = 100
# m. Points nearer to each other than this are one.
ONE_POINT_M = 0.01


def neighbours(model: specs.Model) -> list[tuple[specs.Segment, specs.Segment]]:
    """Each body that hangs from another of the chain, and that other."""
    return [(body, model.chain[k]) for body, k in zip(model.chain, model.proximal, strict=True) if k is not None]


def distance(geometry: Geometry, side: str, a: str, b: str) -> Array:
    """(frames,) distances between two points, m."""
    return norm(geometry.point(a, side) - geometry.point(b, side))


def median_distance(geometry: Geometry, side: str, a: str, b: str) -> float:
    """The median of the distances between two points that are known, m, computed once; NaN where none is."""
    ends = side, *sorted((a, b))
    if ends not in geometry.medians:
        geometry.medians[ends] = float(median_of_known(distance(geometry, side, a, b)))
    return geometry.medians[ends]


def spread_of(track: Array, mean: Array) -> float:
    """How far a track lies from its mean, root mean square."""
    known = track[np.isfinite(track).all(axis=1)]
    return float(np.sqrt(((known - mean) ** 2).sum(axis=1).mean()))


def segment_lengths(geometry: Geometry, sides: Sequence[str]) -> Mapping[tuple[str, str], Array]:
    """(frames,) lengths, m, of each segment that has a joint at both ends, by side and segment."""
    return {
        (side, above.segment): distance(geometry, side, below.centre, above.centre)
        for side in sides
        for below, above in neighbours(geometry.model)
    }


def constant_lengths(geometry: Geometry, side: str) -> Mapping[str, Array]:
    """(frames,) distances, m, that a leg's body keeps, by name: between joints, and among ankle, heel and toe."""
    model = geometry.model
    lengths: dict[str, Array] = {}
    for below, above in neighbours(model):
        if above.low < 0:  # a joint that slides on it, or lies in one place with its own
            continue
        several = [a for _, a in neighbours(model)].count(above) > 1
        name = f"{above.segment} to {below.joint}" if several else above.segment
        lengths[name] = distance(geometry, side, below.centre, above.centre)
    if model.touches_ground:
        lowest = model.chain[0]
        lengths["heel to toe"] = distance(geometry, side, model.heel, model.toe)
        for end in (model.heel, model.toe):
            name = f"{lowest.joint} to {'heel' if end == model.heel else 'toe'}"
            lengths[name] = distance(geometry, side, lowest.centre, end)
    return lengths


def distance_ranges(geometry: Geometry, pairs: Sequence[Pair]) -> Mapping[Pair, tuple[float, float]]:
    """Between which distances of two points, m, nine tenths of a trial lie; without points that are one, or unknown."""
    if not pairs:
        return {}
    step = max(1, geometry.n_frames // SOME_FRAMES)
    places = {place: i for i, place in enumerate(dict.fromkeys(place for pair in pairs for place in pair))}
    tracks = np.stack([geometry.point(name, side)[::step] for side, name in places], axis=1)
    a, b = np.array([(places[first], places[second]) for first, second in pairs]).T
    far = norm(tracks[:, a] - tracks[:, b])
    lows, highs = (of_pairs.tolist() for of_pairs in quantiles_of_known(far, 0.05, 0.95))
    known = zip(pairs, lows, highs, strict=True)
    return {pair: (low, high) for pair, low, high in known if low > ONE_POINT_M}  # NaN is not greater


def ranges_of_segments(
    geometry: Geometry, segments: Mapping[Place, Sequence[Pair]]
) -> Mapping[Place, Mapping[Pair, tuple[float, float]]]:
    """`distance_ranges` of the pairs of each segment, all of them at once."""
    ranges = distance_ranges(geometry, list(dict.fromkeys(pair for pairs in segments.values() for pair in pairs)))
    return {place: {pair: ranges[pair] for pair in pairs if pair in ranges} for place, pairs in segments.items()}


def points_of_segments(model: specs.Model, sides: Sequence[str]) -> Mapping[Place, tuple[Place, ...]]:
    """Points that move with each segment, as the model has it, by side and segment (of the base: no side).

    They are the centres of its joints and the markers that its frame, the centres at its distal end and, where the
    ground acts on it, its heel and toe are made of, without those that make up other segments' frames and centres.
    """
    base = model.base
    hips = {(side, body.centre) for side in sides for body in model.chain if body.on == base.segment}
    centres = {(side.name, body.centre) for side in model.sides for body in model.chain}
    frames = {base.frame, *(body.frame for body in model.chain)}
    ends = {("point", *centre) for centre in centres - hips}
    start: list[tuple[str, str, str]] = [("frame", base.frame, ""), ("point", base.origin, "")]
    result = {("", base.segment): _markers(model, start, frames - {base.frame}, ends)}
    for side in sides:
        for body in model.chain:
            below = {(side, other.centre) for other, above in neighbours(model) if above is body}
            start = [("frame", body.frame, side), *(("point", centre, side) for _, centre in below)]
            if body.ground and model.touches_ground:
                start += [("point", name, side) for name in (model.heel, model.toe)]
            ends = {("point", *centre) for centre in centres - below}
            markers = _markers(model, start, frames - {body.frame}, ends)
            result[side, body.segment] = (*sorted(below), (side, body.centre), *markers)
    return result


def _markers(
    model: specs.Model, start: Sequence[tuple[str, str, str]], frames: Set[str], ends: Set[tuple[str, str, str]]
) -> tuple[Place, ...]:
    """Every marker that definitions are made of, without what stands behind other frames and behind their ends."""
    points, seen, ahead = [], set(ends), list(start)
    while ahead:
        kind, name, side = ahead.pop()
        place, bare = model.place(kind, name, side)
        if (kind, place, bare) in seen or kind == "number" or (kind == "frame" and bare in frames):
            continue
        seen.add((kind, place, bare))
        scope = model.scope(bool(place))
        if kind == "point" and bare in scope.markers and bare not in scope.points:
            points.append((place, bare))
        ahead += [(used, name, place) for used, name in model.uses(kind, bare, bool(place))]
    return tuple(sorted(points))
