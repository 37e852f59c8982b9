"""Labels and names as files hold them: whose they are, and how they may be shown."""

from __future__ import annotations

from collections.abc import Sequence

from gaitid.errors import first_few, in_print

#: Characters of a name or label that an output shows.
SHOWN_CHARACTERS = 127
# Names in one line of text, before it only counts the rest.
_SHOWN_NAMES = 8


def subject_and_name(label: str) -> tuple[str, str]:
    """The subject of ``Subject:Label`` ("" without one), and what stands behind the last colon."""
    subject, _, name = label.rpartition(":")
    return subject.strip(), name.strip()


def printable(text: str) -> str:
    """A name as it may be shown.

    Control characters, escapes of terminals and marks that turn the direction of writing as ``\\x1b``, blanks as
    blanks; cut where it is longer than any name is.
    """
    if len(text) > SHOWN_CHARACTERS:
        text = text[: SHOWN_CHARACTERS - 1] + "…"
    return text if text.isprintable() else in_print(text)


def listed(names: Sequence[str]) -> str:
    """Names or faults as one piece of text that can be shown: the first eight, and how many more there are."""
    return first_few([*map(printable, names)], _SHOWN_NAMES)
