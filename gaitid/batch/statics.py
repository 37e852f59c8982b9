"""Which files are statics by their names, and which of several belongs to a trial."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from gaitid.batch.files import natural
from gaitid.batch.types import Static, Trait
from gaitid.records import frozen_dataclass

# Words of a name that make it a static; one that begins with "static" does too (Statics, statictrial). One that ends
# with it does not: quasistatic and orthostatic are what is measured.
STATIC_WORDS = ("static", "cal", "calib", "calibration", "tpose", "npose")
# These may also say what was measured (standing balance): only where no name says more, and only those that are taken.
STANDING_WORDS = ("stand", "standing")


@frozen_dataclass()
class Name:
    """What the name of a file or folder says.

    Attributes
    ----------
    static : bool
        That it is a static.
    words : frozenset of str
        Its other words, but bare numbers: what trials and statics may have in common.
    begins : tuple of str
        Its other words and numbers in their order, to the first that says static; one that stands first is passed
        over. What follows is mostly which take of the static it is.
    """

    static: bool
    words: frozenset[str]
    begins: tuple[str, ...]


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case: ``AFO_StaticTrial P02`` has afo, static, trial, p02.

    Letters and digits that are written together are one word; a capital letter begins one beside a small letter.
    """
    name = unicodedata.normalize("NFC", name)
    spaced = "".join(
        f" {c}" if c.isupper() and (name[i - 1 : i].islower() or name[i + 1 : i + 2].islower()) else c
        for i, c in enumerate(name)
    )
    return re.findall(r"[^\W_]+", spaced.casefold())


@lru_cache(maxsize=100_000)
def read_name(name: str, statics: tuple[str, ...] = STATIC_WORDS) -> Name:
    """What a name says, and whether that makes it a static.

    Parameters
    ----------
    name : str
        Without the suffix of a file.
    statics : tuple of str
        Words that make it a static, in lower case and without separators: ``tpose`` for ``T-Pose`` and ``T pose``.
    """
    parts = [(i, part) for i, word in enumerate(words_of(name)) for part in re.findall(r"\d+|\D+", word)]
    static_parts: set[int] = set()
    for first in range(len(parts)):
        for end in range(first + 1, len(parts) + 1):
            text = "".join(part for _, part in parts[first:end])
            begins = end == first + 1 and "static" in statics and text.startswith("static")
            if begins or text in statics:
                static_parts.update(range(first, end))
    others = [k for k in range(len(parts)) if k not in static_parts]
    stop = min((k for k in static_parts if others and k > others[0]), default=len(parts))
    rest = frozenset(word for word in _joined(parts[k] for k in others) if not word.isdecimal())
    return Name(bool(static_parts), rest, _joined(parts[k] for k in others if k < stop))


def _joined(parts: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """Words joined from their parts, each of which has the number of its word."""
    joined: dict[int, str] = {}
    for place, part in parts:
        joined[place] = joined.get(place, "") + part
    return tuple(joined.values())


def traits(names: Sequence[str], statics: tuple[str, ...], *, of_static: bool) -> frozenset[Trait]:
    """What a file's name has that statics and trials may share.

    Words; numbers, where all that stands before them is the same too (from any folder on, so that ``Walks/01_walk``
    meets ``Statics/01_static``); and words that are the same but for a number glued to one of the two (``AFO1`` and
    ``AFO``, but not ``P1`` and ``P2``).

    Parameters
    ----------
    names : sequence of str
        Of the folders down to it, and its own without the suffix.
    statics : tuple of str
        See `read_name`.
    of_static : bool
        Whether it is a static, or may take one.
    """
    tails = [read_name(" ".join(names[i:]), statics) for i in range(len(names))]
    shared: set[Trait] = {("word", word) for word in tails[0].words}
    for begins in (tail.begins for tail in tails):
        shared.update(("number", *begins[: i + 1]) for i, word in enumerate(begins) if word.isdecimal())
    for word in tails[0].words:
        if stem := word.rstrip("0123456789"):
            # a number in the static's name meets none in the trial's, and the other way round
            shared.add(("glued", "static" if (stem != word) == of_static else "trial", stem))
    return frozenset(shared)


def choose(statics: Sequence[Static], of_trial: frozenset[Trait], of_all: frozenset[Trait]) -> Static | None:
    """The static of a trial among several in one folder.

    The one that shares most words and numbers with the trial (``barefoot static`` for ``barefoot walk 3``); what all of
    them share with it decides nothing. A trial that shares nothing more takes one that has nothing more in common with
    the others either. Among equals the same again, then the last by name, which in most laboratories is the one that
    was taken again.

    Parameters
    ----------
    statics : sequence of Static
    of_trial, of_all : frozenset of Trait
        Of the trial, and of all trials that may take one of these statics.

    Returns
    -------
    Static or None
        None where each of several belongs to other trials.
    """
    if len(statics) == 1:
        return statics[0]
    common = of_trial.intersection(*(static.traits for static in statics))
    scores = [_score((static.traits & of_trial) - common) for static in statics]
    most = max(scores, default=_score(()))
    if any(most):
        best = [static for static, score in zip(statics, scores, strict=True) if score == most]
    else:
        best = [static for static in statics if (static.traits - common).isdisjoint(of_all)]
    if 0 < len(best) < len(statics):
        return choose(best, of_trial, of_all)
    return max(best, key=lambda s: (natural(s.path.stem.casefold()), s.path), default=None)


def _score(shared: Iterable[Trait]) -> tuple[int, int, int]:
    """Words and numbers; of those the numbers, since these tell people apart; words but for a number glued to them."""
    kinds = [kind for kind, *_ in shared]
    return len(kinds) - kinds.count("glued"), kinds.count("number"), kinds.count("glued")
