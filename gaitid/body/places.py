"""The frame of a segment over a trial, and what a static showed of frames and points: what geometry is made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gaitid.records import frozen_dataclass
from gaitid.trial import Array

if TYPE_CHECKING:
    from gaitid.body.joints import JointPlace

#: A definition's side (empty for the middle of the body) and its name.
Place = tuple[str, str]
#: Two points of one segment.
Pair = tuple[Place, Place]
#: Source of a calibration that the trial's own parameters are.
STORED_IN_TRIAL = "stored in the trial"


@frozen_dataclass(eq=False)
class Pose:
    """A frame over a trial.

    Attributes
    ----------
    R_gs : (frames, 3, 3) array
        Columns are the frame's axes in laboratory axes.
    origin_g : (frames, 3) array, m
    """

    R_gs: Array
    origin_g: Array


@frozen_dataclass(eq=False)
class Calibration:
    """What was measured in a static trial; lengths in m, in the axes of the frame that carries them.

    Of several draws (`of_draws`) places and poses have a leading axis of these.

    Attributes
    ----------
    templates : mapping of Place to mapping of str to (3,) array
        For each rigid frame the mean places of its points in it.
    points : mapping of Place to (3,) array
        For each carried point its mean place in the frame that carries it.
    frames : mapping of Place to Pose
        For each carried frame its mean pose in the frame that carries it, one frame long.
    spread_m : mapping of Place to mapping of str to float
        How much a point moved in its frame during the static: root mean square.
    source : str
    lengths_m : mapping of Place to (float, float)
        For each side and segment with a joint at both ends the mean distance between their centres in the static, m,
        and its standard deviation.
    distances_m : mapping of Place to mapping of (Place, Place) to (float, float)
        Of a model without rigid frames: for each side and segment the distances between the points that move with it,
        m, between which nine tenths of the static lie.
    tracking : mapping of Place to mapping of str to (3,) array
        Of a model that is fitted as a chain: for each side and segment the mean places of its markers on it.
    joints : mapping of Place to JointPlace
        Likewise, for each side and joint; under the base its origin.
    chain_source : str
        Where those two are from, where not from `source`.
    stored : mapping of label to (frames, 3) array, m
        The points of the trial as it stores them, where they are taken: its own parameters are the calibration, or the
        model takes them always.
    """

    templates: Mapping[Place, Mapping[str, Array]] = field(default_factory=dict)
    points: Mapping[Place, Array] = field(default_factory=dict)
    frames: Mapping[Place, Pose] = field(default_factory=dict)
    spread_m: Mapping[Place, Mapping[str, float]] = field(default_factory=dict)
    source: str = ""
    lengths_m: Mapping[Place, tuple[float, float]] = field(default_factory=dict)
    distances_m: Mapping[Place, Mapping[Pair, tuple[float, float]]] = field(default_factory=dict)
    tracking: Mapping[Place, Mapping[str, Array]] = field(default_factory=dict)
    joints: Mapping[Place, JointPlace] = field(default_factory=dict)
    chain_source: str = ""
    stored: Mapping[str, Array] = field(default_factory=dict)

    @property
    def places(self) -> frozenset[Place]:
        """Everything that it holds."""
        return frozenset([*self.templates, *self.points, *self.frames, *self.joints])

    def with_chain(
        self,
        tracking: Mapping[Place, Mapping[str, Array]],
        joints: Mapping[Place, JointPlace],
        spread_m: Mapping[Place, Mapping[str, float]],
        source: str,
    ) -> Calibration:
        """The same with the places of markers and joints on the segments of a chain."""
        return replace(self, tracking=tracking, joints=joints, spread_m=spread_m, chain_source=source)


def of_draws(calibrations: Sequence[Calibration]) -> Calibration:
    """What one calibration of each draw says of places; the rest is that of the first."""
    first = calibrations[0]
    if all(of is first for of in calibrations):
        return first
    kinds: dict[str, Any] = {}
    for kind in ("templates", "tracking", "points", "frames", "joints"):
        each = [getattr(of, kind) for of in calibrations]
        kinds[kind] = {place: _of_each([of[place] for of in each]) for place in each[0]}
    return replace(first, **kinds)


def _of_each(values: Sequence[Any]) -> Any:
    """Arrays with a leading axis of draws, in the record or mapping in which these stand."""
    first = values[0]
    if isinstance(first, Mapping):
        return {name: _of_each([of[name] for of in values]) for name in first}
    if isinstance(first, Pose):
        return Pose(*(np.concatenate([getattr(of, name) for of in values]) for name in ("R_gs", "origin_g")))
    return type(first)(*map(_of_each, zip(*values, strict=True))) if isinstance(first, tuple) else np.stack(values)
