"""How a trial is analysed, from words: of a command line, of `gaitid.analyse`, and of the command that a record keeps.

Options of `run` that are not known here (of a newer gaitid) are refused: what they did cannot be done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gaitid.errors import GaitidError
from gaitid.ground.by_hand import read_assignments
from gaitid.model.settings import settings_from
from gaitid.settings import FILE, FILES, FLAG, HERTZ, LIMITS, LOADS, OPTIONS, PAIRS, SIDES, WORDS, RunOptions
from gaitid.write import DEFAULT_UNCERTAINTY, UNCERTAINTY

_BY_FLAG = {option.flag: option for option in OPTIONS.values()}

#: By option, what was given: each time that it was.
Given = Mapping[str, Sequence[str]]


def values_of(given: Given) -> dict[str, Any]:
    """What the words of options mean, as `RunOptions` takes it.

    Parameters
    ----------
    given : mapping of str to sequence of str
        By the names of `gaitid.settings.OPTIONS`: what stands behind an option, each time that it was given; of a flag
        anything.

    Raises
    ------
    GaitidError
        A value that is not of the form that an option has.
    """
    values = {name: _value(OPTIONS[name].kind, texts) for name, texts in given.items()}
    if "observer" in given:
        values["contributions"] = True
    asks = given.keys() & {"max_uncertainty", "repeatability"} or UNCERTAINTY in given.get("write", ())
    if asks and "uncertainty" not in given:
        values["uncertainty"] = DEFAULT_UNCERTAINTY
    return values


def _value(kind: str, texts: Sequence[str]) -> object:
    if kind == FLAG:
        return True
    if kind == FILE:
        return Path(texts[-1])
    if kind == HERTZ:
        return _frequency(texts[-1])
    if kind in (WORDS, FILES):
        return tuple(dict.fromkeys(texts))
    if kind == LIMITS:
        from gaitid.uncertainty.usable import read_limits  # of few runs

        return read_limits(texts)
    read: Mapping[str, Callable[[Sequence[str]], object]]
    read = {PAIRS: settings_from, SIDES: read_assignments, LOADS: read_loads}
    return read[kind](texts) if kind in read else texts[-1]


def words_of(given: Given) -> tuple[str, ...]:
    """The words of a command that say the same, in the order of the table."""
    return tuple(
        word
        for name, option in OPTIONS.items()
        if name in given
        for text in (given[name] if option.kind != FLAG else [""])
        for word in ([option.flag] if option.kind == FLAG else [option.flag, text])
    )


def read_command(words: Sequence[str]) -> tuple[Path, RunOptions]:
    """The trial and how it was analysed.

    Parameters
    ----------
    words : sequence of str
        `command` of a record.

    Raises
    ------
    GaitidError
        Not a command of `run`, one with an option that is not known here, or with a name that was not kept.
    """
    if len(words) < 3 or words[1] != "run":
        raise GaitidError("the record holds no command of `gaitid run`")
    given: dict[str, list[str]] = {}
    for name, value in _pairs(words[3:]):
        given.setdefault(name, []).append(value)
    if "(not kept)" in given.get("subject_prefix", ()):
        raise GaitidError("the trial holds several subjects, and the name of the one that was meant was not kept")
    return Path(words[2]), RunOptions(**values_of(given))


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option's name with what stands behind it."""
    rest = iter(words)
    for flag in rest:
        option = _BY_FLAG.get(flag)
        value = "" if option is not None and option.kind == FLAG else next(rest, None)
        if value is None:
            raise GaitidError(f"the record's command ends with {flag}")
        if option is None:
            raise GaitidError(f"the record's command has {flag}, which is not known here")
        yield option.name, value


def _frequency(value: str) -> object:
    """A number in Hz, or a word: ``none``, ``auto``."""
    try:
        return float(value)
    except ValueError:
        return value


def read_loads(words: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """Segment and force file of each ``SEGMENT=FILE`` of ``--load``.

    Raises
    ------
    GaitidError
        Not of that form.
    """
    loads = []
    for text in words:
        segment, equals, file = text.partition("=")
        if not (segment.strip() and equals and file.strip()):
            raise GaitidError(f"--load {text}", expected="SEGMENT=FILE, as left_shank=cuff.csv")
        load = (segment.strip(), Path(file.strip()))
        if load in loads:
            raise GaitidError(f"--load {text}: given twice, and each counts", todo="leave one of them out")
        loads.append(load)
    return tuple(loads)
