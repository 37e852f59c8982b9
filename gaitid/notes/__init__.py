"""What is worth saying of a trial: each note with a code, which says how serious it is, so that notes can be ranked.

A function that has something to say returns its notes beside its value; none appends to a list that it was handed. It
hands over values, and the words stand in the table `MESSAGES`, of which this folder holds a file for each subject::

    note("clocks_near", late_ms=3.2)                             # a code with one text
    note("reading_info/columns", file=name, columns=columns)     # the text `columns` among those of its code
    note("load_unclaimed", plates=number, first=10, last=20)  # plates and side go into the note as well

    "load_unclaimed": Message(..., words="plate {plates:, } carries a load in frames {first}-{last}")
    "reading_info": Message(..., words={"columns": ("{file}: {columns:, 8} are not read", "rename {columns: and }")})

Parts of a message, and reasons that stand in a record, are in the table `PHRASES`: ``phrase("gap/long", length_s=0.4,
longest_s=0.2)`` is such a part as text.

What a code always advises is its ``cure``, which is no template; a text with a cure that depends on it is a pair of
both. A value that is lacking is an error. ``{name:...}`` is written as `str.format` would, or

- ``{names: and }`` of several: joined by that, numbers as ``g`` writes them; ``{names:, 6}``: the first six, and how
  many more there are; ``{names:and}``: ``a, b and c``;
- ``{n:plate|plates}``: the first for one (or several of which there is one, or true), the second otherwise;
- ``{name:?words}``: the words where there is something (true, not empty, not 0), and they may hold values:
  ``{mm:?, by {mm:.1f} mm}``; ``{name:?words||others}``: else the others; what is None is written as nothing;
- ``{path:typed}``: as it has to be typed in a shell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gaitid.errors import first_few
from gaitid.notes.body import BODY
from gaitid.notes.contacts import CONTACTS
from gaitid.notes.ground import GROUND
from gaitid.notes.markers import MARKERS
from gaitid.notes.message import SEVERITIES, Message
from gaitid.notes.phrases import PHRASES
from gaitid.notes.reading import READING
from gaitid.notes.result import REASONS, RESULT
from gaitid.records import NamedTuple

#: Every code, in the order of docs/notes.md.
MESSAGES = {**READING, **MARKERS, **BODY, **GROUND, **CONTACTS, **RESULT}
#: With those of reasons that the verdict finds beside the notes.
CODES = MESSAGES | REASONS


def _words() -> Iterator[tuple[str, tuple[str, str]]]:
    for code, message in CODES.items():
        words = message.words or message.meaning
        named = {code: words} if isinstance(words, str | tuple) else {f"{code}/{name}": words[name] for name in words}
        for name, wording in named.items():
            yield name, (wording, "") if isinstance(wording, str) else wording


#: The templates of text and of cure (empty where that of the code holds) by name: ``code`` or ``code/text``.
WORDS = dict(_words())

# A file's name of these alone is typed as it is, in every shell.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")


class Note(NamedTuple):
    """One thing worth saying.

    Attributes
    ----------
    code : str
        One of `CODES`.
    text : str
        For a person, in one line.
    side : str
        The only leg that it concerns; empty where it concerns the trial.
    cure : str
        Which marker, option, static or plate would make it good; empty where that of the code holds.
    plates : tuple of int
        The plates that it is about; empty where it is about none, or about all of them together.
    """

    code: str
    text: str
    side: str = ""
    cure: str = ""
    plates: tuple[int, ...] = ()

    @property
    def message(self) -> Message:
        """What holds of all notes with its code."""
        return CODES[self.code]

    @property
    def severity(self) -> str:
        """One of `gaitid.notes.message.SEVERITIES`."""
        return self.message.severity

    def as_dict(self) -> dict[str, str | list[int]]:
        """For records: ``severity``, ``code`` and ``text``, and ``plates`` where it is about some."""
        plates = {"plates": [*self.plates]} if self.plates else {}
        return {"severity": self.severity, "code": self.code, "text": self.text, **plates}


Notes = tuple[Note, ...]


class _Shown:
    """A value that is written as the template wants it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        value = self.value
        if spec.startswith("?"):
            return spec[1:].partition("||")[0 if value else 2]
        if value is None:
            return ""
        several = isinstance(value, list | tuple)
        if "|" in spec:
            one, _, many = spec.partition("|")
            return one if (len(value) if several else value) == 1 else many
        if spec == "typed":
            return _typed(str(value))
        if several:
            if spec == "and":
                return " and ".join(filter(None, (", ".join(map(str, value[:-1])), str(value[-1]))))
            separator = spec.rstrip("0123456789")
            names = [format(part, "g") if isinstance(part, float) else str(part) for part in value]
            return first_few(names, int(spec[len(separator) :])) if separator != spec else separator.join(names)
        return format(value, spec)


def note(name: str, /, side: str = "", plates: int | Sequence[int] = (), **values: object) -> Note:
    """A note of its code (and the text among those of its code, behind ``/``) and the values in its words.

    Parameters
    ----------
    name : str
        ``code``, or ``code/text``.
    side, plates
        As in `Note`, a single plate as its number; the words may name them.
    **values
        What the templates name; of several texts from which one is chosen, what all of them name.

    Raises
    ------
    KeyError
        The table lacks the name, or the values lack one that the words need.
    """
    text, cure = WORDS[name]
    of_plates = (plates,) if isinstance(plates, int) else tuple(plates)
    values = {"side": side, "plates": of_plates, **values}
    return Note(name.partition("/")[0], _filled(text, values), side, _filled(cure, values), of_plates)


def phrase(name: str, /, **values: object) -> str:
    """A part of a message, or a reason, by its name in `PHRASES` and the values in its words."""
    return _filled(PHRASES[name], values)


def _filled(template: str, values: Mapping[str, object]) -> str:
    return template.format_map({key: _Shown(value) for key, value in values.items()})


def ranked(notes: Iterable[Note]) -> Notes:
    """Each note once, the most serious first; those of one severity in the order in which they came."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: SEVERITIES.index(note.severity)))


def texts(notes: Iterable[Note]) -> list[str]:
    """What each note says."""
    return [note.text for note in notes]


def as_option(option: str, path: Path | str) -> str:
    """An option with its file as it has to be typed where the trial was named so."""
    return f"{option} {_typed(str(path))}"


def _typed(text: str) -> str:
    if text and set(text) <= _PLAIN:
        return text
    import shlex  # compiles a pattern: a millisecond

    return shlex.quote(text)
