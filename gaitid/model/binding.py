"""A model and the labels of one trial -> the model bound to them: each role with the label that it has there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from gaitid.model import specs
from gaitid.model.marker_sets import MarkerSet, Spellings
from gaitid.model.shapes import Frame, PointName, RigidFrame
from gaitid.records import Itself

if TYPE_CHECKING:
    from gaitid.model.pose import Multibody

# The landmarks on which markers of Plug-in Gait lie whose names in `pig` are others.
_LANDMARK_OF = {"knee_marker": "knee_lateral", "ankle_marker": "ankle_lateral", "sacrum_marker": "sacrum"}


def bind(model: specs.Model, spellings: Spellings, marker_set: MarkerSet | None = None) -> specs.Model:
    """The model with the label of each marker as the trial spells it.

    Parameters
    ----------
    model : Model
    spellings : Spellings
        The labels that were seen in the trial.
    marker_set : MarkerSet, optional
        What the labels of the model's landmarks and clusters are; needed by a model that has any.

    Returns
    -------
    Model
        Its clusters are replaced by their markers, as roles of their own (``thigh_cluster_1``). The same one for all
        trials with these labels.
    """
    return _bound(Itself(model), tuple(spellings.labels), Itself(marker_set))


@lru_cache(maxsize=64)  # one trial is asked for each model, and all trials of a laboratory have the same labels
def _bound(
    unbound: Itself[specs.Model], labels: tuple[str, ...], of_labels: Itself[MarkerSet] | Itself[None]
) -> specs.Model:
    model, spellings, marker_set = unbound.record, Spellings(labels), of_labels.record
    if marker_set is None:
        return model._replace(spelled=dict(_spelled(model, spellings, None)))
    sides = [side.name for side in model.sides]
    members = {
        cluster: [
            PointName(f"{cluster}_{i + 1}")
            for i in range(max((len(marker_set.clusters.get((side, cluster), ())) for side in places), default=0))
        ]
        for scope, places in ((model.middle, [""]), (model.each_side, sides))
        for cluster in scope.clusters
    }
    bound = model._replace(
        pose=_pose(model, members),
        middle=_expanded(model.middle, members),
        each_side=_expanded(model.each_side, members),
        marker_set=marker_set.name,
    )
    return bound._replace(spelled=dict(_spelled(bound, spellings, marker_set)))


def _pose(model: specs.Model, members: Mapping[str, list[PointName]]) -> Multibody | None:
    """The model's chain with the markers of clusters in place of these, each with the weight of its cluster."""
    if model.pose is None:
        return None
    tracking = {
        segment: {member: weight for name, weight in markers.items() for member in _members(name, members)}
        for segment, markers in model.pose.tracking.items()
    }
    return model.pose._replace(tracking=tracking)


def _spelled(
    model: specs.Model, spellings: Spellings, marker_set: MarkerSet | None
) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
    """For each role the label that it has in the trial, or those that it may have."""
    for side, role in (*model.roles, *model.calibration_roles):
        alternatives = model.labels(role, side)
        label, _ = spellings.find(alternatives)
        if not label and marker_set is not None:
            alternatives = (*alternatives, *_alternatives(marker_set, side, role))
            label, _ = spellings.find(alternatives)
        yield (side, role), (label,) if label else alternatives


def _alternatives(marker_set: MarkerSet, side: str, role: str) -> tuple[str, ...]:
    landmark = _LANDMARK_OF.get(role, role)
    if (side, landmark) in marker_set.roles:
        return marker_set.roles[side, landmark]
    cluster, _, number = role.rpartition("_")
    members = marker_set.clusters.get((side, cluster), ())
    return members[int(number) - 1] if number.isdecimal() and 0 < int(number) <= len(members) else ()


def _expanded(scope: specs.Scope, members: Mapping[str, list[PointName]]) -> specs.Scope:
    """The scope with a role for each marker of its clusters, and these in place of the clusters."""
    roles: dict[str, tuple[str, ...]] = {role: () for cluster in scope.clusters for role in members[cluster]}
    return scope._replace(
        markers={**scope.markers, **roles},
        clusters=(),
        frames={name: _with_members(frame, members) for name, frame in scope.frames.items()},
    )


def _with_members(frame: Frame, members: Mapping[str, list[PointName]]) -> Frame:
    if not isinstance(frame, RigidFrame):
        return frame
    points, reserve = (
        tuple(member for name in names for member in _members(name, members)) for names in (frame.points, frame.reserve)
    )
    return frame._replace(points=points, reserve=reserve)


def _members(name: PointName, members: Mapping[str, list[PointName]]) -> list[PointName]:
    """The markers of a cluster, also of a named side's; a point itself."""
    side, dot, bare = name.rpartition(".")
    return [PointName(f"{side}{dot}{member}") for member in members[bare]] if bare in members else [name]
