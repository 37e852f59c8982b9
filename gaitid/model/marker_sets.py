"""Marker sets: which labels a laboratory gives to landmarks and clusters, and which label of a trial is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from gaitid.model.bundled import bundled_names
from gaitid.model.fields import Faults, labels_of
from gaitid.model.find import fields_of, find_file
from gaitid.model.specs import of_side
from gaitid.records import NamedTuple

SCHEMA = 1
#: The landmarks that marker sets may name, in the words of the field: for the middle of the body, and for each side.
LANDMARKS: Mapping[str, str] = {"sacrum": "the sacrum between both posterior superior iliac spines"}
LANDMARKS_EACH_SIDE: Mapping[str, str] = {
    "asis": "anterior superior iliac spine",
    "psis": "posterior superior iliac spine",
    "iliac_crest": "highest point of the iliac crest",
    "trochanter": "greater trochanter",
    "thigh_wand": "wand or skin marker on the side of the thigh",
    "knee_lateral": "lateral epicondyle of the femur",
    "knee_medial": "medial epicondyle of the femur",
    "fibular_head": "head of the fibula",
    "tibial_tuberosity": "tuberosity of the tibia",
    "shank_wand": "wand or skin marker on the side of the shank",
    "ankle_lateral": "lateral malleolus",
    "ankle_medial": "medial malleolus",
    "heel": "back of the calcaneus",
    "toe": "a point on the long axis of the foot: between the second and third metatarsal heads, or the second toe",
    "mt1": "head of the first metatarsal, or its base where both feet have it",
    "mt2": "head of the second metatarsal",
    "mt5": "head of the fifth metatarsal",
    "hip_point": "hip joint, as a markerless system places it",
    "knee_point": "knee joint, as a markerless system places it",
    "ankle_point": "ankle joint, as a markerless system places it",
    "big_toe": "tip or base of the big toe, as a markerless system places it",
    "small_toe": "tip or base of the small toe, as a markerless system places it",
    "heel_point": "heel, as a markerless system places it",
}
CLUSTERS, CLUSTERS_EACH_SIDE = ("pelvis_cluster",), ("thigh_cluster", "shank_cluster", "foot_cluster")
# What a label that is spelled in another case, or with other separators, counts beside one that is spelled the same.
_EXACT, _OTHER_CASE, _OTHER_SEPARATORS = 1.0, 0.95, 0.9
# A set that explains fewer labels of a trial is not its set.
FEWEST_LABELS = 4


class MarkerSet(NamedTuple):
    """The labels of one laboratory or system.

    Attributes
    ----------
    name, title, source : str
    path : Path
    letters : mapping of side to str
        What stands for ``{S}`` in its labels.
    roles : mapping of (side, landmark) to tuple of str
        Labels that a landmark may have, the first that a trial holds counts; the side is empty for the middle.
    clusters : mapping of (side, cluster) to tuple of (tuple of str)
        For each marker of a cluster the labels that it may have.
    """

    name: str
    title: str
    source: str
    path: Path
    letters: Mapping[str, str]
    roles: Mapping[tuple[str, str], tuple[str, ...]]
    clusters: Mapping[tuple[str, str], tuple[tuple[str, ...], ...]]

    def found(self, spellings: Spellings) -> dict[tuple[str, str], list[str]]:
        """The labels of a trial that the set knows, by what they are."""
        members = {role: (labels,) for role, labels in self.roles.items()} | {**self.clusters}
        found = {place: [spellings.find(labels)[0] for labels in of] for place, of in members.items()}
        return {place: [*filter(None, labels)] for place, labels in found.items() if any(labels)}


# --- files --------------------------------------------------------------------------------------------------


def bundled_marker_sets() -> Mapping[str, Path]:
    """Names and files of the marker sets that come with gaitid."""
    return bundled_names("configs/marker_sets")


def find_marker_set(name: str) -> Path:
    """The file that a user means: a path, or a bundled set's name; a file in the current folder wins.

    Raises
    ------
    ModelError
    """
    return find_file("marker set", name, bundled_marker_sets())


def load_marker_set(path: Path) -> MarkerSet:
    """Read a marker set.

    Raises
    ------
    ModelError
        Against the schema: one line with every fault.
    """
    top, faults = fields_of(path, "gaitid_markers", SCHEMA, "a gaitid marker set")
    letters_fields = top.mapping("letters", {})
    letters = {side: letters_fields.text(side, letter) for side, letter in (("left", "L"), ("right", "R"))}
    letters_fields.done()
    if letters["left"] == letters["right"]:
        faults.add("letters: left and right must differ")
    roles: dict[tuple[str, str], tuple[str, ...]] = {}
    clusters: dict[tuple[str, str], tuple[tuple[str, ...], ...]] = {}
    for end, sides in (("", {"": ""}), ("_each_side", letters)):
        group = top.mapping(f"landmarks{end}", {})
        for name, value in group.values.items():
            roles |= {(side, name): of for side, of in _labels(value, group.at(name), faults, sides).items()}
    for end, sides in (("", {"": ""}), ("_each_side", letters)):
        group = top.mapping(f"clusters{end}", {})
        for name in group.values:
            at = group.at(name)
            members = [_labels(item, f"{at}[{i}]", faults, sides) for i, item in enumerate(group.items(name))]
            clusters |= {(side, name): tuple(of[side] for of in members if of.get(side)) for side in sides}
    result = MarkerSet(top.text("name"), top.text("title", ""), top.text("source", ""), path, letters, roles, clusters)
    top.done()
    faults.raise_if_any()
    return result


def _labels(value: object, where: str, faults: Faults, letters: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The labels of each side: one or several with {S} for its letter, or ``{left: ..., right: ...}``."""
    sided = "" not in letters
    if sided and isinstance(value, Mapping) and value and set(value) <= letters.keys():
        return {side: _plain_labels(value[side], f"{where}.{side}", faults) for side in value}
    labels = _plain_labels(value, where, faults)
    for label in labels:
        if sided and "{S}" not in label and "{s}" not in label:
            faults.add(f"{where}: {label!r} is one label for both sides; write {{S}} for the side's letter")
    return {side: of_side(labels, letter) for side, letter in letters.items()}


