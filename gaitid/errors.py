"""The one family of errors that a user can cause, each a single line.

An error says what is wrong, what was expected, what was found and what to do, joined by semicolons; the
command line puts ``gaitid: FILE:`` before it and exits with status 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

# Characters of a message: one that names eight markers and their likely meanings stays below.
LONGEST = 2000


def in_print(text: str) -> str:
    """One line of characters that can be shown: names in files, and of files, may hold what steers a terminal."""
    text = " ".join(text.split())
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class Names(str):
    """Names of people, and how many they are: that stands in their place where names are not kept."""

    how_many: str

    def __new__(cls, text: str, how_many: str = "") -> Names:
        self = super().__new__(cls, text)
        self.how_many = how_many
        return self


class GaitidError(Exception):
    """Data or configuration that gaitid refuses.

    Parameters
    ----------
    wrong : str
        What is wrong.
    expected, found, todo : str, optional
        What was expected, what was found instead (people as `Names`), and what the user can do.
    """

    def __init__(self, wrong: str, *, expected: str = "", found: str = "", todo: str = "") -> None:
        self.wrong = wrong
        self.expected = expected
        self.found = found
        self.todo = todo
        super().__init__(self.line())

    def line(self, keep_names: bool = True) -> str:
        """The message as one line, without the name of the file; for what is written, without names of people."""
        found = self.found.how_many if isinstance(self.found, Names) and not keep_names else self.found
        parts = [self.wrong]
        if self.expected:
            parts.append(f"expected {self.expected}")
        if found:
            parts.append(f"found {found}")
        if self.todo:
            parts.append(self.todo)
        text = in_print("; ".join(parts))
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class ReadError(GaitidError):
    """A trial, static, force or plate file that cannot be read."""


class UndecidedError(ReadError):
    """A file of which the user has to say how it is read.

    Attributes
    ----------
    instead : mapping
        Settings of the reader with which it can be looked at, whatever it is.
    """

    instead: Mapping[str, Any] = {}


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Refusals from inside begin with `where`: the file, if it is not the trial itself, or its section."""
    try:
        yield
    except ReadError as error:
        wrong = f"{where}{error.wrong}"
        raise ReadError(wrong, expected=error.expected, found=error.found, todo=error.todo) from None


class ModelError(GaitidError):
    """A model, table or subject file that breaks its schema."""


class SubjectError(GaitidError):
    """A measurement of the subject that is missing or impossible."""


class TrialError(GaitidError):
    """A trial that was read, but that the model cannot be applied to."""


class WriteError(GaitidError):
    """A result that cannot be written."""


def in_words(error: Exception, about: str = "", keep_names: bool = True) -> str:
    """One line for a refusal, a full memory, an error of the system, or a fault of ours.

    Parameters
    ----------
    error : Exception
    about : str
        The file that the line is about anyway: not named again.
    keep_names : bool
        Whether people may be named.
    """
    if isinstance(error, GaitidError):
        return error.line(keep_names)
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:
        name = "" if error.filename is None or str(error.filename) == about else f"{error.filename}: "
        return f"{name}cannot be read or written ({error.strerror})"
    return f"internal error ({type(error).__name__}: {in_print(str(error))}); please report it with --debug"


def counted(n: int, what: str) -> str:
    """``1 trial``, ``2 trials``."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def first_few(names: Sequence[str], shown: int, between: str = ", ") -> str:
    """``a, b and 3 more``: so many names, and how many are left."""
    more = len(names) - shown
    return between.join(names[:shown]) + (f" and {more} more" if more > 0 else "")
