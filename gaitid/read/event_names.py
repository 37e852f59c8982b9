"""By which names a foot strike and a foot off go in files of laboratories."""

from __future__ import annotations

from collections.abc import Sequence


def _joined(begins: Sequence[str], ends: Sequence[str]) -> frozenset[str]:
    return frozenset(begin + end for begin in begins for end in ends)


_NAMES = {
    "strike": _joined(("", "foot", "heel", "toe", "initial", "ground"), ("strike", "contact", "on", "down"))
    | {"touchdown", "fs", "hs", "fc", "ic"},
    "off": _joined(("", "foot", "toe", "heel"), ("off", "lift", "liftoff"))
    | {"terminalcontact", "finalcontact", "fo", "to"},
}


def letters_of(name: str) -> str:
    """A name without anything but its letters, in lower case: ``Toe-Off`` is ``toeoff``."""
    return "".join(letter for letter in name.lower() if "a" <= letter <= "z")


def kind_of_event(name: str) -> str:
    """``strike`` or ``off``, as which a name without its side is meant; empty where it is neither."""
    letters = letters_of(name)
    return next((kind for kind, names in _NAMES.items() if letters in names), "")
