"""Lengths of segments between the centres of their joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gaitid.body.frames import Geometry
from gaitid.model import specs
from gaitid.trial import Array


def neighbours(model: specs.Model) -> list[tuple[specs.Segment, specs.Segment]]:
    """Each body that hangs from another of the chain, and that other."""
    return [(body, model.chain[k]) for body, k in zip(model.chain, model.proximal, strict=True) if k is not None]


def distance(geometry: Geometry, side: str, a: str, b: str) -> Array:
    """(frames,) distances between two points, m."""
    return np.asarray(np.linalg.norm(geometry.point(a, side) - geometry.point(b, side), axis=1))


def segment_lengths(geometry: Geometry, sides: Sequence[str]) -> Mapping[tuple[str, str], Array]:
    """(frames,) lengths, m, of each segment that has a joint at both ends, by side and segment."""
    return {
        (side, above.segment): distance(geometry, side, below.centre, above.centre)
        for side in sides
        for below, above in neighbours(geometry.model)
    }
