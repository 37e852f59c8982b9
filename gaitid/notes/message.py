"""What a row of the table of notes holds."""

from __future__ import annotations

from collections.abc import Mapping

from gaitid.records import NamedTuple

#: The most serious first. ``error``: something is wrong, and what it spoils is left empty; ``doubt``: numbers are
#: written that may be wrong; ``assumption``: nothing said it, so it was assumed; ``info``: what was done.
SEVERITIES = ("error", "doubt", "assumption", "info")

#: The best first. ``good``: all that the model gives can be used; ``usable``: the reasons say what cannot, or with what
#: doubt; ``do not use``: what is written may be wrong throughout.
GOOD, USABLE, DO_NOT_USE = "good", "usable", "do not use"
LEVELS = (GOOD, USABLE, DO_NOT_USE)

#: A text, or a text with a cure that comes before that of the code.
Wording = str | tuple[str, str]


class Message(NamedTuple):
    """What one code stands for, and its words.

    Attributes
    ----------
    severity : str
        One of `SEVERITIES`.
    meaning : str
        Of all notes with this code (docs/notes.md).
    lowers_to : str
        What it does to the verdict on its trial (docs/quality.md), one of `LEVELS`; `GOOD` where it lowers nothing. A
        number that may be wrong is serious wherever it stands; it spoils a verdict only where the trial would be used
        by it.
    cure : str
        Which marker, option, static or plate would make it good; empty where nothing is to be done.
    words : str, tuple or mapping
        The template of the text, or of text and cure; where a code has several, each by a short name. `gaitid.notes`
        says what stands in a template.
    explains : bool
        It says why the load of a stance is not known: no reason of its own where a leg has a whole stance all the same.
    """

    severity: str
    meaning: str
    lowers_to: str
    cure: str = ""
    words: Wording | Mapping[str, Wording] = ""
    explains: bool = False