def _plain_labels(value: object, where: str, faults: Faults) -> tuple[str, ...]:
    return labels_of(
        value, where, faults, '; quote labels that hold braces: "{S}TOE"' if isinstance(value, Mapping) else ""
    )


# --- which label is meant -----------------------------------------------------------------------------------


class Spellings:
    """The labels of a trial, to be found as they stand, in another case, or with other separators.

    Parameters
    ----------
    labels : iterable of str
        Those that were seen.
    """

    def __init__(self, labels: Iterable[str]) -> None:
        self.labels = {label: label for label in labels if label}
        self._loose: dict[Callable[[str], str], dict[str, str]] = {}

    def find(self, alternatives: Sequence[str]) -> tuple[str, float]:
        """The label that is meant by one of several spellings, and how near it is (0 to 1); ``""`` where there is none.

        As it stands first, then in another case, then without ``.``, ``_``, ``-``, blanks and a suffix ``_study``;
        within each the first of the alternatives.
        """
        for label in alternatives:
            if label in self.labels:
                return label, _EXACT
        for plain, near in ((str.casefold, _OTHER_CASE), (squeeze, _OTHER_SEPARATORS)):
            if plain not in self._loose:  # of several labels the first
                self._loose[plain] = {plain(label): label for label in reversed(self.labels)}
            for label in map(plain, alternatives):
                if label in self._loose[plain]:
                    return self._loose[plain][label], near
        return "", 0.0


_SEPARATORS = str.maketrans("", "", "._-")


@lru_cache(maxsize=4096)  # the spellings that marker sets know are asked for each trial
def squeeze(label: str) -> str:
    """A label without case, separators and the suffix ``_study``: what different programs leave of it."""
    return "".join(label.split()).translate(_SEPARATORS).casefold().removesuffix("study")


def score(marker_set: MarkerSet, spellings: Spellings) -> float:
    """How many labels of a trial a marker set explains; those that are spelled in another way count a little less."""
    found: dict[str, float] = {}
    alternatives = [*marker_set.roles.values(), *(labels for group in marker_set.clusters.values() for labels in group)]
    for labels in alternatives:
        label, near = spellings.find(labels)
        if label:
            found[label] = max(near, found.get(label, 0.0))
    return sum(found.values())


def sets_of(spellings: Spellings) -> list[MarkerSet]:
    """The bundled marker sets that explain labels of a trial, the one that explains most first."""
    return list(_explaining(tuple(spellings.labels)))


@lru_cache(maxsize=32)  # one trial is asked for each model, and all trials of a laboratory have the same labels
def _explaining(labels: tuple[str, ...]) -> tuple[MarkerSet, ...]:
    spellings = Spellings(labels)
    scored = [(score(known, spellings), known) for known in _bundled()]
    scored = [pair for pair in scored if pair[0] >= FEWEST_LABELS]
    return tuple(known for _, known in sorted(scored, key=lambda pair: -pair[0]))


@cache
def _bundled() -> list[MarkerSet]:
    return [load_marker_set(path) for path in bundled_marker_sets().values()]
