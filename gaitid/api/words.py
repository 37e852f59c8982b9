"""The keywords of `gaitid.analyse` -> the words that say the same on the command line.

What a keyword means is read from those words, by the functions that read them there: nothing can mean two things.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from gaitid.errors import GaitidError
from gaitid.model.settings import settings_from
from gaitid.settings import FILE, FILES, HERTZ, LIMITS, LOADS, MAYBE_FILE, OPTIONS, PAIRS, SIDES, WORDS, Option
from gaitid.write.record import plain

File = str | PathLike[str]

# The command line takes 0.01 to 1e5 Hz.
_HIGHEST_HZ = 1e6
# Keywords that are mappings, with an example.
_MAPPINGS = {PAIRS: '{"gravity_m_per_s2": 9.81}', LOADS: '{"left_shank": "cuff.csv"}', LIMITS: '{"angle_deg": 3}'}


def texts_of(given: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What stands behind the option of each keyword, each time that it is given (`gaitid.run.command.values_of`).

    Parameters
    ----------
    given : mapping
        By the names of `OPTIONS`, without those that were left out or have no word (a model or a trial in memory).

    Raises
    ------
    GaitidError
        A value that the keyword does not take.
    """
    texts = {name: _words_of(option, given[name]) for name, option in OPTIONS.items() if name in given}
    return {name: words for name, words in texts.items() if words}


def _words_of(option: Option, value: Any) -> tuple[str, ...]:
    """What stands behind a keyword's option, each time that it is given; empty where it says what holds anyway."""
    name, kind = option.name, option.kind
    if kind in _MAPPINGS:
        if not isinstance(value, Mapping):
            example = _MAPPINGS[kind]
            raise GaitidError(f"{name}: not a mapping", expected=f"as {example}", found=repr(value))
        if kind != LOADS:
            return tuple(f"{key}={_text(item)}" for key, item in value.items())
        return tuple(f"{segment}={file}" for segment, of in value.items() for file in _files(name, of))
    if kind == HERTZ:
        return (_frequency(name, value),)
    if kind == MAYBE_FILE and not isinstance(value, bool | str | PathLike):
        raise GaitidError(f"{name}: not taken", expected="True, False or the path of a YAML file", found=repr(value))
    if isinstance(value, bool):
        return (option.among or ("yes",)) if value else ()
    if kind in (WORDS, SIDES):
        values = (value,) if isinstance(value, str) else tuple(value)
        _check(option, values)
        return () if values == option.default else values
    if kind == FILES:
        return tuple(str(file) for file in _files(name, value))
    if kind == FILE:
        return (str(file_path(name, value)),)
    _check(option, (value,))
    return () if value == option.default else (str(value),)


def _check(option: Option, values: Iterable[object]) -> None:
    known = option.among if option.kind != MAYBE_FILE else ()
    for value in values:
        if not isinstance(value, str | PathLike) or (known and value not in known):
            raise GaitidError(f"{option.name}: {value!r} is not known", expected=", ".join(known or ("text",)))


def _files(name: str, value: Any) -> tuple[Path, ...]:
    """Of a keyword that names one file, or several in a sequence."""
    one = isinstance(value, str | PathLike | Mapping) or not isinstance(value, Iterable)
    values = (value,) if one else value
    return tuple(file_path(name, item) for item in values)


def file_path(name: str, value: object) -> Path:
    """A keyword that names a file.

    Raises
    ------
    GaitidError
        It does not.
    """
    if not isinstance(value, str | PathLike):
        raise GaitidError(f"{name}: not a file", expected="a path", found=f"a {type(value).__name__}")
    if not str(value):
        raise GaitidError(f"{name}: no path", expected="a path; '.' is the current folder", found="an empty text")
    return Path(value)


def settings_of(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings as the command line would read them."""
    return settings_from(_words_of(OPTIONS["settings"], settings or {}))


def _frequency(name: str, value: Any) -> str:
    """A frequency in Hz, or a word in its place."""
    words = OPTIONS[name].among
    if isinstance(value, str) and value in words:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number < _HIGHEST_HZ:
        allowed = " or ".join(f'"{word}"' for word in words)
        raise GaitidError(f"{name}: {value!r} is no frequency", expected=f"Hz above 0, or {allowed}")
    return repr(number).removesuffix(".0")


def _text(value: Any) -> str:
    """A setting's value as YAML has it."""
    return value if isinstance(value, str) else json.dumps(plain(value))
