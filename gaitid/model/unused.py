"""Markers that a model or a marker set names and that nothing uses: most often a misspelt name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gaitid.model import specs
from gaitid.model.fields import held, nearest
from gaitid.model.load import bundled_models, load_model, shown
from gaitid.model.marker_sets import CLUSTERS, CLUSTERS_EACH_SIDE, LANDMARKS, LANDMARKS_EACH_SIDE, MarkerSet
from gaitid.model.parsed import content_of
from gaitid.model.validate import Names
from gaitid.notes import Notes, note

_SCOPES = ((False, "middle"), (True, "each_side"))


def unused_markers(model: specs.Model) -> Notes:
    """A note for each marker, landmark and cluster that a model adds to those it extends, and that nothing uses.

    Parameters
    ----------
    model : Model
        As it was read, not bound to a trial.
    """
    own = _declared(content_of(model.paths[0]))
    scopes = model.middle, model.each_side
    used = Names(model).used_of({name for scope in scopes for name in (*scope.markers, *scope.clusters)})
    inherited = {place for path in model.paths[1:-1] for place in _declared(content_of(path))}
    notes = []
    for (sided, name), group in own.items():
        defined = model.defines("point", name, sided)
        if (sided, name) in inherited or ("point", name, sided) in used or not defined:
            continue
        scope = model.scope(sided)
        others = [other for other in (*scope.markers, *scope.clusters) if ("point", other, sided) in used]
        path = f"{dict(_SCOPES)[sided]}.{group}.{name}" if group == "markers" else f"{dict(_SCOPES)[sided]}.{group}"
        what = "it" if group == "markers" else repr(name)
        meant = nearest(name, others)
        notes.append(note("alias_unused/model", file=shown(model.paths[0]), path=path, what=what, meant=meant))
    return tuple(notes)


def _declared(content: object) -> dict[tuple[bool, str], str]:
    """Whether each side has it and the name of each marker that a model's file declares, and under which key."""
    found: dict[tuple[bool, str], str] = {}
    for sided, place in _SCOPES:
        for group in ("markers", "landmarks", "clusters"):
            names = held(content, place).get(group)
            for name in names if isinstance(names, list | Mapping) else ():
                found[sided, str(name)] = group
    return found


def unknown_landmarks(marker_set: MarkerSet, model: specs.Model | None = None) -> Notes:
    """A note for each landmark and cluster of a marker set that neither the field's words hold nor the model uses.

    Parameters
    ----------
    marker_set : MarkerSet
    model : Model, optional
        The one that it is for; without it any bundled model may be.
    """
    notes = []
    models = [load_model(name) for name in bundled_models()] if model is None else [model]
    for key, name, words in _named(marker_set):
        scopes = [of_model.scope(key.endswith("_each_side")) for of_model in models]
        known = [*words, *(role for scope in scopes for role in (*scope.markers, *scope.clusters))]
        if name not in known:
            path, meant = f"{key}.{name}", nearest(name, known)
            notes.append(note("alias_unused/marker_set", file=shown(marker_set.path), path=path, meant=meant))
    return tuple(notes)


def _named(marker_set: MarkerSet) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Key and name of each landmark and cluster once, and the words that are known for its key."""
    for key, group, middle, each_side in (
        ("landmarks", marker_set.roles, tuple(LANDMARKS), tuple(LANDMARKS_EACH_SIDE)),
        ("clusters", marker_set.clusters, CLUSTERS, CLUSTERS_EACH_SIDE),
    ):
        for sided, name in dict.fromkeys((bool(side), name) for side, name in group):
            yield (f"{key}_each_side", name, each_side) if sided else (key, name, middle)
