"""A message with its cure, applied as it is printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from cure_inputs import Folder, Words, without_option
from cure_texts import APPLIED
from terminal import Done, gaitid


class Row(NamedTuple):
    """A message and its cure.

    Attributes
    ----------
    made : callable
        The command's words, behind ``gaitid``.
    said : str
        Expression that the line of the message holds.
    cure : str or callable
        What is taken of that line: an option with its value, as printed (an expression), or ``leave out OPTION``; what
        makes the next command of this one's words, where no option does.
    value : str or callable
        The value where the text leaves it open.
    then : str
        What the output holds afterwards, where that is another message or a result that is the point of the cure.
    code : int
        The exit code afterwards.
    """

    made: Callable[[Folder], Words]
    said: str
    cure: str | Callable[[Folder, Words, str], Sequence[object]]
    value: str | Callable[[Folder], object] = ""
    then: str = ""
    code: int = 0


def line_of(done: Done, said: str) -> str:
    """The line that holds a message; empty where none does."""
    return next((line for line in done.lines if re.search(said, line)), "")


def assert_cures(row: Row, name: str, simulated: Path, own: Path) -> None:
    """The command prints the message, with the cure's words; with what the cure names it does not."""
    folder = Folder(simulated, own)
    words = row.made(folder)
    before = gaitid("--verbose", *words)
    line = line_of(before, row.said)
    assert line, before.err
    assert [text for text in APPLIED.get(name, ()) if text not in line] == []
    after = gaitid("--verbose", *cured(words, line, row, folder))
    assert not line_of(after, row.said), after.err
    assert after.code == row.code, after.err
    assert re.search(row.then, after.err), after.err


def cured(words: Words, line: str, row: Row, folder: Folder) -> Sequence[object]:
    """The command's words with what the line says to change."""
    if callable(row.cure):
        return row.cure(folder, words, line)
    found = [*re.finditer(row.cure, line)][-1:]
    assert found, line
    (found,) = found
    if found[0].startswith("leave out "):
        return without_option(words, found[0].removeprefix("leave out "))
    if found.groups():  # what stands in a subject file
        return (*without_option(words, "--subject"), "--subject", folder.text("cure.yaml", found[1]))
    option, *value = shlex.split(found[0])
    if not value:
        assert row.value
        value = [str(row.value(folder) if callable(row.value) else row.value)]
    kept = without_option(words, option, value[0].partition("=")[0] if option == "--set" else "")
    return (*kept, option, *value)
