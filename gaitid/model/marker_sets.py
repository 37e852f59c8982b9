"""Marker sets: which labels a laboratory gives to landmarks and clusters, by a list or read word by word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from gaitid.model.fields import Faults, labels_of
from gaitid.model.find import bundled_folder, bundled_names, fields_of, find_file
from gaitid.model.parsed import content_of
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
        result = {place: [spellings.find(labels)[0] for labels in of] for place, of in members.items()}
        return {place: [*filter(None, labels)] for place, labels in result.items() if any(labels)}


# --- files --------------------------------------------------------------------------------------------------


def bundled_marker_sets() -> Mapping[str, Path]:
    """Names and files of the marker sets that come with gaitid."""
    return bundled_names("configs/marker_sets")


def bundled_marker_set(name: str) -> MarkerSet | None:
    """The bundled set of a name, as a subject file has it; None where none has it."""
    return load_marker_set(find_marker_set(name)) if name in bundled_marker_sets() else None


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
    result: dict[str, float] = {}
    alternatives = [*marker_set.roles.values(), *(labels for group in marker_set.clusters.values() for labels in group)]
    for labels in alternatives:
        label, near = spellings.find(labels)
        if label:
            result[label] = max(near, result.get(label, 0.0))
    return sum(result.values())


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


# What a word costs, and a separator or a change of case inside one; a side is likelier than what else its word means.
_WORD, _ACROSS, _SIDE = 1.0, 0.5, 0.9
_RAYS = {"1": "mt1", "2": "mt2", "5": "mt5"}


class Reading(NamedTuple):
    """What a label says.

    Attributes
    ----------
    side : str
        ``left``, ``right``, or empty.
    names : tuple of str
        A landmark; the outer and the inner one of a joint where the label says no place; or a cluster, and the wand
        that its only marker is.
    plain : bool
        Whether nothing else stands in the label.
    """

    side: str
    names: tuple[str, ...]
    plain: bool = True


class _Word(NamedTuple):
    kind: str
    names: tuple[str, ...] = ()


_Words = Mapping[str, tuple[_Word, ...]]


def _content() -> Mapping[str, Any]:
    content = content_of(bundled_folder("configs/labels") / "words.yaml")
    assert isinstance(content, Mapping)
    return content


@cache
def _languages() -> tuple[_Words, ...]:
    """By language the meanings of each word."""
    content = _content()
    meant = [
        *((word, _Word(kind)) for kind in _KINDS for word in content[kind]),
        *((word, _Word("landmark", (name,))) for name, words in content["landmarks"].items() for word in words),
        *(
            (word, _Word(kind, (of["outer"], of["inner"])))
            for kind in ("joints", "joint_letters")
            for of in content[kind]
            for word in of["words"]
        ),
        *((word, _Word("segment", (name,))) for name, words in content["segments"].items() for word in words),
    ]
    languages = []
    for sides in content["sides"]:
        words: dict[str, tuple[_Word, ...]] = {}
        for text, word in (*meant, *((text, _Word("side", (side,))) for side in sides for text in sides[side])):
            words[text] = (*words.get(text, ()), word)
        languages.append(words)
    return tuple(languages)


_KINDS = ("lateral", "medial", "places", "place_letters", "noise", "forefoot", "rays", "elsewhere")
_NOUNS = ("landmark", "joints", "joint_letters", "segment", "forefoot", "rays", "elsewhere")


def joints() -> Sequence[tuple[str, str]]:
    """The outer and the inner landmark of each joint."""
    return [(joint["outer"], joint["inner"]) for joint in _content()["joints"]]


def read_labels(labels: Sequence[str]) -> dict[str, Reading]:
    """What labels say, of those that can be divided into words, in the language that explains most of them."""
    languages = [{label: reading for label in labels if (reading := _read(label, words))} for words in _languages()]
    return max(languages, key=lambda read: sum(bool(reading.side) for reading in read.values()))


def _read(label: str, words: _Words) -> Reading | None:
    """The reading in the fewest words; None where there is none, or two that differ cost the same."""
    parts = re.findall(r"[A-Z]*[a-z]+|[A-Z]+|[0-9]+", label)
    starts = set(accumulate(map(len, parts)))
    costs: dict[Reading | None, float] = {}
    for cost, divided in _divided("".join(parts).casefold(), 0, words, starts):
        for reading in _meant(divided):
            costs[reading] = min(cost, costs.get(reading, cost))
    best = [reading for reading, cost in costs.items() if cost == min(costs.values())]
    return best[0] if len(best) == 1 else None


def _divided(text: str, at: int, words: _Words, starts: set[int]) -> Iterator[tuple[float, tuple[_Word, ...]]]:
    """Each way to divide the rest of a label into words, with its cost."""
    if at == len(text):
        yield 0.0, ()
    for stop in range(at + 1, len(text) + 1):
        piece = text[at:stop]
        number = piece.isdecimal() and not text[stop : stop + 1].isdecimal()
        for word in (_Word("number", (piece,)),) if number else words.get(piece, ()):
            cost = _SIDE + 0.01 * len(piece) if word.kind == "side" else _WORD
            cost += _ACROSS * sum(at < start < stop for start in starts)
            for more, rest in _divided(text, stop, words, starts):
                yield cost + more, (word, *rest)


def _meant(words: Sequence[_Word]) -> Iterator[Reading | None]:
    """What words say together: one thing, on one side, in one place, with one number; None is a thing elsewhere."""
    by_kind: dict[str, list[_Word]] = {}
    for word in words:
        by_kind.setdefault(word.kind, []).append(word)
    nouns = [word for word in words if word.kind in _NOUNS]
    beside = [kind for kind in ("lateral", "medial") if kind in by_kind]
    if len(nouns) != 1 or len(beside) > 1 or any(len(by_kind.get(k, ())) > 1 for k in ("side", "number", *beside)):
        return
    (noun,) = nouns
    side = by_kind["side"][0].names[0] if "side" in by_kind else ""
    number = by_kind["number"][0].names[0] if "number" in by_kind else ""
    letters = "place_letters" in by_kind
    plain = not ({"places", "number", "place_letters"} & by_kind.keys() or beside)
    if letters and noun.kind not in ("segment", "rays"):
        return
    if noun.kind == "elsewhere":
        yield None
    elif bool(side) == (noun.names in (("sacrum",), ("pelvis",))):
        return
    elif noun.kind == "segment":
        (name,) = noun.names
        alone = plain and name in ("thigh", "shank")
        yield Reading(side, (f"{name}_cluster", f"{name}_wand") if alone else (f"{name}_cluster",), alone)
    elif noun.kind == "rays":
        if number in _RAYS and not beside:
            yield Reading(side, (_RAYS[number],), not {"places", "place_letters"} & by_kind.keys())
    elif noun.kind == "forefoot":
        if beside and not number:
            yield Reading(side, ("mt1" if beside == ["medial"] else "mt5",))
    elif noun.kind in ("joints", "joint_letters"):
        if not number and (beside or noun.kind == "joints"):
            yield Reading(side, (noun.names[beside == ["medial"]],) if beside else noun.names, "places" not in by_kind)
    elif noun.names == ("heel",) and (beside or number):
        yield Reading(side, ("foot_cluster",))
    elif not beside and not number:
        yield Reading(side, noun.names, plain)
