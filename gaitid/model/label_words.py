"""Labels of markers read as words: side, landmark or segment, place and number, in any order and several languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from gaitid.model.bundled import bundled_folder
from gaitid.model.parsed import content_of
from gaitid.records import NamedTuple

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
