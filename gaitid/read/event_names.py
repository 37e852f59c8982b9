"""By which names a foot strike and a foot off go in files of laboratories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache


def _joined(begins: Sequence[str], ends: Sequence[str]) -> frozenset[str]:
    return frozenset(begin + end for begin in begins for end in ends)


_NAMES = {
    "strike": _joined(("", "foot", "heel", "toe", "initial", "ground"), ("strike", "contact", "on", "down"))
    | {"touchdown", "fs", "hs", "fc", "ic"},
    "off": _joined(("", "foot", "toe", "heel"), ("off", "lift", "liftoff"))
    | {"terminalcontact", "finalcontact", "fo", "to"},
}


@lru_cache(maxsize=256)  # a file has few names, and asks for each many times
def letters_of(name: str) -> str:
    """A name without anything but its letters, in lower case: ``Toe-Off`` is ``toeoff``."""
    return "".join(letter for letter in name.lower() if "a" <= letter <= "z")


@lru_cache(maxsize=256)
def kind_of_event(name: str) -> str:
    """``strike`` or ``off``, as which a name without its side is meant; empty where it is neither."""
    letters = letters_of(name)
    return next((kind for kind, names in _NAMES.items() if letters in names), "")


def foot_event(name: str, side: str, sides: Iterable[str]) -> tuple[str, str]:
    """Side and kind (``strike``, ``off``) of an event, whose name may say its side; no kind where it is neither.

    Parameters
    ----------
    name : str
        As the file has it: ``Foot Strike``, ``RHS``, ``Left Toe Off``.
    side : str
        Its context: ``left``, ``right``, or ``general`` for one that gives none.
    sides : iterable of str
        Of the body.
    """
    letters = letters_of(name)
    for known in sides:
        for prefix in (known, known[0]):  # "Left Toe Off"; "LTO", "ROFF", "L Foot Strike"
            kind = kind_of_event(letters.removeprefix(prefix)) if letters.startswith(prefix) else ""
            if kind and side in (known, "general"):
                return known, kind
    return side, kind_of_event(letters)
