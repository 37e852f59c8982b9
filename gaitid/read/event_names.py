"""By which names a foot strike and a foot off go in files of laboratories, in several languages."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from gaitid.notes import Notes, note, phrase
from gaitid.read.subjects import listed
from gaitid.trial import Event

SIDES = ("left", "right")
#: What a C3D calls the two kinds.
WORDS = {"strike": "Foot Strike", "off": "Foot Off"}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _joined(parts: str, actions: str) -> frozenset[str]:
    """Both orders: heel contact, contact talon."""
    pairs = [(part, action) for part in parts.split() for action in actions.split()]
    return frozenset(name for part, action in pairs for name in (part + action, action + part))


# English, German, French, Italian, Spanish, Dutch and Portuguese; without accents, ß as ss, and without small words in
# between. Left out is what means another instant in some gaits: the heel leaves in mid-stance (heel off), and the toes
# land after the heel (toe strike, toe on); a word for the support of a foot alone is a phase (apoyo, appui).
_NAMES = {
    "strike": _words("strike contact on down touchdown landing fs hs fc hc ic kontakt contatto contacto contato")
    | _joined(
        "foot heel initial ground floor fuss ferse fersen boden initialer initiales pied talon sol iniziale piede "
        "tallone suolo inicial pie suelo voet hiel hak initieel grond calcanhar pe solo",
        "strike contact on down landing kontakt aufsatz aufsetzen auftritt attaque pose contatto appoggio contacto "
        "contato apoyo apoio toque",
    ),
    "off": _words("off lift liftoff fo to terminalcontact finalcontact fincontact")
    | _joined(
        "foot toe toes fuss zehe zehen pied orteil orteils avantpied piede dita punta avampiede pie dedos losdedos "
        "antepie puntera voet teen tenen pe",
        "off lift liftoff ablosung abloesung ablosen abloesen abheben abhebung decollement decollage stacco distacco "
        "despegue desprendimento retirada los",
    ),
}
_BETWEEN = _words("of the du de des del della delle dei dell do da dos das le la les")
_SIDE_WORDS = {
    "left": _words("left links linker linke linkes gauche sinistro sinistra izquierdo izquierda esquerdo esquerda"),
    "right": _words("right rechts rechter rechte rechtes droit droite destro destra derecho derecha direito direita"),
}
#: Alone between other signs also these; glued to a word ("HSL", "RHEELSTRIKE") only the letter.
_SHORT = {"left": _words("l lt li sx izq esq"), "right": _words("r rt re dx")}


def _letters(name: str) -> list[str]:
    """Runs of letters of a name, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return re.findall("[a-z]+", "".join(c for c in plain if not unicodedata.combining(c)))


def side_of_word(word: str) -> str:
    """``left`` or ``right``, as which one word is meant; empty where it is neither."""
    return next((side for side in SIDES if word in _SIDE_WORDS[side] | _SHORT[side]), "")


def _kind(words: Iterable[str]) -> str:
    """``strike`` or ``off``, as which words without a side are meant; empty where they are neither."""
    words = list(words)
    spellings = {"".join(words), "".join(word for word in words if word not in _BETWEEN)}
    return next((kind for kind, names in _NAMES.items() if names & spellings), "")


@lru_cache(maxsize=1024)  # a file has few names, and asks for each many times
def said(name: str) -> tuple[str, str]:
    """Side and kind (``strike``, ``off``) that a name itself says; each empty where it does not, or not clearly."""
    words = _letters(name)
    if kind := _kind(words):
        return "", kind
    rest = [word for word in words if not side_of_word(word)]
    result = {(side_of_word(word), _kind(rest)) for word in words if side_of_word(word)}
    glued = "".join(words)
    for side in SIDES if not result else ():
        for mark in (*_SIDE_WORDS[side], side[0]):
            result |= {(side, _kind([glued.removeprefix(mark)]))} if glued.startswith(mark) else set()
            result |= {(side, _kind([glued.removesuffix(mark)]))} if glued.endswith(mark) else set()
    result = {(side, kind) for side, kind in result if kind}
    return result.pop() if len(result) == 1 else ("", "")


def foot_event(name: str, side: str, sides: Iterable[str] = SIDES) -> tuple[str, str]:
    """Side and kind (``strike``, ``off``) of an event, whose name may say its side; no kind where it is neither.

    Parameters
    ----------
    name : str
        As the file has it: ``Foot Strike``, ``RHS``, ``HS_L``, ``Left Toe Off``, ``Fersenkontakt links``.
    side : str
        Its context: ``left``, ``right``, or ``general`` for one that gives none.
    sides : iterable of str
        Of the body.
    """
    of_name, kind = said(name)
    if not of_name:
        return side, kind
    return (of_name, kind) if of_name in sides and side in (of_name, "general") else (side, "")


def not_understood(event: Event) -> bool:
    """Whether nobody can tell which foot strikes or leaves in it."""
    side, kind = foot_event(event.name, event.side)
    return not kind or side not in SIDES


def unknown_notes(events: Iterable[Event]) -> Notes:
    """Which of the file's events are not understood, how many of each label, and how to say what they mean."""
    counts: Counter[str] = Counter()
    sides_of: dict[str, set[str]] = {}
    for event in filter(not_understood, events):
        side, kind = said(event.name)
        context = event.side if kind and side else ""
        counts[phrase("read/event", name=event.name, no_side=kind and not side, context=context)] += 1
        if not kind:
            sides_of.setdefault(event.name, set()).add(event.side)
    if not counts:
        return ()
    n, which = sum(counts.values()), listed([f"{name} ({number})" for name, number in counts.items()])
    if not sides_of:
        return (note("events_unknown/sides", n=n, labels=which),)
    label, sides = next(iter(sides_of.items()))
    # YAML knows no surrogate pairs, by which JSON writes what lies beyond 16 bits
    quoted = json.dumps(label, ensure_ascii=not label.isprintable())
    # a meaning with a side would make one foot's of the events of both
    meaning, others = ("strike", "off") if sides & {*SIDES} else ("left strike", "right off")
    return (note("events_unknown/labels", n=n, labels=which, label=quoted, meaning=meaning, others=others),)
